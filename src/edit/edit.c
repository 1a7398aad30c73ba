/* SPDX-License-Identifier: BSD-2-Clause */
#include "edit.h"

#include <stdio.h>
#include <string.h>

#include "../text/nearest_name.h"
#include "jounce/configuration.h"

static int link_room(const jn_model *m) { return m->nlink > 0 ? m->nlink : 1; }

static void release(jn_edit *e) {
  jn_builder_destroy(e->builder);
  jn_report_destroy(e->known);
  jn_report_destroy(e->known_other);
  jn_report_destroy(e->found);
  void *blocks[] = {e->q, e->held, e->gone, e->target, e->at};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) jn__release(&e->a, blocks[k]);
}

static jn_status make_room(jn_edit *e, const double *q) {
  const jn_model *m = e->model;
  size_t links = (size_t)link_room(m), nq = (size_t)m->nq;
  e->q = jn__allocate(&e->a, (nq + 1) * sizeof *e->q);
  e->held = jn__allocate(&e->a, links);
  e->gone = jn__allocate(&e->a, links);
  e->target = jn__allocate(&e->a, links * sizeof *e->target);
  e->at = jn__allocate(&e->a, 16 * links * sizeof *e->at);
  if (!e->q || !e->held || !e->gone || !e->target || !e->at) return JN_ERR_MEMORY;
  for (int i = 0; i < m->nlink; i++) {
    e->target[i] = i;
    se3_store(se3_identity(), &e->at[16 * i]);
  }
  if (!q) return jn_neutral(m, e->q);
  memcpy(e->q, q, nq * sizeof *q);
  return JN_OK;
}

/* What is wrong with a model, nothing being an error that can be a warning. NULL: no memory. */
static jn_report *faults(const jn_edit *e, const jn_model *model) {
  jn_options options;
  jn_builder *b;
  jn_model *same = NULL;
  jn_options_init(&options);
  options.allocator = &e->a;
  options.report = jn_report_create(&e->a);
  jn_status status = options.report ? jn_model_thaw(model, &options, &b) : JN_ERR_MEMORY;
  if (status == JN_OK) {
    status = jn_builder_freeze(b, &same, NULL);
    jn_builder_destroy(b);
    jn_model_destroy(same);
  }
  if (status != JN_ERR_MEMORY) return options.report;
  jn_report_destroy(options.report);
  return NULL;
}

jn_status jn__edit_know(jn_edit *e, const jn_model *other, const char *prefix) {
  if (!e->report) return JN_OK;
  e->prefix = prefix;
  e->known_other = faults(e, other);
  return e->known_other ? JN_OK : JN_ERR_MEMORY;
}

/* Tells the caller what is wrong with the new model and was not with the old ones. 0: no memory. */
static int tell(const jn_edit *e) {
  for (int i = 0; e->report && i < jn_report_count(e->found); i++) {
    const jn_message *m = jn_report_message(e->found, i);
    int known = m->severity != JN_ERROR &&
                (jn__report_has(e->known, m, "") || (e->known_other && jn__report_has(e->known_other, m, e->prefix)));
    if (!known && !jn__report_copy(e->report, m)) return 0;
  }
  return 1;
}

jn_status jn__edit_begin(jn_edit *e, const jn_model *model, const double *q, const jn_options *options, jn_model **copy,
                         jn_error *error) {
  *e = (jn_edit){.model = model};
  if (copy) *copy = NULL;
  jn_options own;
  jn_options_init(&own);
  jn_status status = !model || !copy                                                      ? JN_ERR_NULL
                     : options && (options->size == 0 || options->size > sizeof *options) ? JN_ERR_INIT
                                                                                          : JN_OK;
  if (status == JN_OK) {
    if (options) memcpy(&own, options, options->size);
    e->a = jn__allocator(own.allocator ? own.allocator : &model->allocator);
    e->report = own.report;
    e->log = (jn_log){.report = own.report, .strict = own.strict};
    e->found = jn_report_create(&e->a);
    own.report = e->found;
    own.allocator = &e->a;
    if (e->report) e->known = faults(e, model);
    status = e->found && (e->known || !e->report) ? make_room(e, q) : JN_ERR_MEMORY;
    if (status == JN_OK) status = jn_model_thaw(model, &own, &e->builder);
    if (status != JN_OK) release(e);
  }
  return status == JN_OK ? status : jn__fail(error, status, NULL, "%s", jn_status_text(status));
}

