/* SPDX-License-Identifier: BSD-2-Clause */
/* Adaptive control of a Panda whose masses are not known (Slotine and Li 1987). With the errors e = q - q_d, a
 * reference v_r = v_d - Lambda e, and s = v - v_r,
 *   tau = Y pi_hat - K s,    pi_hat' = -Gamma Y^T s,    Y pi = M v_r' + C v_r + g    (jn_slotine_li_regressor()).
 * As M' - 2 C is skew-symmetric, V = (s^T M s + (pi_hat - pi)^T Gamma^-1 (pi_hat - pi)) / 2 has V' = -s^T K s whatever
 * pi is: s dies out, and e with it. The controller never sees pi: it starts from 70 numbers of which each is wrong by
 * up to 30 %.
 *   example_adaptive [SEED]    of these errors; 1 when not given
 * Fails unless V(t) = V(0) - integral of s^T K s, and the error gets far below that of the same controller without
 * adaptation. docs/regressors.md shows what it prints. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 7, P = 10 * N };                                         /* coordinates, parameters of the seven links */
enum { Q, VEL = N, HAT = 2 * N, LOST = HAT + P, X };                /* state x = (q, v, pi_hat, integral of s^T K s) */
static const double LAMBDA = 5, K[N] = {10, 10, 8, 8, 2, 1.5, 0.5}; /* [1/s], [N m s/rad] */
static const double STEP = 1e-3, PERIOD = 4, DURATION = 20;         /* [s] */
/* The diagonal of Gamma for each link, by the kinds of parameters: m, h, J. */
static const double GAMMA[10] = {50, 2, 2, 2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
static const double START[N] = {-0.6, -0.8, -0.3, -2.2, -0.5, 1.2, -0.5},
                    SWING[N] = {0.6, 0.4, 0.3, 0.5, 0.4, 0.4, 0.6};
static const double OFFSET = 0.05; /* of every joint from its path at t = 0 [rad] */

typedef struct study {
  jn_model *model; /* the robot as it is */
  jn_work *work;
  double pi[P];   /* its parameters, */
  double hat0[P]; /* and what the controller believes at first */
  int adapts;
} study;

/* ---- Trajectory ---- */

/* Every joint swings one to three times in a period, from rest at t = 0. */
static void desired(double t, double q[N], double v[N], double a[N]) {
  for (int i = 0; i < N; i++) {
    double w = 2 * 3.14159265358979323846 / PERIOD * (1 + i % 3);
    q[i] = START[i] + SWING[i] * (1 - cos(w * t));
    v[i] = SWING[i] * w * sin(w * t);
    a[i] = SWING[i] * w * w * cos(w * t);
  }
}

static double error_at(double t, const double x[X]) {
  double q[N], v[N], a[N], sum = 0;
  desired(t, q, v, a);
  for (int i = 0; i < N; i++) sum += (x[i] - q[i]) * (x[i] - q[i]);
  return sqrt(sum);
}

/* ---- Controller ---- */

/* s and the regressor with Y pi = M v_r' + C v_r + g. */
static jn_status regressor(const study *c, double t, const double x[X], double s[N], double Y[N][P]) {
  double q[N], v_r[N], a_r[N];
  desired(t, q, v_r, a_r);
  for (int i = 0; i < N; i++) {
    a_r[i] -= LAMBDA * (x[VEL + i] - v_r[i]);
    v_r[i] -= LAMBDA * (x[Q + i] - q[i]);
    s[i] = x[VEL + i] - v_r[i];
  }
  return jn_slotine_li_regressor(c->model, c->work, x + Q, x + VEL, v_r, a_r, Y[0]);
}

/* dx/dt of robot and controller. Y does not depend on the model's parameters, so the controller knows the geometry
 * alone. */
static jn_status rate(const study *c, double t, const double x[X], double dx[X]) {
  double s[N], Y[N][P], tau[N];
  jn_status status = regressor(c, t, x, s, Y);
  if (status != JN_OK) return status;
  dx[LOST] = 0;
  for (int i = 0; i < N; i++) {
    dx[Q + i] = x[VEL + i];
    tau[i] = -K[i] * s[i];
    for (int p = 0; p < P; p++) tau[i] += Y[i][p] * x[HAT + p];
    dx[LOST] += K[i] * s[i] * s[i];
  }
  for (int p = 0; p < P; p++) {
    dx[HAT + p] = 0;
    for (int i = 0; i < N && c->adapts; i++) dx[HAT + p] -= GAMMA[p % 10] * Y[i][p] * s[i];
  }
  return jn_forward_dynamics(c->model, c->work, x + Q, x + VEL, tau, NULL, dx + VEL);
}

/* ---- Simulation ---- */

/* One step of the classical Runge-Kutta method. */
static jn_status step(const study *c, double t, double h, double x[X]) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double start[X], dx[X] = {0}, y[X];
  jn_status status = JN_OK;
  memcpy(start, x, sizeof start);
  for (int k = 0; k < 4 && status == JN_OK; k++) {
    for (int i = 0; i < X; i++) y[i] = start[i] + at[k] * h * dx[i];
    status = rate(c, t + at[k] * h, y, dx);
    for (int i = 0; i < X; i++) x[i] += weight[k] * h * dx[i];
  }
  return status;
}

