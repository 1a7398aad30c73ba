/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of all commands that read measured motions: rows that are bad, angles that wrap, what is too fast, positions
 * of motors. */
#ifndef JN_TOOL_MOTION_LOG_H
#define JN_TOOL_MOTION_LOG_H

#include <jounce/trajectory.h>

#include "../options/options.h"
#include "coupling.h"

typedef struct log_arg {
  int skip_bad, unwrap;
  number_list lowpass;
  const char *motor_positions; /* a file, or NULL */
  coupling motors;             /* of it */
} log_arg;

/* What their options mean, in the help of all commands; each adds its own default. */
#define BANDWIDTH_HELP "the motion is slower than this: faster parts of the residuals are noise; filters nothing"
#define SKIP_BAD_HELP \
  "leave out rows that do not parse or contain NaN, and report how many and which; default: such a row is an error"
#define UNWRAP_HELP "angles that jump by full turns go on turning instead; default: only those of continuous joints"
#define LOWPASS_HELP "smooth away what is faster than this in the samples"
#define MOTOR_POSITIONS_HELP                                                                                        \
  "positions are those of motors: a table theta = G q + zero, with a row for each motor, a column for each joint, " \
  "and "                                                                                                            \
  "columns motor (name of its column) and zero if needed"

/* Checks them, reads the file of motors, and sets the options of a reader; they point into arg. OPTION_GO_ON, or an
 * exit code. model NULL: motors are not looked at. */
int log_arg_apply(log_arg *arg, const char *command, const jn_model *model, size_t max_bytes,
                  jn_trajectory_options *options);
void log_arg_free(log_arg *arg);

#endif
