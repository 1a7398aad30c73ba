/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"

enum {
  DEPTH = 30,            /* how often an interval is halved */
  MOST_LOOKS = 20000000, /* a minute or so */
  PROGRESS_EVERY = 4096
};

/* Share of a limit that rounding may take. */
static const double slack = 1e-9;

bool limit_is_finite(const limit *l) { return isfinite(l->lower) || isfinite(l->upper); }

double limit_use(const limit *l, double value) {
  if (isnan(value)) return NAN;
  if (isfinite(l->lower) && isfinite(l->upper)) {
    double half = (l->upper - l->lower) / 2, middle = l->lower + half;
    if (half > 0) return fabs(value - middle) / half;
    return value == middle ? 0 : INFINITY;
  }
  /* One side only: a use is a share of nothing, but beyond the limit it is above 1. */
  double beyond = isfinite(l->upper) ? value - l->upper : l->lower - value;
  return beyond > 0 ? 1 + beyond : 0;
}

bool is_broken(const worst_case *w) { return w->samples > 0 || w->use > 1 + slack; }

void watch_init(watch *w, int count, const limit *limits, worst_case *worst) {
  size_t n = (size_t)count;
  *w = (watch){.count = count, .limits = limits, .worst = worst, .gave_up = INFINITY};
  w->looks = allocate((DEPTH + 3) * sizeof *w->looks);
  w->numbers = allocate(2 * (DEPTH + 3) * n * sizeof *w->numbers + 1);
  w->jumps = allocate(n * sizeof *w->jumps + 1);
  memset(w->jumps, 0, n * sizeof *w->jumps);
  w->sizes = allocate(n * sizeof *w->sizes + 1);
  memset(w->sizes, 0, n * sizeof *w->sizes);
  w->open = allocate(n * sizeof *w->open + 1);
  memset(w->open, 0, n * sizeof *w->open);

  for (size_t i = 0; i < DEPTH + 3; i++) {
    w->looks[i].values = w->numbers + 2 * i * n;
    w->looks[i].slopes = w->looks[i].values + n;
  }
  for (size_t i = 0; i < n; i++) worst[i] = (worst_case){.use = -1};
}

void watch_free(watch *w) {
  free(w->looks);
  free(w->numbers);
  free(w->jumps);
  free(w->open);
  free(w->sizes);
}

void watch_expect(watch *w, double frequency) {
  const double looks_in_period = 32;
  if (frequency * (w->end - w->begin) * looks_in_period > MOST_LOOKS) w->gave_up = w->begin;
}

void watch_sample(watch *w, double t, const double *values) {
  for (int i = 0; i < w->count; i++) {
    if (!limit_is_finite(&w->limits[i])) continue;
    double use = limit_use(&w->limits[i], values[i]);
    worst_case *worst = &w->worst[i];

    worst->samples += use > 1 + slack;
    if (use > worst->use * (1 + 1e-12)) *worst = (worst_case){use, values[i], t, worst->samples, false};
  }
}

/* Evaluate at a time, and keep what is worse than before. */
static jn_status look_at(watch *w, double t, look *to) {
  to->t = t;
  to->step = INFINITY;
  if (++w->looked % PROGRESS_EVERY == 0 && w->progress) w->progress((t - w->begin) / (w->end - w->begin));
  jn_status status = w->evaluate(w->context, t, to);
  if (status != JN_OK) return status;

  for (int i = 0; i < w->count; i++) {
    if (fabs(to->values[i]) > w->sizes[i]) w->sizes[i] = fabs(to->values[i]);
    if (!limit_is_finite(&w->limits[i])) continue;
    double use = limit_use(&w->limits[i], to->values[i]);
    worst_case *worst = &w->worst[i];
    if (use > worst->use * (1 + 1e-12))
      *worst = (worst_case){use, to->values[i], t, worst->samples, worst->samples == 0};
  }
  return JN_OK;
}

/* May limit i, which holds at both ends, be passed between them? The cubic with the same values and slopes f, f' is off
 * from the straight line, whose slope is s, by 4/27 h (|f0' - s| + |f1' - s|) at most; twice that is allowed for what
 * is no cubic. */
