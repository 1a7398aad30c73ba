/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads URDF: matches the links and joints that urdf_xml.c collected, checks that they form one tree, and gives them to
 * the builder in the document order of the joints. Names are looked up in a sorted index; nothing here recurses. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/draft.h"
#include "../text/nearest_name.h"
#include "urdf.h"

#define XACRO_CALLS "expand the macro calls that are left in the file first: xacro FILE > robot.urdf"

/* ---- Messages ---- */

void jn__urdf_log(jn_urdf *u, jn_severity severity, jn_status status, const char *rule, int line, int column,
                  const char *subject, const char *remedy, const char *format, ...) {
  jn_log *log = &u->builder->log;
  jn_place place = {u->builder->file, line, column};
  /* The first error is always reported, whatever came before. */
  if (u->message_count >= JN_URDF_MESSAGES && (severity != JN_ERROR || log->first.status != JN_OK)) {
    if (u->message_count++ == JN_URDF_MESSAGES) {
      jn__log(log, JN_NOTE, JN_OK, "urdf-many", place, NULL, NULL, "further messages on this file are left out");
    }
    return;
  }
  char text[640];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  u->message_count++;
  jn__log(log, severity, status, rule, place, subject, remedy, "%s", text);
}

typedef struct subject_text {
  char text[96];
} subject_text;

static const char *subject_of(subject_text *s, const char *what, const char *name) {
  snprintf(s->text, sizeof s->text, "%s '%.*s'", what, JN_CLIP(name));
  return s->text;
}

/* Macro calls that xacro left behind are the likely reason when something is missing. */
static const char *remedy_or_xacro(const jn_urdf *u, const char *remedy) {
  return u->xacro_count ? XACRO_CALLS : remedy;
}

/* ---- Index of names ---- */

