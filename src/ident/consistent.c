/* SPDX-License-Identifier: BSD-2-Clause */
/* The physically consistent set: Levenberg-Marquardt on
 *   |A x - y|^2 + w sum over links D(P || P0) + w sum ((x_k - x0_k) / scale_k)^2.
 * The pseudo-inertia of a link is P = V V^T, V = U0 U, with P0 = U0 U0^T and U upper triangular with e^s on its
 * diagonal, so P is positive definite for any numbers. Then
 *   D = tr(P0^-1 P) - log det(P0^-1 P) - 4 = sum of squares of the other entries of U + sum (e^2s - 1 - 2s),
 * a sum of squares of smooth functions: least squares throughout, with exact derivatives. */
#include <math.h>
#include <string.h>

#include "identify.h"

enum { MOST_ITERATIONS = 300 };

/* Entries of U beyond its diagonal. */
static const int entry_row[6] = {0, 0, 0, 1, 1, 2}, entry_column[6] = {1, 2, 3, 2, 3, 3};

typedef double matrix4[4][4];

/* x of jn_inertia_to_log_cholesky() as the triangle it stands for. */
static void triangle_of(const double x[10], matrix4 U) {
  double e = exp(x[0]);
  const double V[4][4] = {{e * exp(x[1]), e * x[4], e * x[6], e * x[7]},
                          {0, e * exp(x[2]), e * x[5], e * x[8]},
                          {0, 0, e * exp(x[3]), e * x[9]},
                          {0, 0, 0, e}};
  memcpy(U, V, sizeof V);
}

/* The ten parameters that P has. */
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

/* z = (s0 ... s3, six entries) -> parameters p, and dp_dz [10 x 10] (may be NULL). */
static void body_of(matrix4 U0, const double z[10], double p[10], double (*dp_dz)[10]) {
  matrix4 U = {{0}}, V, P;
  for (int k = 0; k < 4; k++) U[k][k] = exp(z[k]);
  for (int k = 0; k < 6; k++) U[entry_row[k]][entry_column[k]] = z[4 + k];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      V[i][j] = 0;
      for (int k = i; k <= j; k++) V[i][j] += U0[i][k] * U[k][j];
    }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      P[i][j] = 0;
      for (int k = 0; k < 4; k++) P[i][j] += V[i][k] * V[j][k];
    }
  parameters_of(P, p);
  for (int c = 0; c < 10 && dp_dz; c++) { /* dV has column j alone, U0's column i times the factor */
    int i = c < 4 ? c : entry_row[c - 4], j = c < 4 ? c : entry_column[c - 4];
    double by = c < 4 ? U[c][c] : 1, column[10];
    for (int r = 0; r < 4; r++)
      for (int s = 0; s < 4; s++) P[r][s] = by * (U0[r][i] * V[s][j] + V[r][j] * U0[s][i]);
    parameters_of(P, column);
    for (int r = 0; r < 10; r++) dp_dz[r][c] = column[r];
  }
}

/* g with g^2 = e^2s - 1 - 2s and the sign of s, and its derivative. */
static double half_divergence(double s, double *slope) {
  if (fabs(s) < 1e-3) { /* g = sqrt(2) s (1 + s/3 + s^2/9 + s^3/135 ...) */
    *slope = sqrt(2) * (1 + 2 * s / 3 + s * s / 3 + 4 * s * s * s / 135);
    return sqrt(2) * s * (1 + s / 3 + s * s / 9 + s * s * s / 135);
  }
  double e = expm1(2 * s), g = sqrt(e - 2 * s);
  if (s < 0) g = -g;
  *slope = e / g;
  return g;
}

typedef struct problem {
  const jn_identification *d;
  const double *A, *y;
  int rows, n, links;
  double root; /* of the weight */
  double tolerance;
  double (*U0)[4][4];
  double *scale;   /* [n] of the unknowns that are not inertial */
  double *z, *try; /* [n] */
  double *x;       /* [n] */
  double *J;       /* [(rows + 2 n) x (n + 1)]: derivatives and residuals; prior below; damping below */
  double *R, *w, *step, *length;
  unsigned char *held; /* [n] at its bound */
} problem;

static int is_positive(const jn_identification *d, int k) {
  return (k >= d->first_rotor && k < d->first_rotor + d->motors) ||
         (k >= d->first_viscous && k < d->first_viscous + d->motors) ||
         (k >= d->first_coulomb && k < d->first_coulomb + d->motors);
}

