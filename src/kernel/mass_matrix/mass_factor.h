/* SPDX-License-Identifier: BSD-2-Clause */
/* What the factors of M (mass_factor_compact.h) and its inverse share: rows, pivots, and the order of elimination. */
#ifndef JN_KERNEL_MASS_MATRIX_MASS_FACTOR_H
#define JN_KERNEL_MASS_MATRIX_MASS_FACTOR_H

#include "mass_matrix.h"

/* x / size, and x itself where size is zero: a zero pivot stays zero, and NaN stays NaN. */
static inline real relative(real x, real size) { return x / choose(less(ZERO, size), size, K(1)); }

/* to += s from, n numbers. Whole rows are added, although they have zeros between branches: in vector registers this
 * takes less time than leaving them out (inverse of M, 100 joints: 0.16 ms instead of 0.86). By hand, because the loop
 * that the compiler makes costs more to enter than short rows take. */
static inline void add_row(int n, real s, const real *restrict from, real *restrict to) {
#if JN_LANES == 1 && (JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F)
  for (; n >= PACK; n -= PACK, from += PACK, to += PACK) {
    pack a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, to, sizeof b);
    b += s * a;
    memcpy(to, &b, sizeof b);
  }
  switch (n) { /* what is left, at most seven floats; each case falls through */
    case 7:
      to[6] += s * from[6]; /* fall through */
    case 6:
      to[5] += s * from[5]; /* fall through */
    case 5:
      to[4] += s * from[4]; /* fall through */
    case 4:
      to[3] += s * from[3]; /* fall through */
    case 3:
      to[2] += s * from[2]; /* fall through */
    case 2:
      to[1] += s * from[1]; /* fall through */
    case 1:
      to[0] += s * from[0]; /* fall through */
    default:
      return;
  }
#else
  for (int j = 0; j < n; j++) to[j] += s * from[j];
#endif
}

/* H [n x n] from the order of elimination to that of v, in place, along the cycles of the permutation. label [n] is
 * scratch memory: label[a] is where row a belongs. */
static inline void reorder(const JN_S(tree) * tree, real *H, int32_t *label) {
  int n = tree->nv;
  if (tree->in_body_order) return;
  for (int k = 0; k < n; k++) label[k] = tree->order[k];

  /* Exchange rows and columns a and label[a] until a is in its place. */
  for (int a = 0; a < n; a++)
    while (label[a] != a) {
      int b = label[a];
      for (int k = 0; k < n; k++) {
        real x = H[a * n + k];
        H[a * n + k] = H[b * n + k];
        H[b * n + k] = x;
      }
      for (int k = 0; k < n; k++) {
        real x = H[k * n + a];
        H[k * n + a] = H[k * n + b];
        H[k * n + b] = x;
      }
      label[a] = label[b];
      label[b] = b;
    }
}

#endif
