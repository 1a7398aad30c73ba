/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms that docs/benchmarks.md leaves out: with those of algorithms.c, every public function that computes
 * (those of batch.h). tests/headers.sh keeps it so. */
#include "algorithms.h"

#define LAST (r->nframe - 1)
#define LINK (r->nlink - 1)
#define FACTOR GIVEN(0)

/* ---- configurations and kinematics ---- */

ALGORITHM(integrate, jn_integrate, Q, V, OUT(0))
ALGORITHM(difference, jn_difference, Q, Q, OUT(0))
ALGORITHM(interpolate, jn_interpolate, Q, Q, 0.5, OUT(0))
ALGORITHM(normalize, jn_normalize, Q, OUT(0))
ALGORITHM(joint_pose, jn_joint_pose, LINK, Q, OUT(0))
ALGORITHM(joint_jacobian, jn_joint_jacobian, LINK, Q, OUT(0))
ALGORITHM(joint_jacobian_rate, jn_joint_jacobian_rate, LINK, Q, V, OUT(0))
ALGORITHM(pose, jn_frame_pose, LAST, Q, OUT(0))
ALGORITHM(poses, jn_frame_poses, Q, OUT(0))
ALGORITHM(twist, jn_frame_twist, LAST, JN_IN_BODY, Q, V, OUT(0))
ALGORITHM(acceleration, jn_frame_acceleration, LAST, JN_IN_BODY, Q, V, A, OUT(0))
ALGORITHM(jacobian, jn_frame_jacobian, LAST, JN_IN_BODY, Q, OUT(0))
ALGORITHM(jacobian_rate, jn_frame_jacobian_rate, LAST, JN_IN_BODY, Q, V, OUT(0))
ALGORITHM(com, jn_center_of_mass, JN_WORLD, Q, V, A, OUT(0), OUT(1), OUT(2))
ALGORITHM(momentum, jn_momentum, JN_ABOUT_COM, Q, V, OUT(0))
ALGORITHM(momentum_matrix, jn_momentum_matrix, JN_ABOUT_COM, Q, OUT(0))
ALGORITHM(momentum_matrix_rate, jn_momentum_matrix_rate, JN_ABOUT_COM, Q, V, OUT(0))

/* ---- dynamics ---- */

ALGORITHM(coriolis_forces, jn_coriolis_forces, Q, V, OUT(0))
ALGORITHM(mass_rate, jn_mass_matrix_rate, Q, V, OUT(0))
ALGORITHM(mass_factor, jn_mass_factor, Q, OUT(0))
ALGORITHM(mass_solve, jn_mass_solve, FACTOR, TAU, OUT(0))
ALGORITHM(joint_wrenches, jn_joint_wrenches, Q, V, A, NULL, OUT(0))

/* ---- time derivatives ---- */

