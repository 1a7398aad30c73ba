/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives along directions: the linearization of linearization.h with two orders along (dq, dv, da). All
 * tensors of inverse dynamics at once are in inverse_dynamics_second_derivatives.c, of which this is the twin. */
#include "../base/variant.h"
#include "../first_derivatives/linearization.h"
#include "../forward_dynamics/inverse_product.h"

enum { ORDERS = 2 };

/* Once each: they are long when unrolled. */
static __attribute__((noinline)) void sweep(const linearization *w) { linearize(w, ORDERS); }
static __attribute__((noinline)) void matrices(const linearization *w, column *x, const derived *to) {
  linearization_matrices(w, ORDERS, x, to);
}

/* Rows of the curve: v, a and its tangent, two orders each. */
typedef struct curve {
  linearization w;
  column *x;
  real *g, *v, *a; /* [2][nv] */
  real *y;         /* [nv] */
  product p;
} curve;

static inline curve curve_place(const jn_call *c, const real *q, const real *v, const real *a, const real *W,
                                int hold) {
  const JN_S(tree) *t = c->tree;
  int n = t->nv;
  real *at = c->scratch;
  curve k = {.w = linearization_place(t, ORDERS, W ? hold : HOLD_BODY, q, &at)};
  k.x = TAKE(&at, ORDERS, column);
  k.g = take(&at, (size_t)(ORDERS * n));
  k.v = take(&at, (size_t)(ORDERS * n));
  k.a = take(&at, (size_t)(ORDERS * n));
  k.y = take(&at, (size_t)n);
  k.p = product_place(t, 0, NULL, NULL, NULL, &at);
  k.w.v = k.v;
  k.w.a = k.a;
  k.w.W = W;
  k.w.rows = 1;
  if (counts(c, at)) return k;
  for (int i = 0; i < n; i++) {
    k.g[i] = k.g[n + i] = k.v[n + i] = k.a[n + i] = ZERO;
    k.v[i] = v ? v[i] : ZERO;
    k.a[i] = a ? a[i] : ZERO;
  }
  return k;
}

/* in: q, v, a, wrenches, dq, dv, da (all but q may be NULL: zero). hold. out: the change of dtau/dq, dtau/dv,
 * dtau/da [nv x nv], and of tau [nv]. O(n d). */
void JN_(inverse_dynamics_derivatives_along)(const jn_call *c) {
  const jn_inverse_dynamics_derivatives_along_arguments *args = &c->inverse_dynamics_derivatives_along;
  const JN_S(tree) *t = c->tree;
  const real *dq = args->dq_ds, *dv = args->dv_ds, *da = args->da_ds;
  int n = t->nv;
  curve k = curve_place(c, args->q, args->v, args->a, args->wrench, args->hold);
  if (c->counted) return;
  derived to = {.from = 1, .dq = args->d2tau_dsdq, .dv = args->d2tau_dsdv, .M = args->d2tau_dsda};
  for (int i = 0; i < n; i++) {
    if (dq) k.g[i] = dq[i];
    if (dv) k.v[n + i] = dv[i];
    if (da) k.a[n + i] = da[i];
  }
  if (dq) k.w.g = k.g;
  sweep(&k.w);
  matrices(&k.w, k.x, &to);
  if (args->dtau_ds) linearization_forces(&k.w, 1, args->dtau_ds);
}

/* The same for every unit direction of q (by = 0) or v (1): out [nv x nv x nv], first index the direction. */
void JN_(inverse_dynamics_derivatives_tensors)(const jn_call *c) {
  const jn_inverse_dynamics_derivatives_tensors_arguments *args = &c->inverse_dynamics_derivatives_tensors;
  const JN_S(tree) *t = c->tree;
  int n = t->nv;
  real *const out[3] = {args->dtau_dq, args->dtau_dv, args->dtau_da};
  curve k = curve_place(c, args->q, args->v, args->a, args->wrench, args->hold);
  if (c->counted) return;
  real *row = args->by == 0 ? k.g : k.v + n;
  if (args->by == 0) k.w.g = k.g;
  for (int h = 0; h < n; h++) {
    size_t to = (size_t)h * (size_t)n * (size_t)n;
    derived d = {.from = 1,
                 .dq = out[0] ? out[0] + to : NULL,
                 .dv = out[1] ? out[1] + to : NULL,
                 .M = out[2] ? out[2] + to : NULL};
    row[h] = K(1);
    sweep(&k.w);
    matrices(&k.w, k.x, &d);
    row[h] = ZERO;
  }
}

