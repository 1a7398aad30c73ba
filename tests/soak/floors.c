/* SPDX-License-Identifier: BSD-2-Clause */
/* The least size of a result. Some results are zero by structure (a single joint has no Coriolis forces) and what
 * rounding leaves there is measured against the terms that cancel: lengths, inertias, forces of the state, times powers
 * of its rate. SOLVED are accelerations, INVERSE entries of M^-1, HELD and BACK forces behind solved accelerations,
 * AGAIN what is solved for twice, as derivatives of solutions are; ARM and MOTION are multiplied by inertial
 * parameters. */
#include "soak.h"

enum { LENGTH = 1, INERTIA, FORCE, SOLVED, INVERSE, WRENCH, HELD, BACK, ARM, MOTION, AGAIN };
enum { UP = 100 }; /* a jet: as many powers more as there are rows */

typedef struct least {
  int f;
  struct {
    int unit, power;
  } of[OUTPUTS];
} least;

/* clang-format off */
#define OF(f, ...) {F_##f, {__VA_ARGS__}},
static const least table[] = {
    OF(joint_jacobian, {LENGTH, 0})
    OF(joint_jacobian_rate, {LENGTH, 1})
    OF(frame_twist, {LENGTH, 1})
    OF(frame_acceleration, {LENGTH, 2})
    OF(frame_jacobian, {LENGTH, 0})
    OF(frame_jacobian_rate, {LENGTH, 1})
    OF(frame_jacobians, {LENGTH, 0})
    OF(frame_jacobian_rates, {LENGTH, 1})
    OF(space_jacobian, {LENGTH, 0})
    OF(space_jacobian_rate, {LENGTH, 1})
    OF(center_of_mass, {LENGTH, 0}, {LENGTH, 1}, {LENGTH, 2})
    OF(com_jacobian, {LENGTH, 0})
    OF(momentum, {INERTIA, 1})
    OF(momentum_matrix, {INERTIA, 0})
    OF(momentum_matrix_rate, {INERTIA, 1})
    OF(inverse_dynamics, {FORCE, 0})
    OF(gravity_forces, {FORCE, 0})
    OF(coriolis_forces, {INERTIA, 2})
    OF(bias_forces, {FORCE, 0})
    OF(forward_dynamics, {SOLVED, 0})
    OF(hybrid_dynamics, {SOLVED, 0}, {HELD, 0})
    OF(mass_matrix, {INERTIA, 0})
    OF(mass_matrix_inverse, {INVERSE, 0})
    OF(mass_solve, {INVERSE, 0})
    OF(mass_matrix_rate, {INERTIA, 1})
    OF(coriolis_matrix, {INERTIA, 1})
    OF(coriolis_matrix_christoffel, {INERTIA, 1})
    OF(energy, {FORCE, 0})
    OF(joint_wrenches, {FORCE, 0})
    OF(compute, {INERTIA, 0}, {INERTIA, 1}, {INERTIA, 1}, {FORCE, 0}, {FORCE, 0}, {FORCE, 0}, {INERTIA, 2}, {LENGTH, 0},
       {LENGTH, 1}, {LENGTH, 2}, {LENGTH, 0}, {LENGTH, 1}, {LENGTH, 0}, {LENGTH, 1}, {LENGTH, 0}, {LENGTH, 1},
       {LENGTH, 2}, {LENGTH, 0}, {INERTIA, 1}, {INERTIA, 0}, {INERTIA, 1}, {FORCE, 0})
    OF(inverse_dynamics_jet, {FORCE, UP})
    OF(forward_dynamics_jet, {AGAIN, UP})
    OF(hybrid_dynamics_jet, {AGAIN, UP}, {HELD, UP})
    OF(mass_matrix_jet, {INERTIA, UP})
    OF(coriolis_matrix_jet, {INERTIA, UP + 1})
    OF(gravity_forces_jet, {FORCE, UP})
    OF(momentum_jet, {INERTIA, UP + 1})
    OF(center_of_mass_jet, {LENGTH, UP})
    OF(energy_jet, {FORCE, UP})
    OF(frame_twist_jet, {LENGTH, UP + 1})
    OF(frame_jacobian_jet, {LENGTH, UP})
    OF(joint_jacobian_jet, {LENGTH, UP})
    OF(system_jet, {LENGTH, UP}, {LENGTH, UP + 1}, {LENGTH, UP + 1}, {LENGTH, UP})
    OF(rate_matrices, {INERTIA, UP + 1})
    OF(wrench_forces_jet, {WRENCH, UP})
    OF(joint_wrenches_jet, {FORCE, UP})
    OF(inverse_dynamics_derivatives, {FORCE, 0}, {INERTIA, 1}, {INERTIA, 0}, {LENGTH, 0})
    OF(forward_dynamics_derivatives, {AGAIN, 0}, {AGAIN, 0}, {INVERSE, 1}, {INVERSE, 0}, {INVERSE, 0})
    OF(hybrid_dynamics_derivatives, {AGAIN, 0}, {HELD, 0}, {AGAIN, 0}, {HELD, 0}, {INVERSE, 1}, {BACK, 1},
       {INVERSE, 0}, {BACK, 0}, {INVERSE, 0}, {BACK, 0})
    OF(inverse_dynamics_derivatives_along, {FORCE, 0}, {FORCE, 0}, {INERTIA, 1}, {INERTIA, 0})
    OF(inverse_dynamics_second_derivatives, {FORCE, 0}, {INERTIA, 1}, {INERTIA, 0}, {INERTIA, 0})
    OF(forward_dynamics_derivatives_along, {AGAIN, 0}, {INVERSE, 1}, {INVERSE, 0})
    OF(forward_dynamics_second_derivatives, {AGAIN, 0}, {INVERSE, 1}, {INVERSE, 0}, {INVERSE, 0})
    OF(mass_matrix_derivative, {INERTIA, 0})
    OF(mass_matrix_inverse_derivative, {INVERSE, 0}, {INVERSE, 0})
    OF(coriolis_matrix_derivatives, {INERTIA, 1}, {INERTIA, 0})
    OF(mass_matrix_rate_derivatives, {INERTIA, 1}, {INERTIA, 0})
    OF(gravity_forces_derivative, {FORCE, 0})
    OF(frame_jacobian_derivatives, {LENGTH, 0}, {LENGTH, 1}, {LENGTH, 0})
    OF(frame_twist_derivatives, {LENGTH, 1})
    OF(frame_acceleration_derivatives, {LENGTH, 2}, {LENGTH, 1})
    OF(momentum_derivative, {INERTIA, 1})
    OF(center_of_mass_derivatives, {LENGTH, 0}, {LENGTH, 1}, {LENGTH, 2}, {LENGTH, 1})
    OF(inverse_dynamics_jet_derivatives, {FORCE, UP})
    OF(regressor, {MOTION, 0})
    OF(slotine_li_regressor, {MOTION, 0})
    OF(inertia_regressor, {MOTION, 0})
    OF(gravity_regressor, {MOTION, 0})
    OF(energy_regressor, {MOTION, 0})
    OF(momentum_regressor, {ARM, 1})
    OF(joint_wrench_regressor, {MOTION, 0})
    OF(regressor_jet, {MOTION, UP})
    OF(parameter_derivatives, {ARM, 0}, {ARM, 1}, {MOTION, 0})
    OF(forward_dynamics_parameter_derivatives, {AGAIN, 0}, {AGAIN, 0})
    OF(hybrid_dynamics_parameter_derivatives, {AGAIN, 0}, {HELD, 0}, {AGAIN, 0}, {HELD, 0})
    OF(inverse_dynamics_adjoint, {FORCE, 0}, {INERTIA, 1}, {INERTIA, 0}, {LENGTH, 0}, {FORCE, 0}, {INERTIA, 0},
       {LENGTH, 2})
    OF(forward_dynamics_adjoint, {AGAIN, 0}, {AGAIN, 0}, {INVERSE, 1}, {INVERSE, 0}, {INVERSE, 0}, {AGAIN, 0},
       {INVERSE, 0}, {AGAIN, 0})
};
/* clang-format on */

