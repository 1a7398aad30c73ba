/* SPDX-License-Identifier: BSD-2-Clause */
/* The conditions of closed loops over expressions: values phi, rows of A = d phi/dq, and solutions of linear equations
 * in an order that is chosen when code is generated. */
#ifndef JN_GENERATE_CONDITIONS_H
#define JN_GENERATE_CONDITIONS_H

#include "generate.h"

/* Rows of all loops of the model. */
int jn__condition_count(const jn_model *model);
/* phi [m] and A [m x nv] (either may be NULL), as jn_loops_constraint(). 0: out of memory. */
int jn__write_conditions(jn_writing *w, jn_expr *phi, jn_expr *A);

/* An order of elimination: step k divides by the entry (row[k], column[k]) of what is left of the matrix. */
typedef struct jn_pivot_order {
  int rank;
  int *row, *column; /* [rank] */
  double *typical;   /* [rank] size of the pivot at ordinary closed configurations */
} jn_pivot_order;

/* Chooses it for X [rows x columns], by its values at the closed configurations of w. What is smaller than 1e-9 of the
 * largest entry counts as zero, each row over its own scale. 0: out of memory. */
int jn__choose_pivots(jn_writing *w, const jn_expr *X, int rows, int columns, jn_pivot_order *order);
void jn__pivot_order_free(jn_writing *w, jn_pivot_order *order);

/* x [n] with X x = b for a square matrix X [n x n] of full rank; X and b [n] are overwritten. *smallest becomes the
 * smallest of itself and of all |pivot| / typical. */
void jn__write_elimination(jn_writing *w, const jn_pivot_order *order, int n, jn_expr *X, jn_expr *b, jn_expr *x,
                           jn_expr *smallest);
/* What `smallest` begins with. */
#define JN_PIVOT_MOST 1e3
/* The smaller one of `least` and |x| / typical. */
jn_expr jn__write_smaller(jn_graph *g, jn_expr least, jn_expr x, double typical);

/* Closed configurations with velocities and accelerations that keep them closed, for samples. */
enum { JN_CLOSED_STATES = 32 };
jn_status jn__find_closed_states(jn_writing *w);
/* State k: q [nq], v [nv], a [nv], or NULL if the loops could not be closed. */
const double *jn__closed_state(const jn_writing *w, int k);

#endif
