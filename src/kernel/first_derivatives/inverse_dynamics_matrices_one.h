/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrices of first derivatives (linearization.h) from the linearization in tiles. From body to body inwards the
 * wrenches of all coordinates outward of it are moved at once, then multiplied with its screws: whole rows of the upper
 * triangles, and of the transposed lower ones. With AVX2, d tau of a chain of 100 joints takes 27 us; one column after
 * the other 89. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_MATRICES_ONE_H
#define JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_MATRICES_ONE_H

#include "inverse_dynamics_derivatives_one.h"

/* Of the coordinates of one tile: I S; I ppsi + B psi + S x* F; I (Psi + psi) + B S; B^T S. */
typedef struct wrench_tiles {
  tile6 Z, Y, Yv;
  tile3 U;
} wrench_tiles;

/* Matrices on their way: rows of the transposed lower triangles wait until a tile of them can be turned at once. */
typedef struct matrix_rows {
  const derived *to;
  const linearization_one *o;
  wrench_tiles *x; /* [tiles_of(nd)] */
  real *q, *v, *M; /* [TILE][step] */
  int step;        /* reals of a row, whole tiles */
  int end[TILE];   /* where these rows end */
  int last;        /* where the longest of them does */
} matrix_rows;

/* B X = (Q w - L x w, -2 P x w) */
FLAT tile6 tile6_rates(const coordinates *s, tile6 X) {
  tile3 b = tile3_cross(X.a, s->P);
  return (tile6){tile3_add_arm(tile3_sym(&s->Q, X.a), X.a, s->L), tile3_add(b, b)};
}

FLAT void wrenches_fill(const coordinates *s, int turn, wrench_tiles *x) {
  tile6 S = s->S, Y = tile6_add(tile6_momentum(s, s->ppsi, 0), tile6_rates(s, s->psi)), B = tile6_rates(s, S);
  Y.a = tile3_add_arm(Y.a, S.a, s->F.a);
  Y.b = tile3_add_arm(Y.b, S.a, s->F.b);
  x->Z = tile6_momentum(s, S, turn);
  x->Yv = tile6_add(tile6_momentum(s, s->both, 0), B);
  x->U = tile3_add_arm(tile3_sym(&s->Q, S.a), s->L, S.a);
  if (!turn) {
    tile3 PS = tile3_cross(s->P, S.b);
    x->U = tile3_add(x->U, tile3_add(PS, PS));
    Y.a = tile3_add_arm(Y.a, S.b, s->F.b);
  }
  x->Y = Y;
}

/* Part of row c from column k TILE on, in the matrix from `at` on. What is beyond the end of the row is zero, and may
 * go to the lower triangle of the next row, which is not there yet; not so in the first rows, whose first columns are
 * not all below the diagonal. */
FLAT int row_whole(int n, int c, int k) { return n - k * TILE >= TILE || (c >= TILE && c < n - 1); }
FLAT void row_store(real *D, int n, int at, int whole, tile row) {
  if (!D) return;
  real *to = D + at;
  int count = n - at % n;
  if (whole)
    tile_store(row, to);
  else if (at + TILE <= n * n) /* also of matrices smaller than a tile */
    tile_store(tile_below(row, count) + tile_from(tile_load(to), count), to);
  else
    tile_store_first(row, to, count);
}

FLAT tile on_tile(twist S, int turn, const tile6 *F) {
  return turn ? tile3_dot(S.w, F->a) : tile3_dot(S.w, F->a) + tile3_dot(S.v, F->b);
}

/* Entries of coordinate c with columns [c, end). What the first tile has before them is overwritten when its turn
 * comes, and the lanes after the last coordinate are zero. */
FLAT void rows_of(const matrix_rows *o, int c, int turn, int end) {
  const coordinates *s = coordinates_of(o->o, c);
  const twist S = lane_twist(&s->S, c), ppsi = lane_twist(&s->ppsi, c), both = lane_twist(&s->both, c);
  const vec3 psi = lane3(&s->psi.a, lane_in_tile(c));
  const wrench_tiles *x = o->x;
  real *dq = o->to->dq, *dv = o->to->dv, *M = o->to->M;
  int n = o->o->t->nv, hi = tiles_of(end), wait = lane_in_tile(c) * o->step;
  for (int k = tile_of(c); k < hi; k++) {
    tile up[3] = {on_tile(S, turn, &x[k].Y), on_tile(S, turn, &x[k].Yv), M ? on_tile(S, turn, &x[k].Z) : (tile){0}};
    tile q = on_tile(ppsi, 0, &x[k].Z) + tile3_dot(psi, x[k].U);
    tile v = on_tile(both, 0, &x[k].Z) + tile3_dot(S.w, x[k].U);
    if ((k + 1) * TILE > end && end < n) {
      for (int e = 0; e < 3; e++) up[e] = tile_below(up[e], end - k * TILE);
      q = tile_below(q, end - k * TILE);
      v = tile_below(v, end - k * TILE);
    }
    int at = c * n + k * TILE, whole = row_whole(n, c, k);
    row_store(dq, n, at, whole, up[0]);
    row_store(dv, n, at, whole, up[1]);
    tile_store(q, o->q + wait + k * TILE);
    tile_store(v, o->v + wait + k * TILE);
    if (!M) continue;
    row_store(M, n, at, whole, up[2]);
    tile_store(up[2], o->M + wait + k * TILE);
  }
}

