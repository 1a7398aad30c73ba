/* SPDX-License-Identifier: BSD-2-Clause */
/* M x = f with many right-hand sides: derivatives of accelerations from derivatives T of forces.
 *
 *   da = -M_ff^-1 T_f                      f: coordinates that are not prescribed; da = 0 for the others
 *   dtau = T_p + M_pf da                   p: prescribed coordinates; dtau = 0 for the others
 *
 *   solve_articulated()  articulated bodies, all columns at once (articulated.h): nothing is coupled or prescribed
 *   solve_factors()      factors of M along the branches: coupled or prescribed coordinates, up to FACTORS_MOST
 *   solve_prescribed()   articulated bodies, column by column: prescribed coordinates of larger trees
 *
 * columns. in: q, T [nv x columns], prescribed coordinates [nv] or NULL. out: da, dtau [nv x columns]
 * (dtau NULL if nothing is prescribed), pivots [nv] in the order of elimination. Cost O(n) for each column.
 *
 * A file of its own: beside M^-1 in mass_factor.c the compiler made one copy of the sweeps for both, and that of 7
 * joints took 717 ns instead of 558. */
#include "../base/variant.h"
#include "articulated.h"
#include "by_factors.h"

enum { FACTORS_MOST = 512 }; /* coordinates: larger matrices would take more memory than all else */

typedef struct column_scratch {
  real *x;   /* [nd] */
  wrench *p; /* [nb] */
  twist *A;  /* [nb] */
} column_scratch;

/* Column c of X [nv x wide] becomes -M^-1 X, by one pass inwards and one outwards. */
static inline void solve_one(const articulation *o, int wide, int c, const column_scratch *r, real *X) {
  const JN_S(tree) *tree = o->tree;
  for (int k = 0; k < tree->nv; k++) r->x[k] = -X[tree->order[k] * wide + c];
  solve_alone(o, r->p, r->A, r->x);
  for (int k = 0; k < tree->nv; k++) X[tree->order[k] * wide + c] = r->x[k];
}

/* dtau of prescribed coordinates: T_p + M_pf da, column by column; M da by inverse dynamics without weight. */
static inline void prescribed_forces(const jn_call *call, int wide, const angles *angle, real *x, real *at) {
  const jn_solve_columns_arguments *args = &call->solve_columns;
  const JN_S(tree) *tree = call->tree;
  const unsigned char *prescribed = args->prescribed;
  const real *da = args->da;
  real *dtau = args->dtau, *a = x + tree->nv;
  for (int k = 0; k < wide; k++) {
    for (int i = 0; i < tree->nv; i++) a[i] = da[i * wide + k];
    JN_(inverse_dynamics_forces)(tree, args->q, NULL, a, NULL, FORCES_WEIGHTLESS, angle, at, x);
    for (int i = 0; i < tree->nv; i++) dtau[i * wide + k] = is_free(prescribed, i) ? ZERO : dtau[i * wide + k] + x[i];
  }
}

/* By articulated bodies with prescribed coordinates, one column after the other: for trees too large for the factors.
 */
static void solve_prescribed(const jn_call *call, int wide, const real *T) {
  const jn_solve_columns_arguments *args = &call->solve_columns;
  const JN_S(tree) *tree = call->tree;
  const unsigned char *prescribed = args->prescribed;
  real *at = call->scratch, *da = args->da, *dtau = args->dtau;
  column_scratch r = {take(&at, (size_t)(2 * tree->nd)), TAKE(&at, tree->nb, wrench), TAKE(&at, tree->nb, twist)};
  angles angle = angles_at(tree, args->q, &at);
  articulation_scratch o = articulation_place(tree, &at);
  if (counts(call, at) && counts(call, JN_(inverse_dynamics_scratch)(tree, at))) return;

  /* Articulated inertias, then the right-hand sides: zero in rows of prescribed coordinates. */
  articulation_sweep(&o, args->q, angle, prescribed, args->pivots);
  for (int i = 0; i < tree->nv; i++)
    for (int k = 0; k < wide; k++) {
      real x = T[i * wide + k];
      da[i * wide + k] = is_free(prescribed, i) ? x : ZERO;
      if (dtau) dtau[i * wide + k] = x;
    }

  /* Each column, then the forces of prescribed coordinates. */
  for (int k = 0; k < wide; k++) solve_one(&o.o, wide, k, &r, da);
  if (dtau) prescribed_forces(call, wide, &angle, r.x, at);
}

