/* SPDX-License-Identifier: BSD-2-Clause */
/* Many motions at once, and inertial parameters that differ from state to state: each is what it is alone, whatever the
 * number of threads. */
#include <stdatomic.h>

#include "simulation_help.h"

#include "jounce/batch.h"

enum { COUNT = 11, STEPS = 10, PARAMETERS = 100 };

typedef struct many {
  jn_model *model;
  int nq, nv, np;
  double q[COUNT * MOST], v[COUNT * MOST], tau[COUNT * STEPS * MOST], pi[COUNT * PARAMETERS];
} many;

static void begin(many *x, jn_model *m, uint64_t *s) {
  double pi[PARAMETERS];
  x->model = m;
  x->nq = jn_model_nq(m);
  x->nv = jn_model_nv(m);
  x->np = jn_parameter_count(m);
  assert_true(x->np <= PARAMETERS);
  check_ok(jn_parameters(m, pi));
  for (int k = 0; k < COUNT; k++) {
    double share = 1 + 0.5 * uniform(s); /* of mass, moments and tensors alike: a body that can be */
    check_ok(jn_random(m, s, x->q + k * x->nq));
    for (int i = 0; i < x->np; i++) x->pi[k * x->np + i] = share * pi[i];
  }
  fill(s, x->v, COUNT * x->nv, 0.3);
  fill(s, x->tau, COUNT * STEPS * x->nv, 0.3);
}

static jn_motions motions_of(const many *x, jn_integrator integrator, double *room) {
  jn_motions m;
  jn_motions_init(&m);
  m.integrator = integrator;
  m.steps = STEPS;
  m.step = 1e-3;
  m.tau = x->tau;
  m.tau_rows = STEPS;
  m.losses = 1;
  m.friction_speed = 0.1;
  m.room = room;
  return m;
}

/* One of them alone, by a simulator, with the parameters of its own. */
static double off_alone(const many *x, jn_integrator integrator, int k, int with_pi, const double *q, const double *v) {
  jn_simulation_options o = options_of(integrator, 0.1);
  jn_model *m = NULL;
  jn_simulator *s;
  jn_rollout r;
  double d[MOST], worst = 0, states[(STEPS + 1) * 2 * MOST];
  jn_work *w;
  o.losses = 1;
  o.friction_speed = 0.1;
  if (with_pi) check_ok(jn_model_with_parameters(x->model, x->pi + k * x->np, &m));
  check_ok(jn_simulator_create(m ? m : x->model, &o, &s));
  check_ok(jn_work_create(x->model, &w));
  jn_rollout_init(&r);
  r.steps = STEPS;
  r.step = 1e-3;
  r.q = x->q + k * x->nq;
  r.v = x->v + k * x->nv;
  r.tau = x->tau + k * STEPS * x->nv;
  r.states = states;
  check_ok(jn_rollout_forward(s, &r, 0, NULL));
  const double *end = states + STEPS * (x->nq + x->nv);
  check_ok(jn_difference(x->model, w, end, q + k * x->nq, d));
  for (int i = 0; i < x->nv; i++) {
    worst = fmax(worst, fabs(d[i]));
    worst = fmax(worst, fabs(end[x->nq + i] - v[k * x->nv + i]) / fmax(1, fabs(end[x->nq + i])));
  }
  jn_simulator_destroy(s);
  jn_work_destroy(w);
  jn_model_destroy(m);
  return worst;
}

static void run_many(const many *x, jn_integrator integrator, int threads, int with_pi, double *q, double *v,
                     double *states) {
  jn_batch *b;
  check_ok(jn_batch_create(x->model, -1, threads, &b));
  if (with_pi) check_ok(jn_batch_set_parameters(b, COUNT, x->pi));
  double *room = malloc(jn_motions_room(x->model, COUNT, integrator) * sizeof *room);
  jn_motions m = motions_of(x, integrator, room);
  m.states = states;
  m.every = 5;
  memcpy(q, x->q, sizeof(double) * COUNT * (size_t)x->nq);
  memcpy(v, x->v, sizeof(double) * COUNT * (size_t)x->nv);
  check_ok(jn_motions_run(b, COUNT, &m, q, v));
  free(room);
  jn_batch_destroy(b);
}

