/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweeps of world.h for one state with AVX2: a vector of the space lies in one register, x, y, z and zero. */
#ifndef JN_KERNEL_BASE_WORLD_ONE_H
#define JN_KERNEL_BASE_WORLD_ONE_H

#include "registers.h"
#include "world.h"

#if JN_REGISTERS

typedef struct solid {
  r4 x, y, z;       /* columns of the rotation */
  r4 d;             /* origin from that of the parent */
  r4 e;             /* the axis of a turn */
  r4 Jx, Jy, Jz, h; /* inertia of the body, then of the subtree, about the origin */
  scalar m;
  int32_t id, end, turn;  /* coordinates of the subtree: [id, end); whether the joint is a simple turn */
  const struct solid *up; /* parent, or NULL */
} solid;

typedef struct screw {
  r4 w, v;
} screw;

/* The same twist about a point at d from the one before. */
static inline screw v4_shift(screw V, r4 d) { return (screw){V.w, V.v + v4_cross(V.w, d)}; }
static inline screw v4_axpy(scalar s, screw b, screw a) { return (screw){a.w + s * b.w, a.v + s * b.v}; }

/* The twist of the body's own axes in those of the world. */
static inline screw solid_turn(const solid *o, twist V) {
  return (screw){o->x * V.w.x + (o->y * V.w.y + o->z * V.w.z), o->x * V.v.x + (o->y * V.v.y + o->z * V.v.z)};
}

/* Screws, the twist and the screws' rates of a body whose joint is no simple turn. */
static inline void solid_joint(const JN_S(tree) * t, int i, const real *q, const real *v, const solid *o, screw *S,
                               screw *V, screw *Psi) {
  const JN_S(body) *b = &t->body[i];
  twist own[6], rate[6];
  joint_screws(t, b, q, v, own, v ? rate : NULL);
  for (int k = 0; k < b->nv; k++) S[b->id + k] = solid_turn(o, own[k]);
  if (!v) return;
  screw X = b->parent < 0 ? (screw){r4_zero(), r4_zero()} : v4_shift(V[b->parent], o->d);
  for (int k = 0; k < b->nv; k++) X = v4_axpy(v[b->iv + k], S[b->id + k], X);
  V[i] = X;
  for (int k = 0; k < b->nv && Psi; k++) {
    screw s = S[b->id + k], r = solid_turn(o, rate[k]);
    Psi[b->id + k] = (screw){r.w + v4_cross(X.w, s.w), r.v + (v4_cross(X.v, s.w) + v4_cross(X.w, s.v))};
  }
}

/* The body's own inertia in the world's axes: R J R^T. */
static inline void solid_inertia(const scalar *I, solid *o) {
  r4 x = o->x, y = o->y, z = o->z;
  r4 X = x * I[4] + (y * I[7] + z * I[8]), Y = x * I[7] + (y * I[5] + z * I[9]), Z = x * I[8] + (y * I[9] + z * I[6]);
  o->Jx = X * LANE(x, 0) + (Y * LANE(y, 0) + Z * LANE(z, 0));
  o->Jy = X * LANE(x, 1) + (Y * LANE(y, 1) + Z * LANE(z, 1));
  o->Jz = X * LANE(x, 2) + (Y * LANE(y, 2) + Z * LANE(z, 2));
}
static inline void solid_moment(const scalar *I, solid *o) {
  o->h = v4_sum(o->x, o->y, o->z, I + 1, 1);
  o->m = I[0];
}

/* to += the inertia of o about to's origin: J + (d.u) E - (d u^T + u d^T)/2, u = 2 h + m d. */
static inline void solid_add(solid *to, const solid *o) {
  r4 md = o->m * o->d, u = 2 * o->h + md, v = (scalar)-0.5 * u, e = (scalar)-0.5 * o->d;
  scalar s = v4_dot(o->d, u);
  to->Jx += o->Jx + s * r4_set(1, 0, 0, 0) + (v * LANE(o->d, 0) + e * LANE(u, 0));
  to->Jy += o->Jy + s * r4_set(0, 1, 0, 0) + (v * LANE(o->d, 1) + e * LANE(u, 1));
  to->Jz += o->Jz + s * r4_set(0, 0, 1, 0) + (v * LANE(o->d, 2) + e * LANE(u, 2));
  to->h += o->h + md;
  to->m += o->m;
}

/* In crba.c, out of line so that all kernels give the same to the bit. Poses, screws and, when v is given, twists V and
 * (if wanted) the screws' rates Psi (world.h), first moments and (if wanted) tensors of inertia of all bodies; S.v of a
 * turn is zero. Then the inertias of subtrees, and M. */
void JN_(solids_outward)(const JN_S(tree) * t, const real *q, const real *v, const angles *turn, int tensors, solid *B,
                         screw *S, screw *V, screw *Psi);
void JN_(solids_inward)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, screw *Z, real *M);

#endif

#endif
