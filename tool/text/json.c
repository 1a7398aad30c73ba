/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/text/printable.h"
#include "number.h"

void emit_init(json_writer *j, FILE *stream) { *j = (json_writer){.stream = stream, .first = true}; }

/* What a terminal would act on is written by its number, above U+FFFF as a surrogate pair. */
static void write_code(FILE *stream, unsigned code) {
  if (code == '\n')
    fputs("\\n", stream);
  else if (code == '\t')
    fputs("\\t", stream);
  else if (code > 0xffff)
    fprintf(stream, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
  else
    fprintf(stream, "\\u%04x", code);
}

static void write_string(FILE *stream, const char *s) {
  fputc('"', stream);
  while (*s) {
    int length = jn__utf8(s);
    if (length == 0)
      fputs("\\ufffd", stream);
    else if (*s == '"' || *s == '\\')
      fprintf(stream, "\\%c", *s);
    else if (jn__drawn(s))
      fwrite(s, 1, (size_t)length, stream);
    else
      write_code(stream, jn__code_point(s, length));
    s += length ? length : 1;
  }
  fputc('"', stream);
}

static void write_number(FILE *stream, double value) {
  if (isfinite(value))
    write_exact(stream, value);
  else
    fputs("null", stream);
}

/* Comma, new line, indentation and key before a value. */
static void start_value(json_writer *j, const char *key) {
  if (!j->first) fputs(j->line_depth ? ", " : ",", j->stream);
  if (j->depth > 0 && !j->line_depth) fprintf(j->stream, "\n%*s", 2 * j->depth, "");
  j->first = false;
  if (key) {
    write_string(j->stream, key);
    fputs(": ", j->stream);
  }
}

static void open_level(json_writer *j, const char *key, char bracket) {
  start_value(j, key);
  fputc(bracket, j->stream);
  j->depth++;
  j->first = true;
}

static void close_level(json_writer *j, char bracket) {
  j->depth--;
  if (!j->first && !j->line_depth) fprintf(j->stream, "\n%*s", 2 * j->depth, "");
  if (j->depth < j->line_depth) j->line_depth = 0;
  fputc(bracket, j->stream);
  j->first = false;
  if (j->depth == 0) fputc('\n', j->stream);
}

void emit_open_object(json_writer *j, const char *key) { open_level(j, key, '{'); }
void emit_open_line(json_writer *j, const char *key) {
  emit_open_object(j, key);
  if (!j->line_depth) j->line_depth = j->depth;
}
void emit_close_object(json_writer *j) { close_level(j, '}'); }
void emit_open_array(json_writer *j, const char *key) { open_level(j, key, '['); }
void emit_close_array(json_writer *j) { close_level(j, ']'); }

void emit_text(json_writer *j, const char *key, const char *text) {
  if (!text) {
    emit_null(j, key);
    return;
  }
  start_value(j, key);
  write_string(j->stream, text);
}

void emit_integer(json_writer *j, const char *key, int value) {
  start_value(j, key);
  fprintf(j->stream, "%d", value);
}

void emit_bool(json_writer *j, const char *key, bool value) {
  start_value(j, key);
  fputs(value ? "true" : "false", j->stream);
}

void emit_null(json_writer *j, const char *key) {
  start_value(j, key);
  fputs("null", j->stream);
}

void emit_number(json_writer *j, const char *key, double value) {
  start_value(j, key);
  j->infinite += !isfinite(value);
  write_number(j->stream, value);
}

static void write_row(json_writer *j, const double *values, int count) {
  FILE *stream = j->stream;
  fputc('[', stream);
  for (int i = 0; i < count; i++) {
    if (i > 0) fputs(", ", stream);
    j->infinite += !isfinite(values[i]);
    write_number(stream, values[i]);
  }
  fputc(']', stream);
}

void emit_numbers(json_writer *j, const char *key, const double *values, int count) {
  start_value(j, key);
  write_row(j, values, count);
}

void emit_matrix(json_writer *j, const char *key, const double *values, int rows, int columns) {
  start_value(j, key);
  fputc('[', j->stream);
  for (int i = 0; i < rows; i++) {
    if (i > 0) fputs(", ", j->stream);
    write_row(j, values + (ptrdiff_t)i * columns, columns);
  }
  fputc(']', j->stream);
}
