/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of whole motions: backwards is the transpose of forwards, both are what differences say, and however many
 * states are kept the gradient is the same to the last bit. */
#include "simulation_help.h"

enum { STEPS = 12, PARAMETERS = 100, WAYS = 3 };

typedef struct motion {
  jn_model *model;
  jn_loops *loops;
  jn_simulator *simulator;
  int nq, nv, np;
  double q[MOST], v[MOST], tau[STEPS * MOST], room[STEPS * (2 * MOST + 1)], weight[2 * MOST];
} motion;

/* cost_k = (1 + k/10) (weight . (q's own coordinates, v) + v . v / 2); positions through their difference to the start.
 */
typedef struct cost {
  const motion *m;
  jn_work *work;
} cost;

static jn_status cost_at(void *context, long k, const double *q, const double *v, double *value, double *df_dx) {
  const cost *c = context;
  const motion *m = c->m;
  int n = m->nv;
  double d[MOST], by_q[MOST * MOST], f = 1 + 0.1 * (double)k;
  jn_status status = jn_difference(m->model, c->work, m->q, q, d);
  if (status == JN_OK) status = jn_difference_derivatives(m->model, c->work, m->q, q, NULL, by_q);
  *value = 0;
  for (int i = 0; i < n; i++) {
    *value += f * (m->weight[i] * d[i] + m->weight[n + i] * v[i] + v[i] * v[i] / 2);
    df_dx[n + i] += f * (m->weight[n + i] + v[i]);
    for (int j = 0; j < n; j++) df_dx[j] += f * m->weight[i] * by_q[i * n + j];
  }
  return status;
}

static jn_simulation_options options_for(jn_integrator integrator) {
  jn_simulation_options o = options_of(integrator, integrator == JN_TAYLOR ? 1e-12 : 0.1);
  o.derivatives = 2;
  o.losses = 1;
  return o;
}

/* One of: a chain of all kinds of joints, a double pendulum, a four-bar. */
static void begin(motion *m, int which, jn_integrator integrator, uint64_t *s) {
  jn_simulation_options o = options_for(integrator);
  m->loops = NULL;
  if (which == 0) {
    m->model = lossy_chain(s, mixed, MIXED, 0);
  } else
    check_ok(jn_load(which == 1 ? "builtin:double_pendulum" : "builtin:four_bar", NULL, &m->model, NULL));
  m->nq = jn_model_nq(m->model);
  m->nv = jn_model_nv(m->model);
  m->np = jn_parameter_count(m->model);
  if (which == 2) {
    jn_loops_options lo;
    jn_loops_options_init(&lo);
    lo.order = 20;
    check_ok(jn_loops_create(m->model, &lo, &m->loops));
    check_ok(jn_simulator_create_loops(m->loops, &o, &m->simulator));
    check_ok(jn_neutral(m->model, m->q));
  } else {
    check_ok(jn_simulator_create(m->model, &o, &m->simulator));
    check_ok(jn_random(m->model, s, m->q));
  }
  fill(s, m->v, m->nv, 0.3);
  fill(s, m->tau, STEPS * m->nv, 0.1);
  fill(s, m->weight, 2 * m->nv, 1);
  check_ok(jn_simulator_set(m->simulator, 0, m->q, m->v)); /* onto the conditions */
  check_ok(jn_simulator_get(m->simulator, NULL, m->q, m->v));
}

static void finish(motion *m) {
  jn_simulator_destroy(m->simulator);
  jn_loops_destroy(m->loops);
  jn_model_destroy(m->model);
}

static jn_rollout rollout_of(motion *m, long checkpoints) {
  jn_rollout r;
  jn_rollout_init(&r);
  r.steps = STEPS;
  r.step = 2e-3;
  r.t = 0.1;
  r.q = m->q;
  r.v = m->v;
  r.tau = m->tau;
  r.checkpoints = checkpoints;
  r.room = m->room;
  return r;
}

/* The change of the cost along one direction by changes that are carried forwards to each state. */
static double forwards(motion *m, const double *dx, const double *dtau, const double *dpi) {
  static double states[(STEPS + 1) * 2 * MOST], room[2 * MOST];
  double X[2 * MOST], sum = 0;
  jn_work *w;
  check_ok(jn_work_create(m->model, &w));
  cost c = {m, w};
  for (long k = 0; k <= STEPS; k++) { /* anew to each state: slow, and not what adjoints do */
    jn_rollout r = rollout_of(m, 0);
    jn_rollout_directions d = {X, dtau, dpi, room};
    double value, g[2 * MOST] = {0};
    r.steps = k;
    r.states = states;
    memcpy(X, dx, sizeof X);
    check_ok(jn_rollout_forward(m->simulator, &r, 1, &d));
    check(r.taken == k, "%ld steps were taken for %ld", r.taken, k);
    const double *x = states + k * (m->nq + m->nv);
    check_ok(cost_at(&c, k, x, x + m->nq, &value, g));
    for (int i = 0; i < 2 * m->nv; i++) sum += g[i] * X[i];
  }
  jn_work_destroy(w);
  return sum;
}

