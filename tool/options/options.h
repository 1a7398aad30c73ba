/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines: a subcommand declares its options, each with the variable it sets, and parses.
 *
 *   option_set set;
 *   int json = 0;
 *   option_set_init(&set, "info", "MODEL", "Show a robot.");
 *   option_flag(&set, "json", "print JSON", &json);
 *   int status = option_parse(&set, argc, argv, &model, 1, 1);
 *   if (status != OPTION_GO_ON) return status; */
#ifndef JN_TOOL_OPTIONS_H
#define JN_TOOL_OPTIONS_H

#include <stdbool.h>

#define OPTION_GO_ON (-1) /* the line is good; other values are exit codes */

typedef enum option_kind {
  OPTION_HEADING, /* a line in the help, no option */
  OPTION_SHARED,  /* the same, before options that many commands have */
  OPTION_FLAG,
  OPTION_TEXT,
  OPTION_TEXTS,
  OPTION_MAYBE,
  OPTION_CHOICE,
  OPTION_NUMBERS,
  OPTION_NAMES
} option_kind;

typedef struct option {
  option_kind kind;
  const char *name;  /* without the dashes */
  const char *value; /* how the help shows the value; for a choice the words themselves, "follow|ignore" */
  const char *help;
  void *target;
  const char *words; /* for tab completion, see option_words(); or NULL */
  bool once;         /* see option_once() */
  bool is_output;    /* see option_output() */
} option;

enum { OPTION_MAX = 64 };

typedef struct option_set {
  const char *command;
  const char *arguments; /* how the help shows them, e.g. "MODEL OUT" */
  const char *about;
  option options[OPTION_MAX];
  int count;
  bool compares_files; /* the command itself compares what it writes with what it reads, not option_parse() */
} option_set;

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

void option_set_init(option_set *set, const char *command, const char *arguments, const char *about);
void option_heading(option_set *set, const char *heading);
/* A heading of options that many commands have: --help only names them, --help=all explains them. They come last. */
void option_heading_shared(option_set *set, const char *heading);
void option_flag(option_set *set, const char *name, const char *help, int *target);
void option_text(option_set *set, const char *name, const char *value, const char *help, const char **target);
/* May be given several times: all values, in order, as they were given. */
void option_texts(option_set *set, const char *name, const char *value, const char *help, name_list *target);
/* The value may be missing: *target is then "". As a word of its own it is taken only when all plain arguments stand
 * before it; --name=value works anywhere. */
void option_maybe(option_set *set, const char *name, const char *value, const char *help, const char **target);
/* *target becomes the index of the word in `words`, which are split by '|'. */
void option_choice(option_set *set, const char *name, const char *words, const char *help, int *target);
void option_numbers(option_set *set, const char *name, const char *value, const char *help, number_list *target);
void option_names(option_set *set, const char *name, const char *value, const char *help, name_list *target);

/* For tab completion: words that the option declared last takes, split by '|'; "builtin:" stands for all built-in
 * robots. Options of files and choices need this only for words beyond. */
void option_words(option_set *set, const char *words);

/* The text option declared last names a file that is written. option_parse() refuses files that are read as well, or
 * written twice. A plain argument is an output if it is called OUT. */
void option_output(option_set *set);

/* The text option declared last may be given only once; otherwise the last one counts. */
void option_once(option_set *set);

/* Calls visit() with what `command` declares, and does not run it. */
typedef void option_visitor(const option_set *set);
void option_visit(int (*command)(int argc, char **argv), const char *name, option_visitor *visit);

/* Parse argv[1...]; at least `least` and at most `most` plain arguments go to arguments[most], the rest become NULL.
 * --help and --help=all print the help and give exit code 0; a mistake is reported on stderr and gives exit code 2. */
int option_parse(const option_set *set, int argc, char **argv, const char **arguments, int least, int most);

/* Tell a mistake in the use of a command (NULL: of `jounce` itself) with a pointer to its help; the exit code. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The one of `words` that `word` was most likely meant to be, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words, int count);

#endif
