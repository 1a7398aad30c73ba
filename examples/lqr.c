/* SPDX-License-Identifier: BSD-2-Clause */
/* A double pendulum that stands on its head, balanced by a motor at its elbow alone (an "acrobot").
 *   1. Linearise it there: x' = A x + B u, exactly, by jn_forward_dynamics_derivatives().
 *   2. Find the gain K of the linear-quadratic regulator u = -K x: Riccati equation by an ordered Schur form (LAPACK).
 *   3. Simulate the pendulum itself, not its linearisation, with and without the regulator.
 *   example_lqr [SHOULDER ELBOW]    angles from upright at the start [rad], 0.08 -0.25 when not given
 * Fails unless it stands in the end, and falls without the regulator. docs/linearisation.md shows what it prints. */
#include <jounce/jounce.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2, X = 2 * N, MOTOR = 1 }; /* coordinates; state x = (q - q*, v); the motor's coordinate */
static const double UPRIGHT[N] = {3.14159265358979323846};    /* q*: both rods up */
static const double Q_COST[X] = {1, 1, 0.1, 0.1}, R_COST = 1; /* minimise the integral of x^T Q x + R u^2 */
static const double STEP = 1e-3, DURATION = 6;                /* [s] */

typedef struct study {
  jn_model *model;
  jn_work *work;
  double A[X][X], B[X]; /* x' = A x + B u, u the torque at the elbow */
  double K[X];          /* u = -K x; zero: no regulator */
  double start[X];      /* x at t = 0 */
} study;

/* ---- Linearisation ---- */

/* At rest at q*, held by the gravity forces there: x' = (v, a), so A = [0 1; da/dq da/dv], B = [0; da/dtau e_motor]. */
static jn_status linearise(study *s) {
  double tau[N], a[N], da_dq[N][N], da_dv[N][N], da_dtau[N][N];
  jn_status status = jn_gravity_forces(s->model, s->work, UPRIGHT, tau);
  if (status != JN_OK) return status;
  status = jn_forward_dynamics_derivatives(s->model, s->work, UPRIGHT, NULL, tau, NULL, JN_IN_BODY, a, da_dq[0],
                                           da_dv[0], da_dtau[0], NULL);
  if (status != JN_OK) return status;
  for (int i = 0; i < N; i++) {
    s->A[i][N + i] = 1;
    for (int k = 0; k < N; k++) s->A[N + i][k] = da_dq[i][k], s->A[N + i][N + k] = da_dv[i][k];
    s->B[N + i] = da_dtau[i][MOTOR];
  }
  return JN_OK;
}

/* ---- Regulator ---- */

static lapack_logical is_stable(const double *re, const double *im) {
  (void)im;
  return *re < 0;
}

/* Largest entry of A^T P + P A - P B B^T P / R + Q, relative to that of P A. */
static double riccati_residual(const study *s, double P[X][X]) {
  double worst = 0, size = 0, PB[X] = {0};
  for (int i = 0; i < X; i++)
    for (int k = 0; k < X; k++) PB[i] += P[i][k] * s->B[k];
  for (int i = 0; i < X; i++)
    for (int k = 0; k < X; k++) {
      double PA = 0, AP = 0;
      for (int j = 0; j < X; j++) PA += P[i][j] * s->A[j][k], AP += s->A[j][i] * P[j][k];
      worst = fmax(worst, fabs(PA + AP - PB[i] * PB[k] / R_COST + (i == k ? Q_COST[i] : 0)));
      size = fmax(size, fabs(PA));
    }
  return worst / size;
}

/* K = B^T P / R with P from the stable subspace [U1; U2] of the Hamiltonian H = [A, -B B^T / R; -Q, -A^T]:
 * P = U2 U1^-1 (Laub 1979). Returns 0 when all is well. */
static int design(study *s) {
  double H[2 * X][2 * X] = {{0}}, U[2 * X][2 * X], re[2 * X], im[2 * X], U1[X][X], P[X][X];
  lapack_int stable, pivots[X];
  for (int i = 0; i < X; i++) {
    for (int k = 0; k < X; k++) {
      H[i][k] = s->A[i][k];
      H[i][X + k] = -s->B[i] * s->B[k] / R_COST;
      H[X + i][X + k] = -s->A[k][i];
    }
    H[X + i][i] = -Q_COST[i];
  }
  if (LAPACKE_dgees(LAPACK_ROW_MAJOR, 'V', 'S', is_stable, 2 * X, H[0], 2 * X, &stable, re, im, U[0], 2 * X)) return 1;
  if (stable != X) return fprintf(stderr, "the motor cannot stabilise it: %d stable directions\n", (int)stable), 1;
  for (int i = 0; i < X; i++) /* P U1 = U2, transposed, as P is symmetric: U1^T P = U2^T */
    for (int k = 0; k < X; k++) U1[i][k] = U[k][i], P[i][k] = U[X + k][i];
  if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, X, X, U1[0], X, pivots, P[0], X)) return 1;
  for (int i = 0; i < X; i++)
    for (int k = 0; k < X; k++) s->K[i] += s->B[k] * P[k][i] / R_COST;
  double residual = riccati_residual(s, P);
  printf("gain K = %.4f %.4f %.4f %.4f; residual of the Riccati equation %.0e\n", s->K[0], s->K[1], s->K[2], s->K[3],
         residual);
  return !(residual < 1e-9);
}

