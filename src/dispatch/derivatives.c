/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/derivatives.h that are not about kinematics: they check arguments and set those of the
 * kernels in src/kernel/first_derivatives and second_derivatives, whose names are the same. */
#include "jounce/derivatives.h"

#include "judge.h"
#include "public.h"

/* Prepares the run of a kernel, or returns the error. */
static jn_status begin(jn_run *run, int kernel, const jn_model *model, jn_work *work, const number *q,
                       jn_representation hold) {
  if (!model || !work || !q) return JN_ERR_NULL;
  if (work->model != model) return JN_ERR_WORK;
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn__run_init(run, kernel, NUMBER_KIND, model, work);
  return JN_OK;
}

jn_status PUBLIC(inverse_dynamics_derivatives)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                               const number *a, const number *wrench, jn_representation hold,
                                               number *dtau_dq, number *dtau_dv, number *dtau_da,
                                               number *dtau_dwrench) {
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_inverse_dynamics_derivatives, model, work, q, hold);
  if (status != JN_OK) return status;
  run.call.inverse_dynamics_derivatives = (jn_inverse_dynamics_derivatives_arguments){.q = q,
                                                                                      .v = v,
                                                                                      .a = a,
                                                                                      .wrench = wrench,
                                                                                      .dtau_dq = dtau_dq,
                                                                                      .dtau_dv = dtau_dv,
                                                                                      .dtau_da = dtau_da,
                                                                                      .dtau_dwrench = dtau_dwrench,
                                                                                      .hold = (int)hold};
  return jn__run(&run);
}

jn_status PUBLIC(gravity_forces_derivative)(const jn_model *model, jn_work *work, const number *q, number *dg_dq) {
  if (!dg_dq) return JN_ERR_NULL;
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_inverse_dynamics_derivatives, model, work, q, JN_IN_BODY);
  if (status != JN_OK) return status;
  run.call.inverse_dynamics_derivatives =
      (jn_inverse_dynamics_derivatives_arguments){.q = q, .dtau_dq = dg_dq, .hold = JN_IN_BODY, .unsprung = 1};
  return jn__run(&run);
}

static jn_status hybrid(const jn_model *model, jn_work *work, const unsigned char *prescribed, const number *q,
                        const number *v, const number *a, const number *tau, const number *wrench,
                        jn_representation hold, const PUBLIC(hybrid_derivatives) * out) {
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_hybrid_dynamics_derivatives, model, work, q, hold);
  if (status != JN_OK) return status;
  run.call.hybrid_dynamics_derivatives = (jn_hybrid_dynamics_derivatives_arguments){.q = q,
                                                                                    .v = v,
                                                                                    .a = a,
                                                                                    .tau = tau,
                                                                                    .wrench = wrench,
                                                                                    .a_out = out->a,
                                                                                    .tau_out = out->tau,
                                                                                    .da_dq = out->da_dq,
                                                                                    .da_dv = out->da_dv,
                                                                                    .da_dgiven = out->da_dgiven,
                                                                                    .da_dwrench = out->da_dwrench,
                                                                                    .dtau_dq = out->dtau_dq,
                                                                                    .dtau_dv = out->dtau_dv,
                                                                                    .dtau_dgiven = out->dtau_dgiven,
                                                                                    .dtau_dwrench = out->dtau_dwrench,
                                                                                    .prescribed = prescribed,
                                                                                    .hold = (int)hold};
  return solve_and_judge(&run, model->nv, 0);
}

jn_status PUBLIC(forward_dynamics_derivatives)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                               const number *tau, const number *wrench, jn_representation hold,
                                               number *a, number *da_dq, number *da_dv, number *da_dtau,
                                               number *da_dwrench) {
  if (!a || !da_dtau) return JN_ERR_NULL;
  PUBLIC(hybrid_derivatives)
  out = {.a = a, .da_dq = da_dq, .da_dv = da_dv, .da_dgiven = da_dtau, .da_dwrench = da_dwrench};
  return hybrid(model, work, NULL, q, v, NULL, tau, wrench, hold, &out);
}

jn_status PUBLIC(hybrid_dynamics_derivatives)(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                              const number *q, const number *v, const number *a, const number *tau,
                                              const number *wrench, jn_representation hold,
                                              const PUBLIC(hybrid_derivatives) * out) {
  if (!prescribed || !out || !out->a || !out->tau || !out->da_dgiven || !out->dtau_dgiven) return JN_ERR_NULL;
  if (!out->da_dq != !out->dtau_dq || !out->da_dv != !out->dtau_dv || !out->da_dwrench != !out->dtau_dwrench)
    return JN_ERR_NULL;
  return hybrid(model, work, prescribed, q, v, a, tau, wrench, hold, out);
}

