/* SPDX-License-Identifier: BSD-2-Clause */
/* Springs with damping: D delta' + phi(delta) = tau_J, a stable equation of first order.
 *
 * Linear springs, T = D / K: delta = s + e, where s = (tau - T tau' + T^2 tau'') / K is the slow solution to order 2
 * and D e' + K e = -T^3 tau''' is integrated. For the short T of real drives e is tiny, so that its derivatives e^(k+1)
 * = (-T^3 tau^(k+3) - K e^(k)) / D, which divide by T, lose no digits of delta. On an interval tau''' is the polynomial
 * with all known derivatives at both ends, for which the equation is solved exactly: e(h) = e^-z e(0) + h / D sum_k c_k
 * I_k(z),   z = h / T,   I_k = integral of e^(-z (1 - u)) u^k over 0 ... 1.
 *
 * Other springs: delta itself is integrated, by Taylor series of order 16 with steps by Jorba and Zou (2005); its
 * derivatives follow from the equation. */
#include <math.h>
#include <string.h>

#include "elastic.h"

enum { SLOW = 3, ORDER = 16, MOST_STEPS = 500, ENDS = JN_TORQUE_TERMS };

/* ---- The polynomial with given Taylor coefficients at both ends ---- */

/* left, right [terms]: coefficients at u = 0 and u = 1 in powers of the time, which is h u; c [2 terms] in powers of u.
 * It is the Taylor polynomial at 0 plus u^terms r(u); r is expanded about u = 1 and shifted. */
