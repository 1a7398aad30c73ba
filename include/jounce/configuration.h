/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/configuration.h: work memory, configurations as points of a manifold, and single joints.
 * Tier: stable (docs/stability.md).
 *
 * q [nq]: configuration. v [nv]: velocity or tangent vector in the joints' velocity coordinates, which are coordinate
 * rates, except for spherical and free joints, where they are the body's angular velocity and twist. Threads may share
 * the model, but each needs its own work memory. Only jn_work_create() allocates.
 * Errors of all: JN_ERR_NULL, JN_ERR_WORK (work made for another model), JN_ERR_VARIANT; JN_ERR_INDEX where named. */
#ifndef JOUNCE_CONFIGURATION_H
#define JOUNCE_CONFIGURATION_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scratch memory. Every computing function writes to it, so each thread needs its own. Between calls it keeps nothing
 * except the result of jn_singular_joint(). */
typedef struct jn_work jn_work;

/* Creates scratch memory for computations on one model by one thread, with the model's allocator. Errors: JN_ERR_NULL,
 * JN_ERR_MEMORY. */
JN_API jn_status jn_work_create(const jn_model *model, jn_work **work);
JN_API void jn_work_destroy(jn_work *work); /* Releases it; NULL is allowed; only for jn_work_create. */
/* The same in the caller's memory (any alignment), for use without a heap. Errors: JN_ERR_SIZE. */
JN_API size_t jn_work_size(const jn_model *model);
JN_API jn_status jn_work_init(const jn_model *model, void *memory, size_t bytes, jn_work **work);

/* The neutral configuration, in which no joint has moved: zeros, and identity quaternions. It may be outside the
 * limits. */
JN_API jn_status jn_neutral(const jn_model *model, double *q);
/* A random configuration, uniform within finite position limits; without limits, angles are in [-pi, pi], lengths in
 * [-1, 1] m, and rotations are uniformly distributed. *state is the seed, and is updated by each call; the same state
 * gives the same numbers on any machine. */
JN_API jn_status jn_random(const jn_model *model, uint64_t *state, double *q);

/* out [nq] = q (+) v: each joint moved by its tangent vector: J(out) = J(q) exp(S v) for spherical and free joints, q +
 * v otherwise. Angles are not wrapped, so full turns are kept. out may be q. */
JN_API jn_status jn_integrate(const jn_model *model, jn_work *work, const double *q, const double *v, double *out);
/* v [nv] = q1 (-) q0: the shortest v with q0 (+) v = q1. If two rotations differ by exactly pi, v is one of the two
 * solutions. */
JN_API jn_status jn_difference(const jn_model *model, jn_work *work, const double *q0, const double *q1, double *v);
/* The derivatives of these, in the tangent spaces of their arguments and results, [nv x nv]; zero but for a block on
 * the diagonal for each joint. Of q (+) v by q (Ad of exp(-v)) and by v (the right differential dexp(-v)); of q1 (-) q0
 * by q0 and q1 (inverses of the left differential, negative, and of the right one; not defined at half a turn). For
 * joints whose velocity is their rate, the identity and minus the identity. Outputs may be NULL. O(nv^2). */
JN_API jn_status jn_integrate_derivatives(const jn_model *model, jn_work *work, const double *q, const double *v,
                                          double *dout_dq, double *dout_dv);
JN_API jn_status jn_difference_derivatives(const jn_model *model, jn_work *work, const double *q0, const double *q1,
                                           double *dv_dq0, double *dv_dq1);
/* out [nq] = q0 (+) s (q1 (-) q0); s = 0 gives q0, s = 1 gives q1 (quaternions up to sign). out may be q0 or q1. */
JN_API jn_status jn_interpolate(const jn_model *model, jn_work *work, const double *q0, const double *q1, double s,
                                double *out);
/* out [nq] = q with unit quaternions. A zero quaternion gives NaN. out may be q. */
JN_API jn_status jn_normalize(const jn_model *model, jn_work *work, const double *q, double *out);

/* T [16]: pose of the link of `joint` in its parent link, placement * J(q). Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_pose(const jn_model *model, jn_work *work, int joint, const double *q, double *T);
/* S [6 x k]: the joint's screws in the link's frame, S v = T^-1 dT/dt, one column for each of its k velocity
 * coordinates (kim2012 eq. 37). k = jn_joint_nv(); for a coupled joint k = 1, the leader's coordinate; nothing is
 * written for a fixed joint. Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_jacobian(const jn_model *model, jn_work *work, int joint, const double *q, double *S);
/* Sdot [6 x k] = dS/dt along v (kim2012 eq. 38). Errors: JN_ERR_INDEX. */
JN_API jn_status jn_joint_jacobian_rate(const jn_model *model, jn_work *work, int joint, const double *q,
                                        const double *v, double *Sdot);

#ifdef __cplusplus
}
#endif
#endif
