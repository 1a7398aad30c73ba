/* SPDX-License-Identifier: BSD-2-Clause */
/* Many states at once: a Panda starts from its rest pose with a thousand different velocities, and every path is
 * integrated for a tenth of a second without torques. The total energy shows whether the result is right. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATHS = 1000, N = 7, STEPS = 100 };

static double total(jn_batch *batch, const double *q, const double *v) {
  static double energy[PATHS][2];
  double sum = 0;
  if (jn_energy_batch(batch, PATHS, q, v, &energy[0][0]) != JN_OK) exit(1);
  for (int i = 0; i < PATHS; i++) sum += energy[i][0] + energy[i][1];
  return sum / PATHS;
}

int main(void) {
  jn_model *panda;
  jn_batch *batch; /* memory of all threads; one for each caller */
  jn_error error;
  if (jn_load("builtin:panda", NULL, &panda, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  if (jn_batch_create(panda, -1, 0, &batch) != JN_OK) return 1;

  static double q[PATHS][N], v[PATHS][N], a[PATHS][N], tau[PATHS][N]; /* a row for each state */
  for (int i = 0; i < PATHS; i++)
    for (int k = 0; k < N; k++) {
      q[i][k] = k == 1 ? -0.6 : k == 3 ? -2.2 : k == 5 ? 1.6 : 0;
      v[i][k] = sin(1 + 12.9898 * i + 78.233 * k);
    }
  double before = total(batch, &q[0][0], &v[0][0]), h = 0.1 / STEPS;
  for (int step = 0; step < STEPS; step++) /* leapfrog: half a step of velocity, one of position, half of velocity */
    for (int half = 0; half < 2; half++) {
      if (jn_forward_dynamics_batch(batch, PATHS, &q[0][0], &v[0][0], &tau[0][0], NULL, &a[0][0]) != JN_OK) return 1;
      for (int i = 0; i < PATHS; i++)
        for (int k = 0; k < N; k++) {
          v[i][k] += 0.5 * h * a[i][k];
          if (half == 0) q[i][k] += h * v[i][k];
        }
    }
  double after = total(batch, &q[0][0], &v[0][0]);
  printf("%d paths in %d thread%s: %.6f J before, %.6f J after\n", PATHS, jn_batch_threads(batch),
         jn_batch_threads(batch) == 1 ? "" : "s", before, after);
  jn_batch_destroy(batch);
  jn_model_destroy(panda);
  return fabs(after - before) < 1e-2 ? 0 : 1;
}