/* The cost when start and forces are moved by s times the direction. */
static double moved(motion *m, const double *dx, const double *dtau, double s) {
  static double states[(STEPS + 1) * 2 * MOST], tau[STEPS * MOST];
  double q[MOST], v[MOST], dq[MOST], sum = 0;
  jn_rollout r = rollout_of(m, 0);
  jn_work *w;
  check_ok(jn_work_create(m->model, &w));
  cost c = {m, w};
  for (int i = 0; i < m->nv; i++) {
    dq[i] = s * dx[i];
    v[i] = m->v[i] + s * dx[m->nv + i];
  }
  for (int i = 0; i < STEPS * m->nv; i++) tau[i] = m->tau[i] + s * dtau[i];
  check_ok(jn_integrate(m->model, w, m->q, dq, q));
  r.q = q;
  r.v = v;
  r.tau = tau;
  r.states = states;
  check_ok(jn_rollout_forward(m->simulator, &r, 0, NULL));
  for (long k = 0; k <= STEPS; k++) {
    double value, g[2 * MOST] = {0};
    const double *x = states + k * (m->nq + m->nv);
    check_ok(cost_at(&c, k, x, x + m->nq, &value, g));
    sum += value;
  }
  jn_work_destroy(w);
  return sum;
}

static void gradient_is_right(motion *m, const char *name, jn_integrator integrator, uint64_t *s) {
  static double tau[4][STEPS * MOST], dtau[STEPS * MOST];
  static const long kept[] = {STEPS, 0, 3, 7};
  double x[4][2 * MOST], pi[4][PARAMETERS], room[PARAMETERS], dx[2 * MOST], dpi[PARAMETERS], zero[PARAMETERS] = {0};
  jn_work *w;
  check_ok(jn_work_create(m->model, &w));
  cost c = {m, w};
  long taken[4];
  for (int k = 0; k < 4; k++) {
    jn_rollout r = rollout_of(m, kept[k]);
    const jn_rollout_gradient g = {cost_at, &c, x[k], tau[k], pi[k], room};
    check_ok(jn_rollout_adjoint(m->simulator, &r, &g));
    taken[k] = r.taken;
    check(!memcmp(x[k], x[0], sizeof(double) * 2 * (size_t)m->nv) &&
              !memcmp(tau[k], tau[0], sizeof(double) * STEPS * (size_t)m->nv) &&
              !memcmp(pi[k], pi[0], sizeof(double) * (size_t)m->np),
          "%s: the gradient depends on how many states are kept", name);
  }
  check(taken[0] == 2 * STEPS, "%ld steps with all states kept", taken[0]);
  check(taken[1] == STEPS + STEPS * (STEPS + 1) / 2, "%ld steps with none kept", taken[1]);
  check(taken[2] <= 5 * STEPS && taken[3] <= 4 * STEPS, "%ld and %ld steps", taken[2], taken[3]);
  fill(s, dx, 2 * m->nv, 1);
  fill(s, dtau, STEPS * m->nv, 1);
  fill(s, dpi, m->np, 0.1);
  if (m->loops) memset(dx, 0, sizeof dx);
  double back = 0, ahead = forwards(m, dx, dtau, dpi), by_pi = 0;
  for (int i = 0; i < 2 * m->nv; i++) back += x[0][i] * dx[i];
  for (int i = 0; i < STEPS * m->nv; i++) back += tau[0][i] * dtau[i];
  for (int i = 0; i < m->np; i++) by_pi += pi[0][i] * dpi[i];
  double difference = 0, e = 1e-4, size = fmax(1, fabs(back));
  static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  for (int k = 1; k <= 3; k++)
    difference += weight[k - 1] * (moved(m, dx, dtau, k * e) - moved(m, dx, dtau, -k * e)) / e;
  printf("# %-16s %-6s against forwards %.1e, differences %.1e; steps taken %ld %ld %ld %ld\n", name,
         jn_integrator_name(integrator), fabs(back + by_pi - ahead) / size, fabs(back - difference) / size, taken[0],
         taken[1], taken[2], taken[3]);
  check(fabs(back + by_pi - ahead) < 1e-12 * size, "%s: backwards %.15g, forwards %.15g", name, back + by_pi, ahead);
  check(fabs(back - difference) < 1e-8 * size, "%s: backwards %.15g, differences %.15g", name, back, difference);
  check(fabs(forwards(m, dx, dtau, zero) - back) < 1e-12 * size, "%s: without parameters", name);
  jn_work_destroy(w);
}

