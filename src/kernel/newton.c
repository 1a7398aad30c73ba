/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics alone, the most called function of all (kim2012 Table 2). in: q, v, a, wrenches (NULL: zero).
 * arg[0]: without weight. out: tau [nv]. O(n). */
#include "newton.h"

#include "quad.h"
#include "row.h"

void JN_(newton_forces)(const JN_S(tree) * t, const real *q, const real *v, const real *a, const real *wrenches,
                        int weightless, const angles *turn, real *at, real *tau) {
  twist base = weightless ? t_zero() : base_acceleration(t);
#if JN_QUAD
  quad3 *V = TAKE_ALIGNED(&at, 2 * t->nb, quad3);
  quad_newton_euler(t, q, v, a, wrenches, base, *turn, V, V + t->nb, tau);
#else
  pose *X = TAKE(&at, t->nb, pose);
  twist *V = TAKE(&at, t->nb, twist), *A = TAKE(&at, t->nb, twist);
  wrench *F = TAKE(&at, t->nb, wrench);
  twist *S = TAKE(&at, t->nd, twist), *Psi = TAKE(&at, t->nd, twist);
  for (int i = 0; i < t->nb; i++) outward(t, i, q, v, *turn, X, S, V, Psi);
  newton_euler(t, v, a, wrenches, base, X, S, V, Psi, A, F, tau);
#endif
}

void JN_(newton)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  JN_(newton_forces)(t, c->in[0], c->in[1], c->in[2], c->in[3], c->arg[0], &turn, at, c->out[0]);
}
