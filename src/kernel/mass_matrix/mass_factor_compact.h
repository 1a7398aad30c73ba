/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors M = L^T D L, solutions and the inverse, in the order of elimination. [Featherstone 2008, LTDL]
 *
 * L_kj is zero unless j is inward of k on its branch, so each row is stored without the zeros between branches:
 *   H [nv x nv]  row k has at place e < depth[k] the entry of L for the e-th coordinate of its branch, counted from the
 *                root, and at place depth[k] the entry of D
 *   path [nv]    which coordinates these are, for the row at hand
 * All sums then run over neighbours in memory: the derivatives of forward dynamics of a quadruped in lanes of four take
 * 160 ns a state less than with whole rows. Order and parents (lambda) are those of tree.h. */
#ifndef JN_KERNEL_MASS_MATRIX_MASS_FACTOR_COMPACT_H
#define JN_KERNEL_MASS_MATRIX_MASS_FACTOR_COMPACT_H

#include "../base/tile.h"
#include "mass_factor.h"

typedef struct compact {
  const JN_S(tree) * tree;
  real *H;        /* [nv x nv] */
  int32_t *depth; /* [nv] coordinates inward of one */
  int32_t *path;  /* [nv] these, of the row at hand */
} compact;

static inline compact compact_place(const JN_S(tree) * tree, real *H, real **at) {
  compact o = {tree, H, TAKE_INTS(at, tree->nv), TAKE_INTS(at, tree->nv)};
  return o;
}

/* Depths of all coordinates, from the root outwards. */
static inline void compact_fill(const compact *o) {
  for (int k = 0; k < o->tree->nv; k++) o->depth[k] = o->tree->lambda[k] < 0 ? 0 : o->depth[o->tree->lambda[k]] + 1;
}

/* Makes `path` that of row k. Call it in loops from the last coordinate down: the path of k + 1 is there then, and the
 * two agree from the root to where their branches part. */
FLAT void path_before(const compact *o, int k) {
  const int32_t *lambda = o->tree->lambda;
  int n = o->tree->nv;
  if (k + 1 < n && lambda[k + 1] == k) return;

  /* The first call knows nothing yet; then follow lambda until the paths agree. */
  for (int e = 0; e < n && k + 1 == n; e++) o->path[e] = -1;
  for (int e = o->depth[k] - 1, j = lambda[k]; e >= 0 && o->path[e] != j; e--, j = lambda[j]) o->path[e] = j;
}

/* Takes the zeros between branches out of the rows of M, or of its factors. */
static inline void compact_rows(const compact *o) {
  int n = o->tree->nv;
  for (int k = n - 1; k >= 0; k--) {
    real *row = o->H + k * n;
    int depth = o->depth[k], e = depth;
    path_before(o, k);

    /* Entries that are in their places already, then the others, and D. */
    if (depth == k) continue; /* it has none */
    while (e > 0 && o->path[e - 1] != e - 1) e--;
    for (; e < depth; e++) row[e] = row[o->path[e]];
    row[depth] = row[k];
  }
}

/* Prescribed coordinates ([nv], NULL: none): their rows and columns become those of the identity, so that x = 0. */
static inline void compact_prescribe(const compact *o, const unsigned char *prescribed) {
  int n = o->tree->nv;
  for (int k = n - 1; k >= 0 && prescribed; k--) {
    real *row = o->H + k * n;
    int given = prescribed[o->tree->order[k]];
    path_before(o, k);
    for (int e = 0; e < o->depth[k]; e++)
      if (given || prescribed[o->tree->order[o->path[e]]]) row[e] = ZERO;
    if (given) row[o->depth[k]] = K(1);
  }
}

