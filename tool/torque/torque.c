/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque: robot and trajectory in; torques, their derivatives, margins to limits and plots out. */
#include "torque.h"
#include "../files/shard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../src/text/content.h"
#include "../command.h"
#include "../figure/figure.h"
#include "../files/output.h"
#include "../model/names.h"
#include "../text/print.h"
#include "../text/progress.h"

enum { DEFAULT_ORDER = 2 };

/* ---- Arguments ---- */

static int check_order(const torque_arg *arg, int *order) {
  const number_list *given = &arg->order;
  *order = DEFAULT_ORDER;
  if (given->count == 0) return OPTION_GO_ON;
  double k = given->values[0];
  if (given->count != 1 || k < 0 || k != floor(k) || k > JN_TRAJECTORY_MAX_ORDER - 1)
    return usage_error("torque", "--order takes one whole number from 0 to %d", JN_TRAJECTORY_MAX_ORDER - 1);
  *order = (int)k;
  return OPTION_GO_ON;
}

/* Is this a robot rather than a motion: a built-in one, XML, or JSON with bodies? */
static bool looks_like_model(const char *path) {
  char text[4096];
  if (strncmp(path, "builtin:", 8) == 0) return strcmp(path, "builtin:demo") != 0;
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  FILE *file = fopen(path, "rb");
  size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[n] = 0;
  jn_content content = jn__content(text, n, NULL);
  return jn__is_xml(content) || (content == JN_CONTENT_JSON && strstr(text, "\"bodies\""));
}

static int check_swapped(const torque_arg *arg) {
  const char *first = arg->model.source, *second = arg->trajectory;
  if (strcmp(first, "-") == 0 || !looks_like_model(second) || looks_like_model(first)) return OPTION_GO_ON;
  return usage_error(arg->command, "%s is a robot, which comes first; did you mean: jounce %s %s %s?", second,
                     arg->command, second, first);
}

int torque_check_arguments(const torque_arg *arg) {
  bool to_stdout = arg->out && strcmp(arg->out, "-") == 0;
  if (arg->payload.count != 0 && arg->payload.count != 4 && arg->payload.count != 10)
    return usage_error(arg->command, "--payload takes m,x,y,z (or these and Ixx,Iyy,Izz,Ixy,Ixz,Iyz), not %d numbers",
                       arg->payload.count);
  if (arg->joints.count > 0 && !arg->plot) return usage_error(arg->command, "--joints is for --plot");
  if (arg->shard && (!arg->out || to_stdout || !ends_with(arg->out, ".csv") || arg->plot || arg->check || arg->limits))
    return usage_error(arg->command,
                       "--shard writes a part of --out FILE.csv, and nothing else: put the parts together "
                       "with jounce gather before --limits, --check and --plot");
  if (arg->out && !to_stdout && !writer_takes(arg->out))
    return usage_error(arg->command, "--out %s: the name must end in .csv or .npz", arg->out);
  if (!arg->tool.frame &&
      (arg->tool.reference || arg->tool.start || arg->tool.free_rows.count || arg->tool.weights.count ||
       arg->tool.pull.count || arg->tool.margin.count || arg->tool.starts.count || arg->tool.ignore_limits))
    return usage_error(arg->command,
                       "--relative-to, --start, --starts, --free, --weights, --pull, --margin and --position-limits "
                       "are for --frame");
  if (arg->tool.frame && (arg->wrench || arg->columns.count || arg->missing || arg->log.motor_positions))
    return usage_error(
        arg->command,
        "--wrench, --columns, --missing and --motor-positions are not for --frame; jounce reach --path writes the "
        "motion of the joints, which they are for");
  if (arg->link && arg->payload.count == 0) return usage_error(arg->command, "--payload-frame is for --payload");
  if (arg->rate.count > 1 || (arg->rate.count == 1 && !(arg->rate.values[0] > 0)))
    return usage_error(arg->command, "--rate takes one positive number [1/s]");
  if (arg->bandwidth.count > 1 || (arg->bandwidth.count == 1 && !(arg->bandwidth.values[0] > 0)))
    return usage_error(arg->command, "--bandwidth takes one positive number [Hz]");
  if (arg->range.count != 0 && (arg->range.count != 2 || !(arg->range.values[1] > arg->range.values[0])))
    return usage_error(arg->command, "--range takes two times START,END [s]");
  if (to_stdout && (arg->check || arg->limits || arg->plot))
    return usage_error(arg->command, "--out - writes CSV alone: --check, --limits and --plot need a file there");
  if (strcmp(arg->model.source, "-") == 0 && strcmp(arg->trajectory, "-") == 0)
    return usage_error(arg->command, "MODEL and TRAJECTORY cannot both be standard input");
  int result = figure_check(arg->command, arg->plot, arg->size);
  if (result == OPTION_GO_ON) result = check_swapped(arg);
  return result;
}

