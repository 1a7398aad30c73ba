/* SPDX-License-Identifier: BSD-2-Clause */
/* Position limits: of coordinates, and through them of the joints that follow them. */
#include <math.h>

#include "tasks.h"

static void narrow(jn_tasks *t, int v, double lower, double upper) {
  if (lower > t->lower[v]) t->lower[v] = lower;
  if (upper < t->upper[v]) t->upper[v] = upper;
}

void jn__tasks_find_limits(jn_tasks *t) {
  for (int v = 0; v < t->nv; v++) {
    int number, joint = jn_coordinate_joint(t->model, v, &number);
    jn_joint_type type = jn_joint_type_of(t->model, joint);
    t->lower[v] = -INFINITY;
    t->upper[v] = INFINITY;
    t->place[v] = type == JN_SPHERICAL || type == JN_FREE ? -1 : jn_joint_q(t->model, joint) + number;
    if (t->place[v] < 0 || t->options.ignore_limits) continue;
    const jn_dof *dof = jn_coordinate_dof(t->model, v);
    narrow(t, v, dof->lower, dof->upper);
  }
  for (int joint = 0; joint < jn_link_count(t->model) && !t->options.ignore_limits; joint++) {
    double ratio, offset;
    if (!jn_joint_mimic(t->model, joint, NULL, &ratio, &offset) || ratio == 0) continue;
    const jn_dof *dof = jn_joint_description(t->model, joint)->dof;
    double a = (dof->lower - offset) / ratio, b = (dof->upper - offset) / ratio;
    narrow(t, jn_joint_v(t->model, joint), fmin(a, b), fmax(a, b));
  }
  for (int v = 0; v < t->nv; v++) /* limits without room between them hold nothing */
    if (t->lower[v] > t->upper[v]) t->lower[v] = -INFINITY, t->upper[v] = INFINITY;
}

void jn__tasks_clamp(const jn_tasks *t, double *q) {
  for (int v = 0; v < t->nv; v++) {
    if (t->place[v] < 0) continue;
    double *x = q + t->place[v];
    if (*x < t->lower[v]) *x = t->lower[v];
    if (*x > t->upper[v]) *x = t->upper[v];
  }
}

void jn__tasks_bounds(const jn_tasks *t, const double *q, double *lo, double *hi) {
  double longest = t->options.longest_step;
  for (int v = 0; v < t->nv; v++) {
    double x = t->place[v] < 0 ? 0 : q[t->place[v]];
    lo[v] = fmax(t->lower[v] - x, -longest);
    hi[v] = fmin(t->upper[v] - x, longest);
  }
}

int jn__tasks_active(const jn_tasks *t, const double *q, signed char *active) {
  int count = 0;
  for (int v = 0; v < t->nv; v++) {
    int at = 0;
    if (t->place[v] >= 0) at = (q[t->place[v]] >= t->upper[v]) - (q[t->place[v]] <= t->lower[v]);
    count += at != 0;
    if (active) active[v] = (signed char)at;
  }
  return count;
}
