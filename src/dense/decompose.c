/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank-revealing decompositions: singular values, and complete orthogonal decompositions. */
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void rotate(double *a, double *b, int n, double c, double s) {
  for (int k = 0; k < n; k++) {
    double x = a[k], y = b[k];
    a[k] = c * x - s * y;
    b[k] = s * x + c * y;
  }
}

void jn__orthogonalise(double *U, int n, int rows, double *V) {
  for (int sweep = 0, turned = 1; turned && sweep < 60; sweep++) {
    turned = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double *a = U + p * rows, *b = U + q * rows;
        double aa = jn__dot(a, a, rows), bb = jn__dot(b, b, rows), ab = jn__dot(a, b, rows);
        if (!(fabs(ab) > 4 * DBL_EPSILON * sqrt(aa * bb))) continue;
        double zeta = (bb - aa) / (2 * ab), t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
        double c = 1 / sqrt(1 + t * t), s = c * t;
        rotate(a, b, rows, c, s);
        if (V) rotate(V + p * n, V + q * n, n, c, s);
        turned = 1;
      }
  }
}

void jn__svd(jn_decomposition *d, int rows, int n, const double *B, double tolerance) {
  d->rows = rows;
  d->n = n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rows; i++) d->U[j * rows + i] = B[i * n + j];
  memset(d->V, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int j = 0; j < n; j++) d->V[j * (n + 1)] = 1;
  jn__orthogonalise(d->U, n, rows, d->V);
  double most = 0;
  for (int j = 0; j < n; j++) {
    d->s[j] = sqrt(jn__dot(d->U + j * rows, d->U + j * rows, rows));
    most = fmax(most, d->s[j]);
  }
  d->rank = 0;
  d->weakest = 1;
  d->dropped = 0;
  for (int j = 0; j < n; j++) {
    double relative = most > 0 ? d->s[j] / most : 0;
    if (relative > tolerance) {
      d->rank++;
      d->weakest = fmin(d->weakest, relative);
    } else {
      d->dropped = fmax(d->dropped, relative);
      d->s[j] = 0;
    }
  }
}

void jn__svd_solve(const jn_decomposition *d, const double *b, double *x) {
  memset(x, 0, sizeof(double) * (size_t)d->n);
  for (int j = 0; j < d->n; j++) {
    if (d->s[j] == 0) continue;
    double y = jn__dot(d->U + j * d->rows, b, d->rows) / (d->s[j] * d->s[j]);
    for (int k = 0; k < d->n; k++) x[k] += y * d->V[j * d->n + k];
  }
}

void jn__svd_solve_normal(const jn_decomposition *d, double *x) {
  for (int j = 0; j < d->n; j++) d->y[j] = d->s[j] == 0 ? 0 : jn__dot(d->V + j * d->n, x, d->n) / (d->s[j] * d->s[j]);
  memset(x, 0, sizeof(double) * (size_t)d->n);
  for (int j = 0; j < d->n; j++)
    for (int k = 0; k < d->n; k++) x[k] += d->y[j] * d->V[j * d->n + k];
}

/* ---- complete orthogonal decomposition ---- */

static void swap_columns(jn_decomposition *d, int a, int b) {
  int p = d->pivot[a];
  d->pivot[a] = d->pivot[b];
  d->pivot[b] = p;
  for (int i = 0; i < d->rows; i++) {
    double x = d->U[a * d->rows + i];
    d->U[a * d->rows + i] = d->U[b * d->rows + i];
    d->U[b * d->rows + i] = x;
  }
}

/* Makes x [n] of length `norm` a multiple of e_0, which it becomes: the rest of x holds the reflection, its factor is
 * returned. */
static double reflection(double *x, int n, double norm) {
  double beta = x[0] > 0 ? -norm : norm, scale = 1 / (x[0] - beta), factor = (beta - x[0]) / beta;
  for (int i = 1; i < n; i++) x[i] *= scale;
  x[0] = beta;
  return factor;
}

/* Column k becomes that of R; the others are reflected. */
static void eliminate(jn_decomposition *d, int k, double norm) {
  int rows = d->rows, left = rows - k;
  double *v = d->U + k * rows + k;
  d->s[k] = reflection(v, left, norm);
  for (int j = k + 1; j < d->n; j++) {
    double *x = d->U + j * rows + k, w = d->s[k] * (x[0] + jn__dot(v + 1, x + 1, left - 1));
    if (w == 0) continue;
    x[0] -= w;
    for (int i = 1; i < left; i++) x[i] -= w * v[i];
  }
}

/* Reflection i of Z on x [n]. */
static void reflect_right(const jn_decomposition *d, int i, double *x) {
  double w = x[i];
  for (int j = d->rank; j < d->n; j++) w += d->U[j * d->rows + i] * x[j];
  w *= d->V[i];
  x[i] -= w;
  for (int j = d->rank; j < d->n; j++) x[j] -= w * d->U[j * d->rows + i];
}

