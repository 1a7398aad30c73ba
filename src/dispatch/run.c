/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a kernel on the caller's arrays.
 *
 *   one state, variant of the caller's number type      the arrays go to the kernel directly
 *   one state, another variant; or a group of states    staging: samples are copied into lanes, LANES at a time, and
 * the results are copied back, unless the kernel stores them itself states of a batch batch.c, which calls back for
 * ranges of states */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "../model/model.h"
#include "dispatch.h"

enum { SMALL = 128 * 64 }; /* bytes on the stack: enough for every kernel without a model, up to 64-byte reals */

int jn__judge(const jn_run *run, double epsilon, const void *pivots) {
  double own = run->kind == JN_KIND_F ? FLT_EPSILON : DBL_EPSILON, limit = jn__pivot_limit(fmax(epsilon, own));
  const jn_tree_d *t = run->model->tree[JN_KIND_D];

  /* Inwards: pivots inward of a singular joint are only rounding errors. */
  for (int k = run->pivots - 1; k >= 0; k--) {
    double x = run->kind == JN_KIND_F ? (double)((const float *)pivots)[k] : ((const double *)pivots)[k];
    if (!(fabs(x) <= limit)) continue; /* NaN does not count as singular: it comes from the input */
    /* The joint of that coordinate. */
    int iv = run->pivots_of_body ? -1 : t->order[k], found = JN_NONE;
    for (int i = 0; i < t->nb; i++) {
      const jn_body_d *b = &t->body[i];
      if (run->pivots_of_body ? (k >= b->id && k < b->id + b->nv) : (b->owner && iv >= b->iv && iv < b->iv + b->nv))
        found = b->link;
    }
    return found;
  }
  return JN_NONE;
}

const jn_shape jn__shapes[JN_KERNELS] = {
#define LIE_SHAPE(name, n1, n2, model) {2, 1, 0},
#define MODEL_SHAPE(name, scratch, inputs, outputs, fixed) {inputs, outputs, fixed},
    JN_LIE_LIST(LIE_SHAPE) JN_MODEL_KERNEL_LIST(MODEL_SHAPE)};

static int arrays_of(const jn_run *run) { return jn__shapes[run->kernel].inputs + jn__shapes[run->kernel].outputs; }

static inline void begin(jn_call *call, const jn_variant *variant, const jn_run *run, void *scratch) {
  jn__call_init(call, variant, run->model, scratch);
  if (run->tree) call->tree = run->tree;
}

static jn_status run_direct(const jn_variant *variant, jn_run *run) {
  begin(&run->call, variant, run, run->work ? run->work->scratch : NULL);
  variant->kernels[run->kernel](&run->call);
  if (!run->pivots) return JN_OK;
  run->work->singular = jn__judge(run, variant->epsilon, run->call.array[arrays_of(run) - 1]);
  return run->work->singular == JN_NONE ? JN_OK : JN_ERR_SINGULAR;
}

/* The distance between two samples of array i, in numbers and in bytes. */
static size_t stride_of(const jn_run *run, int i) {
  if (jn__shapes[run->kernel].fixed >> i & 1) return 0;
  return run->spread >> i & 1 ? run->apart : run->n[i];
}

static size_t number_bytes(const jn_run *run) { return run->kind == JN_KIND_D ? sizeof(double) : sizeof(float); }

/* Sample k of array i. */
static char *sample(const jn_run *run, int i, size_t k) {
  return (char *)run->call.array[i] + k * stride_of(run, i) * number_bytes(run);
}

size_t jn__run_bytes(const jn_variant *variant, const jn_run *run) {
  size_t reals = 0;
  for (int i = 0; i < arrays_of(run); i++) reals += run->call.array[i] ? run->n[i] : 0;
  return reals * variant->real_bytes;
}

/* Whether one of the `count` samples whose pivots are in lanes is singular. */
static int is_singular(const jn_variant *variant, const jn_run *run, const void *lanes, int count, char *pivots) {
  size_t n = (size_t)run->pivots;
  variant->store(pivots, run->kind, lanes, n, n, count);
  for (int i = 0; i < count; i++)
    if (jn__judge(run, variant->epsilon, pivots + (size_t)i * n * number_bytes(run)) != JN_NONE) return i + 1;
  return 0;
}

static jn_direct direct_of(const jn_variant *variant, const jn_run *run) {
  jn_direct s = {.store = variant->store, .kind = run->kind, .bytes = number_bytes(run)};
  const jn_shape shape = jn__shapes[run->kernel];
  for (int i = 0; i < shape.outputs; i++) s.stride[i] = stride_of(run, shape.inputs + i);
  return s;
}

