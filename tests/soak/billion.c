/* SPDX-License-Identifier: BSD-2-Clause */
/* Very many states of one robot in batches: each against the single-state result, and against the balance of power,
 * whose other side (the rate of the energies) is another algorithm. Processes share the states. */
#include "soak.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, JOINTS = 7 };

typedef struct tally {
  long states, block_of[2];
  double worst[2]; /* batch against single; power */
} tally;

static void block(const jn_model *m, jn_work *w, jn_batch *b, uint64_t seed, long number, int count, tally *t) {
  enum { N = JOINTS };
  static double q[BLOCK * N], v[BLOCK * 3 * N], a[BLOCK * N], v0[BLOCK * N], tau[BLOCK * N], E[BLOCK * 4], one[N];
  uint64_t s = seed * 0x2545f4914f6cdd1du + (uint64_t)number * 0x9e3779b97f4a7c15u;
  double epsilon = jn_variant_epsilon();
  for (int i = 0; i < count; i++)
    for (int k = 0; k < N; k++) {
      q[i * N + k] = 3.1415 * uniform(&s);
      v0[i * N + k] = v[i * 3 * N + k] = 2 * uniform(&s);
      a[i * N + k] = v[(i * 3 + 1) * N + k] = 5 * uniform(&s);
      v[(i * 3 + 2) * N + k] = 0;
    }
  check_ok(jn_inverse_dynamics_batch(b, (size_t)count, q, v0, a, NULL, tau));
  check_ok(jn_energy_jet_batch(b, (size_t)count, 1, q, v, E));
  for (int i = 0; i < count; i++) {
    double power = -E[i * 4 + 2] - E[i * 4 + 3], size = 1, gap = 0, flow = 1;
    check_ok(jn_inverse_dynamics(m, w, q + i * N, v0 + i * N, a + i * N, NULL, one));
    for (int k = 0; k < N; k++) {
      double x = tau[i * N + k], e = fabs(x - one[k]);
      size = fmax(size, fabs(x));
      gap = fmax(gap, isnan(e) ? INFINITY : e);
      power += x * v0[i * N + k];
      flow += fabs(x * v0[i * N + k]);
    }
    const double found[2] = {gap / (size * epsilon), isnan(power) ? INFINITY : fabs(power) / (flow * epsilon)};
    for (int e = 0; e < 2; e++)
      if (found[e] > t->worst[e]) t->worst[e] = found[e], t->block_of[e] = number;
  }
  t->states += count;
}

static void share(uint64_t seed, long states, int part, int parts, int to) {
  tally t = {0};
  jn_model *m;
  jn_work *w;
  jn_batch *b;
  jn_error error;
  jn_status status = jn_load("builtin:panda", NULL, &m, &error);
  if (status == JN_ERR_UNSUPPORTED) status = jn_load("builtin:chain:7", NULL, &m, &error);
  check(status == JN_OK && jn_model_nv(m) >= JOINTS, "%s", error.text);
  if (jn_model_nv(m) != JOINTS) { /* the Panda has fingers in some descriptions */
    jn_model_destroy(m);
    check_ok(jn_load("builtin:chain:7", NULL, &m, NULL));
  }
  check_ok(jn_work_create_order(m, 1, &w));
  check_ok(jn_batch_create(m, 1, 1, &b));
  for (long i = part; i * BLOCK < states; i += parts) {
    long rest = states - i * BLOCK;
    block(m, w, b, seed, i, rest < BLOCK ? (int)rest : BLOCK, &t);
  }
  jn_batch_destroy(b);
  jn_work_destroy(w);
  jn_model_destroy(m);
  check(write(to, &t, sizeof t) == (ssize_t)sizeof t, "pipe");
}

int billion(uint64_t seed, long states, int processes, const char *results) {
  int pipes[2];
  tally all = {0}, t;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  check(pipe(pipes) == 0, "pipe");
  for (int i = 0; i < processes; i++)
    if (fork() == 0) {
      share(seed, states, i, processes, pipes[1]);
      _exit(0);
    }
  for (int i = 0; i < processes; i++) {
    int status;
    wait(&status);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a process failed");
    check(read(pipes[0], &t, sizeof t) == (ssize_t)sizeof t, "pipe");
    all.states += t.states;
    for (int e = 0; e < 2; e++)
      if (t.worst[e] >= all.worst[e]) all.worst[e] = t.worst[e], all.block_of[e] = t.block_of[e];
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (double)(end.tv_sec - start.tv_sec);
  printf(
      "%ld states in batches, seed %llu, %.0f s: from the single state %.3g roundings (block %ld), "
      "balance of power %.3g roundings (block %ld)\n",
      all.states, (unsigned long long)seed, seconds, all.worst[0], all.block_of[0], all.worst[1], all.block_of[1]);
  if (results) {
    FILE *f = fopen(results, "w");
    check(f, "%s cannot be written", results);
    fprintf(f, "billion\t%ld\t%llu\t%.3g\t%ld\t%.3g\t%ld\t%.0f\t%s\n", all.states, (unsigned long long)seed,
            all.worst[0], all.block_of[0], all.worst[1], all.block_of[1], seconds, jn_variant_name());
    fclose(f);
  }
  return all.worst[0] <= 1000 && all.worst[1] <= 1000 ? 0 : 1;
}
