/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce identify --foresee: what a motion would tell, before there are torques. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "identify.h"

static const double default_cutoff = 10, noise_share = 0.01;

/* States of a motion in steps of the rows that measuring it would give; their forces by the model before. */
static jn_status add_motion(const identify_run *r, const jn_trajectory *t, jn_work *work, double *squares,
                            double *rows) {
  const jn_identification *d = r->identification;
  size_t nv = (size_t)r->nv, channels = (size_t)r->channels, n = (size_t)jn_identification_count(d);
  double start = jn_trajectory_start(t), end = jn_trajectory_end(t), step = 0.5 / r->cutoff;
  double *q = allocate(((size_t)jn_model_nq(r->model) + 2 * nv + channels * (n + 2)) * sizeof *q);
  double *v = q + jn_model_nq(r->model), *a = v + nv, *zero = a + nv, *known = zero + channels, *Y = known + channels;
  const double *x = jn_identification_prior(d);
  jn_status status = JN_OK;
  for (size_t i = 0; i < channels; i++) zero[i] = 0;
  for (double at = start; at <= end && status == JN_OK; at += step) {
    status = jn_identification_state(d, t, at, q, v, a);
    if (status == JN_OK) status = jn_identification_regressor(d, work, q, v, a, zero, Y, known);
    if (status == JN_OK) status = jn_identification_add(r->identification, 1, q, v, a, zero);
    for (size_t i = 0; i < channels && status == JN_OK; i++) {
      double force = known[i];
      for (size_t k = 0; k < n; k++) force += Y[i * n + k] * x[k];
      squares[i] += force * force;
    }
    for (size_t i = 0; i < nv; i++) r->speed_rms[i] += v[i] * v[i];
    ++*rows;
  }
  free(q);
  return status;
}

/* The table, and the joints that should move more. */
static void print_foresight(const identify_run *r, const double *noise, const double *deviation, int told,
                            double condition) {
  static const table_column columns[] = {{"base parameter, led by", ALIGN_LEFT},
                                         {"model", ALIGN_POINT},
                                         {"deviation", ALIGN_POINT},
                                         {"relative %", ALIGN_POINT},
                                         {"", ALIGN_LEFT},
                                         {"should move more", ALIGN_LEFT}};
  const jn_identification *d = r->identification;
  const double *B = jn_identification_base_matrix(d), *x = jn_identification_prior(d);
  int n = jn_identification_count(d), nb = jn_identification_base_count(d), hardly = 0;
  char name[2 * JN_COORDINATE_NAME], joint[JN_COORDINATE_NAME];
  table t;
  table_init(&t, columns, 6);
  for (int i = 0; i < nb; i++) {
    double value = 0;
    for (int k = 0; k < n; k++) value += B[(size_t)i * (size_t)n + (size_t)k] * x[k];
    bool is_told = isfinite(deviation[i]), well = is_told && deviation[i] < 0.3 * fabs(value);
    int lazy = identify_laziest_joint(r, jn_identification_base_column(d, i));
    hardly += !well;
    jn_identification_name(d, jn_identification_base_column(d, i), name, sizeof name);
    table_cell(&t, name);
    table_number(&t, value);
    table_number(&t, deviation[i]);
    table_number(&t, 100 * deviation[i] / fabs(value));
    table_cell(&t, !is_told ? "not told" : well ? "" : "hardly");
    table_cell(&t, well || lazy < 0 ? "" : coordinate_name(r, lazy, joint));
  }
  say(stdout,
      "%s: this motion tells %d of %d base parameters, %d of them to better than 30 %%; condition number %.3g\n",
      jn_model_name(r->model), told, nb, nb - hardly, condition);
  fputs("noise of the torques that is assumed, after a filter of ", stdout);
  printf("%.3g Hz:", r->cutoff);
  for (int i = 0; i < r->channels; i++) printf(" %.3g", noise[i]);
  puts(" N m\n");
  table_print(&t, stdout);
}

int identify_foresee(identify_run *r) {
  size_t nv = (size_t)r->nv, channels = (size_t)r->channels;
  size_t nb = (size_t)jn_identification_base_count(r->identification);
  double *squares = allocate((2 * channels + nb) * sizeof *squares), *noise = squares + channels,
         *deviation = noise + channels;
  double rows = 0, condition = 0;
  int told = 0;
  jn_work *work = NULL;
  jn_status status = jn_work_create(r->model, &work);
  r->cutoff = r->arg->cutoff.count && r->arg->cutoff.values[0] > 0 ? r->arg->cutoff.values[0] : default_cutoff;
  memset(squares, 0, channels * sizeof *squares);
  memset(r->speed_rms, 0, nv * sizeof *squares);
  for (int i = 0; i < r->data_count && status == JN_OK; i++)
    status = add_motion(r, r->data[i].trajectory, work, squares, &rows);
  for (size_t i = 0; i < channels; i++)
    noise[i] = r->arg->foresee && *r->arg->foresee ? strtod(r->arg->foresee, NULL)
                                                   : fmax(noise_share * sqrt(squares[i] / rows), 1e-6);
  for (size_t i = 0; i < nv; i++) r->speed_rms[i] = sqrt(r->speed_rms[i] / rows);
  if (status == JN_OK) status = jn_identification_foresee(r->identification, noise, deviation, &told, &condition);
  if (status == JN_OK)
    print_foresight(r, noise, deviation, told, condition);
  else
    say(stderr, "jounce identify: %s\n", jn_status_text(status));
  jn_work_destroy(work);
  free(squares);
  return status == JN_OK ? EXIT_FINE : EXIT_BAD;
}
