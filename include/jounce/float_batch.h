/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/float_batch.h: many states at once in single precision: jnf_x_batch is jn_x_batch with float in the place of
 * double. Batches, sizes and errors: batch.h.
 * Made by script/float-header from batch.h, comments included: do not edit. */
#ifndef JOUNCE_FLOAT_BATCH_H
#define JOUNCE_FLOAT_BATCH_H

#include "batch.h"
#include "float.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out [count x nq] = q (+) v: each joint moved by its tangent vector: J(out) = J(q) exp(S v) for spherical and free
 * joints, q + v otherwise. Angles are not wrapped: turns are kept. out may be q. */
JN_API jn_status jnf_integrate_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *out);
/* v [count x nv] = q1 (-) q0: the least v with q0 (+) v = q1. Not defined for rotations apart by exactly pi (either
 * side is given). */
JN_API jn_status jnf_difference_batch(jn_batch *batch, size_t count, const float *q0, const float *q1, float *v);
/* out [count x nq] = q0 (+) s (q1 (-) q0); s = 0 gives q0, s = 1 gives q1 (quaternions up to sign). out may be q0 or
 * q1. */
JN_API jn_status jnf_interpolate_batch(jn_batch *batch, size_t count, const float *q0, const float *q1, float s,
                                       float *out);
/* out [count x nq] = q with unit quaternions. A zero quaternion gives NaN. out may be q. */
JN_API jn_status jnf_normalize_batch(jn_batch *batch, size_t count, const float *q, float *out);

/* T [count x 16]: pose of the link of `joint` in its parent link, placement * J(q). Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_pose_batch(jn_batch *batch, size_t count, int joint, const float *q, float *T);
/* S [count x 6 x k]: the joint's screws in the link's frame, S v = T^-1 dT/dt, one column for each of its k velocity
 * coordinates (kim2012 eq. 37). k = jn_joint_nv(); for a coupled joint k = 1, the leader's coordinate; nothing is
 * written for a fixed joint. Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_jacobian_batch(jn_batch *batch, size_t count, int joint, const float *q, float *S);
/* Sdot [count x 6 x k] = dS/dt along v (kim2012 eq. 38). Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_jacobian_rate_batch(jn_batch *batch, size_t count, int joint, const float *q, const float *v,
                                               float *Sdot);

/* T [count x 16]: pose of a frame in the world. O(depth). */
JN_API jn_status jnf_frame_pose_batch(jn_batch *batch, size_t count, int frame, const float *q, float *T);
/* V [count x 6]: twist of a frame. O(depth). */
JN_API jn_status jnf_frame_twist_batch(jn_batch *batch, size_t count, int frame, jn_representation in, const float *q,
                                       const float *v, float *V);
/* A [count x 6]: d/dt of the twist, J a + dJ/dt v, without gravity. a NULL gives dJ/dt v. O(depth). */
JN_API jn_status jnf_frame_acceleration_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                              const float *q, const float *v, const float *a, float *A);
/* J [count x 6 x nv]: V = J v (garofalo2013 sec. II). O(depth) and the zeros. */
JN_API jn_status jnf_frame_jacobian_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                          const float *q, float *J);
/* Jdot [count x 6 x nv] = dJ/dt along v (garofalo2013 eq. 28). */
JN_API jn_status jnf_frame_jacobian_rate_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                               const float *q, const float *v, float *Jdot);
/* All frames at once: T [count x nframe x 16], J and Jdot [count x nframe x 6 x nv], nframe = jn_frame_count(). */
JN_API jn_status jnf_frame_poses_batch(jn_batch *batch, size_t count, const float *q, float *T);
JN_API jn_status jnf_frame_jacobians_batch(jn_batch *batch, size_t count, jn_representation in, const float *q,
                                           float *J);
JN_API jn_status jnf_frame_jacobian_rates_batch(jn_batch *batch, size_t count, jn_representation in, const float *q,
                                                const float *v, float *Jdot);
