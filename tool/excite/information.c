/* SPDX-License-Identifier: BSD-2-Clause */
/* The information of a motion about the base parameters, M = mean of Yb^T W Yb, the criterion for it, penalties beyond
 * limits, and their exact gradient: in each joint angle, Y is a trigonometric polynomial of degree two (the inertia of
 * what a joint carries turns as R J R^T), so its derivative is a sum over four angles; in a slide it is a polynomial of
 * degree two, as it is in the velocities, and it is linear in the accelerations: differences are exact for these. Those
 * of effort rates are jn_inverse_dynamics_jet_derivatives(). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "excite.h"

static const double stiffness = 300; /* of the penalties, next to the criterion */

/* ---- Information ---- */

static double sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

/* Yb [nb] of row i at sample r. */
static void base_row(const excitation *x, int r, int i, double *row) {
  size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
  int width = 10 * x->links;
  const double *Y = x->Y + at * (size_t)width;
  const double motor[4] = {x->a[at], x->v[at], sign_of(x->v[at]), 1};
  for (int b = 0; b < x->nb; b++) {
    int c = x->column[b] - width;
    row[b] = c < 0 ? Y[x->column[b]] : c % x->nv == i ? motor[c / x->nv] : 0;
  }
}

static void information(excitation *x) {
  size_t nb = (size_t)x->nb;
  double most = 0;
  memset(x->M, 0, nb * nb * sizeof *x->M);
  for (int r = 0; r < x->samples; r++)
    for (int i = 0; i < x->nv; i++) {
      double *row = x->Yb + ((size_t)r * (size_t)x->nv + (size_t)i) * nb, weight = x->weight[i] / x->samples;
      base_row(x, r, i, row);
      for (size_t j = 0; j < nb; j++) {
        double by = weight * row[j];
        for (size_t k = 0; k <= j && by != 0; k++) x->M[j * nb + k] += by * row[k];
      }
    }
  for (size_t j = 0; j < nb; j++) most = fmax(most, x->M[j * nb + j]);
  for (size_t j = 0; j < nb; j++) x->M[j * nb + j] += 1e-13 * most; /* a start may tell nothing of some */
  for (size_t j = 0; j < nb; j++)
    for (size_t k = 0; k < j; k++) x->M[k * nb + j] = x->M[j * nb + k];
}

/* ---- Criteria ---- */

/* M = L L^T, L [n x n] in place; log det M, -infinity if it is singular. */
static double factor(double *M, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double s = M[i * n + j];
      for (size_t k = 0; k < j; k++) s -= M[i * n + k] * M[j * n + k];
      if (i == j && !(s > 0)) return -INFINITY;
      M[i * n + j] = i == j ? sqrt(s) : s / M[j * n + j];
    }
    sum += 2 * log(M[i * n + i]);
  }
  return sum;
}

/* inverse [n x n] = (L L^T)^-1, column by column. */
static void invert(const double *L, size_t n, double *inverse) {
  for (size_t c = 0; c < n; c++) {
    double *x = inverse + c * n; /* a row of the inverse, which is symmetric */
    for (size_t i = 0; i < n; i++) {
      double s = i == c;
      for (size_t k = c; k < i; k++) s -= L[i * n + k] * x[k];
      x[i] = i < c ? 0 : s / L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
      double s = x[i];
      for (size_t k = i + 1; k < n; k++) s -= L[k * n + i] * x[k];
      x[i] = s / L[i * n + i];
    }
  }
}

/* C = A B of symmetric matrices that commute, so C is symmetric, too. */
static void multiply(const double *A, const double *B, size_t n, double *C) {
  memset(C, 0, n * n * sizeof *C);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      double by = A[i * n + k];
      for (size_t j = 0; j < n; j++) C[i * n + j] += by * B[k * n + j];
    }
}

static double trace(const double *A, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += A[i * n + i];
  return sum;
}

/* - log det M, and its gradient - M^-1. */
static double log_det(excitation *x, bool gradient) {
  size_t n = (size_t)x->nb;
  double *L = x->powers;
  memcpy(L, x->M, n * n * sizeof *L);
  double value = -factor(L, n);
  if (gradient && isfinite(value)) invert(L, n, x->GM);
  for (size_t k = 0; k < n * n && gradient; k++) x->GM[k] = -x->GM[k];
  return value;
}

/* Q = A^7 and P = A^8 by squares; T is room. */
static void raise(const double *A, size_t n, double *Q, double *P, double *T) {
  multiply(A, A, n, T);
  multiply(T, T, n, P);
  multiply(A, T, n, Q);
  multiply(Q, P, n, T); /* A^7 */
  memcpy(Q, T, n * n * sizeof *Q);
  multiply(A, Q, n, P);
}

