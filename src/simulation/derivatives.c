/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of one step x+ = step(x, tau): of the Taylor series, order by order, and of semi-implicit Euler.
 *
 * With D_kq = d tau^(k)/dq and D_kj = d tau^(k)/d v^(j) of inverse dynamics, the derivatives S_k of v^(k) by (q, v,
 * tau) at the start follow with one factorisation of M: M S_(k+1) = dtau^(k) - dloss^(k) - D_kq S_q - sum_(j<=k) D_kj
 * S_j and those of the motion from their series: q as the sum; a rotation or pose, whose change is T^-1 dT = xi, by
 *   (k+1) xi_(k+1) = S_k / k! - sum_j ad(v_j) xi_(k-j).
 * Rows of all matrices here are inputs (q, v, tau: 3 nv), columns are coordinates. */
#include <math.h>
#include <string.h>

#include "jounce/derivatives.h"
#include "jounce/lie.h"
#include "simulation.h"

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

/* The series S of all inputs, Taylor coefficients [order+1][3 nv][nv], from the derivatives D of inverse dynamics. */
static jn_status solve_orders(jn_simulator *s) {
  int n = s->nv, last = s->order - 1;
  size_t square = (size_t)n * (size_t)n, stride = 3 * square;
  double *S = s->sensitivity, factorial = 1;
  jn_status status = jn_mass_factor(s->model, s->work, s->q0, s->factor);
  memset(S, 0, (size_t)(s->order + 1) * stride * sizeof *S);
  for (int i = 0; i < n; i++) S[square + (size_t)(i * n + i)] = 1; /* dv/dv */
  for (int k = 0; k <= last && status == JN_OK; k++) {
    const double *D = s->jet_derivatives + (size_t)k * (size_t)(last + 3) * square;
    if (k > 1) factorial *= k;
    for (int row = 0; row < 3 * n && status == JN_OK; row++) {
      double *x = s->x, inner = 1; /* inner: j! */
      memset(x, 0, (size_t)n * sizeof *x);
      if (k == 0 && row >= 2 * n) x[row - 2 * n] = 1;
      for (int i = 0; i < n && row < n; i++) x[i] -= D[i * n + row] / factorial;
      for (int j = 0; j <= k; j++) {
        const double *Dj = D + (size_t)(1 + j) * square, *Sj = S + (size_t)j * stride + (size_t)(row * n);
        if (j > 1) inner *= j;
        for (int i = 0; i < n; i++)
          for (int c = 0; c < n; c++) x[i] -= inner / factorial * Dj[i * n + c] * Sj[c];
      }
      add_loss(s, k, S + (size_t)(row * n), stride, -1, x);
      double *next = S + (size_t)(k + 1) * stride + (size_t)(row * n);
      status = jn_mass_solve(s->model, s->work, s->factor, x, next);
      for (int i = 0; i < n; i++) next[i] /= k + 1;
    }
  }
  return status;
}

/* The change of a rotation or pose at the end of the step, for input `row`. */
static void group_change(jn_simulator *s, const group_joint *g, int row, double h, double *out) {
  int n = s->nv, m = g->is_free ? 6 : 3;
  size_t stride = 3 * (size_t)n * (size_t)n;
  double *xi = s->room, power = 1; /* [order+2 x 6] */
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
  size_t stride = 3 * (size_t)n * (size_t)n;
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

static jn_status taylor_derivatives(jn_simulator *s, double *A, double *B) {
  int n = s->nv;
  const double *wrench = s->options.wrench ? s->wrench_jet : NULL;
  jn_status status =
      jn_inverse_dynamics_jet_derivatives(s->model, s->work, s->order - 1, s->q0, s->v_jet, wrench, s->jet_derivatives);
  find_slopes(s);
  if (status == JN_OK) status = solve_orders(s);
  for (int row = 0; row < 3 * n && status == JN_OK; row++) {
    double *to = row < 2 * n ? A : B;
    int width = row < 2 * n ? 2 * n : n, column = row < 2 * n ? row : row - 2 * n;
    end_change(s, row, s->step, s->y, s->z);
    for (int i = 0; i < n && to; i++) {
      to[i * width + column] = s->y[i];
      to[(n + i) * width + column] = s->z[i];
    }
  }
  return status;
}

/* ---- semi-implicit Euler ---- */

/* out [2nv x width], columns from `column` on: of v+ the matrix dv [nv x nv] itself, of q+ = q (+) h v+ by P h dv. */
static void put_block(const double *dv, const double *P, double h, int n, int width, int column, double *out) {
  for (int i = 0; i < n && out; i++)
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += P[i * n + j] * dv[j * n + k];
      out[i * width + column + k] = h * sum;
      out[(n + i) * width + column + k] = dv[i * n + k];
    }
}

/* v+ = v + h a(q, v, tau), q+ = q (+) h v+. */
static jn_status euler_derivatives(jn_simulator *s, double *A, double *B) {
  int n = s->nv;
  double h = s->step, now = s->t, *by_q = s->dforce, *by_u = s->matrix;
  s->t = s->t0;
  jn_status status = jn__simulation_jacobians(s);
  s->t = now;
  for (int k = 0; k < n * n; k++) {
    s->dq[k] *= h;
    s->dv[k] = h * s->dv[k] + (k % (n + 1) == 0);
    s->dtau[k] *= h;
  }
  for (int i = 0; i < n; i++) s->y[i] = h * s->v[i];
  if (status == JN_OK) status = jn_integrate_derivatives(s->model, s->work, s->q0, s->y, by_q, by_u);
  if (status != JN_OK) return status;
  put_block(s->dq, by_u, h, n, 2 * n, 0, A);
  put_block(s->dv, by_u, h, n, 2 * n, n, A);
  put_block(s->dtau, by_u, h, n, n, 0, B);
  for (int i = 0; i < n && A; i++)
    for (int k = 0; k < n; k++) A[i * 2 * n + k] += by_q[i * n + k];
  return JN_OK;
}

jn_status jn_simulator_derivatives(jn_simulator *s, double *A, double *B) {
  if (!s) return JN_ERR_NULL;
  const jn_simulation_options *o = &s->options;
  int is_taylor = o->integrator == JN_TAYLOR, feeds_back = (o->force && !o->force_of_time) || o->gravity_compensation;
  if (!o->derivatives || s->loops || s->has_given) return JN_ERR_UNSUPPORTED;
  if (is_taylor ? feeds_back : o->integrator != JN_SEMI_IMPLICIT_EULER) return JN_ERR_UNSUPPORTED;
  if (s->step == 0 || s->happened != JN_NOTHING) return JN_ERR_SIZE;
  return is_taylor ? taylor_derivatives(s, A, B) : euler_derivatives(s, A, B);
}
