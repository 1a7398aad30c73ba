/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/jets.h. */
#include "jounce/jets.h"

#include <limits.h>

#include "judge.h"
#include "public.h"

static jn_status ready(const jn_model *m, const jn_work *w, int order) {
  if (!m || !w) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER) return JN_ERR_SIZE;
  return w->model == m && w->order >= order ? JN_OK : JN_ERR_WORK;
}

jn_status PUBLIC(inverse_dynamics_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                       const number *wrench_jet, number *tau_jet) {
  jn_status status = ready(m, w, order);
  if (status != JN_OK) return status;
  if (!q || !v_jet || !tau_jet) return JN_ERR_NULL;
  if (order == 0 && !w->batch) return PUBLIC(inverse_dynamics)(m, w, q, v_jet, v_jet + m->nv, wrench_jet, tau_jet);
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, rows = (size_t)order + 1, wide = rows * 6 * (size_t)m->nlink;
  jn_run r;
  jn__run_init(&r, order == 0 ? JN_KERNEL_inverse_dynamics : JN_KERNEL_inverse_dynamics_jet, NUMBER_KIND, m, w);
  r.arg[0] = order; /* of the kernel `inverse_dynamics`: with weight */
  jn__run_input(&r, 0, q, nq);
  if (order == 0) { /* v and a are rows of one array */
    jn__run_input(&r, 1, v_jet, nv);
    jn__run_input(&r, 2, v_jet + nv, nv);
    jn__run_input(&r, 3, wrench_jet, wide);
    r.in[1].stride = r.in[2].stride = 2 * nv;
  } else {
    jn__run_input(&r, 1, v_jet, (rows + 1) * nv);
    jn__run_input(&r, 2, wrench_jet, wide);
  }
  jn__run_output(&r, 0, tau_jet, rows * nv);
  return jn__run(&r);
}

static jn_status hybrid_jet(const jn_model *m, jn_work *w, int order, const unsigned char *prescribed, const number *q,
                            const number *v, size_t v_rows, const number *tau_jet, const number *wrench_jet,
                            number *v_out, number *tau_out) {
  jn_status status = ready(m, w, order);
  if (status != JN_OK) return status;
  if (!q || !v || !tau_jet || !v_out) return JN_ERR_NULL;
  if ((size_t)m->nv * (size_t)m->nv > INT_MAX) return JN_ERR_SIZE;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, rows = (size_t)order + 1, wide = rows * 6 * (size_t)m->nlink;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_hybrid_dynamics_jet, NUMBER_KIND, m, w);
  r.data = prescribed;
  r.arg[0] = order;
  r.arg[1] = (int)v_rows;
  jn__run_input(&r, 0, q, nq);
  jn__run_input(&r, 1, v, v_rows * nv);
  jn__run_input(&r, 2, tau_jet, rows * nv);
  jn__run_input(&r, 3, wrench_jet, wide);
  jn__run_output(&r, 0, v_out, (rows + 1) * nv);
  jn__run_output(&r, 1, tau_out, rows * nv);
  return solve_and_judge(&r, m->nv, 0);
}

jn_status PUBLIC(forward_dynamics_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v,
                                       const number *tau_jet, const number *wrench_jet, number *v_jet) {
  return hybrid_jet(m, w, order, NULL, q, v, 1, tau_jet, wrench_jet, v_jet, NULL);
}

jn_status PUBLIC(hybrid_dynamics_jet)(const jn_model *m, jn_work *w, int order, const unsigned char *prescribed,
                                      const number *q, const number *v_jet, const number *tau_jet,
                                      const number *wrench_jet, number *v_out, number *tau_out) {
  if (!prescribed) return JN_ERR_NULL;
  return hybrid_jet(m, w, order, prescribed, q, v_jet, (size_t)order + 2, tau_jet, wrench_jet, v_out, tau_out);
}

