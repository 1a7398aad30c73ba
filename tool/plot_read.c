/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "plot.h"
#include "print.h"

void sheet_free(sheet *s) {
  for (int c = 0; c < s->count; c++) {
    column *k = &s->columns[c];
    free(k->name);
    free(k->joint);
    free(k->kind);
    free(k->unit);
    free(k->quantity);
    free(k->values);
  }
  free(s->columns);
}

static int complain(const sheet *s, int line, const char *text) {
  say(stderr, "jounce: %s:%d: %s\n", s->path, line, text);
  return EXIT_BAD;
}

/* ---- Lines and cells ---- */

typedef struct reader {
  FILE *file;
  int number; /* of the last line, from 1 */
  char separator;
} reader;

/* A whole line without its end and spaces about it; NULL at the end of the file. */
static char *read_line(reader *r) {
  size_t room = 4096, used = 0;
  char *text = allocate(room);
  while (fgets(text + used, (int)(room - used), r->file)) {
    used += strlen(text + used);
    if (used > 0 && text[used - 1] == '\n') break;
    if (used + 1 == room) text = reallocate(text, room *= 2);
  }
  if (used == 0) {
    free(text);
    return NULL;
  }
  const char *from = text;
  if (r->number++ == 0 && strncmp(from, "\xEF\xBB\xBF", 3) == 0) from += 3;
  while (used > 0 && strchr("\n\r ", text[used - 1])) text[--used] = 0;
  while (*from == ' ') from++;
  memmove(text, from, strlen(from) + 1);
  return text;
}

/* The next line with something in it; *comment gets the last one with # that was passed (NULL: not wanted). */
static char *read_full_line(reader *r, char **comment) {
  for (char *line; (line = read_line(r)); free(line)) {
    if (!*line) continue;
    if (*line != '#') return line;
    if (!comment) continue;
    free(*comment);
    *comment = copy_text(line + 1, strlen(line + 1));
  }
  return NULL;
}

/* The candidate that a line has, outside quotes; commas beside semicolons are decimal. */
static char find_separator(const char *line) {
  int commas = 0, semicolons = 0, tabs = 0;
  bool quoted = false;
  for (const char *p = line; *p; p++) {
    quoted ^= *p == '"';
    if (quoted) continue;
    commas += *p == ',';
    semicolons += *p == ';';
    tabs += *p == '\t';
  }
  int best = semicolons ? semicolons : commas;
  return tabs > best ? '\t' : semicolons ? ';' : ',';
}

/* The next cell without quotes and spaces about it: *at moves behind it; NULL after the last. */
static char *next_cell(char **at, char separator) {
  char *from = *at, *to, *cell;
  if (!from) return NULL;
  while (*from == ' ' || (*from == '\t' && separator != '\t')) from++;
  to = cell = from;
  bool quoted = false;
  for (; *from && (quoted || *from != separator); from++) {
    if (*from == '"' && quoted && from[1] == '"')
      *to++ = *from++;
    else if (*from == '"')
      quoted = !quoted;
    else
      *to++ = *from;
  }
  *at = *from ? from + 1 : NULL;
  while (to > cell && (to[-1] == ' ' || to[-1] == '\t')) to--;
  *to = 0;
  return cell;
}

/* The number in a cell, NaN when it is empty or not finite; false for text. */
static bool read_number(const reader *r, const char *cell, double *x) {
  *x = NAN;
  if (!*cell) return true;
  char *text = copy_text(cell, strlen(cell)), *end, *comma = r->separator == ';' ? strchr(text, ',') : NULL;
  if (comma) *comma = '.';
  double value = strtod(text, &end);
  bool good = *end == 0;
  if (good && isfinite(value)) *x = value;
  free(text);
  return good;
}

/* ---- Names ---- */

/* Where "_d2" begins at the end of a name; its end when there is none. */
static size_t derivative_start(const char *name, size_t length) {
  size_t digits = length;
  while (digits > 0 && isdigit((unsigned char)name[digits - 1])) digits--;
  return digits < length && digits > 2 && name[digits - 1] == 'd' && name[digits - 2] == '_' ? digits - 2 : length;
}

static void split_name(column *c) {
  const char *name = c->name, *bracket = strchr(name, '[');
  size_t length = bracket ? (size_t)(bracket - name) : strlen(name);
  while (length > 0 && name[length - 1] == ' ') length--;
  const char *tau = strstr(name, ".tau");
  size_t joint = tau && (size_t)(tau - name) < length ? (size_t)(tau - name) : derivative_start(name, length);
  c->joint = copy_text(name, joint);
  c->kind = copy_text(name + joint, length - joint);
  c->unit = bracket ? copy_text(bracket + 1, strcspn(bracket + 1, "]")) : copy_text("", 0);
}

