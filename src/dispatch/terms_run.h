/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel `terms` on arrays of the caller's number type. Include after public.h. */
#ifndef JN_DISPATCH_TERMS_RUN_H
#define JN_DISPATCH_TERMS_RUN_H

#include <limits.h>
#include <string.h>

#include "../kernel/terms/terms.h"
#include "../model/model.h"
#include "public.h"

static inline size_t term_size(const jn_model *m, int out) {
  size_t nv = (size_t)m->nv, nframe = (size_t)(m->nlink + m->nnamed);
  switch (out) {
    case JN_OUT_M:
    case JN_OUT_C:
    case JN_OUT_DM:
      return nv * nv;
    case JN_OUT_POSES:
      return nframe * 16;
    case JN_OUT_TWISTS:
    case JN_OUT_ACCELERATIONS:
      return nframe * 6;
    case JN_OUT_J:
    case JN_OUT_DJ:
      return nframe * 6 * nv;
    case JN_OUT_COM:
    case JN_OUT_DCOM:
    case JN_OUT_DDCOM:
      return 3;
    case JN_OUT_JCOM:
      return 3 * nv;
    case JN_OUT_MOMENTUM:
      return 6;
    case JN_OUT_A:
    case JN_OUT_DA:
    case JN_OUT_SPACE:
    case JN_OUT_DSPACE:
      return 6 * nv;
    case JN_OUT_ENERGY:
      return 2;
    default:
      return nv;
  }
}

/* Sets up a run of the kernel `terms` without outputs; link: the subtree whose centre of mass is computed, JN_WORLD for
 * all moving links. */
static inline jn_status begin_terms(jn_run *r, const jn_model *m, jn_work *w, const number *q, const number *v,
                                    const number *a, const number *wrench, int in, int about, int link) {
  if (!m || !w || !q) return JN_ERR_NULL;
  if (link < JN_WORLD || link >= m->nlink) return JN_ERR_INDEX;
  size_t nv = (size_t)m->nv;
  jn__run_init(r, JN_KERNEL_terms, NUMBER_KIND, m, w);
  r->arg[0] = in;
  r->arg[1] = about;
  r->arg[2] = link;
  r->arg[3] = link < 0 ? 0 : m->link[link].end;
  jn__run_input(r, 0, q, (size_t)m->nq);
  jn__run_input(r, 1, v, nv);
  jn__run_input(r, 2, a, nv);
  jn__run_input(r, 3, wrench, 6 * (size_t)m->nlink);
  return JN_OK;
}

/* The variant whose kernel one state of the caller's own type can be passed to directly: jn__run() takes 45 ns more,
 * when the energies of seven joints take 170. NULL if jn__run() is needed, which also reports errors. */
static inline const jn_variant *straight_row(const jn_model *m, const jn_work *w, const number *q, int link) {
  const jn_variant *variant = m && w && q ? jn__direct_variant(NUMBER_KIND, m, w) : NULL;
  if (!variant || link < JN_WORLD || link >= m->nlink) return NULL;
  if (term_size(m, JN_OUT_J) > INT_MAX || term_size(m, JN_OUT_M) > INT_MAX) return NULL; /* kernels count in int */
  return variant;
}
/* Runs the kernel; the outputs of the call are already set. */
static inline void run_straight(jn_call *call, const jn_variant *variant, const jn_model *m, const number *q,
                                const number *v, const number *a, const number *wrench, int in, int about, int link) {
  call->in[0] = q;
  call->in[1] = v;
  call->in[2] = a;
  call->in[3] = wrench;
  call->arg[0] = in;
  call->arg[1] = about;
  call->arg[2] = link;
  call->arg[3] = link < 0 ? 0 : m->link[link].end;
  variant->kernels[JN_KERNEL_terms](call);
}

/* Any outputs of terms.h. */
static inline jn_status run_terms(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                                  const number *wrench, number *const outs[JN_OUTS], int in, int about, int link) {
  jn_run r;
  const jn_variant *variant = straight_row(m, w, q, link);
  if (variant) {
    jn_call call;
    jn__call_begin(&call, variant, m, w->scratch);
    memcpy(call.out, outs, JN_OUTS * sizeof *outs);
    for (int k = JN_OUTS; k < JN_MAX_OUTPUTS; k++) call.out[k] = NULL;
    run_straight(&call, variant, m, q, v, a, wrench, in, about, link);
    return JN_OK;
  }
  jn_status status = begin_terms(&r, m, w, q, v, a, wrench, in, about, link);
  if (status != JN_OK) return status;
  for (int k = 0; k < JN_OUTS; k++)
    if (outs[k]) jn__run_output(&r, k, outs[k], term_size(m, k));
  return jn__run(&r);
}

/* One of them. */
static inline jn_status run_term(const jn_model *m, jn_work *w, const number *q, const number *v, int out, number *data,
                                 int in, int about, int link) {
  if (!data) return JN_ERR_NULL;
  const jn_variant *variant = straight_row(m, w, q, link);
  if (variant) { /* an array of outputs, copied as soon as it is written, would be waited for: 4 ns */
    jn_call call;
    jn__call_init(&call, variant, m, w->scratch);
    call.out[out] = data;
    run_straight(&call, variant, m, q, v, NULL, NULL, in, about, link);
    return JN_OK;
  }
  number *outs[JN_OUTS] = {NULL};
  outs[out] = data;
  return run_terms(m, w, q, v, NULL, NULL, outs, in, about, link);
}

#endif
