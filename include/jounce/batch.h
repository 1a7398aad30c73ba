/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/batch.h: many states at once, in SIMD lanes and threads.
 *
 * jn_x_batch() is jn_x() for `count` states. Arrays have one row for each state, without gaps between them: q [count x
 * nq]; v, a, tau [count x nv]; wrench [count x nlink x 6]; of jets of order K v_jet [count x (K+2) x nv], tau_jet
 * [count x (K+1) x nv], wrench_jet [count x (K+1) x nlink x 6]; v, a, tau and wrench may be NULL: zero for all states.
 * Structs point to such arrays, too. What is not an array of numbers (orders, frames, prescribed) is the same for all
 * states. Results are those of the single call to rounding. Any count will do, also zero.
 *
 * A batch holds the memory of its threads, and belongs to one caller at a time. Functions allocate only when one needs
 * more memory for its lanes than any before it. Errors are those of the single function, and JN_ERR_MEMORY; after
 * JN_ERR_SINGULAR jn_batch_singular() tells the first singular state, and the results of all others are complete.
 * The functions below are made by script/batch-functions from the headers of the single ones, comments included. */
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

/* out [count x nq] = q (+) v: each joint moved by its tangent vector: J(out) = J(q) exp(S v) for spherical and free
 * joints, q + v otherwise. Angles are not wrapped: turns are kept. out may be q. */
JN_API jn_status jn_integrate_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *out);
/* v [count x nv] = q1 (-) q0: the least v with q0 (+) v = q1. Not defined for rotations apart by exactly pi (either
 * side is given). */
JN_API jn_status jn_difference_batch(jn_batch *batch, size_t count, const double *q0, const double *q1, double *v);
/* out [count x nq] = q0 (+) s (q1 (-) q0); s = 0 gives q0, s = 1 gives q1 (quaternions up to sign). out may be q0 or
 * q1. */
JN_API jn_status jn_interpolate_batch(jn_batch *batch, size_t count, const double *q0, const double *q1, double s,
                                      double *out);
/* out [count x nq] = q with unit quaternions. A zero quaternion gives NaN. out may be q. */
JN_API jn_status jn_normalize_batch(jn_batch *batch, size_t count, const double *q, double *out);

/* T [count x 16]: pose of the link of `joint` in its parent link, placement * J(q). Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_pose_batch(jn_batch *batch, size_t count, int joint, const double *q, double *T);
/* S [count x 6 x k]: the joint's screws in the link's frame, S v = T^-1 dT/dt, one column for each of its k velocity
 * coordinates (kim2012 eq. 37). k = jn_joint_nv(); for a coupled joint k = 1, the leader's coordinate; nothing is
 * written for a fixed joint. Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_jacobian_batch(jn_batch *batch, size_t count, int joint, const double *q, double *S);
/* Sdot [count x 6 x k] = dS/dt along v (kim2012 eq. 38). Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_jacobian_rate_batch(jn_batch *batch, size_t count, int joint, const double *q,
                                              const double *v, double *Sdot);

/* T [count x 16]: pose of a frame in the world. O(depth). */
JN_API jn_status jn_frame_pose_batch(jn_batch *batch, size_t count, int frame, const double *q, double *T);
/* V [count x 6]: twist of a frame. O(depth). */
JN_API jn_status jn_frame_twist_batch(jn_batch *batch, size_t count, int frame, jn_representation in, const double *q,
                                      const double *v, double *V);
/* A [count x 6]: d/dt of the twist, J a + dJ/dt v, without gravity. a NULL gives dJ/dt v. O(depth). */
JN_API jn_status jn_frame_acceleration_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                             const double *q, const double *v, const double *a, double *A);
/* J [count x 6 x nv]: V = J v (garofalo2013 sec. II). O(depth) and the zeros. */
JN_API jn_status jn_frame_jacobian_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                         const double *q, double *J);
/* Jdot [count x 6 x nv] = dJ/dt along v (garofalo2013 eq. 28). */
JN_API jn_status jn_frame_jacobian_rate_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                              const double *q, const double *v, double *Jdot);
/* All frames at once: T [count x nframe x 16], J and Jdot [count x nframe x 6 x nv], nframe = jn_frame_count(). */
JN_API jn_status jn_frame_poses_batch(jn_batch *batch, size_t count, const double *q, double *T);
JN_API jn_status jn_frame_jacobians_batch(jn_batch *batch, size_t count, jn_representation in, const double *q,
                                          double *J);
