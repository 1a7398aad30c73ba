/* SPDX-License-Identifier: BSD-2-Clause */
/* Matrices over pairs of coordinates of one branch, four coordinates at a time: what belongs to four columns lies side
 * by side in registers and meets one ancestor after the other, whose row gets four numbers at once. Coordinates are in
 * the order of the bodies, so that those of a subtree are side by side; groups of four begin at multiples of four. */
#ifndef JN_KERNEL_BASE_COLUMNS4_H
#define JN_KERNEL_BASE_COLUMNS4_H

#include "bodies.h"

#if JN_REGISTERS

/* Rows of a matrix from column k on, as wide as a register. The last may run into the beginning of the next row, left
 * of the diagonal, where the mirrored rows are written later; not so in the last row, nor in the first ones. */
typedef struct matrix_strip {
  real *M;          /* at column k of row 0 */
  int n, k;         /* numbers in a row */
  int begin, count; /* rows that may */
} matrix_strip;

static inline matrix_strip strip_at(real *M, int n, int k) {
  return k + 4 <= n ? (matrix_strip){M + k, n, k, 0, n} : (matrix_strip){M + k, n, k, k + 3 - n, 2 * n - k - 4};
}

static inline void strip_store(const matrix_strip *o, int row, r4 x) {
  real *to = o->M + row * o->n;
  if (__builtin_expect((unsigned)(row - o->begin) < (unsigned)o->count, 1)) {
    r4_store(x, to);
    return;
  }
  to[0] = x[0];
  if (o->k + 1 < o->n) to[1] = x[1];
  if (o->k + 2 < o->n) to[2] = x[2];
}

/* Lanes from the k-th on. */
static inline r4_bits lanes_from(int k) {
  static const scalar_bits bits[8] = {0, 0, 0, 0, -1, -1, -1, -1};
  r4_bits x;
  memcpy(&x, bits + 4 - k, sizeof x);
  return x;
}
static inline r4 r4_only(r4 x, r4_bits on) { return (r4)((r4_bits)x & on); }

/* Rows k to k + 3 of M [n x n] left of column k: what `from` has in rows, `step` apart, as columns. */
static inline void rows_below(const scalar *from, int step, int n, int k, real *M) {
  int rows = n - k;
  real *to = M + k * n;
  for (int i = 0; i < k; i += 4, from += 4 * step) {
    r4 a = r4_load(from), b = r4_load(from + step), c = r4_load(from + 2 * step), d = r4_load(from + 3 * step);
    r4_transpose(&a, &b, &c, &d);
    r4_store(a, to + i);
    if (rows > 1) r4_store(b, to + n + i);
    if (rows > 2) r4_store(c, to + 2 * n + i);
    if (rows > 3) r4_store(d, to + 3 * n + i);
  }
}

/* Right of the subtrees: zeros, which come as a number so that they are not cleared by calls, a call for each row. */
static inline void clear_rows(const JN_S(tree) * t, const solid *B, r4 zero, real *M) {
  int n = t->nv, over = -n & 3;
  for (int i = 0; i < t->nb && !t->chain; i++) {
    int begin = (B[i].stop + 3) & ~3;
    if (begin >= n) continue;
    for (int l = B[i].id; l < B[i].id + t->body[i].nv; l++) {
      int end = l + 1 < over ? n & ~3 : n; /* the ends of the first rows one by one: see matrix_strip */
      for (int k = begin; k < end; k += 4) r4_store(zero, M + l * n + k);
      for (int k = end; k < n; k++) M[l * n + k] = 0;
    }
  }
}

#endif

#endif
