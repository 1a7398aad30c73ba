/* SPDX-License-Identifier: BSD-2-Clause */
/* Articulated inertias, and the solution of M x = f with them in O(n). [kim2012 Table 3]
 *
 * All quantities are in the world's axes (world.h), so they are never rotated, only moved from origin to origin. Each
 * coordinate is eliminated by itself: a joint with several screws counts as several joints at one point.
 *
 *   elimination, inwards     U = IA S,  D = S^T U + armature,  IA' = IA - U U^T / D, added to the parent
 *   M x = f, inwards         u = f - S^T p,  p' = p + U u / D, added to the parent
 *            outwards        x = (u - U^T A) / D,  A' = A + S x, passed to the children
 *
 *   symbol  meaning                                                                    size
 *   S       screw of a coordinate, S = (w, v)                                          6
 *   IA      articulated inertia: the body with its subtree, whose free joints yield    21
 *   U, D    of a coordinate, as above; stored are U / D = (m, f) and 1 / D             6, 1
 *   p, A    wrench that the subtree needs for f, acceleration of the body              6, 6
 *   d       origin of the body from that of its parent                                 3
 *
 * The D are the pivots of the factors L^T D L of M (mass_matrix/mass_factor.h), which would cost O(n depth^2).
 * `revolute` in the arguments says that the screw has no linear part, v = 0. */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_ARTICULATED_H
#define JN_KERNEL_FORWARD_DYNAMICS_ARTICULATED_H

#include "../base/bodies.h"
#include "../base/tile.h"
#include "../mass_matrix/mass_factor.h"

/* A coordinate that has been eliminated. */
typedef struct eliminated {
  space w, v;   /* its screw S */
  space m, f;   /* U / D */
  real inverse; /* 1 / D */
} eliminated;

/* Solver of M x = f for trees without coupled coordinates. */
typedef struct articulation {
  const JN_S(tree) * tree;
  space *d;      /* [nb] origin from that of the parent */
  eliminated *x; /* [nd] */
} articulation;

#if JN_REGISTERS

/* One state with AVX2: IA = [J, G^T; G, M] by columns in registers. 26 ns a joint, where the version below takes 38. */
typedef struct body_inertia {
  r4 J[3], G[3], M[3];
} body_inertia;

static inline body_inertia body_inertia_from(const space_inertia *I) {
  r4 h = I->h;
  return (body_inertia){{I->Jx, I->Jy, I->Jz},
                        {LANES(h, -h, 3, 6, 1, 3), LANES(h, -h, 2, 3, 4, 3), LANES(h, -h, 5, 0, 3, 3)},
                        {I->m * r4_set(1, 0, 0, 0), I->m * r4_set(0, 1, 0, 0), I->m * r4_set(0, 0, 1, 0)}};
}
/* IA S */
static inline wrench body_mul(const body_inertia *I, twist S) {
  r4 v = sp_of(S.v), g[4] = {I->G[0] * v, I->G[1] * v, I->G[2] * v, r4_zero()};
  r4_transpose4(g);
  r4 m = S.w.x * I->J[0] + (S.w.y * I->J[1] + S.w.z * I->J[2]),
     f = S.w.x * I->G[0] + (S.w.y * I->G[1] + S.w.z * I->G[2]);
  m += g[0] + g[1] + g[2];
  f += S.v.x * I->M[0] + (S.v.y * I->M[1] + S.v.z * I->M[2]);
  return (wrench){sp_numbers(m), sp_numbers(f)};
}
/* Eliminates a coordinate with screw (x->w, x->v) from I; fills in U / D and 1 / D; returns D. */
static inline real eliminate(body_inertia *I, int revolute, real armature, eliminated *x) {
  const scalar *w = (const scalar *)&x->w, *v = (const scalar *)&x->v;

  /* U = IA S = (m, f), and the products that add up to S^T U. */
  r4 m = w[0] * I->J[0] + (w[1] * I->J[1] + w[2] * I->J[2]), f = w[0] * I->G[0] + (w[1] * I->G[1] + w[2] * I->G[2]);
  r4 product = m * x->w;
  if (!revolute) {
    r4 g[4] = {I->G[0] * x->v, I->G[1] * x->v, I->G[2] * x->v, r4_zero()};
    r4_transpose4(g);
    m += g[0] + g[1] + g[2];
    f += v[0] * I->M[0] + (v[1] * I->M[1] + v[2] * I->M[2]);
    product = m * x->w + f * x->v;
  }

  /* D = S^T U + armature. */
  real D = product[0] + product[1] + product[2] + armature, inverse = 1 / D;
  x->m = inverse * m;
  x->f = inverse * f;
  x->inverse = inverse;

  /* IA' = IA - U U^T / D, column by column. */
  for (int k = 0; k < 3; k++) {
    r4 mk = k == 0 ? LANE(m, 0) : k == 1 ? LANE(m, 1) : LANE(m, 2);
    r4 fk = k == 0 ? LANE(f, 0) : k == 1 ? LANE(f, 1) : LANE(f, 2);
    I->J[k] -= x->m * mk;
    I->G[k] -= x->f * mk;
    I->M[k] -= x->f * fk;
  }
  return D;
}

