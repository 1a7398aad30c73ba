/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON on a stream, indented by two spaces; small objects and rows of numbers on one line. `key` is the name in an
 * object and NULL in an array. */
#ifndef JN_TOOL_TEXT_JSON_H
#define JN_TOOL_TEXT_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct json_writer {
  FILE *stream;
  int depth;
  int line_depth; /* depth of the object that is written on one line, 0 if none */
  bool first;     /* nothing yet in the innermost object or array */
  long infinite;  /* numbers that were not finite, and became null */
} json_writer;

void emit_init(json_writer *j, FILE *stream);
void emit_open_object(json_writer *j, const char *key);
void emit_open_line(json_writer *j, const char *key); /* an object on one line */
void emit_close_object(json_writer *j);
void emit_open_array(json_writer *j, const char *key);
void emit_close_array(json_writer *j);
void emit_text(json_writer *j, const char *key, const char *text); /* NULL: null */
void emit_integer(json_writer *j, const char *key, int value);
void emit_bool(json_writer *j, const char *key, bool value);
void emit_null(json_writer *j, const char *key);
/* The shortest of 15, 16 or 17 digits that reads back as the same double; null when it is not finite. */
void emit_number(json_writer *j, const char *key, double value);
/* Arrays on one line. */
void emit_numbers(json_writer *j, const char *key, const double *values, int count);
void emit_matrix(json_writer *j, const char *key, const double *values, int rows, int columns); /* row-major */

#endif
