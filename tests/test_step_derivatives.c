/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of one step against differences of it: by state, forces and inertial parameters; backwards; twice. */
#include "simulation_help.h"

enum { PARAMETERS = 200, DIRECTIONS = 3 };

/* A step that is differentiated. */
typedef struct trial {
  const char *name;
  jn_model *model;
  int has_loops;
  jn_simulation_options options; /* of this step */
  state x;
  double tau[MOST];
} trial;

/* A direction in which its inputs change, and what changes. */
typedef struct direction {
  double q[MOST], v[MOST], tau[MOST], pi[PARAMETERS];
} direction;

typedef struct result {
  state start, end;
} result;

typedef struct derivatives {
  double A[4 * MOST * MOST], B[2 * MOST * MOST], P[2 * MOST * PARAMETERS];
  double lambda[2 * MOST], x[2 * MOST], tau[MOST], pi[PARAMETERS], H[9 * MOST * MOST];
} derivatives;

static jn_loops *loops_of(const jn_model *m) {
  jn_loops *loops;
  jn_loops_options lo;
  jn_loops_options_init(&lo);
  lo.order = 20;
  check_ok(jn_loops_create(m, &lo, &loops));
  return loops;
}

/* The step from inputs that are moved by s times the direction; its derivatives if d is not NULL. */
static result moved(const trial *t, const direction *z, double s, derivatives *d) {
  int nv = jn_model_nv(t->model), np = jn_parameter_count(t->model);
  double pi[PARAMETERS], dq[MOST], tau[MOST];
  jn_simulation_options o = t->options;
  jn_model *m;
  jn_loops *loops = NULL;
  jn_work *w;
  result r;
  state x = t->x;
  check_ok(jn_parameters(t->model, pi));
  for (int i = 0; i < np; i++) pi[i] += s * z->pi[i];
  check_ok(jn_model_with_parameters(t->model, pi, &m));
  check_ok(jn_work_create(m, &w));
  for (int i = 0; i < nv; i++) {
    dq[i] = s * z->q[i];
    x.v[i] += s * z->v[i];
    tau[i] = t->tau[i] + s * z->tau[i];
  }
  check_ok(jn_integrate(m, w, t->x.q, dq, x.q));
  o.tau = tau;
  if (t->has_loops) loops = loops_of(m);
  jn_simulator *sim;
  check_ok(loops ? jn_simulator_create_loops(loops, &o, &sim) : jn_simulator_create(m, &o, &sim));
  check_ok(jn_simulator_set(sim, x.t, x.q, x.v));
  check_ok(jn_simulator_get(sim, NULL, r.start.q, r.start.v));
  check_ok(jn_simulator_step(sim, x.t + o.step));
  check_ok(jn_simulator_get(sim, &r.end.t, r.end.q, r.end.v));
  check(fabs(r.end.t - x.t - o.step) < 1e-12, "%s: the step is %g long, not %g", t->name, r.end.t - x.t, o.step);
  if (d) {
    check_ok(jn_simulator_derivatives(sim, d->A, d->B));
    check_ok(jn_simulator_parameter_derivatives(sim, d->P));
    check_ok(jn_simulator_adjoint(sim, d->lambda, d->x, d->tau, d->pi));
    state before, after;
    check_ok(jn_simulator_dense(sim, x.t + o.step / 2, before.q, before.v));
    check_ok(jn_simulator_second_derivatives(sim, d->lambda, d->H));
    check_ok(jn_simulator_dense(sim, x.t + o.step / 2, after.q, after.v)); /* the simulator is where it was */
    check(apart(m, &before, &after) < 1e-13, "%s: second derivatives move the simulator", t->name);
    check_ok(jn_simulator_get(sim, &after.t, after.q, after.v));
    check(!memcmp(r.end.q, after.q, sizeof(double) * (size_t)jn_model_nq(m)) &&
              !memcmp(r.end.v, after.v, sizeof(double) * (size_t)nv) && r.end.t == after.t,
          "%s: second derivatives move the state", t->name);
  }
  jn_simulator_destroy(sim);
  jn_loops_destroy(loops);
  jn_work_destroy(w);
  jn_model_destroy(m);
  return r;
}

