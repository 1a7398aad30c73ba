/* SPDX-License-Identifier: BSD-2-Clause */
/* The linearization of linearization.h at one state, with the coordinates side by side in tiles. Poses, velocities and
 * accelerations go from body to body, in records (space.h); what follows from them for each body or coordinate by
 * itself is worked out for a tile of them at once; sums over subtrees go from body to body again, lane by lane.
 * Coordinates are counted as the bodies are (id). For trees without coupled coordinates, and wrenches that are fixed to
 * their bodies.
 * With AVX2, d tau of 7 joints takes 0.84 us; the linearization of linearization.h and its matrices take 1.26. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_ONE_H
#define JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_ONE_H

#include "../base/tile.h"
#include "linearization.h"

/* Of one coordinate. */
typedef struct coordinate_motion {
  space w, v, dw, dv; /* velocity and acceleration of the body before it moves */
  space sw, sv;       /* screw */
  axes R;             /* at the last coordinate of a body: its rotation, its origin from that of its parent */
  space W, V, DW, DV; /*   and its velocity and acceleration after all */
} coordinate_motion;

/* Of the coordinates of a tile. */
typedef struct coordinates {
  tile6 S, psi, ppsi, both; /* both = Psi + psi */
  tile m;                   /* inertia, rates and wrench: of bodies, at their last coordinate, then of their subtrees */
  tile3 h;
  tile_sym3 J, Q;
  tile3 L, P;
  tile6 F;
} coordinates;

typedef struct linearization_one {
  const JN_S(tree) * t;
  const real *q;
  angles turn;
  const real *W;         /* [nlink][6] external wrenches or NULL */
  real *v, *a;           /* [tiles TILE] */
  int32_t *body;         /* [tiles TILE] whose last coordinate this is, or -1 */
  coordinate_motion *at; /* [tiles TILE] */
  coordinates *s;        /* [tiles] */
} linearization_one;

FLAT int last_of(const JN_S(tree) * t, int i) { return t->body[i].id + t->body[i].nv - 1; }

/* v, a: NULL is zero. */
static inline linearization_one one_place(const JN_S(tree) * t, const real *q, const real *v, const real *a,
                                          real **at) {
  linearization_one o = {.t = t, .q = q};
  int room = tiles_of(t->nd) * TILE;
  o.turn = angles_at(t, q, at);
  o.v = take(at, (size_t)room);
  o.a = take(at, (size_t)room);
  o.body = TAKE_INTS(at, room);
  o.at = TAKE_ALIGNED(at, room, coordinate_motion);
  o.s = TAKE_ALIGNED(at, tiles_of(t->nd), coordinates);
  if (!q) return o; /* the call only counts */
  for (int c = t->nd; c < room; c++) {
    o.v[c] = o.a[c] = ZERO;
    o.body[c] = -1;
    memset(&o.at[c], 0, sizeof o.at[c]);
  }
  for (int c = 0; c < t->nd; c++) {
    o.v[c] = v ? v[t->order[c]] : ZERO;
    o.a[c] = a ? a[t->order[c]] : ZERO;
  }
  return o;
}

/* ---- lanes ---- */

FLAT coordinates *coordinates_of(const linearization_one *o, int c) { return &o->s[tile_of(c)]; }
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
FLAT inertia lane_inertia(const coordinates *s, int c) {
  return (inertia){((const real *)(const void *)&s->m)[lane_in_tile(c)], lane3(&s->h, lane_in_tile(c)),
                   lane_sym(&s->J, c)};
}
FLAT void lane_rates_set(coordinates *s, int c, rates B) {
  lane_sym_set(&s->Q, c, B.Q);
  lane3_set(&s->L, lane_in_tile(c), B.L);
  lane3_set(&s->P, lane_in_tile(c), B.P);
}

/* ---- outward ---- */

