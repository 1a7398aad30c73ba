/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics with closed loops, and all their time derivatives.
 *
 * At every order k of the motion, the next derivative x = v^(k+1) and the multipliers lambda^(k) enter linearly,
 * through the same M and A (kim2012 eqs. 67-69 are order 0): M x - A^T lambda^(k) = tau^(k) - bias^(k)       dynamics
 * of the tree, with the forces of the loops A x                  = -c^(k)                   the conditions stay
 * satisfied Steps for one order: 1  the motion so far, with x = 0: poses, twists, their derivatives state.c 2 bias^(k):
 * inverse dynamics of that motion, with the multipliers of lower orders as external wrenches 3  c^(k): derivative of
 * order k + 2 of the conditions; at order 0 with Baumgarte's terms 4  solve for x and lambda^(k) by the factors of M
 * and A, which are made at order 0     factors.c, solve.c
 *
 *   symbol  meaning                                                        size       unit
 *   v^(k)   derivatives of the velocity; row k of scratch->v               nv         rad/s, m/s per s^k
 *   tau     joint forces                                                   nv         N m, N
 *   A       Jacobian of the conditions, phi' = A v                         m x nv
 *   lambda  multipliers; row k of scratch->lambda is the derivative while  m
 *           order k is solved, then the Taylor coefficient
 *   bias    forces of the tree for x = 0; row k of state->tau              nv         N m, N
 *   c       phi^(k+2) for x = 0; scratch->phi                              m          m, rad per s^(k+2) */
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "../series/series.h"
#include "loops.h"

static int is_given(const unsigned char *which, int i) { return which && which[i]; }

/* Step 4: x and lambda^(k) from c and bias. Sets the free coordinates of row k + 1 of scratch->v and row k of
 * scratch->lambda. Returns how much the conditions are violated, relative to their terms: more than rounding if
 * prescribed coordinates contradict the loops. */
static double solve_order(jn_loops *l, const unsigned char *prescribed, int k, const double *tau) {
  int n = l->structure.nv, m = l->structure.m;
  double *y = l->scratch.y, *lambda = l->scratch.lambda + k * m, *next = l->scratch.v + (k + 1) * n, left = 0, size = 1;

  /* M y - A^T lambda = tau - bias, A y = -c; prescribed coordinates have y = 0. */
  for (int i = 0; i < n; i++) y[i] = is_given(prescribed, i) ? 0 : tau[k * n + i] - l->state.tau[k * n + i];
  for (int r = 0; r < m; r++) lambda[r] = -l->scratch.phi[r];
  l->structure.code->solve_one(&l->structure, &l->factors, y, lambda);

  /* What is left of the conditions, A y + c, over the scale of each row. */
  for (int r = 0; r < m && prescribed; r++) {
    double rest = l->scratch.phi[r];
    for (int i = 0; i < n; i++)
      if (!is_given(prescribed, i)) {
        rest += l->state.A[r * n + i] * y[i];
        size = fmax(size, fabs(l->state.A[r * n + i] * y[i]) / l->structure.scale[r]);
      }
    left = fmax(left, fabs(rest) / l->structure.scale[r]);
    size = fmax(size, fabs(l->scratch.phi[r]) / l->structure.scale[r]);
  }
  for (int i = 0; i < n; i++)
    if (!is_given(prescribed, i)) next[i] = y[i];
  return left / size;
}

/* c += 2 b phi' + b^2 phi: errors of the conditions decay with the rate b (Baumgarte). */
static void stabilise(const loop_structure *loops, const loop_state *state, loop_scratch *scratch) {
  double b = loops->options.baumgarte;
  if (b == 0) return;
  jn__loops_value(loops, state, 0, scratch->x);
  jn__loops_value(loops, state, 1, scratch->z);
  for (int r = 0; r < loops->m; r++) scratch->phi[r] += 2 * b * scratch->z[r] + b * b * scratch->x[r];
}

