/* SPDX-License-Identifier: BSD-2-Clause */
/* What all edits of a model share: a model is thawed into a builder, changed there, and frozen again. Only faults that
 * the old model did not have are reported. */
#include "edit.h"

#include <stdio.h>
#include <string.h>

#include "../text/nearest_name.h"
#include "jounce/configuration.h"

static int links_or_one(const jn_model *model) { return model->nlink > 0 ? model->nlink : 1; }

/* Frees everything of an edit. */
static void release(jn_edit *edit) {
  jn_builder_destroy(edit->builder);
  jn_report_destroy(edit->known);
  jn_report_destroy(edit->known_other);
  jn_report_destroy(edit->found);
  void *blocks[] = {edit->q, edit->held, edit->gone, edit->target, edit->at};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) jn__release(&edit->a, blocks[k]);
}

/* Arrays over links, and the configuration at which joints are held; q NULL: the neutral one. */
static jn_status take_memory(jn_edit *edit, const double *q) {
  const jn_model *model = edit->model;
  size_t links = (size_t)links_or_one(model), nq = (size_t)model->nq;
  edit->q = jn__allocate(&edit->a, (nq + 1) * sizeof *edit->q);
  edit->held = jn__allocate(&edit->a, links);
  edit->gone = jn__allocate(&edit->a, links);
  edit->target = jn__allocate(&edit->a, links * sizeof *edit->target);
  edit->at = jn__allocate(&edit->a, 16 * links * sizeof *edit->at);
  if (!edit->q || !edit->held || !edit->gone || !edit->target || !edit->at) return JN_ERR_MEMORY;
  for (int i = 0; i < model->nlink; i++) {
    edit->target[i] = i;
    se3_store(se3_identity(), &edit->at[16 * i]);
  }
  if (!q) return jn_neutral(model, edit->q);
  memcpy(edit->q, q, nq * sizeof *q);
  return JN_OK;
}

/* The messages of a model that is frozen once more, with warnings kept as such. NULL: no memory. */
static jn_report *faults(const jn_edit *edit, const jn_model *model) {
  jn_options options;
  jn_builder *builder;
  jn_model *same = NULL;
  jn_options_init(&options);
  options.allocator = &edit->a;
  options.report = jn_report_create(&edit->a);
  jn_status status = options.report ? jn_model_thaw(model, &options, &builder) : JN_ERR_MEMORY;
  if (status == JN_OK) {
    status = jn_builder_freeze(builder, &same, NULL);
    jn_builder_destroy(builder);
    jn_model_destroy(same);
  }
  if (status != JN_ERR_MEMORY) return options.report;
  jn_report_destroy(options.report);
  return NULL;
}

jn_status jn__edit_know(jn_edit *edit, const jn_model *other, const char *prefix) {
  if (!edit->report) return JN_OK;
  edit->prefix = prefix;
  edit->known_other = faults(edit, other);
  return edit->known_other ? JN_OK : JN_ERR_MEMORY;
}

/* Reports what is wrong with the new model and was not with the old ones. 0: no memory. */
static int report_new_faults(const jn_edit *edit) {
  for (int i = 0; edit->report && i < jn_report_count(edit->found); i++) {
    const jn_message *m = jn_report_message(edit->found, i);
    int known = m->severity != JN_ERROR && (jn__report_has(edit->known, m, "") ||
                                            (edit->known_other && jn__report_has(edit->known_other, m, edit->prefix)));
    if (!known && !jn__report_copy(edit->report, m)) return 0;
  }
  return 1;
}

/* Checks arguments and options, notes the faults of the old model, and thaws it. */
jn_status jn__edit_begin(jn_edit *edit, const jn_model *model, const double *q, const jn_options *options,
                         jn_model **copy, jn_error *error) {
  *edit = (jn_edit){.model = model};
  if (copy) *copy = NULL;
  jn_options own;
  jn_options_init(&own);
  jn_status status = !model || !copy                                                      ? JN_ERR_NULL
                     : options && (options->size == 0 || options->size > sizeof *options) ? JN_ERR_INIT
                                                                                          : JN_OK;
  if (status == JN_OK) {
    if (options) memcpy(&own, options, options->size);
    edit->a = jn__allocator(own.allocator ? own.allocator : &model->allocator);
    edit->report = own.report;
    edit->log = (jn_log){.report = own.report, .strict = own.strict};
    edit->found = jn_report_create(&edit->a);
    own.report = edit->found;
    own.allocator = &edit->a;
    if (edit->report) edit->known = faults(edit, model);
    status = edit->found && (edit->known || !edit->report) ? take_memory(edit, q) : JN_ERR_MEMORY;
    if (status == JN_OK) status = jn_model_thaw(model, &own, &edit->builder);
    if (status != JN_OK) release(edit);
  }
  return status == JN_OK ? status : jn__fail(error, status, NULL, "%s", jn_status_text(status));
}

