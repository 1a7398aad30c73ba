/* SPDX-License-Identifier: BSD-2-Clause */
/* -M^-1 T for derivatives T of forces, which are zero but along branches. Where branches are short this is quicker than
 * the recursions of articulated.h, and as exact: M^-1 comes from those.
 * d ddq of 7 joints with AVX2 takes 1.77 us, by the recursions 2.03; of a chain of 25 joints 8.2 and 9.0. */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_INVERSE_PRODUCT_H
#define JN_KERNEL_FORWARD_DYNAMICS_INVERSE_PRODUCT_H

#include "articulated.h"

enum {
  PRODUCT_ROWS = 6,   /* rows of the result that are summed up at once, two tiles of each */
  PRODUCT_BRANCH = 40 /* with longer branches the recursions take less */
};

/* Columns [c, c + TILE) of two matrices T: the rows that are not zero. */
typedef struct packed {
  int c, count;
  int32_t *row; /* [nv] */
  tile *T;      /* [nv][2] */
} packed;

typedef struct product {
  const JN_S(tree) * t;
  const real *inverse; /* [nv x nv] */
  real *X[2];          /* [nv x nv] T, then -M^-1 T */
  int32_t *body;       /* [nv] of a coordinate */
  packed now, first;
} product;

/* What product_solve() needs, where rows and columns are in the order of elimination, that of the bodies. */
static inline product product_place(const JN_S(tree) * t, const real *inverse, real *X, real *Y, real **at) {
  product o = {.t = t, .inverse = inverse, .X = {X ? X : Y, Y ? Y : X}};
  o.now.T = TAKE_ALIGNED(at, 2 * t->nv, tile);
  o.first.T = TAKE(at, 2 * t->nv, tile);
  o.body = TAKE_INTS(at, t->nv);
  o.now.row = TAKE_INTS(at, t->nv);
  o.first.row = TAKE_INTS(at, t->nv);
  if (!inverse) return o; /* the call only counts */
  for (int i = 0; i < t->nb; i++)
    for (int c = t->body[i].id; c < t->body[i].id + t->body[i].nv; c++) o.body[c] = i;
  return o;
}

/* Rows [begin, end) besides. */
FLAT void product_take(const product *o, int begin, int end, packed *p) {
  int n = o->t->nv, at = p->count;
  for (int r = begin; r < end; r++, at++) {
    p->row[at] = r;
    p->T[2 * at] = tile_load(o->X[0] + r * n + p->c);
    p->T[2 * at + 1] = tile_load(o->X[1] + r * n + p->c);
  }
  p->count = at;
}

/* Rows of the branches of TILE columns: bodies side by side, all that is outward of them, which is side by side too,
 * and the ancestors of the first, which has those of the others: most often each is next to its parent. */
static inline void product_pack(const product *o, int c, packed *p) {
  const JN_S(tree) *t = o->t;
  int i = o->body[c], end = 0;
  for (int e = o->body[c + TILE - 1]; e >= i; e--) end = t->body[e].end > end ? t->body[e].end : end;
  p->c = c;
  p->count = 0;
  product_take(o, t->body[i].id, id_of(t, end), p);
  for (i = t->body[i].parent; i >= 0; i = t->body[i].parent) {
    int last = i;
    while (i > 0 && t->body[i].parent == i - 1) i--;
    product_take(o, t->body[i].id, t->body[last].id + t->body[last].nv, p);
  }
}

/* Rows [r, r + rows) of the result. */
FLAT void product_rows(const product *o, const packed *p, int r, int rows) {
  int n = o->t->nv;
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

static __attribute__((noinline)) void product_columns(const product *o, const packed *p) {
  int n = o->t->nv, last = n - PRODUCT_ROWS;
  for (int r = 0; r < n && last < 0; r++) product_rows(o, p, r, 1);
  for (int r = 0; r < n && last >= 0; r += PRODUCT_ROWS) product_rows(o, p, r < last ? r : last, PRODUCT_ROWS);
}

/* In place, for nv >= TILE: tiles from the last column on. The first one may share columns with the next, so it is
 * copied before those are overwritten. */
static inline void product_solve(product *o) {
  int n = o->t->nv, rest = lane_in_tile(n);
  if (rest) product_pack(o, 0, &o->first);
  for (int c = n - TILE; c >= 0; c -= TILE) {
    product_pack(o, c, &o->now);
    product_columns(o, &o->now);
  }
  if (rest) product_columns(o, &o->first);
}

#endif
