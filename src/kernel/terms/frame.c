/* SPDX-License-Identifier: BSD-2-Clause */
/* One frame: only the bodies between it and the world are swept. arg[0] = frame, arg[1] = representation.
 * in: q, v, a (v, a NULL: zero). out: pose [16], twist [6], acceleration [6], J [6 x nv], dJ [6 x nv]. O(depth). */
#include "../base/variant.h"
#include "frames.h"

void JN_(frame)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0], *v = c->in[1], *a = c->in[2];
  int in = c->arg[1];
  real *at = c->scratch;
  pose *X = TAKE(&at, t->nb, pose), *T = TAKE(&at, t->nb, pose);
  twist *V = TAKE(&at, t->nb, twist), *A = TAKE(&at, t->nb, twist);
  twist *S = TAKE(&at, t->nd, twist), *Psi = TAKE(&at, t->nd, twist);
  angles turn = angles_at(t, q, &at);
  int32_t *path = TAKE_INTS(&at, t->nb), depth = 0;
  if (counts(c, at)) return;
  const JN_S(frame) *f = &t->frame[c->arg[0]];
  for (int j = f->body; j >= 0; j = t->body[j].parent) path[depth++] = j;
  for (int k = depth - 1; k >= 0; k--) {
    int i = path[k], p = t->body[i].parent;
    outward(t, i, q, v, turn, X, S, V, Psi);
    T[i] = p < 0 ? X[i] : se3_mul(T[p], X[i]);
    if (c->out[2]) A[i] = accelerate(t, i, v, a, X, S, Psi, A, t_zero());
  }
  pose local = se3_constant(f->R, f->p);
  pose world = f->body < 0 ? local : se3_mul(T[f->body], local);
  twist V_frame = f->body < 0 || !v ? t_zero() : t_Ad_inverse(local, V[f->body]);
  if (c->out[0]) se3_store(world, c->out[0]);
  if (c->out[1]) t_store(represent(in, world, V_frame), c->out[1]);
  if (c->out[2]) {
    twist dV = f->body < 0 ? t_zero() : t_Ad_inverse(local, A[f->body]);
    t_store(represent_rate(in, world, V_frame, V_frame, dV), c->out[2]);
  }
  if (c->out[3] || c->out[4])
    frame_jacobian(t, c->arg[0], in, world, X, S, Psi, &V_frame, c->out[3], v ? c->out[4] : NULL);
  if (c->out[4] && !v)
    for (int k = 0; k < 6 * t->nv; k++) ((real *)c->out[4])[k] = ZERO;
}
