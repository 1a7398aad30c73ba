/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives of forward dynamics; and the change of first derivatives along a direction.
 *
 * Along a direction (dq, dv, da) the linearization of linearization.h has two orders; order 1 of its matrices is the
 * change of dtau/dq, dtau/dv and M. With T_q = dtau/dq, T_v = dtau/dv and a_q, a_v, a_tau = M^-1 the first derivatives
 * of forward dynamics, T_q + M a_q = 0 holds along every curve, so
 *
 *   d(a_q) = -M^-1 (dT_q + dM a_q),     d(a_v) = -M^-1 (dT_v + dM a_v),     d(a_tau) = -M^-1 dM M^-1
 *
 * For all directions at once the tensors of inverse dynamics come from their closed form
 * (inverse_dynamics_second_derivatives.c), of which the sweeps along directions are the independent twin.
 *
 *   symbol         meaning                                          unit                     size
 *   tangent, v, a  Taylor coefficients of the curve                 rad, m; per s, s^2       [2][nv]
 *   first          a_q, a_v, a_tau                                  1/s^2, 1/s, 1/(kg m^2)   [nv x nv] each
 *   second         their changes                                                             [nv x nv] each
 *   dM             dM/dq_h for all h                                kg m^2 per unit          [nv x nv x nv]
 *
 * Cost: inverse dynamics O(n d) for a direction; forward dynamics O(nv^3) for a direction, O(nv^4) for tensors. */
#include "../base/variant.h"
#include "../first_derivatives/linearization.h"
#include "../forward_dynamics/inverse_product.h"

enum { ORDERS = 2 };

/* Not inlined, because they are long when unrolled. */
static __attribute__((noinline)) void linearize_two_orders(const linearization *w) { linearize(w, ORDERS); }
static __attribute__((noinline)) void fill_rate_matrices(const linearization *w, column *x, const derived *to) {
  linearization_matrices(w, ORDERS, x, to);
}

/* A curve: its tangent, v and a, two orders each, and the linearization along it. */
typedef struct curve {
  linearization lin;
  column *columns;       /* [2] scratch */
  real *tangent, *v, *a; /* [2][nv] */
  real *row;             /* [nv] scratch */
  product product;
} curve;

/* Takes the memory of a curve, which begins at the state of the call; its direction is zero yet. */
static inline curve curve_place(const jn_call *call, const real *q, const real *v, const real *a, const real *W,
                                int hold) {
  const JN_S(tree) *tree = call->tree;
  int n = tree->nv;
  real *at = call->scratch;
  curve path = {.lin = linearization_place(tree, ORDERS, W ? hold : WRENCH_IN_BODY, q, &at)};
  path.columns = TAKE(&at, ORDERS, column);
  path.tangent = take(&at, (size_t)(ORDERS * n));
  path.v = take(&at, (size_t)(ORDERS * n));
  path.a = take(&at, (size_t)(ORDERS * n));
  path.row = take(&at, (size_t)n);
  path.product = product_place(tree, 0, NULL, NULL, NULL, &at);
  path.lin.v = path.v;
  path.lin.a = path.a;
  path.lin.W = W;
  path.lin.rows = 1;
  if (counts(call, at)) return path;
  for (int i = 0; i < n; i++) {
    path.tangent[i] = path.tangent[n + i] = path.v[n + i] = path.a[n + i] = ZERO;
    path.v[i] = v ? v[i] : ZERO;
    path.a[i] = a ? a[i] : ZERO;
  }
  return path;
}

/* Kernel of jn_inverse_dynamics_derivatives_along(). O(n d).
 *   in:  q, v, a, wrenches, dq, dv, da (all but q may be NULL: zero); hold: frame in which wrenches are constant
 *   out: the changes of dtau/dq, dtau/dv, dtau/da [nv x nv], and of tau [nv]; NULL: not wanted */
