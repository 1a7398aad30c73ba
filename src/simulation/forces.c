/* SPDX-License-Identifier: BSD-2-Clause */
/* What acts on the system, and the acceleration that follows: at a state, and as a series in time.
 *
 *   acting = tau - loss
 *   tau    = constant + gravity compensation g(q) + force function of the user
 *   loss   = damping v + friction v (v^2 + s^2)^(-1/2),   s: friction_speed of the options
 * Given coordinates have known accelerations; hybrid dynamics finds their forces, the reactions.
 *
 * As a series, forces that depend on the motion are known one order after the other: order k of the forces needs the
 * velocity to order k, and hybrid dynamics then gives order k + 1 of the velocity. */
#include <math.h>
#include <string.h>

#include "../dispatch/dispatch.h"
#include "../loops/constraints.h"
#include "../series/series.h"
#include "jounce/trajectory.h"
#include "simulation.h"

void jn__simulation_given(jn_simulator *s) {
  s->has_given = 0;
  for (int i = 0; i < s->nv; i++) {
    s->given[i] = (unsigned char)(s->prescribed[i] || s->held[i]);
    s->has_given |= s->given[i];
  }
}

/* Whether wrenches are given in the axes of the world, so that those in the axes of the links depend on the motion. */
static int turns_wrenches(const jn_simulator *s) {
  return s->options.wrench && s->options.wrench_axes == JN_IN_ALIGNED;
}

/* ---- at a state ---- */

jn_status jn__simulation_forces(jn_simulator *s, double t, const double *q, const double *v) {
  const jn_simulation_options *o = &s->options;
  jn_status status = JN_OK;

  /* tau */
  memset(s->tau, 0, (size_t)s->nv * sizeof(double));
  if (o->force) status = o->force(o->context, t, 0, q, v, s->tau);
  for (int i = 0; i < s->nv && s->acting; i++) s->tau[i] += s->acting[i];
  if (status == JN_OK && o->gravity_compensation) {
    status = jn_gravity_forces(s->model, s->work, q, s->x);
    for (int i = 0; i < s->nv; i++) s->tau[i] += s->x[i];
  }

  /* Wrenches and losses. */
  if (status == JN_OK && o->wrench) status = o->wrench(o->context, t, 0, s->wrench);
  if (status == JN_OK && turns_wrenches(s)) status = jn_wrenches_to_body_jet(s->model, s->work, 0, q, NULL, s->wrench);
  for (int i = 0; i < s->nv; i++) {
    double speed = o->friction_speed, sine = s->friction[i] != 0 ? v[i] / hypot(v[i], speed) : 0;
    s->loss[i] = s->damping[i] * v[i] + s->friction[i] * sine;
  }
  return status;
}

jn_status jn__simulation_given_motion(jn_simulator *s, double t, int order) {
  const jn_simulation_options *o = &s->options;
  size_t rows = (size_t)order + 2;
  memset(s->v_given, 0, rows * (size_t)s->nv * sizeof(double));
  jn_status status = o->motion ? o->motion(o->context, t, order, s->v_given) : JN_OK;
  for (size_t k = 0; k < rows * (size_t)s->nv; k++)
    if (!s->prescribed[k % (size_t)s->nv]) s->v_given[k] = 0; /* at a stop, too */
  return status;
}

