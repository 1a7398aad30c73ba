/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors and Jacobians of the tasks at one configuration.
 *
 * The error of an orientation is the rotation vector e = log(R^T R_target), in the frame's axes; that of a position in
 * a pose R^T (p_target - p). Their exact derivatives are -dexp_left^-1(e) w and -v + e x w. As long as the rows have
 * equal weights, the gradient of |e|^2 is the same with -w and -v, because e^T dexp_left^-1(e) = e^T, and these are
 * taken; for other weights (`uneven`) the exact ones are. A frame that may turn about one of its axes has the error of
 * the direction of that axis. */
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "jounce/lie.h"
#include "tasks.h"

/* ---- poses ---- */

static void rotation_of(const double *T, double *R) {
  for (int i = 0; i < 9; i++) R[i] = T[4 * (i / 3) + i % 3];
}

jn_status jn__tasks_pose(jn_tasks *t, const task_item *s, const double *q, double *X, double *T_r) {
  if (s->task.reference == JN_WORLD) return jn_frame_pose(t->model, t->work, s->task.frame, q, X);
  double T[16], inverse[16];
  jn_status status = jn_frame_pose(t->model, t->work, s->task.frame, q, T);
  if (status == JN_OK) status = jn_frame_pose(t->model, t->work, s->task.reference, q, T_r);
  if (status == JN_OK) status = jn_se3_inverse(T_r, inverse);
  return status == JN_OK ? jn_se3_multiply(inverse, T, X) : status;
}

/* ---- errors ---- */

