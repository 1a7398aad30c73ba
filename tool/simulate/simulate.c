/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce simulate: a robot, a state and forces in; the motion that they make out. */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../figure/figure.h"
#include "../files/output.h"
#include "../model/inside.h"
#include "../states/states.h"
#include "../text/print.h"

/* A billion steps of rk4 take an arm of seven joints about an hour; far more would never end. */
static const double default_duration = 1, default_step = 1e-3, most_samples = 1e7, most_steps = 1e9,
                    longest_duration = 1e9, shortest_duration = 1e-300;

/* ---- Arguments ---- */

/* One number of an option, if it is given: positive, or 0 where that is allowed. */
static int check_number(const char *name, const number_list *list, bool zero, const char *unit) {
  if (list->count == 0) return OPTION_GO_ON;
  if (list->count == 1 && (list->values[0] > 0 || (zero && list->values[0] == 0))) return OPTION_GO_ON;
  return usage_error("simulate", "--%s takes one %s number%s", name, zero ? "non-negative" : "positive", unit);
}

static int check_duration(double duration) {
  if (duration >= shortest_duration && duration <= longest_duration) return OPTION_GO_ON;
  return usage_error("simulate", "--duration %g: must be from %g to %g s", duration, shortest_duration,
                     longest_duration);
}

static int check_outputs(const simulate_arg *arg) {
  bool to_stdout = arg->out && strcmp(arg->out, "-") == 0;
  if (arg->out && !to_stdout && !writer_takes(arg->out))
    return usage_error("simulate", "--out %s: the name must end in .csv or .npz", arg->out);
  if (to_stdout && (arg->summary || arg->plot))
    return usage_error("simulate", "--out - writes CSV alone: --summary and --plot need a file there");
  if (arg->model.source && arg->initial && strcmp(arg->model.source, "-") == 0 && strcmp(arg->initial, "-") == 0)
    return usage_error("simulate", "MODEL and --initial cannot both be standard input");
  return figure_check("simulate", arg->plot, arg->size);
}

static int check_arguments(const simulate_arg *arg) {
  const struct {
    const char *name;
    const number_list *list;
    bool zero;
    const char *unit;
  } numbers[] = {{"duration", &arg->duration, false, " [s]"},
                 {"local-error", &arg->tolerance, false, ""},
                 {"step", &arg->step, false, " [s]"},
                 {"every", &arg->every, false, " [s]"},
                 {"taylor-order", &arg->order, false, ""},
                 {"restitution", &arg->restitution, true, ""},
                 {"friction-speed", &arg->friction_speed, false, " [rad/s, m/s]"}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    int result = check_number(numbers[i].name, numbers[i].list, numbers[i].zero, numbers[i].unit);
    if (result != OPTION_GO_ON) return result;
  }
  if (arg->duration.count && check_duration(arg->duration.values[0]) != OPTION_GO_ON) return EXIT_USAGE;
  if (arg->trajectory && arg->torque) return usage_error("simulate", "--motion makes the torques: give no --torque");
  if (arg->restitution.count && (!arg->events || strcmp(arg->events, "bounce") != 0))
    return usage_error("simulate", "--restitution is for --events=bounce");
  if (arg->restitution.count && arg->restitution.values[0] > 1)
    return usage_error("simulate", "--restitution is from 0 (stays at the stop) to 1 (no loss)");
  if (arg->events && *arg->events && strcmp(arg->events, "stop") != 0 && strcmp(arg->events, "bounce") != 0)
    return usage_error("simulate", "--events takes stop or bounce, not '%s'", arg->events);
  return check_outputs(arg);
}

/* ---- Method ---- */

bool has_fixed_steps(int integrator) { return integrator == JN_RUNGE_KUTTA_4 || integrator == JN_SEMI_IMPLICIT_EULER; }

/* The method, if none is given: the Taylor series, unless that of the forces is not known, or has a knot after every
 * few hundredths of a second as that of a motion to follow. */
