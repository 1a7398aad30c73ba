/* SPDX-License-Identifier: BSD-2-Clause */
/* Impedance in task space: the flange of a Panda behaves like a unit mass on a spring and a damper, pulled to a point
 * in space, whatever the arm weighs. The forces are F = Lambda y'' + bias with y'' = k (target - p) - d p', as torques
 * J^T F; what the arm does besides is damped in the null space, where it cannot disturb the task. So the distance to
 * the target follows (1 + w t) exp(-w t), w^2 = k, d = 2 w, which the program checks. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 7, R = 3 };
static const double frequency = 4; /* w [1/s] */

typedef struct controller {
  jn_tasks *tasks;
  double target[R];
} controller;

static jn_status control(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  controller *c = context;
  double p[R], J[R * N], Lambda[R * R], bias[R], Jbar[N * R], jet[2 * N] = {0}, F[R], along[R] = {0};
  const jn_operational out = {.Lambda = Lambda, .bias = bias, .Jbar = Jbar};
  (void)t, (void)order;
  memcpy(jet, v_jet, N * sizeof *jet); /* the acceleration does not matter: bias is at zero acceleration of the task */
  jn_status status = jn_tasks_values(c->tasks, q, p);
  if (status == JN_OK) status = jn_tasks_jacobian_jet(c->tasks, 0, q, NULL, J);
  if (status == JN_OK) status = jn_tasks_operational_jet(c->tasks, 0, q, jet, &out);
  if (status != JN_OK) return status;
  double wanted[R], damping[N];
  for (int i = 0; i < R; i++) {
    double speed = 0;
    for (int k = 0; k < N; k++) speed += J[i * N + k] * v_jet[k];
    wanted[i] = frequency * frequency * (c->target[i] - p[i]) - 2 * frequency * speed;
  }
  for (int i = 0; i < R; i++) {
    F[i] = bias[i];
    for (int k = 0; k < R; k++) F[i] += Lambda[i * R + k] * wanted[k];
  }
  for (int k = 0; k < N; k++) damping[k] = -2 * v_jet[k];
  for (int i = 0; i < R; i++) /* Jbar^T damping: the part that would move the task */
    for (int k = 0; k < N; k++) along[i] += Jbar[k * R + i] * damping[k];
  for (int k = 0; k < N; k++) {
    tau_jet[k] = damping[k];
    for (int i = 0; i < R; i++) tau_jet[k] += J[i * N + k] * (F[i] - along[i]);
  }
  return JN_OK;
}

int main(void) {
  jn_model *panda;
  jn_error error;
  if (jn_load("builtin:panda", NULL, &panda, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  jn_task task;
  jn_task_init(&task);
  task.type = JN_TASK_POSITION;
  task.frame = jn_frame_index(panda, "panda_flange");
  controller c;
  jn_simulation_options options;
  jn_simulator *simulator;
  if (jn_tasks_create(panda, &task, 1, NULL, &c.tasks) != JN_OK) return 1;
  double q[N] = {0, -0.4, 0, -2.2, 0, 1.8, 0.8}, start[R], p[R], worst = 0;
  jn_tasks_values(c.tasks, q, start);
  const double pull[R] = {0.12, -0.1, 0.15};
  for (int i = 0; i < R; i++) c.target[i] = start[i] + pull[i];
  jn_simulation_options_init(&options);
  options.integrator = JN_DORMAND_PRINCE;
  options.force = control;
  options.context = &c;
  if (jn_simulator_create(panda, &options, &simulator) != JN_OK || jn_simulator_set(simulator, 0, q, NULL) != JN_OK)
    return 1;
  puts("t [s]  distance to the target [m]  of the oscillator [m]");
  double size = sqrt(pull[0] * pull[0] + pull[1] * pull[1] + pull[2] * pull[2]);
  for (int step = 0; step <= 8; step++) {
    double t = 0.2 * step, left = 0, expected = size * (1 + frequency * t) * exp(-frequency * t);
    if (step > 0 && jn_simulator_run(simulator, t) != JN_OK) return 1;
    jn_simulator_get(simulator, NULL, q, NULL);
    jn_tasks_values(c.tasks, q, p);
    for (int i = 0; i < R; i++) left += (c.target[i] - p[i]) * (c.target[i] - p[i]);
    printf("%5.1f  %26.9f  %21.9f\n", t, sqrt(left), expected);
    worst = fmax(worst, fabs(sqrt(left) - expected));
  }
  printf("apart by at most %.0e m\n", worst);
  jn_simulator_destroy(simulator);
  jn_tasks_destroy(c.tasks);
  jn_model_destroy(panda);
  return worst < 1e-7 ? 0 : 1;
}
