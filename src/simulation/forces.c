/* SPDX-License-Identifier: BSD-2-Clause */
/* What acts on the system, at a state and as a series in time.
 * tau = constant + gravity compensation + user - losses; losses are damping v + friction v (v^2 + s^2)^(-1/2). */
#include <math.h>
#include <string.h>

#include "../dispatch/dispatch.h"
#include "../loops/constraints.h"
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
  memset(s->tau, 0, (size_t)s->nv * sizeof(double));
  if (o->force) status = o->force(o->context, t, 0, q, v, s->tau);
  for (int i = 0; i < s->nv && s->acting; i++) s->tau[i] += s->acting[i];
  if (status == JN_OK && o->gravity_compensation) {
    status = jn_gravity_forces(s->model, s->work, q, s->x);
    for (int i = 0; i < s->nv; i++) s->tau[i] += s->x[i];
  }
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
  jn_status status = jn__simulation_forces(s, t, q, v);
  s->report.evaluations++;
  for (int i = 0; i < s->nv; i++) acting[i] = s->tau[i] - s->loss[i];
  if (status == JN_OK && s->has_given) status = jn__simulation_given_motion(s, t, 0);
  if (status != JN_OK) return status;
  if (!s->loops && !s->has_given) return jn_forward_dynamics(s->model, s->work, q, v, acting, wrench, a);
  if (!s->loops)
    return jn_hybrid_dynamics(s->model, s->work, s->given, q, v, s->v_given + n, acting, wrench, a, s->reaction);
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

/* Order k of v (v^2 + s^2)^(-1/2), as a Taylor coefficient; needs the lower orders. w = p^(-1/2) has
 * k p_0 w_k = sum_j (-j/2 - (k - j)) p_j w_(k-j). */
static double friction_order(jn_simulator *s, int k, int i) {
  int n = s->nv;
  const double *v = s->series + i;
  double *p = s->square + i, *w = s->root + i, sum = 0, speed = s->options.friction_speed;
  for (int j = 0; j <= k; j++) sum += v[j * n] * v[(k - j) * n];
  p[k * n] = k ? sum : sum + speed * speed;
  sum = 0;
  for (int j = 1; j <= k; j++) sum -= (0.5 * j + (k - j)) * p[j * n] * w[(k - j) * n];
  w[k * n] = k ? sum / (k * p[0]) : 1 / sqrt(p[0]);
  sum = 0;
  for (int j = 0; j <= k; j++) sum += v[j * n] * w[(k - j) * n];
  return sum;
}

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
  double *tau = s->tau_jet + k * n, *loss = s->loss_jet + k * n, factorial = 1;
  for (int j = 2; j <= k; j++) factorial *= j;
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

static jn_status orders(jn_simulator *s, int from, int end, const double *v, double *tau_out) {
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
  double *wrenches = turns_wrenches(s) ? s->wrench_given : s->wrench_jet;
  jn_status status = o->wrench ? o->wrench(o->context, s->t, last, wrenches) : JN_OK;
  if (status == JN_OK && s->has_given) {
    status = jn__simulation_given_motion(s, s->t, last);
    memcpy(s->v_given, s->v, (size_t)n * sizeof(double));
    v = s->v_given;
  }
  memcpy(s->v_jet, s->v, (size_t)n * sizeof(double));
  s->report.evaluations++;
  double *tau_out = s->has_given ? s->reaction_jet : NULL;
  for (int k = 0; k <= last && status == JN_OK; k++) {
    status = force_order(s, k);
    if (status == JN_OK) status = wrench_order(s, k);
    if (status == JN_OK && feeds_back(s)) status = orders(s, k, k + 1, v, tau_out);
  }
  if (status == JN_OK && !feeds_back(s)) status = orders(s, 0, last + 1, v, tau_out);
  double factorial = 1;
  for (int k = 0; k <= s->order; k++) {
    if (k > 1) factorial *= k;
    for (int i = 0; i < n; i++) s->series[k * n + i] = s->v_jet[k * n + i] / factorial;
  }
  return status;
}
