/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of a draft: names are given once and can be written, parents exist, links are ordered depth first, and
 * no link is its own ancestor. The option `floating` puts a free joint under the root. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/printable.h"
#include "../text/table_names.h"
#include "draft.h"
#include "model.h"

/* Whether a type is one: that of a draft has not been checked yet, and then has no coordinates. */
static int is_type(const jn_joint *joint) { return (unsigned)joint->type < JN_JOINT_TYPES; }

int jn__joint_nq(const jn_joint *joint) {
#define NQ(code, name, nq, nv) nq,
  static const int count[] = {JN_JOINT_LIST(NQ)};
#undef NQ
  return joint->type == JN_GENERAL ? joint->screw_count : is_type(joint) ? count[joint->type] : 0;
}

int jn__joint_nv(const jn_joint *joint) {
#define NV(code, name, nq, nv) nv,
  static const int count[] = {JN_JOINT_LIST(NV)};
#undef NV
  return joint->type == JN_GENERAL ? joint->screw_count : is_type(joint) ? count[joint->type] : 0;
}

jn_place jn__link_place(const jn_draft *draft, int link) {
  return (jn_place){draft->b->file, draft->b->links[link].line, draft->b->links[link].column};
}

jn_place jn__joint_place(const jn_draft *draft, int link) {
  return (jn_place){draft->b->file, draft->b->links[link].joint_line, draft->b->links[link].joint_column};
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

/* The link with this name, JN_WORLD, or JN_NONE: by bisection. */
int jn__draft_link(const jn_draft *draft, const char *name) {
  if (!name) return JN_WORLD;
  int low = 0, high = draft->n;
  while (low < high) {
    int middle = (low + high) / 2;
    int c = strcmp(draft->b->links[draft->by_name[middle]].link.name, name);
    if (c == 0) return draft->by_name[middle];
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return strcmp(name, "world") == 0 ? JN_WORLD : JN_NONE;
}

/* A joint with this name of its own comes before one that takes it from its link. */
int jn__draft_joint(const jn_draft *draft, const char *name) {
  int low = 0, high = draft->n, found = JN_NONE;
  while (low < high) {
    int middle = (low + high) / 2;
    if (strcmp(draft->joint_name[draft->by_joint_name[middle]], name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < draft->n && strcmp(draft->joint_name[draft->by_joint_name[low]], name) == 0; low++) {
    found = draft->by_joint_name[low];
    if (draft->link[found].joint.name) break;
  }
  return found;
}

/* Names go to terminals, tables and other files: none has characters that a terminal acts on. */
static void check_characters(jn_draft *draft, jn_place place, const char *what, const char *name) {
  char subject[JN_SUBJECT];
  const char *at = name;
  int bytes = 1;
  while (*at && (bytes = jn__drawn(at)) > 0) at += bytes;
  if (!*at) return;
  jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "name-characters", place, jn__subject(subject, what, name),
          "rename it, with letters, digits and signs",
          "byte %d of its name begins a control character, a change of text direction, or no UTF-8",
          (int)(at - name) + 1);
}

/* Longer names would not fit in the buffers for names of coordinates. */
static void check_text(jn_draft *draft, jn_place place, const char *what, const char *name) {
  char subject[JN_SUBJECT], cut[64];
  if (name) check_characters(draft, place, what, name);
  if (!name || strlen(name) <= JN_NAME_MAX) return;
  snprintf(cut, sizeof cut, "%.40s...", name);
  jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "name-long", place, jn__subject(subject, what, cut),
          "choose a shorter name", "its name has %zu bytes; at most %d are allowed", strlen(name), (int)JN_NAME_MAX);
}

/* Every link has a name, and no two the same. */
static void check_names(jn_draft *draft, named_place *scratch) {
  for (int i = 0; i < draft->n; i++) {
    const char *name = draft->b->links[i].link.name;
    if (!name || !*name)
      jn__link_error(draft, i, "name-missing", "give every link a name", "link number %d has no name", i);
    check_text(draft, jn__link_place(draft, i), "link", name);
    check_text(draft, jn__joint_place(draft, i), "joint", draft->link[i].joint.name);
    scratch[i] = (named_place){name ? name : "", i};
  }
  sort_names(scratch, draft->n, draft->by_name);
  for (int i = 1; i < draft->n; i++) {
    const char *name = scratch[i].name;
    if (*name && strcmp(name, scratch[i - 1].name) == 0)
      jn__link_error(draft, scratch[i].index, "name-duplicate", "rename one of them",
                     "two links have this name; the first is on line %d", draft->b->links[scratch[i - 1].index].line);
  }
}

/* Warns of joints whose columns a table cannot carry back: text/table_names.h. */
static void check_table_name(jn_draft *draft, int i) {
  static const char remedy[] = "rename it, if its motion is to be written to a table";
  const char *name = draft->joint_name[i], *fault = jn__table_name_fault(name);
  if (jn__joint_nv(&draft->link[i].joint) == 0) return;
  if (fault) {
    jn__joint_message(draft, JN_WARNING, i, "name-table", remedy, "a table (CSV, NPZ) cannot carry its name back: %s",
                      fault);
    return;
  }

  /* NAME_d1 and NAME.tau are columns of the joint NAME, if there is one */
  char stem[JN_NAME_MAX + 1];
  size_t length = jn__table_name_stem(name);
  if (length == 0 || length >= sizeof stem) return;
  memcpy(stem, name, length);
  stem[length] = 0;
  int other = jn__draft_joint(draft, stem);
  if (other != JN_NONE && other != i && jn__joint_nv(&draft->link[other].joint) > 0)
    jn__joint_message(draft, JN_WARNING, i, "name-table", remedy,
                      "in a table (CSV, NPZ), its column has the name of one of joint '%s'", stem);
}

/* A joint without a name of its own gets the link's, unless another joint has that name. */
static void check_joint_names(jn_draft *draft, named_place *scratch) {
  for (int i = 0; i < draft->n; i++) scratch[i] = (named_place){draft->joint_name[i], i};
  sort_names(scratch, draft->n, draft->by_joint_name);
  for (int i = 1; i < draft->n; i++) {
    int one = scratch[i - 1].index, two = scratch[i].index;
    if (strcmp(scratch[i].name, scratch[i - 1].name) != 0) continue;
    if (!draft->link[one].joint.name || !draft->link[two].joint.name) continue;
    jn__joint_message(draft, JN_ERROR, two, "name-duplicate", "rename one of them",
                      "two joints have this name; the first is on line %d", draft->b->links[one].joint_line);
  }
  for (int i = 0; i < draft->n; i++) check_table_name(draft, i);
}

/* Names of frames differ from each other and from those of links; their links exist. */
static void check_frame_names(jn_draft *draft, named_place *scratch) {
  int n = draft->b->frame_count;
  for (int i = 0; i < n; i++) scratch[i] = (named_place){draft->b->frames[i].name, i};
  qsort(scratch, (size_t)n, sizeof *scratch, compare_named);
  for (int i = 0; i < n; i++) {
    const jn_frame_item *frame = &draft->b->frames[scratch[i].index];
    jn_place place = {draft->b->file, frame->line, frame->column};
    char subject[JN_SUBJECT];
    jn__subject(subject, "frame", frame->name);
    check_text(draft, place, "frame", frame->name);
    int taken =
        jn__draft_link(draft, frame->name) != JN_NONE || (i > 0 && strcmp(frame->name, scratch[i - 1].name) == 0);
    if (!*frame->name || taken)
      jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "name-duplicate", place, subject, "rename it",
              *frame->name ? "a link or frame with this name exists" : "the frame has no name");
    if (jn__draft_link(draft, frame->link) == JN_NONE)
      jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "link-unknown", place, subject,
              "use the name of a link of the model", "it is fixed to '%s', which is not a link", frame->link);
  }
}

