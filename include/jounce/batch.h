/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/batch.h: many states at once, in SIMD lanes and threads.
 *
 * jn_x_batch() is jn_x() for `count` states: arrays have one row a state, rows follow each other without gaps, e.g.
 * q [count x nq], M [count x nv x nv]; structs of outputs point to such arrays, and what is no array of numbers
 * (orders, frames, prescribed) is the same for all states. Results are those of the single call to rounding. Any count
 * will do: the last lanes are filled up, none is the empty success.
 *
 * A batch holds the memory of its threads, and belongs to one caller at a time. Functions allocate only when one needs
 * more room for samples in lanes than any before it. Errors as the single function; besides JN_ERR_MEMORY, and
 * JN_ERR_SINGULAR when a state is singular: jn_batch_singular() tells the first, the others are complete.
 * Declarations of functions are made by script/batch-functions from the headers that say what each does. */
#ifndef JOUNCE_BATCH_H
#define JOUNCE_BATCH_H

#include "regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory of the threads that work on many states of one model. */
typedef struct jn_batch jn_batch;

/* threads 0: as many as OpenMP would use (OMP_NUM_THREADS), 1 in builds without it. order: the highest of jets that
 * will be asked for, or -1. Errors: JN_ERR_NULL, JN_ERR_SIZE (threads < 0, order < -1), JN_ERR_MEMORY, JN_ERR_ROW. */
JN_API jn_status jn_batch_create(const jn_model *model, int order, int threads, jn_batch **batch);
JN_API void jn_batch_destroy(jn_batch *batch);      /* NULL is allowed */
JN_API int jn_batch_threads(const jn_batch *batch); /* how many share the states */
/* After JN_ERR_SINGULAR: the first state that is singular; JN_ALL_STATES when the last call that solves had none. */
#define JN_ALL_STATES ((size_t)-1)
JN_API size_t jn_batch_singular(const jn_batch *batch);

JN_API jn_status jn_integrate_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *out);
JN_API jn_status jn_difference_batch(jn_batch *batch, size_t count, const double *q0, const double *q1, double *v);
JN_API jn_status jn_interpolate_batch(jn_batch *batch, size_t count, const double *q0, const double *q1, double s,
                                      double *out);
JN_API jn_status jn_normalize_batch(jn_batch *batch, size_t count, const double *q, double *out);
JN_API jn_status jn_joint_pose_batch(jn_batch *batch, size_t count, int joint, const double *q, double *T);
JN_API jn_status jn_joint_jacobian_batch(jn_batch *batch, size_t count, int joint, const double *q, double *S);
JN_API jn_status jn_joint_jacobian_rate_batch(jn_batch *batch, size_t count, int joint, const double *q,
                                              const double *v, double *Sdot);
JN_API jn_status jn_frame_pose_batch(jn_batch *batch, size_t count, int frame, const double *q, double *T);
JN_API jn_status jn_frame_twist_batch(jn_batch *batch, size_t count, int frame, jn_representation in, const double *q,
                                      const double *v, double *V);
JN_API jn_status jn_frame_acceleration_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                             const double *q, const double *v, const double *a, double *A);
JN_API jn_status jn_frame_jacobian_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                         const double *q, double *J);
JN_API jn_status jn_frame_jacobian_rate_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                              const double *q, const double *v, double *Jdot);
JN_API jn_status jn_frame_poses_batch(jn_batch *batch, size_t count, const double *q, double *T);
JN_API jn_status jn_frame_jacobians_batch(jn_batch *batch, size_t count, jn_representation in, const double *q,
                                          double *J);
JN_API jn_status jn_frame_jacobian_rates_batch(jn_batch *batch, size_t count, jn_representation in, const double *q,
                                               const double *v, double *Jdot);
JN_API jn_status jn_space_jacobian_batch(jn_batch *batch, size_t count, const double *q, double *J);
JN_API jn_status jn_space_jacobian_rate_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                              double *Jdot);
JN_API jn_status jn_center_of_mass_batch(jn_batch *batch, size_t count, int link, const double *q, const double *v,
                                         const double *a, double *c, double *cdot, double *cddot);
JN_API jn_status jn_com_jacobian_batch(jn_batch *batch, size_t count, int link, const double *q, double *J);
JN_API jn_status jn_momentum_batch(jn_batch *batch, size_t count, jn_about about, const double *q, const double *v,
                                   double *h);
JN_API jn_status jn_momentum_matrix_batch(jn_batch *batch, size_t count, jn_about about, const double *q, double *A);
JN_API jn_status jn_momentum_matrix_rate_batch(jn_batch *batch, size_t count, jn_about about, const double *q,
                                               const double *v, double *Adot);
