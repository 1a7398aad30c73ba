/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/lie.h. */
#include "public.h"

static jn_status run(int kernel, const number *a, int two, const number *b, number *out) {
  if (!a || (two && !b) || !out) return JN_ERR_NULL;
  jn_run r;
  jn__run_init(&r, kernel, NUMBER_KIND, NULL, NULL);
  r.call.lie = (jn_lie_arguments){.a = a, .b = b, .out = out};
  return jn__run(&r);
}

#define ONE(name, n1, m) \
  jn_status PUBLIC(name)(const number a[n1], number out[m]) { return run(JN_KERNEL_##name, a, 0, NULL, out); }
#define TWO(name, n1, n2, m)                                                      \
  jn_status PUBLIC(name)(const number a[n1], const number b[n2], number out[m]) { \
    return run(JN_KERNEL_##name, a, 1, b, out);                                   \
  }
/* In the list, functions with one input have 0 as their second size. */
#define DEFINE(name, n1, n2, m) DEFINE_##n2(name, n1, m)
#define DEFINE_0(name, n1, m) ONE(name, n1, m)
#define DEFINE_4(name, n1, m) TWO(name, n1, 4, m)
#define DEFINE_6(name, n1, m) TWO(name, n1, 6, m)
#define DEFINE_10(name, n1, m) TWO(name, n1, 10, m)
#define DEFINE_16(name, n1, m) TWO(name, n1, 16, m)
JN_LIE_LIST(DEFINE)
