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

/* What --bandwidth means, in the help of all commands; each adds its own default. */
#define BANDWIDTH_HELP "the motion is slower than this: what is faster in the residuals is noise; filters nothing"

/* Declares --skip-bad, --unwrap and --lowpass; `motors`: --motor-positions, too. `lowpass` ends its help: a default. */
void log_arg_options(option_set *set, log_arg *arg, const char *lowpass, bool motors);
/* Checks them, reads the file of motors, and sets the options of a reader; they point into arg. OPTION_GO_ON, or an
 * exit code. model NULL: motors are not looked at. */
int log_arg_apply(log_arg *arg, const char *command, const jn_model *model, size_t max_bytes,
                  jn_trajectory_options *options);
void log_arg_free(log_arg *arg);

#endif
