/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce reach: a robot and a pose, or poses over time, in; the joints that have them out. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../motion/samples.h"
#include "../motion/tool_path.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "reach.h"

enum { DEFAULT_ORDER = 1, MOST_SAMPLES = 100000000 };

/* ---- Arguments ---- */

static int check_arguments(const reach_arg *arg) {
  int given = (arg->pose.count > 0) + (arg->position.count > 0) + (arg->path != NULL);
  if (!arg->tool.frame) return usage_error("reach", "--frame NAME is needed: the link or frame that moves");
  if (given != 1) return usage_error("reach", "give one of --pose, --position and --path");
  if (arg->pose.count != 0 && arg->pose.count != 7 && arg->pose.count != 6)
    return usage_error("reach", "--pose takes x,y,z,qx,qy,qz,qw or x,y,z,roll,pitch,yaw, not %d numbers",
                       arg->pose.count);
  if (arg->position.count != 0 && arg->position.count != 3)
    return usage_error("reach", "--position takes x,y,z, not %d numbers", arg->position.count);
  const number_list *const target = arg->pose.count ? &arg->pose : &arg->position;
  for (int i = 0; i < target->count; i++)
    if (!(fabs(target->values[i]) <= 1e6))
      return usage_error("reach", "--%s: %g is no place that a robot could reach: numbers go up to 1e6 [m, rad]",
                         arg->pose.count ? "pose" : "position", target->values[i]);
  if (!arg->path && (arg->rate.count || arg->order.count || arg->tolerance || arg->bandwidth.count ||
                     arg->log.skip_bad || arg->log.unwrap || arg->log.lowpass.count))
    return usage_error("reach",
                       "--rate, --order, --tolerance, --bandwidth, --skip-bad, --unwrap and --lowpass are for --path");
  if (arg->path && arg->all) return usage_error("reach", "--all is for --pose and --position");
  if (arg->path && arg->json) return usage_error("reach", "--json is for --pose and --position; --out writes a motion");
  bool to_stdout = arg->out && strcmp(arg->out, "-") == 0;
  if (arg->path && arg->out && !to_stdout && !writer_takes(arg->out))
    return usage_error("reach", "--out %s: the name must end in .csv or .npz", arg->out);
  if (!arg->path && arg->out && !to_stdout && !ends_with(arg->out, ".json"))
    return usage_error("reach", "--out %s: a configuration is written as .json", arg->out);
  return OPTION_GO_ON;
}

/* One positive number. */
static int check_positive(const char *name, const number_list *list) {
  if (list->count == 0 || (list->count == 1 && list->values[0] > 0)) return OPTION_GO_ON;
  return usage_error("reach", "--%s takes one positive number", name);
}

/* ---- One pose ---- */

static void fill_target(const reach_arg *arg, double *T) {
  const double *p = arg->position.count ? arg->position.values : arg->pose.values;
  double R[9];
  if (arg->position.count) {
    memcpy(T, p, 3 * sizeof *T);
    return;
  }
  if (arg->pose.count == 7)
    jn_quaternion_to_rotation(p + 3, R);
  else
    jn_rpy_to_rotation(p + 3, R);
  for (int i = 0; i < 16; i++) T[i] = i == 15;
  for (int i = 0; i < 9; i++) T[4 * (i / 3) + i % 3] = R[i];
  for (int i = 0; i < 3; i++) T[4 * i + 3] = p[i];
}

static int check_quaternion(const reach_arg *arg) {
  const double *Q = arg->pose.values + 3;
  if (arg->pose.count != 7) return OPTION_GO_ON;
  double size = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
  if (fabs(size - 1) < 1e-3) return OPTION_GO_ON;
  return usage_error("reach", "--pose: the quaternion qx,qy,qz,qw has the length %g, not 1", size);
}

