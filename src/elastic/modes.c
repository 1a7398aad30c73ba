/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes of vibration: K x = omega^2 M x for changes x that keep the loops closed.
 *
 * With x = N y, N a basis of these changes (A N = 0), and N^T M N = L L^T, they are the eigenvectors of
 * L^-1 N^T K N L^-T, found by Jacobi's rotations; omega in rad/s, shapes x = N L^-T y. */
#include <math.h>
#include <string.h>

#include "../dense/dense.h"
#include "elastic.h"

/* N [n x free] with A N = 0, by elimination with the largest pivot; rank is known. */
static void null_space(double *A, int rows, int n, int rank, int *columns, double *N) {
  for (int i = 0; i < n; i++) columns[i] = i;

  /* Elimination: the largest pivot, rows and columns exchanged. */
  for (int k = 0; k < rank; k++) {
    int row = k, column = k;
    for (int i = k; i < rows; i++)
      for (int j = k; j < n; j++)
        if (fabs(A[i * n + j]) > fabs(A[row * n + column])) row = i, column = j;
    for (int j = 0; j < n; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[row * n + j];
      A[row * n + j] = swap;
    }
    for (int i = 0; i < rows; i++) {
      double swap = A[i * n + k];
      A[i * n + k] = A[i * n + column];
      A[i * n + column] = swap;
    }
    int kept = columns[k];
    columns[k] = columns[column];
    columns[column] = kept;
    for (int i = 0; i < rows; i++) {
      double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n && i != k; j++) A[i * n + j] -= factor * A[k * n + j];
    }
  }

  /* One vector for each free column. */
  int left = n - rank;
  memset(N, 0, (size_t)(n * left) * sizeof *N);
  for (int f = 0; f < left; f++) {
    N[columns[rank + f] * left + f] = 1;
    for (int k = 0; k < rank; k++) N[columns[k] * left + f] = -A[k * n + rank + f] / A[k * n + k];
  }
}

/* Stiffness matrix K of the robot with motors: each spring couples a link and a motor coordinate. */
static void spring_matrix(const jn_elastic *elastic, double t, const double *delta, double *K) {
  int n = elastic->robot_nv;
  memset(K, 0, (size_t)(n * n) * sizeof *K);
  for (int v = 0; v < elastic->nv; v++) {
    int a = elastic->link_v[v], b = elastic->motor_v[v];
    double f[2];
    if (a == b) continue;
    jn__spring_taylor(&elastic->springs[v], t, delta ? delta[v] : 0, 1, f);
    K[a * n + a] += f[1];
    K[b * n + b] += f[1];
    K[a * n + b] -= f[1];
    K[b * n + a] -= f[1];
  }
}

/* to [m x m] = N^T X N; column [n] is scratch. */
static void project_matrix(const double *X, int n, const double *N, int m, double *column, double *to) {
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < n; i++) {
      column[i] = 0;
      for (int k = 0; k < n; k++) column[i] += X[i * n + k] * N[k * m + j];
    }
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += N[k * m + i] * column[k];
      to[i * m + j] = sum;
    }
  }
}

/* K <- L^-1 K L^-T. */
static void divide_by_factors(double *K, int m, const double *L) {
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < m; j++)
      for (int i = 0; i < m; i++) {
        double sum = K[i * m + j];
        for (int k = 0; k < i; k++) sum -= L[i * m + k] * K[k * m + j];
        K[i * m + j] = sum / L[i * m + i];
      }
    for (int i = 0; i < m; i++)
      for (int j = 0; j < i; j++) {
        double swap = K[i * m + j];
        K[i * m + j] = K[j * m + i];
        K[j * m + i] = swap;
      }
  }
}

/* Rows of shapes: N L^-T V, in the order of their frequencies. */
static void write_modes(int n, int m, const double *N, const double *L, const double *A, double *V, double *omega,
                        double *shapes) {
  for (int j = 0; j < m; j++) /* V <- L^-T V */
    for (int i = m - 1; i >= 0; i--) {
      double sum = V[i * m + j];
      for (int k = i + 1; k < m; k++) sum -= L[k * m + i] * V[k * m + j];
      V[i * m + j] = sum / L[i * m + i];
    }
  if (shapes) memset(shapes, 0, (size_t)(n * n) * sizeof *shapes);
  for (int j = 0; j < m; j++) {
    int rank = 0; /* how many come before */
    double value = A[j * m + j];
    for (int i = 0; i < m; i++) rank += A[i * m + i] < value || (A[i * m + i] == value && i < j);
    if (omega) omega[rank] = sqrt(fmax(value, 0));
    for (int i = 0; i < n && shapes; i++)
      for (int k = 0; k < m; k++) shapes[rank * n + i] += N[i * m + k] * V[k * m + j];
  }
}

jn_status jn_elastic_modes(jn_elastic *elastic, double t, const double *q, const double *delta, int *count,
                           double *omega, double *shapes) {
  if (!elastic || !q || !count) return JN_ERR_NULL;
  int n = elastic->robot_nv, rank = 0, rows = elastic->robot_loops ? jn_loops_rows(elastic->robot_loops) : 0;
  double *X = elastic->scratch, *N = X + n * n, *M = N + n * n, *K = M + n * n, *V = K + n * n, *zero = V + n * n;
  double *q_all = zero + 4 * n, *A = q_all + elastic->robot_nq;
  int *columns = (int *)(void *)(zero + 2 * n);

  /* M and the conditions of the loops at q. */
  memset(zero, 0, (size_t)(2 * n) * sizeof *zero);
  jn_status status = jn_elastic_join(elastic, q, zero, zero, zero, q_all, zero + n);
  if (status == JN_OK) status = jn_mass_matrix(elastic->robot, elastic->robot_work, q_all, X);
  if (status == JN_OK && rows) status = jn_loops_constraint(elastic->robot_loops, q_all, zero, NULL, A, NULL);
  if (status == JN_OK && rows) status = jn_loops_rank(elastic->robot_loops, q_all, &rank);
  if (status != JN_OK) return status;

  /* The basis N, and N^T M N = L L^T. */
  null_space(A, rows, n, rank, columns, N);
  int m = n - rank;
  project_matrix(X, n, N, m, zero, M);
  if (!jn__cholesky(M, m, 1e-14)) return JN_ERR_SINGULAR;

  /* L^-1 N^T K N L^-T and its eigenvectors. */
  spring_matrix(elastic, t, delta, X);
  project_matrix(X, n, N, m, zero, K);
  divide_by_factors(K, m, M);
  jn__eigenvectors(K, m, V);
  for (int i = 0; i < m; i++)
    if (isnan(K[i * m + i])) K[i * m + i] = INFINITY; /* stiffness over inertia is beyond all numbers */
  /* In the order of the frequencies. */
  *count = m;
  if (omega) memset(omega, 0, (size_t)n * sizeof *omega);
  write_modes(n, m, N, M, K, V, omega, shapes);
  return JN_OK;
}
