/* SPDX-License-Identifier: BSD-2-Clause */
/* Which inertias a rigid body can have; used by the checks of a model and by the repair of inertias. */
#ifndef JN_MODEL_INERTIA_LAW_H
#define JN_MODEL_INERTIA_LAW_H

#include "jounce/model.h"

/* Laws that ten parameters break, as bits; at most one of the last two is set. */
typedef enum jn_inertia_fault {
  JN_FAULT_NONE = 0,
  JN_FAULT_MASSLESS = 1, /* moments or a centre of mass, but no mass */
  JN_FAULT_POSITIVE = 2, /* a negative principal moment */
  JN_FAULT_TRIANGLE = 4  /* a principal moment larger than the sum of the others */
} jn_inertia_fault;

/* Which laws finite parameters with mass >= 0 break by more than rounding errors; and the principal moments about the
 * centre of mass, ascending. */
jn_inertia_fault jn__inertia_fault(const double inertia[10], double moments[3]);

/* Eigenvalues of (xx, yy, zz, xy, xz, yz), ascending, and their unit vectors axes[k] (may be NULL). */
void jn__principal_axes(const double tensor[6], double moments[3], double axes[3][3]);

#endif
