/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --limits: how much of each limit a motion uses, and when most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "print.h"
#include "torque.h"

const char *quantity_name(quantity which) {
  static const char *const names[] = {"position", "velocity", "acceleration", "jerk", "effort", "effort rate"};
  return names[which];
}

bool limit_is_finite(const limit *l) { return isfinite(l->lower) || isfinite(l->upper); }

double limit_use(const limit *l, double value) {
  if (isnan(value)) return NAN;
  if (isfinite(l->lower) && isfinite(l->upper)) {
    double half = (l->upper - l->lower) / 2, middle = l->lower + half;
    if (half > 0) return fabs(value - middle) / half;
    return value == middle ? 0 : INFINITY;
  }
  /* One side only: a use is a share of nothing, but beyond the limit it is above 1. */
  double beyond = isfinite(l->upper) ? value - l->upper : l->lower - value;
  return beyond > 0 ? 1 + beyond : 0;
}

double quantity_of(const motion *m, int v, quantity which) {
  size_t nv = (size_t)m->nv, at = (size_t)v;
  int place;
  switch (which) {
    case POSITION:
      place = place_in_q(m->model, v);
      return place >= 0 ? m->q[place] : NAN;
    case VELOCITY:
      return m->v_jet[at];
    case ACCELERATION:
      return m->v_jet[nv + at];
    case JERK:
      return m->order >= 1 ? m->v_jet[2 * nv + at] : NAN;
    case EFFORT:
      return m->tau[at];
    case EFFORT_RATE:
      return m->order >= 1 ? m->tau[nv + at] : NAN;
    case QUANTITIES:
      break;
  }
  return NAN;
}

void limit_check_init(limit_check *c, int nv) {
  size_t count = (size_t)nv * QUANTITIES;
  c->limits = allocate(count * sizeof *c->limits);
  c->worst = allocate(count * sizeof *c->worst);
  c->doubts = allocate(count * sizeof *c->doubts);
  memset(c->doubts, 0, count * sizeof *c->doubts);
  c->values = allocate(4 * count * sizeof(double));
  c->slopes = c->values + count;
  c->before = c->values + 2 * count;
  c->steepness = c->values + 3 * count;
  for (size_t i = 0; i < count; i++) c->worst[i] = (worst_case){.use = -1};
}

void limit_check_free(limit_check *c) {
  free(c->limits);
  free(c->worst);
  free(c->doubts);
  free(c->values < c->before ? c->values : c->before);
}

/* Rounding in a value that should be at the limit is not a violation. */
static const double slack = 1e-9;

/* Time derivative of a quantity; NaN when there is none. */
static double slope_of(const motion *m, int v, quantity which) {
  size_t nv = (size_t)m->nv, at = (size_t)v;
  switch (which) {
    case POSITION:
      return place_in_q(m->model, v) >= 0 ? m->v_jet[at] : NAN;
    case VELOCITY:
    case ACCELERATION:
      return quantity_of(m, v, which + 1);
    case JERK:
      return m->order >= 2 ? m->v_jet[3 * nv + at] : NAN;
    case EFFORT:
      return quantity_of(m, v, EFFORT_RATE);
    case EFFORT_RATE:
      return m->order >= 2 ? m->tau[2 * nv + at] : NAN;
    case QUANTITIES:
      break;
  }
  return NAN;
}

static void swap(double **a, double **b) {
  double *keep = *a;
  *a = *b;
  *b = keep;
}

void limit_check_sample(limit_check *c, const motion *m) {
  swap(&c->values, &c->before);
  swap(&c->slopes, &c->steepness);
  c->time_before = c->time;
  c->time = m->t;
  for (int v = 0; v < m->nv; v++) {
    for (quantity k = 0; k < QUANTITIES; k++) {
      size_t at = (size_t)v * QUANTITIES + k;
      if (!limit_is_finite(&c->limits[at])) continue;
      double value = quantity_of(m, v, k), use = limit_use(&c->limits[at], value);
      worst_case *w = &c->worst[at];
      c->values[at] = value;
      c->slopes[at] = slope_of(m, v, k);
      w->samples += use > 1 + slack;
      if (use > w->use) *w = (worst_case){use, value, m->t, w->samples, false};
    }
  }
}

/* May a limit that holds at both samples be passed between them? The cubic with the same values and slopes f, f' is off
 * from the straight line, whose slope is s, by 4/27 h (|f0' - s| + |f1' - s|) at most; twice that is allowed for what
 * is no cubic. */
static bool may_pass_between(const limit_check *c, size_t at) {
  double h = c->time - c->time_before, a = c->before[at], b = c->values[at], slope = (b - a) / h;
  double off = 8.0 / 27 * h * (fabs(c->steepness[at] - slope) + fabs(c->slopes[at] - slope));
  const limit *l = &c->limits[at];
  return fmax(a, b) + off > l->upper || fmin(a, b) - off < l->lower;
}

