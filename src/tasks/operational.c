/* SPDX-License-Identifier: BSD-2-Clause */
/* Operational space: with Y = M^-1 J^T, all time derivatives by the rule of Leibniz from M Y = J^T, B = J Y, B Lambda =
 * 1, Jbar = Y Lambda,   bias = Lambda (Y^T h - J' v),   h = tau - M a. */
#include <math.h>
#include <string.h>

#include "jounce/jets.h"
#include "tasks.h"

/* out [a x c] += factor * A [a x b] B [b x c] */
static void add_matrices(int a, int b, int c, double factor, const double *A, const double *B, double *out) {
  for (int i = 0; i < a; i++)
    for (int k = 0; k < b; k++) {
      double x = factor * A[i * b + k];
      for (int j = 0; j < c; j++) out[i * c + j] += x * B[k * c + j];
    }
}

/* Y^(k) [n x r]: M Y^(k) = J^(k)^T - sum_(i>0) binom M^(i) Y^(k-i). */
static jn_status solve_Y(jn_tasks *t, int k) {
  int n = t->nv, r = t->rows;
  double *Y = t->Y_jet + k * n * r, *column = t->step.g;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < r; j++) Y[i * r + j] = t->J_jet[(k * r + j) * n + i];
  for (int i = 1; i <= k; i++)
    add_matrices(n, n, r, -binomial(k, i), t->M_jet + i * n * n, t->Y_jet + (k - i) * n * r, Y);
  for (int j = 0; j < r; j++) {
    for (int i = 0; i < n; i++) column[i] = Y[i * r + j];
    jn_status status = jn_mass_solve(t->model, t->work, t->factor, column, column);
    if (status != JN_OK) return status;
    for (int i = 0; i < n; i++) Y[i * r + j] = column[i];
  }
  return JN_OK;
}

/* B^(k), then Lambda^(k); 0: J M^-1 J^T is singular. */
static int find_Lambda(jn_tasks *t, int k) {
  int n = t->nv, r = t->rows;
  double *B = t->B_jet + k * r * r, *L = t->L_jet + k * r * r, *right = t->S;
  memset(B, 0, sizeof(double) * (size_t)(r * r));
  for (int i = 0; i <= k; i++)
    add_matrices(r, n, r, binomial(k, i), t->J_jet + i * r * n, t->Y_jet + (k - i) * n * r, B);
  memset(right, 0, sizeof(double) * (size_t)(r * r));
  if (k == 0) {
    jn__svd(&t->cod, r, r, B, t->options.weak * t->options.weak);
    if (t->cod.rank < r) return 0;
    for (int i = 0; i < r; i++) right[i * r + i] = 1;
  }
  for (int i = 1; i <= k; i++)
    add_matrices(r, r, r, -binomial(k, i), t->B_jet + i * r * r, t->L_jet + (k - i) * r * r, right);
  for (int j = 0; j < r; j++) {
    double *b = t->right, *x = t->right + r;
    for (int i = 0; i < r; i++) b[i] = right[i * r + j];
    jn__svd_solve(&t->cod, b, x);
    for (int i = 0; i < r; i++) L[i * r + j] = x[i];
  }
  for (int i = 0; i < r; i++) /* symmetric but for rounding */
    for (int j = 0; j < i; j++) L[i * r + j] = L[j * r + i] = (L[i * r + j] + L[j * r + i]) / 2;
  return 1;
}

/* c^(k) = (Y^T h - J' v)^(k) [r], with h^(k) kept in the second half of tau_jet. */
static void find_force(jn_tasks *t, int k, int rows, const double *v_jet, double *c) {
  int n = t->nv, r = t->rows;
  double *h = t->tau_jet + (rows + k) * n;
  memcpy(h, t->tau_jet + k * n, sizeof(double) * (size_t)n);
  for (int i = 0; i <= k; i++) add_matrices(n, n, 1, -binomial(k, i), t->M_jet + i * n * n, v_jet + (k - i + 1) * n, h);
  memset(c, 0, sizeof(double) * (size_t)r);
  for (int i = 0; i <= k; i++) {
    const double *Y = t->Y_jet + i * n * r, *hk = t->tau_jet + (rows + k - i) * n;
    for (int a = 0; a < n; a++)
      for (int j = 0; j < r; j++) c[j] += binomial(k, i) * Y[a * r + j] * hk[a];
    add_matrices(r, n, 1, -binomial(k, i), t->J_jet + (i + 1) * r * n, v_jet + (k - i) * n, c);
  }
}

static void write_order(jn_tasks *t, int k, const double *v_jet, const jn_operational *out, int rows, double *c_jet) {
  int n = t->nv, r = t->rows;
  if (out->Lambda) memcpy(out->Lambda + k * r * r, t->L_jet + k * r * r, sizeof(double) * (size_t)(r * r));
  if (out->Jbar) {
    memset(out->Jbar + k * n * r, 0, sizeof(double) * (size_t)(n * r));
    for (int i = 0; i <= k; i++)
      add_matrices(n, r, r, binomial(k, i), t->Y_jet + i * n * r, t->L_jet + (k - i) * r * r, out->Jbar + k * n * r);
  }
  if (!out->bias) return;
  find_force(t, k, rows, v_jet, c_jet + k * r);
  memset(out->bias + k * r, 0, sizeof(double) * (size_t)r);
  for (int i = 0; i <= k; i++)
    add_matrices(r, r, 1, binomial(k, i), t->L_jet + i * r * r, c_jet + (k - i) * r, out->bias + k * r);
}

jn_status jn_tasks_operational_jet(jn_tasks *t, int order, const double *q, const double *v_jet,
                                   const jn_operational *out) {
  if (!t || !q || !v_jet || !out) return JN_ERR_NULL;
  if (order < 0 || order > t->options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  if (t->loops) return JN_ERR_UNSUPPORTED;
  jn_status status = jn__tasks_jacobian_jet(t, order + 1, q, v_jet, t->J_jet);
  if (status == JN_OK) status = jn_mass_factor(t->model, t->work, q, t->factor);
  if (status == JN_OK) status = jn_mass_matrix_jet(t->model, t->work, order, q, v_jet, t->M_jet);
  if (status == JN_OK) status = jn_inverse_dynamics_jet(t->model, t->work, order, q, v_jet, NULL, t->tau_jet);
  for (int k = 0; k <= order && status == JN_OK; k++) {
    status = solve_Y(t, k);
    if (status == JN_OK && !find_Lambda(t, k)) status = JN_ERR_SINGULAR;
    if (status == JN_OK) write_order(t, k, v_jet, out, order + 1, t->rate_jet);
  }
  return status;
}
