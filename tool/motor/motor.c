/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce motor: robot, motion and actuators in; motor angles, torques, their rates, powers and margins out. */
#include "motor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../figure/figure.h"
#include "../model/names.h"
#include "../text/print.h"
#include "../text/progress.h"

typedef struct motor_arg {
  torque_arg torque;
  int modes, coupled;
} motor_arg;

/* ---- The motors at a time ---- */

void drive_init(drive *d, motion *m, jn_elastic *elastic) {
  size_t nv = (size_t)m->nv;
  *d = (drive){.m = m, .elastic = elastic, .nv = m->nv, .order = DRIVE_ORDER, .last = NAN};
  d->deflection = allocate(16 * nv * sizeof(double));
  d->theta = d->deflection + 5 * nv;
  d->motor = d->theta + 5 * nv;
  d->current = d->motor + 3 * nv;
  d->power = d->current + nv;
  d->spring = d->power + nv;
  d->shown = allocate((nv + 1) * sizeof *d->shown);
  for (int v = 0; v < m->nv; v++) {
    d->damped |= jn_elastic_actuator(elastic, v)->damping != 0;
    if (place_in_q(m->model, v) >= 0 && (!m->loops || m->actuated[v])) d->shown[d->count++] = v;
  }
}

void drive_free(drive *d) {
  free(d->deflection);
  free(d->shown);
}

static jn_status motors_now(drive *d, double t) {
  jn_status status = motion_at(d->m, t);
  const jn_motor_motion out = {d->deflection, d->theta, d->motor, d->current, d->power, d->spring};
  return status == JN_OK ? jn_elastic_inverse(d->elastic, d->order, t, d->m->q, d->m->v_jet, d->m->tau, &out) : status;
}

/* Damped springs go on from time to time in short steps. */
jn_status drive_at(drive *d, double t) {
  static const double longest = 2e-3;
  double from = d->last, steps = ceil((t - from) / longest);
  for (int i = 1; d->damped && i < steps && steps < 1e8; i++) {
    jn_status status = motors_now(d, from + (t - from) * i / steps);
    if (status != JN_OK) return status;
  }
  d->last = t;
  return motors_now(d, t);
}

void drive_tell(const drive *d, jn_status status) {
  char name[JN_COORDINATE_NAME];
  int v = jn_elastic_joint(d->elastic);
  if (status == JN_ERR_UNSUPPORTED) {
    say(stderr, "jounce: --coupled is for springs without damping, and for models without loops\n");
    return;
  }
  if (v < 0 || jn_velocity_name(d->m->model, v, name, sizeof name) != JN_OK) {
    motion_tell(d->m, status);
    return;
  }
  if (status == JN_ERR_SINGULAR)
    say(stderr, "jounce: at t = %.15g s: the spring of joint '%s' cannot make the torque of %.6g N m or N\n", d->m->t,
        name, d->m->tau[v]);
  else
    say(stderr, "jounce: at t = %.15g s: joint '%s': its damping is too small to follow; leave it out, or use --rate\n",
        d->m->t, name);
}

/* ---- Running ---- */

static int load_elastic(const motor_arg *arg, const jn_model *model, jn_elastic **elastic) {
  jn_elastic_options options;
  jn_error error = {0};
  jn_elastic_options_init(&options);
  options.coupled = arg->coupled;
  options.order = DRIVE_ORDER;
  options.max_bytes = arg->torque.model.options.max_bytes;
  if (jn_elastic_load(model, arg->torque.actuators, &options, elastic, &error) == JN_OK) return OPTION_GO_ON;
  print_errors(NULL, &error, arg->torque.actuators);
  return EXIT_BAD;
}

static int run_samples(drive *d, const schedule *s, limit_check *limits, motor_report *report) {
  jn_status status = JN_OK;
  progress_begin("computing motors");
  for (int i = 0; i < s->count && status == JN_OK; i++) {
    double t = schedule_time(s, i);

    /* Limits at all times up to this one. */
    if (limits) status = limit_check_until(limits, t);
    if (status == JN_OK) status = motor_report_until(report, t);
    if (status == JN_OK) status = drive_at(d, t);
    if (status != JN_OK) break;

    motor_report_sample(report, d);
    if (limits) limit_check_sample(limits, d->m);
    if (i % 64 == 0) progress_show((double)i / s->count);
  }

  if (limits && status == JN_OK) status = limit_check_until(limits, s->last_time);
  if (status == JN_OK) status = motor_report_until(report, s->last_time);
  progress_end();
  if (status != JN_OK) {
    drive_tell(d, status);
    return EXIT_BAD;
  }

  if (limits) status = limit_check_doubt(limits, d->m, s->first_time, s->last_time);
  if (status == JN_OK) return OPTION_GO_ON;
  motion_tell(d->m, status);
  return EXIT_BAD;
}

