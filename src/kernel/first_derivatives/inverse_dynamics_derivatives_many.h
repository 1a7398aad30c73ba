/* SPDX-License-Identifier: BSD-2-Clause */
/* The linearization of linearization.h at LANES states, and its matrices row by row, for trees without coupled
 * coordinates and wrenches that are fixed to their bodies. A row is complete at once: entries with coordinates inward
 * of its own, whose wrenches are moved inwards, and with those outward of it, whose moments are taken about its own
 * point: S . (m + p x f, f) = S.w . m + (S.v + S.w x p) . f so rows go straight to the caller, and matrices in lanes,
 * which do not fit into the first caches, are never made. In lanes of four doubles d tau of 7 joints takes 0.28 us a
 * state (with such matrices 0.40), of a quadruped 0.72 (1.14), of a humanoid of 44 joints 3.8 (5.8). */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_MANY_H
#define JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_MANY_H

#include "../base/direct.h"
#include "linearization.h"

#if JN_MANY

/* How a body moves. */
typedef struct place {
  mat3 R;
  vec3 d; /* its origin from that of its parent */
  twist V, A;
} place;

/* Of a body, then of its subtree. */
typedef struct subtree_sums {
  inertia I;
  rates B;
  wrench F;
} subtree_sums;

/* A coordinate as those outward of it meet it. */
typedef struct screws {
  twist S, psi, ppsi, both; /* both = Psi + psi: of a revolute joint 2 psi, and not kept */
} screws;

/* And as those inward of it do: I S; I ppsi + B psi + S x* F; I (Psi + psi) + B S; B^T S. */
typedef struct coordinate_wrenches {
  wrench Z, Y, Yv;
  vec3 U;
} coordinate_wrenches;

typedef struct linearization_many {
  const JN_S(tree) * t;
  const real *q, *v, *a; /* v, a: NULL is zero */
  const real *W;         /* [nlink][6] or NULL */
  angles turn;
  place *at;              /* [nb + 1], the world last */
  subtree_sums *sum;      /* [nb] */
  screws *s;              /* [nd] */
  coordinate_wrenches *x; /* [nd] */
  vec3 *p;                /* [nb] origins from that of the row at hand */
} linearization_many;

static inline linearization_many many_place(const JN_S(tree) * t, const real *q, const real *v, const real *a,
                                            real **at) {
  linearization_many o = {.t = t, .q = q, .v = v, .a = a};
  o.turn = angles_at(t, q, at);
  o.at = TAKE(at, t->nb + 1, place);
  o.sum = TAKE(at, t->nb, subtree_sums);
  o.s = TAKE(at, t->nd, screws);
  o.x = TAKE(at, t->nd, coordinate_wrenches);
  o.p = TAKE(at, t->nb, vec3);
  if (q) o.at[t->nb] = (place){m3_identity(), v3_zero(), t_zero(), base_acceleration(t)};
  return o;
}

FLAT const place *place_before(const linearization_many *o, int i) {
  int p = o->t->body[i].parent;
  return &o->at[p < 0 ? o->t->nb : p];
}

/* ---- outward ---- */

/* A body alone: inertia, rates and wrench. */
FLAT void many_body(const linearization_many *o, int i, mat3 R, twist V, twist A) {
  inertia I = i_to_world(R, o->t->body[i].inertia);
  wrench momentum = i_mul(I, V);
  o->sum[i].I = I;
  o->sum[i].B = (rates){i_rate(V, I).J, momentum.m, momentum.f};
  o->sum[i].F = w_add(i_mul(I, A), w_cross(V, momentum));
}

/* A body that turns about z; root: before it nothing moves, and psi is zero. */
FLAT void many_turn(const linearization_many *o, int i, int root) {
  const JN_S(body) *b = &o->t->body[i];
  const place *P = place_before(o, i);
  mat3 B = m3_constant(b->R);
  vec3 d = v3_constant(b->p);
  twist V = t_zero(), A = {v3_zero(), P->A.v};
  if (!root) {
    d = m3_mul(P->R, d);
    B = m3_prod(P->R, B);
    V = t_shift(P->V, d);
    A = t_shift(P->A, d);
  }
  vec3 e = v3_scale(splat(b->ratio), B.z);
  real c = o->turn.c[i], s = o->turn.s[i];
  mat3 R = {v3_axpy(s, B.y, v3_scale(c, B.x)), v3_axpy(-s, B.x, v3_scale(c, B.y)), B.z};
  screws *to = &o->s[b->id];
  to->S = (twist){e, v3_zero()};
  if (root) {
    to->psi = t_zero();
    to->ppsi = (twist){v3_zero(), cross(A.v, e)};
  } else {
    twist psi = {cross(V.w, e), cross(V.v, e)}, more = t_ad(V, psi);
    to->psi = psi;
    to->ppsi = (twist){v3_add(cross(A.w, e), more.w), v3_add(cross(A.v, e), more.v)};
    if (o->v) A = t_axpy(o->v[b->iv], psi, A);
  }
  if (o->v) V.w = v3_axpy(o->v[b->iv], e, V.w);
  if (o->a) A.w = v3_axpy(o->a[b->iv], e, A.w);
  o->at[i] = (place){R, d, V, A};
  many_body(o, i, R, V, A);
}

