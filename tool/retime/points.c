/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce retime --waypoints: a smooth path near straight lines through points.
 *
 * Along a line through the points with the length s as parameter, the direction d jumps at each point. There it turns
 * within a distance h on both sides instead: q(s) = q_0 + d_0 s + sum (d_i - d_(i-1)) h_i R((s - s_i) / h_i), where R
 * is max(z, 0) for |z| > 1, and R'' = k(z), proportional to (1 - z^2)^4, between. So q has five continuous derivatives,
 * and leaves the lines by |d_i - d_(i-1)| h_i R(0) at most, at the point: h_i follows from the tolerance. The
 * parameter of the path is u(s) = s + sum a_i K((s - s_i) / w), K the integral of k, with widths w = h_i, 4 h_i, 16
 * h_i, ... to the length of the lines: so a turn, however small, and the ways to it and from it are shares of the path
 * that no one overlooks, and u is near the time of a motion that slows down for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/input.h"
#include "../files/output.h"
#include "../model/names.h"
#include "../text/number.h"
#include "../text/print.h"
#include "retime.h"

enum { PARTS = 8 };

typedef struct points {
  int count, nq;
  double *q;            /* [count x nq] */
  double *at, *radius;  /* [count] s; h, 0 at the ends */
  double *share, *most; /* [count] a; the largest w */
} points;

/* k, its integral, and the integral of that, of (1 - z^2)^4 over its own integral, which is 256 / 315. */
static double kernel_integral(double z) {
  if (z <= -1) return 0;
  if (z >= 1) return 1;
  double y = z * z;
  return 0.5 + 315.0 / 256 * z * (1 - y * (4.0 / 3 - y * (6.0 / 5 - y * (4.0 / 7 - y / 9))));
}

static double rounded(double z) {
  if (z <= -1) return 0;
  if (z >= 1) return z;
  double y = z * z;
  return 0.5 * z + 315.0 / 256 * y * (0.5 - y * (1.0 / 3 - y * (1.0 / 5 - y * (1.0 / 14 - y / 90)))) + 63.0 / 512;
}

static double along(const points *p, double s) {
  double u = s;
  for (int i = 1; i < p->count - 1; i++)
    for (double w = p->radius[i]; w <= p->most[i]; w *= 4) u += p->share[i] * kernel_integral((s - p->at[i]) / w);
  return u;
}

static void point_at(const points *p, double s, double *q) {
  int nq = p->nq;
  for (int j = 0; j < nq; j++) {
    double before = 0;
    q[j] = p->q[j];
    for (int i = 0; i + 1 < p->count; i++) {
      double d = (p->q[(i + 1) * nq + j] - p->q[i * nq + j]) / (p->at[i + 1] - p->at[i]);
      q[j] += i ? (d - before) * p->radius[i] * rounded((s - p->at[i]) / p->radius[i]) : d * s;
      before = d;
    }
  }
}

/* How wide the turns are. */
static void round_corners(points *p, double tolerance) {
  int nq = p->nq;
  for (int i = 1; i < p->count - 1; i++) {
    double before = p->at[i] - p->at[i - 1], after = p->at[i + 1] - p->at[i], turn = 0;
    for (int j = 0; j < nq; j++)
      turn = fmax(turn, fabs((p->q[(i + 1) * nq + j] - p->q[i * nq + j]) / after -
                             (p->q[i * nq + j] - p->q[(i - 1) * nq + j]) / before));
    p->radius[i] = fmin(0.5 * fmin(before, after), tolerance / fmax(turn * rounded(0), 1e-12));
    p->most[i] = fmin(before, after);
    p->share[i] = 0.1 * p->most[i];
  }
}

/* ---- Reading ---- */

static void write_cells(FILE *f, const jn_table *t, double row) {
  int low = (int)row;
  double part = row - low;
  write_exact(f, row);
  for (int c = 0; c < jn_table_columns(t); c++) {
    const double *x = jn_table_values(t, c);
    if (strcmp(jn_table_name(t, c), "t") == 0) continue;
    const double here = part > 0 ? x[low] + part * (x[low + 1] - x[low]) : x[low];
    write_exact_row(f, &here, 1);
  }
  fputc('\n', f);
}

/* The points as a trajectory that passes row i at t = i: names, units and joints are those of all trajectories. */
static char *as_trajectory(const jn_table *t, size_t *length) {
  FILE *f = open_temporary();
  if (!f) return NULL;
  fputs("t", f);
  for (int c = 0; c < jn_table_columns(t); c++) {
    const char *unit = jn_table_unit(t, c);
    if (strcmp(jn_table_name(t, c), "t") == 0) continue;
    fputs(",\"", f);
    for (const char *name = jn_table_name(t, c); *name; name++) fputs(*name == '"' ? "\"\"" : (char[]){*name, 0}, f);
    if (*unit) fprintf(f, " [%s]", unit);
    fputs("\"", f);
  }
  fputc('\n', f);
  for (int i = 0; i <= PARTS * (jn_table_rows(t) - 1); i++) write_cells(f, t, (double)i / PARTS);
  char *text = stream_text(f, length);
  fclose(f);
  return text;
}

