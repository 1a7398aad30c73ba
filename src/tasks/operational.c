/* SPDX-License-Identifier: BSD-2-Clause */
/* Operational space: with Y = M^-1 J^T, all time derivatives by the rule of Leibniz from M Y = J^T, B = J Y, B Lambda =
 * 1, Jbar = Y Lambda,   bias = Lambda (Y^T h - J' v),   h = tau - M a.
 * With loops, A v = 0, accelerations are those that loops leave: M Y - A^T Z = J^T, A Y = 0, and bias = Lambda (Y^T h -
 * Z^T A' v - J' v). Where conditions depend on each other, Z is one of many, and Y^T h, Z^T A' v the same for all. */
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

/* out [a x c] += factor * A^T [a x b] B [b x c] */
static void add_transposed(int a, int b, int c, double factor, const double *A, const double *B, double *out) {
  for (int k = 0; k < b; k++)
    for (int i = 0; i < a; i++) {
      double x = factor * A[k * a + i];
      for (int j = 0; j < c; j++) out[i * c + j] += x * B[k * c + j];
    }
}

/* Factors of M at q, and of loops seen through it. Then: derivatives of A to order + 1 in the state of the loops. */
static jn_status factor_inertia(jn_tasks *t, int order, const double *q) {
  if (!t->loops) return jn_mass_factor(t->model, t->work, q, t->factor);
  return jn__loops_factor_motion(t->loops, order + 1, q, t->v_jet);
}

/* column [n] becomes M^-1 of it; with loops, the motion that they leave, with A times it = g [loop_rows], which becomes
 * the multipliers. */
static jn_status solve_column(jn_tasks *t, double *column, double *g) {
  if (!t->loops) return jn_mass_solve(t->model, t->work, t->factor, column, column);
  jn__loops_solve(t->loops, column, g);
  return JN_OK;
}

static const double *loop_rows_of(const jn_tasks *t, int k) { return t->loops ? jn__loops_A(t->loops, k) : NULL; }

/* Y^(k) [n x r]: M Y^(k) = J^(k)^T - sum_(i>0) binom M^(i) Y^(k-i); with loops also Z^(k) [loop_rows x r]. */
static jn_status solve_Y(jn_tasks *t, int k) {
  int n = t->nv, r = t->rows, m = t->loop_rows;
  double *Y = t->Y_jet + k * n * r, *Z = t->Z_jet + k * m * r, *column = t->step.g, *g = t->step.r;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < r; j++) Y[i * r + j] = t->J_jet[(k * r + j) * n + i];
  memset(Z, 0, sizeof(double) * (size_t)m * (size_t)r);
  for (int i = 1; i <= k; i++) {
    const double *A = loop_rows_of(t, i), b = jn__binomial(k, i);
    add_matrices(n, n, r, -b, t->M_jet + i * n * n, t->Y_jet + (k - i) * n * r, Y);
    if (m > 0) add_transposed(n, m, r, b, A, t->Z_jet + (k - i) * m * r, Y);
    if (m > 0) add_matrices(m, n, r, -b, A, t->Y_jet + (k - i) * n * r, Z);
  }
  for (int j = 0; j < r; j++) {
    for (int i = 0; i < n; i++) column[i] = Y[i * r + j];
    for (int i = 0; i < m; i++) g[i] = Z[i * r + j];
    jn_status status = solve_column(t, column, g);
    if (status != JN_OK) return status;
    for (int i = 0; i < n; i++) Y[i * r + j] = column[i];
    for (int i = 0; i < m; i++) Z[i * r + j] = g[i];
  }
  return JN_OK;
}

/* Does row j of the tasks count? */
static int row_counts(const jn_tasks *t, int j) {
  int i = 0;
  while (i + 1 < t->count && t->item[i + 1].row <= j) i++;
  const jn_task *task = &t->item[i].task;
  int one = task->type == JN_TASK_DIRECTION || task->type == JN_TASK_JOINT;
  return task->weight[one ? 0 : j - t->item[i].row] > 0;
}

/* Rows that do not count are zero, to all orders. */
static void drop_rows(jn_tasks *t, int order) {
  for (int j = 0; j < t->rows; j++)
    for (int k = 0; k <= order && !row_counts(t, j); k++)
      memset(t->J_jet + (k * t->rows + j) * t->nv, 0, sizeof(double) * (size_t)t->nv);
}

