/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV: a line of names, then lines of numbers. Commas, semicolons or tabs between; quotes about names; lines that begin
 * with # are comments, except that one just above the numbers has the names if no other line does (NumPy's savetxt).
 * A byte order mark, carriage returns and empty lines do not matter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "table.h"

enum { MAX_TOLD = 10, CELL = 128 };

typedef struct reader {
  jn_table *table;
  jn_log *log;
  const char *p, *end; /* what is still to be read */
  int line;            /* of p, from 1 */
  char separator;
  int told; /* errors */
} reader;

/* A line without its end. */
typedef struct line {
  const char *begin, *end;
  int number;
} line;

static int next_line(reader *r, line *l) {
  if (r->p >= r->end) return 0;
  const char *stop = memchr(r->p, '\n', (size_t)(r->end - r->p));
  if (!stop) stop = r->end;
  *l = (line){r->p, stop, r->line++};
  r->p = stop < r->end ? stop + 1 : stop;
  while (l->end > l->begin && (l->end[-1] == '\r' || l->end[-1] == ' ')) l->end--;
  while (l->begin < l->end && *l->begin == ' ') l->begin++;
  return 1;
}

/* The next line with something in it; *comment gets the last one with # that was passed. */
static int next_full_line(reader *r, line *l, line *comment) {
  while (next_line(r, l)) {
    if (l->begin == l->end) continue;
    if (*l->begin != '#') return 1;
    if (comment) *comment = (line){l->begin + 1, l->end, l->number};
  }
  return 0;
}

/* The end of the cell that begins at p: a separator outside quotes, or the end of the line. */
static const char *cell_end(const reader *r, const char *p, const char *end) {
  int quoted = 0;
  for (; p < end; p++) {
    if (*p == '"') quoted = !quoted;
    if (*p == r->separator && !quoted) break;
  }
  return p;
}

static int count_cells(const reader *r, const line *l) {
  int count = 1;
  for (const char *p = cell_end(r, l->begin, l->end); p < l->end; p = cell_end(r, p + 1, l->end)) count++;
  return count;
}

/* The candidate that a line has most of, outside quotes. */
static char find_separator(const line *l) {
  static const char candidates[] = ",;\t";
  int counts[3] = {0}, quoted = 0, best = 0;
  for (const char *p = l->begin; p < l->end; p++) {
    if (*p == '"') quoted = !quoted;
    const char *found = quoted || !*p ? NULL : strchr(candidates, *p);
    if (found) counts[found - candidates]++;
  }
  if (counts[1] > 0) best = 1; /* commas beside semicolons are decimal */
  if (counts[2] > counts[best]) best = 2;
  return candidates[best];
}

/* The number in a cell; 0 when it is none. */
static int read_cell(const reader *r, const char *p, const char *end, double *x) {
  char text[CELL], *stop;
  while (p < end && (*p == ' ' || *p == '\t' || *p == '"')) p++;
  while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '"')) end--;
  size_t n = (size_t)(end - p);
  if (n == 0 || n >= sizeof text) return 0;
  memcpy(text, p, n);
  text[n] = 0;
  char *comma = r->separator == ';' ? strchr(text, ',') : NULL;
  if (comma) *comma = '.';
  *x = jn__read_number(text, &stop);
  return *stop == 0;
}

static int is_numeric(const reader *r, const line *l) {
  double x;
  for (const char *p = l->begin; p <= l->end; p++) {
    const char *end = cell_end(r, p, l->end);
    if (!read_cell(r, p, end, &x)) return 0;
    p = end;
  }
  return 1;
}

static void tell(reader *r, const char *rule, int number, int column, const char *subject, const char *remedy,
                 const char *text) {
  if (++r->told > MAX_TOLD) return;
  jn__log(r->log, JN_ERROR, JN_ERR_SYNTAX, rule, (jn_place){r->table->file, number, column}, subject, remedy, "%s",
          text);
}

static void column_subject(const jn_table *t, int column, char out[96]) {
  snprintf(out, 96, "column '%.*s'", JN_CLIP(t->names[column]));
}

/* A quoted name has its quotes doubled inside. */
static jn_status read_name(reader *r, int column, const char *p, const char *end) {
  char text[256];
  size_t n = 0;
  while (p < end && *p == ' ') p++;
  int quoted = p < end && *p == '"';
  if (!quoted) return jn__table_name(r->table, column, p, (size_t)(end - p));
  for (p++; p < end && n < sizeof text; p++) {
    if (*p == '"' && !(p + 1 < end && p[1] == '"')) break;
    if (*p == '"') p++;
    text[n++] = *p;
  }
  return jn__table_name(r->table, column, text, n);
}

static jn_status read_names(reader *r, const line *l) {
  jn_table *t = r->table;
  const char *p = l->begin;
  char subject[96];
  for (int c = 0; c < t->columns; c++) {
    const char *end = cell_end(r, p, l->end);
    if (read_name(r, c, p, end) != JN_OK) return JN_ERR_MEMORY;
    p = end + 1;
    snprintf(subject, sizeof subject, "column %d", c + 1);
    if (!*t->names[c]) {
      tell(r, "csv-name", l->number, c + 1, subject, "give it a name, or take it out", "has no name");
      continue;
    }
    for (int b = 0; b < c; b++) {
      if (strcmp(t->names[b], t->names[c]) != 0) continue;
      column_subject(t, c, subject);
      tell(r, "csv-duplicate", l->number, c + 1, subject, "keep one of them", "is there twice");
    }
  }
  return JN_OK;
}

