/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: derivatives with respect to the state, jounce/derivatives.h. With --losses all of them are those of
 * tau + loss(v), or of the motion that tau - loss(v) makes. Friction counts as constant. */
#include <limits.h>

#include "../text/json.h"
#include "eval.h"

static size_t velocity_size(const evaluation *e) { return (size_t)jn_model_nv(e->model); }
static size_t matrix_size(const evaluation *e) { return velocity_size(e) * velocity_size(e); }
static size_t tensor_size(const evaluation *e) { return matrix_size(e) * velocity_size(e); }
static size_t wrench_size(const evaluation *e) { return velocity_size(e) * 6 * (size_t)jn_link_count(e->model); }

/* Such a tensor the library does not compute: no need to ask for the memory. */
static int tensor_too_large(const evaluation *e) { return tensor_size(e) > INT_MAX; }

/* ---- Writing ---- */

static void write_square(const evaluation *e, json_writer *j, const char *key, const double *values) {
  int nv = jn_model_nv(e->model);
  emit_matrix(j, key, values, nv, nv);
}

static void write_squares(const evaluation *e, json_writer *j, const char *key, const double *values, int count) {
  emit_open_array(j, key);
  for (int i = 0; i < count; i++, values += matrix_size(e)) write_square(e, j, NULL, values);
  emit_close_array(j);
}

static void write_tensor(const evaluation *e, json_writer *j, const char *key, const double *values) {
  write_squares(e, j, key, values, jn_model_nv(e->model));
}

/* values [nv x nlink x 6] as an object by links of [nv x 6]; `own` [nv x 6] is scratch. */
static void write_links(const evaluation *e, json_writer *j, const char *key, const double *values, double *own) {
  size_t nv = velocity_size(e), links = (size_t)jn_link_count(e->model);
  emit_open_object(j, key);
  for (size_t l = 0; l < links; l++) {
    for (size_t i = 0; i < 6 * nv; i++) own[i] = values[(i / 6 * links + l) * 6 + i % 6];
    emit_matrix(j, jn_link_name(e->model, (int)l), own, (int)nv, 6);
  }
  emit_close_object(j);
}

/* ---- Losses ---- */

/* d loss / dv, which is diagonal, also of coupled coordinates: damping [nv], zero without --losses. */
jn_status eval_damping(const evaluation *e, double *damping) {
  if (e->losses) return jn_loss_coefficients(e->model, damping, NULL);
  for (size_t i = 0; i < velocity_size(e); i++) damping[i] = 0;
  return JN_OK;
}

/* D += sign X diag(damping), with X the identity when it is NULL. */
static void add_damping(const evaluation *e, double sign, const double *X, const double *damping, double *D) {
  size_t nv = velocity_size(e);
  for (size_t i = 0; i < nv * nv; i++) {
    double x = X ? X[i] : i / nv == i % nv;
    D[i] += sign * x * damping[i % nv];
  }
}

/* ---- First derivatives ---- */

static size_t part_size(const evaluation *e, eval_part p) { return p == BY_WRENCH ? wrench_size(e) : matrix_size(e); }

static void write_part(const evaluation *e, json_writer *j, const char *key, eval_part p, const double *D,
                       double *own) {
  if (p == BY_WRENCH) {
    write_links(e, j, key, D, own);
  } else {
    write_square(e, j, key, D);
  }
}

static jn_status inverse(evaluation *e, json_writer *j, const char *key, eval_part p) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *D = eval_room(e, part_size(e, p) + 6 * nv + eval_closed_room(e)), *own = D + part_size(e, p);
  double *out[PARTS] = {NULL};
  out[p] = D;
  if (e->loops) {
    jn_status closed = eval_closed_dtau(e, p, own + 6 * nv, D);
    if (closed == JN_OK && j) write_part(e, j, key, p, D, own);
    return closed;
  }
  jn_status status = eval_ahead(e, key, D)
                         ? JN_OK
                         : jn_inverse_dynamics_derivatives(e->model, e->work, s->q, s->v, s->a, s->wrench, e->hold,
                                                           out[BY_Q], out[BY_V], out[BY_LAST], out[BY_WRENCH]);
  if (status == JN_OK && p == BY_V) {
    status = eval_damping(e, own);
    add_damping(e, 1, NULL, own, D);
  }
  if (status == JN_OK && j) write_part(e, j, key, p, D, own);
  return status;
}

