/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of the complex variant, called directly: exact derivatives by the complex step. */
#ifndef JN_TESTS_COMPLEX_VARIANT_H
#define JN_TESTS_COMPLEX_VARIANT_H

#include <complex.h>
#undef I

#include "testing.h"

#include "dispatch/dispatch.h"
#include "model/model.h"

/* Runs a kernel of the complex variant on the model, with scratch memory of the complex variant's size. */
static UNUSED void run_complex(const jn_model *m, int order, int kernel, jn_call *call) {
  call->tree = m->tree[JN_KIND_Z];
  const jn_variant *variant = jn__variant_by_name("z");
  size_t bytes = variant->scratch_bytes(call->tree, order);
  call->scratch = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  assert_non_null(call->scratch);
  variant->kernels[kernel](call);
  free(call->scratch);
}

/* out [nq] = q (+) i h v */
static UNUSED void complex_motion(const jn_model *m, const double *q, const double *v, double h, double _Complex *out) {
  double _Complex from[128], step[128];
  for (int k = 0; k < jn_model_nq(m); k++) from[k] = q[k];
  for (int k = 0; k < jn_model_nv(m); k++) step[k] = CMPLX(0, h * v[k]);
  jn_call call = {.integrate = {.q = from, .v = step, .q_out = out}};
  run_complex(m, -1, JN_KERNEL_integrate, &call);
}

#endif
