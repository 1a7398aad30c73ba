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
    /* steps 0.0125 and half of that differ by 1.4e-17 */
    {"builtin:double_pendulum",
     2,
     3,
     {0, 0},
     {2.1, -0.5},
     {0, 0.25},
     {
         {1, {-1.7780285976057825979, -0.37765633581842934211}, {1.5402139657175015706, -7.8314886207003338562}},
         {2, {0.046812569330788694034, 7.9738468092631632203}, {-4.1817877204166602671, 17.140796738597718019}},
         {5, {-0.78725731123373075431, 2.6570613848308689740}, {-5.7421179696104654942, -13.013303797735226379}},
     }},
};