/* Coordinates [first, first + count) of body i that act together: all of a group, else one screw. */
FLAT void many_unit(const linearization_many *o, int i, int first, int count, twist *V, twist *A) {
  const JN_S(body) *b = &o->t->body[i];
  screws *s = o->s + b->id + first;
  int iv = b->iv + first;
  for (int c = 0; c < count; c++) {
    s[c].psi = t_ad(*V, s[c].S);
    s[c].ppsi = t_add(t_ad(*A, s[c].S), t_ad(*V, s[c].psi));
  }
  for (int c = 0; c < count && o->v; c++) *V = t_axpy(o->v[iv + c], s[c].S, *V);
  for (int c = 0; c < count; c++) {
    twist Psi = t_ad(*V, s[c].S);
    s[c].both = t_add(Psi, s[c].psi);
    if (o->v) *A = t_axpy(o->v[iv + c], Psi, *A);
    if (o->a) *A = t_axpy(o->a[iv + c], s[c].S, *A);
  }
}

static inline void many_any(const linearization_many *o, int i) {
  const JN_S(body) *b = &o->t->body[i];
  const place *P = place_before(o, i);
  pose X = body_pose(o->t, b, o->q, o->turn.c[i], o->turn.s[i]);
  mat3 R = m3_prod(P->R, X.R);
  vec3 d = m3_mul(P->R, X.p);
  twist V = t_shift(P->V, d), A = t_shift(P->A, d), S[6];
  joint_screws(o->t, b, o->q, NULL, S, NULL);
  for (int c = 0; c < b->nv; c++) o->s[b->id + c].S = (twist){m3_mul(R, S[c].w), m3_mul(R, S[c].v)};
  int step = is_group(b) ? b->nv : 1;
  for (int c = 0; c < b->nv; c += step) many_unit(o, i, c, step, &V, &A);
  o->at[i] = (place){R, d, V, A};
  many_body(o, i, R, V, A);
}

/* A free joint at the root: its screws are the axes of R, and the world does not move, so that psi = 0, ppsi = (0, a x
 * e) with the acceleration a that makes weight, and [V, V] = 0 adds nothing to A: row_inward_free() has what follows.
 */
static inline int is_free_root(const JN_S(body) * b) { return b->kind == JN_BODY_FREE && b->parent < 0; }

static inline void many_free(const linearization_many *o, int i) {
  const JN_S(body) *b = &o->t->body[i];
  pose X = body_pose(o->t, b, o->q, o->turn.c[i], o->turn.s[i]);
  mat3 R = X.R;
  screws *s = o->s + b->id;
  twist V = t_zero(), A = place_before(o, i)->A;
  s[0].S = (twist){R.x, v3_zero()};
  s[1].S = (twist){R.y, v3_zero()};
  s[2].S = (twist){R.z, v3_zero()};
  s[3].S = (twist){v3_zero(), R.x};
  s[4].S = (twist){v3_zero(), R.y};
  s[5].S = (twist){v3_zero(), R.z};
  if (o->v) V = (twist){m3_mul(R, v3_load(o->v + b->iv)), m3_mul(R, v3_load(o->v + b->iv + 3))};
  if (o->a) A = t_add(A, (twist){m3_mul(R, v3_load(o->a + b->iv)), m3_mul(R, v3_load(o->a + b->iv + 3))});
  o->at[i] = (place){R, X.p, V, A};
  many_body(o, i, R, V, A);
}