/* I about another point, from which the present one is at d:
 *   G' = G - M [d],  J' = J + Q + Q^T,  Q = [d] (G - M [d] / 2). */
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
/* I plus the inertia of a body alone. */
static inline body_inertia body_with(const body_inertia *I, const space_inertia *B) {
  body_inertia sum = body_inertia_from(B);
  body_add(&sum, I);
  return sum;
}

#else

/* IA = [J, H; H^T, M] */
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

FLAT real eliminate(body_inertia *I, int revolute, real armature, eliminated *x) {
  twist S = {x->w, x->v};

  /* F = IA S,  D = S^T F + armature,  U = F / D. */
  wrench F = revolute ? (wrench){s3_mul(I->J, S.w), m3_tmul(I->H, S.w)} : body_mul(I, S);
  real D = (revolute ? dot(F.m, S.w) : power(F, S)) + armature, inverse = K(1) / D;
  wrench U = {v3_scale(inverse, F.m), v3_scale(inverse, F.f)};

  /* IA' = IA - F F^T / D. */
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

/* I about another point, from which the present one is at d:  H' = H + [d] M,  J' = J + [d] H^T - H' [d]. */
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

/* The inertia I of a body alone, as in the model, turned into the world's axes R. */
FLAT space_inertia inertia_of_body(const axes *R, const scalar *I) {
  space_inertia o;
  o.m = splat(I[0]);
  o.h = sp_sum(R->x, R->y, R->z, I + 1, 1);
  inertia_to_world(R, I, &o);
  return o;
}

/* Eliminates coordinate k of body i from its articulated inertia I, and writes its pivot. */
FLAT void eliminate_coordinate(const articulation *o, int i, int k, int revolute, body_inertia *I, real *pivot) {
  const JN_S(body) *body = &o->tree->body[i];
  real D = eliminate(I, revolute, armature_of(o->tree, body, k), &o->x[body->id + k]);
  pivot[body->id + k] = relative(D, splat(o->tree->reference_inertia[body->id + k]));
}

/* Body i inwards: returns IA', what is left of its articulated inertia when its coordinates are eliminated, and adds it
 * to the parent.
 *   own              inertia of the body alone
 *   I [nb]           sums over the children of each body. The last child comes first in this sweep and starts the sum:
 *                    its subtree ends where the body's does.
 *   prescribed [nv]  coordinates that are not eliminated, because they do not yield (x = 0); NULL: none
 *   pivot [nd]       D relative to the inertia that the coordinate moves at some configuration */
FLAT body_inertia articulate(const articulation *o, int i, const unsigned char *prescribed, const space_inertia *own,
                             body_inertia *I, real *pivot) {
  const JN_S(body) *body = &o->tree->body[i];

  /* IA = the body alone + its children. */
  body_inertia left = body->end == i + 1 ? body_inertia_from(own) : body_with(&I[i], own);

  /* Eliminate the free coordinates, from the last to the first. */
  if (is_revolute(body) && !(prescribed && prescribed[body->iv]))
    eliminate_coordinate(o, i, 0, 1, &left, pivot);
  else
    for (int c = body->id + body->nv - 1; c >= body->id; c--) {
      if (prescribed && prescribed[body->iv + c - body->id]) {
        o->x[c].m = o->x[c].f = sp_zero();
        o->x[c].inverse = ZERO;
        pivot[c] = K(1);
      } else {
        eliminate_coordinate(o, i, c - body->id, 0, &left, pivot);
      }
    }
  if (body->parent < 0) return left;

  /* Add the rest to the parent, about its origin. */
  body_inertia moved = body_shift(&left, &o->d[i]), *to = &I[body->parent];
  if (body->end != o->tree->body[body->parent].end) body_add(&moved, to);
  *to = moved;
  return left;
}

/* A coordinate inwards: u = f - S^T p in place of f; returns p' = p + U u / D. Number by number: each coordinate waits
 * for the one before, and sums across a register would make it wait longer. */
FLAT wrench solve_coordinate_inward(const eliminated *u, int revolute, wrench p, real *x) {
  real y = *x - dot(p.m, sp_numbers(u->w));
  if (!revolute) y -= dot(p.f, sp_numbers(u->v));
  *x = y;
  return (wrench){v3_axpy(y, sp_numbers(u->m), p.m), v3_axpy(y, sp_numbers(u->f), p.f)};
}
/* All coordinates of body i inwards; x [nd]. */
static inline wrench solve_joint_inward(const articulation *o, int i, wrench p, real *x) {
  const JN_S(body) *body = &o->tree->body[i];
  if (is_revolute(body)) return solve_coordinate_inward(&o->x[body->id], 1, p, &x[body->id]);
  for (int c = body->id + body->nv - 1; c >= body->id; c--) p = solve_coordinate_inward(&o->x[c], 0, p, &x[c]);
  return p;
}
/* Body i inwards, and its wrench added to the parent; p [nb] is zero at first. */
static inline void solve_inward(const articulation *o, int i, wrench *p, real *x) {
  int parent = o->tree->body[i].parent;
  p[i] = solve_joint_inward(o, i, p[i], x);
  if (parent >= 0) p[parent] = w_add(p[parent], w_shift(p[i], sp_numbers(o->d[i])));
}

/* A coordinate outwards: x = (u - U^T A) / D in place of u; returns A' = A + S x. */
FLAT twist solve_coordinate(const eliminated *u, int revolute, twist A, real *x) {
  real y = u->inverse * *x - power((wrench){sp_numbers(u->m), sp_numbers(u->f)}, A);
  *x = y;
  A.w = v3_axpy(y, sp_numbers(u->w), A.w);
  if (!revolute) A.v = v3_axpy(y, sp_numbers(u->v), A.v);
  return A;
}
/* All coordinates of body i outwards. A is the acceleration of the parent, at the origin of the body. */
static inline twist solve_joint(const articulation *o, int i, twist A, real *x) {
  const JN_S(body) *body = &o->tree->body[i];
  if (is_revolute(body)) return solve_coordinate(&o->x[body->id], 1, A, &x[body->id]);
  for (int c = body->id; c < body->id + body->nv; c++) A = solve_coordinate(&o->x[c], 0, A, &x[c]);
  return A;
}
/* Body i outwards; A [nb] are the accelerations of the bodies. */
static inline void solve_outward(const articulation *o, int i, twist *A, real *x) {
  int p = o->tree->body[i].parent;
  A[i] = solve_joint(o, i, p < 0 ? t_zero() : t_shift(A[p], sp_numbers(o->d[i])), x);
}

/* One right-hand side: x = M^-1 f in place of f [nd]; p, A [nb] are scratch. */
static inline void solve_alone(const articulation *o, wrench *p, twist *A, real *x) {
  int nb = o->tree->nb;
  for (int i = 0; i < nb; i++) p[i] = w_zero();
  for (int i = nb - 1; i >= 0; i--) solve_inward(o, i, p, x);
  for (int i = 0; i < nb; i++) solve_outward(o, i, A, x);
}

/* Scratch of a solver: what solving needs, and what only the elimination needs. */
typedef struct articulation_scratch {
  articulation o;
  body_inertia *I; /* [nb] */
  axes *R;         /* [nb] */
} articulation_scratch;

static inline articulation_scratch articulation_place(const JN_S(tree) * tree, real **at) {
  articulation_scratch r = {.o = {tree, TAKE_ALIGNED(at, tree->nb, space), TAKE_ALIGNED(at, tree->nd, eliminated)}};
  r.I = TAKE_ALIGNED(at, tree->nb, body_inertia);
  r.R = TAKE(at, tree->nb, axes);
  return r;
}

/* Eliminates all coordinates at q: poses and screws outwards, articulated inertias inwards. */
FLAT void articulation_sweep(const articulation_scratch *r, const real *q, angles angle,
                             const unsigned char *prescribed, real *pivots) {
  const articulation *o = &r->o;
  const JN_S(tree) *tree = o->tree;
  axes ground = axes_of_world();

  /* Outwards: axes, origins and screws. */
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    space w[6], v[6];
    r->R[i] = axes_outward(tree, i, q, angle, body->parent < 0 ? &ground : &r->R[body->parent]);
    o->d[i] = r->R[i].d;
    axes_screws(tree, i, q, &r->R[i], w, v);
    for (int k = 0; k < body->nv; k++) o->x[body->id + k].w = w[k], o->x[body->id + k].v = v[k];
  }

  /* Inwards: articulated inertias. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    space_inertia own = inertia_of_body(&r->R[i], tree->body[i].inertia);
    articulate(o, i, prescribed, &own, r->I, pivots);
  }
}

/* ---- many right-hand sides: M X = F, TILE columns of F at once ---- */

/* Whether the dense factors of mass_factor.h are faster: in lanes, and where branches are short. M^-1 in lanes of four
 * takes, in ns a state, by factors and this way: 7 joints 214 and 239; 18 coordinates of a quadruped 750 and 732; a
 * chain of 25 joints 2312 and 1292. */
static inline int factors_are_faster(const JN_S(tree) * tree) { return TILE == 1 && branch_length(tree) <= 16; }

/* A block holds the wrenches p (then the accelerations A) of one body, for all columns. Few bodies need one at the same
 * time: the last child of a body uses the block of its parent, any other child the next one. */
typedef struct equations {
  const articulation *o;
  tiled m;             /* right-hand sides, then solutions: row c is that of coordinate c, or of rows[c] */
  const int32_t *rows; /* [nd] or NULL */
  int triangle;        /* right-hand sides are the identity, and of the solutions only columns >= c are wanted */
  scalar sign;         /* what the solution is multiplied with */
  int32_t *block;      /* [nb] */
  tile6 *F;            /* [blocks][tiles] */
} equations;

enum { BLOCKS = 8 }; /* for which scratch memory is taken */

/* The blocks of the bodies [nb]; returns how many there are. */
static inline int blocks_of(const JN_S(tree) * tree, int32_t *block) {
  int most = 0;
  for (int i = 0; i < tree->nb; i++) {
    int p = tree->body[i].parent;
    block[i] = p < 0 ? 0 : block[p] + (tree->body[i].end != tree->body[p].end);
    if (block[i] >= most) most = block[i] + 1;
  }
  return most;
}

/* The block of body i, and the row of coordinate c. */
FLAT tile6 *block_of(const equations *w, int i) { return w->F + w->block[i] * tiles_of(w->m.columns); }
FLAT int row_of(const equations *w, int c) { return w->rows ? w->rows[c] : c; }

/* Coordinate c inwards, in tiles [lo, hi): u = f - S^T p in place of f,  p' = p + U u / D. With d, p' is then moved to
 * the origin of the parent. */
FLAT void solve_columns_inward(const equations *w, int c, int revolute, const space *d, int lo, int hi, tile6 *F) {
  const eliminated *o = &w->o->x[c];
  const vec3 sw = sp_numbers(o->w), sv = sp_numbers(o->v), m = sp_numbers(o->m), f = sp_numbers(o->f);
  const vec3 at = d ? sp_numbers(*d) : v3_zero();
  const tiled matrix = w->m;
  int row = row_of(w, c);

  for (int k = lo; k < hi; k++) {
    real *to = tile_at(&matrix, row, k);
    tile6 p = F[k];
    tile u = tile_load(to) - tile3_dot(sw, p.a);
    if (!revolute) u -= tile3_dot(sv, p.b);
    tile_store(u, to);
    p.b = tile3_axpy(u, f, p.b);
    p.a = tile3_axpy(u, m, p.a);
    if (d) p.a = tile3_add_cross(p.a, at, p.b);
    F[k] = p;
  }
}

/* Coordinate c outwards, in tiles [lo, hi): x = (u - U^T A) / D in place of u,  A' = A + S x. With d, A is first moved
 * from the origin of the parent. */
FLAT void solve_columns_outward(const equations *w, int c, int revolute, const space *d, int lo, int hi,
                                const tile6 *from, tile6 *A) {
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
    if (!revolute) V.b = tile3_axpy(y, sv, V.b);
    A[k] = V;
  }
}