static void print_configuration(const jn_model *model, const double *q, const signed char *active) {
  static const table_column columns[] = {
      {"joint", ALIGN_LEFT}, {"q", ALIGN_POINT}, {"unit", ALIGN_LEFT}, {"limits", ALIGN_LEFT}, {"", ALIGN_LEFT}};
  table t;
  table_init(&t, columns, 5);
  for (int i = 0; i < jn_model_nq(model); i++) {
    char name[JN_COORDINATE_NAME], low[NUMBER_TEXT], high[NUMBER_TEXT];
    int v = 0;
    while (v < jn_model_nv(model) && place_in_q(model, v) != i) v++;
    jn_coordinate_name(model, i, name, sizeof name);
    table_cell(&t, name);
    table_cellf(&t, "%.9f", q[i]);
    table_cell(&t, configuration_unit(model, i));
    const jn_dof *dof = v < jn_model_nv(model) ? jn_coordinate_dof(model, v) : NULL;
    if (dof && (isfinite(dof->lower) || isfinite(dof->upper))) {
      short_number(dof->lower, low);
      short_number(dof->upper, high);
      table_cellf(&t, terminal_is_utf8() ? "%s … %s" : "%s ... %s", low, high);
    } else {
      table_cell(&t, "");
    }
    table_cell(&t, dof && active[v] ? "at its limit" : "");
  }
  table_print(&t, stdout);
}

static int write_state(const reach_arg *arg, const jn_model *model, const double *q) {
  output o;
  json_writer j;
  FILE *f = output_open(&o, arg->out);
  if (!f) return EXIT_BAD;
  emit_init(&j, f);
  emit_open_object(&j, NULL);
  emit_numbers(&j, "q", q, jn_model_nq(model));
  emit_close_object(&j);
  fputc('\n', f);
  return output_close(&o, true) ? EXIT_FINE : EXIT_BAD;
}

static void print_json(const jn_model *model, const double *q, const jn_reach *r) {
  json_writer j;
  emit_init(&j, stdout);
  emit_open_object(&j, NULL);
  emit_bool(&j, "reached", r->outcome == JN_REACHED);
  emit_text(&j, "outcome", jn_reach_text(r->outcome));
  emit_numbers(&j, "q", q, jn_model_nq(model));
  emit_number(&j, "distance", r->distance);
  emit_number(&j, "angle", r->angle);
  emit_number(&j, "gap", r->gap);
  emit_integer(&j, "rank", r->rank);
  emit_number(&j, "manipulability", r->manipulability);
  emit_number(&j, "weakest", r->weakest);
  emit_integer(&j, "limits", r->limits);
  emit_integer(&j, "starts", r->starts);
  emit_integer(&j, "iterations", r->iterations);
  emit_close_object(&j);
  putchar('\n');
}

/* The lowest link, if that is below all that does not move; JN_NONE: there is none, or the base is free. */
static int find_below(const jn_model *model, const double *q, double *depth) {
  int links = jn_link_count(model), lowest = JN_NONE;
  double base = 0, gravity[3], *poses = allocate(16 * ((size_t)jn_frame_count(model) + 1) * sizeof *poses);
  jn_work *work = NULL;
  bool works = jn_work_create(model, &work) == JN_OK && jn_frame_poses(model, work, q, poses) == JN_OK;

  jn_model_gravity(model, gravity);
  bool is_down = gravity[2] < 0 && gravity[0] == 0 && gravity[1] == 0;
  for (int i = 0; i < links && works; i++)
    if (jn_link_is_fixed(model, i) == 1) base = fmin(base, poses[16 * i + 11]);
  *depth = 1e-3;
  for (int i = 0; i < links && works && is_down; i++) {
    if (jn_joint_type_of(model, i) == JN_FREE) lowest = JN_NONE, works = false;
    if (!works || jn_link_is_fixed(model, i) == 1 || !(base - poses[16 * i + 11] > *depth)) continue;
    *depth = base - poses[16 * i + 11];
    lowest = i;
  }
  jn_work_destroy(work);
  free(poses);
  return lowest;
}

/* Which solution it is, and how to get another one. */
static void tell_others(const jn_model *model, const double *q) {
  double depth;
  int below = find_below(model, q, &depth);
  putchar('\n');
  if (below != JN_NONE) say(stdout, "note: link '%s' is %.3g m below the base. ", jn_link_name(model, below), depth);
  puts("This is the solution nearest to the middle of the limits: --start chooses another one, --all lists them.");
}