static void compare(const many *x, const char *name) {
  static const jn_integrator methods[] = {JN_RUNGE_KUTTA_4, JN_SEMI_IMPLICIT_EULER, JN_DORMAND_PRINCE};
  static double q[4][COUNT * MOST], v[4][COUNT * MOST], states[COUNT * 3 * 2 * MOST];
  for (int k = 0; k < 6; k++) {
    double worst = 0;
    for (int threads = 1; threads < 4; threads++)
      run_many(x, methods[k / 2], threads, k % 2, q[threads], v[threads], states);
    for (int threads = 2; threads < 4; threads++)
      check(!memcmp(q[1], q[threads], sizeof(double) * COUNT * (size_t)x->nq) &&
                !memcmp(v[1], v[threads], sizeof(double) * COUNT * (size_t)x->nv),
            "%s: %d threads give other numbers than one", name, threads);
    for (int i = 0; i < COUNT; i++) {
      const double *last = states + (i * 3 + 2) * (x->nq + x->nv);
      worst = fmax(worst, off_alone(x, methods[k / 2], i, k % 2, q[1], v[1]));
      check(!memcmp(last, q[1] + i * x->nq, sizeof(double) * (size_t)x->nq), "%s: the last state of motion %d", name,
            i);
    }
    printf("# %s, %s%s: off by %.1e\n", name, jn_integrator_name(methods[k / 2]), k % 2 ? ", own parameters" : "",
           worst);
    check(worst < 1e-11, "%s: motions are %g from those alone", name, worst);
  }
}

static void many_motions_are_those_of_each_alone(void **unused) {
  static many x;
  uint64_t s = seed("many");
  (void)unused;
  begin(&x, lossy_chain(&s, mixed, MIXED, 0.1), &s);
  compare(&x, "chain");
  jn_model_destroy(x.model);
  jn_model *m;
  check_ok(jn_load("builtin:double_pendulum", NULL, &m, NULL));
  begin(&x, m, &s);
  compare(&x, "double pendulum");
  jn_model_destroy(m);
}

/* Every function of a batch sees the parameters of its state. */
static void functions_see_the_parameters_of_their_state(void **unused) {
  static many x;
  static double tau[COUNT * MOST], M[COUNT * MOST * MOST], a[COUNT * MOST], da[COUNT * MOST * PARAMETERS], c[COUNT * 3];
  uint64_t s = seed("parameters");
  (void)unused;
  for (int trial = 0; trial < 6; trial++) { /* some trees have coupled coordinates */
    jn_model *m = trial ? random_tree(&s, 6) : lossy_chain(&s, mixed, MIXED, 0);
    jn_batch *b;
    begin(&x, m, &s);
    int nv = x.nv;
    check_ok(jn_batch_create(m, -1, 2, &b));
    check_ok(jn_batch_set_parameters(b, COUNT, x.pi));
    check_ok(jn_inverse_dynamics_batch(b, COUNT, x.q, x.v, x.tau, NULL, tau));
    check_ok(jn_mass_matrix_batch(b, COUNT, x.q, M));
    check_ok(jn_forward_dynamics_batch(b, COUNT, x.q, x.v, x.tau, NULL, a));
    check_ok(jn_center_of_mass_batch(b, COUNT, JN_WORLD, x.q, NULL, NULL, c, NULL, NULL));
    check_ok(jn_forward_dynamics_parameter_derivatives_batch(b, COUNT, x.q, x.v, x.tau, NULL, a, da));
    for (int k = 0; k < COUNT; k++) {
      jn_model *own;
      jn_work *w;
      static double one[MOST * PARAMETERS];
      check_ok(jn_model_with_parameters(m, x.pi + k * x.np, &own));
      check_ok(jn_work_create(own, &w));
      const double *q = x.q + k * x.nq, *v = x.v + k * nv, *f = x.tau + k * nv;
      check_ok(jn_inverse_dynamics(own, w, q, v, f, NULL, one));
      check_close(tau + k * nv, one, nv, 1, 1e3, "forces");
      check_ok(jn_mass_matrix(own, w, q, one));
      check_close(M + k * nv * nv, one, nv * nv, 1, 1e3, "mass matrix");
      check_ok(jn_forward_dynamics(own, w, q, v, f, NULL, one));
      check_close(a + k * nv, one, nv, 1, 1e5, "accelerations");
      check_ok(jn_center_of_mass(own, w, JN_WORLD, q, NULL, NULL, one, NULL, NULL));
      check_close(c + 3 * k, one, 3, 1, 1e3, "centre of mass");
      check_ok(jn_forward_dynamics_parameter_derivatives(own, w, q, v, f, NULL, one + nv * x.np, one));
      check_close(da + k * nv * x.np, one, nv * x.np, 1, 1e6, "accelerations by parameters");
      jn_work_destroy(w);
      jn_model_destroy(own);
    }
    check_ok(jn_inverse_dynamics_batch(b, 1, x.q, x.v, x.tau, NULL, M)); /* one state: the first */
    check_close(M, tau, nv, 1, 1e3, "forces of one state");
    check_ok(jn_batch_set_parameters(b, COUNT - 1, x.pi));
    check_status(jn_inverse_dynamics_batch(b, COUNT, x.q, x.v, x.tau, NULL, tau), JN_ERR_SIZE);
    x.pi[3] = NAN;
    check_status(jn_batch_set_parameters(b, COUNT, x.pi), JN_ERR_MODEL);
    check_ok(jn_batch_set_parameters(b, 0, NULL));
    check_ok(jn_inverse_dynamics_batch(b, COUNT, x.q, x.v, x.tau, NULL, tau));
    jn_batch_destroy(b);
    jn_model_destroy(m);
  }
}

