/* SPDX-License-Identifier: BSD-2-Clause */
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) s += a[k] * b[k];
  return s;
}

static void rotate(double *a, double *b, int n, double c, double s) {
  for (int k = 0; k < n; k++) {
    double x = a[k], y = b[k];
    a[k] = c * x - s * y;
    b[k] = s * x + c * y;
  }
}

void jn__svd(jn_svd *d, int rows, int n, const double *B, double tolerance) {
  d->rows = rows;
  d->n = n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < rows; i++) d->U[j * rows + i] = B[i * n + j];
  memset(d->V, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int j = 0; j < n; j++) d->V[j * (n + 1)] = 1;
  for (int sweep = 0, turned = 1; turned && sweep < 60; sweep++) {
    turned = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double *a = d->U + p * rows, *b = d->U + q * rows;
        double aa = dot(a, a, rows), bb = dot(b, b, rows), ab = dot(a, b, rows);
        if (!(fabs(ab) > 4 * DBL_EPSILON * sqrt(aa * bb))) continue;
        double zeta = (bb - aa) / (2 * ab), t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
        double c = 1 / sqrt(1 + t * t), s = c * t;
        rotate(a, b, rows, c, s);
        rotate(d->V + p * n, d->V + q * n, n, c, s);
        turned = 1;
      }
  }
  double most = 0;
  for (int j = 0; j < n; j++) {
    d->s[j] = sqrt(dot(d->U + j * rows, d->U + j * rows, rows));
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

void jn__svd_solve(const jn_svd *d, const double *b, double *x) {
  memset(x, 0, sizeof(double) * (size_t)d->n);
  for (int j = 0; j < d->n; j++) {
    if (d->s[j] == 0) continue;
    double y = dot(d->U + j * d->rows, b, d->rows) / (d->s[j] * d->s[j]);
    for (int k = 0; k < d->n; k++) x[k] += y * d->V[j * d->n + k];
  }
}

void jn__svd_solve_normal(const jn_svd *d, double *x) {
  for (int j = 0; j < d->n; j++) d->y[j] = d->s[j] == 0 ? 0 : dot(d->V + j * d->n, x, d->n) / (d->s[j] * d->s[j]);
  memset(x, 0, sizeof(double) * (size_t)d->n);
  for (int j = 0; j < d->n; j++)
    for (int k = 0; k < d->n; k++) x[k] += d->y[j] * d->V[j * d->n + k];
}

int jn__cholesky(double *M, int n) {
  for (int j = 0; j < n; j++) {
    double pivot = M[j * (n + 1)] - dot(M + j * n, M + j * n, j);
    if (!(pivot > 0)) return 0;
    M[j * (n + 1)] = sqrt(pivot);
    for (int i = j + 1; i < n; i++) M[i * n + j] = (M[i * n + j] - dot(M + i * n, M + j * n, j)) / M[j * (n + 1)];
  }
  return 1;
}

void jn__lower_solve(const double *L, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = (x[i] - dot(L + i * n, x, i)) / L[i * (n + 1)];
}

void jn__upper_solve(const double *L, int n, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
    x[i] /= L[i * (n + 1)];
  }
}

void jn__cholesky_solve(const double *L, int n, double *x) {
  jn__lower_solve(L, n, x);
  jn__upper_solve(L, n, x);
}