/* ---- Payload ---- */

/* The one link that carries no other; JN_NONE when there are several. */
static int only_tip(const jn_model *model, char **names) {
  int tip = JN_NONE, count = 0, links = jn_link_count(model);
  *names = copy_text("", 0);
  for (int i = 0; i < links; i++) {
    if (jn_link_subtree_end(model, i) != i + 1 || jn_link_is_fixed(model, i)) continue;
    char *longer = format_text("%s%s%s", *names, count ? ", " : "", jn_link_name(model, i));
    free(*names);
    *names = longer;
    tip = i;
    count++;
  }
  return count == 1 ? tip : JN_NONE;
}

static int find_payload_frame(const torque_arg *arg, int *frame) {
  const jn_model *model = arg->model.model;
  if (!arg->link) {
    char *names;
    *frame = only_tip(model, &names);
    int status =
        *frame >= 0
            ? OPTION_GO_ON
            : usage_error("torque", "--payload needs --payload-frame: the model ends in several links: %s", names);
    free(names);
    return status;
  }
  return find_frame("torque", "payload-frame", model, arg->link, frame);
}

/* Does a body with this inertia exist? A rod or a plate, whose least moment may be zero, does. */
static int check_payload(const double *p, int count) {
  const double centre[3] = {0};
  double tensor[6] = {0}, inertia[10], size = 0;
  for (int i = 0; i < count; i++)
    if (!isfinite(p[i])) return usage_error("torque", "--payload: number %d is not finite", i + 1);
  if (p[0] < 0) return usage_error("torque", "--payload: the mass %g kg is negative", p[0]);
  if (count < 10) return OPTION_GO_ON;
  memcpy(tensor, p + 4, sizeof tensor);
  for (int i = 0; i < 6; i++) size = fmax(size, fabs(tensor[i]));
  if (size == 0) return OPTION_GO_ON;
  if (p[0] == 0) return usage_error("torque", "--payload: without a mass there are no moments of inertia");
  for (int i = 0; i < 3; i++) tensor[i] += 1e-6 * size;
  jn_inertia_pack(p[0], centre, tensor, inertia);
  if (jn_inertia_is_physical(inertia)) return OPTION_GO_ON;
  return usage_error(
      "torque",
      "--payload: no body has the inertia Ixx,Iyy,Izz,Ixy,Ixz,Iyz = %g,%g,%g,%g,%g,%g: principal moments "
      "must not be negative, nor one larger than the sum of the others",
      p[4], p[5], p[6], p[7], p[8], p[9]);
}

/* The model with the payload, or the model itself. *owned is what to destroy. */
static int add_payload(const torque_arg *arg, const jn_model **model, jn_model **owned) {
  int frame;
  double T[16], com[3], inertia[10], R[9], tensor[6] = {0}, turned[6] = {0};
  const double *p = arg->payload.values;
  *model = arg->model.model;
  *owned = NULL;
  if (arg->payload.count == 0) return OPTION_GO_ON;
  int status = check_payload(p, arg->payload.count);
  if (status == OPTION_GO_ON) status = find_payload_frame(arg, &frame);
  if (status != OPTION_GO_ON) return status;
  jn_frame_placement(arg->model.model, frame, T);
  if (frame < jn_link_count(arg->model.model))
    for (int i = 0; i < 16; i++) T[i] = i % 5 == 0;
  for (int i = 0; i < 3; i++) com[i] = T[4 * i + 3] + T[4 * i] * p[1] + T[4 * i + 1] * p[2] + T[4 * i + 2] * p[3];
  if (arg->payload.count == 10) memcpy(tensor, p + 4, sizeof tensor);
  for (int i = 0; i < 9; i++) R[i] = T[4 * (i / 3) + i % 3];
  static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) /* R I R^T */
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        int at = a == b ? a : a + b + 2; /* xx yy zz xy xz yz */
        turned[k] += R[3 * place[k][0] + a] * tensor[at] * R[3 * place[k][1] + b];
      }
  jn_inertia_pack(p[0], com, turned, inertia);
  jn_status done = jn_model_with_payload(arg->model.model, jn_frame_link(arg->model.model, frame), inertia, owned);
  if (done != JN_OK) {
    say(stderr, "jounce: --payload: %s\n", jn_status_text(done));
    return EXIT_BAD;
  }
  *model = *owned;
  return OPTION_GO_ON;
}