/* No two loops have the same name. */
static void check_loop_names(jn_draft *draft, named_place *scratch) {
  int n = draft->b->loop_count;
  for (int i = 0; i < n; i++)
    scratch[i] = (named_place){draft->b->loops[i].loop.name ? draft->b->loops[i].loop.name : "", i};
  qsort(scratch, (size_t)n, sizeof *scratch, compare_named);
  for (int i = 0; i < n; i++) {
    const jn_loop_item *item = &draft->b->loops[scratch[i].index];
    check_text(draft, (jn_place){jn__builder_loop_file(draft->b, item), item->line, item->column}, "loop",
               item->loop.name);
  }
  for (int i = 1; i < n; i++) {
    const jn_loop_item *item = &draft->b->loops[scratch[i].index];
    char subject[JN_SUBJECT];
    if (strcmp(scratch[i].name, scratch[i - 1].name) == 0)
      jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "name-duplicate",
              (jn_place){jn__builder_loop_file(draft->b, item), item->line, item->column},
              jn__subject(subject, "loop", item->loop.name), "rename one of them", "two loops have this name");
  }
}

/* Parents by name, and the lists of children: first, then next. Backwards, so that siblings come out in the order in
 * which they were added. */
static void find_parents(jn_draft *draft) {
  for (int i = 0; i <= draft->n; i++) draft->first[i] = -1;
  for (int i = draft->n - 1; i >= 0; i--) {
    const char *name = draft->b->links[i].link.parent;
    draft->parent[i] = jn__draft_link(draft, name);
    draft->next[i] = -1;
    if (draft->parent[i] == JN_NONE) {
      jn__joint_message(draft, JN_ERROR, i, "parent-unknown", "name a link of the model, or \"world\"",
                        "the parent '%s' of link '%s' is not a link of the model", name, draft->b->links[i].link.name);
      continue;
    }
    int *head = &draft->first[draft->parent[i] == JN_WORLD ? draft->n : draft->parent[i]];
    draft->next[i] = *head;
    *head = i;
  }
}

/* Numbers the links depth first, each subtree without a gap. Without recursion: a chain may be as long as memory
 * allows. */