jn_status want_dtau_dq(evaluation *e, json_writer *j, const char *key) { return inverse(e, j, key, BY_Q); }
jn_status want_dtau_dv(evaluation *e, json_writer *j, const char *key) { return inverse(e, j, key, BY_V); }
jn_status want_dtau_da(evaluation *e, json_writer *j, const char *key) { return inverse(e, j, key, BY_LAST); }
jn_status want_dtau_dwrench(evaluation *e, json_writer *j, const char *key) { return inverse(e, j, key, BY_WRENCH); }

static jn_status forward(evaluation *e, json_writer *j, const char *key, eval_part p) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *D = eval_room(e, part_size(e, p) + matrix_size(e) + 8 * nv + eval_closed_room(e)),
         *dtau = D + part_size(e, p);
  if (e->loops) {
    jn_status closed = eval_closed_ddq(e, p, dtau + 6 * nv, D);
    if (closed == JN_OK && j) write_part(e, j, key, p, D, dtau);
    return closed;
  }
  double *a = dtau + matrix_size(e), *force = a + nv, *own = force + nv, *out[PARTS] = {[BY_LAST] = dtau};
  out[p] = D; /* da/dtau is always computed */
  bool ahead = eval_ahead(e, key, D);
  jn_status status = ahead ? JN_OK : eval_driving_forces(e, own, force);
  if (status != JN_OK) return status;
  if (!ahead)
    status = jn_forward_dynamics_derivatives(e->model, e->work, s->q, s->v, force, s->wrench, e->hold, a, out[BY_Q],
                                             out[BY_V], out[BY_LAST], out[BY_WRENCH]);
  if (status == JN_OK && p == BY_V && !ahead) { /* ahead is without losses */
    status = eval_damping(e, own);
    add_damping(e, -1, dtau, own, D);
  }
  if (status == JN_OK && j) write_part(e, j, key, p, D, own);
  return status;
}

jn_status want_da_dq(evaluation *e, json_writer *j, const char *key) { return forward(e, j, key, BY_Q); }
jn_status want_da_dv(evaluation *e, json_writer *j, const char *key) { return forward(e, j, key, BY_V); }
jn_status want_da_dtau(evaluation *e, json_writer *j, const char *key) { return forward(e, j, key, BY_LAST); }
jn_status want_da_dwrench(evaluation *e, json_writer *j, const char *key) { return forward(e, j, key, BY_WRENCH); }

static void write_hybrid(const evaluation *e, json_writer *j, const char *key, const jn_hybrid_derivatives *d) {
  emit_open_object(j, key);
  write_square(e, j, "da_dq", d->da_dq);
  write_square(e, j, "da_dv", d->da_dv);
  write_square(e, j, "da_dgiven", d->da_dgiven);
  write_square(e, j, "dtau_dq", d->dtau_dq);
  write_square(e, j, "dtau_dv", d->dtau_dv);
  write_square(e, j, "dtau_dgiven", d->dtau_dgiven);
  emit_close_object(j);
}

/* With losses, what is given to the library of a coordinate that is not prescribed is tau - loss, and what the user
 * calls tau is that of the library + loss. */
