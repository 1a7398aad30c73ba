/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics on arrays of the caller's number type. Include after public.h. */
#ifndef JN_DISPATCH_HYBRID_RUN_H
#define JN_DISPATCH_HYBRID_RUN_H

#include <limits.h>

#include "judge.h"

/* prescribed NULL: forward dynamics. weightless with v = wrench = NULL: M a = tau alone. */
static inline jn_status run_hybrid(const jn_model *m, jn_work *w, const unsigned char *prescribed, const number *q,
                                   const number *v, const number *a, const number *tau, const number *wrench,
                                   int weightless, number *a_out, number *tau_out) {
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, wide = 6 * (size_t)m->nlink;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  if (m->coupled && nv * nv > INT_MAX) return JN_ERR_SIZE;
  jn_run r = {.kind = NUMBER_KIND, .count = 1, .model = m, .work = w, .data = prescribed};
  r.kernel = m->coupled ? JN_KERNEL_forward_coupled : JN_KERNEL_forward;
  r.arg[0] = weightless;
  r.inputs = 5;
  r.outputs = 2;
  r.in[0] = (jn_array){q, nq, nq};
  r.in[1] = (jn_array){v, nv, nv};
  r.in[2] = (jn_array){a, nv, nv};
  r.in[3] = (jn_array){tau, nv, nv};
  r.in[4] = (jn_array){wrench, wide, wide};
  r.out[0] = (jn_array){a_out, nv, nv};
  r.out[1] = (jn_array){tau_out, nv, nv};
  return solve_and_judge(&r, m->coupled ? m->nv : t->nd, !m->coupled);
}

#endif
