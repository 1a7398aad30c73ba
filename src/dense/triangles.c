/* SPDX-License-Identifier: BSD-2-Clause */
/* QR decompositions that rows are added to, and columns that are independent. */
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "dense.h"

/* One reflection per column, of the row of R and all rows of the block; inner loops run along rows. */
static inline void update(double *R, double *block, int rows, int n, double *w, int may_stop) {
  const double tiny = 1e-280;
  for (int j = 0; j < n && !(may_stop && jn__is_stopped()); j++) {
    double *top = R + (size_t)j * (size_t)n, sum = 0;
    for (int i = 0; i < rows; i++)
      sum += block[(size_t)i * (size_t)n + (size_t)j] * block[(size_t)i * (size_t)n + (size_t)j];
    if (sum < tiny) { /* nothing, or so little that its squares would underflow */
      for (int i = 0; i < rows; i++) block[(size_t)i * (size_t)n + (size_t)j] = 0;
      continue;
    }
    double length = sqrt(top[j] * top[j] + sum), diagonal = top[j] > 0 ? -length : length, v = top[j] - diagonal;
    double by = 2 / (v * v + sum);
    for (int k = j + 1; k < n; k++) w[k] = v * top[k];
    for (int i = 0; i < rows; i++) {
      const double *row = block + (size_t)i * (size_t)n;
      double x = row[j];
      if (x == 0) continue;
      for (int k = j + 1; k < n; k++) w[k] += x * row[k];
    }
    for (int k = j + 1; k < n; k++) top[k] -= by * v * w[k];
    for (int i = 0; i < rows; i++) {
      double *row = block + (size_t)i * (size_t)n, x = by * row[j];
      if (x == 0) continue;
      for (int k = j + 1; k < n; k++) row[k] -= x * w[k];
      row[j] = 0;
    }
    top[j] = diagonal;
  }
}

void jn__qr_update(double *R, double *block, int rows, int n, double *w) { update(R, block, rows, n, w, 0); }

void jn__qr_update_unless_stopped(double *R, double *block, int rows, int n, double *w) {
  update(R, block, rows, n, w, 1);
}

void jn__back_solve(const double *R, int n, int ld, const double *b, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    const double *row = R + (size_t)i * (size_t)ld;
    double sum = b[i];
    for (int k = i + 1; k < n; k++) sum -= row[k] * x[k];
    x[i] = sum / row[i];
  }
}

typedef struct basis {
  double *Q;     /* [count x rows] orthonormal */
  double *R;     /* [n x n] R[i][j]: part of column j along Q[i] */
  double *scale; /* [n] */
  int count;
} basis;

/* Adds column j (scaled, in x [rows]) to the basis unless it depends on it. Gram-Schmidt, twice. */
static int extend(basis *s, double *x, int rows, int n, int j, double tol) {
  for (int twice = 0; twice < 2; twice++)
    for (int k = 0; k < s->count; k++) {
      double *q = s->Q + (size_t)k * (size_t)rows, along = jn__dot(q, x, rows);
      s->R[(size_t)k * (size_t)n + (size_t)j] += along;
      for (int r = 0; r < rows; r++) x[r] -= along * q[r];
    }
  double length = sqrt(jn__dot(x, x, rows));
  if (!(length > tol)) return 0;
  double *q = s->Q + (size_t)s->count * (size_t)rows;
  for (int r = 0; r < rows; r++) q[r] = x[r] / length;
  s->R[(size_t)s->count * (size_t)n + (size_t)j] = length;
  s->count++;
  return 1;
}

/* Column j in terms of the leading ones, into B. */
static void express(const basis *s, int n, int j, const int *lead, int before, double *B) {
  for (int i = before - 1; i >= 0; i--) {
    double sum = s->R[(size_t)i * (size_t)n + (size_t)j];
    for (int k = i + 1; k < before; k++)
      sum -= s->R[(size_t)i * (size_t)n + (size_t)lead[k]] * B[(size_t)k * (size_t)n + (size_t)j];
    B[(size_t)i * (size_t)n + (size_t)j] = sum / s->R[(size_t)i * (size_t)n + (size_t)lead[i]];
  }
  for (int i = 0; i < before; i++) {
    double *b = &B[(size_t)i * (size_t)n + (size_t)j];
    *b = fabs(*b) < 1e-10 ? 0 : *b * s->scale[j] / s->scale[lead[i]];
  }
}

int jn__independent(const jn_allocator *a, const double *A, int rows, int n, const int *order, double zero, double tol,
                    int *lead, double *B, unsigned char *used) {
  int most = rows < n ? rows : n, ok;
  basis s = {.Q = jn__allocate(a, (size_t)most * (size_t)rows * sizeof(double)),
             .R = jn__allocate(a, (size_t)n * (size_t)n * sizeof(double)),
             .scale = jn__allocate(a, (size_t)n * sizeof(double))};
  double *x = jn__allocate(a, (size_t)rows * sizeof *x), largest = 0;
  ok = s.Q && s.R && s.scale && x;
  for (int j = 0; j < n && ok; j++) {
    double sum = 0;
    for (int r = 0; r < rows; r++) sum += A[(size_t)r * (size_t)n + (size_t)j] * A[(size_t)r * (size_t)n + (size_t)j];
    s.scale[j] = sqrt(sum);
    largest = fmax(largest, s.scale[j]);
  }
  if (ok && B) memset(B, 0, (size_t)most * (size_t)n * sizeof *B);
  for (int k = 0; k < n && ok; k++) {
    int j = order ? order[k] : k, is_zero = !(s.scale[j] > zero * largest) || s.scale[j] == 0;
    if (used) used[j] = (unsigned char)!is_zero;
    if (is_zero) continue;
    for (int r = 0; r < rows; r++) x[r] = A[(size_t)r * (size_t)n + (size_t)j] / s.scale[j];
    int before = s.count;
    if (before < most && extend(&s, x, rows, n, j, tol)) {
      lead[before] = j;
      if (B) B[(size_t)before * (size_t)n + (size_t)j] = 1;
    } else if (B) {
      express(&s, n, j, lead, before, B);
    }
  }
  jn__release(a, s.Q);
  jn__release(a, s.R);
  jn__release(a, s.scale);
  jn__release(a, x);
  return ok ? s.count : -1;
}
