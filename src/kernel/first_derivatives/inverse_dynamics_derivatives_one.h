/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of inverse dynamics at one state, with coordinates side by side in tiles: the linearization.
 * The formulas and symbols are those of linearization.h; inverse_dynamics_matrices_one.h makes the matrices from it.
 *
 * How it is arranged. Poses, velocities and accelerations go from body to body, in one record for each coordinate
 * (space.h). What follows from them for each body or coordinate by itself (psi, ppsi, I, B, F) is computed for TILE
 * coordinates at once. Sums over subtrees go from body to body again, lane by lane. Coordinates are counted as the
 * bodies are (id). For trees without coupled coordinates, and for wrenches that are fixed to their bodies.
 *
 *   symbol       meaning                                               frame, unit              size
 *   w,v,dw,dv    velocity and acceleration before the coordinate       body origin, world axes  [tiles TILE]
 *   W,V,DW,DV    the same of the body, after its last coordinate       body origin, world axes  [tiles TILE]
 *   S_w, S_v     screw of the coordinate                               body origin, world axes  [tiles TILE]
 *   m, h, J      inertia of the body, then of its subtree              kg, kg m, kg m^2         [tiles], in the lane of
 * its Q, L, P      B of the body, then of its subtree                    linearization.h             last coordinate F
 * wrench of the body, then of its subtree               N m, N
 *
 * With AVX2, dtau of 7 joints takes 0.84 us; the linearization of linearization.h and its matrices take 1.26. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_ONE_H
#define JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_ONE_H

#include "../base/tile.h"
#include "linearization.h"

/* The motion at one coordinate. */
typedef struct coordinate_motion {
  space w, v, dw, dv; /* velocity and acceleration of the body before this coordinate moves it */
  space S_w, S_v;     /* screw */
  axes R;             /* at the last coordinate of a body: its rotation and its origin from that of its parent, */
  space W, V, DW, DV; /* and its velocity and acceleration after all coordinates */
} coordinate_motion;

/* TILE coordinates side by side. */
typedef struct coordinate_tile {
  tile6 S, psi, ppsi, Psi_plus_psi; /* both = Psi + psi */
  tile mass;                        /* I, B and F: of bodies, at their last coordinate, then of their subtrees */
  tile3 h;
  tile_sym3 J, Q;
  tile3 L, P;
  tile6 F;
} coordinate_tile;

typedef struct linearization_one {
  const JN_S(tree) * tree;
  const real *q;
  angles angle;
  const real *W;             /* [nlink][6] external wrenches or NULL */
  real *v, *a;               /* [tiles TILE] */
  int32_t *body;             /* [tiles TILE] the body whose last coordinate this is, or -1 */
  coordinate_motion *motion; /* [tiles TILE] */
  coordinate_tile *tiles;    /* [tiles] */
} linearization_one;

/* The lane of body i: its last coordinate. */
FLAT int last_coordinate_of(const JN_S(tree) * tree, int i) { return tree->body[i].id + tree->body[i].nv - 1; }

/* Takes the arrays from scratch memory, and orders v and a (NULL: zero) as the bodies are. */
static inline linearization_one linearization_one_place(const JN_S(tree) * tree, const real *q, const real *v,
                                                        const real *a, real **at) {
  linearization_one lin = {.tree = tree, .q = q};
  int count = tiles_of(tree->nd) * TILE;
  lin.angle = angles_at(tree, q, at);
  lin.v = take(at, (size_t)count);
  lin.a = take(at, (size_t)count);
  lin.body = TAKE_INTS(at, count);
  lin.motion = TAKE_ALIGNED(at, count, coordinate_motion);
  lin.tiles = TAKE_ALIGNED(at, tiles_of(tree->nd), coordinate_tile);
  if (!q) return lin; /* the call only counts */
  for (int c = tree->nd; c < count; c++) {
    lin.v[c] = lin.a[c] = ZERO;
    lin.body[c] = -1;
    memset(&lin.motion[c], 0, sizeof lin.motion[c]);
  }
  for (int c = 0; c < tree->nd; c++) {
    lin.v[c] = v ? v[tree->order[c]] : ZERO;
    lin.a[c] = a ? a[tree->order[c]] : ZERO;
  }
  return lin;
}

