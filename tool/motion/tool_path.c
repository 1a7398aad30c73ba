/* SPDX-License-Identifier: BSD-2-Clause */
#include "tool_path.h"

#include <jounce/jounce.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/input.h"
#include "../model/argument.h"
#include "../model/names.h"
#include "../states/states.h"
#include "../text/number.h"
#include "../text/print.h"

enum { DEFAULT_STARTS = 100, POSE = 7, POSITION = 3 };

struct tool_path {
  const char *file, *frame;
  const jn_model *model;
  jn_model *body; /* one free link */
  jn_trajectory *poses;
  bool position;
  jn_tasks *tasks;
  int order;
  double time;  /* of q */
  double *q;    /* [nq] */
  double *room; /* [(order + 3) x 6] twists; rates */
  double *rates;
  signed char *active;
  jn_reach reach;
  double from, to; /* of the last time, for messages */
};

/* ---- Options ---- */

const option tool_options[] = {
    TEXT_OPTION(tool_arg, reference, "relative-to", "FRAME",
                "poses are given in this link or frame; default: the world"),
    TEXT_OPTION(
        tool_arg, start, "start", "STATE.json",
        "a configuration near the first one, {\"q\": ...} as for eval, or key:NAME; default: the middle of the limits"),
    NUMBERS_OPTION(tool_arg, starts, "starts", "N",
                   "how many starts are tried for the first pose; the nearest solution is taken; default 100"),
    NAMES_OPTION(
        tool_arg, free_rows, "free", "ROWS",
        "what of the pose does not matter: rx, ry, rz, x, y, z in the frame's own axes, e.g. rz for a drill; of "
        "positions x, y, z in the axes of --relative-to"),
    NAMES_OPTION(tool_arg, weights, "weights", "JOINT=W,...",
                 "redundant joints move so that the sum of W v^2 is least; default 1 for all"),
    NUMBERS_OPTION(tool_arg, pull, "pull", "RATE",
                   "pull redundant joints towards --start at this rate [1/s]; default 0 (off)"),
    NUMBERS_OPTION(tool_arg, margin, "limit-distance", "X",
                   "a redundant joint slows down this near to a position limit [rad, m], or within a twentieth of its "
                   "range, if that is less; default 0.1; 0: it does not slow down"),
    NUMBERS_OPTION(tool_arg, margin, "margin", "X", NULL, .instead = "limit-distance"),
    CHOICE_OPTION(tool_arg, ignore_limits, "position-limits", "keep|ignore",
                  "keep (default) or ignore the position limits of the joints"),
    {0}};

void tool_arg_free(tool_arg *arg) {
  name_list_free(&arg->free_rows);
  name_list_free(&arg->weights);
  number_list_free(&arg->pull);
  number_list_free(&arg->margin);
  number_list_free(&arg->starts);
}

static int set_free_rows(const char *command, const tool_arg *arg, bool position, jn_task *task) {
  static const char *const names[] = {"rx", "ry", "rz", "x", "y", "z"};
  for (int i = 0; i < arg->free_rows.count; i++) {
    int row = 0;
    while (row < 6 && strcmp(arg->free_rows.names[i], names[row]) != 0) row++;
    if (row == 6 || (position && row < 3))
      return usage_error(command, "--free takes %s, not '%s'", position ? "x, y, z" : "rx, ry, rz, x, y, z",
                         arg->free_rows.names[i]);
    task->weight[position ? row - 3 : row] = 0;
  }
  return OPTION_GO_ON;
}

