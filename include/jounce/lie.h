/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/lie.h: rotations, rigid displacements, twists, wrenches, inertias.
 * Tier: stable (docs/stability.md).
 *
 * R [9] rotation, row-major. T [16] pose, 4x4 row-major. V, X [6] twist (angular, linear) [rad/s, m/s].
 * F [6] wrench (moment, force) [N m, N]. P [10] inertial parameters (m, m rx, m ry, m rz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz)
 * about the frame's origin [kg, kg m, kg m^2]. Q [4] quaternion x, y, z, w. With T = T_ab the pose of frame b in a:
 *   V_a = Ad_T V_b,   F_b = Ad_T^T F_a,   ad_V = [[w] 0; [v] [w]],   Ad_T = [R 0; [p]R R]   (kim2012 eqs. 9-21).
 * Everything is O(1), does not allocate, and may be called from any thread. Outputs may not overlap inputs.
 * Errors: JN_ERR_NULL, JN_ERR_VARIANT. NaN in gives NaN out. */
#ifndef JOUNCE_LIE_H
#define JOUNCE_LIE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* R = exp([w]), and w = log R with |w| <= pi: accurate to rounding at zero, for small angles and at pi. */
JN_API jn_status jn_so3_exp(const double w[3], double R[9]);
JN_API jn_status jn_so3_log(const double R[9], double w[3]);
/* Differential L of exp: dR R^T = [L dw] (left), R^T dR = [L dw] (right); and the inverses of L (singular at |w| = 2
 * pi). */
JN_API jn_status jn_so3_dexp_left(const double w[3], double L[9]);
JN_API jn_status jn_so3_dexp_right(const double w[3], double L[9]);
JN_API jn_status jn_so3_dexp_left_inverse(const double w[3], double L[9]);
JN_API jn_status jn_so3_dexp_right_inverse(const double w[3], double L[9]);

/* The same for SE(3): T = exp(X); dT T^-1 = L dX (left), T^-1 dT = L dX (right); L [36] is 6x6 row-major. */
JN_API jn_status jn_se3_exp(const double X[6], double T[16]);
JN_API jn_status jn_se3_log(const double T[16], double X[6]);
JN_API jn_status jn_se3_dexp_left(const double X[6], double L[36]);
JN_API jn_status jn_se3_dexp_right(const double X[6], double L[36]);
JN_API jn_status jn_se3_dexp_left_inverse(const double X[6], double L[36]);
JN_API jn_status jn_se3_dexp_right_inverse(const double X[6], double L[36]);

/* C = A B, and C = A^-1 (as a rigid displacement: R^T, -R^T p). */
JN_API jn_status jn_se3_multiply(const double A[16], const double B[16], double C[16]);
JN_API jn_status jn_se3_inverse(const double A[16], double C[16]);

/* The 6x6 matrices Ad_T and ad_V; their transposes are Ad*_T and ad*_V. */
JN_API jn_status jn_adjoint_matrix(const double T[16], double Ad[36]);
JN_API jn_status jn_bracket_matrix(const double V[6], double ad[36]);
/* Ad_T V;  Ad_T^T F;  [A, B] = ad_A B;  ad_V^T F. */
JN_API jn_status jn_twist_transform(const double T[16], const double V[6], double out[6]);
JN_API jn_status jn_wrench_transform(const double T[16], const double F[6], double out[6]);
JN_API jn_status jn_twist_bracket(const double A[6], const double B[6], double out[6]);
JN_API jn_status jn_wrench_bracket(const double V[6], const double F[6], double out[6]);

/* The 6x6 inertia I = [J [h]; -[h] m E]; the momentum I V; the parameters in frame a of an inertia given in frame b. */
JN_API jn_status jn_inertia_matrix(const double P[10], double I[36]);
JN_API jn_status jn_inertia_multiply(const double P[10], const double V[6], double out[6]);
JN_API jn_status jn_inertia_transform(const double T[16], const double P[10], double out[10]);

/* Conversions. Quaternions need not have unit length (they are normalised); jn_rotation_to_quaternion() gives w >= 0.
 * rpy = (roll, pitch, yaw), R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF; jn_rotation_to_rpy() gives |pitch| <= pi/2.
 * axis_angle = (unit axis, angle); jn_rotation_to_axis_angle() gives 0 <= angle <= pi, and the axis (1, 0, 0) for no
 * rotation. */
JN_API jn_status jn_quaternion_to_rotation(const double Q[4], double R[9]);
JN_API jn_status jn_rotation_to_quaternion(const double R[9], double Q[4]);
JN_API jn_status jn_quaternion_multiply(const double A[4], const double B[4], double C[4]);
JN_API jn_status jn_rpy_to_rotation(const double rpy[3], double R[9]);
JN_API jn_status jn_rotation_to_rpy(const double R[9], double rpy[3]);
JN_API jn_status jn_axis_angle_to_rotation(const double axis_angle[4], double R[9]);
JN_API jn_status jn_rotation_to_axis_angle(const double R[9], double axis_angle[4]);

#ifdef __cplusplus
}
#endif
#endif
