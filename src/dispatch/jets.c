/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/jets.h. */
#include "jounce/jets.h"

#include <limits.h>

#include "judge.h"
#include "public.h"

/* Whether the work belongs to the model and has memory for this order. */
static jn_status ready(const jn_model *model, const jn_work *work, int order) {
  if (!model || !work) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER) return JN_ERR_SIZE;
  return work->model == model && work->order >= order ? JN_OK : JN_ERR_WORK;
}

jn_status PUBLIC(inverse_dynamics_jet)(const jn_model *model, jn_work *work, int order, const number *q,
                                       const number *v_jet, const number *wrench_jet, number *tau_jet) {
  jn_status status = ready(model, work, order);
  if (status != JN_OK) return status;
  if (!q || !v_jet || !tau_jet) return JN_ERR_NULL;

  /* Order 0 of one state is inverse dynamics itself. */
  if (order == 0 && !work->states.batch)
    return PUBLIC(inverse_dynamics)(model, work, q, v_jet, v_jet + model->nv, wrench_jet, tau_jet);

  jn_run run;
  jn__run_init(&run, order == 0 ? JN_KERNEL_inverse_dynamics : JN_KERNEL_inverse_dynamics_jet, NUMBER_KIND, model,
               work);
  if (order == 0) { /* v and a are rows of one array */
    run.call.inverse_dynamics = (jn_inverse_dynamics_arguments){
        .q = q, .v = v_jet, .a = v_jet + model->nv, .wrench = wrench_jet, .tau = tau_jet};
    run.spread = 1u << JN_ARRAY(inverse_dynamics, v) | 1u << JN_ARRAY(inverse_dynamics, a);
    run.apart = 2 * (size_t)model->nv;
  } else {
    run.call.inverse_dynamics_jet = (jn_inverse_dynamics_jet_arguments){
        .q = q, .v_jet = v_jet, .wrench_jet = wrench_jet, .tau_jet = tau_jet, .order = order};
  }
  return jn__run(&run);
}

/* Forward and hybrid dynamics of any order; x has all arguments. */
static jn_status hybrid_jet(const jn_model *model, jn_work *work, jn_hybrid_dynamics_jet_arguments x) {
  jn_status status = ready(model, work, x.order);
  if (status != JN_OK) return status;
  if (!x.q || !x.v_jet || !x.tau_jet || !x.v_out) return JN_ERR_NULL;
  if ((size_t)model->nv * (size_t)model->nv > INT_MAX) return JN_ERR_SIZE;
  x.given = x.prescribed ? x.order + 2 : 1; /* rows of v_jet that are read: all, or the velocity alone */
  jn_run run;
  jn__run_init(&run, JN_KERNEL_hybrid_dynamics_jet, NUMBER_KIND, model, work);
  run.call.hybrid_dynamics_jet = x;
  return solve_and_judge(&run, model->nv, 0);
}

jn_status PUBLIC(forward_dynamics_jet)(const jn_model *model, jn_work *work, int order, const number *q,
                                       const number *v, const number *tau_jet, const number *wrench_jet,
                                       number *v_jet) {
  jn_hybrid_dynamics_jet_arguments x = {
      .q = q, .v_jet = v, .tau_jet = tau_jet, .wrench_jet = wrench_jet, .v_out = v_jet, .order = order};
  return hybrid_jet(model, work, x);
}

jn_status PUBLIC(hybrid_dynamics_jet)(const jn_model *model, jn_work *work, int order, const unsigned char *prescribed,
                                      const number *q, const number *v_jet, const number *tau_jet,
                                      const number *wrench_jet, number *v_out, number *tau_out) {
  if (!prescribed) return JN_ERR_NULL;
  jn_hybrid_dynamics_jet_arguments x = {.q = q,
                                        .v_jet = v_jet,
                                        .tau_jet = tau_jet,
                                        .wrench_jet = wrench_jet,
                                        .v_out = v_out,
                                        .tau_out = tau_out,
                                        .prescribed = prescribed,
                                        .order = order};
  return hybrid_jet(model, work, x);
}