/* ---- Running ---- */

typedef struct sinks {
  summary summary;
  limit_check limits;
  bool with_limits;
  writer *writer;
  plot_data *plot;
} sinks;

static int stop(const motion *m, jn_status status) {
  progress_end();
  motion_tell(m, status);
  return EXIT_BAD;
}

static int run_samples(motion *m, const schedule *s, sinks *to) {
  motion_block *block = motion_block_create(m);
  jn_status status = JN_OK;
  progress_begin("computing torques");
  for (int i = 0; i < s->count && status == JN_OK; i++) {
    /* Limits at all times up to this one. */
    if (to->with_limits) status = limit_check_until(&to->limits, schedule_time(s, i));
    if (status == JN_OK) status = motion_sample(m, block, s, i);
    if (status != JN_OK) break;

    summary_sample(&to->summary, m);
    if (to->with_limits) limit_check_sample(&to->limits, m);
    if (to->writer) writer_sample(to->writer, m);
    if (to->plot) plot_data_sample(to->plot, m);
    if (i % 64 == 0) progress_show((double)i / s->count);
  }

  motion_block_free(block);
  if (status == JN_OK && to->with_limits) status = limit_check_until(&to->limits, s->last_time);
  progress_end();
  if (status == JN_OK && to->with_limits) status = limit_check_doubt(&to->limits, m, s->first_time, s->last_time);
  return status == JN_OK ? OPTION_GO_ON : stop(m, status);
}

static void print_head(const torque_arg *arg, const motion *m, const schedule *s) {
  char start[TIME_TEXT], end[TIME_TEXT];
  time_text(s->start, 6, start);
  time_text(s->end, 6, end);
  say(stdout, "%s along %s: %d sample%s from %s to %s s\n", jn_model_name(m->model), arg->trajectory, s->count,
      s->count == 1 ? "" : "s", start, end);
}

/* Tables, pictures; whether all is well. `written`: the file is. */
static int report(const torque_arg *arg, motion *m, const schedule *s, sinks *to, int order, bool written) {
  bool quiet = arg->out && strcmp(arg->out, "-") == 0, drawn = false;
  int result = EXIT_FINE, files = 0;
  if (!quiet) {
    print_head(arg, m, s);
    print_fit(m);
    print_wrenches(arg, m, order);
    summary_print(&to->summary, m, order);
  }
  if (arg->check && check_derivatives(m, order, s->start, s->end) != OPTION_GO_ON) result = EXIT_BAD;
  int verdict = to->with_limits ? limit_check_print(&to->limits, m, arg) : EXIT_FINE;
  if (result == EXIT_FINE) result = verdict;
  if (to->plot) {
    drawn = plot_data_draw(to->plot, arg->plot, arg->size, &files) == OPTION_GO_ON;
    if (!drawn) result = EXIT_BAD;
    to->plot = NULL;
  }
  written = written && arg->out && !quiet;
  if (written) say(stdout, "\nWritten: %s\n", arg->out);
  if (drawn && strcmp(arg->plot, "-") != 0) {
    if (!written) putchar('\n');
    figure_tell(arg->plot, files);
  }
  return result;
}

/* All that the rows depend on: the model with its payload, and the motion and its torques at some of the times. */
static jn_status fingerprint_of(motion *m, const schedule *s, int order, uint64_t *f) {
  enum { PLACES = 16 };
  jn_status status = JN_OK;
  *f = fingerprint_begin();
  fingerprint_model(f, m->model);
  fingerprint_add(f, &order, sizeof order);
  for (int k = 0; k <= PLACES && s->count > 0 && status == JN_OK; k++) {
    status = motion_at(m, schedule_time(s, (int)((double)(s->count - 1) * k / PLACES)));
    fingerprint_add(f, &m->t, sizeof m->t);
    fingerprint_add(f, m->q, (size_t)m->nq * sizeof *m->q);
    fingerprint_add(f, m->tau, (size_t)((order + 1) * m->nv) * sizeof *m->tau);
  }
  return status;
}

