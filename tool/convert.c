/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce convert: read any model, write URDF or a native file. */
#include <stdbool.h>
#include <string.h>

#include "command.h"
#include "model_arg.h"
#include "output.h"
#include "print.h"

static jn_status write_standard_output(const model_arg *arg, jn_format format, const jn_options *options,
                                       jn_error *error) {
  char *text;
  size_t length;
  jn_status status = jn_save_text(arg->model, format, options, &text, &length, error);
  if (status != JN_OK) return status;
  fwrite(text, 1, length, stdout); /* main() sees errors */
  jn_text_free(text, options);
  return JN_OK;
}

/* The format according to the extension; JN_FORMAT_AUTO: none. */
static jn_format format_of(const char *out) {
  static const struct {
    const char *ending;
    jn_format format;
  } known[] = {{".urdf", JN_FORMAT_URDF}, {".xml", JN_FORMAT_URDF}, {".json", JN_FORMAT_NATIVE}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ends_with(out, known[i].ending)) return known[i].format;
  return JN_FORMAT_AUTO;
}

/* What is read is not written over: a model has no visuals, collisions and comments, they would be lost. */
static int check_output(const model_arg *arg, const char *out, jn_format format, bool force) {
  if (strcmp(out, "-") != 0 && format == JN_FORMAT_AUTO && format_of(out) == JN_FORMAT_AUTO)
    return usage_error("convert", "%s has no known format: it must end in .urdf, .xml or .json; or add --to", out);
  if (force) return OPTION_GO_ON;
  if (is_same_file(out, arg->source))
    return usage_error("convert",
                       "%s is the file that MODEL is read from; what a model does not keep (visuals, collisions, "
                       "comments) would be lost: give another name, or add --force",
                       out);
  if (is_same_file(out, arg->loops))
    return usage_error("convert", "%s is the file of --loops: give another name, or add --force", out);
  if (model_edit_reads(&arg->edits, out))
    return usage_error("convert", "%s is a file of --attach: give another name, or add --force", out);
  return OPTION_GO_ON;
}

static int convert(model_arg *arg, const char *out, jn_format format, bool force) {
  bool standard_output = strcmp(out, "-") == 0;
  if (standard_output && format == JN_FORMAT_AUTO) {
    return usage_error("convert", "standard output has no ending that tells the format; add --to urdf or --to json");
  }
  int result = check_output(arg, out, format, force);
  if (result == OPTION_GO_ON) result = model_arg_load(arg);
  if (result != OPTION_GO_ON) return result;
  /* A separate report, so that the writer's messages are not lost among the reader's. */
  jn_options options = arg->options;
  options.report = jn_report_create(NULL);
  jn_error error = {0};
  jn_status status = standard_output ? write_standard_output(arg, format, &options, &error)
                                     : jn_save(arg->model, out, format, &options, &error);
  const char *name = standard_output ? "<stdout>" : out;
  print_warnings(options.report, name);
  if (status != JN_OK) print_errors(options.report, &error, name);
  jn_report_destroy(options.report);
  return status == JN_OK ? EXIT_FINE : EXIT_BAD;
}

int command_convert(int argc, char **argv) {
  static const jn_format formats[] = {JN_FORMAT_AUTO, JN_FORMAT_URDF, JN_FORMAT_NATIVE};
  option_set set;
  model_arg arg;
  const char *arguments[2];
  int to = -1, force = 0;
  model_arg_init(&arg);
  option_set_init(
      &set, "convert", "MODEL OUT",
      "Read a model and write it to the file OUT, or to standard output if OUT is -. The extension of OUT "
      "selects the format: .urdf or .xml for URDF, .json for the native format, which can express everything.");
  option_choice(&set, "to", "urdf|json", "the format, whatever the extension of OUT", &to);
  option_flag(&set, "force", "write OUT even if it is the file that MODEL is read from", &force);
  model_arg_options(&set, &arg);
  int status = option_parse(&set, argc, argv, arguments, 2, 2);
  if (status == OPTION_GO_ON) {
    arg.source = arguments[0];
    status = convert(&arg, arguments[1], formats[to + 1], force);
  }
  model_arg_free(&arg);
  return status;
}
