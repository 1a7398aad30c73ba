/* SPDX-License-Identifier: BSD-2-Clause */
/* The robot with a coordinate for every motor behind a spring.
 *
 * In the reduced model a motor is a joint on the world that moves nothing but its armature, the rotor's inertia B.
 * Otherwise (options.coupled) the rotor is a body on the link that carries the motor, on the axis of the joint, and
 * rotates `gear` times as fast as its coordinate. Of its inertia only the moment about its axis is moved from the
 * link's data, which contain the whole motor, to the rotor: mass and the moments across do not depend on its angle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elastic.h"
#include "jounce/trajectory.h"

enum { NAME = JN_COORDINATE_NAME + 8 };

static jn_status motor_name(const jn_elastic *elastic, int v, char name[NAME]) {
  char coordinate[JN_COORDINATE_NAME];
  jn_status status = jn_velocity_name(elastic->model, v, coordinate, sizeof coordinate);
  snprintf(name, NAME, "%s.motor", coordinate);
  return status;
}

/* Moment of inertia of the rotor about its own axis [kg m^2]. */
static double rotor_moment(const jn_elastic *elastic, int v) {
  const jn_actuator *a = &elastic->springs[v].actuator;
  return a->rotor_inertia / (a->gear * a->gear);
}

/* The rotor's tensor J a a^T, in the axes in which `axis` is given, added `times` times. */
static void add_rotor_inertia(double inertia[10], double times, const double axis[3]) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) inertia[4 + k] += times * axis[pair[k][0]] * axis[pair[k][1]];
}

static int is_coupled(const jn_elastic *elastic, int v) {
  return elastic->options.coupled && jn_elastic_is_elastic(elastic, v);
}

/* Subtracts from the inertia of a link what the rotors that it carries have as bodies of their own. */
static void subtract_carried_rotors(const jn_elastic *elastic, int link, double inertia[10]) {
  for (int v = 0; v < elastic->nv; v++) {
    int joint = jn_coordinate_joint(elastic->model, v, NULL);
    if (!is_coupled(elastic, v) || jn_link_parent(elastic->model, joint) != link) continue;
    const double *a = jn_joint_description(elastic->model, joint)->axis;
    double T[16], axis[3];
    jn_link_placement(elastic->model, joint, T);
    for (int i = 0; i < 3; i++) axis[i] = T[4 * i] * a[0] + T[4 * i + 1] * a[1] + T[4 * i + 2] * a[2];
    add_rotor_inertia(inertia, -rotor_moment(elastic, v), axis);
  }
}

static jn_status add_links(const jn_elastic *elastic, jn_builder *builder) {
  const jn_model *model = elastic->model;
  jn_status status = JN_OK;
  for (int i = 0; i < jn_link_count(model) && status == JN_OK; i++) {
    jn_link link;
    jn_link_init(&link);
    link.name = jn_link_name(model, i);
    int parent = jn_link_parent(model, i), first = jn_joint_v(model, i);
    link.parent = parent >= 0 ? jn_link_name(model, parent) : NULL;
    jn_link_placement(model, i, link.placement);
    jn_link_inertia(model, i, link.inertia);
    subtract_carried_rotors(elastic, i, link.inertia);
    link.joint = *jn_joint_description(model, i);
    for (int k = 0; k < jn_joint_nv(model, i); k++) /* the rotor of a rigid joint moves with it */
      if (!jn_elastic_is_elastic(elastic, first + k))
        link.joint.dof[k].armature += elastic->springs[first + k].actuator.rotor_inertia;
    status = jn_builder_add_link(builder, &link);
  }
  return status;
}

