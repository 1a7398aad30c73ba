/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives along directions: the linearization of linearization.h with two orders along (dq, dv, da). All
 * tensors of inverse dynamics at once are in second_closed.c, of which this is the twin. */
#include "../base/row.h"
#include "../base/tile.h"
#include "../first_derivatives/linearization.h"

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
  real *y;         /* [TILE nv] */
} curve;

static inline curve curve_place(const jn_call *c, int coriolis) {
  const JN_S(tree) *t = c->tree;
  int n = t->nv;
  real *at = c->scratch;
  const real *v = c->in[1], *a = c->in[2];
  curve k = {.w = linearization_place(t, ORDERS, c->in[3] ? c->arg[0] : HOLD_BODY, coriolis, c->in[0], &at)};
  k.x = TAKE(&at, ORDERS, column);
  k.g = take(&at, (size_t)(ORDERS * n));
  k.v = take(&at, (size_t)(ORDERS * n));
  k.a = take(&at, (size_t)(ORDERS * n));
  k.y = take(&at, (size_t)(TILE * n));
  k.w.v = k.v;
  k.w.a = k.a;
  k.w.W = c->in[3];
  k.w.rows = 1;
  if (counts(c, at)) return k;
  for (int i = 0; i < n; i++) {
    k.g[i] = k.g[n + i] = k.v[n + i] = k.a[n + i] = ZERO;
    k.v[i] = v ? v[i] : ZERO;
    k.a[i] = a ? a[i] : ZERO;
  }
  return k;
}

/* in: q, v, a, wrenches, dq, dv, da (all but q may be NULL: zero). arg[0]: hold. out: the change of dtau/dq, dtau/dv,
 * dtau/da, C [nv x nv], and of tau [nv]. O(n d). */
void JN_(derivatives_along)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *dq = c->in[4], *dv = c->in[5], *da = c->in[6];
  int n = t->nv;
  curve k = curve_place(c, c->out[3] != NULL);
  if (c->counted) return;
  derived to = {.from = 1, .dq = c->out[0], .dv = c->out[1], .M = c->out[2], .C = c->out[3]};
  for (int i = 0; i < n; i++) {
    if (dq) k.g[i] = dq[i];
    if (dv) k.v[n + i] = dv[i];
    if (da) k.a[n + i] = da[i];
  }
  if (dq) k.w.g = k.g;
  sweep(&k.w);
  matrices(&k.w, k.x, &to);
  if (c->out[4]) linearization_forces(&k.w, 1, c->out[4]);
}

/* The same for every unit direction of q (arg[1] = 0) or v (1): out [nv x nv x nv], first index the direction. */
void JN_(derivatives_tensor)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int n = t->nv;
  real *const out[4] = {c->out[0], c->out[1], c->out[2], c->out[3]};
  curve k = curve_place(c, out[3] != NULL);
  if (c->counted) return;
  real *row = c->arg[1] == 0 ? k.g : k.v + n;
  if (c->arg[1] == 0) k.w.g = k.g;
  for (int h = 0; h < n; h++) {
    size_t to = (size_t)h * (size_t)n * (size_t)n;
    derived d = {.from = 1,
                 .dq = out[0] ? out[0] + to : NULL,
                 .dv = out[1] ? out[1] + to : NULL,
                 .M = out[2] ? out[2] + to : NULL,
                 .C = out[3] ? out[3] + to : NULL};
    row[h] = K(1);
    sweep(&k.w);
    matrices(&k.w, k.x, &d);
    row[h] = ZERO;
  }
}

/* ---- forward dynamics ---- */

/* X <- X A; y [n]. */
static inline void times(const real *A, int n, real *X, real *y) {
  for (int r = 0; r < n; r++) {
    for (int k = 0; k < n; k++) y[k] = ZERO;
    for (int k = 0; k < n; k++) add_row(n, X[r * n + k], A + k * n, y);
    for (int k = 0; k < n; k++) X[r * n + k] = y[k];
  }
}

/* X <- -A X, TILE columns at a time; y [TILE n]. */
static inline void minus_times(const real *A, int n, real *X, real *y) {
  for (int c = 0; c < n; c += TILE) {
    size_t width = (size_t)(n - c < TILE ? n - c : TILE) * sizeof(real);
    for (int k = 0; k < n; k++) memcpy(y + k * TILE, X + k * n + c, width);
    for (int r = 0; r < n; r++) {
      tile sum = {0}, x;
      for (int k = 0; k < n; k++) {
        memcpy(&x, y + k * TILE, sizeof x);
        sum -= A[r * n + k] * x;
      }
      memcpy(X + r * n + c, &sum, width);
    }
  }
}

/* X += dM A */
static inline void add_product(const real *dM, const real *A, int n, real *X) {
  for (int r = 0; r < n; r++)
    for (int k = 0; k < n; k++) add_row(n, dM[r * n + k], A + k * n, X + r * n);
}

