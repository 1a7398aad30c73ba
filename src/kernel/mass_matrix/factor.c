/* SPDX-License-Identifier: BSD-2-Clause */
/* Factorisation of the mass matrix, solutions with it, and its inverse. */
#include "../forward_dynamics/articulated.h"

#include "../base/row.h"

static inline void mass_at(const JN_S(tree) * t, const real *q, real *at, real *M) {
  angles turn = angles_at(t, q, &at);
  JN_(mass_matrix)(t, q, &turn, 1, at, M);
}

/* in: q. out: factor [nv x nv], pivots [nv]. */
void JN_(factor)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  mass_at(t, c->in[0], c->scratch, c->out[0]);
  factorize(t, c->out[0], c->out[1]);
}

/* in: factor, b. out: x. */
void JN_(solve)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *b = c->in[1];
  real *y = c->scratch, *x = c->out[0];
  for (int k = 0; k < t->nv; k++) y[k] = b[t->order[k]];
  substitute(t, c->in[0], y);
  for (int k = 0; k < t->nv; k++) x[t->order[k]] = y[k];
}

static inline int inverse_articulated(const JN_S(tree) * t, const real *q, real *at, real *out, real *pivots) {
  articulation o;
  equations e;
  if (t->coupled || !articulated_at(t, q, &at, &o, &e, pivots)) return 0;
  equations_inverse(&e, out);
  return 1;
}

/* in: q. out: M^-1 [nv x nv], pivots [nv]. */
void JN_(inverse)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (!factors_are_quicker(t) && inverse_articulated(t, c->in[0], c->scratch, c->out[0], c->out[1])) {
    reorder(t, c->out[0], c->scratch);
    return;
  }
  mass_at(t, c->in[0], c->scratch, c->out[0]);
  factorize(t, c->out[0], c->out[1]);
  invert(t, c->out[0], c->scratch);
  reorder(t, c->out[0], c->scratch);
}
