/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/dynamics.h: inverse, forward and hybrid dynamics; M, C, g; energies; joint wrenches.
 *
 *   M(q) a + C(q, v) v + g(q) + k(q) = tau + sum_i J_i^T W_i
 * q [nq] configuration; v, a [nv] velocity and acceleration (NULL: zero); tau [nv] joint forces [N m, N].
 * wrench [nlink x 6]: external wrenches W_i that the surroundings exert on the links, (moment, force) in the link's
 * frame about its origin; NULL: none. Armature is part of M; k are the springs at joints (jn_dof), if there are any.
 * Damping and friction are not in any of these: jn_loss_forces() gives them, to be added to tau of inverse dynamics and
 * subtracted from tau of forward dynamics. n bodies, depth d. Matrices [nv x nv] are complete. No function allocates;
 * one work for each thread; outputs must not overlap inputs; NaN in gives NaN out. Errors of all: JN_ERR_NULL,
 * JN_ERR_WORK, JN_ERR_ROW, JN_ERR_SIZE (a matrix of more than 2^31 entries); JN_ERR_SINGULAR where named. */
#ifndef JOUNCE_DYNAMICS_H
#define JOUNCE_DYNAMICS_H

#include "kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inverse dynamics: tau [nv] = M a + C v + g + k - sum J^T W. O(n). [kim2012 Table 2] */
JN_API jn_status jn_inverse_dynamics(const jn_model *model, jn_work *work, const double *q, const double *v,
                                     const double *a, const double *wrench, double *tau);
/* Gravity forces g [nv] = tau(q, 0, 0) without springs, Coriolis forces c [nv] = C v, and the bias h [nv] = C v + g +
 * k. O(n). */
JN_API jn_status jn_gravity_forces(const jn_model *model, jn_work *work, const double *q, double *g);
JN_API jn_status jn_coriolis_forces(const jn_model *model, jn_work *work, const double *q, const double *v, double *c);
JN_API jn_status jn_bias_forces(const jn_model *model, jn_work *work, const double *q, const double *v, double *h);
/* Forces that damping and Coulomb friction take: loss [nv] = damping v + friction sign(v), sign(0) = 0; coupled joints
 * included. */
JN_API jn_status jn_loss_forces(const jn_model *model, const double *v, double *loss);
/* Forces that stretch the springs at the joints, stiffness (q - rest) [nv]; coupled joints included. They are part of
 * inverse dynamics and of the bias, so add nothing there; tau = M a + C v + g + these. O(n). */
JN_API jn_status jn_spring_forces(const jn_model *model, const double *q, double *force);

/* Forward dynamics: a [nv] with M a = tau - C v - g - k + sum J^T W. O(n) by articulated inertias [kim2012 Table 3];
 * O(nv^3) dense when coordinates are coupled. JN_ERR_SINGULAR: a joint has no effective inertia, see
 * jn_singular_joint(). */
JN_API jn_status jn_forward_dynamics(const jn_model *model, jn_work *work, const double *q, const double *v,
                                     const double *tau, const double *wrench, double *a);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given, the others their
 * force: a_out and tau_out [nv] are both complete. Cost as forward dynamics. Errors: JN_ERR_SINGULAR. [kim2012 Table 4]
 */
JN_API jn_status jn_hybrid_dynamics(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                    const double *q, const double *v, const double *a, const double *tau,
                                    const double *wrench, double *a_out, double *tau_out);
/* After JN_ERR_SINGULAR, when the outputs mean nothing: the joint (index) without effective inertia. JN_NONE when the
 * last call that solves (forward, hybrid, inverse, factor) was not singular. A pivot counts as zero below 2e-13 of the
 * inertia that is there (float: 5e-7). */
JN_API int jn_singular_joint(const jn_work *work);

/* The mass matrix M [nv x nv] = sum J^T I J, symmetric positive definite. O(n d). [garofalo2013 eq. 6a] */
JN_API jn_status jn_mass_matrix(const jn_model *model, jn_work *work, const double *q, double *M);
/* Its inverse Minv [nv x nv]. O(nv^2); O(nv^2 d) when coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_matrix_inverse(const jn_model *model, jn_work *work, const double *q, double *Minv);
/* Its rate Mdot [nv x nv] = dM/dt along v = C + C^T. O(n d). */
JN_API jn_status jn_mass_matrix_rate(const jn_model *model, jn_work *work, const double *q, const double *v,
                                     double *Mdot);
