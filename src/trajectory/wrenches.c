/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a table of sampled wrenches into curves. Between rows they are constant, linear, monotone cubics (Fritsch and
 * Carlson 1980, slopes by Fritsch and Butland 1984), or the smoothing splines of motions. All of them are represented
 * as B-splines: constant ones of degree 0, linear ones of degree 1, cubics of degree 3 with every row as a double knot,
 * so that only their slope is continuous. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../text/words.h"
#include "columns.h"
#include "trajectory.h"

/* ---- Names ---- */

int jn__wrench_place(const jn_model *m, const char *name) {
  static const char *const endings[] = {"_mx", "_my", "_mz", "_fx", "_fy", "_fz"};
  char link[JN_NAME];
  size_t n = strlen(name);
  for (int i = 0; i < 6 && n > 3; i++) {
    if (strcmp(name + n - 3, endings[i]) != 0 || n - 3 >= sizeof link) continue;
    snprintf(link, sizeof link, "%.*s", (int)(n - 3), name);
    int index = jn_link_index(m, link);
    return index >= 0 ? 6 * index + i : -1;
  }
  return -1;
}

/* Reports what a column of wrenches was likely meant to be: its link by all of its name, if that is one, else by the
 * part before the last '_', else by what is near all of it. */
static void report_unknown_wrench(jn_loading *l, const jn_table *t, int c) {
  char subject[96], remedy[JN_NAME], link[JN_NAME], hint[112] = "";
  const char *name = t->names[c], *bar = strrchr(name, '_');
  snprintf(link, sizeof link, "%.*s", (int)(bar ? (size_t)(bar - name) : strlen(name)), name);
  const char *near = jn_link_index(l->model, name) >= 0 ? name : jn__nearest_link(l->model, link);
  if (!near) near = jn__nearest_link(l->model, name);
  int whole = bar && strlen(bar) == 3; /* its ending says which of the six: moments are m, but may be t, in capitals */
  char what = whole ? (char)tolower((unsigned char)bar[1]) : 0, axis = whole ? (char)tolower((unsigned char)bar[2]) : 0;
  int known = whole && strchr("mtf", what) && strchr("xyz", axis);
  if (near && known)
    snprintf(hint, sizeof hint, "; did you mean '%.*s_%c%c'?", JN_CLIP(near), what == 't' ? 'm' : what, axis);
  else if (near)
    snprintf(hint, sizeof hint, "; the nearest link is '%.*s'", JN_CLIP(near));
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(name));
  snprintf(remedy, sizeof remedy, "columns are LINK_mx _my _mz _fx _fy _fz%s", hint);
  jn__log(&l->log, JN_ERROR, JN_ERR_NAME, "unknown-link", jn__table_place(t, -1, c), subject, remedy,
          "is not the name of a component of a wrench");
}

/* ---- Curves between rows ---- */

/* Slope at the end of three points with steps h, g and slopes d, e of the lines between them: that of the parabola, if
 * it has the same sign as the first line and is not too steep. */
static double end_slope(double h, double g, double d, double e) {
  double slope = ((2 * h + g) * d - h * e) / (h + g);
  if (slope * d <= 0) return 0;
  return d * e <= 0 && fabs(slope) > 3 * fabs(d) ? 3 * d : slope;
}

/* Slope at row i: the weighted harmonic mean of those of the lines beside it, 0 at an extreme. */
static double monotone_slope(int rows, const double *t, const double *x, int i) {
  if (rows == 2) return (x[1] - x[0]) / (t[1] - t[0]);
  int at = i == 0 ? 1 : i == rows - 1 ? rows - 2 : i;
  double h = t[at] - t[at - 1], g = t[at + 1] - t[at], d = (x[at] - x[at - 1]) / h, e = (x[at + 1] - x[at]) / g;
  if (i == 0) return end_slope(h, g, d, e);
  if (i == rows - 1) return end_slope(g, h, e, d);
  if (d * e <= 0) return 0;
  double u = 2 * g + h, v = g + 2 * h;
  return (u + v) / (u / d + v / e);
}

/* Coefficients: the rows themselves, or beside each row where its tangent is a third of the step away. */
static void set_numbers(const jn_curve *c, int rows, const double *t, const double *x, double *numbers) {
  for (int i = 0; i < rows; i++) {
    if (c->degree < 3) {
      numbers[i] = x[i];
      continue;
    }
    double slope = monotone_slope(rows, t, x, i);
    numbers[2 * i] = i ? x[i] - slope * (t[i] - t[i - 1]) / 3 : x[i];
    numbers[2 * i + 1] = i < rows - 1 ? x[i] + slope * (t[i + 1] - t[i]) / 3 : x[i];
  }
}

static void set_knots(const jn_curve *c, int rows, const double *t, double *knots) {
  int k = 0, times = c->degree == 3 ? 2 : 1;
  for (int i = 0; i < c->degree + 1 - times; i++) knots[k++] = t[0];
  for (int i = 0; i < rows; i++)
    for (int n = 0; n < times; n++) knots[k++] = t[i];
  while (k < c->count + c->degree + 1) knots[k++] = c->degree ? t[rows - 1] : INFINITY; /* the last row is held */
}

