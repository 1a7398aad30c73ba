/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce simulate: torques from a file, a controller that holds or follows, and wrenches from a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "simulate.h"

/* ---- Tables over time ---- */

/* The first of the times behind t; INFINITY: none. *before (may be NULL): the last that is not behind it, or -1. */
static double next_time(const break_times *b, double t, int *before) {
  int low = 0, high = b->count; /* at[low - 1] <= t < at[high] */
  while (low < high) {
    int middle = (low + high) / 2;
    if (b->at[middle] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  if (before) *before = low - 1;
  return low < b->count ? b->at[low] : INFINITY;
}

static jn_table *read_table(const char *path, size_t most) {
  size_t length;
  jn_error error = {0};
  jn_table *data = NULL;
  jn_table_options options;
  char *text = read_input(path, path, most, &length);
  if (!text) return NULL;
  jn_table_options_init(&options);
  options.max_bytes = most;
  options.report = jn_report_create(NULL);
  jn_status status = jn_table_read(text, length, path, &options, &data, &error);
  if (status != JN_OK) print_errors(options.report, &error, path);
  jn_report_destroy(options.report);
  free(text);
  return data;
}

static int find_time(const jn_table *data) {
  for (int c = 0; c < jn_table_columns(data); c++) {
    const char *name = jn_table_name(data, c);
    if (strcmp(name, "t") == 0 || strcmp(name, "time") == 0 || strcmp(name, "timestamp") == 0) return c;
  }
  return -1;
}

/* What one of these units is in seconds; 0: it is none of them. */
static double time_unit(const char *unit) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i].name, unit) == 0) return units[i].seconds;
  return 0;
}

/* Rising times, which must cover the simulation. */
static int check_range(const char *path, const break_times *b, double duration) {
  double first = b->at[0], last = b->at[b->count - 1];
  if (!(first > 1e-9 || (b->count > 1 && last < duration * (1 - 1e-9)))) return OPTION_GO_ON;
  say(stderr, "jounce: %s: goes from %.15g to %.15g s, which must include 0 to %.15g s\n", path, first, last, duration);
  if (first > 1e-9)
    say(stderr, "    simulations start at t = 0: subtract %.15g s from its times, or add a row at t = 0\n", first);
  else
    say(stderr, "    add rows up to the end, or give --duration %.15g or less\n", last);
  return EXIT_BAD;
}

static int take_times(const char *path, const jn_table *data, double duration, break_times *to) {
  int column = find_time(data), rows = jn_table_rows(data);
  if (column < 0 || rows == 0) {
    say(stderr, "jounce: %s: there is no column t with times\n", path);
    return EXIT_BAD;
  }
  double unit = time_unit(jn_table_unit(data, column));
  if (unit == 0) {
    say(stderr, "jounce: %s: times are in s, ms, us, ns, min or h, not in '%s'\n", path, jn_table_unit(data, column));
    return EXIT_BAD;
  }
  const double *t = jn_table_values(data, column);
  for (int i = 1; i < rows; i++)
    if (!(t[i] > t[i - 1])) {
      say(stderr, "jounce: %s:%d: times must rise: %.15g comes after %.15g\n", path, jn_table_line(data, i), t[i],
          t[i - 1]);
      return EXIT_BAD;
    }
  to->at = allocate((size_t)rows * sizeof(double));
  for (int i = 0; i < rows; i++) to->at[i] = unit * t[i];
  to->count = rows;
  return check_range(path, to, duration);
}

/* A motion that stays where it is, to carry wrenches or torques. */
static jn_status make_carrier(const acting_forces *f, double duration, jn_trajectory **out) {
  enum { ROWS = 16 };
  size_t nq = (size_t)jn_model_nq(f->model);
  double t[ROWS], *q = allocate(ROWS * nq * sizeof(double));
  jn_trajectory_options options;
  jn_error error;
  jn_trajectory_options_init(&options);
  options.smoothing = JN_SMOOTH_NONE;
  for (int i = 0; i < ROWS; i++) {
    t[i] = duration * i / (ROWS - 1);
    jn_neutral(f->model, q + (size_t)i * nq);
  }
  jn_status status = jn_trajectory_fit(f->model, ROWS, t, q, &options, out, &error);
  free(q);
  return status;
}

/* ---- What the readers say ---- */

/* The remedy for a message. Those of the readers speak of options (--columns, --rate, --missing) that simulate does not
 * have, or that mean something else here (--order, --tolerance). */
