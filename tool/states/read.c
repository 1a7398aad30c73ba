/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: states from JSON objects. Every mistake is reported with the state, the field and the joint; nothing is
 * guessed.
 */
#include "../command.h"
#include "../options/options.h"
#include "states.h"

#if !JN_WITH_JSON

int eval_read_states(const jn_model *model, const eval_need *need, const char *file, size_t limit, struct shard *part,
                     eval_states *list) {
  (void)model, (void)need, (void)file, (void)limit, (void)part, (void)list;
  return EXIT_USAGE; /* the command has said why */
}

bool eval_read_line(const jn_model *model, const eval_need *need, const char *text, size_t length, size_t limit,
                    FILE *messages, eval_states *list) {
  (void)model, (void)need, (void)text, (void)length, (void)limit, (void)messages, (void)list;
  return false;
}

#else

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/text/json_values.h"
#include "../files/input.h"
#include "../files/shard.h"
#include "../model/keyframe.h"
#include "../text/print.h"
#include "source.h"

typedef struct reader {
  const jn_model *model;
  const eval_need *need;
  const char *file;    /* as messages name it; NULL: they begin with the mistake */
  int base;            /* the joint that "base" stands for, or JN_NONE */
  int index;           /* of the state */
  json_t *state;       /* all of it */
  double *scratch;     /* [max(nv, 6 nlink)] one row */
  const char *field;   /* what is being read, for messages; NULL: the state as a whole */
  int row;             /* of a field with rows, or JN_NONE */
  const char *subject; /* "joint" or "link" with its name, or NULL */
  const char *name;
  int mistakes;
  FILE *messages;
} reader;

enum { MISTAKES_TOLD = 20 };
static const double quaternion_tolerance = 1e-3; /* of the length; the length itself has no effect */

/* ---- Messages ---- */

__attribute__((format(printf, 2, 3))) static void complain(reader *r, const char *format, ...) {
  if (r->mistakes++ >= MISTAKES_TOLD) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  FILE *to = r->messages;
  if (r->file) {
    fputs("jounce: ", to);
    print_text(to, r->file);
    fprintf(to, ": state %d: ", r->index);
  }
  if (r->field) {
    print_text(to, r->field);
    fputs(": ", to);
  }
  if (r->row != JN_NONE) fprintf(to, "row %d (from 0): ", r->row);
  if (r->subject) {
    say(to, "%s '", r->subject);
    print_text(to, r->name);
    fputs("': ", to);
  }
  print_text(to, text);
  fputc('\n', to);
}

static void about_field(reader *r, const char *field) {
  r->field = field;
  r->row = JN_NONE;
  r->subject = NULL;
}

static void about(reader *r, const char *subject, const char *name) {
  r->subject = subject;
  r->name = name;
}

static const char *kind_of(const json_t *value) {
  switch (json_typeof(value)) {
    case JSON_OBJECT:
      return "an object";
    case JSON_ARRAY:
      return "an array";
    case JSON_STRING:
      return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
      return "a number";
    case JSON_NULL:
      return "null";
    case JSON_TRUE:
    case JSON_FALSE:
      break;
  }
  return "true or false";
}

/* Is the next mistake only counted? Then it is not worth a search for what may be meant. */
static bool only_counts(reader *r) {
  if (r->mistakes < MISTAKES_TOLD) return false;
  r->mistakes++;
  return true;
}

/* "; did you mean 'x'?" or "". */
static char *suggestion(const char *word, const char *const *words, int count) {
  const char *near = nearest_word(word, words, count);
  return near ? format_text("; did you mean '%s'?", near) : copy_text("", 0);
}

static void unknown_joint(reader *r) {
  if (only_counts(r)) return;
  int links = jn_link_count(r->model), count = 0;
  const char **names = allocate(((size_t)links + 1) * sizeof *names);
  for (int i = 0; i < links; i++) {
    if (jn_joint_nv(r->model, i) > 0) names[count++] = jn_joint_name(r->model, i);
  }
  if (r->base != JN_NONE) names[count++] = "base";
  char *hint = suggestion(r->name, names, count);
  complain(r, "the model has no such joint%s", hint);
  free(hint);
  free(names);
}

