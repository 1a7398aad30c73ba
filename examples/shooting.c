/* SPDX-License-Identifier: BSD-2-Clause */
/* Swings a double pendulum up: 40 torques, each for 0.025 s, that bring it from hanging to upright at rest. The
 * gradient of the cost by all torques comes from one pass back through the steps (jn_rollout_adjoint), which keeps a
 * few states on the way forward and repeats the others on the way back. L-BFGS does the rest. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NV = 2, X = 2 * NV, STEPS = 40, U = NV * STEPS, KEPT = 6, MEMORY = 10, ROUNDS = 400 };

static const double h = 0.025, effort = 1e-3, target[X] = {3.14159265358979323846, 0, 0, 0};

typedef struct problem {
  jn_simulator *simulator;
  double q[NV], v[NV];         /* the start */
  double kept[KEPT * (X + 1)]; /* room of checkpoints */
  double end[X];
} problem;

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < U; i++) sum += a[i] * b[i];
  return sum;
}

/* Half of the squared distance of the last state to the target. */
static jn_status miss(void *context, long k, const double *q, const double *v, double *value, double *df_dx) {
  double *end = context;
  if (k < STEPS) return JN_OK;
  for (int i = 0; i < X; i++) {
    end[i] = i < NV ? q[i] : v[i - NV];
    df_dx[i] = end[i] - target[i];
    *value += df_dx[i] * df_dx[i] / 2;
  }
  return JN_OK;
}

/* Half of effort |u|^2 h and of the distance to the target; g: its gradient, NULL: not wanted. */
static double cost(problem *p, const double *u, double *g) {
  double by_start[X], value = 0, unused[X] = {0};
  jn_rollout r;
  jn_rollout_init(&r);
  r.steps = STEPS;
  r.step = h;
  r.q = p->q;
  r.v = p->v;
  r.tau = u;
  r.checkpoints = KEPT;
  r.room = p->kept;
  const jn_rollout_gradient gradient = {.cost = miss, .context = p->end, .df_dx = by_start, .df_dtau = g};
  jn_status status =
      g ? jn_rollout_adjoint(p->simulator, &r, &gradient) : jn_rollout_forward(p->simulator, &r, 0, NULL);
  if (status != JN_OK) return INFINITY; /* torques that throw it out of all bounds */
  if (!g) {
    double q[NV], v[NV];
    jn_simulator_get(p->simulator, NULL, q, v);
    miss(p->end, STEPS, q, v, &value, unused);
  }
  for (int i = 0; i < U && g; i++) g[i] += effort * h * u[i];
  return effort * h / 2 * dot(u, u) + (g ? r.cost : value);
}

/* The direction -H g of L-BFGS (Nocedal and Wright 2006, algorithm 7.4). */
static void direction(int count, double s[][U], double y[][U], const double *g, double *d) {
  double alpha[MEMORY];
  int first = count > MEMORY ? count - MEMORY : 0;
  for (int i = 0; i < U; i++) d[i] = -g[i];
  for (int k = count - 1; k >= first; k--) {
    int m = k % MEMORY;
    alpha[m] = dot(s[m], d) / dot(s[m], y[m]);
    for (int i = 0; i < U; i++) d[i] -= alpha[m] * y[m][i];
  }
  int last = (count - 1) % MEMORY;
  double scale = count ? dot(s[last], y[last]) / dot(y[last], y[last]) : 1 / sqrt(dot(g, g));
  for (int i = 0; i < U; i++) d[i] *= scale;
  for (int k = first; k < count; k++) {
    int m = k % MEMORY;
    double beta = dot(y[m], d) / dot(s[m], y[m]);
    for (int i = 0; i < U; i++) d[i] += (alpha[m] - beta) * s[m][i];
  }
}

static double optimise(problem *p, double *u, int *rounds) {
  static double s[MEMORY][U], y[MEMORY][U], g[U], next_g[U], d[U], next[U];
  double value = cost(p, u, g);
  int count = 0;
  for (*rounds = 0; *rounds < ROUNDS && dot(g, g) > 1e-12; ++*rounds) {
    direction(count, s, y, g, d);
    double length = 1, slope = dot(g, d), found = INFINITY;
    for (; length > 1e-10; length /= 2) {
      for (int i = 0; i < U; i++) next[i] = u[i] + length * d[i];
      found = cost(p, next, NULL);
      if (found <= value + 1e-4 * length * slope) break;
    }
    value = cost(p, next, next_g);
    int m = count % MEMORY;
    for (int i = 0; i < U; i++) {
      s[m][i] = next[i] - u[i];
      y[m][i] = next_g[i] - g[i];
    }
    if (dot(s[m], y[m]) > 1e-12) count++;
    memcpy(u, next, sizeof next);
    memcpy(g, next_g, sizeof g);
  }
  return value;
}

/* The gradient against a central difference along one direction. */
static int gradient_is_right(problem *p, const double *u) {
  static double g[U], up[U], down[U], d[U];
  for (int i = 0; i < U; i++) {
    d[i] = sin(1.0 + i);
    up[i] = u[i] + 1e-4 * d[i];
    down[i] = u[i] - 1e-4 * d[i];
  }
  cost(p, u, g);
  double exact = dot(g, d), difference = (cost(p, up, NULL) - cost(p, down, NULL)) / 2e-4;
  printf("gradient along one direction: %.9f, by differences %.9f\n", exact, difference);
  return fabs(exact - difference) < 1e-5 * fmax(1, fabs(exact));
}

int main(void) {
  jn_model *model;
  problem p = {.simulator = NULL};
  jn_simulation_options options;
  static double u[U];
  if (jn_load("builtin:double_pendulum", NULL, &model, NULL) != JN_OK) return 1;
  jn_simulation_options_init(&options);
  options.order = 8;
  options.derivatives = 1;
  if (jn_simulator_create(model, &options, &p.simulator) != JN_OK) return 1;
  for (int i = 0; i < U; i++) u[i] = i % NV ? 1 : 6; /* a first push */
  int right = gradient_is_right(&p, u), rounds;
  double value = optimise(&p, u, &rounds), off = 0, most = 0;
  for (int i = 0; i < X; i++) off = fmax(off, fabs(p.end[i] - target[i]));
  for (int i = 0; i < U; i++) most = fmax(most, fabs(u[i]));
  printf("cost %.6f after %d rounds: upright to %.1e, torques up to %.1f N m\n", value, rounds, off, most);
  jn_simulator_destroy(p.simulator);
  jn_model_destroy(model);
  return right && off < 0.05 ? 0 : 1;
}
