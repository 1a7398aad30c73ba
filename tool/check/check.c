/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce check: every message on a model, and an exit status for scripts. */
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/argument.h"
#include "../text/print.h"
#include "repair.h"

/* The model can be used and there is nothing to mend. */
static bool is_good(const model_arg *arg) {
  return arg->model && jn_report_count_of(arg->report, JN_ERROR) == 0 &&
         jn_report_count_of(arg->report, JN_WARNING) == 0;
}

static void print_message(const jn_message *m, const char *source, bool bright) {
  static const colour colours[] = {COLOUR_CYAN, COLOUR_YELLOW, COLOUR_RED};
  print_colour(stdout, bright, COLOUR_BOLD);
  print_place(stdout, source, m->file, m->line, m->column);
  print_colour(stdout, bright, COLOUR_NONE);
  print_colour(stdout, bright, colours[m->severity]);
  say(stdout, "%s:", severity_name(m->severity));
  print_colour(stdout, bright, COLOUR_NONE);
  say(stdout, " %s%s%s ", m->subject, *m->subject ? ": " : "", m->text);
  print_colour(stdout, bright, COLOUR_DIM);
  say(stdout, "[%s]", m->rule);
  print_colour(stdout, bright, COLOUR_NONE);
  putchar('\n');
  if (*m->remedy) say(stdout, "    %s\n", m->remedy);
}

static int compare_rules(const void *a, const void *b) {
  const jn_message *ma = *(const jn_message *const *)a, *mb = *(const jn_message *const *)b;
  if (ma->severity != mb->severity) return ma->severity > mb->severity ? -1 : 1;
  return strcmp(ma->rule, mb->rule);
}

/* How often each rule speaks, the most severe first. */
static void print_rule_counts(const jn_report *report) {
  static const table_column columns[] = {{"count", ALIGN_RIGHT}, {"severity", ALIGN_LEFT}, {"rule", ALIGN_LEFT}};
  int count = jn_report_count(report);
  const jn_message **sorted = allocate((size_t)count * sizeof *sorted);
  for (int i = 0; i < count; i++) sorted[i] = jn_report_message(report, i);
  qsort(sorted, (size_t)count, sizeof *sorted, compare_rules);
  table t;
  table_init(&t, columns, 3);
  for (int i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && compare_rules(&sorted[i], &sorted[end]) == 0;) end++;
    table_cellf(&t, "%d", jn_report_count_rule(report, sorted[i]->severity, sorted[i]->rule));
    table_cell(&t, severity_name(sorted[i]->severity));
    table_cell(&t, sorted[i]->rule);
  }
  putchar('\n');
  table_print(&t, stdout);
  putchar('\n');
  free(sorted);
}

static void print_verdict(const model_arg *arg, bool bright) {
  bool good = is_good(arg);
  char *errors = plural_text(jn_report_count_of(arg->report, JN_ERROR), "error");
  char *warnings = plural_text(jn_report_count_of(arg->report, JN_WARNING), "warning");
  char *notes = plural_text(jn_report_count_of(arg->report, JN_NOTE), "note");
  print_place(stdout, arg->source, NULL, 0, 0);
  print_colour(stdout, bright, good ? COLOUR_GREEN : arg->model ? COLOUR_YELLOW : COLOUR_RED);
  fputs(good ? "good" : arg->model ? "usable" : "not usable", stdout);
  print_colour(stdout, bright, COLOUR_NONE);
  say(stdout, ": %s, %s, %s\n", errors, warnings, notes);
  free(errors);
  free(warnings);
  free(notes);
}

static void check_text(const model_arg *arg) {
  bool bright = stream_has_colour(stdout);
  int count = jn_report_count(arg->report);
  for (int i = 0; i < count; i++) print_message(jn_report_message(arg->report, i), arg->source, bright);
  if (!arg->model && jn_report_count_of(arg->report, JN_ERROR) == 0) {
    /* The report itself could not be kept. */
    print_place(stdout, arg->source, arg->error.file, arg->error.line, arg->error.column);
    say(stdout, "error: %s\n", *arg->error.text ? arg->error.text : jn_status_text(arg->error.status));
  }
  if (count > 1) print_rule_counts(arg->report);
  print_verdict(arg, bright);
}

