/* SPDX-License-Identifier: BSD-2-Clause */
/* Work memory: [jn_work | pivots | spare | staging | scratch]. Scratch memory comes last, so that tests detect a kernel
 * that uses more than it counted.
 *
 *   pivots    [nd doubles]       of the last solution
 *   spare     [3 nv doubles]     of public functions that call kernels one after another
 *   staging   jn__staging_bytes  samples on their way into lanes
 *   scratch   jn__scratch_bytes  of the kernels: what the largest of them takes */
#include "../model/model.h"
#include "dispatch.h"
#include "jounce/jets.h"

static size_t up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static size_t pivot_bytes(const jn_model *model) {
  return up((size_t)((const jn_tree_d *)model->tree[JN_KIND_D])->nd * sizeof(double));
}

static size_t spare_bytes(const jn_model *model) { return up(3 * (size_t)model->nv * sizeof(double)); }

static size_t scratch_bytes(const jn_model *model, int order) { return jn__scratch_bytes(model, order, 0); }

/* order -1: no jets. */
static size_t size_for(const jn_model *model, int order) {
  return 63 + up(sizeof(jn_work)) + scratch_bytes(model, order) + pivot_bytes(model) + spare_bytes(model) +
         up(jn__staging_bytes(model, order));
}

/* Lays out a work in memory of the caller; order -1: no jets. */
static jn_status init_for(const jn_model *model, int order, void *memory, size_t bytes, jn_work **work) {
  if (work) *work = NULL;
  if (!model || !memory || !work) return JN_ERR_NULL;
  if (bytes < size_for(model, order)) return JN_ERR_SIZE;

  /* Blocks of 64 bytes, in the order of the head of this file. */
  char *base = (char *)memory + (64 - (uintptr_t)memory % 64) % 64;
  jn_work *made = (jn_work *)(void *)base;
  *made = (jn_work){
      .model = model, .allocator = model->allocator, .order = order, .singular = JN_NONE, .states = {.count = 1}};
  made->real_bytes = jn__real_bytes();
  made->pivots = base + up(sizeof *made);
  made->spare = made->pivots + pivot_bytes(model);
  made->staging = made->spare + spare_bytes(model);
  made->staging_bytes = up(jn__staging_bytes(model, order));
  made->scratch = made->staging + made->staging_bytes;
  *work = made;
  return JN_OK;
}

/* Allocates a work and lays it out; order -1: no jets. */
static jn_status create_for(const jn_model *model, int order, jn_work **work) {
  if (work) *work = NULL;
  if (!model || !work) return JN_ERR_NULL;
  size_t bytes = size_for(model, order);
  void *block = model->allocator.allocate(bytes, model->allocator.context); /* scratch needs no zeros */
  if (!block) return JN_ERR_MEMORY;
  jn_status status = init_for(model, order, block, bytes, work);
  if (status == JN_OK) (*work)->block = block;
  return status;
}

size_t jn_work_size(const jn_model *model) { return model ? size_for(model, -1) : 0; }

jn_status jn_work_init(const jn_model *model, void *memory, size_t bytes, jn_work **work) {
  return init_for(model, -1, memory, bytes, work);
}

jn_status jn_work_create(const jn_model *model, jn_work **work) { return create_for(model, -1, work); }

/* Factorials of higher orders are infinite. */
static int is_possible(int order) { return order >= 0 && order <= JN_MAX_ORDER; }

size_t jn_work_size_order(const jn_model *model, int order) {
  return model && is_possible(order) ? size_for(model, order) : 0;
}

jn_status jn_work_init_order(const jn_model *model, int order, void *memory, size_t bytes, jn_work **work) {
  return !is_possible(order) ? JN_ERR_SIZE : init_for(model, order, memory, bytes, work);
}

jn_status jn_work_create_order(const jn_model *model, int order, jn_work **work) {
  return !is_possible(order) ? JN_ERR_SIZE : create_for(model, order, work);
}

void jn_work_destroy(jn_work *work) {
  if (!work || !work->block) return;
  jn_allocator a = work->allocator;
  jn__release(&a, work->block);
}
