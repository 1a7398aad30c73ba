/* SPDX-License-Identifier: BSD-2-Clause */
/* M from inertias of subtrees (garofalo2013 eq. 6a), for every kernel that needs it. With AVX2 and one state a vector
 * of the space lies in one register, x, y, z and zero: a rotation of an inertia takes 18 instructions instead of 45,
 * and M of 7 revolute joints 273 ns; world_mass_matrix(), the twin of all other rows, takes 394. */
#include "mass.h"

#include "row.h"
#include "solid.h"

#if JN_QUAD

/* Row and column of M of coordinate k of body i, from the inertias of subtrees (world_mass_matrix()). */
static inline void solid_entries(const JN_S(tree) * t, const solid *B, const screw *S, int i, int k, int by_body,
                                 real *M) {
  const JN_S(body) *b = &t->body[i];
  const solid *o = &B[i];
  int n = t->nv, first = by_body ? b->id : b->iv, row = first + k;
  screw e = S[b->id + k];
  quad m = o->Jx * LANE(e.w, 0) + (o->Jy * LANE(e.w, 1) + o->Jz * LANE(e.w, 2)), f = v4_cross(e.w, o->h);
  if (is_turn(b)) {
    M[row * n + row] += v4_dot(m, e.w) + armature_of(t, b, k);
  } else {
    m += v4_cross(o->h, e.v);
    f += o->m * e.v;
    M[row * n + row] += v4_dot(m, e.w) + v4_dot(f, e.v) + armature_of(t, b, k);
  }
  for (int l = 0; l < k; l++) {
    scalar x = v4_dot(m, S[b->id + l].w) + v4_dot(f, S[b->id + l].v);
    M[row * n + first + l] += x;
    M[(first + l) * n + row] += x;
  }
  quad f_yz = YZX(f), f_zx = ZXY(f);
  for (int j = i; t->body[j].parent >= 0;) {
    m += B[j].d_yz * f_zx - B[j].d_zx * f_yz;
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    int column = by_body ? c->id : c->iv, turns = is_turn(c);
    for (int l = 0; l < c->nv; l++) {
      scalar x = v4_dot(m, S[c->id + l].w);
      if (!turns) x += v4_dot(f, S[c->id + l].v);
      M[row * n + column + l] += x;
      M[(column + l) * n + row] += x;
    }
  }
}

void JN_(solids_outward)(const JN_S(tree) * t, const real *q, const real *v, const angles *turn, int tensors, solid *B,
                         screw *S, screw *V, screw *Psi) {
  for (int i = 0; i < t->nb; i++) {
    solid_outward(t, i, q, v, turn, B, S, V, Psi);
    solid_moment(t->body[i].inertia, &B[i]);
    if (tensors) solid_inertia(t->body[i].inertia, &B[i]);
  }
}

void JN_(solids_inward)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, real *M) {
  int by_body = elimination && !t->coupled;
  for (int k = 0; k < t->nv * t->nv; k++) M[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    for (int k = 0; k < t->body[i].nv; k++) solid_entries(t, B, S, i, k, by_body, M);
    if (t->body[i].parent >= 0) solid_add(&B[t->body[i].parent], &B[i]);
  }
}

void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  solid *B = TAKE_ALIGNED(&at, t->nb, solid);
  screw *S = TAKE(&at, t->nd, screw);
  JN_(solids_outward)(t, q, NULL, turn, 1, B, S, NULL, NULL);
  JN_(solids_inward)(t, elimination, B, S, M);
}

#else

void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  world w = world_place(t, &at);
  inertia *I = TAKE(&at, t->nb, inertia);
  for (int i = 0; i < t->nb; i++) world_outward(&w, i, q, NULL, *turn);
  world_inertias(&w, I);
  world_mass_matrix(&w, I, elimination, M);
}

#endif
