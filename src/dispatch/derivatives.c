/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/derivatives.h. */
#include "jounce/derivatives.h"

#include "judge.h"
#include "public.h"

/* Sets up a run with the inputs q, v, a, wrench, or returns the error. */
static jn_status begin(jn_run *r, int kernel, const jn_model *m, jn_work *w, const number *q, const number *v,
                       const number *a, const number *wrench, jn_representation hold) {
  if (!m || !w || !q) return JN_ERR_NULL;
  if (w->model != m) return JN_ERR_WORK;
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, wide = 6 * (size_t)m->nlink;
  jn__run_init(r, kernel, NUMBER_KIND, m, w);
  r->arg[0] = (int)hold;
  jn__run_input(r, 0, q, nq);
  jn__run_input(r, 1, v, nv);
  jn__run_input(r, 2, a, nv);
  jn__run_input(r, 3, wrench, wide);
  return JN_OK;
}

static void want(jn_run *r, int out, size_t size, number *data) { jn__run_output(r, out, data, size); }

static void give(jn_run *r, int in, size_t size, const number *data) { jn__run_input(r, in, data, size); }

static size_t power_of(const jn_model *m, int exponent) {
  size_t x = 1;
  while (exponent-- > 0) x *= (size_t)m->nv;
  return x;
}

jn_status PUBLIC(inverse_dynamics_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                               const number *a, const number *wrench, jn_representation hold,
                                               number *dtau_dq, number *dtau_dv, number *dtau_da,
                                               number *dtau_dwrench) {
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_inverse_dynamics_derivatives, m, w, q, v, a, wrench, hold);
  if (status != JN_OK) return status;
  want(&r, 0, power_of(m, 2), dtau_dq);
  want(&r, 1, power_of(m, 2), dtau_dv);
  want(&r, 2, power_of(m, 2), dtau_da);
  want(&r, 3, 6 * (size_t)m->nlink * (size_t)m->nv, dtau_dwrench);
  return jn__run(&r);
}

jn_status PUBLIC(gravity_forces_derivative)(const jn_model *m, jn_work *w, const number *q, number *dg_dq) {
  if (!dg_dq) return JN_ERR_NULL;
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_inverse_dynamics_derivatives, m, w, q, NULL, NULL, NULL, JN_IN_BODY);
  if (status != JN_OK) return status;
  r.arg[1] = 1; /* without springs */
  want(&r, 0, power_of(m, 2), dg_dq);
  return jn__run(&r);
}

static jn_status hybrid(const jn_model *m, jn_work *w, const unsigned char *prescribed, const number *q,
                        const number *v, const number *a, const number *tau, const number *wrench,
                        jn_representation hold, const PUBLIC(hybrid_derivatives) * out) {
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_hybrid_dynamics_derivatives, m, w, q, v, a, NULL, hold);
  if (status != JN_OK) return status;
  size_t nv = (size_t)m->nv, square = power_of(m, 2), wide = 6 * (size_t)m->nlink;
  r.data = prescribed;
  give(&r, 3, nv, tau);
  give(&r, 4, wide, wrench);
  want(&r, 0, nv, out->a);
  want(&r, 1, nv, out->tau);
  want(&r, 2, square, out->da_dq);
  want(&r, 3, square, out->da_dv);
  want(&r, 4, square, out->da_dgiven);
  want(&r, 5, wide * nv, out->da_dwrench);
  want(&r, 6, square, out->dtau_dq);
  want(&r, 7, square, out->dtau_dv);
  want(&r, 8, square, out->dtau_dgiven);
  want(&r, 9, wide * nv, out->dtau_dwrench);
  return solve_and_judge(&r, m->nv, 0);
}

jn_status PUBLIC(forward_dynamics_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                               const number *tau, const number *wrench, jn_representation hold,
                                               number *a, number *da_dq, number *da_dv, number *da_dtau,
                                               number *da_dwrench) {
  if (!a || !da_dtau) return JN_ERR_NULL;
  PUBLIC(hybrid_derivatives)
  out = {.a = a, .da_dq = da_dq, .da_dv = da_dv, .da_dgiven = da_dtau, .da_dwrench = da_dwrench};
  return hybrid(m, w, NULL, q, v, NULL, tau, wrench, hold, &out);
}

jn_status PUBLIC(hybrid_dynamics_derivatives)(const jn_model *m, jn_work *w, const unsigned char *prescribed,
                                              const number *q, const number *v, const number *a, const number *tau,
                                              const number *wrench, jn_representation hold,
                                              const PUBLIC(hybrid_derivatives) * out) {
  if (!prescribed || !out || !out->a || !out->tau || !out->da_dgiven || !out->dtau_dgiven) return JN_ERR_NULL;
  if (!out->da_dq != !out->dtau_dq || !out->da_dv != !out->dtau_dv || !out->da_dwrench != !out->dtau_dwrench)
    return JN_ERR_NULL;
  return hybrid(m, w, prescribed, q, v, a, tau, wrench, hold, out);
}

