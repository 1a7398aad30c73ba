/* SPDX-License-Identifier: BSD-2-Clause */
/* Actuators from JSON, docs/elastic.md:
 *   {"joints": {"NAME": {"stiffness": 8000, "rotor_inertia": 1.2, "rotor_side": "joint", "gear": 100, ...}}}
 * The numbers of the motor are on its own side of the gear when rotor_side is "motor"; here all of them go to the side
 * of the joint. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../model/model.h"
#include "../text/nearest_name.h"
#include "../text/words.h"
#include "jounce/elastic.h"
#include "jounce/trajectory.h"
#include "limit.h"
#include "native.h"
#if JN_WITH_JSON
#include <jansson.h>
#include <stdarg.h>
#endif

#if JN_WITH_JSON

typedef struct reader {
  const jn_model *model;
  jn_allocator allocator;
  jn_log log;
  const char *file, *text, *end;
  const char *joint;   /* that is read now; NULL at the top level */
  double **blocks;     /* arrays of springs, to be released */
  int count, capacity; /* of blocks */
} reader;

/* ---- Messages ---- */

static jn_place place_of(const reader *r, const char *key) {
  jn_scan at = jn__scan_start(r->text, r->end), key_at = at;
  if (r->joint) at = jn__scan_member(jn__scan_member(at, r->end, "joints", &key_at), r->end, r->joint, &key_at);
  if (key) jn__scan_member(at, r->end, key, &key_at);
  return (jn_place){r->file, key_at.p ? key_at.line : 0, jn__scan_column(&key_at)};
}