/* A base that starts to float comes first among the coordinates, as in a file that is read with a floating base. */
static void float_first(jn_builder *b) {
  if (!b->options.floating || !b->kept_order) return;
  for (int i = 0; i < b->link_count; i++) {
    const jn_link *l = &b->links[i].link;
    if (jn__builder_link(b, l->parent) != JN_WORLD || l->joint.type != JN_FIXED) continue;
    memmove(b->kept_order + 1, b->kept_order, (size_t)b->kept_count * sizeof *b->kept_order);
    b->kept_order[0] = i;
    b->kept_count++;
    return;
  }
}

jn_status jn__edit_end(jn_edit *e, jn_status status, jn_model **copy, jn_error *error) {
  if (error) *error = (jn_error){0};
  if (e->log.first.status != JN_OK) {
    status = jn__log_end(&e->log, error);
  } else if (status != JN_OK) {
    jn__fail(error, status, NULL, "%s", jn_status_text(status));
  } else {
    float_first(e->builder);
    status = jn_builder_freeze(e->builder, copy, error);
    if (!tell(e) && status == JN_OK) {
      jn_model_destroy(*copy);
      *copy = NULL;
      status = jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
    }
  }
  release(e);
  return status;
}

/* ---- names ---- */

static const char *joint_at(const void *model, int i) { return jn_joint_name(model, i); }
static const char *frame_at(const void *model, int i) { return jn_frame_name(model, i); }

static int unknown(jn_edit *e, const char *what, const char *name, int count, jn_name_at *name_at) {
  char remedy[160];
  snprintf(remedy, sizeof remedy, "use the name of a %s of the model", what);
  jn__did_you_mean(name ? name : "", count, name_at, e->model, remedy, sizeof remedy);
  jn__edit_say(e, JN_ERROR, JN_ERR_NAME, "name-unknown", what, name, remedy, "the model has no %s of this name", what);
  return JN_NONE;
}

int jn__edit_joint(jn_edit *e, const char *name) {
  int i = jn_joint_index(e->model, name);
  return i == JN_NONE ? unknown(e, "joint", name, e->model->nlink, joint_at) : i;
}

int jn__edit_link(jn_edit *e, const char *name) {
  int i = jn_link_index(e->model, name), frame = jn_frame_index(e->model, name);
  if (i >= 0) return i;
  if (frame < e->model->nlink) return unknown(e, "link", name, e->model->nlink, frame_at);
  char remedy[JN_SUBJECT];
  snprintf(remedy, sizeof remedy, "give the link '%.120s'", jn_link_name(e->model, jn_frame_link(e->model, frame)));
  jn__edit_say(e, JN_ERROR, JN_ERR_NAME, "name-unknown", "link", name, remedy, "this is a frame, not a link");
  return JN_NONE;
}

int jn__edit_frame(jn_edit *e, const char *name) {
  int i = jn_frame_index(e->model, name);
  return i == JN_NONE ? unknown(e, "link or frame", name, jn_frame_count(e->model), frame_at) : i;
}

/* ---- poses, held joints ---- */

pose jn__edit_pose(const jn_edit *e, int link) { return link_pose(e->model->tree[JN_KIND_D], link, e->q); }

pose jn__edit_world_pose(const jn_edit *e, int link) {
  pose T = se3_identity();
  for (; link >= 0; link = e->model->link[link].parent) T = se3_mul(jn__edit_pose(e, link), T);
  return T;
}

