/* SPDX-License-Identifier: BSD-2-Clause */
/* One backward sweep of differential dynamic programming over small dense matrices, shared by acados.c and
 * action_model.c. Row-major; nx states, nu inputs, both at most LARGEST. */
#ifndef JN_EXAMPLES_RICCATI_H
#define JN_EXAMPLES_RICCATI_H

#include <math.h>
#include <string.h>

enum { LARGEST = 8 };

/* A quadratic model of the cost-to-go, V = x^T S x / 2 + s^T x. */
typedef struct value_function {
  double S[LARGEST * LARGEST], s[LARGEST];
} value_function;

/* du = k + K dx */
typedef struct feedback {
  double k[LARGEST], K[LARGEST * LARGEST];
} feedback;

/* A node: dynamics dx+ = A dx + B du; cost (with the curvature of the dynamics, if known) Q, R, N [nu x nx], q, r. */
typedef struct node {
  double A[LARGEST * LARGEST], B[LARGEST * LARGEST], Q[LARGEST * LARGEST], R[LARGEST * LARGEST], N[LARGEST * LARGEST],
      q[LARGEST], r[LARGEST];
} node;

/* Solves R x = b for the columns of b [n x m] in place by Cholesky; 0 if R is not positive definite. */
static inline int solve_positive(int n, const double *R, int m, double *b) {
  double L[LARGEST * LARGEST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double x = R[i * n + j];
      for (int k = 0; k < j; k++) x -= L[i * n + k] * L[j * n + k];
      if (i == j && !(x > 0)) return 0;
      L[i * n + j] = i == j ? sqrt(x) : x / L[j * n + j];
    }
  for (int c = 0; c < m; c++) {
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) b[i * m + c] -= L[i * n + k] * b[k * m + c];
      b[i * m + c] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++) b[i * m + c] -= L[k * n + i] * b[k * m + c];
      b[i * m + c] /= L[i * n + i];
    }
  }
  return 1;
}

/* out [a x c] += X^T [a x b] Y [b x c], X stored [b x a]. */
static inline void add_transposed_product(int a, int b, int c, const double *X, const double *Y, double *out) {
  for (int i = 0; i < a; i++)
    for (int k = 0; k < b; k++)
      for (int j = 0; j < c; j++) out[i * c + j] += X[k * a + i] * Y[k * c + j];
}

/* From V after the node to V before it; `regular` is added to the diagonal of R. 0: not positive definite. */
static inline int step_back(int nx, int nu, const node *p, double regular, value_function *V, feedback *f) {
  double SA[LARGEST * LARGEST] = {0}, SB[LARGEST * LARGEST] = {0};
  node q = *p;
  add_transposed_product(nx, nx, nx, V->S, p->A, SA); /* S is symmetric */
  add_transposed_product(nx, nx, nu, V->S, p->B, SB);
  add_transposed_product(nx, nx, nx, p->A, SA, q.Q);
  add_transposed_product(nu, nx, nu, p->B, SB, q.R);
  add_transposed_product(nu, nx, nx, p->B, SA, q.N);
  add_transposed_product(nx, nx, 1, p->A, V->s, q.q);
  add_transposed_product(nu, nx, 1, p->B, V->s, q.r);
  for (int i = 0; i < nu; i++) q.R[i * nu + i] += regular;
  for (int i = 0; i < nu; i++) f->k[i] = -q.r[i];
  for (int i = 0; i < nu * nx; i++) f->K[i] = -q.N[i];
  if (!solve_positive(nu, q.R, 1, f->k) || !solve_positive(nu, q.R, nx, f->K)) return 0;
  memcpy(V->S, q.Q, sizeof q.Q);
  memcpy(V->s, q.q, sizeof q.q);
  add_transposed_product(nx, nu, nx, q.N, f->K, V->S);
  add_transposed_product(nx, nu, 1, q.N, f->k, V->s);
  for (int i = 0; i < nx; i++)
    for (int k = 0; k < i; k++) V->S[i * nx + k] = V->S[k * nx + i] = (V->S[i * nx + k] + V->S[k * nx + i]) / 2;
  return 1;
}

#endif
