/* SPDX-License-Identifier: BSD-2-Clause */
/* The data of jounce identify: files, couplings, scales; the filter, the speed of friction and the delay that fit the
 * data best; the passes over the data. */
#include <jounce/edit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/names.h"
#include "../motion/coupling.h"
#include "../motion/motion.h"
#include "identify.h"

enum { FEW_ROWS = 20000, THREAD_ROWS = 50000, MOST_PASSES = 6 };
static const double default_bandwidth = 50, default_outliers = 5;

/* ---- Files ---- */

static int tell(const jn_report *report, const jn_error *error, const char *path, jn_status status) {
  print_notes(report, "column-", path);
  print_warnings(report, path);
  if (status == JN_OK) return OPTION_GO_ON;
  print_errors(report, error, path);
  return EXIT_BAD;
}

/* Runs of equal values at the largest force are saturation. */
static void find_saturation(measured *m, int nv) {
  int rows = jn_trajectory_force_rows(m->trajectory);
  for (int i = 0; i < nv; i++) {
    const double *x = jn_trajectory_forces(m->trajectory, i);
    double most = 0;
    int longest = 0, length = 0;
    m->limit[i] = INFINITY;
    for (int r = 0; x && r < rows; r++) most = fmax(most, fabs(x[r]));
    for (int r = 0; x && r < rows; r++) {
      length = fabs(x[r]) >= most * (1 - 1e-9) ? length + 1 : 0;
      if (length > longest) longest = length;
    }
    if (longest < 5 || longest == rows || !(most > 0)) continue;
    m->limit[i] = most * (1 - 1e-9);
    for (int r = 0; r < rows; r++) m->saturated[i] += fabs(x[r]) >= m->limit[i];
  }
}

/* Joint forces; with wrenches there need not be any, only their times. */
static bool load_forces(const identify_run *r, measured *m, const char *path, jn_trajectory_options *options) {
  jn_error error = {0};
  options->report = jn_report_create(NULL);
  jn_status status = jn_trajectory_load_forces(m->trajectory, path, options, &error);
  if (status == JN_ERR_NAME && r->wrench) {
    int rows = jn_trajectory_samples(m->trajectory);
    size_t nv = (size_t)r->nv, count = (size_t)(rows > 0 ? rows : 0);
    double *t = allocate((count + 1) * (nv + 1) * sizeof *t), *none = t + count;
    for (int k = 0; k < rows; k++) t[k] = jn_trajectory_time(m->trajectory, k);
    for (size_t k = 0; k < count * nv; k++) none[k] = NAN;
    status = jn_trajectory_set_forces(m->trajectory, rows, t, none);
    free(t);
  } else {
    print_notes(options->report, "column-", path);
    for (int i = 0; i < jn_report_count(options->report); i++) { /* warnings about times are known */
      const jn_message *message = jn_report_message(options->report, i);
      if (strcmp(message->rule, "unknown-joint") == 0 || strcmp(message->rule, "column-bracket") == 0)
        tell_message(message, "warning: ", path);
    }
    if (status != JN_OK) print_errors(options->report, &error, path);
  }
  jn_report_destroy(options->report);
  return status == JN_OK;
}

static bool load_wrenches(measured *m, const char *path, jn_trajectory_options *options) {
  jn_error error = {0};
  options->report = jn_report_create(NULL);
  options->wrench_interpolation = JN_INTERPOLATE_LINEAR; /* they are only asked for at the times of their rows */
  jn_status status = jn_trajectory_load_wrenches(m->trajectory, path, options, &error);
  if (status != JN_OK) print_errors(options->report, &error, path);
  jn_report_destroy(options->report);
  return status == JN_OK;
}

