/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties that serve many functions: exact derivatives by the complex step of another function, time derivatives
 * along the motion, products and equal results. */
#include "soak.h"

enum { MATRIX, TENSOR };

/* Column k of a matrix, or slice k of a tensor, against the derivative of `base` by number k of an input. */
static double derivative(state *x, const property *w) {
  const int columns = w->by == IN_q ? x->d->nv : (int)input_size(x->d, w->by);
  const size_t rows = x->n[w->base][w->base_o];
  double *unit = calloc((size_t)columns, sizeof *unit), worst = 0, *by[INPUTS] = {NULL};
  long double *slice = room_long(rows);
  by[w->by] = unit;
  for (int k = 0; k < columns; k++) {
    unit[k] = 1;
    along(x, w->base, w->base_o, by, slice);
    for (size_t r = 0; r < rows; r++) {
      const double *at =
          x->out[w->f][w->o] + (w->layout == MATRIX ? r * (size_t)columns + (size_t)k : (size_t)k * rows + r);
      worst = fmax(worst, roundings(at, slice + r, 1, x->size[w->f][w->o], x->epsilon));
    }
    unit[k] = 0;
  }
  free(slice);
  free(unit);
  return worst;
}

/* Directions of all inputs along the motion. The last rows of jets have none. */
static void motion(const state *x, double *by[INPUTS]) {
  const struct {
    int to, jet, rows;
    size_t n;
  } moves[] = {{IN_v_jet, IN_v_jet, x->d->order + 2, (size_t)x->d->nv},
               {IN_tau_jet, IN_tau_jet, x->d->order + 1, (size_t)x->d->nv},
               {IN_wrench_jet, IN_wrench_jet, x->d->order + 1, (size_t)x->d->nlink * 6}};
  for (int i = 0; i < INPUTS; i++) by[i] = NULL;
  by[IN_q] = (double *)x->x[KIND_D].in[IN_v];
  by[IN_v] = (double *)x->x[KIND_D].in[IN_a];
  for (size_t e = 0; e < 3; e++) {
    const double *from = x->x[KIND_D].in[moves[e].jet];
    double *to = calloc((size_t)moves[e].rows * moves[e].n + 1, sizeof *to);
    memcpy(to, from + moves[e].n, (size_t)(moves[e].rows - 1) * moves[e].n * sizeof *to);
    by[moves[e].to] = to;
  }
}

static void motion_end(double *by[INPUTS]) { free(by[IN_v_jet]), free(by[IN_tau_jet]), free(by[IN_wrench_jet]); }

static double rate(state *x, const property *w) {
  double *by[INPUTS];
  long double *out = room_long(x->n[w->base][w->base_o]);
  motion(x, by);
  along(x, w->base, w->base_o, by, out);
  double e = gap(x, w->f, w->o, out);
  motion_end(by);
  free(out);
  return e;
}

/* base < 0: the first row is told by another property. layout: 1 when the base has this representation only. */
static int starts_there(const state *x, const property *w) {
  if (w->base < 0) return 0;
  if (w->base == F_frame_twist || w->base == F_frame_jacobian) return x->d->in == JN_IN_BODY;
  if (w->base == F_center_of_mass) return x->d->com_link == JN_WORLD;
  if (w->base == F_momentum) return x->d->about == JN_ABOUT_ORIGIN;
  return 1;
}

static double jet(state *x, const property *w) {
  size_t row = x->n[w->f][w->o] / (size_t)(x->d->order + 1);
  double size = x->size[w->f][w->o], worst = 0, *by[INPUTS];
  if (starts_there(x, w)) worst = roundings(x->out[w->f][w->o], x->true_[w->base][w->base_o], row, size, x->epsilon);
  if (x->d->order == 0) return worst;
  long double *out = room_long(x->n[w->f][w->o]);
  motion(x, by);
  along(x, w->f, w->o, by, out);
  worst = fmax(worst, roundings(x->out[w->f][w->o] + row, out, row * (size_t)x->d->order, size, x->epsilon));
  motion_end(by);
  free(out);
  return worst;
}

static double same(state *x, const property *w) {
  if (w->f == F_compute && x->d->com_link != JN_WORLD && (w->base == F_center_of_mass || w->base == F_com_jacobian))
    return -1;
  return roundings(x->out[w->f][w->o], x->true_[w->base][w->base_o], x->n[w->base][w->base_o],
                   fmax(x->size[w->f][w->o], x->size[w->base][w->base_o]), x->epsilon);
}

