/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --limits: is a limit that seems broken, or kept, really so, or does the fit not know?
 *
 * A spline through samples is open by jn_trajectory_uncertainty(): by little in the middle of a log, by much at its
 * ends, where there are samples on one side only. Each derivative of each coordinate is moved by that much, and what
 * the quantities change by is added up: over the derivatives of a coordinate, which are wrong together, and by squares
 * over the coordinates, whose noise is independent. A limit is broken only if it is at some time without that much, and
 * holds only if it does with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "limits.h"

enum { BINS = 32, MOST_TIMES = 4000 };
static const double slack = 1e-9; /* rounding of a value at its limit */

typedef struct ending {
  limit_check *c;
  motion *m;
  size_t count;     /* of quantities */
  double *nominal;  /* [count] at the time that is looked at */
  double *off;      /* [count] by how much they are open there */
  double *now;      /* [count] scratch memory */
  double *single;   /* [count] ... of one coordinate */
  double *open;     /* [(order + 3) x nq] of the trajectory */
  double *nudge;    /* [order + 3] of a velocity coordinate */
  worst_case *bins; /* [BINS] the worst of a limit in parts of the motion */
} ending;

static void keep_quantities(const ending *e, double *to) {
  for (size_t at = 0; at < e->count; at++) to[at] = quantity_of(e->m, (int)(at / QUANTITIES), at % QUANTITIES);
}

/* By how much position, velocity, ... of velocity coordinate v are open, into e->nudge; false if they are not. */
static bool find_nudge(const ending *e, int v) {
  const motion *m = e->m;
  int rows = m->order + 3, place = place_in_q(m->model, v), number, joint = jn_coordinate_joint(m->model, v, &number);
  int free = jn_joint_type_of(m->model, joint) == JN_FREE, angular = place < 0 && (!free || number < 3);
  int first = place >= 0 ? place : jn_joint_q(m->model, joint) + (free && angular ? 3 : 0);
  int count = place >= 0 ? 1 : angular ? 4 : 3;
  bool any = false;

  for (int k = 0; k < rows; k++) {
    double square = 0;
    for (int i = 0; i < count; i++) square += pow(e->open[(size_t)k * (size_t)m->nq + (size_t)(first + i)], 2);
    e->nudge[k] = (angular ? 2 : 1) * sqrt(square); /* a quaternion turns by half of the angle */
    any |= e->nudge[k] > 0;
  }
  return any;
}

/* e->nominal and e->off at a time. */
static jn_status look_at(ending *e, double t) {
  motion *m = e->m;
  int rows = m->order + 3;
  jn_status status = jn_trajectory_uncertainty(m->trajectory, t, m->order, e->open);
  if (status == JN_OK) status = motion_at(m, t);
  keep_quantities(e, e->nominal);
  memset(e->off, 0, e->count * sizeof *e->off);

  for (int v = 0; v < m->nv && status == JN_OK; v++) {
    if (!find_nudge(e, v)) continue;
    memset(e->single, 0, e->count * sizeof *e->single);

    /* one derivative after the other, all else as it was */
    for (int k = 0; k < rows && status == JN_OK; k++) {
      if (!(e->nudge[k] > 0)) continue;
      m->nudge = (nudge){v, k, e->nudge[k]};
      status = motion_at(m, t);
      keep_quantities(e, e->now);
      for (size_t at = 0; at < e->count; at++) e->single[at] += fabs(e->now[at] - e->nominal[at]);
    }
    m->nudge = (nudge){0};
    for (size_t at = 0; at < e->count; at++) e->off[at] = hypot(e->off[at], e->single[at]);
  }
  return status;
}

/* Is the value beyond the limit by more than is open? */
static bool is_surely_broken(const limit *l, double value, double off) {
  return limit_use(l, value) > 1 + slack &&
         (value > l->upper ? value - off > l->upper : value < l->lower && value + off < l->lower);
}

/* ---- Broken limits ---- */

