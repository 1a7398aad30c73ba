/* SPDX-License-Identifier: BSD-2-Clause */
/* Motors of a motion whose rotors are carried by links. The torque of a joint depends on the accelerations of the
 * rotors behind it, theta'', and on nothing else of the motors, so the springs are solved from the tips of the tree to
 * its root: each spring joint on the way costs two orders of the motion. The robot with motors does all dynamics; its
 * rows of links are the torques of the springs, its rows of motors what turns the rotors. */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "elastic.h"

typedef struct coupled {
  jn_elastic *e;
  int order;
  double *q, *v_jet, *tau; /* of the robot: [nq], [(P+2) x N], [(P+1) x N] */
} coupled;

static void start(const coupled *c, int rows, const double *q, const double *v_jet) {
  const jn_elastic *e = c->e;
  size_t N = (size_t)e->robot_nv, n = (size_t)e->nv;
  for (int v = 0; v < e->nv; v++) {
    int number, joint = jn_coordinate_joint(e->model, v, &number), first = jn_joint_q(e->model, joint);
    if (number == 0) memcpy(c->q + e->link_q[v], q + first, (size_t)jn_joint_nq(e->model, joint) * sizeof *q);
    if (e->motor_q[v] >= 0) c->q[e->motor_q[v]] = q[e->place[v]];
    for (size_t k = 0; k < (size_t)rows; k++)
      c->v_jet[k * N + (size_t)e->link_v[v]] = c->v_jet[k * N + (size_t)e->motor_v[v]] = v_jet[k * n + (size_t)v];
  }
}

/* Springs from the torques of the links to order k: theta to the same order. */
static jn_status solve(const coupled *c, double t, int k, const double *q, const double *v_jet,
                       const jn_motor_motion *out) {
  jn_elastic *e = c->e;
  for (int v = 0; v < e->nv; v++) {
    double tau[JN_SERIES_TERMS], delta[JN_SERIES_TERMS];
    jn__series_of_jet(k + 1, c->tau + e->link_v[v], (size_t)e->robot_nv, tau);
    if (!jn__spring_solve(&e->springs[v], t, k, tau, delta)) {
      e->joint = v;
      return JN_ERR_SINGULAR;
    }
    for (int i = 0; i <= k; i++) {
      double factorial = jn__factorial(i);
      double position = i == 0 ? (e->place[v] >= 0 ? q[e->place[v]] : NAN) : v_jet[(i - 1) * e->nv + v];
      double theta = position + factorial * delta[i];
      if (i <= c->order + 2 && out->deflection_jet) out->deflection_jet[i * e->nv + v] = factorial * delta[i];
      if (i <= c->order + 2 && out->theta_jet) out->theta_jet[i * e->nv + v] = theta;
      if (e->motor_q[v] < 0) continue;
      if (i == 0) c->q[e->motor_q[v]] = theta;
      if (i > 0) c->v_jet[(i - 1) * e->robot_nv + e->motor_v[v]] = theta;
    }
  }
  return JN_OK;
}

static void write_motors(const coupled *c, const jn_motor_motion *out) {
  const jn_elastic *e = c->e;
  for (int v = 0; v < e->nv; v++) {
    const jn_actuator *a = &e->springs[v].actuator;
    double speed[JN_SERIES_TERMS], friction[JN_SERIES_TERMS], now = 0;
    jn__series_of_jet(c->order + 1, c->v_jet + e->motor_v[v], (size_t)e->robot_nv, speed);
    jn__friction_series(a, c->order, speed, friction);
    for (int k = 0; k <= c->order; k++) {
      const double *tau = c->tau + (size_t)k * (size_t)e->robot_nv;
      double motor = tau[e->motor_v[v]] + friction[k] * jn__factorial(k);
      if (e->motor_v[v] != e->link_v[v]) motor += tau[e->link_v[v]];
      if (out->motor_jet) out->motor_jet[k * e->nv + v] = motor;
      if (k == 0) now = motor;
    }
    if (out->spring) out->spring[v] = c->tau[e->link_v[v]];
    if (out->current) out->current[v] = a->torque_constant > 0 ? now / (a->gear * a->torque_constant) : NAN;
    if (out->power) out->power[v] = now * speed[0];
  }
}

jn_status jn__coupled_inverse(jn_elastic *e, int order, double t, const double *q, const double *v_jet,
                              const jn_motor_motion *out) {
  if (e->has_damping || e->robot_loops) return JN_ERR_UNSUPPORTED;
  int P = order + 2 * e->levels;
  size_t N = (size_t)e->robot_nv;
  coupled c = {.e = e, .order = order, .q = e->coupled_room};
  c.v_jet = c.q + e->robot_nq;
  c.tau = c.v_jet + (size_t)(P + 2) * N;
  start(&c, P + 2, q, v_jet);
  jn_status status = JN_OK;
  for (int k = P; k > order && status == JN_OK; k -= 2) {
    status = jn_inverse_dynamics_jet(e->robot, e->robot_work, k, c.q, c.v_jet, NULL, c.tau);
    if (status == JN_OK) status = solve(&c, t, k, q, v_jet, out);
  }
  if (status == JN_OK) status = jn_inverse_dynamics_jet(e->robot, e->robot_work, order, c.q, c.v_jet, NULL, c.tau);
  if (status == JN_OK) write_motors(&c, out);
  return status;
}
