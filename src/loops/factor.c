/* SPDX-License-Identifier: BSD-2-Clause */
/* What solutions at a state need (solve.c): factors of M, and of the conditions seen through it, B = D^-1/2 L^-T A^T.
 * B^T B is factorised by Cholesky while its pivots are far from rounding, else B is decomposed, which tells dependent
 * conditions from weak ones. */
#include <math.h>

#include "loops.h"

jn_loops_health jn__loops_health(const jn_loops *l, const jn_decomposition *d, int all) {
  jn_loops_health h = {d->rank, l->generic, d->weakest, d->dropped, 0};
  h.near_singular =
      d->weakest < l->options.weak || d->dropped > l->options.tolerance / 100 || (all && d->rank < l->generic);
  return h;
}

/* |A_r|^2 of the columns that are not prescribed. */
static double row_square(const jn_loops *l, int r, const unsigned char *prescribed) {
  double sum = 0;
  for (int i = 0; i < l->nv; i++)
    if (!prescribed || !prescribed[i]) sum += l->A[r * l->nv + i] * l->A[r * l->nv + i];
  return sum;
}

/* Columns of B are judged like the rows of A that they come from: |B_r| counts as much as |A_r| over its scale. */
static void find_weights(jn_loops *l, const unsigned char *prescribed) {
  for (int r = 0; r < l->m; r++) {
    double own = 0, given = row_square(l, r, prescribed);
    for (int k = 0; k < l->nv; k++) own += l->seen[k * l->wide_m + r] * l->seen[k * l->wide_m + r];
    l->weight[r] = given > 0 && own > 0 ? l->scale[r] * sqrt(own / given) : 1;
  }
}

jn_status jn__loops_factor(jn_loops *l, const unsigned char *prescribed, const double *q) {
  int n = l->nv;
  jn_status status = jn__loops_jacobian(l, 0, q, l->v);
  if (status != JN_OK) return status;
  for (int i = 0; i < n && prescribed; i++)
    for (int j = 0; j < n; j++)
      if (prescribed[i] || prescribed[j]) l->H[i * n + j] = i == j;
  if (!l->code->factor_inertia(l, prescribed)) return JN_ERR_SINGULAR;
  int always_dependent = l->generic >= 0 && l->generic < l->m;
  for (int r = 0; r < l->m && !always_dependent; r++)
    l->weight[r] = row_square(l, r, prescribed) / (l->scale[r] * l->scale[r]);
  l->by_products = !always_dependent && l->code->factor_conditions(l);
  if (l->by_products) return JN_OK;
  find_weights(l, prescribed);
  jn__cod_strided(&l->cod, n, l->m, l->wide_m, l->seen, l->weight, l->options.tolerance);
  l->last = jn__loops_health(l, &l->cod, !prescribed);
  return JN_OK;
}

double jn_loops_rounding(const jn_loops_health *health, int order) {
  if (!health || order < 0) return NAN;
  return 8 * jn_row_epsilon() / pow(health->weakest, order + 1);
}

jn_status jn_loops_last_health(const jn_loops *l, jn_loops_health *health) {
  if (!l || !health) return JN_ERR_NULL;
  *health = l->last;
  return JN_OK;
}
