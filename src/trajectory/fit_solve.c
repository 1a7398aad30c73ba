/* SPDX-License-Identifier: BSD-2-Clause */
/* Least-squares B-splines. With samples of the curve alone: normal equations, a banded Gram matrix and its Cholesky
 * factors. With samples of derivatives too, rows have very different magnitudes, and normal equations would lose too
 * many digits; then the triangular factor is computed directly from the rows by Givens rotations. In both cases one
 * step of iterative refinement follows if the data are nearly exact. O(samples degree^2) time, O(count degree) memory.
 */
#include <math.h>
#include <string.h>

#include "../model/memory.h"
#include "fit.h"

/* ---- Knots ---- */

/* The time of a sample with a broken number, between its neighbours. */
static double time_at(const double *t, int samples, double place) {
  int i = (int)place;
  if (i >= samples - 1) return t[samples - 1];
  double part = place - i;
  return part > 0 ? t[i] + part * (t[i + 1] - t[i]) : t[i];
}

void jn__fit_knots(const double *t, int samples, int degree, int count, double *knots) {
  int few = count <= JN_FEW * samples;
  double step = (double)(samples - 1) / (few ? count - degree : count - 1);
  for (int i = 0; i <= degree; i++) {
    knots[i] = t[0];
    knots[count + i] = t[samples - 1];
  }
  for (int j = 1; j < count - degree; j++) {
    double offset = 0;
    if (few) {
      knots[degree + j] = time_at(t, samples, j * step);
      continue;
    }
    for (int i = j; i < j + degree; i++) offset += time_at(t, samples, i * step) - t[0];
    knots[degree + j] = t[0] + offset / degree;
  }
}

/* ---- Normal equations. Row i of a banded symmetric matrix has the entries (i, i) ... (i, i + degree). ---- */

static int factorise(double *G, int n, int band) {
  for (int i = 0; i < n; i++) {
    double *row = G + (size_t)i * (size_t)band, pivot = row[0];
    if (!(pivot > 0)) return 0;
    int last = n - 1 - i < band - 1 ? n - 1 - i : band - 1;
    double inverse = 1 / pivot;
    for (int k = 1; k <= last; k++) {
      double f = row[k] * inverse, *below = G + (size_t)(i + k) * (size_t)band;
      double diagonal = below[0];
      for (int j = k; j <= last; j++) below[j - k] -= f * row[j];
      if (!(below[0] > 1e-14 * diagonal)) return 0; /* only rounding is left */
    }
    row[0] = inverse;
    for (int k = 1; k <= last; k++) row[k] *= inverse; /* L^T of L D L^T */
  }
  return 1;
}

static void substitute_back(const double *G, int n, int band, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    const double *row = G + (size_t)i * (size_t)band;
    int last = n - 1 - i < band - 1 ? n - 1 - i : band - 1;
    for (int k = 1; k <= last; k++) x[i] -= row[k] * x[i + k];
  }
}

static void substitute(const double *G, int n, int band, double *x) {
  for (int i = 0; i < n; i++) {
    const double *row = G + (size_t)i * (size_t)band;
    int last = n - 1 - i < band - 1 ? n - 1 - i : band - 1;
    for (int k = 1; k <= last; k++) x[i + k] -= row[k] * x[i];
  }
  for (int i = 0; i < n; i++) x[i] *= G[(size_t)i * (size_t)band];
  substitute_back(G, n, band, x);
}

/* ---- Passes over the samples ---- */

typedef struct pass {
  const jn_fit_batch *b;
  int count;
  const double *knots;
  double *G;                  /* NULL: not wanted */
  double *side;               /* [columns x count] right-hand sides, added to; NULL: not wanted */
  const double *coefficients; /* NULL: the samples themselves, not what they miss the spline by */
  double *squares;            /* [channels x columns], or NULL */
  int rotate;                 /* G is the triangle that rotations make */
} pass;

