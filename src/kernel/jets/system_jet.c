/* SPDX-License-Identifier: BSD-2-Clause */
/* The system matrices of the closed form (kumar2021 eqs. 21-31, mueller2021 sec. 2) for trees, as jets, over the links
 * in their own frames: A with blocks Ad_{T_ij} for j = i and all ancestors j of i, joint twists (a = blkdiag ad of
 * them), link twists (b likewise), the system Jacobian J = A S, and the screws S of one joint. arg[0] = K, arg[1] =
 * link or -1. in: q, v jets [(K+2) x nv]. out: A [(K+1) x 6L x 6L], joint twists and link twists [(K+1) x L x 6], J
 * [(K+1) x 6L x nv], S [(K+1) x 6 x nv_joint]. O(L d^2 K^2). */
#include "../base/variant.h"
#include "jacobian_columns.h"

/* Ad_{T_ij}(t) of link i and its ancestor j, into block (i, j) of all orders. */
static inline void system_block(const jets *J, columns *c, int i, int j, int order, int32_t *path, real *A) {
  const JN_S(tree) *t = J->t;
  const JN_S(frame) *from = &t->frame[j], *to = &t->frame[i];
  int depth = 0, wide = 6 * t->nlink;
  for (int k = 0; k < c->orders * c->n; k++) c->u[k] = t_zero();
  c->count = 6;
  for (int k = 0; k < 6; k++) {
    real unit[6] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
    unit[k] = K(1);
    c->active[k] = k;
    c->u[k] = t_Ad(se3_constant(from->R, from->p), t_load(unit));
  }
  for (int b = to->body; b != from->body; b = t->body[b].parent) path[depth++] = b;
  while (depth > 0) columns_outward(J, path[--depth], c, 0);
  for (int k = 0; k <= order; k++) {
    real block[36];
    store_columns(c, se3_constant(to->R, to->p), 0, k, 6, block);
    for (int e = 0; e < 36; e++) A[(k * wide + 6 * i + e / 6) * wide + 6 * j + e % 6] = block[e];
  }
}

/* Screws of the joint of body i as polynomials, in the body's frame: columns iv ... of c. */
static inline void own_screws(const jets *J, int i, columns *c) {
  for (int k = 0; k < c->orders * c->n; k++) c->u[k] = t_zero();
  c->count = 0;
  columns_outward(J, i, c, 1);
}

/* Order k of S(t) v(t) of body i. */
static inline twist joint_twist(const jets *J, int i, const columns *c, int k) {
  const JN_S(body) *b = &J->t->body[i];
  twist V = t_zero();
  for (int j = 0; j <= k; j++)
    for (int d = 0; d < b->nv; d++) V = t_axpy(J->v[(k - j) * J->t->nv + b->iv + d], c->u[j * c->n + b->iv + d], V);
  return V;
}

static inline void link_rows(const jets *J, columns *c, int l, int order, int32_t *path, real *a, real *b, real *Jac) {
  const JN_S(tree) *t = J->t;
  int body = t->frame[l].body, moves = t->placement[l].body >= 0, nl = t->nlink;
  pose local = se3_constant(t->frame[l].R, t->frame[l].p);
  if (a && moves) own_screws(J, body, c);
  for (int k = 0; k <= order; k++) {
    if (a) t_store(moves ? t_Ad_inverse(local, joint_twist(J, body, c, k)) : t_zero(), a + 6 * (k * nl + l));
    if (b) t_store(body < 0 ? t_zero() : t_Ad_inverse(local, J->V[k * t->nb + body]), b + 6 * (k * nl + l));
  }
  if (!Jac) return;
  if (body >= 0) columns_of(J, body, c, path);
  for (int k = 0; k <= order; k++) store_columns(c, local, body, k, t->nv, Jac + 6 * t->nv * (k * nl + l));
}

void JN_(system_jet)(const jn_call *call) {
  const jn_system_jet_arguments *args = &call->system_jet;
  const JN_S(tree) *t = call->tree;
  int order = args->order, link = args->joint, n = t->nv, nl = t->nlink;
  real *at = call->scratch, *A = args->A_jet, *a = args->joint_twist_jet, *b = args->link_twist_jet, *Jac = args->J_jet,
       *S = args->S_jet;
  jets J = jets_place(t, order + 2, 0, args->q, &at);
  columns c = columns_place(order + 1, n + 6, &at); /* 6: the blocks of A, whatever nv is */
  int32_t *path = TAKE_INTS(&at, t->nb);
  if (counts(call, at)) return;
  J.weightless = 1;
  jet_to_taylor(args->v_jet, order + 2, n, J.v);
  for (int k = 0; k < order + 2; k++) twists_order(&J, k);
  for (int l = 0; l < nl && (a || b || Jac); l++) link_rows(&J, &c, l, order, path, a, b, Jac);
  if (S && t->placement[link].body >= 0) {
    const JN_S(body) *own = &t->body[t->placement[link].body];
    own_screws(&J, t->placement[link].body, &c);
    for (int k = 0; k < c.orders * c.n; k++)
      if (k % c.n < own->nv) c.u[k] = c.u[k + own->iv];
    pose local = se3_constant(t->frame[link].R, t->frame[link].p);
    for (int k = 0; k <= order; k++) store_columns(&c, local, 0, k, own->nv, S + 6 * own->nv * k);
    taylor_to_jet(S, order + 1, 6 * own->nv);
  }
  for (int k = 0; k < (order + 1) * 36 * nl * nl && A; k++) A[k] = ZERO;
  for (int i = 0; i < nl && A; i++)
    for (int j = i; j >= 0; j = t->link_parent[j]) system_block(&J, &c, i, j, order, path, A);
  if (A) taylor_to_jet(A, order + 1, 36 * nl * nl);
  if (a) taylor_to_jet(a, order + 1, 6 * nl);
  if (b) taylor_to_jet(b, order + 1, 6 * nl);
  if (Jac) taylor_to_jet(Jac, order + 1, 6 * nl * n);
}
