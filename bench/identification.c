/* SPDX-License-Identifier: BSD-2-Clause */
/* Time and memory of identification over many samples of the Panda: bench_identification [SAMPLES [THREADS]]. Splines
 * go through every sample, so that what is timed is the rows, not the choice of how much to smooth. */
#define _POSIX_C_SOURCE 200809L
#include <jounce/identification.h>
#include <jounce/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { NV = 7 };

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long megabytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/* What took how long: wall clock, processor, and what memory grew by. */
static void tell(const char *what, double wall, double cpu, long memory) {
  printf("%-28s %6.2f s, %6.2f s of processor time, memory + %ld MB\n", what, seconds(CLOCK_MONOTONIC) - wall,
         seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, megabytes() - memory);
}

static void make(const jn_model *m, int rows, double *t, double *q, double *tau) {
  jn_work *w;
  if (jn_work_create(m, &w) != JN_OK) exit(1);
  srand(1);
  for (int k = 0; k < rows; k++) {
    double v[NV], a[NV], *at = q + (size_t)k * NV, *force = tau + (size_t)k * NV;
    t[k] = 1e-3 * k;
    for (int i = 0; i < NV; i++) {
      at[i] = v[i] = a[i] = 0;
      for (int h = 1; h < 4; h++) {
        double omega = h * (0.7 + 0.11 * i), angle = omega * t[k] + h * i;
        at[i] += 0.5 / h * sin(angle);
        v[i] += 0.5 / h * omega * cos(angle);
        a[i] -= 0.5 / h * omega * omega * sin(angle);
      }
    }
    jn_inverse_dynamics(m, w, at, v, a, NULL, force);
    for (int i = 0; i < NV; i++) force[i] += (double)rand() / RAND_MAX - 0.5;
  }
  jn_work_destroy(w);
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 1000000, threads = argc > 2 ? atoi(argv[2]) : 0;
  jn_model *m;
  jn_trajectory *motion;
  jn_trajectory_options smooth;
  jn_identification_options options;
  jn_identification *d;
  jn_measurement how;
  const jn_estimate *e;
  if (rows < 10 || jn_load("builtin:panda", NULL, &m, NULL) != JN_OK) return 1;
  size_t count = (size_t)rows;
  double *t = malloc(count * sizeof *t), *q = malloc(NV * count * sizeof *q), *tau = malloc(NV * count * sizeof *tau);
  if (!t || !q || !tau) return 1;
  make(m, rows, t, q, tau);
  jn_trajectory_options_init(&smooth);
  smooth.order = 1;
  smooth.smoothing = JN_SMOOTH_NONE;
  if (jn_trajectory_fit(m, rows, t, q, &smooth, &motion, NULL) != JN_OK) return 1;
  if (jn_trajectory_set_forces(motion, rows, t, tau) != JN_OK) return 1;
  jn_identification_options_init(&options);
  options.columns |= JN_IDENTIFY_ROTOR;
  options.threads = threads;
  if (jn_identification_create(m, &options, &d, NULL) != JN_OK) return 1;
  jn_measurement_init(&how);
  for (int filtered = 1; filtered >= 0; filtered--) {
    char what[64];
    how.cutoff = filtered ? 10 : 0;
    jn_identification_clear(d, 0);
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    long memory = megabytes();
    if (jn_identification_add_trajectory(d, motion, &how) != JN_OK) return 1;
    snprintf(what, sizeof what, "%d samples, %s", rows, filtered ? "10 Hz" : "no filter");
    tell(what, wall, cpu, memory);
    wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), memory = megabytes();
    if (jn_identification_solve(d, -1, 1, &e) != JN_OK) return 1;
    snprintf(what, sizeof what, "solving %.0f rows", e->rows);
    tell(what, wall, cpu, memory);
  }
  jn_identification_destroy(d);
  jn_trajectory_destroy(motion);
  jn_model_destroy(m);
  free(t);
  free(q);
  free(tau);
  return 0;
}