JN_API jn_status jn_frame_jacobian_rates_batch(jn_batch *batch, size_t count, jn_representation in, const double *q,
                                               const double *v, double *Jdot);
/* J [count x 6 x nv]: the space Jacobian, all joints' screws where they are now, in the world's axes about its origin:
 * J = [Ad_{T_i} S_i], i the body that a coordinate moves. The twist of any frame (JN_IN_WORLD) is J v with only the
 * columns of the joints between it and the world; these columns are jn_frame_jacobian(JN_IN_WORLD), and Ad_{T^-1} times
 * them its Jacobian in the frame T. A coordinate of coupled joints has the sum of their screws. O(n). Jdot [count x 6 x
 * nv]: its rate along v, [Ad_{T_i} (dS_i/dt + ad_{V_i} S_i)]. */
JN_API jn_status jn_space_jacobian_batch(jn_batch *batch, size_t count, const double *q, double *J);
JN_API jn_status jn_space_jacobian_rate_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                              double *Jdot);

/* c, cdot, cddot [count x 3]: centre of mass in the world, its velocity and acceleration, of the subtree of `link`, or
 * of all that moves for JN_WORLD. NaN when that has no mass. O(n). */
JN_API jn_status jn_center_of_mass_batch(jn_batch *batch, size_t count, int link, const double *q, const double *v,
                                         const double *a, double *c, double *cdot, double *cddot);
/* J [count x 3 x nv]: cdot = J v (garofalo2013 eq. 7). O(n). */
JN_API jn_status jn_com_jacobian_batch(jn_batch *batch, size_t count, int link, const double *q, double *J);

/* h [count x 6]: spatial momentum (angular, linear) of all that moves. About the centre of mass: the centroidal
 * momentum. O(n). */
JN_API jn_status jn_momentum_batch(jn_batch *batch, size_t count, jn_about about, const double *q, const double *v,
                                   double *h);
/* A [count x 6 x nv]: h = A v. Adot [count x 6 x nv]: its rate along v, so that dh/dt = A a + Adot v. O(n). */
JN_API jn_status jn_momentum_matrix_batch(jn_batch *batch, size_t count, jn_about about, const double *q, double *A);
JN_API jn_status jn_momentum_matrix_rate_batch(jn_batch *batch, size_t count, jn_about about, const double *q,
                                               const double *v, double *Adot);

/* Inverse dynamics: tau [count x nv] = M a + C v + g + k - sum J^T W. O(n). [kim2012 Table 2] */
JN_API jn_status jn_inverse_dynamics_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                           const double *a, const double *wrench, double *tau);
/* Gravity forces g [count x nv] = tau(q, 0, 0) without springs, Coriolis forces c [count x nv] = C v, and the bias h
 * [count x nv] = C v + g + k. O(n). */
JN_API jn_status jn_gravity_forces_batch(jn_batch *batch, size_t count, const double *q, double *g);
JN_API jn_status jn_coriolis_forces_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *c);
JN_API jn_status jn_bias_forces_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *h);

/* Forward dynamics: a [count x nv] with M a = tau - C v - g - k + sum J^T W. O(n) by articulated inertias [kim2012
 * Table 3]; O(nv^3) dense when coordinates are coupled. JN_ERR_SINGULAR: a joint has no effective inertia, see
 * jn_singular_joint(). */
JN_API jn_status jn_forward_dynamics_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                           const double *tau, const double *wrench, double *a);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given, the others their
 * force: a_out and tau_out [count x nv] are both complete. Cost as forward dynamics. Errors: JN_ERR_SINGULAR. [kim2012
 * Table 4] */
JN_API jn_status jn_hybrid_dynamics_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                          const double *q, const double *v, const double *a, const double *tau,
                                          const double *wrench, double *a_out, double *tau_out);

