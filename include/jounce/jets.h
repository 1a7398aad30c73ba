/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/jets.h: time derivatives of any order.
 *
 * A jet of order K of x is the (K+1) x n row-major array of x, dx/dt, d^2x/dt^2, ...: plain derivatives, not divided by
 * k!. A motion is given by q [nq] and the jet of order K+1 of the velocity, v_jet [(K+2) x nv]: v, dv/dt = a, da/dt,
 * ... For coordinates whose velocity is their rate these are dq/dt ... d^(K+2)q/dt^(K+2); for spherical and free joints
 * they are the body's angular velocity or twist and its derivatives. tau_jet [(K+1) x nv]. wrench_jet [(K+1) x nlink x
 * 6]: external wrenches on the links, in link frames, and the derivatives of these numbers; NULL: none. Method:
 * kumar2021 by polynomials of time, docs/jets.md. Work memory must be made for the order, jn_work_create_order(). No
 * function allocates.
 *
 * Accuracy: to rounding for moderate orders (order 8 of random trees within 2e-12). jn_inverse_dynamics_jet() loses
 * digits as (speeds of the joints, there and back / speed of the result)^K: a planar arm that turns at constant speed
 * is off by 1e-10 at order 20, 1e-6 at 30, and has no digit left at 50 (in float: 1e-3 at order 20, 4e-2 at 30). Beyond
 * order 16 or so the closed form, jn_rate_matrices() with jn_gravity_forces_jet(), is the better one. Factorials leave
 * the range of double after order 170 (float: 34), long after the digits are gone. Measured in docs/jets.md.
 *
 * Errors of all: JN_ERR_NULL, JN_ERR_SIZE (order < 0), JN_ERR_WORK (work made for a lower order or another model),
 * JN_ERR_ROW. */
#ifndef JOUNCE_JETS_H
#define JOUNCE_JETS_H

#include "dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Work memory that also serves jets up to `order`; all other functions take it too. Bytes grow as order * n, and as
 * nv^2 (factors of M for forward dynamics). Any order has memory, but not any order has digits: see above. */
JN_API jn_status jn_work_create_order(const jn_model *model, int order, jn_work **work);
JN_API size_t jn_work_size_order(const jn_model *model, int order);
JN_API jn_status jn_work_init_order(const jn_model *model, int order, void *memory, size_t bytes, jn_work **work);

/* Inverse dynamics: tau_jet [(K+1) x nv] = tau, dtau/dt, ..., d^K tau/dt^K along the motion. O(n K^2). [kumar2021 eqs.
 * 14-20] */
JN_API jn_status jn_inverse_dynamics_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                         const double *v_jet, const double *wrench_jet, double *tau_jet);
/* Forward dynamics: the motion that the forces and their derivatives make, v_jet [(K+2) x nv], its first row v. O(n
 * K^2), and O(nv^3) once where coordinates are coupled. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_forward_dynamics_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                         const double *v, const double *tau_jet, const double *wrench_jet,
                                         double *v_jet);
/* Hybrid dynamics: coordinates with prescribed[i] != 0 (nv bytes) have rows 1 ... K+1 of v_jet given, the others their
 * tau_jet; row 0 of v_jet is given for all. v_out [(K+2) x nv] and tau_out [(K+1) x nv] are complete; tau_out may be
 * NULL. Errors: JN_ERR_SINGULAR. */
JN_API jn_status jn_hybrid_dynamics_jet(const jn_model *model, jn_work *work, int order,
                                        const unsigned char *prescribed, const double *q, const double *v_jet,
                                        const double *tau_jet, const double *wrench_jet, double *v_out,
                                        double *tau_out);

/* Closed form: M, dM/dt, ..., d^K M/dt^K along the motion, M_jet [(K+1) x nv x nv]; likewise C (which also needs row K
 * of v_jet; all K+2 rows are read) and the gravity forces, g_jet [(K+1) x nv]. Every d^kM/dt^k is symmetric, and
 * d^k/dt^k (dM/dt - 2 C) skew. O(n d K^2). [garofalo2013 eq. 25; mueller2021 secs. 3-5; kumar2021 eqs. 43-47] */
