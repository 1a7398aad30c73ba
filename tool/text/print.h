/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for people: numbers, colour, aligned tables. JSON for programs is in json.h. */
#ifndef JN_TOOL_TEXT_PRINT_H
#define JN_TOOL_TEXT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "text.h"

/* Memory that is there: without memory the command ends with exit code 1. Release with free(). */
void *allocate(size_t bytes);
void *reallocate(void *block, size_t bytes);
char *copy_text(const char *text, size_t length);
/* printf into a new string. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Of a path: capitals or not. */
bool ends_with(const char *text, const char *ending);

/* Does the locale of the environment (LC_ALL, LC_CTYPE, LANG) use UTF-8? */
bool terminal_is_utf8(void);
/* May this stream get colour: a terminal, and NO_COLOR is not set. */
bool stream_has_colour(FILE *stream);
bool is_terminal(FILE *stream);

typedef enum colour {
  COLOUR_NONE,
  COLOUR_BOLD,
  COLOUR_DIM,
  COLOUR_RED,
  COLOUR_YELLOW,
  COLOUR_CYAN,
  COLOUR_GREEN
} colour;
/* The escape sequence, or nothing when `enabled` is false; COLOUR_NONE ends a colour. */
void print_colour(FILE *stream, bool enabled, colour which);

/* Text from outside is printed by print_text() and say() of text.h. */
/* Text that starts at `column`, broken at spaces before column 100; later lines start at `indent`. Ends the line. */
void print_wrapped(const char *text, int column, int indent);
/* Columns that the text takes: UTF-8 code points. */
int text_width(const char *text);
/* "1 warning", "2 warnings". */
char *plural_text(int count, const char *noun);

/* Numbers for people, at most four significant digits, without trailing zeros; infinite: "-". */
enum { NUMBER_TEXT = 32 };
void short_number(double x, char text[NUMBER_TEXT]);
/* The same with at most `decimals` digits after the point (0.0500 -> 0.05, 0.00001 -> 0). */
void fixed_number(double x, int decimals, char text[NUMBER_TEXT]);

/* A table: set up the columns, add the cells row by row, print. Widths follow from the cells. */
typedef enum table_align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_POINT } table_align;

typedef struct table_column {
  const char *title;
  table_align align; /* ALIGN_POINT: decimal points below each other */
} table_column;

typedef struct table {
  const table_column *columns;
  int column_count;
  char **cells; /* row by row */
  int cell_count;
  int cell_capacity;
} table;

void table_init(table *t, const table_column *columns, int column_count);
void table_cell(table *t, const char *text);
void table_cellf(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(table *t, double x); /* short_number() */
int table_rows(const table *t);
int table_width(const table *t);
void table_print(table *t, FILE *stream); /* and release */
void table_free(table *t);

/* A time with at most `decimals` digits behind the point, and all before it: 1700000000.25. */
enum { TIME_TEXT = 48 };
void time_text(double t, int decimals, char text[TIME_TEXT]);

#endif
