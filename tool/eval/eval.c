/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: compute at given states; JSON in, JSON out, so that any language can use and check the library. */
#define _POSIX_C_SOURCE 200809L
#include "eval.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

#include "../command.h"
#include "../files/output.h"
#include "../files/shard.h"
#include "../model/argument.h"
#include "../model/names.h"
#include "../text/print.h"

typedef struct eval_arg {
  model_arg model;
  name_list want;
  const char *input;
  const char *link;
  number_list order;
  int in, hold; /* jn_representation */
  int losses;
  int solution; /* jn_loops_choice */
  int lambda;   /* LAMBDA_... */
  int assemble;
  int stream;
  const char *shard; /* I/N, or NULL */
} eval_arg;

enum {
  DEFAULT_ORDER = 1,
  LARGEST_ORDER = 170 /* the factorial of the next is beyond all doubles */
};

/* ---- States ---- */

void eval_state_init(eval_state *state, const jn_model *model, int order) {
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model), rows = (size_t)order + 1;
  size_t count = nq + (2 * rows + 3) * nv;
  double *numbers = allocate(count * sizeof *numbers), *v = numbers + nq;
  *state = (eval_state){.q = numbers, .v = v, .a = v + nv, .tau = v + (rows + 1) * nv};
  state->v_r = state->tau + rows * nv;
  state->a_r = state->v_r + nv;
  for (size_t i = 0; i < count; i++) numbers[i] = 0;
  jn_neutral(model, state->q);
  state->prescribed = allocate(3 * nv);
  state->actuated = state->prescribed + nv;
  state->held = state->actuated + nv;
  memset(state->prescribed, 0, 3 * nv);
}

size_t eval_state_bytes(const jn_model *model, int order, bool wrenches) {
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model), rows = (size_t)order + 1;
  size_t numbers = nq + (2 * rows + 3) * nv;
  if (wrenches) numbers += 6 * rows * (size_t)jn_link_count(model);
  return sizeof(eval_state) + numbers * sizeof(double) + 3 * nv;
}

void eval_neutral_state(const jn_model *model, int order, eval_states *list) {
  *list = (eval_states){.states = allocate(sizeof *list->states), .count = 1};
  eval_state_init(list->states, model, order);
}

void eval_states_free(eval_states *list) {
  for (int i = 0; i < list->count; i++) {
    free(list->states[i].q); /* with v, a, tau, v_r, a_r */
    free(list->states[i].wrench);
    free(list->states[i].prescribed); /* with actuated, held */
  }
  free(list->states);
  *list = (eval_states){0};
}

void eval_keep_part(eval_states *list, shard *part) {
  if (!part || part->count == 0) return;
  shard_divide(part, list->count);
  if (part->first < part->last) return;

  uint64_t source = list->source;
  eval_states_free(list);
  list->source = source;
}

static int read_states(const eval_arg *arg, const eval_need *need, shard *part, eval_states *list) {
  bool model_takes_input = strcmp(arg->model.source, "-") == 0;
  if (!arg->input && (model_takes_input || isatty(fileno(stdin)))) {
    eval_neutral_state(arg->model.model, need->order, list);
    eval_keep_part(list, part);
    return OPTION_GO_ON;
  }
  return eval_read_states(arg->model.model, need, arg->input, arg->model.options.max_bytes, part, list);
}

/* ---- What is wanted ---- */

/* "tau, ddq, ..., all" */
static char *known_names(void) {
  char *text = copy_text("", 0);
  for (int i = 0; i < eval_want_count(); i++) {
    char *longer = format_text("%s%s, ", text, eval_want_at(i)->name);
    free(text);
    text = longer;
  }
  char *names = format_text("%sall", text);
  free(text);
  return names;
}

static bool same_but_case(const char *a, const char *b) {
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
  return *a == 0 && *b == 0;
}

