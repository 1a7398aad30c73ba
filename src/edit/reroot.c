/* SPDX-License-Identifier: BSD-2-Clause */
/* Another link as the base. On the path from the old base to the new one every joint carries the other of its links:
 *   T_pc = P J(q),  J = exp(X_1 q_1) ... exp(X_n q_n)      ->      T_cp = P^-1 J',  J' = P J^-1 P^-1,
 *   J' = exp(X'_n q_n) ... exp(X'_1 q_1),  X'_k = -Ad_P X_k,
 * with both link frames where they were. */
#include "edit.h"

/* ---- one joint ---- */

static vec3 minus(vec3 a) { return v3_sub(v3_zero(), a); } /* and no negative zeros */

static void turn_axis(pose P, const double from[3], double to[3]) {
  vec3 a = minus(m3_mul(P.R, v3_load(from)));
  v3_store(a, to);
}

static void turn_screw(pose P, twist X, double to[6]) {
  twist Y = t_Ad(P, X);
  t_store((twist){minus(Y.w), minus(Y.v)}, to);
}

/* Do its coordinates come in the reverse order? */
static int is_turned(const jn_joint *joint) {
  return joint->type == JN_UNIVERSAL || joint->type == JN_GIMBAL || joint->type == JN_PLANAR ||
         joint->type == JN_GENERAL;
}

static void turn_screws(pose P, const jn_joint *from, jn_joint *to) {
  int n = jn__joint_nv(from);
  jn_screw_d screw[6];
  jn_body_d body;
  pose internal;
  double scale;
  jn__joint_to_body(from, &internal, &body, &scale);
  if (from->type == JN_PLANAR) jn__joint_to_screws(from, screw);
  for (int k = 0; k < n; k++) {
    twist X =
        from->type == JN_PLANAR ? t_Ad(internal, t_scale(screw[k].scale, t_load(screw[k].X))) : t_load(from->screws[k]);
    turn_screw(P, X, to->screws[n - 1 - k]);
  }
  to->type = JN_GENERAL;
  to->screw_count = n;
  v3_store(v3_zero(), to->point);
}

/* The joint that carries the parent on the child, P the placement of the child. Strings stay those of `from`. */
static jn_joint turned_joint(pose P, const jn_joint *from) {
  jn_joint to = *from;
  int n = jn__joint_nv(from);
  vec3 point = v3_add(P.p, m3_mul(P.R, v3_load(from->point)));
  switch (from->type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
    case JN_HELICAL:
    case JN_CYLINDRICAL: /* rotation and translation commute */
      v3_store(point, to.point);
      turn_axis(P, from->axis, to.axis);
      break;
    case JN_PRISMATIC:
      turn_axis(P, from->axis, to.axis);
      break;
    case JN_UNIVERSAL:
      v3_store(point, to.point);
      turn_axis(P, from->axis2, to.axis);
      turn_axis(P, from->axis, to.axis2);
      break;
    case JN_GIMBAL:
      v3_store(point, to.point);
      turn_axis(P, from->axis3, to.axis);
      turn_axis(P, from->axis2, to.axis2);
      turn_axis(P, from->axis, to.axis3);
      break;
    case JN_SPHERICAL:
      v3_store(point, to.point);
      break;
    case JN_PLANAR:
    case JN_GENERAL:
      turn_screws(P, from, &to);
      break;
    default:
      break;
  }
  for (int k = 0; k < n && is_turned(from); k++) to.dof[k] = from->dof[n - 1 - k];
  return to;
}

/* ---- what cannot be ---- */

/* Armature and losses along axes of the body, which are other axes in the inverse motion. Of a spherical joint they may
 * be the same about all axes; Coulomb friction never is. */
static int has_axes(const jn_joint *joint) {
  int axes = 0;
  for (int k = 0; k < jn__joint_nv(joint); k++) {
    const jn_dof *dof = &joint->dof[k], *same = &joint->dof[0];
    axes |= dof->friction != 0;
    if (joint->type == JN_SPHERICAL)
      axes |= dof->armature != same->armature || dof->damping != same->damping;
    else
      axes |= dof->armature != 0 || dof->damping != 0;
  }
  return axes;
}

static void check_group(jn_edit *edit, int i, int is_root) {
  const jn_joint *joint = &edit->model->link[i].joint;
  const char *name = jn_joint_name(edit->model, i);
  if (joint->type != JN_SPHERICAL && joint->type != JN_FREE) return;
  if (has_axes(joint))
    jn__edit_say(edit, JN_ERROR, JN_ERR_MODEL, "reroot-armature", "joint", name,
                 "set its armature, damping and friction to zero",
                 "its armature, damping or friction is along axes of link '%.60s', which no longer is what it carries",
                 jn_link_name(edit->model, i));
  else if (!is_root)
    jn__edit_say(edit, JN_WARNING, JN_ERR_MODEL, "reroot-inverse", "joint", name,
                 "give its coordinates, velocities and limits anew",
                 "a %s joint that is reversed has the inverse %s as its coordinates", jn_joint_type_name(joint->type),
                 joint->type == JN_FREE ? "pose" : "rotation");
}

