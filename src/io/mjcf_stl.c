/* SPDX-License-Identifier: BSD-2-Clause */
/* Triangles of STL files, binary and text, and of OBJ files. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mjcf.h"

static const char no_memory[] = "takes more memory than there is", not_finite[] = "has a coordinate that is not finite",
                  no_number[] = "has a coordinate that is not a number";

/* ---- STL ---- */

enum { HEADER = 84, RECORD = 50, NORMAL = 12 };

static uint32_t little_endian(const unsigned char *s) {
  return (uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
}

static const char *read_binary(const jn_allocator *a, const unsigned char *s, uint32_t count, jn_mjcf_triangles *t) {
  for (uint32_t i = 0; i < count; i++) {
    const unsigned char *at = s + HEADER + (size_t)i * RECORD + NORMAL;
    for (int k = 0; k < 3; k++) {
      double corner[3];
      for (int c = 0; c < 3; c++) {
        uint32_t bits = little_endian(at + 12 * k + 4 * c);
        float x;
        memcpy(&x, &bits, sizeof x);
        corner[c] = x;
        if (!isfinite(x)) return not_finite;
      }
      if (jn__mjcf_add_corner(a, t, corner) != JN_OK) return no_memory;
    }
  }
  return NULL;
}

/* Text in memory that does not end in 0: the next line, cut into words. */
typedef struct lines {
  const char *at, *end;
  int line;
  char text[512]; /* of the line, as far as it fits; ends in 0 */
} lines;

static int next_line(lines *l) {
  if (l->at >= l->end) return 0;
  const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
  size_t n = (size_t)((stop ? stop : l->end) - l->at), kept = n < sizeof l->text - 1 ? n : sizeof l->text - 1;
  memcpy(l->text, l->at, kept);
  l->text[kept] = 0;
  l->at = stop ? stop + 1 : l->end;
  l->line++;
  return 1;
}

static const char *word_after(const char *s, const char *word) {
  s += strspn(s, " \t\r");
  size_t n = strlen(word);
  return strncmp(s, word, n) == 0 && (s[n] == ' ' || s[n] == '\t') ? s + n : NULL;
}

static const char *read_point(const char *s, double point[3]) {
  for (int i = 0; i < 3; i++) {
    char *end;
    s += strspn(s, " \t");
    point[i] = jn__read_number(s, &end);
    if (end == s) return no_number;
    if (!isfinite(point[i])) return not_finite;
    s = end;
  }
  return NULL;
}

static const char *read_text(const jn_allocator *a, lines *l, jn_mjcf_triangles *t) {
  int corners = 0;
  while (next_line(l)) {
    double point[3];
    const char *s = l->text + strspn(l->text, " \t\r"), *vertex = word_after(s, "vertex");
    if (strncmp(s, "endloop", 7) == 0) {
      if (corners != 3) return "has a facet that is no triangle";
      corners = 0;
    }
    if (!vertex) continue;
    const char *wrong = read_point(vertex, point);
    if (wrong) return wrong;
    if (++corners > 3) return "has a facet that is no triangle";
    if (jn__mjcf_add_corner(a, t, point) != JN_OK) return no_memory;
  }
  return corners ? "ends inside a facet" : NULL;
}

const char *jn__mjcf_stl(const jn_allocator *a, const char *text, size_t length, jn_mjcf_triangles *t, int *line) {
  const unsigned char *s = (const unsigned char *)text;
  *line = 0;
  if (length >= HEADER) { /* a binary file has exactly the length that its count says, whatever it begins with */
    uint32_t count = little_endian(s + 80);
    if (length == HEADER + (size_t)count * RECORD) return read_binary(a, s, count, t);
  }
  if (length < 5 || memcmp(text, "solid", 5) != 0) return "is not an STL file, or is cut short";
  lines l = {.at = text, .end = text + length};
  const char *wrong = read_text(a, &l, t);
  *line = l.line;
  return wrong;
}

/* ---- OBJ ---- */

typedef struct points {
  double (*point)[3];
  int count, capacity;
} points;

static const char *add_point(const jn_allocator *a, points *p, const char *s) {
  void *grown = jn__grow(a, p->point, p->count, &p->capacity, sizeof *p->point);
  if (!grown) return no_memory;
  p->point = grown;
  return read_point(s, p->point[p->count++]);
}

/* The next corner of a face, "7", "7/2", "7//3" or "7/2/3", from 1, or from the end when it is negative. NULL at the
 * end of the line; *index is -1 when there is no such point. */
static const char *next_corner(const char *s, const char *stop, int count, int *index) {
  while (s < stop && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\\')) s++;
  if (s >= stop) return NULL;
  int negative = *s == '-', n = 0;
  if (negative) s++;
  const char *digits = s;
  for (; s < stop && *s >= '0' && *s <= '9'; s++) n = n > 100000000 ? n : 10 * n + (*s - '0');
  int place = negative ? count - n : n - 1;
  *index = s == digits || place < 0 || place >= count ? -1 : place;
  while (s < stop && *s != ' ' && *s != '\t' && *s != '\r') s++;
  return s;
}

/* A face with more than three corners is a fan of triangles. */
static const char *add_face(const jn_allocator *a, const points *p, const char *s, const char *stop,
                            jn_mjcf_triangles *t) {
  int first = -1, last = -1, index, corners = 0;
  while ((s = next_corner(s, stop, p->count, &index))) {
    if (index < 0) return "has a face with a vertex that does not exist";
    if (corners++ == 0) first = index;
    if (corners > 2) {
      const int three[3] = {first, last, index};
      for (int k = 0; k < 3; k++)
        if (jn__mjcf_add_corner(a, t, p->point[three[k]]) != JN_OK) return no_memory;
    }
    last = index;
  }
  return corners < 3 ? "has a face with fewer than three corners" : NULL;
}

const char *jn__mjcf_obj(const jn_allocator *a, const char *text, size_t length, jn_mjcf_triangles *t, int *line) {
  points p = {0};
  lines l = {.at = text, .end = text + length};
  const char *wrong = NULL, *from = text;
  while (!wrong && next_line(&l)) {
    const char *vertex = word_after(l.text, "v"), *face = word_after(l.text, "f");
    if (vertex) wrong = add_point(a, &p, vertex);
    if (face) { /* a face may be longer than the words that are kept */
      const char *stop = l.at > from && l.at[-1] == '\n' ? l.at - 1 : l.at;
      wrong = add_face(a, &p, from + (face - l.text), stop, t);
    }
    from = l.at;
  }
  *line = l.line;
  jn__release(a, p.point);
  return wrong;
}
