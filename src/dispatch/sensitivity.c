/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/sensitivity.h that compute: derivatives of inverse dynamics by any scalars (kim2012 Table
 * 5), and gradients by everything at once. forward_dynamics_sensitivity.c has Tables 6 and 7, scalars.c the named
 * scalars. */
#include "jounce/sensitivity.h"

#include "../kernel/sensitivity/perturbation.h"
#include "public.h"

#include "hybrid_run.h"

typedef PUBLIC(perturbation) perturbation;
typedef PUBLIC(gradient) gradient;

_Static_assert(sizeof(perturbation) == sizeof(jn_scalar_change), "the same members in the same order");

jn_status PUBLIC(inverse_dynamics_sensitivity)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                               const number *a, const number *wrench, int count,
                                               const perturbation *perturbations, number *dtau_dp) {
  if (!model || !work || !q || (count > 0 && (!perturbations || !dtau_dp))) return JN_ERR_NULL;
  if (count < 0) return JN_ERR_SIZE;
  /* one at a time if samples are staged in lanes: the staging memory is small */
  const jn_variant *variant = jn__choose_variant(NUMBER_KIND, 0);
  if (!variant) return JN_ERR_VARIANT;
  int step = variant->lanes == 1 && variant->kind == NUMBER_KIND ? count : 1;
  for (int k = 0; k < count; k += step) {
    jn_scalar_changes changes = {(const jn_scalar_change *)(const void *)(perturbations + k), step,
                                 NUMBER_KIND == JN_KIND_F};
    jn_run run;
    jn__run_init(&run, JN_KERNEL_inverse_dynamics_sensitivity, NUMBER_KIND, model, work);
    run.call.inverse_dynamics_sensitivity =
        (jn_inverse_dynamics_sensitivity_arguments){.q = q,
                                                    .v = v,
                                                    .a = a,
                                                    .wrench = wrench,
                                                    .dtau_dp = dtau_dp + (size_t)k * (size_t)model->nv,
                                                    .changes = &changes,
                                                    .count = step};
    jn_status status = jn__run(&run);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

/* ---- reverse products ---- */

jn_status PUBLIC(inverse_dynamics_adjoint)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                           const number *a, const number *wrench, jn_representation hold,
                                           const number *y, const gradient *g) {
  if (!model || !work || !q || !y || !g) return JN_ERR_NULL;
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_inverse_dynamics_adjoint, NUMBER_KIND, model, work);
  run.call.inverse_dynamics_adjoint = (jn_inverse_dynamics_adjoint_arguments){.q = q,
                                                                              .v = v,
                                                                              .a = a,
                                                                              .wrench = wrench,
                                                                              .y = y,
                                                                              .df_dq = g->df_dq,
                                                                              .df_dv = g->df_dv,
                                                                              .df_da = g->df_da,
                                                                              .df_dwrench = g->df_dwrench,
                                                                              .df_dinertia = g->df_dinertia,
                                                                              .df_dgravity = g->df_dgravity,
                                                                              .df_darmature = g->df_darmature,
                                                                              .hold = (int)hold};
  return jn__run(&run);
}

static void negate(const jn_work *work, number *x, size_t n) {
  for (size_t k = 0; x && k < work->states.count * n; k++) x[k] = -x[k];
}

/* y . a with M a + h = tau: with M lambda = y, its gradient is that of -lambda . tau of inverse dynamics, and lambda
 * by tau. */
jn_status PUBLIC(forward_dynamics_adjoint)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                           const number *tau, const number *wrench, jn_representation hold,
                                           const number *y, number *a, const gradient *g) {
  if (!model || !work || !q || !y || !a || !g || !g->df_dtau) return JN_ERR_NULL;
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn_status status = PUBLIC(forward_dynamics)(model, work, q, v, tau, wrench, a);
  if (status != JN_OK) return status;
  status = run_hybrid(model, work, NULL, q, NULL, NULL, y, NULL, 1, g->df_dtau, NULL);
  if (status != JN_OK) return status;
  gradient rest = *g;
  rest.df_da = NULL;
  status = PUBLIC(inverse_dynamics_adjoint)(model, work, q, v, a, wrench, hold, g->df_dtau, &rest);
  size_t nv = (size_t)model->nv, nlink = (size_t)model->nlink;
  negate(work, g->df_dq, nv);
  negate(work, g->df_dv, nv);
  negate(work, g->df_dwrench, 6 * nlink);
  negate(work, g->df_dinertia, 10 * nlink);
  negate(work, g->df_dgravity, 3);
  negate(work, g->df_darmature, nv);
  return status;
}