static void print_reach(const reach_arg *arg, const jn_model *model, const double *q, const signed char *active,
                        const jn_reach *r) {
  if (arg->json) {
    print_json(model, q, r);
    return;
  }
  if (arg->out && strcmp(arg->out, "-") == 0) return;
  say(stdout, "%s: '%s' %s", jn_model_name(model), arg->tool.frame,
      r->outcome == JN_REACHED ? "reaches the target" : "does not reach the target");
  char missing[MISSING_TEXT];
  missing_text(r, arg->position.count > 0, missing);
  printf("; %s are left, after %d start%s and %d iterations\n\n", missing, r->starts, r->starts == 1 ? "" : "s",
         r->iterations);
  print_configuration(model, q, active);
  printf("\nrank %d, manipulability %.4g, weakest direction %.3g of the strongest\n", r->rank, r->manipulability,
         r->weakest);
  if (jn_loop_count(model) > 0) printf("loops are closed to %.2g\n", r->gap);
  if (r->outcome == JN_REACHED && !arg->tool.start) tell_others(model, q);
}

static int run_pose(const reach_arg *arg) {
  const jn_model *model = arg->model.model;
  jn_tasks *tasks = NULL;
  jn_reach r;
  if (arg->all) {
    double target[16];
    fill_target(arg, target);
    return reach_all(arg, target);
  }
  double T[16], *q = allocate((size_t)jn_model_nq(model) * sizeof *q);
  signed char *active = allocate((size_t)jn_model_nv(model) + 1);
  int result = tool_tasks_create("reach", &arg->tool, model, arg->position.count > 0, 0, arg->model.options.max_bytes,
                                 &tasks, q);
  if (result == OPTION_GO_ON) {
    fill_target(arg, T);
    jn_status status = jn_tasks_solve(tasks, T, q, active, &r);
    result = EXIT_FINE;
    if (status == JN_OK || status == JN_ERR_REACH) print_reach(arg, model, q, active, &r);
    if (status == JN_ERR_REACH) {
      char missing[MISSING_TEXT];
      missing_text(&r, arg->position.count > 0, missing);
      say(stderr, "jounce: '%s' cannot reach it: %s; %s are missing\n", arg->tool.frame, jn_reach_text(r.outcome),
          missing);
      tell_active(model, active);
    } else if (status != JN_OK) {
      say(stderr, "jounce: %s\n", jn_status_text(status));
    }
    if (status != JN_OK) result = EXIT_BAD;
    if (status == JN_OK && arg->out) {
      result = write_state(arg, model, q);
      if (result == EXIT_FINE && strcmp(arg->out, "-") != 0 && !arg->json) say(stdout, "\nWritten: %s\n", arg->out);
    }
  }
  jn_tasks_destroy(tasks);
  free(q);
  free(active);
  return result;
}

/* ---- A path ---- */

/* What the path asks of the robot where it is most difficult. */
typedef struct path_summary {
  double weakest, weakest_time;
  double *speed; /* [nv] largest */
} path_summary;

static int run_samples(const reach_arg *arg, tool_path *p, motion *m, int count) {
  const jn_trajectory *poses = tool_path_poses(p);
  double start = jn_trajectory_start(poses), end = jn_trajectory_end(poses);
  bool own = arg->rate.count == 0, quiet = arg->out && strcmp(arg->out, "-") == 0;
  path_summary worst = {.weakest = INFINITY};
  summary s;
  summary_init(&s, m);
  writer *w = arg->out ? writer_open(arg->out, m, -1, count) : NULL;
  int result = arg->out && !w ? EXIT_BAD : EXIT_FINE;
  progress_begin("following the path");
  for (int i = 0; i < count && result == EXIT_FINE; i++) {
    m->t = own ? jn_trajectory_time(poses, i) : start + (end - start) * i / (count > 1 ? count - 1 : 1);
    jn_status status = tool_path_at(p, m->t, m->order, m->q, m->v_jet);
    if (status != JN_OK) {
      progress_end();
      tool_path_tell(p, status);
      result = EXIT_BAD;
      break;
    }
    const jn_reach *r = tool_path_reach(p);
    if (r->weakest < worst.weakest) worst.weakest = r->weakest, worst.weakest_time = m->t;
    summary_sample(&s, m);
    if (w) writer_sample(w, m);
    if (i % 16 == 0) progress_show((double)i / count);
  }
  progress_end();
  int written = writer_close(w, result == EXIT_FINE);
  if (result == EXIT_FINE && !quiet) {
    say(stdout, "%s: '%s' along %s: %d sample%s from %.6g to %.6g s\n", jn_model_name(m->model), arg->tool.frame,
        arg->path, count, count == 1 ? "" : "s", start, end);
    m->trajectory = (jn_trajectory *)poses;
    m->fitted = tool_path_model(p);
    print_fit(m);
    m->trajectory = NULL;
    summary_print(&s, m, -1);
    printf("\nweakest direction %.3g of the strongest, at t = %.6g s\n", worst.weakest, worst.weakest_time);
    if (arg->out && written == EXIT_FINE) say(stdout, "\nWritten: %s\n", arg->out);
  }
  summary_free(&s);
  return result == EXIT_FINE ? written : result;
}

