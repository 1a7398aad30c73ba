/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/derivatives.h about kinematics. */
#include <string.h>

#include "../model/model.h"
#include "jounce/derivatives.h"
#include "public.h"

/* Sets up a run with the inputs q, v, a, or returns the error. */
static jn_status begin(jn_run *r, int kernel, const jn_model *m, jn_work *w, const number *q, const number *v,
                       const number *a) {
  if (!m || !w || !q) return JN_ERR_NULL;
  if (w->model != m) return JN_ERR_WORK;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  jn__run_init(r, kernel, NUMBER_KIND, m, w);
  jn__run_input(r, 0, q, nq);
  jn__run_input(r, 1, v, nv);
  jn__run_input(r, 2, a, nv);
  return JN_OK;
}

/* Outputs of the kernel derivatives_frame: tensors [nv x 6 x nv], then matrices [6 x nv]. */
enum { DJ_DQ, DJDOT_DQ, TWIST_DQ, ACCELERATION_DQ, ACCELERATION_DV, FRAME_OUTS };

static jn_status of_frame(const jn_model *m, jn_work *w, int frame, jn_representation in, const number *q,
                          const number *v, const number *a, number *const out[FRAME_OUTS]) {
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_frame_derivatives, m, w, q, v, a);
  if (status != JN_OK) return status;
  if (frame < 0 || frame >= jn_frame_count(m) || (unsigned)in > JN_IN_ALIGNED) return JN_ERR_INDEX;
  r.arg[0] = frame;
  r.arg[1] = (int)in;
  for (int k = 0; k < FRAME_OUTS; k++) {
    size_t nv = (size_t)m->nv, size = k <= DJDOT_DQ ? 6 * nv * nv : 6 * nv;
    jn__run_output(&r, k, out[k], size);
  }
  return jn__run(&r);
}

jn_status PUBLIC(frame_jacobian_derivatives)(const jn_model *m, jn_work *w, int frame, jn_representation in,
                                             const number *q, const number *v, number *dJ_dq, number *dJdot_dq,
                                             number *dJdot_dv) {
  number *const out[FRAME_OUTS] = {[DJ_DQ] = dJ_dq ? dJ_dq : dJdot_dv, [DJDOT_DQ] = dJdot_dq};
  jn_status status = of_frame(m, w, frame, in, q, v, NULL, out);
  size_t bytes = status == JN_OK ? w->states * 6 * (size_t)m->nv * (size_t)m->nv * sizeof *dJ_dq : 0;
  if (bytes && dJ_dq && dJdot_dv) memcpy(dJdot_dv, dJ_dq, bytes);
  return status;
}

jn_status PUBLIC(frame_twist_derivatives)(const jn_model *m, jn_work *w, int frame, jn_representation in,
                                          const number *q, const number *v, number *dV_dq) {
  number *const out[FRAME_OUTS] = {[TWIST_DQ] = dV_dq};
  return dV_dq ? of_frame(m, w, frame, in, q, v, NULL, out) : JN_ERR_NULL;
}

jn_status PUBLIC(frame_acceleration_derivatives)(const jn_model *m, jn_work *w, int frame, jn_representation in,
                                                 const number *q, const number *v, const number *a, number *dA_dq,
                                                 number *dA_dv) {
  number *const out[FRAME_OUTS] = {[ACCELERATION_DQ] = dA_dq, [ACCELERATION_DV] = dA_dv};
  return of_frame(m, w, frame, in, q, v, a, out);
}

/* Outputs of the kernel derivatives_momentum: [6 x nv], then [3 x nv]. */
enum { MOMENTUM_DQ, COM_DQ, DCOM_DQ, DDCOM_DQ, DDCOM_DV, MOMENTUM_OUTS };

static jn_status of_momentum(const jn_model *m, jn_work *w, int about, const number *q, const number *v,
                             const number *a, number *const out[MOMENTUM_OUTS]) {
  jn_run r;
  jn_status status = begin(&r, JN_KERNEL_momentum_derivatives, m, w, q, v, a);
  if (status != JN_OK) return status;
  r.arg[0] = about;
  for (int k = 0; k < MOMENTUM_OUTS; k++) {
    size_t size = (k == MOMENTUM_DQ ? 6 : 3) * (size_t)m->nv;
    jn__run_output(&r, k, out[k], size);
  }
  return jn__run(&r);
}

jn_status PUBLIC(momentum_derivative)(const jn_model *m, jn_work *w, jn_about about, const number *q, const number *v,
                                      number *dh_dq) {
  number *const out[MOMENTUM_OUTS] = {[MOMENTUM_DQ] = dh_dq};
  if (!dh_dq) return JN_ERR_NULL;
  if ((unsigned)about > JN_ABOUT_COM) return JN_ERR_INDEX;
  return of_momentum(m, w, (int)about, q, v, NULL, out);
}

jn_status PUBLIC(center_of_mass_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                             const number *a, number *dc_dq, number *dcdot_dq, number *dcddot_dq,
                                             number *dcddot_dv) {
  number *const out[MOMENTUM_OUTS] = {
      [COM_DQ] = dc_dq, [DCOM_DQ] = dcdot_dq, [DDCOM_DQ] = dcddot_dq, [DDCOM_DV] = dcddot_dv};
  return of_momentum(m, w, 0, q, v, a, out);
}
