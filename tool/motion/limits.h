/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of a motion: which there are (limits_file.c), how much of each a motion uses (limits.c), and whether what the
 * samples do not show could break one (limits_doubt.c) or the fit leaves it open (limits_ends.c). */
#ifndef JN_TOOL_MOTION_LIMITS_H
#define JN_TOOL_MOTION_LIMITS_H

#include "motion.h"

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

/* limits_doubt.c: what the limits would be used by if all that samples may hide were motion. Moves the motion. */
jn_status limit_check_doubt(limit_check *c, motion *m, double start, double end);

/* limits_ends.c: which limits are surely broken, and which surely hold, with what the fit leaves open. Moves the
 * motion.
 */
jn_status limit_check_ends(limit_check *c, motion *m, double start, double end);

#endif