jn_status jn__edit_text(const jn_edit *e, const char **place, const char *text) {
  char *copy = jn__copy_text(&e->builder->allocator, text);
  if (text && !copy) return JN_ERR_MEMORY;
  jn__release(&e->builder->allocator, (void *)(uintptr_t)*place);
  *place = copy;
  return JN_OK;
}

/* The values at which joint i is held can be those of a joint. */
static void check_values(jn_edit *e, int i) {
  const jn_link_record *r = &e->model->link[i];
  int first = jn_joint_q(e->model, i), group = r->joint.type == JN_SPHERICAL || r->joint.type == JN_FREE;
  double turn = 0;
  for (int k = 0; k < r->nq; k++) {
    double x = e->q[first + k];
    if (!isfinite(x)) {
      jn__edit_say(e, JN_ERROR, JN_ERR_MODEL, "lock-value", "joint", jn_joint_name(e->model, i), "give a finite number",
                   "it cannot be held at %g", x);
      return;
    }
    if (k >= r->nq - 4) turn = fmax(turn, fabs(x));
    const jn_dof *d = &r->joint.dof[group ? 0 : k];
    if (!group && !(d->lower <= x && x <= d->upper) && !e->gone[i])
      jn__edit_say(e, JN_WARNING, JN_ERR_MODEL, "lock-limit", "joint", jn_joint_name(e->model, i),
                   "angles are in radians, lengths in metres", "held at %g, outside its limits %g ... %g", x, d->lower,
                   d->upper);
  }
  if (group && turn == 0)
    jn__edit_say(e, JN_ERROR, JN_ERR_MODEL, "lock-value", "joint", jn_joint_name(e->model, i),
                 "give a quaternion x, y, z, w", "it cannot be held at the quaternion 0");
}

void jn__edit_hold(jn_edit *e) {
  const jn_model *m = e->model;
  for (int i = 0; i < m->nlink; i++) {
    int leader = m->link[i].leader;
    if (leader == JN_NONE || !e->held[leader] || e->held[i]) continue;
    e->held[i] = 1;
    if (!e->gone[i])
      jn__edit_say(e, JN_NOTE, JN_OK, "lock-coupled", "joint", jn_joint_name(m, i), NULL,
                   "it follows '%.60s', which no longer moves, and is held at %g", jn_joint_name(m, leader),
                   m->link[i].ratio * e->q[jn_joint_q(m, i)] + m->link[i].offset);
  }
  jn_link fresh;
  jn_link_init(&fresh);
  for (int i = 0; i < m->nlink; i++) {
    if (!e->held[i]) continue;
    check_values(e, i);
    jn_link *l = &e->builder->links[i].link;
    const char *name = l->joint.name;
    se3_store(jn__edit_pose(e, i), l->placement);
    jn__release(&e->builder->allocator, (void *)(uintptr_t)l->joint.mimic);
    l->joint = fresh.joint;
    l->joint.name = name;
  }
}

/* ---- links that are gone ---- */

jn_status jn__edit_move_frames(jn_edit *e) {
  const jn_model *m = e->model;
  jn_status status = JN_OK;
  jn__builder_drop_frames(e->builder);
  for (int i = 0; i < m->nnamed && status == JN_OK; i++) {
    const jn_frame_record *f = &m->named[i];
    double at[16];
    int link = f->link;
    memcpy(at, f->placement, sizeof at);
    if (link >= 0 && e->gone[link]) {
      if (e->target[link] == JN_WORLD) continue;
      se3_store(se3_mul(se3_load(&e->at[16 * link]), jn__placement_pose(f->placement)), at);
      link = e->target[link];
    }
    status = jn_builder_add_frame(e->builder, f->name, jn_link_name(m, link), at);
  }
  return status;
}

void jn__edit_drop_links(jn_edit *e) { jn__builder_drop_links(e->builder, e->gone); }
