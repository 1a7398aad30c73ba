/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/float.h: the computing functions in single precision: jnf_x is jn_x with float in the place of double.
 * Made by script/float-header from the double headers, which say what each function does. */
#ifndef JOUNCE_FLOAT_H
#define JOUNCE_FLOAT_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

JN_API jn_status jnf_so3_exp(const float w[3], float R[9]);
JN_API jn_status jnf_so3_log(const float R[9], float w[3]);
JN_API jn_status jnf_so3_dexp_left(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_right(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_left_inverse(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_right_inverse(const float w[3], float L[9]);
JN_API jn_status jnf_se3_exp(const float X[6], float T[16]);
JN_API jn_status jnf_se3_log(const float T[16], float X[6]);
JN_API jn_status jnf_se3_dexp_left(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_right(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_left_inverse(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_right_inverse(const float X[6], float L[36]);
JN_API jn_status jnf_se3_multiply(const float A[16], const float B[16], float C[16]);
JN_API jn_status jnf_se3_inverse(const float A[16], float C[16]);
JN_API jn_status jnf_adjoint_matrix(const float T[16], float Ad[36]);
JN_API jn_status jnf_bracket_matrix(const float V[6], float ad[36]);
JN_API jn_status jnf_twist_transform(const float T[16], const float V[6], float out[6]);
JN_API jn_status jnf_wrench_transform(const float T[16], const float F[6], float out[6]);
JN_API jn_status jnf_twist_bracket(const float A[6], const float B[6], float out[6]);
JN_API jn_status jnf_wrench_bracket(const float V[6], const float F[6], float out[6]);
JN_API jn_status jnf_inertia_matrix(const float P[10], float I[36]);
JN_API jn_status jnf_inertia_multiply(const float P[10], const float V[6], float out[6]);
JN_API jn_status jnf_inertia_transform(const float T[16], const float P[10], float out[10]);
JN_API jn_status jnf_quaternion_to_rotation(const float Q[4], float R[9]);
JN_API jn_status jnf_rotation_to_quaternion(const float R[9], float Q[4]);
JN_API jn_status jnf_quaternion_multiply(const float A[4], const float B[4], float C[4]);
JN_API jn_status jnf_rpy_to_rotation(const float rpy[3], float R[9]);
JN_API jn_status jnf_rotation_to_rpy(const float R[9], float rpy[3]);
JN_API jn_status jnf_axis_angle_to_rotation(const float axis_angle[4], float R[9]);
JN_API jn_status jnf_rotation_to_axis_angle(const float R[9], float axis_angle[4]);
JN_API jn_status jnf_neutral(const jn_model *model, float *q);
JN_API jn_status jnf_random(const jn_model *model, uint64_t *state, float *q);
JN_API jn_status jnf_integrate(const jn_model *model, jn_work *work, const float *q, const float *v, float *out);
JN_API jn_status jnf_difference(const jn_model *model, jn_work *work, const float *q0, const float *q1, float *v);
JN_API jn_status jnf_interpolate(const jn_model *model, jn_work *work, const float *q0, const float *q1, float s,
                                 float *out);
JN_API jn_status jnf_normalize(const jn_model *model, jn_work *work, const float *q, float *out);
JN_API jn_status jnf_joint_pose(const jn_model *model, jn_work *work, int joint, const float *q, float *T);
JN_API jn_status jnf_joint_jacobian(const jn_model *model, jn_work *work, int joint, const float *q, float *S);
JN_API jn_status jnf_joint_jacobian_rate(const jn_model *model, jn_work *work, int joint, const float *q,
                                         const float *v, float *Sdot);
JN_API jn_status jnf_frame_pose(const jn_model *model, jn_work *work, int frame, const float *q, float *T);
JN_API jn_status jnf_frame_twist(const jn_model *model, jn_work *work, int frame, jn_representation in, const float *q,
                                 const float *v, float *V);
JN_API jn_status jnf_frame_acceleration(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                        const float *q, const float *v, const float *a, float *A);
JN_API jn_status jnf_frame_jacobian(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                    const float *q, float *J);
JN_API jn_status jnf_frame_jacobian_rate(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                         const float *q, const float *v, float *Jdot);
JN_API jn_status jnf_frame_poses(const jn_model *model, jn_work *work, const float *q, float *T);
JN_API jn_status jnf_frame_jacobians(const jn_model *model, jn_work *work, jn_representation in, const float *q,
                                     float *J);
JN_API jn_status jnf_frame_jacobian_rates(const jn_model *model, jn_work *work, jn_representation in, const float *q,
                                          const float *v, float *Jdot);
JN_API jn_status jnf_space_jacobian(const jn_model *model, jn_work *work, const float *q, float *J);
JN_API jn_status jnf_space_jacobian_rate(const jn_model *model, jn_work *work, const float *q, const float *v,
                                         float *Jdot);
JN_API jn_status jnf_center_of_mass(const jn_model *model, jn_work *work, int link, const float *q, const float *v,
                                    const float *a, float *c, float *cdot, float *cddot);
JN_API jn_status jnf_com_jacobian(const jn_model *model, jn_work *work, int link, const float *q, float *J);
JN_API jn_status jnf_momentum(const jn_model *model, jn_work *work, jn_about about, const float *q, const float *v,
                              float *h);
JN_API jn_status jnf_momentum_matrix(const jn_model *model, jn_work *work, jn_about about, const float *q, float *A);
JN_API jn_status jnf_momentum_matrix_rate(const jn_model *model, jn_work *work, jn_about about, const float *q,
                                          const float *v, float *Adot);
typedef struct jnf_terms {
  float *M, *C, *Mdot;
  float *tau, *g, *bias;
  float *coriolis;
  float *poses;
  float *twists, *accelerations;
  float *jacobians, *jacobian_rates;
  float *space_jacobian, *space_jacobian_rate;
  float *com, *com_velocity, *com_acceleration;
  float *com_jacobian;
  float *momentum;
  float *momentum_matrix, *momentum_matrix_rate;
  float *energy;
  jn_representation in;
  jn_about about;
} jnf_terms;
JN_API jn_status jnf_inverse_dynamics(const jn_model *model, jn_work *work, const float *q, const float *v,
                                      const float *a, const float *wrench, float *tau);
JN_API jn_status jnf_gravity_forces(const jn_model *model, jn_work *work, const float *q, float *g);
JN_API jn_status jnf_coriolis_forces(const jn_model *model, jn_work *work, const float *q, const float *v, float *c);
JN_API jn_status jnf_bias_forces(const jn_model *model, jn_work *work, const float *q, const float *v, float *h);
JN_API jn_status jnf_loss_forces(const jn_model *model, const float *v, float *loss);
JN_API jn_status jnf_spring_forces(const jn_model *model, const float *q, float *force);
JN_API jn_status jnf_forward_dynamics(const jn_model *model, jn_work *work, const float *q, const float *v,
                                      const float *tau, const float *wrench, float *a);
JN_API jn_status jnf_hybrid_dynamics(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                     const float *q, const float *v, const float *a, const float *tau,
                                     const float *wrench, float *a_out, float *tau_out);
JN_API jn_status jnf_mass_matrix(const jn_model *model, jn_work *work, const float *q, float *M);
JN_API jn_status jnf_mass_matrix_inverse(const jn_model *model, jn_work *work, const float *q, float *Minv);
JN_API jn_status jnf_mass_matrix_rate(const jn_model *model, jn_work *work, const float *q, const float *v,
                                      float *Mdot);
JN_API jn_status jnf_coriolis_matrix(const jn_model *model, jn_work *work, const float *q, const float *v, float *C);
JN_API jn_status jnf_coriolis_matrix_christoffel(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                 float *C);
JN_API jn_status jnf_mass_factor(const jn_model *model, jn_work *work, const float *q, float *factor);
JN_API jn_status jnf_mass_solve(const jn_model *model, jn_work *work, const float *factor, const float *b, float *x);
JN_API jn_status jnf_energy(const jn_model *model, jn_work *work, const float *q, const float *v, float *energy);
JN_API jn_status jnf_joint_wrenches(const jn_model *model, jn_work *work, const float *q, const float *v,
                                    const float *a, const float *wrench, float *F);
JN_API jn_status jnf_compute(const jn_model *model, jn_work *work, const float *q, const float *v, const float *a,
                             const float *wrench, const jnf_terms *terms);
JN_API jn_status jnf_inverse_dynamics_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                          const float *v_jet, const float *wrench_jet, float *tau_jet);
JN_API jn_status jnf_forward_dynamics_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                          const float *v, const float *tau_jet, const float *wrench_jet, float *v_jet);
JN_API jn_status jnf_hybrid_dynamics_jet(const jn_model *model, jn_work *work, int order,
                                         const unsigned char *prescribed, const float *q, const float *v_jet,
                                         const float *tau_jet, const float *wrench_jet, float *v_out, float *tau_out);
JN_API jn_status jnf_mass_matrix_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                     const float *v_jet, float *M_jet);
JN_API jn_status jnf_coriolis_matrix_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                         const float *v_jet, float *C_jet);
JN_API jn_status jnf_gravity_forces_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                        const float *v_jet, float *g_jet);
JN_API jn_status jnf_momentum_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                  float *h_jet);
JN_API jn_status jnf_center_of_mass_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                        const float *v_jet, float *com_jet);
JN_API jn_status jnf_energy_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                float *energy_jet);
JN_API jn_status jnf_frame_twist_jet(const jn_model *model, jn_work *work, int order, int frame, const float *q,
                                     const float *v_jet, float *twist_jet);