/* A result is a matrix of another function times an input. */
static double product(state *x, const property *w) {
  size_t rows = x->n[w->f][w->o], columns = input_size(x->d, w->by);
  const long double *M = x->true_[w->base][w->base_o], *v = x->x[KIND_L].in[w->by];
  long double *out = room_long(rows);
  double size = x->size[w->base][w->base_o] * largest(v, columns);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++) out[r] += M[r * columns + c] * v[c];
  double e = roundings(x->out[w->f][w->o], out, rows, fmax(size, x->size[w->f][w->o]), x->epsilon);
  free(out);
  return e;
}

/* A change along (dq, dv, da or dtau) by the complex step of `base` along these. */
static double directional(state *x, const property *w) {
  double *by[INPUTS] = {NULL};
  long double *out = room_long(x->n[w->base][w->base_o]);
  by[IN_q] = x->x[KIND_D].in[IN_dq];
  by[IN_v] = x->x[KIND_D].in[IN_dv];
  by[IN_a] = x->x[KIND_D].in[IN_da];
  by[IN_tau] = x->x[KIND_D].in[IN_dtau];
  along(x, w->base, w->base_o, by, out);
  double e = gap(x, w->f, w->o, out);
  free(out);
  return e;
}

#define DERIVATIVE(f, o, base, bo, by, layout)                                       \
  {#f,         "exact derivative of jn_" #base "() by " #by ", by the complex step", \
   derivative, F_##f,                                                                \
   o,          F_##base,                                                             \
   bo,         IN_##by,                                                              \
   layout},
