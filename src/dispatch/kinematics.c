/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/kinematics.h. */
#include "../kernel/terms/terms.h"
#include "../model/model.h"
#include "public.h"
#include "terms_run.h"

typedef struct frame_outputs {
  number *T, *V, *A, *J, *Jdot;
} frame_outputs;

static jn_status one_frame(const jn_model *m, jn_work *w, int frame, int in, const number *q, const number *v,
                           const number *a, frame_outputs o) {
  if (!m || !w || !q || !(o.T || o.V || o.A || o.J || o.Jdot)) return JN_ERR_NULL;
  if (frame < 0 || frame >= jn_frame_count(m) || in < JN_IN_BODY || in > JN_IN_ALIGNED) return JN_ERR_INDEX;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_frame, NUMBER_KIND, m, w);
  r.arg[0] = frame;
  r.arg[1] = in;
  jn__run_input(&r, 0, q, nq);
  jn__run_input(&r, 1, v, nv);
  jn__run_input(&r, 2, a, nv);
  jn__run_output(&r, 0, o.T, 16);
  jn__run_output(&r, 1, o.V, 6);
  jn__run_output(&r, 2, o.A, 6);
  jn__run_output(&r, 3, o.J, 6 * nv);
  jn__run_output(&r, 4, o.Jdot, 6 * nv);
  return jn__run(&r);
}

jn_status PUBLIC(frame_pose)(const jn_model *m, jn_work *w, int frame, const number *q, number *T) {
  return one_frame(m, w, frame, JN_IN_BODY, q, NULL, NULL, (frame_outputs){.T = T});
}

jn_status PUBLIC(frame_twist)(const jn_model *m, jn_work *w, int frame, jn_representation in, const number *q,
                              const number *v, number *V) {
  return one_frame(m, w, frame, (int)in, q, v, NULL, (frame_outputs){.V = V});
}

jn_status PUBLIC(frame_acceleration)(const jn_model *m, jn_work *w, int frame, jn_representation in, const number *q,
                                     const number *v, const number *a, number *A) {
  return one_frame(m, w, frame, (int)in, q, v, a, (frame_outputs){.A = A});
}

jn_status PUBLIC(frame_jacobian)(const jn_model *m, jn_work *w, int frame, jn_representation in, const number *q,
                                 number *J) {
  return one_frame(m, w, frame, (int)in, q, NULL, NULL, (frame_outputs){.J = J});
}

jn_status PUBLIC(frame_jacobian_rate)(const jn_model *m, jn_work *w, int frame, jn_representation in, const number *q,
                                      const number *v, number *Jdot) {
  return one_frame(m, w, frame, (int)in, q, v, NULL, (frame_outputs){.Jdot = Jdot});
}

/* Functions whose result is one output of the kernel `terms`. */
static jn_status one_term(const jn_model *m, jn_work *w, const number *q, const number *v, int out, number *data,
                          int in, int about) {
  if (!data) return JN_ERR_NULL;
  if (in < JN_IN_BODY || in > JN_IN_ALIGNED || about < JN_ABOUT_ORIGIN || about > JN_ABOUT_COM) return JN_ERR_INDEX;
  return run_term(m, w, q, v, out, data, in, about, JN_WORLD);
}

jn_status PUBLIC(frame_poses)(const jn_model *m, jn_work *w, const number *q, number *T) {
  return one_term(m, w, q, NULL, JN_OUT_POSES, T, 0, 0);
}

jn_status PUBLIC(frame_jacobians)(const jn_model *m, jn_work *w, jn_representation in, const number *q, number *J) {
  return one_term(m, w, q, NULL, JN_OUT_J, J, (int)in, 0);
}

jn_status PUBLIC(frame_jacobian_rates)(const jn_model *m, jn_work *w, jn_representation in, const number *q,
                                       const number *v, number *Jdot) {
  return one_term(m, w, q, v, JN_OUT_DJ, Jdot, (int)in, 0);
}

jn_status PUBLIC(space_jacobian)(const jn_model *m, jn_work *w, const number *q, number *J) {
  return one_term(m, w, q, NULL, JN_OUT_SPACE, J, 0, 0);
}

jn_status PUBLIC(space_jacobian_rate)(const jn_model *m, jn_work *w, const number *q, const number *v, number *Jdot) {
  return one_term(m, w, q, v, JN_OUT_DSPACE, Jdot, 0, 0);
}

jn_status PUBLIC(center_of_mass)(const jn_model *m, jn_work *w, int link, const number *q, const number *v,
                                 const number *a, number *c, number *cdot, number *cddot) {
  number *outs[JN_OUTS] = {NULL};
  if (!c && !cdot && !cddot) return JN_ERR_NULL;
  outs[JN_OUT_COM] = c;
  outs[JN_OUT_DCOM] = cdot;
  outs[JN_OUT_DDCOM] = cddot;
  return run_terms(m, w, q, v, a, NULL, outs, 0, 0, link);
}

jn_status PUBLIC(com_jacobian)(const jn_model *m, jn_work *w, int link, const number *q, number *J) {
  return run_term(m, w, q, NULL, JN_OUT_JCOM, J, 0, 0, link);
}

jn_status PUBLIC(momentum)(const jn_model *m, jn_work *w, jn_about about, const number *q, const number *v, number *h) {
  return one_term(m, w, q, v, JN_OUT_MOMENTUM, h, 0, (int)about);
}

jn_status PUBLIC(momentum_matrix)(const jn_model *m, jn_work *w, jn_about about, const number *q, number *A) {
  return one_term(m, w, q, NULL, JN_OUT_A, A, 0, (int)about);
}

jn_status PUBLIC(momentum_matrix_rate)(const jn_model *m, jn_work *w, jn_about about, const number *q, const number *v,
                                       number *Adot) {
  return one_term(m, w, q, v, JN_OUT_DA, Adot, 0, (int)about);
}
