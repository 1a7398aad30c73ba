/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries to a frozen model, and copies of it with changes. */
#include <math.h>
#include <string.h>

#include "model.h"

static const jn_link_record *record(const jn_model *m, int link) {
  return m && link >= 0 && link < m->nlink ? &m->link[link] : NULL;
}

const char *jn_model_name(const jn_model *m) { return m ? m->name : NULL; }
int jn_model_nq(const jn_model *m) { return m ? m->nq : 0; }
int jn_model_nv(const jn_model *m) { return m ? m->nv : 0; }
int jn_model_depth(const jn_model *m) { return m ? m->depth : 0; }
double jn_model_mass(const jn_model *m) { return m ? m->moving_mass : 0; }
double jn_model_fixed_mass(const jn_model *m) { return m ? m->fixed_mass : 0; }
int jn_model_is_coupled(const jn_model *m) { return m ? m->coupled : 0; }

void jn_model_gravity(const jn_model *m, double gravity[3]) {
  for (int k = 0; k < 3; k++) gravity[k] = m ? m->gravity[k] : 0;
}

int jn_link_count(const jn_model *m) { return m ? m->nlink : 0; }

int jn_link_index(const jn_model *m, const char *name) {
  if (!m || !name) return JN_NONE;
  int low = 0, high = m->nlink;
  while (low < high) {
    int middle = (low + high) / 2;
    int c = strcmp(m->link[m->link_by_name[middle]].name, name);
    if (c == 0) return m->link_by_name[middle];
    if (c < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return strcmp(name, "world") == 0 ? JN_WORLD : JN_NONE;
}

const char *jn_link_name(const jn_model *m, int link) {
  const jn_link_record *r = record(m, link);
  return r ? r->name : m && link == JN_WORLD ? "world" : NULL;
}

int jn_link_parent(const jn_model *m, int link) {
  const jn_link_record *r = record(m, link);
  return r ? r->parent : JN_NONE;
}

int jn_link_subtree_end(const jn_model *m, int link) {
  const jn_link_record *r = record(m, link);
  return r ? r->end : 0;
}

double jn_link_subtree_mass(const jn_model *m, int link) {
  const jn_link_record *r = record(m, link);
  return r ? r->subtree_mass : 0;
}

int jn_link_is_fixed(const jn_model *m, int link) {
  const jn_link_record *r = record(m, link);
  return r ? r->body < 0 : 0;
}

jn_status jn_link_inertia(const jn_model *m, int link, double inertia[10]) {
  const jn_link_record *r = record(m, link);
  if (!m || !inertia) return JN_ERR_NULL;
  if (!r) return JN_ERR_INDEX;
  memcpy(inertia, r->inertia, sizeof r->inertia);
  return JN_OK;
}

jn_status jn_link_placement(const jn_model *m, int link, double placement[16]) {
  const jn_link_record *r = record(m, link);
  if (!m || !placement) return JN_ERR_NULL;
  if (!r) return JN_ERR_INDEX;
  memcpy(placement, r->placement, sizeof r->placement);
  return JN_OK;
}

const char *jn_joint_name(const jn_model *m, int joint) {
  const jn_link_record *r = record(m, joint);
  return !r ? NULL : r->joint.name ? r->joint.name : r->name;
}

int jn_joint_index(const jn_model *m, const char *name) {
  if (!m || !name) return JN_NONE;
  int low = 0, high = m->nlink;
  while (low < high) { /* the first of this name; a joint with this name of its own comes before one that takes it from
                          its link */
    int middle = (low + high) / 2;
    if (strcmp(jn_joint_name(m, m->joint_by_name[middle]), name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  int found = JN_NONE;
  for (; low < m->nlink && strcmp(jn_joint_name(m, m->joint_by_name[low]), name) == 0; low++) {
    found = m->joint_by_name[low];
    if (m->link[found].joint.name) break;
  }
  return found;
}

jn_joint_type jn_joint_type_of(const jn_model *m, int joint) {
  const jn_link_record *r = record(m, joint);
  return r ? r->joint.type : JN_JOINT_TYPES;
}

int jn_joint_nq(const jn_model *m, int joint) {
  const jn_link_record *r = record(m, joint);
  return r ? r->nq : 0;
}

int jn_joint_nv(const jn_model *m, int joint) {
  const jn_link_record *r = record(m, joint);
  return r ? r->nv : 0;
}

static const jn_body_d *joint_body(const jn_model *m, int joint) {
  const jn_link_record *r = record(m, joint);
  if (!r || r->joint_body < 0) return NULL;
  return &((const jn_tree_d *)m->tree[JN_KIND_D])->body[r->joint_body];
}

int jn_joint_q(const jn_model *m, int joint) {
  const jn_body_d *b = joint_body(m, joint);
  return b ? b->iq : JN_NONE;
}

int jn_joint_v(const jn_model *m, int joint) {
  const jn_body_d *b = joint_body(m, joint);
  return b ? b->iv : JN_NONE;
}

const jn_joint *jn_joint_description(const jn_model *m, int joint) {
  const jn_link_record *r = record(m, joint);
  return r ? &r->joint : NULL;
}

int jn_joint_mimic(const jn_model *m, int joint, int *leader, double *ratio, double *offset) {
  const jn_link_record *r = record(m, joint);
  int is_coupled = r && r->leader != JN_NONE;

  /* a joint that follows no other one follows itself, q = 1 q + 0; outputs are written in any case */
  if (leader) *leader = is_coupled ? r->leader : r ? joint : JN_NONE;
  if (ratio) *ratio = is_coupled ? r->ratio : 1;
  if (offset) *offset = is_coupled ? r->offset : 0;
  return is_coupled;
}

int jn_coordinate_joint(const jn_model *m, int v, int *coordinate) {
  if (coordinate) *coordinate = JN_NONE;
  if (!m || v < 0 || v >= m->nv) return JN_NONE;
  int joint = m->coordinate_link[v];
  if (coordinate) *coordinate = v - jn_joint_v(m, joint);
  return joint;
}

const jn_dof *jn_coordinate_dof(const jn_model *m, int v) {
  int k, joint = jn_coordinate_joint(m, v, &k);
  return joint >= 0 ? &m->link[joint].joint.dof[k] : NULL;
}

jn_status jn_loss_coefficients(const jn_model *m, double *damping, double *friction) {
  if (!m) return JN_ERR_NULL;
  for (int k = 0; k < m->nv; k++) {
    if (damping) damping[k] = 0;
    if (friction) friction[k] = 0;
  }

  /* A joint whose position is r q + offset moves at r v: its loss r (damping r v + friction sign(r v)) acts on v. */
  const jn_tree_d *tree = m->tree[JN_KIND_D];
  for (int i = 0; i < tree->nb; i++) {
    const jn_body_d *body = &tree->body[i];
    const jn_link_record *link = &m->link[body->link];
    for (int k = 0; k < body->nv; k++) {
      const jn_dof *dof = &link->joint.dof[k];
      if (damping) damping[body->iv + k] += link->ratio * (dof->damping * link->ratio);
      if (friction) friction[body->iv + k] += fabs(link->ratio) * dof->friction;
    }
  }
  return JN_OK;
}

int jn_frame_count(const jn_model *m) { return m ? m->nlink + m->nnamed : 0; }

int jn_frame_index(const jn_model *m, const char *name) {
  int link = jn_link_index(m, name);
  if (!m || !name || link != JN_NONE) return link;
  for (int i = 0; i < m->nnamed; i++)
    if (strcmp(m->named[i].name, name) == 0) return m->nlink + i;
  return JN_NONE;
}

static const jn_frame_record *named_frame(const jn_model *m, int frame) {
  return m && frame >= m->nlink && frame < m->nlink + m->nnamed ? &m->named[frame - m->nlink] : NULL;
}

const char *jn_frame_name(const jn_model *m, int frame) {
  const jn_frame_record *f = named_frame(m, frame);
  return f ? f->name : jn_link_name(m, frame);
}

int jn_frame_link(const jn_model *m, int frame) {
  const jn_frame_record *f = named_frame(m, frame);
  return f ? f->link : record(m, frame) ? frame : JN_NONE;
}

jn_status jn_frame_placement(const jn_model *m, int frame, double placement[16]) {
  static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const jn_frame_record *f = named_frame(m, frame);
  if (!m || !placement) return JN_ERR_NULL;
  if (!f && !record(m, frame)) return JN_ERR_INDEX;
  memcpy(placement, f ? f->placement : identity, sizeof identity);
  return JN_OK;
}

int jn_loop_count(const jn_model *m) { return m ? m->nloop : 0; }

int jn_loop_index(const jn_model *m, const char *name) {
  for (int i = 0; m && name && i < m->nloop; i++)
    if (strcmp(m->loop[i].name, name) == 0) return i;
  return JN_NONE;
}

const jn_loop *jn_loop_description(const jn_model *m, int loop) {
  return m && loop >= 0 && loop < m->nloop ? &m->loop[loop] : NULL;
}

/* ---- copies with changes ---- */

/* The order of the coordinates, as links: the builder of a thawed model has them in the model's order. */
static jn_status keep_order(const jn_model *m, jn_builder *b) {
  b->kept_order = jn__allocate(&b->allocator, ((size_t)m->nv + 1) * sizeof *b->kept_order);
  if (!b->kept_order) return JN_ERR_MEMORY;
  for (int v = 0; v < m->nv; v++) {
    int k, joint = jn_coordinate_joint(m, v, &k);
    if (k == 0) b->kept_order[b->kept_count++] = joint;
  }
  return JN_OK;
}

static jn_status thaw_into(const jn_model *m, jn_builder *b) {
  jn_status status = jn_builder_set_name(b, m->name);
  jn_builder_set_gravity(b, m->gravity);
  for (int i = 0; i < m->nlink && status == JN_OK; i++) {
    const jn_link_record *r = &m->link[i];
    jn_link l;
    jn_link_init(&l);
    l.name = r->name;
    l.parent = r->parent < 0 ? NULL : m->link[r->parent].name;
    memcpy(l.placement, r->placement, sizeof l.placement);
    memcpy(l.inertia, r->inertia, sizeof l.inertia);
    l.joint = r->joint;
    status = jn_builder_add_link(b, &l);
  }
  for (int i = 0; i < m->nnamed && status == JN_OK; i++)
    status = jn_builder_add_frame(b, m->named[i].name, jn_link_name(m, m->named[i].link), m->named[i].placement);
  for (int i = 0; i < m->nloop && status == JN_OK; i++) status = jn_builder_add_loop(b, &m->loop[i]);
  if (status == JN_OK && b->options.joint_order_count == 0) status = keep_order(m, b);
  return status;
}

jn_status jn_model_thaw(const jn_model *m, const jn_options *options, jn_builder **builder) {
  if (builder) *builder = NULL;
  if (!m || !builder) return JN_ERR_NULL;
  jn_builder *b;
  jn_status status = jn_builder_create(options, &b);
  if (status != JN_OK) return status;
  status = thaw_into(m, b);
  if (status == JN_OK)
    *builder = b;
  else
    jn_builder_destroy(b);
  return status;
}

/* What to change: link < 0 means gravity. */
static jn_status with_change(const jn_model *m, int link, const double *numbers, int add, jn_model **copy) {
  if (copy) *copy = NULL;
  if (!m || !numbers || !copy) return JN_ERR_NULL;
  jn_options options;
  jn_options_init(&options);
  options.allocator = &m->allocator;
  jn_builder *b;
  jn_status status = jn_model_thaw(m, &options, &b);
  if (status != JN_OK) return status;
  if (link < 0)
    status = jn_builder_set_gravity(b, numbers);
  else /* the builder of a thawed model has the links in the model's order */
    for (int k = 0; k < 10; k++) {
      double *own = &b->links[link].link.inertia[k];
      *own = numbers[k] + (add ? *own : 0);
    }
  if (status == JN_OK) status = jn_builder_freeze(b, copy, NULL);
  jn_builder_destroy(b);
  return status;
}

jn_status jn_model_with_inertia(const jn_model *m, int link, const double inertia[10], jn_model **copy) {
  return m && !record(m, link) ? JN_ERR_INDEX : with_change(m, link, inertia, 0, copy);
}

jn_status jn_model_with_payload(const jn_model *m, int link, const double inertia[10], jn_model **copy) {
  return m && !record(m, link) ? JN_ERR_INDEX : with_change(m, link, inertia, 1, copy);
}

jn_status jn_model_with_gravity(const jn_model *m, const double gravity[3], jn_model **copy) {
  return with_change(m, -1, gravity, 0, copy);
}
