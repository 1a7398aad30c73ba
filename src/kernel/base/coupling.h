/* SPDX-License-Identifier: BSD-2-Clause */
/* Coupled coordinates: matrices over them, from those of the tree in which each joint has its own (tree->uncoupled).
 *
 *   v_uncoupled = G v,      M = G^T M_uncoupled G,      dtau/dq = G^T (...) G, ...
 *
 * G has a single one in each row. So G^T X adds up the rows of joints that share a coordinate, and X G their columns.
 * Few joints share one, so most of the work is to copy runs of columns to their places. */
#ifndef JN_KERNEL_BASE_COUPLING_H
#define JN_KERNEL_BASE_COUPLING_H

#include "scratch.h"
#include "sweep.h"
#include "versions.h"

/* Columns [from, from + count) of joints that have their own, and their places among the coordinates. */
typedef struct coupled_run {
  int32_t from, to, count;
} coupled_run;

/* A place that several joints share, [first, end) of `follower` besides the first of them. */
typedef struct coupled_place {
  int32_t at, first, end;
} coupled_place;

typedef struct coupling {
  const JN_S(tree) * tree;
  int32_t *first;        /* [nv] of a place: the joint's coordinate that has it first */
  int32_t *follower;     /* [nd] the others, place by place */
  coupled_run *run;      /* [nd] */
  coupled_place *shared; /* [nd] */
  int32_t runs, places;  /* how many there are */
} coupling;

/* Takes scratch memory. */
static inline coupling coupling_place(const JN_S(tree) * tree, real **at) {
  coupling g = {.tree = tree, .first = TAKE_INTS(at, tree->nv), .follower = TAKE_INTS(at, tree->nd)};
  g.run = TAKE(at, tree->nd, coupled_run);
  g.shared = TAKE(at, tree->nd, coupled_place);
  return g;
}

/* Coordinate c of a joint follows the place `to`, which another joint has taken first. */
static inline void coupling_share(coupling *g, int to, int c) {
  int k = 0, last = g->places ? g->shared[g->places - 1].end : 0;
  while (k < g->places && g->shared[k].at != to) k++;
  if (k == g->places) g->shared[g->places++] = (coupled_place){to, last, last};
  for (int e = last; e > g->shared[k].end; e--) g->follower[e] = g->follower[e - 1];
  g->follower[g->shared[k].end++] = c;
  for (k++; k < g->places; k++) g->shared[k].first++, g->shared[k].end++;
}

/* Finds runs and shared places. elimination: matrices are in the order of elimination, otherwise in that of v. */
static inline void coupling_fill(coupling *g, int elimination) {
  const JN_S(tree) *tree = g->tree;
  int end = -1; /* where the run at hand goes on */
  g->runs = g->places = 0;
  for (int k = 0; k < tree->nv; k++) g->first[k] = -1;
  for (int c = 0; c < tree->nd; c++) {
    int to = elimination ? tree->elimination_place[c] : tree->order[tree->elimination_place[c]];
    if (g->first[to] >= 0) {
      coupling_share(g, to, c);
      end = -1;
      continue;
    }
    g->first[to] = c;
    if (to != end) g->run[g->runs++] = (coupled_run){c, to, 0};
    g->run[g->runs - 1].count++;
    end = to + 1;
  }

  /* Sort the runs by place: there are few, and mostly they are in order. */
  for (int r = 1; r < g->runs; r++)
    for (int k = r; k > 0 && g->run[k].to < g->run[k - 1].to; k--) {
      coupled_run swap = g->run[k];
      g->run[k] = g->run[k - 1];
      g->run[k - 1] = swap;
    }
}

/* Reals of a matrix over joints' coordinates, of which more is read than it has. */
enum { COUPLED_PADDING = 8 };
/* Reals of a matrix [nd x nd] over joints' coordinates; more is read than it has. */
static inline size_t coupled_size(const JN_S(tree) * tree) {
  return (size_t)tree->nd * (size_t)tree->nd + COUPLED_PADDING;
}

/* v_uncoupled = G v. */
static inline void follow(const JN_S(tree) * tree, const real *v, real *to) {
  for (int c = 0; c < tree->nd; c++) to[c] = v[tree->order[tree->elimination_place[c]]];
}

/* Copies n numbers in whole packs: up to PACK - 1 numbers more are read and written. */
FLAT void copy_packs(int n, const real *from, real *to) {
#if JN_ONE
  for (int k = 0; k < n; k += PACK) memcpy(to + k, from + k, sizeof(pack));
#else
  for (int k = 0; k < n; k++) to[k] = from[k];
#endif
}

/* Whether what copy_packs() writes beyond row k of a matrix [n x n] is still inside the matrix. */
static inline int has_rows_behind(int n, int k) {
#if JN_ONE
  return (n - 1 - k) * n >= PACK - 1;
#else
  return (void)n, (void)k, 1;
#endif
}

/* Adds the rows of joints that share a place to the row of the first one. */
static inline void add_followers(const coupling *g, int columns, real *X) {
  for (int k = 0; k < g->places; k++)
    for (int e = g->shared[k].first; e < g->shared[k].end; e++) {
      real *restrict to = X + g->first[g->shared[k].at] * columns;
      const real *restrict from = X + g->follower[e] * columns;
      for (int c = 0; c < columns; c++) to[c] += from[c];
    }
}

/* G^T X [nd x columns], rows of X in the order of joints' coordinates; X is overwritten. */
static inline void project_rows(const coupling *g, int columns, real *X, real *out) {
  add_followers(g, columns, X);
  for (int k = 0; k < g->tree->nv; k++)
    memcpy(out + k * columns, X + g->first[k] * columns, (size_t)columns * sizeof *out);
}

/* The shared columns of one row. `from`: row of X in which the followers' rows are added already. */
static inline void add_columns(const coupling *g, const real *from, real *to) {
  for (int s = 0; s < g->places; s++) {
    real sum = from[g->first[g->shared[s].at]], other = ZERO; /* two, because one would wait for each addition */
    int e = g->shared[s].first, end = g->shared[s].end;
    for (; e + 1 < end; e += 2) {
      sum += from[g->follower[e]];
      other += from[g->follower[e + 1]];
    }
    if (e < end) sum += from[g->follower[e]];
    to[g->shared[s].at] = sum + other;
  }
}

/* G^T X G [nv x nv] from X [nd x nd] (coupled_size() reals), which is overwritten. Where X is symmetric, columns that
 * joints share are their rows. */
static inline void project(const coupling *g, int symmetric, real *X, real *out) {
  int nd = g->tree->nd, n = g->tree->nv;
  add_followers(g, nd, X);

  /* Rows: runs of columns are copied. What is written beyond a run is overwritten by the next run, or the next row. */
  for (int k = 0; k < n; k++) {
    const real *from = X + g->first[k] * nd;
    real *to = out + k * n;
    int packs = has_rows_behind(n, k);
    for (int r = 0; r < g->runs && packs; r++) copy_packs(g->run[r].count, from + g->run[r].from, to + g->run[r].to);
    for (int c = 0; c < n && !packs; c++) to[c] = from[g->first[c]];
    if (!symmetric) add_columns(g, from, to);
  }

  /* Shared columns of a symmetric matrix are its rows. */
  for (int s = 0; s < g->places && symmetric; s++) {
    int at = g->shared[s].at;
    add_columns(g, X + g->first[at] * nd, out + at * n);
    for (int k = 0; k < n; k++) out[k * n + at] = out[at * n + k];
  }
}

#endif