static void worse(int *result, int other) {
  if (other != EXIT_FINE && other != OPTION_GO_ON && (*result == EXIT_FINE || *result == EXIT_UNSURE)) *result = other;
}

static int tell_all(const motor_arg *arg, drive *d, const schedule *s, limit_check *limits, motor_report *report) {
  const torque_arg *t = &arg->torque;
  int result = EXIT_FINE, files = 0;
  bool quiet = t->out && strcmp(t->out, "-") == 0;
  if (!quiet) {
    char start[TIME_TEXT], end[TIME_TEXT];
    time_text(s->start, 6, start);
    time_text(s->end, 6, end);
    say(stdout, "%s along %s: %d sample%s from %s to %s s\n", jn_model_name(d->m->model), t->trajectory, s->count,
        s->count == 1 ? "" : "s", start, end);
    print_fit(d->m);
    worse(&result, motor_report_print(report, d));
  }
  if (limits) worse(&result, limit_check_print(limits, d->m, t));
  if (arg->modes) worse(&result, motor_modes(d, s->start, s->end));
  if (t->check) worse(&result, motor_check(d, s->start, s->end));
  if (t->out && !quiet) say(stdout, "\nWritten: %s\n", t->out);
  if (t->plot) {
    int drawn = motor_report_draw(report, t->plot, t->size, &files);
    worse(&result, drawn);
    if (drawn == OPTION_GO_ON && strcmp(t->plot, "-") != 0) figure_tell(t->plot, files);
  }
  return result;
}

static int run_motion(const motor_arg *arg, drive *d) {
  const torque_arg *t = &arg->torque;
  schedule s;
  limit_check check, *limits = t->limits ? &check : NULL;
  unsigned char *chosen = NULL;
  int result = schedule_make(t, d->m->trajectory, &s);
  if (result == OPTION_GO_ON) result = choose_joints("motor", d->m->model, &t->joints, &chosen);
  if (result != OPTION_GO_ON) return result;
  if (limits) {
    limit_check_init(limits, d->nv);
    limit_check_begin(limits, d->m, t, s.first_time, s.last_time);
    result = read_limits(d->m->model, t->limits, t->model.options.max_bytes, limits->limits);
  }
  motor_report *report = NULL;
  if (result == OPTION_GO_ON) {
    report = motor_report_create(d, t->out, t->plot, chosen, s.count);
    if (!report) result = EXIT_BAD;
  }
  if (result == OPTION_GO_ON) motor_report_begin(report, d, s.first_time, s.last_time, motion_hides(d->m, t));
  if (result == OPTION_GO_ON) result = run_samples(d, &s, limits, report);
  int written = motor_report_write(report, result == OPTION_GO_ON);
  if (result == OPTION_GO_ON && written == EXIT_FINE) result = tell_all(arg, d, &s, limits, report);
  if (written != EXIT_FINE) result = written;
  motor_report_free(report);
  if (limits) limit_check_free(limits);
  free(chosen);
  return result;
}

static int check_arguments(const motor_arg *arg) {
  const torque_arg *t = &arg->torque;
  bool to_stdout = t->out && strcmp(t->out, "-") == 0;
  if (!t->actuators)
    return usage_error("motor", "--actuators FILE is missing: stiffness and rotor_inertia of the joints, as JSON");
  if (to_stdout && arg->modes) return usage_error("motor", "--out - writes CSV alone: --modes needs a file there");
  if (t->check && t->losses)
    return usage_error("motor", "--check is for motions without --losses: friction that jumps cannot be integrated");
  if (arg->coupled && (t->losses || t->wrench))
    return usage_error("motor", "--coupled is for motions without --losses and --wrench");
  if (t->check && t->wrench) return usage_error("motor", "--check is for motions without --wrench");
  return torque_check_arguments(t);
}

static int run(motor_arg *arg) {
  torque_arg *t = &arg->torque;
  jn_elastic *elastic = NULL;
  int result = check_arguments(arg);
  if (result == OPTION_GO_ON) result = model_arg_load(&t->model);
  if (result == OPTION_GO_ON) result = load_elastic(arg, t->model.model, &elastic);
  if (result == OPTION_GO_ON) {
    motion m;
    int order = jn_elastic_order(elastic, DRIVE_ORDER), smooth = jn_elastic_order(elastic, 1);
    if (order > JN_TRAJECTORY_MAX_ORDER - 2) {
      say(stderr, "jounce: --coupled needs derivatives of order %d of the motion: too many springs in a row\n",
          order + 2);
      jn_elastic_destroy(elastic);
      return EXIT_BAD;
    }
    result = motion_init(&m, t, t->model.model, order, smooth);
    if (result == OPTION_GO_ON) {
      drive d;
      drive_init(&d, &m, elastic);
      result = run_motion(arg, &d);
      drive_free(&d);
      motion_note(&m);
    }
    motion_free(&m);
  }
  jn_elastic_destroy(elastic);
  return result;
}

