/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobians of the tasks and their time derivatives, from those of frames in their own axes (jets.h). With X = (R, p)
 * the pose in the reference and V = (w, u) the twist against it, in the frame's axes: R' = R [w], p' = R u, and J = J_f
 * - Ad_{X^-1} J_r,   position: R J_u,   direction: -R [a] J_w,   distance: (p / |p|) . R J_u are products, whose
 * derivatives follow by the rule of Leibniz. All derivatives are plain, not divided by k!. */
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "tasks.h"

/* ---- one frame ---- */

/* V^(k) = sum binom J^(j) v^(k-j), of the Jacobian jet J6. */
static void twist_order(const jn_tasks *t, const double *J6, const double *v_jet, int k, double *V) {
  int n = t->nv;
  memset(V, 0, 6 * sizeof *V);
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    const double *J = J6 + j * 6 * n, *v = v_jet + (k - j) * n;
    for (int r = 0; r < 6; r++)
      for (int i = 0; i < n; i++) V[r] += b * J[r * n + i] * v[i];
  }
}

/* R^(k+1) = sum binom R^(j) [w^(k-j)], p^(k+1) = sum binom R^(j) u^(k-j). */
static void next_pose(jn_tasks *t, int k) {
  double *R = t->R_jet + 9 * (k + 1), *p = t->p_jet + 3 * (k + 1);
  memset(R, 0, 9 * sizeof *R);
  memset(p, 0, 3 * sizeof *p);
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    const double *A = t->R_jet + 9 * j, *V = t->V_jet + 6 * (k - j);
    for (int i = 0; i < 3; i++) {
      double row[3]; /* of A [w]: each row of A times [w] is A_i x w */
      cross3(A + 3 * i, V, row);
      for (int e = 0; e < 3; e++) R[3 * i + e] += b * row[e];
      p[i] += b * dot3(A + 3 * i, V + 3);
    }
  }
}

/* J6^(k) -= sum binom (Ad_{X^-1})^(j) J_r^(k-j): columns (R^T w, R^T (u - p x w)). */
static void subtract_reference(jn_tasks *t, int k) {
  int n = t->nv;
  double *out = t->J6 + k * 6 * n;
  for (int c = 0; c < n; c++)
    for (int i = 0; i <= k; i++) {
      double w[3], u[3], x[3], b = jn__binomial(k, i);
      const double *J = t->J6_r + i * 6 * n;
      for (int e = 0; e < 3; e++) w[e] = J[e * n + c];
      for (int e = 0; e < 3; e++) u[e] = J[(3 + e) * n + c];
      for (int j = 0; j <= k - i; j++) { /* p^(j) x w^(i) and R^(k-i-j) */
        double both = b * jn__binomial(k - i, j);
        const double *R = t->R_jet + 9 * (k - i - j);
        cross3(t->p_jet + 3 * j, w, x);
        for (int e = 0; e < 3; e++) x[e] = (j == 0 ? u[e] : 0) - x[e];
        double turned[3] = {0}, spun[3] = {0};
        add_turned_back(1, R, x, turned);
        if (j == 0) add_turned_back(1, R, w, spun);
        for (int e = 0; e < 3; e++) {
          out[e * n + c] -= both * spun[e];
          out[(3 + e) * n + c] -= both * turned[e];
        }
      }
    }
}

/* J6, R_jet, p_jet, V_jet of a frame in its reference, to `order`. */
static jn_status frame_jets(jn_tasks *t, const task_item *s, int order, const double *q, const double *v_jet) {
  double X[16], T_r[16];
  int relative = s->task.reference != JN_WORLD;
  jn_status status = jn__tasks_pose(t, s, q, X, T_r);
  if (status == JN_OK) status = jn_frame_jacobian_jet(t->model, t->work, order, s->task.frame, q, v_jet, t->J6);
  if (status == JN_OK && relative)
    status = jn_frame_jacobian_jet(t->model, t->work, order, s->task.reference, q, v_jet, t->J6_r);
  if (status != JN_OK) return status;
  for (int i = 0; i < 9; i++) t->R_jet[i] = X[4 * (i / 3) + i % 3];
  for (int i = 0; i < 3; i++) t->p_jet[i] = X[4 * i + 3];
  for (int k = 0; k <= order; k++) {
    if (relative) subtract_reference(t, k);
    if (k == order) break;
    twist_order(t, t->J6, v_jet, k, t->V_jet + 6 * k);
    next_pose(t, k);
  }
  return JN_OK;
}

/* ---- rows ---- */

/* out^(k) [3 x n] += scale * (R (J_u - [c] J_w))^(k): the velocity of point c of the frame. */
static void add_point(const jn_tasks *t, int k, const double *c, double scale, double *out) {
  int n = t->nv;
  for (int j = 0; j <= k; j++) {
    double b = scale * jn__binomial(k, j);
    const double *R = t->R_jet + 9 * j, *w = t->J6 + (k - j) * 6 * n, *u = w + 3 * n;
    for (int i = 0; i < 3; i++) {
      double turn[3]; /* -(R [c])_i = -(R_i x c) = c x R_i */
      cross3(c, R + 3 * i, turn);
      for (int e = 0; e < n; e++)
        out[i * n + e] += b * (R[3 * i] * u[e] + R[3 * i + 1] * u[n + e] + R[3 * i + 2] * u[2 * n + e] +
                               turn[0] * w[e] + turn[1] * w[n + e] + turn[2] * w[2 * n + e]);
    }
  }
}

