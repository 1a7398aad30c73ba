/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/jets.h: time derivatives of any order.
 * Tier: stable (docs/stability.md).
 *
 * A jet of order K of x [n] is the row-major array [(K+1) x n] of x, dx/dt, d^2x/dt^2, ...: plain derivatives, not
 * divided by k!. A motion is given by q [nq] and the jet of order K+1 of the velocity, v_jet [(K+2) x nv]: v, dv/dt =
 * a, da/dt, ... For coordinates whose velocity is their rate these are dq/dt ... d^(K+2)q/dt^(K+2); for spherical and
 * free joints they are the body's angular velocity or twist and its derivatives. tau_jet [(K+1) x nv]. wrench_jet
 * [(K+1) x nlink x 6]: external wrenches on the links, in link frames, and the time derivatives of these numbers; NULL:
 * none. Method: kumar2021 on polynomials in time, see docs/jets.md. Create work memory for the order with
 * jn_work_create_order(). No function allocates.
 *
 * Accuracy: to rounding for moderate orders (within 2e-12 at order 8 for random trees). The rounding errors of
 * jn_inverse_dynamics_jet() grow as (sum of the joint speeds over both sweeps / speed of the result)^K: for a planar
 * arm that turns at constant speed the error is 1e-10 at order 20, 1e-6 at 30, and no digit is correct at 50 (in float:
 * 1e-3 at order 20, 4e-2 at 30). Beyond order 16 or so the closed form, jn_rate_matrices() with
 * jn_gravity_forces_jet(), is more accurate. Factorials leave the range of double after order JN_MAX_ORDER (float: 34),
 * long after the digits are gone. Measured in docs/jets.md.
 *
 * Errors of all: JN_ERR_NULL, JN_ERR_SIZE (order < 0 or above JN_MAX_ORDER), JN_ERR_WORK (work made for a lower order
 * or another model), JN_ERR_VARIANT. */
#ifndef JOUNCE_JETS_H
#define JOUNCE_JETS_H

#include "dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The highest order of jets: 171! is beyond the range of double. High orders lose accuracy before: see above. */
#define JN_MAX_ORDER 170
/* Work memory for jets up to `order`, 0 ... JN_MAX_ORDER; all other functions accept it, too. Its size grows with order
 * * n and with nv^2 (factors of M for forward dynamics); it is 0 for an order that cannot be. Errors: JN_ERR_NULL,
 * JN_ERR_SIZE (order, bytes), JN_ERR_MEMORY. */
JN_API jn_status jn_work_create_order(const jn_model *model, int order, jn_work **work);
JN_API size_t jn_work_size_order(const jn_model *model, int order);
JN_API jn_status jn_work_init_order(const jn_model *model, int order, void *memory, size_t bytes, jn_work **work);

/* Inverse dynamics: tau_jet [(K+1) x nv] = tau, dtau/dt, ..., d^K tau/dt^K along the motion. O(n K^2). [kumar2021 eqs.
 * 14-20] */
JN_API jn_status jn_inverse_dynamics_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                         const double *v_jet, const double *wrench_jet, double *tau_jet);
/* Forward dynamics: the motion that the forces and their derivatives cause, v_jet [(K+2) x nv], whose first row is v.
 * O(n K^2), plus O(nv d^2) when coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_forward_dynamics_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                         const double *v, const double *tau_jet, const double *wrench_jet,
                                         double *v_jet);
/* Hybrid dynamics: for coordinates with prescribed[i] != 0 (nv bytes) rows 1 ... K+1 of v_jet are given, for the others
 * tau_jet; row 0 of v_jet is given for all. v_out [(K+2) x nv] and tau_out [(K+1) x nv] are written completely; tau_out
 * may be NULL. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_hybrid_dynamics_jet(const jn_model *model, jn_work *work, int order,
                                        const unsigned char *prescribed, const double *q, const double *v_jet,
                                        const double *tau_jet, const double *wrench_jet, double *v_out,
                                        double *tau_out);

/* Closed form: M, dM/dt, ..., d^K M/dt^K along the motion, M_jet [(K+1) x nv x nv]; likewise C (which also needs row K
 * of v_jet; all K+2 rows are read) and the gravity forces, g_jet [(K+1) x nv]. Every d^kM/dt^k is symmetric, and every
 * d^k/dt^k (dM/dt - 2 C) is skew-symmetric. O(n d K^2). [garofalo2013 eq. 25; mueller2021 secs. 3-5; kumar2021 eqs.
 * 43-47] */