static void wrong_motions_are_refused(void **unused) {
  static many x;
  uint64_t s = seed("refused");
  double room[4000], q[4] = {0}, v[4] = {0};
  (void)unused;
  jn_batch *b;
  begin(&x, lossy_chain(&s, mixed + 1, 1, 0), &s);
  check_ok(jn_batch_create(x.model, -1, 1, &b));
  jn_motions m = motions_of(&x, JN_RUNGE_KUTTA_4, room), good = m;
  m.size = 1;
  check_status(jn_motions_run(b, 1, &m, q, v), JN_ERR_INIT);
  m = good;
  m.integrator = JN_RODAS;
  check_status(jn_motions_run(b, 1, &m, q, v), JN_ERR_UNSUPPORTED);
  m = good;
  m.tau_rows = 3;
  check_status(jn_motions_run(b, 1, &m, q, v), JN_ERR_SIZE);
  m = good;
  m.step = NAN;
  check_status(jn_motions_run(b, 1, &m, q, v), JN_ERR_SIZE);
  m = good;
  m.room = NULL;
  check_status(jn_motions_run(b, 1, &m, q, v), JN_ERR_NULL);
  check_ok(jn_motions_run(b, 0, &good, NULL, NULL));
  v[0] = NAN; /* one motion that is lost does not disturb the other */
  good.tau_rows = 1;
  check_ok(jn_motions_run(b, 2, &good, q, v));
  check(isnan(v[0]) && isfinite(v[1]), "a lost motion disturbs another");
  jn_batch_destroy(b);
  jn_model_destroy(x.model);
}

/* Counts how often it is asked, and says yes from some time on. */
typedef struct patience {
  atomic_long asked;
  long most;
} patience;

static int run_out(void *context) {
  patience *p = context;
  return atomic_fetch_add(&p->asked, 1) >= p->most;
}

/* Batches, motions and simulations ask whether to go on; without a function, and with one that never says yes, results
 * are the same bits. */
static void long_calls_end_when_they_are_asked_to(void **unused) {
  enum { STATES = 1500 };
  (void)unused;
  uint64_t s = seed("stop");
  jn_model *model = lossy_chain(&s, mixed + 1, 1, 0);
  int nq = jn_model_nq(model), nv = jn_model_nv(model);
  double *q = calloc(STATES * (size_t)nq, sizeof *q), *M = calloc(2 * STATES * (size_t)(nv * nv), sizeof *M);
  double *again = M + STATES * (size_t)(nv * nv);
  for (int k = 0; k < STATES; k++) check_ok(jn_random(model, &s, q + k * nq));

  for (int threads = 1; threads <= 2; threads++) {
    jn_batch *b;
    check_ok(jn_batch_create(model, -1, threads, &b));
    check_ok(jn_mass_matrix_batch(b, STATES, q, M));
    patience never = {.most = 1L << 40}, soon = {.most = 2};
    jn_set_stop(run_out, &never);
    check_ok(jn_mass_matrix_batch(b, STATES, q, again));
    assert_memory_equal(M, again, sizeof(double) * STATES * (size_t)(nv * nv));
    check(atomic_load(&never.asked) > 5, "asked %ld times", atomic_load(&never.asked));
    jn_set_stop(run_out, &soon);
    check_status(jn_mass_matrix_batch(b, STATES, q, again), JN_ERR_STOPPED);
    jn_set_stop(NULL, NULL);
    check_ok(jn_mass_matrix_batch(b, STATES, q, again));
    jn_batch_destroy(b);
  }

  jn_simulation_options options;
  jn_simulation_options_init(&options);
  options.integrator = JN_RUNGE_KUTTA_4;
  options.step = 1e-3;
  jn_simulator *simulator;
  check_ok(jn_simulator_create(model, &options, &simulator));
  patience ten = {.most = 10};
  jn_set_stop(run_out, &ten);
  check_status(jn_simulator_run(simulator, 1.0), JN_ERR_STOPPED);
  double t;
  check_ok(jn_simulator_get(simulator, &t, NULL, NULL));
  check(fabs(t - 0.01) < 1e-9, "it went on until %g", t);
  check_status(jn_simulator_run(simulator, 1.0), JN_ERR_STOPPED); /* until jn_set_stop() is called again */
  jn_set_stop(NULL, NULL);
  check_ok(jn_simulator_run(simulator, 0.02));
  jn_simulator_destroy(simulator);
  jn_model_destroy(model);
  free(q);
  free(M);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_motions_are_those_of_each_alone),
      cmocka_unit_test(functions_see_the_parameters_of_their_state),
      cmocka_unit_test(wrong_motions_are_refused),
      cmocka_unit_test(long_calls_end_when_they_are_asked_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
