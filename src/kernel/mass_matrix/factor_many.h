/* SPDX-License-Identifier: BSD-2-Clause */
/* The factors and the inverse of factor.h without the zeros between branches: row k of H [n x n] has, at place e, the
 * entry with the e-th coordinate of its branch counted from the root, and at place depth[k] its own. All sums run along
 * neighbours in memory. For trees without coupled coordinates.
 * d ddq of a quadruped in lanes of four takes 160 ns a state less than with the rows of factor.h. */
#ifndef JN_KERNEL_MASS_MATRIX_FACTOR_MANY_H
#define JN_KERNEL_MASS_MATRIX_FACTOR_MANY_H

#include "factor.h"

typedef struct compact {
  const JN_S(tree) * t;
  real *H;        /* [nv x nv] */
  int32_t *depth; /* [nv] coordinates inward of one */
  int32_t *path;  /* [nv] these, of the row at hand */
} compact;

static inline compact compact_place(const JN_S(tree) * t, real *H, real **at) {
  compact o = {t, H, TAKE_INTS(at, t->nv), TAKE_INTS(at, t->nv)};
  for (int k = 0; k < t->nv && H; k++) o.depth[k] = t->lambda[k] < 0 ? 0 : o.depth[t->lambda[k]] + 1;
  return o;
}

/* The path of k, when that of k + 1 is there. */
FLAT void path_before(const compact *o, int k) {
  const int32_t *lambda = o->t->lambda;
  if (k + 1 < o->t->nv && lambda[k + 1] == k) return;
  for (int e = o->depth[k] - 1, j = lambda[k]; e >= 0; e--, j = lambda[j]) o->path[e] = j;
}

/* factorize() */
static inline void compact_factorize(const compact *o, real *pivot) {
  int n = o->t->nv;
  real *H = o->H;
  for (int k = 0; k < n; k++) pivot[k] = H[k * n + o->depth[k]];
  for (int k = n - 1; k >= 0; k--) {
    real *row = H + k * n, inverse = K(1) / row[o->depth[k]];
    path_before(o, k);
    for (int e = o->depth[k] - 1; e >= 0; e--) {
      real f = row[e] * inverse;
      add_row(e + 1, -f, row, H + o->path[e] * n);
      row[e] = f;
    }
  }
  for (int k = 0; k < n; k++) pivot[k] = relative(H[k * n + o->depth[k]], pivot[k]);
}

/* substitute() */
static inline void compact_substitute(const compact *o, real *x) {
  int n = o->t->nv;
  for (int k = n - 1; k >= 0; k--) {
    path_before(o, k);
    for (int e = o->depth[k] - 1; e >= 0; e--) x[o->path[e]] -= o->H[k * n + e] * x[k];
  }
  for (int k = 0; k < n; k++) {
    const real *row = o->H + k * n;
    o->path[o->depth[k]] = k;
    x[k] /= row[o->depth[k]];
    for (int e = o->depth[k] - 1; e >= 0; e--) x[k] -= row[e] * x[o->path[e]];
  }
}

/* L^-1 in place of L, one on its diagonal, and D^-1. */
FLAT void compact_invert_factor(const compact *o, real *inverse) {
  int n = o->t->nv;
  for (int k = n - 1; k >= 0; k--) {
    real *row = o->H + k * n;
    path_before(o, k);
    inverse[k] = K(1) / row[o->depth[k]];
    row[o->depth[k]] = K(1);
    for (int e = 0; e < o->depth[k]; e++) row[e] = -row[e];
    for (int e = o->depth[k] - 1; e > 0; e--) add_row(e, -row[e], o->H + o->path[e] * n, row);
  }
}

/* invert(): all of H, in the order of elimination. room [3 nv]. */
static inline void compact_invert(const compact *o, real *room) {
  int n = o->t->nv;
  real *H = o->H, *inverse = room, *scaled = room + n;
  int32_t *shared = (int32_t *)(void *)(room + 2 * n); /* how many places row i has in common with others */
  compact_invert_factor(o, inverse);
  for (int i = n - 1; i >= 0; i--) {
    int depth = o->depth[i];
    path_before(o, i);
    for (int e = 0; e < depth; e++) scaled[e] = H[i * n + e] * inverse[o->path[e]];
    real diagonal = inverse[i];
    for (int e = 0; e < depth; e++) diagonal += scaled[e] * H[i * n + e];
    for (int j = 0; j < i; j++) {
      int before = o->t->lambda[j], own = o->depth[j];
      const real *row = H + j * n;
      real sum = ZERO;
      shared[j] = own < depth && o->path[own] == j ? own + 1 : before < 0 ? 0 : shared[before];
      for (int e = 0; e < shared[j]; e++) sum += scaled[e] * row[e];
      H[i * n + j] = H[j * n + i] = sum;
    }
    H[i * n + i] = diagonal;
  }
}

#endif
