/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/derivatives.h: derivatives with respect to the state.
 * Tier: stable (docs/stability.md).
 *
 * Derivatives with respect to q are in the tangent space: d/dq_k is the derivative along q (+) s e_k at s = 0
 * (jn_integrate), so for joints whose velocity is their rate the plain partial derivative, and for spherical and free
 * joints the one along a rotation or screw in the body's own axes. v, a and tau are constant while q changes, and so is
 * the wrench. It is always given in the link's frame, and `hold` says in which axes its numbers stay constant:
 * JN_IN_BODY (a thruster, a tool), JN_IN_ALIGNED (a weight, a cable: axes of the world, acting at the link's origin),
 * or JN_IN_WORLD (axes and origin of the world). `hold` is ignored when wrench is NULL.
 *
 * Matrices [nv x nv] are row-major: entry (i, k) is the derivative of output i by input k. Tensors [nv x nv x nv] have
 * the direction of the last differentiation as first index: X[h][i][k] = d/dq_h of entry (i, k). Second derivatives by
 * q of spherical and free joints do not commute: d_h d_k - d_k d_h is the derivative along the bracket [e_h, e_k]. v,
 * a, tau, wrench may be NULL: zero. Pass NULL for outputs you do not need, unless a comment says otherwise. Costs are
 * for n bodies and a tree of depth d. No function allocates. Mathematics: docs/derivatives.md. Errors of all:
 * JN_ERR_NULL, JN_ERR_WORK, JN_ERR_VARIANT, JN_ERR_SIZE, JN_ERR_INDEX (hold, frame, in); JN_ERR_SINGULAR for forward
 * and hybrid dynamics. */
#ifndef JOUNCE_DERIVATIVES_H
#define JOUNCE_DERIVATIVES_H

#include "jets.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- first derivatives ---- */

/* Of inverse dynamics: dtau_dq, dtau_dv, dtau_da = M [nv x nv]; dtau_dwrench [nv x nlink x 6] = -J^T, by the wrenches'
 * numbers in the links' frames. O(n d). [kim2012 Table 5; garofalo2013 eq. 24] */
JN_API jn_status jn_inverse_dynamics_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 const double *a, const double *wrench, jn_representation hold,
                                                 double *dtau_dq, double *dtau_dv, double *dtau_da,
                                                 double *dtau_dwrench);
/* Forward dynamics a [nv] and its derivatives da_dq, da_dv, da_dtau = M^-1 [nv x nv], da_dwrench [nv x nlink x 6]. a
 * and da_dtau must not be NULL. O(nv^2); O(nv^2 d) when coordinates are coupled or wrenches are held in the world's
 * axes. [kim2012 Table 6]
 */
JN_API jn_status jn_forward_dynamics_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 const double *tau, const double *wrench, jn_representation hold,
                                                 double *a, double *da_dq, double *da_dv, double *da_dtau,
                                                 double *da_dwrench);

/* Outputs of jn_hybrid_dynamics_derivatives(). `given` stands for what is given of each coordinate: column k is for a_k
 * if that is prescribed, for tau_k if not. Rows are complete: what is given has derivative one by itself, zero by all
 * else. da_dx and dtau_dx must both be there or both be NULL; a, tau, da_dgiven, dtau_dgiven must not be NULL. */
typedef struct jn_hybrid_derivatives {
  double *a, *tau;                   /* [nv] as jn_hybrid_dynamics() */
  double *da_dq, *dtau_dq;           /* [nv x nv] */
  double *da_dv, *dtau_dv;           /* [nv x nv] */
  double *da_dgiven, *dtau_dgiven;   /* [nv x nv] */
  double *da_dwrench, *dtau_dwrench; /* [nv x nlink x 6] */
} jn_hybrid_derivatives;

/* Hybrid dynamics and its derivatives; coordinates with prescribed[i] != 0 (nv bytes) have their acceleration given.
 * O(nv n d + nv^3). [kim2012 Table 7] */
JN_API jn_status jn_hybrid_dynamics_derivatives(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                                const double *q, const double *v, const double *a, const double *tau,
                                                const double *wrench, jn_representation hold,
                                                const jn_hybrid_derivatives *out);

/* ---- second derivatives ---- */

