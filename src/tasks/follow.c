/* SPDX-License-Identifier: BSD-2-Clause */
/* Along a path: steps of the Taylor series of the motion, each corrected by a search that starts from it. The step is
 * as long as the last term of the series, and what the brackets of rotations add to it, stay within the tolerance. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tasks.h"

/* A path that is being followed. */
typedef struct pursuit {
  const jn_tasks_path *path;
  int order;
  double now, end, tolerance;
  double *q, *next; /* [nq] */
  const double *v_jet;
  signed char *active;
  jn_reach *reach;
} pursuit;

static double norm_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Rotations of bodies: the terms of the series do not commute. */
static int has_groups(const jn_tasks *t) {
  for (int i = 0; i < t->nv; i++)
    if (t->place[i] < 0) return 1;
  return 0;
}

/* How good the series has to be. Where the tasks determine all coordinates, the correction does the rest. */
static double step_tolerance(const jn_tasks *t, const pursuit *p) {
  static const double for_a_start = 1e-5;
  return t->unique && p->tolerance < for_a_start ? for_a_start : p->tolerance;
}

/* The longest step whose series is good enough, with a sign. */
static double step_length(const jn_tasks *t, const pursuit *p) {
  double left = p->end - p->now, h = fabs(left), factorial = 1;
  for (int k = 2; k <= p->order + 1; k++) factorial *= k;
  double last = norm_of(p->v_jet + p->order * t->nv, t->nv) / factorial, tolerance = step_tolerance(t, p);
  if (last > 0) h = fmin(h, pow(tolerance / last, 1.0 / (p->order + 1)));
  if (has_groups(t)) {
    double bracket = norm_of(p->v_jet, t->nv) * norm_of(p->v_jet + t->nv, t->nv) / 2;
    if (bracket > 0) h = fmin(h, cbrt(tolerance / bracket));
  }
  return h >= fabs(left) ? left : copysign(h, left);
}

/* next = q (+) the series at h, and its largest part beyond a limit. */
static jn_status predict(jn_tasks *t, const pursuit *p, double h, double *beyond) {
  double *x = t->step.x, power = 1;
  memset(x, 0, sizeof(double) * (size_t)t->nv);
  for (int k = 0; k <= p->order; k++) {
    power *= h / (k + 1);
    for (int i = 0; i < t->nv; i++) x[i] += power * p->v_jet[k * t->nv + i];
  }
  jn_status status = jn_integrate(t->model, t->work, p->q, x, p->next);
  *beyond = 0;
  for (int i = 0; i < t->nv && status == JN_OK; i++) {
    if (t->place[i] < 0) continue;
    double at = p->next[t->place[i]];
    *beyond = fmax(*beyond, fmax(at - t->upper[i], t->lower[i] - at));
  }
  return status;
}

/* A step of at most h; *taken is 0 when it was too long. */
static jn_status try_step(jn_tasks *t, pursuit *p, double h, int *taken) {
  double beyond, *before = t->q_start;
  *taken = 0;
  jn_status status = predict(t, p, h, &beyond);
  if (status != JN_OK) return status;
  if (!(beyond <= step_tolerance(t, p))) {
    p->reach->outcome = JN_REACH_LIMITS;
    return JN_OK;
  }
  status = p->path->at(p->path->context, p->now + h, 0, t->target, NULL);
  if (status != JN_OK) return status;
  memcpy(before, p->next, sizeof(double) * (size_t)t->nq);
  status = jn__tasks_solve_once(t, t->target, p->next, NULL, p->reach);
  if (status == JN_ERR_REACH) return JN_OK;
  if (status == JN_OK) status = jn_difference(t->model, t->work, before, p->next, t->step.d);
  if (status != JN_OK) return status;
  p->reach->outcome = JN_REACH_SINGULAR;
  if (!(norm_of(t->step.d, t->nv) <= fmax(1e3 * step_tolerance(t, p), 1e-7)))
    return JN_OK; /* another solution, or nearly */
  memcpy(p->q, p->next, sizeof(double) * (size_t)t->nq);
  p->now = h == p->end - p->now ? p->end : p->now + h;
  p->reach->outcome = JN_REACHED;
  *taken = 1;
  return JN_OK;
}

