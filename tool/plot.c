/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce plot: draw a CSV file. Columns NAME, NAME_d1, NAME.tau, NAME.tau_d1, ... become one column of panels a joint
 * with the quantities as rows; other files get one panel for each column. */
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <fnmatch.h>
#endif

#include "command.h"
#include "figure.h"
#include "options.h"
#include "print.h"

/* One column of the file: "joint1.tau_d1 [N m/s]" is joint1, .tau_d1, N m/s. */
typedef struct column {
  char *name, *joint, *kind, *unit;
  int row, place; /* in the figure; -1: not drawn */
  double *values;
} column;

typedef struct sheet {
  const char *path;
  column *columns;
  int count;
  int samples, room;
} sheet;

static void sheet_free(sheet *s) {
  for (int c = 0; c < s->count; c++) {
    column *k = &s->columns[c];
    free(k->name);
    free(k->joint);
    free(k->kind);
    free(k->unit);
    free(k->values);
  }
  free(s->columns);
}

/* ---- Reading ---- */

static int complain(const sheet *s, int line, const char *text) {
  fprintf(stderr, "jounce: %s:%d: %s\n", s->path, line, text);
  return EXIT_BAD;
}

/* A whole line without its end; NULL at the end of the file. */
static char *read_line(FILE *f) {
  size_t room = 4096, used = 0;
  char *text = allocate(room);
  while (fgets(text + used, (int)(room - used), f)) {
    used += strlen(text + used);
    if (used > 0 && text[used - 1] == '\n') break;
    if (used + 1 == room) text = reallocate(text, room *= 2);
  }
  while (used > 0 && (text[used - 1] == '\n' || text[used - 1] == '\r')) text[--used] = 0;
  if (used > 0 || !feof(f)) return text;
  free(text);
  return NULL;
}

/* The next cell: *at moves behind it; quotes are taken away. */
static char *next_cell(char **at, char separator) {
  char *from = *at, *to = from, *cell = from;
  if (!from) return NULL;
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
  *to = 0;
  return cell;
}

static char find_separator(const char *line) {
  return strchr(line, ';') ? ';' : strchr(line, ',') ? ',' : strchr(line, '\t') ? '\t' : ',';
}

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
  c->unit = bracket ? copy_text(bracket, strcspn(bracket, "]") + 1) : copy_text("", 0);
}

