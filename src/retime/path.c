/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynamics along a path, with its parameter u as time. u is the time of the trajectory; but where a motion has to stop
 * although the trajectory has a speed, s = w(u) with w' = w'' = 0 there: whoever passes there at any u' > 0 stands
 * still, with the acceleration zero, and no u' has to vanish.
 *
 * With x = u'^2, a prime being d/du and r = sqrt(x), derivatives in time of a function f(u) are
 *   r f',   x f'' + x' f' / 2,   r (x f''' + 3/2 x' f'' + x'' f' / 2), ...
 * and forces are the function T(u) = m x' / 2 + c x + g. Its parts follow from the forces of three timings, whatever g
 * consists of (weight, springs, wrenches): u = t: c + g;  u = t / 2: c / 4 + g;  u = t + t^2 / 2: m + c + g. */
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "../series/series.h"
#include "retime.h"

static size_t path_doubles(const jn_path *p) {
  size_t n = (size_t)p->nv, rows = (size_t)p->order + 3;
  return (size_t)p->nq + n * (2 * rows + 4 * (rows - 2) + 2 + 2 + 17);
}

static size_t wrench_row(const jn_path *p) { return 6 * (size_t)jn_link_count(p->model); }

static int is_bent(const jn_path *p, int v) {
  const jn_actuator *a = jn_elastic_actuator(p->elastic, v);
  return a && (a->polynomial_count || a->table_count || a->time_count || a->frictionloss != 0);
}

static int has_bent(const jn_path *p) {
  for (int v = 0; v < p->nv; v++)
    if (is_bent(p, v)) return 1;
  return 0;
}

/* ---- Memory of places ---- */

static jn_status memory_create(jn_path *p, const jn_allocator *a) {
  const size_t most_bytes = 64 << 20, most_slots = 1 << 15;
  jn_path_memory *memory = &p->memory;
  size_t n = (size_t)p->nv, rows = (size_t)p->order + 3;
  memory->entry = (size_t)p->nq + n * (rows + 3 * (rows - 2) + 2);
  memory->slots = most_slots;
  while (memory->slots > 1 && memory->slots * memory->entry * sizeof(double) > most_bytes) memory->slots /= 2;

  memory->places = jn__allocate(a, memory->slots * sizeof(double));
  memory->kinds = jn__allocate(a, memory->slots);
  memory->entries = jn__allocate(a, memory->slots * memory->entry * sizeof(double));
  return memory->places && memory->kinds && memory->entries ? JN_OK : JN_ERR_MEMORY;
}

static size_t slot_of(const jn_path_memory *memory, double u) {
  uint64_t bits;
  memcpy(&bits, &u, sizeof bits);
  bits = (bits ^ (bits >> 32)) * 0x9e3779b97f4a7c15u; /* Fibonacci hashing */
  return (size_t)(bits >> 40) & (memory->slots - 1);
}

/* The parts of a path that are remembered: each with its number of doubles. */
enum { PARTS = 3 };
static void list_parts(const jn_path *p, double *parts[PARTS], size_t sizes[PARTS]) {
  size_t n = (size_t)p->nv, rows = (size_t)p->order + 3;
  parts[0] = p->q_now; /* and q */
  sizes[0] = (size_t)p->nq + rows * n;
  parts[1] = p->c; /* and g, m */
  sizes[1] = 3 * (rows - 2) * n;
  parts[2] = p->compliance; /* and offset */
  sizes[2] = 2 * n;
}

static void remember(jn_path *p, double u, int with_mass) {
  jn_path_memory *memory = &p->memory;
  size_t slot = slot_of(memory, u), sizes[PARTS];
  double *to = memory->entries + slot * memory->entry, *parts[PARTS];
  list_parts(p, parts, sizes);
  for (int i = 0; i < PARTS; to += sizes[i], i++) memcpy(to, parts[i], sizes[i] * sizeof(double));
  memory->places[slot] = u;
  memory->kinds[slot] = with_mass ? 2 : 1;
}

