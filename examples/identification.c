/* SPDX-License-Identifier: BSD-2-Clause */
/* Identification: a Panda whose file is wrong moves for ten seconds; from positions and noisy torques alone its
 * inertias and frictions are found, physically consistent. Here the measurements are computed; yours come from the
 * robot. */
#include <jounce/identification.h>
#include <jounce/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NV = 7, ROWS = 2000, LINKS = 32 };
static const double step = 0.005, viscous = 0.8, coulomb = 0.5;

/* Five harmonics in each joint, with velocities and accelerations. */
static void motion(double t, double phase, double *q, double *v, double *a) {
  static const double middle[NV] = {0, 0, 0, -1.6, 0, 1.8, 0};
  for (int i = 0; i < NV; i++) {
    q[i] = middle[i];
    v[i] = a[i] = 0;
    for (int k = 1; k <= 5; k++) {
      double omega = 0.6 * k, angle = omega * t + phase * k + 1.7 * i * k, size = 0.5 / k;
      q[i] += size * sin(angle);
      v[i] += size * omega * cos(angle);
      a[i] -= size * omega * omega * sin(angle);
    }
  }
}

/* Nearly normal noise. */
static double noise(void) {
  double sum = -6;
  for (int k = 0; k < 12; k++) sum += (double)rand() / RAND_MAX;
  return sum;
}

/* What the robot's torque sensors would say. */
static void measure(const jn_model *robot, jn_work *work, double t, double phase, double *q, double *tau) {
  double v[NV], a[NV];
  motion(t, phase, q, v, a);
  jn_inverse_dynamics(robot, work, q, v, a, NULL, tau);
  for (int i = 0; i < NV; i++) tau[i] += viscous * v[i] + coulomb * (v[i] > 0 ? 1 : -1);
}

/* The same robot with masses, centres of mass and inertias that are wrong by 30 %. */
static jn_model *wrong(const jn_model *robot) {
  double pi[10 * LINKS];
  jn_model *copy;
  jn_parameters(robot, pi);
  for (int l = 0; l < jn_link_count(robot); l++) {
    double m, com[3], inertia[6], by = l % 2 ? 1.3 : 0.7;
    jn_inertia_unpack(pi + 10 * l, &m, com, inertia);
    for (int k = 0; k < 6; k++) inertia[k] *= by;
    jn_inertia_pack(by * m, com, inertia, pi + 10 * l);
  }
  return jn_model_with_parameters(robot, pi, &copy) == JN_OK ? copy : NULL;
}

int main(void) {
  jn_model *robot, *start, *found;
  jn_error error;
  jn_work *work;
  static double t[ROWS], q[ROWS * NV], tau[ROWS * NV];
  if (jn_load("builtin:panda", NULL, &robot, &error) != JN_OK) return puts(error.text), 1;
  if (jn_work_create(robot, &work) != JN_OK || !(start = wrong(robot))) return 1;

  /* the measurements: positions and torques */
  for (int k = 0; k < ROWS; k++) {
    t[k] = k * step;
    measure(robot, work, t[k], 0.3, q + k * NV, tau + k * NV);
    for (int i = 0; i < NV; i++) tau[k * NV + i] += 0.2 * noise();
  }
  jn_trajectory *trajectory;
  if (jn_trajectory_fit(start, ROWS, t, q, NULL, &trajectory, &error) != JN_OK) return puts(error.text), 1;
  if (jn_trajectory_set_forces(trajectory, ROWS, t, tau) != JN_OK) return 1;

  /* inertias, viscous and Coulomb friction, offsets: the default */
  jn_identification *identification;
  jn_measurement how;
  const jn_estimate *e;
  if (jn_identification_create(start, NULL, &identification, &error) != JN_OK) return puts(error.text), 1;
  jn_measurement_init(&how);
  how.cutoff = jn_identification_cutoff(identification, trajectory);
  if (jn_identification_add_trajectory(identification, trajectory, &how) != JN_OK) return 1;
  if (jn_identification_solve(identification, -1, 1, &e) != JN_OK) return 1;
  printf("%d unknowns, %d base parameters, all %s\n", e->count, e->base_count,
         e->told == e->base_count ? "told by this motion" : "but some told");
  if (jn_identification_model(identification, e->x, &found) != JN_OK) return 1;

  /* another motion: torques of the found robot against those of the true one */
  double before = 0, after = 0, all = 0;
  jn_work *of_start, *of_found;
  if (jn_work_create(start, &of_start) != JN_OK || jn_work_create(found, &of_found) != JN_OK) return 1;
  for (int k = 0; k < 500; k++) {
    double state[NV], v[NV], a[NV], truth[NV], own[NV], loss[NV];
    measure(robot, work, 0.02 * k, 1.1, state, truth);
    motion(0.02 * k, 1.1, state, v, a);
    jn_inverse_dynamics(start, of_start, state, v, a, NULL, own);
    for (int i = 0; i < NV; i++) before += pow(own[i] - truth[i], 2), all += truth[i] * truth[i];
    jn_inverse_dynamics(found, of_found, state, v, a, NULL, own);
    jn_loss_forces(found, v, loss);
    for (int i = 0; i < NV; i++) after += pow(own[i] + loss[i] - truth[i], 2);
  }
  printf("torques of another motion: %.0f %% off before, %s after\n", 100 * sqrt(before / all),
         after < 1e-4 * all ? "less than 1 %" : "more than 1 %");
  int physical = 1;
  for (int l = 0; l < jn_link_count(found); l++) {
    double p[10];
    jn_link_inertia(found, l, p);
    physical &= p[0] == 0 || jn_inertia_is_physical(p);
  }
  printf("every link is a possible body: %s\n", physical ? "yes" : "no");
  int fine = physical && after < 1e-4 * all && e->told == e->base_count;
  jn_work_destroy(work);
  jn_work_destroy(of_start);
  jn_work_destroy(of_found);
  jn_identification_destroy(identification);
  jn_trajectory_destroy(trajectory);
  jn_model_destroy(found);
  jn_model_destroy(start);
  jn_model_destroy(robot);
  return fine ? 0 : 1;
}
