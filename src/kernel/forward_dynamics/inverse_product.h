/* SPDX-License-Identifier: BSD-2-Clause */
/* -M^-1 T for derivatives T of forces, which are zero except along branches.
 *
 * Where branches are short the product is faster than the recursions of articulated.h, and as exact: M^-1 comes from
 * those. The derivatives of forward dynamics of 7 joints with AVX2 take 1.77 us, by the recursions 2.03; of a chain of
 * 25 joints 8.2 and 9.0.
 *
 *   symbol   meaning                                                         size
 *   inverse  M^-1                                                            nv x nv
 *   X        two matrices T, overwritten with -M^-1 T                        nv x nv each
 *   row      the rows of T that are not zero in the columns at hand          up to nv */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_INVERSE_PRODUCT_H
#define JN_KERNEL_FORWARD_DYNAMICS_INVERSE_PRODUCT_H

#include "articulated.h"

enum {
  PRODUCT_ROWS = 6,   /* rows of the result that are summed up at once, two tiles of each */
  PRODUCT_BRANCH = 40 /* with longer branches the recursions take less */
};

/* Which rows of a column of M, or of derivatives of forces, are not zero: those of its branch, inward and outward
 * (tree.h). Rows and columns are in the order of v, or in that of elimination. */
typedef struct sparsity {
  const JN_S(tree) * tree;
  int elimination;
  int32_t *place; /* [nv] of a coordinate: its place in the order of elimination */
  int32_t *end;   /* [nv] of a place: places [k, end) are outward of it, itself included */
  int32_t *stamp; /* [nv + 1] of a place: the last call of branch_rows() that had it; then the number of calls */
  int32_t *rows;  /* [nv] scratch */
} sparsity;

static inline sparsity sparsity_place(const JN_S(tree) * tree, int elimination, real **at) {
  sparsity b = {.tree = tree, .elimination = elimination};
  b.place = TAKE_INTS(at, tree->nv);
  b.end = TAKE_INTS(at, tree->nv);
  b.stamp = TAKE_INTS(at, tree->nv + 1);
  b.rows = TAKE_INTS(at, tree->nv);
  return b;
}

/* Places, and where the coordinates outward of each end. */
static inline void sparsity_fill(const sparsity *b) {
  const JN_S(tree) *tree = b->tree;
  for (int k = 0; k < tree->nv; k++) {
    b->place[b->elimination ? k : tree->order[k]] = k;
    b->end[k] = k + 1;
    b->stamp[k] = 0;
  }
  b->stamp[tree->nv] = 0;
  for (int k = tree->nv - 1; k >= 0; k--)
    if (tree->lambda[k] >= 0 && b->end[tree->lambda[k]] < b->end[k]) b->end[tree->lambda[k]] = b->end[k];
}

/* The rows that are not zero in one of columns [c, c + count), to row [nv]; returns how many. */
static inline int branch_rows(const sparsity *b, int c, int count, int32_t *row) {
  const JN_S(tree) *tree = b->tree;
  int rows = 0, low = tree->nv, high = 0, from = 0, to = 0, call = ++b->stamp[tree->nv];
  for (int e = c; e < c + count; e++) {
    int k = b->place[e];
    if (k >= from && k < to) continue; /* with all of its branch */
    from = k;
    to = b->end[k];

    /* Outward of it, then inward until a row that is marked already. */
    for (int j = from; j < to; j++) b->stamp[j] = call;
    if (to > high) high = to;
    if (from < low) low = from;
    for (int j = tree->lambda[k]; j >= 0 && b->stamp[j] != call; j = tree->lambda[j]) {
      b->stamp[j] = call;
      if (j < low) low = j;
    }
  }

  /* The marked rows, in the order of elimination. */
  for (int j = low; j < high; j++)
    if (b->stamp[j] == call) row[rows++] = b->elimination ? j : tree->order[j];
  return rows;
}

