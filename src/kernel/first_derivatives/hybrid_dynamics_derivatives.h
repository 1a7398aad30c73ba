/* SPDX-License-Identifier: BSD-2-Clause */
/* From derivatives T of inverse dynamics to those of hybrid dynamics, with f where forces are given and p where
 * accelerations are (kim2012 Tables 6, 7), along the branches:
 *   da_f = -N T_f,   dtau_p = T_p + M_pf da_f,   N = M_ff^-1,   da_f/da_p = -N M_fp */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_HYBRID_DYNAMICS_DERIVATIVES_H
#define JN_KERNEL_FIRST_DERIVATIVES_HYBRID_DYNAMICS_DERIVATIVES_H

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

/* Derivatives by q, v or wrenches: T of inverse dynamics, then of tau, and da [nv x columns]. */
typedef struct solved {
  real *T, *da; /* NULL: not wanted */
  int columns;
} solved;

/* T_f in place of da, zero in the other rows. */
static inline void rows_of_free(const unsigned char *prescribed, int n, const solved *x) {
  size_t bytes = (size_t)x->columns * sizeof(real);
  for (int i = 0; i < n; i++)
    if (prescribed[i])
      memset(x->da + i * x->columns, 0, bytes);
    else
      memcpy(x->da + i * x->columns, x->T + i * x->columns, bytes);
}

/* Free coordinates of the branch of i, to b->rows; returns how many. */
static inline int free_of_branch(const sparsity *b, const unsigned char *prescribed, int i) {
  int count = branch_rows(b, i, 1, b->rows), kept = 0;
  for (int m = 0; m < count; m++)
    if (!prescribed[b->rows[m]]) b->rows[kept++] = b->rows[m];
  return kept;
}

/* T_p + M_pf da_f in place of T; derivatives by what is given, of a in place of N, and of tau in place of M: with
 * y = M_pf N, da_f/da_p = -y, dtau_p/dtau_f = y, dtau_p/da_p' = M_pp' - y M_fp'. Columns of earlier p are in N already,
 * so that y has the last of these for them. y [2 nv]. */
static inline void prescribed_rows(const sparsity *b, const unsigned char *prescribed, const solved x[3], real *y,
                                   real *N, real *M) {
  int n = b->t->nv;
  real *given = y + n;
  for (int i = 0; i < n; i++) given[i] = prescribed[i] ? K(1) : ZERO;
  for (int p = 0; p < n; p++) {
    for (int k = 0; k < 3 && !prescribed[p]; k++)
      if (x[k].T) memset(x[k].T + p * x[k].columns, 0, (size_t)x[k].columns * sizeof *y);
    if (!prescribed[p]) continue;
    real *row = M + p * n, own = row[p];
    int count = free_of_branch(b, prescribed, p);
    for (int k = 0; k < 3; k++)
      if (x[k].T) combine_rows(row, count, b->rows, x[k].da, x[k].columns, 1, x[k].T + p * x[k].columns);
    combine_rows(row, count, b->rows, N, n, 0, y);
    for (int m = 0; m < count; m++) own -= row[b->rows[m]] * y[b->rows[m]];
    for (int i = 0; i < n; i++) N[i * n + p] = -y[i];
    for (int c = 0; c < n; c++) row[c] = given[c] * row[c] + y[c];
    row[p] = own;
    for (int c = 0; c < p; c++)
      if (prescribed[c]) M[c * n + p] = row[c];
  }
  for (int i = 0; i < n; i++) { /* what is given */
    real *row = prescribed[i] ? N + i * n : M + i * n;
    memset(row, 0, (size_t)n * sizeof *row);
    row[i] = K(1);
  }
}

#endif