/* The first derivatives a_q, a_v, a_tau = M^-1 and those of inverse dynamics along the same change: T_q + M a_q = 0, so
 * d(a_q) = -M^-1 (dT_q + dM a_q), likewise d(a_v), and d(a_tau) = -M^-1 dM M^-1. */
static inline void change_of_forward(curve *k, const real *first[3], real *second[3]) {
  int n = k->w.t->nv;
  real *y = k->y;
  derived to = {.from = 1, .dq = second[0], .dv = second[1], .M = second[2]};
  sweep(&k->w);
  matrices(&k->w, k->x, &to);
  for (int e = 0; e < 2; e++) {
    if (!second[e]) continue;
    add_product(second[2], first[e], n, second[e]);
    minus_times(first[2], n, second[e], y);
  }
  times(first[2], n, second[2], y);
  minus_times(first[2], n, second[2], y);
}

/* All directions of q (by = 0) or v (1) from the closed form of inverse dynamics (second_closed.c). dM/dq = T_qa takes
 * part twice, because a changes with both directions: T_qq[h] a-part is P[h]_ik + P[k]_ih with P = dM a_q. */
static inline void closed_forward(const jn_call *c, int by, const real *const first[3]) {
  int n = ((const JN_S(tree) *)c->tree)->nv;
  size_t square = (size_t)n * (size_t)n;
  real *qq = c->out[0], *qv = c->out[1], *dM = c->out[2], *y = c->scratch;
  jn_call inner = {.tree = c->tree, .in = {c->in[0], c->in[1], c->in[2], c->in[3]}, .scratch = c->scratch};
  if (by == 1) {
    inner.out[2] = qv;
    JN_(second)(&inner);
    for (size_t h = 0; h < (size_t)n; h++) minus_times(first[2], n, qv + h * square, y);
    return;
  }
  inner.out[0] = qq;
  inner.out[1] = qv;
  inner.out[3] = dM;
  JN_(second)(&inner);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      const real *row = dM + (size_t)k * square + i * n;
      for (int h = 0; h < n; h++) y[h] = ZERO;
      for (int m = 0; m < n; m++) add_row(n, row[m], first[0] + m * n, y);
      for (int h = 0; h < n; h++) {
        qq[(size_t)k * square + (size_t)(i * n + h)] += y[h];
        qq[(size_t)h * square + (size_t)(i * n + k)] += y[h];
      }
    }
  for (size_t h = 0; h < (size_t)n; h++) {
    add_product(dM + h * square, first[1], n, qv + h * square);
    minus_times(first[2], n, qq + h * square, y);
    minus_times(first[2], n, qv + h * square, y);
    times(first[2], n, dM + h * square, y);
    minus_times(first[2], n, dM + h * square, y);
  }
}

/* in: q, v, a (as forward dynamics gives it), wrenches, dq, dv, dtau (NULL: zero), a_q, a_v, a_tau [nv x nv]. arg[0]:
 * hold; arg[1]: -1 for the direction given, or 0, 1 for every unit direction of q, v. out: change of a_q, a_v
 * (NULL: not wanted), a_tau: [nv x nv], or [nv x nv x nv] with the direction as first index. O(nv^3) for each. */
void JN_(forward_second)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int n = t->nv, which = c->arg[1];
  const real *dir[3] = {c->in[4], c->in[5], c->in[6]}, *first[3] = {c->in[7], c->in[8], c->in[9]};
  if (c->counted) {
    curve_place(c, 0);
    JN_(second)(c);
    return;
  }
  if (which >= 0 && (!c->in[3] || c->arg[0] == HOLD_BODY)) {
    closed_forward(c, which, first);
    return;
  }
  curve k = curve_place(c, 0);
  if (dir[0] || which == 0) k.w.g = k.g;
  for (int h = 0; h < (which < 0 ? 1 : n); h++) {
    size_t to = (size_t)h * (size_t)n * (size_t)n;
    real *second[3];
    for (int e = 0; e < 3; e++) second[e] = c->out[e] ? (real *)c->out[e] + to : NULL;
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

/* Derivative of M^-1 in every direction of q: -M^-1 dM M^-1. in: q, M^-1. out: [nv x nv x nv]. O(nv^4). */
void JN_(inverse_tensor)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int n = t->nv;
  if (c->counted) return; /* less than second() */
  jn_call at_rest = {.tree = t, .in = {c->in[0]}, .scratch = c->scratch};
  at_rest.out[3] = c->out[0];
  JN_(second)(&at_rest);
  for (int h = 0; h < n; h++) {
    real *X = (real *)c->out[0] + (size_t)h * (size_t)n * (size_t)n;
    times(c->in[1], n, X, c->scratch);
    minus_times(c->in[1], n, X, c->scratch);
  }
}
