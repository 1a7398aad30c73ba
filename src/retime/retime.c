/* SPDX-License-Identifier: BSD-2-Clause */
/* Retiming as users call it: limits, options, the new motion and the limits that it reaches. */
#include <math.h>
#include <string.h>

#include "../model/model.h"
#include "../model/stop.h"
#include "retime.h"

struct jn_retimed {
  jn_allocator allocator;
  const jn_model *model;
  jn_path_source from;
  int nv, is_uniform;
  double start, length;     /* of the trajectory [s] */
  double duration, uniform; /* [s]; the largest factor */
  jn_speed speed;           /* of motions along the path */
  jn_path shape;            /* of which only the shape is used */
  jn_limit_event *events;
  int event_count, event_capacity;
};

const char *jn_limited_name(jn_limited which) {
  static const char *const names[JN_LIMITED_QUANTITIES] = {
      "position",    "velocity",     "acceleration",      "jerk",           "effort",
      "effort rate", "motor effort", "motor effort rate", "motor velocity", "deflection"};
  return (int)which >= 0 && which < JN_LIMITED_QUANTITIES ? names[which] : NULL;
}

static jn_range symmetric(double size) { return (jn_range){-size, size}; }

jn_status jn_limits_of_model(const jn_model *model, const jn_elastic *elastic, jn_range *limits) {
  if (!model || !limits) return JN_ERR_NULL;
  for (int v = 0; v < jn_model_nv(model); v++) {
    const jn_dof *d = jn_coordinate_dof(model, v);
    const jn_actuator *a = jn_elastic_actuator(elastic, v);
    jn_range *l = limits + v * JN_LIMITED_QUANTITIES;
    jn_joint_type type = jn_joint_type_of(model, jn_coordinate_joint(model, v, NULL));
    int has_position = type != JN_FREE && type != JN_SPHERICAL;
    l[JN_LIMITED_POSITION] = has_position ? (jn_range){d->lower, d->upper} : symmetric(INFINITY);
    l[JN_LIMITED_VELOCITY] = symmetric(d->velocity);
    l[JN_LIMITED_ACCELERATION] = symmetric(d->acceleration);
    l[JN_LIMITED_JERK] = symmetric(d->jerk);
    l[JN_LIMITED_EFFORT] = symmetric(d->effort);
    l[JN_LIMITED_EFFORT_RATE] = symmetric(d->effort_rate);
    l[JN_LIMITED_MOTOR_EFFORT] = a ? (jn_range){a->torque_lower, a->torque_upper} : symmetric(INFINITY);
    l[JN_LIMITED_MOTOR_EFFORT_RATE] = symmetric(a ? a->effort_rate : INFINITY);
    l[JN_LIMITED_MOTOR_VELOCITY] = symmetric(a ? a->velocity : INFINITY);
    l[JN_LIMITED_DEFLECTION] = symmetric(a ? a->deflection : INFINITY);
  }
  return JN_OK;
}

void jn_retime_options_init(jn_retime_options *options) {
  if (options)
    *options = (jn_retime_options){.size = sizeof *options,
                                   .largest = 1000,
                                   .samples = 1000,
                                   .intervals = 200,
                                   .iterations = 400,
                                   .start_speed = NAN,
                                   .end_speed = NAN};
}

/* ---- Steps ---- */

typedef struct retiming {
  jn_retimed *out;
  jn_path path;
  jn_range *limits; /* with margins */
  jn_retime_options o;
  jn_limit_event *event;
  double from, to; /* of the progress, in the present step */
} retiming;

static jn_status check_motors(const jn_model *model, const jn_elastic *elastic) {
  if (jn_elastic_order(elastic, 0) != 2) return JN_ERR_UNSUPPORTED; /* damping, rotors on links */
  for (int v = 0; v < jn_model_nv(model); v++) {
    const jn_actuator *a = jn_elastic_actuator(elastic, v);
    if (!a) return JN_ERR_SIZE;
    if (a->damping != 0) return JN_ERR_UNSUPPORTED;
  }
  return JN_OK;
}