/* A joint with its own screws; its records have what is before each coordinate. */
static inline void motion_any(const linearization_one *o, int i, coordinate_motion *m, space V[4]) {
  const JN_S(body) *b = &o->t->body[i];
  int group = is_group(b);
  space w[6], u[6], before[4] = {V[0], V[1], V[2], V[3]};
  axes_screws(o->t, i, o->q, &m[b->nv - 1].R, w, u);
  for (int k = 0; k < b->nv; k++) {
    space sw = w[k], sv = u[k];
    real v = o->v[b->id + k];
    const space *from = group ? before : V;
    m[k].w = from[0], m[k].v = from[1], m[k].dw = from[2], m[k].dv = from[3];
    m[k].sw = sw, m[k].sv = sv;
    o->body[b->id + k] = k == b->nv - 1 ? i : -1;
    if (!group) { /* dS/dt = [V, S], where its own turning adds nothing */
      V[2] = sp_axpy(v, sp_cross(V[0], sw), V[2]);
      V[3] = sp_axpy(v, sp_add(sp_cross(V[1], sw), sp_cross(V[0], sv)), V[3]);
    }
    V[0] = sp_axpy(v, sw, V[0]);
    V[1] = sp_axpy(v, sv, V[1]);
    V[2] = sp_axpy(o->a[b->id + k], sw, V[2]);
    V[3] = sp_axpy(o->a[b->id + k], sv, V[3]);
  }
  for (int k = 0; k < b->nv && group; k++) { /* V is that after all of them */
    real v = o->v[b->id + k];
    V[2] = sp_axpy(v, sp_cross(V[0], m[k].sw), V[2]);
    V[3] = sp_axpy(v, sp_add(sp_cross(V[1], m[k].sw), sp_cross(V[0], m[k].sv)), V[3]);
  }
}

static inline void motion_turn(const linearization_one *o, int i, coordinate_motion *m, space V[4]) {
  const JN_S(body) *b = &o->t->body[i];
  real v = o->v[b->id];
  space e = sp_scale(splat(b->ratio), m->R.z);
  m->w = V[0], m->v = V[1], m->dw = V[2], m->dv = V[3];
  m->sw = e, m->sv = sp_zero();
  o->body[b->id] = i;
  V[2] = sp_axpy(o->a[b->id], e, sp_axpy(v, sp_cross(V[0], e), V[2]));
  V[3] = sp_axpy(v, sp_cross(V[1], e), V[3]);
  V[0] = sp_axpy(v, e, V[0]);
}

/* Records of all coordinates. Base acceleration (0, -gravity). */
static inline void motion_outward(const linearization_one *o) {
  const JN_S(tree) *t = o->t;
  twist weight = base_acceleration(t);
  coordinate_motion ground = {.R = axes_of_world()};
  ground.W = ground.V = ground.DW = sp_zero();
  ground.DV = sp_of(weight.v);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    const coordinate_motion *P = b->parent < 0 ? &ground : &o->at[last_of(t, b->parent)];
    coordinate_motion *m = &o->at[b->id], *last = &m[b->nv - 1];
    last->R = axes_outward(t, i, o->q, o->turn, &P->R);
    space V[4] = {P->W, sp_add(P->V, sp_cross(P->W, last->R.d)), P->DW, sp_add(P->DV, sp_cross(P->DW, last->R.d))};
    if (is_revolute(b))
      motion_turn(o, i, m, V);
    else
      motion_any(o, i, m, V);
    last->W = V[0], last->V = V[1], last->DW = V[2], last->DV = V[3];
  }
}

/* ---- tiles ---- */

FLAT tile6 tile6_ad(tile6 V, tile6 S, int turn) {
  tile3 b = tile3_cross(V.b, S.a);
  return (tile6){tile3_cross(V.a, S.a), turn ? b : tile3_add_arm(b, V.a, S.b)};
}
FLAT tile6 tile6_fma(tile s, tile6 x, tile6 y) { return (tile6){tile3_fma(s, x.a, y.a), tile3_fma(s, x.b, y.b)}; }
/* I V */
FLAT tile6 tile6_momentum(const coordinates *s, tile6 V, int turn) {
  if (turn) return (tile6){tile3_sym(&s->J, V.a), tile3_cross(V.a, s->h)};
  return (tile6){tile3_add_arm(tile3_sym(&s->J, V.a), s->h, V.b), tile3_add_arm(tile3_scale(s->m, V.b), V.a, s->h)};
}