static int choose_method(simulate_arg *arg, const acting_forces *f) {
  const char *rough = acting_forces_rough(f);
  int usual = f->law == FORCE_MOTION && !arg->order.count ? JN_DORMAND_PRINCE : JN_TAYLOR;
  if (arg->integrator == JN_INTEGRATORS) arg->integrator = arg->step.count ? JN_RUNGE_KUTTA_4 : usual;
  if (arg->integrator == JN_TAYLOR && rough && !arg->order.count) {
    if (arg->chosen) return usage_error("simulate", "%s; use --integrator dopri5", rough);
    arg->integrator = JN_DORMAND_PRINCE;
  }
  if (f->law == FORCE_MOTION && arg->order.count && arg->order.values[0] > JN_TRAJECTORY_MAX_ORDER + 1)
    return usage_error("simulate", "--motion is known with derivatives to order %d: --taylor-order at most %d",
                       JN_TRAJECTORY_MAX_ORDER, JN_TRAJECTORY_MAX_ORDER + 1);
  bool steps = has_fixed_steps(arg->integrator);
  const char *name = jn_integrator_name((jn_integrator)arg->integrator);
  if (arg->step.count && !steps)
    return usage_error("simulate", "--step is for rk4 and euler; %s has --local-error", name);
  if (arg->tolerance.count && steps)
    return usage_error("simulate", "--local-error is not for %s, which has --step", name);
  if (arg->order.count && arg->integrator != JN_TAYLOR)
    return usage_error("simulate", "--taylor-order is for the integrator taylor");
  return OPTION_GO_ON;
}

/* Whether the simulation would end: a limit for the steps of fixed length, and for the time where a method chooses
 * them. */
static int check_length(const simulate_arg *arg, double duration) {
  double step = arg->step.count ? arg->step.values[0] : default_step;
  int result = check_duration(duration);
  if (result != OPTION_GO_ON) return result;
  if (has_fixed_steps(arg->integrator) && !(duration / step <= most_steps))
    return usage_error("simulate",
                       "%.3g s in steps of %.3g s are %.3g steps, more than %g: take a longer --step, a shorter "
                       "--duration, or --integrator taylor, which chooses its steps",
                       duration, step, duration / step, most_steps);
  if (arg->every.count && duration / arg->every.values[0] > most_samples)
    return usage_error("simulate", "--every: %.3g samples are too many", duration / arg->every.values[0]);
  return OPTION_GO_ON;
}

static void set_options(const simulate_arg *arg, jn_simulation_options *o) {
  o->integrator = (jn_integrator)arg->integrator;
  if (arg->tolerance.count) o->tolerance = arg->tolerance.values[0];
  if (has_fixed_steps(arg->integrator)) o->step = arg->step.count ? arg->step.values[0] : default_step;
  if (arg->order.count) o->order = (int)fmin(arg->order.values[0], 1000);
  if (arg->friction_speed.count) o->friction_speed = arg->friction_speed.values[0];
  if (arg->restitution.count) o->restitution = arg->restitution.values[0];
  o->losses = arg->losses;
  if (arg->events) o->limits = strcmp(arg->events, "bounce") == 0 ? JN_LIMITS_BOUNCE : JN_LIMITS_STOP;
}

static int tell_options(const simulate_arg *arg, jn_status status) {
  if (status == JN_ERR_SIZE && arg->order.count && !(arg->order.values[0] >= 2 && arg->order.values[0] <= 60))
    return usage_error("simulate", "--taylor-order %g: the order of Taylor series is from 2 to 60",
                       arg->order.values[0]);
  if (status == JN_ERR_SIZE) return usage_error("simulate", "--local-error must be from 1e-16 to 0.1");
  say(stderr, "jounce: %s\n", jn_status_text(status));
  return EXIT_BAD;
}

/* ---- State ---- */

/* Moves the neutral configuration inside the position limits, and says so. */
static void start_inside(const jn_model *model, double *q) {
  char *outside = outside_limits_text(model, q);
  if (!outside) return;
  move_inside_limits(model, q);
  say(stderr,
      "jounce: note: the neutral configuration is outside of position limits, the start is the nearest inside them: "
      "%s; --initial gives another one\n",
      outside);
  free(outside);
}

