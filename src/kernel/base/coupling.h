/* SPDX-License-Identifier: BSD-2-Clause */
/* Coupled coordinates: matrices over them from those of the tree where each joint has coordinates of its own
 * (t->apart), with v_apart = G v: M = G^T M_apart G, and so on. G has a one in each row, so that rows and columns of
 * joints that share a coordinate are added up; only a few do, and only where the branches of their joints have entries.
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

/* Coordinate `from` of a joint that follows the coordinate `to` of another, both counted over joints. */
typedef struct coupled_pair {
  int32_t from, to, body;
} coupled_pair;

typedef struct coupling {
  const JN_S(tree) * t;
  int32_t *first;      /* [nv] of a place: the joint's coordinate that has it first */
  coupled_run *run;    /* [nd] */
  coupled_pair *pair;  /* [nd] */
  int32_t runs, pairs; /* how many there are */
} coupling;

static inline coupling coupling_place(const JN_S(tree) * t, real **at) {
  coupling g = {.t = t, .first = TAKE_INTS(at, t->nv)};
  g.run = TAKE(at, t->nd, coupled_run);
  g.pair = TAKE(at, t->nd, coupled_pair);
  return g;
}

/* elimination: matrices over coordinates in the order of elimination, else in that of v. */
static inline void coupling_fill(coupling *g, int elimination) {
  const JN_S(tree) *t = g->t;
  int end = -1; /* where the run at hand goes on */
  g->runs = g->pairs = 0;
  for (int k = 0; k < t->nv; k++) g->first[k] = -1;
  for (int i = 0; i < t->nb; i++)
    for (int c = t->body[i].id; c < t->body[i].id + t->body[i].nv; c++) {
      int to = elimination ? t->place[c] : t->order[t->place[c]];
      if (g->first[to] >= 0) {
        g->pair[g->pairs++] = (coupled_pair){c, g->first[to], i};
        end = -1;
        continue;
      }
      g->first[to] = c;
      if (to != end) g->run[g->runs++] = (coupled_run){c, to, 0};
      g->run[g->runs - 1].count++;
      end = to + 1;
    }
}

/* v of joints [nd] from v of coordinates [nv]. */
static inline void follow(const JN_S(tree) * t, const real *v, real *to) {
  for (int c = 0; c < t->nd; c++) to[c] = v[t->order[t->place[c]]];
}

#if JN_ONE
FLAT void copy_row(int n, const real *restrict from, real *restrict to) {
  if (n < PACK) {
    for (int k = 0; k < n; k++) to[k] = from[k];
    return;
  }
  for (int k = 0;; k = k + 2 * PACK > n ? n - PACK : k + PACK) { /* the last may overlap the one before */
    memcpy(to + k, from + k, sizeof(pack));
    if (k + PACK >= n) return;
  }
}
#else
FLAT void copy_row(int n, const real *restrict from, real *restrict to) {
  for (int k = 0; k < n; k++) to[k] = from[k];
}
#endif

/* G^T X [nd x columns], rows of X in the order of joints' coordinates; X is overwritten. */
static inline void project_rows(const coupling *g, int columns, real *X, real *out) {
  for (int p = 0; p < g->pairs; p++) {
    real *to = X + g->pair[p].to * columns;
    const real *from = X + g->pair[p].from * columns;
    for (int c = 0; c < columns; c++) to[c] += from[c];
  }
  for (int k = 0; k < g->t->nv; k++) copy_row(columns, X + g->first[k] * columns, out + k * columns);
}

/* G^T X G [nv x nv] from X [nd x nd], which is overwritten. */
static inline void project(const coupling *g, real *X, real *out) {
  const JN_S(tree) *t = g->t;
  int nd = t->nd, n = t->nv;
  for (int p = 0; p < g->pairs; p++) { /* columns: only rows along the branch have entries */
    int from = g->pair[p].from, to = g->pair[p].to, i = g->pair[p].body, end = t->body[i].end;
    int last = end < t->nb ? t->body[end].id : nd;
    for (int r = from; r < last; r++) X[r * nd + to] += X[r * nd + from];
    for (i = t->body[i].parent; i >= 0; i = t->body[i].parent)
      for (int r = t->body[i].id; r < t->body[i].id + t->body[i].nv; r++) X[r * nd + to] += X[r * nd + from];
  }
  for (int p = 0; p < g->pairs; p++) {
    real *to = X + g->pair[p].to * nd;
    const real *from = X + g->pair[p].from * nd;
    for (int c = 0; c < nd; c++) to[c] += from[c];
  }
  for (int k = 0; k < n; k++) {
    const real *from = X + g->first[k] * nd;
    for (int r = 0; r < g->runs; r++) copy_row(g->run[r].count, from + g->run[r].from, out + k * n + g->run[r].to);
  }
}

#endif