static int load_file(identify_run *r, measured *m, const char *path) {
  const identify_arg *arg = r->arg;
  jn_trajectory_options options;
  jn_error error = {0};
  jn_trajectory_options_init(&options);
  options.order = 1;
  options.strict = arg->model.strict;
  options.max_bytes = arg->model.options.max_bytes;
  options.missing_neutral = arg->missing == 1 || jn_loop_count(r->model) > 0;
  options.degrees = arg->degrees;
  options.rate = arg->rate.count ? arg->rate.values[0] : 0;
  options.wrenches_too = r->wrench != JN_WRENCH_NONE;
  options.columns = (const char *const *)arg->columns.names;
  options.column_count = arg->columns.count;
  options.bandwidth = arg->bandwidth.count ? arg->bandwidth.values[0] : default_bandwidth;
  options.lowpass = fmax(options.bandwidth, default_bandwidth);
  int smoothing = motion_smoothing("identify", arg->tolerance, &options);
  if (smoothing == OPTION_GO_ON)
    smoothing = log_arg_apply(&r->arg->log, "identify", r->model, options.max_bytes, &options);
  if (smoothing != OPTION_GO_ON) return smoothing;
  options.report = jn_report_create(NULL);
  m->path = path;
  m->limit = allocate((size_t)r->nv * sizeof *m->limit);
  m->saturated = allocate((size_t)r->nv * sizeof *m->saturated);
  memset(m->saturated, 0, (size_t)r->nv * sizeof *m->saturated);
  r->lowpass = options.lowpass;
  jn_status status = jn_trajectory_load(r->model, path, &options, &m->trajectory, &error);
  int result = tell(options.report, &error, path, status);
  jn_report_destroy(options.report);
  if (result != OPTION_GO_ON) return result;
  if (arg->foresee) return OPTION_GO_ON;
  options.strict = 0; /* the times are the same: warnings about them are known */
  if (r->wrench && !load_wrenches(m, path, &options)) return EXIT_BAD;
  if (!load_forces(r, m, path, &options)) return EXIT_BAD;
  find_saturation(m, r->nv);
  return OPTION_GO_ON;
}

static void unload_file(measured *m) {
  jn_trajectory_destroy(m->trajectory);
  free(m->limit);
  free(m->saturated);
}

/* ---- Factors of the forces ---- */

/* "NAME=2.5" of an option: the coordinate and the number. */
static int read_factor(const identify_run *r, const char *where, const char *text, int *v, double *factor) {
  const char *equal = strchr(text, '=');
  char *end = NULL, *name = copy_text(text, equal ? (size_t)(equal - text) : strlen(text));
  *factor = equal ? strtod(equal + 1, &end) : 0;
  int joint, status = OPTION_GO_ON;
  if (!equal || end == equal + 1 || *end || !isfinite(*factor) || *factor == 0)
    status = usage_error("identify", "--%s takes NAME=NUMBER,..., not '%s'", where, text);
  else if (!(fabs(*factor) >= 1e-12 && fabs(*factor) <= 1e12))
    status =
        usage_error("identify", "--%s %s: no drive has such a factor; between 1e-12 and 1e12 would do", where, text);
  if (status == OPTION_GO_ON) status = find_joint("identify", where, r->model, name, &joint);
  if (status == OPTION_GO_ON) *v = jn_joint_v(r->model, joint);
  free(name);
  return status;
}

static int set_scales(identify_run *r) {
  const struct {
    const char *option;
    const name_list *list;
  } given[] = {{"torque-constant", &r->arg->constants}, {"gear", &r->arg->gears}};
  r->scale = allocate((size_t)r->nv * sizeof *r->scale);
  for (int i = 0; i < r->nv; i++) r->scale[i] = 1;
  for (size_t k = 0; k < 2; k++)
    for (int i = 0; i < given[k].list->count; i++) {
      int v = 0;
      double factor;
      int status = read_factor(r, given[k].option, given[k].list->names[i], &v, &factor);
      if (status != OPTION_GO_ON) return status;
      r->scale[v] *= factor;
    }
  return OPTION_GO_ON;
}

/* Currents need a constant. */
static int check_currents(const identify_run *r, const measured *m) {
  for (int i = 0; i < r->nv; i++) {
    char name[JN_COORDINATE_NAME];
    bool known = false;
    jn_velocity_name(r->model, i, name, sizeof name);
    for (int k = 0; k < r->arg->constants.count; k++) {
      const char *text = r->arg->constants.names[k];
      known |= strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == '=';
    }
    if (!jn_trajectory_force_is_current(m->trajectory, i) || known) continue;
    return usage_error("identify", "%s: the column of '%s' is a current [A]; give its --torque-constant %s=K [N m/A]",
                       m->path, name, name);
  }
  return OPTION_GO_ON;
}