static int set_weights(const char *command, const tool_arg *arg, const jn_model *model, double *metric) {
  for (int v = 0; v < jn_model_nv(model); v++) metric[v] = 1;
  for (int i = 0; i < arg->weights.count; i++) {
    char *text = copy_text(arg->weights.names[i], strlen(arg->weights.names[i])), *equals = strrchr(text, '='), *end;
    double weight = equals ? strtod(equals + 1, &end) : 0;
    int joint = 0, status = OPTION_GO_ON;
    if (!equals || *end != 0 || !(weight > 0 && weight < INFINITY)) {
      status = usage_error(command, "--weights takes JOINT=W with positive numbers W, not '%s'", text);
    } else {
      *equals = 0;
      status = find_joint(command, "weights", model, text, &joint);
    }
    for (int k = 0; status == OPTION_GO_ON && k < jn_joint_nv(model, joint); k++)
      metric[jn_joint_v(model, joint) + k] = weight;
    free(text);
    if (status != OPTION_GO_ON) return status;
  }
  return OPTION_GO_ON;
}

/* q of --start, or the middle of the limits; loops are closed by the search. */
static int find_start(const tool_arg *arg, const jn_model *model, size_t max_bytes, double *q) {
  const eval_need need = {.model = arg->model};
  eval_states list = {0};
  jn_neutral(model, q);
  if (!arg->start) {
    for (int v = 0; v < jn_model_nv(model) && jn_loop_count(model) == 0; v++) {
      int number, joint = jn_coordinate_joint(model, v, &number);
      const jn_dof *dof = jn_coordinate_dof(model, v);
      bool group = jn_joint_nv(model, joint) != jn_joint_nq(model, joint);
      if (!group && isfinite(dof->lower) && isfinite(dof->upper) && dof->lower <= dof->upper)
        q[jn_joint_q(model, joint) + number] = (dof->lower + dof->upper) / 2;
    }
    return OPTION_GO_ON;
  }
#if !JN_WITH_JSON
  return usage_error("reach", "this build reads no JSON, so there is no --start");
#endif
  int result = eval_read_states(model, &need, arg->start, max_bytes, NULL, &list);
  if (result != OPTION_GO_ON) return result;
  if (list.count == 1) {
    memcpy(q, list.states[0].q, (size_t)jn_model_nq(model) * sizeof *q);
  } else {
    say(stderr, "jounce: %s: must have one state, not %d\n", arg->start, list.count);
    result = EXIT_BAD;
  }
  eval_states_free(&list);
  return result;
}

/* One number of an option, from 0 to `most`; whole: from 1. */
static int one_number(const char *command, const char *name, const number_list *list, bool whole, double most,
                      double *value) {
  if (list->count == 0) return OPTION_GO_ON;
  double x = list->values[0];
  if (list->count != 1 || !(x >= (whole ? 1 : 0)) || x > most || (whole && x != floor(x)))
    return usage_error(command, "--%s takes one %snumber from %d to %g", name, whole ? "whole " : "", whole ? 1 : 0,
                       most);
  *value = x;
  return OPTION_GO_ON;
}

/* The link of a frame whose joint moves it, or JN_WORLD. */
static int moving_link(const jn_model *model, int frame) {
  int link = frame < 0 ? JN_WORLD : jn_frame_link(model, frame);
  while (link >= 0 && jn_joint_nv(model, link) == 0) link = jn_link_parent(model, link);
  return link < 0 ? JN_WORLD : link;
}

/* Frames of the same rigid body: no joint moves one relative to the other. */
static int check_moves(const char *command, const tool_arg *arg, const jn_model *model, const jn_task *task) {
  int reference = arg->reference ? moving_link(model, task->reference) : JN_WORLD;
  if (moving_link(model, task->frame) != reference) return OPTION_GO_ON;
  if (arg->reference)
    return usage_error(command, "no joint moves --frame %s relative to --relative-to %s: they are parts of one body",
                       arg->frame, arg->reference);
  return usage_error(command, "no joint moves --frame %s: it is fixed to the world", arg->frame);
}

