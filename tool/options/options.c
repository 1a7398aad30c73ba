/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines: the values of options go to the variables that the tables name. The steps for a line are:
 *   1 plain arguments and options, in any order, from left to right
 *   2 all arguments that are needed are there
 *   3 no file that is written is also read, or written twice */
#include "options.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../text/print.h"
#include "parse.h"

void number_list_free(number_list *list) {
  free(list->values);
  *list = (number_list){0};
}

void name_list_free(name_list *list) {
  for (int i = 0; i < list->count; i++) free(list->names[i]);
  free(list->names);
  *list = (name_list){0};
}

/* ---- Going through a table ---- */

const option *option_next(option_cursor *at, const option_group **group) {
  for (; at->group < at->line->group_count; at->group++, at->option = 0) {
    const option_group *here = &at->line->groups[at->group];
    while (here->options[at->option].name) {
      const option *item = &here->options[at->option++];
      if (group) *group = here;
      if (item->help) return item; /* old spellings are not shown */
    }
  }
  return NULL;
}

option_values option_values_of(const option *item) {
  bool files = item->value && strstr(item->value, "FILE") != NULL;
  bool known = item->words || item->listed;
  option_values values = {files, item->kind == OPTION_NAMES && known, item->words, item->listed};
  if (item->kind == OPTION_CHOICE) values.words = item->value;
  if (!values.words && files && strchr(item->value, '|')) values.words = strchr(item->value, '|') + 1; /* FILE|ignore */
  return values;
}

option_values argument_values_of(const char *name) {
  if (strncmp(name, "MODEL", 5) == 0) return (option_values){.files = true, .words = "builtin:|-"};
  if (strncmp(name, "TRAJECTORY", 10) == 0) return (option_values){.files = true, .words = "builtin:demo|-"};
  return (option_values){.files = true};
}

/* An option of a line with the variable that it sets; item NULL: there is none of this name. */
typedef struct found_option {
  const option *item;
  void *target;
} found_option;

static bool has_name(const option *item, const char *name, size_t length) {
  return strlen(item->name) == length && strncmp(item->name, name, length) == 0;
}

static found_option find_option(const command_line *line, void *target, const char *name, size_t length) {
  for (int g = 0; g < line->group_count; g++) {
    const option_group *group = &line->groups[g];
    for (const option *item = group->options; item->name; item++) {
      if (!has_name(item, name, length)) continue;
      char *base = (char *)target + group->at;
      return (found_option){item, base + item->target};
    }
  }
  return (found_option){0};
}

static int option_count(const command_line *line) {
  option_cursor at = {.line = line};
  int count = 0;
  while (option_next(&at, NULL)) count++;
  return count;
}

static int unknown_option(const command_line *line, const char *given, const char *name) {
  const char **names = allocate((size_t)(option_count(line) + 1) * sizeof *names);
  option_cursor at = {.line = line};
  int count = 0;
  names[count++] = "help";
  for (const option *item; (item = option_next(&at, NULL));) names[count++] = item->name;

  const char *near = nearest_word(name, names, count);
  free(names);
  if (near) return usage_error(line->name, "unknown option %s; did you mean --%s?", given, near);
  return usage_error(line->name, "unknown option %s", given);
}

/* ---- Values ---- */

/* How many pieces the commas of text make. */
static int piece_count(const char *text) {
  int count = 1;
  for (; *text; text++) count += *text == ',';
  return count;
}

static int set_choice(const command_line *line, const found_option *found, const char *value) {
  const option *item = found->item;
  const char *word = item->value;
  size_t length = strlen(value);
  for (int index = 0;; index++) {
    size_t end = strcspn(word, "|");
    if (end == length && strncmp(word, value, end) == 0) {
      *(int *)found->target = index;
      return OPTION_GO_ON;
    }
    if (word[end] == 0) break;
    word += end + 1;
  }
  return usage_error(line->name, "--%s takes %s, not '%s'", item->name, item->value, value);
}

