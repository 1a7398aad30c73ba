/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info in its two forms: info.c with info_tree.c for people, info_json.c for programs; loops:
 * info_loops.c. */
#ifndef JN_TOOL_INFO_H
#define JN_TOOL_INFO_H

#include "model_arg.h"

void info_tree(const jn_model *model);
void info_json(const model_arg *arg);

/* Number of velocity coordinates that the joint's description has, also when it is coupled to another joint. */
int described_coordinates(const jn_joint *joint);
int moving_joint_count(const jn_model *model);

/* ---- info_loops.c ---- */

int loop_conditions(const jn_loop *loop);
void print_loop_totals(const jn_model *model);                /* nothing without loops */
void json_loop_totals(json_writer *j, const jn_model *model); /* "mobility": an object, or null */

#endif