static void check_path(jn_edit *edit, int link) {
  const jn_model *model = edit->model;
  int root = link;
  for (; model->link[root].parent >= 0; root = model->link[root].parent) {
    check_group(edit, root, 0);
    if (is_turned(&model->link[root].joint) && jn__joint_nv(&model->link[root].joint) > 1)
      jn__edit_say(edit, JN_NOTE, JN_OK, "reroot-order", "joint", jn_joint_name(model, root), NULL,
                   "it is reversed, and its coordinates come in the reverse order");
  }
  const jn_joint *base = &model->link[root].joint;
  if (root != link) check_group(edit, root, 1);
  if (base->type != JN_FIXED && base->type != JN_FREE)
    jn__edit_say(
        edit, JN_ERROR, JN_ERR_MODEL, "reroot-base", "joint", jn_joint_name(model, root),
        "lock it first, or describe a base link that is fixed to the world and carries it",
        "the old base hangs on the world by a %s joint; only a fixed or a free one can be moved to another link",
        jn_joint_type_name(base->type));
}

/* ---- the path ---- */

/* Link `carried` of the builder gets a joint, and the link `on` that it hangs on (JN_NONE: the world). */
static jn_status carry(jn_edit *edit, int carried, int on, pose placement, jn_joint joint, const char *name) {
  jn_link *link = &edit->builder->links[carried].link;
  const char *old_name = link->joint.name, *old_mimic = link->joint.mimic, *mimic = joint.mimic;
  se3_store(placement, link->placement);
  link->joint = joint;
  link->joint.name = old_name;
  link->joint.mimic = old_mimic;
  jn_status status = jn__edit_text(edit, &link->joint.name, name);
  if (status == JN_OK) status = jn__edit_text(edit, &link->joint.mimic, mimic);
  if (status == JN_OK) status = jn__edit_text(edit, &link->parent, on == JN_NONE ? NULL : edit->model->link[on].name);
  return status;
}

/* Coordinates of a reversed joint in couplings. */
static void turn_couplings(jn_edit *edit, int joint) {
  const jn_joint *j = &edit->model->link[joint].joint;
  if (!is_turned(j)) return;
  for (int i = 0; i < edit->builder->loop_count; i++) {
    jn_loop *loop = &edit->builder->loops[i].loop;
    for (int t = 0; t < loop->term_count && loop->type == JN_LOOP_COUPLING; t++)
      if (jn_joint_index(edit->model, loop->term[t].joint) == joint)
        loop->term[t].coordinate = jn__joint_nv(j) - 1 - loop->term[t].coordinate;
  }
}

static jn_status turn_path(jn_edit *edit, int link) {
  const jn_model *model = edit->model;
  jn_status status = JN_OK;
  int root = link;
  for (int i = 0; i < model->nlink; i++) edit->target[i] = i; /* the link that carries joint i in the new model */
  for (; model->link[root].parent >= 0 && status == JN_OK; root = model->link[root].parent) {
    const jn_link_record *record = &model->link[root];
    pose P = jn__placement_pose(record->placement);
    edit->target[root] = record->parent;
    status =
        carry(edit, record->parent, root, se3_inverse(P), turned_joint(P, &record->joint), jn_joint_name(model, root));
    turn_couplings(edit, root);
  }
  if (status != JN_OK || root == link) return status;
  const jn_link_record *base = &model->link[root];
  int is_free = base->joint.type == JN_FREE;
  pose at = is_free ? jn__placement_pose(base->placement) : jn__edit_world_pose(edit, link);
  edit->target[root] = link;
  status = carry(edit, link, JN_NONE, at, base->joint, is_free ? jn_joint_name(model, root) : base->joint.name);
  for (int k = 0; k < edit->builder->kept_count; k++)
    edit->builder->kept_order[k] = edit->target[edit->builder->kept_order[k]];
  return status;
}

jn_status jn_model_reroot(const jn_model *model, const char *link, const double *q, const jn_options *options,
                          jn_model **copy, jn_error *error) {
  if (copy) *copy = NULL;
  if (!link) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_edit edit;
  jn_status status = jn__edit_begin(&edit, model, q, options, copy, error);
  if (status != JN_OK) return status;
  int i = jn__edit_link(&edit, link);
  if (i >= 0) check_path(&edit, i);
  if (edit.log.first.status == JN_OK) status = turn_path(&edit, i);
  return jn__edit_end(&edit, status, copy, error);
}