/* 0: nothing is known of the place. */
static int recall(jn_path *p, double u, int with_mass) {
  const jn_path_memory *memory = &p->memory;
  size_t slot = slot_of(memory, u), sizes[PARTS];
  if (memory->kinds[slot] < (with_mass ? 2 : 1) || memory->places[slot] != u) return 0;
  const double *from = memory->entries + slot * memory->entry;
  double *parts[PARTS];
  list_parts(p, parts, sizes);
  for (int i = 0; i < PARTS; from += sizes[i], i++) memcpy(parts[i], from, sizes[i] * sizeof(double));
  return 1;
}

void jn__path_forget(jn_path *p) { memset(p->memory.kinds, 0, p->memory.slots); }

jn_status jn__path_create(jn_path *p, const jn_allocator *a) {
  p->nq = jn_model_nq(p->model);
  p->nv = jn_model_nv(p->model);
  size_t n = (size_t)p->nv, rows = (size_t)p->order + 3;
  jn_status status = jn_work_create_order(p->model, p->order, &p->work);
  if (status != JN_OK) return status;
  p->place = jn__allocate(a, (n + 1) * sizeof *p->place);
  p->q_now = jn__allocate(a, path_doubles(p) * sizeof(double));
  int wrenches = jn_trajectory_has_wrenches(p->from.trajectory);
  int bent = has_bent(p);
  if (bent) p->bent = jn__allocate(a, n + 1);
  if (wrenches) p->wrench = jn__allocate(a, 2 * (rows - 2) * wrench_row(p) * sizeof(double));
  if (!p->place || !p->q_now || (wrenches && !p->wrench) || (bent && !p->bent)) return JN_ERR_MEMORY;
  p->q = p->q_now + p->nq;
  p->timed = p->q + rows * n;
  p->c = p->timed + rows * n;
  p->g = p->c + (rows - 2) * n;
  p->m = p->g + (rows - 2) * n;
  p->tau = p->m + (rows - 2) * n;
  p->damping = p->tau + (rows - 2) * n;
  p->friction = p->damping + n;
  p->compliance = p->friction + n;
  p->offset = p->compliance + n;
  p->room = p->offset + n;
  for (int v = 0; v < p->nv; v++) {
    int number, joint = jn_coordinate_joint(p->model, v, &number);
    jn_joint_type type = jn_joint_type_of(p->model, joint);
    if (p->bent) p->bent[v] = (unsigned char)is_bent(p, v);
    if (p->elastic && jn_elastic_is_elastic(p->elastic, v))
      p->compliance[v] = 1 / jn_elastic_actuator(p->elastic, v)->stiffness;
    p->place[v] = type == JN_FREE || type == JN_SPHERICAL ? -1 : jn_joint_q(p->model, joint) + number;
  }
  status = memory_create(p, a);
  return p->losses && status == JN_OK ? jn_loss_coefficients(p->model, p->damping, p->friction)
                                      : status; /* zero so far */
}

void jn__path_destroy(jn_path *p, const jn_allocator *a) {
  jn_work_destroy(p->work);
  jn__release(a, p->place);
  jn__release(a, p->q_now);
  jn__release(a, p->wrench);
  jn__release(a, p->bent);
  jn__release(a, p->memory.places);
  jn__release(a, p->memory.kinds);
  jn__release(a, p->memory.entries);
}

/* ---- From s to u ---- */