/* --shard: only some of the rows, and nothing else. */
static int run_part(const torque_arg *arg, motion *m, int order) {
  schedule s;
  shard part;
  int result = schedule_make(arg, m->trajectory, &s);
  if (result == OPTION_GO_ON) result = shard_parse(arg->command, arg->shard, &part);
  if (result != OPTION_GO_ON) return result;
  shard_divide(&part, s.count);
  jn_status status = fingerprint_of(m, &s, order, &part.fingerprint);
  if (status != JN_OK) return stop(m, status);
  writer *w = writer_open_part(arg->out, m, order, &part);
  if (!w) return EXIT_BAD;
  motion_block *block = motion_block_create(m);
  for (long i = part.first; i < part.last && status == JN_OK; i++) {
    status = motion_sample(m, block, &s, (int)i);
    if (status == JN_OK) writer_sample(w, m);
  }
  motion_block_free(block);
  result = writer_close(w, status == JN_OK);
  return status == JN_OK ? result : stop(m, status);
}

static int run_motion(const torque_arg *arg, motion *m, int order) {
  if (arg->shard) return run_part(arg, m, order);
  schedule s;
  sinks to = {.with_limits = arg->limits != NULL};
  unsigned char *chosen = NULL;
  int result = schedule_make(arg, m->trajectory, &s);
  if (result == OPTION_GO_ON) result = choose_joints("torque", m->model, &arg->joints, &chosen);
  if (result != OPTION_GO_ON) return result;
  if (to.with_limits) {
    limit_check_init(&to.limits, m->nv);
    limit_check_begin(&to.limits, m, arg, s.first_time, s.last_time);
    result = read_limits(m->model, arg->limits, arg->model.options.max_bytes, to.limits.limits);
  }
  summary_init(&to.summary, m);
  if (result == OPTION_GO_ON && arg->out) {
    to.writer = writer_open(arg->out, m, order, s.count);
    if (!to.writer) result = EXIT_BAD;
  }
  if (result == OPTION_GO_ON && arg->plot)
    to.plot = plot_data_create(m, chosen, to.with_limits ? &to.limits : NULL, to.with_limits ? 4 : 0, order, s.count);
  if (result == OPTION_GO_ON) result = run_samples(m, &s, &to);
  int written = writer_close(to.writer, result == OPTION_GO_ON);
  free(chosen);
  if (result == OPTION_GO_ON) result = report(arg, m, &s, &to, order, written == EXIT_FINE);
  if (written != EXIT_FINE) result = written;
  summary_free(&to.summary);
  if (to.with_limits) limit_check_free(&to.limits);
  return result;
}

static int run(torque_arg *arg) {
  int order, result = check_order(arg, &order);
  if (result == OPTION_GO_ON) result = torque_check_arguments(arg);
  if (result == OPTION_GO_ON) result = model_arg_load(&arg->model);
  if (result != OPTION_GO_ON) return result;
  const jn_model *model;
  jn_model *owned;
  result = add_payload(arg, &model, &owned);
  if (result == OPTION_GO_ON) {
    motion m;
    /* Jerk and effort rate have limits, whatever the order that is shown; their slopes tell what is between samples. */
    int smooth = arg->limits && order < 1 ? 1 : order;
    result = motion_init(&m, arg, model, arg->limits && order < 2 ? 2 : order, smooth);
    if (result == OPTION_GO_ON) {
      result = run_motion(arg, &m, order);
      motion_note(&m);
    }
    motion_free(&m);
  }
  jn_model_destroy(owned);
  return result;
}

/* ---- Command ---- */