/* ---- Coupling ---- */

static int read_coupling(identify_run *r) {
  const char *path = r->arg->coupling;
  r->motors = r->nv;
  if (!path) {
    if (r->arg->motor_torques) return usage_error("identify", "--motor-torques needs a --coupling");
    return OPTION_GO_ON;
  }

  coupling c;
  int result = coupling_read("identify", r->model, path, r->arg->model.options.max_bytes, &c);
  r->motors = c.motors;
  r->coupling = c.matrix;
  r->motor_names = c.names;
  free(c.zero); /* positions of motors, which need it, have a file of their own */
  if (result == OPTION_GO_ON && r->arg->motor_torques && r->motors != r->nv)
    result = usage_error("identify", "--motor-torques needs as many motors as joints, but %s has %d rows for %d joints",
                         path, r->motors, r->nv);
  return result;
}

/* Which wrenches are measured. */
static int set_wrench(identify_run *r) {
  const identify_arg *arg = r->arg;
  r->wrench_link = JN_NONE;
  r->channels = r->nv;
  r->wrench = arg->contacts ? JN_WRENCH_CONTACT : arg->wrench ? JN_WRENCH_JOINT : JN_WRENCH_NONE;
  if (arg->contacts && arg->wrench)
    return usage_error("identify", "--wrench-sensor and --contacts both use the columns LINK_mx ...: give one of them");
  if (!arg->wrench) return OPTION_GO_ON;
  r->wrench_link = jn_link_index(r->model, arg->wrench);
  if (r->wrench_link < 0)
    return usage_error("identify", "--wrench-sensor %s: '%s' has no such link", arg->wrench, jn_model_name(r->model));
  r->channels = r->nv + 6;
  return OPTION_GO_ON;
}

/* Does a joint have a column of torques that are not all zero, as those of passive joints may be? */
static bool has_forces(const jn_trajectory *t, int i) {
  const double *x = jn_trajectory_forces(t, i);
  for (int row = 0; x && row < jn_trajectory_force_rows(t); row++)
    if (x[row] != 0) return true;
  return false;
}

/* Joints with a motor, of models with loops: those of --actuated, or with a column of torques. Their positions are
 * needed, because the others follow from them. */
static int set_actuated(identify_run *r) {
  const name_list *names = &r->arg->actuated;
  if (jn_loop_count(r->model) == 0) {
    if (names->count == 0) return OPTION_GO_ON;
    return usage_error("identify", "--actuated is for models with loops; '%s' has none", jn_model_name(r->model));
  }
  r->actuated = allocate((size_t)r->nv);
  memset(r->actuated, 0, (size_t)r->nv);
  for (int i = 0; i < names->count; i++) {
    int joint, status = find_joint("identify", "actuated", r->model, names->names[i], &joint);
    if (status != OPTION_GO_ON) return status;
    memset(r->actuated + jn_joint_v(r->model, joint), 1, (size_t)jn_joint_nv(r->model, joint));
  }
  const jn_trajectory *t = r->data_count > 0 ? r->data[0].trajectory : NULL;
  for (int i = 0; i < r->nv && names->count == 0; i++)
    r->actuated[i] = r->arg->foresee
                         ? jn_trajectory_given(t, jn_joint_q(r->model, jn_coordinate_joint(r->model, i, NULL))) != 0
                         : has_forces(t, i);
  return OPTION_GO_ON;
}

