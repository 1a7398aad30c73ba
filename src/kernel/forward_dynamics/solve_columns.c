/* SPDX-License-Identifier: BSD-2-Clause */
/* Equations M x = f with many right-hand sides. A file of its own: beside M^-1 in factor.c the compiler made one copy
 * of the sweeps for both, and that of 7 joints took 717 ns instead of 558. */
#include "../base/row.h"
#include "articulated.h"

/* Column c of X [nv x wide] becomes -M^-1 X. */
static inline void solve_one(const articulation *o, int wide, int c, real *at, real *X) {
  const JN_S(tree) *t = o->t;
  real *x = take(&at, (size_t)t->nd);
  wrench *p = TAKE(&at, t->nb, wrench);
  twist *A = TAKE(&at, t->nb, twist);
  for (int k = 0; k < t->nv; k++) x[k] = -X[t->order[k] * wide + c];
  solve_alone(o, p, A, x);
  for (int k = 0; k < t->nv; k++) X[t->order[k] * wide + c] = x[k];
}

/* For trees without coupled coordinates. arg[0]: columns. in: q, X [nv x columns]. out: -M^-1 X, pivots [nv]. O(n) for
 * each column. */
void JN_(solve_columns)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int wide = c->arg[0];
  real *at = c->scratch, *X = c->out[0];
  articulation o;
  equations e;
  if (X != c->in[1]) memcpy(X, c->in[1], (size_t)(t->nv * wide) * sizeof *X);
  if (articulated_at(t, c->in[0], &at, &o, &e, c->out[1]))
    equations_solve(&e, -1, wide, X);
  else
    for (int k = 0; k < wide; k++) solve_one(&o, wide, k, at, X);
}
