/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <limits.h>
#include <string.h>

void jn__table_free(jn_table *t) {
  for (int c = 0; c < t->columns; c++) {
    if (t->names) jn__release(&t->allocator, t->names[c]);
    if (t->units) jn__release(&t->allocator, t->units[c]);
  }
  jn__release(&t->allocator, t->names);
  jn__release(&t->allocator, t->units);
  jn__release(&t->allocator, t->values);
  jn__release(&t->allocator, t->lines);
  t->names = t->units = NULL;
  t->values = NULL;
  t->lines = NULL;
  t->columns = t->rows = 0;
}

const double *jn__table_column(const jn_table *t, int column) { return t->values + (size_t)column * t->room; }

int jn__table_find(const jn_table *t, const char *name) {
  for (int c = 0; c < t->columns; c++)
    if (t->names[c] && strcmp(t->names[c], name) == 0) return c;
  return -1;
}

jn_place jn__table_place(const jn_table *t, int row, int column) {
  if (!t->lines) return (jn_place){t->file, 0, 0};
  int line = row >= 0 ? t->lines[row] : t->rows > 0 ? t->lines[0] - 1 : 1;
  return (jn_place){t->file, line, column + 1};
}

jn_status jn__table_make(jn_table *t, int columns, size_t rows) {
  size_t n = (size_t)columns;
  if (rows > INT_MAX || (n > 0 && rows > SIZE_MAX / sizeof(double) / n)) return JN_ERR_MEMORY;
  t->names = jn__allocate(&t->allocator, n * sizeof *t->names);
  t->units = jn__allocate(&t->allocator, n * sizeof *t->units);
  t->values = jn__allocate(&t->allocator, n * rows * sizeof *t->values);
  t->room = rows;
  t->columns = t->names && t->units ? columns : 0;
  return t->names && t->units && t->values ? JN_OK : JN_ERR_MEMORY;
}

static char *copy(const jn_table *t, const char *text, size_t length) {
  char *out = jn__allocate(&t->allocator, length + 1);
  if (out) memcpy(out, text, length);
  return out;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

jn_status jn__table_name(jn_table *t, int column, const char *text, size_t length) {
  while (length > 0 && is_blank(*text)) text++, length--;
  while (length > 0 && is_blank(text[length - 1])) length--;
  const char *unit = text + length;
  size_t unit_length = 0;
  if (length > 0 && text[length - 1] == ']') {
    const char *open = memchr(text, '[', length);
    if (open) {
      unit = open + 1;
      unit_length = length - 2 - (size_t)(open - text);
      length = (size_t)(open - text);
      while (length > 0 && is_blank(text[length - 1])) length--;
    }
  }
  t->names[column] = copy(t, text, length);
  t->units[column] = copy(t, unit, unit_length);
  return t->names[column] && t->units[column] ? JN_OK : JN_ERR_MEMORY;
}