int tool_tasks_create(const char *command, const tool_arg *arg, const jn_model *model, bool position, int order,
                      size_t max_bytes, jn_tasks **tasks, double *q) {
  jn_task task;
  jn_tasks_options o;
  double starts = DEFAULT_STARTS;
  jn_task_init(&task);
  jn_tasks_options_init(&o);
  task.type = position ? JN_TASK_POSITION : JN_TASK_POSE;
  *tasks = NULL;
  int result = find_frame(command, "frame", model, arg->frame, &task.frame);
  if (result == OPTION_GO_ON && arg->reference)
    result = find_frame(command, "relative-to", model, arg->reference, &task.reference);
  if (result == OPTION_GO_ON) result = check_moves(command, arg, model, &task);
  if (result == OPTION_GO_ON) result = set_free_rows(command, arg, position, &task);
  if (result == OPTION_GO_ON) result = one_number(command, "starts", &arg->starts, true, 1e5, &starts);
  if (result == OPTION_GO_ON) result = one_number(command, "pull", &arg->pull, false, 1e9, &o.gain);
  if (result == OPTION_GO_ON) result = one_number(command, "limit-distance", &arg->margin, false, 1e9, &o.margin);
  if (result == OPTION_GO_ON) result = find_start(arg, model, max_bytes, q);
  if (result != OPTION_GO_ON) return result;
  double *metric = allocate((size_t)jn_model_nv(model) * sizeof *metric);
  result = set_weights(command, arg, model, metric);
  if (result == OPTION_GO_ON) {
    o.order = order;
    o.starts = (int)starts;
    o.nearest = 1;
    o.ignore_limits = arg->ignore_limits;
    o.metric = metric;
    o.posture = q;
    jn_status status = jn_tasks_create(model, &task, 1, &o, tasks);
    if (status == JN_ERR_SIZE && arg->free_rows.count) {
      result = usage_error(command, "--free leaves nothing of the pose that matters");
    } else if (status != JN_OK) {
      say(stderr, "jounce: %s\n", jn_status_text(status));
      result = EXIT_BAD;
    }
  }
  free(metric);
  return result;
}

void tell_active(const jn_model *model, const signed char *active) {
  for (int v = 0; v < jn_model_nv(model); v++) {
    char name[JN_COORDINATE_NAME];
    if (!active[v]) continue;
    const jn_dof *dof = jn_coordinate_dof(model, v);
    jn_velocity_name(model, v, name, sizeof name);
    say(stderr, "    '%s' is at its %s limit %g\n", name, active[v] > 0 ? "upper" : "lower",
        active[v] > 0 ? dof->upper : dof->lower);
  }
}

/* ---- The file, with the columns of the free joint ---- */

static const char *const pose_names[] = {"x", "y", "z", "qx", "qy", "qz", "qw", "roll", "pitch", "yaw"};
enum { POSE_NAMES = 10, ROLL = 7 };

/* Which of pose_names a column is: by this name, or with the name of the frame before it. -1: none. */
static int pose_column(const char *name, const char *frame) {
  size_t n = strlen(frame);
  if (strncmp(name, frame, n) == 0 && name[n] == '_') name += n + 1;
  for (int i = 0; i < POSE_NAMES; i++)
    if (strcmp(name, pose_names[i]) == 0) return i;
  return -1;
}

/* Text that grows. */
typedef struct growing {
  char *text;
  size_t length, room;
} growing;

static void add_text(growing *g, const char *text) {
  size_t n = strlen(text);
  if (g->length + n + 1 > g->room) g->text = reallocate(g->text, g->room = 2 * (g->length + n + 1));
  memcpy(g->text + g->length, text, n + 1);
  g->length += n;
}

static void add_number(growing *g, double x) {
  char text[EXACT_TEXT];
  exact_number(x, text);
  add_text(g, text);
}

/* A header cell in quotes; its unit in brackets. */
static void add_head(growing *g, const char *name, const char *unit) {
  char one[2] = "";
  add_text(g, "\"");
  for (const char *p = name; *p; p++) {
    one[0] = *p;
    add_text(g, *p == '"' ? "\"\"" : one);
  }
  if (*unit) {
    add_text(g, " [");
    add_text(g, unit);
    add_text(g, "]");
  }
  add_text(g, "\"");
}

