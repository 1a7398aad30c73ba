/* SPDX-License-Identifier: BSD-2-Clause */
/* Springs with damping: D delta' + phi(delta) = tau_J, a stable equation of first order in time.
 *
 * Linear springs, T = D / K: delta = s + e, where s = (tau - T tau' + T^2 tau'') / K is the slow solution to order 2,
 * and D e' + K e = -T^3 tau''' is integrated. For the short T of real drives e is tiny, so that its derivatives e^(k+1)
 * = (-T^3 tau^(k+3) - K e^(k)) / D, which divide by T, lose no digits of delta. On an interval tau''' is the polynomial
 * with all known derivatives at both ends, for which the equation is solved exactly: e(h) = e^-z e(0) + h / D sum_k c_k
 * I_k(z),    z = h / T,    I_k = integral of e^(-z (1 - u)) u^k over 0 ... 1
 *
 * Other springs: delta itself is integrated, by Taylor series of order 16 with steps by Jorba and Zou (2005); its
 * derivatives follow from the equation. Symbols: elastic.h; the state is e, or delta. */
#include <math.h>
#include <string.h>

#include "elastic.h"

enum { SLOW = 3, ORDER = 16, MOST_STEPS = 500, ENDS = JN_TORQUE_TERMS };

/* ---- The polynomial with given Taylor coefficients at both ends ---- */

/* The polynomial c [2 terms], in powers of u, whose coefficients in powers of the time h u are left at u = 0 and right
 * at u = 1 [terms]. It is the Taylor polynomial at 0 plus u^terms r(u); r is expanded about u = 1 and shifted. */
static void interpolate_both_ends(int terms, double h, const double *left, const double *right, double *c) {
  double r[ENDS], power = 1;
  for (int k = 0; k < terms; k++, power *= h) {
    c[k] = left[k] * power;
    r[k] = right[k] * power;
  }
  for (int k = 0; k < terms; k++) { /* minus the Taylor polynomial, about u = 1 */
    double binomial = 1;
    for (int i = k; i < terms; i++) {
      r[k] -= c[i] * binomial;
      binomial = binomial * (i + 1) / (i + 1 - k);
    }
  }
  for (int m = 0; m < terms; m++) /* divided by u = 1 + w, `terms` times */
    for (int k = 1; k < terms; k++) r[k] -= r[k - 1];
  for (int k = 0; k < terms; k++) /* from powers of w = u - 1 to powers of u */
    for (int i = terms - 2; i >= k; i--) r[i] -= r[i + 1];
  memcpy(c + terms, r, (size_t)terms * sizeof *c);
}

static double horner(const double *c, int count, double u) {
  double x = 0;
  for (int k = count - 1; k >= 0; k--) x = x * u + c[k];
  return x;
}

/* ---- Linear ---- */

/* I_k for k < count; upwards where that is stable, else downwards from a high order. */
static void integrals(double z, int count, double *I) {
  if (z > 2 * count) {
    I[0] = -expm1(-z) / z;
    for (int k = 1; k < count; k++) I[k] = (1 - k * I[k - 1]) / z;
    return;
  }
  double x = 0;
  for (int k = 6 * count + 40; k > 0; k--) {
    x = (1 - z * x) / k; /* I_(k-1) */
    if (k - 1 < count) I[k - 1] = x;
  }
}

static double time_constant(const jn_spring *spring) { return spring->actuator.damping / spring->actuator.stiffness; }

/* Series of -T^3 tau''' from that of tau. */
static void residual_series(const jn_spring *spring, int terms, const double *tau, double *r) {
  double T = time_constant(spring);
  for (int k = 0; k < terms; k++) r[k] = -T * T * T * (k + 1) * (k + 2) * (k + 3) * tau[k + SLOW];
}

/* e after an interval of length h, whose residuals at both ends are r0, r1. */
static double step_linear(const jn_spring *spring, double h, int terms, const double *r0, const double *r1,
                          double elastic) {
  double c[2 * ENDS], I[2 * ENDS], z = h / time_constant(spring), sum = 0;
  interpolate_both_ends(terms, h, r0, r1, c);
  integrals(z, 2 * terms, I);
  for (int k = 0; k < 2 * terms; k++) sum += c[k] * I[k];
  return exp(-z) * elastic + h / spring->actuator.damping * sum;
}

/* Advances e; error: how much one derivative less would have changed it. */
static void advance_linear(const jn_spring *spring, double h, int terms, const double *tau0, const double *tau1,
                           double *state, double *error) {
  double r0[ENDS], r1[ENDS];
  int known = terms - SLOW;
  residual_series(spring, known, tau0, r0);
  residual_series(spring, known, tau1, r1);
  double elastic = step_linear(spring, h, known, r0, r1, *state),
         rough = step_linear(spring, h, known - 1, r0, r1, *state);
  *error = fabs(elastic - rough);
  *state = elastic;
}

/* delta = s + e and its derivatives. */
static void linear_series(const jn_spring *spring, double elastic, int order, const double *tau, double *delta) {
  double K = spring->actuator.stiffness, T = time_constant(spring), r[ENDS];
  residual_series(spring, order, tau, r);
  for (int k = 0; k <= order; k++) {
    delta[k] = (tau[k] - T * (k + 1) * tau[k + 1] + T * T * (k + 1) * (k + 2) * tau[k + 2]) / K + elastic;
    if (k < order) elastic = (r[k] - K * elastic) / (spring->actuator.damping * (k + 1));
  }
}

/* ---- Others ---- */

