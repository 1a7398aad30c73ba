/* SPDX-License-Identifier: BSD-2-Clause */
/* Made by tests/reference_motion.py: motions of built-in robots under gravity, with damping. */
static const struct reference_motion {
  const char *robot;
  int n, times;
  double damping[7], q[7], v[7];
  struct {
    double t, q[7], v[7];
  } at[3];
} reference_motions[] = {
    {"builtin:double_pendulum",
     2,
     1,
     {0, 0},
     {1.0, -0.5},
     {0, 0.3},
     {{1, {-0.83724374912173571077, 0.19988130120093212579}, {0.98920613798408377554, 1.648804052981723799}}}},
};
