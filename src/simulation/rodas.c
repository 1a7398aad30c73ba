/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of RODAS, and its derivatives. RODAS is a Rosenbrock method of order 4(3) with six stages, stiffly accurate
 * and L-stable (Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, sec. IV.7), for y = (u, v) in the
 * tangent space of the start of the step. Each stage solves
 *   (1 / (h gamma) - J) k_i = f(t + alpha_i h, y + sum_j a_ij k_j) + sum_j c_ij k_j / h + h gamma_i df/dt
 * with one matrix for all stages,
 *   J = df/dy = [-ad_v / 2, 1; da/dq, da/dv]
 * which is exact except for forces of the user: these are differentiated by differences. The last stage k_6 is also the
 * estimate of the error.
 *
 *   symbol      meaning                                           size
 *   k_i         stages; rows i of s->ku and s->kv                 2 nv
 *   rate_t      da/dt at constant state, by a difference          nv
 *   alpha, beta of a step_stage: k_i while the step is differentiated
 *   cku, ckv    derivatives of k_i by all inputs                  nv x inputs
 *   D           derivative of J along k_i                         nv x nv, three times, and nv x parameters */
#include <float.h>
#include <math.h>
#include <string.h>

#include "jounce/lie.h"
#include "variation.h"

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

/* rate_t [nv] = da/dt at constant state; zero unless something depends on time. */
static jn_status time_derivative(jn_simulator *s, double longest) {
  const jn_simulation_options *o = &s->options;
  memset(s->rate_t, 0, (size_t)s->nv * sizeof(double));
  if (!o->force && !o->wrench && !o->motion) return JN_OK;
  double e = s->time_shift = fmin(longest / 2, fmax(1e-7, 1e-7 * fabs(s->t)));
  jn_status status = jn__simulation_acceleration(s, s->t + e, s->q0, s->v0, s->rate_t);
  for (int i = 0; i < s->nv; i++) s->rate_t[i] = (s->rate_t[i] - s->a0[i]) / e;
  return status;
}

/* ---- equations ---- */

/* 1 / (h gamma) - J. */
static void set_matrix(jn_simulator *s, double h, const double *dq, const double *dv) {
  int n = s->nv, w = 2 * n;
  double *M = s->matrix;
  memset(M, 0, (size_t)(w * w) * sizeof *M);
  for (int i = 0; i < n; i++) {
    M[i * w + n + i] = -1;
    for (int j = 0; j < n; j++) {
      M[(n + i) * w + j] = -dq[i * n + j];
      M[(n + i) * w + n + j] = -dv[i * n + j];
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

  /* f there, with the terms of the stages before and of time. */
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

  /* The acceleration, its Jacobian and its rate where the step begins. */
  jn_status status = jn__simulation_first_stage(s);
  if (status == JN_OK) status = jn__simulation_jacobians(s, s->t, s->q0, s->v0, s->z);
  if (status == JN_OK) status = time_derivative(s, longest);
  if (s->next == 0 && status == JN_OK) s->next = jn__simulation_first_step(s, 4);
  while (status == JN_OK) {
    status = jn__simulation_length(s, s->next, longest, &h);
    if (status != JN_OK) break;

    /* Stages with one factorisation. */
    set_matrix(s, h, s->dq, s->dv);
    if (!factorize(s->matrix, 2 * n, s->pivot)) return JN_ERR_STEP;
    for (int i = 0; i < STAGES && status == JN_OK; i++) status = stage(s, h, i, u, v);

    /* The end is the place of the last stage plus the stage itself, which is also the error. */
    const double *eu = s->ku + 5 * n, *ev = s->kv + 5 * n, wanted = s->next;
    for (int c = 0; c < n; c++) {
      u[c] += eu[c];
      v[c] += ev[c];
    }
    if (status != JN_OK || !jn__simulation_accept(s, h, jn__simulation_share(s, eu, ev, v), 4)) continue;
    if (h < wanted) s->next = fmax(s->next, wanted);
    return jn__simulation_end_cubic(s, h, u, v);
  }
  return status;
}

/* ---- derivatives of the step ---- */

static int is_timed(const jn_simulator *s) { return s->options.force || s->options.wrench || s->options.motion; }

/* D = the derivative of (by_q, by_v, by_tau, by_pi) at the start along (ku, kv), by differences of these: their fourth
 * order leaves 1e-12. Friction changes within friction_speed, so differences stay well within that. */
static jn_status along_stage(jn_simulator *s, const double *ku, const double *kv, double *D) {
  step_variation *x = s->variation;
  int n = s->nv, np = x->parameters, square = n * n;
  double size = 1e-300, most = 0, *q = x->end.q, *v = x->end.v;
  for (int i = 0; i < n; i++) size = fmax(size, fmax(fabs(ku[i]), fabs(kv[i]) / fmax(1, fabs(s->v0[i]))));
  for (int i = 0; i < n; i++)
    if (s->friction[i] != 0) most = fmax(most, fabs(kv[i]) / size);
  double e = 2e-3 / size;
  if (most > 0) e = fmin(e, 0.02 * s->options.friction_speed / most / size);
  memset(D, 0, (size_t)(3 * square + n * np) * sizeof *D);
  jn_status status = JN_OK;
  for (int k = -2; k <= 2 && status == JN_OK; k++) {
    double weight = (k == 0 ? 0 : k * k == 1 ? 8.0 : -1.0) * (k < 0 ? -1 : 1) / (12 * e);
    if (k == 0) continue;
    for (int i = 0; i < n; i++) {
      s->column[i] = k * e * ku[i];
      v[i] = s->v0[i] + k * e * kv[i];
    }
    status = jn_integrate(s->model, s->work, s->q0, s->column, q);
    if (status == JN_OK) status = jn__simulation_jacobians(s, s->t0, q, v, x->end.a);
    for (int c = 0; c < square; c++) {
      D[c] += weight * s->dq[c];
      D[square + c] += weight * s->dv[c];
      D[2 * square + c] += weight * s->dtau[c];
    }
    if (!np || status != JN_OK) continue;
    status = jn__vary_parameters(s, q, v, x->end.a, s->dtau, x->by_pi);
    for (int c = 0; c < n * np; c++) D[3 * square + c] += weight * x->by_pi[c];
  }
  return status;
}

/* (right side)_i += (change of J) k_i, for D along k_i: d_h d_k a = d_k d_h a + the derivative along [e_h, k]. */
static void add_changed_jacobian(jn_simulator *s, const double *D, const double *ku, double *top, double *bottom) {
  step_variation *x = s->variation;
  int n = s->nv, N = x->inputs, np = x->parameters;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3 * n; k++) bottom[i * N + k] += D[k / n * n * n + i * n + k % n];
    for (int k = 0; k < np; k++) bottom[i * N + 3 * n + k] += D[3 * n * n + i * np + k];
  }
  for (int g = 0; g < s->groups; g++) {
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    for (int h = 0; h < m; h++) {
      double e[6] = {0}, k[6] = {0}, turned[6];
      e[h] = 1;
      memcpy(k, ku + iv, (size_t)m * sizeof *k);
      jn_twist_bracket(e, k, turned);
      for (int j = 0; j < m; j++) {
        top[(iv + j) * N + n + iv + h] -= turned[j] / 2; /* of -ad_v / 2 */
        for (int i = 0; i < n; i++) bottom[i * N + iv + h] += x->stage[0].by_q[i * n + iv + j] * turned[j];
      }
    }
  }
}