void JN_(inverse_dynamics_derivatives_along)(const jn_call *call) {
  const jn_inverse_dynamics_derivatives_along_arguments *args = &call->inverse_dynamics_derivatives_along;
  const JN_S(tree) *tree = call->tree;
  const real *dq = args->dq_ds, *dv = args->dv_ds, *da = args->da_ds;
  int n = tree->nv;
  curve path = curve_place(call, args->q, args->v, args->a, args->wrench, args->hold);
  if (call->counted) return;

  /* The direction. */
  derived to = {.from = 1, .dq = args->d2tau_dsdq, .dv = args->d2tau_dsdv, .M = args->d2tau_dsda};
  for (int i = 0; i < n; i++) {
    if (dq) path.tangent[i] = dq[i];
    if (dv) path.v[n + i] = dv[i];
    if (da) path.a[n + i] = da[i];
  }
  if (dq) path.lin.tangent = path.tangent;

  /* Order 1 of the matrices and of tau. */
  linearize_two_orders(&path.lin);
  fill_rate_matrices(&path.lin, path.columns, &to);
  if (args->dtau_ds) linearization_forces(&path.lin, 1, args->dtau_ds);
}

/* The same for every unit direction of q (by = 0) or of v (1): out [nv x nv x nv], the direction is the first index.
 * For wrenches that are not fixed to their bodies, which the closed form does not cover. */
void JN_(inverse_dynamics_derivatives_tensors)(const jn_call *call) {
  const jn_inverse_dynamics_derivatives_tensors_arguments *args = &call->inverse_dynamics_derivatives_tensors;
  const JN_S(tree) *tree = call->tree;
  int n = tree->nv;
  real *const out[3] = {args->dtau_dq, args->dtau_dv, args->dtau_da};
  curve path = curve_place(call, args->q, args->v, args->a, args->wrench, args->hold);
  if (call->counted) return;
  real *row = args->by == 0 ? path.tangent : path.v + n;
  if (args->by == 0) path.lin.tangent = path.tangent;
  for (int h = 0; h < n; h++) {
    size_t to = (size_t)h * (size_t)n * (size_t)n;
    derived d = {.from = 1,
                 .dq = out[0] ? out[0] + to : NULL,
                 .dv = out[1] ? out[1] + to : NULL,
                 .M = out[2] ? out[2] + to : NULL};
    row[h] = K(1);
    linearize_two_orders(&path.lin);
    fill_rate_matrices(&path.lin, path.columns, &d);
    row[h] = ZERO;
  }
}

/* ---- forward dynamics ---- */

/* The entries that dM/dq_h has: rows and columns row [count] of the branch of h, of which at least one is among the
 * first `inward`. For two coordinates that both move along with h it is zero. */
typedef struct entries {
  int count, inward;
  int32_t *row;
} entries;

static inline entries all_entries(const sparsity *b) {
  for (int k = 0; k < b->tree->nv; k++) b->rows[k] = k;
  return (entries){b->tree->nv, b->tree->nv, b->rows};
}

/* Packs rows of two matrices, TILE columns of each, side by side. */
static inline void pack_row_tiles(const entries *k, int n, real *const X[2], packed *to) {
  to->c = 0;
  to->count = k->count;
  for (int m = 0; m < k->count; m++) {
    to->row[m] = k->row[m];
    to->T[2 * m] = tile_load(X[0] + k->row[m] * n);
    to->T[2 * m + 1] = tile_load(X[1] + k->row[m] * n);
  }
}

/* -A X in place of X and, unless that is NULL, -A Y in place of Y [n x n], of which only rows of k are not zero: as
 * product_solve(), with tiles of both side by side, or two tiles of one. */
