/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps in time of a tree: one step of jn_rollout_forward(), and derivatives of that step. */
#include "function.h"

#include <string.h>

static jn_status create_step(jn_function *function) {
  jn_simulation_options o;
  jn_simulation_options_init(&o);
  o.integrator = function->options.integrator;
  o.step = function->options.step;
  o.losses = function->options.losses;
  o.friction_speed = function->options.friction_speed;
  o.derivatives = 3;
  return jn_simulator_create(function->model, &o, &function->simulator);
}

static void step_pattern(jn_function *function) {
  jn__pattern_components(function);
  for (int in = 0; in < 3; in++) {
    jn__pattern_related(function, 0, in);
    jn__pattern_related(function, 1, in);
    for (int by = in; by < 3; by++) jn__pattern_hessian(function, in, by);
  }
}

static jn_status take_step(jn_function *function) {
  jn_rollout r;
  jn_rollout_init(&r);
  r.steps = 1;
  r.step = function->options.step;
  r.q = function->q, r.v = function->v, r.tau = function->u;
  return jn_rollout_forward(function->simulator, &r, 0, NULL);
}

static jn_status step_value(jn_function *function, double *y) {
  jn_status status = take_step(function);
  return status == JN_OK ? jn_simulator_get(function->simulator, NULL, y, y + function->nq) : status;
}

static jn_status step_jacobian(jn_function *function, double *J) {
  int n = function->nv;
  double *A = function->scratch, *B = A + 4 * n * n;
  jn_status status = take_step(function);
  if (status == JN_OK) status = jn_simulator_derivatives(function->simulator, A, B);
  for (int i = 0; i < 2 * n && status == JN_OK; i++) {
    for (int k = 0; k < 2 * n; k++) J[i * 3 * n + k] = A[i * 2 * n + k];
    for (int k = 0; k < n; k++) J[i * 3 * n + 2 * n + k] = B[i * n + k];
  }
  return status;
}

static jn_status step_adjoint(jn_function *function, const double *lambda, double *g) {
  jn_status status = take_step(function);
  return status == JN_OK ? jn_simulator_adjoint(function->simulator, lambda, g, g + 2 * function->nv, NULL) : status;
}

static jn_status step_hessian(jn_function *function, const double *lambda, double *g, double *G) {
  jn_status status = step_adjoint(function, lambda, g);
  return status == JN_OK ? jn_simulator_second_derivatives(function->simulator, lambda, G) : status;
}

/* Index in (x, u) of number i of (u, x). */
static int index_in_xu(const jn_function *function, int i) {
  return i < function->nv ? function->m + i : i - function->nv;
}

jn_status jn_function_discrete(jn_function *function, const double *x, const double *u, const double *pi, double *fun,
                               double *jac_ux, int ld_jac, double *hess_ux, int ld_hess) {
  if (!function || !x || !u || (hess_ux && !pi)) return JN_ERR_NULL;
  if (!function->is->has_next) return JN_ERR_UNSUPPORTED;
  int n = function->n, m = function->m; /* m = nx */
  if ((jac_ux && ld_jac < n) || (hess_ux && ld_hess < n)) return JN_ERR_SIZE;

  /* x and u side by side. */
  double *xu = function->step_scratch, *y = xu + n, *M = y + m;
  memcpy(xu, x, (size_t)m * sizeof *xu);
  memcpy(xu + m, u, (size_t)function->nv * sizeof *xu);

  /* Values, Jacobian transposed, Hessian, in the order (u, x). */
  jn_status status = fun ? jn_function_value(function, xu, y) : JN_OK;
  if (fun && status == JN_OK) memcpy(fun, y, (size_t)m * sizeof *fun);
  if (jac_ux && status == JN_OK) status = jn_function_jacobian(function, xu, M);
  for (int i = 0; i < n && jac_ux && status == JN_OK; i++)
    for (int k = 0; k < m; k++) jac_ux[k * ld_jac + i] = M[k * n + index_in_xu(function, i)];
  if (hess_ux && status == JN_OK) status = jn_function_hessian(function, xu, pi, NULL, M);
  for (int i = 0; i < n && hess_ux && status == JN_OK; i++)
    for (int k = 0; k < n; k++) hess_ux[k * ld_hess + i] = M[index_in_xu(function, k) * n + index_in_xu(function, i)];
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