/* The mass matrix M [count x nv x nv] = sum J^T I J, symmetric positive definite. O(n d). [garofalo2013 eq. 6a] */
JN_API jn_status jn_mass_matrix_batch(jn_batch *batch, size_t count, const double *q, double *M);
/* Its inverse Minv [count x nv x nv]. O(nv^2); O(nv^2 d) when coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_matrix_inverse_batch(jn_batch *batch, size_t count, const double *q, double *Minv);
/* Its rate Mdot [count x nv x nv] = dM/dt along v = C + C^T. O(n d). */
JN_API jn_status jn_mass_matrix_rate_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                           double *Mdot);
/* The Coriolis matrix C [count x nv x nv] with dM/dt - 2 C skew-symmetric. O(n d). There are many such C; this one is
 * not that of Christoffel symbols, see below. [garofalo2013 eq. 6b; mueller2021 sec. 5] */
JN_API jn_status jn_coriolis_matrix_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *C);
/* C [count x nv x nv] by Christoffel symbols: C_ij = sum_k Gamma_ijk v_k, with the same C v, and dM/dt - 2 C
 * skew-symmetric too. Where velocities are rates of coordinates, Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) /
 * 2, and C is half of d(C v)/dv = dtau/dv. For the quasi-velocities of spherical and free joints that half is not
 * passive; Gamma are then the coefficients of the same connection (Levi-Civita's, of the kinetic energy), <X_i,
 * nabla_{X_k} X_j>, so
 *   C = (d(C v)/dv + M' ad) / 2
 * with ad the bracket of the joint's own velocity, ad_w = [w] and ad_V, in blocks of these joints, and M' = M without
 * armature. O(n d). */
JN_API jn_status jn_coriolis_matrix_christoffel_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                      double *C);
/* M = L^T D L with L unit lower triangular in the order of the tree: as sparse as the tree is branched. factor [count x
 * nv x nv] is in an order of its own, for jn_mass_solve() only. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_factor_batch(jn_batch *batch, size_t count, const double *q, double *factor);
/* x [count x nv] with M x = b [count x nv], factor from jn_mass_factor(). O(nv d). x may be b. */
JN_API jn_status jn_mass_solve_batch(jn_batch *batch, size_t count, const double *factor, const double *b, double *x);

/* energy [count x 2]: kinetic (v^T M v / 2, armature included) and potential (zero at the world's origin, and the
 * energy of springs), in J. O(n). */
JN_API jn_status jn_energy_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *energy);

/* F [count x nlink x 6]: the wrench that the parent exerts on each link through its joint, fixed joints included, in
 * the link's frame. Links fixed to the world: what holds them and all they carry. O(n). [F_i of kim2012 Table 2] */
JN_API jn_status jn_joint_wrenches_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                         const double *a, const double *wrench, double *F);

/* Computes any set of jn_terms together, sharing the recursions over the tree: what is asked for costs no more than its
 * own function. Errors: JN_ERR_INDEX (in, about). (garofalo2013, end of sec. VI) */
JN_API jn_status jn_compute_batch(jn_batch *batch, size_t count, const double *q, const double *v, const double *a,
                                  const double *wrench, const jn_terms *terms);

/* Inverse dynamics: tau_jet [count x (K+1) x nv] = tau, dtau/dt, ..., d^K tau/dt^K along the motion. O(n K^2).
 * [kumar2021 eqs. 14-20] */