static const char *remedy_of(const jn_message *m) {
  static const struct {
    const char *rule, *remedy;
  } own[] = {
      {"time", "name one column t (in seconds, or with its unit: \"t [ms]\")"},
      {"no-forces", "columns of forces are NAME.tau or NAME_effort, with the names that jounce info shows"},
      {"missing-joint", "add what is missing; columns have the names of joints, which jounce info shows"},
      {"column-ambiguous", "name the columns after the joints, as jounce info shows them"},
      {"samples", "give more samples"},
      {"fit", "jounce torque can smooth it: its --tolerance"},
      {"derivatives", ""},
  };
  if (strcmp(m->rule, "unknown-joint") == 0 && strstr(m->remedy, "--columns"))
    return "columns have the names of joints, which jounce info shows";
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strcmp(own[i].rule, m->rule) == 0) return own[i].remedy;
  return m->remedy;
}

static void tell_all(const jn_report *report, jn_severity severity, const char *prefix, const char *path) {
  for (int i = 0; i < jn_report_count(report); i++) {
    jn_message m = *jn_report_message(report, i);
    if (m.severity != severity) continue;
    m.remedy = remedy_of(&m);
    tell_message(&m, prefix, path);
  }
}

/* Notes about columns, warnings and errors of a file; destroys the report. An exit code. */
static int tell_reading(jn_report *report, jn_status status, const jn_error *error, const char *path) {
  print_notes(report, "column-", path);
  tell_all(report, JN_WARNING, "warning: ", path);
  if (status != JN_OK && jn_report_count_of(report, JN_ERROR) > 0)
    tell_all(report, JN_ERROR, "", path);
  else if (status != JN_OK)
    print_errors(report, error, path);
  jn_report_destroy(report);
  return status == JN_OK ? OPTION_GO_ON : EXIT_BAD;
}

/* ---- Torques from a file ---- */

/* The torques of a carrier, [rows x nv], and their times. */
static int take_torques(acting_forces *f, const char *path, const jn_trajectory *from) {
  size_t rows = (size_t)jn_trajectory_force_rows(from), nv = (size_t)f->nv;
  char name[JN_COORDINATE_NAME];
  int found = 0;
  f->rows.at = allocate(rows * sizeof(double));
  f->rows.count = (int)rows;
  f->tau = allocate(rows * nv * sizeof(double));
  memset(f->tau, 0, rows * nv * sizeof(double));
  for (size_t i = 0; i < rows; i++) f->rows.at[i] = jn_trajectory_force_time(from, (int)i);
  for (int v = 0; v < f->nv; v++) {
    const double *x = jn_trajectory_forces(from, v);
    if (!x) continue;
    jn_velocity_name(f->model, v, name, sizeof name);
    if (jn_trajectory_force_is_current(from, v)) {
      say(stderr, "jounce: %s: the column of '%s' is a current [A]; torques are needed, or forces of slides\n", path,
          name);
      return EXIT_BAD;
    }
    found++;
    for (size_t i = 0; i < rows; i++) f->tau[i * nv + (size_t)v] = x[i];
  }
  if (found < f->nv)
    say(stderr, "jounce: note: %s has torques of %d of %d coordinates; the others get none\n", path, found, f->nv);
  return OPTION_GO_ON;
}

/* Units, other names of columns and NPZ are understood as in the files of jounce identify. */
static int read_torques(acting_forces *f, const char *path, size_t most, double duration) {
  jn_trajectory_options options;
  jn_error error = {0};
  jn_trajectory *carrier = NULL;
  if (strncmp(path, "builtin:", 8) == 0)
    return usage_error("simulate", "--torque %s: that is a motion; to follow it: --motion %s", path, path);
  jn_trajectory_options_init(&options);
  options.max_bytes = most;
  jn_status status = make_carrier(f, duration, &carrier);
  options.report = jn_report_create(NULL);
  if (status == JN_OK) status = jn_trajectory_load_forces(carrier, path, &options, &error);
  int result = tell_reading(options.report, status, &error, path);
  if (result == OPTION_GO_ON) result = take_torques(f, path, carrier);
  if (result == OPTION_GO_ON) result = check_range(path, &f->rows, duration);
  jn_trajectory_destroy(carrier);
  return result;
}

/* ---- Reading ---- */