jn_status limit_check_between(limit_check *c, motion *m) {
  enum { PARTS = 4 };
  bool look = false;
  size_t count = (size_t)m->nv * QUANTITIES;
  for (size_t at = 0; at < count && !look; at++)
    look = limit_is_finite(&c->limits[at]) && c->worst[at].samples == 0 && may_pass_between(c, at);
  for (int i = 1; i < PARTS && look; i++) {
    jn_status status = motion_at(m, c->time_before + (c->time - c->time_before) * i / PARTS);
    if (status != JN_OK) return status;
    for (size_t at = 0; at < count; at++) {
      worst_case *w = &c->worst[at];
      if (!limit_is_finite(&c->limits[at]) || w->samples > 0) continue;
      double value = quantity_of(m, (int)(at / QUANTITIES), at % QUANTITIES), use = limit_use(&c->limits[at], value);
      if (use > w->use) *w = (worst_case){use, value, m->t, 0, true};
    }
  }
  return JN_OK;
}

/* Beyond the limit, at samples or between them. */
static bool is_broken(const worst_case *w) { return w->samples > 0 || w->use > 1 + slack; }

/* ... and surely so? */
static bool is_surely_broken(const limit_check *c, int at) {
  return is_broken(&c->worst[at]) && !(c->doubts[at].overturns && c->doubts[at].fit);
}

/* ---- Telling ---- */

static void unit_of(const motion *m, int v, quantity which, char text[UNIT_TEXT]) {
  if (which >= EFFORT)
    torque_unit(m->model, v, (int)which - EFFORT, text);
  else
    motion_unit(m->model, v, (int)which, text);
}

/* "81% @ 1.24", "! 120% @ 1.24" when broken, "? 81% @ 1.24" if that cannot be decided, "-" without limit. */
static void use_cell(table *t, const limit *l, const worst_case *w, bool unsure, bool broken) {
  char use[NUMBER_TEXT], time[TIME_TEXT];
  if (!limit_is_finite(l) || w->use < 0) {
    table_cell(t, "-");
    return;
  }
  snprintf(use, sizeof use, w->use < 0.0995 ? "%.2g%%" : "%.0f%%", 100 * w->use);
  if (w->use > 1 && w->use < 1.01) snprintf(use, sizeof use, "%.2f%%", 100 * w->use);
  if (!isfinite(l->lower) || !isfinite(l->upper) || isinf(w->use))
    snprintf(use, sizeof use, "%s", is_broken(w) ? "beyond" : "within");
  time_text(w->time, 3, time);
  table_cellf(t, "%s%s @ %s", broken ? "! " : unsure ? "? " : "", use, time);
}

static void print_uses(const limit_check *c, const motion *m) {
  static const table_column columns[] = {
      {"joint", ALIGN_LEFT}, {"position", ALIGN_RIGHT}, {"velocity", ALIGN_RIGHT},   {"acceleration", ALIGN_RIGHT},
      {"jerk", ALIGN_RIGHT}, {"effort", ALIGN_RIGHT},   {"effort rate", ALIGN_RIGHT}};
  table t;
  char name[JN_COORDINATE_NAME];
  table_init(&t, columns, QUANTITIES + 1);
  for (int v = 0; v < m->nv; v++) {
    jn_velocity_name(m->model, v, name, sizeof name);
    table_cell(&t, name);
    for (quantity k = 0; k < QUANTITIES; k++) {
      size_t at = (size_t)v * QUANTITIES + k;
      use_cell(&t, &c->limits[at], &c->worst[at], c->doubts[at].overturns, is_surely_broken(c, (int)at));
    }
  }
  puts("\nLimits: largest share used, and when [s] (100%: at the limit; position: from the middle of the range)");
  table_print(&t, stdout);
}

static void print_violation(const motion *m, int v, quantity k, const limit *l, const worst_case *w) {
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], value[NUMBER_TEXT], bound[NUMBER_TEXT], over[NUMBER_TEXT],
      time[TIME_TEXT];
  double edge = w->value > l->upper ? l->upper : l->lower;
  jn_velocity_name(m->model, v, name, sizeof name);
  unit_of(m, v, k, unit);
  short_number(w->value, value);
  short_number(edge, bound);
  short_number(fabs(w->value - edge), over);
  time_text(w->time, 4, time);
  say(stdout, "  %s %s: %s %s at %s s, beyond the limit of %s by %s", name, quantity_name(k), value, unit, time, bound,
      over);
  if (w->samples)
    say(stdout, " (%d sample%s)\n", w->samples, w->samples == 1 ? "" : "s");
  else
    puts(" (between two samples)");
}