jn_status jn__simulation_acceleration(jn_simulator *s, double t, const double *q, const double *v, double *a) {
  size_t n = (size_t)s->nv;
  const double *wrench = s->options.wrench ? s->wrench : NULL;
  double *acting = s->x;

  /* acting = tau - loss, and accelerations of given coordinates. */
  jn_status status = jn__simulation_forces(s, t, q, v);
  s->report.evaluations++;
  for (int i = 0; i < s->nv; i++) acting[i] = s->tau[i] - s->loss[i];
  if (status == JN_OK && s->has_given) status = jn__simulation_given_motion(s, t, 0);
  if (status != JN_OK) return status;

  /* A tree: forward or hybrid dynamics. */
  if (!s->loops && !s->has_given) return jn_forward_dynamics(s->model, s->work, q, v, acting, wrench, a);
  if (!s->loops)
    return jn_hybrid_dynamics(s->model, s->work, s->given, q, v, s->v_given + n, acting, wrench, a, s->reaction);

  /* With loops, likewise. */
  memcpy(s->v_given, v, n * sizeof(double));
  status = s->has_given ? jn_loops_hybrid_dynamics_jet(s->loops, 0, s->given, q, s->v_given, acting, wrench, s->y,
                                                       s->reaction, NULL)
                        : jn_loops_forward_dynamics_jet(s->loops, 0, q, v, acting, wrench, s->y, NULL);
  memcpy(a, s->y + n, n * sizeof(double));
  return status;
}

/* ---- the acceleration at the end of a step, with which the next one begins ---- */

static int asks_user(const jn_simulator *s) { return s->options.force || s->options.wrench || s->options.motion; }

void jn__simulation_keep_acceleration(jn_simulator *s) {
  size_t n = (size_t)s->nv;
  s->has_a = 1;
  memcpy(s->forces_of_a, s->tau, n * sizeof(double));
  memcpy(s->forces_of_a + n, s->v_given + n, n * sizeof(double));
  memcpy(s->forces_of_a + 2 * n, s->wrench, 6 * (size_t)s->nlink * sizeof(double));
}

jn_status jn__simulation_ask_again(jn_simulator *s) {
  size_t n = (size_t)s->nv;
  if (!s->has_a || !asks_user(s)) return JN_OK;

  /* Forces, wrenches and given accelerations at the state now. */
  jn_status status = jn__simulation_forces(s, s->t, s->q, s->v);
  if (status == JN_OK && s->has_given) status = jn__simulation_given_motion(s, s->t, 0);

  /* The acceleration is a function of them and of the state: it is kept if they are the same. */
  int is_same = memcmp(s->forces_of_a, s->tau, n * sizeof(double)) == 0 &&
                memcmp(s->forces_of_a + 2 * n, s->wrench, 6 * (size_t)s->nlink * sizeof(double)) == 0;
  if (s->has_given) is_same = is_same && memcmp(s->forces_of_a + n, s->v_given + n, n * sizeof(double)) == 0;
  s->has_a = is_same;
  return status;
}

jn_status jn__simulation_here(jn_simulator *s) {
  if (s->has_a) return JN_OK;
  jn_status status = jn__simulation_acceleration(s, s->t, s->q, s->v, s->a);
  for (int i = 0; i < s->nv && status == JN_OK; i++)
    if (!isfinite(s->a[i])) status = JN_ERR_STEP;
  if (status == JN_OK) jn__simulation_keep_acceleration(s);
  return status;
}

/* ---- as a series ---- */

/* Taylor coefficient k of v (v^2 + s^2)^(-1/2) of coordinate i; needs the lower orders. */
static double friction_order(jn_simulator *s, int k, int i) {
  return jn__series_friction(s->series + i, s->options.friction_speed, s->square + i, s->root + i, (size_t)s->nv, k);
}

/* Row k of the user's forces. Functions of time alone give all rows at the first call. */
static jn_status user_order(jn_simulator *s, int k) {
  const jn_simulation_options *o = &s->options;
  if (!o->force) return JN_OK;
  if (!o->force_of_time) return o->force(o->context, s->t, k, s->q, s->v_jet, s->user);
  return k == 0 ? o->force(o->context, s->t, s->order - 1, s->q, s->v_jet, s->user) : JN_OK;
}