#if !JN_FLOAT && !JN_TWIN_Z && !JN_TWIN_L
jn_status jn__hybrid_jet_orders(const jn_model *m, jn_work *w, int order, int from, int end,
                                const unsigned char *prescribed, const double *q, const double *v_jet,
                                const double *tau_jet, const double *wrench_jet, double *v_out, double *tau_out) {
  size_t nv = (size_t)m->nv, rows = (size_t)order + 1, v_rows = prescribed ? rows + 1 : 1;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_hybrid_dynamics_jet, JN_KIND_D, m, w);
  r.data = prescribed;
  r.arg[0] = order;
  r.arg[1] = (int)v_rows;
  r.arg[2] = from;
  r.arg[3] = end;
  jn__run_input(&r, 0, q, (size_t)m->nq);
  jn__run_input(&r, 1, v_jet, v_rows * nv);
  jn__run_input(&r, 2, tau_jet, rows * nv);
  jn__run_input(&r, 3, wrench_jet, rows * 6 * (size_t)m->nlink);
  jn__run_output(&r, 0, v_out, (rows + 1) * nv);
  jn__run_output(&r, 1, tau_out, rows * nv);
  return from == 0 ? solve_and_judge(&r, m->nv, 0) : jn__run(&r);
}
#endif

/* Sets up the run of a kernel along a motion, without outputs. */
static jn_status motion_run(int kernel, const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                            jn_run *r) {
  jn_status status = ready(m, w, order);
  if (status != JN_OK) return status;
  if (!q || !v_jet) return JN_ERR_NULL;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, rows = (size_t)order + 2;
  jn__run_init(r, kernel, NUMBER_KIND, m, w);
  r->arg[0] = order;
  jn__run_input(r, 0, q, nq);
  jn__run_input(r, 1, v_jet, rows * nv);
  return JN_OK;
}

/* Adds output `out`, with `numbers` values for each order. */
static void want(jn_run *r, int out, size_t numbers, number *data) {
  size_t all = ((size_t)r->arg[0] + 1) * numbers;
  jn__run_output(r, out, data, all);
}

static void give_wrenches(jn_run *r, const number *wrench_jet) {
  size_t all = ((size_t)r->arg[0] + 1) * 6 * (size_t)r->model->nlink;
  jn__run_input(r, 2, wrench_jet, all);
}

/* One output. */
static jn_status motion_jet(int kernel, const jn_model *m, jn_work *w, int order, int frame, const number *q,
                            const number *v_jet, int out, size_t numbers, number *data) {
  jn_run r;
  jn_status status = motion_run(kernel, m, w, order, q, v_jet, &r);
  if (status != JN_OK) return status;
  if (!data) return JN_ERR_NULL;
  r.arg[1] = frame;
  want(&r, out, numbers, data);
  return jn__run(&r);
}

jn_status PUBLIC(mass_matrix_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                  number *M_jet) {
  return m ? motion_jet(JN_KERNEL_matrix_jet, m, w, order, -1, q, v_jet, 0, (size_t)m->nv * (size_t)m->nv, M_jet)
           : JN_ERR_NULL;
}

jn_status PUBLIC(coriolis_matrix_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                      number *C_jet) {
  return m ? motion_jet(JN_KERNEL_matrix_jet, m, w, order, -1, q, v_jet, 1, (size_t)m->nv * (size_t)m->nv, C_jet)
           : JN_ERR_NULL;
}

jn_status PUBLIC(gravity_forces_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                     number *g_jet) {
  return m ? motion_jet(JN_KERNEL_matrix_jet, m, w, order, -1, q, v_jet, 2, (size_t)m->nv, g_jet) : JN_ERR_NULL;
}

jn_status PUBLIC(frame_twist_jet)(const jn_model *m, jn_work *w, int order, int frame, const number *q,
                                  const number *v_jet, number *twist_jet) {
  if (!m) return JN_ERR_NULL;
  if (frame < 0 || frame >= jn_frame_count(m)) return JN_ERR_INDEX;
  return motion_jet(JN_KERNEL_frame_jet, m, w, order, frame, q, v_jet, 0, 6, twist_jet);
}