/* J [count x 6 x nv]: the space Jacobian, all joints' screws where they are now, in the world's axes about its origin:
 * J = [Ad_{T_i} S_i], i the body that a coordinate moves. The twist of any frame (JN_IN_WORLD) is J v with only the
 * columns of the joints between it and the world; these columns are jnf_frame_jacobian(JN_IN_WORLD), and Ad_{T^-1}
 * times them its Jacobian in the frame T. A coordinate of coupled joints has the sum of their screws. O(n). Jdot [count
 * x 6 x nv]: its rate along v, [Ad_{T_i} (dS_i/dt + ad_{V_i} S_i)]. */
JN_API jn_status jnf_space_jacobian_batch(jn_batch *batch, size_t count, const float *q, float *J);
JN_API jn_status jnf_space_jacobian_rate_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                               float *Jdot);

/* c, cdot, cddot [count x 3]: centre of mass in the world, its velocity and acceleration, of the subtree of `link`, or
 * of all that moves for JN_WORLD. NaN when that has no mass. O(n). */
JN_API jn_status jnf_center_of_mass_batch(jn_batch *batch, size_t count, int link, const float *q, const float *v,
                                          const float *a, float *c, float *cdot, float *cddot);
/* J [count x 3 x nv]: cdot = J v (garofalo2013 eq. 7). O(n). */
JN_API jn_status jnf_com_jacobian_batch(jn_batch *batch, size_t count, int link, const float *q, float *J);

/* h [count x 6]: spatial momentum (angular, linear) of all that moves. About the centre of mass: the centroidal
 * momentum. O(n). */
JN_API jn_status jnf_momentum_batch(jn_batch *batch, size_t count, jn_about about, const float *q, const float *v,
                                    float *h);
/* A [count x 6 x nv]: h = A v. Adot [count x 6 x nv]: its rate along v, so that dh/dt = A a + Adot v. O(n). */
JN_API jn_status jnf_momentum_matrix_batch(jn_batch *batch, size_t count, jn_about about, const float *q, float *A);
JN_API jn_status jnf_momentum_matrix_rate_batch(jn_batch *batch, size_t count, jn_about about, const float *q,
                                                const float *v, float *Adot);

/* Inverse dynamics: tau [count x nv] = M a + C v + g + k - sum J^T W. O(n). [kim2012 Table 2] */
JN_API jn_status jnf_inverse_dynamics_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                            const float *a, const float *wrench, float *tau);
/* Gravity forces g [count x nv] = tau(q, 0, 0) without springs, Coriolis forces c [count x nv] = C v, and the bias h
 * [count x nv] = C v + g + k. O(n). */
JN_API jn_status jnf_gravity_forces_batch(jn_batch *batch, size_t count, const float *q, float *g);
JN_API jn_status jnf_coriolis_forces_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *c);
JN_API jn_status jnf_bias_forces_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *h);

/* Forward dynamics: a [count x nv] with M a = tau - C v - g - k + sum J^T W. O(n) by articulated inertias [kim2012
 * Table 3]; O(nv^3) dense when coordinates are coupled. JN_ERR_SINGULAR: a joint has no effective inertia, see
 * jn_singular_joint(). */
JN_API jn_status jnf_forward_dynamics_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                            const float *tau, const float *wrench, float *a);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given, the others their
 * force: a_out and tau_out [count x nv] are both complete. Cost as forward dynamics. Errors: JN_ERR_SINGULAR. [kim2012
 * Table 4] */
JN_API jn_status jnf_hybrid_dynamics_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                           const float *q, const float *v, const float *a, const float *tau,
                                           const float *wrench, float *a_out, float *tau_out);

