/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrench through every joint, fixed ones included: Newton-Euler over the links as the file had them (kim2012 Table
 * 2, F_i). in: q, v, a, wrenches. out: F [nlink x 6] in link frames. O(n). */
#include "../base/sweep.h"
#include "../base/variant.h"

void JN_(joint_wrenches)(const jn_call *c) {
  const jn_joint_wrenches_arguments *args = &c->joint_wrenches;
  const JN_S(tree) *t = c->tree;
  const real *q = args->q, *v = args->v, *a = args->a, *W = args->wrench;
  real *at = c->scratch, *F = args->F;
  pose *X = TAKE(&at, t->nb, pose);
  twist *V = TAKE(&at, t->nb, twist), *A = TAKE(&at, t->nb, twist);
  twist *S = TAKE(&at, t->nd, twist), *Psi = TAKE(&at, t->nd, twist);
  twist base = base_acceleration(t);
  angles turn = angles_at(t, q, &at);
  if (counts(c, at)) return;
  for (int i = 0; i < t->nb; i++) {
    outward(t, i, q, v, turn, X, S, V, Psi);
    A[i] = accelerate(t, i, v, a, X, S, Psi, A, base);
  }
  for (int l = 0; l < t->nlink; l++) {
    const JN_S(frame) *f = &t->frame[l];
    pose local = se3_constant(f->R, f->p);
    twist V_link = f->body < 0 || !v ? t_zero() : t_Ad_inverse(local, V[f->body]);
    twist A_link = t_Ad_inverse(local, f->body < 0 ? base : A[f->body]);
    wrench own = inertial_wrench(i_constant(t->link_inertia + 10 * l), &V_link, A_link);
    w_store(W ? w_sub(own, w_load(W + 6 * l)) : own, F + 6 * l);
  }
  for (int l = t->nlink - 1; l >= 0; l--) {
    int p = t->link_parent[l];
    if (p < 0) continue;
    w_store(w_add(w_load(F + 6 * p), w_Ad_inverse(link_pose(t, l, q), w_load(F + 6 * l))), F + 6 * p);
  }
}
