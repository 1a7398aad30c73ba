/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms that docs/benchmarks.md leaves out: with those of algorithms.c, every public function that computes
 * (those of batch.h). tests/headers.sh keeps it so. */
#include "algorithms.h"

#define LAST (r->nframe - 1)
#define LINK (r->nlink - 1)

/* ---- configurations and kinematics ---- */

ALGORITHM(integrate, integrate, Q, V, OUT(0))
ALGORITHM(difference, difference, Q, Q, OUT(0))
ALGORITHM(integrate_derivatives, integrate_derivatives, Q, V, OUT(0), OUT(1))
ALGORITHM(difference_derivatives, difference_derivatives, Q, Q, OUT(0), OUT(1))
ALGORITHM(interpolate, interpolate, Q, Q, 0.5, OUT(0))
ALGORITHM(normalize, normalize, Q, OUT(0))
ALGORITHM(joint_pose, joint_pose, LINK, Q, OUT(0))
ALGORITHM(joint_jacobian, joint_jacobian, LINK, Q, OUT(0))
ALGORITHM(joint_jacobian_rate, joint_jacobian_rate, LINK, Q, V, OUT(0))
ALGORITHM(pose, frame_pose, LAST, Q, OUT(0))
ALGORITHM(poses, frame_poses, Q, OUT(0))
ALGORITHM(twist, frame_twist, LAST, JN_IN_BODY, Q, V, OUT(0))
ALGORITHM(acceleration, frame_acceleration, LAST, JN_IN_BODY, Q, V, A, OUT(0))
ALGORITHM(jacobian, frame_jacobian, LAST, JN_IN_BODY, Q, OUT(0))
ALGORITHM(jacobian_rate, frame_jacobian_rate, LAST, JN_IN_BODY, Q, V, OUT(0))
ALGORITHM(com, center_of_mass, JN_WORLD, Q, V, A, OUT(0), OUT(1), OUT(2))
ALGORITHM(composite_inertia, composite_inertia, JN_ABOUT_COM, Q, OUT(0))
ALGORITHM(momentum, momentum, JN_ABOUT_COM, Q, V, OUT(0))
ALGORITHM(momentum_matrix, momentum_matrix, JN_ABOUT_COM, Q, OUT(0))
ALGORITHM(momentum_matrix_rate, momentum_matrix_rate, JN_ABOUT_COM, Q, V, OUT(0))

/* ---- dynamics ---- */

ALGORITHM(coriolis_forces, coriolis_forces, Q, V, OUT(0))
ALGORITHM(christoffel, coriolis_matrix_christoffel, Q, V, OUT(0))
ALGORITHM(mass_rate, mass_matrix_rate, Q, V, OUT(0))
ALGORITHM(mass_factor, mass_factor, Q, OUT(0))
ALGORITHM(mass_solve, mass_solve, GIVEN(0), TAU, OUT(0))
ALGORITHM(joint_wrenches, joint_wrenches, Q, V, A, NULL, OUT(0))

/* ---- time derivatives ---- */

