/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of CSV. What is a table is also a loose table, with the same names and numbers; and its numbers are finite. */
#include <math.h>

#include "fuzz.h"

static jn_table *read(const uint8_t *data, size_t size, int loose) {
  jn_table_options options;
  jn_table *table;
  jn_error error;
  jn_table_options_init(&options);
  options.loose = loose;
  options.max_bytes = FUZZ_BYTES;
  jn_status status = jn_table_read((const char *)data, size, "fuzz", &options, &table, &error);
  check_result(status, &error, table);
  return table;
}

static void check_cells(const jn_table *table) {
  char cell[16];
  for (int c = 0; c < jn_table_columns(table); c++) {
    int row = jn_table_text_row(table, c);
    if (row >= 0 && !isnan(jn_table_values(table, c)[row])) stop("text is no number", jn_table_name(table, c));
    if (row >= 0 && jn_table_cell(table, row, c, cell, sizeof cell) <= 0) stop("text is not empty", "");
  }
}

static void compare(const jn_table *table, const jn_table *loose) {
  if (!loose) stop("every table is a loose table", "");
  int rows = jn_table_rows(table), columns = jn_table_columns(table);
  if (jn_table_rows(loose) != rows || jn_table_columns(loose) != columns) stop("tables have the same size", "");
  for (int c = 0; c < columns; c++) {
    if (strcmp(jn_table_name(table, c), jn_table_name(loose, c)) != 0) stop("tables have the same names", "");
    for (int r = 0; r < rows; r++) {
      double x = jn_table_values(table, c)[r];
      if (!isfinite(x) || x != jn_table_values(loose, c)[r]) stop("numbers are finite and the same", "");
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  jn_table *table = read(data, size, 0), *loose = read(data, size, 1);
  if (loose) check_cells(loose);
  if (table) compare(table, loose);
  jn_table_destroy(table);
  jn_table_destroy(loose);
  return 0;
}