static jn_status add_motor(const jn_elastic *elastic, int v, jn_builder *builder) {
  char name[NAME];
  jn_link link;
  jn_link_init(&link);
  jn_status status = motor_name(elastic, v, name);
  if (status != JN_OK) return status;
  link.name = link.joint.name = name;
  link.joint.type = JN_CONTINUOUS;
  const jn_actuator *a = &elastic->springs[v].actuator;
  if (!is_coupled(elastic, v)) {
    link.joint.dof[0].armature = a->rotor_inertia;
    return jn_builder_add_link(builder, &link);
  }
  int joint = jn_coordinate_joint(elastic->model, v, NULL), parent = jn_link_parent(elastic->model, joint);
  const jn_joint *described = jn_joint_description(elastic->model, joint);
  link.parent = parent >= 0 ? jn_link_name(elastic->model, parent) : NULL;
  jn_link_placement(elastic->model, joint, link.placement);
  link.joint.type = JN_GENERAL;
  link.joint.screw_count = 1;
  const double *axis = described->axis, *p = described->point;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    link.joint.screws[0][i] = a->gear * axis[i];
    link.joint.screws[0][3 + i] = a->gear * (p[j] * axis[k] - p[k] * axis[j]);
  }
  add_rotor_inertia(link.inertia, rotor_moment(elastic, v), axis);
  return jn_builder_add_link(builder, &link);
}

static jn_status add_all(const jn_elastic *elastic, jn_builder *builder) {
  const jn_model *model = elastic->model;
  double gravity[3], T[16];
  jn_model_gravity(model, gravity);
  jn_status status = jn_builder_set_name(builder, jn_model_name(model));
  if (status == JN_OK) status = jn_builder_set_gravity(builder, gravity);
  if (status == JN_OK) status = add_links(elastic, builder);
  for (int v = 0; v < elastic->nv && status == JN_OK; v++)
    if (jn_elastic_is_elastic(elastic, v)) status = add_motor(elastic, v, builder);
  for (int f = jn_link_count(model); f < jn_frame_count(model) && status == JN_OK; f++) {
    jn_frame_placement(model, f, T);
    status = jn_builder_add_frame(builder, jn_frame_name(model, f), jn_link_name(model, jn_frame_link(model, f)), T);
  }
  for (int i = 0; i < jn_loop_count(model) && status == JN_OK; i++)
    status = jn_builder_add_loop(builder, jn_loop_description(model, i));
  return status;
}

static jn_status find_coordinates(jn_elastic *elastic) {
  char name[NAME];
  for (int v = 0; v < elastic->nv; v++) {
    int number, joint = jn_coordinate_joint(elastic->model, v, &number);
    int link = jn_joint_index(elastic->robot, jn_joint_name(elastic->model, joint));
    if (link < 0) return JN_ERR_MODEL;
    elastic->link_v[v] = elastic->motor_v[v] = jn_joint_v(elastic->robot, link) + number;
    elastic->link_q[v] = jn_joint_q(elastic->robot, link);
    elastic->motor_q[v] = -1;
    if (!jn_elastic_is_elastic(elastic, v)) continue;
    motor_name(elastic, v, name);
    int motor = jn_joint_index(elastic->robot, name);
    if (motor < 0) return JN_ERR_MODEL;
    elastic->motor_v[v] = jn_joint_v(elastic->robot, motor);
    elastic->motor_q[v] = jn_joint_q(elastic->robot, motor);
  }
  return JN_OK;
}

jn_status jn__elastic_build_robot(jn_elastic *elastic, jn_error *error) {
  jn_options options;
  jn_builder *builder = NULL;
  jn_options_init(&options);
  options.allocator = &elastic->allocator;
  const char **order = jn__allocate(&elastic->allocator, ((size_t)elastic->nv + 1) * sizeof *order);
  if (!order) return jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
  for (int v = 0; v < elastic->nv; v++) {
    int number, joint = jn_coordinate_joint(elastic->model, v, &number);
    if (number == 0) order[options.joint_order_count++] = jn_joint_name(elastic->model, joint);
  }
  options.joint_order = order;
  jn_status status = jn_builder_create(&options, &builder);
  if (status == JN_OK) status = add_all(elastic, builder);
  if (status == JN_OK) status = jn_builder_freeze(builder, &elastic->robot, error);
  jn_builder_destroy(builder);
  jn__release(&elastic->allocator, order);
  if (status != JN_OK)
    return status == JN_ERR_MODEL ? status : jn__fail(error, status, NULL, "%s", jn_status_text(status));
  elastic->robot_nq = jn_model_nq(elastic->robot);
  elastic->robot_nv = jn_model_nv(elastic->robot);
  return find_coordinates(elastic);
}
