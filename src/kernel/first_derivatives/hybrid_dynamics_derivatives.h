/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of hybrid dynamics from those of inverse dynamics. [kim2012 Tables 6 and 7]
 *
 * Coordinates are f (free: the force is given) or p (prescribed: the acceleration is given). T is the derivative of
 * inverse dynamics, tau(q, v, a), by q, v or wrenches at the accelerations of hybrid dynamics. Differentiating
 * M_ff a_f + M_fp a_p + h_f = tau_f gives, with N = M_ff^-1:
 *
 *   da_f   = -N T_f                       da_f/dtau_f   = N           da_f/da_p    = -N M_fp
 *   dtau_p = T_p + M_pf da_f              dtau_p/dtau_f = M_pf N      dtau_p/da_p  = M_pp - M_pf N M_fp
 *
 * All products run only over entries that are not zero: those of the branch of a coordinate (sparsity).
 *
 *   symbol   meaning                                              unit                    size
 *   T        derivatives of inverse dynamics, then of tau         N m, N per unit         [nv x columns]
 *   da       derivatives of the accelerations                     1/s^2 per unit          [nv x columns]
 *   N, M     M_ff^-1, then da/dgiven; M, then dtau/dgiven                                 [nv x nv] */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_HYBRID_DYNAMICS_DERIVATIVES_H
#define JN_KERNEL_FIRST_DERIVATIVES_HYBRID_DYNAMICS_DERIVATIVES_H

#include "../forward_dynamics/by_factors.h"
#include "../forward_dynamics/inverse_product.h"

/* N in place of the factors of M_ff, in the order of v; zero in rows and columns of prescribed coordinates. */
static inline void free_inverse(const compact *M, const compact_inverse *inverse, const unsigned char *prescribed) {
  int n = M->tree->nv;
  compact_invert(M, inverse);
  reorder(M->tree, M->H, inverse->end);
  for (int i = 0; i < n && prescribed; i++)
    if (prescribed[i]) M->H[i * n + i] = ZERO;
}

/* Derivatives by q, v or wrenches: T of inverse dynamics, then of tau; da. */
typedef struct solved_derivative {
  real *T, *da; /* NULL: not wanted */
  int columns;
} solved_derivative;

/* da = T in rows of free coordinates, zero in the others. */
static inline void copy_free_rows(const unsigned char *prescribed, int n, const solved_derivative *derivative) {
  size_t bytes = (size_t)derivative->columns * sizeof(real);
  for (int i = 0; i < n; i++)
    if (prescribed[i])
      memset(derivative->da + i * derivative->columns, 0, bytes);
    else
      memcpy(derivative->da + i * derivative->columns, derivative->T + i * derivative->columns, bytes);
}

/* Writes the free coordinates of the branch of i to pattern->rows, and returns how many there are. */
static inline int free_rows_of_branch(const sparsity *pattern, const unsigned char *prescribed, int i) {
  int count = branch_rows(pattern, i, 1, pattern->rows), kept = 0;
  for (int m = 0; m < count; m++)
    if (!prescribed[pattern->rows[m]]) pattern->rows[kept++] = pattern->rows[m];
  return kept;
}

/* dtau_p = T_p + M_pf da_f in place of T; derivatives by what is given, of a in place of N, and of tau in place of M.
 * With y = M_pf N of one row p:  da_f/da_p = -y,  dtau_p/dtau_f = y,  dtau_p/da_p' = M_pp' - y M_fp'. For earlier p',
 * columns of N hold -N M_fp' already, so that y contains the last term. y [2 nv] is scratch. */
static inline void set_prescribed_rows(const sparsity *pattern, const unsigned char *prescribed,
                                       const solved_derivative derivative[3], real *y, real *N, real *M) {
  int n = pattern->tree->nv;
  real *given = y + n;
  for (int i = 0; i < n; i++) given[i] = prescribed[i] ? K(1) : ZERO;
  for (int p = 0; p < n; p++) {
    /* A free coordinate: its force does not change. */
    for (int k = 0; k < 3 && !prescribed[p]; k++)
      if (derivative[k].T)
        memset(derivative[k].T + p * derivative[k].columns, 0, (size_t)derivative[k].columns * sizeof *y);
    if (!prescribed[p]) continue;

    /* dtau_p = T_p + M_pf da_f. */
    real *row = M + p * n, own = row[p];
    int count = free_rows_of_branch(pattern, prescribed, p);
    for (int k = 0; k < 3; k++)
      if (derivative[k].T)
        combine_rows(row, count, pattern->rows, derivative[k].da, derivative[k].columns, 1,
                     derivative[k].T + p * derivative[k].columns);

    /* y = M_pf N, and the diagonal M_pp - y M_fp. */
    combine_rows(row, count, pattern->rows, N, n, 0, y);
    for (int m = 0; m < count; m++) own -= row[pattern->rows[m]] * y[pattern->rows[m]];

    /* da_f/da_p = -y; row p of dtau/dgiven. */
    for (int i = 0; i < n; i++) N[i * n + p] = -y[i];
    for (int c = 0; c < n; c++) row[c] = given[c] * row[c] + y[c];
    row[p] = own;
    for (int c = 0; c < p; c++)
      if (prescribed[c]) M[c * n + p] = row[c];
  }

  /* What is given has unit rows. */
  for (int i = 0; i < n; i++) {
    real *row = prescribed[i] ? N + i * n : M + i * n;
    memset(row, 0, (size_t)n * sizeof *row);
    row[i] = K(1);
  }
}

#endif