/* Columns of the pose; -1: none. */
typedef struct pose_columns {
  int at[POSE_NAMES];
  bool rpy, quaternion;
} pose_columns;

static int find_columns(const jn_table *t, const char *file, const char *frame, pose_columns *c) {
  *c = (pose_columns){0};
  for (int i = 0; i < POSE_NAMES; i++) c->at[i] = -1;
  for (int k = 0; k < jn_table_columns(t); k++) {
    int i = pose_column(jn_table_name(t, k), frame);
    if (i < 0) continue;
    if (c->at[i] >= 0) {
      say(stderr, "jounce: %s:%d: there are two columns for %s of the pose\n", file, jn_table_line(t, -1),
          pose_names[i]);
      return EXIT_BAD;
    }
    c->at[i] = k;
  }
  int counts[3] = {0}; /* of position, quaternion, angles */
  for (int i = 0; i < POSE_NAMES; i++) counts[i < 3 ? 0 : i < ROLL ? 1 : 2] += c->at[i] >= 0;
  c->quaternion = counts[1] > 0;
  c->rpy = counts[2] > 0;
  const char *wrong = NULL;
  if (counts[0] != 3) wrong = "a path needs the columns x, y, z";
  if (!wrong && c->quaternion && counts[1] != 4) wrong = "a quaternion needs the columns qx, qy, qz, qw";
  if (!wrong && c->rpy && counts[2] != 3) wrong = "angles need the columns roll, pitch, yaw";
  if (!wrong && c->rpy && c->quaternion) wrong = "there are angles and a quaternion; give one of them";
  if (!wrong) return OPTION_GO_ON;
  say(stderr, "jounce: %s:%d: %s (in the frame's name or alone: %s_x or x)\n", file, jn_table_line(t, -1), wrong,
      frame);
  return EXIT_BAD;
}

/* Radians of an angle's unit; 0 for one that is not known. */
static double angle_scale(const char *unit) {
  if (*unit == 0 || strcmp(unit, "rad") == 0) return 1;
  return strcmp(unit, "deg") == 0 || strcmp(unit, "degree") == 0 || strcmp(unit, "degrees") == 0 ||
                 strcmp(unit, "\xC2\xB0") == 0
             ? M_PI / 180
             : 0;
}

/* The quaternion of a row's angles, on the side of the one before. */
static void row_quaternion(const jn_table *t, const pose_columns *c, const double *scale, int row, double *Q) {
  double rpy[3], R[9], before[4], dot = 0;
  memcpy(before, Q, sizeof before);
  for (int i = 0; i < 3; i++) rpy[i] = scale[i] * jn_table_values(t, c->at[ROLL + i])[row];
  jn_rpy_to_rotation(rpy, R);
  jn_rotation_to_quaternion(R, Q);
  for (int i = 0; i < 4; i++) dot += Q[i] * before[i];
  for (int i = 0; i < 4 && dot < 0; i++) Q[i] = -Q[i];
}

/* Angles of more than a turn that have no unit are likely degrees. */
static void doubt_angles(const jn_table *t, const pose_columns *c, const char *file) {
  for (int i = ROLL; i < POSE_NAMES && c->rpy; i++) {
    double most = 0;
    for (int row = 0; row < jn_table_rows(t); row++) most = fmax(most, fabs(jn_table_values(t, c->at[i])[row]));
    if (*jn_table_unit(t, c->at[i]) || !(most > 2 * M_PI)) continue;
    say(stderr, "jounce: %s:%d: warning: column '%s' goes to %g rad\n    if these are degrees, name it \"%s [deg]\"\n",
        file, jn_table_line(t, -1), pose_names[i], most, pose_names[i]);
    return;
  }
}