static int unknown_want(const char *name) {
  int count = eval_want_count();
  const char **names = allocate(((size_t)count + 1) * sizeof *names);
  for (int i = 0; i < count; i++) names[i] = eval_want_at(i)->name;
  names[count] = "all";
  const char *near = nearest_word(name, names, count + 1);
  for (int i = 0; i <= count; i++) {
    if (same_but_case(name, names[i])) near = names[i];
  }
  char *known = known_names();
  int status = near ? usage_error("eval", "--want: '%s' is unknown; did you mean %s? There are %s", name, near, known)
                    : usage_error("eval", "--want: '%s' is unknown; there are %s", name, known);
  free(known);
  free(names);
  return status;
}

static void add_want(want_list *list, const eval_want *want) {
  for (int i = 0; i < list->count; i++) {
    if (list->wants[i] == want) return;
  }
  list->wants[list->count++] = want;
}

static int choose_wants(const name_list *names, want_list *list) {
  *list = (want_list){.wants = allocate((size_t)eval_want_count() * sizeof *list->wants)};
  if (names->count == 0) {
    char *known = known_names();
    int status = usage_error("eval", "--want is missing: what should be computed? There are %s", known);
    free(known);
    return status;
  }
  for (int i = 0; i < names->count; i++) {
    bool all = strcmp(names->names[i], "all") == 0;
    const eval_want *want = eval_find_want(names->names[i]);
    if (!all && !want) return unknown_want(names->names[i]);
    if (want) add_want(list, want);
    list->all |= all;
  }
  for (int i = 0; list->all && i < eval_want_count(); i++) {
    if (!(eval_want_at(i)->is & WANT_TENSOR)) add_want(list, eval_want_at(i));
  }
  return OPTION_GO_ON;
}

static bool is_any(const want_list *list, unsigned is) {
  for (int i = 0; i < list->count; i++) {
    if (list->wants[i]->is & is) return true;
  }
  return false;
}

static bool is_wanted(const want_list *list, const char *name) {
  for (int i = 0; i < list->count; i++) {
    if (strcmp(list->wants[i]->name, name) == 0) return true;
  }
  return false;
}

static int check_hold(const eval_arg *arg, const want_list *list) {
  if (arg->hold == JN_IN_BODY || !is_wanted(list, "dtau_jets")) return OPTION_GO_ON;
  return usage_error("eval", "--hold: dtau_jets holds wrenches in the body only");
}

static eval_need find_need(const eval_arg *arg, const want_list *list) {
  bool multipliers = jn_loop_count(arg->model.model) > 0 && is_wanted(list, "lambda_jets"), jets = false;
  eval_need need = {.forward = is_wanted(list, "ddq_jets")                ? "ddq_jets"
                               : multipliers && arg->lambda == LAMBDA_DDQ ? "lambda_jets"
                                                                          : NULL,
                    .mixed = is_wanted(list, "hybrid_jets")                ? "hybrid_jets"
                             : multipliers && arg->lambda == LAMBDA_HYBRID ? "lambda_jets"
                                                                           : NULL};
  if (multipliers && arg->lambda == LAMBDA_TAU) need.motion = "lambda_jets";
  for (int i = 0; i < list->count; i++) {
    const eval_want *want = list->wants[i];
    bool jet = want->is & WANT_JET;
    jets |= jet;
    if (jet && !(want->is & WANT_SOLVES) && !need.motion) need.motion = want->name;
  }
  if (jets) need.order = arg->order.count == 1 ? (int)arg->order.values[0] : DEFAULT_ORDER;
  return need;
}

/* The frame of --link. "world" is none that could be asked for. */
static int choose_frame(const eval_arg *arg, int *frame) {
  *frame = JN_NONE;
  return arg->link ? find_frame("eval", "link", arg->model.model, arg->link, frame) : OPTION_GO_ON;
}

/* ---- Computing ---- */

FILE *eval_message(const evaluation *e, int state) {
  if (!e->stream) say(e->messages, "jounce: state %d: ", e->first + state);
  return e->messages;
}

