/* SPDX-License-Identifier: BSD-2-Clause */
/* ABA: articulated inertias in the world's axes (world.h): never rotated, only moved. Each coordinate is eliminated by
 * itself, a joint of several screws as so many joints at one point: U = I S,  D = S.U + armature,  I' = I - U U^T / D,
 * handed to the parent. Then M x = f for any f: inwards  u = f - S.p,  p' = p + U u / D;  outwards  x = (u - U.A) / D,
 * A' = A + S x. D are the pivots of L^T D L (factor.h), without that O(n d^2). */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_ARTICULATED_H
#define JN_KERNEL_FORWARD_DYNAMICS_ARTICULATED_H

#include "../base/bodies.h"
#include "../base/tile.h"
#include "../mass_matrix/factor.h"

/* What is left of a coordinate. */
typedef struct eliminated {
  space w, v;   /* its screw */
  space m, f;   /* U / D */
  real inverse; /* 1 / D */
} eliminated;

/* Solver of M x = f for trees without coupled coordinates. */
typedef struct articulation {
  const JN_S(tree) * t;
  space *d;      /* [nb] origin from that of the parent */
  eliminated *x; /* [nd] */
} articulation;

#if JN_REGISTERS

/* One state with AVX2: [J, G^T; G, M] by columns in registers, 26 ns a joint where the twin below takes 38. */
typedef struct body_inertia {
  r4 J[3], G[3], M[3];
} body_inertia;

static inline body_inertia body_inertia_from(const space_inertia *I) {
  r4 h = I->h;
  return (body_inertia){{I->Jx, I->Jy, I->Jz},
                        {LANES(h, -h, 3, 6, 1, 3), LANES(h, -h, 2, 3, 4, 3), LANES(h, -h, 5, 0, 3, 3)},
                        {I->m * r4_set(1, 0, 0, 0), I->m * r4_set(0, 1, 0, 0), I->m * r4_set(0, 0, 1, 0)}};
}
/* I S */
static inline wrench body_mul(const body_inertia *I, twist S) {
  r4 v = sp_of(S.v), g[4] = {I->G[0] * v, I->G[1] * v, I->G[2] * v, r4_zero()};
  r4_transpose4(g);
  r4 m = S.w.x * I->J[0] + (S.w.y * I->J[1] + S.w.z * I->J[2]),
     f = S.w.x * I->G[0] + (S.w.y * I->G[1] + S.w.z * I->G[2]);
  m += g[0] + g[1] + g[2];
  f += S.v.x * I->M[0] + (S.v.y * I->M[1] + S.v.z * I->M[2]);
  return (wrench){sp_numbers(m), sp_numbers(f)};
}
/* Eliminates a coordinate. */
static inline real eliminate(body_inertia *I, int turn, real armature, eliminated *x) {
  const scalar *w = (const scalar *)&x->w, *v = (const scalar *)&x->v;
  r4 m = w[0] * I->J[0] + (w[1] * I->J[1] + w[2] * I->J[2]), f = w[0] * I->G[0] + (w[1] * I->G[1] + w[2] * I->G[2]);
  r4 product = m * x->w;
  if (!turn) {
    r4 g[4] = {I->G[0] * x->v, I->G[1] * x->v, I->G[2] * x->v, r4_zero()};
    r4_transpose4(g);
    m += g[0] + g[1] + g[2];
    f += v[0] * I->M[0] + (v[1] * I->M[1] + v[2] * I->M[2]);
    product = m * x->w + f * x->v;
  }
  real D = product[0] + product[1] + product[2] + armature, inverse = 1 / D;
  x->m = inverse * m;
  x->f = inverse * f;
  x->inverse = inverse;
  for (int k = 0; k < 3; k++) {
    r4 mk = k == 0 ? LANE(m, 0) : k == 1 ? LANE(m, 1) : LANE(m, 2);
    r4 fk = k == 0 ? LANE(f, 0) : k == 1 ? LANE(f, 1) : LANE(f, 2);
    I->J[k] -= x->m * mk;
    I->G[k] -= x->f * mk;
    I->M[k] -= x->f * fk;
  }
  return D;
}

