/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynamics along a path, with its parameter u as time. u is the time of the trajectory; but where a motion has to stop
 * although the trajectory has a speed, s = w(u) with w' = w'' = 0 there: whoever passes there at any u' > 0 stands
 * still, with the acceleration zero, and no u' has to vanish. Forces of the motion s = t are c + g; those of s = t / 2
 * are c / 4 + g, and the same for their derivatives, times 2^-k: so both follow from two jets, whatever g consists of
 * (weight, springs). */
#include <math.h>
#include <string.h>

#include "retime.h"

static size_t path_doubles(const jn_path *p) {
  size_t n = (size_t)p->nv, rows = (size_t)p->order + 3;
  return (size_t)p->nq + n * (rows + 2 * (rows - 2) + 3 + rows + (rows - 2) + 2) + 3 * n * n;
}

/* Losses at speeds 1 and 2 tell damping and friction apart; coupled joints are in them. */
static jn_status find_losses(jn_path *p) {
  double *speed = p->slow, *two = p->tau;
  for (int i = 0; i < p->nv; i++) speed[i] = 1;
  jn_status status = jn_loss_forces(p->model, speed, p->friction);
  for (int i = 0; i < p->nv; i++) speed[i] = 2;
  if (status == JN_OK) status = jn_loss_forces(p->model, speed, two);
  for (int i = 0; i < p->nv; i++) {
    p->damping[i] = two[i] - p->friction[i];
    p->friction[i] -= p->damping[i];
  }
  return status;
}

jn_status jn__path_create(jn_path *p, const jn_allocator *a) {
  p->nq = jn_model_nq(p->model);
  p->nv = jn_model_nv(p->model);
  size_t n = (size_t)p->nv, rows = (size_t)p->order + 3;
  jn_status status = jn_work_create_order(p->model, p->order, &p->work);
  p->place = status == JN_OK ? jn__allocate(a, (n + 1) * sizeof *p->place) : NULL;
  p->q_now = status == JN_OK ? jn__allocate(a, path_doubles(p) * sizeof(double)) : NULL;
  if (!p->place || !p->q_now) return status == JN_OK ? JN_ERR_MEMORY : status;
  p->q = p->q_now + p->nq;
  p->c = p->q + rows * n;
  p->g = p->c + (rows - 2) * n;
  p->m = p->g + (rows - 2) * n;
  p->slow = p->m + 3 * n;
  p->tau = p->slow + rows * n;
  p->damping = p->tau + (rows - 2) * n;
  p->friction = p->damping + n;
  p->M = p->friction + n;
  for (int v = 0; v < p->nv; v++) {
    int number, joint = jn_coordinate_joint(p->model, v, &number);
    jn_joint_type type = jn_joint_type_of(p->model, joint);
    p->place[v] = type == JN_FREE || type == JN_SPHERICAL ? -1 : jn_joint_q(p->model, joint) + number;
  }
  return p->losses ? find_losses(p) : JN_OK; /* zero so far */
}

void jn__path_destroy(jn_path *p, const jn_allocator *a) {
  jn_work_destroy(p->work);
  jn__release(a, p->place);
  jn__release(a, p->q_now);
}

/* m = M q_s and two derivatives. */
static jn_status mass_along(jn_path *p) {
  size_t n = (size_t)p->nv;
  const double *q1 = p->q + n, *q2 = q1 + n, *q3 = q2 + n;
  jn_status status = jn_mass_matrix_jet(p->model, p->work, 2, p->q_now, q1, p->M);
  for (size_t i = 0; i < n && status == JN_OK; i++) {
    double sum[3] = {0, 0, 0};
    for (size_t j = 0; j < n; j++) {
      double M0 = p->M[i * n + j], M1 = p->M[n * n + i * n + j], M2 = p->M[2 * n * n + i * n + j];
      sum[0] += M0 * q1[j];
      sum[1] += M1 * q1[j] + M0 * q2[j];
      sum[2] += M2 * q1[j] + 2 * M1 * q2[j] + M0 * q3[j];
    }
    for (size_t k = 0; k < 3; k++) p->m[k * n + i] = sum[k];
  }
  return status;
}