static void print_doubt(const motion *m, int v, quantity k, const limit *l, const doubt *d) {
  char name[JN_COORDINATE_NAME], cause[JN_COORDINATE_NAME], unit[UNIT_TEXT], length[UNIT_TEXT], value[NUMBER_TEXT],
      bound[NUMBER_TEXT], off[NUMBER_TEXT], time[TIME_TEXT];
  double edge = d->value + d->off > l->upper ? l->upper : l->lower;
  jn_velocity_name(m->model, v, name, sizeof name);
  jn_velocity_name(m->model, d->cause.v, cause, sizeof cause);
  unit_of(m, v, k, unit);
  motion_unit(m->model, d->cause.v, 0, length);
  short_number(d->value, value);
  short_number(edge, bound);
  short_number(d->off, off);
  time_text(d->time, 4, time);
  say(stdout,
      "  %s %s: %s %s at %s s, within the limit of %s, but it may be off by %s: %s may oscillate by %.2g %s at %.3g Hz"
      " without the samples telling it from noise\n",
      name, quantity_name(k), value, unit, time, bound, off, cause, d->cause.amplitude, length,
      d->cause.omega / 6.283185307179586);
}

/* A value that noise, or too few samples on one side, leave open. */
static void print_open(const motion *m, int v, quantity k, const limit *l, const doubt *d) {
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], value[NUMBER_TEXT], bound[NUMBER_TEXT], off[NUMBER_TEXT],
      time[TIME_TEXT];
  bool beyond = limit_use(l, d->value) > 1;
  double edge = d->value + (beyond ? 0 : d->off) > l->upper ? l->upper : l->lower;
  jn_velocity_name(m->model, v, name, sizeof name);
  unit_of(m, v, k, unit);
  short_number(d->value, value);
  short_number(edge, bound);
  short_number(d->off, off);
  time_text(d->time, 4, time);
  say(stdout, "  %s %s: %s %s at %s s, %s the limit of %s, but the samples fix it only to within %s there\n", name,
      quantity_name(k), value, unit, time, beyond ? "beyond" : "within", bound, off);
}

/* What the samples cannot decide; how many limits that are. */
static int print_doubts(const limit_check *c, const motion *m, int known) {
  int unsure = 0;
  for (int i = 0; i < m->nv * QUANTITIES; i++) unsure += c->doubts[i].overturns;
  if (unsure == 0) return 0;
  bool coloured = stream_has_colour(stdout);
  print_colour(stdout, coloured, COLOUR_RED);
  printf("Cannot tell whether %d of %d limits hold:", unsure, known);
  print_colour(stdout, coloured, COLOUR_NONE);
  putchar('\n');
  for (int v = 0; v < m->nv; v++)
    for (quantity k = 0; k < QUANTITIES; k++) {
      size_t at = (size_t)v * QUANTITIES + k;
      const doubt *d = &c->doubts[at];
      if (d->overturns && d->fit)
        print_open(m, v, k, &c->limits[at], d);
      else if (d->overturns)
        print_doubt(m, v, k, &c->limits[at], d);
    }
  puts(
      "  Record with less noise, or faster where a motion has few samples per period. Or say what you know: no "
      "motion\n"
      "  is faster than --bandwidth HZ; residuals within --tolerance X [rad, m] are noise; --tolerance 0: no noise.\n"
      "  Near the ends of a log, with samples on one side only, least is known: --range START,END leaves them out.");
  return unsure;
}

static void print_violations(const limit_check *c, const motion *m, int broken, int known) {
  bool coloured = stream_has_colour(stdout);
  print_colour(stdout, coloured, COLOUR_RED);
  printf("%d of %d limits are broken:", broken, known);
  print_colour(stdout, coloured, COLOUR_NONE);
  putchar('\n');
  for (int v = 0; v < m->nv; v++)
    for (quantity k = 0; k < QUANTITIES; k++) {
      size_t at = (size_t)v * QUANTITIES + k;
      if (is_surely_broken(c, (int)at)) print_violation(m, v, k, &c->limits[at], &c->worst[at]);
    }
}

int limit_check_print(const limit_check *c, const motion *m) {
  int broken = 0, known = 0;
  for (int i = 0; i < m->nv * QUANTITIES; i++) {
    known += limit_is_finite(&c->limits[i]);
    broken += is_surely_broken(c, i);
  }
  if (known == 0) {
    puts("\nLimits: the model has none; give them in a file: --limits FILE");
    return EXIT_FINE;
  }
  print_uses(c, m);
  if (broken) print_violations(c, m, broken, known);
  int unsure = print_doubts(c, m, known);
  if (broken) return EXIT_BAD;
  if (unsure) return EXIT_UNSURE;
  bool coloured = stream_has_colour(stdout);
  print_colour(stdout, coloured, COLOUR_GREEN);
  printf("All %d limits hold.", known);
  print_colour(stdout, coloured, COLOUR_NONE);
  putchar('\n');
  return EXIT_FINE;
}
