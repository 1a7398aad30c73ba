/* SPDX-License-Identifier: BSD-2-Clause */
/* Every function that computes on a model: its name, the sizes of its outputs o[0] ..., and its arguments behind model
 * and work, as its header has them. F: plain; G: with a statement before the call; N: without work memory.
 * n = nv, L = links, fr = frames, K = order, r = K + 1. */
#ifndef JN_SOAK_CATALOGUE_H
#define JN_SOAK_CATALOGUE_H

#define SIZES(...) __VA_ARGS__
/* clang-format off */
#define CATALOGUE(F, G, N) \
  F(integrate, SIZES(nq), q, v, o[0]) \
  F(difference, SIZES(n), q, p, o[0]) \
  F(integrate_derivatives, SIZES(n * n, n * n), q, v, o[0], o[1]) \
  F(difference_derivatives, SIZES(n * n, n * n), q, p, o[0], o[1]) \
  F(interpolate, SIZES(nq), q, p, part, o[0]) \
  F(normalize, SIZES(nq), loose, o[0]) \
  F(joint_pose, SIZES(16), link, q, o[0]) \
  F(joint_jacobian, SIZES(6 * jn), joint, q, o[0]) \
  F(joint_jacobian_rate, SIZES(6 * jn), joint, q, v, o[0]) \
  F(frame_pose, SIZES(16), frame, q, o[0]) \
  F(frame_twist, SIZES(6), frame, in, q, v, o[0]) \
  F(frame_acceleration, SIZES(6), frame, in, q, v, a, o[0]) \
  F(frame_jacobian, SIZES(6 * n), frame, in, q, o[0]) \
  F(frame_jacobian_rate, SIZES(6 * n), frame, in, q, v, o[0]) \
  F(frame_poses, SIZES(16 * fr), q, o[0]) \
  F(frame_jacobians, SIZES(fr * 6 * n), in, q, o[0]) \
  F(frame_jacobian_rates, SIZES(fr * 6 * n), in, q, v, o[0]) \
  F(space_jacobian, SIZES(6 * n), q, o[0]) \
  F(space_jacobian_rate, SIZES(6 * n), q, v, o[0]) \
  F(center_of_mass, SIZES(3, 3, 3), com_link, q, v, a, o[0], o[1], o[2]) \
  F(com_jacobian, SIZES(3 * n), com_link, q, o[0]) \
  F(composite_inertia, SIZES(10), about, q, o[0]) \
  F(momentum, SIZES(6), about, q, v, o[0]) \
  F(momentum_matrix, SIZES(6 * n), about, q, o[0]) \
  F(momentum_matrix_rate, SIZES(6 * n), about, q, v, o[0]) \
  F(inverse_dynamics, SIZES(n), q, v, a, wrench, o[0]) \
  F(gravity_forces, SIZES(n), q, o[0]) \
  F(coriolis_forces, SIZES(n), q, v, o[0]) \
  F(bias_forces, SIZES(n), q, v, o[0]) \
  N(loss_forces, SIZES(n), v, o[0]) \
  N(spring_forces, SIZES(n), q, o[0]) \
  F(forward_dynamics, SIZES(n), q, v, tau, wrench, o[0]) \
  F(hybrid_dynamics, SIZES(n, n), prescribed, q, v, a, tau, wrench, o[0], o[1]) \
  F(mass_matrix, SIZES(n * n), q, o[0]) \
  F(mass_matrix_inverse, SIZES(n * n), q, o[0]) \
  F(mass_matrix_rate, SIZES(n * n), q, v, o[0]) \
  F(coriolis_matrix, SIZES(n * n), q, v, o[0]) \
  F(coriolis_matrix_christoffel, SIZES(n * n), q, v, o[0]) \
  F(mass_factor, SIZES(n * n), q, o[0]) \
  F(mass_solve, SIZES(n), factor, y, o[0]) \
  F(energy, SIZES(2), q, v, o[0]) \
  F(joint_wrenches, SIZES(6 * L), q, v, a, wrench, o[0]) \
  G(compute, SIZES(n * n, n * n, n * n, n, n, n, n, 16 * fr, 6 * fr, 6 * fr, 6 * fr * n, 6 * fr * n, 6 * n, 6 * n, 3, \
                   3, 3, 3 * n, 6, 6 * n, 6 * n, 2), \
    const TYPE(terms) terms = SIZES({o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11], \
                                     o[12], o[13], o[14], o[15], o[16], o[17], o[18], o[19], o[20], o[21], in, about}), \
    q, v, a, wrench, &terms) \
  F(inverse_dynamics_jet, SIZES(r * n), K, q, v_jet, wrench_jet, o[0]) \
  F(forward_dynamics_jet, SIZES((K + 2) * n), K, q, v, tau_jet, wrench_jet, o[0]) \
  F(hybrid_dynamics_jet, SIZES((K + 2) * n, r * n), K, prescribed, q, v_jet, tau_jet, wrench_jet, o[0], o[1]) \
  F(mass_matrix_jet, SIZES(r * n * n), K, q, v_jet, o[0]) \
  F(coriolis_matrix_jet, SIZES(r * n * n), K, q, v_jet, o[0]) \
  F(gravity_forces_jet, SIZES(r * n), K, q, v_jet, o[0]) \
  F(momentum_jet, SIZES(r * 6), K, q, v_jet, o[0]) \
  F(center_of_mass_jet, SIZES(r * 3), K, q, v_jet, o[0]) \
  F(energy_jet, SIZES(r * 2), K, q, v_jet, o[0]) \
  F(frame_twist_jet, SIZES(r * 6), K, frame, q, v_jet, o[0]) \
  F(frame_jacobian_jet, SIZES(r * 6 * n), K, frame, q, v_jet, o[0]) \
  F(joint_jacobian_jet, SIZES(r * 6 * jn), K, joint, q, v_jet, o[0]) \
  F(system_jet, SIZES(r * 36 * L * L, r * L * 6, r * L * 6, r * 6 * L * n), K, q, v_jet, o[0], o[1], o[2], o[3]) \
  F(rate_matrices, SIZES((K + 2) * n * n), K, q, v_jet, o[0]) \
  F(wrench_forces_jet, SIZES(r * n), K, q, v_jet, wrench_jet, o[0]) \
  F(joint_wrenches_jet, SIZES(r * 6 * L), K, q, v_jet, wrench_jet, o[0]) \
  F(inverse_dynamics_derivatives, SIZES(n * n, n * n, n * n, n * 6 * L), q, v, a, wrench, JN_IN_BODY, o[0], o[1], \
    o[2], o[3]) \
  F(forward_dynamics_derivatives, SIZES(n, n * n, n * n, n * n, n * 6 * L), q, v, tau, wrench, JN_IN_BODY, o[0], o[1], \
    o[2], o[3], o[4]) \
  G(hybrid_dynamics_derivatives, SIZES(n, n, n * n, n * n, n * n, n * n, n * n, n * n, n * 6 * L, n * 6 * L), \
    const TYPE(hybrid_derivatives) out = \
        SIZES({o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9]}), \
    prescribed, q, v, a, tau, wrench, JN_IN_BODY, &out) \
  G(inverse_dynamics_derivatives_along, SIZES(n, n * n, n * n, n * n), \
    const TYPE(direction) along = SIZES({.dq_ds = dq, .dv_ds = dv, .da_ds = da}); \
    const TYPE(inverse_derivatives_along) out = \
        SIZES({.dtau_ds = o[0], .d2tau_dsdq = o[1], .d2tau_dsdv = o[2], .d2tau_dsda = o[3]}), \
    q, v, a, wrench, JN_IN_BODY, &along, &out) \
  F(inverse_dynamics_second_derivatives, SIZES(n * n * n, n * n * n, n * n * n, n * n * n), q, v, a, wrench, \
    JN_IN_BODY, o[0], o[1], o[2], o[3]) \
  G(forward_dynamics_derivatives_along, SIZES(n * n, n * n, n * n), \
    const TYPE(forward_solution) at = SIZES({.a = fd, .da_dq = da_dq, .da_dv = da_dv, .da_dtau = da_dtau}); \
    const TYPE(direction) along = SIZES({.dq_ds = dq, .dv_ds = dv, .dtau_ds = dtau}); \
    const TYPE(forward_derivatives_along) out = \
        SIZES({.d2a_dsdq = o[0], .d2a_dsdv = o[1], .d2a_dsdtau = o[2]}), \
    q, v, wrench, JN_IN_BODY, &at, &along, &out) \
  G(forward_dynamics_second_derivatives, SIZES(n * n * n, n * n * n, n * n * n, n * n * n, n * n * n), \
    const TYPE(forward_solution) at = SIZES({.a = fd, .da_dq = da_dq, .da_dv = da_dv, .da_dtau = da_dtau}); \
    const TYPE(forward_second_derivatives) out = SIZES({o[0], o[1], o[2], o[3], o[4]}), \
    q, v, wrench, JN_IN_BODY, &at, &out) \
  F(mass_matrix_derivative, SIZES(n * n * n), q, o[0]) \
  F(mass_matrix_inverse_derivative, SIZES(n * n, n * n * n), q, o[0], o[1]) \
  F(coriolis_matrix_derivatives, SIZES(n * n * n, n * n * n), q, v, o[0], o[1]) \
  F(mass_matrix_rate_derivatives, SIZES(n * n * n, n * n * n), q, v, o[0], o[1]) \
  F(gravity_forces_derivative, SIZES(n * n), q, o[0]) \
  F(frame_jacobian_derivatives, SIZES(6 * n * n, 6 * n * n, 6 * n * n), frame, in, q, v, o[0], o[1], o[2]) \
  F(frame_twist_derivatives, SIZES(6 * n), frame, in, q, v, o[0]) \
  F(frame_acceleration_derivatives, SIZES(6 * n, 6 * n), frame, in, q, v, a, o[0], o[1]) \
  F(momentum_derivative, SIZES(6 * n), about, q, v, o[0]) \
  F(center_of_mass_derivatives, SIZES(3 * n, 3 * n, 3 * n, 3 * n), q, v, a, o[0], o[1], o[2], o[3]) \
  F(inverse_dynamics_jet_derivatives, SIZES(r * (K + 3) * n * n), K, q, v_jet, wrench_jet, o[0]) \
  F(regressor, SIZES(n * 10 * L), q, v, a, o[0]) \
  F(slotine_li_regressor, SIZES(n * 10 * L), q, v, v_r, a_r, o[0]) \
  F(inertia_regressor, SIZES(n * 10 * L), q, v, v_r, a_r, o[0]) \
  F(gravity_regressor, SIZES(n * 10 * L), q, o[0]) \
  F(energy_regressor, SIZES(2 * 10 * L), q, v, o[0]) \
  F(momentum_regressor, SIZES(6 * 10 * L), q, v, o[0]) \
  F(joint_wrench_regressor, SIZES(6 * 10 * L), link, q, v, a, o[0]) \
  N(joint_regressor, SIZES(4 * n * n), v, a, o[0]) \
  F(regressor_jet, SIZES(r * n * 10 * L), K, q, v_jet, o[0]) \
  F(parameter_derivatives, SIZES(10 * L * n * n, 10 * L * n * n, n * 10 * L), q, v, o[0], o[1], o[2]) \
  F(forward_dynamics_parameter_derivatives, SIZES(n, n * 10 * L), q, v, tau, wrench, o[0], o[1]) \
  F(hybrid_dynamics_parameter_derivatives, SIZES(n, n, n * 10 * L, n * 10 * L), prescribed, q, v, a, tau, wrench, \
    o[0], o[1], o[2], o[3]) \
  G(inverse_dynamics_adjoint, SIZES(n, n, n, 6 * L, 10 * L, 3, n), \
    const TYPE(gradient) out = SIZES({.df_dq = o[0], .df_dv = o[1], .df_da = o[2], .df_dwrench = o[3], .df_dinertia = o[4], \
                                      .df_dgravity = o[5], .df_darmature = o[6]}), \
    q, v, a, wrench, JN_IN_BODY, y, &out) \
  G(forward_dynamics_adjoint, SIZES(n, n, n, n, 6 * L, 10 * L, 3, n), \
    const TYPE(gradient) out = SIZES({.df_dq = o[1], .df_dv = o[2], .df_dtau = o[3], .df_dwrench = o[4], .df_dinertia = o[5], \
                                      .df_dgravity = o[6], .df_darmature = o[7]}), \
    q, v, tau, wrench, JN_IN_BODY, y, o[0], &out)
/* clang-format on */

#endif
