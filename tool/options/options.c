/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/text/nearest_name.h"
#include "../command.h"
#include "../files/output.h"
#include "../text/print.h"

void number_list_free(number_list *list) {
  free(list->values);
  *list = (number_list){0};
}

void name_list_free(name_list *list) {
  for (int i = 0; i < list->count; i++) free(list->names[i]);
  free(list->names);
  *list = (name_list){0};
}

/* ---- Declaring ---- */

void option_set_init(option_set *set, const char *command, const char *arguments, const char *about) {
  *set = (option_set){.command = command, .arguments = arguments, .about = about};
}

static void add(option_set *set, option item) {
  assert(set->count < OPTION_MAX);
  set->options[set->count++] = item;
}

void option_heading(option_set *set, const char *heading) {
  add(set, (option){.kind = OPTION_HEADING, .help = heading});
}

void option_heading_shared(option_set *set, const char *heading) {
  add(set, (option){.kind = OPTION_SHARED, .help = heading});
}

void option_flag(option_set *set, const char *name, const char *help, int *target) {
  add(set, (option){OPTION_FLAG, name, NULL, help, target, NULL, false, false});
}

void option_text(option_set *set, const char *name, const char *value, const char *help, const char **target) {
  add(set, (option){OPTION_TEXT, name, value, help, (void *)target, NULL, false, false});
}

void option_texts(option_set *set, const char *name, const char *value, const char *help, name_list *target) {
  add(set, (option){OPTION_TEXTS, name, value, help, target, NULL, false, false});
}

void option_maybe(option_set *set, const char *name, const char *value, const char *help, const char **target) {
  add(set, (option){OPTION_MAYBE, name, value, help, (void *)target, NULL, false, false});
}

void option_choice(option_set *set, const char *name, const char *words, const char *help, int *target) {
  add(set, (option){OPTION_CHOICE, name, words, help, target, NULL, false, false});
}

void option_numbers(option_set *set, const char *name, const char *value, const char *help, number_list *target) {
  add(set, (option){OPTION_NUMBERS, name, value, help, target, NULL, false, false});
}

void option_names(option_set *set, const char *name, const char *value, const char *help, name_list *target) {
  add(set, (option){OPTION_NAMES, name, value, help, target, NULL, false, false});
}

void option_words(option_set *set, const char *words) {
  assert(set->count > 0);
  set->options[set->count - 1].words = words;
}

void option_output(option_set *set) {
  assert(set->count > 0 && set->options[set->count - 1].kind == OPTION_TEXT);
  set->options[set->count - 1].is_output = true;
}

void option_once(option_set *set) {
  assert(set->count > 0);
  set->options[set->count - 1].once = true;
}

/* ---- Mistakes ---- */

int usage_error(const char *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs(command ? "jounce " : "jounce", stderr);
  say(stderr, "%s: ", command ? command : "");
  say_list(stderr, format, arguments);
  say(stderr, "\nTry: jounce %s%s--help\n", command ? command : "", command ? " " : "");
  va_end(arguments);
  return EXIT_USAGE;
}

static const char *word_at(const void *words, int i) { return ((const char *const *)words)[i]; }

const char *nearest_word(const char *word, const char *const *words, int count) {
  return jn__nearest_name(word, count, word_at, words);
}

static int unknown_option(const option_set *set, const char *given, const char *name) {
  const char *names[OPTION_MAX + 1];
  int count = 0;
  names[count++] = "help";
  for (int i = 0; i < set->count; i++) {
    if (set->options[i].name) names[count++] = set->options[i].name;
  }
  const char *near = nearest_word(name, names, count);
  if (near) return usage_error(set->command, "unknown option %s; did you mean --%s?", given, near);
  return usage_error(set->command, "unknown option %s", given);
}

/* ---- Help ---- */

enum { HELP_COLUMN = 28 };

static bool is_heading(const option *item) { return item->kind == OPTION_HEADING || item->kind == OPTION_SHARED; }

static void print_option(const option *item) {
  if (is_heading(item)) {
    say(stdout, "\n%s:\n", item->help);
    return;
  }
  const char *value = item->value ? item->value : "";
  int column = 4 + text_width(item->name) + (*value ? 1 : 0) + text_width(value);
  say(stdout, "  --%s%s%s", item->name, *value ? " " : "", value);
  if (column > HELP_COLUMN - 2) {
    putchar('\n');
    column = 0;
  }
  printf("%*s", HELP_COLUMN - column, "");
  print_wrapped(item->help, HELP_COLUMN, HELP_COLUMN);
}

/* The heading at `at`, and only the names of the options below it. The index of the next heading, or set->count. */
static int print_names(const option_set *set, int at) {
  char *names = copy_text("", 0);
  int next = at + 1;

  /* "--floating, --mimic, --strict" */
  for (; next < set->count && !is_heading(&set->options[next]); next++) {
    char *longer = format_text("%s%s--%s", names, *names ? ", " : "", set->options[next].name);
    free(names);
    names = longer;
  }

  say(stdout, "\n%s (explained by jounce %s --help=all):\n  ", set->options[at].help, set->command);
  print_wrapped(names, 2, 2);
  free(names);
  return next;
}

