/* SPDX-License-Identifier: BSD-2-Clause */
/* Equations M x = f with many right-hand sides. A file of its own: beside M^-1 in mass_factor.c the compiler made one
 * copy of the sweeps for both, and that of 7 joints took 717 ns instead of 558. */
#include "../base/variant.h"
#include "articulated.h"
#include "by_factors.h"

enum { FACTORS_MOST = 512 }; /* coordinates: larger matrices would take more memory than all else */

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

/* Forces of prescribed coordinates by accelerations of the others, column by column: M da by RNEA. */
static inline void prescribed_forces(const jn_call *c, int wide, const angles *turn, real *x, real *at) {
  const jn_solve_columns_arguments *args = &c->solve_columns;
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = args->prescribed;
  const real *da = args->da;
  real *dtau = args->dtau, *a = x + t->nv;
  for (int k = 0; k < wide; k++) {
    for (int i = 0; i < t->nv; i++) a[i] = da[i * wide + k];
    JN_(inverse_dynamics_forces)(t, args->q, NULL, a, NULL, FORCES_WEIGHTLESS, turn, at, x);
    for (int i = 0; i < t->nv; i++) dtau[i * wide + k] = is_free(prescribed, i) ? ZERO : dtau[i * wide + k] + x[i];
  }
}

/* By articulated bodies with prescribed coordinates, one column after the other: for trees too large for the factors.
 */
static void solve_prescribed(const jn_call *c, int wide, const real *T) {
  const jn_solve_columns_arguments *args = &c->solve_columns;
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = args->prescribed;
  real *at = c->scratch, *da = args->da, *dtau = args->dtau;
  column_room r = {take(&at, (size_t)(2 * t->nd)), TAKE(&at, t->nb, wrench), TAKE(&at, t->nb, twist)};
  angles turn = angles_at(t, args->q, &at);
  articulation_room o = articulation_place(t, &at);
  if (counts(c, at) && counts(c, JN_(inverse_dynamics_scratch)(t, at))) return;
  articulation_sweep(&o, args->q, turn, prescribed, args->pivots);
  for (int i = 0; i < t->nv; i++)
    for (int k = 0; k < wide; k++) {
      real x = T[i * wide + k];
      da[i * wide + k] = is_free(prescribed, i) ? x : ZERO;
      if (dtau) dtau[i * wide + k] = x;
    }
  for (int k = 0; k < wide; k++) solve_one(&o.o, wide, k, &r, da);
  if (dtau) prescribed_forces(c, wide, &turn, r.x, at);
}

/* By articulated bodies, O(n) for each column; nothing is coupled or prescribed. */
static void solve_articulated(const jn_call *c, int wide, real *X) {
  const jn_solve_columns_arguments *args = &c->solve_columns;
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  column_room r = {take(&at, (size_t)t->nd), TAKE(&at, t->nb, wrench), TAKE(&at, t->nb, twist)};
  articulation o;
  equations e;
  int fits = articulated_at(t, c, args->q, &at, &o, &e, args->pivots);
  if (c->counted) return;
  if (fits)
    equations_solve(&e, -1, wide, X);
  else
    for (int k = 0; k < wide; k++) solve_one(&o, wide, k, &r, X);
}

/* M^-1 X in place of X [nv x wide], rows in the order of v: compact_substitute() of whole rows. */
static inline void substitute_rows(const compact *M, int wide, real *X) {
  const JN_S(tree) *t = M->t;
  int n = t->nv;
  for (int k = n - 1; k >= 0; k--) {
    path_before(M, k);
    for (int e = M->depth[k] - 1; e >= 0; e--)
      add_row(wide, -M->H[k * n + e], X + t->order[k] * wide, X + t->order[M->path[e]] * wide);
  }
  for (int k = 0; k < n; k++) {
    real *row = X + t->order[k] * wide, inverse = K(1) / M->H[k * n + M->depth[k]];
    M->path[M->depth[k]] = k;
    for (int c = 0; c < wide; c++) row[c] *= inverse;
    for (int e = M->depth[k] - 1; e >= 0; e--) add_row(wide, -M->H[k * n + e], X + t->order[M->path[e]] * wide, row);
  }
}

/* By the factors of M: O(d) for each row of a column. */
static void solve_factors(const jn_call *c, int wide, const real *T) {
  const jn_solve_columns_arguments *args = &c->solve_columns;
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = args->prescribed;
  int n = t->nv;
  real *at = c->scratch, *da = args->da, *dtau = args->dtau, *whole = take(&at, (size_t)(n * n));
  compact M = compact_place(t, take(&at, (size_t)(n * n)), &at);
  angles turn = angles_at(t, args->q, &at);
  if (counts(c, JN_(mass_matrix_scratch)(t, at))) return;
  compact_fill(&M);
  factors_at(t, args->q, &turn, prescribed, at, &M, args->pivots);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < wide; k++) da[i * wide + k] = is_free(prescribed, i) ? -T[i * wide + k] : ZERO;
  substitute_rows(&M, wide, da);
  if (!dtau) return;
  JN_(mass_matrix_at)(t, args->q, &turn, 0, at, whole);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < wide; k++) dtau[i * wide + k] = is_free(prescribed, i) ? ZERO : T[i * wide + k];
  for (int k = n - 1; k >= 0; k--) { /* both ways between a row and those inward of it */
    int i = t->order[k];
    path_before(&M, k);
    for (int e = 0; e < M.depth[k]; e++) {
      int j = t->order[M.path[e]];
      if (is_free(prescribed, i) == is_free(prescribed, j)) continue;
      int p = is_free(prescribed, i) ? j : i, f = i + j - p;
      add_row(wide, whole[p * n + f], da + f * wide, dtau + p * wide);
    }
  }
}

/* in: q, T [nv x columns]. prescribed coordinates [nv] or NULL. out: da = -M_ff^-1 T_f, zero in
 * rows of prescribed coordinates; dtau = T_p + M_pf da, zero in the other rows (NULL if nothing is prescribed); pivots
 * [nv], in the order of elimination. */
void JN_(solve_columns)(const jn_call *c) {
  const jn_solve_columns_arguments *args = &c->solve_columns;
  const JN_S(tree) *t = c->tree;
  const real *T = args->T;
  real *da = args->da;
  int factors = t->coupled || t->nv <= FACTORS_MOST;
  if (factors && (c->counted || t->coupled || args->prescribed)) solve_factors(c, args->columns, T);
  if (!factors && (c->counted || args->prescribed)) solve_prescribed(c, args->columns, T);
  if (!c->counted && (t->coupled || args->prescribed)) return;
  if (!c->counted && da != T) memcpy(da, T, (size_t)(t->nv * args->columns) * sizeof *da);
  solve_articulated(c, args->columns, da);
}
