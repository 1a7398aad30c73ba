/* SPDX-License-Identifier: BSD-2-Clause */
/* Joints whose axis or centre is away from the origin of their link get a link of their own there:
 *   P J = (P t) J_0 t^-1,   t the translation to the point, J_0 the same joint at the origin. */
#include <stdio.h>
#include <string.h>

#include "edit.h"

/* Does the point of the joint count, and is it off the axis through the origin (off the origin itself for joints with a
 * centre)? */
static int is_off(const jn_joint *joint) {
  vec3 p = v3_load(joint->point), a = v3_load(joint->axis), off = p;
  switch (joint->type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
    case JN_HELICAL:
    case JN_CYLINDRICAL:
    case JN_PLANAR:
      off = v3_axpy(-dot(a, p), a, p);
      break;
    case JN_UNIVERSAL:
    case JN_SPHERICAL:
    case JN_GIMBAL:
      break;
    default:
      return 0;
  }
  return sqrt(dot(off, off)) > 1e-12;
}

static int is_taken(const jn_edit *edit, const char *name) {
  return jn_frame_index(edit->model, name) != JN_NONE || jn_joint_index(edit->model, name) != JN_NONE;
}

/* The joint of link i moves to a new link, which carries link i. */
static jn_status split(jn_edit *edit, int i) {
  const jn_link_record *record = &edit->model->link[i];
  pose to_point = {m3_identity(), v3_load(record->joint.point)};
  char name[JN_NAME_MAX + 32];
  jn_link axis, plain;
  jn_link_init(&axis);
  jn_link_init(&plain);
  snprintf(name, sizeof name, "%s_axis", jn_joint_name(edit->model, i));
  for (int n = 2; is_taken(edit, name) && n < 1000; n++)
    snprintf(name, sizeof name, "%s_axis%d", jn_joint_name(edit->model, i), n);
  axis.name = name;
  axis.parent = record->parent < 0 ? NULL : edit->model->link[record->parent].name;
  se3_store(se3_mul(jn__placement_pose(record->placement), to_point), axis.placement);
  axis.joint = record->joint;
  axis.joint.name = jn_joint_name(edit->model, i);
  memset(axis.joint.point, 0, sizeof axis.joint.point);
  edit->target[i] = edit->builder->link_count; /* the link that carries the joint */
  jn_status status = jn_builder_add_link(edit->builder, &axis);
  if (status != JN_OK) return status;
  jn_link *link = &edit->builder->links[i].link;
  se3_store(se3_inverse(to_point), link->placement);
  status = jn__edit_text(edit, &link->joint.mimic, NULL);
  if (status == JN_OK) status = jn__edit_text(edit, &link->joint.name, name);
  if (status == JN_OK) status = jn__edit_text(edit, &link->parent, name);
  plain.joint.name = link->joint.name;
  link->joint = plain.joint;
  jn__edit_say(edit, JN_NOTE, JN_OK, "joint-split", "joint", jn_joint_name(edit->model, i), NULL,
               "it carries the new link '%.80s', which has no inertia and carries link '%.60s'", name, record->name);
  return status;
}

jn_status jn_model_split(const jn_model *model, const jn_options *options, jn_model **copy, jn_error *error) {
  jn_edit edit;
  jn_status status = jn__edit_begin(&edit, model, NULL, options, copy, error);
  if (status != JN_OK) return status;
  for (int i = 0; i < model->nlink && status == JN_OK; i++)
    if (is_off(&model->link[i].joint)) status = split(&edit, i);
  for (int k = 0; k < edit.builder->kept_count; k++)
    edit.builder->kept_order[k] = edit.target[edit.builder->kept_order[k]];
  return jn__edit_end(&edit, status, copy, error);
}