/* The table as a trajectory of the body "tool", row by row on the same lines. */
static int write_columns(const jn_table *t, const pose_columns *c, const char *file, growing *g) {
  double scale[3], Q[4] = {0};
  bool first = true;
  for (int i = 0; i < 3 && c->rpy; i++) {
    scale[i] = angle_scale(jn_table_unit(t, c->at[ROLL + i]));
    if (scale[i] > 0) continue;
    say(stderr, "jounce: %s:%d: column '%s' is in '%s'; angles are in rad or deg\n", file, jn_table_line(t, -1),
        pose_names[ROLL + i], jn_table_unit(t, c->at[ROLL + i]));
    return EXIT_BAD;
  }
  doubt_angles(t, c, file);
  int line = 1, columns = jn_table_columns(t);
  for (int row = -1; row < jn_table_rows(t); row++, first = true) {
    for (; line < jn_table_line(t, row); line++) add_text(g, "\n");
    for (int k = 0; k < columns; k++) {
      int i = -1;
      for (int e = 0; e < POSE_NAMES; e++) i = c->at[e] == k ? e : i;
      if (i >= ROLL) continue;
      if (!first) add_text(g, ",");
      first = false;
      char *name = i >= 0 ? format_text("tool_%s", pose_names[i]) : NULL;
      if (row < 0)
        add_head(g, name ? name : jn_table_name(t, k), jn_table_unit(t, k));
      else
        add_number(g, jn_table_values(t, k)[row]);
      free(name);
    }
    if (c->rpy && row < 0) add_text(g, ",tool_qx,tool_qy,tool_qz,tool_qw");
    if (c->rpy && row >= 0) {
      row_quaternion(t, c, scale, row, Q);
      for (int i = 0; i < 4; i++) {
        add_text(g, ",");
        add_number(g, Q[i]);
      }
    }
    add_text(g, "\n");
    line++;
  }
  return OPTION_GO_ON;
}

/* ---- Messages of reading ---- */

/* The names of the body's coordinates become those of the columns: 'tool_x' is x. */
static void shorten_names(char *text) {
  static const char prefix[] = "'tool_";
  size_t n = strlen(prefix);
  for (char *at = strstr(text, prefix); at; at = strstr(at + 1, prefix)) memmove(at + 1, at + n, strlen(at + n) + 1);
}

/* What the loader says of joints, said of poses. */
static void tell_of_poses(const jn_message *m, const char *prefix, const char *source) {
  static const char columns[] = "a path has t, x, y, z, and qx, qy, qz, qw or roll, pitch, yaw";
  jn_message own = *m;
  char *subject = copy_text(m->subject, strlen(m->subject)), *text = copy_text(m->text, strlen(m->text));
  char *remedy = copy_text(m->remedy, strlen(m->remedy)), *longer = NULL;
  shorten_names(subject);
  shorten_names(text);
  shorten_names(remedy);
  own.subject = subject;
  own.text = text;
  own.remedy = remedy;
  const char *needs = strstr(text, " needs at least ");
  if (strcmp(m->rule, "unknown-joint") == 0) {
    own.text =
        *m->subject ? "is ignored: it is no part of a pose" : "more columns are ignored: they are no part of a pose";
    own.remedy = columns;
  } else if (strcmp(m->rule, "time") == 0) {
    own.remedy = "name one column t, in seconds";
  } else if (strcmp(m->rule, "samples") == 0 && needs && strchr(text, ';')) {
    own.text = longer = format_text("%.*s; a path%s", (int)(strchr(text, ';') - text), text, needs);
    own.remedy = "give more poses";
  }
  tell_message(&own, prefix, source);
  free(subject);
  free(text);
  free(remedy);
  free(longer);
}

static void tell_report(const jn_report *report, const jn_error *error, const char *source, jn_status status) {
  int errors = 0;
  for (int i = 0; i < jn_report_count(report); i++) {
    const jn_message *m = jn_report_message(report, i);
    errors += m->severity == JN_ERROR;
    if (m->severity != JN_NOTE || strncmp(m->rule, "column-clock", 12) == 0)
      tell_of_poses(m, m->severity == JN_NOTE ? "note: " : m->severity == JN_WARNING ? "warning: " : "", source);
  }
  if (status != JN_OK && errors == 0) print_errors(report, error, source);
}

