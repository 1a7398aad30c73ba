/* SPDX-License-Identifier: BSD-2-Clause */
#include "curve.h"
#include "../series/series.h"

#include <math.h>
#include <string.h>

/* Horner's rule for the value and all Taylor coefficients at once: each pass divides by (x - s). */
static void polynomial_jet(const jn_curve *c, double t, int rows, double *out) {
  double s = t - c->origin;
  for (int k = 0; k < rows; k++) out[k] = 0;
  for (int i = c->count - 1; i >= 0; i--) {
    for (int k = rows - 1; k > 0; k--) out[k] = out[k] * s + out[k - 1];
    out[0] = out[0] * s + c->numbers[i];
  }
  jn__jet_of_series(rows, out, out, 1);
}

/* d^m/dt^m of a cos(x) + b sin(x), x = k w s: (k w)^m times the same turned by m right angles. */
static void fourier_jet(const jn_curve *c, double t, int rows, double *out) {
  for (int m = 0; m < rows; m++) out[m] = 0;
  out[0] = c->numbers[0];
  for (int k = 1; 2 * k < c->count; k++) {
    double w = k * c->frequency, x = w * (t - c->origin), a = c->numbers[2 * k - 1], b = c->numbers[2 * k];
    double even = a * cos(x) + b * sin(x), odd = b * cos(x) - a * sin(x), scale = 1;
    const double turn[4] = {even, odd, -even, -odd};
    for (int m = 0; m < rows; m++, scale *= w) out[m] += scale * turn[m % 4];
  }
}

int jn__spline_span(const double *knots, int degree, int count, double t) {
  int low = degree, high = count;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (t < knots[middle])
      high = middle;
    else
      low = middle;
  }
  return low;
}

double jn__next_knot(const jn_curve *c, double t) {
  int count = c->count + c->degree + 1, low = 0, high = count;

  /* knots[low - 1] <= t < knots[high] */
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (c->knots[middle] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count ? c->knots[low] : INFINITY;
}

void jn__spline_basis(const double *knots, int degree, int span, double t, double N[][JN_MAX_DEGREE + 1]) {
  N[0][0] = 1;
  for (int p = 1; p <= degree; p++) {
    double saved = 0;
    for (int i = 0; i < p; i++) { /* N[p-1][i] begins at knot span - p + 1 + i */
      double left = knots[span - p + 1 + i], right = knots[span + 1 + i];
      double share = N[p - 1][i] / (right - left);
      N[p][i] = saved + (right - t) * share;
      saved = (t - left) * share;
    }
    N[p][p] = saved;
  }
}

/* The derivative of a spline has the coefficients p (c_j - c_{j-1}) / (knots[j+p] - knots[j]); the transposed step
 * turns weights of those into weights of c. */
void jn__spline_row(const double *knots, int degree, int span, double t, int k, double row[JN_MAX_DEGREE + 1]) {
  double N[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1];
  memset(row, 0, (size_t)(degree + 1) * sizeof *row);
  if (k > degree) return;
  jn__spline_basis(knots, degree - k, span, t, N);
  for (int i = 0; i <= degree - k; i++) row[k + i] = N[degree - k][i];
  for (int p = degree - k + 1; p <= degree; p++) {
    int first = degree - p; /* row[i] belongs to knot span - degree + i; now from first + 1, then from first */
    for (int i = first + 1; i <= degree; i++) {
      int j = span - degree + i;
      double f = row[i] * p / (knots[j + p] - knots[j]);
      row[i] = f;
      row[i - 1] -= f;
    }
  }
}

/* Is t where the spline is held? The ends of a spline are its first and last coefficient. */
static int is_held(const jn_curve *c, double t, double *value) {
  int before = (c->rest & JN_REST_BEFORE) && t < c->knots[0];
  int behind = (c->rest & JN_REST_BEHIND) && t > c->knots[c->count];
  *value = before ? c->numbers[0] : c->numbers[c->count - 1];
  return before || behind;
}

/* Coefficients of the derivatives by differences, and their sums with the B-splines of lower degree. */
static void spline_jet(const jn_curve *c, double t, int rows, double *out) {
  double N[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1], local[JN_MAX_DEGREE + 1];
  int d = c->degree, span = jn__spline_span(c->knots, d, c->count, t);
  double value;
  if (is_held(c, t, &value)) {
    for (int k = 0; k < rows; k++) out[k] = k ? 0 : value;
    return;
  }
  jn__spline_basis(c->knots, d, span, t, N);
  memcpy(local, c->numbers + span - d, (size_t)(d + 1) * sizeof *local);
  for (int k = 0; k < rows; k++) {
    out[k] = 0;
    if (k > d) continue;
    for (int i = 0; i <= d - k; i++) out[k] += local[k + i] * N[d - k][i];
    for (int i = d; i > k; i--) { /* local[i] belongs to knot span - d + i */
      int j = span - d + i, p = d - k;
      local[i] = p * (local[i] - local[i - 1]) / (c->knots[j + p] - c->knots[j]);
    }
  }
}

void jn__curve_jet(const jn_curve *c, double t, int rows, double *out) {
  switch (c->kind) {
    case JN_CURVE_POLYNOMIAL:
      polynomial_jet(c, t, rows, out);
      break;
    case JN_CURVE_FOURIER:
      fourier_jet(c, t, rows, out);
      break;
    case JN_CURVE_SPLINE:
      spline_jet(c, t, rows, out);
      break;
  }
}
