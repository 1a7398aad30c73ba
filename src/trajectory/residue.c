/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the residuals of a fit, or those that a smoother fit would have had. */
#include <math.h>
#include <stdio.h>

#include "../text/words.h"
#include "trajectory.h"

/* "an oscillation of about 40 Hz, amplitude 0.0005" */
static void describe(const jn_residue *r, double rate, int row, char *text, size_t size) {
  switch (r->kind) {
    case JN_RESIDUE_LINE:
      snprintf(text, size, "an oscillation of about %.3g Hz, amplitude %.2g", rate / r->period, r->amplitude);
      break;
    case JN_RESIDUE_JUMP:
      snprintf(text, size, "a jump near row %d", row);
      break;
    case JN_RESIDUE_BAND:
      snprintf(text, size, "motion within a band of frequencies");
      break;
    case JN_RESIDUE_SHORT:
      snprintf(text, size, "too few samples to tell noise from motion");
      break;
    default:
      snprintf(text, size, "neighbouring residuals are alike");
  }
}

/* [rad, m] No sensor resolves less: it is rounding of numbers that were computed. */
static const double finest = 1e-10;

/* Highest minus lowest sample. */
static double range_of(const jn_table *table, const jn_series *s) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < table->rows; i++) {
    low = fmin(low, s->data[0][i]);
    high = fmax(high, s->data[0][i]);
  }
  return high - low;
}

/* Is what a low-pass took away what it should: small, and no jump, which is also slow? */
static int is_lowpass_noise(const jn_table *table, const jn_series *s) {
  const double much = 0.01;    /* of the range of the samples: that is motion */
  const double visible = 1e-5; /* of the range: the least that counts as a jump */
  double range = range_of(table, s);
  if (s->fit->largest < finest) return 1;
  return (s->last.kind != JN_RESIDUE_JUMP || s->fit->largest <= visible * range) && s->fit->rms <= much * range;
}

/* One note for all columns from which a low-pass took noise. */
static void note_lowpass(jn_loading *l, const jn_table *table, const jn_series *series, int count) {
  const double rounding = 1e-9; /* of the range: nobody misses that */
  const jn_series *most = NULL;
  int columns = 0;
  for (int i = 0; i < count; i++) {
    if (!series[i].lowpassed || !is_lowpass_noise(table, &series[i])) continue;
    if (series[i].fit->rms <= fmax(rounding * range_of(table, &series[i]), finest)) continue;
    columns++;
    if (!most || series[i].fit->rms > most->fit->rms) most = &series[i];
  }
  if (!columns) return;

  jn__log(&l->log, JN_NOTE, JN_OK, "column-lowpass", jn__table_place(table, most->last.at, most->column), NULL, NULL,
          "the low-pass of %.3g Hz smooths %d column%s, most of '%.*s': up to %.2g, rms %.2g", l->options.lowpass,
          columns, columns == 1 ? "" : "s", JN_CLIP(table->names[most->column]), most->fit->largest, most->fit->rms);
}

/* A warning where a low-pass took more away than noise. */
static void check_lowpass(jn_loading *l, const jn_table *table, const jn_series *s, const jn_residue *r) {
  char subject[96], kind[128];
  if (is_lowpass_noise(table, s)) return;

  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(table->names[s->column]));
  describe(r, s->rate, r->at + 1, kind, sizeof kind);
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "lowpass", jn__table_place(table, r->at, s->column), subject,
          r->kind == JN_RESIDUE_JUMP
              ? "look at the sensor there: an encoder that jumps, or an angle that wraps (--unwrap)"
              : "if the robot moves so fast, a higher --lowpass keeps it",
          "the low-pass of %.3g Hz takes away up to %.3g (row %d), rms %.3g, which is more than noise: %s",
          l->options.lowpass, s->fit->largest, r->at + 1, s->fit->rms, kind);
}

static void check_one(jn_loading *l, const jn_table *table, const jn_series *s) {
  const jn_residue *r = &s->first;
  char subject[96], kind[128], remedy[160], now[64];
  if (s->lowpassed) {
    check_lowpass(l, table, s, &s->last);
    return;
  }
  if (r->kind == JN_RESIDUE_NOISE || (s->fit->interpolating && s->smoother == 0)) return;
  if (r->largest < finest) return;
  if (s->smoother && !s->fit->interpolating && r->rms < 1.5 * s->fit->rms) return; /* much the same curve */
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(table->names[s->column]));
  describe(r, s->rate, r->at + 1, kind, sizeof kind);
  snprintf(now, sizeof now, s->fit->interpolating ? "goes through all samples" : "has %d B-splines instead",
           s->fit->parameters);
  jn_place place = jn__table_place(table, r->at, s->column);
  if (s->smoother == 0) {
    jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "fit", place, subject, "a smaller --tolerance keeps it (0: all)",
            "the spline is off by up to %.3g (row %d), rms %.3g, and that is more than noise: %s", r->largest,
            r->at + 1, r->rms, kind);
    return;
  }
  snprintf(remedy, sizeof remedy, "if that is noise, smooth it away with --tolerance %.2g", 1.05 * r->rms);
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "fit", place, subject, remedy,
          "a smooth spline (%d B-splines) is off by up to %.3g (row %d), rms %.3g, which is more than noise: %s; the "
          "spline %s",
          s->smoother, r->largest, r->at + 1, r->rms, kind, now);
}

static void check_alone(jn_loading *l, const jn_table *table, const jn_series *s) {
  char subject[96];
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(table->names[s->column]));
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "derivatives", jn__table_place(table, -1, s->column), subject,
          "if it is noisy, say by how much: --tolerance X",
          "has no noise, so the columns of its derivatives, which are noisy, are not used");
}

/* Its mean frequency, rms speed / rms distance from the middle / 2 pi; noise hardly counts there. */
static double mean_frequency(const jn_curve *c, int samples, const double *t) {
  double mean = 0, distance = 0, speed = 0, jet[2];
  for (int i = 0; i < samples; i++) {
    jn__curve_jet(c, t[i], 2, jet);
    double away = jet[0] - mean; /* Welford */
    mean += away / (i + 1);
    distance += away * (jet[0] - mean);
    speed += jet[1] * jet[1];
  }
  return distance > 0 ? sqrt(speed / distance) / (2 * 3.14159265358979323846) : 0;
}

/* The bandwidth says which residuals are noise. It does not filter, so one that the motion exceeds does nothing. */
void jn__check_bandwidth(jn_loading *l, const jn_table *table, const jn_series *s, const double *t) {
  double bandwidth = l->options.bandwidth, own = bandwidth > 0 ? mean_frequency(s->curve, table->rows, t) : 0;
  if (!(own > bandwidth)) return;
  char subject[96];
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(table->names[s->column]));
  jn__log(
      &l->log, JN_WARNING, JN_ERR_MODEL, "bandwidth", jn__table_place(table, -1, s->column), subject,
      "give the highest frequency of the motion; to smooth more, use --tolerance X",
      "moves at %.3g Hz on average, faster than the bandwidth of %.3g Hz, which is not a filter: all of this motion "
      "is kept",
      own, bandwidth);
}

void jn__check_residue(jn_loading *l, const jn_table *table, const jn_series *series, int count) {
  for (int i = 0; i < count; i++) {
    if (series[i].alone) check_alone(l, table, &series[i]);
    check_one(l, table, &series[i]);
  }
  note_lowpass(l, table, series, count);
}
