/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/float.h: the computing functions in single precision: jnf_x is jn_x with float in the place of double.
 *
 * Conventions and errors are those of the header that declares jn_x. Where a comment leaves out the size of an input:
 * q [nq]; v, a, tau [nv]; wrench [nlink x 6]; of jets of order K v_jet [(K+2) x nv], tau_jet [(K+1) x nv], wrench_jet
 * [(K+1) x nlink x 6]. v, a, tau and wrench may be NULL: zero.
 * Made by script/float-header from the double headers, comments included: do not edit. */
#ifndef JOUNCE_FLOAT_H
#define JOUNCE_FLOAT_H

#include "regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* R = exp([w]), and w = log R with |w| <= pi: accurate to rounding at zero, for small angles and at pi. */
JN_API jn_status jnf_so3_exp(const float w[3], float R[9]);
JN_API jn_status jnf_so3_log(const float R[9], float w[3]);
/* Differential of exp: dR R^T = [L dw] (left), R^T dR = [L dw] (right), and the inverses of L (poles at |w| = 2 pi). */
JN_API jn_status jnf_so3_dexp_left(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_right(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_left_inverse(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_right_inverse(const float w[3], float L[9]);

/* The same for SE(3): T = exp(X); dT T^-1 = L dX (left), T^-1 dT = L dX (right); L [36] is 6x6 row-major. */
JN_API jn_status jnf_se3_exp(const float X[6], float T[16]);
JN_API jn_status jnf_se3_log(const float T[16], float X[6]);
JN_API jn_status jnf_se3_dexp_left(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_right(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_left_inverse(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_right_inverse(const float X[6], float L[36]);

/* C = A B, and C = A^-1 (as a rigid displacement: R^T, -R^T p). */
JN_API jn_status jnf_se3_multiply(const float A[16], const float B[16], float C[16]);
JN_API jn_status jnf_se3_inverse(const float A[16], float C[16]);

/* The 6x6 matrices Ad_T and ad_V; their transposes are Ad*_T and ad*_V. */
JN_API jn_status jnf_adjoint_matrix(const float T[16], float Ad[36]);
JN_API jn_status jnf_bracket_matrix(const float V[6], float ad[36]);
/* Ad_T V; Ad_T^T F; [A, B] = ad_A B; ad_V^T F. */
JN_API jn_status jnf_twist_transform(const float T[16], const float V[6], float out[6]);
JN_API jn_status jnf_wrench_transform(const float T[16], const float F[6], float out[6]);
JN_API jn_status jnf_twist_bracket(const float A[6], const float B[6], float out[6]);
JN_API jn_status jnf_wrench_bracket(const float V[6], const float F[6], float out[6]);

/* The 6x6 inertia I = [J [h]; -[h] m E]; the momentum I V; the inertia given in frame b expressed in frame a. */
JN_API jn_status jnf_inertia_matrix(const float P[10], float I[36]);
JN_API jn_status jnf_inertia_multiply(const float P[10], const float V[6], float out[6]);
JN_API jn_status jnf_inertia_transform(const float T[16], const float P[10], float out[10]);

/* Conversions. A quaternion need not be unit (its length is divided out); rotation_to_quaternion gives w >= 0. rpy =
 * (roll, pitch, yaw), R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF; |pitch| <= pi/2 on the way back. axis_angle = (unit
 * axis, angle), 0 <= angle <= pi on the way back; the axis of no rotation is (1, 0, 0). */
JN_API jn_status jnf_quaternion_to_rotation(const float Q[4], float R[9]);
JN_API jn_status jnf_rotation_to_quaternion(const float R[9], float Q[4]);
JN_API jn_status jnf_quaternion_multiply(const float A[4], const float B[4], float C[4]);
JN_API jn_status jnf_rpy_to_rotation(const float rpy[3], float R[9]);
JN_API jn_status jnf_rotation_to_rpy(const float R[9], float rpy[3]);
JN_API jn_status jnf_axis_angle_to_rotation(const float axis_angle[4], float R[9]);
JN_API jn_status jnf_rotation_to_axis_angle(const float R[9], float axis_angle[4]);

/* The configuration in which no joint has moved: zeros, and unit quaternions. May lie outside the limits. */
JN_API jn_status jnf_neutral(const jn_model *model, float *q);
/* A random configuration, uniform within finite position limits; else angles in [-pi, pi], lengths in [-1, 1] m,
 * rotations uniform. *state is the generator's state and its seed; the same state gives the same numbers anywhere. */
JN_API jn_status jnf_random(const jn_model *model, uint64_t *state, float *q);

/* out [nq] = q (+) v: each joint moved by its tangent vector: J(out) = J(q) exp(S v) for spherical and free joints, q +
 * v otherwise. Angles are not wrapped: turns are kept. out may be q. */
JN_API jn_status jnf_integrate(const jn_model *model, jn_work *work, const float *q, const float *v, float *out);
/* v [nv] = q1 (-) q0: the least v with q0 (+) v = q1. Not defined for rotations apart by exactly pi (either side is
 * given). */
JN_API jn_status jnf_difference(const jn_model *model, jn_work *work, const float *q0, const float *q1, float *v);
/* out [nq] = q0 (+) s (q1 (-) q0); s = 0 gives q0, s = 1 gives q1 (quaternions up to sign). out may be q0 or q1. */
JN_API jn_status jnf_interpolate(const jn_model *model, jn_work *work, const float *q0, const float *q1, float s,
                                 float *out);
/* out [nq] = q with unit quaternions. A zero quaternion gives NaN. out may be q. */
JN_API jn_status jnf_normalize(const jn_model *model, jn_work *work, const float *q, float *out);

/* T [16]: pose of the link of `joint` in its parent link, placement * J(q). Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_pose(const jn_model *model, jn_work *work, int joint, const float *q, float *T);
/* S [6 x k]: the joint's screws in the link's frame, S v = T^-1 dT/dt, one column for each of its k velocity
 * coordinates (kim2012 eq. 37). k = jn_joint_nv(); for a coupled joint k = 1, the leader's coordinate; nothing is
 * written for a fixed joint. Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_jacobian(const jn_model *model, jn_work *work, int joint, const float *q, float *S);
/* Sdot [6 x k] = dS/dt along v (kim2012 eq. 38). Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_jacobian_rate(const jn_model *model, jn_work *work, int joint, const float *q,
                                         const float *v, float *Sdot);

/* T [16]: pose of a frame in the world. O(depth). */
JN_API jn_status jnf_frame_pose(const jn_model *model, jn_work *work, int frame, const float *q, float *T);
/* V [6]: twist of a frame. O(depth). */
JN_API jn_status jnf_frame_twist(const jn_model *model, jn_work *work, int frame, jn_representation in, const float *q,
                                 const float *v, float *V);
/* A [6]: d/dt of the twist, J a + dJ/dt v, without gravity. a NULL gives dJ/dt v. O(depth). */
JN_API jn_status jnf_frame_acceleration(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                        const float *q, const float *v, const float *a, float *A);
/* J [6 x nv]: V = J v (garofalo2013 sec. II). O(depth) and the zeros. */
JN_API jn_status jnf_frame_jacobian(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                    const float *q, float *J);
/* Jdot [6 x nv] = dJ/dt along v (garofalo2013 eq. 28). */
JN_API jn_status jnf_frame_jacobian_rate(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                         const float *q, const float *v, float *Jdot);
/* All frames at once: T [nframe x 16], J and Jdot [nframe x 6 x nv], nframe = jn_frame_count(). */
JN_API jn_status jnf_frame_poses(const jn_model *model, jn_work *work, const float *q, float *T);
JN_API jn_status jnf_frame_jacobians(const jn_model *model, jn_work *work, jn_representation in, const float *q,
                                     float *J);
JN_API jn_status jnf_frame_jacobian_rates(const jn_model *model, jn_work *work, jn_representation in, const float *q,
                                          const float *v, float *Jdot);
/* J [6 x nv]: the space Jacobian, all joints' screws where they are now, in the world's axes about its origin: J =
 * [Ad_{T_i} S_i], i the body that a coordinate moves. The twist of any frame (JN_IN_WORLD) is J v with only the columns
 * of the joints between it and the world; these columns are jnf_frame_jacobian(JN_IN_WORLD), and Ad_{T^-1} times them
 * its Jacobian in the frame T. A coordinate of coupled joints has the sum of their screws. O(n). Jdot [6 x nv]: its
 * rate along v, [Ad_{T_i} (dS_i/dt + ad_{V_i} S_i)]. */
JN_API jn_status jnf_space_jacobian(const jn_model *model, jn_work *work, const float *q, float *J);
JN_API jn_status jnf_space_jacobian_rate(const jn_model *model, jn_work *work, const float *q, const float *v,
                                         float *Jdot);

/* c, cdot, cddot [3]: centre of mass in the world, its velocity and acceleration, of the subtree of `link`, or of all
 * that moves for JN_WORLD. NaN when that has no mass. O(n). */
JN_API jn_status jnf_center_of_mass(const jn_model *model, jn_work *work, int link, const float *q, const float *v,
                                    const float *a, float *c, float *cdot, float *cddot);
/* J [3 x nv]: cdot = J v (garofalo2013 eq. 7). O(n). */
JN_API jn_status jnf_com_jacobian(const jn_model *model, jn_work *work, int link, const float *q, float *J);

/* h [6]: spatial momentum (angular, linear) of all that moves. About the centre of mass: the centroidal momentum. O(n).
 */
JN_API jn_status jnf_momentum(const jn_model *model, jn_work *work, jn_about about, const float *q, const float *v,
                              float *h);
/* A [6 x nv]: h = A v. Adot [6 x nv]: its rate along v, so that dh/dt = A a + Adot v. O(n). */
JN_API jn_status jnf_momentum_matrix(const jn_model *model, jn_work *work, jn_about about, const float *q, float *A);
JN_API jn_status jnf_momentum_matrix_rate(const jn_model *model, jn_work *work, jn_about about, const float *q,
                                          const float *v, float *Adot);

/* Inverse dynamics: tau [nv] = M a + C v + g + k - sum J^T W. O(n). [kim2012 Table 2] */
JN_API jn_status jnf_inverse_dynamics(const jn_model *model, jn_work *work, const float *q, const float *v,
                                      const float *a, const float *wrench, float *tau);
/* Gravity forces g [nv] = tau(q, 0, 0) without springs, Coriolis forces c [nv] = C v, and the bias h [nv] = C v + g +
 * k. O(n). */
JN_API jn_status jnf_gravity_forces(const jn_model *model, jn_work *work, const float *q, float *g);
JN_API jn_status jnf_coriolis_forces(const jn_model *model, jn_work *work, const float *q, const float *v, float *c);
JN_API jn_status jnf_bias_forces(const jn_model *model, jn_work *work, const float *q, const float *v, float *h);
/* Forces that damping and Coulomb friction take: loss [nv] = damping v + friction sign(v), sign(0) = 0; coupled joints
 * included. */
JN_API jn_status jnf_loss_forces(const jn_model *model, const float *v, float *loss);
/* Forces that stretch the springs at the joints, stiffness (q - rest) [nv]; coupled joints included. They are part of
 * inverse dynamics and of the bias, so add nothing there; tau = M a + C v + g + these. O(n). */
JN_API jn_status jnf_spring_forces(const jn_model *model, const float *q, float *force);

/* Forward dynamics: a [nv] with M a = tau - C v - g - k + sum J^T W. O(n) by articulated inertias [kim2012 Table 3];
 * O(nv^3) dense when coordinates are coupled. JN_ERR_SINGULAR: a joint has no effective inertia, see
 * jn_singular_joint(). */
JN_API jn_status jnf_forward_dynamics(const jn_model *model, jn_work *work, const float *q, const float *v,
                                      const float *tau, const float *wrench, float *a);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given, the others their
 * force: a_out and tau_out [nv] are both complete. Cost as forward dynamics. Errors: JN_ERR_SINGULAR. [kim2012 Table 4]
 */
JN_API jn_status jnf_hybrid_dynamics(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                     const float *q, const float *v, const float *a, const float *tau,
                                     const float *wrench, float *a_out, float *tau_out);

/* The mass matrix M [nv x nv] = sum J^T I J, symmetric positive definite. O(n d). [garofalo2013 eq. 6a] */
JN_API jn_status jnf_mass_matrix(const jn_model *model, jn_work *work, const float *q, float *M);
/* Its inverse Minv [nv x nv]. O(nv^2); O(nv^2 d) when coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_mass_matrix_inverse(const jn_model *model, jn_work *work, const float *q, float *Minv);
/* Its rate Mdot [nv x nv] = dM/dt along v = C + C^T. O(n d). */
JN_API jn_status jnf_mass_matrix_rate(const jn_model *model, jn_work *work, const float *q, const float *v,
                                      float *Mdot);
/* The Coriolis matrix C [nv x nv] with dM/dt - 2 C skew-symmetric. O(n d). There are many such C; this one is not that
 * of Christoffel symbols, see below. [garofalo2013 eq. 6b; mueller2021 sec. 5] */
JN_API jn_status jnf_coriolis_matrix(const jn_model *model, jn_work *work, const float *q, const float *v, float *C);
/* C [nv x nv] by Christoffel symbols: C_ij = sum_k Gamma_ijk v_k, with the same C v, and dM/dt - 2 C skew-symmetric
 * too. Where velocities are rates of coordinates, Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, and C is half
 * of d(C v)/dv = dtau/dv. For the quasi-velocities of spherical and free joints that half is not passive; Gamma are
 * then the coefficients of the same connection (Levi-Civita's, of the kinetic energy), <X_i, nabla_{X_k} X_j>, so
 *   C = (d(C v)/dv + M' ad) / 2
 * with ad the bracket of the joint's own velocity, ad_w = [w] and ad_V, in blocks of these joints, and M' = M without
 * armature. O(n d). */
JN_API jn_status jnf_coriolis_matrix_christoffel(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                 float *C);
/* M = L^T D L with L unit lower triangular in the order of the tree: as sparse as the tree is branched. factor [nv x
 * nv] is in an order of its own, for jnf_mass_solve() only. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_mass_factor(const jn_model *model, jn_work *work, const float *q, float *factor);
/* x [nv] with M x = b [nv], factor from jnf_mass_factor(). O(nv d). x may be b. */
JN_API jn_status jnf_mass_solve(const jn_model *model, jn_work *work, const float *factor, const float *b, float *x);

/* energy [2]: kinetic (v^T M v / 2, armature included) and potential (zero at the world's origin, and the energy of
 * springs), in J. O(n). */
JN_API jn_status jnf_energy(const jn_model *model, jn_work *work, const float *q, const float *v, float *energy);

/* F [nlink x 6]: the wrench that the parent exerts on each link through its joint, fixed joints included, in the link's
 * frame. Links fixed to the world: what holds them and all they carry. O(n). [F_i of kim2012 Table 2] */
JN_API jn_status jnf_joint_wrenches(const jn_model *model, jn_work *work, const float *q, const float *v,
                                    const float *a, const float *wrench, float *F);

/* Where jnf_compute() puts its results; NULL: not wanted. */
typedef struct jnf_terms {
  float *M, *C, *Mdot;                           /* [nv x nv] */
  float *tau, *g, *bias;                         /* [nv] tau with a and wrench */
  float *coriolis;                               /* [nv] C v */
  float *poses;                                  /* [nframe x 16] */
  float *twists, *accelerations;                 /* [nframe x 6] in `in` */
  float *jacobians, *jacobian_rates;             /* [nframe x 6 x nv] in `in` */
  float *space_jacobian, *space_jacobian_rate;   /* [6 x nv] */
  float *com, *com_velocity, *com_acceleration;  /* [3] */
  float *com_jacobian;                           /* [3 x nv] */
  float *momentum;                               /* [6] `about` */
  float *momentum_matrix, *momentum_matrix_rate; /* [6 x nv] `about` */
  float *energy;                                 /* [2] */
  jn_representation in;                          /* in which numbers twists, accelerations and Jacobians are */
  jn_about about;                                /* which point momenta are about */
} jnf_terms;

/* Computes any set of jnf_terms together, sharing the recursions over the tree: what is asked for costs no more than
 * its own function. Errors: JN_ERR_INDEX (in, about). (garofalo2013, end of sec. VI) */
JN_API jn_status jnf_compute(const jn_model *model, jn_work *work, const float *q, const float *v, const float *a,
                             const float *wrench, const jnf_terms *terms);

/* Inverse dynamics: tau_jet [(K+1) x nv] = tau, dtau/dt, ..., d^K tau/dt^K along the motion. O(n K^2). [kumar2021 eqs.
 * 14-20] */
JN_API jn_status jnf_inverse_dynamics_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                          const float *v_jet, const float *wrench_jet, float *tau_jet);
/* Forward dynamics: the motion that the forces and their derivatives make, v_jet [(K+2) x nv], its first row v. O(n
 * K^2), and O(nv^3) once where coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_forward_dynamics_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                          const float *v, const float *tau_jet, const float *wrench_jet, float *v_jet);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have rows 1 ... K+1 of v_jet given, the others their
 * tau_jet; row 0 of v_jet is given for all. v_out [(K+2) x nv] and tau_out [(K+1) x nv] are complete; tau_out may be
 * NULL. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_hybrid_dynamics_jet(const jn_model *model, jn_work *work, int order,
                                         const unsigned char *prescribed, const float *q, const float *v_jet,
                                         const float *tau_jet, const float *wrench_jet, float *v_out, float *tau_out);

/* Closed form: M, dM/dt, ..., d^K M/dt^K along the motion, M_jet [(K+1) x nv x nv]; likewise C (which also needs row K
 * of v_jet; all K+2 rows are read) and the gravity forces, g_jet [(K+1) x nv]. Every d^kM/dt^k is symmetric, and
 * d^k/dt^k (dM/dt - 2 C) skew. O(n d K^2). [garofalo2013 eq. 25; mueller2021 secs. 3-5; kumar2021 eqs. 43-47] */
JN_API jn_status jnf_mass_matrix_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                     const float *v_jet, float *M_jet);
JN_API jn_status jnf_coriolis_matrix_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                         const float *v_jet, float *C_jet);
JN_API jn_status jnf_gravity_forces_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                        const float *v_jet, float *g_jet);
/* Of all that moves, with time derivatives: spatial momentum about the world's origin h_jet [(K+1) x 6], centre of mass
 * com_jet [(K+1) x 3] (NaN without mass), kinetic and potential energy energy_jet [(K+1) x 2]. O(n K^2). */
JN_API jn_status jnf_momentum_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                  float *h_jet);
JN_API jn_status jnf_center_of_mass_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                        const float *v_jet, float *com_jet);
JN_API jn_status jnf_energy_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                float *energy_jet);
/* Twist of a frame and its derivatives, twist_jet [(K+1) x 6]; its Jacobian and the derivatives of that, J_jet [(K+1) x
 * 6 x nv]; in the frame's own axes. O(d^2 K^2) and O(n K^2). Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_frame_twist_jet(const jn_model *model, jn_work *work, int order, int frame, const float *q,
                                     const float *v_jet, float *twist_jet);
JN_API jn_status jnf_frame_jacobian_jet(const jn_model *model, jn_work *work, int order, int frame, const float *q,
                                        const float *v_jet, float *J_jet);

/* Screws of a joint and their derivatives, S_jet [(K+1) x 6 x nv_joint], in the link's frame: constant unless the joint
 * is a product of several screws. A fixed joint has none, and S_jet is not written. Errors: JN_ERR_INDEX. */