JN_API jn_status jn_inverse_dynamics_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                           const double *a, const double *wrench, double *tau);
JN_API jn_status jn_gravity_forces_batch(jn_batch *batch, size_t count, const double *q, double *g);
JN_API jn_status jn_coriolis_forces_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *c);
JN_API jn_status jn_bias_forces_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *h);
JN_API jn_status jn_forward_dynamics_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                           const double *tau, const double *wrench, double *a);
JN_API jn_status jn_hybrid_dynamics_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                          const double *q, const double *v, const double *a, const double *tau,
                                          const double *wrench, double *a_out, double *tau_out);
JN_API jn_status jn_mass_matrix_batch(jn_batch *batch, size_t count, const double *q, double *M);
JN_API jn_status jn_mass_matrix_inverse_batch(jn_batch *batch, size_t count, const double *q, double *Minv);
JN_API jn_status jn_mass_matrix_rate_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                           double *Mdot);
JN_API jn_status jn_coriolis_matrix_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *C);
JN_API jn_status jn_coriolis_matrix_christoffel_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                      double *C);
JN_API jn_status jn_mass_factor_batch(jn_batch *batch, size_t count, const double *q, double *factor);
JN_API jn_status jn_mass_solve_batch(jn_batch *batch, size_t count, const double *factor, const double *b, double *x);
JN_API jn_status jn_energy_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *energy);
JN_API jn_status jn_joint_wrenches_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                         const double *a, const double *wrench, double *F);
JN_API jn_status jn_compute_batch(jn_batch *batch, size_t count, const double *q, const double *v, const double *a,
                                  const double *wrench, const jn_terms *terms);
JN_API jn_status jn_inverse_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                               const double *v_jet, const double *wrench_jet, double *tau_jet);
JN_API jn_status jn_forward_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                               const double *v, const double *tau_jet, const double *wrench_jet,
                                               double *v_jet);
JN_API jn_status jn_hybrid_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const unsigned char *prescribed,
                                              const double *q, const double *v_jet, const double *tau_jet,
                                              const double *wrench_jet, double *v_out, double *tau_out);
JN_API jn_status jn_mass_matrix_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                          const double *v_jet, double *M_jet);
JN_API jn_status jn_coriolis_matrix_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                              const double *v_jet, double *C_jet);
JN_API jn_status jn_gravity_forces_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                             const double *v_jet, double *g_jet);
JN_API jn_status jn_momentum_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                       double *h_jet);
JN_API jn_status jn_center_of_mass_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                             const double *v_jet, double *com_jet);
JN_API jn_status jn_energy_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                     double *energy_jet);
JN_API jn_status jn_frame_twist_jet_batch(jn_batch *batch, size_t count, int order, int frame, const double *q,
                                          const double *v_jet, double *twist_jet);
JN_API jn_status jn_frame_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int frame, const double *q,
                                             const double *v_jet, double *J_jet);
JN_API jn_status jn_joint_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int link, const double *q,
                                             const double *v_jet, double *S_jet);
JN_API jn_status jn_system_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                     double *A_jet, double *joint_twist_jet, double *link_twist_jet, double *J_jet);
JN_API jn_status jn_rate_matrices_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                        double *P);
JN_API jn_status jn_wrench_forces_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                            const double *v_jet, const double *wrench_jet, double *tau_jet);
JN_API jn_status jn_joint_wrenches_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                             const double *v_jet, const double *wrench_jet, double *F_jet);
JN_API jn_status jn_inverse_dynamics_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                       const double *a, const double *wrench, jn_representation hold,
                                                       double *dtau_dq, double *dtau_dv, double *dtau_da,
                                                       double *dtau_dwrench);
JN_API jn_status jn_forward_dynamics_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                       const double *tau, const double *wrench, jn_representation hold,
                                                       double *a, double *da_dq, double *da_dv, double *da_dtau,
                                                       double *da_dwrench);
JN_API jn_status jn_hybrid_dynamics_derivatives_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                                      const double *q, const double *v, const double *a,
                                                      const double *tau, const double *wrench, jn_representation hold,
                                                      const jn_hybrid_derivatives *out);
JN_API jn_status jn_inverse_dynamics_derivatives_along_batch(jn_batch *batch, size_t count, const double *q,
                                                             const double *v, const double *a, const double *wrench,
                                                             jn_representation hold, const double *dq_ds,
                                                             const double *dv_ds, const double *da_ds, double *dtau_ds,
                                                             double *d2tau_dsdq, double *d2tau_dsdv,
                                                             double *d2tau_dsda);
