/* SPDX-License-Identifier: BSD-2-Clause */
/* Factorisation of the mass matrix, solutions with it, and its inverse. */
#include "articulated.h"

#include "row.h"

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

/* M^-1 by articulated bodies: O(n^2), no factors. Pivots are relative to what the coordinates move at some
 * configuration, as those of forward dynamics. 0: the tree is none for that. */
static inline int inverse_articulated(const JN_S(tree) * t, const real *q, real *at, real *out, real *pivots) {
  articulation o = {.t = t};
  equations e;
  o.x = TAKE_ALIGNED(&at, t->nd, unit);
  if (!equations_place(&o, &e, &at)) return 0;
  angles turn = angles_at(t, q, &at);
  body_inertia *I = TAKE_ALIGNED(&at, t->nb, body_inertia);
  axes *R = TAKE(&at, t->nb, axes), ground = axes_of_world();
  o.d = TAKE(&at, t->nb, space);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    space w[6], v[6];
    R[i] = axes_outward(t, i, q, turn, b->parent < 0 ? &ground : &R[b->parent]);
    I[i] = body_inertia_of(&R[i], b->inertia);
    o.d[i] = R[i].d;
    axes_screws(t, i, q, &R[i], w, v);
    for (int k = 0; k < b->nv; k++) o.x[b->id + k].w = w[k], o.x[b->id + k].v = v[k];
  }
  for (int i = t->nb - 1; i >= 0; i--) articulate(&o, i, I, pivots);
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