/* The worst of quantity `at` in each part of the motion. */
static jn_status fill_bins(ending *e, size_t at, double start, double end) {
  motion *m = e->m;
  int samples = jn_trajectory_samples(m->trajectory), stride = 1 + samples / MOST_TIMES;
  for (int i = 0; i < BINS; i++) e->bins[i] = (worst_case){.use = -1};

  for (int i = 0; i < samples; i += stride) {
    double t = jn_trajectory_time(m->trajectory, i);
    if (t < start || t > end) continue;
    jn_status status = motion_at(m, t);
    if (status != JN_OK) return status;
    double value = quantity_of(m, (int)(at / QUANTITIES), at % QUANTITIES), use = limit_use(&e->c->limits[at], value);
    worst_case *bin = &e->bins[(int)fmin(BINS - 1, BINS * (t - start) / (end - start))];
    if (use > bin->use) *bin = (worst_case){.use = use, .value = value, .time = t};
  }
  return JN_OK;
}

/* Decides whether a limit that seems broken is. */
static jn_status confirm(ending *e, size_t at, double start, double end) {
  const limit *l = &e->c->limits[at];
  worst_case *w = &e->c->worst[at];
  jn_status status = look_at(e, w->time);
  if (status != JN_OK || is_surely_broken(l, w->value, e->off[at])) return status;
  const doubt open = {.off = e->off[at], .value = w->value, .time = w->time, .overturns = true, .fit = true};

  /* not where it is worst, but perhaps elsewhere, where less is open */
  status = fill_bins(e, at, start, end);
  for (int i = 0; i < BINS && status == JN_OK; i++) {
    const worst_case *bin = &e->bins[i];
    if (!(bin->use > 1 + slack)) continue;
    status = look_at(e, bin->time);
    if (status != JN_OK || !is_surely_broken(l, bin->value, e->off[at])) continue;
    w->use = bin->use;
    w->value = bin->value;
    w->time = bin->time;
    return status;
  }

  e->c->doubts[at] = open;
  return status;
}

/* ---- Limits that seem to hold ---- */

/* May a limit be broken at this time by what is open there? */
static jn_status doubt_at(ending *e, double t) {
  jn_status status = look_at(e, t);
  for (size_t at = 0; at < e->count && status == JN_OK; at++) {
    const limit *l = &e->c->limits[at];
    double value = e->nominal[at], off = e->off[at];
    if (!limit_is_finite(l) || isnan(value) || e->c->worst[at].use > 1 + slack || e->c->doubts[at].overturns) continue;
    if (fmax(limit_use(l, value + off), limit_use(l, value - off)) <= 1 + slack) continue;
    e->c->doubts[at] = (doubt){.off = off, .value = value, .time = t, .overturns = true, .fit = true};
  }
  return status;
}

static jn_status doubt_kept_limits(ending *e, double start, double end) {
  jn_status status = doubt_at(e, start);
  if (status == JN_OK) status = doubt_at(e, end);
  for (size_t at = 0; at < e->count && status == JN_OK; at++) {
    const worst_case *w = &e->c->worst[at];
    bool done = !limit_is_finite(&e->c->limits[at]) || w->use < 0.5 || w->use > 1 + slack;
    if (!done && w->time != start && w->time != end) status = doubt_at(e, w->time);
  }
  return status;
}

/* ---- Together ---- */

jn_status limit_check_ends(limit_check *c, motion *m, double start, double end) {
  ending e = {.c = c, .m = m, .count = (size_t)m->nv * QUANTITIES};
  if (jn_trajectory_samples(m->trajectory) == 0 || m->path) return JN_OK; /* of a tool, nothing is known of joints */
  size_t rows = (size_t)m->order + 3;
  e.nominal = allocate((4 * e.count + rows * (size_t)(m->nq + 1)) * sizeof(double));
  e.off = e.nominal + e.count;
  e.now = e.off + e.count;
  e.single = e.now + e.count;
  e.nudge = e.single + e.count;
  e.open = e.nudge + rows;
  e.bins = allocate(BINS * sizeof *e.bins);

  jn_status status = doubt_kept_limits(&e, start, end);
  for (size_t at = 0; at < e.count && status == JN_OK; at++)
    if (limit_is_finite(&c->limits[at]) && c->worst[at].use > 1 + slack) status = confirm(&e, at, start, end);
  free(e.nominal);
  free(e.bins);
  return status;
}
