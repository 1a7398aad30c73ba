/* SPDX-License-Identifier: BSD-2-Clause */
/* What samples leave open about a spline. In the middle of a motion, samples on both sides fix its derivatives; at the
 * ends there are samples on one side only, and the same noise moves an acceleration ten times as much or more.
 *
 * A spline with fewer B-splines than samples: with noise of the standard deviation s and the Gram matrix G of the
 * B-splines, the derivative k at t, which is r_k(t) times the coefficients, has the variance s^2 r_k G^-1 r_k^T. Noise
 * whose neighbours have the correlation c moves smooth fits like white noise of the variance s^2 (1 + c) / (1 - c). The
 * B-splines of G are three quarters more than those of the fit: fewer may leave motion behind, as much as finer ones
 * would add of the noise.
 *
 * A spline through all samples: another one through the samples near the end, of a degree higher by two, is as good a
 * guess. Some times their difference is what is not known; it falls quickly towards the middle. */
#include <math.h>
#include <string.h>

#include "trajectory.h"

/* Both by tests/test_trajectory_open.c, which compares with motions whose truth is known. */
static const double deviations = 4;  /* standard deviations that count */
static const double differences = 8; /* of two splines through all samples, both of which may be wrong */
static const double finer = 1.75;    /* B-splines of G for each of the fit */

enum { WINDOW = 4 }; /* of the other spline, in units of its degree: samples */

/* ---- After a fit ---- */

/* Noise of residuals [samples] that a fit with `count` parameters left. */
static double noise_of(const double *rest, int samples, int count) {
  double squares = 0, products = 0;
  for (int i = 0; i < samples; i++) {
    squares += rest[i] * rest[i];
    if (i > 0) products += rest[i] * rest[i - 1];
  }
  if (!(squares > 0) || count >= samples) return 0;

  double correlation = fmin(fmax(products / squares, 0), 0.98);
  return sqrt(squares / (samples - count) * (1 + correlation) / (1 - correlation));
}

/* G of a somewhat finer spline than the fit with `count` B-splines. */
static jn_status keep_factors(jn_blocks *blocks, const jn_fit_batch *b, int count, jn_open *open) {
  int most = (int)(JN_FEW * b->samples), more = (int)ceil(finer * count);
  int size = more > most ? (most > count ? most : count) : more;
  double *gram = jn__keep(blocks, (size_t)size * (size_t)(b->degree + 1) * sizeof *gram);
  double *knots = jn__keep(blocks, (size_t)(size + b->degree + 1) * sizeof *knots);
  if (!gram || !knots) return JN_ERR_MEMORY;

  jn__fit_knots(b->t, b->samples, b->degree, size, knots);
  if (!jn__fit_factors(b, size, knots, gram)) return JN_OK;
  open->factors = gram;
  open->basis = (jn_curve){.kind = JN_CURVE_SPLINE, .count = size, .degree = b->degree, .knots = knots};
  return JN_OK;
}

/* The other spline at one end (0: start, 1: end) of series s. */
static jn_status keep_other(jn_blocks *blocks, const jn_fit_batch *b, int end, const double *x, jn_open *open) {
  int degree = b->degree + 2, size = WINDOW * degree < b->samples ? WINDOW * degree : b->samples;
  int from = end ? b->samples - size : 0;
  const double *data = x + from;
  jn_fit_batch one = {.allocator = b->allocator, .degree = degree, .samples = size, .t = b->t + from};
  one.channels = one.columns = 1;
  one.weights[0] = 1;
  one.data = &data;
  if (size <= degree || degree > JN_MAX_DEGREE) return JN_OK;

  double squares, *knots = jn__keep(blocks, (size_t)(2 * size + degree + 1) * sizeof *knots);
  if (!knots) return JN_ERR_MEMORY;
  double *numbers = knots + size + degree + 1;
  jn__fit_knots(one.t, size, degree, size, knots);
  jn_status status = jn__fit_solve(&one, size, knots, numbers, &squares);
  if (status != JN_OK) return status == JN_ERR_SINGULAR ? JN_OK : status;

  open->other[end] = (jn_curve){.kind = JN_CURVE_SPLINE, .count = size, .degree = degree, .knots = knots};
  open->other[end].numbers = numbers;
  open->inner[end] = one.t[size / 2];
  return JN_OK;
}