/* B^(k), then Lambda^(k); 0: J M^-1 J^T is singular. */
static int find_Lambda(jn_tasks *t, int k) {
  int n = t->nv, r = t->rows;
  double *B = t->B_jet + k * r * r, *L = t->L_jet + k * r * r, *right = t->S;
  memset(B, 0, sizeof(double) * (size_t)(r * r));
  for (int i = 0; i <= k; i++)
    add_matrices(r, n, r, jn__binomial(k, i), t->J_jet + i * r * n, t->Y_jet + (k - i) * n * r, B);
  memset(right, 0, sizeof(double) * (size_t)(r * r));
  if (k == 0) {
    double most = 0;
    for (int i = 0; i < r; i++) most = fmax(most, B[i * (r + 1)]);
    for (int i = 0; i < r; i++)
      if (!row_counts(t, i)) B[i * (r + 1)] = most; /* Lambda does not feel it */
    jn__svd(&t->cod, r, r, B, t->options.weak * t->options.weak);
    if (t->cod.rank < r) return 0;
    for (int i = 0; i < r; i++) right[i * r + i] = 1;
  }
  for (int i = 1; i <= k; i++)
    add_matrices(r, r, r, -jn__binomial(k, i), t->B_jet + i * r * r, t->L_jet + (k - i) * r * r, right);
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

/* c^(k) = (Y^T h - Z^T A' v - J' v)^(k) [r], with h^(k) kept in the second half of tau_jet. */
static void find_force(jn_tasks *t, int k, int rows, const double *v_jet, double *c) {
  int n = t->nv, r = t->rows;
  double *h = t->tau_jet + (rows + k) * n;
  memcpy(h, t->tau_jet + k * n, sizeof(double) * (size_t)n);
  for (int i = 0; i <= k; i++)
    add_matrices(n, n, 1, -jn__binomial(k, i), t->M_jet + i * n * n, v_jet + (k - i + 1) * n, h);
  memset(c, 0, sizeof(double) * (size_t)r);
  for (int i = 0; i <= k; i++) {
    const double *Y = t->Y_jet + i * n * r, *hk = t->tau_jet + (rows + k - i) * n;
    for (int a = 0; a < n; a++)
      for (int j = 0; j < r; j++) c[j] += jn__binomial(k, i) * Y[a * r + j] * hk[a];
    add_matrices(r, n, 1, -jn__binomial(k, i), t->J_jet + (i + 1) * r * n, v_jet + (k - i) * n, c);
  }
  for (int i = 0; i <= k && t->loops; i++) { /* (A' v)^(k-i) */
    int m = t->loop_rows;
    double *x = t->step.r;
    memset(x, 0, sizeof(double) * (size_t)m);
    for (int j = 0; j <= k - i; j++)
      add_matrices(m, n, 1, jn__binomial(k - i, j), loop_rows_of(t, j + 1), v_jet + (k - i - j) * n, x);
    add_transposed(r, m, 1, -jn__binomial(k, i), t->Z_jet + i * m * r, x, c);
  }
}

static void write_order(jn_tasks *t, int k, const double *v_jet, const jn_operational *out, int rows, double *c_jet) {
  int n = t->nv, r = t->rows;
  if (out->Lambda) memcpy(out->Lambda + k * r * r, t->L_jet + k * r * r, sizeof(double) * (size_t)(r * r));
  for (int i = 0; i < r && out->Lambda; i++)
    if (!row_counts(t, i)) out->Lambda[(k * r + i) * r + i] = 0;
  if (out->Jbar) {
    memset(out->Jbar + k * n * r, 0, sizeof(double) * (size_t)(n * r));
    for (int i = 0; i <= k; i++)
      add_matrices(n, r, r, jn__binomial(k, i), t->Y_jet + i * n * r, t->L_jet + (k - i) * r * r,
                   out->Jbar + k * n * r);
  }
  if (!out->bias) return;
  find_force(t, k, rows, v_jet, c_jet + k * r);
  memset(out->bias + k * r, 0, sizeof(double) * (size_t)r);
  for (int i = 0; i <= k; i++)
    add_matrices(r, r, 1, jn__binomial(k, i), t->L_jet + i * r * r, c_jet + (k - i) * r, out->bias + k * r);
}

jn_status jn_tasks_operational_jet(jn_tasks *t, int order, const double *q, const double *v_jet,
                                   const jn_operational *out) {
  if (!t || !q || !v_jet || !out) return JN_ERR_NULL;
  if (order < 0 || order > t->options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  jn_status status = jn__tasks_jacobian_jet(t, order + 1, q, v_jet, t->J_jet);
  drop_rows(t, order + 1);
  if (status == JN_OK) status = factor_inertia(t, order, q);
  if (status == JN_OK) status = jn_mass_matrix_jet(t->model, t->work, order, q, v_jet, t->M_jet);
  if (status == JN_OK) status = jn_inverse_dynamics_jet(t->model, t->work, order, q, v_jet, NULL, t->tau_jet);
  for (int k = 0; k <= order && status == JN_OK; k++) {
    status = solve_Y(t, k);
    if (status == JN_OK && !find_Lambda(t, k)) status = JN_ERR_SINGULAR;
    if (status == JN_OK) write_order(t, k, v_jet, out, order + 1, t->rate_jet);
  }
  return status;
}
