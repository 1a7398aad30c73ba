/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of samples into the curves of a trajectory: which column is what, and whether it makes sense. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/words.h"
#include "columns.h"

static const double pi = 3.14159265358979323846;
enum { MAX_TOLD = 10 };

/* ---- Times ---- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Steps much larger than the usual one: there the curve is a guess. */
static void check_gaps(jn_loading *l, const jn_table *t, int column, const double *x, int is_fitted) {
  double *steps = t->rows > 1 ? jn__allocate(&l->allocator, (size_t)t->rows * sizeof *steps) : NULL;
  if (!steps) return;
  for (int r = 1; r < t->rows; r++) steps[r - 1] = x[r] - x[r - 1];
  qsort(steps, (size_t)(t->rows - 1), sizeof *steps, compare);
  double usual = steps[(t->rows - 1) / 2];
  jn__release(&l->allocator, steps);
  int gaps = 0, worst = 0;
  for (int r = 1; r < t->rows; r++) {
    if (x[r] - x[r - 1] <= 5 * usual) continue;
    gaps++;
    if (!worst || x[r] - x[r - 1] > x[worst] - x[worst - 1]) worst = r;
  }
  if (gaps)
    jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "gap", jn__table_place(t, worst, column), "column 't'",
            is_fitted ? "the spline bridges gaps smoothly; torques there are a guess"
                      : "values in a gap are interpolated between the rows beside it, and are a guess",
            "%d gap%s; the largest, before row %d, is %.4g s where %.4g s are usual", gaps, gaps == 1 ? "" : "s",
            worst + 1, x[worst] - x[worst - 1], usual);
}

/* Times in ms or us whose column does not say so: a robot's motion is not sampled less than twice a second for minutes,
 * nor a million times a second. */
static void check_time_unit(jn_loading *l, const jn_table *t, int column, const double *x) {
  enum { MANY = 100 };
  double whole = x[t->rows - 1] - x[0], step = t->rows > 1 ? whole / (t->rows - 1) : 0;
  int is_known = l->later || l->options.rate > 0 || *t->units[column] || (l->origin && l->origin->known);
  if (is_known || t->rows < 2) return;
  if (step >= 0.5 && t->rows >= MANY)
    jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "time-unit", jn__table_place(t, -1, column), "column 't'",
            "write the unit into the header: \"t [ms]\" or \"t [s]\"",
            "has no unit; in seconds, that is a row every %.3g s for %.3g s: are these milliseconds?", step, whole);
  if (step < 1e-6)
    jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "time-unit", jn__table_place(t, -1, column), "column 't'",
            "write the unit into the header, such as \"t [s]\" or \"t [min]\"",
            "has no unit; in seconds, that is %.3g rows a second for %.3g s: are these seconds?", 1 / step, whole);
}

int jn__check_times(jn_loading *l, jn_table *t, int least) {
  int column = l->time, told = 0;
  if (column < 0) {
    jn__log(
        &l->log, JN_ERROR, JN_ERR_NAME, "time", jn__table_place(t, -1, 0), NULL,
        "name one column t (in seconds), or say which it is: --columns t=COLUMN; files without times: --sample-rate of "
        "identify, "
        "--waypoints of retime",
        "has no column of times");
    return -1;
  }
  if (!jn__scale_column(l, t, column, JN_UNIT_TIME, 0)) return -1;
  const double *x = jn__table_column(t, column);
  if (t->rows == 0 && least == 1) {
    jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "samples", (jn_place){t->file, 0, 0}, NULL,
            "give one row at least; a single one stands for all times", "has a header but no rows");
    return -1;
  }
  if (t->rows < least) {
    jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "samples", (jn_place){t->file, 0, 0}, NULL,
            "give more samples; a lower --order, where the command has one, needs fewer",
            "has %d row%s; a spline of degree %d needs at least %d", t->rows, t->rows == 1 ? "" : "s", least - 1,
            least);
    return -1;
  }
  for (int r = 1; r < t->rows; r++) {
    if (x[r] > x[r - 1] || ++told > MAX_TOLD) continue;
    int same = x[r] == x[r - 1];
    jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, same ? "time-duplicate" : "time-order", jn__table_place(t, r, column),
            "column 't'", same ? "keep one of the two rows" : "sort the rows by time",
            same ? "row %d: t = %.15g s is the same as in the row before"
                 : "row %d: t = %.15g s, but %.15g s in the row before",
            r + 1, x[r], x[r - 1]);
  }
  if (told > MAX_TOLD)
    jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "too-many-errors", (jn_place){t->file, 0, 0}, NULL, NULL,
            "%d more rows are not later than the row before", told - MAX_TOLD);
  if (told) return -1;
  check_time_unit(l, t, column, x);
  check_gaps(l, t, column, x, least > 1);
  return column;
}

