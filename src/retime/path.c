/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynamics along a path, with its parameter u as time.
 *
 * u is the time of the trajectory; but where a motion has to stop although the trajectory has a speed, s = w(u) with
 * w' = w'' = 0 there: whoever passes there at any u' > 0 stands still, with zero acceleration, and u' need not vanish.
 *
 * With x = u'^2, a prime being d/du and r = sqrt(x), derivatives in time of a function f(u) are
 *   r f',   x f'' + x' f' / 2,   r (x f''' + 3/2 x' f'' + x'' f' / 2), ...
 * and forces are the function T(u) = m x' / 2 + c x + g. Its parts follow from the forces of three timings, whatever g
 * consists of (weight, springs, wrenches):
 *   u = t:  c + g;      u = t / 2:  c / 4 + g;      u = t + t^2 / 2:  m + c + g
 *
 * Symbols: retime.h. */
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "../series/series.h"
#include "retime.h"

/* Doubles of all arrays of a path. */
static size_t path_doubles(const jn_path *path) {
  size_t n = (size_t)path->nv, rows = (size_t)path->order + 3;
  return (size_t)path->nq + n * (2 * rows + 4 * (rows - 2) + 2 + 2 + 17);
}

static size_t wrench_row(const jn_path *path) { return 6 * (size_t)jn_link_count(path->model); }

/* Whether the motor of coordinate v is behind a nonlinear spring, or has friction. */
static int is_nonlinear(const jn_path *path, int v) {
  const jn_actuator *a = jn_elastic_actuator(path->elastic, v);
  return a && (a->polynomial_count || a->table_count || a->time_count || a->frictionloss != 0);
}

static int has_nonlinear_spring(const jn_path *path) {
  for (int v = 0; v < path->nv; v++)
    if (is_nonlinear(path, v)) return 1;
  return 0;
}

/* ---- Memory of places ---- */

