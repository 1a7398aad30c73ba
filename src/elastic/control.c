/* SPDX-License-Identifier: BSD-2-Clause */
/* Control of elastic joints from the state of motors and links. De Luca 1988: with springs but without damping, motor
 * torques set the fourth derivative of the links' motion. */
#include <math.h>
#include <string.h>

#include "elastic.h"

/* Do springs without damping drive all that is driven? Rigid coordinates of models with loops are passive. */
static int is_flat(const jn_elastic *e) {
  if (e->options.coupled) return 0;
  for (int v = 0; v < e->nv; v++) {
    const jn_spring *s = &e->springs[v];
    int passive = e->loops && s->kind == JN_SPRING_RIGID && s->actuator.rotor_inertia == 0;
    if ((s->kind == JN_SPRING_RIGID && !passive) || s->actuator.damping != 0) return 0;
  }
  return 1;
}

/* tau_J and its rate [2 x nv]. */
static void spring_torques(const jn_elastic *e, double t, const double *q, const double *v, const double *theta,
                           const double *dtheta, double *tau_jet) {
  for (int i = 0; i < e->nv; i++) {
    const jn_spring *s = &e->springs[i];
    tau_jet[i] = tau_jet[e->nv + i] = 0;
    if (s->kind == JN_SPRING_RIGID) continue;
    double delta[2] = {theta[i] - q[e->place[i]], dtheta[i] - v[i]}, taylor[2];
    double power[JN_SERIES_TERMS * JN_SERIES_TERMS];
    jn__spring_prepare(s, t, delta[0], 1, taylor);
    for (int k = 0; k < 2; k++) tau_jet[k * e->nv + i] = jn__spring_term(s, taylor, k, delta, power);
  }
}

jn_status jn_elastic_state_jet(jn_elastic *elastic, double t, const double *q, const double *v, const double *theta,
                               const double *dtheta, double *v_jet) {
  jn_elastic *e = elastic;
  if (!e || !q || !v || !theta || !dtheta || !v_jet) return JN_ERR_NULL;
  if (!is_flat(e)) return JN_ERR_UNSUPPORTED;
  double *tau_jet = e->room;
  spring_torques(e, t, q, v, theta, dtheta, tau_jet);
  if (e->loops) return jn_loops_forward_dynamics_jet(e->loops, 1, q, v, tau_jet, NULL, v_jet, NULL);
  return jn_forward_dynamics_jet(e->model, e->work, 1, q, v, tau_jet, NULL, v_jet);
}

/* Loops: the driven coordinates have the snap that is wanted, the others follow. v_jet [4 x nv], its last row given. */
static jn_status closed_torques(jn_elastic *e, const double *q, double *v_jet, double *tau_jet) {
  unsigned char *driven = (unsigned char *)(tau_jet + 3 * e->nv);
  for (int v = 0; v < e->nv; v++) driven[v] = e->springs[v].kind != JN_SPRING_RIGID;
  jn_status status = jn_loops_complete_motion(e->loops, 2, driven, q, v_jet);
  if (status != JN_OK) return status;
  return jn_loops_inverse_dynamics_jet(e->loops, 2, driven, JN_LEAST_TORQUE, NULL, q, v_jet, NULL, NULL, tau_jet, NULL);
}

jn_status jn_elastic_linearising_torque(jn_elastic *elastic, double t, const double *q, const double *v,
                                        const double *theta, const double *dtheta, const double *snap, double *motor) {
  jn_elastic *e = elastic;
  if (!e || !snap || !motor) return JN_ERR_NULL;
  size_t n = (size_t)e->nv;
  double *v_jet = e->room + 2 * n, *tau_jet = v_jet + 4 * n;
  jn_status status = jn_elastic_state_jet(e, t, q, v, theta, dtheta, v_jet);
  if (status != JN_OK) return status;
  memcpy(v_jet + 3 * n, snap, n * sizeof *snap);
  status = e->loops ? closed_torques(e, q, v_jet, tau_jet)
                    : jn_inverse_dynamics_jet(e->model, e->work, 2, q, v_jet, NULL, tau_jet);
  const jn_motor_motion out = {.motor_jet = motor};
  return status == JN_OK ? jn_elastic_inverse(e, 0, t, q, v_jet, tau_jet, &out) : status;
}

jn_status jn_elastic_motor_pd(const jn_elastic *elastic, const double *motor_ff, const double *theta_jet,
                              const double *theta, const double *dtheta, const double *kp, const double *kd,
                              double *motor) {
  if (!elastic || !motor_ff || !theta_jet || !theta || !dtheta || !kp || !kd || !motor) return JN_ERR_NULL;
  for (int v = 0; v < elastic->nv; v++) {
    double angle = theta_jet[v] - theta[v], speed = theta_jet[elastic->nv + v] - dtheta[v];
    motor[v] = motor_ff[v] + (isnan(angle) ? 0 : kp[v] * angle) + kd[v] * speed;
  }
  return JN_OK;
}
