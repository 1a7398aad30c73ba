/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrices of first derivatives (derivative.h), columns side by side. From body to body inwards the wrenches of all
 * coordinates outward of it are moved at once, then multiplied with its screws: whole rows of the upper triangles, and
 * columns of the lower ones. Chain of 100 joints: d tau in 22 us, where one column after the other took 91. */
#ifndef JN_KERNEL_DERIVATIVE_TILES_H
#define JN_KERNEL_DERIVATIVE_TILES_H

#include "derivative.h"
#include "tile.h"

/* Of the coordinates of one tile: I S; I ppsi + B psi + S x* F; I (Psi + psi) + B S; B^T S. */
typedef struct wrenches {
  tile6 Z, Y, Yv;
  tile3 U;
} wrenches;

static inline void lane3_set(tile3 *to, int lane, vec3 x) {
  real *at = (real *)(void *)to;
  at[lane] = x.x;
  at[TILE + lane] = x.y;
  at[2 * TILE + lane] = x.z;
}
static inline void lane6_set(tile6 *to, int lane, wrench x) {
  lane3_set(&to->a, lane, x.m);
  lane3_set(&to->b, lane, x.f);
}

/* Wrenches of all coordinates. */
FLAT void wrenches_fill(const field *w, wrenches *x) {
  const JN_S(tree) *t = w->t;
  x[t->nd / TILE] = (wrenches){0}; /* lanes that belong to no coordinate */
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int c = b->id; c < b->id + b->nv; c++) {
      column o = is_turn(b) ? column_turn(w, i, c) : column_order(w, i, c, 0);
      wrenches *to = &x[c / TILE];
      int lane = c % TILE;
      lane6_set(&to->Z, lane, o.Z);
      lane6_set(&to->Y, lane, w_add(o.Y, o.F));
      lane6_set(&to->Yv, lane, o.Yv);
      lane3_set(&to->U, lane, o.U);
    }
  }
}

/* Matrices in the making: rows of the transposed lower triangles wait until a tile of them can be turned at once. */
typedef struct making {
  const derived *to;
  wrenches *x;     /* [tiles_of(nd + 1)] */
  real *q, *v, *M; /* [TILE][step] */
  int step;        /* reals of a row, whole tiles */
  int last;        /* where the longest of these rows ends */
} making;

/* Part of row c from column k TILE on. */
FLAT void row_store(real *D, int n, int c, int k, tile row) {
  int count = n - k * TILE;
  if (count >= TILE)
    tile_store(row, D + c * n + k * TILE);
  else
    tile_store_first(row, D + c * n + k * TILE, count);
}

FLAT tile on_tile(twist S, int turn, const tile6 *F) {
  return turn ? tile3_dot(S.w, F->a) : tile3_dot(S.w, F->a) + tile3_dot(S.v, F->b);
}

/* Entries of coordinate c with columns [c, end). */
FLAT void rows_of(const field *w, int c, int turn, int end, const making *o) {
  const twist S = w->S[c], psi = w->psi[c], ppsi = w->ppsi[c], both = t_add(w->Psi[c], psi);
  const wrenches *x = o->x;
  real *dq = o->to->dq, *dv = o->to->dv, *M = o->to->M;
  int wait = c % TILE * o->step;
  int n = w->t->nv, hi = tiles_of(end);
  for (int k = c / TILE; k < hi; k++) {
    tile up[3] = {on_tile(S, turn, &x[k].Y), on_tile(S, turn, &x[k].Yv), on_tile(S, turn, &x[k].Z)};
    tile q = on_tile(ppsi, 0, &x[k].Z) + tile3_dot(psi.w, x[k].U);
    tile v = on_tile(both, 0, &x[k].Z) + tile3_dot(S.w, x[k].U);
    if (k * TILE < c || (k + 1) * TILE > end) {
      int first = c - k * TILE, last = end - k * TILE;
      for (int e = 0; e < 3; e++) up[e] = tile_keep(up[e], first, last);
      q = tile_keep(q, first, last);
      v = tile_keep(v, first, last);
    }
    if (dq) row_store(dq, n, c, k, up[0]);
    if (dv) row_store(dv, n, c, k, up[1]);
    if (M) row_store(M, n, c, k, up[2]);
    tile_store(q, o->q + wait + k * TILE);
    tile_store(v, o->v + wait + k * TILE);
    tile_store(up[2], o->M + wait + k * TILE);
  }
}

