/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors of the equations of motion at a state, with which solve.c solves any right side:
 *   [ M  -A^T ] [ x      ]   [ f ]
 *   [ A    0  ] [ lambda ] = [ g ]
 * M = L^T D L, as sparse as the tree. The conditions seen through it are B = D^-1/2 L^-T A^T [nv x m]: B^T B = A M^-1
 * A^T. B^T B is factorised by Cholesky while its pivots are far from rounding. Otherwise B itself is decomposed with
 * exchange of columns (cod), which distinguishes dependent conditions from weak ones.
 *
 *   symbol  meaning                                               size      where
 *   M       inertia of the tree                                   nv x nv   state->H
 *   A       Jacobian of the conditions                            m x nv    state->A
 *   B       conditions seen through the inertia                   nv x m    factors->seen
 *   weight  size of a column of B that counts as large            m         factors->weight */
#include <math.h>

#include "loops.h"

jn_loops_health jn__loops_health(const loop_structure *loops, const jn_decomposition *d, int all) {
  jn_loops_health h = {d->rank, loops->generic, d->weakest, d->dropped, 0};
  h.near_singular = d->weakest < loops->options.weak || d->dropped > loops->options.tolerance / 100 ||
                    (all && d->rank < loops->generic);
  return h;
}

/* |A_r|^2 of the columns that are not prescribed. */
static double row_square(const loop_structure *loops, const loop_state *state, int r, const unsigned char *prescribed) {
  double sum = 0;
  for (int i = 0; i < loops->nv; i++)
    if (!prescribed || !prescribed[i]) sum += state->A[r * loops->nv + i] * state->A[r * loops->nv + i];
  return sum;
}

/* Columns of B are judged like the rows of A that they come from: |B_r| counts as much as |A_r| over its scale. */
static void find_weights(const loop_structure *loops, const loop_state *state, loop_factors *factors,
                         const unsigned char *prescribed) {
  for (int r = 0; r < loops->m; r++) {
    double own = 0, given = row_square(loops, state, r, prescribed);
    for (int k = 0; k < loops->nv; k++)
      own += factors->seen[k * loops->wide_m + r] * factors->seen[k * loops->wide_m + r];
    factors->weight[r] = given > 0 && own > 0 ? loops->scale[r] * sqrt(own / given) : 1;
  }
}

jn_status jn__loops_factor(const loop_structure *loops, loop_state *state, loop_factors *factors,
                           const unsigned char *prescribed) {
  int n = loops->nv;
  jn_status status = jn__loops_jacobian(loops, state, 0);
  if (status != JN_OK) return status;

  /* Prescribed coordinates do not move: rows and columns of the identity in M. */
  for (int i = 0; i < n && prescribed; i++)
    for (int j = 0; j < n; j++)
      if (prescribed[i] || prescribed[j]) state->H[i * n + j] = i == j;
  if (!loops->code->factor_inertia(loops, state, factors, prescribed)) return JN_ERR_SINGULAR;

  /* S = B^T B by Cholesky, unless conditions depend on each other in every configuration. */
  int always_dependent = loops->generic >= 0 && loops->generic < loops->m;
  for (int r = 0; r < loops->m && !always_dependent; r++)
    factors->weight[r] = row_square(loops, state, r, prescribed) / (loops->scale[r] * loops->scale[r]);
  factors->by_products = !always_dependent && loops->code->factor_conditions(loops, factors);
  if (factors->by_products) return JN_OK;

  /* Else B by rank-revealing decomposition, its columns judged in the units of A. */
  find_weights(loops, state, factors, prescribed);
  jn__cod_strided(&factors->cod, n, loops->m, loops->wide_m, factors->seen, factors->weight, loops->options.tolerance);
  factors->last = jn__loops_health(loops, &factors->cod, !prescribed);
  return JN_OK;
}

double jn_loops_rounding(const jn_loops_health *health, int order) {
  if (!health || order < 0) return NAN;
  return 8 * jn_variant_epsilon() / pow(health->weakest, order + 1);
}

jn_status jn_loops_last_health(const jn_loops *l, jn_loops_health *health) {
  if (!l || !health) return JN_ERR_NULL;
  *health = l->factors.last;
  return JN_OK;
}
