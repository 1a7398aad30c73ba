/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce excite: a motion from which the parameters of a robot can be identified well. */
#include "excite.h"

#include <jounce/trajectory.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../model/names.h"
#include "../motion/limits.h"
#include "../text/number.h"
#include "../text/progress.h"

static const double pi = 3.14159265358979323846;
static const double default_duration = 10, default_rate = 100, default_share = 0.9, default_speed = 1;

typedef struct excite_arg {
  model_arg model;
  number_list duration, harmonics, points, starts, steps, seed, rate, share, speed;
  name_list ranges, forbidden;
  const char *out, *limits;
  int criterion; /* excite_criterion */
} excite_arg;

/* ---- Arguments ---- */

static int check_number(const char *name, const number_list *list, double least, double most, bool whole) {
  if (list->count == 0) return OPTION_GO_ON;
  double x = list->values[0];
  if (list->count == 1 && x >= least && x <= most && (!whole || x == floor(x))) return OPTION_GO_ON;
  return usage_error("excite", "--%s takes one %snumber from %g to %g", name, whole ? "whole " : "", least, most);
}

static int check_arguments(const excite_arg *arg) {
  const struct {
    const char *name;
    const number_list *list;
    double least, most;
    bool whole;
  } numbers[] = {{"duration", &arg->duration, 0.1, 1000, false},
                 {"harmonics", &arg->harmonics, 2, 20, true},
                 {"spline", &arg->points, 3, 40, true},
                 {"starts", &arg->starts, 1, 1000, true},
                 {"steps", &arg->steps, 0, 10000, true},
                 {"seed", &arg->seed, 0, 0x1p53, true},
                 {"rate", &arg->rate, 1, 1e5, false},
                 {"share", &arg->share, 0.01, 1, false},
                 {"speed", &arg->speed, 1e-3, 1e3, false}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    int result = check_number(numbers[i].name, numbers[i].list, numbers[i].least, numbers[i].most, numbers[i].whole);
    if (result != OPTION_GO_ON) return result;
  }
  if (arg->harmonics.count && arg->points.count)
    return usage_error("excite", "--harmonics is for Fourier series and --spline for splines: give one of them");
  if (arg->out && !ends_with(arg->out, ".json") && !ends_with(arg->out, ".csv"))
    return usage_error("excite", "--out %s: the name must end in .json or .csv", arg->out);
  return OPTION_GO_ON;
}

static double number_or(const number_list *list, double other) { return list->count ? list->values[0] : other; }

/* Only joints with one angle or length, each on its own. */
static int check_joints(const jn_model *model) {
  if (jn_loop_count(model) > 0)
    return usage_error(
        "excite",
        "'%s' has loops, so its joints cannot move one by one, and a search over each of them would tear "
        "the loops apart; write a motion of the driven joints (JSON, fourier), and see what it tells: "
        "jounce identify MODEL MOTION --foresee auto",
        jn_model_name(model));
  for (int v = 0; v < jn_model_nv(model); v++) {
    int joint = jn_coordinate_joint(model, v, NULL);
    jn_joint_type type = jn_joint_type_of(model, joint);
    const char *name = jn_joint_name(model, joint);
    if (type == JN_REVOLUTE || type == JN_CONTINUOUS || type == JN_PRISMATIC) continue;
    if (type == JN_FREE)
      return usage_error("excite",
                         "joint '%s' is free: no motor moves it, so its motion cannot be chosen; hang or clamp the "
                         "robot there and hold it with --lock %s",
                         name, name);
    return usage_error("excite",
                       "joint '%s' is %s; only joints with one angle or length are moved (revolute, continuous, "
                       "prismatic): lock it (--lock %s), or describe it by several of these",
                       name, jn_joint_type_name(type), name);
  }
  if (jn_model_is_coupled(model))
    return usage_error("excite",
                       "some joints follow others in this model (mimic), which the search does not know; lock them, or "
                       "use --mimic ignore if each has its own motor");
  if (jn_model_nv(model) == 0) return usage_error("excite", "no joint of this model moves");
  return OPTION_GO_ON;
}

