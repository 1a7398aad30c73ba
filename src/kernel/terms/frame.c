/* SPDX-License-Identifier: BSD-2-Clause */
/* Pose, twist, acceleration, Jacobian and its rate of one frame: only the bodies between it and the world are swept.
 *
 *   outwards   T_i = T_p X_i,   V_i = Ad_(X_i^-1) V_p + S v,   A_i = Ad_(X_i^-1) A_p + S a + Psi v   kim2012 Table 2
 *   frame      its twist, its acceleration (without weight) and the columns of J in a representation: see frames.h
 *
 *   symbol  meaning                                      size  frame
 *   X, T    pose of a body in its parent, in the world   12
 *   V, A    twist of a body and its rate                 6     the body's own
 *   S, Psi  joint screw, dS/dt + ad_V S                  6     the body's own
 *
 * frame, representation (frames.h). in: q, v, a (v, a NULL: zero).
 * out: pose [16], twist [6], acceleration [6], J [6 x nv], dJ/dt [6 x nv]; NULL: not wanted. Cost O(depth). */
#include "../base/variant.h"
#include "frames.h"

void JN_(frame)(const jn_call *call) {
  const jn_frame_arguments *args = &call->frame;
  const JN_S(tree) *tree = call->tree;
  const real *q = args->q, *v = args->v, *a = args->a;
  int representation = args->representation;
  real *at = call->scratch;
  pose *X = TAKE(&at, tree->nb, pose), *T = TAKE(&at, tree->nb, pose);
  twist *V = TAKE(&at, tree->nb, twist), *A = TAKE(&at, tree->nb, twist);
  twist *S = TAKE(&at, tree->nd, twist), *Psi = TAKE(&at, tree->nd, twist);
  angles angle = angles_at(tree, q, &at);
  int32_t *path = TAKE_INTS(&at, tree->nb), depth = 0;
  if (counts(call, at)) return;
  const JN_S(frame) *frame = &tree->frame[args->frame];

  /* The bodies between the frame and the world. */
  for (int j = frame->body; j >= 0; j = tree->body[j].parent) path[depth++] = j;

  /* Outwards along this path. */
  for (int k = depth - 1; k >= 0; k--) {
    int i = path[k], p = tree->body[i].parent;
    outward(tree, i, q, v, angle, X, S, V, Psi);
    T[i] = p < 0 ? X[i] : se3_mul(T[p], X[i]);
    if (args->A) A[i] = accelerate(tree, i, v, a, X, S, Psi, A, t_zero());
  }

  /* Pose, twist and acceleration of the frame. */
  pose local = se3_constant(frame->R, frame->p);
  pose world = frame->body < 0 ? local : se3_mul(T[frame->body], local);
  twist V_frame = frame->body < 0 || !v ? t_zero() : t_Ad_inverse(local, V[frame->body]);
  if (args->T) se3_store(world, args->T);
  if (args->V) t_store(represent(representation, world, V_frame), args->V);
  if (args->A) {
    twist dV = frame->body < 0 ? t_zero() : t_Ad_inverse(local, A[frame->body]);
    t_store(represent_rate(representation, world, V_frame, V_frame, dV), args->A);
  }

  /* Jacobian and its rate, which is zero at rest. */
  if (args->J || args->Jdot)
    frame_jacobian(tree, args->frame, representation, world, X, S, Psi, &V_frame, args->J, v ? args->Jdot : NULL);
  if (args->Jdot && !v)
    for (int k = 0; k < 6 * tree->nv; k++) ((real *)args->Jdot)[k] = ZERO;
}
