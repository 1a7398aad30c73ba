/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/dynamics.h. */
#include <limits.h>
#include "hybrid_run.h"
#include "judge.h"

#include "public.h"
#include "terms_run.h"

/* Inverse dynamics without other terms. One state is passed directly to its kernel: jn__run() took 60 of 260 ns. */
static jn_status run_inverse_dynamics(const jn_model *model, jn_work *work, const number *q, const number *v,
                                      const number *a, const number *wrench, int weightless, number *tau) {
  if (!model || !work || !q || !tau) return JN_ERR_NULL;
  jn_run run;
  run.call.inverse_dynamics =
      (jn_inverse_dynamics_arguments){.q = q, .v = v, .a = a, .wrench = wrench, .tau = tau, .forces = weightless};

  /* One state: directly. */
  const jn_variant *variant = jn__direct_variant(NUMBER_KIND, model, work);
  if (variant) {
    jn__call_init(&run.call, variant, model, work->scratch);
    variant->kernels[JN_KERNEL_inverse_dynamics](&run.call);
    return JN_OK;
  }

  /* Others: by jn__run(). */
  jn__run_init(&run, JN_KERNEL_inverse_dynamics, NUMBER_KIND, model, work);
  return jn__run(&run);
}

/* One output of the kernel of all terms. */
static jn_status one_term(const jn_model *model, jn_work *work, const number *q, const number *v, int out,
                          number *data) {
  return run_term(model, work, q, v, out, data, 0, 0, JN_WORLD);
}

jn_status PUBLIC(inverse_dynamics)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                   const number *a, const number *wrench, number *tau) {
  return run_inverse_dynamics(model, work, q, v, a, wrench, 0, tau);
}

jn_status PUBLIC(gravity_forces)(const jn_model *model, jn_work *work, const number *q, number *g) {
  return one_term(model, work, q, NULL, JN_OUT_terms_g, g);
}

jn_status PUBLIC(coriolis_forces)(const jn_model *model, jn_work *work, const number *q, const number *v, number *c) {
  return run_inverse_dynamics(model, work, q, v, NULL, NULL, 1, c);
}

jn_status PUBLIC(bias_forces)(const jn_model *model, jn_work *work, const number *q, const number *v, number *h) {
  return run_inverse_dynamics(model, work, q, v, NULL, NULL, 0, h);
}

jn_status PUBLIC(mass_matrix)(const jn_model *model, jn_work *work, const number *q, number *M) {
  if (!model || !work || !q || !M) return JN_ERR_NULL;
  const jn_variant *variant = jn__direct_variant(NUMBER_KIND, model, work);
  if (!variant || (size_t)model->nv * (size_t)model->nv > INT_MAX)
    return one_term(model, work, q, NULL, JN_OUT_terms_M, M);
  jn_call call; /* direct call of its kernel: the kernel of all terms took 20 of 200 ns more */
  jn__call_init(&call, variant, model, work->scratch);
  call.mass_matrix = (jn_mass_matrix_arguments){.q = q, .M = M};
  variant->kernels[JN_KERNEL_mass_matrix](&call);
  return JN_OK;
}

jn_status PUBLIC(mass_matrix_rate)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                   number *Mdot) {
  return one_term(model, work, q, v, JN_OUT_terms_Mdot, Mdot);
}

jn_status PUBLIC(coriolis_matrix)(const jn_model *model, jn_work *work, const number *q, const number *v, number *C) {
  return one_term(model, work, q, v, JN_OUT_terms_C, C);
}

jn_status PUBLIC(coriolis_matrix_christoffel)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                              number *C) {
  if (!model || !work || !q || !C) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_coriolis_matrix_christoffel, NUMBER_KIND, model, work);
  run.call.coriolis_matrix_christoffel = (jn_coriolis_matrix_christoffel_arguments){.q = q, .v = v, .C = C};
  return jn__run(&run);
}

jn_status PUBLIC(energy)(const jn_model *model, jn_work *work, const number *q, const number *v, number *energy) {
  return one_term(model, work, q, v, JN_OUT_terms_energy, energy);
}

