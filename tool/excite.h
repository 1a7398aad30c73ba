/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce excite: excite.c (command line, output), excite_motion.c (Fourier motions, limits), excite_search.c
 * (information, its gradient, and the search). */
#ifndef JN_TOOL_EXCITE_H
#define JN_TOOL_EXCITE_H

#include <jounce/identification.h>
#include <jounce/jets.h>

#include "model_arg.h"
#include "print.h"

/* What each joint may do; infinite: anything. */
typedef struct excite_limits {
  double *low, *high, *velocity, *acceleration, *effort, *effort_rate; /* [nv] */
} excite_limits;

/* Periodic motions q_i = middle_i + half_i c_0 + sum_k speed_i / (k w) (c_k cos(k w t) + s_k sin(k w t)), w = 2 pi / T,
 * at rest at t = 0 and T. The numbers of a motion are z [nv x (2 N + 1)]: c_0, c_1 ... c_N, s_1 ... s_N of each joint.
 */
typedef struct excitation {
  const jn_model *model;
  int nv, harmonics, samples; /* samples: times in a period at which information and limits are looked at */
  double duration;
  excite_limits limits;
  double *middle, *half, *speed; /* [nv] */
  jn_batch *batch;
  jn_work *work;
  int links, nb;  /* number of base parameters */
  int *column;    /* [nb] of the regressor; from 10 links on, viscous, Coulomb friction and offset, in blocks of nv */
  double *weight; /* [nv] of the rows: 1 / effort^2 */
  double *pi;     /* [10L] of the model */
  double *q, *v, *a;       /* [samples x nv] */
  double *shifted;         /* the same, for derivatives */
  double *Y, *Y2, *G;      /* [samples x nv x 10L] */
  double *Yb, *M, *solved; /* [samples x nv x nb], [nb x nb], [samples x nv x nb] */
  double *dq, *dv, *da;    /* [samples x nv] gradient by q, v, a */
} excitation;

/* ---- excite_motion.c ---- */

void excitation_init(excitation *x, const jn_model *model, int harmonics, double duration);
void excitation_free(excitation *x);
int excitation_count(const excitation *x); /* of numbers in z */
/* The time of a sample: not that of the start, where velocities are zero and their signs are those of rounding errors.
 */
double excitation_time(const excitation *x, int sample);
/* q, v, a [nv] at time t. */
void excitation_at(const excitation *x, const double *z, double t, double *q, double *v, double *a);
/* Gradient by z from those by q, v, a at all samples. */
void excitation_pull_back(const excitation *x, double *gradient);
/* Removes what would not be at rest at t = 0. */
void excitation_project(const excitation *x, double *z);
/* Largest share of each limit that the motion uses, over 2000 times: position, velocity, acceleration, effort, effort
 * rate. */
enum { EXCITE_SHARES = 5 };
void excitation_shares(const excitation *x, const double *z, double *shares);
/* Shrinks the motion, and slows it down for efforts, until all limits hold. False: gravity alone breaks a limit. */
bool excitation_tame(excitation *x, double *z);

/* ---- excite_search.c ---- */

/* - log det of the information of a second of motion plus penalties beyond limits; gradient (may be NULL). */
double excitation_value(excitation *x, const double *z, double *gradient);
/* Goes down from z for `steps` steps; the value. */
double excitation_improve(excitation *x, double *z, int steps, void (*progress)(double part));

#endif
