/* SPDX-License-Identifier: BSD-2-Clause */
/* One robot attached to a frame of another: links, frames and loops of the second go to the builder of the first. */
#include <stdio.h>
#include <string.h>

#include "edit.h"

enum { ROOM = 2 * JN_NAME_MAX + 2, CLASHES_LISTED = 8 };

typedef struct joining {
  jn_edit *e;
  const jn_model *other;
  const char *prefix;
  int link;    /* of the model, that carries the frame; or JN_WORLD */
  pose base;   /* where the world of `other` comes in that link */
  int clashes; /* names that both have, and the first of them: */
  char list[600];
} joining;

static const char *prefixed(const joining *j, const char *name, char out[ROOM]) {
  if (!name) return NULL;
  snprintf(out, ROOM, "%s%s", j->prefix, name);
  return out;
}

/* Name of a link of `other` in the new model, or of what takes the place of its world. */
static const char *link_name(const joining *j, int link, char out[ROOM]) {
  return link >= 0 ? prefixed(j, j->other->link[link].name, out) : jn_link_name(j->e->model, j->link);
}

/* A placement in link i of `other`, in the new model. */
static void placed(const joining *j, int link, const double given[16], double out[16]) {
  if (link >= 0)
    memcpy(out, given, 16 * sizeof *out);
  else
    se3_store(se3_mul(j->base, jn__placement_pose(given)), out);
}

/* ---- names ---- */

static void clash(joining *j, const char *what, const char *name) {
  size_t used = strlen(j->list);
  if (j->clashes++ < CLASHES_LISTED)
    snprintf(j->list + used, sizeof j->list - used, "%s%s '%.48s'", used ? ", " : "", what, name);
}

/* Does the model say "world" where it has no link of that name? */
static int refers_to_world(const jn_model *model) {
  for (int i = 0; i < model->nnamed; i++)
    if (model->named[i].link == JN_WORLD) return 1;
  for (int i = 0; i < model->nloop; i++) {
    const jn_loop *loop = &model->loop[i];
    if (loop->type == JN_LOOP_COUPLING) continue;
    if ((loop->link_a && jn_link_index(model, loop->link_a) == JN_WORLD) ||
        (loop->link_b && jn_link_index(model, loop->link_b) == JN_WORLD))
      return 1;
  }
  return 0;
}

static void find_clashes(joining *j) {
  const jn_model *model = j->e->model, *o = j->other;
  char name[ROOM];
  for (int i = 0; i < o->nlink + o->nnamed; i++) {
    int taken = jn_frame_index(model, prefixed(j, jn_frame_name(o, i), name));
    if (taken >= 0 || (taken == JN_WORLD && refers_to_world(model))) clash(j, i < o->nlink ? "link" : "frame", name);
  }
  for (int i = 0; i < o->nlink; i++)
    if (jn_joint_index(model, prefixed(j, jn_joint_name(o, i), name)) != JN_NONE) clash(j, "joint", name);
  for (int i = 0; i < o->nloop; i++)
    if (jn_loop_index(model, prefixed(j, o->loop[i].name, name)) != JN_NONE) clash(j, "loop", name);
  if (j->clashes == 0) return;
  char more[48] = "";
  if (j->clashes > CLASHES_LISTED) snprintf(more, sizeof more, " and %d more", j->clashes - CLASHES_LISTED);
  jn__edit_say(j->e, JN_ERROR, JN_ERR_MODEL, "attach-name", "robot", o->name,
               *j->prefix ? "give another prefix" : "give a prefix for the names of the robot that is attached",
               "both robots have the names: %s%s", j->list, more);
}

/* ---- what is said aloud ---- */

/* Another direction, or more than 2 % more or less: 9.81 is no other gravity than 9.80665. */
static int is_other_gravity(const double a[3], const double b[3]) {
  double apart = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    apart += (a[k] - b[k]) * (a[k] - b[k]);
    size += a[k] * a[k] + b[k] * b[k];
  }
  return apart > 2e-4 * size;
}

static void warn(joining *j) {
  const jn_model *model = j->e->model, *o = j->other;
  if (is_other_gravity(model->gravity, o->gravity))
    jn__edit_say(j->e, JN_WARNING, JN_ERR_MODEL, "attach-gravity", "robot", o->name,
                 "gravity is that of the first robot", "it was described under the gravity %g, %g, %g", o->gravity[0],
                 o->gravity[1], o->gravity[2]);
  for (int i = 0; i < o->nlink; i++)
    if (o->link[i].parent < 0 && o->link[i].joint.type == JN_FREE)
      jn__edit_say(j->e, JN_WARNING, JN_ERR_MODEL, "attach-free", "joint", jn_joint_name(o, i),
                   "lock it, to attach the robot rigidly",
                   "the base of the robot that is attached is free, and floats relative to the frame");
}

/* ---- adding ---- */