jn_status PUBLIC(compute)(const jn_model *model, jn_work *work, const number *q, const number *v, const number *a,
                          const number *wrench, const PUBLIC(terms) * x) {
  if (!x) return JN_ERR_NULL;
  if ((unsigned)x->in > JN_IN_ALIGNED || (unsigned)x->about > JN_ABOUT_COM) return JN_ERR_INDEX;
  jn_run run;
  begin_terms(&run, q, v, a, wrench, (int)x->in, (int)x->about, JN_WORLD);
  jn_terms_arguments *to = &run.call.terms;
  to->M = x->M;
  to->C = x->C;
  to->Mdot = x->Mdot;
  to->tau = x->tau;
  to->g = x->g;
  to->bias = x->bias;
  to->coriolis = x->coriolis;
  to->poses = x->poses;
  to->twists = x->twists;
  to->accelerations = x->accelerations;
  to->jacobians = x->jacobians;
  to->jacobian_rates = x->jacobian_rates;
  to->space_jacobian = x->space_jacobian;
  to->space_jacobian_rate = x->space_jacobian_rate;
  to->com = x->com;
  to->com_velocity = x->com_velocity;
  to->com_acceleration = x->com_acceleration;
  to->com_jacobian = x->com_jacobian;
  to->momentum = x->momentum;
  to->momentum_matrix = x->momentum_matrix;
  to->momentum_matrix_rate = x->momentum_matrix_rate;
  to->energy = x->energy;
  return run_terms(&run, model, work);
}

jn_status PUBLIC(joint_wrenches)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                 const number *a, const number *wrench, number *F) {
  if (!model || !work || !q || !F) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_joint_wrenches, NUMBER_KIND, model, work);
  run.call.joint_wrenches = (jn_joint_wrenches_arguments){.q = q, .v = v, .a = a, .wrench = wrench, .F = F};
  return jn__run(&run);
}

jn_status PUBLIC(loss_forces)(const jn_model *model, const number *v, number *loss) {
  if (!model || !v || !loss) return JN_ERR_NULL;
  const jn_tree_d *t = model->tree[JN_KIND_D];
  for (int k = 0; k < model->nv; k++) loss[k] = 0;
  for (int i = 0; i < t->nb; i++) {
    const jn_body_d *b = &t->body[i];
    const jn_link_record *link = &model->link[b->link];
    for (int k = 0; k < b->nv; k++) {
      number ratio = (number)link->ratio, rate = ratio * v[b->iv + k]; /* of the joint itself */
      const jn_dof *dof = &link->joint.dof[k];
      loss[b->iv + k] += ratio * ((number)dof->damping * rate + (number)dof->friction * sign_of(rate));
    }
  }
  return JN_OK;
}

jn_status PUBLIC(spring_forces)(const jn_model *model, const number *q, number *force) {
  if (!model || !q || !force) return JN_ERR_NULL;
  const jn_tree_d *t = model->tree[JN_KIND_D];
  for (int k = 0; k < model->nv; k++) force[k] = 0;
  for (int i = 0; i < t->nb && t->has_springs; i++) {
    const jn_body_d *b = &t->body[i];
    for (int k = 0; k < b->nv && b->owner; k++)
      if (t->stiffness[b->iv + k] != 0)
        force[b->iv + k] = (number)t->stiffness[b->iv + k] * (q[b->iq + k] - (number)t->rest[b->iv + k]);
  }
  return JN_OK;
}

/* ---- systems of equations ---- */

jn_status PUBLIC(forward_dynamics)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                   const number *tau, const number *wrench, number *a) {
  if (!model || !work || !q || !a) return JN_ERR_NULL;
  return run_hybrid(model, work, NULL, q, v, NULL, tau, wrench, 0, a, NULL);
}

jn_status PUBLIC(hybrid_dynamics)(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                  const number *q, const number *v, const number *a, const number *tau,
                                  const number *wrench, number *a_out, number *tau_out) {
  if (!model || !work || !prescribed || !q || !a_out || !tau_out) return JN_ERR_NULL;
  return run_hybrid(model, work, prescribed, q, v, a, tau, wrench, 0, a_out, tau_out);
}

jn_status PUBLIC(mass_matrix_inverse)(const jn_model *model, jn_work *work, const number *q, number *Minv) {
  if (!model || !work || !q || !Minv) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_mass_matrix_inverse, NUMBER_KIND, model, work);
  run.call.mass_matrix_inverse = (jn_mass_matrix_inverse_arguments){.q = q, .Minv = Minv};
  return solve_and_judge(&run, model->nv, 0);
}

jn_status PUBLIC(mass_factor)(const jn_model *model, jn_work *work, const number *q, number *factor) {
  if (!model || !work || !q || !factor) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_mass_factor, NUMBER_KIND, model, work);
  run.call.mass_factor = (jn_mass_factor_arguments){.q = q, .factor = factor};
  return solve_and_judge(&run, model->nv, 0);
}

jn_status PUBLIC(mass_solve)(const jn_model *model, jn_work *work, const number *factor, const number *b, number *x) {
  if (!model || !work || !factor || !b || !x) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_mass_solve, NUMBER_KIND, model, work);
  run.call.mass_solve = (jn_mass_solve_arguments){.factor = factor, .b = b, .x = x};
  return jn__run(&run);
}

#if NUMBER_KIND == JN_KIND_D
int jn_singular_joint(const jn_work *work) { return work ? work->singular : JN_NONE; }
#endif