static int read_wrenches(acting_forces *f, const simulate_arg *arg, double duration) {
  jn_trajectory_options options;
  jn_error error = {0};
  jn_table *data = read_table(arg->wrench, arg->model.options.max_bytes);
  if (!data) return EXIT_BAD;
  int result = take_times(arg->wrench, data, duration, &f->wrench_rows);
  jn_table_destroy(data);
  if (result != OPTION_GO_ON) return result;
  jn_status status = make_carrier(f, duration, &f->wrenches);
  if (status != JN_OK) {
    say(stderr, "jounce: %s: %s\n", arg->wrench, jn_status_text(status));
    return EXIT_BAD;
  }
  jn_trajectory_options_init(&options);
  options.max_bytes = arg->model.options.max_bytes;
  options.wrench_interpolation = (jn_interpolation)arg->wrench_interpolation;
  options.wrench_axes = arg->wrench_axes ? JN_IN_ALIGNED : JN_IN_BODY;
  options.report = jn_report_create(NULL);
  status = jn_trajectory_load_wrenches(f->wrenches, arg->wrench, &options, &error);
  return tell_reading(options.report, status, &error, arg->wrench);
}

static int read_motion(acting_forces *f, const simulate_arg *arg) {
  jn_trajectory_options options;
  jn_error error = {0};
  jn_trajectory_options_init(&options);
  options.max_bytes = arg->model.options.max_bytes;
  options.missing_neutral = jn_loop_count(f->model) > 0; /* the loops determine the others */
  options.report = jn_report_create(NULL);
  jn_status status = jn_trajectory_load(f->model, arg->trajectory, &options, &f->motion, &error);
  return tell_reading(options.report, status, &error, arg->trajectory);
}

static force_law law_of(const simulate_arg *arg) {
  if (arg->trajectory) return FORCE_MOTION;
  if (!arg->torque || strcmp(arg->torque, "zero") == 0) return FORCE_ZERO;
  if (strcmp(arg->torque, "gravity") == 0) return FORCE_GRAVITY;
  return strcmp(arg->torque, "hold") == 0 ? FORCE_HOLD : FORCE_FILE;
}

static bool has_type(const jn_model *model, jn_joint_type type) {
  for (int i = 0; i < jn_link_count(model); i++)
    if (jn_joint_type_of(model, i) == type) return true;
  return false;
}

static int check_law(const acting_forces *f, const simulate_arg *arg) {
  bool controls = f->law == FORCE_HOLD || f->law == FORCE_MOTION;
  if (arg->gains.count && !controls) return usage_error("simulate", "--gains is for --torque hold and --motion");
  if (arg->gains.count && (arg->gains.count != 2 || !(arg->gains.values[0] >= 0) || !(arg->gains.values[1] >= 0)))
    return usage_error("simulate", "--gains takes two numbers kp,kd that are not negative");
  if (f->law == FORCE_MOTION && jn_loop_count(f->model) == 0 && has_type(f->model, JN_FREE))
    return usage_error("simulate", "--motion: computed torque needs a motor at every joint; a free joint has none");
  if (arg->actuated.count && (f->law != FORCE_MOTION || jn_loop_count(f->model) == 0))
    return usage_error("simulate", "--actuated is for --motion of models with loops");
  return OPTION_GO_ON;
}

int acting_forces_init(acting_forces *f, const simulate_arg *arg, const jn_model *model, double duration) {
  *f = (acting_forces){.model = model, .law = law_of(arg), .nv = jn_model_nv(model), .kp = 100, .kd = 20};
  int result = check_law(f, arg);
  if (arg->gains.count == 2) {
    f->kp = arg->gains.values[0];
    f->kd = arg->gains.values[1];
  }
  if (result == OPTION_GO_ON && f->law == FORCE_MOTION) result = read_motion(f, arg);
  if (result == OPTION_GO_ON && f->law == FORCE_FILE)
    result = read_torques(f, arg->torque, arg->model.options.max_bytes, duration);
  if (result == OPTION_GO_ON && arg->wrench) result = read_wrenches(f, arg, duration);
  if (result != OPTION_GO_ON) return result;
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)f->nv;
  f->q = allocate(2 * nq * sizeof(double));
  f->target = f->q + nq;
  bool follows = f->law == FORCE_MOTION;
  f->room = allocate((follows ? follow_room(f->nv) : 4 * nv) * sizeof(double));
  if (follows) result = follow_init(f, arg);
  if (result != OPTION_GO_ON) return result;
  if (jn_work_create_order(model, follows ? JN_TRAJECTORY_MAX_ORDER : 0, &f->work) == JN_OK) return OPTION_GO_ON;
  say(stderr, "jounce: %s\n", jn_status_text(jn_variant_name() ? JN_ERR_MEMORY : JN_ERR_VARIANT));
  return EXIT_BAD;
}

