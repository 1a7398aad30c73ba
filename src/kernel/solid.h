/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweeps of world.h for one state with AVX2: a vector of the space lies in one register, x, y, z and zero. */
#ifndef JN_KERNEL_SOLID_H
#define JN_KERNEL_SOLID_H

#include "vec4.h"
#include "world.h"

#if JN_QUAD

typedef struct solid {
  quad x, y, z;       /* columns of the rotation */
  quad d, d_yz, d_zx; /* origin from that of the parent, and its components in turn */
  quad Jx, Jy, Jz, h; /* inertia of the subtree about the origin */
  scalar m, unused[3];
} solid;

typedef struct screw {
  quad w, v;
} screw;

/* The same twist about a point at d from the one before. */
static inline screw v4_shift(screw V, quad d) { return (screw){V.w, V.v + v4_cross(V.w, d)}; }
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
  screw X = b->parent < 0 ? (screw){q4_zero(), q4_zero()} : v4_shift(V[b->parent], o->d);
  for (int k = 0; k < b->nv; k++) X = v4_axpy(v[b->iv + k], S[b->id + k], X);
  V[i] = X;
  for (int k = 0; k < b->nv && Psi; k++) {
    screw s = S[b->id + k], r = solid_turn(o, rate[k]);
    Psi[b->id + k] = (screw){r.w + v4_cross(X.w, s.w), r.v + (v4_cross(X.v, s.w) + v4_cross(X.w, s.v))};
  }
}

/* Body i: pose, screws and, when v is given, twist V and the screws' rates Psi (world.h), which may be NULL. S.v of a
 * turn is zero. */
static inline void solid_outward(const JN_S(tree) * t, int i, const real *q, const real *v, const angles *turn,
                                 solid *B, screw *S, screw *V, screw *Psi) {
  const JN_S(body) *b = &t->body[i];
  static const solid ground = {.x = {1, 0, 0, 0}, .y = {0, 1, 0, 0}, .z = {0, 0, 1, 0}};
  const solid *P = b->parent < 0 ? &ground : &B[b->parent];
  solid *o = &B[i];
  if (is_turn(b)) {
    quad x = v4_sum(P->x, P->y, P->z, b->R, 3), y = v4_sum(P->x, P->y, P->z, b->R + 1, 3);
    scalar c = turn->c[i], s = turn->s[i];
    quad z = v4_sum(P->x, P->y, P->z, b->R + 2, 3), d = v4_sum(P->x, P->y, P->z, b->p, 1), e = z * b->ratio;
    quad d_yz = YZX(d), d_zx = ZXY(d);
    o->x = c * x + s * y;
    o->y = c * y - s * x;
    o->z = z;
    o->d = d;
    o->d_yz = d_yz;
    o->d_zx = d_zx;
    S[b->id] = (screw){e, q4_zero()};
    if (!v) return;
    screw X = {e * v[b->iv], q4_zero()};
    if (b->parent >= 0) {
      screw W = V[b->parent];
      X.w += W.w;
      X.v = W.v + (YZX(W.w) * d_zx - ZXY(W.w) * d_yz);
    }
    V[i] = X;
    if (Psi) Psi[b->id] = (screw){v4_cross(X.w, e), v4_cross(X.v, e)};
    return;
  }
  pose X = body_pose(t, b, q, turn->c[i], turn->s[i]);
  real R[9];
  m3_store_rows(X.R, R, 3);
  const real p[3] = {X.p.x, X.p.y, X.p.z};
  o->x = v4_sum(P->x, P->y, P->z, R, 3);
  o->y = v4_sum(P->x, P->y, P->z, R + 1, 3);
  o->z = v4_sum(P->x, P->y, P->z, R + 2, 3);
  o->d = v4_sum(P->x, P->y, P->z, p, 1);
  o->d_yz = YZX(o->d);
  o->d_zx = ZXY(o->d);
  solid_joint(t, i, q, v, o, S, V, Psi);
}

/* The body's own inertia in the world's axes: R J R^T. */
static inline void solid_inertia(const scalar *I, solid *o) {
  const scalar J[9] = {I[4], I[7], I[8], I[7], I[5], I[9], I[8], I[9], I[6]};
  quad x = o->x, y = o->y, z = o->z;
  quad X = v4_sum(x, y, z, J, 1), Y = v4_sum(x, y, z, J + 3, 1), Z = v4_sum(x, y, z, J + 6, 1);
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
  quad md = o->m * o->d, u = 2 * o->h + md, v = (scalar)-0.5 * u, e = (scalar)-0.5 * o->d;
  scalar s = v4_dot(o->d, u);
  to->Jx += o->Jx + s * q4(1, 0, 0, 0) + (v * LANE(o->d, 0) + e * LANE(u, 0));
  to->Jy += o->Jy + s * q4(0, 1, 0, 0) + (v * LANE(o->d, 1) + e * LANE(u, 1));
  to->Jz += o->Jz + s * q4(0, 0, 1, 0) + (v * LANE(o->d, 2) + e * LANE(u, 2));
  to->h += o->h + md;
  to->m += o->m;
}

/* In mass.c, out of line so that all kernels give the same to the bit. What solid_outward() leaves, for all bodies,
 * with first moments and (if wanted) tensors of inertia; then the inertias of subtrees, and M. */
void JN_(solids_outward)(const JN_S(tree) * t, const real *q, const real *v, const angles *turn, int tensors, solid *B,
                         screw *S, screw *V, screw *Psi);
void JN_(solids_inward)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, real *at, real *M);

#endif

#endif
