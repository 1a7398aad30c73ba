/* SPDX-License-Identifier: BSD-2-Clause */
#include "argument.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/text/content.h"
#include "../command.h"
#include "../files/output.h"
#include "../text/print.h"

void model_arg_init(model_arg *arg, const char *command) {
  *arg = (model_arg){.command = command};
  jn_options_init(&arg->options);
}

void model_arg_free(model_arg *arg) {
  number_list_free(&arg->gravity);
  name_list_free(&arg->joint_order);
  model_edits_free(&arg->edits);
  jn_model_destroy(arg->model);
  jn_report_destroy(arg->report);
  free(arg->text);
  arg->text = NULL;
  arg->model = NULL;
  arg->report = NULL;
}

const option model_options[] = {
    FLAG_OPTION(model_arg, floating, "floating",
                "connect the root link to the world by a free joint instead of fixing it"),
    CHOICE_OPTION(model_arg, ignore_mimic, "mimic", "follow|ignore",
                  "follow (default): a joint that mimics another is driven by it; ignore: it moves independently"),
    FLAG_OPTION(model_arg, strict, "strict", "treat warnings as errors"),
    FLAG_OPTION(model_arg, lenient, "lenient",
                "leave out what acts on the dynamics but cannot be expressed (MJCF), with a warning"),
    NUMBERS_OPTION(model_arg, gravity, "gravity", "X,Y,Z", "gravity in the world frame [m/s^2], instead of the file's"),
    NAMES_OPTION(model_arg, joint_order, "joint-order", "A,B,C",
                 "joint names in the desired order of their coordinates; others follow in the order of the tree"),
    TEXT_OPTION(model_arg, loops, "loops", "FILE|ignore",
                "add the loops of a JSON file {\"loops\": [...]}; or ignore those of the model"),
    FLAG_OPTION(model_arg, transmissions, "transmissions",
                "add the motor inertias of URDF <transmission> elements as armature"),
    MAX_BYTES_OPTION(model_arg, max_bytes),
    {0}};

jn_format format_of_content(const char *path) {
  char text[1 << 14];
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text, f) : 0;
  if (f) fclose(f);
  switch (jn__content(text, n, NULL)) {
    case JN_CONTENT_JSON:
      return JN_FORMAT_NATIVE;
    case JN_CONTENT_MJCF:
      return JN_FORMAT_MJCF;
    case JN_CONTENT_URDF:
      return JN_FORMAT_URDF;
    default:
      return JN_FORMAT_AUTO;
  }
}

void model_arg_original(const model_arg *arg, jn_options *options) {
  options->original = arg->text ? NULL : arg->source;
  options->original_text = arg->text;
  options->original_length = arg->text_length;
}

/* What of the text of a URDF file is no part of a model, as the writer of native files says it: in the report. */
static jn_report *find_left(const model_arg *arg, const char *file) {
  jn_options options = arg->options;
  char *text;
  size_t length;
  options.strict = 0;
  options.report = jn_report_create(NULL);
  options.original = file;
  if (jn_save_text(arg->model, JN_FORMAT_NATIVE, &options, &text, &length, NULL) == JN_OK) jn_text_free(text, &options);
  return options.report;
}

bool model_arg_tell_attached(const model_arg *arg, const char *out, bool is_native) {
  const char *severity = is_native ? "note: " : arg->strict ? "" : "warning: ";
  bool any = false;
  for (int i = 0; i < arg->edits.attach.count; i++) {
    char *file = model_edit_file(&arg->edits, i);
    jn_report *report = find_left(arg, file);
    for (int k = 0; k < jn_report_count(report); k++) {
      const jn_message *m = jn_report_message(report, k);
      if (strcmp(m->rule, "left-behind") != 0) continue;
      say(stderr, "jounce: %s: %sattached file '%s': %s\n", out, severity, file, m->text);
      any = true;
    }
    jn_report_destroy(report);
    free(file);
  }
  return is_native || !arg->strict || !any;
}

static int read_from_input(model_arg *arg) {
  size_t length;
  char *text = read_standard_input(arg->options.max_bytes, &length);
  if (!text) {
    arg->error.status = JN_ERR_FILE;
    snprintf(arg->error.file, sizeof arg->error.file, "%s", STANDARD_INPUT);
    snprintf(arg->error.text, sizeof arg->error.text, "cannot read: %s", strerror(errno));
    return EXIT_BAD;
  }
  jn_status status =
      jn_load_text(text, length, JN_FORMAT_AUTO, STANDARD_INPUT, &arg->options, &arg->model, &arg->error);
  arg->text = text;
  arg->text_length = length;
  return status == JN_OK ? OPTION_GO_ON : EXIT_BAD;
}

