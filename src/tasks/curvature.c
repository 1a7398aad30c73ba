/* SPDX-License-Identifier: BSD-2-Clause */
/* What Gauss and Newton leave out of the second derivatives of a cost |e|^2 / 2: B = -sum e . d2y. It matters where the
 * error stays, out of the workspace. With the Jacobian (w_k, v_k) of a frame in its own axes, D_jk = d/dq_j of column k
 * (jn_frame_jacobian_rate() along e_j), and errors in these axes:
 *   positions   B_jk = -e . (w_j x v_k + D_jk)
 *   rotations   B_jk = w_k . (dexp_left^-1(e) - 1) w_j - e . D_jk */
#include <string.h>

#include "../dense/vectors.h"
#include "jounce/lie.h"
#include "tasks.h"

/* Errors of a task in the frame's axes, times the squares of their weights. 0: it has none that bend. */
static int bending_error(const jn_tasks *t, const task_item *s, double *turn, double *shift) {
  const jn_task *task = &s->task;
  memset(turn, 0, 3 * sizeof *turn);
  memset(shift, 0, 3 * sizeof *shift);
  if (task->reference != JN_WORLD || s->uneven) return 0;
  if (task->type == JN_TASK_POSITION) {
    double e[3] = {0};
    for (int i = 0; i < s->count; i++) e[s->pick[i]] = t->e[s->first + i] * t->weight[s->first + i];
    for (int i = 0; i < 3; i++) shift[i] = s->X[i] * e[0] + s->X[4 + i] * e[1] + s->X[8 + i] * e[2];
    return 1;
  }
  if (task->type != JN_TASK_POSE && task->type != JN_TASK_ORIENTATION) return 0;
  for (int i = 0; i < s->count; i++) {
    double *to = s->pick[i] < 3 ? turn : shift;
    to[s->pick[i] % 3] = t->e[s->first + i] * t->weight[s->first + i];
  }
  return 1;
}

/* Adds the part of one task, with J6 of its frame. */
static jn_status add_task(jn_tasks *t, const task_item *s, const double *q, const double *turn, const double *shift) {
  int n = t->nv;
  const double *J = t->J6;
  double L[9], e[3], *direction = t->step.g, square = s->task.weight[0] * s->task.weight[0];
  int turns = s->task.type != JN_TASK_POSITION && square > 0;
  for (int i = 0; i < 3; i++) e[i] = turns ? turn[i] / square : 0;
  jn_status status = jn_frame_jacobian(t->model, t->work, s->task.frame, JN_IN_BODY, q, t->J6);
  if (status == JN_OK) status = jn_so3_dexp_left_inverse(e, L);
  memset(direction, 0, sizeof(double) * (size_t)n);
  for (int j = 0; j < n && status == JN_OK; j++) {
    const double w[3] = {J[j], J[n + j], J[2 * n + j]};
    double bent[3], crossed[3];
    direction[j] = 1;
    status = jn_frame_jacobian_rate(t->model, t->work, s->task.frame, JN_IN_BODY, q, direction, t->J6_r);
    direction[j] = 0;
    for (int i = 0; i < 3; i++) bent[i] = turns ? square * (dot3(L + 3 * i, w) - w[i]) : 0;
    cross3(shift, w, crossed); /* e . (w x v) = v . (e x w) */
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int i = 0; i < 3; i++)
        sum += bent[i] * J[i * n + k] - turn[i] * t->J6_r[i * n + k] - crossed[i] * J[(3 + i) * n + k] -
               shift[i] * t->J6_r[(3 + i) * n + k];
      t->B[j * n + k] += sum / 2;
      t->B[k * n + j] += sum / 2;
    }
  }
  return status;
}

jn_status jn__tasks_find_curvature(jn_tasks *t, const double *q) {
  int level = t->loop_rows > 0;
  memset(t->B, 0, sizeof(double) * (size_t)t->nv * (size_t)t->nv);
  t->bent = 0;
  for (int i = 0; i < t->count; i++) {
    const task_item *s = &t->item[i];
    double turn[3], shift[3];
    if (s->level != level || !bending_error(t, s, turn, shift)) continue;
    jn_status status = add_task(t, s, q, turn, shift);
    if (status != JN_OK) return status;
    t->bent = 1;
  }
  return JN_OK;
}
