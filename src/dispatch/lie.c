/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/lie.h. */
#include "public.h"

static jn_status run(int kernel, const number *a, size_t na, const number *b, size_t nb, number *out, size_t n) {
  if (!a || (nb && !b) || !out) return JN_ERR_NULL;
  jn_run r;
  jn__run_init(&r, kernel, NUMBER_KIND, NULL, NULL);
  jn__run_input(&r, 0, a, na);
  jn__run_input(&r, 1, b, nb);
  jn__run_output(&r, 0, out, n);
  return jn__run(&r);
}

#define ONE(name, n1, m) \
  jn_status PUBLIC(name)(const number a[n1], number out[m]) { return run(JN_KERNEL_##name, a, n1, NULL, 0, out, m); }
#define TWO(name, n1, n2, m)                                                      \
  jn_status PUBLIC(name)(const number a[n1], const number b[n2], number out[m]) { \
    return run(JN_KERNEL_##name, a, n1, b, n2, out, m);                           \
  }
/* In the list, functions with one input have 0 as their second size. */
#define DEFINE(name, n1, n2, m) DEFINE_##n2(name, n1, m)
#define DEFINE_0(name, n1, m) ONE(name, n1, m)
#define DEFINE_4(name, n1, m) TWO(name, n1, 4, m)
#define DEFINE_6(name, n1, m) TWO(name, n1, 6, m)
#define DEFINE_10(name, n1, m) TWO(name, n1, 10, m)
#define DEFINE_16(name, n1, m) TWO(name, n1, 16, m)
JN_LIE_LIST(DEFINE)