/* Coordinates that are at a limit, or as near as makes no difference. */
static int near_limits(const jn_tasks *t, const double *q, signed char *active) {
  static const double near = 1e-5;
  int count = 0;
  for (int i = 0; i < t->nv; i++) {
    int at = 0;
    if (t->place[i] >= 0) at = (q[t->place[i]] >= t->upper[i] - near) - (q[t->place[i]] <= t->lower[i] + near);
    count += at != 0;
    if (active) active[i] = (signed char)at;
  }
  return count;
}

/* Why it ends at p->now: what is missing at the end of the path's part. */
static jn_status explain(jn_tasks *t, pursuit *p, jn_reach_outcome why) {
  jn_status status = p->path->at(p->path->context, p->end, 0, t->target, NULL);
  if (status != JN_OK) return status;
  memcpy(p->next, p->q, sizeof(double) * (size_t)t->nq);
  status = jn__tasks_solve_once(t, t->target, p->next, p->active, p->reach);
  if (status != JN_OK && status != JN_ERR_REACH) return status;
  if (why == JN_REACH_LIMITS || p->reach->outcome == JN_REACHED) p->reach->outcome = why;
  if (why == JN_REACH_LIMITS) p->reach->limits = near_limits(t, p->q, p->active);
  return JN_ERR_REACH;
}

static jn_status advance(jn_tasks *t, pursuit *p, double shortest) {
  jn_status status = p->path->at(p->path->context, p->now, p->order, t->target, t->rate_jet);
  if (status != JN_OK) return status;
  double *v_jet = t->follow_jet;
  status = jn_tasks_motion_jet(t, p->order, p->q, NULL, t->rate_jet, v_jet, p->reach);
  if (status == JN_ERR_REACH) return explain(t, p, JN_REACH_SINGULAR);
  if (status != JN_OK) return status;
  p->v_jet = v_jet;
  double h = step_length(t, p);
  int taken = 0;
  for (; status == JN_OK && !taken && fabs(h) >= shortest; h /= taken ? 1 : 4) status = try_step(t, p, h, &taken);
  if (status != JN_OK || taken) return status;
  return explain(t, p, p->reach->outcome == JN_REACH_LIMITS ? JN_REACH_LIMITS : JN_REACH_SINGULAR);
}

jn_status jn_tasks_follow(jn_tasks *t, const jn_tasks_path *path, double from, double to, double tolerance, double *q,
                          double *time, signed char *active, jn_reach *reach) {
  jn_reach own;
  if (!t || !path || !path->at || !q) return JN_ERR_NULL;
  if (t->options.order < 1) return JN_ERR_WORK;
  if (!isfinite(from) || !isfinite(to) || !(tolerance >= 0)) return JN_ERR_SIZE;
  pursuit p = {.path = path,
               .order = t->options.order,
               .now = from,
               .end = to,
               .tolerance = tolerance > 0 ? tolerance : fmax(1e-10, 1e4 * jn_row_epsilon()),
               .q = q,
               .next = t->q_target + t->nq,
               .active = active,
               .reach = reach ? reach : &own};
  double shortest = fmax(1e-9 * fabs(to - from), 16 * DBL_EPSILON * fmax(fabs(from), fabs(to)));
  jn_status status = path->at(path->context, from, 0, t->target, NULL);
  if (status == JN_OK) status = jn__tasks_solve_once(t, t->target, q, active, p.reach);
  while (status == JN_OK && p.now != to) status = advance(t, &p, shortest);
  if (status == JN_OK && active) jn__tasks_active(t, q, active);
  if (time) *time = p.now;
  return status;
}