/* The mass matrix M [count x nv x nv] = sum J^T I J, symmetric positive definite. O(n d). [garofalo2013 eq. 6a] */
JN_API jn_status jnf_mass_matrix_batch(jn_batch *batch, size_t count, const float *q, float *M);
/* Its inverse Minv [count x nv x nv]. O(nv^2); O(nv^2 d) when coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_mass_matrix_inverse_batch(jn_batch *batch, size_t count, const float *q, float *Minv);
/* Its rate Mdot [count x nv x nv] = dM/dt along v = C + C^T. O(n d). */
JN_API jn_status jnf_mass_matrix_rate_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *Mdot);
/* The Coriolis matrix C [count x nv x nv] with dM/dt - 2 C skew-symmetric. O(n d). There are many such C; this one is
 * not that of Christoffel symbols, see below. [garofalo2013 eq. 6b; mueller2021 sec. 5] */
JN_API jn_status jnf_coriolis_matrix_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *C);
/* C [count x nv x nv] by Christoffel symbols: C_ij = sum_k Gamma_ijk v_k, with the same C v, and dM/dt - 2 C
 * skew-symmetric too. Where velocities are rates of coordinates, Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) /
 * 2, and C is half of d(C v)/dv = dtau/dv. For the quasi-velocities of spherical and free joints that half is not
 * passive; Gamma are then the coefficients of the same connection (Levi-Civita's, of the kinetic energy), <X_i,
 * nabla_{X_k} X_j>, so
 *   C = (d(C v)/dv + M' ad) / 2
 * with ad the bracket of the joint's own velocity, ad_w = [w] and ad_V, in blocks of these joints, and M' = M without
 * armature. O(n d). */
JN_API jn_status jnf_coriolis_matrix_christoffel_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                       float *C);
/* M = L^T D L with L unit lower triangular in the order of the tree: as sparse as the tree is branched. factor [count x
 * nv x nv] is in an order of its own, for jnf_mass_solve() only. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_mass_factor_batch(jn_batch *batch, size_t count, const float *q, float *factor);
/* x [count x nv] with M x = b [count x nv], factor from jnf_mass_factor(). O(nv d). x may be b. */
JN_API jn_status jnf_mass_solve_batch(jn_batch *batch, size_t count, const float *factor, const float *b, float *x);

/* energy [count x 2]: kinetic (v^T M v / 2, armature included) and potential (zero at the world's origin, and the
 * energy of springs), in J. O(n). */
JN_API jn_status jnf_energy_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *energy);

/* F [count x nlink x 6]: the wrench that the parent exerts on each link through its joint, fixed joints included, in
 * the link's frame. Links fixed to the world: what holds them and all they carry. O(n). [F_i of kim2012 Table 2] */
JN_API jn_status jnf_joint_wrenches_batch(jn_batch *batch, size_t count, const float *q, const float *v, const float *a,
                                          const float *wrench, float *F);

/* Computes any set of jnf_terms together, sharing the recursions over the tree: what is asked for costs no more than
 * its own function. Errors: JN_ERR_INDEX (in, about). (garofalo2013, end of sec. VI) */
JN_API jn_status jnf_compute_batch(jn_batch *batch, size_t count, const float *q, const float *v, const float *a,
                                   const float *wrench, const jnf_terms *terms);

/* Inverse dynamics: tau_jet [count x (K+1) x nv] = tau, dtau/dt, ..., d^K tau/dt^K along the motion. O(n K^2).
 * [kumar2021 eqs. 14-20] */
JN_API jn_status jnf_inverse_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                                const float *v_jet, const float *wrench_jet, float *tau_jet);
/* Forward dynamics: the motion that the forces and their derivatives make, v_jet [count x (K+2) x nv], its first row v.
 * O(n K^2), and O(nv^3) once where coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_forward_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                                const float *v, const float *tau_jet, const float *wrench_jet,
                                                float *v_jet);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have rows 1 ... K+1 of v_jet given, the others their
 * tau_jet; row 0 of v_jet is given for all. v_out [count x (K+2) x nv] and tau_out [count x (K+1) x nv] are complete;
 * tau_out may be NULL. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_hybrid_dynamics_jet_batch(jn_batch *batch, size_t count, int order,
                                               const unsigned char *prescribed, const float *q, const float *v_jet,
                                               const float *tau_jet, const float *wrench_jet, float *v_out,
                                               float *tau_out);

/* Closed form: M, dM/dt, ..., d^K M/dt^K along the motion, M_jet [count x (K+1) x nv x nv]; likewise C (which also
 * needs row K of v_jet; all K+2 rows are read) and the gravity forces, g_jet [count x (K+1) x nv]. Every d^kM/dt^k is
 * symmetric, and d^k/dt^k (dM/dt - 2 C) skew. O(n d K^2). [garofalo2013 eq. 25; mueller2021 secs. 3-5; kumar2021 eqs.
 * 43-47] */