/* q, v from --initial, from the start of --motion, or neutral and at rest. */
static int initial_state(const simulate_arg *arg, acting_forces *f, double *q, double *v) {
  const eval_need need = {.model = &arg->model};
  eval_states list = {0};
  size_t nq = (size_t)jn_model_nq(f->model), nv = (size_t)f->nv;
  jn_neutral(f->model, q);
  memset(v, 0, nv * sizeof *v);
  if (!arg->initial) {
    if (f->motion && follow_desired(f, 0, q, f->room) == JN_OK) memcpy(v, f->room, nv * sizeof *v);
    if (!f->motion && jn_loop_count(f->model) == 0) start_inside(f->model, q);
    return OPTION_GO_ON;
  }
#if !JN_WITH_JSON
  return usage_error("simulate", "this build reads no JSON, so there is no --initial");
#endif
  int result = eval_read_states(f->model, &need, arg->initial, arg->model.options.max_bytes, NULL, &list);
  if (result != OPTION_GO_ON) return result;
  if (list.count == 1) {
    memcpy(q, list.states[0].q, nq * sizeof *q);
    memcpy(v, list.states[0].v, nv * sizeof *v);
    for (size_t i = 0; i < nv; i++)
      if (list.states[0].tau[i] != 0) {
        say(stderr, "jounce: warning: %s: tau is not used; torques come from --torque\n", arg->initial);
        break;
      }
  } else {
    say(stderr, "jounce: %s: must have one state, not %d\n", arg->initial, list.count);
    result = EXIT_BAD;
  }
  eval_states_free(&list);
  return result;
}

/* Warns of a start outside of position limits; these are no events then. */
static void tell_outside(const simulate_arg *arg, const jn_model *model, bool has_loops, const double *q) {
  char *outside = outside_limits_text(model, q);
  if (!outside) return;
  const char *searched = has_loops ? "; no state inside them that closes the loops was found from there" : "";
  say(stderr, "jounce: warning: the start is outside of position limits%s: %s%s\n",
      arg->events ? ", which are no events then" : "", outside, searched);
  free(outside);
}

/* Says what a user may not expect of the start: torques that carry the weight also carry the base, and numbers resolve
 * large angles only coarsely. */
static void tell_start(const simulate_arg *arg, const jn_model *m, const jn_loops *loops, const double *q) {
  bool carries = arg->torque && (strcmp(arg->torque, "hold") == 0 || strcmp(arg->torque, "gravity") == 0);
  for (int j = 0; j < jn_link_count(m); j++) {
    int nv = jn_joint_nv(m, j);

    if (carries && jn_joint_type_of(m, j) == JN_FREE)
      say(stderr, "jounce: note: --torque %s also acts on the free joint '%s', which has no motor\n", arg->torque,
          jn_joint_name(m, j));

    for (int k = 0; k < nv && jn_joint_nq(m, j) == nv; k++) {
      double x = q[jn_joint_q(m, j) + k], resolved = 2.2e-16 * fabs(x);
      if (resolved > 1e-9)
        say(stderr,
            "jounce: warning: joint '%s' starts at %g, which numbers resolve to %.1g rad or m only: the motion is not "
            "known better\n",
            jn_joint_name(m, j), x, resolved);
    }
  }
  tell_outside(arg, m, loops != NULL, q);
}

/* ---- Running ---- */

static double duration_of(const simulate_arg *arg) {
  return arg->duration.count ? arg->duration.values[0] : default_duration;
}

static jn_status create_simulator(const jn_model *model, const jn_simulation_options *o, jn_loops **loops,
                                  jn_simulator **simulator) {
  *loops = NULL;
  if (jn_loop_count(model) == 0) return jn_simulator_create(model, o, simulator);
  jn_loops_options options;
  jn_loops_options_init(&options);
  if (o->integrator == JN_TAYLOR) options.order = (o->order ? o->order : jn_taylor_order(o->tolerance)) - 1;
  jn_status status = jn_loops_create(model, &options, loops);
  return status == JN_OK ? jn_simulator_create_loops(*loops, o, simulator) : status;
}

/* Closes the loops at the start, inside the position limits if that is possible. */
static jn_status close_start(const simulate_arg *arg, const acting_forces *f, jn_loops *loops, double *q, double *v) {
  if (!loops) return JN_OK;
  bool is_given = arg->initial || f->motion;
  jn_status status = close_inside_limits(f->model, loops, NULL, is_given, 0, q, NULL);
  memcpy(f->target, q, (size_t)jn_model_nq(f->model) * sizeof *q);
  return status == JN_OK ? jn_loops_project(loops, NULL, q, v) : status;
}

