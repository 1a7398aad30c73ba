/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions over two more number types, for tests: jnz_x takes complex numbers, so that the complex step
 * differentiates any of them exactly, and jnl_x takes long double, the reference for rounding. They are the library's
 * own sources of src/dispatch, compiled over the variant z and l; twin_z.h and twin_l.h are made from float.h by CMake.
 */
#ifndef JN_SOAK_TWIN_H
#define JN_SOAK_TWIN_H

#include <complex.h>
#undef I

#include "twin_l.h"
#include "twin_z.h"

/* Work memory for functions of one twin: kind is JN_KIND_Z or JN_KIND_L. Release it with twin_work_destroy(). */
jn_work *twin_work_create(const jn_model *model, int order, int kind);
void twin_work_destroy(jn_work *work);

#endif
