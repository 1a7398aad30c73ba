/* SPDX-License-Identifier: BSD-2-Clause */
/* The robot with a coordinate for every motor behind a spring. In the reduced model a motor is a joint on the world
 * that moves nothing but its armature, the rotor's inertia. Else the rotor is a body on the link that carries the
 * motor, on the axis of the joint, and turns `gear` times as fast as its coordinate. Of its inertia only the moment
 * about its axis is moved from the link's data, which hold all of the motor, to the rotor: mass and the moments across
 * do not depend on its angle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elastic.h"
#include "jounce/trajectory.h"

enum { NAME = JN_COORDINATE_NAME + 8 };

static jn_status motor_name(const jn_elastic *e, int v, char name[NAME]) {
  char coordinate[JN_COORDINATE_NAME];
  jn_status status = jn_velocity_name(e->model, v, coordinate, sizeof coordinate);
  snprintf(name, NAME, "%s.motor", coordinate);
  return status;
}

/* The moment of the rotor about its own axis, and that axis in the frame of the joint's link. */
static double rotor_moment(const jn_elastic *e, int v) {
  const jn_actuator *a = &e->springs[v].actuator;
  return a->rotor_inertia / (a->gear * a->gear);
}

/* The rotor's tensor J a a^T, in the axes in which `axis` is given, added `times` times. */
static void add_rotor(double inertia[10], double times, const double axis[3]) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) inertia[4 + k] += times * axis[pair[k][0]] * axis[pair[k][1]];
}

static int is_coupled(const jn_elastic *e, int v) { return e->options.coupled && jn_elastic_is_elastic(e, v); }

/* Takes from link i what the rotors that it carries have now. */
static void give_rotors(const jn_elastic *e, int link, double inertia[10]) {
  for (int v = 0; v < e->nv; v++) {
    int joint = jn_coordinate_joint(e->model, v, NULL);
    if (!is_coupled(e, v) || jn_link_parent(e->model, joint) != link) continue;
    const double *a = jn_joint_description(e->model, joint)->axis;
    double T[16], axis[3];
    jn_link_placement(e->model, joint, T);
    for (int i = 0; i < 3; i++) axis[i] = T[4 * i] * a[0] + T[4 * i + 1] * a[1] + T[4 * i + 2] * a[2];
    add_rotor(inertia, -rotor_moment(e, v), axis);
  }
}

static jn_status add_links(const jn_elastic *e, jn_builder *b) {
  const jn_model *m = e->model;
  jn_status status = JN_OK;
  for (int i = 0; i < jn_link_count(m) && status == JN_OK; i++) {
    jn_link link;
    jn_link_init(&link);
    link.name = jn_link_name(m, i);
    int parent = jn_link_parent(m, i), first = jn_joint_v(m, i);
    link.parent = parent >= 0 ? jn_link_name(m, parent) : NULL;
    jn_link_placement(m, i, link.placement);
    jn_link_inertia(m, i, link.inertia);
    give_rotors(e, i, link.inertia);
    link.joint = *jn_joint_description(m, i);
    for (int k = 0; k < jn_joint_nv(m, i); k++) /* the rotor of a rigid joint moves with it */
      if (!jn_elastic_is_elastic(e, first + k))
        link.joint.dof[k].armature += e->springs[first + k].actuator.rotor_inertia;
    status = jn_builder_add_link(b, &link);
  }
  return status;
}

