/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce excite: excite.c (command line, output), motion.c (motions, limits), information.c (the
 * information of a motion and its gradient), search.c (the search). */
#ifndef JN_TOOL_EXCITE_H
#define JN_TOOL_EXCITE_H

#include <jounce/derivatives.h>
#include <jounce/identification.h>
#include <jounce/jets.h>

#include "../model/argument.h"
#include "../text/print.h"

/* What each joint may do; infinite: anything. */
typedef struct excite_limits {
  double *low, *high, *velocity, *acceleration, *jerk, *effort, *effort_rate; /* [nv] */
} excite_limits;

typedef enum excite_criterion {
  EXCITE_LOG_DET,  /* - log det M */
  EXCITE_CONDITION /* log of the condition number of the columns, each scaled to length 1 */
} excite_criterion;

/* Motions q_i = middle_i + half_i z_0 + speed_i T sum_k f_k(t / T) z_k that start and end at rest, at the same place;
 * f_k = shape_k times a function:
 *   Fourier series: cos(2 pi k u), sin(2 pi k u), k = 1 ... N, where the z_k are such that it rests at u = 0;
 *   splines: the curve of degree seven (minimum snap) that is 1 at one of N inner points, 0 at the others and the ends.
 * The numbers of a motion are z [nv x (1 + terms)]. */
typedef struct excitation {
  const jn_model *model;
  int nv, harmonics, points, terms; /* harmonics or points is 0; terms: 2 N or N */
  int samples;                      /* times at which information and limits are looked at */
  double duration;
  excite_criterion criterion;
  excite_limits limits;
  double *middle, *half, *speed; /* [nv] */
  jn_model *one;                 /* of one coordinate, for the curves */
  jn_trajectory **curves;        /* [points] */
  double *phi, *fine;            /* [samples x 4 x terms], [EXCITE_TIMES x 4 x terms]: f_k and its derivatives by u */
  jn_batch *batch;
  jn_work *work;
  int links, nb; /* number of base parameters */
  int *column; /* [nb] of the regressor; from 10 links on, rotor, viscous, Coulomb friction and offset, in blocks of nv
                */
  double *weight;            /* [nv] of the rows: 1 / effort^2 */
  double *pi;                /* [10L] of the model */
  double *q, *v, *a, *j;     /* [samples x nv] */
  double *shifted;           /* the same, for derivatives */
  double *Y, *Y2, *G;        /* [samples x nv x 10L] */
  double *Yb, *M, *GM;       /* [samples x nv x nb], [nb x nb], gradient by M */
  double *powers;            /* [6 x nb x nb] */
  double *D;                 /* [2 x 4 x nv x nv] derivatives of efforts and their rates at one sample */
  double *dq, *dv, *da, *dj; /* [samples x nv] gradient by q, v, a and jerk */
} excitation;

enum { EXCITE_TIMES = 2000, EXCITE_SHARES = 6 };

/* ---- motion.c ---- */

/* One of harmonics and points is 0. */
void excitation_init(excitation *x, const jn_model *model, int harmonics, int points, double duration);
void excitation_free(excitation *x);
int excitation_count(const excitation *x); /* of numbers in z */
/* The time of a sample: not that of the start, where velocities are zero and their signs are those of rounding errors.
 */
double excitation_time(const excitation *x, int sample);
/* q, v, a, jerk [nv] at time t. */
void excitation_at(const excitation *x, const double *z, double t, double *q, double *v, double *a, double *j);
/* The same at all samples. */
void excitation_samples(excitation *x, const double *z);
/* Gradient by z from those by q, v, a, jerk at all samples. */
void excitation_pull_back(const excitation *x, double *gradient);
/* Removes what would not be at rest at t = 0. */
void excitation_project(const excitation *x, double *z);
/* Largest share of each limit that the motion uses, over EXCITE_TIMES times: position, velocity, acceleration, effort,
 * effort rate, jerk. */
void excitation_shares(const excitation *x, const double *z, double *shares);
/* Shrinks the motion, and slows it down for efforts, until all limits hold. False: gravity alone breaks a limit. */
bool excitation_tame(excitation *x, double *z);

/* ---- information.c ---- */

/* The criterion for the information M of a second of motion, plus penalties beyond limits; gradient (may be NULL). */
double excitation_value(excitation *x, const double *z, double *gradient);

/* ---- search.c ---- */

/* Goes down from z for `steps` steps; the value. */
double excitation_improve(excitation *x, double *z, int steps, void (*progress)(double part));

#endif