static int set_numbers(const command_line *line, const found_option *found, const char *value) {
  const option *item = found->item;
  number_list *list = found->target;
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
      return usage_error(line->name, "--%s %s: '%.*s' is not a number", item->name, value, (int)length, text);
    }
    text = end + 1;
  }
  return OPTION_GO_ON;
}

static int set_names(const command_line *line, const found_option *found, const char *value) {
  const option *item = found->item;
  name_list *list = found->target;
  name_list_free(list);
  int count = piece_count(value);
  list->names = allocate((size_t)count * sizeof *list->names);
  for (const char *text = value; list->count < count;) {
    size_t length = strcspn(text, ","), blank = strspn(text, " "), end = length;
    while (end > blank && text[end - 1] == ' ') end--; /* blanks around a comma are not part of a name */
    if (end <= blank) return usage_error(line->name, "--%s %s: a name is empty", item->name, value);
    list->names[list->count++] = copy_text(text + blank, end - blank);
    text += length + 1;
  }
  return OPTION_GO_ON;
}

static void append_text(name_list *list, const char *value) {
  list->names = reallocate(list->names, ((size_t)list->count + 1) * sizeof *list->names);
  list->names[list->count++] = copy_text(value, strlen(value));
}

static int set_value(const command_line *line, const found_option *found, const char *value) {
  const option *item = found->item;
  if (*value == 0 && item->kind != OPTION_MAYBE)
    return usage_error(line->name, "--%s needs a value: --%s %s", item->name, item->name, item->value);
  switch (item->kind) {
    case OPTION_TEXT:
    case OPTION_MAYBE:
      if (item->once && *(const char **)found->target)
        return usage_error(line->name, "--%s is given twice, as '%s' and '%s'", item->name,
                           *(const char **)found->target, value);
      *(const char **)found->target = value;
      return OPTION_GO_ON;
    case OPTION_TEXTS:
      append_text(found->target, value);
      return OPTION_GO_ON;
    case OPTION_CHOICE:
      return set_choice(line, found, value);
    case OPTION_NUMBERS:
      return set_numbers(line, found, value);
    case OPTION_NAMES:
      return set_names(line, found, value);
    case OPTION_FLAG:
      break;
  }
  return OPTION_GO_ON;
}

/* An old spelling works, with a note. */
static void note_old_spelling(const command_line *line, const option *item) {
  say(stderr, "jounce %s: note: --%s is now called --%s; the old name still works\n", line->name, item->name,
      item->instead);
}

/* One option at argv[*at]; moves *at on when the value is the next argument. `complete`: all plain arguments are there.
 */
static int parse_option(const command_line *line, void *target, int argc, char **argv, int *at, bool complete) {
  const char *given = argv[*at];
  const char *name = given + strspn(given, "-");
  size_t length = strcspn(name, "=");
  const char *value = name[length] == '=' ? name + length + 1 : NULL;

  /* The option in the table. */
  found_option found = {0};
  if (strncmp(given, "--", 2) == 0) found = find_option(line, target, name, length);
  if (!found.item) {
    char *shown = copy_text(given, (size_t)(name - given) + length);
    int status = unknown_option(line, shown, shown + (name - given));
    free(shown);
    return status;
  }
  if (found.item->instead) note_old_spelling(line, found.item);

  /* Its value: none, behind '=', or the next argument. */
  if (found.item->kind == OPTION_FLAG) {
    if (value) return usage_error(line->name, "--%s takes no value", found.item->name);
    *(int *)found.target = 1;
    return OPTION_GO_ON;
  }
  if (!value) {
    /* A value that starts with two dashes is more likely the next option: it must be written --name=value. */
    bool missing = *at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0;
    missing |= found.item->kind == OPTION_MAYBE && !complete;
    value = missing ? "" : argv[++*at];
  }
  return set_value(line, &found, value);
}

