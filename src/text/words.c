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

int jn__edit_distance(const char *a, const char *b) {
  int row[JN_CLIP_BYTES + 1], n = jn__clip(b);
  if (a[jn__clip(a)] || b[n]) return JN_CLIP_BYTES;
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int best = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      corner = row[j];
      row[j] = best;
    }
  }
  return row[n];
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
