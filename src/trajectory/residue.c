/* SPDX-License-Identifier: BSD-2-Clause */
/* What a fit leaves behind should be noise. A jump leaves residuals far larger than the others; a motion that was
 * smoothed away leaves large ones that are alike from sample to sample; a vibration leaves an oscillation, whose
 * correlation with itself is strongly negative half a period later and strongly positive a period later. Noise that is
 * filtered or quantised has correlations that fade away, and is not told. */
#include <math.h>
#include <stdio.h>

#include "../io/common.h"
#include "trajectory.h"

enum {
  WINDOW = 1 << 15, /* samples looked at, about the largest residual */
  LAGS = 512
};

/* Noise of any kind is below these; encoders at rest that step now and then are, too. */
static const double far_off = 7;                /* largest / rms */
static const double visible = 0.02;             /* largest / range of the data */
static const double much = 0.03;                /* rms / range, if neighbours are alike */
static const double alike = 0.5;                /* correlation of neighbours */
static const double trough = -0.5, peak = 0.35; /* of the correlation of an oscillation */
static const double absolute = 1e-3;            /* [rad, m] what is smaller is not much */

/* Residuals of samples from ... from + count - 1. */
static void find_residuals(const jn_curve *c, const double *t, const double *x, int from, int count, double *out) {
  double value;
  for (int i = 0; i < count; i++) {
    jn__curve_jet(c, t[from + i], 1, &value);
    out[i] = x[from + i] - value;
  }
}

/* sum x_i x_(i + lag) / sum x_i^2 */
static double correlation(const double *x, int count, int lag) {
  double product = 0, squares = 0;
  for (int i = 0; i < count; i++) {
    squares += x[i] * x[i];
    if (i + lag < count) product += x[i] * x[i + lag];
  }
  return squares > 0 ? product / squares : 0;
}

/* Samples in a period of the oscillation, 0 when there is none. */
static int find_period(const double *x, int count) {
  int most = count / 8 < LAGS ? count / 8 : LAGS, at = 0;
  double least = trough;
  for (int lag = 1; lag <= most && (!at || lag < 2 * at); lag++) {
    double r = correlation(x, count, lag);
    if (r < least) least = r, at = lag;
    if (at && r > 0) break;
  }
  if (!at) return 0;
  int best = 0;
  double highest = peak;
  for (int lag = 3 * at / 2; lag <= 5 * at / 2; lag++) {
    double r = lag > at ? correlation(x, count, lag) : 0;
    if (r > highest) highest = r, best = lag;
  }
  return best;
}

static double range_of(const double *x, int count) {
  double low = x[0], high = x[0];
  for (int i = 1; i < count; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
  return high - low;
}

/* The sample at a time that is one of t. */
static int find_row(const double *t, int count, double time) {
  int low = 0, high = count - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (t[middle] < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void check_one(jn_loading *l, const jn_table *table, const double *t, const jn_series *s, double *room) {
  const jn_fit *fit = s->fit;
  int row = find_row(t, table->rows, fit->time), from = row - WINDOW / 2, count = table->rows;
  if (count > WINDOW) count = WINDOW;
  if (from > table->rows - count) from = table->rows - count;
  if (from < 0) from = 0;
  double range = range_of(s->data[0], table->rows);
  find_residuals(s->curve, t, s->data[0], from, count, room);
  int jump = fit->largest > absolute && fit->largest > visible * range && fit->largest > far_off * fit->rms;
  int smoothed = fit->rms > absolute && fit->rms > much * range && correlation(room, count, 1) > alike;
  /* exact data leave rounding, which may well oscillate */
  int period = fit->rms > 1e-5 * range && fit->rms > absolute / 100 ? find_period(room, count) : 0;
  if (!jump && !smoothed && !period) return;
  char subject[96], kind[128] = "";
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(table->names[s->column]));
  if (jump || smoothed)
    snprintf(kind, sizeof kind, "%s", jump ? ", far more than elsewhere: a jump?" : ", and neighbours alike: no noise");
  else
    snprintf(kind, sizeof kind, ", and they oscillate at about %.3g Hz: a vibration?",
             period > 0 ? 1 / (t[from + period] - t[from]) : 0);
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "fit", jn__table_place(table, row, s->column), subject,
          "if that is motion, keep it with --tolerance X (0: through all samples)",
          "the spline is off by up to %.3g (row %d), rms %.3g, of a range of %.3g%s", fit->largest, row + 1, fit->rms,
          range, kind);
}

void jn__check_residue(jn_loading *l, const jn_table *table, const double *t, const jn_series *series, int count) {
  if (l->options.smoothing != JN_SMOOTH_GCV) return;
  double *room = jn__allocate(&l->allocator, WINDOW * sizeof *room);
  for (int i = 0; i < count && room; i++)
    if (!series[i].fit->interpolating) check_one(l, table, t, &series[i], room);
  jn__release(&l->allocator, room);
}
