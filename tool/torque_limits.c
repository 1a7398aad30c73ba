/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --limits: how much of each limit a motion uses, and when most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  for (size_t i = 0; i < count; i++) c->worst[i] = (worst_case){.use = -1};
}

void limit_check_free(limit_check *c) {
  free(c->limits);
  free(c->worst);
}

/* Rounding in a value that should be at the limit is no violation. */
static const double slack = 1e-9;

void limit_check_sample(limit_check *c, const motion *m) {
  for (int v = 0; v < m->nv; v++) {
    for (quantity k = 0; k < QUANTITIES; k++) {
      size_t at = (size_t)v * QUANTITIES + k;
      if (!limit_is_finite(&c->limits[at])) continue;
      double value = quantity_of(m, v, k), use = limit_use(&c->limits[at], value);
      worst_case *w = &c->worst[at];
      w->samples += use > 1 + slack;
      if (use > w->use) *w = (worst_case){use, value, m->t, w->samples};
    }
  }
}

/* ---- Telling ---- */

static void unit_of(const motion *m, int v, quantity which, char text[UNIT_TEXT]) {
  if (which >= EFFORT)
    torque_unit(m->model, v, (int)which - EFFORT, text);
  else
    motion_unit(m->model, v, (int)which, text);
}

/* "81% @ 1.24", "-" without limit. */
static void use_cell(table *t, const limit *l, const worst_case *w) {
  char use[NUMBER_TEXT], time[TIME_TEXT];
  if (!limit_is_finite(l) || w->use < 0) {
    table_cell(t, "-");
    return;
  }
  snprintf(use, sizeof use, w->use < 0.0995 ? "%.2g%%" : "%.0f%%", 100 * w->use);
  if (w->use > 1 && w->use < 1.01) snprintf(use, sizeof use, "%.2f%%", 100 * w->use);
  if (!isfinite(l->lower) || !isfinite(l->upper)) snprintf(use, sizeof use, "%s", w->samples ? "beyond" : "within");
  time_text(w->time, 3, time);
  table_cellf(t, "%s%s @ %s", w->samples ? "! " : "", use, time);
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
      use_cell(&t, &c->limits[at], &c->worst[at]);
    }
  }
  puts("\nLimits: how much of each is used at most, and when [s] (100%: at the limit; position: from the middle)");
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
  printf("  %s %s: %s %s at %s s, beyond the limit of %s by %s (%d sample%s)\n", name, quantity_name(k), value, unit,
         time, bound, over, w->samples, w->samples == 1 ? "" : "s");
}

int limit_check_print(const limit_check *c, const motion *m) {
  int broken = 0, known = 0;
  for (int i = 0; i < m->nv * QUANTITIES; i++) {
    known += limit_is_finite(&c->limits[i]);
    broken += c->worst[i].samples > 0;
  }
  if (known == 0) {
    puts("\nLimits: the model has none; give them in a file: --limits FILE");
    return 0;
  }
  print_uses(c, m);
  bool coloured = stream_has_colour(stdout);
  if (broken == 0) {
    printf("%sAll %d limits hold.%s\n", colour_code(coloured, COLOUR_GREEN), known, colour_code(coloured, COLOUR_NONE));
    return 0;
  }
  printf("%s%d of %d limits are broken:%s\n", colour_code(coloured, COLOUR_RED), broken, known,
         colour_code(coloured, COLOUR_NONE));
  for (int v = 0; v < m->nv; v++)
    for (quantity k = 0; k < QUANTITIES; k++) {
      size_t at = (size_t)v * QUANTITIES + k;
      if (c->worst[at].samples) print_violation(m, v, k, &c->limits[at], &c->worst[at]);
    }
  return broken;
}