/* The logarithm of the condition number of the scaled columns, half of that of S = D^-1/2 M D^-1/2 with D = diag(M).
 * The largest eigenvalue stands as the power mean (tr S^8)^(1/8), the smallest by that of S^-1, so that it is smooth
 * where eigenvalues meet; at most a factor n^(1/8) above the condition number itself. With the gradient by S, Z =
 * (S^7 / tr S^8 - S^-9 / tr S^-8) / 2, that by M is D^-1/2 Z D^-1/2 - diag(Z S) / D. */
static double log_condition(excitation *x, bool gradient) {
  size_t n = (size_t)x->nb, all = n * n;
  double *S = x->powers, *inverse = S + all, *high = inverse + all, *low = high + all, *room = low + all,
         *whole = room + all;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) S[i * n + j] = x->M[i * n + j] / sqrt(x->M[i * n + i] * x->M[j * n + j]);
  memcpy(room, S, all * sizeof *room);
  if (!isfinite(factor(room, n))) return INFINITY;
  invert(room, n, inverse);
  raise(S, n, high, whole, room);
  double most = trace(whole, n);
  raise(inverse, n, low, whole, room);
  double least = trace(whole, n), value = (log(most) + log(least)) / 16;
  if (!gradient) return value;
  multiply(whole, inverse, n, low); /* S^-9 */
  for (size_t k = 0; k < all; k++) high[k] = 0.5 * (high[k] / most - low[k] / least);
  multiply(high, S, n, room);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      x->GM[i * n + j] =
          high[i * n + j] / sqrt(x->M[i * n + i] * x->M[j * n + j]) - (i == j ? room[i * n + i] / x->M[i * n + i] : 0);
  return value;
}

/* ---- Penalties ---- */

/* (share - 1)^2 beyond 1, and its derivative by the value. */
static double beyond(double value, double limit, double *slope) {
  double share = fabs(value) / limit;
  *slope = 0;
  if (!(share > 1)) return 0;
  *slope = 2 * (share - 1) * sign_of(value) / limit;
  return (share - 1) * (share - 1);
}

/* Penalties at all samples, added to the gradients by q, v, a and jerk; those of the efforts to G. */
static double penalties(excitation *x) {
  const excite_limits *l = &x->limits;
  size_t width = 10 * (size_t)x->links;
  double sum = 0, by = stiffness / x->samples, slope;
  for (int r = 0; r < x->samples; r++)
    for (int i = 0; i < x->nv; i++) {
      size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
      double half = 0.5 * (l->high[i] - l->low[i]), tau = 0;
      const double *Y = x->Y + at * width;
      sum += by * beyond(x->q[at] - 0.5 * (l->high[i] + l->low[i]), half, &slope);
      x->dq[at] += by * slope;
      sum += by * beyond(x->v[at], l->velocity[i], &slope);
      x->dv[at] += by * slope;
      sum += by * beyond(x->a[at], l->acceleration[i], &slope);
      x->da[at] += by * slope;
      sum += by * beyond(x->j[at], l->jerk[i], &slope);
      x->dj[at] += by * slope;
      for (size_t c = 0; c < width; c++) tau += Y[c] * x->pi[c];
      sum += by * beyond(tau, l->effort[i], &slope);
      for (size_t c = 0; c < width && slope != 0; c++) x->G[at * width + c] += by * slope * x->pi[c];
    }
  return sum;
}

/* Adds slope times row i of d effort' / d (q, v, a, jerk) at a sample. */
static void add_rate_gradient(excitation *x, size_t at, int i, double slope) {
  size_t nv = (size_t)x->nv;
  double *const to[4] = {x->dq, x->dv, x->da, x->dj};
  for (size_t order = 0; order < 4; order++) {
    const double *row = x->D + ((4 + order) * nv + (size_t)i) * nv;
    for (size_t k = 0; k < nv; k++) to[order][at + k] += slope * row[k];
  }
}

/* Those of effort rates, where they have limits. */
static double rate_penalties(excitation *x, bool gradient) {
  size_t nv = (size_t)x->nv;
  double sum = 0, by = stiffness / x->samples, most = INFINITY;
  for (size_t i = 0; i < nv; i++) most = fmin(most, x->limits.effort_rate[i]);
  if (!isfinite(most)) return 0;
  double *jet = allocate(5 * nv * sizeof *jet), *tau = jet + 3 * nv;
  for (int r = 0; r < x->samples; r++) {
    size_t at = (size_t)r * nv;
    bool have = false;
    memcpy(jet, x->v + at, nv * sizeof *jet);
    memcpy(jet + nv, x->a + at, nv * sizeof *jet);
    memcpy(jet + 2 * nv, x->j + at, nv * sizeof *jet);
    if (jn_inverse_dynamics_jet(x->model, x->work, 1, x->q + at, jet, NULL, tau) != JN_OK) continue;
    for (int i = 0; i < x->nv; i++) {
      double slope;
      sum += by * beyond(tau[nv + (size_t)i], x->limits.effort_rate[i], &slope);
      if (slope == 0 || !gradient) continue;
      if (!have) jn_inverse_dynamics_jet_derivatives(x->model, x->work, 1, x->q + at, jet, NULL, x->D);
      have = true;
      add_rate_gradient(x, at, i, by * slope);
    }
  }
  free(jet);
  return sum;
}

