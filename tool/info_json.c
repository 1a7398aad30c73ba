/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info --json: all that the model knows, with the full digits. */
#include "info.h"
#include "json.h"

static void write_limits(json_writer *j, const jn_joint *joint) {
  json_open_array(j, "limits");
  for (int i = 0; i < described_coordinates(joint); i++) {
    const jn_dof *d = &joint->dof[i];
    json_open_line(j, NULL);
    json_number(j, "lower", d->lower);
    json_number(j, "upper", d->upper);
    json_number(j, "velocity", d->velocity);
    json_number(j, "acceleration", d->acceleration);
    json_number(j, "jerk", d->jerk);
    json_number(j, "effort", d->effort);
    json_number(j, "effort_rate", d->effort_rate);
    json_number(j, "armature", d->armature);
    json_number(j, "damping", d->damping);
    json_number(j, "friction", d->friction);
    json_close_object(j);
  }
  json_close_array(j);
}

/* The numbers that say how the joint moves, as far as its type uses them. */
static void write_geometry(json_writer *j, const jn_joint *joint) {
  jn_joint_type type = joint->type;
  if (type == JN_FIXED || type == JN_FREE) return;
  if (type == JN_GENERAL) {
    json_matrix(j, "screws", joint->screws[0], joint->screw_count, 6);
    return;
  }
  if (type != JN_SPHERICAL) json_numbers(j, "axis", joint->axis, 3);
  if (type == JN_UNIVERSAL || type == JN_GIMBAL) json_numbers(j, "axis2", joint->axis2, 3);
  if (type == JN_GIMBAL) json_numbers(j, "axis3", joint->axis3, 3);
  json_numbers(j, "point", joint->point, 3);
  if (type == JN_HELICAL) json_number(j, "pitch", joint->pitch);
}

static void write_joint(json_writer *j, const jn_model *model, int i) {
  const jn_joint *joint = jn_joint_description(model, i);
  int leader;
  double ratio, offset;
  int coupled = jn_joint_mimic(model, i, &leader, &ratio, &offset);
  json_open_object(j, "joint");
  json_text(j, "name", jn_joint_name(model, i));
  json_text(j, "type", jn_joint_type_name(joint->type));
  if (joint->type == JN_FIXED) {
    json_null(j, "q");
    json_integer(j, "nq", 0);
    json_null(j, "v");
    json_integer(j, "nv", 0);
  } else { /* a coupled joint points to the coordinate of its leader and has none of its own */
    json_integer(j, "q", jn_joint_q(model, i));
    json_integer(j, "nq", jn_joint_nq(model, i));
    json_integer(j, "v", jn_joint_v(model, i));
    json_integer(j, "nv", jn_joint_nv(model, i));
  }
  write_geometry(j, joint);
  write_limits(j, joint);
  if (coupled) {
    json_open_line(j, "mimic");
    json_text(j, "joint", jn_joint_name(model, leader));
    json_number(j, "ratio", ratio);
    json_number(j, "offset", offset);
    json_close_object(j);
  } else {
    json_null(j, "mimic");
  }
  json_close_object(j);
}

static void write_link(json_writer *j, const jn_model *model, int i) {
  double inertia[10], placement[16], mass, com[3];
  int parent = jn_link_parent(model, i);
  jn_link_inertia(model, i, inertia);
  jn_link_placement(model, i, placement);
  jn_inertia_unpack(inertia, &mass, com, NULL);
  json_open_object(j, NULL);
  json_text(j, "name", jn_link_name(model, i));
  json_text(j, "parent", parent == JN_WORLD ? NULL : jn_link_name(model, parent));
  json_bool(j, "fixed", jn_link_is_fixed(model, i) == 1);
  json_number(j, "mass", mass);
  json_numbers(j, "com", com, 3);
  json_numbers(j, "inertia", inertia, 10);
  json_matrix(j, "placement", placement, 4, 4);
  write_joint(j, model, i);
  json_close_object(j);
}

/* The joints that own coordinates, in the order of these. */
static void write_joints(json_writer *j, const jn_model *model) {
  json_open_array(j, "joints");
  int nv = jn_model_nv(model);
  for (int v = 0; v < nv; v++) {
    int coordinate;
    int joint = jn_coordinate_joint(model, v, &coordinate);
    if (coordinate != 0) continue;
    json_open_line(j, NULL);
    json_text(j, "name", jn_joint_name(model, joint));
    json_text(j, "type", jn_joint_type_name(jn_joint_type_of(model, joint)));
    json_integer(j, "nq", jn_joint_nq(model, joint));
    json_integer(j, "nv", jn_joint_nv(model, joint));
    json_close_object(j);
  }
  json_close_array(j);
}

static void write_frames(json_writer *j, const jn_model *model) {
  json_open_array(j, "frames");
  for (int i = jn_link_count(model); i < jn_frame_count(model); i++) {
    double placement[16];
    int link = jn_frame_link(model, i);
    jn_frame_placement(model, i, placement);
    json_open_object(j, NULL);
    json_text(j, "name", jn_frame_name(model, i));
    json_text(j, "link", link == JN_WORLD ? "world" : jn_link_name(model, link));
    json_matrix(j, "placement", placement, 4, 4);
    json_close_object(j);
  }
  json_close_array(j);
}

static void write_loop(json_writer *j, const jn_loop *loop) {
  json_open_object(j, NULL);
  json_text(j, "name", loop->name);
  json_text(j, "type", jn_loop_type_name(loop->type));
  json_text(j, "link_a", loop->link_a);
  json_text(j, "link_b", loop->link_b);
  json_matrix(j, "placement_a", loop->placement_a, 4, 4);
  json_matrix(j, "placement_b", loop->placement_b, 4, 4);
  json_numbers(j, "axis", loop->axis, 3);
  json_numbers(j, "axis2", loop->axis2, 3);
  json_number(j, "distance", loop->distance);
  json_integer(j, "mask", (int)loop->mask);
  json_close_object(j);
}

void info_json(const model_arg *arg) {
  const jn_model *model = arg->model;
  json_writer j;
  double gravity[3];
  jn_model_gravity(model, gravity);
  json_init(&j, stdout);
  json_open_object(&j, NULL);
  json_text(&j, "name", jn_model_name(model));
  json_text(&j, "source", arg->source);
  json_integer(&j, "nq", jn_model_nq(model));
  json_integer(&j, "nv", jn_model_nv(model));
  json_integer(&j, "moving_joints", moving_joint_count(model));
  json_integer(&j, "depth", jn_model_depth(model));
  json_numbers(&j, "gravity", gravity, 3);
  json_number(&j, "mass", jn_model_mass(model));
  json_number(&j, "fixed_mass", jn_model_fixed_mass(model));
  json_text(&j, "row", jn_row_name());
  json_open_array(&j, "links");
  for (int i = 0; i < jn_link_count(model); i++) write_link(&j, model, i);
  json_close_array(&j);
  write_joints(&j, model);
  write_frames(&j, model);
  json_open_array(&j, "loops");
  for (int i = 0; i < jn_loop_count(model); i++) write_loop(&j, jn_loop_description(model, i));
  json_close_array(&j);
  json_messages(&j, arg->report);
  json_close_object(&j);
}
