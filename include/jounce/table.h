/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/table.h: tables of numbers from CSV text, by the rules in docs/torque.md that all commands share. The first
 * line has the names of the columns, optionally with units in brackets; the other lines have the numbers. The separator
 * is a comma, a semicolon (decimal commas are then allowed) or a tab. Quotes, comments with #, a byte order mark and
 * empty lines are accepted.
 * Tier: experimental (docs/stability.md).
 *
 * A table never changes after it is read, so any number of threads may use it. Queries with a NULL table or an index
 * out of range give 0, -1 or NULL. */
#ifndef JOUNCE_TABLE_H
#define JOUNCE_TABLE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of numbers with names. */
typedef struct jn_table jn_table;

/* Set up with jn_table_options_init(); NULL in place of options means these defaults. */
typedef struct jn_table_options {
  size_t size;                   /* sizeof(jn_table_options), set by jn_table_options_init() */
  const jn_allocator *allocator; /* NULL: malloc and free. Copied; its context must outlive the table */
  jn_report *report;             /* collects all messages; NULL: only the first error is reported, in jn_error */
  int loose;                     /* 1: cells may be empty, infinite or text; default 0: these are errors */
  int skip_bad; /* 1: rows that do not parse, or with a cell that is not a finite number, are left out, and a warning
                   counts and names them; loose tables have no such rows; default 0: they are errors */
  size_t max_bytes; /* size limit for input; default and 0: JN_MAX_BYTES */
} jn_table_options;

/* The defaults. */
JN_API void jn_table_options_init(jn_table_options *options);

/* Reads CSV text of `length` bytes (it need not end in 0); file is the name used in messages. *error (may be NULL) gets
 * the first error with line and column (the number of the cell in its line); the report gets up to ten errors, and how
 * many more there are. On error *table is NULL. O(length), and O(n log n) for n columns.
 * Errors: JN_ERR_NULL, JN_ERR_SIZE (options not set up), JN_ERR_SYNTAX (missing or duplicate names, rows of different
 * lengths, cells that are not numbers, NUL bytes), JN_ERR_FILE (size limit exceeded), JN_ERR_MEMORY. */
JN_API jn_status jn_table_read(const char *text, size_t length, const char *file, const jn_table_options *options,
                               jn_table **table, jn_error *error);
JN_API void jn_table_destroy(jn_table *table); /* Releases it; NULL is allowed. */

JN_API int jn_table_columns(const jn_table *table); /* number of columns */
JN_API int jn_table_rows(const jn_table *table);    /* number of rows, without the line of names */
/* The name of a column without its unit, and the unit that follows it in brackets ("" if there is none). */
JN_API const char *jn_table_name(const jn_table *table, int column);
JN_API const char *jn_table_unit(const jn_table *table, int column);
/* The numbers of a column [rows]; NaN for cells of a loose table that are not numbers. */
JN_API const double *jn_table_values(const jn_table *table, int column);
/* The line of the text that a row comes from, counted from 1; row -1 is the line of names. */
JN_API int jn_table_line(const jn_table *table, int row);
/* The first row of a loose table whose cell in this column is neither a number nor empty; -1 when there is none. */
JN_API int jn_table_text_row(const jn_table *table, int column);
/* Copies a cell of a loose table as text, without surrounding blanks and quotes, to text [size], cut if it is longer,
 * with a terminating 0. text may be NULL if size is 0. Returns the full length of the cell's text, or -1 if the indices
 * are out of range. O(column). */
JN_API int jn_table_cell(const jn_table *table, int row, int column, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