/* A base that becomes free comes first among the coordinates, as in a file that is read with a floating base. */
static void float_first(jn_builder *builder) {
  if (!builder->options.floating || !builder->kept_order) return;
  for (int i = 0; i < builder->link_count; i++) {
    const jn_link *link = &builder->links[i].link;
    if (jn__builder_link(builder, link->parent) != JN_WORLD || link->joint.type != JN_FIXED) continue;
    memmove(builder->kept_order + 1, builder->kept_order, (size_t)builder->kept_count * sizeof *builder->kept_order);
    builder->kept_order[0] = i;
    builder->kept_count++;
    return;
  }
}

/* Freezes the changed builder, reports what is new, and frees the edit. */
jn_status jn__edit_end(jn_edit *edit, jn_status status, jn_model **copy, jn_error *error) {
  if (error) *error = (jn_error){0};
  if (edit->log.first.status != JN_OK) {
    status = jn__log_end(&edit->log, error);
  } else if (status != JN_OK) {
    jn__fail(error, status, NULL, "%s", jn_status_text(status));
  } else {
    float_first(edit->builder);
    status = jn_builder_freeze(edit->builder, copy, error);
    if (!report_new_faults(edit) && status == JN_OK) {
      jn_model_destroy(*copy);
      *copy = NULL;
      status = jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
    }
  }
  release(edit);
  return status;
}

/* ---- names ---- */

static const char *joint_at(const void *model, int i) { return jn_joint_name(model, i); }
static const char *frame_at(const void *model, int i) { return jn_frame_name(model, i); }

/* Reports a name that the model does not have, with the nearest one. */
static int unknown(jn_edit *edit, const char *what, const char *name, int count, jn_name_at *name_at) {
  char remedy[160];
  snprintf(remedy, sizeof remedy, "use the name of a %s of the model", what);
  jn__did_you_mean(name ? name : "", count, name_at, edit->model, remedy, sizeof remedy);
  jn__edit_say(edit, JN_ERROR, JN_ERR_NAME, "name-unknown", what, name, remedy, "the model has no %s of this name",
               what);
  return JN_NONE;
}

int jn__edit_joint(jn_edit *edit, const char *name) {
  int i = jn_joint_index(edit->model, name);
  return i == JN_NONE ? unknown(edit, "joint", name, edit->model->nlink, joint_at) : i;
}

int jn__edit_link(jn_edit *edit, const char *name) {
  int i = jn_link_index(edit->model, name), frame = jn_frame_index(edit->model, name);
  if (i >= 0) return i;
  if (frame < edit->model->nlink) return unknown(edit, "link", name, edit->model->nlink, frame_at);
  char remedy[JN_SUBJECT];
  snprintf(remedy, sizeof remedy, "give the link '%.120s'",
           jn_link_name(edit->model, jn_frame_link(edit->model, frame)));
  jn__edit_say(edit, JN_ERROR, JN_ERR_NAME, "name-unknown", "link", name, remedy, "this is a frame, not a link");
  return JN_NONE;
}

int jn__edit_frame(jn_edit *edit, const char *name) {
  int i = jn_frame_index(edit->model, name);
  return i == JN_NONE ? unknown(edit, "link or frame", name, jn_frame_count(edit->model), frame_at) : i;
}

/* ---- poses, held joints ---- */

/* Pose of a link in its parent, at the configuration of the edit; and in the world. */
pose jn__edit_pose(const jn_edit *edit, int link) { return link_pose(edit->model->tree[JN_KIND_D], link, edit->q); }

pose jn__edit_world_pose(const jn_edit *edit, int link) {
  pose T = se3_identity();
  for (; link >= 0; link = edit->model->link[link].parent) T = se3_mul(jn__edit_pose(edit, link), T);
  return T;
}

