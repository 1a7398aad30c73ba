/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce retime: the same path, as fast as the limits allow. */
#include <jounce/retime.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "figure.h"
#include "names.h"
#include "print.h"
#include "torque.h"

enum { FINE = 20, MOST_EVENTS = 30, MOST_ROWS = 10000000 };

typedef struct retime_arg {
  torque_arg torque;
  int uniform, moving_ends;
  const char *margin; /* "5%" or 0.05 */
  number_list intervals;
} retime_arg;

/* ---- The new motion ---- */

/* The state of the motion becomes that of the new one: q, velocity to jerk, torque and its rate. */
static jn_status retimed_at(const jn_retimed *r, motion *m, double t) {
  m->t = t;
  jn_status status = jn_retimed_evaluate(r, t, m->q, m->v_jet);
  if (status == JN_OK) status = jn_inverse_dynamics_jet(m->model, m->work, 1, m->q, m->v_jet, NULL, m->tau);
  return status == JN_OK ? motion_add_losses(m, 1, m->tau) : status; /* rows behind are not used */
}

typedef struct new_motion {
  const jn_retimed *r;
  motion *m;
  limit_check limits;
  writer *writer;
  plot_data *plot;
  double rate;
  int rows;
} new_motion;

/* Rows of the file and of the picture; limits 20 times as finely. */
static int run_samples(new_motion *x) {
  double duration = jn_retimed_duration(x->r);
  for (int i = 0; i < x->rows; i++) {
    double t = i < x->rows - 1 ? i / x->rate : duration;
    jn_status status = retimed_at(x->r, x->m, t);
    if (status == JN_OK && x->writer) writer_sample(x->writer, x->m);
    if (status == JN_OK && x->plot) plot_data_sample(x->plot, x->m);
    for (int k = 0; k < FINE && status == JN_OK; k++) {
      status = retimed_at(x->r, x->m, fmin(t + k / (FINE * x->rate), duration));
      if (status == JN_OK) limit_check_sample(&x->limits, x->m);
    }
    if (status != JN_OK) {
      motion_tell(x->m, status);
      return EXIT_BAD;
    }
  }
  return OPTION_GO_ON;
}

/* ---- Telling ---- */

static void event_unit(const jn_model *model, const jn_limit_event *e, char unit[UNIT_TEXT]) {
  int which = (int)e->which;
  if (which <= JN_LIMITED_JERK)
    motion_unit(model, e->v, which, unit);
  else if (e->which == JN_LIMITED_MOTOR_VELOCITY || e->which == JN_LIMITED_DEFLECTION)
    motion_unit(model, e->v, e->which == JN_LIMITED_MOTOR_VELOCITY, unit);
  else
    torque_unit(model, e->v, e->which == JN_LIMITED_EFFORT_RATE || e->which == JN_LIMITED_MOTOR_EFFORT_RATE, unit);
}

/* No factor helps: why. */
static int tell_impossible(const motion *m, const jn_limit_event *e) {
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], time[TIME_TEXT];
  if (e->v < 0) {
    say(stderr, "jounce: no speed keeps all limits\n");
    return EXIT_BAD;
  }
  jn_velocity_name(m->model, e->v, name, sizeof name);
  event_unit(m->model, e, unit);
  time_text(e->from, 4, time);
  const char *cause = e->which == JN_LIMITED_POSITION ? "the path itself goes there"
                      : e->which >= JN_LIMITED_EFFORT
                          ? "the weight alone, or what is left of it at any speed, breaks it"
                          : "it must not move";
  say(stdout, "No speed keeps all limits: %s %s is %.4g %s at %s s of the given motion, the limit is %.4g; %s\n", name,
      jn_limited_name(e->which), e->value, unit, time, e->limit, cause);
  return EXIT_BAD;
}