JN_API jn_status jnf_frame_jacobian_jet(const jn_model *model, jn_work *work, int order, int frame, const float *q,
                                        const float *v_jet, float *J_jet);
JN_API jn_status jnf_joint_jacobian_jet(const jn_model *model, jn_work *work, int order, int link, const float *q,
                                        const float *v_jet, float *S_jet);
JN_API jn_status jnf_system_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                float *A_jet, float *joint_twist_jet, float *link_twist_jet, float *J_jet);
JN_API jn_status jnf_rate_matrices(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                   float *P);
JN_API jn_status jnf_wrench_forces_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                       const float *v_jet, const float *wrench_jet, float *tau_jet);
JN_API jn_status jnf_joint_wrenches_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                        const float *v_jet, const float *wrench_jet, float *F_jet);
typedef struct jnf_hybrid_derivatives {
  float *a, *tau;
  float *da_dq, *dtau_dq;
  float *da_dv, *dtau_dv;
  float *da_dgiven, *dtau_dgiven;
  float *da_dwrench, *dtau_dwrench;
} jnf_hybrid_derivatives;
JN_API jn_status jnf_inverse_dynamics_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *a, const float *wrench, jn_representation hold,
                                                  float *dtau_dq, float *dtau_dv, float *dtau_da, float *dtau_dwrench);
