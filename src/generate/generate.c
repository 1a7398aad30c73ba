/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of jounce/generate.h. */
#include "generate.h"

#include "conditions.h"

#include <ctype.h>
#include <jounce/io.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 64, NODES_MAX = 20000000 };

struct jn_generated {
  jn_allocator allocator;
  int count;
  char *name[FILES_MAX], *text[FILES_MAX];
  int functions;
  const char *function[FILES_MAX]; /* static texts */
  int operations[FILES_MAX];
};

void jn_generate_options_init(jn_generate_options *options) {
  if (!options) return;
  *options = (jn_generate_options){
      .size = sizeof *options, .want = "inverse_dynamics", .single = 1, .regroup = 1, .order = 1, .in = JN_IN_ALIGNED};
}

jn_status jn__writing_fail(jn_writing *w, jn_status status, const char *format, ...) {
  w->refusal = status;
  if (!w->error) return status;
  va_list list;
  va_start(list, format);
  vsnprintf(w->error->text, sizeof w->error->text, format, list);
  va_end(list);
  w->error->status = status;
  return status;
}

/* ---- checks ---- */

static int is_identifier(const char *name) {
  size_t length = strlen(name);
  if (length == 0 || length > 40 || isdigit((unsigned char)name[0])) return 0;
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return 0;
  }
  return name[0] != '_';
}

static jn_status check_prefix(jn_writing *w) {
  const char *prefix = w->options.prefix ? w->options.prefix : "robot";
  if (!is_identifier(prefix))
    return jn__writing_fail(w, JN_ERR_NAME,
                            "the prefix must be a C identifier: letters, digits and underscores, at most 40, beginning "
                            "with a letter");
  for (size_t i = 0; i <= strlen(prefix); i++) {
    w->prefix[i] = prefix[i];
    w->upper[i] = (char)toupper((unsigned char)prefix[i]);
  }
  snprintf(w->value_type, sizeof w->value_type, "%s%s", w->options.lanes ? prefix : jn__number_type(w),
           w->options.lanes ? "_lanes" : "");
  return JN_OK;
}

static jn_status check_numbers(jn_writing *w) {
  const jn_generate_options *o = &w->options;
  if (o->order < 0 || o->order > 8) return jn__writing_fail(w, JN_ERR_SIZE, "the order must be 0 to 8");
  if (!(o->snap >= 0 && o->snap <= 0.1)) return jn__writing_fail(w, JN_ERR_SIZE, "snap must be 0 to 0.1 rad");
  if (o->in != JN_IN_BODY && o->in != JN_IN_WORLD && o->in != JN_IN_ALIGNED)
    return jn__writing_fail(w, JN_ERR_SIZE, "no such representation of Jacobians");
  if (o->language != JN_LANGUAGE_C && o->language != JN_LANGUAGE_MATLAB)
    return jn__writing_fail(w, JN_ERR_SIZE, "no such language");
  if (o->sines < JN_SINES_OWN || o->sines > JN_SINES_GIVEN)
    return jn__writing_fail(w, JN_ERR_SIZE, "no such way to get sines");
  if (o->lanes != 0 && o->lanes != 2 && o->lanes != 4 && o->lanes != 8 && o->lanes != 16)
    return jn__writing_fail(w, JN_ERR_SIZE, "lanes must be 2, 4, 8 or 16; 0: one state at a time");
  if (jn_model_nv(w->model) == 0)
    return jn__writing_fail(w, JN_ERR_UNSUPPORTED, "the model has no moving joints: there is nothing to compute");
  return JN_OK;
}

/* Combinations of options that mean nothing. */
static jn_status check_combinations(jn_writing *w) {
  const jn_generate_options *o = &w->options;
  if (o->language == JN_LANGUAGE_MATLAB && (o->lanes || o->split))
    return jn__writing_fail(w, JN_ERR_UNSUPPORTED, "%s is for C, and not for MATLAB", o->lanes ? "lanes" : "split");
  if (o->lanes && o->sines == JN_SINES_LIBM)
    return jn__writing_fail(w, JN_ERR_UNSUPPORTED,
                            "lanes cannot take sines from libm, which has none for vectors: use own or given");
  if (o->payload_frame && !(o->runtime & JN_GENERATE_PAYLOAD))
    return jn__writing_fail(w, JN_ERR_UNSUPPORTED,
                            "a payload frame is named, but the payload is no argument (runtime)");
  return JN_OK;
}