static int read_head(sheet *s, const reader *r, char *line) {
  for (char *cell; (cell = next_cell(&line, r->separator));) {
    s->columns = reallocate(s->columns, (size_t)(s->count + 1) * sizeof *s->columns);
    column *c = &s->columns[s->count++];
    *c = (column){.name = copy_text(cell, strlen(cell))};
    split_name(c);
  }
  if (s->count >= 2) return OPTION_GO_ON;
  return complain(s, r->number, "needs two columns at least, with commas, semicolons or tabs between: t,joint1");
}

/* Are all cells of a line numbers? */
static bool is_numeric(const reader *r, const char *line) {
  char *copy = copy_text(line, strlen(line)), *at = copy;
  bool all = true;
  double x;
  for (const char *cell; all && (cell = next_cell(&at, r->separator));) all = *cell && read_number(r, cell, &x);
  free(copy);
  return all;
}

static int count_cells(const reader *r, const char *line) {
  char *copy = copy_text(line, strlen(line)), *at = copy;
  int count = 0;
  while (next_cell(&at, r->separator)) count++;
  free(copy);
  return count;
}

/* ---- Rows ---- */

/* A column of text is told once, and left out; but the time is needed. */
static int tell_text(const sheet *s, int c, int number, const char *cell) {
  char *text = format_text("column '%s': '%.40s' is not a number; %s", s->columns[c].name, cell,
                           c == 0 ? "the first column is the time" : "the column is left out");
  int status = complain(s, number, text);
  free(text);
  return c == 0 ? status : OPTION_GO_ON;
}

static int read_row(sheet *s, const reader *r, char *line) {
  int status = OPTION_GO_ON, cells = 0;
  if (s->samples == s->room) {
    s->room = s->room ? 2 * s->room : 1024;
    for (int c = 0; c < s->count; c++)
      s->columns[c].values = reallocate(s->columns[c].values, (size_t)s->room * sizeof(double));
  }
  for (const char *cell; status == OPTION_GO_ON && (cell = next_cell(&line, r->separator)); cells++) {
    if (cells == s->count && !*cell && !line) break; /* a separator at the end of the line */
    if (cells >= s->count) continue;
    column *c = &s->columns[cells];
    if (read_number(r, cell, &c->values[s->samples]) || c->text) continue;
    c->text = true;
    status = tell_text(s, cells, r->number, cell);
  }
  s->samples++;
  if (status != OPTION_GO_ON || cells == s->count) return status;
  char *text = format_text("row %d has %d columns, but there are %d names", s->samples, cells, s->count);
  status = complain(s, r->number, text);
  free(text);
  return status;
}

/* Names are in the first line, or in a comment above a first line of numbers (NumPy's savetxt). */
static int read_first(sheet *s, reader *r) {
  char *comment = NULL, *first = read_full_line(r, &comment);
  int status;
  if (!first) {
    status = complain(s, r->number, "is empty; the first line has the names, e.g. t,joint1,joint2");
  } else {
    r->separator = find_separator(first);
    bool numbers = is_numeric(r, first);
    if (!numbers) {
      status = read_head(s, r, first);
    } else if (comment && count_cells(r, comment) == count_cells(r, first)) {
      status = read_head(s, r, comment);
      if (status == OPTION_GO_ON) status = read_row(s, r, first);
    } else {
      status = complain(s, r->number, "has no names: put a line of names above the numbers, e.g. t,joint1,joint2");
    }
  }
  free(comment);
  free(first);
  return status;
}

int sheet_read(sheet *s) {
  reader r = {.file = strcmp(s->path, "-") == 0 ? stdin : fopen(s->path, "r")};
  if (!r.file) {
    say(stderr, "jounce: cannot read %s: %s\n", s->path, strerror(errno));
    return EXIT_BAD;
  }
  int status = read_first(s, &r);
  for (char *line; status == OPTION_GO_ON && (line = read_full_line(&r, NULL)); free(line))
    status = read_row(s, &r, line);
  if (r.file != stdin) fclose(r.file);
  if (status != OPTION_GO_ON) return status;
  if (s->samples < 2) return complain(s, r.number, "has no rows to draw");
  int numbers = 0;
  for (int c = 1; c < s->count; c++) numbers += !s->columns[c].text;
  return numbers > 0 ? OPTION_GO_ON : complain(s, r.number, "has no column of numbers to draw");
}