JN_API jn_status jnf_forward_dynamics_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *tau, const float *wrench, jn_representation hold,
                                                  float *a, float *da_dq, float *da_dv, float *da_dtau,
                                                  float *da_dwrench);
JN_API jn_status jnf_hybrid_dynamics_derivatives(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                                 const float *q, const float *v, const float *a, const float *tau,
                                                 const float *wrench, jn_representation hold,
                                                 const jnf_hybrid_derivatives *out);
JN_API jn_status jnf_inverse_dynamics_derivatives_along(const jn_model *model, jn_work *work, const float *q,
                                                        const float *v, const float *a, const float *wrench,
                                                        jn_representation hold, const float *dq_ds, const float *dv_ds,
                                                        const float *da_ds, float *dtau_ds, float *d2tau_dsdq,
                                                        float *d2tau_dsdv, float *d2tau_dsda);
JN_API jn_status jnf_inverse_dynamics_second_derivatives(const jn_model *model, jn_work *work, const float *q,
                                                         const float *v, const float *a, const float *wrench,
                                                         jn_representation hold, float *d2tau_dqdq, float *d2tau_dqdv,
                                                         float *d2tau_dvdv, float *d2tau_dqda);
JN_API jn_status jnf_forward_dynamics_derivatives_along(const jn_model *model, jn_work *work, const float *q,
                                                        const float *v, const float *a, const float *wrench,
                                                        jn_representation hold, const float *da_dq, const float *da_dv,
                                                        const float *da_dtau, const float *dq_ds, const float *dv_ds,
                                                        const float *dtau_ds, float *d2a_dsdq, float *d2a_dsdv,
                                                        float *d2a_dsdtau);
JN_API jn_status jnf_forward_dynamics_second_derivatives(const jn_model *model, jn_work *work, const float *q,
                                                         const float *v, const float *a, const float *wrench,
                                                         jn_representation hold, const float *da_dq, const float *da_dv,
                                                         const float *da_dtau, float *d2a_dqdq, float *d2a_dqdv,
                                                         float *d2a_dqdtau, float *d2a_dvdv, float *room);