JN_API jn_status jn_mass_matrix_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                    const double *v_jet, double *M_jet);
JN_API jn_status jn_coriolis_matrix_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                        const double *v_jet, double *C_jet);
JN_API jn_status jn_gravity_forces_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                       const double *v_jet, double *g_jet);
/* Quantities of all moving links and their time derivatives: spatial momentum about the world's origin, h_jet [(K+1) x
 * 6]; centre of mass, com_jet [(K+1) x 3] (NaN without mass); kinetic and potential energy, energy_jet [(K+1) x 2]. O(n
 * K^2). */
JN_API jn_status jn_momentum_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                                 double *h_jet);
JN_API jn_status jn_center_of_mass_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                       const double *v_jet, double *com_jet);
JN_API jn_status jn_energy_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                               double *energy_jet);
/* Twist of a frame and its derivatives, twist_jet [(K+1) x 6]; its Jacobian and the derivatives of that, J_jet [(K+1) x
 * 6 x nv]. Both are in the frame's own axes. O(d^2 K^2) and O(n K^2). Errors: JN_ERR_INDEX. */
JN_API jn_status jn_frame_twist_jet(const jn_model *model, jn_work *work, int order, int frame, const double *q,
                                    const double *v_jet, double *twist_jet);
JN_API jn_status jn_frame_jacobian_jet(const jn_model *model, jn_work *work, int order, int frame, const double *q,
                                       const double *v_jet, double *J_jet);

/* Screws of a joint and their derivatives, S_jet [(K+1) x 6 x nv_joint], in the link's frame: constant unless the joint
 * is a product of several screws. A fixed joint has none, and S_jet is not written. Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_jacobian_jet(const jn_model *model, jn_work *work, int order, int link, const double *q,
                                       const double *v_jet, double *S_jet);
/* The system matrices of the closed form over all L links in their own frames; pass NULL for those you do not need.
 * A_jet [(K+1) x 6L x 6L] has the blocks Ad_{T_ij} where j is i or an ancestor of it. joint_twist_jet [(K+1) x L x 6]
 * is S v of each joint; the ad of these twists are the diagonal blocks of a. link_twist_jet [(K+1) x L x 6] are the
 * twists of the links, likewise the blocks of b. J_jet [(K+1) x 6L x nv] is the system Jacobian. dA/dt = A a - A a A =
 * A b - b A. O(L d^2 K^2). [kumar2021 eqs. 21-31, 39-42; mueller2021 sec. 2] */
JN_API jn_status jn_system_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                               double *A_jet, double *joint_twist_jet, double *link_twist_jet, double *J_jet);
/* P [(K+2) x nv x nv], the coefficient matrices of v and its derivatives in the derivative of order K of the forces:
 *   d^K tau/dt^K = sum_{r=0}^{K+1} P_r v^(r) + d^K g/dt^K,   P_r = binom(K, r-1) M^(K+1-r) + binom(K, r) C^(K-r)
 * so P_{K+1} = M and P_0 = C^(K). O(n d K^2). [kumar2021 eq. 38, whose P_k is row k - 1] */
JN_API jn_status jn_rate_matrices(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                                  double *P);
/* sum J^T W and its derivatives, tau_jet [(K+1) x nv]: the term that inverse dynamics subtracts for external wrenches.
 * wrench_jet must not be NULL here. O(n d K^2). [mueller2021 eqs. 34, 44] */
JN_API jn_status jn_wrench_forces_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                      const double *v_jet, const double *wrench_jet, double *tau_jet);
/* The wrench through every joint, as in jn_joint_wrenches(), and its time derivatives, F_jet [(K+1) x nlink x 6];
 * wrench_jet NULL: none. O(n K^2). */
JN_API jn_status jn_joint_wrenches_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                       const double *v_jet, const double *wrench_jet, double *F_jet);

#ifdef __cplusplus
}
#endif
#endif