/* all: shared options are explained as well. */
static void print_help(const option_set *set, bool all) {
  say(stdout, "Usage: jounce %s [OPTION...]%s%s\n\n", set->command, *set->arguments ? " " : "", set->arguments);
  print_wrapped(set->about, 0, 0);
  fputs("\nOptions:\n", stdout);
  print_option(&(option){OPTION_FLAG, "help", NULL, "show this help; --help=all: explain all options", NULL, NULL,
                         false, false});
  for (int i = 0; i < set->count;) {
    if (set->options[i].kind == OPTION_SHARED && !all) {
      i = print_names(set, i);
    } else {
      print_option(&set->options[i++]);
    }
  }
}

/* ---- Parsing ---- */

/* How many pieces the commas of text make. */
static int piece_count(const char *text) {
  int count = 1;
  for (; *text; text++) count += *text == ',';
  return count;
}

static int set_choice(const option_set *set, const option *item, const char *value) {
  const char *word = item->value;
  size_t length = strlen(value);
  for (int index = 0;; index++) {
    size_t end = strcspn(word, "|");
    if (end == length && strncmp(word, value, end) == 0) {
      *(int *)item->target = index;
      return OPTION_GO_ON;
    }
    if (word[end] == 0) break;
    word += end + 1;
  }
  return usage_error(set->command, "--%s takes %s, not '%s'", item->name, item->value, value);
}

static int set_numbers(const option_set *set, const option *item, const char *value) {
  number_list *list = item->target;
  number_list_free(list);
  list->count = piece_count(value);
  list->values = allocate((size_t)list->count * sizeof *list->values);
  const char *text = value;
  for (int i = 0; i < list->count; i++) {
    char *end;
    list->values[i] = strtod(text, &end);
    size_t length = strcspn(text, ",");
    bool decimal = strcspn(text, ",xX") == length; /* strtod takes hexadecimal numbers too */
    if (end == text || (size_t)(end - text) != length || !decimal || !isfinite(list->values[i])) {
      return usage_error(set->command, "--%s %s: '%.*s' is not a number", item->name, value, (int)length, text);
    }
    text = end + 1;
  }
  return OPTION_GO_ON;
}

static int set_names(const option_set *set, const option *item, const char *value) {
  name_list *list = item->target;
  name_list_free(list);
  int count = piece_count(value);
  list->names = allocate((size_t)count * sizeof *list->names);
  for (const char *text = value; list->count < count;) {
    size_t length = strcspn(text, ","), blank = strspn(text, " "), end = length;
    while (end > blank && text[end - 1] == ' ') end--; /* blanks around a comma are not part of a name */
    if (end <= blank) return usage_error(set->command, "--%s %s: a name is empty", item->name, value);
    list->names[list->count++] = copy_text(text + blank, end - blank);
    text += length + 1;
  }
  return OPTION_GO_ON;
}

static void append_text(name_list *list, const char *value) {
  list->names = reallocate(list->names, ((size_t)list->count + 1) * sizeof *list->names);
  list->names[list->count++] = copy_text(value, strlen(value));
}

static int set_value(const option_set *set, const option *item, const char *value) {
  if (*value == 0 && item->kind != OPTION_MAYBE)
    return usage_error(set->command, "--%s needs a value: --%s %s", item->name, item->name, item->value);
  switch (item->kind) {
    case OPTION_TEXT:
    case OPTION_MAYBE:
      if (item->once && *(const char **)item->target)
        return usage_error(set->command, "--%s is given twice, as '%s' and '%s'", item->name,
                           *(const char **)item->target, value);
      *(const char **)item->target = value;
      return OPTION_GO_ON;
    case OPTION_TEXTS:
      append_text(item->target, value);
      return OPTION_GO_ON;
    case OPTION_CHOICE:
      return set_choice(set, item, value);
    case OPTION_NUMBERS:
      return set_numbers(set, item, value);
    case OPTION_NAMES:
      return set_names(set, item, value);
    case OPTION_HEADING:
    case OPTION_SHARED:
    case OPTION_FLAG:
      break;
  }
  return OPTION_GO_ON;
}

static const option *find_option(const option_set *set, const char *name, size_t length) {
  for (int i = 0; i < set->count; i++) {
    const char *candidate = set->options[i].name;
    if (candidate && strlen(candidate) == length && strncmp(candidate, name, length) == 0) return &set->options[i];
  }
  return NULL;
}

/* One option at argv[*at]; moves *at on when the value is the next argument. `complete`: all plain arguments are there.
 */
