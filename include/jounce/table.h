/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/table.h: tables of numbers from CSV text, by the rules of docs/torque.md, which all commands share: a line of
 * names, perhaps with units in brackets, then lines of numbers; commas, semicolons (then decimal commas, too) or tabs
 * between; quotes, comments with #, a byte order mark and empty lines are understood.
 *
 * A table does not change once it is read: any number of threads may look at it. Questions with a NULL table or an
 * index outside give 0, -1 or NULL. */
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
  jn_report *report;             /* where all messages go; NULL: only the first error is told, in jn_error */
  int loose;                     /* 1: cells may be empty, infinite, or no numbers at all; default 0: an error */
  size_t max_bytes;              /* limit on what is read, see JN_MAX_BYTES: the default, and what 0 means */
} jn_table_options;

/* The defaults. */
JN_API void jn_table_options_init(jn_table_options *options);

/* Read CSV text of `length` bytes (it need not end in 0); file is the name used in messages. *error (may be NULL) gets
 * the first error with line and column (the number of the cell in its line); the report gets up to ten, and how many
 * more there are. On error *table is NULL. O(length), and O(n log n) for n columns.
 * Errors: JN_ERR_NULL, JN_ERR_SIZE (options not set up), JN_ERR_SYNTAX (names missing or given twice, rows of another
 * length, cells without a number, NUL bytes), JN_ERR_FILE (the limit), JN_ERR_MEMORY. */
JN_API jn_status jn_table_read(const char *text, size_t length, const char *file, const jn_table_options *options,
                               jn_table **table, jn_error *error);
JN_API void jn_table_destroy(jn_table *table); /* Releases it; NULL is allowed. */

JN_API int jn_table_columns(const jn_table *table); /* how many there are */
JN_API int jn_table_rows(const jn_table *table);    /* lines of numbers */
/* The name of a column without its unit, and what stood in brackets behind it ("" when nothing did). */
JN_API const char *jn_table_name(const jn_table *table, int column);
JN_API const char *jn_table_unit(const jn_table *table, int column);
/* The numbers of a column [rows]; NaN for cells of a loose table that have none. */
JN_API const double *jn_table_values(const jn_table *table, int column);
/* The line of the text that a row stood in, from 1; row -1: the line of the names. */
JN_API int jn_table_line(const jn_table *table, int row);
/* The first row of a loose table whose cell in this column is neither a number nor empty; -1 when there is none. */
JN_API int jn_table_text_row(const jn_table *table, int column);
/* A cell of a loose table as text, without blanks and quotes about it. Its length, whether or not it fits: as much as
 * does is written to text [size] (which may be NULL when size is 0) and ends in 0; -1 outside. O(column). */
JN_API int jn_table_cell(const jn_table *table, int row, int column, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
