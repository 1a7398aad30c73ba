/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs that hold each value for several rows: a controller of 100 Hz that is logged at 500 Hz writes every value five
 * times. Such a staircase is no motion, and no noise either. Only the rows at which the controller has written
 * something new are samples; the rest of the rows is left out, and this is said.
 *
 * The rows at which any column changes are c_i. They are those of a controller if c_i = a + P k_i, with whole numbers
 * k_i, but for a row; P > 1 is the number of rows that a value is held. An encoder that turns slowly has steps at
 * regular rows too, but always of one unit of its resolution: such changes do not count. */
#include <math.h>

#include "trajectory.h"

enum { FEWEST = 20 };               /* changes that are enough to see a rhythm */
static const double shortest = 1.8; /* rows that a value is held on average; below, P could be anything */
static const double near = 0.75;    /* rows by which a change may be off: half a row by sampling, and some jitter */
static const double most = 0.95;    /* share of the changes that must keep the rhythm */

typedef struct rhythm {
  double first, period; /* a, P [rows] */
  int changes;
} rhythm;

/* changed [rows]: 1 where any series has a value other than in the row before. Their number; *large: how many values
 * change by more than one step of a resolution, *small: how many by one step. */
static int find_changes(const jn_series *series, int count, int rows, unsigned char *changed, int *large, int *small) {
  int changes = 0;
  *large = *small = 0;

  for (int r = 0; r < rows; r++) changed[r] = 0;
  for (int s = 0; s < count; s++) {
    const double *x = series[s].data[0];
    double step = jn__find_step(x, rows);
    for (int r = 1; r < rows; r++) {
      if (x[r] == x[r - 1]) continue;
      changed[r] = 1;
      ++*(fabs(x[r] - x[r - 1]) > 1.5 * step ? large : small);
    }
  }

  for (int r = 1; r < rows; r++) changes += changed[r];
  return changes;
}

/* The most frequent distance of two changes, as a first guess of the period; 0 if they are too far apart. */
static int usual_gap(const unsigned char *changed, int rows) {
  enum { LONGEST = 1000 };
  int counts[LONGEST + 1] = {0}, best = 0;

  for (int r = 1, last = 0; r < rows; r++) {
    if (!changed[r]) continue;
    if (last && r - last <= LONGEST) counts[r - last]++;
    last = r;
  }

  for (int gap = 1; gap <= LONGEST; gap++)
    if (counts[gap] > counts[best]) best = gap;
  return best;
}

/* Number of the tick that a change belongs to, counted from the tick `k` of the change before it. */
static int next_tick(const rhythm *h, int k, int gap) {
  int ticks = (int)round(gap / h->period);
  return k + (ticks > 1 ? ticks : 1);
}

/* a and P by least squares, from ticks that are counted with the present P. */
static void fit_rhythm(const unsigned char *changed, int rows, rhythm *h) {
  double sum_k = 0, sum_c = 0, sum_kk = 0, sum_kc = 0, n = 0;
  for (int r = 1, last = 0, k = 0; r < rows; r++) {
    if (!changed[r]) continue;
    if (last) k = next_tick(h, k, r - last);
    last = r;
    n++;
    sum_k += k;
    sum_c += r;
    sum_kk += (double)k * k;
    sum_kc += (double)k * r;
  }

  double spread = n * sum_kk - sum_k * sum_k;
  if (!(spread > 0)) return;
  h->period = (n * sum_kc - sum_k * sum_c) / spread;
  h->first = (sum_c - h->period * sum_k) / n;
}

/* Do the changes keep the rhythm? */
static int keeps_rhythm(const unsigned char *changed, int rows, const rhythm *h) {
  int good = 0;
  for (int r = 1; r < rows; r++) {
    double place = (r - h->first) / h->period;
    if (changed[r]) good += fabs(place - round(place)) * h->period <= near;
  }
  return good >= most * h->changes;
}

/* 0: the rows are not held. */
static int find_rhythm(const jn_series *series, int count, int rows, unsigned char *changed, rhythm *h) {
  int large, small;
  *h = (rhythm){.changes = find_changes(series, count, rows, changed, &large, &small)};
  if (h->changes < FEWEST || large <= small) return 0;

  h->period = usual_gap(changed, rows);
  for (int i = 0; i < 3 && h->period >= 1; i++) fit_rhythm(changed, rows, h);
  return h->period >= shortest && keeps_rhythm(changed, rows, h);
}

/* The time at a broken number of a row. */
static double time_at(const double *t, int rows, double place) {
  int i = place > 0 ? (int)place : 0;
  if (i >= rows - 1) return t[rows - 1];
  return t[i] + (place - i) * (t[i + 1] - t[i]);
}

/* Keeps one row of each tick, in place, with the time of the tick; how many there are. Ticks at which nothing changes
 * are rows at rest. */
static int keep_ticks(jn_table *table, double *times, const rhythm *h) {
  int rows = table->rows, kept = 0;
  double before = ceil(-(h->first + 1e-6) / h->period); /* the first tick within the rows */

  for (double k = before;; k++) {
    double place = h->first + h->period * k;
    /* a row in which the value of this tick is held for sure, however the clocks are shifted */
    int row = (int)ceil(place + fmin(near, 0.5 * (h->period - 1)) - 1e-6);
    if (place > rows - 1 || row > rows - 1) break;

    double time = time_at(times, rows, fmax(place, 0));
    for (int c = 0; c < table->columns; c++) {
      double *x = table->values + (size_t)c * table->room;
      x[kept] = x[row];
    }
    if (table->lines) table->lines[kept] = table->lines[row];
    times[kept++] = time;
  }
  table->rows = kept;
  return kept;
}

static void tell_held(jn_loading *l, const jn_table *table, const rhythm *h, double rate, int rows, int kept) {
  jn__log(&l->log, JN_NOTE, JN_OK, "column-held", (jn_place){table->file, 0, 0}, NULL, NULL,
          "each value is held for %.3g rows: a controller of about %.4g Hz, logged at %.4g Hz; the spline goes through "
          "the %d of %d rows at which the controller wrote",
          h->period, rate / h->period, rate, kept, rows);
}

static void tell_staircase(jn_loading *l, const jn_table *table, const rhythm *h, double rate) {
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "column-held", (jn_place){table->file, 0, 0}, NULL,
          "leave out the rows that repeat the row before, or let the smoothing choose: without --tolerance",
          "each value is held for %.3g rows: a controller of about %.4g Hz, logged at %.4g Hz; a spline through all of "
          "them follows the steps, which are no motion",
          h->period, rate / h->period, rate);
}

jn_status jn__leave_out_held(jn_loading *l, jn_table *table, double *times, const jn_series *series, int count,
                             int least) {
  int rows = table->rows;
  rhythm h;
  unsigned char *changed = jn__allocate(&l->allocator, (size_t)rows + 1);
  if (!changed) return JN_ERR_MEMORY;

  int held = count > 0 && find_rhythm(series, count, rows, changed, &h);
  jn__release(&l->allocator, changed);
  if (!held || rows / h.period < least + 2) return JN_OK;

  double rate = (rows - 1) / (times[rows - 1] - times[0]);
  if (l->options.smoothing == JN_SMOOTH_NONE)
    tell_staircase(l, table, &h, rate);
  else
    tell_held(l, table, &h, rate, rows, keep_ticks(table, times, &h));
  return JN_OK;
}
