/* SPDX-License-Identifier: BSD-2-Clause */
/* Elimination in a fixed order. Generated code cannot look for pivots, so they are looked for here, at closed
 * configurations: all samples are eliminated together, and each step takes the entry that is large in all of them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "conditions.h"

static const double negligible = 1e-9;

typedef struct sample_work {
  jn_writing *w;
  int rows, columns, samples;
  double *value;          /* [samples][rows x columns] what is left of the matrix, rows over their scales */
  double *largest;        /* [samples] entry that is left */
  double *scale;          /* [rows] */
  unsigned char *filled;  /* [rows x columns] 1: not always zero */
  unsigned char *row_out; /* [rows], [columns] 1: used by a step before */
  unsigned char *column_out;
} sample_work;

/* Values of X at the closed configurations, each row over its largest entry. */
static int take_samples(sample_work *s, const jn_expr *X) {
  jn_writing *w = s->w;
  double *input[JN_ARRAYS], *block = jn__make_inputs(w, input);
  double *value = jn__allocate(&w->allocator, ((size_t)w->graph.count + 1) * sizeof *value);
  int good = block && value, size = s->rows * s->columns;
  uint64_t seed = 3;
  for (int k = 0; good && k < s->samples; k++) {
    const double *state = jn__closed_state(w, k);
    jn__random_inputs(w, &seed, input);
    int nq = jn_model_nq(w->model);
    for (int i = 0; state && i < nq; i++) {
      input[JN_ARRAY_Q][i] = state[i];
      input[JN_ARRAY_SINE][i] = sin(state[i]);
      input[JN_ARRAY_COSINE][i] = cos(state[i]);
    }
    jn__evaluate(&w->graph, w->graph.count, (const double *const *)input, value);
    for (int i = 0; i < size; i++) s->value[k * size + i] = jn__value(value, X[i]);
  }

  for (int r = 0; good && r < s->rows; r++) {
    s->scale[r] = 0;
    for (int k = 0; k < s->samples; k++)
      for (int c = 0; c < s->columns; c++)
        s->scale[r] = fmax(s->scale[r], fabs(s->value[k * size + r * s->columns + c]));
    for (int k = 0; k < s->samples && s->scale[r] > 0; k++)
      for (int c = 0; c < s->columns; c++) s->value[k * size + r * s->columns + c] /= s->scale[r];
  }
  for (int i = 0; i < size; i++) s->filled[i] = X[i] != JN_ZERO;
  jn__release(&w->allocator, block);
  jn__release(&w->allocator, value);
  return good;
}

/* The largest entry that is left in each sample; the largest of all. */
static double find_largest(sample_work *s) {
  double most = 0;
  for (int k = 0; k < s->samples; k++) {
    s->largest[k] = 0;
    for (int r = 0; r < s->rows; r++)
      for (int c = 0; c < s->columns && !s->row_out[r]; c++)
        if (!s->column_out[c]) s->largest[k] = fmax(s->largest[k], fabs(s->value[(k * s->rows + r) * s->columns + c]));
    most = fmax(most, s->largest[k]);
  }
  return most;
}

/* How good an entry is: its smallest size in all samples, relative to the largest one there. Samples in which nothing
 * is left are singular configurations, and have no say. */
static double rate_entry(const sample_work *s, int r, int c) {
  double least = INFINITY;
  for (int k = 0; k < s->samples; k++)
    if (s->largest[k] > negligible)
      least = fmin(least, fabs(s->value[(k * s->rows + r) * s->columns + c]) / s->largest[k]);
  return least;
}

/* Work that the entry makes: other entries of its row times others of its column (Markowitz 1957). */
static int count_work(const sample_work *s, int r, int c) {
  int across = -1, along = -1;
  for (int j = 0; j < s->columns; j++) across += !s->column_out[j] && s->filled[r * s->columns + j];
  for (int i = 0; i < s->rows; i++) along += !s->row_out[i] && s->filled[i * s->columns + c];
  return across * along;
}

/* Of all entries that are at least a tenth as good as the best one, the one that makes the least work. */
static int choose_entry(const sample_work *s, int *row, int *column) {
  double best = 0;
  for (int r = 0; r < s->rows; r++)
    for (int c = 0; c < s->columns; c++)
      if (!s->row_out[r] && !s->column_out[c]) best = fmax(best, rate_entry(s, r, c));
  int least = INT32_MAX;
  for (int r = 0; r < s->rows; r++)
    for (int c = 0; c < s->columns; c++) {
      if (s->row_out[r] || s->column_out[c] || rate_entry(s, r, c) < 0.1 * best) continue;
      int work = count_work(s, r, c);
      if (work >= least) continue;
      least = work;
      *row = r;
      *column = c;
    }
  return best > negligible;
}

static void eliminate_samples(sample_work *s, int row, int column) {
  int n = s->columns;
  s->row_out[row] = s->column_out[column] = 1;
  for (int r = 0; r < s->rows; r++) {
    if (s->row_out[r] || !s->filled[r * n + column]) continue;
    for (int c = 0; c < n; c++) s->filled[r * n + c] |= !s->column_out[c] && s->filled[row * n + c];
    for (int k = 0; k < s->samples; k++) {
      double *to = s->value + (k * s->rows + r) * n;
      const double *from = s->value + (k * s->rows + row) * n;
      double factor = to[column] / from[column];
      for (int c = 0; c < n; c++)
        if (!s->column_out[c]) to[c] -= factor * from[c];
    }
  }
}