/* ---- Gradient ---- */

/* G = d value / dY, from the criterion: 2 w Yb GM / samples, in the columns of the base parameters. */
static void gradient_by_Y(excitation *x) {
  size_t width = 10 * (size_t)x->links, nb = (size_t)x->nb;
  memset(x->G, 0, (size_t)x->samples * (size_t)x->nv * width * sizeof *x->G);
  for (int r = 0; r < x->samples; r++)
    for (int i = 0; i < x->nv; i++) {
      size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
      const double *row = x->Yb + at * nb;
      double by = 2 * x->weight[i] / x->samples;
      for (size_t b = 0; b < nb; b++) {
        int c = x->column[b] - 10 * x->links;
        if (c >= 0 && c != i && c != x->nv + i) continue; /* signs and ones do not change with the motion */
        double sum = 0;
        for (size_t k = 0; k < nb; k++) sum += x->GM[b * nb + k] * row[k];
        if (c < 0) x->G[at * width + (size_t)x->column[b]] += by * sum;
        if (c == i) x->da[at] += by * sum; /* the column of a rotor is a itself, that of viscous friction is v */
        if (c == x->nv + i) x->dv[at] += by * sum;
      }
    }
}

/* Adds `by` times sum G Y2 of each sample to out, at coordinate j. */
static void contract(const excitation *x, double by, int j, double *out) {
  size_t row = (size_t)x->nv * 10 * (size_t)x->links;
  for (size_t r = 0; r < (size_t)x->samples; r++) {
    const double *G = x->G + r * row, *Y = x->Y2 + r * row;
    double sum = 0;
    for (size_t k = 0; k < row; k++) sum += G[k] * Y[k];
    out[r * (size_t)x->nv + (size_t)j] += by * sum;
  }
}

/* Y2 with one coordinate of one argument (of q, v, a) moved by h in all samples. */
static void shifted_regressor(excitation *x, double *argument, int j, double h) {
  size_t count = (size_t)x->samples, nv = (size_t)x->nv;
  memcpy(x->shifted, argument, count * nv * sizeof *argument);
  for (size_t r = 0; r < count; r++) x->shifted[r * nv + (size_t)j] += h;
  const double *q = argument == x->q ? x->shifted : x->q, *v = argument == x->v ? x->shifted : x->v,
               *a = argument == x->a ? x->shifted : x->a;
  jn_regressor_batch(x->batch, count, q, v, a, x->Y2);
}

static bool is_slide(const jn_model *model, int j) {
  return jn_joint_type_of(model, jn_coordinate_joint(model, j, NULL)) == JN_PRISMATIC;
}

static void gradient_by_motion(excitation *x) {
  const double quarter = 3.14159265358979323846 / 4;
  for (int j = 0; j < x->nv; j++) {
    if (is_slide(x->model, j)) {
      for (int side = -1; side <= 1; side += 2) {
        shifted_regressor(x, x->q, j, side * 0.1);
        contract(x, side / 0.2, j, x->dq);
      }
    } else { /* f'(0) = sum over m of (-1)^m f((2m + 1) pi/4) / (8 sin^2((2m + 1) pi/8)), exact to degree two */
      for (int m = 0; m < 4; m++) {
        double s = sin((2 * m + 1) * quarter / 2);
        shifted_regressor(x, x->q, j, (2 * m + 1) * quarter);
        contract(x, (m % 2 ? -1 : 1) / (8 * s * s), j, x->dq);
      }
    }
    for (int side = -1; side <= 1; side += 2) {
      shifted_regressor(x, x->v, j, side);
      contract(x, 0.5 * side, j, x->dv);
      shifted_regressor(x, x->a, j, side);
      contract(x, 0.5 * side, j, x->da);
    }
  }
}

double excitation_value(excitation *x, const double *z, double *gradient) {
  size_t states = (size_t)x->samples * (size_t)x->nv;
  double *const slopes[] = {x->dq, x->dv, x->da, x->dj};
  excitation_samples(x, z);
  if (jn_regressor_batch(x->batch, (size_t)x->samples, x->q, x->v, x->a, x->Y) != JN_OK) return INFINITY;
  information(x);
  double value = x->criterion == EXCITE_CONDITION ? log_condition(x, gradient) : log_det(x, gradient);
  for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) memset(slopes[k], 0, states * sizeof **slopes);
  if (gradient && isfinite(value)) gradient_by_Y(x);
  value += penalties(x) + rate_penalties(x, gradient);
  if (gradient && isfinite(value)) {
    gradient_by_motion(x);
    excitation_pull_back(x, gradient);
    excitation_project(x, gradient);
  }
  return value;
}