/* Prints the eigenvalues of A - B K; the largest real part. */
static double print_eigenvalues(const study *s, const char *what) {
  double M[X][X], re[X], im[X], most = -INFINITY;
  for (int i = 0; i < X; i++)
    for (int k = 0; k < X; k++) M[i][k] = s->A[i][k] - s->B[i] * s->K[k];
  if (LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', X, M[0], X, re, im, NULL, X, NULL, X)) return NAN;
  printf("eigenvalues %s:", what);
  for (int i = 0; i < X; i++) {
    printf(fabs(im[i]) > 0 ? " %.3f%+.3fi" : " %.3f", re[i], im[i]);
    most = fmax(most, re[i]);
  }
  printf(" [1/s]\n");
  return most;
}

/* ---- Simulation ---- */

static double torque(const study *s, const double x[X]) {
  double u = 0;
  for (int i = 0; i < X; i++) u -= s->K[i] * x[i];
  return u;
}

/* dx/dt of the pendulum itself. */
static jn_status rate(const study *s, const double x[X], double dx[X]) {
  double q[N], tau[N] = {0};
  for (int i = 0; i < N; i++) q[i] = UPRIGHT[i] + x[i], dx[i] = x[N + i];
  tau[MOTOR] = torque(s, x);
  return jn_forward_dynamics(s->model, s->work, q, x + N, tau, NULL, dx + N);
}

/* One step of the classical Runge-Kutta method. */
static jn_status step(const study *s, double x[X]) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double start[X], dx[X] = {0}, y[X];
  jn_status status = JN_OK;
  memcpy(start, x, sizeof start);
  for (int k = 0; k < 4 && status == JN_OK; k++) {
    for (int i = 0; i < X; i++) y[i] = start[i] + at[k] * STEP * dx[i];
    status = rate(s, y, dx);
    for (int i = 0; i < X; i++) x[i] += weight[k] * STEP * dx[i];
  }
  return status;
}

static double length(const double x[X]) {
  double sum = 0;
  for (int i = 0; i < X; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* Simulates and prints a line every second until the upper rod has left upright by a radian. Gives the last |x| and the
 * largest torque. */
static jn_status simulate(const study *s, double *last, double *most) {
  double x[X];
  const int steps = (int)(DURATION / STEP + 0.5), second = (int)(1 / STEP + 0.5);
  jn_status status = JN_OK;
  memcpy(x, s->start, sizeof x);
  *most = 0;
  printf("  t [s]  shoulder [rad]  elbow [rad]   rates [rad/s]              torque [N m]\n");
  for (int i = 0;; i++) {
    int fallen = fabs(x[0]) > 1;
    *most = fmax(*most, fabs(torque(s, x)));
    if (i % second == 0 || fallen) {
      printf("  %5.3f  %+13.3e  %+11.3e  %+11.3e %+11.3e  %+13.3e%s\n", i * STEP, x[0], x[1], x[2], x[3],
             torque(s, x) + 0.0, fallen ? "  fallen" : "");
    }
    if (i == steps || fallen || status != JN_OK) break;
    status = step(s, x);
  }
  *last = length(x);
  return status;
}

static int run(study *s) {
  double last, most;
  jn_status status = linearise(s);
  if (status != JN_OK) return fprintf(stderr, "%s\n", jn_status_text(status)), 1;
  for (int i = 0; i < X; i++)
    printf("%s%8.4f %8.4f %8.4f %8.4f %s%8.4f\n", i ? "    " : "A = ", s->A[i][0], s->A[i][1], s->A[i][2], s->A[i][3],
           i ? "      " : "  B = ", s->B[i]);
  if (!(print_eigenvalues(s, "without the regulator") > 0)) return fprintf(stderr, "it is stable by itself\n"), 1;
  status = simulate(s, &last, &most);
  if (status != JN_OK || !(last > 1)) return fprintf(stderr, "it does not fall without the regulator\n"), 1;

  printf("\n");
  if (design(s)) return fprintf(stderr, "no regulator was found\n"), 1;
  if (!(print_eigenvalues(s, "with the regulator") < 0)) return fprintf(stderr, "not stable\n"), 1;
  status = simulate(s, &last, &most);
  printf("|x| = %.1e in the end; at most %.2f N m of the motor\n", last, most);
  if (status != JN_OK || !(last < 1e-6)) return fprintf(stderr, "it does not settle\n"), 1;
  return 0;
}

int main(int argc, char **argv) {
  study s = {.start = {0.08, -0.25}};
  if (argc != 1 && argc != 3) return fprintf(stderr, "usage: %s [SHOULDER ELBOW]\n", argv[0]), 2;
  for (int i = 0; i < argc - 1; i++) s.start[i] = atof(argv[1 + i]);
  jn_error error;
  if (jn_load("builtin:double_pendulum", NULL, &s.model, &error) != JN_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  jn_status status = jn_work_create(s.model, &s.work);
  int failed = status != JN_OK || run(&s);
  jn_work_destroy(s.work);
  jn_model_destroy(s.model);
  return failed;
}