/* Inertias of the bodies in the world's axes. */
FLAT void coordinates_inertia(const linearization_one *o, int k, coordinates *s) {
  static const scalar none[10] = {0};
  const coordinate_motion *m = o->at + k * TILE;
  tile3 R[3] = {tile3_gather(&m->R.x, sizeof *m), tile3_gather(&m->R.y, sizeof *m), tile3_gather(&m->R.z, sizeof *m)};
  tile I[10];
  const scalar *from[TILE];
  for (int e = 0; e < TILE; e++) from[e] = o->body[k * TILE + e] < 0 ? none : o->t->body[o->body[k * TILE + e]].inertia;
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
  tile3 X = tile3_turn(R, (tile3){I[4], I[7], I[8]}), Y = tile3_turn(R, (tile3){I[7], I[5], I[9]});
  tile3 Z = tile3_turn(R, (tile3){I[8], I[9], I[6]}); /* columns of R J */
  s->m = I[0];
  s->h = tile3_turn(R, (tile3){I[1], I[2], I[3]});
  s->J.xx = X.x * R[0].x + Y.x * R[1].x + Z.x * R[2].x;
  s->J.yy = X.y * R[0].y + Y.y * R[1].y + Z.y * R[2].y;
  s->J.zz = X.z * R[0].z + Y.z * R[1].z + Z.z * R[2].z;
  s->J.xy = X.x * R[0].y + Y.x * R[1].y + Z.x * R[2].y;
  s->J.xz = X.x * R[0].z + Y.x * R[1].z + Z.x * R[2].z;
  s->J.yz = X.y * R[0].z + Y.y * R[1].z + Z.y * R[2].z;
}

/* Rates and wrenches of bodies that move by V and A. */
FLAT void coordinates_forces(coordinates *s, tile6 V, tile6 A) {
  tile3 x = {s->J.xx, s->J.xy, s->J.xz}, y = {s->J.xy, s->J.yy, s->J.yz}, z = {s->J.xz, s->J.yz, s->J.zz};
  tile3 X = tile3_cross(V.a, x), Y = tile3_cross(V.a, y), Z = tile3_cross(V.a, z); /* [w] J */
  tile xx = 2 * V.b.x * s->h.x, yy = 2 * V.b.y * s->h.y, zz = 2 * V.b.z * s->h.z;
  s->Q.xx = 2 * X.x + (yy + zz);
  s->Q.yy = 2 * Y.y + (xx + zz);
  s->Q.zz = 2 * Z.z + (xx + yy);
  s->Q.xy = X.y + Y.x - (V.b.x * s->h.y + V.b.y * s->h.x);
  s->Q.xz = X.z + Z.x - (V.b.x * s->h.z + V.b.z * s->h.x);
  s->Q.yz = Y.z + Z.y - (V.b.y * s->h.z + V.b.z * s->h.y);
  tile6 momentum = tile6_momentum(s, V, 0), F = tile6_momentum(s, A, 0);
  s->L = momentum.a;
  s->P = momentum.b;
  s->F.a = tile3_add_arm(tile3_add_arm(F.a, V.a, s->L), V.b, s->P);
  s->F.b = tile3_add_arm(F.b, V.a, s->P);
}

/* All of a tile; turn: of revolute joints only. */
FLAT void coordinates_fill(const linearization_one *o, int k, int turn) {
  const coordinate_motion *m = o->at + k * TILE;
  coordinates *s = &o->s[k];
  tile6 S = {.a = tile3_gather(&m->sw, sizeof *m)};
  tile6 V = {tile3_gather(&m->w, sizeof *m), tile3_gather(&m->v, sizeof *m)};
  tile6 A = {tile3_gather(&m->dw, sizeof *m), tile3_gather(&m->dv, sizeof *m)};
  tile v = tile_load(o->v + k * TILE), a = tile_load(o->a + k * TILE);
  S.b = turn ? (tile3){0} : tile3_gather(&m->sv, sizeof *m);
  s->S = S;
  s->psi = tile6_ad(V, S, turn);
  s->ppsi = tile6_add(tile6_ad(A, S, turn), tile6_ad(V, s->psi, 0));
  s->both = tile6_add(s->psi, s->psi);
  A = tile6_fma(v, s->psi, A);
  A.a = tile3_fma(a, S.a, A.a);
  V.a = tile3_fma(v, S.a, V.a);
  if (!turn) A.b = tile3_fma(a, S.b, A.b);
  if (!turn) V.b = tile3_fma(v, S.b, V.b);
  coordinates_inertia(o, k, s);
  coordinates_forces(s, V, A);
}

