/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of the time derivatives of inverse dynamics with respect to the state and its rates.
 *
 * The linearization of linearization.h along the motion in time gives the matrices T_q(t), T_v(t), M(t) as polynomials.
 * A change of the motion, eta(t) of the configuration (in the tangent space) and dv(t) of the velocity, changes the
 * forces by
 *
 *   dtau(t) = T_q(t) eta(t) + T_v(t) dv(t) + M(t) dv'(t),      eta' = dv - ad_v eta
 *
 * where ad is that of the joint's own group: zero for all joints but the spherical and the free. Order k of this with a
 * unit change of q or of v^(j) gives the blocks
 *
 *   D[k][0] = dtau^(k)/dq,    D[k][1 + j] = dtau^(k)/dv^(j)
 *
 *   symbol   meaning                                              unit                size
 *   D        blocks; D[m][0..2] hold T_q, T_v, M of order m first N m, N per unit     [(K+1) x (K+3) x nv x nv]
 *   eta      change of the configuration of one joint             rad, m              [6][K+1][6]
 *   slot     second index of D: 0 for q, 1 + j for v^(j)
 *
 * order = K. in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: D. Cost O(n d K^2 + nv^2 K^2).
 */
#include "../base/variant.h"
#include "../jets/jets.h"
#include "linearization.h"

/* ad_v x of a joint's own group: of so(3) or of se(3). */
static inline void bracket_of_group(const JN_S(body) * body, const real *v, const real *x, real *out) {
  if (body->kind == JN_BODY_SPHERICAL) {
    v3_store(cross(v3_load(v), v3_load(x)), out);
    return;
  }
  t_store(t_ad(t_load(v), t_load(x)), out);
}

/* eta [orders][6] that begins at order `slot` with the unit vector c: r eta_r = -sum_j ad(v_j) eta_{r-1-j}. */
static inline void configuration_change_of_group(const JN_S(body) * body, const real *v, int nv, int c, int slot,
                                                 int orders, real *eta) {
  for (int e = 0; e < 6 * orders; e++) eta[e] = ZERO;
  eta[6 * slot + c] = K(1);
  for (int r = slot + 1; r < orders; r++) {
    for (int j = 0; slot + j < r; j++) {
      real x[6];
      bracket_of_group(body, v + j * nv + body->iv, eta + 6 * (r - 1 - j), x);
      for (int e = 0; e < body->nv; e++) eta[6 * r + e] -= x[e];
    }
    for (int e = 0; e < body->nv; e++) eta[6 * r + e] = eta[6 * r + e] / K(r);
  }
}

typedef struct motion_change {
  int n, order;
  const real *v; /* Taylor rows */
  real *D;
  real *eta; /* [order + 1][6] */
} motion_change;

/* D[k][slot], all rows, columns of one body. T_q, T_v, M of order m are in D[m][0], D[m][1], D[m][2]; going down in k
 * and slot, what is overwritten is not needed any more. ratio = k!/slot!, so that no factorial overflows. */
static inline void set_block(const motion_change *change, const JN_S(body) * body, int k, int slot, real ratio) {
  int n = change->n, slots = change->order + 3, group = is_group(body);
  size_t square = (size_t)n * (size_t)n;
  real by_v = ratio * K(slot), by_a = by_v * K(slot - 1);
#define AT(order, slot, row, col) \
  change->D[((size_t)(order) * (size_t)slots + (size_t)(slot)) * square + (size_t)((row)*n + (col))]
  for (int row = 0; row < n; row++) {
    real sum[6];

    /* T_q eta + T_v dv + M dv', where dv has one order. */
    for (int c = 0; c < body->nv; c++) {
      int col = body->iv + c;
      sum[c] = ZERO;
      if (slot <= k && !group) sum[c] = ratio * AT(k - slot, 0, row, col);
      if (slot >= 1 && slot <= k + 1) sum[c] += by_v * AT(k - slot + 1, 1, row, col);
      if (slot >= 2 && slot <= k + 2) sum[c] += by_a * AT(k - slot + 2, 2, row, col);
    }

    /* A group: eta has all orders from `slot` on. */
    for (int c = 0; c < body->nv && group; c++)
      for (int r = slot; r <= k; r++)
        for (int e = 0; e < body->nv; e++)
          sum[c] += ratio * AT(k - r, 0, row, body->iv + e) * change->eta[(c * (change->order + 1) + r) * 6 + e];
    for (int c = 0; c < body->nv; c++) AT(k, slot, row, body->iv + c) = sum[c];
  }
#undef AT
}

void JN_(inverse_dynamics_jet_derivatives)(const jn_call *call) {
  const jn_inverse_dynamics_jet_derivatives_arguments *args = &call->inverse_dynamics_jet_derivatives;
  const JN_S(tree) *tree = call->tree;
  int order = args->order, orders = order + 1, n = tree->nv;
  size_t square = (size_t)n * (size_t)n;
  real *at = call->scratch, *D = args->D;
  linearization lin = linearization_place(tree, orders, WRENCH_IN_BODY, args->q, &at);
  column *wrenches = TAKE(&at, orders, column);
  real *v = take(&at, (size_t)((order + 2) * n)), *a = take(&at, (size_t)(orders * n)),
       *eta = take(&at, (size_t)(36 * orders)), *W = NULL;
  if (args->wrench_jet) W = take(&at, (size_t)(orders * 6 * tree->nlink));
  if (counts(call, at)) return;

  /* Taylor coefficients of the motion: velocities, accelerations a_k = (k+1) v_{k+1}, wrenches. */
  jet_to_taylor(args->v_jet, order + 2, n, v);
  for (int k = 0; k < orders * n; k++) a[k] = K(k / n + 1) * v[n + k];
  if (W) jet_to_taylor(args->wrench_jet, orders, 6 * tree->nlink, W);

  /* T_q(t), T_v(t), M(t), into the first three slots. */
  lin.tangent = lin.v = v;
  lin.a = a;
  lin.W = W;
  lin.rows = orders;
  linearize(&lin, orders);
  derived to = {.step = (size_t)(order + 3) * square, .dq = D, .dv = D + square, .M = D + 2 * square};
  linearization_matrices(&lin, orders, wrenches, &to);

  /* Blocks, from the highest order down. */
  motion_change change = {n, order, v, D, eta};
  for (int k = order; k >= 0; k--) {
    real ratio = K(1) / K((k + 1) * (k + 2)); /* of slot = k + 2; beyond it the blocks are zero */
    for (int slot = order + 2; slot >= 0; slot--) {
      for (int i = 0; i < tree->nb; i++) {
        const JN_S(body) *body = &tree->body[i];
        if (!body->owner) continue;
        for (int c = 0; c < body->nv && is_group(body) && slot <= k; c++)
          configuration_change_of_group(body, v, n, c, slot, orders, eta + c * 6 * orders);
        set_block(&change, body, k, slot, ratio);
      }
      if (slot <= k + 2) ratio *= K(slot);
    }
  }
}