static void unknowns_of(const problem *p, const double *z, double *x) {
  for (int l = 0; l < p->links; l++) body_of(p->U0[l], z + 10 * l, x + 10 * l, NULL);
  for (int k = 10 * p->links; k < p->n; k++) x[k] = z[k] * p->scale[k];
}

static double prior_residual(const problem *p, const double *z, int k, double *slope) {
  *slope = 1;
  if (k >= 10 * p->links) return z[k] - p->d->x0[k] / p->scale[k];
  return k % 10 < 4 ? half_divergence(z[k], slope) : z[k];
}

static double cost_of(const problem *p, const double *z, double *x) {
  double sum = 0, slope;
  unknowns_of(p, z, x);
  for (int r = 0; r < p->rows; r++) {
    const double *row = p->A + (size_t)r * (size_t)p->n;
    double e = -p->y[r];
    for (int k = 0; k < p->n; k++) e += row[k] * x[k];
    sum += e * e;
  }
  for (int k = 0; k < p->n; k++) {
    double e = p->root * prior_residual(p, z, k, &slope);
    sum += e * e;
  }
  return sum;
}

/* Derivatives and residuals of data and prior into J. */
static void linearise(problem *p) {
  size_t wide = (size_t)p->n + 1;
  double slope;
  memset(p->J, 0, (size_t)(p->rows + 2 * p->n) * wide * sizeof *p->J);
  for (int l = 0; l < p->links; l++) {
    double dp_dz[10][10], own[10];
    body_of(p->U0[l], p->z + 10 * l, own, dp_dz);
    for (int r = 0; r < p->rows; r++) {
      const double *row = p->A + (size_t)r * (size_t)p->n + 10 * (size_t)l;
      double *to = p->J + (size_t)r * wide + 10 * (size_t)l;
      for (int i = 0; i < 10; i++)
        for (int c = 0; c < 10; c++) to[c] += row[i] * dp_dz[i][c];
    }
  }
  for (int r = 0; r < p->rows; r++) {
    const double *row = p->A + (size_t)r * (size_t)p->n;
    double *to = p->J + (size_t)r * wide, e = -p->y[r];
    for (int k = 10 * p->links; k < p->n; k++) to[k] = row[k] * p->scale[k];
    for (int k = 0; k < p->n; k++) e += row[k] * p->x[k];
    to[p->n] = -e;
  }
  for (int k = 0; k < p->n; k++) {
    double *to = p->J + (size_t)(p->rows + k) * wide, e = prior_residual(p, p->z, k, &slope);
    to[k] = p->root * slope;
    to[p->n] = -p->root * e;
  }
}

/* Unknowns at their bound that would go beyond it are held; columns of J become zero. The gradient's size, relative. */
static double hold_bounds(problem *p) {
  size_t wide = (size_t)p->n + 1;
  int rows = p->rows + p->n;
  double worst = 0, residual = 0;
  for (int r = 0; r < rows; r++) residual += p->J[(size_t)r * wide + (size_t)p->n] * p->J[(size_t)r * wide + (size_t)p->n];
  for (int k = 0; k < p->n; k++) {
    double along = 0, sum = 0;
    for (int r = 0; r < rows; r++) {
      double j = p->J[(size_t)r * wide + (size_t)k];
      along += j * p->J[(size_t)r * wide + (size_t)p->n];
      sum += j * j;
    }
    p->length[k] = sqrt(sum);
    p->held[k] = is_positive(p->d, k) && p->z[k] <= 0 && along <= 0;
    for (int r = 0; r < rows && p->held[k]; r++) p->J[(size_t)r * wide + (size_t)k] = 0;
    if (!p->held[k] && sum > 0 && residual > 0) worst = fmax(worst, fabs(along) / sqrt(sum * residual));
  }
  return worst;
}

