/* SPDX-License-Identifier: BSD-2-Clause */
/* Series of samples into spline curves: batches that share their work, the choice of smoothness, the fit, and how
 * far it is from the samples. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "trajectory.h"

/* Odd, so that no derivative of even or odd order is favoured at the knots; q^(K+2) continuous needs K + 3. */
int jn__spline_degree(int order) {
  int degree = order + 3;
  return degree % 2 ? degree : degree + 1;
}

typedef struct fitting {
  jn_loading *l;
  jn_blocks *blocks;
  int samples;
  const double *t;
  int degree;
  double rate;     /* samples a second */
  double *rest;    /* [samples] room for residuals */
  int done, count; /* series, for the progress */
} fitting;

enum { ENOUGH = 64 }; /* residuals that are enough to recognise noise by the spectrum */

static void pass_progress(double part, void *context) {
  const fitting *f = context;
  const jn_trajectory_options *o = &f->l->options;
  o->progress(0.1 + 0.9 * (f->done + part) / (f->count + 1), o->progress_context);
}

/* Samples a second where they are dense: the harmonic mean of the steps. */
static double find_rate(const fitting *f) {
  double sum = 0;
  for (int i = 1; i < f->samples; i++) sum += 1 / (f->t[i] - f->t[i - 1]);
  return f->samples > 1 ? sum / (f->samples - 1) : 0;
}

/* The highest frequency that counts as motion, in cycles per sample. */
static double highest_of(const fitting *f) {
  double bandwidth = f->l->options.bandwidth;
  return bandwidth > 0 ? fmin(0.5, bandwidth / f->rate) : 0.5;
}

/* The most B-splines that the low-pass allows. Knots in steps of h let pass what is slower than about 0.4 / h. */
static int most_of_lowpass(const fitting *f, const jn_fit_batch *b) {
  const double knots_per_period = 2.5;
  double duration = f->t[f->samples - 1] - f->t[0], lowpass = f->l->options.lowpass;
  double most = ceil(knots_per_period * lowpass * duration) + b->degree;
  return lowpass > 0 && most < INT_MAX ? (int)most : INT_MAX;
}

/* Is what a fit leaves only the rounding of numbers? Then there is nothing that a low-pass could take away. */
static int is_exact(const fitting *f, const jn_series *series, int columns) {
  const double rounding = 1e-12;
  for (int j = 0; j < columns; j++) {
    double size = 0;
    for (int i = 0; i < f->samples; i++) size = fmax(size, fabs(series[j].data[0][i]));
    if (!series[j].fit || series[j].fit->largest > rounding * size) return 0;
  }
  return 1;
}

/* The part of the motion that the samples do not resolve, from sixth differences. They let pass sin(pi / n)^6 of an
 * oscillation with n samples per period: all of it for n = 2, the fastest that samples can show, and less than a
 * thousandth from n = 10 on. This part is poorly known between the samples. */
static double unresolved(const double *x, int count) {
  double largest = 0;
  for (int i = 0; i + 6 < count; i++) {
    double d = x[i] + x[i + 6] - 6 * (x[i + 1] + x[i + 5]) + 15 * (x[i + 2] + x[i + 4]) - 20 * x[i + 3];
    largest = fmax(largest, fabs(d));
  }
  return largest / 64;
}

/* The spline's values at the samples. */
static void find_values(const fitting *f, const jn_curve *c, double *values) {
  double N[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1];
  for (int i = 0, span = c->degree; i < f->samples; i++) {
    while (span < c->count - 1 && f->t[i] >= c->knots[span + 1]) span++;
    jn__spline_basis(c->knots, c->degree, span, f->t[i], N);
    values[i] = 0;
    for (int k = 0; k <= c->degree; k++) values[i] += N[c->degree][k] * c->numbers[span - c->degree + k];
  }
}