int identify_load(identify_run *r) {
  int result = set_scales(r);
  if (result == OPTION_GO_ON) result = set_wrench(r);
  if (result == OPTION_GO_ON) result = read_coupling(r);
  r->data = allocate((size_t)(r->arg->files + 1) * sizeof *r->data);
  r->held = allocate((size_t)(r->arg->validate.count + 1) * sizeof *r->held);
  memset(r->data, 0, (size_t)(r->arg->files + 1) * sizeof *r->data);
  memset(r->held, 0, (size_t)(r->arg->validate.count + 1) * sizeof *r->held);
  while (result == OPTION_GO_ON && r->data_count < r->arg->files) {
    measured *m = &r->data[r->data_count++];
    result = load_file(r, m, r->arg->arguments[r->data_count]);
    if (result == OPTION_GO_ON && !r->arg->foresee) result = check_currents(r, m);
  }
  while (result == OPTION_GO_ON && r->held_count < r->arg->validate.count) {
    measured *m = &r->held[r->held_count++];
    result = load_file(r, m, r->arg->validate.names[r->held_count - 1]);
    if (result == OPTION_GO_ON) result = check_currents(r, m);
  }
  return result == OPTION_GO_ON ? set_actuated(r) : result;
}

static void free_quality(fit_quality *q) {
  free(q->force);
  free(q->before);
  free(q->base);
  free(q->after);
  free(q->rows);
}

void identify_unload(identify_run *r) {
  for (int i = 0; i < r->data_count; i++) unload_file(&r->data[i]);
  for (int i = 0; i < r->held_count; i++) unload_file(&r->held[i]);
  free(r->data);
  free(r->held);
  free(r->scale);
  free(r->speed);
  free(r->coupling);
  for (int k = 0; k < r->motors && r->motor_names; k++) free(r->motor_names[k]);
  free(r->motor_names);
  free(r->actuated);
  free(r->speed_rms);
  free_quality(&r->quality);
  for (int i = 0; i < r->held_count && r->held_quality; i++) free_quality(&r->held_quality[i]);
  free(r->held_quality);
  for (int i = 0; i < r->warning_count; i++) free(r->warnings[i]);
  free(r->warnings);
  jn_identification_destroy(r->identification);
  jn_model_destroy(r->result);
}

/* ---- Passes over the data ---- */

static int total_rows(const identify_run *r) {
  int rows = 0;
  for (int i = 0; i < r->data_count; i++) rows += jn_trajectory_force_rows(r->data[i].trajectory);
  return rows;
}

static int failed(jn_status status, const jn_error *error) {
  say(stderr, "jounce identify: %s\n", error && *error->text ? error->text : jn_status_text(status));
  if (status == JN_ERR_LOOP && !error)
    fputs(
        "    the data must give the positions of the joints with motors (--actuated), and the loops must close there\n",
        stderr);
  return EXIT_BAD;
}

int identify_make(const identify_run *r, const double *speed, jn_identification **out) {
  jn_identification_options options;
  jn_error error = {0};
  jn_identification_options_init(&options);
  options.columns = r->columns;
  options.links = r->arg->links.count ? (const char *const *)r->arg->links.names : NULL;
  options.link_count = r->arg->links.count;
  options.motors = r->coupling ? r->motors : 0;
  options.coupling = r->coupling;
  options.coulomb_speed = speed;
  options.motor_names = (const char *const *)r->motor_names;
  options.motor_name_count = r->motor_names ? r->motors : 0;
  options.actuated = r->actuated;
  options.wrench_link = r->wrench_link;
  options.threads = total_rows(r) > THREAD_ROWS ? 0 : 1; /* threads are not worth their start for less */
  jn_status status = jn_identification_create(r->model, &options, out, &error);
  return status == JN_OK ? OPTION_GO_ON : failed(status, &error);
}

void identify_measurement(const identify_run *r, const measured *m, jn_measurement *how) {
  jn_measurement_init(how);
  how->cutoff = r->cutoff;
  how->delay = r->delay;
  how->scale = r->scale;
  how->limit = m->limit;
  how->motors = r->arg->motor_torques;
  how->wrench = r->wrench;
}

/* Adds a file; few: at most so many of its rows (0: all). */
static jn_status add_file(const identify_run *r, jn_identification *d, const measured *m, double delay, int few) {
  jn_measurement how;
  identify_measurement(r, m, &how);
  how.delay = delay;
  if (few > 0 && few < jn_trajectory_force_rows(m->trajectory))
    how.end = jn_trajectory_force_time(m->trajectory, few - 1);
  return jn_identification_add_trajectory(d, m->trajectory, &how);
}

