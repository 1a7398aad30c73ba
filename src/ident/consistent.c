/* SPDX-License-Identifier: BSD-2-Clause */
/* The physically consistent set: the minimum of the convex function
 *   |A x - y|^2 + w sum over links ( tr(P0^-1 P) - log det(P0^-1 P) - 4 ) + w sum ((x_k - x0_k) / scale_k)^2
 * by Newton's method. P0 = U0 U0^T, and P = V V^T with V = U0 W, W lower triangular; a step is P' = V (E + S) V^T with
 * a symmetric S, so W' = W L with L L^T = E + S: P stays positive definite, and keeps its relative accuracy even when
 * it is nearly singular. To second order the divergence changes by tr((W^T W - E) S) + |S|^2 / 2, so each step is a
 * linear least-squares problem with the exact second derivatives, solved by QR. (Gauss-Newton in log-Cholesky
 * coordinates needs several times as many steps, because P is quadratic in them.) */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../model/inertia_law.h"
#include "../model/stop.h"
#include "identify.h"

enum { MOST_ITERATIONS = 100 };
static const double unsettled = 1e-4; /* a gain of so many weights: some parameter is still off by about a hundredth */

typedef double matrix4[4][4];

/* Basis of the symmetric matrices, orthonormal: four on the diagonal, six beside it. */
static const int basis_row[10] = {0, 1, 2, 3, 0, 0, 0, 1, 1, 2}, basis_column[10] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};

/* One link. */
typedef struct body {
  matrix4 U0, W, V, next; /* next: W after a step */
} body;

typedef struct problem {
  const jn_identification *d;
  const double *A, *y;
  int rows, n, links;
  double root; /* of the weight */
  double tolerance;
  double size;     /* |y| */
  body *bodies;    /* [links] */
  double *scale;   /* [n] of the unknowns that are not inertial */
  double *z, *try; /* [n] those unknowns over their scale, now and after a step */
  double *x;       /* [n] */
  double *J;       /* [(rows + n) x (n + 1)]: derivatives and residuals of data and prior */
  double *R, *w, *step;
  unsigned char *held; /* [n] at its bound */
} problem;

/* ---- Bodies ---- */

/* x of jn_inertia_to_log_cholesky() as the triangle it stands for. */
static void triangle_of(const double x[10], matrix4 U) {
  double e = exp(x[0]);
  const double V[4][4] = {{e * exp(x[1]), e * x[4], e * x[6], e * x[7]},
                          {0, e * exp(x[2]), e * x[5], e * x[8]},
                          {0, 0, e * exp(x[3]), e * x[9]},
                          {0, 0, 0, e}};
  memcpy(U, V, sizeof V);
}

/* The ten parameters that a pseudo-inertia has. */
static void parameters_of(matrix4 P, double p[10]) {
  p[0] = P[3][3];
  for (int k = 0; k < 3; k++) p[1 + k] = P[k][3];
  p[4] = P[1][1] + P[2][2];
  p[5] = P[0][0] + P[2][2];
  p[6] = P[0][0] + P[1][1];
  p[7] = -P[0][1];
  p[8] = -P[0][2];
  p[9] = -P[1][2];
}

static void product(matrix4 A, matrix4 B, matrix4 C) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      C[i][j] = 0;
      for (int k = 0; k < 4; k++) C[i][j] += A[i][k] * B[k][j];
    }
}

static void body_parameters(matrix4 U0, matrix4 W, double p[10]) {
  matrix4 V, P;
  product(U0, W, V);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      P[i][j] = 0;
      for (int k = 0; k < 4; k++) P[i][j] += V[i][k] * V[j][k];
    }
  parameters_of(P, p);
}

/* What the ten coordinates of S change: column k of dp_ds is parameters of V E_k V^T. */
static void body_derivatives(matrix4 V, double dp_ds[10][10]) {
  for (int k = 0; k < 10; k++) {
    int i = basis_row[k], j = basis_column[k];
    double by = i == j ? 1 : sqrt(0.5), column[10];
    matrix4 P;
    for (int r = 0; r < 4; r++)
      for (int c = 0; c < 4; c++) P[r][c] = i == j ? V[r][i] * V[c][i] : by * (V[r][i] * V[c][j] + V[r][j] * V[c][i]);
    parameters_of(P, column);
    for (int r = 0; r < 10; r++) dp_ds[r][k] = column[r];
  }
}

