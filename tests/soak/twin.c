/* SPDX-License-Identifier: BSD-2-Clause */
/* What src/dispatch needs to run kernels of the variants z and l: one state, straight through, pivots not judged. */
#include <stdlib.h>

#include "dispatch/dispatch.h"
#include "model/model.h"
#include "twin.h"

/* The names that the twins' objects are compiled to call, see tests/soak/soak.cmake. */
const jn_variant *jn__twin_variant(int kind, int many);
jn_status jn__twin_run(jn_run *run);

const jn_variant *jn__twin_variant(int kind, int many) {
  static const jn_variant *variants[JN_KINDS];
  (void)many;
  if (!variants[kind]) variants[kind] = jn__variant_by_name(kind == JN_KIND_Z ? "z" : "l");
  return variants[kind];
}

jn_status jn__twin_run(jn_run *r) {
  const jn_variant *variant = jn__twin_variant(r->kind, 0);
  if (r->model && (!r->work || r->work->model != r->model)) return JN_ERR_WORK;
  jn__call_init(&r->call, variant, r->model, r->work ? r->work->scratch : NULL);
  variant->kernels[r->kernel](&r->call);
  return JN_OK;
}

jn_work *twin_work_create(const jn_model *m, int order, int kind) {
  const jn_variant *variant = jn__twin_variant(kind, 0);
  size_t number = variant->real_bytes, nd = (size_t)((const jn_tree_d *)m->tree[JN_KIND_D])->nd;
  size_t scratch = (variant->scratch_bytes(m->tree[variant->kind], order) + 63) / 64 * 64,
         rest = (nd + 3 * (size_t)m->nv) * number;
  size_t head = (sizeof(jn_work) + 63) / 64 * 64;
  jn_work *w = aligned_alloc(64, (head + scratch + rest + 127) / 64 * 64);
  if (!w) return NULL;
  *w = (jn_work){.model = m, .order = order, .singular = JN_NONE, .states = {.count = 1}, .real_bytes = number};
  w->scratch = (char *)w + head;
  w->pivots = w->scratch + scratch;
  w->spare = w->pivots + nd * number;
  return w;
}

void twin_work_destroy(jn_work *work) { free(work); }
