/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of motors and joints. */
#include "coupling.h"

#include <jounce/table.h>
#include <jounce/trajectory.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/input.h"
#include "../model/argument.h"
#include "../options/options.h"
#include "../text/print.h"

/* What is read, and for whom. */
typedef struct reading {
  const char *command, *path;
  const jn_model *model;
  const jn_table *table;
} reading;

/* The names of the motors: cells as text. */
static char **read_names(const jn_table *t, int column) {
  int rows = jn_table_rows(t);
  char **names = allocate(((size_t)rows + 1) * sizeof *names);

  for (int k = 0; k < rows; k++) {
    char name[JN_COORDINATE_NAME];
    jn_table_cell(t, k, column, name, sizeof name);
    names[k] = format_text("%s", name);
  }

  return names;
}

/* The velocity coordinate that a column is named after; -1: none. */
static int find_coordinate(const reading *r, const char *column) {
  for (int v = 0; v < jn_model_nv(r->model); v++) {
    char name[JN_COORDINATE_NAME];
    jn_velocity_name(r->model, v, name, sizeof name);
    if (strcmp(name, column) == 0) return v;
  }
  return -1;
}

/* Copies a column, every `stride` numbers. OPTION_GO_ON, or an exit code. */
static int copy_column(const reading *r, int column, double *to, size_t stride) {
  for (int k = 0; k < jn_table_rows(r->table); k++) {
    double x = jn_table_values(r->table, column)[k];
    if (!isfinite(x))
      return usage_error(r->command, "%s:%d: column '%s' needs a number in every row", r->path,
                         jn_table_line(r->table, k), jn_table_name(r->table, column));
    to[(size_t)k * stride] = x;
  }
  return OPTION_GO_ON;
}

static int read_columns(const reading *r, coupling *c) {
  int nv = jn_model_nv(r->model), used = 0;
  size_t width = (size_t)nv, motors = (size_t)jn_table_rows(r->table);
  c->motors = (int)motors;
  c->matrix = allocate(motors * width * sizeof *c->matrix + 1);
  memset(c->matrix, 0, motors * width * sizeof *c->matrix);

  for (int k = 0; k < jn_table_columns(r->table); k++) {
    const char *name = jn_table_name(r->table, k);
    int v = find_coordinate(r, name), result = OPTION_GO_ON;
    if (v >= 0) {
      used++;
      result = copy_column(r, k, c->matrix + v, width);
    } else if (strcmp(name, "motor") == 0 && !c->names) {
      c->names = read_names(r->table, k);
    } else if (strcmp(name, "zero") == 0 && !c->zero) {
      c->zero = allocate((motors + 1) * sizeof *c->zero);
      result = copy_column(r, k, c->zero, 1);
    } else {
      result = usage_error(r->command, "%s: column '%s' is not the name of a joint; nor is it 'motor' or 'zero'",
                           r->path, name);
    }
    if (result != OPTION_GO_ON) return result;
  }

  if (used != nv)
    return usage_error(r->command, "%s has columns for %d of %d joints; every joint needs one", r->path, used, nv);
  return OPTION_GO_ON;
}

int coupling_read(const char *command, const jn_model *model, const char *path, size_t max_bytes, coupling *c) {
  size_t length;
  jn_table_options options;
  jn_table *rows = NULL;
  jn_error error = {0};
  *c = (coupling){0};

  char *text = read_input(path, path, max_bytes, &length);
  if (!text) return EXIT_BAD;
  jn_table_options_init(&options);
  options.loose = 1;
  options.report = jn_report_create(NULL);
  jn_status status = jn_table_read(text, length, path, &options, &rows, &error);
  print_warnings(options.report, path);
  if (status != JN_OK) print_errors(options.report, &error, path);
  jn_report_destroy(options.report);

  reading r = {command, path, model, rows};
  int result = status == JN_OK ? read_columns(&r, c) : EXIT_BAD;
  jn_table_destroy(rows);
  free(text);
  return result;
}

void coupling_free(coupling *c) {
  for (int k = 0; k < c->motors && c->names; k++) free(c->names[k]);
  free(c->names);
  free(c->matrix);
  free(c->zero);
  *c = (coupling){0};
}
