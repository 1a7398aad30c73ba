/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics to any order of time (jets.c) of one state with AVX2. Twists of two orders lie in the four lanes of
 * a register, w_2p, v_2p, w_2p+1, v_2p+1, and wrenches likewise: a convolution sum_j a_j u_{k-j} of all orders takes
 * for even j the pairs as they are, for odd j the same shifted by one order. Joints about z go this way; the others
 * through jets.h, by numbers. */
#ifndef JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ONE_H
#define JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ONE_H

#include "../base/registers.h"
#include "jets.h"

#if JN_REGISTERS

/* (w, v) and (dw, dv) of four lanes, and back. */
static inline twist r4x3_velocity(r4x3 V) { return (twist){v3(V.x[0], V.y[0], V.z[0]), v3(V.x[1], V.y[1], V.z[1])}; }
static inline twist r4x3_acceleration(r4x3 V) {
  return (twist){v3(V.x[2], V.y[2], V.z[2]), v3(V.x[3], V.y[3], V.z[3])};
}
static inline r4x3 r4x3_of(twist V, twist A) {
  return (r4x3){r4_set(V.w.x, V.v.x, A.w.x, A.v.x), r4_set(V.w.y, V.v.y, A.w.y, A.v.y),
                r4_set(V.w.z, V.v.z, A.w.z, A.v.z)};
}

/* I V and I A: momenta, lanes moment, force, moment, force. */
static inline r4x3 r4x3_momenta(const scalar *I, r4x3 V) {
  const r4 o = r4_zero(), m = r4_all(I[0]), sign = r4_set(1, -1, 1, -1);
  r4 Jxx = LANES(r4_all(I[4]), m, 0, 5, 2, 7), Jyy = LANES(r4_all(I[5]), m, 0, 5, 2, 7);
  r4 Jzz = LANES(r4_all(I[6]), m, 0, 5, 2, 7), Jxy = LANES(r4_all(I[7]), o, 0, 5, 2, 7);
  r4 Jxz = LANES(r4_all(I[8]), o, 0, 5, 2, 7), Jyz = LANES(r4_all(I[9]), o, 0, 5, 2, 7);
  r4x3 W = {sign * LANES(V.x, V.x, 1, 0, 3, 2), sign * LANES(V.y, V.y, 1, 0, 3, 2),
            sign * LANES(V.z, V.z, 1, 0, 3, 2)}; /* v, -w, dv, -dw */
  r4x3 h = r4x3_cross(I + 1, W);
  return (r4x3){Jxx * V.x + (Jxy * V.y + (Jxz * V.z + h.x)), Jxy * V.x + (Jyy * V.y + (Jyz * V.z + h.y)),
                Jxz * V.x + (Jyz * V.y + (Jzz * V.z + h.z))};
}

/* Pairs that hold so many orders. */
static inline int pairs_of(int orders) { return (orders + 1) / 2; }

typedef struct pairs {
  const jets *J;
  r4x3 *V, *F; /* [nb][pairs_of(orders)], [nb][pairs_of(orders - 1)] */
  real *c, *s; /* [nb][orders] cosine and sine of the joints, */
  real *x;     /* and their translation */
  real *tau;   /* [orders - 1][nv] */
} pairs;

/* D: U one order later. */
FLAT void pairs_shift(int count, const r4x3 *U, r4x3 *D) {
  const r4 o = r4_zero();
  for (int p = 0; p < count; p++) {
    r4x3 before = p ? U[p - 1] : (r4x3){o, o, o};
    D[p] = (r4x3){LANES(before.x, U[p].x, 2, 3, 4, 5), LANES(before.y, U[p].y, 2, 3, 4, 5),
                  LANES(before.z, U[p].z, 2, 3, 4, 5)};
  }
}

/* All orders of R_z^T u (inverse) or R_z u: sum_j c_j x_{k-j} +- s_j y_{k-j}, sum_j c_j y_{k-j} -+ s_j x_{k-j}; z
 * stays. */
FLAT void pairs_turn(const real *c, const real *s, int orders, int inverse, const r4x3 *U, const r4x3 *D, r4x3 *out) {
  scalar sign = inverse ? 1 : -1;
  for (int p = 0; p < pairs_of(orders); p++) {
    r4 x = c[0] * U[p].x + sign * s[0] * U[p].y, y = c[0] * U[p].y - sign * s[0] * U[p].x;
    for (int j = 1; j <= 2 * p + 1 && j < orders; j++) {
      const r4x3 *u = j % 2 ? &D[p - j / 2] : &U[p - j / 2];
      x += c[j] * u->x + sign * s[j] * u->y;
      y += c[j] * u->y - sign * s[j] * u->x;
    }
    out[p] = (r4x3){x, y, U[p].z};
  }
}

