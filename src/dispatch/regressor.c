/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/regressor.h that compute. */
#include "jounce/regressor.h"

#include "public.h"

#include "hybrid_run.h"

static size_t parameters(const jn_model *model) { return 10 * (size_t)model->nlink; }

/* Runs the kernel `regressor`. link: whose joint's wrench is wanted, or JN_NONE. */
static jn_status run_regressor(const jn_model *model, jn_work *work, jn_regressor_arguments x) {
  if (!model || !work || !x.q) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_regressor, NUMBER_KIND, model, work);
  run.call.regressor = x;
  return jn__run(&run);
}

jn_status PUBLIC(regressor)(const jn_model *model, jn_work *work, const number *q, const number *v, const number *a,
                            number *Y) {
  return PUBLIC(slotine_li_regressor)(model, work, q, v, v, a, Y);
}

jn_status PUBLIC(slotine_li_regressor)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                       const number *v_r, const number *a_r, number *Y) {
  if (!Y) return JN_ERR_NULL;
  return run_regressor(model, work,
                       (jn_regressor_arguments){.q = q, .v = v, .v_r = v_r, .a_r = a_r, .Y = Y, .link = JN_NONE});
}

jn_status PUBLIC(inertia_regressor)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                    const number *y, const number *x, number *Y) {
  if (!Y) return JN_ERR_NULL;
  return run_regressor(
      model, work,
      (jn_regressor_arguments){.q = q, .v = v, .v_r = y, .a_r = x, .Y = Y, .weightless = 1, .link = JN_NONE});
}

jn_status PUBLIC(gravity_regressor)(const jn_model *model, jn_work *work, const number *q, number *Y) {
  return PUBLIC(slotine_li_regressor)(model, work, q, NULL, NULL, NULL, Y);
}

jn_status PUBLIC(energy_regressor)(const jn_model *model, jn_work *work, const number *q, const number *v, number *Y) {
  if (!Y) return JN_ERR_NULL;
  return run_regressor(model, work, (jn_regressor_arguments){.q = q, .v = v, .energy = Y, .link = JN_NONE});
}

jn_status PUBLIC(momentum_regressor)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                     number *Y) {
  if (!Y) return JN_ERR_NULL;
  return run_regressor(model, work, (jn_regressor_arguments){.q = q, .v = v, .momentum = Y, .link = JN_NONE});
}

jn_status PUBLIC(joint_wrench_regressor)(const jn_model *model, jn_work *work, int link, const number *q,
                                         const number *v, const number *a, number *Y) {
  if (!model || !work || !q || !Y) return JN_ERR_NULL;
  if (link < 0 || link >= model->nlink) return JN_ERR_INDEX;
  return run_regressor(model, work,
                       (jn_regressor_arguments){.q = q, .v = v, .v_r = v, .a_r = a, .wrench = Y, .link = link});
}

jn_status PUBLIC(joint_regressor)(const jn_model *model, const number *v, const number *a, number *Y) {
  if (!model || !Y) return JN_ERR_NULL;
  size_t nv = (size_t)model->nv;
  for (size_t k = 0; k < 4 * nv * nv; k++) Y[k] = 0;
  for (size_t k = 0; k < nv; k++) {
    number *row = Y + k * 4 * nv, rate = v ? v[k] : 0;
    row[k] = a ? a[k] : 0;
    row[nv + k] = rate;
    row[2 * nv + k] = sign_of(rate);
    row[3 * nv + k] = 1;
  }
  return JN_OK;
}

jn_status PUBLIC(regressor_jet)(const jn_model *model, jn_work *work, int order, const number *q, const number *v_jet,
                                number *Y_jet) {
  if (!model || !work || !q || !v_jet || !Y_jet) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER) return JN_ERR_SIZE;
  if (work->model != model || work->order < order) return JN_ERR_WORK;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_regressor_jet, NUMBER_KIND, model, work);
  run.call.regressor_jet = (jn_regressor_jet_arguments){.q = q, .v_jet = v_jet, .Y_jet = Y_jet, .order = order};
  return jn__run(&run);
}

jn_status PUBLIC(parameter_derivatives)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                        number *dM_dpi, number *dC_dpi, number *dg_dpi) {
  return run_regressor(
      model, work,
      (jn_regressor_arguments){.q = q, .v = v, .Y = dg_dpi, .dM_dpi = dM_dpi, .dC_dpi = dC_dpi, .link = JN_NONE});
}

/* With T = Y at the accelerations a: M_ff da_f = -T_f, dtau_p = T_p + M_pf da_f. T is in dtau, or in da if that is
 * NULL.
 */
static jn_status solve(const jn_model *model, jn_work *work, const unsigned char *prescribed, const number *q,
                       number *da, number *dtau) {
  size_t nv = (size_t)model->nv, wide = parameters(model);
  jn_run run;
  if (nv * wide > INT_MAX) return JN_ERR_SIZE;
  jn__run_init(&run, JN_KERNEL_solve_columns, NUMBER_KIND, model, work);
  run.call.solve_columns = (jn_solve_columns_arguments){
      .q = q, .T = dtau ? dtau : da, .da = da, .dtau = dtau, .prescribed = prescribed, .columns = (int)wide};
  return solve_and_judge(&run, model->nv, 0);
}

jn_status PUBLIC(forward_dynamics_parameter_derivatives)(const jn_model *model, jn_work *work, const number *q,
                                                         const number *v, const number *tau, const number *wrench,
                                                         number *a, number *da_dpi) {
  if (!da_dpi) return JN_ERR_NULL;
  jn_status status = PUBLIC(forward_dynamics)(model, work, q, v, tau, wrench, a);
  if (status == JN_OK) status = PUBLIC(regressor)(model, work, q, v, a, da_dpi);
  return status == JN_OK ? solve(model, work, NULL, q, da_dpi, NULL) : status;
}

jn_status PUBLIC(hybrid_dynamics_parameter_derivatives)(const jn_model *model, jn_work *work,
                                                        const unsigned char *prescribed, const number *q,
                                                        const number *v, const number *a, const number *tau,
                                                        const number *wrench, number *a_out, number *tau_out,
                                                        number *da_dpi, number *dtau_dpi) {
  if (!da_dpi || !dtau_dpi) return JN_ERR_NULL;
  jn_status status = PUBLIC(hybrid_dynamics)(model, work, prescribed, q, v, a, tau, wrench, a_out, tau_out);
  if (status == JN_OK) status = PUBLIC(regressor)(model, work, q, v, a_out, dtau_dpi);
  return status == JN_OK ? solve(model, work, prescribed, q, da_dpi, dtau_dpi) : status;
}
