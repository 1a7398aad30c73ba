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
  const JN_S(frame) *o = &s->tree->frame[f];
  const axes world = axes_of_world(), *R = o->body < 0 ? &world : &s->B[o->body].at;
  space x = R->x, y = R->y, z = R->z, r = sp_sum(x, y, z, o->p, 1), p = o->body < 0 ? r : sp_add(s->p[o->body], r);
  if (!axes_used) return (frame_place){x, y, z, p, r};
  return (frame_place){sp_sum(x, y, z, o->R, 3), sp_sum(x, y, z, o->R + 1, 3), sp_sum(x, y, z, o->R + 2, 3), p, r};
}

/* A twist about the point p, about the world's origin. */
static inline screw about_world(screw X, space p) { return (screw){X.w, sp_add(X.v, sp_cross(p, X.w))}; }

/* A twist about the frame's origin in the world's axes, in the representation. */
static inline screw shown(int representation, const frame_place *T, screw X) {
  if (representation == IN_ALIGNED) return X;
  if (representation == IN_WORLD) return about_world(X, T->p);
  return (screw){sp_tmul(T->x, T->y, T->z, X.w), sp_tmul(T->x, T->y, T->z, X.v)};
}

/* J and dJ/dt of frame f, not in the world's frame, with twist V about its origin: with S and Psi about it too, the
 * rate of a column is Psi - [V, S] in the body's frame, and (Psi.w, Psi.v - v x S.w) aligned. */
static inline void frame_matrices(const term_sweep *s, int f, int representation, const frame_place *T, screw V,
                                  real *J, real *dJ) {
  const JN_S(tree) *tree = s->tree;
  int n = tree->nv;
  for (int k = 0; k < 6 * n && J; k++) J[k] = ZERO;
  for (int k = 0; k < 6 * n && dJ; k++) dJ[k] = ZERO;
  for (int j = tree->frame[f].body; j >= 0; j = tree->body[j].parent) {
    const JN_S(body) *body = &tree->body[j];
    space r = sp_sub(T->p, s->p[j]);
    for (int k = 0; k < body->nv; k++) {
      screw S = screw_shift(s->S[body->id + k], r);
      if (J) add_column(J, n, body->iv + k, screw_numbers(shown(representation, T, S)));
      if (!dJ || !s->v) continue;
      screw rate = screw_shift(s->Psi[body->id + k], r);
      if (representation == IN_BODY) rate.w = sp_sub(rate.w, sp_cross(V.w, S.w));
      if (representation == IN_BODY) rate.v = sp_sub(rate.v, sp_cross(V.w, S.v));
      rate.v = sp_sub(rate.v, sp_cross(V.v, S.w));
      add_column(dJ, n, body->iv + k, screw_numbers(shown(representation, T, rate)));
    }
  }
}

/* Where Jacobians and their rates of the frame at hand go, if not in the world's frame: to their places, or, in lanes,
 * into room for one from which they are sent to the caller. */
typedef struct frame_target {
  real *J, *dJ; /* [6 x nv]; NULL: not wanted */
} frame_target;

static inline frame_target frame_target_of(const term_sweep *s) {
  void *const *out = s->c->out;
  if (s->c->arg[0] == IN_WORLD) return (frame_target){NULL, NULL};
  frame_target o = {out[JN_OUT_J], out[JN_OUT_DJ]};
#if JN_MANY
  jn_direct *to = s->c->direct;
  real *room = (real *)(void *)s->x; /* large enough */
  if (!to) return o;
  if (o.J) o.J = take(&room, (size_t)(6 * s->tree->nv));
  if (o.dJ) o.dJ = take(&room, (size_t)(6 * s->tree->nv));
  to->stored |= 1u << JN_OUT_J | 1u << JN_OUT_DJ;
#endif
  return o;
}

static inline void frame_target_next(const term_sweep *s, int f, frame_target *o) {
  size_t size = 6 * (size_t)s->tree->nv;
#if JN_MANY
  if (s->c->direct) {
    if (o->J) direct_send(s->c->direct, JN_OUT_J, (size_t)f * size, o->J, size);
    if (o->dJ) direct_send(s->c->direct, JN_OUT_DJ, (size_t)f * size, o->dJ, size);
    return;
  }
#endif
  (void)f;
  if (o->J) o->J += size;
  if (o->dJ) o->dJ += size;
}

static inline void frame_terms(const term_sweep *s) {
  const JN_S(tree) *tree = s->tree;
  void *const *out = s->c->out;
  int representation = s->c->arg[0];
  real *poses = out[JN_OUT_POSES], *twists = out[JN_OUT_TWISTS], *rates = out[JN_OUT_ACCELERATIONS];
  frame_target to = frame_target_of(s);
  for (int f = 0; f < tree->nframe; f++) {
    int b = tree->frame[f].body;
    frame_place T = place_of_frame(s, f, poses || representation == IN_BODY);
    screw V = b < 0 || !s->v ? screw_zero() : screw_shift(s->V[b], T.r);
    if (poses) sp_store_pose(T.x, T.y, T.z, T.p, poses + 16 * f);
    if (twists) t_store(screw_numbers(shown(representation, &T, V)), twists + 6 * f);
    if (rates) {
      screw A = b < 0 ? screw_zero() : screw_shift(s->A[b], T.r);
      if (representation == IN_ALIGNED) A.v = sp_add(A.v, sp_cross(V.w, V.v));
      t_store(screw_numbers(shown(representation, &T, A)), rates + 6 * f);
    }
    if (!to.J && !to.dJ) continue;
    frame_matrices(s, f, representation, &T, V, to.J, to.dJ);
    frame_target_next(s, f, &to);
  }
}

/* Jacobians in the world's frame of all frames (output `out`) and of all columns, as wanted (jacobians.h), of screws or
 * their rates X [nd]; NULL: zero. */
static inline void world_jacobians(const term_sweep *s, const screw *X, int out, real *space_j) {
  const JN_S(tree) *tree = s->tree;
  twist *columns = (twist *)(void *)s->x; /* large enough */
  real *all = s->c->arg[0] == IN_WORLD ? s->c->out[out] : NULL;
  if (!all && !space_j) return;
  if (!all && !tree->coupled) { /* straight there: 2 ns a joint less */
    for (int i = 0; i < tree->nb; i++)
      for (int k = 0; k < tree->body[i].nv; k++) {
        screw S = X ? X[tree->body[i].id + k] : screw_zero();
        set_column(space_j, tree->nv, tree->body[i].iv + k, screw_numbers(about_world(S, s->p[i])));
      }
    return;
  }
  for (int i = 0; i < tree->nb; i++)
    for (int k = tree->body[i].id; k < tree->body[i].id + tree->body[i].nv; k++)
      columns[k] = X ? screw_numbers(about_world(X[k], s->p[i])) : t_zero();
#if JN_MANY
  if (all && jacobians_fit(tree, s->c->direct)) {
    jacobians_send(tree, columns, s->jacobians, s->c->direct, out);
    s->c->direct->stored |= 1u << out;
    all = NULL;
  }
#endif
  if (all) all_jacobians(tree, columns, all);
  if (space_j) space_jacobian(tree, columns, space_j);
}

#endif
