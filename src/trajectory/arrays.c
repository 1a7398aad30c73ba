/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads NumPy files into tables. NPY: one array with times in the first column, followed by q in the model's order.
 * NPZ: t, q, and optionally v, a, and q_names, v_names for another order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../io/limit.h"
#include "trajectory.h"

static jn_status refuse(jn_loading *l, jn_status status, const char *subject, const char *remedy, const char *text) {
  jn__log(&l->log, JN_ERROR, status, "array", (jn_place){l->file, 0, 0}, subject, remedy, "%s", text);
  return status;
}

/* Column j of an array to column c of the table. */
static int copy_column(jn_loading *l, jn_table *t, int c, const jn_array *a, size_t j) {
  double *x = t->values + (size_t)c * t->room;
  for (int r = 0; r < t->rows; r++) {
    x[r] = jn__array_number(a, (size_t)r, j);
    if (isfinite(x[r]) || t->skip_bad) continue;
    jn__log(&l->log, JN_ERROR, JN_ERR_SYNTAX, "array-value", (jn_place){l->file, 0, 0}, t->names[c],
            "every sample needs a number; leave out rows without data", "row %d, column %d is %g: not a finite number",
            r + 1, (int)j + 1, x[r]);
    return 0;
  }
  return 1;
}

/* Row r of a table without values that are not finite? */
static int is_whole(const jn_table *t, int r) {
  for (int c = 0; c < t->columns; c++)
    if (!isfinite(t->values[(size_t)c * t->room + (size_t)r])) return 0;
  return 1;
}

void jn__drop_bad_rows(jn_loading *l, jn_table *t) {
  int kept = 0, first = 0, rows = t->rows;

  for (int r = 0; r < rows; r++) {
    if (!is_whole(t, r)) {
      if (!first) first = r + 1;
      continue;
    }
    for (int c = 0; c < t->columns; c++) {
      double *x = t->values + (size_t)c * t->room;
      x[kept] = x[r];
    }
    kept++;
  }

  t->rows = kept;
  t->bad_rows = rows - kept;
  if (t->bad_rows)
    jn__log(&l->log, JN_WARNING, JN_ERR_SYNTAX, "skipped-rows", (jn_place){l->file, 0, 0}, NULL, NULL,
            "%d of %d rows %s left out, because a number of them is not finite; the first is row %d", t->bad_rows, rows,
            t->bad_rows == 1 ? "is" : "are", first);
}

static jn_status make_table(jn_loading *l, jn_table *t, size_t columns, size_t rows) {
  jn_status status = jn__table_make(t, &l->log, columns, rows);
  if (status == JN_OK) t->rows = (int)rows;
  return status;
}

jn_status jn__read_npy(jn_loading *l, const unsigned char *bytes, size_t length, jn_table *t) {
  jn_array a;
  char why[128], name[JN_NAME];
  if (!jn__npy_parse(bytes, length, &a, why, sizeof why)) return refuse(l, JN_ERR_SYNTAX, NULL, NULL, why);
  int nq = jn_model_nq(l->model);
  if (a.kind == 'U' || a.dimensions != 2 || a.shape[1] != (size_t)nq + 1) {
    snprintf(why, sizeof why, "has %d dimensions and %zu columns; it should have 2 and %d: t, then q", a.dimensions,
             a.shape[1], nq + 1);
    return refuse(l, JN_ERR_SIZE, NULL, "the order of q is that of jounce info; CSV and NPZ have names", why);
  }
  jn_status status = make_table(l, t, (size_t)nq + 1, a.shape[0]);
  for (int c = 0; c <= nq && status == JN_OK; c++) {
    snprintf(name, sizeof name, "t");
    if (c > 0) jn_coordinate_name(l->model, c - 1, name, sizeof name);
    status = jn__table_set_name(t, c, name, strlen(name));
    if (status == JN_OK && !copy_column(l, t, c, &a, (size_t)c)) status = JN_ERR_SYNTAX;
  }
  return status;
}

/* ---- NPZ ---- */

typedef struct source {
  const char *key, *names; /* files of the archive */
  const char *ending;
  int velocity; /* columns are velocity coordinates */
  jn_array array, words;
  jn_zip_entry entry, word_entry;
  int has_words;
} source;

/* A file of the archive; 1 when it is there, 0 when not, -1 after reporting what is wrong with it. */
static int get_file(jn_loading *l, jn_zip *zip, const char *name, jn_zip_entry *e) {
  char why[160];
  size_t limit = jn__limit(l->options.max_bytes);
  jn_status status = jn__zip_get(zip, name, e, why, sizeof why);
  if (status == JN_OK) return e->bytes != NULL;
  if (status == JN_ERR_FILE)
    jn__over_limit(&l->log, l->file, NULL, "unpacked, the arrays that are needed are larger than", limit);
  else
    refuse(l, status, NULL, NULL, *why ? why : jn_status_text(status));
  return -1;
}

/* The names of columns, if they are there. */
static int open_words(jn_loading *l, jn_zip *zip, source *s) {
  char why[160];
  int there = s->names ? get_file(l, zip, s->names, &s->word_entry) : 0;
  if (there <= 0) return there;
  s->has_words = jn__npy_parse(s->word_entry.bytes, s->word_entry.length, &s->words, why, sizeof why) &&
                 s->words.kind == 'U' && s->words.dimensions == 1 && s->words.shape[0] == s->array.shape[1];
  return 1;
}

