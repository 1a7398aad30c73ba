/* SPDX-License-Identifier: BSD-2-Clause */
/* The Panda with elastic joints (harmonic drives), in closed loop on its motors. Computed torque that takes the joints
 * for rigid leaves the links behind by the deflection of the springs, and shakes them; the exact feed-forward of
 * jn_elastic_inverse() with the same feedback follows. With a file name, the errors of the links go to a CSV file:
 *   example_elastic panda_actuators.json [errors.csv] */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 7, ORDER = 3, SAMPLES = 1000 };

typedef struct controller {
  const jn_model *model;
  jn_work *work;
  jn_elastic *elastic;
  jn_trajectory *motion;
  int is_elastic; /* which of the two */
} controller;

/* Motors of the motion: angles and speeds, and torques. */
static jn_status wanted(const controller *c, double t, double *q, double *v_jet, double theta[4 * N],
                        double motor[2 * N]) {
  double tau[(ORDER + 1) * N];
  const jn_motor_motion out = {.theta_jet = theta, .motor_jet = motor};
  jn_status status = jn_trajectory_evaluate(c->motion, t, ORDER, q, v_jet);
  if (status == JN_OK) status = jn_inverse_dynamics_jet(c->model, c->work, ORDER, q, v_jet, NULL, tau);
  return status == JN_OK ? jn_elastic_inverse(c->elastic, 1, t, q, v_jet, tau, &out) : status;
}

/* Forces on links and motors. Both controllers see the motors only, as most robots do. */
static jn_status forces(void *context, double t, int order, const double *q_all, const double *v_all, double *tau) {
  controller *c = context;
  double q[N], v_jet[(ORDER + 2) * N], theta_d[4 * N], motor[2 * N], theta[N], rate[N], kp[N], kd[N], a[N];
  jn_status status = wanted(c, t, q, v_jet, theta_d, motor);
  jn_elastic_split(c->elastic, q_all, v_all, NULL, NULL, theta, rate);
  for (int i = 0; i < N; i++) {
    double B = jn_elastic_actuator(c->elastic, i)->rotor_inertia;
    kp[i] = 2500 * B;
    kd[i] = 100 * B;
    a[i] = v_jet[N + i] + 100 * (v_jet[i] - rate[i]) + 2500 * (q[i] - theta[i]);
  }
  if (status == JN_OK && c->is_elastic) {
    jn_elastic_motor_pd(c->elastic, motor, theta_d, theta, rate, kp, kd, motor);
  } else if (status == JN_OK) { /* as if the motors were the links, with their rotors */
    status = jn_inverse_dynamics(c->model, c->work, theta, rate, a, NULL, motor);
    for (int i = 0; i < N; i++) motor[i] += jn_elastic_actuator(c->elastic, i)->rotor_inertia * a[i];
  }
  return status == JN_OK ? jn_elastic_forces(c->elastic, t, order, q_all, v_all, motor, tau) : status;
}

/* errors [SAMPLES + 1][N] of the links; the largest of them. */
static double run(controller *c, double duration, double errors[][N]) {
  jn_simulation_options options;
  jn_simulator *simulator;
  double q[N], v_jet[(ORDER + 2) * N], theta[4 * N], motor[2 * N], q_all[2 * N], v_all[2 * N], largest = 0;
  jn_simulation_options_init(&options);
  options.integrator = JN_DORMAND_PRINCE;
  options.tolerance = 1e-11;
  options.force = forces;
  options.context = c;
  if (jn_simulator_create(jn_elastic_model(c->elastic), &options, &simulator) != JN_OK) return NAN;
  for (int k = 0; k <= SAMPLES; k++) {
    double t = duration * k / SAMPLES;
    if (k > 0 && jn_simulator_run(simulator, t) != JN_OK) largest = NAN;
    wanted(c, t, q, v_jet, theta, motor);
    if (k == 0) { /* both start on the motion */
      jn_elastic_join(c->elastic, q, v_jet, theta, theta + N, q_all, v_all);
      jn_simulator_set(simulator, 0, q_all, v_all);
    }
    jn_simulator_get(simulator, NULL, q_all, v_all);
    for (int i = 0; i < N; i++) {
      errors[k][i] = q_all[jn_elastic_link_coordinate(c->elastic, i)] - q[i];
      largest = fmax(largest, fabs(errors[k][i]));
    }
  }
  jn_simulator_destroy(simulator);
  return largest;
}

static void write_errors(const char *path, double duration, double rigid[][N], double elastic[][N]) {
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "t");
  for (int i = 1; i < 4; i += 2)
    fprintf(file, ",joint%d rigid computed torque [mrad],joint%d elastic feed-forward [mrad]", i + 1, i + 1);
  for (int k = 0; k <= SAMPLES; k++) {
    fprintf(file, "\n%g", duration * k / SAMPLES);
    for (int i = 1; i < 4; i += 2) fprintf(file, ",%.9g,%.9g", 1e3 * rigid[k][i], 1e3 * elastic[k][i]);
  }
  fprintf(file, "\n");
  fclose(file);
}

int main(int argc, char **argv) {
  static double rigid[SAMPLES + 1][N], elastic[SAMPLES + 1][N];
  jn_model *model = NULL;
  jn_error error = {0};
  controller c = {0};
  const double duration = 2.5;
  if (argc < 2) return 2;
  jn_status status = jn_load("builtin:panda", NULL, &model, &error);
  if (status == JN_OK) status = jn_elastic_load(model, argv[1], NULL, &c.elastic, &error);
  if (status == JN_OK) status = jn_trajectory_load(model, "builtin:demo", NULL, &c.motion, &error);
  if (status == JN_OK) status = jn_work_create_order(model, ORDER, &c.work);
  if (status != JN_OK) {
    fprintf(stderr, "%s: %s\n", argv[1], error.text);
    return 1;
  }
  c.model = model;
  double largest[2] = {run(&c, duration, rigid), 0};
  c.is_elastic = 1;
  largest[1] = run(&c, duration, elastic);
  printf("largest error of the links: %.2g rad by rigid computed torque, %.1g rad by elastic feed-forward\n",
         largest[0], largest[1]);
  if (argc > 2) write_errors(argv[2], duration, rigid, elastic);
  jn_work_destroy(c.work);
  jn_trajectory_destroy(c.motion);
  jn_elastic_destroy(c.elastic);
  jn_model_destroy(model);
  return largest[0] > 1e-3 && largest[1] < 1e-8 ? 0 : 1;
}