void jn__path_shape(const jn_path *p, double u, double w[5]) {
  /* polynomials in z, 0 ... 1, with w(0) = 0, w(1) = 1 */
  static const double both[6] = {0, 0, 0, 10, -15, 6}, first[6] = {0, 0, 0, 2, -1, 0}, last[6] = {0, 2, 0, -2, 1, 0},
                      none[6] = {0, 1, 0, 0, 0, 0};
  const double *from = p->shape[0] && p->shape[1] ? both : p->shape[0] ? first : p->shape[1] ? last : none;
  double c[6], z = u / p->length, scale = p->length;
  memcpy(c, from, sizeof c);
  for (int k = 0; k < 6; k++)
    for (int i = 4; i >= k; i--) c[i] += z * c[i + 1];
  for (int k = 0, factorial = 1; k < 5; k++, scale /= p->length) {
    if (k > 1) factorial *= k;
    w[k] = c[k] * factorial * scale;
  }
  w[0] += p->start;
}

/* Derivatives by s become derivatives by u: rows 1 ... 4 of q. */
static void reshape(const jn_path *p, const double w[5]) {
  size_t n = (size_t)p->nv;
  double w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4];
  for (size_t i = 0; i < n; i++) {
    double *q = p->q + i, a = q[n], b = q[2 * n], c = q[3 * n], d = q[4 * n];
    q[n] = a * w1;
    q[2 * n] = a * w2 + b * w1 * w1;
    q[3 * n] = a * w3 + 3 * b * w1 * w2 + c * w1 * w1 * w1;
    q[4 * n] = a * w4 + b * (4 * w1 * w3 + 3 * w2 * w2) + 6 * c * w1 * w1 * w2 + d * w1 * w1 * w1 * w1;
  }
}

jn_status jn__path_at(jn_path *p, double u, int with_mass) {
  size_t n = (size_t)p->nv;
  double *v_jet = p->q + n, w[5];          /* row k of q is the derivative k */
  int shaped = p->shape[0] || p->shape[1]; /* never with motors, which need more derivatives */
  jn__path_shape(p, u, w);
  jn_status status = jn_trajectory_evaluate(p->trajectory, shaped ? w[0] : p->start + u, p->order, p->q_now, v_jet);
  if (shaped) reshape(p, w);
  if (status == JN_OK) status = jn_inverse_dynamics_jet(p->model, p->work, p->order, p->q_now, v_jet, NULL, p->c);
  double scale = 0.5;
  for (size_t k = 0; k < (size_t)p->order + 2; k++, scale *= 0.5)
    for (size_t i = 0; i < n; i++) p->slow[k * n + i] = scale * v_jet[k * n + i];
  if (status == JN_OK) status = jn_inverse_dynamics_jet(p->model, p->work, p->order, p->q_now, p->slow, NULL, p->tau);
  scale = 1;
  for (size_t k = 0; k <= (size_t)p->order; k++, scale *= 2)
    for (size_t i = 0; i < n; i++) {
      double all = p->c[k * n + i], slow = p->tau[k * n + i] * scale;
      p->c[k * n + i] = (all - slow) / 0.75;
      p->g[k * n + i] = (slow - 0.25 * all) / 0.75;
    }
  return status == JN_OK && with_mass ? mass_along(p) : status;
}

