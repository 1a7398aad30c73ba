/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of the torque regressor, tau^(k) = Y^(k) pi, k = 0 ... K.
 *
 * Y is the product of Jacobian columns u and of the wrenches x that unit parameters need, both as polynomials of time:
 *
 *   x_k = phi((k+1) V_(k+1)) + sum_(j<=k) V_j x* phi(V_(k-j)),     Y_k = sum_(r<=k) u_r . x_(k-r)
 *
 *   symbol  meaning                                                        size        frame
 *   V       Taylor coefficients of the link's twist; the base falls, so     (K+2) x 6   link
 *           that weight is in V
 *   u       Taylor coefficients of a column of the link's Jacobian         (K+1) x 6   link
 *   x       Taylor coefficients of the ten wrenches                        10 (K+1)    link
 *
 * order: K. in: q, derivatives of v [(K+2) x nv]. out: Y [(K+1) x nv x 10L]. Cost O(n depth^2 K^2). */
#include "parameter_columns.h"

#include "../base/variant.h"
#include "../jets/jacobian_columns.h"

/* x_k [10] from V [orders] of the link, as above. */
static inline void wrench_columns_order(const twist *V, int k, wrench out[10]) {
  wrench phi[10];
  momentum_columns(t_scale(K(k + 1), V[k + 1]), out);
  for (int j = 0; j <= k; j++) {
    momentum_columns(V[k - j], phi);
    for (int c = 0; c < 10; c++) out[c] = w_sub(out[c], w_ad(V[j], phi[c]));
  }
}

/* Y^(0) ... Y^(K). */
void JN_(regressor_jet)(const jn_call *call) {
  const jn_regressor_jet_arguments *args = &call->regressor_jet;
  const JN_S(tree) *tree = call->tree;
  int order = args->order, n = tree->nv, wide = 10 * tree->nlink;
  real *at = call->scratch, *Y = args->Y_jet;
  jets J = jets_place(tree, order + 2, 0, args->q, &at);
  columns c = columns_place(order + 1, n + 1, &at);
  twist *V = TAKE(&at, order + 2, twist);
  wrench *x = TAKE(&at, 10 * (order + 1), wrench);
  int32_t *path = TAKE_INTS(&at, tree->nb);
  if (counts(call, at)) return;

  /* Outwards: Taylor coefficients of all twists. */
  jet_to_taylor(args->v_jet, order + 2, n, J.v);
  for (int k = 0; k < order + 2; k++) extend_twists(&J, k);
  for (int k = 0; k < (order + 1) * n * wide; k++) Y[k] = ZERO;

  /* Link by link: its Jacobian columns, twists and wrenches. */
  for (int l = 0; l < tree->nlink; l++) {
    int body = tree->frame[l].body;
    if (body < 0) continue;
    pose local = link_in_body(tree, l);
    columns_of_body(&J, body, &c, path);
    for (int k = 0; k < order + 2; k++) V[k] = t_Ad_inverse(local, J.V[k * tree->nb + body]);
    for (int k = 0; k <= order; k++) wrench_columns_order(V, k, x + 10 * k);

    /* Y_k += u_r . x_(k-r) for each coordinate that moves the link. */
    for (int a = 1; a < c.count; a++)
      for (int r = 0; r <= order; r++) {
        int iv = c.active[a];
        twist u = t_Ad_inverse(local, c.u[r * c.n + iv]);
        for (int k = r; k <= order; k++)
          for (int p = 0; p < 10; p++) Y[(k * n + iv) * wide + 10 * l + p] += power(x[10 * (k - r) + p], u);
      }
  }

  /* From Taylor coefficients to derivatives. */
  taylor_to_jet(Y, order + 1, n * wide);
}