static void backwards_is_the_transpose_of_forwards(void **unused) {
  static const char *const names[] = {"chain", "double pendulum", "four-bar"};
  (void)unused;
  for (int k = 0; k < WAYS * JN_INTEGRATORS; k++) {
    static motion m;
    uint64_t s = seed(jn_integrator_name((jn_integrator)(k % JN_INTEGRATORS)));
    begin(&m, k / JN_INTEGRATORS, (jn_integrator)(k % JN_INTEGRATORS), &s);
    gradient_is_right(&m, names[k / JN_INTEGRATORS], (jn_integrator)(k % JN_INTEGRATORS), &s);
    finish(&m);
  }
}

/* A simulator that has the forces of the last step as its own, and steps from the same state, has the same
 * derivatives; and the motion leaves no force behind. */
static void derivatives_after_a_motion_are_those_of_its_last_step(void **unused) {
  (void)unused;
  for (int k = 0; k < JN_INTEGRATORS; k++) {
    static motion m;
    static double states[(STEPS + 1) * 2 * MOST], A[2][4 * MOST * MOST], B[2][2 * MOST * MOST];
    uint64_t s = seed(jn_integrator_name((jn_integrator)k));
    begin(&m, 0, (jn_integrator)k, &s);
    jn_simulation_options o = options_for((jn_integrator)k);
    jn_rollout r = rollout_of(&m, 0);
    jn_simulator *other;
    int last = (STEPS - 1) * (m.nq + m.nv);
    r.states = states;
    check_ok(jn_rollout_forward(m.simulator, &r, 0, NULL));
    check_ok(jn_simulator_derivatives(m.simulator, A[0], B[0]));
    o.tau = m.tau + (STEPS - 1) * m.nv;
    check_ok(jn_simulator_create(m.model, &o, &other));
    r = rollout_of(&m, 0);
    r.t += (STEPS - 1) * r.step;
    r.steps = 1;
    r.q = states + last, r.v = r.q + m.nq, r.tau = NULL;
    check_ok(jn_rollout_forward(other, &r, 0, NULL));
    check_ok(jn_simulator_derivatives(other, A[1], B[1]));
    check_close(A[0], A[1], 4 * m.nv * m.nv, norm_or_1(A[1], 4 * m.nv * m.nv), 1e4, "A after a motion");
    check_close(B[0], B[1], 2 * m.nv * m.nv, norm_or_1(B[1], 2 * m.nv * m.nv), 1e4, "B after a motion");
    jn_simulator_destroy(other);
    double q[MOST], v[MOST], force[MOST];
    check_ok(jn_simulator_get(m.simulator, NULL, q, v));
    check_ok(jn_simulator_forces(m.simulator, 0, q, v, force, NULL));
    check(norm(force, m.nv) == 0, "forces of a motion act after it");
    finish(&m);
  }
}

static void wrong_motions_are_refused(void **unused) {
  static motion m;
  uint64_t s = seed("refused");
  (void)unused;
  begin(&m, 1, JN_RUNGE_KUTTA_4, &s);
  double x[2 * MOST], pi[PARAMETERS];
  jn_work *w;
  check_ok(jn_work_create(m.model, &w));
  cost c = {&m, w};
  jn_rollout_gradient g = {cost_at, &c, x, NULL, NULL, NULL};
  jn_rollout r = rollout_of(&m, 0);
  check_ok(jn_rollout_adjoint(m.simulator, &r, &g));
  r.size = 1;
  check_status(jn_rollout_adjoint(m.simulator, &r, &g), JN_ERR_INIT);
  r = rollout_of(&m, 0);
  r.step = -1;
  check_status(jn_rollout_forward(m.simulator, &r, 0, NULL), JN_ERR_SIZE);
  r = rollout_of(&m, 5);
  r.room = NULL;
  check_status(jn_rollout_adjoint(m.simulator, &r, &g), JN_ERR_NULL);
  r = rollout_of(&m, 0);
  g.df_dpi = pi;
  check_status(jn_rollout_adjoint(m.simulator, &r, &g), JN_ERR_NULL);
  check_status(jn_rollout_forward(m.simulator, &r, 1, NULL), JN_ERR_NULL);
  r.steps = 0; /* nothing happens */
  g.df_dpi = NULL;
  check_ok(jn_rollout_adjoint(m.simulator, &r, &g));
  check(r.taken == 0, "%ld steps of none", r.taken);
  check(jn_rollout_room(m.simulator, 3) == 15, "room of three states");
  jn_work_destroy(w);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(backwards_is_the_transpose_of_forwards),
      cmocka_unit_test(derivatives_after_a_motion_are_those_of_its_last_step),
      cmocka_unit_test(wrong_motions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
