/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics of one state with AVX2: angular and linear velocity and acceleration pass through the same rotation,
 * so the four vectors lie in the four lanes of a register, x, y and z in one each; the two momenta likewise, and on the
 * way back moment and force. 7 revolute joints: 318 ns, where newton_euler() in newton.c, the twin that every other row
 * uses, took 426. */
#ifndef JN_KERNEL_QUAD_H
#define JN_KERNEL_QUAD_H

#include "vec4.h"

#if JN_QUAD

/* Lanes of V: w, v, dw, dv. Lanes of F: moment, force, and two without meaning. */
/* (w, v) and (dw, dv) of quads, and back. */
static inline twist quad_velocity(quad3 V) { return (twist){v3(V.x[0], V.y[0], V.z[0]), v3(V.x[1], V.y[1], V.z[1])}; }
static inline twist quad_acceleration(quad3 V) {
  return (twist){v3(V.x[2], V.y[2], V.z[2]), v3(V.x[3], V.y[3], V.z[3])};
}
static inline quad3 quad_of(twist V, twist A) {
  return (quad3){q4(V.w.x, V.v.x, A.w.x, A.v.x), q4(V.w.y, V.v.y, A.w.y, A.v.y), q4(V.w.z, V.v.z, A.w.z, A.v.z)};
}

/* V of body i, turning about z, from that of its parent. */
static inline quad3 quad_outward(const JN_S(body) * b, real c, real s, real rate, real acceleration, quad3 V) {
  const quad o = q4_zero();
  quad3 w = {LANES(o, V.x, 0, 4, 1, 6), LANES(o, V.y, 0, 4, 1, 6), LANES(o, V.z, 0, 4, 1, 6)}; /* 0, w, 0, dw */
  V = quad_turn_back(b->R, quad_sub(V, quad_cross(b->p, w)));
  quad3 U = {c * V.x + s * V.y, c * V.y - s * V.x, V.z + (rate * q4(1, 0, 0, 0) + acceleration * q4(0, 0, 1, 0))};
  quad x = LANES(o, U.x, 0, 1, 4, 5), y = LANES(o, U.y, 0, 1, 4, 5); /* 0, 0, w, v: [V, S] = (w x z, v x z) */
  return (quad3){U.x + rate * y, U.y - rate * x, U.z};
}

/* The other joints, by numbers. */
static inline quad3 quad_outward_any(const JN_S(tree) * t, const JN_S(body) * b, const real *q, const real *v,
                                     const real *a, pose X, quad3 V) {
  twist S[6], rate[6], own = t_Ad_inverse(X, quad_velocity(V)), A = t_Ad_inverse(X, quad_acceleration(V));
  joint_screws(t, b, q, v, S, v ? rate : NULL);
  for (int k = 0; k < b->nv && v; k++) own = t_axpy(v[b->iv + k], S[k], own);
  for (int k = 0; k < b->nv; k++) {
    if (v) A = t_axpy(v[b->iv + k], t_add(rate[k], t_ad(own, S[k])), A);
    if (a) A = t_axpy(a[b->iv + k], S[k], A);
  }
  return quad_of(own, A);
}

/* I V and I A: momenta, lanes moment, force, moment, force. */
static inline quad3 quad_momenta(const scalar *I, quad3 V) {
  const quad o = q4_zero(), m = q4_all(I[0]), sign = q4(1, -1, 1, -1);
  quad Jxx = LANES(q4_all(I[4]), m, 0, 5, 2, 7), Jyy = LANES(q4_all(I[5]), m, 0, 5, 2, 7);
  quad Jzz = LANES(q4_all(I[6]), m, 0, 5, 2, 7), Jxy = LANES(q4_all(I[7]), o, 0, 5, 2, 7);
  quad Jxz = LANES(q4_all(I[8]), o, 0, 5, 2, 7), Jyz = LANES(q4_all(I[9]), o, 0, 5, 2, 7);
  quad3 W = {sign * LANES(V.x, V.x, 1, 0, 3, 2), sign * LANES(V.y, V.y, 1, 0, 3, 2),
             sign * LANES(V.z, V.z, 1, 0, 3, 2)}; /* v, -w, dv, -dw */
  quad3 h = quad_cross(I + 1, W);
  return (quad3){Jxx * V.x + (Jxy * V.y + (Jxz * V.z + h.x)), Jxy * V.x + (Jyy * V.y + (Jyz * V.z + h.y)),
                 Jxz * V.x + (Jyz * V.y + (Jzz * V.z + h.z))};
}

