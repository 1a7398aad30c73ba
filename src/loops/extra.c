/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions that are not between frames: couplings of coordinates, whose row of A is constant, and the user's own.
 * Their multipliers are forces on coordinates, A^T lambda, with derivatives by Leibniz. */
#include <string.h>

#include "loops.h"

/* ---- the user's conditions ---- */

/* phi, phi' = A v, phi'' = A a + dA v, and A, from the function that every condition has. */
static jn_status simple_motion(jn_loops *l, const jn_loops_user *u, int at, int order, const double *q,
                               const double *v_jet) {
  int n = l->nv, all = l->users;
  double *A = l->user_A + at * n, *dAv = l->user_D;
  jn_status status = u->value(u->context, q, v_jet, l->user_phi + at, A, dAv);
  for (int r = 0; r < u->rows && status == JN_OK; r++) {
    double rate = 0, second = dAv[r];
    for (int i = 0; i < n; i++) {
      rate += A[r * n + i] * v_jet[i];
      if (order >= 0) second += A[r * n + i] * v_jet[n + i];
    }
    l->user_phi[all + at + r] = rate;
    l->user_phi[2 * all + at + r] = second;
  }
  return status;
}

jn_status jn__extra_motion(jn_loops *l, int order, const double *q, const double *v_jet) {
  l->at_q = q;
  l->at_v = v_jet;
  int n = l->nv;
  jn_status status = JN_OK;
  for (int i = 0, at = 0; i < l->options.user_count && status == JN_OK; at += l->user[i++].rows) {
    const jn_loops_user *u = &l->user[i];
    if (order <= 0) {
      status = simple_motion(l, u, at, order, q, v_jet);
      continue;
    }
    if (!u->jet) return JN_ERR_CALLBACK;
    double *phi = l->user_D, *A = phi + (order + 3) * u->rows;
    status = u->jet(u->context, order, q, v_jet, phi, A);
    for (int k = 0; k < order + 3; k++)
      memcpy(l->user_phi + k * l->users + at, phi + k * u->rows, sizeof(double) * (size_t)u->rows);
    for (int k = 0; k < order + 1; k++)
      memcpy(l->user_A + (k * l->users + at) * n, A + k * u->rows * n, sizeof(double) * (size_t)(u->rows * n));
  }
  return status;
}

/* ---- both ---- */

void jn__extra_value(const jn_loops *l, int k, double *phi) {
  for (int i = 0; i < l->couplings; i++) {
    const loop_coupling *c = &l->coupling[i];
    double sum = k == 0 ? -c->offset : 0;
    for (int t = 0; t < c->count; t++)
      sum += c->factor[t] * (k == 0 ? l->at_q[c->q[t]] : l->at_v[(k - 1) * l->nv + c->v[t]]);
    phi[c->row] = sum;
  }
  memcpy(phi + l->first_user, l->user_phi + k * l->users, sizeof(double) * (size_t)l->users);
}

void jn__extra_jacobian(jn_loops *l, int order) {
  int n = l->nv;
  for (int i = 0; i < l->couplings; i++)
    for (int t = 0; t < l->coupling[i].count; t++)
      l->A[l->coupling[i].row * n + l->coupling[i].v[t]] = l->coupling[i].factor[t];
  for (int k = 0; k <= order; k++)
    memcpy(l->A + (k * l->m + l->first_user) * n, l->user_A + k * l->users * n,
           sizeof(double) * (size_t)(l->users * n));
}

void jn__extra_forces(const jn_loops *l, int k, const double *lambda, double *tau) {
  double factorial = 1;
  for (int j = 2; j <= k; j++) factorial *= j;
  for (int i = 0; i < l->couplings; i++)
    for (int t = 0; t < l->coupling[i].count; t++)
      tau[l->coupling[i].v[t]] -= factorial * l->coupling[i].factor[t] * lambda[k * l->m + l->coupling[i].row];
  double below = 1; /* j! */
  for (int j = 0; j <= k; j++) {
    if (j > 0) below *= j;
    for (int r = 0; r < l->users; r++)
      for (int i = 0; i < l->nv; i++)
        tau[i] -=
            factorial / below * l->user_A[(j * l->users + r) * l->nv + i] * lambda[(k - j) * l->m + l->first_user + r];
  }
}

jn_status jn__extra_linearise(jn_loops *l, const double *q, const double *v, const double *a, const double *lambda) {
  int n = l->nv;
  for (int i = 0; i < l->couplings; i++) {
    memset(l->g_q + l->coupling[i].row * n, 0, sizeof(double) * (size_t)n);
    memset(l->g_v + l->coupling[i].row * n, 0, sizeof(double) * (size_t)n);
  }
  for (int i = 0, at = l->first_user; i < l->options.user_count; at += l->user[i++].rows) {
    const jn_loops_user *u = &l->user[i];
    if (!u->derivatives) return JN_ERR_CALLBACK;
    double *force = l->user_D, *nothing = force + n * n;
    memset(nothing, 0, sizeof(double) * (size_t)u->rows);
    jn_status status =
        u->derivatives(u->context, q, v, a, lambda ? lambda + at : nothing, force, l->g_q + at * n, l->g_v + at * n);
    if (status != JN_OK) return status;
    for (int e = 0; e < n * n && lambda; e++) l->G_q[e] -= force[e];
  }
  return JN_OK;
}