/* Coordinate k of E - W^T W, where the divergence alone would go. */
static double pull(matrix4 W, int k) {
  int i = basis_row[k], j = basis_column[k];
  double sum = i == j ? 1 : 0;
  for (int r = 0; r < 4; r++) sum -= W[r][i] * W[r][j];
  return i == j ? sum : sqrt(2) * sum;
}

static double divergence(matrix4 W) {
  double sum = -4;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k <= i; k++) sum += W[i][k] * W[i][k];
    sum -= 2 * log(W[i][i]);
  }
  return sum;
}

/* next = W L with L L^T = E + by S; 0: that is not positive definite. */
static int step_body(body *b, const double s[10], double by) {
  matrix4 M = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, L = {{0}};
  for (int k = 0; k < 10; k++) {
    int i = basis_row[k], j = basis_column[k];
    double value = by * s[k] * (i == j ? 1 : sqrt(0.5));
    M[i][j] += value;
    if (i != j) M[j][i] += value;
  }
  if (!jn__cholesky(M[0], 4, 0)) return 0;
  for (int i = 0; i < 4; i++) {
    if (!(M[i][i] > 1e-2)) return 0; /* at most a factor of 10^4 in one step */
    for (int j = 0; j <= i; j++) L[i][j] = M[i][j];
  }
  product(b->W, L, b->next);
  return 1;
}

/* ---- The function ---- */

static int is_positive(const jn_identification *d, int k) {
  return (k >= d->first_rotor && k < d->first_rotor + d->motors) ||
         (k >= d->first_viscous && k < d->first_viscous + d->motors) ||
         (k >= d->first_coulomb && k < d->first_coulomb + d->motors);
}

/* How firmly the prior holds an unknown, relative to its scale: offsets are small, or they would take the place of
 * masses. */
static double firmness(const jn_identification *d, int k) {
  return k >= d->first_offset && k < d->first_offset + d->motors ? 20 : 1;
}

/* The sum for the bodies' W (next: after the step) and z; x follows. */
static double cost_of(problem *p, int next, const double *z) {
  double sum = 0, prior = 0;
  for (int l = 0; l < p->links; l++) {
    body *b = &p->bodies[l];
    body_parameters(b->U0, next ? b->next : b->W, p->x + 10 * l);
    prior += divergence(next ? b->next : b->W);
  }
  for (int k = 10 * p->links; k < p->n; k++) {
    double e = (z[k] - p->d->x0[k] / p->scale[k]) * firmness(p->d, k);
    p->x[k] = z[k] * p->scale[k];
    prior += e * e;
  }
  for (int r = 0; r < p->rows; r++) {
    const double *row = p->A + (size_t)r * (size_t)p->n;
    double e = -p->y[r];
    for (int k = 0; k < p->n; k++) e += row[k] * p->x[k];
    sum += e * e;
  }
  return sum + p->root * p->root * prior;
}

/* Derivatives and residuals into J, at p->x. */
static void linearise(problem *p) {
  size_t wide = (size_t)p->n + 1;
  memset(p->J, 0, (size_t)(p->rows + p->n) * wide * sizeof *p->J);
  for (int l = 0; l < p->links; l++) {
    body *b = &p->bodies[l];
    double dp_ds[10][10];
    product(b->U0, b->W, b->V);
    body_derivatives(b->V, dp_ds);
    for (int r = 0; r < p->rows; r++) {
      const double *row = p->A + (size_t)r * (size_t)p->n + 10 * (size_t)l;
      double *to = p->J + (size_t)r * wide + 10 * (size_t)l;
      for (int i = 0; i < 10; i++)
        for (int c = 0; c < 10; c++) to[c] += row[i] * dp_ds[i][c];
    }
    for (int k = 0; k < 10; k++) {
      double *to = p->J + (size_t)(p->rows + 10 * l + k) * wide;
      to[10 * l + k] = p->root * sqrt(0.5);
      to[p->n] = p->root * sqrt(0.5) * pull(b->W, k);
    }
  }
  for (int r = 0; r < p->rows; r++) {
    const double *row = p->A + (size_t)r * (size_t)p->n;
    double *to = p->J + (size_t)r * wide, e = -p->y[r];
    for (int k = 10 * p->links; k < p->n; k++) to[k] = row[k] * p->scale[k];
    for (int k = 0; k < p->n; k++) e += row[k] * p->x[k];
    to[p->n] = -e;
  }
  for (int k = 10 * p->links; k < p->n; k++) {
    double *to = p->J + (size_t)(p->rows + k) * wide;
    to[k] = p->root * firmness(p->d, k);
    to[p->n] = to[k] * (p->d->x0[k] / p->scale[k] - p->z[k]);
  }
}

