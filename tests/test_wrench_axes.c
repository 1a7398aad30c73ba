/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrenches in the axes of the world: turned by hand, along motions, in simulations and by the command. */
#include "simulation_help.h"

#include "jounce/trajectory.h"

enum { LINKS = 6, ORDER = 4, ROW = 6 * LINKS };

/* Turns wrenches of all links by hand: y = R^T w for both halves. */
static void turn_by_hand(const jn_model *m, jn_work *work, const double *q, const double *w, double *y) {
  for (int link = 0; link < jn_link_count(m); link++) {
    double T[16];
    check_ok(jn_frame_pose(m, work, link, q, T));
    for (int half = 0; half < 6; half += 3)
      for (int r = 0; r < 3; r++) {
        y[6 * link + half + r] = 0;
        for (int c = 0; c < 3; c++) y[6 * link + half + r] += T[4 * c + r] * w[6 * link + half + c];
      }
  }
}

/* ---- along a motion ---- */

typedef struct turning_case {
  jn_model *m;
  jn_work *work;
  double q0[MOST], v_jet[(ORDER + 2) * MOST], w_jet[(ORDER + 1) * ROW];
} turning_case;

/* The motion with constant velocity, and wrenches that are polynomials of time, both from t = 0. */
static void at_time(const turning_case *x, double t, double *q, double *w_jet) {
  double step[MOST];
  int nv = jn_model_nv(x->m);
  for (int i = 0; i < nv; i++) step[i] = t * x->v_jet[i];
  check_ok(jn_integrate(x->m, x->work, x->q0, step, q));
  for (int k = 0; k <= ORDER; k++)
    for (int i = 0; i < ROW; i++) {
      double power = 1;
      w_jet[k * ROW + i] = 0;
      for (int j = k; j <= ORDER; j++) {
        w_jet[k * ROW + i] += power * x->w_jet[j * ROW + i];
        power *= t / (j - k + 1);
      }
    }
}

static void turned_at(const turning_case *x, double t, double *y_jet) {
  double q[MOST];
  at_time(x, t, q, y_jet);
  check_ok(jn_wrenches_to_body_jet(x->m, x->work, ORDER, q, x->v_jet, y_jet));
}

/* Order 0 by hand, and each order as the derivative of the one before, by differences of order 4. */
static void turned_wrenches_are_those_turned_by_hand(void **unused) {
  (void)unused;
  uint64_t s = seed("wrench_axes");
  for (int trial = 0; trial < 12; trial++) {
    turning_case x = {.m = random_tree(&s, LINKS)};
    double y[(ORDER + 1) * ROW], near[(ORDER + 1) * ROW], w[(ORDER + 1) * ROW], by_hand[ROW], q[MOST], e = 2e-3;
    check_ok(jn_work_create_order(x.m, ORDER, &x.work));
    check_ok(jn_random(x.m, &s, x.q0));
    fill(&s, x.v_jet, jn_model_nv(x.m), 1);
    fill(&s, x.w_jet, (ORDER + 1) * ROW, 1);
    turned_at(&x, 0, y);

    at_time(&x, 0, q, w);
    turn_by_hand(x.m, x.work, q, w, by_hand);
    for (int i = 0; i < ROW; i++)
      check(fabs(y[i] - by_hand[i]) < 1e-14, "number %d: %g, by hand %g", i, y[i], by_hand[i]);

    double rate[ORDER * ROW] = {0};
    for (int k = -2; k <= 2; k++) {
      turned_at(&x, k * e, near);
      double weight = k == 0 ? 0 : (k * k == 1 ? 8 : -1) * (k < 0 ? -1 : 1) / (12 * e);
      for (int i = 0; i < ORDER * ROW; i++) rate[i] += weight * near[i];
    }
    double size = norm_or_1(y, (ORDER + 1) * ROW);
    for (int i = 0; i < ORDER * ROW; i++)
      check(fabs(y[ROW + i] - rate[i]) < 1e-9 * size, "order %d, number %d: %g, differences %g", i / ROW + 1, i % ROW,
            y[ROW + i], rate[i]);
    jn_work_destroy(x.work);
    jn_model_destroy(x.m);
  }
}

/* ---- simulations ---- */

typedef struct pulled {
  const jn_model *m;
  jn_work *work;
  double w[6 * MIXED];
} pulled;

/* Growing pulls, in the axes of the world. */
static jn_status pull(void *context, double t, int order, double *wrench_jet) {
  const pulled *p = context;
  memset(wrench_jet, 0, (size_t)(order + 1) * 6 * MIXED * sizeof(double));
  for (int i = 0; i < 6 * MIXED; i++) {
    wrench_jet[i] = p->w[i] * (1 + t);
    if (order > 0) wrench_jet[6 * MIXED + i] = p->w[i];
  }
  return JN_OK;
}