/* An option that identify has, and that one may expect here. */
static int refuse_coupling(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--coupling") == 0 || strncmp(argv[i], "--coupling=", 11) == 0)
      return usage_error("excite",
                         "--coupling is an option of identify: motions are made for joints, whichever motors drive "
                         "them; see what a motion tells about coupled motors with jounce identify MODEL MOTION "
                         "--foresee auto --coupling FILE");
  return OPTION_GO_ON;
}

/* A joint cannot jump over a range that it is kept out of: it stays on the side with more room. */
static void keep_out(excite_limits *l, int v, double low, double high) {
  if (high <= l->low[v] || low >= l->high[v]) return;
  if (low - l->low[v] >= l->high[v] - high)
    l->high[v] = low;
  else
    l->low[v] = high;
}

/* "NAME=LOW:HIGH": to stay in, or out of. */
static int set_range(excitation *x, const char *where, const char *text, bool out) {
  const char *equal = strchr(text, '=');
  char *end = NULL, *name = copy_text(text, equal ? (size_t)(equal - text) : strlen(text));
  double low = equal ? strtod(equal + 1, &end) : 0, high = 0;
  int joint, status = OPTION_GO_ON;
  if (end && *end == ':') high = strtod(end + 1, &end);
  if (!equal || !end || *end || !(high > low) || !isfinite(high - low))
    status = usage_error("excite", "--%s takes NAME=LOW:HIGH,... with LOW < HIGH, not '%s'", where, text);
  if (status == OPTION_GO_ON) status = find_joint("excite", where, x->model, name, &joint);
  if (status == OPTION_GO_ON) {
    int v = jn_joint_v(x->model, joint);
    if (out) {
      keep_out(&x->limits, v, low, high);
    } else {
      x->limits.low[v] = fmax(low, x->limits.low[v]);
      x->limits.high[v] = fmin(high, x->limits.high[v]);
    }
    if (!(x->limits.high[v] > x->limits.low[v]))
      status = usage_error("excite", "--%s %s leaves nothing of the range of the joint", where, text);
  }
  free(name);
  return status;
}

/* The smaller side of a limit; infinite where there is none. */
static double size_of(limit l) {
  double size = fmin(fabs(l.lower), fabs(l.upper));
  return size > 0 ? size : INFINITY;
}

/* Limits of the model or of a file, the user's ranges, a share of both; defaults where there are none. */
static int set_limits(excitation *x, const excite_arg *arg) {
  double share = number_or(&arg->share, default_share), speed = number_or(&arg->speed, default_speed);
  excite_limits *l = &x->limits;
  limit *all = allocate((size_t)x->nv * QUANTITIES * sizeof *all);
  int read = read_limits(x->model, arg->limits ? arg->limits : "", arg->model.options.max_bytes, all);
  for (int v = 0; v < x->nv; v++) {
    const limit *own = all + (size_t)v * QUANTITIES, range = own[POSITION];
    double most = size_of(own[VELOCITY]);
    l->low[v] = isfinite(range.lower) ? range.lower : fmin(-pi, range.upper - 2 * pi);
    l->high[v] = isfinite(range.upper) ? range.upper : fmax(pi, l->low[v] + 2 * pi);
    l->velocity[v] = share * (isfinite(most) ? most : speed);
    l->acceleration[v] = share * size_of(own[ACCELERATION]);
    l->jerk[v] = share * size_of(own[JERK]);
    l->effort[v] = share * size_of(own[EFFORT]);
    l->effort_rate[v] = share * size_of(own[EFFORT_RATE]);
  }
  free(all);
  if (read != OPTION_GO_ON) return read;
  for (int i = 0; i < arg->ranges.count; i++) {
    int status = set_range(x, "keep-in", arg->ranges.names[i], false);
    if (status != OPTION_GO_ON) return status;
  }
  for (int i = 0; i < arg->forbidden.count; i++) {
    int status = set_range(x, "keep-out", arg->forbidden.names[i], true);
    if (status != OPTION_GO_ON) return status;
  }
  for (int v = 0; v < x->nv; v++) {
    double middle = 0.5 * (l->low[v] + l->high[v]), half = 0.5 * share * (l->high[v] - l->low[v]);
    l->low[v] = middle - half;
    l->high[v] = middle + half;
    x->middle[v] = middle;
    x->half[v] = half;
    x->speed[v] = l->velocity[v];
    x->weight[v] = isfinite(l->effort[v]) ? 1 / (l->effort[v] * l->effort[v]) : 1;
  }
  return OPTION_GO_ON;
}

