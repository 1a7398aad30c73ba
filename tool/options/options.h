/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines. Each subcommand has a constant table of its options; parsing, --help, the manual page and tab
 * completion are all made from these tables, and nothing has to run to read them.
 *
 *   typedef struct list_arg { int json; } list_arg;
 *
 *   static const option options[] = {FLAG_OPTION(list_arg, json, "json", "print JSON for programs"), {0}};
 *   static const option_group groups[] = {{.options = options}};
 *   const command_line list_line = {.name = "list", .arguments = "", .about = "List the robots.",
 *                                   .groups = groups, .group_count = COUNT_OF(groups)};
 *
 *   list_arg arg = {0};
 *   int status = option_parse(&list_line, &arg, argc, argv, NULL);
 *   if (status != OPTION_GO_ON) return status; */
#ifndef JN_TOOL_OPTIONS_H
#define JN_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define OPTION_GO_ON (-1) /* the line is good; other values are exit codes */

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* Lists made from a,b,c; NULL and 0 until the option is given. Release with the functions below. */
typedef struct number_list {
  double *values;
  int count;
} number_list;

typedef struct name_list {
  char **names;
  int count;
} name_list;

void number_list_free(number_list *list);
void name_list_free(name_list *list);

/* ---- One option ---- */

typedef enum option_kind {
  OPTION_FLAG,    /* no value; the variable becomes 1 */
  OPTION_TEXT,    /* one text */
  OPTION_TEXTS,   /* may be given several times: all values, in order, as they were given */
  OPTION_MAYBE,   /* a text that may be missing, then "". As a word of its own it is taken only when all plain arguments
                     stand before it; --name=value works anywhere */
  OPTION_CHOICE,  /* the variable becomes the index of the word */
  OPTION_NUMBERS, /* numbers separated by commas */
  OPTION_NAMES    /* names separated by commas */
} option_kind;

/* Words that an option takes, each with a line of explanation, when a table elsewhere has them. at(): word i, false at
 * the end. */
typedef bool option_words_at(int i, const char **word, const char **help);

typedef struct option {
  option_kind kind;
  const char *name;        /* without the dashes */
  const char *value;       /* how the help shows the value; for a choice the words themselves, "follow|ignore" */
  const char *help;        /* NULL: an old spelling, see `instead` */
  size_t target;           /* offset of the variable */
  const char *words;       /* for tab completion: further words, split by '|'; "builtin:": all built-in robots */
  option_words_at *listed; /* words that the help lists below, and that are completed; or NULL */
  bool once;               /* may be given only once; otherwise the last one counts */
  bool is_output;          /* names a file that is written: refused if it is read as well, or written twice */
  const char *instead;     /* of an old spelling: the name that it has now. It works, with a note on stderr */
} option;

/* The offset of `member`, which must have this type. */
#define OPTION_TARGET(type, argument, member) \
  (offsetof(argument, member) + 0 * sizeof(char[_Generic(((argument *)0)->member, type : 1)]))

/* Entries of a table; further members follow: TEXT_OPTION(arg, out, "out", "FILE", "the file", .is_output = true). */
#define FLAG_OPTION(argument, member, option_name, option_help, ...)                                               \
  {                                                                                                                \
    .kind = OPTION_FLAG, .name = option_name, .help = option_help, .target = OPTION_TARGET(int, argument, member), \
    __VA_ARGS__                                                                                                    \
  }
#define VALUE_OPTION(option_type, type, argument, member, option_name, option_value, option_help, ...) \
  {                                                                                                    \
    .kind = option_type, .name = option_name, .value = option_value, .help = option_help,              \
    .target = OPTION_TARGET(type, argument, member), __VA_ARGS__                                       \
  }
#define TEXT_OPTION(...) VALUE_OPTION(OPTION_TEXT, const char *, __VA_ARGS__)
#define TEXTS_OPTION(...) VALUE_OPTION(OPTION_TEXTS, name_list, __VA_ARGS__)
#define MAYBE_OPTION(...) VALUE_OPTION(OPTION_MAYBE, const char *, __VA_ARGS__)
#define CHOICE_OPTION(...) VALUE_OPTION(OPTION_CHOICE, int, __VA_ARGS__)
#define NUMBERS_OPTION(...) VALUE_OPTION(OPTION_NUMBERS, number_list, __VA_ARGS__)
#define NAMES_OPTION(...) VALUE_OPTION(OPTION_NAMES, name_list, __VA_ARGS__)

/* ---- The line of a command ---- */

/* Options in a row, perhaps shared by several commands. `at`: offset of the struct that they set, in the arguments of
 * the command. */
typedef struct option_group {
  const char *heading;   /* NULL: goes on below the heading before */
  bool shared;           /* many commands have them: --help only names them, --help=all explains them. They come last */
  const option *options; /* ends with an entry without a name */
  size_t at;
} option_group;

typedef struct command_line {
  const char *name;
  const char *brief;     /* for the list of commands */
  const char *arguments; /* how the help shows them, e.g. "MODEL OUT"; an argument called OUT is written */
  int least, most;       /* plain arguments */
  const char *about;
  const option_group *groups;
  int group_count;
  bool compares_files; /* the command itself compares what it writes with what it reads, not option_parse() */
} command_line;

/* Parse argv[1...] into the struct `target` of the command; plain arguments go to arguments[line->most], the rest
 * become NULL. --help and --help=all print the help and give exit code 0; a mistake is reported on stderr and gives
 * exit code 2. */
int option_parse(const command_line *line, void *target, int argc, char **argv, const char **arguments);

/* Options one after the other, old spellings left out: NULL at the end. *group: its group, if not NULL. */
typedef struct option_cursor {
  const command_line *line;
  int group, option;
} option_cursor;
const option *option_next(option_cursor *at, const option_group **group);

/* All that is known about the words and files that an option or argument takes. */
typedef struct option_values {
  bool files, list;
  const char *words; /* split by '|', or NULL; "builtin:" stands for all robots */
  option_words_at *listed;
} option_values;
option_values option_values_of(const option *item);
option_values argument_values_of(const char *name); /* begins with a word of "MODEL OUT" */

/* Report a mistake in the use of a command (NULL: of `jounce` itself) with a pointer to its help; the exit code. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The one of `words` that `word` was most likely meant to be, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words, int count);

#endif
