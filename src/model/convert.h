/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts a joint as described to a joint as kernels use it, in double. */
#ifndef JN_MODEL_CONVERT_H
#define JN_MODEL_CONVERT_H

#include "../tree/joint.h"
#include "jounce/model.h"

/* The screws of a universal, gimbal, planar, cylindrical or general joint, in its internal frame. */
void jn__joint_to_screws(const jn_joint *joint, jn_screw_d *out);
/* The internal frame in the link frame, and kind, pitch and scale (internal position = scale * joint position). */
void jn__joint_to_body(const jn_joint *joint, pose *internal, jn_body_d *body, double *scale);
/* A pose from a 4x4 placement; a matrix that is orthonormal only to a few digits is replaced by the nearest rotation.
 */
pose jn__placement_pose(const double T[16]);

#endif