static jn_status check_options(const jn_model *model, const jn_retime_options *o) {
  if (o->size != sizeof *o) return JN_ERR_INIT;
  if (!(o->margin >= 0 && o->margin < 1) || !(o->largest > 0) || o->samples < 2 || o->samples > 10000000)
    return JN_ERR_SIZE;
  if (o->intervals < 4 || o->intervals > 1000 || o->iterations < 0) return JN_ERR_SIZE;
  if (o->start_speed < 0 || o->end_speed < 0 || isinf(o->start_speed) || isinf(o->end_speed)) return JN_ERR_SIZE;
  if (!(o->step >= 0) || isinf(o->step) || !(o->ramp >= 0) || isinf(o->ramp)) return JN_ERR_SIZE;
  if (o->smooth_ends && !o->uniform && !o->elastic && o->ramp == 0) return JN_ERR_SIZE;
  if (jn_loop_count(model) > 0 && (!o->loops || !o->actuated || !o->motion)) return JN_ERR_UNSUPPORTED;
  if (o->losses && (o->elastic || o->loops)) return JN_ERR_UNSUPPORTED;
  return o->elastic ? check_motors(model, o->elastic) : JN_OK;
}

static void take_margins(const jn_range *from, int nv, double margin, jn_range *to) {
  for (int i = 0; i < nv * JN_LIMITED_QUANTITIES; i++) {
    double part = i % JN_LIMITED_QUANTITIES == JN_LIMITED_POSITION ? 0 : margin;
    double half = 0.5 * (from[i].upper - from[i].lower), cut = isfinite(half) ? part * half : 0;
    to[i].lower = isfinite(half) ? from[i].lower + cut : from[i].lower * (1 - part);
    to[i].upper = isfinite(half) ? from[i].upper - cut : from[i].upper * (1 - part);
  }
}

/* Part of the present step, which is r->from ... r->to of the whole. */
static void tell_progress(void *context, double part) {
  const retiming *r = context;
  if (r->o.progress) r->o.progress(r->from + (r->to - r->from) * part, r->o.progress_context);
}

static void begin_step(retiming *r, double to) {
  r->from = r->to;
  r->to = to;
}

/* The largest factor that is not above `most`. */
static jn_status largest(retiming *r, const jn_speed *speed, double most, double *factor) {
  jn_scaled scaled = {.path = &r->path, .speed = speed, .samples = r->o.samples, .largest = most};
  scaled.progress = tell_progress;
  scaled.progress_context = r;
  scaled.last = r->o.elastic ? JN_LIMITED_DEFLECTION : JN_LIMITED_EFFORT_RATE;
  if (r->path.nonlinear) scaled.samples *= 4; /* nothing says what is between them */
  return jn__largest_factor(&scaled, &r->out->allocator, factor, r->event);
}

/* The largest factor of a motion of this duration that makes it last a whole number of steps. A slower motion need not
 * keep what a faster one keeps, so it is looked at again. */
static jn_status largest_whole(retiming *r, const jn_speed *speed, double duration, double most, double *factor) {
  enum { ROUNDS = 100 };
  jn_status status = largest(r, speed, most, factor);
  for (int i = 0; i < ROUNDS && r->o.step > 0 && status == JN_OK && *factor > 0; i++) {
    double whole = duration / (r->o.step * ceil(duration / (*factor * r->o.step) - 1e-6));
    jn_limit_event event = *r->event;
    if (fabs(whole / *factor - 1) < 1e-9) break;
    status = largest(r, speed, fmin(whole, most), factor);
    if (r->event->v < 0) *r->event = event; /* what stops it from being one step shorter */
  }
  return status;
}

/* Is the path at rest at this end, whatever the timing, to as many derivatives as a start from rest needs? */
static jn_status rests(retiming *r, double u, int *moves, int *result) {
  enum { PLACES = 16 };
  const jn_path *p = &r->path;
  int orders = p->smooth ? 4 : 2;
  double size[5] = {0}, typical[5] = {0};
  jn_status status = JN_OK;
  for (int k = 0; k <= PLACES && status == JN_OK; k++) {
    status = jn__path_at(&r->path, k ? r->out->length * (k - 0.5) / PLACES : u, 0);
    for (int i = 0; i < orders * p->nv; i++) {
      int order = i / p->nv;
      double now = fabs(p->q[p->nv + i]);
      if (k == 0) size[order] = fmax(size[order], now);
      typical[order] = fmax(typical[order], now);
    }
  }
  *result = 1;
  *moves = !(size[0] <= 1e-9 * typical[0]);
  for (int order = 0; order < orders; order++) *result &= size[order] <= 1e-9 * typical[order];
  return status;
}