void jn__path_shape(const jn_path *p, double u, double w[JN_PATH_ROWS]) {
  /* Polynomials in z, 0 ... 1, with w(0) = 0, w(1) = 1, for [start, end]: two derivatives vanish where the motion
   * stops. Four do for smooth ends; with motors behind springs always, or their speed and torque would jump. */
  enum { TERMS = 10 };
  static const double rigid[3][TERMS] = {{0, 1}, {0, 0, 0, 2, -1}, {0, 0, 0, 10, -15, 6}};
  static const double smooth[3][TERMS] = {{0, 1}, {0, 0, 0, 0, 0, 3, -2}, {0, 0, 0, 0, 0, 126, -420, 540, -315, 70}};
  int stops = p->shape[0] + p->shape[1];

  /* Seen from the end, 1 - w(1 - z), where it stops there alone; and, as the last one is symmetric, beyond the middle:
   * its derivatives vanish at both ends, and from the far one they would be differences of large terms. */
  int mirrored = stops == 2 ? u > 0.5 * p->length : p->shape[1];
  double c[TERMS], z = (mirrored ? p->length - u : u) / p->length, scale = p->length;
  memcpy(c, p->smooth ? smooth[stops] : rigid[stops], sizeof c);
  jn__series_shift(TERMS, z, c);
  double sign = 1;
  for (int k = 0; k < JN_PATH_ROWS; k++, scale /= p->length, sign = -sign) {
    double value = mirrored ? (k == 0 ? 1 - c[0] : -sign * c[k]) : c[k];
    w[k] = value * jn__factorial(k) * scale;
  }
  w[0] += p->start;
}

/* By the polynomials of Bell, B(n, k) = sum_i binom(n - 1, i - 1) w_i B(n - i, k - 1). */
void jn__compose(const double w[JN_PATH_ROWS], int count, int n, double *rows) {
  double B[JN_PATH_ROWS][JN_PATH_ROWS] = {{1}};
  for (int k = 1; k <= count; k++)
    for (int j = 1; j <= k; j++)
      for (int i = 1; i <= k - j + 1; i++) B[k][j] += jn__binomial(k - 1, i - 1) * w[i] * B[k - i][j - 1];
  for (int v = 0; v < n; v++) {
    double old[JN_PATH_ROWS];
    for (int k = 1; k <= count; k++) old[k] = rows[(k - 1) * n + v];
    for (int k = 1; k <= count; k++) {
      double sum = 0;
      for (int j = 1; j <= k; j++) sum += B[k][j] * old[j];
      rows[(k - 1) * n + v] = sum;
    }
  }
}

/* ---- Forces of three timings ---- */

typedef enum timing_kind { PLAIN, HALF, BENT } timing_kind; /* u = t, t / 2, t + t^2 / 2 */

/* Rows of derivatives first ... first + count - 1 by u become derivatives in time. */
static void time_rows(timing_kind kind, int first, int count, size_t n, const double *from, double *to) {
  static const double w[3][JN_PATH_ROWS] = {{0, 1}, {0, 0.5}, {0, 1, 1}};
  memcpy(to, from, (size_t)count * n * sizeof(double));
  int skip = first == 0; /* values stay */
  if (kind != PLAIN && count > skip) jn__compose(w[kind], count - skip, (int)n, to + (size_t)skip * n);
}

static jn_status forces(jn_path *p, timing_kind kind, double *tau) {
  size_t n = (size_t)p->nv, row = wrench_row(p);
  double *wrench = p->wrench ? p->wrench + (size_t)(p->order + 1) * row : NULL;
  time_rows(kind, 1, p->order + 2, n, p->q + n, p->timed);
  if (wrench) time_rows(kind, 0, p->order + 1, row, p->wrench, wrench);
  if (!p->from.loops) return jn_inverse_dynamics_jet(p->model, p->work, p->order, p->q_now, p->timed, wrench, tau);
  jn_status status = jn_loops_inverse_dynamics_jet(p->from.loops, p->order, p->from.actuated, JN_LEAST_TORQUE, NULL,
                                                   p->q_now, p->timed, NULL, wrench, tau, NULL);
  for (size_t i = 0; i < (size_t)(p->order + 1) * n; i++)
    if (!p->from.actuated[i % n]) tau[i] = 0;
  return status;
}