/* The external wrench on link l is taken from F. */
static inline void many_wrench(const linearization_many *o, int l) {
  const JN_S(frame) *f = &o->t->frame[l];
  if (f->body < 0) return;
  pose T = se3_mul((pose){o->at[f->body].R, v3_zero()}, se3_constant(f->R, f->p));
  wrench *F = &o->sum[f->body].F;
  *F = w_sub(*F, w_Ad_inverse(T, w_load(o->W + 6 * l)));
}

static __attribute__((noinline)) void many_outward(const linearization_many *o) {
  const JN_S(tree) *t = o->t;
  for (int i = 0; i < t->nb; i++) {
    if (is_revolute(&t->body[i]) && t->body[i].parent < 0)
      many_turn(o, i, 1);
    else if (is_revolute(&t->body[i]))
      many_turn(o, i, 0);
    else if (is_free_root(&t->body[i]))
      many_free(o, i);
    else
      many_any(o, i);
  }
  for (int l = 0; l < t->nlink && o->W; l++) many_wrench(o, l);
}

/* ---- inward ---- */

/* Those wrenches of coordinate c of body i that coordinates of the same joint are multiplied with. */
FLAT void many_own(const linearization_many *o, int i, int c) {
  const subtree_sums *w = &o->sum[i];
  twist S = o->s[c].S;
  o->x[c].Z = i_mul(w->I, S);
  o->x[c].U = b_tmul(w->B, S);
}

/* All wrenches of coordinate c of body i. */
FLAT void many_wrenches(const linearization_many *o, int i, int c, int turn) {
  const subtree_sums *w = &o->sum[i];
  const screws *s = &o->s[c];
  coordinate_wrenches *x = &o->x[c];
  inertia I = w->I;
  rates B = w->B;
  wrench F = w->F;
  vec3 e = s->S.w, Qe = s3_mul(B.Q, e), Le = cross(B.L, e);
  wrench Y = w_add(i_mul(I, s->ppsi), b_mul(B, s->psi)), Yv = i_mul(I, turn ? s->psi : s->both);
  vec3 Pe = cross(B.P, e);
  if (turn)
    x->Yv = (wrench){v3_axpy(K(2), Yv.m, v3_sub(Qe, Le)), v3_scale(K(2), v3_sub(Yv.f, Pe))};
  else
    x->Yv = (wrench){v3_add(Yv.m, v3_sub(Qe, Le)), v3_axpy(K(-2), Pe, Yv.f)};
  Y = (wrench){v3_add(Y.m, cross(e, F.m)), v3_add(Y.f, cross(e, F.f))};
  if (turn) {
    x->Z = (wrench){s3_mul(I.J, e), cross(e, I.h)};
    x->U = v3_add(Qe, Le);
    x->Y = Y;
  } else {
    x->Z = i_mul(I, s->S);
    x->U = v3_axpy(K(2), cross(B.P, s->S.v), v3_add(Qe, Le));
    x->Y = (wrench){v3_add(Y.m, cross(s->S.v, F.f)), Y.f};
  }
}

/* Sums over the subtree of body i are complete. */
FLAT void many_hand(const linearization_many *o, int i) {
  int p = o->t->body[i].parent;
  if (p < 0) return;
  const subtree_sums *x = &o->sum[i];
  subtree_sums *to = &o->sum[p];
  vec3 d = o->at[i].d;
  to->I = i_add(to->I, i_shift(x->I, d));
  to->B = b_add(to->B, b_shift(x->B, d));
  to->F = w_add(to->F, w_shift(x->F, d));
}

/* sums: they are not there yet. */
static __attribute__((noinline)) void many_inward(const linearization_many *o, int sums) {
  const JN_S(tree) *t = o->t;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    if (sums) many_hand(o, i);
    if (b->parent < 0 && (is_group(b) || b->nv == 1))
      for (int k = 0; k < b->nv; k++) many_own(o, i, b->id + k); /* nothing is inward of them */
    else if (is_revolute(b))
      many_wrenches(o, i, b->id, 1);
    else
      for (int k = 0; k < b->nv; k++) many_wrenches(o, i, b->id + k, 0);
  }
}

/* ---- rows ---- */

/* The row at hand; NULL: not wanted. */
typedef struct row_at {
  real *dq, *dv, *M; /* [nv] */
} row_at;

/* Entries with a coordinate inward of the row's own, or of the same joint. */
FLAT void row_inward(const row_at *r, const screws *s, int at, int turn, wrench Z, vec3 U) {
  if (r->dq) r->dq[at] = power(Z, s->ppsi) + dot(U, s->psi.w);
  if (turn) {
    if (r->dv) r->dv[at] = K(2) * power(Z, s->psi) + dot(U, s->S.w);
    if (r->M) r->M[at] = dot(Z.m, s->S.w);
  } else {
    if (r->dv) r->dv[at] = power(Z, s->both) + dot(U, s->S.w);
    if (r->M) r->M[at] = power(Z, s->S);
  }
}

