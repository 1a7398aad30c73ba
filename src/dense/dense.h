/* SPDX-License-Identifier: BSD-2-Clause */
/* Dense linear algebra in double, for matrices of up to some hundred rows: decompose.c (rank-revealing decompositions),
 * triangles.c (QR updates, independent columns), symmetric.c (Cholesky, eigenvectors). Matrices are stored by rows;
 * memory is the caller's, unless an allocator is given. */
#ifndef JN_DENSE_DENSE_H
#define JN_DENSE_DENSE_H

#include "../model/memory.h"

static inline double jn__dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* ---- decompose.c ---- */

/* Least-squares solutions of minimal length of B x = b, B [rows x n]: no data makes the answer large, as directions
 * weaker than tolerance times the strongest count as zero. Two ways with one result:
 *   svd  B = U diag(s) V^T by one-sided Jacobi rotations: knows the strength of every direction
 *   cod  B P = Q [T 0] Z by Householder reflections with exchange of columns: faster, and estimates them */
typedef struct jn_decomposition {
  int rows, n, rank;
  double weakest, dropped; /* of directions that count, and that do not; relative to the strongest */
  double *U;               /* [n][rows]: svd: columns of U times s; cod: columns of Q and T, with reflections */
  double *V;               /* [n][n]: svd: columns of V; cod: factors of Z */
  double *s;  /* [n]: svd: strengths, not sorted, zero for directions that do not count; cod: factors of Q */
  double *y;  /* [max(n, rows)] scratch */
  int *pivot; /* [n] cod: P */
} jn_decomposition;

/* Arrays are to have room. B is read only. */
void jn__svd(jn_decomposition *d, int rows, int n, const double *B, double tolerance);
/* x [n] from b [rows]. */
void jn__svd_solve(const jn_decomposition *d, const double *b, double *x);
/* x [n] of minimal length with B^T B x = r [n], in place. */
void jn__svd_solve_normal(const jn_decomposition *d, double *x);

/* The same; of rows that begin `stride` apart. How strong directions are is judged with column j over scale[j] (NULL:
 * as they are), so that columns in small units count like the others; the solution is the shortest in the units of B.
 */
void jn__cod_strided(jn_decomposition *d, int rows, int n, int stride, const double *B, const double *scale,
                     double tolerance);
void jn__cod(jn_decomposition *d, int rows, int n, const double *B, double tolerance);
void jn__cod_solve(const jn_decomposition *d, const double *b, double *x);
void jn__cod_solve_normal(const jn_decomposition *d, double *x);

/* Turns the n vectors of U [n][rows] pair by pair (one-sided Jacobi) until they are orthogonal; their lengths are then
 * the singular values. V [n][n] (may be NULL) is turned alike. */
void jn__orthogonalise(double *U, int n, int rows, double *V);

/* ---- triangles.c ---- */

/* R [n x n] upper triangular: R^T R += block^T block. block [rows x n] is lost; w [n] scratch. */
void jn__qr_update(double *R, double *block, int rows, int n, double *w);
/* The same for large matrices of which nothing is kept if the caller asks to stop (model/stop.h). */
void jn__qr_update_unless_stopped(double *R, double *block, int rows, int n, double *w);
/* Solves R x = b, n x n with rows of ld numbers; x may be b. */
void jn__back_solve(const double *R, int n, int ld, const double *b, double *x);
/* Which columns of A [rows x n] are independent of those before them in `order`: lead [count], and B [count x n] with
 * A = A_lead B. Columns are scaled to length 1, those shorter than `zero` times the longest are zero. Returns count, or
 * -1 without memory. `used` [n] (may be NULL): 0 where the column is zero. */
int jn__independent(const jn_allocator *a, const double *A, int rows, int n, const int *order, double zero, double tol,
                    int *lead, double *B, unsigned char *used);

/* ---- symmetric.c ---- */

/* M = L L^T, L in place below and on the diagonal of M [n x n]. 0: a pivot is not above `tolerance` times what was in
 * its place. */
int jn__cholesky(double *M, int n, double tolerance);
/* Jacobi's rotations: eigenvalues become the diagonal of A [n x n], eigenvectors the columns of V. */
void jn__eigenvectors(double *A, int n, double *V);

#endif
