/* SPDX-License-Identifier: BSD-2-Clause */
/* The Taylor series of a motion from that of its velocity, and one step of it (Jorba and Zou 2005).
 * Coordinates: q_(k+1) = v_k / (k+1). Rotations, relative to the start of the step: quaternions with
 * (k+1) z_(k+1) = 1/2 sum_j z_j w_(k-j); positions of free joints: (k+1) p_(k+1) = sum_j R_j v_(k-j), R x = z x z*. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "simulation.h"

/* out += a b, quaternions x, y, z, w. */
static void add_product(const double *a, const double *b, double *out) {
  out[0] += a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
  out[1] += a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
  out[2] += a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
  out[3] += a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void pure(const double *x, double q[4]) {
  memcpy(q, x, 3 * sizeof *q);
  q[3] = 0;
}

static void group_series(jn_simulator *s, const group_joint *g, double *z, double *p) {
  int n = s->nv, rows = s->order + 1;
  double x[4], *carried = s->room; /* z v */
  memset(z, 0, 4 * (size_t)(rows + 1) * sizeof *z);
  z[3] = 1;
  for (int k = 0; k < rows; k++) {
    for (int j = 0; j <= k; j++) {
      pure(s->series + (k - j) * n + g->iv, x);
      add_product(z + 4 * j, x, z + 4 * (k + 1));
    }
    for (int c = 0; c < 4; c++) z[4 * (k + 1) + c] *= 0.5 / (k + 1);
  }
  if (!g->is_free) return;
  memset(carried, 0, 4 * (size_t)rows * sizeof *carried);
  memset(p, 0, 3 * sizeof *p);
  for (int k = 0; k < rows; k++) {
    double sum[4] = {0};
    for (int j = 0; j <= k; j++) {
      pure(s->series + (k - j) * n + g->iv + 3, x);
      add_product(z + 4 * j, x, carried + 4 * k);
    }
    for (int j = 0; j <= k; j++) {
      const double *b = z + 4 * (k - j), conjugate[4] = {-b[0], -b[1], -b[2], b[3]};
      add_product(carried + 4 * j, conjugate, sum);
    }
    for (int c = 0; c < 3; c++) p[3 * (k + 1) + c] = sum[c] / (k + 1);
  }
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

/* Sum over k of x_k h^k, from k = first. */
static double polynomial(const double *x, int stride, int first, int last, double h) {
  double sum = 0;
  for (int k = last; k >= first; k--) sum = sum * h + x[k * stride];
  for (int k = 0; k < first; k++) sum *= h;
  return sum;
}

static void group_at(const jn_simulator *s, int g, double h, double *q) {
  const group_joint *joint = &s->group[g];
  size_t rows = (size_t)s->order + 2;
  const double *z = s->turn + 4 * rows * (size_t)g, *p = s->shift + 3 * rows * (size_t)g;
  const double *start = s->q0 + joint->iq + (joint->is_free ? 3 : 0);
  double turn[4], out[4] = {0}, length = 0;
  for (int c = 0; c < 4; c++) turn[c] = polynomial(z + c, 4, 0, s->order + 1, h);
  add_product(start, turn, out);
  for (int c = 0; c < 4; c++) length += out[c] * out[c];
  for (int c = 0; c < 4; c++) q[joint->iq + (joint->is_free ? 3 : 0) + c] = out[c] / sqrt(length);
  if (!joint->is_free) return;
  double x[4], carried[4] = {0}, moved[4] = {0}, conjugate[4] = {-start[0], -start[1], -start[2], start[3]};
  for (int c = 0; c < 3; c++) x[c] = polynomial(p + c, 3, 0, s->order + 1, h);
  x[3] = 0;
  add_product(start, x, carried);
  add_product(carried, conjugate, moved);
  for (int c = 0; c < 3; c++) q[joint->iq + c] = s->q0[joint->iq + c] + moved[c];
}

void jn__simulation_series_at(const jn_simulator *s, double h, double *q, double *v, double *q_low, double *v_low) {
  int n = s->nv;
  for (int i = 0; i < n; i++) {
    const double *x = s->series + i;
    double sum = 0;
    v[i] = add_low(s->v0[i], polynomial(x, n, 1, s->order, h), v_low ? v_low + i : NULL);
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

/* How much the series contradicts the law of motion near the end of a step of length h: the largest of
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

/* A step that obeys the law of motion up to its end. The last terms of the series alone do not tell how far it holds:
 * they vanish where the motion has a symmetry, such as that of a pendulum let go from the horizontal, where only every
 * fourth term is there. A contradiction that a shorter step does not remove is rounding. */
static double lawful_length(jn_simulator *s, double h, double scale) {
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
  int p = s->order, at = 0;
  double scale = s->options.tolerance * fmax(1, largest(s, 0, &at));
  double last = largest(s, p, &at), before = largest(s, p - 1, &at), h = INFINITY;
  if (!isfinite(last) || !isfinite(before)) h = 0;
  if (before > 0) h = fmin(h, pow(scale / before, 1.0 / (p - 1)));
  if (last > 0) h = fmin(h, pow(scale / last, 1.0 / p));
  h *= exp(-0.7 / (p - 1));
  if (s->options.step > 0 && h > 0) h = s->options.step; /* as long as the user says */
  if (s->options.largest_step > 0) h = fmin(h, s->options.largest_step);
  if (!(h > 4 * DBL_EPSILON * fabs(s->t)) || h == 0) {
    s->report.joint = jn_coordinate_joint(s->model, at, NULL);
    return JN_ERR_STEP;
  }
  s->step = h >= longest || longest - h < 1e-9 * h ? longest : h;
  if (!(s->options.step > 0)) s->step = lawful_length(s, s->step, scale);
  jn__simulation_series_at(s, s->step, s->q, s->v, s->q_low, s->v_low);
  return JN_OK;
}
