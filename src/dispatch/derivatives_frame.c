/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/derivatives.h about kinematics. */
#include <string.h>

#include "../model/model.h"
#include "jounce/derivatives.h"
#include "public.h"

static jn_status ready(const jn_model *model, const jn_work *work, const void *q) {
  if (!model || !work || !q) return JN_ERR_NULL;
  return work->model == model ? JN_OK : JN_ERR_WORK;
}

/* Checks the arguments of functions of one frame, and runs the kernel with them. */
static jn_status of_frame(const jn_model *model, jn_work *work, jn_representation in,
                          jn_frame_derivatives_arguments x) {
  jn_status status = ready(model, work, x.q);
  if (status != JN_OK) return status;
  if (x.frame < 0 || x.frame >= jn_frame_count(model) || (unsigned)in > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_frame_derivatives, NUMBER_KIND, model, work);
  run.call.frame_derivatives = x;
  run.call.frame_derivatives.representation = (int)in;
  return jn__run(&run);
}

jn_status PUBLIC(frame_jacobian_derivatives)(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                             const number *q, const number *v, number *dJ_dq, number *dJdot_dq,
                                             number *dJdot_dv) {
  jn_frame_derivatives_arguments x = {
      .q = q, .v = v, .dJ_dq = dJ_dq ? dJ_dq : dJdot_dv, .dJdot_dq = dJdot_dq, .frame = frame};
  jn_status status = of_frame(model, work, in, x);
  size_t bytes = status == JN_OK ? work->states.count * 6 * (size_t)model->nv * (size_t)model->nv * sizeof *dJ_dq : 0;
  if (bytes && dJ_dq && dJdot_dv) memcpy(dJdot_dv, dJ_dq, bytes);
  return status;
}

jn_status PUBLIC(frame_twist_derivatives)(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                          const number *q, const number *v, number *dV_dq) {
  if (!dV_dq) return JN_ERR_NULL;
  return of_frame(model, work, in, (jn_frame_derivatives_arguments){.q = q, .v = v, .dV_dq = dV_dq, .frame = frame});
}

jn_status PUBLIC(frame_acceleration_derivatives)(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                                 const number *q, const number *v, const number *a, number *dA_dq,
                                                 number *dA_dv) {
  jn_frame_derivatives_arguments x = {.q = q, .v = v, .a = a, .dA_dq = dA_dq, .dA_dv = dA_dv, .frame = frame};
  return of_frame(model, work, in, x);
}

static jn_status of_momentum(const jn_model *model, jn_work *work, jn_momentum_derivatives_arguments x) {
  jn_status status = ready(model, work, x.q);
  if (status != JN_OK) return status;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_momentum_derivatives, NUMBER_KIND, model, work);
  run.call.momentum_derivatives = x;
  return jn__run(&run);
}

jn_status PUBLIC(momentum_derivative)(const jn_model *model, jn_work *work, jn_about about, const number *q,
                                      const number *v, number *dh_dq) {
  if (!dh_dq) return JN_ERR_NULL;
  if ((unsigned)about > JN_ABOUT_COM) return JN_ERR_INDEX;
  return of_momentum(model, work,
                     (jn_momentum_derivatives_arguments){.q = q, .v = v, .dh_dq = dh_dq, .about = (int)about});
}

jn_status PUBLIC(center_of_mass_derivatives)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                             const number *a, number *dc_dq, number *dcdot_dq, number *dcddot_dq,
                                             number *dcddot_dv) {
  jn_momentum_derivatives_arguments x = {
      .q = q, .v = v, .a = a, .dc_dq = dc_dq, .dcdot_dq = dcdot_dq, .dcddot_dq = dcddot_dq, .dcddot_dv = dcddot_dv};
  return of_momentum(model, work, x);
}