jn_status PUBLIC(inverse_dynamics_derivatives_along)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                                     const number *a, const number *wrench, jn_representation hold,
                                                     const PUBLIC(direction) * along,
                                                     const PUBLIC(inverse_derivatives_along) * out) {
  if (!along || !out) return JN_ERR_NULL;
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_inverse_dynamics_derivatives_along, m, w, q, v, a, wrench, hold);
  if (status != JN_OK) return status;
  give(&r, 4, (size_t)m->nv, along->dq_ds);
  give(&r, 5, (size_t)m->nv, along->dv_ds);
  give(&r, 6, (size_t)m->nv, along->da_ds);
  want(&r, 0, power_of(m, 2), out->d2tau_dsdq);
  want(&r, 1, power_of(m, 2), out->d2tau_dsdv);
  want(&r, 2, power_of(m, 2), out->d2tau_dsda);
  want(&r, 3, (size_t)m->nv, out->dtau_ds);
  return jn__run(&r);
}

enum { BY_Q, BY_V };

/* Tensors of the derivatives of dtau/dq, dtau/dv and M along all q or all v. */
static jn_status tensors(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                         const number *wrench, jn_representation hold, int by, number *const out[3]) {
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_inverse_dynamics_derivatives_tensors, m, w, q, v, a, wrench, hold);
  if (status != JN_OK || (!out[0] && !out[1] && !out[2])) return status;
  r.arg[1] = by;
  for (int k = 0; k < 3; k++) want(&r, k, power_of(m, 3), out[k]);
  return jn__run(&r);
}

/* All tensors at once, in closed form; not available for wrenches held in the world's axes. */
static jn_status closed_tensors(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                                const number *wrench, jn_representation hold, number *qq, number *qv, number *vv,
                                number *qa) {
  jn_run r;
  number *const out[4] = {qq, qv, vv, qa};
  jn_status status = begin(&r, JN_KERNEL_inverse_dynamics_second_derivatives, m, w, q, v, a, wrench, hold);
  if (status != JN_OK || (!qq && !qv && !vv && !qa)) return status;
  for (int k = 0; k < 4; k++) want(&r, k, power_of(m, 3), out[k]);
  return jn__run(&r);
}

jn_status PUBLIC(inverse_dynamics_second_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                                      const number *a, const number *wrench, jn_representation hold,
                                                      number *d2tau_dqdq, number *d2tau_dqdv, number *d2tau_dvdv,
                                                      number *d2tau_dqda) {
  number *const by_q[3] = {d2tau_dqdq, d2tau_dqdv, d2tau_dqda}, *const by_v[3] = {NULL, d2tau_dvdv, NULL};
  if (!wrench || hold == JN_IN_BODY)
    return closed_tensors(m, w, q, v, a, wrench, hold, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda);
  jn_status status = tensors(m, w, q, v, a, wrench, hold, BY_Q, by_q);
  return status == JN_OK ? tensors(m, w, q, v, a, wrench, hold, BY_V, by_v) : status;
}

jn_status PUBLIC(mass_matrix_derivative)(const jn_model *m, jn_work *w, const number *q, number *dM_dq) {
  return dM_dq ? closed_tensors(m, w, q, NULL, NULL, NULL, JN_IN_BODY, NULL, NULL, NULL, dM_dq) : JN_ERR_NULL;
}

jn_status PUBLIC(mass_matrix_inverse_derivative)(const jn_model *m, jn_work *w, const number *q, number *Minv,
                                                 number *dMinv_dq) {
  if (!Minv || !dMinv_dq) return JN_ERR_NULL;
  jn_status status = PUBLIC(mass_matrix_inverse)(m, w, q, Minv);
  if (status != JN_OK) return status;
  jn_run r;
  status = begin(&r, JN_KERNEL_mass_matrix_inverse_derivative, m, w, q, NULL, NULL, NULL, JN_IN_BODY);
  if (status != JN_OK) return status;
  give(&r, 1, power_of(m, 2), Minv);
  want(&r, 0, power_of(m, 3), dMinv_dq);
  return jn__run(&r);
}

jn_status PUBLIC(coriolis_matrix_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                              number *dC_dq, number *dC_dv) {
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_coriolis_matrix_derivatives, m, w, q, v, NULL, NULL, JN_IN_BODY);
  if (status != JN_OK || (!dC_dq && !dC_dv)) return status;
  want(&r, 0, power_of(m, 3), dC_dq);
  want(&r, 1, power_of(m, 3), dC_dv);
  return jn__run(&r);
}