ALGORITHM(hybrid_jet, jn_hybrid_dynamics_jet, s->order, r->prescribed, Q, V_JET, TAU_JET, NULL, OUT(0), OUT(1))
ALGORITHM(coriolis_jet, jn_coriolis_matrix_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(gravity_jet, jn_gravity_forces_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(rate_matrices, jn_rate_matrices, s->order, Q, V_JET, OUT(0))
ALGORITHM(momentum_jet, jn_momentum_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(com_jet, jn_center_of_mass_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(energy_jet, jn_energy_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(twist_jet, jn_frame_twist_jet, s->order, LAST, Q, V_JET, OUT(0))
ALGORITHM(jacobian_jet, jn_frame_jacobian_jet, s->order, LAST, Q, V_JET, OUT(0))
ALGORITHM(screw_jet, jn_joint_jacobian_jet, s->order, LINK, Q, V_JET, OUT(0))
ALGORITHM(system_jet, jn_system_jet, s->order, Q, V_JET, OUT(0), OUT(1), OUT(2), OUT(3))
ALGORITHM(wrench_forces_jet, jn_wrench_forces_jet, s->order, Q, V_JET, s->given[0], OUT(0))
ALGORITHM(joint_wrenches_jet, jn_joint_wrenches_jet, s->order, Q, V_JET, NULL, OUT(0))
ALGORITHM(regressor_jet, jn_regressor_jet, s->order, Q, V_JET, OUT(0))
ALGORITHM(d_inverse_jet, jn_inverse_dynamics_jet_derivatives, s->order, Q, V_JET, NULL, OUT(0))

/* ---- derivatives ---- */

ALGORITHM(d_hybrid, jn_hybrid_dynamics_derivatives, r->prescribed, Q, V, A, TAU, NULL, JN_IN_BODY,
          &(jn_hybrid_derivatives){.a = OUT(0),
                                   .tau = OUT(1),
                                   .da_dq = OUT(2),
                                   .dtau_dq = OUT(3),
                                   .da_dv = OUT(4),
                                   .dtau_dv = OUT(5),
                                   .da_dgiven = OUT(6),
                                   .dtau_dgiven = OUT(7)})
ALGORITHM(inverse_along, jn_inverse_dynamics_derivatives_along, Q, V, A, NULL, JN_IN_BODY, V, A, TAU, OUT(0), OUT(1),
          OUT(2), OUT(3))
ALGORITHM(forward_along, jn_forward_dynamics_derivatives_along, Q, V, A, NULL, JN_IN_BODY, GIVEN(0), GIVEN(1), GIVEN(2),
          V, A, TAU, OUT(0), OUT(1), OUT(2))
ALGORITHM(d2_forward, jn_forward_dynamics_second_derivatives, Q, V, A, NULL, JN_IN_BODY, GIVEN(0), GIVEN(1), GIVEN(2),
          OUT(0), OUT(1), OUT(2), OUT(3), OUT(4))
ALGORITHM(d_mass, jn_mass_matrix_derivative, Q, OUT(0))
ALGORITHM(d_mass_inverse, jn_mass_matrix_inverse_derivative, Q, OUT(0), OUT(1))
ALGORITHM(d_mass_rate, jn_mass_matrix_rate_derivatives, Q, V, OUT(0), OUT(1))
ALGORITHM(d_coriolis, jn_coriolis_matrix_derivatives, Q, V, OUT(0), OUT(1))
ALGORITHM(d_gravity, jn_gravity_forces_derivative, Q, OUT(0))
ALGORITHM(d_jacobian, jn_frame_jacobian_derivatives, LAST, JN_IN_BODY, Q, V, OUT(0), OUT(1), OUT(2))
ALGORITHM(d_twist, jn_frame_twist_derivatives, LAST, JN_IN_BODY, Q, V, OUT(0))
ALGORITHM(d_acceleration, jn_frame_acceleration_derivatives, LAST, JN_IN_BODY, Q, V, A, OUT(0), OUT(1))
ALGORITHM(d_momentum, jn_momentum_derivative, JN_ABOUT_COM, Q, V, OUT(0))
ALGORITHM(d_com, jn_center_of_mass_derivatives, Q, V, A, OUT(0), OUT(1), OUT(2), OUT(3))
ALGORITHM(forward_gradient, jn_forward_dynamics_adjoint, Q, V, TAU, NULL, JN_IN_BODY, V, OUT(3),
          &(jn_gradient){.dq = OUT(0), .dv = OUT(1), .dtau = OUT(2)})

/* ---- inertial parameters ---- */

ALGORITHM(slotine_li, jn_slotine_li_regressor, Q, V, A, TAU, OUT(0))
ALGORITHM(inertia_regressor, jn_inertia_regressor, Q, V, A, TAU, OUT(0))
ALGORITHM(gravity_regressor, jn_gravity_regressor, Q, OUT(0))
ALGORITHM(energy_regressor, jn_energy_regressor, Q, V, OUT(0))
ALGORITHM(momentum_regressor, jn_momentum_regressor, Q, V, OUT(0))
ALGORITHM(joint_wrench_regressor, jn_joint_wrench_regressor, LINK, Q, V, A, OUT(0))
ALGORITHM(d_parameters, jn_parameter_derivatives, Q, V, OUT(0), OUT(1), OUT(2))
ALGORITHM(forward_parameters, jn_forward_dynamics_parameter_derivatives, Q, V, TAU, NULL, OUT(0), OUT(1))
ALGORITHM(hybrid_parameters, jn_hybrid_dynamics_parameter_derivatives, r->prescribed, Q, V, A, TAU, NULL, OUT(0),
          OUT(1), OUT(2), OUT(3))

/* What the algorithm needs of others, for all states. */
static double *room(const subject *s) {
  size_t n = (size_t)s->r->nv;
  return bench_memory(STATES * n * n * sizeof(double));
}
static void factors(subject *s) {
  s->given[0] = room(s);
  CHECK(jn_mass_factor_batch(s->batch, STATES, s->r->q, s->given[0]));
}
static void first_derivatives(subject *s) {
  const robot *r = s->r;
  double *a = room(s);
  for (int i = 0; i < 3; i++) s->given[i] = room(s);
  CHECK(jn_forward_dynamics_derivatives_batch(s->batch, STATES, r->q, r->v, r->tau, NULL, JN_IN_BODY, a, s->given[0],
                                              s->given[1], s->given[2], NULL));
  free(a);
}
static void wrenches(subject *s) { /* all one */
  size_t count = STATES * (size_t)(s->order + 1) * 6 * (size_t)s->r->nlink;
  s->given[0] = bench_memory(count * sizeof(double));
  for (size_t k = 0; k < count; k++) s->given[0][k] = 1;
}

#define PREPARED(text, order, size, name, prepare) \
  { text, order, size, run_##name, batch_##name, prepare }
static const algorithm list[] = {
    ENTRY("configuration plus step", -1, SIZE_N, integrate),
    ENTRY("configurations' difference", -1, SIZE_N, difference),
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
    ENTRY("momentum", -1, SIZE_N, momentum),
    ENTRY("momentum matrix", -1, SIZE_N2, momentum_matrix),
    ENTRY("momentum matrix rate", -1, SIZE_N2, momentum_matrix_rate),
    ENTRY("Coriolis forces", -1, SIZE_N, coriolis_forces),
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