static int fault(reader *r, const char *key, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Always 0. */
static int fault(reader *r, const char *key, const char *remedy, const char *format, ...) {
  char subject[96] = "", text[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (r->joint) snprintf(subject, sizeof subject, "joint '%.*s'", JN_CLIP(r->joint));
  jn__log(&r->log, JN_ERROR, JN_ERR_SYNTAX, "actuator", place_of(r, key), subject, remedy, "%s", text);
  return 0;
}

static int no_memory(reader *r) {
  jn__log(&r->log, JN_ERROR, JN_ERR_MEMORY, "memory", (jn_place){r->file, 0, 0}, NULL, NULL, "%s",
          jn_status_text(JN_ERR_MEMORY));
  return 0;
}

static int check_keys(reader *r, const char *key, const json_t *object, const char *known) {
  const char *name;
  json_t *value;
  char remedy[320];
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    if (strcmp(name, "comment") == 0 || jn__is_listed(known, name)) continue;
    jn__suggest(known, name, remedy, sizeof remedy);
    return fault(r, key ? key : name, remedy, "'%.*s' is not a known key", JN_CLIP(name));
  }
  return 1;
}

/* ---- Values ---- */

/* A member that is a number, if it is there. `least`: 0 may be zero, 1 must be positive, -1 any. */
static int get_number(reader *r, const json_t *object, const char *key, int least, double *x) {
  json_t *value = json_object_get(object, key);
  if (!value) return 1;
  if (!json_is_number(value)) return fault(r, key, NULL, "'%s' must be a number", key);
  *x = json_number_value(value);
  if (least == 1 && !(*x > 0)) return fault(r, key, NULL, "'%s' must be positive, not %g", key, *x);
  if (least == 0 && !(*x >= 0)) return fault(r, key, NULL, "'%s' must not be negative: %g", key, *x);
  return 1;
}

/* An array of numbers, kept until the end; NULL after reporting. */
static double *get_array(reader *r, const char *key, const json_t *value, const char *what, int *count) {
  if (!json_is_array(value)) return fault(r, key, NULL, "'%s' must be an array of numbers", what), NULL;
  size_t n = json_array_size(value);
  double **blocks = jn__grow(&r->allocator, r->blocks, r->count, &r->capacity, sizeof *blocks);
  double *x = blocks && n <= 1 << 24 ? jn__allocate(&r->allocator, (n + 1) * sizeof *x) : NULL;
  if (blocks) r->blocks = blocks;
  if (!x) return no_memory(r), NULL;
  r->blocks[r->count++] = x;
  for (size_t i = 0; i < n; i++) {
    json_t *number = json_array_get(value, i);
    if (!json_is_number(number)) return fault(r, key, NULL, "'%s' [%zu] is not a number", what, i), NULL;
    x[i] = json_number_value(number);
  }
  *count = (int)n;
  return x;
}

/* Two arrays of one length, members of an object. */
static int get_rows(reader *r, const json_t *object, const char *first, const char *second, const double **x,
                    const double **y, int *count) {
  const json_t *a = json_object_get(object, first), *b = json_object_get(object, second);
  int n = 0, m = 0;
  if (!a || !b) return fault(r, "stiffness", NULL, "'stiffness' needs both '%s' and '%s'", first, second);
  *x = get_array(r, "stiffness", a, first, &n);
  *y = *x ? get_array(r, "stiffness", b, second, &m) : NULL;
  if (!*y) return 0;
  if (n != m) return fault(r, "stiffness", NULL, "'%s' has %d numbers, but '%s' has %d", first, n, second, m);
  if (n < 3) return fault(r, "stiffness", NULL, "'%s' needs at least three numbers", first);
  *count = n;
  return 1;
}

static int get_stiffness(reader *r, const json_t *object, jn_actuator *a) {
  static const char forms[] =
      "a number, {\"polynomial\": [c0, c1, ...]}, {\"deflection\": [...], \"torque\": [...]} or {\"times\": [...], "
      "\"stiffness\": [...]}";
  const json_t *value = json_object_get(object, "stiffness");
  if (!value || json_is_null(value)) return 1; /* rigid */
  if (json_is_number(value)) return get_number(r, object, "stiffness", 1, &a->stiffness);
  if (!json_is_object(value)) return fault(r, "stiffness", forms, "'stiffness' is not one of the forms");
  if (!check_keys(r, "stiffness", value, "polynomial, deflection, torque, times, stiffness")) return 0;
  const json_t *polynomial = json_object_get(value, "polynomial");
  int count = (polynomial != NULL) + (json_object_get(value, "deflection") || json_object_get(value, "torque")) +
              (json_object_get(value, "times") || json_object_get(value, "stiffness"));
  if (count > 1) return fault(r, "stiffness", forms, "'stiffness' mixes several of the forms");
  if (polynomial) {
    a->polynomial = get_array(r, "stiffness", polynomial, "polynomial", &a->polynomial_count);
    if (a->polynomial && a->polynomial_count < 2)
      return fault(r, "stiffness", NULL, "'polynomial' needs at least two numbers, c0 and c1");
    return a->polynomial != NULL;
  }
  if (json_object_get(value, "deflection"))
    return get_rows(r, value, "deflection", "torque", &a->table_deflection, &a->table_torque, &a->table_count);
  if (json_object_get(value, "times"))
    return get_rows(r, value, "times", "stiffness", &a->times, &a->time_stiffness, &a->time_count);
  return fault(r, "stiffness", forms, "'stiffness' is not one of the forms");
}

static int get_range(reader *r, const json_t *object, jn_actuator *a) {
  const json_t *value = json_object_get(object, "forcerange");
  if (!value) return 1;
  if (!json_is_array(value) || json_array_size(value) != 2 || !json_is_number(json_array_get(value, 0)) ||
      !json_is_number(json_array_get(value, 1)))
    return fault(r, "forcerange", "as in \"forcerange\": [-87, 87]", "'forcerange' must be two numbers");
  a->torque_lower = json_number_value(json_array_get(value, 0));
  a->torque_upper = json_number_value(json_array_get(value, 1));
  if (a->torque_lower <= a->torque_upper) return 1;
  return fault(r, "forcerange", NULL, "'forcerange' must be [lower, upper], but %g > %g", a->torque_lower,
               a->torque_upper);
}

/* Numbers of the motor's side, seen from the joint. */
static void reflect(jn_actuator *a) {
  double gear = fabs(a->gear), square = gear * gear, lower = a->torque_lower, upper = a->torque_upper;
  a->rotor_inertia *= square;
  a->rotor_damping *= square;
  a->frictionloss *= gear;
  a->friction_speed /= gear;
  a->velocity /= gear;
  a->effort_rate *= gear;
  a->torque_lower = a->gear > 0 ? lower * gear : -upper * gear;
  a->torque_upper = a->gear > 0 ? upper * gear : -lower * gear;
}

static int read_actuator(reader *r, const json_t *object, jn_actuator *a) {
  static const char known[] =
      "stiffness, damping, rotor_inertia, rotor_side, gear, rotor_damping, frictionloss, friction_speed, "
      "torque_constant, forcerange, velocity, effort_rate, deflection";
  if (!json_is_object(object)) return fault(r, NULL, "as in {\"stiffness\": 8000}", "needs an object");
  if (!check_keys(r, NULL, object, known)) return 0;
  const json_t *side = json_object_get(object, "rotor_side");
  const char *word = json_is_string(side) ? json_string_value(side) : "";
  int motor = strcmp(word, "motor") == 0;
  if (side && !motor && strcmp(word, "joint") != 0)
    return fault(r, "rotor_side", NULL, "'rotor_side' must be \"joint\" or \"motor\"");
  if (!get_stiffness(r, object, a) || !get_range(r, object, a)) return 0;
  const struct {
    const char *key;
    int least;
    double *to;
  } numbers[] = {{"damping", 0, &a->damping},
                 {"rotor_inertia", 0, &a->rotor_inertia},
                 {"gear", -1, &a->gear},
                 {"rotor_damping", 0, &a->rotor_damping},
                 {"frictionloss", 0, &a->frictionloss},
                 {"friction_speed", 1, &a->friction_speed},
                 {"torque_constant", 1, &a->torque_constant},
                 {"velocity", 0, &a->velocity},
                 {"effort_rate", 0, &a->effort_rate},
                 {"deflection", 0, &a->deflection}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!get_number(r, object, numbers[i].key, numbers[i].least, numbers[i].to)) return 0;
  if (a->gear == 0) return fault(r, "gear", NULL, "'gear' must not be zero");
  if (!side && a->gear != 1 && json_object_get(object, "rotor_inertia"))
    return fault(r, "rotor_inertia", "add \"rotor_side\": \"motor\" (the rotor's own) or \"joint\" (times gear^2)",
                 "'rotor_inertia' with a gear needs 'rotor_side', which says where it counts");
  if (motor) reflect(a);
  return 1;
}

/* The velocity coordinate by this name; JN_NONE. */
static int find_coordinate(const jn_model *m, const char *name) {
  char known[JN_COORDINATE_NAME];
  int joint = jn_joint_index(m, name);
  if (joint >= 0 && jn_joint_nv(m, joint) == 1) return jn_joint_v(m, joint);
  for (int v = 0; v < jn_model_nv(m); v++)
    if (jn_velocity_name(m, v, known, sizeof known) == JN_OK && strcmp(known, name) == 0) return v;
  return JN_NONE;
}

static const char *joint_at(const void *model, int i) { return jn_joint_name(model, i); }

static int unknown_joint(reader *r, const char *name) {
  char remedy[160] = "jounce info shows the names of the joints";
  int joint = jn_joint_index(r->model, name);
  if (joint < 0) jn__did_you_mean(name, jn_link_count(r->model), joint_at, r->model, remedy, sizeof remedy);
  if (joint >= 0 && jn_joint_nv(r->model, joint) > 1)
    snprintf(remedy, sizeof remedy, "name its coordinates, as in the columns of jounce torque --out");
  jn__log(&r->log, JN_ERROR, JN_ERR_NAME, "unknown-joint", place_of(r, NULL), name, remedy, "%s",
          joint < 0                           ? "is not a joint of the model"
          : jn_joint_nv(r->model, joint) == 0 ? "is a joint without a coordinate of its own"
                                              : "has several coordinates");
  return 0;
}

static int read_root(reader *r, const json_t *root, jn_actuator *actuators) {
  const char *name;
  json_t *value, *joints = json_object_get(root, "joints");
  if (!json_is_object(root) || !json_is_object(joints))
    return fault(r, NULL, "{\"joints\": {\"NAME\": {\"stiffness\": 8000}}}", "needs 'joints'");
  if (!check_keys(r, NULL, root, "joints")) return 0;
  json_object_foreach(joints, name, value) {
    r->joint = name;
    int v = find_coordinate(r->model, name);
    if (v < 0 ? !unknown_joint(r, name) : !read_actuator(r, value, &actuators[v])) return 0;
  }
  r->joint = NULL;
  return 1;
}

static jn_status read_text(reader *r, const char *text, size_t length, const jn_elastic_options *o,
                           jn_elastic **elastic, jn_error *error) {
  json_error_t json;
  int nv = jn_model_nv(r->model);
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
  if (!jn__json_fits(&r->log, r->file, text, length, jn__limit(o->max_bytes))) return jn__log_end(&r->log, error);
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &json);
  if (!root) {
    jn__log(&r->log, JN_ERROR, JN_ERR_SYNTAX, "json", (jn_place){r->file, json.line, json.column}, NULL, NULL,
            "is not JSON: %s", json.text);
    return jn__log_end(&r->log, error);
  }
  r->text = text;
  r->end = text + length;
  jn_actuator *actuators = jn__allocate(&r->allocator, ((size_t)nv + 1) * sizeof *actuators);
  for (int v = 0; v < nv && actuators; v++) jn_actuator_init(&actuators[v]);
  if (!actuators) no_memory(r);
  int good = actuators && read_root(r, root, actuators);
  jn_status status = good ? JN_OK : jn__log_end(&r->log, error);
  if (good) {
    status = jn_elastic_create(r->model, actuators, o, elastic, error);
    if (status != JN_OK && error) snprintf(error->file, sizeof error->file, "%s", r->file);
  }
  for (int i = 0; i < r->count; i++) jn__release(&r->allocator, r->blocks[i]);
  jn__release(&r->allocator, r->blocks);
  jn__release(&r->allocator, actuators);
  json_decref(root);
  return status;
}
#endif

