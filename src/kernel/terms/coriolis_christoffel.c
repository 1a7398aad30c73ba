/* SPDX-License-Identifier: BSD-2-Clause */
/* C by Christoffel symbols, from the C of coriolis.h, which has B_k = V x* I of each body where that of Christoffel has
 *   (B_k + B_k^T + H_k) / 2,   H_k X = X x* (I V)
 * so that C_Christoffel = C + sum_k J_k^T (H_k - B_k + B_k^T) J_k / 2. What is added is skew-symmetric: dM/dt - 2 C
 * stays so; and it is zero on v, because H V = B V = V x* I V and B^T V = 0: C v stays too.
 *
 * Why this is Christoffel's: of one body, (B + B^T + H) / 2 in the world's axes is the connection of Levi-Civita of its
 * kinetic energy on SE(3), (I ad_V X - ad_V^T I X - ad_X^T I V) / 2 in the body's; a mechanism inherits that of its
 * bodies by J^T. In rates of coordinates its entries are Christoffel symbols times v. In the quasi-velocities of
 * spherical and free joints they are those of the connection too, which have a half of the structure constants of the
 * joint's group in them beside d(C v)/dv / 2. O(n d). */
#include "../base/variant.h"
#include "coriolis.h"

typedef struct christoffel_room {
  solid *B;         /* [nb] */
  screw *V, *h;     /* [nb] twists; momenta, of bodies, then of subtrees */
  screw *S, *Psi;   /* [nd] */
  space_crossed *X; /* [nb] V x* I, likewise */
} christoffel_room;

static inline christoffel_room christoffel_place(const JN_S(tree) * t, real **at) {
  christoffel_room r = {TAKE_ALIGNED(at, t->nb, solid), TAKE_ALIGNED(at, t->nb, screw), TAKE(at, t->nb, screw),
                        TAKE(at, t->nd, screw),         TAKE(at, t->nd, screw),         TAKE(at, t->nb, space_crossed)};
  return r;
}

/* Half of H - B + B^T of what body i carries, on its screw S. */
static inline screw skew_part(const space_crossed *X, screw h, int turn, screw S) {
  screw a = {sp_add(sp_cross(S.w, h.w), sp_cross(S.v, h.v)), sp_cross(S.w, h.v)};
  screw b = space_crossed_mul(X, turn, S), c = space_crossed_tmul(X, turn, S);
  return (screw){sp_scale(K(0.5), sp_add(sp_sub(a.w, b.w), c.w)), sp_scale(K(0.5), sp_add(sp_sub(a.v, b.v), c.v))};
}

static inline real screw_work(screw F, screw S) { return sp_dot(F.w, S.w) + sp_dot(F.v, S.v); }

/* Coordinate k of body i against the other coordinates of its body and those of its ancestors. */
static inline void add_skew(const JN_S(tree) * t, const christoffel_room *r, int i, int k, real *C) {
  const JN_S(body) *b = &t->body[i];
  int n = t->nv, column = b->iv + k;
  screw F = skew_part(&r->X[i], r->h[i], is_revolute(b), r->S[b->id + k]);
  for (int l = 0; l < b->nv; l++) C[(b->iv + l) * n + column] += screw_work(F, r->S[b->id + l]);
  for (int j = i; t->body[j].parent >= 0;) {
    F = wrench_shift(F, r->B[j].at.d);
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    for (int l = 0; l < c->nv; l++) {
      real x = screw_work(F, r->S[c->id + l]);
      C[(c->iv + l) * n + column] += x;
      C[column * n + c->iv + l] -= x;
    }
  }
}

/* in: q, v (NULL: zero). out: C [nv x nv]. */
void JN_(coriolis_matrix_christoffel)(const jn_call *c) {
  const jn_coriolis_matrix_christoffel_arguments *args = &c->coriolis_matrix_christoffel;
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  angles turn = angles_at(t, args->q, &at);
  christoffel_room r = christoffel_place(t, &at);
  if (counts(c, at)) return; /* terms() counts for itself */
  jn_call call = {.tree = t, .scratch = c->scratch, .terms = {.q = args->q, .v = args->v, .C = args->C, .link = -1}};
  JN_(terms)(&call);
  if (!args->v) return;
  at = c->scratch;
  turn = angles_at(t, args->q, &at); /* terms() has used the memory */
  JN_(bodies_outward)(t, args->q, args->v, &turn, 1, r.B, r.S, r.V, r.Psi);
  for (int i = 0; i < t->nb; i++) {
    r.X[i] = space_crossed_of(r.V[i], &r.B[i].I);
    r.h[i] = inertia_mul(&r.B[i].I, 0, r.V[i]);
  }
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    if (p < 0) continue;
    space_crossed_add(&r.X[p], &r.X[i], r.B[i].at.d);
    r.h[p] = screw_add(r.h[p], wrench_shift(r.h[i], r.B[i].at.d));
  }
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) add_skew(t, &r, i, k, args->C);
}
