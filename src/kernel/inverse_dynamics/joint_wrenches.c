/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrench through every joint, fixed ones included, by the Newton-Euler recursion. [kim2012 Table 2, F_i]
 *
 *   outwards   V_i = Ad_(X_i^-1) V_p + S v,   A_i = Ad_(X_i^-1) A_p + S a + Psi v,  A_0 = -gravity    of bodies
 *   links      F_l = I_l A_l - ad*_(V_l) I_l V_l - external wrench                                    of links
 *   inwards    F_parent += Ad*(F_l)
 *
 * Unlike inverse_dynamics.c it goes over the links as the model has them, since fixed links have no body of their own.
 *
 *   symbol  meaning                              size  frame, unit
 *   X       pose of a body in its parent         12
 *   V, A    twist of a body and its rate         6     the body's own; rad/s, m/s; per s
 *   S, Psi  joint screw, dS/dt + ad_V S          6     the body's own
 *   F       wrench through the joint of a link   6     frame of the link; N m, N
 *
 * in: q, v, a, wrenches on the links. out: F [nlink x 6]. Cost O(n). */
#include "../base/sweep.h"
#include "../base/variant.h"

void JN_(joint_wrenches)(const jn_call *call) {
  const jn_joint_wrenches_arguments *args = &call->joint_wrenches;
  const JN_S(tree) *tree = call->tree;
  const real *q = args->q, *v = args->v, *a = args->a, *external = args->wrench;
  real *at = call->scratch, *F = args->F;
  pose *X = TAKE(&at, tree->nb, pose);
  twist *V = TAKE(&at, tree->nb, twist), *A = TAKE(&at, tree->nb, twist);
  twist *S = TAKE(&at, tree->nd, twist), *Psi = TAKE(&at, tree->nd, twist);
  twist base = base_acceleration(tree);
  angles angle = angles_at(tree, q, &at);
  if (counts(call, at)) return;

  /* Outwards: motions of the bodies. */
  for (int i = 0; i < tree->nb; i++) {
    outward(tree, i, q, v, angle, X, S, V, Psi);
    A[i] = accelerate(tree, i, v, a, X, S, Psi, A, base);
  }

  /* The wrench that moves each link alone, less the external one. */
  for (int l = 0; l < tree->nlink; l++) {
    const JN_S(frame) *frame = &tree->frame[l];
    pose local = se3_constant(frame->R, frame->p);
    twist V_link = frame->body < 0 || !v ? t_zero() : t_Ad_inverse(local, V[frame->body]);
    twist A_link = t_Ad_inverse(local, frame->body < 0 ? base : A[frame->body]);
    wrench own = inertial_wrench(i_constant(tree->link_inertia + 10 * l), &V_link, A_link);
    w_store(external ? w_sub(own, w_load(external + 6 * l)) : own, F + 6 * l);
  }

  /* Inwards: add the wrench of each link to that of its parent. */
  for (int l = tree->nlink - 1; l >= 0; l--) {
    int p = tree->link_parent[l];
    if (p < 0) continue;
    w_store(w_add(w_load(F + 6 * p), w_Ad_inverse(link_pose(tree, l, q), w_load(F + 6 * l))), F + 6 * p);
  }
}
