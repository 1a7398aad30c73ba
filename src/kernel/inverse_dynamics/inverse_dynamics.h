/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics (RNEA) as a function for other kernels: all of them get the same forces, to the bit. */
#ifndef JN_KERNEL_INVERSE_DYNAMICS_INVERSE_DYNAMICS_H
#define JN_KERNEL_INVERSE_DYNAMICS_INVERSE_DYNAMICS_H

#include "../base/sweep.h"

/* Which forces count. */
enum { FORCES_ALL, FORCES_WEIGHTLESS /* neither weight nor springs */, FORCES_UNSPRUNG /* no springs */ };

/* tau [nv] of q, v, a and the external wrenches on the links (v, a, wrenches may be NULL: zero).
 *   angle    cosines and sines of the joint angles at q, from angles_at()
 *   scratch  memory up to inverse_dynamics_scratch() */
void JN_(inverse_dynamics_forces)(const JN_S(tree) * tree, const real *q, const real *v, const real *a,
                                  const real *wrenches, int which, const angles *angle, real *scratch, real *tau);
/* The end of the scratch memory that begins at `scratch`. */
real *JN_(inverse_dynamics_scratch)(const JN_S(tree) * tree, real *scratch);

#endif