static void add_gram(const pass *p, int first, double weight, const double *row) {
  int band = p->b->degree + 1;
  for (int i = 0; i < band; i++) {
    double f = weight * row[i], *to = p->G + (size_t)(first + i) * (size_t)band;
    for (int j = i; j < band; j++) to[j - i] += f * row[j];
  }
}

static void add_sample(const pass *p, int channel, int sample, int first, const double *row) {
  const jn_fit_batch *b = p->b;
  double weight = b->weights[channel] * b->weights[channel];
  if (p->G) add_gram(p, first, weight, row);
  for (int c = 0; c < b->columns; c++) {
    int column = channel * b->columns + c;
    double rest = b->data[column][sample];
    if (p->coefficients) {
      const double *x = p->coefficients + (size_t)c * (size_t)p->count + first;
      double value = 0;
      for (int i = 0; i <= b->degree; i++) value += row[i] * x[i];
      rest -= value;
    }
    if (p->squares) p->squares[column] += rest * rest;
    if (!p->side) continue;
    double *side = p->side + (size_t)c * (size_t)p->count + first, f = weight * rest;
    for (int i = 0; i <= b->degree; i++) side[i] += f * row[i];
  }
}

/* Rotates the row of a sample, and what belongs to it on the right-hand side, into the triangle G. */
static void rotate_sample(const pass *p, int channel, int sample, int first, const double *values) {
  const jn_fit_batch *b = p->b;
  int band = b->degree + 1;
  double row[JN_MAX_DEGREE + 1], right[JN_BATCH_COLUMNS];
  for (int i = 0; i < band; i++) row[i] = b->weights[channel] * values[i];
  for (int c = 0; c < b->columns; c++) right[c] = b->weights[channel] * b->data[channel * b->columns + c][sample];
  for (int i = 0; i < band; i++) {
    if (row[i] == 0) continue;
    double *R = p->G + (size_t)(first + i) * (size_t)band, size = hypot(R[0], row[i]);
    double c = R[0] / size, s = row[i] / size;
    for (int j = i; j < band; j++) {
      double above = R[j - i];
      R[j - i] = c * above + s * row[j];
      row[j] = c * row[j] - s * above;
    }
    for (int k = 0; k < b->columns; k++) {
      double *side = p->side + (size_t)k * (size_t)p->count + first + i, above = *side;
      *side = c * above + s * right[k];
      right[k] = c * right[k] - s * above;
    }
  }
}

/* From R with R^T R the Gram matrix, to what factorise() gives; the right-hand sides become those of the unit triangle.
 */
static int use_triangle(const pass *p) {
  int band = p->b->degree + 1;
  double largest = 0;
  for (int i = 0; i < p->count; i++) largest = fmax(largest, fabs(p->G[(size_t)i * (size_t)band]));
  for (int i = 0; i < p->count; i++) {
    double *R = p->G + (size_t)i * (size_t)band, pivot = R[0];
    if (!(fabs(pivot) > 1e-14 * largest)) return 0;
    for (int k = 1; k < band; k++) R[k] /= pivot;
    for (int c = 0; c < p->b->columns; c++) p->side[(size_t)c * (size_t)p->count + (size_t)i] /= pivot;
    R[0] = 1 / (pivot * pivot);
  }
  return 1;
}

/* What jn__spline_basis() divides by in one span, for many samples there. */
typedef struct widths {
  int span;
  double inverse[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1];
} widths;

static void set_widths(widths *w, const double *knots, int degree, int span) {
  w->span = span;
  for (int p = 1; p <= degree; p++)
    for (int i = 0; i < p; i++) w->inverse[p][i] = 1 / (knots[span + 1 + i] - knots[span - p + 1 + i]);
}

/* Values of the B-splines of the span, in place from degree to degree. */
static void basis_row(const widths *w, const double *knots, int degree, double t, double *N) {
  N[0] = 1;
  for (int p = 1; p <= degree; p++) {
    double saved = 0;
    for (int i = 0; i < p; i++) {
      double share = N[i] * w->inverse[p][i];
      N[i] = saved + (knots[w->span + 1 + i] - t) * share;
      saved = (t - knots[w->span - p + 1 + i]) * share;
    }
    N[p] = saved;
  }
}