static int run_from(simulate_arg *arg, acting_forces *f, double *q, double *v, double duration) {
  jn_simulation_options options;
  jn_simulator *simulator = NULL;
  jn_loops *loops = NULL;
  jn_simulation_options_init(&options);
  set_options(arg, &options);
  acting_forces_use(f, q, &options);
  jn_status status = create_simulator(f->model, &options, &loops, &simulator);
  if (status == JN_OK) status = close_start(arg, f, loops, q, v);
  if (status == JN_OK) tell_start(arg, f->model, loops, q);
  int result =
      status == JN_OK ? simulate_run(arg, f, loops, &options, simulator, q, v, duration) : tell_options(arg, status);
  jn_simulator_destroy(simulator);
  jn_loops_destroy(loops);
  return result;
}

static int run(simulate_arg *arg) {
  acting_forces f;
  double duration = duration_of(arg);
  int result = check_arguments(arg);
  if (result == OPTION_GO_ON) result = model_arg_load(&arg->model);
  if (result != OPTION_GO_ON) return result;
  const jn_model *model = arg->model.model;
  result = acting_forces_init(&f, arg, model, duration);
  if (result == OPTION_GO_ON && f.motion && !arg->duration.count) duration = jn_trajectory_end(f.motion);
  if (result == OPTION_GO_ON && f.motion && duration > jn_trajectory_end(f.motion) * (1 + 1e-9)) {
    say(stderr, "jounce: %s: ends at %.15g s, before --duration %.15g s: there is no motion to follow then\n",
        arg->trajectory, jn_trajectory_end(f.motion), duration);
    result = EXIT_BAD;
  }
  if (result == OPTION_GO_ON) result = choose_method(arg, &f);
  if (result == OPTION_GO_ON) result = check_length(arg, duration);
  if (result == OPTION_GO_ON) {
    double *q = allocate((size_t)(jn_model_nq(model) + f.nv) * sizeof(double)), *v = q + jn_model_nq(model);
    result = initial_state(arg, &f, q, v);
    if (result == OPTION_GO_ON) result = run_from(arg, &f, q, v, duration);
    free(q);
  }
  acting_forces_free(&f);
  return result;
}

static const option simulate_options_1[] = {
    TEXT_OPTION(simulate_arg, initial, "initial", "STATE.json",
                "the state at t = 0, {\"q\": ..., \"v\": ...} as for eval, or key:NAME, a keyframe of an MJCF model; "
                "default: neutral and at rest, or the start of "
                "--motion"),
    NUMBERS_OPTION(simulate_arg, duration, "duration", "S",
                   "how long [s], at most 1e9; default 1, or as long as --motion"),
    TEXT_OPTION(
        simulate_arg, torque, "torque", "FILE",
        "torques: zero (default); gravity, which carry the weight; hold, which also keep the robot where it "
        "starts, with --gains; or a file with columns t and NAME.tau, units in brackets ([N mm], [ms]), straight from "
        "row to row",
        .words = "zero|gravity|hold"),
    TEXT_OPTION(
        simulate_arg, trajectory, "motion", "TRAJECTORY",
        "follow a trajectory (as for torque) by computed torque, with --gains; with --losses these are part of it",
        .words = "builtin:demo"),
    NAMES_OPTION(simulate_arg, actuated, "actuated", "LIST", "with --motion, " ACTUATED_HELP "those of the trajectory"),
    NUMBERS_OPTION(simulate_arg, gains, "gains", "KP,KD",
                   "gains of --torque hold [N m/rad, N m s/rad] and --motion [1/s^2, 1/s]; default 100,20"),
    FLAG_OPTION(simulate_arg, losses, "losses",
                "include damping and friction of the joints; friction is smooth near v = 0"),
    NUMBERS_OPTION(simulate_arg, friction_speed, "friction-speed", "V",
                   "speed below which friction fades [rad/s, m/s]; default 0.001"),
    TEXT_OPTION(simulate_arg, wrench, "wrench", "FILE", WRENCH_HELP),
    CHOICE_OPTION(simulate_arg, wrench_axes, "wrench-axes", "link|world", WRENCH_AXES_HELP),
    CHOICE_OPTION(simulate_arg, wrench_interpolation, "wrench-interpolation", "hold|linear|monotone|spline",
                  WRENCH_INTERPOLATION_HELP),
    MAYBE_OPTION(simulate_arg, events, "events", "[stop|bounce]",
                 "look for position limits: end there (stop, the default), or bounce off them with --restitution",
                 .words = "stop|bounce"),
    NUMBERS_OPTION(simulate_arg, restitution, "restitution", "E",
                   "speed after a bounce divided by the speed before it, 0 (default) to 1"),
    {0}};

