/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated double code beside the library's calls on this machine, one state at a time and many (LANES at once beside
 * batches on one thread): `script/bench --generated`.
 *   generated_time MODEL */
#include <jounce/jounce.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "many.h"
#include "robot.h"

enum { ROUNDS = 100, CALLS = 400, STATES = 512, MANY_CALLS = 4 };

typedef struct state {
  const jn_model *model;
  jn_work *work;
  jn_batch *batch;
  double q[ROBOT_NQ], v[ROBOT_NV], a[ROBOT_NV], tau[ROBOT_NV], M[ROBOT_NV * ROBOT_NV];
  double dq[ROBOT_NV * ROBOT_NV], dv[ROBOT_NV * ROBOT_NV], da[ROBOT_NV * ROBOT_NV];
  double *qs, *vs, *as, *taus, *Ms; /* of STATES states */
} state;

static void generated_inverse(state *s) { robot_inverse_dynamics(s->q, s->v, s->a, s->tau); }
static void generated_mass(state *s) { robot_mass_matrix(s->q, s->M); }
static void generated_forward(state *s) { robot_forward_dynamics(s->q, s->v, s->a, s->tau); }
static void generated_derivatives(state *s) {
  robot_inverse_dynamics_derivatives(s->q, s->v, s->a, s->dq, s->dv, s->da);
}
static void library_derivatives(state *s) {
  jn_inverse_dynamics_derivatives(s->model, s->work, s->q, s->v, s->a, NULL, JN_IN_BODY, s->dq, s->dv, s->da, NULL);
}
static void many_inverse(state *s) { many_inverse_dynamics_many(STATES, s->qs, s->vs, s->as, s->taus); }
static void many_mass(state *s) { many_mass_matrix_many(STATES, s->qs, s->Ms); }
static void batch_inverse(state *s) { jn_inverse_dynamics_batch(s->batch, STATES, s->qs, s->vs, s->as, NULL, s->taus); }
static void batch_mass(state *s) { jn_mass_matrix_batch(s->batch, STATES, s->qs, s->Ms); }
static void library_inverse(state *s) { jn_inverse_dynamics(s->model, s->work, s->q, s->v, s->a, NULL, s->tau); }
static void library_mass(state *s) { jn_mass_matrix(s->model, s->work, s->q, s->M); }
static void library_forward(state *s) { jn_forward_dynamics(s->model, s->work, s->q, s->v, s->a, NULL, s->tau); }

/* Nanoseconds of one call, the least of some rounds. */
static double time_of(void (*call)(state *), state *s, int calls) {
  double least = 1e300;
  for (int round = 0; round < ROUNDS; round++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < calls; i++) call(s);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double each = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / calls;
    if (each < least) least = each;
  }
  return least;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*generated)(state *), (*library)(state *);
    int states;
  } rows[] = {{"inverse_dynamics", generated_inverse, library_inverse, 1},
              {"mass_matrix", generated_mass, library_mass, 1},
              {"forward_dynamics", generated_forward, library_forward, 1},
              {"derivatives", generated_derivatives, library_derivatives, 1},
              {"inverse_dynamics, many", many_inverse, batch_inverse, STATES},
              {"mass_matrix, many", many_mass, batch_mass, STATES}};
  static state s;
  jn_model *model;
  jn_error error;
  if (argc != 2 || jn_load(argv[1], NULL, &model, &error) != JN_OK || jn_work_create(model, &s.work) != JN_OK ||
      jn_batch_create(model, 0, 1, &s.batch) != JN_OK) {
    fprintf(stderr, "generated_time: no such model\n");
    return 1;
  }
  s.model = model;
  jn_neutral(model, s.q);
  for (int i = 0; i < ROBOT_NV; i++) s.q[ROBOT_NQ - 1 - i] += 0.01 * (i + 1), s.v[i] = 0.5, s.a[i] = 1;
  if (robot_selftest() != 0 || many_selftest() != 0) return 1;

  /* Many states, all a little different. */
  double *block = calloc((size_t)STATES * (ROBOT_NQ + 3 * ROBOT_NV + ROBOT_NV * ROBOT_NV), sizeof *block);
  if (!block) return 1;
  s.qs = block, s.vs = s.qs + STATES * ROBOT_NQ, s.as = s.vs + STATES * ROBOT_NV, s.taus = s.as + STATES * ROBOT_NV;
  s.Ms = s.taus + STATES * ROBOT_NV;
  for (int k = 0; k < STATES; k++) {
    for (int i = 0; i < ROBOT_NQ; i++) s.qs[k * ROBOT_NQ + i] = s.q[i] + 1e-3 * k;
    for (int i = 0; i < ROBOT_NV; i++) s.vs[k * ROBOT_NV + i] = s.as[k * ROBOT_NV + i] = 0.5;
  }

  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    int states = rows[k].states, calls = states > 1 ? MANY_CALLS : CALLS;
    double generated = time_of(rows[k].generated, &s, calls) / states;
    double library = time_of(rows[k].library, &s, calls) / states;
    printf("%-24s %8.1f ns %8.1f ns %6.2f\n", rows[k].name, generated, library, library / generated);
  }
  free(block);
  jn_batch_destroy(s.batch);
  jn_work_destroy(s.work);
  jn_model_destroy(model);
  return 0;
}
