/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrench through every joint, fixed ones included: Newton-Euler over the links as the file had them (kim2012 Table
 * 2, F_i). in: q, v, a, wrenches. out: F [nlink x 6] in link frames. O(n). */
#include "../base/sweep.h"
#include "../base/variant.h"

void JN_(joint_wrenches)(const jn_call *call) {
  const JN_S(tree) *tree = call->tree;
  const real *q = call->in[0], *v = call->in[1], *a = call->in[2], *W = call->in[3];
  real *at = call->scratch, *F = call->out[0];
  pose *X = TAKE(&at, tree->nb, pose);
  twist *V = TAKE(&at, tree->nb, twist), *A = TAKE(&at, tree->nb, twist);
  twist *S = TAKE(&at, tree->nd, twist), *Psi = TAKE(&at, tree->nd, twist);
  twist base = base_acceleration(tree);
  angles angle = angles_at(tree, q, &at);
  if (counts(call, at)) return;
  for (int i = 0; i < tree->nb; i++) {
    outward(tree, i, q, v, angle, X, S, V, Psi);
    A[i] = accelerate(tree, i, v, a, X, S, Psi, A, base);
  }
  for (int l = 0; l < tree->nlink; l++) {
    const JN_S(frame) *frame = &tree->frame[l];
    pose local = se3_constant(frame->R, frame->p);
    twist V_link = frame->body < 0 || !v ? t_zero() : t_Ad_inverse(local, V[frame->body]);
    twist A_link = t_Ad_inverse(local, frame->body < 0 ? base : A[frame->body]);
    wrench own = inertial_wrench(i_constant(tree->link_inertia + 10 * l), &V_link, A_link);
    w_store(W ? w_sub(own, w_load(W + 6 * l)) : own, F + 6 * l);
  }
  for (int l = tree->nlink - 1; l >= 0; l--) {
    int p = tree->link_parent[l];
    if (p < 0) continue;
    w_store(w_add(w_load(F + 6 * p), w_Ad_inverse(link_pose(tree, l, q), w_load(F + 6 * l))), F + 6 * p);
  }
}