static jn_status add_motor(const jn_elastic *e, int v, jn_builder *b) {
  char name[NAME];
  jn_link link;
  jn_link_init(&link);
  jn_status status = motor_name(e, v, name);
  if (status != JN_OK) return status;
  link.name = link.joint.name = name;
  link.joint.type = JN_CONTINUOUS;
  const jn_actuator *a = &e->springs[v].actuator;
  if (!is_coupled(e, v)) {
    link.joint.dof[0].armature = a->rotor_inertia;
    return jn_builder_add_link(b, &link);
  }
  int joint = jn_coordinate_joint(e->model, v, NULL), parent = jn_link_parent(e->model, joint);
  const jn_joint *described = jn_joint_description(e->model, joint);
  link.parent = parent >= 0 ? jn_link_name(e->model, parent) : NULL;
  jn_link_placement(e->model, joint, link.placement);
  link.joint.type = JN_GENERAL;
  link.joint.screw_count = 1;
  const double *axis = described->axis, *p = described->point;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    link.joint.screws[0][i] = a->gear * axis[i];
    link.joint.screws[0][3 + i] = a->gear * (p[j] * axis[k] - p[k] * axis[j]);
  }
  add_rotor(link.inertia, rotor_moment(e, v), axis);
  return jn_builder_add_link(b, &link);
}

static jn_status add_all(const jn_elastic *e, jn_builder *b) {
  const jn_model *m = e->model;
  double gravity[3], T[16];
  jn_model_gravity(m, gravity);
  jn_status status = jn_builder_set_name(b, jn_model_name(m));
  if (status == JN_OK) status = jn_builder_set_gravity(b, gravity);
  if (status == JN_OK) status = add_links(e, b);
  for (int v = 0; v < e->nv && status == JN_OK; v++)
    if (jn_elastic_is_elastic(e, v)) status = add_motor(e, v, b);
  for (int f = jn_link_count(m); f < jn_frame_count(m) && status == JN_OK; f++) {
    jn_frame_placement(m, f, T);
    status = jn_builder_add_frame(b, jn_frame_name(m, f), jn_link_name(m, jn_frame_link(m, f)), T);
  }
  for (int i = 0; i < jn_loop_count(m) && status == JN_OK; i++)
    status = jn_builder_add_loop(b, jn_loop_description(m, i));
  return status;
}

static jn_status find_coordinates(jn_elastic *e) {
  char name[NAME];
  for (int v = 0; v < e->nv; v++) {
    int number, joint = jn_coordinate_joint(e->model, v, &number);
    int link = jn_joint_index(e->robot, jn_joint_name(e->model, joint));
    if (link < 0) return JN_ERR_MODEL;
    e->link_v[v] = e->motor_v[v] = jn_joint_v(e->robot, link) + number;
    e->link_q[v] = jn_joint_q(e->robot, link);
    e->motor_q[v] = -1;
    if (!jn_elastic_is_elastic(e, v)) continue;
    motor_name(e, v, name);
    int motor = jn_joint_index(e->robot, name);
    if (motor < 0) return JN_ERR_MODEL;
    e->motor_v[v] = jn_joint_v(e->robot, motor);
    e->motor_q[v] = jn_joint_q(e->robot, motor);
  }
  return JN_OK;
}

jn_status jn__elastic_build_robot(jn_elastic *e, jn_error *error) {
  jn_options options;
  jn_builder *b = NULL;
  jn_options_init(&options);
  options.allocator = &e->allocator;
  const char **order = jn__allocate(&e->allocator, ((size_t)e->nv + 1) * sizeof *order);
  if (!order) return jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
  for (int v = 0; v < e->nv; v++) {
    int number, joint = jn_coordinate_joint(e->model, v, &number);
    if (number == 0) order[options.joint_order_count++] = jn_joint_name(e->model, joint);
  }
  options.joint_order = order;
  jn_status status = jn_builder_create(&options, &b);
  if (status == JN_OK) status = add_all(e, b);
  if (status == JN_OK) status = jn_builder_freeze(b, &e->robot, error);
  jn_builder_destroy(b);
  jn__release(&e->allocator, order);
  if (status != JN_OK)
    return status == JN_ERR_MODEL ? status : jn__fail(error, status, NULL, "%s", jn_status_text(status));
  e->robot_nq = jn_model_nq(e->robot);
  e->robot_nv = jn_model_nv(e->robot);
  return find_coordinates(e);
}