/* ---- Columns ---- */

/* What one configuration coordinate has. */
typedef struct coordinate {
  int columns[JN_MAX_CHANNELS]; /* by order of the derivative: number of the column plus 1, 0 for none */
} coordinate;

int jn__derivative_of(const char *name, size_t *length) {
  size_t n = strlen(name), digits = n;
  while (digits > 0 && isdigit((unsigned char)name[digits - 1])) digits--;
  *length = n;
  if (digits == n || digits < 3 || n - digits > 1 || name[digits - 1] != 'd' || name[digits - 2] != '_') return 0;
  *length = digits - 2;
  return name[digits] - '0';
}

static void tell_unknown(jn_loading *l, const jn_table *t, int c) {
  char remedy[JN_NAME], subject[96], own[JN_NAME];
  const char *near = jn__nearest_joint(l->model, t->names[c]);
  size_t length;
  jn__derivative_of(t->names[c], &length);
  snprintf(own, sizeof own, "%.*s", (int)length, t->names[c]);
  int joint = jn_joint_index(l->model, t->names[c]);
  if (joint < 0) joint = jn_joint_index(l->model, own);
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[c]));
  if (joint >= 0 && jn_joint_mimic(l->model, joint, NULL, NULL, NULL)) {
    jn__log(&l->log, JN_NOTE, JN_OK, "column-mimic", jn__table_place(t, -1, c), subject, NULL,
            "is ignored: this joint mimics another");
    return;
  }
  if (joint >= 0 && jn_joint_nq(l->model, joint) == 0) {
    jn__log(&l->log, JN_NOTE, JN_OK, "column-fixed", jn__table_place(t, -1, c), subject, NULL,
            "is ignored: this joint is fixed and has no coordinate");
    return;
  }
  if (near)
    snprintf(remedy, sizeof remedy, "did you mean '%.*s'?", JN_CLIP(near));
  else
    snprintf(remedy, sizeof remedy,
             "if it belongs to a joint, say so: --columns NAME=COLUMN; jounce info shows the names");
  jn__log(&l->log, JN_WARNING, JN_ERR_NAME, "unknown-joint", jn__table_place(t, -1, c), subject, remedy,
          "is ignored: no joint of '%s' has that name", jn_model_name(l->model));
}

int jn__column_is_result(const jn_loading *l, const char *name) {
  char own[JN_NAME];
  size_t length;
  if (strstr(name, ".tau")) return 1;
  jn__derivative_of(name, &length);
  if (length >= sizeof own) return 0;
  snprintf(own, sizeof own, "%.*s", (int)length, name);
  return jn__velocity_find(l, own) >= 0;
}

int jn__column_coordinate(const jn_loading *l, const char *column, int *order) {
  char name[JN_NAME];
  size_t length;
  int at = jn__coordinate_find(l, column);
  *order = 0;
  if (at >= 0) return at;
  *order = jn__derivative_of(column, &length);
  if (*order == 0 || *order >= JN_MAX_CHANNELS || length >= sizeof name) return -1;
  snprintf(name, sizeof name, "%.*s", (int)length, column);
  return jn__coordinate_find(l, name);
}

