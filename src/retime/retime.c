/* SPDX-License-Identifier: BSD-2-Clause */
/* Retiming as users call it: limits, options, the new motion and the limits that it reaches. */
#include <math.h>
#include <string.h>

#include "../model/model.h"
#include "retime.h"

struct jn_retimed {
  jn_allocator allocator;
  const jn_model *model;
  const jn_trajectory *trajectory;
  int nv, is_uniform;
  double start, length; /* of the trajectory [s] */
  double duration, uniform;
  jn_speed speed; /* of motions along the path */
  jn_path shape;  /* of which only the shape is used */
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
    *options = (jn_retime_options){
        .size = sizeof *options, .largest = 1000, .samples = 1000, .intervals = 200, .iterations = 400};
}

/* ---- Steps ---- */

typedef struct retiming {
  jn_retimed *out;
  jn_path path;
  jn_range *limits; /* with margins */
  jn_retime_options o;
  jn_limit_event *event;
} retiming;

static jn_status check_options(const jn_model *model, const jn_retime_options *o) {
  if (o->size != sizeof *o) return JN_ERR_INIT;
  if (!(o->margin >= 0 && o->margin < 1) || !(o->largest > 0) || o->samples < 2 || o->samples > 10000000)
    return JN_ERR_SIZE;
  if (o->intervals < 4 || o->intervals > 1000 || o->iterations < 0) return JN_ERR_SIZE;
  if (jn_loop_count(model) > 0) return JN_ERR_UNSUPPORTED;
  if (!o->elastic) return JN_OK;
  if (!o->uniform || o->losses) return JN_ERR_UNSUPPORTED;
  if (jn_elastic_order(o->elastic, 0) != 2) return JN_ERR_UNSUPPORTED; /* damping, rotors on links */
  for (int v = 0; v < jn_model_nv(model); v++) {
    const jn_actuator *a = jn_elastic_actuator(o->elastic, v);
    if (!a) return JN_ERR_SIZE;
    if (a->damping != 0 || a->frictionloss != 0 || a->polynomial_count || a->table_count || a->time_count)
      return JN_ERR_UNSUPPORTED;
  }
  return JN_OK;
}

static void take_margins(const jn_range *from, int nv, double margin, jn_range *to) {
  for (int i = 0; i < nv * JN_LIMITED_QUANTITIES; i++) {
    double part = i % JN_LIMITED_QUANTITIES == JN_LIMITED_POSITION ? 0 : margin;
    double half = 0.5 * (from[i].upper - from[i].lower), cut = isfinite(half) ? part * half : 0;
    to[i].lower = isfinite(half) ? from[i].lower + cut : from[i].lower * (1 - part);
    to[i].upper = isfinite(half) ? from[i].upper - cut : from[i].upper * (1 - part);
  }
}

static jn_status largest(retiming *r, const jn_speed *speed, jn_limited last, double *factor) {
  jn_scaled scaled = {.path = &r->path, .speed = speed, .samples = r->o.samples, .largest = r->o.largest, .last = last};
  if (speed && scaled.samples < 8 * speed->intervals) scaled.samples = 8 * speed->intervals;
  return jn__largest_factor(&scaled, &r->out->allocator, factor, r->event);
}

/* Is the path at rest at this end, whatever the timing? */
static jn_status rests(retiming *r, double u, int *result) {
  double size = 0, typical = 0;
  jn_status status = JN_OK;
  for (int k = 0; k <= 16 && status == JN_OK; k++) {
    double at = k ? r->out->length * (k - 0.5) / 16 : u;
    status = jn__path_at(&r->path, at, 0);
    for (int v = 0; v < r->path.nv; v++) {
      double speed = fabs(r->path.q[r->path.nv + v]);
      if (k == 0) size = fmax(size, speed);
      typical = fmax(typical, speed);
    }
  }
  *result = size <= 1e-9 * typical;
  return status;
}

static void scale_speed(jn_speed *x, double factor) {
  for (int i = 0; i < x->intervals + JN_TIMING_DEGREE; i++) x->b[i] *= factor * factor;
}

/* Slower or faster as a whole, so that limits hold between the points, too; 0: not possible. */
static jn_status settle(retiming *r, double *factor) {
  jn_status status = largest(r, &r->out->speed, JN_LIMITED_EFFORT_RATE, factor);
  if (status == JN_OK && *factor > 0) scale_speed(&r->out->speed, *factor);
  return status;
}

static jn_status prepare(retiming *r) {
  jn_retimed *x = r->out;
  int rest[2], N = r->o.intervals;
  jn_status status = rests(r, 0, &rest[0]);
  if (status == JN_OK) status = rests(r, x->length, &rest[1]);
  for (int i = 0; i < 2; i++) r->path.shape[i] = !rest[i] && !r->o.moving_ends;
  x->shape = (jn_path){.start = x->start, .length = x->length, .shape = {r->path.shape[0], r->path.shape[1]}};
  x->speed = (jn_speed){.intervals = N, .length = x->length};
  x->speed.b = jn__allocate(&x->allocator, (size_t)(2 * N + 4) * sizeof(double));
  if (!x->speed.b) return JN_ERR_MEMORY;
  x->speed.times = x->speed.b + N + JN_TIMING_DEGREE;
  for (int i = 0; i < N + JN_TIMING_DEGREE; i++) x->speed.b[i] = 1;
  return status;
}