/* L and D in place of M. pivot [n] gets D relative to the diagonal of M: zero to rounding when M is singular. */
static inline void compact_factorize(const compact *o, real *pivot) {
  int n = o->tree->nv;
  real *H = o->H;
  for (int k = 0; k < n; k++) pivot[k] = H[k * n + o->depth[k]];

  /* From the last row up: L_kj = M_kj / D_k, and M_j -= L_kj M_k for each ancestor j. */
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

/* x = (L^T D L)^-1 x in place, in the order of elimination. */
static inline void compact_substitute(const compact *o, real *x) {
  int n = o->tree->nv;

  /* L^T y = x. */
  for (int k = n - 1; k >= 0; k--) {
    path_before(o, k);
    for (int e = o->depth[k] - 1; e >= 0; e--) x[o->path[e]] -= o->H[k * n + e] * x[k];
  }

  /* D L x = y. */
  for (int k = 0; k < n; k++) {
    const real *row = o->H + k * n;
    o->path[o->depth[k]] = k;
    x[k] /= row[o->depth[k]];
    for (int e = o->depth[k] - 1; e >= 0; e--) x[k] -= row[e] * x[o->path[e]];
  }
}

/* What the inverse takes: L^-1 without its zeros like L, and by columns, of a coordinate those outward of it. Beyond
 * TILED coordinates these 2 nv^2 numbers would be too much for work memory: then the inverse is found in place, with
 * less speed (L is NULL). */
enum { TILED = 256 };

typedef struct compact_inverse {
  tile *L, *columns; /* [nv][tiles], [nv + 1][tiles]; the last column is waste */
  real *D;           /* [nv] D^-1 */
  const tile **at;   /* [nv] where the rows of L inward of the one at hand begin */
  real **down;       /* [nv + TILE] and the columns, its own too */
  int32_t *end;      /* [nv] coordinates [k, end) are outward of k, itself included */
  real *scaled;      /* [nv] in place */
} compact_inverse;

static inline compact_inverse compact_inverse_place(const JN_S(tree) * tree, real **at) {
  int n = tree->nv, tiles = tiles_of(n);
  compact_inverse r = {.D = take(at, (size_t)n), .end = TAKE_INTS(at, n)};
  if (n > TILED) {
    r.scaled = take(at, (size_t)n);
    return r;
  }
  r.L = TAKE_ALIGNED(at, n * tiles, tile);
  r.columns = TAKE(at, (n + 1) * tiles, tile);
  r.at = TAKE(at, n, const tile *);
  r.down = TAKE(at, n + TILE, real *);
  return r;
}

/* L^-1 in place of L, one on its diagonal, and D^-1; then all of H, in the order of elimination. */
static inline void compact_invert_in_place(const compact *o, const compact_inverse *r) {
  int n = o->tree->nv;
  real *H = o->H;
  int32_t *shared = r->end; /* how many places row i has in common with others */

  /* L^-1, row by row from the last: L^-1_k = -sum over ancestors e of L_ke L^-1_e, one on the diagonal; and D^-1. */
  for (int k = n - 1; k >= 0; k--) {
    real *row = H + k * n;
    path_before(o, k);
    r->D[k] = K(1) / row[o->depth[k]];
    row[o->depth[k]] = K(1);
    for (int e = 0; e < o->depth[k]; e++) row[e] = -row[e];
    for (int e = o->depth[k] - 1; e > 0; e--) add_row(e, -row[e], H + o->path[e] * n, row);
  }

  /* M^-1_ij = sum over e of L^-1_ie D^-1_e L^-1_je, e over the ancestors that i and j have in common. */
  for (int i = n - 1; i >= 0; i--) {
    int depth = o->depth[i];
    path_before(o, i);
    real diagonal = r->D[i];
    for (int e = 0; e < depth; e++) {
      r->scaled[e] = H[i * n + e] * r->D[o->path[e]];
      diagonal += r->scaled[e] * H[i * n + e];
    }
    for (int j = 0; j < i; j++) {
      int before = o->tree->lambda[j], own = o->depth[j];
      real sum = ZERO;
      shared[j] = own < depth && o->path[own] == j ? own + 1 : before < 0 ? 0 : shared[before];
      for (int e = 0; e < shared[j]; e++) sum += r->scaled[e] * H[j * n + e];
      H[i * n + j] = H[j * n + i] = sum;
    }
    H[i * n + i] = diagonal;
  }
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
  int n = o->tree->nv, tiles = tiles_of(n), depth = o->depth[k], own = tile_of(depth);
  const real *row = o->H + k * n;
  tile *L = r->L + k * tiles, *column = r->columns + k * tiles, sum[4];

  /* Up to four tiles are read at once, so zeros are needed beyond the last of a row or column. */
  int stop = tiles_of(r->end[k]) + 3;
  for (int q = own + 1; q < tiles && q < own + 4; q++) L[q] = (tile){0};
  column[tile_of(k)] = (tile){0};
  for (int q = tile_of(r->end[k]); q < tiles && q < stop; q++) column[q] = (tile){0};

  /* -sum over ancestors e of L_ke L^-1_e, a few tiles at a time, and one on the diagonal. */
  for (int q = 0, width; q <= own; q += width) {
    width = sum_some(own + 1 - q, depth - q * TILE, row + q * TILE, r->at + q * TILE, q, sum);
    for (int e = 0; e < width; e++) L[q + e] = q + e < own ? -sum[e] : tile_one(lane_in_tile(depth)) - sum[e];
  }

  /* The row becomes an ancestor of the next ones; its entries also go into the columns. */
  r->at[depth] = L;
  r->down[depth] = (real *)(void *)column;
  for (int e = 1; e < TILE; e++) r->down[depth + e] = (real *)(void *)(r->columns + n * tiles);
  for (int q = 0; q <= own; q++)
    for (int e = q * TILE; e < (q + 1) * TILE; e++) r->down[e][k] = ((const real *)(const void *)L)[e];
}

/* From factors to the inverse L^-1 D^-1 L^-T, in place: all of H, in the order of elimination. */
static inline void compact_invert(const compact *o, const compact_inverse *r) {
  int n = o->tree->nv, tiles = tiles_of(n);
  const int32_t *lambda = o->tree->lambda;
  if (!r->L) {
    compact_invert_in_place(o, r);
    return;
  }

  /* Coordinates [k, end) are outward of k. */
  for (int k = 0; k < n; k++) r->end[k] = k + 1;
  for (int k = n - 1; k >= 0; k--)
    if (lambda[k] >= 0 && r->end[lambda[k]] < r->end[k]) r->end[lambda[k]] = r->end[k];

  /* D^-1 and L^-1, from the root outwards. */
  for (int k = 0; k < n; k++) {
    r->D[k] = K(1) / o->H[k * n + o->depth[k]];
    compact_invert_row(o, r, k);
  }

  /* Rows of M^-1 from the diagonal on: L^-1_i times the columns of L^-1, scaled by D^-1, of its ancestors and itself.
   */
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

  /* M^-1 is symmetric. */
  lower_from_upper(o->H, n);
}

#endif