JN_API jn_status jn_inverse_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                               const double *v_jet, const double *wrench_jet, double *tau_jet);
/* Forward dynamics: the motion that the forces and their derivatives make, v_jet [count x (K+2) x nv], its first row v.
 * O(n K^2), and O(nv^3) once where coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_forward_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                               const double *v, const double *tau_jet, const double *wrench_jet,
                                               double *v_jet);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have rows 1 ... K+1 of v_jet given, the others their
 * tau_jet; row 0 of v_jet is given for all. v_out [count x (K+2) x nv] and tau_out [count x (K+1) x nv] are complete;
 * tau_out may be NULL. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_hybrid_dynamics_jet_batch(jn_batch *batch, size_t count, int order, const unsigned char *prescribed,
                                              const double *q, const double *v_jet, const double *tau_jet,
                                              const double *wrench_jet, double *v_out, double *tau_out);

/* Closed form: M, dM/dt, ..., d^K M/dt^K along the motion, M_jet [count x (K+1) x nv x nv]; likewise C (which also
 * needs row K of v_jet; all K+2 rows are read) and the gravity forces, g_jet [count x (K+1) x nv]. Every d^kM/dt^k is
 * symmetric, and d^k/dt^k (dM/dt - 2 C) skew. O(n d K^2). [garofalo2013 eq. 25; mueller2021 secs. 3-5; kumar2021 eqs.
 * 43-47] */
JN_API jn_status jn_mass_matrix_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                          const double *v_jet, double *M_jet);
JN_API jn_status jn_coriolis_matrix_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                              const double *v_jet, double *C_jet);
JN_API jn_status jn_gravity_forces_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                             const double *v_jet, double *g_jet);
/* Of all that moves, with time derivatives: spatial momentum about the world's origin h_jet [count x (K+1) x 6], centre
 * of mass com_jet [count x (K+1) x 3] (NaN without mass), kinetic and potential energy energy_jet [count x (K+1) x 2].
 * O(n K^2). */
JN_API jn_status jn_momentum_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                       double *h_jet);
JN_API jn_status jn_center_of_mass_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                             const double *v_jet, double *com_jet);
JN_API jn_status jn_energy_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                     double *energy_jet);
/* Twist of a frame and its derivatives, twist_jet [count x (K+1) x 6]; its Jacobian and the derivatives of that, J_jet
 * [count x (K+1) x 6 x nv]; in the frame's own axes. O(d^2 K^2) and O(n K^2). Errors: JN_ERR_INDEX. */
JN_API jn_status jn_frame_twist_jet_batch(jn_batch *batch, size_t count, int order, int frame, const double *q,
                                          const double *v_jet, double *twist_jet);
JN_API jn_status jn_frame_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int frame, const double *q,
                                             const double *v_jet, double *J_jet);

/* Screws of a joint and their derivatives, S_jet [count x (K+1) x 6 x nv_joint], in the link's frame: constant unless
 * the joint is a product of several screws. A fixed joint has none, and S_jet is not written. Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_jacobian_jet_batch(jn_batch *batch, size_t count, int order, int link, const double *q,
                                             const double *v_jet, double *S_jet);
/* The system matrices of the closed form over all L links in their own frames, each NULL if not wanted: A_jet [count x
 * (K+1) x 6L x 6L], blocks Ad_{T_ij} where j is i or an ancestor of it; joint_twist_jet [count x (K+1) x L x 6], S v of
 * each joint, whose ad are the blocks of a; link_twist_jet [count x (K+1) x L x 6], likewise b; the system Jacobian
 * J_jet [count x (K+1) x 6L x nv]. dA/dt = A a - A a A = A b - b A. O(L d^2 K^2). [kumar2021 eqs. 21-31, 39-42;
 * mueller2021 sec. 2] */
JN_API jn_status jn_system_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                     double *A_jet, double *joint_twist_jet, double *link_twist_jet, double *J_jet);
/* P [count x (K+2) x nv x nv], the matrices that the derivatives of the motion have in the derivative of order K of the
 * forces:
 *   d^K tau/dt^K = sum_{r=0}^{K+1} P_r v^(r) + d^K g/dt^K,   P_r = binom(K, r-1) M^(K+1-r) + binom(K, r) C^(K-r)
 * so P_{K+1} = M and P_0 = C^(K). O(n d K^2). [kumar2021 eq. 38, whose P_k is row k - 1] */
JN_API jn_status jn_rate_matrices_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                        double *P);
/* sum J^T W and its derivatives, tau_jet [count x (K+1) x nv]: what inverse dynamics subtracts for external wrenches,
 * which must not be NULL here. O(n d K^2). [mueller2021 eqs. 34, 44] */