/* The step for a damping mu, by QR of J and the damping rows; R keeps what J alone gives. */
static void find_step(problem *p, const double *R0, double mu) {
  size_t wide = (size_t)p->n + 1;
  memcpy(p->R, R0, wide * wide * sizeof *p->R);
  double *rows = p->J + (size_t)(p->rows + p->n) * wide;
  memset(rows, 0, (size_t)p->n * wide * sizeof *rows);
  for (int k = 0; k < p->n; k++) rows[(size_t)k * wide + (size_t)k] = p->held[k] ? 1 : sqrt(mu) * fmax(p->length[k], 1e-300);
  jn__qr_update(p->R, rows, p->n, p->n + 1, p->w);
  double *b = p->w;
  for (int k = 0; k < p->n; k++) b[k] = p->R[(size_t)k * wide + (size_t)p->n];
  jn__back_solve(p->R, p->n, p->n + 1, b, p->step);
  for (int k = 0; k < p->n; k++) {
    double z = p->z[k] + p->step[k];
    if (k < 10 * p->links && k % 10 < 4) z = fmin(fmax(z, p->z[k] - 3), p->z[k] + 3); /* at most a factor of 20 a step */
    p->try[k] = is_positive(p->d, k) && z < 0 ? 0 : z;
  }
}

static int iterate(problem *p, double *R0, double *x) {
  double mu = 1e-6, cost = cost_of(p, p->z, p->x);
  size_t wide = (size_t)p->n + 1;
  for (int i = 1; i <= MOST_ITERATIONS; i++) {
    linearise(p);
    if (hold_bounds(p) < 1e-11) return i;
    memset(R0, 0, wide * wide * sizeof *R0);
    jn__qr_update(R0, p->J, p->rows + p->n, p->n + 1, p->w);
    for (int tries = 0;; tries++) {
      find_step(p, R0, mu);
      double now = cost_of(p, p->try, x);
      if (now <= cost) {
        double gain = cost - now;
        memcpy(p->z, p->try, (size_t)p->n * sizeof *p->z);
        memcpy(p->x, x, (size_t)p->n * sizeof *x);
        cost = now;
        mu = fmax(mu * 0.1, 1e-15);
        if (gain <= p->tolerance * cost) return i;
        break;
      }
      mu *= 10;
      if (tries > 25) return i; /* no step goes down: rounding */
    }
  }
  return -MOST_ITERATIONS;
}

/* Prior triangles, scales, start. 0: a prior is not physical. */
static int set_up(problem *p, const double *x) {
  const jn_identification *d = p->d;
  double all = 0;
  for (int r = 0; r < p->rows; r++) all += p->y[r] * p->y[r];
  for (int l = 0; l < p->links; l++) {
    double log_cholesky[10];
    if (jn_inertia_to_log_cholesky(d->x0 + 10 * l, log_cholesky) != JN_OK) return 0;
    triangle_of(log_cholesky, p->U0[l]);
  }
  for (int k = 10 * p->links; k < p->n; k++) {
    double sum = 0;
    for (int r = 0; r < p->rows; r++) sum += p->A[(size_t)r * (size_t)p->n + (size_t)k] * p->A[(size_t)r * (size_t)p->n + (size_t)k];
    p->scale[k] = sum > 0 && all > 0 ? sqrt(all / sum) : 1;
    p->z[k] = fmax(x[k], is_positive(d, k) ? 0 : -INFINITY) / p->scale[k];
  }
  return 1;
}

int jn__ident_consistent(const jn_identification *d, const double *A, const double *y, int rows, double w,
                         double tolerance, double *x) {
  size_t n = (size_t)d->n, wide = n + 1, tall = (size_t)rows + 2 * n;
  problem p = {.d = d, .A = A, .y = y, .rows = rows, .n = d->n, .links = d->inertial / 10, .root = sqrt(w), .tolerance = tolerance};
  p.U0 = jn__allocate(&d->allocator, ((size_t)p.links + 1) * sizeof *p.U0);
  double *memory = jn__allocate(&d->allocator, (6 * n + tall * wide + 2 * wide * wide + wide) * sizeof *memory);
  p.held = jn__allocate(&d->allocator, n + 1);
  int result = 0;
  if (p.U0 && memory && p.held) {
    p.scale = memory;
    p.z = p.scale + n;
    p.try = p.z + n;
    p.x = p.try + n;
    p.step = p.x + n;
    p.length = p.step + n;
    p.J = p.length + n;
    p.R = p.J + tall * wide;
    double *R0 = p.R + wide * wide;
    p.w = R0 + wide * wide;
    if (set_up(&p, x)) {
      result = iterate(&p, R0, x);
      memcpy(x, p.x, n * sizeof *x);
    }
  }
  jn__release(&d->allocator, p.U0);
  jn__release(&d->allocator, memory);
  jn__release(&d->allocator, p.held);
  return result;
}
