/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <jounce/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/input.h"
#include "../model/argument.h"
#include "../options/options.h"
#include "../text/print.h"
#include "plot.h"

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
  fputs("jounce: ", stderr);
  print_place(stderr, s->path, s->path, line, 0);
  print_text(stderr, text);
  fputc('\n', stderr);
  return EXIT_BAD;
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

static char *full_name(const jn_table *t, int c) {
  const char *name = jn_table_name(t, c), *unit = jn_table_unit(t, c);
  return *unit ? format_text("%s [%s]", name, unit) : copy_text(name, strlen(name));
}

/* ---- Columns ---- */

/* A column of text is left out, but the time is needed. Only the first few are reported. */
static int tell_text(const sheet *s, const jn_table *t, int c, int told) {
  enum { MAX_TOLD = 10 };
  char cell[48];
  if (c > 0 && told > MAX_TOLD) return OPTION_GO_ON;
  int row = jn_table_text_row(t, c);
  jn_table_cell(t, row, c, cell, sizeof cell);
  char *text = c > 0 && told == MAX_TOLD
                   ? copy_text("further columns of text are left out", 36)
                   : format_text("column '%s': '%.40s' is not a number; %s", s->columns[c].name, cell,
                                 c == 0 ? "the first column is the time" : "the column is left out");
  int status = complain(s, jn_table_line(t, row), text);
  free(text);
  return c == 0 ? status : OPTION_GO_ON;
}

/* Infinite values are gaps as well. */
static void copy_values(const jn_table *t, int c, column *to) {
  const double *values = jn_table_values(t, c);
  int rows = jn_table_rows(t);
  to->values = allocate((size_t)rows * sizeof *to->values);
  for (int i = 0; i < rows; i++) to->values[i] = isfinite(values[i]) ? values[i] : NAN;
}

static int take_columns(sheet *s, const jn_table *t) {
  int status = OPTION_GO_ON, count = jn_table_columns(t), numbers = 0, texts = 0;
  if (count < 2)
    return complain(s, jn_table_line(t, -1),
                    "needs two columns at least, with commas, semicolons or tabs between: t,joint1");
  s->columns = allocate((size_t)count * sizeof *s->columns);
  s->samples = jn_table_rows(t);
  for (; s->count < count && status == OPTION_GO_ON; s->count++) {
    column *c = &s->columns[s->count];
    *c = (column){.name = full_name(t, s->count), .text = jn_table_text_row(t, s->count) >= 0};
    split_name(c);
    if (!c->text) copy_values(t, s->count, c);
    if (c->text) status = tell_text(s, t, s->count, texts++);
    numbers += s->count > 0 && !c->text;
  }
  if (status != OPTION_GO_ON) return status;
  int last = jn_table_line(t, s->samples - 1);
  if (s->samples < 2) return complain(s, last, "has no rows to draw");
  return numbers > 0 ? OPTION_GO_ON : complain(s, last, "has no column of numbers to draw");
}

int sheet_read(sheet *s) {
  jn_table_options options;
  jn_table *t;
  jn_error error;
  size_t length;
  char *text = read_input(s->path, s->path, s->max_bytes, &length);
  if (!text) return EXIT_BAD;
  jn_table_options_init(&options);
  options.loose = 1;
  options.max_bytes = s->max_bytes;
  jn_status read = jn_table_read(text, length, s->path, &options, &t, &error);
  free(text);
  if (read != JN_OK) return complain(s, error.line, error.text);
  int status = take_columns(s, t);
  jn_table_destroy(t);
  return status;
}
