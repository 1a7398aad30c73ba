/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/regressor.h that compute. */
#include "jounce/regressor.h"

#include "public.h"

#include "hybrid_run.h"

enum { OUT_Y, OUT_KINETIC, OUT_POTENTIAL, OUT_MOMENTUM, OUT_WRENCH, OUT_M, OUT_C };

static size_t parameters(const jn_model *m) { return 10 * (size_t)m->nlink; }

/* Sets up the kernel `regressor` with its inputs; the caller adds the outputs. */
static jn_status begin(jn_run *r, const jn_model *m, jn_work *w, const number *q, const number *v, const number *v_r,
                       const number *a_r) {
  if (!m || !w || !q) return JN_ERR_NULL;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  jn__run_init(r, JN_KERNEL_regressor, NUMBER_KIND, m, w);
  r->arg[1] = JN_NONE;
  jn__run_input(r, 0, q, nq);
  jn__run_input(r, 1, v, nv);
  jn__run_input(r, 2, v_r, nv);
  jn__run_input(r, 3, a_r, nv);
  return JN_OK;
}

static jn_status finish(jn_run *r, int out, size_t rows, number *data) {
  size_t all = rows * parameters(r->model);
  if (!data) return JN_ERR_NULL;
  jn__run_output(r, out, data, all);
  return jn__run(r);
}

jn_status PUBLIC(regressor)(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                            number *Y) {
  return PUBLIC(slotine_li_regressor)(m, w, q, v, v, a, Y);
}

jn_status PUBLIC(slotine_li_regressor)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                       const number *v_r, const number *a_r, number *Y) {
  jn_run r;
  jn_status status = begin(&r, m, w, q, v, v_r, a_r);
  return status == JN_OK ? finish(&r, OUT_Y, (size_t)m->nv, Y) : status;
}

jn_status PUBLIC(inertia_regressor)(const jn_model *m, jn_work *w, const number *q, const number *v, const number *y,
                                    const number *x, number *Y) {
  jn_run r;
  jn_status status = begin(&r, m, w, q, v, y, x);
  if (status != JN_OK) return status;
  r.arg[0] = 1;
  return finish(&r, OUT_Y, (size_t)m->nv, Y);
}

jn_status PUBLIC(gravity_regressor)(const jn_model *m, jn_work *w, const number *q, number *Y) {
  return PUBLIC(slotine_li_regressor)(m, w, q, NULL, NULL, NULL, Y);
}

jn_status PUBLIC(energy_regressor)(const jn_model *m, jn_work *w, const number *q, const number *v, number *Y) {
  jn_run r;
  jn_status status = begin(&r, m, w, q, v, NULL, NULL);
  if (status != JN_OK) return status;
  if (!Y) return JN_ERR_NULL;
  jn__run_output(&r, OUT_KINETIC, Y, parameters(m));
  jn__run_output(&r, OUT_POTENTIAL, Y + parameters(m), parameters(m));
  r.out[OUT_KINETIC].stride = r.out[OUT_POTENTIAL].stride = 2 * parameters(m); /* each state has both rows */
  return jn__run(&r);
}

jn_status PUBLIC(momentum_regressor)(const jn_model *m, jn_work *w, const number *q, const number *v, number *Y) {
  jn_run r;
  jn_status status = begin(&r, m, w, q, v, NULL, NULL);
  return status == JN_OK ? finish(&r, OUT_MOMENTUM, 6, Y) : status;
}

jn_status PUBLIC(joint_wrench_regressor)(const jn_model *m, jn_work *w, int link, const number *q, const number *v,
                                         const number *a, number *Y) {
  jn_run r;
  jn_status status = begin(&r, m, w, q, v, v, a);
  if (status != JN_OK) return status;
  if (link < 0 || link >= m->nlink) return JN_ERR_INDEX;
  r.arg[1] = link;
  return finish(&r, OUT_WRENCH, 6, Y);
}

