/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics on arrays of the caller's number type. Include after public.h. */
#ifndef JN_DISPATCH_HYBRID_RUN_H
#define JN_DISPATCH_HYBRID_RUN_H

#include <limits.h>

#include "judge.h"

/* prescribed NULL: forward dynamics. weightless with v = wrench = NULL: solves M a = tau. */
static inline jn_status run_hybrid(const jn_model *m, jn_work *w, const unsigned char *prescribed, const number *q,
                                   const number *v, const number *a, const number *tau, const number *wrench,
                                   int weightless, number *a_out, number *tau_out) {
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, wide = 6 * (size_t)m->nlink;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  if (m->coupled && nv * nv > INT_MAX) return JN_ERR_SIZE;
  jn_run r;
  jn__run_init(&r, 0, NUMBER_KIND, m, w);
  r.data = prescribed;
  r.kernel = m->coupled ? JN_KERNEL_forward_dynamics_coupled : JN_KERNEL_forward_dynamics;
  r.arg[0] = weightless;
  jn__run_input(&r, 0, q, nq);
  jn__run_input(&r, 1, v, nv);
  jn__run_input(&r, 2, a, nv);
  jn__run_input(&r, 3, tau, nv);
  jn__run_input(&r, 4, wrench, wide);
  jn__run_output(&r, 0, a_out, nv);
  jn__run_output(&r, 1, tau_out, nv);
  return solve_and_judge(&r, m->coupled ? m->nv : t->nd, !m->coupled);
}

#endif