/* ---- one lane of a tile ---- */

FLAT coordinate_tile *tile_of_coordinate(const linearization_one *lin, int c) { return &lin->tiles[tile_of(c)]; }
FLAT twist lane_twist(const tile6 *x, int c) {
  return (twist){lane3(&x->a, lane_in_tile(c)), lane3(&x->b, lane_in_tile(c))};
}
FLAT wrench lane_wrench(const tile6 *x, int c) {
  return (wrench){lane3(&x->a, lane_in_tile(c)), lane3(&x->b, lane_in_tile(c))};
}
FLAT void lane_wrench_set(tile6 *x, int c, wrench F) {
  lane3_set(&x->a, lane_in_tile(c), F.m);
  lane3_set(&x->b, lane_in_tile(c), F.f);
}
FLAT sym3 lane_sym(const tile_sym3 *x, int c) {
  const real *at = (const real *)(const void *)x + lane_in_tile(c);
  return (sym3){at[0], at[TILE], at[2 * TILE], at[3 * TILE], at[4 * TILE], at[5 * TILE]};
}
FLAT void lane_sym_set(tile_sym3 *x, int c, sym3 A) {
  real *at = (real *)(void *)x + lane_in_tile(c);
  at[0] = A.xx;
  at[TILE] = A.yy;
  at[2 * TILE] = A.zz;
  at[3 * TILE] = A.xy;
  at[4 * TILE] = A.xz;
  at[5 * TILE] = A.yz;
}
FLAT inertia lane_inertia(const coordinate_tile *s, int c) {
  return (inertia){((const real *)(const void *)&s->mass)[lane_in_tile(c)], lane3(&s->h, lane_in_tile(c)),
                   lane_sym(&s->J, c)};
}
FLAT void lane_rates_set(coordinate_tile *s, int c, inertia_rates B) {
  lane_sym_set(&s->Q, c, B.Q);
  lane3_set(&s->L, lane_in_tile(c), B.L);
  lane3_set(&s->P, lane_in_tile(c), B.P);
}

/* ---- outwards, body by body ---- */

/* Any joint: records what is before each of its coordinates. V [4] is the motion of the body, w, v, dw, dv, before
 * the joint and then after it. */
static inline void move_any_joint(const linearization_one *lin, int i, coordinate_motion *motion, space V[4]) {
  const JN_S(body) *body = &lin->tree->body[i];
  int group = is_group(body);
  space w[6], u[6], before[4] = {V[0], V[1], V[2], V[3]};
  axes_screws(lin->tree, i, lin->q, &motion[body->nv - 1].R, w, u);

  /* Coordinate by coordinate: V += S v, A += S a + [V, S] v. Those of a group do not see each other. */
  for (int k = 0; k < body->nv; k++) {
    space S_w = w[k], S_v = u[k];
    real v = lin->v[body->id + k];
    const space *from = group ? before : V;
    motion[k].w = from[0], motion[k].v = from[1], motion[k].dw = from[2], motion[k].dv = from[3];
    motion[k].S_w = S_w, motion[k].S_v = S_v;
    lin->body[body->id + k] = k == body->nv - 1 ? i : -1;
    if (!group) {
      V[2] = sp_axpy(v, sp_cross(V[0], S_w), V[2]);
      V[3] = sp_axpy(v, sp_add(sp_cross(V[1], S_w), sp_cross(V[0], S_v)), V[3]);
    }
    V[0] = sp_axpy(v, S_w, V[0]);
    V[1] = sp_axpy(v, S_v, V[1]);
    V[2] = sp_axpy(lin->a[body->id + k], S_w, V[2]);
    V[3] = sp_axpy(lin->a[body->id + k], S_v, V[3]);
  }

  /* A group: dS/dt = [V, S] with V after all of its coordinates. */
  for (int k = 0; k < body->nv && group; k++) {
    real v = lin->v[body->id + k];
    V[2] = sp_axpy(v, sp_cross(V[0], motion[k].S_w), V[2]);
    V[3] = sp_axpy(v, sp_add(sp_cross(V[1], motion[k].S_w), sp_cross(V[0], motion[k].S_v)), V[3]);
  }
}