#if !JN_FLOAT && !JN_TWIN_Z && !JN_TWIN_L
jn_status jn__hybrid_jet_orders(const jn_model *model, jn_work *work, int order, int from, int end,
                                const unsigned char *prescribed, const double *q, const double *v_jet,
                                const double *tau_jet, const double *wrench_jet, double *v_out, double *tau_out) {
  jn_run run;
  jn__run_init(&run, JN_KERNEL_hybrid_dynamics_jet, JN_KIND_D, model, work);
  run.call.hybrid_dynamics_jet = (jn_hybrid_dynamics_jet_arguments){.q = q,
                                                                    .v_jet = v_jet,
                                                                    .tau_jet = tau_jet,
                                                                    .wrench_jet = wrench_jet,
                                                                    .v_out = v_out,
                                                                    .tau_out = tau_out,
                                                                    .prescribed = prescribed,
                                                                    .order = order,
                                                                    .given = prescribed ? order + 2 : 1,
                                                                    .from = from,
                                                                    .end = end};
  return from == 0 ? solve_and_judge(&run, model->nv, 0) : jn__run(&run);
}
#endif

/* Checks what all functions along a motion are given, and prepares the run of a kernel. */
static jn_status motion_run(int kernel, const jn_model *model, jn_work *work, int order, const number *q,
                            const number *v_jet, jn_run *run) {
  jn_status status = ready(model, work, order);
  if (status != JN_OK) return status;
  if (!q || !v_jet) return JN_ERR_NULL;
  jn__run_init(run, kernel, NUMBER_KIND, model, work);
  return JN_OK;
}

/* One output of the closed form. */
static jn_status matrix_jet(const jn_model *model, jn_work *work, jn_matrix_jet_arguments x, const number *data) {
  jn_run run;
  jn_status status = motion_run(JN_KERNEL_matrix_jet, model, work, x.order, x.q, x.v_jet, &run);
  if (status != JN_OK) return status;
  if (!data) return JN_ERR_NULL;
  run.call.matrix_jet = x;
  return jn__run(&run);
}

jn_status PUBLIC(mass_matrix_jet)(const jn_model *model, jn_work *work, int order, const number *q, const number *v_jet,
                                  number *M_jet) {
  return matrix_jet(model, work, (jn_matrix_jet_arguments){.q = q, .v_jet = v_jet, .M_jet = M_jet, .order = order},
                    M_jet);
}

jn_status PUBLIC(coriolis_matrix_jet)(const jn_model *model, jn_work *work, int order, const number *q,
                                      const number *v_jet, number *C_jet) {
  return matrix_jet(model, work, (jn_matrix_jet_arguments){.q = q, .v_jet = v_jet, .C_jet = C_jet, .order = order},
                    C_jet);
}

jn_status PUBLIC(gravity_forces_jet)(const jn_model *model, jn_work *work, int order, const number *q,
                                     const number *v_jet, number *g_jet) {
  return matrix_jet(model, work, (jn_matrix_jet_arguments){.q = q, .v_jet = v_jet, .g_jet = g_jet, .order = order},
                    g_jet);
}

static jn_status frame_jet(const jn_model *model, jn_work *work, jn_frame_jet_arguments x) {
  if (!model) return JN_ERR_NULL;
  if (x.frame < 0 || x.frame >= jn_frame_count(model)) return JN_ERR_INDEX;
  jn_run run;
  jn_status status = motion_run(JN_KERNEL_frame_jet, model, work, x.order, x.q, x.v_jet, &run);
  if (status != JN_OK) return status;
  if (!x.twist_jet && !x.J_jet) return JN_ERR_NULL;
  run.call.frame_jet = x;
  return jn__run(&run);
}

jn_status PUBLIC(frame_twist_jet)(const jn_model *model, jn_work *work, int order, int frame, const number *q,
                                  const number *v_jet, number *twist_jet) {
  return frame_jet(
      model, work,
      (jn_frame_jet_arguments){.q = q, .v_jet = v_jet, .twist_jet = twist_jet, .order = order, .frame = frame});
}

jn_status PUBLIC(frame_jacobian_jet)(const jn_model *model, jn_work *work, int order, int frame, const number *q,
                                     const number *v_jet, number *J_jet) {
  return frame_jet(model, work,
                   (jn_frame_jet_arguments){.q = q, .v_jet = v_jet, .J_jet = J_jet, .order = order, .frame = frame});
}