jn_status want_hybrid_derivatives(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e), n2 = matrix_size(e);
  double *D = eval_room(e, 6 * n2 + 6 * nv + eval_closed_room(e)), *a = D + 6 * n2, *tau = a + nv, *force = tau + nv,
         *damping = force + nv;
  jn_hybrid_derivatives d = {.a = a, .tau = tau, .da_dq = D, .dtau_dq = D + n2};
  d.da_dv = D + 2 * n2, d.dtau_dv = D + 3 * n2, d.da_dgiven = D + 4 * n2, d.dtau_dgiven = D + 5 * n2;
  jn_status status = eval_driving_forces(e, damping, force);
  if (status != JN_OK) return status;
  status = e->loops ? eval_closed_hybrid(e, damping + 3 * nv, &d)
                    : jn_hybrid_dynamics_derivatives(e->model, e->work, s->prescribed, s->q, s->v, s->a, force,
                                                     s->wrench, e->hold, &d);
  if (status == JN_OK) status = eval_damping(e, damping);
  if (status != JN_OK) return status;
  add_damping(e, 1, NULL, damping, d.dtau_dv);
  for (size_t i = 0; i < nv; i++) {
    if (s->prescribed[i]) damping[i] = 0;
  }
  add_damping(e, -1, d.da_dgiven, damping, d.da_dv);
  add_damping(e, -1, d.dtau_dgiven, damping, d.dtau_dv);
  if (j) write_hybrid(e, j, key, &d);
  return JN_OK;
}

/* ---- Second derivatives ---- */

static void write_second(const evaluation *e, json_writer *j, const char *key, const double *const tensors[4],
                         const char *last) {
  const char *const names[4] = {"dqdq", "dqdv", "dvdv", last};
  emit_open_object(j, key);
  for (int i = 0; i < 4; i++) write_tensor(e, j, names[i], tensors[i]);
  emit_close_object(j);
}

jn_status want_second_tau(evaluation *e, json_writer *j, const char *key) {
  if (e->loops) return JN_ERR_UNSUPPORTED; /* known of trees only */
  const eval_state *s = e->state;
  size_t n3 = tensor_size(e);
  if (tensor_too_large(e)) return JN_ERR_SIZE;
  double *qq = eval_room(e, 4 * n3), *qv = qq + n3, *vv = qv + n3, *qa = vv + n3;
  jn_status status =
      jn_inverse_dynamics_second_derivatives(e->model, e->work, s->q, s->v, s->a, s->wrench, e->hold, qq, qv, vv, qa);
  if (status == JN_OK && j) write_second(e, j, key, (const double *[4]){qq, qv, vv, qa}, "dqda");
  return status;
}

/* With losses ddq(q, v, tau) = f(q, v, tau - D v - friction). As df/dtau depends on q alone, only d2/dq dv changes, by
 * -d2f/dq dtau D. */
jn_status want_second_a(evaluation *e, json_writer *j, const char *key) {
  if (e->loops) return JN_ERR_UNSUPPORTED; /* known of trees only */
  const eval_state *s = e->state;
  size_t nv = velocity_size(e), n2 = matrix_size(e), n3 = tensor_size(e);
  if (tensor_too_large(e)) return JN_ERR_SIZE;
  double *qq = eval_room(e, 5 * n3 + 3 * n2 + 5 * nv), *qv = qq + n3, *vv = qv + n3, *qtau = vv + n3, *room = qtau + n3;
  double *da_dq = room + n3, *da_dv = da_dq + n2, *da_dtau = da_dv + n2, *a = da_dtau + n2, *force = a + nv,
         *damping = force + nv;
  jn_status status = eval_driving_forces(e, damping, force);
  if (status != JN_OK) return status;
  status = jn_forward_dynamics_derivatives(e->model, e->work, s->q, s->v, force, s->wrench, e->hold, a, da_dq, da_dv,
                                           da_dtau, NULL);
  if (status != JN_OK) return status;
  status = jn_forward_dynamics_second_derivatives(
      e->model, e->work, s->q, s->v, s->wrench, e->hold,
      &(jn_forward_solution){.a = a, .da_dq = da_dq, .da_dv = da_dv, .da_dtau = da_dtau},
      &(jn_forward_second_derivatives){
          .d2a_dqdq = qq, .d2a_dqdv = qv, .d2a_dqdtau = qtau, .d2a_dvdv = vv, .room = room});
  if (status == JN_OK) status = eval_damping(e, damping);
  if (status != JN_OK) return status;
  for (size_t h = 0; h < nv; h++) add_damping(e, -1, qtau + h * n2, damping, qv + h * n2);
  if (j) write_second(e, j, key, (const double *[4]){qq, qv, vv, qtau}, "dqdtau");
  return JN_OK;
}

