/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk over JSON text that jansson found valid: where is the member, where is the element? jansson itself keeps no
 * places. */
#include <string.h>

#include "native.h"

static const jn_scan nowhere = {NULL, NULL, 0, 0};

static void step(jn_scan *at) {
  if (*at->p++ == '\n') {
    at->line++;
    at->counted = at->p;
    at->column = 1;
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
  jn_scan at = {text, text, 1, 1};
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

int jn__scan_column(jn_scan *at) {
  if (!at->p) return 0;
  for (; at->counted < at->p; at->counted++) at->column += ((unsigned char)*at->counted & 0xC0) != 0x80;
  return at->column;
}