/* Row k of forces and losses, from rows 0 ... k of s->v_jet. */
static jn_status force_order(jn_simulator *s, int k) {
  const jn_simulation_options *o = &s->options;
  int n = s->nv;
  double *tau = s->tau_jet + k * n, *loss = s->loss_jet + k * n, factorial = jn__factorial(k);
  for (int i = 0; i < n; i++) s->series[k * n + i] = s->v_jet[k * n + i] / factorial;
  jn_status status = user_order(s, k);
  if (status == JN_OK && o->gravity_compensation)
    status = jn_gravity_forces_jet(s->model, s->work, k, s->q, s->v_jet, s->gravity);
  for (int i = 0; i < n; i++) {
    tau[i] = s->acting && k == 0 ? s->acting[i] : 0;
    if (o->force) tau[i] += s->user[k * n + i];
    if (o->gravity_compensation) tau[i] += s->gravity[k * n + i];
    loss[i] = s->damping[i] * s->v_jet[k * n + i];
    if (s->friction[i] != 0) loss[i] += s->friction[i] * factorial * friction_order(s, k, i);
    s->tau_out[k * n + i] = tau[i] - loss[i]; /* what acts, for the dynamics */
  }
  return status;
}

/* Whether forces depend on the motion, so that they are known order by order only. */
static int feeds_back(const jn_simulator *s) {
  const jn_simulation_options *o = &s->options;
  return (o->force && !o->force_of_time) || o->gravity_compensation || o->losses || turns_wrenches(s);
}

/* Rows 0 ... k of the wrenches in the axes of the links, from rows 0 ... k - 1 of s->v_jet. */
static jn_status wrench_order(jn_simulator *s, int k) {
  if (!turns_wrenches(s)) return JN_OK;
  memcpy(s->wrench_jet, s->wrench_given, ((size_t)k + 1) * 6 * (size_t)s->nlink * sizeof(double));
  return jn_wrenches_to_body_jet(s->model, s->work, k, s->q, s->v_jet, s->wrench_jet);
}

/* Orders from ... end - 1 of hybrid dynamics: rows of s->v_jet, and tau_out of given coordinates. */
static jn_status dynamics_orders(jn_simulator *s, int from, int end, const double *v, double *tau_out) {
  const double *wrench = s->options.wrench ? s->wrench_jet : NULL;
  const unsigned char *given = s->has_given ? s->given : NULL;
  if (s->loops)
    return jn__loops_hybrid_orders(s->loops, s->order - 1, from, end, given, s->q, v, s->tau_out, wrench, s->v_jet,
                                   tau_out);
  return jn__hybrid_jet_orders(s->model, s->jet_work, s->order - 1, from, end, given, s->q, v, s->tau_out, wrench,
                               s->v_jet, tau_out);
}

jn_status jn__simulation_velocity_jet(jn_simulator *s) {
  const jn_simulation_options *o = &s->options;
  int last = s->order - 1, n = s->nv;
  const double *v = s->v;

  /* What is known in advance: wrenches, and the motion of given coordinates. */
  double *wrenches = turns_wrenches(s) ? s->wrench_given : s->wrench_jet;
  jn_status status = o->wrench ? o->wrench(o->context, s->t, last, wrenches) : JN_OK;
  if (status == JN_OK && s->has_given) {
    status = jn__simulation_given_motion(s, s->t, last);
    memcpy(s->v_given, s->v, (size_t)n * sizeof(double));
    v = s->v_given;
  }
  memcpy(s->v_jet, s->v, (size_t)n * sizeof(double));
  s->report.evaluations++;

  /* Order by order, if forces depend on the motion; otherwise all orders at once. */
  double *tau_out = s->has_given ? s->reaction_jet : NULL;
  for (int k = 0; k <= last && status == JN_OK; k++) {
    status = force_order(s, k);
    if (status == JN_OK) status = wrench_order(s, k);
    if (status == JN_OK && feeds_back(s)) status = dynamics_orders(s, k, k + 1, v, tau_out);
  }
  if (status == JN_OK && !feeds_back(s)) status = dynamics_orders(s, 0, last + 1, v, tau_out);
  jn__series_of_rows(s->order + 1, (size_t)n, s->v_jet, s->series);
  return status;
}
