/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/float.h: the computing functions in single precision: jnf_x is jn_x with float in the place of double.
 * Made by script/float-header from the double headers, which say what each function does. */
#ifndef JOUNCE_FLOAT_H
#define JOUNCE_FLOAT_H

#include "configuration.h"

#ifdef __cplusplus
extern "C" {
#endif

JN_API jn_status jnf_so3_exp(const float w[3], float R[9]);
JN_API jn_status jnf_so3_log(const float R[9], float w[3]);
JN_API jn_status jnf_so3_dexp_left(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_right(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_left_inverse(const float w[3], float L[9]);
JN_API jn_status jnf_so3_dexp_right_inverse(const float w[3], float L[9]);
JN_API jn_status jnf_se3_exp(const float X[6], float T[16]);
JN_API jn_status jnf_se3_log(const float T[16], float X[6]);
JN_API jn_status jnf_se3_dexp_left(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_right(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_left_inverse(const float X[6], float L[36]);
JN_API jn_status jnf_se3_dexp_right_inverse(const float X[6], float L[36]);
JN_API jn_status jnf_se3_multiply(const float A[16], const float B[16], float C[16]);
JN_API jn_status jnf_se3_inverse(const float A[16], float C[16]);
JN_API jn_status jnf_adjoint_matrix(const float T[16], float Ad[36]);
JN_API jn_status jnf_bracket_matrix(const float V[6], float ad[36]);
JN_API jn_status jnf_twist_transform(const float T[16], const float V[6], float out[6]);
JN_API jn_status jnf_wrench_transform(const float T[16], const float F[6], float out[6]);
JN_API jn_status jnf_twist_bracket(const float A[6], const float B[6], float out[6]);
JN_API jn_status jnf_wrench_bracket(const float V[6], const float F[6], float out[6]);
JN_API jn_status jnf_inertia_matrix(const float P[10], float I[36]);
JN_API jn_status jnf_inertia_multiply(const float P[10], const float V[6], float out[6]);
JN_API jn_status jnf_inertia_transform(const float T[16], const float P[10], float out[10]);
JN_API jn_status jnf_quaternion_to_rotation(const float Q[4], float R[9]);
JN_API jn_status jnf_rotation_to_quaternion(const float R[9], float Q[4]);
JN_API jn_status jnf_quaternion_multiply(const float A[4], const float B[4], float C[4]);
JN_API jn_status jnf_rpy_to_rotation(const float rpy[3], float R[9]);
JN_API jn_status jnf_rotation_to_rpy(const float R[9], float rpy[3]);
JN_API jn_status jnf_axis_angle_to_rotation(const float axis_angle[4], float R[9]);
JN_API jn_status jnf_rotation_to_axis_angle(const float R[9], float axis_angle[4]);
JN_API jn_status jnf_neutral(const jn_model *model, float *q);
JN_API jn_status jnf_random(const jn_model *model, uint64_t *state, float *q);
JN_API jn_status jnf_integrate(const jn_model *model, jn_work *work, const float *q, const float *v, float *out);
JN_API jn_status jnf_difference(const jn_model *model, jn_work *work, const float *q0, const float *q1, float *v);
JN_API jn_status jnf_interpolate(const jn_model *model, jn_work *work, const float *q0, const float *q1, float s,
                                 float *out);
JN_API jn_status jnf_normalize(const jn_model *model, jn_work *work, const float *q, float *out);
JN_API jn_status jnf_joint_pose(const jn_model *model, jn_work *work, int joint, const float *q, float *T);
JN_API jn_status jnf_joint_jacobian(const jn_model *model, jn_work *work, int joint, const float *q, float *S);
JN_API jn_status jnf_joint_jacobian_rate(const jn_model *model, jn_work *work, int joint, const float *q,
                                         const float *v, float *dS);

#ifdef __cplusplus
}
#endif
#endif
