/* SPDX-License-Identifier: BSD-2-Clause */
/* The smoothest curve through given points: of all curves through (t_i, x_i) with m - 1 derivatives given at both ends,
 * the spline of degree 2 m - 1 with knots at the points minimises the integral of the square of the derivative of order
 * m (m = 3: minimum jerk, m = 4: minimum snap). It is found by collocation, with one equation for each point and m - 1
 * more for each end. The matrix is banded and is solved by elimination with row exchanges. */
#include <math.h>
#include <string.h>

#include "trajectory.h"

typedef struct bands {
  int n, lower, upper; /* entries (i, i - lower) ... (i, i + upper); upper includes what exchanges fill in */
  double *a;
} bands;

static double *entry(const bands *m, int i, int j) {
  return m->a + (size_t)i * (size_t)(m->lower + m->upper + 1) + (size_t)(j - i + m->lower);
}

static int least(int a, int b) { return a < b ? a : b; }

/* Elimination with partial pivoting; x is the right-hand side, then the solution. 0 when singular. */
static int solve(const bands *m, double *x) {
  for (int k = 0; k < m->n; k++) {
    int bottom = least(k + m->lower, m->n - 1), right = least(k + m->upper, m->n - 1), pivot = k;
    for (int i = k + 1; i <= bottom; i++)
      if (fabs(*entry(m, i, k)) > fabs(*entry(m, pivot, k))) pivot = i;
    if (!(fabs(*entry(m, pivot, k)) > 0)) return 0;
    for (int j = k; j <= right && pivot != k; j++) {
      double keep = *entry(m, k, j);
      *entry(m, k, j) = *entry(m, pivot, j);
      *entry(m, pivot, j) = keep;
    }
    double keep = x[k];
    x[k] = x[pivot];
    x[pivot] = keep;
    for (int i = k + 1; i <= bottom; i++) {
      double f = *entry(m, i, k) / *entry(m, k, k);
      if (f == 0) continue;
      for (int j = k; j <= right; j++) *entry(m, i, j) -= f * *entry(m, k, j);
      x[i] -= f * x[k];
    }
  }
  for (int k = m->n - 1; k >= 0; k--) {
    for (int j = k + 1; j <= least(k + m->upper, m->n - 1); j++) x[k] -= *entry(m, k, j) * x[j];
    x[k] /= *entry(m, k, k);
  }
  return 1;
}

/* Row i of the collocation: derivative of order k at time t is `value`, in units in which the row is of size 1. */
static void add_row(const bands *m, const double *knots, int degree, int i, double t, int k, double value, double *x) {
  double row[JN_MAX_DEGREE + 1], size = 0;
  int span = jn__spline_span(knots, degree, m->n, t);
  jn__spline_row(knots, degree, span, t, k, row);
  for (int j = 0; j <= degree; j++) size = fmax(size, fabs(row[j]));
  for (int j = 0; j <= degree; j++)
    if (row[j] != 0) *entry(m, i, span - degree + j) = row[j] / size;
  x[i] = value / size;
}

jn_status jn__waypoint_spline(jn_blocks *blocks, int order, int points, const double *t, const double *x,
                              const double *start, const double *end, jn_curve *curve) {
  int degree = 2 * order - 1, ends = order - 1, n = points + 2 * ends;
  bands m = {.n = n, .lower = degree + 1, .upper = 2 * degree + 2};
  double *knots = jn__keep(blocks, (size_t)(n + degree + 1) * sizeof *knots);
  double *numbers = jn__keep(blocks, (size_t)n * sizeof *numbers);
  m.a = jn__keep(blocks, (size_t)n * (size_t)(m.lower + m.upper + 1) * sizeof *m.a);
  if (!knots || !numbers || !m.a) return JN_ERR_MEMORY;
  for (int i = 0; i <= degree; i++) {
    knots[i] = t[0];
    knots[n + i] = t[points - 1];
  }
  for (int i = 1; i < points - 1; i++) knots[degree + i] = t[i];
  int row = 0;
  add_row(&m, knots, degree, row++, t[0], 0, x[0], numbers);
  for (int k = 1; k <= ends; k++) add_row(&m, knots, degree, row++, t[0], k, start[k - 1], numbers);
  for (int i = 1; i < points - 1; i++) add_row(&m, knots, degree, row++, t[i], 0, x[i], numbers);
  for (int k = ends; k >= 1; k--) add_row(&m, knots, degree, row++, t[points - 1], k, end[k - 1], numbers);
  add_row(&m, knots, degree, row, t[points - 1], 0, x[points - 1], numbers);
  if (!solve(&m, numbers)) return JN_ERR_SINGULAR;
  *curve = (jn_curve){.kind = JN_CURVE_SPLINE, .count = n, .degree = degree, .knots = knots, .numbers = numbers};
  return JN_OK;
}
