/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that can be generated: jn__write_NAME_function() says arguments and writes results. 0: out of memory.
 */
#ifndef JN_GENERATE_FUNCTIONS_H
#define JN_GENERATE_FUNCTIONS_H

#include "generate.h"
#include "taylor.h"

#define JN_DECLARE_FUNCTION(name) int jn__write_##name##_function(jn_writing *w, jn_written_function *f);
JN_GENERATED_LIST(JN_DECLARE_FUNCTION)

void jn__add_argument(jn_written_function *f, const char *name, int array, int size);
/* Room for a result; NULL: out of memory. */
jn_expr *jn__add_result(jn_writing *w, jn_written_function *f, const char *name, int size, int columns);
/* The numbers [first, first + nv) of an input array as expressions, for the caller to release. */
jn_expr *jn__take_inputs(jn_writing *w, int array, int first);
/* The arguments q and, if wanted, v. */
void jn__take_state(jn_writing *w, jn_written_function *f, int with_velocity);
/* M [nv x nv], for the caller to release. */
jn_expr *jn__make_mass_matrix(jn_writing *w);
/* Accelerations that are not prescribed (NULL: all): M a = tau - h. a holds the prescribed ones. */
int jn__solve_accelerations(jn_writing *w, const unsigned char *prescribed, const jn_expr *v, const jn_expr *tau,
                            const jn_expr *M, jn_expr *a);
/* Time derivatives 1 ... order (at most 2) of `from` [count] along the motion v and, if wanted, a: number k is to[k -
 * 1]. */
int jn__write_time_derivatives(jn_writing *w, const jn_expr *from, int count, int order, int with_acceleration,
                               jn_expr *const *to);

#endif