/* Given sines are those of coordinates, so every angle must be a coordinate plus a constant. */
static jn_status check_sines(jn_writing *w) {
  for (int i = 0; w->options.sines == JN_SINES_GIVEN && i < w->mechanism.count; i++) {
    const jn_part *part = &w->mechanism.part[i];
    if (part->nv == 1 && part->kind != JN_BODY_PRISMATIC && part->ratio != 1)
      return jn__writing_fail(
          w, JN_ERR_UNSUPPORTED,
          "sines cannot be given: coordinate %d moves a joint by %g times its value; use own or libm", part->iv,
          part->ratio);
  }
  return JN_OK;
}

/* ---- the text ---- */

static jn_status hash_source(jn_writing *w) {
  if (w->options.source_data) {
    jn__sha256(w->options.source_data, w->options.source_length, w->hash);
    return JN_OK;
  }
  char *text;
  size_t length;
  jn_error error;
  jn_status status = jn_save_text(w->model, JN_FORMAT_NATIVE, NULL, &text, &length, &error);
  if (status != JN_OK) return jn__writing_fail(w, status, "%s", error.text);
  jn__sha256(text, length, w->hash);
  jn_text_free(text, NULL);
  return JN_OK;
}

/* The text becomes file `prefix``ending`. */
static jn_status add_file(jn_writing *w, jn_generated *out, const char *ending, jn_text *text) {
  jn_text name;
  jn__text_init(&name, &w->allocator);
  jn__text_format(&name, "%s%s", w->prefix, ending);
  if (name.failed || text->failed) return jn__writing_fail(w, JN_ERR_MEMORY, "out of memory");

  out->name[out->count] = name.data;
  out->text[out->count++] = text->data;
  *text = (jn_text){0};
  return JN_OK;
}

enum { MATLAB_NAME = 63 }; /* letters that MATLAB distinguishes in a name */

/* One file for each function, and the check. */
static jn_status write_matlab_files(jn_writing *w, jn_generated *out) {
  jn_status status = JN_OK;
  for (int k = 0; status == JN_OK && k <= w->functions; k++) {
    const char *name = k < w->functions ? w->function[k].name : "selftest";
    if (strlen(w->prefix) + 1 + strlen(name) > MATLAB_NAME)
      return jn__writing_fail(w, JN_ERR_NAME,
                              "%s_%s is longer than the 63 letters of a name in MATLAB: shorten the prefix", w->prefix,
                              name);
    if (out->count == FILES_MAX) return jn__writing_fail(w, JN_ERR_SIZE, "more than %d files", FILES_MAX);

    jn_text text, ending;
    jn__text_init(&text, &w->allocator);
    jn__text_init(&ending, &w->allocator);
    jn__text_format(&ending, "_%s.m", name);
    if (k < w->functions)
      jn__emit_matlab_file(w, &text, k);
    else
      jn__emit_matlab_selftest(w, &text);
    text.failed |= ending.failed;
    status = add_file(w, out, ending.failed ? "" : ending.data, &text);
    jn__release(&w->allocator, text.data);
    jn__release(&w->allocator, ending.data);
  }
  return status;
}

static jn_status write_c_files(jn_writing *w, jn_generated *out) {
  static void (*const emit[])(jn_writing *, jn_text *) = {jn__emit_c_file, jn__emit_c_header};
  static const char *const ending[] = {".c", ".h"};
  jn_status status = JN_OK;
  for (int k = 0; status == JN_OK && k < 2; k++) {
    jn_text text;
    jn__text_init(&text, &w->allocator);
    emit[k](w, &text);
    status = add_file(w, out, ending[k], &text);
    jn__release(&w->allocator, text.data);
  }
  return status;
}

static jn_status write_files(jn_writing *w, jn_generated *out) {
  jn_status status = w->options.language == JN_LANGUAGE_MATLAB ? write_matlab_files(w, out) : write_c_files(w, out);
  for (int k = 0; k < w->functions && k < FILES_MAX; k++) {
    const jn_operation_count *c = &w->function[k].sequence.operations;
    out->function[k] = w->function[k].name;
    out->operations[k] = c->multiplications + c->additions + c->divisions;
    out->functions++;
  }
  if (status == JN_OK && w->is_beyond_range)
    return jn__writing_fail(w, JN_ERR_UNSUPPORTED, "a number of the code is beyond the range of %s%s",
                            w->options.single ? "float" : "double", w->options.single ? ": generate double" : "");
  return status;
}

/* Indices of the frames of the options; the last frame if there are none. */
static jn_status find_frames(jn_writing *w) {
  jn_generate_options *o = &w->options;
  int given = o->frame_count;
  if (given < 0 || given > 10000) return jn__writing_fail(w, JN_ERR_SIZE, "too many frames");
  o->frame_count = given ? given : 1;
  w->frame = jn__allocate(&w->allocator, (size_t)o->frame_count * sizeof *w->frame);
  if (!w->frame) return jn__writing_fail(w, JN_ERR_MEMORY, "out of memory");

  w->frame[0] = jn_frame_count(w->model) - 1;
  for (int k = 0; k < given; k++) {
    w->frame[k] = jn_frame_index(w->model, o->frames[k]);
    if (w->frame[k] < 0)
      return jn__writing_fail(w, JN_ERR_NAME, "frame %d of the list is not in the model; `jounce info` lists them",
                              k + 1);
  }
  return JN_OK;
}

