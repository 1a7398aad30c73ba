/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of forward dynamics at one state: the linearization at the accelerations that given forces produce.
 * Symbols as in linearization.h.
 *
 *   1 outwards   the linearization at a = 0 (inverse_dynamics_derivatives_one.h); its F are the bias wrenches
 *   2 inwards    articulated bodies, u = tau - S . F of the subtree (articulated.h)
 *   3 outwards   the accelerations a
 *   4            the linearization, which is linear in a, moved to these accelerations: with the change
 *                A_i = sum of S a of the coordinates up to body i, and I summed over subtrees,
 *                  ppsi_k += [A_p, S_k],    F_i += I_i A_i + sum of R over its children,    R_i = I_i S_i a_i + the
 * same sum
 *
 *   symbol   meaning                                   frame, unit                            size
 *   A        change of the bodies' accelerations       body origin, world axes; 1/s^2, m/s^2  [nb]
 *   R        wrench of the outer accelerations         body origin, world axes; N m, N        [nb]
 *
 * Matrices from it: -M^-1 T with T = dtau/dq, dtau/dv (inverse_dynamics_matrices_one.h). */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_ONE_H
#define JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_ONE_H

#include "../forward_dynamics/articulated.h"
#include "inverse_dynamics_derivatives_one.h"

/* Poses and screws as plain numbers, for functions that take them one by one. */
typedef struct world_poses {
  mat3 *R;  /* [nb] */
  vec3 *d;  /* [nb] */
  twist *S; /* [nd] */
} world_poses;

static inline world_poses world_poses_place(const JN_S(tree) * tree, real **at) {
  world_poses x = {TAKE(at, tree->nb, mat3), TAKE(at, tree->nb, vec3), TAKE(at, tree->nd, twist)};
  return x;
}

static inline void world_poses_one(const linearization_one *lin, const world_poses *x) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = 0; i < tree->nb; i++) {
    const axes *R = &lin->motion[last_coordinate_of(tree, i)].R;
    x->R[i] = axes_rotation(R);
    x->d[i] = sp_numbers(R->d);
  }
  for (int c = 0; c < tree->nd; c++) x->S[c] = (twist){sp_numbers(lin->motion[c].S_w), sp_numbers(lin->motion[c].S_v)};
}

/* Step 4 for tile k: ppsi += [A_p, S], F = I (A_p + S a), Z = I S a; A_p of each coordinate is in dw, dv of its
 * record. */
FLAT void add_acceleration_to_tile(const linearization_one *lin, int k, int revolute, tile6 *F, tile6 *Z) {
  const coordinate_motion *motion = lin->motion + k * TILE;
  coordinate_tile *s = &lin->tiles[k];
  tile a = tile_load(lin->a + k * TILE);
  tile6 A = {tile3_gather(&motion->dw, sizeof *motion), tile3_gather(&motion->dv, sizeof *motion)};
  tile6 own = {tile3_scale(a, s->S.a), tile3_scale(a, s->S.b)};
  s->ppsi = tile6_add(s->ppsi, tile6_ad(A, s->S, revolute));
  *F = tile6_momentum(s, tile6_add(A, own), 0);
  *Z = tile6_momentum(s, own, revolute);
}

/* Step 4: the linearization at a = 0 becomes that at lin->a. A [nb] is the change of accelerations; R [nb], F and Z
 * [tiles] are scratch. */