/* Entries with a coordinate outward of the row's own, whose screw is S about that one's origin. */
FLAT void row_outward(const row_at *r, const coordinate_wrenches *x, int at, twist S) {
  if (r->dq) r->dq[at] = power(x->Y, S);
  if (r->dv) r->dv[at] = power(x->Yv, S);
  if (r->M) r->M[at] = power(x->Z, S);
}

/* row_inward() of all coordinates of a free joint at the root, by a few products with R^T (humanoid of 44 joints: 0.7
 * us less). */
FLAT void row_inward_free(const linearization_many *o, const row_at *r, int i, wrench Z, vec3 U) {
  const place *b = &o->at[i];
  int at = o->t->body[i].iv;
  if (r->dq) {
    v3_store(m3_tmul(b->R, cross(Z.f, place_before(o, i)->A.v)), r->dq + at);
    v3_store(v3_zero(), r->dq + at + 3);
  }
  if (r->dv) {
    vec3 angular = v3_add(v3_add(cross(Z.m, b->V.w), cross(Z.f, b->V.v)), U);
    v3_store(m3_tmul(b->R, angular), r->dv + at);
    v3_store(m3_tmul(b->R, cross(Z.f, b->V.w)), r->dv + at + 3);
  }
  if (!r->M) return;
  v3_store(m3_tmul(b->R, Z.m), r->M + at);
  v3_store(m3_tmul(b->R, Z.f), r->M + at + 3);
}

/* The row of coordinate c of body i. */
FLAT void row_fill(const linearization_many *o, const row_at *r, int i, int c, int turn) {
  const JN_S(tree) *t = o->t;
  const JN_S(body) *b = &t->body[i];
  twist S = o->s[c].S;
  vec3 U = o->x[c].U, *p = o->p;
  wrench Z = o->x[c].Z;
  int own = turn || !is_group(b) ? c + 1 : b->id + b->nv;
  for (int l = b->id; l < own; l++) row_inward(r, &o->s[l], b->iv + l - b->id, turn, Z, U);
  if (r->M) r->M[b->iv + c - b->id] += armature_of(t, b, c - b->id);
  if (r->dq && t->carries_springs) r->dq[b->iv + c - b->id] += stiffness_of(t, b, c - b->id);
  for (int j = i, k = b->parent; k >= 0; j = k, k = t->body[k].parent) {
    const JN_S(body) *a = &t->body[k];
    Z = w_shift(Z, o->at[j].d);
    if (is_revolute(a))
      row_inward(r, &o->s[a->id], a->iv, 1, Z, U);
    else if (is_free_root(a))
      row_inward_free(o, r, k, Z, U);
    else
      for (int l = 0; l < a->nv; l++) row_inward(r, &o->s[a->id + l], a->iv + l, 0, Z, U);
  }
  for (int l = own; l < b->id + b->nv && !turn; l++) row_outward(r, &o->x[l], b->iv + l - b->id, S);
  p[i] = v3_zero();
  for (int j = i + 1; j < b->end; j++) {
    const JN_S(body) *a = &t->body[j];
    p[j] = v3_add(p[a->parent], o->at[j].d);
    twist to = {S.w, turn ? cross(S.w, p[j]) : v3_add(S.v, cross(S.w, p[j]))};
    for (int l = 0; l < a->nv; l++) row_outward(r, &o->x[a->id + l], a->iv + l, to);
  }
}

/* Rows [6 x nv] of the coordinates of body i, from one kind of wrenches of those outward of it. */
FLAT void free_outward(const linearization_many *o, int i, size_t which, real *to) {
  const JN_S(tree) *t = o->t;
  mat3 R = o->at[i].R;
  int n = t->nv;
  o->p[i] = v3_zero();
  for (int j = i + 1; j < t->body[i].end; j++) {
    const JN_S(body) *a = &t->body[j];
    vec3 p = v3_add(o->p[a->parent], o->at[j].d);
    o->p[j] = p;
    for (int l = 0; l < a->nv; l++) {
      wrench F = w_shift(*(const wrench *)(const void *)((const char *)&o->x[a->id + l] + which), p);
      vec3 m = m3_tmul(R, F.m), f = m3_tmul(R, F.f);
      real *x = to + a->iv + l;
      x[0] = m.x, x[n] = m.y, x[2 * n] = m.z;
      x[3 * n] = f.x, x[4 * n] = f.y, x[5 * n] = f.z;
    }
  }
}