static void unknown_link(reader *r) {
  if (only_counts(r)) return;
  int links = jn_link_count(r->model);
  const char **names = allocate(((size_t)links + 1) * sizeof *names);
  for (int i = 0; i < links; i++) names[i] = jn_link_name(r->model, i);
  char *hint = suggestion(r->name, names, links);
  complain(r, "the model has no such link%s", hint);
  free(hint);
  free(names);
}

/* ---- Numbers ---- */

/* `count` numbers from an array; one may also stand alone. */
static bool read_numbers(reader *r, const json_t *value, int count, double *numbers) {
  if (count == 1 && json_is_number(value)) {
    *numbers = json_number_value(value);
    return true;
  }
  if (!json_is_array(value)) {
    if (count == 1) complain(r, "takes a number, not %s", kind_of(value));
    if (count != 1) complain(r, "takes an array of %d numbers, not %s", count, kind_of(value));
    return false;
  }
  if (json_array_size(value) != (size_t)count) {
    complain(r, "takes %d number%s, not %zu", count, count == 1 ? "" : "s", json_array_size(value));
    return false;
  }
  for (int i = 0; i < count; i++) {
    const json_t *element = json_array_get(value, (size_t)i);
    if (!json_is_number(element)) {
      complain(r, "element %d (from 0) is %s, not a number", i, kind_of(element));
      return false;
    }
    numbers[i] = json_number_value(element);
  }
  return true;
}

static void check_quaternion(reader *r, const double *x) {
  double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (fabs(length - 1) <= quaternion_tolerance) return;
  complain(r, "the length of the quaternion (x, y, z, w) is %.6g, not 1", length);
}

/* ---- Joints ---- */

/* The free joint on the world that "base" stands for: the first one, or JN_NONE. */
static int base_joint(const jn_model *model) {
  for (int i = 0; i < jn_link_count(model); i++) {
    if (jn_link_parent(model, i) == JN_WORLD && jn_joint_type_of(model, i) == JN_FREE) return i;
  }
  return JN_NONE;
}

/* The joint of a name, which must have coordinates; JN_NONE after a message. "base" is the free base, unless another
 * joint is called so. */
static int find_joint(reader *r, const char *name) {
  about(r, "joint", name);
  int joint = jn_joint_index(r->model, name), leader;
  if (joint == JN_NONE && strcmp(name, "base") == 0) joint = r->base;
  if (joint == JN_NONE) {
    unknown_joint(r);
  } else if (jn_joint_mimic(r->model, joint, &leader, NULL, NULL)) {
    complain(r, "has no coordinate of its own, because it mimics joint '%s'; give that one, or --mimic ignore",
             jn_joint_name(r->model, leader));
    joint = JN_NONE;
  } else if (jn_joint_nv(r->model, joint) == 0) {
    complain(r, "is fixed and has no coordinate");
    joint = JN_NONE;
  }
  return joint;
}

/* An object by joint names, or all `total` numbers in the order of the model. */
static void read_coordinates(reader *r, json_t *value, int total, double *numbers, int (*place)(const jn_model *, int),
                             int (*size)(const jn_model *, int)) {
  if (!json_is_object(value)) {
    if (json_is_array(value)) read_numbers(r, value, total, numbers);
    if (!json_is_array(value)) {
      complain(r, "takes an object by joint names or an array of %d numbers, not %s", total, kind_of(value));
    }
    return;
  }
  const char *key;
  json_t *member;
  json_object_foreach(value, key, member) {
    int joint = find_joint(r, key);
    if (joint == JN_NONE) continue;
    const char *own = jn_joint_name(r->model, joint);
    if (strcmp(own, key) != 0 && json_object_get(value, own)) {
      complain(r, "is the joint '%s', which is given as well", own);
    }
    read_numbers(r, member, size(r->model, joint), numbers + place(r->model, joint));
  }
}

/* ---- Fields ---- */

static void read_q(reader *r, json_t *value, eval_state *state) {
  int mistakes = r->mistakes;
  about_field(r, "q");
  read_coordinates(r, value, jn_model_nq(r->model), state->q, jn_joint_q, jn_joint_nq);
  for (int i = 0; i < jn_link_count(r->model) && r->mistakes == mistakes; i++) {
    jn_joint_type type = jn_joint_type_of(r->model, i);
    about(r, "joint", jn_joint_name(r->model, i));
    if (type == JN_SPHERICAL) check_quaternion(r, state->q + jn_joint_q(r->model, i));
    if (type == JN_FREE) check_quaternion(r, state->q + jn_joint_q(r->model, i) + 3);
  }
}

