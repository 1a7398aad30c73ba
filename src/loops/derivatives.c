/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of forward and hybrid dynamics with loops.
 *
 * At constant a and lambda let
 *   G = d (inverse dynamics of the tree - A^T lambda)        by q, v, wrenches or parameters
 *   g = d (A a + A' v) = d phi''
 * Then the acceleration and the multipliers change by the solution of
 *   M da - A^T dlambda = -G,      A da = -g.
 * The wrenches of the loops act on the tree as if they were fixed in the bodies. How they change besides, and g, is in
 * conditions_screws.c.
 *
 *   symbol    meaning                                       size        where
 *   G_q, G_v  derivatives of the forces by q, by v          nv x nv     linear->G_q, linear->G_v
 *   g_q, g_v  derivatives of phi'' by q, by v               m x nv      linear->g_q, linear->g_v
 *   given     what the caller gives of a coordinate: tau, or a if it is prescribed
 *   hold      axes in which external wrenches stay constant when q changes */
#include <string.h>

#include "loops.h"

/* The motion q, v, a, as rows of scratch->v. */
static void set_motion(const loop_structure *loops, loop_scratch *scratch, const double *v, const double *a) {
  size_t n = (size_t)loops->nv;
  memset(scratch->v, 0, sizeof(double) * 4 * n);
  if (v) memcpy(scratch->v, v, sizeof(double) * n);
  memcpy(scratch->v + n, a, sizeof(double) * n);
}

/* g, and what the multipliers (NULL: none) add to G, at the motion of the last jn__loops_motion(). */
static jn_status linearise_conditions(const loop_structure *loops, loop_state *state, loop_linearisation *linear,
                                      const double *q, const double *v, const double *a, const double *lambda) {
  loops->code->pairs_linearise(loops, state, linear, lambda);
  return jn__extra_linearise(loops, state, linear, q, v, a, lambda);
}

/* Corrects G_q for external wrenches that stay constant in other axes than the body's. Those of the loops are in G_q
 * already, in the body's axes. */
static jn_status change_hold(const loop_structure *loops, loop_state *state, loop_linearisation *linear,
                             const double *q, const double *v, const double *a, const double *wrench,
                             jn_representation hold) {
  if (hold == JN_IN_BODY || !wrench) return JN_OK;
  for (int k = 0; k < 2; k++) {
    jn_status status = jn_inverse_dynamics_derivatives(loops->model, loops->work, q, v, a, wrench,
                                                       k ? hold : JN_IN_BODY, state->H, NULL, NULL, NULL);
    if (status != JN_OK) return status;
    for (int e = 0; e < loops->nv * loops->nv; e++) linear->G_q[e] += k ? state->H[e] : -state->H[e];
  }
  return JN_OK;
}

/* G and g at the motion of the last jn__loops_motion(); linear->M with_M. */
static jn_status linearise(jn_loops *l, const double *q, const double *v, const double *a, const double *lambda,
                           const double *wrench, jn_representation hold, double *dwrench, int with_M) {
  jn__loops_wrenches(&l->structure, &l->state, 0, lambda, wrench, l->scratch.wrench);
  jn_status status =
      jn_inverse_dynamics_derivatives(l->structure.model, l->structure.work, q, v, a, l->scratch.wrench, JN_IN_BODY,
                                      l->linear.G_q, l->linear.G_v, with_M ? l->linear.M : NULL, dwrench);
  if (status == JN_OK) status = change_hold(&l->structure, &l->state, &l->linear, q, v, a, wrench, hold);
  return status == JN_OK ? linearise_conditions(&l->structure, &l->state, &l->linear, q, v, a, lambda) : status;
}

jn_status jn__loops_linearise(jn_loops *l, const double *q, const double *v, const double *a, const double *lambda,
                              const double *wrench, jn_representation hold, double *dwrench) {
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  set_motion(&l->structure, &l->scratch, v, a);
  jn_status status = jn__loops_motion(&l->structure, &l->state, 0, q, l->scratch.v);
  return status == JN_OK ? linearise(l, q, v, a, lambda, wrench, hold, dwrench, 1) : status;
}

jn_status jn__loops_linearise_A(jn_loops *l, const double *q, const double *y) {
  /* At rest with the acceleration y, phi'' = A y: its derivative by q is what is asked for. */
  set_motion(&l->structure, &l->scratch, NULL, y);
  jn_status status = jn__loops_motion(&l->structure, &l->state, 0, q, l->scratch.v);
  return status == JN_OK ? linearise_conditions(&l->structure, &l->state, &l->linear, q, l->structure.zeros, y, NULL)
                         : status;
}

jn_status jn__loops_change_of_forces(jn_loops *l, const double *q, const double *mu, double *change) {
  size_t n = (size_t)l->structure.nv;
  const double *rest = l->structure.zeros;
  memset(l->scratch.lambda, 0, sizeof(double) * (size_t)l->structure.m);
  jn_status status = jn__loops_linearise(l, q, rest, rest, l->scratch.lambda, NULL, JN_IN_BODY, NULL);
  memcpy(change, l->linear.G_q, sizeof(double) * n * n);
  if (status == JN_OK) status = jn__loops_linearise(l, q, rest, rest, mu, NULL, JN_IN_BODY, NULL);
  for (size_t e = 0; e < n * n; e++) change[e] -= l->linear.G_q[e];
  return status;
}

/* Columns by what is given: a_c of a prescribed coordinate (G = M's column, g = A's), or tau_c (G = -e_c). */
static loop_columns given_columns(const loop_structure *loops, const loop_state *state, loop_linearisation *linear,
                                  const unsigned char *prescribed, const jn_loops_derivatives *out) {
  int n = loops->nv, m = loops->m;
  loop_columns columns = {n, NULL, NULL, out->da_dgiven, out->dtau_dgiven, out->dlambda_dgiven};
  if (!prescribed) return columns;
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < n; i++) linear->given_G[i * n + c] = prescribed[c] ? linear->M[i * n + c] : i == c ? -1 : 0;
    for (int r = 0; r < m; r++) linear->given_g[r * n + c] = prescribed[c] ? state->A[r * n + c] : 0;
  }
  columns.G = linear->given_G;
  columns.g = linear->given_g;
  return columns;
}

