/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobians in the world's frame: about the world's origin, in its axes. There a column is the same for all frames that
 * it moves, so that one matrix [6 x nv] of all columns, the space Jacobian, holds them all, and the Jacobian of a link
 * is that of its parent with the columns of its own joint besides. */
#ifndef JN_KERNEL_TERMS_JACOBIANS_H
#define JN_KERNEL_TERMS_JACOBIANS_H

#include "../base/sweep.h"

/* Column `at` of a Jacobian [6 x n]. */
static inline void add_column(real *J, int n, int at, twist X) {
  real column[6];
  t_store(X, column);
  for (int r = 0; r < 6; r++) J[r * n + at] += column[r];
}

/* The columns of body i, of X [nd], in J [6 x nv], where they are zero: coupled joints share columns. */
static inline void put_columns(const JN_S(tree) * t, int i, const twist *X, real *J) {
  const JN_S(body) *b = &t->body[i];
  for (int k = 0; k < b->nv; k++) add_column(J, t->nv, b->iv + k, X[b->id + k]);
}

/* J [6 x nv] of columns X [nd]. */
static inline void space_jacobian(const JN_S(tree) * t, const twist *X, real *J) {
  for (int k = 0; k < 6 * t->nv; k++) J[k] = ZERO;
  for (int i = 0; i < t->nb; i++) put_columns(t, i, X, J);
}

/* J [nframe][6 x nv] of all frames. Links come first, each after its parent. */
static inline void all_jacobians(const JN_S(tree) * t, const twist *X, real *J) {
  int size = 6 * t->nv;
  for (int f = 0; f < t->nframe; f++) {
    int body = t->frame[f].body, link = body < 0 ? -1 : t->body[body].link,
        from = f < t->nlink ? t->link_parent[f] : link;
    real *to = J + f * size;
    if (from >= 0)
      memcpy(to, J + from * size, (size_t)size * sizeof *to);
    else
      for (int k = 0; k < size; k++) to[k] = ZERO;
    if (f == link) put_columns(t, body, X, to);
  }
}

#endif
