/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce base: the base parameters of a robot, the combinations of inertial parameters that can be identified from its
 * motions. */
#include <jounce/base_parameters.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/argument.h"
#include "../text/print.h"

static const char *const parameter_names[10] = {"m", "hx", "hy", "hz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"};
static const char *const method_names[4] = {"auto", "structure", "qr", "svd"};
enum { WIDTH = 100, NUMBER_COLUMN = 6 };

typedef struct base_arg {
  model_arg model;
  int json;
  int method;
  number_list seed, tolerance;
} base_arg;

/* "LINK.Jxx", to be released. */
static char *parameter_name(const jn_model *model, int parameter) {
  return format_text("%s.%s", jn_link_name(model, parameter / 10), parameter_names[parameter % 10]);
}

/* ---- Text ---- */

/* Prints a piece that is not to be broken, after a space or a new line; the column behind it. */
static int print_piece(const char *text, int column, int indent) {
  int width = text_width(text);
  if (column > indent && column + 1 + width > WIDTH) {
    printf("\n%*s", indent, "");
    column = indent;
  } else if (column > indent) {
    putchar(' ');
    column++;
  }
  print_text(stdout, text);
  return column + width;
}

/* "- 0.316 LINK.hy"; the first term of a combination has no sign +. */
static char *term_text(const jn_model *model, int parameter, double x, int first) {
  char *name = parameter_name(model, parameter), number[NUMBER_TEXT];
  snprintf(number, sizeof number, "%.6g ", fabs(x));
  const char *sign = x < 0 ? "- " : first ? "" : "+ ";
  char *text = format_text("%s%s%s", sign, strcmp(number, "1 ") == 0 ? "" : number, name);
  free(name);
  return text;
}

/* The leading parameter first, then the others in the order of the links. */
static void print_combination(const jn_model *model, const jn_base *base, int i) {
  int width = jn_base_parameter_count(base), leader = jn_base_column(base, i);
  const double *row = jn_base_matrix(base) + (size_t)i * (size_t)width;
  int column = printf("%4d  ", i + 1);
  for (int k = -1; k < width; k++) {
    int c = k < 0 ? leader : k;
    if (k == leader || row[c] == 0) continue;
    char *text = term_text(model, c, row[c], k < 0);
    column = print_piece(text, column, NUMBER_COLUMN);
    free(text);
  }
  putchar('\n');
}

static int class_count(const jn_base *base, jn_base_class which) {
  int count = 0;
  for (int c = 0; c < jn_base_parameter_count(base); c++) count += jn_base_class_of(base, c) == which;
  return count;
}

/* Link by link, with the names of its parameters. */
static void print_without_effect(const jn_model *model, const jn_base *base) {
  if (class_count(base, JN_BASE_NO_EFFECT) == 0) return;
  puts("\nWithout effect:");
  for (int l = 0; l < jn_link_count(model); l++) {
    int count = 0;
    for (int k = 0; k < 10; k++) count += jn_base_class_of(base, 10 * l + k) == JN_BASE_NO_EFFECT;
    if (count == 0) continue;
    fputs("  ", stdout);
    print_text(stdout, jn_link_name(model, l));
    fputs(count == 10 ? ": all" : ":", stdout);
    for (int k = 0; k < 10 && count < 10; k++)
      if (jn_base_class_of(base, 10 * l + k) == JN_BASE_NO_EFFECT) say(stdout, " %s", parameter_names[k]);
    putchar('\n');
  }
}

static void print_totals(const jn_model *model, const jn_base *base) {
  double kept, dropped;
  int alone = class_count(base, JN_BASE_ALONE), count = jn_base_count(base);
  jn_base_spectrum(base, JN_BASE_SVD, &kept, &dropped);
  printf("\nlinks            %d\n", jn_link_count(model));
  if (jn_loop_count(model) > 0) printf("loops            %d, which are left open here\n", jn_loop_count(model));
  printf("parameters       %d, %d of them without effect\n", jn_base_parameter_count(base),
         class_count(base, JN_BASE_NO_EFFECT));
  printf("base parameters  %d: %d parameters alone, %d combinations of others\n", count, alone, count - alone);
  printf("counted          %d by structure, %d by QR, %d by SVD\n", jn_base_count_by(base, JN_BASE_STRUCTURE),
         jn_base_count_by(base, JN_BASE_QR), jn_base_count_by(base, JN_BASE_SVD));
  printf("singular values  least that counts %.2g, largest that does not %.2g, tolerance %g\n", kept, dropped,
         jn_base_tolerance(base));
  say(stdout, "residual         %.2g, combinations by %s\n", jn_base_residual(base),
      method_names[jn_base_method_used(base)]);
}