static void run_pass(const pass *p) {
  const jn_fit_batch *b = p->b;
  double row[JN_MAX_DEGREE + 1];
  widths w;
  int d = b->degree, span = d;
  set_widths(&w, p->knots, d, span);
  if (p->squares) memset(p->squares, 0, (size_t)(b->channels * b->columns) * sizeof *p->squares);
  for (int i = 0; i < b->samples; i++) {
    while (span < p->count - 1 && b->t[i] >= p->knots[span + 1]) span++;
    if (span != w.span) set_widths(&w, p->knots, d, span);
    for (int c = 0; c < b->channels; c++) {
      if (b->orders[c] == 0)
        basis_row(&w, p->knots, d, b->t[i], row);
      else
        jn__spline_row(p->knots, d, span, b->t[i], b->orders[c], row);
      if (p->rotate)
        rotate_sample(p, c, i, span - d, row);
      else
        add_sample(p, c, i, span - d, row);
    }
  }
}

/* Are data so nearly exact that the rounding of the normal equations counts? */
static int is_nearly_exact(const jn_fit_batch *b, const double *squares) {
  for (int c = 0; c < b->columns; c++) {
    double size = 0;
    for (int i = 0; i < b->samples; i++) size = fmax(size, fabs(b->data[c][i]));
    if (squares[c] < 1e-18 * size * size * b->samples) return 1;
  }
  return 0;
}

static void solve_all(const jn_fit_batch *b, const double *G, int count, double *x) {
  for (int c = 0; c < b->columns; c++) substitute(G, count, b->degree + 1, x + (size_t)c * (size_t)count);
}

/* The first solution, and the factors in G. */
static jn_status solve_first(const jn_fit_batch *b, int count, const double *knots, double *G, double *x) {
  int rotate = b->channels > 1 && b->columns <= JN_BATCH_COLUMNS;
  pass p = {.b = b, .count = count, .knots = knots, .G = G, .side = x, .rotate = rotate};
  run_pass(&p);
  if (!(rotate ? use_triangle(&p) : factorise(G, count, b->degree + 1))) return JN_ERR_SINGULAR;
  if (!rotate) solve_all(b, G, count, x);
  for (int c = 0; c < b->columns && rotate; c++)
    substitute_back(G, count, b->degree + 1, x + (size_t)c * (size_t)count);
  return JN_OK;
}

int jn__fit_factors(const jn_fit_batch *b, int count, const double *knots, double *factors) {
  pass p = {.b = b, .count = count, .knots = knots, .G = factors};
  memset(factors, 0, (size_t)count * (size_t)(b->degree + 1) * sizeof *factors);
  run_pass(&p);
  return factorise(factors, count, b->degree + 1);
}

void jn__fit_substitute(const double *factors, int count, int band, double *x) { substitute(factors, count, band, x); }

jn_status jn__fit_solve(const jn_fit_batch *b, int count, const double *knots, double *coefficients, double *squares) {
  size_t all = (size_t)b->columns * (size_t)count, bytes = all * sizeof(double);
  double *G = jn__allocate(b->allocator, (size_t)count * (size_t)(b->degree + 1) * sizeof *G);
  double *rest = jn__allocate(b->allocator, bytes);
  jn_status status = G && rest ? JN_OK : JN_ERR_MEMORY;
  pass p = {.b = b, .count = count, .knots = knots, .coefficients = coefficients, .squares = squares};
  if (status == JN_OK) {
    memset(coefficients, 0, bytes);
    status = solve_first(b, count, knots, G, coefficients);
  }
  if (status == JN_OK) {
    run_pass(&p);
    if (is_nearly_exact(b, squares)) {
      p.side = rest;
      run_pass(&p);
      solve_all(b, G, count, rest);
      for (size_t i = 0; i < all; i++) coefficients[i] += rest[i];
      p.side = NULL;
      run_pass(&p);
    }
  }
  jn__release(b->allocator, G);
  jn__release(b->allocator, rest);
  return status;
}
