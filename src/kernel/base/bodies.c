/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep outwards of bodies.h. */
#include "bodies.h"

#include "variant.h"

/* Screws, the twist and the screws' rates of a spherical or free body: turns about its axes, then shifts along them. */
static inline void group_motions(const JN_S(body) * b, int i, const real *v, const solid *o, screw *S, screw *V,
                                 screw *Psi) {
  const space axis[3] = {o->at.x, o->at.y, o->at.z};
  int free = b->kind == JN_BODY_FREE;
  S += b->id;
  for (int k = 0; k < 3; k++) {
    S[k] = (screw){axis[k], sp_zero()};
    if (free) S[3 + k] = (screw){sp_zero(), axis[k]};
  }
  if (!v) return;
  screw X = b->parent < 0 ? screw_zero() : screw_shift(V[b->parent], o->at.d);
  X.w = sp_add(X.w, sp_rotate(axis[0], axis[1], axis[2], v3_load(v + b->iv)));
  if (free) X.v = sp_add(X.v, sp_rotate(axis[0], axis[1], axis[2], v3_load(v + b->iv + 3)));
  V[i] = X;
  for (int k = 0; k < 3 && Psi; k++) {
    space rate = sp_cross(X.w, axis[k]);
    Psi[b->id + k] = (screw){rate, sp_cross(X.v, axis[k])};
    if (free) Psi[b->id + 3 + k] = (screw){sp_zero(), rate};
  }
}

/* The same of a body whose joint is no simple turn. */
static inline void joint_motions(const JN_S(tree) * t, int i, const real *q, const real *v, const solid *o, screw *S,
                                 screw *V, screw *Psi) {
  const JN_S(body) *b = &t->body[i];
  twist own[6], rate[6];
  if (is_group(b)) {
    group_motions(b, i, v, o, S, V, Psi);
    return;
  }
  joint_screws(t, b, q, v, own, v ? rate : NULL);
  for (int k = 0; k < b->nv; k++) S[b->id + k] = axes_screw(&o->at, own[k]);
  if (!v) return;
  screw X = b->parent < 0 ? screw_zero() : screw_shift(V[b->parent], o->at.d);
  for (int k = 0; k < b->nv; k++) X = screw_axpy(v[b->iv + k], S[b->id + k], X);
  V[i] = X;
  for (int k = 0; k < b->nv && Psi; k++) {
    screw s = S[b->id + k], r = axes_screw(&o->at, rate[k]);
    Psi[b->id + k] =
        (screw){sp_add(r.w, sp_cross(X.w, s.w)), sp_add(r.v, sp_add(sp_cross(X.v, s.w), sp_cross(X.w, s.v)))};
  }
}

/* Out of line, so that the loop over turns has the registers. */
static __attribute__((noinline)) void outward_any(const JN_S(tree) * t, int i, const real *q, const real *v,
                                                  const angles *turn, solid *B, screw *S, screw *V, screw *Psi) {
  int p = t->body[i].parent;
  axes world = axes_of_world();
  B[i].at = axes_outward(t, i, q, *turn, p < 0 ? &world : &B[p].at);
  joint_motions(t, i, q, v, &B[i], S, V, Psi);
}

/* The twist of a body that turns, and the rate of its screw. */
static inline void turn_twist(const JN_S(body) * b, int i, real rate, const solid *o, screw *V, screw *Psi) {
  screw X = {sp_scale(rate, o->e), sp_zero()};
  if (b->parent >= 0) {
    screw W = V[b->parent];
    X.w = sp_add(X.w, W.w);
    X.v = sp_add(W.v, sp_cross(W.w, o->at.d));
  }
  V[i] = X;
  if (Psi) Psi[b->id] = (screw){sp_cross(X.w, o->e), sp_cross(X.v, o->e)};
}

/* The screw of a body that advances along z, and perhaps turns about it, its arm, and with v its twist and the rate of
 * its screw. */
static inline void slide(const JN_S(body) * b, int i, const real *q, const real *v, solid *o, screw *S, screw *V,
                         screw *Psi) {
  int helical = b->kind == JN_BODY_HELICAL;
  real advance = helical ? splat(b->pitch) : K(1);
  screw own = {helical ? o->e : sp_zero(), sp_scale(advance, o->e)};
  o->at.d = sp_axpy(advance * joint_position(b, q), o->at.z, o->at.d);
  S[b->id] = own;
  if (!v) return;
  screw X = b->parent < 0 ? screw_zero() : screw_shift(V[b->parent], o->at.d);
  X = screw_axpy(v[b->iv], own, X);
  V[i] = X;
  if (!Psi) return;
  Psi[b->id] = (screw){sp_zero(), sp_cross(X.w, own.v)};
  if (helical) Psi[b->id] = (screw){sp_cross(X.w, own.w), sp_add(sp_cross(X.v, own.w), sp_cross(X.w, own.v))};
}

/* The rotation stays in registers from body to body, which saves the way through memory, a third of the time that the
 * next body has to wait. */
void JN_(bodies_outward)(const JN_S(tree) * t, const real *q, const real *v, const angles *turn, int tensors, solid *B,
                         screw *S, screw *V, screw *Psi) {
  const axes world = axes_of_world();
  space x = world.x, y = world.y, z = world.z;
  const JN_S(body) *b = t->body;
  solid *o = B;
  for (int i = 0; i < t->nb; i++, b++, o++) {
    memcpy(&o->id, &b->id, 4 * sizeof o->id);
    o->up = b->parent < 0 ? NULL : &B[b->parent];
    if (b->kind > JN_BODY_HELICAL) {
      outward_any(t, i, q, v, turn, B, S, V, Psi);
      x = o->at.x;
      y = o->at.y;
      z = o->at.z;
    } else {
      if (b->parent != i - 1) {
        const axes *P = b->parent < 0 ? &world : &o->up->at;
        x = P->x;
        y = P->y;
        z = P->z;
      }
      axes at = axes_rotate_z(b, turn->c[i], turn->s[i], x, y, z);
      x = at.x;
      y = at.y;
      z = at.z;
      o->at = at;
      o->e = sp_scale(splat(b->ratio), z);
      if (is_revolute(b)) {
        S[b->id] = (screw){o->e, sp_zero()};
        if (v) turn_twist(b, i, v[b->iv], o, V, Psi);
      } else {
        slide(b, i, q, v, o, S, V, Psi);
      }
    }
    o->I.h = sp_sum(x, y, z, b->inertia + 1, 1);
    o->I.m = splat(b->inertia[0]);
    if (tensors) inertia_to_world(&o->at, b->inertia, &o->I);
  }
}
