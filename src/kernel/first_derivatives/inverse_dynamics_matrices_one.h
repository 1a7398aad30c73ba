/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of inverse dynamics at one state: the matrices, from the linearization in tiles
 * (inverse_dynamics_derivatives_one.h). The formulas and symbols are those of linearization.h.
 *
 * From the last body to the first, the wrenches Z, Y, Yv of all coordinates outward of a body are moved to its origin,
 * a tile at a time, and projected on its screws. This gives whole rows: of the upper triangles, and of the transposed
 * lower ones, which wait until a tile of them can be transposed at once.
 *
 *   dtau_c/dq_k = S_c . Y_k,    dtau_k/dq_c = Z_k . ppsi_c + U_k . psi_c            k outward of c
 *   dtau_c/dv_k = S_c . Yv_k,   dtau_k/dv_c = Z_k . (Psi + psi)_c + U_k . S_c
 *   M_ck = M_kc = S_c . Z_k
 *
 *   symbol   meaning                           frame, unit
 *   Z        I S                               origin of the body that the sweep has reached, world axes
 *   Y        I ppsi + B psi + S x* F           the same
 *   Yv       I (Psi + psi) + B S               the same
 *   U        angular part of B^T S             world axes; a free vector: its linear part is zero
 *
 * With AVX2, dtau of a chain of 100 joints takes 27 us; one column after the other took 89. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_MATRICES_ONE_H
#define JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_MATRICES_ONE_H

#include "inverse_dynamics_derivatives_one.h"

/* The wrenches of TILE coordinates: I S; I ppsi + B psi + S x* F; I (Psi + psi) + B S; B^T S. */
typedef struct wrench_tiles {
  tile6 Z, Y, Yv;
  tile3 U;
} wrench_tiles;

/* Matrices while they are filled: rows of the transposed lower triangles wait until a tile of them can be
 * transposed. */
typedef struct matrix_rows {
  const derived *to;
  const linearization_one *lin;
  wrench_tiles *x; /* [tiles_of(nd)] */
  real *q, *v, *M; /* [TILE][step] */
  int step;        /* reals of a row, whole tiles */
  int end[TILE];   /* where these rows end */
  int last;        /* where the longest of them does */
} matrix_rows;

/* B X = (Q w - L x w, -2 P x w) */
FLAT tile6 tile6_rates(const coordinate_tile *s, tile6 X) {
  tile3 b = tile3_cross(X.a, s->P);
  return (tile6){tile3_add_arm(tile3_sym(&s->Q, X.a), X.a, s->L), tile3_add(b, b)};
}

/* Z, Y, Yv and U of a tile of coordinates; revolute: all joints are. */
FLAT void fill_wrench_tiles(const coordinate_tile *s, int revolute, wrench_tiles *x) {
  tile6 S = s->S, Y = tile6_add(tile6_momentum(s, s->ppsi, 0), tile6_rates(s, s->psi)), B = tile6_rates(s, S);
  Y.a = tile3_add_arm(Y.a, S.a, s->F.a);
  Y.b = tile3_add_arm(Y.b, S.a, s->F.b);
  x->Z = tile6_momentum(s, S, revolute);
  x->Yv = tile6_add(tile6_momentum(s, s->Psi_plus_psi, 0), B);
  x->U = tile3_add_arm(tile3_sym(&s->Q, S.a), s->L, S.a);
  if (!revolute) {
    tile3 PS = tile3_cross(s->P, S.b);
    x->U = tile3_add(x->U, tile3_add(PS, PS));
    Y.a = tile3_add_arm(Y.a, S.b, s->F.b);
  }
  x->Y = Y;
}

/* Part of row c from column k TILE on, in the matrix from `at` on. What is beyond the end of the row is zero, and may
 * overwrite the lower triangle of the next row, which is not there yet; not so in the first rows, whose first columns
 * are not all below the diagonal. */