/* ---- Output ---- */

/* Points of a spline of joint i, in its own unit, and their times. */
static void write_points(json_writer *j, const excitation *x, const double *z, int i) {
  enum { MOST = 42 };
  int n = x->points;
  const double *own = z + (size_t)i * ((size_t)n + 1);
  double points[MOST], times[MOST], home = x->middle[i] + x->half[i] * own[0];
  for (int k = 0; k <= n + 1; k++) {
    bool inner = k > 0 && k <= n;
    points[k] = home + (inner ? x->speed[i] * x->duration * 0.5 / (n + 1) * own[k] : 0);
    times[k] = x->duration * k / (n + 1);
  }
  emit_open_object(j, "minimum_snap");
  emit_numbers(j, "points", points, n + 2);
  emit_numbers(j, "times", times, n + 2);
  emit_close_object(j);
}

/* Cosines and sines of joint i, in its own unit. */
static void coefficients(const excitation *x, const double *z, int i, double *offset, double *c, double *s) {
  int n = x->harmonics;
  const double *own = z + (size_t)i * (2 * (size_t)n + 1);
  *offset = x->middle[i] + x->half[i] * own[0];
  for (int k = 1; k <= n; k++) {
    double size = x->speed[i] * x->duration / (2 * pi * k);
    c[k - 1] = size * own[k];
    s[k - 1] = size * own[n + k];
  }
}

static void write_json(FILE *f, const excitation *x, const double *z) {
  json_writer j;
  double c[20], s[20], offset;
  char name[JN_COORDINATE_NAME];
  emit_init(&j, f);
  emit_open_object(&j, NULL);
  emit_number(&j, "duration", x->duration);
  emit_open_object(&j, "joints");
  for (int i = 0; i < x->nv; i++) {
    jn_velocity_name(x->model, i, name, sizeof name);
    emit_open_object(&j, name);
    if (x->points) {
      write_points(&j, x, z, i);
    } else {
      coefficients(x, z, i, &offset, c, s);
      emit_open_object(&j, "fourier");
      emit_number(&j, "omega", 2 * pi / x->duration);
      emit_number(&j, "offset", offset);
      emit_numbers(&j, "cos", c, x->harmonics);
      emit_numbers(&j, "sin", s, x->harmonics);
      emit_close_object(&j);
    }
    emit_close_object(&j);
  }
  emit_close_object(&j);
  emit_close_object(&j);
  fputc('\n', f);
}

static void write_csv(FILE *f, const excitation *x, const double *z, double rate) {
  size_t nv = (size_t)x->nv;
  double *q = allocate(4 * nv * sizeof *q);
  char name[JN_COORDINATE_NAME];
  static const char *const endings[] = {"", "_d1", "_d2"};
  int rows = (int)ceil(x->duration * rate);
  fputs("t", f);
  for (int order = 0; order < 3; order++)
    for (int i = 0; i < x->nv; i++) {
      char unit[UNIT_TEXT];
      jn_velocity_name(x->model, i, name, sizeof name);
      motion_unit(x->model, i, order, unit);
      write_column_name(f, name, endings[order], unit);
    }
  fputc('\n', f);
  for (int r = 0; r <= rows; r++) {
    double t = fmin(r / rate, x->duration);
    excitation_at(x, z, t, q, q + nv, q + 2 * nv, q + 3 * nv);
    write_exact(f, t);
    write_exact_row(f, q, (int)(3 * nv));
    fputc('\n', f);
  }
  free(q);
}

