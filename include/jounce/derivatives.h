/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/derivatives.h: derivatives with respect to the state.
 *
 * Derivatives with respect to q are in the tangent space: d/dq_k is the derivative along q (+) s e_k at s = 0
 * (jn_integrate), so for joints whose velocity is their rate the plain partial derivative, and for spherical and free
 * joints the one along a rotation or screw in the body's own axes. The numbers v, a, tau are held while q changes, and
 * so is the wrench: `hold` says in which form its numbers do not change, whatever it is given in (always the link's
 * frame): JN_IN_BODY (a thruster, a tool), JN_IN_ALIGNED (a weight, a cable: axes of the world, acting at the link's
 * origin), or JN_IN_WORLD (axes and origin of the world). It does not matter when wrench is NULL.
 *
 * Matrices [nv x nv] are row-major: entry (i, k) is the derivative of output i by input k. Tensors [nv x nv x nv] have
 * the direction of the last differentiation as first index: X[h][i][k] = d/dq_h of entry (i, k). Second derivatives by
 * q of spherical and free joints do not commute: d_h d_k - d_k d_h is the derivative along the bracket [e_h, e_k]. v,
 * a, tau, wrench may be NULL: zero. Outputs may be NULL unless said: not computed. n bodies, depth d. No function
 * allocates. Mathematics: docs/derivatives.md. Errors of all: JN_ERR_NULL, JN_ERR_WORK, JN_ERR_ROW, JN_ERR_SIZE,
 * JN_ERR_INDEX (hold, frame, in); JN_ERR_SINGULAR for forward and hybrid dynamics. */
#ifndef JOUNCE_DERIVATIVES_H
#define JOUNCE_DERIVATIVES_H

#include "jets.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- first derivatives ---- */

/* dtau/dq, dtau/dv, dtau/da = M [nv x nv]; dwrench [nv x nlink x 6] = -J^T, by the wrenches' numbers in the links'
 * frames. O(n d). [kim2012 Table 5; garofalo2013 eq. 24] */
JN_API jn_status jn_inverse_dynamics_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 const double *a, const double *wrench, jn_representation hold,
                                                 double *dq, double *dv, double *da, double *dwrench);
/* a [nv] = forward dynamics; da/dq, da/dv, da/dtau = M^-1 [nv x nv], da/dwrench [nv x nlink x 6]. a and dtau must not
 * be NULL. O(nv^2); O(nv n d) when coordinates are coupled or wrenches are held in the world's axes. [kim2012 Table 6]
 */
JN_API jn_status jn_forward_dynamics_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 const double *tau, const double *wrench, jn_representation hold,
                                                 double *a, double *dq, double *dv, double *dtau, double *dwrench);

/* Outputs of jn_hybrid_dynamics_derivatives(). `given` stands for what is given of each coordinate: column k is for a_k
 * if that is prescribed, for tau_k if not. Rows are complete: what is given has derivative one by itself, zero by all
 * else. da_x and dtau_x are wanted both or not at all; a, tau, da_dgiven, dtau_dgiven must not be NULL. */
typedef struct jn_hybrid_derivatives {
  double *a, *tau;                   /* [nv] as jn_hybrid_dynamics() */
  double *da_dq, *dtau_dq;           /* [nv x nv] */
  double *da_dv, *dtau_dv;           /* [nv x nv] */
  double *da_dgiven, *dtau_dgiven;   /* [nv x nv] */
  double *da_dwrench, *dtau_dwrench; /* [nv x nlink x 6] */
} jn_hybrid_derivatives;

/* O(nv n d + nv^3). [kim2012 Table 7] */
JN_API jn_status jn_hybrid_dynamics_derivatives(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                                const double *q, const double *v, const double *a, const double *tau,
                                                const double *wrench, jn_representation hold,
                                                const jn_hybrid_derivatives *out);

/* ---- second derivatives ---- */

/* Along one direction (dq, dv, da; NULL: zero): the change dtau [nv] of the forces, and ddq, ddv, dda [nv x nv] of
 * dtau/dq, dtau/dv, M. These are the products of all second derivatives with a vector, without the tensors. O(n d). */
JN_API jn_status jn_inverse_dynamics_derivatives_along(const jn_model *model, jn_work *work, const double *q,
                                                       const double *v, const double *a, const double *wrench,
                                                       jn_representation hold, const double *dq, const double *dv,
                                                       const double *da, double *dtau, double *ddq, double *ddv,
                                                       double *dda);
/* Tensors [nv x nv x nv]: qq[h][i][k] = d2 tau_i / dq_h dq_k, qv[h][i][k] = d2 tau_i / dq_h dv_k, vv[h][i][k] = d2
 * tau_i / dv_h dv_k, qa[h][i][k] = d2 tau_i / dq_h da_k = dM_ik/dq_h. All others are zero. O(n d^2), or O(nv n d) with
 * wrenches that are held in the world's axes. */