/* A revolute joint, whose screw is an axis alone. */
static inline void move_revolute_joint(const linearization_one *lin, int i, coordinate_motion *motion, space V[4]) {
  const JN_S(body) *body = &lin->tree->body[i];
  real v = lin->v[body->id];
  space e = sp_scale(splat(body->ratio), motion->R.z);
  motion->w = V[0], motion->v = V[1], motion->dw = V[2], motion->dv = V[3];
  motion->S_w = e, motion->S_v = sp_zero();
  lin->body[body->id] = i;
  V[2] = sp_axpy(lin->a[body->id], e, sp_axpy(v, sp_cross(V[0], e), V[2]));
  V[3] = sp_axpy(v, sp_cross(V[1], e), V[3]);
  V[0] = sp_axpy(v, e, V[0]);
}

/* Outwards: records of all coordinates. The base accelerates by -gravity. */
static inline void move_bodies(const linearization_one *lin) {
  const JN_S(tree) *tree = lin->tree;
  twist weight = base_acceleration(tree);
  coordinate_motion ground = {.R = axes_of_world()};
  ground.W = ground.V = ground.DW = sp_zero();
  ground.DV = sp_of(weight.v);
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    const coordinate_motion *before = body->parent < 0 ? &ground : &lin->motion[last_coordinate_of(tree, body->parent)];
    coordinate_motion *motion = &lin->motion[body->id], *last = &motion[body->nv - 1];

    /* Pose, and the motion of the parent about the origin of this body. */
    last->R = axes_outward(tree, i, lin->q, lin->angle, &before->R);
    space V[4] = {before->W, sp_add(before->V, sp_cross(before->W, last->R.d)), before->DW,
                  sp_add(before->DV, sp_cross(before->DW, last->R.d))};

    /* Through the joint. */
    if (is_revolute(body))
      move_revolute_joint(lin, i, motion, V);
    else
      move_any_joint(lin, i, motion, V);
    last->W = V[0], last->V = V[1], last->DW = V[2], last->DV = V[3];
  }
}

/* ---- outwards, tile by tile ---- */

FLAT tile6 tile6_ad(tile6 V, tile6 S, int revolute) {
  tile3 b = tile3_cross(V.b, S.a);
  return (tile6){tile3_cross(V.a, S.a), revolute ? b : tile3_add_arm(b, V.a, S.b)};
}
FLAT tile6 tile6_fma(tile s, tile6 x, tile6 y) { return (tile6){tile3_fma(s, x.a, y.a), tile3_fma(s, x.b, y.b)}; }
/* I V. revolute: V has no linear part. */
FLAT tile6 tile6_momentum(const coordinate_tile *s, tile6 V, int revolute) {
  if (revolute) return (tile6){tile3_sym(&s->J, V.a), tile3_cross(V.a, s->h)};
  return (tile6){tile3_add_arm(tile3_sym(&s->J, V.a), s->h, V.b), tile3_add_arm(tile3_scale(s->mass, V.b), V.a, s->h)};
}

