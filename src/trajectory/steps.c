/* SPDX-License-Identifier: BSD-2-Clause */
/* How far apart the times may be at which a trajectory is looked at, so that nothing between them is overlooked. */
#include <math.h>

#include "trajectory.h"

static const double pi = 3.141592653589793;

enum {
  PARTS_OF_PERIOD = 32, /* steps in the shortest period of a Fourier series */
  PARTS_OF_EXTREME = 6, /* steps for each extreme that a polynomial can have */
  PARTS_OF_SPAN = 2,    /* steps from knot to knot of a spline with many knots */
  MANY = 4              /* a spline with so many coefficients for each degree has many knots */
};

/* The highest angular frequency [rad/s] in a curve; 0 if it is no Fourier series. */
static double highest_frequency(const jn_curve *c) {
  if (c->kind != JN_CURVE_FOURIER) return 0;

  /* Harmonics without amplitude do not count. */
  int harmonic = (c->count - 1) / 2;
  while (harmonic > 0 && c->numbers[2 * harmonic - 1] == 0 && c->numbers[2 * harmonic] == 0) harmonic--;
  return harmonic * fabs(c->frequency);
}

/* The step after t of a polynomial of this degree on an interval. With t = middle - half cos(angle), it is a
 * trigonometric polynomial of the angle with the same degree, so equal steps of the angle resolve it. */
static double next_of_polynomial(int degree, double first, double last, double t) {
  double half = (last - first) / 2, middle = first + half;
  if (degree < 2 || !(half > 0)) return INFINITY;

  double angle = acos(fmin(fmax((middle - t) / half, -1), 1)) + pi / (PARTS_OF_EXTREME * degree);
  return angle < pi ? middle - half * cos(angle) : last;
}

static int degree_of(const jn_curve *c) {
  int degree = c->count - 1;
  while (degree > 0 && c->numbers[degree] == 0) degree--;
  return degree;
}

/* The step after t of a spline: not beyond the next knot, and parts of the way to it. */
static double next_of_spline(const jn_curve *c, int is_sampled, double t) {
  double begin = c->knots[c->degree], end = c->knots[c->count];
  if (t < begin) return begin;
  if (!(t < end)) return INFINITY;

  int span = jn__spline_span(c->knots, c->degree, c->count, t);
  double first = c->knots[span], last = c->knots[span + 1];
  if (c->degree < 2) return last;

  if (!is_sampled || c->count <= MANY * c->degree) return fmin(last, next_of_polynomial(c->degree, first, last, t));
  double part = (last - first) / PARTS_OF_SPAN, next = first + part * (floor((t - first) / part + 1e-9) + 1);
  return fmin(last, next);
}

/* The step after t of one curve of a trajectory. */
static double next_of_curve(const jn_trajectory *trajectory, const jn_curve *c, int is_sampled, double t) {
  if (c->kind == JN_CURVE_SPLINE) return next_of_spline(c, is_sampled, t);
  if (c->kind == JN_CURVE_POLYNOMIAL) return next_of_polynomial(degree_of(c), trajectory->start, trajectory->end, t);

  double frequency = highest_frequency(c);
  return frequency > 0 ? t + 2 * pi / (PARTS_OF_PERIOD * frequency) : INFINITY;
}

double jn_trajectory_next_step(const jn_trajectory *trajectory, double t) {
  if (!trajectory) return NAN;
  double next = INFINITY;

  for (int i = 0; i < trajectory->nq; i++)
    next = fmin(next, next_of_curve(trajectory, &trajectory->curves[i], trajectory->samples > 0, t));

  /* Components of wrenches mostly share their knots. */
  const double *knots = NULL;
  for (int i = 0; i < 6 * trajectory->links && trajectory->wrenches; i++) {
    const jn_curve *c = &trajectory->wrenches[i];
    if (c->kind != JN_CURVE_SPLINE || c->knots == knots) continue;
    knots = c->knots;
    next = fmin(next, next_of_spline(c, 1, t));
  }
  return next > t ? next : nextafter(t, INFINITY);
}

double jn_trajectory_next_wrench(const jn_trajectory *trajectory, double t) {
  if (!trajectory) return NAN;
  double next = INFINITY;
  const double *knots = NULL;

  for (int i = 0; i < 6 * trajectory->links && trajectory->wrenches; i++) {
    const jn_curve *c = &trajectory->wrenches[i];
    if (c->kind != JN_CURVE_SPLINE || c->knots == knots) continue;
    knots = c->knots;
    next = fmin(next, jn__next_knot(c, t));
  }
  return next;
}

double jn_trajectory_frequency(const jn_trajectory *trajectory) {
  if (!trajectory) return NAN;
  double highest = 0;
  for (int i = 0; i < trajectory->nq; i++) highest = fmax(highest, highest_frequency(&trajectory->curves[i]));
  return highest / (2 * pi);
}