JN_API jn_status jnf_mass_matrix_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                           float *M_jet);
JN_API jn_status jnf_coriolis_matrix_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                               const float *v_jet, float *C_jet);
JN_API jn_status jnf_gravity_forces_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                              const float *v_jet, float *g_jet);
/* Of all that moves, with time derivatives: spatial momentum about the world's origin h_jet [count x (K+1) x 6], centre
 * of mass com_jet [count x (K+1) x 3] (NaN without mass), kinetic and potential energy energy_jet [count x (K+1) x 2].
 * O(n K^2). */
JN_API jn_status jnf_momentum_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                        float *h_jet);
JN_API jn_status jnf_center_of_mass_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                              const float *v_jet, float *com_jet);
JN_API jn_status jnf_energy_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                      float *energy_jet);
/* Twist of a frame and its derivatives, twist_jet [count x (K+1) x 6]; its Jacobian and the derivatives of that, J_jet
 * [count x (K+1) x 6 x nv]; in the frame's own axes. O(d^2 K^2) and O(n K^2). Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_frame_twist_jet_batch(jn_batch *batch, size_t count, int order, int frame, const float *q,
                                           const float *v_jet, float *twist_jet);
JN_API jn_status jnf_frame_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int frame, const float *q,
                                              const float *v_jet, float *J_jet);

/* Screws of a joint and their derivatives, S_jet [count x (K+1) x 6 x nv_joint], in the link's frame: constant unless
 * the joint is a product of several screws. A fixed joint has none, and S_jet is not written. Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int link, const float *q,
                                              const float *v_jet, float *S_jet);
/* The system matrices of the closed form over all L links in their own frames, each NULL if not wanted: A_jet [count x
 * (K+1) x 6L x 6L], blocks Ad_{T_ij} where j is i or an ancestor of it; joint_twist_jet [count x (K+1) x L x 6], S v of
 * each joint, whose ad are the blocks of a; link_twist_jet [count x (K+1) x L x 6], likewise b; the system Jacobian
 * J_jet [count x (K+1) x 6L x nv]. dA/dt = A a - A a A = A b - b A. O(L d^2 K^2). [kumar2021 eqs. 21-31, 39-42;
 * mueller2021 sec. 2] */
JN_API jn_status jnf_system_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                      float *A_jet, float *joint_twist_jet, float *link_twist_jet, float *J_jet);
/* P [count x (K+2) x nv x nv], the matrices that the derivatives of the motion have in the derivative of order K of the
 * forces:
 *   d^K tau/dt^K = sum_{r=0}^{K+1} P_r v^(r) + d^K g/dt^K,   P_r = binom(K, r-1) M^(K+1-r) + binom(K, r) C^(K-r)
 * so P_{K+1} = M and P_0 = C^(K). O(n d K^2). [kumar2021 eq. 38, whose P_k is row k - 1] */
JN_API jn_status jnf_rate_matrices_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                         float *P);
/* sum J^T W and its derivatives, tau_jet [count x (K+1) x nv]: what inverse dynamics subtracts for external wrenches,
 * which must not be NULL here. O(n d K^2). [mueller2021 eqs. 34, 44] */
JN_API jn_status jnf_wrench_forces_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                             const float *v_jet, const float *wrench_jet, float *tau_jet);
/* The wrench through every joint, as jnf_joint_wrenches(), and its derivatives, F_jet [count x (K+1) x nlink x 6];
 * wrench_jet NULL: none. O(n K^2). */