static void add_direction(const jn_tasks *t, const task_item *s, int k, double *out) {
  int n = t->nv;
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    const double *R = t->R_jet + 9 * j, *w = t->J6 + (k - j) * 6 * n;
    for (int i = 0; i < 3; i++) {
      double turn[3];
      cross3(s->task.axis, R + 3 * i, turn);
      for (int e = 0; e < n; e++) out[i * n + e] += b * (turn[0] * w[e] + turn[1] * w[n + e] + turn[2] * w[2 * n + e]);
    }
  }
}

/* u_jet: p / |p| and, in the fourth column, |p|, to order k. */
static void unit_order(jn_tasks *t, int k) {
  double *u = t->u_jet + 4 * k, d = t->u_jet[3];
  const double *p = t->p_jet;
  if (k == 0) {
    d = u[3] = sqrt(dot3(p, p));
  } else {
    double sum = 0;
    for (int j = 0; j <= k; j++) sum += jn__binomial(k, j) * dot3(p + 3 * j, p + 3 * (k - j));
    for (int j = 1; j < k; j++) sum -= jn__binomial(k, j) * t->u_jet[4 * j + 3] * t->u_jet[4 * (k - j) + 3];
    u[3] = sum / (2 * d);
  }
  for (int e = 0; e < 3; e++) {
    double x = p[3 * k + e];
    for (int j = 0; j < k; j++) x -= jn__binomial(k, j) * t->u_jet[4 * j + e] * t->u_jet[4 * (k - j) + 3];
    u[e] = x / d;
  }
}

/* Row k of a distance, u . R J_u; `room` [3 x n]. */
static void add_distance(jn_tasks *t, int k, double *room, double *out) {
  const double origin[3] = {0};
  int n = t->nv;
  unit_order(t, k);
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    const double *u = t->u_jet + 4 * j;
    memset(room, 0, sizeof(double) * 3 * (size_t)n);
    add_point(t, k - j, origin, b, room);
    for (int e = 0; e < n; e++) out[e] += u[0] * room[e] + u[1] * room[n + e] + u[2] * room[2 * n + e];
  }
}

/* The centre of mass: the centres of all links, by their share of the mass. */
static jn_status mass_rows(jn_tasks *t, const task_item *s, int order, const double *q, const double *v_jet,
                           double *J_jet) {
  int first = s->task.frame == JN_WORLD ? 0 : s->task.frame, n = t->nv;
  int end = s->task.frame == JN_WORLD ? jn_link_count(t->model) : jn_link_subtree_end(t->model, first);
  double total = 0, mass, c[3], inertia[10];
  task_item link = {.task = {.reference = JN_WORLD}};
  for (int i = first; i < end; i++)
    if (!jn_link_is_fixed(t->model, i) && jn_link_inertia(t->model, i, inertia) == JN_OK) total += inertia[0];
  for (int i = first; i < end; i++) {
    jn_link_inertia(t->model, i, inertia);
    if (jn_link_is_fixed(t->model, i) || inertia[0] == 0) continue;
    jn_inertia_unpack(inertia, &mass, c, NULL);
    link.task.frame = i;
    jn_status status = frame_jets(t, &link, order, q, v_jet);
    if (status != JN_OK) return status;
    for (int k = 0; k <= order; k++) add_point(t, k, c, mass / total, J_jet + (k * t->rows + s->row) * n);
  }
  return JN_OK;
}

static jn_status item_rows(jn_tasks *t, const task_item *s, int order, const double *q, const double *v_jet,
                           double *J_jet) {
  const double origin[3] = {0};
  int n = t->nv;
  if (s->task.type == JN_TASK_CENTER_OF_MASS) return mass_rows(t, s, order, q, v_jet, J_jet);
  if (s->task.type == JN_TASK_JOINT) {
    for (int i = 0; i < s->rows; i++) J_jet[(s->row + i) * n + jn_joint_v(t->model, s->task.frame) + i] = 1;
    return JN_OK;
  }
  jn_status status = frame_jets(t, s, order, q, v_jet);
  for (int k = 0; k <= order && status == JN_OK; k++) {
    double *out = J_jet + (k * t->rows + s->row) * n;
    const double *J6 = t->J6 + k * 6 * n;
    size_t bytes = sizeof(double) * (size_t)s->rows * (size_t)n;
    if (s->task.type == JN_TASK_POSE || s->task.type == JN_TASK_ORIENTATION) memcpy(out, J6, bytes);
    if (s->task.type == JN_TASK_POSITION) add_point(t, k, origin, 1, out);
    if (s->task.type == JN_TASK_DIRECTION) add_direction(t, s, k, out);
    if (s->task.type == JN_TASK_DISTANCE && !(dot3(t->p_jet, t->p_jet) > 0)) status = JN_ERR_SINGULAR;
    if (s->task.type == JN_TASK_DISTANCE && status == JN_OK) add_distance(t, k, t->J6_r, out);
  }
  return status;
}

