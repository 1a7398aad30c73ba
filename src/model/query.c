/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries to a frozen model, and copies of it with changes. */
#include <math.h>
#include <string.h>

#include "model.h"

static const jn_link_record *record_of(const jn_model *model, int link) {
  return model && link >= 0 && link < model->nlink ? &model->link[link] : NULL;
}

const char *jn_model_name(const jn_model *model) { return model ? model->name : NULL; }
int jn_model_nq(const jn_model *model) { return model ? model->nq : 0; }
int jn_model_nv(const jn_model *model) { return model ? model->nv : 0; }
int jn_model_depth(const jn_model *model) { return model ? model->depth : 0; }
double jn_model_mass(const jn_model *model) { return model ? model->moving_mass : 0; }
double jn_model_fixed_mass(const jn_model *model) { return model ? model->fixed_mass : 0; }
int jn_model_is_coupled(const jn_model *model) { return model ? model->coupled : 0; }

void jn_model_gravity(const jn_model *model, double gravity[3]) {
  for (int k = 0; k < 3; k++) gravity[k] = model ? model->gravity[k] : 0;
}

int jn_link_count(const jn_model *model) { return model ? model->nlink : 0; }

int jn_link_index(const jn_model *model, const char *name) {
  if (!model || !name) return JN_NONE;
  int low = 0, high = model->nlink;
  while (low < high) {
    int middle = (low + high) / 2;
    int c = strcmp(model->link[model->link_by_name[middle]].name, name);
    if (c == 0) return model->link_by_name[middle];
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return strcmp(name, "world") == 0 ? JN_WORLD : JN_NONE;
}

const char *jn_link_name(const jn_model *model, int link) {
  const jn_link_record *record = record_of(model, link);
  return record ? record->name : model && link == JN_WORLD ? "world" : NULL;
}

int jn_link_parent(const jn_model *model, int link) {
  const jn_link_record *record = record_of(model, link);
  return record ? record->parent : JN_NONE;
}

int jn_link_subtree_end(const jn_model *model, int link) {
  const jn_link_record *record = record_of(model, link);
  return record ? record->end : 0;
}

double jn_link_subtree_mass(const jn_model *model, int link) {
  const jn_link_record *record = record_of(model, link);
  return record ? record->subtree_mass : 0;
}

int jn_link_is_fixed(const jn_model *model, int link) {
  const jn_link_record *record = record_of(model, link);
  return record ? record->body < 0 : 0;
}

jn_status jn_link_inertia(const jn_model *model, int link, double inertia[10]) {
  const jn_link_record *record = record_of(model, link);
  if (!model || !inertia) return JN_ERR_NULL;
  if (!record) return JN_ERR_INDEX;
  memcpy(inertia, record->inertia, sizeof record->inertia);
  return JN_OK;
}

jn_status jn_link_placement(const jn_model *model, int link, double placement[16]) {
  const jn_link_record *record = record_of(model, link);
  if (!model || !placement) return JN_ERR_NULL;
  if (!record) return JN_ERR_INDEX;
  memcpy(placement, record->placement, sizeof record->placement);
  return JN_OK;
}

const char *jn_joint_name(const jn_model *model, int joint) {
  const jn_link_record *record = record_of(model, joint);
  return !record ? NULL : record->joint.name ? record->joint.name : record->name;
}

int jn_joint_index(const jn_model *model, const char *name) {
  if (!model || !name) return JN_NONE;
  int low = 0, high = model->nlink;
  while (low < high) { /* the first of this name; a joint with this name of its own comes before one that takes it from
                          its link */
    int middle = (low + high) / 2;
    if (strcmp(jn_joint_name(model, model->joint_by_name[middle]), name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  int found = JN_NONE;
  for (; low < model->nlink && strcmp(jn_joint_name(model, model->joint_by_name[low]), name) == 0; low++) {
    found = model->joint_by_name[low];
    if (model->link[found].joint.name) break;
  }
  return found;
}

jn_joint_type jn_joint_type_of(const jn_model *model, int joint) {
  const jn_link_record *record = record_of(model, joint);
  return record ? record->joint.type : JN_JOINT_TYPES;
}

int jn_joint_nq(const jn_model *model, int joint) {
  const jn_link_record *record = record_of(model, joint);
  return record ? record->nq : 0;
}

int jn_joint_nv(const jn_model *model, int joint) {
  const jn_link_record *record = record_of(model, joint);
  return record ? record->nv : 0;
}

static const jn_body_d *joint_body(const jn_model *model, int joint) {
  const jn_link_record *record = record_of(model, joint);
  if (!record || record->joint_body < 0) return NULL;
  return &((const jn_tree_d *)model->tree[JN_KIND_D])->body[record->joint_body];
}

int jn_joint_q(const jn_model *model, int joint) {
  const jn_body_d *body = joint_body(model, joint);
  return body ? body->iq : JN_NONE;
}

int jn_joint_v(const jn_model *model, int joint) {
  const jn_body_d *body = joint_body(model, joint);
  return body ? body->iv : JN_NONE;
}

const jn_joint *jn_joint_description(const jn_model *model, int joint) {
  const jn_link_record *record = record_of(model, joint);
  return record ? &record->joint : NULL;
}

int jn_joint_mimic(const jn_model *model, int joint, int *leader, double *ratio, double *offset) {
  const jn_link_record *record = record_of(model, joint);
  int is_coupled = record && record->leader != JN_NONE;

  /* a joint that follows no other one follows itself, q = 1 q + 0; outputs are written in any case */
  if (leader) *leader = is_coupled ? record->leader : record ? joint : JN_NONE;
  if (ratio) *ratio = is_coupled ? record->ratio : 1;
  if (offset) *offset = is_coupled ? record->offset : 0;
  return is_coupled;
}

int jn_coordinate_joint(const jn_model *model, int v, int *coordinate) {
  if (coordinate) *coordinate = JN_NONE;
  if (!model || v < 0 || v >= model->nv) return JN_NONE;
  int joint = model->coordinate_link[v];
  if (coordinate) *coordinate = v - jn_joint_v(model, joint);
  return joint;
}

const jn_dof *jn_coordinate_dof(const jn_model *model, int v) {
  int k, joint = jn_coordinate_joint(model, v, &k);
  return joint >= 0 ? &model->link[joint].joint.dof[k] : NULL;
}

jn_status jn_loss_coefficients(const jn_model *model, double *damping, double *friction) {
  if (!model) return JN_ERR_NULL;
  for (int k = 0; k < model->nv; k++) {
    if (damping) damping[k] = 0;
    if (friction) friction[k] = 0;
  }

  /* A joint whose position is r q + offset moves at r v: its loss r (damping r v + friction sign(r v)) acts on v. */
  const jn_tree_d *tree = model->tree[JN_KIND_D];
  for (int i = 0; i < tree->nb; i++) {
    const jn_body_d *body = &tree->body[i];
    const jn_link_record *link = &model->link[body->link];
    for (int k = 0; k < body->nv; k++) {
      const jn_dof *dof = &link->joint.dof[k];
      if (damping) damping[body->iv + k] += link->ratio * (dof->damping * link->ratio);
      if (friction) friction[body->iv + k] += fabs(link->ratio) * dof->friction;
    }
  }
  return JN_OK;
}

int jn_frame_count(const jn_model *model) { return model ? model->nlink + model->nnamed : 0; }

int jn_frame_index(const jn_model *model, const char *name) {
  int link = jn_link_index(model, name);
  if (!model || !name || link != JN_NONE) return link;
  for (int i = 0; i < model->nnamed; i++)
    if (strcmp(model->named[i].name, name) == 0) return model->nlink + i;
  return JN_NONE;
}

static const jn_frame_record *named_frame(const jn_model *model, int frame) {
  return model && frame >= model->nlink && frame < model->nlink + model->nnamed ? &model->named[frame - model->nlink]
                                                                                : NULL;
}

const char *jn_frame_name(const jn_model *model, int frame) {
  const jn_frame_record *f = named_frame(model, frame);
  return f ? f->name : jn_link_name(model, frame);
}

int jn_frame_link(const jn_model *model, int frame) {
  const jn_frame_record *f = named_frame(model, frame);
  return f ? f->link : record_of(model, frame) ? frame : JN_NONE;
}

jn_status jn_frame_placement(const jn_model *model, int frame, double placement[16]) {
  static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const jn_frame_record *f = named_frame(model, frame);
  if (!model || !placement) return JN_ERR_NULL;
  if (!f && !record_of(model, frame)) return JN_ERR_INDEX;
  memcpy(placement, f ? f->placement : identity, sizeof identity);
  return JN_OK;
}

int jn_loop_count(const jn_model *model) { return model ? model->nloop : 0; }

int jn_loop_index(const jn_model *model, const char *name) {
  for (int i = 0; model && name && i < model->nloop; i++)
    if (strcmp(model->loop[i].name, name) == 0) return i;
  return JN_NONE;
}

const jn_loop *jn_loop_description(const jn_model *model, int loop) {
  return model && loop >= 0 && loop < model->nloop ? &model->loop[loop] : NULL;
}

/* ---- copies with changes ---- */

/* The order of the coordinates, as links: the builder of a thawed model has them in the model's order. */
static jn_status keep_order(const jn_model *model, jn_builder *builder) {
  builder->kept_order = jn__allocate(&builder->allocator, ((size_t)model->nv + 1) * sizeof *builder->kept_order);
  if (!builder->kept_order) return JN_ERR_MEMORY;
  for (int v = 0; v < model->nv; v++) {
    int k, joint = jn_coordinate_joint(model, v, &k);
    if (k == 0) builder->kept_order[builder->kept_count++] = joint;
  }
  return JN_OK;
}

static jn_status thaw_into(const jn_model *model, jn_builder *builder) {
  jn_status status = jn_builder_set_name(builder, model->name);
  jn_builder_set_gravity(builder, model->gravity);
  for (int i = 0; i < model->nlink && status == JN_OK; i++) {
    const jn_link_record *record = &model->link[i];
    jn_link link;
    jn_link_init(&link);
    link.name = record->name;
    link.parent = record->parent < 0 ? NULL : model->link[record->parent].name;
    memcpy(link.placement, record->placement, sizeof link.placement);
    memcpy(link.inertia, record->inertia, sizeof link.inertia);
    link.joint = record->joint;
    status = jn_builder_add_link(builder, &link);
  }
  for (int i = 0; i < model->nnamed && status == JN_OK; i++)
    status = jn_builder_add_frame(builder, model->named[i].name, jn_link_name(model, model->named[i].link),
                                  model->named[i].placement);
  for (int i = 0; i < model->nloop && status == JN_OK; i++) status = jn_builder_add_loop(builder, &model->loop[i]);
  if (status == JN_OK && builder->options.joint_order_count == 0) status = keep_order(model, builder);
  return status;
}

jn_status jn_model_thaw(const jn_model *model, const jn_options *options, jn_builder **builder) {
  if (builder) *builder = NULL;
  if (!model || !builder) return JN_ERR_NULL;
  jn_builder *b;
  jn_status status = jn_builder_create(options, &b);
  if (status != JN_OK) return status;
  status = thaw_into(model, b);
  if (status == JN_OK)
    *builder = b;
  else
    jn_builder_destroy(b);
  return status;
}

/* What to change: link < 0 means gravity. */
static jn_status with_change(const jn_model *model, int link, const double *numbers, int add, jn_model **copy) {
  if (copy) *copy = NULL;
  if (!model || !numbers || !copy) return JN_ERR_NULL;
  jn_options options;
  jn_options_init(&options);
  options.allocator = &model->allocator;
  jn_builder *builder;
  jn_status status = jn_model_thaw(model, &options, &builder);
  if (status != JN_OK) return status;
  if (link < 0)
    status = jn_builder_set_gravity(builder, numbers);
  else /* the builder of a thawed model has the links in the model's order */
    for (int k = 0; k < 10; k++) {
      double *own = &builder->links[link].link.inertia[k];
      *own = numbers[k] + (add ? *own : 0);
    }
  if (status == JN_OK) status = jn_builder_freeze(builder, copy, NULL);
  jn_builder_destroy(builder);
  return status;
}

jn_status jn_model_with_inertia(const jn_model *model, int link, const double inertia[10], jn_model **copy) {
  return model && !record_of(model, link) ? JN_ERR_INDEX : with_change(model, link, inertia, 0, copy);
}

jn_status jn_model_with_payload(const jn_model *model, int link, const double inertia[10], jn_model **copy) {
  return model && !record_of(model, link) ? JN_ERR_INDEX : with_change(model, link, inertia, 1, copy);
}

jn_status jn_model_with_gravity(const jn_model *model, const double gravity[3], jn_model **copy) {
  return with_change(model, -1, gravity, 0, copy);
}