static int complain(const retime_arg *arg, const char *text) {
  say(stderr, "jounce: %s: %s\n", arg->torque.trajectory, text);
  return EXIT_BAD;
}

/* Beyond that, a tolerance of --blend is lost in rounding. */
static bool check_cells(const retime_arg *arg, const jn_table *t) {
  const double most = 1e9;
  for (int c = 0; c < jn_table_columns(t); c++)
    for (int i = 0; i < jn_table_rows(t) && strcmp(jn_table_name(t, c), "t") != 0; i++) {
      double x = jn_table_values(t, c)[i];
      if (!(fabs(x) > most)) continue;
      say(stderr, "jounce: %s:%d:%d: column '%s': waypoint %d is at %.4g; no joint goes beyond %g\n",
          arg->torque.trajectory, jn_table_line(t, i), c + 1, jn_table_name(t, c), i + 1, x, most);
      return false;
    }
  return true;
}

static int take_rows(const retime_arg *arg, const jn_model *model, const jn_trajectory *t, int rows, points *p) {
  size_t nq = (size_t)jn_model_nq(model);
  *p = (points){.nq = (int)nq};
  p->q = allocate((nq + 4) * (size_t)rows * sizeof(double));
  p->at = p->q + nq * (size_t)rows;
  p->radius = p->at + rows;
  p->share = p->radius + rows;
  p->most = p->share + rows;
  for (int i = 0; i < rows; i++) {
    double *q = p->q + (size_t)p->count * nq, square = 0;
    jn_trajectory_evaluate(t, i, 0, q, NULL);
    for (size_t j = 0; j < nq && p->count; j++) square += (q[j] - q[j - nq]) * (q[j] - q[j - nq]);
    if (p->count && !(square > 1e-18)) {
      say(stderr, "jounce: note: %s: row %d is where row %d is, and is left out\n", arg->torque.trajectory, i + 1, i);
      continue;
    }
    p->at[p->count] = p->count ? p->at[p->count - 1] + sqrt(square) : 0;
    p->radius[p->count] = p->share[p->count] = p->most[p->count] = 0;
    p->count++;
  }
  return p->count > 1 ? OPTION_GO_ON : complain(arg, "needs two different waypoints at least");
}

static int read_points(const retime_arg *arg, const jn_model *model, points *p) {
  const torque_arg *a = &arg->torque;
  jn_table *cells = NULL;
  jn_error error = {0};
  size_t length;
  jn_trajectory *t = NULL;
  jn_trajectory_options options;
  char *text = read_input(a->trajectory, a->trajectory, a->model.options.max_bytes, &length);
  if (!text) return EXIT_BAD;
  if (length && text[strspn(text, " \t\r\n")] == '{') {
    free(text);
    return complain(arg,
                    "is JSON, but waypoints are CSV, a row for each point; closed forms with points, such as "
                    "minimum_snap, are read without --waypoints");
  }
  jn_status status = jn_table_read(text, length, a->trajectory, NULL, &cells, &error);
  free(text);
  text = NULL;
  if (status == JN_OK && !check_cells(arg, cells)) {
    jn_table_destroy(cells);
    return EXIT_BAD;
  }
  if (status == JN_OK && jn_table_rows(cells) > 1) {
    jn_trajectory_options_init(&options);
    options.order = 0;
    options.smoothing = JN_SMOOTH_NONE;
    options.missing_neutral = a->missing;
    options.columns = (const char *const *)a->columns.names;
    options.column_count = a->columns.count;
    text = as_trajectory(cells, &length);
    status = text ? jn_trajectory_load_text(model, text, length, a->trajectory, &options, &t, &error) : JN_ERR_MEMORY;
  }
  int rows = jn_table_rows(cells), result = EXIT_BAD;
  if (status != JN_OK)
    print_errors(NULL, &error, a->trajectory);
  else if (!t)
    complain(arg, "needs two waypoints at least");
  else
    result = take_rows(arg, model, t, rows, p);
  jn_trajectory_destroy(t);
  jn_table_destroy(cells);
  free(text);
  return result;
}

/* ---- The path ---- */

/* Samples from one point to the next, or only their number (s NULL). Their distance follows the size of the turns, from
 * a twelfth of a turn to a fortieth of the line, and grows between: so a spline through them follows the smallest turn.
 */
