/* SPDX-License-Identifier: BSD-2-Clause */
/* From derivatives T of inverse dynamics to those of hybrid dynamics, with f where forces are given and p where
 * accelerations are (kim2012 Tables 6, 7):
 *   da_f = -N T_f,   dtau_p = T_p + K^T T_f,   N = M_ff^-1,   K = da_f/da_p = -N M_fp
 * so that both are the rows of one product E T. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_SOLVED_DERIVATIVES_H
#define JN_KERNEL_FIRST_DERIVATIVES_SOLVED_DERIVATIVES_H

#include "../forward_dynamics/by_factors.h"
#include "../forward_dynamics/inverse_product.h"

/* N in place of the factors of the free coordinates, in the order of v, zero elsewhere; y [2 nv]. */
static inline void free_inverse(const JN_S(tree) * t, const unsigned char *prescribed, real *H, real *y) {
  int n = t->nv;
  invert(t, H, y);
  reorder(t, H, (int32_t *)(void *)y);
  for (int i = 0; i < n && prescribed; i++)
    if (prescribed[i]) H[i * n + i] = ZERO;
}

/* -E [nv x nv] from N and M: N in rows of free coordinates, -K^T and -1 in those of prescribed ones. */
static inline void solution_rows(const sparsity *b, const unsigned char *prescribed, const real *N, const real *M,
                                 real *E) {
  const JN_S(tree) *t = b->t;
  int n = t->nv;
  for (int p = 0; p < n; p++) {
    real *to = E + p * n;
    for (int c = 0; c < n; c++) to[c] = prescribed[p] ? ZERO : N[p * n + c];
    if (!prescribed[p]) continue;
    int count = branch_rows(b, p, 1, b->rows);
    for (int m = 0; m < count; m++)
      if (!prescribed[b->rows[m]]) add_row(n, M[p * n + b->rows[m]], N + b->rows[m] * n, to);
    to[p] = K(-1);
  }
}

/* Rows of E T [nv x columns]: those of free coordinates go to da, the others stay in dtau. */
static inline void split_rows(const unsigned char *prescribed, int n, int columns, real *dtau, real *da) {
  for (int i = 0; i < n; i++) {
    real *forces = dtau + i * columns, *motion = da + i * columns;
    if (!prescribed[i]) memcpy(motion, forces, (size_t)columns * sizeof *motion);
    for (int k = 0; k < columns; k++) (prescribed[i] ? motion : forces)[k] = ZERO;
  }
}

/* Derivatives by what is given: of a, in place of N, and of tau, in place of M. y [nv]. */
static inline void given_columns(const sparsity *b, const unsigned char *prescribed, const real *E, real *y, real *N,
                                 real *M) {
  int n = b->t->nv;
  for (int i = 0; i < n; i++)
    for (int p = 0; p < n; p++)
      if (prescribed[p]) N[i * n + p] = prescribed[i] ? (i == p ? K(1) : ZERO) : -E[p * n + i]; /* K */
  for (int i = 0; i < n; i++) {
    real *row = M + i * n;
    int count = prescribed[i] ? branch_rows(b, i, 1, b->rows) : 0;
    memcpy(y, row, (size_t)n * sizeof *y);
    for (int c = 0; c < n; c++) row[c] = prescribed[i] && prescribed[c] ? row[c] : ZERO;
    for (int m = 0; m < count; m++) /* M_pf times N in columns of free coordinates, K in the others */
      if (!prescribed[b->rows[m]]) add_row(n, y[b->rows[m]], N + b->rows[m] * n, row);
    if (!prescribed[i]) row[i] = K(1);
  }
}

#endif