static const option torque_options_1[] = {
    NUMBERS_OPTION(torque_arg, order, "order", "K", "highest order of the time derivatives of the torques; default 2"),
    TEXT_OPTION(
        torque_arg, out, "out", "FILE",
        "write motion and torques at every sample to FILE.csv or FILE.npz; -: only CSV to stdout, without tables, "
        "--check, --limits and --plot",
        .is_output = true),
    TEXT_OPTION(torque_arg, shard, "shard", "I/N",
                "write only part I of N parts of --out FILE.csv, for several machines; `jounce gather` puts the parts "
                "together"),
    TEXT_OPTION(torque_arg, plot, "plot", "FILE", PLOT_HELP, .is_output = true),
    SIZE_OPTION(torque_arg, size),
    NAMES_OPTION(torque_arg, joints, "joints", "LIST", JOINTS_HELP),
    FLAG_OPTION(torque_arg, check, "check",
                "compare the results with numerical differentiation; exit status 1 if they do not agree"),
    MAYBE_OPTION(torque_arg, limits, "limits", "[FILE]",
                 "compare with the limits of the model, and of FILE, which override them: " LIMITS_FILE_HELP
                 "; exit status 1 if one is exceeded, 3 if the data are not good enough to decide",
                 .words = "builtin:"),
    NUMBERS_OPTION(torque_arg, payload, "payload", "M,X,Y,Z",
                   "a mass [kg] at a point [m] of --payload-frame; or M,X,Y,Z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz"),
    TEXT_OPTION(torque_arg, link, "payload-frame", "NAME",
                "the link or frame that carries the payload; default: the end of the chain"),
    TEXT_OPTION(torque_arg, link, "link", "NAME", NULL, .instead = "payload-frame"),
    TEXT_OPTION(torque_arg, wrench, "wrench", "FILE", WRENCH_HELP),
    CHOICE_OPTION(torque_arg, wrench_axes, "wrench-axes", "link|world", WRENCH_AXES_HELP),
    CHOICE_OPTION(torque_arg, wrench_interpolation, "wrench-interpolation", "hold|linear|monotone|spline",
                  WRENCH_INTERPOLATION_HELP),
    FLAG_OPTION(torque_arg, losses, "losses", "include damping and friction"),
    NAMES_OPTION(torque_arg, actuated, "actuated", "LIST",
                 ACTUATED_HELP "those in the trajectory, or, if it has all joints, those with an effort limit above 0"),
    {0}};

static const option torque_options_2[] = {
    TEXT_OPTION(torque_arg, tool.frame, "frame", "NAME",
                "TRAJECTORY has the poses of this link or frame over time, as reach --path: the joints follow from it"),
    {0}};

static const option_group torque_groups[] = {
    {.options = torque_options_1},
    {.heading = "Path of a tool", .options = torque_options_2},
    {.options = tool_options, .at = offsetof(torque_arg, tool)},
    TRAJECTORY_GROUP(0),
    SCHEDULE_GROUP(0),
    MODEL_GROUPS(torque_arg, model),
};

const command_line torque_line = {
    .name = "torque",
    .brief = "compute the torques of a motion, their derivatives, and the margins to limits",
    .arguments = "MODEL TRAJECTORY",
    .least = 2,
    .most = 2,
    .about =
        "Compute the torques of a motion and their time derivatives.\n"
        "\n"
        "TRAJECTORY is a file: CSV with a header (t, then joint names; joint_d1, joint_d2, ... for measured "
        "derivatives), NPY (t, then q in the order of the model) or NPZ (t, q, v, a), which are fitted with splines; "
        "or JSON with closed forms (polynomial, cosine, fourier, minimum_jerk, minimum_snap). builtin:demo is a motion "
        "of the Panda; - is standard input. A unit in the header converts the column: \"joint1 [deg]\".\n"
        "\n"
        "SI units. The exit status is 0 if all is well, 1 if a limit is exceeded, the check fails or a file is bad, 3 "
        "if it cannot be told whether all limits hold.",
    .groups = torque_groups,
    .group_count = COUNT_OF(torque_groups),
};

int command_torque(int argc, char **argv) {
  torque_arg arg = {.command = "torque", .wrench_interpolation = JN_INTERPOLATE_MONOTONE};
  model_arg_init(&arg.model, "torque");
  const char *words[2];
  int status = option_parse(&torque_line, &arg, argc, argv, words);
  if (status == OPTION_GO_ON) {
    arg.model.source = words[0];
    arg.tool.model = &arg.model;
    arg.trajectory = words[1];
    status = run(&arg);
  }
  torque_arg_free(&arg);
  return status;
}