/* dM/dt = C + C^T */
static void add_transposes(const jn_work *w, number *X, size_t n) {
  for (size_t h = 0; X && h < w->states * n; h++, X += n * n)
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k <= i; k++) {
        number sum = X[i * n + k] + X[k * n + i];
        X[i * n + k] = X[k * n + i] = sum;
      }
}

jn_status PUBLIC(mass_matrix_rate_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                               number *dMdot_dq, number *dMdot_dv) {
  jn_status status = PUBLIC(coriolis_matrix_derivatives)(m, w, q, v, dMdot_dq, dMdot_dv);
  if (status != JN_OK) return status;
  add_transposes(w, dMdot_dq, (size_t)m->nv);
  add_transposes(w, dMdot_dv, (size_t)m->nv);
  return JN_OK;
}

/* Inputs of the second derivatives of forward dynamics; which: -1 along a direction, else all directions of one kind.
 */
static jn_status begin_forward(jn_run *r, const jn_model *m, jn_work *w, const number *q, const number *v,
                               const number *wrench, jn_representation hold, const PUBLIC(forward_solution) * at,
                               int which) {
  if (!at || !at->a || !at->da_dq || !at->da_dv || !at->da_dtau) return JN_ERR_NULL;
  jn_status status = begin(r, JN_KERNEL_forward_dynamics_second_derivatives, m, w, q, v, at->a, wrench, hold);
  if (status != JN_OK) return status;
  r->arg[1] = which;
  give(r, 7, power_of(m, 2), at->da_dq);
  give(r, 8, power_of(m, 2), at->da_dv);
  give(r, 9, power_of(m, 2), at->da_dtau);
  return JN_OK;
}

jn_status PUBLIC(forward_dynamics_derivatives_along)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                                     const number *wrench, jn_representation hold,
                                                     const PUBLIC(forward_solution) * at,
                                                     const PUBLIC(direction) * along,
                                                     const PUBLIC(forward_derivatives_along) * out) {
  if (!along || !out || !out->d2a_dsdtau) return JN_ERR_NULL;
  jn_run r;
  jn_status status = begin_forward(&r, m, w, q, v, wrench, hold, at, -1);
  if (status != JN_OK) return status;
  give(&r, 4, (size_t)m->nv, along->dq_ds);
  give(&r, 5, (size_t)m->nv, along->dv_ds);
  give(&r, 6, (size_t)m->nv, along->dtau_ds);
  want(&r, 0, power_of(m, 2), out->d2a_dsdq);
  want(&r, 1, power_of(m, 2), out->d2a_dsdv);
  want(&r, 2, power_of(m, 2), out->d2a_dsdtau);
  return jn__run(&r);
}

jn_status PUBLIC(forward_dynamics_second_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                                      const number *wrench, jn_representation hold,
                                                      const PUBLIC(forward_solution) * at,
                                                      const PUBLIC(forward_second_derivatives) * out) {
  if (!out || !out->d2a_dqdq != !out->d2a_dqdv || !out->d2a_dqdq != !out->d2a_dqdtau) return JN_ERR_NULL;
  if (out->d2a_dvdv && !out->room) return JN_ERR_NULL;
  for (int by = BY_Q; by <= BY_V; by++) {
    jn_run r;
    jn_status status = begin_forward(&r, m, w, q, v, wrench, hold, at, by);
    if (status != JN_OK) return status;
    if (by == BY_Q ? !out->d2a_dqdq : !out->d2a_dvdv) continue;
    want(&r, 0, power_of(m, 3), by == BY_Q ? out->d2a_dqdq : NULL);
    want(&r, 1, power_of(m, 3), by == BY_Q ? out->d2a_dqdv : out->d2a_dvdv);
    want(&r, 2, power_of(m, 3), by == BY_Q ? out->d2a_dqdtau : out->room);
    status = jn__run(&r);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

jn_status PUBLIC(inverse_dynamics_jet_derivatives)(const jn_model *m, jn_work *w, int order, const number *q,
                                                   const number *v_jet, const number *wrench_jet, number *D) {
  if (!m || !w || !q || !v_jet || !D) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER) return JN_ERR_SIZE;
  if (w->model != m || w->order < order) return JN_ERR_WORK;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, rows = (size_t)order + 1;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_inverse_dynamics_jet_derivatives, NUMBER_KIND, m, w);
  r.arg[0] = order;
  give(&r, 0, nq, q);
  give(&r, 1, (rows + 1) * nv, v_jet);
  give(&r, 2, rows * 6 * (size_t)m->nlink, wrench_jet);
  want(&r, 0, rows * (rows + 2) * nv * nv, D);
  return jn__run(&r);
}
