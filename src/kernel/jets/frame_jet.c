/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of the twist and the Jacobian of a frame, in its own axes. [garofalo2013 eqs. 28, 29; kumar2021 41,
 * 42]
 *
 *   V^(k) = sum_j binom(k, j) J^(k-j) v^(j)
 *
 * The columns of the Jacobian are carried as polynomials of time along the path from the world (jacobian_columns.h),
 * for any joints and any order; the twist is that of its body (jets.h).
 *
 *   symbol    meaning                             frame, unit            size
 *   twists    derivatives of the twist            frame; rad/s, m/s      [(K+1) x 6]
 *   Jacobian  derivatives of the Jacobian         frame                  [(K+1) x 6 x nv]
 *
 * order = K. in: q, v jets [(K+2) x nv]. out: twists, Jacobian; NULL: not wanted. Cost O(n K^2). */
#include "../base/variant.h"
#include "jacobian_columns.h"

void JN_(frame_jet)(const jn_call *call) {
  const jn_frame_jet_arguments *args = &call->frame_jet;
  const JN_S(tree) *tree = call->tree;
  int order = args->order, nv = tree->nv, nb = tree->nb;
  real *at = call->scratch, *twists = args->twist_jet, *Jacobian = args->J_jet;
  jets J = jets_place(tree, order + 2, 0, args->q, &at);
  columns columns_to_frame = columns_place(order + 2, nv + 1, &at);
  int32_t *path = TAKE_INTS(&at, nb);
  if (counts(call, at)) return;

  const JN_S(frame) *frame = &tree->frame[args->frame];
  pose local = se3_constant(frame->R, frame->p);

  /* Twists of all bodies. They are the true ones: the base does not accelerate. */
  J.without_weight = 1;
  jet_to_taylor(args->v_jet, order + 2, nv, J.v);
  for (int k = 0; k < order + 2; k++) extend_twists(&J, k);

  /* Columns of the Jacobian of the body, from the world outwards. */
  if (frame->body >= 0 && Jacobian) columns_of_body(&J, frame->body, &columns_to_frame, path);

  /* Both in the frame of interest. */
  for (int k = 0; k <= order; k++) {
    if (twists) t_store(frame->body < 0 ? t_zero() : t_Ad_inverse(local, J.V[k * nb + frame->body]), twists + 6 * k);
    if (Jacobian) store_columns(&columns_to_frame, local, frame->body, k, nv, Jacobian + k * 6 * nv);
  }

  /* From Taylor coefficients to derivatives. */
  if (twists) taylor_to_jet(twists, order + 1, 6);
  if (Jacobian) taylor_to_jet(Jacobian, order + 1, 6 * nv);
}
