/* SPDX-License-Identifier: BSD-2-Clause */
/* Three simulations: a double pendulum, which keeps its energy; the Panda, which follows a motion by computed torque
 * with motors whose torque changes at a limited rate; and a four-bar linkage with a motor and friction. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- energy ---- */

static int double_pendulum(void) {
  jn_model *model;
  jn_simulator *simulator;
  jn_simulation_options options;
  jn_simulation_report report;
  const double q[2] = {2, 1};
  if (jn_load("builtin:double_pendulum", NULL, &model, NULL) != JN_OK) return 0;
  jn_simulation_options_init(&options);
  options.tolerance = 1e-14;
  if (jn_simulator_create(model, &options, &simulator) != JN_OK) return 0;
  jn_simulator_set(simulator, 0, q, NULL);
  int fine = jn_simulator_run(simulator, 10) == JN_OK && jn_simulator_report(simulator, &report) == JN_OK;
  if (fine) printf("double pendulum: 10 s in %ld steps, energy kept to %.0e J\n", report.steps, fabs(report.drift));
  jn_simulator_destroy(simulator);
  jn_model_destroy(model);
  return fine && fabs(report.drift) < 1e-10;
}

/* ---- computed torque ---- */

enum { N = 7 };

typedef struct controller {
  jn_model *model;
  jn_work *work;
  jn_trajectory *motion;
  double tau[N]; /* what the motors give during this millisecond */
} controller;

/* Torques for the next millisecond: inverse dynamics of a_d + 40 (v_d - v) + 400 (q_d - q), as fast as motors can. */
static void control(controller *c, double t, const double *q, const double *v, double h) {
  double qd[N], jet[2 * N], a[N], wanted[N];
  jn_trajectory_evaluate(c->motion, t, 0, qd, jet);
  for (int i = 0; i < N; i++) a[i] = jet[N + i] + 40 * (jet[i] - v[i]) + 400 * (qd[i] - q[i]);
  jn_inverse_dynamics(c->model, c->work, q, v, a, NULL, wanted);
  for (int i = 0; i < N; i++) {
    double most = jn_coordinate_dof(c->model, i)->effort_rate * h, change = wanted[i] - c->tau[i];
    c->tau[i] += t == 0 ? change : fmax(-most, fmin(change, most));
  }
}

/* The forces of this millisecond, and their derivatives in time: zero. */
static jn_status motors(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  const controller *c = context;
  (void)t, (void)q, (void)v_jet;
  memset(tau_jet, 0, (size_t)(order + 1) * N * sizeof *tau_jet);
  memcpy(tau_jet, c->tau, sizeof c->tau);
  return JN_OK;
}

static int computed_torque(void) {
  controller c = {.model = NULL};
  jn_simulator *simulator;
  jn_simulation_options options;
  double q[N], v[N], qd[N], jet[2 * N], most = 0;
  const double h = 1e-3;
  if (jn_load("builtin:panda", NULL, &c.model, NULL) != JN_OK || jn_work_create(c.model, &c.work) != JN_OK) return 0;
  if (jn_trajectory_load(c.model, "builtin:demo", NULL, &c.motion, NULL) != JN_OK) return 0;
  jn_simulation_options_init(&options);
  options.tolerance = 1e-8;
  options.force = motors;
  options.force_order = JN_ANY_ORDER;
  options.force_of_time = 1;
  options.context = &c;
  if (jn_simulator_create(c.model, &options, &simulator) != JN_OK) return 0;
  jn_trajectory_evaluate(c.motion, 0, 0, q, jet);
  jn_simulator_set(simulator, 0, q, jet);
  for (int k = 0; k < 1000; k++) {
    jn_simulator_get(simulator, NULL, q, v);
    control(&c, k * h, q, v, h);
    if (jn_simulator_run(simulator, (k + 1) * h) != JN_OK) return 0;
    jn_simulator_get(simulator, NULL, q, v);
    jn_trajectory_evaluate(c.motion, (k + 1) * h, 0, qd, jet);
    for (int i = 0; i < N; i++) most = fmax(most, fabs(q[i] - qd[i]));
  }
  printf("computed torque: 1 s of the Panda's motion, at most %.1e rad off\n", most);
  jn_simulator_destroy(simulator);
  jn_trajectory_destroy(c.motion);
  jn_work_destroy(c.work);
  jn_model_destroy(c.model);
  return most < 2e-3;
}

/* ---- loops ---- */

static int four_bar(void) {
  jn_model *model;
  jn_loops *loops;
  jn_loops_options loops_options;
  jn_simulator *simulator;
  jn_simulation_options options;
  jn_simulation_report report;
  const double tau[3] = {3, 0, 0}; /* the motor at the crank */
  double q[3] = {0}, gap = 1;
  if (jn_load("builtin:four_bar", NULL, &model, NULL) != JN_OK) return 0;
  jn_loops_options_init(&loops_options);
  jn_simulation_options_init(&options);
  loops_options.order = jn_taylor_order(options.tolerance) - 1; /* a series of order p needs jets of order p - 1 */
  if (jn_loops_create(model, &loops_options, &loops) != JN_OK) return 0;
  options.tau = tau;
  options.losses = 1;
  if (jn_simulator_create_loops(loops, &options, &simulator) != JN_OK) return 0;
  jn_simulator_set(simulator, 0, q, NULL);
  if (jn_simulator_run(simulator, 1) != JN_OK) return 0;
  jn_simulator_get(simulator, NULL, q, NULL);
  jn_loops_gaps(loops, q, &gap);
  jn_simulator_report(simulator, &report);
  printf("four-bar: the motor's work of %.3f J turns the crank by %.3f rad; open by %.0e m\n", report.work, q[0], gap);
  jn_simulator_destroy(simulator);
  jn_loops_destroy(loops);
  jn_model_destroy(model);
  return gap < 1e-12 && fabs(report.drift) < 1e-8;
}

int main(void) { return double_pendulum() && computed_torque() && four_bar() ? 0 : 1; }