static void tell(const evaluation *e, int state, const eval_want *want, jn_status status, const char *note) {
  int joint = status == JN_ERR_SINGULAR ? jn_singular_joint(e->work) : JN_NONE;
  FILE *to = eval_message(e, state);
  say(to, "%s%s: ", want->name, note);
  if (joint >= 0) {
    fputs("joint '", to);
    print_text(to, jn_joint_name(e->model, joint));
    fputs("' has no effective inertia: ", to);
  }
  char advice[256] = "";
  eval_loops_advice(e, want->name, status, advice, sizeof advice);
  if (status == JN_ERR_SIZE && !*advice)
    snprintf(advice, sizeof advice, "its array is too large for a model with nv = %d", jn_model_nv(e->model));
  say(to, "%s\n", *advice ? advice : jn_status_text(status));
}

/* With `all`, such results become null. */
static bool may_be_null(const want_list *list, jn_status status) {
  return list->all && (status == JN_ERR_SINGULAR || status == JN_ERR_LOOP || status == JN_ERR_ACTUATION);
}

/* Learn what is singular or too large before anything is written. */
static int find_singular(evaluation *e, const eval_states *states, const want_list *list) {
  const unsigned only = WANT_SOLVES | WANT_TENSOR | WANT_PARAMETERS;
  for (int s = 0; s < states->count; s++) {
    eval_block_begin(e, states, s, list->wants, list->count, only);
    e->state = &states->states[s];
    for (int i = 0; i < list->count; i++) {
      const eval_want *want = list->wants[i];
      bool closed = e->loops && want->is & WANT_CLOSED;
      jn_status status = closed || want->is & only ? want->run(e, NULL, want->name) : JN_OK;
      if (status == JN_OK) continue;
      bool fine = may_be_null(list, status);
      tell(e, s, want, status, fine ? " is null" : "");
      if (!fine) return EXIT_BAD;
    }
  }
  return OPTION_GO_ON;
}

/* In the order of the parameters, ten for each. */
static void write_links(json_writer *j, const jn_model *model) {
  emit_open_array(j, "links");
  for (int l = 0; l < jn_link_count(model); l++) emit_text(j, NULL, jn_link_name(model, l));
  emit_close_array(j);
}

static void write_model(json_writer *j, const jn_model *model, bool links) {
  emit_open_object(j, "model");
  emit_text(j, "name", jn_model_name(model));
  emit_integer(j, "nq", jn_model_nq(model));
  emit_integer(j, "nv", jn_model_nv(model));
  emit_open_array(j, "joints");
  for (int v = 0; v < jn_model_nv(model); v++) {
    int coordinate, joint = jn_coordinate_joint(model, v, &coordinate);
    if (coordinate != 0) continue;
    emit_open_line(j, NULL);
    emit_text(j, "name", jn_joint_name(model, joint));
    emit_text(j, "type", jn_joint_type_name(jn_joint_type_of(model, joint)));
    emit_integer(j, "nq", jn_joint_nq(model, joint));
    emit_integer(j, "nv", jn_joint_nv(model, joint));
    emit_close_object(j);
  }
  emit_close_array(j);
  if (links) write_links(j, model);
  emit_close_object(j);
}

/* What --assemble made of the state. */
static void write_state(json_writer *j, const evaluation *e) {
  emit_numbers(j, "q", e->state->q, jn_model_nq(e->model));
  emit_numbers(j, "v", e->state->v, jn_model_nv(e->model));
}

int eval_write_state(evaluation *e, json_writer *j, const want_list *list, int s) {
  int result = EXIT_FINE;
  if (list->show_state) write_state(j, e);
  for (int i = 0; i < list->count; i++) {
    const eval_want *want = list->wants[i];
    long infinite = j->infinite;
    jn_status status = want->run(e, j, want->name);
    if (j->infinite > infinite)
      say(eval_message(e, s), "%s: %ld number%s beyond the range of double, written as null\n", want->name,
          j->infinite - infinite, j->infinite - infinite == 1 ? " is" : "s are");
    if (may_be_null(list, status)) {
      if (e->stream) tell(e, s, want, status, " is null");
      emit_null(j, want->name);
    } else if (status != JN_OK) { /* without --stream, find_singular() has seen what an input can cause */
      tell(e, s, want, status, "");
      result = EXIT_BAD;
    }
  }
  return result;
}