static void order_depth_first(jn_draft *draft) {
  int count = 0, at = draft->first[draft->n];
  for (int i = 0; i < draft->n; i++) draft->rank[i] = -1;
  while (at >= 0) {
    draft->order[count] = at;
    draft->rank[at] = count++;

    /* To the first child, if there is one. */
    if (draft->first[at] >= 0) {
      at = draft->first[at];
      continue;
    }

    /* Otherwise back to the nearest ancestor that has another child; subtrees end here. */
    while (at >= 0) {
      draft->end[at] = count;
      if (draft->next[at] >= 0) {
        at = draft->next[at];
        break;
      }
      at = draft->parent[at];
    }
  }
  draft->reached = count;
}

/* Links that were not reached have an unknown parent, which is reported already, or form a cycle. */
static void report_cycles(jn_draft *draft) {
  for (int i = 0; i < draft->n; i++) {
    int at = i, mark = -2 - i; /* marks the links seen on the walk that starts at i */
    while (at >= 0 && draft->rank[at] == -1) {
      draft->rank[at] = mark;
      at = draft->parent[at];
    }
    if (at < 0 || draft->rank[at] != mark) continue;

    /* The names around the cycle. */
    char text[400] = "";
    size_t used = 0;
    int start = at;
    do {
      used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", draft->b->links[at].link.name);
      at = draft->parent[at];
    } while (at != start && used < sizeof text - 100);
    jn__joint_message(draft, JN_ERROR, start, "cycle", "cut the loop: make one joint of it a loop joint",
                      "links are their own ancestors: %s%s%s", text, at == start ? "" : "... -> ",
                      draft->b->links[start].link.name);
  }
}

/* Whether another joint has this name. */
static int joint_name_taken(const jn_draft *draft, int self, const char *name) {
  for (int i = 0; i < draft->n; i++)
    if (i != self && draft->link[i].joint.name && strcmp(draft->link[i].joint.name, name) == 0) return 1;
  return 0;
}

/* The coordinates of the new free joint are the pose of the link, so it cannot keep the placement of the fixed one. */
static void note_placement(jn_draft *draft, int root) {
  jn_link plain;
  jn_link_init(&plain);
  if (memcmp(draft->b->links[root].link.placement, plain.placement, sizeof plain.placement) == 0) return;
  jn__joint_message(draft, JN_NOTE, root, "floating-placement", NULL,
                    "its coordinates are the pose of link '%s' in the world; where the link was fixed is not used",
                    draft->b->links[root].link.name);
}

/* The option `floating` puts a free joint under the one root link that is fixed to the world. */
static void apply_floating(jn_draft *draft) {
  int root = draft->first[draft->n];
  draft->floated = JN_NONE;
  if (!draft->b->options.floating || root < 0) return;
  jn_joint *joint = &draft->link[root].joint;
  if (draft->next[root] >= 0) {
    jn__link_error(draft, draft->next[root], "floating", "attach the roots to one link, or load without floating",
                   "a floating base needs one root link, but '%s' and '%s' are both attached to the world",
                   draft->b->links[root].link.name, draft->b->links[draft->next[root]].link.name);
  } else if (joint->type == JN_FIXED) {
    jn_link plain;
    jn_link_init(&plain);
    *joint = plain.joint; /* what the fixed joint says about limits, losses and springs has no meaning */
    joint->type = JN_FREE;
    snprintf(draft->base_name, sizeof draft->base_name, "base");
    while (joint_name_taken(draft, root, draft->base_name) && strlen(draft->base_name) + 1 < sizeof draft->base_name)
      strcat(draft->base_name, "_");
    joint->name = draft->base_name;
    draft->joint_name[root] = draft->base_name;
    draft->floated = root;
    note_placement(draft, root);
  } else if (joint->type != JN_FREE) {
    jn__joint_message(
        draft, JN_ERROR, root, "floating", "add a base link that is fixed to the world and carries this one",
        "a floating base needs a root link fixed to the world, but this joint is %s", jn_joint_type_name(joint->type));
  }
}

/* All of these checks; errors go to the log of the draft. */
jn_status jn__check_structure(jn_draft *draft) {
  int most = draft->n > draft->b->frame_count ? draft->n : draft->b->frame_count;
  if (draft->b->loop_count > most) most = draft->b->loop_count;
  named_place *scratch = jn__allocate(&draft->a, ((size_t)most + 1) * sizeof *scratch);
  if (!scratch) return JN_ERR_MEMORY;
  check_names(draft, scratch);
  if (draft->n == 0)
    jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "empty", (jn_place){draft->b->file, 0, 0}, NULL, "add a link",
            "the model has no links");
  find_parents(draft);
  order_depth_first(draft);
  apply_floating(draft);
  check_joint_names(draft, scratch);
  check_frame_names(draft, scratch);
  check_loop_names(draft, scratch);
  report_cycles(draft);
  jn__release(&draft->a, scratch);
  return JN_OK;
}