JN_API jn_status jn_wrench_forces_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                            const double *v_jet, const double *wrench_jet, double *tau_jet);
/* The wrench through every joint, as jn_joint_wrenches(), and its derivatives, F_jet [count x (K+1) x nlink x 6];
 * wrench_jet NULL: none. O(n K^2). */
JN_API jn_status jn_joint_wrenches_jet_batch(jn_batch *batch, size_t count, int order, const double *q,
                                             const double *v_jet, const double *wrench_jet, double *F_jet);

/* Of inverse dynamics: dtau_dq, dtau_dv, dtau_da = M [count x nv x nv]; dtau_dwrench [count x nv x nlink x 6] = -J^T,
 * by the wrenches' numbers in the links' frames. O(n d). [kim2012 Table 5; garofalo2013 eq. 24] */
JN_API jn_status jn_inverse_dynamics_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                       const double *a, const double *wrench, jn_representation hold,
                                                       double *dtau_dq, double *dtau_dv, double *dtau_da,
                                                       double *dtau_dwrench);
/* Forward dynamics a [count x nv] and its derivatives da_dq, da_dv, da_dtau = M^-1 [count x nv x nv], da_dwrench [count
 * x nv x nlink x 6]. a and da_dtau must not be NULL. O(nv^2); O(nv n d) when coordinates are coupled or wrenches are
 * held in the world's axes. [kim2012 Table 6] */
JN_API jn_status jn_forward_dynamics_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                       const double *tau, const double *wrench, jn_representation hold,
                                                       double *a, double *da_dq, double *da_dv, double *da_dtau,
                                                       double *da_dwrench);

/* Hybrid dynamics and its derivatives; coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given.
 * O(nv n d + nv^3). [kim2012 Table 7] */
JN_API jn_status jn_hybrid_dynamics_derivatives_batch(jn_batch *batch, size_t count, const unsigned char *prescribed,
                                                      const double *q, const double *v, const double *a,
                                                      const double *tau, const double *wrench, jn_representation hold,
                                                      const jn_hybrid_derivatives *out);

/* Second derivatives of inverse dynamics along one direction: the products of all second derivatives with a vector,
 * without the tensors. O(n d). */
JN_API jn_status jn_inverse_dynamics_derivatives_along_batch(jn_batch *batch, size_t count, const double *q,
                                                             const double *v, const double *a, const double *wrench,
                                                             jn_representation hold, const jn_direction *along,
                                                             const jn_inverse_derivatives_along *out);
/* Second derivatives of inverse dynamics, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda [count x nv x nv x nv]: entry
 * [h][i][count x k] of d2tau_dqdv is d2 tau_i / dq_h dv_k, and so on; d2tau_dqda[h] = dM/dq_h. All other second
 * derivatives are zero. O(n d^2), or O(nv n d) with wrenches that are held in the world's axes. */
JN_API jn_status jn_inverse_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const double *q,
                                                              const double *v, const double *a, const double *wrench,
                                                              jn_representation hold, double *d2tau_dqdq,
                                                              double *d2tau_dqdv, double *d2tau_dvdv,
                                                              double *d2tau_dqda);

/* Second derivatives of forward dynamics along one direction, from the solution at the state. O(nv^3). */
JN_API jn_status jn_forward_dynamics_derivatives_along_batch(jn_batch *batch, size_t count, const double *q,
                                                             const double *v, const double *wrench,
                                                             jn_representation hold, const jn_forward_solution *at,
                                                             const jn_direction *along,
                                                             const jn_forward_derivatives_along *out);
/* All second derivatives of forward dynamics, from the solution at the state. O(nv^4). */
JN_API jn_status jn_forward_dynamics_second_derivatives_batch(jn_batch *batch, size_t count, const double *q,
                                                              const double *v, const double *wrench,
                                                              jn_representation hold, const jn_forward_solution *at,
                                                              const jn_forward_second_derivatives *out);

