/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of jounce/io.h: find the source, determine its format, hand it to the reader; and the same for writing.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/content.h"
#include "common.h"
#include "io.h"
#include "jounce/configuration.h"
#include "limit.h"
#include "whole_file.h"

enum { MAX_CHAIN = 10000 };
static const char builtin_prefix[] = "builtin:", chain_prefix[] = "builtin:chain:";

static jn_place in_file(const char *file) { return (jn_place){file, 0, 0}; }

static jn_status no_memory(jn_log *log, const char *file) {
  jn__log(log, JN_ERROR, JN_ERR_MEMORY, "memory", in_file(file), NULL, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
  return JN_ERR_MEMORY;
}

/* ---- Reading files ---- */

static size_t limit_of(const jn_builder *b) { return jn__limit(b->options.max_bytes); }

static jn_status read_text(jn_builder *b, const char *text, size_t length, jn_format format);

static char *read_all(jn_builder *b, const char *path, size_t *length) {
  return jn__read_file(&b->allocator, &b->log, path, limit_of(b), length);
}

static jn_status read_path(jn_builder *b, const char *path) {
  size_t length;
  char *text = read_all(b, path, &length);
  if (!text) return JN_ERR_FILE;
  jn_status status = read_text(b, text, length, JN_FORMAT_AUTO);
  jn__release(&b->allocator, text);
  return status;
}

/* ---- Formats ---- */

#if !JN_WITH_JSON || !JN_WITH_URDF
static jn_status lacks(jn_log *log, const char *file, const char *what, const char *library) {
  jn__log(log, JN_ERROR, JN_ERR_UNSUPPORTED, "not-built", in_file(file), NULL, "build jounce with it",
          "%s need the library %s, which this build of jounce lacks", what, library);
  return JN_ERR_UNSUPPORTED;
}
#endif

static void unknown_format(jn_log *log, const char *file, jn_format format) {
  jn__log(log, JN_ERROR, JN_ERR_UNSUPPORTED, "format", in_file(file), NULL, NULL, "%d is not a format", (int)format);
}

/* By its content; AUTO after reporting that it is no robot. */
static jn_format sniff(jn_builder *b, const char *text, size_t length) {
  const unsigned char *s = (const unsigned char *)text;
  size_t i;
  jn_content content = jn__content(text, length, &i);
  if (content == JN_CONTENT_MJCF) return JN_FORMAT_MJCF;
  if (jn__is_xml(content)) return JN_FORMAT_URDF;
  if (content == JN_CONTENT_JSON) return JN_FORMAT_NATIVE;

  int line = 1;
  for (size_t k = 0; k < i; k++) line += s[k] == '\n';
  char found[48];
  size_t n = 0;
  for (; n < 20 && i + n < length && s[i + n] >= 0x20 && s[i + n] < 0x7F; n++) {
  }
  if (i == length)
    snprintf(found, sizeof found, "it is empty");
  else if (n > 0)
    snprintf(found, sizeof found, "it begins with '%.*s'", (int)n, text + i);
  else
    snprintf(found, sizeof found, "it begins with byte 0x%02x", s[i]);
  jn__log(&b->log, JN_ERROR, JN_ERR_SYNTAX, "format", (jn_place){b->file, line, 0}, NULL,
          "a URDF or MJCF file begins with '<', a native model file with '{'", "is not a known kind of robot file: %s",
          found);
  return JN_FORMAT_AUTO;
}

#if JN_WITH_JSON
/* Some editors write a byte order mark, which is not part of JSON. */
static size_t mark_length(const char *text, size_t length) {
  return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}
#endif

static jn_status read_native(jn_builder *b, const char *text, size_t length) {
#if JN_WITH_JSON
  size_t mark = mark_length(text, length);
  return jn__native_read(b, text + mark, length - mark);
#else
  (void)text;
  (void)length;
  return lacks(&b->log, b->file, "native model files and built-in robots", "jansson");
#endif
}

static jn_status read_xml(jn_builder *b, const char *text, size_t length, jn_format format) {
#if JN_WITH_URDF
  return format == JN_FORMAT_MJCF ? jn__mjcf_read(b, text, length) : jn__urdf_read(b, text, length);
#else
  (void)text;
  (void)length;
  return lacks(&b->log, b->file, format == JN_FORMAT_MJCF ? "MJCF files" : "URDF files", "expat");
#endif
}

static jn_status read_text(jn_builder *b, const char *text, size_t length, jn_format format) {
  if (length > limit_of(b)) return jn__over_limit(&b->log, b->file, NULL, "is larger than", limit_of(b));
  if (format == JN_FORMAT_AUTO) format = sniff(b, text, length);
  if (format == JN_FORMAT_URDF || format == JN_FORMAT_MJCF) return read_xml(b, text, length, format);
  if (format == JN_FORMAT_NATIVE) return read_native(b, text, length);
  if (format != JN_FORMAT_AUTO) unknown_format(&b->log, b->file, format);
  return jn__log_end(&b->log, NULL);
}

/* ---- Built-in robots ---- */

/* n rods of 0.2 m and 1 kg, one on top of the other, with hinges about y and x alternately. Each frame is rotated a
 * little about the rod, so that no two axes are parallel or perpendicular. */
static jn_status build_chain(jn_builder *b, int n) {
  const double length = 0.2, radius = 0.02, twist = 0.1;
  const double across = (3 * radius * radius + length * length) / 12, com[3] = {0, 0, length / 2};
  const double tensor[6] = {across, across, radius * radius / 2, 0, 0, 0};
  const double c = cos(twist), s = sin(twist);
  const double next[16] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, length, 0, 0, 0, 1};
  char names[3][24];
  jn_status status = jn_builder_set_name(b, "chain");
  for (int i = 1; i <= n && status == JN_OK; i++) {
    jn_link link;
    jn_link_init(&link);
    snprintf(names[0], sizeof names[0], "link%d", i);
    snprintf(names[1], sizeof names[1], "link%d", i - 1);
    snprintf(names[2], sizeof names[2], "joint%d", i);
    link.name = names[0];
    link.joint.name = names[2];
    link.joint.type = JN_REVOLUTE;
    if (i > 1) {
      link.parent = names[1];
      memcpy(link.placement, next, sizeof next);
    }
    link.joint.axis[0] = i % 2 == 0;
    link.joint.axis[1] = i % 2 == 1;
    link.joint.axis[2] = 0;
    jn_inertia_pack(1, com, tensor, link.inertia);
    status = jn_builder_add_link(b, &link);
  }
  return status == JN_OK ? status : no_memory(&b->log, b->file);
}