/* Row k of state->tau: forces of the tree for the motion in scratch->v, with the multipliers as external wrenches. */
static jn_status tree_forces(const loop_structure *loops, loop_state *state, loop_scratch *scratch, int k,
                             const double *q, const double *wrench) {
  jn__loops_wrenches(loops, state, k, scratch->lambda, wrench, scratch->wrench);
  jn_status status = jn_inverse_dynamics_jet(loops->model, loops->work, k, q, scratch->v, scratch->wrench, state->tau);
  jn__extra_forces(loops, state, k, scratch->lambda, state->tau + k * loops->nv);
  return status;
}

/* Starts a motion: all of row 0 of v is given, and the prescribed coordinates of the other rows. */
static void begin(jn_loops *l, int order, const unsigned char *prescribed, const double *v, int rows) {
  int n = l->structure.nv;
  memset(l->scratch.v, 0, sizeof(double) * (size_t)((order + 4) * n));
  memset(l->scratch.lambda, 0, sizeof(double) * (size_t)((order + 1) * l->structure.m));
  for (int k = 0; k < rows * n; k++)
    if (k < n || is_given(prescribed, k % n)) l->scratch.v[k] = v[k];
}

/* Solves orders from ... order. Those before were solved by the last calls. */
static jn_status solve(jn_loops *l, int from, int order, const unsigned char *prescribed, const double *q,
                       const double *tau, const double *wrench, double *v_out, double *tau_out, double *lambda_out) {
  int n = l->structure.nv, m = l->structure.m;
  for (int k = from; k <= order; k++) {
    double *row = l->scratch.lambda + k * m;

    /* 1, 2: the motion so far and its forces. At order 0 one sweep gives both, and M, which is factorised with A. */
    jn_status status = k == 0 ? jn__loops_motion_and_forces(&l->structure, &l->state, q, l->scratch.v, wrench)
                              : jn__loops_motion(&l->structure, &l->state, k, q, l->scratch.v);
    if (status == JN_OK)
      status = k == 0 ? jn__loops_factor(&l->structure, &l->state, &l->factors, prescribed)
                      : tree_forces(&l->structure, &l->state, &l->scratch, k, q, wrench);
    if (status != JN_OK) return status;

    /* 3, 4: the conditions, and the solution. */
    jn__loops_value(&l->structure, &l->state, k + 2, l->scratch.phi);
    if (k == 0) stabilise(&l->structure, &l->state, &l->scratch);
    double left = solve_order(l, prescribed, k, tau);
    if (prescribed && left > fmax(1e-7, 1000 * jn_variant_epsilon())) return JN_ERR_LOOP;

    /* Multipliers of lower orders act as polynomials of time from now on. */
    for (int r = 0; r < m; r++) {
      if (lambda_out) lambda_out[k * m + r] = row[r];
      row[r] /= jn__factorial(k);
    }
    if (!tau_out) continue;

    /* Forces of prescribed coordinates: inverse dynamics of the motion, now with x in it. */
    status = tree_forces(&l->structure, &l->state, &l->scratch, k, q, wrench);
    if (status != JN_OK) return status;
    for (int i = 0; i < n; i++) tau_out[k * n + i] = is_given(prescribed, i) ? l->state.tau[k * n + i] : tau[k * n + i];
  }
  memcpy(v_out, l->scratch.v, sizeof(double) * (size_t)((order + 2) * n));
  return JN_OK;
}

