/* SPDX-License-Identifier: BSD-2-Clause */
/* The motion of jounce torque: trajectory, wrenches and torques at any time; models with loops are closed first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/names.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "motion.h"

/* ---- Reading ---- */

static void show_progress(double part, void *context) {
  (void)context;
  progress_show(part);
}

int motion_smoothing(const char *command, const char *text, jn_trajectory_options *options) {
  if (!text || strcmp(text, "auto") == 0) return OPTION_GO_ON;
  char *end;
  options->tolerance = strtod(text, &end);
  options->smoothing = options->tolerance > 0 ? JN_SMOOTH_TOLERANCE : JN_SMOOTH_NONE;
  if (*end == 0 && end > text && options->tolerance >= 0 && isfinite(options->tolerance)) return OPTION_GO_ON;
  return usage_error(command, "--tolerance takes a number [rad, m], 0 to go through every sample, or auto; not '%s'",
                     text);
}

/* Messages of one file. */
static int tell_messages(const jn_report *report, const jn_error *error, const char *source, jn_status status) {
  print_notes(report, "column-", source); /* which columns were taken for what */
  print_warnings(report, source);
  if (status == JN_OK) return OPTION_GO_ON;
  print_errors(report, error, source);
  return EXIT_BAD;
}

static jn_status load_trajectory(motion *m, const char *source, const jn_trajectory_options *options, jn_error *error) {
  if (strcmp(source, "-") != 0) return jn_trajectory_load(m->model, source, options, &m->trajectory, error);
  size_t length;
  char *text = read_standard_input(options->max_bytes, &length);
  if (!text) {
    *error = (jn_error){.status = JN_ERR_FILE};
    snprintf(error->text, sizeof error->text, "cannot be read");
    return JN_ERR_FILE;
  }
  jn_status status = jn_trajectory_load_text(m->model, text, length, STANDARD_INPUT, options, &m->trajectory, error);
  free(text);
  return status;
}

/* The motion of the joints that a path of a frame asks for. */
static int load_path(motion *m, const torque_arg *arg, const jn_trajectory_options *options) {
  int result = tool_path_open(&m->path, "torque", &arg->tool, arg->trajectory, m->model, m->order, options);
  if (result != OPTION_GO_ON) return result;
  m->trajectory = (jn_trajectory *)tool_path_poses(m->path); /* the path releases it */
  m->fitted = tool_path_model(m->path);
  return OPTION_GO_ON;
}

static int load(motion *m, torque_arg *arg, int smooth) {
  jn_trajectory_options options;
  jn_error error = {0};
  jn_trajectory_options_init(&options);
  options.order = smooth;
  options.strict = arg->model.strict;
  options.max_bytes = arg->model.options.max_bytes;
  options.missing_neutral = arg->missing || jn_loop_count(m->model) > 0;
  options.progress = show_progress;
  options.columns = (const char *const *)arg->columns.names;
  options.column_count = arg->columns.count;
  options.wrench_interpolation = (jn_interpolation)arg->wrench_interpolation;
  options.wrench_axes = arg->wrench_axes ? JN_IN_ALIGNED : JN_IN_BODY;
  if (arg->bandwidth.count) options.bandwidth = arg->bandwidth.values[0];
  int result = motion_smoothing(arg->command, arg->tolerance, &options);
  if (result == OPTION_GO_ON) result = log_arg_apply(&arg->log, arg->command, m->model, options.max_bytes, &options);
  if (result != OPTION_GO_ON) return result;
  if (arg->tool.frame) return load_path(m, arg, &options);
  options.report = jn_report_create(NULL);
  progress_begin("fitting splines");
  jn_status status = load_trajectory(m, arg->trajectory, &options, &error);
  progress_end();
  result = tell_messages(options.report, &error, arg->trajectory, status);
  if (result != OPTION_GO_ON && tool_path_looks_like_one(options.report))
    say(stderr, "    x, y and z may be the path of a tool: jounce %s --frame NAME\n",
        strcmp(arg->command, "torque") == 0 ? "torque MODEL FILE" : "reach MODEL --path FILE");
  jn_report_destroy(options.report);
  if (result != OPTION_GO_ON || !arg->wrench) return result;
  options.report = jn_report_create(NULL);
  status = jn_trajectory_load_wrenches(m->trajectory, arg->wrench, &options, &error);
  result = tell_messages(options.report, &error, arg->wrench, status);
  jn_report_destroy(options.report);
  return result;
}

static void begin(motion *m, const jn_model *model, int order, bool losses) {
  *m = (motion){.model = model, .fitted = model, .order = order, .losses = losses, .guess_time = NAN};
  m->nq = jn_model_nq(model);
  m->nv = jn_model_nv(model);
}