static jn_status read_chain(jn_builder *b, const char *number) {
  int n = 0;
  const char *p = number;
  for (; *p >= '0' && *p <= '9' && n <= MAX_CHAIN; p++) n = 10 * n + (*p - '0');
  if (!*p && n >= 1 && n <= MAX_CHAIN) return build_chain(b, n);
  jn__log(&b->log, JN_ERROR, JN_ERR_NAME, "builtin", in_file(b->file), NULL, NULL,
          "'%.40s' is not a number of joints: builtin:chain:N takes 1 to %d", number, MAX_CHAIN);
  return JN_ERR_NAME;
}

static jn_status read_robot(jn_builder *b, const char *name) {
#if JN_WITH_JSON
  char list[512] = "", remedy[640];
  const char *text = jn__builtin_text(name);
  if (text) return read_native(b, text, strlen(text));
  for (int i = 0; i < jn_builtin_count(); i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s, ", jn_builtin_name(i));
  }
  size_t used = strlen(list);
  snprintf(list + used, sizeof list - used, "chain:N");
  jn__suggest(list, name, remedy, sizeof remedy);
  jn__log(&b->log, JN_ERROR, JN_ERR_NAME, "builtin", in_file(b->file), NULL, remedy, "'%.40s' is not a built-in robot",
          name);
  return JN_ERR_NAME;
#else
  return read_native(b, name, 0); /* says what the build lacks */
#endif
}

/* ---- Public: reading ---- */

/* The loops of options.loops. Messages name that file. */
static jn_status read_loops(jn_builder *b) {
#if JN_WITH_JSON
  size_t length;
  const char *path = b->options.loops;
  char *text = read_all(b, path, &length), *file = b->file;
  if (!text) return JN_ERR_FILE;
  int first = b->loop_count;
  size_t mark = mark_length(text, length);
  b->file = (char *)(uintptr_t)path;
  jn_status status = jn__native_read_loops(b, text + mark, length - mark);
  b->file = file;
  for (int i = first; i < b->loop_count; i++) b->loops[i].beside = 1;
  jn__release(&b->allocator, text);
  return status;
#else
  return lacks(&b->log, b->options.loops, "files of loops", "jansson");
#endif
}

