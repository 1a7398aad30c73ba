/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrices over pairs of coordinates of one branch, four coordinates at a time (one state, AVX2).
 *
 * What belongs to four columns lies side by side in registers and is projected on the screw of one ancestor after the
 * other, whose row gets four numbers at once. Coordinates are in the order of the bodies, so that those of a subtree
 * are neighbours. */
#ifndef JN_KERNEL_BASE_COLUMNS4_H
#define JN_KERNEL_BASE_COLUMNS4_H

#include "bodies.h"

#if JN_REGISTERS

/* Columns k to k + 3 of a matrix. */
typedef struct matrix_strip {
  real *M;  /* at column k of row 0 */
  int n, k; /* numbers in a row */
} matrix_strip;

/* The strip after the one that begins at column k. The last columns come first; the last strip begins at `first`, and
 * may share columns with the one before. */
static inline int next_strip(int k, int first) { return k - 4 > first ? k - 4 : first; }

/* Four numbers of a row. */
static inline void strip_store(const matrix_strip *o, int row, r4 x) { r4_store(x, o->M + row * o->n); }

/* A mask of the lanes from the k-th on. */
static inline r4_bits lanes_from(int k) {
  static const scalar_bits bits[8] = {0, 0, 0, 0, -1, -1, -1, -1};
  r4_bits x;
  memcpy(&x, bits + 4 - k, sizeof x);
  return x;
}
static inline r4 r4_only(r4 x, r4_bits on) { return (r4)((r4_bits)x & on); }

/* Rows k to k + 3 of M [n x n] left of column k, transposed from the rows of `from`, which are `step` apart. */
static inline void rows_below(const scalar *from, int step, int n, int k, real *M) {
  real *to = M + k * n;
  for (int i = 0; i < k && k < 4; i++)
    for (int e = 0; e < 4; e++) to[e * n + i] = from[i * step + e];
  for (int i = 0; i + 4 <= k; i = i + 8 <= k || i + 4 == k ? i + 4 : k - 4) { /* the last ones perhaps twice */
    const scalar *x = from + i * step;
    r4 a = r4_load(x), b = r4_load(x + step), c = r4_load(x + 2 * step), d = r4_load(x + 3 * step);
    r4_transpose(&a, &b, &c, &d);
    r4_store(a, to + i);
    r4_store(b, to + n + i);
    r4_store(c, to + 2 * n + i);
    r4_store(d, to + 3 * n + i);
  }
}

/* M [n x n] = 0, n >= 4; zero comes as a number, so that the compiler does not make a call of it. */
static inline void clear_square(int n, r4 zero, real *M) {
  int count = n * n, k = 0;
  for (; k + 16 <= count; k += 16)
    for (int e = 0; e < 16; e += 4) r4_store(zero, M + k + e);
  for (; k + 4 <= count; k += 4) r4_store(zero, M + k);
  r4_store(zero, M + count - 4);
}

#endif

#endif