/* Cosine, sine and translation of the joint of body i (z_series() in inverse_dynamics_jet_any.h). */
FLAT void pairs_series(const pairs *w, int i, int orders) {
  const jets *J = w->J;
  const JN_S(body) *b = &J->t->body[i];
  int nv = J->t->nv;
  const real *v = J->v + b->iv;
  real *c = w->c + i * orders, *s = w->s + i * orders, *x = w->x + i * orders;
  real ratio = b->ratio, h = b->kind == JN_BODY_PRISMATIC ? 1 : b->pitch;
  int turns = b->kind != JN_BODY_PRISMATIC;
  c[0] = turns ? J->turn.c[i] : 1;
  s[0] = turns ? J->turn.s[i] : 0;
  for (int k = 1; k < orders; k++) {
    real cosine = 0, sine = 0, f = turns ? reciprocal(k) * ratio : 0;
    for (int j = 1; j <= k; j++) {
      cosine -= v[(j - 1) * nv] * s[k - j];
      sine += v[(j - 1) * nv] * c[k - j];
    }
    c[k] = f * cosine;
    s[k] = f * sine;
  }
  if (b->kind == JN_BODY_REVOLUTE) return;
  x[0] = h * joint_position(b, J->q);
  for (int k = 1; k < orders; k++) x[k] = reciprocal(k) * h * ratio * v[(k - 1) * nv];
}

/* Twists of body i, which moves about z, before its joint: U.v -= x(t) (z x U.w) if it slides. */
FLAT void pairs_slide_out(const real *x, int orders, r4x3 *U, r4x3 *D) {
  const r4 o = r4_zero();
  pairs_shift(pairs_of(orders), U, D);
  for (int p = pairs_of(orders) - 1; p >= 0; p--)
    for (int j = 0; j <= 2 * p + 1 && j < orders; j++) {
      const r4x3 *u = j % 2 ? &D[p - j / 2] : &U[p - j / 2];
      U[p].x += x[j] * LANES(o, u->y, 0, 4, 1, 6);
      U[p].y -= x[j] * LANES(o, u->x, 0, 4, 1, 6);
    }
}
/* And wrenches behind it: G.m += x(t) (z x G.f). */
FLAT void pairs_slide_in(const real *x, int orders, r4x3 *G, r4x3 *D) {
  const r4 o = r4_zero();
  pairs_shift(pairs_of(orders), G, D);
  for (int p = pairs_of(orders) - 1; p >= 0; p--)
    for (int j = 0; j <= 2 * p + 1 && j < orders; j++) {
      const r4x3 *g = j % 2 ? &D[p - j / 2] : &G[p - j / 2];
      G[p].x -= x[j] * LANES(g->y, o, 1, 4, 3, 4);
      G[p].y += x[j] * LANES(g->x, o, 1, 4, 3, 4);
    }
}

FLAT void pairs_outward(const pairs *w, int i, int orders, r4x3 *U, r4x3 *D) {
  const jets *J = w->J;
  const JN_S(body) *b = &J->t->body[i];
  const r4 o = r4_zero();
  const scalar *g = J->t->gravity, ratio = b->ratio;
  int n = pairs_of(orders), nv = J->t->nv;
  const real *v = J->v + b->iv;
  r4x3 *V = w->V + i * n;
  pairs_series(w, i, orders);
  for (int p = 0; p < n; p++) {
    r4x3 X = {o, o, o};
    if (b->parent >= 0) X = w->V[b->parent * n + p];
    if (b->parent < 0 && p == 0) X = (r4x3){r4_set(0, 0, 0, -g[0]), r4_set(0, 0, 0, -g[1]), r4_set(0, 0, 0, -g[2])};
    r4x3 a = {LANES(o, X.x, 0, 4, 1, 6), LANES(o, X.y, 0, 4, 1, 6), LANES(o, X.z, 0, 4, 1, 6)}; /* 0, w, 0, w' */
    U[p] = r4x3_turn_back(b->R, r4x3_sub(X, r4x3_cross(b->p, a)));
  }
  if (b->kind != JN_BODY_REVOLUTE) pairs_slide_out(w->x + i * orders, orders, U, D);
  pairs_shift(n, U, D);
  pairs_turn(w->c + i * orders, w->s + i * orders, orders, 1, U, D, V);
  for (int p = 0; p < n; p++) {
    scalar even = ratio * v[2 * p * nv], odd = 2 * p + 1 < orders ? ratio * v[(2 * p + 1) * nv] : 0;
    if (b->kind != JN_BODY_PRISMATIC) V[p].z += even * r4_set(1, 0, 0, 0) + odd * r4_set(0, 0, 1, 0);
    scalar h = b->kind == JN_BODY_PRISMATIC ? 1 : b->pitch;
    if (b->kind != JN_BODY_REVOLUTE) V[p].z += h * (even * r4_set(0, 1, 0, 0) + odd * r4_set(0, 0, 0, 1));
  }
}

