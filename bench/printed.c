/* SPDX-License-Identifier: BSD-2-Clause */
#include "printed.h"

#include "../tests/printed_recursion.h"

int printed_runs_here(void) {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return 1;
#endif
}

printed *printed_make(const jn_model *model, int order) { return printed_create(model, order); }
void printed_free(printed *p) { printed_destroy(p); }
void printed_forces(const printed *p, const double *q, const double *v_jet, double *tau_jet) {
  printed_run(p, q, v_jet, NULL, tau_jet);
}