static bool write_motion(const excitation *x, const double *z, const char *path, double rate) {
  output o;
  if (!ends_with(path, ".json") && !column_names_return(x->model, path, true)) return false;
  FILE *f = output_open(&o, path);
  if (!f) return false;
  if (ends_with(path, ".json"))
    write_json(f, x, z);
  else
    write_csv(f, x, z, rate);
  return output_close(&o, !ferror(f));
}

/* ---- Running ---- */

static double random_number(uint64_t *state) {
  uint64_t y = *state += 0x9e3779b97f4a7c15u;
  y = (y ^ (y >> 30)) * 0xbf58476d1ce4e5b9u;
  y = (y ^ (y >> 27)) * 0x94d049bb133111ebu;
  return (double)((y ^ (y >> 31)) >> 11) * 0x1p-52 - 1;
}

static const char *criterion_name(const excitation *x) {
  return x->criterion == EXCITE_CONDITION ? "condition number (smoothed)" : "log det of the information";
}

static double shown_value(const excitation *x, double value) {
  return x->criterion == EXCITE_CONDITION ? exp(value) : -value;
}

/* The best of several starts, within limits; false after telling that there is none. */
static bool search(excitation *x, const excite_arg *arg, double *best) {
  int n = excitation_count(x), starts = (int)number_or(&arg->starts, 3), steps = (int)number_or(&arg->steps, 60);
  size_t bytes = (size_t)n * sizeof(double), nv = (size_t)x->nv;
  uint64_t seed = (uint64_t)number_or(&arg->seed, 1);
  double *z = allocate(bytes + 2 * nv * sizeof *z), *speed = z + n, *best_speed = speed + nv;
  double least = INFINITY, first = INFINITY, duration = x->duration, best_duration = duration;
  memcpy(speed, x->speed, nv * sizeof *speed);
  for (int k = 0; k < starts; k++) {
    for (int i = 0; i < n; i++) z[i] = 0.7 * random_number(&seed) / sqrt(x->points ? 1 : x->terms);
    for (int i = 0; i < n; i += x->terms + 1) z[i] *= 0.2;
    x->duration = duration;
    memcpy(x->speed, speed, nv * sizeof *speed);
    excitation_project(x, z);
    first = fmin(first, excitation_value(x, z, NULL));
    progress_begin("searching");
    excitation_improve(x, z, steps, progress_show);
    progress_end();
    if (!excitation_tame(x, z)) continue;
    double value = excitation_value(x, z, NULL);
    say(stdout, "start %-3d %s %.4g\n", k + 1, criterion_name(x), shown_value(x, value));
    if (!(value < least)) continue;
    least = value;
    memcpy(best, z, bytes);
    memcpy(best_speed, x->speed, nv * sizeof *speed);
    best_duration = x->duration;
  }
  memcpy(x->speed, best_speed, nv * sizeof *speed);
  x->duration = best_duration;
  free(z);
  if (isfinite(least))
    printf("best      %.4g; the best random motion had %.4g\n", shown_value(x, least), shown_value(x, first));
  if (!isfinite(least))
    fputs("jounce excite: no motion within the limits was found: the weight alone breaks them?\n", stderr);
  return isfinite(least);
}

