/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: time derivatives in closed form, rows by order. */
#include "../text/json.h"
#include "eval.h"

typedef jn_status matrix_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                             double *out);
typedef jn_status frame_jet(const jn_model *model, jn_work *work, int order, int frame, const double *q,
                            const double *v_jet, double *out);

/* `count` matrices, one for each order; a single row is written flat. */
static void write_list(json_writer *j, const char *key, const double *values, int count, int rows, int columns) {
  emit_open_array(j, key);
  for (int k = 0; k < count; k++, values += rows * columns) {
    if (rows == 1) {
      emit_numbers(j, NULL, values, columns);
    } else {
      emit_matrix(j, NULL, values, rows, columns);
    }
  }
  emit_close_array(j);
}

static void write_orders(const evaluation *e, json_writer *j, const char *key, const double *values, int rows,
                         int columns) {
  write_list(j, key, values, e->order + 1, rows, columns);
}

/* The key is the name that is wanted. */
static jn_status write_jet(evaluation *e, json_writer *j, const char *key, matrix_jet *compute, int rows, int columns) {
  double *out = eval_room(e, ((size_t)e->order + 1) * (size_t)rows * (size_t)columns);
  jn_status status =
      eval_ahead(e, key, out) ? JN_OK : compute(e->model, e->work, e->order, e->state->q, e->state->v, out);
  if (status == JN_OK && j) write_orders(e, j, key, out, rows, columns);
  return status;
}

static jn_status write_matrix(evaluation *e, json_writer *j, const char *key, matrix_jet *compute, int rows) {
  return write_jet(e, j, key, compute, rows, jn_model_nv(e->model));
}

jn_status want_mass_matrix_jets(evaluation *e, json_writer *j, const char *key) {
  return write_matrix(e, j, key, jn_mass_matrix_jet, jn_model_nv(e->model));
}

jn_status want_coriolis_matrix_jets(evaluation *e, json_writer *j, const char *key) {
  return write_matrix(e, j, key, jn_coriolis_matrix_jet, jn_model_nv(e->model));
}

jn_status want_gravity_jets(evaluation *e, json_writer *j, const char *key) {
  return write_matrix(e, j, key, jn_gravity_forces_jet, 1);
}

static jn_status write_frame(evaluation *e, json_writer *j, const char *key, frame_jet *compute, int frame, int rows,
                             int columns) {
  double *out = eval_room(e, ((size_t)e->order + 1) * (size_t)rows * (size_t)columns);
  jn_status status = compute(e->model, e->work, e->order, frame, e->state->q, e->state->v, out);
  if (status == JN_OK && j) write_orders(e, j, key, out, rows, columns);
  return status;
}

/* Of the frame of --link, or an object with all of them. */
static jn_status write_frames(evaluation *e, json_writer *j, const char *key, frame_jet *compute, int rows,
                              int columns) {
  if (e->frame != JN_NONE) return write_frame(e, j, key, compute, e->frame, rows, columns);
  jn_status status = JN_OK;
  if (j) emit_open_object(j, key);
  for (int i = 0; i < jn_frame_count(e->model) && status == JN_OK; i++)
    status = write_frame(e, j, jn_frame_name(e->model, i), compute, i, rows, columns);
  if (j) emit_close_object(j);
  return status;
}

jn_status want_twist_jets(evaluation *e, json_writer *j, const char *key) {
  return write_frames(e, j, key, jn_frame_twist_jet, 1, 6);
}

jn_status want_jacobian_jets(evaluation *e, json_writer *j, const char *key) {
  return write_frames(e, j, key, jn_frame_jacobian_jet, 6, jn_model_nv(e->model));
}

jn_status want_rate_matrices(evaluation *e, json_writer *j, const char *key) {
  int nv = jn_model_nv(e->model), count = e->order + 2;
  double *P = eval_room(e, (size_t)count * (size_t)nv * (size_t)nv);
  jn_status status = jn_rate_matrices(e->model, e->work, e->order, e->state->q, e->state->v, P);
  if (status == JN_OK && j) write_list(j, key, P, count, nv, nv);
  return status;
}

jn_status want_joint_wrenches_jets(evaluation *e, json_writer *j, const char *key) {
  int links = jn_link_count(e->model);
  size_t rows = (size_t)e->order + 1;
  double *F = eval_room(e, rows * 6 * (size_t)(links + 1) + eval_loaded_room(e, e->order));
  double *own = F + rows * 6 * (size_t)links;
  const eval_state *s = e->state;
  const double *wrench = s->wrench;
  jn_status status = eval_loaded_links(e, e->order, own + rows * 6, &wrench);
  if (status == JN_OK) status = jn_joint_wrenches_jet(e->model, e->work, e->order, s->q, s->v, wrench, F);
  if (status != JN_OK || !j) return status;
  emit_open_object(j, key);
  for (int l = 0; l < links; l++) {
    for (size_t k = 0; k < 6 * rows; k++) own[k] = F[(k / 6 * (size_t)links + (size_t)l) * 6 + k % 6];
    write_orders(e, j, jn_link_name(e->model, l), own, 1, 6);
  }
  emit_close_object(j);
  return status;
}

jn_status want_momentum_jets(evaluation *e, json_writer *j, const char *key) {
  return write_jet(e, j, key, jn_momentum_jet, 1, 6);
}

jn_status want_com_jets(evaluation *e, json_writer *j, const char *key) {
  return write_jet(e, j, key, jn_center_of_mass_jet, 1, 3);
}

jn_status want_energy_jets(evaluation *e, json_writer *j, const char *key) {
  return write_jet(e, j, key, jn_energy_jet, 1, 2);
}
