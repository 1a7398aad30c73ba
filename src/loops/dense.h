/* SPDX-License-Identifier: BSD-2-Clause */
/* Small dense systems, rank-revealing. Matrices are row-major; memory is the caller's. */
#ifndef JN_LOOPS_DENSE_H
#define JN_LOOPS_DENSE_H

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

#endif
