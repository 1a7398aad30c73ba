/* SPDX-License-Identifier: BSD-2-Clause */
/* From a motion and its link-side forces to its motors. */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "elastic.h"

/* Moves damped springs to time t. */
static jn_status move(jn_elastic *e, double t, int terms, const double *tau_jet) {
  double largest = e->error;
  if (e->started && !(t >= e->t)) jn_elastic_restart(e), largest = 0;
  for (int v = 0; v < e->nv; v++) {
    const jn_spring *s = &e->springs[v];
    double tau[JN_TORQUE_TERMS], *before = e->torque + (size_t)v * JN_TORQUE_TERMS, error = 0;
    if (s->actuator.damping == 0) continue;
    jn__series_of_jet(terms, tau_jet + v, (size_t)e->nv, tau);
    jn_status status = JN_OK;
    if (!e->started)
      status = jn__damped_start(s, t, terms, tau, &e->state[v]) ? JN_OK : JN_ERR_SINGULAR;
    else if (t > e->t)
      status = jn__damped_advance(s, e->t, t, terms, before, tau, &e->state[v], &error);
    if (status != JN_OK) {
      e->joint = v;
      e->started = 0;
      return status;
    }
    largest = fmax(largest, error);
    memcpy(before, tau, (size_t)terms * sizeof *tau);
  }
  e->started = 1;
  e->t = t;
  e->error = largest;
  return JN_OK;
}

/* Position, and its derivatives, of coordinate v: [order + 3] terms. */
static void position_series(const jn_elastic *e, int v, int terms, const double *q, const double *v_jet, double *x) {
  double rate[JN_SERIES_TERMS];
  jn__series_of_jet(terms - 1, v_jet + v, (size_t)e->nv, rate);
  x[0] = e->place[v] >= 0 ? q[e->place[v]] : NAN;
  for (int k = 1; k < terms; k++) x[k] = rate[k - 1] / k;
}

static void motor_of(const jn_elastic *e, int v, int order, const double *theta, const double *tau,
                     const jn_motor_motion *out) {
  const jn_actuator *a = &e->springs[v].actuator;
  double speed[JN_SERIES_TERMS], friction[JN_SERIES_TERMS], motor[JN_SERIES_TERMS];
  for (int k = 0; k <= order; k++) speed[k] = (k + 1) * theta[k + 1];
  jn__friction_series(a, order, speed, friction);
  for (int k = 0; k <= order; k++)
    motor[k] = a->rotor_inertia * (k + 1) * (k + 2) * theta[k + 2] + tau[k] + friction[k];
  if (out->motor_jet) jn__jet_of_series(order + 1, motor, out->motor_jet + v, (size_t)e->nv);
  if (out->current) out->current[v] = a->torque_constant > 0 ? motor[0] / (a->gear * a->torque_constant) : NAN;
  if (out->power) out->power[v] = motor[0] * theta[1];
  if (out->spring) out->spring[v] = tau[0];
}

jn_status jn_elastic_inverse(jn_elastic *elastic, int order, double t, const double *q, const double *v_jet,
                             const double *tau_jet, const jn_motor_motion *out) {
  jn_elastic *e = elastic;
  if (!e || !q || !v_jet || !out || !(tau_jet || e->options.coupled)) return JN_ERR_NULL;
  int terms = jn_elastic_order(e, order) + 1;
  if (terms <= 0) return JN_ERR_SIZE;
  e->joint = JN_NONE;
  if (e->options.coupled) return jn__coupled_inverse(e, order, t, q, v_jet, out);
  jn_status status = e->has_damping ? move(e, t, terms, tau_jet) : JN_OK;
  for (int v = 0; v < e->nv && status == JN_OK; v++) {
    const jn_spring *s = &e->springs[v];
    double tau[JN_TORQUE_TERMS], delta[JN_SERIES_TERMS], theta[JN_SERIES_TERMS];
    jn__series_of_jet(terms, tau_jet + v, (size_t)e->nv, tau);
    if (s->actuator.damping != 0) {
      jn__damped_series(s, t, e->state[v], order + 2, tau, delta);
    } else if (!jn__spring_solve(s, t, order + 2, tau, delta)) {
      e->joint = v;
      return JN_ERR_SINGULAR;
    }
    position_series(e, v, order + 3, q, v_jet, theta);
    for (int k = 0; k < order + 3; k++) theta[k] += delta[k];
    if (out->deflection_jet) jn__jet_of_series(order + 3, delta, out->deflection_jet + v, (size_t)e->nv);
    if (out->theta_jet) jn__jet_of_series(order + 3, theta, out->theta_jet + v, (size_t)e->nv);
    motor_of(e, v, order, theta, tau, out);
  }
  return status;
}