jn_status PUBLIC(inverse_dynamics_derivatives_along)(const jn_model *model, jn_work *work, const number *q,
                                                     const number *v, const number *a, const number *wrench,
                                                     jn_representation hold, const PUBLIC(direction) * along,
                                                     const PUBLIC(inverse_derivatives_along) * out) {
  if (!along || !out) return JN_ERR_NULL;
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_inverse_dynamics_derivatives_along, model, work, q, hold);
  if (status != JN_OK) return status;
  run.call.inverse_dynamics_derivatives_along =
      (jn_inverse_dynamics_derivatives_along_arguments){.q = q,
                                                        .v = v,
                                                        .a = a,
                                                        .wrench = wrench,
                                                        .dq_ds = along->dq_ds,
                                                        .dv_ds = along->dv_ds,
                                                        .da_ds = along->da_ds,
                                                        .d2tau_dsdq = out->d2tau_dsdq,
                                                        .d2tau_dsdv = out->d2tau_dsdv,
                                                        .d2tau_dsda = out->d2tau_dsda,
                                                        .dtau_ds = out->dtau_ds,
                                                        .hold = (int)hold};
  return jn__run(&run);
}

enum { BY_Q, BY_V };

/* Derivatives of dtau/dq, dtau/dv and M along all q or all v. */
static jn_status tensors(const jn_model *model, jn_work *work, const number *q, const number *v, const number *a,
                         const number *wrench, jn_representation hold, int by, number *dq, number *dv, number *da) {
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_inverse_dynamics_derivatives_tensors, model, work, q, hold);
  if (status != JN_OK) return status;
  run.call.inverse_dynamics_derivatives_tensors = (jn_inverse_dynamics_derivatives_tensors_arguments){.q = q,
                                                                                                      .v = v,
                                                                                                      .a = a,
                                                                                                      .wrench = wrench,
                                                                                                      .dtau_dq = dq,
                                                                                                      .dtau_dv = dv,
                                                                                                      .dtau_da = da,
                                                                                                      .hold = (int)hold,
                                                                                                      .by = by};
  return jn__run(&run);
}

jn_status PUBLIC(inverse_dynamics_second_derivatives)(const jn_model *model, jn_work *work, const number *q,
                                                      const number *v, const number *a, const number *wrench,
                                                      jn_representation hold, number *d2tau_dqdq, number *d2tau_dqdv,
                                                      number *d2tau_dvdv, number *d2tau_dqda) {
  if (wrench && hold != JN_IN_BODY) { /* the closed form is for wrenches that are fixed to their bodies */
    jn_status status = tensors(model, work, q, v, a, wrench, hold, BY_Q, d2tau_dqdq, d2tau_dqdv, d2tau_dqda);
    return status == JN_OK ? tensors(model, work, q, v, a, wrench, hold, BY_V, NULL, d2tau_dvdv, NULL) : status;
  }
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_inverse_dynamics_second_derivatives, model, work, q, hold);
  if (status != JN_OK) return status;
  run.call.inverse_dynamics_second_derivatives =
      (jn_inverse_dynamics_second_derivatives_arguments){.q = q,
                                                         .v = v,
                                                         .a = a,
                                                         .wrench = wrench,
                                                         .d2tau_dqdq = d2tau_dqdq,
                                                         .d2tau_dqdv = d2tau_dqdv,
                                                         .d2tau_dvdv = d2tau_dvdv,
                                                         .d2tau_dqda = d2tau_dqda};
  return jn__run(&run);
}

/* dM/dq [garofalo2013 eq. 24a] is the mixed second derivative of tau by q and a. */
jn_status PUBLIC(mass_matrix_derivative)(const jn_model *model, jn_work *work, const number *q, number *dM_dq) {
  if (!dM_dq) return JN_ERR_NULL;
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_inverse_dynamics_second_derivatives, model, work, q, JN_IN_BODY);
  if (status != JN_OK) return status;
  run.call.inverse_dynamics_second_derivatives =
      (jn_inverse_dynamics_second_derivatives_arguments){.q = q, .d2tau_dqda = dM_dq};
  return jn__run(&run);
}

jn_status PUBLIC(mass_matrix_inverse_derivative)(const jn_model *model, jn_work *work, const number *q, number *Minv,
                                                 number *dMinv_dq) {
  if (!Minv || !dMinv_dq) return JN_ERR_NULL;
  jn_status status = PUBLIC(mass_matrix_inverse)(model, work, q, Minv);
  if (status != JN_OK) return status;

  /* -M^-1 dM/dq M^-1. */
  jn_run run;
  status = begin(&run, JN_KERNEL_mass_matrix_inverse_derivative, model, work, q, JN_IN_BODY);
  if (status != JN_OK) return status;
  run.call.mass_matrix_inverse_derivative =
      (jn_mass_matrix_inverse_derivative_arguments){.q = q, .Minv = Minv, .dMinv_dq = dMinv_dq};
  return jn__run(&run);
}

jn_status PUBLIC(coriolis_matrix_derivatives)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                              number *dC_dq, number *dC_dv) {
  jn_run run;
  jn_status status = begin(&run, JN_KERNEL_coriolis_matrix_derivatives, model, work, q, JN_IN_BODY);
  if (status != JN_OK) return status;
  run.call.coriolis_matrix_derivatives =
      (jn_coriolis_matrix_derivatives_arguments){.q = q, .v = v, .dC_dq = dC_dq, .dC_dv = dC_dv};
  return jn__run(&run);
}

