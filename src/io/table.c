/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "limit.h"

/* ---- Memory ---- */

void jn__table_free(jn_table *t) {
  for (int c = 0; c < t->columns; c++) {
    if (t->names) jn__release(&t->allocator, t->names[c]);
    if (t->units) jn__release(&t->allocator, t->units[c]);
  }
  void *blocks[] = {t->names, t->units, t->values, t->lines, t->text, t->starts, t->ends, t->text_rows, t->use};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn__release(&t->allocator, blocks[i]);
  *t = (jn_table){.allocator = t->allocator, .file = t->file, .limit = t->limit, .loose = t->loose};
}

jn_status jn__table_make(jn_table *t, jn_log *log, size_t columns, size_t rows) {
  size_t limit = jn__limit(t->limit);
  if (columns >= INT_MAX || rows >= INT_MAX || (columns > 0 && rows > limit / sizeof(double) / columns)) {
    char what[96];
    snprintf(what, sizeof what, "has %zu rows of %zu numbers, which take more memory than", rows, columns);
    return log ? jn__over_limit(log, t->file, NULL, what, limit) : JN_ERR_MEMORY;
  }
  t->names = jn__allocate(&t->allocator, columns * sizeof *t->names);
  t->units = jn__allocate(&t->allocator, columns * sizeof *t->units);
  t->values = jn__allocate(&t->allocator, columns * rows * sizeof *t->values);
  t->room = rows;
  t->columns = t->names && t->units ? (int)columns : 0;
  return t->names && t->units && t->values ? JN_OK : JN_ERR_MEMORY;
}

static char *copy(const jn_table *t, const char *text, size_t length) {
  char *out = jn__allocate(&t->allocator, length + 1);
  if (out) memcpy(out, text, length);
  return out;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* "position[3]" has an index, "qx [1]" a unit. */
static int is_index(const char *text, const char *open, const char *end) {
  const char *p = open + 1;
  while (p < end && *p >= '0' && *p <= '9') p++;
  return p == end && p > open + 1 && (open == text || !is_blank(open[-1]));
}

jn_status jn__table_set_name(jn_table *t, int column, const char *text, size_t length) {
  while (length > 0 && is_blank(*text)) text++, length--;
  while (length > 0 && is_blank(text[length - 1])) length--;
  const char *unit = text + length;
  size_t unit_length = 0;
  if (length > 0 && text[length - 1] == ']') {
    const char *open = text + length - 1; /* the last bracket: names may have others */
    while (open > text && *open != '[') open--;
    if (*open != '[') open = NULL;
    if (open && !is_index(text, open, text + length - 1)) {
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

/* ---- Questions of the library itself ---- */

const double *jn__table_column(const jn_table *t, int column) { return t->values + (size_t)column * t->room; }

int jn__table_find(const jn_table *t, const char *name) {
  for (int c = 0; c < t->columns; c++)
    if (t->names[c] && strcmp(t->names[c], name) == 0) return c;
  return -1;
}

jn_place jn__table_place(const jn_table *t, int row, int column) {
  if (!t->lines) return (jn_place){t->file, 0, 0};
  return (jn_place){t->file, row >= 0 ? t->lines[row] : t->name_line, column + 1};
}

/* ---- Public ---- */

void jn_table_options_init(jn_table_options *options) {
  if (options) *options = (jn_table_options){.size = sizeof *options, .max_bytes = JN_MAX_BYTES};
}

jn_status jn_table_read(const char *text, size_t length, const char *file, const jn_table_options *options,
                        jn_table **table, jn_error *error) {
  jn_table_options o;
  if (table) *table = NULL;
  if (!text || !table) return jn__fail(error, JN_ERR_NULL, file, "%s", jn_status_text(JN_ERR_NULL));
  jn_table_options_init(&o);
  if (options && options->size != sizeof o)
    return jn__fail(error, JN_ERR_SIZE, file, "set the options up with jn_table_options_init()");
  if (options) o = *options;
  jn_log log = {.report = o.report};
  jn_allocator a = jn__allocator(o.allocator);
  size_t limit = jn__limit(o.max_bytes);
  jn_table *t = jn__allocate(&a, sizeof *t);
  if (!t) return jn__fail(error, JN_ERR_MEMORY, file, "%s", jn_status_text(JN_ERR_MEMORY));
  *t = (jn_table){.allocator = a, .file = file ? file : "", .limit = limit, .loose = o.loose, .skip_bad = o.skip_bad};
  jn_status status =
      length > limit ? jn__over_limit(&log, file, NULL, "is larger than", limit) : jn__csv_read(t, text, length, &log);
  t->file = NULL;
  if (status == JN_OK) {
    *table = t;
  } else {
    if (log.first.status == JN_OK)
      jn__log(&log, JN_ERROR, status, "memory", (jn_place){file, 0, 0}, NULL, NULL, "%s", jn_status_text(status));
    jn_table_destroy(t);
  }
  return jn__log_end(&log, error);
}

void jn_table_destroy(jn_table *table) {
  if (!table) return;
  jn_allocator a = table->allocator;
  jn__table_free(table);
  jn__release(&a, table);
}

static int has_column(const jn_table *t, int column) { return t && column >= 0 && column < t->columns; }

int jn_table_columns(const jn_table *t) { return t ? t->columns : 0; }
int jn_table_rows(const jn_table *t) { return t ? t->rows : 0; }
const char *jn_table_name(const jn_table *t, int column) { return has_column(t, column) ? t->names[column] : NULL; }
const char *jn_table_unit(const jn_table *t, int column) { return has_column(t, column) ? t->units[column] : NULL; }

const double *jn_table_values(const jn_table *t, int column) {
  return has_column(t, column) ? jn__table_column(t, column) : NULL;
}

int jn_table_line(const jn_table *t, int row) {
  return t && t->lines && row >= -1 && row < t->rows ? jn__table_place(t, row, 0).line : 0;
}

int jn_table_text_row(const jn_table *t, int column) {
  return has_column(t, column) && t->text_rows ? t->text_rows[column] - 1 : -1;
}

int jn_table_cell(const jn_table *t, int row, int column, char *text, size_t size) {
  if (!has_column(t, column) || !t->text || row < 0 || row >= t->rows) return -1;
  const char *p = t->text + t->starts[row], *end = t->text + t->ends[row];
  if (!jn__csv_cell(t->separator, &p, &end, column)) end = p;
  size_t n = (size_t)(end - p), most = size > 0 ? size - 1 : 0;
  if (size > 0) {
    memcpy(text, p, n < most ? n : most);
    text[n < most ? n : most] = 0;
  }
  return (int)n;
}