/* The place of stage i, with its changes. */
static jn_status place_stage(jn_simulator *s, int i) {
  step_variation *x = s->variation;
  step_stage *at = &x->stage[i];
  int n = s->nv, N = x->inputs;
  memset(at->u, 0, (size_t)n * sizeof(double));
  memcpy(at->v, s->v0, (size_t)n * sizeof(double));
  memset(at->cu, 0, (size_t)(n * N) * sizeof(double));
  memset(at->cv, 0, (size_t)(n * N) * sizeof(double));
  for (int r = 0; r < n; r++) at->cv[r * N + n + r] = 1;
  for (int j = 0; j < i; j++) {
    for (int r = 0; r < n; r++) {
      at->u[r] += A[i][j] * x->stage[j].alpha[r];
      at->v[r] += A[i][j] * x->stage[j].beta[r];
    }
    for (int e = 0; e < n * N; e++) {
      at->cu[e] += A[i][j] * x->stage[j].cku[e];
      at->cv[e] += A[i][j] * x->stage[j].ckv[e];
    }
  }
  jn__group_maps(s, at->u, at->v, &at->maps);
  return jn_integrate(s->model, s->work, s->q0, at->u, at->q);
}

/* Rates f [2 nv] of stage i in s->column, and their changes in cku, ckv. */
static jn_status rates(jn_simulator *s, double h, int i) {
  step_variation *x = s->variation;
  step_stage *at = &x->stage[i];
  int n = s->nv, N = x->inputs, np = x->parameters;
  size_t square = (size_t)n * (size_t)n * sizeof(double);
  jn_status status = jn__simulation_jacobians(s, s->t0 + alpha[i] * h, at->q, at->v, at->a);
  memcpy(at->by_q, s->dq, square);
  memcpy(at->by_v, s->dv, square);
  memcpy(at->by_tau, s->dtau, square);
  if (status == JN_OK && np) status = jn__vary_parameters(s, at->q, at->v, at->a, at->by_tau, x->by_pi);
  jn__simulation_tangent_rate(s, at->u, at->v, s->column);
  memcpy(s->column + n, at->a, (size_t)n * sizeof(double));
  jn__vary_columns(s, at);
  for (int r = 0; r < n; r++)
    for (int k = 0; k < np; k++) at->ckv[r * N + 3 * n + k] += x->by_pi[r * np + k];
  return status;
}