static void print_events(const motion *m, const jn_retimed *r) {
  static const table_column columns[] = {{"from [s]", ALIGN_POINT}, {"to", ALIGN_POINT},    {"joint", ALIGN_LEFT},
                                         {"limit", ALIGN_LEFT},     {"value", ALIGN_POINT}, {"unit", ALIGN_LEFT}};
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], time[TIME_TEXT];
  int count = jn_retimed_event_count(r);
  table t;
  table_init(&t, columns, 6);
  for (int i = 0; i < count && i < MOST_EVENTS; i++) {
    jn_limit_event e;
    if (jn_retimed_event(r, i, &e) != JN_OK) break;
    jn_velocity_name(m->model, e.v, name, sizeof name);
    event_unit(m->model, &e, unit);
    time_text(e.from, 3, time);
    table_cell(&t, time);
    time_text(e.to, 3, time);
    table_cell(&t, time);
    table_cell(&t, name);
    table_cell(&t, jn_limited_name(e.which));
    table_number(&t, e.value);
    table_cell(&t, unit);
  }
  puts("\nLimits that are reached (within 2 %, less the margin), and when");
  table_print(&t, stdout);
  if (count > MOST_EVENTS) printf("... and %d more\n", count - MOST_EVENTS);
}

static void print_durations(const retime_arg *arg, const motion *m, const jn_retimed *r, const jn_limit_event *e) {
  double before = jn_trajectory_end(m->trajectory) - jn_trajectory_start(m->trajectory), after = jn_retimed_duration(r);
  double factor = jn_retimed_factor(r);
  say(stdout, "%s along %s: %.6g s before, %.6g s now (%.4g times as fast), %s\n", jn_model_name(m->model),
      arg->torque.trajectory, before, after, before / after,
      arg->uniform ? "one factor for the whole motion" : "along the path");
  if (e->v >= 0 && !isnan(factor)) {
    char name[JN_COORDINATE_NAME], time[TIME_TEXT];
    jn_velocity_name(m->model, e->v, name, sizeof name);
    time_text(e->from, 4, time);
    say(stdout, "The largest uniform factor is %.9g: %s %s at %s s of the motion at that speed\n", factor, name,
        jn_limited_name(e->which), time);
  } else if (e->v < 0) {
    say(stdout, "No limit is reached up to a factor of %.9g, and none beyond was tried\n", factor);
  }
}

/* ---- Running ---- */

static int read_margin(const retime_arg *arg, double *margin) {
  *margin = 0;
  if (!arg->margin) return OPTION_GO_ON;
  char *end;
  *margin = strtod(arg->margin, &end);
  if (*end == '%') *margin /= 100, end++;
  if (end > arg->margin && *end == 0 && *margin >= 0 && *margin < 1) return OPTION_GO_ON;
  return usage_error("retime", "--margin takes a share from 0 to 1, or a percentage as 5%%; not '%s'", arg->margin);
}

static int write_new(const retime_arg *arg, motion *m, const jn_retimed *r, const limit *limits) {
  const torque_arg *t = &arg->torque;
  new_motion x = {.r = r, .m = m, .rate = t->rate.count ? t->rate.values[0] : 1000};
  unsigned char *chosen = NULL;
  int files = 0, result = choose_joints("retime", m->model, &t->joints, &chosen);
  if (result != OPTION_GO_ON) return result;
  double rows = floor(jn_retimed_duration(r) * x.rate + 1e-9) + 2;
  if (rows > MOST_ROWS) return usage_error("retime", "--rate: %g rows are too many", rows);
  x.rows = (int)rows;
  limit_check_init(&x.limits, m->nv);
  memcpy(x.limits.limits, limits, (size_t)m->nv * QUANTITIES * sizeof *limits);
  if (t->out) {
    x.writer = writer_open(t->out, m, 1, x.rows);
    if (!x.writer) result = EXIT_BAD;
  }
  if (result == OPTION_GO_ON && t->plot) x.plot = plot_data_create(m, chosen, &x.limits, 4, 1, x.rows);
  if (result == OPTION_GO_ON) result = run_samples(&x);
  int written = writer_close(x.writer, result == OPTION_GO_ON);
  if (result == OPTION_GO_ON) {
    result = limit_check_print(&x.limits, m);
    if (t->out && strcmp(t->out, "-") != 0 && written == EXIT_FINE) say(stdout, "\nWritten: %s\n", t->out);
    if (x.plot && plot_data_draw(x.plot, t->plot, &files) != OPTION_GO_ON)
      result = EXIT_BAD;
    else if (x.plot && strcmp(t->plot, "-") != 0)
      figure_tell(t->plot, files);
  }
  if (written != EXIT_FINE) result = written;
  limit_check_free(&x.limits);
  free(chosen);
  return result;
}