static jn_status add_all(const identify_run *r, jn_identification *d, double delay, int few) {
  jn_status status = JN_OK;
  for (int i = 0; i < r->data_count && status == JN_OK; i++) status = add_file(r, d, &r->data[i], delay, few);
  return status;
}

/* Squares of residual / force of the base parameters, channel by channel [channels], on at most FEW_ROWS rows of each
 * file; 0 where nothing is measured. Their mean, NaN if that cannot be solved: channels count alike, whatever their
 * forces. */
static double squares_of(const identify_run *r, jn_identification *d, double delay, double *squares) {
  const jn_estimate *e = NULL;
  double sum = 0, all = 0, *force = allocate((size_t)r->channels * sizeof *force);
  jn_identification_clear(d, 0);
  if (add_all(r, d, delay, FEW_ROWS) == JN_OK && jn_identification_solve(d, 1, 0, &e) == JN_OK) {
    jn_identification_base_residuals(d, e->base, squares, force, NULL);
    for (int i = 0; i < r->channels; i++) {
      squares[i] = force[i] > 0 ? squares[i] * squares[i] / (force[i] * force[i]) : 0;
      sum += squares[i];
      all += force[i] > 0;
    }
  }
  free(force);
  return sum / all;
}

/* The same with these speeds of friction. */
static double squares_with(const identify_run *r, const double *speed, double delay, double *squares) {
  jn_identification *d = NULL;
  double mean = identify_make(r, speed, &d) == OPTION_GO_ON ? squares_of(r, d, delay, squares) : NAN;
  jn_identification_destroy(d);
  return mean;
}

/* Root mean square speeds of the motors, and of the coordinates (into r->speed_rms). */
static void measure_speeds(identify_run *r, double *motors) {
  enum { TIMES = 1000 };
  size_t nv = (size_t)r->nv;
  double *jet = allocate(3 * nv * sizeof *jet), samples = 0;
  memset(motors, 0, (size_t)r->motors * sizeof *motors);
  memset(r->speed_rms, 0, nv * sizeof *jet);
  for (int f = 0; f < r->data_count; f++)
    for (int k = 0; k <= TIMES; k++) {
      const jn_trajectory *t = r->data[f].trajectory;
      double start = jn_trajectory_start(t), end = jn_trajectory_end(t);
      jn_trajectory_evaluate(t, start + (end - start) * k / TIMES, 0, NULL, jet);
      for (size_t i = 0; i < nv; i++) r->speed_rms[i] += jet[i] * jet[i];
      for (int m = 0; m < r->motors; m++) {
        double speed = r->coupling ? 0 : jet[m];
        for (size_t i = 0; i < nv && r->coupling; i++) speed += r->coupling[(size_t)m * nv + i] * jet[i];
        motors[m] += speed * speed;
      }
      samples++;
    }
  for (size_t i = 0; i < nv; i++) r->speed_rms[i] = sqrt(r->speed_rms[i] / samples);
  for (int m = 0; m < r->motors; m++) motors[m] = sqrt(motors[m] / samples);
  free(jet);
}

/* What the channels that a motor drives leave over. */
static double motor_squares(const identify_run *r, int motor, const double *squares) {
  double sum = 0;
  if (!r->coupling) return squares[motor];
  for (int i = 0; i < r->nv; i++)
    if (r->coupling[(size_t)motor * (size_t)r->nv + (size_t)i] != 0) sum += squares[i];
  return sum;
}

/* Friction does not jump when a joint turns back: it fades below a share of the usual speed. Each motor gets the share
 * that leaves least on its joints; a sharper one, unless a softer one is clearly better. */
