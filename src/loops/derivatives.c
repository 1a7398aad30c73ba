/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of the equations of motion with loops. At fixed a and lambda let
 *   G = d (inverse dynamics of the tree - A^T lambda),     g = d (A a + dA v) = d phi''
 * by q, by v, or by the parameters; then M da - A^T dlambda = -G, A da = -g. The wrenches of the loops act on the tree
 * as if they were fixed in the bodies; how they change besides, and g, is in pairs.c. */
#include <string.h>

#include "loops.h"

static void see_motion(jn_loops *l, const double *v, const double *a) {
  size_t n = (size_t)l->nv;
  memset(l->v, 0, sizeof(double) * 4 * n);
  if (v) memcpy(l->v, v, sizeof(double) * n);
  memcpy(l->v + n, a, sizeof(double) * n);
}

/* g, and what the multipliers (NULL: none) add to G, at a motion that jn__loops_motion() has seen. */
static jn_status linearise_conditions(jn_loops *l, const double *q, const double *v, const double *a,
                                      const double *lambda) {
  l->code->pairs_linearise(l, lambda);
  return jn__extra_linearise(l, q, v, a, lambda);
}

/* G_q with wrenches held otherwise than in the body: those of the loops are in it already, in the body's frame. */
static jn_status change_hold(jn_loops *l, const double *q, const double *v, const double *a, const double *wrench,
                             jn_representation hold) {
  if (hold == JN_IN_BODY || !wrench) return JN_OK;
  for (int k = 0; k < 2; k++) {
    jn_status status = jn_inverse_dynamics_derivatives(l->model, l->work, q, v, a, wrench, k ? hold : JN_IN_BODY, l->H,
                                                       NULL, NULL, NULL);
    if (status != JN_OK) return status;
    for (int e = 0; e < l->nv * l->nv; e++) l->G_q[e] += k ? l->H[e] : -l->H[e];
  }
  return JN_OK;
}

jn_status jn__loops_linearise(jn_loops *l, const double *q, const double *v, const double *a, const double *lambda,
                              const double *wrench, jn_representation hold, double *dwrench) {
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  see_motion(l, v, a);
  jn_status status = jn__loops_motion(l, 0, q, l->v);
  if (status != JN_OK) return status;
  jn__loops_wrenches(l, 0, lambda, wrench, l->wrench);
  status =
      jn_inverse_dynamics_derivatives(l->model, l->work, q, v, a, l->wrench, JN_IN_BODY, l->G_q, l->G_v, l->M, dwrench);
  if (status == JN_OK) status = change_hold(l, q, v, a, wrench, hold);
  return status == JN_OK ? linearise_conditions(l, q, v, a, lambda) : status;
}

jn_status jn__loops_change_of_A(jn_loops *l, const double *q, const double *y) {
  see_motion(l, NULL, y);
  jn_status status = jn__loops_motion(l, 0, q, l->v);
  return status == JN_OK ? linearise_conditions(l, q, l->zeros, y, NULL) : status;
}

static int is_given(const unsigned char *which, int i) { return which && which[i]; }

/* By what is given: a_c of a prescribed coordinate (G = M's column, g = A's), or tau_c (G = -e_c). */
static void given_columns(jn_loops *l, const unsigned char *prescribed, const jn_loops_derivatives *out) {
  int n = l->nv, m = l->m;
  double *G = l->G_q, *g = l->g_q; /* have been used */
  loop_columns columns = {n, NULL, NULL, out->da_dgiven, out->dtau_dgiven, out->dlambda_dgiven};
  for (int c = 0; c < n && prescribed; c++) {
    for (int i = 0; i < n; i++) G[i * n + c] = prescribed[c] ? l->M[i * n + c] : i == c ? -1 : 0;
    for (int r = 0; r < m; r++) g[r * n + c] = prescribed[c] ? l->A[r * n + c] : 0;
  }
  if (prescribed) columns.G = G, columns.g = g;
  l->code->solve_columns(l, prescribed, &columns);
  for (int c = 0; c < n; c++) {
    double *own = is_given(prescribed, c) ? out->da_dgiven : out->dtau_dgiven;
    if (own) own[c * (n + 1)] = 1;
  }
}

jn_status jn_loops_dynamics_derivatives(jn_loops *l, const unsigned char *prescribed, const double *q, const double *v,
                                        const double *a, const double *lambda, const double *wrench,
                                        jn_representation hold, const jn_loops_derivatives *out) {
  if (!l || !q || !v || !a || (l->m > 0 && !lambda) || !out) return JN_ERR_NULL;
  int n = l->nv, by_wrench = out->da_dwrench || out->dtau_dwrench || out->dlambda_dwrench;
  jn_status status = jn__loops_linearise(l, q, v, a, lambda, wrench, hold, by_wrench ? l->wide : NULL);
  if (status != JN_OK) return status;
  memcpy(l->H, l->M, sizeof(double) * (size_t)n * (size_t)n);
  status = jn__loops_factor(l, prescribed, q);
  if (status != JN_OK) return status;
  const loop_columns by_q = {n, l->G_q, l->g_q, out->da_dq, out->dtau_dq, out->dlambda_dq};
  const loop_columns by_v = {n, l->G_v, l->g_v, out->da_dv, out->dtau_dv, out->dlambda_dv};
  const loop_columns wrenches = {6 * l->nlink, l->wide, NULL, out->da_dwrench, out->dtau_dwrench, out->dlambda_dwrench};
  const loop_columns parameters = {10 * l->nlink, l->wide, NULL, out->da_dpi, out->dtau_dpi, out->dlambda_dpi};
  l->code->solve_columns(l, prescribed, &by_q);
  l->code->solve_columns(l, prescribed, &by_v);
  given_columns(l, prescribed, out);
  l->code->solve_columns(l, prescribed, &wrenches);
  if (!out->da_dpi && !out->dtau_dpi && !out->dlambda_dpi) return JN_OK;
  status = jn_regressor(l->model, l->work, q, v, a, l->wide);
  if (status == JN_OK) l->code->solve_columns(l, prescribed, &parameters);
  return status;
}