static inline void multiply_by_minus(product *p, const real *A, const entries *k, real *X, real *Y) {
  int n = p->tree->nv, rest = lane_in_tile(n), c = n - TILE;
  p->inverse = A;
  p->X[0] = X;
  p->X[1] = Y ? Y : X;
  if (n < TILE) {
    product_solve(p);
    return;
  }
  if (rest) pack_row_tiles(k, n, p->X, &p->first);
  for (int two; c >= 0; c -= two * TILE) {
    two = !Y && c >= TILE ? 2 : 1;
    p->X[0] = X + c;
    p->X[1] = Y ? Y + c : X + c - (two - 1) * TILE;
    pack_row_tiles(k, n, p->X, &p->now);
    product_columns(p, &p->now);
  }
  p->X[0] = X;
  p->X[1] = Y ? Y : X;
  if (rest) product_columns(p, &p->first);
}

/* y [n] = row e of a matrix that has the entries of k, times A [n x n]; add: y += that. */
FLAT void multiply_row(const real *dM, const entries *k, int e, const real *A, int n, int add, real *y) {
  combine_rows(dM + k->row[e] * n, e < k->inward ? k->count : k->inward, k->row, A, n, add, y);
}

/* X += dM A */
static inline void add_product(const real *dM, const entries *k, const real *A, int n, real *X) {
  for (int e = 0; e < k->count; e++) multiply_row(dM, k, e, A, n, 1, X + k->row[e] * n);
}

/* X <- X A; y [n]. */
static inline void multiply_right(const real *A, int n, const entries *k, real *X, real *y) {
  for (int e = 0; e < k->count; e++) {
    multiply_row(X, k, e, A, n, 0, y);
    memcpy(X + k->row[e] * n, y, (size_t)n * sizeof *y);
  }
}

/* Changes of a_q, a_v, a_tau along a curve: d(a_q) = -M^-1 (dT_q + dM a_q), likewise a_v, d(a_tau) = -M^-1 dM M^-1. */
static inline void rate_of_forward_derivatives(curve *path, const real *first[3], real *second[3]) {
  int n = path->lin.tree->nv;
  const entries all = all_entries(&path->product.b);
  derived to = {.from = 1, .dq = second[0], .dv = second[1], .M = second[2]};

  /* dT_q, dT_v, dM. */
  linearize_two_orders(&path->lin);
  fill_rate_matrices(&path->lin, path->columns, &to);

  /* -M^-1 (dT + dM a_e). */
  for (int e = 0; e < 2; e++) {
    if (!second[e]) continue;
    add_product(second[2], &all, first[e], n, second[e]);
    multiply_by_minus(&path->product, first[2], &all, second[e], NULL);
  }

  /* -M^-1 dM M^-1. */
  multiply_right(first[2], n, &all, second[2], path->row);
  multiply_by_minus(&path->product, first[2], &all, second[2], NULL);
}

/* Scratch memory of products with tensors. */
typedef struct tensor_scratch {
  product product;
  int32_t *row;            /* [nv] */
  int32_t *first_of_group; /* [nv] the coordinate, or the first one of its group */
  real *y;                 /* [nv] */
} tensor_scratch;

static inline tensor_scratch tensor_scratch_place(const JN_S(tree) * tree, real **at) {
  tensor_scratch scratch = {.product = product_place(tree, 0, NULL, NULL, NULL, at)};
  scratch.row = TAKE_INTS(at, tree->nv);
  scratch.first_of_group = TAKE_INTS(at, tree->nv);
  scratch.y = take(at, (size_t)tree->nv);
  return scratch;
}

static inline void fill_tensor_scratch(const tensor_scratch *scratch) {
  const JN_S(tree) *tree = scratch->product.tree;
  sparsity_fill(&scratch->product.b);
  for (int i = 0; i < tree->nb; i++)
    for (int c = 0; c < tree->body[i].nv; c++)
      scratch->first_of_group[tree->body[i].iv + c] = tree->body[i].iv + (is_group(&tree->body[i]) ? 0 : c);
}