/* d [2nv] = x (-) from */
static void subtract(const jn_model *m, const state *x, const state *from, double *d) {
  int nv = jn_model_nv(m);
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  check_ok(jn_difference(m, w, from->q, x->q, d));
  for (int i = 0; i < nv; i++) d[nv + i] = x->v[i] - from->v[i];
  jn_work_destroy(w);
}

/* Changes of the start and the end along the direction: differences of order 6 over s, relative to `from`. */
static void along(const trial *t, const direction *z, double s, const result *from, double *start, double *end) {
  static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  int nv = jn_model_nv(t->model);
  memset(start, 0, 2 * MOST * sizeof *start);
  memset(end, 0, 2 * MOST * sizeof *end);
  for (int k = -3; k <= 3; k++) {
    double d[2 * MOST], f;
    if (k == 0) continue;
    result r = moved(t, z, k * s, NULL);
    f = weight[abs(k) - 1] * (k < 0 ? -1 : 1) / s;
    subtract(t->model, &r.start, &from->start, d);
    for (int i = 0; i < 2 * nv; i++) start[i] += f * d[i];
    subtract(t->model, &r.end, &from->end, d);
    for (int i = 0; i < 2 * nv; i++) end[i] += f * d[i];
  }
}

/* The second derivative of lambda . (x+ (-) x+(0)) along the direction, of order 6. */
static double curvature(const trial *t, const direction *z, double s, const result *from, const double *lambda) {
  static const double weight[] = {3.0 / 2, -3.0 / 20, 1.0 / 90};
  int nv = jn_model_nv(t->model);
  double sum = 0;
  for (int k = -3; k <= 3; k++) {
    double d[2 * MOST];
    if (k == 0) continue;
    result r = moved(t, z, k * s, NULL);
    subtract(t->model, &r.end, &from->end, d);
    for (int i = 0; i < 2 * nv; i++) sum += weight[abs(k) - 1] * lambda[i] * d[i] / (s * s);
  }
  return sum;
}

