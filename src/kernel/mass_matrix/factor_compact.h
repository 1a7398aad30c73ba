/* SPDX-License-Identifier: BSD-2-Clause */
/* M = L^T D L in the order of elimination (Featherstone's LTDL; order and lambda of tree.h), without the zeros between
 * branches: row k of H [n x n] has, at place e, the entry of L with the e-th coordinate of its branch counted from the
 * root, and at place depth[k] that of D. All sums run along neighbours in memory.
 * d ddq of a quadruped in lanes of four takes 160 ns a state less than with whole rows. */
#ifndef JN_KERNEL_MASS_MATRIX_FACTOR_COMPACT_H
#define JN_KERNEL_MASS_MATRIX_FACTOR_COMPACT_H

#include "../base/tile.h"
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

/* The path of k, in loops from the last coordinate down, so that that of k + 1 is there: the same as far as the branch
 * that both are on. */
FLAT void path_before(const compact *o, int k) {
  const int32_t *lambda = o->t->lambda;
  int n = o->t->nv;
  if (k + 1 < n && lambda[k + 1] == k) return;
  for (int e = 0; e < n && k + 1 == n; e++) o->path[e] = -1;
  for (int e = o->depth[k] - 1, j = lambda[k]; e >= 0 && o->path[e] != j; e--, j = lambda[j]) o->path[e] = j;
}

/* The rows of M, or of its factors, in the order of elimination, lose their zeros. */
static inline void compact_rows(const compact *o) {
  int n = o->t->nv;
  for (int k = n - 1; k >= 0; k--) {
    real *row = o->H + k * n;
    int depth = o->depth[k], e = depth;
    path_before(o, k);
    if (depth == k) continue; /* it has none */
    while (e > 0 && o->path[e - 1] != e - 1) e--;
    for (; e < depth; e++) row[e] = row[o->path[e]];
    row[depth] = row[k];
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

/* What the inverse takes: L^-1 without its zeros like L, and by columns, of a coordinate those outward of it. */
typedef struct compact_inverse {
  tile *L, *columns; /* [nv][tiles], [nv + 1][tiles]; the last column is waste */
  real *D;           /* [nv] D^-1 */
  const tile **at;   /* [nv] where the rows of L inward of the one at hand begin */
  real **down;       /* [nv + TILE] and the columns, its own too */
  int32_t *end;      /* [nv] coordinates [k, end) are outward of k, itself included */
} compact_inverse;

static inline compact_inverse compact_inverse_place(const JN_S(tree) * t, real **at) {
  int n = t->nv, tiles = tiles_of(n);
  compact_inverse r = {.L = TAKE_ALIGNED(at, n * tiles, tile), .columns = TAKE(at, (n + 1) * tiles, tile)};
  r.at = TAKE(at, n, const tile *);
  r.down = TAKE(at, n + TILE, real *);
  r.D = take(at, (size_t)n);
  r.end = TAKE_INTS(at, n);
  return r;
}

/* Tiles [q, q + width) of the sum of rows at[e] times x[e], e < count. */
FLAT void sum_rows(int width, int count, const real *x, const tile *const *at, int q, tile *sum) {
  for (int k = 0; k < width; k++) sum[k] = (tile){0};
  for (int e = 0; e < count; e++)
    for (int k = 0; k < width; k++) sum[k] += x[e] * at[e][q + k];
}
/* Up to four of them; returns how many. */
FLAT int sum_some(int left, int count, const real *x, const tile *const *at, int q, tile sum[4]) {
  switch (left) {
    case 1:
      sum_rows(1, count, x, at, q, sum);
      return 1;
    case 2:
      sum_rows(2, count, x, at, q, sum);
      return 2;
    case 3:
      sum_rows(3, count, x, at, q, sum);
      return 3;
    default:
      sum_rows(4, count, x, at, q, sum);
      return 4;
  }
}

/* Row k of L^-1 from those inward of it: -sum L_ke L^-1_e, and one on the diagonal. */
FLAT void compact_invert_row(const compact *o, const compact_inverse *r, int k) {
  int n = o->t->nv, tiles = tiles_of(n), depth = o->depth[k], own = tile_of(depth);
  const real *row = o->H + k * n;
  tile *L = r->L + k * tiles, *column = r->columns + k * tiles, sum[4];
  int stop = tiles_of(r->end[k]) + 3; /* up to four tiles are read at once, so that zeros are needed beyond the last */
  for (int q = own + 1; q < tiles && q < own + 4; q++) L[q] = (tile){0};
  column[tile_of(k)] = (tile){0};
  for (int q = tile_of(r->end[k]); q < tiles && q < stop; q++) column[q] = (tile){0};
  for (int q = 0, width; q <= own; q += width) {
    width = sum_some(own + 1 - q, depth - q * TILE, row + q * TILE, r->at + q * TILE, q, sum);
    for (int e = 0; e < width; e++) L[q + e] = q + e < own ? -sum[e] : tile_one(lane_in_tile(depth)) - sum[e];
  }
  r->at[depth] = L;
  r->down[depth] = (real *)(void *)column;
  for (int e = 1; e < TILE; e++) r->down[depth + e] = (real *)(void *)(r->columns + n * tiles);
  for (int q = 0; q <= own; q++)
    for (int e = q * TILE; e < (q + 1) * TILE; e++) r->down[e][k] = ((const real *)(const void *)L)[e];
}

/* From factors to the inverse L^-1 D^-1 L^-T, in place: all of H, in the order of elimination. */
static inline void compact_invert(const compact *o, const compact_inverse *r) {
  int n = o->t->nv, tiles = tiles_of(n);
  const int32_t *lambda = o->t->lambda;
  for (int k = 0; k < n; k++) r->end[k] = k + 1;
  for (int k = n - 1; k >= 0; k--)
    if (lambda[k] >= 0 && r->end[lambda[k]] < r->end[k]) r->end[lambda[k]] = r->end[k];
  for (int k = 0; k < n; k++) {
    r->D[k] = K(1) / o->H[k * n + o->depth[k]];
    compact_invert_row(o, r, k);
  }
  for (int i = 0; i < n; i++) {
    int count = o->depth[i] + 1;
    tile *column = r->columns + i * tiles;
    real *to = o->H + i * n;
    tile sum[4];
    for (int q = tile_of(i); q < tiles_of(r->end[i]); q++) column[q] *= r->D[i];
    r->at[count - 1] = column;
    o->path[count - 1] = i;
    for (int q = tile_of(i), width; q < tiles; q += width) {
      while (count > 0 && r->end[o->path[count - 1]] <= q * TILE) count--; /* no branch in common */
      width = sum_some(tiles - q, count, (const real *)(const void *)(r->L + i * tiles), r->at, q, sum);
      for (int e = 0; e < width; e++)
        if ((q + e + 1) * TILE <= n)
          tile_store(sum[e], to + (q + e) * TILE);
        else
          tile_store_first(sum[e], to + (q + e) * TILE, n - (q + e) * TILE);
    }
  }
  lower_from_upper(o->H, n);
}

#endif
