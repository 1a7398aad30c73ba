/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of loops that are compiled twice, for any CPU and for CPUs with AVX2 (../dense/wide.h).
 *
 * Why this is not a kernel of the variants: a variant is compiled for a number type and for lanes, and its kernels are
 * single calls between the caller's arrays. Loops compute in double whatever the variant, float variants included, and
 * their steps alternate with public functions of the tree, on arrays that stay where they are. What AVX2 earns here, as
 * time of the code for any CPU / time of this one in variant d_avx2 (bench_all --loops, least of three): conditions and
 * A 0.97 to 1.06, forward dynamics 1.02 to 1.04, derivatives 1.13 (four_bar), 1.3 (stewart, quadruped on four
 * feet), 1.6 (humanoid44 with its hands closed). */
#ifndef JN_LOOPS_WIDE_H
#define JN_LOOPS_WIDE_H

#include "../dense/wide.h"
#include "loops.h"

/* conditions_screws.c, solve.c: see loop_code. */
void CODE(pairs_move)(const loop_structure *loops, loop_state *state, const double *q, const double *v,
                      const double *a);
void CODE(pairs_accelerate)(const loop_structure *loops, loop_state *state, const double *v, const double *a);
void CODE(pairs_jacobian)(const loop_structure *loops, loop_state *state);
void CODE(pairs_linearise)(const loop_structure *loops, loop_state *state, loop_linearisation *linear,
                           const double *lambda);
int CODE(factor_inertia)(const loop_structure *loops, const loop_state *state, loop_factors *factors,
                         const unsigned char *prescribed);
int CODE(factor_conditions)(const loop_structure *loops, loop_factors *factors);
void CODE(solve_one)(const loop_structure *loops, const loop_factors *factors, double *f, double *mu);
void CODE(solve_columns)(const loop_structure *loops, const loop_factors *factors, const double *M, const double *A,
                         const unsigned char *prescribed, int count, const loop_columns *blocks);

#endif