/* Of the mass matrix: dM_dq [count x nv x nv x nv]. O(n d^2). [garofalo2013 eq. 24a] */
JN_API jn_status jn_mass_matrix_derivative_batch(jn_batch *batch, size_t count, const double *q, double *dM_dq);
/* Of its inverse: dMinv_dq [count x nv x nv x nv], dMinv_dq[h] = -M^-1 dM/dq_h M^-1; Minv [count x nv x nv] gets M^-1.
 * O(nv^4). Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_matrix_inverse_derivative_batch(jn_batch *batch, size_t count, const double *q, double *Minv,
                                                         double *dMinv_dq);
/* dC_dq, dC_dv [count x nv x nv x nv] of the C of jn_coriolis_matrix(). O(nv n d). [garofalo2013 eqs. 24b, 24c] */
JN_API jn_status jn_coriolis_matrix_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                      double *dC_dq, double *dC_dv);
/* dMdot_dq, dMdot_dv [count x nv x nv x nv] of Mdot = dM/dt along v. O(nv n d). */
JN_API jn_status jn_mass_matrix_rate_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                       double *dMdot_dq, double *dMdot_dv);
/* dg_dq [count x nv x nv] of the gravity forces, symmetric unless there are spherical or free joints. O(n d).
 * [garofalo2013 eq. 24d] */
JN_API jn_status jn_gravity_forces_derivative_batch(jn_batch *batch, size_t count, const double *q, double *dg_dq);

/* dJ_dq, dJdot_dq, dJdot_dv [count x nv x 6 x nv] of the J and Jdot of jn_frame_jacobian() and
 * jn_frame_jacobian_rate(), the direction first: dJ_dq[h] = dJ/dq_h, dJdot_dq[h] = dJdot/dq_h, and dJdot_dv[h] =
 * dJdot/dv_h, which has the numbers of dJ_dq, as J does not depend on v. O(n) and the entries. [garofalo2013 eqs.
 * 30-32] */
JN_API jn_status jn_frame_jacobian_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                     const double *q, const double *v, double *dJ_dq, double *dJdot_dq,
                                                     double *dJdot_dv);
/* dV_dq [count x 6 x nv] of the twist V that jn_frame_twist() gives. Its derivative by v is J. dV_dq must not be NULL.
 * O(n). */
JN_API jn_status jn_frame_twist_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                  const double *q, const double *v, double *dV_dq);
/* dA_dq, dA_dv [count x 6 x nv] of the acceleration A that jn_frame_acceleration() gives. Its derivative by a is J.
 * O(n). */
JN_API jn_status jn_frame_acceleration_derivatives_batch(jn_batch *batch, size_t count, int frame, jn_representation in,
                                                         const double *q, const double *v, const double *a,
                                                         double *dA_dq, double *dA_dv);
/* dh_dq [count x 6 x nv] of the momentum h that jn_momentum() gives. Its derivative by v is jn_momentum_matrix(). dh_dq
 * must not be NULL. O(n). Errors: JN_ERR_INDEX (about). */
JN_API jn_status jn_momentum_derivative_batch(jn_batch *batch, size_t count, jn_about about, const double *q,
                                              const double *v, double *dh_dq);
/* dc_dq, dcdot_dq, dcddot_dq, dcddot_dv [count x 3 x nv] of the centre of mass c of all that moves, its velocity cdot
 * and its acceleration cddot, as jn_center_of_mass() gives them for JN_WORLD. dc_dq is J of jn_com_jacobian(), and so
 * are the derivatives of cdot by v and of cddot by a. O(n). */
JN_API jn_status jn_center_of_mass_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                     const double *a, double *dc_dq, double *dcdot_dq,
                                                     double *dcddot_dq, double *dcddot_dv);

/* D [count x (K+1) x (K+3) x nv x nv]: D[count x k][count x 0] = d tau^(k) / dq, D[count x k][1+j] = d tau^(k) / d
 * v^(j), j = 0 ... K+1 (zero for j > k + 1), of tau_jet by q and the rows of v_jet; so for joints whose velocity is
 * their rate D[count x k][j] = d tau^(k) / d q^(j). Wrenches are held in the body. D must not be NULL; work of order K.
 * O(n d K^2 + nv^2 K^2), with spherical or free joints O(nv^2 K^3). */