static void read_velocities(reader *r, json_t *value, double *numbers) {
  read_coordinates(r, value, jn_model_nv(r->model), numbers, jn_joint_v, jn_joint_nv);
}

static void read_v(reader *r, json_t *value, eval_state *state) {
  about_field(r, "v");
  read_velocities(r, value, state->v);
}

static void read_a(reader *r, json_t *value, eval_state *state) {
  about_field(r, "a");
  read_velocities(r, value, state->a);
}

static void read_tau(reader *r, json_t *value, eval_state *state) {
  about_field(r, "tau");
  read_velocities(r, value, state->tau);
}

static void read_v_r(reader *r, json_t *value, eval_state *state) {
  about_field(r, "v_r");
  read_velocities(r, value, state->v_r);
}

static void read_a_r(reader *r, json_t *value, eval_state *state) {
  about_field(r, "a_r");
  read_velocities(r, value, state->a_r);
}

/* The pose of the base; read after q. */
static void read_base(reader *r, json_t *value, eval_state *state) {
  about_field(r, "base");
  if (r->base == JN_NONE) {
    complain(r, "the model has no free joint on the world; --floating gives it one");
    return;
  }
  if (!json_is_object(value)) {
    complain(r, "takes {\"position\": [x, y, z], \"orientation\": [x, y, z, w]}, not %s", kind_of(value));
    return;
  }
  double *pose = state->q + jn_joint_q(r->model, r->base);
  const char *key;
  json_t *member;
  json_object_foreach(value, key, member) {
    if (strcmp(key, "position") == 0) {
      r->field = "base.position";
      read_numbers(r, member, 3, pose);
    } else if (strcmp(key, "orientation") == 0) {
      r->field = "base.orientation";
      if (read_numbers(r, member, 4, pose + 3)) check_quaternion(r, pose + 3);
    } else {
      r->field = "base";
      complain(r, "unknown field '%s'; there are position and orientation", key);
    }
  }
}

/* The wrenches [nlink x 6] from an object by link names. */
static void read_link_wrenches(reader *r, json_t *value, double *wrench) {
  if (!json_is_object(value)) {
    complain(r, "takes an object by link names, not %s", kind_of(value));
    return;
  }
  const char *key;
  json_t *member;
  json_object_foreach(value, key, member) {
    about(r, "link", key);
    int link = jn_link_index(r->model, key);
    if (link == JN_WORLD) {
      complain(r, "a wrench on the world has no effect");
    } else if (link == JN_NONE) {
      unknown_link(r);
    } else {
      read_numbers(r, member, 6, wrench + 6 * (size_t)link);
    }
  }
}

static void make_wrench(const reader *r, eval_state *state) {
  size_t count = ((size_t)r->need->order + 1) * 6 * (size_t)jn_link_count(r->model);
  if (state->wrench) return;
  state->wrench = allocate(count * sizeof *state->wrench);
  for (size_t i = 0; i < count; i++) state->wrench[i] = 0;
}

static void read_wrench(reader *r, json_t *value, eval_state *state) {
  about_field(r, "wrench");
  make_wrench(r, state);
  read_link_wrenches(r, value, state->wrench);
}

/* The coordinates of the joints named in an array become 1 in `mask` [nv]. */
static void read_joint_names(reader *r, json_t *value, const char *field, unsigned char *mask) {
  about_field(r, field);
  if (!json_is_array(value)) {
    complain(r, "takes an array of joint names, not %s", kind_of(value));
    return;
  }
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *element = json_array_get(value, i);
    r->subject = NULL;
    if (!json_is_string(element)) {
      complain(r, "element %zu (from 0) is %s, not the name of a joint", i, kind_of(element));
      continue;
    }
    int joint = find_joint(r, json_string_value(element));
    if (joint == JN_NONE) continue;
    memset(mask + jn_joint_v(r->model, joint), 1, (size_t)jn_joint_nv(r->model, joint));
  }
}

