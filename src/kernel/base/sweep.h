/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sweeps over the tree share. All quantities are in the bodies' internal frames unless said otherwise.
 *   X_i   pose of body i in its parent          V_i = Ad_{X^-1} V_p + S v           (kim2012 Table 2)
 *   S     screws of all joints, [nd]            Psi = dS/dt + ad_V S, so that
 *   A_i = Ad_{X^-1} A_p + S a + Psi v           acceleration; the base has A_0 = (0, -gravity) where weight counts */
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

static inline angles angles_at(const JN_S(tree) * t, const real *q, real **at) {
  angles o = {take(at, TRIG_SIZE((size_t)t->nb)), take(at, TRIG_SIZE((size_t)t->nb))};
  if (!q) return o; /* the call only counts */
  for (int i = 0; i < t->nb; i += TILE) {
    const scalar *row = constants_at(t, i);
    tile x = constant_row(row, JN_CONSTANT_ANGLE_RATIO) * tile_positions(t, i, q) +
             constant_row(row, JN_CONSTANT_ANGLE_OFFSET);
    tile_trig(x, o.c + i, o.s + i);
  }
  return o;
}

static inline wrench w_zero(void) { return (wrench){v3_zero(), v3_zero()}; }
static inline wrench w_sub(wrench a, wrench b) { return (wrench){v3_sub(a.m, b.m), v3_sub(a.f, b.f)}; }

/* The base's acceleration that makes weight: (0, -gravity). */
static inline twist base_acceleration(const JN_S(tree) * t) {
  return (twist){v3_zero(), v3_neg(v3_constant(t->gravity))};
}

/* The joint of nearly all bodies: S = (z, 0), and [V, S] = (w x z, v x z) has four numbers. */
static inline void revolute_outward(const JN_S(body) * b, const real *v, pose X, twist *S, twist *V, twist *Psi,
                                    int i) {
  real r = splat(b->ratio);
  S[b->id] = (twist){v3(ZERO, ZERO, r), v3_zero()};
  if (!v) return;
  twist own = b->parent < 0 ? t_zero() : t_Ad_inverse(X, V[b->parent]);
  own.w.z += r * v[b->iv];
  V[i] = own;
  Psi[b->id] = (twist){v3(r * own.w.y, -r * own.w.x, ZERO), v3(r * own.v.y, -r * own.v.x, ZERO)};
}

/* One body outward: X, S and, when v is given, V and Psi. */
static inline void outward(const JN_S(tree) * t, int i, const real *q, const real *v, angles turn, pose *X, twist *S,
                           twist *V, twist *Psi) {
  const JN_S(body) *b = &t->body[i];
  X[i] = body_pose(t, b, q, turn.c[i], turn.s[i]);
  if (b->kind == JN_BODY_REVOLUTE) {
    revolute_outward(b, v, X[i], S, V, Psi, i);
    return;
  }
  joint_screws(t, b, q, v, S + b->id, v ? Psi + b->id : NULL);
  if (!v) return;
  twist own = b->parent < 0 ? t_zero() : t_Ad_inverse(X[i], V[b->parent]);
  for (int k = 0; k < b->nv; k++) own = t_axpy(v[b->iv + k], S[b->id + k], own);
  V[i] = own;
  for (int k = 0; k < b->nv; k++) Psi[b->id + k] = t_add(Psi[b->id + k], t_ad(own, S[b->id + k]));
}

/* A_i from its parent's; v or a NULL: zero. `base` is the acceleration of the world. */
static inline twist accelerate(const JN_S(tree) * t, int i, const real *v, const real *a, const pose *X, const twist *S,
                               const twist *Psi, const twist *A, twist base) {
  const JN_S(body) *b = &t->body[i];
  twist own = t_Ad_inverse(X[i], b->parent < 0 ? base : A[b->parent]);
  if (b->kind == JN_BODY_REVOLUTE) {
    const twist *P = &Psi[b->id];
    if (a) own.w.z += splat(b->ratio) * a[b->iv];
    if (!v) return own;
    own.w.x += v[b->iv] * P->w.x;
    own.w.y += v[b->iv] * P->w.y;
    own.v.x += v[b->iv] * P->v.x;
    own.v.y += v[b->iv] * P->v.y;
    return own;
  }
  for (int k = 0; k < b->nv; k++) {
    if (a) own = t_axpy(a[b->iv + k], S[b->id + k], own);
    if (v) own = t_axpy(v[b->iv + k], Psi[b->id + k], own);
  }
  return own;
}

/* I A - ad*_V I V */
static inline wrench inertial_wrench(inertia I, const twist *V, twist A) {
  wrench F = i_mul(I, A);
  return V ? w_sub(F, w_ad(*V, i_mul(I, *V))) : F;
}

/* External wrenches of the links, [nlink][6] in link frames, summed up for the bodies. */
static inline void body_wrenches(const JN_S(tree) * t, const real *wrenches, wrench *F) {
  for (int i = 0; i < t->nb; i++) F[i] = w_zero();
  for (int l = 0; l < t->nlink; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    F[f->body] = w_add(F[f->body], w_Ad_inverse(se3_constant(f->R, f->p), w_load(wrenches + 6 * l)));
  }
}

/* Armature seen by a coordinate of a body: the internal position is ratio times the coordinate. */
static inline real armature_of(const JN_S(tree) * t, const JN_S(body) * b, int k) {
  scalar ratio = b->nv == 1 ? b->ratio : 1;
  return splat(t->armature[b->id + k] * ratio * ratio);
}

/* Inertias of subtrees, each in its first body's frame. */
static inline void composite_inertias(const JN_S(tree) * t, const pose *X, inertia *Ic) {
  for (int i = 0; i < t->nb; i++) Ic[i] = i_constant(t->body[i].inertia);
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    if (p >= 0) Ic[p] = i_add(Ic[p], i_move(X[i], Ic[i]));
  }
}

#endif