static jn_status along_path(retiming *r, int *possible) {
  jn_retimed *x = r->out;
  double factor = 0;
  jn_limit_event uniform = *r->event;
  jn_status status = prepare(r);
  if (status == JN_OK) status = settle(r, &factor);
  *possible = status == JN_OK && factor > 0;
  if (!*possible) return status;
  double first = x->speed.b[0];
  scale_speed(&x->speed, 0.98); /* strictly within the limits */
  status = jn__shortest(&r->path, &x->speed, &r->o, &x->allocator);
  if (status == JN_OK) status = settle(r, &factor);
  if (status != JN_OK) return status;
  x->duration = jn__speed_times(&x->speed);
  if (!(factor > 0) || x->duration > x->length / sqrt(first)) { /* never slower than at first */
    for (int i = 0; i < x->speed.intervals + JN_TIMING_DEGREE; i++) x->speed.b[i] = first;
    x->duration = jn__speed_times(&x->speed);
  }
  *r->event = uniform;
  if (r->path.shape[0] || r->path.shape[1]) x->uniform = NAN;
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

static jn_status find_events(retiming *r) {
  jn_retimed *x = r->out;
  enum { TIMES = 2000 };
  int last = r->o.elastic ? JN_LIMITED_DEFLECTION : JN_LIMITED_EFFORT_RATE;
  for (int k = 0; k < TIMES; k++) {
    double t = x->duration * (k + 0.5) / TIMES, factor = x->is_uniform ? x->uniform : 1;
    jn_timing at = {{factor * t, 1, 0, 0, 0}};
    int interval;
    double u = x->is_uniform ? factor * t : jn__speed_place(&x->speed, t, &interval);
    if (!x->is_uniform) jn__speed_at(&x->speed, interval, u, &at);
    jn_status status = jn__path_at(&r->path, u, !x->is_uniform);
    if (status != JN_OK) return status;
    for (int v = 0; v < x->nv; v++)
      for (int q = JN_LIMITED_VELOCITY; q <= last; q++) {
        jn_limited_value value;
        const jn_range *l = &r->limits[v * JN_LIMITED_QUANTITIES + q];
        if (!jn__path_limited(&r->path, &at, v, (jn_limited)q, &value)) continue;
        double now = jn__polynomial_value(value.value, factor);
        double near = 0.02 * fmax(isfinite(l->upper) ? fabs(l->upper) : 0, isfinite(l->lower) ? fabs(l->lower) : 0);
        if (now < l->upper - near && now > l->lower + near) continue;
        jn_limit_event e = {v, (jn_limited)q, now, now >= l->upper - near ? l->upper : l->lower, t, t};
        if (!add_event(x, &e)) return JN_ERR_MEMORY;
      }
  }
  return JN_OK;
}

/* ---- Together ---- */

static jn_status retime(retiming *r, int *possible) {
  jn_retimed *x = r->out;
  jn_status status = jn__path_create(&r->path, &x->allocator);
  if (status == JN_OK)
    status = largest(r, NULL, r->o.elastic ? JN_LIMITED_DEFLECTION : JN_LIMITED_EFFORT_RATE, &x->uniform);
  *possible = status == JN_OK && x->uniform > 0;
  if (!*possible) { /* in the times of the given motion */
    r->event->from += x->start;
    r->event->to = r->event->from;
    return status;
  }
  x->is_uniform = r->o.uniform;
  x->duration = x->length / x->uniform;
  r->event->from = r->event->to = r->event->from / x->uniform;
  if (!x->is_uniform) status = along_path(r, possible);
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
  *x = (jn_retimed){.allocator = a, .model = model, .trajectory = trajectory, .nv = nv};
  x->start = jn_trajectory_start(trajectory);
  x->length = jn_trajectory_end(trajectory) - x->start;
  r.out = x;
  r.path = (jn_path){.model = model, .trajectory = trajectory, .elastic = r.o.elastic, .limits = r.limits};
  r.path.losses = r.o.losses;
  r.path.order = r.o.elastic ? 4 : 2;
  r.path.start = x->start;
  r.path.length = x->length;
  status = retime(&r, &possible);
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

jn_status jn_retimed_path(const jn_retimed *retimed, double t, double s_jet[4]) {
  if (!retimed || !s_jet) return JN_ERR_NULL;
  if (retimed->is_uniform) {
    s_jet[0] = retimed->start + retimed->uniform * t;
    s_jet[1] = retimed->uniform;
    s_jet[2] = s_jet[3] = 0;
    return JN_OK;
  }
  jn_timing at;
  double w[5];
  int interval;
  double u = jn__speed_place(&retimed->speed, fmin(fmax(t, 0), retimed->duration), &interval);
  jn__speed_at(&retimed->speed, interval, u, &at);
  jn__path_shape(&retimed->shape, u, w);
  const double *d = at.s;
  s_jet[0] = w[0];
  s_jet[1] = w[1] * d[1];
  s_jet[2] = w[1] * d[2] + w[2] * d[1] * d[1];
  s_jet[3] = w[1] * d[3] + 3 * w[2] * d[1] * d[2] + w[3] * d[1] * d[1] * d[1];
  return JN_OK;
}

jn_status jn_retimed_evaluate(const jn_retimed *retimed, double t, double *q, double *v_jet) {
  double s[4];
  if (!retimed || !q || !v_jet) return JN_ERR_NULL;
  jn_status status = jn_retimed_path(retimed, t, s);
  if (status == JN_OK) status = jn_trajectory_evaluate(retimed->trajectory, s[0], 1, q, v_jet);
  int n = retimed->nv;
  for (int i = 0; i < n && status == JN_OK; i++) {
    double q1 = v_jet[i], q2 = v_jet[n + i], q3 = v_jet[2 * n + i];
    v_jet[i] = q1 * s[1];
    v_jet[n + i] = q1 * s[2] + q2 * s[1] * s[1];
    v_jet[2 * n + i] = q1 * s[3] + 3 * q2 * s[1] * s[2] + q3 * s[1] * s[1] * s[1];
  }
  return status;
}