/* Inertias of the bodies of tile k in world axes: R h, R J R^T. */
FLAT void set_tile_inertias(const linearization_one *lin, int k, coordinate_tile *s) {
  static const scalar none[10] = {0};
  const coordinate_motion *motion = lin->motion + k * TILE;
  tile3 R[3] = {tile3_gather(&motion->R.x, sizeof *motion), tile3_gather(&motion->R.y, sizeof *motion),
                tile3_gather(&motion->R.z, sizeof *motion)};
  tile I[10];

  /* The constants of TILE bodies, number by number side by side. */
  const scalar *from[TILE];
  for (int e = 0; e < TILE; e++)
    from[e] = lin->body[k * TILE + e] < 0 ? none : lin->tree->body[lin->body[k * TILE + e]].inertia;
#if JN_REGISTERS && JN_TILES && JN_KIND == JN_KIND_D
  for (int part = 0; part < 3; part++) { /* the last begins with two numbers of the second */
    int at = part < 2 ? 4 * part : 6;
    tile x[4] = {tile_load(from[0] + at), tile_load(from[1] + at), tile_load(from[2] + at), tile_load(from[3] + at)};
    tile_transpose(x);
    for (int e = 0; e < 4; e++) I[at + e] = x[e];
  }
#else
  for (int n = 0; n < 10; n++)
    for (int e = 0; e < TILE; e++) ((real *)(void *)&I[n])[e] = splat(from[e][n]);
#endif

  /* R J, then (R J) R^T. */
  tile3 X = tile3_rotate(R, (tile3){I[4], I[7], I[8]}), Y = tile3_rotate(R, (tile3){I[7], I[5], I[9]});
  tile3 Z = tile3_rotate(R, (tile3){I[8], I[9], I[6]});
  s->mass = I[0];
  s->h = tile3_rotate(R, (tile3){I[1], I[2], I[3]});
  s->J.xx = X.x * R[0].x + Y.x * R[1].x + Z.x * R[2].x;
  s->J.yy = X.y * R[0].y + Y.y * R[1].y + Z.y * R[2].y;
  s->J.zz = X.z * R[0].z + Y.z * R[1].z + Z.z * R[2].z;
  s->J.xy = X.x * R[0].y + Y.x * R[1].y + Z.x * R[2].y;
  s->J.xz = X.x * R[0].z + Y.x * R[1].z + Z.x * R[2].z;
  s->J.yz = X.y * R[0].z + Y.y * R[1].z + Z.y * R[2].z;
}

/* B and F of bodies that move by V and A. */
FLAT void set_tile_wrenches(coordinate_tile *s, tile6 V, tile6 A) {
  /* Q = [w]J - J[w] - [v][h] - [h][v]. */
  tile3 x = {s->J.xx, s->J.xy, s->J.xz}, y = {s->J.xy, s->J.yy, s->J.yz}, z = {s->J.xz, s->J.yz, s->J.zz};
  tile3 X = tile3_cross(V.a, x), Y = tile3_cross(V.a, y), Z = tile3_cross(V.a, z);
  tile xx = 2 * V.b.x * s->h.x, yy = 2 * V.b.y * s->h.y, zz = 2 * V.b.z * s->h.z;
  s->Q.xx = 2 * X.x + (yy + zz);
  s->Q.yy = 2 * Y.y + (xx + zz);
  s->Q.zz = 2 * Z.z + (xx + yy);
  s->Q.xy = X.y + Y.x - (V.b.x * s->h.y + V.b.y * s->h.x);
  s->Q.xz = X.z + Z.x - (V.b.x * s->h.z + V.b.z * s->h.x);
  s->Q.yz = Y.z + Z.y - (V.b.y * s->h.z + V.b.z * s->h.y);

  /* (L, P) = I V, F = I A + V x* (I V). */
  tile6 momentum = tile6_momentum(s, V, 0), F = tile6_momentum(s, A, 0);
  s->L = momentum.a;
  s->P = momentum.b;
  s->F.a = tile3_add_arm(tile3_add_arm(F.a, V.a, s->L), V.b, s->P);
  s->F.b = tile3_add_arm(F.b, V.a, s->P);
}