static direction random_direction(const trial *t, uint64_t *s) {
  direction z = {.q = {0}};
  int nv = jn_model_nv(t->model), np = jn_parameter_count(t->model);
  double pi[PARAMETERS];
  fill(s, z.q, nv, 1);
  fill(s, z.v, nv, 1);
  fill(s, z.tau, nv, 1);
  check_ok(jn_parameters(t->model, pi));
  for (int i = 0; i < np; i++) z.pi[i] = 0.2 * pi[i] * uniform(s);
  for (int i = 0; i < nv && t->options.prescribed; i++)
    if (t->options.prescribed[i]) z.tau[i] = 0;
  return z;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Largest errors: A, B, P forwards; backwards against them; H. */
static void compare(trial *t, uint64_t *s, double tolerance) {
  static derivatives d;
  static double row[3 * MOST];
  const direction still = {.q = {0}};
  int nv = jn_model_nv(t->model), np = jn_parameter_count(t->model), w = 2 * nv;
  double worst = 0, back = 0, twice = 0, uneven = 0;
  fill(s, d.lambda, w, 1);
  t->options.derivatives = 3;
  t->options.tau = t->tau;
  result from = moved(t, &still, 0, NULL);
  t->x = from.start; /* closed, if there are loops */
  from = moved(t, &still, 0, &d);
  for (int k = 0; k < DIRECTIONS; k++) {
    direction z = random_direction(t, s);
    double start[2 * MOST], end[2 * MOST], weighed = 0;
    along(t, &z, 1e-3, &from, start, end);
    for (int i = 0; i < w; i++) {
      double right = dot(d.A + i * w, start, w) + dot(d.B + i * nv, z.tau, nv) + dot(d.P + i * np, z.pi, np);
      worst = fmax(worst, fabs(right - end[i]) / fmax(1, fabs(right)));
      weighed += d.lambda[i] * right;
    }
    double same = dot(d.x, start, w) + dot(d.tau, z.tau, nv) + dot(d.pi, z.pi, np);
    back = fmax(back, fabs(weighed - same) / fmax(1, fabs(same)));
    memset(z.pi, 0, sizeof z.pi);
    memcpy(row, z.q, sizeof(double) * (size_t)nv);
    memcpy(row + nv, z.v, sizeof(double) * (size_t)nv);
    memcpy(row + 2 * nv, z.tau, sizeof(double) * (size_t)nv);
    double bent = 0, seen = curvature(t, &z, 4e-3, &from, d.lambda);
    for (int i = 0; i < 3 * nv; i++) bent += row[i] * dot(d.H + i * 3 * nv, row, 3 * nv);
    twice = fmax(twice, fabs(bent - seen) / fmax(1, fabs(seen)));
  }
  for (int i = 0; i < 3 * nv; i++)
    for (int k = 0; k < i; k++) uneven = fmax(uneven, fabs(d.H[i * 3 * nv + k] - d.H[k * 3 * nv + i]));
  printf("# %-32s %-7s first %.1e, backwards %.1e", t->name, jn_integrator_name(t->options.integrator), worst, back);
  printf(", second %.1e, uneven %.1e\n", twice, uneven);
  check(worst < tolerance, "%s: differences are off by %g", t->name, worst);
  check(back < 1e-12, "%s: backwards is off by %g", t->name, back);
  check(twice < 1e-8 && uneven < 1e-12, "%s: second derivatives are off by %g, uneven by %g", t->name, twice, uneven);
}

static jn_simulation_options step_of(jn_integrator integrator, double h) {
  jn_simulation_options o = options_of(integrator, integrator == JN_TAYLOR ? 1e-14 : 0.1);
  o.step = h;
  return o;
}

/* ---- forces of the user ---- */

static jn_status hold_still(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  const jn_model *m = context;
  int n = jn_model_nv(m);
  (void)q;
  for (int k = 0; k <= order; k++) /* a spring on the coordinates' rates, and a push in time */
    for (int i = 0; i < n; i++)
      tau_jet[k * n + i] = -0.7 * v_jet[k * n + i] + 0.3 * sin(2 * t + k * 1.5707963267948966) * pow(2, k);
  return JN_OK;
}

static jn_status turn(void *context, double t, int order, double *v_jet) {
  int n = jn_model_nv(context);
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < n; i++) v_jet[(k + 1) * n + i] = pow(2, k) * cos(2 * t + k * 1.5707963267948966);
  return JN_OK;
}

static jn_status press(void *context, double t, int order, double *wrench_jet) {
  int n = 6 * jn_link_count(context);
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < n; i++) wrench_jet[k * n + i] = 0.2 * (i % 6) * pow(3, k) * cos(3 * t + k * 1.5707963267948966);
  return JN_OK;
}

/* ---- tests ---- */

/* A chain with every kind of joint, springs, damping, friction and wrenches. */
static void of_a_tree(void **unused) {
  (void)unused;
  for (int k = 0; k < JN_INTEGRATORS; k++) {
    uint64_t s = seed("tree");
    trial t = {.name = "tree", .model = lossy_chain(&s, mixed, MIXED, 0.3), .options = step_of((jn_integrator)k, 2e-3)};
    t.x = random_state(t.model, &s);
    fill(&s, t.tau, jn_model_nv(t.model), 1);
    t.options.losses = 1;
    t.options.friction_speed = 0.5;
    t.options.wrench = press;
    t.options.context = t.model;
    compare(&t, &s, 1e-9);
    jn_model_destroy(t.model);
  }
}

/* Two coordinates move as prescribed. */
static void with_prescribed_coordinates(void **unused) {
  (void)unused;
  for (int k = 0; k < JN_INTEGRATORS; k++) {
    uint64_t s = seed("prescribed");
    unsigned char prescribed[MOST] = {0};
    trial t = {.name = "prescribed", .model = lossy_chain(&s, mixed, MIXED, 0)};
    t.options = step_of((jn_integrator)k, 2e-3);
    t.x = random_state(t.model, &s);
    fill(&s, t.tau, jn_model_nv(t.model), 1);
    prescribed[6] = prescribed[jn_model_nv(t.model) - 1] = 1;
    t.options.losses = 1;
    t.options.prescribed = prescribed;
    t.options.motion = turn;
    t.options.context = t.model;
    compare(&t, &s, 1e-9);
    jn_model_destroy(t.model);
  }
}