jn_status jn_loops_forward_dynamics_jet(jn_loops *l, int order, const double *q, const double *v, const double *tau_jet,
                                        const double *wrench_jet, double *v_jet, double *lambda_jet) {
  if (!l || !q || !v || !tau_jet || !v_jet) return JN_ERR_NULL;
  if (order < 0 || order > l->structure.options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  begin(l, order, NULL, v, 1);
  return solve(l, 0, order, NULL, q, tau_jet, wrench_jet, v_jet, NULL, lambda_jet);
}

jn_status jn__loops_hybrid_orders(jn_loops *l, int order, int from, int end, const unsigned char *prescribed,
                                  const double *q, const double *v_jet, const double *tau_jet, const double *wrench_jet,
                                  double *v_out, double *tau_out) {
  if (from == 0) begin(l, order, prescribed, v_jet, prescribed ? order + 2 : 1);
  return solve(l, from, end - 1, prescribed, q, tau_jet, wrench_jet, v_out, tau_out, NULL);
}

jn_status jn_loops_hybrid_dynamics_jet(jn_loops *l, int order, const unsigned char *prescribed, const double *q,
                                       const double *v_jet, const double *tau_jet, const double *wrench_jet,
                                       double *v_out, double *tau_out, double *lambda_jet) {
  if (!l || !prescribed || !q || !v_jet || !tau_jet || !v_out || !tau_out) return JN_ERR_NULL;
  if (order < 0 || order > l->structure.options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  begin(l, order, prescribed, v_jet, order + 2);
  return solve(l, 0, order, prescribed, q, tau_jet, wrench_jet, v_out, tau_out, lambda_jet);
}

jn_status jn_loops_complete_motion(jn_loops *l, int order, const unsigned char *given, const double *q, double *v_jet) {
  if (!l || !given || !q || !v_jet) return JN_ERR_NULL;
  if (order < 0 || order > l->structure.options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  int n = l->structure.nv, m = l->structure.m, unknown = 0;
  memset(l->scratch.v, 0, sizeof(double) * (size_t)((order + 4) * n));
  for (int k = 0; k < (order + 2) * n; k++)
    if (given[k % n]) l->scratch.v[k] = v_jet[k];

  /* Order by order: A v^(k) = -(phi^(k+1) for v^(k) = 0) determines the coordinates that are not given. */
  for (int k = 0; k < order + 2; k++) {
    jn_status status = jn__loops_motion(&l->structure, &l->state, k - 1, q, l->scratch.v);

    /* Once: A without the columns of given coordinates, its rows over their scales, decomposed. */
    if (status == JN_OK && k == 0) {
      status = jn__loops_jacobian(&l->structure, &l->state, 0);
      for (int e = 0; e < m * n; e++)
        if (given[e % n]) l->state.A[e] = 0;
      jn__loops_scale_rows(&l->structure, n, l->state.A);
      jn__cod(&l->factors.cod, m, n, l->state.A, l->structure.options.tolerance);
      l->factors.last = jn__loops_health(&l->structure, &l->factors.cod, 0);
      for (int i = 0; i < n; i++) unknown += !given[i];
      if (status == JN_OK && l->factors.cod.rank < unknown) return JN_ERR_LOOP;
    }
    if (status != JN_OK) return status;

    /* The shortest solution. */
    jn__loops_value(&l->structure, &l->state, k + 1, l->scratch.phi);
    jn__loops_scale_rows(&l->structure, 1, l->scratch.phi);
    for (int r = 0; r < m; r++) l->scratch.x[r] = -l->scratch.phi[r];
    jn__cod_solve(&l->factors.cod, l->scratch.x, l->scratch.y);

    /* It must satisfy all conditions: otherwise the given motion contradicts the loops. */
    double left = 0, size = 1 + largest(l->scratch.phi, m);
    for (int r = 0; r < m; r++) {
      double rest = l->scratch.phi[r];
      for (int i = 0; i < n; i++) rest += l->state.A[r * n + i] * l->scratch.y[i];
      left = fmax(left, fabs(rest));
    }
    if (!(left <= fmax(1e-7, 1000 * jn_variant_epsilon()) * size)) return JN_ERR_LOOP;
    for (int i = 0; i < n; i++)
      if (!given[i]) l->scratch.v[k * n + i] = l->scratch.y[i];
  }
  memcpy(v_jet, l->scratch.v, sizeof(double) * (size_t)((order + 2) * n));
  return JN_OK;
}
