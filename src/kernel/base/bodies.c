/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep outwards of bodies.h. */
#include "bodies.h"

#include "row.h"

/* Screws, the twist and the screws' rates of a body whose joint is no simple turn. */
static inline void joint_motions(const JN_S(tree) * t, int i, const real *q, const real *v, const solid *o, screw *S,
                                 screw *V, screw *Psi) {
  const JN_S(body) *b = &t->body[i];
  twist own[6], rate[6];
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

/* The rotation stays in registers from body to body, which saves the way through memory, a third of the time that the
 * next body has to wait. */
void JN_(bodies_outward)(const JN_S(tree) * t, const real *q, const real *v, const angles *turn, int tensors, solid *B,
                         screw *S, screw *V, screw *Psi) {
  const axes world = axes_of_world();
  space x = world.x, y = world.y, z = world.z;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    solid *o = &B[i];
    o->id = b->id;
    o->end = b->end < t->nb ? t->body[b->end].id : t->nd;
    o->turn = is_turn(b);
    o->up = b->parent < 0 ? NULL : &B[b->parent];
    if (!is_turn(b)) {
      outward_any(t, i, q, v, turn, B, S, V, Psi);
      x = o->at.x;
      y = o->at.y;
      z = o->at.z;
    } else {
      if (b->parent != i - 1) {
        const axes *P = b->parent < 0 ? &world : &B[b->parent].at;
        x = P->x;
        y = P->y;
        z = P->z;
      }
      axes at = axes_turn(b, turn->c[i], turn->s[i], x, y, z);
      x = at.x;
      y = at.y;
      z = at.z;
      o->at = at;
      o->e = sp_scale(splat(b->ratio), z);
      S[b->id] = (screw){o->e, sp_zero()};
      if (v) turn_twist(b, i, v[b->iv], o, V, Psi);
    }
    o->I.h = sp_sum(x, y, z, b->inertia + 1, 1);
    o->I.m = splat(b->inertia[0]);
    if (tensors) inertia_turn(&o->at, b->inertia, &o->I);
  }
}
