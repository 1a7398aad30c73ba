/* SPDX-License-Identifier: BSD-2-Clause */
/* Equations of motion with loops, order by order: the derivative x = v^(k+1) and the multipliers lambda^(k) enter
 * linearly, through the same M and A at every order,
 *   M x - A^T lambda^(k) = tau^(k) - bias^(k),      A x = -c^(k)
 * with bias the forces, and c the derivative of order k + 2 of the conditions, of the motion with x = 0, the
 * multipliers of lower orders acting as external wrenches. solve.c solves them. */
#include <math.h>
#include <string.h>

#include "arrays.h"
#include "loops.h"

static int is_given(const unsigned char *which, int i) { return which && which[i]; }

/* x, lambda of one order from l->phi = c and l->tau's row = bias: free coordinates of row k + 1 of l->v, row k of
 * l->lambda (as a derivative). Returns what is left of the conditions, relative, when coordinates are prescribed. */
static double solve_order(jn_loops *l, const unsigned char *prescribed, int k, const double *tau) {
  int n = l->nv, m = l->m;
  double *y = l->y, *lambda = l->lambda + k * m, *next = l->v + (k + 1) * n, left = 0, size = 1;
  for (int i = 0; i < n; i++) y[i] = is_given(prescribed, i) ? 0 : tau[k * n + i] - l->tau[k * n + i];
  for (int r = 0; r < m; r++) lambda[r] = -l->phi[r];
  l->code->solve_one(l, y, lambda);
  for (int r = 0; r < m && prescribed; r++) { /* what is left of the conditions */
    double rest = l->phi[r];
    for (int i = 0; i < n; i++)
      if (!is_given(prescribed, i)) {
        rest += l->A[r * n + i] * y[i];
        size = fmax(size, fabs(l->A[r * n + i] * y[i]) / l->scale[r]);
      }
    left = fmax(left, fabs(rest) / l->scale[r]);
    size = fmax(size, fabs(l->phi[r]) / l->scale[r]);
  }
  for (int i = 0; i < n; i++)
    if (!is_given(prescribed, i)) next[i] = y[i];
  return left / size;
}

/* phi'' + 2 b phi' + b^2 phi = 0 */
static void stabilise(jn_loops *l) {
  double b = l->options.baumgarte;
  if (b == 0) return;
  jn__loops_value(l, 0, l->x);
  jn__loops_value(l, 1, l->z);
  for (int r = 0; r < l->m; r++) l->phi[r] += 2 * b * l->z[r] + b * b * l->x[r];
}

static jn_status forces(jn_loops *l, int k, const double *q, const double *wrench) {
  jn__loops_wrenches(l, k, l->lambda, wrench, l->wrench);
  jn_status status = jn_inverse_dynamics_jet(l->model, l->work, k, q, l->v, l->wrench, l->tau);
  jn__extra_forces(l, k, l->lambda, l->tau + k * l->nv);
  return status;
}

static jn_status solve(jn_loops *l, int order, const unsigned char *prescribed, const double *q, const double *v,
                       int rows, const double *tau, const double *wrench, double *v_out, double *tau_out,
                       double *lambda_out) {
  int n = l->nv, m = l->m;
  double factorial = 1;
  memset(l->v, 0, sizeof(double) * (size_t)((order + 4) * n));
  memset(l->lambda, 0, sizeof(double) * (size_t)((order + 1) * m));
  for (int k = 0; k < rows * n; k++)
    if (k < n || is_given(prescribed, k % n)) l->v[k] = v[k];
  for (int k = 0; k <= order; k++) {
    double *row = l->lambda + k * m;
    if (k > 1) factorial *= k;
    jn_status status = k == 0 ? jn__loops_motion_and_forces(l, q, l->v, wrench) : jn__loops_motion(l, k, q, l->v);
    if (status == JN_OK) status = k == 0 ? jn__loops_factor(l, prescribed, q) : forces(l, k, q, wrench);
    if (status != JN_OK) return status;
    jn__loops_value(l, k + 2, l->phi);
    if (k == 0) stabilise(l);
    double left = solve_order(l, prescribed, k, tau);
    if (prescribed && left > fmax(1e-7, 1000 * jn_row_epsilon())) return JN_ERR_LOOP;
    for (int r = 0; r < m; r++) {
      if (lambda_out) lambda_out[k * m + r] = row[r];
      row[r] /= factorial;
    }
    if (!tau_out) continue;
    status = forces(l, k, q, wrench); /* with the solution in it */
    if (status != JN_OK) return status;
    for (int i = 0; i < n; i++) tau_out[k * n + i] = is_given(prescribed, i) ? l->tau[k * n + i] : tau[k * n + i];
  }
  memcpy(v_out, l->v, sizeof(double) * (size_t)((order + 2) * n));
  return JN_OK;
}