static void base_text(const jn_model *model, const jn_base *base) {
  bool bright = stream_has_colour(stdout);
  print_colour(stdout, bright, COLOUR_BOLD);
  print_text(stdout, jn_model_name(model));
  print_colour(stdout, bright, COLOUR_NONE);
  fputs("\n\nm mass, h = m c first moment, J inertia about the link's origin; SI units.\n\n", stdout);
  for (int i = 0; i < jn_base_count(base); i++) print_combination(model, base, i);
  print_without_effect(model, base);
  print_totals(model, base);
}

/* ---- JSON ---- */

static void emit_parameter(json_writer *j, const char *key, const jn_model *model, int parameter) {
  char *name = parameter_name(model, parameter);
  emit_text(j, key, name);
  free(name);
}

static void emit_combination(json_writer *j, const jn_model *model, const jn_base *base, int i, double value) {
  int width = jn_base_parameter_count(base);
  const double *row = jn_base_matrix(base) + (size_t)i * (size_t)width;
  emit_open_object(j, NULL);
  emit_parameter(j, "parameter", model, jn_base_column(base, i));
  emit_integer(j, "column", jn_base_column(base, i));
  emit_number(j, "value", value);
  emit_open_array(j, "terms");
  for (int c = 0; c < width; c++) {
    if (row[c] == 0) continue;
    emit_open_line(j, NULL);
    emit_parameter(j, "parameter", model, c);
    emit_integer(j, "column", c);
    emit_number(j, "coefficient", row[c]);
    emit_close_object(j);
  }
  emit_close_array(j);
  emit_close_object(j);
}

static void emit_class(json_writer *j, const char *key, const jn_model *model, const jn_base *base, jn_base_class c) {
  emit_open_array(j, key);
  for (int k = 0; k < jn_base_parameter_count(base); k++)
    if (jn_base_class_of(base, k) == c) emit_parameter(j, NULL, model, k);
  emit_close_array(j);
}

static void emit_counts(json_writer *j, const jn_base *base) {
  emit_open_object(j, "counts");
  for (int m = JN_BASE_STRUCTURE; m <= JN_BASE_SVD; m++) {
    double kept, dropped;
    emit_open_line(j, method_names[m]);
    emit_integer(j, "count", jn_base_count_by(base, (jn_base_method)m));
    if (jn_base_spectrum(base, (jn_base_method)m, &kept, &dropped) == JN_OK) {
      emit_number(j, "kept", kept);
      emit_number(j, "dropped", dropped);
    }
    emit_close_object(j);
  }
  emit_close_object(j);
}

static void base_json(const model_arg *arg, const jn_base *base) {
  json_writer j;
  double *pi = allocate((size_t)jn_base_parameter_count(base) * sizeof *pi);
  double *values = allocate((size_t)jn_base_count(base) * sizeof *values);
  jn_parameters(arg->model, pi);
  jn_base_parameters(base, pi, values);
  emit_init(&j, stdout);
  emit_open_object(&j, NULL);
  emit_text(&j, "name", jn_model_name(arg->model));
  emit_text(&j, "source", arg->source);
  emit_integer(&j, "links", jn_link_count(arg->model));
  emit_integer(&j, "parameters", jn_base_parameter_count(base));
  emit_integer(&j, "base_parameters", jn_base_count(base));
  emit_text(&j, "method", method_names[jn_base_method_used(base)]);
  emit_number(&j, "tolerance", jn_base_tolerance(base));
  emit_number(&j, "residual", jn_base_residual(base));
  emit_counts(&j, base);
  emit_class(&j, "no_effect", arg->model, base, JN_BASE_NO_EFFECT);
  emit_class(&j, "alone", arg->model, base, JN_BASE_ALONE);
  emit_open_array(&j, "combinations");
  for (int i = 0; i < jn_base_count(base); i++) emit_combination(&j, arg->model, base, i, values[i]);
  emit_close_array(&j);
  emit_close_object(&j);
  free(values);
  free(pi);
}

/* ---- The command ---- */

