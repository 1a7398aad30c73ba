/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of the model, and a file with other or further ones: by joint names, JSON
 *   {"joint1": {"velocity": 2, "jerk": 100}, "joint2": {"lower": -1, "upper": 1}}
 * or CSV
 *   joint,lower,upper,velocity,acceleration,jerk,effort,effort_rate
 * An empty cell, or a key that is missing, leaves the model's limit; null and inf take it away. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "print.h"
#include "torque.h"
#if JN_WITH_JSON
#include <jansson.h>
#endif

enum { KEYS = 7, LONGEST = 1 << 20 };
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
  for (int i = 0; i < count; i++) names[i] = jn_joint_name(r->model, i);
  const char *near = nearest_word(name, names, count);
  char *hint = near ? format_text("; did you mean '%s'?", near) : copy_text("", 0);
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

/* Set one limit of all coordinates of a joint. */
static int set_limit(const reader *r, const char *joint_name, int key, double value) {
  int joint = jn_joint_index(r->model, joint_name);
  if (joint < 0 || jn_joint_nv(r->model, joint) == 0) return unknown_joint(r, joint_name);
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

static int read_json(reader *r, const char *text) {
  json_error_t error;
  json_t *root = json_loads(text, JSON_DECODE_INT_AS_REAL, &error);
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
static int read_json(reader *r, const char *text) {
  (void)text;
  return complain(r, "is JSON, and this build lacks jansson; write it as CSV: joint,lower,upper");
}
#endif

/* ---- CSV ---- */

/* The next cell of a line, without blanks and quotes; moves *at behind it. NULL after the last. */
static char *next_cell(char **at) {
  char *cell = *at;
  if (!cell) return NULL;
  char *comma = strpbrk(cell, ",;");
  *at = comma ? comma + 1 : NULL;
  if (comma) *comma = 0;
  while (*cell && strchr(" \t\"", *cell)) cell++;
  for (size_t n = strlen(cell); n > 0 && strchr(" \t\r\"", cell[n - 1]); n--) cell[n - 1] = 0;
  return cell;
}

static int read_head(reader *r, char *line, int columns[KEYS + 1], int *count) {
  char *cell = next_cell(&line);
  *count = 0;
  if (!cell || strcmp(cell, "joint") != 0)
    return complain(r, "the first column must be 'joint', not '%s'", cell ? cell : "");
  while ((cell = next_cell(&line)) && *count < KEYS) {
    int key = key_index(cell);
    if (key < 0)
      return complain(
          r, "column '%s' is not a known limit: lower, upper, velocity, acceleration, jerk, effort, effort_rate", cell);
    columns[(*count)++] = key;
  }
  return OPTION_GO_ON;
}

static int read_line(reader *r, char *line, const int *columns, int count) {
  char *joint = next_cell(&line), *end;
  for (int i = 0; i < count; i++) {
    const char *cell = next_cell(&line);
    if (!cell || !*cell) continue;
    double value = strtod(cell, &end);
    if (*end || isnan(value)) return complain(r, "'%s' is not a number (column '%s')", cell, keys[columns[i]]);
    int status = set_limit(r, joint, columns[i], value);
    if (status != OPTION_GO_ON) return status;
  }
  return OPTION_GO_ON;
}

static int read_csv(reader *r, char *text) {
  int columns[KEYS + 1], count = -1, status = OPTION_GO_ON;
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  for (char *line = text; line && status == OPTION_GO_ON;) {
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    r->line++;
    if (line[strspn(line, " \t\r")] != 0 && *line != '#')
      status = count < 0 ? read_head(r, line, columns, &count) : read_line(r, line, columns, count);
    line = end ? end + 1 : NULL;
  }
  return status;
}

int read_limits(const jn_model *model, const char *path, limit *limits) {
  reader r = {.model = model, .file = path, .limits = limits};
  limits_of_model(model, limits);
  if (!*path) return OPTION_GO_ON;
  FILE *f = fopen(path, "rb");
  if (!f) return complain(&r, "cannot be opened: %s", strerror(errno));
  char *text = allocate(LONGEST + 1);
  size_t length = fread(text, 1, LONGEST, f);
  fclose(f);
  text[length] = 0;
  size_t first = strspn(text, " \t\r\n");
  int status = length == LONGEST    ? complain(&r, "is too large")
               : text[first] == '{' ? read_json(&r, text)
                                    : read_csv(&r, text);
  free(text);
  return status;
}