/* Derivatives in time along u = t + t^2 / 2 into those by u: T_n = tau_n - sum_j n! / ((n - 2 j)! j! 2^j) T_(n - j). */
static void unbend(const jn_path *p, double *tau) {
  size_t n = (size_t)p->nv;
  for (int k = 2; k <= p->order; k++) {
    double part = 1;
    for (int j = 1; 2 * j <= k; j++) {
      part *= (k - 2 * j + 2) * (k - 2 * j + 1) / (2.0 * j);
      for (size_t i = 0; i < n; i++) tau[(size_t)k * n + i] -= part * tau[(size_t)(k - j) * n + i];
    }
  }
}

static jn_status split_forces(jn_path *p, int with_mass) {
  size_t n = (size_t)p->nv;
  jn_status status = forces(p, PLAIN, p->c);
  if (status == JN_OK) status = forces(p, HALF, p->tau);
  double scale = 1;
  for (size_t k = 0; k <= (size_t)p->order; k++, scale *= 2)
    for (size_t i = 0; i < n; i++) {
      double all = p->c[k * n + i], slow = p->tau[k * n + i] * scale;
      p->c[k * n + i] = (all - slow) / 0.75;
      p->g[k * n + i] = (slow - 0.25 * all) / 0.75;
    }
  if (status != JN_OK || !with_mass) return status;
  status = forces(p, BENT, p->tau);
  unbend(p, p->tau);
  for (size_t k = 0; k <= (size_t)p->order; k++) /* here x = 1 + 2 u */
    for (size_t i = 0; i < n; i++)
      p->m[k * n + i] =
          p->tau[k * n + i] - p->c[k * n + i] - p->g[k * n + i] - (k ? 2 * (double)k * p->c[(k - 1) * n + i] : 0);
  return status;
}

/* How much springs that are not linear give at the forces at rest: what deflects at a rate of one. */
static void find_compliance(jn_path *p) {
  int n = p->nv;
  double *tau = p->room, *v = tau + 3 * n, *delta = v + 2 * n;
  const jn_motor_motion out = {.deflection_jet = delta};
  for (int i = 0; i < n; i++) {
    tau[i] = p->g[i];
    tau[n + i] = 1;
    tau[2 * n + i] = v[i] = v[n + i] = 0;
  }
  if (jn_elastic_inverse(p->elastic, 0, 0, p->q_now, v, tau, &out) != JN_OK) return; /* as before: only a guide */
  for (int i = 0; i < n; i++) {
    if (!p->bent[i]) continue;
    p->compliance[i] = delta[n + i];
    p->offset[i] = delta[i] - delta[n + i] * p->g[i];
  }
}

jn_status jn__path_at(jn_path *p, double u, int with_mass) {
  if (jn__is_stopped()) return JN_ERR_STOPPED;
  size_t n = (size_t)p->nv;
  double *v_jet = p->q + n, w[JN_PATH_ROWS]; /* row k of q is the derivative k */
  int shaped = p->shape[0] || p->shape[1];
  if (recall(p, u, with_mass)) return JN_OK;
  jn__path_shape(p, u, w);
  double s = shaped ? w[0] : p->start + u;
  jn_status status = p->from.motion ? p->from.motion(p->from.context, s, p->order, p->q_now, v_jet)
                                    : jn_trajectory_evaluate(p->from.trajectory, s, p->order, p->q_now, v_jet);
  if (status == JN_OK && p->wrench) status = jn_trajectory_wrenches(p->from.trajectory, s, p->order, p->wrench);
  if (status != JN_OK) return status;
  if (shaped) jn__compose(w, p->order + 2, p->nv, v_jet);
  if (shaped && p->wrench) jn__compose(w, p->order, (int)wrench_row(p), p->wrench + wrench_row(p));
  status = split_forces(p, with_mass);
  if (status == JN_OK && p->bent) find_compliance(p);
  if (status == JN_OK) remember(p, u, with_mass);
  return status;
}

