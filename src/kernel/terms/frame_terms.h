/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the kernel `terms`, what belongs to frames: poses, twists, accelerations, Jacobians and their rates (frames.h has
 * the representations). */
#ifndef JN_KERNEL_TERMS_FRAME_TERMS_H
#define JN_KERNEL_TERMS_FRAME_TERMS_H

#include "frames.h"
#include "jacobians.h"
#include "sweep_terms.h"

/* A frame: its axes and origin, and that from its body's. */
typedef struct frame_place {
  space x, y, z, p, r;
} frame_place;

static inline frame_place place_of_frame(const term_sweep *s, int f, int axes_used) {
  const JN_S(frame) *o = &s->t->frame[f];
  const axes world = axes_of_world(), *R = o->body < 0 ? &world : &s->B[o->body].at;
  space x = R->x, y = R->y, z = R->z, r = sp_sum(x, y, z, o->p, 1), p = o->body < 0 ? r : sp_add(s->p[o->body], r);
  if (!axes_used) return (frame_place){x, y, z, p, r};
  return (frame_place){sp_sum(x, y, z, o->R, 3), sp_sum(x, y, z, o->R + 1, 3), sp_sum(x, y, z, o->R + 2, 3), p, r};
}

/* A twist about the point p, about the world's origin. */
static inline screw about_world(screw X, space p) { return (screw){X.w, sp_add(X.v, sp_cross(p, X.w))}; }

/* A twist about the frame's origin in the world's axes, in the representation. */
static inline screw shown(int in, const frame_place *T, screw X) {
  if (in == IN_ALIGNED) return X;
  if (in == IN_WORLD) return about_world(X, T->p);
  return (screw){sp_tmul(T->x, T->y, T->z, X.w), sp_tmul(T->x, T->y, T->z, X.v)};
}

/* J and dJ/dt of frame f, not in the world's frame, with twist V about its origin: with S and Psi about it too, the
 * rate of a column is Psi - [V, S] in the body's frame, and (Psi.w, Psi.v - v x S.w) aligned. */
static inline void frame_matrices(const term_sweep *s, int f, int in, const frame_place *T, screw V, real *J,
                                  real *dJ) {
  const JN_S(tree) *t = s->t;
  int n = t->nv;
  for (int k = 0; k < 6 * n && J; k++) J[k] = ZERO;
  for (int k = 0; k < 6 * n && dJ; k++) dJ[k] = ZERO;
  for (int j = t->frame[f].body; j >= 0; j = t->body[j].parent) {
    const JN_S(body) *b = &t->body[j];
    space r = sp_sub(T->p, s->p[j]);
    for (int k = 0; k < b->nv; k++) {
      screw S = screw_shift(s->S[b->id + k], r);
      if (J) add_column(J, n, b->iv + k, screw_numbers(shown(in, T, S)));
      if (!dJ || !s->v) continue;
      screw rate = screw_shift(s->Psi[b->id + k], r);
      if (in == IN_BODY) rate.w = sp_sub(rate.w, sp_cross(V.w, S.w));
      if (in == IN_BODY) rate.v = sp_sub(rate.v, sp_cross(V.w, S.v));
      rate.v = sp_sub(rate.v, sp_cross(V.v, S.w));
      add_column(dJ, n, b->iv + k, screw_numbers(shown(in, T, rate)));
    }
  }
}

/* Where Jacobians and their rates of the frame at hand go, if not in the world's frame: to their places, or, in lanes,
 * into room for one from which they are sent to the caller. */
typedef struct frame_target {
  real *J, *dJ; /* [6 x nv]; NULL: not wanted */
} frame_target;