static int parse_option(const option_set *set, int argc, char **argv, int *at, bool complete) {
  const char *given = argv[*at];
  const char *name = given + strspn(given, "-");
  size_t length = strcspn(name, "=");
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  const option *item = strncmp(given, "--", 2) == 0 ? find_option(set, name, length) : NULL;
  if (!item) {
    char *shown = copy_text(given, (size_t)(name - given) + length);
    int status = unknown_option(set, shown, shown + (name - given));
    free(shown);
    return status;
  }
  if (item->kind == OPTION_FLAG) {
    if (value) return usage_error(set->command, "--%s takes no value", item->name);
    *(int *)item->target = 1;
    return OPTION_GO_ON;
  }
  if (!value) {
    /* A value that starts with two dashes is more likely the next option: it must be written --name=value. */
    bool missing = *at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0;
    missing |= item->kind == OPTION_MAYBE && !complete;
    value = missing ? "" : argv[++*at];
  }
  return set_value(set, item, value);
}

/* Tell which word of "MODEL OUT" has no argument. */
static int missing_argument(const option_set *set, int index) {
  const char *word = set->arguments;
  for (; index > 0; index--) word += strcspn(word, " ") + 1;
  return usage_error(set->command, "%.*s is missing; the line should be: jounce %s %s", (int)strcspn(word, " "), word,
                     set->command, set->arguments);
}

/* ---- Files ---- */

/* What the help calls argument `index`: a word of "MODEL [TRAJECTORY]" or "OUT PART..." without brackets and dots. */
static char *argument_name(const option_set *set, int index) {
  const char *word = set->arguments;
  for (; index > 0 && strchr(word, ' '); index--) word = strchr(word, ' ') + 1;
  word += strspn(word, "[");
  return copy_text(word, strcspn(word, " ].|"));
}

/* Values that may be names of files: all of options that take text. */
static int list_option_paths(const option *item, named_path *paths) {
  int count = 0;
  if (item->kind == OPTION_TEXTS) {
    const name_list *list = item->target;
    for (int i = 0; i < list->count; i++) paths[count++] = (named_path){item->name, list->names[i], false};
  } else if (item->kind == OPTION_TEXT || item->kind == OPTION_MAYBE) {
    const char *value = *(const char **)item->target;
    if (value && *value) paths[count++] = (named_path){item->name, value, item->is_output};
  }
  return count;
}

static int most_paths(const option_set *set, int arguments) {
  int count = arguments + set->count;
  for (int i = 0; i < set->count; i++)
    if (set->options[i].kind == OPTION_TEXTS) count += ((const name_list *)set->options[i].target)->count;
  return count;
}

/* No output is an input or another output: output_check(). */
static int check_files(const option_set *set, const char **arguments, int count) {
  named_path *paths = allocate((size_t)most_paths(set, count) * sizeof *paths);
  int used = 0;

  for (int i = 0; i < count; i++) {
    char *name = argument_name(set, i);
    paths[used++] = (named_path){name, arguments[i], strcmp(name, "OUT") == 0};
  }
  for (int i = 0; i < set->count; i++) {
    int first = used;
    used += list_option_paths(&set->options[i], paths + used);
    for (int k = first; k < used; k++) paths[k].name = format_text("--%s", set->options[i].name);
  }

  int status = output_check(set->command, paths, used);
  for (int i = 0; i < used; i++) free((char *)paths[i].name);
  free(paths);
  return status;
}

/* ---- A line ---- */

static option_visitor *visitor; /* NULL but in option_visit() */

void option_visit(int (*command)(int argc, char **argv), const char *name, option_visitor *visit) {
  char *line[] = {copy_text(name, strlen(name)), NULL};
  visitor = visit;
  command(1, line);
  visitor = NULL;
  free(line[0]);
}

static char output_option[] = "--out"; /* -o is the same, as in other commands */

int option_parse(const option_set *set, int argc, char **argv, const char **arguments, int least, int most) {
  int count = 0;
  bool plain = false; /* after "--" all is an argument */
  if (visitor) {
    visitor(set);
    return EXIT_FINE;
  }
  for (int i = 0; i < most; i++) arguments[i] = NULL;
  for (int i = 1; i < argc; i++) {
    const char *text = argv[i];
    if (plain || text[0] != '-' || text[1] == 0) {
      if (count == most)
        return usage_error(set->command, "one argument too many: '%s'; the line should be: jounce %s [OPTION...] %s",
                           text, set->command, set->arguments);
      arguments[count++] = text;
    } else if (strcmp(text, "--") == 0) {
      plain = true;
    } else if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0 || strcmp(text, "--help=all") == 0) {
      print_help(set, strcmp(text, "--help=all") == 0);
      return EXIT_FINE;
    } else {
      if (strcmp(text, "-o") == 0) argv[i] = output_option;
      int status = parse_option(set, argc, argv, &i, count == most);
      if (status != OPTION_GO_ON) return status;
    }
  }
  if (count < least) return missing_argument(set, count);

  output_begin_call();
  return set->compares_files ? OPTION_GO_ON : check_files(set, arguments, count);
}
