/* SPDX-License-Identifier: BSD-2-Clause */
/* M = L^T D L in the order of elimination of the tree: H [n x n] holds D on its diagonal and L below it, only where the
 * branches are (Featherstone's LTDL; the order and lambda of tree.h). */
#ifndef JN_KERNEL_FACTOR_H
#define JN_KERNEL_FACTOR_H

#include "mass.h"

/* x relative to a size, and x itself where that is zero: a zero pivot stays zero, and NaN stays NaN. */
static inline real relative(real x, real size) { return x / choose(less(ZERO, size), size, K(1)); }

/* In place. pivot [n] gets D relative to the diagonal that was there: zero to rounding when M is singular. */
static inline void factorize(const JN_S(tree) * t, real *H, real *pivot) {
  int n = t->nv;
  for (int k = 0; k < n; k++) pivot[k] = H[k * n + k];
  for (int k = n - 1; k >= 0; k--) {
    real inverse = K(1) / H[k * n + k];
    for (int i = t->lambda[k]; i >= 0; i = t->lambda[i]) {
      real f = H[k * n + i] * inverse;
      for (int j = i; j >= 0; j = t->lambda[j]) H[i * n + j] -= f * H[k * n + j];
      H[k * n + i] = f;
    }
  }
  for (int k = 0; k < n; k++) pivot[k] = relative(H[k * n + k], pivot[k]);
}

/* From factors to the inverse, in place. First L^-1, row by row upwards, (L^-1)_ij = -L_ij - sum_{j<k<i} (L^-1)_ik L_kj
 * along the branch; then (L^-1 D^-1 L^-T)_ij = sum_k (L^-1)_ik (L^-1)_jk / D_k over the common ancestors k. Going
 * upwards and leftwards, what is overwritten is not needed any more. Fills both triangles. */
static inline void invert(const JN_S(tree) * t, real *H) {
  int n = t->nv;
  for (int i = n - 1; i >= 0; i--)
    for (int j = t->lambda[i]; j >= 0; j = t->lambda[j]) {
      real x = -H[i * n + j];
      for (int k = t->lambda[i]; k > j; k = t->lambda[k]) x -= H[i * n + k] * H[k * n + j];
      H[i * n + j] = x;
    }
  for (int k = 0; k < n; k++) H[k * n + k] = K(1) / H[k * n + k];
  for (int i = n - 1; i >= 0; i--)
    for (int j = i; j >= 0; j--) {
      real x = i == j ? H[i * n + i] : H[i * n + j] * H[j * n + j];
      for (int k = t->lambda[j]; k >= 0; k = t->lambda[k]) x += H[i * n + k] * H[j * n + k] * H[k * n + k];
      H[i * n + j] = x;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) H[j * n + i] = H[i * n + j];
}

/* Rows and columns from the order of elimination to that of v, in place; label [n] is scratch. */
static inline void reorder(const JN_S(tree) * t, real *H, int32_t *label) {
  int n = t->nv;
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
