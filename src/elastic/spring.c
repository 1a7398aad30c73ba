/* SPDX-License-Identifier: BSD-2-Clause */
/* Springs and friction on series in time.
 * phi(delta) = sum_m f_m (delta - delta_0)^m, with the powers of the series delta - delta_0 = delta_1 t + ... */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "elastic.h"

void jn__spring_taylor(const jn_spring *s, double t, double delta, int order, double *out) {
  const jn_actuator *a = &s->actuator;
  for (int k = 0; k <= order; k++) out[k] = 0;
  if (s->kind == JN_SPRING_TABLE) {
    jn__pieces_taylor(&s->pieces, delta, 0, order, out);
  } else if (s->kind == JN_SPRING_POLYNOMIAL) {
    double c[JN_SERIES_TERMS];
    int n = a->polynomial_count;
    memcpy(c, a->polynomial, (size_t)n * sizeof *c);
    for (int k = 0; k < n; k++)
      for (int i = n - 2; i >= k; i--) c[i] += delta * c[i + 1];
    for (int k = 0; k <= order && k < n; k++) out[k] = c[k];
  } else {
    double stiffness = a->stiffness;
    if (s->kind == JN_SPRING_OVER_TIME) jn__pieces_taylor(&s->pieces, t, 1, 0, &stiffness);
    out[0] = stiffness * delta;
    if (order > 0) out[1] = stiffness;
  }
}

void jn__spring_prepare(const jn_spring *s, double t, double delta, int order, double *taylor) {
  if (s->kind == JN_SPRING_OVER_TIME)
    jn__pieces_taylor(&s->pieces, t, 1, order, taylor);
  else
    jn__spring_taylor(s, t, delta, order, taylor);
}

double jn__spring_term(const jn_spring *s, const double *taylor, int k, const double *delta, double *power) {
  double sum = 0;
  if (s->kind == JN_SPRING_LINEAR) return s->actuator.stiffness * delta[k];
  if (s->kind == JN_SPRING_OVER_TIME) {
    for (int j = 0; j <= k; j++) sum += taylor[j] * delta[k - j];
    return sum;
  }
  if (k == 0) return taylor[0];
  /* power[m][k]: coefficient k of (delta - delta_0)^m; rows of JN_SERIES_TERMS */
  for (int m = 1; m <= k; m++) {
    double *to = power + m * JN_SERIES_TERMS, x = m == 1 ? delta[k] : 0;
    for (int j = 1; j < k && m > 1; j++) x += delta[j] * to[-JN_SERIES_TERMS + k - j];
    to[k] = x;
    sum += taylor[m] * x;
  }
  for (int m = k + 1; m < JN_SERIES_TERMS; m++) power[m * JN_SERIES_TERMS + k] = 0;
  return sum;
}

/* Newton on the branch through delta = 0, on which phi grows; steps that leave it or overshoot are halved. */
static int find_deflection(const jn_spring *s, double t, double tau, double *delta) {
  double x = 0, f[2];
  jn__spring_taylor(s, t, x, 1, f);
  double off = f[0] - tau;
  for (int i = 0; i < 200; i++) {
    if (off == 0) break;
    double step = -off / f[1], next[2], best = fabs(off);
    int halved = 0;
    for (; halved < 60; halved++, step /= 2) {
      jn__spring_taylor(s, t, x + step, 1, next);
      if (next[1] > 0 && fabs(next[0] - tau) < best) break;
    }
    if (halved == 60) break;
    x += step;
    memcpy(f, next, sizeof f);
    off = f[0] - tau;
    if (fabs(step) <= 1e-16 * fabs(x)) break;
  }
  *delta = x;
  return fabs(off) <= 1e-12 * (fabs(tau) + fabs(f[1] * x) + 1e-300);
}

int jn__spring_solve(const jn_spring *s, double t, int order, const double *tau, double *delta) {
  if (s->kind == JN_SPRING_RIGID || s->kind == JN_SPRING_LINEAR) {
    double compliance = s->kind == JN_SPRING_RIGID ? 0 : 1 / s->actuator.stiffness;
    for (int k = 0; k <= order; k++) delta[k] = s->kind == JN_SPRING_RIGID ? 0 : tau[k] * compliance;
    return 1;
  }
  double taylor[JN_SERIES_TERMS], power[JN_SERIES_TERMS * JN_SERIES_TERMS];
  for (int k = 0; k <= order; k++) delta[k] = 0;
  if (s->kind == JN_SPRING_OVER_TIME) {
    jn__spring_prepare(s, t, 0, order, taylor);
    if (!(taylor[0] > 0)) return 0;
  } else {
    if (!find_deflection(s, t, tau[0], delta)) return 0;
    jn__spring_prepare(s, t, delta[0], order > 0 ? order : 1, taylor);
  }
  double slope = s->kind == JN_SPRING_OVER_TIME ? taylor[0] : taylor[1];
  for (int k = s->kind == JN_SPRING_OVER_TIME ? 0 : 1; k <= order; k++) {
    double known = jn__spring_term(s, taylor, k, delta, power); /* delta[k] = 0 so far */
    delta[k] = (tau[k] - known) / slope;
    if (s->kind != JN_SPRING_OVER_TIME) power[JN_SERIES_TERMS + k] = delta[k];
  }
  return slope > 0;
}

void jn__friction_series(const jn_actuator *a, int order, const double *speed, double *out) {
  double square[JN_SERIES_TERMS], root[JN_SERIES_TERMS];
  for (int k = 0; k <= order; k++) {
    out[k] = a->rotor_damping * speed[k];
    if (a->frictionloss != 0)
      out[k] += a->frictionloss * jn__series_friction(speed, a->friction_speed, square, root, 1, k);
  }
}
