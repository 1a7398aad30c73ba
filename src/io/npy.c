/* SPDX-License-Identifier: BSD-2-Clause */
/* NPY, the file of one NumPy array: "\x93NUMPY", version, length of the header, header (the text of a Python dict with
 * descr, fortran_order, shape), numbers. Versions 1 to 3; all whole and floating numbers, both byte orders. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* The value of a key in the header's dict: a pointer behind "'key':" and blanks. */
static const char *value_of(const char *header, const char *key) {
  char pattern[32];
  snprintf(pattern, sizeof pattern, "'%s'", key);
  const char *p = strstr(header, pattern);
  if (!p) return NULL;
  p += strlen(pattern);
  p += strspn(p, " ");
  if (*p++ != ':') return NULL;
  return p + strspn(p, " ");
}

static int parse_type(const char *p, jn_array *a) {
  if (!p || (*p != '\'' && *p != '"')) return 0;
  char order = p[1];
  a->kind = p[2];
  char *end;
  long item = strtol(p + 3, &end, 10);
  if ((*end != '\'' && *end != '"') || item < 1 || item > 1 << 20 || !strchr("<>|=", order)) return 0;
  a->item = (int)item;
  a->big = order == '>';
  if (a->kind == 'U') return 1;
  if (a->kind == 'f') return item == 4 || item == 8;
  return (a->kind == 'i' || a->kind == 'u' || a->kind == 'b') && (item == 1 || item == 2 || item == 4 || item == 8);
}

static int parse_shape(const char *p, jn_array *a) {
  if (!p || *p++ != '(') return 0;
  for (int i = 0; i < JN_ARRAY_DIMENSIONS; i++) a->shape[i] = 1;
  for (;;) {
    p += strspn(p, " ,");
    if (*p == ')') return 1;
    if (*p < '0' || *p > '9' || a->dimensions == JN_ARRAY_DIMENSIONS) return 0;
    char *end;
    a->shape[a->dimensions++] = (size_t)strtoull(p, &end, 10);
    p = end;
  }
}

/* Bytes that the array takes, or SIZE_MAX. */
static size_t size_of(const jn_array *a) {
  size_t bytes = (size_t)a->item * (a->kind == 'U' ? 4 : 1);
  for (int i = 0; i < JN_ARRAY_DIMENSIONS; i++) {
    if (a->shape[i] > 0 && bytes > SIZE_MAX / 2 / a->shape[i]) return SIZE_MAX;
    bytes *= a->shape[i];
  }
  return bytes;
}

int jn__npy_parse(const unsigned char *bytes, size_t length, jn_array *a, char *why, size_t size) {
  enum { MAX_HEADER = 4096 };
  char header[MAX_HEADER + 1];
  memset(a, 0, sizeof *a);
  if (length < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return snprintf(why, size, "is not an NPY array"), 0;
  int wide = bytes[6] > 1;
  if (bytes[6] < 1 || bytes[6] > 3)
    return snprintf(why, size, "has NPY version %d; only 1, 2 and 3 can be read", bytes[6]), 0;
  size_t start = wide ? 12 : 10, n = (size_t)(bytes[8] | bytes[9] << 8);
  if (wide) n |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (n > MAX_HEADER || n > length - start) return snprintf(why, size, "has a header that is cut off or too long"), 0;
  memcpy(header, bytes + start, n);
  header[n] = 0;
  const char *order = value_of(header, "fortran_order");
  if (!parse_type(value_of(header, "descr"), a))
    return snprintf(why, size, "has numbers of a type that cannot be read; use float64"), 0;
  if (!order || !parse_shape(value_of(header, "shape"), a))
    return snprintf(why, size, "must have a shape of at most %d dimensions", JN_ARRAY_DIMENSIONS), 0;
  a->fortran = strncmp(order, "True", 4) == 0;
  a->data = bytes + start + n;
  if (size_of(a) > length - start - n) return snprintf(why, size, "is cut off: numbers are missing"), 0;
  return 1;
}

/* `item` bytes as a whole number, and its sign bit's worth. */
static uint64_t raw_number(const jn_array *a, size_t at) {
  const unsigned char *p = a->data + at * (size_t)a->item;
  uint64_t x = 0;
  for (int i = 0; i < a->item; i++) x = x << 8 | p[a->big ? i : a->item - 1 - i];
  return x;
}

double jn__array_number(const jn_array *a, size_t i, size_t j) {
  size_t at = a->fortran ? j * a->shape[0] + i : i * a->shape[1] + j;
  uint64_t x = raw_number(a, at);
  if (a->kind == 'f' && a->item == 8) {
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
  }
  if (a->kind == 'f') {
    uint32_t bits = (uint32_t)x;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
  }
  if (a->kind != 'i') return (double)x;
  int shift = 64 - 8 * a->item; /* the sign moves to the top and back */
  return (double)((int64_t)(x << shift) >> shift);
}

static int put_utf8(char *out, uint32_t c) {
  if (c < 0x80) return out[0] = (char)c, 1;
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
  out[0] = (char)(lead[more] | c >> 6 * more);
  for (int i = 1; i <= more; i++) out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3F));
  return more + 1;
}

int jn__array_text(const jn_array *a, size_t i, char *out, size_t size) {
  size_t used = 0;
  for (int k = 0; k < a->item; k++) {
    const unsigned char *p = a->data + 4 * (i * (size_t)a->item + (size_t)k);
    uint32_t c = 0;
    for (int b = 0; b < 4; b++) c = c << 8 | p[a->big ? b : 3 - b];
    if (c == 0) break;
    if (used + 5 > size || c > 0x10FFFF) return 0;
    used += (size_t)put_utf8(out + used, c);
  }
  out[used] = 0;
  return 1;
}
