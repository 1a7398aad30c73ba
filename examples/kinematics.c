/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the flange of the Panda is, how it moves, and which joint angles bring it somewhere else: Newton's method on
 * the group, with the error as the body twist that takes the flange to its goal in one unit of time,
 *   e = log(T^-1 T_goal),    dq = J^T (J J^T + mu E)^-1 e,    q <- q (+) dq      (J in the body, damped by mu).
 * Fails unless the goal is reached to 1e-9, and J v, dJ/dt are what differences of poses and of J say. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 7 };

/* x with (J J^T + mu E) x = e, by Cholesky. */
static void solve(double J[6][N], double mu, const double e[6], double x[6]) {
  double L[6][6] = {{0}};
  for (int i = 0; i < 6; i++) {
    x[i] = e[i];
    for (int k = 0; k <= i; k++) {
      double sum = i == k ? mu : 0;
      for (int j = 0; j < N; j++) sum += J[i][j] * J[k][j];
      for (int j = 0; j < k; j++) sum -= L[i][j] * L[k][j];
      L[i][k] = i == k ? sqrt(sum) : sum / L[k][k];
      if (k < i) x[i] -= L[i][k] * x[k];
    }
    x[i] /= L[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++) x[i] -= L[k][i] * x[k];
    x[i] /= L[i][i];
  }
}

/* One step towards the goal; the size of the error before it in *error. */
static jn_status step(const jn_model *model, jn_work *work, int frame, const double goal[16], double q[N],
                      double *error) {
  double T[16], back[16], gap[16], e[6], x[6], J[6][N], dq[N];
  jn_status status = jn_frame_pose(model, work, frame, q, T);
  if (status == JN_OK) status = jn_frame_jacobian(model, work, frame, JN_IN_BODY, q, J[0]);
  if (status == JN_OK) status = jn_se3_inverse(T, back);
  if (status == JN_OK) status = jn_se3_multiply(back, goal, gap);
  if (status == JN_OK) status = jn_se3_log(gap, e);
  if (status != JN_OK) return status;
  *error = 0;
  for (int i = 0; i < 6; i++) *error += e[i] * e[i];
  solve(J, 1e-3 * *error, e, x); /* damping that fades as the goal comes near */
  *error = sqrt(*error);
  for (int k = 0; k < N; k++) {
    dq[k] = 0;
    for (int i = 0; i < 6; i++) dq[k] += J[i][k] * x[i];
  }
  return jn_integrate(model, work, q, dq, q);
}

/* Largest distance of J v and dJ/dt from central differences along q + t v. */
static jn_status compare(const jn_model *model, jn_work *work, int frame, const double q[N], const double v[N],
                         double *worst) {
  const double h = 1e-5;
  double at[2][N], T[2][16], back[16], gap[16], e[6], V[6], J[2][6][N], dJ[6][N], forward[N], backward[N];
  jn_status status = JN_OK;
  for (int k = 0; k < N; k++) forward[k] = h * v[k], backward[k] = -h * v[k];
  jn_integrate(model, work, q, backward, at[0]);
  jn_integrate(model, work, q, forward, at[1]);
  for (int s = 0; s < 2 && status == JN_OK; s++) {
    jn_frame_pose(model, work, frame, at[s], T[s]);
    status = jn_frame_jacobian(model, work, frame, JN_IN_BODY, at[s], J[s][0]);
  }
  jn_se3_inverse(T[0], back);
  jn_se3_multiply(back, T[1], gap);
  jn_se3_log(gap, e);
  jn_frame_twist(model, work, frame, JN_IN_BODY, q, v, V);
  if (status == JN_OK) status = jn_frame_jacobian_rate(model, work, frame, JN_IN_BODY, q, v, dJ[0]);
  *worst = 0;
  for (int i = 0; i < 6; i++) {
    *worst = fmax(*worst, fabs(e[i] / (2 * h) - V[i]));
    for (int k = 0; k < N; k++) *worst = fmax(*worst, fabs((J[1][i][k] - J[0][i][k]) / (2 * h) - dJ[i][k]));
  }
  return status;
}

static int run(const jn_model *model, jn_work *work) {
  double q[N] = {0, -0.6, 0, -2.2, 0, 1.6, 0.8}, v[N] = {0.3, -0.2, 0.1, 0.5, 0, 0.4, 1}, T[16], V[6], error = 0, off;
  const int flange = jn_frame_index(model, "panda_flange");
  if (jn_frame_pose(model, work, flange, q, T) != JN_OK) return 1;
  if (jn_frame_twist(model, work, flange, JN_IN_ALIGNED, q, v, V) != JN_OK) return 1; /* world axes, at the origin */
  printf("flange at %.4f %.4f %.4f m, moving with %.4f %.4f %.4f m/s\n", T[3], T[7], T[11], V[3], V[4], V[5]);
  if (compare(model, work, flange, q, v, &off) != JN_OK) return 1;
  printf("twist and dJ/dt are off their differences by at most %.1e\n", off);

  double turn[9], R[9];
  const double yaw[3] = {0, 0, 0.5};
  memcpy(R, (double[9]){T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]}, sizeof R);
  jn_rpy_to_rotation(yaw, turn);
  for (int i = 0; i < 3; i++) /* the goal: 0.2 m to the left, 0.1 m lower, turned by 0.5 rad about the vertical */
    for (int k = 0; k < 3; k++)
      T[4 * i + k] = turn[3 * i] * R[k] + turn[3 * i + 1] * R[3 + k] + turn[3 * i + 2] * R[6 + k];
  T[7] += 0.2;
  T[11] -= 0.1;
  for (int i = 0; i < 20; i++) {
    if (step(model, work, flange, T, q, &error) != JN_OK) return 1;
    printf("step %d: off by %.1e\n", i, error);
    if (error < 1e-9) break;
  }
  printf("q = %.4f %.4f %.4f %.4f %.4f %.4f %.4f\n", q[0], q[1], q[2], q[3], q[4], q[5], q[6]);
  if (!(error < 1e-9)) return fprintf(stderr, "the goal is not reached\n"), 1;
  if (!(off < 1e-8)) return fprintf(stderr, "twist or dJ/dt is wrong\n"), 1;
  return 0;
}

int main(void) {
  jn_model *model;
  jn_work *work;
  jn_error error;
  if (jn_load("builtin:panda", NULL, &model, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  if (jn_work_create(model, &work) != JN_OK) return 1;
  int failed = run(model, work);
  jn_work_destroy(work);
  jn_model_destroy(model);
  return failed;
}
