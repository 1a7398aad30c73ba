/* SPDX-License-Identifier: BSD-2-Clause */
/* C (see terms.c) of one state with AVX2. For a coordinate the wrenches Z = I S, W = B^T S and Y = I Psi + B S of its
 * subtree go inward together, in lanes 0 to 2, and meet the ancestors' Psi, S and S: 18 instructions give the entries
 * C_ij and C_ji. C of 7 revolute joints took 860 ns by coriolis_entries() in terms.c, the twin of all other rows, and
 * takes 450. */
#ifndef JN_KERNEL_TERMS_CORIOLIS_ONE_H
#define JN_KERNEL_TERMS_CORIOLIS_ONE_H

#include "../base/world_one.h"

#if JN_REGISTERS

/* crossed (world.h) by columns. */
typedef struct crossed4 {
  r4 Ax, Ay, Az, Zx, Zy, Zz, u, w;
} crossed4;

/* Psi, S, S of a coordinate. */
typedef struct probe {
  r4x3 w, v;
} probe;

static inline crossed4 crossed4_of(screw V, const solid *o) {
  r4 h = o->h, vh = r4_all(v4_dot(V.v, h)), wh = r4_all(v4_dot(V.w, h));
  const r4 ex = r4_set(1, 0, 0, 0), ey = r4_set(0, 1, 0, 0), ez = r4_set(0, 0, 1, 0);
  return (crossed4){v4_cross(V.w, o->Jx) + (vh * ex - h * LANE(V.v, 0)),
                    v4_cross(V.w, o->Jy) + (vh * ey - h * LANE(V.v, 1)),
                    v4_cross(V.w, o->Jz) + (vh * ez - h * LANE(V.v, 2)),
                    h * LANE(V.w, 0) - wh * ex,
                    h * LANE(V.w, 1) - wh * ey,
                    h * LANE(V.w, 2) - wh * ez,
                    o->m * V.v,
                    o->m * V.w};
}

/* to += X about the point from which its own is at o->d: A - [d]Z - ([u'] + Z')[d], Z' = Z + [w][d], u' = u + d x w. */
static inline void crossed4_add(crossed4 *to, const crossed4 *X, const solid *o) {
  r4 d = o->d, d_yz = YZX(d), d_zx = ZXY(d), u = X->u + (d_yz * ZXY(X->w) - d_zx * YZX(X->w));
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

/* One component of them. */
#define PROBE(S, Psi, k) LANES(LANE(S, k), LANE(Psi, k), 4, 1, 2, 3)
static inline probe probe_of(screw S, screw Psi) {
  return (probe){{PROBE(S.w, Psi.w, 0), PROBE(S.w, Psi.w, 1), PROBE(S.w, Psi.w, 2)},
                 {PROBE(S.v, Psi.v, 0), PROBE(S.v, Psi.v, 1), PROBE(S.v, Psi.v, 2)}};
}

static inline r4x3 in_lanes(r4 a, r4 b, r4 c) {
  r4 d = r4_zero();
  r4_transpose(&a, &b, &c, &d);
  return (r4x3){a, b, c};
}

/* I S and the products of crossed (world.h) with S, all screws at once. */
static inline screw solid_momentum(const solid *o, screw S) {
  return (screw){v4_mul(o->Jx, o->Jy, o->Jz, S.w) + v4_cross(o->h, S.v), o->m * S.v - v4_cross(o->h, S.w)};
}
static inline screw crossed4_mul(const crossed4 *X, screw S) {
  return (screw){v4_mul(X->Ax, X->Ay, X->Az, S.w) + (v4_cross(X->u, S.v) + v4_mul(X->Zx, X->Zy, X->Zz, S.v)),
                 v4_cross(X->w, S.v) - v4_mul(X->Zx, X->Zy, X->Zz, S.w)};
}
static inline screw crossed4_tmul(const crossed4 *X, screw S) {
  return (screw){v4_tmul(X->Ax, X->Ay, X->Az, S.w) - v4_tmul(X->Zx, X->Zy, X->Zz, S.v),
                 v4_tmul(X->Zx, X->Zy, X->Zz, S.w) - (v4_cross(X->u, S.w) + v4_cross(X->w, S.v))};
}

/* Z, W and Y for screw S of a body with inertia o and crossed X, of its subtree. */
typedef struct coriolis_wrenches {
  screw Z, W, Y;
} coriolis_wrenches;
static inline coriolis_wrenches subtree_wrenches(const solid *o, const crossed4 *X, int turn, screw S, screw Psi) {
  screw Z, W, Y, I = solid_momentum(o, Psi);
  if (turn) { /* S.v is zero */
    Z = (screw){v4_mul(o->Jx, o->Jy, o->Jz, S.w), v4_cross(S.w, o->h)};
    W = (screw){v4_tmul(X->Ax, X->Ay, X->Az, S.w), v4_tmul(X->Zx, X->Zy, X->Zz, S.w) - v4_cross(X->u, S.w)};
    Y = (screw){v4_mul(X->Ax, X->Ay, X->Az, S.w), -v4_mul(X->Zx, X->Zy, X->Zz, S.w)};
  } else {
    Z = solid_momentum(o, S);
    W = crossed4_tmul(X, S);
    Y = crossed4_mul(X, S);
  }
  return (coriolis_wrenches){Z, W, {I.w + Y.w, I.v + Y.v}};
}

static inline r4 lanes_power(r4x3 m, r4x3 f, const probe *p) {
  return m.x * p->w.x + (m.y * p->w.y + m.z * p->w.z) + (f.x * p->v.x + (f.y * p->v.y + f.z * p->v.z));
}

/* Row and column of C of coordinate k of body i, against its own body and the ancestors. */
static inline void coriolis_entries_one(const JN_S(tree) * t, const solid *B, const screw *S, const screw *Psi,
                                        const crossed4 *X, const probe *P, int i, int k, real *C) {
  const JN_S(body) *b = &t->body[i];
  int n = t->nv, row = b->iv + k;
  coriolis_wrenches x = subtree_wrenches(&B[i], &X[i], is_turn(b), S[b->id + k], Psi[b->id + k]);
  r4x3 m = in_lanes(x.Z.w, x.W.w, x.Y.w), f = in_lanes(x.Z.v, x.W.v, x.Y.v);
  for (int l = 0; l < b->nv; l++) {
    r4 r = lanes_power(m, f, &P[b->id + l]);
    C[row * n + b->iv + l] += r[0] + r[1];
  }
  for (int j = i; t->body[j].parent >= 0;) {
    m = r4x3_add(m, r4x3_cross((const scalar *)&B[j].d, f));
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    for (int l = 0; l < c->nv; l++) {
      r4 r = lanes_power(m, f, &P[c->id + l]);
      int column = c->iv + l;
      C[row * n + column] += r[0] + r[1];
      C[column * n + row] += r[2];
    }
  }
}

#endif

#endif
