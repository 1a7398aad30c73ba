/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics by RNEA, CRBA and the factors of M along the branches (LTDL, mass_factor.h): for coupled
 * coordinates, and where the factors are needed anyway. */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_BY_FACTORS_H
#define JN_KERNEL_FORWARD_DYNAMICS_BY_FACTORS_H

#include "../inverse_dynamics/inverse_dynamics.h"
#include "../mass_matrix/mass_factor_compact.h"

static inline int is_free(const unsigned char *prescribed, int iv) { return !prescribed || !prescribed[iv]; }

typedef struct factored_motion {
  const JN_S(tree) * t;
  const real *q, *v, *a, *tau, *W; /* a of prescribed coordinates, tau of the others; all but q may be NULL */
  const unsigned char *prescribed; /* [nv] or NULL */
  int forces;                      /* FORCES_ALL ... */
  const angles *turn;
} factored_motion;

/* counts() of scratch memory from `at` on. */
static inline int factored_counts(const jn_call *c, const JN_S(tree) * t, real *at) {
  return c->counted && counts(c, JN_(inverse_dynamics_scratch)(t, at)) && counts(c, JN_(mass_matrix_scratch)(t, at));
}

/* Factors of M for the coordinates that are not prescribed ([nv], NULL: none). */
static inline void factors_at(const JN_S(tree) * t, const real *q, const angles *turn, const unsigned char *prescribed,
                              real *at, const compact *M, real *pivots) {
  JN_(mass_matrix_at)(t, q, turn, 1, at, M->H);
  compact_rows(M);
  compact_prescribe(M, prescribed);
  compact_factorize(M, pivots);
}

/* Accelerations a_out [nv], and the factors M that they come from. y [2 nv] is scratch. */
static inline void accelerate_by_factors(const factored_motion *o, real *at, real *y, const compact *M, real *pivots,
                                         real *a_out) {
  const JN_S(tree) *t = o->t;
  int n = t->nv;
  real *bias = y + n;
  for (int i = 0; i < n; i++) a_out[i] = !is_free(o->prescribed, i) && o->a ? o->a[i] : ZERO;
  JN_(inverse_dynamics_forces)(t, o->q, o->v, o->prescribed ? a_out : NULL, o->W, o->forces, o->turn, at, bias);
  factors_at(t, o->q, o->turn, o->prescribed, at, M, pivots);
  for (int k = 0; k < n; k++) {
    int i = t->order[k];
    y[k] = is_free(o->prescribed, i) ? (o->tau ? o->tau[i] : ZERO) - bias[i] : ZERO;
  }
  compact_substitute(M, y);
  for (int k = 0; k < n; k++) a_out[t->order[k]] += y[k];
}

#endif
