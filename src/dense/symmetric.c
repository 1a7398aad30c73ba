/* SPDX-License-Identifier: BSD-2-Clause */
/* Symmetric matrices. */
#include <math.h>

#include "dense.h"

int jn__cholesky(double *M, int n, double tolerance) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = M[i * n + j] - jn__dot(M + i * n, M + j * n, j);
      if (i == j && !(sum > tolerance * fabs(M[i * n + i]))) return 0;
      M[i * n + j] = i == j ? sqrt(sum) : sum / M[j * n + j];
    }
  return 1;
}

void jn__eigenvectors(double *A, int m, double *V) {
  for (int i = 0; i < m * m; i++) V[i] = i % (m + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, all = 0;
    for (int i = 0; i < m * m; i++) {
      all += A[i] * A[i];
      if (i % (m + 1) != 0) off += A[i] * A[i];
    }
    if (off <= 1e-32 * all) return;
    for (int p = 0; p < m; p++)
      for (int q = p + 1; q < m; q++) {
        if (A[p * m + q] == 0) continue;
        double theta = 0.5 * (A[q * m + q] - A[p * m + p]) / A[p * m + q];
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
        for (int k = 0; k < m; k++) {
          double x = A[k * m + p], y = A[k * m + q], u = V[k * m + p], w = V[k * m + q];
          A[k * m + p] = c * x - s * y;
          A[k * m + q] = s * x + c * y;
          V[k * m + p] = c * u - s * w;
          V[k * m + q] = s * u + c * w;
        }
        for (int k = 0; k < m; k++) {
          double x = A[p * m + k], y = A[q * m + k];
          A[p * m + k] = c * x - s * y;
          A[q * m + k] = s * x + c * y;
        }
      }
  }
}
