/* SPDX-License-Identifier: BSD-2-Clause */
/* Each specialised version of an algorithm against the general one: the same kernels compiled with and without it
 * (src/kernel/base/versions.h), timed in turn in one run. Ends with the versions that gain less than 5 % on every
 * robot: those are not worth their lines. bench_versions [ROBOT...] */
#include <stdio.h>
#include <string.h>

#include "algorithms.h"
#include "dispatch/dispatch.h"
#include "timing.h"

enum { ALGORITHMS = 12, ROUNDS = 4 };
#define BUDGET 4e6       /* ns for each number in each round */
#define WORTH_WHILE 1.05 /* time without the version / with it, on one robot at least */

/* A version, the row that has it and the same row without, and what it computes; many: in batches. */
typedef struct version {
  const char *name, *with, *without;
  int many;
  const char *algorithms[ALGORITHMS];
} version;

static const version versions[] = {
    {"mass matrix in registers", "d_avx2", "d_avx2_plain", 0, {"mass matrix"}},
    {"terms in registers",
     "d_avx2",
     "d_avx2_plain",
     0,
     {"gravity forces", "energies", "CoM Jacobian", "all poses", "momentum", "momentum matrix", "all Jacobians",
      "all Jacobian rates", "space Jacobian", "CoM, velocity, acceleration"}},
    {"Coriolis matrix in registers", "d_avx2", "d_avx2_plain", 0, {"Coriolis matrix", "rate of M"}},
    {"regressor in registers", "d_avx2", "d_avx2_plain", 0, {"torque regressor"}},
    {"jets in registers", "d_avx2", "d_avx2_plain", 0, {"inverse dynamics jet", "forward dynamics jet"}},
    {"articulated inertias in registers",
     "d_avx2",
     "d_avx2_plain",
     0,
     {"forward dynamics", "hybrid dynamics", "inverse of M"}},
    {"first derivatives in registers", "d_avx2", "d_avx2_plain", 0, {"d tau / d(q, v, a)", "d ddq / d(q, v, tau)"}},
    {"first derivatives in tiles", "d_avx2", "d_avx2_untiled", 0, {"d tau / d(q, v, a)", "d ddq / d(q, v, tau)"}},
    {"columns of M^-1 in tiles", "d_avx2", "d_avx2_untiled", 0, {"inverse of M", "d ddq / d parameters"}},
    {"second derivatives in tiles", "d_avx2", "d_avx2_untiled", 0, {"second-order d tau", "d M / dq"}},
    {"first derivatives in tiles, SSE2", "d", "d_untiled", 0, {"d tau / d(q, v, a)", "d ddq / d(q, v, tau)"}},
    {"columns of M^-1 in tiles, SSE2", "d", "d_untiled", 0, {"inverse of M", "d ddq / d parameters"}},
    {"second derivatives in tiles, SSE2", "d", "d_untiled", 0, {"second-order d tau", "d M / dq"}},
    {"32 registers, AVX-512",
     "d_avx512",
     "d_avx2",
     0,
     {"mass matrix", "forward dynamics", "inverse of M", "Coriolis matrix", "all Jacobians", "torque regressor",
      "d tau / d(q, v, a)", "d ddq / d(q, v, tau)", "second-order d tau", "gradient of inverse dynamics",
      "inverse dynamics jet", "forward dynamics jet"}},
    {"eight lanes, AVX-512",
     "d8_avx512",
     "d4_avx2",
     1,
     {"inverse dynamics", "mass matrix", "forward dynamics", "inverse of M", "Coriolis matrix", "all Jacobians",
      "torque regressor", "d tau / d(q, v, a)", "d ddq / d(q, v, tau)", "second-order d tau", "inverse dynamics jet",
      "forward dynamics jet"}},
    {"first derivatives in lanes", "d4_avx2", "d4_avx2_plain", 1, {"d tau / d(q, v, a)", "d ddq / d(q, v, tau)"}},
    {"RNEA body by body in lanes", "d4_avx2", "d4_avx2_plain", 1, {"inverse dynamics", "gravity forces"}},
    {"blocks straight to the caller",
     "d4_avx2",
     "d4_avx2_plain",
     1,
     {"all Jacobians", "torque regressor", "mass matrix"}},
};
enum { VERSIONS = sizeof versions / sizeof *versions };

static double best_gain[VERSIONS]; /* 0: not measured */

static double time_in(const char *row, const version *v, const robot *r, const algorithm *a) {
  jn__use_variant(row);
  subject s = subject_create(r, a, v->many ? STATES : 1, 1);
  timing t = v->many ? time_calls(a->batch, &s, 1, BUDGET) : time_calls(a->run, &s, STATES, BUDGET);
  subject_destroy(&s);
  return v->many ? t.least / STATES : t.least;
}

static void compare(int at, const robot *r, const algorithm *a) {
  const version *v = &versions[at];
  double with = INFINITY, without = INFINITY;
  if (!algorithm_fits(r, a, v->many ? STATES : 1)) return;
  for (int round = 0; round < ROUNDS; round++) { /* in turn, so that both see the same disturbances */
    with = fmin(with, time_in(v->with, v, r, a));
    without = fmin(without, time_in(v->without, v, r, a));
  }
  char order[16] = "";
  if (a->order >= 0) snprintf(order, sizeof order, "%d", a->order);
  printf("%-34s %-12s %-29s %2s %9.0f %9.0f %6.2f\n", v->name, r->name, a->name, order, without, with, without / with);
  fflush(stdout);
  best_gain[at] = fmax(best_gain[at], without / with);
}

static int serves(const version *v, const algorithm *a) {
  for (int k = 0; k < ALGORITHMS && v->algorithms[k]; k++)
    if (strcmp(v->algorithms[k], a->name) == 0) return 1;
  return 0;
}

static void compare_all(const char *name) {
  jn__use_variant("d");
  robot r = robot_create(name);
  for (int at = 0; at < VERSIONS; at++)
    for (int k = 0; k < algorithm_count(1) && jn__variant_by_name(versions[at].with); k++)
      if (serves(&versions[at], algorithm_at(k))) compare(at, &r, algorithm_at(k));
  robot_destroy(&r);
}

int main(int argc, char **argv) {
  static const char *const usual[] = {"chain7", "quadruped", "humanoid44"};
  int few = 0;
  if (!jn__variant_by_name("d_avx2")) {
    fputs("bench: this machine has no AVX2\n", stderr);
    return 1;
  }
  printf("%-34s %-12s %-29s %2s %9s %9s %6s\n", "version", "robot", "algorithm", "K", "without", "with", "gain");
  for (int i = 1; i < argc; i++) compare_all(argv[i]);
  for (int i = 0; i < 3 && argc == 1; i++) compare_all(usual[i]);
  puts("\nless than 5 % on every robot:");
  for (int at = 0; at < VERSIONS; at++)
    if (best_gain[at] > 0 && best_gain[at] < WORTH_WHILE)
      few++, printf("  %s (at best %.2f)\n", versions[at].name, best_gain[at]);
  if (!few) puts("  none");
  return 0;
}
