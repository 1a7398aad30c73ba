/* SPDX-License-Identifier: BSD-2-Clause */
/* constraints.h: what other folders use of closed loops. Each function runs steps of this folder in order, and copies
 * the results to the caller's arrays. */
#include "constraints.h"

#include <string.h>

#include "loops.h"

const jn_model *jn__loops_model(const jn_loops *l) { return l->structure.model; }

int jn__loops_order(const jn_loops *l) { return l->structure.options.order; }

jn_status jn__loops_pseudoinverse(jn_loops *l, const double *q, const unsigned char *held, double *A, double *inverse) {
  const loop_structure *loops = &l->structure;
  int n = loops->nv, m = loops->m;

  /* A at q; the matrix to be inverted has its rows over their scales, and no columns of held coordinates. */
  jn_status status = jn_loops_constraint(l, q, NULL, NULL, A, NULL);
  if (status != JN_OK) return status;
  memcpy(l->state.A, A, sizeof(double) * (size_t)(m * n));
  jn__loops_scale_rows(loops, n, l->state.A);
  for (int k = 0; k < m * n && held; k++)
    if (held[k % n]) l->state.A[k] = 0;
  jn__cod(&l->factors.cod, m, n, l->state.A, loops->options.tolerance);

  /* Column r of A^+ is the shortest solution of A x = e_r. */
  for (int r = 0; r < m; r++) {
    memset(l->scratch.phi, 0, sizeof(double) * (size_t)m);
    l->scratch.phi[r] = 1 / loops->scale[r];
    jn__cod_solve(&l->factors.cod, l->scratch.phi, l->scratch.x);
    for (int i = 0; i < n; i++) inverse[i * m + r] = l->scratch.x[i];
  }
  return JN_OK;
}

jn_status jn__loops_change_of_A(jn_loops *l, const double *q, const double *y, double *change) {
  jn_status status = jn__loops_linearise_A(l, q, y);
  memcpy(change, l->linear.g_q, sizeof(double) * (size_t)l->structure.m * (size_t)l->structure.nv);
  return status;
}

jn_status jn__loops_errors(jn_loops *l, const double *q, double *error, double *gap) {
  jn_status status = jn__loops_find_gap(l, q, gap);
  jn__loops_row_errors(&l->structure, l->scratch.phi, error);
  return status;
}

jn_status jn__loops_closing_system(jn_loops *l, double *J, double *error) {
  jn_status status = jn__loops_closing_rows(l, NULL);
  if (status != JN_OK) return status;
  memcpy(J, l->state.A, sizeof(double) * (size_t)l->structure.m * (size_t)l->structure.nv);
  memcpy(error, l->scratch.x, sizeof(double) * (size_t)l->structure.m);
  return JN_OK;
}

jn_status jn__loops_scaled_jacobian_jet(jn_loops *l, int order, const double *q, const double *v_jet, size_t stride,
                                        double *A_jet) {
  size_t block = (size_t)l->structure.m * (size_t)l->structure.nv;
  jn_status status = jn__loops_motion(&l->structure, &l->state, order, q, v_jet);
  if (status == JN_OK) status = jn__loops_jacobian(&l->structure, &l->state, order);
  for (size_t k = 0; k <= (size_t)order && status == JN_OK; k++) {
    memcpy(A_jet + k * stride, l->state.A + k * block, sizeof(double) * block);
    jn__loops_scale_rows(&l->structure, l->structure.nv, A_jet + k * stride);
  }
  return status;
}

jn_status jn__loops_factor_motion(jn_loops *l, int order, const double *q, const double *v_jet) {
  jn_status status = jn__loops_motion_and_forces(&l->structure, &l->state, q, v_jet, NULL);
  if (status == JN_OK) status = jn__loops_factor(&l->structure, &l->state, &l->factors, NULL);
  if (status == JN_OK) status = jn__loops_motion(&l->structure, &l->state, order, q, v_jet);
  return status == JN_OK ? jn__loops_jacobian(&l->structure, &l->state, order) : status;
}

const double *jn__loops_A(const jn_loops *l, int k) { return l->state.A + k * l->structure.m * l->structure.nv; }

void jn__loops_solve(const jn_loops *l, double *f, double *g) {
  l->structure.code->solve_one(&l->structure, &l->factors, f, g);
}
