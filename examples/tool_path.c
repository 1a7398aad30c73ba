/* SPDX-License-Identifier: BSD-2-Clause */
/* From the path of a tool to torques and their rates: the flange of a Panda goes round a circle in 2 s and keeps its
 * orientation. Joint velocities, accelerations, jerks and snaps follow from those of the circle, and torques with two
 * derivatives from these; differences of the torques confirm them. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { N = 7, K = 2, SAMPLES = 9 };
static const double pi = 3.14159265358979323846, radius = 0.1, duration = 2;

/* The circle in the plane y-z through the pose T0: p = p0 + radius (0, sin a, 1 - cos a), a = 2 pi t / duration. The
 * rates are the twist of the flange in its own axes and the time derivatives of that. */
static jn_status circle(void *context, double t, int order, double *target, double *rate_jet) {
  const double *T0 = context, w = 2 * pi / duration;
  for (int i = 0; i < 16; i++) target[i] = T0[i];
  target[7] += radius * sin(w * t);
  target[11] += radius * (1 - cos(w * t));
  for (int k = 0; rate_jet && k <= order; k++) {
    double size = radius * pow(w, k + 1), phase = w * t + k * pi / 2;
    for (int i = 0; i < 3; i++) {
      rate_jet[6 * k + i] = 0;
      rate_jet[6 * k + 3 + i] = T0[4 + i] * size * cos(phase) + T0[8 + i] * size * sin(phase); /* R^T p^(k+1) */
    }
  }
  return JN_OK;
}

typedef struct arm {
  const jn_model *model;
  jn_work *work;
  jn_tasks *tasks;
  double T0[16], q[N], t; /* where it is, and when */
} arm;

static jn_status torques_at(arm *a, double t, double tau[(K + 1) * N]) {
  const jn_tasks_path path = {.context = a->T0, .at = circle};
  double target[16], rates[(K + 2) * 6], v[(K + 2) * N];
  jn_status status = jn_tasks_follow(a->tasks, &path, a->t, t, 0, a->q, &a->t, NULL, NULL);
  if (status == JN_OK) status = circle(a->T0, t, K + 1, target, rates);
  if (status == JN_OK) status = jn_tasks_motion_jet(a->tasks, K + 1, a->q, NULL, NULL, rates, v, NULL);
  return status == JN_OK ? jn_inverse_dynamics_jet(a->model, a->work, K, a->q, v, NULL, tau) : status;
}

int main(void) {
  jn_model *panda;
  jn_error error;
  if (jn_load("builtin:panda", NULL, &panda, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  arm a = {.model = panda, .q = {0, -0.4, 0, -2.2, 0, 1.8, 0.8}};
  jn_task task;
  jn_tasks_options options;
  jn_task_init(&task);
  jn_tasks_options_init(&options);
  task.frame = jn_frame_index(panda, "panda_flange");
  options.order = 4;
  if (jn_tasks_create(panda, &task, 1, &options, &a.tasks) != JN_OK) return 1;
  if (jn_work_create_order(panda, K, &a.work) != JN_OK) return 1;
  jn_tasks_values(a.tasks, a.q, a.T0);
  double worst = 0, most = 0;
  puts("t [s]  torque of joint 2 [N m]  its rate [N m/s]  by differences");
  for (int i = 0; i < SAMPLES; i++) {
    double t = duration * i / (SAMPLES - 1), h = 1e-4, before[(K + 1) * N], tau[(K + 1) * N], after[(K + 1) * N];
    if (torques_at(&a, t - h, before) != JN_OK || torques_at(&a, t, tau) != JN_OK ||
        torques_at(&a, t + h, after) != JN_OK)
      return 1;
    for (int k = 0; k < N * K; k++) { /* rates and their rates */
      worst = fmax(worst, fabs(tau[N + k] - (after[k] - before[k]) / (2 * h)));
      most = fmax(most, fabs(tau[N + k]));
    }
    printf("%5.2f  %24.6f  %16.6f  %14.6f\n", t, tau[1], tau[N + 1], (after[1] - before[1]) / (2 * h));
  }
  printf("off by at most %.0e of %.0f\n", worst, most);
  jn_tasks_destroy(a.tasks);
  jn_work_destroy(a.work);
  jn_model_destroy(panda);
  return worst < 1e-5 * most ? 0 : 1;
}
