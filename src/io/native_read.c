/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads native model files (JSON, docs/model-file.md) into a builder.
 *
 * jansson checks the syntax and makes the values. It keeps no positions, so messages find theirs by walking through the
 * text again (cursor). This file checks the form: keys, types, counts. Freezing checks the meaning. A faulty value is
 * replaced by a harmless one, so that one error gives one message and the rest of the file is still checked. */
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../model/draft.h"
#include "common.h"
#include "io.h"
#include "limit.h"
#include "native.h"

enum { MAX_ERRORS = 1000, MAX_UNKNOWN = 16 };

typedef jn_scan cursor;

/* An object of the file and the way to it. */
typedef struct node {
  const struct node *up; /* the object that holds it; NULL for the file and for elements of its arrays */
  const char *key;       /* in `up` */
  json_t *json;
  cursor at; /* when up is NULL */
} node;

typedef struct reader {
  jn_builder *b;
  const char *end;
  char label[32];    /* "bodies[3]"; empty at the top level */
  char subject[128]; /* "body 'arm'" */
  int errors;
  int moving;     /* links whose joint is not fixed */
  jn_status stop; /* JN_OK until reading has to end early */
} reader;

/* ---- Places ---- */

static cursor node_at(const reader *r, const node *n) {
  cursor key_at;
  return n->up ? jn__scan_member(node_at(r, n->up), r->end, n->key, &key_at) : n->at;
}

/* The place of a key of an object, or of the object itself when key is NULL or not in it. */
static jn_place place_of(const reader *r, const node *n, const char *key) {
  cursor c = node_at(r, n), key_at = c;
  if (key) jn__scan_member(c, r->end, key, &key_at);
  return (jn_place){r->b->file, key_at.p ? key_at.line : 0, jn__scan_column(&key_at)};
}

/* ---- Messages ---- */

static void set_subject(reader *r, const char *kind, const char *name) {
  if (name)
    snprintf(r->subject, sizeof r->subject, "%s '%.*s'", kind, JN_CLIP(name));
  else
    snprintf(r->subject, sizeof r->subject, "%s", r->label);
}

static void add_path(const node *n, char *out, size_t size) {
  if (!n || !n->key) return;
  add_path(n->up, out, size);
  size_t used = strlen(out);
  snprintf(out + used, size - used, "%s.", n->key);
}

/* A message on a key of an object (on the object itself when key is NULL): "'path.to.key' text". */
static void tell(reader *r, jn_severity severity, const char *rule, const node *n, const char *key, const char *remedy,
                 const char *format, ...) __attribute__((format(printf, 7, 8)));
static void tell(reader *r, jn_severity severity, const char *rule, const node *n, const char *key, const char *remedy,
                 const char *format, ...) {
  char path[128] = "", text[512];
  add_path(n, path, sizeof path);
  size_t used = strlen(path);
  if (key)
    snprintf(path + used, sizeof path - used, "%.*s", JN_CLIP(key));
  else if (used > 0)
    path[used - 1] = 0;
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const char *name = path[0] ? path : r->label[0] ? r->label : "file";
  jn__log(&r->b->log, severity, JN_ERR_MODEL, rule, place_of(r, n, key), r->subject, remedy, "'%s' %s", name, text);
  if (severity != JN_ERROR || ++r->errors < MAX_ERRORS || r->stop) return;
  r->stop = JN_ERR_MODEL;
  jn__log(&r->b->log, JN_NOTE, JN_OK, "too-many-errors", (jn_place){r->b->file, 0, 0}, NULL, NULL,
          "reading stopped after %d errors", MAX_ERRORS);
}

/* "a string", "an array of 3", ... */
static const char *describe(const json_t *json, char out[40]) {
  static const char *const names[] = {"an object", "", "a string", "a number", "a number", "'true'", "'false'", "null"};
  if (json_is_array(json))
    snprintf(out, 40, "an array of %zu", json_array_size(json));
  else
    snprintf(out, 40, "%s", names[json_typeof(json)]);
  return out;
}

static void tell_type(reader *r, const node *n, const char *key, const char *wanted, const json_t *found) {
  char what[40];
  tell(r, JN_ERROR, "wrong-type", n, key, NULL, "must be %s, but is %s", wanted, describe(found, what));
}

static void tell_missing(reader *r, const node *n, const char *key, const char *remedy) {
  tell(r, JN_ERROR, "missing-key", n, key, remedy, "is missing");
}