/* I about the point from which its own is at d:  G' = G - M[d],  J' = J + Q + Q^T,  Q = [d](G - M[d]/2). */
static inline body_inertia body_shift(const body_inertia *I, const space *from) {
  const scalar *d = (const scalar *)from;
  r4 at = *from;
  r4 P[3] = {d[2] * I->M[1] - d[1] * I->M[2], d[0] * I->M[2] - d[2] * I->M[0], d[1] * I->M[0] - d[0] * I->M[1]};
  r4 Q[4] = {sp_cross(at, I->G[0] - (scalar)0.5 * P[0]), sp_cross(at, I->G[1] - (scalar)0.5 * P[1]),
             sp_cross(at, I->G[2] - (scalar)0.5 * P[2]), r4_zero()};
  r4 T[4] = {Q[0], Q[1], Q[2], Q[3]};
  r4_transpose4(T);
  return (body_inertia){{I->J[0] + (Q[0] + T[0]), I->J[1] + (Q[1] + T[1]), I->J[2] + (Q[2] + T[2])},
                        {I->G[0] - P[0], I->G[1] - P[1], I->G[2] - P[2]},
                        {I->M[0], I->M[1], I->M[2]}};
}
static inline void body_add(body_inertia *to, const body_inertia *I) {
  for (int k = 0; k < 3; k++) {
    to->J[k] += I->J[k];
    to->G[k] += I->G[k];
    to->M[k] += I->M[k];
  }
}
/* I + that of a body alone */
static inline body_inertia body_with(const body_inertia *I, const space_inertia *B) {
  body_inertia sum = body_inertia_from(B);
  body_add(&sum, I);
  return sum;
}

#else

/* [J, H; H^T, M] */
typedef struct body_inertia {
  sym3 J, M;
  mat3 H;
} body_inertia;

FLAT body_inertia body_inertia_from(const space_inertia *I) {
  return (body_inertia){I->J, {I->m, I->m, I->m, ZERO, ZERO, ZERO}, skew(I->h)};
}
FLAT wrench body_mul(const body_inertia *I, twist S) {
  return (wrench){v3_add(s3_mul(I->J, S.w), m3_mul(I->H, S.v)), v3_add(m3_tmul(I->H, S.w), s3_mul(I->M, S.v))};
}
/* a - b c^T, b proportional to c */
FLAT sym3 s3_minus(sym3 a, vec3 b, vec3 c) {
  return (sym3){a.xx - b.x * c.x, a.yy - b.y * c.y, a.zz - b.z * c.z,
                a.xy - b.x * c.y, a.xz - b.x * c.z, a.yz - b.y * c.z};
}

FLAT real eliminate(body_inertia *I, int turn, real armature, eliminated *x) {
  twist S = {x->w, x->v};
  wrench F = turn ? (wrench){s3_mul(I->J, S.w), m3_tmul(I->H, S.w)} : body_mul(I, S);
  real D = (turn ? dot(F.m, S.w) : power(F, S)) + armature, inverse = K(1) / D;
  wrench U = {v3_scale(inverse, F.m), v3_scale(inverse, F.f)};
  I->J = s3_minus(I->J, U.m, F.m);
  I->M = s3_minus(I->M, U.f, F.f);
  I->H.x = v3_axpy(-F.f.x, U.m, I->H.x);
  I->H.y = v3_axpy(-F.f.y, U.m, I->H.y);
  I->H.z = v3_axpy(-F.f.z, U.m, I->H.z);
  x->m = U.m;
  x->f = U.f;
  x->inverse = inverse;
  return D;
}

/* I about the point from which its own is at d:  H' = H + [d]M,  J' = J + [d]H^T - H'[d]. */
FLAT body_inertia body_shift(const body_inertia *I, const space *d) {
  mat3 G = m3_add(I->H, m3_cross_left(*d, s3_full(I->M)));
  mat3 X = m3_cross_left(*d, m3_transpose(I->H)), Y = m3_cross_right(G, *d);
  return (body_inertia){{I->J.xx + (X.x.x - Y.x.x), I->J.yy + (X.y.y - Y.y.y), I->J.zz + (X.z.z - Y.z.z),
                         I->J.xy + (X.y.x - Y.y.x), I->J.xz + (X.z.x - Y.z.x), I->J.yz + (X.z.y - Y.z.y)},
                        I->M,
                        G};
}
FLAT void body_add(body_inertia *to, const body_inertia *I) {
  *to = (body_inertia){s3_add(to->J, I->J), s3_add(to->M, I->M), m3_add(to->H, I->H)};
}
FLAT body_inertia body_with(const body_inertia *I, const space_inertia *B) {
  sym3 M = {I->M.xx + B->m, I->M.yy + B->m, I->M.zz + B->m, I->M.xy, I->M.xz, I->M.yz};
  return (body_inertia){s3_add(I->J, B->J), M, m3_add(I->H, skew(B->h))};
}

