/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of inverse dynamics with loops: those of its equations (equations_inverse.c has the symbols).
 *
 * With G = d (r - A^T lambda) at constant lambda,
 *   dtau_a = G_a - A_a^T dlambda,     A_p^T dlambda = G_p - dtau_p
 * and from the conditions of optimality A_a W tau_a = A_p mu, or lambda = A_p mu,
 *   A_a W A_a^T dlambda + A_p dmu = A_a W G_a + dA y,   y = (W tau_a, -mu)
 *   dlambda - A_p dmu = dA y,                           y = (0, mu)
 * The leading matrix is that of inverse dynamics itself. dA y is the change of A y at constant y. */
#include <string.h>

#include "loops.h"

/* A change of the problem: G [nv x columns], dA y [m x columns] (NULL: zero), the passive force of column c (NULL: 0).
 */
typedef struct block {
  int columns;
  const double *G, *dAy;
  int passive; /* 1: column c is for the force of coordinate c */
  double *dtau, *dlambda;
} block;

static void right_side(const loop_inverse *s, const block *b, int c) {
  jn_loops *l = s->l;
  int n = l->structure.nv, m = l->structure.m;
  for (int r = 0; r < m; r++) l->scratch.x[r] = b->dAy ? b->dAy[r * b->columns + c] : 0;
  for (int i = 0; i < n; i++) {
    double G = b->G ? b->G[i * b->columns + c] : 0;
    l->scratch.x[m + i] = s->actuated[i] ? 0 : G - (b->passive && i == c);
    if (!s->actuated[i] || s->choice != JN_LEAST_TORQUE || s->unique) continue;
    for (int r = 0; r < m; r++) l->scratch.x[r] += l->state.A[r * n + i] * jn__inverse_weight(s, i) * G;
  }
}

static void solve_block(const loop_inverse *s, const block *b) {
  jn_loops *l = s->l;
  int n = l->structure.nv, m = l->structure.m, wide = b->columns;
  for (int c = 0; c < wide && (b->dtau || b->dlambda); c++) {
    right_side(s, b, c);
    jn__inverse_solve(s, l->scratch.x, l->scratch.y);
    for (int i = 0; i < n && b->dtau; i++) {
      double force = b->G ? b->G[i * wide + c] : 0;
      for (int r = 0; r < m; r++) force -= l->state.A[r * n + i] * l->scratch.y[r];
      b->dtau[i * wide + c] = s->actuated[i] ? force : b->passive && i == c;
    }
    for (int r = 0; r < m && b->dlambda; r++) b->dlambda[r * wide + c] = l->scratch.y[r];
  }
}

/* linear->g_q = d (A y)/dq at the solution: mu in scratch->mu, tau in scratch->keep. */
static jn_status change_of_optimum(const loop_inverse *s, const double *q) {
  jn_loops *l = s->l;
  for (int i = 0; i < l->structure.nv; i++) {
    if (s->choice == JN_LEAST_TORQUE)
      l->scratch.y[i] = s->actuated[i] ? jn__inverse_weight(s, i) * l->scratch.keep[i] : -l->scratch.mu[i];
    else
      l->scratch.y[i] = s->actuated[i] ? 0 : l->scratch.mu[i];
  }
  return jn__loops_linearise_A(l, q, l->scratch.y);
}

/* The linearisation at the solution; A and what is decomposed of it. */
static jn_status prepare(loop_inverse *s, const double *q, const double *v, const double *a, const double *wrench,
                         jn_representation hold, double *dwrench) {
  jn_loops *l = s->l;
  jn_status status = jn__loops_linearise(l, q, v, a, l->scratch.lambda, wrench, hold, dwrench);
  if (status == JN_OK) status = jn__loops_jacobian(&l->structure, &l->state, 0);
  if (status != JN_OK) return status;
  jn__inverse_factor(s);
  if (l->factors.cod.rank < s->passive) return JN_ERR_ACTUATION; /* some change has no answer */
  if (s->unique) return JN_OK;
  jn__inverse_leading(s);
  return change_of_optimum(s, q);
}

jn_status jn_loops_inverse_dynamics_derivatives(jn_loops *l, const unsigned char *actuated, jn_loops_choice choice,
                                                const double *weight, const double *q, const double *v, const double *a,
                                                const double *passive, const double *wrench, jn_representation hold,
                                                double *tau, double *lambda, const jn_loops_inverse_derivatives *out) {
  if (!l || !actuated || !q || !v || !a || !out) return JN_ERR_NULL;
  int n = l->structure.nv, by_wrench = out->dtau_dwrench || out->dlambda_dwrench;
  size_t row = sizeof(double) * (size_t)n;
  loop_inverse s = {l, actuated, weight, choice, 0, 0};

  /* The solution at this state. */
  memcpy(l->scratch.motion, v, row);
  memcpy(l->scratch.motion + n, a, row);
  jn_status status = jn_loops_inverse_dynamics_jet(l, 0, actuated, choice, weight, q, l->scratch.motion, passive,
                                                   wrench, l->scratch.keep, lambda);
  if (status == JN_OK && tau) memcpy(tau, l->scratch.keep, row);

  /* Its linearisation, and the factors of the leading matrix. */
  if (status == JN_OK) status = prepare(&s, q, v, a, wrench, hold, by_wrench ? l->linear.wide : NULL);
  if (status != JN_OK) return status;

  /* Columns by q, v, a, passive forces and wrenches. */
  const block blocks[] = {
      {n, l->linear.G_q, s.unique ? NULL : l->linear.g_q, 0, out->dtau_dq, out->dlambda_dq},
      {n, l->linear.G_v, NULL, 0, out->dtau_dv, out->dlambda_dv},
      {n, l->linear.M, NULL, 0, out->dtau_da, out->dlambda_da},
      {n, NULL, NULL, 1, out->dtau_dpassive, out->dlambda_dpassive},
      {by_wrench ? 6 * l->structure.nlink : 0, l->linear.wide, NULL, 0, out->dtau_dwrench, out->dlambda_dwrench}};
  for (int k = 0; k < 5; k++) solve_block(&s, &blocks[k]);

  /* By the inertial parameters: G is the regressor. */
  if (!out->dtau_dpi && !out->dlambda_dpi) return JN_OK;
  status = jn_regressor(l->structure.model, l->structure.work, q, v, a, l->linear.wide);
  if (status == JN_OK)
    solve_block(&s, &(const block){10 * l->structure.nlink, l->linear.wide, NULL, 0, out->dtau_dpi, out->dlambda_dpi});
  return status;
}
