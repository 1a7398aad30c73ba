/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, parents, and the depth-first order of the links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/printable.h"
#include "../text/table_names.h"
#include "draft.h"
#include "model.h"

/* Whether a type is one: that of a draft has not been checked yet, and then has no coordinates. */
static int is_type(const jn_joint *j) { return (unsigned)j->type < JN_JOINT_TYPES; }

int jn__joint_nq(const jn_joint *j) {
#define NQ(code, name, nq, nv) nq,
  static const int count[] = {JN_JOINT_LIST(NQ)};
#undef NQ
  return j->type == JN_GENERAL ? j->screw_count : is_type(j) ? count[j->type] : 0;
}

int jn__joint_nv(const jn_joint *j) {
#define NV(code, name, nq, nv) nv,
  static const int count[] = {JN_JOINT_LIST(NV)};
#undef NV
  return j->type == JN_GENERAL ? j->screw_count : is_type(j) ? count[j->type] : 0;
}

jn_place jn__link_place(const jn_draft *d, int link) {
  return (jn_place){d->b->file, d->b->links[link].line, d->b->links[link].column};
}

jn_place jn__joint_place(const jn_draft *d, int link) {
  return (jn_place){d->b->file, d->b->links[link].joint_line, d->b->links[link].joint_column};
}

const char *jn__subject(char out[JN_SUBJECT], const char *what, const char *name) {
  snprintf(out, JN_SUBJECT, "%s '%s'", what, name ? name : "");
  return out;
}

typedef struct named_place {
  const char *name;
  int index;
} named_place;

static int compare_named(const void *a, const void *b) {
  const named_place *x = a, *y = b;
  int c = strcmp(x->name, y->name);
  return c ? c : (x->index > y->index) - (x->index < y->index);
}

/* Sorts names into index[]; names[i] are in builder order. */
static void sort_names(named_place *scratch, int n, int *index) {
  qsort(scratch, (size_t)n, sizeof *scratch, compare_named);
  for (int i = 0; i < n; i++) index[i] = scratch[i].index;
}

