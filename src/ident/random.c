/* SPDX-License-Identifier: BSD-2-Clause */
/* Random states, for the ranks of regressors. */
#include "base.h"

double jn__base_uniform(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Coordinates vary over a turn and a half, or over many turns if coordinates are coupled: this distinguishes functions
 * of one coordinate that have nearly the same frequency. */
jn_status jn__base_random_state(const jn_model *model, uint64_t *state, double *q, double *v, double *a) {
  double range = jn_model_is_coupled(model) ? 30 : 4;
  jn_status status = jn_random(model, state, q); /* for the quaternions: it respects limits, which play no part here */
  for (int j = 0; j < jn_link_count(model); j++) {
    jn_joint_type type = jn_joint_type_of(model, j);
    if (type == JN_SPHERICAL || type == JN_FREE) continue;
    for (int k = 0; k < jn_joint_nq(model, j); k++) q[jn_joint_q(model, j) + k] = range * jn__base_uniform(state);
  }
  for (int k = 0; k < jn_model_nv(model); k++) {
    v[k] = 3 * jn__base_uniform(state); /* squares of v as large as a and as gravity */
    a[k] = 9 * jn__base_uniform(state);
  }
  return status;
}