static int find_order(const reach_arg *arg, int *order) {
  *order = DEFAULT_ORDER;
  if (arg->order.count == 0) return OPTION_GO_ON;
  double k = arg->order.values[0];
  if (arg->order.count != 1 || !(k >= 2) || k != floor(k) || k > 10)
    return usage_error("reach", "--order takes one whole number from 2 to 10");
  *order = (int)k - 2;
  return OPTION_GO_ON;
}

static int run_path(reach_arg *arg) {
  const jn_model *model = arg->model.model;
  jn_trajectory_options options;
  int order, result = find_order(arg, &order);
  if (result == OPTION_GO_ON) result = check_positive("rate", &arg->rate);
  if (result == OPTION_GO_ON) result = check_positive("bandwidth", &arg->bandwidth);
  if (result != OPTION_GO_ON) return result;
  jn_trajectory_options_init(&options);
  options.order = order < 2 ? 2 : order;
  options.strict = arg->model.strict;
  options.max_bytes = arg->model.options.max_bytes;
  if (arg->bandwidth.count) options.bandwidth = arg->bandwidth.values[0];
  result = motion_smoothing("reach", arg->tolerance, &options);
  if (result == OPTION_GO_ON) result = log_arg_apply(&arg->log, "reach", NULL, options.max_bytes, &options);
  if (result != OPTION_GO_ON) return result;
  tool_path *p;
  result = tool_path_open(&p, "reach", &arg->tool, arg->path, model, order, &options);
  if (result == OPTION_GO_ON) {
    const jn_trajectory *poses = tool_path_poses(p);
    double steps = arg->rate.count
                       ? floor((jn_trajectory_end(poses) - jn_trajectory_start(poses)) * arg->rate.values[0] + 1e-9)
                       : jn_trajectory_samples(poses) - 1;
    size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model), rows = (size_t)(order + 3);
    motion m = {.model = model, .fitted = model, .order = order, .nq = (int)nq, .nv = (int)nv};
    m.q = allocate((nq + (2 * rows + 3) * nv) * sizeof(double));
    m.v_jet = m.q + nq;
    m.tau = m.v_jet + (rows + 2) * nv;
    memset(m.q, 0, (nq + (2 * rows + 3) * nv) * sizeof(double));
    if (steps >= MOST_SAMPLES)
      result = usage_error("reach", "--rate: %g samples are too many", steps);
    else
      result = run_samples(arg, p, &m, (int)steps + 1);
    free(m.q);
  }
  tool_path_close(p);
  return result;
}

/* ---- Command ---- */

static const option reach_options_1[] = {
    TEXT_OPTION(reach_arg, tool.frame, "frame", "NAME", "the link or frame that should reach the pose"),
    NUMBERS_OPTION(reach_arg, pose, "pose", "X,Y,Z,QX,QY,QZ,QW",
                   "its pose [m], as position and quaternion, or as X,Y,Z,ROLL,PITCH,YAW [m, rad]"),
    NUMBERS_OPTION(reach_arg, position, "position", "X,Y,Z", "its position [m]; the orientation does not matter"),
    TEXT_OPTION(
        reach_arg, path, "path", "FILE",
        "poses over time: CSV with t, x, y, z and qx, qy, qz, qw or roll, pitch, yaw, or none of these; units in "
        "the header, as \"x [mm]\""),
    {0}};

