/* SPDX-License-Identifier: BSD-2-Clause */
/* Least-squares B-splines through samples, and how many B-splines there should be. docs/torque.md has the method. */
#ifndef JN_TRAJECTORY_FIT_H
#define JN_TRAJECTORY_FIT_H

#include "curve.h"

enum {
  JN_MAX_CHANNELS = 8,
  JN_BATCH_COLUMNS = 4 /* most of a batch with several channels: a quaternion */
};

/* Columns of samples with the same times that are fitted with one set of knots. Channel c has samples of the derivative
 * of order orders[c]; there may be only one channel, of order 0. */
typedef struct jn_fit_batch {
  const jn_allocator *allocator;
  int degree;
  int samples;
  const double *t;
  int channels;
  int orders[JN_MAX_CHANNELS];
  double weights[JN_MAX_CHANNELS];
  int through; /* derivatives weigh so little that the spline goes through every sample of the curve */
  int columns;
  const double *const *data; /* [channels x columns] arrays of `samples` numbers */
} jn_fit_batch;

/* Knots [count + degree + 1] for `count` B-splines, degree < count, with the same number of samples between all of
 * them. If count exceeds JN_FEW times the number of samples, each knot is the mean of `degree` neighbouring times (de
 * Boor), so that even interpolation, count = samples, has a unique solution. With more B-splines than samples, possible
 * if derivatives are given too, there are also knots between the samples. */
#define JN_FEW 0.6
void jn__fit_knots(const double *t, int samples, int degree, int count, double *knots);

/* The number of B-splines needed to interpolate every sample of the curve and, if its first derivative is given, every
 * sample of that too. */
int jn__fit_complete(const jn_fit_batch *batch);
/* Set the weights for that. */
void jn__fit_go_through(jn_fit_batch *batch);

/* The coefficients [columns x count] that minimise the weighted sum of squares, and the sums of squares without the
 * weights [channels x columns]. O(samples degree^2). JN_ERR_SINGULAR: the samples do not determine them. */
jn_status jn__fit_solve(const jn_fit_batch *batch, int count, const double *knots, double *coefficients,
                        double *squares);

/* The factors [count x (degree + 1)] of the Gram matrix of the B-splines at the samples, weights included; 0 if it is
 * singular. And x <- its inverse times x [count]; band: degree + 1. */
int jn__fit_factors(const jn_fit_batch *batch, int count, const double *knots, double *factors);
void jn__fit_substitute(const double *factors, int count, int band, double *x);

/* How groups of columns are smoothed. */
typedef struct jn_fit_rule {
  jn_smoothing smoothing;
  double tolerance;
  double high; /* cycles per sample: what is faster is noise */
  void (*progress)(double part, void *context);
  void *context;
} jn_fit_rule;

/* The number of B-splines for each group of columns; group g has columns first[g] ... first[g + 1] - 1. A batch with
 * several channels must be one group; its weights may be changed, and it is reduced to one channel if the others would
 * only add noise. JN_ERR_MEMORY. */
jn_status jn__fit_choose(jn_fit_batch *batch, const jn_fit_rule *rule, int groups, const int *first, int *counts);

#endif