/* Warn of the keys of an object that are not in the list. */
static void check_keys(reader *r, const node *n, const char *known) {
  const char *key;
  json_t *value;
  char remedy[256];
  int unknown = 0;
  json_object_foreach(n->json, key, value) {
    if (strcmp(key, "comment") == 0 || jn__is_listed(known, key)) continue;
    if (++unknown > MAX_UNKNOWN) continue;
    jn__suggest(known, key, remedy, sizeof remedy);
    tell(r, JN_WARNING, "unknown-key", n, key, remedy, "is not a known key and is ignored");
  }
  if (unknown > MAX_UNKNOWN)
    tell(r, JN_WARNING, "unknown-key", n, NULL, NULL, "has %d more unknown keys", unknown - MAX_UNKNOWN);
}

/* ---- Values ---- */

/* A member; NULL when it is absent or null. */
static json_t *get(const node *n, const char *key) {
  json_t *value = json_object_get(n->json, key);
  return json_is_null(value) ? NULL : value;
}

/* The node of a member that is an object. 0 when it is absent or something else (reported). */
static int get_object(reader *r, const node *n, const char *key, node *child) {
  json_t *value = get(n, key);
  if (!value) return 0;
  if (!json_is_object(value)) {
    tell_type(r, n, key, "an object", value);
    return 0;
  }
  *child = (node){n, key, value, {NULL, NULL, 0, 0}};
  return 1;
}

static const char *get_string(reader *r, const node *n, const char *key) {
  json_t *value = get(n, key);
  if (value && !json_is_string(value)) tell_type(r, n, key, "a string", value);
  return json_string_value(value);
}

static const char *need_string(reader *r, const node *n, const char *key, const char *remedy) {
  if (!get(n, key)) tell_missing(r, n, key, remedy);
  return get_string(r, n, key);
}

static int get_number(reader *r, const node *n, const char *key, double *out) {
  json_t *value = get(n, key);
  if (!value) return 0;
  if (!json_is_number(value)) {
    tell_type(r, n, key, "a number", value);
    return 0;
  }
  *out = json_number_value(value);
  return 1;
}

/* Is it an array of `count` numbers? Then they go to out. */
static int take_numbers(const json_t *array, int count, double *out) {
  if (!json_is_array(array) || json_array_size(array) != (size_t)count) return 0;
  for (int i = 0; i < count; i++)
    if (!json_is_number(json_array_get(array, (size_t)i))) return 0;
  for (int i = 0; i < count; i++) out[i] = json_number_value(json_array_get(array, (size_t)i));
  return 1;
}

/* What is wrong with an array that take_numbers refused; item is "row 2" and the like when it is a part of the key. */
static void tell_numbers(reader *r, const node *n, const char *key, const char *wanted, const char *item, int count,
                         const json_t *array) {
  char what[40];
  const char *of = item ? item : "it";
  if (!json_is_array(array) || json_array_size(array) != (size_t)count) {
    tell(r, JN_ERROR, "wrong-type", n, key, NULL, "must be %s, but %s is %s", wanted, of, describe(array, what));
    return;
  }
  int i = 0;
  while (json_is_number(json_array_get(array, (size_t)i))) i++;
  tell(r, JN_ERROR, "wrong-type", n, key, NULL, "must be %s, but entry %d%s%s is %s", wanted, i + 1, item ? " of " : "",
       item ? item : "", describe(json_array_get(array, (size_t)i), what));
}

/* 1: read; 0: absent or wrong (reported), out is as it was. */
static int get_numbers(reader *r, const node *n, const char *key, int count, double *out) {
  json_t *value = get(n, key);
  if (!value) return 0;
  if (take_numbers(value, count, out)) return 1;
  char wanted[40];
  snprintf(wanted, sizeof wanted, "an array of %d numbers", count);
  tell_numbers(r, n, key, wanted, NULL, count, value);
  return 0;
}

/* A matrix by rows, as get_numbers. */
static int get_matrix(reader *r, const node *n, const char *key, int rows, int columns, double *out) {
  char wanted[64], item[24];
  json_t *value = get(n, key);
  if (!value) return 0;
  snprintf(wanted, sizeof wanted, "%d rows of %d numbers", rows, columns);
  if (!json_is_array(value) || json_array_size(value) != (size_t)rows) {
    tell_type(r, n, key, wanted, value);
    return 0;
  }
  double entries[36];
  for (int i = 0; i < rows; i++) {
    const json_t *row = json_array_get(value, (size_t)i);
    if (take_numbers(row, columns, entries + i * columns)) continue;
    snprintf(item, sizeof item, "row %d", i + 1);
    tell_numbers(r, n, key, wanted, item, columns, row);
    return 0;
  }
  memcpy(out, entries, (size_t)(rows * columns) * sizeof *out);
  return 1;
}

