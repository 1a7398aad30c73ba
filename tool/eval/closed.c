/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: derivatives of the dynamics of models with loops, in the form that those of the tree have. With --losses
 * they have damping in them: what passive joints lose acts on the mechanism. */
#include "../text/json.h"
#include "eval.h"

static size_t velocity_size(const evaluation *e) { return (size_t)jn_model_nv(e->model); }
static size_t rows_size(const evaluation *e) { return (size_t)jn_loops_rows(e->loops); }

/* ---- Wrenches of loops ---- */

size_t eval_loaded_room(const evaluation *e, int order) {
  size_t rows = (size_t)order + 1, nv = velocity_size(e);
  if (!e->loops) return 0;
  return rows * (6 * (size_t)jn_link_count(e->model) + rows_size(e) + 2 * nv) + 2 * nv;
}

jn_status eval_loaded_links(const evaluation *e, int order, double *room, const double **wrench) {
  const eval_state *s = e->state;
  size_t rows = (size_t)order + 1, nv = velocity_size(e);
  double *links = room, *lambda = links + rows * 6 * (size_t)jn_link_count(e->model);
  double *tau = lambda + rows * rows_size(e), *passive = tau + rows * nv, *loss = passive + rows * nv;
  if (!e->loops) return JN_OK;
  jn_status status = eval_closed_inverse(e, order, passive, loss, tau, lambda);
  if (status == JN_OK) status = jn_loops_link_wrenches_jet(e->loops, order, s->q, s->v, lambda, s->wrench, links);
  *wrench = links;
  return status;
}

/* ---- Derivatives ---- */

size_t eval_closed_room(const evaluation *e) {
  size_t nv = velocity_size(e), m = rows_size(e);
  return e->loops ? (nv + m) * nv + 8 * nv + m : 0;
}

/* D += sign X diag(damping), X [rows x nv]. */
static void add_damping(size_t rows, size_t nv, double sign, const double *X, const double *damping, double *D) {
  for (size_t i = 0; i < rows * nv; i++) D[i] += sign * X[i] * damping[i % nv];
}

/* Of inverse dynamics; what `out` asks for. room [4 nv]. */
static jn_status inverse(const evaluation *e, double *room, const jn_loops_inverse_derivatives *out) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *passive = room, *loss = room + nv;
  if (!s->has_actuated) return JN_ERR_ACTUATION;
  for (size_t i = 0; i < nv; i++) passive[i] = loss[i] = 0;
  jn_status status = e->losses ? jn_loss_forces(e->model, s->v, loss) : JN_OK;
  for (size_t i = 0; i < nv; i++) passive[i] = -loss[i];
  if (status != JN_OK) return status;
  return jn_loops_inverse_dynamics_derivatives(e->loops, s->actuated, e->choice, NULL, s->q, s->v, s->a, passive,
                                               s->wrench, e->hold, NULL, NULL, out);
}

jn_status eval_closed_dtau(const evaluation *e, eval_part p, double *room, double *D) {
  size_t nv = velocity_size(e);
  double *passive = room, *damping = passive + nv * nv;
  jn_loops_inverse_derivatives out = {.dtau_dpassive = passive};
  *(p == BY_Q ? &out.dtau_dq : p == BY_V ? &out.dtau_dv : p == BY_LAST ? &out.dtau_da : &out.dtau_dwrench) = D;
  jn_status status = inverse(e, damping + nv, &out);
  if (status == JN_OK) status = eval_damping(e, damping);
  if (status != JN_OK || p != BY_V) return status;
  add_damping(nv, nv, -1, passive, damping, D);
  for (size_t i = 0; i < nv; i++) D[i * (nv + 1)] += damping[i]; /* passive rows are zero again */
  return JN_OK;
}

