/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics on arrays of the caller's number type. Include after public.h. */
#ifndef JN_DISPATCH_HYBRID_RUN_H
#define JN_DISPATCH_HYBRID_RUN_H

#include <limits.h>

#include "judge.h"

/* prescribed NULL: forward dynamics. weightless with v = wrench = NULL: solves M a = tau. */
static inline jn_status run_hybrid(const jn_model *model, jn_work *work, const unsigned char *prescribed,
                                   const number *q, const number *v, const number *a, const number *tau,
                                   const number *wrench, int weightless, number *a_out, number *tau_out) {
  size_t nv = (size_t)model->nv;
  const jn_tree_d *t = model->tree[JN_KIND_D];
  if (model->coupled && nv * nv > INT_MAX) return JN_ERR_SIZE;
  jn_run run;
  jn__run_init(&run, model->coupled ? JN_KERNEL_forward_dynamics_coupled : JN_KERNEL_forward_dynamics, NUMBER_KIND,
               model, work);
  run.call.forward_dynamics = (jn_forward_dynamics_arguments){.q = q,
                                                              .v = v,
                                                              .a = a,
                                                              .tau = tau,
                                                              .wrench = wrench,
                                                              .a_out = a_out,
                                                              .tau_out = tau_out,
                                                              .prescribed = prescribed,
                                                              .forces = weightless};
  return solve_and_judge(&run, model->coupled ? model->nv : t->nd, !model->coupled);
}

#endif
