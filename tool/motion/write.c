/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --out: CSV with names and units in its first line, written sample by sample; or NPZ. */
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/npz.h"
#include "../files/output.h"
#include "../files/shard.h"
#include "../text/number.h"
#include "../text/print.h"
#include "samples.h"

enum { MOTION_ROWS = 3, ARRAYS = MOTION_ROWS + 3 }; /* v, a, jerk; and t, q, tau */

struct writer {
  output output; /* without a path: the stream is another's */
  FILE *file;
  const motion *m;
  int order;
  int motion_rows;
  int samples, count; /* in all, and so far */
  bool npz;
  shard part; /* of --shard: `file` is a temporary one, whose rows begin here: */
  long rows_at;
  FILE *real;
  double *arrays[ARRAYS]; /* NPZ: t, q, v, a, jerk, tau */
};

static void write_names(const writer *w) {
  const jn_model *model = w->m->model;
  char name[JN_COORDINATE_NAME], ending[24], unit[UNIT_TEXT];
  fputs("t", w->file);
  for (int i = 0; i < w->m->nq; i++) {
    jn_coordinate_name(model, i, name, sizeof name);
    write_column_name(w->file, name, "", configuration_unit(model, i));
  }
  for (int k = 0; k < w->motion_rows; k++) {
    for (int v = 0; v < w->m->nv; v++) {
      int order = place_in_q(model, v) >= 0 ? k + 1 : k; /* twists are velocities by themselves */
      jn_velocity_name(model, v, name, sizeof name);
      ending[0] = 0;
      if (order > 0) snprintf(ending, sizeof ending, "_d%d", order);
      motion_unit(model, v, k + 1, unit);
      write_column_name(w->file, name, ending, unit);
    }
  }
  for (int k = 0; k <= w->order; k++) {
    for (int v = 0; v < w->m->nv; v++) {
      jn_velocity_name(model, v, name, sizeof name);
      snprintf(ending, sizeof ending, ".tau");
      if (k > 0) snprintf(ending, sizeof ending, ".tau_d%d", k);
      torque_unit(model, v, k, unit);
      write_column_name(w->file, name, ending, unit);
    }
  }
  fputc('\n', w->file);
}

static void make_arrays(writer *w) {
  size_t nq = (size_t)w->m->nq, nv = (size_t)w->m->nv, n = (size_t)w->samples;
  const size_t widths[ARRAYS] = {1, nq, nv, nv, nv, nv * (size_t)(w->order + 1)};
  for (int i = 0; i < ARRAYS; i++) {
    bool wanted = i < 2 || (i == ARRAYS - 1 ? w->order >= 0 : i - 2 < w->motion_rows);
    w->arrays[i] = wanted ? allocate(n * widths[i] * sizeof(double)) : NULL;
  }
}

bool writer_takes(const char *path) { return ends_with(path, ".csv") || ends_with(path, ".npz"); }

static writer *begin(writer *w, const motion *m, int order, int samples) {
  w->m = m;
  w->order = order;
  w->samples = samples;
  bool all = order < 0 && !w->npz; /* a motion without torques has all its derivatives */
  w->motion_rows = m->order + 2 < MOTION_ROWS || all ? m->order + 2 : MOTION_ROWS;
  if (w->npz)
    make_arrays(w);
  else
    write_names(w);
  return w;
}

writer *writer_open(const char *path, const motion *m, int order, int samples) {
  if (!column_names_return(m->model, path, !ends_with(path, ".npz"))) return NULL;
  writer *w = allocate(sizeof *w);
  *w = (writer){.npz = ends_with(path, ".npz")};
  w->file = output_open(&w->output, path);
  if (w->file) return begin(w, m, order, samples);
  free(w);
  return NULL;
}

writer *writer_begin(FILE *stream, bool npz, const motion *m, int order, int samples) {
  writer *w = allocate(sizeof *w);
  *w = (writer){.file = stream, .npz = npz};
  return begin(w, m, order, samples);
}

