/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/dynamics.h. */
#include <limits.h>
#include "hybrid_run.h"
#include "judge.h"

#include "public.h"
#include "terms_run.h"

/* Inverse dynamics without other terms. One state is passed directly to its kernel: jn__run() took 60 of 260 ns. */
static jn_status run_inverse_dynamics(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                                      const number *wrench, int weightless, number *tau) {
  if (!m || !w || !q || !tau) return JN_ERR_NULL;
  const jn_variant *variant = jn__direct_variant(NUMBER_KIND, m, w);
  if (variant) {
    jn_call call;
    jn__call_init_few(&call, variant, m, w->scratch);
    call.in[0] = q;
    call.in[1] = v;
    call.in[2] = a;
    call.in[3] = wrench;
    call.out[0] = tau;
    call.arg[0] = weightless;
    variant->kernels[JN_KERNEL_inverse_dynamics](&call);
    return JN_OK;
  }
  size_t nv = (size_t)m->nv;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_inverse_dynamics, NUMBER_KIND, m, w);
  r.arg[0] = weightless;
  jn__run_input(&r, 0, q, (size_t)m->nq);
  jn__run_input(&r, 1, v, nv);
  jn__run_input(&r, 2, a, nv);
  jn__run_input(&r, 3, wrench, 6 * (size_t)m->nlink);
  jn__run_output(&r, 0, tau, nv);
  return jn__run(&r);
}

static jn_status one_term(const jn_model *m, jn_work *w, const number *q, const number *v, int out, number *data) {
  return run_term(m, w, q, v, out, data, 0, 0, JN_WORLD);
}

jn_status PUBLIC(inverse_dynamics)(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                                   const number *wrench, number *tau) {
  return run_inverse_dynamics(m, w, q, v, a, wrench, 0, tau);
}

jn_status PUBLIC(gravity_forces)(const jn_model *m, jn_work *w, const number *q, number *g) {
  return one_term(m, w, q, NULL, JN_OUT_G, g);
}

jn_status PUBLIC(coriolis_forces)(const jn_model *m, jn_work *w, const number *q, const number *v, number *c) {
  return run_inverse_dynamics(m, w, q, v, NULL, NULL, 1, c);
}

jn_status PUBLIC(bias_forces)(const jn_model *m, jn_work *w, const number *q, const number *v, number *h) {
  return run_inverse_dynamics(m, w, q, v, NULL, NULL, 0, h);
}

jn_status PUBLIC(mass_matrix)(const jn_model *m, jn_work *w, const number *q, number *M) {
  if (!m || !w || !q || !M) return JN_ERR_NULL;
  const jn_variant *variant = jn__direct_variant(NUMBER_KIND, m, w);
  if (!variant || (size_t)m->nv * (size_t)m->nv > INT_MAX) return one_term(m, w, q, NULL, JN_OUT_M, M);
  jn_call call; /* direct call of its kernel: the kernel of all terms took 20 of 200 ns more */
  jn__call_init_few(&call, variant, m, w->scratch);
  call.in[0] = q;
  call.out[0] = M;
  variant->kernels[JN_KERNEL_mass_matrix](&call);
  return JN_OK;
}

jn_status PUBLIC(mass_matrix_rate)(const jn_model *m, jn_work *w, const number *q, const number *v, number *Mdot) {
  return one_term(m, w, q, v, JN_OUT_DM, Mdot);
}

jn_status PUBLIC(coriolis_matrix)(const jn_model *m, jn_work *w, const number *q, const number *v, number *C) {
  return one_term(m, w, q, v, JN_OUT_C, C);
}

jn_status PUBLIC(coriolis_matrix_christoffel)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                              number *C) {
  if (!m || !w || !q || !C) return JN_ERR_NULL;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_coriolis_matrix_christoffel, NUMBER_KIND, m, w);
  jn__run_input(&r, 0, q, (size_t)m->nq);
  jn__run_input(&r, 1, v, (size_t)m->nv);
  jn__run_output(&r, 0, C, (size_t)m->nv * (size_t)m->nv);
  return jn__run(&r);
}

jn_status PUBLIC(energy)(const jn_model *m, jn_work *w, const number *q, const number *v, number *energy) {
  return one_term(m, w, q, v, JN_OUT_ENERGY, energy);
}

jn_status PUBLIC(compute)(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                          const number *wrench, const PUBLIC(terms) * x) {
  if (!x) return JN_ERR_NULL;
  if ((unsigned)x->in > JN_IN_ALIGNED || (unsigned)x->about > JN_ABOUT_COM) return JN_ERR_INDEX;
  number *outs[JN_OUTS] = {x->M,
                           x->C,
                           x->Mdot,
                           x->tau,
                           x->g,
                           x->bias,
                           x->coriolis,
                           x->poses,
                           x->twists,
                           x->accelerations,
                           x->jacobians,
                           x->jacobian_rates,
                           x->com,
                           x->com_velocity,
                           x->com_acceleration,
                           x->com_jacobian,
                           x->momentum,
                           x->momentum_matrix,
                           x->momentum_matrix_rate,
                           x->energy,
                           x->space_jacobian,
                           x->space_jacobian_rate};
  return run_terms(m, w, q, v, a, wrench, outs, (int)x->in, (int)x->about, JN_WORLD);
}