/* ---- forward dynamics ---- */

/* Which entries a matrix has that changes with coordinate h: those of rows and columns row [count] of its branch, of
 * which one at least is among the first `inward`. dM/dq_h has none of two coordinates that are both carried along. */
typedef struct entries {
  int count, inward;
  int32_t *row;
} entries;

static inline entries all_entries(const sparsity *b) {
  for (int k = 0; k < b->t->nv; k++) b->rows[k] = k;
  return (entries){b->t->nv, b->t->nv, b->rows};
}

/* Rows of T, TILE columns of each of two matrices. */
static inline void pack_rows(const entries *k, int n, real *const X[2], packed *to) {
  to->c = 0;
  to->count = k->count;
  for (int m = 0; m < k->count; m++) {
    to->row[m] = k->row[m];
    to->T[2 * m] = tile_load(X[0] + k->row[m] * n);
    to->T[2 * m + 1] = tile_load(X[1] + k->row[m] * n);
  }
}

/* -A X in place of X and, unless that is NULL, of Y [n x n], of which only rows of k are not zero: as product_solve(),
 * with tiles of both side by side, or two tiles of one. */
static inline void minus_times(product *p, const real *A, const entries *k, real *X, real *Y) {
  int n = p->t->nv, rest = lane_in_tile(n), c = n - TILE;
  p->inverse = A;
  p->X[0] = X;
  p->X[1] = Y ? Y : X;
  if (n < TILE) {
    product_solve(p);
    return;
  }
  if (rest) pack_rows(k, n, p->X, &p->first);
  for (int two; c >= 0; c -= two * TILE) {
    two = !Y && c >= TILE ? 2 : 1;
    p->X[0] = X + c;
    p->X[1] = Y ? Y + c : X + c - (two - 1) * TILE;
    pack_rows(k, n, p->X, &p->now);
    product_columns(p, &p->now);
  }
  p->X[0] = X;
  p->X[1] = Y ? Y : X;
  if (rest) product_columns(p, &p->first);
}

/* y [n] = row e of a matrix that has the entries of k, times A [n x n]; add: y += that. */
FLAT void row_product(const real *dM, const entries *k, int e, const real *A, int n, int add, real *y) {
  combine_rows(dM + k->row[e] * n, e < k->inward ? k->count : k->inward, k->row, A, n, add, y);
}

/* X += dM A */
static inline void add_product(const real *dM, const entries *k, const real *A, int n, real *X) {
  for (int e = 0; e < k->count; e++) row_product(dM, k, e, A, n, 1, X + k->row[e] * n);
}

/* X <- X A; y [n]. */
static inline void times(const real *A, int n, const entries *k, real *X, real *y) {
  for (int e = 0; e < k->count; e++) {
    row_product(X, k, e, A, n, 0, y);
    memcpy(X + k->row[e] * n, y, (size_t)n * sizeof *y);
  }
}

/* The first derivatives a_q, a_v, a_tau = M^-1 and those of inverse dynamics along the same change: T_q + M a_q = 0, so
 * d(a_q) = -M^-1 (dT_q + dM a_q), likewise d(a_v), and d(a_tau) = -M^-1 dM M^-1. */
static inline void change_of_forward(curve *k, const real *first[3], real *second[3]) {
  int n = k->w.t->nv;
  const entries all = all_entries(&k->p.b);
  derived to = {.from = 1, .dq = second[0], .dv = second[1], .M = second[2]};
  sweep(&k->w);
  matrices(&k->w, k->x, &to);
  for (int e = 0; e < 2; e++) {
    if (!second[e]) continue;
    add_product(second[2], &all, first[e], n, second[e]);
    minus_times(&k->p, first[2], &all, second[e], NULL);
  }
  times(first[2], n, &all, second[2], k->y);
  minus_times(&k->p, first[2], &all, second[2], NULL);
}

