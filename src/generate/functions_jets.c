/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives and derivatives by the configuration of functions that are written for values only: Taylor
 * coefficients on their graph. */
#include "functions.h"

typedef int value_function(jn_writing *w, jn_written_function *f);

static void free_values(jn_writing *w, jn_written_function *f) {
  for (int k = 0; k < f->outs; k++) jn__release(&w->allocator, f->out[k].values);
}

/* Coefficients of the motion q, v_jet: v_k = v_jet row k / k!, a_k = (k + 1) v_{k+1}. */
static void give_jet(jn_writing *w, jn_taylor *t, const jn_expr *series, int k) {
  int n = jn_model_nv(w->model);
  jn__taylor_move(t, &w->symbols, series, k);
  for (int i = 0; i < n; i++) {
    jn__taylor_give(t, jn__input(&w->graph, JN_ARRAY_V, i), k, series[k * n + i]);
    jn_expr a = jn__scale(&w->graph, k + 1, series[(k + 1) * n + i]);
    jn__taylor_give(t, jn__input(&w->graph, JN_ARRAY_A, i), k, a);
  }
  jn__taylor_step(t, k);
}

/* Row k of to [(order + 1) x size] is the derivative number k of from [size]. */
static int write_jet(jn_writing *w, const jn_expr *from, int size, jn_expr *to) {
  int n = jn_model_nv(w->model), order = w->options.order;
  jn_taylor t;
  jn_expr *series = jn__allocate(&w->allocator, (size_t)(n * (order + 2) + 1) * sizeof *series);
  double factorial = 1;
  if (!series || !jn__taylor_create(&t, &w->graph, from, size, order)) {
    jn__release(&w->allocator, series);
    return 0;
  }
  for (int k = 0; k < order + 2; k++) {
    if (k > 1) factorial *= k;
    for (int i = 0; i < n; i++)
      series[k * n + i] = jn__scale(&w->graph, 1 / factorial, jn__input(&w->graph, JN_ARRAY_V, k * n + i));
  }
  factorial = 1;
  for (int k = 0; k <= order; k++) {
    if (k > 1) factorial *= k;
    give_jet(w, &t, series, k);
    for (int i = 0; i < size; i++) to[k * size + i] = jn__scale(&w->graph, factorial, jn__taylor_at(&t, from[i], k));
  }
  jn__taylor_free(&t);
  jn__release(&w->allocator, series);
  return 1;
}

/* The jet `name` of the first result of a function. */
static int write_jet_of(jn_writing *w, jn_written_function *f, value_function *values, const char *name) {
  jn_written_function of = {.name = f->name};
  int n = jn_model_nv(w->model), order = w->options.order, good = values(w, &of);
  jn__add_argument(f, "q", JN_ARRAY_Q, jn_model_nq(w->model));
  jn__add_argument(f, "v_jet", JN_ARRAY_V, n * (order + 2));
  f->frames = of.frames;
  f->dropped = of.dropped;
  if (good) {
    int size = of.out[0].size, columns = of.out[0].columns > 0 ? of.out[0].columns : size;
    jn_expr *to = jn__add_result(w, f, name, size * (order + 1), columns);
    good = to && write_jet(w, of.out[0].values, size, to);
  }
  free_values(w, &of);
  return good;
}

/* d from / d q in the tangent space, [size x nv], of the first result of a function. */
static int write_derivative_of(jn_writing *w, jn_written_function *f, value_function *values, const char *name) {
  jn_written_function of = {.name = f->name};
  int n = jn_model_nv(w->model), good = values(w, &of);
  for (int k = 0; k < of.ins; k++) f->in[f->ins++] = of.in[k];
  f->frames = of.frames;
  if (good) {
    int size = of.out[0].size;
    jn_expr *to = jn__add_result(w, f, name, size * n, n);
    good = to && jn__write_columns(w, of.out[0].values, size, 0, to);
  }
  free_values(w, &of);
  return good;
}

int jn__write_gravity_forces_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "Gravity forces and their time derivatives along v_jet (v, a, da/dt, ...), one row for each order.";
  return write_jet_of(w, f, jn__write_gravity_forces_function, "g_jet");
}

int jn__write_mass_matrix_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "The mass matrix and its time derivatives along v_jet, one after the other.";
  return write_jet_of(w, f, jn__write_mass_matrix_function, "M_jet");
}

int jn__write_coriolis_matrix_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "The Coriolis matrix of jn_coriolis_matrix() and its time derivatives along v_jet, one after the other.";
  return write_jet_of(w, f, jn__write_coriolis_matrix_function, "C_jet");
}

int jn__write_momentum_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "Momentum about the world's origin and its time derivatives along v_jet, one row for each order.";
  return write_jet_of(w, f, jn__write_momentum_function, "h_jet");
}

int jn__write_center_of_mass_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "Centre of mass of all moving links and its time derivatives along v_jet, one row for each order.";
  return write_jet_of(w, f, jn__write_center_of_mass_function, "com_jet");
}

int jn__write_energy_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "Kinetic and potential energy and their time derivatives along v_jet, one row for each order.";
  return write_jet_of(w, f, jn__write_energies_function, "energy_jet");
}

int jn__write_frame_twists_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "Twists of the frames of the table and their time derivatives along v_jet, all frames for each order.";
  return write_jet_of(w, f, jn__write_frame_twists_function, "twist_jet");
}

int jn__write_joint_wrenches_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "Wrenches through the joints of all links and their time derivatives, all links for each order.";
  return write_jet_of(w, f, jn__write_joint_wrenches_function, "F_jet");
}

int jn__write_regressor_jet_function(jn_writing *w, jn_written_function *f) {
  f->about = "The torque regressor and its time derivatives along v_jet, one after the other.";
  return write_jet_of(w, f, jn__write_regressor_function, "Y_jet");
}

int jn__write_loops_inverse_dynamics_jet_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "Inverse dynamics with loops and its time derivatives: forces of the actuated coordinates and their rates, for a "
      "motion v_jet that keeps the loops closed. Look at the pivot of loops_inverse_dynamics near singular "
      "configurations.";
  return write_jet_of(w, f, jn__write_loops_inverse_dynamics_function, "tau_jet");
}

int jn__write_gravity_forces_derivative_function(jn_writing *w, jn_written_function *f) {
  f->about = "The derivative of the gravity forces by q, in the tangent space.";
  return write_derivative_of(w, f, jn__write_gravity_forces_function, "dg_dq");
}

int jn__write_momentum_derivative_function(jn_writing *w, jn_written_function *f) {
  f->about = "The derivative of the momentum about the world's origin by q, in the tangent space.";
  return write_derivative_of(w, f, jn__write_momentum_function, "dh_dq");
}

int jn__write_frame_twists_derivative_function(jn_writing *w, jn_written_function *f) {
  f->about = "Derivatives of the twists of the frames of the table by q, in the tangent space, 6 rows for each frame.";
  return write_derivative_of(w, f, jn__write_frame_twists_function, "dV_dq");
}
