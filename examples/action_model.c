/* SPDX-License-Identifier: BSD-2-Clause */
/* An action model as Crocoddyl and aligator want it: calc() gives the next state and the cost, calcDiff() their
 * derivatives; and differential dynamic programming with it. The arm with two joints reaches a posture against gravity.
 * Derivatives of the step are in the tangent space (jn_simulator_derivatives()), as these libraries have them, so the
 * same code serves robots with a free base. */
#include <jounce/jounce.h>
#include <stdio.h>

#include "riccati.h"

enum { NQ = 2, NV = 2, NX = 2 * NV, NU = NV, STEPS = 40, ITERATIONS = 50 };

/* ---- the model ---- */

typedef struct action_model {
  const jn_model *robot;
  jn_simulator *simulator;
  jn_work *work;
  double step, effort_weight, goal[NQ];
  double state_weight; /* of the distance from the goal, at rest */
} action_model;

/* What calc() and calcDiff() write, as the "data" of these libraries. */
typedef struct action_data {
  double q[NQ], v[NV], cost;                                                   /* next state, cost */
  double Fx[NX * NX], Fu[NX * NU], Lx[NX], Lu[NU], Lxx[NX * NX], Luu[NU * NU]; /* derivatives of both */
} action_data;

/* r = (q (-) goal, v), and its derivative by q for the tangent space. */
static jn_status residual(const action_model *m, const double *q, const double *v, double *r, double *dr_dq) {
  jn_status status = jn_difference(m->robot, m->work, m->goal, q, r);
  if (status == JN_OK && dr_dq) status = jn_difference_derivatives(m->robot, m->work, m->goal, q, NULL, dr_dq);
  for (int i = 0; i < NV; i++) r[NV + i] = v[i];
  return status;
}

static jn_status calc(action_model *m, action_data *d, const double *q, const double *v, const double *u) {
  double r[NX];
  jn_rollout one;
  jn_rollout_init(&one);
  one.steps = 1, one.step = m->step, one.q = q, one.v = v, one.tau = u;
  jn_status status = jn_rollout_forward(m->simulator, &one, 0, NULL);
  if (status == JN_OK) status = jn_simulator_get(m->simulator, NULL, d->q, d->v);
  if (status == JN_OK) status = residual(m, q, v, r, NULL);
  d->cost = 0;
  for (int i = 0; i < NX; i++) d->cost += m->step * m->state_weight / 2 * r[i] * r[i];
  for (int i = 0; i < NU; i++) d->cost += m->step * m->effort_weight / 2 * u[i] * u[i];
  return status;
}

/* Of the step that calc() took last, with the same arguments. */
static jn_status calcDiff(action_model *m, action_data *d, const double *q, const double *v, const double *u) {
  double r[NX], D[NV * NV], w = m->step * m->state_weight;
  jn_status status = jn_simulator_derivatives(m->simulator, d->Fx, d->Fu);
  if (status == JN_OK) status = residual(m, q, v, r, D);
  memset(d->Lx, 0, sizeof d->Lx);
  memset(d->Lxx, 0, sizeof d->Lxx);
  memset(d->Luu, 0, sizeof d->Luu);
  for (int i = 0; i < NV; i++) {
    d->Lx[NV + i] = w * r[NV + i];
    d->Lxx[(NV + i) * NX + NV + i] = w;
    for (int k = 0; k < NV; k++) {
      d->Lx[k] += w * D[i * NV + k] * r[i];
      for (int j = 0; j < NV; j++) d->Lxx[k * NX + j] += w * D[i * NV + k] * D[i * NV + j]; /* Gauss-Newton */
    }
  }
  for (int i = 0; i < NU; i++) {
    d->Lu[i] = m->step * m->effort_weight * u[i];
    d->Luu[i * NU + i] = m->step * m->effort_weight;
  }
  return status;
}

/* ---- a solver ---- */

typedef struct plan {
  double q[STEPS + 1][NQ], v[STEPS + 1][NV], u[STEPS][NU], cost;
} plan;