bool tool_path_looks_like_one(const jn_report *report) {
  static const char *const subjects[] = {"column 'x'", "column 'y'", "column 'z'"};
  int found = 0;
  for (int i = 0; i < jn_report_count(report); i++)
    for (int k = 0; k < 3; k++) found += strcmp(jn_report_message(report, i)->subject, subjects[k]) == 0;
  return found >= 3;
}

/* ---- Reading ---- */

static jn_model *free_body(void) {
  jn_builder *b;
  jn_model *m = NULL;
  jn_link l;
  jn_link_init(&l);
  l.name = "tool";
  l.joint.type = JN_FREE;
  jn_inertia_pack(1, (const double[3]){0}, (const double[6]){1, 1, 1, 0, 0, 0}, l.inertia);
  if (jn_builder_create(NULL, &b) != JN_OK) return NULL;
  if (jn_builder_add_link(b, &l) == JN_OK) jn_builder_freeze(b, &m, NULL);
  jn_builder_destroy(b);
  return m;
}

static int read_table(const char *file, size_t limit, int skip_bad, jn_table **poses) {
  jn_table_options options;
  jn_error error = {0};
  size_t length;
  const char *name = strcmp(file, "-") == 0 ? STANDARD_INPUT : file;
  if (strncmp(file, "builtin:", 8) == 0) {
    say(stderr,
        "jounce: %s is a motion of joints; with --frame or --path, a file has the poses of the frame: t, x, y, z, and "
        "qx, qy, qz, qw or roll, pitch, yaw\n",
        file);
    return EXIT_BAD;
  }
  char *text = read_input(file, name, limit, &length);
  if (!text) return EXIT_BAD;
  jn_table_options_init(&options);
  options.max_bytes = limit;
  options.skip_bad = skip_bad;
  options.report = jn_report_create(NULL);
  jn_status status = jn_table_read(text, length, name, &options, poses, &error);
  free(text);
  print_warnings(options.report, name);
  if (status != JN_OK) print_errors(options.report, &error, name);
  jn_report_destroy(options.report);
  return status == JN_OK ? OPTION_GO_ON : EXIT_BAD;
}

static int read_poses(tool_path *p, const jn_trajectory_options *fit) {
  jn_table *from;
  jn_trajectory_options options = *fit;
  jn_error error = {0};
  pose_columns columns;
  growing g = {0};
  const char *name = strcmp(p->file, "-") == 0 ? STANDARD_INPUT : p->file;
  int result = read_table(p->file, fit->max_bytes ? fit->max_bytes : JN_MAX_BYTES, fit->skip_bad, &from);
  if (result != OPTION_GO_ON) return result;
  result = find_columns(from, name, p->frame, &columns);
  if (result == OPTION_GO_ON) result = write_columns(from, &columns, name, &g);
  jn_table_destroy(from);
  if (result == OPTION_GO_ON) {
    p->position = !columns.rpy && !columns.quaternion;
    options.missing_neutral = p->position;
    options.columns = NULL;
    options.column_count = 0;
    options.max_bytes = 4 * (g.length + 1) > options.max_bytes ? 4 * (g.length + 1) : options.max_bytes;
    options.report = jn_report_create(NULL);
    jn_status status = jn_trajectory_load_text(p->body, g.text, g.length, name, &options, &p->poses, &error);
    tell_report(options.report, &error, name, status);
    jn_report_destroy(options.report);
    if (status != JN_OK) result = EXIT_BAD;
  }
  free(g.text);
  return result;
}

/* ---- Following ---- */