JN_API jn_status jnf_joint_jacobian_jet(const jn_model *model, jn_work *work, int order, int link, const float *q,
                                        const float *v_jet, float *S_jet);
/* The system matrices of the closed form over all L links in their own frames, each NULL if not wanted: A_jet [(K+1) x
 * 6L x 6L], blocks Ad_{T_ij} where j is i or an ancestor of it; joint_twist_jet [(K+1) x L x 6], S v of each joint,
 * whose ad are the blocks of a; link_twist_jet [(K+1) x L x 6], likewise b; the system Jacobian J_jet [(K+1) x 6L x
 * nv]. dA/dt = A a - A a A = A b - b A. O(L d^2 K^2). [kumar2021 eqs. 21-31, 39-42; mueller2021 sec. 2] */
JN_API jn_status jnf_system_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                float *A_jet, float *joint_twist_jet, float *link_twist_jet, float *J_jet);
/* P [(K+2) x nv x nv], the matrices that the derivatives of the motion have in the derivative of order K of the forces:
 *   d^K tau/dt^K = sum_{r=0}^{K+1} P_r v^(r) + d^K g/dt^K,   P_r = binom(K, r-1) M^(K+1-r) + binom(K, r) C^(K-r)
 * so P_{K+1} = M and P_0 = C^(K). O(n d K^2). [kumar2021 eq. 38, whose P_k is row k - 1] */