JN_API jn_status jnf_joint_wrenches_jet_batch(jn_batch *batch, size_t count, int order, const float *q,
                                              const float *v_jet, const float *wrench_jet, float *F_jet);

/* Of inverse dynamics: dtau_dq, dtau_dv, dtau_da = M [count x nv x nv]; dtau_dwrench [count x nv x nlink x 6] = -J^T,
 * by the wrenches' numbers in the links' frames. O(n d). [kim2012 Table 5; garofalo2013 eq. 24] */
JN_API jn_status jnf_inverse_dynamics_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                        const float *a, const float *wrench, jn_representation hold,
                                                        float *dtau_dq, float *dtau_dv, float *dtau_da,
                                                        float *dtau_dwrench);
/* Forward dynamics a [count x nv] and its derivatives da_dq, da_dv, da_dtau = M^-1 [count x nv x nv], da_dwrench [count
 * x nv x nlink x 6]. a and da_dtau must not be NULL. O(nv^2); O(nv n d) when coordinates are coupled or wrenches are
 * held in the world's axes. [kim2012 Table 6] */
JN_API jn_status jnf_forward_dynamics_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                        const float *tau, const float *wrench, jn_representation hold,
                                                        float *a, float *da_dq, float *da_dv, float *da_dtau,
                                                        float *da_dwrench);

/* Hybrid dynamics and its derivatives; coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given.
 * O(nv n d + nv^3). [kim2012 Table 7] */
JN_API jn_status jnf_hybrid_dynamics_derivatives_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                                       const float *q, const float *v, const float *a, const float *tau,
                                                       const float *wrench, jn_representation hold,
                                                       const jnf_hybrid_derivatives *out);

/* Second derivatives of inverse dynamics along one direction: the products of all second derivatives with a vector,
 * without the tensors. O(n d). */
JN_API jn_status jnf_inverse_dynamics_derivatives_along_batch(jn_batch *batch, size_t count, const float *q,
                                                              const float *v, const float *a, const float *wrench,
                                                              jn_representation hold, const jnf_direction *along,
                                                              const jnf_inverse_derivatives_along *out);
/* Second derivatives of inverse dynamics, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda [count x nv x nv x nv]: entry
 * [h][i][count x k] of d2tau_dqdv is d2 tau_i / dq_h dv_k, and so on; d2tau_dqda[h] = dM/dq_h. All other second
 * derivatives are zero. O(n d^2), or O(nv n d) with wrenches that are held in the world's axes. */
JN_API jn_status jnf_inverse_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const float *q,
                                                               const float *v, const float *a, const float *wrench,
                                                               jn_representation hold, float *d2tau_dqdq,
                                                               float *d2tau_dqdv, float *d2tau_dvdv, float *d2tau_dqda);

/* Second derivatives of forward dynamics along one direction, from the solution at the state. O(nv^3). */
JN_API jn_status jnf_forward_dynamics_derivatives_along_batch(jn_batch *batch, size_t count, const float *q,
                                                              const float *v, const float *wrench,
                                                              jn_representation hold, const jnf_forward_solution *at,
                                                              const jnf_direction *along,
                                                              const jnf_forward_derivatives_along *out);
/* All second derivatives of forward dynamics, from the solution at the state. O(nv^4). */
JN_API jn_status jnf_forward_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const float *q,
                                                               const float *v, const float *wrench,
                                                               jn_representation hold, const jnf_forward_solution *at,
                                                               const jnf_forward_second_derivatives *out);

