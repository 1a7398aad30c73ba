/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated code from any prefix, list of functions and model: an error that is explained, or text that no name from
 * outside can turn into other code. The input is a line with the prefix, one with the functions, one with letters for
 * options, and a model as native text. */
#include "fuzz.h"

enum { LINE = 200, MOST_NUMBERS = 24 };

/* The next line, without its end; too long ones are cut. */
static void take_line(const uint8_t **data, size_t *size, char line[LINE + 1]) {
  size_t length = 0;
  while (length < *size && (*data)[length] != '\n') length++;
  size_t kept = length < LINE ? length : LINE;
  memcpy(line, *data, kept);
  line[kept] = 0;

  size_t used = length < *size ? length + 1 : length;
  *data += used;
  *size -= used;
}

static void set_options(jn_generate_options *o, const char *letters) {
  o->language = strchr(letters, 'm') ? JN_LANGUAGE_MATLAB : JN_LANGUAGE_C;
  o->single = strchr(letters, 'd') == NULL;
  o->sines = strchr(letters, 'l') ? JN_SINES_LIBM : strchr(letters, 'g') ? JN_SINES_GIVEN : JN_SINES_OWN;
  o->regroup = strchr(letters, 'r') == NULL;
  o->snap = strchr(letters, 's') ? 0.01 : 0;
  o->runtime = (strchr(letters, 'G') ? JN_GENERATE_GRAVITY : 0) | (strchr(letters, 'P') ? JN_GENERATE_PAYLOAD : 0) |
               (strchr(letters, 'A') ? JN_GENERATE_PARAMETERS : 0);
  size_t digit = strcspn(letters, "0123456789");
  if (letters[digit]) o->order = letters[digit] - '0';
}

/* The text without its comments. Comments end where they should, and nothing in them means anything to a compiler. */
static char *remove_comments(const char *text, int is_matlab) {
  char *code = malloc(strlen(text) + 1), *to = code;
  int inside = 0;
  for (const char *at = text; *at; at++) {
    unsigned char c = (unsigned char)*at;
    if ((c < ' ' && c != '\n') || c > '~') stop("generated text is printable", text);
    if (!is_matlab && (c == '\\' || strncmp(at, "??", 2) == 0)) stop("no letter that compilers replace", at);
    int begins = is_matlab ? c == '%' : strncmp(at, "/*", 2) == 0;
    int ends = is_matlab ? c == '\n' : strncmp(at, "*/", 2) == 0;
    if (!is_matlab && (inside ? begins : ends)) stop("comments are not nested", at);

    if (inside && ends) {
      inside = 0;
      at += !is_matlab;
    } else if (!inside && begins) {
      inside = 1;
      at += !is_matlab;
    } else if (!inside) {
      *to++ = *at;
    }
  }
  *to = 0;
  if (inside && !is_matlab) stop("comments end", text);
  return code;
}

/* Brackets are closed by their own kind, and numbers are numbers. */
static void check_code(const char *code) {
  char open[64];
  int depth = 0;
  for (const char *at = code; *at; at++) {
    const char *left = strchr("([{", *at), *right = strchr(")]}", *at);
    if (left && depth == (int)sizeof open) stop("brackets are not deep", at);
    if (left) open[depth++] = ")]}"[left - "([{"];
    if (right && (depth == 0 || open[--depth] != *at)) stop("brackets are closed", at);
  }
  if (depth) stop("brackets are closed", code);
  static const char *const no_numbers[] = {" inf", "-inf", "(inf", " nan", "-nan", "(nan"};
  for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++)
    if (strstr(code, no_numbers[i])) stop("constants are finite", strstr(code, no_numbers[i]));
}

/* Generates twice: what the header says of the source and the command changes nothing but comments. */
static void check_generated(const jn_model *model, jn_generate_options *o, const char *words) {
  jn_generated *generated, *named;
  jn_error error;
  jn_status status = jn_generate(model, o, &generated, &error);
  check_result(status, &error, generated);
  o->source = o->command = words;
  status = jn_generate(model, o, &named, &error);
  check_result(status, &error, named);
  if (jn_generated_count(generated) != jn_generated_count(named)) stop("the same files", words);

  int is_matlab = o->language == JN_LANGUAGE_MATLAB;
  for (int i = 0; i < jn_generated_count(generated); i++) {
    const char *name = jn_generated_name(generated, i);
    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != strlen(name))
      stop("names of files are plain", name);
    char *code = remove_comments(jn_generated_text(generated, i), is_matlab);
    char *again = remove_comments(jn_generated_text(named, i), is_matlab);
    check_code(code);
    if (strcmp(code, again) != 0) stop("names change only comments", again);
    free(code);
    free(again);
  }
  jn_generated_destroy(generated);
  jn_generated_destroy(named);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char prefix[LINE + 1], want[LINE + 1], letters[LINE + 1];
  take_line(&data, &size, prefix);
  take_line(&data, &size, want);
  take_line(&data, &size, letters);

  jn_options reading;
  jn_model *model;
  jn_error error;
  jn_options_init(&reading);
  reading.max_bytes = FUZZ_BYTES;
  if (jn_load_text((const char *)data, size, JN_FORMAT_NATIVE, "fuzz", &reading, &model, &error) != JN_OK) return 0;

  jn_generate_options o;
  jn_generate_options_init(&o);
  o.prefix = prefix;
  o.want = want;
  set_options(&o, letters);
  unsigned char *prescribed = calloc((size_t)jn_model_nv(model) + 1, 1);
  if (jn_model_nv(model) > 0) prescribed[0] = 1;
  o.prescribed = prescribed;
  if (jn_loop_count(model) > 0) o.actuated = prescribed;

  /* large models and orders take long */
  if (jn_model_nv(model) * (o.order + 1) <= MOST_NUMBERS && jn_link_count(model) <= MOST_NUMBERS)
    check_generated(model, &o, prefix);
  free(prescribed);
  jn_model_destroy(model);
  return 0;
}
