/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics with closed loops, and its time derivatives (kim2012 eqs. 56-66).
 *
 * With r the forces of the tree alone, actuated coordinates a and passive coordinates p:
 *   tau_a = r_a - A_a^T lambda,     A_p^T lambda = r_p - tau_p
 * If lambda is not unique, the caller chooses the least weighted torques or the least multipliers. Their conditions of
 * optimality, with multipliers mu, are
 *   A_a W tau_a = A_p mu,           or lambda = A_p mu
 * All of these equations hold at all times, so that their derivatives determine the derivatives of the solution, order
 * by order, with the leading matrix
 *   [A_a W A_a^T, A_p; A_p^T, 0],   or [E, -A_p; A_p^T, 0]
 * Where A_p has the rank of A there is no choice, and A_p^T alone is enough.
 *
 *   symbol    meaning                                              size      unit
 *   r         inverse dynamics of the tree, in state->tau          nv        N m, N
 *   A_a, A_p  columns of A of actuated and passive coordinates     m x nv
 *   lambda    multipliers of the loops                             m
 *   W         weights of the torques (1 by default)                nv
 *   mu        multipliers of the optimum                           nv */
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "../series/series.h"
#include "loops.h"

double jn__inverse_weight(const loop_inverse *s, int i) { return s->weight ? s->weight[i] : 1; }

/* The motion keeps the loops closed, at every order: they are closed (closure.c), and |phi^(k)| is small beside |A|
 * |v^(k-1)|, row by row in their scales. */
static int is_closed(const loop_structure *loops, loop_state *state, loop_scratch *scratch, int order,
                     const double *v_jet) {
  double *A = scratch->x, most = 1, small = fmax(1e-6, 1000 * jn_variant_epsilon());
  for (int r = 0; r < loops->m; r++) {
    A[r] = 1 + largest(state->A + r * loops->nv, loops->nv) / loops->scale[r];
    most = fmax(most, A[r]);
  }
  for (int k = 1; k < order + 3; k++) {
    double size = 1 + largest(v_jet + (k - 1) * loops->nv, loops->nv);
    jn__loops_value(loops, state, k, scratch->phi);
    for (int r = 0; r < loops->m; r++)
      if (!(fabs(scratch->phi[r]) <= small * A[r] * loops->scale[r] * size)) return 0;
  }
  jn__loops_closure(loops, state, scratch->phi);
  for (int r = 0; r < loops->m; r++)
    if (!(fabs(scratch->phi[r]) <= small * most)) return 0;
  return 1;
}

void jn__inverse_factor(loop_inverse *s) {
  jn_loops *l = s->l;
  int n = l->structure.nv, m = l->structure.m, rank = m;
  double *all = l->scratch.B + n * m;
  s->passive = 0;
  for (int i = 0; i < n; i++) {
    if (s->actuated[i]) continue;
    for (int r = 0; r < m; r++) l->scratch.B[s->passive * m + r] = l->state.A[r * n + i];
    s->passive++;
  }
  if (l->structure.generic != m) { /* conditions may be redundant */
    memcpy(all, l->state.A, sizeof(double) * (size_t)m * (size_t)n);
    jn__loops_scale_rows(&l->structure, n, all);
    jn__cod(&l->factors.cod, m, n, all, l->structure.options.tolerance);
    rank = l->factors.cod.rank;
  }
  jn__cod_strided(&l->factors.cod, s->passive, m, m, l->scratch.B, l->structure.scale, l->structure.options.tolerance);
  l->factors.last = jn__loops_health(&l->structure, &l->factors.cod, 0);
  s->unique = l->factors.cod.rank == rank;
}

void jn__inverse_solve(const loop_inverse *s, const double *x, double *y) {
  jn_loops *l = s->l;
  if (!s->unique) {
    memcpy(l->scratch.z, x, sizeof(double) * (size_t)(l->structure.m + l->structure.nv));
    if (s->choice == JN_LEAST_TORQUE) jn__loops_scale_rows(&l->structure, 1, l->scratch.z);
    jn__cod_solve(&l->factors.cod, l->scratch.z, y);
    return;
  }
  for (int i = 0, at = 0; i < l->structure.nv; i++)
    if (!s->actuated[i]) l->scratch.z[at++] = x[l->structure.m + i];
  jn__cod_solve(&l->factors.cod, l->scratch.z, y);
  memset(y + l->structure.m, 0, sizeof(double) * (size_t)l->structure.nv);
}

