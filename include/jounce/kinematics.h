/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/kinematics.h: poses, twists, accelerations, Jacobians of links and frames; centre of mass; momentum.
 *
 * A frame is a link (its index) or a named frame (jn_frame_index). q [nq], v, a [nv]; v or a NULL means zero.
 * Links fixed to the world do not move and do not count in centre of mass and momentum; about the centre of mass of
 * what has none these are NaN. No function allocates; one work for each thread. Outputs are complete; a NULL output is
 * not wanted. Errors of all: JN_ERR_NULL, JN_ERR_INDEX, JN_ERR_WORK, JN_ERR_ROW. */
#ifndef JOUNCE_KINEMATICS_H
#define JOUNCE_KINEMATICS_H

#include "configuration.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In which six numbers a frame's twist, acceleration or Jacobian is given, (angular, linear):
 *   body     in the frame's own axes, linear part: velocity of its origin
 *   world    in the world's axes, linear part: velocity of the point of the body that passes the world's origin
 *            (the spatial twist Ad_T V)
 *   aligned  in the world's axes, linear part: velocity of the frame's origin
 * An acceleration is the time derivative of these six numbers: aligned, its linear part is the acceleration of the
 * origin as a sensor at rest would see it. */
typedef enum jn_representation { JN_IN_BODY = 0, JN_IN_WORLD = 1, JN_IN_ALIGNED = 2 } jn_representation;

/* T [16]: pose of a frame in the world. O(depth). */
JN_API jn_status jn_frame_pose(const jn_model *model, jn_work *work, int frame, const double *q, double *T);
/* V [6]: twist of a frame. O(depth). */
JN_API jn_status jn_frame_twist(const jn_model *model, jn_work *work, int frame, jn_representation in, const double *q,
                                const double *v, double *V);
/* A [6]: d/dt of the twist, J a + dJ/dt v, without gravity. a NULL gives dJ/dt v. O(depth). */
JN_API jn_status jn_frame_acceleration(const jn_model *model, jn_work *work, int frame, jn_representation in,
                                       const double *q, const double *v, const double *a, double *A);
/* J [6 x nv]: V = J v (garofalo2013 sec. II). O(depth) and the zeros. */
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
/* J [6 x nv]: the space Jacobian, all joints' screws where they are now, in the world's axes about its origin:
 * J = [Ad_{T_i} S_i], i the body that a coordinate moves. The twist of any frame (JN_IN_WORLD) is J v with only the
 * columns of the joints between it and the world; these columns are jn_frame_jacobian(JN_IN_WORLD), and Ad_{T^-1} times
 * them its Jacobian in the frame T. A coordinate of coupled joints has the sum of their screws. O(n).
 * Jdot [6 x nv]: its rate along v, [Ad_{T_i} (dS_i/dt + ad_{V_i} S_i)]. */
JN_API jn_status jn_space_jacobian(const jn_model *model, jn_work *work, const double *q, double *J);
JN_API jn_status jn_space_jacobian_rate(const jn_model *model, jn_work *work, const double *q, const double *v,
                                        double *Jdot);

/* c, cdot, cddot [3]: centre of mass in the world, its velocity and acceleration, of the subtree of `link`, or of all
 * that moves for JN_WORLD. NaN when that has no mass. O(n). */
JN_API jn_status jn_center_of_mass(const jn_model *model, jn_work *work, int link, const double *q, const double *v,
                                   const double *a, double *c, double *cdot, double *cddot);
/* J [3 x nv]: cdot = J v (garofalo2013 eq. 7). O(n). */
JN_API jn_status jn_com_jacobian(const jn_model *model, jn_work *work, int link, const double *q, double *J);

/* The point that momentum is about. Axes are always the world's. */
typedef enum jn_about { JN_ABOUT_ORIGIN = 0, JN_ABOUT_COM = 1 } jn_about;

/* h [6]: spatial momentum (angular, linear) of all that moves. About the centre of mass: the centroidal momentum. O(n).
 */
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