/* One knot vector for all columns. */
static jn_status interpolate(jn_blocks *blocks, jn_interpolation kind, int rows, const double *t,
                             const jn_series *series, int count) {
  jn_curve c = {.kind = JN_CURVE_SPLINE, .rest = JN_REST_BEFORE | JN_REST_BEHIND};
  c.degree = kind == JN_INTERPOLATE_HOLD || rows == 1 ? 0 : kind == JN_INTERPOLATE_LINEAR ? 1 : 3;
  c.count = c.degree == 3 ? 2 * rows : rows;
  double *knots = jn__keep(blocks, (size_t)(c.count + c.degree + 1) * sizeof *knots);
  if (!knots) return JN_ERR_MEMORY;
  set_knots(&c, rows, t, knots);
  c.knots = knots;
  for (int i = 0; i < count; i++) {
    double *numbers = jn__keep(blocks, (size_t)c.count * sizeof *numbers);
    if (!numbers) return JN_ERR_MEMORY;
    set_numbers(&c, rows, t, series[i].data[0], numbers);
    *series[i].curve = c;
    series[i].curve->numbers = numbers;
  }
  return JN_OK;
}

/* Smoothing splines; too few rows for that make a polynomial. */
static jn_status fit(jn_loading *l, jn_table *t, const double *x, jn_series *series, int count, jn_trajectory *out) {
  int degree = jn__spline_degree(l->options.order);
  if (t->rows <= degree) {
    degree = t->rows - 1;
    l->options.smoothing = JN_SMOOTH_NONE;
  }
  jn_fit *fits = jn__keep(&out->wrench_blocks, (size_t)count * sizeof *fits);
  if (!fits) return JN_ERR_MEMORY;
  for (int i = 0; i < count; i++) series[i].fit = &fits[i];
  out->wrench_order = degree - 1;
  jn_status status = jn__fit_series(l, &out->wrench_blocks, t->rows, x, degree, series, count);
  if (status == JN_OK) jn__check_residue(l, t, series, count);
  return status;
}

/* ---- Together ---- */

/* The file must cover the trajectory; one row means constant wrenches. */
static int check_range(jn_loading *l, const jn_table *t, int time, const jn_trajectory *out) {
  const double *x = jn__table_column(t, time);
  double slack = 1e-9 * (out->end - out->start);
  if (t->rows == 1 || (x[0] <= out->start + slack && x[t->rows - 1] >= out->end - slack)) return 1;
  jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "wrench-range", jn__table_place(t, 0, time), NULL,
          "wrenches must be given for the whole time; a file with one row means constant wrenches",
          "goes from %.15g to %.15g s, the trajectory from %.15g to %.15g s", x[0], x[t->rows - 1], out->start,
          out->end);
  return 0;
}

/* A coordinate, its derivatives or its force: the file of a motion may have wrenches, too. */
static int is_of_motion(const jn_loading *l, const char *name) {
  int order;
  return jn__column_coordinate(l, name, &order) >= 0 || jn__column_is_result(l, name);
}

/* Which column is which component of which link. Returns their number. */
static int make_series(jn_loading *l, jn_table *t, int time, jn_curve *curves, jn_series *series) {
  int count = 0;
  for (int c = 0; c < t->columns; c++) {
    int is_time = c == time || c == l->nanoseconds, place = is_time ? -1 : jn__wrench_place(l->model, t->names[c]);
    if (place < 0 && !is_time && !is_of_motion(l, t->names[c])) report_unknown_wrench(l, t, c);
    if (place < 0) continue;
    jn__scale_column(l, t, c, place % 6 < 3 ? JN_UNIT_TORQUE : JN_UNIT_FORCE, 0);
    jn_series *s = &series[count++];
    *s = (jn_series){.curve = &curves[place], .group = c, .column = c, .channels = 1};
    s->data[0] = t->values + (size_t)c * t->room;
  }
  return count;
}

jn_status jn__samples_to_wrenches(jn_loading *l, jn_table *t, jn_trajectory *out) {
  int time = jn__check_times(l, t, 1);
  if (time < 0 || !check_range(l, t, time, out)) return l->log.first.status;
  const double *x = jn__table_column(t, time);
  size_t n = 6 * (size_t)out->links;
  jn_curve *curves = jn__keep(&out->wrench_blocks, n * sizeof *curves);
  jn_series *series = jn__keep(&out->wrench_blocks, (size_t)t->columns * sizeof *series);
  if (!curves || !series) return JN_ERR_MEMORY;
  int count = make_series(l, t, time, curves, series);
  if (l->log.first.status != JN_OK) return l->log.first.status;
  if (count == 0) {
    jn__log(&l->log, JN_ERROR, JN_ERR_NAME, "no-wrenches", jn__table_place(t, -1, time), NULL,
            "columns are LINK_mx _my _mz _fx _fy _fz", "has no column of wrenches");
    return JN_ERR_NAME;
  }
  jn_interpolation kind = l->options.wrench_interpolation;
  jn_status status = JN_OK;
  out->wrench_rows = t->rows;
  out->wrench_axes = l->options.wrench_axes;
  out->wrench_order = t->rows == 1 ? JN_TRAJECTORY_MAX_ORDER : (int)kind - (int)JN_INTERPOLATE_LINEAR;
  if (kind == JN_INTERPOLATE_SPLINE && t->rows > 1)
    status = fit(l, t, x, series, count, out);
  else
    status = interpolate(&out->wrench_blocks, kind, t->rows, x, series, count);
  if (status == JN_OK) out->wrenches = curves;
  return status;
}