/* Two names of one coordinate, e.g. "base_x" and the name of that joint; in NPZ files also the same name twice. */
static void tell_twice(jn_loading *l, const jn_table *t, int c, int before) {
  char subject[96];
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[c]));
  jn__log(&l->log, JN_ERROR, JN_ERR_NAME, "column-twice", jn__table_place(t, -1, c), subject, "keep one of them",
          "is the same coordinate as column '%.*s'", JN_CLIP(t->names[before]));
}

/* An angle or a length, as the joint is; a motor may turn where its joint slides. */
static jn_unit_kind kind_of_column(const jn_loading *l, const jn_table *t, int column, int place) {
  jn_unit unit;
  int is_motor = l->options.motor_matrix && jn__unit_read(t->units[column], &unit);

  if (is_motor && (unit.kind == JN_UNIT_ANGLE || unit.kind == JN_UNIT_LENGTH)) return unit.kind;
  return jn__coordinate_kind(l->model, place);
}

static void sort_columns(jn_loading *l, jn_table *t, int time, coordinate *coordinates) {
  enum { MAX_UNKNOWN = 20 };
  int unknown = 0;
  for (int c = 0; c < t->columns; c++) {
    if (c == time || (t->use && t->use[c] != JN_COLUMN_UNKNOWN && t->use[c] != JN_COLUMN_VALUE)) continue;
    int order, at = jn__column_coordinate(l, t->names[c], &order);
    if (at < 0) {
      int wrench = l->options.wrenches_too && jn__wrench_place(l->model, t->names[c]) >= 0;
      int told = jn__open_bracket(t->names[c]) != NULL;
      told |= jn__is_mapped_force(l, t, c); /* the reading of the forces uses it */
      if (!wrench && !told && !jn__column_is_result(l, t->names[c]) && ++unknown <= MAX_UNKNOWN) tell_unknown(l, t, c);
      continue;
    }
    int *column = &coordinates[at].columns[order];
    if (*column) tell_twice(l, t, c, *column - 1);
    jn__scale_column(l, t, c, kind_of_column(l, t, c, at), order);
    *column = c + 1;
  }
  if (unknown > MAX_UNKNOWN)
    jn__log(&l->log, JN_WARNING, JN_ERR_NAME, "unknown-joint", jn__table_place(t, -1, 0), NULL, NULL,
            "%d more columns are ignored: no joint of '%s' has their names", unknown - MAX_UNKNOWN,
            jn_model_name(l->model));
}

/* ---- Values ---- */

/* Joint and number of place i in q by its velocity coordinate; NULL for quaternions and positions of free joints. */
static const jn_dof *dof_of(const jn_model *m, int i, jn_joint_type *type) {
  for (int v = 0; v < jn_model_nv(m); v++) {
    int number, joint = jn_coordinate_joint(m, v, &number);
    *type = jn_joint_type_of(m, joint);
    if (*type != JN_FREE && *type != JN_SPHERICAL && jn_joint_q(m, joint) + number == i) return jn_coordinate_dof(m, v);
  }
  return NULL;
}

static int is_angle(jn_joint_type type) {
  return type == JN_REVOLUTE || type == JN_CONTINUOUS || type == JN_GIMBAL || type == JN_UNIVERSAL;
}

/* Does a joint go on turning, rather than to and fro? */
static int turns_over(const jn_travel *t) { return fabs(t->last - t->first) >= 0.5 * (t->high - t->low); }

double jn__likely_angle(const jn_model *m, int i, const jn_travel *travel, double *limit) {
  jn_joint_type type;
  const jn_dof *dof = dof_of(m, i, &type);
  *limit = INFINITY;
  if (!dof || !is_angle(type) || type == JN_CONTINUOUS) return INFINITY;
  double most = fmax(fabs(dof->lower), fabs(dof->upper));
  int limited = isfinite(most) && most > 0, paced = dof->velocity > 0 && isfinite(dof->velocity);
  if (!limited || dof->upper - dof->lower >= 2 * pi) {
    /* A joint that can make full turns may have made any number of them, so its values are not taken for degrees,
     * unless it is too fast for that or, without a velocity limit, moves far back and forth. */
    if (paced ? travel->speed <= dof->velocity : turns_over(travel)) return INFINITY;
  }
  if (limited) *limit = most;
  return limited ? fmax(2.5 * most, 2 * pi) : 6 * pi;
}