int jn__draft_link(const jn_draft *d, const char *name) {
  if (!name) return JN_WORLD;
  int low = 0, high = d->n;
  while (low < high) {
    int middle = (low + high) / 2;
    int c = strcmp(d->b->links[d->by_name[middle]].link.name, name);
    if (c == 0) return d->by_name[middle];
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return strcmp(name, "world") == 0 ? JN_WORLD : JN_NONE;
}

/* A joint with this name of its own comes before one that takes it from its link. */
int jn__draft_joint(const jn_draft *d, const char *name) {
  int low = 0, high = d->n, found = JN_NONE;
  while (low < high) {
    int middle = (low + high) / 2;
    if (strcmp(d->joint_name[d->by_joint_name[middle]], name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < d->n && strcmp(d->joint_name[d->by_joint_name[low]], name) == 0; low++) {
    found = d->by_joint_name[low];
    if (d->link[found].joint.name) break;
  }
  return found;
}

/* Names go to terminals, tables and other files: none has characters that a terminal acts on. */
static void check_characters(jn_draft *d, jn_place place, const char *what, const char *name) {
  char subject[JN_SUBJECT];
  const char *at = name;
  int bytes = 1;
  while (*at && (bytes = jn__drawn(at)) > 0) at += bytes;
  if (!*at) return;
  jn__log(&d->log, JN_ERROR, JN_ERR_MODEL, "name-characters", place, jn__subject(subject, what, name),
          "rename it, with letters, digits and signs",
          "byte %d of its name begins a control character, a change of text direction, or no UTF-8",
          (int)(at - name) + 1);
}

/* Longer names would not fit in the buffers for names of coordinates. */
static void check_text(jn_draft *d, jn_place place, const char *what, const char *name) {
  char subject[JN_SUBJECT], cut[64];
  if (name) check_characters(d, place, what, name);
  if (!name || strlen(name) <= JN_NAME_MAX) return;
  snprintf(cut, sizeof cut, "%.40s...", name);
  jn__log(&d->log, JN_ERROR, JN_ERR_MODEL, "name-long", place, jn__subject(subject, what, cut), "choose a shorter name",
          "its name has %zu bytes; at most %d are allowed", strlen(name), (int)JN_NAME_MAX);
}

static void check_names(jn_draft *d, named_place *scratch) {
  for (int i = 0; i < d->n; i++) {
    const char *name = d->b->links[i].link.name;
    if (!name || !*name)
      jn__link_error(d, i, "name-missing", "give every link a name", "link number %d has no name", i);
    check_text(d, jn__link_place(d, i), "link", name);
    check_text(d, jn__joint_place(d, i), "joint", d->link[i].joint.name);
    scratch[i] = (named_place){name ? name : "", i};
  }
  sort_names(scratch, d->n, d->by_name);
  for (int i = 1; i < d->n; i++) {
    const char *name = scratch[i].name;
    if (*name && strcmp(name, scratch[i - 1].name) == 0)
      jn__link_error(d, scratch[i].index, "name-duplicate", "rename one of them",
                     "two links have this name; the first is on line %d", d->b->links[scratch[i - 1].index].line);
  }
}

/* Warns of joints whose columns a table cannot carry back: text/table_names.h. */
static void check_table_name(jn_draft *d, int i) {
  static const char remedy[] = "rename it, if its motion is to be written to a table";
  const char *name = d->joint_name[i], *fault = jn__table_name_fault(name);
  if (jn__joint_nv(&d->link[i].joint) == 0) return;
  if (fault) {
    jn__joint_message(d, JN_WARNING, i, "name-table", remedy, "a table (CSV, NPZ) cannot carry its name back: %s",
                      fault);
    return;
  }

  /* NAME_d1 and NAME.tau are columns of the joint NAME, if there is one */
  char stem[JN_NAME_MAX + 1];
  size_t length = jn__table_name_stem(name);
  if (length == 0 || length >= sizeof stem) return;
  memcpy(stem, name, length);
  stem[length] = 0;
  int other = jn__draft_joint(d, stem);
  if (other != JN_NONE && other != i && jn__joint_nv(&d->link[other].joint) > 0)
    jn__joint_message(d, JN_WARNING, i, "name-table", remedy,
                      "in a table (CSV, NPZ), its column has the name of one of joint '%s'", stem);
}

/* A joint without a name of its own gets the link's, unless another joint has that name. */
static void check_joint_names(jn_draft *d, named_place *scratch) {
  for (int i = 0; i < d->n; i++) scratch[i] = (named_place){d->joint_name[i], i};
  sort_names(scratch, d->n, d->by_joint_name);
  for (int i = 1; i < d->n; i++) {
    int one = scratch[i - 1].index, two = scratch[i].index;
    if (strcmp(scratch[i].name, scratch[i - 1].name) != 0) continue;
    if (!d->link[one].joint.name || !d->link[two].joint.name) continue;
    jn__joint_message(d, JN_ERROR, two, "name-duplicate", "rename one of them",
                      "two joints have this name; the first is on line %d", d->b->links[one].joint_line);
  }
  for (int i = 0; i < d->n; i++) check_table_name(d, i);
}

static void check_frame_names(jn_draft *d, named_place *scratch) {
  int n = d->b->frame_count;
  for (int i = 0; i < n; i++) scratch[i] = (named_place){d->b->frames[i].name, i};
  qsort(scratch, (size_t)n, sizeof *scratch, compare_named);
  for (int i = 0; i < n; i++) {
    const jn_frame_item *f = &d->b->frames[scratch[i].index];
    jn_place place = {d->b->file, f->line, f->column};
    char subject[JN_SUBJECT];
    jn__subject(subject, "frame", f->name);
    check_text(d, place, "frame", f->name);
    int taken = jn__draft_link(d, f->name) != JN_NONE || (i > 0 && strcmp(f->name, scratch[i - 1].name) == 0);
    if (!*f->name || taken)
      jn__log(&d->log, JN_ERROR, JN_ERR_MODEL, "name-duplicate", place, subject, "rename it",
              *f->name ? "a link or frame with this name exists" : "the frame has no name");
    if (jn__draft_link(d, f->link) == JN_NONE)
      jn__log(&d->log, JN_ERROR, JN_ERR_MODEL, "link-unknown", place, subject, "use the name of a link of the model",
              "it is fixed to '%s', which is not a link", f->link);
  }
}

static void check_loop_names(jn_draft *d, named_place *scratch) {
  int n = d->b->loop_count;
  for (int i = 0; i < n; i++) scratch[i] = (named_place){d->b->loops[i].loop.name ? d->b->loops[i].loop.name : "", i};
  qsort(scratch, (size_t)n, sizeof *scratch, compare_named);
  for (int i = 0; i < n; i++) {
    const jn_loop_item *l = &d->b->loops[scratch[i].index];
    check_text(d, (jn_place){jn__builder_loop_file(d->b, l), l->line, l->column}, "loop", l->loop.name);
  }
  for (int i = 1; i < n; i++) {
    const jn_loop_item *l = &d->b->loops[scratch[i].index];
    char subject[JN_SUBJECT];
    if (strcmp(scratch[i].name, scratch[i - 1].name) == 0)
      jn__log(&d->log, JN_ERROR, JN_ERR_MODEL, "name-duplicate",
              (jn_place){jn__builder_loop_file(d->b, l), l->line, l->column},
              jn__subject(subject, "loop", l->loop.name), "rename one of them", "two loops have this name");
  }
}

static void find_parents(jn_draft *d) {
  for (int i = 0; i <= d->n; i++) d->first[i] = -1;
  for (int i = d->n - 1; i >= 0; i--) { /* backwards, so that siblings come out in the order in which they were added */
    const char *name = d->b->links[i].link.parent;
    d->parent[i] = jn__draft_link(d, name);
    d->next[i] = -1;
    if (d->parent[i] == JN_NONE) {
      jn__joint_message(d, JN_ERROR, i, "parent-unknown", "name a link of the model, or \"world\"",
                        "the parent '%s' of link '%s' is not a link of the model", name, d->b->links[i].link.name);
      continue;
    }
    int *head = &d->first[d->parent[i] == JN_WORLD ? d->n : d->parent[i]];
    d->next[i] = *head;
    *head = i;
  }
}

/* Without recursion: a chain may be as long as memory allows. */
static void order_depth_first(jn_draft *d) {
  int count = 0, at = d->first[d->n];
  for (int i = 0; i < d->n; i++) d->rank[i] = -1;
  while (at >= 0) {
    d->order[count] = at;
    d->rank[at] = count++;
    if (d->first[at] >= 0) {
      at = d->first[at];
      continue;
    }
    while (at >= 0) {
      d->end[at] = count;
      if (d->next[at] >= 0) {
        at = d->next[at];
        break;
      }
      at = d->parent[at];
    }
  }
  d->reached = count;
}

/* Links that were not reached have an unknown parent (reported already) or form a cycle. */
static void report_cycles(jn_draft *d) {
  for (int i = 0; i < d->n; i++) {
    int at = i, mark = -2 - i; /* marks the links seen on the walk that starts at i */
    while (at >= 0 && d->rank[at] == -1) {
      d->rank[at] = mark;
      at = d->parent[at];
    }
    if (at < 0 || d->rank[at] != mark) continue;
    char text[400] = "";
    size_t used = 0;
    int start = at;
    do {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", d->b->links[at].link.name);
      at = d->parent[at];
    } while (at != start && used < sizeof text - 100);
    jn__joint_message(d, JN_ERROR, start, "cycle", "cut the loop: make one joint of it a loop joint",
                      "links are their own ancestors: %s%s%s", text, at == start ? "" : "... -> ",
                      d->b->links[start].link.name);
  }
}

static int joint_name_taken(const jn_draft *d, int self, const char *name) {
  for (int i = 0; i < d->n; i++)
    if (i != self && d->link[i].joint.name && strcmp(d->link[i].joint.name, name) == 0) return 1;
  return 0;
}

/* The coordinates of the new free joint are the pose of the link, so it cannot keep the placement of the fixed one. */
static void note_placement(jn_draft *d, int root) {
  jn_link plain;
  jn_link_init(&plain);
  if (memcmp(d->b->links[root].link.placement, plain.placement, sizeof plain.placement) == 0) return;
  jn__joint_message(d, JN_NOTE, root, "floating-placement", NULL,
                    "its coordinates are the pose of link '%s' in the world; where the link was fixed is not used",
                    d->b->links[root].link.name);
}

/* The option `floating` puts a free joint under the one root link that is fixed to the world. */
static void apply_floating(jn_draft *d) {
  int root = d->first[d->n];
  d->floated = JN_NONE;
  if (!d->b->options.floating || root < 0) return;
  jn_joint *j = &d->link[root].joint;
  if (d->next[root] >= 0) {
    jn__link_error(d, d->next[root], "floating", "attach the roots to one link, or load without floating",
                   "a floating base needs one root link, but '%s' and '%s' are both attached to the world",
                   d->b->links[root].link.name, d->b->links[d->next[root]].link.name);
  } else if (j->type == JN_FIXED) {
    jn_link plain;
    jn_link_init(&plain);
    *j = plain.joint; /* what the fixed joint says about limits, losses and springs has no meaning */
    j->type = JN_FREE;
    snprintf(d->base_name, sizeof d->base_name, "base");
    while (joint_name_taken(d, root, d->base_name) && strlen(d->base_name) + 1 < sizeof d->base_name)
      strcat(d->base_name, "_");
    j->name = d->base_name;
    d->joint_name[root] = d->base_name;
    d->floated = root;
    note_placement(d, root);
  } else if (j->type != JN_FREE) {
    jn__joint_message(d, JN_ERROR, root, "floating", "add a base link that is fixed to the world and carries this one",
                      "a floating base needs a root link fixed to the world, but this joint is %s",
                      jn_joint_type_name(j->type));
  }
}

jn_status jn__check_structure(jn_draft *d) {
  int most = d->n > d->b->frame_count ? d->n : d->b->frame_count;
  if (d->b->loop_count > most) most = d->b->loop_count;
  named_place *scratch = jn__allocate(&d->a, ((size_t)most + 1) * sizeof *scratch);
  if (!scratch) return JN_ERR_MEMORY;
  check_names(d, scratch);
  if (d->n == 0)
    jn__log(&d->log, JN_ERROR, JN_ERR_MODEL, "empty", (jn_place){d->b->file, 0, 0}, NULL, "add a link",
            "the model has no links");
  find_parents(d);
  order_depth_first(d);
  apply_floating(d);
  check_joint_names(d, scratch);
  check_frame_names(d, scratch);
  check_loop_names(d, scratch);
  report_cycles(d);
  jn__release(&d->a, scratch);
  return JN_OK;
}
