/* SPDX-License-Identifier: BSD-2-Clause */
/* Work and precision of the integrators: for each method and tolerance (or step), the error at the end against a Taylor
 * series of tolerance 1e-16, and the least time of several runs. CSV on stdout:
 *   bench_simulation > work.csv */
#define _POSIX_C_SOURCE 200809L
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if JN_BENCH_SUNDIALS
#include "peer_cvode.h"
#endif

enum { MOST = 64, RUNS = 5 };

typedef struct system_case {
  const char *name, *robot;
  double duration, damping;
  int nq, nv;
  jn_model *model;
  double q[MOST], v[MOST], end_q[MOST], end_v[MOST];
} system_case;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other processes do not count */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Damping of every joint, with its derivatives. */
static jn_status damp(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  const system_case *c = context;
  (void)t, (void)q;
  for (int i = 0; i < c->nv; i++) tau_jet[order * c->nv + i] = -c->damping * v_jet[order * c->nv + i];
  return JN_OK;
}

static double run(system_case *c, jn_integrator integrator, double accuracy, double *q, double *v, long *steps) {
  int fixed = integrator == JN_RUNGE_KUTTA_4 || integrator == JN_SEMI_IMPLICIT_EULER;
  jn_simulation_options o;
  jn_simulator *s;
  jn_simulation_report r;
  jn_simulation_options_init(&o);
  o.integrator = integrator;
  if (fixed)
    o.step = accuracy;
  else
    o.tolerance = accuracy;
  o.force = c->damping > 0 ? damp : NULL;
  o.force_order = JN_ANY_ORDER;
  o.context = c;
  if (jn_simulator_create(c->model, &o, &s) != JN_OK) return NAN;
  double best = INFINITY;
  for (int k = 0; k < RUNS; k++) {
    jn_simulator_set(s, 0, c->q, c->v);
    double start = now();
    if (jn_simulator_run(s, c->duration) != JN_OK) best = NAN;
    best = fmin(best, now() - start);
  }
  jn_simulator_get(s, NULL, q, v);
  jn_simulator_report(s, &r);
  *steps = r.steps;
  jn_simulator_destroy(s);
  return best;
}

static void measure(system_case *c, jn_integrator integrator, double accuracy) {
  double q[MOST], v[MOST], error = 0;
  long steps;
  double seconds = run(c, integrator, accuracy, q, v, &steps);
  for (int i = 0; i < c->nv; i++) error = fmax(error, fabs(v[i] - c->end_v[i]));
  for (int i = 0; i < c->nq; i++) error = fmax(error, fabs(q[i] - c->end_q[i]));
  printf("%s,%s,%g,%ld,%.3e,%.4f\n", c->name, jn_integrator_name(integrator), accuracy, steps, error, 1e3 * seconds);
  fflush(stdout);
}

#if JN_BENCH_SUNDIALS
static void measure_cvode(system_case *c, double tolerance) {
  double q[MOST], v[MOST], error = 0, best = INFINITY;
  long steps = 0;
  for (int k = 0; k < RUNS; k++) {
    memcpy(q, c->q, sizeof q);
    memcpy(v, c->v, sizeof v);
    double start = now();
    steps = cvode_run(c->model, c->damping, tolerance, c->duration, q, v);
    best = fmin(best, now() - start);
  }
  for (int i = 0; i < c->nv; i++) error = fmax(error, fmax(fabs(v[i] - c->end_v[i]), fabs(q[i] - c->end_q[i])));
  printf("%s,cvode,%g,%ld,%.3e,%.4f\n", c->name, tolerance, steps, error, 1e3 * best);
}
#endif

int main(void) {
  static const double steps[] = {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5, 3.125e-5};
  system_case cases[] = {
      {.name = "panda",
       .robot = "builtin:panda",
       .duration = 1,
       .damping = 0.5,
       .q = {0.25, -0.75, 0.5, -2, 0.125, 1.5, 0.75},
       .v = {0, 0.5, 0, -0.25, 0, 0, 1}},
      {.name = "double_pendulum", .robot = "builtin:double_pendulum", .duration = 2, .q = {2.1, -0.5}},
      {.name = "quadruped", .robot = "builtin:quadruped", .duration = 0.5}};
  puts("system,method,tolerance or step,steps,error,milliseconds");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    system_case *c = &cases[k];
    long count;
    if (jn_load(c->robot, NULL, &c->model, NULL) != JN_OK) return 1;
    c->nq = jn_model_nq(c->model);
    c->nv = jn_model_nv(c->model);
    if (k == 2) jn_neutral(c->model, c->q);
    for (int i = 0; i < c->nv && k == 2; i++) c->v[i] = sin(3.0 * i);
    run(c, JN_TAYLOR, 1e-16, c->end_q, c->end_v, &count);
    for (int e = 4; e <= 14; e += 2) {
      measure(c, JN_TAYLOR, pow(10, -e));
      measure(c, JN_DORMAND_PRINCE, pow(10, -e));
      if (e <= 10) measure(c, JN_RODAS, pow(10, -e));
#if JN_BENCH_SUNDIALS
      if (c->nq == c->nv) measure_cvode(c, pow(10, -e));
#endif
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) measure(c, JN_RUNGE_KUTTA_4, steps[i]);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) measure(c, JN_SEMI_IMPLICIT_EULER, steps[i]);
    jn_model_destroy(c->model);
  }
  return 0;
}