JN_API jn_status jnf_rate_matrices(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                   float *P);
/* sum J^T W and its derivatives, tau_jet [(K+1) x nv]: what inverse dynamics subtracts for external wrenches, which
 * must not be NULL here. O(n d K^2). [mueller2021 eqs. 34, 44] */
JN_API jn_status jnf_wrench_forces_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                       const float *v_jet, const float *wrench_jet, float *tau_jet);
/* The wrench through every joint, as jnf_joint_wrenches(), and its derivatives, F_jet [(K+1) x nlink x 6]; wrench_jet
 * NULL: none. O(n K^2). */
JN_API jn_status jnf_joint_wrenches_jet(const jn_model *model, jn_work *work, int order, const float *q,
                                        const float *v_jet, const float *wrench_jet, float *F_jet);

/* Of inverse dynamics: dtau_dq, dtau_dv, dtau_da = M [nv x nv]; dtau_dwrench [nv x nlink x 6] = -J^T, by the wrenches'
 * numbers in the links' frames. O(n d). [kim2012 Table 5; garofalo2013 eq. 24] */
JN_API jn_status jnf_inverse_dynamics_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *a, const float *wrench, jn_representation hold,
                                                  float *dtau_dq, float *dtau_dv, float *dtau_da, float *dtau_dwrench);
