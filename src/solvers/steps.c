/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps in time of a tree: one step of jn_rollout_forward(), and derivatives of that step. */
#include "function.h"

#include <string.h>

static jn_status create_step(jn_function *f) {
  jn_simulation_options o;
  jn_simulation_options_init(&o);
  o.integrator = f->options.integrator;
  o.step = f->options.step;
  o.losses = f->options.losses;
  o.friction_speed = f->options.friction_speed;
  o.derivatives = 3;
  return jn_simulator_create(f->model, &o, &f->simulator);
}

static void step_pattern(jn_function *f) {
  jn__pattern_components(f);
  for (int in = 0; in < 3; in++) {
    jn__pattern_related(f, 0, in);
    jn__pattern_related(f, 1, in);
    for (int by = in; by < 3; by++) jn__pattern_hessian(f, in, by);
  }
}

static jn_status take_step(jn_function *f) {
  jn_rollout r;
  jn_rollout_init(&r);
  r.steps = 1;
  r.step = f->options.step;
  r.q = f->q, r.v = f->v, r.tau = f->u;
  return jn_rollout_forward(f->simulator, &r, 0, NULL);
}

static jn_status step_value(jn_function *f, double *y) {
  jn_status status = take_step(f);
  return status == JN_OK ? jn_simulator_get(f->simulator, NULL, y, y + f->nq) : status;
}

static jn_status step_jacobian(jn_function *f, double *J) {
  int n = f->nv;
  double *A = f->room, *B = A + 4 * n * n;
  jn_status status = take_step(f);
  if (status == JN_OK) status = jn_simulator_derivatives(f->simulator, A, B);
  for (int i = 0; i < 2 * n && status == JN_OK; i++) {
    for (int k = 0; k < 2 * n; k++) J[i * 3 * n + k] = A[i * 2 * n + k];
    for (int k = 0; k < n; k++) J[i * 3 * n + 2 * n + k] = B[i * n + k];
  }
  return status;
}

static jn_status step_adjoint(jn_function *f, const double *lambda, double *g) {
  jn_status status = take_step(f);
  return status == JN_OK ? jn_simulator_adjoint(f->simulator, lambda, g, g + 2 * f->nv, NULL) : status;
}

static jn_status step_hessian(jn_function *f, const double *lambda, double *g, double *G) {
  jn_status status = step_adjoint(f, lambda, g);
  return status == JN_OK ? jn_simulator_second_derivatives(f->simulator, lambda, G) : status;
}

/* Place of number i of (u, x) in (x, u). */
static int place_of(const jn_function *f, int i) { return i < f->nv ? f->m + i : i - f->nv; }

jn_status jn_function_discrete(jn_function *f, const double *x, const double *u, const double *pi, double *fun,
                               double *jac_ux, int ld_jac, double *hess_ux, int ld_hess) {
  if (!f || !x || !u || (hess_ux && !pi)) return JN_ERR_NULL;
  if (!f->is->has_next) return JN_ERR_UNSUPPORTED;
  int n = f->n, m = f->m; /* m = nx */
  if ((jac_ux && ld_jac < n) || (hess_ux && ld_hess < n)) return JN_ERR_SIZE;
  double *xu = f->whole, *y = xu + n, *M = y + m;
  memcpy(xu, x, (size_t)m * sizeof *xu);
  memcpy(xu + m, u, (size_t)f->nv * sizeof *xu);
  jn_status status = fun ? jn_function_value(f, xu, y) : JN_OK;
  if (fun && status == JN_OK) memcpy(fun, y, (size_t)m * sizeof *fun);
  if (jac_ux && status == JN_OK) status = jn_function_jacobian(f, xu, M);
  for (int i = 0; i < n && jac_ux && status == JN_OK; i++)
    for (int k = 0; k < m; k++) jac_ux[k * ld_jac + i] = M[k * n + place_of(f, i)];
  if (hess_ux && status == JN_OK) status = jn_function_hessian(f, xu, pi, NULL, M);
  for (int i = 0; i < n && hess_ux && status == JN_OK; i++)
    for (int k = 0; k < n; k++) hess_ux[k * ld_hess + i] = M[place_of(f, k) * n + place_of(f, i)];
  return status;
}

const function_kind_of jn__function_step = {.in = {"q", "v", "tau"},
                                            .out = {"q_next", "v_next"},
                                            .has_next = 1,
                                            .create = create_step,
                                            .pattern = step_pattern,
                                            .value = step_value,
                                            .jacobian = step_jacobian,
                                            .adjoint = step_adjoint,
                                            .hessian = step_hessian};