jn_status PUBLIC(joint_regressor)(const jn_model *m, const number *v, const number *a, number *Y) {
  if (!m || !Y) return JN_ERR_NULL;
  size_t nv = (size_t)m->nv;
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

jn_status PUBLIC(regressor_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                number *Y_jet) {
  if (!m || !w || !q || !v_jet || !Y_jet) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER) return JN_ERR_SIZE;
  if (w->model != m || w->order < order) return JN_ERR_WORK;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, rows = (size_t)order + 1, all = rows * nv * parameters(m);
  jn_run r;
  jn__run_init(&r, JN_KERNEL_regressor_jet, NUMBER_KIND, m, w);
  r.arg[0] = order;
  jn__run_input(&r, 0, q, nq);
  jn__run_input(&r, 1, v_jet, (rows + 1) * nv);
  jn__run_output(&r, 0, Y_jet, all);
  return jn__run(&r);
}

jn_status PUBLIC(parameter_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v, number *dM_dpi,
                                        number *dC_dpi, number *dg_dpi) {
  jn_run r;
  jn_status status = begin(&r, m, w, q, v, NULL, NULL);
  if (status != JN_OK) return status;
  size_t nv = (size_t)m->nv, tensor = parameters(m) * nv * nv;
  jn__run_output(&r, OUT_Y, dg_dpi, parameters(m) * nv);
  jn__run_output(&r, OUT_M, dM_dpi, tensor);
  jn__run_output(&r, OUT_C, dC_dpi, tensor);
  return jn__run(&r);
}

/* With T = Y at the accelerations a: M_ff da_f = -T_f, dtau_p = T_p + M_pf da_f. T is in dtau, or in da if that is
 * NULL.
 */
static jn_status solve(const jn_model *m, jn_work *w, const unsigned char *prescribed, const number *q, number *da,
                       number *dtau) {
  size_t nv = (size_t)m->nv, wide = parameters(m);
  jn_run r;
  if (nv * wide > INT_MAX) return JN_ERR_SIZE;
  jn__run_init(&r, JN_KERNEL_solve_columns, NUMBER_KIND, m, w);
  r.data = prescribed;
  r.arg[0] = (int)wide;
  jn__run_input(&r, 0, q, (size_t)m->nq);
  jn__run_input(&r, 1, dtau ? dtau : da, nv * wide);
  jn__run_output(&r, 0, da, nv * wide);
  jn__run_output(&r, 1, dtau, nv * wide);
  return solve_and_judge(&r, m->nv, 0);
}

jn_status PUBLIC(forward_dynamics_parameter_derivatives)(const jn_model *m, jn_work *w, const number *q,
                                                         const number *v, const number *tau, const number *wrench,
                                                         number *a, number *da_dpi) {
  if (!da_dpi) return JN_ERR_NULL;
  jn_status status = PUBLIC(forward_dynamics)(m, w, q, v, tau, wrench, a);
  if (status == JN_OK) status = PUBLIC(regressor)(m, w, q, v, a, da_dpi);
  return status == JN_OK ? solve(m, w, NULL, q, da_dpi, NULL) : status;
}

jn_status PUBLIC(hybrid_dynamics_parameter_derivatives)(const jn_model *m, jn_work *w, const unsigned char *prescribed,
                                                        const number *q, const number *v, const number *a,
                                                        const number *tau, const number *wrench, number *a_out,
                                                        number *tau_out, number *da_dpi, number *dtau_dpi) {
  if (!da_dpi || !dtau_dpi) return JN_ERR_NULL;
  jn_status status = PUBLIC(hybrid_dynamics)(m, w, prescribed, q, v, a, tau, wrench, a_out, tau_out);
  if (status == JN_OK) status = PUBLIC(regressor)(m, w, q, v, a_out, dtau_dpi);
  return status == JN_OK ? solve(m, w, prescribed, q, da_dpi, dtau_dpi) : status;
}