/* All of tile k; revolute: all its joints are. */
FLAT void fill_tile(const linearization_one *lin, int k, int revolute) {
  const coordinate_motion *motion = lin->motion + k * TILE;
  coordinate_tile *s = &lin->tiles[k];

  /* Gathered from the records. */
  tile6 S = {.a = tile3_gather(&motion->S_w, sizeof *motion)};
  tile6 V = {tile3_gather(&motion->w, sizeof *motion), tile3_gather(&motion->v, sizeof *motion)};
  tile6 A = {tile3_gather(&motion->dw, sizeof *motion), tile3_gather(&motion->dv, sizeof *motion)};
  tile v = tile_load(lin->v + k * TILE), a = tile_load(lin->a + k * TILE);
  S.b = revolute ? (tile3){0} : tile3_gather(&motion->S_v, sizeof *motion);

  /* psi = [V, S], ppsi = [A, S] + [V, psi], Psi + psi = 2 psi, because [S v, S] = 0. */
  s->S = S;
  s->psi = tile6_ad(V, S, revolute);
  s->ppsi = tile6_add(tile6_ad(A, S, revolute), tile6_ad(V, s->psi, 0));
  s->Psi_plus_psi = tile6_add(s->psi, s->psi);

  /* Motion after the coordinate: V += S v, A += S a + psi v. */
  A = tile6_fma(v, s->psi, A);
  A.a = tile3_fma(a, S.a, A.a);
  V.a = tile3_fma(v, S.a, V.a);
  if (!revolute) A.b = tile3_fma(a, S.b, A.b);
  if (!revolute) V.b = tile3_fma(v, S.b, V.b);

  /* I, B and F of the bodies. */
  set_tile_inertias(lin, k, s);
  set_tile_wrenches(s, V, A);
}

/* What differs when coordinates act together: Psi is by the velocity after all of them, and so are B and F. */
static inline void fill_group(const linearization_one *lin, int i) {
  const JN_S(body) *body = &lin->tree->body[i];
  int last = last_coordinate_of(lin->tree, i);
  const coordinate_motion *motion = &lin->motion[last];
  coordinate_tile *s = tile_of_coordinate(lin, last);
  twist V = {sp_numbers(motion->W), sp_numbers(motion->V)}, A = {sp_numbers(motion->DW), sp_numbers(motion->DV)};
  inertia I = lane_inertia(s, last);
  wrench momentum = i_mul(I, V);
  for (int c = body->id; c <= last; c++) {
    coordinate_tile *to = tile_of_coordinate(lin, c);
    twist Psi_plus_psi = t_add(lane_twist(&to->psi, c), t_ad(V, lane_twist(&to->S, c)));
    lane_wrench_set(&to->Psi_plus_psi, c, (wrench){Psi_plus_psi.w, Psi_plus_psi.v});
  }
  lane_rates_set(s, last, (inertia_rates){inertia_rate(V, I).J, momentum.m, momentum.f});
  lane_wrench_set(&s->F, last, w_add(i_mul(I, A), w_cross(V, momentum)));
}

/* Subtracts the external wrench on a link from F of its body. */
static inline void subtract_tile_wrench(const linearization_one *lin, int link) {
  const JN_S(frame) *frame = &lin->tree->frame[link];
  if (frame->body < 0) return;
  int c = last_coordinate_of(lin->tree, frame->body);
  pose T = se3_mul((pose){axes_rotation(&lin->motion[c].R), v3_zero()}, se3_constant(frame->R, frame->p));
  wrench F = lane_wrench(&tile_of_coordinate(lin, c)->F, c);
  lane_wrench_set(&tile_of_coordinate(lin, c)->F, c, w_sub(F, w_Ad_inverse(T, w_load(lin->W + 6 * link))));
}

