/* SPDX-License-Identifier: BSD-2-Clause */
/* Small dense systems, rank-revealing. Matrices are row-major; memory is the caller's. */
#ifndef JN_LOOPS_DENSE_H
#define JN_LOOPS_DENSE_H

/* Least-squares solutions of minimal length of B x = b, B [rows x n], by one-sided Jacobi rotations: B = U diag(s) V^T.
 * Directions with s below tolerance times the largest count as zero: no data makes the answer large. */
typedef struct jn_svd {
  int rows, n, rank;
  double weakest, dropped; /* of directions that count, and that do not; relative to the strongest */
  double *U;               /* [n][rows]: rows of it are the columns of U times s */
  double *V;               /* [n][n]: rows of it are the columns of V */
  double *s;               /* [n], not sorted; zero for directions that do not count */
  double *y;               /* [n] scratch */
} jn_svd;

/* U, V, s, y are to have room. B is read only. */
void jn__svd(jn_svd *d, int rows, int n, const double *B, double tolerance);
/* x [n] from b [rows]. */
void jn__svd_solve(const jn_svd *d, const double *b, double *x);

/* x [n] of minimal length with B^T B x = r [n], in place. */
void jn__svd_solve_normal(const jn_svd *d, double *x);

/* M = L L^T in place (lower triangle). 0 when a pivot is not positive. */
int jn__cholesky(double *M, int n);
void jn__cholesky_solve(const double *L, int n, double *x);
/* x = L^-1 x, and L^-T x. */
void jn__lower_solve(const double *L, int n, double *x);
void jn__upper_solve(const double *L, int n, double *x);

#endif
