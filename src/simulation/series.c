/* SPDX-License-Identifier: BSD-2-Clause */
/* The method taylor: the series of the motion from that of its velocity, and one step of it (Jorba and Zou 2005).
 *
 * Coordinates: q_(k+1) = v_k / (k+1). Spherical and free joints: a quaternion z and a position p relative to the start
 * of the step (../series/series.h). The length of a step of order P is such that the last two terms of the velocity's
 * series are as small as the tolerance:
 *   h = exp(-0.7 / (P-1)) min((tol / |v_(P-1)|)^(1/(P-1)), (tol / |v_P|)^(1/P)),   tol = tolerance max(1, |v_0|)
 * Then dv/dt of the series is compared with the acceleration near the end of the step, and the step is made shorter
 * while they differ by more than the tolerance. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "simulation.h"

/* The rotation z and the position p of a spherical or free joint, relative to the start of the step. */
static void group_series(jn_simulator *s, const group_joint *joint, double *z, double *p) {
  const double *velocity = s->series + joint->iv;
  int terms = s->order + 1;
  jn__rotation_series(terms, velocity, (size_t)s->nv, z);
  if (joint->is_free) jn__position_series(terms, z, velocity + 3, (size_t)s->nv, s->quaternions, p);
}

static jn_status series_here(jn_simulator *s) {
  jn_status status = jn__simulation_velocity_jet(s);
  size_t rows = (size_t)s->order + 2;
  for (int g = 0; g < s->groups && status == JN_OK; g++)
    group_series(s, &s->group[g], s->turn + 4 * rows * (size_t)g, s->shift + 3 * rows * (size_t)g);
  return status;
}

/* x + low += d, by two sums. */
static double add_low(double x, double d, double *low) {
  double sum = low ? *low + d : d, next = x + sum;
  if (low) *low = sum - (next - x);
  return next;
}

/* A spherical or free joint after time h: start times the rotation z(h); start position plus the rotated p(h). */
static void group_at(const jn_simulator *s, int g, double h, double *q) {
  const group_joint *joint = &s->group[g];
  size_t rows = (size_t)s->order + 2;
  const double *z = s->turn + 4 * rows * (size_t)g, *p = s->shift + 3 * rows * (size_t)g;
  const double *start = s->q0 + joint->iq + (joint->is_free ? 3 : 0);
  double turn[4], out[4] = {0}, length = 0;
  for (int c = 0; c < 4; c++) turn[c] = jn__series_at(z + c, 4, 0, s->order + 1, h);
  jn__quaternion_add_product(start, turn, out);
  for (int c = 0; c < 4; c++) length += out[c] * out[c];
  for (int c = 0; c < 4; c++) q[joint->iq + (joint->is_free ? 3 : 0) + c] = out[c] / sqrt(length);
  if (!joint->is_free) return;
  double x[4], carried[4] = {0}, moved[4] = {0}, conjugate[4] = {-start[0], -start[1], -start[2], start[3]};
  for (int c = 0; c < 3; c++) x[c] = jn__series_at(p + c, 3, 0, s->order + 1, h);
  x[3] = 0;
  jn__quaternion_add_product(start, x, carried);
  jn__quaternion_add_product(carried, conjugate, moved);
  for (int c = 0; c < 3; c++) q[joint->iq + c] = s->q0[joint->iq + c] + moved[c];
}

void jn__simulation_series_at(const jn_simulator *s, double h, double *q, double *v, double *q_low, double *v_low) {
  int n = s->nv;
  for (int i = 0; i < n; i++) {
    const double *x = s->series + i;
    double sum = 0;
    v[i] = add_low(s->v0[i], jn__series_at(x, (size_t)n, 1, s->order, h), v_low ? v_low + i : NULL);
    if (s->place[i] < 0) continue;
    for (int k = s->order; k >= 0; k--) sum = sum * h + x[k * n] / (k + 1);
    q[s->place[i]] = add_low(s->q0[s->place[i]], sum * h, q_low ? q_low + i : NULL);
  }
  for (int g = 0; g < s->groups; g++) group_at(s, g, h, q);
}

/* The largest of row k of the series, and its coordinate. */
static double largest(const jn_simulator *s, int k, int *at) {
  double most = 0;
  for (int i = 0; i < s->nv; i++) {
    double x = fabs(s->series[k * s->nv + i]);
    if (!(x <= most)) most = x, *at = i; /* NaN too */
  }
  return most;
}

/* How much the series contradicts the equations of motion near the end of a step of length h: the largest of
 * |dv/dt - a(t, q, v)|. Just before the end, because forces may jump there. Infinite where a is not known. */
static double defect(jn_simulator *s, double h) {
  double theta = 0.95 * h, most = 0, *a = s->y;
  jn__simulation_series_at(s, theta, s->qy, s->vy, NULL, NULL);
  if (jn__simulation_acceleration(s, s->t0 + theta, s->qy, s->vy, a) != JN_OK) return INFINITY;
  for (int i = 0; i < s->nv; i++) {
    double rate = 0;
    for (int k = s->order; k >= 1; k--) rate = rate * theta + k * s->series[k * s->nv + i];
    double apart = fabs(rate - a[i]);
    if (!(apart <= most)) most = isnan(apart) ? INFINITY : apart;
  }
  return most;
}

/* The length of a step whose series satisfies the equations of motion up to its end. The last terms of the series alone
 * do not determine it: they vanish where the motion has a symmetry, such as that of a pendulum that starts from the
 * horizontal at rest, where only every fourth term is there. A contradiction that a shorter step does not remove is
 * rounding. */
static double consistent_length(jn_simulator *s, double h, double scale) {
  const int p = s->order;
  double contradiction = defect(s, h), before = INFINITY;
  while (h * contradiction > 10 * (p + 1) * scale && contradiction < 0.25 * before) {
    before = contradiction;
    s->report.rejected++;
    h *= fmax(0.02, fmin(0.7, 0.8 * pow(scale * (p + 1) / (h * contradiction), 1.0 / p)));
    contradiction = defect(s, h);
  }
  return h;
}

jn_status jn__simulation_taylor(jn_simulator *s, double longest) {
  jn_status status = series_here(s);
  if (status != JN_OK) return status;

  /* The length at which the last two terms are as small as the tolerance. */
  int p = s->order, at = 0;
  double scale = s->options.tolerance * fmax(1, largest(s, 0, &at));
  double last = largest(s, p, &at), before = largest(s, p - 1, &at), h = INFINITY;
  if (!isfinite(last) || !isfinite(before)) h = 0;
  if (before > 0) h = fmin(h, pow(scale / before, 1.0 / (p - 1)));
  if (last > 0) h = fmin(h, pow(scale / last, 1.0 / p));
  h *= exp(-0.7 / (p - 1));

  /* The user's length, if there is one; time must advance. */
  if (s->options.step > 0 && h > 0) h = s->options.step;
  if (s->options.largest_step > 0) h = fmin(h, s->options.largest_step);
  if (!(h > 4 * DBL_EPSILON * fabs(s->t)) || h == 0) {
    s->report.joint = jn_coordinate_joint(s->model, at, NULL);
    return JN_ERR_STEP;
  }

  /* All that is left, when that is not much more; then the check of the series, and the end. */
  s->step = h >= longest || longest - h < 1e-9 * h ? longest : h;
  if (!(s->options.step > 0)) s->step = consistent_length(s, s->step, scale);
  jn__simulation_series_at(s, s->step, s->q, s->v, s->q_low, s->v_low);
  return JN_OK;
}
