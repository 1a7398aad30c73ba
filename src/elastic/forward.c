/* SPDX-License-Identifier: BSD-2-Clause */
/* The elastic robot as a system: states of links and motors, forces, accelerations and their derivatives.
 *
 *   tau = (springs on the links; tau_m - friction - springs on the motors),    spring = phi(delta) + D delta'
 *   a = forward dynamics of the robot with motors (robot.c) under tau
 *   da/dq = a_q + X dtau/dq,    da/dv = a_v + X dtau/dv,    da/dtau_m = columns of X = da/dtau
 *
 * q_all, v_all are those of the robot with motors. Other symbols: elastic.h. */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "elastic.h"
#include "jounce/derivatives.h"

/* Numbers in q of the joint of coordinate v, once for each joint; *first is the first of them. */
static int joint_nq(const jn_elastic *elastic, int v, int *first) {
  int number, joint = jn_coordinate_joint(elastic->model, v, &number);
  *first = jn_joint_q(elastic->model, joint);
  return number == 0 ? jn_joint_nq(elastic->model, joint) : 0; /* once for each joint */
}

jn_status jn_elastic_join(const jn_elastic *elastic, const double *q, const double *v, const double *theta,
                          const double *dtheta, double *q_all, double *v_all) {
  if (!elastic || !q || !v || !theta || !dtheta || !q_all || !v_all) return JN_ERR_NULL;
  for (int i = 0; i < elastic->nv; i++) {
    int first, n = joint_nq(elastic, i, &first);
    memcpy(q_all + elastic->link_q[i], q + first, (size_t)n * sizeof *q);
    v_all[elastic->link_v[i]] = v[i];
    if (elastic->motor_q[i] < 0) continue;
    q_all[elastic->motor_q[i]] = theta[i];
    v_all[elastic->motor_v[i]] = dtheta[i];
  }
  return JN_OK;
}

jn_status jn_elastic_split(const jn_elastic *elastic, const double *q_all, const double *v_all, double *q, double *v,
                           double *theta, double *dtheta) {
  if (!elastic || !q_all || !v_all) return JN_ERR_NULL;
  for (int i = 0; i < elastic->nv; i++) {
    int first, n = joint_nq(elastic, i, &first), number;
    jn_coordinate_joint(elastic->model, i, &number);
    if (q) memcpy(q + first, q_all + elastic->link_q[i], (size_t)n * sizeof *q);
    if (v) v[i] = v_all[elastic->link_v[i]];
    double rigid = elastic->q_index[i] >= 0 ? q_all[elastic->link_q[i] + number] : NAN;
    if (theta) theta[i] = elastic->motor_q[i] >= 0 ? q_all[elastic->motor_q[i]] : rigid;
    if (dtheta) dtheta[i] = v_all[elastic->motor_v[i]];
  }
  return JN_OK;
}

/* delta of a spring at the configuration q_all. */
static double deflection_of(const jn_elastic *elastic, int v, const double *q_all) {
  int number;
  jn_coordinate_joint(elastic->model, v, &number);
  return q_all[elastic->motor_q[v]] - q_all[elastic->link_q[v] + number];
}

/* Series of phi(delta) + D delta' of one spring. */
static void spring_forces(const jn_elastic *elastic, double t, int order, int v, const double *q_all,
                          const double *v_jet, double *force) {
  const jn_spring *spring = &elastic->springs[v];
  double link[JN_SERIES_TERMS], motor[JN_SERIES_TERMS], delta[JN_SERIES_TERMS], taylor[JN_SERIES_TERMS],
      power[JN_SERIES_TERMS * JN_SERIES_TERMS];
  jn__series_of_jet(order + 1, v_jet + elastic->link_v[v], (size_t)elastic->robot_nv, link);
  jn__series_of_jet(order + 1, v_jet + elastic->motor_v[v], (size_t)elastic->robot_nv, motor);
  delta[0] = deflection_of(elastic, v, q_all);
  for (int k = 0; k < order; k++) delta[k + 1] = (motor[k] - link[k]) / (k + 1);
  jn__spring_prepare(spring, t, delta[0], order, taylor);
  for (int k = 0; k <= order; k++)
    force[k] = jn__spring_term(spring, taylor, k, delta, power) + spring->actuator.damping * (motor[k] - link[k]);
}

