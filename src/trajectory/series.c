/* SPDX-License-Identifier: BSD-2-Clause */
/* Series of samples into spline curves: batches of what can share its work, the choice of smoothness, the fit, and how
 * far it is from the samples. */
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
  int done, count; /* series, for the progress */
} fitting;

static void pass_progress(double part, void *context) {
  const fitting *f = context;
  const jn_trajectory_options *o = &f->l->options;
  o->progress(0.1 + 0.9 * (f->done + part) / (f->count + 1), o->progress_context);
}

/* Largest residual of a fitted series, and its time. */
static void measure(const fitting *f, jn_series *s, double square) {
  const jn_curve *c = s->curve;
  double N[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1];
  int span = c->degree;
  *s->fit = (jn_fit){.sampled = 1, .parameters = c->count, .interpolating = c->count == f->samples};
  s->fit->rms = sqrt(square / f->samples);
  s->fit->largest = -1;
  for (int i = 0; i < f->samples; i++) {
    while (span < c->count - 1 && f->t[i] >= c->knots[span + 1]) span++;
    jn__spline_basis(c->knots, c->degree, span, f->t[i], N);
    double rest = s->data[0][i];
    for (int k = 0; k <= c->degree; k++) rest -= N[c->degree][k] * c->numbers[span - c->degree + k];
    if (fabs(rest) <= s->fit->largest) continue;
    s->fit->largest = fabs(rest);
    s->fit->time = f->t[i];
  }
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
static jn_status fit_group(const fitting *f, jn_series *series, const jn_fit_batch *b, int count) {
  double squares[JN_MAX_CHANNELS * 4];
  jn_status status = JN_ERR_SINGULAR;
  for (; status == JN_ERR_SINGULAR && count > b->degree; count = count > b->degree + 1 ? 9 * count / 10 : 0) {
    if (count <= b->degree) count = b->degree + 1;
    double *knots = jn__keep(f->blocks, (size_t)(count + b->degree + 1) * sizeof *knots);
    double *numbers = jn__keep(f->blocks, (size_t)b->columns * (size_t)count * sizeof *numbers);
    if (!knots || !numbers) return JN_ERR_MEMORY;
    jn__fit_knots(b->t, b->samples, b->degree, count, knots);
    status = jn__fit_solve(b, count, knots, numbers, squares);
    for (int j = 0; j < b->columns && status == JN_OK; j++) {
      *series[j].curve = (jn_curve){.kind = JN_CURVE_SPLINE, .count = count, .degree = b->degree, .knots = knots};
      series[j].curve->numbers = numbers + (size_t)j * (size_t)count;
      if (series[j].fit) measure(f, &series[j], squares[j]);
    }
  }
  return status;
}

static int group_size(const jn_series *s, int left) {
  int n = 1;
  while (n < left && s[n].group == s[0].group) n++;
  return n;
}

/* Series in a row that can be judged together: all those without derivatives, or one group with them. */
static int batch_size(const jn_series *s, int left) {
  if (s->channels > 1) return group_size(s, left);
  int n = 0;
  while (n < left && s[n].channels == 1) n++;
  return n;
}

static jn_status fit_batch(fitting *f, jn_series *series, int columns, const double **data, int *first, int *counts) {
  const jn_trajectory_options *o = &f->l->options;
  jn_fit_rule rule = {o->smoothing, o->tolerance, o->progress ? pass_progress : NULL, f};
  int groups = 0;
  for (first[0] = 0; first[groups] < columns; groups++)
    first[groups + 1] = first[groups] + group_size(series + first[groups], columns - first[groups]);
  jn_fit_batch b = make_batch(f, series, columns, data);
  jn_status status = jn__fit_choose(&b, &rule, groups, first, counts);
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
  size_t n = (size_t)count;
  const double **data = jn__allocate(&l->allocator, n * JN_MAX_CHANNELS * sizeof *data);
  int *first = jn__allocate(&l->allocator, (2 * n + 1) * sizeof *first);
  jn_status status = data && first ? JN_OK : JN_ERR_MEMORY;
  for (int i = 0; i < count && status == JN_OK;) {
    int size = batch_size(series + i, count - i);
    status = fit_batch(&f, series + i, size, data, first, first + n + 1);
    i += size;
  }
  jn__release(&l->allocator, (void *)data);
  jn__release(&l->allocator, first);
  return status;
}