/* Unknowns at their bound that would go beyond it are held: their columns of J become zero. */
static void hold_bounds(problem *p) {
  size_t wide = (size_t)p->n + 1;
  int rows = p->rows + p->n;
  for (int k = 10 * p->links; k < p->n; k++) {
    double along = 0, square = 0;
    p->held[k] = 0;
    if (!is_positive(p->d, k) || p->z[k] > 0) continue;
    for (int r = 0; r < rows; r++) {
      const double *row = p->J + (size_t)r * wide;
      along += row[k] * row[p->n];
      square += row[k] * row[k];
    }
    p->held[k] = along <= 16 * DBL_EPSILON * sqrt(square) * p->size; /* less than that is rounding of the residuals */
    for (int r = 0; r < rows && p->held[k]; r++) p->J[(size_t)r * wide + (size_t)k] = 0;
  }
}

/* The Newton step, and by how much the linear problem lowers its sum. */
static double find_step(problem *p) {
  size_t wide = (size_t)p->n + 1;
  double gain = 0, *b = p->w;
  memset(p->R, 0, wide * wide * sizeof *p->R);
  jn__qr_update_unless_stopped(p->R, p->J, p->rows + p->n, p->n + 1, p->w);
  for (int k = 0; k < p->n; k++) {
    double *diagonal = &p->R[(size_t)k * wide + (size_t)k];
    if (*diagonal == 0) *diagonal = 1; /* held: nothing to its right either */
    b[k] = p->R[(size_t)k * wide + (size_t)p->n];
    gain += b[k] * b[k];
  }
  jn__back_solve(p->R, p->n, p->n + 1, b, p->step);
  for (int k = 0; k < p->n; k++)
    if (p->held[k]) p->step[k] = 0;
  return gain;
}

/* Bodies and z after a part of the step; 0 if a body would not be one. */
static int try_step(problem *p, double by) {
  for (int l = 0; l < p->links; l++)
    if (!step_body(&p->bodies[l], p->step + 10 * l, by)) return 0;
  for (int k = 10 * p->links; k < p->n; k++) {
    double z = p->z[k] + by * p->step[k];
    p->try[k] = is_positive(p->d, k) && z < 0 ? 0 : z;
  }
  return 1;
}

/* The part of the step that lowers the sum: 1, 1/2, ...; 0 if none does. A small weight times the prior may be less
 * than the rounding of the sum; then the whole step is taken as long as `gain`, which has no such rounding, falls. */
static double search_line(problem *p, double cost, double gain, double last_gain, double *now) {
  for (double by = 1; by > 1e-12 && !jn__is_stopped(); by *= 0.5) {
    if (!try_step(p, by)) continue;
    *now = cost_of(p, 1, p->try);
    if (*now < cost || (by == 1 && gain < 0.25 * last_gain && *now <= cost * (1 + 1e-11))) return by;
  }
  return 0;
}

/* Negative: the minimum was not found. What the data do not tell is settled when a step gains little in units of the
 * weight, too. */
static int iterate(problem *p) {
  double cost = cost_of(p, 0, p->z), weight = p->root * p->root, last_gain = INFINITY;
  for (int i = 1; i <= MOST_ITERATIONS && !jn__is_stopped(); i++) {
    linearise(p);
    hold_bounds(p);
    double gain = find_step(p), now = INFINITY, by = search_line(p, cost, gain, last_gain, &now);
    if (by == 0) { /* nothing is lower: only rounding is left */
      cost_of(p, 0, p->z);
      return p->tolerance < 1e-10 && gain > unsettled * weight ? -i : i; /* on the way there, that does not matter */
    }
    for (int l = 0; l < p->links; l++) memcpy(p->bodies[l].W, p->bodies[l].next, sizeof(matrix4));
    memcpy(p->z, p->try, (size_t)p->n * sizeof *p->z);
    double less = cost - now;
    cost = now;
    last_gain = gain;
    if (by == 1 && less <= p->tolerance * cost && 0.5 * gain <= p->tolerance * fmin(cost, 1e3 * weight)) return i;
  }
  return -MOST_ITERATIONS;
}