static void show_progress(double part, void *context) {
  (void)context;
  progress_show(part);
}

static int find_timing(const retime_arg *arg, motion *m, jn_elastic *elastic, const limit *limits, jn_retimed **r,
                       jn_limit_event *event) {
  jn_retime_options o;
  jn_retime_options_init(&o);
  jn_range *ranges = allocate((size_t)m->nv * JN_LIMITED_QUANTITIES * sizeof *ranges + 1);
  int result = read_margin(arg, &o.margin);
  o.uniform = arg->uniform;
  o.moving_ends = arg->moving_ends;
  o.elastic = elastic;
  o.losses = arg->torque.losses;
  o.progress = show_progress;
  if (arg->intervals.count) o.intervals = (int)fmin(fmax(arg->intervals.values[0], -1), 1e6);
  jn_limits_of_model(m->model, elastic, ranges);
  for (int v = 0; v < m->nv; v++)
    for (int k = 0; k < QUANTITIES; k++) {
      const limit *l = &limits[v * QUANTITIES + k];
      ranges[v * JN_LIMITED_QUANTITIES + k] = (jn_range){l->lower, l->upper};
    }
  jn_status status = JN_OK;
  if (result == OPTION_GO_ON) {
    progress_begin("retiming");
    status = jn_retime(m->model, m->trajectory, ranges, &o, r, event);
    progress_end();
  }
  free(ranges);
  if (status == JN_OK) return result;
  if (status == JN_ERR_SIZE) return usage_error("retime", "--intervals takes a whole number from 4 to 1000");
  if (status == JN_ERR_UNSUPPORTED && elastic)
    say(stderr, "jounce: --actuators: retiming needs linear springs without damping and Coulomb friction\n");
  else
    say(stderr, "jounce: %s\n", jn_status_text(status));
  return EXIT_BAD;
}

/* Whether anything but positions is limited: otherwise every timing can be made faster. */
static bool has_limits(const motion *m, const limit *limits) {
  for (int v = 0; v < m->nv; v++)
    for (quantity k = VELOCITY; k < QUANTITIES; k++)
      if (limit_is_finite(&limits[v * QUANTITIES + (int)k])) return true;
  return false;
}

static int run_motion(const retime_arg *arg, motion *m, jn_elastic *elastic) {
  const torque_arg *t = &arg->torque;
  jn_retimed *r = NULL;
  jn_limit_event event;
  limit *limits = allocate((size_t)m->nv * QUANTITIES * sizeof *limits + 1);
  int result = read_limits(m->model, t->limits ? t->limits : "", t->model.options.max_bytes, limits);
  if (result == OPTION_GO_ON && !elastic && !has_limits(m, limits)) {
    say(stderr,
        "jounce: '%s' has no limit of velocity, acceleration, jerk, effort or effort rate, so no timing is the "
        "fastest\n"
        "    give limits in a file: --limits FILE\n",
        jn_model_name(m->model));
    result = EXIT_BAD;
  }
  if (result == OPTION_GO_ON) result = find_timing(arg, m, elastic, limits, &r, &event);
  bool quiet = t->out && strcmp(t->out, "-") == 0;
  if (result == OPTION_GO_ON && !r) {
    result = tell_impossible(m, &event);
  } else if (result == OPTION_GO_ON) {
    if (!quiet) print_durations(arg, m, r, &event);
    if (!quiet) print_events(m, r);
    result = write_new(arg, m, r, limits);
  }
  jn_retimed_destroy(r);
  free(limits);
  return result;
}

static int check_arguments(const retime_arg *arg) {
  const torque_arg *t = &arg->torque;
  if (t->actuators && !arg->uniform)
    return usage_error("retime", "--actuators needs --uniform: motor torques depend on the snap of s(t), which jumps");
  if (t->actuators && t->losses) return usage_error("retime", "--losses is not for --actuators");
  if (t->out && strcmp(t->out, "-") == 0) return usage_error("retime", "--out takes FILE.csv or FILE.npz");
  return torque_check_arguments(t);
}

