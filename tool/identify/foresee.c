/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce identify --foresee: what a motion would determine, before there are torques. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "identify.h"

static const double default_cutoff = 10, noise_share = 0.01;

/* A base parameter is well determined if its deviation is below this share of its value, or if torques change by less
 * than that share of what the model needs when it is off by its deviation: values may be zero. */
static const double share_of_value = 0.3, share_of_torques = 0.01;

/* Sums over the rows that measuring the motions would give. */
typedef struct foresight {
  double rows;
  double *forces;    /* [channels] squares of the forces of the model before */
  double *columns;   /* [nb x channels] squares of the regressor's column of each base parameter */
  double *noise;     /* [channels] that is assumed; root mean square of the forces in sums */
  double *deviation; /* [nb] */
  int told;
  double condition;
} foresight;

/* Adds one state: its forces by the model before, and its columns. x: the unknowns of the model before. */
static void add_state(const identify_run *r, const double *Y, const double *known, const double *v, foresight *sums) {
  const jn_identification *d = r->identification;
  const double *x = jn_identification_prior(d);
  size_t channels = (size_t)r->channels, n = (size_t)jn_identification_count(d);
  int nb = jn_identification_base_count(d);

  for (size_t i = 0; i < channels; i++) {
    double force = known[i];
    for (size_t k = 0; k < n; k++) force += Y[i * n + k] * x[k];
    sums->forces[i] += force * force;
    for (int b = 0; b < nb; b++) {
      double effect = Y[i * n + (size_t)jn_identification_base_column(d, b)];
      sums->columns[(size_t)b * channels + i] += effect * effect;
    }
  }

  for (int i = 0; i < r->nv; i++) r->speed_rms[i] += v[i] * v[i];
  sums->rows++;
}

/* States of a motion in steps of the rows that measuring it would give. */
static jn_status add_motion(const identify_run *r, const jn_trajectory *t, jn_work *work, foresight *sums) {
  const jn_identification *d = r->identification;
  size_t nv = (size_t)r->nv, channels = (size_t)r->channels, n = (size_t)jn_identification_count(d);
  double start = jn_trajectory_start(t), end = jn_trajectory_end(t), step = 0.5 / r->cutoff;
  double *q = allocate(((size_t)jn_model_nq(r->model) + 2 * nv + channels * (n + 2)) * sizeof *q);
  double *v = q + jn_model_nq(r->model), *a = v + nv, *zero = a + nv, *known = zero + channels, *Y = known + channels;
  jn_status status = JN_OK;

  for (size_t i = 0; i < channels; i++) zero[i] = 0;
  for (double at = start; at <= end && status == JN_OK; at += step) {
    status = jn_identification_state(d, t, at, q, v, a);
    if (status == JN_OK) status = jn_identification_regressor(d, work, q, v, a, zero, Y, known);
    if (status == JN_OK) status = jn_identification_add(r->identification, 1, q, v, a, zero);
    if (status == JN_OK) add_state(r, Y, known, v, sums);
  }

  free(q);
  return status;
}

/* How much of the torques changes when base parameter b is off by its deviation: in the joint where that is most. */
static double share_of_forces(const identify_run *r, const foresight *sums, int b) {
  double most = 0;

  for (int i = 0; i < r->channels; i++) {
    double column = sums->columns[(size_t)b * (size_t)r->channels + (size_t)i];
    if (column > 0) most = fmax(most, sums->deviation[b] * sqrt(column / sums->forces[i]));
  }

  return most;
}

/* The value that the model before gives base parameter b. */
static double value_of(const identify_run *r, int b) {
  const jn_identification *d = r->identification;
  const double *B = jn_identification_base_matrix(d), *x = jn_identification_prior(d);
  int n = jn_identification_count(d);
  double value = 0, size = 0;

  for (int k = 0; k < n; k++) {
    double part = B[(size_t)b * (size_t)n + (size_t)k] * x[k];
    value += part;
    size += fabs(part);
  }

  return fabs(value) > 1e-12 * size ? value : 0; /* rounding of a sum that is zero */
}

