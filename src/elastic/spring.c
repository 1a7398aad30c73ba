/* SPDX-License-Identifier: BSD-2-Clause */
/* Springs and friction on series in time.
 *
 * A spring with the characteristic phi(delta) = sum_m f_m (delta - delta_0)^m turns a series delta(t) into the series
 * of its torque, with the powers of delta - delta_0 = delta_1 t + ...; a given torque is solved for delta order by
 * order: delta_k = (tau_k - terms of lower orders) / f_1 Symbols: elastic.h; power[m][k] is coefficient k of (delta -
 * delta_0)^m. */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "elastic.h"

void jn__spring_taylor(const jn_spring *spring, double t, double delta, int order, double *out) {
  const jn_actuator *actuator = &spring->actuator;
  for (int k = 0; k <= order; k++) out[k] = 0;

  if (spring->kind == JN_SPRING_TABLE) {
    jn__pieces_taylor(&spring->pieces, delta, 0, order, out);
  } else if (spring->kind == JN_SPRING_POLYNOMIAL) {
    double c[JN_SERIES_TERMS];
    int n = actuator->polynomial_count;
    memcpy(c, actuator->polynomial, (size_t)n * sizeof *c);
    for (int k = 0; k < n; k++)
      for (int i = n - 2; i >= k; i--) c[i] += delta * c[i + 1];
    for (int k = 0; k <= order && k < n; k++) out[k] = c[k];
  } else {
    double stiffness = actuator->stiffness;
    if (spring->kind == JN_SPRING_OVER_TIME) jn__pieces_taylor(&spring->pieces, t, 1, 0, &stiffness);
    out[0] = stiffness * delta;
    if (order > 0) out[1] = stiffness;
  }
}

void jn__spring_prepare(const jn_spring *spring, double t, double delta, int order, double *taylor) {
  if (spring->kind == JN_SPRING_OVER_TIME)
    jn__pieces_taylor(&spring->pieces, t, 1, order, taylor);
  else
    jn__spring_taylor(spring, t, delta, order, taylor);
}

double jn__spring_term(const jn_spring *spring, const double *taylor, int k, const double *delta, double *power) {
  double sum = 0;
  if (spring->kind == JN_SPRING_LINEAR) return spring->actuator.stiffness * delta[k];
  if (spring->kind == JN_SPRING_OVER_TIME) {
    for (int j = 0; j <= k; j++) sum += taylor[j] * delta[k - j];
    return sum;
  }
  if (k == 0) return taylor[0];
  /* phi_k = sum_m f_m power[m][k], power[m][k] = sum_j delta_j power[m-1][k-j]; rows of JN_SERIES_TERMS. */
  for (int m = 1; m <= k; m++) {
    double *to = power + m * JN_SERIES_TERMS, x = m == 1 ? delta[k] : 0;
    for (int j = 1; j < k && m > 1; j++) x += delta[j] * to[-JN_SERIES_TERMS + k - j];
    to[k] = x;
    sum += taylor[m] * x;
  }

  for (int m = k + 1; m < JN_SERIES_TERMS; m++) power[m * JN_SERIES_TERMS + k] = 0;
  return sum;
}

/* Deflection with phi(delta) = tau, by Newton on the branch through delta = 0, on which phi grows. Steps that leave
 * the branch or overshoot are halved. */
static int find_deflection(const jn_spring *spring, double t, double tau, double *delta) {
  double x = 0, f[2];
  jn__spring_taylor(spring, t, x, 1, f);
  double off = f[0] - tau;

  for (int i = 0; i < 200; i++) {
    if (off == 0) break;
    double step = -off / f[1], next[2], best = fabs(off);

    int halved = 0;
    for (; halved < 60; halved++, step /= 2) {
      jn__spring_taylor(spring, t, x + step, 1, next);
      if (next[1] > 0 && fabs(next[0] - tau) < best) break;
    }
    if (halved == 60) break;
    x += step;
    memcpy(f, next, sizeof f);
    off = f[0] - tau;
    if (fabs(step) <= 1e-16 * fabs(x)) break;
  }

  /* The torque must be met up to rounding. */
  *delta = x;
  return fabs(off) <= 1e-12 * (fabs(tau) + fabs(f[1] * x) + 1e-300);
}

int jn__spring_solve(const jn_spring *spring, double t, int order, const double *tau, double *delta) {
  /* Rigid or linear: delta = tau / K. */
  if (spring->kind == JN_SPRING_RIGID || spring->kind == JN_SPRING_LINEAR) {
    double compliance = spring->kind == JN_SPRING_RIGID ? 0 : 1 / spring->actuator.stiffness;
    for (int k = 0; k <= order; k++) delta[k] = spring->kind == JN_SPRING_RIGID ? 0 : tau[k] * compliance;
    return 1;
  }

  /* Otherwise order 0 first: the deflection itself. */
  double taylor[JN_SERIES_TERMS], power[JN_SERIES_TERMS * JN_SERIES_TERMS];
  for (int k = 0; k <= order; k++) delta[k] = 0;
  if (spring->kind == JN_SPRING_OVER_TIME) {
    jn__spring_prepare(spring, t, 0, order, taylor);
    if (!(taylor[0] > 0)) return 0;
  } else {
    if (!find_deflection(spring, t, tau[0], delta)) return 0;
    jn__spring_prepare(spring, t, delta[0], order > 0 ? order : 1, taylor);
  }

  /* Then order by order: what lower orders give is subtracted, and the rest is divided by the slope. */
  double slope = spring->kind == JN_SPRING_OVER_TIME ? taylor[0] : taylor[1];
  for (int k = spring->kind == JN_SPRING_OVER_TIME ? 0 : 1; k <= order; k++) {
    double known = jn__spring_term(spring, taylor, k, delta, power); /* delta[k] = 0 so far */
    delta[k] = (tau[k] - known) / slope;
    if (spring->kind != JN_SPRING_OVER_TIME) power[JN_SERIES_TERMS + k] = delta[k];
  }
  return slope > 0;
}

void jn__friction_series(const jn_actuator *actuator, int order, const double *speed, double *out) {
  /* Coulomb friction: loss * speed / sqrt(speed^2 + s^2). */
  double square[JN_SERIES_TERMS], root[JN_SERIES_TERMS];
  for (int k = 0; k <= order; k++) {
    out[k] = actuator->rotor_damping * speed[k];
    if (actuator->frictionloss != 0)
      out[k] += actuator->frictionloss * jn__series_friction(speed, actuator->friction_speed, square, root, 1, k);
  }
}