/* y [n] = the sum of d[k] times row k of A [n columns], k = row [count]; add: y += that. First for a few tiles of y,
 * which stay in registers. */
FLAT void combine_tiles(const real *d, int count, const int32_t *row, const real *A, int n, int add, int tiles,
                        real *y) {
  tile sum[4];
  for (int f = 0; f < tiles; f++) sum[f] = add ? tile_load(y + f * TILE) : (tile){0};
  for (int m = 0; m < count; m++)
    for (int f = 0; f < tiles; f++) sum[f] += d[row[m]] * tile_load(A + row[m] * n + f * TILE);
  for (int f = 0; f < tiles; f++) tile_store(sum[f], y + f * TILE);
}
static inline void combine_rows(const real *d, int count, const int32_t *row, const real *A, int n, int add, real *y) {
  int c = 0;
  for (; c + 4 * TILE <= n; c += 4 * TILE) combine_tiles(d, count, row, A + c, n, add, 4, y + c);
  for (; c + 2 * TILE <= n; c += 2 * TILE) combine_tiles(d, count, row, A + c, n, add, 2, y + c);
  for (; c + TILE <= n; c += TILE) combine_tiles(d, count, row, A + c, n, add, 1, y + c);
  for (; c < n; c++) {
    real sum = add ? y[c] : ZERO;
    for (int m = 0; m < count; m++) sum += d[row[m]] * A[row[m] * n + c];
    y[c] = sum;
  }
}

/* Columns [c, c + TILE) of two matrices T: the rows that are not zero. */
typedef struct packed {
  int c, count;
  int32_t *row; /* [nv] */
  tile *T;      /* [nv][2] */
} packed;

typedef struct product {
  const JN_S(tree) * tree;
  const real *inverse;       /* [nv x nv] */
  real *X[2];                /* [nv x nv] T, then -M^-1 T */
  const unsigned char *zero; /* [nv] rows of T that are zero too; NULL: none */
  int dense;                 /* so few zeros that all rows are taken */
  sparsity b;
  packed now, first;
} product;

/* What product_solve() needs. elimination: rows and columns are in that order, else in that of v. */
static inline product product_place(const JN_S(tree) * tree, int elimination, const real *inverse, real *X, real *Y,
                                    real **at) {
  product o = {.tree = tree, .inverse = inverse, .X = {X ? X : Y, Y ? Y : X}};
  o.now.T = TAKE_ALIGNED(at, 2 * tree->nv, tile);
  o.first.T = TAKE(at, 2 * tree->nv, tile);
  o.now.row = TAKE_INTS(at, tree->nv);
  o.first.row = TAKE_INTS(at, tree->nv);
  o.b = sparsity_place(tree, elimination, at);
  o.dense = elimination && 4 * branch_length(tree) >= 3 * tree->nv;
  if (inverse && !o.dense) sparsity_fill(&o.b); /* else the call only counts */
  return o;
}

/* Keeps those rows of a list [count] that are not zero; returns how many. */
static __attribute__((noinline)) int drop_zero_rows(const unsigned char *zero, int count, int32_t *row) {
  int left = 0;
  for (int m = 0; m < count; m++)
    if (!zero[row[m]]) row[left++] = row[m];
  return left;
}

/* Packs the rows that are not zero in columns [c, c + TILE) of both matrices. */
static inline void product_pack(const product *o, int c, packed *p) {
  int n = o->tree->nv;
  p->c = c;
  for (int m = 0; m < n && o->dense; m++) p->row[m] = m;
  p->count = o->dense ? n : branch_rows(&o->b, c, TILE, p->row);
  if (o->zero) p->count = drop_zero_rows(o->zero, p->count, p->row);
  for (int m = 0; m < p->count; m++) {
    p->T[2 * m] = tile_load(o->X[0] + p->row[m] * n + c);
    p->T[2 * m + 1] = tile_load(o->X[1] + p->row[m] * n + c);
  }
}

