/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of numbers from files: CSV, NPY and NPZ. Errors are reported through the log with row and column. */
#ifndef JN_IO_TABLE_H
#define JN_IO_TABLE_H

#include <stdint.h>

#include "jounce/table.h"

#include "../model/log.h"
#include "../model/memory.h"

/* What a column is for: only cells of values and times must be numbers. Replaced: another column is used instead. */
enum { JN_COLUMN_UNKNOWN, JN_COLUMN_VALUE, JN_COLUMN_TIME, JN_COLUMN_UNUSED, JN_COLUMN_REPLACED };

/* Column c is values + c * room; row r was in line lines[r] of a text file (lines NULL: rows are counted from 1). */
struct jn_table {
  jn_allocator allocator;
  const char *file; /* for messages while it is read */
  size_t limit;     /* on the bytes of the values; 0: JN_MAX_BYTES */
  int loose;        /* cells need not be numbers; then text, starts and text_rows are there */
  int columns;
  int rows;
  size_t room;
  char **names; /* without units */
  char **units; /* what stood in brackets behind the name, or "" */
  double *values;
  int *lines;
  int name_line;
  char separator;
  char *text;     /* a copy of the lines */
  size_t *starts; /* [rows] where a row begins in it */
  size_t *ends;
  int *text_rows; /* [columns] the first row with text, plus 1; 0 for none */
  /* Called with the names and the text of the first row (NULL: there is none) before numbers are read; NULL: not. May
   * rename columns and set `use`. */
  jn_status (*choose)(struct jn_table *table, const char *row, const char *end, void *context);
  void *context;
  unsigned char *use; /* [columns] JN_COLUMN_...; NULL: all are read */
  int skip_bad;       /* rows that do not parse are left out; a warning counts and names them */
  int bad_rows;       /* how many were */
  int empty_rows;     /* rows that were left out, as they have no value in any column of JN_COLUMN_VALUE */
};

void jn__table_free(jn_table *table); /* what it holds */
const double *jn__table_column(const jn_table *table, int column);
/* -1 when there is none. */
int jn__table_find(const jn_table *table, const char *name);
/* The place of a cell: its line, and the number of the column from 1. row -1: the line above the first row. */
jn_place jn__table_place(const jn_table *table, int row, int column);
/* Names for `columns` columns, and room for `rows` rows; JN_ERR_FILE after reporting that this is beyond the limit,
 * JN_ERR_MEMORY. */
jn_status jn__table_make(jn_table *table, jn_log *log, size_t columns, size_t rows);
/* "name [unit]" into column c. */
jn_status jn__table_set_name(jn_table *table, int column, const char *text, size_t length);

/* csv.c: first line names; separated by commas, semicolons (then with decimal commas, too) or tabs. */
jn_status jn__csv_read(jn_table *table, const char *text, size_t length, jn_log *log);
/* A cell of the line p ... end: *p and *end become its own, without blanks and quotes about it; 0 when there is none.
 */
int jn__csv_cell(char separator, const char **p, const char **end, int column);

/* ---- npy.c ---- */

enum { JN_ARRAY_DIMENSIONS = 3 };

/* An array of numbers or of text within the bytes of a file. */
typedef struct jn_array {
  const unsigned char *data;
  char kind; /* 'f', 'i', 'u', 'b'; 'U' text */
  int item;  /* bytes of a number; characters of a text */
  int big;   /* big-endian */
  int fortran;
  int dimensions;
  size_t shape[JN_ARRAY_DIMENSIONS]; /* 1 beyond the dimensions */
} jn_array;

/* 0 after writing to `why` what is wrong. */
int jn__npy_parse(const unsigned char *bytes, size_t length, jn_array *array, char *why, size_t size);
double jn__array_number(const jn_array *array, size_t i, size_t j);
/* UTF-8 of text i; 0 when it does not fit. */
int jn__array_text(const jn_array *array, size_t i, char *out, size_t size);

/* ---- zip.c ---- */

/* An archive in memory, of which files are unpacked one by one as they are asked for. */
typedef struct jn_zip {
  jn_allocator allocator;
  const unsigned char *bytes;
  size_t length;
  size_t directory; /* where it begins */
  int count;        /* of files */
  size_t limit;     /* on what is still to be unpacked */
} jn_zip;

typedef struct jn_zip_entry {
  const unsigned char *bytes;
  size_t length;
  void *owned; /* to be released, or NULL: the bytes are those of the archive */
} jn_zip_entry;

/* Finds the directory; JN_ERR_SYNTAX and why. `limit` is on the bytes of all files that are got. */
jn_status jn__zip_open(jn_zip *zip, const jn_allocator *a, const unsigned char *bytes, size_t length, size_t limit,
                       char *why, size_t size);
/* The file NAME.npy. bytes NULL: there is none. JN_ERR_SYNTAX, JN_ERR_UNSUPPORTED, JN_ERR_MEMORY and why; JN_ERR_FILE
 * with why empty: beyond the limit. */
jn_status jn__zip_get(jn_zip *zip, const char *name, jn_zip_entry *entry, char *why, size_t size);
/* The names of all files, one at a time; the walk begins as {0}. 1; 0 at the end; -1: the directory is broken. */
typedef struct jn_zip_walk {
  int index;
  size_t at;
} jn_zip_walk;
int jn__zip_next(const jn_zip *zip, jn_zip_walk *walk, const char **name, size_t *length);
void jn__zip_release(const jn_zip *zip, jn_zip_entry *entry);
uint32_t jn__crc32(const unsigned char *bytes, size_t length);

#endif
