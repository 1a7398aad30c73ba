/* SPDX-License-Identifier: BSD-2-Clause */
#include "column_names.h"

#include <jounce/trajectory.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/text/table_names.h"
#include "../text/print.h"

void write_column_name(FILE *f, const char *name, const char *ending, const char *unit) {
  bool quoted = strpbrk(name, ",\";#") != NULL;
  fputs(quoted ? ",\"" : ",", f);
  for (const char *p = name; *p; p++) {
    if (*p == '"') fputc('"', f);
    fputc(*p, f);
  }
  fputs(ending, f);
  if (unit) fputs(" [", f), fputs(unit, f), fputc(']', f);
  if (quoted) fputc('"', f);
}

/* ---- Names that come back ---- */

static void tell(const char *path, const char *name, const char *why) {
  say(stderr, "jounce: cannot write %s: the name of coordinate '%s' could not be read again: %s\n", path, name, why);
  say(stderr, "    rename the joint in the model's file\n");
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names of all columns that a motion may have: t, coordinates, and velocities and forces with their derivatives. */
static char **list_columns(const jn_model *model, int *count) {
  static const char *const endings[] = {"_d1", "_d2", "_d3", ".tau", ".tau_d1", ".tau_d2"};
  enum { ENDINGS = sizeof endings / sizeof *endings };
  int nq = jn_model_nq(model), nv = jn_model_nv(model), used = 0;
  char **names = allocate((1 + (size_t)nq + (size_t)nv * ENDINGS) * sizeof *names), name[JN_COORDINATE_NAME];
  names[used++] = copy_text("t", 1);
  for (int i = 0; i < nq; i++) {
    jn_coordinate_name(model, i, name, sizeof name);
    names[used++] = copy_text(name, strlen(name));
  }
  for (int i = 0; i < nv; i++) {
    jn_velocity_name(model, i, name, sizeof name);
    for (int k = 0; k < ENDINGS; k++) names[used++] = format_text("%s%s", name, endings[k]);
  }
  *count = used;
  return names;
}

/* Is a name by itself in the way? With a unit behind it, brackets are not. */
static bool check_each(const jn_model *model, const char *path, bool has_units) {
  char name[JN_COORDINATE_NAME];
  for (int i = 0; i < jn_model_nq(model); i++) {
    jn_coordinate_name(model, i, name, sizeof name);
    const char *fault = jn__table_name_fault(name);
    if (!fault || (has_units && name[strlen(name) - 1] == ']')) continue;
    tell(path, name, fault);
    return false;
  }
  return true;
}

bool column_names_return(const jn_model *model, const char *path, bool has_units) {
  if (!check_each(model, path, has_units)) return false;

  /* no two columns with one name */
  int count;
  bool good = true;
  char **names = list_columns(model, &count);
  qsort(names, (size_t)count, sizeof *names, compare);
  for (int i = 1; i < count && good; i++) {
    good = strcmp(names[i - 1], names[i]) != 0;
    if (!good) tell(path, names[i], "two columns would have it");
  }
  for (int i = 0; i < count; i++) free(names[i]);
  free(names);
  return good;
}
