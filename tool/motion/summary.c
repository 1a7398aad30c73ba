/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque: the tables of what a motion needs at most, and of how well splines keep to the samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"
#include "samples.h"

enum { MOTION_ROWS = 3 }; /* position, velocity, acceleration */

void summary_init(summary *s, const motion *m) {
  s->rows = MOTION_ROWS + m->order + 1;
  size_t count = (size_t)s->rows * (size_t)m->nv;
  s->extremes = allocate(count * sizeof *s->extremes);
  for (size_t i = 0; i < count; i++) s->extremes[i] = (extreme){INFINITY, -INFINITY, 0, 0};
}

void summary_free(summary *s) { free(s->extremes); }

static void widen(extreme *e, double value, double time) {
  if (value < e->low) e->low = value, e->low_time = time;
  if (value > e->high) e->high = value, e->high_time = time;
}

void summary_sample(summary *s, const motion *m) {
  size_t nv = (size_t)m->nv;
  for (int v = 0; v < m->nv; v++) {
    extreme *e = s->extremes + v;
    for (quantity k = POSITION; k <= ACCELERATION; k++) widen(e + (size_t)k * nv, quantity_of(m, v, k), m->t);
    for (int k = 0; k <= m->order; k++)
      widen(e + (size_t)(MOTION_ROWS + k) * nv, m->tau[(size_t)k * nv + (size_t)v], m->t);
  }
}

/* The value of largest size. */
static double largest(const extreme *e) { return fmax(fabs(e->low), fabs(e->high)); }

static void range_cell(table *t, const extreme *e) {
  char low[NUMBER_TEXT], high[NUMBER_TEXT];
  if (!(e->low <= e->high)) {
    table_cell(t, "");
    return;
  }
  short_number(e->low, low);
  short_number(e->high, high);
  table_cellf(t, terminal_is_utf8() ? "%s … %s" : "%s ... %s", low, high);
}

void summary_print(const summary *s, const motion *m, int order) {
  enum { MOST = 6 + JN_TRAJECTORY_MAX_ORDER };
  table_column columns[MOST] = {{"joint", ALIGN_LEFT}, {"unit", ALIGN_LEFT}, {"position", ALIGN_LEFT},
                                {"|v|", ALIGN_POINT},  {"|a|", ALIGN_POINT}, {"|tau|", ALIGN_POINT}};
  char titles[JN_TRAJECTORY_MAX_ORDER + 1][24], name[JN_COORDINATE_NAME], unit[UNIT_TEXT];
  int count = order < 0 ? 5 : 6; /* -1: a motion without torques */
  for (int k = 1; k <= order; k++) {
    snprintf(titles[k], sizeof titles[k], k == 1 ? "|d tau/dt|" : "|d%d tau/dt%d|", k, k);
    columns[count++] = (table_column){titles[k], ALIGN_POINT};
  }
  table t;
  table_init(&t, columns, count);
  size_t nv = (size_t)m->nv;
  for (int v = 0; v < m->nv; v++) {
    const extreme *e = s->extremes + v;
    jn_velocity_name(m->model, v, name, sizeof name);
    torque_unit(m->model, v, 0, unit);
    table_cell(&t, name);
    table_cellf(&t, order < 0 ? "%s" : "%s, %s", is_angular(m->model, v) ? "rad" : "m", unit);
    range_cell(&t, e);
    for (int row = 1; row < MOTION_ROWS + order + 1; row++) table_number(&t, largest(e + (size_t)row * nv));
  }
  puts("\nLargest values at the samples (derivatives per s, s^2, ...)");
  table_print(&t, stdout);
}

void print_wrenches(const torque_arg *arg, const motion *m, int order) {
  static const char *const ways[] = {"held from row to row", "straight from row to row",
                                     "by monotone cubics from row to row", "by smoothing splines"};
  int rows = jn_trajectory_wrench_rows(m->trajectory), smooth = jn_trajectory_wrench_order(m->trajectory);
  const char *axes = arg->wrench_axes ? ", in the axes of the world" : "";
  if (rows == 0) return;
  if (rows == 1) {
    say(stdout, "\nWrenches of %s%s: one row, held all the time\n", arg->wrench, axes);
    return;
  }
  say(stdout, "\nWrenches of %s%s: %s (%d rows)", arg->wrench, axes, ways[arg->wrench_interpolation], rows);
  if (smooth < 0)
    printf("; torques jump at the rows, and their derivatives leave the jumps out");
  else if (smooth < order)
    printf("; derivatives of the torques jump at the rows from order %d on", smooth + 1);
  putchar('\n');
}

void print_fit(const motion *m) {
  static const table_column columns[] = {{"coordinate", ALIGN_LEFT},
                                         {"rms", ALIGN_LEFT},
                                         {"largest", ALIGN_LEFT},
                                         {"at [s]", ALIGN_POINT},
                                         {"B-splines", ALIGN_RIGHT}};
  char name[JN_COORDINATE_NAME], time[TIME_TEXT];
  int samples = jn_trajectory_samples(m->trajectory);
  if (samples == 0) return;
  table t;
  table_init(&t, columns, 5);
  for (int i = 0; i < jn_model_nq(m->fitted); i++) {
    jn_fit fit;
    if (jn_trajectory_fit_of(m->trajectory, i, &fit) != JN_OK || !fit.sampled) continue;
    jn_coordinate_name(m->fitted, i, name, sizeof name);
    table_cell(&t, m->fitted == m->model ? name : tool_path_column(i)); /* of a tool, by the columns of its poses */
    table_cellf(&t, "%.2e", fit.rms);
    table_cellf(&t, "%.2e", fit.largest);
    time_text(fit.time, 4, time);
    table_cell(&t, time);
    table_cellf(&t, fit.interpolating ? "%d (all)" : "%d", fit.parameters);
  }
  printf("\nSplines of degree %d through %d samples: residuals [rad, m]\n", jn_trajectory_degree(m->trajectory),
         samples);
  table_print(&t, stdout);
}