static int read_head(sheet *s, char *line, char separator) {
  if (strncmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3;
  for (char *cell; (cell = next_cell(&line, separator));) {
    s->columns = reallocate(s->columns, (size_t)(s->count + 1) * sizeof *s->columns);
    column *c = &s->columns[s->count++];
    *c = (column){.name = copy_text(cell, strlen(cell)), .row = -1, .place = -1};
    split_name(c);
  }
  return s->count >= 2 ? OPTION_GO_ON : complain(s, 1, "needs two columns at least: a time, and something over it");
}

static int read_row(sheet *s, char *line, int number, char separator) {
  if (s->samples == s->room) {
    s->room = s->room ? 2 * s->room : 1024;
    for (int c = 0; c < s->count; c++)
      s->columns[c].values = reallocate(s->columns[c].values, (size_t)s->room * sizeof(double));
  }
  for (int c = 0; c < s->count; c++) {
    const char *cell = next_cell(&line, separator);
    char *end = NULL;
    double x = cell ? strtod(cell, &end) : NAN;
    if (cell && end && end[strspn(end, " ")] != 0) {
      char *text = format_text("column '%s': '%s' is not a number", s->columns[c].name, cell);
      complain(s, number, text);
      free(text);
      return EXIT_BAD;
    }
    s->columns[c].values[s->samples] = cell && end != cell ? x : NAN; /* an empty cell is a gap */
  }
  s->samples++;
  return OPTION_GO_ON;
}

static int read_sheet(sheet *s) {
  FILE *f = strcmp(s->path, "-") == 0 ? stdin : fopen(s->path, "r");
  if (!f) {
    fprintf(stderr, "jounce: cannot read %s: %s\n", s->path, strerror(errno));
    return EXIT_BAD;
  }
  int number = 0, status = OPTION_GO_ON;
  char separator = 0;
  for (char *line; status == OPTION_GO_ON && (line = read_line(f)); free(line)) {
    number++;
    if (!*line || *line == '#') continue;
    if (!separator) {
      separator = find_separator(line);
      status = read_head(s, line, separator);
    } else {
      status = read_row(s, line, number, separator);
    }
  }
  if (f != stdin) fclose(f);
  if (status == OPTION_GO_ON && s->samples < 2) status = complain(s, number, "has no rows to draw");
  return status;
}

/* ---- Arranging ---- */

static bool is_wanted(const column *c, const char *pattern) {
  if (!pattern) return true;
#ifndef _WIN32
  if (strpbrk(pattern, "*?[")) {
    char *bare = format_text("%s%s", c->joint, c->kind);
    bool match = fnmatch(pattern, c->name, 0) == 0 || fnmatch(pattern, bare, 0) == 0;
    free(bare);
    return match;
  }
#endif
  return strstr(c->name, pattern) != NULL;
}

/* The first wanted column with the same joint (or kind), or c itself. */
static int first_with(const sheet *s, int c, bool joint) {
  for (int b = 1; b < c; b++) {
    const column *p = &s->columns[b], *q = &s->columns[c];
    if (p->place >= 0 && strcmp(joint ? p->joint : p->kind, joint ? q->joint : q->kind) == 0) return b;
  }
  return c;
}

static void arrange(sheet *s, const char *pattern, int *rows, int *columns) {
  bool grid = false;
  *rows = *columns = 0;
  for (int c = 1; c < s->count; c++) grid |= *s->columns[c].kind && is_wanted(&s->columns[c], pattern);
  for (int c = 1; c < s->count; c++) {
    column *k = &s->columns[c];
    if (!is_wanted(k, pattern)) continue;
    int same_joint = grid ? first_with(s, c, true) : c, same_kind = grid ? first_with(s, c, false) : c;
    k->row = !grid ? 0 : same_kind < c ? s->columns[same_kind].row : (*rows)++;
    k->place = same_joint < c ? s->columns[same_joint].place : (*columns)++;
  }
  if (!grid) *rows = 1;
}

static void fill_panel(const sheet *s, const column *c, panel *p) {
  thinner t;
  if (p->x) return; /* two columns of one name: the first */
  thinner_init(&t, p, s->samples);
  for (int i = 0; i < s->samples; i++)
    if (isfinite(c->values[i]) && isfinite(s->columns[0].values[i]))
      thinner_add(&t, s->columns[0].values[i], c->values[i]);
  thinner_end(&t);
}

static char *title_of_row(const column *c, bool grid) {
  if (!grid) return copy_text("", 0);
  const char *kind = *c->kind == '.' || *c->kind == '_' ? c->kind + 1 : *c->kind ? c->kind : "value";
  return format_text("%s\n%s", kind, c->unit);
}

static int draw(sheet *s, const char *pattern, const char *out) {
  int rows, columns;
  arrange(s, pattern, &rows, &columns);
  if (columns == 0) return usage_error("plot", "--columns %s: no column has such a name", pattern);
  figure f;
  figure_init(&f, rows, columns);
  bool grid = rows > 1;
  f.title = copy_text(s->path, strlen(s->path));
  for (int c = 1; c < s->count; c++) {
    const column *k = &s->columns[c];
    if (k->place < 0) continue;
    char **across = &f.column_titles[k->place], **down = &f.row_titles[k->row];
    if (!*across) *across = copy_text(grid ? k->joint : k->name, strlen(grid ? k->joint : k->name));
    if (!*down) *down = title_of_row(k, grid);
    fill_panel(s, k, figure_panel(&f, k->row, k->place));
  }
  int status = figure_draw(&f, out);
  figure_free(&f);
  return status;
}

/* ---- Command ---- */

int command_plot(int argc, char **argv) {
  option_set set;
  const char *pattern = NULL, *out = "-", *source = NULL;
  option_set_init(
      &set, "plot", "FILE",
      "Draw a CSV file: its first column as time, the others over it. Results of jounce torque become one "
      "column of panels a joint, with position, velocity, torque, ... as rows; other files get one panel for "
      "each column. FILE - is standard input.");
  option_text(&set, "out", "FILE", "FILE.svg, .png, .pdf; default -: text in the terminal", &out);
  option_text(&set, "columns", "PATTERN",
              "only columns with this in their name, or that match: '*.tau*', 'joint[1-3]*'", &pattern);
  int status = option_parse(&set, argc, argv, &source, 1, 1);
  if (status == OPTION_GO_ON) status = figure_check("plot", out);
  if (status != OPTION_GO_ON) return status;
  sheet s = {.path = source};
  status = read_sheet(&s);
  if (status == OPTION_GO_ON) status = draw(&s, pattern, out);
  sheet_free(&s);
  return status == OPTION_GO_ON ? EXIT_FINE : status;
}
