/* SPDX-License-Identifier: BSD-2-Clause */
/* The first sweep of kim2012 Table 2 in the internal frames of the bodies, and what several kernels need besides.
 *
 *   V_i = Ad_(X^-1) V_p + S v                      twist
 *   Psi = dS/dt + ad_V S, so that
 *   A_i = Ad_(X^-1) A_p + S a + Psi v              its rate; the base has A_0 = (0, -gravity) where weight counts
 *
 *   symbol  meaning                           size     frame, unit
 *   X       pose of body i in its parent p    12
 *   S, Psi  joint screws, and as above        nd x 6   the body's own
 *   V, A    twist and its rate                6        the body's own; rad/s, m/s; per s */
#ifndef JN_KERNEL_BASE_SWEEP_H
#define JN_KERNEL_BASE_SWEEP_H

#include <stddef.h>
#include <string.h>

#include "../../tree/joint.h"
#include "body_tiles.h"
#include "scratch.h"

/* Cosine and sine of the angle of every body that turns about z. */
typedef struct angles {
  real *c, *s; /* [nb] */
} angles;

/* Takes memory for the angles and, unless q is NULL (the call only counts), computes them, TILE bodies at once. */
static inline angles angles_at(const JN_S(tree) * tree, const real *q, real **at) {
  angles o = {take(at, TRIG_SIZE((size_t)tree->nb)), take(at, TRIG_SIZE((size_t)tree->nb))};
  if (!q) return o; /* the call only counts */
  for (int i = 0; i < tree->nb; i += TILE) {
    const scalar *row = constants_at(tree, i);
    tile x = constant_row(row, JN_CONSTANT_ANGLE_RATIO) * tile_positions(tree, i, q) +
             constant_row(row, JN_CONSTANT_ANGLE_OFFSET);
    tile_trig(x, o.c + i, o.s + i);
  }
  return o;
}

static inline wrench w_zero(void) { return (wrench){v3_zero(), v3_zero()}; }
static inline wrench w_sub(wrench a, wrench b) { return (wrench){v3_sub(a.m, b.m), v3_sub(a.f, b.f)}; }

/* The acceleration of the base that has the effect of weight: (0, -gravity). */
static inline twist base_acceleration(const JN_S(tree) * tree) {
  return (twist){v3_zero(), v3_neg(v3_constant(tree->gravity))};
}

/* S, V and Psi of a revolute joint, as nearly all are: S = (z, 0), and [V, S] = (w x z, v x z) has four numbers. */
static inline void revolute_outward(const JN_S(body) * body, const real *v, pose X, twist *S, twist *V, twist *Psi,
                                    int i) {
  real r = splat(body->ratio);
  S[body->id] = (twist){v3(ZERO, ZERO, r), v3_zero()};
  if (!v) return;
  twist own = body->parent < 0 ? t_zero() : t_Ad_inverse(X, V[body->parent]);
  own.w.z += r * v[body->iv];
  V[i] = own;
  Psi[body->id] = (twist){v3(r * own.w.y, -r * own.w.x, ZERO), v3(r * own.v.y, -r * own.v.x, ZERO)};
}

/* X, S and, with v, V and Psi of body i. */
static inline void outward(const JN_S(tree) * tree, int i, const real *q, const real *v, angles angle, pose *X,
                           twist *S, twist *V, twist *Psi) {
  const JN_S(body) *body = &tree->body[i];
  X[i] = body_pose(tree, body, q, angle.c[i], angle.s[i]);
  if (body->kind == JN_BODY_REVOLUTE) {
    revolute_outward(body, v, X[i], S, V, Psi, i);
    return;
  }

  /* S and dS/dt, V, and Psi = dS/dt + [V, S]. */
  joint_screws(tree, body, q, v, S + body->id, v ? Psi + body->id : NULL);
  if (!v) return;
  twist own = body->parent < 0 ? t_zero() : t_Ad_inverse(X[i], V[body->parent]);
  for (int k = 0; k < body->nv; k++) own = t_axpy(v[body->iv + k], S[body->id + k], own);
  V[i] = own;
  for (int k = 0; k < body->nv; k++) Psi[body->id + k] = t_add(Psi[body->id + k], t_ad(own, S[body->id + k]));
}

/* A of body i from its parent's. v or a NULL: zero. base: acceleration of the world. */
static inline twist accelerate(const JN_S(tree) * tree, int i, const real *v, const real *a, const pose *X,
                               const twist *S, const twist *Psi, const twist *A, twist base) {
  const JN_S(body) *body = &tree->body[i];
  twist own = t_Ad_inverse(X[i], body->parent < 0 ? base : A[body->parent]);
  if (body->kind == JN_BODY_REVOLUTE) {
    const twist *P = &Psi[body->id];
    if (a) own.w.z += splat(body->ratio) * a[body->iv];
    if (!v) return own;
    own.w.x += v[body->iv] * P->w.x;
    own.w.y += v[body->iv] * P->w.y;
    own.v.x += v[body->iv] * P->v.x;
    own.v.y += v[body->iv] * P->v.y;
    return own;
  }

  /* Any other joint: A += S a + Psi v. */
  for (int k = 0; k < body->nv; k++) {
    if (a) own = t_axpy(a[body->iv + k], S[body->id + k], own);
    if (v) own = t_axpy(v[body->iv + k], Psi[body->id + k], own);
  }
  return own;
}

/* I A - ad*_V I V: the wrench that moves a body. V NULL: zero. */
static inline wrench inertial_wrench(inertia I, const twist *V, twist A) {
  wrench F = i_mul(I, A);
  return V ? w_sub(F, w_ad(*V, i_mul(I, *V))) : F;
}

/* External wrenches on the links [nlink][6], in link frames, added up for the bodies in F [nb]. */
static inline void body_wrenches(const JN_S(tree) * tree, const real *wrenches, wrench *F) {
  for (int i = 0; i < tree->nb; i++) F[i] = w_zero();
  for (int l = 0; l < tree->nlink; l++) {
    const JN_S(frame) *frame = &tree->frame[l];
    if (frame->body < 0) continue;
    F[frame->body] = w_add(F[frame->body], w_Ad_inverse(se3_constant(frame->R, frame->p), w_load(wrenches + 6 * l)));
  }
}

/* Armature as coordinate k of a body sees it: the joint position is ratio times the coordinate. */
static inline real armature_of(const JN_S(tree) * tree, const JN_S(body) * body, int k) {
  scalar ratio = body->nv == 1 ? body->ratio : 1;
  return splat(tree->armature[body->id + k] * ratio * ratio);
}

/* Ic [nb]: inertias of subtrees, each in the frame of its first body. */
static inline void composite_inertias(const JN_S(tree) * tree, const pose *X, inertia *Ic) {
  for (int i = 0; i < tree->nb; i++) Ic[i] = i_constant(tree->body[i].inertia);
  for (int i = tree->nb - 1; i >= 0; i--) {
    int p = tree->body[i].parent;
    if (p >= 0) Ic[p] = i_add(Ic[p], i_move(X[i], Ic[i]));
  }
}

#endif