jn_status PUBLIC(frame_jacobian_jet)(const jn_model *m, jn_work *w, int order, int frame, const number *q,
                                     const number *v_jet, number *J_jet) {
  if (!m) return JN_ERR_NULL;
  if (frame < 0 || frame >= jn_frame_count(m)) return JN_ERR_INDEX;
  return motion_jet(JN_KERNEL_frame_jet, m, w, order, frame, q, v_jet, 1, 6 * (size_t)m->nv, J_jet);
}

jn_status PUBLIC(momentum_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                               number *h_jet) {
  return motion_jet(JN_KERNEL_momentum_jet, m, w, order, -1, q, v_jet, 0, 6, h_jet);
}

jn_status PUBLIC(center_of_mass_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                     number *com_jet) {
  return motion_jet(JN_KERNEL_momentum_jet, m, w, order, -1, q, v_jet, 1, 3, com_jet);
}

jn_status PUBLIC(energy_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                             number *energy_jet) {
  return motion_jet(JN_KERNEL_momentum_jet, m, w, order, -1, q, v_jet, 2, 2, energy_jet);
}

jn_status PUBLIC(rate_matrices)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                number *P) {
  jn_run r;
  jn_status status = motion_run(JN_KERNEL_matrix_jet, m, w, order, q, v_jet, &r);
  if (status != JN_OK) return status;
  if (!P) return JN_ERR_NULL;
  size_t all = ((size_t)order + 2) * (size_t)m->nv * (size_t)m->nv;
  jn__run_output(&r, 3, P, all);
  return jn__run(&r);
}

jn_status PUBLIC(wrench_forces_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                    const number *wrench_jet, number *tau_jet) {
  jn_run r;
  jn_status status = motion_run(JN_KERNEL_matrix_jet, m, w, order, q, v_jet, &r);
  if (status != JN_OK) return status;
  if (!wrench_jet || !tau_jet) return JN_ERR_NULL;
  give_wrenches(&r, wrench_jet);
  want(&r, 4, (size_t)m->nv, tau_jet);
  return jn__run(&r);
}

jn_status PUBLIC(joint_wrenches_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                                     const number *wrench_jet, number *F_jet) {
  jn_run r;
  jn_status status = motion_run(JN_KERNEL_joint_wrenches_jet, m, w, order, q, v_jet, &r);
  if (status != JN_OK) return status;
  if (!F_jet) return JN_ERR_NULL;
  give_wrenches(&r, wrench_jet);
  want(&r, 0, 6 * (size_t)m->nlink, F_jet);
  return jn__run(&r);
}

jn_status PUBLIC(joint_jacobian_jet)(const jn_model *m, jn_work *w, int order, int link, const number *q,
                                     const number *v_jet, number *S_jet) {
  if (!m) return JN_ERR_NULL;
  if (link < 0 || link >= m->nlink) return JN_ERR_INDEX;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  int body = t->placement[link].body;
  size_t n = body < 0 ? 0 : (size_t)t->body[body].nv;
  return motion_jet(JN_KERNEL_system_jet, m, w, order, link, q, v_jet, 4, 6 * n, S_jet);
}

jn_status PUBLIC(system_jet)(const jn_model *m, jn_work *w, int order, const number *q, const number *v_jet,
                             number *A_jet, number *joint_twist_jet, number *link_twist_jet, number *J_jet) {
  jn_run r;
  jn_status status = motion_run(JN_KERNEL_system_jet, m, w, order, q, v_jet, &r);
  if (status != JN_OK) return status;
  size_t wide = 6 * (size_t)m->nlink;
  r.arg[1] = -1;
  want(&r, 0, wide * wide, A_jet);
  want(&r, 1, wide, joint_twist_jet);
  want(&r, 2, wide, link_twist_jet);
  want(&r, 3, wide * (size_t)m->nv, J_jet);
  return jn__run(&r);
}
