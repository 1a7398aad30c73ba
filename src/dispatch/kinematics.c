/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/kinematics.h. */
#include "../model/model.h"
#include "public.h"
#include "terms_run.h"

/* Checks the arguments of functions of one frame, and runs the kernel `frame` with them. */
static jn_status one_frame(const jn_model *model, jn_work *work, jn_frame_arguments x) {
  if (!model || !work || !x.q || !(x.T || x.V || x.A || x.J || x.Jdot)) return JN_ERR_NULL;
  if (x.frame < 0 || x.frame >= jn_frame_count(model)) return JN_ERR_INDEX;
  if (x.representation < JN_IN_BODY || x.representation > JN_IN_ALIGNED) return JN_ERR_INDEX;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_frame, NUMBER_KIND, model, work);
  run.call.frame = x;
  return jn__run(&run);
}

jn_status PUBLIC(frame_pose)(const jn_model *model, jn_work *work, int frame, const number *q, number *T) {
  return one_frame(model, work, (jn_frame_arguments){.frame = frame, .q = q, .T = T});
}

jn_status PUBLIC(frame_twist)(const jn_model *model, jn_work *work, int frame, jn_representation in, const number *q,
                              const number *v, number *V) {
  return one_frame(model, work,
                   (jn_frame_arguments){.frame = frame, .representation = (int)in, .q = q, .v = v, .V = V});
}

jn_status PUBLIC(frame_acceleration)(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                     const number *q, const number *v, const number *a, number *A) {
  return one_frame(model, work,
                   (jn_frame_arguments){.frame = frame, .representation = (int)in, .q = q, .v = v, .a = a, .A = A});
}

jn_status PUBLIC(frame_jacobian)(const jn_model *model, jn_work *work, int frame, jn_representation in, const number *q,
                                 number *J) {
  return one_frame(model, work, (jn_frame_arguments){.frame = frame, .representation = (int)in, .q = q, .J = J});
}

jn_status PUBLIC(frame_jacobian_rate)(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                      const number *q, const number *v, number *Jdot) {
  return one_frame(model, work,
                   (jn_frame_arguments){.frame = frame, .representation = (int)in, .q = q, .v = v, .Jdot = Jdot});
}

/* Functions whose result is one output of the kernel `terms`. */
static jn_status one_term(const jn_model *model, jn_work *work, const number *q, const number *v, int out, number *data,
                          int in, int about) {
  if (!data) return JN_ERR_NULL;
  if (in < JN_IN_BODY || in > JN_IN_ALIGNED || about < JN_ABOUT_ORIGIN || about > JN_ABOUT_COM) return JN_ERR_INDEX;
  return run_term(model, work, q, v, out, data, in, about, JN_WORLD);
}

jn_status PUBLIC(frame_poses)(const jn_model *model, jn_work *work, const number *q, number *T) {
  return one_term(model, work, q, NULL, JN_OUT_terms_poses, T, 0, 0);
}

jn_status PUBLIC(frame_jacobians)(const jn_model *model, jn_work *work, jn_representation in, const number *q,
                                  number *J) {
  return one_term(model, work, q, NULL, JN_OUT_terms_jacobians, J, (int)in, 0);
}

jn_status PUBLIC(frame_jacobian_rates)(const jn_model *model, jn_work *work, jn_representation in, const number *q,
                                       const number *v, number *Jdot) {
  return one_term(model, work, q, v, JN_OUT_terms_jacobian_rates, Jdot, (int)in, 0);
}

jn_status PUBLIC(space_jacobian)(const jn_model *model, jn_work *work, const number *q, number *J) {
  return one_term(model, work, q, NULL, JN_OUT_terms_space_jacobian, J, 0, 0);
}

jn_status PUBLIC(space_jacobian_rate)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                      number *Jdot) {
  return one_term(model, work, q, v, JN_OUT_terms_space_jacobian_rate, Jdot, 0, 0);
}

jn_status PUBLIC(center_of_mass)(const jn_model *model, jn_work *work, int link, const number *q, const number *v,
                                 const number *a, number *c, number *cdot, number *cddot) {
  if (!c && !cdot && !cddot) return JN_ERR_NULL;
  jn_run run;
  begin_terms(&run, q, v, a, NULL, 0, 0, link);
  run.call.terms.com = c;
  run.call.terms.com_velocity = cdot;
  run.call.terms.com_acceleration = cddot;
  return run_terms(&run, model, work);
}

jn_status PUBLIC(com_jacobian)(const jn_model *model, jn_work *work, int link, const number *q, number *J) {
  return run_term(model, work, q, NULL, JN_OUT_terms_com_jacobian, J, 0, 0, link);
}

jn_status PUBLIC(composite_inertia)(const jn_model *model, jn_work *work, jn_about about, const number *q,
                                    number *inertia) {
  if (!model || !work || !q || !inertia) return JN_ERR_NULL;
  if ((unsigned)about > JN_ABOUT_COM) return JN_ERR_INDEX;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_composite_inertia, NUMBER_KIND, model, work);
  run.call.composite_inertia = (jn_composite_inertia_arguments){.q = q, .inertia = inertia, .about = (int)about};
  return jn__run(&run);
}

jn_status PUBLIC(momentum)(const jn_model *model, jn_work *work, jn_about about, const number *q, const number *v,
                           number *h) {
  return one_term(model, work, q, v, JN_OUT_terms_momentum, h, 0, (int)about);
}

jn_status PUBLIC(momentum_matrix)(const jn_model *model, jn_work *work, jn_about about, const number *q, number *A) {
  return one_term(model, work, q, NULL, JN_OUT_terms_momentum_matrix, A, 0, (int)about);
}

jn_status PUBLIC(momentum_matrix_rate)(const jn_model *model, jn_work *work, jn_about about, const number *q,
                                       const number *v, number *Adot) {
  return one_term(model, work, q, v, JN_OUT_terms_momentum_matrix_rate, Adot, 0, (int)about);
}
