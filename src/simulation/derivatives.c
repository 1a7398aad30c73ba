/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of one step of the Taylor series, order by order; the public functions of all methods.
 *
 * With D_kq = d tau^(k)/dq and D_kj = d tau^(k)/d v^(j) of inverse dynamics, the derivatives S_k of v^(k) by (q, v,
 * tau) at the start follow with one factorisation of M: M S_(k+1) = dtau^(k) - dloss^(k) - D_kq S_q - sum_(j<=k) D_kj
 * S_j and those of the motion from their series: q as the sum; a rotation or pose, whose change is T^-1 dT = xi, by
 *   (k+1) xi_(k+1) = S_k / k! - sum_j ad(v_j) xi_(k-j).
 * Derivatives by the inertial parameters are the same with the jet of the regressor, M S_(k+1) = -Y^(k) - ...
 * Rows of S are inputs (q, v, tau, parameters), columns are coordinates. */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "jounce/derivatives.h"
#include "jounce/lie.h"
#include "jounce/regressor.h"
#include "variation.h"

/* dloss of order k [nv] for one input: damping S_k, and the slope of friction, s^2 friction (v^2 + s^2)^(-3/2), as a
 * series times that of S. Taylor coefficients; S: rows of one input, `stride` apart. */
static void add_loss(const jn_simulator *s, int k, const double *S, size_t stride, double sign, double *out) {
  int n = s->nv;
  for (int i = 0; i < n; i++) {
    out[i] += sign * s->damping[i] * S[(size_t)k * stride + (size_t)i];
    for (int j = 0; j <= k && s->friction[i] != 0; j++)
      out[i] += sign * s->slope[j * n + i] * S[(size_t)(k - j) * stride + (size_t)i];
  }
}

/* s->slope: order k of friction s^2 w^3, w the root of forces.c. */
static void find_slopes(jn_simulator *s) {
  int n = s->nv;
  double speed = s->options.friction_speed;
  for (int i = 0; i < n; i++) {
    if (s->friction[i] == 0) continue;
    for (int k = 0; k < s->order; k++) {
      double sum = 0;
      for (int a = 0; a <= k; a++)
        for (int b = 0; a + b <= k; b++) sum += s->root[a * n + i] * s->root[b * n + i] * s->root[(k - a - b) * n + i];
      s->slope[k * n + i] = s->friction[i] * speed * speed * sum;
    }
  }
}

/* x [nv] = the right side of order k for input `row`, over k!: dtau^(k) - dloss^(k) - D_kq S_q - sum D_kj S_j - Y^(k).
 */
static void right_side(const jn_simulator *s, int k, int row, double *x) {
  const step_variation *w = s->variation;
  int n = s->nv, last = s->order - 1, np = w->parameters;
  size_t square = (size_t)n * (size_t)n, stride = (size_t)w->inputs * (size_t)n;
  const double *D = s->jet_derivatives + (size_t)k * (size_t)(last + 3) * square, *S = s->sensitivity + row * n;
  double factorial = jn__factorial(k);
  memset(x, 0, (size_t)n * sizeof *x);
  if (k == 0 && row >= 2 * n && row < 3 * n) x[row - 2 * n] = 1;
  for (int i = 0; i < n && row < n; i++) x[i] -= D[i * n + row] / factorial;
  for (int i = 0; i < n && row >= 3 * n; i++) x[i] -= w->node[(k * n + i) * np + row - 3 * n] / factorial;
  for (int j = 0; j <= k; j++) {
    const double *Dj = D + (size_t)(1 + j) * square, *Sj = S + (size_t)j * stride;
    double inner = jn__factorial(j);
    for (int i = 0; i < n; i++)
      for (int c = 0; c < n; c++) x[i] -= inner / factorial * Dj[i * n + c] * Sj[c];
  }
  add_loss(s, k, S, stride, -1, x);
}

/* The series S of all inputs, Taylor coefficients [order+1][inputs][nv], from the derivatives D of inverse dynamics and
 * the regressor's jet. What is given does not change with forces: then da/dtau of hybrid dynamics solves. */
