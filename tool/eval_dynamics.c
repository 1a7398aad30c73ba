/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: forces, accelerations, matrices of the equations of motion, energies. */
#include "eval.h"
#include "json.h"

static size_t velocity_size(const evaluation *e) { return (size_t)jn_model_nv(e->model); }

static void write_vector(const evaluation *e, json_writer *j, const char *key, const double *values) {
  if (j) emit_numbers(j, key, values, jn_model_nv(e->model));
}

static jn_status write_square(const evaluation *e, json_writer *j, const char *key, const double *values,
                              jn_status status) {
  int nv = jn_model_nv(e->model);
  if (j && status == JN_OK) emit_matrix(j, key, values, nv, nv);
  return status;
}

/* force += sign * losses, when --losses is given. `loss` [nv] is scratch. */
static jn_status add_losses(const evaluation *e, double sign, double *loss, double *force) {
  if (!e->losses) return JN_OK;
  jn_status status = jn_loss_forces(e->model, e->state->v, loss);
  if (status != JN_OK) return status;
  for (size_t i = 0; i < velocity_size(e); i++) force[i] += sign * loss[i];
  return JN_OK;
}

/* The state's tau, less the losses. */
static jn_status driving_forces(const evaluation *e, double *loss, double *force) {
  for (size_t i = 0; i < velocity_size(e); i++) force[i] = e->state->tau[i];
  return add_losses(e, -1, loss, force);
}

jn_status want_tau(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  double *tau = eval_room(e, 2 * velocity_size(e)), *loss = tau + velocity_size(e);
  jn_status status = jn_inverse_dynamics(e->model, e->work, s->q, s->v, s->a, s->wrench, tau);
  if (status == JN_OK) status = add_losses(e, 1, loss, tau);
  if (status == JN_OK) write_vector(e, j, key, tau);
  return status;
}

jn_status want_ddq(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *ddq = eval_room(e, 3 * nv), *force = ddq + nv, *loss = force + nv;
  jn_status status = driving_forces(e, loss, force);
  if (status == JN_OK) status = jn_forward_dynamics(e->model, e->work, s->q, s->v, force, s->wrench, ddq);
  if (status == JN_OK) write_vector(e, j, key, ddq);
  return status;
}

jn_status want_hybrid(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *ddq = eval_room(e, 4 * nv), *tau = ddq + nv, *force = tau + nv, *loss = force + nv;
  jn_status status = driving_forces(e, loss, force);
  if (status == JN_OK) {
    status = jn_hybrid_dynamics(e->model, e->work, s->prescribed, s->q, s->v, s->a, force, s->wrench, ddq, tau);
  }
  if (status == JN_OK) status = add_losses(e, 1, loss, tau);
  if (status != JN_OK || !j) return status;
  for (size_t i = 0; i < nv; i++) {
    if (!s->prescribed[i]) tau[i] = s->tau[i]; /* as given, without the rounding of tau - loss + loss */
  }
  emit_open_object(j, key);
  write_vector(e, j, "tau", tau);
  write_vector(e, j, "ddq", ddq);
  emit_close_object(j);
  return JN_OK;
}

jn_status want_mass_matrix(evaluation *e, json_writer *j, const char *key) {
  double *M = eval_room(e, velocity_size(e) * velocity_size(e));
  return write_square(e, j, key, M, jn_mass_matrix(e->model, e->work, e->state->q, M));
}

jn_status want_mass_matrix_inverse(evaluation *e, json_writer *j, const char *key) {
  double *Minv = eval_room(e, velocity_size(e) * velocity_size(e));
  return write_square(e, j, key, Minv, jn_mass_matrix_inverse(e->model, e->work, e->state->q, Minv));
}

jn_status want_coriolis_matrix(evaluation *e, json_writer *j, const char *key) {
  double *C = eval_room(e, velocity_size(e) * velocity_size(e));
  return write_square(e, j, key, C, jn_coriolis_matrix(e->model, e->work, e->state->q, e->state->v, C));
}

jn_status want_mass_matrix_rate(evaluation *e, json_writer *j, const char *key) {
  double *dM = eval_room(e, velocity_size(e) * velocity_size(e));
  return write_square(e, j, key, dM, jn_mass_matrix_rate(e->model, e->work, e->state->q, e->state->v, dM));
}

jn_status want_gravity(evaluation *e, json_writer *j, const char *key) {
  double *g = eval_room(e, velocity_size(e));
  jn_status status = jn_gravity_forces(e->model, e->work, e->state->q, g);
  if (status == JN_OK) write_vector(e, j, key, g);
  return status;
}

jn_status want_bias(evaluation *e, json_writer *j, const char *key) {
  double *h = eval_room(e, velocity_size(e));
  jn_status status = jn_bias_forces(e->model, e->work, e->state->q, e->state->v, h);
  if (status == JN_OK) write_vector(e, j, key, h);
  return status;
}

jn_status want_energy(evaluation *e, json_writer *j, const char *key) {
  double energy[2];
  jn_status status = jn_energy(e->model, e->work, e->state->q, e->state->v, energy);
  if (status != JN_OK || !j) return status;
  emit_open_line(j, key);
  emit_number(j, "kinetic", energy[0]);
  emit_number(j, "potential", energy[1]);
  emit_close_object(j);
  return JN_OK;
}

jn_status want_joint_wrenches(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  int links = jn_link_count(e->model);
  double *F = eval_room(e, 6 * (size_t)links);
  jn_status status = jn_joint_wrenches(e->model, e->work, s->q, s->v, s->a, s->wrench, F);
  if (status != JN_OK || !j) return status;
  emit_open_object(j, key);
  for (int i = 0; i < links; i++) emit_numbers(j, jn_link_name(e->model, i), F + 6 * (size_t)i, 6);
  emit_close_object(j);
  return JN_OK;
}