/* The median of |pivot| over the samples, as it is in X itself. */
static double typical_size(const sample_work *s, int row, int column) {
  double x[JN_CLOSED_STATES];
  int count = 0;
  for (int k = 0; k < s->samples; k++) {
    double size = fabs(s->value[(k * s->rows + row) * s->columns + column]);
    int at = count++;
    for (; at > 0 && x[at - 1] > size; at--) x[at] = x[at - 1];
    x[at] = size;
  }
  return s->scale[row] * x[count / 2];
}

static int open_samples(sample_work *s, const jn_expr *X) {
  const jn_allocator *a = &s->w->allocator;
  size_t rows = (size_t)s->rows + 1, columns = (size_t)s->columns + 1;
  s->value = jn__allocate(a, (size_t)s->samples * rows * columns * sizeof *s->value);
  s->scale = jn__allocate(a, rows * sizeof *s->scale);
  s->largest = jn__allocate(a, (size_t)s->samples * sizeof *s->largest);
  s->filled = jn__allocate(a, rows * columns);
  s->row_out = jn__allocate(a, rows);
  s->column_out = jn__allocate(a, columns);
  return s->value && s->scale && s->largest && s->filled && s->row_out && s->column_out && take_samples(s, X);
}

static void close_samples(sample_work *s) {
  const jn_allocator *a = &s->w->allocator;
  jn__release(a, s->value);
  jn__release(a, s->scale);
  jn__release(a, s->largest);
  jn__release(a, s->filled);
  jn__release(a, s->row_out);
  jn__release(a, s->column_out);
}

int jn__choose_pivots(jn_writing *w, const jn_expr *X, int rows, int columns, jn_pivot_order *order) {
  sample_work s = {.w = w, .rows = rows, .columns = columns, .samples = w->closed_count ? w->closed_count : 1};
  size_t most = (size_t)(rows < columns ? rows : columns) + 1;
  *order = (jn_pivot_order){.row = jn__allocate(&w->allocator, most * sizeof *order->row),
                            .column = jn__allocate(&w->allocator, most * sizeof *order->column),
                            .typical = jn__allocate(&w->allocator, most * sizeof *order->typical)};
  int good = order->row && order->column && order->typical && open_samples(&s, X);

  int row = 0, column = 0;
  while (good && order->rank < (int)most - 1 && find_largest(&s) > negligible && choose_entry(&s, &row, &column)) {
    order->row[order->rank] = row;
    order->column[order->rank] = column;
    order->typical[order->rank++] = typical_size(&s, row, column);
    eliminate_samples(&s, row, column);
  }
  close_samples(&s);
  if (!good) jn__pivot_order_free(w, order);
  return good;
}

void jn__pivot_order_free(jn_writing *w, jn_pivot_order *order) {
  jn__release(&w->allocator, order->row);
  jn__release(&w->allocator, order->column);
  jn__release(&w->allocator, order->typical);
  *order = (jn_pivot_order){0};
}

/* ---- over expressions ---- */

static jn_expr absolute(jn_graph *g, jn_expr x) { return jn__multiply(g, x, jn__apply(g, JN_NODE_SIGN, x)); }

/* min(x, y) = (x + y - |x - y|) / 2 */
jn_expr jn__write_smaller(jn_graph *g, jn_expr least, jn_expr x, double typical) {
  jn_expr y = absolute(g, jn__scale(g, 1 / typical, x));
  jn_expr apart = absolute(g, jn__subtract(g, least, y));
  return jn__scale(g, 0.5, jn__subtract(g, jn__add(g, least, y), apart));
}

void jn__write_elimination(jn_writing *w, const jn_pivot_order *order, int n, jn_expr *X, jn_expr *b, jn_expr *x,
                           jn_expr *smallest) {
  jn_graph *g = &w->graph;

  /* Downwards: rows that come later lose what they have of the column of the pivot. */
  for (int k = 0; k < n; k++) {
    int row = order->row[k], column = order->column[k];
    jn_expr pivot = X[row * n + column];
    *smallest = jn__write_smaller(g, *smallest, pivot, order->typical[k]);
    for (int l = k + 1; l < n; l++) {
      int other = order->row[l];
      if (X[other * n + column] == JN_ZERO) continue;
      jn_expr factor = jn__multiply(g, X[other * n + column], jn__divide(g, JN_ONE, pivot));
      for (int j = k + 1; j < n; j++) {
        jn_expr *to = &X[other * n + order->column[j]];
        *to = jn__subtract(g, *to, jn__multiply(g, factor, X[row * n + order->column[j]]));
      }
      b[other] = jn__subtract(g, b[other], jn__multiply(g, factor, b[row]));
    }
  }

  /* And back. */
  for (int k = n - 1; k >= 0; k--) {
    int row = order->row[k], column = order->column[k];
    jn_expr sum = b[row];
    for (int j = k + 1; j < n; j++)
      sum = jn__subtract(g, sum, jn__multiply(g, X[row * n + order->column[j]], x[order->column[j]]));
    x[column] = jn__multiply(g, sum, jn__divide(g, JN_ONE, X[row * n + column]));
  }
}
