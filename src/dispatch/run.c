/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a kernel on the caller's arrays. One state in a row of the caller's own number type goes straight through;
 * otherwise samples are moved into lanes, LANES at a time, and the results back. */
#include <limits.h>
#include <stdalign.h>

#include "../model/model.h"
#include "dispatch.h"

enum { SMALL = 128 * 64 }; /* bytes on the stack: enough for every kernel without a model, up to 64-byte reals */

static void run_direct(const jn_row *row, const jn_run *r, jn_call *call) {
  for (int i = 0; i < r->inputs; i++) call->in[i] = r->in[i].data;
  for (int i = 0; i < r->outputs; i++) call->out[i] = (void *)(uintptr_t)r->out[i].data;
  row->kernels[r->kernel](call);
}

/* The bytes between two samples of an array. */
static size_t step(const jn_run *r, const jn_array *a) {
  return a->stride * (r->kind == JN_KIND_D ? sizeof(double) : sizeof(float));
}

static void run_staged(const jn_row *row, const jn_run *r, jn_call *call, char *memory) {
  for (size_t first = 0; first < r->count; first += (size_t)row->lanes) {
    size_t left = r->count - first;
    int count = left < (size_t)row->lanes ? (int)left : row->lanes;
    char *at = memory;
    for (int i = 0; i < r->inputs; i++) {
      const jn_array *a = &r->in[i];
      call->in[i] = NULL;
      if (!a->data) continue;
      row->load(at, r->kind, (const char *)a->data + first * step(r, a), a->n, a->stride, count);
      call->in[i] = at;
      at += a->n * row->real_bytes;
    }
    for (int i = 0; i < r->outputs; i++) {
      call->out[i] = r->out[i].data ? at : NULL;
      if (r->out[i].data) at += r->out[i].n * row->real_bytes;
    }
    row->kernels[r->kernel](call);
    for (int i = 0; i < r->outputs; i++) {
      const jn_array *a = &r->out[i];
      if (!a->data) continue;
      char *to = (char *)(uintptr_t)a->data + first * step(r, a);
      row->store(to, r->kind, call->out[i], a->n, a->stride, count);
    }
  }
}

jn_status jn__run(const jn_run *r) {
  const jn_row *row = jn__choose_row(r->kind, r->count > 1);
  if (!row) return JN_ERR_ROW;
  if (r->model && (!r->work || r->work->model != r->model)) return JN_ERR_WORK;
  if (r->kernel >= JN_KERNEL_terms && row->real_bytes > r->work->real_bytes) return JN_ERR_WORK; /* uses scratch */
  for (int i = 0; i < r->inputs; i++)
    if (r->in[i].n > INT_MAX) return JN_ERR_SIZE; /* kernels count in int */
  for (int i = 0; i < r->outputs; i++)
    if (r->out[i].data && r->out[i].n > INT_MAX) return JN_ERR_SIZE;
  jn_call call = {.tree = r->model ? r->model->tree[row->kind] : NULL, .data = r->data};
  if (r->work) call.scratch = r->work->scratch;
  for (int i = 0; i < 4; i++) call.arg[i] = r->arg[i];
  if (r->count == 1 && row->lanes == 1 && row->kind == r->kind) {
    run_direct(row, r, &call);
    return JN_OK;
  }
  size_t need = 0;
  for (int i = 0; i < r->inputs; i++) need += r->in[i].data ? r->in[i].n * row->real_bytes : 0;
  for (int i = 0; i < r->outputs; i++) need += r->out[i].data ? r->out[i].n * row->real_bytes : 0;
  if (need <= SMALL) {
    alignas(64) char memory[SMALL];
    run_staged(row, r, &call, memory);
    return JN_OK;
  }
  if (!r->work || need > r->work->staging_bytes) return JN_ERR_WORK;
  run_staged(row, r, &call, r->work->staging);
  return JN_OK;
}