#define RATE(f, o, base, bo) \
  {#f, "exact time derivative of jn_" #base "(), by the complex step", rate, F_##f, o, F_##base, bo, 0, 0},
#define JET(f, o, base, bo)                                                                          \
  {#f,  "first row as jn_" #base "(), each further row the exact time derivative of the one before", \
   jet, F_##f,                                                                                       \
   o,   F_##base,                                                                                    \
   bo,  0,                                                                                           \
   0},
#define ROWS(f, o) \
  {#f, "each row the exact time derivative of the one before, by the complex step", jet, F_##f, o, -1, 0, 0, 0},
#define SAME(f, o, base, bo) {#f, "as jn_" #base "()", same, F_##f, o, F_##base, bo, 0, 0},
#define PRODUCT(f, o, base, bo, by) \
  {#f, "matrix of jn_" #base "() times " #by, product, F_##f, o, F_##base, bo, IN_##by, 0},
#define ALONG(f, o, base, bo)                                                  \
  {                                                                            \
      #f,                                                                      \
      "exact change of jn_" #base "() along a direction, by the complex step", \
      directional,                                                             \
      F_##f,                                                                   \
      o,                                                                       \
      F_##base,                                                                \
      bo,                                                                      \
      0,                                                                       \
      0},

/* clang-format off */
const property properties[] = {
    RATE(joint_jacobian_rate, 0, joint_jacobian, 0)
    /* kinematics */
    RATE(frame_acceleration, 0, frame_twist, 0)
    RATE(frame_jacobian_rate, 0, frame_jacobian, 0)
    RATE(frame_jacobian_rates, 0, frame_jacobians, 0)
    RATE(space_jacobian_rate, 0, space_jacobian, 0)
    RATE(center_of_mass, 1, center_of_mass, 0)
    RATE(center_of_mass, 2, center_of_mass, 1)
    RATE(momentum_matrix_rate, 0, momentum_matrix, 0)
    PRODUCT(frame_twist, 0, frame_jacobian, 0, v)
    PRODUCT(center_of_mass, 1, com_jacobian, 0, v)
    PRODUCT(momentum, 0, momentum_matrix, 0, v)
    DERIVATIVE(com_jacobian, 0, center_of_mass, 0, q, MATRIX)
    DERIVATIVE(momentum_matrix, 0, momentum, 0, v, MATRIX)
    /* dynamics */
    RATE(mass_matrix_rate, 0, mass_matrix, 0)
    PRODUCT(coriolis_forces, 0, coriolis_matrix, 0, v)
    PRODUCT(coriolis_forces, 0, coriolis_matrix_christoffel, 0, v)
    DERIVATIVE(mass_matrix, 0, inverse_dynamics, 0, a, MATRIX)
    SAME(compute, 0, mass_matrix, 0)
    SAME(compute, 1, coriolis_matrix, 0)
    SAME(compute, 2, mass_matrix_rate, 0)
    SAME(compute, 3, inverse_dynamics, 0)
    SAME(compute, 4, gravity_forces, 0)
    SAME(compute, 5, bias_forces, 0)
    SAME(compute, 6, coriolis_forces, 0)
    SAME(compute, 7, frame_poses, 0)
    SAME(compute, 10, frame_jacobians, 0)
    SAME(compute, 11, frame_jacobian_rates, 0)
    SAME(compute, 12, space_jacobian, 0)
    SAME(compute, 13, space_jacobian_rate, 0)
    SAME(compute, 14, center_of_mass, 0)
    SAME(compute, 15, center_of_mass, 1)
    SAME(compute, 16, center_of_mass, 2)
    SAME(compute, 17, com_jacobian, 0)
    SAME(compute, 18, momentum, 0)
    SAME(compute, 19, momentum_matrix, 0)
    SAME(compute, 20, momentum_matrix_rate, 0)
    SAME(compute, 21, energy, 0)
    /* time derivatives */
    JET(inverse_dynamics_jet, 0, inverse_dynamics, 0)
    JET(mass_matrix_jet, 0, mass_matrix, 0)
    JET(coriolis_matrix_jet, 0, coriolis_matrix, 0)
    JET(gravity_forces_jet, 0, gravity_forces, 0)
    JET(momentum_jet, 0, momentum, 0)
    JET(center_of_mass_jet, 0, center_of_mass, 0)
    JET(energy_jet, 0, energy, 0)
    JET(frame_twist_jet, 0, frame_twist, 0)
    JET(frame_jacobian_jet, 0, frame_jacobian, 0)
    JET(joint_jacobian_jet, 0, joint_jacobian, 0)
    JET(joint_wrenches_jet, 0, joint_wrenches, 0)
    JET(regressor_jet, 0, regressor, 0)
    ROWS(system_jet, 0)
    ROWS(system_jet, 1)
    ROWS(system_jet, 2)
    ROWS(system_jet, 3)
    ROWS(wrench_forces_jet, 0)
    /* derivatives by the state */
    DERIVATIVE(inverse_dynamics_derivatives, 0, inverse_dynamics, 0, q, MATRIX)
    DERIVATIVE(inverse_dynamics_derivatives, 1, inverse_dynamics, 0, v, MATRIX)
    DERIVATIVE(inverse_dynamics_derivatives, 2, inverse_dynamics, 0, a, MATRIX)
    DERIVATIVE(inverse_dynamics_derivatives, 3, inverse_dynamics, 0, wrench, MATRIX)
    SAME(forward_dynamics_derivatives, 0, forward_dynamics, 0)
    DERIVATIVE(forward_dynamics_derivatives, 1, forward_dynamics, 0, q, MATRIX)
    DERIVATIVE(forward_dynamics_derivatives, 2, forward_dynamics, 0, v, MATRIX)
    DERIVATIVE(forward_dynamics_derivatives, 3, forward_dynamics, 0, tau, MATRIX)
    DERIVATIVE(forward_dynamics_derivatives, 4, forward_dynamics, 0, wrench, MATRIX)
    SAME(hybrid_dynamics_derivatives, 0, hybrid_dynamics, 0)
    SAME(hybrid_dynamics_derivatives, 1, hybrid_dynamics, 1)
    DERIVATIVE(hybrid_dynamics_derivatives, 2, hybrid_dynamics, 0, q, MATRIX)
    DERIVATIVE(hybrid_dynamics_derivatives, 3, hybrid_dynamics, 1, q, MATRIX)
    DERIVATIVE(hybrid_dynamics_derivatives, 4, hybrid_dynamics, 0, v, MATRIX)
    DERIVATIVE(hybrid_dynamics_derivatives, 5, hybrid_dynamics, 1, v, MATRIX)
    DERIVATIVE(hybrid_dynamics_derivatives, 8, hybrid_dynamics, 0, wrench, MATRIX)
    DERIVATIVE(hybrid_dynamics_derivatives, 9, hybrid_dynamics, 1, wrench, MATRIX)
    ALONG(inverse_dynamics_derivatives_along, 0, inverse_dynamics, 0)
    ALONG(inverse_dynamics_derivatives_along, 1, inverse_dynamics_derivatives, 0)
    ALONG(inverse_dynamics_derivatives_along, 2, inverse_dynamics_derivatives, 1)
    ALONG(inverse_dynamics_derivatives_along, 3, inverse_dynamics_derivatives, 2)
    DERIVATIVE(inverse_dynamics_second_derivatives, 0, inverse_dynamics_derivatives, 0, q, TENSOR)
    DERIVATIVE(inverse_dynamics_second_derivatives, 1, inverse_dynamics_derivatives, 1, q, TENSOR)
    DERIVATIVE(inverse_dynamics_second_derivatives, 2, inverse_dynamics_derivatives, 1, v, TENSOR)
    DERIVATIVE(inverse_dynamics_second_derivatives, 3, inverse_dynamics_derivatives, 2, q, TENSOR)
    ALONG(forward_dynamics_derivatives_along, 0, forward_dynamics_derivatives, 1)
    ALONG(forward_dynamics_derivatives_along, 1, forward_dynamics_derivatives, 2)
    ALONG(forward_dynamics_derivatives_along, 2, forward_dynamics_derivatives, 3)
    DERIVATIVE(forward_dynamics_second_derivatives, 0, forward_dynamics_derivatives, 1, q, TENSOR)
    DERIVATIVE(forward_dynamics_second_derivatives, 1, forward_dynamics_derivatives, 2, q, TENSOR)
    DERIVATIVE(forward_dynamics_second_derivatives, 2, forward_dynamics_derivatives, 3, q, TENSOR)
    DERIVATIVE(forward_dynamics_second_derivatives, 3, forward_dynamics_derivatives, 2, v, TENSOR)
    DERIVATIVE(mass_matrix_derivative, 0, mass_matrix, 0, q, TENSOR)
    SAME(mass_matrix_inverse_derivative, 0, mass_matrix_inverse, 0)
    DERIVATIVE(mass_matrix_inverse_derivative, 1, mass_matrix_inverse, 0, q, TENSOR)
    DERIVATIVE(coriolis_matrix_derivatives, 0, coriolis_matrix, 0, q, TENSOR)
    DERIVATIVE(coriolis_matrix_derivatives, 1, coriolis_matrix, 0, v, TENSOR)
    DERIVATIVE(mass_matrix_rate_derivatives, 0, mass_matrix_rate, 0, q, TENSOR)
    DERIVATIVE(mass_matrix_rate_derivatives, 1, mass_matrix_rate, 0, v, TENSOR)
    DERIVATIVE(gravity_forces_derivative, 0, gravity_forces, 0, q, MATRIX)
    DERIVATIVE(frame_jacobian_derivatives, 0, frame_jacobian, 0, q, TENSOR)
    DERIVATIVE(frame_jacobian_derivatives, 1, frame_jacobian_rate, 0, q, TENSOR)
    DERIVATIVE(frame_jacobian_derivatives, 2, frame_jacobian_rate, 0, v, TENSOR)
    DERIVATIVE(frame_twist_derivatives, 0, frame_twist, 0, q, MATRIX)
    DERIVATIVE(frame_acceleration_derivatives, 0, frame_acceleration, 0, q, MATRIX)
    DERIVATIVE(frame_acceleration_derivatives, 1, frame_acceleration, 0, v, MATRIX)
    DERIVATIVE(momentum_derivative, 0, momentum, 0, q, MATRIX)
    DERIVATIVE(center_of_mass_derivatives, 0, compute, 14, q, MATRIX)
    DERIVATIVE(center_of_mass_derivatives, 1, compute, 15, q, MATRIX)
    DERIVATIVE(center_of_mass_derivatives, 2, compute, 16, q, MATRIX)
    DERIVATIVE(center_of_mass_derivatives, 3, compute, 16, v, MATRIX)
    SAME(forward_dynamics_parameter_derivatives, 0, forward_dynamics, 0)
    SAME(hybrid_dynamics_parameter_derivatives, 0, hybrid_dynamics, 0)
    SAME(hybrid_dynamics_parameter_derivatives, 1, hybrid_dynamics, 1)
    SAME(forward_dynamics_adjoint, 0, forward_dynamics, 0)
};
/* clang-format on */
const int property_count = sizeof properties / sizeof *properties;