/* The Coriolis matrix C [nv x nv] with dM/dt - 2 C skew-symmetric. O(n d). There are many such C; this one is not that
 * of Christoffel symbols, see below. [garofalo2013 eq. 6b; mueller2021 sec. 5] */
JN_API jn_status jn_coriolis_matrix(const jn_model *model, jn_work *work, const double *q, const double *v, double *C);
/* C [nv x nv] by Christoffel symbols: C_ij = sum_k Gamma_ijk v_k, with the same C v, and dM/dt - 2 C skew-symmetric
 * too. Where velocities are rates of coordinates, Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, and C is half
 * of d(C v)/dv = dtau/dv. For the quasi-velocities of spherical and free joints that half is not passive; Gamma are
 * then the coefficients of the same connection (Levi-Civita's, of the kinetic energy), <X_i, nabla_{X_k} X_j>, so
 *   C = (d(C v)/dv + M' ad) / 2
 * with ad the bracket of the joint's own velocity, ad_w = [w] and ad_V, in blocks of these joints, and M' = M without
 * armature. O(n d). */
JN_API jn_status jn_coriolis_matrix_christoffel(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                double *C);
/* M = L^T D L with L unit lower triangular in the order of the tree: as sparse as the tree is branched. factor [nv x
 * nv] is in an order of its own, for jn_mass_solve() only. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_factor(const jn_model *model, jn_work *work, const double *q, double *factor);
/* x [nv] with M x = b [nv], factor from jn_mass_factor(). O(nv d). x may be b. */
JN_API jn_status jn_mass_solve(const jn_model *model, jn_work *work, const double *factor, const double *b, double *x);

/* energy [2]: kinetic (v^T M v / 2, armature included) and potential (zero at the world's origin, and the energy of
 * springs), in J. O(n). */
JN_API jn_status jn_energy(const jn_model *model, jn_work *work, const double *q, const double *v, double *energy);

/* F [nlink x 6]: the wrench that the parent exerts on each link through its joint, fixed joints included, in the link's
 * frame. Links fixed to the world: what holds them and all they carry. O(n). [F_i of kim2012 Table 2] */
JN_API jn_status jn_joint_wrenches(const jn_model *model, jn_work *work, const double *q, const double *v,
                                   const double *a, const double *wrench, double *F);

/* Where jn_compute() puts its results; NULL: not wanted. */
typedef struct jn_terms {
  double *M, *C, *Mdot;                           /* [nv x nv] */
  double *tau, *g, *bias;                         /* [nv] tau with a and wrench */
  double *coriolis;                               /* [nv] C v */
  double *poses;                                  /* [nframe x 16] */
  double *twists, *accelerations;                 /* [nframe x 6] in `in` */
  double *jacobians, *jacobian_rates;             /* [nframe x 6 x nv] in `in` */
  double *space_jacobian, *space_jacobian_rate;   /* [6 x nv] */
  double *com, *com_velocity, *com_acceleration;  /* [3] */
  double *com_jacobian;                           /* [3 x nv] */
  double *momentum;                               /* [6] `about` */
  double *momentum_matrix, *momentum_matrix_rate; /* [6 x nv] `about` */
  double *energy;                                 /* [2] */
  jn_representation in;                           /* in which numbers twists, accelerations and Jacobians are */
  jn_about about;                                 /* which point momenta are about */
} jn_terms;

/* Computes any set of jn_terms together, sharing the recursions over the tree: what is asked for costs no more than its
 * own function. Errors: JN_ERR_INDEX (in, about). (garofalo2013, end of sec. VI) */
JN_API jn_status jn_compute(const jn_model *model, jn_work *work, const double *q, const double *v, const double *a,
                            const double *wrench, const jn_terms *terms);

#ifdef __cplusplus
}
#endif
#endif