static void emit_check(json_writer *j, const char *key, const model_arg *arg, const repair *mend) {
  emit_open_object(j, key);
  emit_text(j, "source", arg->source);
  emit_bool(j, "good", is_good(arg));
  emit_bool(j, "usable", arg->model != NULL);
  emit_integer(j, "errors", jn_report_count_of(arg->report, JN_ERROR));
  emit_integer(j, "warnings", jn_report_count_of(arg->report, JN_WARNING));
  emit_integer(j, "notes", jn_report_count_of(arg->report, JN_NOTE));
  json_messages(j, arg->report);
  emit_text(j, "first_error",
            arg->model         ? NULL
            : *arg->error.text ? arg->error.text
                               : jn_status_text(arg->error.status));
  if (mend) repair_json(j, mend);
  emit_close_object(j);
}

/* --repair: the model with the nearest inertias is written, and read again to be checked like any other. */
static int check_repaired(model_arg *arg, const char *out, int json, json_writer *j) {
  repair mend;
  model_arg again;
  bool strict = arg->strict;
  int status = EXIT_BAD;
  arg->strict = 0; /* what is to be repaired is a warning */
  model_arg_init(&again, "check");
  int read = model_arg_read(arg);
  if (read == EXIT_USAGE) return read;
  repair_begin(&mend, arg);
  if (json)
    emit_open_object(j, NULL), emit_check(j, "given", arg, &mend);
  else
    check_text(arg), repair_text(&mend);
  if (arg->model && repair_write(&mend, out)) {
    again.source = out;
    again.command = arg->command;
    again.max_bytes = arg->max_bytes;
    again.strict = strict;
    model_arg_read(&again);
    if (json)
      emit_check(j, "written", &again, NULL);
    else
      check_text(&again);
    status = is_good(&again) ? EXIT_FINE : EXIT_BAD;
  }
  if (json) emit_close_object(j);
  repair_end(&mend);
  model_arg_free(&again);
  return status;
}

static int check(model_arg *arg, int json) {
  json_writer j;
  int status = model_arg_read(arg);
  if (status == EXIT_USAGE) return status;
  if (json) {
    emit_init(&j, stdout);
    emit_check(&j, NULL, arg, NULL);
  } else {
    check_text(arg);
  }
  return is_good(arg) ? EXIT_FINE : EXIT_BAD;
}

typedef struct check_arg {
  model_arg model;
  const char *out; /* of --repair */
  int json;
} check_arg;

static const option check_options[] = {
    FLAG_OPTION(check_arg, json, "json", "print JSON for programs"),
    TEXT_OPTION(
        check_arg, out, "repair", "OUTFILE",
        "write the model to this file (.urdf, .xml, .json) with the nearest inertia that a body can have for every "
        "link that breaks a law; list what changed, and check the new file",
        .is_output = true),
    {0}};

static const option_group check_groups[] = {
    {.options = check_options},
    MODEL_GROUPS(check_arg, model),
};

const command_line check_line = {
    .name = "check",
    .brief = "check a robot file and say what is wrong with it",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "List all problems of a model, with their place in the file and the remedy. "
        "Exit status 0: no errors and no warnings (notes are fine); 1: some, or the file cannot be read.",
    .groups = check_groups,
    .group_count = COUNT_OF(check_groups),
};

int command_check(int argc, char **argv) {
  check_arg arg = {0};
  model_arg_init(&arg.model, "check");
  int status = option_parse(&check_line, &arg, argc, argv, &arg.model.source);
  if (status == OPTION_GO_ON && arg.out) {
    json_writer j;
    emit_init(&j, stdout);
    status = repair_allowed(&arg.model, arg.out);
    if (status == OPTION_GO_ON) status = check_repaired(&arg.model, arg.out, arg.json, &j);
  } else if (status == OPTION_GO_ON) {
    status = check(&arg.model, arg.json);
  }
  model_arg_free(&arg.model);
  return status;
}
