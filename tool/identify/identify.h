/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce identify: identify.c (command line, order of things), data.c (files, filter, delays, passes over the
 * data), filter.c (the cutoff), foresee.c (before there are torques), warn.c (what to
 * doubt), reversed.c (signs), text.c (terminal), report.c (the page). */
#ifndef JN_TOOL_IDENTIFY_H
#define JN_TOOL_IDENTIFY_H

#include <jounce/identification.h>
#include <jounce/jets.h>

#include "../model/argument.h"
#include "../motion/log.h"
#include "../text/print.h"

enum { IDENTIFY_FILES = 256 };

typedef struct identify_arg {
  log_arg log;
  model_arg model;
  const char *arguments[IDENTIFY_FILES + 1]; /* MODEL, then the files */
  int files;
  name_list columns, without, links, constants, gears, validate, actuated;
  const char *coupling, *out, *report;
  const char *wrench;  /* link whose wrench is measured; NULL: none */
  const char *foresee; /* noise [N m], "" or NULL */
  const char *tolerance;
  number_list prior, cutoff, delay, coulomb_speed, outliers, bandwidth, rate;
  int friction, rotor, scales, base_only, motor_torques, missing /* 1: neutral */, parameters, contacts, degrees;
} identify_arg;

/* One file. */
typedef struct measured {
  const char *path;
  jn_trajectory *trajectory;
  double *limit;  /* [nv] forces at or beyond it are saturated; infinite: none */
  int *saturated; /* [nv] how many samples are */
} measured;

/* Residual / force of one set of data: root mean squares of each channel, before and after. */
typedef struct fit_quality {
  const char *path;                      /* NULL: all data */
  double *force, *before, *base, *after; /* [channels] */
  double *rows;                          /* [channels] */
} fit_quality;

typedef struct identify_run {
  identify_arg *arg;
  const jn_model *model;
  int nv, motors;
  int channels;            /* nv, and six of a wrench */
  int wrench;              /* JN_WRENCH_... */
  int wrench_link;         /* or JN_NONE */
  unsigned char *actuated; /* [nv] of models with loops; NULL: no loops */
  unsigned columns;        /* JN_IDENTIFY_... */
  double *coupling;        /* [motors x nv], NULL: none */
  char **motor_names;      /* [motors], NULL: none */
  double *scale;           /* [nv] of the forces */
  double *speed;           /* [motors] of soft signs */
  double lowpass;          /* [Hz] of the positions */
  double cutoff, delay, best_delay, delay_gain;
  double higher_cutoff; /* that the motion suggested, but that validated worse; 0: none */
  double cutoff_gain;   /*   by this share of what it left over */
  bool delay_is_open;   /* the search for best_delay ended on the way: the best is further from delay */
  measured *data, *held;
  int data_count, held_count;
  jn_identification *identification;
  const jn_estimate *estimate;
  fit_quality quality, *held_quality;
  double *speed_rms; /* [nv] of the data */
  int coupled[2]; /* joints that a motor seems to turn with together: i, and j + 1 or -(j + 1) for its sign; -1: none */
  char **warnings;
  int warning_count;
  jn_model *result;
  bool model_written, report_written;
} identify_run;

/* "joint_1", or "flange_fx" of a wrench, in name [JN_COORDINATE_NAME]. */
const char *coordinate_name(const identify_run *r, int i, char *name);
/* 100 sqrt(sum error^2 rows / sum force^2 rows). */
double percent_of_all(const fit_quality *q, const double *error, int channels);

/* Does an unknown act on the forces, whatever the motion? text.c */
bool has_effect(const identify_run *r, int unknown);

/* ---- data.c ---- */

int identify_load(identify_run *r);
void identify_unload(identify_run *r);
/* Chooses filter and friction speed, adds all data, solves. OPTION_GO_ON or an exit code. */
int identify_solve(identify_run *r);
/* Looks for a motor that drives two neighbouring joints, if none is given: identify_run.coupled. */
void identify_find_coupling(identify_run *r);
/* The identification of r->columns with these speeds of friction (NULL: sharp signs). */
int identify_make(const identify_run *r, const double *speed, jn_identification **out);
/* Residual / force of the base parameters, the geometric mean over the channels, on at most 20000 rows of each file,
 * with d in place of r's own identification; NaN if that cannot be solved. The likelihood of normal noise asks for this
 * mean: a joint whose torques are mostly noise counts no more than the others. room [channels]. */
double identify_residual(const identify_run *r, jn_identification *d, double delay, double *room);
/* Residuals on the data and on the files held back. */
int identify_judge(identify_run *r);

/* How a file is used: cutoff, delay, factors, limits. */
void identify_measurement(const identify_run *r, const measured *m, jn_measurement *how);

/* ---- filter.c ---- */

/* r->cutoff: --cutoff, or from the motion; at most that of the positions, and lower where that validates better. */
void identify_choose_cutoff(identify_run *r);

/* ---- foresee.c ---- */

int identify_foresee(identify_run *r);

/* ---- warn.c ---- */

/* The coordinate on the way to the link of an unknown that moves least, relative to its limit; -1: none. */
int identify_laziest_joint(const identify_run *r, int unknown);
void identify_warn(identify_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void identify_find_doubts(identify_run *r);

/* ---- reversed.c ---- */

/* Which torques [nv] seem to have the wrong sign, if the fit is bad. with_model [channels]: the correlation of measured
 * torques with those that the model before expects. What is left of the residual of the base parameters, as a ratio. */
double identify_find_reversed(identify_run *r, const double *with_model, unsigned char *reversed);

/* ---- text.c ---- */

void identify_text(const identify_run *r);
/* The last lines: residual / force in percent. */
void identify_totals(const identify_run *r);

/* ---- report.c ---- */

/* False after reporting why not. */
bool identify_report(const identify_run *r, const char *path);

#endif
