/* SPDX-License-Identifier: BSD-2-Clause */
/* RNEA: inverse dynamics from q in one go. One function for all kernels that need it, so that all give the same to the
 * bit. */
#ifndef JN_KERNEL_INVERSE_DYNAMICS_RNEA_H
#define JN_KERNEL_INVERSE_DYNAMICS_RNEA_H

#include "../base/sweep.h"

/* Which forces count. */
enum { FORCES_ALL, FORCES_WEIGHTLESS /* neither weight nor springs */, FORCES_UNSPRUNG /* no springs */ };

/* tau [nv] from q, v, a and the wrenches on the links (NULL: zero). turn: of angles_at() at q. at: scratch memory,
 * up to newton_scratch(). */
void JN_(newton_forces)(const JN_S(tree) * t, const real *q, const real *v, const real *a, const real *wrenches,
                        int which, const angles *turn, real *at, real *tau);
/* Where scratch memory from `at` on ends. */
real *JN_(newton_scratch)(const JN_S(tree) * t, real *at);

#endif