/* The leading matrix over (lambda, mu), mu for all coordinates (rows and columns of actuated ones are zero). Of the
 * least torques the rows of conditions are over their scales, and strengths are judged so; the least multipliers are
 * least in the units of the conditions, which cannot be scaled. */
void jn__inverse_leading(const loop_inverse *s) {
  jn_loops *l = s->l;
  int n = l->structure.nv, m = l->structure.m, all = m + n;
  memset(l->scratch.B, 0, sizeof(double) * (size_t)(all * all));
  for (int r = 0; r < m; r++) {
    if (s->choice == JN_LEAST_LAMBDA) l->scratch.B[r * all + r] = 1;
    for (int i = 0; i < n; i++) {
      double a = l->state.A[r * n + i];
      if (!s->actuated[i]) {
        l->scratch.B[r * all + m + i] = s->choice == JN_LEAST_LAMBDA ? -a : a;
        l->scratch.B[(m + i) * all + r] = a;
      } else if (s->choice == JN_LEAST_TORQUE) {
        for (int c = 0; c < m; c++) l->scratch.B[r * all + c] += a * jn__inverse_weight(s, i) * l->state.A[c * n + i];
      }
    }
  }
  int scaled = s->choice == JN_LEAST_TORQUE;
  if (scaled) jn__loops_scale_rows(&l->structure, all, l->scratch.B);
  for (int k = 0; k < all; k++) l->scratch.z[k] = k < m ? l->structure.scale[k] : 1;
  jn__cod_strided(&l->factors.cod, all, all, all, l->scratch.B, scaled ? l->scratch.z : NULL,
                  l->structure.options.tolerance);
}

/* Right side of order k from the orders below: state->tau holds r, and rows below k of scratch->lambda, scratch->mu and
 * of tau are known (all as derivatives). x [m + n]. On return rows k of state->tau hold R = r - sum_{j>0} binom A^(j)T
 * lambda^(k-j).
 */
static void right_side(const loop_inverse *s, int k, const double *passive, const double *tau, double *x) {
  jn_loops *l = s->l;
  int n = l->structure.nv, m = l->structure.m;
  double *R = l->state.tau + k * n;
  for (int r = 0; r < m; r++) x[r] = 0;
  for (int j = 1; j <= k; j++) {
    const double *A = l->state.A + j * m * n, *lambda = l->scratch.lambda + (k - j) * m,
                 *mu = l->scratch.mu + (k - j) * n;
    double binom = jn__binomial(k, j);
    for (int r = 0; r < m; r++)
      for (int i = 0; i < n; i++) {
        R[i] -= binom * A[r * n + i] * lambda[r];
        if (s->choice == JN_LEAST_LAMBDA)
          x[r] += s->actuated[i] ? 0 : binom * A[r * n + i] * mu[i];
        else
          x[r] += binom * A[r * n + i] * (s->actuated[i] ? jn__inverse_weight(s, i) * tau[(k - j) * n + i] : -mu[i]);
      }
  }
  for (int r = 0; r < m && s->choice == JN_LEAST_TORQUE; r++)
    for (int i = 0; i < n; i++)
      if (s->actuated[i]) x[r] += l->state.A[r * n + i] * jn__inverse_weight(s, i) * R[i];
  for (int i = 0; i < n; i++) x[m + i] = s->actuated[i] ? 0 : R[i] - (passive ? passive[k * n + i] : 0);
}

