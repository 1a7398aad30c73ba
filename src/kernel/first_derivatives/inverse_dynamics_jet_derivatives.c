/* SPDX-License-Identifier: BSD-2-Clause */
/* State derivatives of the time derivatives of inverse dynamics: the linearization of linearization.h along the motion,
 * with the matrices T_q(t), T_v(t), M(t) as polynomials. A change of the motion, eta(t) of the configuration (in the
 * tangent space) and dv(t) of the velocity, changes the forces by dtau(t) = T_q(t) eta(t) + T_v(t) dv(t) + M(t) dv'(t),
 * eta' = dv - ad_v eta (ad of the joint's own group; zero for all joints but the spherical and the free). order = K.
 * in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: D [(K+1) x (K+3) x nv x nv], D[k][0] = d
 * tau^(k)/dq, D[k][1+j] = d tau^(k)/d v^(j). O(n d K^2 + nv^2 K^2). */
#include "../base/variant.h"
#include "../jets/jets.h"
#include "linearization.h"

/* ad_v e_c of a joint's own group: of so(3), or se(3). */
static inline void own_bracket(const JN_S(body) * b, const real *v, const real *x, real *out) {
  if (b->kind == JN_BODY_SPHERICAL) {
    v3_store(cross(v3_load(v), v3_load(x)), out);
    return;
  }
  t_store(t_ad(t_load(v), t_load(x)), out);
}

/* eta [orders][6] that starts at order J with the unit vector c, and follows the equation above. */
static inline void own_change(const JN_S(body) * b, const real *v, int nv, int c, int J, int orders, real *eta) {
  for (int e = 0; e < 6 * orders; e++) eta[e] = ZERO;
  eta[6 * J + c] = K(1);
  for (int r = J + 1; r < orders; r++) {
    for (int j = 0; J + j < r; j++) {
      real x[6];
      own_bracket(b, v + j * nv + b->iv, eta + 6 * (r - 1 - j), x);
      for (int e = 0; e < b->nv; e++) eta[6 * r + e] -= x[e];
    }
    for (int e = 0; e < b->nv; e++) eta[6 * r + e] = eta[6 * r + e] / K(r);
  }
}

typedef struct motion_change {
  int n, order;
  const real *v; /* Taylor rows */
  real *D;
  real *eta; /* [order + 1][6] */
} motion_change;

/* D[k][J], all rows, columns of body b; T_q, T_v, M of order m stand in D[m][0], D[m][1], D[m][2]. Going down in k and
 * J, what is overwritten is not needed any more. ratio = k!/J!, so that no factorial overflows. */
static inline void change_block(const motion_change *x, const JN_S(body) * b, int k, int J, real ratio) {
  int n = x->n, slots = x->order + 3, group = is_group(b);
  size_t square = (size_t)n * (size_t)n;
  real by_v = ratio * K(J), by_a = by_v * K(J - 1);
#define AT(order, slot, row, col) \
  x->D[((size_t)(order) * (size_t)slots + (size_t)(slot)) * square + (size_t)((row)*n + (col))]
  for (int row = 0; row < n; row++) {
    real sum[6];
    for (int c = 0; c < b->nv; c++) {
      int col = b->iv + c;
      sum[c] = ZERO;
      if (J <= k && !group) sum[c] = ratio * AT(k - J, 0, row, col);
      if (J >= 1 && J <= k + 1) sum[c] += by_v * AT(k - J + 1, 1, row, col);
      if (J >= 2 && J <= k + 2) sum[c] += by_a * AT(k - J + 2, 2, row, col);
    }
    for (int c = 0; c < b->nv && group; c++)
      for (int r = J; r <= k; r++)
        for (int e = 0; e < b->nv; e++)
          sum[c] += ratio * AT(k - r, 0, row, b->iv + e) * x->eta[(c * (x->order + 1) + r) * 6 + e];
    for (int c = 0; c < b->nv; c++) AT(k, J, row, b->iv + c) = sum[c];
  }
#undef AT
}

void JN_(inverse_dynamics_jet_derivatives)(const jn_call *call) {
  const jn_inverse_dynamics_jet_derivatives_arguments *args = &call->inverse_dynamics_jet_derivatives;
  const JN_S(tree) *t = call->tree;
  int order = args->order, orders = order + 1, n = t->nv;
  size_t square = (size_t)n * (size_t)n;
  real *at = call->scratch, *D = args->D;
  linearization w = linearization_place(t, orders, HOLD_BODY, args->q, &at);
  column *x = TAKE(&at, orders, column);
  real *v = take(&at, (size_t)((order + 2) * n)), *a = take(&at, (size_t)(orders * n)),
       *eta = take(&at, (size_t)(36 * orders)), *W = NULL;
  if (args->wrench_jet) W = take(&at, (size_t)(orders * 6 * t->nlink));
  if (counts(call, at)) return;
  jet_to_taylor(args->v_jet, order + 2, n, v);
  for (int k = 0; k < orders * n; k++) a[k] = K(k / n + 1) * v[n + k];
  if (W) jet_to_taylor(args->wrench_jet, orders, 6 * t->nlink, W);
  w.g = w.v = v;
  w.a = a;
  w.W = W;
  w.rows = orders;
  linearize(&w, orders);
  derived to = {.step = (size_t)(order + 3) * square, .dq = D, .dv = D + square, .M = D + 2 * square};
  linearization_matrices(&w, orders, x, &to);
  motion_change change = {n, order, v, D, eta};
  for (int k = order; k >= 0; k--) {
    real ratio = K(1) / K((k + 1) * (k + 2)); /* of J = k + 2; beyond, the blocks are zero */
    for (int J = order + 2; J >= 0; J--) {
      for (int i = 0; i < t->nb; i++) {
        const JN_S(body) *b = &t->body[i];
        if (!b->owner) continue;
        for (int c = 0; c < b->nv && is_group(b) && J <= k; c++)
          own_change(b, v, n, c, J, orders, eta + c * 6 * orders);
        change_block(&change, b, k, J, ratio);
      }
      if (J <= k + 2) ratio *= K(J);
    }
  }
}
