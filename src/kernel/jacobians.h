/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobians in the world's frame: about the world's origin, in its axes. There a column is the same for all frames that
 * it moves, so that one matrix [6 x nv] of all columns, the space Jacobian, holds them all. */
#ifndef JN_KERNEL_JACOBIANS_H
#define JN_KERNEL_JACOBIANS_H

#include "vec4.h"

/* Column `at` of a Jacobian [6 x n]. */
static inline void add_column(real *J, int n, int at, twist X) {
  real column[6];
  t_store(X, column);
  for (int r = 0; r < 6; r++) J[r * n + at] += column[r];
}

/* J [6 x nv] of columns X [nd]. */
static inline void space_matrix(const JN_S(tree) * t, const twist *X, real *J) {
  for (int k = 0; k < 6 * t->nv; k++) J[k] = ZERO;
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) add_column(J, t->nv, t->body[i].iv + k, X[t->body[i].id + k]);
}

#if JN_QUAD

/* Four columns at a time, masked by comparing the bodies that a column moves, from and end [nv], with the frame's. The
 * last four may be done twice. 0.4 of the time of copying column by column. */
static inline void spread_quads(const JN_S(tree) * t, const real *space, scalar *from, scalar *end, real *J) {
  int n = t->nv;
  for (int i = 0; i < t->nb; i++)
    for (int k = t->body[i].iv; k < t->body[i].iv + t->body[i].nv; k++) {
      from[k] = (scalar)i;
      end[k] = (scalar)t->body[i].end;
    }
  for (int f = 0; f < t->nframe; f++) {
    scalar body = (scalar)t->frame[f].body;
    for (int k = 0; k < n; k += 4) {
      int at = k + 4 <= n ? k : n - 4;
      quad_bits on = (q4_load(from + at) <= body) & (q4_load(end + at) > body);
      for (int r = 0; r < 6; r++)
        q4_store((quad)((quad_bits)q4_load(space + r * n + at) & on), J + (6 * f + r) * n + at);
    }
  }
}

#endif

/* J of all frames out of the matrix of all columns, when each coordinate has a joint of its own. room [2 nv]. */
static inline void spread_matrix(const JN_S(tree) * t, const real *space, real *room, real *J) {
  int n = t->nv;
#if JN_QUAD
  if (n >= 4) {
    spread_quads(t, space, room, room + n, J);
    return;
  }
#else
  (void)room;
#endif
  for (int f = 0; f < t->nframe; f++)
    for (int i = 0; i < t->nb; i++) {
      int body = t->frame[f].body, on = i <= body && body < t->body[i].end;
      for (int k = t->body[i].iv; k < t->body[i].iv + t->body[i].nv; k++)
        for (int r = 0; r < 6; r++) J[(6 * f + r) * n + k] = on ? space[r * n + k] : ZERO;
    }
}

/* The same out of columns X [nd], when coordinates are coupled. */
static inline void spread_columns(const JN_S(tree) * t, const twist *X, real *J) {
  int n = t->nv;
  for (int k = 0; k < 6 * n * t->nframe; k++) J[k] = ZERO;
  for (int f = 0; f < t->nframe; f++)
    for (int j = t->frame[f].body; j >= 0; j = t->body[j].parent)
      for (int k = 0; k < t->body[j].nv; k++) add_column(J + 6 * n * f, n, t->body[j].iv + k, X[t->body[j].id + k]);
}

/* Both matrices that are wanted: of all frames, and the one of all columns, of columns X [nd]. room [8 nv]. */
static inline void space_outputs(const JN_S(tree) * t, const twist *X, real *room, real *all, real *space) {
  real *one = space ? space : room;
  if (space || (all && !t->coupled)) space_matrix(t, X, one);
  if (all && t->coupled) spread_columns(t, X, all);
  if (all && !t->coupled) spread_matrix(t, one, room + 6 * t->nv, all);
}

#endif