JN_API jn_status jn_inverse_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const double *q,
                                                              const double *v, const double *a, const double *wrench,
                                                              jn_representation hold, double *d2tau_dqdq,
                                                              double *d2tau_dqdv, double *d2tau_dvdv,
                                                              double *d2tau_dqda);
JN_API jn_status jn_forward_dynamics_derivatives_along_batch(
    jn_batch *batch, size_t count, const double *q, const double *v, const double *a, const double *wrench,
    jn_representation hold, const double *da_dq, const double *da_dv, const double *da_dtau, const double *dq_ds,
    const double *dv_ds, const double *dtau_ds, double *d2a_dsdq, double *d2a_dsdv, double *d2a_dsdtau);
JN_API jn_status jn_forward_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const double *q,
                                                              const double *v, const double *a, const double *wrench,
                                                              jn_representation hold, const double *da_dq,
                                                              const double *da_dv, const double *da_dtau,
                                                              double *d2a_dqdq, double *d2a_dqdv, double *d2a_dqdtau,
                                                              double *d2a_dvdv, double *room);
JN_API jn_status jn_mass_matrix_derivative_batch(jn_batch *batch, size_t count, const double *q, double *dM_dq);
JN_API jn_status jn_mass_matrix_inverse_derivative_batch(jn_batch *batch, size_t count, const double *q, double *Minv,
                                                         double *dMinv_dq);
JN_API jn_status jn_coriolis_matrix_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                      double *dC_dq, double *dC_dv);
JN_API jn_status jn_mass_matrix_rate_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                       double *dMdot_dq, double *dMdot_dv);
JN_API jn_status jn_gravity_forces_derivative_batch(jn_batch *batch, size_t count, const double *q, double *dg_dq);
JN_API jn_status jn_frame_jacobian_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                     const double *q, const double *v, double *dJ_dq, double *dJdot_dq,
                                                     double *dJdot_dv);
JN_API jn_status jn_frame_twist_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                  const double *q, const double *v, double *dV_dq);
JN_API jn_status jn_frame_acceleration_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                         const double *q, const double *v, const double *a,
                                                         double *dA_dq, double *dA_dv);
JN_API jn_status jn_momentum_derivative_batch(jn_batch *batch, size_t count, jn_about about, const double *q,
                                              const double *v, double *dh_dq);
JN_API jn_status jn_center_of_mass_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                     const double *a, double *dc_dq, double *dcdot_dq,
                                                     double *dcddot_dq, double *dcddot_dv);
JN_API jn_status jn_inverse_dynamics_jet_derivatives_batch(jn_batch *batch, size_t count, int order, const double *q,
                                                           const double *v_jet, const double *wrench_jet, double *D);
JN_API jn_status jn_inverse_dynamics_adjoint_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                   const double *a, const double *wrench, jn_representation hold,
                                                   const double *y, const jn_gradient *gradient);
JN_API jn_status jn_forward_dynamics_adjoint_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                   const double *tau, const double *wrench, jn_representation hold,
                                                   const double *y, double *a, const jn_gradient *gradient);
JN_API jn_status jn_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v, const double *a,
                                    double *Y);
JN_API jn_status jn_slotine_li_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                               const double *v_r, const double *a_r, double *Y);
JN_API jn_status jn_inertia_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                            const double *y, const double *x, double *Y);
JN_API jn_status jn_gravity_regressor_batch(jn_batch *batch, size_t count, const double *q, double *Y);
JN_API jn_status jn_energy_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *Y);
JN_API jn_status jn_momentum_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                             double *Y);
JN_API jn_status jn_joint_wrench_regressor_batch(jn_batch *batch, size_t count, int link, const double *q,
                                                 const double *v, const double *a, double *Y);
JN_API jn_status jn_regressor_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                        double *Y_jet);
JN_API jn_status jn_parameter_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                double *dM_dpi, double *dC_dpi, double *dg_dpi);
JN_API jn_status jn_forward_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count, const double *q,
                                                                 const double *v, const double *tau,
                                                                 const double *wrench, double *a, double *da_dpi);
JN_API jn_status jn_hybrid_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count,
                                                                const unsigned char *prescribed, const double *q,
                                                                const double *v, const double *a, const double *tau,
                                                                const double *wrench, double *a_out, double *tau_out,
                                                                double *da_dpi, double *dtau_dpi);

#ifdef __cplusplus
}
#endif
#endif
