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
 * arg[0]: frame, arg[1]: representation. in: q, v, a (v, a NULL: zero).
 * out: pose [16], twist [6], acceleration [6], J [6 x nv], dJ/dt [6 x nv]; NULL: not wanted. Cost O(depth). */
#include "../base/variant.h"
#include "frames.h"

void JN_(frame)(const jn_call *call) {
  const JN_S(tree) *tree = call->tree;
  const real *q = call->in[0], *v = call->in[1], *a = call->in[2];
  int representation = call->arg[1];
  real *at = call->scratch;
  pose *X = TAKE(&at, tree->nb, pose), *T = TAKE(&at, tree->nb, pose);
  twist *V = TAKE(&at, tree->nb, twist), *A = TAKE(&at, tree->nb, twist);
  twist *S = TAKE(&at, tree->nd, twist), *Psi = TAKE(&at, tree->nd, twist);
  angles angle = angles_at(tree, q, &at);
  int32_t *path = TAKE_INTS(&at, tree->nb), depth = 0;
  if (counts(call, at)) return;
  const JN_S(frame) *frame = &tree->frame[call->arg[0]];

  /* The bodies between the frame and the world. */
  for (int j = frame->body; j >= 0; j = tree->body[j].parent) path[depth++] = j;

  /* Outwards along this path. */
  for (int k = depth - 1; k >= 0; k--) {
    int i = path[k], p = tree->body[i].parent;
    outward(tree, i, q, v, angle, X, S, V, Psi);
    T[i] = p < 0 ? X[i] : se3_mul(T[p], X[i]);
    if (call->out[2]) A[i] = accelerate(tree, i, v, a, X, S, Psi, A, t_zero());
  }

  /* Pose, twist and acceleration of the frame. */
  pose local = se3_constant(frame->R, frame->p);
  pose world = frame->body < 0 ? local : se3_mul(T[frame->body], local);
  twist V_frame = frame->body < 0 || !v ? t_zero() : t_Ad_inverse(local, V[frame->body]);
  if (call->out[0]) se3_store(world, call->out[0]);
  if (call->out[1]) t_store(represent(representation, world, V_frame), call->out[1]);
  if (call->out[2]) {
    twist dV = frame->body < 0 ? t_zero() : t_Ad_inverse(local, A[frame->body]);
    t_store(represent_rate(representation, world, V_frame, V_frame, dV), call->out[2]);
  }

  /* Jacobian and its rate, which is zero at rest. */
  if (call->out[3] || call->out[4])
    frame_jacobian(tree, call->arg[0], representation, world, X, S, Psi, &V_frame, call->out[3],
                   v ? call->out[4] : NULL);
  if (call->out[4] && !v)
    for (int k = 0; k < 6 * tree->nv; k++) ((real *)call->out[4])[k] = ZERO;
}