/* Memory, when there is a trajectory. */
static int set_up(motion *m, const torque_arg *arg) {
  const jn_model *model = m->model;
  int order = m->order;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, rows = (size_t)order + 2;
  m->q = allocate(2 * nq * sizeof(double));
  m->guess = m->q + nq;
  jn_neutral(model, m->guess);
  m->v_jet = allocate((3 * rows + 2) * nv * sizeof(double));
  m->tau = m->v_jet + rows * nv;
  m->passive = m->tau + rows * nv;
  m->loss = m->passive + rows * nv;
  m->held = allocate(3 * nv);
  m->actuated = m->held + nv;
  m->given = m->actuated + nv;
  m->turns_wrenches = arg->wrench_axes;
  if (jn_trajectory_has_wrenches(m->trajectory))
    m->wrench_jet = allocate(rows * 6 * (size_t)jn_link_count(model) * sizeof(double));
  jn_status status = jn_variant_name() ? jn_work_create_order(model, order, &m->work) : JN_ERR_VARIANT;
  if (status == JN_OK) return motion_init_loops(m, arg);
  say(stderr, "jounce: %s\n", jn_status_text(status));
  return EXIT_BAD;
}

int motion_init(motion *m, torque_arg *arg, const jn_model *model, int order, int smooth) {
  begin(m, model, order, arg->losses);
  int result = load(m, arg, smooth);
  return result == OPTION_GO_ON ? set_up(m, arg) : result;
}

int motion_init_trajectory(motion *m, const torque_arg *arg, const jn_model *model, int order, jn_trajectory *t) {
  begin(m, model, order, arg->losses);
  m->trajectory = t;
  return set_up(m, arg);
}

int motion_init_text(motion *m, const torque_arg *arg, const motion *as, int order, int smooth, const char *text,
                     size_t length) {
  jn_trajectory_options options;
  jn_error error = {0};
  begin(m, as->model, order, as->losses);
  jn_trajectory_options_init(&options);
  options.order = smooth;
  options.max_bytes = arg->model.options.max_bytes;
  if (length > options.max_bytes) {
    say(stderr,
        "jounce: the new motion has %.3g MB of rows, more than can be read again; a lower --rate makes fewer rows\n",
        (double)length / 1e6);
    return EXIT_BAD;
  }
  jn_status status = jn_trajectory_load_text(m->model, text, length, arg->out ? arg->out : "new motion", &options,
                                             &m->trajectory, &error);
  if (status != JN_OK) {
    print_errors(NULL, &error, arg->out ? arg->out : "new motion");
    return EXIT_BAD;
  }
  int result = set_up(m, arg);
  if (result != OPTION_GO_ON) return result;
  memcpy(m->held, as->held, 2 * (size_t)m->nv); /* and actuated */
  if (!m->wrench_jet && as->wrench_jet)
    m->wrench_jet = allocate(((size_t)order + 2) * 6 * (size_t)jn_link_count(m->model) * sizeof(double));
  return OPTION_GO_ON;
}

void motion_free(motion *m) {
  if (!m->path) jn_trajectory_destroy(m->trajectory);
  tool_path_close(m->path);
  jn_loops_destroy(m->loops);
  jn_work_destroy(m->work);
  free(m->q);
  free(m->v_jet);
  free(m->held);
  free(m->wrench_jet);
}

/* ---- At a time ---- */

/* force += sign * losses and their derivatives. Friction keeps its sign: from order 1 on there is damping only. */
jn_status motion_add_losses(motion *m, double sign, double *force) {
  int nv = m->nv;
  double *loss = m->loss, *damping = m->loss + nv;
  if (!m->losses) return JN_OK;
  jn_status status = jn_loss_forces(m->model, m->v_jet, loss);
  if (status == JN_OK) status = jn_loss_coefficients(m->model, damping, NULL);
  for (int k = 0; k <= m->order && status == JN_OK; k++) {
    const double *v = m->v_jet + (size_t)k * (size_t)nv;
    double *to = force + (size_t)k * (size_t)nv;
    for (int i = 0; i < nv; i++) to[i] += sign * (k == 0 ? loss[i] : damping[i] * v[i]);
  }
  return status;
}

/* Coordinates that the trajectory does not give, from the guess. */
static void take_guess(motion *m) {
  for (int v = 0; v < m->nv; v++) {
    int number, joint = jn_coordinate_joint(m->model, v, &number);
    if (m->given[v] || number > 0) continue;
    int at = jn_joint_q(m->model, joint);
    memcpy(m->q + at, m->guess + at, (size_t)jn_joint_nq(m->model, joint) * sizeof(double));
  }
}

static jn_status assemble(motion *m) {
  take_guess(m);
  jn_status status = motion_assemble(m);
  if (status == JN_OK) memcpy(m->guess, m->q, (size_t)m->nq * sizeof(double));
  return status;
}

