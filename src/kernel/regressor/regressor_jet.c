/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of the regressor, tau^(k) = Y^(k) pi: columns of Jacobians times the wrenches that the parameters
 * make, both as polynomials of time (jacobian_columns.h, jets.h). order = K. in: q, v jets [(K+2) x nv]. out: Y [(K+1)
 * x nv x 10L]. O(n d^2 K^2). */
#include "parameter_columns.h"

#include "../base/variant.h"
#include "../jets/jacobian_columns.h"

/* Order k of phi(dV/dt) + V x* phi(V), [10]; V [orders] of the link. The base falls, so gravity is in V. */
static inline void wrench_columns_order(const twist *V, int k, wrench out[10]) {
  wrench phi[10];
  momentum_columns(t_scale(K(k + 1), V[k + 1]), out);
  for (int j = 0; j <= k; j++) {
    momentum_columns(V[k - j], phi);
    for (int c = 0; c < 10; c++) out[c] = w_sub(out[c], w_ad(V[j], phi[c]));
  }
}

void JN_(regressor_jet)(const jn_call *call) {
  const jn_regressor_jet_arguments *args = &call->regressor_jet;
  const JN_S(tree) *t = call->tree;
  int order = args->order, n = t->nv, wide = 10 * t->nlink;
  real *at = call->scratch, *Y = args->Y_jet;
  jets J = jets_place(t, order + 2, 0, args->q, &at);
  columns c = columns_place(order + 1, n + 1, &at);
  twist *V = TAKE(&at, order + 2, twist);
  wrench *x = TAKE(&at, 10 * (order + 1), wrench);
  int32_t *path = TAKE_INTS(&at, t->nb);
  if (counts(call, at)) return;
  jet_to_taylor(args->v_jet, order + 2, n, J.v);
  for (int k = 0; k < order + 2; k++) extend_twists(&J, k);
  for (int k = 0; k < (order + 1) * n * wide; k++) Y[k] = ZERO;
  for (int l = 0; l < t->nlink; l++) {
    int body = t->frame[l].body;
    if (body < 0) continue;
    pose local = link_in_body(t, l);
    columns_of_body(&J, body, &c, path);
    for (int k = 0; k < order + 2; k++) V[k] = t_Ad_inverse(local, J.V[k * t->nb + body]);
    for (int k = 0; k <= order; k++) wrench_columns_order(V, k, x + 10 * k);
    for (int a = 1; a < c.count; a++)
      for (int r = 0; r <= order; r++) {
        int iv = c.active[a];
        twist u = t_Ad_inverse(local, c.u[r * c.n + iv]);
        for (int k = r; k <= order; k++)
          for (int p = 0; p < 10; p++) Y[(k * n + iv) * wide + 10 * l + p] += power(x[10 * (k - r) + p], u);
      }
  }
  taylor_to_jet(Y, order + 1, n * wide);
}