static void read_prescribed(reader *r, json_t *value, eval_state *state) {
  read_joint_names(r, value, "prescribed", state->prescribed);
}

static void read_actuated(reader *r, json_t *value, eval_state *state) {
  read_joint_names(r, value, "actuated", state->actuated);
  state->has_actuated = true;
}

static void read_held(reader *r, json_t *value, eval_state *state) { read_joint_names(r, value, "held", state->held); }

/* ---- Fields with a row for each order ---- */

typedef struct row_field {
  const char *name;
  const char *single[2]; /* the fields that are rows 0 and 1, or NULL */
  void (*read)(reader *r, json_t *value, double *row);
  size_t width;
} row_field;

/* A row into `numbers`, or into nothing when it is of higher order than is computed (NULL). When the row has also been
 * given as a field of its own, the two must agree. */
static void read_row(reader *r, json_t *value, const row_field *field, double *numbers) {
  int mistakes = r->mistakes;
  const char *single = r->row < 2 ? field->single[r->row] : NULL;
  for (size_t i = 0; i < field->width; i++) r->scratch[i] = 0;
  field->read(r, value, r->scratch);
  r->subject = NULL;
  bool twice = single && json_object_get(r->state, single);
  for (size_t i = 0; i < field->width && numbers && r->mistakes == mistakes; i++) {
    if (twice && numbers[i] != r->scratch[i]) complain(r, "differs from %s, which is given as well", single);
    if (!twice) numbers[i] = r->scratch[i];
  }
}

/* `rows` are stored. */
static void read_rows(reader *r, json_t *value, const row_field *field, double *numbers, int rows) {
  about_field(r, field->name);
  if (!json_is_array(value)) {
    complain(r, "takes an array of rows, not %s", kind_of(value));
    return;
  }
  for (size_t i = 0; i < json_array_size(value); i++) {
    r->row = (int)i;
    read_row(r, json_array_get(value, i), field, r->row < rows ? numbers + i * field->width : NULL);
  }
}

static void read_v_jets(reader *r, json_t *value, eval_state *state) {
  const row_field field = {"v_jets", {"v", "a"}, read_velocities, (size_t)jn_model_nv(r->model)};
  read_rows(r, value, &field, state->v, r->need->order + 2);
}

static void read_tau_jets(reader *r, json_t *value, eval_state *state) {
  const row_field field = {"tau_jets", {"tau", NULL}, read_velocities, (size_t)jn_model_nv(r->model)};
  read_rows(r, value, &field, state->tau, r->need->order + 1);
}

static void read_wrench_jets(reader *r, json_t *value, eval_state *state) {
  const row_field field = {"wrench_jets", {"wrench", NULL}, read_link_wrenches, 6 * (size_t)jn_link_count(r->model)};
  make_wrench(r, state);
  read_rows(r, value, &field, state->wrench, r->need->order + 1);
}

/* A field that is there has as many rows as `wanted` needs. */
static void need_rows(reader *r, const char *field, int rows, const char *wanted) {
  const json_t *value = json_object_get(r->state, field);
  if (!json_is_array(value) || json_array_size(value) >= (size_t)rows) return;
  about_field(r, field);
  complain(r, "%s of order %d needs %d row%s, not %zu", wanted, r->need->order, rows, rows == 1 ? "" : "s",
           json_array_size(value));
}

static void check_rows(reader *r, const eval_state *state) {
  const eval_need *need = r->need;
  int prescribed = 0, nv = jn_model_nv(r->model);
  for (int i = 0; i < nv; i++) prescribed += state->prescribed[i];
  bool by_motion = need->motion || (need->mixed && prescribed > 0);
  bool by_force = need->forward || (need->mixed && prescribed < nv);
  const char *solver = need->forward ? need->forward : need->mixed;
  if (by_motion) {
    need_rows(r, "v_jets", need->order + 2, need->motion ? need->motion : need->mixed);
  } else if (by_force) {
    need_rows(r, "v_jets", 1, solver);
  }
  if (by_force) need_rows(r, "tau_jets", need->order + 1, solver);
}

/* ---- A state ---- */

typedef struct state_field {
  const char *name;
  void (*read)(reader *r, json_t *value, eval_state *state);
} state_field;

