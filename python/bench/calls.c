/* SPDX-License-Identifier: BSD-2-Clause */
/* Time per state of a few functions in C, for python/bench/bench.py:   calls MODEL COUNT ROUNDS
 * COUNT 1: single calls, otherwise batches of so many states in one thread. One line per function: name, nanoseconds
 * (the best round). */
#include <jounce/jounce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ORDER = 2 };

typedef struct arrays {
  jn_model *model;
  jn_work *work;
  jn_batch *batch;
  size_t count;
  double *q, *v, *a, *tau, *jet, *out[4];
} arrays;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define ONE_OR_MANY(name, ...) \
  (x->count == 1 ? jn_##name(x->model, x->work, __VA_ARGS__) : jn_##name##_batch(x->batch, x->count, __VA_ARGS__))

static jn_status call(const arrays *x, int which) {
  switch (which) {
    case 0:
      return ONE_OR_MANY(inverse_dynamics, x->q, x->v, x->a, NULL, x->out[0]);
    case 1:
      return ONE_OR_MANY(mass_matrix, x->q, x->out[0]);
    case 2:
      return ONE_OR_MANY(forward_dynamics, x->q, x->v, x->tau, NULL, x->out[0]);
    case 3:
      return ONE_OR_MANY(inverse_dynamics_derivatives, x->q, x->v, x->a, NULL, JN_IN_BODY, x->out[0], x->out[1],
                         x->out[2], NULL);
    case 4:
      return ONE_OR_MANY(inverse_dynamics_jet, ORDER, x->q, x->jet, NULL, x->out[0]);
    default:
      return ONE_OR_MANY(frame_jacobian, jn_frame_count(x->model) - 1, JN_IN_BODY, x->q, x->out[0]);
  }
}

static double *numbers(size_t n, double value) {
  double *x = malloc(n * sizeof *x);
  if (!x) exit(1);
  for (size_t i = 0; i < n; i++) x[i] = value;
  return x;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"inverse_dynamics",     "mass_matrix",
                                      "forward_dynamics",     "inverse_dynamics_derivatives",
                                      "inverse_dynamics_jet", "frame_jacobian"};
  arrays x = {0};
  if (argc != 4 || jn_load(argv[1], NULL, &x.model, NULL) != JN_OK) return 1;
  x.count = strtoul(argv[2], NULL, 10);
  int rounds = atoi(argv[3]);
  size_t nq = (size_t)jn_model_nq(x.model), nv = (size_t)jn_model_nv(x.model);
  if (jn_work_create_order(x.model, ORDER, &x.work) != JN_OK) return 1;
  if (jn_batch_create(x.model, ORDER, 1, &x.batch) != JN_OK) return 1;
  x.q = numbers(x.count * nq, 0);
  uint64_t seed = 1;
  for (size_t i = 0; i < x.count; i++) jn_random(x.model, &seed, x.q + i * nq);
  x.v = numbers(x.count * nv, 0.3);
  x.a = numbers(x.count * nv, 1);
  x.tau = numbers(x.count * nv, 0.5);
  x.jet = numbers(x.count * nv * (ORDER + 2), 0.2);
  for (int i = 0; i < 4; i++) x.out[i] = numbers(x.count * (6 + nv) * nv, 0);
  for (int which = 0; which < 6; which++) {
    double best = 1e30;
    int times = x.count == 1 ? 300 : 1; /* short runs: other programs interrupt */
    for (int r = 0; r < 100 * rounds; r++) {
      double start = now();
      for (int i = 0; i < times; i++)
        if (call(&x, which) != JN_OK) return 1;
      double each = (now() - start) / times / (double)x.count;
      if (each < best) best = each;
    }
    printf("%s %.2f\n", names[which], best);
  }
  return 0;
}
