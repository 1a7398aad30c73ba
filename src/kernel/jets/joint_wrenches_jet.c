/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of the wrenches through all joints, fixed ones included.
 *
 *   F_l,k = I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j} - W_k + sum over child links of Ad*(F_child)_k
 *
 * This is the recursion of jets.h over the links as the file had them: the twist of a link is that of its body, and
 * wrenches pass from link to link.
 *
 *   symbol   meaning                                          frame, unit         size
 *   F        derivatives of the wrenches through the joints   link; N m, N        [(K+1) x nlink x 6]
 *   W        derivatives of the external wrenches             link; N m, N        [(K+1) x nlink x 6] or NULL
 *
 * order = K. in: q, v jets [(K+2) x nv], W. out: F. Cost O(n K^2). */
#include "../base/variant.h"
#include "jets.h"

/* Order k of the wrench that moves one link, less the external one, in the frame of its body (the world for links
 * that are fixed to it). */
static inline wrench own_wrench(const jets *J, int link, int k, real factorial, const real *W) {
  const JN_S(tree) *tree = J->tree;
  const JN_S(frame) *frame = &tree->frame[link];
  pose local = se3_constant(frame->R, frame->p);
  inertia I = i_move(local, i_constant(tree->link_inertia + 10 * link));
  wrench F = w_zero();
  if (frame->body >= 0)
    F = inertial_wrench_order(I, J->V + frame->body, tree->nb, k);
  else if (k == 0) /* weight alone, because the world does not rotate */
    F = i_mul(I, base_acceleration(tree));
  if (!W) return F;
  wrench given = w_Ad_inverse(local, w_load(W + 6 * (k * tree->nlink + link)));
  return w_sub(F, (wrench){v3_scale(K(1) / factorial, given.m), v3_scale(K(1) / factorial, given.f)});
}

void JN_(joint_wrenches_jet)(const jn_call *call) {
  const jn_joint_wrenches_jet_arguments *args = &call->joint_wrenches_jet;
  const JN_S(tree) *tree = call->tree;
  int order = args->order;
  const real *W = args->wrench_jet;
  real *at = call->scratch, *F = args->F_jet, factorial = K(1);
  jets J = jets_place(tree, order + 2, 0, args->q, &at);
  if (counts(call, at)) return;

  /* Twists of all bodies. */
  jet_to_taylor(args->v_jet, order + 2, tree->nv, J.v);
  for (int k = 0; k < order + 2; k++) extend_twists(&J, k);

  for (int k = 0; k <= order; k++, F += 6 * tree->nlink) {
    if (k > 1) factorial *= K(k);

    /* Wrenches of the links alone. */
    for (int link = 0; link < tree->nlink; link++) w_store(own_wrench(&J, link, k, factorial, W), F + 6 * link);

    /* Inwards: what is complete goes to the output in the link's frame, and through the joint to the parent. */
    for (int link = tree->nlink - 1; link >= 0; link--) {
      int parent = tree->link_parent[link], body = tree->placement[link].body;
      wrench through = w_load(F + 6 * link);
      w_store(w_Ad(se3_constant(tree->frame[link].R, tree->frame[link].p), through), F + 6 * link);
      if (body >= 0) through = wrench_before_joint(&J, body, through, k, NULL);
      if (parent >= 0) w_store(w_add(w_load(F + 6 * parent), through), F + 6 * parent);
    }
  }

  /* From Taylor coefficients to derivatives. */
  taylor_to_jet(args->F_jet, order + 1, 6 * tree->nlink);
}
