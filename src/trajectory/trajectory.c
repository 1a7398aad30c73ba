/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluating trajectories, and questions to them. */
#include "trajectory.h"
#include "../series/series.h"

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

/* ---- Rotations ---- */

/* A spherical joint, or a free one with its position before the quaternion; rows of v_jet. */
static void rotation_jet(const jn_trajectory *t, int joint, double time, int rows, double *q, double *v_jet) {
  int at = jn_joint_q(t->model, joint), to = jn_joint_v(t->model, joint);
  int is_free = jn_joint_type_of(t->model, joint) == JN_FREE;
  double s[4][JN_MAX_ROWS], p[3][JN_MAX_ROWS], omega[3][JN_MAX_ROWS], squared[JN_MAX_ROWS], scratch[6][JN_MAX_ROWS];
  const jn_curve *curves = t->curves + at;

  /* Series of the position's rate and of the quaternion, which need not have length 1 between samples. */
  for (int i = 0; i < 3 && is_free; i++) {
    jn__curve_jet(curves++, time, rows + 1, p[i]);
    if (q) q[at + i] = p[i][0];
    jn__series_of_jet(rows + 1, p[i], 1, p[i]);
    jn__series_differentiate(rows + 1, p[i]);
  }
  for (int i = 0; i < 4; i++) {
    jn__curve_jet(curves++, time, rows + 1, s[i]);
    jn__series_of_jet(rows + 1, s[i], 1, s[i]);
  }
  double length = sqrt(s[0][0] * s[0][0] + s[1][0] * s[1][0] + s[2][0] * s[2][0] + s[3][0] * s[3][0]);
  for (int i = 0; i < 4 && q; i++) q[at + 3 * is_free + i] = s[i][0] / length;
  if (!v_jet) return;

  /* Angular velocity in the body's axes, then the position's rate in these axes. */
  size_t stride = (size_t)t->nv;
  jn__angular_velocity_series(rows, s[0], JN_MAX_ROWS, squared, omega[0], scratch[0]);
  for (int i = 0; i < 3; i++) jn__jet_of_series(rows, omega[i], v_jet + to + i, stride);
  if (!is_free) return;
  jn__turn_series_into_body(rows, s[0], JN_MAX_ROWS, squared, p[0], scratch[0]);
  for (int i = 0; i < 3; i++) jn__jet_of_series(rows, p[i], v_jet + to + 3 + i, stride);
}

jn_status jn_trajectory_evaluate(const jn_trajectory *trajectory, double t, int order, double *q, double *v_jet) {
  if (!trajectory) return JN_ERR_NULL;
  if (order < 0 || order > JN_TRAJECTORY_MAX_ORDER) return JN_ERR_SIZE;
  double jet[JN_MAX_ROWS];
  int rows = v_jet ? order + 2 : 0;
  for (int v = 0; v < trajectory->nv; v++) {
    int number, joint = jn_coordinate_joint(trajectory->model, v, &number);
    jn_joint_type type = jn_joint_type_of(trajectory->model, joint);
    if (type == JN_FREE || type == JN_SPHERICAL) {
      if (number == 0) rotation_jet(trajectory, joint, t, order + 2, q, v_jet);
      continue;
    }
    int at = jn_joint_q(trajectory->model, joint) + number;
    jn__curve_jet(&trajectory->curves[at], t, rows + 1, jet);
    if (q) q[at] = jet[0];
    for (int k = 0; k < rows; k++) v_jet[(size_t)k * (size_t)trajectory->nv + (size_t)v] = jet[k + 1];
  }
  return JN_OK;
}

double jn_trajectory_next_knot(const jn_trajectory *trajectory, double t) {
  double next = INFINITY;
  if (!trajectory) return NAN;
  for (int i = 0; i < trajectory->nq; i++)
    if (trajectory->curves[i].kind == JN_CURVE_SPLINE) next = fmin(next, jn__next_knot(&trajectory->curves[i], t));
  return next;
}

jn_status jn_trajectory_wrenches(const jn_trajectory *trajectory, double t, int order, double *wrench_jet) {
  if (!trajectory || !wrench_jet) return JN_ERR_NULL;
  if (order < 0 || order > JN_TRAJECTORY_MAX_ORDER) return JN_ERR_SIZE;
  double jet[JN_MAX_ROWS] = {0};
  size_t width = 6 * (size_t)trajectory->links;
  for (size_t i = 0; i < width; i++) {
    if (trajectory->wrenches) jn__curve_jet(&trajectory->wrenches[i], t, order + 1, jet);
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
