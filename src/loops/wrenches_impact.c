/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrenches that multipliers mean, and impact. */
#include <string.h>

#include "../series/series.h"
#include "loops.h"

jn_status jn_loops_wrenches(jn_loops *l, const double *q, const double *lambda, double *W) {
  if (!l || !q || !lambda || !W) return JN_ERR_NULL;
  jn_status status = jn__loops_motion(&l->structure, &l->state, 0, q, l->structure.zeros);
  jn__loops_relative_poses(&l->structure, &l->state);
  for (int i = 0; i < l->structure.count && status == JN_OK; i++) {
    double both[2][6];
    jn__loops_pair_wrench(&l->structure, &l->state, i, 0, lambda, both);
    memcpy(W + 12 * i, both, sizeof both);
  }
  return status;
}

jn_status jn_loops_link_wrenches_jet(jn_loops *l, int order, const double *q, const double *v_jet,
                                     const double *lambda_jet, const double *wrench_jet, double *link_jet) {
  if (!l || !q || !v_jet || !lambda_jet || !link_jet) return JN_ERR_NULL;
  if (order < 0 || order > l->structure.options.order) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  memset(l->scratch.v, 0, sizeof(double) * (size_t)((order + 4) * l->structure.nv));
  memcpy(l->scratch.v, v_jet, sizeof(double) * (size_t)((order + 2) * l->structure.nv));
  jn_status status = jn__loops_motion(&l->structure, &l->state, order, q, l->scratch.v);
  jn__series_of_rows(order + 1, (size_t)l->structure.m, lambda_jet, l->scratch.lambda);
  if (status == JN_OK) jn__loops_wrenches(&l->structure, &l->state, order, l->scratch.lambda, wrench_jet, link_jet);
  return status;
}

jn_status jn_loops_impact(jn_loops *l, double restitution, const double *q, double *v, double *impulse) {
  if (!l || !q || !v) return JN_ERR_NULL;
  int n = l->structure.nv, m = l->structure.m;
  jn_status status = jn__loops_motion(&l->structure, &l->state, 0, q, l->structure.zeros);
  if (status == JN_OK) status = jn_mass_matrix(l->structure.model, l->structure.work, q, l->state.H);
  if (status == JN_OK) status = jn__loops_factor(&l->structure, &l->state, &l->factors, NULL);
  if (status != JN_OK) return status;
  for (int r = 0; r < m; r++) {
    l->scratch.phi[r] = 0;
    for (int i = 0; i < n; i++) l->scratch.phi[r] -= (1 + restitution) * l->state.A[r * n + i] * v[i];
  }
  memset(l->scratch.x, 0, sizeof(double) * (size_t)n);
  l->structure.code->solve_one(&l->structure, &l->factors, l->scratch.x,
                               l->scratch.phi); /* M dv = A^T impulse, A dv = -(1 + e) A v */
  for (int i = 0; i < n; i++) v[i] += l->scratch.x[i];
  if (impulse) memcpy(impulse, l->scratch.phi, sizeof(double) * (size_t)m);
  return JN_OK;
}
