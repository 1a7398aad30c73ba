/* SPDX-License-Identifier: BSD-2-Clause */
/* Torques and their rates of a tree: inverse dynamics and its derivative in time, tau(q, v, a) and dtau/dt(q, v, a, j).
 * Values and Jacobians are those of jets of order 1; the Hessian is made of differences of the gradient. */
#include <string.h>

#include "function.h"

static jn_status create_rate(jn_function *f) { return jn_work_create_order(f->model, 1, &f->other_work); }

/* tau mixes q, v, a; its rate also has M j, and is linear in a and j, each with coefficients that depend on q and v. */
static void rate_pattern(jn_function *f) {
  jn__pattern_tree(f);
  for (int in = 0; in < 4; in++) {
    if (in < 3) jn__pattern_related(f, 0, in);
    jn__pattern_related(f, 1, in);
    jn__pattern_hessian(f, 0, in);
  }
  jn__pattern_hessian(f, 1, 1);
  jn__pattern_hessian(f, 1, 2);
}

/* The jet (v, a, j) [3 x nv], one after the other; takes 3 nv numbers of room. */
static const double *velocity_jet(const jn_function *f, double *room) {
  size_t bytes = (size_t)f->nv * sizeof *room;
  memcpy(room, f->v, bytes);
  memcpy(room + f->nv, f->u, bytes);
  memcpy(room + 2 * f->nv, f->w, bytes);
  return room;
}

static jn_status rate_value(jn_function *f, double *y) {
  const double *v_jet = velocity_jet(f, f->room);
  return jn_inverse_dynamics_jet(f->model, f->other_work, 1, f->q, v_jet, NULL, y);
}

/* J [2 nv x 4 nv] from D[k][i], the derivative of the k-th rate by q and the rows of v_jet. */
static jn_status rate_jacobian(jn_function *f, double *J) {
  int n = f->nv;
  const double *v_jet = velocity_jet(f, f->room);
  double *D = f->room + 3 * n;
  jn_status status = jn_inverse_dynamics_jet_derivatives(f->model, f->other_work, 1, f->q, v_jet, NULL, D);
  for (int k = 0; k < 2 && status == JN_OK; k++)
    for (int in = 0; in < 4; in++)
      for (int i = 0; i < n; i++)
        memcpy(J + (k * n + i) * f->nt + in * n, D + ((k * 4 + in) * n + i) * n, (size_t)n * sizeof *J);
  return status;
}

const function_kind_of jn__function_torque_rate = {.in = {"q", "v", "a", "j"},
                                                   .out = {"tau", "tau_rate"},
                                                   .create = create_rate,
                                                   .pattern = rate_pattern,
                                                   .value = rate_value,
                                                   .jacobian = rate_jacobian};