/* How far a fitted series is from its samples, and what that may mean. 0 if out of memory. */
static int measure(const fitting *f, jn_series *s, int complete) {
  const jn_curve *c = s->curve;
  jn_residue r;
  find_values(f, c, f->rest);
  double rough = unresolved(f->rest, f->samples), cutoff = 0.5 * c->count / f->samples;
  for (int i = 0; i < f->samples; i++) f->rest[i] = s->data[0][i] - f->rest[i];
  if (!jn__judge_residue(&f->l->allocator, f->rest, s->data[0], f->samples, fmin(0.5, cutoff), highest_of(f), &r))
    return 0;
  *s->fit =
      (jn_fit){.sampled = 1, .parameters = c->count, .interpolating = complete, .fastest = f->rate * highest_of(f)};
  s->fit->rms = r.rms;
  s->fit->largest = r.largest;
  s->fit->time = f->t[r.at];
  s->fit->noise = complete || r.kind == JN_RESIDUE_NOISE;
  s->fit->frequency = r.amplitude > 0 ? f->rate / r.period : s->fit->fastest;
  s->fit->hidden = rough;
  s->rate = f->rate;
  if (s->smoother == 0) s->first = r;
  s->last = r;
  if (complete) return 1;
  /* A tolerance given by the user is taken as the size of the noise, if enough residuals look like noise. Where a tone
   * begins or ends, its spectral line is weaker than the tone, so the largest residual counts. */
  int chosen = f->l->options.smoothing == JN_SMOOTH_GCV, believed = chosen || f->samples >= ENOUGH;
  s->fit->oscillation = s->fit->noise && believed ? 0 : fmax(r.amplitude, r.largest);
  /* Where fast motion was seen, some of it may be left for a short time. */
  if (chosen) s->fit->hidden += s->smoother ? r.largest : r.hidden;
  return 1;
}

/* A batch of `columns` series in a row; data [channels x columns] is room for the pointers. */
static jn_fit_batch make_batch(const fitting *f, jn_series *series, int columns, const double **data) {
  jn_fit_batch b = {.allocator = &f->l->allocator, .degree = f->degree, .samples = f->samples, .t = f->t};
  b.columns = columns;
  b.channels = series->channels;
  for (int c = 0; c < b.channels; c++) {
    b.orders[c] = series->orders[c];
    b.weights[c] = 1;
    for (int j = 0; j < columns; j++) data[c * columns + j] = series[j].data[c];
  }
  b.data = data;
  return b;
}

/* One group with `count` B-splines, or somewhat fewer when the samples do not determine so many. */
static jn_status solve_group(const fitting *f, jn_series *series, const jn_fit_batch *b, int count) {
  double squares[JN_MAX_CHANNELS * 4];
  jn_status status = JN_ERR_SINGULAR;
  for (; status == JN_ERR_SINGULAR && count > b->degree; count = count > b->degree + 1 ? 9 * count / 10 : 0) {
    double *knots = jn__keep(f->blocks, (size_t)(count + b->degree + 1) * sizeof *knots);
    double *numbers = jn__keep(f->blocks, (size_t)b->columns * (size_t)count * sizeof *numbers);
    if (!knots || !numbers) return JN_ERR_MEMORY;
    jn__fit_knots(b->t, b->samples, b->degree, count, knots);
    status = jn__fit_solve(b, count, knots, numbers, squares);
    for (int j = 0; j < b->columns && status == JN_OK; j++) {
      *series[j].curve = (jn_curve){.kind = JN_CURVE_SPLINE, .count = count, .degree = b->degree, .knots = knots};
      series[j].curve->numbers = numbers + (size_t)j * (size_t)count;
    }
  }
  return status;
}

/* Solves a group with `count` B-splines and measures what is left; *noise: that looks like noise. */
static jn_status try_group(const fitting *f, jn_series *series, jn_fit_batch *b, int count, int *noise) {
  jn_status status = solve_group(f, series, b, count);

  *noise = 1;
  for (int j = 0; j < b->columns && status == JN_OK && series[j].fit; j++) {
    if (!measure(f, &series[j], b->through)) return JN_ERR_MEMORY;
    *noise &= series[j].fit->noise;
  }

  return status;
}

/* Finds how many B-splines a group needs, from `count` on: an automatic fit doubles the number, up to as many as there
 * are samples, until the residuals are noise. A low-pass limits the number, unless it takes nothing away. */