/* In the order in which they are read. */
static const state_field fields[] = {
    {"q", read_q},
    {"base", read_base},
    {"v", read_v},
    {"a", read_a},
    {"tau", read_tau},
    {"wrench", read_wrench},
    {"prescribed", read_prescribed},
    {"v_jets", read_v_jets},
    {"tau_jets", read_tau_jets},
    {"wrench_jets", read_wrench_jets},
    {"v_r", read_v_r},
    {"a_r", read_a_r},
    {"actuated", read_actuated},
    {"held", read_held},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static bool is_field(const char *name) {
  for (int i = 0; i < FIELDS; i++) {
    if (strcmp(fields[i].name, name) == 0) return true;
  }
  return false;
}

static void check_fields(reader *r, json_t *object) {
  const char *names[FIELDS];
  for (int i = 0; i < FIELDS; i++) names[i] = fields[i].name;
  about_field(r, NULL);
  const char *key;
  json_t *member;
  json_object_foreach(object, key, member) {
    if (is_field(key) || only_counts(r)) continue;
    char *hint = suggestion(key, names, FIELDS);
    complain(r,
             "unknown field '%s'; there are q, base, v, a, tau, wrench, prescribed, v_jets, tau_jets, wrench_jets, "
             "v_r, a_r, actuated, held%s",
             key, hint);
    free(hint);
  }
}

/* The base must not be given twice: by `base` and within q. */
static void check_base(reader *r, json_t *object) {
  const json_t *q = json_object_get(object, "q");
  if (!json_object_get(object, "base") || !q || r->base == JN_NONE) return;
  about_field(r, "base");
  if (json_is_array(q)) complain(r, "the array q has the pose of the base already");
  if (!json_is_object(q)) return;
  const char *own = jn_joint_name(r->model, r->base);
  bool by_word = jn_joint_index(r->model, "base") == JN_NONE && json_object_get(q, "base");
  if (by_word || json_object_get(q, own)) complain(r, "q has the pose of joint '%s' already", own);
}

static void read_state(reader *r, json_t *value, eval_state *state) {
  eval_state_init(state, r->model, r->need->order);
  r->state = value;
  about_field(r, NULL);
  if (!json_is_object(value)) {
    complain(r, "is %s, not an object", kind_of(value));
    return;
  }
  check_fields(r, value);
  check_base(r, value);
  for (int i = 0; i < FIELDS; i++) {
    json_t *member = json_object_get(value, fields[i].name);
    if (member) fields[i].read(r, member, state);
  }
  check_rows(r, state);
}

/* ---- The file ---- */

static bool is_blank(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (!memchr(" \t\r\n", text[i], 4)) return false;
  }
  return true;
}

/* A reader for states of the model; the scratch is for the caller to free. */
static reader make_reader(const jn_model *model, const eval_need *need, const char *file, FILE *messages) {
  size_t nv = (size_t)jn_model_nv(model), wide = 6 * (size_t)jn_link_count(model);
  return (reader){.model = model,
                  .need = need,
                  .file = file,
                  .base = base_joint(model),
                  .row = JN_NONE,
                  .messages = messages,
                  .scratch = allocate((nv > wide ? nv : wide) * sizeof(double))};
}

/* Do `count` states fit into the memory that the limit allows? false after reporting. */
static bool states_fit(const reader *r, size_t count, bool wrenches, size_t limit) {
  if (count <= 1) return true;
  if (count > INT_MAX) limit = 0; /* more than any limit allows */
  return input_fits(r->file, count, eval_state_bytes(r->model, r->need->order, wrenches), "states", limit);
}

/* Parses and converts one state after the other. */
static bool convert(reader *r, eval_source *source, size_t count, size_t limit, eval_states *list) {
  bool wrenches = false;
  if (!states_fit(r, count, false, limit)) return false;
  list->states = allocate(count * sizeof *list->states);

  while ((size_t)list->count < count) {
    /* As JSON, only this state is in memory */
    r->index = (int)source->index;
    json_t *value = eval_source_next(source);
    if (!value) return false;
    eval_state *state = &list->states[list->count++];
    read_state(r, value, state);
    json_decref(value);

    /* The first wrench makes all states larger */
    if (!state->wrench || wrenches) continue;
    wrenches = true;
    if (!states_fit(r, count, true, limit)) return false;
  }

  int untold = r->mistakes - MISTAKES_TOLD;
  if (untold > 0) say(stderr, "jounce: and %d mistake%s more\n", untold, untold == 1 ? "" : "s");
  return r->mistakes == 0;
}