/* Of the mass matrix: dM_dq [count x nv x nv x nv]. O(n d^2). [garofalo2013 eq. 24a] */
JN_API jn_status jnf_mass_matrix_derivative_batch(jn_batch *batch, size_t count, const float *q, float *dM_dq);
/* Of its inverse: dMinv_dq [count x nv x nv x nv], dMinv_dq[h] = -M^-1 dM/dq_h M^-1; Minv [count x nv x nv] gets M^-1.
 * O(nv^4). Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_mass_matrix_inverse_derivative_batch(jn_batch *batch, size_t count, const float *q, float *Minv,
                                                          float *dMinv_dq);
/* dC_dq, dC_dv [count x nv x nv x nv] of the C of jnf_coriolis_matrix(). O(nv n d). [garofalo2013 eqs. 24b, 24c] */
JN_API jn_status jnf_coriolis_matrix_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                       float *dC_dq, float *dC_dv);
/* dMdot_dq, dMdot_dv [count x nv x nv x nv] of Mdot = dM/dt along v. O(nv n d). */
JN_API jn_status jnf_mass_matrix_rate_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                        float *dMdot_dq, float *dMdot_dv);
/* dg_dq [count x nv x nv] of the gravity forces, symmetric unless there are spherical or free joints. O(n d).
 * [garofalo2013 eq. 24d] */
JN_API jn_status jnf_gravity_forces_derivative_batch(jn_batch *batch, size_t count, const float *q, float *dg_dq);

/* dJ_dq, dJdot_dq, dJdot_dv [count x nv x 6 x nv] of the J and Jdot of jnf_frame_jacobian() and
 * jnf_frame_jacobian_rate(), the direction first: dJ_dq[h] = dJ/dq_h, dJdot_dq[h] = dJdot/dq_h, and dJdot_dv[h] =
 * dJdot/dv_h, which has the numbers of dJ_dq, as J does not depend on v. O(n) and the entries. [garofalo2013 eqs.
 * 30-32] */
JN_API jn_status jnf_frame_jacobian_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                      const float *q, const float *v, float *dJ_dq, float *dJdot_dq,
                                                      float *dJdot_dv);
/* dV_dq [count x 6 x nv] of the twist V that jnf_frame_twist() gives. Its derivative by v is J. dV_dq must not be NULL.
 * O(n). */
JN_API jn_status jnf_frame_twist_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                   const float *q, const float *v, float *dV_dq);
/* dA_dq, dA_dv [count x 6 x nv] of the acceleration A that jnf_frame_acceleration() gives. Its derivative by a is J.
 * O(n). */
JN_API jn_status jnf_frame_acceleration_derivatives_batch(jn_batch *batch, size_t count, int frame,
                                                          jn_representation in, const float *q, const float *v,
                                                          const float *a, float *dA_dq, float *dA_dv);
/* dh_dq [count x 6 x nv] of the momentum h that jnf_momentum() gives. Its derivative by v is jnf_momentum_matrix().
 * dh_dq must not be NULL. O(n). Errors: JN_ERR_INDEX (about). */
JN_API jn_status jnf_momentum_derivative_batch(jn_batch *batch, size_t count, jn_about about, const float *q,
                                               const float *v, float *dh_dq);
/* dc_dq, dcdot_dq, dcddot_dq, dcddot_dv [count x 3 x nv] of the centre of mass c of all that moves, its velocity cdot
 * and its acceleration cddot, as jnf_center_of_mass() gives them for JN_WORLD. dc_dq is J of jnf_com_jacobian(), and so
 * are the derivatives of cdot by v and of cddot by a. O(n). */
JN_API jn_status jnf_center_of_mass_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                      const float *a, float *dc_dq, float *dcdot_dq, float *dcddot_dq,
                                                      float *dcddot_dv);

/* D [count x (K+1) x (K+3) x nv x nv]: D[count x k][count x 0] = d tau^(k) / dq, D[count x k][1+j] = d tau^(k) / d
 * v^(j), j = 0 ... K+1 (zero for j > k + 1), of tau_jet by q and the rows of v_jet; so for joints whose velocity is
 * their rate D[count x k][j] = d tau^(k) / d q^(j). Wrenches are held in the body. D must not be NULL; work of order K.
 * O(n d K^2 + nv^2 K^2), with spherical or free joints O(nv^2 K^3). */
JN_API jn_status jnf_inverse_dynamics_jet_derivatives_batch(jn_batch *batch, size_t count, int order, const float *q,
                                                            const float *v_jet, const float *wrench_jet, float *D);