JN_API jn_status jnf_mass_matrix_derivative(const jn_model *model, jn_work *work, const float *q, float *dM_dq);
JN_API jn_status jnf_mass_matrix_inverse_derivative(const jn_model *model, jn_work *work, const float *q, float *Minv,
                                                    float *dMinv_dq);
JN_API jn_status jnf_coriolis_matrix_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                 float *dC_dq, float *dC_dv);
JN_API jn_status jnf_mass_matrix_rate_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  float *dMdot_dq, float *dMdot_dv);
JN_API jn_status jnf_gravity_forces_derivative(const jn_model *model, jn_work *work, const float *q, float *dg_dq);
JN_API jn_status jnf_frame_jacobian_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                                const float *q, const float *v, float *dJ_dq, float *dJdot_dq,
                                                float *dJdot_dv);
JN_API jn_status jnf_frame_twist_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                             const float *q, const float *v, float *dV_dq);
JN_API jn_status jnf_frame_acceleration_derivatives(const jn_model *model, jn_work *work, int frame,
                                                    jn_representation in, const float *q, const float *v,
                                                    const float *a, float *dA_dq, float *dA_dv);
JN_API jn_status jnf_momentum_derivative(const jn_model *model, jn_work *work, jn_about about, const float *q,
                                         const float *v, float *dh_dq);
JN_API jn_status jnf_center_of_mass_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                const float *a, float *dc_dq, float *dcdot_dq, float *dcddot_dq,
                                                float *dcddot_dv);
JN_API jn_status jnf_inverse_dynamics_jet_derivatives(const jn_model *model, jn_work *work, int order, const float *q,
                                                      const float *v_jet, const float *wrench_jet, float *D);
typedef struct jnf_perturbation {
  const float *dq_dp, *dv_dp, *da_dp, *dtau_dp;
  const float *dh_dp;
  const float *dS_dp, *dSdot_dp;
  const float *dinertia_dp;
  const float *dwrench_dp;
  const float *darmature_dp;
  const float *dgravity_dp;
} jnf_perturbation;
typedef struct jnf_gradient {
  float *df_dq, *df_dv, *df_da, *df_dtau;
  float *df_dwrench;
  float *df_dinertia;
  float *df_dgravity;
  float *df_darmature;
} jnf_gradient;
JN_API jn_status jnf_perturbation_of(const jn_model *model, jn_work *work, const jn_scalar *scalar, const float *q,
                                     const float *v, float *room, jnf_perturbation *perturbation);
JN_API jn_status jnf_inverse_dynamics_sensitivity(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *a, const float *wrench, int count,
                                                  const jnf_perturbation *perturbations, float *dtau_dp);
JN_API jn_status jnf_forward_dynamics_sensitivity(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *tau, const float *wrench, int count,
                                                  const jnf_perturbation *perturbations, float *a, float *da_dp);
JN_API jn_status jnf_hybrid_dynamics_sensitivity(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                                 const float *q, const float *v, const float *a, const float *tau,
                                                 const float *wrench, int count, const jnf_perturbation *perturbations,
                                                 float *a_out, float *tau_out, float *da_dp, float *dtau_dp);
JN_API jn_status jnf_inverse_dynamics_adjoint(const jn_model *model, jn_work *work, const float *q, const float *v,
                                              const float *a, const float *wrench, jn_representation hold,
                                              const float *y, const jnf_gradient *gradient);
JN_API jn_status jnf_forward_dynamics_adjoint(const jn_model *model, jn_work *work, const float *q, const float *v,
                                              const float *tau, const float *wrench, jn_representation hold,
                                              const float *y, float *a, const jnf_gradient *gradient);
JN_API jn_status jnf_regressor(const jn_model *model, jn_work *work, const float *q, const float *v, const float *a,
                               float *Y);
JN_API jn_status jnf_slotine_li_regressor(const jn_model *model, jn_work *work, const float *q, const float *v,
                                          const float *v_r, const float *a_r, float *Y);
JN_API jn_status jnf_inertia_regressor(const jn_model *model, jn_work *work, const float *q, const float *v,
                                       const float *y, const float *x, float *Y);
JN_API jn_status jnf_gravity_regressor(const jn_model *model, jn_work *work, const float *q, float *Y);
JN_API jn_status jnf_energy_regressor(const jn_model *model, jn_work *work, const float *q, const float *v, float *Y);
JN_API jn_status jnf_momentum_regressor(const jn_model *model, jn_work *work, const float *q, const float *v, float *Y);
JN_API jn_status jnf_joint_wrench_regressor(const jn_model *model, jn_work *work, int link, const float *q,
                                            const float *v, const float *a, float *Y);
