/* SPDX-License-Identifier: BSD-2-Clause */
#include "limits.h"

#include <math.h>
#include <stdbool.h>

void jn__find_position_limits(const jn_model *model, int *place, double *lower, double *upper) {
  int nv = jn_model_nv(model);

  /* Of coordinates. */
  for (int v = 0; v < nv; v++) {
    int number, joint = jn_coordinate_joint(model, v, &number);
    jn_joint_type type = jn_joint_type_of(model, joint);
    bool is_group = type == JN_SPHERICAL || type == JN_FREE;
    const jn_dof *dof = jn_coordinate_dof(model, v);
    place[v] = is_group ? -1 : jn_joint_q(model, joint) + number;
    lower[v] = is_group ? -INFINITY : dof->lower;
    upper[v] = is_group ? INFINITY : dof->upper;
  }

  /* Of joints that follow one: position = ratio q + offset. */
  for (int joint = 0; joint < jn_link_count(model); joint++) {
    double ratio, offset;
    if (!jn_joint_mimic(model, joint, NULL, &ratio, &offset) || ratio == 0) continue;
    int v = jn_joint_v(model, joint);
    const jn_dof *dof = jn_joint_description(model, joint)->dof;
    double a = (dof->lower - offset) / ratio, b = (dof->upper - offset) / ratio;
    lower[v] = fmax(lower[v], fmin(a, b));
    upper[v] = fmin(upper[v], fmax(a, b));
  }

  /* Limits with nothing between them hold nothing. */
  for (int v = 0; v < nv; v++)
    if (lower[v] > upper[v]) lower[v] = -INFINITY, upper[v] = INFINITY;
}