static void choose_speed(identify_run *r) {
  static const double shares[] = {0, 0.003, 0.01, 0.03, 0.1, 0.2};
  size_t bytes = (size_t)r->motors * sizeof(double);
  double *usual = allocate(bytes), *speed = allocate(bytes), *best = allocate(bytes);
  double *squares = allocate((size_t)r->channels * sizeof *squares);
  r->speed = allocate(bytes);
  r->speed_rms = allocate((size_t)r->nv * sizeof *r->speed_rms);
  measure_speeds(r, usual);
  for (int m = 0; m < r->motors; m++) {
    r->speed[m] = r->arg->coulomb_speed.count ? r->arg->coulomb_speed.values[0] : 0;
    best[m] = INFINITY;
  }
  bool search = !r->arg->coulomb_speed.count && (r->columns & JN_IDENTIFY_COULOMB);
  for (size_t k = 0; k < sizeof shares / sizeof *shares && search; k++) {
    for (int m = 0; m < r->motors; m++) speed[m] = shares[k] * usual[m];
    if (!isfinite(squares_with(r, speed, r->delay, squares))) break;
    for (int m = 0; m < r->motors; m++) {
      double left = motor_squares(r, m, squares);
      if (!(left < 0.98 * best[m])) continue;
      best[m] = left;
      r->speed[m] = speed[m];
    }
  }
  free(usual);
  free(speed);
  free(best);
  free(squares);
}

double identify_residual(const identify_run *r, jn_identification *d, double delay, double *squares) {
  double sum = 0, count = 0;
  if (!isfinite(squares_of(r, d, delay, squares))) return NAN;
  for (int i = 0; i < r->channels; i++) {
    if (squares[i] == 0) continue;
    sum += log(fmax(squares[i], 1e-20)); /* below that is rounding */
    count++;
  }
  return count > 0 ? exp(0.5 * sum / count) : 0;
}

/* One step of the search from *at, where *now is left: to the minimum of a parabola through three delays, or, where
 * that does not bend upwards, to twice the step; or to one of both neighbours, if that is better. Whether it is lower.
 */
static bool improve_delay(const identify_run *r, jn_identification *d, double step, double *room, double *at,
                          double *now) {
  double before = identify_residual(r, d, *at - step, room), after = identify_residual(r, d, *at + step, room);
  double bend = before + after - 2 * *now, side = after < before ? step : -step, least = fmin(before, after);
  double shift = bend > 0 ? fmin(fmax(0.5 * step * (before - after) / bend, -4 * step), 4 * step) : 2 * side;
  double next = identify_residual(r, d, *at + shift, room);
  if (least < next) next = least, shift = side;
  if (!(next < *now)) return false;
  *at += shift;
  *now = next;
  return true;
}

/* The delay that fits best. */
static void find_delay(identify_run *r) {
  enum { STEPS = 8 };
  const jn_trajectory *t = r->data[0].trajectory;
  int rows = jn_trajectory_force_rows(t);
  double step = 2 * (jn_trajectory_force_time(t, rows - 1) - jn_trajectory_force_time(t, 0)) / (rows - 1);
  double *room = allocate((size_t)r->channels * sizeof *room), least = 0.2 * step;
  jn_identification *d = NULL;
  r->best_delay = r->delay;
  if (identify_make(r, r->speed, &d) == OPTION_GO_ON) {
    double at = r->delay, now = identify_residual(r, d, at, room), first = now;
    bool is_near = false;
    for (int k = 0; k < STEPS && step > least; k++) {
      double from = at;
      is_near = !improve_delay(r, d, step, room, &at, &now);
      if (is_near) break;
      is_near = fabs(at - from) < 0.5 * step;
      if (is_near) step *= 0.25;
    }
    r->delay_is_open = !is_near && fabs(at - r->delay) > 4 * step;
    r->best_delay = fabs(at) < 1e-3 * least ? 0 : at; /* the search does not resolve less */
    r->delay_gain = first > 0 && isfinite(first) ? 1 - now / first : 0;
  }
  jn_identification_destroy(d);
  free(room);
}

/* What joints i and j leave over if motors turned with q_i + q_j or q_i - q_j (by = 1, -1) too; by = 0: as they are. */
static double left_with_coupling(const identify_run *r, int i, int j, double by) {
  size_t nv = (size_t)r->nv, rows = nv + (by != 0);
  identify_run other = *r;
  double *squares = allocate((size_t)r->channels * sizeof *squares), *speed = allocate(rows * sizeof *speed);
  other.motor_names = NULL;
  other.motors = (int)rows;
  other.coupling = allocate(rows * nv * sizeof *other.coupling);
  memset(other.coupling, 0, rows * nv * sizeof *other.coupling);
  for (size_t k = 0; k < nv; k++) other.coupling[k * nv + k] = 1, speed[k] = r->speed[k];
  if (by != 0) {
    other.coupling[nv * nv + (size_t)i] = 1;
    other.coupling[nv * nv + (size_t)j] = by;
    speed[nv] = fmax(r->speed[i], r->speed[j]);
  }
  double mean = squares_with(&other, speed, r->delay, squares), sum = squares[i] + squares[j];
  free(other.coupling);
  free(squares);
  free(speed);
  return isfinite(mean) ? sum : INFINITY;
}