static int run(retime_arg *arg) {
  torque_arg *t = &arg->torque;
  jn_elastic *elastic = NULL;
  int result = check_arguments(arg);
  if (result == OPTION_GO_ON) result = model_arg_load(&t->model);
  if (result != OPTION_GO_ON) return result;
  if (jn_loop_count(t->model.model) > 0)
    return usage_error("retime", "'%s' has loops, for which there is no retiming yet", jn_model_name(t->model.model));
  if (t->actuators) {
    jn_error error = {0};
    if (jn_elastic_load(t->model.model, t->actuators, NULL, &elastic, &error) != JN_OK) {
      print_errors(NULL, &error, t->actuators);
      return EXIT_BAD;
    }
  }
  motion m;
  int order = elastic ? 4 : 2;
  result = motion_init(&m, t, t->model.model, order, order);
  if (result == OPTION_GO_ON) result = run_motion(arg, &m, elastic);
  motion_free(&m);
  jn_elastic_destroy(elastic);
  return result;
}

/* ---- Command ---- */

static void declare_options(option_set *set, retime_arg *arg) {
  torque_arg *t = &arg->torque;
  option_flag(set, "uniform", "one factor for the whole motion; default: as fast as possible at each place of the path",
              &arg->uniform);
  option_text(set, "limits", "FILE",
              "limits instead of those of the model, or in addition (JSON or CSV by joint names, or a built-in robot)",
              &t->limits);
  option_words(set, "builtin:");
  option_text(set, "margin", "SHARE", "keep this share of each limit unused, as 0.05 or 5%; default 0", &arg->margin);
  option_text(set, "actuators", "FILE", "with --uniform: limits of motors behind springs, too, as for motor",
              &t->actuators);
  option_flag(set, "losses", "include damping and friction of the joints", &t->losses);
  option_flag(set, "moving-ends", "a path that moves at its ends keeps moving there; default: starts and ends at rest",
              &arg->moving_ends);
  option_numbers(set, "intervals", "N", "of the path, on which the speed is a spline; default 200", &arg->intervals);
  option_text(set, "out", "FILE", "write the new motion to FILE.csv or FILE.npz, as jounce torque does", &t->out);
  option_text(set, "plot", "FILE", "plot it with gnuplot: FILE.svg, .png, .pdf, or - for text in the terminal",
              &t->plot);
  option_names(set, "joints", "LIST", "plot these joints only, by names or patterns", &t->joints);
  option_numbers(set, "rate", "HZ", "rows of --out in a second; default 1000", &t->rate);
  option_heading(set, "How TRAJECTORY is read");
  option_text(set, "tolerance", "X",
              "smooth samples with an RMS residual of at most X [rad, m]; 0: interpolate all; default auto",
              &t->tolerance);
  option_numbers(set, "bandwidth", "HZ", "highest frequency of the motion, anything faster is noise", &t->bandwidth);
  option_choice(set, "missing", "error|neutral", "joints without data: an error (default), or held at neutral",
                &t->missing);
  option_names(set, "columns", "NAME=COLUMN,...", "columns that are not named after their joints, as for torque",
               &t->columns);
  model_arg_options(set, &t->model);
}

int command_retime(int argc, char **argv) {
  option_set set;
  retime_arg arg = {.torque = {.command = "retime"}};
  torque_arg *t = &arg.torque;
  model_arg_init(&t->model);
  option_set_init(
      &set, "retime", "MODEL TRAJECTORY",
      "Give a motion another timing: the same path, as fast as the limits of position, velocity, acceleration, "
      "jerk, effort and effort rate allow.\n"
      "\n"
      "With --uniform, q(t) becomes q(c t) with the largest c; otherwise the speed along the path is "
      "optimised. A motion that breaks limits becomes slower, one that does not becomes faster. TRAJECTORY is "
      "read as by jounce torque.\n"
      "\n"
      "SI units. The exit status is 0 if the new motion keeps all limits, 1 if no speed does (the limit is "
      "named), or if a file is bad.");
  declare_options(&set, &arg);
  const char *words[2];
  int status = option_parse(&set, argc, argv, words, 2, 2);
  if (status == OPTION_GO_ON) {
    t->model.source = words[0];
    t->trajectory = words[1];
    status = run(&arg);
  }
  number_list_free(&arg.intervals);
  torque_arg_free(t);
  return status;
}
