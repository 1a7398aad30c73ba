/* SPDX-License-Identifier: BSD-2-Clause */
/* Least-squares B-splines by normal equations: banded Gram matrix, banded Cholesky factors, and one step of correction
 * from the residuals, which makes up for the squared condition of the normal equations when data are nearly exact.
 * O(samples degree^2) time, O(count degree) memory. */
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
      if (!(below[0] > 1e-14 * diagonal)) return 0; /* nothing but rounding is left */
    }
    row[0] = inverse;
    for (int k = 1; k <= last; k++) row[k] *= inverse; /* L^T of L D L^T */
  }
  return 1;
}

static void substitute(const double *G, int n, int band, double *x) {
  for (int i = 0; i < n; i++) {
    const double *row = G + (size_t)i * (size_t)band;
    int last = n - 1 - i < band - 1 ? n - 1 - i : band - 1;
    for (int k = 1; k <= last; k++) x[i + k] -= row[k] * x[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = G + (size_t)i * (size_t)band;
    int last = n - 1 - i < band - 1 ? n - 1 - i : band - 1;
    double sum = x[i] * row[0];
    for (int k = 1; k <= last; k++) sum -= row[k] * x[i + k];
    x[i] = sum;
  }
}

/* ---- Passes over the samples ---- */

typedef struct pass {
  const jn_batch *b;
  int count;
  const double *knots;
  double *G;                  /* NULL: not wanted */
  double *side;               /* [columns x count] right-hand sides, added to */
  const double *coefficients; /* NULL: the samples themselves, not what they miss the spline by */
  double *squares;            /* [channels x columns], or NULL */
} pass;

static void add_gram(const pass *p, int first, double weight, const double *row) {
  int band = p->b->degree + 1;
  for (int i = 0; i < band; i++) {
    double f = weight * row[i], *to = p->G + (size_t)(first + i) * (size_t)band;
    for (int j = i; j < band; j++) to[j - i] += f * row[j];
  }
}

static void add_sample(const pass *p, int channel, int sample, int first, const double *row) {
  const jn_batch *b = p->b;
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
    double *side = p->side + (size_t)c * (size_t)p->count + first, f = weight * rest;
    for (int i = 0; i <= b->degree; i++) side[i] += f * row[i];
  }
}

static void run_pass(const pass *p) {
  const jn_batch *b = p->b;
  double row[JN_MAX_DEGREE + 1], N[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1];
  int d = b->degree, span = d;
  if (p->squares) memset(p->squares, 0, (size_t)(b->channels * b->columns) * sizeof *p->squares);
  for (int i = 0; i < b->samples; i++) {
    while (span < p->count - 1 && b->t[i] >= p->knots[span + 1]) span++;
    for (int c = 0; c < b->channels; c++) {
      const double *values = row;
      if (b->orders[c] == 0) {
        jn__spline_basis(p->knots, d, span, b->t[i], N);
        values = N[d];
      } else {
        jn__spline_row(p->knots, d, span, b->t[i], b->orders[c], row);
      }
      add_sample(p, c, i, span - d, values);
    }
  }
}

/* Are data so nearly exact that the rounding of the normal equations counts? */
static int is_nearly_exact(const jn_batch *b, const double *squares) {
  for (int c = 0; c < b->columns; c++) {
    double size = 0;
    for (int i = 0; i < b->samples; i++) size = fmax(size, fabs(b->data[c][i]));
    if (squares[c] < 1e-18 * size * size * b->samples) return 1;
  }
  return 0;
}

static void solve_all(const jn_batch *b, const double *G, int count, double *x) {
  for (int c = 0; c < b->columns; c++) substitute(G, count, b->degree + 1, x + (size_t)c * (size_t)count);
}

jn_status jn__fit_solve(const jn_batch *b, int count, const double *knots, double *coefficients, double *squares) {
  size_t all = (size_t)b->columns * (size_t)count, bytes = all * sizeof(double);
  double *G = jn__allocate(b->allocator, (size_t)count * (size_t)(b->degree + 1) * sizeof *G);
  double *rest = jn__allocate(b->allocator, bytes);
  jn_status status = G && rest ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) {
    memset(coefficients, 0, bytes);
    run_pass(&(pass){b, count, knots, G, coefficients, NULL, NULL});
    status = factorise(G, count, b->degree + 1) ? JN_OK : JN_ERR_SINGULAR;
  }
  if (status == JN_OK) {
    solve_all(b, G, count, coefficients);
    run_pass(&(pass){b, count, knots, NULL, rest, coefficients, squares});
    if (is_nearly_exact(b, squares)) {
      solve_all(b, G, count, rest);
      for (size_t i = 0; i < all; i++) coefficients[i] += rest[i];
      memset(rest, 0, bytes);
      run_pass(&(pass){b, count, knots, NULL, rest, coefficients, squares});
    }
  }
  jn__release(b->allocator, G);
  jn__release(b->allocator, rest);
  return status;
}
