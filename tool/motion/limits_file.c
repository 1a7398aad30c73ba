/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of the model, and a file with other or further ones: by joint names, JSON
 *   {"joint1": {"velocity": 2, "jerk": 100}, "joint2": {"lower": -1, "upper": 1}}
 * or CSV
 *   joint,lower,upper,velocity,acceleration,jerk,effort,effort_rate
 * or a built-in robot, builtin:panda, for the joints that have the same names.
 * An empty cell, or a key that is missing, leaves the model's limit; null and inf take it away. */
#include <jounce/table.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/text/json_values.h"
#include "../command.h"
#include "../files/input.h"
#include "../text/print.h"
#include "limits.h"
#if JN_WITH_JSON
#include <jansson.h>
#endif

enum { KEYS = 7 };
static const char *const keys[KEYS] = {"lower", "upper", "velocity", "acceleration", "jerk", "effort", "effort_rate"};

static void limits_of_model(const jn_model *model, limit *limits) {
  for (int v = 0; v < jn_model_nv(model); v++) {
    const jn_dof *dof = jn_coordinate_dof(model, v);
    limit *l = limits + (size_t)v * QUANTITIES;
    bool position = place_in_q(model, v) >= 0;
    l[POSITION] = position ? (limit){dof->lower, dof->upper} : (limit){-INFINITY, INFINITY};
    l[VELOCITY] = (limit){-dof->velocity, dof->velocity};
    l[ACCELERATION] = (limit){-dof->acceleration, dof->acceleration};
    l[JERK] = (limit){-dof->jerk, dof->jerk};
    l[EFFORT] = (limit){-dof->effort, dof->effort};
    l[EFFORT_RATE] = (limit){-dof->effort_rate, dof->effort_rate};
  }
}

typedef struct reader {
  const jn_model *model;
  const char *file;
  limit *limits;
  unsigned char *seen; /* [links] joints that had their line */
  int line;
} reader;