JN_API jn_status jnf_joint_regressor(const jn_model *model, const float *v, const float *a, float *Y);
JN_API jn_status jnf_regressor_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                   float *Y_jet);
JN_API jn_status jnf_parameter_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                           float *dM_dpi, float *dC_dpi, float *dg_dpi);
JN_API jn_status jnf_forward_dynamics_parameter_derivatives(const jn_model *model, jn_work *work, const float *q,
                                                            const float *v, const float *tau, const float *wrench,
                                                            float *a, float *da_dpi);
JN_API jn_status jnf_hybrid_dynamics_parameter_derivatives(const jn_model *model, jn_work *work,
                                                           const unsigned char *prescribed, const float *q,
                                                           const float *v, const float *a, const float *tau,
                                                           const float *wrench, float *a_out, float *tau_out,
                                                           float *da_dpi, float *dtau_dpi);
JN_API jn_status jnf_integrate_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *out);
JN_API jn_status jnf_difference_batch(jn_batch *batch, size_t count, const float *q0, const float *q1, float *v);
JN_API jn_status jnf_interpolate_batch(jn_batch *batch, size_t count, const float *q0, const float *q1, float s,
                                       float *out);
JN_API jn_status jnf_normalize_batch(jn_batch *batch, size_t count, const float *q, float *out);
JN_API jn_status jnf_joint_pose_batch(jn_batch *batch, size_t count, int joint, const float *q, float *T);
JN_API jn_status jnf_joint_jacobian_batch(jn_batch *batch, size_t count, int joint, const float *q, float *S);
JN_API jn_status jnf_joint_jacobian_rate_batch(jn_batch *batch, size_t count, int joint, const float *q, const float *v,
                                               float *Sdot);
JN_API jn_status jnf_frame_pose_batch(jn_batch *batch, size_t count, int frame, const float *q, float *T);
JN_API jn_status jnf_frame_twist_batch(jn_batch *batch, size_t count, int frame, jn_representation in, const float *q,
                                       const float *v, float *V);
JN_API jn_status jnf_frame_acceleration_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                              const float *q, const float *v, const float *a, float *A);
JN_API jn_status jnf_frame_jacobian_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                          const float *q, float *J);
JN_API jn_status jnf_frame_jacobian_rate_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                               const float *q, const float *v, float *Jdot);
JN_API jn_status jnf_frame_poses_batch(jn_batch *batch, size_t count, const float *q, float *T);
JN_API jn_status jnf_frame_jacobians_batch(jn_batch *batch, size_t count, jn_representation in, const float *q,
                                           float *J);
JN_API jn_status jnf_frame_jacobian_rates_batch(jn_batch *batch, size_t count, jn_representation in, const float *q,
                                                const float *v, float *Jdot);
JN_API jn_status jnf_space_jacobian_batch(jn_batch *batch, size_t count, const float *q, float *J);
JN_API jn_status jnf_space_jacobian_rate_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                               float *Jdot);
JN_API jn_status jnf_center_of_mass_batch(jn_batch *batch, size_t count, int link, const float *q, const float *v,
                                          const float *a, float *c, float *cdot, float *cddot);
JN_API jn_status jnf_com_jacobian_batch(jn_batch *batch, size_t count, int link, const float *q, float *J);
JN_API jn_status jnf_momentum_batch(jn_batch *batch, size_t count, jn_about about, const float *q, const float *v,
                                    float *h);
JN_API jn_status jnf_momentum_matrix_batch(jn_batch *batch, size_t count, jn_about about, const float *q, float *A);
JN_API jn_status jnf_momentum_matrix_rate_batch(jn_batch *batch, size_t count, jn_about about, const float *q,
                                                const float *v, float *Adot);
JN_API jn_status jnf_inverse_dynamics_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                            const float *a, const float *wrench, float *tau);
JN_API jn_status jnf_gravity_forces_batch(jn_batch *batch, size_t count, const float *q, float *g);
JN_API jn_status jnf_coriolis_forces_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *c);
JN_API jn_status jnf_bias_forces_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *h);
JN_API jn_status jnf_forward_dynamics_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                            const float *tau, const float *wrench, float *a);
JN_API jn_status jnf_hybrid_dynamics_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                           const float *q, const float *v, const float *a, const float *tau,
                                           const float *wrench, float *a_out, float *tau_out);