static bool may_pass(const watch *w, int i, const look *a, const look *b) {
  const limit *l = &w->limits[i];
  if (!limit_is_finite(l) || is_broken(&w->worst[i])) return false;

  double h = b->t - a->t, f0 = a->values[i], f1 = b->values[i], slope = (f1 - f0) / h;
  double off = 8.0 / 27 * h * (fabs(a->slopes[i] - slope) + fabs(b->slopes[i] - slope));
  double half = isfinite(l->upper - l->lower) ? (l->upper - l->lower) / 2 : 0, rounding = slack * half;
  return fmax(f0, f1) + off > l->upper + rounding || fmin(f0, f1) - off < l->lower - rounding;
}

static bool any_may_pass(const watch *w, const look *a, const look *b) {
  for (int i = 0; i < w->count; i++)
    if (may_pass(w, i, a, b)) return true;
  return false;
}

/* Halve the interval between looks `left` and `right` as long as a limit may be passed in it. */
static jn_status look_between(watch *w, int left, int right, int depth) {
  const look *a = &w->looks[left], *b = &w->looks[right];
  if (w->is_forward) {
    for (int i = 0; i < w->count; i++) w->open[i] |= may_pass(w, i, a, b);
    return JN_OK;
  }
  if (depth == DEPTH || w->looked > MOST_LOOKS || !any_may_pass(w, a, b)) return JN_OK;

  double t = a->t + (b->t - a->t) / 2;
  if (!(t > a->t && t < b->t)) return JN_OK;

  int middle = depth + 2;
  jn_status status = look_at(w, t, &w->looks[middle]);
  if (status == JN_OK) status = look_between(w, left, middle, depth + 1);
  return status == JN_OK ? look_between(w, middle, right, depth + 1) : status;
}

/* How much quantities change from one side of a time to the other. */
static void keep_jumps(watch *w, const look *before, const look *after) {
  for (int i = 0; i < w->count; i++) {
    double size = fabs(after->values[i] - before->values[i]);
    double change = 2 * (after->t - before->t) * (fabs(after->slopes[i]) + fabs(before->slopes[i]));
    if (size > change && size > w->jumps[i].size) w->jumps[i] = (jump){size, after->t};
  }
}

const jump *watch_jump(const watch *w, int i) {
  const double rounding = 1e-9;
  return w->jumps[i].size > rounding * w->sizes[i] ? &w->jumps[i] : NULL;
}

static void swap_ends(watch *w) {
  look keep = w->looks[0];
  w->looks[0] = w->looks[1];
  w->looks[1] = keep;
}

/* Both sides of a time at which something may jump, and the time itself. */
static jn_status look_across(watch *w, double t) {
  jn_status status = look_at(w, t, &w->looks[1]);
  if (status == JN_OK) status = look_at(w, nextafter(t, INFINITY), &w->looks[1]);
  if (status == JN_OK) keep_jumps(w, &w->looks[0], &w->looks[1]);
  swap_ends(w);
  return status;
}

jn_status watch_until(watch *w, double end) {
  jn_status status = JN_OK;
  if (!w->has_begun) {
    w->has_begun = true;
    status = look_at(w, w->begin, &w->looks[0]);
  }

  while (status == JN_OK && w->looks[0].t < end && isinf(w->gave_up)) {
    if (w->looked > MOST_LOOKS) {
      w->gave_up = w->looks[0].t;
      break;
    }
    bool breaks = false;
    double here = w->looks[0].t, next = w->next(w->context, here, &breaks);
    double nearest = fmin(end, here + w->looks[0].step);
    if (next > nearest) next = nearest > here ? nearest : nextafter(here, INFINITY), breaks = false;

    /* Up to the break, not beyond it. */
    breaks = breaks && !w->is_forward;
    double edge = breaks ? nextafter(next, -INFINITY) : next;
    if (edge > w->looks[0].t) {
      status = look_at(w, edge, &w->looks[1]);
      if (status == JN_OK) status = look_between(w, 0, 1, 0);
      swap_ends(w);
    }
    if (breaks && status == JN_OK) status = look_across(w, next);
  }
  return status;
}