/* ---- Matrices ---- */

jn_status want_mass_matrix_dq(evaluation *e, json_writer *j, const char *key) {
  if (tensor_too_large(e)) return JN_ERR_SIZE;
  double *dM = eval_room(e, tensor_size(e));
  jn_status status = jn_mass_matrix_derivative(e->model, e->work, e->state->q, dM);
  if (status == JN_OK && j) write_tensor(e, j, key, dM);
  return status;
}

jn_status want_mass_matrix_inverse_dq(evaluation *e, json_writer *j, const char *key) {
  if (tensor_too_large(e)) return JN_ERR_SIZE;
  double *dMinv = eval_room(e, tensor_size(e) + matrix_size(e)), *Minv = dMinv + tensor_size(e);
  jn_status status = jn_mass_matrix_inverse_derivative(e->model, e->work, e->state->q, Minv, dMinv);
  if (status == JN_OK && j) write_tensor(e, j, key, dMinv);
  return status;
}

typedef jn_status matrix_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v, double *dq,
                                     double *dv);

static jn_status matrix_part(evaluation *e, json_writer *j, const char *key, matrix_derivatives *compute, eval_part p) {
  if (tensor_too_large(e)) return JN_ERR_SIZE;
  double *D = eval_room(e, tensor_size(e));
  jn_status status = compute(e->model, e->work, e->state->q, e->state->v, p == BY_Q ? D : NULL, p == BY_V ? D : NULL);
  if (status == JN_OK && j) write_tensor(e, j, key, D);
  return status;
}

jn_status want_coriolis_matrix_dq(evaluation *e, json_writer *j, const char *key) {
  return matrix_part(e, j, key, jn_coriolis_matrix_derivatives, BY_Q);
}

jn_status want_coriolis_matrix_dv(evaluation *e, json_writer *j, const char *key) {
  return matrix_part(e, j, key, jn_coriolis_matrix_derivatives, BY_V);
}

jn_status want_mass_matrix_rate_dq(evaluation *e, json_writer *j, const char *key) {
  return matrix_part(e, j, key, jn_mass_matrix_rate_derivatives, BY_Q);
}

jn_status want_mass_matrix_rate_dv(evaluation *e, json_writer *j, const char *key) {
  return matrix_part(e, j, key, jn_mass_matrix_rate_derivatives, BY_V);
}

jn_status want_gravity_dq(evaluation *e, json_writer *j, const char *key) {
  double *dg = eval_room(e, matrix_size(e));
  jn_status status = jn_gravity_forces_derivative(e->model, e->work, e->state->q, dg);
  if (status == JN_OK && j) write_square(e, j, key, dg);
  return status;
}

/* ---- Time derivatives ---- */

jn_status want_dtau_jets(evaluation *e, json_writer *j, const char *key) {
  if (e->loops) return JN_ERR_UNSUPPORTED; /* known of trees only */
  const eval_state *s = e->state;
  size_t nv = velocity_size(e), n2 = matrix_size(e), rows = (size_t)e->order + 1, row = (rows + 2) * n2;
  double *D = eval_room(e, rows * row + 3 * nv), *damping = D + rows * row;
  jn_status status = jn_inverse_dynamics_jet_derivatives(e->model, e->work, e->order, s->q, s->v, s->wrench, D);
  if (status == JN_OK) status = eval_damping(e, damping);
  if (status != JN_OK || !j) return status;
  emit_open_array(j, key);
  for (size_t k = 0; k < rows; k++) {
    double *Dk = D + k * row;
    add_damping(e, 1, NULL, damping, Dk + (k + 1) * n2); /* d tau^(k) / d v^(k) */
    write_squares(e, j, NULL, Dk, e->order + 3);
  }
  emit_close_array(j);
  return JN_OK;
}
