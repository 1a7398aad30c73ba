/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: forces, accelerations, matrices of the equations of motion, energies. */
#include "../text/json.h"
#include "eval.h"

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

jn_status eval_driving_forces(const evaluation *e, double *loss, double *force) {
  for (size_t i = 0; i < velocity_size(e); i++) force[i] = e->state->tau[i];
  return add_losses(e, -1, loss, force);
}

/* force += sign * d^k losses/dt^k, when --losses is given. `v` [nv] is the k-th derivative of the velocity; `loss`
 * [nv] is scratch. Friction keeps its sign: from order 1 on there is damping only. */
static jn_status add_loss_row(const evaluation *e, int k, double sign, const double *v, double *loss, double *force) {
  size_t nv = velocity_size(e);
  if (!e->losses) return JN_OK;
  jn_status status = k == 0 ? jn_loss_forces(e->model, v, loss) : jn_loss_coefficients(e->model, loss, NULL);
  for (size_t i = 0; i < nv; i++) force[i] += sign * (k == 0 ? loss[i] : loss[i] * v[i]);
  return status;
}

jn_status eval_closed_inverse(const evaluation *e, int order, double *passive, double *loss, double *tau,
                              double *lambda) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e), size = ((size_t)order + 1) * nv;
  jn_status status = s->has_actuated ? JN_OK : JN_ERR_ACTUATION;
  for (size_t i = 0; i < size; i++) passive[i] = 0;
  for (int k = 0; k <= order && status == JN_OK; k++) {
    status = add_loss_row(e, k, -1, s->v + (size_t)k * nv, loss, passive + (size_t)k * nv);
  }
  if (status == JN_OK) {
    status = jn_loops_inverse_dynamics_jet(e->loops, order, s->actuated, e->choice, NULL, s->q, s->v, passive,
                                           s->wrench, tau, lambda);
  }
  for (int k = 0; k <= order && status == JN_OK; k++) {
    status = add_loss_row(e, k, 1, s->v + (size_t)k * nv, loss, tau + (size_t)k * nv);
  }
  for (size_t i = 0; i < size; i++) {
    if (!s->actuated[i % nv]) tau[i] = 0;
  }
  return status;
}

static jn_status closed_tau(evaluation *e, json_writer *j, const char *key) {
  size_t nv = velocity_size(e);
  double *tau = eval_room(e, 4 * nv);
  jn_status status = eval_closed_inverse(e, 0, tau + nv, tau + 2 * nv, tau, NULL);
  if (status == JN_OK) write_vector(e, j, key, tau);
  return status;
}

jn_status want_tau(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  if (e->loops) return closed_tau(e, j, key);
  double *tau = eval_room(e, 2 * velocity_size(e)), *loss = tau + velocity_size(e);
  jn_status status =
      eval_ahead(e, "tau", tau) ? JN_OK : jn_inverse_dynamics(e->model, e->work, s->q, s->v, s->a, s->wrench, tau);
  if (status == JN_OK) status = add_losses(e, 1, loss, tau);
  if (status == JN_OK) write_vector(e, j, key, tau);
  return status;
}

jn_status want_ddq(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *motion = eval_room(e, 4 * nv), *ddq = motion + nv, *force = ddq + nv, *loss = force + nv;
  bool ahead = eval_ahead(e, "ddq", ddq);
  jn_status status = ahead ? JN_OK : eval_driving_forces(e, loss, force);
  if (status == JN_OK && !ahead) {
    status = e->loops ? jn_loops_forward_dynamics_jet(e->loops, 0, s->q, s->v, force, s->wrench, motion, NULL)
                      : jn_forward_dynamics(e->model, e->work, s->q, s->v, force, s->wrench, ddq);
  }
  if (status == JN_OK) write_vector(e, j, key, ddq);
  return status;
}

