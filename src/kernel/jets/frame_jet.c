/* SPDX-License-Identifier: BSD-2-Clause */
/* Jets of the twist and the Jacobian of a frame, in its own axes (garofalo2013 sec. V, for any joints): its columns as
 * polynomials, carried along the path from the world. O(n K^2). arg[0] = K, arg[1] = frame. in: q, v jets [(K+2) x nv].
 * out: twist [(K+1) x 6], Jacobian [(K+1) x 6 x nv]. */
#include "../base/variant.h"
#include "jacobian_columns.h"

void JN_(frame_jet)(const jn_call *call) {
  const jn_frame_jet_arguments *args = &call->frame_jet;
  const JN_S(tree) *t = call->tree;
  int order = args->order, nv = t->nv, nb = t->nb;
  real *at = call->scratch, *twists = args->twist_jet, *Jac = args->J_jet;
  jets J = jets_place(t, order + 2, 0, args->q, &at);
  columns c = columns_place(order + 2, nv + 1, &at);
  int32_t *path = TAKE_INTS(&at, nb);
  if (counts(call, at)) return;
  const JN_S(frame) *f = &t->frame[args->frame];
  pose local = se3_constant(f->R, f->p);
  J.weightless = 1; /* the true twists */
  jet_to_taylor(args->v_jet, order + 2, nv, J.v);
  for (int k = 0; k < order + 2; k++) twists_order(&J, k);
  if (f->body >= 0 && Jac) columns_of(&J, f->body, &c, path);
  for (int k = 0; k <= order; k++) {
    if (twists) t_store(f->body < 0 ? t_zero() : t_Ad_inverse(local, J.V[k * nb + f->body]), twists + 6 * k);
    if (Jac) store_columns(&c, local, f->body, k, nv, Jac + k * 6 * nv);
  }
  if (twists) taylor_to_jet(twists, order + 1, 6);
  if (Jac) taylor_to_jet(Jac, order + 1, 6 * nv);
}