/* From the neutral configuration to the first one, in small steps, so that the loops stay in the same branch. */
static jn_status walk_to_start(motion *m, double t) {
  enum { STEPS = 50 };
  double *neutral = allocate(2 * (size_t)m->nq * sizeof(double)), *first = neutral + m->nq;
  jn_neutral(m->model, neutral);
  jn_trajectory_evaluate(m->trajectory, t, 0, first, NULL);
  jn_status status = JN_OK;
  for (int i = 1; i <= STEPS && status == JN_OK; i++) {
    status = jn_interpolate(m->model, m->work, neutral, first, (double)i / STEPS, m->q);
    if (status == JN_OK) status = assemble(m);
  }
  free(neutral);
  m->guess_time = t;
  return status;
}

/* The trajectory with the oscillation that may be added to it. */
static jn_status evaluate(motion *m, double t) {
  jn_status status = m->path ? tool_path_at(m->path, t, m->order, m->q, m->v_jet)
                             : jn_trajectory_evaluate(m->trajectory, t, m->order, m->q, m->v_jet);
  const wobble *w = &m->wobble;
  const nudge *n = &m->nudge;
  if (status == JN_OK && n->size != 0) {
    int at = place_in_q(m->model, n->v);
    if (n->derivative > 0)
      m->v_jet[(size_t)(n->derivative - 1) * (size_t)m->nv + (size_t)n->v] += n->size;
    else if (at >= 0)
      m->q[at] += n->size;
  }
  if (status != JN_OK || w->amplitude == 0) return status;
  int place = place_in_q(m->model, w->v);
  double size = w->amplitude, phase = w->phase;
  if (place >= 0) m->q[place] += size * cos(phase);
  for (int k = 0; k < m->order + 2; k++) {
    size *= w->omega;
    phase += 1.5707963267948966; /* d/dt A cos(w t + p) = A w cos(w t + p + pi / 2) */
    m->v_jet[(size_t)k * (size_t)m->nv + (size_t)w->v] += size * cos(phase);
  }
  return JN_OK;
}

/* The joints that the trajectory does not give follow from the loops, on from where they were before. */
static jn_status close_loops(motion *m, double t) {
  double step = (jn_trajectory_end(m->trajectory) - jn_trajectory_start(m->trajectory)) / 200;
  bool whole = !memchr(m->given, 0, (size_t)m->nv); /* no branch is to be found, all is near where it should be */
  jn_status status = isnan(m->guess_time) && !whole ? walk_to_start(m, t) : JN_OK;
  if (whole) m->guess_time = t;
  double from = m->guess_time;
  int steps = (int)ceil(fabs(t - from) / step);
  for (int i = 1; i < steps && status == JN_OK; i++) {
    jn_trajectory_evaluate(m->trajectory, from + (t - from) * i / steps, 0, m->q, NULL);
    status = assemble(m);
  }
  if (status == JN_OK) status = evaluate(m, t);
  if (status == JN_OK) status = assemble(m);
  m->guess_time = t;
  return status == JN_OK ? jn_loops_complete_motion(m->loops, m->order, m->held, m->q, m->v_jet) : status;
}

/* What loops near a singular configuration leave of the digits. */
static void keep_rounding(motion *m) {
  jn_loops_health health;
  if (jn_loops_last_health(m->loops, &health) != JN_OK) return;
  double rounding = jn_loops_rounding(&health, m->order + 1);
  if (!(rounding > m->rounding)) return;
  m->rounding = rounding;
  m->rounding_time = m->t;
}

jn_status motion_path(motion *m, double t, int order, double *q, double *v_jet) {
  if (order > m->order) return JN_ERR_SIZE;
  m->t = t;
  jn_status status = evaluate(m, t);
  if (status == JN_OK && m->loops && !m->path) status = close_loops(m, t);
  if (q != m->q) memcpy(q, m->q, (size_t)m->nq * sizeof(double));
  if (v_jet != m->v_jet) memcpy(v_jet, m->v_jet, (size_t)(order + 2) * (size_t)m->nv * sizeof(double));
  return status;
}

jn_status motion_turn_wrenches(motion *m) {
  if (!m->wrench_jet || !m->turns_wrenches) return JN_OK;
  return jn_wrenches_to_body_jet(m->model, m->work, m->order, m->q, m->v_jet, m->wrench_jet);
}

jn_status motion_inputs_at(motion *m, double t) {
  jn_status status = motion_path(m, t, m->order, m->q, m->v_jet);
  if (status != JN_OK || !m->wrench_jet) return status;
  status = m->wrenches ? m->wrenches(m->wrench_context, t, m->order, m->wrench_jet)
                       : jn_trajectory_wrenches(m->trajectory, t, m->order, m->wrench_jet);
  return status == JN_OK ? motion_turn_wrenches(m) : status;
}

