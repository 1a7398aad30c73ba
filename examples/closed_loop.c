/* SPDX-License-Identifier: BSD-2-Clause */
/* A four-bar linkage: one motor, three moving bars, and a pin that closes the loop. Computes the torque, and its rate,
 * that turn the crank at constant speed, and what the linkage does when the motor applies this torque and then lets go.
 */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>

enum { N = 3, ROWS = 5, K = 1 };

static int torques_of_a_turn(jn_loops *loops) {
  const unsigned char motor[N] = {1, 0, 0};
  double q[N] = {0};
  puts("crank [deg]  torque [N m]  its rate [N m/s]  force in the pin [N]");
  for (int degrees = 0; degrees < 360; degrees += 45) {
    double v[(K + 2) * N] = {0}, tau[(K + 1) * N], lambda[(K + 1) * ROWS], W[12];
    q[0] = degrees * 3.14159265358979323846 / 180;
    v[0] = 6.283; /* one revolution per second, and no acceleration */
    if (jn_loops_assemble(loops, motor, 0, q, NULL) != JN_OK) return 0;     /* the other bars follow, */
    if (jn_loops_complete_motion(loops, K, motor, q, v) != JN_OK) return 0; /* their motion too */
    if (jn_loops_inverse_dynamics_jet(loops, K, motor, JN_LEAST_TORQUE, NULL, q, v, NULL, NULL, tau, lambda) != JN_OK)
      return 0;
    jn_loops_wrenches(loops, q, lambda, W);
    printf("%11d  %12.4f  %16.4f  %20.3f\n", degrees, tau[0], tau[N], hypot(W[3], W[4]));
  }
  return 1;
}

int main(void) {
  jn_model *model;
  jn_loops *loops;
  jn_work *work;
  jn_loops_options options;
  jn_error error;
  if (jn_load("builtin:four_bar", NULL, &model, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  jn_loops_options_init(&options);
  options.order = K;
  if (jn_loops_create(model, &options, &loops) != JN_OK || jn_work_create(model, &work) != JN_OK) return 1;
  jn_loops_health health;
  double q[N] = {0}, v[(K + 2) * N] = {0}, tau[(K + 1) * N] = {0}, energy[2], start, phi[ROWS], worst = 0;
  jn_loops_health_at(loops, q, &health, NULL);
  printf("%d conditions, %d of them independent: mobility %d\n", jn_loops_rows(loops), health.rank, N - health.rank);
  if (!torques_of_a_turn(loops)) return 1;

  const unsigned char motor[N] = {1, 0, 0}; /* now without a torque, starting at one revolution per second */
  v[0] = 6.283;
  if (jn_loops_project(loops, motor, q, v) != JN_OK) return 1;
  jn_energy(model, work, q, v, energy);
  start = energy[0] + energy[1];
  const double dt = 1e-3;
  for (int step = 0; step < 2000; step++) { /* a Taylor step with a' = jerk, then back onto the loop */
    if (jn_loops_forward_dynamics_jet(loops, K, q, v, tau, NULL, v, NULL) != JN_OK) return 1;
    for (int i = 0; i < N; i++) {
      q[i] += dt * (v[i] + dt / 2 * (v[N + i] + dt / 3 * v[2 * N + i]));
      v[i] += dt * (v[N + i] + dt / 2 * v[2 * N + i]);
    }
    if (jn_loops_assemble(loops, NULL, 0, q, NULL) != JN_OK || jn_loops_project(loops, NULL, q, v) != JN_OK) return 1;
    jn_loops_constraint(loops, q, NULL, phi, NULL, NULL);
    for (int r = 0; r < ROWS; r++) worst = fmax(worst, fabs(phi[r]));
  }
  jn_energy(model, work, q, v, energy);
  double lost = fabs(energy[0] + energy[1] - start) / start;
  printf("2 s later the crank is at %.3f rad; the pin stayed to %.0e m, energy to %.0e\n", q[0], worst, lost);
  jn_work_destroy(work);
  jn_loops_destroy(loops);
  jn_model_destroy(model);
  return worst < 1e-10 && lost < 1e-4 ? 0 : 1;
}
