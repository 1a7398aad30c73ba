/* SPDX-License-Identifier: BSD-2-Clause */
/* The largest factor at which a motion keeps its limits. Factors go down only: every limit at every sample moves the
 * factor to the largest one below it that it allows, until none does any more. So none is skipped, although the factors
 * that are allowed need not be an interval.
 *
 * Samples are so close that the motion and its wrenches show all that they do (jn_trajectory_next_step()). Between two,
 * a curve with values and slopes f, f' is off from the straight line of slope s by 4/27 h (|f0' -
 * s|
 * + |f1' - s|) at most if it is a cubic; twice that is allowed for what is not. Where that passes a limit, the interval
 * is halved, until what is left is 1e-10 of the limit, by which the factor is lowered in the end. Along the path, where
 * motions are near their limits nearly everywhere, it is halved until 1e-5 of the limit is left, and samples keep as
 * much of it unused.
 *
 * Motors behind springs that are not linear are no polynomials of the factor: their limits are kept at the samples. */
#include <math.h>
#include <string.h>

#include "retime.h"

enum { DEPTH = 24, SWEEPS = 60 };
static const double finest = 1e-10, spare = 1e-5; /* of a limit: left between samples of a factor, and of a path */

typedef struct watched {
  int v;
  jn_limited which;
  double lower, upper;
} watched;

typedef struct sweep {
  const jn_scaled *x;
  watched *list;
  int count;
  jn_limited_value *values; /* [DEPTH + 3][count] */
  double factor;
  int changed, near;
  int left;       /* of the values: 0 or 1; the other end of an interval is 1 - left */
  double step;    /* along the path, that the last place that was looked at suggests */
  double *motors; /* [nv x 4] room; NULL: all springs are linear */
  jn_limit_event *event;
} sweep;

/* Of springs that are not linear: the limit that is broken at a factor; -1: none. */
static int broken_motor(sweep *w, const jn_timing *at, double factor, double t, jn_status *status) {
  const jn_path *p = w->x->path;
  *status = jn__path_motors(w->x->path, at, factor, t / factor, w->motors);
  for (int i = 0; i < 4 * p->nv && *status == JN_OK; i++) {
    int v = i / 4, which = JN_LIMITED_MOTOR_EFFORT + i % 4;
    const jn_range *l = &p->limits[v * JN_LIMITED_QUANTITIES + which];
    if (!p->bent[v] || (isinf(w->motors[i]) ? 0 : !jn__is_limited(p, v, which))) continue;
    if (!(w->motors[i] <= l->upper && w->motors[i] >= l->lower) || isinf(w->motors[i])) return i;
  }
  return -1;
}

/* Down in steps of 2 % until all hold, then up again by halves: no polynomial says where. */
static jn_status lower_for_motors(sweep *w, const jn_timing *at, double u, double t) {
  const double step = 0.98, least = 1e-6;
  jn_status status;
  double bad = w->factor, good = bad;
  int broken = broken_motor(w, at, bad, t, &status), first = broken;
  while (broken >= 0 && status == JN_OK && good > least * w->x->largest) {
    bad = good;
    good *= step;
    first = broken;
    broken = broken_motor(w, at, good, t, &status);
  }
  if (first < 0 || status != JN_OK) return status;
  for (int i = 0; i < 40 && broken < 0 && status == JN_OK; i++) {
    double middle = 0.5 * (good + bad);
    int now = broken_motor(w, at, middle, t, &status);
    if (now >= 0)
      bad = middle, first = now;
    else
      good = middle;
  }
  w->factor = broken < 0 ? good : 0;
  w->changed = 1;
  int v = first / 4, which = JN_LIMITED_MOTOR_EFFORT + first % 4;
  const jn_range *l = &w->x->path->limits[v * JN_LIMITED_QUANTITIES + which];
  if (status == JN_OK) broken_motor(w, at, bad, t, &status);
  double value = w->motors[first];
  *w->event =
      (jn_limit_event){v, (jn_limited)which, value, value > 0.5 * (l->lower + l->upper) ? l->upper : l->lower, u, u};
  return status;
}

/* How far to the next place to look at: forces follow sines of sums of angles, and these go on by a sixteenth of a
 * period at most. */
static double turning_step(const jn_path *p) {
  const double turn = 6.283185307179586 / 16;
  double rate = 0;
  for (int v = 0; v < p->nv; v++) {
    int number, joint = jn_coordinate_joint(p->model, v, &number);
    if (jn_joint_type_of(p->model, joint) != JN_PRISMATIC) rate += fabs(p->q[p->nv + v]);
  }
  return rate > 0 ? turn / rate : INFINITY;
}