/* How much of each limit is used, as far as there are any. */
static void print_shares(const excitation *x, const double *z) {
  const excite_limits *l = &x->limits;
  const struct {
    const char *name;
    const double *limit; /* NULL: there always is one */
    int share;
  } quantities[] = {{"position", NULL, 0}, {"velocity", NULL, 1},    {"acceleration", l->acceleration, 2},
                    {"jerk", l->jerk, 5},  {"effort", l->effort, 3}, {"effort rate", l->effort_rate, 4}};
  double shares[EXCITE_SHARES];
  const char *between = "largest shares of the allowed: ";
  excitation_shares(x, z, shares);
  for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++) {
    bool any = !quantities[k].limit;
    for (int i = 0; i < x->nv && !any; i++) any = isfinite(quantities[k].limit[i]);
    if (!any) continue;
    say(stdout, "%s%s %.0f %%", between, quantities[k].name, 100 * shares[quantities[k].share]);
    between = ", ";
  }
  putchar('\n');
}

static void print_summary(const excitation *x, const double *z, double duration) {
  static const table_column columns[] = {
      {"joint", ALIGN_LEFT}, {"from", ALIGN_POINT}, {"to", ALIGN_POINT}, {"|v|", ALIGN_POINT}, {"|a|", ALIGN_POINT}};
  enum { TIMES = 1000 };
  size_t nv = (size_t)x->nv;
  double *q = allocate(8 * nv * sizeof *q), *low = q + 4 * nv, *high = low + nv, *v = high + nv, *a = v + nv;
  char name[JN_COORDINATE_NAME];
  for (size_t i = 0; i < nv; i++) low[i] = INFINITY, high[i] = -INFINITY, v[i] = a[i] = 0;
  for (int r = 0; r < TIMES; r++) {
    excitation_at(x, z, x->duration * r / TIMES, q, q + nv, q + 2 * nv, q + 3 * nv);
    for (size_t i = 0; i < nv; i++) {
      low[i] = fmin(low[i], q[i]);
      high[i] = fmax(high[i], q[i]);
      v[i] = fmax(v[i], fabs(q[nv + i]));
      a[i] = fmax(a[i], fabs(q[2 * nv + i]));
    }
  }
  table t;
  table_init(&t, columns, 5);
  for (int i = 0; i < x->nv; i++) {
    jn_velocity_name(x->model, i, name, sizeof name);
    table_cell(&t, name);
    table_number(&t, low[i]);
    table_number(&t, high[i]);
    table_number(&t, v[i]);
    table_number(&t, a[i]);
  }
  putchar('\n');
  table_print(&t, stdout);
  putchar('\n');
  if (x->duration > duration * (1 + 1e-9))
    say(stdout, "%.4g s instead of %.4g s, because the limits of effort or its rate need a slower motion", x->duration,
        duration);
  else
    say(stdout, "%.4g s", x->duration);
  say(stdout, ", %d %s; ", x->points ? x->points : x->harmonics, x->points ? "points" : "harmonics");
  print_shares(x, z);
  free(q);
}

static int excite(const excite_arg *arg) {
  excitation x;
  int status = check_joints(arg->model.model);
  if (status != OPTION_GO_ON) return status;
  int points = (int)number_or(&arg->points, 0);
  excitation_init(&x, arg->model.model, points ? 0 : (int)number_or(&arg->harmonics, 5), points,
                  number_or(&arg->duration, default_duration));
  x.criterion = (excite_criterion)arg->criterion;
  status = set_limits(&x, arg);
  if (status == OPTION_GO_ON && x.nb == 0) {
    fputs("jounce excite: nothing can be identified of this model\n", stderr);
    status = EXIT_BAD;
  }
  if (status == OPTION_GO_ON) {
    double *best = allocate((size_t)excitation_count(&x) * sizeof *best);
    say(stdout, "%s: %d base parameters with rotors, friction and offsets, seed %.0f\n", jn_model_name(x.model), x.nb,
        number_or(&arg->seed, 1));
    status = search(&x, arg, best) ? EXIT_FINE : EXIT_BAD;
    if (status == EXIT_FINE) print_summary(&x, best, number_or(&arg->duration, default_duration));
    if (status == EXIT_FINE && arg->out) {
      if (!write_motion(&x, best, arg->out, number_or(&arg->rate, default_rate)))
        status = EXIT_BAD;
      else
        say(stdout, "written: %s\n", arg->out);
    }
    free(best);
  }
  excitation_free(&x);
  return status;
}