/* Row k of tau, lambda and mu; 0 when the passive coordinates cannot be moved so. */
static int solve_order(const loop_inverse *s, int k, const double *passive, double *tau) {
  jn_loops *l = s->l;
  int n = l->structure.nv, m = l->structure.m;
  double *lambda = l->scratch.lambda + k * m, *R = l->state.tau + k * n, worst = 0;
  right_side(s, k, passive, tau, l->scratch.x);
  jn__inverse_solve(s, l->scratch.x, l->scratch.y);
  memcpy(lambda, l->scratch.y, sizeof(double) * (size_t)m);
  memcpy(l->scratch.mu + k * n, l->scratch.y + m, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++) {
    double x = R[i];
    for (int r = 0; r < m; r++) x -= l->state.A[r * n + i] * lambda[r];
    tau[k * n + i] = s->actuated[i] ? x : (passive ? passive[k * n + i] : 0);
    if (!s->actuated[i]) worst = fmax(worst, fabs(x - tau[k * n + i]));
  }
  return worst <= fmax(1e-7, 1000 * jn_variant_epsilon()) * (1 + largest(R, n));
}

/* A, its derivatives, and the leading matrix along a motion, which must keep the loops closed. */
static jn_status follow(loop_inverse *s, int order, const double *q, const double *v_jet) {
  jn_loops *l = s->l;
  int n = l->structure.nv;
  if (order < 0 || order > l->structure.options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  if ((unsigned)s->choice > JN_LEAST_LAMBDA) return JN_ERR_INDEX;
  memset(l->scratch.v, 0, sizeof(double) * (size_t)((order + 4) * n));
  memcpy(l->scratch.v, v_jet, sizeof(double) * (size_t)((order + 2) * n));
  jn_status status = jn__loops_motion(&l->structure, &l->state, order, q, l->scratch.v);
  if (status == JN_OK) status = jn__loops_jacobian(&l->structure, &l->state, order);
  if (status != JN_OK) return status;
  if (!is_closed(&l->structure, &l->state, &l->scratch, order, v_jet)) return JN_ERR_LOOP;
  jn__inverse_factor(s);
  if (!s->unique) jn__inverse_leading(s);
  return JN_OK;
}

jn_status jn_loops_inverse_dynamics_jet(jn_loops *l, int order, const unsigned char *actuated, jn_loops_choice choice,
                                        const double *weight, const double *q, const double *v_jet,
                                        const double *passive_jet, const double *wrench_jet, double *tau_jet,
                                        double *lambda_jet) {
  if (!l || !actuated || !q || !v_jet || !tau_jet) return JN_ERR_NULL;
  loop_inverse s = {l, actuated, weight, choice, 0, 0};
  jn_status status = follow(&s, order, q, v_jet);
  if (status == JN_OK)
    status = jn_inverse_dynamics_jet(l->structure.model, l->structure.work, order, q, l->scratch.v, wrench_jet,
                                     l->state.tau);
  if (status != JN_OK) return status;
  for (int k = 0; k <= order; k++)
    if (!solve_order(&s, k, passive_jet, tau_jet)) return JN_ERR_ACTUATION;
  if (lambda_jet) memcpy(lambda_jet, l->scratch.lambda, sizeof(double) * (size_t)((order + 1) * l->structure.m));
  return JN_OK;
}

/* Forces are linear in those of the tree, so column by column of its regressor, in place. */
jn_status jn_loops_regressor_jet(jn_loops *l, int order, const unsigned char *actuated, jn_loops_choice choice,
                                 const double *weight, const double *q, const double *v_jet, double *Y_jet) {
  if (!l || !actuated || !q || !v_jet || !Y_jet) return JN_ERR_NULL;
  loop_inverse s = {l, actuated, weight, choice, 0, 0};
  jn_status status = follow(&s, order, q, v_jet);
  if (status == JN_OK) status = jn_regressor_jet(l->structure.model, l->structure.work, order, q, l->scratch.v, Y_jet);
  if (status != JN_OK) return status;
  int rows = (order + 1) * l->structure.nv, wide = jn_parameter_count(l->structure.model);
  for (int c = 0; c < wide; c++) {
    for (int i = 0; i < rows; i++) l->state.tau[i] = Y_jet[i * wide + c];
    for (int k = 0; k <= order; k++)
      if (!solve_order(&s, k, NULL, l->scratch.forces)) return JN_ERR_ACTUATION;
    for (int i = 0; i < rows; i++) Y_jet[i * wide + c] = l->scratch.forces[i];
  }
  return JN_OK;
}