static void scale_speed(jn_speed *x, double factor) {
  for (int i = 0; i < x->intervals + JN_TIMING_DEGREE; i++) x->b[i] *= factor * factor;
  jn__speed_set(x);
}

/* Slower or faster as a whole, so that limits hold between the points, too; 0: not possible. */
static jn_status settle(retiming *r, double most, double *factor) {
  jn_status status = largest_whole(r, &r->out->speed, jn__speed_times(&r->out->speed), most, factor);
  if (status == JN_OK && *factor > 0) scale_speed(&r->out->speed, *factor);
  return status;
}

/* How the motion begins and ends, and memory for its speed. target: x there; NaN: free. */
static jn_status prepare(retiming *r, double target[2]) {
  jn_retimed *x = r->out;
  const double asked[2] = {r->o.start_speed, r->o.end_speed};
  int N = r->o.intervals;
  jn_status status = JN_OK;
  for (int i = 0; i < 2 && status == JN_OK; i++) {
    int rest, moves;
    status = rests(r, i ? x->length : 0, &moves, &rest);
    int stops = asked[i] == 0 || (isnan(asked[i]) && !r->o.moving_ends);
    if (r->path.shape[i] != (stops && !rest)) jn__path_forget(&r->path);
    r->path.shape[i] = stops && !rest;
    target[i] = asked[i] > 0 && moves ? asked[i] : NAN;
  }
  x->shape = (jn_path){.start = x->start, .length = x->length, .smooth = r->path.smooth};
  memcpy(x->shape.shape, r->path.shape, sizeof x->shape.shape);
  for (int i = 0; i < 2; i++) { /* s' = w' u' */
    double w[JN_PATH_ROWS];
    jn__path_shape(&x->shape, i ? x->length : 0, w);
    target[i] = target[i] * target[i] / (w[1] * w[1]);
  }
  x->speed = (jn_speed){.intervals = N, .length = x->length};
  x->speed.b = jn__allocate(&x->allocator, (size_t)(2 * N + JN_TIMING_DEGREE + 1 + N * JN_BASIS) * sizeof(double));
  if (!x->speed.b) return JN_ERR_MEMORY;
  x->speed.times = x->speed.b + N + JN_TIMING_DEGREE;
  x->speed.pieces = x->speed.times + N + 1;
  for (int i = 0; i < N + JN_TIMING_DEGREE; i++) x->speed.b[i] = 1;
  return status;
}

static void pass_progress(double part, void *context) { tell_progress(context, part); }

/* The optimiser's answer reaches limits between the points that it looks at. Where speeds of the ends are given, it
 * keeps a little of the limits, so that the answer need not be scaled. */
static jn_status shorten(retiming *r, const double target[2], int *possible) {
  const double spare = 1e-3;
  jn_retimed *x = r->out;
  int ends = !isnan(target[0]) || !isnan(target[1]);
  jn_range *full = r->limits, *less = NULL;
  size_t count = (size_t)(x->nv * JN_LIMITED_QUANTITIES + 1);
  if (ends) {
    less = jn__allocate(&x->allocator, count * sizeof *less);
    if (!less) return JN_ERR_MEMORY;
    take_margins(full, x->nv, spare, less);
    r->path.limits = less;
  }
  double slow = fmax(isnan(target[0]) ? 0 : target[0], isnan(target[1]) ? 0 : target[1]), fast = x->speed.b[0];
  jn_status status = JN_OK;
  *possible = 0;
  for (int i = ends && slow < fast ? 0 : 1; i < 2 && status == JN_OK && !*possible;
       i++) { /* from as slow as the ends */
    for (int k = 0; k < x->speed.intervals + JN_TIMING_DEGREE; k++) x->speed.b[k] = i ? fast : slow;
    jn_retime_options o = r->o;
    o.progress = r->o.progress ? pass_progress : NULL;
    o.progress_context = r;
    status = jn__shortest(&r->path, &x->speed, target, &o, &x->allocator, possible);
  }
  r->path.limits = full;
  jn__release(&x->allocator, less);
  return status;
}

