/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque: the torques of a motion, sample by sample, and those who look at the samples: tables, files, plots. */
#ifndef JN_TOOL_TORQUE_H
#define JN_TOOL_TORQUE_H

#include <jounce/jounce.h>
#include <stdbool.h>
#include <stdio.h>

#include "column_names.h"
#include "log_arg.h"
#include "model_arg.h"
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

/* torque.c: what every command that follows a motion asks of its arguments. OPTION_GO_ON, or an exit code. */
int torque_check_arguments(const torque_arg *arg);

/* ---- trajectory_arg.c ---- */

/* Releases what the options of torque, motor and retime made. */
void torque_arg_free(torque_arg *arg);

/* Declare how TRAJECTORY is read, and at which times: --tolerance ... --range. */
void trajectory_options(option_set *set, torque_arg *arg);

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

/* ---- torque_motion.c: torques at any time ---- */

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
  double *guess; /* [nq] the last configuration that closed the loops, and its time; NaN: none yet */
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
/* The motion alone, loops closed: v_jet [(order+2) x nv], order at most K. Outputs may be those of the state. */
jn_status motion_path(motion *m, double t, int order, double *q, double *v_jet);
/* The time at which to look at the motion next after t, by its curves and wrenches; *breaks: something may jump there.
 * And the longest time to the next look that its state suggests, if the curves allow `longest`. (torque_limits.c) */
double motion_next(const motion *m, double t, bool *breaks);
double motion_step(const motion *m, double longest);
/* The highest frequency [Hz] that the samples of the motion show; 0: it has none. And the --bandwidth [Hz], if it is
 * beyond that, so that the samples cannot tell what the motion does between them; 0: it is not. */
double motion_shown(const motion *m);
double motion_hides(const motion *m, const torque_arg *arg);
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

/* ---- torque_loops.c ---- */

/* m->loops, and which coordinates are taken and actuated. An exit code, or OPTION_GO_ON. */
int motion_init_loops(motion *m, const torque_arg *arg);
/* Closes the loops from m->q. */
jn_status motion_assemble(motion *m);
/* A note on standard error when that moved joints of the file. */
void motion_note_loops(const motion *m);

/* ---- Limits. torque_limits.c, limits_file.c ---- */

typedef enum quantity { POSITION, VELOCITY, ACCELERATION, JERK, EFFORT, EFFORT_RATE, QUANTITIES } quantity;

const char *quantity_name(quantity which);

/* limits [nv x QUANTITIES] of the model, and of a file on top of them. An exit code, or OPTION_GO_ON. */
int read_limits(const jn_model *model, const char *file, size_t max_bytes, limit *limits);

/* A quantity of velocity coordinate v in the state of the motion; NaN when there is none. */
double quantity_of(const motion *m, int v, quantity which);

/* How far a value may be off because of what the samples do not show. */
typedef struct doubt {
  double off, value, time; /* where the limit comes nearest; off = 0: nothing to report */
  bool overturns;          /* a limit that seems to hold may be broken, or, with fit, the other way round */
  wobble cause;            /* the oscillation that does most */
  bool fit;                /* no oscillation: the fit itself leaves it open */
} doubt;

typedef struct limit_check {
  limit *limits;     /* [nv x QUANTITIES] */
  worst_case *worst; /* [nv x QUANTITIES] */
  doubt *doubts;     /* [nv x QUANTITIES] */
  double *sample;    /* [nv x QUANTITIES] room */
  watch watch;       /* of these quantities along the motion */
  double bandwidth;  /* [Hz] that the user gave, beyond what samples show; 0: none, or within it */
  double shown;      /* [Hz] the highest frequency that samples show; 0: the motion is not sampled */
} limit_check;

/* limits [nv x QUANTITIES] are then to be set. */
void limit_check_init(limit_check *c, int nv);
void limit_check_free(limit_check *c);
/* The motion that is to be followed, and from when to when. arg: of the command that read it; NULL: jounce made it, and
 * there is nothing between its samples that is not known. */
void limit_check_begin(limit_check *c, motion *m, const torque_arg *arg, double start, double end);
/* Follow the motion to a time, and look at all of it. Moves the motion. */
jn_status limit_check_until(limit_check *c, double t);
/* The state of the motion is a sample. */
void limit_check_sample(limit_check *c, const motion *m);
/* The table and the verdict on stdout: EXIT_FINE when all limits hold, EXIT_BAD when one is broken, EXIT_UNSURE if the
 * samples are not good enough to decide. */
int limit_check_print(const limit_check *c, const motion *m, const torque_arg *arg);

/* torque_doubt.c: what the limits would be used by if all that samples may hide were motion. Moves the motion. */
jn_status limit_check_doubt(limit_check *c, motion *m, double start, double end);

/* torque_ends.c: which limits are surely broken, and which surely hold, with what the fit leaves open. Moves the
 * motion.
 */
jn_status limit_check_ends(limit_check *c, motion *m, double start, double end);

/* ---- torque_summary.c ---- */

typedef struct extreme {
  double low, high, low_time, high_time;
} extreme;

typedef struct summary {
  int rows;          /* quantities of each coordinate: position, velocity, acceleration, then torques */
  extreme *extremes; /* [rows x nv] */
} summary;

void summary_init(summary *s, const motion *m);
void summary_free(summary *s);
void summary_sample(summary *s, const motion *m);
void summary_print(const summary *s, const motion *m, int order);
/* How well splines keep to the samples. */
void print_fit(const motion *m);
/* How wrenches go from row to row, and what of them is continuous. */
void print_wrenches(const torque_arg *arg, const motion *m, int order);

/* A time with at most `decimals` digits behind the point, and all before it: 1700000000.25. */
enum { TIME_TEXT = 48 };
void time_text(double t, int decimals, char text[TIME_TEXT]);

/* ---- torque_check.c ---- */

/* Differences against the exact derivatives; a table on stdout; an exit code, or OPTION_GO_ON when all agree. */
int check_derivatives(motion *m, int order, double start, double end);

/* ---- torque_write.c ---- */

typedef struct writer writer;
/* Does the name end in .csv or .npz? */
bool writer_takes(const char *path);
/* NULL after reporting why the file cannot be written. */
writer *writer_open(const char *path, const motion *m, int order, int samples);
/* The same to a stream that is the caller's; writer_close() leaves it open. */
writer *writer_begin(FILE *stream, bool npz, const motion *m, int order, int samples);
/* Of --shard: the file becomes one part of the CSV. */
struct shard;
writer *writer_open_part(const char *path, const motion *m, int order, const struct shard *part);
void writer_sample(writer *w, const motion *m);
/* Good: the file takes its place, else the old one stays. EXIT_FINE, or EXIT_BAD after reporting. */
int writer_close(writer *w, bool good);

/* ---- torque_plot.c ---- */

typedef struct plot_data plot_data;
/* chosen [nv]: which coordinates are drawn; NULL: all. motion_rows: of position, velocity, acceleration, jerk, how many
 * are drawn above the torques. */
plot_data *plot_data_create(const motion *m, const unsigned char *chosen, const limit_check *limits, int motion_rows,
                            int order, int samples);
void plot_data_sample(plot_data *p, const motion *m);
/* Draws and releases, in the size of --size or NULL; an exit code, or OPTION_GO_ON. *files: see figure_draw(). */
int plot_data_draw(plot_data *p, const char *path, const char *size, int *files);

/* ---- progress.c: a line on stderr when that is a terminal and the work is long ---- */

void progress_begin(const char *what);
void progress_show(double part); /* 0 ... 1 */
void progress_end(void);

#endif