/* ---- Placements ---- */

static void read_quaternion(reader *r, const node *n, double T[16]) {
  double q[4];
  if (!get_numbers(r, n, "quaternion", 4, q)) return;
  double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (fabs(length2 - 1) > 2e-3) {
    tell(r, JN_ERROR, "quaternion-length", n, "quaternion", "divide it by its length; the order is x, y, z, w",
         "must have length 1, but has %.6g", sqrt(length2));
    return;
  }
  jn__turn_quaternion(T, q);
}

/* T is the identity before; parts that the file does not give stay so. */
static void read_placement(reader *r, const node *up, double T[16]) {
  node n;
  double v[3], R[9];
  if (!get_object(r, up, "placement", &n)) return;
  check_keys(r, &n, "position, rpy, quaternion, rotation, matrix");
  int turns = !!get(&n, "rpy") + !!get(&n, "quaternion") + !!get(&n, "rotation");
  if (turns > 1 || (get(&n, "matrix") && (turns > 0 || get(&n, "position")))) {
    tell(r, JN_ERROR, "placement-forms", &n, NULL, "keep one",
         "must be a matrix alone, or a position with at most one of rpy, quaternion and rotation");
    return;
  }
  get_matrix(r, &n, "matrix", 4, 4, T);
  if (get_numbers(r, &n, "position", 3, v))
    for (int i = 0; i < 3; i++) T[4 * i + 3] = v[i];
  if (get_numbers(r, &n, "rpy", 3, v)) jn__turn_rpy(T, v);
  if (get_matrix(r, &n, "rotation", 3, 3, R))
    for (int i = 0; i < 9; i++) T[i / 3 * 4 + i % 3] = R[i];
  read_quaternion(r, &n, T);
}

/* ---- Inertia ---- */

static int symmetric(reader *r, const node *n, const double I[9]) {
  static const char axes[] = "xyz";
  double size = 0;
  int good = 1;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(I[i]));
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++) {
      double a = I[3 * i + j], b = I[3 * j + i];
      if (fabs(a - b) <= 1e-9 * size) continue;
      tell(r, JN_ERROR, "inertia-symmetry", n, "tensor", NULL, "must be symmetric, but %c%c is %.9g and %c%c is %.9g",
           axes[i], axes[j], a, axes[j], axes[i], b);
      good = 0;
    }
  return good;
}

/* About the centre of mass: 3 rows of 3, or (xx, yy, zz, xy, xz, yz). */
static int read_tensor(reader *r, const node *n, double out[6]) {
  static const int entry[6] = {0, 4, 8, 1, 2, 5};
  double I[9];
  json_t *value = get(n, "tensor");
  if (!value) return 1;
  if (take_numbers(value, 6, out)) return 1;
  if (!json_is_array(value) || json_array_size(value) != 3) {
    tell_type(r, n, "tensor", "3 rows of 3 numbers, or 6 numbers xx, yy, zz, xy, xz, yz", value);
    return 0;
  }
  if (!get_matrix(r, n, "tensor", 3, 3, I) || !symmetric(r, n, I)) return 0;
  for (int i = 0; i < 6; i++) out[i] = I[entry[i]];
  return 1;
}

static int read_inertia_values(reader *r, const node *n, double parameters[10]) {
  double mass = 0, com[3] = {0}, tensor[6] = {0};
  check_keys(r, n, "mass, com, tensor, parameters");
  if (get(n, "parameters")) {
    if (!get(n, "mass") && !get(n, "com") && !get(n, "tensor")) return get_numbers(r, n, "parameters", 10, parameters);
    tell(r, JN_ERROR, "inertia-forms", n, NULL, "keep one", "must be mass, com and tensor, or parameters, not both");
    return 0;
  }
  if (!get(n, "mass")) tell_missing(r, n, "mass", "give the mass in kg");
  int good = get_number(r, n, "mass", &mass);
  if (get(n, "com")) good &= get_numbers(r, n, "com", 3, com);
  good &= read_tensor(r, n, tensor);
  if (good) jn_inertia_pack(mass, com, tensor, parameters);
  return good;
}

static void read_inertia(reader *r, const node *body, double parameters[10]) {
  static const double harmless[10] = JN_HARMLESS_INERTIA;
  node n;
  if (!get(body, "inertia")) return;
  if (!get_object(r, body, "inertia", &n) || !read_inertia_values(r, &n, parameters))
    memcpy(parameters, harmless, sizeof harmless);
}