static inline void add_accelerations_one(const linearization_one *lin, const space *d, const twist *A, wrench *R,
                                         tile6 *F, tile6 *Z) {
  const JN_S(tree) *tree = lin->tree;

  /* Accelerations before each coordinate. */
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    space w = body->parent < 0 ? sp_zero() : sp_of(A[body->parent].w),
          v = body->parent < 0 ? sp_zero() : sp_of(A[body->parent].v);
    v = sp_add(v, sp_cross(w, d[i]));
    R[i] = w_zero();
    for (int c = body->id; c < body->id + body->nv; c++) {
      lin->motion[c].dw = w;
      lin->motion[c].dv = v;
      if (is_group(body)) continue;
      w = sp_axpy(lin->a[c], lin->motion[c].S_w, w);
      v = sp_axpy(lin->a[c], lin->motion[c].S_v, v);
    }
  }

  /* ppsi, and products with inertias, tile by tile. */
  for (int k = 0; k < tiles_of(tree->nd); k++) add_acceleration_to_tile(lin, k, 0, &F[k], &Z[k]);

  /* Inwards: F += I A + R of the children, R += I S a. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    int last = last_coordinate_of(tree, i);
    coordinate_tile *s = tile_of_coordinate(lin, last);
    wrench add = lane_wrench(&F[tile_of(last)], last);
    if (is_group(body)) add = i_mul(lane_inertia(s, last), A[i]);
    wrench own = w_add(lane_wrench(&s->F, last), w_add(R[i], add));
    for (int c = body->id; c <= last; c++) {
      R[i] = w_add(R[i], lane_wrench(&Z[tile_of(c)], c));
      lane_wrench_set(&tile_of_coordinate(lin, c)->F, c, own);
    }
    if (body->parent >= 0) R[body->parent] = w_add(R[body->parent], w_shift(R[i], sp_numbers(d[i])));
  }
}

/* Inertia of one body, before sums over subtrees are made. */
FLAT space_inertia inertia_of_lane(const coordinate_tile *s, int c) {
#if JN_REGISTERS
  inertia I = lane_inertia(s, c);
  return (space_inertia){r4_set(I.J.xx, I.J.xy, I.J.xz, 0), r4_set(I.J.xy, I.J.yy, I.J.yz, 0),
                         r4_set(I.J.xz, I.J.yz, I.J.zz, 0), sp_of(I.h), I.m};
#else
  return lane_inertia(s, c);
#endif
}

typedef struct forward_scratch {
  tile6 *F, *Z;    /* [tiles] */
  body_inertia *I; /* [nb] */
  space_inertia *own;
  twist *A;
  wrench *R;
} forward_scratch;

static inline forward_scratch forward_scratch_place(const JN_S(tree) * tree, real **at) {
  int tiles = tiles_of(tree->nd);
  forward_scratch r = {TAKE_ALIGNED(at, tiles, tile6),
                       TAKE(at, tiles, tile6),
                       TAKE_ALIGNED(at, tree->nb, body_inertia),
                       TAKE_ALIGNED(at, tree->nb, space_inertia),
                       TAKE(at, tree->nb, twist),
                       TAKE(at, tree->nb, wrench)};
  return r;
}

/* The linearization at the accelerations that tau gives, a_out [nv]; `articulated` gets U, D of all coordinates;
 * pivots [nd]. */
static inline void linearize_one_forward(linearization_one *lin, const articulation *articulated, const real *tau,
                                         real *at, real *pivots, real *a_out) {
  const JN_S(tree) *tree = lin->tree;
  forward_scratch scratch = forward_scratch_place(tree, &at);
  body_inertia *I = scratch.I;
  twist *A = scratch.A;
  wrench *R = scratch.R;

  /* Poses, screws and inertias for the articulated bodies. */
  for (int i = 0; i < tree->nb; i++) {
    const axes *at_i = &lin->motion[last_coordinate_of(tree, i)].R;
    scratch.own[i] = inertia_of_lane(tile_of_coordinate(lin, last_coordinate_of(tree, i)), last_coordinate_of(tree, i));
    articulated->d[i] = at_i->d;
    R[i] = w_zero();
  }
  for (int c = 0; c < tree->nd; c++) articulated->x[c].w = lin->motion[c].S_w, articulated->x[c].v = lin->motion[c].S_v;

  for (int i = tree->nb - 1; i >= 0; i--) { /* three recursions that do not wait for each other */
    linearize_one_inward(lin, i);
    articulate(articulated, i, NULL, &scratch.own[i], I, pivots);

    /* u = tau - S . F - springs. */
    wrench own = lane_wrench(&tile_of_coordinate(lin, last_coordinate_of(tree, i))->F, last_coordinate_of(tree, i));
    for (int c = tree->body[i].id; c <= last_coordinate_of(tree, i); c++) {
      twist S = {sp_numbers(articulated->x[c].w), sp_numbers(articulated->x[c].v)};
      lin->a[c] = (tau ? tau[tree->order[c]] : ZERO) - screw_power(&tree->body[i], own, S);
    }
    for (int k = 0; k < tree->body[i].nv && tree->has_springs && carries_springs(&tree->body[i]); k++)
      lin->a[tree->body[i].id + k] -= spring_force(tree, &tree->body[i], k, lin->q);

    solve_inward(articulated, i, R, lin->a);
  }

  /* 3 outwards: accelerations. */
  for (int i = 0; i < tree->nb; i++) solve_outward(articulated, i, A, lin->a);
  for (int c = 0; c < tree->nd; c++) a_out[tree->order[c]] = lin->a[c];

  /* 4. */
  add_accelerations_one(lin, articulated->d, A, R, scratch.F, scratch.Z);
}

#endif