/* The fastest of the motion's rates [1/s]: the k-th derivative is the k-th power of a rate. */
static double fastest(const state *x) {
  double most = 0;
  for (int r = 0; r < x->d->order + 2; r++)
    for (int k = 0; k < x->d->nv; k++) most = fmax(most, pow(fabs(IN(v_jet)[r * x->d->nv + k]), 1.0 / (r + 1)));
  return most;
}

void raise_to_least(state *x) {
  const size_t square = (size_t)(x->d->nv * x->d->nv);
  double length = fmax(1, SIZE(frame_poses, 0)), inverse = largest(T(mass_matrix_inverse, 0), square);
  double inertia = fmax(largest(T(mass_matrix, 0), square), jn_model_mass(x->s->m) * length * length);
  double wrench = largest(LIN(wrench), (size_t)x->d->nlink * 6) * length, rate = fastest(x);
  double force = inertia * (rate * rate + 10) + wrench;
  double condition = largest(T(mass_matrix, 0), square) * inverse; /* of the mass matrix */
  const double unit[] = {0,
                         length,
                         inertia,
                         force,
                         inverse * force,
                         inverse * condition,
                         wrench,
                         condition * force,
                         condition * condition,
                         length * length,
                         length * length * (rate * rate + 10),
                         inverse * force * condition};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int o = 0; o < OUTPUTS; o++) {
      int power = table[i].of[o].power, up = power >= UP ? x->d->order : 0;
      double size = unit[table[i].of[o].unit] * pow(rate, power % UP) * pow(fmax(1, rate), up);
      double *at = &x->size[table[i].f][o];
      if (x->n[table[i].f][o]) *at = fmax(*at, size);
    }
}
