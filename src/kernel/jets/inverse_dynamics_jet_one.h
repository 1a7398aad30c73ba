/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrenches that move body i: F_k = (k+1) I V_{k+1} + sum_j V_j x* I V_{k-j} - W_k. */
#ifndef JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ONE_H
#define JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ONE_H

#include "../base/registers.h"
#include "jets.h"

#if JN_REGISTERS

/* The twist in the first two lanes, the one in the last two, and both together. */
static inline twist r4x3_velocity(r4x3 V) { return (twist){v3(V.x[0], V.y[0], V.z[0]), v3(V.x[1], V.y[1], V.z[1])}; }
static inline twist r4x3_acceleration(r4x3 V) {
  return (twist){v3(V.x[2], V.y[2], V.z[2]), v3(V.x[3], V.y[3], V.z[3])};
}
static inline r4x3 r4x3_of(twist V, twist A) {
  return (r4x3){r4_set(V.w.x, V.v.x, A.w.x, A.v.x), r4_set(V.w.y, V.v.y, A.w.y, A.v.y),
                r4_set(V.w.z, V.v.z, A.w.z, A.v.z)};
}

/* Momenta I V of the two twists: the lanes become moment, force, moment, force. */
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

/* Number of pairs that so many orders take. */
static inline int pairs_of(int orders) { return (orders + 1) / 2; }

typedef struct pair_sweep {
  const jets *J;
  r4x3 *V, *F; /* [nb][pairs_of(orders)], [nb][pairs_of(orders - 1)] */
  real *c, *s; /* [nb][orders] cosine and sine of the joints, */
  real *x;     /* and their translation */
  real *tau;   /* [orders - 1][nv] */
} pair_sweep;

/* D_k = U_{k-1}: every order moves up by one. */
FLAT void delay_by_one_order(int count, const r4x3 *U, r4x3 *D) {
  const r4 o = r4_zero();
  for (int p = 0; p < count; p++) {
    r4x3 before = p ? U[p - 1] : (r4x3){o, o, o};
    D[p] = (r4x3){LANES(before.x, U[p].x, 2, 3, 4, 5), LANES(before.y, U[p].y, 2, 3, 4, 5),
                  LANES(before.z, U[p].z, 2, 3, 4, 5)};
  }
}

/* All orders of R_z^T u (inverse) or R_z u: sum_j c_j x_{k-j} +- s_j y_{k-j}, sum_j c_j y_{k-j} -+ s_j x_{k-j}; z
 * stays. */