static jn_status search_group(const fitting *f, jn_series *series, jn_fit_batch *b, int count) {
  int all = jn__fit_complete(b), most = (int)(JN_FEW * all), automatic = f->l->options.smoothing == JN_SMOOTH_GCV;
  int allowed = most_of_lowpass(f, b), noise;

  /* What the samples ask for is too fast: fit what is slow enough, and keep it if that takes anything away. */
  if (count > allowed) {
    jn_fit_batch limited = *b;
    limited.through = 0;
    jn_status status = try_group(f, series, &limited, allowed, &noise);
    int exact = status == JN_OK && is_exact(f, series, b->columns);
    for (int j = 0; j < b->columns; j++) series[j].lowpassed = !exact;
    if (!exact) *b = limited;
    if (!exact) return status;
    allowed = INT_MAX;
  }

  for (;;) {
    if (count == all) jn__fit_go_through(b);
    jn_status status = try_group(f, series, b, count, &noise);
    if (status != JN_OK || noise || !automatic || b->through) return status;

    /* More than noise is left: twice as many, as far as the low-pass allows. */
    for (int j = 0; j < b->columns; j++) {
      if (series[j].smoother == 0) series[j].smoother = count;
      series[j].lowpassed = count >= allowed;
    }
    if (count >= allowed) return status;
    count = count < most / 2 ? 2 * count : count < most ? most : all;
    if (count > allowed) count = allowed;
  }
}

/* Fits a group, with `count` B-splines or more; and what its ends leave open, where that is asked for. */
static jn_status fit_group(const fitting *f, jn_series *series, jn_fit_batch *b, int count) {
  jn_status status = search_group(f, series, b, count);
  if (status != JN_OK || !series->open) return status;
  return jn__keep_open(f->blocks, b, series, series->curve->count, f->rest);
}

static int group_size(const jn_series *s, int left) {
  int n = 1;
  while (n < left && s[n].group == s[0].group) n++;
  return n;
}

/* Consecutive series that can be fitted together: all those without derivatives, or one group with them. */
static int batch_size(const jn_series *s, int left) {
  if (s->channels > 1) return group_size(s, left);
  int n = 0;
  while (n < left && s[n].channels == 1) n++;
  return n;
}

static jn_status fit_batch(fitting *f, jn_series *series, int columns, const double **data, int *first, int *counts) {
  const jn_trajectory_options *o = &f->l->options;
  jn_fit_rule rule = {o->smoothing, o->tolerance, highest_of(f), o->progress ? pass_progress : NULL, f};
  int groups = 0;
  for (first[0] = 0; first[groups] < columns; groups++)
    first[groups + 1] = first[groups] + group_size(series + first[groups], columns - first[groups]);
  jn_fit_batch b = make_batch(f, series, columns, data);
  jn_status status = jn__fit_choose(&b, &rule, groups, first, counts);
  for (int i = 0; i < columns; i++) series[i].alone = b.channels < series[i].channels;
  for (int g = 0; g < groups && status == JN_OK; g++) {
    int size = first[g + 1] - first[g];
    jn_fit_batch one = b;
    if (groups > 1) { /* then there is one channel */
      one.columns = size;
      one.data += first[g];
    }
    status = fit_group(f, series + first[g], &one, counts[g]);
  }
  f->done += columns;
  return status;
}

jn_status jn__fit_series(jn_loading *l, jn_blocks *blocks, int samples, const double *t, int degree, jn_series *series,
                         int count) {
  fitting f = {.l = l, .blocks = blocks, .samples = samples, .t = t, .degree = degree, .count = count};
  f.rate = find_rate(&f);
  size_t n = (size_t)count;
  const double **data = jn__allocate(&l->allocator, n * JN_MAX_CHANNELS * sizeof *data);
  f.rest = jn__allocate(&l->allocator, (size_t)samples * sizeof *f.rest);
  int *first = jn__allocate(&l->allocator, (2 * n + 1) * sizeof *first);
  jn_status status = data && first && f.rest ? JN_OK : JN_ERR_MEMORY;
  for (int i = 0; i < count && status == JN_OK;) {
    int size = batch_size(series + i, count - i);
    status = fit_batch(&f, series + i, size, data, first, first + n + 1);
    i += size;
  }
  jn__release(&l->allocator, (void *)data);
  jn__release(&l->allocator, first);
  jn__release(&l->allocator, f.rest);
  return status;
}
