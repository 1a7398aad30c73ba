/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of space [3], rotations of poses [16] and of matrices [9], and sizes of vectors: the small steps that every
 * folder outside the kernels shares. All in double, inline. */
#ifndef JN_DENSE_VECTORS_H
#define JN_DENSE_VECTORS_H

#include <math.h>

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross3(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* R x with R of the pose T. */
static inline void turn3(const double *T, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] = dot3(T + 4 * i, x);
}

/* out += s R x, out += s R^T x; R row-major 3x3. */
static inline void add_turned(double s, const double *R, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] += s * dot3(R + 3 * i, x);
}
static inline void add_turned_back(double s, const double *R, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] += s * (R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2]);
}

/* sqrt(sum x_k^2) */
static inline double length_of(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

/* The largest magnitude; NaN does not count. */
static inline double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

/* The same, NaN if there is one. */
static inline double largest_or_nan(const double *x, int n) {
  for (int k = 0; k < n; k++)
    if (isnan(x[k])) return x[k];
  return largest(x, n);
}

#endif
