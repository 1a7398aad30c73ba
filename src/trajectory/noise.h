/* SPDX-License-Identifier: BSD-2-Clause */
/* Are the residuals of a fit noise, or motion? docs/smoothing.md has the tests and what they do on many signals.
 */
#ifndef JN_TRAJECTORY_NOISE_H
#define JN_TRAJECTORY_NOISE_H

#include "../model/memory.h"

typedef enum jn_residue_kind {
  JN_RESIDUE_NOISE,  /* nothing speaks against noise */
  JN_RESIDUE_LINE,   /* a frequency with far more power than its neighbours */
  JN_RESIDUE_BAND,   /* power rises with the frequency, or ends at one: a motion of a band of frequencies */
  JN_RESIDUE_JUMP,   /* one residual is far larger than the others */
  JN_RESIDUE_SMOOTH, /* large, and neighbours are alike */
  JN_RESIDUE_SHORT   /* too few to tell */
} jn_residue_kind;

typedef struct jn_residue {
  jn_residue_kind kind;
  double rms, largest;
  int at;           /* of the largest */
  double amplitude; /* of the strongest oscillation that was seen, including the rounding of an encoder; 0: none */
  double period;    /*   and its samples per period */
  double hidden;    /* amplitude up to which an oscillation would not have been seen */
} jn_residue;

/* Classifies the residuals r [count] of a spline through samples x [count] that follows frequencies below `low`;
 * anything faster than `high` counts as noise (cycles per sample, 0 ... 0.5). O(count log count). Returns 0 if out of
 * memory. */
int jn__judge_residue(const jn_allocator *a, const double *r, const double *x, int count, double low, double high,
                      jn_residue *out);

/* The resolution of an encoder, or of the decimals that numbers were written with: all differences of neighbours are
 * multiples of it. 0 if there is none. */
double jn__find_step(const double *x, int count);

#endif