/* The entries of dM/dq_h. Coupled coordinates move some bodies and not others, so that all of their branch count. */
static inline entries entries_of(const tensor_scratch *scratch, int h) {
  const sparsity *b = &scratch->product.b;
  entries k = {.count = branch_rows(b, h, 1, scratch->row), .row = scratch->row};
  while (k.inward < k.count && (b->tree->coupled || b->place[k.row[k.inward]] < b->place[scratch->first_of_group[h]]))
    k.inward++;
  return k;
}

/* -M^-1 dM M^-1 in place of dM/dq, for all directions. */
static inline void rate_of_inverse(tensor_scratch *scratch, const real *inverse, real *dM) {
  int n = scratch->product.tree->nv;
  for (int h = 0; h < n; h++, dM += (size_t)n * (size_t)n) {
    const entries k = entries_of(scratch, h);
    if (k.inward == 0) continue; /* zero */
    multiply_right(inverse, n, &k, dM, scratch->y);
    multiply_by_minus(&scratch->product, inverse, &k, dM, NULL);
  }
}

/* qq += P[h]_ik + P[k]_ih for all directions h, where P = dM a_q: a changes with both directions. */
static inline void add_mixed_terms(const tensor_scratch *scratch, const real *dM, const real *a_q, real *qq) {
  int n = scratch->product.tree->nv;
  size_t square = (size_t)n * (size_t)n;
  for (int k = 0; k < n; k++) {
    const entries own = entries_of(scratch, k);
    for (int e = 0; e < own.count && own.inward > 0; e++) {
      int i = own.row[e];
      multiply_row(dM + (size_t)k * square, &own, e, a_q, n, 0, scratch->y);
      for (int h = 0; h < n; h++) {
        qq[(size_t)k * square + (size_t)(i * n + h)] += scratch->y[h];
        qq[(size_t)h * square + (size_t)(i * n + k)] += scratch->y[h];
      }
    }
  }
}

/* All directions of q (by = 0) or v (1), from the closed form of inverse dynamics. dM/dq takes part twice, because a
 * changes with both directions: the part of T_qq[h] from a is P[h]_ik + P[k]_ih with P = dM a_q. */
static inline void forward_from_closed_form(const jn_call *call, int by, const real *const first[3]) {
  const jn_forward_dynamics_second_derivatives_arguments *args = &call->forward_dynamics_second_derivatives;
  const JN_S(tree) *tree = call->tree;
  int n = tree->nv;
  size_t square = (size_t)n * (size_t)n;
  real *qq = args->change_dq, *qv = args->change_dv, *dM = args->change_dtau, *at = call->scratch;

  /* Tensors of inverse dynamics. */
  jn_call inner = {
      .tree = call->tree,
      .scratch = call->scratch,
      .inverse_dynamics_second_derivatives = {.q = args->q, .v = args->v, .a = args->a, .wrench = args->wrench}};
  if (by == 0)
    inner.inverse_dynamics_second_derivatives.d2tau_dqdq = qq,
    inner.inverse_dynamics_second_derivatives.d2tau_dqdv = qv,
    inner.inverse_dynamics_second_derivatives.d2tau_dqda = dM;
  if (by == 1) inner.inverse_dynamics_second_derivatives.d2tau_dvdv = qv;
  JN_(inverse_dynamics_second_derivatives)(&inner);

  /* -M^-1 (T + dM a), direction by direction. */
  tensor_scratch scratch = tensor_scratch_place(tree, &at);
  fill_tensor_scratch(&scratch);
  if (by == 0) add_mixed_terms(&scratch, dM, first[0], qq);
  for (int h = 0; h < n; h++) {
    real *Y = qv + (size_t)h * square;
    const entries own = entries_of(&scratch, h), all = all_entries(&scratch.product.b);
    if (by == 0 && own.inward > 0) add_product(dM + (size_t)h * square, &own, first[1], n, Y);
    multiply_by_minus(&scratch.product, first[2], &all, Y, by == 0 ? qq + (size_t)h * square : NULL);
  }

  /* d(M^-1)/dq. */
  if (by == 0) rate_of_inverse(&scratch, first[2], dM);
}