size_t jn__run_staged(const jn_variant *variant, const jn_run *run, const jn_thread_memory *memory, size_t begins,
                      size_t end) {
  const jn_shape shape = jn__shapes[run->kernel];
  jn_call call = run->call;
  begin(&call, variant, run, memory->scratch);
  jn_direct direct = direct_of(variant, run);
  if (variant->lanes > 1) call.direct = &direct;
  size_t singular = end;
  int first_output = shape.inputs, last = first_output + shape.outputs - (run->pivots > 0);
  for (size_t first = begins; first < end; first += (size_t)variant->lanes) {
    int count = end - first < (size_t)variant->lanes ? (int)(end - first) : variant->lanes;

    /* Inputs into lanes, and memory for the outputs in lanes. */
    char *at = memory->staging;
    for (int i = 0; i < arrays_of(run); i++) {
      int given = run->call.array[i] != NULL;
      call.array[i] = given ? at : NULL;
      if (i < first_output && given)
        variant->load(at, run->kind, sample(run, i, first), run->n[i], stride_of(run, i), count);
      if (i >= first_output) direct.to[i - first_output] = given ? sample(run, i, first) : NULL;
      if (given) at += run->n[i] * variant->real_bytes;
    }

    /* Compute; outputs that the kernel has not stored itself go back to the caller. */
    direct.count = count;
    direct.stored = 0;
    variant->kernels[run->kernel](&call);
    assert(direct.stored >> shape.outputs == 0); /* a kernel stores only outputs that it has */
    for (int i = first_output; i < last; i++)
      if (run->call.array[i] && !(direct.stored >> (i - first_output) & 1))
        variant->store(direct.to[i - first_output], run->kind, call.array[i], run->n[i], stride_of(run, i), count);
    int lane = run->pivots ? is_singular(variant, run, call.array[last], count, memory->pivots) : 0;
    if (lane && singular == end) singular = first + (size_t)lane - 1;
  }
  return singular;
}

size_t jn__run_each(const jn_variant *variant, const jn_run *run, const jn_thread_memory *memory, size_t begins,
                    size_t end) {
  jn_call call = run->call;
  begin(&call, variant, run, memory->scratch);
  size_t singular = end;
  int last = arrays_of(run) - (run->pivots > 0);
  if (run->pivots) call.array[last] = memory->pivots;
  for (size_t k = begins; k < end; k++) {
    for (int i = 0; i < last; i++)
      if (run->call.array[i]) call.array[i] = sample(run, i, k);
    variant->kernels[run->kernel](&call);
    if (run->pivots && singular == end && jn__judge(run, variant->epsilon, memory->pivots) != JN_NONE) singular = k;
  }
  return singular;
}

static jn_status check(const jn_variant *variant, jn_run *run) {
  if (!variant) return JN_ERR_VARIANT;
  if (run->model && (!run->work || run->work->model != run->model)) return JN_ERR_WORK;
  int small = variant->scratch[run->kernel] != JN_SCRATCH_NONE && variant->real_bytes > run->work->real_bytes;
  if (small && !run->states.batch) return JN_ERR_WORK; /* batches have scratch memory of their own */
  jn__argument_sizes(run->kernel, run->model, &run->call, run->n);
  for (int i = 0; i < arrays_of(run); i++)
    if (run->call.array[i] && run->n[i] > INT_MAX) return JN_ERR_SIZE; /* kernels count in int */
  return JN_OK;
}

/* Kernels need at least one output. */
static int wants_nothing(const jn_run *run) {
  for (int i = jn__shapes[run->kernel].inputs; i < arrays_of(run); i++)
    if (run->call.array[i]) return 0;
  return 1;
}

/* What dispatch itself guarantees, checked in debug builds. */
static void check_invariants(const jn_run *run) {
  assert(run->kernel >= 0 && run->kernel < JN_KERNELS);
  assert(arrays_of(run) <= JN_MAX_ARRAYS);
  assert(run->states.count > 0 || run->states.is_part);
  assert(run->states.batch || run->states.count == 1);                               /* many states need a batch */
  assert(run->states.batch || !(run->states.is_part || run->states.own_parameters)); /* parts belong to one */
  assert(!run->work || ((uintptr_t)run->work->scratch & 63) == 0);                   /* kernels rely on it */
  assert(!run->pivots || run->work);                                                 /* it keeps the verdict */
  (void)run;
}

jn_status jn__run(jn_run *run) {
  const jn_states *states = &run->states;
  check_invariants(run);

  /* The variant for one state or for many; a part is computed in lanes even if it is one state. */
  int many = states->batch && (states->count > 1 || states->is_part);
  const jn_variant *variant = jn__choose_variant(run->kind, many);
  jn_status status = check(variant, run);
  if (status != JN_OK || wants_nothing(run)) return status;
  if (states->batch) return jn__run_batch(variant, run);

  /* One state: directly if the variant has the caller's number type. */
  if (variant->lanes == 1 && variant->kind == run->kind) return run_direct(variant, run);

  /* Otherwise through staging memory: on the stack if it is small. */
  alignas(64) char small[SMALL];
  jn_thread_memory memory = {.staging = small};
  if (run->work) memory = (jn_thread_memory){run->work->scratch, small, run->work->pivots};
  size_t need = jn__run_bytes(variant, run);
  if (need > SMALL) {
    if (!run->work || need > run->work->staging_bytes) return JN_ERR_WORK;
    memory.staging = run->work->staging;
  }
  if (jn__run_staged(variant, run, &memory, 0, states->count) == states->count) return JN_OK;
  run->work->singular = jn__judge(run, variant->epsilon, run->work->pivots);
  return JN_ERR_SINGULAR;
}
