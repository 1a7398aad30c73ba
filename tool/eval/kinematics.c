/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: motion of links and frames, centre of mass, momentum. */
#include "../text/json.h"
#include "eval.h"

/* ---- Links and frames ---- */

typedef enum frame_quantity { POSE, TWIST, ACCELERATION, JACOBIAN, JACOBIAN_RATE } frame_quantity;

static jn_status compute_frame(const evaluation *e, frame_quantity what, int frame, double *values) {
  const eval_state *s = e->state;
  switch (what) {
    case POSE:
      return jn_frame_pose(e->model, e->work, frame, s->q, values);
    case TWIST:
      return jn_frame_twist(e->model, e->work, frame, e->in, s->q, s->v, values);
    case ACCELERATION:
      return jn_frame_acceleration(e->model, e->work, frame, e->in, s->q, s->v, s->a, values);
    case JACOBIAN:
      return jn_frame_jacobian(e->model, e->work, frame, e->in, s->q, values);
    case JACOBIAN_RATE:
      break;
  }
  return jn_frame_jacobian_rate(e->model, e->work, frame, e->in, s->q, s->v, values);
}

static jn_status write_frame(evaluation *e, json_writer *j, const char *key, frame_quantity what, int frame) {
  int nv = jn_model_nv(e->model);
  double *values = eval_room(e, 16 + 6 * (size_t)nv);
  jn_status status = compute_frame(e, what, frame, values);
  if (status != JN_OK || !j) return status;
  if (what == POSE) {
    emit_matrix(j, key, values, 4, 4);
  } else if (what == JACOBIAN || what == JACOBIAN_RATE) {
    emit_matrix(j, key, values, 6, nv);
  } else {
    emit_numbers(j, key, values, 6);
  }
  return JN_OK;
}

/* Of the frame of --link, or an object with all of them. */
static jn_status write_frames(evaluation *e, json_writer *j, const char *key, frame_quantity what) {
  if (e->frame != JN_NONE) return write_frame(e, j, key, what, e->frame);
  jn_status status = JN_OK;
  if (j) emit_open_object(j, key);
  for (int i = 0; i < jn_frame_count(e->model) && status == JN_OK; i++) {
    status = write_frame(e, j, jn_frame_name(e->model, i), what, i);
  }
  if (j) emit_close_object(j);
  return status;
}

jn_status want_pose(evaluation *e, json_writer *j, const char *key) { return write_frames(e, j, key, POSE); }

jn_status want_twist(evaluation *e, json_writer *j, const char *key) { return write_frames(e, j, key, TWIST); }

jn_status want_acceleration(evaluation *e, json_writer *j, const char *key) {
  return write_frames(e, j, key, ACCELERATION);
}

jn_status want_jacobian(evaluation *e, json_writer *j, const char *key) { return write_frames(e, j, key, JACOBIAN); }

jn_status want_jacobian_rate(evaluation *e, json_writer *j, const char *key) {
  return write_frames(e, j, key, JACOBIAN_RATE);
}

jn_status want_space_jacobian(evaluation *e, json_writer *j, const char *key) {
  int nv = jn_model_nv(e->model);
  double *J = eval_room(e, 6 * (size_t)nv);
  jn_status status = jn_space_jacobian(e->model, e->work, e->state->q, J);
  if (j && status == JN_OK) emit_matrix(j, key, J, 6, nv);
  return status;
}

jn_status want_space_jacobian_rate(evaluation *e, json_writer *j, const char *key) {
  int nv = jn_model_nv(e->model);
  double *dJ = eval_room(e, 6 * (size_t)nv);
  jn_status status = jn_space_jacobian_rate(e->model, e->work, e->state->q, e->state->v, dJ);
  if (j && status == JN_OK) emit_matrix(j, key, dJ, 6, nv);
  return status;
}

/* ---- Centre of mass ---- */

jn_status want_com(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  double c[3], dc[3], ddc[3];
  jn_status status = jn_center_of_mass(e->model, e->work, JN_WORLD, s->q, s->v, s->a, c, dc, ddc);
  if (status != JN_OK || !j) return status;
  emit_open_object(j, key);
  emit_numbers(j, "position", c, 3);
  emit_numbers(j, "velocity", dc, 3);
  emit_numbers(j, "acceleration", ddc, 3);
  emit_number(j, "mass", jn_model_mass(e->model));
  emit_close_object(j);
  return JN_OK;
}

jn_status want_com_jacobian(evaluation *e, json_writer *j, const char *key) {
  int nv = jn_model_nv(e->model);
  double *J = eval_room(e, 3 * (size_t)nv);
  jn_status status = jn_com_jacobian(e->model, e->work, JN_WORLD, e->state->q, J);
  if (j && status == JN_OK) emit_matrix(j, key, J, 3, nv);
  return status;
}

/* ---- Momentum ---- */

jn_status want_momentum(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  double centroidal[6], spatial[6];
  jn_status status = jn_momentum(e->model, e->work, JN_ABOUT_COM, s->q, s->v, centroidal);
  if (status == JN_OK) status = jn_momentum(e->model, e->work, JN_ABOUT_ORIGIN, s->q, s->v, spatial);
  if (status != JN_OK || !j) return status;
  emit_open_object(j, key);
  emit_numbers(j, "centroidal", centroidal, 6);
  emit_numbers(j, "spatial", spatial, 6);
  emit_close_object(j);
  return JN_OK;
}

/* The two matrices [6 x nv] in one object. */
static void write_momentum_matrices(const evaluation *e, json_writer *j, const char *key, const double *centroidal,
                                    const double *spatial) {
  int nv = jn_model_nv(e->model);
  emit_open_object(j, key);
  emit_matrix(j, "centroidal", centroidal, 6, nv);
  emit_matrix(j, "spatial", spatial, 6, nv);
  emit_close_object(j);
}

jn_status want_momentum_matrix(evaluation *e, json_writer *j, const char *key) {
  size_t size = 6 * (size_t)jn_model_nv(e->model);
  double *A = eval_room(e, 2 * size);
  jn_status status = jn_momentum_matrix(e->model, e->work, JN_ABOUT_COM, e->state->q, A);
  if (status == JN_OK) status = jn_momentum_matrix(e->model, e->work, JN_ABOUT_ORIGIN, e->state->q, A + size);
  if (j && status == JN_OK) write_momentum_matrices(e, j, key, A, A + size);
  return status;
}

jn_status want_momentum_matrix_rate(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t size = 6 * (size_t)jn_model_nv(e->model);
  double *dA = eval_room(e, 2 * size);
  jn_status status = jn_momentum_matrix_rate(e->model, e->work, JN_ABOUT_COM, s->q, s->v, dA);
  if (status == JN_OK) {
    status = jn_momentum_matrix_rate(e->model, e->work, JN_ABOUT_ORIGIN, s->q, s->v, dA + size);
  }
  if (j && status == JN_OK) write_momentum_matrices(e, j, key, dA, dA + size);
  return status;
}