void identify_find_coupling(identify_run *r) {
  r->coupled[0] = -1;
  if (r->coupling || r->actuated || !(r->columns & (JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB))) return;
  double best = 0.6; /* at most so much may be left of the squares */
  for (int j = 1; j < r->nv; j++) {
    int joint = jn_coordinate_joint(r->model, j, NULL), link = jn_link_parent(r->model, joint);
    while (link >= 0 && jn_joint_nv(r->model, link) == 0) link = jn_link_parent(r->model, link);
    int i = link >= 0 ? jn_joint_v(r->model, link) : -1;
    const fit_quality *q = &r->quality;
    if (i < 0 || !(q->rows[i] > 0) || !(q->rows[j] > 0)) continue;
    if (!(q->base[i] > 0.1 * q->force[i]) || !(q->base[j] > 0.1 * q->force[j])) continue;
    double before = left_with_coupling(r, i, j, 0);
    for (int sign = 1; sign >= -1; sign -= 2) {
      double now = left_with_coupling(r, i, j, sign) / before;
      if (!(now < best)) continue;
      best = now;
      r->coupled[0] = i;
      r->coupled[1] = sign * (j + 1);
    }
  }
}

/* The new model; links that are not identified, and that no body can be, are repaired. */
static jn_status make_result(identify_run *r) {
  jn_model *found = NULL;
  jn_options options;
  jn_status status = jn_identification_model(r->identification, r->estimate->x, &found);
  if (status != JN_OK) return status;
  jn_options_init(&options);
  options.report = jn_report_create(NULL);
  status = jn_model_repair(found, JN_REPAIR_MARGIN, &options, &r->result, NULL);
  print_notes(options.report, "inertia-", r->arg->model.source);
  jn_report_destroy(options.report);
  jn_model_destroy(found);
  return status;
}

/* The longest file [s], and the highest sampling rate [Hz]. */
static double find_extent(const identify_run *r, double *rate) {
  double longest = *rate = 0;
  for (int i = 0; i < r->data_count; i++) {
    const jn_trajectory *t = r->data[i].trajectory;
    int rows = jn_trajectory_force_rows(t);
    double whole = jn_trajectory_force_time(t, rows - 1) - jn_trajectory_force_time(t, 0);
    longest = fmax(longest, whole);
    *rate = fmax(*rate, (rows - 1) / whole);
  }
  return longest;
}

/* Options that no row of these data can satisfy, before anything is computed. */
static int check_options(const identify_run *r) {
  double rate, longest = find_extent(r, &rate), cutoff = r->arg->cutoff.count ? r->cutoff : 0;
  if (fabs(r->delay) >= longest)
    return usage_error("identify",
                       "--delay %g: the data last %.4g s, so no torque has a position at its time; delays are in "
                       "seconds",
                       r->delay, longest);
  if (2 * cutoff > rate)
    return usage_error("identify",
                       "--cutoff %g Hz is above half of the sampling rate of %.4g Hz, so the windows of the filter "
                       "would have no samples; --cutoff 0 takes each sample as it is",
                       cutoff, rate);
  if (cutoff > 0 && 3 / cutoff > longest)
    return usage_error("identify",
                       "--cutoff %g Hz: the filter needs %.4g s of data (3 / cutoff), but they last %.4g s; take a "
                       "higher cutoff, or 0 for none",
                       cutoff, 3 / cutoff, longest);
  return OPTION_GO_ON;
}