FLAT int row_tile_is_whole(int n, int c, int k) { return n - k * TILE >= TILE || (c >= TILE && c < n - 1); }
FLAT void store_row_tile(real *D, int n, int at, int whole, tile row) {
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

/* S . F of a tile of wrenches; revolute: S has no linear part. */
FLAT tile project_on_screw(twist S, int revolute, const tile6 *F) {
  return revolute ? tile3_dot(S.w, F->a) : tile3_dot(S.w, F->a) + tile3_dot(S.v, F->b);
}

/* Entries of coordinate c with columns [c, end). What the first tile has before them is overwritten later, and the
 * lanes after the last coordinate are zero. */
FLAT void fill_rows_of(const matrix_rows *rows, int c, int revolute, int end) {
  const coordinate_tile *s = tile_of_coordinate(rows->lin, c);
  const twist S = lane_twist(&s->S, c), ppsi = lane_twist(&s->ppsi, c), Psi_plus_psi = lane_twist(&s->Psi_plus_psi, c);
  const vec3 psi = lane3(&s->psi.a, lane_in_tile(c));
  const wrench_tiles *x = rows->x;
  real *dq = rows->to->dq, *dv = rows->to->dv, *M = rows->to->M;
  int n = rows->lin->tree->nv, hi = tiles_of(end), wait = lane_in_tile(c) * rows->step;
  for (int k = tile_of(c); k < hi; k++) {
    /* Upper triangles, then the transposed lower ones. */
    tile up[3] = {project_on_screw(S, revolute, &x[k].Y), project_on_screw(S, revolute, &x[k].Yv),
                  M ? project_on_screw(S, revolute, &x[k].Z) : (tile){0}};
    tile q = project_on_screw(ppsi, 0, &x[k].Z) + tile3_dot(psi, x[k].U);
    tile v = project_on_screw(Psi_plus_psi, 0, &x[k].Z) + tile3_dot(S.w, x[k].U);

    /* Zero beyond the branch. */
    if ((k + 1) * TILE > end && end < n) {
      for (int e = 0; e < 3; e++) up[e] = tile_below(up[e], end - k * TILE);
      q = tile_below(q, end - k * TILE);
      v = tile_below(v, end - k * TILE);
    }

    /* Stored, or kept until their tile is complete. */
    int at = c * n + k * TILE, whole = row_tile_is_whole(n, c, k);
    store_row_tile(dq, n, at, whole, up[0]);
    store_row_tile(dv, n, at, whole, up[1]);
    tile_store(q, rows->q + wait + k * TILE);
    tile_store(v, rows->v + wait + k * TILE);
    if (!M) continue;
    store_row_tile(M, n, at, whole, up[2]);
    tile_store(up[2], rows->M + wait + k * TILE);
  }
}

/* If the coordinates from c on begin a tile, its rows of the lower triangles are complete: stores them, transposed.
 * Rows of shorter branches than the longest are filled up with zeros. */
FLAT void store_lower_rows(int n, int c, matrix_rows *rows) {
  if (lane_in_tile(c)) return;
  for (int e = 0; e < TILE && c + e < n; e++)
    for (int k = tiles_of(rows->end[e]); k < tiles_of(rows->last); k++) {
      tile_store((tile){0}, rows->q + e * rows->step + k * TILE);
      tile_store((tile){0}, rows->v + e * rows->step + k * TILE);
      if (rows->to->M) tile_store((tile){0}, rows->M + e * rows->step + k * TILE);
    }
  if (rows->to->dq) lower_from_rows(rows->to->dq, n, c, rows->last, rows->q, rows->step);
  if (rows->to->dv) lower_from_rows(rows->to->dv, n, c, rows->last, rows->v, rows->step);
  if (rows->to->M) lower_from_rows(rows->to->M, n, c, rows->last, rows->M, rows->step);
  rows->last = 0;
}

/* Moves the wrenches of columns [first, end) to the point from which their own is at d. */
FLAT void shift_wrenches(vec3 d, int first, int end, wrench_tiles *x) {
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

/* dtau/dq of coordinates that act together: everything moves along, so S x* F is not part of the upper triangle
 * either. */
static inline void correct_group_entries(const matrix_rows *rows, int i) {
  const JN_S(body) *body = &rows->lin->tree->body[i];
  int n = rows->lin->tree->nv;
  for (int c = body->id; c < body->id + body->nv; c++) {
    const coordinate_tile *s = tile_of_coordinate(rows->lin, c);
    twist ppsi = lane_twist(&s->ppsi, c);
    vec3 psi = lane3(&s->psi.a, lane_in_tile(c));
    for (int e = body->id; e < c; e++) {
      const wrench_tiles *x = &rows->x[tile_of(e)];
      rows->to->dq[e * n + c] = power(lane_wrench(&x->Z, e), ppsi) + dot(lane3(&x->U, lane_in_tile(e)), psi);
    }
  }
}

/* All matrices, with rows and columns in the order of elimination. */
static inline void fill_matrices_one(matrix_rows *rows) {
  const JN_S(tree) *tree = rows->lin->tree;
  const derived *to = rows->to;
  int n = tree->nv;
  if (!tree->chain) { /* else every entry is written below */
    clear_matrix(to->dq, 0, 1, n);
    clear_matrix(to->dv, 0, 1, n);
    clear_matrix(to->M, 0, 1, n);
  }

  /* Wrenches of all coordinates. */
  for (int k = 0; k < tiles_of(tree->nd); k++) fill_wrench_tiles(&rows->lin->tiles[k], 0, &rows->x[k]);

  /* Inwards: rows of the coordinates of a body, then on to its parent. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    int end = body->stop;
    for (int k = body->nv - 1; k >= 0; k--) {
      if (end > rows->last) rows->last = end;
      rows->end[lane_in_tile(body->id + k)] = end;
      if (is_revolute(body))
        fill_rows_of(rows, body->id, 1, end);
      else
        fill_rows_of(rows, body->id + k, 0, end);
      store_lower_rows(n, body->id + k, rows);
    }
    if (is_group(body) && to->dq) correct_group_entries(rows, i);
    if (body->parent >= 0)
      shift_wrenches(sp_numbers(rows->lin->motion[last_coordinate_of(tree, i)].R.d), body->id, end, rows->x);
  }

  /* Armatures and springs. */
  for (int i = 0; i < tree->nb && (tree->has_armature || tree->has_springs); i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < body->nv && to->M; k++) to->M[(body->id + k) * (n + 1)] += armature_of(tree, body, k);
    for (int k = 0; k < body->nv && to->dq && tree->has_springs; k++)
      to->dq[(body->id + k) * (n + 1)] += stiffness_of(tree, body, k);
  }
}

/* Takes the memory of the rows. */
static inline matrix_rows matrix_rows_place(const linearization_one *lin, const derived *to, real **at) {
  matrix_rows rows = {.to = to, .lin = lin, .step = tiles_of(lin->tree->nd) * TILE};
  rows.x = TAKE_ALIGNED(at, tiles_of(lin->tree->nd), wrench_tiles);
  rows.q = take(at, (size_t)(TILE * rows.step));
  rows.v = take(at, (size_t)(TILE * rows.step));
  rows.M = take(at, (size_t)(TILE * rows.step));
  return rows;
}

/* All matrices, with scratch memory from `at` on. */
static __attribute__((noinline)) void derivatives_one(const linearization_one *lin, real *at, const derived *to) {
  matrix_rows rows = matrix_rows_place(lin, to, &at);
  fill_matrices_one(&rows);
}

#endif
