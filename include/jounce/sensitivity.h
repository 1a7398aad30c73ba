/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/sensitivity.h: derivatives with respect to any scalar, and reverse products.
 * Tier: stable (docs/stability.md).
 *
 * A scalar p may enter anywhere: the state, forces, inertias, wrenches, gravity, and the geometry of the joints. A
 * jn_perturbation holds the derivatives, with respect to p, of everything that depends on p; jn_perturbation_of() fills
 * it in for common scalars. Conventions as in derivatives.h; external wrenches stay constant in the links' frames
 * unless dwrench_dp says otherwise. No function allocates. Mathematics: docs/derivatives.md. Errors of all:
 * JN_ERR_NULL, JN_ERR_WORK, JN_ERR_VARIANT, JN_ERR_SIZE, JN_ERR_INDEX; JN_ERR_SINGULAR for forward and hybrid dynamics.
 */
#ifndef JOUNCE_SENSITIVITY_H
#define JOUNCE_SENSITIVITY_H

#include "derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Derivatives of everything that depends on a scalar p; NULL: does not depend on it (kim2012 sec. 4). dq_dp is in the
 * tangent space. da_dp is used where accelerations are given, dtau_dp where forces are given. dh_dp = T^-1 dT/dp of the
 * pose T of each link in its parent, without the change that dq_dp causes. dS_dp, dSdot_dp: change of the screws of
 * each joint in its link's frame, and of their rates, without the change that dq_dp and dv_dp cause; six numbers for
 * each of the up to six coordinates of the joint. */
typedef struct jn_perturbation {
  const double *dq_dp, *dv_dp, *da_dp, *dtau_dp; /* [nv] */
  const double *dh_dp;                           /* [nlink x 6] */
  const double *dS_dp, *dSdot_dp;                /* [nlink x 6 x 6] */
  const double *dinertia_dp;                     /* [nlink x 10] */
  const double *dwrench_dp;                      /* [nlink x 6] in the links' frames */
  const double *darmature_dp;                    /* [nv] inertia added to the coordinate itself */
  const double *dgravity_dp;                     /* [3] */
} jn_perturbation;

/* Kinds of named scalars. Each comment says what index means (a velocity coordinate or a link), then the range of
 * component. */
typedef enum jn_scalar_kind {
  JN_BY_POSITION,     /* coordinate */
  JN_BY_VELOCITY,     /* coordinate */
  JN_BY_ACCELERATION, /* coordinate */
  JN_BY_FORCE,        /* coordinate */
  JN_BY_ARMATURE,     /* coordinate */
  JN_BY_INERTIA,      /* link; 0-9: m, h, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz */
  JN_BY_WRENCH,       /* link; 0-5 */
  JN_BY_PLACEMENT,    /* link, also a fixed one; 0-5: rotation or translation of the joint's frame, in its own axes */
  JN_BY_AXIS,         /* link; 3 c + 0-2: the unit axis of coordinate c turns about the joint's point towards x, y, z of
                         the link's frame. Not for spherical and free joints. */
  JN_BY_PITCH,        /* link; c: pitch of coordinate c [m/rad], which must turn */
  JN_BY_GRAVITY       /* index ignored; 0-2 */
} jn_scalar_kind;

/* One named scalar. */
typedef struct jn_scalar {
  jn_scalar_kind kind;  /* which quantity */
  int index, component; /* which coordinate or link, and which of its numbers: see jn_scalar_kind */
} jn_scalar;

/* The perturbation of a named scalar at the state (q, v). Its arrays point into room, which must have space for
 * jn_perturbation_room() numbers and stay valid as long as the perturbation. JN_BY_AXIS and JN_BY_PITCH depend on q and
 * v, and JN_BY_PLACEMENT on q; the others do not. v NULL: zero. Errors: JN_ERR_INDEX (no such coordinate, link,
 * component, or axis). */
JN_API size_t jn_perturbation_room(const jn_model *model);
JN_API jn_status jn_perturbation_of(const jn_model *model, jn_work *work, const jn_scalar *scalar, const double *q,
                                    const double *v, double *room, jn_perturbation *perturbation);

/* dtau_dp [count x nv] of inverse dynamics for each of `count` scalars (their own dtau_dp is ignored). O(n) for each.
 * [kim2012 Table 5] */
JN_API jn_status jn_inverse_dynamics_sensitivity(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 const double *a, const double *wrench, int count,
                                                 const jn_perturbation *perturbations, double *dtau_dp);
/* a [nv]: forward dynamics; da_dp [count x nv] are its derivatives (the scalars' own da_dp is ignored). O(n) for each;
 * O(n m)
 * if m coordinates are coupled at once. [kim2012 Table 6] */
JN_API jn_status jn_forward_dynamics_sensitivity(const jn_model *model, jn_work *work, const double *q, const double *v,
                                                 const double *tau, const double *wrench, int count,
                                                 const jn_perturbation *perturbations, double *a, double *da_dp);
/* a_out, tau_out [nv]: hybrid dynamics; da_dp, dtau_dp [count x nv] are their derivatives, for all coordinates. O(n)
 * for each. [kim2012 Table 7] */
JN_API jn_status jn_hybrid_dynamics_sensitivity(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                                const double *q, const double *v, const double *a, const double *tau,
                                                const double *wrench, int count, const jn_perturbation *perturbations,
                                                double *a_out, double *tau_out, double *da_dp, double *dtau_dp);

/* Where the gradient of a scalar f goes; set parts you do not need to NULL. */
typedef struct jn_gradient {
  double *df_dq, *df_dv, *df_da, *df_dtau; /* [nv]; df_da for inverse, df_dtau for forward dynamics */
  double *df_dwrench;                      /* [nlink x 6] */
  double *df_dinertia;                     /* [nlink x 10] */
  double *df_dgravity;                     /* [3] */
  double *df_darmature;                    /* [nv] */
} jn_gradient;

/* Reverse product: the gradient of f = y . tau, with constant y [nv], with respect to all inputs at once. O(n), however
 * many parts of the gradient you ask for. */
JN_API jn_status jn_inverse_dynamics_adjoint(const jn_model *model, jn_work *work, const double *q, const double *v,
                                             const double *a, const double *wrench, jn_representation hold,
                                             const double *y, const jn_gradient *gradient);
/* The gradient of f = y . a, where a [nv] is the result of forward dynamics and is written, too. df_dtau = M^-1 y must
 * not be NULL. O(n). */
JN_API jn_status jn_forward_dynamics_adjoint(const jn_model *model, jn_work *work, const double *q, const double *v,
                                             const double *tau, const double *wrench, jn_representation hold,
                                             const double *y, double *a, const jn_gradient *gradient);

#ifdef __cplusplus
}
#endif
#endif