static inline frame_target frame_target_of(const term_sweep *s) {
  const jn_terms_arguments *args = &s->c->terms;
  if (args->representation == IN_WORLD) return (frame_target){NULL, NULL};
  frame_target o = {args->jacobians, args->jacobian_rates};
#if JN_MANY
  jn_direct *to = s->c->direct;
  real *room = (real *)(void *)s->x; /* large enough */
  if (!to) return o;
  if (o.J) o.J = take(&room, (size_t)(6 * s->t->nv));
  if (o.dJ) o.dJ = take(&room, (size_t)(6 * s->t->nv));
  to->stored |= 1u << JN_OUT_terms_jacobians | 1u << JN_OUT_terms_jacobian_rates;
#endif
  return o;
}

static inline void frame_target_next(const term_sweep *s, int f, frame_target *o) {
  size_t size = 6 * (size_t)s->t->nv;
#if JN_MANY
  if (s->c->direct) {
    if (o->J) direct_send(s->c->direct, JN_OUT_terms_jacobians, (size_t)f * size, o->J, size);
    if (o->dJ) direct_send(s->c->direct, JN_OUT_terms_jacobian_rates, (size_t)f * size, o->dJ, size);
    return;
  }
#endif
  (void)f;
  if (o->J) o->J += size;
  if (o->dJ) o->dJ += size;
}

static inline void frame_terms(const term_sweep *s) {
  const JN_S(tree) *t = s->t;
  const jn_terms_arguments *args = &s->c->terms;
  int in = args->representation;
  real *poses = args->poses, *twists = args->twists, *rates = args->accelerations;
  frame_target to = frame_target_of(s);
  for (int f = 0; f < t->nframe; f++) {
    int b = t->frame[f].body;
    frame_place T = place_of_frame(s, f, poses || in == IN_BODY);
    screw V = b < 0 || !s->v ? screw_zero() : screw_shift(s->V[b], T.r);
    if (poses) sp_store_pose(T.x, T.y, T.z, T.p, poses + 16 * f);
    if (twists) t_store(screw_numbers(shown(in, &T, V)), twists + 6 * f);
    if (rates) {
      screw A = b < 0 ? screw_zero() : screw_shift(s->A[b], T.r);
      if (in == IN_ALIGNED) A.v = sp_add(A.v, sp_cross(V.w, V.v));
      t_store(screw_numbers(shown(in, &T, A)), rates + 6 * f);
    }
    if (!to.J && !to.dJ) continue;
    frame_matrices(s, f, in, &T, V, to.J, to.dJ);
    frame_target_next(s, f, &to);
  }
}

/* Jacobians in the world's frame of all frames (output `out`) and of all columns, as wanted (jacobians.h), of screws or
 * their rates X [nd]; NULL: zero. */
static inline void world_jacobians(const term_sweep *s, const screw *X, int out, real *space_j) {
  const JN_S(tree) *t = s->t;
  twist *columns = (twist *)(void *)s->x; /* large enough */
  real *all = s->c->terms.representation == IN_WORLD ? s->c->terms.outputs[out] : NULL;
  if (!all && !space_j) return;
  if (!all && !t->coupled) { /* straight there: 2 ns a joint less */
    for (int i = 0; i < t->nb; i++)
      for (int k = 0; k < t->body[i].nv; k++) {
        screw S = X ? X[t->body[i].id + k] : screw_zero();
        set_column(space_j, t->nv, t->body[i].iv + k, screw_numbers(about_world(S, s->p[i])));
      }
    return;
  }
  for (int i = 0; i < t->nb; i++)
    for (int k = t->body[i].id; k < t->body[i].id + t->body[i].nv; k++)
      columns[k] = X ? screw_numbers(about_world(X[k], s->p[i])) : t_zero();
#if JN_MANY
  if (all && jacobians_fit(t, s->c->direct)) {
    jacobians_send(t, columns, s->jacobians, s->c->direct, out);
    s->c->direct->stored |= 1u << out;
    all = NULL;
  }
#endif
  if (all) all_jacobians(t, columns, all);
  if (space_j) space_jacobian(t, columns, space_j);
}

#endif