/* Forward dynamics a [nv] and its derivatives da_dq, da_dv, da_dtau = M^-1 [nv x nv], da_dwrench [nv x nlink x 6]. a
 * and da_dtau must not be NULL. O(nv^2); O(nv n d) when coordinates are coupled or wrenches are held in the world's
 * axes. [kim2012 Table 6] */
JN_API jn_status jnf_forward_dynamics_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *tau, const float *wrench, jn_representation hold,
                                                  float *a, float *da_dq, float *da_dv, float *da_dtau,
                                                  float *da_dwrench);

/* Outputs of jnf_hybrid_dynamics_derivatives(). `given` stands for what is given of each coordinate: column k is for
 * a_k if that is prescribed, for tau_k if not. Rows are complete: what is given has derivative one by itself, zero by
 * all else. da_dx and dtau_dx must both be there or both be NULL; a, tau, da_dgiven, dtau_dgiven must not be NULL. */
typedef struct jnf_hybrid_derivatives {
  float *a, *tau;                   /* [nv] as jnf_hybrid_dynamics() */
  float *da_dq, *dtau_dq;           /* [nv x nv] */
  float *da_dv, *dtau_dv;           /* [nv x nv] */
  float *da_dgiven, *dtau_dgiven;   /* [nv x nv] */
  float *da_dwrench, *dtau_dwrench; /* [nv x nlink x 6] */
} jnf_hybrid_derivatives;