/* Reverse product: the gradient of f = y . tau, y [count x nv] held, by everything at once. O(n), whatever is asked
 * for. */
JN_API jn_status jnf_inverse_dynamics_adjoint_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                    const float *a, const float *wrench, jn_representation hold,
                                                    const float *y, const jnf_gradient *gradient);
/* The gradient of f = y . a of forward dynamics, whose a [count x nv] is written; df_dtau = M^-1 y must not be NULL.
 * O(n). */
JN_API jn_status jnf_forward_dynamics_adjoint_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                    const float *tau, const float *wrench, jn_representation hold,
                                                    const float *y, float *a, const jnf_gradient *gradient);

/* The regressor Y [count x nv x 10L] of inverse dynamics: tau = Y pi + armature a. O(n d). */
JN_API jn_status jnf_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v, const float *a,
                                     float *Y);
/* Slotine and Li's regressor Y [count x nv x 10L]: Y pi = M a_r + C v_r + g, v_r and a_r [count x nv], with the passive
 * C of jnf_coriolis_matrix() at v (armature as above). O(n d). [garofalo2013 eqs. 15, 16] */
JN_API jn_status jnf_slotine_li_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                const float *v_r, const float *a_r, float *Y);
/* The same without gravity, Y [count x nv x 10L]: Y pi = M x + C y, x and y [count x nv]; so dM/dpi x is column by
 * column Y of (x, 0), and dC/dpi y that of (0, y). */
JN_API jn_status jnf_inertia_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                             const float *y, const float *x, float *Y);
/* Y [count x nv x 10L] of the gravity forces: g = Y pi. */
JN_API jn_status jnf_gravity_regressor_batch(jn_batch *batch, size_t count, const float *q, float *Y);
/* Y [count x 2 x 10L]: kinetic (without armature) and potential energy. */
JN_API jn_status jnf_energy_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *Y);
/* Y [count x 6 x 10L]: momentum about the world's origin. */
JN_API jn_status jnf_momentum_regressor_batch(jn_batch *batch, size_t count, const float *q, const float *v, float *Y);
/* Y [count x 6 x 10L]: the wrench through the joint of a link, in its frame, as jnf_joint_wrenches() (without external
 * ones). */
JN_API jn_status jnf_joint_wrench_regressor_batch(jn_batch *batch, size_t count, int link, const float *q,
                                                  const float *v, const float *a, float *Y);
/* Y [count x (K+1) x nv x 10L] and its time derivatives along the motion (jets.h): d^k tau/dt^k = Y^(k) pi + armature
 * v^(k+1). Work of order K. O(n d^2 K^2). */
JN_API jn_status jnf_regressor_jet_batch(jn_batch *batch, size_t count, int order, const float *q, const float *v_jet,
                                         float *Y_jet);

/* dM_dpi, dC_dpi [count x 10L x nv x nv], first index the parameter; dg_dpi [count x nv x 10L]. Outputs may be NULL.
 * O(n d^2). [garofalo2013 eq. 13] */
JN_API jn_status jnf_parameter_derivatives_batch(jn_batch *batch, size_t count, const float *q, const float *v,
                                                 float *dM_dpi, float *dC_dpi, float *dg_dpi);
/* a [count x nv]: forward dynamics; da_dpi [count x nv x 10L] = -M^-1 Y. O(nv n) for each link. Errors:
 * JN_ERR_SINGULAR. */
JN_API jn_status jnf_forward_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count, const float *q,
                                                                  const float *v, const float *tau, const float *wrench,
                                                                  float *a, float *da_dpi);
/* a_out, tau_out [count x nv]: hybrid dynamics; da_dpi, dtau_dpi [count x nv x 10L]. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_hybrid_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count,
                                                                 const unsigned char *prescribed, const float *q,
                                                                 const float *v, const float *a, const float *tau,
                                                                 const float *wrench, float *a_out, float *tau_out,
                                                                 float *da_dpi, float *dtau_dpi);

#ifdef __cplusplus
}
#endif
#endif