static void tell_cell(reader *r, const line *l, int column, const char *p, const char *end) {
  char text[160], subject[96];
  while (p < end && *p == ' ') p++;
  int n = end - p > 40 ? 40 : (int)(end - p);
  if (n == 0)
    snprintf(text, sizeof text, "row %d has no value", r->table->rows + 1);
  else
    snprintf(text, sizeof text, "row %d: '%.*s' is not a finite number", r->table->rows + 1, n, p);
  column_subject(r->table, column, subject);
  tell(r, "csv-value", l->number, column + 1, subject, "every cell needs a number; leave out rows without data", text);
}

static void read_row(reader *r, const line *l) {
  jn_table *t = r->table;
  const char *p = l->begin;
  int c = 0;
  for (; p <= l->end; c++) {
    const char *end = cell_end(r, p, l->end);
    double x = 0;
    if (c < t->columns) {
      if (!read_cell(r, p, end, &x) || !isfinite(x)) tell_cell(r, l, c, p, end);
      t->values[(size_t)c * t->room + (size_t)t->rows] = x;
    }
    p = end + 1;
  }
  t->lines[t->rows++] = l->number;
  if (c == t->columns || (c == t->columns + 1 && l->end[-1] == r->separator)) return;
  char text[160];
  snprintf(text, sizeof text, "row %d has %d columns, but there are %d names", t->rows, c, t->columns);
  tell(r, "csv-columns", l->number, 0, NULL, NULL, text);
}

/* Several words with nothing but blanks between: one column by the rules, but nobody means that. A unit is no word. */
static int is_separated_by_blanks(const line *l) {
  int words = 0;
  for (const char *p = l->begin; p < l->end; p++) {
    if (strchr(",;\t\"", *p)) return 0;
    words += *p != ' ' && *p != '[' && (p == l->begin || p[-1] == ' ');
  }
  return words > 1;
}

/* Texts that are no lines of UTF-8; 0 after telling. */
static int check_text(reader *r) {
  size_t n = (size_t)(r->end - r->p);
  if (n >= 2 && (memcmp(r->p, "\xFF\xFE", 2) == 0 || memcmp(r->p, "\xFE\xFF", 2) == 0))
    tell(r, "csv-text", 0, 0, NULL, "save it as UTF-8", "is text in UTF-16");
  else if (memchr(r->p, '\r', n) && !memchr(r->p, '\n', n))
    tell(r, "csv-text", 0, 0, NULL, "let lines end in LF or CR LF", "has lines that end in CR alone");
  return r->told == 0;
}

/* The names: the first line, or a comment above a first line of numbers. r->p is then at the first row. */
static int find_names(reader *r, line *names) {
  line comment = {0}, first;
  if (!next_full_line(r, &first, &comment)) {
    tell(r, "csv-empty", 0, 0, NULL, "the first line has the names, e.g. t,joint1,joint2", "is empty");
    return 0;
  }
  r->separator = find_separator(&first);
  if (is_separated_by_blanks(&first)) {
    tell(r, "csv-blanks", first.number, 0, NULL, "put commas, semicolons or tabs between the columns",
         "has blanks between the columns");
    return 0;
  }
  *names = first;
  if (!is_numeric(r, &first)) return 1;
  if (comment.begin && count_cells(r, &comment) == count_cells(r, &first)) {
    *names = comment;
    r->p = first.begin;
    r->line = first.number;
    return 1;
  }
  tell(r, "csv-names", first.number, 0, NULL, "put a line of names above the numbers, e.g. t,joint1,joint2",
       "has no names: the first line has numbers");
  return 0;
}

jn_status jn__csv_read(jn_table *t, const char *text, size_t length, jn_log *log) {
  reader r = {.table = t, .log = log, .p = text, .end = text + length, .line = 1};
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.p += 3;
  line names, l;
  if (!check_text(&r) || !find_names(&r, &names)) return JN_ERR_SYNTAX;
  size_t rows = 1;
  for (const char *p = r.p; (p = memchr(p, '\n', (size_t)(r.end - p))); p++) rows++;
  if (jn__table_make(t, count_cells(&r, &names), rows) != JN_OK) return JN_ERR_MEMORY;
  t->lines = jn__allocate(&t->allocator, rows * sizeof *t->lines);
  if (!t->lines || read_names(&r, &names) != JN_OK) return JN_ERR_MEMORY;
  while (next_full_line(&r, &l, NULL)) read_row(&r, &l);
  if (r.told > MAX_TOLD)
    jn__log(log, JN_ERROR, JN_ERR_SYNTAX, "too-many-errors", (jn_place){t->file, 0, 0}, NULL, NULL,
            "has %d more errors like these", r.told - MAX_TOLD);
  return r.told ? JN_ERR_SYNTAX : JN_OK;
}
