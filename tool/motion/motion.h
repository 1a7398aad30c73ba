/* SPDX-License-Identifier: BSD-2-Clause */
/* A motion with its torques at any time: what torque, motor, retime, simulate and reach share. limits.h has its limits,
 * samples.h what is printed, written and drawn of its samples. */
#ifndef JN_TOOL_MOTION_H
#define JN_TOOL_MOTION_H

#include <jounce/jounce.h>
#include <stdbool.h>
#include <stdio.h>

#include "../model/argument.h"
#include "../options/shared_help.h"
#include "column_names.h"
#include "log.h"
#include "tool_path.h"
#include "watch.h"

typedef struct torque_arg {
  const char *command; /* for messages on its use */
  model_arg model;
  const char *trajectory;
  number_list order, payload, rate, range, bandwidth;
  const char *link;
  const char *out;
  const char *shard;       /* I/N, or NULL */
  const char *plot, *size; /* of the picture; NULL: as it needs */
  int check;
  const char *limits; /* NULL: not wanted; "": of the model; else a file */
  const char *wrench;
  int wrench_interpolation; /* jn_interpolation */
  int wrench_axes;          /* of --wrench: 0 link, 1 world */
  const char *tolerance;
  int missing; /* 1: neutral */
  int losses;
  name_list actuated;
  name_list joints; /* that are drawn */
  name_list columns;
  log_arg log;
  const char *actuators; /* of elastic joints: jounce motor; NULL: none */
  tool_arg tool;         /* with a frame, the trajectory is a path of it */
} torque_arg;

/* torque/torque.c: what every command that follows a motion asks of its arguments. OPTION_GO_ON, or an exit code. */
int torque_check_arguments(const torque_arg *arg);

/* ---- argument.c ---- */

/* Releases what the options of torque, motor and retime made. */
void torque_arg_free(torque_arg *arg);

/* How TRAJECTORY is read, and at which times it is computed. `member`: the torque_arg of `argument`. */
extern const option trajectory_options[], schedule_options[];
#define TRAJECTORY_GROUP(at_offset) \
  { .heading = "How TRAJECTORY is read", .shared = true, .options = trajectory_options, .at = at_offset }
#define SCHEDULE_GROUP(at_offset) \
  { .heading = "At which times it is computed", .shared = true, .options = schedule_options, .at = at_offset }

/* The times at which a motion is computed: its samples, --rate, or a thousand intervals; of closed forms that are
 * faster, as many as show their shortest period. */
typedef struct schedule {
  const jn_trajectory *trajectory;
  double start, end;            /* of the times */
  double first_time, last_time; /* of the range: with --rate and --range, times need not come to its ends */
  int first;                    /* sample of the trajectory, when its own times are used */
  int count;
  bool own;
} schedule;

int schedule_make(const torque_arg *arg, const jn_trajectory *t, schedule *s); /* OPTION_GO_ON, or an exit code */
double schedule_time(const schedule *s, int i);

/* ---- motion.c: torques at any time ---- */

/* An oscillation of one velocity coordinate, A cos(w t + phase) at t = 0, that is added to the motion. */
typedef struct wobble {
  int v;
  double amplitude, omega, phase; /* [rad, m], [rad/s], [rad] */
} wobble;

/* What is added to one derivative (0: position) of one velocity coordinate. */
typedef struct nudge {
  int v, derivative;
  double size; /* 0: none */
} nudge;

typedef struct motion {
  const jn_model *model;
  jn_trajectory *trajectory;
  tool_path *path;        /* of --frame, whose poses are the trajectory; or NULL */
  const jn_model *fitted; /* of the trajectory: the model, or the tool */
  int order;              /* K that is computed; one that is shown may be lower */
  int nq, nv;
  bool losses;
  jn_work *work;
  jn_loops *loops;                        /* NULL without loops */
  unsigned char *held, *actuated, *given; /* [nv] of models with loops: what is taken from the trajectory, where motors
                                             are, and what the trajectory has */
  bool surplus;                           /* it has more than move independently; how far that was from closed: */
  double moved, moved_time;
  int moved_most;
  double *wrench_jet, *passive, *loss;
  int turns_wrenches; /* they are given in the axes of the world */
  double *guess;      /* [nq] the last configuration that closed the loops, and its time; NaN: none yet */
  double guess_time;
  wobble wobble; /* amplitude 0: none */
  nudge nudge;
  jn_status (*wrenches)(void *context, double t, int order, double *wrench_jet); /* NULL: of the trajectory */
  double (*next_wrench)(void *context, double t); /* with it: the next time at which wrenches may jump */
  void *wrench_context;
  /* The state at the time of the last motion_at(): */
  double t;
  double *q;     /* [nq] */
  double *v_jet; /* [(K+2) x nv] */
  double *tau;   /* [(K+1) x nv] */
  /* The largest rounding error that is to be expected of all so far (loops.h), and its time. */
  double rounding, rounding_time;
} motion;

