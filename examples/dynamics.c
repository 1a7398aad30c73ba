/* SPDX-License-Identifier: BSD-2-Clause */
/* The torques for a motion, the motion caused by torques, and where the hand goes. */
#include <jounce/jounce.h>
#include <stdio.h>

int main(void) {
  jn_model *panda;
  jn_work *work;
  jn_error error;
  if (jn_load("builtin:panda", NULL, &panda, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  if (jn_work_create(panda, &work) != JN_OK) return 1;

  const double q[7] = {0, -0.6, 0, -2.2, 0, 1.6, 0.8}, v[7] = {0.3, 0, 0, 0, 0, 0, 0}, a[7] = {0, 1, 0, 0, 0, 0, 0};
  double tau[7], back[7], M[49], J[42], V[6], T[16], wrench[7][6] = {{0}};

  jn_inverse_dynamics(panda, work, q, v, a, NULL, tau);
  jn_forward_dynamics(panda, work, q, v, tau, NULL, back); /* gives a again */
  printf("joint 2: %.3f N m for 1 rad/s^2; forward dynamics gives back %.12f\n", tau[1], back[1]);

  wrench[6][5] = 9.81 * 2; /* 2 kg hang on the hand: they pull along the last link's z axis, which points down here */
  jn_inverse_dynamics(panda, work, q, NULL, NULL, &wrench[0][0], tau);
  printf("holding that load takes %.3f N m at joint 2\n", tau[1]);

  int flange = jn_frame_index(panda, "panda_flange");
  jn_frame_pose(panda, work, flange, q, T);
  jn_frame_jacobian(panda, work, flange, JN_IN_ALIGNED, q, J); /* world axes, velocity of the flange's origin */
  jn_frame_twist(panda, work, flange, JN_IN_ALIGNED, q, v, V);
  printf("flange at %.3f %.3f %.3f m, moving with %.3f %.3f %.3f m/s\n", T[3], T[7], T[11], V[3], V[4], V[5]);

  jn_mass_matrix(panda, work, q, M);
  printf("inertia about joint 1: %.4f kg m^2\n", M[0]);
  jn_work_destroy(work);
  jn_model_destroy(panda);
  return back[1] > 0.999999 && back[1] < 1.000001 ? 0 : 1;
}