/* ---- Beginning and end ---- */

/* Prior triangles, scales, start. 0: a prior is not physical. */
static int set_up(problem *p) {
  const jn_identification *d = p->d;
  double all = 0;
  for (int r = 0; r < p->rows; r++) all += p->y[r] * p->y[r];
  p->size = sqrt(all);
  for (int l = 0; l < p->links; l++) {
    double log_cholesky[10];
    if (jn_inertia_to_log_cholesky(d->x0 + 10 * l, log_cholesky) != JN_OK) return 0;
    triangle_of(log_cholesky, p->bodies[l].U0);
    memset(p->bodies[l].W, 0, sizeof(matrix4));
    for (int k = 0; k < 4; k++) p->bodies[l].W[k][k] = 1;
  }
  for (int k = 10 * p->links; k < p->n; k++) {
    double sum = 0;
    for (int r = 0; r < p->rows; r++) {
      double a = p->A[(size_t)r * (size_t)p->n + (size_t)k];
      sum += a * a;
    }
    p->scale[k] = sum > 0 && all > 0 ? sqrt(all / sum) : 1;
    p->z[k] = d->x0[k] / p->scale[k];
  }
  return 1;
}

/* A prior that is far off, such as grams for kilograms: from large weights down to the wanted one, each solution the
 * start of the next, as interior-point methods do. */
static int follow_path(problem *p) {
  double root = p->root, tolerance = p->tolerance;
  int sum = MOST_ITERATIONS, result = 0;
  if (!set_up(p)) return 0;
  for (double by = 1e8; by >= 1 && !jn__is_stopped(); by /= 10) {
    p->root = root * sqrt(by);
    p->tolerance = by > 1 ? 1e-8 : tolerance;
    result = iterate(p);
    sum += abs(result);
  }
  return result < 0 ? -sum : sum;
}

/* Rounding to ten parameters may lose the last bit of a body that is nearly none: a trace of the prior is added. */
static void make_physical(const problem *p, double *x) {
  for (int l = 0; l < p->links; l++) {
    double *found = x + 10 * l, moments[3], size = 0;
    const double *prior = p->d->x0 + 10 * l;
    for (int k = 0; k < 10; k++) size = fmax(size, prior[k] != 0 ? fabs(found[k] / prior[k]) : 0);
    for (double part = 1e-13; part < 1; part *= 10) {
      if (jn_inertia_is_physical(found) && jn__inertia_fault(found, moments) == JN_FAULT_NONE) break;
      for (int k = 0; k < 10; k++) found[k] += part * size * prior[k];
    }
  }
}

int jn__ident_consistent(const jn_identification *d, const double *A, const double *y, int rows, double w,
                         double tolerance, double *x) {
  size_t n = (size_t)d->n, wide = n + 1, tall = (size_t)rows + n;
  problem p = {.d = d, .A = A, .y = y, .rows = rows, .n = d->n, .links = d->inertial / 10};
  p.root = sqrt(w);
  p.tolerance = tolerance;
  p.bodies = jn__allocate(&d->allocator, ((size_t)p.links + 1) * sizeof *p.bodies);
  double *memory = jn__allocate(&d->allocator, (5 * n + tall * wide + wide * wide + wide) * sizeof *memory);
  p.held = jn__allocate(&d->allocator, n + 1);
  int result = 0;
  if (p.bodies && memory && p.held) {
    p.scale = memory;
    p.z = p.scale + n;
    p.try = p.z + n;
    p.x = p.try + n;
    p.step = p.x + n;
    p.J = p.step + n;
    p.R = p.J + tall * wide;
    p.w = p.R + wide * wide;
    if (set_up(&p)) {
      result = iterate(&p);
      if (result < 0) result = follow_path(&p);
      memcpy(x, p.x, n * sizeof *x);
      make_physical(&p, x);
    }
  }
  jn__release(&d->allocator, p.bodies);
  jn__release(&d->allocator, memory);
  jn__release(&d->allocator, p.held);
  return result;
}
