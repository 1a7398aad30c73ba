/* SPDX-License-Identifier: BSD-2-Clause */
/* Springs at joints: a force stiffness (q - rest) at each coordinate, which depends on the configuration alone, like
 * weight. Springs of coupled joints are added up for the coordinate that moves them (src/model/freeze.c). Joints whose
 * velocity is not the rate of their coordinates (spherical, free) have none.
 *
 *   symbol     meaning                               size  unit
 *   stiffness  of the spring at a coordinate         nv    N m/rad, N/m
 *   rest       position at which it has no force     nv    rad, m
 *   stretch    q - rest                              -     rad, m */
#ifndef JN_KERNEL_BASE_SPRINGS_H
#define JN_KERNEL_BASE_SPRINGS_H

#include "../../tree/tree.h"
#include "variant.h"

/* q - rest, and the force, of coordinate k of a body. */
static inline real spring_stretch(const JN_S(tree) * tree, const JN_S(body) * body, int k, const real *q) {
  return q[body->iq + k] - splat(tree->rest[body->iv + k]);
}
static inline real spring_force(const JN_S(tree) * tree, const JN_S(body) * body, int k, const real *q) {
  return splat(tree->stiffness[body->iv + k]) * spring_stretch(tree, body, k, q);
}

/* Whether springs can act on the coordinates of this joint: it owns them, and their rates are velocities. */
static inline int carries_springs(const JN_S(body) * body) {
  return body->owner && body->kind != JN_BODY_SPHERICAL && body->kind != JN_BODY_FREE;
}

/* force [nv] += sign * stiffness (q - rest). */
static inline void add_springs(const JN_S(tree) * tree, const real *q, real sign, real *force) {
  for (int i = 0; i < tree->nb && tree->has_springs; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < body->nv && carries_springs(body); k++)
      force[body->iv + k] += sign * spring_force(tree, body, k, q);
  }
}

/* change [nv] += stiffness dq. */
static inline void add_spring_change(const JN_S(tree) * tree, const real *dq, real *change) {
  for (int r = 0; r < tree->nv && tree->has_springs && dq; r++) change[r] += splat(tree->stiffness[r]) * dq[r];
}

/* What coordinate k of a body adds to the diagonal of dtau/dq. */
static inline real stiffness_of(const JN_S(tree) * tree, const JN_S(body) * body, int k) {
  return body->owner ? splat(tree->stiffness[body->iv + k]) : splat((scalar)0);
}

/* Taylor coefficient j of the stretch: q_j = v_(j-1) / j. v: Taylor coefficients of velocities, row by row. */
static inline real stretch_order(const JN_S(tree) * tree, const JN_S(body) * body, int k, const real *q, const real *v,
                                 int j) {
  return j ? v[(j - 1) * tree->nv + body->iv + k] / splat((scalar)j) : spring_stretch(tree, body, k, q);
}

/* Taylor coefficient j of the forces, added to tau [nv]. */
static inline void add_springs_order(const JN_S(tree) * tree, const real *q, const real *v, int j, real *tau) {
  for (int i = 0; i < tree->nb && tree->has_springs; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < body->nv && carries_springs(body); k++)
      tau[body->iv + k] += splat(tree->stiffness[body->iv + k]) * stretch_order(tree, body, k, q, v, j);
  }
}

/* Taylor coefficient j of the stored energy, sum of stiffness * stretch^2 / 2. */
static inline real spring_energy_order(const JN_S(tree) * tree, const real *q, const real *v, int j) {
  real sum = splat(j == 0 ? 2 * tree->spring_energy : 0);
  for (int i = 0; i < tree->nb && tree->has_springs; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < body->nv && carries_springs(body); k++)
      for (int l = 0; l <= j; l++)
        sum += splat(tree->stiffness[body->iv + k]) * stretch_order(tree, body, k, q, v, l) *
               stretch_order(tree, body, k, q, v, j - l);
  }
  return splat((scalar)0.5) * sum;
}

#endif