#endif

/* That of a body, in the world's axes. */
FLAT space_inertia inertia_of_body(const axes *R, const scalar *I) {
  space_inertia o;
  o.m = splat(I[0]);
  o.h = sp_sum(R->x, R->y, R->z, I + 1, 1);
  inertia_turn(R, I, &o);
  return o;
}

/* Eliminates coordinate k of body i from its articulated inertia: its pivot, and what is missing of the eliminated. */
FLAT void eliminate_coordinate(const articulation *o, int i, int k, int turn, body_inertia *I, real *pivot) {
  const JN_S(body) *b = &o->t->body[i];
  real D = eliminate(I, turn, armature_of(o->t, b, k), &o->x[b->id + k]);
  pivot[b->id + k] = relative(D, splat(o->t->gross[b->id + k]));
}

/* Body i inwards, `own` its inertia alone: returns what is left of it when its coordinates are eliminated, and hands
 * that to the parent; pivots [nd]. I [nb] are sums over the children of a body, of which the last one, whose subtree
 * ends where the body's does, comes first. prescribed [nv] (NULL: none): coordinates that are not eliminated, x = 0. */
FLAT body_inertia articulate(const articulation *o, int i, const unsigned char *prescribed, const space_inertia *own,
                             body_inertia *I, real *pivot) {
  const JN_S(body) *b = &o->t->body[i];
  body_inertia left = b->end == i + 1 ? body_inertia_from(own) : body_with(&I[i], own);
  if (is_turn(b) && !(prescribed && prescribed[b->iv]))
    eliminate_coordinate(o, i, 0, 1, &left, pivot);
  else
    for (int c = b->id + b->nv - 1; c >= b->id; c--) {
      if (prescribed && prescribed[b->iv + c - b->id]) {
        o->x[c].m = o->x[c].f = sp_zero();
        o->x[c].inverse = ZERO;
        pivot[c] = K(1);
      } else {
        eliminate_coordinate(o, i, c - b->id, 0, &left, pivot);
      }
    }
  if (b->parent < 0) return left;
  body_inertia moved = body_shift(&left, &o->d[i]), *to = &I[b->parent];
  if (b->end != o->t->body[b->parent].end) body_add(&moved, to);
  *to = moved;
  return left;
}

/* A coordinate inwards: u in place of f, and the wrench handed on. By numbers: each waits for the one before, and sums
 * across a register take longer. */
FLAT wrench solve_coordinate_inward(const eliminated *u, int turn, wrench p, real *x) {
  real y = *x - dot(p.m, sp_numbers(u->w));
  if (!turn) y -= dot(p.f, sp_numbers(u->v));
  *x = y;
  return (wrench){v3_axpy(y, sp_numbers(u->m), p.m), v3_axpy(y, sp_numbers(u->f), p.f)};
}
/* Body i inwards, its own part; x [nd]. */
static inline wrench solve_joint_inward(const articulation *o, int i, wrench p, real *x) {
  const JN_S(body) *b = &o->t->body[i];
  if (is_turn(b)) return solve_coordinate_inward(&o->x[b->id], 1, p, &x[b->id]);
  for (int c = b->id + b->nv - 1; c >= b->id; c--) p = solve_coordinate_inward(&o->x[c], 0, p, &x[c]);
  return p;
}
/* p [nb] is zero at first. */
static inline void solve_inward(const articulation *o, int i, wrench *p, real *x) {
  int parent = o->t->body[i].parent;
  p[i] = solve_joint_inward(o, i, p[i], x);
  if (parent >= 0) p[parent] = w_add(p[parent], w_shift(p[i], sp_numbers(o->d[i])));
}

