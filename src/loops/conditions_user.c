/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions that are not between frames: couplings of coordinates and the user's own.
 *
 * A coupling is phi = sum factor q - offset; its row of A is constant. The user's conditions give phi and A themselves,
 * at one state or as jets. Multipliers of both are forces on coordinates, A^T lambda, whose derivatives follow by the
 * rule of Leibniz: (A^T lambda)^(k) = k! sum_j A^(j)T / j! lambda_(k-j), lambda_j Taylor coefficients. */
#include <string.h>

#include "../series/series.h"
#include "loops.h"

/* ---- the user's conditions ---- */

/* phi, phi' = A v, phi'' = A a + dA v, and A, from the function that every condition has. */
static jn_status simple_motion(const loop_structure *loops, loop_state *state, const jn_loops_user *u, int at,
                               int order, const double *q, const double *v_jet) {
  int n = loops->nv, all = loops->users;
  double *A = state->user_A + at * n, *dAv = state->user_D;
  jn_status status = u->value(u->context, q, v_jet, state->user_phi + at, A, dAv);
  for (int r = 0; r < u->rows && status == JN_OK; r++) {
    double rate = 0, second = dAv[r];
    for (int i = 0; i < n; i++) {
      rate += A[r * n + i] * v_jet[i];
      if (order >= 0) second += A[r * n + i] * v_jet[n + i];
    }
    state->user_phi[all + at + r] = rate;
    state->user_phi[2 * all + at + r] = second;
  }
  return status;
}

jn_status jn__extra_motion(const loop_structure *loops, loop_state *state, int order, const double *q,
                           const double *v_jet) {
  state->q = q;
  state->v_jet = v_jet;
  int n = loops->nv;
  jn_status status = JN_OK;
  for (int i = 0, at = 0; i < loops->options.user_count && status == JN_OK; at += loops->user[i++].rows) {
    const jn_loops_user *u = &loops->user[i];
    if (order <= 0) {
      status = simple_motion(loops, state, u, at, order, q, v_jet);
      continue;
    }
    if (!u->jet) return JN_ERR_CALLBACK;
    double *phi = state->user_D, *A = phi + (order + 3) * u->rows;
    status = u->jet(u->context, order, q, v_jet, phi, A);
    for (int k = 0; k < order + 3; k++)
      memcpy(state->user_phi + k * loops->users + at, phi + k * u->rows, sizeof(double) * (size_t)u->rows);
    for (int k = 0; k < order + 1; k++)
      memcpy(state->user_A + (k * loops->users + at) * n, A + k * u->rows * n, sizeof(double) * (size_t)(u->rows * n));
  }
  return status;
}

/* ---- both ---- */

void jn__extra_value(const loop_structure *loops, const loop_state *state, int k, double *phi) {
  for (int i = 0; i < loops->couplings; i++) {
    const loop_coupling *c = &loops->coupling[i];
    double sum = k == 0 ? -c->offset : 0;
    for (int t = 0; t < c->count; t++)
      sum += c->factor[t] * (k == 0 ? state->q[c->q[t]] : state->v_jet[(k - 1) * loops->nv + c->v[t]]);
    phi[c->row] = sum;
  }
  memcpy(phi + loops->first_user, state->user_phi + k * loops->users, sizeof(double) * (size_t)loops->users);
}

void jn__extra_jacobian(const loop_structure *loops, loop_state *state, int order) {
  int n = loops->nv;
  for (int i = 0; i < loops->couplings; i++)
    for (int t = 0; t < loops->coupling[i].count; t++)
      state->A[loops->coupling[i].row * n + loops->coupling[i].v[t]] = loops->coupling[i].factor[t];
  for (int k = 0; k <= order; k++)
    memcpy(state->A + (k * loops->m + loops->first_user) * n, state->user_A + k * loops->users * n,
           sizeof(double) * (size_t)(loops->users * n));
}

void jn__extra_forces(const loop_structure *loops, const loop_state *state, int k, const double *lambda, double *tau) {
  double factorial = jn__factorial(k);
  for (int i = 0; i < loops->couplings; i++)
    for (int t = 0; t < loops->coupling[i].count; t++)
      tau[loops->coupling[i].v[t]] -=
          factorial * loops->coupling[i].factor[t] * lambda[k * loops->m + loops->coupling[i].row];
  for (int j = 0; j <= k; j++) {
    double below = jn__factorial(j);
    for (int r = 0; r < loops->users; r++)
      for (int i = 0; i < loops->nv; i++)
        tau[i] -= factorial / below * state->user_A[(j * loops->users + r) * loops->nv + i] *
                  lambda[(k - j) * loops->m + loops->first_user + r];
  }
}

jn_status jn__extra_linearise(const loop_structure *loops, const loop_state *state, loop_linearisation *linear,
                              const double *q, const double *v, const double *a, const double *lambda) {
  int n = loops->nv;
  for (int i = 0; i < loops->couplings; i++) {
    memset(linear->g_q + loops->coupling[i].row * n, 0, sizeof(double) * (size_t)n);
    memset(linear->g_v + loops->coupling[i].row * n, 0, sizeof(double) * (size_t)n);
  }
  for (int i = 0, at = loops->first_user; i < loops->options.user_count; at += loops->user[i++].rows) {
    const jn_loops_user *u = &loops->user[i];
    if (!u->derivatives) return JN_ERR_CALLBACK;
    double *force = state->user_D, *nothing = force + n * n;
    memset(nothing, 0, sizeof(double) * (size_t)u->rows);
    jn_status status = u->derivatives(u->context, q, v, a, lambda ? lambda + at : nothing, force, linear->g_q + at * n,
                                      linear->g_v + at * n);
    if (status != JN_OK) return status;
    for (int e = 0; e < n * n && lambda; e++) linear->G_q[e] -= force[e];
  }
  return JN_OK;
}