/* The plan with feedback; the last state costs as much as the others, times 100. */
static jn_status roll_out(action_model *m, const plan *p, const feedback *f, double alpha, plan *next) {
  action_data d;
  double dx[NX], r[NX];
  memcpy(next->q[0], p->q[0], sizeof p->q[0]);
  memcpy(next->v[0], p->v[0], sizeof p->v[0]);
  next->cost = 0;
  jn_status status = JN_OK;
  for (int k = 0; k < STEPS && status == JN_OK; k++) {
    status = jn_difference(m->robot, m->work, p->q[k], next->q[k], dx);
    for (int i = 0; i < NV; i++) dx[NV + i] = next->v[k][i] - p->v[k][i];
    for (int i = 0; i < NU; i++) {
      next->u[k][i] = p->u[k][i] + alpha * f[k].k[i];
      for (int j = 0; j < NX; j++) next->u[k][i] += f[k].K[i * NX + j] * dx[j];
    }
    if (status == JN_OK) status = calc(m, &d, next->q[k], next->v[k], next->u[k]);
    memcpy(next->q[k + 1], d.q, sizeof d.q);
    memcpy(next->v[k + 1], d.v, sizeof d.v);
    next->cost += d.cost;
  }
  if (status == JN_OK) status = residual(m, next->q[STEPS], next->v[STEPS], r, NULL);
  for (int i = 0; i < NX; i++) next->cost += 50 * m->state_weight * r[i] * r[i];
  return status;
}

/* One backward sweep; 0 if it fails. */
static int sweep(action_model *m, const plan *p, feedback *f) {
  value_function V = {{0}, {0}};
  double r[NX], D[NV * NV], w = 100 * m->state_weight;
  if (residual(m, p->q[STEPS], p->v[STEPS], r, D) != JN_OK) return 0;
  for (int i = 0; i < NV; i++) {
    V.s[NV + i] = w * r[NV + i];
    V.S[(NV + i) * NX + NV + i] = w;
    for (int k = 0; k < NV; k++) {
      V.s[k] += w * D[i * NV + k] * r[i];
      for (int j = 0; j < NV; j++) V.S[k * NX + j] += w * D[i * NV + k] * D[i * NV + j];
    }
  }
  for (int k = STEPS - 1; k >= 0; k--) {
    action_data d;
    node a = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    if (calc(m, &d, p->q[k], p->v[k], p->u[k]) != JN_OK || calcDiff(m, &d, p->q[k], p->v[k], p->u[k]) != JN_OK)
      return 0;
    memcpy(a.A, d.Fx, sizeof d.Fx);
    memcpy(a.B, d.Fu, sizeof d.Fu);
    memcpy(a.Q, d.Lxx, sizeof d.Lxx);
    memcpy(a.R, d.Luu, sizeof d.Luu);
    memcpy(a.q, d.Lx, sizeof d.Lx);
    memcpy(a.r, d.Lu, sizeof d.Lu);
    if (!step_back(NX, NU, &a, 1e-9, &V, &f[k])) return 0;
  }
  return 1;
}

int main(void) {
  static plan p, next;
  static feedback f[STEPS];
  action_model m = {.step = 0.02, .effort_weight = 1e-3, .state_weight = 1, .goal = {2.0, -1.0}};
  jn_simulation_options options;
  jn_model *robot;
  jn_error error;
  if (jn_load("builtin:double_pendulum", NULL, &robot, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  jn_simulation_options_init(&options);
  options.integrator = JN_SEMI_IMPLICIT_EULER;
  options.step = m.step;
  options.derivatives = 1;
  m.robot = robot;
  if (jn_work_create(robot, &m.work) != JN_OK || jn_simulator_create(robot, &options, &m.simulator) != JN_OK) return 1;
  int count = 0, good = roll_out(&m, &p, f, 0, &next) == JN_OK;
  p = next;
  for (double gain = 1; good && count < ITERATIONS && gain > 1e-12 * p.cost; count++) {
    good = sweep(&m, &p, f);
    gain = 0;
    for (double alpha = 1; good && alpha > 1e-4 && gain == 0; alpha /= 2)
      if (roll_out(&m, &p, f, alpha, &next) == JN_OK && next.cost < p.cost) {
        gain = p.cost - next.cost;
        p = next;
      }
  }
  double distance = 0;
  for (int i = 0; i < NQ; i++) distance = fmax(distance, fabs(p.q[STEPS][i] - m.goal[i]));
  printf("reached to %.3f rad in %d iterations, cost %.4f\n", distance, count, p.cost);
  jn_simulator_destroy(m.simulator);
  jn_work_destroy(m.work);
  jn_model_destroy(robot);
  return good && distance < 0.05 ? 0 : 1;
}