/* A coordinate outwards: x in place of u, and the acceleration with it. */
FLAT twist solve_coordinate(const eliminated *u, int turn, twist A, real *x) {
  real y = u->inverse * *x - power((wrench){sp_numbers(u->m), sp_numbers(u->f)}, A);
  *x = y;
  A.w = v3_axpy(y, sp_numbers(u->w), A.w);
  if (!turn) A.v = v3_axpy(y, sp_numbers(u->v), A.v);
  return A;
}
/* Body i outwards, whose parent has the acceleration A, about the body's own origin. */
static inline twist solve_joint(const articulation *o, int i, twist A, real *x) {
  const JN_S(body) *b = &o->t->body[i];
  if (is_turn(b)) return solve_coordinate(&o->x[b->id], 1, A, &x[b->id]);
  for (int c = b->id; c < b->id + b->nv; c++) A = solve_coordinate(&o->x[c], 0, A, &x[c]);
  return A;
}
/* A [nb]: accelerations of the bodies. */
static inline void solve_outward(const articulation *o, int i, twist *A, real *x) {
  int p = o->t->body[i].parent;
  A[i] = solve_joint(o, i, p < 0 ? t_zero() : t_shift(A[p], sp_numbers(o->d[i])), x);
}

/* x in place of f [nd]; p, A [nb] are scratch. */
static inline void solve_alone(const articulation *o, wrench *p, twist *A, real *x) {
  int nb = o->t->nb;
  for (int i = 0; i < nb; i++) p[i] = w_zero();
  for (int i = nb - 1; i >= 0; i--) solve_inward(o, i, p, x);
  for (int i = 0; i < nb; i++) solve_outward(o, i, A, x);
}

/* Memory of a solver: its own, and what only the sweep needs. */
typedef struct articulation_room {
  articulation o;
  body_inertia *I; /* [nb] */
  axes *R;         /* [nb] */
} articulation_room;

static inline articulation_room articulation_place(const JN_S(tree) * t, real **at) {
  articulation_room r = {.o = {t, TAKE_ALIGNED(at, t->nb, space), TAKE_ALIGNED(at, t->nd, eliminated)}};
  r.I = TAKE_ALIGNED(at, t->nb, body_inertia);
  r.R = TAKE(at, t->nb, axes);
  return r;
}

/* Articulated bodies at q, no factors. Pivots are relative to what the coordinates move at some configuration, as those
 * of forward dynamics. */
FLAT void articulation_sweep(const articulation_room *r, const real *q, angles turn, const unsigned char *prescribed,
                             real *pivots) {
  const articulation *o = &r->o;
  const JN_S(tree) *t = o->t;
  axes ground = axes_of_world();
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    space w[6], v[6];
    r->R[i] = axes_outward(t, i, q, turn, b->parent < 0 ? &ground : &r->R[b->parent]);
    o->d[i] = r->R[i].d;
    axes_screws(t, i, q, &r->R[i], w, v);
    for (int k = 0; k < b->nv; k++) o->x[b->id + k].w = w[k], o->x[b->id + k].v = v[k];
  }
  for (int i = t->nb - 1; i >= 0; i--) {
    space_inertia own = inertia_of_body(&r->R[i], t->body[i].inertia);
    articulate(o, i, prescribed, &own, r->I, pivots);
  }
}

/* ---- many right-hand sides ---- */

/* Whether the dense factors of factor.h take less: with lanes, and short branches (M^-1 in lanes of four, ns a state: 7
 * joints 214 by factors and 239 so; 18 coordinates of a quadruped 750 and 732; chain of 25 joints 2312 and 1292). */
static inline int factors_are_quicker(const JN_S(tree) * t) { return TILE == 1 && branch_length(t) <= 16; }

/* Blocks of wrenches or twists are kept only where a branch waits for another: a body uses the block of its parent when
 * it is the last child, the next one when it is not. */