static int compare_entries(const void *a, const void *b) {
  const jn_urdf_entry *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

int jn__urdf_find(const jn_urdf_index *index, const char *name) {
  int low = 0, high = index->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (strcmp(index->entries[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < index->count && strcmp(index->entries[low].name, name) == 0 ? index->entries[low].index : -1;
}

static void add_entry(jn_urdf_index *index, const char *name, int i, int line, int column) {
  if (name) index->entries[index->count++] = (jn_urdf_entry){name, i, line, column};
}

static jn_status index_names(const jn_urdf *u, jn_urdf_index *links, jn_urdf_index *joints) {
  const jn_allocator *a = &u->builder->allocator;
  links->entries = jn__allocate(a, (size_t)u->link_count * sizeof *links->entries);
  joints->entries = jn__allocate(a, (size_t)u->joint_count * sizeof *joints->entries);
  if (!links->entries || !joints->entries) return JN_ERR_MEMORY;
  for (int i = 0; i < u->link_count; i++) {
    add_entry(links, u->links[i].name, i, u->links[i].line, u->links[i].column);
  }
  for (int i = 0; i < u->joint_count; i++) {
    add_entry(joints, u->joints[i].name, i, u->joints[i].line, u->joints[i].column);
  }
  qsort(links->entries, (size_t)links->count, sizeof *links->entries, compare_entries);
  qsort(joints->entries, (size_t)joints->count, sizeof *joints->entries, compare_entries);
  return JN_OK;
}

/* ---- Checks of the tree; each returns the number of faults ---- */

/* what: "link" or "joint" */
static int check_names(jn_urdf *u, const jn_urdf_index *index, const char *what) {
  int faults = 0;
  for (int k = 1; k < index->count; k++) {
    const jn_urdf_entry *one = &index->entries[k], *before = one - 1;
    if (strcmp(one->name, before->name) != 0) continue;
    subject_text subject;
    faults++;
    jn__urdf_log(u, JN_ERROR, JN_ERR_MODEL, "urdf-name", one->line, one->column, subject_of(&subject, what, one->name),
                 "rename one of them", "there is another %s of this name on line %d", what, before->line);
  }
  return faults;
}

static const char *link_name_at(const void *urdf, int i) { return ((const jn_urdf *)urdf)->links[i].name; }

/* A joint names a link that does not exist: suggest one with a similar name. */
static void report_unknown_link(jn_urdf *u, const jn_urdf_joint *joint, int is_parent) {
  const char *name = is_parent ? joint->parent : joint->child;
  char remedy[128] = "add the link, or correct the name";
  int count = u->message_count < JN_URDF_MESSAGES ? u->link_count : 0;
  int found = jn__did_you_mean(name, count, link_name_at, u, remedy, sizeof remedy);
  subject_text subject;
  jn__urdf_log(u, JN_ERROR, JN_ERR_MODEL, "urdf-link", is_parent ? joint->parent_line : joint->child_line,
               is_parent ? joint->parent_column : joint->child_column,
               subject_of(&subject, "joint", joint->name ? joint->name : ""),
               found ? remedy : remedy_or_xacro(u, remedy), "its %s link '%.*s' is not in the file",
               is_parent ? "parent" : "child", JN_CLIP(name));
}

/* Finds parent and child of every joint. */
static int match_joints(jn_urdf *u, const jn_urdf_index *links) {
  int faults = 0;
  for (int j = 0; j < u->joint_count; j++) {
    jn_urdf_joint *joint = &u->joints[j];
    joint->parent_link = joint->parent ? jn__urdf_find(links, joint->parent) : -1;
    joint->child_link = joint->child ? jn__urdf_find(links, joint->child) : -1;
    if (joint->parent && joint->parent_link < 0) {
      report_unknown_link(u, joint, 1);
      faults++;
    }
    if (joint->child && joint->child_link < 0) {
      report_unknown_link(u, joint, 0);
      faults++;
    }
    if (joint->child_link < 0) continue;
    jn_urdf_link *child = &u->links[joint->child_link];
    if (child->joint < 0) {
      child->joint = j;
      continue;
    }
    const jn_urdf_joint *first = &u->joints[child->joint];
    const char *first_name = first->name ? first->name : "", *name = joint->name ? joint->name : "";
    subject_text subject;
    faults++;
    jn__urdf_log(u, JN_ERROR, JN_ERR_MODEL, "urdf-child", joint->line, joint->column,
                 subject_of(&subject, "joint", name),
                 "a link can be the child of only one joint; close loops with <constraint>",
                 "its child link '%.*s' is already the child of joint '%.*s' on line %d", JN_CLIP(child->name),
                 JN_CLIP(first_name), first->line);
  }
  return faults;
}

/* The parent link of link i, or -1. */
static int parent_of(const jn_urdf *u, int i) {
  return u->links[i].joint < 0 ? -1 : u->joints[u->links[i].joint].parent_link;
}

static void report_cycle(jn_urdf *u, int start) {
  char names[400];
  size_t used = 0;
  int count = 0, i = start;
  names[0] = 0;
  do {
    if (count++ < 5) {
      const char *name = u->links[i].name;
      used += (size_t)snprintf(names + used, sizeof names - used, "'%.*s' on ", JN_CLIP(name));
    } else if (count == 7) {
      used += (size_t)snprintf(names + used, sizeof names - used, "... on ");
    }
    i = parent_of(u, i);
  } while (i != start);
  subject_text subject;
  jn__urdf_log(u, JN_ERROR, JN_ERR_MODEL, "urdf-cycle", u->links[start].line, u->links[start].column,
               subject_of(&subject, "link", u->links[start].name),
               "attach one of these links to a link outside the circle, or make it the root",
               "%d %s in a circle: %s'%.*s'", count, count == 1 ? "link hangs" : "links hang", names,
               JN_CLIP(u->links[start].name));
}

/* Follows every link up to the root or to a link that was seen; meeting the current path again is a cycle. */
static int check_cycles(jn_urdf *u, int *trail) {
  int faults = 0;
  for (int i = 0; i < u->link_count; i++) {
    int at = i;
    while (at >= 0 && trail[at] == 0) {
      trail[at] = i + 1;
      at = parent_of(u, at);
    }
    if (at >= 0 && trail[at] == i + 1) {
      report_cycle(u, at);
      faults++;
    }
  }
  return faults;
}

/* Exactly one link is not the child of a joint; its index, or -1 after a message. */
static int find_root(jn_urdf *u) {
  char names[400];
  size_t used = 0;
  int count = 0, root = -1, second = -1;
  names[0] = 0;
  for (int i = 0; i < u->link_count; i++) {
    if (u->links[i].joint >= 0) continue;
    if (count < 5) {
      used +=
          (size_t)snprintf(names + used, sizeof names - used, "%s'%.*s'", count ? ", " : "", JN_CLIP(u->links[i].name));
    } else if (count == 5) {
      used += (size_t)snprintf(names + used, sizeof names - used, ", ...");
    }
    if (count == 0) root = i;
    if (count == 1) second = i;
    count++;
  }
  if (count == 1) return root;
  if (count == 0) return -1; /* then there is a cycle, which is reported */
  subject_text subject;
  jn__urdf_log(u, JN_ERROR, JN_ERR_MODEL, "urdf-roots", u->links[second].line, u->links[second].column,
               subject_of(&subject, "link", u->links[second].name),
               remedy_or_xacro(u, "attach all but one by a joint (type fixed if they do not move)"),
               "%d links are not the child of a joint, but there can be only one root: %s", count, names);
  return -1;
}

/* Macro calls do not matter if the tree is complete, but are the only hint if nothing is there. */
static int check_content(jn_urdf *u) {
  if (u->link_count == 0 && u->xacro_count) {
    jn__urdf_log(u, JN_ERROR, JN_ERR_SYNTAX, "urdf-xacro", u->xacro_line, u->xacro_column, NULL,
                 "expand it first: xacro FILE > robot.urdf",
                 "this is a xacro source, not a URDF file: it has %s, but no links", u->xacro_name);
    return 1;
  }
  if (u->link_count == 0) {
    jn__urdf_log(u, JN_ERROR, JN_ERR_MODEL, "urdf-empty", 0, 0, NULL, "add <link name=\"...\"/> inside <robot>",
                 "the robot has no links");
    return 1;
  }
  if (u->xacro_count) {
    jn__urdf_log(u, JN_WARNING, JN_ERR_SYNTAX, "urdf-xacro", u->xacro_line, u->xacro_column, NULL,
                 "expand the file with xacro if something is missing",
                 "%d unexpanded xacro element%s skipped, the first is %s", u->xacro_count,
                 u->xacro_count == 1 ? " is" : "s are", u->xacro_name);
  }
  return 0;
}

static jn_status no_memory(jn_urdf *u) {
  jn__urdf_log(u, JN_ERROR, JN_ERR_MEMORY, "memory", 0, 0, NULL, NULL, "no memory left while reading");
  return JN_ERR_MEMORY;
}

/* Checks the tree and finds its root, -1 after an error. Consequences of an error are not reported in addition. */
static jn_status check_tree(jn_urdf *u, int *root) {
  const jn_allocator *a = &u->builder->allocator;
  jn_urdf_index *links = &u->link_names, *joints = &u->joint_names;
  int *trail = NULL;
  jn_status status = JN_OK;
  if (check_content(u)) return JN_OK;
  if (index_names(u, links, joints) != JN_OK || !(trail = jn__allocate(a, (size_t)u->link_count * sizeof *trail))) {
    status = no_memory(u);
  } else {
    int faults = check_names(u, links, "link") + check_names(u, joints, "joint") + match_joints(u, links);
    if (faults == 0 && !u->incomplete) {
      faults = check_cycles(u, trail);
      *root = find_root(u);
      if (faults) *root = -1;
    }
  }
  jn__release(a, trail);
  return status;
}

/* Links that have a shape but no mass. Freezing reports those that a joint moves; here are the others. */
static void note_missing_inertia(jn_urdf *u) {
  for (int i = 0; i < u->link_count; i++) {
    const jn_urdf_link *link = &u->links[i];
    if (!link->has_geometry || link->has_inertial) continue;
    if (link->joint < 0 ? u->builder->options.floating : u->joints[link->joint].type != JN_FIXED) continue;
    subject_text subject;
    jn__urdf_log(u, JN_NOTE, JN_OK, "no-inertial", link->line, link->column, subject_of(&subject, "link", link->name),
                 "add <inertial> if it has mass that is not part of another link",
                 "it has <visual> or <collision> but no <inertial>: it is taken as massless");
  }
}

/* ---- To the builder ---- */

static jn_status add_link(jn_urdf *u, const jn_urdf_link *from, const jn_urdf_joint *joint) {
  jn_link link;
  jn_link_init(&link);
  link.name = from->name;
  memcpy(link.inertia, from->inertia, sizeof link.inertia);
  if (joint) {
    const jn_urdf_link *parent = &u->links[joint->parent_link];
    link.parent = parent->is_world ? NULL : parent->name;
    memcpy(link.placement, joint->placement, sizeof link.placement);
    link.joint.type = joint->type;
    link.joint.name = joint->name;
    memcpy(link.joint.axis, joint->axis, sizeof link.joint.axis);
    link.joint.mimic = joint->mimic;
    link.joint.mimic_ratio = joint->mimic_ratio;
    link.joint.mimic_offset = joint->mimic_offset;
    for (int k = 0; k < jn__joint_nv(&link.joint); k++) link.joint.dof[k] = joint->dof;
  }
  jn_status status = jn_builder_add_link(u->builder, &link);
  if (status != JN_OK) return no_memory(u);
  jn__builder_place_link(u->builder, from->line, from->column, joint ? joint->line : 0, joint ? joint->column : 0);
  return JN_OK;
}

static jn_status add_links(jn_urdf *u, int root) {
  const jn_urdf_link *first = &u->links[root];
  if (jn__builder_reserve(u->builder, u->joint_count + 1) != JN_OK) return no_memory(u);
  jn_status status = first->is_world ? JN_OK : add_link(u, first, NULL);
  for (int j = 0; j < u->joint_count && status == JN_OK; j++) {
    status = add_link(u, &u->links[u->joints[j].child_link], &u->joints[j]);
  }
  return status;
}

void jn__urdf_release(jn_urdf *u) {
  const jn_allocator *a = &u->builder->allocator;
  for (int i = 0; i < u->link_count; i++) {
    jn__release(a, u->links[i].name);
    jn__release(a, u->links[i].places);
  }
  for (int i = 0; i < u->joint_count; i++) {
    jn__release(a, u->joints[i].name);
    jn__release(a, u->joints[i].parent);
    jn__release(a, u->joints[i].child);
    jn__release(a, u->joints[i].mimic);
    jn__release(a, u->joints[i].places);
  }
  for (int i = 0; i < u->constraint_count; i++) {
    const jn_loop *loop = &u->constraints[i].loop;
    const char *const texts[] = {loop->name, loop->link_a, loop->link_b};
    for (int k = 0; k < 3; k++) jn__release(a, (void *)(uintptr_t)texts[k]);
    for (int k = 0; k < loop->term_count; k++) jn__release(a, (void *)(uintptr_t)loop->term[k].joint);
    jn__release(a, u->constraints[i].places);
  }
  for (int i = 0; i < u->motor_count; i++) {
    jn__release(a, u->motors[i].name);
    jn__release(a, u->motors[i].joint);
  }
  jn__release(a, u->links);
  jn__release(a, u->joints);
  jn__release(a, u->constraints);
  jn__release(a, u->motors);
  jn__release(a, u->link_names.entries);
  jn__release(a, u->joint_names.entries);
}

jn_status jn__urdf_collect(jn_urdf *u, const char *text, size_t length, int *root) {
  *root = -1;
  jn_status status = jn__urdf_parse(u, text, length);
  if (status == JN_OK) status = check_tree(u, root);
  if (status != JN_OK || *root < 0) return status;
  /* Only a bare root stands for the world. */
  for (int i = 0; i < u->link_count; i++) u->links[i].is_world &= i == *root && !u->links[i].has_inertial;
  jn__urdf_add_motors(u);
  return JN_OK;
}

jn_status jn__urdf_read(jn_builder *b, const char *text, size_t length) {
  jn_urdf u = {.builder = b};
  int root;
  jn_status status = jn__urdf_collect(&u, text, length, &root);
  /* A tree with wrong values is still passed to the builder: freezing may find more errors in it. */
  if (status == JN_OK && root >= 0) {
    note_missing_inertia(&u);
    status = add_links(&u, root);
    if (status == JN_OK && jn__urdf_add_constraints(&u) != JN_OK) status = no_memory(&u);
  }
  jn__urdf_release(&u);
  return status;
}
