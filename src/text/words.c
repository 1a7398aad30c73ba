/* SPDX-License-Identifier: BSD-2-Clause */
#include "words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int jn__clip(const char *s) {
  int n = 0;
  while (n < JN_CLIP_BYTES && s[n]) n++;
  if (!s[n]) return n;
  while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) n--; /* not inside a UTF-8 character */
  return n;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static int same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

int jn__edit_distance(const char *a, const char *b) {
  int n = jn__clip(b), rows[3][JN_CLIP_BYTES + 1], *before = rows[0], *last = rows[1], *row = rows[2];
  if (a[jn__clip(a)] || b[n]) return JN_CLIP_BYTES;

  /* row[j]: edits between the first i letters of a and the first j of b; last, before: those of i - 1 and i - 2. */
  for (int j = 0; j <= n; j++) before[j] = last[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      row[j] = smaller(last[j - 1] + !same_letter(a[i - 1], b[j - 1]), smaller(last[j], row[j - 1]) + 1);
      int is_swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (is_swapped) row[j] = smaller(row[j], before[j - 2] + 1);
    }
    int *oldest = before;
    before = last;
    last = row;
    row = oldest;
  }
  return last[n];
}

/* The next entry of a list; NULL after the last. */
static const char *next_entry(const char *list, char entry[32]) {
  if (!*list) return NULL;
  size_t n = strcspn(list, ",");
  snprintf(entry, 32, "%.*s", (int)n, list);
  list += n;
  return list + strspn(list, ", ");
}

int jn__is_listed(const char *list, const char *word) {
  char entry[32];
  while ((list = next_entry(list, entry)))
    if (strcmp(entry, word) == 0) return 1;
  return 0;
}

int jn__nearest(const char *list, const char *word, char out[32]) {
  char entry[32];
  int best = JN_CLIP_BYTES + 1;
  while ((list = next_entry(list, entry))) {
    int d = jn__edit_distance(word, entry);
    if (d >= best) continue;
    best = d;
    memcpy(out, entry, sizeof entry);
  }
  return best;
}

void jn__suggest(const char *list, const char *word, char *out, size_t size) {
  char entry[32];
  if (jn__nearest(list, word, entry) <= 2)
    snprintf(out, size, "did you mean '%s'? known are: %s", entry, list);
  else
    snprintf(out, size, "known are: %s", list);
}
