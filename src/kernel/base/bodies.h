/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps over all bodies in the world's axes (world.h), written once over `space` (space.h): one register for a vector
 * with AVX2 and one state, three numbers otherwise. Inertias, the matrices V x* I, and the sweep outwards (bodies.c).
 *
 *   symbol   meaning                                                     size
 *   at       rotation x, y, z of a body and its origin d from its parent's
 *   S, Psi   joint screws and their rates, dS/dt = [V, S] + R dS_body/dt   nd x 6
 *   I        mass m, first moment h, tensor J about the body's origin     10
 *   V x* I   [A, [u] + Z; -Z, [w]] (`crossed` in world.h)                 24 */
#ifndef JN_KERNEL_BASE_BODIES_H
#define JN_KERNEL_BASE_BODIES_H

#include "space.h"

/* ---- inertias, and matrices V x* I ([A, [u] + Z; -Z, [w]], see `crossed` in world.h) ---- */

#if JN_REGISTERS

typedef struct space_inertia {
  r4 Jx, Jy, Jz, h; /* columns of the tensor, first moment */
  scalar m;
} space_inertia;

typedef struct space_crossed {
  r4 Ax, Ay, Az, Zx, Zy, Zz, u, w;
} space_crossed;

/* J of a body in the world's axes, R J R^T. I: as in the model. */
static inline void inertia_to_world(const axes *R, const scalar *I, space_inertia *o) {
  r4 x = R->x, y = R->y, z = R->z;
  r4 X = x * I[4] + (y * I[7] + z * I[8]), Y = x * I[7] + (y * I[5] + z * I[9]), Z = x * I[8] + (y * I[9] + z * I[6]);
  o->Jx = X * LANE(x, 0) + (Y * LANE(y, 0) + Z * LANE(z, 0));
  o->Jy = X * LANE(x, 1) + (Y * LANE(y, 1) + Z * LANE(z, 1));
  o->Jz = X * LANE(x, 2) + (Y * LANE(y, 2) + Z * LANE(z, 2));
}
static inline void inertia_add(space_inertia *to, const space_inertia *I) {
  to->Jx += I->Jx;
  to->Jy += I->Jy;
  to->Jz += I->Jz;
  to->h += I->h;
  to->m += I->m;
}
/* The same inertia about the point from which the present one is at d:
 * J + (d.u) E - (d u^T + u d^T)/2 with u = 2 h + m d;  h + m d. */
static inline space_inertia inertia_shift(space_inertia I, r4 d) {
  r4 md = I.m * d, u = 2 * I.h + md, v = (scalar)-0.5 * u, e = (scalar)-0.5 * d, p = d * u;
  r4 s = p + (YZX(p) + ZXY(p));
  I.Jx += s * r4_set(1, 0, 0, 0) + (v * LANE(d, 0) + e * LANE(u, 0));
  I.Jy += s * r4_set(0, 1, 0, 0) + (v * LANE(d, 1) + e * LANE(u, 1));
  I.Jz += s * r4_set(0, 0, 1, 0) + (v * LANE(d, 2) + e * LANE(u, 2));
  I.h += md;
  return I;
}
/* I S. revolute: S has no linear part. */
static inline screw inertia_mul(const space_inertia *I, int revolute, screw S) {
  if (revolute) return (screw){v4_mul(I->Jx, I->Jy, I->Jz, S.w), v4_cross(S.w, I->h)};
  return (screw){v4_mul(I->Jx, I->Jy, I->Jz, S.w) + v4_cross(I->h, S.v), I->m * S.v - v4_cross(I->h, S.w)};
}

/* V x* I of one body. */
static inline space_crossed space_crossed_of(screw V, const space_inertia *I) {
  r4 h = I->h, vh = r4_all(v4_dot(V.v, h)), wh = r4_all(v4_dot(V.w, h));
  const r4 ex = r4_set(1, 0, 0, 0), ey = r4_set(0, 1, 0, 0), ez = r4_set(0, 0, 1, 0);
  return (space_crossed){v4_cross(V.w, I->Jx) + (vh * ex - h * LANE(V.v, 0)),
                         v4_cross(V.w, I->Jy) + (vh * ey - h * LANE(V.v, 1)),
                         v4_cross(V.w, I->Jz) + (vh * ez - h * LANE(V.v, 2)),
                         h * LANE(V.w, 0) - wh * ex,
                         h * LANE(V.w, 1) - wh * ey,
                         h * LANE(V.w, 2) - wh * ez,
                         I->m * V.v,
                         I->m * V.w};
}
/* to += X, moved to the point from which its own is at d:
 * A - [d]Z - ([u'] + Z')[d],  Z' = Z + [w][d],  u' = u + d x w. */
