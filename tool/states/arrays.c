/* SPDX-License-Identifier: BSD-2-Clause */
/* States from NumPy arrays. NPZ: one array for each field of a state, with a row for each state. NPY: rows of q, or of
 * q and v. */
typedef int eval_arrays_are_not_empty; /* in builds without jansson */

#if JN_WITH_JSON

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/io/table.h"
#include "../../src/text/content.h"
#include "../files/input.h"
#include "../text/print.h"
#include "source.h"

typedef enum array_kind { KIND_Q, KIND_V, KIND_JETS, KIND_WRENCH, KIND_NAMES, KINDS } array_kind;

typedef struct array_field {
  const char *name;
  array_kind kind;
} array_field;

static const array_field known[] = {
    {"q", KIND_Q},
    {"v", KIND_V},
    {"a", KIND_V},
    {"tau", KIND_V},
    {"v_r", KIND_V},
    {"a_r", KIND_V},
    {"v_jets", KIND_JETS},
    {"tau_jets", KIND_JETS},
    {"wrench", KIND_WRENCH},
    {"prescribed", KIND_NAMES},
    {"actuated", KIND_NAMES},
    {"held", KIND_NAMES},
};
enum { KNOWN = sizeof known / sizeof *known, MOST_ROWS = 172 /* of the highest --order */ };

/* An array that is there. Numbers of a state: rows x width from column `first` on. */
typedef struct field_array {
  const array_field *field;
  jn_array numbers; /* [states x all numbers of a state], or text */
  size_t rows, width, first;
  json_t *names; /* of KIND_NAMES, the same for all states */
  jn_zip_entry entry;
} field_array;

struct eval_arrays {
  const jn_model *model;
  const char *file;
  size_t limit, states;
  field_array fields[KNOWN];
  int count;
  jn_zip zip;
};

/* ---- Messages ---- */

/* "jounce: FILE: array 'NAME' ..."; name NULL: without the array. */
__attribute__((format(printf, 3, 4))) static bool refuse(const eval_arrays *a, const char *name, const char *format,
                                                         ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);

  fputs("jounce: ", stderr);
  print_text(stderr, a->file);
  fputs(": ", stderr);
  if (name) say(stderr, "array '%s' ", name);
  print_text(stderr, text);
  fputc('\n', stderr);
  return false;
}

/* "[3 x 7]" */
static void write_shape(const jn_array *array, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int i = 0; i < array->dimensions; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%zu", i ? " x " : "", array->shape[i]);
  snprintf(text + used, size - used, "]");
}

/* The shapes that a field takes, in words. */
static void write_rule(const eval_arrays *a, array_kind kind, char *text, size_t size) {
  int nq = jn_model_nq(a->model), nv = jn_model_nv(a->model), links = jn_link_count(a->model);
  if (kind == KIND_Q) snprintf(text, size, "[N x %d] (nq), or [%d] for one state", nq, nq);
  if (kind == KIND_V) snprintf(text, size, "[N x %d] (nv), or [%d] for one state", nv, nv);
  if (kind == KIND_JETS)
    snprintf(text, size, "[N x rows x %d] (nv), or [rows x %d] for one state, with 1 to %d rows", nv, nv, MOST_ROWS);
  if (kind == KIND_WRENCH)
    snprintf(text, size, "[N x %d x 6] (all links in the order of `jounce info`), or [%d x 6] for one state", links,
             links);
}

static bool refuse_shape(const eval_arrays *a, const field_array *f, const jn_array *array) {
  char shape[96], rule[160] = "";
  write_shape(array, shape, sizeof shape);
  write_rule(a, f->field->kind, rule, sizeof rule);
  return refuse(a, f->field->name, "has the shape %s; it takes %s: numpy.reshape changes it", shape, rule);
}

/* ---- Arrays of numbers ---- */

/* Finds rows, width and the number of states from the shape. */
static bool measure(const eval_arrays *a, field_array *f, const jn_array *array, size_t *states) {
  array_kind kind = f->field->kind;
  bool has_rows = kind == KIND_JETS || kind == KIND_WRENCH;
  int own = has_rows ? 2 : 1; /* dimensions of one state */

  if (array->dimensions != own && array->dimensions != own + 1) return refuse_shape(a, f, array);
  const size_t *shape = array->shape + (array->dimensions - own);
  *states = array->dimensions == own ? 1 : array->shape[0];
  f->rows = has_rows ? shape[0] : 1;
  f->width = shape[own - 1];

  size_t nq = (size_t)jn_model_nq(a->model), nv = (size_t)jn_model_nv(a->model);
  size_t links = (size_t)jn_link_count(a->model);
  bool fits = kind == KIND_Q        ? f->width == nq
              : kind == KIND_WRENCH ? f->width == 6 && f->rows == links
                                    : f->width == nv && f->rows >= 1 && f->rows <= MOST_ROWS;
  return fits || refuse_shape(a, f, array);
}

