/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluating trajectories, and questions to them. */
#include "trajectory.h"

#include <math.h>
#include <string.h>

/* ---- Memory ---- */

struct jn_block {
  struct jn_block *before;
  double first; /* for alignment */
};

void *jn__keep(jn_blocks *blocks, size_t bytes) {
  size_t head = offsetof(struct jn_block, first);
  struct jn_block *block = bytes < SIZE_MAX - head ? jn__allocate(&blocks->allocator, head + bytes) : NULL;
  if (!block) return NULL;
  block->before = blocks->last;
  blocks->last = block;
  return &block->first;
}

void jn__release_blocks(jn_blocks *blocks) {
  while (blocks->last) {
    struct jn_block *block = blocks->last;
    blocks->last = block->before;
    jn__release(&blocks->allocator, block);
  }
}

void jn_trajectory_destroy(jn_trajectory *t) {
  if (!t) return;
  jn_allocator a = t->allocator;
  jn__release_blocks(&t->blocks);
  jn__release_blocks(&t->wrench_blocks);
  jn__release_blocks(&t->force_blocks);
  jn__release(&a, t);
}

/* ---- Polynomials of time, cut off behind n coefficients ---- */

typedef double series[JN_MAX_ROWS];

/* out += f a b */
static void add_product(double *out, double f, const double *a, const double *b, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i <= k; i++) out[k] += f * a[i] * b[k - i];
}

/* out += f a x b, vectors */
static void add_cross(series out[3], double f, series a[3], series b[3], int n) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    add_product(out[i], f, a[j], b[k], n);
    add_product(out[i], -f, a[k], b[j], n);
  }
}

/* x = x / d */
static void divide(double *x, const double *d, int n) {
  for (int k = 0; k < n; k++) {
    for (int i = 1; i <= k; i++) x[k] -= d[i] * x[k - i];
    x[k] /= d[0];
  }
}

static void to_series(double *jet, int n) {
  double factorial = 1;
  for (int k = 2; k < n; k++) jet[k] /= factorial *= k;
}

static void differentiate(double *x, int n) {
  for (int k = 0; k + 1 < n; k++) x[k] = (k + 1) * x[k + 1];
}

/* Column `at` of the jet [rows x stride] from a series. */
static void store_jet(double *jet, int stride, int at, const double *x, int rows) {
  double factorial = 1;
  for (int k = 0; k < rows; k++) {
    jet[(size_t)k * (size_t)stride + (size_t)at] = factorial * x[k];
    factorial *= k + 1;
  }
}

/* ---- Rotations ---- */

/* A quaternion s = (u, w) of any length as series of n + 1 coefficients: |s|^2, and the body's angular velocity
 *   omega = 2 vec(conj(s) s') / |s|^2 = 2 (w u' - w' u - u x u') / |s|^2,   n coefficients. */
static void angular_velocity(series s[4], int n, double *squared, series omega[3]) {
  series ds[4];
  memset(squared, 0, sizeof(series));
  for (int i = 0; i < 4; i++) {
    memcpy(ds[i], s[i], sizeof(series));
    differentiate(ds[i], n + 1);
    add_product(squared, 1, s[i], s[i], n);
  }
  for (int i = 0; i < 3; i++) {
    memset(omega[i], 0, sizeof(series));
    add_product(omega[i], 2, s[3], ds[i], n);
    add_product(omega[i], -2, ds[3], s[i], n);
  }
  add_cross(omega, -2, s, ds, n);
  for (int i = 0; i < 3; i++) divide(omega[i], squared, n);
}

/* R^T x = x - (2 w (u x x) - 2 u x (u x x)) / |s|^2, in place. */
static void turn_into_body(series s[4], const double *squared, series x[3], int n) {
  series c[3], sum[3];
  memset(c, 0, sizeof c);
  memset(sum, 0, sizeof sum);
  add_cross(c, 1, s, x, n);
  for (int i = 0; i < 3; i++) add_product(sum[i], -2, s[3], c[i], n);
  add_cross(sum, 2, s, c, n);
  for (int i = 0; i < 3; i++) {
    divide(sum[i], squared, n);
    for (int k = 0; k < n; k++) x[i][k] += sum[i][k];
  }
}