/* Options that take one number each. */
static int take_numbers(const base_arg *arg, jn_base_options *options) {
  if (arg->seed.values) {
    double seed = arg->seed.values[0];
    if (arg->seed.count != 1 || seed < 0 || seed > 0x1p53 || seed != floor(seed))
      return usage_error("base", "--seed takes one whole number from 0 to 2^53");
    options->seed = (uint64_t)seed;
  }
  if (arg->tolerance.values) {
    double tolerance = arg->tolerance.values[0];
    if (arg->tolerance.count != 1 || !(tolerance > 0 && tolerance < 1))
      return usage_error("base", "--threshold takes one number between 0 and 1");
    options->tolerance = tolerance;
  }
  options->method = (jn_base_method)arg->method;
  return OPTION_GO_ON;
}

/* What to doubt: combinations that do not hold, counts that are not the same. */
static void warn_of_doubts(const jn_model *model, const jn_base *base) {
  int structure = jn_base_count_by(base, JN_BASE_STRUCTURE), qr = jn_base_count_by(base, JN_BASE_QR),
      svd = jn_base_count_by(base, JN_BASE_SVD);
  if (jn_base_residual(base) > 1e-6) {
    fprintf(stderr, "jounce: the residual is %.2g: the combinations do not hold, try another --threshold or --seed\n",
            jn_base_residual(base));
  }
  if (qr == svd && (structure == qr || (structure > qr && jn_model_is_coupled(model)))) return;
  fprintf(stderr,
          "jounce: the counts differ (structure %d, QR %d, SVD %d): something is almost zero, and --threshold decides "
          "what counts\n",
          structure, qr, svd);
}

static int find_and_print(const base_arg *arg, const jn_base_options *options) {
  jn_base *base;
  jn_status status = jn_base_create(arg->model.model, options, &base);
  if (status == JN_ERR_UNSUPPORTED) {
    fputs("jounce base: this build lacks LAPACKE, by which ranks are found: build with JOUNCE_IDENT=ON\n", stderr);
    return EXIT_BAD;
  }
  if (status != JN_OK) {
    say(stderr, "jounce base: %s\n", jn_status_text(status));
    return EXIT_BAD;
  }
  warn_of_doubts(arg->model.model, base);
  if (arg->json) {
    base_json(&arg->model, base);
  } else {
    base_text(arg->model.model, base);
  }
  jn_base_destroy(base);
  return EXIT_FINE;
}

static const option base_options[] = {
    FLAG_OPTION(base_arg, json, "json", "print JSON for programs, with all digits"),
    CHOICE_OPTION(
        base_arg, method, "method", "auto|structure|qr|svd",
        "how to find the combinations: from the tree, or from random states by QR or SVD; default: the tree, or QR "
        "if its number differs"),
    NUMBERS_OPTION(
        base_arg, tolerance, "threshold", "T",
        "relative threshold below which a number counts as zero; default 1e-8, and 1e-11 for columns of the regressor"),
    NUMBERS_OPTION(base_arg, tolerance, "tolerance", "T", NULL, .instead = "threshold"),
    NUMBERS_OPTION(base_arg, seed, "seed", "N", "seed of the random states; default 1"),
    {0}};

static const option_group base_groups[] = {
    {.options = base_options},
    MODEL_GROUPS(base_arg, model),
};

const command_line base_line = {
    .name = "base",
    .brief = "find the base parameters: what motions can identify of the inertias",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Find the base parameters of a robot: the smallest set of combinations of its inertial parameters that "
        "determines the joint forces, which is all that can be identified from measured motions. Each is printed as "
        "its "
        "leading parameter and the terms added to it; parameters without effect are listed. Joint limits and friction "
        "are "
        "ignored.",
    .groups = base_groups,
    .group_count = COUNT_OF(base_groups),
};

int command_base(int argc, char **argv) {
  base_arg arg = {0};
  jn_base_options options;
  jn_base_options_init(&options);
  model_arg_init(&arg.model, "base");
  int status = option_parse(&base_line, &arg, argc, argv, &arg.model.source);
  if (status == OPTION_GO_ON) status = take_numbers(&arg, &options);
  if (status == OPTION_GO_ON) status = model_arg_load(&arg.model);
  if (status == OPTION_GO_ON) status = find_and_print(&arg, &options);
  number_list_free(&arg.seed);
  number_list_free(&arg.tolerance);
  model_arg_free(&arg.model);
  return status;
}