jn_status jn_loops_forward_dynamics_jet(jn_loops *l, int order, const double *q, const double *v, const double *tau_jet,
                                        const double *wrench_jet, double *v_jet, double *lambda_jet) {
  if (!l || !q || !v || !tau_jet || !v_jet) return JN_ERR_NULL;
  if (order < 0 || order > l->options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  return solve(l, order, NULL, q, v, 1, tau_jet, wrench_jet, v_jet, NULL, lambda_jet);
}

jn_status jn_loops_hybrid_dynamics_jet(jn_loops *l, int order, const unsigned char *prescribed, const double *q,
                                       const double *v_jet, const double *tau_jet, const double *wrench_jet,
                                       double *v_out, double *tau_out, double *lambda_jet) {
  if (!l || !prescribed || !q || !v_jet || !tau_jet || !v_out || !tau_out) return JN_ERR_NULL;
  if (order < 0 || order > l->options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  return solve(l, order, prescribed, q, v_jet, order + 2, tau_jet, wrench_jet, v_out, tau_out, lambda_jet);
}

jn_status jn_loops_complete_motion(jn_loops *l, int order, const unsigned char *given, const double *q, double *v_jet) {
  if (!l || !given || !q || !v_jet) return JN_ERR_NULL;
  if (order < 0 || order > l->options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  int n = l->nv, m = l->m, unknown = 0;
  memset(l->v, 0, sizeof(double) * (size_t)((order + 4) * n));
  for (int k = 0; k < (order + 2) * n; k++)
    if (given[k % n]) l->v[k] = v_jet[k];
  for (int k = 0; k < order + 2; k++) {
    jn_status status = jn__loops_motion(l, k - 1, q, l->v);
    if (status == JN_OK && k == 0) {
      status = jn__loops_jacobian(l, 0, q, l->v);
      for (int e = 0; e < m * n; e++)
        if (given[e % n]) l->A[e] = 0;
      jn__loops_scale_rows(l, n, l->A);
      jn__cod(&l->cod, m, n, l->A, l->options.tolerance);
      l->last = jn__loops_health(l, &l->cod, 0);
      for (int i = 0; i < n; i++) unknown += !given[i];
      if (status == JN_OK && l->cod.rank < unknown) return JN_ERR_LOOP;
    }
    if (status != JN_OK) return status;
    jn__loops_value(l, k + 1, l->phi);
    jn__loops_scale_rows(l, 1, l->phi);
    for (int r = 0; r < m; r++) l->x[r] = -l->phi[r];
    jn__cod_solve(&l->cod, l->x, l->y);
    double left = 0, size = 1 + largest(l->phi, m);
    for (int r = 0; r < m; r++) {
      double rest = l->phi[r];
      for (int i = 0; i < n; i++) rest += l->A[r * n + i] * l->y[i];
      left = fmax(left, fabs(rest));
    }
    if (!(left <= fmax(1e-7, 1000 * jn_row_epsilon()) * size)) return JN_ERR_LOOP;
    for (int i = 0; i < n; i++)
      if (!given[i]) l->v[k * n + i] = l->y[i];
  }
  memcpy(v_jet, l->v, sizeof(double) * (size_t)((order + 2) * n));
  return JN_OK;
}