/* [R11 R12] becomes [T 0], the reflections in the place of R12. */
static void clear_right(jn_decomposition *d) {
  int rows = d->rows, r = d->rank;
  for (int i = r - 1; i >= 0; i--) {
    double *own = d->U + i * rows + i, sum = 0;
    for (int j = r; j < d->n; j++) sum += d->U[j * rows + i] * d->U[j * rows + i];
    d->V[i] = 0;
    if (sum == 0) continue;
    double norm = sqrt(*own * *own + sum), beta = *own > 0 ? -norm : norm;
    for (int j = r; j < d->n; j++) d->U[j * rows + i] /= *own - beta;
    d->V[i] = (beta - *own) / beta;
    *own = beta;
    for (int k = 0; k < i; k++) { /* rows above */
      double w = d->U[i * rows + k];
      for (int j = r; j < d->n; j++) w += d->U[j * rows + i] * d->U[j * rows + k];
      w *= d->V[i];
      d->U[i * rows + k] -= w;
      for (int j = r; j < d->n; j++) d->U[j * rows + k] -= w * d->U[j * rows + i];
    }
  }
}

/* Columns of R back in their own units. */
static void unscale(jn_decomposition *d, const double *scale) {
  for (int j = 0; j < d->n; j++)
    for (int i = 0; i < d->rank && i <= j; i++) d->U[j * d->rows + i] *= scale[d->pivot[j]];
}

static void decompose(jn_decomposition *d, const double *scale, double tolerance) {
  int rows = d->rows, n = d->n, k = 0;
  double first = 0;
  d->weakest = 1;
  d->dropped = 0;
  for (int j = 0; j < n; j++) d->pivot[j] = j;
  for (; k < rows && k < n; k++) {
    double most = -1;
    int best = k;
    for (int j = k; j < n; j++) { /* anew each time: no rounding adds up */
      double norm = jn__dot(d->U + j * rows + k, d->U + j * rows + k, rows - k);
      if (norm > most) most = norm, best = j;
    }
    most = sqrt(most);
    if (k == 0) first = most;
    if (!(most > tolerance * first)) {
      d->dropped = first > 0 ? most / first : 0;
      break;
    }
    d->weakest = most / first;
    if (best != k) swap_columns(d, k, best);
    eliminate(d, k, most);
  }
  d->rank = k;
  if (scale) unscale(d, scale);
  if (k < n) clear_right(d);
}

void jn__cod_strided(jn_decomposition *d, int rows, int n, int stride, const double *B, const double *scale,
                     double tolerance) {
  d->rows = rows;
  d->n = n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rows; i++) d->U[j * rows + i] = B[i * stride + j] / (scale ? scale[j] : 1);
  decompose(d, scale, tolerance);
}

void jn__cod(jn_decomposition *d, int rows, int n, const double *B, double tolerance) {
  jn__cod_strided(d, rows, n, n, B, NULL, tolerance);
}

/* y [rank] = T^-1 y, T^-T y. */
static void solve_T(const jn_decomposition *d, double *y) {
  for (int i = d->rank - 1; i >= 0; i--) {
    y[i] /= d->U[i * (d->rows + 1)];
    for (int k = 0; k < i; k++) y[k] -= d->U[i * d->rows + k] * y[i];
  }
}

static void solve_T_transposed(const jn_decomposition *d, double *y) {
  for (int i = 0; i < d->rank; i++) y[i] = (y[i] - jn__dot(d->U + i * d->rows, y, i)) / d->U[i * (d->rows + 1)];
}

/* x = P Z^T (y, 0). */
static void spread(const jn_decomposition *d, double *y, double *x) {
  for (int j = d->rank; j < d->n; j++) y[j] = 0;
  for (int i = 0; i < d->rank && d->rank < d->n; i++) reflect_right(d, i, y);
  for (int j = 0; j < d->n; j++) x[d->pivot[j]] = y[j];
}

void jn__cod_solve(const jn_decomposition *d, const double *b, double *x) {
  double *y = d->y;
  memcpy(y, b, sizeof(double) * (size_t)d->rows);
  for (int k = 0; k < d->rank; k++) {
    const double *v = d->U + k * d->rows + k;
    int left = d->rows - k;
    double w = d->s[k] * (y[k] + jn__dot(v + 1, y + k + 1, left - 1));
    y[k] -= w;
    for (int i = 1; i < left; i++) y[k + i] -= w * v[i];
  }
  solve_T(d, y);
  spread(d, y, x);
}

void jn__cod_solve_normal(const jn_decomposition *d, double *x) {
  double *y = d->y;
  for (int j = 0; j < d->n; j++) y[j] = x[d->pivot[j]];
  for (int i = d->rank - 1; i >= 0 && d->rank < d->n; i--) reflect_right(d, i, y);
  solve_T_transposed(d, y);
  solve_T(d, y);
  spread(d, y, x);
}