/* A direction in which the state changes: q (+) s dq_ds, v + s dv_ds, and a + s da_ds (inverse dynamics) or tau + s
 * dtau_ds (forward dynamics), s = 0 being the state itself. NULL: zero. */
typedef struct jn_direction {
  const double *dq_ds, *dv_ds, *da_ds, *dtau_ds; /* [nv] */
} jn_direction;

/* Outputs of jn_inverse_dynamics_derivatives_along(): derivatives by s of the forces, and of dtau_dq, dtau_dv and
 * dtau_da = M. NULL: not wanted. */
typedef struct jn_inverse_derivatives_along {
  double *dtau_ds;                              /* [nv] */
  double *d2tau_dsdq, *d2tau_dsdv, *d2tau_dsda; /* [nv x nv] */
} jn_inverse_derivatives_along;

/* Second derivatives of inverse dynamics along one direction: the products of all second derivatives with a vector,
 * without the tensors. O(n d). */
JN_API jn_status jn_inverse_dynamics_derivatives_along(const jn_model *model, jn_work *work, const double *q,
                                                       const double *v, const double *a, const double *wrench,
                                                       jn_representation hold, const jn_direction *along,
                                                       const jn_inverse_derivatives_along *out);
/* Second derivatives of inverse dynamics, d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dqda [nv x nv x nv]: entry
 * [h][i][k] of d2tau_dqdv is d2 tau_i / dq_h dv_k, and so on; d2tau_dqda[h] = dM/dq_h. All other second derivatives are
 * zero. O(n d^2), or O(nv n d) with wrenches that are held in the world's axes. */
JN_API jn_status jn_inverse_dynamics_second_derivatives(const jn_model *model, jn_work *work, const double *q,
                                                        const double *v, const double *a, const double *wrench,
                                                        jn_representation hold, double *d2tau_dqdq, double *d2tau_dqdv,
                                                        double *d2tau_dvdv, double *d2tau_dqda);
/* What jn_forward_dynamics_derivatives() gave at a state; its second derivatives start from there. None may be NULL. */
typedef struct jn_forward_solution {
  const double *a;                       /* [nv] */
  const double *da_dq, *da_dv, *da_dtau; /* [nv x nv] */
} jn_forward_solution;

/* Outputs of jn_forward_dynamics_derivatives_along(): derivatives by s of da_dq, da_dv and da_dtau = M^-1. d2a_dsdtau
 * must not be NULL. */
typedef struct jn_forward_derivatives_along {
  double *d2a_dsdq, *d2a_dsdv, *d2a_dsdtau; /* [nv x nv] */
} jn_forward_derivatives_along;

/* Outputs of jn_forward_dynamics_second_derivatives(): entry [h][i][k] of d2a_dqdv is d2 a_i / dq_h dv_k, and so on.
 * All other second derivatives are zero. The three by q must all be there or all be NULL; d2a_dvdv needs
 * room. */
typedef struct jn_forward_second_derivatives {
  double *d2a_dqdq, *d2a_dqdv, *d2a_dqdtau, *d2a_dvdv; /* [nv x nv x nv] */
  double *room;                                        /* [nv x nv x nv] scratch */
} jn_forward_second_derivatives;

/* Second derivatives of forward dynamics along one direction, from the solution at the state. O(nv^3). */
JN_API jn_status jn_forward_dynamics_derivatives_along(const jn_model *model, jn_work *work, const double *q,
                                                       const double *v, const double *wrench, jn_representation hold,
                                                       const jn_forward_solution *at, const jn_direction *along,
                                                       const jn_forward_derivatives_along *out);
/* All second derivatives of forward dynamics, from the solution at the state. O(nv^4). */
JN_API jn_status jn_forward_dynamics_second_derivatives(const jn_model *model, jn_work *work, const double *q,
                                                        const double *v, const double *wrench, jn_representation hold,
                                                        const jn_forward_solution *at,
                                                        const jn_forward_second_derivatives *out);

/* ---- matrices ---- */