/* Reads the trajectory (and wrenches), smooth enough for torques of order `smooth`, to be evaluated to `order`. An exit
 * code, or OPTION_GO_ON. */
int motion_init(motion *m, torque_arg *arg, const jn_model *model, int order, int smooth);
/* The same for a trajectory, which the motion takes over. */
int motion_init_trajectory(motion *m, const torque_arg *arg, const jn_model *model, int order, jn_trajectory *t);
/* The same for text of a file, read without options, with the loops and the losses of another motion. */
int motion_init_text(motion *m, const torque_arg *arg, const motion *as, int order, int smooth, const char *text,
                     size_t length);
void motion_free(motion *m);
/* Reads --tolerance. An exit code, or OPTION_GO_ON. */
int motion_smoothing(const char *command, const char *text, jn_trajectory_options *options);
/* Motion and torques with K derivatives; JN_ERR_LOOP and others of models with loops. */
jn_status motion_at(motion *m, double t);
/* Motion and wrenches, without torques. */
jn_status motion_inputs_at(motion *m, double t);
/* block.c: sample i of the schedule, torques computed in blocks. NULL as a block: one by one, as with loops. */
typedef struct motion_block motion_block;
motion_block *motion_block_create(const motion *m);
void motion_block_free(motion_block *b);
jn_status motion_sample(motion *m, motion_block *b, const schedule *s, int i);
/* The motion alone, loops closed: v_jet [(order+2) x nv], order at most K. Outputs may be those of the state. */
jn_status motion_path(motion *m, double t, int order, double *q, double *v_jet);
/* The time at which to look at the motion next after t, by its curves and wrenches; *breaks: something may jump there.
 * And the longest time to the next look that its state suggests, if the curves allow `longest`. (limits.c) */
double motion_next(const motion *m, double t, bool *breaks);
double motion_step(const motion *m, double longest);
/* The highest frequency [Hz] that the samples of the motion show; 0: it has none. And the --bandwidth [Hz], if it is
 * beyond that, so that the samples cannot tell what the motion does between them; 0: it is not. */
double motion_shown(const motion *m);
double motion_hides(const motion *m, const torque_arg *arg);
/* Wrenches of wrench_jet that are in the axes of the world become those in the axes of the links, at q and v_jet. */
jn_status motion_turn_wrenches(motion *m);
/* Torques of the state q, v_jet, wrench_jet. */
jn_status motion_torques(motion *m);
/* force [(K+1) x nv] += sign * damping and friction at the velocities of the state, and their derivatives, if the
 * motion has losses. */
jn_status motion_add_losses(motion *m, double sign, double *force);
/* A note on standard error when rounding errors were to be expected that matter. */
void motion_note(const motion *m);
/* Tell why motion_at() failed. */
void motion_tell(const motion *m, jn_status status);

/* Is velocity coordinate v an angle (rad, N m), not a length (m, N)? */
bool is_angular(const jn_model *model, int v);
/* "rad", "rad/s", "m/s^2"; "N m", "N/s^2" into text. */
enum { UNIT_TEXT = 24 };
void motion_unit(const jn_model *model, int v, int order, char text[UNIT_TEXT]);
void torque_unit(const jn_model *model, int v, int order, char text[UNIT_TEXT]);
/* Unit of configuration coordinate i: "rad", "m", or "1" for quaternions. */
const char *configuration_unit(const jn_model *model, int i);
/* Place in q of velocity coordinate v; -1 for spherical and free joints. */
int place_in_q(const jn_model *model, int v);

/* ---- loops.c ---- */

/* m->loops, and which coordinates are taken and actuated. An exit code, or OPTION_GO_ON. */
int motion_init_loops(motion *m, const torque_arg *arg);
/* Closes the loops from m->q. */
jn_status motion_assemble(motion *m);
/* A note on standard error when that moved joints of the file. */
void motion_note_loops(const motion *m);

#endif