/* The change of h gamma_i da/dt. */
static jn_status add_time(jn_simulator *s, double h, int i, const double *first_pi) {
  step_variation *x = s->variation;
  step_stage *at = &x->stage[i];
  int n = s->nv, N = x->inputs, np = x->parameters;
  double f = h * gamma_t[i] / s->time_shift;
  if (!is_timed(s) || f == 0) return JN_OK;
  jn_status status = jn__simulation_jacobians(s, s->t0 + s->time_shift, s->q0, s->v0, x->end.a);
  if (status == JN_OK && np) status = jn__vary_parameters(s, s->q0, s->v0, x->end.a, s->dtau, x->by_pi);
  const double *now[3] = {s->dq, s->dv, s->dtau}, *then[3] = {x->stage[0].by_q, x->stage[0].by_v, x->stage[0].by_tau};
  for (int r = 0; r < n; r++) {
    for (int k = 0; k < 3 * n; k++) at->ckv[r * N + k] += f * (now[k / n][r * n + k % n] - then[k / n][r * n + k % n]);
    for (int k = 0; k < np; k++) at->ckv[r * N + 3 * n + k] += f * (x->by_pi[r * np + k] - first_pi[r * np + k]);
  }
  return status;
}

/* k_i, in alpha and beta of the stage, and its changes. */
static jn_status solve_stage(jn_simulator *s, double h, int i) {
  step_variation *x = s->variation;
  step_stage *at = &x->stage[i];
  int n = s->nv, N = x->inputs;
  double *D = x->node, *first_pi = D + 3 * n * n + n * x->parameters, *y = s->column;

  /* The right side: f, with the terms of the stages before and of time; and its changes. */
  jn_status status = place_stage(s, i);
  if (status == JN_OK) status = rates(s, h, i);
  if (i == 0 && x->parameters) memcpy(first_pi, x->by_pi, (size_t)(n * x->parameters) * sizeof *first_pi);
  for (int j = 0; j < i; j++) {
    for (int r = 0; r < n; r++) {
      y[r] += C[i][j] / h * x->stage[j].alpha[r];
      y[n + r] += C[i][j] / h * x->stage[j].beta[r];
    }
    for (int e = 0; e < n * N; e++) {
      at->cku[e] += C[i][j] / h * x->stage[j].cku[e];
      at->ckv[e] += C[i][j] / h * x->stage[j].ckv[e];
    }
  }
  for (int r = 0; r < n; r++) y[n + r] += h * gamma_t[i] * s->rate_t[r];

  /* k_i, by the matrix of the first stage. */
  if (status == JN_OK) {
    if (i == 0) set_matrix(s, h, at->by_q, at->by_v);
    if (i == 0 && !factorize(s->matrix, 2 * n, s->pivot)) return JN_ERR_STEP;
    substitute(s->matrix, 2 * n, s->pivot, y);
    memcpy(at->alpha, y, (size_t)n * sizeof *y);
    memcpy(at->beta, y + n, (size_t)n * sizeof *y);
    status = add_time(s, h, i, first_pi);
  }

  /* The matrix changes too: (1 / (h gamma) - J) dk = d(right side) + dJ k. */
  if (status == JN_OK) status = along_stage(s, at->alpha, at->beta, D);
  if (status != JN_OK) return status;
  add_changed_jacobian(s, D, at->alpha, at->cku, at->ckv);
  for (int c = 0; c < N; c++) {
    for (int r = 0; r < n; r++) {
      y[r] = at->cku[r * N + c];
      y[n + r] = at->ckv[r * N + c];
    }
    substitute(s->matrix, 2 * n, s->pivot, y);
    for (int r = 0; r < n; r++) {
      at->cku[r * N + c] = y[r];
      at->ckv[r * N + c] = y[n + r];
    }
  }
  return JN_OK;
}

jn_status jn__vary_rodas(jn_simulator *s) {
  step_variation *x = s->variation;
  int n = s->nv, N = x->inputs;
  jn_status status = JN_OK;
  for (int i = 0; i < STAGES && status == JN_OK; i++) status = solve_stage(s, s->length, i);
  if (status != JN_OK) return status;
  const step_stage *last = &x->stage[STAGES - 1];
  for (int r = 0; r < n; r++) {
    x->end.u[r] = last->u[r] + last->alpha[r];
    x->end.v[r] = last->v[r] + last->beta[r];
  }
  for (int e = 0; e < n * N; e++) {
    x->end.cu[e] = last->cu[e] + last->cku[e];
    x->X[n * N + e] = last->cv[e] + last->ckv[e];
  }
  return jn__vary_finish(s);
}