JN_API jn_status jnf_mass_matrix_batch(jn_batch *batch, size_t count, const float *q, float *M);
JN_API jn_status jnf_mass_matrix_inverse_batch(jn_batch *batch, size_t count, const float *q, float *Minv);
JN_API jn_status jnf_mass_matrix_rate_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *Mdot);
JN_API jn_status jnf_coriolis_matrix_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *C);
JN_API jn_status jnf_coriolis_matrix_christoffel_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                       float *C);
JN_API jn_status jnf_mass_factor_batch(jn_batch *batch, size_t count, const float *q, float *factor);
JN_API jn_status jnf_mass_solve_batch(jn_batch *batch, size_t count, const float *factor, const float *b, float *x);
JN_API jn_status jnf_energy_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *energy);
JN_API jn_status jnf_joint_wrenches_batch(jn_batch *batch, size_t count, const float *q, const float *v, const float *a,
                                          const float *wrench, float *F);
JN_API jn_status jnf_compute_batch(jn_batch *batch, size_t count, const float *q, const float *v, const float *a,
                                   const float *wrench, const jnf_terms *terms);
JN_API jn_status jnf_inverse_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                                const float *v_jet, const float *wrench_jet, float *tau_jet);
JN_API jn_status jnf_forward_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                                const float *v, const float *tau_jet, const float *wrench_jet,
                                                float *v_jet);
JN_API jn_status jnf_hybrid_dynamics_jet_batch(jn_batch *batch, size_t count, int order,
                                               const unsigned char *prescribed, const float *q, const float *v_jet,
                                               const float *tau_jet, const float *wrench_jet, float *v_out,
                                               float *tau_out);
JN_API jn_status jnf_mass_matrix_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                           float *M_jet);
JN_API jn_status jnf_coriolis_matrix_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                               const float *v_jet, float *C_jet);
JN_API jn_status jnf_gravity_forces_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                              const float *v_jet, float *g_jet);
JN_API jn_status jnf_momentum_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                        float *h_jet);
JN_API jn_status jnf_center_of_mass_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                              const float *v_jet, float *com_jet);
JN_API jn_status jnf_energy_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                      float *energy_jet);
JN_API jn_status jnf_frame_twist_jet_batch(jn_batch *batch, size_t count, int order, int frame, const float *q,
                                           const float *v_jet, float *twist_jet);
JN_API jn_status jnf_frame_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int frame, const float *q,
                                              const float *v_jet, float *J_jet);
JN_API jn_status jnf_joint_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int link, const float *q,
                                              const float *v_jet, float *S_jet);
JN_API jn_status jnf_system_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                      float *A_jet, float *joint_twist_jet, float *link_twist_jet, float *J_jet);
JN_API jn_status jnf_rate_matrices_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                         float *P);
JN_API jn_status jnf_wrench_forces_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                             const float *v_jet, const float *wrench_jet, float *tau_jet);
JN_API jn_status jnf_joint_wrenches_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                              const float *v_jet, const float *wrench_jet, float *F_jet);
JN_API jn_status jnf_inverse_dynamics_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                        const float *a, const float *wrench, jn_representation hold,
                                                        float *dtau_dq, float *dtau_dv, float *dtau_da,
                                                        float *dtau_dwrench);
JN_API jn_status jnf_forward_dynamics_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                        const float *tau, const float *wrench, jn_representation hold,
                                                        float *a, float *da_dq, float *da_dv, float *da_dtau,
                                                        float *da_dwrench);
JN_API jn_status jnf_hybrid_dynamics_derivatives_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                                       const float *q, const float *v, const float *a, const float *tau,
                                                       const float *wrench, jn_representation hold,
                                                       const jnf_hybrid_derivatives *out);
JN_API jn_status jnf_inverse_dynamics_derivatives_along_batch(jn_batch *batch, size_t count, const float *q,
                                                              const float *v, const float *a, const float *wrench,
                                                              jn_representation hold, const float *dq_ds,
                                                              const float *dv_ds, const float *da_ds, float *dtau_ds,
                                                              float *d2tau_dsdq, float *d2tau_dsdv, float *d2tau_dsda);
JN_API jn_status jnf_inverse_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const float *q,
                                                               const float *v, const float *a, const float *wrench,
                                                               jn_representation hold, float *d2tau_dqdq,
                                                               float *d2tau_dqdv, float *d2tau_dvdv, float *d2tau_dqda);