/* jn_tasks_path.at: the pose of the free body and its twist. */
static jn_status pose_at(void *context, double t, int order, double *target, double *rate_jet) {
  tool_path *p = context;
  double q[POSE], R[9];
  jn_status status = jn_trajectory_evaluate(p->poses, t, rate_jet && order > 1 ? order - 1 : 0, q, p->room);
  if (status != JN_OK) return status;
  int rows = p->position ? 3 : 6;
  for (int k = 0; rate_jet && k <= order; k++) /* without rotation, the body's axes are those of the reference */
    memcpy(rate_jet + k * rows, p->room + k * 6 + (p->position ? 3 : 0), (size_t)rows * sizeof(double));
  if (p->position) {
    memcpy(target, q, 3 * sizeof(double));
    return JN_OK;
  }
  status = jn_quaternion_to_rotation(q + 3, R);
  for (int i = 0; i < 16; i++) target[i] = i == 15;
  for (int i = 0; i < 9; i++) target[4 * (i / 3) + i % 3] = R[i];
  for (int i = 0; i < 3; i++) target[4 * i + 3] = q[i];
  return status;
}

static int begin_path(tool_path *p) {
  double target[16];
  p->time = p->from = p->to = jn_trajectory_start(p->poses);
  jn_status status = pose_at(p, p->time, 0, target, NULL);
  if (status == JN_OK) status = jn_tasks_solve(p->tasks, target, p->q, p->active, &p->reach);
  if (status == JN_OK) return OPTION_GO_ON;
  tool_path_tell(p, status);
  return EXIT_BAD;
}

int tool_path_open(tool_path **path, const char *command, const tool_arg *arg, const char *file, const jn_model *model,
                   int order, const jn_trajectory_options *fit) {
  tool_path *p = *path = allocate(sizeof *p);
  size_t rows = (size_t)(order < 4 ? 4 : order) + 4;
  *p = (tool_path){.file = file, .frame = arg->frame, .model = model, .order = order < 4 ? 4 : order};
  p->body = free_body();
  p->q = allocate((size_t)jn_model_nq(model) * sizeof(double));
  p->room = allocate(2 * rows * 6 * sizeof(double));
  p->rates = p->room + rows * 6;
  p->active = allocate((size_t)jn_model_nv(model) + 1);
  memset(p->active, 0, (size_t)jn_model_nv(model) + 1);
  int result = p->body ? read_poses(p, fit) : EXIT_BAD;
  if (result == OPTION_GO_ON)
    result = tool_tasks_create(command, arg, model, p->position, p->order, fit->max_bytes, &p->tasks, p->q);
  return result == OPTION_GO_ON ? begin_path(p) : result;
}

void tool_path_close(tool_path *p) {
  if (!p) return;
  jn_tasks_destroy(p->tasks);
  jn_trajectory_destroy(p->poses);
  jn_model_destroy(p->body);
  free(p->q);
  free(p->room);
  free(p->active);
  free(p);
}

const jn_trajectory *tool_path_poses(const tool_path *p) { return p->poses; }
const jn_model *tool_path_model(const tool_path *p) { return p->body; }
const char *tool_path_column(int i) { return pose_names[i]; }
bool tool_path_is_position(const tool_path *p) { return p->position; }
const jn_reach *tool_path_reach(const tool_path *p) { return &p->reach; }

jn_status tool_path_at(tool_path *p, double t, int order, double *q, double *v_jet) {
  const jn_tasks_path path = {.context = p, .at = pose_at};
  double target[16];
  p->from = p->time;
  p->to = t;
  jn_status status = jn_tasks_follow(p->tasks, &path, p->time, t, 0, p->q, &p->time, p->active, &p->reach);
  if (status == JN_OK) status = pose_at(p, t, order + 1, target, p->rates);
  if (status == JN_OK)
    status = jn_tasks_motion_jet(p->tasks, order + 1, p->q, target, NULL, p->rates, v_jet, &p->reach);
  if (status == JN_OK) memcpy(q, p->q, (size_t)jn_model_nq(p->model) * sizeof(double));
  return status;
}

/* ---- Messages ---- */