JN_API jn_status jn_inverse_dynamics_jet_derivatives_batch(jn_batch *batch, size_t count, int order, const double *q,
                                                           const double *v_jet, const double *wrench_jet, double *D);

/* Reverse product: the gradient of f = y . tau, y [count x nv] held, by everything at once. O(n), whatever is asked
 * for. */
JN_API jn_status jn_inverse_dynamics_adjoint_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                   const double *a, const double *wrench, jn_representation hold,
                                                   const double *y, const jn_gradient *gradient);
/* The gradient of f = y . a of forward dynamics, whose a [count x nv] is written; df_dtau = M^-1 y must not be NULL.
 * O(n). */
JN_API jn_status jn_forward_dynamics_adjoint_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                   const double *tau, const double *wrench, jn_representation hold,
                                                   const double *y, double *a, const jn_gradient *gradient);

/* The regressor Y [count x nv x 10L] of inverse dynamics: tau = Y pi + armature a. O(n d). */
JN_API jn_status jn_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v, const double *a,
                                    double *Y);
/* Slotine and Li's regressor Y [count x nv x 10L]: Y pi = M a_r + C v_r + g, v_r and a_r [count x nv], with the passive
 * C of jn_coriolis_matrix() at v (armature as above). O(n d). [garofalo2013 eqs. 15, 16] */
JN_API jn_status jn_slotine_li_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                               const double *v_r, const double *a_r, double *Y);
/* The same without gravity, Y [count x nv x 10L]: Y pi = M x + C y, x and y [count x nv]; so dM/dpi x is column by
 * column Y of (x, 0), and dC/dpi y that of (0, y). */
JN_API jn_status jn_inertia_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                            const double *y, const double *x, double *Y);
/* Y [count x nv x 10L] of the gravity forces: g = Y pi. */
JN_API jn_status jn_gravity_regressor_batch(jn_batch *batch, size_t count, const double *q, double *Y);
/* Y [count x 2 x 10L]: kinetic (without armature) and potential energy. */
JN_API jn_status jn_energy_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v, double *Y);
/* Y [count x 6 x 10L]: momentum about the world's origin. */
JN_API jn_status jn_momentum_regressor_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                             double *Y);
/* Y [count x 6 x 10L]: the wrench through the joint of a link, in its frame, as jn_joint_wrenches() (without external
 * ones). */
JN_API jn_status jn_joint_wrench_regressor_batch(jn_batch *batch, size_t count, int link, const double *q,
                                                 const double *v, const double *a, double *Y);
/* Y [count x (K+1) x nv x 10L] and its time derivatives along the motion (jets.h): d^k tau/dt^k = Y^(k) pi + armature
 * v^(k+1). Work of order K. O(n d^2 K^2). */
JN_API jn_status jn_regressor_jet_batch(jn_batch *batch, size_t count, int order, const double *q, const double *v_jet,
                                        double *Y_jet);

/* dM_dpi, dC_dpi [count x 10L x nv x nv], first index the parameter; dg_dpi [count x nv x 10L]. Outputs may be NULL.
 * O(n d^2). [garofalo2013 eq. 13] */
JN_API jn_status jn_parameter_derivatives_batch(jn_batch *batch, size_t count, const double *q, const double *v,
                                                double *dM_dpi, double *dC_dpi, double *dg_dpi);
/* a [count x nv]: forward dynamics; da_dpi [count x nv x 10L] = -M^-1 Y. O(nv n) for each link. Errors:
 * JN_ERR_SINGULAR. */
JN_API jn_status jn_forward_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count, const double *q,
                                                                 const double *v, const double *tau,
                                                                 const double *wrench, double *a, double *da_dpi);
/* a_out, tau_out [count x nv]: hybrid dynamics; da_dpi, dtau_dpi [count x nv x 10L]. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_hybrid_dynamics_parameter_derivatives_batch(jn_batch *batch, size_t count,
                                                                const unsigned char *prescribed, const double *q,
                                                                const double *v, const double *a, const double *tau,
                                                                const double *wrench, double *a_out, double *tau_out,
                                                                double *da_dpi, double *dtau_dpi);

#ifdef __cplusplus
}
#endif
#endif
