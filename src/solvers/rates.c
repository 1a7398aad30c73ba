/* SPDX-License-Identifier: BSD-2-Clause */
/* Torques and their rates of a tree: inverse dynamics and its derivative in time, tau(q, v, a) and dtau/dt(q, v, a, j).
 * Values and Jacobians are those of jets of order 1; the Hessian is made of differences of the gradient. */
#include <string.h>

#include "function.h"

static jn_status create_rate(jn_function *function) {
  return jn_work_create_order(function->model, 1, &function->other_work);
}

/* tau mixes q, v, a; its rate also has M j, and is linear in a and j, each with coefficients that depend on q and v. */
static void rate_pattern(jn_function *function) {
  jn__pattern_tree(function);
  for (int in = 0; in < 4; in++) {
    if (in < 3) jn__pattern_related(function, 0, in);
    jn__pattern_related(function, 1, in);
    jn__pattern_hessian(function, 0, in);
  }
  jn__pattern_hessian(function, 1, 1);
  jn__pattern_hessian(function, 1, 2);
}

/* The jet (v, a, j) [3 x nv], one after the other; takes 3 nv numbers of room. */
static const double *velocity_jet(const jn_function *function, double *scratch) {
  size_t bytes = (size_t)function->nv * sizeof *scratch;
  memcpy(scratch, function->v, bytes);
  memcpy(scratch + function->nv, function->u, bytes);
  memcpy(scratch + 2 * function->nv, function->w, bytes);
  return scratch;
}

static jn_status rate_value(jn_function *function, double *y) {
  const double *v_jet = velocity_jet(function, function->scratch);
  return jn_inverse_dynamics_jet(function->model, function->other_work, 1, function->q, v_jet, NULL, y);
}

/* J [2 nv x 4 nv] from D[k][i], the derivative of the k-th rate by q and the rows of v_jet. */
static jn_status rate_jacobian(jn_function *function, double *J) {
  int n = function->nv;
  const double *v_jet = velocity_jet(function, function->scratch);
  double *D = function->scratch + 3 * n;
  jn_status status =
      jn_inverse_dynamics_jet_derivatives(function->model, function->other_work, 1, function->q, v_jet, NULL, D);
  for (int k = 0; k < 2 && status == JN_OK; k++)
    for (int in = 0; in < 4; in++)
      for (int i = 0; i < n; i++)
        memcpy(J + (k * n + i) * function->nt + in * n, D + ((k * 4 + in) * n + i) * n, (size_t)n * sizeof *J);
  return status;
}

const function_kind_of jn__function_torque_rate = {.in = {"q", "v", "a", "j"},
                                                   .out = {"tau", "tau_rate"},
                                                   .create = create_rate,
                                                   .pattern = rate_pattern,
                                                   .value = rate_value,
                                                   .jacobian = rate_jacobian};
