/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a kernel on the caller's arrays. One state in a variant of the caller's own number type is passed directly;
 * otherwise samples are copied into lanes, LANES at a time, and the results are copied back. */
#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "../model/model.h"
#include "dispatch.h"

enum { SMALL = 128 * 64 }; /* bytes on the stack: enough for every kernel without a model, up to 64-byte reals */

int jn__judge(const jn_run *r, double epsilon, const void *pivots) {
  double own = r->kind == JN_KIND_F ? FLT_EPSILON : DBL_EPSILON, limit = jn__pivot_limit(fmax(epsilon, own));
  const jn_tree_d *t = r->model->tree[JN_KIND_D];
  for (int k = r->pivots - 1; k >= 0; k--) { /* inwards: pivots inward of a singular joint are only rounding errors */
    double x = r->kind == JN_KIND_F ? (double)((const float *)pivots)[k] : ((const double *)pivots)[k];
    if (!(fabs(x) <= limit)) continue; /* NaN does not count as singular: it comes from the input */
    int iv = r->pivots_of_body ? -1 : t->order[k], found = JN_NONE;
    for (int i = 0; i < t->nb; i++) {
      const jn_body_d *b = &t->body[i];
      if (r->pivots_of_body ? (k >= b->id && k < b->id + b->nv) : (b->owner && iv >= b->iv && iv < b->iv + b->nv))
        found = b->link;
    }
    return found;
  }
  return JN_NONE;
}

const jn_shape jn__shapes[JN_KERNELS] = {
#define LIE_SHAPE(name, n1, n2, m) {2, 1, 0},
#define MODEL_SHAPE(name, scratch, inputs, outputs, fixed) {inputs, outputs, fixed},
    JN_LIE_LIST(LIE_SHAPE) JN_MODEL_KERNEL_LIST(MODEL_SHAPE)};

static int arrays_of(const jn_run *r) { return jn__shapes[r->kernel].inputs + jn__shapes[r->kernel].outputs; }

static inline void begin(jn_call *call, const jn_variant *variant, const jn_run *r, void *scratch) {
  jn__call_init(call, variant, r->model, scratch);
  if (r->tree) call->tree = r->tree;
}

static jn_status run_direct(const jn_variant *variant, jn_run *r) {
  begin(&r->call, variant, r, r->work ? r->work->scratch : NULL);
  variant->kernels[r->kernel](&r->call);
  if (!r->pivots) return JN_OK;
  r->work->singular = jn__judge(r, variant->epsilon, r->call.array[arrays_of(r) - 1]);
  return r->work->singular == JN_NONE ? JN_OK : JN_ERR_SINGULAR;
}

/* The distance between two samples of array i, in numbers and in bytes. */
static size_t stride_of(const jn_run *r, int i) {
  if (jn__shapes[r->kernel].fixed >> i & 1) return 0;
  return r->spread >> i & 1 ? r->apart : r->n[i];
}

static size_t number_bytes(const jn_run *r) { return r->kind == JN_KIND_D ? sizeof(double) : sizeof(float); }

/* Sample k of array i. */
static char *sample(const jn_run *r, int i, size_t k) {
  return (char *)r->call.array[i] + k * stride_of(r, i) * number_bytes(r);
}

size_t jn__run_bytes(const jn_variant *variant, const jn_run *r) {
  size_t reals = 0;
  for (int i = 0; i < arrays_of(r); i++) reals += r->call.array[i] ? r->n[i] : 0;
  return reals * variant->real_bytes;
}

/* Whether one of the `count` samples whose pivots are in lanes is singular. */
static int is_singular(const jn_variant *variant, const jn_run *r, const void *lanes, int count, char *pivots) {
  size_t n = (size_t)r->pivots;
  variant->store(pivots, r->kind, lanes, n, n, count);
  for (int i = 0; i < count; i++)
    if (jn__judge(r, variant->epsilon, pivots + (size_t)i * n * number_bytes(r)) != JN_NONE) return i + 1;
  return 0;
}

static jn_direct direct_of(const jn_variant *variant, const jn_run *r) {
  jn_direct s = {.store = variant->store, .kind = r->kind, .bytes = number_bytes(r)};
  const jn_shape shape = jn__shapes[r->kernel];
  for (int i = 0; i < shape.outputs; i++) s.stride[i] = stride_of(r, shape.inputs + i);
  return s;
}