void acting_forces_free(acting_forces *f) {
  if (f->closed) motion_free(f->closed); /* the trajectory, too */
  if (!f->closed) jn_trajectory_destroy(f->motion);
  free(f->closed);
  free(f->damping);
  jn_trajectory_destroy(f->wrenches);
  jn_work_destroy(f->work);
  free(f->rows.at);
  free(f->wrench_rows.at);
  free(f->tau);
  free(f->q);
  free(f->room);
}

/* ---- As functions ---- */

/* Straight from row to row of the file. */
static jn_status file_torque(void *context, double t, int order, const double *q, const double *v_jet, double *tau) {
  const acting_forces *f = context;
  size_t n = (size_t)f->nv;
  int row;
  double next = next_time(&f->rows, t, &row);
  (void)q, (void)v_jet;
  memset(tau, 0, ((size_t)order + 1) * n * sizeof *tau);
  if (row < 0) row = 0;
  const double *at = f->tau + (size_t)row * n;
  double length = isfinite(next) && row + 1 < f->rows.count ? next - f->rows.at[row] : INFINITY;
  for (size_t i = 0; i < n; i++) {
    double slope = isfinite(length) ? (at[n + i] - at[i]) / length : 0;
    tau[i] = at[i] + (isfinite(length) ? slope * (t - f->rows.at[row]) : 0);
    if (order > 0) tau[n + i] = slope;
  }
  return JN_OK;
}

/* Towards the target, with springs and dampers of the gains; free joints have no motor. */
static jn_status hold_torque(void *context, double t, int order, const double *q, const double *v_jet, double *tau) {
  acting_forces *f = context;
  int n = f->nv;
  jn_status status = order == 0 ? jn_difference(f->model, f->work, q, f->target, f->room) : JN_OK;
  (void)t;
  for (int v = 0; v < n; v++) {
    double away = order == 0 ? f->room[v] : -v_jet[(order - 1) * n + v];
    bool is_free = jn_joint_type_of(f->model, jn_coordinate_joint(f->model, v, NULL)) == JN_FREE;
    tau[order * n + v] = is_free ? 0 : f->kp * away - f->kd * v_jet[order * n + v];
  }
  return status;
}

static jn_status wrenches(void *context, double t, int order, double *wrench_jet) {
  const acting_forces *f = context;
  return jn_trajectory_wrenches(f->wrenches, t, order, wrench_jet);
}

static double next_break(void *context, double t) {
  const acting_forces *f = context;
  double next = fmin(next_time(&f->rows, t, NULL), next_time(&f->wrench_rows, t, NULL));
  return f->motion ? fmin(next, jn_trajectory_next_knot(f->motion, t)) : next;
}

const char *acting_forces_rough(const acting_forces *f) {
  if (f->closed) return "--motion: the series of computed torque is not known for models with loops";
  if (!has_type(f->model, JN_SPHERICAL)) return NULL;
  if (f->law == FORCE_MOTION) return "--motion: the series of computed torque is not known for spherical joints";
  return f->law == FORCE_HOLD ? "--torque hold: its series is not known for spherical joints" : NULL;
}

void acting_forces_use(acting_forces *f, const double *q, jn_simulation_options *o) {
  o->context = f;
  o->next_break = next_break;
  o->wrench = f->wrenches ? wrenches : NULL;
  o->wrench_axes = jn_trajectory_wrench_axes(f->wrenches);
  o->gravity_compensation = f->law == FORCE_GRAVITY || f->law == FORCE_HOLD;
  o->force_order = acting_forces_rough(f) ? 0 : f->law == FORCE_MOTION ? JN_TRAJECTORY_MAX_ORDER : JN_ANY_ORDER;
  memcpy(f->target, q, (size_t)jn_model_nq(f->model) * sizeof *q);
  if (f->law == FORCE_FILE) o->force = file_torque;
  if (f->law == FORCE_HOLD) o->force = hold_torque;
  if (f->law == FORCE_MOTION) o->force = f->closed ? follow_closed_torque : follow_torque;
  o->force_of_time = f->law == FORCE_FILE;
}