/* Coordinates from c on have had their rows: if they begin a tile, it goes to where it belongs. Rows of shorter
 * branches than the longest are filled up with zeros. */
FLAT void lower_flush(int n, int c, matrix_rows *o) {
  if (lane_in_tile(c)) return;
  for (int e = 0; e < TILE && c + e < n; e++)
    for (int k = tiles_of(o->end[e]); k < tiles_of(o->last); k++) {
      tile_store((tile){0}, o->q + e * o->step + k * TILE);
      tile_store((tile){0}, o->v + e * o->step + k * TILE);
      if (o->to->M) tile_store((tile){0}, o->M + e * o->step + k * TILE);
    }
  if (o->to->dq) lower_from_rows(o->to->dq, n, c, o->last, o->q, o->step);
  if (o->to->dv) lower_from_rows(o->to->dv, n, c, o->last, o->v, o->step);
  if (o->to->M) lower_from_rows(o->to->M, n, c, o->last, o->M, o->step);
  o->last = 0;
}

/* Columns [first, end) about the point from which their own is at d. */
FLAT void rows_shift(vec3 d, int first, int end, wrench_tiles *x) {
  int hi = tiles_of(end);
  for (int k = tile_of(first); k < hi; k++) {
    tile3 at = {d.x - (tile){0}, d.y - (tile){0}, d.z - (tile){0}};
    if (k * TILE < first) {
      int from = first - k * TILE;
      at = (tile3){tile_from(at.x, from), tile_from(at.y, from), tile_from(at.z, from)};
    }
    if ((k + 1) * TILE > end) {
      int to = end - k * TILE;
      at = (tile3){tile_below(at.x, to), tile_below(at.y, to), tile_below(at.z, to)};
    }
    x[k].Z.a = tile3_add_arm(x[k].Z.a, at, x[k].Z.b);
    x[k].Y.a = tile3_add_arm(x[k].Y.a, at, x[k].Y.b);
    x[k].Yv.a = tile3_add_arm(x[k].Yv.a, at, x[k].Yv.b);
  }
}

/* dtau/dq of coordinates that act together: everything is carried along, so S x* F is not part of the upper triangle
 * either. */
static inline void group_entries(const matrix_rows *o, int i) {
  const JN_S(body) *b = &o->o->t->body[i];
  int n = o->o->t->nv;
  for (int c = b->id; c < b->id + b->nv; c++) {
    const coordinates *s = coordinates_of(o->o, c);
    twist ppsi = lane_twist(&s->ppsi, c);
    vec3 psi = lane3(&s->psi.a, lane_in_tile(c));
    for (int e = b->id; e < c; e++) {
      const wrench_tiles *x = &o->x[tile_of(e)];
      o->to->dq[e * n + c] = power(lane_wrench(&x->Z, e), ppsi) + dot(lane3(&x->U, lane_in_tile(e)), psi);
    }
  }
}

/* linearization_matrices() of the state, with rows and columns in the order of elimination. */
static inline void one_matrices(matrix_rows *o) {
  const JN_S(tree) *t = o->o->t;
  const derived *to = o->to;
  int n = t->nv;
  if (!t->chain) { /* else every entry is written below */
    clear_matrix(to->dq, 0, 1, n);
    clear_matrix(to->dv, 0, 1, n);
    clear_matrix(to->M, 0, 1, n);
  }
  for (int k = 0; k < tiles_of(t->nd); k++) wrenches_fill(&o->o->s[k], 0, &o->x[k]);
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    int end = b->stop;
    for (int k = b->nv - 1; k >= 0; k--) {
      if (end > o->last) o->last = end;
      o->end[lane_in_tile(b->id + k)] = end;
      if (is_revolute(b))
        rows_of(o, b->id, 1, end);
      else
        rows_of(o, b->id + k, 0, end);
      lower_flush(n, b->id + k, o);
    }
    if (is_group(b) && to->dq) group_entries(o, i);
    if (b->parent >= 0) rows_shift(sp_numbers(o->o->at[last_of(t, i)].R.d), b->id, end, o->x);
  }
  for (int i = 0; i < t->nb && (t->has_armature || t->carries_springs); i++) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv && to->M; k++) to->M[(b->id + k) * (n + 1)] += armature_of(t, b, k);
    for (int k = 0; k < b->nv && to->dq && t->carries_springs; k++)
      to->dq[(b->id + k) * (n + 1)] += stiffness_of(t, b, k);
  }
}

static inline matrix_rows matrix_rows_place(const linearization_one *w, const derived *to, real **at) {
  matrix_rows o = {.to = to, .o = w, .step = tiles_of(w->t->nd) * TILE};
  o.x = TAKE_ALIGNED(at, tiles_of(w->t->nd), wrench_tiles);
  o.q = take(at, (size_t)(TILE * o.step));
  o.v = take(at, (size_t)(TILE * o.step));
  o.M = take(at, (size_t)(TILE * o.step));
  return o;
}

/* The same in scratch memory. */
static __attribute__((noinline)) void one_derivatives(const linearization_one *w, real *at, const derived *to) {
  matrix_rows o = matrix_rows_place(w, to, &at);
  one_matrices(&o);
}

#endif