writer *writer_open_part(const char *path, const motion *m, int order, const shard *part) {
  if (!column_names_return(m->model, path, true)) return NULL;
  writer *w = allocate(sizeof *w);
  *w = (writer){.part = *part};
  w->real = output_open(&w->output, path);
  w->file = w->real ? open_temporary() : NULL;
  if (w->file) {
    begin(w, m, order, 0);
    w->rows_at = ftell(w->file);
    return w;
  }
  if (w->real) {
    fputs("jounce: cannot make a temporary file\n", stderr);
    output_close(&w->output, false);
  }
  free(w);
  return NULL;
}

/* The part in its place; the temporary file is gone then. */
static bool write_part(writer *w) {
  long end = ftell(w->file);
  bool good =
      !ferror(w->file) && end >= 0 && shard_write(&w->part, w->file, w->part.index == 1 ? 0 : w->rows_at, end, w->real);
  fclose(w->file);
  return good;
}

static void store(writer *w, int array, const double *x, int width) {
  memcpy(w->arrays[array] + (size_t)w->count * (size_t)width, x, (size_t)width * sizeof *x);
}

void writer_sample(writer *w, const motion *m) {
  int torques = (w->order + 1) * m->nv;
  if (w->npz && w->count < w->samples) {
    store(w, 0, &m->t, 1);
    store(w, 1, m->q, m->nq);
    for (int k = 0; k < w->motion_rows; k++) store(w, 2 + k, m->v_jet + (size_t)k * (size_t)m->nv, m->nv);
    if (w->order >= 0) store(w, ARRAYS - 1, m->tau, torques);
  } else if (!w->npz) {
    write_exact(w->file, m->t);
    write_exact_row(w->file, m->q, m->nq);
    write_exact_row(w->file, m->v_jet, w->motion_rows * m->nv);
    write_exact_row(w->file, m->tau, torques);
    fputc('\n', w->file);
  }
  w->count++;
}

static void add_names(npz_writer *z, const char *key, const jn_model *model, int count,
                      jn_status (*name_of)(const jn_model *, int, char *, size_t)) {
  char **names = allocate((size_t)count * sizeof *names), name[JN_COORDINATE_NAME];
  for (int i = 0; i < count; i++) {
    name_of(model, i, name, sizeof name);
    names[i] = copy_text(name, strlen(name));
  }
  npz_texts(z, key, names, count);
  for (int i = 0; i < count; i++) free(names[i]);
  free(names);
}

static bool write_npz(writer *w) {
  static const char *const names[ARRAYS] = {"t", "q", "v", "a", "jerk", "tau"};
  const motion *m = w->m;
  const int widths[ARRAYS] = {1, m->nq, m->nv, m->nv, m->nv, m->nv * (w->order + 1)};
  char shape[80];
  npz_writer z;
  npz_begin(&z, w->file);
  for (int i = 0; i < ARRAYS; i++) {
    snprintf(shape, sizeof shape, "%d, %d", w->count, widths[i]);
    if (i == 0) snprintf(shape, sizeof shape, "%d,", w->count);
    if (i == ARRAYS - 1) snprintf(shape, sizeof shape, "%d, %d, %d", w->count, w->order + 1, m->nv);
    if (w->arrays[i]) npz_numbers(&z, names[i], shape, w->arrays[i], (size_t)w->count * (size_t)widths[i]);
  }
  add_names(&z, "q_names", m->model, m->nq, jn_coordinate_name);
  add_names(&z, "v_names", m->model, m->nv, jn_velocity_name);
  bool good = npz_end(&z);
  if (z.failed) say(stderr, "jounce: %s: an archive of more than 4 GiB is not possible; write CSV\n", w->output.path);
  return good || !z.failed; /* other errors stay with the stream, and are reported when it is closed */
}

int writer_close(writer *w, bool good) {
  if (!w) return EXIT_FINE;
  good = good && (!w->npz || write_npz(w));
  if (w->real) good = write_part(w) && good;
  good = w->output.path ? output_close(&w->output, good) : good && fflush(w->file) == 0 && !ferror(w->file);
  for (int i = 0; i < ARRAYS; i++) free(w->arrays[i]);
  free(w);
  return good ? EXIT_FINE : EXIT_BAD;
}
