/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info --json: all that the model knows, with the full digits. */
#include "../text/json.h"
#include "../model/keyframe.h"
#include "info.h"

static void write_limits(json_writer *j, const jn_model *model, int joint, const limit *limits) {
  emit_open_array(j, "limits");
  for (int i = 0; i < described_coordinates(jn_joint_description(model, joint)); i++) {
    const jn_dof dof = shown_dof(model, joint, i, limits), *d = &dof;

    emit_open_line(j, NULL);
    emit_number(j, "lower", d->lower);
    emit_number(j, "upper", d->upper);
    emit_number(j, "velocity", d->velocity);
    emit_number(j, "acceleration", d->acceleration);
    emit_number(j, "jerk", d->jerk);
    emit_number(j, "effort", d->effort);
    emit_number(j, "effort_rate", d->effort_rate);
    emit_number(j, "armature", d->armature);
    emit_number(j, "damping", d->damping);
    emit_number(j, "friction", d->friction);
    emit_number(j, "stiffness", d->stiffness);
    emit_number(j, "rest", d->rest);
    emit_close_object(j);
  }
  emit_close_array(j);
}

/* The numbers that say how the joint moves, as far as its type uses them. */
static void write_geometry(json_writer *j, const jn_joint *joint) {
  jn_joint_type type = joint->type;
  if (type == JN_FIXED || type == JN_FREE) return;
  if (type == JN_GENERAL) {
    emit_matrix(j, "screws", joint->screws[0], joint->screw_count, 6);
    return;
  }
  if (type != JN_SPHERICAL) emit_numbers(j, "axis", joint->axis, 3);
  if (type == JN_UNIVERSAL || type == JN_GIMBAL) emit_numbers(j, "axis2", joint->axis2, 3);
  if (type == JN_GIMBAL) emit_numbers(j, "axis3", joint->axis3, 3);
  emit_numbers(j, "point", joint->point, 3);
  if (type == JN_HELICAL) emit_number(j, "pitch", joint->pitch);
}

static void write_joint(json_writer *j, const jn_model *model, int i, const limit *limits) {
  const jn_joint *joint = jn_joint_description(model, i);
  int leader;
  double ratio, offset;
  int coupled = jn_joint_mimic(model, i, &leader, &ratio, &offset);
  emit_open_object(j, "joint");
  emit_text(j, "name", jn_joint_name(model, i));
  emit_text(j, "type", jn_joint_type_name(joint->type));
  if (joint->type == JN_FIXED) {
    emit_null(j, "q");
    emit_integer(j, "nq", 0);
    emit_null(j, "v");
    emit_integer(j, "nv", 0);
  } else { /* a coupled joint points to the coordinate of its leader and has none of its own */
    emit_integer(j, "q", jn_joint_q(model, i));
    emit_integer(j, "nq", jn_joint_nq(model, i));
    emit_integer(j, "v", jn_joint_v(model, i));
    emit_integer(j, "nv", jn_joint_nv(model, i));
  }
  write_geometry(j, joint);
  write_limits(j, model, i, limits);
  if (coupled) {
    emit_open_line(j, "mimic");
    emit_text(j, "joint", jn_joint_name(model, leader));
    emit_number(j, "ratio", ratio);
    emit_number(j, "offset", offset);
    emit_close_object(j);
  } else {
    emit_null(j, "mimic");
  }
  emit_close_object(j);
}

static void write_link(json_writer *j, const jn_model *model, int i, const limit *limits) {
  double inertia[10], placement[16], mass, com[3];
  int parent = jn_link_parent(model, i);
  jn_link_inertia(model, i, inertia);
  jn_link_placement(model, i, placement);
  jn_inertia_unpack(inertia, &mass, com, NULL);
  emit_open_object(j, NULL);
  emit_text(j, "name", jn_link_name(model, i));
  emit_text(j, "parent", parent == JN_WORLD ? NULL : jn_link_name(model, parent));
  emit_bool(j, "fixed", jn_link_is_fixed(model, i) == 1);
  emit_number(j, "mass", mass);
  emit_numbers(j, "com", com, 3);
  emit_numbers(j, "inertia", inertia, 10);
  emit_matrix(j, "placement", placement, 4, 4);
  write_joint(j, model, i, limits);
  emit_close_object(j);
}

/* The joints that own coordinates, in the order of these. */
static void write_joints(json_writer *j, const jn_model *model) {
  emit_open_array(j, "joints");
  int nv = jn_model_nv(model);
  for (int v = 0; v < nv; v++) {
    int coordinate;
    int joint = jn_coordinate_joint(model, v, &coordinate);
    if (coordinate != 0) continue;
    emit_open_line(j, NULL);
    emit_text(j, "name", jn_joint_name(model, joint));
    emit_text(j, "type", jn_joint_type_name(jn_joint_type_of(model, joint)));
    emit_integer(j, "nq", jn_joint_nq(model, joint));
    emit_integer(j, "nv", jn_joint_nv(model, joint));
    emit_close_object(j);
  }
  emit_close_array(j);
}

static void write_frames(json_writer *j, const jn_model *model) {
  emit_open_array(j, "frames");
  for (int i = jn_link_count(model); i < jn_frame_count(model); i++) {
    double placement[16];
    int link = jn_frame_link(model, i);
    jn_frame_placement(model, i, placement);
    emit_open_object(j, NULL);
    emit_text(j, "name", jn_frame_name(model, i));
    emit_text(j, "link", link == JN_WORLD ? "world" : jn_link_name(model, link));
    emit_matrix(j, "placement", placement, 4, 4);
    emit_close_object(j);
  }
  emit_close_array(j);
}

static void write_keyframe(void *context, const char *name) { emit_text(context, NULL, name); }

void info_json(const model_arg *arg, const limit *limits) {
  const jn_model *model = arg->model;
  json_writer j;
  double gravity[3];
  jn_model_gravity(model, gravity);
  emit_init(&j, stdout);
  emit_open_object(&j, NULL);
  emit_text(&j, "name", jn_model_name(model));
  emit_text(&j, "source", arg->source);
  emit_integer(&j, "nq", jn_model_nq(model));
  emit_integer(&j, "nv", jn_model_nv(model));
  emit_integer(&j, "moving_joints", moving_joint_count(model));
  emit_integer(&j, "depth", jn_model_depth(model));
  emit_numbers(&j, "gravity", gravity, 3);
  emit_number(&j, "mass", jn_model_mass(model));
  emit_number(&j, "fixed_mass", jn_model_fixed_mass(model));
  emit_text(&j, "row", jn_variant_name());
  emit_open_array(&j, "links");
  for (int i = 0; i < jn_link_count(model); i++) write_link(&j, model, i, limits);
  emit_close_array(&j);
  write_joints(&j, model);
  write_frames(&j, model);
  json_loops(&j, model);
  emit_open_array(&j, "keyframes");
  keyframe_list(arg, write_keyframe, &j);
  emit_close_array(&j);
  json_messages(&j, arg->report);
  emit_close_object(&j);
}