size_t jn__run_staged(const jn_variant *variant, const jn_run *r, const jn_room *room, size_t begins, size_t end) {
  const jn_shape shape = jn__shapes[r->kernel];
  jn_call call = r->call;
  begin(&call, variant, r, room->scratch);
  jn_direct direct = direct_of(variant, r);
  if (variant->lanes > 1) call.direct = &direct;
  size_t singular = end;
  int first_output = shape.inputs, last = first_output + shape.outputs - (r->pivots > 0);
  for (size_t first = begins; first < end; first += (size_t)variant->lanes) {
    int count = end - first < (size_t)variant->lanes ? (int)(end - first) : variant->lanes;

    /* Inputs into lanes; room for the outputs in lanes. */
    char *at = room->staging;
    for (int i = 0; i < arrays_of(r); i++) {
      int given = r->call.array[i] != NULL;
      call.array[i] = given ? at : NULL;
      if (i < first_output && given) variant->load(at, r->kind, sample(r, i, first), r->n[i], stride_of(r, i), count);
      if (i >= first_output) direct.to[i - first_output] = given ? sample(r, i, first) : NULL;
      if (given) at += r->n[i] * variant->real_bytes;
    }

    /* Compute; outputs that the kernel has not stored itself go back to the caller. */
    direct.count = count;
    direct.stored = 0;
    variant->kernels[r->kernel](&call);
    for (int i = first_output; i < last; i++)
      if (r->call.array[i] && !(direct.stored >> (i - first_output) & 1))
        variant->store(direct.to[i - first_output], r->kind, call.array[i], r->n[i], stride_of(r, i), count);
    int lane = r->pivots ? is_singular(variant, r, call.array[last], count, room->pivots) : 0;
    if (lane && singular == end) singular = first + (size_t)lane - 1;
  }
  return singular;
}

size_t jn__run_each(const jn_variant *variant, const jn_run *r, const jn_room *room, size_t begins, size_t end) {
  jn_call call = r->call;
  begin(&call, variant, r, room->scratch);
  size_t singular = end;
  int last = arrays_of(r) - (r->pivots > 0);
  if (r->pivots) call.array[last] = room->pivots;
  for (size_t k = begins; k < end; k++) {
    for (int i = 0; i < last; i++)
      if (r->call.array[i]) call.array[i] = sample(r, i, k);
    variant->kernels[r->kernel](&call);
    if (r->pivots && singular == end && jn__judge(r, variant->epsilon, room->pivots) != JN_NONE) singular = k;
  }
  return singular;
}

static jn_status check(const jn_variant *variant, jn_run *r) {
  if (!variant) return JN_ERR_VARIANT;
  if (r->model && (!r->work || r->work->model != r->model)) return JN_ERR_WORK;
  int small = variant->scratch[r->kernel] != JN_SCRATCH_NONE && variant->real_bytes > r->work->real_bytes;
  if (small && !r->work->batch) return JN_ERR_WORK;
  jn__argument_sizes(r->kernel, r->model, &r->call, r->n);
  for (int i = 0; i < arrays_of(r); i++)
    if (r->call.array[i] && r->n[i] > INT_MAX) return JN_ERR_SIZE; /* kernels count in int */
  return JN_OK;
}

/* Kernels need at least one output. */
static int wants_nothing(const jn_run *r) {
  for (int i = jn__shapes[r->kernel].inputs; i < arrays_of(r); i++)
    if (r->call.array[i]) return 0;
  return 1;
}

jn_status jn__run(jn_run *r) {
  int batch = r->work && r->work->batch, part = r->work && r->work->special & JN_WORK_PART;
  const jn_variant *variant = jn__choose_variant(r->kind, batch && (r->count > 1 || part));
  jn_status status = check(variant, r);
  if (status != JN_OK || wants_nothing(r)) return status;
  if (batch) return jn__run_batch(variant, r);
  if (variant->lanes == 1 && variant->kind == r->kind) return run_direct(variant, r);
  alignas(64) char memory[SMALL];
  jn_room room = {.staging = memory};
  if (r->work) room = (jn_room){r->work->scratch, memory, r->work->pivots};
  size_t need = jn__run_bytes(variant, r);
  if (need > SMALL) {
    if (!r->work || need > r->work->staging_bytes) return JN_ERR_WORK;
    room.staging = r->work->staging;
  }
  if (jn__run_staged(variant, r, &room, 0, r->count) == r->count) return JN_OK;
  r->work->singular = jn__judge(r, variant->epsilon, r->work->pivots);
  return JN_ERR_SINGULAR;
}
