/* SPDX-License-Identifier: BSD-2-Clause */
/* The robot as one rigid body: the inertia of all moving bodies with their joints locked.
 *
 *   I = sum over bodies of Ad*(T_i^-1) I_i Ad(T_i^-1)          in the world's axes, about its origin
 *
 *   symbol  meaning                                      size   frame, unit
 *   X, T    pose of a body in its parent; in the world          m
 *   I_i     inertia of body i, fixed links included      10     the body's internal frame; kg, kg m, kg m^2
 *   c       centre of mass                               3      world, m
 *
 * About the centre of mass the first moment is zero, and the parallel axis theorem takes m (c.c 1 - c c^T) from J.
 * One sweep outwards. Cost O(n). */
#include "../base/sweep.h"
#include "../base/variant.h"

void JN_(composite_inertia)(const jn_call *c) {
  const jn_composite_inertia_arguments *args = &c->composite_inertia;
  const JN_S(tree) *tree = c->tree;
  real *at = c->scratch;
  pose *X = TAKE(&at, tree->nb, pose), *T = TAKE(&at, tree->nb, pose);
  twist *S = TAKE(&at, tree->nd, twist);
  angles angle = angles_at(tree, args->q, &at);
  if (counts(c, at)) return;

  /* Outwards: poses, and the sum of the inertias in the world's frame. */
  inertia I = {ZERO, v3_zero(), {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO}};
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    outward(tree, i, args->q, NULL, angle, X, S, NULL, NULL);
    T[i] = body->parent < 0 ? X[i] : se3_mul(T[body->parent], X[i]);
    I = i_add(I, i_move(T[i], i_constant(body->inertia)));
  }

  /* About the centre of mass: the world's frame, seen from there. */
  if (args->about) {
    vec3 center = v3_scale(K(1) / I.m, I.h);
    I = i_move((pose){m3_identity(), v3_neg(center)}, I);
  }
  i_store(I, args->inertia);
}