/* Tiles [lo, hi) are zero. */
FLAT void tiles_clear(tile6 *F, int lo, int hi) {
  for (int k = lo; k < hi; k++) F[k] = (tile6){0};
}

/* Adds the block of a body that is not the last child to that of its parent. With `triangle`, only the columns of later
 * children are there already; the others are copied. */
FLAT void add_block_to_parent(const equations *w, int i, int lo, int hi) {
  const tile6 *from = block_of(w, i);
  tile6 *to = block_of(w, w->o->tree->body[i].parent);
  int there = w->triangle ? tile_of(w->o->tree->body[i].stop) : lo;
  for (int k = lo; k < there; k++) to[k] = from[k];
  for (int k = there; k < hi; k++) to[k] = (tile6){tile3_add(to[k].a, from[k].a), tile3_add(to[k].b, from[k].b)};
}

/* All bodies inwards. With `triangle`, column k of a body is zero unless coordinate k is in its subtree. */
static inline void equations_inward(const equations *w) {
  const JN_S(tree) *tree = w->o->tree;

  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    tile6 *F = block_of(w, i);
    int lo = w->triangle ? tile_of(body->id) : 0, hi = tiles_of(w->triangle ? body->stop : w->m.columns);

    /* A leaf starts with p = 0; so do the columns that no child has filled. */
    if (body->end == i + 1)
      tiles_clear(F, lo, hi);
    else if (w->triangle)
      tiles_clear(F, lo, tile_of(tree->body[i + 1].id));

    /* Its coordinates, from the last to the first, after which p' is moved to the parent's origin. */
    for (int k = body->nv - 1; k >= 0; k--) {
      int c = body->id + k, from = w->triangle ? tile_of(c) : 0;
      const space *d = k == 0 && body->parent >= 0 ? &w->o->d[i] : NULL;
      if (is_revolute(body) && d)
        solve_columns_inward(w, c, 1, d, from, hi, F);
      else
        solve_columns_inward(w, c, 0, d, from, hi, F);
    }
    if (body->parent >= 0 && block_of(w, body->parent) != F) add_block_to_parent(w, i, lo, hi);
  }
}

