/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of the acceleration at a state, with all forces that depend on it:
 *   da/dq = (da/dq at constant forces) + da/dtau dforce/dq
 *   da/dv = (da/dv at constant forces) + da/dtau dforce/dv
 * Forces that depend on the state are gravity compensation, losses, and a function of the user. Of the last, only
 * values are known: it is differentiated by central differences.
 *
 *   symbol          meaning                                         size      unit
 *   dq, dv, dtau    derivatives of the acceleration                 nv x nv   1/s^2, 1/s, 1/(kg m^2), ...
 *   dforce          derivatives of the forces by q, then by v       nv x nv   N m, N m s, ... */
#include <math.h>
#include <string.h>

#include "jounce/derivatives.h"
#include "simulation.h"

/* dforce [nv x nv] += d(user's force)/d(q or v), by central differences: only its value is known. */
static jn_status user_derivative(jn_simulator *s, double t, const double *q, const double *v, int by_v) {
  const jn_simulation_options *o = &s->options;
  int n = s->nv;
  jn_status status = JN_OK;
  for (int c = 0; c < n && status == JN_OK; c++) {
    double e = 6e-6 * fmax(1, by_v ? fabs(v[c]) : 1);
    for (int side = -1; side <= 1 && status == JN_OK; side += 2) {
      memset(s->y, 0, (size_t)n * sizeof(double));
      s->y[c] = side * e;
      memcpy(s->vy, v, (size_t)n * sizeof(double));
      if (by_v) s->vy[c] += s->y[c];
      if (by_v) s->y[c] = 0;
      status = jn_integrate(s->model, s->work, q, s->y, s->qy);
      memset(s->x, 0, (size_t)n * sizeof(double));
      if (status == JN_OK) status = o->force(o->context, t, 0, s->qy, s->vy, s->x);
      for (int i = 0; i < n; i++) s->dforce[i * n + c] += side * s->x[i] / (2 * e);
    }
  }
  return status;
}

/* da/dx += da/dtau dforce */
static void through_forces(const jn_simulator *s, double *da) {
  int n = s->nv;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) da[i * n + k] += s->dtau[i * n + j] * s->dforce[j * n + k];
}

/* s->dq, dv, dtau: derivatives of the acceleration a at constant forces, with loops. */
static jn_status loops_derivatives(jn_simulator *s, const double *q, const double *v, double *a) {
  const double *wrench = s->options.wrench ? s->wrench : NULL;
  const jn_loops_derivatives out = {.da_dq = s->dq, .da_dv = s->dv, .da_dgiven = s->dtau};
  size_t n = (size_t)s->nv;
  if (!s->has_given)
    return jn_loops_forward_dynamics_derivatives(s->loops, q, v, s->x, wrench, s->options.wrench_axes, a, s->lambda,
                                                 &out);
  memcpy(s->v_given, v, n * sizeof(double));
  jn_status status =
      jn_loops_hybrid_dynamics_jet(s->loops, 0, s->given, q, s->v_given, s->x, wrench, s->y, s->reaction, s->lambda);
  memcpy(a, s->y + n, n * sizeof(double));
  return status == JN_OK ? jn_loops_dynamics_derivatives(s->loops, s->given, q, v, a, s->lambda, wrench,
                                                         s->options.wrench_axes, &out)
                         : status;
}

static jn_status dynamics_derivatives(jn_simulator *s, const double *q, const double *v, double *a) {
  const double *wrench = s->options.wrench ? s->wrench : NULL;
  for (int i = 0; i < s->nv; i++) s->x[i] = s->tau[i] - s->loss[i];
  if (s->loops) return loops_derivatives(s, q, v, a);
  if (!s->has_given)
    return jn_forward_dynamics_derivatives(s->model, s->work, q, v, s->x, wrench, s->options.wrench_axes, a, s->dq,
                                           s->dv, s->dtau, NULL);
  double *unused = s->unused; /* of forces of given coordinates */
  int n = s->nv;
  jn_hybrid_derivatives out = {.a = a, .tau = s->reaction, .da_dq = s->dq, .dtau_dq = unused, .da_dv = s->dv};
  out.dtau_dv = unused + n * n;
  out.da_dgiven = s->dtau;
  out.dtau_dgiven = unused + 2 * n * n;
  return jn_hybrid_dynamics_derivatives(s->model, s->work, s->given, q, v, s->v_given + n, s->x, wrench,
                                        s->options.wrench_axes, &out);
}

jn_status jn__simulation_jacobians(jn_simulator *s, double t, const double *q, const double *v, double *a) {
  const jn_simulation_options *o = &s->options;
  int n = s->nv, feeds_back = o->force && !o->force_of_time;
  size_t square = (size_t)n * (size_t)n * sizeof(double);

  /* At constant forces. What is given does not change with them. */
  jn_status status = jn__simulation_forces(s, t, q, v);
  if (status == JN_OK && s->has_given) status = jn__simulation_given_motion(s, t, 0);
  if (status == JN_OK) status = dynamics_derivatives(s, q, v, a);
  for (int i = 0; i < n && s->has_given; i++)
    for (int j = 0; j < n; j++)
      if (s->given[i] || s->given[j]) s->dtau[i * n + j] = 0;

  /* Forces that depend on q. */
  if (status == JN_OK && o->gravity_compensation)
    status = jn_gravity_forces_derivative(s->model, s->work, q, s->dforce);
  else
    memset(s->dforce, 0, square);
  if (status == JN_OK && feeds_back) status = user_derivative(s, t, q, v, 0);
  through_forces(s, s->dq);

  /* Forces that depend on v: d(v / r)/dv = s^2 / r^3, r = sqrt(v^2 + s^2). */
  memset(s->dforce, 0, square);
  if (status == JN_OK && feeds_back) status = user_derivative(s, t, q, v, 1);
  for (int i = 0; i < n; i++) {
    double speed = o->friction_speed, r = hypot(v[i], speed);
    double slope = s->friction[i] != 0 ? s->friction[i] * speed / r * (speed / r) / r : 0;
    s->dforce[i * n + i] -= s->damping[i] + slope;
  }
  through_forces(s, s->dv);
  return status;
}
