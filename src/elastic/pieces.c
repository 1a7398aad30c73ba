/* SPDX-License-Identifier: BSD-2-Clause */
/* Splines of degree 5 through points, the smoothest in the sense of the integral of p'''^2.
 *
 * On each interval the spline is the quintic with given values, slopes and curvatures at its ends. Slopes and
 * curvatures are chosen so that the third and fourth derivatives are continuous, and zero at the ends of the spline: a
 * symmetric positive definite system with blocks of 2 x 2 along its diagonal, solved by block elimination in O(count).
 */
#include <string.h>

#include "elastic.h"

/* Equations of one interval of width h for (slope, curvature) at its left and right end: matrix, and load for a rise
 * of 1. */
static void interval_equations(double h, double A[4][4], double load[4]) {
  /* p''' and p'''' at u = 0 and 1 in terms of (rise, slope0, curvature0, slope1, curvature1) */
  const double c3[5] = {10, -6 * h, -1.5 * h * h, -4 * h, 0.5 * h * h};
  const double c4[5] = {-15, 8 * h, 1.5 * h * h, 7 * h, -h * h};
  const double c5[5] = {6, -3 * h, -0.5 * h * h, -3 * h, 0.5 * h * h};
  double h3 = h * h * h, h4 = h3 * h;
  for (int i = 0; i < 5; i++) {
    double row[4] = {24 * c4[i] / h4, -6 * c3[i] / h3, -(24 * c4[i] + 120 * c5[i]) / h4,
                     (6 * c3[i] + 24 * c4[i] + 60 * c5[i]) / h3};
    for (int k = 0; k < 4; k++)
      if (i == 0)
        load[k] = -row[k];
      else
        A[k][i - 1] = row[k];
  }
}

/* x [2] <- A^-1 x, A [2 x 2] by rows. */
static void solve2(const double A[4], double x[2]) {
  double det = A[0] * A[3] - A[1] * A[2], a = x[0], b = x[1];
  x[0] = (A[3] * a - A[1] * b) / det;
  x[1] = (A[0] * b - A[2] * a) / det;
}

/* Coefficients of each interval from slopes and curvatures x [2 count]. */
static void set_coefficients(jn_quintic_spline *pieces, const double *x) {
  for (int i = 0; i + 1 < pieces->count; i++) {
    double h = pieces->x[i + 1] - pieces->x[i], rise = pieces->y[i + 1] - pieces->y[i], *c = pieces->c + 6 * i;
    double d0 = h * x[2 * i], s0 = h * h * x[2 * i + 1], d1 = h * x[2 * i + 2], s1 = h * h * x[2 * i + 3];
    c[0] = pieces->y[i];
    c[1] = d0;
    c[2] = s0 / 2;
    c[3] = 10 * rise - 6 * d0 - 4 * d1 - 1.5 * s0 + 0.5 * s1;
    c[4] = -15 * rise + 8 * d0 + 7 * d1 + 1.5 * s0 - s1;
    c[5] = 6 * rise - 3 * d0 - 3 * d1 - 0.5 * s0 + 0.5 * s1;
  }
}

void jn__pieces_fit(jn_quintic_spline *pieces, double *scratch) {
  int n = pieces->count;
  double *diagonal = scratch, *x = scratch + 4 * n; /* [n x 4], [n x 2] */
  memset(scratch, 0, (size_t)(6 * n) * sizeof *scratch);

  /* All blocks of the diagonal, and the right side. */
  for (int i = 0; i + 1 < n; i++) {
    double A[4][4], load[4], rise = pieces->y[i + 1] - pieces->y[i];
    interval_equations(pieces->x[i + 1] - pieces->x[i], A, load);
    for (int k = 0; k < 2; k++) {
      x[2 * i + k] += load[k] * rise;
      x[2 * i + 2 + k] += load[2 + k] * rise;
      for (int m = 0; m < 2; m++) {
        diagonal[4 * i + 2 * k + m] += A[k][m];
        diagonal[4 * i + 4 + 2 * k + m] += A[2 + k][2 + m];
      }
    }
  }

  /* Block elimination downwards: the block below the diagonal is A[2..3][0..1]. */
  for (int i = 0; i + 1 < n; i++) {
    double A[4][4], load[4], above[2] = {x[2 * i], x[2 * i + 1]};
    interval_equations(pieces->x[i + 1] - pieces->x[i], A, load);
    solve2(diagonal + 4 * i, above);
    for (int m = 0; m < 2; m++) {
      double column[2] = {A[0][2 + m], A[1][2 + m]};
      solve2(diagonal + 4 * i, column);
      for (int k = 0; k < 2; k++) diagonal[4 * i + 4 + 2 * k + m] -= A[2 + k][0] * column[0] + A[2 + k][1] * column[1];
    }
    for (int k = 0; k < 2; k++) x[2 * i + 2 + k] -= A[2 + k][0] * above[0] + A[2 + k][1] * above[1];
  }

  /* And upwards. */
  for (int i = n - 1; i >= 0; i--) {
    if (i + 1 < n) {
      double A[4][4], load[4];
      interval_equations(pieces->x[i + 1] - pieces->x[i], A, load);
      for (int k = 0; k < 2; k++) x[2 * i + k] -= A[k][2] * x[2 * i + 2] + A[k][3] * x[2 * i + 3];
    }
    solve2(diagonal + 4 * i, x + 2 * i);
  }

  set_coefficients(pieces, x);
}

void jn__pieces_taylor(const jn_quintic_spline *pieces, double x, int flat, int order, double *out) {
  int last = pieces->count - 2, low = 0, high = last;
  double first = pieces->x[0], end = pieces->x[pieces->count - 1], at = x < first ? first : x > end ? end : x, c[6];

  /* The interval, by bisection. */
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (pieces->x[middle] <= at)
      low = middle;
    else
      high = middle - 1;
  }

  /* Taylor coefficients about u, by repeated Horner steps. */
  double h = pieces->x[low + 1] - pieces->x[low], u = (at - pieces->x[low]) / h, power = 1;
  memcpy(c, pieces->c + 6 * low, sizeof c);
  for (int k = 0; k < 6; k++)
    for (int i = 4; i >= k; i--) c[i] += u * c[i + 1];
  for (int k = 0; k <= order; k++, power *= h) out[k] = k < 6 ? c[k] / power : 0;

  /* Beyond the ends: constant, or the parabola of the last point. */
  if (at == x) return;
  for (int k = flat ? 1 : 3; k <= order; k++) out[k] = 0;
  if (flat) return;
  double d = x - at, slope = order > 0 ? out[1] : c[1] / h, curve = order > 1 ? out[2] : c[2] / (h * h);
  out[0] += d * (slope + d * curve);
  if (order > 0) out[1] = slope + 2 * d * curve;
}
