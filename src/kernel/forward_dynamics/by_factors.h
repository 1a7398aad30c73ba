/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics by inverse dynamics (RNEA), M (CRBA) and its factors along the branches (LTDL,
 * mass_factor_compact.h): for coupled coordinates, and where the factors are needed anyway.
 *
 *   bias = inverse dynamics of q, v and the prescribed accelerations
 *   M_ff a_f = tau_f - bias_f             f: coordinates that are not prescribed; rows and columns of the others are
 * those of the identity
 *
 *   symbol     meaning                                    size     unit
 *   a, tau     accelerations, forces                      nv       rad/s^2, m/s^2; N m, N
 *   wrenches   external, in the frames of the links       nlink x 6
 *   M          factors of the mass matrix                 nv x nv
 *   pivots     as in mass_factor_compact.h                nv */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_BY_FACTORS_H
#define JN_KERNEL_FORWARD_DYNAMICS_BY_FACTORS_H

#include "../inverse_dynamics/inverse_dynamics.h"
#include "../mass_matrix/mass_factor_compact.h"

/* Whether coordinate iv is not prescribed. */
static inline int is_free(const unsigned char *prescribed, int iv) { return !prescribed || !prescribed[iv]; }

typedef struct factored_motion {
  const JN_S(tree) * tree;
  const real *q, *v, *a, *tau, *wrenches; /* a of prescribed coordinates, tau of the others; all but q may be NULL */
  const unsigned char *prescribed;        /* [nv] or NULL */
  int forces;                             /* FORCES_ALL ... */
  const angles *turn;
} factored_motion;

/* counts() for the scratch memory from `at` on. */
static inline int factored_counts(const jn_call *call, const JN_S(tree) * tree, real *at) {
  return call->counted && counts(call, JN_(inverse_dynamics_scratch)(tree, at)) &&
         counts(call, JN_(mass_matrix_scratch)(tree, at));
}

/* Factors of M at q, with the rows and columns of prescribed coordinates ([nv], NULL: none) replaced by the identity.
 */
static inline void factors_at(const JN_S(tree) * tree, const real *q, const angles *angle,
                              const unsigned char *prescribed, real *at, const compact *M, real *pivots) {
  JN_(mass_matrix_at)(tree, q, angle, 1, at, M->H);
  compact_rows(M);
  compact_prescribe(M, prescribed);
  compact_factorize(M, pivots);
}

/* Accelerations a_out [nv], and the factors M that they come from. y [2 nv] is scratch memory. */
static inline void accelerate_by_factors(const factored_motion *o, real *at, real *y, const compact *M, real *pivots,
                                         real *a_out) {
  const JN_S(tree) *tree = o->tree;
  int n = tree->nv;
  real *bias = y + n;

  /* Prescribed accelerations, zero for the others; their bias. */
  for (int i = 0; i < n; i++) a_out[i] = !is_free(o->prescribed, i) && o->a ? o->a[i] : ZERO;
  JN_(inverse_dynamics_forces)
  (tree, o->q, o->v, o->prescribed ? a_out : NULL, o->wrenches, o->forces, o->turn, at, bias);

  /* M_ff a_f = tau_f - bias_f, in the order of elimination. */
  factors_at(tree, o->q, o->turn, o->prescribed, at, M, pivots);
  for (int k = 0; k < n; k++) {
    int i = tree->order[k];
    y[k] = is_free(o->prescribed, i) ? (o->tau ? o->tau[i] : ZERO) - bias[i] : ZERO;
  }
  compact_substitute(M, y);
  for (int k = 0; k < n; k++) a_out[tree->order[k]] += y[k];
}

#endif
