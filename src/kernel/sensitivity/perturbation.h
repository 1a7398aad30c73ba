/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel inverse_dynamics_sensitivity gets through jn_call.data: scalars p, and how each enters the motion and
 * the model. The arrays are the caller's, double or float; jn_perturbation of jounce/sensitivity.h has the same members
 * in the same order. NULL: does not depend on p. */
#ifndef JN_KERNEL_SENSITIVITY_PERTURBATION_H
#define JN_KERNEL_SENSITIVITY_PERTURBATION_H

typedef struct jn_scalar_change {
  const void *dq, *dv, *da, *dtau;  /* [nv] */
  const void *dh;                   /* [nlink x 6] */
  const void *dS, *dSdot;           /* [nlink x 6 x 6], six numbers for each coordinate of the joint */
  const void *dinertia;             /* [nlink x 10] */
  const void *dwrench;              /* [nlink x 6] */
  const void *darmature, *dgravity; /* [nv], [3] */
} jn_scalar_change;

typedef struct jn_scalar_changes {
  const jn_scalar_change *list;
  int count;
  int single; /* float, not double */
} jn_scalar_changes;

#endif
