/* SPDX-License-Identifier: BSD-2-Clause */
/* Equations M x = f with many right-hand sides. A file of its own: beside M^-1 in factor.c the compiler made one copy
 * of the sweeps for both, and that of 7 joints took 717 ns instead of 558. */
#include "../base/row.h"
#include "articulated.h"

typedef struct column_room {
  real *x;   /* [nd] */
  wrench *p; /* [nb] */
  twist *A;  /* [nb] */
} column_room;

/* Column c of X [nv x wide] becomes -M^-1 X. */
static inline void solve_one(const articulation *o, int wide, int c, const column_room *r, real *X) {
  const JN_S(tree) *t = o->t;
  for (int k = 0; k < t->nv; k++) r->x[k] = -X[t->order[k] * wide + c];
  solve_alone(o, r->p, r->A, r->x);
  for (int k = 0; k < t->nv; k++) X[t->order[k] * wide + c] = r->x[k];
}

/* For trees without coupled coordinates. arg[0]: columns. in: q, X [nv x columns]. out: -M^-1 X, pivots [nv]. O(n) for
 * each column. */
void JN_(solve_columns)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int wide = c->arg[0];
  real *at = c->scratch, *X = c->out[0];
  column_room r = {take(&at, (size_t)t->nd), TAKE(&at, t->nb, wrench), TAKE(&at, t->nb, twist)};
  articulation o;
  equations e;
  int fits = articulated_at(t, c, &at, &o, &e, c->out[1]);
  if (c->counted) return;
  if (X != c->in[1]) memcpy(X, c->in[1], (size_t)(t->nv * wide) * sizeof *X);
  if (fits)
    equations_solve(&e, -1, wide, X);
  else
    for (int k = 0; k < wide; k++) solve_one(&o, wide, k, &r, X);
}
