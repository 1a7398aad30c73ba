/* SPDX-License-Identifier: BSD-2-Clause */
/* M = L^T D L in the order of elimination of the tree: H [n x n] holds D on its diagonal and L below it, only where the
 * branches are (Featherstone's LTDL; the order and lambda of tree.h). */
#ifndef JN_KERNEL_MASS_MATRIX_FACTOR_H
#define JN_KERNEL_MASS_MATRIX_FACTOR_H

#include "crba.h"

/* x relative to a size, and x itself where that is zero: a zero pivot stays zero, and NaN stays NaN. */
static inline real relative(real x, real size) { return x / choose(less(ZERO, size), size, K(1)); }

/* to += s from. Rows are whole: what lies outside the branches is zero and stays zero, and adding it in vector
 * registers takes less than leaving it out (inverse of M, 100 joints: 0.86 to 0.16 ms). By hand, because the compiler's
 * loop costs more to enter than short rows take. */
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

/* In place. pivot [n] gets D relative to the diagonal that was there: zero to rounding when M is singular. */
static inline void factorize(const JN_S(tree) * t, real *H, real *pivot) {
  int n = t->nv;
  for (int k = 0; k < n; k++) pivot[k] = H[k * n + k];
  for (int k = n - 1; k >= 0; k--) {
    real inverse = K(1) / H[k * n + k];
    for (int i = t->lambda[k]; i >= 0; i = t->lambda[i]) {
      real f = H[k * n + i] * inverse;
      add_row(i + 1, -f, H + k * n, H + i * n);
      H[k * n + i] = f;
    }
  }
  for (int k = 0; k < n; k++) pivot[k] = relative(H[k * n + k], pivot[k]);
}

/* The same when coordinates are prescribed ([nv], NULL: none): their rows say x = 0, and their pivots are one. */
static inline void factorize_free(const JN_S(tree) * t, const unsigned char *prescribed, real *H, real *pivot) {
  int n = t->nv;
  for (int i = 0; i < n && prescribed; i++)
    for (int j = 0; j < n; j++)
      if (prescribed[t->order[i]] || prescribed[t->order[j]]) H[i * n + j] = i == j ? K(1) : ZERO;
  factorize(t, H, pivot);
}

/* From factors to the inverse, in place; room [2 n]. First X = L^-1, row by row upwards, from X L = E:
 *   X_ij = -L_ij - sum_{j<k<i} X_ik L_kj
 * then, with X^T in the upper triangle, whole rows of X D^-1 X^T. k runs along the branch of i. Fills both triangles.
 */
static inline void invert(const JN_S(tree) * t, real *H, real *room) {
  int n = t->nv;
  real *inverse = room, *row = room + n;
  for (int i = n - 1; i >= 0; i--) {
    for (int k = t->lambda[i]; k >= 0; k = t->lambda[k]) H[i * n + k] = -H[i * n + k];
    for (int k = t->lambda[i]; k >= 0; k = t->lambda[k]) add_row(k, -H[i * n + k], H + k * n, H + i * n);
  }
  for (int i = 0; i < n; i++) {
    inverse[i] = K(1) / H[i * n + i];
    H[i * n + i] = K(1);
    for (int k = 0; k < i; k++) H[k * n + i] = H[i * n + k];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = 0; j < i; j++) row[j] = ZERO;
    row[i] = inverse[i];
    for (int k = t->lambda[i]; k >= 0; k = t->lambda[k])
      add_row(i + 1 - k, H[k * n + i] * inverse[k], H + k * n + k, row + k);
    for (int j = 0; j <= i; j++) H[i * n + j] = H[j * n + i] = row[j]; /* column i has had its use */
  }
}

/* Rows and columns from the order of elimination to that of v, in place; label [n] is scratch. */
static inline void reorder(const JN_S(tree) * t, real *H, int32_t *label) {
  int n = t->nv;
  if (t->straight) return;
  for (int k = 0; k < n; k++) label[k] = t->order[k];
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

/* L^T D L x = x, in place, x in the order of elimination. */
static inline void substitute(const JN_S(tree) * t, const real *H, real *x) {
  int n = t->nv;
  for (int i = n - 1; i >= 0; i--)
    for (int j = t->lambda[i]; j >= 0; j = t->lambda[j]) x[j] -= H[i * n + j] * x[i];
  for (int i = 0; i < n; i++) {
    x[i] /= H[i * n + i];
    for (int j = t->lambda[i]; j >= 0; j = t->lambda[j]) x[i] -= H[i * n + j] * x[j];
  }
}

#endif
