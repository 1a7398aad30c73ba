/* SPDX-License-Identifier: BSD-2-Clause */
/* From derivatives T of inverse dynamics to those of hybrid dynamics, with f where forces are given and p where
 * accelerations are (kim2012 Tables 6, 7), along the branches:
 *   da_f = -N T_f,   dtau_p = T_p + M_pf da_f,   N = M_ff^-1,   da_f/da_p = -N M_fp */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_SOLVED_DERIVATIVES_H
#define JN_KERNEL_FIRST_DERIVATIVES_SOLVED_DERIVATIVES_H

#include "../forward_dynamics/by_factors.h"
#include "../forward_dynamics/inverse_product.h"

/* N in place of the factors of the free coordinates, in the order of v, zero elsewhere. */
static inline void free_inverse(const compact *M, const compact_inverse *r, const unsigned char *prescribed) {
  int n = M->t->nv;
  compact_invert(M, r);
  reorder(M->t, M->H, r->end);
  for (int i = 0; i < n && prescribed; i++)
    if (prescribed[i]) M->H[i * n + i] = ZERO;
}

/* T_f in place of da [nv x columns], zero in the other rows. */
static inline void rows_of_free(const unsigned char *prescribed, int n, int columns, const real *T, real *da) {
  for (int i = 0; i < n; i++)
    for (int c = 0; c < columns; c++) da[i * columns + c] = prescribed[i] ? ZERO : T[i * columns + c];
}

/* Free coordinates of the branch of i, to b->rows; returns how many. */
static inline int free_rows(const sparsity *b, const unsigned char *prescribed, int i) {
  int count = branch_rows(b, i, 1, b->rows), kept = 0;
  for (int m = 0; m < count; m++)
    if (!prescribed[b->rows[m]]) b->rows[kept++] = b->rows[m];
  return kept;
}

/* T_p + M_pf da_f in place of T [nv x columns], zero in the rows of free coordinates. */
static inline void prescribed_rows(const sparsity *b, const unsigned char *prescribed, int columns, const real *M,
                                   const real *da, real *T) {
  int n = b->t->nv;
  for (int i = 0; i < n; i++) {
    real *row = T + i * columns;
    if (prescribed[i]) combine_rows(M + i * n, free_rows(b, prescribed, i), b->rows, da, columns, 1, row);
    for (int c = 0; c < columns && !prescribed[i]; c++) row[c] = ZERO;
  }
}

/* Derivatives by what is given: of a, in place of N, and of tau, in place of M. y [2 nv]. */
static inline void given_columns(const sparsity *b, const unsigned char *prescribed, real *y, real *N, real *M) {
  int n = b->t->nv;
  real *given = y + n;
  for (int i = 0; i < n; i++) given[i] = prescribed[i] ? K(1) : ZERO;
  for (int p = 0; p < n; p++) {
    if (!prescribed[p]) continue;
    combine_rows(M + p * n, free_rows(b, prescribed, p), b->rows, N, n, 0, y);
    for (int i = 0; i < n; i++) N[i * n + p] = -y[i];
  }
  for (int i = 0; i < n; i++) {
    real *row = prescribed[i] ? N + i * n : M + i * n; /* what is given is given */
    memset(row, 0, (size_t)n * sizeof *row);
    row[i] = K(1);
    if (!prescribed[i]) continue;
    row = M + i * n;
    for (int c = 0; c < n; c++) y[c] = given[c] * row[c];
    combine_rows(row, free_rows(b, prescribed, i), b->rows, N, n, 1, y);
    memcpy(row, y, (size_t)n * sizeof *y);
  }
}

#endif
