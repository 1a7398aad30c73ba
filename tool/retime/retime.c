/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce retime: the same path, as fast as the limits allow. */
#include "retime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../figure/figure.h"
#include "../model/names.h"
#include "../text/print.h"
#include "../text/progress.h"

enum { RAMP = 8 }; /* rows from zero to a limit */

/* ---- Arguments ---- */

static int read_margin(const retime_arg *arg, double *margin) {
  *margin = 0;
  if (!arg->margin) return OPTION_GO_ON;
  char *end;
  *margin = strtod(arg->margin, &end);
  if (*end == '%') *margin /= 100, end++;
  if (end > arg->margin && *end == 0 && *margin >= 0 && *margin < 1) return OPTION_GO_ON;
  return usage_error("retime", "--margin takes a share from 0 to below 1, or a percentage as 5%%; not '%s'",
                     arg->margin);
}

static int read_speed(const char *name, const char *text, double *speed) {
  char *end;
  *speed = NAN;
  if (!text) return OPTION_GO_ON;
  *speed = strtod(text, &end);
  if (end > text && *end == 0 && *speed >= 0 && isfinite(*speed)) return OPTION_GO_ON;
  return usage_error("retime", "--%s takes a number, 0: at rest, 1: as fast as the given motion; not '%s'", name, text);
}

static int read_options(const new_motion *x, jn_retime_options *o) {
  const retime_arg *arg = x->arg;
  jn_retime_options_init(o);
  int result = read_speed("start-speed", arg->start_speed, &o->start_speed);
  if (result == OPTION_GO_ON) result = read_speed("end-speed", arg->end_speed, &o->end_speed);
  o->uniform = arg->uniform;
  o->margin = x->margin;
  o->moving_ends = arg->moving_ends;
  o->smooth_ends = 1; /* so that other splines through the rows keep the limits, too */
  o->elastic = x->elastic;
  o->losses = arg->torque.losses;
  if (arg->corners > 2) o->intervals = arg->corners > 10 ? 1000 : 100 * arg->corners;
  if (arg->intervals.count) o->intervals = (int)fmin(fmax(arg->intervals.values[0], -1), 1e6);
  return result;
}

/* ---- Finding a timing ---- */

static void show_progress(double part, void *context) {
  (void)context;
  progress_show(part);
}

static jn_status path_at(void *context, double s, int order, double *q, double *v_jet) {
  return motion_path(context, s, order, q, v_jet);
}

static int tell_status(const motion *m, jn_status status) {
  motion_tell(m, status);
  return EXIT_BAD;
}

static int tell_error(const new_motion *x, jn_status status) {
  if (status == JN_ERR_SIZE) return usage_error("retime", "--intervals takes a whole number from 4 to 1000");
  if (status == JN_ERR_UNSUPPORTED && x->elastic)
    say(stderr,
        "jounce: --actuators: retiming needs springs without damping: what they do depends on what was before\n");
  else if (status == JN_ERR_UNSUPPORTED)
    say(stderr, "jounce: --losses is for models without loops\n");
  else
    motion_tell(x->m, status);
  return EXIT_BAD;
}

/* x->r: NULL if no speed is possible. */
static int find_timing(new_motion *x, const jn_range *ranges, const jn_retime_options *options) {
  motion *m = x->m;
  jn_retime_options o = *options;
  o.progress = show_progress;
  if (m->loops) {
    o.loops = m->loops;
    o.actuated = m->actuated;
  }
  if (m->loops || m->path) {
    o.motion = path_at;
    o.motion_context = m;
  }
  jn_retimed_destroy(x->r);
  progress_begin("retiming");
  jn_status status = jn_retime(m->model, m->trajectory, ranges, &o, &x->r, &x->event);
  progress_end();
  return status == JN_OK ? OPTION_GO_ON : tell_error(x, status);
}

static int nothing_limits(const new_motion *x) {
  say(stderr,
      "jounce: nothing limits this motion: even 1000 times as fast, no limit of '%s' is reached; give limits with "
      "--limits FILE, or the unit of the times if they are not in s\n",
      jn_model_name(x->m->model));
  return EXIT_BAD;
}

static int rows_differ(void) {
  say(stdout,
      "The motion itself keeps all limits at the places that were looked at, but a curve through its rows does not; "
      "nothing is written. A higher --rate may help.\n");
  return EXIT_BAD;
}