static jn_status solve_orders(jn_simulator *s) {
  const step_variation *w = s->variation;
  int n = s->nv, last = s->order - 1, N = w->inputs;
  size_t stride = (size_t)N * (size_t)n;
  double *S = s->sensitivity, *x = w->end.alpha;
  jn_status status = s->has_given ? jn__simulation_jacobians(s, s->t0, s->q0, s->v0, s->z)
                                  : jn_mass_factor(s->model, s->work, s->q0, s->factor);
  memset(S, 0, (size_t)(s->order + 1) * stride * sizeof *S);
  for (int i = 0; i < n; i++) S[n * n + i * n + i] = 1; /* dv/dv */
  for (int k = 0; k <= last && status == JN_OK; k++) {
    for (int row = 0; row < N && status == JN_OK; row++) {
      double *next = S + (size_t)(k + 1) * stride + (size_t)(row * n);
      right_side(s, k, row, x);
      if (s->has_given)
        jn__add_product(n, n, 1, 1, s->dtau, x, next);
      else
        status = jn_mass_solve(s->model, s->work, s->factor, x, next);
      for (int i = 0; i < n; i++) next[i] /= k + 1;
    }
  }
  return status;
}

/* The change of a rotation or pose at the end of the step, for input `row`. */
static void group_change(jn_simulator *s, const group_joint *g, int row, double h, double *out) {
  int n = s->nv, m = g->is_free ? 6 : 3;
  size_t stride = (size_t)s->variation->inputs * (size_t)n;
  double *xi = s->quaternions, power = 1; /* [order+2 x 6] */
  memset(xi, 0, 6 * (size_t)(s->order + 2) * sizeof *xi);
  if (row >= g->iv && row < g->iv + m) xi[row - g->iv] = 1;
  for (int k = 0; k <= s->order; k++) {
    const double *S = s->sensitivity + (size_t)k * stride + (size_t)(row * n + g->iv);
    double *next = xi + 6 * (k + 1);
    memcpy(next, S, (size_t)m * sizeof *next);
    for (int j = 0; j <= k; j++) {
      double V[6] = {0}, bracket[6];
      memcpy(V, s->series + j * n + g->iv, (size_t)m * sizeof *V);
      jn_twist_bracket(V, xi + 6 * (k - j), bracket);
      for (int c = 0; c < m; c++) next[c] -= bracket[c];
    }
    for (int c = 0; c < m; c++) next[c] /= k + 1;
  }
  memset(out, 0, (size_t)m * sizeof *out);
  for (int k = 0; k <= s->order + 1; k++, power *= h)
    for (int c = 0; c < m; c++) out[c] += power * xi[6 * k + c];
}

/* Column `row` of the Jacobian, into dq and dv [nv]. */
static void end_change(jn_simulator *s, int row, double h, double *dq, double *dv) {
  int n = s->nv;
  size_t stride = (size_t)s->variation->inputs * (size_t)n;
  for (int i = 0; i < n; i++) {
    double sum_q = 0, sum_v = 0;
    for (int k = s->order; k >= 0; k--) {
      double x = s->sensitivity[(size_t)k * stride + (size_t)(row * n + i)];
      sum_q = sum_q * h + x / (k + 1);
      sum_v = sum_v * h + x;
    }
    dq[i] = sum_q * h + (row == i);
    dv[i] = sum_v;
  }
  for (int g = 0; g < s->groups; g++) group_change(s, &s->group[g], row, h, dq + s->group[g].iv);
}

static jn_status vary_series(jn_simulator *s) {
  step_variation *w = s->variation;
  int n = s->nv, N = w->inputs;
  const double *wrench = s->options.wrench ? s->wrench_jet : NULL;
  jn_status status =
      jn_inverse_dynamics_jet_derivatives(s->model, s->work, s->order - 1, s->q0, s->v_jet, wrench, s->jet_derivatives);
  if (status == JN_OK && w->parameters)
    status = jn_regressor_jet(s->model, s->work, s->order - 1, s->q0, s->v_jet, w->node);
  find_slopes(s);
  if (status == JN_OK) status = solve_orders(s);
  for (int row = 0; row < N && status == JN_OK; row++) {
    end_change(s, row, s->step, s->y, s->z);
    for (int i = 0; i < n; i++) {
      w->X[i * N + row] = s->y[i];
      w->X[(n + i) * N + row] = s->z[i];
    }
  }
  return status;
}

