/* SPDX-License-Identifier: BSD-2-Clause */
/* The argument MODEL with its options, the same in every command: read the model, report what is wrong with it. */
#ifndef JN_TOOL_MODEL_ARGUMENT_H
#define JN_TOOL_MODEL_ARGUMENT_H

#include <jounce/io.h>

#include "../files/input.h"
#include "../options/options.h"
#include "../text/json.h"
#include "edit.h"

typedef struct model_arg {
  const char *command; /* for messages on its use */
  const char *source;  /* the argument as it was given */
  int floating;
  int ignore_mimic;
  int strict;
  int transmissions;
  int lenient;
  const char *loops; /* a file, "ignore", or NULL */
  number_list gravity;
  name_list joint_order;
  model_edits edits;
  const char *max_bytes; /* as it was given, or NULL; options.max_bytes once the model is read */
  jn_options options;
  jn_report *report;
  int messages, warnings; /* of reading, in the report; those behind them are of the edits */
  jn_model *model;        /* NULL when loading failed */
  jn_error error;
  char *text; /* that the model was read from, when that was standard input; NULL otherwise */
  size_t text_length;
} model_arg;

void model_arg_init(model_arg *arg, const char *command);
void model_arg_free(model_arg *arg);

/* The options of MODEL: how it is read, and how it is changed after that. `member`: the model_arg of `argument`. */
extern const option model_options[];
#define MODEL_GROUPS(argument, member)                                                                             \
  {.heading = "How MODEL is read", .shared = true, .options = model_options, .at = offsetof(argument, member)}, {  \
    .heading = "How MODEL is changed after reading, in this order", .shared = true, .options = model_edit_options, \
    .at = offsetof(argument, member) + offsetof(model_arg, edits)                                                  \
  }

/* Read arg->source into arg->model, and edit it as the options say. Prints nothing but a wrong use of the options (and
 * standard input that cannot be read). OPTION_GO_ON, or an exit code: EXIT_BAD when there is no model; why is in
 * arg->report and arg->error. */
int model_arg_read(model_arg *arg);

/* model_arg_read(), then print all errors, or the number of warnings and what the edits say, on stderr. */
int model_arg_load(model_arg *arg);

/* The format of a file by its content: URDF begins with <robot and MJCF with <mujoco, but for declarations and
 * comments, native files with '{'. JN_FORMAT_AUTO: none of these. */
jn_format format_of_content(const char *path);

/* For writing the model: its URDF text, which is kept but for what changed. */
void model_arg_original(const model_arg *arg, jn_options *options);

/* Says for every URDF file of --attach what of its text is not in the output, because only its model is: <visual>,
 * <collision>, <transmission>, ...; a note when a native file is written, else a warning. False: the warning is an
 * error, because of --strict. */
bool model_arg_tell_attached(const model_arg *arg, const char *out, bool is_native);

/* One message on standard error, behind the prefix ("warning: "). */
void tell_message(const jn_message *m, const char *prefix, const char *source);
/* All messages of one severity on stderr: "jounce: FILE:LINE:COLUMN: subject: text", the remedy below. When the report
 * has no error but `error` is set (no memory for the report), that error is reported. */
void print_errors(const jn_report *report, const jn_error *error, const char *source);
void print_warnings(const jn_report *report, const char *source);
/* Notes of the rules that begin like this; "": all. */
void print_notes(const jn_report *report, const char *rules, const char *source);

/* "FILE:LINE:COLUMN: " as far as known; `source` stands in for an empty file name. */
void print_place(FILE *stream, const char *source, const char *file, int line, int column);

const char *severity_name(jn_severity severity);
/* The array "messages". */
void json_messages(json_writer *j, const jn_report *report);

#endif
