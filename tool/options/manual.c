/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce_manual, a program of the build: writes the manual page from the tables of options, and lists them for tests.
 *
 *   jounce_manual TEMPLATE   the page: the lines of TEMPLATE (docs/man/jounce.1.in), where `@synopsis@`, `@commands@`,
 *                            `@shared@` and `@version@` become what the tables say
 *   jounce_manual --list     a line for each option of each command: COMMAND, name, value, own|shared, separated by
 * tabs
 */
#include <jounce/base.h>
#include <stdio.h>
#include <string.h>

#include "../command.h"
#include "../text/text.h"
#include "options.h"

/* Text as troff prints it: hyphens are minus signs, and no line begins like a request. */
static void put(const char *text, size_t length) {
  if (length > 0 && strchr(".'", text[0])) fputs("\\&", stdout);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\\')
      fputs("\\e", stdout);
    else if (text[i] == '-')
      fputs("\\-", stdout);
    else
      putchar(text[i]);
  }
}

static void put_text(const char *text) { put(text, strlen(text)); }

/* Paragraphs and lists of the help: an empty line begins a paragraph, "- " an item. */
static void put_paragraphs(const char *text) {
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    if (length == 0) {
      puts(".PP");
    } else if (strncmp(text, "- ", 2) == 0) {
      puts(".IP \\(bu 2");
      put(text + 2, length - 2);
      putchar('\n');
    } else {
      put(text, length);
      putchar('\n');
    }
  }
}

/* .TP, the name in bold and the value in italics, then the help; words that a table lists below it. */
static void put_option(const option *item) {
  fputs(".TP\n\\fB\\-\\-", stdout);
  put_text(item->name);
  fputs("\\fR", stdout);
  if (item->value) {
    fputs(item->kind == OPTION_CHOICE ? " \\fB" : " \\fI", stdout);
    put_text(item->value);
    fputs("\\fR", stdout);
  }
  putchar('\n');
  put_text(item->help);
  putchar('\n');

  const char *word, *help;
  if (!item->listed) return;
  puts(".RS");
  for (int i = 0; item->listed(i, &word, &help); i++) {
    fputs(".TP\n\\fB", stdout);
    put_text(word);
    fputs("\\fR\n", stdout);
    put_text(help);
    putchar('\n');
  }
  puts(".RE");
}

static void put_group(const option_group *group) {
  for (const option *item = group->options; item->name; item++)
    if (item->help) put_option(item);
}

static void print_synopsis(void) {
  for (int i = 0; i < subcommand_count; i++) {
    const command_line *line = subcommands[i].line;
    if (i > 0) puts(".br");
    say(stdout, ".B jounce %s\n.RI [ option ...\\&]\n", line->name);
    if (*line->arguments) say(stdout, ".I %s\n", line->arguments);
  }
}

/* What each command does, and its own options. Shared ones are named by their section. */
static void print_commands(void) {
  for (int i = 0; i < subcommand_count; i++) {
    const command_line *line = subcommands[i].line;
    say(stdout, ".SS %s\n", line->name);
    put_paragraphs(line->about);
    for (int g = 0; g < line->group_count; g++) {
      const option_group *group = &line->groups[g];
      if (group->heading) {
        puts(".PP");
        fputs(group->shared ? "See also \\(lq" : "", stdout);
        put_text(group->heading);
        puts(group->shared ? "\\(rq below." : ":");
      }
      if (!group->shared) put_group(group);
    }
  }
}

/* Each shared group once. */
static void print_shared(void) {
  for (int i = 0; i < subcommand_count; i++) {
    for (int g = 0; g < subcommands[i].line->group_count; g++) {
      const option_group *group = &subcommands[i].line->groups[g];
      bool is_first = group->shared;
      for (int k = 0; k < i && is_first; k++)
        for (int h = 0; h < subcommands[k].line->group_count; h++)
          is_first &= subcommands[k].line->groups[h].options != group->options;
      if (!is_first) continue;
      fputs(".SS ", stdout);
      put_text(group->heading);
      putchar('\n');
      put_group(group);
    }
  }
}

static int print_manual(const char *path) {
  char text[4096];
  FILE *template = fopen(path, "r");
  if (!template) {
    say(stderr, "jounce_manual: cannot read %s\n", path);
    return EXIT_BAD;
  }
  while (fgets(text, sizeof text, template)) {
    if (strcmp(text, "@synopsis@\n") == 0)
      print_synopsis();
    else if (strcmp(text, "@commands@\n") == 0)
      print_commands();
    else if (strcmp(text, "@shared@\n") == 0)
      print_shared();
    else if (strncmp(text, ".TH ", 4) == 0)
      say(stdout, ".TH JOUNCE 1 \"\" \"jounce %s\" \"User Commands\"\n", jn_version());
    else
      fputs(text, stdout);
  }
  fclose(template);
  return EXIT_FINE;
}

static int print_list(void) {
  for (int i = 0; i < subcommand_count; i++) {
    option_cursor at = {.line = subcommands[i].line};
    const option_group *group;
    for (const option *item; (item = option_next(&at, &group));)
      say(stdout, "%s\t%s\t%s\t%s\n", at.line->name, item->name, item->value ? item->value : "",
          group->shared ? "shared" : "own");
  }
  return EXIT_FINE;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("Usage: jounce_manual TEMPLATE | --list\n", stderr);
    return EXIT_USAGE;
  }
  return strcmp(argv[1], "--list") == 0 ? print_list() : print_manual(argv[1]);
}