/* ---- Joints ---- */

/* Warn of keys that are known but have no meaning for this type. */
static void check_use(reader *r, const node *n, const char *type, unsigned used) {
  static const struct {
    const char *key;
    unsigned bit;
  } keys[] = {{"axis", JN_KEY_AXIS},        {"axis2", JN_KEY_AXIS2},    {"axis3", JN_KEY_AXIS3},
              {"point", JN_KEY_POINT},      {"pitch", JN_KEY_PITCH},    {"limits", JN_KEY_MOTION},
              {"armature", JN_KEY_MOTION},  {"damping", JN_KEY_MOTION}, {"friction", JN_KEY_MOTION},
              {"stiffness", JN_KEY_MOTION}, {"rest", JN_KEY_MOTION},    {"mimic", JN_KEY_MIMIC},
              {"screw", JN_KEY_SCREWS},     {"screws", JN_KEY_SCREWS},  {"distance", JN_KEY_DISTANCE},
              {"mask", JN_KEY_MASK},        {"a", JN_KEY_SIDES},        {"b", JN_KEY_SIDES},
              {"terms", JN_KEY_TERMS},      {"offset", JN_KEY_TERMS}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!(used & keys[i].bit) && get(n, keys[i].key))
      tell(r, JN_WARNING, "unused-key", n, keys[i].key, "remove it, or correct the type",
           "has no meaning for type '%s' and is ignored", type);
}

static void unknown_type(reader *r, const node *n, const char *type, const char *list) {
  char remedy[256];
  jn__suggest(list, type, remedy, sizeof remedy);
  tell(r, JN_ERROR, "unknown-type", n, "type", remedy, "is '%.*s', which is not a known type", JN_CLIP(type));
}

/* The type in the file; "floating" and "screw" are other names of free and of general with one screw. A revolute
 * joint replaces a wrong one. */
static jn_joint_type read_joint_type(reader *r, const node *n, const char **name) {
#define NAME(code, text, nq, nv) text ", "
  static const char list[] = JN_JOINT_LIST(NAME) "floating, screw";
#undef NAME
  *name = need_string(r, n, "type", list);
  if (!*name) return JN_REVOLUTE;
  if (strcmp(*name, "floating") == 0) return JN_FREE;
  if (strcmp(*name, "screw") == 0) return JN_GENERAL;
  for (int t = 0; t < JN_JOINT_TYPES; t++)
    if (strcmp(*name, jn_joint_type_name((jn_joint_type)t)) == 0) return (jn_joint_type)t;
  unknown_type(r, n, *name, list);
  *name = NULL;
  return JN_REVOLUTE;
}

/* One screw for type "screw", up to six for "general". */
static void read_screws(reader *r, const node *n, const char *type, jn_joint *joint) {
  int one = strcmp(type, "screw") == 0;
  const char *key = one ? "screw" : "screws", *other = one ? "screws" : "screw";
  for (int i = 0; i < 6; i++) joint->screws[i][i] = 1; /* harmless ones, if those of the file cannot be read */
  joint->screw_count = 1;
  if (get(n, other))
    tell(r, JN_ERROR, "screw-forms", n, other, NULL, "belongs to type '%s'", one ? "general" : "screw");
  json_t *value = get(n, key);
  size_t count = json_array_size(value);
  if (!value) {
    tell_missing(r, n, key, "6 numbers per screw: angular part, linear part, in the body's frame");
  } else if (one) {
    get_numbers(r, n, key, 6, joint->screws[0]);
  } else if (count < 1 || count > 6) {
    tell_type(r, n, key, "an array of 1 to 6 screws", value);
  } else {
    joint->screw_count = (int)count;
    get_matrix(r, n, key, (int)count, 6, joint->screws[0]);
  }
}

/* A number for all coordinates of the joint, or an array with a number or null for each. */
static void read_dof(reader *r, const node *n, const char *key, int nv, jn_dof *dof, size_t offset) {
  char what[40];
  json_t *value = get(n, key);
  if (!value || nv == 0) return;
  if (!json_is_number(value) && (!json_is_array(value) || json_array_size(value) != (size_t)nv)) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "a number, or an array of %d (one per coordinate)", nv);
    tell_type(r, n, key, wanted, value);
    return;
  }
  for (int i = 0; i < nv; i++) {
    const json_t *entry = json_is_array(value) ? json_array_get(value, (size_t)i) : value;
    if (json_is_number(entry)) {
      *(double *)(void *)((char *)&dof[i] + offset) = json_number_value(entry);
    } else if (!json_is_null(entry)) {
      tell(r, JN_ERROR, "wrong-type", n, key, NULL, "must be numbers, but entry %d is %s", i + 1,
           describe(entry, what));
    }
  }
}