/* ---- Limited quantities ---- */

void jn__timing_jet(const jn_timing *at, double u, double out[6]) {
  const double *x = at->x;
  double r = sqrt(fmax(x[0], 0));
  out[0] = u;
  out[1] = r;
  out[2] = x[1] / 2;
  out[3] = r * x[2] / 2;
  out[4] = x[1] * x[2] / 4 + x[0] * x[3] / 2;
  out[5] = r * (x[2] * x[2] / 4 + 0.75 * x[1] * x[3] + x[0] * x[4] / 2);
}

/* Derivative k in time of a function with the derivatives f[0 ... k] by u. */
static double in_time(const double *x, const double *f, int k) {
  double r = sqrt(fmax(x[0], 0));
  if (k == 0) return f[0];
  if (k == 1) return r * f[1];
  if (k == 2) return x[0] * f[2] + 0.5 * x[1] * f[1];
  double third = x[0] * f[3] + 1.5 * x[1] * f[2] + 0.5 * x[2] * f[1];
  if (k == 3) return r * third;
  return x[0] * (x[0] * f[4] + 2.5 * x[1] * f[3] + 2 * x[2] * f[2] + 0.5 * x[3] * f[1]) + 0.5 * x[1] * third;
}

double jn__force_row(const jn_path *p, int v, int k, double by[JN_BASIS]) {
  size_t n = (size_t)p->nv, i = (size_t)v;
  for (int j = 0; j < JN_BASIS; j++) by[j] = 0;
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    by[k - j + 1] += 0.5 * b * p->m[(size_t)j * n + i];
    by[k - j] += b * p->c[(size_t)j * n + i];
  }
  return p->g[(size_t)k * n + i];
}

int jn__limited_terms(const jn_path *p, int v, jn_limited which, jn_limited_term out[JN_PATH_TERMS], double *fixed) {
  const jn_actuator *a = jn_elastic_actuator(p->elastic, v);
  double y = p->compliance[v], speed = p->q[p->nv + v];
  double B = a ? a->rotor_inertia : 0, d = a ? a->rotor_damping : 0;
  int k = which == JN_LIMITED_EFFORT_RATE || which == JN_LIMITED_MOTOR_EFFORT_RATE; /* of a force */
  *fixed = 0;
  switch (which) {
    case JN_LIMITED_EFFORT: /* friction keeps its sign, as in jounce torque */
      *fixed = p->friction[v] * (speed > 0 ? 1 : speed < 0 ? -1 : 0);
      /* fall through */
    case JN_LIMITED_EFFORT_RATE:
      out[0] = (jn_limited_term){1, 1, k};
      out[1] = (jn_limited_term){p->damping[v], 0, k + 1};
      return 2;
    case JN_LIMITED_MOTOR_EFFORT:
    case JN_LIMITED_MOTOR_EFFORT_RATE:
      out[0] = (jn_limited_term){1, 1, k};
      out[1] = (jn_limited_term){B, 0, k + 2};
      out[2] = (jn_limited_term){B * y, 1, k + 2};
      out[3] = (jn_limited_term){d, 0, k + 1};
      out[4] = (jn_limited_term){d * y, 1, k + 1};
      return 5;
    case JN_LIMITED_MOTOR_VELOCITY:
      out[0] = (jn_limited_term){1, 0, 1};
      out[1] = (jn_limited_term){y, 1, 1};
      return 2;
    case JN_LIMITED_DEFLECTION:
      *fixed = p->offset[v];
      out[0] = (jn_limited_term){y, 1, 0};
      return 1;
    default: /* position to jerk */
      out[0] = (jn_limited_term){1, 0, (int)which};
      return 1;
  }
}

