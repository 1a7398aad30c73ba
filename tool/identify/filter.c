/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter of jounce identify: a cutoff from the motion, not beyond that of the positions, and a lower one where that
 * validates better. Parameters of different cutoffs are compared on data that they were not found from, and at one and
 * the same cutoff, the lowest: what different filters leave over cannot be compared. */
#include <math.h>
#include <stdlib.h>

#include "identify.h"

enum { PARTS = 3, MOST_HALVINGS = 3, BLOCK_ROWS = 6, MOST_SAMPLES = 60000 };

static const double clearly = 0.97; /* a lower cutoff must leave less than this share of what the first leaves */

/* Stretches of the data, each of one part: part k is what the others are validated on. */
typedef struct parts {
  const identify_run *r;
  double reference;               /* [Hz] the cutoff at which all are compared */
  jn_identification *held[PARTS]; /* the rows of one part at that cutoff */
} parts;

/* The number of stretches of a file, and how many of them follow each other until one is used. */
static int count_blocks(const parts *p, const jn_trajectory *t, int *stride) {
  int rows = jn_trajectory_force_rows(t);
  double whole = jn_trajectory_force_time(t, rows - 1) - jn_trajectory_force_time(t, 0);

  /* A window reaches 3 / (2 f) to both sides, and there is one every 1 / (2 f). */
  double length = (3 + 0.5 * BLOCK_ROWS) / p->reference;
  int count = (int)fmin(floor(whole / length), 1e6);

  *stride = rows / MOST_SAMPLES + 1;
  return count;
}

/* Of all files. */
static int all_blocks(const parts *p) {
  int sum = 0;
  for (int f = 0; f < p->r->data_count; f++) {
    int stride, count = count_blocks(p, p->r->data[f].trajectory, &stride);
    sum += count / stride;
  }
  return sum;
}

/* Adds the stretches of one part (`others`: of all other parts) of all files, filtered with this cutoff. */
static jn_status add_part(const parts *p, jn_identification *d, int part, bool others, double cutoff) {
  jn_status status = JN_OK;

  for (int f = 0; f < p->r->data_count; f++) {
    const jn_trajectory *t = p->r->data[f].trajectory;
    int stride, count = count_blocks(p, t, &stride), last = jn_trajectory_force_rows(t) - 1;
    double start = jn_trajectory_force_time(t, 0), end = jn_trajectory_force_time(t, last);

    for (int k = 0; k < count && status == JN_OK; k += stride) {
      if ((k / stride % PARTS == part) == others) continue;
      jn_measurement how;
      identify_measurement(p->r, &p->r->data[f], &how);
      how.cutoff = cutoff;
      how.start = start + (end - start) * k / count;
      how.end = start + (end - start) * (k + 1) / count;
      status = jn_identification_add_trajectory(d, t, &how);
    }
  }

  return status;
}

/* The parts that are validated on. False if there are too few data for that. */
static bool make_parts(parts *p) {
  for (int k = 0; k < PARTS; k++) {
    if (identify_make(p->r, NULL, &p->held[k]) != OPTION_GO_ON) return false;
    if (add_part(p, p->held[k], k, false, p->reference) != JN_OK) return false;
  }
  return true;
}

static void free_parts(parts *p) {
  for (int k = 0; k < PARTS; k++) jn_identification_destroy(p->held[k]);
}

/* Adds squares of residuals and forces [channels] on part k, of the parameters that the other parts give. */
static bool validate_part(const parts *p, int part, double cutoff, double *errors, double *forces) {
  const identify_run *r = p->r;
  size_t channels = (size_t)r->channels;
  double *error = allocate(3 * channels * sizeof *error), *force = error + channels, *rows = force + channels;
  jn_identification *d = NULL;
  const jn_estimate *e = NULL;

  bool fine = identify_make(r, NULL, &d) == OPTION_GO_ON && add_part(p, d, part, true, cutoff) == JN_OK &&
              jn_identification_solve(d, 1, 0, &e) == JN_OK && e->rows > 2 * e->told;
  if (fine) fine = jn_identification_base_residuals(p->held[part], e->base, error, force, rows) == JN_OK;
  for (size_t i = 0; i < channels && fine; i++) {
    errors[i] += error[i] * error[i] * rows[i];
    forces[i] += force[i] * force[i] * rows[i];
  }

  jn_identification_destroy(d);
  free(error);
  return fine;
}

/* What parameters found with this cutoff leave of the forces on data that were held back: the geometric mean of all
 * channels; NaN if the data do not suffice. */
static double validate_cutoff(const parts *p, double cutoff) {
  size_t channels = (size_t)p->r->channels;
  double *errors = allocate(2 * channels * sizeof *errors), *forces = errors + channels, sum = 0, count = 0;
  bool fine = true;

  for (size_t i = 0; i < 2 * channels; i++) errors[i] = 0;
  for (int k = 0; k < PARTS && fine; k++) fine = validate_part(p, k, cutoff, errors, forces);
  for (size_t i = 0; i < channels && fine; i++) {
    if (!(forces[i] > 0)) continue;
    sum += 0.5 * log(fmax(errors[i] / forces[i], 1e-20)); /* below that is rounding */
    count++;
  }

  free(errors);
  return fine && count > 0 ? exp(sum / count) : NAN;
}

/* Takes a lower cutoff, each half of the one before, that validates clearly better than the first. */
static void try_lower(identify_run *r) {
  double first = r->cutoff, least = NAN;
  parts p = {.r = r};
  int halvings = MOST_HALVINGS;

  /* The lowest cutoff for which the data have a stretch for each part. */
  for (; halvings > 0; halvings--) {
    p.reference = first / (1 << halvings);
    if (all_blocks(&p) >= PARTS) break;
  }

  if (halvings > 0 && make_parts(&p)) {
    double at_first = validate_cutoff(&p, first);
    least = clearly * at_first;
    for (int k = 1; k <= halvings && isfinite(least); k++) {
      double cutoff = first / (1 << k), left = validate_cutoff(&p, cutoff);
      if (!(left < least)) continue;
      least = left;
      r->cutoff = cutoff;
      r->higher_cutoff = first;
      r->cutoff_gain = 1 - left / at_first;
    }
  }

  free_parts(&p);
}

void identify_choose_cutoff(identify_run *r) {
  if (r->arg->cutoff.count) {
    r->cutoff = r->arg->cutoff.values[0];
    return;
  }

  /* From the fastest motion, but positions have nothing beyond their own filter. */
  for (int i = 0; i < r->data_count; i++)
    r->cutoff = fmax(r->cutoff, jn_identification_cutoff(r->identification, r->data[i].trajectory));
  r->cutoff = fmin(r->cutoff, r->lowpass);

  if (r->cutoff > 0) try_lower(r);
}