static const option reach_options_2[] = {
    CHOICE_OPTION(reach_arg, tool.ignore_limits, "limits", "keep|ignore", NULL, .instead = "position-limits"), {0}};

static const option reach_options_3[] = {
    TEXT_OPTION(
        reach_arg, tolerance, "tolerance", "X",
        "smooth samples with an RMS residual of at most X [m, 1]; 0: interpolate all; default auto: by generalised "
        "cross-validation"),
    NUMBERS_OPTION(reach_arg, bandwidth, "bandwidth", "HZ", BANDWIDTH_HELP "; default: half the sampling rate"),
    FLAG_OPTION(reach_arg, log.skip_bad, "skip-bad", SKIP_BAD_HELP),
    FLAG_OPTION(reach_arg, log.unwrap, "unwrap", UNWRAP_HELP),
    NUMBERS_OPTION(reach_arg, log.lowpass, "lowpass", "HZ", LOWPASS_HELP "; default: none"),
    NUMBERS_OPTION(reach_arg, rate, "rate", "HZ", "compute at this rate instead of at the times of the samples"),
    NUMBERS_OPTION(reach_arg, order, "order", "K",
                   "write derivatives of the joints up to this order, 2 to 10; default 3: jerk"),
    {0}};

static const option reach_options_4[] = {
    TEXT_OPTION(reach_arg, out, "out", "FILE",
                "of a path: the joint motion, FILE.csv or FILE.npz, which torque and simulate read; of a pose: the "
                "configuration, FILE.json, which eval and simulate read; -: only this, to stdout",
                .is_output = true),
    FLAG_OPTION(
        reach_arg, all, "all",
        "of a pose: list all distinct solutions that random starts find, numbered, and the position limits that "
        "they break, 64 at most; --out writes them as a list of states. --starts: default 300 here; --position-limits "
        "ignore: "
        "limits matter neither for the order nor for the exit status"),
    FLAG_OPTION(reach_arg, json, "json", "of a pose: print the result as JSON"),
    {0}};

static const option_group reach_groups[] = {
    {.options = reach_options_1},
    {.options = tool_options, .at = offsetof(reach_arg, tool)},
    {.options = reach_options_2},
    {.heading = "How a path is read and written", .options = reach_options_3},
    {.heading = "Results", .options = reach_options_4},
    MODEL_GROUPS(reach_arg, model),
};

const command_line reach_line = {
    .name = "reach",
    .brief = "find the joints that bring a frame to a pose or along a path",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Find the joints that bring a link or frame to a pose, or along a path of poses over time.\n"
        "\n"
        "Position limits are kept, loops stay closed. Along a path, the joints move without jumps, and what the "
        "path leaves free is settled by one rule for all derivatives (--weights, --pull).\n"
        "\n"
        "SI units. The exit status is 0 if all is reached, 1 if not: what is missing is then said; or if a file "
        "is bad.",
    .groups = reach_groups,
    .group_count = COUNT_OF(reach_groups),
};

int command_reach(int argc, char **argv) {
  reach_arg arg = {0};
  model_arg_init(&arg.model, "reach");
  const char *words[1];
  int status = option_parse(&reach_line, &arg, argc, argv, words);
  if (status == OPTION_GO_ON) {
    arg.model.source = words[0];
    arg.tool.model = &arg.model;
    status = check_arguments(&arg);
    if (status == OPTION_GO_ON) status = check_quaternion(&arg);
    if (status == OPTION_GO_ON) status = model_arg_load(&arg.model);
    if (status == OPTION_GO_ON) status = arg.path ? run_path(&arg) : run_pose(&arg);
  }
  number_list *const lists[] = {&arg.pose, &arg.position, &arg.rate, &arg.order, &arg.bandwidth};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) number_list_free(lists[i]);
  log_arg_free(&arg.log);
  tool_arg_free(&arg.tool);
  model_arg_free(&arg.model);
  return status;
}