/* Where the beginning of the output waits; stdout itself when there is no place for it. */
static FILE *open_aside(char **memory, size_t *length) {
  FILE *aside = open_temporary();
#ifndef _WIN32
  if (!aside) aside = open_memstream(memory, length);
#else
  (void)memory;
  (void)length;
#endif
  return aside ? aside : stdout;
}

/* To stdout with what waited. */
static int release_aside(FILE *aside, char **memory, const size_t *length) {
  if (aside == stdout) return EXIT_FINE;
  bool failed = fflush(aside) != 0 || ferror(aside);
  if (*memory) {
    fwrite(*memory, 1, *length, stdout);
  } else if (!failed) {
    char bytes[1 << 14];
    rewind(aside);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, aside)) > 0;) fwrite(bytes, 1, n, stdout);
    failed |= ferror(aside) != 0;
  }
  if (failed) fputs("jounce: cannot write a temporary file; is the disk full?\n", stderr);
  fclose(aside);
  free(*memory);
  return failed ? EXIT_BAD : EXIT_FINE;
}

static int write_one(evaluation *e, json_writer *j, const eval_states *states, const want_list *list, int s) {
  eval_block_begin(e, states, s, list->wants, list->count, 0);
  e->state = &states->states[s];
  emit_open_object(j, NULL);
  int result = eval_write_state(e, j, list, s);
  emit_close_object(j);
  return result;
}

/* Everything that the results depend on. */
static uint64_t fingerprint_of(const evaluation *e, const eval_arg *arg, const eval_states *states,
                               const want_list *list) {
  uint64_t f = fingerprint_begin();
  const int options[] = {e->order,  e->frame,       (int)e->in, (int)e->hold,
                         e->losses, (int)e->choice, e->lambda,  arg->assemble};
  fingerprint_model(&f, e->model);
  fingerprint_add(&f, options, sizeof options);
  for (int i = 0; i < list->count; i++) fingerprint_text(&f, list->wants[i]->name);
  fingerprint_add(&f, &states->source, sizeof states->source);
  return f;
}

/* Where the results of a part begin and end in the whole text. */
typedef struct result_span {
  long from, to;
} result_span;

/* The results of some states, all of the text around them included, on a stream. */
static int write_whole(evaluation *e, const eval_states *states, const want_list *list, FILE *stream,
                       result_span *span) {
  int result = EXIT_FINE;
  json_writer j;
  emit_init(&j, stream);
  emit_open_object(&j, NULL);
  write_model(&j, e->model, is_any(list, WANT_PARAMETERS));
  emit_open_array(&j, "results");
  span->from = ftell(stream);
  if (e->first > 0) j.first = false; /* other states stand before */
  for (int s = 0; s < states->count; s++) {
    if (write_one(e, &j, states, list, s) != EXIT_FINE) result = EXIT_BAD;
  }
  span->to = ftell(stream);
  j.first = e->first == 0 && states->count == 0;
  emit_close_array(&j);
  emit_close_object(&j);
  return result;
}

/* --shard: one part of the text. */
static int write_part(evaluation *e, const eval_states *states, const want_list *list, const shard *part) {
  result_span span;
  FILE *whole = open_temporary();
  if (!whole) {
    fputs("jounce: cannot make a temporary file\n", stderr);
    return EXIT_BAD;
  }
  int result = write_whole(e, states, list, whole, &span);
  long end = ftell(whole);
  if (part->index == 1) span.from = 0;
  if (part->index == part->count) span.to = end;
  if (result == EXIT_FINE && (ferror(whole) || end < 0 || !shard_write(part, whole, span.from, span.to, stdout))) {
    fputs("jounce: cannot write a temporary file; is the disk full?\n", stderr);
    result = EXIT_BAD;
  }
  fclose(whole);
  return result;
}