/* Rows [r, r + rows) of the result, for the packed columns of both matrices. */
FLAT void product_rows(const product *o, const packed *p, int r, int rows) {
  int n = o->tree->nv;
  const real *A = o->inverse + r * n;
  tile sum[PRODUCT_ROWS][2];
  for (int e = 0; e < rows; e++) sum[e][0] = sum[e][1] = (tile){0};
  for (int m = 0; m < p->count; m++) {
    const real *a = A + p->row[m];
    const tile x = p->T[2 * m], y = p->T[2 * m + 1];
    for (int e = 0; e < rows; e++) {
      sum[e][0] -= a[e * n] * x;
      sum[e][1] -= a[e * n] * y;
    }
  }
  for (int e = 0; e < rows; e++) {
    tile_store(sum[e][0], o->X[0] + (r + e) * n + p->c);
    tile_store(sum[e][1], o->X[1] + (r + e) * n + p->c);
  }
}

/* All rows of the result for the packed columns. */
static __attribute__((noinline)) void product_columns(const product *o, const packed *p) {
  int n = o->tree->nv, r = 0;
  for (; r + PRODUCT_ROWS <= n; r += PRODUCT_ROWS) product_rows(o, p, r, PRODUCT_ROWS);
  for (; r + 3 <= n; r += 3) product_rows(o, p, r, 3);
  for (; r < n; r++) product_rows(o, p, r, 1);
}

/* The product for fewer columns than a tile has; y [nv] is scratch memory. */
static inline void product_of_few(const product *o, real *X, real *y) {
  int n = o->tree->nv;
  for (int c = 0; c < n; c++) {
    for (int r = 0; r < n; r++) y[r] = X[r * n + c];
    for (int r = 0; r < n; r++) {
      real sum = ZERO;
      for (int k = 0; k < n; k++) sum -= o->inverse[r * n + k] * y[k];
      X[r * n + c] = sum;
    }
  }
}

/* X = -M^-1 X in place, tile by tile from the last column on. The first tile may share columns with the next one, so it
 * is packed before those are overwritten. */
static inline void product_solve(product *o) {
  int n = o->tree->nv, rest = lane_in_tile(n);
  if (n < TILE) {
    product_of_few(o, o->X[0], (real *)(void *)o->now.T);
    if (o->X[1] != o->X[0]) product_of_few(o, o->X[1], (real *)(void *)o->now.T);
    return;
  }
  if (rest) product_pack(o, 0, &o->first);
  for (int c = n - TILE; c >= 0; c -= TILE) {
    product_pack(o, c, &o->now);
    product_columns(o, &o->now);
  }
  if (rest) product_columns(o, &o->first);
}

/* -A X in place of X [nv x nlink x 6], of which only rows along the branches of the links are not zero. A [nv x nv],
 * rows and columns of both in the order of v; own [6 nv] is scratch. */
static inline void wrench_product(const sparsity *b, const real *A, real *own, real *X) {
  const JN_S(tree) *tree = b->tree;
  int n = tree->nv, wide = 6 * tree->nlink;
  for (int l = 0; l < tree->nlink; l++) {
    int rows = 0, call = ++b->stamp[n];
    for (int i = tree->frame[l].body; i >= 0; i = tree->body[i].parent)
      for (int k = tree->body[i].iv; k < tree->body[i].iv + tree->body[i].nv; k++) {
        if (b->stamp[b->place[k]] == call) continue; /* coupled coordinates move several bodies */
        b->stamp[b->place[k]] = call;
        for (int e = 0; e < 6; e++) own[6 * rows + e] = X[k * wide + 6 * l + e];
        b->rows[rows++] = k;
      }
    for (int r = 0; r < n; r++) {
      real sum[6] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO}, *to = X + r * wide + 6 * l;
      for (int m = 0; m < rows; m++)
        for (int e = 0; e < 6; e++) sum[e] -= A[r * n + b->rows[m]] * own[6 * m + e];
      for (int e = 0; e < 6; e++) to[e] = sum[e];
    }
  }
}

#endif