/* Outwards: the linearization of the bodies alone. */
static inline void linearize_one_outward(const linearization_one *lin) {
  const JN_S(tree) *tree = lin->tree;

  /* Poses, velocities and accelerations, body by body. */
  move_bodies(lin);

  /* Everything else, tile by tile. */
  for (int k = 0; k < tiles_of(tree->nd); k++) {
    int revolute = 1;
    for (int e = k * TILE; e < (k + 1) * TILE && e < tree->nd; e++)
      revolute &= lin->body[e] >= 0 && is_revolute(&tree->body[lin->body[e]]);
    if (revolute)
      fill_tile(lin, k, 1);
    else
      fill_tile(lin, k, 0);
  }

  /* Corrections for groups, and external wrenches. */
  for (int i = 0; i < tree->nb; i++)
    if (is_group(&tree->body[i])) fill_group(lin, i);
  for (int l = 0; l < tree->nlink && lin->W; l++) subtract_tile_wrench(lin, l);
}

/* to += x, where the numbers of `to` are TILE apart. */
FLAT void lane_add(real *to, vec3 x) {
  to[0] += x.x;
  to[TILE] += x.y;
  to[2 * TILE] += x.z;
}
FLAT void lane_add_sym(real *to, sym3 x) {
  lane_add(to, v3(x.xx, x.yy, x.zz));
  lane_add(to + 3 * TILE, v3(x.xy, x.xz, x.yz));
}
FLAT vec3 lane_vector(const real *at) { return v3(at[0], at[TILE], at[2 * TILE]); }
FLAT sym3 lane_tensor(const real *at) {
  return (sym3){at[0], at[TILE], at[2 * TILE], at[3 * TILE], at[4 * TILE], at[5 * TILE]};
}

/* Where the numbers of a coordinate begin that are summed up: m, h, J, Q, L, P, F of coordinate_tile. */
enum {
  SUM_H = TILE,
  SUM_J = 4 * TILE,
  SUM_Q = 10 * TILE,
  SUM_L = 16 * TILE,
  SUM_P = 19 * TILE,
  SUM_F = 22 * TILE,
  SUMS = 28 * TILE
};
FLAT real *sums_of(const linearization_one *lin, int c) {
  return (real *)(void *)&tile_of_coordinate(lin, c)->mass + lane_in_tile(c);
}

/* Inwards: the sums over the subtree of body i are complete. All its coordinates get them, and its parent, about its
 * own origin (i_shift(), rates_shift() and w_shift()). */
static inline void linearize_one_inward(const linearization_one *lin, int i) {
  const JN_S(body) *body = &lin->tree->body[i];
  int c = body->id + body->nv - 1;
  const real *x = sums_of(lin, c);

  /* The other coordinates of the body. */
  for (int e = body->id; e < c; e++) {
    real *same = sums_of(lin, e);
    for (int k = 0; k < SUMS; k += TILE) same[k] = x[k];
  }

  /* To the parent. */
  if (body->parent < 0) return;
  real *to = sums_of(lin, last_coordinate_of(lin->tree, body->parent)), m = x[0];
  vec3 d = sp_numbers(lin->motion[c].R.d), md = v3_scale(m, d), h = lane_vector(x + SUM_H), P = lane_vector(x + SUM_P);
  vec3 force = lane_vector(x + SUM_F + 3 * TILE);

  /* m, h + m d, and J by Steiner's rule. */
  to[0] += m;
  lane_add(to + SUM_H, v3_add(h, md));
  lane_add_sym(to + SUM_J, s3_add(lane_tensor(x + SUM_J), s3_steiner(d, v3_axpy(K(2), h, md))));

  /* Q, L + d x P, P. */
  lane_add_sym(to + SUM_Q, s3_add(lane_tensor(x + SUM_Q), s3_steiner(v3_scale(K(2), d), P)));
  lane_add(to + SUM_L, v3_add(lane_vector(x + SUM_L), cross(d, P)));
  lane_add(to + SUM_P, P);

  /* n + d x f, f. */
  lane_add(to + SUM_F, v3_add(lane_vector(x + SUM_F), cross(d, force)));
  lane_add(to + SUM_F + 3 * TILE, force);
}

#endif