static void tell_pose(const tool_path *p, double t) {
  double q[POSE], R[9], rpy[3];
  if (jn_trajectory_evaluate(p->poses, t, 0, q, NULL) != JN_OK) return;
  say(stderr, "    there the path is at x,y,z = %.6g,%.6g,%.6g m", q[0], q[1], q[2]);
  if (!p->position && jn_quaternion_to_rotation(q + 3, R) == JN_OK && jn_rotation_to_rpy(R, rpy) == JN_OK)
    say(stderr, ", roll,pitch,yaw = %.6g,%.6g,%.6g rad", rpy[0], rpy[1], rpy[2]);
  fputc('\n', stderr);
}

void missing_text(const jn_reach *reach, bool position, char text[MISSING_TEXT]) {
  static const double nothing = 1e-9;
  if (position || (reach->angle <= nothing && reach->distance > nothing))
    snprintf(text, MISSING_TEXT, "%.4g m", reach->distance);
  else if (reach->distance <= nothing && reach->angle > nothing)
    snprintf(text, MISSING_TEXT, "%.4g rad", reach->angle);
  else
    snprintf(text, MISSING_TEXT, "%.4g m and %.4g rad", reach->distance, reach->angle);
}

/* Where most is missing from p->time on, to the end of the path, for the configurations that are nearest one after the
 * other. 0: nothing is. */
static double find_missing(tool_path *p, jn_reach *most) {
  enum { SAMPLES = 100 };
  const jn_tasks_path path = {.context = p, .at = pose_at};
  double end = jn_trajectory_end(p->poses), worst = 0, at = p->time;
  *most = p->reach;
  most->distance = most->angle = 0;
  for (int i = 0; i <= SAMPLES; i++) {
    double t = i == 0 ? p->time : p->time + (end - p->time) * i / SAMPLES;
    jn_reach r;
    jn_status status = jn_tasks_follow(p->tasks, &path, t, t, 0, p->q, NULL, NULL, &r);
    if (status != JN_ERR_REACH || !(r.distance + r.angle > worst)) continue;
    worst = r.distance + r.angle;
    *most = r;
    at = t;
  }
  p->to = at;
  return worst;
}

void tool_path_tell(tool_path *p, jn_status status) {
  if (status != JN_ERR_REACH) {
    say(stderr, "jounce: %s: at t = %.15g s: %s\n", p->file, p->time, jn_status_text(status));
    return;
  }
  bool first = p->to == p->from && p->reach.outcome != JN_REACH_SINGULAR; /* a pose that is reached, and no way on */
  const char *why = jn_reach_text(p->reach.outcome);
  if (p->reach.outcome == JN_REACH_ITERATIONS && !first) why = "steps become too short";
  if (first)
    say(stderr, "jounce: %s: '%s' cannot reach the %s at t = %.9g s: %s\n", p->file, p->frame,
        p->position ? "position" : "pose", p->time, why);
  else
    say(stderr, "jounce: %s: '%s' can follow the path until t = %.9g s, and no further: %s\n", p->file, p->frame,
        p->time, why);
  tell_pose(p, p->time);
  jn_reach most;
  char missing[MISSING_TEXT];
  if (find_missing(p, &most) > 1e-9) {
    missing_text(&most, p->position, missing);
    say(stderr, "    %s are missing at the nearest configuration at t = %.9g s, where most is\n", missing, p->to);
    if (most.distance > 100) fputs("    lengths are in m; of others, the header has the unit: \"x [mm]\"\n", stderr);
  } else {
    fputs("    what follows could be reached, but not without a jump of the joints or of their velocities\n", stderr);
  }
  tell_active(p->model, p->active);
  if (p->reach.outcome == JN_REACH_SINGULAR)
    fputs("    another --start may pass it in another way; --free, if part of the pose does not matter\n", stderr);
  if (p->reach.outcome == JN_REACH_LIMITS)
    fputs(
        "    try another --start, --weights, --pull or --limit-distance, or --free, if part of the pose does not "
        "matter\n",
        stderr);
}
