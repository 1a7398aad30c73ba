/* SPDX-License-Identifier: BSD-2-Clause */
/* Mistakes on a command line: the message with a pointer to the help, and the word that was likely meant. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static int smallest(int a, int b, int c) {
  int least = a < b ? a : b;
  return least < c ? least : c;
}

static bool same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Edits that turn a into b: insert, delete, replace, swap two neighbours; capitals or not. Words over WORD_MAX count as
 * far. */
enum { WORD_MAX = 200 };

static int distance(const char *a, const char *b) {
  size_t la = strlen(a), lb = strlen(b);
  if (la > WORD_MAX || lb > WORD_MAX) return WORD_MAX;
  int na = (int)la, nb = (int)lb, rows[3][WORD_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];
  for (int j = 0; j <= nb; j++) before[j] = last[j] = j;
  for (int i = 1; i <= na; i++) {
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      row[j] = smallest(last[j] + 1, row[j - 1] + 1, last[j - 1] + !same_letter(a[i - 1], b[j - 1]));
      bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
    }
    int *free_row = before;
    before = last;
    last = row;
    row = free_row;
  }
  return last[nb];
}

const char *nearest_word(const char *word, const char *const *words, int count) {
  size_t letters = strlen(word);
  if (letters > WORD_MAX) return NULL;
  int length = (int)letters;
  int best = length < 6 ? 3 : length / 3 + 2; /* one more than the distance that is still near */
  const char *nearest = NULL;
  for (int i = 0; i < count; i++) {
    int d = distance(word, words[i]);
    if (length > 1 && strncmp(words[i], word, letters) == 0) d = 1; /* an abbreviation is near */
    if (length > 2 && d > 2 && strstr(words[i], word)) d = 2;       /* so is the middle or the end of a name */
    if (d < best && d < length) {
      best = d;
      nearest = words[i];
    }
  }
  return nearest;
}