/* A column of rates that is 57 times the slope of the column below it. */
static void check_rate_degrees(jn_loading *l, const jn_table *t, int below, int column, const double *times) {
  const double *x = jn__table_column(t, below), *v = jn__table_column(t, column);
  double slopes = 0, rates = 0;
  for (int r = 1; r + 1 < t->rows; r++) {
    double slope = (x[r + 1] - x[r - 1]) / (times[r + 1] - times[r - 1]);
    slopes += slope * slope;
    rates += v[r] * v[r];
  }
  double ratio = slopes > 0 ? sqrt(rates / slopes) : 0;
  if (*t->units[column] || fabs(ratio * pi / 180 - 1) > 0.1) return;
  char subject[96];
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[column]));
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "degrees", jn__table_place(t, -1, column), subject,
          "if these are degrees, write the unit into the header: \"NAME_d1 [deg/s]\"",
          "is %.3g times the rate of column '%.*s', likely degrees instead of radians", ratio,
          JN_CLIP(t->names[below]));
}

/* Continuous joints may make any number of turns, but not faster than their velocity limit. An angle wrapped to -pi ...
 * pi exceeds it in at most a tenth of the steps: the other steps are slower than the limit, or the jump is less than
 * ten times the limit. */
static void check_continuous_degrees(jn_loading *l, const jn_table *t, const jn_dof *dof, int column,
                                     const double *times) {
  const double *x = jn__table_column(t, column);
  int fast = 0, first = 0;
  for (int r = 1; r < t->rows; r++) {
    if (fabs(x[r] - x[r - 1]) <= 10 * dof->velocity * (times[r] - times[r - 1])) continue;
    if (!fast++) first = r;
  }
  if (!(dof->velocity > 0) || fast <= t->rows / 5) return;
  char subject[96];
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[column]));
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "degrees", jn__table_place(t, first, column), subject,
          "if these are degrees, write the unit into the header: \"NAME [deg]\"",
          "moves at %.4g rad/s before row %d where the limit is %.4g rad/s, likely degrees instead of radians",
          fabs(x[first] - x[first - 1]) / (times[first] - times[first - 1]), first + 1, dof->velocity);
}

/* Angles far outside of what the joint, or a joint of its kind, can do. */
static void check_degrees(jn_loading *l, const jn_table *t, int i, const coordinate *c, const double *times) {
  jn_joint_type type;
  int column = c->columns[0] - 1;
  const jn_dof *dof = dof_of(l->model, i, &type);
  const double *x = jn__table_column(t, column);
  if (!dof || !is_angle(type)) return;
  for (int k = 1; k < JN_MAX_CHANNELS; k++)
    if (c->columns[k] && c->columns[k - 1]) check_rate_degrees(l, t, c->columns[k - 1] - 1, c->columns[k] - 1, times);
  if (*t->units[column]) return;
  if (type == JN_CONTINUOUS) {
    check_continuous_degrees(l, t, dof, column, times);
    return;
  }
  int worst = 0;
  double limit;
  jn_travel travel = {x[0], x[t->rows - 1], x[0], x[0], 0};
  for (int r = 1; r < t->rows; r++) {
    if (fabs(x[r]) > fabs(x[worst])) worst = r;
    travel.low = fmin(travel.low, x[r]);
    travel.high = fmax(travel.high, x[r]);
    travel.speed = fmax(travel.speed, fabs(x[r] - x[r - 1]) / (times[r] - times[r - 1]));
  }
  if (fabs(x[worst]) <= jn__likely_angle(l->model, i, &travel, &limit)) return;
  char subject[96], against[64] = "";
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[column]));
  if (isfinite(limit)) snprintf(against, sizeof against, ", beyond the limit of %.4g rad", limit);
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "degrees", jn__table_place(t, worst, column), subject,
          "if these are degrees, write the unit into the header: \"NAME [deg]\"",
          "row %d has %.6g, likely degrees instead of radians%s", worst + 1, x[worst], against);
}

