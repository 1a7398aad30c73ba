/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info in its two forms: info.c with tree.c for people, json.c for programs; loops:
 * loops.c. */
#ifndef JN_TOOL_INFO_H
#define JN_TOOL_INFO_H

#include "../model/argument.h"
#include "../motion/limits.h"
#include "../text/print.h"

/* A table after an empty line; nothing when it has no rows. */
void print_table(table *t);
void info_tree(const jn_model *model);
/* limits [nv x QUANTITIES] are shown instead of the model's; NULL: none are given. */
void info_json(const model_arg *arg, const limit *limits);
/* What is shown of coordinate i of a joint. */
jn_dof shown_dof(const jn_model *model, int joint, int i, const limit *limits);

/* Number of velocity coordinates that the joint's description has, also when it is coupled to another joint. */
int described_coordinates(const jn_joint *joint);
int moving_joint_count(const jn_model *model);

/* ---- loops.c ---- */

void print_loops(const jn_model *model); /* nothing without loops, here and in the next */
void print_loop_totals(const jn_model *model);
void json_loops(json_writer *j, const jn_model *model); /* "loops", an array; "mobility", an object or null */

#endif
