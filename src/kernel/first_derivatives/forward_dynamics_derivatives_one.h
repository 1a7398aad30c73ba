/* SPDX-License-Identifier: BSD-2-Clause */
/* The linearization in tiles (inverse_dynamics_derivatives_one.h) at the accelerations that given forces make: one
 * sweep without accelerations gives the bias, articulated bodies solve for them, and the linearization, which is linear
 * in them, is moved on. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_ONE_H
#define JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_ONE_H

#include "../forward_dynamics/articulated.h"
#include "inverse_dynamics_derivatives_one.h"

/* Poses and screws as numbers, for those who take them one by one. */
typedef struct world_poses {
  mat3 *R;  /* [nb] */
  vec3 *d;  /* [nb] */
  twist *S; /* [nd] */
} world_poses;

static inline world_poses poses_place(const JN_S(tree) * t, real **at) {
  world_poses x = {TAKE(at, t->nb, mat3), TAKE(at, t->nb, vec3), TAKE(at, t->nd, twist)};
  return x;
}

static inline void one_poses(const linearization_one *o, const world_poses *x) {
  const JN_S(tree) *t = o->t;
  for (int i = 0; i < t->nb; i++) {
    const axes *R = &o->at[last_of(t, i)].R;
    x->R[i] = axes_rotation(R);
    x->d[i] = sp_numbers(R->d);
  }
  for (int c = 0; c < t->nd; c++) x->S[c] = (twist){sp_numbers(o->at[c].sw), sp_numbers(o->at[c].sv)};
}

/* What a tile has to add for accelerations o->a that bodies before their coordinates have in their records, dw, dv. */
FLAT void coordinates_accelerate(const linearization_one *o, int k, int turn, tile6 *F, tile6 *Z) {
  const coordinate_motion *m = o->at + k * TILE;
  coordinates *s = &o->s[k];
  tile a = tile_load(o->a + k * TILE);
  tile6 A = {tile3_gather(&m->dw, sizeof *m), tile3_gather(&m->dv, sizeof *m)};
  tile6 own = {tile3_scale(a, s->S.a), tile3_scale(a, s->S.b)};
  s->ppsi = tile6_add(s->ppsi, tile6_ad(A, s->S, turn));
  *F = tile6_momentum(s, tile6_add(A, own), 0);
  *Z = tile6_momentum(s, own, turn);
}

/* The linearization of a = 0 becomes that of o->a: accelerations change by A = sum S a [nb], and with sums over
 * subtrees in I ppsi_k += [A_p, S_k],   F_i += I_i A_i + sum of R of its children,   R_i = I_i S a + these. R [nb]; F,
 * Z [tiles] are scratch. */
static inline void one_accelerate(const linearization_one *o, const space *d, const twist *A, wrench *R, tile6 *F,
                                  tile6 *Z) {
  const JN_S(tree) *t = o->t;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    space w = b->parent < 0 ? sp_zero() : sp_of(A[b->parent].w), v = b->parent < 0 ? sp_zero() : sp_of(A[b->parent].v);
    v = sp_add(v, sp_cross(w, d[i]));
    R[i] = w_zero();
    for (int c = b->id; c < b->id + b->nv; c++) {
      o->at[c].dw = w;
      o->at[c].dv = v;
      if (is_group(b)) continue;
      w = sp_axpy(o->a[c], o->at[c].sw, w);
      v = sp_axpy(o->a[c], o->at[c].sv, v);
    }
  }
  for (int k = 0; k < tiles_of(t->nd); k++) coordinates_accelerate(o, k, 0, &F[k], &Z[k]);
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    int last = last_of(t, i);
    coordinates *s = coordinates_of(o, last);
    wrench add = lane_wrench(&F[tile_of(last)], last);
    if (is_group(b)) add = i_mul(lane_inertia(s, last), A[i]);
    wrench own = w_add(lane_wrench(&s->F, last), w_add(R[i], add));
    for (int c = b->id; c <= last; c++) {
      R[i] = w_add(R[i], lane_wrench(&Z[tile_of(c)], c));
      lane_wrench_set(&coordinates_of(o, c)->F, c, own);
    }
    if (b->parent >= 0) R[b->parent] = w_add(R[b->parent], w_shift(R[i], sp_numbers(d[i])));
  }
}

/* The inertia of a body, before it is summed up. */
FLAT space_inertia lane_own(const coordinates *s, int c) {
#if JN_REGISTERS
  inertia I = lane_inertia(s, c);
  return (space_inertia){r4_set(I.J.xx, I.J.xy, I.J.xz, 0), r4_set(I.J.xy, I.J.yy, I.J.yz, 0),
                         r4_set(I.J.xz, I.J.yz, I.J.zz, 0), sp_of(I.h), I.m};
#else
  return lane_inertia(s, c);
#endif
}

typedef struct forward_room {
  tile6 *F, *Z;    /* [tiles] */
  body_inertia *I; /* [nb] */
  space_inertia *own;
  twist *A;
  wrench *R;
} forward_room;

static inline forward_room forward_room_place(const JN_S(tree) * t, real **at) {
  int tiles = tiles_of(t->nd);
  forward_room r = {
      TAKE_ALIGNED(at, tiles, tile6),         TAKE(at, tiles, tile6), TAKE_ALIGNED(at, t->nb, body_inertia),
      TAKE_ALIGNED(at, t->nb, space_inertia), TAKE(at, t->nb, twist), TAKE(at, t->nb, wrench)};
  return r;
}

/* The linearization at the accelerations that tau gives, a_out [nv]; o gets its units, pivots [nd]. */
static inline void one_forward(linearization_one *w, const articulation *o, const real *tau, real *at, real *pivots,
                               real *a_out) {
  const JN_S(tree) *t = w->t;
  forward_room r = forward_room_place(t, &at);
  body_inertia *I = r.I;
  twist *A = r.A;
  wrench *R = r.R;
  for (int i = 0; i < t->nb; i++) {
    const axes *at_i = &w->at[last_of(t, i)].R;
    r.own[i] = lane_own(coordinates_of(w, last_of(t, i)), last_of(t, i));
    o->d[i] = at_i->d;
    R[i] = w_zero();
  }
  for (int c = 0; c < t->nd; c++) o->x[c].w = w->at[c].sw, o->x[c].v = w->at[c].sv;
  for (int i = t->nb - 1; i >= 0; i--) { /* three recursions that do not wait for each other */
    one_inward(w, i);
    articulate(o, i, NULL, &r.own[i], I, pivots);
    wrench own = lane_wrench(&coordinates_of(w, last_of(t, i))->F, last_of(t, i));
    for (int c = t->body[i].id; c <= last_of(t, i); c++) {
      twist S = {sp_numbers(o->x[c].w), sp_numbers(o->x[c].v)};
      w->a[c] = (tau ? tau[t->order[c]] : ZERO) - screw_power(&t->body[i], own, S);
    }
    for (int k = 0; k < t->body[i].nv && t->carries_springs && carries_springs(&t->body[i]); k++)
      w->a[t->body[i].id + k] -= spring_force(t, &t->body[i], k, w->q);
    solve_inward(o, i, R, w->a);
  }
  for (int i = 0; i < t->nb; i++) solve_outward(o, i, A, w->a);
  for (int c = 0; c < t->nd; c++) a_out[t->order[c]] = w->a[c];
  one_accelerate(w, o->d, A, R, r.F, r.Z);
}

#endif