static void read_motion(reader *r, const node *joint, int nv, jn_dof *dof) {
#define READ(field, none) read_dof(r, n, #field, nv, dof, offsetof(jn_dof, field));
  const node *n = joint;
  node limits;
  JN_MECHANICS_LIST(READ)
  if (!get_object(r, joint, "limits", &limits)) return;
  check_keys(r, &limits, "lower, upper, velocity, acceleration, jerk, effort, effort_rate");
  n = &limits;
  JN_LIMIT_LIST(READ)
#undef READ
}

static void read_mimic(reader *r, const node *joint, jn_joint *out) {
  node n;
  if (!get_object(r, joint, "mimic", &n)) return;
  check_keys(r, &n, "joint, ratio, offset");
  out->mimic = need_string(r, &n, "joint", "name the joint that it mimics");
  get_number(r, &n, "ratio", &out->mimic_ratio);
  get_number(r, &n, "offset", &out->mimic_offset);
}

/* 1 unless it is there and wrong (reported). */
static int optional_vector(reader *r, const node *n, const char *key, double out[3]) {
  return !get(n, key) || get_numbers(r, n, key, 3, out);
}

/* When one is wrong, all have their default: those of the file may be parallel to the default of the wrong one. */
static void read_axes(reader *r, const node *n, jn_joint *joint) {
  double axes[3][3];
  memcpy(axes[0], joint->axis, sizeof axes[0]);
  memcpy(axes[1], joint->axis2, sizeof axes[1]);
  memcpy(axes[2], joint->axis3, sizeof axes[2]);
  int good = optional_vector(r, n, "axis", axes[0]);
  good &= optional_vector(r, n, "axis2", axes[1]);
  good &= optional_vector(r, n, "axis3", axes[2]);
  if (!good) return;
  memcpy(joint->axis, axes[0], sizeof axes[0]);
  memcpy(joint->axis2, axes[1], sizeof axes[1]);
  memcpy(joint->axis3, axes[2], sizeof axes[2]);
}

static void read_joint(reader *r, const node *body, const char *body_name, jn_joint *out) {
  node n;
  const char *type;
  if (!get_object(r, body, "joint", &n)) return;
  out->name = get_string(r, &n, "name");
  set_subject(r, "joint", out->name ? out->name : body_name);
  check_keys(r, &n,
             "name, type, axis, axis2, axis3, point, pitch, screw, screws, limits, armature, damping, friction, "
             "stiffness, rest, "
             "mimic");
  out->type = read_joint_type(r, &n, &type);
  if (type) check_use(r, &n, type, jn__joint_keys(out->type));
  read_axes(r, &n, out);
  get_numbers(r, &n, "point", 3, out->point);
  if (out->type == JN_HELICAL && !get(&n, "pitch")) tell_missing(r, &n, "pitch", "metres per radian");
  get_number(r, &n, "pitch", &out->pitch);
  if (type && out->type == JN_GENERAL) read_screws(r, &n, type, out);
  /* Without a type the number of coordinates is not known, and counts cannot be checked. */
  if (type) read_motion(r, &n, jn__joint_nv(out), out->dof);
  read_mimic(r, &n, out);
}

/* ---- Bodies, frames, loops ---- */

/* The name of an element; a stand-in when it is missing (and reported). */
static const char *read_name(reader *r, const node *n, const char *kind) {
  const char *name = json_string_value(get(n, "name"));
  set_subject(r, kind, name);
  if (!name) need_string(r, n, "name", "every element needs its own name");
  return name ? name : r->label;
}

/* May the model get so many parts more? */
static int fits(reader *r, int links, int frames, int loops) {
  jn_builder *b = r->b;
  const jn_parts parts = {b->link_count + links, r->moving, b->frame_count + frames, b->loop_count + loops};
  return jn__parts_fit(&b->log, b->file, &parts, jn__limit(b->options.max_bytes));
}

