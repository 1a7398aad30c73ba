/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/regressor.h: derivatives with respect to the inertial parameters.
 * Tier: stable (docs/stability.md).
 *
 * pi [10 L] stacks the ten parameters of all L links as given in the file, in link frames: m, h = m c, and Jxx, Jyy,
 * Jzz, Jxy, Jxz, Jyz about the frame's origin. Links that are fixed to others keep their own ten parameters; those of
 * links fixed to the world have no effect. Forces, energies, momentum and wrenches are linear in pi, so their
 * regressors Y do not depend on it, and Y pi is the quantity itself, without the contributions of armature (columns of
 * jn_joint_regressor()) and joint springs (jn_spring_forces()). v, a NULL: zero. No function allocates. To get pi, or a
 * model with another pi: jn_parameters(), jn_model_with_parameters(). Errors of all: JN_ERR_NULL, JN_ERR_WORK,
 * JN_ERR_VARIANT, JN_ERR_SIZE, JN_ERR_INDEX. Mathematics: docs/regressors.md. [garofalo2013 sec. III] */
#ifndef JOUNCE_REGRESSOR_H
#define JOUNCE_REGRESSOR_H

#include "sensitivity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The regressor Y [nv x 10L] of inverse dynamics: tau = Y pi + armature a. O(n d). */
JN_API jn_status jn_regressor(const jn_model *model, jn_work *work, const double *q, const double *v, const double *a,
                              double *Y);
/* Slotine and Li's regressor Y [nv x 10L]: Y pi = M a_r + C v_r + g, v_r and a_r [nv], with the passive C of
 * jn_coriolis_matrix() at v (armature as above). O(n d). [garofalo2013 eqs. 15, 16] */
JN_API jn_status jn_slotine_li_regressor(const jn_model *model, jn_work *work, const double *q, const double *v,
                                         const double *v_r, const double *a_r, double *Y);
/* The same without gravity, Y [nv x 10L]: Y pi = M x + C y, x and y [nv]; so the columns of Y for y = 0 are those of
 * (dM/dpi) x, and for x = 0 those of (dC/dpi) y. */
JN_API jn_status jn_inertia_regressor(const jn_model *model, jn_work *work, const double *q, const double *v,
                                      const double *y, const double *x, double *Y);
/* Y [nv x 10L] of the gravity forces: g = Y pi. */
JN_API jn_status jn_gravity_regressor(const jn_model *model, jn_work *work, const double *q, double *Y);
/* Y [2 x 10L]: of the kinetic (without armature) and the potential energy. */
JN_API jn_status jn_energy_regressor(const jn_model *model, jn_work *work, const double *q, const double *v, double *Y);
/* Y [6 x 10L]: of the momentum about the world's origin. */
JN_API jn_status jn_momentum_regressor(const jn_model *model, jn_work *work, const double *q, const double *v,
                                       double *Y);
/* Y [6 x 10L]: of the wrench through the joint of a link, in the link's frame, as in jn_joint_wrenches() (without
 * external wrenches). */
JN_API jn_status jn_joint_wrench_regressor(const jn_model *model, jn_work *work, int link, const double *q,
                                           const double *v, const double *a, double *Y);
/* Y [nv x 4 nv]: columns for armature, viscous friction, Coulomb friction and offset of each coordinate, in blocks of
 * nv in this order: diag(a), diag(v), diag(sign v), 1. */
JN_API jn_status jn_joint_regressor(const jn_model *model, const double *v, const double *a, double *Y);
/* Y [(K+1) x nv x 10L] and its time derivatives along the motion (jets.h): d^k tau/dt^k = Y^(k) pi + armature v^(k+1).
 * The work must be made for order K. O(n d^2 K^2). */
JN_API jn_status jn_regressor_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                                  double *Y_jet);

/* ---- derivatives ---- */

/* dM_dpi, dC_dpi [10L x nv x nv], with the parameter as first index; dg_dpi [nv x 10L]. Outputs may be NULL. O(n d^2).
 * [garofalo2013 eq. 13] */
JN_API jn_status jn_parameter_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                          double *dM_dpi, double *dC_dpi, double *dg_dpi);
/* a [nv]: forward dynamics; da_dpi [nv x 10L] = -M^-1 Y. O(nv n) for each link. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_forward_dynamics_parameter_derivatives(const jn_model *model, jn_work *work, const double *q,
                                                           const double *v, const double *tau, const double *wrench,
                                                           double *a, double *da_dpi);
/* a_out, tau_out [nv]: hybrid dynamics; da_dpi, dtau_dpi [nv x 10L]. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_hybrid_dynamics_parameter_derivatives(const jn_model *model, jn_work *work,
                                                          const unsigned char *prescribed, const double *q,
                                                          const double *v, const double *a, const double *tau,
                                                          const double *wrench, double *a_out, double *tau_out,
                                                          double *da_dpi, double *dtau_dpi);

#ifdef __cplusplus
}
#endif
#endif
