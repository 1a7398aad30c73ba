/* SPDX-License-Identifier: BSD-2-Clause */
/* Motors of a motion whose rotors are carried by links.
 *
 * The torque of a joint depends on the accelerations theta'' of the rotors behind it, and on nothing else of the
 * motors, so the springs are solved from the tips of the tree to its root: each spring joint on a branch costs two
 * orders of the motion. The robot with motors does all dynamics; its rows of links are the torques of the springs, its
 * rows of motors what accelerates the rotors.
 *
 *   symbol        meaning                                          size
 *   q             configuration of the robot with motors           [nq]
 *   v_jet, tau    its velocities and forces with derivatives       [(P+2) x N], [(P+1) x N], P = order + 2 levels */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "elastic.h"

typedef struct coupled {
  jn_elastic *elastic;
  int order;
  double *q, *v_jet, *tau; /* of the robot: [nq], [(P+2) x N], [(P+1) x N] */
} coupled;

/* Links as given; motors as if their springs were rigid. */
static void set_links(const coupled *chain, int rows, const double *q, const double *v_jet) {
  const jn_elastic *elastic = chain->elastic;
  size_t N = (size_t)elastic->robot_nv, n = (size_t)elastic->nv;
  for (int v = 0; v < elastic->nv; v++) {
    int number, joint = jn_coordinate_joint(elastic->model, v, &number), first = jn_joint_q(elastic->model, joint);
    if (number == 0)
      memcpy(chain->q + elastic->link_q[v], q + first, (size_t)jn_joint_nq(elastic->model, joint) * sizeof *q);
    if (elastic->motor_q[v] >= 0) chain->q[elastic->motor_q[v]] = q[elastic->q_index[v]];
    for (size_t k = 0; k < (size_t)rows; k++)
      chain->v_jet[k * N + (size_t)elastic->link_v[v]] = chain->v_jet[k * N + (size_t)elastic->motor_v[v]] =
          v_jet[k * n + (size_t)v];
  }
}

/* Springs from the torques of the links to order k: theta to the same order. */
static jn_status solve_springs(const coupled *chain, double t, int k, const double *q, const double *v_jet,
                               const jn_motor_motion *out) {
  jn_elastic *elastic = chain->elastic;
  for (int v = 0; v < elastic->nv; v++) {
    double tau[JN_SERIES_TERMS], delta[JN_SERIES_TERMS];
    jn__series_of_jet(k + 1, chain->tau + elastic->link_v[v], (size_t)elastic->robot_nv, tau);
    if (!jn__spring_solve(&elastic->springs[v], t, k, tau, delta)) {
      elastic->joint = v;
      return JN_ERR_SINGULAR;
    }
    for (int i = 0; i <= k; i++) {
      double factorial = jn__factorial(i);
      double position =
          i == 0 ? (elastic->q_index[v] >= 0 ? q[elastic->q_index[v]] : NAN) : v_jet[(i - 1) * elastic->nv + v];
      double theta = position + factorial * delta[i];
      if (i <= chain->order + 2 && out->deflection_jet) out->deflection_jet[i * elastic->nv + v] = factorial * delta[i];
      if (i <= chain->order + 2 && out->theta_jet) out->theta_jet[i * elastic->nv + v] = theta;
      if (elastic->motor_q[v] < 0) continue;
      if (i == 0) chain->q[elastic->motor_q[v]] = theta;
      if (i > 0) chain->v_jet[(i - 1) * elastic->robot_nv + elastic->motor_v[v]] = theta;
    }
  }
  return JN_OK;
}

/* Torques, currents and powers of the motors. */
static void write_motors(const coupled *chain, const jn_motor_motion *out) {
  const jn_elastic *elastic = chain->elastic;
  for (int v = 0; v < elastic->nv; v++) {
    const jn_actuator *a = &elastic->springs[v].actuator;
    double speed[JN_SERIES_TERMS], friction[JN_SERIES_TERMS], now = 0;
    jn__series_of_jet(chain->order + 1, chain->v_jet + elastic->motor_v[v], (size_t)elastic->robot_nv, speed);
    jn__friction_series(a, chain->order, speed, friction);
    for (int k = 0; k <= chain->order; k++) {
      const double *tau = chain->tau + (size_t)k * (size_t)elastic->robot_nv;
      double motor = tau[elastic->motor_v[v]] + friction[k] * jn__factorial(k);
      if (elastic->motor_v[v] != elastic->link_v[v]) motor += tau[elastic->link_v[v]];
      if (out->motor_jet) out->motor_jet[k * elastic->nv + v] = motor;
      if (k == 0) now = motor;
    }
    if (out->spring) out->spring[v] = chain->tau[elastic->link_v[v]];
    if (out->current) out->current[v] = a->torque_constant > 0 ? now / (a->gear * a->torque_constant) : NAN;
    if (out->power) out->power[v] = now * speed[0];
  }
}

jn_status jn__coupled_inverse(jn_elastic *elastic, int order, double t, const double *q, const double *v_jet,
                              const jn_motor_motion *out) {
  if (elastic->has_damping || elastic->robot_loops) return JN_ERR_UNSUPPORTED;
  int P = order + 2 * elastic->levels;
  size_t N = (size_t)elastic->robot_nv;
  coupled chain = {.elastic = elastic, .order = order, .q = elastic->coupled_scratch};
  chain.v_jet = chain.q + elastic->robot_nq;
  chain.tau = chain.v_jet + (size_t)(P + 2) * N;

  /* From the highest order down: torques of the links, then deflections; two orders are used up by each level. */
  set_links(&chain, P + 2, q, v_jet);
  jn_status status = JN_OK;
  for (int k = P; k > order && status == JN_OK; k -= 2) {
    status = jn_inverse_dynamics_jet(elastic->robot, elastic->robot_work, k, chain.q, chain.v_jet, NULL, chain.tau);
    if (status == JN_OK) status = solve_springs(&chain, t, k, q, v_jet, out);
  }

  /* Torques of the motors. */
  if (status == JN_OK)
    status = jn_inverse_dynamics_jet(elastic->robot, elastic->robot_work, order, chain.q, chain.v_jet, NULL, chain.tau);
  if (status == JN_OK) write_motors(&chain, out);
  return status;
}