static jn_status read_body(reader *r, const node *n) {
  if (!fits(r, 1, 0, 0)) return JN_ERR_FILE;
  jn_link link;
  jn_link_init(&link);
  link.name = read_name(r, n, "body");
  check_keys(r, n, "name, parent, placement, joint, inertia");
  link.parent = get_string(r, n, "parent");
  read_placement(r, n, link.placement);
  read_inertia(r, n, link.inertia);
  read_joint(r, n, link.name, &link.joint);
  r->moving += link.joint.type != JN_FIXED;
  jn_status status = jn_builder_add_link(r->b, &link);
  if (status != JN_OK) return status;
  jn_place body = place_of(r, n, NULL), joint = place_of(r, n, "joint");
  jn__builder_place_link(r->b, body.line, body.column, joint.line, joint.column);
  return JN_OK;
}

static jn_status read_frame(reader *r, const node *n) {
  if (!fits(r, 0, 1, 0)) return JN_ERR_FILE;
  double T[16] = JN_IDENTITY;
  const char *name = read_name(r, n, "frame");
  check_keys(r, n, "name, body, placement");
  const char *body = need_string(r, n, "body", "name the body that the frame is fixed to");
  read_placement(r, n, T);
  if (!body) return JN_OK;
  jn_status status = jn_builder_add_frame(r->b, name, body, T);
  if (status != JN_OK) return status;
  jn_place place = place_of(r, n, NULL);
  jn__builder_place_frame(r->b, place.line, place.column);
  return JN_OK;
}

/* One of the two closing frames; NULL when it is missing or has no body (reported). */
static const char *read_side(reader *r, const node *loop, const char *key, double T[16]) {
  node n;
  if (!get(loop, key)) tell_missing(r, loop, key, "{\"body\": ..., \"placement\": ...}");
  if (!get_object(r, loop, key, &n)) return NULL;
  check_keys(r, &n, "body, placement");
  read_placement(r, &n, T);
  return need_string(r, &n, "body", "name a body, or \"world\"");
}

/* 0 when it is missing or wrong (reported). */
static int read_mask(reader *r, const node *n, unsigned *mask) {
  static const char *const names[] = JN_MASK_NAMES;
  json_t *value = get(n, "mask"), *entry;
  size_t i;
  if (value && !json_is_array(value)) tell_type(r, n, "mask", "an array of names among rx, ry, rz, x, y, z", value);
  if (!json_is_array(value)) return 0;
  json_array_foreach(value, i, entry) {
    const char *name = json_string_value(entry);
    unsigned bit = 0;
    while (bit < 6 && (!name || strcmp(name, names[bit]) != 0)) bit++;
    if (bit == 6) {
      tell(r, JN_ERROR, "unknown-value", n, "mask", "known are: rx, ry, rz, x, y, z",
           "has entry %zu, which is not the name of a coordinate", i + 1);
      return 0;
    }
    if (*mask >> bit & 1) {
      tell(r, JN_ERROR, "duplicate-value", n, "mask", "name each coordinate once", "has '%s' twice", name);
      return 0;
    }
    *mask |= 1u << bit;
  }
  return 1;
}

/* Term i of a coupling; 0 when it is wrong (reported). */
static int read_term(reader *r, const node *loop, size_t i, json_t *value, jn_coupling *term) {
  double coordinate = json_number_value(json_object_get(value, "coordinate"));
  const json_t *factor = json_object_get(value, "factor");
  term->joint = json_string_value(json_object_get(value, "joint"));
  term->factor = factor ? json_number_value(factor) : 1;
  term->coordinate = coordinate >= 0 && coordinate < 6 ? (int)coordinate : -1;
  int good = term->joint && (!factor || json_is_number(factor)) && term->coordinate == coordinate;
  if (!good)
    tell(r, JN_ERROR, "wrong-type", loop, "terms",
         "e.g. [{\"joint\": \"left\", \"factor\": 2, \"coordinate\": 0}, ...]",
         "has entry %zu, which is not an object with the name of a joint, a factor and a coordinate from 0", i + 1);
  return good;
}

/* 0 when they are missing or wrong (reported). */
static int read_terms(reader *r, const node *n, jn_loop *loop) {
  json_t *value = get(n, "terms"), *entry;
  size_t i;
  if (!value) tell_missing(r, n, "terms", "e.g. [{\"joint\": \"left\", \"factor\": 2}, ...]");
  if (value && !json_is_array(value)) tell_type(r, n, "terms", "an array of objects", value);
  if (!json_is_array(value)) return 0;
  if (json_array_size(value) > JN_COUPLING_TERMS) {
    tell(r, JN_ERROR, "too-many", n, "terms", "at most 16 coordinates can be coupled", "has %zu entries",
         json_array_size(value));
    return 0;
  }
  json_array_foreach(value, i, entry) {
    if (!read_term(r, n, i, entry, &loop->term[i])) return 0;
    loop->term_count++;
  }
  get_number(r, n, "offset", &loop->offset);
  return 1;
}