jn_status jn__edit_text(const jn_edit *edit, const char **place, const char *text) {
  char *copy = jn__copy_text(&edit->builder->allocator, text);
  if (text && !copy) return JN_ERR_MEMORY;
  jn__release(&edit->builder->allocator, (void *)(uintptr_t)*place);
  *place = copy;
  return JN_OK;
}

/* Whether joint i can be held at its values: finite, a quaternion that is not zero, inside its limits. */
static void check_values(jn_edit *edit, int i) {
  const jn_link_record *record = &edit->model->link[i];
  int first = jn_joint_q(edit->model, i), group = record->joint.type == JN_SPHERICAL || record->joint.type == JN_FREE;
  double largest = 0;
  for (int k = 0; k < record->nq; k++) {
    double x = edit->q[first + k];
    if (!isfinite(x)) {
      jn__edit_say(edit, JN_ERROR, JN_ERR_MODEL, "lock-value", "joint", jn_joint_name(edit->model, i),
                   "give a finite number", "it cannot be held at %g", x);
      return;
    }
    if (k >= record->nq - 4) largest = fmax(largest, fabs(x));
    const jn_dof *dof = &record->joint.dof[group ? 0 : k];
    if (!group && !(dof->lower <= x && x <= dof->upper) && !edit->gone[i])
      jn__edit_say(edit, JN_WARNING, JN_ERR_MODEL, "lock-limit", "joint", jn_joint_name(edit->model, i),
                   "angles are in radians, lengths in metres", "held at %g, outside its limits %g ... %g", x,
                   dof->lower, dof->upper);
  }
  if (group && largest == 0)
    jn__edit_say(edit, JN_ERROR, JN_ERR_MODEL, "lock-value", "joint", jn_joint_name(edit->model, i),
                 "give a quaternion x, y, z, w", "it cannot be held at the quaternion 0");
}

/* Fixes the held joints, and those that follow them, at their positions. */
void jn__edit_hold(jn_edit *edit) {
  const jn_model *model = edit->model;
  for (int i = 0; i < model->nlink; i++) {
    int leader = model->link[i].leader;
    if (leader == JN_NONE || !edit->held[leader] || edit->held[i]) continue;
    edit->held[i] = 1;
    if (!edit->gone[i])
      jn__edit_say(edit, JN_NOTE, JN_OK, "lock-coupled", "joint", jn_joint_name(model, i), NULL,
                   "it follows '%.60s', which no longer moves, and is held at %g", jn_joint_name(model, leader),
                   model->link[i].ratio * edit->q[jn_joint_q(model, i)] + model->link[i].offset);
  }

  /* A held joint becomes a fixed one whose placement contains its motion. */
  jn_link fresh;
  jn_link_init(&fresh);
  for (int i = 0; i < model->nlink; i++) {
    if (!edit->held[i]) continue;
    check_values(edit, i);
    jn_link *link = &edit->builder->links[i].link;
    const char *name = link->joint.name;
    se3_store(jn__edit_pose(edit, i), link->placement);
    jn__release(&edit->builder->allocator, (void *)(uintptr_t)link->joint.mimic);
    link->joint = fresh.joint;
    link->joint.name = name;
  }
}

/* ---- links that are gone ---- */

/* Frames on links that are gone move to the links that replace them, or are dropped. */
jn_status jn__edit_move_frames(jn_edit *edit) {
  const jn_model *model = edit->model;
  jn_status status = JN_OK;
  jn__builder_drop_frames(edit->builder);
  for (int i = 0; i < model->nnamed && status == JN_OK; i++) {
    const jn_frame_record *frame = &model->named[i];
    double at[16];
    int link = frame->link;
    memcpy(at, frame->placement, sizeof at);
    if (link >= 0 && edit->gone[link]) {
      if (edit->target[link] == JN_WORLD) continue;
      se3_store(se3_mul(se3_load(&edit->at[16 * link]), jn__placement_pose(frame->placement)), at);
      link = edit->target[link];
    }
    status = jn_builder_add_frame(edit->builder, frame->name, jn_link_name(model, link), at);
  }
  return status;
}

void jn__edit_drop_links(jn_edit *edit) { jn__builder_drop_links(edit->builder, edit->gone); }