/* V with the true masses. Only this function and the robot itself use them. */
static jn_status lyapunov(const study *c, double t, const double x[X], double *V) {
  double s[N], Y[N][P], M[N][N];
  jn_status status = regressor(c, t, x, s, Y);
  if (status == JN_OK) status = jn_mass_matrix(c->model, c->work, x + Q, M[0]);
  *V = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) *V += 0.5 * s[i] * M[i][k] * s[k];
  for (int p = 0; p < P; p++) *V += 0.5 * (x[HAT + p] - c->pi[p]) * (x[HAT + p] - c->pi[p]) / GAMMA[p % 10];
  return status;
}

typedef struct record {
  double last;      /* largest |e| of the last period */
  double imbalance; /* largest |V(t) + integral of s^T K s - V(0)| / V(0) */
  double growth;    /* largest rise of V within a step, by V(0) */
} record;

/* Starts at rest beside the path, and prints a line every period. */
static jn_status simulate(const study *c, double h, int print, record *r) {
  const int steps = (int)(DURATION / h + 0.5), period = (int)(PERIOD / h + 0.5);
  double x[X] = {0}, v[N], a[N], first = 0, before = INFINITY, V, worst = 0;
  desired(0, x + Q, v, a);
  for (int i = 0; i < N; i++) x[Q + i] += OFFSET;
  memcpy(x + HAT, c->hat0, sizeof c->hat0);
  *r = (record){0};
  if (print) printf("  t [s]   |e| [rad]  largest of the period     V [J]  V + lost - V(0) [J]\n");
  for (int i = 0; i <= steps; i++) {
    jn_status status = lyapunov(c, i * h, x, &V);
    if (status != JN_OK) return status;
    if (i == 0) first = V;
    worst = fmax(worst, error_at(i * h, x));
    r->imbalance = fmax(r->imbalance, fabs(V + x[LOST] - first) / first);
    r->growth = fmax(r->growth, (V - before) / first);
    before = V;
    if (i % period == 0) {
      if (print)
        printf("  %5.1f  %10.3e  %21.3e  %8.5f  %+19.1e\n", i * h, error_at(i * h, x), worst, V, V + x[LOST] - first);
      r->last = worst;
      worst = 0;
    }
    status = step(c, i * h, h, x);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

/* splitmix64 in [0, 1) */
static double uniform(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static int run(study *c, uint64_t seed) {
  record fixed, coarse, fine;
  jn_status status = jn_parameters(c->model, c->pi);
  for (int p = 0; p < P; p++) c->hat0[p] = c->pi[p] * (0.7 + 0.6 * uniform(&seed));
  printf("without adaptation\n");
  if (status == JN_OK) status = simulate(c, STEP, 1, &fixed);
  c->adapts = 1;
  printf("with adaptation\n");
  if (status == JN_OK) status = simulate(c, 2 * STEP, 0, &coarse);
  if (status == JN_OK) status = simulate(c, STEP, 1, &fine);
  if (status != JN_OK) return fprintf(stderr, "%s\n", jn_status_text(status)), 1;
  printf("largest error of the last period: %.2e rad without, %.2e rad with adaptation, %.0f times less\n", fixed.last,
         fine.last, fixed.last / fine.last);
  printf("V + lost - V(0), relative: at most %.1e; with steps twice as long %.1e, %.0f times more\n", fine.imbalance,
         coarse.imbalance, coarse.imbalance / fine.imbalance);
  if (!(fine.last < 0.1 * fixed.last)) return fprintf(stderr, "the error does not converge\n"), 1;
  if (!(fine.growth < 1e-9)) return fprintf(stderr, "V rises\n"), 1;
  if (!(fine.imbalance < 1e-5 && coarse.imbalance > 4 * fine.imbalance))
    return fprintf(stderr, "V' is not -s^T K s to within the error of the integration\n"), 1;
  return 0;
}

int main(int argc, char **argv) {
  study c = {0};
  jn_error error;
  if (argc > 2) return fprintf(stderr, "usage: %s [SEED]\n", argv[0]), 2;
  if (jn_load("builtin:panda", NULL, &c.model, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  jn_status status = jn_work_create(c.model, &c.work);
  int failed = status != JN_OK || run(&c, argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
  jn_work_destroy(c.work);
  jn_model_destroy(c.model);
  return failed;
}