jn_status motion_at(motion *m, double t) {
  jn_status status = motion_inputs_at(m, t);
  return status == JN_OK ? motion_torques(m) : status;
}

jn_status motion_torques(motion *m) {
  size_t all = (size_t)(m->order + 1) * (size_t)m->nv;
  jn_status status;
  if (!m->loops) {
    status = jn_inverse_dynamics_jet(m->model, m->work, m->order, m->q, m->v_jet, m->wrench_jet, m->tau);
    return status == JN_OK ? motion_add_losses(m, 1, m->tau) : status;
  }
  memset(m->passive, 0, all * sizeof(double));
  motion_add_losses(m, -1, m->passive);
  for (size_t i = 0; i < all; i++)
    if (m->actuated[i % (size_t)m->nv]) m->passive[i] = 0;
  status = jn_loops_inverse_dynamics_jet(m->loops, m->order, m->actuated, JN_LEAST_TORQUE, NULL, m->q, m->v_jet,
                                         m->passive, m->wrench_jet, m->tau, NULL);
  if (status == JN_OK) keep_rounding(m);
  for (int v = 0; v < m->nv; v++) /* what is not actuated has no torque of its own */
    for (int k = 0; k <= m->order && !m->actuated[v]; k++) m->tau[(size_t)k * (size_t)m->nv + (size_t)v] = 0;
  if (status != JN_OK || !m->losses) return status;
  motion_add_losses(m, 1, memset(m->passive, 0, all * sizeof(double)));
  for (size_t i = 0; i < all; i++)
    if (m->actuated[i % (size_t)m->nv]) m->tau[i] += m->passive[i];
  return status;
}

void motion_note(const motion *m) {
  motion_note_loops(m);
  if (!(m->rounding > fmax(1e-6, 1000 * jn_variant_epsilon()))) return;
  say(stderr,
      "jounce: note: the loops are near a singular configuration at t = %.15g s: errors of about %.0e are to be "
      "expected there of motions at rates of one, in the highest order\n",
      m->rounding_time, m->rounding);
}

void motion_tell(const motion *m, jn_status status) {
  if (status == JN_ERR_REACH && m->path) {
    tool_path_tell(m->path, status);
    return;
  }
  say(stderr, "jounce: at t = %.15g s: %s\n", m->t, jn_status_text(status));
  if (status == JN_ERR_LOOP)
    fputs("    the joints of the trajectory must determine the others, and the loops must close there\n", stderr);
  if (status == JN_ERR_ACTUATION)
    fputs("    the actuated joints (--actuated; by default those of the trajectory) cannot make this motion\n", stderr);
}

/* ---- Names and units ---- */

bool is_angular(const jn_model *model, int v) {
  int number, joint = jn_coordinate_joint(model, v, &number);
  const jn_joint *description = jn_joint_description(model, joint);
  switch (jn_joint_type_of(model, joint)) {
    case JN_PRISMATIC:
      return false;
    case JN_CYLINDRICAL:
      return number == 0;
    case JN_PLANAR:
      return number == 2;
    case JN_FREE:
      return number < 3;
    case JN_GENERAL: {
      const double *screw = description->screws[number];
      return screw[0] != 0 || screw[1] != 0 || screw[2] != 0;
    }
    default:
      return true;
  }
}

static void unit_per_time(const char *unit, int order, char text[UNIT_TEXT]) {
  if (order == 0)
    snprintf(text, UNIT_TEXT, "%s", unit);
  else if (order == 1)
    snprintf(text, UNIT_TEXT, "%s/s", unit);
  else
    snprintf(text, UNIT_TEXT, "%s/s^%d", unit, order);
}

void motion_unit(const jn_model *model, int v, int order, char text[UNIT_TEXT]) {
  unit_per_time(is_angular(model, v) ? "rad" : "m", order, text);
}

void torque_unit(const jn_model *model, int v, int order, char text[UNIT_TEXT]) {
  unit_per_time(is_angular(model, v) ? "N m" : "N", order, text);
}

int place_in_q(const jn_model *model, int v) {
  int number, joint = jn_coordinate_joint(model, v, &number);
  jn_joint_type type = jn_joint_type_of(model, joint);
  return type == JN_FREE || type == JN_SPHERICAL ? -1 : jn_joint_q(model, joint) + number;
}

const char *configuration_unit(const jn_model *model, int i) {
  for (int v = 0; v < jn_model_nv(model); v++) {
    int number, joint = jn_coordinate_joint(model, v, &number);
    if (place_in_q(model, v) == i) return is_angular(model, v) ? "rad" : "m";
    int first = jn_joint_q(model, joint);
    if (jn_joint_type_of(model, joint) == JN_FREE && i >= first && i < first + 3) return "m";
  }
  return "1";
}