/* Of forward dynamics, and with `hybrid` of hybrid dynamics; what `out` asks for. room [5 nv + m]. */
static jn_status forward(const evaluation *e, bool hybrid, double *room, const jn_loops_derivatives *out) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e);
  double *motion = room, *force = motion + 2 * nv, *loss = force + nv, *tau = loss, *lambda = loss + 2 * nv;
  jn_status status = eval_driving_forces(e, loss, force);
  if (status == JN_OK && hybrid)
    status =
        jn_loops_hybrid_dynamics_jet(e->loops, 0, s->prescribed, s->q, s->v, force, s->wrench, motion, tau, lambda);
  if (status == JN_OK && !hybrid)
    status = jn_loops_forward_dynamics_jet(e->loops, 0, s->q, s->v, force, s->wrench, motion, lambda);
  if (status != JN_OK) return status;
  return jn_loops_dynamics_derivatives(e->loops, hybrid ? s->prescribed : NULL, s->q, s->v, motion + nv, lambda,
                                       s->wrench, e->hold, out);
}

jn_status eval_closed_ddq(const evaluation *e, eval_part p, double *room, double *D) {
  size_t nv = velocity_size(e);
  double *given = room, *damping = given + nv * nv;
  jn_loops_derivatives out = {.da_dgiven = p == BY_LAST ? D : given};
  if (p != BY_LAST) *(p == BY_Q ? &out.da_dq : p == BY_V ? &out.da_dv : &out.da_dwrench) = D;
  jn_status status = forward(e, false, damping + nv, &out);
  if (status == JN_OK) status = eval_damping(e, damping);
  if (status == JN_OK && p == BY_V) add_damping(nv, nv, -1, given, damping, D);
  return status;
}

jn_status eval_closed_ddq_dpi(const evaluation *e, double *room, double *D) {
  return forward(e, false, room, &(const jn_loops_derivatives){.da_dpi = D});
}

jn_status eval_closed_hybrid(const evaluation *e, double *room, jn_hybrid_derivatives *d) {
  const jn_loops_derivatives out = {.da_dq = d->da_dq,
                                    .da_dv = d->da_dv,
                                    .da_dgiven = d->da_dgiven,
                                    .dtau_dq = d->dtau_dq,
                                    .dtau_dv = d->dtau_dv,
                                    .dtau_dgiven = d->dtau_dgiven};
  return forward(e, true, room, &out);
}

/* Of the multipliers that --lambda chooses, by q, v, and the given: tau, a, or what is given of hybrid dynamics. */
jn_status want_lambda_derivatives(evaluation *e, json_writer *j, const char *key) {
  const eval_state *s = e->state;
  size_t nv = velocity_size(e), m = rows_size(e);
  double *D = eval_room(e, 4 * m * nv + 8 * nv + m), *by[4] = {D, D + m * nv, D + 2 * m * nv, D + 3 * m * nv};
  double *damping = D + 4 * m * nv, *room = damping + nv;
  jn_status status = JN_OK;
  if (e->loops && e->lambda == LAMBDA_TAU) {
    status = inverse(e, room,
                     &(const jn_loops_inverse_derivatives){
                         .dlambda_dq = by[0], .dlambda_dv = by[1], .dlambda_da = by[2], .dlambda_dpassive = by[3]});
  } else if (e->loops) {
    const jn_loops_derivatives out = {.dlambda_dq = by[0], .dlambda_dv = by[1], .dlambda_dgiven = by[2]};
    status = forward(e, e->lambda == LAMBDA_HYBRID, room, &out);
  }
  if (status == JN_OK) status = eval_damping(e, damping);
  if (status != JN_OK || !j) return status;
  for (size_t i = 0; i < nv; i++) {
    if (e->lambda == LAMBDA_HYBRID && s->prescribed[i]) damping[i] = 0;
  }
  add_damping(m, nv, -1, e->lambda == LAMBDA_TAU ? by[3] : by[2], damping, by[1]);
  emit_open_object(j, key);
  emit_matrix(j, "dlambda_dq", by[0], (int)m, (int)nv);
  emit_matrix(j, "dlambda_dv", by[1], (int)m, (int)nv);
  emit_matrix(j, "dlambda_dgiven", by[2], (int)m, (int)nv);
  emit_close_object(j);
  return JN_OK;
}
