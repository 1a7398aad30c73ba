/* SPDX-License-Identifier: BSD-2-Clause */
/* Mistakes on a command line: the message with a pointer to the help, and the word that was likely meant. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../src/text/nearest_name.h"
#include "../command.h"
#include "../text/text.h"
#include "options.h"

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
