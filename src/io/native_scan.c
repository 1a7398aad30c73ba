/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk over JSON text that jansson found valid: where is the member, where is the element? jansson itself keeps no
 * places. Also the nearest of some words, for messages. */
#include <stdio.h>
#include <string.h>

#include "native.h"

static const jn_scan nowhere = {NULL, NULL, 0};

static void step(jn_scan *at) {
  if (*at->p++ == '\n') {
    at->line++;
    at->line_start = at->p;
  }
}

static void skip_space(jn_scan *at, const char *end) {
  while (at->p < end && (*at->p == ' ' || *at->p == '\t' || *at->p == '\r' || *at->p == '\n')) step(at);
}

static void skip_string(jn_scan *at, const char *end) {
  for (at->p++; at->p < end && *at->p != '"'; at->p++)
    if (*at->p == '\\') at->p++;
  at->p++;
}

static void skip_value(jn_scan *at, const char *end) {
  if (*at->p == '"') {
    skip_string(at, end);
    return;
  }
  if (*at->p != '{' && *at->p != '[') {
    while (at->p < end && !strchr(",}] \t\r\n", *at->p)) at->p++;
    return;
  }
  int depth = 0;
  do {
    if (*at->p == '"') {
      skip_string(at, end);
      continue;
    }
    depth += *at->p == '{' || *at->p == '[';
    depth -= *at->p == '}' || *at->p == ']';
    step(at);
  } while (at->p < end && depth > 0);
}

jn_scan jn__scan_start(const char *text, const char *end) {
  jn_scan at = {text, text, 1};
  skip_space(&at, end);
  return at;
}

jn_scan jn__scan_member(jn_scan at, const char *end, const char *key, jn_scan *key_at) {
  size_t length = strlen(key);
  *key_at = at;
  if (!at.p) return nowhere;
  do {
    at.p++; /* the brace or the comma */
    skip_space(&at, end);
    if (at.p >= end || *at.p != '"') return nowhere;
    jn_scan start = at;
    skip_string(&at, end);
    int same = (size_t)(at.p - start.p) == length + 2 && memcmp(start.p + 1, key, length) == 0;
    skip_space(&at, end);
    at.p++; /* the colon */
    skip_space(&at, end);
    if (same) {
      *key_at = start;
      return at;
    }
    at = jn__scan_past(at, end);
  } while (at.p && at.p < end && *at.p == ',');
  return nowhere;
}

jn_scan jn__scan_element(jn_scan at, const char *end) {
  if (!at.p || at.p >= end) return nowhere;
  at.p++; /* the bracket or the comma */
  skip_space(&at, end);
  return at;
}

jn_scan jn__scan_past(jn_scan at, const char *end) {
  if (!at.p || at.p >= end) return nowhere;
  skip_value(&at, end);
  skip_space(&at, end);
  return at;
}

int jn__scan_column(jn_scan at) {
  int column = 1;
  if (!at.p) return 0;
  for (const char *p = at.line_start; p < at.p; p++) column += ((unsigned char)*p & 0xC0) != 0x80;
  return column;
}

/* Number of edits that turn a into b, which has at most 31 characters. */
static int edit_distance(const char *a, const char *b) {
  int row[32], n = (int)strlen(b);
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 1; *a; a++, i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int best = corner + (*a != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      corner = row[j];
      row[j] = best;
    }
  }
  return row[n];
}

int jn__scan_nearest(const char *list, const char *word, char out[32]) {
  int best = 1000;
  if (strlen(word) > 31) return best; /* nothing is near */
  for (const char *p = list; *p;) {
    size_t n = strcspn(p, ",");
    char entry[32];
    snprintf(entry, sizeof entry, "%.*s", (int)n, p);
    int distance = edit_distance(word, entry);
    if (distance < best) {
      best = distance;
      memcpy(out, entry, sizeof entry);
    }
    p += n;
    p += strspn(p, ", ");
  }
  return best;
}

void jn__scan_suggest(const char *list, const char *word, char *out, size_t size) {
  char entry[32];
  if (jn__scan_nearest(list, word, entry) <= 2)
    snprintf(out, size, "perhaps '%s' is meant; known are: %s", entry, list);
  else
    snprintf(out, size, "known are: %s", list);
}