/* Applies the options for loops, after the model has been read. */
static jn_status change_loops(jn_builder *b, jn_status status) {
  if (b->options.ignore_loops) jn__builder_drop_loops(b);
  return status == JN_OK && b->options.loops ? read_loops(b) : status;
}

/* These return as the readers do: JN_OK when the text was read to its end, perhaps with errors in the log. */
static jn_status find_source(jn_builder *b, const char *source) {
  if (jn__builder_set_file(b, source) != JN_OK) return no_memory(&b->log, source);
  if (strncmp(source, chain_prefix, sizeof chain_prefix - 1) == 0)
    return read_chain(b, source + sizeof chain_prefix - 1);
  if (strncmp(source, builtin_prefix, sizeof builtin_prefix - 1) == 0)
    return read_robot(b, source + sizeof builtin_prefix - 1);
  return read_path(b, source);
}

static jn_status load_source(jn_builder *b, const char *source) { return change_loops(b, find_source(b, source)); }

static jn_status load_text(jn_builder *b, const char *text, size_t length, jn_format format, const char *file) {
  if (jn__builder_set_file(b, file) != JN_OK) return no_memory(&b->log, file);
  return change_loops(b, read_text(b, text, length, format));
}

jn_status jn_builder_load(jn_builder *b, const char *source, jn_error *error) {
  if (!b || !source) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  load_source(b, source);
  return jn__log_end(&b->log, error);
}

jn_status jn_builder_load_text(jn_builder *b, const char *text, size_t length, jn_format format, const char *file,
                               jn_error *error) {
  if (!b || !text) return jn__fail(error, JN_ERR_NULL, file, "%s", jn_status_text(JN_ERR_NULL));
  load_text(b, text, length, format, file);
  return jn__log_end(&b->log, error);
}

/* Freezes what was read and destroys the builder. A description with errors is also checked by freezing, so that all
 * errors are reported at once. This is not done if the file was not read to its end, since something would be missing
 * in any case. */
static jn_status finish(jn_builder *b, jn_status end, jn_model **model, jn_error *error) {
  jn_status status = jn__log_end(&b->log, error);
  if (status == JN_OK || (end == JN_OK && b->link_count > 0)) status = jn_builder_freeze(b, model, error);
  jn_builder_destroy(b);
  return status;
}

/* Reads a source with a request for a keyframe. */
static jn_status find_keyframe(const char *source, const jn_options *options, jn_keyframe_request *wanted,
                               jn_error *error) {
  jn_builder *b;
  jn_options quiet;
  jn_options_init(&quiet);
  if (options) quiet = *options;
  quiet.report = NULL; /* what is wrong was told when the model was read */
  jn_status status = jn_builder_create(&quiet, &b);
  if (status != JN_OK) return jn__fail(error, status, source, "%s", jn_status_text(status));

  b->keyframe = wanted;
  status = jn_builder_load(b, source, error);
  jn_builder_destroy(b);
  return status;
}

jn_status jn_keyframe_count(const char *source, const jn_options *options, int *count, jn_error *error) {
  if (!source || !count) return jn__fail(error, JN_ERR_NULL, source, "%s", jn_status_text(JN_ERR_NULL));
  jn_keyframe_request wanted = {.index = -1};
  jn_status status = find_keyframe(source, options, &wanted, error);
  *count = status == JN_OK ? wanted.count : 0;
  return status;
}

jn_status jn_load_keyframe(const jn_model *model, const char *source, int index, const jn_options *options,
                           char name[JN_KEYFRAME_NAME], double *q, double *v, jn_error *error) {
  if (!model || !source || !name || !q || !v)
    return jn__fail(error, JN_ERR_NULL, source, "%s", jn_status_text(JN_ERR_NULL));
  jn_keyframe_request wanted = {.model = model, .index = index, .name = name, .q = q, .v = v};
  *name = 0;
  jn_status status = jn_neutral(model, q);
  memset(v, 0, (size_t)jn_model_nv(model) * sizeof *v);
  if (status == JN_OK) status = find_keyframe(source, options, &wanted, error);
  if (status != JN_OK || (index >= 0 && index < wanted.count)) return status;
  return jn__fail(error, JN_ERR_INDEX, source, "there are %d keyframes, numbered from 0: %d is not one of them",
                  wanted.count, index);
}

