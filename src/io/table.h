/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of numbers from files: CSV, NPY and NPZ. Faults are told through the log with row and column. */
#ifndef JN_IO_TABLE_H
#define JN_IO_TABLE_H

#include <stdint.h>

#include "../model/log.h"
#include "../model/memory.h"

/* Column c is values + c * room; row r was in line lines[r] of a text file (lines NULL: rows are counted from 1). */
typedef struct jn_table {
  jn_allocator allocator;
  const char *file; /* for messages */
  int columns;
  int rows;
  size_t room;
  char **names; /* without units */
  char **units; /* what stood in brackets behind the name, or "" */
  double *values;
  int *lines;
} jn_table;

void jn__table_free(jn_table *table);
const double *jn__table_column(const jn_table *table, int column);
/* -1 when there is none. */
int jn__table_find(const jn_table *table, const char *name);
/* The place of a cell: its line, and the number of the column from 1. row -1: the line above the first row. */
jn_place jn__table_place(const jn_table *table, int row, int column);
/* Names for `columns` columns, and room for `rows` rows; JN_ERR_MEMORY. */
jn_status jn__table_make(jn_table *table, int columns, size_t rows);
/* "name [unit]" into column c. */
jn_status jn__table_name(jn_table *table, int column, const char *text, size_t length);

/* csv.c: first line names; separated by commas, semicolons (then with decimal commas, too) or tabs. */
jn_status jn__csv_read(jn_table *table, const char *text, size_t length, jn_log *log);

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

typedef struct jn_zip_entry {
  char name[64]; /* without ".npy" */
  unsigned char *bytes;
  size_t length;
  int owned;
} jn_zip_entry;

enum { JN_ZIP_ENTRIES = 64 };

typedef struct jn_zip {
  jn_zip_entry entries[JN_ZIP_ENTRIES];
  int count;
} jn_zip;

/* All files of an archive (of the first JN_ZIP_ENTRIES); JN_ERR_SYNTAX, JN_ERR_UNSUPPORTED, JN_ERR_MEMORY and why. */
jn_status jn__zip_read(const jn_allocator *a, const unsigned char *bytes, size_t length, jn_zip *zip, char *why,
                       size_t size);
void jn__zip_free(const jn_allocator *a, jn_zip *zip);
/* NULL when there is none. */
const jn_zip_entry *jn__zip_find(const jn_zip *zip, const char *name);
uint32_t jn__crc32(const unsigned char *bytes, size_t length);

#endif