static int place_samples(const points *p, int line, double *s) {
  double length = p->at[line + 1] - p->at[line], widest = length / 40, x = 0;
  const double turn[2] = {p->radius[line], p->radius[line + 1]};
  int count = 0;

  while (x < length) {
    const double away[2] = {x, length - x};
    double step = widest;
    for (int i = 0; i < 2; i++)
      if (turn[i] > 0) step = fmin(step, turn[i] / 12 + 0.12 * fmax(0, away[i] - turn[i]));
    if (s) s[count] = x;
    count++;
    x += step;
  }

  /* the last step ends at the next point */
  for (int i = 0; i < count && s; i++) s[i] = p->at[line] + s[i] * length / x;
  return count;
}

/* All samples: their number, and (s not NULL) where they are. */
static int place_all(const points *p, double *s) {
  int count = 0;
  for (int line = 0; line + 1 < p->count; line++) count += place_samples(p, line, s ? s + count : NULL);
  if (s) s[count] = p->at[p->count - 1];
  return count + 1;
}

static jn_status fit_path(const points *p, const jn_model *model, int order, jn_trajectory **t) {
  int count = place_all(p, NULL);
  double *s = allocate((size_t)count * (size_t)(p->nq + 2) * sizeof(double)), *u = s + count, *q = u + count;
  jn_trajectory_options options;

  place_all(p, s);
  for (int i = 0; i < count; i++) {
    u[i] = along(p, s[i]);
    point_at(p, s[i], q + (size_t)i * (size_t)p->nq);
  }
  jn_trajectory_options_init(&options);
  options.order = order;
  options.smoothing = JN_SMOOTH_NONE;
  jn_status status = jn_trajectory_fit(model, count, u, q, &options, t, NULL);
  free(s);
  return status;
}

/* The straight lines at a length s between points i and i + 1. */
static double line_at(const points *p, int i, double s, int j) {
  double part = (s - p->at[i]) / (p->at[i + 1] - p->at[i]), from = p->q[i * p->nq + j];
  return from + part * (p->q[(i + 1) * p->nq + j] - from);
}

/* How far the path is from the lines, in any joint and anywhere. */
static double farthest(const points *p, const jn_trajectory *t) {
  enum { BETWEEN = 4 };
  int count = place_all(p, NULL);
  double most = 0, *q = allocate((size_t)(p->nq + count) * sizeof *q), *s = q + p->nq;
  place_all(p, s);

  for (int i = 0, line = 0; i + 1 < count; i++)
    for (int k = 0; k < BETWEEN; k++) {
      double place = s[i] + (s[i + 1] - s[i]) * k / BETWEEN;
      while (line + 2 < p->count && place > p->at[line + 1]) line++;
      jn_trajectory_evaluate(t, along(p, place), 0, q, NULL);
      for (int j = 0; j < p->nq; j++) most = fmax(most, fabs(q[j] - line_at(p, line, place, j)));
    }
  free(q);
  return most;
}

/* Rounds the corners and fits the path: as wide as the tolerance allows, with a little left for curves through rows. */
static jn_status make_path(points *p, double tolerance, const jn_model *model, int order, jn_trajectory **t,
                           double *off) {
  enum { ROUNDS = 8 };
  const double aim = 0.99;
  double asked = aim * tolerance;
  jn_status status = JN_OK;

  for (int i = 0; i < ROUNDS && status == JN_OK; i++) {
    jn_trajectory_destroy(*t);
    *t = NULL;
    round_corners(p, asked);
    status = fit_path(p, model, order, t);
    *off = status == JN_OK ? farthest(p, *t) : 0;
    if (*off <= (1 + 1e-6) * aim * tolerance) break;
    asked *= aim * tolerance / *off * 0.99;
  }
  return status;
}

int points_load(retime_arg *arg, const jn_model *model, int order, jn_trajectory **t) {
  double tolerance = arg->blend.count ? arg->blend.values[0] : 0.01, off = 0;
  points p = {0};
  if (arg->blend.count > 1 || !(tolerance > 0) || isinf(tolerance))
    return usage_error("retime", "--blend takes a positive number [rad, m]");
  if (jn_loop_count(model) > 0) return usage_error("retime", "--waypoints is for models without loops");
  if (jn_model_nq(model) != jn_model_nv(model))
    return usage_error("retime", "--waypoints is for models without spherical and free joints");
  int result = read_points(arg, model, &p);
  if (result == OPTION_GO_ON) {
    jn_status status = make_path(&p, tolerance, model, order, t, &off);
    if (status != JN_OK) result = complain(arg, jn_status_text(status));
  }
  if (result == OPTION_GO_ON) {
    say(stdout, "Straight lines through %d waypoints with round corners: %.3g rad or m off at most (--blend %g)\n",
        p.count, off, tolerance);
    arg->corners = p.count - 2;
  }
  free(p.q);
  return result;
}