JN_API jn_status jnf_forward_dynamics_derivatives_along_batch(
    jn_batch *batch, size_t count, const float *q, const float *v, const float *a, const float *wrench,
    jn_representation hold, const float *da_dq, const float *da_dv, const float *da_dtau, const float *dq_ds,
    const float *dv_ds, const float *dtau_ds, float *d2a_dsdq, float *d2a_dsdv, float *d2a_dsdtau);
JN_API jn_status jnf_forward_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const float *q,
                                                               const float *v, const float *a, const float *wrench,
                                                               jn_representation hold, const float *da_dq,
                                                               const float *da_dv, const float *da_dtau,
                                                               float *d2a_dqdq, float *d2a_dqdv, float *d2a_dqdtau,
                                                               float *d2a_dvdv, float *room);
JN_API jn_status jnf_mass_matrix_derivative_batch(jn_batch *batch, size_t count, const float *q, float *dM_dq);
JN_API jn_status jnf_mass_matrix_inverse_derivative_batch(jn_batch *batch, size_t count, const float *q, float *Minv,
                                                          float *dMinv_dq);
JN_API jn_status jnf_coriolis_matrix_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                       float *dC_dq, float *dC_dv);
JN_API jn_status jnf_mass_matrix_rate_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                        float *dMdot_dq, float *dMdot_dv);
JN_API jn_status jnf_gravity_forces_derivative_batch(jn_batch *batch, size_t count, const float *q, float *dg_dq);
JN_API jn_status jnf_frame_jacobian_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                      const float *q, const float *v, float *dJ_dq, float *dJdot_dq,
                                                      float *dJdot_dv);
JN_API jn_status jnf_frame_twist_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                   const float *q, const float *v, float *dV_dq);
JN_API jn_status jnf_frame_acceleration_derivatives_batch(jn_batch *batch, size_t count, int frame,
                                                          jn_representation in, const float *q, const float *v,
                                                          const float *a, float *dA_dq, float *dA_dv);
JN_API jn_status jnf_momentum_derivative_batch(jn_batch *batch, size_t count, jn_about about, const float *q,
                                               const float *v, float *dh_dq);
JN_API jn_status jnf_center_of_mass_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                      const float *a, float *dc_dq, float *dcdot_dq, float *dcddot_dq,
                                                      float *dcddot_dv);
JN_API jn_status jnf_inverse_dynamics_jet_derivatives_batch(jn_batch *batch, size_t count, int order, const float *q,
                                                            const float *v_jet, const float *wrench_jet, float *D);
JN_API jn_status jnf_inverse_dynamics_adjoint_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                    const float *a, const float *wrench, jn_representation hold,
                                                    const float *y, const jnf_gradient *gradient);
JN_API jn_status jnf_forward_dynamics_adjoint_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                    const float *tau, const float *wrench, jn_representation hold,
                                                    const float *y, float *a, const jnf_gradient *gradient);
JN_API jn_status jnf_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v, const float *a,
                                     float *Y);
JN_API jn_status jnf_slotine_li_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                const float *v_r, const float *a_r, float *Y);
JN_API jn_status jnf_inertia_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                             const float *y, const float *x, float *Y);
JN_API jn_status jnf_gravity_regressor_batch(jn_batch *batch, size_t count, const float *q, float *Y);
JN_API jn_status jnf_energy_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *Y);
JN_API jn_status jnf_momentum_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *Y);
JN_API jn_status jnf_joint_wrench_regressor_batch(jn_batch *batch, size_t count, int link, const float *q,
                                                  const float *v, const float *a, float *Y);
JN_API jn_status jnf_regressor_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                         float *Y_jet);
JN_API jn_status jnf_parameter_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                 float *dM_dpi, float *dC_dpi, float *dg_dpi);
JN_API jn_status jnf_forward_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count, const float *q,
                                                                  const float *v, const float *tau, const float *wrench,
                                                                  float *a, float *da_dpi);
JN_API jn_status jnf_hybrid_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count,
                                                                 const unsigned char *prescribed, const float *q,
                                                                 const float *v, const float *a, const float *tau,
                                                                 const float *wrench, float *a_out, float *tau_out,
                                                                 float *da_dpi, float *dtau_dpi);

#ifdef __cplusplus
}
#endif
#endif