JN_API jn_status jn_inverse_dynamics_second_derivatives(const jn_model *model, jn_work *work, const double *q,
                                                        const double *v, const double *a, const double *wrench,
                                                        jn_representation hold, double *qq, double *qv, double *vv,
                                                        double *qa);
/* Forward dynamics along (dq, dv, dtau): the changes ddq, ddv, ddtau [nv x nv] of da/dq, da/dv, da/dtau. a [nv], dadq,
 * dadv, dadtau [nv x nv] (none NULL) are what jn_forward_dynamics_derivatives() gave at the same state. ddtau must not
 * be NULL. O(nv^3). */
JN_API jn_status jn_forward_dynamics_derivatives_along(const jn_model *model, jn_work *work, const double *q,
                                                       const double *v, const double *a, const double *wrench,
                                                       jn_representation hold, const double *dadq, const double *dadv,
                                                       const double *dadtau, const double *dq, const double *dv,
                                                       const double *dtau, double *ddq, double *ddv, double *ddtau);
/* Tensors [nv x nv x nv]: qq[h][i][k] = d2 a_i / dq_h dq_k, qv[h][i][k] = d2 a_i / dq_h dv_k, qtau[h][i][k] = d2 a_i /
 * dq_h dtau_k, vv[h][i][k] = d2 a_i / dv_h dv_k. All others are zero. qq, qv, qtau are wanted together or not at all;
 * room [nv x nv x nv] must be there when vv is wanted. Inputs as before. O(nv^4). */
JN_API jn_status jn_forward_dynamics_second_derivatives(const jn_model *model, jn_work *work, const double *q,
                                                        const double *v, const double *a, const double *wrench,
                                                        jn_representation hold, const double *dadq, const double *dadv,
                                                        const double *dadtau, double *qq, double *qv, double *qtau,
                                                        double *vv, double *room);

/* ---- matrices ---- */

/* dM/dq [nv x nv x nv]. O(n d^2). [garofalo2013 eq. 24a] */
JN_API jn_status jn_mass_matrix_derivative(const jn_model *model, jn_work *work, const double *q, double *dM);
/* dM^-1/dq [nv x nv x nv] = -M^-1 dM M^-1; Minv [nv x nv] gets M^-1. O(nv^4). Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_mass_matrix_inverse_derivative(const jn_model *model, jn_work *work, const double *q, double *Minv,
                                                   double *dMinv);
/* dC/dq, dC/dv [nv x nv x nv] of the C of jn_coriolis_matrix(). O(nv n d). [garofalo2013 eqs. 24b, 24c] */
JN_API jn_status jn_coriolis_matrix_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                double *dq, double *dv);
/* The same for dM/dt along v. */
JN_API jn_status jn_mass_matrix_rate_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 double *dq, double *dv);
/* dg/dq [nv x nv], symmetric unless there are spherical or free joints. O(n d). [garofalo2013 eq. 24d] */
JN_API jn_status jn_gravity_forces_derivative(const jn_model *model, jn_work *work, const double *q, double *dg);

/* ---- kinematics ---- */

/* Tensors [nv x 6 x nv] of the J and dJ/dt of jn_frame_jacobian() and jn_frame_jacobian_rate(), the direction first:
 * dJ_dq[h] = dJ/dq_h, dJdot_dq[h] = d(dJ/dt)/dq_h, and dJdot_dv[h] = d(dJ/dt)/dv_h, which has the numbers of dJ_dq: J
 * does not depend on v. O(n) and the entries. [garofalo2013 eqs. 30-32] */
JN_API jn_status jn_frame_jacobian_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                               const double *q, const double *v, double *dJ_dq, double *dJdot_dq,
                                               double *dJdot_dv);
/* Of the twist that jn_frame_twist() gives: dq [6 x nv]. Its derivative by v is J. dq must not be NULL. O(n). */
JN_API jn_status jn_frame_twist_derivatives(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                            const double *q, const double *v, double *dq);
/* Of the acceleration that jn_frame_acceleration() gives: dq, dv [6 x nv]. Its derivative by a is J. O(n). */
JN_API jn_status jn_frame_acceleration_derivatives(const jn_model *model, jn_work *work, int frame,
                                                   jn_representation in, const double *q, const double *v,
                                                   const double *a, double *dq, double *dv);
/* Of the momentum that jn_momentum() gives: dq [6 x nv]. Its derivative by v is jn_momentum_matrix(). dq must not be
 * NULL. O(n). Errors: JN_ERR_INDEX (about). */
JN_API jn_status jn_momentum_derivative(const jn_model *model, jn_work *work, jn_about about, const double *q,
                                        const double *v, double *dq);
/* Of the c, dc, ddc that jn_center_of_mass() gives for all that moves, [3 x nv]: dc_dq = J of jn_com_jacobian(),
 * ddc_dq of the velocity dc, dddc_dq and dddc_dv of the acceleration ddc. Those of dc by v and of ddc by a are J, too.
 * O(n). */
JN_API jn_status jn_center_of_mass_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                               const double *a, double *dc_dq, double *ddc_dq, double *dddc_dq,
                                               double *dddc_dv);

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