jn_status jn_load(const char *source, const jn_options *options, jn_model **model, jn_error *error) {
  jn_builder *b;
  if (model) *model = NULL;
  if (!source || !model) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_status status = jn_builder_create(options, &b);
  if (status != JN_OK) return jn__fail(error, status, source, "%s", jn_status_text(status));
  return finish(b, load_source(b, source), model, error);
}

jn_status jn_load_text(const char *text, size_t length, jn_format format, const char *file, const jn_options *options,
                       jn_model **model, jn_error *error) {
  jn_builder *b;
  if (model) *model = NULL;
  if (!text || !model) return jn__fail(error, JN_ERR_NULL, file, "%s", jn_status_text(JN_ERR_NULL));
  jn_status status = jn_builder_create(options, &b);
  if (status != JN_OK) return jn__fail(error, status, file, "%s", jn_status_text(status));
  return finish(b, load_text(b, text, length, format, file), model, error);
}

/* ---- Writing files ---- */

static jn_status cannot_write(jn_log *log, const char *path, int code) {
  jn__log(log, JN_ERROR, JN_ERR_FILE, "file", in_file(path), NULL,
          code == EACCES || code == EROFS
              ? "a new file is written next to the old one: both the directory and the file must be writable"
              : NULL,
          "cannot be written: %s", strerror(code));
  return JN_ERR_FILE;
}

static jn_status save_file(jn_log *log, const char *path, const char *text, size_t length) {
  int code = jn__whole_save(path, text, length);
  return code ? cannot_write(log, path, code) : JN_OK;
}

/* ---- Public: writing ---- */

static int has_ending(const char *path, const char *ending) {
  size_t n = strlen(path), k = strlen(ending);
  if (n < k) return 0;
  for (size_t i = 0; i < k; i++)
    if (tolower((unsigned char)path[n - k + i]) != ending[i]) return 0;
  return 1;
}

static jn_format format_of(jn_log *log, const char *path) {
  if (has_ending(path, ".urdf") || has_ending(path, ".xml")) return JN_FORMAT_URDF;
  if (has_ending(path, ".json")) return JN_FORMAT_NATIVE;
  jn__log(log, JN_ERROR, JN_ERR_UNSUPPORTED, "format", in_file(path), NULL, "or name the format",
          "has no known format: the name of a file to write must end in .urdf, .xml or .json");
  return JN_FORMAT_AUTO;
}

#if JN_WITH_URDF
/* The text that the model was read from, when the options name one that may be URDF or MJCF; NULL: none, or after
 * telling why it cannot be read. To be released when *owned. */
static const char *original_of(const jn_options *o, jn_log *log, size_t *length, int *owned, jn_format *format) {
  const char *text = o->original_text;
  jn_allocator a = jn__allocator(o->allocator);
  *length = o->original_length;
  *owned = 0;
  if (!text && o->original && strncmp(o->original, builtin_prefix, sizeof builtin_prefix - 1) != 0) {
    text = jn__read_file(&a, log, o->original, jn__limit(o->max_bytes), length);
    *owned = 1;
  }
  jn_content content = text ? jn__content(text, *length, NULL) : JN_CONTENT_EMPTY;
  if (jn__is_xml(content)) {
    *format = content == JN_CONTENT_MJCF ? JN_FORMAT_MJCF : JN_FORMAT_URDF;
    return text;
  }
  if (*owned) jn__release(&a, (void *)(uintptr_t)text);
  return NULL;
}

static void write_urdf(const jn_model *model, const jn_options *o, const char *path, jn_text *out, jn_log *log) {
  size_t length;
  int owned;
  jn_format format = JN_FORMAT_AUTO;
  const char *text = original_of(o, log, &length, &owned, &format);
  if (log->first.status != JN_OK) return;
  if (format == JN_FORMAT_MJCF) jn__mjcf_tell_left(o, path, text, length, log);
  if (format == JN_FORMAT_URDF)
    jn__urdf_rewrite(model, o, path, text, length, out, log);
  else
    jn__urdf_write(model, out, log);
  jn_allocator a = jn__allocator(o->allocator);
  if (text && owned) jn__release(&a, (void *)(uintptr_t)text);
}
#endif