static int complain(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int complain(const reader *r, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  fputs("jounce: ", stderr);
  print_place(stderr, r->file, r->file, r->line, 0);
  print_text(stderr, text);
  fputc('\n', stderr);
  return EXIT_BAD;
}

static int unknown_joint(const reader *r, const char *name) {
  int count = jn_link_count(r->model);
  const char **names = allocate((size_t)count * sizeof *names);
  int moving = 0;
  for (int i = 0; i < count; i++)
    if (jn_joint_nv(r->model, i) > 0) names[moving++] = jn_joint_name(r->model, i);
  const char *near = nearest_word(name, names, moving);
  char *hint = near ? format_text("; did you mean '%s'?", near) : copy_text("", 0);
  if (strcmp(name, "joints") == 0 && moving > 0) { /* as in the files of --actuators */
    free(hint);
    hint = format_text("; joints are named without \"joints\" around them: {\"%.60s\": {\"velocity\": 2}}", names[0]);
  }
  int status = complain(r, "joint '%s' is not a moving joint of the model%s", name, hint);
  free(hint);
  free(names);
  return status;
}

static int key_index(const char *word) {
  for (int k = 0; k < KEYS; k++)
    if (strcmp(keys[k], word) == 0) return k;
  return -1;
}

/* A joint that is known, and there for the first time. */
static int begin_joint(const reader *r, const char *name) {
  int joint = jn_joint_index(r->model, name);
  if (joint < 0 || jn_joint_nv(r->model, joint) == 0) return unknown_joint(r, name);
  if (r->seen[joint]++) return complain(r, "joint '%s' appears twice; keep one of them", name);
  return OPTION_GO_ON;
}

/* Set one limit of all coordinates of a joint. */
static int set_limit(const reader *r, const char *joint_name, int key, double value) {
  int joint = jn_joint_index(r->model, joint_name);
  if (key >= 2 && !(value >= 0)) return complain(r, "joint '%s': '%s' must not be negative", joint_name, keys[key]);
  for (int i = 0; i < jn_joint_nv(r->model, joint); i++) {
    limit *l = r->limits + (size_t)(jn_joint_v(r->model, joint) + i) * QUANTITIES;
    if (key == 0)
      l[POSITION].lower = isinf(value) ? -INFINITY : value;
    else if (key == 1)
      l[POSITION].upper = value;
    else
      l[key - 1] = (limit){-value, value};
  }
  return OPTION_GO_ON;
}

/* ---- JSON ---- */

#if JN_WITH_JSON
static int read_object(const reader *r, const char *joint, json_t *object) {
  const char *key;
  json_t *value;
  if (begin_joint(r, joint) != OPTION_GO_ON) return EXIT_BAD;
  if (!json_is_object(object)) return complain(r, "joint '%s' needs an object of limits", joint);
  json_object_foreach(object, key, value) {
    int index = key_index(key);
    const char *near = nearest_word(key, keys, KEYS);
    if (index < 0) return complain(r, "'%s' is not a known limit; did you mean '%s'?", key, near ? near : "velocity");
    if (!json_is_number(value) && !json_is_null(value)) return complain(r, "'%s' must be a number", key);
    int status = set_limit(r, joint, index, json_is_null(value) ? INFINITY : json_number_value(value));
    if (status != OPTION_GO_ON) return status;
  }
  return OPTION_GO_ON;
}

static int read_json(reader *r, const char *text, size_t length) {
  json_error_t error;
  json_t *root = json_loadb(text, length, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
  const char *joint;
  json_t *value;
  int status = OPTION_GO_ON;
  r->line = error.line > 0 ? error.line : 0;
  if (!root) return complain(r, "is not JSON: %s", error.text);
  r->line = 0;
  json_object_foreach(root, joint, value) {
    if (strcmp(joint, "comment") == 0) continue;
    status = read_object(r, joint, value);
    if (status != OPTION_GO_ON) break;
  }
  json_decref(root);
  return status;
}
#else
static int read_json(reader *r, const char *text, size_t length) {
  (void)text, (void)length;
  return complain(r, "is JSON, and this build lacks jansson; write it as CSV: joint,lower,upper");
}
#endif

/* ---- CSV: the rules are those of trajectories ---- */

enum { CELL = 320 }; /* longer than any name of a joint, or any number */

/* Which limit each column has; columns[0] is that of the joints. */
static int read_head(reader *r, const jn_table *t, int *columns) {
  const char *first = jn_table_name(t, 0);
  r->line = jn_table_line(t, -1);
  if (strcmp(first, "joint") != 0)
    return complain(r, "the first column must be 'joint', not '%.60s'; e.g. joint,velocity,jerk", first);
  for (int c = 1; c < jn_table_columns(t); c++) {
    int key = *jn_table_unit(t, c) ? -1 : key_index(jn_table_name(t, c));
    if (key < 0)
      return complain(r,
                      "column '%.60s' is not a known limit: lower, upper, velocity, acceleration, jerk, effort, "
                      "effort_rate, in SI units",
                      jn_table_name(t, c));
    columns[c] = key;
  }
  return jn_table_columns(t) > 1 ? OPTION_GO_ON : complain(r, "has no column of limits, e.g. joint,velocity,jerk");
}

static int read_line(reader *r, const jn_table *t, int row, const int *columns) {
  char joint[CELL], cell[CELL];
  r->line = jn_table_line(t, row);
  jn_table_cell(t, row, 0, joint, sizeof joint);
  int status = begin_joint(r, joint);
  for (int c = 1; c < jn_table_columns(t) && status == OPTION_GO_ON; c++) {
    double value = jn_table_values(t, c)[row];
    if (isnan(value)) {
      if (jn_table_cell(t, row, c, cell, sizeof cell) == 0) continue;
      return complain(r, "'%.60s' is not a number (column '%s')", cell, keys[columns[c]]);
    }
    status = set_limit(r, joint, columns[c], value);
  }
  return status;
}

static int read_csv(reader *r, const char *text, size_t length, size_t max_bytes) {
  jn_table_options options;
  jn_table *t;
  jn_error error;
  jn_table_options_init(&options);
  options.loose = 1;
  options.max_bytes = max_bytes;
  if (jn_table_read(text, length, r->file, &options, &t, &error) != JN_OK) {
    r->line = error.line;
    return complain(r, "%s", error.text);
  }
  int *columns = allocate((size_t)jn_table_columns(t) * sizeof *columns), status = read_head(r, t, columns);
  for (int row = 0; row < jn_table_rows(t) && status == OPTION_GO_ON; row++) status = read_line(r, t, row, columns);
  free(columns);
  jn_table_destroy(t);
  r->line = 0;
  return status;
}

/* ---- Another robot ---- */

/* Limits of a built-in robot for the joints of the same names. */
static int read_robot(const reader *r) {
  jn_model *other;
  jn_error error;
  int shared = 0, joints = jn_link_count(r->model);
  if (jn_load(r->file, NULL, &other, &error) != JN_OK) return complain(r, "%s", error.text);
  limit *limits = allocate((size_t)jn_model_nv(other) * QUANTITIES * sizeof *limits);
  limits_of_model(other, limits);
  for (int j = 0; j < joints; j++) {
    int k = jn_joint_index(other, jn_joint_name(r->model, j)), nv = jn_joint_nv(r->model, j);
    if (k < 0 || nv == 0 || jn_joint_type_of(other, k) != jn_joint_type_of(r->model, j)) continue;
    shared++;
    for (int i = 0; i < nv * QUANTITIES; i++) {
      const limit *from = limits + (size_t)jn_joint_v(other, k) * QUANTITIES + (size_t)i;
      if (limit_is_finite(from)) r->limits[(size_t)jn_joint_v(r->model, j) * QUANTITIES + (size_t)i] = *from;
    }
  }
  free(limits);
  jn_model_destroy(other);
  if (shared > 0) return OPTION_GO_ON;
  return complain(r, "has no moving joint by the name of one of '%s'", jn_model_name(r->model));
}

/* ---- Together ---- */

static int check_ranges(const reader *r) {
  for (int v = 0; v < jn_model_nv(r->model); v++) {
    const limit *l = r->limits + (size_t)v * QUANTITIES + POSITION;
    if (l->lower <= l->upper) continue;
    return complain(r, "joint '%s': lower %g is above upper %g (what the file leaves out is the model's)",
                    jn_joint_name(r->model, jn_coordinate_joint(r->model, v, NULL)), l->lower, l->upper);
  }
  return OPTION_GO_ON;
}

static int read_text(reader *r, const char *text, size_t length, size_t max_bytes) {
  size_t bom = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0, first = bom + strspn(text + bom, " \t\r\n");
  if (text[first] != '{') return read_csv(r, text, length, max_bytes);
  if (!input_fits(r->file, jn__json_value_count(text, length), JN_JSON_VALUE, "values", max_bytes)) return EXIT_BAD;
  return read_json(r, text + bom, length - bom);
}

int read_limits(const jn_model *model, const char *path, size_t max_bytes, limit *limits) {
  reader r = {.model = model, .file = path, .limits = limits};
  size_t length;
  limits_of_model(model, limits);
  if (!*path) return OPTION_GO_ON;
  if (strncmp(path, "builtin:", 8) == 0) return read_robot(&r);
  char *text = read_input(path, path, max_bytes, &length);
  if (!text) return EXIT_BAD;
  r.seen = allocate((size_t)jn_link_count(model) + 1);
  memset(r.seen, 0, (size_t)jn_link_count(model) + 1);
  int status = read_text(&r, text, length, max_bytes);
  if (status == OPTION_GO_ON) status = check_ranges(&r);
  free(r.seen);
  free(text);
  return status;
}