jn_status jn__tasks_jacobian_jet(jn_tasks *t, int order, const double *q, const double *v_jet, double *J_jet) {
  size_t n = (size_t)t->nv, rows = (size_t)order;
  if (order == 0) return jn__tasks_jacobian(t, q, J_jet);
  memset(J_jet, 0, sizeof(double) * (rows + 1) * (size_t)t->rows * n);
  memmove(t->v_jet, v_jet, sizeof(double) * rows * n); /* functions of jets read rows that do not count, too */
  memset(t->v_jet + rows * n, 0, sizeof(double) * 3 * n);
  jn_status status = JN_OK;
  for (int i = 0; i < t->count && status == JN_OK; i++) status = item_rows(t, &t->item[i], order, q, t->v_jet, J_jet);
  return status;
}

/* ---- rows that count ---- */

/* Row i of the rows that count of a task, from its rows [rows x stride]. A direction counts along two vectors across
 * it: those in the frame, turned at the last configuration. */
static void count_row(const jn_tasks *t, const task_item *s, int i, int stride, const double *all, double *out) {
  double weight = t->weight[s->first + i];
  if (s->task.type != JN_TASK_DIRECTION) {
    const double *from = all + (s->task.type == JN_TASK_JOINT ? i : s->pick[i]) * stride;
    for (int e = 0; e < stride; e++) out[e] = weight * from[e];
    return;
  }
  double c[3];
  turn3(s->X, s->across[i], c);
  for (int e = 0; e < stride; e++)
    out[e] = weight * (c[0] * all[e] + c[1] * all[stride + e] + c[2] * all[2 * stride + e]);
}

jn_status jn__tasks_counting_jet(jn_tasks *t, int order, const double *q, const double *v_jet,
                                 const task_course *course) {
  int n = t->nv;
  jn_status status = jn__tasks_jacobian_jet(t, order, q, v_jet, t->J_jet);
  memcpy(t->y_jet, course->rate_jet, sizeof(double) * (size_t)(order + 1) * (size_t)t->rows);
  for (int i = 0; i < t->count && status == JN_OK; i++) {
    task_item *s = &t->item[i];
    if (s->partial && course->target) status = jn__tasks_keep_course(t, s, order, q, v_jet, course, t->J_jet);
    if (s->task.type == JN_TASK_DIRECTION) status = jn__tasks_pose(t, s, q, s->X, s->T_r);
    for (int k = 0; k <= order; k++)
      for (int r = 0; r < s->count; r++)
        count_row(t, s, r, n, t->J_jet + (k * t->rows + s->row) * n, t->C_jet + (k * t->m + s->first + r) * n);
  }
  if (status != JN_OK || !t->loops) return status;
  if (order == 0) memset(t->v_jet, 0, sizeof(double) * 3 * (size_t)n);
  return jn__loops_scaled_jacobian_jet(t->loops, order, q, t->v_jet, (size_t)t->m * (size_t)n, t->C_jet);
}

void jn__tasks_counting_rate(const jn_tasks *t, const double *rate, double *out) {
  for (int r = 0; r < t->loop_rows; r++) out[r] = 0;
  for (int i = 0; i < t->count; i++) {
    const task_item *s = &t->item[i];
    for (int r = 0; r < s->count; r++) count_row(t, s, r, 1, rate + s->row, out + s->first + r);
  }
}

/* ---- public ---- */

static jn_status check(const jn_tasks *t, int order, const double *q, const double *v_jet) {
  if (!t || !q || (order > 0 && !v_jet)) return JN_ERR_NULL;
  if (order < 0) return JN_ERR_SIZE;
  return order > t->options.order + 1 ? JN_ERR_WORK : JN_OK;
}

jn_status jn_tasks_jacobian_jet(jn_tasks *t, int order, const double *q, const double *v_jet, double *J_jet) {
  jn_status status = J_jet ? check(t, order, q, v_jet) : JN_ERR_NULL;
  return status == JN_OK ? jn__tasks_jacobian_jet(t, order, q, v_jet, J_jet) : status;
}

jn_status jn_tasks_rate_jet(jn_tasks *t, int order, const double *q, const double *v_jet, double *rate_jet) {
  jn_status status = rate_jet && v_jet ? check(t, order, q, v_jet) : JN_ERR_NULL;
  if (status == JN_OK) status = jn__tasks_jacobian_jet(t, order, q, v_jet, t->J_jet);
  for (int k = 0; k <= order && status == JN_OK; k++)
    for (int r = 0; r < t->rows; r++) {
      double sum = 0;
      for (int j = 0; j <= k; j++) {
        const double *J = t->J_jet + (j * t->rows + r) * t->nv, *v = v_jet + (k - j) * t->nv;
        double part = 0;
        for (int i = 0; i < t->nv; i++) part += J[i] * v[i];
        sum += jn__binomial(k, j) * part;
      }
      rate_jet[k * t->rows + r] = sum;
    }
  return status;
}