#if JN_WITH_JSON
static void write_native(const jn_model *model, const jn_options *o, jn_text *out, jn_log *log) {
#if JN_WITH_URDF
  size_t length;
  int owned;
  jn_format format = JN_FORMAT_AUTO;
  const char *text = original_of(o, log, &length, &owned, &format);
  jn_allocator a = jn__allocator(o->allocator);
  if (format == JN_FORMAT_MJCF) jn__mjcf_tell_left(o, NULL, text, length, log);
  if (format == JN_FORMAT_URDF) jn__urdf_tell_left(text, length, NULL, log);
  if (text && owned) jn__release(&a, (void *)(uintptr_t)text);
#else
  (void)o;
#endif
  jn__native_write(model, out, log);
}
#endif

static void write_model(const jn_model *model, jn_format format, const jn_options *o, const char *path, jn_text *out,
                        jn_log *log) {
  (void)model; /* in a build without any format */
  (void)o;
  (void)path;
  if (format == JN_FORMAT_URDF)
#if JN_WITH_URDF
    write_urdf(model, o, path, out, log);
#else
    lacks(log, NULL, "URDF files", "expat");
#endif
  else if (format == JN_FORMAT_NATIVE)
#if JN_WITH_JSON
    write_native(model, o, out, log);
#else
    lacks(log, NULL, "native model files", "jansson");
#endif
  else if (format == JN_FORMAT_MJCF)
    jn__log(log, JN_ERROR, JN_ERR_UNSUPPORTED, "format", in_file(NULL), NULL, "write URDF or the native format",
            "MJCF is read, but not written");
  else if (format != JN_FORMAT_AUTO)
    unknown_format(log, NULL, format);
  if (out->failed) no_memory(log, NULL);
}

/* The caller's options as far as they go, the defaults for the rest. */
static jn_status take_options(const jn_options *given, jn_options *options, jn_log *log) {
  jn_options_init(options);
  if (given && (given->size == 0 || given->size > sizeof *options)) return JN_ERR_INIT;
  if (given) memcpy(options, given, given->size);
  *log = (jn_log){.report = options->report, .strict = options->strict};
  return JN_OK;
}

jn_status jn_save(const jn_model *model, const char *path, jn_format format, const jn_options *options,
                  jn_error *error) {
  jn_options own;
  jn_log log;
  jn_text out;
  if (!model || !path) return jn__fail(error, JN_ERR_NULL, path, "%s", jn_status_text(JN_ERR_NULL));
  jn_status status = take_options(options, &own, &log);
  if (status != JN_OK) return jn__fail(error, status, path, "%s", jn_status_text(status));
  jn__text_init(&out, own.allocator);
  if (format == JN_FORMAT_AUTO) format = format_of(&log, path);
  write_model(model, format, &own, path, &out, &log);
  if (log.first.status == JN_OK) save_file(&log, path, out.data, out.length);
  jn__release(&out.allocator, out.data);
  return jn__log_end(&log, error);
}

jn_status jn_save_text(const jn_model *model, jn_format format, const jn_options *options, char **text, size_t *length,
                       jn_error *error) {
  jn_options own;
  jn_log log;
  jn_text out;
  if (text) *text = NULL;
  if (length) *length = 0;
  if (!model || !text) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_status status = take_options(options, &own, &log);
  if (status != JN_OK) return jn__fail(error, status, NULL, "%s", jn_status_text(status));
  jn__text_init(&out, own.allocator);
  write_model(model, format == JN_FORMAT_AUTO ? JN_FORMAT_NATIVE : format, &own, NULL, &out, &log);
  if (log.first.status == JN_OK) {
    *text = out.data;
    if (length) *length = out.length;
  } else {
    jn__release(&out.allocator, out.data);
  }
  return jn__log_end(&log, error);
}

void jn_text_free(char *text, const jn_options *options) {
  jn_allocator a = jn__allocator(options ? options->allocator : NULL);
  jn__release(&a, text);
}
