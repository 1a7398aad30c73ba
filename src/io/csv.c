/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV: a line of names, then lines of numbers, separated by commas, semicolons or tabs. Names may be quoted. Lines that
 * begin with # are comments, except that the one just above the numbers has the names if no other line does (NumPy's
 * savetxt). A byte order mark, carriage returns and empty lines are ignored. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "table.h"

enum { MAX_TOLD = 10, MAX_NAMED = 8, CELL = 128 };

typedef struct reader {
  jn_table *table;
  jn_log *log;
  const char *begin;
  const char *p, *end; /* what is still to be read */
  int line;            /* of p, from 1 */
  char separator;
  int told;                 /* errors */
  int is_bad;               /* the row at hand, if bad rows are left out */
  int bad_lines[MAX_NAMED]; /* the first lines that were, */
  int bad_column;           /*   and the column of the first, -1: the number of cells is wrong */
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
static const char *end_of_cell(char separator, const char *p, const char *end) {
  int quoted = 0;
  for (; p < end; p++) {
    if (*p == '"') quoted = !quoted;
    if (*p == separator && !quoted) break;
  }
  return p;
}

static const char *cell_end(const reader *r, const char *p, const char *end) {
  return end_of_cell(r->separator, p, end);
}

static void trim(const char **p, const char **end) {
  while (*p < *end && (**p == ' ' || **p == '\t' || **p == '"')) ++*p;
  while (*end > *p && ((*end)[-1] == ' ' || (*end)[-1] == '\t' || (*end)[-1] == '"')) --*end;
}

int jn__csv_cell(char separator, const char **p, const char **end, int column) {
  const char *stop = end_of_cell(separator, *p, *end);
  for (; column > 0 && stop < *end; column--) {
    *p = stop + 1;
    stop = end_of_cell(separator, *p, *end);
  }
  *end = stop;
  trim(p, end);
  return column == 0;
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

static int has_nul(const char *p, const char *end) { return memchr(p, 0, (size_t)(end - p)) != NULL; }

/* The number in a cell; 0 if it is not one. A NUL byte does not end it. */
static int read_cell(const reader *r, const char *p, const char *end, double *x) {
  char text[CELL], *stop;
  trim(&p, &end);
  size_t n = (size_t)(end - p);
  if (n == 0 || n >= sizeof text || has_nul(p, end)) return 0;
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

/* A quoted name has its quotes doubled inside; the longest name is the room that it needs. */
static jn_status read_name(reader *r, int column, const char *p, const char *end, char *room) {
  size_t n = 0;
  while (p < end && *p == ' ') p++;
  int quoted = p < end && *p == '"';
  if (!quoted) return jn__table_set_name(r->table, column, p, (size_t)(end - p));
  for (p++; p < end; p++) {
    if (*p == '"' && !(p + 1 < end && p[1] == '"')) break;
    if (*p == '"') p++;
    room[n++] = *p;
  }
  return jn__table_set_name(r->table, column, room, n);
}

typedef struct named {
  const char *name;
  int column;
} named;

static int compare_named(const void *a, const void *b) {
  const named *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->column > y->column) - (x->column < y->column);
}

/* Sorted, so that wide files take no longer than long ones. */
static jn_status check_duplicates(reader *r, int number) {
  const jn_table *t = r->table;
  named *list = jn__allocate(&t->allocator, (size_t)t->columns * sizeof *list);
  if (!list) return JN_ERR_MEMORY;
  for (int c = 0; c < t->columns; c++) list[c] = (named){t->names[c], c};
  qsort(list, (size_t)t->columns, sizeof *list, compare_named);
  for (int i = 1; i < t->columns; i++) {
    char subject[96];
    if (!*list[i].name || strcmp(list[i].name, list[i - 1].name) != 0) continue;
    column_subject(t, list[i].column, subject);
    tell(r, "csv-duplicate", number, list[i].column + 1, subject, "keep one of them", "appears twice");
  }
  jn__release(&t->allocator, list);
  return JN_OK;
}

static jn_status read_names(reader *r, const line *l) {
  jn_table *t = r->table;
  const char *p = l->begin;
  char subject[96], *room = jn__allocate(&t->allocator, (size_t)(l->end - l->begin) + 1);
  jn_status status = room ? JN_OK : JN_ERR_MEMORY;
  t->name_line = l->number;
  for (int c = 0; c < t->columns && status == JN_OK; c++) {
    const char *end = cell_end(r, p, l->end);
    status = read_name(r, c, p, end, room);
    snprintf(subject, sizeof subject, "column %d", c + 1);
    if (has_nul(p, end))
      tell(r, "csv-nul", l->number, c + 1, subject, "write the file as text again", "has a NUL byte in its name");
    else if (status == JN_OK && !*t->names[c])
      tell(r, "csv-name", l->number, c + 1, subject, "give it a name, or take it out", "has no name");
    p = end + 1;
  }
  jn__release(&t->allocator, room);
  return status == JN_OK ? check_duplicates(r, l->number) : status;
}

static void tell_cell(reader *r, const line *l, int column, const char *p, const char *end) {
  char text[160], subject[96];
  if (r->told >= MAX_TOLD) {
    r->told++;
    return;
  }
  while (p < end && *p == ' ') p++;
  int n = end - p > 40 ? 40 : (int)(end - p);
  if (has_nul(p, end))
    snprintf(text, sizeof text, "row %d has a NUL byte", r->table->rows + 1);
  else if (n == 0)
    snprintf(text, sizeof text, "row %d has no value", r->table->rows + 1);
  else
    snprintf(text, sizeof text, "row %d: '%.*s' is not a finite number", r->table->rows + 1, n, p);
  column_subject(r->table, column, subject);
  tell(r, "csv-value", l->number, column + 1, subject,
       "every cell needs a number; leave out rows without data (of logs: --skip-bad)", text);
}

/* The number of a cell; reported if it must be one and is not. */
static double take_cell(reader *r, const line *l, int c, const char *p, const char *end) {
  jn_table *t = r->table;
  double x = 0;
  int is_number = read_cell(r, p, end, &x);
  if (is_number && (isfinite(x) || t->loose)) return x;
  if (t->skip_bad && !t->loose) {
    if (!r->is_bad && t->bad_rows == 0) r->bad_column = c;
    r->is_bad = 1;
    return NAN;
  }
  if (!t->loose || has_nul(p, end)) {
    tell_cell(r, l, c, p, end);
    return x;
  }
  trim(&p, &end);
  if (p < end && !t->text_rows[c]) t->text_rows[c] = t->rows + 1;
  return NAN;
}

static int is_used(const jn_table *t, int c) {
  return !t->use || t->use[c] == JN_COLUMN_VALUE || t->use[c] == JN_COLUMN_TIME;
}

/* Tables of several sources have rows in which only the others have values. */
static int is_empty_row(const reader *r, const line *l) {
  const jn_table *t = r->table;
  int values = 0, c = 0;
  for (const char *p = l->begin; p <= l->end && t->use && c < t->columns; c++) {
    const char *end = cell_end(r, p, l->end), *first = p, *last = end;
    p = end + 1;
    if (t->use[c] != JN_COLUMN_VALUE) continue;
    trim(&first, &last);
    if (first < last) return 0;
    values++;
  }
  return values > 0 && c == t->columns;
}

/* Leaves the row at hand out, and keeps its line for the warning. */
static void skip_row(reader *r, const line *l) {
  jn_table *t = r->table;
  if (!r->is_bad && t->bad_rows == 0) r->bad_column = -1;
  if (t->bad_rows < MAX_NAMED) r->bad_lines[t->bad_rows] = l->number;
  t->bad_rows++;
}

/* One warning for all rows that were left out. */
static void tell_skipped(const reader *r) {
  const jn_table *t = r->table;
  char lines[128] = "", subject[96];
  if (t->bad_rows == 0) return;

  for (int i = 0; i < t->bad_rows && i < MAX_NAMED; i++) {
    size_t used = strlen(lines);
    snprintf(lines + used, sizeof lines - used, "%s%d", i ? ", " : "", r->bad_lines[i]);
  }
  if (r->bad_column >= 0)
    column_subject(t, r->bad_column, subject);
  else
    snprintf(subject, sizeof subject, "the row");
  jn__log(r->log, JN_WARNING, JN_ERR_SYNTAX, "skipped-rows", (jn_place){t->file, r->bad_lines[0], r->bad_column + 1},
          NULL, NULL, "%d of %d rows %s left out: line%s %s%s; first: %s %s", t->bad_rows, t->bad_rows + t->rows,
          t->bad_rows == 1 ? "is" : "are", t->bad_rows == 1 ? "" : "s", lines, t->bad_rows > MAX_NAMED ? ", ..." : "",
          subject, r->bad_column >= 0 ? "has no finite number" : "has too few or too many cells");
}

static void read_row(reader *r, const line *l) {
  jn_table *t = r->table;
  r->is_bad = 0;
  if (is_empty_row(r, l)) {
    t->empty_rows++;
    return;
  }
  const char *p = l->begin;
  int c = 0;
  for (; p <= l->end; c++) {
    const char *end = cell_end(r, p, l->end);
    if (c < t->columns) {
      double *value = &t->values[(size_t)c * t->room + (size_t)t->rows];
      *value = is_used(t, c) ? take_cell(r, l, c, p, end) : NAN;
    }
    p = end + 1;
  }
  int fits = c == t->columns || (c == t->columns + 1 && l->end[-1] == r->separator);
  if (t->skip_bad && (r->is_bad || !fits)) {
    skip_row(r, l);
    return;
  }
  if (t->loose) {
    t->starts[t->rows] = (size_t)(l->begin - r->begin);
    t->ends[t->rows] = (size_t)(l->end - r->begin);
  }
  t->lines[t->rows++] = l->number;
  if (fits) return;
  char text[160];
  snprintf(text, sizeof text, "row %d has %d columns, but there are %d names", t->rows, c, t->columns);
  tell(r, "csv-columns", l->number, 0, NULL, NULL, text);
}

/* Several words with nothing but blanks between: one column by the rules, but that is never meant. A unit is not a
 * word. */
static int is_separated_by_blanks(const line *l) {
  int words = 0;
  for (const char *p = l->begin; p < l->end; p++) {
    if (strchr(",;\t\"", *p)) return 0;
    words += *p != ' ' && *p != '[' && (p == l->begin || p[-1] == ' ');
  }
  return words > 1;
}

/* Texts that are not lines of UTF-8; 0 after reporting. */
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

/* What a loose table keeps beside its numbers. */
static jn_status keep_text(reader *r, size_t rows) {
  jn_table *t = r->table;
  size_t length = (size_t)(r->end - r->begin);
  t->text = jn__allocate(&t->allocator, length);
  t->starts = jn__allocate(&t->allocator, rows * sizeof *t->starts);
  t->ends = jn__allocate(&t->allocator, rows * sizeof *t->ends);
  t->text_rows = jn__allocate(&t->allocator, (size_t)t->columns * sizeof *t->text_rows);
  if (!t->text || !t->starts || !t->ends || !t->text_rows) return JN_ERR_MEMORY;
  memcpy(t->text, r->begin, length);
  return JN_OK;
}

/* Names, and room for the rows that follow. */
static jn_status make(reader *r, const line *names) {
  jn_table *t = r->table;
  reader ahead = *r;
  line l;
  size_t rows = 0;
  while (next_full_line(&ahead, &l, NULL)) rows++;
  jn_status status = jn__table_make(t, r->log, (size_t)count_cells(r, names), rows);
  if (status != JN_OK) return status;
  t->separator = r->separator;
  t->lines = jn__allocate(&t->allocator, rows * sizeof *t->lines);
  if (!t->lines || (t->loose && keep_text(r, rows) != JN_OK)) return JN_ERR_MEMORY;
  return read_names(r, names);
}

static jn_status choose(const reader *r) {
  reader ahead = *r;
  line first = {0};
  next_full_line(&ahead, &first, NULL);
  return r->table->choose(r->table, first.begin, first.end, r->table->context);
}

jn_status jn__csv_read(jn_table *t, const char *text, size_t length, jn_log *log) {
  reader r = {.table = t, .log = log, .begin = text, .p = text, .end = text + length, .line = 1};
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.p += 3;
  line names, l;
  if (!check_text(&r) || !find_names(&r, &names)) return JN_ERR_SYNTAX;
  jn_status status = make(&r, &names);
  if (status == JN_OK && t->choose && r.told == 0) status = choose(&r);
  if (status != JN_OK) return status;
  while (next_full_line(&r, &l, NULL)) read_row(&r, &l);
  tell_skipped(&r);
  if (r.told > MAX_TOLD)
    jn__log(log, JN_ERROR, JN_ERR_SYNTAX, "too-many-errors", (jn_place){t->file, 0, 0}, NULL, NULL,
            "has %d more errors like these", r.told - MAX_TOLD);
  return r.told ? JN_ERR_SYNTAX : JN_OK;
}
