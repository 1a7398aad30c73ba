/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated double code beside the library's calls, one state at a time, on this machine: `script/bench --generated`.
 *   generated_time MODEL */
#include <jounce/jounce.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "robot.h"

enum { ROUNDS = 40, CALLS = 2000 };

typedef struct state {
  const jn_model *model;
  jn_work *work;
  double q[ROBOT_NQ], v[ROBOT_NV], a[ROBOT_NV], tau[ROBOT_NV], M[ROBOT_NV * ROBOT_NV];
} state;

static void generated_inverse(state *s) { robot_inverse_dynamics(s->q, s->v, s->a, s->tau); }
static void generated_mass(state *s) { robot_mass_matrix(s->q, s->M); }
static void generated_forward(state *s) { robot_forward_dynamics(s->q, s->v, s->a, s->tau); }
static void library_inverse(state *s) { jn_inverse_dynamics(s->model, s->work, s->q, s->v, s->a, NULL, s->tau); }
static void library_mass(state *s) { jn_mass_matrix(s->model, s->work, s->q, s->M); }
static void library_forward(state *s) { jn_forward_dynamics(s->model, s->work, s->q, s->v, s->a, NULL, s->tau); }

/* Nanoseconds of one call, the least of some rounds. */
static double time_of(void (*call)(state *), state *s) {
  double least = 1e300;
  for (int round = 0; round < ROUNDS; round++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < CALLS; i++) call(s);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double each = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / CALLS;
    if (each < least) least = each;
  }
  return least;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*generated)(state *), (*library)(state *);
  } rows[] = {{"inverse_dynamics", generated_inverse, library_inverse},
              {"mass_matrix", generated_mass, library_mass},
              {"forward_dynamics", generated_forward, library_forward}};
  static state s;
  jn_model *model;
  jn_error error;
  if (argc != 2 || jn_load(argv[1], NULL, &model, &error) != JN_OK || jn_work_create(model, &s.work) != JN_OK) {
    fprintf(stderr, "generated_time: no such model\n");
    return 1;
  }
  s.model = model;
  jn_neutral(model, s.q);
  for (int i = 0; i < ROBOT_NV; i++) s.q[ROBOT_NQ - 1 - i] += 0.01 * (i + 1), s.v[i] = 0.5, s.a[i] = 1;
  if (robot_selftest() != 0) return 1;

  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double generated = time_of(rows[k].generated, &s), library = time_of(rows[k].library, &s);
    printf("%-20s %8.1f ns %8.1f ns %6.2f\n", rows[k].name, generated, library, library / generated);
  }
  jn_work_destroy(s.work);
  jn_model_destroy(model);
  return 0;
}
