/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of the mass matrix, solutions with them, and the inverse.
 *
 *   mass_factor          M = L^T D L                        along the branches [Featherstone 2008, sec. 6.5]
 *   mass_solve           x = M^-1 b from these factors
 *   mass_matrix_inverse  M^-1, by articulated bodies (kim2012 Table 3 with the columns of the identity as forces), or
 * by factors where branches are short and tiles narrow
 *
 *   symbol   meaning                                                              size
 *   M, H     factors without the zeros between branches (mass_factor_compact.h)   nv x nv
 *   pivots   D relative to the diagonal of M; zero to rounding if M is singular   nv
 *   order    coordinate that comes k-th in the elimination (tree.h)               nv
 *
 * Cost: factors O(nv depth^2), a solution O(nv depth), the inverse O(nv^2). */
#include "../forward_dynamics/articulated.h"
#include "../forward_dynamics/by_factors.h"

#include "../base/variant.h"

/* in: q. out: factor [nv x nv] (mass_factor_compact.h), pivots [nv]. */
void JN_(mass_factor)(const jn_call *call) {
  const jn_mass_factor_arguments *args = &call->mass_factor;
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch;
  compact M = compact_place(tree, args->factor, &at);
  angles angle = angles_at(tree, args->q, &at);
  if (counts(call, JN_(mass_matrix_scratch)(tree, at))) return;
  compact_fill(&M);
  factors_at(tree, args->q, &angle, NULL, at, &M, args->pivots);
}

/* in: factor, b. out: x. */
void JN_(mass_solve)(const jn_call *call) {
  const jn_mass_solve_arguments *args = &call->mass_solve;
  const JN_S(tree) *tree = call->tree;
  const real *b = args->b;
  real *at = call->scratch, *y = take(&at, (size_t)tree->nv), *x = args->x;
  compact M = compact_place(tree, (real *)(uintptr_t)args->factor, &at); /* which is only read */
  if (counts(call, at)) return;
  compact_fill(&M);

  /* b in the order of elimination, substitution, x in the order of v. */
  for (int k = 0; k < tree->nv; k++) y[k] = b[tree->order[k]];
  compact_substitute(&M, y);
  for (int k = 0; k < tree->nv; k++) x[tree->order[k]] = y[k];
}

/* By articulated bodies. Returns 0 if they cannot: coordinates are coupled, or the tree branches too often. */
static inline int inverse_articulated(const JN_S(tree) * tree, const jn_call *call) {
  const jn_mass_matrix_inverse_arguments *args = &call->mass_matrix_inverse;
  real *at = call->scratch;
  articulation o;
  equations e;
  if (tree->coupled || !articulated_at(tree, call, args->q, &at, &o, &e, args->pivots)) return 0;
  equations_inverse(&e, args->Minv);
  return 1;
}

/* By factors: M^-1 = L^-1 D^-1 L^-T. */
static inline void inverse_by_factors(const JN_S(tree) * tree, const jn_call *call, real *at) {
  const jn_mass_matrix_inverse_arguments *args = &call->mass_matrix_inverse;
  compact M = compact_place(tree, args->Minv, &at);
  compact_inverse r = compact_inverse_place(tree, &at);
  angles angle = angles_at(tree, args->q, &at);
  if (counts(call, JN_(mass_matrix_scratch)(tree, at))) return;
  compact_fill(&M);
  factors_at(tree, args->q, &angle, NULL, at, &M, args->pivots);
  compact_invert(&M, &r);
}

/* Whether factors take less than articulated bodies: without tiles, and in tiles of two columns, where branches are
 * short (one state with SSE2: 7 joints 687 and 816 ns, a quadruped 1.98 and 2.20 us; in tiles of four 1.37 and 1.16).
 */
static inline int factors_invert_faster(const JN_S(tree) * tree) { return TILE <= 2 && branch_length(tree) <= 16; }

/* in: q. out: M^-1 [nv x nv], pivots [nv]. */
void JN_(mass_matrix_inverse)(const jn_call *call) {
  const jn_mass_matrix_inverse_arguments *args = &call->mass_matrix_inverse;
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch;
  int32_t *label = TAKE_INTS(&at, tree->nv); /* of what comes after the sweeps */

  /* A call that only counts scratch memory counts for both ways. */
  if (call->counted) inverse_articulated(tree, call);
  if (call->counted || factors_invert_faster(tree) || !inverse_articulated(tree, call))
    inverse_by_factors(tree, call, at);

  /* From the order of elimination to that of v. */
  if (!call->counted) reorder(tree, args->Minv, label);
}
