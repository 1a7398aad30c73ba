/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/batch.h: each is its single twin with the work of the batch. Made by
 * script/batch-functions. */
#include "batch.h"
#include "public.h"

#define BATCH(name, ...)                                   \
  jn_work *work;                                           \
  jn_status status = jn__batch_begin(batch, count, &work); \
  return work ? PUBLIC(name)(work->model, work, __VA_ARGS__) : status

jn_status PUBLIC(integrate_batch)(jn_batch *batch, size_t count, const number *q, const number *v, number *out) {
  BATCH(integrate, q, v, out);
}
jn_status PUBLIC(difference_batch)(jn_batch *batch, size_t count, const number *q0, const number *q1, number *v) {
  BATCH(difference, q0, q1, v);
}
jn_status PUBLIC(interpolate_batch)(jn_batch *batch, size_t count, const number *q0, const number *q1, number s,
                                    number *out) {
  BATCH(interpolate, q0, q1, s, out);
}
jn_status PUBLIC(normalize_batch)(jn_batch *batch, size_t count, const number *q, number *out) {
  BATCH(normalize, q, out);
}
jn_status PUBLIC(joint_pose_batch)(jn_batch *batch, size_t count, int joint, const number *q, number *T) {
  BATCH(joint_pose, joint, q, T);
}
jn_status PUBLIC(joint_jacobian_batch)(jn_batch *batch, size_t count, int joint, const number *q, number *S) {
  BATCH(joint_jacobian, joint, q, S);
}
jn_status PUBLIC(joint_jacobian_rate_batch)(jn_batch *batch, size_t count, int joint, const number *q, const number *v,
                                            number *Sdot) {
  BATCH(joint_jacobian_rate, joint, q, v, Sdot);
}
jn_status PUBLIC(frame_pose_batch)(jn_batch *batch, size_t count, int frame, const number *q, number *T) {
  BATCH(frame_pose, frame, q, T);
}
jn_status PUBLIC(frame_twist_batch)(jn_batch *batch, size_t count, int frame, jn_representation in, const number *q,
                                    const number *v, number *V) {
  BATCH(frame_twist, frame, in, q, v, V);
}
jn_status PUBLIC(frame_acceleration_batch)(jn_batch *batch, size_t count, int frame, jn_representation in,
                                           const number *q, const number *v, const number *a, number *A) {
  BATCH(frame_acceleration, frame, in, q, v, a, A);
}
jn_status PUBLIC(frame_jacobian_batch)(jn_batch *batch, size_t count, int frame, jn_representation in, const number *q,
                                       number *J) {
  BATCH(frame_jacobian, frame, in, q, J);
}
jn_status PUBLIC(frame_jacobian_rate_batch)(jn_batch *batch, size_t count, int frame, jn_representation in,
                                            const number *q, const number *v, number *Jdot) {
  BATCH(frame_jacobian_rate, frame, in, q, v, Jdot);
}
jn_status PUBLIC(frame_poses_batch)(jn_batch *batch, size_t count, const number *q, number *T) {
  BATCH(frame_poses, q, T);
}
jn_status PUBLIC(frame_jacobians_batch)(jn_batch *batch, size_t count, jn_representation in, const number *q,
                                        number *J) {
  BATCH(frame_jacobians, in, q, J);
}
jn_status PUBLIC(frame_jacobian_rates_batch)(jn_batch *batch, size_t count, jn_representation in, const number *q,
                                             const number *v, number *Jdot) {
  BATCH(frame_jacobian_rates, in, q, v, Jdot);
}
jn_status PUBLIC(space_jacobian_batch)(jn_batch *batch, size_t count, const number *q, number *J) {
  BATCH(space_jacobian, q, J);
}
jn_status PUBLIC(space_jacobian_rate_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                            number *Jdot) {
  BATCH(space_jacobian_rate, q, v, Jdot);
}
jn_status PUBLIC(center_of_mass_batch)(jn_batch *batch, size_t count, int link, const number *q, const number *v,
                                       const number *a, number *c, number *cdot, number *cddot) {
  BATCH(center_of_mass, link, q, v, a, c, cdot, cddot);
}
jn_status PUBLIC(com_jacobian_batch)(jn_batch *batch, size_t count, int link, const number *q, number *J) {
  BATCH(com_jacobian, link, q, J);
}
jn_status PUBLIC(momentum_batch)(jn_batch *batch, size_t count, jn_about about, const number *q, const number *v,
                                 number *h) {
  BATCH(momentum, about, q, v, h);
}
jn_status PUBLIC(momentum_matrix_batch)(jn_batch *batch, size_t count, jn_about about, const number *q, number *A) {
  BATCH(momentum_matrix, about, q, A);
}
jn_status PUBLIC(momentum_matrix_rate_batch)(jn_batch *batch, size_t count, jn_about about, const number *q,
                                             const number *v, number *Adot) {
  BATCH(momentum_matrix_rate, about, q, v, Adot);
}
jn_status PUBLIC(inverse_dynamics_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                         const number *a, const number *wrench, number *tau) {
  BATCH(inverse_dynamics, q, v, a, wrench, tau);
}
jn_status PUBLIC(gravity_forces_batch)(jn_batch *batch, size_t count, const number *q, number *g) {
  BATCH(gravity_forces, q, g);
}
jn_status PUBLIC(coriolis_forces_batch)(jn_batch *batch, size_t count, const number *q, const number *v, number *c) {
  BATCH(coriolis_forces, q, v, c);
}
jn_status PUBLIC(bias_forces_batch)(jn_batch *batch, size_t count, const number *q, const number *v, number *h) {
  BATCH(bias_forces, q, v, h);
}
jn_status PUBLIC(forward_dynamics_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                         const number *tau, const number *wrench, number *a) {
  BATCH(forward_dynamics, q, v, tau, wrench, a);
}
jn_status PUBLIC(hybrid_dynamics_batch)(jn_batch *batch, size_t count, const unsigned char *prescribed, const number *q,
                                        const number *v, const number *a, const number *tau, const number *wrench,
                                        number *a_out, number *tau_out) {
  BATCH(hybrid_dynamics, prescribed, q, v, a, tau, wrench, a_out, tau_out);
}
jn_status PUBLIC(mass_matrix_batch)(jn_batch *batch, size_t count, const number *q, number *M) {
  BATCH(mass_matrix, q, M);
}
jn_status PUBLIC(mass_matrix_inverse_batch)(jn_batch *batch, size_t count, const number *q, number *Minv) {
  BATCH(mass_matrix_inverse, q, Minv);
}
jn_status PUBLIC(mass_matrix_rate_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                         number *Mdot) {
  BATCH(mass_matrix_rate, q, v, Mdot);
}
jn_status PUBLIC(coriolis_matrix_batch)(jn_batch *batch, size_t count, const number *q, const number *v, number *C) {
  BATCH(coriolis_matrix, q, v, C);
}
jn_status PUBLIC(coriolis_matrix_christoffel_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                    number *C) {
  BATCH(coriolis_matrix_christoffel, q, v, C);
}
jn_status PUBLIC(mass_factor_batch)(jn_batch *batch, size_t count, const number *q, number *factor) {
  BATCH(mass_factor, q, factor);
}
jn_status PUBLIC(mass_solve_batch)(jn_batch *batch, size_t count, const number *factor, const number *b, number *x) {
  BATCH(mass_solve, factor, b, x);
}
jn_status PUBLIC(energy_batch)(jn_batch *batch, size_t count, const number *q, const number *v, number *energy) {
  BATCH(energy, q, v, energy);
}
jn_status PUBLIC(joint_wrenches_batch)(jn_batch *batch, size_t count, const number *q, const number *v, const number *a,
                                       const number *wrench, number *F) {
  BATCH(joint_wrenches, q, v, a, wrench, F);
}
jn_status PUBLIC(compute_batch)(jn_batch *batch, size_t count, const number *q, const number *v, const number *a,
                                const number *wrench, const PUBLIC(terms) * terms) {
  BATCH(compute, q, v, a, wrench, terms);
}
jn_status PUBLIC(inverse_dynamics_jet_batch)(jn_batch *batch, size_t count, int order, const number *q,
                                             const number *v_jet, const number *wrench_jet, number *tau_jet) {
  BATCH(inverse_dynamics_jet, order, q, v_jet, wrench_jet, tau_jet);
}
jn_status PUBLIC(forward_dynamics_jet_batch)(jn_batch *batch, size_t count, int order, const number *q, const number *v,
                                             const number *tau_jet, const number *wrench_jet, number *v_jet) {
  BATCH(forward_dynamics_jet, order, q, v, tau_jet, wrench_jet, v_jet);
}
jn_status PUBLIC(hybrid_dynamics_jet_batch)(jn_batch *batch, size_t count, int order, const unsigned char *prescribed,
                                            const number *q, const number *v_jet, const number *tau_jet,
                                            const number *wrench_jet, number *v_out, number *tau_out) {
  BATCH(hybrid_dynamics_jet, order, prescribed, q, v_jet, tau_jet, wrench_jet, v_out, tau_out);
}
jn_status PUBLIC(mass_matrix_jet_batch)(jn_batch *batch, size_t count, int order, const number *q, const number *v_jet,
                                        number *M_jet) {
  BATCH(mass_matrix_jet, order, q, v_jet, M_jet);
}
jn_status PUBLIC(coriolis_matrix_jet_batch)(jn_batch *batch, size_t count, int order, const number *q,
                                            const number *v_jet, number *C_jet) {
  BATCH(coriolis_matrix_jet, order, q, v_jet, C_jet);
}
jn_status PUBLIC(gravity_forces_jet_batch)(jn_batch *batch, size_t count, int order, const number *q,
                                           const number *v_jet, number *g_jet) {
  BATCH(gravity_forces_jet, order, q, v_jet, g_jet);
}
jn_status PUBLIC(momentum_jet_batch)(jn_batch *batch, size_t count, int order, const number *q, const number *v_jet,
                                     number *h_jet) {
  BATCH(momentum_jet, order, q, v_jet, h_jet);
}
jn_status PUBLIC(center_of_mass_jet_batch)(jn_batch *batch, size_t count, int order, const number *q,
                                           const number *v_jet, number *com_jet) {
  BATCH(center_of_mass_jet, order, q, v_jet, com_jet);
}
jn_status PUBLIC(energy_jet_batch)(jn_batch *batch, size_t count, int order, const number *q, const number *v_jet,
                                   number *energy_jet) {
  BATCH(energy_jet, order, q, v_jet, energy_jet);
}
jn_status PUBLIC(frame_twist_jet_batch)(jn_batch *batch, size_t count, int order, int frame, const number *q,
                                        const number *v_jet, number *twist_jet) {
  BATCH(frame_twist_jet, order, frame, q, v_jet, twist_jet);
}
jn_status PUBLIC(frame_jacobian_jet_batch)(jn_batch *batch, size_t count, int order, int frame, const number *q,
                                           const number *v_jet, number *J_jet) {
  BATCH(frame_jacobian_jet, order, frame, q, v_jet, J_jet);
}
jn_status PUBLIC(joint_jacobian_jet_batch)(jn_batch *batch, size_t count, int order, int link, const number *q,
                                           const number *v_jet, number *S_jet) {
  BATCH(joint_jacobian_jet, order, link, q, v_jet, S_jet);
}
jn_status PUBLIC(system_jet_batch)(jn_batch *batch, size_t count, int order, const number *q, const number *v_jet,
                                   number *A_jet, number *joint_twist_jet, number *link_twist_jet, number *J_jet) {
  BATCH(system_jet, order, q, v_jet, A_jet, joint_twist_jet, link_twist_jet, J_jet);
}
jn_status PUBLIC(rate_matrices_batch)(jn_batch *batch, size_t count, int order, const number *q, const number *v_jet,
                                      number *P) {
  BATCH(rate_matrices, order, q, v_jet, P);
}
jn_status PUBLIC(wrench_forces_jet_batch)(jn_batch *batch, size_t count, int order, const number *q,
                                          const number *v_jet, const number *wrench_jet, number *tau_jet) {
  BATCH(wrench_forces_jet, order, q, v_jet, wrench_jet, tau_jet);
}
jn_status PUBLIC(joint_wrenches_jet_batch)(jn_batch *batch, size_t count, int order, const number *q,
                                           const number *v_jet, const number *wrench_jet, number *F_jet) {
  BATCH(joint_wrenches_jet, order, q, v_jet, wrench_jet, F_jet);
}
jn_status PUBLIC(inverse_dynamics_derivatives_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                     const number *a, const number *wrench, jn_representation hold,
                                                     number *dtau_dq, number *dtau_dv, number *dtau_da,
                                                     number *dtau_dwrench) {
  BATCH(inverse_dynamics_derivatives, q, v, a, wrench, hold, dtau_dq, dtau_dv, dtau_da, dtau_dwrench);
}
jn_status PUBLIC(forward_dynamics_derivatives_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                     const number *tau, const number *wrench, jn_representation hold,
                                                     number *a, number *da_dq, number *da_dv, number *da_dtau,
                                                     number *da_dwrench) {
  BATCH(forward_dynamics_derivatives, q, v, tau, wrench, hold, a, da_dq, da_dv, da_dtau, da_dwrench);
}
jn_status PUBLIC(hybrid_dynamics_derivatives_batch)(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                                    const number *q, const number *v, const number *a,
                                                    const number *tau, const number *wrench, jn_representation hold,
                                                    const PUBLIC(hybrid_derivatives) * out) {
  BATCH(hybrid_dynamics_derivatives, prescribed, q, v, a, tau, wrench, hold, out);
}
jn_status PUBLIC(inverse_dynamics_derivatives_along_batch)(jn_batch *batch, size_t count, const number *q,
                                                           const number *v, const number *a, const number *wrench,
                                                           jn_representation hold, const PUBLIC(direction) * along,
                                                           const PUBLIC(inverse_derivatives_along) * out) {
  BATCH(inverse_dynamics_derivatives_along, q, v, a, wrench, hold, along, out);
}
jn_status PUBLIC(inverse_dynamics_second_derivatives_batch)(jn_batch *batch, size_t count, const number *q,
                                                            const number *v, const number *a, const number *wrench,
                                                            jn_representation hold, number *d2tau_dqdq,
                                                            number *d2tau_dqdv, number *d2tau_dvdv,
                                                            number *d2tau_dqda) {
  BATCH(inverse_dynamics_second_derivatives, q, v, a, wrench, hold, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda);
}
jn_status PUBLIC(forward_dynamics_derivatives_along_batch)(jn_batch *batch, size_t count, const number *q,
                                                           const number *v, const number *wrench,
                                                           jn_representation hold, const PUBLIC(forward_solution) * at,
                                                           const PUBLIC(direction) * along,
                                                           const PUBLIC(forward_derivatives_along) * out) {
  BATCH(forward_dynamics_derivatives_along, q, v, wrench, hold, at, along, out);
}
jn_status PUBLIC(forward_dynamics_second_derivatives_batch)(jn_batch *batch, size_t count, const number *q,
                                                            const number *v, const number *wrench,
                                                            jn_representation hold, const PUBLIC(forward_solution) * at,
                                                            const PUBLIC(forward_second_derivatives) * out) {
  BATCH(forward_dynamics_second_derivatives, q, v, wrench, hold, at, out);
}
jn_status PUBLIC(mass_matrix_derivative_batch)(jn_batch *batch, size_t count, const number *q, number *dM_dq) {
  BATCH(mass_matrix_derivative, q, dM_dq);
}
jn_status PUBLIC(mass_matrix_inverse_derivative_batch)(jn_batch *batch, size_t count, const number *q, number *Minv,
                                                       number *dMinv_dq) {
  BATCH(mass_matrix_inverse_derivative, q, Minv, dMinv_dq);
}
jn_status PUBLIC(coriolis_matrix_derivatives_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                    number *dC_dq, number *dC_dv) {
  BATCH(coriolis_matrix_derivatives, q, v, dC_dq, dC_dv);
}
jn_status PUBLIC(mass_matrix_rate_derivatives_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                     number *dMdot_dq, number *dMdot_dv) {
  BATCH(mass_matrix_rate_derivatives, q, v, dMdot_dq, dMdot_dv);
}
jn_status PUBLIC(gravity_forces_derivative_batch)(jn_batch *batch, size_t count, const number *q, number *dg_dq) {
  BATCH(gravity_forces_derivative, q, dg_dq);
}
jn_status PUBLIC(frame_jacobian_derivatives_batch)(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                   const number *q, const number *v, number *dJ_dq, number *dJdot_dq,
                                                   number *dJdot_dv) {
  BATCH(frame_jacobian_derivatives, frame, in, q, v, dJ_dq, dJdot_dq, dJdot_dv);
}
jn_status PUBLIC(frame_twist_derivatives_batch)(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                const number *q, const number *v, number *dV_dq) {
  BATCH(frame_twist_derivatives, frame, in, q, v, dV_dq);
}
jn_status PUBLIC(frame_acceleration_derivatives_batch)(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                       const number *q, const number *v, const number *a, number *dA_dq,
                                                       number *dA_dv) {
  BATCH(frame_acceleration_derivatives, frame, in, q, v, a, dA_dq, dA_dv);
}
jn_status PUBLIC(momentum_derivative_batch)(jn_batch *batch, size_t count, jn_about about, const number *q,
                                            const number *v, number *dh_dq) {
  BATCH(momentum_derivative, about, q, v, dh_dq);
}
jn_status PUBLIC(center_of_mass_derivatives_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                   const number *a, number *dc_dq, number *dcdot_dq, number *dcddot_dq,
                                                   number *dcddot_dv) {
  BATCH(center_of_mass_derivatives, q, v, a, dc_dq, dcdot_dq, dcddot_dq, dcddot_dv);
}
jn_status PUBLIC(inverse_dynamics_jet_derivatives_batch)(jn_batch *batch, size_t count, int order, const number *q,
                                                         const number *v_jet, const number *wrench_jet, number *D) {
  BATCH(inverse_dynamics_jet_derivatives, order, q, v_jet, wrench_jet, D);
}
jn_status PUBLIC(inverse_dynamics_adjoint_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                 const number *a, const number *wrench, jn_representation hold,
                                                 const number *y, const PUBLIC(gradient) * gradient) {
  BATCH(inverse_dynamics_adjoint, q, v, a, wrench, hold, y, gradient);
}
jn_status PUBLIC(forward_dynamics_adjoint_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                                 const number *tau, const number *wrench, jn_representation hold,
                                                 const number *y, number *a, const PUBLIC(gradient) * gradient) {
  BATCH(forward_dynamics_adjoint, q, v, tau, wrench, hold, y, a, gradient);
}
jn_status PUBLIC(regressor_batch)(jn_batch *batch, size_t count, const number *q, const number *v, const number *a,
                                  number *Y) {
  BATCH(regressor, q, v, a, Y);
}
jn_status PUBLIC(slotine_li_regressor_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                             const number *v_r, const number *a_r, number *Y) {
  BATCH(slotine_li_regressor, q, v, v_r, a_r, Y);
}
jn_status PUBLIC(inertia_regressor_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                          const number *y, const number *x, number *Y) {
  BATCH(inertia_regressor, q, v, y, x, Y);
}
jn_status PUBLIC(gravity_regressor_batch)(jn_batch *batch, size_t count, const number *q, number *Y) {
  BATCH(gravity_regressor, q, Y);
}
jn_status PUBLIC(energy_regressor_batch)(jn_batch *batch, size_t count, const number *q, const number *v, number *Y) {
  BATCH(energy_regressor, q, v, Y);
}
jn_status PUBLIC(momentum_regressor_batch)(jn_batch *batch, size_t count, const number *q, const number *v, number *Y) {
  BATCH(momentum_regressor, q, v, Y);
}
jn_status PUBLIC(joint_wrench_regressor_batch)(jn_batch *batch, size_t count, int link, const number *q,
                                               const number *v, const number *a, number *Y) {
  BATCH(joint_wrench_regressor, link, q, v, a, Y);
}
jn_status PUBLIC(regressor_jet_batch)(jn_batch *batch, size_t count, int order, const number *q, const number *v_jet,
                                      number *Y_jet) {
  BATCH(regressor_jet, order, q, v_jet, Y_jet);
}
jn_status PUBLIC(parameter_derivatives_batch)(jn_batch *batch, size_t count, const number *q, const number *v,
                                              number *dM_dpi, number *dC_dpi, number *dg_dpi) {
  BATCH(parameter_derivatives, q, v, dM_dpi, dC_dpi, dg_dpi);
}
jn_status PUBLIC(forward_dynamics_parameter_derivatives_batch)(jn_batch *batch, size_t count, const number *q,
                                                               const number *v, const number *tau, const number *wrench,
                                                               number *a, number *da_dpi) {
  BATCH(forward_dynamics_parameter_derivatives, q, v, tau, wrench, a, da_dpi);
}
jn_status PUBLIC(hybrid_dynamics_parameter_derivatives_batch)(jn_batch *batch, size_t count,
                                                              const unsigned char *prescribed, const number *q,
                                                              const number *v, const number *a, const number *tau,
                                                              const number *wrench, number *a_out, number *tau_out,
                                                              number *da_dpi, number *dtau_dpi) {
  BATCH(hybrid_dynamics_parameter_derivatives, prescribed, q, v, a, tau, wrench, a_out, tau_out, da_dpi, dtau_dpi);
}