/* All rows of body i. */
static __attribute__((noinline)) void free_root_rows(const linearization_many *o, int i, real *dq, real *dv, real *M) {
  const JN_S(tree) *t = o->t;
  const JN_S(body) *b = &t->body[i];
  int n = t->nv;
  for (int c = 0; c < 6; c++) {
    row_at r = {dq ? dq + c * n : NULL, dv ? dv + c * n : NULL, M ? M + c * n : NULL};
    row_inward_free(o, &r, i, o->x[b->id + c].Z, o->x[b->id + c].U);
    if (M) r.M[b->iv + c] += armature_of(t, b, c);
  }
  if (dq) free_outward(o, i, offsetof(coordinate_wrenches, Y), dq);
  if (dv) free_outward(o, i, offsetof(coordinate_wrenches, Yv), dv);
  if (M) free_outward(o, i, offsetof(coordinate_wrenches, Z), M);
}

/* ---- matrices ---- */

/* Where they go. */
typedef struct target {
  real *dq, *dv, *M;   /* [nv x nv] in lanes, or [6 x nv], rows on their way to the caller; NULL: not wanted */
  const jn_direct *to; /* NULL: none */
} target;

FLAT void row_send(const jn_direct *s, int out, const real *row, int n, int at) {
  if (row) direct_send(s, out, (size_t)at * (size_t)n, row, (size_t)n);
}

static __attribute__((noinline)) void rows_send(const target *g, int n, int at, int count) {
  for (int k = 0; k < count; k++) {
    row_send(g->to, 0, g->dq ? g->dq + k * n : NULL, n, at + k);
    row_send(g->to, 1, g->dv ? g->dv + k * n : NULL, n, at + k);
    row_send(g->to, 2, g->M ? g->M + k * n : NULL, n, at + k);
  }
}

FLAT void row_clear(const row_at *r, int at, int count) {
  for (int c = at; c < at + count; c++) {
    if (r->dq) r->dq[c] = ZERO;
    if (r->dv) r->dv[c] = ZERO;
    if (r->M) r->M[c] = ZERO;
  }
}

/* A row that has those of body i - 1 gets those of body i: what only the former has becomes zero. */
FLAT void row_clear_before(const JN_S(tree) * t, const row_at *r, int i) {
  const JN_S(body) *b = t->body;
  if (i == 0) return;
  if (b[i].parent == i - 1) {
    for (int j = b[i].end; j < b[i - 1].end; j++) row_clear(r, b[j].iv, b[j].nv);
  } else {
    for (int j = i - 1; j != b[i].parent; j = b[j].parent) row_clear(r, b[j].iv, b[j].nv);
  }
}

FLAT real *row_in(real *M, int at, int n, const target *g) { return M ? M + (g->to ? 0 : at * n) : NULL; }

/* From the first row on: backwards, memory beyond the caches takes four times as long. */
static __attribute__((noinline)) void many_matrices(const linearization_many *o, const target *g) {
  const JN_S(tree) *t = o->t;
  int n = t->nv, rows = g->to ? 6 : n;
  row_at all = {g->dq, g->dv, g->M};
  if (!t->chain && !(g->to && t->body[0].end == t->nb)) row_clear(&all, 0, rows * n);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    row_at first = {row_in(g->dq, b->iv, n, g), row_in(g->dv, b->iv, n, g), row_in(g->M, b->iv, n, g)};
    if (g->to) row_clear_before(t, &first, i);
    if (is_free_root(b)) {
      if (g->to && i > 0) row_clear(&all, 0, rows * n); /* rows of another one are there */
      free_root_rows(o, i, first.dq, first.dv, first.M);
      if (g->to) rows_send(g, n, b->iv, 6);
      continue;
    }
    for (int k = 0; k < b->nv; k++) {
      int at = b->iv + k;
      row_at r = {row_in(g->dq, at, n, g), row_in(g->dv, at, n, g), row_in(g->M, at, n, g)};
      if (is_revolute(b))
        row_fill(o, &r, i, b->id, 1);
      else
        row_fill(o, &r, i, b->id + k, 0);
      if (g->to) rows_send(g, n, at, 1);
    }
  }
}

#endif

#endif
