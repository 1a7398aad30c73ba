/* SPDX-License-Identifier: BSD-2-Clause */
/* From a motion of the links and its forces tau_J to the motion and the torques of the motors. [Spong 1987]
 *
 *   delta: phi(delta) = tau_J, or D delta' + phi(delta) = tau_J with damping       spring.c, damped.c
 *   theta = q + delta,    tau_m = B theta'' + tau_J + friction(theta')
 *
 * for each joint by itself, as series in time: motor torques of order K need tau_J to order K + 2. Symbols: elastic.h.
 */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "elastic.h"

/* Moves damped springs to time t; a step back in time restarts them. */
static jn_status move_damped_springs(jn_elastic *elastic, double t, int terms, const double *tau_jet) {
  double largest = elastic->error;
  if (elastic->started && !(t >= elastic->t)) jn_elastic_restart(elastic), largest = 0;
  for (int v = 0; v < elastic->nv; v++) {
    const jn_spring *spring = &elastic->springs[v];
    double tau[JN_TORQUE_TERMS], *before = elastic->torque + (size_t)v * JN_TORQUE_TERMS, error = 0;
    if (spring->actuator.damping == 0) continue;
    jn__series_of_jet(terms, tau_jet + v, (size_t)elastic->nv, tau);

    /* At the first call on the slow solution, then integrated from the last time. */
    jn_status status = JN_OK;
    if (!elastic->started)
      status = jn__damped_start(spring, t, terms, tau, &elastic->state[v]) ? JN_OK : JN_ERR_SINGULAR;
    else if (t > elastic->t)
      status = jn__damped_advance(spring, elastic->t, t, terms, before, tau, &elastic->state[v], &error);
    if (status != JN_OK) {
      elastic->joint = v;
      elastic->started = 0;
      return status;
    }

    largest = fmax(largest, error);
    memcpy(before, tau, (size_t)terms * sizeof *tau);
  }
  elastic->started = 1;
  elastic->t = t;
  elastic->error = largest;
  return JN_OK;
}

/* Series of the position of coordinate v, [terms]. */
static void position_series(const jn_elastic *elastic, int v, int terms, const double *q, const double *v_jet,
                            double *x) {
  double rate[JN_SERIES_TERMS];
  jn__series_of_jet(terms - 1, v_jet + v, (size_t)elastic->nv, rate);
  x[0] = elastic->q_index[v] >= 0 ? q[elastic->q_index[v]] : NAN;
  for (int k = 1; k < terms; k++) x[k] = rate[k - 1] / k;
}

/* tau_m = B theta'' + tau_J + friction, current and power of one motor. */
static void write_motor(const jn_elastic *elastic, int v, int order, const double *theta, const double *tau,
                        const jn_motor_motion *out) {
  const jn_actuator *actuator = &elastic->springs[v].actuator;
  double speed[JN_SERIES_TERMS], friction[JN_SERIES_TERMS], motor[JN_SERIES_TERMS];
  for (int k = 0; k <= order; k++) speed[k] = (k + 1) * theta[k + 1];
  jn__friction_series(actuator, order, speed, friction);
  for (int k = 0; k <= order; k++)
    motor[k] = actuator->rotor_inertia * (k + 1) * (k + 2) * theta[k + 2] + tau[k] + friction[k];
  if (out->motor_jet) jn__jet_of_series(order + 1, motor, out->motor_jet + v, (size_t)elastic->nv);
  if (out->current)
    out->current[v] = actuator->torque_constant > 0 ? motor[0] / (actuator->gear * actuator->torque_constant) : NAN;
  if (out->power) out->power[v] = motor[0] * theta[1];
  if (out->spring) out->spring[v] = tau[0];
}

jn_status jn_elastic_inverse(jn_elastic *elastic, int order, double t, const double *q, const double *v_jet,
                             const double *tau_jet, const jn_motor_motion *out) {
  if (!elastic || !q || !v_jet || !out || !(tau_jet || elastic->options.coupled)) return JN_ERR_NULL;
  int terms = jn_elastic_order(elastic, order) + 1;
  if (terms <= 0) return JN_ERR_SIZE;
  elastic->joint = JN_NONE;
  if (elastic->options.coupled) return jn__coupled_inverse(elastic, order, t, q, v_jet, out);

  /* State of damped springs at time t. */
  jn_status status = elastic->has_damping ? move_damped_springs(elastic, t, terms, tau_jet) : JN_OK;
  for (int v = 0; v < elastic->nv && status == JN_OK; v++) {
    const jn_spring *spring = &elastic->springs[v];
    double tau[JN_TORQUE_TERMS], delta[JN_SERIES_TERMS], theta[JN_SERIES_TERMS];

    /* delta from tau_J. */
    jn__series_of_jet(terms, tau_jet + v, (size_t)elastic->nv, tau);
    if (spring->actuator.damping != 0) {
      jn__damped_series(spring, t, elastic->state[v], order + 2, tau, delta);
    } else if (!jn__spring_solve(spring, t, order + 2, tau, delta)) {
      elastic->joint = v;
      return JN_ERR_SINGULAR;
    }

    /* theta = q + delta, and the motor. */
    position_series(elastic, v, order + 3, q, v_jet, theta);
    for (int k = 0; k < order + 3; k++) theta[k] += delta[k];
    if (out->deflection_jet) jn__jet_of_series(order + 3, delta, out->deflection_jet + v, (size_t)elastic->nv);
    if (out->theta_jet) jn__jet_of_series(order + 3, theta, out->theta_jet + v, (size_t)elastic->nv);
    write_motor(elastic, v, order, theta, tau, out);
  }
  return status;
}
