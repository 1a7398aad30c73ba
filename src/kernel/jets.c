/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of any order of inverse, forward and hybrid dynamics (kumar2021, by polynomials: jets.h).
 * Jets are plain derivatives outside, rows by order; arg[0] = K. O(n K^2). */
#include "jets.h"

#include "row.h"

/* External wrenches of all orders, summed up for the bodies, as Taylor coefficients. */
static inline void external(const jets *J, const real *W, int rows) {
  scalar f = 1;
  for (int k = 0; k < rows; k++) {
    wrench *to = &J->W[k * J->t->nb];
    if (k > 1) f /= (scalar)k;
    body_wrenches(J->t, W + k * 6 * J->t->nlink, to);
    for (int i = 0; i < J->t->nb; i++) to[i] = (wrench){v3_scale(splat(f), to[i].m), v3_scale(splat(f), to[i].f)};
  }
}

/* in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: tau jets [(K+1) x nv]. */
void JN_(inverse_jet)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int order = c->arg[0];
  real *at = c->scratch, *tau = c->out[0];
  jets J = jets_place(t, order + 2, c->in[2] != NULL, &at);
  J.q = c->in[0];
  jet_to_taylor(c->in[1], order + 2, t->nv, J.v);
  if (J.W) external(&J, c->in[2], order + 1);
  for (int k = 0; k < order + 2; k++) twists_order(&J, k);
  for (int k = 0; k < order + 1; k++) forces_order(&J, k, tau + k * t->nv);
  taylor_to_jet(tau, order + 1, t->nv);
}

/* Hybrid dynamics: coordinates with data[i] != 0 (unsigned char [nv], NULL: none) have their velocity jets given, the
 * others their force jets. in: q, v jets [arg[1] x nv] (row 0 of all, further rows of prescribed coordinates), tau jets
 * [(K+1) x nv], wrench jets or NULL. out: v jets [(K+2) x nv], tau jets [(K+1) x nv] or NULL, pivots [nv].
 * Order by order: tau_k = M (k+1) v_{k+1} + bias_k, with the inertia factorised once. */
void JN_(hybrid_jet)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = c->data;
  const real *given_v = c->in[1], *given_tau = c->in[2];
  int order = c->arg[0], n = t->nv;
  real *at = c->scratch, *v_out = c->out[0], *tau_out = c->out[1];
  jets J = jets_place(t, order + 2, c->in[3] != NULL, &at);
  real *H = take(&at, (size_t)(n * n)), *bias = take(&at, (size_t)n), *y = take(&at, (size_t)n);
  pose *X = TAKE(&at, t->nb, pose);
  twist *S = TAKE(&at, t->nd, twist);
  inertia *Ic = TAKE(&at, t->nb, inertia);
  J.q = c->in[0];
  jet_to_taylor(given_v, c->arg[1], n, J.v);
  for (int k = c->arg[1] * n; k < (order + 2) * n; k++) J.v[k] = ZERO;
  if (J.W) external(&J, c->in[3], order + 1);
  for (int i = 0; i < t->nb; i++) outward(t, i, J.q, NULL, X, S, NULL, NULL);
  composite_inertias(t, X, Ic);
  mass_matrix(t, X, S, Ic, 1, H);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int known = prescribed && (prescribed[t->order[i]] || prescribed[t->order[j]]);
      if (known) H[i * n + j] = i == j ? K(1) : ZERO;
    }
  factorize(t, H, c->out[2]);
  twists_order(&J, 0);
  scalar factorial = 1;
  for (int k = 0; k <= order; k++) {
    real *next = J.v + (k + 1) * n, rate = K(k + 1);
    if (k > 1) factorial *= (scalar)k;
    for (int i = 0; i < n; i++)
      if (!prescribed || !prescribed[i]) next[i] = ZERO;
    twists_order(&J, k + 1);
    forces_order(&J, k, bias);
    for (int i = 0; i < n; i++) {
      int a = t->order[i];
      y[i] = prescribed && prescribed[a] ? ZERO : (given_tau[k * n + a] / splat(factorial) - bias[a]) / rate;
    }
    substitute(t, H, y);
    for (int i = 0; i < n; i++)
      if (!prescribed || !prescribed[t->order[i]]) next[t->order[i]] = y[i];
    twists_order(&J, k + 1);
    if (!tau_out && k == order) continue;
    forces_order(&J, k, bias); /* wrenches of this order, with the solution in them, serve the next */
    for (int i = 0; i < n && tau_out; i++)
      tau_out[k * n + i] = prescribed && prescribed[i] ? splat(factorial) * bias[i] : given_tau[k * n + i];
  }
  for (int k = 0; k < (order + 2) * n; k++) v_out[k] = J.v[k];
  taylor_to_jet(v_out, order + 2, n);
  for (int k = 0; k < c->arg[1]; k++) /* what was given comes back to the bit */
    for (int i = 0; i < n; i++)
      if (k == 0 || (prescribed && prescribed[i])) v_out[k * n + i] = given_v[k * n + i];
}