static jn_status momentum_jet(const jn_model *model, jn_work *work, jn_momentum_jet_arguments x) {
  jn_run run;
  jn_status status = motion_run(JN_KERNEL_momentum_jet, model, work, x.order, x.q, x.v_jet, &run);
  if (status != JN_OK) return status;
  if (!x.h_jet && !x.com_jet && !x.energy_jet) return JN_ERR_NULL;
  run.call.momentum_jet = x;
  return jn__run(&run);
}

jn_status PUBLIC(momentum_jet)(const jn_model *model, jn_work *work, int order, const number *q, const number *v_jet,
                               number *h_jet) {
  return momentum_jet(model, work, (jn_momentum_jet_arguments){.q = q, .v_jet = v_jet, .h_jet = h_jet, .order = order});
}

jn_status PUBLIC(center_of_mass_jet)(const jn_model *model, jn_work *work, int order, const number *q,
                                     const number *v_jet, number *com_jet) {
  return momentum_jet(model, work,
                      (jn_momentum_jet_arguments){.q = q, .v_jet = v_jet, .com_jet = com_jet, .order = order});
}

jn_status PUBLIC(energy_jet)(const jn_model *model, jn_work *work, int order, const number *q, const number *v_jet,
                             number *energy_jet) {
  return momentum_jet(model, work,
                      (jn_momentum_jet_arguments){.q = q, .v_jet = v_jet, .energy_jet = energy_jet, .order = order});
}

jn_status PUBLIC(rate_matrices)(const jn_model *model, jn_work *work, int order, const number *q, const number *v_jet,
                                number *P) {
  return matrix_jet(model, work, (jn_matrix_jet_arguments){.q = q, .v_jet = v_jet, .P = P, .order = order}, P);
}

jn_status PUBLIC(wrench_forces_jet)(const jn_model *model, jn_work *work, int order, const number *q,
                                    const number *v_jet, const number *wrench_jet, number *tau_jet) {
  jn_matrix_jet_arguments x = {.q = q, .v_jet = v_jet, .wrench_jet = wrench_jet, .tau_jet = tau_jet, .order = order};
  return matrix_jet(model, work, x, wrench_jet ? tau_jet : NULL);
}

jn_status PUBLIC(joint_wrenches_jet)(const jn_model *model, jn_work *work, int order, const number *q,
                                     const number *v_jet, const number *wrench_jet, number *F_jet) {
  jn_run run;
  jn_status status = motion_run(JN_KERNEL_joint_wrenches_jet, model, work, order, q, v_jet, &run);
  if (status != JN_OK) return status;
  if (!F_jet) return JN_ERR_NULL;
  run.call.joint_wrenches_jet = (jn_joint_wrenches_jet_arguments){
      .q = q, .v_jet = v_jet, .wrench_jet = wrench_jet, .F_jet = F_jet, .order = order};
  return jn__run(&run);
}

jn_status PUBLIC(joint_jacobian_jet)(const jn_model *model, jn_work *work, int order, int link, const number *q,
                                     const number *v_jet, number *S_jet) {
  if (!model) return JN_ERR_NULL;
  if (link < 0 || link >= model->nlink) return JN_ERR_INDEX;
  jn_run run;
  jn_status status = motion_run(JN_KERNEL_system_jet, model, work, order, q, v_jet, &run);
  if (status != JN_OK) return status;
  if (!S_jet) return JN_ERR_NULL;
  run.call.system_jet =
      (jn_system_jet_arguments){.q = q, .v_jet = v_jet, .S_jet = S_jet, .order = order, .joint = link};
  return jn__run(&run);
}

jn_status PUBLIC(system_jet)(const jn_model *model, jn_work *work, int order, const number *q, const number *v_jet,
                             number *A_jet, number *joint_twist_jet, number *link_twist_jet, number *J_jet) {
  jn_run run;
  jn_status status = motion_run(JN_KERNEL_system_jet, model, work, order, q, v_jet, &run);
  if (status != JN_OK) return status;
  run.call.system_jet = (jn_system_jet_arguments){.q = q,
                                                  .v_jet = v_jet,
                                                  .A_jet = A_jet,
                                                  .joint_twist_jet = joint_twist_jet,
                                                  .link_twist_jet = link_twist_jet,
                                                  .J_jet = J_jet,
                                                  .order = order,
                                                  .joint = -1};
  return jn__run(&run);
}