/* The first state is written aside: once it is there, all memory that any state needs has been found. */
static int write_results(evaluation *e, const eval_states *states, const want_list *list) {
  int result = EXIT_FINE;
  char *memory = NULL;
  size_t length = 0;
  json_writer j;
  emit_init(&j, open_aside(&memory, &length));
  emit_open_object(&j, NULL);
  write_model(&j, e->model, is_any(list, WANT_PARAMETERS));
  emit_open_array(&j, "results");
  for (int s = 0; s < states->count; s++) {
    if (write_one(e, &j, states, list, s) != EXIT_FINE) result = EXIT_BAD;
    if (s > 0) continue;
    int released = release_aside(j.stream, &memory, &length);
    if (released != EXIT_FINE) return released;
    j.stream = stdout;
  }
  if (states->count == 0 && release_aside(j.stream, &memory, &length) != EXIT_FINE) return EXIT_BAD;
  j.stream = stdout;
  emit_close_array(&j);
  emit_close_object(&j);
  return result;
}

static jn_status create_loops(evaluation *e) {
  jn_loops_options options;
  jn_loops_options_init(&options);
  options.order = e->order;
  return jn_loop_count(e->model) > 0 ? jn_loops_create(e->model, &options, &e->loops) : JN_OK;
}

/* All states, or those of a part, at once. */
static int compute_states(const eval_arg *arg, evaluation *e, const eval_need *need, const want_list *list) {
  eval_states states = {0};
  shard part;
  int result = shard_parse("eval", arg->shard, &part);

  /* The states, only those of the part with --shard */
  if (result == OPTION_GO_ON) result = read_states(arg, need, &part, &states);
  if (result == OPTION_GO_ON && part.count > 0) {
    part.fingerprint = fingerprint_of(e, arg, &states, list);
    e->first = (int)part.first;
  }

  /* What can fail comes before anything is written */
  if (result == OPTION_GO_ON) result = eval_close_states(e, &states, arg->assemble, is_any(list, WANT_CLOSED));
  if (result == OPTION_GO_ON) eval_block_create(e, list->wants, list->count, states.count);
  if (result == OPTION_GO_ON) result = find_singular(e, &states, list);
  if (result == OPTION_GO_ON)
    result = part.count > 0 ? write_part(e, &states, list, &part) : write_results(e, &states, list);

  eval_block_free(e);
  eval_states_free(&states);
  return result;
}

static int compute_stream(const eval_arg *arg, evaluation *e, const eval_need *need, const want_list *list) {
  const eval_stream_arg stream = {
      need, list, arg->input, arg->model.options.max_bytes, arg->assemble != 0, is_any(list, WANT_CLOSED)};
  return eval_stream(e, &stream);
}

static int compute(const eval_arg *arg, want_list *list) {
  eval_need need = find_need(arg, list);
  need.model = &arg->model;
  evaluation e = {.model = arg->model.model, .order = need.order, .losses = arg->losses, .messages = stderr};
  e.in = (jn_representation)arg->in;
  e.hold = (jn_representation)arg->hold;
  e.choice = (jn_loops_choice)arg->solution;
  e.lambda = arg->lambda;
  e.stream = arg->stream != 0;
  e.limit = arg->model.options.max_bytes;
  int result = choose_frame(arg, &e.frame);
  if (result != OPTION_GO_ON) return result;
  jn_status status = jn_variant_name() ? jn_work_create_order(e.model, need.order, &e.work) : JN_ERR_VARIANT;
  if (status == JN_OK) status = create_loops(&e);
  if (status != JN_OK) {
    say(stderr, "jounce: %s\n", jn_status_text(status));
    jn_work_destroy(e.work);
    return EXIT_BAD;
  }
  list->show_state = arg->assemble && e.loops;
  result = arg->stream ? compute_stream(arg, &e, &need, list) : compute_states(arg, &e, &need, list);
  free(e.room);
  jn_loops_destroy(e.loops);
  jn_work_destroy(e.work);
  return result;
}

/* ---- Command ---- */