static int read_source(model_arg *arg) {
  int status = OPTION_GO_ON;
  if (strcmp(arg->source, "-") == 0)
    status = read_from_input(arg);
  else if (jn_load(arg->source, &arg->options, &arg->model, &arg->error) != JN_OK)
    status = EXIT_BAD;
  arg->messages = jn_report_count(arg->report);
  arg->warnings = jn_report_count_of(arg->report, JN_WARNING);
  return status;
}

/* The base floats, and coordinates are ordered, when all edits are done. */
static int read_and_edit(model_arg *arg) {
  jn_options all = arg->options;
  arg->options.floating = arg->options.joint_order_count = 0;
  int status = read_source(arg);
  arg->options = all;
  if (status != OPTION_GO_ON) return status;
  return model_edit_apply(arg->command, &arg->edits, &arg->options, &arg->model, &arg->error);
}

int model_arg_read(model_arg *arg) {
  if (arg->gravity.values && arg->gravity.count != 3) {
    return usage_error(arg->command, "--gravity takes three numbers X,Y,Z, not %d", arg->gravity.count);
  }
  arg->options.max_bytes = max_bytes_of(arg->command, arg->max_bytes);
  if (arg->options.max_bytes == 0) return EXIT_USAGE;
  arg->report = jn_report_create(NULL);
  arg->options.report = arg->report;
  arg->options.floating = arg->edits.floating = arg->floating;
  arg->options.ignore_mimic = arg->ignore_mimic;
  arg->options.strict = arg->strict;
  arg->options.transmissions = arg->transmissions;
  arg->options.lenient = arg->lenient;
  arg->options.gravity = arg->gravity.values;
  arg->options.joint_order = (const char *const *)arg->joint_order.names;
  arg->options.joint_order_count = arg->joint_order.count;
  arg->options.ignore_loops = arg->loops && strcmp(arg->loops, "ignore") == 0;
  arg->options.loops = arg->options.ignore_loops ? NULL : arg->loops;
  if (model_edit_count(&arg->edits) > 0) return read_and_edit(arg);
  return read_source(arg);
}

/* The source as a word for the shell, to be pasted behind "jounce check": between single quotes nothing has a meaning
 * but the quote itself, which becomes '\'' (end, a quote, begin). */
static void print_word(FILE *stream, const char *word) {
  size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-,@%=");
  if (word[plain] == 0 && plain > 0) {
    print_text(stream, word);
    return;
  }
  char *shown = printable_text(word, 0);
  fputc('\'', stream);
  for (const char *p = shown; *p; p++) {
    if (*p == '\'')
      fputs("'\\''", stream);
    else
      fputc(*p, stream);
  }
  fputc('\'', stream);
  free(shown);
}

void print_place(FILE *stream, const char *source, const char *file, int line, int column) {
  print_text(stream, file && *file ? file : strcmp(source, "-") == 0 ? STANDARD_INPUT : source);
  if (line > 0) fprintf(stream, ":%d", line);
  if (line > 0 && column > 0) fprintf(stream, ":%d", column);
  fputs(": ", stream);
}

void tell_message(const jn_message *m, const char *prefix, const char *source) {
  fputs("jounce: ", stderr);
  print_place(stderr, source, m->file, m->line, m->column);
  fputs(prefix, stderr);
  if (*m->subject) {
    print_text(stderr, m->subject);
    fputs(": ", stderr);
  }
  print_text(stderr, m->text);
  fputc('\n', stderr);
  if (*m->remedy) {
    fputs("    ", stderr);
    print_text(stderr, m->remedy);
    fputc('\n', stderr);
  }
}

/* ---- "see: jounce check" ---- */

static void print_option(const char *name, const char *value) {
  say(stderr, " --%s ", name);
  print_word(stderr, value);
}