/* By articulated bodies, O(n) for each column; nothing is coupled or prescribed. */
static void solve_articulated(const jn_call *call, int wide, real *X) {
  const jn_solve_columns_arguments *args = &call->solve_columns;
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch;
  column_scratch r = {take(&at, (size_t)tree->nd), TAKE(&at, tree->nb, wrench), TAKE(&at, tree->nb, twist)};
  articulation o;
  equations e;
  int fits = articulated_at(tree, call, args->q, &at, &o, &e, args->pivots);
  if (call->counted) return;
  if (fits)
    equations_solve(&e, -1, wide, X);
  else
    for (int k = 0; k < wide; k++) solve_one(&o, wide, k, &r, X);
}

/* M^-1 X in place of X [nv x wide], rows in the order of v: compact_substitute() for whole rows. */
static inline void substitute_rows(const compact *M, int wide, real *X) {
  const JN_S(tree) *tree = M->tree;
  int n = tree->nv;

  /* L^T Y = X. */
  for (int k = n - 1; k >= 0; k--) {
    path_before(M, k);
    for (int e = M->depth[k] - 1; e >= 0; e--)
      add_row(wide, -M->H[k * n + e], X + tree->order[k] * wide, X + tree->order[M->path[e]] * wide);
  }

  /* D L X = Y. */
  for (int k = 0; k < n; k++) {
    real *row = X + tree->order[k] * wide, inverse = K(1) / M->H[k * n + M->depth[k]];
    M->path[M->depth[k]] = k;
    for (int c = 0; c < wide; c++) row[c] *= inverse;
    for (int e = M->depth[k] - 1; e >= 0; e--) add_row(wide, -M->H[k * n + e], X + tree->order[M->path[e]] * wide, row);
  }
}

/* By the factors of M: O(d) for each row of a column. */
static void solve_factors(const jn_call *call, int wide, const real *T) {
  const jn_solve_columns_arguments *args = &call->solve_columns;
  const JN_S(tree) *tree = call->tree;
  const unsigned char *prescribed = args->prescribed;
  int n = tree->nv;
  real *at = call->scratch, *da = args->da, *dtau = args->dtau, *whole = take(&at, (size_t)(n * n));
  compact M = compact_place(tree, take(&at, (size_t)(n * n)), &at);
  angles angle = angles_at(tree, args->q, &at);
  if (counts(call, JN_(mass_matrix_scratch)(tree, at))) return;

  /* Factors with the identity in rows and columns of prescribed coordinates; da = -M_ff^-1 T_f. */
  compact_fill(&M);
  factors_at(tree, args->q, &angle, prescribed, at, &M, args->pivots);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < wide; k++) da[i * wide + k] = is_free(prescribed, i) ? -T[i * wide + k] : ZERO;
  substitute_rows(&M, wide, da);
  if (!dtau) return;

  /* dtau = T_p + M_pf da, along the branches only. */
  JN_(mass_matrix_at)(tree, args->q, &angle, 0, at, whole);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < wide; k++) dtau[i * wide + k] = is_free(prescribed, i) ? ZERO : T[i * wide + k];
  for (int k = n - 1; k >= 0; k--) { /* pairs of a row and those inward of it, one of which is prescribed */
    int i = tree->order[k];
    path_before(&M, k);
    for (int e = 0; e < M.depth[k]; e++) {
      int j = tree->order[M.path[e]];
      if (is_free(prescribed, i) == is_free(prescribed, j)) continue;
      int p = is_free(prescribed, i) ? j : i, f = i + j - p;
      add_row(wide, whole[p * n + f], da + f * wide, dtau + p * wide);
    }
  }
}

/* Chooses one of the three ways; a call that only counts memory counts for all. */
void JN_(solve_columns)(const jn_call *call) {
  const jn_solve_columns_arguments *args = &call->solve_columns;
  const JN_S(tree) *tree = call->tree;
  const real *T = args->T;
  real *da = args->da;
  int factors = tree->coupled || tree->nv <= FACTORS_MOST;
  if (factors && (call->counted || tree->coupled || args->prescribed)) solve_factors(call, args->columns, T);
  if (!factors && (call->counted || args->prescribed)) solve_prescribed(call, args->columns, T);
  if (!call->counted && (tree->coupled || args->prescribed)) return;
  if (!call->counted && da != T) memcpy(da, T, (size_t)(tree->nv * args->columns) * sizeof *da);
  solve_articulated(call, args->columns, da);
}
