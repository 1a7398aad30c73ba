/* SPDX-License-Identifier: BSD-2-Clause */
/* Coupled coordinates: matrices over them from those of the tree where each joint has coordinates of its own
 * (t->uncoupled), with v_apart = G v: M = G^T M_apart G, and so on. G has a one in each row, so that rows and columns
 * of joints that share a coordinate are added up; only a few do, and only where the branches of their joints have
 * entries.
 */
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
  const JN_S(tree) * t;
  int32_t *first;        /* [nv] of a place: the joint's coordinate that has it first */
  int32_t *follower;     /* [nd] the others, place by place */
  coupled_run *run;      /* [nd] */
  coupled_place *shared; /* [nd] */
  int32_t runs, places;  /* how many there are */
} coupling;

static inline coupling coupling_place(const JN_S(tree) * t, real **at) {
  coupling g = {.t = t, .first = TAKE_INTS(at, t->nv), .follower = TAKE_INTS(at, t->nd)};
  g.run = TAKE(at, t->nd, coupled_run);
  g.shared = TAKE(at, t->nd, coupled_place);
  return g;
}

/* Joint's coordinate c follows the place `to`. */
static inline void coupling_share(coupling *g, int to, int c) {
  int k = 0, last = g->places ? g->shared[g->places - 1].end : 0;
  while (k < g->places && g->shared[k].at != to) k++;
  if (k == g->places) g->shared[g->places++] = (coupled_place){to, last, last};
  for (int e = last; e > g->shared[k].end; e--) g->follower[e] = g->follower[e - 1];
  g->follower[g->shared[k].end++] = c;
  for (k++; k < g->places; k++) g->shared[k].first++, g->shared[k].end++;
}

/* elimination: matrices over coordinates in the order of elimination, else in that of v. */
static inline void coupling_fill(coupling *g, int elimination) {
  const JN_S(tree) *t = g->t;
  int end = -1; /* where the run at hand goes on */
  g->runs = g->places = 0;
  for (int k = 0; k < t->nv; k++) g->first[k] = -1;
  for (int c = 0; c < t->nd; c++) {
    int to = elimination ? t->elimination_place[c] : t->order[t->elimination_place[c]];
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
  for (int r = 1; r < g->runs; r++) /* by place: there are few, and most often they are in order */
    for (int k = r; k > 0 && g->run[k].to < g->run[k - 1].to; k--) {
      coupled_run swap = g->run[k];
      g->run[k] = g->run[k - 1];
      g->run[k - 1] = swap;
    }
}

/* Reals of a matrix over joints' coordinates, of which more is read than it has. */
enum { COUPLED_SPARE = 8 };
static inline size_t coupled_size(const JN_S(tree) * t) { return (size_t)t->nd * (size_t)t->nd + COUPLED_SPARE; }

/* v of joints [nd] from v of coordinates [nv]. */
static inline void follow(const JN_S(tree) * t, const real *v, real *to) {
  for (int c = 0; c < t->nd; c++) to[c] = v[t->order[t->elimination_place[c]]];
}

/* Whole packs: up to PACK - 1 numbers more are read and written. */
FLAT void copy_packs(int n, const real *from, real *to) {
#if JN_ONE
  for (int k = 0; k < n; k += PACK) memcpy(to + k, from + k, sizeof(pack));
#else
  for (int k = 0; k < n; k++) to[k] = from[k];
#endif
}

/* Whether what copy_packs() writes beyond row k of a matrix [n x n] is still in the matrix. */
static inline int has_rows_behind(int n, int k) {
#if JN_ONE
  return (n - 1 - k) * n >= PACK - 1;
#else
  return (void)n, (void)k, 1;
#endif
}

/* Rows of joints that share a place are added up in that of the first. */
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
  for (int k = 0; k < g->t->nv; k++)
    memcpy(out + k * columns, X + g->first[k] * columns, (size_t)columns * sizeof *out);
}

/* The columns of one row that joints share, from those of X, in which their rows are added up already. */
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
  int nd = g->t->nd, n = g->t->nv;
  add_followers(g, nd, X);
  for (int k = 0; k < n; k++) { /* what is written beyond a run is overwritten by the next, or by the next row */
    const real *from = X + g->first[k] * nd;
    real *to = out + k * n;
    int packs = has_rows_behind(n, k);
    for (int r = 0; r < g->runs && packs; r++) copy_packs(g->run[r].count, from + g->run[r].from, to + g->run[r].to);
    for (int c = 0; c < n && !packs; c++) to[c] = from[g->first[c]];
    if (!symmetric) add_columns(g, from, to);
  }
  for (int s = 0; s < g->places && symmetric; s++) {
    int at = g->shared[s].at;
    add_columns(g, X + g->first[at] * nd, out + at * n);
    for (int k = 0; k < n; k++) out[k * n + at] = out[at * n + k];
  }
}

#endif