/* I A + V x* I V */
static inline quad3 quad_wrench(const scalar *I, quad3 V) {
  const quad o = q4_zero();
  quad3 H = quad_momenta(I, V);
  quad3 P = {LANES(V.x, o, 0, 0, 1, 4), LANES(V.y, o, 0, 0, 1, 4), LANES(V.z, o, 0, 0, 1, 4)};       /* w, w, v, 0 */
  quad3 G = {LANES(H.x, H.x, 0, 1, 1, 1), LANES(H.y, H.y, 0, 1, 1, 1), LANES(H.z, H.z, 0, 1, 1, 1)}; /* m, f, f */
  quad3 C = {P.y * G.z - P.z * G.y, P.z * G.x - P.x * G.z, P.x * G.y - P.y * G.x};
  quad3 D = quad_add(C, H);
  return (quad3){C.x + LANES(D.x, D.x, 2, 3, 2, 3), C.y + LANES(D.y, D.y, 2, 3, 2, 3),
                 C.z + LANES(D.z, D.z, 2, 3, 2, 3)};
}

/* The wrench in the parent of a body that turns about z. */
static inline quad3 quad_inward(const JN_S(body) * b, real c, real s, quad3 F) {
  const quad o = q4_zero();
  F = quad_turn(b->R, (quad3){c * F.x - s * F.y, s * F.x + c * F.y, F.z});
  quad3 f = {LANES(F.x, o, 1, 4, 4, 4), LANES(F.y, o, 1, 4, 4, 4), LANES(F.z, o, 1, 4, 4, 4)};
  return quad_add(F, quad_cross(b->p, f));
}

/* newton_euler() from q itself. */
static inline void quad_newton_euler(const JN_S(tree) * t, const real *q, const real *v, const real *a,
                                     const real *wrenches, twist base, angles turn, quad3 *V, quad3 *F, real *tau) {
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    quad3 P = b->parent < 0 ? quad_of(t_zero(), base) : V[b->parent];
    if (b->kind == JN_BODY_REVOLUTE) {
      real rate = v ? b->ratio * v[b->iv] : 0, acceleration = a ? b->ratio * a[b->iv] : 0;
      V[i] = quad_outward(b, turn.c[i], turn.s[i], rate, acceleration, P);
    } else {
      V[i] = quad_outward_any(t, b, q, v, a, body_pose(t, b, q, turn.c[i], turn.s[i]), P);
    }
    F[i] = quad_wrench(b->inertia, V[i]);
  }
  for (int l = 0; l < t->nlink && wrenches; l++) {
    int i = t->frame[l].body;
    if (i < 0) continue;
    wrench W = w_Ad_inverse(link_in_body(t, l), w_load(wrenches + 6 * l));
    F[i] = quad_sub(F[i], quad_of((twist){W.m, W.f}, t_zero()));
  }
  for (int k = 0; k < t->nv; k++) tau[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    if (b->kind == JN_BODY_REVOLUTE) {
      tau[b->iv] += b->ratio * F[i].z[0];
      if (b->parent >= 0) F[b->parent] = quad_add(F[b->parent], quad_inward(b, turn.c[i], turn.s[i], F[i]));
    } else {
      twist S[6], own = quad_velocity(F[i]);
      joint_screws(t, b, q, NULL, S, NULL);
      wrench W = {own.w, own.v};
      for (int k = 0; k < b->nv; k++) tau[b->iv + k] += power(W, S[k]);
      if (b->parent < 0) continue;
      W = w_Ad_inverse(body_pose(t, b, q, turn.c[i], turn.s[i]), W);
      F[b->parent] = quad_add(F[b->parent], quad_of((twist){W.m, W.f}, t_zero()));
    }
  }
  for (int i = 0; i < t->nb && a; i++)
    for (int k = 0; k < t->body[i].nv; k++)
      tau[t->body[i].iv + k] += armature_of(t, &t->body[i], k) * a[t->body[i].iv + k];
}

#endif

#endif
