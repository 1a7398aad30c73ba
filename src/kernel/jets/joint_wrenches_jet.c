/* SPDX-License-Identifier: BSD-2-Clause */
/* Jets of the wrenches through all joints, fixed ones included: the recursion of jets.h over the links as the file had
 * them. arg[0] = K. in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: F [(K+1) x nlink x 6] in
 * link frames. O(n K^2). */
#include "../base/variant.h"
#include "jets.h"

/* Order k of what link l needs for itself, in the frame of its body (the world for links fixed to it). */
static inline wrench own_wrench(const jets *J, int l, int k, real factorial, const real *W) {
  const JN_S(tree) *t = J->t;
  const JN_S(frame) *f = &t->frame[l];
  pose local = se3_constant(f->R, f->p);
  inertia I = i_move(local, i_constant(t->link_inertia + 10 * l));
  wrench F = w_zero();
  if (f->body >= 0)
    F = inertial_order(I, J->V + f->body, t->nb, k);
  else if (k == 0) /* weight alone: its world does not turn */
    F = i_mul(I, base_acceleration(t));
  if (!W) return F;
  wrench given = w_Ad_inverse(local, w_load(W + 6 * (k * t->nlink + l)));
  return w_sub(F, (wrench){v3_scale(K(1) / factorial, given.m), v3_scale(K(1) / factorial, given.f)});
}

void JN_(joint_wrenches_jet)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int order = c->arg[0];
  const real *W = c->in[2];
  real *at = c->scratch, *F = c->out[0], factorial = K(1);
  jets J = jets_place(t, order + 2, 0, c->in[0], &at);
  if (counts(c, at)) return;
  jet_to_taylor(c->in[1], order + 2, t->nv, J.v);
  for (int k = 0; k < order + 2; k++) twists_order(&J, k);
  for (int k = 0; k <= order; k++, F += 6 * t->nlink) {
    if (k > 1) factorial *= K(k);
    for (int l = 0; l < t->nlink; l++) w_store(own_wrench(&J, l, k, factorial, W), F + 6 * l);
    for (int l = t->nlink - 1; l >= 0; l--) {
      int p = t->link_parent[l], body = t->placement[l].body;
      wrench x = w_load(F + 6 * l);
      w_store(w_Ad(se3_constant(t->frame[l].R, t->frame[l].p), x), F + 6 * l);
      if (body >= 0) x = joint_inward(&J, body, x, k, NULL);
      if (p >= 0) w_store(w_add(w_load(F + 6 * p), x), F + 6 * p);
    }
  }
  taylor_to_jet(c->out[0], order + 1, 6 * t->nlink);
}