/* The speed of an end that could not be reached. */
static void tell_end(retiming *r, const double target[2]) {
  const jn_retimed *x = r->out;
  const double asked[2] = {r->o.start_speed, r->o.end_speed};
  double most = -1;
  for (int i = 0; i < 2; i++) {
    double now = x->speed.b[i ? x->speed.intervals + JN_TIMING_DEGREE - 1 : 0], u = i ? x->length : 0, w[JN_PATH_ROWS];
    if (isnan(target[i]) || fabs(now / target[i] - 1) <= most) continue;
    most = fabs(now / target[i] - 1);
    jn__path_shape(&x->shape, u, w);
    *r->event = (jn_limit_event){.v = JN_NONE, .value = sqrt(now) * w[1], .limit = asked[i]};
    r->event->from = r->event->to = x->start + u;
  }
}

static jn_status along_path(retiming *r, int *possible) {
  jn_retimed *x = r->out;
  double factor = 0, target[2];
  jn_limit_event uniform = *r->event;
  jn_status status = prepare(r, target);
  int ends = !isnan(target[0]) || !isnan(target[1]);
  begin_step(r, 0.3);
  if (status == JN_OK) status = settle(r, r->o.largest, &factor);
  *possible = status == JN_OK && factor > 0;
  if (!*possible) return status;
  double first = x->speed.b[0];
  scale_speed(&x->speed, 0.98); /* strictly within the limits */
  begin_step(r, 0.8);
  status = shorten(r, target, possible);
  begin_step(r, 0.95);
  if (status == JN_OK && !*possible) {
    x->duration = jn__speed_times(&x->speed);
    tell_end(r, target);
    return status;
  }
  if (status == JN_OK) status = settle(r, ends ? 1 : r->o.largest, &factor);
  if (status != JN_OK) return status;
  x->duration = jn__speed_times(&x->speed);
  if (!ends && (!(factor > 0) || x->duration > x->length / sqrt(first))) { /* never slower than at first */
    for (int i = 0; i < x->speed.intervals + JN_TIMING_DEGREE; i++) x->speed.b[i] = first;
    x->duration = jn__speed_times(&x->speed);
  }
  *r->event = uniform;
  return status;
}

/* ---- Which limits are reached ---- */

static int add_event(jn_retimed *x, const jn_limit_event *e) {
  for (int i = x->event_count - 1; i >= 0 && i >= x->event_count - 40; i--) { /* goes on? */
    jn_limit_event *last = &x->events[i];
    if (last->v != e->v || last->which != e->which || e->from > last->to + 0.006 * x->duration) continue;
    if (fabs(e->value) > fabs(last->value)) last->value = e->value;
    last->to = e->to;
    return 1;
  }
  void *events = jn__grow(&x->allocator, x->events, x->event_count, &x->event_capacity, sizeof *x->events);
  if (!events) return 0;
  x->events = events;
  x->events[x->event_count++] = *e;
  return 1;
}

/* Is a value within 2 % of its limit? Then it is kept. 0 if out of memory. */
static int keep_event(retiming *r, double t, int v, int q, double value) {
  const jn_range *l = &r->limits[v * JN_LIMITED_QUANTITIES + q];
  double near = 0.02 * fmax(isfinite(l->upper) ? fabs(l->upper) : 0, isfinite(l->lower) ? fabs(l->lower) : 0);
  if (value < l->upper - near && value > l->lower + near) return 1;
  jn_limit_event e = {v, (jn_limited)q, value, value >= l->upper - near ? l->upper : l->lower, t, t};
  return add_event(r->out, &e);
}

/* Place k of an interval, which has `each` of them: the sweeps and the optimiser have looked at these. */
static jn_status events_at(retiming *r, int interval, int k, int each, double *motors) {
  jn_retimed *x = r->out;
  double factor = x->is_uniform ? x->length / x->duration : 1;
  jn_timing at = {{1}};
  double u = jn__place_in(x->length, x->is_uniform ? 1 : x->speed.intervals, interval, (double)k / each);
  double t = x->is_uniform ? u / factor : jn__speed_time(&x->speed, interval, u);
  if (!x->is_uniform) jn__speed_at(&x->speed, interval, u, &at);
  jn_status status = jn__path_at(&r->path, u, !x->is_uniform);
  if (status == JN_OK && motors) status = jn__path_motors(&r->path, &at, factor, t, motors);
  for (int v = 0; v < x->nv && status == JN_OK; v++)
    for (int q = JN_LIMITED_VELOCITY; q < JN_LIMITED_QUANTITIES; q++) {
      jn_limited_value value;
      if (!jn__path_limited(&r->path, &at, v, (jn_limited)q, &value)) continue;
      int exact = motors && q >= JN_LIMITED_MOTOR_EFFORT;
      double now = exact ? motors[4 * v + q - JN_LIMITED_MOTOR_EFFORT] : jn__polynomial_value(value.value, factor);
      if (!keep_event(r, t, v, q, now)) return JN_ERR_MEMORY;
    }
  return status;
}