/* A spherical joint, or a free one with its position before the quaternion; rows of v_jet. */
static void rotation_jet(const jn_trajectory *t, int joint, double time, int rows, double *q, double *v_jet) {
  int at = jn_joint_q(t->model, joint), to = jn_joint_v(t->model, joint);
  int is_free = jn_joint_type_of(t->model, joint) == JN_FREE;
  series s[4], p[3], omega[3], squared;
  const jn_curve *curves = t->curves + at;
  for (int i = 0; i < 3 && is_free; i++) {
    jn__curve_jet(curves++, time, rows + 1, p[i]);
    if (q) q[at + i] = p[i][0];
    to_series(p[i], rows + 1);
    differentiate(p[i], rows + 1);
  }
  for (int i = 0; i < 4; i++) {
    jn__curve_jet(curves++, time, rows + 1, s[i]);
    to_series(s[i], rows + 1);
  }
  double length = sqrt(s[0][0] * s[0][0] + s[1][0] * s[1][0] + s[2][0] * s[2][0] + s[3][0] * s[3][0]);
  for (int i = 0; i < 4 && q; i++) q[at + 3 * is_free + i] = s[i][0] / length;
  if (!v_jet) return;
  angular_velocity(s, rows, squared, omega);
  for (int i = 0; i < 3; i++) store_jet(v_jet, t->nv, to + i, omega[i], rows);
  if (!is_free) return;
  turn_into_body(s, squared, p, rows);
  for (int i = 0; i < 3; i++) store_jet(v_jet, t->nv, to + 3 + i, p[i], rows);
}

jn_status jn_trajectory_evaluate(const jn_trajectory *t, double time, int order, double *q, double *v_jet) {
  if (!t) return JN_ERR_NULL;
  if (order < 0 || order > JN_TRAJECTORY_MAX_ORDER) return JN_ERR_SIZE;
  double jet[JN_MAX_ROWS];
  int rows = v_jet ? order + 2 : 0;
  for (int v = 0; v < t->nv; v++) {
    int number, joint = jn_coordinate_joint(t->model, v, &number);
    jn_joint_type type = jn_joint_type_of(t->model, joint);
    if (type == JN_FREE || type == JN_SPHERICAL) {
      if (number == 0) rotation_jet(t, joint, time, order + 2, q, v_jet);
      continue;
    }
    int at = jn_joint_q(t->model, joint) + number;
    jn__curve_jet(&t->curves[at], time, rows + 1, jet);
    if (q) q[at] = jet[0];
    for (int k = 0; k < rows; k++) v_jet[(size_t)k * (size_t)t->nv + (size_t)v] = jet[k + 1];
  }
  return JN_OK;
}

double jn_trajectory_next_knot(const jn_trajectory *t, double time) {
  double next = INFINITY;
  if (!t) return NAN;
  for (int i = 0; i < t->nq; i++)
    if (t->curves[i].kind == JN_CURVE_SPLINE) next = fmin(next, jn__next_knot(&t->curves[i], time));
  return next;
}

jn_status jn_trajectory_wrenches(const jn_trajectory *t, double time, int order, double *wrench_jet) {
  if (!t || !wrench_jet) return JN_ERR_NULL;
  if (order < 0 || order > JN_TRAJECTORY_MAX_ORDER) return JN_ERR_SIZE;
  double jet[JN_MAX_ROWS] = {0};
  size_t width = 6 * (size_t)t->links;
  for (size_t i = 0; i < width; i++) {
    if (t->wrenches) jn__curve_jet(&t->wrenches[i], time, order + 1, jet);
    for (int k = 0; k <= order; k++) wrench_jet[(size_t)k * width + i] = jet[k];
  }
  return JN_OK;
}

/* ---- Questions ---- */

int jn_trajectory_has_wrenches(const jn_trajectory *t) { return t && t->wrenches; }
int jn_trajectory_wrench_rows(const jn_trajectory *t) { return t && t->wrenches ? t->wrench_rows : 0; }
int jn_trajectory_wrench_order(const jn_trajectory *t) { return t && t->wrenches ? t->wrench_order : 0; }
jn_representation jn_trajectory_wrench_axes(const jn_trajectory *t) { return t ? t->wrench_axes : JN_IN_BODY; }
double jn_trajectory_start(const jn_trajectory *t) { return t ? t->start : NAN; }
double jn_trajectory_end(const jn_trajectory *t) { return t ? t->end : NAN; }
int jn_trajectory_samples(const jn_trajectory *t) { return t ? t->samples : 0; }
int jn_trajectory_given(const jn_trajectory *t, int i) { return t && i >= 0 && i < t->nq && t->given[i]; }
int jn_trajectory_degree(const jn_trajectory *t) { return t ? t->degree : 0; }

double jn_trajectory_time(const jn_trajectory *t, int sample) {
  return t && sample >= 0 && sample < t->samples ? t->times[sample] : NAN;
}

jn_status jn_trajectory_fit_of(const jn_trajectory *t, int i, jn_fit *fit) {
  if (!t || !fit) return JN_ERR_NULL;
  if (i < 0 || i >= t->nq) return JN_ERR_INDEX;
  *fit = t->fits[i];
  return JN_OK;
}