/* log(R^T R_target). */
static jn_status turn_to(const double *X, const double *target, int stride, double *e) {
  double D[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = X[i] * target[j] + X[4 + i] * target[stride + j] + X[8 + i] * target[2 * stride + j];
  return jn_so3_log(D, e);
}

/* The rotation vector, in the frame's axes, that turns its axis into the direction; `across` the axis if that is
 * opposite. */
static void turn_axis(const double *X, const double *axis, const double *across, const double *target, double *e) {
  double d[3], size = sqrt(dot3(target, target));
  for (int i = 0; i < 3; i++) d[i] = (X[i] * target[0] + X[4 + i] * target[1] + X[8 + i] * target[2]) / size;
  cross3(axis, d, e);
  double sine = sqrt(dot3(e, e)), cosine = dot3(axis, d), angle = atan2(sine, cosine);
  for (int i = 0; i < 3; i++) e[i] = sine > 1e-12 ? e[i] * angle / sine : cosine < 0 ? angle * across[i] : e[i];
}

/* Of a pose or orientation. Where it may turn about one of its axes, only the direction of that counts. */
static jn_status turn_error(const task_item *s, const double *target, int stride, double *e) {
  if (s->about < 0) return turn_to(s->X, target, stride, e);
  double axis[3] = {0}, across[3] = {0};
  axis[s->about] = across[(s->about + 1) % 3] = 1;
  const double *column = target + s->about, direction[3] = {column[0], column[stride], column[2 * stride]};
  turn_axis(s->X, axis, across, direction, e);
  return JN_OK;
}

static jn_status joint_error(jn_tasks *t, const task_item *s, const double *q, const double *target, double *e) {
  int joint = s->task.frame;
  memcpy(t->q_target, q, sizeof(double) * (size_t)t->nq);
  memcpy(t->q_target + jn_joint_q(t->model, joint), target, sizeof(double) * (size_t)s->numbers);
  jn_status status = jn_difference(t->model, t->work, q, t->q_target, t->step.d);
  memcpy(e, t->step.d + jn_joint_v(t->model, joint), sizeof(double) * (size_t)s->rows);
  return status;
}

jn_status jn__tasks_pose_error(task_item *s, const double *target, double *e) {
  jn_status status = JN_OK;
  double c[3];
  const double *X = s->X, p[3] = {X[3], X[7], X[11]};
  switch (s->task.type) {
    case JN_TASK_POSE:
      for (int i = 0; i < 3; i++) c[i] = target[4 * i + 3] - p[i];
      for (int i = 0; i < 3; i++) e[3 + i] = X[i] * c[0] + X[4 + i] * c[1] + X[8 + i] * c[2];
      status = turn_error(s, target, 4, e);
      break;
    case JN_TASK_POSITION:
      for (int i = 0; i < 3; i++) e[i] = target[i] - p[i];
      break;
    case JN_TASK_ORIENTATION:
      status = turn_error(s, target, 3, e);
      break;
    case JN_TASK_DIRECTION:
      turn_axis(X, s->task.axis, s->across[0], target, e);
      break;
    default:
      e[0] = target[0] - sqrt(dot3(p, p));
  }
  if (s->uneven) memcpy(s->error, e, sizeof(double) * (size_t)s->rows);
  return status;
}

/* Error of all rows of a task; sets its pose. */
static jn_status item_error(jn_tasks *t, task_item *s, const double *q, const double *target, double *e) {
  if (s->task.type == JN_TASK_JOINT) return joint_error(t, s, q, target, e);
  if (s->task.type == JN_TASK_CENTER_OF_MASS) {
    double c[3];
    jn_status status = jn_center_of_mass(t->model, t->work, s->task.frame, q, NULL, NULL, c, NULL, NULL);
    for (int i = 0; i < 3; i++) e[i] = target[i] - c[i];
    return status;
  }
  jn_status status = jn__tasks_pose(t, s, q, s->X, s->T_r);
  return status == JN_OK ? jn__tasks_pose_error(s, target, e) : status;
}

static void count_errors(const jn_tasks *t, const task_item *s, const double *all, double *e) {
  for (int i = 0; i < s->count; i++) {
    int row = s->first + i;
    double x = s->task.type == JN_TASK_DIRECTION ? dot3(s->across[i], all)
               : s->task.type == JN_TASK_JOINT   ? all[i]
                                                 : all[s->pick[i]];
    e[row] = t->weight[row] * x;
  }
}

jn_status jn__tasks_errors(jn_tasks *t, const double *q, const double *target, double *e) {
  jn_status status = JN_OK;
  if (t->loops) status = jn__loops_errors(t->loops, q, e, &t->gap);
  for (int i = 0; i < t->count && status == JN_OK; i++) {
    task_item *s = &t->item[i];
    double all[6];
    status = item_error(t, s, q, target + s->target, all);
    if (status == JN_OK) count_errors(t, s, all, e);
  }
  return status;
}

jn_status jn_tasks_error(jn_tasks *t, const double *q, const double *target, double *error) {
  if (!t || !q || !target || !error) return JN_ERR_NULL;
  jn_status status = JN_OK;
  for (int i = 0; i < t->count && status == JN_OK; i++)
    status = item_error(t, &t->item[i], q, target + t->item[i].target, error + t->item[i].row);
  return status;
}

jn_status jn_tasks_values(jn_tasks *t, const double *q, double *target) {
  if (!t || !q || !target) return JN_ERR_NULL;
  for (int i = 0; i < t->count; i++) {
    task_item *s = &t->item[i];
    double *to = target + s->target, T_r[16], X[16];
    jn_status status = JN_OK;
    if (s->task.type == JN_TASK_JOINT) {
      memcpy(to, q + jn_joint_q(t->model, s->task.frame), sizeof(double) * (size_t)s->numbers);
      continue;
    }
    if (s->task.type == JN_TASK_CENTER_OF_MASS)
      status = jn_center_of_mass(t->model, t->work, s->task.frame, q, NULL, NULL, to, NULL, NULL);
    else
      status = jn__tasks_pose(t, s, q, X, T_r);
    if (status != JN_OK) return status;
    const double p[3] = {X[3], X[7], X[11]};
    if (s->task.type == JN_TASK_POSE) memcpy(to, X, sizeof X);
    if (s->task.type == JN_TASK_POSITION) memcpy(to, p, sizeof p);
    if (s->task.type == JN_TASK_ORIENTATION) rotation_of(X, to);
    if (s->task.type == JN_TASK_DIRECTION) turn3(X, s->task.axis, to);
    if (s->task.type == JN_TASK_DISTANCE) to[0] = sqrt(dot3(p, p));
  }
  return JN_OK;
}

/* ---- Jacobians ---- */

/* J6 [6 x n]: of the frame against its reference, in the frame's axes: J_f - Ad_{X^-1} J_r. */
static jn_status relative_jacobian(jn_tasks *t, const task_item *s, const double *q) {
  int n = t->nv;
  double *J = t->J6, *J_r = t->J6_r;
  jn_status status = jn_frame_jacobian(t->model, t->work, s->task.frame, JN_IN_BODY, q, J);
  if (status != JN_OK || s->task.reference == JN_WORLD) return status;
  status = jn_frame_jacobian(t->model, t->work, s->task.reference, JN_IN_BODY, q, J_r);
  const double *X = s->X, p[3] = {X[3], X[7], X[11]};
  for (int k = 0; k < n && status == JN_OK; k++) {
    double w[3], u[3], pw[3];
    for (int i = 0; i < 3; i++) w[i] = J_r[i * n + k];
    cross3(p, w, pw);
    for (int i = 0; i < 3; i++) u[i] = J_r[(3 + i) * n + k] - pw[i];
    for (int i = 0; i < 3; i++) {
      J[i * n + k] -= X[i] * w[0] + X[4 + i] * w[1] + X[8 + i] * w[2];
      J[(3 + i) * n + k] -= X[i] * u[0] + X[4 + i] * u[1] + X[8 + i] * u[2];
    }
  }
  return status;
}

/* out [n] (+)= a . rows [3 x n] */
static void combine(const double *a, const double *rows, int n, int add, double *out) {
  for (int k = 0; k < n; k++)
    out[k] = (add ? out[k] : 0) + a[0] * rows[k] + a[1] * rows[n + k] + a[2] * rows[2 * n + k];
}

/* Row `row` of the rates of a task, from t->J6 or t->J6 [3 x n] of the centre of mass. */
static void one_row(const jn_tasks *t, const task_item *s, int row, double *out) {
  int n = t->nv;
  const double *X = s->X, *w = t->J6, *v = t->J6 + 3 * n;
  switch (s->task.type) {
    case JN_TASK_POSITION:
      combine(X + 4 * row, v, n, 0, out);
      break;
    case JN_TASK_DIRECTION: { /* R (w x a) */
      double b[3];
      cross3(s->task.axis, (const double[3]){X[4 * row], X[4 * row + 1], X[4 * row + 2]}, b);
      combine(b, w, n, 0, out);
      break;
    }
    case JN_TASK_DISTANCE: {
      const double p[3] = {X[3], X[7], X[11]}, d = sqrt(dot3(p, p));
      double u[3];
      for (int i = 0; i < 3; i++) u[i] = (X[i] * p[0] + X[4 + i] * p[1] + X[8 + i] * p[2]) / d;
      combine(u, v, n, 0, out);
      break;
    }
    case JN_TASK_JOINT:
      memset(out, 0, sizeof(double) * (size_t)n);
      out[jn_joint_v(t->model, s->task.frame) + row] = 1;
      break;
    default: /* pose, orientation, centre of mass */
      memcpy(out, t->J6 + row * n, sizeof(double) * (size_t)n);
  }
}

static jn_status item_jacobian(jn_tasks *t, const task_item *s, const double *q) {
  if (s->task.type == JN_TASK_JOINT) return JN_OK;
  if (s->task.type == JN_TASK_CENTER_OF_MASS) return jn_com_jacobian(t->model, t->work, s->task.frame, q, t->J6);
  return relative_jacobian(t, s, q);
}

/* L [9] with -d error = L w where the frame may turn about its axis a. The direction c of that of the target has c' = c
 * x w, and error = f a x c with f = angle / sine, so that L = -f (c a^T - cos) - (df / dcos) (a x c) (a x c)^T. */
static void axis_derivative(const task_item *s, double *L) {
  const double *e = s->error;
  double angle = sqrt(dot3(e, e)), sine = sin(angle), cosine = cos(angle), f = 1, g = -1.0 / 3, a[3] = {0}, c[3], n[3];
  for (int i = 0; i < 9; i++) L[i] = i % 4 == 0;
  if (angle > 3.14) return; /* opposite: any way is as good */
  if (angle > 1e-3) f = angle / sine, g = -(sine - angle * cosine) / (sine * sine * sine);
  a[s->about] = 1;
  for (int i = 0; i < 3; i++) n[i] = e[i] / f; /* a x c */
  cross3(n, a, c);
  for (int i = 0; i < 3; i++) c[i] += cosine * a[i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) L[3 * i + j] = -f * (c[i] * a[j] - cosine * (i == j)) - g * n[i] * n[j];
}

/* Row i that counts, of -d error/dq, for weights that differ. */
static void uneven_row(const jn_tasks *t, const task_item *s, int i, double *out) {
  double L[9];
  int row = s->pick[i], n = t->nv;
  if (row < 3) {
    if (s->about >= 0)
      axis_derivative(s, L);
    else
      jn_so3_dexp_left_inverse(s->error, L);
    combine(L + 3 * row, t->J6, n, 0, out);
    return;
  }
  const double *e = s->error + 3; /* v - e x w */
  const double minus[9] = {0, e[2], -e[1], -e[2], 0, e[0], e[1], -e[0], 0};
  memcpy(out, t->J6 + row * n, sizeof(double) * (size_t)n);
  combine(minus + 3 * (row - 3), t->J6, n, 1, out);
}

jn_status jn__tasks_gradient(jn_tasks *t, const double *q) {
  int n = t->nv;
  if (t->loops) {
    jn_status status = jn__loops_closing_system(t->loops, t->J, t->e);
    if (status != JN_OK) return status;
  }
  for (int i = 0; i < t->count; i++) {
    const task_item *s = &t->item[i];
    jn_status status = item_jacobian(t, s, q);
    if (status != JN_OK) return status;
    for (int k = 0; k < s->count; k++) {
      double *out = t->J + (s->first + k) * n, weight = t->weight[s->first + k];
      if (s->task.type == JN_TASK_DIRECTION)
        combine(s->across[k], t->J6, n, 0, out);
      else if (s->uneven)
        uneven_row(t, s, k, out);
      else
        one_row(t, s, s->task.type == JN_TASK_JOINT ? k : s->pick[k], out);
      for (int j = 0; j < n && weight != 1; j++) out[j] *= weight;
    }
  }
  return JN_OK;
}

jn_status jn__tasks_jacobian(jn_tasks *t, const double *q, double *J) {
  jn_status status = JN_OK;
  for (int i = 0; i < t->count && status == JN_OK; i++) {
    task_item *s = &t->item[i];
    if (s->task.type != JN_TASK_JOINT && s->task.type != JN_TASK_CENTER_OF_MASS)
      status = jn__tasks_pose(t, s, q, s->X, s->T_r);
    if (status == JN_OK) status = item_jacobian(t, s, q);
    for (int k = 0; k < s->rows && status == JN_OK; k++) one_row(t, s, k, J + (s->row + k) * t->nv);
    const double *X = s->X;
    if (s->task.type == JN_TASK_DISTANCE && !(fabs(X[3]) + fabs(X[7]) + fabs(X[11]) > 0)) status = JN_ERR_SINGULAR;
  }
  return status;
}
