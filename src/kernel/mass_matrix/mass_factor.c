/* SPDX-License-Identifier: BSD-2-Clause */
/* Factorisation of the mass matrix, solutions with it, and its inverse. */
#include "../forward_dynamics/articulated.h"
#include "../forward_dynamics/by_factors.h"

#include "../base/variant.h"

/* in: q. out: factor [nv x nv] (factor_compact.h), pivots [nv]. */
void JN_(mass_factor)(const jn_call *c) {
  const jn_mass_factor_arguments *args = &c->mass_factor;
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  compact M = compact_place(t, args->factor, &at);
  angles turn = angles_at(t, args->q, &at);
  if (counts(c, JN_(mass_matrix_scratch)(t, at))) return;
  compact_fill(&M);
  factors_at(t, args->q, &turn, NULL, at, &M, args->pivots);
}

/* in: factor, b. out: x. */
void JN_(mass_solve)(const jn_call *c) {
  const jn_mass_solve_arguments *args = &c->mass_solve;
  const JN_S(tree) *t = c->tree;
  const real *b = args->b;
  real *at = c->scratch, *y = take(&at, (size_t)t->nv), *x = args->x;
  compact M = compact_place(t, (real *)(uintptr_t)args->factor, &at); /* which is only read */
  if (counts(c, at)) return;
  compact_fill(&M);
  for (int k = 0; k < t->nv; k++) y[k] = b[t->order[k]];
  compact_substitute(&M, y);
  for (int k = 0; k < t->nv; k++) x[t->order[k]] = y[k];
}

/* By articulated bodies; 0 if the tree is not for them. */
static inline int inverse_articulated(const JN_S(tree) * t, const jn_call *c) {
  const jn_mass_matrix_inverse_arguments *args = &c->mass_matrix_inverse;
  real *at = c->scratch;
  articulation o;
  equations e;
  if (t->coupled || !articulated_at(t, c, args->q, &at, &o, &e, args->pivots)) return 0;
  equations_inverse(&e, args->Minv);
  return 1;
}

/* By factors. */
static inline void inverse_by_factors(const JN_S(tree) * t, const jn_call *c, real *at) {
  const jn_mass_matrix_inverse_arguments *args = &c->mass_matrix_inverse;
  compact M = compact_place(t, args->Minv, &at);
  compact_inverse r = compact_inverse_place(t, &at);
  angles turn = angles_at(t, args->q, &at);
  if (counts(c, JN_(mass_matrix_scratch)(t, at))) return;
  compact_fill(&M);
  factors_at(t, args->q, &turn, NULL, at, &M, args->pivots);
  compact_invert(&M, &r);
}

/* Whether factors take less than articulated bodies: without tiles, and in tiles of two columns, where branches are
 * short (one state with SSE2: 7 joints 687 and 816 ns, a quadruped 1.98 and 2.20 us; in tiles of four 1.37 and 1.16).
 */
static inline int invert_factors(const JN_S(tree) * t) { return TILE <= 2 && branch_length(t) <= 16; }

/* in: q. out: M^-1 [nv x nv], pivots [nv]. */
void JN_(mass_matrix_inverse)(const jn_call *c) {
  const jn_mass_matrix_inverse_arguments *args = &c->mass_matrix_inverse;
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  int32_t *label = TAKE_INTS(&at, t->nv); /* of what comes after the sweeps */
  if (c->counted) inverse_articulated(t, c);
  if (c->counted || invert_factors(t) || !inverse_articulated(t, c)) inverse_by_factors(t, c, at);
  if (!c->counted) reorder(t, args->Minv, label);
}