/* The table, and the joints that should move more. */
static void print_foresight(const identify_run *r, const foresight *sums) {
  static const table_column columns[] = {{"base parameter, led by", ALIGN_LEFT},
                                         {"model", ALIGN_POINT},
                                         {"deviation", ALIGN_POINT},
                                         {"of model %", ALIGN_POINT},
                                         {"of torques %", ALIGN_POINT},
                                         {"", ALIGN_LEFT},
                                         {"should move more", ALIGN_LEFT}};
  const jn_identification *d = r->identification;
  int nb = jn_identification_base_count(d), good = 0;
  char name[2 * JN_COORDINATE_NAME], joint[JN_COORDINATE_NAME];
  table t;

  table_init(&t, columns, 7);
  for (int i = 0; i < nb; i++) {
    double value = value_of(r, i), deviation = sums->deviation[i], share = share_of_forces(r, sums, i);
    bool is_told = isfinite(deviation);
    bool well = is_told && (deviation < share_of_value * fabs(value) || share < share_of_torques);
    int lazy = identify_laziest_joint(r, jn_identification_base_column(d, i));
    good += well;
    jn_identification_name(d, jn_identification_base_column(d, i), name, sizeof name);
    table_cell(&t, name);
    table_number(&t, value);
    table_number(&t, deviation);
    table_number(&t, value != 0 ? 100 * deviation / fabs(value) : INFINITY);
    table_number(&t, 100 * share);
    table_cell(&t, !is_told ? "not told" : well ? "" : "hardly");
    table_cell(&t, well || lazy < 0 ? "" : coordinate_name(r, lazy, joint));
  }

  say(stdout,
      "%s: this motion tells %d of %d base parameters, %d of them well: to %g %% of their value, or to %g %% of the "
      "torques; condition number %.3g\n",
      jn_model_name(r->model), sums->told, nb, good, 100 * share_of_value, 100 * share_of_torques, sums->condition);
  fputs("noise of the torques that is assumed, after a filter of ", stdout);
  printf("%.3g Hz:", r->cutoff);
  for (int i = 0; i < r->channels; i++) printf(" %.3g", sums->noise[i]);
  puts(" N m\n");
  table_print(&t, stdout);
}

int identify_foresee(identify_run *r) {
  size_t nv = (size_t)r->nv, channels = (size_t)r->channels;
  size_t nb = (size_t)jn_identification_base_count(r->identification), count = 2 * channels + nb + nb * channels;
  foresight sums = {.forces = allocate(count * sizeof(double))};
  sums.noise = sums.forces + channels;
  sums.deviation = sums.noise + channels;
  sums.columns = sums.deviation + nb;
  memset(sums.forces, 0, count * sizeof(double));
  memset(r->speed_rms, 0, nv * sizeof *r->speed_rms);

  /* The rows of all motions. */
  jn_work *work = NULL;
  jn_status status = jn_work_create(r->model, &work);
  r->cutoff = r->arg->cutoff.count && r->arg->cutoff.values[0] > 0 ? r->arg->cutoff.values[0] : default_cutoff;
  for (int i = 0; i < r->data_count && status == JN_OK; i++) status = add_motion(r, r->data[i].trajectory, work, &sums);

  /* The noise: as given, or a share of the torques. */
  for (size_t i = 0; i < channels; i++)
    sums.noise[i] = r->arg->foresee && *r->arg->foresee ? strtod(r->arg->foresee, NULL)
                                                        : fmax(noise_share * sqrt(sums.forces[i] / sums.rows), 1e-6);
  for (size_t i = 0; i < nv; i++) r->speed_rms[i] = sqrt(r->speed_rms[i] / sums.rows);

  if (status == JN_OK)
    status = jn_identification_foresee(r->identification, sums.noise, sums.deviation, &sums.told, &sums.condition);
  if (status == JN_OK)
    print_foresight(r, &sums);
  else
    say(stderr, "jounce identify: %s\n", jn_status_text(status));

  jn_work_destroy(work);
  free(sums.forces);
  return status == JN_OK ? EXIT_FINE : EXIT_BAD;
}