static jn_status evaluate(sweep *w, int interval, double t, jn_limited_value *to) {
  const jn_scaled *x = w->x;
  jn_timing at = {{1}};
  if (x->speed) jn__speed_at(x->speed, interval, t, &at);
  jn_status status = jn__path_at(x->path, t, x->speed != NULL);
  for (int i = 0; i < w->count && status == JN_OK; i++)
    jn__path_limited(x->path, &at, w->list[i].v, w->list[i].which, &to[i]);
  for (int i = 0; i < w->count && status == JN_OK; i++) {
    const watched *l = &w->list[i];
    double allowed = jn__polynomial_within(to[i].value, l->lower, l->upper, w->factor);
    if (allowed >= w->factor) continue;
    double value = jn__polynomial_value(to[i].value, allowed > 0 ? allowed : 1);
    *w->event =
        (jn_limit_event){l->v, l->which, value, value > 0.5 * (l->lower + l->upper) ? l->upper : l->lower, t, t};
    w->changed = 1;
    w->factor = allowed;
    if (allowed == 0) return JN_OK;
  }
  w->step = turning_step(x->path);
  if (status != JN_OK || !w->motors) return status;
  return lower_for_motors(w, &at, t, x->speed ? jn__speed_time(x->speed, interval, t) : t);
}

static double limit_size(double lower, double upper) {
  return fmax(isfinite(upper) ? fabs(upper) : 0, isfinite(lower) ? fabs(lower) : 0);
}

/* May a limit be passed between two samples? 2: only by so little that it does not matter. */
static int may_pass(const sweep *w, double h, const jn_limited_value *a, const jn_limited_value *b) {
  int result = 0;
  for (int i = 0; i < w->count; i++) {
    const watched *l = &w->list[i];
    double f0 = jn__polynomial_value(a[i].value, w->factor), f1 = jn__polynomial_value(b[i].value, w->factor);
    double d0 = jn__polynomial_value(a[i].slope, w->factor), d1 = jn__polynomial_value(b[i].slope, w->factor);
    double s = (f1 - f0) / h, off = 8.0 / 27 * h * (fabs(d0 - s) + fabs(d1 - s));
    double over = fmax(fmax(f0, f1) + off - l->upper, l->lower - fmin(f0, f1) + off);
    if (!(over > 0)) continue;
    double size = limit_size(l->lower, l->upper);
    if (over > (w->x->speed ? spare : finest) * size) return 1;
    if (!w->x->speed) result = 2;
  }
  return result;
}

static jn_status between(sweep *w, int interval, double t0, double t1, int left, int right, int depth) {
  size_t n = (size_t)w->count;
  jn_limited_value *a = w->values + (size_t)left * n, *b = w->values + (size_t)right * n;
  if (w->factor == 0) return JN_OK;
  int pass = may_pass(w, t1 - t0, a, b);
  if (pass == 2) w->near = 1;
  if (pass != 1) return JN_OK;
  if (depth == DEPTH) {
    w->near = 1;
    return JN_OK;
  }
  double t = 0.5 * (t0 + t1);
  int middle = depth + 2;
  jn_status status = evaluate(w, interval, t, w->values + (size_t)middle * n);
  if (status == JN_OK) status = between(w, interval, t0, t, left, middle, depth + 1);
  return status == JN_OK ? between(w, interval, t, t1, middle, right, depth + 1) : status;
}

int jn__places_each(int intervals, int samples) {
  enum { STEPS = 6 }; /* of the optimiser in an interval */
  int each = (samples + intervals - 1) / intervals;
  return intervals == 1 ? each : STEPS * ((each + STEPS - 1) / STEPS);
}

double jn__place_in(double length, int intervals, int interval, double part) {
  double width = length / intervals;
  return width * interval + width * part;
}

