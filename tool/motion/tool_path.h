/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a tool as a joint motion: poses over time from a file, fitted as the one free body that they describe,
 * and followed by inverse kinematics. Used by reach and by torque --frame. */
#ifndef JN_TOOL_MOTION_TOOL_PATH_H
#define JN_TOOL_MOTION_TOOL_PATH_H

#include <jounce/tasks.h>
#include <jounce/trajectory.h>
#include <stdbool.h>

#include "../options/options.h"

/* What tasks are made from; the options of both commands. */
typedef struct tool_arg {
  const char *frame, *reference;
  const char *start;   /* a state, or NULL */
  name_list free_rows; /* of the pose: rx, ry, rz, x, y, z */
  name_list weights;   /* NAME=W of joints */
  number_list pull;    /* [1/s] towards the start */
  number_list margin;  /* [rad, m] to limits */
  number_list starts;
  int ignore_limits;
  const struct model_arg *model; /* whose keyframes --start may name */
} tool_arg;

/* How a tool follows its path. */
extern const option tool_options[];
void tool_arg_free(tool_arg *arg);

/* One task (pose, or position) with the options; q [nq] is the start that they name. OPTION_GO_ON, or an exit code. */
int tool_tasks_create(const char *command, const tool_arg *arg, const jn_model *model, bool position, int order,
                      size_t max_bytes, jn_tasks **tasks, double *q);
/* "joint 'elbow' is at its upper limit" for each of them, on stderr. */
void tell_active(const jn_model *model, const signed char *active);
/* "0.2 m and 0.1 rad"; of a position, or when all turns are right, without the angle. */
enum { MISSING_TEXT = 64 };
void missing_text(const jn_reach *reach, bool position, char text[MISSING_TEXT]);
/* Does a report say that these are poses, with columns x, y and z that no joint has? */
bool tool_path_looks_like_one(const jn_report *report);

typedef struct tool_path tool_path;

/* Reads the file and fits it as the options say, with notes and warnings on stderr, and finds the configuration that it
 * begins with. `order` as in motion_init(). OPTION_GO_ON, or an exit code. */
int tool_path_open(tool_path **path, const char *command, const tool_arg *arg, const char *file, const jn_model *model,
                   int order, const jn_trajectory_options *fit);
void tool_path_close(tool_path *p); /* NULL is allowed */

/* The poses, as the motion of a free joint, and the model of it. */
const jn_trajectory *tool_path_poses(const tool_path *p);
const jn_model *tool_path_model(const tool_path *p);
/* What coordinate i of that is called in the file: x ... qw. */
const char *tool_path_column(int i);
bool tool_path_is_position(const tool_path *p);
/* q [nq] and v_jet [(order + 2) x nv] at a time, on from where it was before. */
jn_status tool_path_at(tool_path *p, double t, int order, double *q, double *v_jet);
/* What the last tool_path_at() found of the tasks. */
const jn_reach *tool_path_reach(const tool_path *p);
/* Tell why it could not go on. */
void tool_path_tell(tool_path *p, jn_status status);

#endif