/* A joint with limits cannot turn without end: a jump by a full turn is an error in the data, which the user must know
 * of. */
static void check_wrapped(jn_loading *l, const jn_table *t, int column) {
  const double *x = jn__table_column(t, column);
  int jumps = 0, first = 0;
  for (int r = 1; r < t->rows; r++) {
    if (fabs(fabs(x[r] - x[r - 1]) - 2 * pi) > 0.5 * pi) continue;
    if (!jumps++) first = r;
  }
  if (!jumps) return;
  char subject[96];
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[column]));
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "wrapped", jn__table_place(t, first, column), subject,
          "unwrap it with --unwrap; a joint that turns without end should be continuous in the model",
          "jumps by a full turn before row %d, from %.4g to %.4g rad (%d jump%s): the angle is wrapped", first + 1,
          x[first - 1], x[first], jumps, jumps == 1 ? "" : "s");
}

/* Turns of an angle that the data have cut to -pi ... pi. */
static void unwrap_column(jn_loading *l, jn_table *t, int column) {
  double *x = t->values + (size_t)column * t->room, offset = 0;
  int first = 0, jumps = 0;

  for (int r = 1; r < t->rows; r++) {
    double step = x[r] + offset - x[r - 1];
    if (fabs(step) > 1.5 * pi) {
      offset -= 2 * pi * round(step / (2 * pi));
      if (!first) first = r;
      jumps++;
    }
    x[r] += offset;
  }
  if (!first) return;

  char subject[96];
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[column]));
  jn__log(&l->log, JN_NOTE, JN_OK, "column-unwrapped", jn__table_place(t, first, column), subject, NULL,
          "jumps by a full turn at row %d (%d jump%s); the angle is unwrapped%s", first + 1, jumps,
          jumps == 1 ? "" : "s",
          l->options.motor_matrix ? ", and whole turns of the motor before the first row are not known" : "");
}

/* Angles of continuous joints are unwrapped, and all where the options say so; others are looked at. */
static void unwrap(jn_loading *l, jn_table *t, int i, int column) {
  jn_joint_type type;
  const jn_dof *dof = dof_of(l->model, i, &type);
  int wanted = l->options.unwrap && jn__coordinate_kind(l->model, i) == JN_UNIT_ANGLE;

  if (dof && (type == JN_CONTINUOUS || wanted))
    unwrap_column(l, t, column);
  else if (dof && is_angle(type))
    check_wrapped(l, t, column);
}

/* Quaternions of about unit length; neighbours get the same sign, as do their derivatives. 0 after an error. */
static int align_quaternions(jn_loading *l, jn_table *t, const coordinate *four) {
  double *x[4];
  for (int i = 0; i < 4; i++) x[i] = t->values + (size_t)(four[i].columns[0] - 1) * t->room;
  for (int r = 0; r < t->rows; r++) {
    double length = 0, along = 0;
    for (int i = 0; i < 4; i++) length += x[i][r] * x[i][r];
    length = sqrt(length);
    if (fabs(length - 1) > 0.1) {
      char subject[96];
      snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[four[0].columns[0] - 1]));
      jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "quaternion", jn__table_place(t, r, four[0].columns[0] - 1), subject,
              "quaternions have unit length: x, y, z, w", "row %d: the quaternion has length %.4g", r + 1, length);
      return 0;
    }
    for (int i = 0; i < 4 && r > 0; i++) along += x[i][r] * x[i][r - 1];
    double sign = along < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
      for (int k = 1; k < JN_MAX_CHANNELS; k++)
        if (four[i].columns[k]) t->values[(size_t)(four[i].columns[k] - 1) * t->room + (size_t)r] *= sign / length;
      x[i][r] *= sign / length;
    }
  }
  return 1;
}

