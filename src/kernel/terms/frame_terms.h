/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the kernel `terms` that belongs to frames: poses, twists, accelerations, Jacobians and their rates of all
 * frames, in one of three representations (frames.h).
 *
 *   symbol   meaning                                                     size  frame, unit
 *   x, y, z  axes of the frame                                           3     world's axes
 *   p, r     origin of the frame in the world, and from its body's       3     world's axes, m
 *   V, A     twist and acceleration (without weight) about its origin    6     world's axes, then the representation
 *   J, dJ    Jacobian and its rate                                       6 x nv */
#ifndef JN_KERNEL_TERMS_FRAME_TERMS_H
#define JN_KERNEL_TERMS_FRAME_TERMS_H

#include "frames.h"
#include "jacobians.h"
#include "sweep_terms.h"

/* A frame: its axes x, y, z, its origin p in the world, and the origin r from that of its body. */
typedef struct frame_place {
  space x, y, z, p, r;
} frame_place;

/* Axes (if they are used) and origin of frame f. */
static inline frame_place frame_place_at(const term_sweep *s, int f, int axes_used) {
  const JN_S(frame) *o = &s->tree->frame[f];
  const axes world = axes_of_world(), *R = o->body < 0 ? &world : &s->B[o->body].at;
  space x = R->x, y = R->y, z = R->z, r = sp_sum(x, y, z, o->p, 1), p = o->body < 0 ? r : sp_add(s->p[o->body], r);
  if (!axes_used) return (frame_place){x, y, z, p, r};
  return (frame_place){sp_sum(x, y, z, o->R, 3), sp_sum(x, y, z, o->R + 1, 3), sp_sum(x, y, z, o->R + 2, 3), p, r};
}

/* A twist X about the point p, moved to the world's origin. */
static inline screw about_world(screw X, space p) { return (screw){X.w, sp_add(X.v, sp_cross(p, X.w))}; }

/* A twist X about the frame's origin, in the world's axes, turned into the representation. */
static inline screw in_representation(int representation, const frame_place *T, screw X) {
  if (representation == IN_ALIGNED) return X;
  if (representation == IN_WORLD) return about_world(X, T->p);
  return (screw){sp_tmul(T->x, T->y, T->z, X.w), sp_tmul(T->x, T->y, T->z, X.v)};
}

/* J and dJ/dt of frame f with twist V about its origin; not for the representation of the world (world_jacobians()).
 * With S and Psi about the same origin, the rate of a column is Psi - [V, S] in the body's axes, and (Psi_w, Psi_v - v
 * x S_w) aligned with the world. */
static inline void frame_matrices(const term_sweep *s, int f, int representation, const frame_place *T, screw V,
                                  real *J, real *dJ) {
  const JN_S(tree) *tree = s->tree;
  int n = tree->nv;
  for (int k = 0; k < 6 * n && J; k++) J[k] = ZERO;
  for (int k = 0; k < 6 * n && dJ; k++) dJ[k] = ZERO;

  /* The joints that move the frame, inwards. */
  for (int j = tree->frame[f].body; j >= 0; j = tree->body[j].parent) {
    const JN_S(body) *body = &tree->body[j];
    space r = sp_sub(T->p, s->p[j]);
    for (int k = 0; k < body->nv; k++) {
      screw S = screw_shift(s->S[body->id + k], r);
      if (J) add_column(J, n, body->iv + k, screw_numbers(in_representation(representation, T, S)));
      if (!dJ || !s->v) continue;
      screw rate = screw_shift(s->Psi[body->id + k], r);
      if (representation == IN_BODY) rate.w = sp_sub(rate.w, sp_cross(V.w, S.w));
      if (representation == IN_BODY) rate.v = sp_sub(rate.v, sp_cross(V.w, S.v));
      rate.v = sp_sub(rate.v, sp_cross(V.v, S.w));
      add_column(dJ, n, body->iv + k, screw_numbers(in_representation(representation, T, rate)));
    }
  }
}

/* Where J and dJ/dt of one frame are computed: in the output, or, in lanes, in scratch memory for one frame, from which
 * they are sent to the caller's memory. Not for the representation of the world. */
typedef struct frame_target {
  real *J, *dJ; /* [6 x nv]; NULL: not wanted */
} frame_target;

/* The target of the first frame. */
static inline frame_target frame_target_of(const term_sweep *s) {
  const jn_terms_arguments *args = &s->c->terms;
  if (args->representation == IN_WORLD) return (frame_target){NULL, NULL};
  frame_target o = {args->jacobians, args->jacobian_rates};
#if JN_MANY
  jn_direct *to = s->c->direct;
  real *scratch = (real *)(void *)s->x; /* large enough */
  if (!to) return o;
  if (o.J) o.J = take(&scratch, (size_t)(6 * s->tree->nv));
  if (o.dJ) o.dJ = take(&scratch, (size_t)(6 * s->tree->nv));
  to->stored |= 1u << JN_OUT_terms_jacobians | 1u << JN_OUT_terms_jacobian_rates;
#endif
  return o;
}

/* Sends the matrices of frame f, or moves on to the place of the next one. */
static inline void frame_target_next(const term_sweep *s, int f, frame_target *o) {
  size_t size = 6 * (size_t)s->tree->nv;
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

/* All outputs of all frames. */
static inline void frame_terms(const term_sweep *s) {
  const JN_S(tree) *tree = s->tree;
  const jn_terms_arguments *args = &s->c->terms;
  int representation = args->representation;
  real *poses = args->poses, *twists = args->twists, *rates = args->accelerations;
  frame_target to = frame_target_of(s);
  for (int f = 0; f < tree->nframe; f++) {
    int b = tree->frame[f].body;
    frame_place T = frame_place_at(s, f, poses || representation == IN_BODY);
    screw V = b < 0 || !s->v ? screw_zero() : screw_shift(s->V[b], T.r);

    /* Pose, twist and acceleration. Aligned with the world, the origin's acceleration has w x v besides. */
    if (poses) sp_store_pose(T.x, T.y, T.z, T.p, poses + 16 * f);
    if (twists) t_store(screw_numbers(in_representation(representation, &T, V)), twists + 6 * f);
    if (rates) {
      screw A = b < 0 ? screw_zero() : screw_shift(s->A[b], T.r);
      if (representation == IN_ALIGNED) A.v = sp_add(A.v, sp_cross(V.w, V.v));
      t_store(screw_numbers(in_representation(representation, &T, A)), rates + 6 * f);
    }

    /* Jacobian and its rate. */
    if (!to.J && !to.dJ) continue;
    frame_matrices(s, f, representation, &T, V, to.J, to.dJ);
    frame_target_next(s, f, &to);
  }
}

/* Jacobians about the world's origin, from screws or their rates X [nd] (NULL: zero): of all frames, as output `out`,
 * and the matrix of all columns, space_j; each if wanted (jacobians.h). */
static inline void world_jacobians(const term_sweep *s, const screw *X, int out, real *space_j) {
  const JN_S(tree) *tree = s->tree;
  twist *columns = (twist *)(void *)s->x; /* large enough */
  real *all = s->c->terms.representation == IN_WORLD ? s->c->terms.outputs[out] : NULL;
  if (!all && !space_j) return;
  if (!all && !tree->coupled) { /* without the detour: 2 ns a joint less */
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
