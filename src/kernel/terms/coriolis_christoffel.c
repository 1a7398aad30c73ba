/* SPDX-License-Identifier: BSD-2-Clause */
/* The Coriolis matrix of Christoffel symbols, from the C of coriolis.h. [Koszul's formula]
 *
 * C of coriolis.h has B_k = V_k x* I_k of each body, where that of Christoffel has (B_k + B_k^T + H_k) / 2 with
 * H_k X = X x* (I_k V_k). Therefore
 *
 *   C_Christoffel = C + sum over bodies k of J_k^T (H_k - B_k + B_k^T) J_k / 2
 *
 * What is added is skew-symmetric, so that dM/dt - 2 C stays so. It is zero on v, because H V = B V = V x* I V and
 * B^T V = 0, so that C v stays too.
 *
 * Why this is Christoffel's: of one body, (B + B^T + H) / 2 is the Levi-Civita connection of its kinetic energy on
 * SE(3), (I ad_V X - ad_V^T I X - ad_X^T I V) / 2 in the axes of the body; a mechanism inherits that of its bodies by
 * J^T. In rates of coordinates its entries are Christoffel symbols times v. In the quasi-velocities of spherical and
 * free joints they are those of the same connection, which contain half of the structure constants of the joint's
 * group.
 *
 *   symbol  meaning                                          size   frame
 *   h       momentum I V of the body, then of its subtree    6      world's axes, about the body's origin
 *   X       B = V x* I, likewise                             24     the same
 *
 * in: q, v (NULL: zero). out: C [nv x nv]. Cost O(n depth). */
#include "../base/variant.h"
#include "coriolis.h"

typedef struct christoffel_scratch {
  solid *B;         /* [nb] */
  screw *V, *h;     /* [nb] twists; momenta, of bodies, then of subtrees */
  screw *S, *Psi;   /* [nd] */
  space_crossed *X; /* [nb] V x* I, likewise */
} christoffel_scratch;

static inline christoffel_scratch christoffel_place(const JN_S(tree) * tree, real **at) {
  christoffel_scratch r = {TAKE_ALIGNED(at, tree->nb, solid), TAKE_ALIGNED(at, tree->nb, screw),
                           TAKE(at, tree->nb, screw),         TAKE(at, tree->nd, screw),
                           TAKE(at, tree->nd, screw),         TAKE(at, tree->nb, space_crossed)};
  return r;
}

/* (H - B + B^T) S / 2. X, h: of the subtree that S moves. revolute: S has no linear part. */
static inline screw skew_part(const space_crossed *X, screw h, int revolute, screw S) {
  screw H_S = {sp_add(sp_cross(S.w, h.w), sp_cross(S.v, h.v)), sp_cross(S.w, h.v)};
  screw B_S = space_crossed_mul(X, revolute, S), Bt_S = space_crossed_tmul(X, revolute, S);
  return (screw){sp_scale(K(0.5), sp_add(sp_sub(H_S.w, B_S.w), Bt_S.w)),
                 sp_scale(K(0.5), sp_add(sp_sub(H_S.v, B_S.v), Bt_S.v))};
}

static inline real screw_work(screw F, screw S) { return sp_dot(F.w, S.w) + sp_dot(F.v, S.v); }

/* Adds the skew-symmetric part of coordinate k of body i, projected on the screws of its body and of its ancestors. */
static inline void add_skew(const JN_S(tree) * tree, const christoffel_scratch *r, int i, int k, real *C) {
  const JN_S(body) *body = &tree->body[i];
  int n = tree->nv, column = body->iv + k;
  screw F = skew_part(&r->X[i], r->h[i], is_revolute(body), r->S[body->id + k]);
  for (int l = 0; l < body->nv; l++) C[(body->iv + l) * n + column] += screw_work(F, r->S[body->id + l]);

  /* The ancestors, and the opposite entries. */
  for (int j = i; tree->body[j].parent >= 0;) {
    F = wrench_shift(F, r->B[j].at.d);
    j = tree->body[j].parent;
    const JN_S(body) *ancestor = &tree->body[j];
    for (int l = 0; l < ancestor->nv; l++) {
      real x = screw_work(F, r->S[ancestor->id + l]);
      C[(ancestor->iv + l) * n + column] += x;
      C[column * n + ancestor->iv + l] -= x;
    }
  }
}

/* C of Christoffel symbols. */
void JN_(coriolis_matrix_christoffel)(const jn_call *call) {
  const jn_coriolis_matrix_christoffel_arguments *args = &call->coriolis_matrix_christoffel;
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch;
  angles angle = angles_at(tree, args->q, &at);
  christoffel_scratch r = christoffel_place(tree, &at);
  if (counts(call, at)) return; /* terms() counts for itself */

  /* C of coriolis.h. */
  jn_call terms_call = {
      .tree = tree, .scratch = call->scratch, .terms = {.q = args->q, .v = args->v, .C = args->C, .link = -1}};
  JN_(terms)(&terms_call);
  if (!args->v) return;

  /* Outwards: screws and twists. terms() has used the memory of the angles, so they are computed again. */
  at = call->scratch;
  angle = angles_at(tree, args->q, &at);
  JN_(bodies_outward)(tree, args->q, args->v, &angle, 1, r.B, r.S, r.V, r.Psi);

  /* B = V x* I and h = I V of each body. */
  for (int i = 0; i < tree->nb; i++) {
    r.X[i] = space_crossed_of(r.V[i], &r.B[i].I);
    r.h[i] = inertia_mul(&r.B[i].I, 0, r.V[i]);
  }

  /* Inwards: sums over subtrees. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    int p = tree->body[i].parent;
    if (p < 0) continue;
    space_crossed_add(&r.X[p], &r.X[i], r.B[i].at.d);
    r.h[p] = screw_add(r.h[p], wrench_shift(r.h[i], r.B[i].at.d));
  }

  /* The skew-symmetric part of each coordinate. */
  for (int i = 0; i < tree->nb; i++)
    for (int k = 0; k < tree->body[i].nv; k++) add_skew(tree, &r, i, k, args->C);
}
