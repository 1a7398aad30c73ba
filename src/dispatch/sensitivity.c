/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/sensitivity.h that compute; scalars.c has the named scalars. */
#include "jounce/sensitivity.h"

#include "../kernel/sensitivity/perturbation.h"
#include "public.h"

#include "hybrid_run.h"

typedef PUBLIC(perturbation) perturbation;
typedef PUBLIC(gradient) gradient;

_Static_assert(sizeof(perturbation) == sizeof(jn_scalar_change), "the same members in the same order");

jn_status PUBLIC(inverse_dynamics_sensitivity)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                               const number *a, const number *wrench, int count,
                                               const perturbation *perturbations, number *dtau_dp) {
  if (!m || !w || !q || (count > 0 && (!perturbations || !dtau_dp))) return JN_ERR_NULL;
  if (count < 0) return JN_ERR_SIZE;
  /* one at a time if samples are staged in lanes: the staging memory is small */
  const jn_variant *variant = jn__choose_variant(NUMBER_KIND, 0);
  if (!variant) return JN_ERR_VARIANT;
  int step = variant->lanes == 1 && variant->kind == NUMBER_KIND ? count : 1;
  for (int k = 0; k < count; k += step) {
    jn_scalar_changes changes = {(const jn_scalar_change *)(const void *)(perturbations + k), step,
                                 NUMBER_KIND == JN_KIND_F};
    jn_run r;
    jn__run_init(&r, JN_KERNEL_inverse_dynamics_sensitivity, NUMBER_KIND, m, w);
    r.call.inverse_dynamics_sensitivity =
        (jn_inverse_dynamics_sensitivity_arguments){.q = q,
                                                    .v = v,
                                                    .a = a,
                                                    .wrench = wrench,
                                                    .dtau_dp = dtau_dp + (size_t)k * (size_t)m->nv,
                                                    .changes = &changes,
                                                    .count = step};
    jn_status status = jn__run(&r);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

static int is_given(const unsigned char *prescribed, size_t i) { return prescribed && prescribed[i]; }

/* Ignores da_dp of coordinates whose acceleration is not given. One scalar at a time, so that no list is copied. da,
 * dtau hold T = d/dp of inverse dynamics of one scalar; M_ff da_f = dtau_f - T_f - M_fp da_p. */
static jn_status solve_one(const jn_model *m, jn_work *w, const unsigned char *prescribed, const number *q,
                           const perturbation *p, const number *T, number *da, number *dtau) {
  size_t nv = (size_t)m->nv;
  number *force = (number *)(void *)w->spare, *given = force + nv, *result = given + nv;
  for (size_t i = 0; i < nv; i++) {
    given[i] = p->da_dp ? p->da_dp[i] : 0;
    force[i] = (p->dtau_dp ? p->dtau_dp[i] : 0) - T[i];
  }
  jn_status status = run_hybrid(m, w, prescribed, q, NULL, given, force, NULL, 1, da, prescribed ? result : NULL);
  for (size_t i = 0; i < nv && dtau; i++) {
    if (is_given(prescribed, i))
      dtau[i] = T[i] + result[i];
    else
      dtau[i] = p->dtau_dp ? p->dtau_dp[i] : 0;
  }
  return status;
}

static jn_status solved(const jn_model *m, jn_work *w, const unsigned char *prescribed, const number *q,
                        const number *v, const number *a, const number *wrench, int count, const perturbation *list,
                        number *da, number *dtau) {
  size_t nv = (size_t)m->nv;
  for (int k = 0; k < count; k++) {
    perturbation p = list[k];
    number *T = dtau ? dtau + (size_t)k * nv : da + (size_t)k * nv;
    p.da_dp = NULL; /* accelerations: by the solution */
    jn_status status = PUBLIC(inverse_dynamics_sensitivity)(m, w, q, v, a, wrench, 1, &p, T);
    if (status != JN_OK) return status;
    status = solve_one(m, w, prescribed, q, &list[k], T, da + (size_t)k * nv, dtau ? dtau + (size_t)k * nv : NULL);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

jn_status PUBLIC(forward_dynamics_sensitivity)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                               const number *tau, const number *wrench, int count,
                                               const perturbation *perturbations, number *a, number *da_dp) {
  if (!m || !w || !q || !a || (count > 0 && (!perturbations || !da_dp))) return JN_ERR_NULL;
  if (count < 0) return JN_ERR_SIZE;
  jn_status status = PUBLIC(forward_dynamics)(m, w, q, v, tau, wrench, a);
  return status == JN_OK ? solved(m, w, NULL, q, v, a, wrench, count, perturbations, da_dp, NULL) : status;
}

jn_status PUBLIC(hybrid_dynamics_sensitivity)(const jn_model *m, jn_work *w, const unsigned char *prescribed,
                                              const number *q, const number *v, const number *a, const number *tau,
                                              const number *wrench, int count, const perturbation *perturbations,
                                              number *a_out, number *tau_out, number *da_dp, number *dtau_dp) {
  if (!m || !w || !prescribed || !q || !a_out || !tau_out) return JN_ERR_NULL;
  if (count > 0 && (!perturbations || !da_dp || !dtau_dp)) return JN_ERR_NULL;
  if (count < 0) return JN_ERR_SIZE;
  jn_status status = PUBLIC(hybrid_dynamics)(m, w, prescribed, q, v, a, tau, wrench, a_out, tau_out);
  if (status != JN_OK) return status;
  return solved(m, w, prescribed, q, v, a_out, wrench, count, perturbations, da_dp, dtau_dp);
}

/* ---- reverse products ---- */

jn_status PUBLIC(inverse_dynamics_adjoint)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                           const number *a, const number *wrench, jn_representation hold,
                                           const number *y, const gradient *g) {
  if (!m || !w || !q || !y || !g) return JN_ERR_NULL;
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_inverse_dynamics_adjoint, NUMBER_KIND, m, w);
  r.call.inverse_dynamics_adjoint = (jn_inverse_dynamics_adjoint_arguments){.q = q,
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
  return jn__run(&r);
}

static void negate(const jn_work *w, number *x, size_t n) {
  for (size_t k = 0; x && k < w->states * n; k++) x[k] = -x[k];
}

/* M a + ... = tau: the gradient of y . a is that of -lambda . tau of inverse dynamics, M lambda = y, and lambda by tau.
 */
jn_status PUBLIC(forward_dynamics_adjoint)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                           const number *tau, const number *wrench, jn_representation hold,
                                           const number *y, number *a, const gradient *g) {
  if (!m || !w || !q || !y || !a || !g || !g->df_dtau) return JN_ERR_NULL;
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn_status status = PUBLIC(forward_dynamics)(m, w, q, v, tau, wrench, a);
  if (status != JN_OK) return status;
  status = run_hybrid(m, w, NULL, q, NULL, NULL, y, NULL, 1, g->df_dtau, NULL);
  if (status != JN_OK) return status;
  gradient rest = *g;
  rest.df_da = NULL;
  status = PUBLIC(inverse_dynamics_adjoint)(m, w, q, v, a, wrench, hold, g->df_dtau, &rest);
  size_t nv = (size_t)m->nv, nlink = (size_t)m->nlink;
  negate(w, g->df_dq, nv);
  negate(w, g->df_dv, nv);
  negate(w, g->df_dwrench, 6 * nlink);
  negate(w, g->df_dinertia, 10 * nlink);
  negate(w, g->df_dgravity, 3);
  negate(w, g->df_darmature, nv);
  return status;
}
