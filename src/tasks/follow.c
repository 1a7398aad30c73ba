/* SPDX-License-Identifier: BSD-2-Clause */
/* Along a path: steps of the Taylor series of the motion, each corrected by a search that starts from it. The step is
 * as long as the last term of the series, and what the brackets of rotations add to it, stay within the tolerance. It
 * ends where a coordinate comes to its limit; if the tasks drive it on from there, so does the motion. The number of
 * steps is bounded, so that a path that gets ever harder ends, too. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "tasks.h"

/* A path that is being followed. */
typedef struct pursuit {
  const jn_tasks_path *path;
  int order;
  double now, end, tolerance;
  double tiny;      /* steps that are shorter than this make hardly any way, */
  int steps, slow;  /* how many are left, and how many of these in a row */
  double *q, *next; /* [nq] */
  const double *v_jet;
  signed char *active;
  jn_reach *reach;
} pursuit;

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
  double left = p->end - p->now, h = fabs(left);
  double last = largest(p->v_jet + p->order * t->nv, t->nv) / jn__factorial(p->order + 1),
         tolerance = step_tolerance(t, p);
  if (last > 0) h = fmin(h, pow(tolerance / last, 1.0 / (p->order + 1)));
  if (has_groups(t)) {
    double bracket = largest(p->v_jet, t->nv) * largest(p->v_jet + t->nv, t->nv) / 2;
    if (bracket > 0) h = fmin(h, cbrt(tolerance / bracket));
  }
  return h >= fabs(left) ? left : copysign(h, left);
}

/* The series of coordinate i at h: how far it moves. */
static double series_at(const jn_tasks *t, const pursuit *p, int i, double h) {
  double sum = 0, power = 1;
  for (int k = 0; k <= p->order; k++) {
    power *= h / (k + 1);
    sum += power * p->v_jet[k * t->nv + i];
  }
  return sum;
}

/* The part of h until coordinate i is beyond `limit` on that side. */
static double part_until(const jn_tasks *t, const pursuit *p, int i, double h, double limit, int side) {
  double from = 0, to = 1;
  for (int k = 0; k < 52; k++) {
    double middle = (from + to) / 2;
    if (side * (series_at(t, p, i, middle * h) - limit) > 0)
      to = middle;
    else
      from = middle;
  }
  return from;
}

/* The part of h within limits; *stopped: a coordinate is at a limit already, and goes on across it. */
static double part_within(const jn_tasks *t, const pursuit *p, double h, int *stopped) {
  static const double no_way = 1e-3;
  double part = 1;
  *stopped = 0;
  for (int i = 0; i < t->nv; i++) {
    if (t->place[i] < 0) continue;
    double x = p->q[t->place[i]], moved = series_at(t, p, i, h);
    int side = moved > 0 ? 1 : -1;
    double room = side > 0 ? t->upper[i] - x : t->lower[i] - x; /* with the sign of the side */
    if (!(side * (moved - room) > p->tolerance)) continue;
    int at = fabs(room) <= p->tolerance;
    double own = part_until(t, p, i, h, at ? room + side * p->tolerance : room, side);
    if (at && own < no_way) *stopped = 1;
    part = fmin(part, own);
  }
  return part;
}

/* next = q (+) the series at h. */
static jn_status predict(jn_tasks *t, const pursuit *p, double h) {
  double *x = t->step.x;
  for (int i = 0; i < t->nv; i++) x[i] = series_at(t, p, i, h);
  return jn_integrate(t->model, t->work, p->q, x, p->next);
}

/* A step of h; *taken is 0 when it was too long. */
static jn_status try_step(jn_tasks *t, pursuit *p, double h, int *taken) {
  double *before = t->q_start;
  *taken = 0;
  jn_status status = predict(t, p, h);
  if (status == JN_OK) status = p->path->at(p->path->context, p->now + h, 0, t->target, NULL);
  if (status != JN_OK) return status;
  memcpy(before, p->next, sizeof(double) * (size_t)t->nq);
  status = jn__tasks_solve_once(t, t->target, p->next, NULL, p->reach);
  if (status == JN_ERR_REACH) return JN_OK;
  if (status == JN_OK) status = jn_difference(t->model, t->work, before, p->next, t->step.d);
  if (status != JN_OK) return status;
  p->reach->outcome = JN_REACH_SINGULAR;
  if (!(largest(t->step.d, t->nv) <= fmax(1e3 * step_tolerance(t, p), 1e-7)))
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
  int kept = why == JN_REACH_LIMITS || why == JN_REACH_ITERATIONS;
  if (kept || p->reach->outcome == JN_REACHED) p->reach->outcome = why;
  if (why == JN_REACH_LIMITS || (why == JN_REACH_SINGULAR && near_limits(t, p->q, NULL) > 0))
    p->reach->limits = near_limits(t, p->q, p->active);
  return JN_ERR_REACH;
}

static int slow_steps(const jn_tasks *t) {
  return t->options.iterations > INT_MAX / 5 ? INT_MAX : 5 * t->options.iterations;
}

/* The motion gets ever faster: what is left beside coordinates at a limit comes to a singularity, in most cases. */
static jn_status give_up(jn_tasks *t, pursuit *p) {
  return explain(t, p, near_limits(t, p->q, NULL) > 0 ? JN_REACH_LIMITS : JN_REACH_ITERATIONS);
}

static jn_status advance(jn_tasks *t, pursuit *p, double shortest) {
  if (p->steps-- <= 0 || p->slow <= 0) return give_up(t, p);
  jn_status status = p->path->at(p->path->context, p->now, p->order, t->target, t->rate_jet);
  if (status != JN_OK) return status;
  double *v_jet = t->follow_jet;
  status = jn_tasks_motion_jet(t, p->order, p->q, t->target, NULL, t->rate_jet, v_jet, p->reach);
  if (status == JN_ERR_REACH) return explain(t, p, JN_REACH_SINGULAR);
  if (status != JN_OK) return status;
  p->v_jet = v_jet;
  int taken = 0, stopped;
  double h = step_length(t, p), part = part_within(t, p, h, &stopped);
  if (stopped) return explain(t, p, JN_REACH_LIMITS);
  if (part < 1) h *= part;
  for (; status == JN_OK && !taken && fabs(h) >= shortest; h /= taken ? 1 : 4) status = try_step(t, p, h, &taken);
  p->slow = fabs(h) < p->tiny ? p->slow - 1 : slow_steps(t);
  if (status != JN_OK || taken) return status;
  return explain(t, p, part < 1 || p->reach->outcome == JN_REACH_LIMITS ? JN_REACH_LIMITS : JN_REACH_SINGULAR);
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
               .tiny = 1e-4 * fabs(to - from),
               .tolerance = tolerance > 0 ? tolerance : fmax(1e-10, 1e4 * jn_variant_epsilon()),
               .q = q,
               .next = t->q_target + t->nq,
               .active = active,
               .reach = reach ? reach : &own};
  p.slow = slow_steps(t);
  p.steps = p.slow > INT_MAX / 20 ? INT_MAX : 20 * p.slow;
  double shortest = fmax(1e-8 * fabs(to - from), 16 * DBL_EPSILON * fmax(fabs(from), fabs(to)));
  jn_status status = path->at(path->context, from, 0, t->target, NULL);
  if (status == JN_OK) status = jn__tasks_solve_once(t, t->target, q, active, p.reach);
  while (status == JN_OK && p.now != to) status = advance(t, &p, shortest);
  if (status == JN_OK && active) jn__tasks_active(t, q, active);
  if (time) *time = p.now;
  return status;
}
