/* SPDX-License-Identifier: BSD-2-Clause */
/* Control of elastic joints from the state of motors and links. [De Luca 1988]
 *
 * With springs but without damping, motor torques determine the fourth derivative of the links' motion: from the
 * measured state (q, v, theta, theta') the springs give tau_J and its rate, these give acceleration and jerk of the
 * links, and with a wanted snap inverse dynamics of order 2 and the motors (inverse.c) give tau_m. Symbols: elastic.h.
 */
#include <math.h>
#include <string.h>

#include "elastic.h"

/* Whether springs without damping drive all that is driven. Rigid coordinates of models with loops are passive. */
static int is_feedback_linearisable(const jn_elastic *elastic) {
  if (elastic->options.coupled) return 0;
  for (int v = 0; v < elastic->nv; v++) {
    const jn_spring *spring = &elastic->springs[v];
    int passive = elastic->loops && spring->kind == JN_SPRING_RIGID && spring->actuator.rotor_inertia == 0;
    if ((spring->kind == JN_SPRING_RIGID && !passive) || spring->actuator.damping != 0) return 0;
  }
  return 1;
}

/* tau_J and its rate [2 x nv] from the deflections and their rates. */
static void spring_torques(const jn_elastic *elastic, double t, const double *q, const double *v, const double *theta,
                           const double *dtheta, double *tau_jet) {
  for (int i = 0; i < elastic->nv; i++) {
    const jn_spring *spring = &elastic->springs[i];
    tau_jet[i] = tau_jet[elastic->nv + i] = 0;
    if (spring->kind == JN_SPRING_RIGID) continue;
    double delta[2] = {theta[i] - q[elastic->q_index[i]], dtheta[i] - v[i]}, taylor[2];
    double power[JN_SERIES_TERMS * JN_SERIES_TERMS];
    jn__spring_prepare(spring, t, delta[0], 1, taylor);
    for (int k = 0; k < 2; k++) tau_jet[k * elastic->nv + i] = jn__spring_term(spring, taylor, k, delta, power);
  }
}

jn_status jn_elastic_state_jet(jn_elastic *elastic, double t, const double *q, const double *v, const double *theta,
                               const double *dtheta, double *v_jet) {
  if (!elastic || !q || !v || !theta || !dtheta || !v_jet) return JN_ERR_NULL;
  if (!is_feedback_linearisable(elastic)) return JN_ERR_UNSUPPORTED;

  /* Acceleration and jerk of the links: forward dynamics of order 1 under the springs' torques. */
  double *tau_jet = elastic->scratch;
  spring_torques(elastic, t, q, v, theta, dtheta, tau_jet);
  if (elastic->loops) return jn_loops_forward_dynamics_jet(elastic->loops, 1, q, v, tau_jet, NULL, v_jet, NULL);
  return jn_forward_dynamics_jet(elastic->model, elastic->work, 1, q, v, tau_jet, NULL, v_jet);
}

/* With loops: the driven coordinates have the snap that is wanted, the others follow. v_jet [4 x nv], its last row
 * is given. */
static jn_status closed_torques(jn_elastic *elastic, const double *q, double *v_jet, double *tau_jet) {
  unsigned char *driven = (unsigned char *)(tau_jet + 3 * elastic->nv);
  for (int v = 0; v < elastic->nv; v++) driven[v] = elastic->springs[v].kind != JN_SPRING_RIGID;
  jn_status status = jn_loops_complete_motion(elastic->loops, 2, driven, q, v_jet);
  if (status != JN_OK) return status;
  return jn_loops_inverse_dynamics_jet(elastic->loops, 2, driven, JN_LEAST_TORQUE, NULL, q, v_jet, NULL, NULL, tau_jet,
                                       NULL);
}

jn_status jn_elastic_linearising_torque(jn_elastic *elastic, double t, const double *q, const double *v,
                                        const double *theta, const double *dtheta, const double *snap, double *motor) {
  if (!elastic || !snap || !motor) return JN_ERR_NULL;
  size_t n = (size_t)elastic->nv;
  double *v_jet = elastic->scratch + 2 * n, *tau_jet = v_jet + 4 * n;

  /* v, a, jerk from the state; the snap as wanted. */
  jn_status status = jn_elastic_state_jet(elastic, t, q, v, theta, dtheta, v_jet);
  if (status != JN_OK) return status;
  memcpy(v_jet + 3 * n, snap, n * sizeof *snap);

  /* tau_J to order 2, then the motors. */
  status = elastic->loops ? closed_torques(elastic, q, v_jet, tau_jet)
                          : jn_inverse_dynamics_jet(elastic->model, elastic->work, 2, q, v_jet, NULL, tau_jet);
  const jn_motor_motion out = {.motor_jet = motor};
  return status == JN_OK ? jn_elastic_inverse(elastic, 0, t, q, v_jet, tau_jet, &out) : status;
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