jn_status jn__keep_open(jn_blocks *blocks, const jn_fit_batch *b, jn_series *series, int count, double *rest) {
  jn_status status = JN_OK;
  jn_open shared = {0};
  if (!b->through) status = keep_factors(blocks, b, count, &shared);

  for (int j = 0; j < b->columns && status == JN_OK; j++) {
    jn_open *open = series[j].open;
    *open = shared;
    if (b->through) {
      for (int end = 0; end < 2 && b->channels == 1 && status == JN_OK; end++)
        status = keep_other(blocks, b, end, series[j].data[0], open);
      continue;
    }
    for (int i = 0; i < b->samples; i++) {
      double value;
      jn__curve_jet(series[j].curve, b->t[i], 1, &value);
      rest[i] = series[j].data[0][i] - value;
    }
    open->noise = noise_of(rest, b->samples, count);
  }
  return status;
}

/* ---- At a time ---- */

/* r_k G^-1 r_k^T with factors of G. room [count]. */
static double variance_of(const jn_open *o, double t, int k, double *room) {
  const jn_curve *c = &o->basis;
  double row[JN_MAX_DEGREE + 1], sum = 0;
  int first = jn__spline_span(c->knots, c->degree, c->count, t) - c->degree;
  jn__spline_row(c->knots, c->degree, first + c->degree, t, k, row);
  memset(room, 0, (size_t)c->count * sizeof *room);
  memcpy(room + first, row, (size_t)(c->degree + 1) * sizeof *row);
  jn__fit_substitute(o->factors, c->count, c->degree + 1, room);
  for (int i = 0; i <= c->degree; i++) sum += row[i] * room[first + i];
  return sum;
}

static void by_noise(const jn_open *o, double t, int rows, double *room, double *off, int stride) {
  for (int k = 0; k < rows && k <= o->basis.degree; k++)
    off[(size_t)k * (size_t)stride] = deviations * o->noise * sqrt(fmax(0, variance_of(o, t, k, room)));
}

/* The largest difference of both splines between the middle of the window and t. */
static void by_other(const jn_curve *c, const jn_open *o, int end, double t, int rows, double *off, int stride) {
  enum { PLACES = 60 };
  double from = o->inner[end];
  if (o->other[end].count == 0 || (end ? t < from : t > from)) return;

  for (int i = 0; i <= PLACES; i++) {
    double place = from + (t - from) * i / PLACES, one[JN_MAX_ROWS], two[JN_MAX_ROWS];
    jn__curve_jet(c, place, rows, one);
    jn__curve_jet(&o->other[end], place, rows, two);
    for (int k = 0; k < rows; k++) {
      double *to = &off[(size_t)k * (size_t)stride];
      *to = fmax(*to, differences * fabs(one[k] - two[k]));
    }
  }
}

jn_status jn_trajectory_uncertainty(const jn_trajectory *trajectory, double t, int order, double *off) {
  if (!trajectory || !off) return JN_ERR_NULL;
  if (order < 0 || order > JN_TRAJECTORY_MAX_ORDER) return JN_ERR_SIZE;
  int rows = order + 3, most = 0;
  memset(off, 0, (size_t)rows * (size_t)trajectory->nq * sizeof *off);
  for (int i = 0; i < trajectory->nq && trajectory->opens; i++)
    if (trajectory->opens[i].factors && trajectory->opens[i].basis.count > most)
      most = trajectory->opens[i].basis.count;

  double *room = jn__allocate(&trajectory->allocator, (size_t)(most + 1) * sizeof *room);
  if (!room) return JN_ERR_MEMORY;
  for (int i = 0; i < trajectory->nq && trajectory->opens; i++) {
    const jn_open *o = &trajectory->opens[i];
    if (o->factors) by_noise(o, t, rows, room, off + i, trajectory->nq);
    for (int end = 0; end < 2; end++) by_other(&trajectory->curves[i], o, end, t, rows, off + i, trajectory->nq);
  }
  jn__release(&trajectory->allocator, room);
  return JN_OK;
}