static jn_status write_model(jn_writing *w, jn_generated *out) {
  jn_generate_options *o = &w->options;
  if (o->language == JN_LANGUAGE_MATLAB) o->single = 0;
  if (o->runtime & JN_GENERATE_PARAMETERS) o->regroup = 0;
  int payload = jn_frame_count(w->model) - 1;
  if (o->payload_frame && (payload = jn_frame_index(w->model, o->payload_frame)) < 0)
    return jn__writing_fail(w, JN_ERR_NAME, "the frame of the payload is not in the model");

  if (!jn__mechanism_create(&w->mechanism, w->model, o->snap, o->regroup) ||
      !jn__graph_init(&w->graph, &w->allocator, NODES_MAX) ||
      !jn__symbols_create(&w->symbols, &w->graph, &w->mechanism, o->runtime, payload, o->sines == JN_SINES_GIVEN))
    return jn__writing_fail(w, JN_ERR_MEMORY, "out of memory");

  jn_status status = find_frames(w);
  if (status == JN_OK) status = check_sines(w);
  if (status == JN_OK) status = hash_source(w);
  if (status == JN_OK) status = jn__find_closed_states(w);
  if (status == JN_OK) status = jn__write_functions(w);
  if (status == JN_OK && o->single) status = jn__measure_errors(w);
  if (status == JN_OK && !jn__is_stopped()) status = write_files(w, out);
  return status;
}

static void free_writing(jn_writing *w) {
  for (int k = 0; k < w->functions; k++) {
    for (int i = 0; i < w->function[k].outs; i++) jn__release(&w->allocator, w->function[k].out[i].values);
    if (w->function[k].sequence.node) jn__sequence_free(&w->function[k].sequence);
  }
  jn__release(&w->allocator, w->function);
  jn__release(&w->allocator, w->frame);
  jn__release(&w->allocator, w->closed);
  if (w->symbols.g) jn__symbols_free(&w->symbols);
  if (w->graph.allocator.allocate) jn__graph_free(&w->graph);
  if (w->mechanism.part) jn__mechanism_free(&w->mechanism);
}

jn_status jn_generate(const jn_model *model, const jn_generate_options *options, jn_generated **generated,
                      jn_error *error) {
  if (error) *error = (jn_error){0};
  if (!model || !options || !generated || !options->want) return JN_ERR_NULL;
  if (options->size != sizeof *options) return JN_ERR_INIT;
  *generated = NULL;

  jn_writing w = {.model = model, .options = *options, .allocator = model->allocator, .error = error};
  jn_generated *out = jn__allocate(&w.allocator, sizeof *out);
  if (!out) return jn__writing_fail(&w, JN_ERR_MEMORY, "out of memory");
  out->allocator = w.allocator;

  jn_status status = check_prefix(&w);
  if (status == JN_OK) status = check_numbers(&w);
  if (status == JN_OK) status = check_combinations(&w);
  if (status == JN_OK) status = write_model(&w, out);

  /* what was stopped may look like a graph that is too large */
  if (jn__is_stopped()) status = jn__writing_fail(&w, JN_ERR_STOPPED, "stopped by the caller");
  free_writing(&w);
  if (status != JN_OK) {
    jn_generated_destroy(out);
    return status;
  }
  *generated = out;
  return JN_OK;
}

void jn_generated_destroy(jn_generated *generated) {
  if (!generated) return;
  jn_allocator allocator = generated->allocator;
  for (int k = 0; k < generated->count; k++) {
    jn__release(&allocator, generated->name[k]);
    jn__release(&allocator, generated->text[k]);
  }
  jn__release(&allocator, generated);
}

int jn_generated_count(const jn_generated *generated) { return generated ? generated->count : 0; }

const char *jn_generated_name(const jn_generated *generated, int i) {
  return generated && i >= 0 && i < generated->count ? generated->name[i] : NULL;
}

const char *jn_generated_text(const jn_generated *generated, int i) {
  return generated && i >= 0 && i < generated->count ? generated->text[i] : NULL;
}

int jn_generated_operations(const jn_generated *generated, const char *function) {
  for (int k = 0; generated && function && k < generated->functions; k++)
    if (strcmp(generated->function[k], function) == 0) return generated->operations[k];
  return 0;
}
