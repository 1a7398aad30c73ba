/* SPDX-License-Identifier: BSD-2-Clause */
/* Springs at joints: a force stiffness (q - rest) at each coordinate, which depends on the configuration alone, like
 * weight. What coupled joints have is summed up for the coordinate that moves them (src/model/freeze.c). Joints whose
 * velocity is not the rate of their coordinates (spherical, free) have none. */
#ifndef JN_KERNEL_BASE_SPRINGS_H
#define JN_KERNEL_BASE_SPRINGS_H

#include "../../tree/tree.h"
#include "variant.h"

/* Of coordinate k of a body: how far its spring is from rest, and the force. */
static inline real spring_stretch(const JN_S(tree) * t, const JN_S(body) * b, int k, const real *q) {
  return q[b->iq + k] - splat(t->rest[b->iv + k]);
}
static inline real spring_force(const JN_S(tree) * t, const JN_S(body) * b, int k, const real *q) {
  return splat(t->stiffness[b->iv + k]) * spring_stretch(t, b, k, q);
}

static inline int carries_springs(const JN_S(body) * b) {
  return b->owner && b->kind != JN_BODY_SPHERICAL && b->kind != JN_BODY_FREE;
}

/* force [nv] += sign * the forces of all springs. */
static inline void add_springs(const JN_S(tree) * t, const real *q, real sign, real *force) {
  for (int i = 0; i < t->nb && t->carries_springs; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv && carries_springs(b); k++) force[b->iv + k] += sign * spring_force(t, b, k, q);
  }
}

/* change [nv] += what the springs' forces change by when coordinates change by dq [nv]. */
static inline void add_spring_change(const JN_S(tree) * t, const real *dq, real *change) {
  for (int r = 0; r < t->nv && t->carries_springs && dq; r++) change[r] += splat(t->stiffness[r]) * dq[r];
}

/* What the diagonal of dtau/dq gets from coordinate k of a body. */
static inline real stiffness_of(const JN_S(tree) * t, const JN_S(body) * b, int k) {
  return b->owner ? splat(t->stiffness[b->iv + k]) : splat((scalar)0);
}

/* Taylor coefficient j of the stretch; v: Taylor rows of velocities. q_j = v_{j-1} / j. */
static inline real stretch_order(const JN_S(tree) * t, const JN_S(body) * b, int k, const real *q, const real *v,
                                 int j) {
  return j ? v[(j - 1) * t->nv + b->iv + k] / splat((scalar)j) : spring_stretch(t, b, k, q);
}

/* Order j of the forces, added to Taylor coefficients tau [nv]. */
static inline void add_springs_order(const JN_S(tree) * t, const real *q, const real *v, int j, real *tau) {
  for (int i = 0; i < t->nb && t->carries_springs; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv && carries_springs(b); k++)
      tau[b->iv + k] += splat(t->stiffness[b->iv + k]) * stretch_order(t, b, k, q, v, j);
  }
}

/* Order j of the energy stored: half the sum of stiffness times the square of the stretch. */
static inline real spring_energy_order(const JN_S(tree) * t, const real *q, const real *v, int j) {
  real sum = splat(j == 0 ? 2 * t->spring_energy : 0);
  for (int i = 0; i < t->nb && t->carries_springs; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv && carries_springs(b); k++)
      for (int l = 0; l <= j; l++)
        sum += splat(t->stiffness[b->iv + k]) * stretch_order(t, b, k, q, v, l) * stretch_order(t, b, k, q, v, j - l);
  }
  return splat((scalar)0.5) * sum;
}

#endif
