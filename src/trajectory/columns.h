/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the columns of a table: hooks for jn_table.choose, with the jn_loading as context. */
#ifndef JN_TRAJECTORY_COLUMNS_H
#define JN_TRAJECTORY_COLUMNS_H

#include "trajectory.h"

/* Columns of a trajectory get the names of their coordinates, with notes; sets jn_table.use, l->time and
 * l->nanoseconds. JN_ERR_NAME after telling what is unclear, JN_ERR_MEMORY. */
jn_status jn__match_columns(jn_table *t, const char *row, const char *row_end, void *loading);
/* The column of times alone, for wrenches. */
jn_status jn__match_time(jn_table *t, const char *row, const char *row_end, void *loading);
/* Once the table is read, from text or (NULL) from arrays: seconds and nanoseconds of two columns together; stamps of a
 * clock become seconds since the origin of the trajectory, with a note. stamps.c */
void jn__use_stamps(jn_loading *l, jn_table *t, const char *text, size_t length);
/* A warning when times that were doubles from the beginning resolve little compared with their steps. stamps.c */
void jn__check_resolution(jn_loading *l, const jn_table *t, double first, double last, double scale);
/* The coordinate that a plain name means ("joint2", "base_x", "joint2_d1"), and the order of the derivative; -1 for
 * none. samples.c */
int jn__column_coordinate(const jn_loading *l, const char *name, int *order);
/* "joint_d2" -> 2 and the length of "joint"; 0 when there is no such ending. samples.c */
int jn__derivative_of(const char *name, size_t *length);
/* Where in the name of a column a bracket begins that is not closed, "elbow [deg"; NULL: nowhere. jn__match_columns()
 * warns of it. columns.c */
const char *jn__open_bracket(const char *name);
/* Does --columns take this column for a force, "NAME.tau=COLUMN"? columns.c */
int jn__is_mapped_force(const jn_loading *l, const jn_table *t, int column);
/* The motor of options.motor_names with this name; -1 when there is none. motors.c */
int jn__motor_find(const jn_loading *l, const char *name);
/* Positions of motors (derivative `order` of them) in the columns [nv] of a table, numbers plus 1, 0 for none, become
 * those of the joints. JN_ERR_MODEL after telling why not. motors.c */
jn_status jn__motors_to_joints(jn_loading *l, jn_table *t, const int *columns, int order);
/* Results of `jounce torque` have columns that are not a mistake: joint.tau, and the twists of free and spherical
 * joints. samples.c */
int jn__column_is_result(const jn_loading *l, const char *name);

#endif
