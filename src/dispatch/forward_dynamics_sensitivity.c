/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of forward and hybrid dynamics by any scalars p. [kim2012 Table 6: forward; Table 7: hybrid]
 *
 * kim2012 differentiates the articulated-body recursion. The same numbers follow from the derivative T = dtau/dp of
 * inverse dynamics at the accelerations of the solution (kim2012 Table 5, kernel inverse_dynamics_sensitivity), because
 * M a + h = tau holds for every p. For coordinates f whose forces are given and p whose accelerations are:
 *
 *   M_ff da_f = dtau_f - T_f - M_fp da_p        one run of hybrid dynamics without weight and velocities
 *   dtau_p    = T_p + M_pf da_f + M_pp da_p     which gives the last two terms, too
 *
 *   symbol   meaning                                                       unit                size
 *   T        derivative of inverse dynamics at constant accelerations      N m, N per unit     [nv]
 *   da       derivative of the accelerations                               1/s^2 per unit      [count x nv]
 *   dtau     derivative of the forces                                      N m, N per unit     [count x nv]
 *
 * Cost O(n) for each scalar; coupled coordinates O(n m). */
#include "jounce/sensitivity.h"

#include "public.h"

#include "hybrid_run.h"

typedef PUBLIC(perturbation) perturbation;

static int is_given(const unsigned char *prescribed, size_t i) { return prescribed && prescribed[i]; }

/* da and dtau for one scalar, whose T is given; da_dp of coordinates whose acceleration is not given is ignored. One
 * scalar at a time, so that no list is copied. */
static jn_status solve_for_scalar(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                  const number *q, const perturbation *p, const number *T, number *da, number *dtau) {
  size_t nv = (size_t)model->nv;
  number *force = (number *)(void *)work->spare, *given = force + nv, *result = given + nv;

  /* Right sides: dtau_f - T_f, and the given da_p. */
  for (size_t i = 0; i < nv; i++) {
    given[i] = p->da_dp ? p->da_dp[i] : 0;
    force[i] = (p->dtau_dp ? p->dtau_dp[i] : 0) - T[i];
  }

  /* M x = force, without weight and velocities. */
  jn_status status =
      run_hybrid(model, work, prescribed, q, NULL, given, force, NULL, 1, da, prescribed ? result : NULL);

  /* Forces of the coordinates whose accelerations are given. */
  for (size_t i = 0; i < nv && dtau; i++) {
    if (is_given(prescribed, i))
      dtau[i] = T[i] + result[i];
    else
      dtau[i] = p->dtau_dp ? p->dtau_dp[i] : 0;
  }
  return status;
}

/* T of each scalar by inverse dynamics, then the solution. */
static jn_status solve_each(const jn_model *model, jn_work *work, const unsigned char *prescribed, const number *q,
                            const number *v, const number *a, const number *wrench, int count, const perturbation *list,
                            number *da, number *dtau) {
  size_t nv = (size_t)model->nv;
  for (int k = 0; k < count; k++) {
    perturbation p = list[k];
    number *T = dtau ? dtau + (size_t)k * nv : da + (size_t)k * nv;
    p.da_dp = NULL; /* accelerations follow from the solution */
    jn_status status = PUBLIC(inverse_dynamics_sensitivity)(model, work, q, v, a, wrench, 1, &p, T);
    if (status != JN_OK) return status;
    status = solve_for_scalar(model, work, prescribed, q, &list[k], T, da + (size_t)k * nv,
                              dtau ? dtau + (size_t)k * nv : NULL);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

jn_status PUBLIC(forward_dynamics_sensitivity)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                               const number *tau, const number *wrench, int count,
                                               const perturbation *perturbations, number *a, number *da_dp) {
  if (!model || !work || !q || !a || (count > 0 && (!perturbations || !da_dp))) return JN_ERR_NULL;
  if (count < 0) return JN_ERR_SIZE;
  jn_status status = PUBLIC(forward_dynamics)(model, work, q, v, tau, wrench, a);
  return status == JN_OK ? solve_each(model, work, NULL, q, v, a, wrench, count, perturbations, da_dp, NULL) : status;
}

jn_status PUBLIC(hybrid_dynamics_sensitivity)(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                              const number *q, const number *v, const number *a, const number *tau,
                                              const number *wrench, int count, const perturbation *perturbations,
                                              number *a_out, number *tau_out, number *da_dp, number *dtau_dp) {
  if (!model || !work || !prescribed || !q || !a_out || !tau_out) return JN_ERR_NULL;
  if (count > 0 && (!perturbations || !da_dp || !dtau_dp)) return JN_ERR_NULL;
  if (count < 0) return JN_ERR_SIZE;
  jn_status status = PUBLIC(hybrid_dynamics)(model, work, prescribed, q, v, a, tau, wrench, a_out, tau_out);
  if (status != JN_OK) return status;
  return solve_each(model, work, prescribed, q, v, a_out, wrench, count, perturbations, da_dp, dtau_dp);
}