/* The same pulls as forces of the joints: what they leave out of inverse dynamics at rest, turned by hand. */
static jn_status pull_as_force(void *context, double t, int order, const double *q, const double *v_jet, double *tau) {
  const pulled *p = context;
  double w[6 * MIXED], body[6 * MIXED], with[MOST], without[MOST];
  (void)v_jet;
  assert_int_equal(order, 0);
  for (int i = 0; i < 6 * MIXED; i++) w[i] = p->w[i] * (1 + t);
  turn_by_hand(p->m, p->work, q, w, body);
  check_ok(jn_inverse_dynamics(p->m, p->work, q, NULL, NULL, body, with));
  check_ok(jn_inverse_dynamics(p->m, p->work, q, NULL, NULL, NULL, without));
  for (int i = 0; i < jn_model_nv(p->m); i++) tau[i] = without[i] - with[i];
  return JN_OK;
}

static state run_to(const jn_model *m, const jn_simulation_options *o, const state *start, double until) {
  jn_simulator *s;
  state x;
  check_ok(jn_simulator_create(m, o, &s));
  check_ok(jn_simulator_set(s, 0, start->q, start->v));
  check_ok(jn_simulator_run(s, until));
  check_ok(jn_simulator_get(s, &x.t, x.q, x.v));
  jn_simulator_destroy(s);
  return x;
}

/* Wrenches of all links, in the axes of the world, that grow with time; context: their number. */
static jn_status even_pull(void *context, double t, int order, double *wrench_jet) {
  int count = *(const int *)context;
  memset(wrench_jet, 0, (size_t)(order + 1) * (size_t)count * sizeof(double));
  for (int i = 0; i < count; i++) {
    wrench_jet[i] = (0.1 + 0.01 * i) * (1 + t);
    if (order > 0) wrench_jet[count + i] = 0.1 + 0.01 * i;
  }
  return JN_OK;
}

/* With loops, series (which need all derivatives of the turned wrenches) and a method that asks for values only. */
static void closed_loops_turn_wrenches(void **unused) {
  (void)unused;
  if (jn_builtin_count() == 0) skip(); /* a build without jansson */
  jn_model *m;
  jn_loops_options loops_options;
  jn_loops *loops;
  check_ok(jn_load("builtin:four_bar", NULL, &m, NULL));
  jn_loops_options_init(&loops_options);
  loops_options.order = 30;
  check_ok(jn_loops_create(m, &loops_options, &loops));
  int nv = jn_model_nv(m), count = 6 * jn_link_count(m);
  double q[MOST], v[2][MOST], t;
  jn_simulation_options o;
  jn_simulation_options_init(&o);
  o.context = &count;
  o.wrench = even_pull;
  o.wrench_axes = JN_IN_ALIGNED;
  o.tolerance = 1e-12;
  for (int method = 0; method < 2; method++) {
    jn_simulator *s;
    o.integrator = method ? JN_DORMAND_PRINCE : JN_TAYLOR;
    check_ok(jn_simulator_create_loops(loops, &o, &s));
    check_ok(jn_simulator_run(s, 0.4));
    check_ok(jn_simulator_get(s, &t, q, v[method]));
    jn_simulator_destroy(s);
  }
  check_close(v[0], v[1], nv, 1, 1e7, "velocities by series and by Dormand and Prince");
  jn_loops_destroy(loops);
  jn_model_destroy(m);
}

/* Every method, on a free base with all kinds of joints, against the same pulls as joint forces. */
static void simulations_turn_wrenches(void **unused) {
  (void)unused;
  uint64_t s = seed("wrench_axes_simulation");
  jn_model *m = lossy_chain(&s, mixed, MIXED, 0);
  int nv = jn_model_nv(m);
  pulled p = {.m = m};
  check_ok(jn_work_create(m, &p.work));
  fill(&s, p.w, 6 * MIXED, 1);
  state start = random_state(m, &s);
  jn_simulation_options o;
  jn_simulation_options_init(&o);
  o.context = &p;
  o.integrator = JN_DORMAND_PRINCE;
  o.tolerance = 1e-12;
  o.force = pull_as_force;
  state right = run_to(m, &o, &start, 0.3);

  o.force = NULL;
  o.wrench = pull;
  o.wrench_axes = JN_IN_ALIGNED;
  static const jn_integrator methods[] = {JN_DORMAND_PRINCE, JN_RODAS, JN_RUNGE_KUTTA_4, JN_TAYLOR};
  for (int i = 0; i < 4; i++) {
    o.integrator = methods[i];
    o.tolerance = methods[i] == JN_RODAS ? 1e-10 : 1e-12;
    o.step = methods[i] == JN_RUNGE_KUTTA_4 ? 1e-4 : 0;
    state x = run_to(m, &o, &start, 0.3);
    double most = 0;
    for (int k = 0; k < nv; k++) most = fmax(most, fabs(x.v[k] - right.v[k]));
    check(most < 1e-7 * norm_or_1(right.v, nv), "method %d: velocities differ by %g", (int)methods[i], most);
  }

  jn_simulator *refused;
  o.derivatives = 1;
  check_status(jn_simulator_create(m, &o, &refused), JN_ERR_UNSUPPORTED);
  o.derivatives = 0, o.wrench_axes = JN_IN_WORLD;
  check_status(jn_simulator_create(m, &o, &refused), JN_ERR_SIZE);
  jn_work_destroy(p.work);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turned_wrenches_are_those_turned_by_hand),
      cmocka_unit_test(simulations_turn_wrenches),
      cmocka_unit_test(closed_loops_turn_wrenches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
