/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/dynamics.h: inverse, forward and hybrid dynamics; M, C, g; energies; joint wrenches.
 * Tier: stable (docs/stability.md).
 *
 *   M(q) a + C(q, v) v + g(q) + k(q) = tau + sum_i J_i^T W_i
 * q [nq] configuration; v, a [nv] velocity and acceleration (NULL: zero); tau [nv] joint forces [N m, N].
 * wrench [nlink x 6]: external wrenches W_i that the surroundings exert on the links, (moment, force) in the link's
 * frame about its origin; NULL: none. Armature is part of M; k(q) are the forces of joint springs (jn_dof). Damping and
 * friction are not included: add jn_loss_forces() to the tau of inverse dynamics, or subtract it from the tau that you
 * pass to forward dynamics. Costs are for n bodies and a tree of depth d. Both triangles of symmetric matrices are
 * written. No function allocates; each thread needs its own work; outputs must not overlap inputs; NaN in gives NaN
 * out. Errors of all: JN_ERR_NULL, JN_ERR_WORK, JN_ERR_VARIANT, JN_ERR_SIZE (a matrix of more than 2^31 entries);
 * JN_ERR_SINGULAR where named. */
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
/* Forces to overcome damping and Coulomb friction: loss [nv] = damping v + friction sign(v), sign(0) = 0; coupled
 * joints included. */
JN_API jn_status jn_loss_forces(const jn_model *model, const double *v, double *loss);
/* Forces to stretch the joint springs, force [nv] = stiffness (q - rest); coupled joints included. Inverse dynamics and
 * the bias contain them already (the k in tau = M a + C v + g + k), so do not add them there. O(n). */
JN_API jn_status jn_spring_forces(const jn_model *model, const double *q, double *force);

/* Forward dynamics: a [nv] with M a = tau - C v - g - k + sum J^T W. O(n) by articulated inertias [kim2012 Table 3];
 * O(n m) if m coordinates are coupled at once. Errors: JN_ERR_SINGULAR (a joint has no effective inertia, see
 * jn_singular_joint()). */
JN_API jn_status jn_forward_dynamics(const jn_model *model, jn_work *work, const double *q, const double *v,
                                     const double *tau, const double *wrench, double *a);
/* Hybrid dynamics: for coordinates with prescribed[i] != 0 (nv bytes) the acceleration is given, for the others the
 * force. a_out and tau_out [nv] are written completely, including the given values. Same cost as forward dynamics.
 * Errors: JN_ERR_SINGULAR. [kim2012 Table 4] */
JN_API jn_status jn_hybrid_dynamics(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                    const double *q, const double *v, const double *a, const double *tau,
                                    const double *wrench, double *a_out, double *tau_out);
/* After JN_ERR_SINGULAR: the index of the joint without effective inertia; the outputs of that call are meaningless.
 * JN_NONE if the last call that solves for accelerations or factors M was not singular. A pivot counts as zero if it is
 * below 2e-13 (float: 5e-7) of the inertia that the coordinate moves. */
JN_API int jn_singular_joint(const jn_work *work);

/* The mass matrix M [nv x nv] = sum J^T I J, symmetric positive definite. O(n d). [garofalo2013 eq. 6a] */
JN_API jn_status jn_mass_matrix(const jn_model *model, jn_work *work, const double *q, double *M);
/* Its inverse Minv [nv x nv]. O(nv^2); O(nv^2 d) when coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_matrix_inverse(const jn_model *model, jn_work *work, const double *q, double *Minv);
/* Its rate Mdot [nv x nv] = dM/dt along v = C + C^T. O(n d). */
JN_API jn_status jn_mass_matrix_rate(const jn_model *model, jn_work *work, const double *q, const double *v,
                                     double *Mdot);
/* The Coriolis matrix C [nv x nv] with dM/dt - 2 C skew-symmetric. O(n d). There are many such C; this one differs from
 * the C of Christoffel symbols, see below. [garofalo2013 eq. 6b; mueller2021 sec. 5] */
JN_API jn_status jn_coriolis_matrix(const jn_model *model, jn_work *work, const double *q, const double *v, double *C);
/* C [nv x nv] by Christoffel symbols: C_ij = sum_k Gamma_ijk v_k. It gives the same C v, and dM/dt - 2 C is
 * skew-symmetric, too. Where velocities are rates of coordinates, Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) /
 * 2, and C is half of d(C v)/dv = dtau/dv. For the quasi-velocities of spherical and free joints, half of dtau/dv does
 * not make dM/dt - 2 C skew-symmetric. There, Gamma_ijk = <X_i, nabla_{X_k} X_j> are the coefficients of the same
 * connection (the Levi-Civita connection of the kinetic energy), so
 *   C = (d(C v)/dv + M' ad) / 2
 * where ad has a block for each such joint, the bracket of its own velocity (ad_w = [w] or ad_V), and M' is M without
 * armature. O(n d). */
JN_API jn_status jn_coriolis_matrix_christoffel(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                double *C);
/* Factors M = L^T D L with L unit lower triangular in the order of the tree: the more the tree branches, the sparser L
 * is. factor [nv x nv] has a private layout and is for jn_mass_solve() only. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_factor(const jn_model *model, jn_work *work, const double *q, double *factor);
/* x [nv] with M x = b [nv], factor from jn_mass_factor(). O(nv d). x may be b. */
JN_API jn_status jn_mass_solve(const jn_model *model, jn_work *work, const double *factor, const double *b, double *x);

/* energy [2]: kinetic energy (v^T M v / 2, armature included) and potential energy (of gravity, zero at the world's
 * origin, plus joint springs) [J]. O(n). */
JN_API jn_status jn_energy(const jn_model *model, jn_work *work, const double *q, const double *v, double *energy);

/* F [nlink x 6]: the wrench that the parent exerts on each link through its joint, fixed joints included, in the link's
 * frame. For links fixed to the world, it is the wrench that holds them and everything they carry. O(n). [F_i of
 * kim2012 Table 2] */
JN_API jn_status jn_joint_wrenches(const jn_model *model, jn_work *work, const double *q, const double *v,
                                   const double *a, const double *wrench, double *F);

/* Where jn_compute() puts its results; set results you do not need to NULL. */
typedef struct jn_terms {
  double *M, *C, *Mdot;                           /* [nv x nv] */
  double *tau, *g, *bias;                         /* [nv] tau: with a and wrench */
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
  jn_representation in;                           /* representation of twists, accelerations and Jacobians */
  jn_about about;                                 /* reference point of momenta */
} jn_terms;

/* Computes any set of jn_terms together and shares the recursions over the tree: no result costs more than its own
 * function. Errors: JN_ERR_INDEX (in, about). (garofalo2013, end of sec. VI) */
JN_API jn_status jn_compute(const jn_model *model, jn_work *work, const double *q, const double *v, const double *a,
                            const double *wrench, const jn_terms *terms);

#ifdef __cplusplus
}
#endif
#endif