/* ---- Together ---- */

static jn_curve constant(jn_blocks *blocks, double value) {
  double *number = jn__keep(blocks, sizeof *number);
  if (number) *number = value;
  return (jn_curve){.kind = JN_CURVE_POLYNOMIAL, .count = number ? 1 : 0, .numbers = number};
}

/* Coordinates without a column: an error, or the neutral position. */
static int check_missing(jn_loading *l, const jn_table *t, const coordinate *coordinates, jn_trajectory *out) {
  char name[JN_NAME], list[256] = "";
  int missing = 0, nq = out->nq;
  double *neutral = jn__keep(&out->blocks, (size_t)nq * sizeof *neutral);
  if (!neutral) return 0;
  jn_neutral(l->model, neutral);
  for (int i = 0; i < nq; i++) {
    if (coordinates[i].columns[0]) continue;
    out->curves[i] = constant(&out->blocks, neutral[i]);
    jn_coordinate_name(l->model, i, name, sizeof name);
    size_t used = strlen(list);
    if (missing < 6)
      snprintf(list + used, sizeof list - used, "%s%.*s", missing ? ", " : "", JN_CLIP(name));
    else if (missing == 6)
      snprintf(list + used, sizeof list - used, ", ...");
    missing++;
  }
  int part = 0; /* a quaternion needs all of its numbers */
  for (int i = 0; i < nq; i++) {
    int at = jn__quaternion_at(l->model, i);
    part |= at >= 0 && !coordinates[i].columns[0] != !coordinates[at].columns[0];
  }
  if (missing && (!l->options.missing_neutral || missing == nq || part)) {
    jn__log(&l->log, JN_ERROR, JN_ERR_NAME, "missing-joint", jn__table_place(t, -1, 0), NULL,
            part || missing == nq ? "columns have the names of joints; jounce info shows them"
                                  : "add these columns, or keep these joints at rest with --missing neutral",
            "has no column for %d of %d coordinates: %s", missing, nq, list);
    return 0;
  }
  return 1;
}

/* Derivatives that every coordinate of a group has. */
static void add_channels(jn_table *t, const coordinate *group, int size, int i, jn_series *s) {
  for (int k = 0; k < JN_MAX_CHANNELS; k++) {
    int all = 1;
    for (int j = 0; j < size; j++) all &= group[j].columns[k] != 0;
    if (!all) continue;
    s->orders[s->channels] = k;
    s->data[s->channels++] = t->values + (size_t)(group[i].columns[k] - 1) * t->room;
  }
}

static int make_series(jn_loading *l, jn_table *t, const coordinate *coordinates, jn_trajectory *out,
                       jn_series *series) {
  int count = 0;
  for (int i = 0; i < out->nq; i++) {
    if (!coordinates[i].columns[0]) continue;
    int first = jn__quaternion_at(l->model, i);
    if (first == i && !align_quaternions(l, t, coordinates + i)) return -1;
    if (first < 0) {
      check_degrees(l, t, i, &coordinates[i], out->times);
      unwrap(l, t, i, coordinates[i].columns[0] - 1);
    }
    jn_series *s = &series[count++];
    out->given[i] = 1;
    *s = (jn_series){
        .curve = &out->curves[i], .fit = &out->fits[i], .open = &out->opens[i], .group = first < 0 ? i : first};
    s->column = coordinates[i].columns[0] - 1;
    if (first < 0)
      add_channels(t, coordinates + i, 1, 0, s);
    else
      add_channels(t, coordinates + first, 4, i - first, s);
  }
  return count;
}

