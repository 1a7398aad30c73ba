/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of all commands that read measured motions. */
#include "log.h"

#include <math.h>

/* The table of motors: as many as coordinates. */
static int read_motors(log_arg *arg, const char *command, const jn_model *model, size_t max_bytes) {
  if (arg->motors.matrix) return OPTION_GO_ON; /* of an earlier file */
  int result = coupling_read(command, model, arg->motor_positions, max_bytes, &arg->motors);
  if (result != OPTION_GO_ON || arg->motors.motors == jn_model_nv(model)) return result;
  return usage_error(command, "--motor-positions needs as many motors as joints, but %s has %d rows for %d joints",
                     arg->motor_positions, arg->motors.motors, jn_model_nv(model));
}

int log_arg_apply(log_arg *arg, const char *command, const jn_model *model, size_t max_bytes,
                  jn_trajectory_options *options) {
  int given = arg->lowpass.count;
  if (given > 1 || (given == 1 && !(arg->lowpass.values[0] > 0 && isfinite(arg->lowpass.values[0]))))
    return usage_error(command, "--lowpass takes one positive number [Hz]");

  options->skip_bad = arg->skip_bad;
  options->unwrap = arg->unwrap;
  if (given) options->lowpass = arg->lowpass.values[0];
  if (!arg->motor_positions || !model) return OPTION_GO_ON;

  int result = read_motors(arg, command, model, max_bytes);
  if (result != OPTION_GO_ON) return result;
  options->motor_matrix = arg->motors.matrix;
  options->motor_zero = arg->motors.zero;
  options->motor_names = (const char *const *)arg->motors.names;
  options->motor_name_count = arg->motors.names ? arg->motors.motors : 0;
  return OPTION_GO_ON;
}

void log_arg_free(log_arg *arg) {
  number_list_free(&arg->lowpass);
  coupling_free(&arg->motors);
}
