/* SPDX-License-Identifier: BSD-2-Clause */
/* One frame: only the bodies between it and the world are swept. frame and representation are integers.
 * in: q, v, a (v, a NULL: zero). out: pose [16], twist [6], acceleration [6], J [6 x nv], dJ [6 x nv]. O(depth). */
#include "../base/variant.h"
#include "frames.h"

void JN_(frame)(const jn_call *c) {
  const jn_frame_arguments *args = &c->frame;
  const JN_S(tree) *t = c->tree;
  const real *q = args->q, *v = args->v, *a = args->a;
  int in = args->representation;
  real *at = c->scratch;
  pose *X = TAKE(&at, t->nb, pose), *T = TAKE(&at, t->nb, pose);
  twist *V = TAKE(&at, t->nb, twist), *A = TAKE(&at, t->nb, twist);
  twist *S = TAKE(&at, t->nd, twist), *Psi = TAKE(&at, t->nd, twist);
  angles turn = angles_at(t, q, &at);
  int32_t *path = TAKE_INTS(&at, t->nb), depth = 0;
  if (counts(c, at)) return;
  const JN_S(frame) *f = &t->frame[args->frame];
  for (int j = f->body; j >= 0; j = t->body[j].parent) path[depth++] = j;
  for (int k = depth - 1; k >= 0; k--) {
    int i = path[k], p = t->body[i].parent;
    outward(t, i, q, v, turn, X, S, V, Psi);
    T[i] = p < 0 ? X[i] : se3_mul(T[p], X[i]);
    if (args->A) A[i] = accelerate(t, i, v, a, X, S, Psi, A, t_zero());
  }
  pose local = se3_constant(f->R, f->p);
  pose world = f->body < 0 ? local : se3_mul(T[f->body], local);
  twist V_frame = f->body < 0 || !v ? t_zero() : t_Ad_inverse(local, V[f->body]);
  if (args->T) se3_store(world, args->T);
  if (args->V) t_store(represent(in, world, V_frame), args->V);
  if (args->A) {
    twist dV = f->body < 0 ? t_zero() : t_Ad_inverse(local, A[f->body]);
    t_store(represent_rate(in, world, V_frame, V_frame, dV), args->A);
  }
  if (args->J || args->Jdot)
    frame_jacobian(t, args->frame, in, world, X, S, Psi, &V_frame, args->J, v ? args->Jdot : NULL);
  if (args->Jdot && !v)
    for (int k = 0; k < 6 * t->nv; k++) ((real *)args->Jdot)[k] = ZERO;
}
