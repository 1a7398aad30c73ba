/* SPDX-License-Identifier: BSD-2-Clause */
/* The argument TRAJECTORY of commands that follow a motion: its options, and the times at which it is computed. */
#include <math.h>

#include "../text/print.h"
#include "motion.h"

enum { DEFAULT_INTERVALS = 1000, MOST_SAMPLES = 100000000 };

const option trajectory_options[] = {
    TEXT_OPTION(torque_arg, tolerance, "tolerance", "X",
                "smooth samples with an RMS residual of at most X [rad, m]; 0: interpolate all; default auto: by "
                "generalised cross-validation"),
    NUMBERS_OPTION(torque_arg, bandwidth, "bandwidth", "HZ", BANDWIDTH_HELP "; default: half the sampling rate"),
    CHOICE_OPTION(
        torque_arg, missing, "missing", "error|neutral",
        "joints without data: an error (default), or held at neutral; with loops, as many of them as are needed"),
    NAMES_OPTION(
        torque_arg, columns, "columns", "NAME=COLUMN,...",
        "columns that are not named after their joints: by name, or by number as in elbow=#3; t=COLUMN for the "
        "times"),
    FLAG_OPTION(torque_arg, log.skip_bad, "skip-bad", SKIP_BAD_HELP),
    FLAG_OPTION(torque_arg, log.unwrap, "unwrap", UNWRAP_HELP),
    NUMBERS_OPTION(torque_arg, log.lowpass, "lowpass", "HZ", LOWPASS_HELP "; default: none"),
    TEXT_OPTION(torque_arg, log.motor_positions, "motor-positions", "FILE", MOTOR_POSITIONS_HELP),
    {0}};

const option schedule_options[] = {
    NUMBERS_OPTION(torque_arg, rate, "rate", "HZ", "compute at this rate instead of at the times of the samples"),
    NUMBERS_OPTION(torque_arg, range, "range", "START,END", "compute between these times [s] only"),
    {0}};

void torque_arg_free(torque_arg *arg) {
  number_list *const lists[] = {&arg->order, &arg->payload, &arg->rate, &arg->range, &arg->bandwidth};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) number_list_free(lists[i]);
  name_list_free(&arg->actuated);
  name_list_free(&arg->joints);
  name_list_free(&arg->columns);
  log_arg_free(&arg->log);
  tool_arg_free(&arg->tool);
  model_arg_free(&arg->model);
}

/* Intervals that show the shortest period of a closed form, within reason. */
static double usual_intervals(const jn_trajectory *t, double duration) {
  const double each_period = 20, most = 100000;
  return fmin(fmax(DEFAULT_INTERVALS, ceil(each_period * jn_trajectory_frequency(t) * duration)), most);
}

/* Times that are too far apart for what the motion does: rows, largest values and pictures may miss it. */
static void tell_coarse(const schedule *s) {
  double highest = jn_trajectory_frequency(s->trajectory);
  double rate = s->count > 1 ? (s->count - 1) / (s->end - s->start) : 0;
  if (!(2.5 * highest > rate)) return;
  say(stderr,
      "jounce: note: the motion has parts of %.4g Hz, which %.4g times a second do not show: largest values, rows and "
      "pictures are of these times only; ask for more with --rate, or for less time with --range\n",
      highest, rate);
}

int schedule_make(const torque_arg *arg, const jn_trajectory *t, schedule *s) {
  double start = jn_trajectory_start(t), end = jn_trajectory_end(t), slack = 1e-9 * (end - start);
  *s = (schedule){.trajectory = t, .start = start, .end = end, .first_time = start, .last_time = end};
  if (arg->range.count == 2) {
    s->start = arg->range.values[0];
    s->end = arg->range.values[1];
    if (s->start < start - slack || s->end > end + slack)
      return usage_error(arg->command, "--range: the trajectory goes from %.15g to %.15g s", start, end);
    s->first_time = fmax(s->start, start);
    s->last_time = fmin(s->end, end);
  }
  int samples = jn_trajectory_samples(t);
  s->own = samples > 0 && arg->rate.count == 0;
  if (s->own) {
    while (s->first < samples && jn_trajectory_time(t, s->first) < s->start - slack) s->first++;
    int last = samples;
    while (last > s->first && jn_trajectory_time(t, last - 1) > s->end + slack) last--;
    s->count = last - s->first;
    if (s->count > 0) return OPTION_GO_ON;
    return usage_error(arg->command, "--range: there is no sample in it; ask for times with --rate");
  }
  double steps =
      arg->rate.count ? floor((s->end - s->start) * arg->rate.values[0] + 1e-9) : usual_intervals(t, s->end - s->start);
  if (steps >= MOST_SAMPLES) return usage_error(arg->command, "--rate: %g samples are too many", steps);
  s->count = (int)steps + 1;
  if (arg->rate.count) s->end = s->start + steps / arg->rate.values[0];
  if (samples == 0) tell_coarse(s);
  return OPTION_GO_ON;
}

double schedule_time(const schedule *s, int i) {
  if (s->own) return jn_trajectory_time(s->trajectory, s->first + i);
  return s->count > 1 ? s->start + (s->end - s->start) * i / (s->count - 1) : s->start;
}