typedef struct equations {
  const articulation *o;
  tiled m;             /* right-hand sides, then solutions: row c is that of coordinate c, or of rows[c] */
  const int32_t *rows; /* [nd] or NULL */
  int triangle;        /* right-hand sides are the identity, and of the solutions only columns >= c are wanted */
  scalar sign;         /* what the solution is multiplied with */
  int32_t *block;      /* [nb] */
  tile6 *F;            /* [blocks][tiles] */
} equations;

enum { BLOCKS = 8 }; /* the most that scratch memory has room for */

/* The blocks of the bodies [nb]; returns how many there are. */
static inline int blocks_of(const JN_S(tree) * t, int32_t *block) {
  int most = 0;
  for (int i = 0; i < t->nb; i++) {
    int p = t->body[i].parent;
    block[i] = p < 0 ? 0 : block[p] + (t->body[i].end != t->body[p].end);
    if (block[i] >= most) most = block[i] + 1;
  }
  return most;
}

FLAT tile6 *block_of(const equations *w, int i) { return w->F + w->block[i] * tiles_of(w->m.columns); }
FLAT int row_of(const equations *w, int c) { return w->rows ? w->rows[c] : c; }

/* Coordinate c inwards, tiles [lo, hi): u in place of f, and p handed on, about the parent's origin if d. */
FLAT void unit_inward(const equations *w, int c, int turn, const space *d, int lo, int hi, tile6 *F) {
  const eliminated *o = &w->o->x[c];
  const vec3 sw = sp_numbers(o->w), sv = sp_numbers(o->v), m = sp_numbers(o->m), f = sp_numbers(o->f);
  const vec3 at = d ? sp_numbers(*d) : v3_zero();
  const tiled matrix = w->m;
  int row = row_of(w, c);
  for (int k = lo; k < hi; k++) {
    real *to = tile_at(&matrix, row, k);
    tile6 p = F[k];
    tile u = tile_load(to) - tile3_dot(sw, p.a);
    if (!turn) u -= tile3_dot(sv, p.b);
    tile_store(u, to);
    p.b = tile3_axpy(u, f, p.b);
    p.a = tile3_axpy(u, m, p.a);
    if (d) p.a = tile3_add_cross(p.a, at, p.b);
    F[k] = p;
  }
}

/* Coordinate c outwards: x in place of u, and A from what is inward of it, about the own origin if d. */
FLAT void unit_outward(const equations *w, int c, int turn, const space *d, int lo, int hi, const tile6 *from,
                       tile6 *A) {
  const eliminated *o = &w->o->x[c];
  const vec3 sw = sp_numbers(o->w), sv = sp_numbers(o->v), m = sp_numbers(o->m), f = sp_numbers(o->f);
  const vec3 at = d ? v3_neg(sp_numbers(*d)) : v3_zero();
  const real inverse = w->sign * o->inverse;
  const tiled matrix = w->m;
  int row = row_of(w, c);
  for (int k = lo; k < hi; k++) {
    real *to = tile_at(&matrix, row, k);
    tile6 V = from[k];
    if (d) V.b = tile3_add_cross(V.b, at, V.a);
    tile y = inverse * tile_load(to) - (tile3_dot(m, V.a) + tile3_dot(f, V.b));
    tile_store(y, to);
    V.a = tile3_axpy(y, sw, V.a);
    if (!turn) V.b = tile3_axpy(y, sv, V.b);
    A[k] = V;
  }
}

FLAT void tiles_clear(tile6 *F, int lo, int hi) {
  for (int k = lo; k < hi; k++) F[k] = (tile6){0};
}

/* Hands the block of a body that is not the last child to its parent. Columns of later children are there already. */
FLAT void hand_over(const equations *w, int i, int lo, int hi) {
  const tile6 *from = block_of(w, i);
  tile6 *to = block_of(w, w->o->t->body[i].parent);
  int there = w->triangle ? tile_of(w->o->t->body[i].stop) : lo;
  for (int k = lo; k < there; k++) to[k] = from[k];
  for (int k = there; k < hi; k++) to[k] = (tile6){tile3_add(to[k].a, from[k].a), tile3_add(to[k].b, from[k].b)};
}