/* Hybrid dynamics and its derivatives; coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given.
 * O(nv n d + nv^3). [kim2012 Table 7] */
JN_API jn_status jnf_hybrid_dynamics_derivatives(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                                 const float *q, const float *v, const float *a, const float *tau,
                                                 const float *wrench, jn_representation hold,
                                                 const jnf_hybrid_derivatives *out);

/* A direction in which the state changes: q (+) s dq_ds, v + s dv_ds, and a + s da_ds (inverse dynamics) or tau + s
 * dtau_ds (forward dynamics), s = 0 being the state itself. NULL: zero. */
typedef struct jnf_direction {
  const float *dq_ds, *dv_ds, *da_ds, *dtau_ds; /* [nv] */
} jnf_direction;

/* Outputs of jnf_inverse_dynamics_derivatives_along(): derivatives by s of the forces, and of dtau_dq, dtau_dv and
 * dtau_da = M. NULL: not wanted. */
typedef struct jnf_inverse_derivatives_along {
  float *dtau_ds;                              /* [nv] */
  float *d2tau_dsdq, *d2tau_dsdv, *d2tau_dsda; /* [nv x nv] */
} jnf_inverse_derivatives_along;

/* Second derivatives of inverse dynamics along one direction: the products of all second derivatives with a vector,
 * without the tensors. O(n d). */
JN_API jn_status jnf_inverse_dynamics_derivatives_along(const jn_model *model, jn_work *work, const float *q,
                                                        const float *v, const float *a, const float *wrench,
                                                        jn_representation hold, const jnf_direction *along,
                                                        const jnf_inverse_derivatives_along *out);
