/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce retime: the timing that the library finds, the rows that are written of it, and what these rows are worth. */
#ifndef JN_TOOL_RETIME_H
#define JN_TOOL_RETIME_H

#include <jounce/retime.h>

#include "../motor/motor.h"

typedef struct retime_arg {
  torque_arg torque;
  int uniform, moving_ends;
  const char *margin;      /* "5%" or 0.05 */
  const char *start_speed; /* of --start-speed and --end-speed; NULL: not given */
  const char *end_speed;
  number_list intervals, blend;
  int waypoints, corners;
} retime_arg;

/* A new motion, and its rows as another program reads them. */
typedef struct new_motion {
  const retime_arg *arg;
  motion *m; /* the given one */
  jn_elastic *elastic;
  const limit *limits; /* [nv x QUANTITIES] */
  double margin, rate;
  jn_retimed *r;
  jn_limit_event event, first; /* of the last timing, and of the first: what stops a uniform motion from being faster */
  double factor;               /* the largest uniform one */
  int rows;
  char *text; /* the file */
  size_t length;
  motion back, back_motors; /* splines through the rows */
  double wrench_from,
      wrench_time; /* between these times there is no row of the wrenches, and there is one at the last */
  limit_check check;
  drive drive;
  motor_report *motors;
  bool checked;
} new_motion;

/* ---- rows.c ---- */

/* What was written to a stream, from its beginning; NULL if it cannot be read. */
char *stream_text(FILE *stream, size_t *length);
/* The rows of x->r: text, length. OPTION_GO_ON, or an exit code. */
int rows_write(new_motion *x);
/* Reads them as jounce torque (and motor) does, and looks at all limits at 20 times their rate. OPTION_GO_ON, or an
 * exit code. */
int rows_check(new_motion *x);
/* How much they use of what the margin leaves of a limit (jn_limited), where what the rows cannot tell counts as used;
 * *used: without that. */
double rows_share(const new_motion *x, int v, int which, double *used);
void rows_free(new_motion *x);
/* The verdict on the rows: an exit code. */
int rows_tell(const new_motion *x);
/* Writes the file and the picture. OPTION_GO_ON, or an exit code. */
int rows_save(new_motion *x);

/* ---- points.c ---- */

/* The path through waypoints; its parameter is no time. OPTION_GO_ON, or an exit code. */
int points_load(retime_arg *arg, const jn_model *model, int order, jn_trajectory **t);

/* ---- report.c ---- */

/* No factor helps: why. An exit code. */
int tell_impossible(const new_motion *x);
void tell_durations(const new_motion *x);
void tell_rate(const new_motion *x); /* if it is not the usual one */
void tell_events(const new_motion *x);

#endif
