/* SPDX-License-Identifier: BSD-2-Clause */
#include "urdf_patch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VECTOR = 4, MAX_INDENT = 64 };

void jn__patch_init(jn_patch *p, const jn_allocator *a, const char *text, size_t length) {
  *p = (jn_patch){.text = text, .length = length};
  jn__text_init(&p->pool, a);
}

void jn__patch_free(jn_patch *p) {
  jn__release(&p->pool.allocator, p->pool.data);
  jn__release(&p->pool.allocator, p->edits);
}

void jn__patch_replace(jn_patch *p, size_t start, size_t end, const char *with) {
  void *grown = jn__grow(&p->pool.allocator, p->edits, p->count, &p->capacity, sizeof *p->edits);
  if (!grown) {
    p->failed = 1;
    return;
  }
  p->edits = grown;
  p->edits[p->count] = (jn_patch_edit){start, end, p->pool.length, strlen(with), p->count};
  p->count++;
  jn__text_add(&p->pool, with);
}

static int compare_edits(const void *a, const void *b) {
  const jn_patch_edit *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static void copy_bytes(jn_text *out, const char *bytes, size_t length) {
  enum { PIECE = 1 << 20 };
  for (size_t n; length > 0; bytes += n, length -= n) {
    n = length < PIECE ? length : PIECE;
    jn__text_format(out, "%.*s", (int)n, bytes);
  }
}

int jn__patch_apply(jn_patch *p, jn_text *out) {
  size_t at = 0;
  if (p->failed || p->pool.failed) return 0;
  if (p->count > 0) qsort(p->edits, (size_t)p->count, sizeof *p->edits, compare_edits);
  for (int i = 0; i < p->count; i++) {
    const jn_patch_edit *e = &p->edits[i];
    if (e->start < at || e->end > p->length) return 0;
    copy_bytes(out, p->text + at, e->start - at);
    copy_bytes(out, p->pool.data + e->with, e->size);
    at = e->end;
  }
  copy_bytes(out, p->text + at, p->length - at);
  return !out->failed;
}

/* ---- Attributes ---- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* The attribute, from the first letter of its name to behind its quotes, and its value. */
static int find_attribute(const jn_patch *p, const jn_urdf_range *tag, const char *name, jn_urdf_range *whole,
                          size_t *start) {
  const char *t = p->text;
  size_t i = tag->start + 1, end = tag->tag, length = strlen(name);
  while (i < end && !is_blank(t[i]) && t[i] != '>' && t[i] != '/') i++;
  while (i < end) {
    while (i < end && is_blank(t[i])) i++;
    size_t first = i;
    while (i < end && !is_blank(t[i]) && t[i] != '=' && t[i] != '>' && t[i] != '/') i++;
    size_t last = i;
    while (i < end && t[i] != '"' && t[i] != '\'') i++;
    if (i >= end) return 0;
    char quote = t[i++];
    *start = i;
    while (i < end && t[i] != quote) i++;
    *whole = (jn_urdf_range){first, i, i + 1};
    if (last - first == length && memcmp(t + first, name, length) == 0) return 1;
    i++;
  }
  return 0;
}

int jn__patch_find(const jn_patch *p, const jn_urdf_range *tag, const char *name, size_t *start, size_t *end) {
  jn_urdf_range whole;
  if (tag->end == 0 || !find_attribute(p, tag, name, &whole, start)) return 0;
  *end = whole.tag;
  return 1;
}

/* The numbers of a value, and where each stands; 0 when it is written in another way, e.g. with references. */
static int split(const jn_patch *p, size_t start, size_t end, int n, double *x, jn_urdf_range *token) {
  size_t i = start;
  for (int k = 0; k < n; k++) {
    char number[400]; /* as long as jn__read_number() takes */
    while (i < end && is_blank(p->text[i])) i++;
    token[k].start = i;
    while (i < end && !is_blank(p->text[i])) i++;
    token[k].end = i;
    size_t size = i - token[k].start;
    if (size == 0 || size >= sizeof number) return 0;
    memcpy(number, p->text + token[k].start, size);
    number[size] = 0;
    char *stop;
    x[k] = jn__read_number(number, &stop);
    if (*stop) return 0;
  }
  while (i < end && is_blank(p->text[i])) i++;
  return i == end;
}

double jn__patch_number(const jn_patch *p, const jn_urdf_range *tag, const char *name, double absent) {
  size_t start, end;
  double x;
  jn_urdf_range token;
  if (!jn__patch_find(p, tag, name, &start, &end)) return absent;
  return split(p, start, end, 1, &x, &token) ? x : NAN;
}

/* The shortest number that is near enough. */
static void number_text(double x, double tolerance, char out[32]) {
  double rounded = x;
  for (int digits = 1; digits < 17 && tolerance > 0; digits++) {
    snprintf(out, 32, "%.*g", digits, x); /* in the locale, for strtod in the same */
    double shorter = strtod(out, NULL);
    if (fabs(shorter - x) > tolerance) continue;
    rounded = shorter;
    break;
  }
  jn__number(rounded == 0 ? 0 : rounded, out); /* no -0 */
}

/* Behind the last attribute. */
static void add_attribute(jn_patch *p, const jn_urdf_range *tag, const char *name, const char *value) {
  size_t at = tag->tag - 1;
  if (p->text[at - 1] == '/') at--;
  while (is_blank(p->text[at - 1])) at--;
  const char *const pieces[] = {" ", name, "=\"", value, "\""};
  for (int i = 0; i < 5; i++) jn__patch_replace(p, at, at, pieces[i]);
}

static int differs(double a, double b, double tolerance) { return !(fabs(a - b) <= tolerance); }

void jn__patch_set_numbers(jn_patch *p, const jn_urdf_range *tag, const char *name, const double *x, int n,
                           const double *absent, const double *tolerance) {
  size_t start = 0, end = 0;
  double old[MAX_VECTOR];
  jn_urdf_range token[MAX_VECTOR];
  char all[32 * MAX_VECTOR + MAX_VECTOR] = "", number[32];
  int found = jn__patch_find(p, tag, name, &start, &end), changes = 0;
  int plain = found && split(p, start, end, n, old, token);
  for (int i = 0; i < n; i++) {
    number_text(x[i], tolerance ? tolerance[i] : 0, number);
    if (i) strcat(all, " ");
    strcat(all, number);
    changes |= differs(plain ? old[i] : absent[i], x[i], tolerance ? tolerance[i] : 0);
  }
  if (!found && changes) add_attribute(p, tag, name, all);
  if (found && !plain) jn__patch_replace(p, start, end, all);
  for (int i = 0; i < n && plain; i++) {
    if (!differs(old[i], x[i], tolerance ? tolerance[i] : 0)) continue;
    number_text(x[i], tolerance ? tolerance[i] : 0, number);
    jn__patch_replace(p, token[i].start, token[i].end, number);
  }
}

void jn__patch_set_text(jn_patch *p, const jn_urdf_range *tag, const char *name, const char *value) {
  size_t start, end;
  if (!jn__patch_find(p, tag, name, &start, &end))
    add_attribute(p, tag, name, value);
  else if (strlen(value) != end - start || memcmp(p->text + start, value, end - start) != 0)
    jn__patch_replace(p, start, end, value);
}

void jn__patch_drop_attribute(jn_patch *p, const jn_urdf_range *tag, const char *name) {
  jn_urdf_range whole;
  size_t value;
  if (tag->end == 0 || !find_attribute(p, tag, name, &whole, &value)) return;
  size_t start = whole.start;
  while (is_blank(p->text[start - 1])) start--;
  jn__patch_replace(p, start, whole.end, "");
}

/* ---- Elements ---- */

/* The blanks before a place, from the beginning of its line; 0 when other text stands before it. */
static int indentation(const jn_patch *p, size_t at, size_t *start) {
  size_t i = at;
  while (i > 0 && (p->text[i - 1] == ' ' || p->text[i - 1] == '\t')) i--;
  *start = i;
  return i == 0 || p->text[i - 1] == '\n';
}

void jn__patch_drop(jn_patch *p, const jn_urdf_range *element) {
  size_t start;
  if (indentation(p, element->start, &start) && start > 0 && element->end < p->length &&
      (p->text[element->end] == '\n' || p->text[element->end] == '\r')) {
    start--; /* the line end before it goes with it */
    if (start > 0 && p->text[start - 1] == '\r') start--;
    jn__patch_replace(p, start, element->end, "");
  } else {
    jn__patch_replace(p, element->start, element->end, "");
  }
}

/* The indentation of the children of an element: that of its first child, or two blanks more than its own. */
static void child_indentation(const jn_patch *p, const jn_urdf_range *element, char out[MAX_INDENT + 3]) {
  size_t at = element->tag, start, n;
  while (at < element->end && is_blank(p->text[at])) at++;
  int has_child = at < element->end && p->text[at] == '<' && p->text[at + 1] != '/';
  if (!has_child) at = element->start;
  n = indentation(p, at, &start) ? at - start : 0;
  if (n > MAX_INDENT) n = MAX_INDENT;
  memcpy(out, p->text + start, n);
  strcpy(out + n, has_child ? "" : "  ");
}

void jn__patch_add(jn_patch *p, const jn_urdf_range *element, const char *name, const char *xml, int indent) {
  char inner[MAX_INDENT + 3], outer[MAX_INDENT + 1] = "";
  int empty = p->text[element->tag - 2] == '/', fresh_line = 0;
  const char *newline = memchr(p->text, '\n', p->length);
  newline = newline && newline > p->text && newline[-1] == '\r' ? "\r\n" : "\n";
  child_indentation(p, element, inner);
  size_t start, at = element->end, own;
  if (indentation(p, element->start, &own) && element->start - own <= MAX_INDENT) {
    memcpy(outer, p->text + own, element->start - own);
    outer[element->start - own] = 0;
  }
  if (empty) {
    jn__patch_replace(p, element->tag - 2, element->tag, ">");
    jn__patch_replace(p, element->tag, element->tag, newline);
    at = element->tag;
  } else { /* before the end tag */
    while (p->text[at - 1] != '<') at--;
    at--;
    fresh_line = indentation(p, at, &start);
    if (fresh_line) at = start;
    if (!fresh_line) jn__patch_replace(p, at, at, newline);
  }
  while (*xml) { /* line by line */
    size_t length = strcspn(xml, "\n"), skip = 0;
    while (skip < (size_t)indent && xml[skip] == ' ') skip++;
    jn__patch_replace(p, at, at, inner);
    jn_text line;
    jn__text_init(&line, &p->pool.allocator);
    jn__text_format(&line, "%.*s", (int)(length - skip), xml + skip);
    if (line.data) jn__patch_replace(p, at, at, line.data);
    p->failed |= line.failed;
    jn__release(&line.allocator, line.data);
    jn__patch_replace(p, at, at, newline);
    xml += length + (xml[length] != 0);
  }
  if (empty || !fresh_line) jn__patch_replace(p, at, at, outer);
  if (!empty) return;
  const char *const close[] = {"</", name, ">"};
  for (int i = 0; i < 3; i++) jn__patch_replace(p, at, at, close[i]);
}