/* Second derivatives of inverse dynamics, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda [nv x nv x nv]: entry
 * [h][i][k] of d2tau_dqdv is d2 tau_i / dq_h dv_k, and so on; d2tau_dqda[h] = dM/dq_h. All other second derivatives are
 * zero. O(n d^2), or O(nv n d) with wrenches that are held in the world's axes. */
JN_API jn_status jnf_inverse_dynamics_second_derivatives(const jn_model *model, jn_work *work, const float *q,
                                                         const float *v, const float *a, const float *wrench,
                                                         jn_representation hold, float *d2tau_dqdq, float *d2tau_dqdv,
                                                         float *d2tau_dvdv, float *d2tau_dqda);
/* What jnf_forward_dynamics_derivatives() gave at a state; its second derivatives start from there. None may be NULL.
 */
typedef struct jnf_forward_solution {
  const float *a;                       /* [nv] */
  const float *da_dq, *da_dv, *da_dtau; /* [nv x nv] */
} jnf_forward_solution;

/* Outputs of jnf_forward_dynamics_derivatives_along(): derivatives by s of da_dq, da_dv and da_dtau = M^-1. d2a_dsdtau
 * must not be NULL. */
typedef struct jnf_forward_derivatives_along {
  float *d2a_dsdq, *d2a_dsdv, *d2a_dsdtau; /* [nv x nv] */
} jnf_forward_derivatives_along;

/* Outputs of jnf_forward_dynamics_second_derivatives(): entry [h][i][k] of d2a_dqdv is d2 a_i / dq_h dv_k, and so on.
 * All other second derivatives are zero. The three by q must all be there or all be NULL; d2a_dvdv needs room. */
typedef struct jnf_forward_second_derivatives {
  float *d2a_dqdq, *d2a_dqdv, *d2a_dqdtau, *d2a_dvdv; /* [nv x nv x nv] */
  float *room;                                        /* [nv x nv x nv] scratch */
} jnf_forward_second_derivatives;

/* Second derivatives of forward dynamics along one direction, from the solution at the state. O(nv^3). */
JN_API jn_status jnf_forward_dynamics_derivatives_along(const jn_model *model, jn_work *work, const float *q,
                                                        const float *v, const float *wrench, jn_representation hold,
                                                        const jnf_forward_solution *at, const jnf_direction *along,
                                                        const jnf_forward_derivatives_along *out);
/* All second derivatives of forward dynamics, from the solution at the state. O(nv^4). */
JN_API jn_status jnf_forward_dynamics_second_derivatives(const jn_model *model, jn_work *work, const float *q,
                                                         const float *v, const float *wrench, jn_representation hold,
                                                         const jnf_forward_solution *at,
                                                         const jnf_forward_second_derivatives *out);

/* Of the mass matrix: dM_dq [nv x nv x nv]. O(n d^2). [garofalo2013 eq. 24a] */
JN_API jn_status jnf_mass_matrix_derivative(const jn_model *model, jn_work *work, const float *q, float *dM_dq);
/* Of its inverse: dMinv_dq [nv x nv x nv], dMinv_dq[h] = -M^-1 dM/dq_h M^-1; Minv [nv x nv] gets M^-1. O(nv^4). Errors:
 * JN_ERR_SINGULAR. */
JN_API jn_status jnf_mass_matrix_inverse_derivative(const jn_model *model, jn_work *work, const float *q, float *Minv,
                                                    float *dMinv_dq);
/* dC_dq, dC_dv [nv x nv x nv] of the C of jnf_coriolis_matrix(). O(nv n d). [garofalo2013 eqs. 24b, 24c] */
JN_API jn_status jnf_coriolis_matrix_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                 float *dC_dq, float *dC_dv);
/* dMdot_dq, dMdot_dv [nv x nv x nv] of Mdot = dM/dt along v. O(nv n d). */
JN_API jn_status jnf_mass_matrix_rate_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  float *dMdot_dq, float *dMdot_dv);
/* dg_dq [nv x nv] of the gravity forces, symmetric unless there are spherical or free joints. O(n d). [garofalo2013 eq.
 * 24d] */
JN_API jn_status jnf_gravity_forces_derivative(const jn_model *model, jn_work *work, const float *q, float *dg_dq);

/* dJ_dq, dJdot_dq, dJdot_dv [nv x 6 x nv] of the J and Jdot of jnf_frame_jacobian() and jnf_frame_jacobian_rate(), the
 * direction first: dJ_dq[h] = dJ/dq_h, dJdot_dq[h] = dJdot/dq_h, and dJdot_dv[h] = dJdot/dv_h, which has the numbers of
 * dJ_dq, as J does not depend on v. O(n) and the entries. [garofalo2013 eqs. 30-32] */
JN_API jn_status jnf_frame_jacobian_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                                const float *q, const float *v, float *dJ_dq, float *dJdot_dq,
                                                float *dJdot_dv);
/* dV_dq [6 x nv] of the twist V that jnf_frame_twist() gives. Its derivative by v is J. dV_dq must not be NULL. O(n).
 */