/* What a file was read with: that of --attach only with the options that are for all files. */
static void print_reading(const model_arg *arg, bool is_attached) {
  bool is_edited = model_edit_count(&arg->edits) > 0;
  if (arg->ignore_mimic) fputs(" --mimic ignore", stderr);
  if (arg->lenient) fputs(" --lenient", stderr);
  if (arg->transmissions) fputs(" --transmissions", stderr);
  for (int i = 0; i < arg->gravity.count; i++) {
    char number[NUMBER_TEXT];
    snprintf(number, sizeof number, "%.15g", arg->gravity.values[i]);
    say(stderr, "%s%s", i ? "," : " --gravity ", number);
  }
  if (arg->max_bytes) print_option("max-bytes", arg->max_bytes);
  if (is_attached) return;
  if (arg->loops) print_option("loops", arg->loops);
  if (is_edited) return; /* what follows comes after the edits */
  if (arg->floating) fputs(" --floating", stderr);
  for (int i = 0; i < arg->joint_order.count; i++) {
    fputs(i ? "," : " --joint-order ", stderr);
    print_word(stderr, arg->joint_order.names[i]);
  }
}

static void print_see_check(const model_arg *arg, int warnings, const char *file, bool is_attached) {
  say(stderr, "jounce: %d warning%s; see: jounce check ", warnings, warnings == 1 ? "" : "s");
  print_word(stderr, file);
  print_reading(arg, is_attached);
  fputc('\n', stderr);
}

/* Warnings on a file of --attach, from message i on. */
static int count_warnings(const model_arg *arg, int i, const char *file) {
  int count = 0;
  for (; i < jn_report_count(arg->report); i++) {
    const jn_message *m = jn_report_message(arg->report, i);
    count += m->severity == JN_WARNING && strcmp(m->file, file) == 0;
  }
  return count;
}

/* What the edits did beyond what was asked for. Messages with a file are of a robot that was attached. */
static void print_edits(const model_arg *arg) {
  const char *file = "";
  for (int i = arg->messages; i < jn_report_count(arg->report); i++) {
    const jn_message *m = jn_report_message(arg->report, i);
    if (m->severity == JN_ERROR) continue;
    if (!*m->file) {
      tell_message(m, m->severity == JN_NOTE ? "note: " : "warning: ", arg->source);
    } else if (m->severity == JN_WARNING && strcmp(m->file, file) != 0) {
      file = m->file;
      print_see_check(arg, count_warnings(arg, i, file), file, true);
    }
  }
}

int model_arg_load(model_arg *arg) {
  int status = model_arg_read(arg);
  if (status == EXIT_USAGE) return status;
  if (status != OPTION_GO_ON) print_errors(arg->report, &arg->error, arg->source);
  if (arg->warnings > 0) print_see_check(arg, arg->warnings, arg->source, false);
  print_edits(arg);
  return status;
}

/* ---- Messages ---- */

/* Those of the rules that begin like `rules`. */
static void print_messages(const jn_report *report, jn_severity severity, const char *rules, const char *prefix,
                           const char *source) {
  for (int i = 0; i < jn_report_count(report); i++) {
    const jn_message *m = jn_report_message(report, i);
    if (m->severity == severity && strncmp(m->rule, rules, strlen(rules)) == 0) tell_message(m, prefix, source);
  }
}

void print_errors(const jn_report *report, const jn_error *error, const char *source) {
  if (jn_report_count_of(report, JN_ERROR) > 0) {
    print_messages(report, JN_ERROR, "", "", source);
    return;
  }
  fputs("jounce: ", stderr);
  print_place(stderr, source, error->file, error->line, error->column);
  print_text(stderr, *error->text ? error->text : jn_status_text(error->status));
  fputc('\n', stderr);
}

void print_notes(const jn_report *report, const char *rules, const char *source) {
  print_messages(report, JN_NOTE, rules, "note: ", source);
}

void print_warnings(const jn_report *report, const char *source) {
  print_messages(report, JN_WARNING, "", "warning: ", source);
}

const char *severity_name(jn_severity severity) {
  static const char *const names[] = {"note", "warning", "error"};
  return names[severity];
}

void json_messages(json_writer *j, const jn_report *report) {
  emit_open_array(j, "messages");
  for (int i = 0; i < jn_report_count(report); i++) {
    const jn_message *m = jn_report_message(report, i);
    emit_open_object(j, NULL);
    emit_text(j, "severity", severity_name(m->severity));
    emit_text(j, "rule", m->rule);
    emit_text(j, "file", m->file);
    emit_integer(j, "line", m->line);
    emit_integer(j, "column", m->column);
    emit_text(j, "subject", m->subject);
    emit_text(j, "text", m->text);
    emit_text(j, "remedy", m->remedy);
    emit_close_object(j);
  }
  emit_close_array(j);
}