/* All arrays have the same number of states. */
static bool agree_on_states(eval_arrays *a, const char *name, size_t states) {
  for (int i = 0; i < a->count; i++) {
    const field_array *other = &a->fields[i];
    if (other->field->kind == KIND_NAMES || states == a->states) continue;
    return refuse(a, name, "has %zu state%s, but '%s' has %zu; give each array a row for each state", states,
                  states == 1 ? "" : "s", other->field->name, a->states);
  }
  a->states = states;
  return true;
}

static bool add_numbers(eval_arrays *a, field_array *f, const jn_array *array) {
  size_t states = 0;
  if (array->kind == 'U') return refuse(a, f->field->name, "has text; it takes numbers");
  if (!measure(a, f, array, &states) || !agree_on_states(a, f->field->name, states)) return false;
  if (array->fortran && f->rows > 1)
    return refuse(a, f->field->name, "is in Fortran order; write it with numpy.ascontiguousarray");

  /* One row of numbers for each state */
  f->numbers = *array;
  f->numbers.dimensions = 2;
  f->numbers.shape[0] = states;
  f->numbers.shape[1] = f->rows * f->width;
  f->numbers.shape[2] = 1;
  return true;
}

/* ---- Arrays of names ---- */

static bool add_names(const eval_arrays *a, field_array *f, const jn_array *array) {
  if (array->kind != 'U' || array->dimensions > 1)
    return refuse(a, f->field->name, "takes the names of joints, the same for all states, as an array of text [n]");
  if (array->shape[0] > (size_t)jn_link_count(a->model))
    return refuse(a, f->field->name, "has %zu names, but the model has only %d joints", array->shape[0],
                  jn_link_count(a->model));

  f->names = json_array();
  for (size_t i = 0; i < array->shape[0]; i++) {
    char name[1024];
    if (!jn__array_text(array, i, name, sizeof name) || json_array_append_new(f->names, json_string(name)) != 0)
      return refuse(a, f->field->name, "has at %zu (from 0) a text that cannot be the name of a joint", i);
  }
  return true;
}

/* ---- NPZ ---- */

static const array_field *find_known(const char *name, size_t length) {
  for (int i = 0; i < KNOWN; i++) {
    if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0) return &known[i];
  }
  return NULL;
}

/* Nothing in the archive may be ignored. */
static bool check_names(const eval_arrays *a) {
  jn_zip_walk walk = {0};
  size_t length;
  const char *name;
  int more;
  while ((more = jn__zip_next(&a->zip, &walk, &name, &length)) > 0) {
    size_t stem = length > 4 && memcmp(name + length - 4, ".npy", 4) == 0 ? length - 4 : length;
    if (stem < length && find_known(name, stem)) continue;

    int shown = stem < 60 ? (int)stem : 60;
    bool json_only =
        (stem == 4 && memcmp(name, "base", 4) == 0) || (stem == 11 && memcmp(name, "wrench_jets", 11) == 0);
    if (json_only)
      return refuse(a, NULL,
                    "array '%.*s' cannot be given in NPZ: q has the pose of the base; give wrench_jets in JSON", shown,
                    name);
    return refuse(a, NULL,
                  "unknown array '%.*s'; there are q, v, a, tau, v_r, a_r, v_jets, tau_jets, wrench, prescribed, "
                  "actuated, held; write the file without others",
                  shown, name);
  }
  return more == 0 || refuse(a, NULL, "has a broken directory");
}

/* One array of the archive, if it is there. */
static bool add_member(eval_arrays *a, const array_field *field) {
  char why[256];
  field_array *f = &a->fields[a->count];
  *f = (field_array){.field = field};

  jn_status status = jn__zip_get(&a->zip, field->name, &f->entry, why, sizeof why);
  if (status == JN_ERR_FILE) {
    input_over_limit(a->file, "unpacked, the arrays are larger than", a->limit);
  } else if (status != JN_OK) {
    refuse(a, NULL, "%s", *why ? why : jn_status_text(status));
  }
  if (status != JN_OK || !f->entry.bytes) {
    jn__zip_release(&a->zip, &f->entry);
    return status == JN_OK;
  }

  jn_array array;
  bool fine = jn__npy_parse(f->entry.bytes, f->entry.length, &array, why, sizeof why);
  if (!fine) refuse(a, field->name, "%s", why);
  if (fine) fine = field->kind == KIND_NAMES ? add_names(a, f, &array) : add_numbers(a, f, &array);
  a->count++; /* it has memory to release, in any case */
  return fine;
}

static bool open_archive(eval_arrays *a, const char *bytes, size_t length) {
  char why[256];
  const jn_allocator allocator = jn__allocator(NULL);
  jn_status status = jn__zip_open(&a->zip, &allocator, (const unsigned char *)bytes, length, a->limit, why, sizeof why);
  if (status != JN_OK) return refuse(a, NULL, "%s", why);
  if (!check_names(a)) return false;

  for (int i = 0; i < KNOWN; i++) {
    if (!add_member(a, &known[i])) return false;
  }

  for (int i = 0; i < a->count; i++) {
    if (a->fields[i].field->kind != KIND_NAMES) return true;
  }
  return refuse(a, NULL, "has no array of numbers, such as q [N x %d]", jn_model_nq(a->model));
}