JN_API jn_status jnf_frame_twist_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                             const float *q, const float *v, float *dV_dq);
/* dA_dq, dA_dv [6 x nv] of the acceleration A that jnf_frame_acceleration() gives. Its derivative by a is J. O(n). */
JN_API jn_status jnf_frame_acceleration_derivatives(const jn_model *model, jn_work *work, int frame,
                                                    jn_representation in, const float *q, const float *v,
                                                    const float *a, float *dA_dq, float *dA_dv);
/* dh_dq [6 x nv] of the momentum h that jnf_momentum() gives. Its derivative by v is jnf_momentum_matrix(). dh_dq must
 * not be NULL. O(n). Errors: JN_ERR_INDEX (about). */
JN_API jn_status jnf_momentum_derivative(const jn_model *model, jn_work *work, jn_about about, const float *q,
                                         const float *v, float *dh_dq);
/* dc_dq, dcdot_dq, dcddot_dq, dcddot_dv [3 x nv] of the centre of mass c of all that moves, its velocity cdot and its
 * acceleration cddot, as jnf_center_of_mass() gives them for JN_WORLD. dc_dq is J of jnf_com_jacobian(), and so are the
 * derivatives of cdot by v and of cddot by a. O(n). */
JN_API jn_status jnf_center_of_mass_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                const float *a, float *dc_dq, float *dcdot_dq, float *dcddot_dq,
                                                float *dcddot_dv);

/* D [(K+1) x (K+3) x nv x nv]: D[k][0] = d tau^(k) / dq, D[k][1+j] = d tau^(k) / d v^(j), j = 0 ... K+1 (zero for j > k
 * + 1), of tau_jet by q and the rows of v_jet; so for joints whose velocity is their rate D[k][j] = d tau^(k) / d
 * q^(j). Wrenches are held in the body. D must not be NULL; work of order K. O(n d K^2 + nv^2 K^2), with spherical or
 * free joints O(nv^2 K^3). */
JN_API jn_status jnf_inverse_dynamics_jet_derivatives(const jn_model *model, jn_work *work, int order, const float *q,
                                                      const float *v_jet, const float *wrench_jet, float *D);

/* d/dp of what p enters; NULL: not at all (kim2012 sec. 4). dq_dp is in the tangent space; da_dp counts where
 * accelerations are given, dtau_dp where forces are. dh_dp = T^-1 dT/dp of the pose T of each link in its parent,
 * beyond what dq_dp does. dS_dp, dSdot_dp: screws of each joint in its link's frame, and their rates, beyond what dq_dp
 * and dv_dp do: six numbers for each coordinate of the joint, of which there are up to six. */
typedef struct jnf_perturbation {
  const float *dq_dp, *dv_dp, *da_dp, *dtau_dp; /* [nv] */
  const float *dh_dp;                           /* [nlink x 6] */
  const float *dS_dp, *dSdot_dp;                /* [nlink x 6 x 6] */
  const float *dinertia_dp;                     /* [nlink x 10] */
  const float *dwrench_dp;                      /* [nlink x 6] in the links' frames */
  const float *darmature_dp;                    /* [nv] inertia added to the coordinate itself */
  const float *dgravity_dp;                     /* [3] */
} jnf_perturbation;

/* The perturbation of a named scalar at the state (q, v). Its arrays are in room, which must hold
 * jn_perturbation_room() numbers and live as long. JN_BY_AXIS and JN_BY_PITCH depend on q and v, and JN_BY_PLACEMENT on
 * q; the others do not. v NULL: zero. Errors: JN_ERR_INDEX (no such coordinate, link, component, or axis). */
JN_API jn_status jnf_perturbation_of(const jn_model *model, jn_work *work, const jn_scalar *scalar, const float *q,
                                     const float *v, float *room, jnf_perturbation *perturbation);

/* dtau_dp [count x nv] of inverse dynamics for each of `count` scalars (their own dtau_dp is ignored). O(n) for each.
 * [kim2012 Table 5] */
JN_API jn_status jnf_inverse_dynamics_sensitivity(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *a, const float *wrench, int count,
                                                  const jnf_perturbation *perturbations, float *dtau_dp);
/* a [nv]: forward dynamics; da_dp [count x nv] of it (the scalars' own da_dp is ignored). O(n) for each, O(nv^3) with
 * coupled coordinates. [kim2012 Table 6] */
JN_API jn_status jnf_forward_dynamics_sensitivity(const jn_model *model, jn_work *work, const float *q, const float *v,
                                                  const float *tau, const float *wrench, int count,
                                                  const jnf_perturbation *perturbations, float *a, float *da_dp);
/* a_out, tau_out [nv]: hybrid dynamics; da_dp, dtau_dp [count x nv] of both, complete. O(n) for each. [kim2012 Table 7]
 */
JN_API jn_status jnf_hybrid_dynamics_sensitivity(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                                 const float *q, const float *v, const float *a, const float *tau,
                                                 const float *wrench, int count, const jnf_perturbation *perturbations,
                                                 float *a_out, float *tau_out, float *da_dp, float *dtau_dp);

