/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel `terms` on arrays of the caller's number type. Include after public.h. */
#ifndef JN_DISPATCH_TERMS_RUN_H
#define JN_DISPATCH_TERMS_RUN_H

#include <limits.h>

#include "../model/model.h"
#include "public.h"

/* Clears the arrays of a call in pieces of 64 bytes, because the compiler would clear them all with `rep stos`, which
 * takes 10 ns. */
typedef struct jn_pointers {
  const void *p[8];
} __attribute__((may_alias)) jn_pointers;

static inline void clear_arrays(jn_call *c) {
  _Static_assert(JN_MAX_ARRAYS == 32, "cleared below");
  jn_pointers *p = (jn_pointers *)(void *)c->array;
  p[0] = p[1] = p[2] = p[3] = (jn_pointers){{NULL}};
}

/* Sets the arguments of the kernel, without outputs. link: the subtree whose centre of mass is computed, JN_WORLD for
 * all moving links. */
static inline void begin_terms(jn_run *run, const number *q, const number *v, const number *a, const number *wrench,
                               int representation, int about, int link) {
  jn_terms_arguments *x = &run->call.terms;
  clear_arrays(&run->call);
  x->q = q;
  x->v = v;
  x->a = a;
  x->wrench = wrench;
  x->representation = representation;
  x->about = about;
  x->link = link;
}

/* Runs it. One state in a variant of the caller's own type is passed to the kernel directly: jn__run() takes 45 ns
 * more, when the energies of seven joints take 170. jn__run() also reports matrices that are too large: kernels count
 * in int. */
static inline jn_status run_terms(jn_run *run, const jn_model *model, jn_work *work) {
  jn_terms_arguments *x = &run->call.terms;
  if (!model || !work || !x->q) return JN_ERR_NULL;
  if (x->link < JN_WORLD || x->link >= model->nlink) return JN_ERR_INDEX;
  x->link_end = x->link < 0 ? 0 : model->link[x->link].end;
  size_t nv = (size_t)model->nv, nframe = (size_t)(model->nlink + model->nnamed);
  const jn_variant *variant = jn__direct_variant(NUMBER_KIND, model, work);
  if (variant && nframe * 6 * nv <= INT_MAX && nv * nv <= INT_MAX) {
    jn__call_init(&run->call, variant, model, work->scratch);
    variant->kernels[JN_KERNEL_terms](&run->call);
    return JN_OK;
  }
  jn__run_init(run, JN_KERNEL_terms, NUMBER_KIND, model, work);
  return jn__run(run);
}

/* One output of it: JN_OUT_terms_... */
static inline jn_status run_term(const jn_model *model, jn_work *work, const number *q, const number *v, int out,
                                 number *data, int representation, int about, int link) {
  if (!data) return JN_ERR_NULL;
  jn_run run;
  begin_terms(&run, q, v, NULL, NULL, representation, about, link);
  run.call.terms.outputs[out] = data;
  return run_terms(&run, model, work);
}

#endif