/* What products with tensors need. */
typedef struct tensor_room {
  product p;
  int32_t *row; /* [nv] */
  int32_t *own; /* [nv] the coordinate, or the first one of its group */
  real *y;      /* [nv] */
} tensor_room;

static inline tensor_room tensor_place(const JN_S(tree) * t, real **at) {
  tensor_room r = {.p = product_place(t, 0, NULL, NULL, NULL, at)};
  r.row = TAKE_INTS(at, t->nv);
  r.own = TAKE_INTS(at, t->nv);
  r.y = take(at, (size_t)t->nv);
  return r;
}

static inline void tensor_fill(const tensor_room *r) {
  const JN_S(tree) *t = r->p.t;
  sparsity_fill(&r->p.b);
  for (int i = 0; i < t->nb; i++)
    for (int c = 0; c < t->body[i].nv; c++) r->own[t->body[i].iv + c] = t->body[i].iv + (is_group(&t->body[i]) ? 0 : c);
}

/* Those of dM/dq_h. Coupled coordinates carry along some bodies and not others. */
static inline entries entries_of(const tensor_room *r, int h) {
  const sparsity *b = &r->p.b;
  entries k = {.count = branch_rows(b, h, 1, r->row), .row = r->row};
  while (k.inward < k.count && (b->t->coupled || b->place[k.row[k.inward]] < b->place[r->own[h]])) k.inward++;
  return k;
}

/* -M^-1 dM M^-1 in place of dM/dq of all directions. */
static inline void inverse_change(tensor_room *r, const real *inverse, real *dM) {
  int n = r->p.t->nv;
  for (int h = 0; h < n; h++, dM += (size_t)n * (size_t)n) {
    const entries k = entries_of(r, h);
    if (k.inward == 0) continue; /* zero */
    times(inverse, n, &k, dM, r->y);
    minus_times(&r->p, inverse, &k, dM, NULL);
  }
}

/* qq += P[h]_ik + P[k]_ih of all directions h, P = dM a_q. */
static inline void add_both(const tensor_room *r, const real *dM, const real *a_q, real *qq) {
  int n = r->p.t->nv;
  size_t square = (size_t)n * (size_t)n;
  for (int k = 0; k < n; k++) {
    const entries own = entries_of(r, k);
    for (int e = 0; e < own.count && own.inward > 0; e++) {
      int i = own.row[e];
      row_product(dM + (size_t)k * square, &own, e, a_q, n, 0, r->y);
      for (int h = 0; h < n; h++) {
        qq[(size_t)k * square + (size_t)(i * n + h)] += r->y[h];
        qq[(size_t)h * square + (size_t)(i * n + k)] += r->y[h];
      }
    }
  }
}

/* All directions of q (by = 0) or v (1) from the closed form of inverse dynamics
 * (inverse_dynamics_second_derivatives.c). dM/dq = T_qa takes part twice, because a changes with both directions:
 * T_qq[h] a-part is P[h]_ik + P[k]_ih with P = dM a_q. */