/* All bodies outwards. */
static inline void equations_outward(const equations *w) {
  const JN_S(tree) *tree = w->o->tree;
  int tiles = tiles_of(w->m.columns);

  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    tile6 *A = block_of(w, i);
    const tile6 *from = body->parent < 0 ? A : block_of(w, body->parent);
    if (body->parent < 0) tiles_clear(A, 0, tiles);
    for (int k = 0; k < body->nv; k++) {
      int c = body->id + k, lo = w->triangle ? tile_of(c) : 0;
      if (is_revolute(body) && body->parent >= 0)
        solve_columns_outward(w, c, 1, &w->o->d[i], lo, tiles, from, A);
      else
        solve_columns_outward(w, c, 0, k == 0 && body->parent >= 0 ? &w->o->d[i] : NULL, lo, tiles, k ? A : from, A);
    }
  }
}

/* Takes scratch memory; a call that only counts ends here. */
static inline void equations_place(const articulation *o, equations *w, real **at) {
  const JN_S(tree) *tree = o->tree;
  w->o = o;
  w->block = TAKE_INTS(at, tree->nb);
  w->m.rows = tree->nv;
  w->m.tail = take(at, (size_t)(tree->nv * TILE));
  w->F = TAKE_ALIGNED(at, BLOCKS * tiles_of(tree->nv), tile6);
}
/* Whether BLOCKS blocks are enough: the tree does not branch too often, and nothing is coupled. */
static inline int equations_fit(const equations *w) {
  return !w->o->tree->coupled && blocks_of(w->o->tree, w->block) <= BLOCKS;
}