int jn__is_limited(const jn_path *p, int v, int which) {
  const jn_range *l = &p->limits[v * JN_LIMITED_QUANTITIES + which];
  if (which == JN_LIMITED_POSITION && p->place[v] < 0) return 0;
  if (which >= JN_LIMITED_MOTOR_EFFORT && !p->elastic) return 0;
  if (which >= JN_LIMITED_EFFORT && p->from.loops && !p->from.actuated[v]) return 0;
  return isfinite(l->lower) || isfinite(l->upper);
}

int jn__path_limited(const jn_path *p, const jn_timing *at, int v, jn_limited which, jn_limited_value *out) {
  if (!jn__is_limited(p, v, (int)which)) return 0;
  memset(out, 0, sizeof *out);
  jn_limited_term terms[JN_PATH_TERMS];
  size_t n = (size_t)p->nv, i = (size_t)v;
  double q[JN_PATH_ROWS] = {p->place[v] < 0 ? 0 : p->q_now[p->place[v]]}, resting[JN_PATH_ROWS] = {0},
         moving[JN_PATH_ROWS] = {0}, r = sqrt(fmax(at->x[0], 0));
  for (size_t k = 1; k < (size_t)p->order + 3; k++) q[k] = p->q[k * n + i];
  for (int k = 0; k <= p->order; k++) { /* forces are resting + moving */
    double by[JN_BASIS];
    resting[k] = jn__force_row(p, v, k, by);
    for (int j = 0; j < JN_BASIS; j++) moving[k] += by[j] * at->x[j];
  }
  int count = jn__limited_terms(p, v, which, terms, &out->value[0]);
  for (int j = 0; j < count; j++) { /* at the factor f, derivatives are f^k times, and what moves f^2 times */
    const jn_limited_term *term = &terms[j];
    int k = term->order;
    if (term->weight == 0) continue;
    for (int d = 0; d < 2; d++) {
      double *to = d ? out->slope : out->value, weight = d ? term->weight / r : term->weight;
      to[k] += weight * in_time(at->x, term->of_force ? resting : q, k + d);
      if (term->of_force) to[k + 2] += weight * in_time(at->x, moving, k + d);
    }
  }
  return 1;
}

jn_status jn__path_motors(jn_path *p, const jn_timing *at, double factor, double t, double *values) {
  int n = p->nv;
  double *v_jet = p->room, *tau = v_jet + 3 * n, *delta = tau + 4 * n, *theta = delta + 4 * n, *motor = p->timed;
  const jn_motor_motion out = {.deflection_jet = delta, .theta_jet = theta, .motor_jet = motor};
  for (int v = 0; v < n; v++) {
    double q[JN_PATH_ROWS] = {0}, resting[JN_PATH_ROWS] = {0}, moving[JN_PATH_ROWS] = {0}, by[JN_BASIS], power = 1;
    for (int k = 0; k < 4; k++) {
      q[k] = p->q[k * n + v];
      resting[k] = jn__force_row(p, v, k, by);
      for (int j = 0; j < JN_BASIS; j++) moving[k] += by[j] * at->x[j];
    }
    for (int k = 0; k < 4; k++, power *= factor) {
      tau[k * n + v] = power * (in_time(at->x, resting, k) + factor * factor * in_time(at->x, moving, k));
      if (k > 0) v_jet[(k - 1) * n + v] = power * in_time(at->x, q, k);
    }
  }
  jn_status status = jn_elastic_inverse(p->elastic, 1, t, p->q_now, v_jet, tau, &out);
  int cannot = status == JN_ERR_SINGULAR ? jn_elastic_joint(p->elastic) : JN_NONE;
  for (int v = 0; v < n && (status == JN_OK || cannot >= 0); v++) {
    const double now[4] = {motor[v], motor[n + v], theta[n + v], delta[v]};
    for (int k = 0; k < 4; k++) values[4 * v + k] = cannot < 0 ? now[k] : v == cannot && k == 3 ? INFINITY : 0;
  }
  return cannot >= 0 ? JN_OK : status;
}