static jn_status begin(const jn_model *model, const void *source, const jn_elastic_options *options,
                       jn_elastic **elastic, jn_error *error, jn_elastic_options *o) {
  if (elastic) *elastic = NULL;
  if (!model || !source || !elastic) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  if (options && options->size != sizeof *options)
    return jn__fail(error, JN_ERR_INIT, NULL, "%s", jn_status_text(JN_ERR_INIT));
  jn_elastic_options_init(o);
  if (options) *o = *options;
  return JN_OK;
}

jn_status jn_elastic_load_text(const jn_model *model, const char *text, size_t length, const char *file,
                               const jn_elastic_options *options, jn_elastic **elastic, jn_error *error) {
  jn_elastic_options o;
  jn_status status = begin(model, text, options, elastic, error, &o);
  if (status != JN_OK) return status;
  if (!file) file = "";
#if JN_WITH_JSON
  reader r = {.model = model, .allocator = model->allocator, .file = file};
  if (length > jn__limit(o.max_bytes)) {
    jn__over_limit(&r.log, file, NULL, "is larger than", jn__limit(o.max_bytes));
    return jn__log_end(&r.log, error);
  }
  return read_text(&r, text, length, &o, elastic, error);
#else
  (void)length;
  return jn__fail(error, JN_ERR_UNSUPPORTED, file, "is JSON, and this build of jounce lacks jansson");
#endif
}

jn_status jn_elastic_load(const jn_model *model, const char *path, const jn_elastic_options *options,
                          jn_elastic **elastic, jn_error *error) {
  jn_elastic_options o;
  jn_log log = {0};
  size_t length = 0;
  jn_status status = begin(model, path, options, elastic, error, &o);
  if (status != JN_OK) return status;
  char *text = jn__read_file(&model->allocator, &log, path, jn__limit(o.max_bytes), &length);
  if (!text) return jn__log_end(&log, error);
  status = jn_elastic_load_text(model, text, length, path, &o, elastic, error);
  jn__release(&model->allocator, text);
  return status;
}