/* X <- X + X^T for all states and directions, because dM/dt = C + C^T. */
static void add_transposes(const jn_work *work, number *X, size_t n) {
  for (size_t h = 0; X && h < work->states.count * n; h++, X += n * n)
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k <= i; k++) {
        number sum = X[i * n + k] + X[k * n + i];
        X[i * n + k] = X[k * n + i] = sum;
      }
}

jn_status PUBLIC(mass_matrix_rate_derivatives)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                               number *dMdot_dq, number *dMdot_dv) {
  jn_status status = PUBLIC(coriolis_matrix_derivatives)(model, work, q, v, dMdot_dq, dMdot_dv);
  if (status != JN_OK) return status;
  add_transposes(work, dMdot_dq, (size_t)model->nv);
  add_transposes(work, dMdot_dv, (size_t)model->nv);
  return JN_OK;
}

/* Inputs of the second derivatives of forward dynamics; which: -1 along a direction, else all directions of one kind.
 */
static jn_status begin_forward(jn_run *run, const jn_model *model, jn_work *work, const number *q, const number *v,
                               const number *wrench, jn_representation hold, const PUBLIC(forward_solution) * at,
                               int which) {
  if (!at || !at->a || !at->da_dq || !at->da_dv || !at->da_dtau) return JN_ERR_NULL;
  jn_status status = begin(run, JN_KERNEL_forward_dynamics_second_derivatives, model, work, q, hold);
  if (status != JN_OK) return status;
  run->call.forward_dynamics_second_derivatives =
      (jn_forward_dynamics_second_derivatives_arguments){.q = q,
                                                         .v = v,
                                                         .a = at->a,
                                                         .wrench = wrench,
                                                         .da_dq = at->da_dq,
                                                         .da_dv = at->da_dv,
                                                         .da_dtau = at->da_dtau,
                                                         .hold = (int)hold,
                                                         .by = which};
  return JN_OK;
}

jn_status PUBLIC(forward_dynamics_derivatives_along)(const jn_model *model, jn_work *work, const number *q,
                                                     const number *v, const number *wrench, jn_representation hold,
                                                     const PUBLIC(forward_solution) * at,
                                                     const PUBLIC(direction) * along,
                                                     const PUBLIC(forward_derivatives_along) * out) {
  if (!along || !out || !out->d2a_dsdtau) return JN_ERR_NULL;
  jn_run run;
  jn_status status = begin_forward(&run, model, work, q, v, wrench, hold, at, -1);
  if (status != JN_OK) return status;
  jn_forward_dynamics_second_derivatives_arguments *x = &run.call.forward_dynamics_second_derivatives;
  x->dq_ds = along->dq_ds;
  x->dv_ds = along->dv_ds;
  x->dtau_ds = along->dtau_ds;
  x->change_dq = out->d2a_dsdq;
  x->change_dv = out->d2a_dsdv;
  x->change_dtau = out->d2a_dsdtau;
  return jn__run(&run);
}

jn_status PUBLIC(forward_dynamics_second_derivatives)(const jn_model *model, jn_work *work, const number *q,
                                                      const number *v, const number *wrench, jn_representation hold,
                                                      const PUBLIC(forward_solution) * at,
                                                      const PUBLIC(forward_second_derivatives) * out) {
  if (!out || !out->d2a_dqdq != !out->d2a_dqdv || !out->d2a_dqdq != !out->d2a_dqdtau) return JN_ERR_NULL;
  if (out->d2a_dvdv && !out->room) return JN_ERR_NULL;
  for (int by = BY_Q; by <= BY_V; by++) {
    jn_run run;
    jn_status status = begin_forward(&run, model, work, q, v, wrench, hold, at, by);
    if (status != JN_OK) return status;
    if (by == BY_Q ? !out->d2a_dqdq : !out->d2a_dvdv) continue;
    jn_forward_dynamics_second_derivatives_arguments *x = &run.call.forward_dynamics_second_derivatives;
    x->change_dq = by == BY_Q ? out->d2a_dqdq : NULL;
    x->change_dv = by == BY_Q ? out->d2a_dqdv : out->d2a_dvdv;
    x->change_dtau = by == BY_Q ? out->d2a_dqdtau : out->room;
    status = jn__run(&run);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

jn_status PUBLIC(inverse_dynamics_jet_derivatives)(const jn_model *model, jn_work *work, int order, const number *q,
                                                   const number *v_jet, const number *wrench_jet, number *D) {
  if (!model || !work || !q || !v_jet || !D) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER) return JN_ERR_SIZE;
  if (work->model != model || work->order < order) return JN_ERR_WORK;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_inverse_dynamics_jet_derivatives, NUMBER_KIND, model, work);
  run.call.inverse_dynamics_jet_derivatives = (jn_inverse_dynamics_jet_derivatives_arguments){
      .q = q, .v_jet = v_jet, .wrench_jet = wrench_jet, .D = D, .order = order};
  return jn__run(&run);
}