/* Of the mass matrix: dM_dq [nv x nv x nv]. O(n d^2). [garofalo2013 eq. 24a] */
JN_API jn_status jn_mass_matrix_derivative(const jn_model *model, jn_work *work, const double *q, double *dM_dq);
/* Of its inverse: dMinv_dq [nv x nv x nv], dMinv_dq[h] = -M^-1 dM/dq_h M^-1; Minv [nv x nv] gets M^-1. O(nv^3 d).
 * Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_matrix_inverse_derivative(const jn_model *model, jn_work *work, const double *q, double *Minv,
                                                   double *dMinv_dq);
/* dC_dq, dC_dv [nv x nv x nv] of the C of jn_coriolis_matrix(). O(n d^2). [garofalo2013 eqs. 24b, 24c] */
JN_API jn_status jn_coriolis_matrix_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                double *dC_dq, double *dC_dv);
/* dMdot_dq, dMdot_dv [nv x nv x nv] of Mdot = dM/dt along v. O(nv^3): its entries. */
JN_API jn_status jn_mass_matrix_rate_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 double *dMdot_dq, double *dMdot_dv);
/* dg_dq [nv x nv] of the gravity forces, symmetric unless there are spherical or free joints. O(n d). [garofalo2013 eq.
 * 24d] */
JN_API jn_status jn_gravity_forces_derivative(const jn_model *model, jn_work *work, const double *q, double *dg_dq);

/* ---- kinematics ---- */

/* dJ_dq, dJdot_dq, dJdot_dv [nv x 6 x nv] of the J and Jdot of jn_frame_jacobian() and jn_frame_jacobian_rate(), the
 * direction first: dJ_dq[h] = dJ/dq_h, dJdot_dq[h] = dJdot/dq_h, and dJdot_dv[h] = dJdot/dv_h, which has the numbers of
 * dJ_dq, as J does not depend on v. O(n) and the entries. [garofalo2013 eqs. 30-32] */
JN_API jn_status jn_frame_jacobian_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                               const double *q, const double *v, double *dJ_dq, double *dJdot_dq,
                                               double *dJdot_dv);
/* dV_dq [6 x nv] of the twist V that jn_frame_twist() gives. Its derivative by v is J. dV_dq must not be NULL. O(n). */
JN_API jn_status jn_frame_twist_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                            const double *q, const double *v, double *dV_dq);
/* dA_dq, dA_dv [6 x nv] of the acceleration A that jn_frame_acceleration() gives. Its derivative by a is J. O(n). */
JN_API jn_status jn_frame_acceleration_derivatives(const jn_model *model, jn_work *work, int frame,
                                                   jn_representation in, const double *q, const double *v,
                                                   const double *a, double *dA_dq, double *dA_dv);
/* dh_dq [6 x nv] of the momentum h that jn_momentum() gives. Its derivative by v is jn_momentum_matrix(). dh_dq must
 * not be NULL. O(n). Errors: JN_ERR_INDEX (about). */
JN_API jn_status jn_momentum_derivative(const jn_model *model, jn_work *work, jn_about about, const double *q,
                                        const double *v, double *dh_dq);
/* dc_dq, dcdot_dq, dcddot_dq, dcddot_dv [3 x nv] of the centre of mass c of all that moves, its velocity cdot and its
 * acceleration cddot, as jn_center_of_mass() gives them for JN_WORLD. dc_dq is J of jn_com_jacobian(), and so are the
 * derivatives of cdot by v and of cddot by a. O(n). */
JN_API jn_status jn_center_of_mass_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                               const double *a, double *dc_dq, double *dcdot_dq, double *dcddot_dq,
                                               double *dcddot_dv);

/* ---- time derivatives ---- */

/* D [(K+1) x (K+3) x nv x nv]: D[k][0] = d tau^(k) / dq, D[k][1+j] = d tau^(k) / d v^(j), j = 0 ... K+1 (zero for j > k
 * + 1), of tau_jet by q and the rows of v_jet; so for joints whose velocity is their rate D[k][j] = d tau^(k) / d
 * q^(j). Wrenches are held in the body. D must not be NULL; work of order K. O(n d K^2 + nv^2 K^2), with spherical or
 * free joints O(nv^2 K^3). */
JN_API jn_status jn_inverse_dynamics_jet_derivatives(const jn_model *model, jn_work *work, int order, const double *q,
                                                     const double *v_jet, const double *wrench_jet, double *D);

#ifdef __cplusplus
}
#endif
#endif