/* 1 when the archive has the array, 0 when not, -1 after reporting what is wrong with it. */
static int open_source(jn_loading *l, jn_zip *zip, source *s, size_t rows) {
  char why[160];
  int there = get_file(l, zip, s->key, &s->entry);
  if (there <= 0) return there;
  if (!jn__npy_parse(s->entry.bytes, s->entry.length, &s->array, why, sizeof why)) {
    refuse(l, JN_ERR_SYNTAX, s->key, NULL, why);
    return -1;
  }
  size_t columns = s->array.shape[1];
  int wanted = s->velocity ? jn_model_nv(l->model) : jn_model_nq(l->model);
  if (open_words(l, zip, s) < 0) return -1;
  int fits = s->array.kind != 'U' && s->array.dimensions <= 2 && s->array.shape[0] == rows;
  if (fits && (s->has_words || columns == (size_t)wanted)) return 1;
  snprintf(why, sizeof why, "has the shape %zu x %zu; it should have %zu x %d", s->array.shape[0], columns, rows,
           wanted);
  refuse(l, JN_ERR_SIZE, s->key, s->velocity ? "or leave it out" : "or give the joints' names as q_names", why);
  return -1;
}

/* The times: one column. */
static int open_time(jn_loading *l, jn_zip *zip, source *s) {
  char why[160];
  int there = get_file(l, zip, s->key, &s->entry);
  if (there == 0) refuse(l, JN_ERR_NAME, NULL, "numpy.savez(FILE, t=t, q=q)", "needs the arrays t and q");
  if (there <= 0) return 0;
  const jn_array *a = &s->array;
  if (!jn__npy_parse(s->entry.bytes, s->entry.length, &s->array, why, sizeof why) || a->kind == 'U')
    return refuse(l, JN_ERR_SYNTAX, "t", NULL, "is not an array of numbers"), 0;
  if (a->dimensions == 0 || a->shape[1] != 1 || a->shape[2] != 1)
    return refuse(l, JN_ERR_SIZE, "t", NULL, "must have one dimension: a number for each sample"), 0;
  return 1;
}

/* The name of column j. Empty for the velocities of rotations, which are not derivatives of coordinates, and for words
 * that are too long to be the name of a joint. */
static void name_column(const jn_loading *l, const source *s, size_t j, char name[JN_NAME]) {
  name[0] = 0;
  if (s->has_words) {
    if (!jn__array_text(&s->words, j, name, JN_NAME - 4)) name[0] = 0;
  } else if (s->velocity) {
    jn_velocity_name(l->model, (int)j, name, JN_NAME - 4);
  } else {
    jn_coordinate_name(l->model, (int)j, name, JN_NAME - 4);
  }
  if (!s->velocity) return;
  if (jn__coordinate_find(l, name) < 0)
    name[0] = 0;
  else
    strcat(name, s->ending);
}

static jn_status add_source(jn_loading *l, jn_table *t, const source *s, int *column) {
  char name[JN_NAME];
  for (size_t j = 0; j < s->array.shape[1]; j++) {
    name_column(l, s, j, name);
    if (s->velocity && !name[0]) continue;
    if (jn__table_set_name(t, *column, name, strlen(name)) != JN_OK) return JN_ERR_MEMORY;
    if (!copy_column(l, t, *column, &s->array, j)) return JN_ERR_SYNTAX;
    ++*column;
  }
  return JN_OK;
}

static jn_status fill(jn_loading *l, jn_zip *zip, jn_table *t, source *time, source sources[3]) {
  if (!open_time(l, zip, time)) return l->log.first.status;
  size_t rows = time->array.shape[0], columns = 1;
  int there[3], at = 1;
  for (int i = 0; i < 3; i++) {
    there[i] = open_source(l, zip, &sources[i], rows);
    if (there[i] < 0) return l->log.first.status;
    if (i == 0 && !there[0])
      return refuse(l, JN_ERR_NAME, NULL, "numpy.savez(FILE, t=t, q=q)", "needs the arrays t and q");
    if (there[i]) columns += sources[i].array.shape[1];
  }
  jn_status status = make_table(l, t, columns, rows);
  if (status == JN_OK) status = jn__table_set_name(t, 0, "t", 1);
  if (status == JN_OK && !copy_column(l, t, 0, &time->array, 0)) status = JN_ERR_SYNTAX;
  for (int i = 0; i < 3 && status == JN_OK; i++)
    if (there[i]) status = add_source(l, t, &sources[i], &at);
  for (int c = at; c < t->columns; c++) { /* columns that were left out */
    jn__release(&t->allocator, t->names[c]);
    jn__release(&t->allocator, t->units[c]);
    t->names[c] = t->units[c] = NULL;
  }
  if (at < t->columns) t->columns = at;
  return status;
}

jn_status jn__read_npz(jn_loading *l, const unsigned char *bytes, size_t length, jn_table *t) {
  source sources[] = {{.key = "q", .names = "q_names", .ending = ""},
                      {.key = "v", .names = "v_names", .ending = "_d1", .velocity = 1},
                      {.key = "a", .names = "v_names", .ending = "_d2", .velocity = 1}};
  source time = {.key = "t", .ending = ""};
  jn_zip zip;
  char why[160];
  jn_status status = jn__zip_open(&zip, &l->allocator, bytes, length, jn__limit(l->options.max_bytes), why, sizeof why);
  if (status != JN_OK) return refuse(l, status, NULL, NULL, why);
  status = fill(l, &zip, t, &time, sources);
  jn__zip_release(&zip, &time.entry);
  for (int i = 0; i < 3; i++) {
    jn__zip_release(&zip, &sources[i].entry);
    jn__zip_release(&zip, &sources[i].word_entry);
  }
  return status;
}