/* Forces that depend on the state, and gravity compensation, which knows the parameters. */
static void with_forces_that_depend_on_the_state(void **unused) {
  (void)unused;
  for (int k = 0; k < 2 * JN_INTEGRATORS; k++) {
    uint64_t s = seed("feedback");
    trial t = {.name = k % 2 ? "gravity compensation" : "a force function"};
    t.model = lossy_chain(&s, mixed, MIXED, 0);
    t.options = step_of((jn_integrator)(k / 2), 2e-3);
    t.x = random_state(t.model, &s);
    fill(&s, t.tau, jn_model_nv(t.model), 1);
    if (k % 2)
      t.options.gravity_compensation = 1;
    else
      t.options.force = hold_still;
    t.options.force_order = JN_ANY_ORDER;
    t.options.context = t.model;
    compare(&t, &s, 1e-9);
    jn_model_destroy(t.model);
  }
}

/* Four-bar, slider-crank and Stewart platform, with the projection at the end of the step. */
static void with_loops(void **unused) {
  static const char *const robots[] = {"builtin:four_bar", "builtin:slider_crank", "builtin:stewart"};
  (void)unused;
  for (int k = 0; k < 3 * JN_INTEGRATORS; k++) {
    uint64_t s = seed("loops");
    trial t = {.name = robots[k / JN_INTEGRATORS], .has_loops = 1};
    t.options = step_of((jn_integrator)(k % JN_INTEGRATORS), 5e-3);
    check_ok(jn_load(t.name, NULL, &t.model, NULL));
    check_ok(jn_neutral(t.model, t.x.q));
    fill(&s, t.x.v, jn_model_nv(t.model), 0.5);
    fill(&s, t.tau, jn_model_nv(t.model), 0.1);
    t.options.losses = 1;
    compare(&t, &s, 1e-10);
    jn_model_destroy(t.model);
  }
}

/* Free fall of 2 kg in closed form; what was not asked for is refused. */
static void what_is_not_there_is_refused(void **unused) {
  (void)unused;
  uint64_t s = seed("refused");
  static const jn_joint_type one[] = {JN_PRISMATIC};
  jn_model *m = lossy_chain(&s, one, 1, 0);
  double A[4], B[2], P[20], H[9], lambda[2] = {1, 1}, mass[1], h = 0.1;
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  for (int k = 0; k < 4; k++) {
    jn_simulation_options o = step_of(JN_RUNGE_KUTTA_4, h);
    state x = {0};
    o.derivatives = k;
    jn_simulator *sim = make(m, &o, &x);
    if (k) check_status(jn_simulator_derivatives(sim, A, B), JN_ERR_SIZE);
    check_ok(jn_simulator_step(sim, h));
    check_status(jn_simulator_derivatives(sim, A, B), k ? JN_OK : JN_ERR_UNSUPPORTED);
    check_status(jn_simulator_parameter_derivatives(sim, P), k > 1 ? JN_OK : JN_ERR_UNSUPPORTED);
    check_status(jn_simulator_second_derivatives(sim, lambda, H), k > 2 ? JN_OK : JN_ERR_UNSUPPORTED);
    check_status(jn_simulator_adjoint(sim, NULL, A, B, NULL), JN_ERR_NULL);
    jn_simulator_destroy(sim);
  }
  check_ok(jn_mass_matrix(m, w, (double[]){0}, mass));
  check(A[0] == 1 && fabs(A[1] - h) < 1e-15 && A[2] == 0 && A[3] == 1, "A of a falling mass");
  check(fabs(B[0] - h * h / 2 / mass[0]) < 1e-15 && fabs(B[1] - h / mass[0]) < 1e-15, "B of a falling mass");
  jn_work_destroy(w);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_a_tree),
      cmocka_unit_test(with_prescribed_coordinates),
      cmocka_unit_test(with_forces_that_depend_on_the_state),
      cmocka_unit_test(with_loops),
      cmocka_unit_test(what_is_not_there_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