jn_status want_hybrid(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *motion = eval_room(e, 5 * nv), *ddq = motion + nv, *tau = ddq + nv, *force = tau + nv, *loss = force + nv;
  jn_status status = eval_driving_forces(e, loss, force);
  if (status == JN_OK) {
    status =
        e->loops
            ? jn_loops_hybrid_dynamics_jet(e->loops, 0, s->prescribed, s->q, s->v, force, s->wrench, motion, tau, NULL)
            : jn_hybrid_dynamics(e->model, e->work, s->prescribed, s->q, s->v, s->a, force, s->wrench, ddq, tau);
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
  return write_square(e, j, key, M, eval_ahead(e, "M", M) ? JN_OK : jn_mass_matrix(e->model, e->work, e->state->q, M));
}

jn_status want_mass_matrix_inverse(evaluation *e, json_writer *j, const char *key) {
  double *Minv = eval_room(e, velocity_size(e) * velocity_size(e));
  return write_square(
      e, j, key, Minv,
      eval_ahead(e, "Minv", Minv) ? JN_OK : jn_mass_matrix_inverse(e->model, e->work, e->state->q, Minv));
}

jn_status want_coriolis_matrix(evaluation *e, json_writer *j, const char *key) {
  double *C = eval_room(e, velocity_size(e) * velocity_size(e));
  return write_square(
      e, j, key, C, eval_ahead(e, "C", C) ? JN_OK : jn_coriolis_matrix(e->model, e->work, e->state->q, e->state->v, C));
}

jn_status want_coriolis_christoffel(evaluation *e, json_writer *j, const char *key) {
  double *C = eval_room(e, velocity_size(e) * velocity_size(e));
  const eval_state *s = e->state;
  return write_square(
      e, j, key, C,
      eval_ahead(e, "C_christoffel", C) ? JN_OK : jn_coriolis_matrix_christoffel(e->model, e->work, s->q, s->v, C));
}

jn_status want_mass_matrix_rate(evaluation *e, json_writer *j, const char *key) {
  double *dM = eval_room(e, velocity_size(e) * velocity_size(e));
  return write_square(
      e, j, key, dM,
      eval_ahead(e, "Mdot", dM) ? JN_OK : jn_mass_matrix_rate(e->model, e->work, e->state->q, e->state->v, dM));
}

jn_status want_gravity(evaluation *e, json_writer *j, const char *key) {
  double *g = eval_room(e, velocity_size(e));
  jn_status status = eval_ahead(e, "g", g) ? JN_OK : jn_gravity_forces(e->model, e->work, e->state->q, g);
  if (status == JN_OK) write_vector(e, j, key, g);
  return status;
}

jn_status want_bias(evaluation *e, json_writer *j, const char *key) {
  double *h = eval_room(e, velocity_size(e));
  jn_status status = eval_ahead(e, "bias", h) ? JN_OK : jn_bias_forces(e->model, e->work, e->state->q, e->state->v, h);
  if (status == JN_OK) write_vector(e, j, key, h);
  return status;
}

jn_status want_energy(evaluation *e, json_writer *j, const char *key) {
  double energy[2];
  jn_status status =
      eval_ahead(e, "energy", energy) ? JN_OK : jn_energy(e->model, e->work, e->state->q, e->state->v, energy);
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
  const double *wrench = s->wrench;
  double *F = eval_room(e, 6 * (size_t)links + eval_loaded_room(e, 0));
  jn_status status = eval_loaded_links(e, 0, F + 6 * (size_t)links, &wrench);
  if (status == JN_OK) status = jn_joint_wrenches(e->model, e->work, s->q, s->v, s->a, wrench, F);
  if (status != JN_OK || !j) return status;
  emit_open_object(j, key);
  for (int i = 0; i < links; i++) emit_numbers(j, jn_link_name(e->model, i), F + 6 * (size_t)i, 6);
  emit_close_object(j);
  return JN_OK;
}

/* ---- Time derivatives ---- */

static size_t jet_rows(const evaluation *e) { return (size_t)e->order + 1; }

static void write_jet(const evaluation *e, json_writer *j, const char *key, const double *rows) {
  if (j) emit_matrix(j, key, rows, e->order + 1, jn_model_nv(e->model));
}

static jn_status add_loss_rows(const evaluation *e, const double *v_jet, double *loss, double *tau_jet) {
  size_t nv = velocity_size(e);
  jn_status status = JN_OK;
  for (int k = 0; k <= e->order && status == JN_OK; k++) {
    status = add_loss_row(e, k, 1, v_jet + (size_t)k * nv, loss, tau_jet + (size_t)k * nv);
  }
  return status;
}

/* The motion of order k that the forces make; with `tau_out` of hybrid dynamics. */
static jn_status solve_motion(const evaluation *e, int k, const double *force, double *v_out, double *tau_out,
                              double *lambda) {
  const eval_state *s = e->state;
  if (e->loops && tau_out) {
    return jn_loops_hybrid_dynamics_jet(e->loops, k, s->prescribed, s->q, s->v, force, s->wrench, v_out, tau_out,
                                        lambda);
  }
  if (e->loops) return jn_loops_forward_dynamics_jet(e->loops, k, s->q, s->v, force, s->wrench, v_out, lambda);
  if (tau_out) {
    return jn_hybrid_dynamics_jet(e->model, e->work, k, s->prescribed, s->q, s->v, force, s->wrench, v_out, tau_out);
  }
  return jn_forward_dynamics_jet(e->model, e->work, k, s->q, s->v, force, s->wrench, v_out);
}

/* Losses of order k need the motion of order k - 1: then order after order. */
jn_status eval_motion(const evaluation *e, int order, double *force, double *loss, double *v_out, double *tau_out,
                      double *lambda) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  for (size_t i = 0; i < ((size_t)order + 1) * nv; i++) force[i] = s->tau[i];
  for (size_t i = 0; i < nv; i++) v_out[i] = s->v[i];
  jn_status status = JN_OK;
  for (int k = e->losses ? 0 : order; k <= order && status == JN_OK; k++) {
    if (e->losses) status = add_loss_row(e, k, -1, v_out + (size_t)k * nv, loss, force + (size_t)k * nv);
    if (status == JN_OK) status = solve_motion(e, k, force, v_out, tau_out, lambda);
  }
  return status;
}