jn_status jn_elastic_forces(const jn_elastic *elastic, double t, int order, const double *q_all, const double *v_jet,
                            const double *motor_jet, double *tau_jet) {
  if (!elastic || !q_all || !v_jet || !tau_jet) return JN_ERR_NULL;
  if (order < 0 || order > JN_SERIES_TERMS - 4) return JN_ERR_SIZE;
  size_t n = (size_t)elastic->robot_nv;
  memset(tau_jet, 0, (size_t)(order + 1) * n * sizeof *tau_jet);
  for (int v = 0; v < elastic->nv; v++) {
    double speed[JN_SERIES_TERMS], friction[JN_SERIES_TERMS], spring[JN_SERIES_TERMS] = {0};
    int link = elastic->link_v[v], motor = elastic->motor_v[v];

    /* Friction and spring as series. */
    jn__series_of_jet(order + 1, v_jet + motor, (size_t)elastic->robot_nv, speed);
    jn__friction_series(&elastic->springs[v].actuator, order, speed, friction);
    if (motor != link) spring_forces(elastic, t, order, v, q_all, v_jet, spring);

    /* On the motor: tau_m - friction - spring; on the link: spring. */
    for (int k = 0; k <= order; k++) {
      double *to = tau_jet + (size_t)k * n, factorial = jn__factorial(k);
      to[motor] += motor_jet ? motor_jet[(size_t)k * (size_t)elastic->nv + (size_t)v] : 0;
      to[motor] -= friction[k] * factorial;
      to[motor] -= spring[k] * factorial;
      to[link] += spring[k] * factorial;
    }
  }
  return JN_OK;
}

/* Adds X dtau/dq to da_dq and X dtau/dv to da_dv, where tau are springs and friction and X = da/dtau. */
static void add_derivatives(const jn_elastic *elastic, double t, const double *q_all, const double *v_all,
                            const double *X, double *da_dq, double *da_dv) {
  int n = elastic->robot_nv;
  for (int v = 0; v < elastic->nv; v++) {
    const jn_actuator *a = &elastic->springs[v].actuator;
    int link = elastic->link_v[v], motor = elastic->motor_v[v];

    /* Derivatives of friction and of the spring. */
    double f[2] = {0, 0}, speed = v_all[motor], size = hypot(speed, a->friction_speed);
    double loss = a->rotor_damping + a->frictionloss * a->friction_speed * a->friction_speed / (size * size * size);
    if (motor != link) jn__spring_taylor(&elastic->springs[v], t, deflection_of(elastic, v, q_all), 1, f);
    double damping = motor != link ? a->damping : 0;

    /* Columns of the motor and of the link. */
    for (int i = 0; i < n; i++) {
      double push = X[i * n + motor],
             pull = motor != link ? push - X[i * n + link] : 0; /* pull: what one unit of spring torque does */
      if (da_dq) da_dq[i * n + motor] -= f[1] * pull;
      if (da_dq) da_dq[i * n + link] += f[1] * pull;
      if (da_dv) da_dv[i * n + motor] -= damping * pull + loss * push;
      if (da_dv) da_dv[i * n + link] += damping * pull;
    }
  }
}

jn_status jn_elastic_dynamics(jn_elastic *elastic, double t, const double *q_all, const double *v_all,
                              const double *motor, double *a, double *da_dq, double *da_dv, double *da_dmotor) {
  if (!elastic || !q_all || !v_all || !motor) return JN_ERR_NULL;
  size_t n = (size_t)elastic->robot_nv;
  double *tau = elastic->scratch, *rates = tau + n, *X = rates + n, *dq = X + n * n, *dv = dq + n * n,
         *lambda = dv + n * n;

  /* Forces, then forward dynamics and its derivatives. */
  jn_status status = jn_elastic_forces(elastic, t, 0, q_all, v_all, motor, tau);
  if (status != JN_OK) return status;
  if (elastic->robot_loops) {
    jn_loops_derivatives out = {.da_dq = dq, .da_dv = dv, .da_dgiven = X};
    status = jn_loops_forward_dynamics_derivatives(elastic->robot_loops, q_all, v_all, tau, NULL, JN_IN_BODY, rates,
                                                   lambda, &out);
  } else {
    status = jn_forward_dynamics_derivatives(elastic->robot, elastic->robot_work, q_all, v_all, tau, NULL, JN_IN_BODY,
                                             rates, dq, dv, X, NULL);
  }
  if (status != JN_OK) return status;

  /* Derivatives by q and v through springs and friction. */
  if (a) memcpy(a, rates, n * sizeof *a);
  add_derivatives(elastic, t, q_all, v_all, X, dq, dv);
  if (da_dq) memcpy(da_dq, dq, n * n * sizeof *dq);
  if (da_dv) memcpy(da_dv, dv, n * n * sizeof *dv);

  /* Columns of the motors. */
  for (int v = 0; v < elastic->nv && da_dmotor; v++)
    for (size_t i = 0; i < n; i++)
      da_dmotor[i * (size_t)elastic->nv + (size_t)v] = X[i * n + (size_t)elastic->motor_v[v]];
  return JN_OK;
}