/* The derivative of each given quantity by itself is 1. */
static void set_given(int n, const unsigned char *prescribed, const jn_loops_derivatives *out) {
  for (int c = 0; c < n; c++) {
    double *own = prescribed && prescribed[c] ? out->da_dgiven : out->dtau_dgiven;
    if (own) own[c * (n + 1)] = 1;
  }
}

static int by_wrench(const jn_loops_derivatives *out) {
  return out->da_dwrench || out->dtau_dwrench || out->dlambda_dwrench;
}

/* Solves for all derivatives that the caller wants, from G, g and the factors. */
static jn_status solve_all(jn_loops *l, const unsigned char *prescribed, const double *q, const double *v,
                           const double *a, const jn_loops_derivatives *out) {
  int n = l->structure.nv;

  /* By q, v, what is given, and wrenches: right sides G and g in columns. */
  const loop_columns blocks[] = {
      {n, l->linear.G_q, l->linear.g_q, out->da_dq, out->dtau_dq, out->dlambda_dq},
      {n, l->linear.G_v, l->linear.g_v, out->da_dv, out->dtau_dv, out->dlambda_dv},
      given_columns(&l->structure, &l->state, &l->linear, prescribed, out),
      {6 * l->structure.nlink, l->linear.wide, NULL, out->da_dwrench, out->dtau_dwrench, out->dlambda_dwrench}};
  l->structure.code->solve_columns(&l->structure, &l->factors, l->linear.M, l->state.A, prescribed, 4, blocks);
  set_given(n, prescribed, out);

  /* By the inertial parameters: G is the regressor. */
  if (!out->da_dpi && !out->dtau_dpi && !out->dlambda_dpi) return JN_OK;
  jn_status status = jn_regressor(l->structure.model, l->structure.work, q, v, a, l->linear.wide);
  const loop_columns by_pi = {10 * l->structure.nlink, l->linear.wide,  NULL, out->da_dpi,
                              out->dtau_dpi,           out->dlambda_dpi};
  if (status == JN_OK)
    l->structure.code->solve_columns(&l->structure, &l->factors, l->linear.M, l->state.A, prescribed, 1, &by_pi);
  return status;
}

jn_status jn_loops_dynamics_derivatives(jn_loops *l, const unsigned char *prescribed, const double *q, const double *v,
                                        const double *a, const double *lambda, const double *wrench,
                                        jn_representation hold, const jn_loops_derivatives *out) {
  if (!l || !q || !v || !a || (l->structure.m > 0 && !lambda) || !out) return JN_ERR_NULL;
  jn_status status = jn__loops_linearise(l, q, v, a, lambda, wrench, hold, by_wrench(out) ? l->linear.wide : NULL);
  if (status != JN_OK) return status;

  /* M of the linearisation, factorised with A. */
  memcpy(l->state.H, l->linear.M, sizeof(double) * (size_t)l->structure.nv * (size_t)l->structure.nv);
  status = jn__loops_factor(&l->structure, &l->state, &l->factors, prescribed);
  return status == JN_OK ? solve_all(l, prescribed, q, v, a, out) : status;
}

/* Reuses poses, screws and factors of forward dynamics. */
jn_status jn_loops_forward_dynamics_derivatives(jn_loops *l, const double *q, const double *v, const double *tau,
                                                const double *wrench, jn_representation hold, double *a, double *lambda,
                                                const jn_loops_derivatives *out) {
  if (!l || !q || !v || !tau || !a || (l->structure.m > 0 && !lambda) || !out) return JN_ERR_NULL;
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn_status status = jn_loops_forward_dynamics_jet(l, 0, q, v, tau, wrench, l->scratch.motion, lambda);
  if (status != JN_OK) return status;
  memcpy(a, l->scratch.motion + l->structure.nv, sizeof(double) * (size_t)l->structure.nv);
  l->structure.code->pairs_accelerate(&l->structure, &l->state, v, a);
  status = linearise(l, q, v, a, lambda, wrench, hold, by_wrench(out) ? l->linear.wide : NULL, 0);
  return status == JN_OK ? solve_all(l, NULL, q, v, a, out) : status;
}