/* Coordinates from c on have had their rows: if they begin a tile, it goes to where it belongs. */
FLAT void lower_flush(int n, int c, int branches, making *o) {
  int tiles = tiles_of(o->last), length = tiles * TILE;
  if (c % TILE) return;
  if (o->to->dq) lower_from_rows(o->to->dq, n, c, o->last, o->q, o->step);
  if (o->to->dv) lower_from_rows(o->to->dv, n, c, o->last, o->v, o->step);
  if (o->to->M) lower_from_rows(o->to->M, n, c, o->last, o->M, o->step);
  o->last = 0;
  for (int e = 0; e < TILE * o->step && branches; e += o->step)
    for (int k = c; k < length; k += TILE) {
      tile_store((tile){0}, o->q + e + k);
      tile_store((tile){0}, o->v + e + k);
      tile_store((tile){0}, o->M + e + k);
    }
}

/* Columns [first, end) about the point from which their own is at d. */
FLAT void rows_shift(vec3 d, int first, int end, wrenches *x) {
  int hi = tiles_of(end);
  for (int k = first / TILE; k < hi; k++) {
    tile3 at = {d.x - (tile){0}, d.y - (tile){0}, d.z - (tile){0}};
    if (k * TILE < first || (k + 1) * TILE > end) {
      int from = first - k * TILE, to = end - k * TILE;
      at = (tile3){tile_keep(at.x, from, to), tile_keep(at.y, from, to), tile_keep(at.z, from, to)};
    }
    x[k].Z.a = tile3_add_arm(x[k].Z.a, at, x[k].Z.b);
    x[k].Y.a = tile3_add_arm(x[k].Y.a, at, x[k].Y.b);
    x[k].Yv.a = tile3_add_arm(x[k].Yv.a, at, x[k].Yv.b);
  }
}

/* Entries of coordinates that act together: everything is carried along, so S x* F is not part of them. */
FLAT void group_entries(const field *w, int i, const derived *to) {
  const JN_S(body) *b = &w->t->body[i];
  int n = w->t->nv;
  for (int c = b->id; c < b->id + b->nv; c++) {
    column x = column_order(w, i, c, 0);
    for (int e = b->id; e < b->id + b->nv; e++) {
      if (to->dq) to->dq[e * n + c] = power(x.Y, w->S[e]);
      if (to->dv) to->dv[e * n + c] = power(x.Yv, w->S[e]);
      if (to->M) to->M[e * n + c] = power(x.Z, w->S[e]);
    }
  }
}

/* first_matrices() of trees without coupled coordinates, rows and columns in the order of elimination. */
FLAT void tile_matrices(const field *w, making *o) {
  const JN_S(tree) *t = w->t;
  const derived *to = o->to;
  int n = t->nv, branches = 0;
  for (int i = 0; i < t->nb; i++) branches |= t->body[i].parent != i - 1;
  if (branches) { /* else every entry is written below */
    clear_matrix(to->dq, 0, 1, n);
    clear_matrix(to->dv, 0, 1, n);
    clear_matrix(to->M, 0, 1, n);
    for (int e = 0; e < TILE * o->step; e++) o->q[e] = o->v[e] = o->M[e] = ZERO;
  }
  wrenches_fill(w, o->x);
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    int end = id_of(t, b->end);
    for (int k = b->nv - 1; k >= 0; k--) {
      if (end > o->last) o->last = end;
      if (is_turn(b))
        rows_of(w, b->id, 1, end, o);
      else
        rows_of(w, b->id + k, 0, end, o);
      lower_flush(n, b->id + k, branches, o);
    }
    if (b->parent >= 0) rows_shift(w->d[i], b->id, end, o->x);
  }
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    if (is_group(b)) group_entries(w, i, to);
    for (int k = 0; k < b->nv && to->M; k++) to->M[(b->id + k) * (n + 1)] += armature_of(t, b, k);
  }
}

/* The same in the order of v. */
static __attribute__((noinline)) void tile_derivatives(const field *w, real *at, const derived *to) {
  making o = {.to = to, .step = tiles_of(w->t->nd) * TILE};
  o.x = TAKE_ALIGNED(&at, tiles_of(w->t->nd + 1), wrenches);
  o.q = take(&at, (size_t)(TILE * o.step));
  o.v = take(&at, (size_t)(TILE * o.step));
  o.M = take(&at, (size_t)(TILE * o.step));
  tile_matrices(w, &o);
  if (to->dq) reorder(w->t, to->dq, (int32_t *)(void *)at);
  if (to->dv) reorder(w->t, to->dv, (int32_t *)(void *)at);
  if (to->M) reorder(w->t, to->M, (int32_t *)(void *)at);
}

#endif