static jn_status add_link(const joining *j, int i) {
  const jn_link_record *record = &j->other->link[i];
  char name[ROOM], parent[ROOM], joint[ROOM], mimic[ROOM];
  jn_link link;
  jn_link_init(&link);
  link.name = prefixed(j, record->name, name);
  link.parent = record->parent < 0 && j->link < 0 ? NULL : link_name(j, record->parent, parent);
  placed(j, record->parent, record->placement, link.placement);
  memcpy(link.inertia, record->inertia, sizeof link.inertia);
  link.joint = record->joint;
  link.joint.name = prefixed(j, record->joint.name, joint);
  link.joint.mimic = prefixed(j, record->joint.mimic, mimic);
  return jn_builder_add_link(j->e->builder, &link);
}

static jn_status add_frame(const joining *j, int i) {
  const jn_frame_record *frame = &j->other->named[i];
  char name[ROOM], link[ROOM];
  double at[16];
  placed(j, frame->link, frame->placement, at);
  return jn_builder_add_frame(j->e->builder, prefixed(j, frame->name, name), link_name(j, frame->link, link), at);
}

static jn_status add_loop(const joining *j, int i) {
  jn_loop loop = j->other->loop[i];
  char name[ROOM], a[ROOM], b[ROOM], joint[JN_COUPLING_TERMS][ROOM];
  loop.name = prefixed(j, loop.name, name);
  for (int t = 0; t < loop.term_count; t++) loop.term[t].joint = prefixed(j, loop.term[t].joint, joint[t]);
  if (loop.type != JN_LOOP_COUPLING) {
    int link_a = loop.link_a ? jn_link_index(j->other, loop.link_a) : JN_WORLD;
    int link_b = loop.link_b ? jn_link_index(j->other, loop.link_b) : JN_WORLD;
    loop.link_a = link_name(j, link_a, a);
    loop.link_b = link_name(j, link_b, b);
    placed(j, link_a, j->other->loop[i].placement_a, loop.placement_a);
    placed(j, link_b, j->other->loop[i].placement_b, loop.placement_b);
  }
  return jn_builder_add_loop(j->e->builder, &loop);
}

/* Coordinates of the second robot behind those of the first; room for one more, see jn__edit_end(). */
static jn_status extend_order(const joining *j) {
  jn_builder *builder = j->e->builder;
  int first = j->e->model->nlink, count = builder->kept_count, before = JN_NONE;
  if (!builder->kept_order) return JN_OK; /* the options have an order */
  int *order = jn__allocate(&builder->allocator, ((size_t)count + (size_t)j->other->nv + 2) * sizeof *order);
  if (!order) return JN_ERR_MEMORY;
  memcpy(order, builder->kept_order, (size_t)count * sizeof *order);
  for (int v = 0; v < j->other->nv; v++) {
    int joint = j->other->coordinate_link[v];
    if (joint != before) order[count++] = first + joint;
    before = joint;
  }
  jn__release(&builder->allocator, builder->kept_order);
  builder->kept_order = order;
  builder->kept_count = count;
  return JN_OK;
}

static jn_status join(joining *j) {
  jn_status status = jn__edit_know(j->e, j->other, j->prefix);
  warn(j);
  for (int i = 0; i < j->other->nlink && status == JN_OK; i++) status = add_link(j, i);
  for (int i = 0; i < j->other->nnamed && status == JN_OK; i++) status = add_frame(j, i);
  for (int i = 0; i < j->other->nloop && status == JN_OK; i++) status = add_loop(j, i);
  return status == JN_OK ? extend_order(j) : status;
}

/* The frame and the placement, as the link that carries them and a pose in it. 0 after saying what is wrong. */
static int find_base(joining *j, const char *frame, const double *placement) {
  const jn_model *model = j->e->model;
  int f = jn__edit_frame(j->e, frame);
  const char *fault = placement ? jn__placement_fault(placement) : NULL;
  if (fault)
    jn__edit_say(j->e, JN_ERROR, JN_ERR_MODEL, "attach-placement", "frame", frame,
                 "give a rotation matrix and a position", "%s", fault);
  if (f == JN_NONE || fault) return 0;
  j->link = f == JN_WORLD ? JN_WORLD : jn_frame_link(model, f);
  j->base = f >= model->nlink ? jn__placement_pose(model->named[f - model->nlink].placement) : se3_identity();
  if (placement) j->base = se3_mul(j->base, jn__placement_pose(placement));
  return 1;
}

jn_status jn_model_attach(const jn_model *model, const char *frame, const jn_model *other, const char *prefix,
                          const double *placement, const jn_options *options, jn_model **copy, jn_error *error) {
  if (copy) *copy = NULL;
  if (!frame || !other) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_edit edit;
  jn_status status = jn__edit_begin(&edit, model, NULL, options, copy, error);
  if (status != JN_OK) return status;
  joining j = {.e = &edit, .other = other, .prefix = prefix ? prefix : ""};
  if (strlen(j.prefix) > JN_NAME_MAX)
    jn__edit_say(&edit, JN_ERROR, JN_ERR_MODEL, "name-long", "prefix", "...", "choose a shorter prefix",
                 "it has %zu bytes; names have at most %d", strlen(j.prefix), (int)JN_NAME_MAX);
  else if (find_base(&j, frame, placement))
    find_clashes(&j);
  if (edit.log.first.status == JN_OK) status = join(&j);
  return jn__edit_end(&edit, status, copy, error);
}