/* 1 when the type is known. */
static int read_loop_type(reader *r, const node *n, jn_loop_type *type) {
#define NAME(code, text, rows) text ", "
  static const char list[] = JN_LOOP_LIST(NAME);
#undef NAME
  char known[sizeof list];
  memcpy(known, list, sizeof list);
  known[sizeof list - 3] = 0; /* the last ", " */
  const char *name = need_string(r, n, "type", known);
  if (!name) return 0;
  for (int t = 0; t < JN_LOOP_TYPES; t++)
    if (strcmp(name, jn_loop_type_name((jn_loop_type)t)) == 0) {
      *type = (jn_loop_type)t;
      check_use(r, n, name, jn__loop_keys(*type));
      return 1;
    }
  unknown_type(r, n, name, known);
  return 0;
}

static jn_status add_loop(reader *r, const node *n, const jn_loop *loop) {
  if (!fits(r, 0, 0, 1)) return JN_ERR_FILE;
  jn_status status = jn_builder_add_loop(r->b, loop);
  if (status != JN_OK) return status;
  jn_place place = place_of(r, n, NULL);
  jn__builder_place_loop(r->b, place.line, place.column);
  return JN_OK;
}

static jn_status read_loop(reader *r, const node *n) {
  jn_loop loop;
  jn_loop_init(&loop);
  loop.name = read_name(r, n, "loop");
  check_keys(r, n, "name, type, a, b, axis, axis2, distance, mask, terms, offset");
  int good = read_loop_type(r, n, &loop.type);
  if (good && loop.type == JN_LOOP_COUPLING) return read_terms(r, n, &loop) ? add_loop(r, n, &loop) : JN_OK;
  loop.link_a = read_side(r, n, "a", loop.placement_a);
  loop.link_b = read_side(r, n, "b", loop.placement_b);
  get_numbers(r, n, "axis", 3, loop.axis);
  get_numbers(r, n, "axis2", 3, loop.axis2);
  if (loop.type == JN_LOOP_DISTANCE && !get(n, "distance")) tell_missing(r, n, "distance", "give it in m");
  if (!get_number(r, n, "distance", &loop.distance)) loop.distance = loop.type == JN_LOOP_DISTANCE;
  if (loop.type == JN_LOOP_COORDINATES && !get(n, "mask")) tell_missing(r, n, "mask", "e.g. [\"rx\", \"z\"]");
  if (!read_mask(r, n, &loop.mask)) loop.mask = loop.type == JN_LOOP_COORDINATES;
  if (!good || !loop.link_a || !loop.link_b) return JN_OK;
  return add_loop(r, n, &loop);
}

/* ---- The file ---- */

typedef jn_status (*element_reader)(reader *r, const node *n);

/* All elements of a top-level array, with their places. */
static void read_array(reader *r, const node *file, const char *key, element_reader read) {
  json_t *array = get(file, key), *element;
  size_t i;
  cursor unused, c = jn__scan_member(file->at, r->end, key, &unused);
  if (!array) return;
  if (!json_is_array(array)) {
    tell_type(r, file, key, "an array of objects", array);
    return;
  }
  json_array_foreach(array, i, element) {
    c = jn__scan_element(c, r->end);
    jn__scan_column(&c); /* counted once here, the places inside the element begin from it */
    node n = {NULL, NULL, element, c};
    snprintf(r->label, sizeof r->label, "%s[%zu]", key, i);
    set_subject(r, NULL, NULL);
    jn_status status = JN_OK;
    if (json_is_object(element))
      status = read(r, &n);
    else
      tell_type(r, &n, NULL, "an object", element);
    if (status != JN_OK) r->stop = status;
    if (r->stop) break;
    c = jn__scan_past(c, r->end);
  }
  r->label[0] = r->subject[0] = 0;
}

/* Memory for all bodies at once, if they are not too many. */
static jn_status reserve_bodies(reader *r, const node *file) {
  size_t bodies = json_array_size(get(file, "bodies"));
  if (bodies > INT_MAX / 2 || !fits(r, (int)bodies, 0, 0)) return JN_ERR_FILE;
  return jn__builder_reserve(r->b, (int)bodies);
}

