/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce COMMAND --help: the command's own options with their explanations, those that many commands share by name
 * only; --help=all explains them as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"
#include "parse.h"

enum { HELP_COLUMN = 28, WORD_COLUMN = 22 };

/* Words that a table elsewhere has, each with its line, below the help of an option. */
static char *with_listed_words(const option *item) {
  char *text = copy_text(item->help, strlen(item->help));
  const char *word, *help;
  for (int i = 0; item->listed && item->listed(i, &word, &help); i++) {
    char *longer = format_text("%s\n%-*s%s", text, WORD_COLUMN, word, help);
    free(text);
    text = longer;
  }
  return text;
}

/* "  --name VALUE", and the help from HELP_COLUMN on. */
static void print_option(const option *item) {
  const char *value = item->value ? item->value : "";
  int column = 4 + text_width(item->name) + (*value ? 1 : 0) + text_width(value);
  say(stdout, "  --%s%s%s", item->name, *value ? " " : "", value);
  if (column > HELP_COLUMN - 2) {
    putchar('\n');
    column = 0;
  }

  printf("%*s", HELP_COLUMN - column, "");
  char *help = with_listed_words(item);
  print_wrapped(help, HELP_COLUMN, HELP_COLUMN);
  free(help);
}

/* The names of the options of a shared group: "--floating, --mimic, --strict". */
static void print_names(const command_line *line, const option_group *group) {
  char *names = copy_text("", 0);
  for (const option *item = group->options; item->name; item++) {
    if (!item->help) continue;
    char *longer = format_text("%s%s--%s", names, *names ? ", " : "", item->name);
    free(names);
    names = longer;
  }

  say(stdout, "\n%s (explained by jounce %s --help=all):\n  ", group->heading, line->name);
  print_wrapped(names, 2, 2);
  free(names);
}

void print_command_help(const command_line *line, bool all) {
  static const option help_option = {
      .kind = OPTION_FLAG, .name = "help", .help = "show this help; --help=all explains all options"};

  say(stdout, "Usage: jounce %s [OPTION...]%s%s\n\n", line->name, *line->arguments ? " " : "", line->arguments);
  print_wrapped(line->about, 0, 0);
  fputs("\nOptions:\n", stdout);
  print_option(&help_option);

  for (int i = 0; i < line->group_count; i++) {
    const option_group *group = &line->groups[i];
    if (group->shared && !all) {
      print_names(line, group);
      continue;
    }
    if (group->heading) say(stdout, "\n%s:\n", group->heading);
    for (const option *item = group->options; item->name; item++)
      if (item->help) print_option(item);
  }
}