static const option excite_options[] = {
    TEXT_OPTION(excite_arg, out, "out", "FILE", "write the motion: .json (closed form) or .csv", .is_output = true),
    NUMBERS_OPTION(excite_arg, duration, "duration", "S",
                   "length of one period [s]; default 10; made longer, with a message, if limits of effort need it"),
    NUMBERS_OPTION(excite_arg, harmonics, "harmonics", "N", "number of harmonics of the series; default 5"),
    TEXT_OPTION(excite_arg, limits, "limits", "FILE",
                "use these limits instead of those of the model, or in addition: " LIMITS_FILE_HELP,
                .words = "builtin:"),
    NUMBERS_OPTION(excite_arg, points, "spline", "N", "use splines through N points instead of Fourier series"),
    CHOICE_OPTION(excite_arg, criterion, "criterion", "log-det|condition",
                  "log-det of the information (default), or condition number"),
    NAMES_OPTION(excite_arg, ranges, "keep-in", "LIST", "NAME=LOW:HIGH: keep a joint within this range"),
    NAMES_OPTION(excite_arg, ranges, "range", "LIST", NULL, .instead = "keep-in"),
    NAMES_OPTION(excite_arg, forbidden, "keep-out", "LIST",
                 "NAME=LOW:HIGH: keep a joint out of this range, on the side with more space"),
    NUMBERS_OPTION(excite_arg, share, "share", "X", "share of all limits that may be used; default 0.9"),
    NUMBERS_OPTION(excite_arg, speed, "speed", "V", "velocity limit of joints that have none [rad/s, m/s]; default 1"),
    NUMBERS_OPTION(excite_arg, rate, "rate", "HZ", "rows of --out in a second; default 100"),
    NUMBERS_OPTION(excite_arg, starts, "starts", "N", "random motions that the search starts from; default 3"),
    NUMBERS_OPTION(excite_arg, steps, "steps", "N", "steps of each search; default 60"),
    NUMBERS_OPTION(excite_arg, seed, "seed", "N", "seed of the random motions; default 1"),
    {0}};

static const option_group excite_groups[] = {
    {.options = excite_options},
    MODEL_GROUPS(excite_arg, model),
};

const command_line excite_line = {
    .name = "excite",
    .brief = "find a motion for identification",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Find a motion from which the parameters of a robot can be identified: a Fourier series or a spline for each "
        "joint that maximises the information about the base parameters, within the limits of position, velocity, "
        "acceleration, effort and effort rate. It starts and ends at rest. Collisions are not looked at: keep joints "
        "out of the way with --keep-in and --keep-out, and try the motion slowly first.",
    .groups = excite_groups,
    .group_count = COUNT_OF(excite_groups),
};

int command_excite(int argc, char **argv) {
  excite_arg arg = {0};
  model_arg_init(&arg.model, "excite");
  int status = refuse_coupling(argc, argv);
  if (status == OPTION_GO_ON) status = option_parse(&excite_line, &arg, argc, argv, &arg.model.source);
  if (status == OPTION_GO_ON) status = check_arguments(&arg);
  if (status == OPTION_GO_ON) status = model_arg_load(&arg.model);
  if (status == OPTION_GO_ON) status = excite(&arg);
  number_list *const lists[] = {&arg.duration, &arg.harmonics, &arg.starts, &arg.steps, &arg.seed,
                                &arg.rate,     &arg.share,     &arg.speed,  &arg.points};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) number_list_free(lists[i]);
  name_list_free(&arg.ranges);
  name_list_free(&arg.forbidden);
  model_arg_free(&arg.model);
  return status;
}