static jn_status find_events(retiming *r) {
  jn_retimed *x = r->out;
  int intervals = x->is_uniform ? 1 : x->speed.intervals, each = jn__places_each(intervals, r->o.samples);
  jn_status status = JN_OK;
  double *motors = r->path.nonlinear ? jn__allocate(&x->allocator, 4 * (size_t)x->nv * sizeof *motors) : NULL;
  if (r->path.nonlinear && !motors) return JN_ERR_MEMORY;
  for (int i = 0; i < intervals * each && status == JN_OK; i++) {
    if (i % 64 == 0) tell_progress(r, (double)i / (intervals * each));
    status = events_at(r, i / each, i % each, each, motors);
  }
  jn__release(&x->allocator, motors);
  return status;
}

/* ---- Together ---- */

/* One factor, with a duration of whole steps. */
static jn_status whole_uniform(retiming *r, int *possible) {
  jn_limit_event event = *r->event;
  double factor = r->out->uniform;
  jn_status status = r->o.step > 0 ? largest_whole(r, NULL, r->out->length, factor, &factor) : JN_OK;
  *r->event = event;
  *possible = factor > 0;
  r->out->duration = r->out->length / factor;
  return status;
}

static jn_status retime(retiming *r, int *possible) {
  jn_retimed *x = r->out;
  jn_status status = jn__path_create(&r->path, &x->allocator);
  begin_step(r, r->o.uniform ? 0.9 : 0.15);
  if (status == JN_OK) status = largest(r, NULL, r->o.largest, &x->uniform);
  *possible = status == JN_OK && x->uniform > 0;
  if (!*possible) { /* in the times of the given motion */
    r->event->from += x->start;
    r->event->to = r->event->from;
    return status;
  }
  x->is_uniform = r->o.uniform;
  r->event->from = r->event->to = r->event->from / x->uniform;
  if (x->is_uniform) status = whole_uniform(r, possible);
  if (!x->is_uniform) status = along_path(r, possible);
  begin_step(r, 1);
  if (status == JN_OK && *possible) status = find_events(r);
  return status;
}

jn_status jn_retime(const jn_model *model, const jn_trajectory *trajectory, const jn_range *limits,
                    const jn_retime_options *options, jn_retimed **retimed, jn_limit_event *event) {
  jn_limit_event own;
  retiming r = {.event = event ? event : &own};
  if (retimed) *retimed = NULL;
  if (!model || !trajectory || !limits || !retimed) return JN_ERR_NULL;
  jn_retime_options_init(&r.o);
  if (options) r.o = *options;
  *r.event = (jn_limit_event){.v = JN_NONE};
  jn_status status = check_options(model, &r.o);
  if (status != JN_OK) return status;
  jn_allocator a = model->allocator;
  jn_retimed *x = jn__allocate(&a, sizeof *x);
  int nv = jn_model_nv(model), possible = 0;
  r.limits = jn__allocate(&a, (size_t)(nv * JN_LIMITED_QUANTITIES + 1) * sizeof *r.limits);
  if (!x || !r.limits) {
    jn__release(&a, x);
    jn__release(&a, r.limits);
    return JN_ERR_MEMORY;
  }
  take_margins(limits, nv, r.o.margin, r.limits);
  *x = (jn_retimed){.allocator = a, .model = model, .nv = nv};
  x->from = (jn_path_source){trajectory, r.o.loops, r.o.actuated, r.o.motion, r.o.motion_context};
  x->start = jn_trajectory_start(trajectory);
  x->length = jn_trajectory_end(trajectory) - x->start;
  r.out = x;
  r.path = (jn_path){.model = model, .from = x->from, .elastic = r.o.elastic, .limits = r.limits};
  r.path.losses = r.o.losses;
  r.path.smooth = r.o.smooth_ends || r.o.elastic;
  r.path.order = r.o.elastic ? 4 : 2;
  r.path.start = x->start;
  r.path.length = x->length;
  status = retime(&r, &possible);
  if (jn__is_stopped()) status = JN_ERR_STOPPED;
  jn__path_destroy(&r.path, &a);
  jn__release(&a, r.limits);
  if (status == JN_OK && possible)
    *retimed = x;
  else
    jn_retimed_destroy(x);
  return status;
}