/* delta [order + 1] from delta[0] and the series of tau [order]. */
static void other_series(const jn_spring *spring, double t, int order, const double *tau, double *delta) {
  double taylor[JN_SERIES_TERMS], power[JN_SERIES_TERMS * JN_SERIES_TERMS];
  jn__spring_prepare(spring, t, delta[0], order, taylor);
  for (int k = 0; k < order; k++)
    delta[k + 1] = (tau[k] - jn__spring_term(spring, taylor, k, delta, power)) / (spring->actuator.damping * (k + 1));
}

/* The length for which the last terms of a series are below rounding. */
static double step_length(const double *x, double scale) {
  double h = INFINITY; /* four terms, because symmetry may make some of them zero */
  for (int k = ORDER - 3; k <= ORDER; k++) h = fmin(h, pow(fabs(x[k]) / scale, -1.0 / k));
  return h * exp(-0.7 / (ORDER - 1) - 2);
}

static jn_status advance_other(const jn_spring *spring, double t0, double t1, int terms, const double *tau0,
                               const double *tau1, double *state, double *error) {
  double h = t1 - t0, c[2 * ENDS] = {0}, rough[2 * ENDS] = {0}, at = 0, f[2];
  interpolate_both_ends(terms, h, tau0, tau1, c);
  interpolate_both_ends(terms - 1, h, tau0, tau1, rough);

  /* Error: what one derivative less would have changed. */
  jn__spring_taylor(spring, t1, *state, 1, f);
  *error = fabs(horner(c, 2 * terms, 0.5) - horner(rough, 2 * terms, 0.5)) / f[1];

  for (int steps = 0; at < h; steps++) {
    double tau[2 * ENDS > ORDER ? 2 * ENDS : ORDER] = {0}, delta[ORDER + 1] = {*state}, power = 1;
    if (steps == MOST_STEPS || !isfinite(*state)) return JN_ERR_STEP;

    /* Torque about the present time. */
    memcpy(tau, c, sizeof c);
    for (int k = 0; k < 2 * terms; k++) /* about u = at / h */
      for (int i = 2 * terms - 2; i >= k; i--) tau[i] += at / h * tau[i + 1];
    for (int k = 0; k < 2 * terms; k++, power *= h) tau[k] /= power;

    /* Series of delta, and the longest step for which it has converged. */
    other_series(spring, t0 + at, ORDER, tau, delta);
    double step = fmin(step_length(delta, fmax(fabs(delta[0]), 1e-12)), h - at);
    if (!(step > 1e-9 * h)) return JN_ERR_STEP;
    *state = horner(delta, ORDER + 1, step);
    at = step < h - at ? at + step : h;
  }
  return JN_OK;
}

/* ---- Both ---- */

void jn__damped_series(const jn_spring *spring, double t, double state, int order, const double *tau, double *delta) {
  delta[0] = state;
  if (spring->kind == JN_SPRING_LINEAR)
    linear_series(spring, state, order, tau, delta);
  else
    other_series(spring, t, order, tau, delta);
}

/* Whether the last two terms are larger than all before: the slow solution is a series in powers of T, which helps
 * only while T is short against the motion. */
static int grows(const double *term, int count) {
  double before = 0;
  for (int k = 0; k < count - 2; k++) before = fmax(before, fabs(term[k]));
  return !(fmax(fabs(term[count - 1]), fabs(term[count - 2])) <= before);
}

/* delta = sum of (-T)^k tau^(k) / K, of which the state leaves out the slow solution to order 2. */
static double start_linear(const jn_spring *spring, int terms, const double *tau) {
  double term[JN_SERIES_TERMS] = {0}, T = time_constant(spring), factor = 1 / spring->actuator.stiffness, elastic = 0;
  for (int k = 0; k < terms; k++, factor *= -T * k) term[k] = factor * tau[k];
  if (grows(term, terms)) return -(term[1] + term[2]);
  for (int k = SLOW; k < terms; k++) elastic += term[k];
  return elastic;
}

/* Where a motion begins: on the slow solution, so that there is no oscillation that the motion did not cause. If its
 * series grows, where the spring carries the torque at rest. Other springs: delta = phi^-1(tau - D delta'), repeated;
 * each round is right to one more order in D. */
int jn__damped_start(const jn_spring *spring, double t, int terms, const double *tau, double *state) {
  if (spring->kind == JN_SPRING_LINEAR) {
    *state = start_linear(spring, terms, tau);
    return 1;
  }
  double load[JN_SERIES_TERMS], delta[JN_SERIES_TERMS], term[JN_SERIES_TERMS] = {0}, rest = 0;
  memcpy(load, tau, (size_t)terms * sizeof *load);
  for (int last = terms - 1; last >= 0; last--) {
    int round = terms - 1 - last;
    double before = round ? delta[0] : 0;
    if (!jn__spring_solve(spring, t, last, load, delta)) {
      *state = rest;
      return round > 0; /* further rounds only left the spring's range */
    }
    if (round == 0) rest = delta[0];
    term[round] = round ? delta[0] - before : rest;
    for (int k = 0; k < last; k++) load[k] = tau[k] - spring->actuator.damping * (k + 1) * delta[k + 1];
  }
  *state = grows(term, terms) ? rest : delta[0];
  return 1;
}

jn_status jn__damped_advance(const jn_spring *spring, double t0, double t1, int terms, const double *tau0,
                             const double *tau1, double *state, double *error) {
  if (spring->kind != JN_SPRING_LINEAR) return advance_other(spring, t0, t1, terms, tau0, tau1, state, error);
  advance_linear(spring, t1 - t0, terms, tau0, tau1, state, error);
  return JN_OK;
}