static inline void closed_forward(const jn_call *c, int by, const real *const first[3]) {
  const jn_forward_dynamics_second_derivatives_arguments *args = &c->forward_dynamics_second_derivatives;
  const JN_S(tree) *t = c->tree;
  int n = t->nv;
  size_t square = (size_t)n * (size_t)n;
  real *qq = args->change_dq, *qv = args->change_dv, *dM = args->change_dtau, *at = c->scratch;
  jn_call inner = {
      .tree = c->tree,
      .scratch = c->scratch,
      .inverse_dynamics_second_derivatives = {.q = args->q, .v = args->v, .a = args->a, .wrench = args->wrench}};
  if (by == 0)
    inner.inverse_dynamics_second_derivatives.d2tau_dqdq = qq,
    inner.inverse_dynamics_second_derivatives.d2tau_dqdv = qv,
    inner.inverse_dynamics_second_derivatives.d2tau_dqda = dM;
  if (by == 1) inner.inverse_dynamics_second_derivatives.d2tau_dvdv = qv;
  JN_(inverse_dynamics_second_derivatives)(&inner);
  tensor_room r = tensor_place(t, &at);
  tensor_fill(&r);
  if (by == 0) add_both(&r, dM, first[0], qq);
  for (int h = 0; h < n; h++) {
    real *Y = qv + (size_t)h * square;
    const entries own = entries_of(&r, h), all = all_entries(&r.p.b);
    if (by == 0 && own.inward > 0) add_product(dM + (size_t)h * square, &own, first[1], n, Y);
    minus_times(&r.p, first[2], &all, Y, by == 0 ? qq + (size_t)h * square : NULL);
  }
  if (by == 0) inverse_change(&r, first[2], dM);
}

/* in: q, v, a (as forward dynamics gives it), wrenches, dq, dv, dtau (NULL: zero), a_q, a_v, a_tau [nv x nv]. hold;
 * by: -1 for the direction given, or 0, 1 for every unit direction of q, v. out: change of a_q, a_v
 * (NULL: not wanted), a_tau: [nv x nv], or [nv x nv x nv] with the direction as first index. O(nv^3) for each. */
void JN_(forward_dynamics_second_derivatives)(const jn_call *c) {
  const jn_forward_dynamics_second_derivatives_arguments *args = &c->forward_dynamics_second_derivatives;
  const JN_S(tree) *t = c->tree;
  int n = t->nv, which = args->by;
  const real *dir[3] = {args->dq_ds, args->dv_ds, args->dtau_ds}, *first[3] = {args->da_dq, args->da_dv, args->da_dtau};
  if (c->counted) {
    real *at = c->scratch;
    tensor_place(t, &at);
    counts(c, at);
    curve_place(c, args->q, args->v, args->a, args->wrench, args->hold);
    return; /* and second(), which counts by itself */
  }
  if (which >= 0 && (!args->wrench || args->hold == HOLD_BODY)) {
    closed_forward(c, which, first);
    return;
  }
  curve k = curve_place(c, args->q, args->v, args->a, args->wrench, args->hold);
  if (dir[0] || which == 0) k.w.g = k.g;
  for (int h = 0; h < (which < 0 ? 1 : n); h++) {
    size_t to = (size_t)h * (size_t)n * (size_t)n;
    real *second[3];
    for (int e = 0; e < 3; e++) second[e] = args->outputs[e] ? (real *)args->outputs[e] + to : NULL;
    for (int i = 0; i < n; i++) {
      k.g[i] = which == 0 && i == h ? K(1) : which < 0 && dir[0] ? dir[0][i] : ZERO;
      k.v[n + i] = which == 1 && i == h ? K(1) : which < 0 && dir[1] ? dir[1][i] : ZERO;
      k.a[n + i] = which >= 0 ? first[which][i * n + h] : ZERO;
      for (int e = 0; e < 3 && which < 0; e++)
        for (int j = 0; j < n && dir[e]; j++) k.a[n + i] += first[e][i * n + j] * dir[e][j];
    }
    change_of_forward(&k, first, second);
  }
}

/* Derivative of M^-1 in every direction of q: -M^-1 dM M^-1. in: q, M^-1. out: [nv x nv x nv]. O(nv^3 d). */
void JN_(mass_matrix_inverse_derivative)(const jn_call *c) {
  const jn_mass_matrix_inverse_derivative_arguments *args = &c->mass_matrix_inverse_derivative;
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  tensor_room r = tensor_place(t, &at);
  jn_call at_rest = {.tree = t,
                     .scratch = c->scratch,
                     .inverse_dynamics_second_derivatives = {.q = args->q, .d2tau_dqda = args->dMinv_dq}};
  if (counts(c, at)) return; /* and second(), which counts by itself */
  JN_(inverse_dynamics_second_derivatives)(&at_rest);
  tensor_fill(&r);
  inverse_change(&r, args->Minv, args->dMinv_dq);
}