static inline void equations_inward(const equations *w) {
  const JN_S(tree) *t = w->o->t;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    tile6 *F = block_of(w, i);
    int lo = w->triangle ? tile_of(b->id) : 0, hi = tiles_of(w->triangle ? b->stop : w->m.columns);
    if (b->end == i + 1)
      tiles_clear(F, lo, hi);
    else if (w->triangle)
      tiles_clear(F, lo, tile_of(t->body[i + 1].id));
    for (int k = b->nv - 1; k >= 0; k--) {
      int c = b->id + k, from = w->triangle ? tile_of(c) : 0;
      const space *d = k == 0 && b->parent >= 0 ? &w->o->d[i] : NULL;
      if (is_turn(b) && d)
        unit_inward(w, c, 1, d, from, hi, F);
      else
        unit_inward(w, c, 0, d, from, hi, F);
    }
    if (b->parent >= 0 && block_of(w, b->parent) != F) hand_over(w, i, lo, hi);
  }
}

static inline void equations_outward(const equations *w) {
  const JN_S(tree) *t = w->o->t;
  int tiles = tiles_of(w->m.columns);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    tile6 *A = block_of(w, i);
    const tile6 *from = b->parent < 0 ? A : block_of(w, b->parent);
    if (b->parent < 0) tiles_clear(A, 0, tiles);
    for (int k = 0; k < b->nv; k++) {
      int c = b->id + k, lo = w->triangle ? tile_of(c) : 0;
      if (is_turn(b) && b->parent >= 0)
        unit_outward(w, c, 1, &w->o->d[i], lo, tiles, from, A);
      else
        unit_outward(w, c, 0, k == 0 && b->parent >= 0 ? &w->o->d[i] : NULL, lo, tiles, k ? A : from, A);
    }
  }
}

/* In scratch memory; counting: only takes it. */
static inline void equations_place(const articulation *o, equations *w, real **at) {
  const JN_S(tree) *t = o->t;
  w->o = o;
  w->block = TAKE_INTS(at, t->nb);
  w->m.rows = t->nv;
  w->m.tail = take(at, (size_t)(t->nv * TILE));
  w->F = TAKE_ALIGNED(at, BLOCKS * tiles_of(t->nv), tile6);
}
/* 0 when there is no room for the tree: it branches too often. */
static inline int equations_fit(const equations *w) {
  return !w->o->t->coupled && blocks_of(w->o->t, w->block) <= BLOCKS;
}

/* sign M^-1 X in place of X [nv x wide], rows in the order of v. */
static inline void equations_solve(equations *w, scalar sign, int wide, real *X) {
  w->rows = w->o->t->order;
  w->triangle = 0;
  w->sign = sign;
  w->m.stride = wide;
  for (int first = 0; first < wide && w->m.rows > 0; first += w->m.rows) {
    w->m.at = X + first;
    w->m.columns = wide - first < w->m.rows ? wide - first : w->m.rows;
    tails_out(&w->m);
    equations_inward(w);
    equations_outward(w);
    tails_back(&w->m);
  }
}

/* M^-1 [nv x nv] in the order of elimination. */
static inline void equations_inverse(equations *w, real *out) {
  int n = w->m.rows, tiles = tiles_of(n);
  w->m.at = out;
  w->m.columns = w->m.stride = n;
  w->rows = NULL;
  w->triangle = 1;
  w->sign = 1;
  for (int c = 0; c < n; c++) {
    for (int k = tile_of(c) + 1; k < tiles; k++) tile_store((tile){0}, tile_at(&w->m, c, k));
    tile_store(tile_one(lane_in_tile(c)), tile_at(&w->m, c, tile_of(c)));
  }
  equations_inward(w);
  equations_outward(w);
  tails_back(&w->m);
  lower_from_upper(out, n);
}

/* Articulated bodies at q = c->in[0] with all that many right-hand sides need. 0: the tree branches too often for these
 * at once, or the call only counts. */
FLAT int articulated_at(const JN_S(tree) * t, const jn_call *c, real **at, articulation *o, equations *e,
                        real *pivots) {
  angles turn = angles_at(t, c->in[0], at);
  articulation_room r = articulation_place(t, at);
  *o = r.o;
  equations_place(o, e, at);
  if (counts(c, *at)) return 0;
  articulation_sweep(&r, c->in[0], turn, NULL, pivots);
  return equations_fit(e);
}

#endif