/* Report which word of "MODEL OUT" has no argument. */
static int missing_argument(const command_line *line, int index) {
  const char *word = line->arguments;
  for (; index > 0; index--) word += strcspn(word, " ") + 1;
  return usage_error(line->name, "%.*s is missing; the line should be: jounce %s %s", (int)strcspn(word, " "), word,
                     line->name, line->arguments);
}

/* ---- Files ---- */

/* What the help calls argument `index`: a word of "MODEL [TRAJECTORY]" or "OUT PART..." without brackets and dots. */
static char *argument_name(const command_line *line, int index) {
  const char *word = line->arguments;
  for (; index > 0 && strchr(word, ' '); index--) word = strchr(word, ' ') + 1;
  word += strspn(word, "[");
  return copy_text(word, strcspn(word, " ].|"));
}

/* Values that may be names of files: all of options that take text. paths NULL: only counts. */
static int list_option_paths(const option *item, const void *target, named_path *paths) {
  int count = 0;
  if (item->kind == OPTION_TEXTS) {
    const name_list *list = target;
    for (int i = 0; i < list->count; i++, count++)
      if (paths) paths[count] = (named_path){format_text("--%s", item->name), list->names[i], false};
  } else if (item->kind == OPTION_TEXT || item->kind == OPTION_MAYBE) {
    const char *value = *(const char *const *)target;
    if (!value || !*value) return 0;
    if (paths) paths[count] = (named_path){format_text("--%s", item->name), value, item->is_output};
    count++;
  }
  return count;
}

static int list_paths(const command_line *line, const void *target, named_path *paths) {
  option_cursor at = {.line = line};
  const option_group *group;
  int count = 0;
  for (const option *item; (item = option_next(&at, &group));)
    count += list_option_paths(item, (const char *)target + group->at + item->target, paths ? paths + count : NULL);
  return count;
}

/* No output is an input or another output: output_check(). */
static int check_files(const command_line *line, const void *target, const char **arguments, int count) {
  named_path *paths = allocate((size_t)(count + list_paths(line, target, NULL)) * sizeof *paths);
  int used = 0;
  for (; used < count; used++) {
    char *name = argument_name(line, used);
    paths[used] = (named_path){name, arguments[used], strcmp(name, "OUT") == 0};
  }
  used += list_paths(line, target, paths + used);

  int status = output_check(line->name, paths, used);
  for (int i = 0; i < used; i++) free((char *)paths[i].name);
  free(paths);
  return status;
}

/* ---- A line ---- */

static int too_many(const command_line *line, const char *text) {
  const char *most = strstr(line->arguments, "...");
  if (most) return usage_error(line->name, "one argument too many: '%s'; at most %d are taken", text, line->most);
  return usage_error(line->name, "one argument too many: '%s'; the line should be: jounce %s [OPTION...] %s", text,
                     line->name, line->arguments);
}

int option_parse(const command_line *line, void *target, int argc, char **argv, const char **arguments) {
  static char output_option[] = "--out"; /* -o is the same, as in other commands */
  int count = 0;
  bool plain = false; /* after "--" all is an argument */
  for (int i = 0; i < line->most; i++) arguments[i] = NULL;

  for (int i = 1; i < argc; i++) {
    const char *text = argv[i];
    if (plain || text[0] != '-' || text[1] == 0) {
      if (count == line->most) return too_many(line, text);
      arguments[count++] = text;
    } else if (strcmp(text, "--") == 0) {
      plain = true;
    } else if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0 || strcmp(text, "--help=all") == 0) {
      print_command_help(line, strcmp(text, "--help=all") == 0);
      return EXIT_FINE;
    } else {
      if (strcmp(text, "-o") == 0) argv[i] = output_option;
      int status = parse_option(line, target, argc, argv, &i, count == line->most);
      if (status != OPTION_GO_ON) return status;
    }
  }
  if (count < line->least) return missing_argument(line, count);

  output_begin_call();
  return line->compares_files ? OPTION_GO_ON : check_files(line, target, arguments, count);
}