/* Lowers the limits that the rows break, or may break; the largest share, and that without doubts. */
static double lower_limits(const new_motion *x, jn_range *ranges, double *used) {
  double most = 0, one;
  *used = 0;
  for (int i = 0; i < x->m->nv * JN_LIMITED_QUANTITIES; i++) {
    int which = i % JN_LIMITED_QUANTITIES;
    double share = rows_share(x, i / JN_LIMITED_QUANTITIES, which, &one);
    most = fmax(most, share);
    *used = fmax(*used, one);
    if (!(share > 1 + 1e-9) || which == JN_LIMITED_POSITION) continue;
    double keep = 1 / (1 + 1.2 * (share - 1) + 1e-3), middle = 0.5 * (ranges[i].lower + ranges[i].upper);
    if (!isfinite(middle)) middle = 0;
    ranges[i] = (jn_range){middle + keep * (ranges[i].lower - middle), middle + keep * (ranges[i].upper - middle)};
  }
  return most;
}

/* Rows in a second, if the user leaves that open: 1000, unless the motion is so long that checking them would take
 * minutes, or so short that they would not show it. Then 1, 2 or 5 times a power of ten. */
static double usual_rate(double duration) {
  const double usual = 1000, most = 10000, least = 200, enough = 1000;
  double rows = usual * duration, wanted = (rows > most ? most : enough) / duration, power, digit;
  if (rows >= least && rows <= most) return usual;
  if (rows > most) {
    power = pow(10, floor(log10(wanted) + 1e-9));
    digit = wanted / power * (1 + 1e-9);
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
  }
  power = pow(10, ceil(log10(wanted) - 1e-9)) / 10;
  digit = wanted / power * (1 - 1e-9);
  return power * (digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void set_rate(new_motion *x, double rate, jn_retime_options *o) {
  x->rate = rate;
  o->step = fmin(1 / rate, 1e100); /* finite, also for the smallest numbers */
  o->ramp = RAMP * o->step;
}

/* After a timing was found; whether that changed the rate. */
static bool adapt_rate(new_motion *x, jn_retime_options *o) {
  double rate = usual_rate(jn_retimed_duration(x->r));
  if (x->arg->torque.rate.count || x->event.v < 0 || rate == x->rate) return false;
  set_rate(x, rate, o);
  return true;
}

/* A first rate, by the duration with one factor for all, which is quickly found: with rows too far apart, there may be
 * no timing at all. */
static int choose_rate(new_motion *x, const jn_range *ranges, jn_retime_options *o) {
  jn_retime_options quick = *o;
  set_rate(x, x->arg->torque.rate.count ? x->arg->torque.rate.values[0] : usual_rate(1), o);
  if (x->arg->torque.rate.count) return OPTION_GO_ON;
  quick.uniform = 1;
  quick.moving_ends = 0;
  quick.start_speed = quick.end_speed = NAN;
  int result = find_timing(x, ranges, &quick);
  if (result == OPTION_GO_ON && x->r) adapt_rate(x, o);
  return result;
}

/* Without a timing at the rate of the user: are the rows too far apart, or is there none at any rate? x->r stays NULL
 * in the second case. */
static int find_without_rows(new_motion *x, const jn_range *ranges, const jn_retime_options *options) {
  jn_retime_options o = *options;
  o.step = o.ramp = 0;
  o.smooth_ends = 0; /* which need a ramp */
  int result = find_timing(x, ranges, &o);
  if (result != OPTION_GO_ON || !x->r) return result;
  if (x->event.v < 0) return nothing_limits(x);
  result = rows_write(x);
  return result == OPTION_GO_ON ? rows_differ() : result;
}

/* The curve through the rows has to keep the limits. It follows the motion the better, the more rows there are for each
 * piece of its speed; what is left is taken off the limits, and the motion is found again. */
static int find_rows(new_motion *x, jn_range *ranges, jn_retime_options *o, bool *good) {
  enum { TRIES = 10, ROWS_EACH = 5, LEAST = 8 };
  int rated = choose_rate(x, ranges, o);
  if (rated != OPTION_GO_ON) return rated;
  for (int i = 0; i < TRIES; i++) {
    double used;
    int result = find_timing(x, ranges, o);
    if (i == 0 && result == OPTION_GO_ON && x->r && adapt_rate(x, o)) result = find_timing(x, ranges, o);
    if (result == OPTION_GO_ON && !x->r && i > 0) return rows_differ();
    if (result == OPTION_GO_ON && !x->r && x->arg->torque.rate.count) return find_without_rows(x, ranges, o);
    if (result != OPTION_GO_ON || !x->r) return result;
    if (x->event.v < 0) return nothing_limits(x);
    if (i == 0) { /* of the limits as they are */
      x->first = x->event;
      x->factor = jn_retimed_factor(x->r);
    }
    result = rows_write(x);
    if (result != OPTION_GO_ON) return result;
    int most = (x->rows - 1) / ROWS_EACH;
    if (!o->uniform && !x->arg->intervals.count && most < o->intervals && o->intervals > LEAST) {
      o->intervals = most > LEAST ? most : LEAST;
      continue;
    }
    result = rows_check(x);
    if (result != OPTION_GO_ON) return result;
    *good = lower_limits(x, ranges, &used) <= 1 + 1e-9;
    if (*good) return OPTION_GO_ON;
    if (!o->uniform && used > 1.03 && o->intervals > LEAST)
      o->intervals = o->intervals / 2 > LEAST ? o->intervals / 2 : LEAST;
  }
  return OPTION_GO_ON;
}

static int tell_rows(new_motion *x, bool good) {
  tell_durations(x);
  tell_rate(x);
  tell_events(x);
  int result = rows_tell(x);
  if (good && result == EXIT_FINE) {
    int saved = rows_save(x);
    return saved == OPTION_GO_ON ? EXIT_FINE : saved;
  }
  return rows_differ();
}

static jn_status fastest_joint(motion *m, double t, double *speed) {
  jn_status status = motion_path(m, t, m->order, m->q, m->v_jet);
  *speed = 0;
  for (int v = 0; v < m->nv; v++) *speed = fmax(*speed, fabs(m->v_jet[v]));
  return status;
}

/* Speeds of the ends are factors, which need something to multiply. */
static int check_ends(const retime_arg *arg, const jn_retime_options *o, motion *m) {
  const double speeds[2] = {o->start_speed, o->end_speed};
  enum { PLACES = 32 };
  double start = jn_trajectory_start(m->trajectory), end_time = jn_trajectory_end(m->trajectory), usual = 0;
  for (int k = 0; k <= PLACES && (speeds[0] > 0 || speeds[1] > 0); k++) {
    double fastest;
    jn_status status = fastest_joint(m, start + (end_time - start) * (k + 0.5) / (PLACES + 1), &fastest);
    if (status != JN_OK) return tell_status(m, status);
    usual = fmax(usual, fastest);
  }
  for (int end = 0; end < 2; end++) {
    double fastest;
    if (!(speeds[end] > 0)) continue;
    jn_status status = fastest_joint(m, end ? end_time : start, &fastest);
    if (status != JN_OK) return tell_status(m, status);
    if (fastest > 1e-9 * usual) continue; /* as jn_retime() sees it, whatever the unit of the times */
    say(stderr, "jounce: %s is at rest at its %s, so --%s-speed has nothing to multiply\n", arg->torque.trajectory,
        end ? "end" : "start", end ? "end" : "start");
    return EXIT_BAD;
  }
  return OPTION_GO_ON;
}

/* Samples that do not show the motion that the user says there is. */
static int check_samples(const retime_arg *arg, const motion *m) {
  double hidden = motion_hides(m, &arg->torque);
  if (hidden == 0) return OPTION_GO_ON;
  say(stderr,
      "jounce: %s: the samples show nothing faster than %.4g Hz, half of their rate, but --bandwidth says that the "
      "motion has parts up to %.4g Hz: no timing can be found for what they do not show\n",
      arg->torque.trajectory, motion_shown(m), hidden);
  return EXIT_UNSURE;
}

static int run_motion(const retime_arg *arg, motion *m, jn_elastic *elastic) {
  const torque_arg *t = &arg->torque;
  limit *limits = allocate((size_t)m->nv * QUANTITIES * sizeof *limits + 1);
  jn_range *ranges = allocate((size_t)m->nv * JN_LIMITED_QUANTITIES * sizeof *ranges + 1);
  new_motion x = {.arg = arg, .m = m, .elastic = elastic, .limits = limits};
  jn_retime_options o;
  bool good = false;
  int result = check_samples(arg, m);
  if (result == OPTION_GO_ON) result = read_margin(arg, &x.margin);
  if (result == OPTION_GO_ON) result = read_options(&x, &o);
  if (result == OPTION_GO_ON) result = check_ends(arg, &o, m);
  if (result == OPTION_GO_ON)
    result = read_limits(m->model, t->limits ? t->limits : "", t->model.options.max_bytes, limits);
  if (result == OPTION_GO_ON) {
    jn_limits_of_model(m->model, elastic, ranges);
    for (int v = 0; v < m->nv; v++)
      for (int k = 0; k < QUANTITIES; k++) {
        const limit *l = &limits[v * QUANTITIES + k];
        ranges[v * JN_LIMITED_QUANTITIES + k] = (jn_range){l->lower, l->upper};
      }
    result = find_rows(&x, ranges, &o, &good);
  }
  if (result == OPTION_GO_ON) result = x.r ? tell_rows(&x, good) : tell_impossible(&x);
  rows_free(&x);
  free(x.text);
  jn_retimed_destroy(x.r);
  free(limits);
  free(ranges);
  return result;
}

/* ---- Running ---- */

static int check_arguments(const retime_arg *arg) {
  const torque_arg *t = &arg->torque;
  if (t->actuators && t->losses) return usage_error("retime", "--losses is not for --actuators");
  if (arg->uniform && (arg->start_speed || arg->end_speed || arg->moving_ends))
    return usage_error(
        "retime",
        "--start-speed, --end-speed and --moving-ends are not for --uniform, whose ends are those of the given motion");
  if (arg->waypoints && (arg->uniform || t->wrench || arg->moving_ends || arg->start_speed || arg->end_speed))
    return usage_error("retime",
                       "--waypoints have no times, so --uniform, --wrench and speeds of the ends are not for them");
  if (arg->blend.count && !arg->waypoints) return usage_error("retime", "--blend is for --waypoints");
  if (t->out && strcmp(t->out, "-") == 0) return usage_error("retime", "--out takes FILE.csv or FILE.npz");
  return torque_check_arguments(t);
}

static int run(retime_arg *arg) {
  torque_arg *t = &arg->torque;
  jn_elastic *elastic = NULL;
  int result = check_arguments(arg);
  if (result == OPTION_GO_ON) result = model_arg_load(&t->model);
  if (result != OPTION_GO_ON) return result;
  if (t->actuators) {
    jn_error error = {0};
    jn_elastic_options options;
    jn_elastic_options_init(&options);
    options.order = DRIVE_ORDER;
    options.max_bytes = t->model.options.max_bytes;
    if (jn_elastic_load(t->model.model, t->actuators, &options, &elastic, &error) != JN_OK) {
      print_errors(NULL, &error, t->actuators);
      return EXIT_BAD;
    }
  }
  motion m = {0};
  int order = elastic ? 4 : 2;
  jn_trajectory *path = NULL;
  if (arg->waypoints) {
    result = points_load(arg, t->model.model, order, &path);
    if (result == OPTION_GO_ON) result = motion_init_trajectory(&m, t, t->model.model, order, path);
  } else {
    result = motion_init(&m, t, t->model.model, order, order);
  }
  if (result == OPTION_GO_ON) result = run_motion(arg, &m, elastic);
  motion_free(&m);
  jn_elastic_destroy(elastic);
  return result;
}

/* ---- Command ---- */

static const option retime_options[] = {
    FLAG_OPTION(retime_arg, uniform, "uniform",
                "one factor for the whole motion; default: as fast as possible at each place of the path"),
    TEXT_OPTION(retime_arg, torque.limits, "limits", "FILE",
                "use these limits instead of those of the model, or in addition: " LIMITS_FILE_HELP,
                .words = "builtin:"),
    TEXT_OPTION(retime_arg, margin, "margin", "SHARE",
                "keep this share of each limit unused, as 0.05 or 5%; default 0"),
    TEXT_OPTION(retime_arg, torque.actuators, "actuators", "FILE",
                "limits of motors behind springs, too: the file of jounce motor --actuators"),
    FLAG_OPTION(retime_arg, torque.losses, "losses", "include damping and friction of the joints"),
    FLAG_OPTION(retime_arg, moving_ends, "moving-ends",
                "a path that moves at its ends keeps moving there; default: starts and ends at rest"),
    TEXT_OPTION(retime_arg, start_speed, "start-speed", "X",
                "at the start, X times as fast as the given motion; default 0: at rest"),
    TEXT_OPTION(retime_arg, end_speed, "end-speed", "X", "the same at the end"),
    TEXT_OPTION(retime_arg, torque.wrench, "wrench", "FILE",
                WRENCH_HELP "; they belong to the places of the path, and come later in a slower motion"),
    CHOICE_OPTION(retime_arg, torque.wrench_axes, "wrench-axes", "link|world", WRENCH_AXES_HELP),
    CHOICE_OPTION(retime_arg, torque.wrench_interpolation, "wrench-interpolation", "hold|linear|monotone|spline",
                  WRENCH_INTERPOLATION_HELP),
    NAMES_OPTION(retime_arg, torque.actuated, "actuated", "LIST", ACTUATED_HELP "those in the trajectory"),
    NUMBERS_OPTION(retime_arg, intervals, "intervals", "N",
                   "intervals of the path, on which the speed is a spline; default 200"),
    FLAG_OPTION(retime_arg, waypoints, "waypoints",
                "TRAJECTORY has points, not times: joint names, and a row for each point"),
    NUMBERS_OPTION(retime_arg, blend, "blend", "X", "how far the path may pass the waypoints [rad, m]; default 0.01"),
    TEXT_OPTION(retime_arg, torque.out, "out", "FILE",
                "write the new motion to FILE.csv or FILE.npz, as jounce torque does", .is_output = true),
    TEXT_OPTION(retime_arg, torque.plot, "plot", "FILE", PLOT_HELP, .is_output = true),
    SIZE_OPTION(retime_arg, torque.size),
    NAMES_OPTION(retime_arg, torque.joints, "joints", "LIST", JOINTS_HELP),
    NUMBERS_OPTION(
        retime_arg, torque.rate, "rate", "HZ",
        "rows of --out in a second; default 1000, less for motions of more than 10 s, more for less than 0.2 s"),
    {0}};

static const option_group retime_groups[] = {
    {.options = retime_options},
    TRAJECTORY_GROUP(offsetof(retime_arg, torque)),
    MODEL_GROUPS(retime_arg, torque.model),
};

const command_line retime_line = {
    .name = "retime",
    .brief = "make a motion as fast as its limits allow, or slow enough",
    .arguments = "MODEL TRAJECTORY",
    .least = 2,
    .most = 2,
    .about =
        "Give a motion another timing: the same path, as fast as the limits of position, velocity, acceleration, "
        "jerk, effort and effort rate allow.\n"
        "\n"
        "With --uniform, q(t) becomes q(c t) with the largest c; otherwise the speed along the path is "
        "optimised. A motion that breaks limits becomes slower, one that does not becomes faster. TRAJECTORY is "
        "read as by jounce torque. The rows of the new motion are read back in the same way, and the curve through "
        "them is compared with all limits at 20 times their rate.\n"
        "\n"
        "SI units. The exit status is 0 if the new motion keeps all limits, 1 if no speed does (the limit is "
        "named), if nothing limits the motion, or if a file is bad, 3 if the samples do not show what --bandwidth "
        "says.",
    .groups = retime_groups,
    .group_count = COUNT_OF(retime_groups),
};

int command_retime(int argc, char **argv) {
  retime_arg arg = {.torque = {.command = "retime", .wrench_interpolation = JN_INTERPOLATE_MONOTONE}};
  torque_arg *t = &arg.torque;
  model_arg_init(&t->model, "retime");
  const char *words[2];
  int status = option_parse(&retime_line, &arg, argc, argv, words);
  if (status == OPTION_GO_ON) {
    t->model.source = words[0];
    t->trajectory = words[1];
    status = run(&arg);
  }
  number_list_free(&arg.intervals);
  number_list_free(&arg.blend);
  torque_arg_free(t);
  return status;
}