/* The order of the coordinates, which the builder keeps with its options; what those say goes first. */
static jn_status read_order(reader *r, const node *file) {
  static const char wanted[] = "an array of names of joints";
  jn_builder *b = r->b;
  char what[40];
  json_t *array = get(file, "joint_order");
  size_t n = json_array_size(array);
  if (!array) return JN_OK;
  if (!json_is_array(array)) {
    tell_type(r, file, "joint_order", wanted, array);
    return JN_OK;
  }
  for (size_t i = 0; i < n; i++) {
    const json_t *entry = json_array_get(array, i);
    if (json_is_string(entry)) continue;
    tell(r, JN_ERROR, "wrong-type", file, "joint_order", NULL, "must be %s, but entry %zu is %s", wanted, i + 1,
         describe(entry, what));
    return JN_OK;
  }
  if (n == 0 || b->options.joint_order_count > 0) return JN_OK;
  char **names = n < INT_MAX ? jn__allocate(&b->allocator, n * sizeof *names) : NULL;
  if (!names) return JN_ERR_MEMORY;
  jn__release(&b->allocator, (void *)(uintptr_t)b->options.joint_order);
  b->options.joint_order = (const char *const *)names;
  for (size_t i = 0; i < n; i++) {
    if (!(names[i] = jn__copy_text(&b->allocator, json_string_value(json_array_get(array, i))))) return JN_ERR_MEMORY;
    b->options.joint_order_count++;
  }
  return JN_OK;
}

static void read_file(reader *r, const node *file) {
  double gravity[3];
  jn_status status = JN_OK;
  check_keys(r, file, "name, gravity, joint_order, bodies, frames, loops");
  const char *name = get_string(r, file, "name");
  if (name) status = jn_builder_set_name(r->b, name);
  if (status == JN_OK && get_numbers(r, file, "gravity", 3, gravity)) status = jn_builder_set_gravity(r->b, gravity);
  if (status == JN_OK) status = read_order(r, file);
  if (status != JN_OK) r->stop = status;
  if (!get(file, "bodies")) tell_missing(r, file, "bodies", "a model file has an array \"bodies\"");
  if (!r->stop) r->stop = reserve_bodies(r, file);
  if (!r->stop) read_array(r, file, "bodies", read_body);
  if (!r->stop) read_array(r, file, "frames", read_frame);
  if (!r->stop) read_array(r, file, "loops", read_loop);
}

/* Of a file that has nothing but loops. */
static void read_loops_file(reader *r, const node *file) {
  check_keys(r, file, "loops");
  if (!get(file, "loops")) tell_missing(r, file, "loops", "a file of loops is {\"loops\": [...]}, as in a model file");
  read_array(r, file, "loops", read_loop);
}

static void tell_syntax(jn_builder *b, const json_error_t *error) {
  jn_place place = {b->file, error->line > 0 ? error->line : 0, error->column > 0 ? error->column : 0};
  /* jansson leaves the text empty when it could not even start. */
  if (json_error_code(error) == json_error_out_of_memory || !error->text[0])
    jn__log(&b->log, JN_ERROR, JN_ERR_MEMORY, "memory", place, NULL, NULL, "out of memory");
  else
    jn__log(&b->log, JN_ERROR, JN_ERR_SYNTAX, "json-syntax", place, NULL,
            "JSON has no comments, no trailing commas, no NaN; remarks go under the key \"comment\"", "%s",
            error->text);
}

static jn_status read_json(jn_builder *b, const char *text, size_t length, void (*read)(reader *, const node *)) {
  json_error_t error;
  if (!jn__json_fits(&b->log, b->file, text, length, jn__limit(b->options.max_bytes))) return JN_ERR_FILE;
  /* Integers as numbers, so that none is too long and -0 keeps its sign. */
  json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  if (!json) {
    tell_syntax(b, &error);
    return jn__log_end(&b->log, NULL);
  }
  reader r = {.b = b, .end = text + length};
  node file = {NULL, NULL, json, jn__scan_start(text, r.end)};
  if (json_is_object(json))
    read(&r, &file);
  else
    tell_type(&r, &file, NULL, "an object", json);
  if (r.stop && r.stop != JN_ERR_MODEL)
    jn__log(&b->log, JN_ERROR, r.stop, "memory", (jn_place){b->file, 0, 0}, NULL, NULL, "%s", jn_status_text(r.stop));
  json_decref(json);
  return r.stop;
}

jn_status jn__native_read(jn_builder *b, const char *text, size_t length) {
  return read_json(b, text, length, read_file);
}

jn_status jn__native_read_loops(jn_builder *b, const char *text, size_t length) {
  return read_json(b, text, length, read_loops_file);
}