/* The first place after u at which the path is at time s of the trajectory; `end` if that is beyond it. */
static double place_of(const jn_path *p, double s, double u, double end) {
  double w[JN_PATH_ROWS], low = u, high = end;
  if (!p->shape[0] && !p->shape[1]) return fmin(s - p->start, end);

  jn__path_shape(p, end, w);
  if (!(w[0] > s)) return end;
  for (int i = 0; i < 60 && high > nextafter(low, INFINITY); i++) {
    double middle = low + (high - low) / 2;
    jn__path_shape(p, middle, w);
    if (w[0] < s)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* The place to look at after u, not beyond `end`, so that nothing of the motion or of its wrenches is between them.
 * *breaks: something may jump there. */
static double next_place(const sweep *x, double u, double end, int *breaks) {
  const jn_path *p = x->x->path;
  const jn_trajectory *t = p->from.trajectory;
  double w[JN_PATH_ROWS];
  jn__path_shape(p, u, w);

  double s = jn_trajectory_next_step(t, w[0]), next = place_of(p, s, u, end), nearest = fmin(end, u + x->step);
  int is_knot = jn_trajectory_samples(t) == 0 && s == jn_trajectory_next_knot(t, w[0]);
  *breaks = next < nearest && (is_knot || s == jn_trajectory_next_wrench(t, w[0]));
  if (next > nearest) next = nearest;
  return next > u ? next : nextafter(u, INFINITY);
}

/* Look at all places from u to `end`; the values on the left are those at u. */
static jn_status follow(sweep *w, int interval, double u, double end) {
  jn_status status = JN_OK;
  size_t n = (size_t)w->count;
  while (u < end && status == JN_OK && w->factor > 0) {
    int breaks, right = 1 - w->left;
    double next = next_place(w, u, end, &breaks), edge = breaks ? nextafter(next, -INFINITY) : next;

    if (edge > u) {
      status = evaluate(w, interval, edge, w->values + (size_t)right * n);
      double step = w->step;
      if (status == JN_OK) status = between(w, interval, u, edge, w->left, right, 0);
      w->step = step;
      w->left = right;
    }

    /* The other side of a jump. */
    if (breaks) next = nextafter(next, INFINITY);
    if (breaks && status == JN_OK) status = evaluate(w, interval, next, w->values + (size_t)w->left * n);
    u = next;
  }
  return status;
}

static jn_status run_sweep(sweep *w) {
  const jn_scaled *x = w->x;
  int pieces = x->speed ? x->speed->intervals : 1, each = jn__places_each(pieces, x->samples);
  jn_status status = JN_OK;
  for (int i = 0; i < pieces && status == JN_OK && w->factor > 0; i++) {
    w->left = 0;
    status = evaluate(w, i, jn__place_in(x->path->length, pieces, i, 0), w->values);
    for (int k = 0; k < each && status == JN_OK && w->factor > 0; k++) {
      double from = jn__place_in(x->path->length, pieces, i, (double)k / each);
      double to = jn__place_in(x->path->length, pieces, i, (double)(k + 1) / each);
      if (x->progress && k % 4 == 0) x->progress(x->progress_context, (i + (double)k / each) / pieces);
      status = follow(w, i, from, to);
    }
  }
  return status;
}

static int list_limits(const jn_scaled *x, watched *list) {
  int count = 0;
  for (int v = 0; v < x->path->nv; v++)
    for (int k = (int)x->first; k <= (int)x->last; k++) {
      const jn_range *l = &x->path->limits[v * JN_LIMITED_QUANTITIES + k];
      if (!jn__is_limited(x->path, v, k)) continue;
      if (k >= JN_LIMITED_MOTOR_EFFORT && x->path->bent && x->path->bent[v]) continue; /* lower_for_motors() */

      /* rounding at a limit of position does not break it; others are kept with what may be between samples */
      double size = limit_size(l->lower, l->upper), slack = 0;
      if (k == JN_LIMITED_POSITION)
        slack = 1e-9 * fmax(1, size);
      else if (x->speed)
        slack = -spare * size;
      if (list) list[count] = (watched){v, (jn_limited)k, l->lower - slack, l->upper + slack};
      count++;
    }
  return count;
}

/* No factor is possible: the limit that is broken most at rest. Where none is, the motion is one that must not be, such
 * as any with a velocity limit of zero; the event is then what stopped it. */
static jn_status find_static(sweep *w) {
  const jn_scaled *x = w->x;
  double worst = 0;
  jn_status status = JN_OK;
  for (int k = 0; k <= x->samples && status == JN_OK; k++) {
    double u = x->path->length * k / x->samples;
    jn_timing at = {{1}};
    jn_limited_value now;
    status = jn__path_at(x->path, u, 0);
    for (int i = 0; i < w->count && status == JN_OK; i++) {
      const watched *l = &w->list[i];
      if (!jn__path_limited(x->path, &at, l->v, l->which, &now)) continue;
      double value = now.value[0], limit = value > l->upper ? l->upper : l->lower;
      double over = fmax(value - l->upper, l->lower - value) / fmax(fabs(limit), 1e-300);
      if (!(over > worst)) continue;
      worst = over;
      *w->event = (jn_limit_event){l->v, l->which, value, limit, u, u};
    }
  }
  return status;
}

jn_status jn__largest_factor(const jn_scaled *x, const jn_allocator *a, double *factor, jn_limit_event *event) {
  sweep w = {.x = x, .factor = x->largest, .event = event};
  *event = (jn_limit_event){.v = JN_NONE};
  *factor = x->largest;
  w.count = list_limits(x, NULL);
  if (w.count == 0 && !x->path->bent) return JN_OK;
  size_t n = (size_t)w.count;
  w.list = jn__allocate(a, (n + 1) * sizeof *w.list);
  w.values = jn__allocate(a, ((DEPTH + 3) * n + 1) * sizeof *w.values);
  if (x->path->bent) w.motors = jn__allocate(a, 4 * (size_t)x->path->nv * sizeof *w.motors);
  jn_status status = w.list && w.values && (w.motors || !x->path->bent) ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) list_limits(x, w.list);
  for (int i = 0; i < SWEEPS && status == JN_OK; i++) {
    w.changed = w.near = 0;
    status = run_sweep(&w);
    if (!w.changed || w.factor == 0) break;
  }
  if (status == JN_OK && w.factor == 0) status = find_static(&w);
  if (w.near) w.factor *= 1 - 2e-10;
  *factor = w.factor;
  jn__release(a, w.list);
  jn__release(a, w.values);
  jn__release(a, w.motors);
  return status;
}
