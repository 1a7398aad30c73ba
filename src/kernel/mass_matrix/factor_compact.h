/* SPDX-License-Identifier: BSD-2-Clause */
/* M = L^T D L in the order of elimination (Featherstone's LTDL; order and lambda of tree.h), without the zeros between
 * branches: row k of H [n x n] has, at place e, the entry of L with the e-th coordinate of its branch counted from the
 * root, and at place depth[k] that of D. All sums run along neighbours in memory.
 * d ddq of a quadruped in lanes of four takes 160 ns a state less than with whole rows. */
#ifndef JN_KERNEL_MASS_MATRIX_FACTOR_COMPACT_H
#define JN_KERNEL_MASS_MATRIX_FACTOR_COMPACT_H

#include "factor.h"

typedef struct compact {
  const JN_S(tree) * t;
  real *H;        /* [nv x nv] */
  int32_t *depth; /* [nv] coordinates inward of one */
  int32_t *path;  /* [nv] these, of the row at hand */
} compact;

static inline compact compact_place(const JN_S(tree) * t, real *H, real **at) {
  compact o = {t, H, TAKE_INTS(at, t->nv), TAKE_INTS(at, t->nv)};
  return o;
}

static inline void compact_fill(const compact *o) {
  for (int k = 0; k < o->t->nv; k++) o->depth[k] = o->t->lambda[k] < 0 ? 0 : o->depth[o->t->lambda[k]] + 1;
}

/* The path of k, when that of k + 1 is there. */
FLAT void path_before(const compact *o, int k) {
  const int32_t *lambda = o->t->lambda;
  if (k + 1 < o->t->nv && lambda[k + 1] == k) return;
  for (int e = o->depth[k] - 1, j = lambda[k]; e >= 0; e--, j = lambda[j]) o->path[e] = j;
}

/* The rows of M, or of its factors, in the order of elimination, lose their zeros. */
static inline void compact_rows(const compact *o) {
  int n = o->t->nv;
  for (int k = n - 1; k >= 0; k--) {
    real *row = o->H + k * n;
    path_before(o, k);
    for (int e = 0; e < o->depth[k]; e++) row[e] = row[o->path[e]];
    row[o->depth[k]] = row[k];
  }
}

/* The rows of M when coordinates are prescribed ([nv], NULL: none): theirs say x = 0, and their pivots are one. */
static inline void compact_prescribe(const compact *o, const unsigned char *prescribed) {
  int n = o->t->nv;
  for (int k = n - 1; k >= 0 && prescribed; k--) {
    real *row = o->H + k * n;
    int given = prescribed[o->t->order[k]];
    path_before(o, k);
    for (int e = 0; e < o->depth[k]; e++)
      if (given || prescribed[o->t->order[o->path[e]]]) row[e] = ZERO;
    if (given) row[o->depth[k]] = K(1);
  }
}

/* In place. pivot [n] gets D relative to the diagonal that was there: zero to rounding when M is singular. */
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

/* L^T D L x = x, in place, x in the order of elimination. */
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

/* From factors to the inverse, in place: all of H, in the order of elimination. room [3 nv]. */
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