ALGORITHM(hybrid_jet, hybrid_dynamics_jet, s->order, r->prescribed, Q, V_JET, TAU_JET, NULL, OUT(0), OUT(1))
ALGORITHM(coriolis_jet, coriolis_matrix_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(gravity_jet, gravity_forces_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(rate_matrices, rate_matrices, s->order, Q, V_JET, OUT(0))
ALGORITHM(momentum_jet, momentum_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(com_jet, center_of_mass_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(energy_jet, energy_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(twist_jet, frame_twist_jet, s->order, LAST, Q, V_JET, OUT(0))
ALGORITHM(jacobian_jet, frame_jacobian_jet, s->order, LAST, Q, V_JET, OUT(0))
ALGORITHM(screw_jet, joint_jacobian_jet, s->order, LINK, Q, V_JET, OUT(0))
ALGORITHM(system_jet, system_jet, s->order, Q, V_JET, OUT(0), OUT(1), OUT(2), OUT(3))
ALGORITHM(wrench_forces_jet, wrench_forces_jet, s->order, Q, V_JET, x.given[0], OUT(0))
ALGORITHM(joint_wrenches_jet, joint_wrenches_jet, s->order, Q, V_JET, NULL, OUT(0))
ALGORITHM(regressor_jet, regressor_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(d_inverse_jet, inverse_dynamics_jet_derivatives, s->order, Q, V_JET, NULL, OUT(0))

/* ---- derivatives ---- */

ALGORITHM(d_hybrid, hybrid_dynamics_derivatives, r->prescribed, Q, V, A, TAU, NULL, JN_IN_BODY,
          &(HYBRID){.a = OUT(0),
                    .tau = OUT(1),
                    .da_dq = OUT(2),
                    .dtau_dq = OUT(3),
                    .da_dv = OUT(4),
                    .dtau_dv = OUT(5),
                    .da_dgiven = OUT(6),
                    .dtau_dgiven = OUT(7)})
ALGORITHM(inverse_along, inverse_dynamics_derivatives_along, Q, V, A, NULL, JN_IN_BODY,
          &(DIRECTION){.dq_ds = V, .dv_ds = A, .da_ds = TAU}, &(INVERSE_ALONG){OUT(0), OUT(1), OUT(2), OUT(3)})
ALGORITHM(forward_along, forward_dynamics_derivatives_along, Q, V, NULL, JN_IN_BODY,
          &(SOLUTION){A, GIVEN(0), GIVEN(1), GIVEN(2)}, &(DIRECTION){.dq_ds = V, .dv_ds = A, .dtau_ds = TAU},
          &(FORWARD_ALONG){OUT(0), OUT(1), OUT(2)})
ALGORITHM(d2_forward, forward_dynamics_second_derivatives, Q, V, NULL, JN_IN_BODY,
          &(SOLUTION){A, GIVEN(0), GIVEN(1), GIVEN(2)}, &(FORWARD_SECOND){OUT(0), OUT(1), OUT(2), OUT(3), OUT(4)})
ALGORITHM(d_mass, mass_matrix_derivative, Q, OUT(0))
ALGORITHM(d_mass_inverse, mass_matrix_inverse_derivative, Q, OUT(0), OUT(1))
ALGORITHM(d_mass_rate, mass_matrix_rate_derivatives, Q, V, OUT(0), OUT(1))
ALGORITHM(d_coriolis, coriolis_matrix_derivatives, Q, V, OUT(0), OUT(1))
ALGORITHM(d_gravity, gravity_forces_derivative, Q, OUT(0))
ALGORITHM(d_jacobian, frame_jacobian_derivatives, LAST, JN_IN_BODY, Q, V, OUT(0), OUT(1), OUT(2))
ALGORITHM(d_twist, frame_twist_derivatives, LAST, JN_IN_BODY, Q, V, OUT(0))
ALGORITHM(d_acceleration, frame_acceleration_derivatives, LAST, JN_IN_BODY, Q, V, A, OUT(0), OUT(1))
ALGORITHM(d_momentum, momentum_derivative, JN_ABOUT_COM, Q, V, OUT(0))
ALGORITHM(d_com, center_of_mass_derivatives, Q, V, A, OUT(0), OUT(1), OUT(2), OUT(3))
ALGORITHM(forward_gradient, forward_dynamics_adjoint, Q, V, TAU, NULL, JN_IN_BODY, V, OUT(3),
          &(GRADIENT){.df_dq = OUT(0), .df_dv = OUT(1), .df_dtau = OUT(2)})

/* ---- inertial parameters ---- */

ALGORITHM(slotine_li, slotine_li_regressor, Q, V, A, TAU, OUT(0))
ALGORITHM(inertia_regressor, inertia_regressor, Q, V, A, TAU, OUT(0))
ALGORITHM(gravity_regressor, gravity_regressor, Q, OUT(0))
ALGORITHM(energy_regressor, energy_regressor, Q, V, OUT(0))
ALGORITHM(momentum_regressor, momentum_regressor, Q, V, OUT(0))
ALGORITHM(joint_wrench_regressor, joint_wrench_regressor, LINK, Q, V, A, OUT(0))
ALGORITHM(d_parameters, parameter_derivatives, Q, V, OUT(0), OUT(1), OUT(2))
ALGORITHM(forward_parameters, forward_dynamics_parameter_derivatives, Q, V, TAU, NULL, OUT(0), OUT(1))
ALGORITHM(hybrid_parameters, hybrid_dynamics_parameter_derivatives, r->prescribed, Q, V, A, TAU, NULL, OUT(0), OUT(1),
          OUT(2), OUT(3))

/* What the algorithm needs of others, for all states. */
static size_t square(const subject *s) { return STATES * (size_t)s->r->nv * (size_t)s->r->nv; }
static size_t factors(subject *s) {
  s->numbers.given[0] = bench_memory(square(s) * sizeof(double));
  CHECK(jn_mass_factor_batch(s->batch, STATES, s->r->q, s->numbers.given[0]));
  return square(s);
}
static size_t first_derivatives(subject *s) {
  const robot *r = s->r;
  double **to = s->numbers.given, *a = bench_memory(square(s) * sizeof(double));
  for (int i = 0; i < 3; i++) to[i] = bench_memory(square(s) * sizeof(double));
  CHECK(jn_forward_dynamics_derivatives_batch(s->batch, STATES, r->q, r->v, r->tau, NULL, JN_IN_BODY, a, to[0], to[1],
                                              to[2], NULL));
  free(a);
  return square(s);
}
static size_t wrenches(subject *s) { /* all one */
  size_t count = STATES * (size_t)(s->order + 1) * 6 * (size_t)s->r->nlink;
  s->numbers.given[0] = bench_memory(count * sizeof(double));
  for (size_t k = 0; k < count; k++) s->numbers.given[0][k] = 1;
  return count;
}

#define PREPARED(text, order, size, name, prepare) \
  { text, order, size, run_##name, batch_##name, float_##name, prepare }
static const algorithm list[] = {
    ENTRY("configuration plus step", -1, SIZE_N, integrate),
    ENTRY("configurations' difference", -1, SIZE_N, difference),
    ENTRY("derivatives of a step", -1, SIZE_N2, integrate_derivatives),
    ENTRY("derivatives of a difference", -1, SIZE_N2, difference_derivatives),
    ENTRY("configurations between", -1, SIZE_N, interpolate),
    ENTRY("configuration normalized", -1, SIZE_N, normalize),
    ENTRY("joint pose", -1, SIZE_N2, joint_pose),
    ENTRY("joint Jacobian", -1, SIZE_N2, joint_jacobian),
    ENTRY("joint Jacobian rate", -1, SIZE_N2, joint_jacobian_rate),
    ENTRY("pose of a frame", -1, SIZE_N2, pose),
    ENTRY("all poses", -1, SIZE_LINKS, poses),
    ENTRY("twist of a frame", -1, SIZE_N, twist),
    ENTRY("acceleration of a frame", -1, SIZE_N, acceleration),
    ENTRY("Jacobian of a frame", -1, SIZE_N2, jacobian),
    ENTRY("Jacobian rate of a frame", -1, SIZE_N2, jacobian_rate),
    ENTRY("CoM, velocity, acceleration", -1, SIZE_N, com),
    ENTRY("composite inertia", -1, SIZE_N, composite_inertia),
    ENTRY("momentum", -1, SIZE_N, momentum),
    ENTRY("momentum matrix", -1, SIZE_N2, momentum_matrix),
    ENTRY("momentum matrix rate", -1, SIZE_N2, momentum_matrix_rate),
    ENTRY("Coriolis forces", -1, SIZE_N, coriolis_forces),
    ENTRY("Coriolis matrix (Christoffel)", -1, SIZE_N2, christoffel),
    ENTRY("rate of M", -1, SIZE_N2, mass_rate),
    ENTRY("factors of M", -1, SIZE_N2, mass_factor),
    PREPARED("solution with factors of M", -1, SIZE_N, mass_solve, factors),
    ENTRY("joint wrenches", -1, SIZE_LINKS, joint_wrenches),
    ENTRY("hybrid dynamics jet", 2, SIZE_N2, hybrid_jet),
    ENTRY("Coriolis matrix jet", 2, SIZE_N2, coriolis_jet),
    ENTRY("gravity forces jet", 2, SIZE_N2, gravity_jet),
    ENTRY("matrices of torque rates", 2, SIZE_N2, rate_matrices),
    ENTRY("momentum jet", 2, SIZE_N2, momentum_jet),
    ENTRY("CoM jet", 2, SIZE_N2, com_jet),
    ENTRY("energy jet", 2, SIZE_N2, energy_jet),
    ENTRY("twist jet of a frame", 2, SIZE_N2, twist_jet),
    ENTRY("Jacobian jet of a frame", 2, SIZE_N2, jacobian_jet),
    ENTRY("joint Jacobian jet", 2, SIZE_N2, screw_jet),
    ENTRY("system matrices jet", 2, SIZE_LINKS, system_jet),
    PREPARED("forces of wrenches jet", 2, SIZE_N2, wrench_forces_jet, wrenches),
    ENTRY("joint wrenches jet", 2, SIZE_LINKS, joint_wrenches_jet),
    ENTRY("torque regressor jet", 2, SIZE_LINKS, regressor_jet),
    ENTRY("d jet of tau / d(q, v, ...)", 2, SIZE_N3, d_inverse_jet),
    ENTRY("d hybrid / d(q, v, given)", -1, SIZE_N2, d_hybrid),
    ENTRY("d2 tau along a direction", -1, SIZE_N2, inverse_along),
    PREPARED("d2 ddq along a direction", -1, SIZE_N2, forward_along, first_derivatives),
    PREPARED("second-order d ddq", -1, SIZE_N3, d2_forward, first_derivatives),
    ENTRY("d M / dq", -1, SIZE_N3, d_mass),
    ENTRY("d M^-1 / dq", -1, SIZE_N3, d_mass_inverse),
    ENTRY("d M-rate / d(q, v)", -1, SIZE_N3, d_mass_rate),
    ENTRY("d C / d(q, v)", -1, SIZE_N3, d_coriolis),
    ENTRY("d gravity forces / dq", -1, SIZE_N2, d_gravity),
    ENTRY("d Jacobian / dq", -1, SIZE_N3, d_jacobian),
    ENTRY("d twist / dq", -1, SIZE_N2, d_twist),
    ENTRY("d acceleration / d(q, v)", -1, SIZE_N2, d_acceleration),
    ENTRY("d momentum / dq", -1, SIZE_N2, d_momentum),
    ENTRY("d CoM / d(q, v)", -1, SIZE_N2, d_com),
    ENTRY("gradient of forward dynamics", -1, SIZE_N, forward_gradient),
    ENTRY("Slotine-Li regressor", -1, SIZE_FRAMES, slotine_li),
    ENTRY("inertia regressor", -1, SIZE_FRAMES, inertia_regressor),
    ENTRY("gravity regressor", -1, SIZE_FRAMES, gravity_regressor),
    ENTRY("energy regressor", -1, SIZE_FRAMES, energy_regressor),
    ENTRY("momentum regressor", -1, SIZE_FRAMES, momentum_regressor),
    ENTRY("joint wrench regressor", -1, SIZE_FRAMES, joint_wrench_regressor),
    ENTRY("d (M, C, g) / d parameters", -1, SIZE_LINKS, d_parameters),
    ENTRY("d ddq / d parameters", -1, SIZE_FRAMES, forward_parameters),
    ENTRY("d hybrid / d parameters", -1, SIZE_FRAMES, hybrid_parameters),
};

int more_count(void) { return sizeof list / sizeof *list; }
const algorithm *more_at(int i) { return &list[i]; }
