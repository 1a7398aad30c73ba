/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel `terms` on arrays of the caller's number type. Include after public.h. */
#ifndef JN_DISPATCH_TERMS_RUN_H
#define JN_DISPATCH_TERMS_RUN_H

#include "../kernel/terms.h"
#include "../model/model.h"
#include "public.h"

/* Any outputs of terms.h; link: whose subtree's centre of mass, JN_WORLD for all that moves. */
static inline jn_status run_terms(const jn_model *m, jn_work *w, const number *q, const number *v, const number *a,
                                  const number *wrench, number *const outs[JN_OUTS], int in, int about, int link) {
  if (!m || !w || !q) return JN_ERR_NULL;
  if (link < JN_WORLD || link >= m->nlink) return JN_ERR_INDEX;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nframe = (size_t)(m->nlink + m->nnamed), wide = 6 * (size_t)m->nlink;
  const size_t size[JN_OUTS] = {
      nv * nv,         nv * nv,         nv * nv, nv, nv, nv,     nv, nframe * 16, nframe * 6, nframe * 6,
      nframe * 6 * nv, nframe * 6 * nv, 3,       3,  3,  3 * nv, 6,  6 * nv,      6 * nv,     2};
  jn_run r;
  jn__run_init(&r, JN_KERNEL_terms, NUMBER_KIND, m, w);
  r.arg[0] = in;
  r.arg[1] = about;
  r.arg[2] = link;
  r.arg[3] = link < 0 ? 0 : m->link[link].end;
  jn__run_input(&r, 0, q, nq);
  jn__run_input(&r, 1, v, nv);
  jn__run_input(&r, 2, a, nv);
  jn__run_input(&r, 3, wrench, wide);
  for (int k = 0; k < JN_OUTS; k++)
    if (outs[k]) jn__run_output(&r, k, outs[k], size[k]);
  return jn__run(&r);
}

#endif