static int check_arguments(const eval_arg *arg) {
#if !JN_WITH_JSON
  fputs("jounce eval: this build lacks jansson, with which states are read: build with JOUNCE_JSON=ON\n", stderr);
  return EXIT_USAGE;
#endif
  const number_list *order = &arg->order;
  if (order->count > 1 ||
      (order->count == 1 && (order->values[0] < 0 || order->values[0] != floor(order->values[0])))) {
    return usage_error("eval", "--order takes one whole number, 0 or more");
  }
  if (order->count == 1 && order->values[0] > LARGEST_ORDER) {
    return usage_error("eval", "--order takes at most %d: beyond it factorials are larger than a double can be",
                       LARGEST_ORDER);
  }
  shard part;
  int result = shard_parse("eval", arg->shard, &part);
  if (result != OPTION_GO_ON) return result;
  if (arg->shard && arg->stream) return usage_error("eval", "--shard is for a list of states, not for --stream");
  if (arg->stream && arg->input && (ends_with(arg->input, ".npy") || ends_with(arg->input, ".npz")))
    return usage_error("eval", "--stream reads lines of JSON; NPY and NPZ files are read without it");
  bool reads_input = arg->input ? strcmp(arg->input, "-") == 0 : arg->stream != 0;
  if (reads_input && strcmp(arg->model.source, "-") == 0) {
    return usage_error("eval", "MODEL and %s cannot both be standard input", arg->input ? "--input" : "--stream");
  }
  return OPTION_GO_ON;
}

static int evaluate(eval_arg *arg) {
  want_list list = {0};
  int result = check_arguments(arg);
  if (result == OPTION_GO_ON) result = choose_wants(&arg->want, &list);
  if (result == OPTION_GO_ON) result = check_hold(arg, &list);
  if (result == OPTION_GO_ON) result = model_arg_load(&arg->model);
  if (result == OPTION_GO_ON && arg->assemble && jn_loop_count(arg->model.model) == 0)
    result = usage_error("eval", "--assemble closes loops, and this model has none%s",
                         arg->model.options.ignore_loops ? " because of --loops ignore" : "");
  if (result == OPTION_GO_ON) result = compute(arg, &list);
  free(list.wants);
  return result;
}

/* The names of --want with their lines: first what `all` computes, then `all`, then what is too large for it. */
static bool want_listed(int i, const char **word, const char **help) {
  for (unsigned tensor = 0; tensor <= WANT_TENSOR; tensor += WANT_TENSOR) {
    for (int k = 0; k < eval_want_count(); k++) {
      const eval_want *want = eval_want_at(k);
      if ((want->is & WANT_TENSOR) != tensor || i-- > 0) continue;
      *word = want->name;
      *help = want->help;
      return true;
    }
    if (tensor || i-- > 0) continue;
    *word = "all";
    *help = "all of the above; null if singular";
    return true;
  }
  return false;
}

static const option eval_options[] = {
    NAMES_OPTION(eval_arg, want, "want", "LIST", "names split by commas:", .listed = want_listed),
    TEXT_OPTION(eval_arg, input, "input", "FILE",
                "file with the states: JSON, NPZ with arrays q, v, a, tau, ... [N x size], or NPY with rows of q, or "
                "of q and v; "
                "or key:NAME, a keyframe of an MJCF model; - for standard input, which is the "
                "default if it is not a terminal; otherwise one "
                "neutral state at rest"),
    FLAG_OPTION(
        eval_arg, stream, "stream",
        "one state a line in, one result a line out, at once: for programs that keep jounce running. A line with "
        "a mistake gives {\"error\": ..., \"line\": N}"),
    TEXT_OPTION(
        eval_arg, shard, "shard", "I/N",
        "only the results of part I of N parts of the states, for several machines; the other states are not even "
        "parsed; `jounce gather` puts the parts together"),
    TEXT_OPTION(
        eval_arg, link, "link", "NAME",
        "pose, twist, acceleration, J, Jdot, twist_jets, J_jets for this link or frame only, instead of all by name"),
    CHOICE_OPTION(eval_arg, in, "in", "body|world|aligned",
                  "axes and point of twist, acceleration, J, Jdot. body (default): own axes, own origin; world: the "
                  "world's axes, the point at its origin; aligned: the world's axes, own origin"),
    CHOICE_OPTION(eval_arg, in, "frame", "body|world|aligned", NULL, .instead = "in"),
    CHOICE_OPTION(
        eval_arg, hold, "hold", "body|world|aligned",
        "axes in which wrenches are constant in derivatives with respect to q. body (default): the link's frame, "
        "as for a thruster; aligned: the world's axes at the link's origin, as for a weight; world: the world's "
        "axes and origin"),
    FLAG_OPTION(eval_arg, losses, "losses",
                "include damping and friction in tau, ddq and hybrid, and in their jets and derivatives"),
    NUMBERS_OPTION(eval_arg, order, "order", "K",
                   "highest order of time derivatives in names that end in _jets, and of P; default 1, at most 170"),
    CHOICE_OPTION(
        eval_arg, solution, "solution", "torque|force",
        "for models with loops, if more joints are actuated than needed. torque (default): the smallest joint "
        "forces; force: the smallest multipliers"),
    CHOICE_OPTION(
        eval_arg, lambda, "lambda", "ddq|tau|hybrid",
        "for models with loops, what lambda, lambda_jets, lambda_d, loop_wrenches belong to. ddq (default): forward "
        "dynamics; tau: inverse dynamics; hybrid: hybrid dynamics"),
    FLAG_OPTION(eval_arg, assemble, "assemble",
                "close the loops first: q, v (and the rest of the motion, if 'held' joints determine it); results then "
                "include q and v"),
    {0}};