/* ---- all methods ---- */

static jn_status check_step(const jn_simulator *s, int level) {
  if (s->options.derivatives < level) return JN_ERR_UNSUPPORTED;
  return s->step == 0 || s->happened != JN_NOTHING || s->step < s->length ? JN_ERR_SIZE : JN_OK;
}

static jn_status vary(jn_simulator *s) {
  const jn_simulation_options *o = &s->options;
  int feeds_back = (o->force && !o->force_of_time) || o->gravity_compensation;
  if (o->integrator == JN_RODAS) return jn__vary_rodas(s);
  if (o->integrator != JN_TAYLOR) return jn__vary_stages(s);
  return s->loops || feeds_back ? jn__vary_flow(s) : vary_series(s);
}

/* Columns from `first` on of the result. */
static void copy_columns(const jn_simulator *s, int first, int count, double *to) {
  int N = s->variation->inputs;
  for (int i = 0; i < 2 * s->nv && to; i++)
    memcpy(to + (size_t)(i * count), s->variation->X + (size_t)(i * N + first), (size_t)count * sizeof *to);
}

jn_status jn_simulator_derivatives(jn_simulator *s, double *A, double *B) {
  if (!s) return JN_ERR_NULL;
  jn_status status = check_step(s, 1);
  if (status == JN_OK) status = vary(s);
  if (status != JN_OK) return status;
  copy_columns(s, 0, 2 * s->nv, A);
  copy_columns(s, 2 * s->nv, s->nv, B);
  return JN_OK;
}

jn_status jn_simulator_parameter_derivatives(jn_simulator *s, double *P) {
  if (!s || !P) return JN_ERR_NULL;
  jn_status status = check_step(s, 2);
  if (status == JN_OK) status = vary(s);
  if (status == JN_OK) copy_columns(s, 3 * s->nv, 10 * s->nlink, P);
  return status;
}

/* The products of lambda with columns that are there. */
static void weigh_columns(const jn_simulator *s, const double *lambda, int first, int count, double *to) {
  int N = s->variation->inputs;
  for (int c = 0; c < count && to; c++) {
    to[c] = 0;
    for (int i = 0; i < 2 * s->nv; i++) to[c] += lambda[i] * s->variation->X[(size_t)(i * N + first + c)];
  }
}

jn_status jn_simulator_adjoint(jn_simulator *s, const double *lambda, double *df_dx, double *df_dtau, double *df_dpi) {
  if (!s || !lambda || !df_dx) return JN_ERR_NULL;
  jn_status status = check_step(s, df_dpi ? 2 : 1);
  if (status != JN_OK) return status;
  if (s->options.integrator != JN_TAYLOR && s->options.integrator != JN_RODAS)
    return jn__vary_adjoint(s, lambda, df_dx, df_dtau, df_dpi);
  status = vary(s);
  if (status != JN_OK) return status;
  weigh_columns(s, lambda, 0, 2 * s->nv, df_dx);
  weigh_columns(s, lambda, 2 * s->nv, s->nv, df_dtau);
  weigh_columns(s, lambda, 3 * s->nv, 10 * s->nlink, df_dpi);
  return JN_OK;
}

jn_status jn_simulator_second_derivatives(jn_simulator *s, const double *lambda, double *H) {
  if (!s || !lambda || !H) return JN_ERR_NULL;
  const jn_simulation_options *o = &s->options;
  jn_status status = check_step(s, 3);
  if (status != JN_OK) return status;
  if (s->loops || o->integrator == JN_TAYLOR || o->integrator == JN_RODAS || (o->force && !o->force_of_time))
    return jn__vary_twice_by_differences(s, lambda, H);
  status = jn__vary_stages(s);
  if (status == JN_OK) status = jn__vary_back(s, lambda, s->variation->E2, NULL, NULL);
  return status == JN_OK ? jn__vary_twice(s, lambda, H) : status;
}