/* Why there are no rows. had_rows: before outliers were left out, there were. */
static int tell_no_rows(const identify_run *r, double factor, bool had_rows) {
  double rate, longest = find_extent(r, &rate);
  if (had_rows)
    return usage_error("identify",
                       "--outliers %g leaves no rows: all deviate by more than %g standard deviations; usual are 3 to "
                       "10, and 0 keeps all",
                       factor, factor);
  if (r->cutoff > 0 && 3 / r->cutoff > longest)
    say(stderr,
        "jounce identify: the data last %.4g s, but the filter that suits this motion, %.3g Hz, needs %.4g s "
        "(3 / cutoff); take longer data, a higher --cutoff, or --cutoff 0 for no filter\n",
        longest, r->cutoff, 3 / r->cutoff);
  else
    say(stderr,
        "jounce identify: no row can be used: the torques are missing, saturated or too large all the time, or every "
        "window of the filter has a gap (--cutoff 0 takes each sample as it is)\n");
  return EXIT_BAD;
}

int identify_solve(identify_run *r) {
  int result = identify_make(r, NULL, &r->identification);
  if (result != OPTION_GO_ON) return result;
  r->delay = r->arg->delay.count ? r->arg->delay.values[0] : 0;
  identify_choose_cutoff(r);
  result = check_options(r);
  if (result != OPTION_GO_ON) return result;
  choose_speed(r);
  find_delay(r);
  jn_identification_destroy(r->identification);
  r->identification = NULL;
  result = identify_make(r, r->speed, &r->identification);
  if (result != OPTION_GO_ON) return result;
  double factor = r->arg->outliers.count ? r->arg->outliers.values[0] : default_outliers;
  double prior = r->arg->prior.count ? r->arg->prior.values[0] : -1;
  jn_status status = add_all(r, r->identification, r->delay, 0);
  double rejected = -1; /* without the outliers the noise is less, and more rows may be found to be outliers */
  for (int pass = 0; pass < MOST_PASSES && status == JN_OK && factor > 0; pass++) {
    status = jn_identification_solve(r->identification, 1, 0, &r->estimate);
    if (status != JN_OK || r->estimate->rejected == rejected) break;
    rejected = r->estimate->rejected;
    jn_identification_clear(r->identification, factor);
    status = add_all(r, r->identification, r->delay, 0);
  }
  if (status == JN_OK) status = jn_identification_solve(r->identification, prior, !r->arg->base_only, &r->estimate);
  if (status == JN_ERR_MODEL) return tell_no_rows(r, factor, rejected >= 0);
  if (status == JN_OK) status = make_result(r);
  return status == JN_OK ? OPTION_GO_ON : failed(status, NULL);
}

/* ---- Judging ---- */

static jn_status judge(const identify_run *r, const jn_identification *d, fit_quality *q) {
  size_t bytes = (size_t)r->channels * sizeof(double);
  q->force = allocate(bytes);
  q->before = allocate(bytes);
  q->base = allocate(bytes);
  q->after = allocate(bytes);
  q->rows = allocate(bytes);
  jn_status status = jn_identification_residuals(d, jn_identification_prior(d), q->before, q->force, q->rows);
  if (status == JN_OK) status = jn_identification_base_residuals(d, r->estimate->base, q->base, NULL, NULL);
  if (status == JN_OK) status = jn_identification_residuals(d, r->estimate->x, q->after, NULL, NULL);
  return status;
}

int identify_judge(identify_run *r) {
  jn_status status = judge(r, r->identification, &r->quality);
  r->held_quality = allocate((size_t)(r->held_count + 1) * sizeof *r->held_quality);
  memset(r->held_quality, 0, (size_t)(r->held_count + 1) * sizeof *r->held_quality);
  for (int i = 0; i < r->held_count && status == JN_OK; i++) {
    jn_identification *d = NULL;
    int result = identify_make(r, r->speed, &d);
    if (result != OPTION_GO_ON) return result;
    r->held_quality[i].path = r->held[i].path;
    status = add_file(r, d, &r->held[i], r->delay, 0);
    if (status == JN_OK) status = judge(r, d, &r->held_quality[i]);
    jn_identification_destroy(d);
  }
  return status == JN_OK ? OPTION_GO_ON : failed(status, NULL);
}