/* ---- NPY ---- */

/* Rows of q, or of q and v. */
static bool open_table(eval_arrays *a, const char *bytes, size_t length) {
  char why[256], shape[96];
  jn_array array;
  if (!jn__npy_parse((const unsigned char *)bytes, length, &array, why, sizeof why)) return refuse(a, NULL, "%s", why);
  if (array.kind == 'U') return refuse(a, NULL, "the array has text; it takes numbers");

  /* [width] is one state */
  size_t nq = (size_t)jn_model_nq(a->model), nv = (size_t)jn_model_nv(a->model);
  size_t width = array.dimensions == 1 ? array.shape[0] : array.shape[1];
  bool flat = array.dimensions == 1 || array.dimensions == 2;
  if (!flat || (width != nq && width != nq + nv)) {
    write_shape(&array, shape, sizeof shape);
    return refuse(a, NULL,
                  "the array has the shape %s; rows have q (nq = %zu numbers) or q and v (nq + nv = %zu numbers), one "
                  "row for each state: give other fields by name, with numpy.savez",
                  shape, nq, nq + nv);
  }

  if (array.dimensions == 1) {
    array.shape[1] = width;
    array.shape[0] = 1;
  }
  array.dimensions = 2;
  a->states = array.shape[0];
  a->fields[a->count++] = (field_array){.field = find_known("q", 1), .numbers = array, .rows = 1, .width = nq};
  if (width > nq)
    a->fields[a->count++] =
        (field_array){.field = find_known("v", 1), .numbers = array, .rows = 1, .width = nv, .first = nq};

  say(stderr, "jounce: %s: %zu row%s of %s\n", a->file, a->states, a->states == 1 ? "" : "s",
      width > nq ? "q and v" : "q; v is zero");
  return true;
}

/* ---- All of it ---- */

bool eval_arrays_are_in(const char *bytes, size_t length) {
  jn_content content = jn__content(bytes, length, NULL);
  return content == JN_CONTENT_NPY || content == JN_CONTENT_ZIP;
}

eval_arrays *eval_arrays_open(const jn_model *model, const char *file, const char *bytes, size_t length, size_t limit,
                              size_t *count) {
  eval_arrays *a = allocate(sizeof *a);
  *a = (eval_arrays){.model = model, .file = file, .limit = limit};

  if (*bytes == 'P' ? open_archive(a, bytes, length) : open_table(a, bytes, length)) {
    *count = a->states;
    return a;
  }
  eval_arrays_close(a);
  return NULL;
}

void eval_arrays_close(eval_arrays *a) {
  if (!a) return;
  for (int i = 0; i < a->count; i++) {
    json_decref(a->fields[i].names);
    if (a->fields[i].entry.bytes) jn__zip_release(&a->zip, &a->fields[i].entry);
  }
  free(a);
}

/* ---- A state ---- */

/* One row of numbers, or NULL after reporting. */
static json_t *make_row(const eval_arrays *a, const field_array *f, size_t state, size_t row) {
  json_t *numbers = json_array();
  for (size_t k = 0; k < f->width; k++) {
    size_t column = f->first + row * f->width + k;
    double x = jn__array_number(&f->numbers, state, column);
    if (!isfinite(x)) {
      refuse(a, NULL, "state %zu: %s: number %zu (from 0) is not finite", state, f->field->name, column);
      json_decref(numbers);
      return NULL;
    }
    json_array_append_new(numbers, json_real(x));
  }
  return numbers;
}

/* The value of a field as it stands in a JSON state, or NULL after reporting. */
static json_t *make_value(const eval_arrays *a, const field_array *f, size_t state) {
  array_kind kind = f->field->kind;
  if (kind == KIND_NAMES) return json_incref(f->names);
  if (kind == KIND_Q || kind == KIND_V) return make_row(a, f, state, 0);

  /* Rows of jets, or wrenches by the names of links */
  json_t *value = kind == KIND_JETS ? json_array() : json_object();
  for (size_t row = 0; row < f->rows; row++) {
    json_t *numbers = make_row(a, f, state, row);
    if (!numbers) {
      json_decref(value);
      return NULL;
    }
    if (kind == KIND_JETS)
      json_array_append_new(value, numbers);
    else
      json_object_set_new(value, jn_link_name(a->model, (int)row), numbers);
  }
  return value;
}

json_t *eval_arrays_state(const eval_arrays *a, size_t state) {
  json_t *object = json_object();
  for (int i = 0; i < a->count; i++) {
    json_t *value = make_value(a, &a->fields[i], state);
    if (!value) {
      json_decref(object);
      return NULL;
    }
    json_object_set_new(object, a->fields[i].field->name, value);
  }
  return object;
}

#endif