/* Of motors of linear springs without damping, at s' = 1. */
static int motor_limited(const jn_path *p, int v, jn_limited which, jn_limited_value *out) {
  const jn_actuator *a = jn_elastic_actuator(p->elastic, v);
  size_t n = (size_t)p->nv, i = (size_t)v;
  double y = jn_elastic_is_elastic(p->elastic, v) ? 1 / a->stiffness : 0, B = a->rotor_inertia, d = a->rotor_damping;
  for (size_t k = 0; k < 2; k++) { /* the value, and its derivative */
    double *x = k ? out->slope : out->value;
#define Q(order) p->q[(order + k) * n + i]
#define C(order) p->c[(order + k) * n + i]
#define G(order) p->g[(order + k) * n + i]
    if (which == JN_LIMITED_MOTOR_EFFORT) {
      x[0] = G(0);
      x[1] = d * (Q(1) + G(1) * y);
      x[2] = B * (Q(2) + G(2) * y) + C(0);
      x[3] = d * C(1) * y;
      x[4] = B * C(2) * y;
    } else if (which == JN_LIMITED_MOTOR_EFFORT_RATE) {
      x[1] = G(1);
      x[2] = d * (Q(2) + G(2) * y);
      x[3] = B * (Q(3) + G(3) * y) + C(1);
      x[4] = d * C(2) * y;
      x[5] = B * C(3) * y;
    } else if (which == JN_LIMITED_MOTOR_VELOCITY) {
      x[1] = Q(1) + G(1) * y;
      x[3] = C(1) * y;
    } else {
      x[0] = G(0) * y;
      x[2] = C(0) * y;
    }
#undef Q
#undef C
#undef G
  }
  return 1;
}

int jn__path_limited(const jn_path *p, const jn_timing *at, int v, jn_limited which, jn_limited_value *out) {
  const jn_range *l = &p->limits[v * JN_LIMITED_QUANTITIES + (int)which];
  if (isinf(l->lower) && isinf(l->upper)) return 0;
  memset(out, 0, sizeof *out);
  if (which >= JN_LIMITED_MOTOR_EFFORT) return p->elastic ? motor_limited(p, v, which, out) : 0;
  size_t n = (size_t)p->nv, i = (size_t)v;
  double s1 = at->s[1], s2 = at->s[2], s3 = at->s[3], s4 = at->s[4], q1 = p->q[n + i], q2 = p->q[2 * n + i],
         q3 = p->q[3 * n + i];
  double q4 = p->q[4 * n + i], c = p->c[i], c1 = p->c[n + i], c2 = p->c[2 * n + i], g1 = p->g[n + i];
  double m = p->m[i], m1 = p->m[n + i], m2 = p->m[2 * n + i], A = m1 + 2 * c, A1 = m2 + 2 * c1;
  double acceleration = q1 * s2 + q2 * s1 * s1, jerk = q1 * s3 + 3 * q2 * s1 * s2 + q3 * s1 * s1 * s1;
  double rate = m * s3 + A * s1 * s2 + c1 * s1 * s1 * s1;
  switch (which) {
    case JN_LIMITED_POSITION:
      if (p->place[v] < 0) return 0;
      out->value[0] = p->q_now[p->place[v]];
      out->slope[0] = q1 * s1;
      return 1;
    case JN_LIMITED_VELOCITY:
      out->value[1] = q1 * s1;
      out->slope[1] = acceleration;
      return 1;
    case JN_LIMITED_ACCELERATION:
      out->value[2] = acceleration;
      out->slope[2] = jerk;
      return 1;
    case JN_LIMITED_JERK:
      out->value[3] = jerk;
      out->slope[3] = q1 * s4 + 4 * q2 * s1 * s3 + 3 * q2 * s2 * s2 + 6 * q3 * s1 * s1 * s2 + q4 * s1 * s1 * s1 * s1;
      return 1;
    case JN_LIMITED_EFFORT:
      out->value[0] = p->g[i];
      out->value[0] += p->friction[i] * (q1 > 0 ? 1 : q1 < 0 ? -1 : 0); /* keeps its sign, as in jounce torque */
      out->value[1] = p->damping[i] * q1 * s1;
      out->value[2] = m * s2 + c * s1 * s1;
      out->slope[0] = g1 * s1;
      out->slope[1] = p->damping[i] * acceleration;
      out->slope[2] = rate;
      return 1;
    default: /* effort rate */
      out->value[1] = g1 * s1;
      out->value[2] = p->damping[i] * acceleration;
      out->value[3] = rate;
      out->slope[2] = p->damping[i] * jerk;
      out->slope[1] = p->g[2 * n + i] * s1 * s1 + g1 * s2;
      out->slope[3] = m * s4 + m1 * s1 * s3 + A1 * s1 * s1 * s2 + A * (s2 * s2 + s1 * s3) + c2 * s1 * s1 * s1 * s1 +
                      3 * c1 * s1 * s1 * s2;
      return 1;
  }
}
