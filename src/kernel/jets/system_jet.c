/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of the system matrices of the closed form. [kumar2021 eqs. 21-31, 39-42; mueller2021 eqs. 15-26]
 *
 * The papers stack the twists of all bodies of a chain, V = A X q' = J v, with the block matrices below; here for
 * trees, over the links as the file had them, in their own frames, of any order in time:
 *
 *   A   [6L x 6L]   block (i, j) = Ad_{T_ij} for j = i and all ancestors j of link i, else zero
 *   a   blkdiag of ad of the joint twists S_i v_i;    b   blkdiag of ad of the link twists V_i
 *   J = A S         Jacobian of all links,            dA/dt = A a - A a A = A b - b A
 *
 *   symbol        meaning                                   frame, unit         size
 *   A             derivatives of the adjoint matrices       link                [(K+1) x 6L x 6L]
 *   joint_twists  derivatives of S_i v_i, which make a      link; rad/s, m/s    [(K+1) x L x 6]
 *   link_twists   derivatives of V_i, which make b          link; rad/s, m/s    [(K+1) x L x 6]
 *   Jacobian      derivatives of J                          link                [(K+1) x 6L x nv]
 *   S             derivatives of the screws of one joint    link                [(K+1) x 6 x nv_joint]
 *
 * order = K, joint: that of S, or -1. in: q, v jets [(K+2) x nv]. out: A, joint_twists, link_twists, Jacobian, S;
 * NULL: not wanted. Cost O(L d^2 K^2). */
#include "../base/variant.h"
#include "jacobian_columns.h"

/* Ad_{T_ij}(t) of link i and its ancestor j, into block (i, j) of all orders. */
static inline void set_adjoint_block(const jets *J, columns *c, int i, int j, int order, int32_t *path, real *A) {
  const JN_S(tree) *tree = J->tree;
  const JN_S(frame) *from = &tree->frame[j], *to = &tree->frame[i];
  int depth = 0, wide = 6 * tree->nlink;

  /* Six unit twists in the frame of link j. */
  for (int k = 0; k < c->orders * c->n; k++) c->u[k] = t_zero();
  c->count = 6;
  for (int k = 0; k < 6; k++) {
    real unit[6] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
    unit[k] = K(1);
    c->active[k] = k;
    c->u[k] = t_Ad(se3_constant(from->R, from->p), t_load(unit));
  }

  /* Carried outwards to link i. */
  for (int body = to->body; body != from->body; body = tree->body[body].parent) path[depth++] = body;
  while (depth > 0) transport_columns_outward(J, path[--depth], c, 0);

  /* Stored as a block of A. */
  for (int k = 0; k <= order; k++) {
    real block[36];
    store_columns(c, se3_constant(to->R, to->p), 0, k, 6, block);
    for (int e = 0; e < 36; e++) A[(k * wide + 6 * i + e / 6) * wide + 6 * j + e % 6] = block[e];
  }
}

/* Screws of the joint of body i as polynomials, in the body's frame: columns iv ... of c. */
static inline void screws_of_joint(const jets *J, int i, columns *c) {
  for (int k = 0; k < c->orders * c->n; k++) c->u[k] = t_zero();
  c->count = 0;
  transport_columns_outward(J, i, c, 1);
}

/* Order k of S(t) v(t) of body i. */
static inline twist joint_twist(const jets *J, int i, const columns *c, int k) {
  const JN_S(body) *body = &J->tree->body[i];
  twist V = t_zero();
  for (int j = 0; j <= k; j++)
    for (int coordinate = 0; coordinate < body->nv; coordinate++)
      V = t_axpy(J->v[(k - j) * J->tree->nv + body->iv + coordinate], c->u[j * c->n + body->iv + coordinate], V);
  return V;
}

/* Joint twist, link twist and Jacobian of one link, all orders; NULL: not wanted. */
static inline void set_link_results(const jets *J, columns *c, int link, int order, int32_t *path, real *joint_twists,
                                    real *link_twists, real *Jacobian) {
  const JN_S(tree) *tree = J->tree;
  int body = tree->frame[link].body, moves = tree->placement[link].body >= 0, nl = tree->nlink;
  pose local = se3_constant(tree->frame[link].R, tree->frame[link].p);
  if (joint_twists && moves) screws_of_joint(J, body, c);

  /* Twists. */
  for (int k = 0; k <= order; k++) {
    if (joint_twists)
      t_store(moves ? t_Ad_inverse(local, joint_twist(J, body, c, k)) : t_zero(), joint_twists + 6 * (k * nl + link));
    if (link_twists)
      t_store(body < 0 ? t_zero() : t_Ad_inverse(local, J->V[k * tree->nb + body]), link_twists + 6 * (k * nl + link));
  }

  /* Jacobian. */
  if (!Jacobian) return;
  if (body >= 0) columns_of_body(J, body, c, path);
  for (int k = 0; k <= order; k++)
    store_columns(c, local, body, k, tree->nv, Jacobian + 6 * tree->nv * (k * nl + link));
}

void JN_(system_jet)(const jn_call *call) {
  const jn_system_jet_arguments *args = &call->system_jet;
  const JN_S(tree) *tree = call->tree;
  int order = args->order, link = args->joint, n = tree->nv, nl = tree->nlink;
  real *at = call->scratch, *A = args->A_jet, *joint_twists = args->joint_twist_jet,
       *link_twists = args->link_twist_jet, *Jacobian = args->J_jet, *S = args->S_jet;
  jets J = jets_place(tree, order + 2, 0, args->q, &at);
  columns c = columns_place(order + 1, n + 6, &at); /* 6: the blocks of A, whatever nv is */
  int32_t *path = TAKE_INTS(&at, tree->nb);
  if (counts(call, at)) return;

  /* True twists of all bodies. */
  J.without_weight = 1;
  jet_to_taylor(args->v_jet, order + 2, n, J.v);
  for (int k = 0; k < order + 2; k++) extend_twists(&J, k);

  /* Twists and Jacobians of the links. */
  for (int link_index = 0; link_index < nl && (joint_twists || link_twists || Jacobian); link_index++)
    set_link_results(&J, &c, link_index, order, path, joint_twists, link_twists, Jacobian);

  /* Screws of one joint: its columns are moved to the front. */
  if (S && tree->placement[link].body >= 0) {
    const JN_S(body) *own = &tree->body[tree->placement[link].body];
    screws_of_joint(&J, tree->placement[link].body, &c);
    for (int k = 0; k < c.orders * c.n; k++)
      if (k % c.n < own->nv) c.u[k] = c.u[k + own->iv];
    pose local = se3_constant(tree->frame[link].R, tree->frame[link].p);
    for (int k = 0; k <= order; k++) store_columns(&c, local, 0, k, own->nv, S + 6 * own->nv * k);
    taylor_to_jet(S, order + 1, 6 * own->nv);
  }

  /* A, block by block along the branches. */
  for (int k = 0; k < (order + 1) * 36 * nl * nl && A; k++) A[k] = ZERO;
  for (int i = 0; i < nl && A; i++)
    for (int j = i; j >= 0; j = tree->link_parent[j]) set_adjoint_block(&J, &c, i, j, order, path, A);

  /* From Taylor coefficients to derivatives. */
  if (A) taylor_to_jet(A, order + 1, 36 * nl * nl);
  if (joint_twists) taylor_to_jet(joint_twists, order + 1, 6 * nl);
  if (link_twists) taylor_to_jet(link_twists, order + 1, 6 * nl);
  if (Jacobian) taylor_to_jet(Jacobian, order + 1, 6 * nl * n);
}