static const option simulate_options_2[] = {
    CHOICE_OPTION(
        simulate_arg, integrator, "integrator", "taylor|dopri5|rodas|rk4|euler",
        "Taylor series (default, which goes over to rodas by itself where losses or springs are stiff); Dormand-Prince "
        "5(4); RODAS 4(3), implicit, for stiff systems; classical Runge-Kutta; semi-implicit Euler"),
    NUMBERS_OPTION(simulate_arg, tolerance, "local-error", "T",
                   "largest local error of taylor, dopri5 and rodas; default 1e-10"),
    NUMBERS_OPTION(simulate_arg, tolerance, "tolerance", "T", NULL, .instead = "local-error"),
    NUMBERS_OPTION(simulate_arg, step, "step", "H", "step of rk4 and euler [s]; default 0.001; at most 1e9 steps"),
    NUMBERS_OPTION(simulate_arg, order, "taylor-order", "P", "order of taylor; default: chosen from --local-error"),
    NUMBERS_OPTION(simulate_arg, order, "order", "P", NULL, .instead = "taylor-order"),
    {0}};

static const option simulate_options_3[] = {
    TEXT_OPTION(simulate_arg, out, "out", "FILE",
                "write time, motion and torques to FILE.csv or FILE.npz; -: only CSV to stdout", .is_output = true),
    NUMBERS_OPTION(simulate_arg, every, "every", "DT",
                   "time between samples [s]; default: a thousandth of the duration"),
    TEXT_OPTION(simulate_arg, plot, "plot", "FILE", PLOT_HELP, .is_output = true),
    SIZE_OPTION(simulate_arg, size),
    FLAG_OPTION(simulate_arg, summary, "summary", "print the largest values of each joint and the energy balance"),
    {0}};

static const option_group simulate_groups[] = {
    {.options = simulate_options_1},
    {.heading = "Method", .options = simulate_options_2},
    {.heading = "Results", .options = simulate_options_3},
    MODEL_GROUPS(simulate_arg, model),
};

const command_line simulate_line = {
    .name = "simulate",
    .brief = "move a robot in time under gravity, torques and losses",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Move a robot in time: from a state, under gravity, springs, torques, losses and wrenches.\n"
        "\n"
        "The file of --out has the columns that jounce torque reads and writes, so a simulated motion can go "
        "straight back into it. Ctrl-C leaves a complete file of what was done.\n"
        "\n"
        "SI units. The exit status is 0 if the end was reached, 1 if not: a limit with --events, a singular "
        "system, steps that would have to be too small, Ctrl-C; or if a file is bad.",
    .groups = simulate_groups,
    .group_count = COUNT_OF(simulate_groups),
};

int command_simulate(int argc, char **argv) {
  simulate_arg arg = {.wrench_interpolation = JN_INTERPOLATE_MONOTONE, .integrator = JN_INTEGRATORS};
  model_arg_init(&arg.model, "simulate");
  const char *words[1];
  int status = option_parse(&simulate_line, &arg, argc, argv, words);
  if (status == OPTION_GO_ON) {
    arg.model.source = words[0];
    arg.chosen = arg.integrator != JN_INTEGRATORS;
    status = run(&arg);
  }
  number_list *const lists[] = {&arg.gains, &arg.duration, &arg.tolerance,   &arg.step,
                                &arg.every, &arg.order,    &arg.restitution, &arg.friction_speed};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) number_list_free(lists[i]);
  name_list_free(&arg.actuated);
  model_arg_free(&arg.model);
  return status;
}