/* ---- Command ---- */

static const option motor_options[] = {
    TEXT_OPTION(
        motor_arg, torque.actuators, "actuators", "FILE",
        "springs, rotors and limits of the motors by joint names, JSON: {\"joints\": {\"NAME\": {\"stiffness\": K, "
        "\"rotor_inertia\": B}}}; joints without an entry are rigid"),
    MAYBE_OPTION(motor_arg, torque.limits, "limits", "[FILE]",
                 "compare the motion of the links with the limits of the model, and of FILE, which override "
                 "them: " LIMITS_FILE_HELP "; limits of the motors are those of --actuators, which are always compared",
                 .words = "builtin:"),
    FLAG_OPTION(
        motor_arg, torque.check, "check",
        "integrate the elastic robot forward under the computed torques, and compare; exit status 1 if it does not "
        "follow"),
    FLAG_OPTION(motor_arg, modes, "modes",
                "print frequencies and shapes of the modes, at the start and along the motion"),
    FLAG_OPTION(motor_arg, coupled, "coupled",
                "rotors also turn with the links that carry them; needs a motion with two more derivatives for each "
                "spring joint"),
    TEXT_OPTION(motor_arg, torque.out, "out", "FILE",
                "write motors at every sample to FILE.csv or FILE.npz; -: only CSV to stdout, without tables",
                .is_output = true),
    TEXT_OPTION(motor_arg, torque.plot, "plot", "FILE", PLOT_HELP, .is_output = true),
    SIZE_OPTION(motor_arg, torque.size),
    NAMES_OPTION(motor_arg, torque.joints, "joints", "LIST", JOINTS_HELP),
    TEXT_OPTION(motor_arg, torque.wrench, "wrench", "FILE", WRENCH_HELP),
    CHOICE_OPTION(motor_arg, torque.wrench_axes, "wrench-axes", "link|world", WRENCH_AXES_HELP),
    CHOICE_OPTION(motor_arg, torque.wrench_interpolation, "wrench-interpolation", "hold|linear|monotone|spline",
                  WRENCH_INTERPOLATION_HELP),
    FLAG_OPTION(motor_arg, torque.losses, "losses", "include damping and friction of the joints, on the link side"),
    NAMES_OPTION(motor_arg, torque.actuated, "actuated", "LIST",
                 ACTUATED_HELP "those in the trajectory, or, if it has all joints, those with an effort limit above 0"),
    {0}};

static const option_group motor_groups[] = {
    {.options = motor_options},
    TRAJECTORY_GROUP(offsetof(motor_arg, torque)),
    SCHEDULE_GROUP(offsetof(motor_arg, torque)),
    MODEL_GROUPS(motor_arg, torque.model),
};

const command_line motor_line = {
    .name = "motor",
    .brief = "compute what the motors of elastic joints do along a motion",
    .arguments = "MODEL TRAJECTORY",
    .least = 2,
    .most = 2,
    .about =
        "Compute what motors behind springs (series elastic joints, harmonic drives) do along a motion.\n"
        "\n"
        "Angles, speeds and accelerations of the motors, the torque of the springs, motor torques and their "
        "rates, power and energy. Angles and torques are those at the joint: the motor's angle over the gear "
        "ratio, its torque times it. TRAJECTORY is read as by jounce torque.\n"
        "\n"
        "SI units. The exit status is 0 if all is well, 1 if a limit is exceeded, the check fails or a file is "
        "bad, 3 if it cannot be told whether all limits hold.",
    .groups = motor_groups,
    .group_count = COUNT_OF(motor_groups),
};

int command_motor(int argc, char **argv) {
  motor_arg arg = {.torque = {.command = "motor", .wrench_interpolation = JN_INTERPOLATE_MONOTONE}};
  torque_arg *t = &arg.torque;
  model_arg_init(&t->model, "motor");
  const char *words[2];
  int status = option_parse(&motor_line, &arg, argc, argv, words);
  if (status == OPTION_GO_ON) {
    t->model.source = words[0];
    t->trajectory = words[1];
    status = run(&arg);
  }
  torque_arg_free(t);
  return status;
}
