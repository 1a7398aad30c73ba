/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/kinematics.h: poses, twists, accelerations, Jacobians of links and frames; centre of mass; momentum.
 * Tier: stable (docs/stability.md).
 *
 * A frame is a link (its index) or a named frame (jn_frame_index). q [nq], v, a [nv]; v or a NULL means zero.
 * Links fixed to the world do not move and are left out of centre of mass and momentum. Momentum about the centre of
 * mass is NaN if there is no moving mass. No function allocates; each thread needs its own work. Outputs are written
 * completely; pass NULL for outputs you do not need. Errors of all: JN_ERR_NULL, JN_ERR_INDEX, JN_ERR_WORK,
 * JN_ERR_VARIANT.
 */
#ifndef JOUNCE_KINEMATICS_H
#define JOUNCE_KINEMATICS_H

#include "configuration.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the six numbers (angular, linear) of a frame's twist, acceleration or Jacobian are expressed:
 *   body     in the frame's own axes, linear part: velocity of its origin
 *   world    in the world's axes, linear part: velocity of the point of the body that passes the world's origin
 *            (the spatial twist Ad_T V)
 *   aligned  in the world's axes, linear part: velocity of the frame's origin
 * An acceleration is the time derivative of these six numbers. In the aligned representation its linear part is the
 * acceleration of the frame's origin relative to the world. */
typedef enum jn_representation { JN_IN_BODY = 0, JN_IN_WORLD = 1, JN_IN_ALIGNED = 2 } jn_representation;

/* T [16]: pose of a frame in the world. O(depth). */
JN_API jn_status jn_frame_pose(const jn_model *model, jn_work *work, int frame, const double *q, double *T);
/* V [6]: twist of a frame. O(depth). */
JN_API jn_status jn_frame_twist(const jn_model *model, jn_work *work, int frame, jn_representation in, const double *q,
                                const double *v, double *V);
/* A [6]: d/dt of the twist, J a + dJ/dt v, without gravity. a NULL gives dJ/dt v. O(depth). */
JN_API jn_status jn_frame_acceleration(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                       const double *q, const double *v, const double *a, double *A);
/* J [6 x nv]: V = J v (garofalo2013 sec. II). O(depth), plus writing the zeros. */
JN_API jn_status jn_frame_jacobian(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                   const double *q, double *J);
/* Jdot [6 x nv] = dJ/dt along v (garofalo2013 eq. 28). */
JN_API jn_status jn_frame_jacobian_rate(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                        const double *q, const double *v, double *Jdot);
/* All frames at once: T [nframe x 16], J and Jdot [nframe x 6 x nv], nframe = jn_frame_count(). */
JN_API jn_status jn_frame_poses(const jn_model *model, jn_work *work, const double *q, double *T);
JN_API jn_status jn_frame_jacobians(const jn_model *model, jn_work *work, jn_representation in, const double *q,
                                    double *J);
JN_API jn_status jn_frame_jacobian_rates(const jn_model *model, jn_work *work, jn_representation in, const double *q,
                                         const double *v, double *Jdot);
/* J [6 x nv]: the space Jacobian, the screws of all joints at q, in the world's axes about its origin:
 * J = [Ad_{T_i} S_i], where i is the body that the coordinate moves. For any frame, the columns of the joints between
 * it and the world are jn_frame_jacobian(JN_IN_WORLD), so its twist is J v with only these columns; Ad_{T^-1} times
 * them is its Jacobian in body axes, T being its pose. The column of a coordinate that moves several (coupled) joints
 * is the sum of their screws. O(n).
 * Jdot [6 x nv]: its rate along v, [Ad_{T_i} (dS_i/dt + ad_{V_i} S_i)]. */
JN_API jn_status jn_space_jacobian(const jn_model *model, jn_work *work, const double *q, double *J);
JN_API jn_status jn_space_jacobian_rate(const jn_model *model, jn_work *work, const double *q, const double *v,
                                        double *Jdot);

/* c, cdot, cddot [3]: centre of mass of the subtree of `link`, or of all moving links for JN_WORLD, in the world frame;
 * its velocity and acceleration. NaN if there is no mass. O(n). */
JN_API jn_status jn_center_of_mass(const jn_model *model, jn_work *work, int link, const double *q, const double *v,
                                   const double *a, double *c, double *cdot, double *cddot);
/* J [3 x nv]: cdot = J v (garofalo2013 eq. 7). O(n). */
JN_API jn_status jn_com_jacobian(const jn_model *model, jn_work *work, int link, const double *q, double *J);

/* The reference point of momentum. The axes are always the world's. */
typedef enum jn_about { JN_ABOUT_ORIGIN = 0, JN_ABOUT_COM = 1 } jn_about;

/* inertia [10]: all moving links with their joints locked, as one rigid body (the composite or locked inertia): m, m c,
 * Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg, kg m, kg m^2], as in lie.h, in the world's axes; m c is zero about the centre of
 * mass. If all links move with one twist V in the world's frame, the momentum about its origin is I V. O(n). Errors:
 * JN_ERR_INDEX (about). */
JN_API jn_status jn_composite_inertia(const jn_model *model, jn_work *work, jn_about about, const double *q,
                                      double *inertia);

/* h [6]: spatial momentum (angular, linear) of all moving links. About the centre of mass it is the centroidal
 * momentum. O(n). */
JN_API jn_status jn_momentum(const jn_model *model, jn_work *work, jn_about about, const double *q, const double *v,
                             double *h);
/* A [6 x nv]: h = A v. Adot [6 x nv]: its rate along v, so that dh/dt = A a + Adot v. O(n). */
JN_API jn_status jn_momentum_matrix(const jn_model *model, jn_work *work, jn_about about, const double *q, double *A);
JN_API jn_status jn_momentum_matrix_rate(const jn_model *model, jn_work *work, jn_about about, const double *q,
                                         const double *v, double *Adot);

#ifdef __cplusplus
}
#endif
#endif
