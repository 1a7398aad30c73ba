/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce convert: read any model, write URDF or a native file. */
#include <stdbool.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../model/argument.h"
#include "../text/print.h"

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

typedef struct convert_arg {
  int to; /* -1: not given */
  model_arg model;
  const char *out;
  jn_format format;
  int force, in_place, fresh;
} convert_arg;

static int mjcf_is_not_written(const char *path) {
  return usage_error("convert",
                     "%s is MJCF, which is read but not written: give OUT a name that ends in .urdf or .json", path);
}

static int check_output(const convert_arg *c) {
  const char *out = c->out;
  if (strcmp(out, "-") != 0 && c->format == JN_FORMAT_AUTO && format_of(out) == JN_FORMAT_AUTO)
    return usage_error("convert", "%s has no known format: it must end in .urdf, .xml or .json; or add --to", out);
  if (c->force || c->in_place) return OPTION_GO_ON;
  if (is_same_file(out, c->model.source) && format_of_content(out) == JN_FORMAT_MJCF) return mjcf_is_not_written(out);
  if (is_same_file(out, c->model.source))
    return usage_error("convert", "%s is the file that MODEL is read from: give another name, or add --in-place", out);
  if (is_same_file(out, c->model.loops))
    return usage_error("convert", "%s is the file of --loops: give another name, or add --force", out);
  if (model_edit_reads(&c->model.edits, out))
    return usage_error("convert", "%s is a file of --attach: give another name, or add --force", out);
  return OPTION_GO_ON;
}

/* --in-place: OUT is MODEL, and keeps its format. */
static int choose_output(convert_arg *c) {
  if (!c->in_place)
    return c->out ? OPTION_GO_ON
                  : usage_error("convert",
                                "OUT is missing; the line should be: jounce convert MODEL OUT, or with "
                                "--in-place: jounce convert MODEL");
  if (c->out && strcmp(c->out, c->model.source) != 0)
    return usage_error("convert", "--in-place writes to MODEL; do not give OUT");
  if (strcmp(c->model.source, "-") == 0 || strncmp(c->model.source, "builtin:", 8) == 0)
    return usage_error("convert", "--in-place: %s is not a file and cannot be written",
                       strcmp(c->model.source, "-") == 0 ? "standard input" : c->model.source);
  if (c->format != JN_FORMAT_AUTO) return usage_error("convert", "--in-place keeps the format: do not give --to");
  c->out = c->model.source;
  if (format_of_content(c->out) == JN_FORMAT_MJCF) return mjcf_is_not_written(c->out);
  if (format_of(c->out) != format_of_content(c->out))
    return usage_error("convert", "--in-place: %s does not hold what its extension says; give OUT another name",
                       c->out);
  return OPTION_GO_ON;
}

static int convert(convert_arg *c) {
  int result = choose_output(c);
  if (result != OPTION_GO_ON) return result;
  bool standard_output = strcmp(c->out, "-") == 0;
  if (standard_output && c->format == JN_FORMAT_AUTO) {
    return usage_error("convert", "standard output has no ending that tells the format; add --to urdf or --to json");
  }
  result = check_output(c);
  if (result == OPTION_GO_ON) result = model_arg_load(&c->model);
  if (result != OPTION_GO_ON) return result;
  jn_format format = c->format == JN_FORMAT_AUTO ? format_of(c->out) : c->format;
  const char *name = standard_output ? "<stdout>" : c->out;
  if (!c->fresh && !model_arg_tell_attached(&c->model, name, format == JN_FORMAT_NATIVE)) return EXIT_BAD;
  /* A separate report, so that the writer's messages are not lost among the reader's. */
  jn_options options = c->model.options;
  options.report = jn_report_create(NULL);
  if (!c->fresh || format_of_content(c->model.source) == JN_FORMAT_MJCF) model_arg_original(&c->model, &options);
  jn_error error = {0};
  jn_status status = standard_output ? write_standard_output(&c->model, c->format, &options, &error)
                                     : jn_save(c->model.model, c->out, c->format, &options, &error);
  print_notes(options.report, "", name);
  print_warnings(options.report, name);
  if (status != JN_OK) print_errors(options.report, &error, name);
  jn_report_destroy(options.report);
  return status == JN_OK ? EXIT_FINE : EXIT_BAD;
}

static const option convert_options[] = {
    CHOICE_OPTION(convert_arg, to, "to", "urdf|json", "the format, whatever the extension of OUT"),
    FLAG_OPTION(convert_arg, in_place, "in-place", "write to MODEL itself; OUT is not given"),
    FLAG_OPTION(convert_arg, fresh, "fresh", "write a new file instead of editing the text of a URDF file"),
    FLAG_OPTION(convert_arg, force, "force", "write OUT even if it is the file that MODEL or its loops are read from"),
    {0}};

static const option_group convert_groups[] = {
    {.options = convert_options},
    MODEL_GROUPS(convert_arg, model),
};

const command_line convert_line = {
    .name = "convert",
    .brief = "write a robot as URDF or as a native (JSON) file",
    .arguments = "MODEL OUT",
    .least = 1,
    .most = 2,
    .about =
        "Read a model and write it to the file OUT, or to standard output if OUT is -. The extension of OUT "
        "selects the format: .urdf or .xml for URDF, .json for the native format, which can express everything. From "
        "URDF to URDF, everything else in the file is kept: visuals, comments, order, the way numbers are written.",
    .groups = convert_groups,
    .group_count = COUNT_OF(convert_groups),
    .compares_files = true, /* --in-place and --force write to MODEL */
};

int command_convert(int argc, char **argv) {
  static const jn_format formats[] = {JN_FORMAT_AUTO, JN_FORMAT_URDF, JN_FORMAT_NATIVE};
  convert_arg c = {.to = -1};
  const char *arguments[2];
  model_arg_init(&c.model, "convert");
  int status = option_parse(&convert_line, &c, argc, argv, arguments);
  if (status == OPTION_GO_ON) {
    c.model.source = arguments[0];
    c.out = arguments[1];
    c.format = formats[c.to + 1];
    status = convert(&c);
  }
  model_arg_free(&c.model);
  return status;
}
