/* SPDX-License-Identifier: BSD-2-Clause */
/* The recursions of robot dynamics over expressions. Each is stated once, for values; time derivatives (taylor.h) and
 * partial derivatives (differentiate.h) come from the graph. Arrays of expressions are the caller's. */
#ifndef JN_GENERATE_RECURSIONS_H
#define JN_GENERATE_RECURSIONS_H

#include "symbols.h"

/* tau [nv] = M a + C v + g (+ springs): v and a [nv] are expressions, NULL: zero. 0: out of memory. */
int jn__write_inverse_dynamics(const jn_symbols *s, const jn_expr *v, const jn_expr *a, int springs, int gravity,
                               jn_expr *tau);
/* Motion of a part, and what it takes to move it and its subtree, in its own axes (recursions.c). */
typedef struct jn_part_motion {
  jn_expr3 w, wd, acc, force, moment;
} jn_part_motion;

/* w, wd, acc and U of all parts. */
void jn__write_motion(const jn_symbols *s, const jn_expr *v, const jn_expr *a, int gravity, jn_expr9 *U,
                      jn_part_motion *motion);
/* force and moment about the origin that move the moments alone. */
void jn__load_part(jn_graph *g, const jn_expr_moments *m, jn_expr3 w, jn_expr9 U, jn_expr3 acc, jn_part_motion *to);
/* Forces at the coordinates of a part: out [nv of the part] = S^T (moment, force). */
void jn__project(const jn_symbols *s, int part, jn_expr3 moment, jn_expr3 force, jn_expr *out);
/* The force of the springs at coordinate k. */
jn_expr jn__spring_force(const jn_symbols *s, int k);
/* Column k of a part's screws, in its own axes. */
void jn__screw_of(const jn_symbols *s, int part, int k, jn_expr3 *w, jn_expr3 *v);
/* The momentum (N, F) of moments that move with (w, v). */
void jn__momentum_of(jn_graph *g, const jn_expr_moments *m, jn_expr3 w, jn_expr3 v, jn_expr3 *moment, jn_expr3 *force);
/* M [nv x nv], both triangles. */
int jn__write_mass_matrix(const jn_symbols *s, jn_expr *M);
/* x [nv] with M x = b for the coordinates that are not prescribed (NULL: none is); the others are left alone. M is
 * overwritten by its factors L^T D L. */
int jn__write_solve(const jn_symbols *s, const unsigned char *prescribed, jn_expr *M, jn_expr *b);
/* The same in two steps, for several right-hand sides: inverse [nv] receives 1 / D. */
void jn__write_factors(const jn_symbols *s, const unsigned char *prescribed, jn_expr *M, jn_expr *inverse);
/* The two halves of a solution: L^T y = b, and L x = D^-1 y; both in place. */
void jn__write_inward_solution(const jn_symbols *s, const unsigned char *prescribed, const jn_expr *L, jn_expr *b);
void jn__write_outward_solution(const jn_symbols *s, const unsigned char *prescribed, const jn_expr *L,
                                const jn_expr *inverse, jn_expr *b);
void jn__write_solution(const jn_symbols *s, const unsigned char *prescribed, const jn_expr *L, const jn_expr *inverse,
                        jn_expr *b);

#endif
