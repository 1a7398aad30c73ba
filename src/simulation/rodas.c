/* SPDX-License-Identifier: BSD-2-Clause */
/* RODAS, a Rosenbrock method of order 4(3) with six stages, stiffly accurate and L-stable (Hairer and Wanner, Solving
 * Ordinary Differential Equations II, 1996, sec. IV.7), on y = (u, v) in the tangent space of the step's start, with
 *   J = [-ad_v / 2, 1; da/dq, da/dv]
 * exact but for forces of the user, which are differentiated by differences. Each stage solves
 *   (1 / (h gamma) - J) k_i = f(t + alpha_i h, y + sum_j a_ij k_j) + sum_j c_ij k_j / h + h gamma_i df/dt. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "jounce/derivatives.h"
#include "jounce/lie.h"
#include "simulation.h"

enum { STAGES = 6 };

static const double gamma_0 = 0.25;
static const double alpha[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double gamma_t[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double A[STAGES][STAGES] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};
static const double C[STAGES][STAGES] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
};

/* ---- derivatives of the forces ---- */

/* dforce [nv x nv] += d(user's force)/d(q or v), by central differences: only its value is known. */
static jn_status user_derivative(jn_simulator *s, int by_v) {
  const jn_simulation_options *o = &s->options;
  int n = s->nv;
  jn_status status = JN_OK;
  for (int c = 0; c < n && status == JN_OK; c++) {
    double e = 6e-6 * fmax(1, by_v ? fabs(s->v0[c]) : 1);
    for (int side = -1; side <= 1 && status == JN_OK; side += 2) {
      memset(s->y, 0, (size_t)n * sizeof(double));
      s->y[c] = side * e;
      memcpy(s->vy, s->v0, (size_t)n * sizeof(double));
      if (by_v) s->vy[c] += s->y[c];
      if (by_v) s->y[c] = 0;
      status = jn_integrate(s->model, s->work, s->q0, s->y, s->qy);
      memset(s->x, 0, (size_t)n * sizeof(double));
      if (status == JN_OK) status = o->force(o->context, s->t, 0, s->qy, s->vy, s->x);
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

/* s->dq, dv, dtau: of the accelerations, for forces that are held. */
static jn_status dynamics_derivatives(jn_simulator *s) {
  const double *wrench = s->options.wrench ? s->wrench : NULL;
  for (int i = 0; i < s->nv; i++) s->x[i] = s->tau[i] - s->loss[i];
  if (s->loops) {
    jn_loops_derivatives out = {.da_dq = s->dq, .da_dv = s->dv, .da_dgiven = s->dtau};
    if (s->has_given) return JN_ERR_UNSUPPORTED;
    return jn_loops_forward_dynamics_derivatives(s->loops, s->q0, s->v0, s->x, wrench, JN_IN_BODY, s->y, s->lambda,
                                                 &out);
  }
  if (!s->has_given)
    return jn_forward_dynamics_derivatives(s->model, s->work, s->q0, s->v0, s->x, wrench, JN_IN_BODY, s->y, s->dq,
                                           s->dv, s->dtau, NULL);
  double *unused = s->matrix; /* of forces of given coordinates; the matrix is made later */
  int n = s->nv;
  jn_hybrid_derivatives out = {.a = s->y, .tau = s->reaction, .da_dq = s->dq, .dtau_dq = unused, .da_dv = s->dv};
  out.dtau_dv = unused + n * n;
  out.da_dgiven = s->dtau;
  out.dtau_dgiven = unused + 2 * n * n;
  return jn_hybrid_dynamics_derivatives(s->model, s->work, s->given, s->q0, s->v0, s->v_given + n, s->x, wrench,
                                        JN_IN_BODY, &out);
}

jn_status jn__simulation_jacobians(jn_simulator *s) {
  const jn_simulation_options *o = &s->options;
  int n = s->nv, feeds_back = o->force && !o->force_of_time;
  size_t square = (size_t)n * (size_t)n * sizeof(double);
  jn_status status = jn__simulation_acceleration(s, s->t, s->q0, s->v0, s->z); /* forces and given motion */
  if (status == JN_OK) status = dynamics_derivatives(s);
  for (int i = 0; i < n && s->has_given; i++) /* what is given does not change with the forces */
    for (int j = 0; j < n; j++)
      if (s->given[i] || s->given[j]) s->dtau[i * n + j] = 0;
  if (status == JN_OK && o->gravity_compensation)
    status = jn_gravity_forces_derivative(s->model, s->work, s->q0, s->dforce);
  else
    memset(s->dforce, 0, square);
  if (status == JN_OK && feeds_back) status = user_derivative(s, 0);
  through_forces(s, s->dq);
  memset(s->dforce, 0, square);
  if (status == JN_OK && feeds_back) status = user_derivative(s, 1);
  for (int i = 0; i < n; i++) {
    double speed = o->friction_speed, r = hypot(s->v0[i], speed);
    double slope = s->friction[i] != 0 ? s->friction[i] * speed / r * (speed / r) / r : 0;
    s->dforce[i * n + i] -= s->damping[i] + slope;
  }
  through_forces(s, s->dv);
  return status;
}

/* rate_t [nv] = da/dt with the state held; zero unless something depends on time. */
static jn_status time_derivative(jn_simulator *s, double longest) {
  const jn_simulation_options *o = &s->options;
  memset(s->rate_t, 0, (size_t)s->nv * sizeof(double));
  if (!o->force && !o->wrench && !o->motion) return JN_OK;
  double e = fmin(longest / 2, fmax(1e-7, 1e-7 * fabs(s->t)));
  jn_status status = jn__simulation_acceleration(s, s->t + e, s->q0, s->v0, s->rate_t);
  for (int i = 0; i < s->nv; i++) s->rate_t[i] = (s->rate_t[i] - s->a0[i]) / e;
  return status;
}

/* ---- equations ---- */

/* 1 / (h gamma) - J. */
static void set_matrix(jn_simulator *s, double h) {
  int n = s->nv, w = 2 * n;
  double *M = s->matrix;
  memset(M, 0, (size_t)(w * w) * sizeof *M);
  for (int i = 0; i < n; i++) {
    M[i * w + n + i] = -1;
    for (int j = 0; j < n; j++) {
      M[(n + i) * w + j] = -s->dq[i * n + j];
      M[(n + i) * w + n + j] = -s->dv[i * n + j];
    }
  }
  for (int g = 0; g < s->groups; g++) { /* u' = v + [u, v] / 2 + ... */
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    double V[6] = {0}, ad[36];
    memcpy(V, s->v0 + iv, (size_t)m * sizeof *V);
    jn_bracket_matrix(V, ad);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) M[(iv + i) * w + iv + j] += ad[6 * i + j] / 2;
  }
  for (int i = 0; i < w; i++) M[i * w + i] += 1 / (h * gamma_0);
}

/* LU with pivots by rows; 0: singular. */
static int factorize(double *M, int w, int *pivot) {
  for (int k = 0; k < w; k++) {
    int best = k;
    for (int i = k + 1; i < w; i++)
      if (fabs(M[i * w + k]) > fabs(M[best * w + k])) best = i;
    pivot[k] = best;
    if (!(fabs(M[best * w + k]) > 0)) return 0;
    for (int j = 0; j < w && best != k; j++) {
      double x = M[k * w + j];
      M[k * w + j] = M[best * w + j];
      M[best * w + j] = x;
    }
    for (int i = k + 1; i < w; i++) {
      double f = M[i * w + k] /= M[k * w + k];
      for (int j = k + 1; j < w && f != 0; j++) M[i * w + j] -= f * M[k * w + j];
    }
  }
  return 1;
}

static void substitute(const double *M, int w, const int *pivot, double *x) {
  for (int k = 0; k < w; k++) {
    double swap = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = swap;
  }
  for (int i = 0; i < w; i++)
    for (int j = 0; j < i; j++) x[i] -= M[i * w + j] * x[j];
  for (int i = w - 1; i >= 0; i--) {
    for (int j = i + 1; j < w; j++) x[i] -= M[i * w + j] * x[j];
    x[i] /= M[i * w + i];
  }
}

/* ---- the step ---- */

/* k_i, in rows i of ku and kv; u and v of the stage are left in u, v. */
static jn_status stage(jn_simulator *s, double h, int i, double *u, double *v) {
  int n = s->nv;
  double *x = s->column;
  for (int c = 0; c < n; c++) {
    u[c] = 0;
    v[c] = s->v0[c];
    for (int j = 0; j < i; j++) {
      u[c] += A[i][j] * s->ku[j * n + c];
      v[c] += A[i][j] * s->kv[j * n + c];
    }
  }
  jn_status status = jn_integrate(s->model, s->work, s->q0, u, s->qy);
  if (status == JN_OK) status = jn__simulation_acceleration(s, s->t + alpha[i] * h, s->qy, v, x + n);
  jn__simulation_tangent_rate(s, u, v, x);
  for (int c = 0; c < n; c++) {
    x[n + c] += h * gamma_t[i] * s->rate_t[c];
    for (int j = 0; j < i; j++) {
      x[c] += C[i][j] / h * s->ku[j * n + c];
      x[n + c] += C[i][j] / h * s->kv[j * n + c];
    }
  }
  substitute(s->matrix, 2 * n, s->pivot, x);
  memcpy(s->ku + i * n, x, (size_t)n * sizeof *x);
  memcpy(s->kv + i * n, x + n, (size_t)n * sizeof *x);
  return status;
}

jn_status jn__simulation_rodas(jn_simulator *s, double longest) {
  int n = s->nv;
  double h, *u = s->ku + 7 * n, *v = s->kv + 7 * n;
  jn_status status = jn__simulation_first_stage(s);
  if (status == JN_OK) status = jn__simulation_jacobians(s);
  if (status == JN_OK) status = time_derivative(s, longest);
  if (s->next == 0 && status == JN_OK) s->next = jn__simulation_first_step(s, 4);
  while (status == JN_OK) {
    status = jn__simulation_length(s, s->next, longest, &h);
    if (status != JN_OK) break;
    set_matrix(s, h);
    if (!factorize(s->matrix, 2 * n, s->pivot)) return JN_ERR_STEP;
    for (int i = 0; i < STAGES && status == JN_OK; i++) status = stage(s, h, i, u, v);
    const double *eu = s->ku + 5 * n, *ev = s->kv + 5 * n, wanted = s->next;
    for (int c = 0; c < n; c++) { /* the last stage, on top of the one before, is the error too */
      u[c] += eu[c];
      v[c] += ev[c];
    }
    if (status != JN_OK || !jn__simulation_accept(s, h, jn__simulation_share(s, eu, ev, v), 4)) continue;
    if (h < wanted) s->next = fmax(s->next, wanted);
    return jn__simulation_end_cubic(s, h, u, v);
  }
  return status;
}
