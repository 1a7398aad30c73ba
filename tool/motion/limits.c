/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --limits: how much of each limit a motion uses, and when most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "limits.h"

const char *quantity_name(quantity which) {
  static const char *const names[] = {"position", "velocity", "acceleration", "jerk", "effort", "effort rate"};
  return names[which];
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

/* ---- Following the motion ---- */

void limit_check_init(limit_check *c, int nv) {
  size_t count = (size_t)nv * QUANTITIES;
  *c = (limit_check){0};
  c->limits = allocate(count * sizeof *c->limits);
  c->worst = allocate(count * sizeof *c->worst);
  c->doubts = allocate(count * sizeof *c->doubts);
  memset(c->doubts, 0, count * sizeof *c->doubts);
  c->sample = allocate(count * sizeof *c->sample);
  watch_init(&c->watch, (int)count, c->limits, c->worst);
}

void limit_check_free(limit_check *c) {
  watch_free(&c->watch);
  free(c->limits);
  free(c->worst);
  free(c->doubts);
  free(c->sample);
}

/* All quantities of the state of the motion, and their slopes. */
static void take_quantities(const motion *m, double *values, double *slopes) {
  for (int v = 0; v < m->nv; v++)
    for (quantity k = 0; k < QUANTITIES; k++) {
      size_t at = (size_t)v * QUANTITIES + k;
      values[at] = quantity_of(m, v, k);
      if (slopes) slopes[at] = slope_of(m, v, k);
    }
}

double motion_step(const motion *m, double longest) {
  static const double turn = 6.283185307179586 / 16;
  double rate = 0, soon = fmin(longest, 1);

  /* Forces follow sines of sums of angles, whose rates are sums of velocities now and soon. */
  for (int v = 0; v < m->nv; v++)
    if (is_angular(m->model, v)) rate += fabs(m->v_jet[v]) + soon * fabs(m->v_jet[m->nv + v]);
  return rate > 0 ? turn / rate : INFINITY;
}

double motion_next(const motion *m, double t, bool *breaks) {
  double next = jn_trajectory_next_step(m->trajectory, t);

  /* Rows of wrenches; those of a retimed motion have other times. */
  double wrench = m->next_wrench ? m->next_wrench(m->wrench_context, t) : jn_trajectory_next_wrench(m->trajectory, t);
  next = fmin(next, wrench);

  /* Splines through samples are smooth enough; closed forms through waypoints may jump at them. */
  bool may_jump = jn_trajectory_samples(m->trajectory) == 0 && next == jn_trajectory_next_knot(m->trajectory, t);
  *breaks = isfinite(next) && (next == wrench || may_jump);
  return next;
}

static double next_look(void *context, double t, bool *breaks) { return motion_next(context, t, breaks); }

static jn_status look_at_motion(void *context, double t, look *to) {
  motion *m = context;
  jn_status status = motion_at(m, t);
  if (status != JN_OK) return status;

  take_quantities(m, to->values, to->slopes);
  to->step = motion_step(m, jn_trajectory_next_step(m->trajectory, t) - t);
  return JN_OK;
}

double motion_shown(const motion *m) {
  double shown = 0;
  for (int i = 0; i < jn_model_nq(m->fitted); i++) {
    jn_fit fit;
    if (jn_trajectory_fit_of(m->trajectory, i, &fit) != JN_OK || !fit.sampled) continue;
    if (shown == 0 || fit.fastest < shown) shown = fit.fastest;
  }
  return shown;
}

double motion_hides(const motion *m, const torque_arg *arg) {
  double shown = motion_shown(m), given = arg->bandwidth.count ? arg->bandwidth.values[0] : 0;
  return shown > 0 && given > shown * (1 + 1e-9) ? given : 0;
}

void limit_check_begin(limit_check *c, motion *m, const torque_arg *arg, double start, double end) {
  c->watch.begin = start;
  c->watch.end = end;
  c->watch.evaluate = look_at_motion;
  c->watch.next = next_look;
  c->watch.progress = progress_show;
  c->watch.context = m;
  watch_expect(&c->watch, jn_trajectory_frequency(m->trajectory));
  if (!arg) return;
  c->shown = motion_shown(m);
  c->bandwidth = motion_hides(m, arg);
}

jn_status limit_check_until(limit_check *c, double t) { return watch_until(&c->watch, t); }

void limit_check_sample(limit_check *c, const motion *m) {
  take_quantities(m, c->sample, NULL);
  watch_sample(&c->watch, m->t, c->sample);
}

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

/* Does the quantity whose derivative this is jump? Then no bound of the derivative can be given. */
static const jump *jump_below(const limit_check *c, int at) {
  int which = at % QUANTITIES;
  if (which == POSITION || which == EFFORT) return NULL;
  return watch_jump(&c->watch, at - 1);
}

/* Can neither be said that the limit holds, nor that it is broken? */
static bool is_open(const limit_check *c, int at) {
  if (!limit_is_finite(&c->limits[at]) || c->worst[at].use < 0 || is_surely_broken(c, at)) return false;
  return c->doubts[at].overturns || c->bandwidth > 0 || isfinite(c->watch.gave_up) || jump_below(c, at);
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
      use_cell(&t, &c->limits[at], &c->worst[at], is_open(c, (int)at), is_surely_broken(c, (int)at));
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

static void print_jump(const motion *m, int v, quantity k, const jump *j) {
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], size[NUMBER_TEXT], time[TIME_TEXT];
  jn_velocity_name(m->model, v, name, sizeof name);
  unit_of(m, v, k - 1, unit);
  short_number(j->size, size);
  time_text(j->time, 4, time);
  say(stdout, "  %s %s: the %s jumps by %s %s at %s s, so nothing bounds its derivative there\n", name,
      quantity_name(k), quantity_name(k - 1), size, unit, time);
}

/* The reasons that all limits share. */
static void print_common_reasons(const limit_check *c, const motion *m) {
  if (c->bandwidth > 0)
    say(stdout,
        "  The samples show nothing faster than %.4g Hz, half of their rate, but --bandwidth says that the motion has "
        "parts up to %.4g Hz.\n"
        "  Record faster, or give a --bandwidth of %.4g Hz or less if you know that the motion is not faster.\n",
        c->shown, c->bandwidth, c->shown);
  if (isinf(c->watch.gave_up)) return;
  char time[TIME_TEXT];
  time_text(c->watch.gave_up, 4, time);
  say(stdout,
      "  To look at all times would take too long: from %s s on, only the samples were looked at. The motion has parts "
      "up to %.4g Hz.\n"
      "  Look at less of it at a time with --range START,END.\n",
      time, jn_trajectory_frequency(m->trajectory));
}

/* What cannot be decided; how many limits that are. */
static int print_doubts(const limit_check *c, const motion *m, int known) {
  int unsure = 0, noisy = 0;
  for (int i = 0; i < m->nv * QUANTITIES; i++) unsure += is_open(c, i);
  if (unsure == 0) return 0;

  bool coloured = stream_has_colour(stdout);
  print_colour(stdout, coloured, COLOUR_RED);
  printf("Cannot tell whether %d of %d limits hold:", unsure, known);
  print_colour(stdout, coloured, COLOUR_NONE);
  putchar('\n');

  print_common_reasons(c, m);
  for (int at = 0; at < m->nv * QUANTITIES; at++) {
    const doubt *d = &c->doubts[at];
    int v = at / QUANTITIES;
    quantity k = (quantity)(at % QUANTITIES);
    if (!is_open(c, at)) continue;

    if (d->overturns && d->fit)
      print_open(m, v, k, &c->limits[at], d);
    else if (d->overturns)
      print_doubt(m, v, k, &c->limits[at], d);
    if (jump_below(c, at)) print_jump(m, v, k, jump_below(c, at));
    noisy += d->overturns;
  }
  if (noisy)
    puts(
        "  Record with less noise, or faster where a motion has few samples per period. Or say what you know: no "
        "motion\n"
        "  is faster than --bandwidth HZ; residuals within --tolerance X [rad, m] are noise; --tolerance 0: no noise.\n"
        "  Near the ends of a log, with samples on one side only, least is known: --range START,END leaves them out.");
  return unsure;
}

/* Has a joint with a limit of its effort rate Coulomb friction that counts? */
static bool has_friction(const limit_check *c, const motion *m) {
  for (int v = 0; v < m->nv && m->losses; v++) {
    int number, joint = jn_coordinate_joint(m->model, v, &number);
    const jn_dof *dof = &jn_joint_description(m->model, joint)->dof[number];
    if (limit_is_finite(&c->limits[v * QUANTITIES + EFFORT_RATE]) && dof->friction != 0) return true;
  }
  return false;
}

/* What the verdict takes for granted. */
static void print_assumptions(const limit_check *c, const motion *m, const torque_arg *arg) {
  if (!arg) return;
  if (c->shown > 0)
    say(stdout, "  Assumed: the motion has no parts faster than %.4g Hz, %s\n", c->shown,
        arg->bandwidth.count ? "as --bandwidth says" : "half of the sampling rate; samples show nothing beyond");
  if (c->shown > 0 && arg->tolerance && strcmp(arg->tolerance, "auto") != 0)
    say(stdout, "  Assumed: %s (--tolerance %s)\n",
        strtod(arg->tolerance, NULL) > 0 ? "residuals within the tolerance are noise" : "the samples have no noise",
        arg->tolerance);
  if (has_friction(c, m)) puts("  Left out of the effort rates: the jumps of friction where a joint turns back");
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

int limit_check_print(const limit_check *c, const motion *m, const torque_arg *arg) {
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
  print_assumptions(c, m, arg);
  return EXIT_FINE;
}
