/* SPDX-License-Identifier: BSD-2-Clause */
/* The largest factor at which a motion keeps its limits.
 *
 * Factors only go down: every limit at every sample moves the factor to the largest one below it that it allows, until
 * none does any more. So none is skipped, although the factors that are allowed need not be an interval.
 *
 * Samples are so close that they show everything the motion and its wrenches do (jn_trajectory_next_step()). Between
 * two samples at distance h, a curve with values and slopes f, f' departs from the straight line of slope s by at most
 * 4/27 h (|f0' - s| + |f1' - s|) if it is a cubic; twice that is allowed for curves that are not. Where that passes a
 * limit, the interval is halved, until what is left is 1e-10 of the limit, by which the factor is lowered in the end.
 * Along an optimal path, where motions are near their limits nearly everywhere, it is halved until 1e-5 of the limit is
 * left, and samples keep as much of it unused.
 *
 * Motors behind springs that are not linear are no polynomials of the factor: their limits are kept at the samples. */
#include <math.h>
#include <string.h>

#include "retime.h"

enum { DEPTH = 24, SWEEPS = 60 };
static const double finest = 1e-10,
                    spare = 1e-5; /* shares of a limit: left between samples of a factor, and of a path */

typedef struct watched_limit {
  int v;
  jn_limited which;
  double lower, upper;
} watched_limit;

typedef struct factor_sweep {
  const jn_scaled *x;
  watched_limit *list;
  int count;
  jn_limited_value *values; /* [DEPTH + 3][count] */
  double factor;
  int changed, near;
  int left;       /* index of the values at the left end of an interval: 0 or 1; the right end has 1 - left */
  double step;    /* step along the path that the last place suggests */
  double *motors; /* [nv x 4] scratch; NULL: all springs are linear */
  jn_limit_event *event;
} factor_sweep;

/* The limit of a motor behind a nonlinear spring that is broken at a factor; -1: none. */
static int broken_motor(factor_sweep *sweep, const jn_timing *at, double factor, double t, jn_status *status) {
  const jn_path *p = sweep->x->path;
  *status = jn__path_motors(sweep->x->path, at, factor, t / factor, sweep->motors);

  /* Values of the motors against their limits; a spring that cannot carry the force has an infinite deflection. */
  for (int i = 0; i < 4 * p->nv && *status == JN_OK; i++) {
    int v = i / 4, which = JN_LIMITED_MOTOR_EFFORT + i % 4;
    const jn_range *l = &p->limits[v * JN_LIMITED_QUANTITIES + which];
    if (!p->nonlinear[v] || (isinf(sweep->motors[i]) ? 0 : !jn__is_limited(p, v, which))) continue;
    if (!(sweep->motors[i] <= l->upper && sweep->motors[i] >= l->lower) || isinf(sweep->motors[i])) return i;
  }
  return -1;
}

/* Lowers the factor for these motors: down in steps of 2 % until all limits hold, then up again by halves, because
 * no polynomial gives the answer. */
static jn_status lower_for_motors(factor_sweep *sweep, const jn_timing *at, double u, double t) {
  const double step = 0.98, least = 1e-6;
  jn_status status;
  double bad = sweep->factor, good = bad;
  int broken = broken_motor(sweep, at, bad, t, &status), first = broken;

  /* Down until all limits hold. */
  while (broken >= 0 && status == JN_OK && good > least * sweep->x->largest) {
    bad = good;
    good *= step;
    first = broken;
    broken = broken_motor(sweep, at, good, t, &status);
  }
  if (first < 0 || status != JN_OK) return status;

  /* Up again by halves. */
  for (int i = 0; i < 40 && broken < 0 && status == JN_OK; i++) {
    double middle = 0.5 * (good + bad);
    int now = broken_motor(sweep, at, middle, t, &status);
    if (now >= 0)
      bad = middle, first = now;
    else
      good = middle;
  }

  /* The new factor, and the limit that made it. */
  sweep->factor = broken < 0 ? good : 0;
  sweep->changed = 1;
  int v = first / 4, which = JN_LIMITED_MOTOR_EFFORT + first % 4;
  const jn_range *l = &sweep->x->path->limits[v * JN_LIMITED_QUANTITIES + which];
  if (status == JN_OK) broken_motor(sweep, at, bad, t, &status);
  double value = sweep->motors[first];
  *sweep->event =
      (jn_limit_event){v, (jn_limited)which, value, value > 0.5 * (l->lower + l->upper) ? l->upper : l->lower, u, u};
  return status;
}

