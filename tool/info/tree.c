/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info: the tree of links, each with the joint that carries it. */
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"
#include "info.h"

/* What is drawn before a link, for each width of a level: beside the child's name, and on the lines below it. */
typedef struct strokes {
  const char *child, *last_child, *below, *below_last;
} strokes;

static const strokes unicode_strokes[] = {{"├", "└", "│", " "}, {"├ ", "└ ", "│ ", "  "}, {"├─ ", "└─ ", "│  ", "   "}};
static const strokes ascii_strokes[] = {{"|", "`", "|", " "}, {"|-", "`-", "| ", "  "}, {"|- ", "`- ", "|  ", "   "}};

/* Deep trees are drawn narrower, and from this level on not at all: then the level is printed as a number. */
enum { MOST_LEVELS = 100 };

typedef struct tree {
  const jn_model *model;
  const strokes *strokes;
  int *level; /* of each link, 0 for those on the world */
  bool *last; /* the link is the last child of its parent */
  int deepest;
} tree;

static void tree_init(tree *t, const jn_model *model) {
  int count = jn_link_count(model);
  *t = (tree){.model = model, .level = allocate((size_t)count * sizeof(int)), .last = allocate((size_t)count)};
  for (int i = 0; i < count; i++) {
    int parent = jn_link_parent(model, i);
    int end = parent == JN_WORLD ? count : jn_link_subtree_end(model, parent);
    t->level[i] = parent == JN_WORLD ? 0 : t->level[parent] + 1;
    t->last[i] = jn_link_subtree_end(model, i) == end;
    if (t->level[i] > t->deepest) t->deepest = t->level[i];
  }
  int width = t->deepest < 16 ? 2 : t->deepest < 40 ? 1 : 0;
  t->strokes = terminal_is_utf8() ? &unicode_strokes[width] : &ascii_strokes[width];
}

static void tree_free(tree *t) {
  free(t->level);
  free(t->last);
}

/* Strokes and name of a link, as one string. */
static char *tree_cell(const tree *t, int link) {
  if (t->deepest >= MOST_LEVELS) return format_text("%*d  %s", 5, t->level[link] + 1, jn_link_name(t->model, link));
  size_t longest =
      strlen(t->strokes->child) > strlen(t->strokes->below) ? strlen(t->strokes->child) : strlen(t->strokes->below);
  const char *name = jn_link_name(t->model, link);
  size_t length = longest * (size_t)(t->level[link] + 1);
  char *text = allocate(length + strlen(name) + 1);
  char *at = text + length;
  strcpy(at, name);
  /* From the name to the left, up the tree. */
  for (int i = link; i != JN_WORLD; i = jn_link_parent(t->model, i)) {
    const char *beside = t->last[i] ? t->strokes->last_child : t->strokes->child;
    const char *below = t->last[i] ? t->strokes->below_last : t->strokes->below;
    const char *stroke = i == link ? beside : below;
    at -= strlen(stroke);
    memcpy(at, stroke, strlen(stroke));
  }
  memmove(text, at, strlen(at) + 1);
  return text;
}

void info_tree(const jn_model *model) {
  static const table_column columns[] = {{"link", ALIGN_LEFT}, {"joint type", ALIGN_LEFT}, {"joint", ALIGN_LEFT}};
  table t;
  tree branches;
  tree_init(&branches, model);
  table_init(&t, columns, 3);
  table_cell(&t, branches.deepest < MOST_LEVELS ? "world" : "level  world");
  table_cell(&t, "");
  table_cell(&t, "");
  for (int i = 0; i < jn_link_count(model); i++) {
    char *cell = tree_cell(&branches, i);
    table_cell(&t, cell);
    table_cell(&t, jn_joint_type_name(jn_joint_type_of(model, i)));
    table_cell(&t, jn_joint_name(model, i));
    free(cell);
  }
  table_print(&t, stdout);
  tree_free(&branches);
}