/* Kernel of jn_forward_dynamics_derivatives_along() and jn_forward_dynamics_second_derivatives().
 *   in:  q, v, a (as forward dynamics gives it), wrenches, dq, dv, dtau (NULL: zero), a_q, a_v, a_tau [nv x nv];
 *        hold: frame in which wrenches are constant; which: -1 for the direction given, 0 or 1 for all of q or v
 *   out: changes of a_q, a_v (NULL: not wanted) and a_tau: [nv x nv], or [nv x nv x nv] with the direction first */
void JN_(forward_dynamics_second_derivatives)(const jn_call *call) {
  const jn_forward_dynamics_second_derivatives_arguments *args = &call->forward_dynamics_second_derivatives;
  const JN_S(tree) *tree = call->tree;
  int n = tree->nv, which = args->by;
  const real *dir[3] = {args->dq_ds, args->dv_ds, args->dtau_ds}, *first[3] = {args->da_dq, args->da_dv, args->da_dtau};
  if (call->counted) {
    real *at = call->scratch;
    tensor_scratch_place(tree, &at);
    counts(call, at);
    curve_place(call, args->q, args->v, args->a, args->wrench, args->hold);
    return; /* the closed form counts by itself */
  }

  /* All directions, in closed form where wrenches are fixed to their bodies. */
  if (which >= 0 && (!args->wrench || args->hold == WRENCH_IN_BODY)) {
    forward_from_closed_form(call, which, first);
    return;
  }

  /* Otherwise direction by direction: da along it is a_q dq + a_v dv + a_tau dtau. */
  curve path = curve_place(call, args->q, args->v, args->a, args->wrench, args->hold);
  if (dir[0] || which == 0) path.lin.tangent = path.tangent;
  for (int h = 0; h < (which < 0 ? 1 : n); h++) {
    size_t to = (size_t)h * (size_t)n * (size_t)n;
    real *second[3];
    for (int e = 0; e < 3; e++) second[e] = args->outputs[e] ? (real *)args->outputs[e] + to : NULL;
    for (int i = 0; i < n; i++) {
      path.tangent[i] = which == 0 && i == h ? K(1) : which < 0 && dir[0] ? dir[0][i] : ZERO;
      path.v[n + i] = which == 1 && i == h ? K(1) : which < 0 && dir[1] ? dir[1][i] : ZERO;
      path.a[n + i] = which >= 0 ? first[which][i * n + h] : ZERO;
      for (int e = 0; e < 3 && which < 0; e++)
        for (int j = 0; j < n && dir[e]; j++) path.a[n + i] += first[e][i * n + j] * dir[e][j];
    }

    rate_of_forward_derivatives(&path, first, second);
  }
}

/* Kernel of jn_mass_matrix_inverse_derivative(): dM^-1/dq = -M^-1 dM/dq M^-1. [garofalo2013 eq. 24a for dM/dq]
 * in: q, M^-1. out: [nv x nv x nv]. O(nv^3 d). */
void JN_(mass_matrix_inverse_derivative)(const jn_call *call) {
  const jn_mass_matrix_inverse_derivative_arguments *args = &call->mass_matrix_inverse_derivative;
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch;
  tensor_scratch scratch = tensor_scratch_place(tree, &at);
  jn_call at_rest = {.tree = tree,
                     .scratch = call->scratch,
                     .inverse_dynamics_second_derivatives = {.q = args->q, .d2tau_dqda = args->dMinv_dq}};
  if (counts(call, at)) return; /* and second(), which counts by itself */
  JN_(inverse_dynamics_second_derivatives)(&at_rest);
  fill_tensor_scratch(&scratch);
  rate_of_inverse(&scratch, args->Minv, args->dMinv_dq);
}