static inline void space_crossed_add(space_crossed *to, const space_crossed *X, r4 d) {
  r4 d_yz = YZX(d), d_zx = ZXY(d), u = X->u + (d_yz * ZXY(X->w) - d_zx * YZX(X->w));
  r4 ud = r4_all(v4_dot(u, d)), wd = r4_all(v4_dot(X->w, d)), dx = LANE(d, 0), dy = LANE(d, 1), dz = LANE(d, 2);
  const r4 ex = r4_set(1, 0, 0, 0), ey = r4_set(0, 1, 0, 0), ez = r4_set(0, 0, 1, 0);
  r4 Zx = X->Zx + (d * LANE(X->w, 0) - wd * ex), Zy = X->Zy + (d * LANE(X->w, 1) - wd * ey);
  r4 Zz = X->Zz + (d * LANE(X->w, 2) - wd * ez);
  r4 cx = d_yz * ZXY(X->Zx) - d_zx * YZX(X->Zx), cy = d_yz * ZXY(X->Zy) - d_zx * YZX(X->Zy);
  r4 cz = d_yz * ZXY(X->Zz) - d_zx * YZX(X->Zz);
  to->Ax += X->Ax - cx + (ud * ex - d * LANE(u, 0)) + (Zz * dy - Zy * dz);
  to->Ay += X->Ay - cy + (ud * ey - d * LANE(u, 1)) + (Zx * dz - Zz * dx);
  to->Az += X->Az - cz + (ud * ez - d * LANE(u, 2)) + (Zy * dx - Zx * dy);
  to->Zx += Zx;
  to->Zy += Zy;
  to->Zz += Zz;
  to->u += u;
  to->w += X->w;
}
/* (V x* I) S and (V x* I)^T S. */
static inline screw space_crossed_mul(const space_crossed *X, int revolute, screw S) {
  screw F = {v4_mul(X->Ax, X->Ay, X->Az, S.w), -v4_mul(X->Zx, X->Zy, X->Zz, S.w)};
  if (revolute) return F;
  return (screw){F.w + (v4_cross(X->u, S.v) + v4_mul(X->Zx, X->Zy, X->Zz, S.v)), F.v + v4_cross(X->w, S.v)};
}
static inline screw space_crossed_tmul(const space_crossed *X, int revolute, screw S) {
  screw F = {v4_tmul(X->Ax, X->Ay, X->Az, S.w), v4_tmul(X->Zx, X->Zy, X->Zz, S.w) - v4_cross(X->u, S.w)};
  if (revolute) return F;
  return (screw){F.w - v4_tmul(X->Zx, X->Zy, X->Zz, S.v), F.v - v4_cross(X->w, S.v)};
}

#else

typedef inertia space_inertia;
typedef crossed space_crossed;

static inline void inertia_to_world(const axes *R, const scalar *I, space_inertia *o) {
  o->J = s3_to_world(axes_rotation(R), i_constant(I).J);
}
static inline void inertia_add(space_inertia *to, const space_inertia *I) { *to = i_add(*to, *I); }
FLAT space_inertia inertia_shift(space_inertia I, space d) { return i_shift(I, d); }
static inline screw inertia_mul(const space_inertia *I, int revolute, screw S) {
  if (revolute) return (screw){s3_mul(I->J, S.w), cross(S.w, I->h)};
  wrench F = i_mul(*I, S);
  return (screw){F.m, F.f};
}
static inline space_crossed space_crossed_of(screw V, const space_inertia *I) { return crossed_of(V, *I); }
static inline void space_crossed_add(space_crossed *to, const space_crossed *X, space d) { crossed_add(to, X, d); }
static inline screw space_crossed_mul(const space_crossed *X, int revolute, screw S) {
  wrench F = crossed_mul(X, revolute, S);
  return (screw){F.m, F.f};
}
static inline screw space_crossed_tmul(const space_crossed *X, int revolute, screw S) {
  wrench F = crossed_tmul(X, revolute, S);
  return (screw){F.m, F.f};
}

#endif

/* ---- bodies ---- */

typedef struct solid {
  axes at;
  space e;                        /* the axis of a joint that has one alone, times the ratio */
  space_inertia I;                /* of the body, then of the subtree, about the origin */
  int32_t id, stop, axis, parent; /* as in the model */
  const struct solid *up;         /* parent, or NULL */
} solid;

/* In bodies.c, out of line so that all kernels get the same to the bit: poses and inertias B and screws S of all
 * bodies; with v also twists V and, unless NULL, the screws' rates Psi. tensors: J is wanted, not only m and h. */
void JN_(bodies_outward)(const JN_S(tree) * tree, const real *q, const real *v, const angles *angle, int tensors,
                         solid *B, screw *S, screw *V, screw *Psi);

/* Adds the inertia of body i, complete for its subtree, to that of its parent. */
static inline void add_inertia_to_parent(const JN_S(tree) * tree, solid *B, int i) {
  int p = tree->body[i].parent;
  if (p < 0) return;
  space_inertia I = inertia_shift(B[i].I, B[i].at.d);
  inertia_add(&B[p].I, &I);
}

#endif
