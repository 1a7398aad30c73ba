/* SPDX-License-Identifier: BSD-2-Clause */
/* Series of rotations, as quaternions z = (x, y, z, w) with w the real part. series.h has the formulas. */
#include <string.h>

#include "series.h"

void jn__quaternion_add_product(const double *a, const double *b, double *out) {
  out[0] += a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
  out[1] += a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
  out[2] += a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
  out[3] += a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* A vector as a quaternion without a real part. */
static void pure(const double *x, double q[4]) {
  memcpy(q, x, 3 * sizeof *q);
  q[3] = 0;
}

void jn__rotation_series(int terms, const double *omega, size_t stride, double *z) {
  double x[4];
  memset(z, 0, 4 * ((size_t)terms + 1) * sizeof *z);
  z[3] = 1;
  for (int k = 0; k < terms; k++) {
    for (int j = 0; j <= k; j++) {
      pure(omega + (size_t)(k - j) * stride, x);
      jn__quaternion_add_product(z + 4 * j, x, z + 4 * (k + 1));
    }
    for (int c = 0; c < 4; c++) z[4 * (k + 1) + c] *= 0.5 / (k + 1);
  }
}

void jn__position_series(int terms, const double *z, const double *v, size_t stride, double *scratch, double *p) {
  double x[4], *zv = scratch;
  memset(zv, 0, 4 * (size_t)terms * sizeof *zv);
  memset(p, 0, 3 * sizeof *p);
  for (int k = 0; k < terms; k++) {
    /* (z v)_k */
    for (int j = 0; j <= k; j++) {
      pure(v + (size_t)(k - j) * stride, x);
      jn__quaternion_add_product(z + 4 * j, x, zv + 4 * k);
    }

    /* (z v z*)_k, which is (R v)_k */
    double turned[4] = {0};
    for (int j = 0; j <= k; j++) {
      const double *b = z + 4 * (k - j), conjugate[4] = {-b[0], -b[1], -b[2], b[3]};
      jn__quaternion_add_product(zv + 4 * j, conjugate, turned);
    }
    for (int c = 0; c < 3; c++) p[3 * (k + 1) + c] = turned[c] / (k + 1);
  }
}

/* out += f a x b: three series each, `row` apart. */
static void add_cross(int terms, double f, const double *a, const double *b, size_t row, double *out) {
  for (size_t i = 0; i < 3; i++) {
    size_t j = (i + 1) % 3, k = (i + 2) % 3;
    jn__series_add_product(terms, f, a + j * row, b + k * row, out + i * row);
    jn__series_add_product(terms, -f, a + k * row, b + j * row, out + i * row);
  }
}

void jn__angular_velocity_series(int terms, const double *s, size_t row, double *squared, double *omega,
                                 double *scratch) {
  double *ds = scratch; /* s' */
  const double *w = s + 3 * row, *dw = ds + 3 * row;

  /* s' and |s|^2 */
  memset(squared, 0, row * sizeof *squared);
  memcpy(ds, s, 4 * row * sizeof *ds);
  for (size_t i = 0; i < 4; i++) {
    jn__series_differentiate(terms + 1, ds + i * row);
    jn__series_add_product(terms, 1, s + i * row, s + i * row, squared);
  }

  /* 2 (w u' - w' u - u x u') */
  memset(omega, 0, 3 * row * sizeof *omega);
  for (size_t i = 0; i < 3; i++) {
    jn__series_add_product(terms, 2, w, ds + i * row, omega + i * row);
    jn__series_add_product(terms, -2, dw, s + i * row, omega + i * row);
  }
  add_cross(terms, -2, s, ds, row, omega);
  for (size_t i = 0; i < 3; i++) jn__series_divide(terms, omega + i * row, squared);
}

void jn__turn_series_into_body(int terms, const double *s, size_t row, const double *squared, double *x,
                               double *scratch) {
  double *cross = scratch, *sum = scratch + 3 * row;
  const double *w = s + 3 * row;
  memset(scratch, 0, 6 * row * sizeof *scratch);

  /* u x x, then -2 w (u x x) + 2 u x (u x x) */
  add_cross(terms, 1, s, x, row, cross);
  for (size_t i = 0; i < 3; i++) jn__series_add_product(terms, -2, w, cross + i * row, sum + i * row);
  add_cross(terms, 2, s, cross, row, sum);

  /* x + that over |s|^2 */
  for (size_t i = 0; i < 3; i++) {
    jn__series_divide(terms, sum + i * row, squared);
    for (int k = 0; k < terms; k++) x[i * row + (size_t)k] += sum[i * row + (size_t)k];
  }
}