jn_status want_tau_jets(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t size = jet_rows(e) * velocity_size(e);
  double *tau = eval_room(e, 2 * size + 2 * velocity_size(e)), *passive = tau + size, *loss = passive + size;
  jn_status status = eval_ahead(e, "tau_jets", tau) ? JN_OK
                     : e->loops                     ? eval_closed_inverse(e, e->order, passive, loss, tau, NULL)
                                : jn_inverse_dynamics_jet(e->model, e->work, e->order, s->q, s->v, s->wrench, tau);
  if (status == JN_OK && !e->loops) status = add_loss_rows(e, s->v, loss, tau);
  if (status == JN_OK) write_jet(e, j, key, tau);
  return status;
}

jn_status want_ddq_jets(evaluation *e, json_writer *j, const char *key) {
  size_t nv = velocity_size(e), size = jet_rows(e) * nv;
  double *v = eval_room(e, 2 * size + 3 * nv), *force = v + size + nv, *loss = force + size;
  jn_status status = eval_motion(e, e->order, force, loss, v, NULL, NULL);
  if (status == JN_OK) write_jet(e, j, key, v + nv);
  return status;
}

jn_status want_hybrid_jets(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e), size = jet_rows(e) * nv;
  double *v = eval_room(e, 3 * size + 3 * nv), *tau = v + size + nv, *force = tau + size, *loss = force + size;
  jn_status status = eval_motion(e, e->order, force, loss, v, tau, NULL);
  if (status == JN_OK) status = add_loss_rows(e, v, loss, tau);
  if (status != JN_OK || !j) return status;
  for (size_t i = 0; i < size; i++) {
    if (!s->prescribed[i % nv]) tau[i] = s->tau[i]; /* as given, without rounding */
  }
  emit_open_object(j, key);
  write_jet(e, j, "tau", tau);
  write_jet(e, j, "ddq", v + nv);
  emit_close_object(j);
  return JN_OK;
}