static void two_ended(int terms, double h, const double *left, const double *right, double *c) {
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

static double time_constant(const jn_spring *s) { return s->actuator.damping / s->actuator.stiffness; }

/* Series of -T^3 tau''' from that of tau. */
static void residual(const jn_spring *s, int terms, const double *tau, double *r) {
  double T = time_constant(s);
  for (int k = 0; k < terms; k++) r[k] = -T * T * T * (k + 1) * (k + 2) * (k + 3) * tau[k + SLOW];
}

static double step_linear(const jn_spring *s, double h, int terms, const double *r0, const double *r1, double e) {
  double c[2 * ENDS], I[2 * ENDS], z = h / time_constant(s), sum = 0;
  two_ended(terms, h, r0, r1, c);
  integrals(z, 2 * terms, I);
  for (int k = 0; k < 2 * terms; k++) sum += c[k] * I[k];
  return exp(-z) * e + h / s->actuator.damping * sum;
}

static void advance_linear(const jn_spring *s, double h, int terms, const double *tau0, const double *tau1,
                           double *state, double *error) {
  double r0[ENDS], r1[ENDS];
  int known = terms - SLOW;
  residual(s, known, tau0, r0);
  residual(s, known, tau1, r1);
  double e = step_linear(s, h, known, r0, r1, *state), rough = step_linear(s, h, known - 1, r0, r1, *state);
  *error = fabs(e - rough);
  *state = e;
}

static void linear_series(const jn_spring *s, double e, int order, const double *tau, double *delta) {
  double K = s->actuator.stiffness, T = time_constant(s), r[ENDS];
  residual(s, order, tau, r);
  for (int k = 0; k <= order; k++) {
    delta[k] = (tau[k] - T * (k + 1) * tau[k + 1] + T * T * (k + 1) * (k + 2) * tau[k + 2]) / K + e;
    if (k < order) e = (r[k] - K * e) / (s->actuator.damping * (k + 1));
  }
}

/* ---- Others ---- */

/* delta [order + 1] from delta[0] and the series of tau [order]. */
static void other_series(const jn_spring *s, double t, int order, const double *tau, double *delta) {
  double taylor[JN_SERIES_TERMS], power[JN_SERIES_TERMS * JN_SERIES_TERMS];
  jn__spring_prepare(s, t, delta[0], order, taylor);
  for (int k = 0; k < order; k++)
    delta[k + 1] = (tau[k] - jn__spring_term(s, taylor, k, delta, power)) / (s->actuator.damping * (k + 1));
}

/* The length for which the last terms of a series are below rounding. */
static double step_of(const double *x, double scale) {
  double h = INFINITY; /* four terms, because symmetry may make some of them zero */
  for (int k = ORDER - 3; k <= ORDER; k++) h = fmin(h, pow(fabs(x[k]) / scale, -1.0 / k));
  return h * exp(-0.7 / (ORDER - 1) - 2);
}

static jn_status advance_other(const jn_spring *s, double t0, double t1, int terms, const double *tau0,
                               const double *tau1, double *state, double *error) {
  double h = t1 - t0, c[2 * ENDS] = {0}, rough[2 * ENDS] = {0}, at = 0, f[2];
  two_ended(terms, h, tau0, tau1, c);
  two_ended(terms - 1, h, tau0, tau1, rough);
  jn__spring_taylor(s, t1, *state, 1, f);
  *error = fabs(horner(c, 2 * terms, 0.5) - horner(rough, 2 * terms, 0.5)) / f[1];
  for (int steps = 0; at < h; steps++) {
    double tau[2 * ENDS > ORDER ? 2 * ENDS : ORDER] = {0}, delta[ORDER + 1] = {*state}, power = 1;
    if (steps == MOST_STEPS || !isfinite(*state)) return JN_ERR_STEP;
    memcpy(tau, c, sizeof c);
    for (int k = 0; k < 2 * terms; k++) /* about u = at / h */
      for (int i = 2 * terms - 2; i >= k; i--) tau[i] += at / h * tau[i + 1];
    for (int k = 0; k < 2 * terms; k++, power *= h) tau[k] /= power;
    other_series(s, t0 + at, ORDER, tau, delta);
    double step = fmin(step_of(delta, fmax(fabs(delta[0]), 1e-12)), h - at);
    if (!(step > 1e-9 * h)) return JN_ERR_STEP;
    *state = horner(delta, ORDER + 1, step);
    at = step < h - at ? at + step : h;
  }
  return JN_OK;
}

/* ---- Both ---- */

void jn__damped_series(const jn_spring *s, double t, double state, int order, const double *tau, double *delta) {
  delta[0] = state;
  if (s->kind == JN_SPRING_LINEAR)
    linear_series(s, state, order, tau, delta);
  else
    other_series(s, t, order, tau, delta);
}

/* The slow solution is a series in the powers of T that helps only while T is short against the motion: whether its
 * last two terms are larger than all before. */
static int grows(const double *term, int count) {
  double before = 0;
  for (int k = 0; k < count - 2; k++) before = fmax(before, fabs(term[k]));
  return !(fmax(fabs(term[count - 1]), fabs(term[count - 2])) <= before);
}

/* delta = sum of (-T)^k tau^(k) / K, of which the state leaves out the slow solution to order 2. */
static double start_linear(const jn_spring *s, int terms, const double *tau) {
  double term[JN_SERIES_TERMS] = {0}, T = time_constant(s), factor = 1 / s->actuator.stiffness, e = 0;
  for (int k = 0; k < terms; k++, factor *= -T * k) term[k] = factor * tau[k];
  if (grows(term, terms)) return -(term[1] + term[2]);
  for (int k = SLOW; k < terms; k++) e += term[k];
  return e;
}

/* Where a motion begins: on the slow solution, so that no oscillation is there that the motion did not make. If its
 * series grows, where the spring carries the torque at rest. Other springs: from delta = phi^-1(tau - D delta'), again
 * and again; each round is right to one more order in D. */
int jn__damped_start(const jn_spring *s, double t, int terms, const double *tau, double *state) {
  if (s->kind == JN_SPRING_LINEAR) {
    *state = start_linear(s, terms, tau);
    return 1;
  }
  double load[JN_SERIES_TERMS], delta[JN_SERIES_TERMS], term[JN_SERIES_TERMS] = {0}, rest = 0;
  memcpy(load, tau, (size_t)terms * sizeof *load);
  for (int last = terms - 1; last >= 0; last--) {
    int round = terms - 1 - last;
    double before = round ? delta[0] : 0;
    if (!jn__spring_solve(s, t, last, load, delta)) {
      *state = rest;
      return round > 0; /* further rounds only left the spring's range */
    }
    if (round == 0) rest = delta[0];
    term[round] = round ? delta[0] - before : rest;
    for (int k = 0; k < last; k++) load[k] = tau[k] - s->actuator.damping * (k + 1) * delta[k + 1];
  }
  *state = grows(term, terms) ? rest : delta[0];
  return 1;
}

jn_status jn__damped_advance(const jn_spring *s, double t0, double t1, int terms, const double *tau0,
                             const double *tau1, double *state, double *error) {
  if (s->kind != JN_SPRING_LINEAR) return advance_other(s, t0, t1, terms, tau0, tau1, state, error);
  advance_linear(s, t1 - t0, terms, tau0, tau1, state, error);
  return JN_OK;
}
