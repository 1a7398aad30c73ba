/* SPDX-License-Identifier: BSD-2-Clause */
/* Work memory: [jn_work | scratch | staging]. */
#include "../model/model.h"
#include "dispatch.h"

static size_t up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static size_t pivot_bytes(const jn_model *m) {
  return up((size_t)((const jn_tree_d *)m->tree[JN_KIND_D])->nd * sizeof(double));
}

size_t jn_work_size(const jn_model *model) {
  return model ? 63 + up(sizeof(jn_work)) + up(jn__scratch_bytes(model)) + pivot_bytes(model) +
                     up(jn__staging_bytes(model))
               : 0;
}

jn_status jn_work_init(const jn_model *model, void *memory, size_t bytes, jn_work **work) {
  if (work) *work = NULL;
  if (!model || !memory || !work) return JN_ERR_NULL;
  if (bytes < jn_work_size(model)) return JN_ERR_SIZE;
  char *base = (char *)memory + (64 - (uintptr_t)memory % 64) % 64;
  jn_work *w = (jn_work *)(void *)base;
  *w = (jn_work){.model = model, .allocator = model->allocator, .singular = JN_NONE};
  w->scratch = base + up(sizeof *w);
  w->pivots = w->scratch + up(jn__scratch_bytes(model));
  w->staging = w->pivots + pivot_bytes(model);
  w->staging_bytes = up(jn__staging_bytes(model));
  *work = w;
  return JN_OK;
}

jn_status jn_work_create(const jn_model *model, jn_work **work) {
  if (work) *work = NULL;
  if (!model || !work) return JN_ERR_NULL;
  size_t bytes = jn_work_size(model);
  void *block = jn__allocate(&model->allocator, bytes);
  if (!block) return JN_ERR_MEMORY;
  jn_status status = jn_work_init(model, block, bytes, work);
  if (status == JN_OK) (*work)->block = block;
  return status;
}

void jn_work_destroy(jn_work *work) {
  if (!work || !work->block) return;
  jn_allocator a = work->allocator;
  jn__release(&a, work->block);
}
