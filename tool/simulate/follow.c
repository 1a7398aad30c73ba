/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce simulate --motion: computed torque, for trees and for models with loops, losses included. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "simulate.h"

enum { MOST_ROWS = JN_TRAJECTORY_MAX_ORDER + 1 }; /* of the jets of computed torque */

/* ---- Trees ---- */

/* Rows 0 ... order of a = a_d + kd (v_d - v) + kp (q_d - q) in cmd [(order + 1) x nv], along the motion v_jet. */
static jn_status command(acting_forces *f, double t, int order, const double *q, const double *v_jet, double *cmd) {
  int n = f->nv;
  double *jet = f->room, *away = cmd; /* jet: [(order + 2) x nv] of the trajectory */
  jn_status status = jn_trajectory_evaluate(f->motion, t, order, f->q, jet);
  if (status == JN_OK) status = jn_difference(f->model, f->work, q, f->q, away);
  for (int k = order; k >= 0; k--)
    for (int i = 0; i < n; i++) {
      double gap = k > 0 ? jet[(k - 1) * n + i] - v_jet[(k - 1) * n + i] : away[i];
      cmd[k * n + i] = jet[(k + 1) * n + i] + f->kd * (jet[k * n + i] - v_jet[k * n + i]) + f->kp * gap;
    }
  return status;
}

/* force [nv] += derivative `order` of the springs: they are linear in q. */
static jn_status add_springs(acting_forces *f, int order, const double *q, const double *v_jet, double *room,
                             double *force) {
  int n = f->nv;
  double *here = room, *there = room + n;
  jn_status status = jn_spring_forces(f->model, q, here);
  if (order > 0 && status == JN_OK) status = jn_integrate(f->model, f->work, q, v_jet + (order - 1) * n, f->q);
  if (order > 0 && status == JN_OK) status = jn_spring_forces(f->model, f->q, there);
  for (int i = 0; i < n; i++) force[i] += order > 0 ? there[i] - here[i] : here[i];
  return status;
}

/* Derivative k of v / sqrt(v^2 + s^2) along the derivatives v[0], v[stride], ... of v: Taylor coefficients of p = v^2 +
 * s^2 and w = p^(-1/2), by k p_0 w_k = sum_j (-j / 2 - (k - j)) p_j w_(k-j), and of their product with v. */
static double friction_derivative(int k, const double *v, int stride, double speed) {
  double coefficient[MOST_ROWS], p[MOST_ROWS], w[MOST_ROWS], factorial = 1, sum = 0;

  for (int i = 0; i <= k; i++) {
    if (i > 0) factorial *= i;
    coefficient[i] = v[i * stride] / factorial;
  }

  for (int i = 0; i <= k; i++) {
    p[i] = i == 0 ? speed * speed : 0;
    for (int j = 0; j <= i; j++) p[i] += coefficient[j] * coefficient[i - j];
    w[i] = i == 0 ? 1 / sqrt(p[0]) : 0;
    for (int j = 1; j <= i; j++) w[i] += (-0.5 * j - (i - j)) * p[j] * w[i - j] / (i * p[0]);
  }

  for (int j = 0; j <= k; j++) sum += coefficient[j] * w[k - j];
  return factorial * sum;
}

/* force [nv] += derivative `order` of damping and friction, as the simulator has them; nothing without --losses. */
static void add_losses(const acting_forces *f, int order, const double *v_jet, double *force) {
  for (int i = 0; i < f->nv && f->damping; i++) {
    force[i] += f->damping[i] * v_jet[order * f->nv + i];
    if (f->friction[i] != 0)
      force[i] += f->friction[i] * friction_derivative(order, v_jet + i, f->nv, f->friction_speed);
  }
}

/* Computed torque: inverse dynamics of that acceleration, M a + C v + g + springs + losses. Derivative k is, by
 * Leibniz' rule, sum_j binomial(k, j) (M^(k-j) a^(j) + C^(k-j) v^(j)) + g^(k) + ... along the motion, so that Taylor
 * series keep their order. */