/* Distance to the next place: forces follow sines of sums of angles, and these advance by a sixteenth of a period at
 * most. */
static double step_of_rotation(const jn_path *p) {
  const double turn = 6.283185307179586 / 16;
  double rate = 0;
  for (int v = 0; v < p->nv; v++) {
    int number, joint = jn_coordinate_joint(p->model, v, &number);
    if (jn_joint_type_of(p->model, joint) != JN_PRISMATIC) rate += fabs(p->q[p->nv + v]);
  }
  return rate > 0 ? turn / rate : INFINITY;
}

/* Values of all watched limits at a place, and the factor that they allow there. */
static jn_status evaluate(factor_sweep *sweep, int interval, double t, jn_limited_value *to) {
  const jn_scaled *x = sweep->x;
  jn_timing at = {{1}};
  if (x->speed) jn__speed_at(x->speed, interval, t, &at);

  /* The path at this place, and its limited quantities as polynomials in the factor. */
  jn_status status = jn__path_at(x->path, t, x->speed != NULL);
  for (int i = 0; i < sweep->count && status == JN_OK; i++)
    jn__path_limited(x->path, &at, sweep->list[i].v, sweep->list[i].which, &to[i]);

  /* Each limit lowers the factor to the largest one that it allows. */
  for (int i = 0; i < sweep->count && status == JN_OK; i++) {
    const watched_limit *l = &sweep->list[i];
    double allowed = jn__polynomial_within(to[i].value, l->lower, l->upper, sweep->factor);
    if (allowed >= sweep->factor) continue;
    double value = jn__polynomial_value(to[i].value, allowed > 0 ? allowed : 1);
    *sweep->event =
        (jn_limit_event){l->v, l->which, value, value > 0.5 * (l->lower + l->upper) ? l->upper : l->lower, t, t};
    sweep->changed = 1;
    sweep->factor = allowed;
    if (allowed == 0) return JN_OK;
  }

  sweep->step = step_of_rotation(x->path);
  if (status != JN_OK || !sweep->motors) return status;
  return lower_for_motors(sweep, &at, t, x->speed ? jn__speed_time(x->speed, interval, t) : t);
}

static double limit_size(double lower, double upper) {
  return fmax(isfinite(upper) ? fabs(upper) : 0, isfinite(lower) ? fabs(lower) : 0);
}

/* Whether a limit may be passed between two samples; 2: only by so little that it does not matter. */
static int may_pass(const factor_sweep *sweep, double h, const jn_limited_value *a, const jn_limited_value *b) {
  int result = 0;
  for (int i = 0; i < sweep->count; i++) {
    const watched_limit *l = &sweep->list[i];
    double f0 = jn__polynomial_value(a[i].value, sweep->factor), f1 = jn__polynomial_value(b[i].value, sweep->factor);
    double d0 = jn__polynomial_value(a[i].slope, sweep->factor), d1 = jn__polynomial_value(b[i].slope, sweep->factor);

    /* Largest departure from the straight line between the samples, and what it passes the limit by. */
    double s = (f1 - f0) / h, off = 8.0 / 27 * h * (fabs(d0 - s) + fabs(d1 - s));
    double over = fmax(fmax(f0, f1) + off - l->upper, l->lower - fmin(f0, f1) + off);
    if (!(over > 0)) continue;

    double size = limit_size(l->lower, l->upper);
    if (over > (sweep->x->speed ? spare : finest) * size) return 1;
    if (!sweep->x->speed) result = 2;
  }
  return result;
}