FLAT void rotate_z(const real *c, const real *s, int orders, int inverse, const r4x3 *U, const r4x3 *D, r4x3 *out) {
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

/* Series of cosine, sine and translation of the joint of body i (as cosine_and_sine_series() of
 * inverse_dynamics_jet_any.h). */
FLAT void joint_series(const pair_sweep *sweep, int i, int orders) {
  const jets *J = sweep->J;
  const JN_S(body) *body = &J->tree->body[i];
  int nv = J->tree->nv;
  const real *v = J->v + body->iv;
  real *c = sweep->c + i * orders, *s = sweep->s + i * orders, *x = sweep->x + i * orders;
  real ratio = body->ratio, h = body->kind == JN_BODY_PRISMATIC ? 1 : body->pitch;
  int rotates = body->kind != JN_BODY_PRISMATIC;

  /* k c_k = -sum_j j x_j s_{k-j}, k s_k = sum_j j x_j c_{k-j}, where j x_j = ratio v_{j-1}. */
  c[0] = rotates ? J->angle.c[i] : 1;
  s[0] = rotates ? J->angle.s[i] : 0;
  for (int k = 1; k < orders; k++) {
    real cosine = 0, sine = 0, f = rotates ? reciprocal(k) * ratio : 0;
    for (int j = 1; j <= k; j++) {
      cosine -= v[(j - 1) * nv] * s[k - j];
      sine += v[(j - 1) * nv] * c[k - j];
    }
    c[k] = f * cosine;
    s[k] = f * sine;
  }

  /* Translation along z: pitch times the position. */
  if (body->kind == JN_BODY_REVOLUTE) return;
  x[0] = h * joint_position(body, J->q);
  for (int k = 1; k < orders; k++) x[k] = reciprocal(k) * h * ratio * v[(k - 1) * nv];
}

/* Twists moved back along a translation x(t) along z: U.v -= x (z x U.w). */
FLAT void translate_twists(const real *x, int orders, r4x3 *U, r4x3 *D) {
  const r4 o = r4_zero();
  delay_by_one_order(pairs_of(orders), U, D);
  for (int p = pairs_of(orders) - 1; p >= 0; p--)
    for (int j = 0; j <= 2 * p + 1 && j < orders; j++) {
      const r4x3 *u = j % 2 ? &D[p - j / 2] : &U[p - j / 2];
      U[p].x += x[j] * LANES(o, u->y, 0, 4, 1, 6);
      U[p].y -= x[j] * LANES(o, u->x, 0, 4, 1, 6);
    }
}
/* Wrenches moved along it: G.m += x (z x G.f). */
FLAT void translate_wrenches(const real *x, int orders, r4x3 *G, r4x3 *D) {
  const r4 o = r4_zero();
  delay_by_one_order(pairs_of(orders), G, D);
  for (int p = pairs_of(orders) - 1; p >= 0; p--)
    for (int j = 0; j <= 2 * p + 1 && j < orders; j++) {
      const r4x3 *g = j % 2 ? &D[p - j / 2] : &G[p - j / 2];
      G[p].x -= x[j] * LANES(g->y, o, 1, 4, 3, 4);
      G[p].y += x[j] * LANES(g->x, o, 1, 4, 3, 4);
    }
}

/* Outwards: all orders of the twist of body i, whose joint is about z. */
FLAT void pairs_joint_outward(const pair_sweep *sweep, int i, int orders, r4x3 *U, r4x3 *D) {
  const jets *J = sweep->J;
  const JN_S(body) *body = &J->tree->body[i];
  const r4 o = r4_zero();
  const scalar *g = J->tree->gravity, ratio = body->ratio;
  int n = pairs_of(orders), nv = J->tree->nv;
  const real *v = J->v + body->iv;
  r4x3 *V = sweep->V + i * n;

  /* Series of the joint. */
  joint_series(sweep, i, orders);

  /* Ad_{B^-1} V of the parent, B the constant placement; the base accelerates by -gravity. */
  for (int p = 0; p < n; p++) {
    r4x3 X = {o, o, o};
    if (body->parent >= 0) X = sweep->V[body->parent * n + p];
    if (body->parent < 0 && p == 0) X = (r4x3){r4_set(0, 0, 0, -g[0]), r4_set(0, 0, 0, -g[1]), r4_set(0, 0, 0, -g[2])};
    r4x3 a = {LANES(o, X.x, 0, 4, 1, 6), LANES(o, X.y, 0, 4, 1, 6), LANES(o, X.z, 0, 4, 1, 6)}; /* 0, w, 0, w' */
    U[p] = r4x3_rotate_back(body->R, r4x3_sub(X, r4x3_cross(body->p, a)));
  }

  /* Ad_{J^-1}: back along the translation, then by the angle. */
  if (body->kind != JN_BODY_REVOLUTE) translate_twists(sweep->x + i * orders, orders, U, D);
  delay_by_one_order(n, U, D);
  rotate_z(sweep->c + i * orders, sweep->s + i * orders, orders, 1, U, D, V);

  /* Plus the joint's own twist (z, pitch z) * ratio * v. */
  for (int p = 0; p < n; p++) {
    scalar even = ratio * v[2 * p * nv], odd = 2 * p + 1 < orders ? ratio * v[(2 * p + 1) * nv] : 0;
    if (body->kind != JN_BODY_PRISMATIC) V[p].z += even * r4_set(1, 0, 0, 0) + odd * r4_set(0, 0, 1, 0);
    scalar h = body->kind == JN_BODY_PRISMATIC ? 1 : body->pitch;
    if (body->kind != JN_BODY_REVOLUTE) V[p].z += h * (even * r4_set(0, 1, 0, 0) + odd * r4_set(0, 0, 0, 1));
  }
}

/* out + V_j x* H: moment w x m + v x f, force w x f. f: the forces of H in the lanes of its moments; V_j is in lanes
 * `at` and `at` + 1 of its pair. */
FLAT r4x3 add_cross(r4x3 out, const r4x3 *V, int at, r4x3 H, r4x3 f) {
  const scalar *x = (const scalar *)&V->x + at, *y = (const scalar *)&V->y + at, *z = (const scalar *)&V->z + at;
  const scalar w[3] = {x[0], y[0], z[0]}, v[3] = {x[1], y[1], z[1]};
  return r4x3_add(out, r4x3_add(r4x3_cross(w, H), r4x3_cross(v, f)));
}

/* F_k = (k+1) I V_{k+1} + sum_j V_j x* I V_{k-j} - W_k */
FLAT void pairs_own_wrenches(const pair_sweep *sweep, int i, int orders, r4x3 *H, r4x3 *D) {
  const jets *J = sweep->J;
  const r4 o = r4_zero();
  const r4x3 none = {o, o, o}, *V = sweep->V + i * pairs_of(orders);
  int n = pairs_of(orders), nb = J->tree->nb;
  r4x3 *F = sweep->F + i * pairs_of(orders - 1);

  /* Momenta H = I V. */
  for (int p = 0; p < n; p++) H[p] = r4x3_momenta(J->tree->body[i].inertia, V[p]);
  delay_by_one_order(n, H, D);
  for (int p = 0; p < pairs_of(orders - 1); p++) {
    /* (k+1) H_{k+1}. */
    r4 k = (scalar)(2 * p) + r4_set(1, 1, 2, 2);
    r4x3 next = p + 1 < n ? H[p + 1] : none, sum;
    sum = (r4x3){k * LANES(H[p].x, next.x, 2, 3, 4, 5), k * LANES(H[p].y, next.y, 2, 3, 4, 5),
                 k * LANES(H[p].z, next.z, 2, 3, 4, 5)};

    /* Plus sum_j V_j x* H_{k-j}. */
    for (int j = 0; j <= 2 * p + 1 && j < orders - 1; j++) {
      r4x3 h = j % 2 ? D[p - j / 2] : H[p - j / 2];
      r4x3 f = {LANES(h.x, o, 1, 4, 3, 4), LANES(h.y, o, 1, 4, 3, 4), LANES(h.z, o, 1, 4, 3, 4)};
      sum = add_cross(sum, V + j / 2, 2 * (j % 2), h, f);
    }

    /* Minus the external wrenches. */
    if (J->W) {
      wrench a = J->W[2 * p * nb + i], c = 2 * p + 1 < orders - 1 ? J->W[(2 * p + 1) * nb + i] : w_zero();
      sum = r4x3_sub(sum, r4x3_of((twist){a.m, a.f}, (twist){c.m, c.f}));
    }
    F[p] = sum;
  }
}

/* Inwards through the joint of body i: tau_k += S^T F_k, and F_parent,k += Ad*(F_k). */
FLAT void pairs_joint_inward(const pair_sweep *sweep, int i, int orders, r4x3 *G, r4x3 *D) {
  const JN_S(tree) *tree = sweep->J->tree;
  const JN_S(body) *body = &tree->body[i];
  const r4 o = r4_zero();
  int n = pairs_of(orders - 1), rotates = body->kind != JN_BODY_PRISMATIC, translates = body->kind != JN_BODY_REVOLUTE;
  scalar h = rotates ? body->pitch : 1;
  const r4x3 *F = sweep->F + i * n;

  /* The coordinate's force: ratio (n.z + pitch f.z). */
  for (int k = 0; k < orders - 1; k++) {
    const scalar *z = (const scalar *)&F[k / 2].z + 2 * (k % 2);
    scalar force = rotates ? z[0] : 0;
    if (translates) force += h * z[1];
    sweep->tau[k * tree->nv + body->iv] += body->ratio * force;
  }
  if (body->parent < 0) return;

  /* Rotated by the angle, moved along the translation. */
  delay_by_one_order(n, F, D);
  rotate_z(sweep->c + i * orders, sweep->s + i * orders, orders - 1, 0, F, D, G);
  if (translates) translate_wrenches(sweep->x + i * orders, orders - 1, G, D);

  /* Through the constant placement, to the parent: R m + p x R f. */
  r4x3 *to = sweep->F + body->parent * n;
  for (int p = 0; p < n; p++) {
    r4x3 X = r4x3_rotate(body->R, G[p]);
    r4x3 f = {LANES(X.x, o, 1, 4, 3, 4), LANES(X.y, o, 1, 4, 3, 4), LANES(X.z, o, 1, 4, 3, 4)};
    to[p] = r4x3_add(to[p], r4x3_add(X, r4x3_cross(body->p, f)));
  }
}

#endif

#endif
