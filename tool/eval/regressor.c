/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: what is linear in the inertial parameters, and derivatives with respect to them: jounce/regressor.h.
 * Columns, or the first index of tensors, are the parameters pi [10L]; model.links of the output has their order. */
#include <jounce/regressor.h>
#include <limits.h>

#include "../text/json.h"
#include "eval.h"

static size_t parameter_size(const evaluation *e) { return (size_t)jn_parameter_count(e->model); }
static size_t velocity_size(const evaluation *e) { return (size_t)jn_model_nv(e->model); }
static size_t regressor_size(const evaluation *e) { return velocity_size(e) * parameter_size(e); }

/* Such an array the library does not compute: no need to ask for the memory. */
static int too_large(size_t count) { return count > INT_MAX; }

static void write_rows(const evaluation *e, json_writer *j, const char *key, const double *values, int rows) {
  emit_matrix(j, key, values, rows, jn_parameter_count(e->model));
}

jn_status want_parameters(evaluation *e, json_writer *j, const char *key) {
  double *pi = eval_room(e, parameter_size(e));
  jn_status status = jn_parameters(e->model, pi);
  if (status == JN_OK && j) emit_numbers(j, key, pi, jn_parameter_count(e->model));
  return status;
}

/* ---- Regressors ---- */

/* Writes a matrix [nv x 10L] that `status` tells about. */
static jn_status write_regressor(const evaluation *e, json_writer *j, const char *key, const double *Y,
                                 jn_status status) {
  if (status == JN_OK && j) write_rows(e, j, key, Y, jn_model_nv(e->model));
  return status;
}

/* Of a model with loops: of the forces of the actuated joints. */
static jn_status closed_regressor(const evaluation *e, int order, double *Y) {
  const eval_state *s = e->state;
  if (!s->has_actuated) return JN_ERR_ACTUATION;
  return jn_loops_regressor_jet(e->loops, order, s->actuated, e->choice, NULL, s->q, s->v, Y);
}

jn_status want_regressor(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  if (too_large(regressor_size(e))) return JN_ERR_SIZE;
  double *Y = eval_room(e, regressor_size(e));
  jn_status status = eval_ahead(e, "Y", Y) ? JN_OK
                     : e->loops            ? closed_regressor(e, 0, Y)
                                           : jn_regressor(e->model, e->work, s->q, s->v, s->a, Y);
  return write_regressor(e, j, key, Y, status);
}

jn_status want_slotine_li_regressor(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  if (too_large(regressor_size(e))) return JN_ERR_SIZE;
  double *Y = eval_room(e, regressor_size(e));
  jn_status status = jn_slotine_li_regressor(e->model, e->work, s->q, s->v, s->v_r, s->a_r, Y);
  return write_regressor(e, j, key, Y, status);
}

jn_status want_gravity_regressor(evaluation *e, json_writer *j, const char *key) {
  if (too_large(regressor_size(e))) return JN_ERR_SIZE;
  double *Y = eval_room(e, regressor_size(e));
  return write_regressor(e, j, key, Y, jn_gravity_regressor(e->model, e->work, e->state->q, Y));
}

jn_status want_energy_regressor(evaluation *e, json_writer *j, const char *key) {
  int count = jn_parameter_count(e->model);
  double *Y = eval_room(e, 2 * parameter_size(e));
  jn_status status = jn_energy_regressor(e->model, e->work, e->state->q, e->state->v, Y);
  if (status != JN_OK || !j) return status;
  emit_open_object(j, key);
  emit_numbers(j, "kinetic", Y, count);
  emit_numbers(j, "potential", Y + count, count);
  emit_close_object(j);
  return JN_OK;
}

jn_status want_momentum_regressor(evaluation *e, json_writer *j, const char *key) {
  double *Y = eval_room(e, 6 * parameter_size(e));
  jn_status status = jn_momentum_regressor(e->model, e->work, e->state->q, e->state->v, Y);
  if (status == JN_OK && j) write_rows(e, j, key, Y, 6);
  return status;
}

jn_status want_regressor_jets(evaluation *e, json_writer *j, const char *key) {
  size_t row = regressor_size(e), rows = (size_t)e->order + 1;
  if (too_large(rows * row)) return JN_ERR_SIZE;
  double *Y = eval_room(e, rows * row);
  jn_status status = e->loops ? closed_regressor(e, e->order, Y)
                              : jn_regressor_jet(e->model, e->work, e->order, e->state->q, e->state->v, Y);
  if (status != JN_OK || !j) return status;
  emit_open_array(j, key);
  for (size_t k = 0; k < rows; k++) write_rows(e, j, NULL, Y + k * row, jn_model_nv(e->model));
  emit_close_array(j);
  return JN_OK;
}

/* ---- Derivatives ---- */

jn_status want_gravity_dpi(evaluation *e, json_writer *j, const char *key) {
  if (too_large(regressor_size(e))) return JN_ERR_SIZE;
  double *dg = eval_room(e, regressor_size(e));
  jn_status status = jn_parameter_derivatives(e->model, e->work, e->state->q, e->state->v, NULL, NULL, dg);
  return write_regressor(e, j, key, dg, status);
}

/* A matrix [nv x nv] for each parameter: of M, or of C. */
static jn_status matrix_dpi(evaluation *e, json_writer *j, const char *key, int coriolis) {
  size_t square = velocity_size(e) * velocity_size(e);
  int nv = jn_model_nv(e->model);
  if (too_large(square * parameter_size(e))) return JN_ERR_SIZE;
  double *D = eval_room(e, square * parameter_size(e));
  jn_status status = jn_parameter_derivatives(e->model, e->work, e->state->q, e->state->v, coriolis ? NULL : D,
                                              coriolis ? D : NULL, NULL);
  if (status != JN_OK || !j) return status;
  emit_open_array(j, key);
  for (size_t p = 0; p < parameter_size(e); p++) emit_matrix(j, NULL, D + p * square, nv, nv);
  emit_close_array(j);
  return JN_OK;
}

jn_status want_mass_matrix_dpi(evaluation *e, json_writer *j, const char *key) { return matrix_dpi(e, j, key, 0); }
jn_status want_coriolis_matrix_dpi(evaluation *e, json_writer *j, const char *key) { return matrix_dpi(e, j, key, 1); }

/* With --losses that of the motion which tau - loss(v) makes, as of ddq. */
jn_status want_da_dpi(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  if (too_large(regressor_size(e))) return JN_ERR_SIZE;
  double *D = eval_room(e, regressor_size(e) + 3 * nv + eval_closed_room(e)), *a = D + regressor_size(e);
  double *force = a + nv, *loss = force + nv;
  if (e->loops) return write_regressor(e, j, key, D, eval_closed_ddq_dpi(e, a, D));
  jn_status status = eval_driving_forces(e, loss, force);
  if (status != JN_OK) return status;
  status = jn_forward_dynamics_parameter_derivatives(e->model, e->work, s->q, s->v, force, s->wrench, a, D);
  return write_regressor(e, j, key, D, status);
}