/* Looks between two samples, halving the interval while a limit may be passed. */
static jn_status between(factor_sweep *sweep, int interval, double t0, double t1, int left, int right, int depth) {
  size_t n = (size_t)sweep->count;
  jn_limited_value *a = sweep->values + (size_t)left * n, *b = sweep->values + (size_t)right * n;
  if (sweep->factor == 0) return JN_OK;

  /* Nothing to do if no limit can be passed, or if the interval is too short to matter. */
  int pass = may_pass(sweep, t1 - t0, a, b);
  if (pass == 2) sweep->near = 1;
  if (pass != 1) return JN_OK;
  if (depth == DEPTH) {
    sweep->near = 1;
    return JN_OK;
  }

  /* Otherwise the middle, and both halves. */
  double t = 0.5 * (t0 + t1);
  int middle = depth + 2;
  jn_status status = evaluate(sweep, interval, t, sweep->values + (size_t)middle * n);
  if (status == JN_OK) status = between(sweep, interval, t0, t, left, middle, depth + 1);
  return status == JN_OK ? between(sweep, interval, t, t1, middle, right, depth + 1) : status;
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

/* The first place after u at which the path reaches time s of the trajectory; `end` if that is beyond it. */
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

/* The next place after u, not beyond `end`, so that nothing of the motion or of its wrenches is missed in between.
 * *breaks: something may jump there. */
static double next_place(const factor_sweep *sweep, double u, double end, int *breaks) {
  const jn_path *p = sweep->x->path;
  const jn_trajectory *t = p->from.trajectory;
  double w[JN_PATH_ROWS];
  jn__path_shape(p, u, w);

  double s = jn_trajectory_next_step(t, w[0]), next = place_of(p, s, u, end), nearest = fmin(end, u + sweep->step);
  int is_knot = jn_trajectory_samples(t) == 0 && s == jn_trajectory_next_knot(t, w[0]);

  *breaks = next < nearest && (is_knot || s == jn_trajectory_next_wrench(t, w[0]));
  if (next > nearest) next = nearest;
  return next > u ? next : nextafter(u, INFINITY);
}

/* Evaluates all places from u to `end`; the values on the left are those at u. */
static jn_status follow(factor_sweep *sweep, int interval, double u, double end) {
  jn_status status = JN_OK;
  size_t n = (size_t)sweep->count;
  while (u < end && status == JN_OK && sweep->factor > 0) {
    int breaks, right = 1 - sweep->left;
    double next = next_place(sweep, u, end, &breaks), edge = breaks ? nextafter(next, -INFINITY) : next;

    if (edge > u) {
      status = evaluate(sweep, interval, edge, sweep->values + (size_t)right * n);
      double step = sweep->step;
      if (status == JN_OK) status = between(sweep, interval, u, edge, sweep->left, right, 0);
      sweep->step = step;
      sweep->left = right;
    }

    /* The other side of a jump. */
    if (breaks) next = nextafter(next, INFINITY);
    if (breaks && status == JN_OK) status = evaluate(sweep, interval, next, sweep->values + (size_t)sweep->left * n);
    u = next;
  }
  return status;
}

/* One sweep over the whole path. */
static jn_status run_sweep(factor_sweep *sweep) {
  const jn_scaled *x = sweep->x;
  int pieces = x->speed ? x->speed->intervals : 1, each = jn__places_each(pieces, x->samples);
  jn_status status = JN_OK;

  /* Interval by interval, place by place. */
  for (int i = 0; i < pieces && status == JN_OK && sweep->factor > 0; i++) {
    sweep->left = 0;
    status = evaluate(sweep, i, jn__place_in(x->path->length, pieces, i, 0), sweep->values);
    for (int k = 0; k < each && status == JN_OK && sweep->factor > 0; k++) {
      double from = jn__place_in(x->path->length, pieces, i, (double)k / each);
      double to = jn__place_in(x->path->length, pieces, i, (double)(k + 1) / each);
      if (x->progress && k % 4 == 0) x->progress(x->progress_context, (i + (double)k / each) / pieces);
      status = follow(sweep, i, from, to);
    }
  }
  return status;
}

/* Lists the limits to watch; list NULL: only counts them. */
static int list_limits(const jn_scaled *x, watched_limit *list) {
  int count = 0;
  for (int v = 0; v < x->path->nv; v++)
    for (int k = (int)x->first; k <= (int)x->last; k++) {
      const jn_range *l = &x->path->limits[v * JN_LIMITED_QUANTITIES + k];
      if (!jn__is_limited(x->path, v, k)) continue;
      if (k >= JN_LIMITED_MOTOR_EFFORT && x->path->nonlinear && x->path->nonlinear[v])
        continue; /* lower_for_motors() */

      /* rounding at a limit of position does not break it; others are kept with what may be between samples */
      double size = limit_size(l->lower, l->upper), slack = 0;
      if (k == JN_LIMITED_POSITION)
        slack = 1e-9 * fmax(1, size);
      else if (x->speed)
        slack = -spare * size;
      if (list) list[count] = (watched_limit){v, (jn_limited)k, l->lower - slack, l->upper + slack};
      count++;
    }
  return count;
}

/* No factor is possible: finds the limit that is broken most at rest. If none is broken at rest, the motion itself is
 * ruled out, such as any motion with a velocity limit of zero; the event is then what stopped it. */
static jn_status find_limit_broken_at_rest(factor_sweep *sweep) {
  const jn_scaled *x = sweep->x;
  double worst = 0;
  jn_status status = JN_OK;
  for (int k = 0; k <= x->samples && status == JN_OK; k++) {
    double u = x->path->length * k / x->samples;
    jn_timing at = {{1}};
    jn_limited_value now;
    status = jn__path_at(x->path, u, 0);

    /* Forces at rest, in proportion to their limits. */
    for (int i = 0; i < sweep->count && status == JN_OK; i++) {
      const watched_limit *l = &sweep->list[i];
      if (!jn__path_limited(x->path, &at, l->v, l->which, &now)) continue;
      double value = now.value[0], limit = value > l->upper ? l->upper : l->lower;
      double over = fmax(value - l->upper, l->lower - value) / fmax(fabs(limit), 1e-300);
      if (!(over > worst)) continue;
      worst = over;
      *sweep->event = (jn_limit_event){l->v, l->which, value, limit, u, u};
    }
  }
  return status;
}

jn_status jn__largest_factor(const jn_scaled *x, const jn_allocator *a, double *factor, jn_limit_event *event) {
  factor_sweep sweep = {.x = x, .factor = x->largest, .event = event};
  *event = (jn_limit_event){.v = JN_NONE};
  *factor = x->largest;
  sweep.count = list_limits(x, NULL);
  if (sweep.count == 0 && !x->path->nonlinear) return JN_OK;

  size_t n = (size_t)sweep.count;
  sweep.list = jn__allocate(a, (n + 1) * sizeof *sweep.list);
  sweep.values = jn__allocate(a, ((DEPTH + 3) * n + 1) * sizeof *sweep.values);
  if (x->path->nonlinear) sweep.motors = jn__allocate(a, 4 * (size_t)x->path->nv * sizeof *sweep.motors);
  jn_status status = sweep.list && sweep.values && (sweep.motors || !x->path->nonlinear) ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) list_limits(x, sweep.list);

  /* Sweeps until no limit lowers the factor any more. */
  for (int i = 0; i < SWEEPS && status == JN_OK; i++) {
    sweep.changed = sweep.near = 0;
    status = run_sweep(&sweep);
    if (!sweep.changed || sweep.factor == 0) break;
  }
  if (status == JN_OK && sweep.factor == 0) status = find_limit_broken_at_rest(&sweep);
  if (sweep.near) sweep.factor *= 1 - 2e-10;

  *factor = sweep.factor;
  jn__release(a, sweep.list);
  jn__release(a, sweep.values);
  jn__release(a, sweep.motors);
  return status;
}