/* out += V_j x* H: moment w x m + v x f, force w x f. f: forces in the lanes of moments; V_j is in lanes `at` and at +
 * 1 of its pair. */
FLAT r4x3 pairs_cross(r4x3 out, const r4x3 *V, int at, r4x3 H, r4x3 f) {
  const scalar *x = (const scalar *)&V->x + at, *y = (const scalar *)&V->y + at, *z = (const scalar *)&V->z + at;
  const scalar w[3] = {x[0], y[0], z[0]}, v[3] = {x[1], y[1], z[1]};
  return r4x3_add(out, r4x3_add(r4x3_cross(w, H), r4x3_cross(v, f)));
}

/* F_k = (k+1) I V_{k+1} + sum_j V_j x* I V_{k-j} - W_k */
FLAT void pairs_wrenches(const pairs *w, int i, int orders, r4x3 *H, r4x3 *D) {
  const jets *J = w->J;
  const r4 o = r4_zero();
  const r4x3 none = {o, o, o}, *V = w->V + i * pairs_of(orders);
  int n = pairs_of(orders), nb = J->t->nb;
  r4x3 *F = w->F + i * pairs_of(orders - 1);
  for (int p = 0; p < n; p++) H[p] = r4x3_momenta(J->t->body[i].inertia, V[p]);
  pairs_shift(n, H, D);
  for (int p = 0; p < pairs_of(orders - 1); p++) {
    r4 k = (scalar)(2 * p) + r4_set(1, 1, 2, 2);
    r4x3 next = p + 1 < n ? H[p + 1] : none, sum;
    sum = (r4x3){k * LANES(H[p].x, next.x, 2, 3, 4, 5), k * LANES(H[p].y, next.y, 2, 3, 4, 5),
                 k * LANES(H[p].z, next.z, 2, 3, 4, 5)};
    for (int j = 0; j <= 2 * p + 1 && j < orders - 1; j++) {
      r4x3 h = j % 2 ? D[p - j / 2] : H[p - j / 2];
      r4x3 f = {LANES(h.x, o, 1, 4, 3, 4), LANES(h.y, o, 1, 4, 3, 4), LANES(h.z, o, 1, 4, 3, 4)};
      sum = pairs_cross(sum, V + j / 2, 2 * (j % 2), h, f);
    }
    if (J->W) {
      wrench a = J->W[2 * p * nb + i], c = 2 * p + 1 < orders - 1 ? J->W[(2 * p + 1) * nb + i] : w_zero();
      sum = r4x3_sub(sum, r4x3_of((twist){a.m, a.f}, (twist){c.m, c.f}));
    }
    F[p] = sum;
  }
}

FLAT void pairs_inward(const pairs *w, int i, int orders, r4x3 *G, r4x3 *D) {
  const JN_S(tree) *t = w->J->t;
  const JN_S(body) *b = &t->body[i];
  const r4 o = r4_zero();
  int n = pairs_of(orders - 1), turns = b->kind != JN_BODY_PRISMATIC, slides = b->kind != JN_BODY_REVOLUTE;
  scalar h = turns ? b->pitch : 1;
  const r4x3 *F = w->F + i * n;
  for (int k = 0; k < orders - 1; k++) {
    const scalar *z = (const scalar *)&F[k / 2].z + 2 * (k % 2);
    scalar force = turns ? z[0] : 0;
    if (slides) force += h * z[1];
    w->tau[k * t->nv + b->iv] += b->ratio * force;
  }
  if (b->parent < 0) return;
  pairs_shift(n, F, D);
  pairs_turn(w->c + i * orders, w->s + i * orders, orders - 1, 0, F, D, G);
  if (slides) pairs_slide_in(w->x + i * orders, orders - 1, G, D);
  r4x3 *to = w->F + b->parent * n;
  for (int p = 0; p < n; p++) {
    r4x3 X = r4x3_turn(b->R, G[p]);
    r4x3 f = {LANES(X.x, o, 1, 4, 3, 4), LANES(X.y, o, 1, 4, 3, 4), LANES(X.z, o, 1, 4, 3, 4)};
    to[p] = r4x3_add(to[p], r4x3_add(X, r4x3_cross(b->p, f)));
  }
}

#endif

#endif