jn_status PUBLIC(joint_wrenches)(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                                 const number *wrench, number *F) {
  if (!m || !w || !q || !F) return JN_ERR_NULL;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, wide = 6 * (size_t)m->nlink;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_joint_wrenches, NUMBER_KIND, m, w);
  jn__run_input(&r, 0, q, nq);
  jn__run_input(&r, 1, v, nv);
  jn__run_input(&r, 2, a, nv);
  jn__run_input(&r, 3, wrench, wide);
  jn__run_output(&r, 0, F, wide);
  return jn__run(&r);
}

jn_status PUBLIC(loss_forces)(const jn_model *m, const number *v, number *loss) {
  if (!m || !v || !loss) return JN_ERR_NULL;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  for (int k = 0; k < m->nv; k++) loss[k] = 0;
  for (int i = 0; i < t->nb; i++) {
    const jn_body_d *b = &t->body[i];
    const jn_link_record *link = &m->link[b->link];
    for (int k = 0; k < b->nv; k++) {
      number ratio = (number)link->ratio, rate = ratio * v[b->iv + k]; /* of the joint itself */
      const jn_dof *dof = &link->joint.dof[k];
      loss[b->iv + k] += ratio * ((number)dof->damping * rate + (number)dof->friction * sign_of(rate));
    }
  }
  return JN_OK;
}

jn_status PUBLIC(spring_forces)(const jn_model *m, const number *q, number *force) {
  if (!m || !q || !force) return JN_ERR_NULL;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  for (int k = 0; k < m->nv; k++) force[k] = 0;
  for (int i = 0; i < t->nb && t->carries_springs; i++) {
    const jn_body_d *b = &t->body[i];
    for (int k = 0; k < b->nv && b->owner; k++)
      if (t->stiffness[b->iv + k] != 0)
        force[b->iv + k] = (number)t->stiffness[b->iv + k] * (q[b->iq + k] - (number)t->rest[b->iv + k]);
  }
  return JN_OK;
}

/* ---- systems of equations ---- */

jn_status PUBLIC(forward_dynamics)(const jn_model *m, jn_work *w, const number *q, const number *v, const number *tau,
                                   const number *wrench, number *a) {
  if (!m || !w || !q || !a) return JN_ERR_NULL;
  return run_hybrid(m, w, NULL, q, v, NULL, tau, wrench, 0, a, NULL);
}

jn_status PUBLIC(hybrid_dynamics)(const jn_model *m, jn_work *w, const unsigned char *prescribed, const number *q,
                                  const number *v, const number *a, const number *tau, const number *wrench,
                                  number *a_out, number *tau_out) {
  if (!m || !w || !prescribed || !q || !a_out || !tau_out) return JN_ERR_NULL;
  return run_hybrid(m, w, prescribed, q, v, a, tau, wrench, 0, a_out, tau_out);
}

static jn_status square(int kernel, const jn_model *m, jn_work *w, const number *q, number *out) {
  if (!m || !w || !q || !out) return JN_ERR_NULL;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  jn_run r;
  jn__run_init(&r, kernel, NUMBER_KIND, m, w);
  jn__run_input(&r, 0, q, nq);
  jn__run_output(&r, 0, out, nv * nv);
  return solve_and_judge(&r, m->nv, 0);
}

jn_status PUBLIC(mass_matrix_inverse)(const jn_model *m, jn_work *w, const number *q, number *Minv) {
  return square(JN_KERNEL_mass_matrix_inverse, m, w, q, Minv);
}

jn_status PUBLIC(mass_factor)(const jn_model *m, jn_work *w, const number *q, number *factor) {
  return square(JN_KERNEL_mass_factor, m, w, q, factor);
}

jn_status PUBLIC(mass_solve)(const jn_model *m, jn_work *w, const number *factor, const number *b, number *x) {
  if (!m || !w || !factor || !b || !x) return JN_ERR_NULL;
  size_t nv = (size_t)m->nv;
  jn_run r;
  jn__run_init(&r, JN_KERNEL_mass_solve, NUMBER_KIND, m, w);
  jn__run_input(&r, 0, factor, nv * nv);
  jn__run_input(&r, 1, b, nv);
  jn__run_output(&r, 0, x, nv);
  return jn__run(&r);
}

#if NUMBER_KIND == JN_KIND_D
int jn_singular_joint(const jn_work *work) { return work ? work->singular : JN_NONE; }
#endif
