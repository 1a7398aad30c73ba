/* SPDX-License-Identifier: BSD-2-Clause */
/* What src/simulation and src/tasks use of closed loops beyond the public functions. A jn_loops is opaque to them: no
 * other folder includes loops.h, which tests/layout.sh checks.
 *
 * The conditions of the loops are phi(q) = 0 with the Jacobian A(q), phi' = A v. Their rows have different units, so
 * that decompositions use A over the scale of each row [m or rad for one unit of motion].
 *
 *   symbol  meaning                                              size
 *   m       rows of all conditions, jn_loops_rows()
 *   A       Jacobian of the conditions                           m x nv
 *   A^+     its pseudoinverse: the shortest correction           nv x m
 *   mu      multipliers; A^T mu are the forces of the loops      m
 *
 * Functions return JN_OK or the error of the tree's function that failed. None allocates. */
#ifndef JN_LOOPS_CONSTRAINTS_H
#define JN_LOOPS_CONSTRAINTS_H

#include "jounce/loops.h"

/* The model, and the highest order of jets that there is memory for. */
const jn_model *jn__loops_model(const jn_loops *loops);
int jn__loops_order(const jn_loops *loops);

/* ---- orders of the motion ---- */

/* As jn__hybrid_jet_orders() of src/dispatch: orders from ... end - 1 of forward or hybrid dynamics (prescribed NULL:
 * none). Goes on from the last call, which must have ended at `from`. */
jn_status jn__loops_hybrid_orders(jn_loops *loops, int order, int from, int end, const unsigned char *prescribed,
                                  const double *q, const double *v_jet, const double *tau_jet, const double *wrench_jet,
                                  double *v_out, double *tau_out);

/* ---- projection on the conditions ---- */

/* A and A^+ at q. Columns of held coordinates (NULL: none) count as zero in the matrix that is inverted. */
jn_status jn__loops_pseudoinverse(jn_loops *loops, const double *q, const unsigned char *held, double *A,
                                  double *inverse);
/* change [m x nv] = d (A y)/dq for constant y [nv]. */
jn_status jn__loops_change_of_A(jn_loops *loops, const double *q, const double *y, double *change);
/* change [nv x nv] = d (A^T mu)/dq for constant mu [m]. */
jn_status jn__loops_change_of_forces(jn_loops *loops, const double *q, const double *mu, double *change);

/* ---- errors of closure ---- */

/* error [m] = -(how far each row is from closed) over its scale, and the largest gap [m, rad] of all loops. */
jn_status jn__loops_errors(jn_loops *loops, const double *q, double *error, double *gap);
/* The linear system of a step that closes the loops, at the q of the last jn__loops_errors(): J dq = error, both over
 * the scales of the rows. J [m x nv], error [m]. */
jn_status jn__loops_closing_system(jn_loops *loops, double *J, double *error);

/* ---- A along a motion, and systems of M and A ---- */

/* A and its time derivatives to `order`, over the scales of the rows; row block k begins at A_jet + k stride. */
jn_status jn__loops_scaled_jacobian_jet(jn_loops *loops, int order, const double *q, const double *v_jet, size_t stride,
                                        double *A_jet);
/* Factors M and A at q for jn__loops_solve(), then finds A and its derivatives to `order` for jn__loops_A(). */
jn_status jn__loops_factor_motion(jn_loops *loops, int order, const double *q, const double *v_jet);
/* Derivative k of A [m x nv], valid until the next call with these loops. */
const double *jn__loops_A(const jn_loops *loops, int k);
/* M x - A^T z = f, A x = g: x [nv] takes the place of f, z [m] that of g. */
void jn__loops_solve(const jn_loops *loops, double *f, double *g);

#endif