/* Positions of motors, and their rates as far as all motors have them, become those of the joints. */
static jn_status use_motors(jn_loading *l, jn_table *t, coordinate *coordinates, jn_trajectory *out) {
  int *columns = jn__keep(&out->blocks, (size_t)out->nq * sizeof *columns);
  if (!columns) return JN_ERR_MEMORY;

  for (int order = 0; order < JN_MAX_CHANNELS; order++) {
    int given = 0, missing = 0;
    for (int i = 0; i < out->nq; i++) {
      columns[i] = coordinates[i].columns[order];
      given += columns[i] != 0;
      missing += coordinates[i].columns[0] && !columns[i];
      if (order > 0 || !columns[i]) continue;
      if (l->options.unwrap)
        unwrap_column(l, t, columns[i] - 1);
      else
        check_wrapped(l, t, columns[i] - 1);
    }
    if (given == 0) continue;
    if (missing) { /* rates of some motors do not give those of joints */
      for (int i = 0; i < out->nq; i++) coordinates[i].columns[order] = 0;
      jn__log(&l->log, JN_NOTE, JN_OK, "column-rates", (jn_place){t->file, 0, 0}, NULL, NULL,
              "%d column%s of derivatives of order %d %s not used, because not all motors have one", given,
              given == 1 ? "" : "s", order, given == 1 ? "is" : "are");
      continue;
    }
    jn_status status = jn__motors_to_joints(l, t, columns, order);
    if (status != JN_OK) return status;
  }

  return JN_OK;
}

static void note_left_out(jn_loading *l, const jn_table *t) {
  int unused = 0;
  for (int c = 0; c < t->columns && t->use; c++) unused += t->use[c] == JN_COLUMN_UNUSED;
  if (unused)
    jn__log(&l->log, JN_NOTE, JN_OK, "column-unused", (jn_place){t->file, 0, 0}, NULL, NULL,
            "%d column%s of efforts, set points and the like %s not part of the motion", unused, unused == 1 ? "" : "s",
            unused == 1 ? "is" : "are");
  if (t->empty_rows)
    jn__log(&l->log, JN_NOTE, JN_OK, "column-rows", (jn_place){t->file, 0, 0}, NULL, NULL,
            "%d row%s without a value of any joint %s left out", t->empty_rows, t->empty_rows == 1 ? "" : "s",
            t->empty_rows == 1 ? "is" : "are");
}

jn_status jn__samples_to_curves(jn_loading *l, jn_table *t, jn_trajectory *out) {
  int degree = jn__spline_degree(l->options.order), time = jn__check_times(l, t, degree + 1);
  if (time < 0) return l->log.first.status;
  size_t n = (size_t)out->nq;
  coordinate *coordinates = jn__keep(&out->blocks, n * sizeof *coordinates);
  jn_series *series = jn__keep(&out->blocks, n * sizeof *series);
  double *times = jn__keep(&out->blocks, (size_t)t->rows * sizeof *times);
  out->opens = jn__keep(&out->blocks, n * sizeof *out->opens);
  if (!coordinates || !series || !times || !out->opens) return JN_ERR_MEMORY;
  memcpy(times, jn__table_column(t, time), (size_t)t->rows * sizeof *times);
  out->times = times;
  out->degree = degree;
  sort_columns(l, t, time, coordinates);
  note_left_out(l, t);
  if (!check_missing(l, t, coordinates, out)) return l->log.first.status ? l->log.first.status : JN_ERR_MEMORY;
  if (l->options.motor_matrix) {
    jn_status motors = use_motors(l, t, coordinates, out);
    if (motors != JN_OK) return motors;
  }
  int count = make_series(l, t, coordinates, out, series);
  if (count < 0 || l->log.first.status != JN_OK) return l->log.first.status;
  jn_status status = jn__leave_out_held(l, t, times, series, count, degree + 1);
  if (status != JN_OK) return status;
  out->samples = t->rows;
  out->start = times[0];
  out->end = times[t->rows - 1];
  status = jn__fit_series(l, &out->blocks, t->rows, times, degree, series, count);
  if (status == JN_OK) jn__check_residue(l, t, series, count);
  for (int i = 0; i < count && status == JN_OK; i++) jn__check_bandwidth(l, t, &series[i], times);
  return status;
}