jn_status follow_torque(void *context, double t, int order, const double *q, const double *v_jet, double *tau) {
  acting_forces *f = context;
  int n = f->nv, square = n * n;
  double *cmd = f->room + (MOST_ROWS + 1) * n;
  if (order > JN_TRAJECTORY_MAX_ORDER) return JN_ERR_SIZE;
  jn_status status = command(f, t, order, q, v_jet, cmd);
  if (order == 0 && status == JN_OK) status = jn_inverse_dynamics(f->model, f->work, q, v_jet, cmd, NULL, tau);
  if (order == 0) {
    if (status == JN_OK) add_losses(f, 0, v_jet, tau);
    return status;
  }
  double *along = cmd + MOST_ROWS * n, *g = along + (MOST_ROWS + 1) * n, *M = g + MOST_ROWS * n;
  double *C = M + MOST_ROWS * square, *out = tau + order * n, binomial = 1;
  memcpy(along, v_jet, (size_t)((order + 1) * n) * sizeof *along);
  memset(along + (order + 1) * n, 0, (size_t)n * sizeof *along); /* not known yet, and not needed */
  if (status == JN_OK) status = jn_mass_matrix_jet(f->model, f->work, order, q, along, M);
  if (status == JN_OK) status = jn_coriolis_matrix_jet(f->model, f->work, order, q, along, C);
  if (status == JN_OK) status = jn_gravity_forces_jet(f->model, f->work, order, q, along, g);
  memcpy(out, g + order * n, (size_t)n * sizeof *out);
  for (int j = 0; j <= order; j++) {
    const double *Mj = M + (order - j) * square, *Cj = C + (order - j) * square;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        out[i] += binomial * (Mj[i * n + k] * cmd[j * n + k] + Cj[i * n + k] * v_jet[j * n + k]);
    binomial = binomial * (order - j) / (j + 1);
  }
  if (status == JN_OK) status = add_springs(f, order, q, v_jet, g, out);
  if (status == JN_OK) add_losses(f, order, v_jet, out);
  return status;
}

/* ---- Models with loops ---- */

/* The joints that move independently follow as those of trees do; the others follow from them. At the state that they
 * determine, with loops closed, tau are the forces of the motors that make these accelerations. */
jn_status follow_closed_torque(void *context, double t, int order, const double *q, const double *v_jet, double *tau) {
  acting_forces *f = context;
  motion *m = f->closed;
  int n = f->nv;
  double *v = f->room, *a = v + n, *away = a + n, *loss = away + n, *passive = loss + n;
  if (order > 0) return JN_ERR_SIZE;

  /* Where it should be, and where it is. */
  jn_status status = motion_path(m, t, 0, m->q, m->v_jet);
  memcpy(f->q, q, (size_t)m->nq * sizeof *q);
  if (status == JN_OK) status = jn_loops_assemble(m->loops, m->held, 0, f->q, NULL);
  if (status == JN_OK) status = jn_difference(f->model, f->work, f->q, m->q, away);
  if (status != JN_OK) return status;

  /* a = a_d + kd (v_d - v) + kp (q_d - q) of the independent ones, and what the loops make of it. */
  for (int i = 0; i < n; i++) {
    v[i] = v_jet[i];
    a[i] = m->held[i] ? m->v_jet[n + i] + f->kd * (m->v_jet[i] - v[i]) + f->kp * away[i] : 0;
  }
  status = jn_loops_complete_motion(m->loops, 0, m->held, f->q, v);
  if (status != JN_OK) return status;

  /* Losses act on passive joints; motors overcome their own. */
  memset(loss, 0, (size_t)n * sizeof *loss);
  add_losses(f, 0, v, loss);
  for (int i = 0; i < n; i++) passive[i] = m->actuated[i] ? 0 : -loss[i];
  status =
      jn_loops_inverse_dynamics_jet(m->loops, 0, m->actuated, JN_LEAST_TORQUE, NULL, f->q, v, passive, NULL, tau, NULL);
  for (int i = 0; i < n; i++) tau[i] = m->actuated[i] ? tau[i] + loss[i] : 0;
  return status;
}

/* ---- Both ---- */

size_t follow_room(int nv) {
  size_t n = (size_t)nv;
  return n * (5 * MOST_ROWS + 3 + 2 * MOST_ROWS * n);
}

/* Damping and friction of each coordinate. */
static void find_losses(acting_forces *f) {
  size_t n = (size_t)f->nv;
  f->damping = allocate(2 * n * sizeof *f->damping);
  f->friction = f->damping + n;
  jn_loss_coefficients(f->model, f->damping, f->friction);
}

int follow_init(acting_forces *f, const simulate_arg *arg) {
  jn_simulation_options defaults;
  jn_simulation_options_init(&defaults);
  f->friction_speed = arg->friction_speed.count ? arg->friction_speed.values[0] : defaults.friction_speed;
  if (arg->losses) find_losses(f);
  if (jn_loop_count(f->model) == 0) return OPTION_GO_ON;

  /* Which joints are independent and where motors are, as jounce torque finds them. */
  torque_arg as_torque = {.command = "simulate", .trajectory = arg->trajectory, .actuated = arg->actuated};
  f->closed = allocate(sizeof *f->closed);
  int result = motion_init_trajectory(f->closed, &as_torque, f->model, 0, f->motion);
  if (result != OPTION_GO_ON) return result;
  jn_status status = motion_path(f->closed, 0, 0, f->closed->q, f->closed->v_jet);
  if (status == JN_OK) return OPTION_GO_ON;
  motion_tell(f->closed, status);
  return EXIT_BAD;
}

jn_status follow_desired(acting_forces *f, double t, double *q, double *v_jet) {
  if (f->closed) return motion_path(f->closed, t, 0, q, v_jet);
  return jn_trajectory_evaluate(f->motion, t, 0, q, v_jet);
}
