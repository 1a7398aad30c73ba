/* SPDX-License-Identifier: BSD-2-Clause */
/* The energy balance: the work of forces, losses and wrenches over a step, each the integral of force times velocity.
 *
 * taylor integrates the product of its series: with power_k = sum_j f_j v_(k-j), the work is sum_k power_k h^(k+1) /
 * (k+1). The other methods use three points of Gauss in the continuous output, whose error is that of the output. */
#include <math.h>
#include <string.h>

#include "../dense/dense.h"
#include "../series/series.h"
#include "simulation.h"

/* Forces of given coordinates are what their motion takes, not what the options say. */
static void with_reactions(const jn_simulator *s, const double *reaction, const double *loss, double *tau) {
  for (int i = 0; i < s->nv && s->has_given; i++)
    if (s->given[i]) tau[i] = reaction[i] + loss[i];
}

/* The integral of the product of jets f [order x nv] and the velocity over the step. */
static double series_work(const jn_simulator *s, const double *f) {
  int n = s->nv;
  double sum = 0, h = s->step;
  for (int k = s->order - 1; k >= 0; k--) {
    double power = 0;
    for (int j = 0; j <= k; j++) power += jn__dot(f + j * n, s->series + (k - j) * n, n) / jn__factorial(j);
    sum = sum * h + power / (k + 1);
  }
  return sum * h;
}

static jn_status balance_series(jn_simulator *s) {
  int rows = s->order;
  for (int k = 0; k < rows; k++)
    with_reactions(s, s->reaction_jet + k * s->nv, s->loss_jet + k * s->nv, s->tau_jet + k * s->nv);
  s->report.work += series_work(s, s->tau_jet);
  s->report.losses += series_work(s, s->loss_jet);
  if (!s->options.wrench) return JN_OK;
  jn_status status = jn_wrench_forces_jet(s->model, s->work, rows - 1, s->q0, s->v_jet, s->wrench_jet, s->gravity);
  s->report.wrenches += series_work(s, s->gravity);
  return status;
}

static jn_status balance_points(jn_simulator *s) {
  static const double at[3] = {0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417};
  static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  jn_status status = JN_OK;
  for (int k = 0; k < 3 && status == JN_OK; k++) {
    double h = weight[k] * s->step, t = s->t0 + at[k] * s->step;
    jn__simulation_dense(s, at[k] * s->step, s->qx, s->vx);
    if (s->has_given)
      status = jn__simulation_acceleration(s, t, s->qx, s->vx, s->z);
    else
      status = jn__simulation_forces(s, t, s->qx, s->vx);
    with_reactions(s, s->reaction, s->loss, s->tau);
    s->report.work += h * jn__dot(s->tau, s->vx, s->nv);
    s->report.losses += h * jn__dot(s->loss, s->vx, s->nv);
    if (status != JN_OK || !s->options.wrench) continue;
    memcpy(s->v_given, s->vx, (size_t)s->nv * sizeof(double));
    memset(s->v_given + s->nv, 0, (size_t)s->nv * sizeof(double));
    status = jn_wrench_forces_jet(s->model, s->work, 0, s->qx, s->v_given, s->wrench, s->x);
    s->report.wrenches += h * jn__dot(s->x, s->vx, s->nv);
  }
  return status;
}

jn_status jn__simulation_balance(jn_simulator *s) {
  return s->options.integrator == JN_TAYLOR ? balance_series(s) : balance_points(s);
}
