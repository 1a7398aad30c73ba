/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of the model, and a file with other or further ones: by joint names, JSON
 *   {"joint1": {"velocity": 2, "jerk": 100}, "joint2": {"lower": -1, "upper": 1}}
 * or CSV
 *   joint,lower,upper,velocity,acceleration,jerk,effort,effort_rate
 * or a built-in robot, builtin:panda, for the joints that have the same names.
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
  if (r->seen[joint]++) return complain(r, "joint '%s' is there twice; keep one of them", name);
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

static int read_json(reader *r, const char *text) {
  json_error_t error;
  json_t *root = json_loads(text, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
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

/* ---- CSV: the rules are those of trajectories ---- */

/* Semicolons if there is one (commas are then decimal), else tabs if there are more of them than commas. */
static char find_separator(const char *line) {
  int commas = 0, tabs = 0;
  for (const char *p = line; *p; p++) {
    if (*p == ';') return ';';
    commas += *p == ',';
    tabs += *p == '\t';
  }
  return tabs > commas ? '\t' : ',';
}

/* The next cell of a line, without blanks and quotes; moves *at behind it. NULL after the last. */
static char *next_cell(char **at, char separator) {
  char *cell = *at;
  if (!cell) return NULL;
  char *end = strchr(cell, separator);
  *at = end ? end + 1 : NULL;
  if (end) *end = 0;
  while (*cell && strchr(" \t\"", *cell)) cell++;
  for (size_t n = strlen(cell); n > 0 && strchr(" \t\r\"", cell[n - 1]); n--) cell[n - 1] = 0;
  return cell;
}

typedef struct csv_head {
  char separator;
  int columns[KEYS]; /* which limit */
  int count;
} csv_head;

static int read_head(reader *r, char *line, csv_head *h) {
  h->separator = find_separator(line);
  char *cell = next_cell(&line, h->separator);
  if (!cell || strcmp(cell, "joint") != 0)
    return complain(r, "the first column must be 'joint', not '%s'; e.g. joint,velocity,jerk", cell ? cell : "");
  while ((cell = next_cell(&line, h->separator))) {
    int key = key_index(cell);
    if (key < 0)
      return complain(r,
                      "column '%s' is not a known limit: lower, upper, velocity, acceleration, jerk, effort, "
                      "effort_rate, in SI units",
                      cell);
    for (int i = 0; i < h->count; i++)
      if (h->columns[i] == key) return complain(r, "column '%s' is there twice; keep one of them", cell);
    h->columns[h->count++] = key;
  }
  return h->count > 0 ? OPTION_GO_ON : complain(r, "has no column of limits, e.g. joint,velocity,jerk");
}

static int read_line(reader *r, char *line, const csv_head *h) {
  const char *joint = next_cell(&line, h->separator);
  char *end;
  int status = begin_joint(r, joint);
  for (int i = 0; i < h->count && status == OPTION_GO_ON; i++) {
    char *cell = next_cell(&line, h->separator);
    if (!cell)
      return complain(r, "joint '%s' has %d cells, but there are %d columns; leave cells without a limit empty", joint,
                      i + 1, h->count + 1);
    if (!*cell) continue;
    char *comma = h->separator == ';' ? strchr(cell, ',') : NULL;
    if (comma) *comma = '.';
    double value = strtod(cell, &end);
    if (*end || isnan(value)) return complain(r, "'%s' is not a number (column '%s')", cell, keys[h->columns[i]]);
    status = set_limit(r, joint, h->columns[i], value);
  }
  const char *more = status == OPTION_GO_ON ? next_cell(&line, h->separator) : NULL;
  if (more && (*more || line)) return complain(r, "joint '%s' has more cells than there are columns", joint);
  return status;
}

static int read_csv(reader *r, char *text) {
  csv_head head = {0};
  int status = OPTION_GO_ON;
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  for (char *line = text; line && status == OPTION_GO_ON;) {
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    r->line++;
    if (line[strspn(line, " \t\r")] != 0 && *line != '#')
      status = head.count == 0 ? read_head(r, line, &head) : read_line(r, line, &head);
    line = end ? end + 1 : NULL;
  }
  if (status != OPTION_GO_ON) return status;
  r->line = 0;
  if (head.count == 0)
    return complain(r, "is empty; limits are written as joint,velocity,jerk and a line for each joint");
  return OPTION_GO_ON;
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

static int read_text(reader *r, char *text, size_t length) {
  if (length == LONGEST) return complain(r, "is too large");
  if (memchr(text, 0, length)) return complain(r, "is no text: limits are JSON or CSV");
  size_t bom = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0, first = bom + strspn(text + bom, " \t\r\n");
  return text[first] == '{' ? read_json(r, text + bom) : read_csv(r, text);
}

int read_limits(const jn_model *model, const char *path, limit *limits) {
  reader r = {.model = model, .file = path, .limits = limits};
  limits_of_model(model, limits);
  if (!*path) return OPTION_GO_ON;
  if (strncmp(path, "builtin:", 8) == 0) return read_robot(&r);
  FILE *f = fopen(path, "rb");
  if (!f) return complain(&r, "cannot be opened: %s", strerror(errno));
  char *text = allocate(LONGEST + 1);
  size_t length = fread(text, 1, LONGEST, f);
  int failed = ferror(f);
  fclose(f);
  text[length] = 0;
  r.seen = allocate((size_t)jn_link_count(model) + 1);
  memset(r.seen, 0, (size_t)jn_link_count(model) + 1);
  int status = failed ? complain(&r, "cannot be read") : read_text(&r, text, length);
  if (status == OPTION_GO_ON) status = check_ranges(&r);
  free(r.seen);
  free(text);
  return status;
}