/* sign M^-1 X in place of X [nv x wide], rows in the order of v; nv columns at a time. */
static inline void equations_solve(equations *w, scalar sign, int wide, real *X) {
  w->rows = w->o->tree->order;
  w->triangle = 0;
  w->sign = sign;
  w->m.stride = wide;
  for (int first = 0; first < wide && w->m.rows > 0; first += w->m.rows) {
    w->m.at = X + first;
    w->m.columns = wide - first < w->m.rows ? wide - first : w->m.rows;
    copy_tails_out(&w->m);
    equations_inward(w);
    equations_outward(w);
    copy_tails_back(&w->m);
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

  /* The identity, upper half. */
  for (int c = 0; c < n; c++) {
    for (int k = tile_of(c) + 1; k < tiles; k++) tile_store((tile){0}, tile_at(&w->m, c, k));
    tile_store(tile_one(lane_in_tile(c)), tile_at(&w->m, c, tile_of(c)));
  }

  /* Solve, then mirror. */
  equations_inward(w);
  equations_outward(w);
  copy_tails_back(&w->m);
  lower_from_upper(out, n);
}

/* Articulated bodies at q, and what many right-hand sides need. Returns 0 if the tree branches too often for
 * many at once, or if the call only counts. */
FLAT int articulated_at(const JN_S(tree) * tree, const jn_call *call, const real *q, real **at, articulation *o,
                        equations *e, real *pivots) {
  angles angle = angles_at(tree, q, at);
  articulation_scratch r = articulation_place(tree, at);
  *o = r.o;
  equations_place(o, e, at);
  if (counts(call, *at)) return 0;
  articulation_sweep(&r, q, angle, NULL, pivots);
  return equations_fit(e);
}

#endif