static const option_group eval_groups[] = {
    {.options = eval_options},
    MODEL_GROUPS(eval_arg, model),
};

const command_line eval_line = {
    .name = "eval",
    .brief = "compute dynamics and kinematics at given states",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Compute quantities at given states. Reads one state, or an array of states, as JSON (or as NumPy arrays, see "
        "--input) and writes JSON with all digits; values that are not finite are null.\n"
        "\n"
        "A state is an object; all its fields are optional:\n"
        "- q, v, a, tau: objects by joint names (number, or array for joints with several coordinates), or arrays of "
        "nq "
        "or nv numbers. Missing joints are neutral or zero. base means the free joint on the world.\n"
        "- base: {\"position\": [x,y,z], \"orientation\": [x,y,z,w]} of the free joint on the world\n"
        "- wrench: {link: [6]}, exerted by the surroundings on the link, in the link's frame\n"
        "- prescribed: [names of joints] whose a is given in hybrid; the others have given tau\n"
        "- v_jets: [v, v', v'', ...], each as v; K + 2 rows for tau_jets. Without it: v, a, then zero.\n"
        "- tau_jets: [tau, tau', ...], each as tau; K + 1 rows. Without it: tau, then zero.\n"
        "- wrench_jets: [wrench, wrench', ...], each as wrench; missing rows are zero\n"
        "- actuated: [names of joints] with a motor, for tau and related results of models with loops\n"
        "- held: [names of joints] that --assemble must not move\n"
        "- v_r, a_r: reference velocity and acceleration of Y_slotine_li, as v\n"
        "\n"
        "SI units. Six-vectors have the angular part first. The velocity of spherical and free joints is their angular "
        "velocity and twist in the body's frame; matrices are in these coordinates, nv wide, in the order of "
        "model.joints.\n"
        "\n"
        "Derivatives with respect to q are taken in the tangent space: column k is d/ds at s = 0 along q (+) s e_k. "
        "For "
        "most joints this is the partial derivative, for spherical and free joints the one along a rotation or screw "
        "in "
        "the body's own axes. v, a, tau are held constant, and wrenches as --hold says. In arrays of matrices, the "
        "first "
        "index is the direction.\n"
        "\n"
        "pi has (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) of each link, in its frame, about its origin, h = m c; "
        "model.links gives the order of the links. Y pi does not include armature, losses and wrenches.",
    .groups = eval_groups,
    .group_count = COUNT_OF(eval_groups),
};

int command_eval(int argc, char **argv) {
  eval_arg arg = {0};
  model_arg_init(&arg.model, "eval");
  const char *source = NULL;
  int status = option_parse(&eval_line, &arg, argc, argv, &source);
  if (status == OPTION_GO_ON) {
    arg.model.source = source;
    status = evaluate(&arg);
  }
  name_list_free(&arg.want);
  number_list_free(&arg.order);
  model_arg_free(&arg.model);
  return status;
}