static jn_status memory_create(jn_path *path, const jn_allocator *a) {
  const size_t most_bytes = 64 << 20, most_slots = 1 << 15;
  jn_path_memory *memory = &path->memory;
  size_t n = (size_t)path->nv, rows = (size_t)path->order + 3;
  memory->entry = (size_t)path->nq + n * (rows + 3 * (rows - 2) + 2);
  memory->slots = most_slots;

  /* As many slots as fit into 64 MB. */
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
static void list_parts(const jn_path *path, double *parts[PARTS], size_t sizes[PARTS]) {
  size_t n = (size_t)path->nv, rows = (size_t)path->order + 3;
  parts[0] = path->q_now; /* and q */
  sizes[0] = (size_t)path->nq + rows * n;
  parts[1] = path->c; /* and g, m */
  sizes[1] = 3 * (rows - 2) * n;
  parts[2] = path->compliance; /* and offset */
  sizes[2] = 2 * n;
}

/* Stores the results at u. */
static void remember(jn_path *path, double u, int with_mass) {
  jn_path_memory *memory = &path->memory;
  size_t slot = slot_of(memory, u), sizes[PARTS];
  double *to = memory->entries + slot * memory->entry, *parts[PARTS];
  list_parts(path, parts, sizes);
  for (int i = 0; i < PARTS; to += sizes[i], i++) memcpy(to, parts[i], sizes[i] * sizeof(double));
  memory->places[slot] = u;
  memory->kinds[slot] = with_mass ? 2 : 1;
}

/* Loads the results at u; returns 0 if they are not stored. */
static int recall(jn_path *path, double u, int with_mass) {
  const jn_path_memory *memory = &path->memory;
  size_t slot = slot_of(memory, u), sizes[PARTS];
  if (memory->kinds[slot] < (with_mass ? 2 : 1) || memory->places[slot] != u) return 0;
  const double *from = memory->entries + slot * memory->entry;
  double *parts[PARTS];
  list_parts(path, parts, sizes);
  for (int i = 0; i < PARTS; from += sizes[i], i++) memcpy(parts[i], from, sizes[i] * sizeof(double));
  return 1;
}

void jn__path_forget(jn_path *path) { memset(path->memory.kinds, 0, path->memory.slots); }

jn_status jn__path_create(jn_path *path, const jn_allocator *a) {
  path->nq = jn_model_nq(path->model);
  path->nv = jn_model_nv(path->model);
  size_t n = (size_t)path->nv, rows = (size_t)path->order + 3;
  jn_status status = jn_work_create_order(path->model, path->order, &path->work);
  if (status != JN_OK) return status;
  path->q_index = jn__allocate(a, (n + 1) * sizeof *path->q_index);
  path->q_now = jn__allocate(a, path_doubles(path) * sizeof(double));
  int wrenches = jn_trajectory_has_wrenches(path->from.trajectory);
  int nonlinear = has_nonlinear_spring(path);
  if (nonlinear) path->nonlinear = jn__allocate(a, n + 1);
  if (wrenches) path->wrench = jn__allocate(a, 2 * (rows - 2) * wrench_row(path) * sizeof(double));
  if (!path->q_index || !path->q_now || (wrenches && !path->wrench) || (nonlinear && !path->nonlinear))
    return JN_ERR_MEMORY;

  /* One block for all arrays. */
  path->q = path->q_now + path->nq;
  path->timed = path->q + rows * n;
  path->c = path->timed + rows * n;
  path->g = path->c + (rows - 2) * n;
  path->m = path->g + (rows - 2) * n;
  path->tau = path->m + (rows - 2) * n;
  path->damping = path->tau + (rows - 2) * n;
  path->friction = path->damping + n;
  path->compliance = path->friction + n;
  path->offset = path->compliance + n;
  path->scratch = path->offset + n;

  /* What each coordinate has: index in q, spring. */
  for (int v = 0; v < path->nv; v++) {
    int number, joint = jn_coordinate_joint(path->model, v, &number);
    jn_joint_type type = jn_joint_type_of(path->model, joint);
    if (path->nonlinear) path->nonlinear[v] = (unsigned char)is_nonlinear(path, v);
    if (path->elastic && jn_elastic_is_elastic(path->elastic, v))
      path->compliance[v] = 1 / jn_elastic_actuator(path->elastic, v)->stiffness;
    path->q_index[v] = type == JN_FREE || type == JN_SPHERICAL ? -1 : jn_joint_q(path->model, joint) + number;
  }

  status = memory_create(path, a);
  return path->losses && status == JN_OK ? jn_loss_coefficients(path->model, path->damping, path->friction)
                                         : status; /* zero so far */
}

void jn__path_destroy(jn_path *path, const jn_allocator *a) {
  jn_work_destroy(path->work);
  jn__release(a, path->q_index);
  jn__release(a, path->q_now);
  jn__release(a, path->wrench);
  jn__release(a, path->nonlinear);
  jn__release(a, path->memory.places);
  jn__release(a, path->memory.kinds);
  jn__release(a, path->memory.entries);
}

/* ---- From s to u ---- */

void jn__path_shape(const jn_path *path, double u, double w[JN_PATH_ROWS]) {
  /* Polynomials in z, 0 ... 1, with w(0) = 0, w(1) = 1, for [start, end]: two derivatives vanish where the motion
   * stops. Four do for smooth ends; with motors behind springs always, or their speed and torque would jump. */
  enum { TERMS = 10 };
  static const double rigid[3][TERMS] = {{0, 1}, {0, 0, 0, 2, -1}, {0, 0, 0, 10, -15, 6}};
  static const double smooth[3][TERMS] = {{0, 1}, {0, 0, 0, 0, 0, 3, -2}, {0, 0, 0, 0, 0, 126, -420, 540, -315, 70}};
  int stops = path->shape[0] + path->shape[1];

  /* Seen from the end, 1 - w(1 - z), where it stops there alone; and, as the last one is symmetric, beyond the middle:
   * its derivatives vanish at both ends, and from the far one they would be differences of large terms. */
  int mirrored = stops == 2 ? u > 0.5 * path->length : path->shape[1];
  double c[TERMS], z = (mirrored ? path->length - u : u) / path->length, scale = path->length;
  memcpy(c, path->smooth ? smooth[stops] : rigid[stops], sizeof c);
  jn__series_shift(TERMS, z, c);

  /* Derivatives by u: mirrored, odd ones keep their sign. */
  double sign = 1;
  for (int k = 0; k < JN_PATH_ROWS; k++, scale /= path->length, sign = -sign) {
    double value = mirrored ? (k == 0 ? 1 - c[0] : -sign * c[k]) : c[k];
    w[k] = value * jn__factorial(k) * scale;
  }
  w[0] += path->start;
}

/* By the polynomials of Bell, B(n, k) = sum_i binom(n - 1, i - 1) w_i B(n - i, k - 1). */
void jn__compose(const double w[JN_PATH_ROWS], int count, int n, double *rows) {
  double B[JN_PATH_ROWS][JN_PATH_ROWS] = {{1}};
  for (int k = 1; k <= count; k++)
    for (int j = 1; j <= k; j++)
      for (int i = 1; i <= k - j + 1; i++) B[k][j] += jn__binomial(k - 1, i - 1) * w[i] * B[k - i][j - 1];

  /* Each column by itself. */
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

typedef enum timing_kind { PLAIN, HALF, ACCELERATED } timing_kind; /* u = t, t / 2, t + t^2 / 2 */

/* Rows of derivatives first ... first + count - 1 by u become derivatives in time. */
static void time_rows(timing_kind kind, int first, int count, size_t n, const double *from, double *to) {
  static const double w[3][JN_PATH_ROWS] = {{0, 1}, {0, 0.5}, {0, 1, 1}};
  memcpy(to, from, (size_t)count * n * sizeof(double));
  int skip = first == 0; /* values stay */
  if (kind != PLAIN && count > skip) jn__compose(w[kind], count - skip, (int)n, to + (size_t)skip * n);
}

/* Forces of one timing, with derivatives in time. */
static jn_status forces(jn_path *path, timing_kind kind, double *tau) {
  size_t n = (size_t)path->nv, row = wrench_row(path);
  double *wrench = path->wrench ? path->wrench + (size_t)(path->order + 1) * row : NULL;
  time_rows(kind, 1, path->order + 2, n, path->q + n, path->timed);
  if (wrench) time_rows(kind, 0, path->order + 1, row, path->wrench, wrench);

  /* A tree, or loops whose passive coordinates carry no force. */
  if (!path->from.loops)
    return jn_inverse_dynamics_jet(path->model, path->work, path->order, path->q_now, path->timed, wrench, tau);
  jn_status status = jn_loops_inverse_dynamics_jet(path->from.loops, path->order, path->from.actuated, JN_LEAST_TORQUE,
                                                   NULL, path->q_now, path->timed, NULL, wrench, tau, NULL);
  for (size_t i = 0; i < (size_t)(path->order + 1) * n; i++)
    if (!path->from.actuated[i % n]) tau[i] = 0;
  return status;
}

/* Turns derivatives in time along u = t + t^2 / 2 into derivatives by u: T_n = tau_n - sum_j n! / ((n - 2 j)! j!
 * 2^j) T_(n - j). */
static void by_path_parameter(const jn_path *path, double *tau) {
  size_t n = (size_t)path->nv;
  for (int k = 2; k <= path->order; k++) {
    double part = 1;
    for (int j = 1; 2 * j <= k; j++) {
      part *= (k - 2 * j + 2) * (k - 2 * j + 1) / (2.0 * j);
      for (size_t i = 0; i < n; i++) tau[(size_t)k * n + i] -= part * tau[(size_t)(k - j) * n + i];
    }
  }
}

/* c, g and, if wanted, m from the forces of three timings. */
static jn_status split_forces(jn_path *path, int with_mass) {
  size_t n = (size_t)path->nv;
  jn_status status = forces(path, PLAIN, path->c);
  if (status == JN_OK) status = forces(path, HALF, path->tau);

  /* c and g from u = t and u = t / 2. */
  double scale = 1;
  for (size_t k = 0; k <= (size_t)path->order; k++, scale *= 2)
    for (size_t i = 0; i < n; i++) {
      double all = path->c[k * n + i], slow = path->tau[k * n + i] * scale;
      path->c[k * n + i] = (all - slow) / 0.75;
      path->g[k * n + i] = (slow - 0.25 * all) / 0.75;
    }

  if (status != JN_OK || !with_mass) return status;
  status = forces(path, ACCELERATED, path->tau);
  by_path_parameter(path, path->tau);
  for (size_t k = 0; k <= (size_t)path->order; k++) /* here x = 1 + 2 u */
    for (size_t i = 0; i < n; i++)
      path->m[k * n + i] = path->tau[k * n + i] - path->c[k * n + i] - path->g[k * n + i] -
                           (k ? 2 * (double)k * path->c[(k - 1) * n + i] : 0);
  return status;
}

/* Compliance of nonlinear springs at the forces at rest: their deflection rate for a force rate of one. */
static void find_compliance(jn_path *path) {
  int n = path->nv;
  double *tau = path->scratch, *v = tau + 3 * n, *delta = v + 2 * n;
  const jn_motor_motion out = {.deflection_jet = delta};
  for (int i = 0; i < n; i++) {
    tau[i] = path->g[i];
    tau[n + i] = 1;
    tau[2 * n + i] = v[i] = v[n + i] = 0;
  }
  if (jn_elastic_inverse(path->elastic, 0, 0, path->q_now, v, tau, &out) != JN_OK) return; /* as before: only a guide */
  for (int i = 0; i < n; i++) {
    if (!path->nonlinear[i]) continue;
    path->compliance[i] = delta[n + i];
    path->offset[i] = delta[i] - delta[n + i] * path->g[i];
  }
}

jn_status jn__path_at(jn_path *path, double u, int with_mass) {
  if (jn__is_stopped()) return JN_ERR_STOPPED;
  size_t n = (size_t)path->nv;
  double *v_jet = path->q + n, w[JN_PATH_ROWS]; /* row k of q is the derivative k */
  int shaped = path->shape[0] || path->shape[1];
  if (recall(path, u, with_mass)) return JN_OK;

  /* The motion at s = w(u). */
  jn__path_shape(path, u, w);
  double s = shaped ? w[0] : path->start + u;
  jn_status status = path->from.motion
                         ? path->from.motion(path->from.context, s, path->order, path->q_now, v_jet)
                         : jn_trajectory_evaluate(path->from.trajectory, s, path->order, path->q_now, v_jet);
  if (status == JN_OK && path->wrench)
    status = jn_trajectory_wrenches(path->from.trajectory, s, path->order, path->wrench);
  if (status != JN_OK) return status;

  /* Derivatives by u. */
  if (shaped) jn__compose(w, path->order + 2, path->nv, v_jet);
  if (shaped && path->wrench) jn__compose(w, path->order, (int)wrench_row(path), path->wrench + wrench_row(path));

  /* Wrenches in the axes of the world turn with the links along the path. */
  if (path->wrench && jn_trajectory_wrench_axes(path->from.trajectory) == JN_IN_ALIGNED)
    status = jn_wrenches_to_body_jet(path->model, path->work, path->order, path->q_now, v_jet, path->wrench);
  if (status != JN_OK) return status;

  /* Forces, and compliances of springs. */
  status = split_forces(path, with_mass);
  if (status == JN_OK && path->nonlinear) find_compliance(path);
  if (status == JN_OK) remember(path, u, with_mass);
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

double jn__force_row(const jn_path *path, int v, int k, double by[JN_BASIS]) {
  size_t n = (size_t)path->nv, i = (size_t)v;
  for (int j = 0; j < JN_BASIS; j++) by[j] = 0;
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    by[k - j + 1] += 0.5 * b * path->m[(size_t)j * n + i];
    by[k - j] += b * path->c[(size_t)j * n + i];
  }
  return path->g[(size_t)k * n + i];
}

int jn__limited_terms(const jn_path *path, int v, jn_limited which, jn_limited_term out[JN_PATH_TERMS], double *fixed) {
  const jn_actuator *a = jn_elastic_actuator(path->elastic, v);
  double y = path->compliance[v], speed = path->q[path->nv + v];
  double B = a ? a->rotor_inertia : 0, d = a ? a->rotor_damping : 0;
  int k = which == JN_LIMITED_EFFORT_RATE || which == JN_LIMITED_MOTOR_EFFORT_RATE; /* of a force */
  *fixed = 0;
  switch (which) {
    case JN_LIMITED_EFFORT: /* friction keeps its sign, as in jounce torque */
      *fixed = path->friction[v] * (speed > 0 ? 1 : speed < 0 ? -1 : 0);
      /* fall through */
    case JN_LIMITED_EFFORT_RATE:
      out[0] = (jn_limited_term){1, 1, k};
      out[1] = (jn_limited_term){path->damping[v], 0, k + 1};
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
      *fixed = path->offset[v];
      out[0] = (jn_limited_term){y, 1, 0};
      return 1;
    default: /* position to jerk */
      out[0] = (jn_limited_term){1, 0, (int)which};
      return 1;
  }
}

int jn__is_limited(const jn_path *path, int v, int which) {
  const jn_range *l = &path->limits[v * JN_LIMITED_QUANTITIES + which];
  if (which == JN_LIMITED_POSITION && path->q_index[v] < 0) return 0;
  if (which >= JN_LIMITED_MOTOR_EFFORT && !path->elastic) return 0;
  if (which >= JN_LIMITED_EFFORT && path->from.loops && !path->from.actuated[v]) return 0;
  return isfinite(l->lower) || isfinite(l->upper);
}

int jn__path_limited(const jn_path *path, const jn_timing *at, int v, jn_limited which, jn_limited_value *out) {
  if (!jn__is_limited(path, v, (int)which)) return 0;
  memset(out, 0, sizeof *out);
  jn_limited_term terms[JN_PATH_TERMS];
  size_t n = (size_t)path->nv, i = (size_t)v;
  double q[JN_PATH_ROWS] = {path->q_index[v] < 0 ? 0 : path->q_now[path->q_index[v]]}, resting[JN_PATH_ROWS] = {0},
         moving[JN_PATH_ROWS] = {0}, r = sqrt(fmax(at->x[0], 0));
  for (size_t k = 1; k < (size_t)path->order + 3; k++) q[k] = path->q[k * n + i];
  for (int k = 0; k <= path->order; k++) { /* forces are resting + moving */
    double by[JN_BASIS];
    resting[k] = jn__force_row(path, v, k, by);
    for (int j = 0; j < JN_BASIS; j++) moving[k] += by[j] * at->x[j];
  }
  int count = jn__limited_terms(path, v, which, terms, &out->value[0]);
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

jn_status jn__path_motors(jn_path *path, const jn_timing *at, double factor, double t, double *values) {
  int n = path->nv;
  double *v_jet = path->scratch, *tau = v_jet + 3 * n, *delta = tau + 4 * n, *theta = delta + 4 * n,
         *motor = path->timed;
  const jn_motor_motion out = {.deflection_jet = delta, .theta_jet = theta, .motor_jet = motor};
  for (int v = 0; v < n; v++) {
    double q[JN_PATH_ROWS] = {0}, resting[JN_PATH_ROWS] = {0}, moving[JN_PATH_ROWS] = {0}, by[JN_BASIS], power = 1;
    for (int k = 0; k < 4; k++) {
      q[k] = path->q[k * n + v];
      resting[k] = jn__force_row(path, v, k, by);
      for (int j = 0; j < JN_BASIS; j++) moving[k] += by[j] * at->x[j];
    }
    for (int k = 0; k < 4; k++, power *= factor) {
      tau[k * n + v] = power * (in_time(at->x, resting, k) + factor * factor * in_time(at->x, moving, k));
      if (k > 0) v_jet[(k - 1) * n + v] = power * in_time(at->x, q, k);
    }
  }
  jn_status status = jn_elastic_inverse(path->elastic, 1, t, path->q_now, v_jet, tau, &out);
  int cannot = status == JN_ERR_SINGULAR ? jn_elastic_joint(path->elastic) : JN_NONE;
  for (int v = 0; v < n && (status == JN_OK || cannot >= 0); v++) {
    const double now[4] = {motor[v], motor[n + v], theta[n + v], delta[v]};
    for (int k = 0; k < 4; k++) values[4 * v + k] = cannot < 0 ? now[k] : v == cannot && k == 3 ? INFINITY : 0;
  }
  return cannot >= 0 ? JN_OK : status;
}