/* The states of a text, or of a part of it. */
static bool read_text(const jn_model *model, const eval_need *need, const char *name, const char *text, size_t length,
                      size_t limit, shard *part, eval_states *list) {
  eval_source source;
  bool fine = eval_source_open(&source, model, name, text, length, limit);
  if (fine) {
    /* States of other parts are passed over */
    size_t count = source.count;
    if (part && part->count > 0) {
      shard_divide(part, (long)source.count);
      eval_source_skip(&source, (size_t)part->first);
      count = (size_t)(part->last - part->first);
      list->source = fingerprint_begin();
      fingerprint_add(&list->source, text, length);
    }

    reader r = make_reader(model, need, name, stderr);
    fine = convert(&r, &source, count, limit, list);
    free(r.scratch);
  }
  eval_source_close(&source);
  return fine;
}

/* The state of a keyframe. */
static int read_keyframe(const jn_model *model, const eval_need *need, const char *file, shard *part,
                         eval_states *list) {
  eval_neutral_state(model, need->order, list);
  eval_state *state = list->states;
  int result = keyframe_read(need->model, file, state->q, state->v);
  if (result != OPTION_GO_ON) {
    eval_states_free(list);
    return result;
  }

  list->source = fingerprint_begin();
  fingerprint_add(&list->source, state->q, (size_t)jn_model_nq(model) * sizeof *state->q);
  fingerprint_add(&list->source, state->v, (size_t)jn_model_nv(model) * sizeof *state->v);
  eval_keep_part(list, part);
  return OPTION_GO_ON;
}

int eval_read_states(const jn_model *model, const eval_need *need, const char *file, size_t limit, shard *part,
                     eval_states *list) {
  bool standard_input = !file || strcmp(file, "-") == 0;
  const char *name = standard_input ? STANDARD_INPUT : file;
  if (!standard_input && need->model && names_keyframe(file)) return read_keyframe(model, need, file, part, list);

  size_t length;
  char *text = read_input(standard_input ? "-" : file, name, limit, &length);
  if (!text) return EXIT_BAD;

  bool fine = true;
  if (!file && is_blank(text, length)) {
    eval_neutral_state(model, need->order, list);
    eval_keep_part(list, part);
  } else {
    fine = read_text(model, need, name, text, length, limit, part, list);
  }
  free(text);
  if (!fine) eval_states_free(list); /* no caller wants part of them */
  return fine ? OPTION_GO_ON : EXIT_BAD;
}

/* The one state of a line of --stream. */
static bool read_line_state(const jn_model *model, const eval_need *need, json_t *value, FILE *messages,
                            eval_states *list) {
  reader r = make_reader(model, need, NULL, messages);
  *list = (eval_states){.states = allocate(sizeof *list->states), .count = 1};
  read_state(&r, value, list->states);
  free(r.scratch);

  int untold = r.mistakes - MISTAKES_TOLD;
  if (untold > 0) say(messages, "and %d mistake%s more\n", untold, untold == 1 ? "" : "s");
  return r.mistakes == 0;
}

bool eval_read_line(const jn_model *model, const eval_need *need, const char *text, size_t length, size_t limit,
                    FILE *messages, eval_states *list) {
  json_error_t error;
  size_t values = jn__json_value_count(text, length);
  if (is_blank(text, length)) {
    say(messages, "the line is empty: give a state, {} for a neutral one\n");
    return false;
  }
  if (values > limit / JN_JSON_VALUE) {
    say(messages, "the line has %zu values, which take %d bytes each and more than the limit of %zu bytes\n", values,
        JN_JSON_VALUE, limit);
    return false;
  }
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  if (!root) {
    say(messages, "not JSON: column %d: ", error.column);
    print_text(messages, error.text);
    fputc('\n', messages);
    return false;
  }
  bool fine = !json_is_array(root);
  if (fine)
    fine = read_line_state(model, need, root, messages, list);
  else
    say(messages, "is an array; with --stream every line has one state\n");
  json_decref(root);
  return fine;
}

#endif