JN_API jn_status jn_mass_matrix_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                    const double *v_jet, double *M_jet);
JN_API jn_status jn_coriolis_matrix_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                        const double *v_jet, double *C_jet);
JN_API jn_status jn_gravity_forces_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                       const double *v_jet, double *g_jet);
/* Of all that moves, with time derivatives: spatial momentum about the world's origin h_jet [(K+1) x 6], centre of mass
 * com_jet [(K+1) x 3] (NaN without mass), kinetic and potential energy energy_jet [(K+1) x 2]. O(n K^2). */
JN_API jn_status jn_momentum_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                                 double *h_jet);
JN_API jn_status jn_center_of_mass_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                       const double *v_jet, double *com_jet);
JN_API jn_status jn_energy_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                               double *energy_jet);
/* Twist of a frame and its derivatives, twist_jet [(K+1) x 6]; its Jacobian and the derivatives of that, J_jet [(K+1) x
 * 6 x nv]; in the frame's own axes. O(d^2 K^2) and O(n K^2). Errors: JN_ERR_INDEX. */
JN_API jn_status jn_frame_twist_jet(const jn_model *model, jn_work *work, int order, int frame, const double *q,
                                    const double *v_jet, double *twist_jet);
JN_API jn_status jn_frame_jacobian_jet(const jn_model *model, jn_work *work, int order, int frame, const double *q,
                                       const double *v_jet, double *J_jet);

/* Screws of a joint and their derivatives, S_jet [(K+1) x 6 x nv_joint], in the link's frame: constant unless the joint
 * is a product of several screws. A fixed joint has none, and S_jet is not written. Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_jacobian_jet(const jn_model *model, jn_work *work, int order, int link, const double *q,
                                       const double *v_jet, double *S_jet);
/* The system matrices of the closed form over all L links in their own frames, each NULL if not wanted: A_jet [(K+1) x
 * 6L x 6L], blocks Ad_{T_ij} where j is i or an ancestor of it; joint_twist_jet [(K+1) x L x 6], S v of each joint,
 * whose ad are the blocks of a; link_twist_jet [(K+1) x L x 6], likewise b; the system Jacobian J_jet [(K+1) x 6L x
 * nv]. dA/dt = A a - A a A = A b - b A. O(L d^2 K^2). [kumar2021 eqs. 21-31, 39-42; mueller2021 sec. 2] */
JN_API jn_status jn_system_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                               double *A_jet, double *joint_twist_jet, double *link_twist_jet, double *J_jet);
/* P [(K+2) x nv x nv], the matrices that the derivatives of the motion have in the derivative of order K of the forces:
 *   d^K tau/dt^K = sum_{r=0}^{K+1} P_r v^(r) + d^K g/dt^K,   P_r = binom(K, r-1) M^(K+1-r) + binom(K, r) C^(K-r)
 * so P_{K+1} = M and P_0 = C^(K). O(n d K^2). [kumar2021 eq. 38, whose P_k is row k - 1] */
JN_API jn_status jn_rate_matrices(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                                  double *P);
/* sum J^T W and its derivatives, tau_jet [(K+1) x nv]: what inverse dynamics subtracts for external wrenches, which
 * must not be NULL here. O(n d K^2). [mueller2021 eqs. 34, 44] */
JN_API jn_status jn_wrench_forces_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                      const double *v_jet, const double *wrench_jet, double *tau_jet);
/* The wrench through every joint, as jn_joint_wrenches(), and its derivatives, F_jet [(K+1) x nlink x 6]; wrench_jet
 * NULL: none. O(n K^2). */
JN_API jn_status jn_joint_wrenches_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                       const double *v_jet, const double *wrench_jet, double *F_jet);

#ifdef __cplusplus
}
#endif
#endif