/* What is different when coordinates act together: Psi is by the velocity after all of them, and so are the forces. */
static inline void group_fill(const linearization_one *o, int i) {
  const JN_S(body) *b = &o->t->body[i];
  int last = last_of(o->t, i);
  const coordinate_motion *m = &o->at[last];
  coordinates *s = coordinates_of(o, last);
  twist V = {sp_numbers(m->W), sp_numbers(m->V)}, A = {sp_numbers(m->DW), sp_numbers(m->DV)};
  inertia I = lane_inertia(s, last);
  wrench momentum = i_mul(I, V);
  for (int c = b->id; c <= last; c++) {
    coordinates *to = coordinates_of(o, c);
    twist both = t_add(lane_twist(&to->psi, c), t_ad(V, lane_twist(&to->S, c)));
    lane_wrench_set(&to->both, c, (wrench){both.w, both.v});
  }
  lane_rates_set(s, last, (rates){i_rate(V, I).J, momentum.m, momentum.f});
  lane_wrench_set(&s->F, last, w_add(i_mul(I, A), w_cross(V, momentum)));
}

/* The external wrench on link l is taken from F. */
static inline void take_wrench(const linearization_one *o, int l) {
  const JN_S(frame) *f = &o->t->frame[l];
  if (f->body < 0) return;
  int c = last_of(o->t, f->body);
  pose T = se3_mul((pose){axes_rotation(&o->at[c].R), v3_zero()}, se3_constant(f->R, f->p));
  wrench F = lane_wrench(&coordinates_of(o, c)->F, c);
  lane_wrench_set(&coordinates_of(o, c)->F, c, w_sub(F, w_Ad_inverse(T, w_load(o->W + 6 * l))));
}

/* The linearization of the bodies alone. */
static inline void one_outward(const linearization_one *o) {
  const JN_S(tree) *t = o->t;
  motion_outward(o);
  for (int k = 0; k < tiles_of(t->nd); k++) {
    int turn = 1;
    for (int e = k * TILE; e < (k + 1) * TILE && e < t->nd; e++)
      turn &= o->body[e] >= 0 && is_revolute(&t->body[o->body[e]]);
    if (turn)
      coordinates_fill(o, k, 1);
    else
      coordinates_fill(o, k, 0);
  }
  for (int i = 0; i < t->nb; i++)
    if (is_group(&t->body[i])) group_fill(o, i);
  for (int l = 0; l < t->nlink && o->W; l++) take_wrench(o, l);
}

/* to += x, TILE apart. */
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

/* Where the numbers of a coordinate that are summed up begin: m, h, J, Q, L, P, F of `coordinates`. */
enum {
  SUM_H = TILE,
  SUM_J = 4 * TILE,
  SUM_Q = 10 * TILE,
  SUM_L = 16 * TILE,
  SUM_P = 19 * TILE,
  SUM_F = 22 * TILE,
  SUMS = 28 * TILE
};
FLAT real *sums_of(const linearization_one *o, int c) {
  return (real *)(void *)&coordinates_of(o, c)->m + lane_in_tile(c);
}

/* Sums over the subtree of body i are complete: all its coordinates get them, and its parent, about its own origin
 * (i_shift(), b_shift(), w_shift()). */
static inline void one_inward(const linearization_one *o, int i) {
  const JN_S(body) *b = &o->t->body[i];
  int c = b->id + b->nv - 1;
  const real *x = sums_of(o, c);
  for (int e = b->id; e < c; e++) {
    real *same = sums_of(o, e);
    for (int k = 0; k < SUMS; k += TILE) same[k] = x[k];
  }
  if (b->parent < 0) return;
  real *to = sums_of(o, last_of(o->t, b->parent)), m = x[0];
  vec3 d = sp_numbers(o->at[c].R.d), md = v3_scale(m, d), h = lane_vector(x + SUM_H), P = lane_vector(x + SUM_P);
  vec3 force = lane_vector(x + SUM_F + 3 * TILE);
  to[0] += m;
  lane_add(to + SUM_H, v3_add(h, md));
  lane_add_sym(to + SUM_J, s3_add(lane_tensor(x + SUM_J), s3_steiner(d, v3_axpy(K(2), h, md))));
  lane_add_sym(to + SUM_Q, s3_add(lane_tensor(x + SUM_Q), s3_steiner(v3_scale(K(2), d), P)));
  lane_add(to + SUM_L, v3_add(lane_vector(x + SUM_L), cross(d, P)));
  lane_add(to + SUM_P, P);
  lane_add(to + SUM_F, v3_add(lane_vector(x + SUM_F), cross(d, force)));
  lane_add(to + SUM_F + 3 * TILE, force);
}

#endif