void jn_retimed_destroy(jn_retimed *retimed) {
  if (!retimed) return;
  jn_allocator a = retimed->allocator;
  jn__release(&a, retimed->speed.b);
  jn__release(&a, retimed->events);
  jn__release(&a, retimed);
}

double jn_retimed_duration(const jn_retimed *retimed) { return retimed ? retimed->duration : NAN; }
double jn_retimed_factor(const jn_retimed *retimed) { return retimed ? retimed->uniform : NAN; }
int jn_retimed_event_count(const jn_retimed *retimed) { return retimed ? retimed->event_count : 0; }

jn_status jn_retimed_event(const jn_retimed *retimed, int i, jn_limit_event *event) {
  if (!retimed || !event) return JN_ERR_NULL;
  if (i < 0 || i >= retimed->event_count) return JN_ERR_INDEX;
  *event = retimed->events[i];
  return JN_OK;
}

/* s and its derivatives to order 5. */
static void path_jet(const jn_retimed *x, double t, double s[6]) {
  double w[JN_PATH_ROWS];
  for (int k = 0; k < 6; k++) s[k] = isnan(t) ? t : 0; /* not the start, to which fmax() would move it */
  if (isnan(t)) return;
  if (x->is_uniform) {
    s[1] = x->length / x->duration;
    s[0] = x->start + s[1] * t;
    return;
  }
  jn_timing at;
  int interval;
  double u = jn__speed_place(&x->speed, fmin(fmax(t, 0), x->duration), &interval), by[JN_PATH_ROWS] = {0};
  jn__speed_at(&x->speed, interval, u, &at);
  jn__timing_jet(&at, u, by);
  jn__path_shape(&x->shape, u, w);
  memcpy(s, w, 6 * sizeof(double));
  jn__compose(by, 5, 1, s + 1);
}

jn_status jn_retimed_path(const jn_retimed *retimed, double t, double s_jet[4]) {
  double s[6];
  if (!retimed || !s_jet) return JN_ERR_NULL;
  path_jet(retimed, t, s);
  memcpy(s_jet, s, 4 * sizeof(double));
  return JN_OK;
}

jn_status jn_retimed_jet(const jn_retimed *retimed, double t, int order, double *q, double *v_jet) {
  double s[JN_PATH_ROWS] = {0};
  if (!retimed || !q || !v_jet) return JN_ERR_NULL;
  if (order < 0 || order > 3) return JN_ERR_SIZE;
  const jn_path_source *from = &retimed->from;
  path_jet(retimed, t, s);
  jn_status status = from->motion ? from->motion(from->context, s[0], order, q, v_jet)
                                  : jn_trajectory_evaluate(from->trajectory, s[0], order, q, v_jet);
  if (status == JN_OK) jn__compose(s, order + 2, retimed->nv, v_jet);
  return status;
}

jn_status jn_retimed_evaluate(const jn_retimed *retimed, double t, double *q, double *v_jet) {
  return jn_retimed_jet(retimed, t, 1, q, v_jet);
}

jn_status jn_retimed_wrenches(const jn_retimed *retimed, double t, int order, double *wrench_jet) {
  double s[JN_PATH_ROWS] = {0};
  if (!retimed || !wrench_jet) return JN_ERR_NULL;
  if (order < 0 || order > 5) return JN_ERR_SIZE;
  int row = 6 * jn_link_count(retimed->model);
  path_jet(retimed, t, s);
  jn_status status = jn_trajectory_wrenches(retimed->from.trajectory, s[0], order, wrench_jet);
  if (status == JN_OK && order > 0) jn__compose(s, order, row, wrench_jet + row);
  return status;
}
