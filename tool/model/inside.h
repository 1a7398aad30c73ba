/* SPDX-License-Identifier: BSD-2-Clause */
/* States inside the position limits, with loops closed: the start of simulate, --assemble of eval. */
#ifndef JN_TOOL_MODEL_INSIDE_H
#define JN_TOOL_MODEL_INSIDE_H

#include <jounce/loops.h>
#include <stdbool.h>

/* Closes the loops from q, in place, inside the position limits if that is possible (jn_loops_assemble_inside()). With
 * `keep`, a q that closes them already stays, wherever it is. held [nv] (NULL: none), accuracy and residual (may be
 * NULL) as there.
 */
jn_status close_inside_limits(const jn_model *model, jn_loops *loops, const unsigned char *held, bool keep,
                              double accuracy, double *q, double *residual);

/* Joints outside of their position limits are moved to them, for a model without loops. */
void move_inside_limits(const jn_model *model, double *q);

/* The joints of q outside of their position limits, with values and limits; NULL when there are none. free() it. */
char *outside_limits_text(const jn_model *model, const double *q);

#endif