/* Where the gradient of a scalar f goes; NULL: not wanted. */
typedef struct jnf_gradient {
  float *df_dq, *df_dv, *df_da, *df_dtau; /* [nv]; df_da for inverse, df_dtau for forward dynamics */
  float *df_dwrench;                      /* [nlink x 6] */
  float *df_dinertia;                     /* [nlink x 10] */
  float *df_dgravity;                     /* [3] */
  float *df_darmature;                    /* [nv] */
} jnf_gradient;

/* Reverse product: the gradient of f = y . tau, y [nv] held, by everything at once. O(n), whatever is asked for. */
JN_API jn_status jnf_inverse_dynamics_adjoint(const jn_model *model, jn_work *work, const float *q, const float *v,
                                              const float *a, const float *wrench, jn_representation hold,
                                              const float *y, const jnf_gradient *gradient);
/* The gradient of f = y . a of forward dynamics, whose a [nv] is written; df_dtau = M^-1 y must not be NULL. O(n). */
JN_API jn_status jnf_forward_dynamics_adjoint(const jn_model *model, jn_work *work, const float *q, const float *v,
                                              const float *tau, const float *wrench, jn_representation hold,
                                              const float *y, float *a, const jnf_gradient *gradient);

/* The regressor Y [nv x 10L] of inverse dynamics: tau = Y pi + armature a. O(n d). */
JN_API jn_status jnf_regressor(const jn_model *model, jn_work *work, const float *q, const float *v, const float *a,
                               float *Y);
/* Slotine and Li's regressor Y [nv x 10L]: Y pi = M a_r + C v_r + g, v_r and a_r [nv], with the passive C of
 * jnf_coriolis_matrix() at v (armature as above). O(n d). [garofalo2013 eqs. 15, 16] */
JN_API jn_status jnf_slotine_li_regressor(const jn_model *model, jn_work *work, const float *q, const float *v,
                                          const float *v_r, const float *a_r, float *Y);
/* The same without gravity, Y [nv x 10L]: Y pi = M x + C y, x and y [nv]; so dM/dpi x is column by column Y of (x, 0),
 * and dC/dpi y that of (0, y). */
JN_API jn_status jnf_inertia_regressor(const jn_model *model, jn_work *work, const float *q, const float *v,
                                       const float *y, const float *x, float *Y);
/* Y [nv x 10L] of the gravity forces: g = Y pi. */
JN_API jn_status jnf_gravity_regressor(const jn_model *model, jn_work *work, const float *q, float *Y);
/* Y [2 x 10L]: kinetic (without armature) and potential energy. */
JN_API jn_status jnf_energy_regressor(const jn_model *model, jn_work *work, const float *q, const float *v, float *Y);
/* Y [6 x 10L]: momentum about the world's origin. */
JN_API jn_status jnf_momentum_regressor(const jn_model *model, jn_work *work, const float *q, const float *v, float *Y);
/* Y [6 x 10L]: the wrench through the joint of a link, in its frame, as jnf_joint_wrenches() (without external ones).
 */
JN_API jn_status jnf_joint_wrench_regressor(const jn_model *model, jn_work *work, int link, const float *q,
                                            const float *v, const float *a, float *Y);
/* Y [nv x 4 nv]: columns for armature, viscous friction, Coulomb friction and offset of each coordinate, in blocks of
 * nv in this order: diag(a), diag(v), diag(sign v), 1. */
JN_API jn_status jnf_joint_regressor(const jn_model *model, const float *v, const float *a, float *Y);
/* Y [(K+1) x nv x 10L] and its time derivatives along the motion (jets.h): d^k tau/dt^k = Y^(k) pi + armature v^(k+1).
 * Work of order K. O(n d^2 K^2). */
JN_API jn_status jnf_regressor_jet(const jn_model *model, jn_work *work, int order, const float *q, const float *v_jet,
                                   float *Y_jet);

/* dM_dpi, dC_dpi [10L x nv x nv], first index the parameter; dg_dpi [nv x 10L]. Outputs may be NULL. O(n d^2).
 * [garofalo2013 eq. 13] */
JN_API jn_status jnf_parameter_derivatives(const jn_model *model, jn_work *work, const float *q, const float *v,
                                           float *dM_dpi, float *dC_dpi, float *dg_dpi);
/* a [nv]: forward dynamics; da_dpi [nv x 10L] = -M^-1 Y. O(nv n) for each link. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_forward_dynamics_parameter_derivatives(const jn_model *model, jn_work *work, const float *q,
                                                            const float *v, const float *tau, const float *wrench,
                                                            float *a, float *da_dpi);
/* a_out, tau_out [nv]: hybrid dynamics; da_dpi, dtau_dpi [nv x 10L]. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jnf_hybrid_dynamics_parameter_derivatives(const jn_model *model, jn_work *work,
                                                           const unsigned char *prescribed, const float *q,
                                                           const float *v, const float *a, const float *tau,
                                                           const float *wrench, float *a_out, float *tau_out,
                                                           float *da_dpi, float *dtau_dpi);

#ifdef __cplusplus
}
#endif
#endif
