/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of states: each thread takes a range of states and computes it in the lanes of the widest variant (run.c), or
 * state by state where that is faster. Which states a call computes is explicit in every run (jn_states of dispatch.h).
 */
#include "batch.h"

#include <stdatomic.h>

#if JN_WITH_OPENMP
#include <omp.h>
#endif

#include "../model/model.h"
#include "../model/stop.h"
#include "parameters.h"

enum { MOST_THREADS = 1 << 16 };

struct jn_batch {
  jn_allocator allocator;
  jn_work *work; /* passed to the functions for one state, which then run in the batch */
  int threads;
  size_t real_bytes;
  size_t staging_bytes;            /* of each thread */
  size_t singular;                 /* first singular state of the last call that solved */
  void *memory;                    /* the block of all threads, to release */
  jn_thread_memory *thread_memory; /* [threads] */
  jn_parameters_of_states own;
  atomic_int stopped; /* on request of the caller, in any thread of the last call */
};

static size_t up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static size_t scratch_bytes(const jn_batch *batch) {
  return jn__scratch_bytes(batch->work->model, batch->work->order, 1);
}

static size_t pivot_bytes(const jn_batch *batch) {
  const jn_tree_d *t = batch->work->model->tree[JN_KIND_D];
  return up((size_t)(t->nd > t->nv ? t->nd : t->nv) * (batch->real_bytes > 16 ? batch->real_bytes * 2 : 32));
}

/* Memory of the threads, with `staging` bytes each. */
static jn_status reserve_memory(jn_batch *batch, size_t staging) {
  const jn_allocator *a = &batch->work->model->allocator;
  size_t own = up(staging), threads = (size_t)batch->threads;
  if (batch->memory && own <= batch->staging_bytes)
    return JN_OK; /* nearly always; counting the scratch memory takes 3 us */
  /* One block for all threads: pivots, staging and scratch memory of each. */
  size_t each = scratch_bytes(batch) + pivot_bytes(batch) + own;
  char *memory = a->allocate(threads * each + 64, a->context);
  if (!memory) return JN_ERR_MEMORY;
  if (batch->memory) jn__release(a, batch->memory);
  batch->memory = memory;
  batch->staging_bytes = own;
  memory += (64 - (uintptr_t)memory % 64) % 64;

  for (size_t i = 0; i < threads; i++, memory += each)
    batch->thread_memory[i] = (jn_thread_memory){
        .pivots = memory, .staging = memory + pivot_bytes(batch), .scratch = memory + pivot_bytes(batch) + own};
  return JN_OK;
}

static int default_threads(void) {
#if JN_WITH_OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

jn_status jn_batch_create(const jn_model *model, int order, int threads, jn_batch **batch) {
  if (batch) *batch = NULL;
  if (!model || !batch) return JN_ERR_NULL;
  if (threads < 0 || threads > MOST_THREADS || order < -1 || order > JN_MAX_ORDER) return JN_ERR_SIZE;
  const jn_variant *d = jn__choose_variant(JN_KIND_D, 1), *f = jn__choose_variant(JN_KIND_F, 1);
  if (!d || !f) return JN_ERR_VARIANT;
  int count = JN_WITH_OPENMP && threads != 1 ? (threads ? threads : default_threads()) : 1;

  /* The batch, and a work of its own that passes its states on. */
  jn_batch *made = jn__allocate(&model->allocator, up(sizeof *made) + (size_t)count * sizeof *made->thread_memory);
  if (!made) return JN_ERR_MEMORY;
  made->allocator = model->allocator;
  made->threads = count;
  made->real_bytes = d->real_bytes > f->real_bytes ? d->real_bytes : f->real_bytes;
  made->singular = JN_ALL_STATES;
  made->thread_memory = (jn_thread_memory *)(void *)((char *)made + up(sizeof *made));
  jn_status status = order < 0 ? jn_work_create(model, &made->work) : jn_work_create_order(model, order, &made->work);
  if (status == JN_OK) {
    made->work->states.batch = made;
    status = reserve_memory(made, jn__staging_bytes(model, order));
  }
  if (status == JN_OK)
    *batch = made;
  else
    jn_batch_destroy(made);
  return status;
}

void jn_batch_destroy(jn_batch *batch) {
  if (!batch) return;
  jn_allocator a = batch->allocator;
  if (batch->memory) jn__release(&a, batch->memory);
  if (batch->own.block) jn__release(&a, batch->own.block);
  jn_work_destroy(batch->work);
  jn__release(&a, batch);
}

jn_status jn_batch_set_parameters(jn_batch *batch, size_t count, const double *pi) {
  if (!batch) return JN_ERR_NULL;
  batch->work->states.own_parameters = 0;
  if (batch->own.block) jn__release(&batch->allocator, batch->own.block);
  batch->own = (jn_parameters_of_states){0};
  if (!pi) return JN_OK;
  if (!jn__count_fits(count, 10 * (size_t)batch->work->model->nlink)) return JN_ERR_SIZE;
  jn_status status =
      jn__parameters_make(batch->work->model, &batch->allocator, (size_t)batch->threads, count, pi, &batch->own);
  batch->work->states.own_parameters = status == JN_OK;
  return status;
}

const jn_model *jn__batch_model(const jn_batch *batch) { return batch->work->model; }

jn_status jn__batch_reserve(jn_batch *batch, size_t numbers) {
  return reserve_memory(batch, numbers * batch->real_bytes);
}

size_t jn__batch_range(size_t count, size_t k, size_t parts, size_t *first) {
  const jn_variant *variant = jn__choose_variant(JN_KIND_D, 1);
  size_t lanes = variant ? (size_t)variant->lanes : 1, groups = (count + lanes - 1) / lanes;
  size_t end = lanes * (groups * (k + 1) / parts);
  *first = lanes * (groups * k / parts);
  return (end > count ? count : end) - *first;
}

jn_work jn__batch_part(const jn_batch *batch, size_t k, size_t first, size_t count) {
  jn_work part = *batch->work;
  part.states.is_part = 1;
  part.states.first = first;
  part.states.count = count;
  part.states.thread = (int)k;
  part.lost = count;
  return part;
}

void jn__batch_parallel(size_t parts, void (*part)(void *context, size_t k), void *context) {
  if (parts == 1) { /* a team of one thread takes 0.4 us to call */
    part(context, 0);
    return;
  }
  jn_stop stop = jn__stop_get();
#if JN_WITH_OPENMP
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
#endif
  for (size_t k = 0; k < parts; k++) {
    jn_stop before = jn__stop_get();
    jn__stop_put(stop);
    part(context, k);
    jn__stop_put(before);
  }
}

void jn__batch_start(jn_batch *batch) { atomic_store(&batch->stopped, 0); }

void jn__batch_set_singular(jn_batch *batch, size_t state) { batch->singular = state; }

int jn_batch_threads(const jn_batch *batch) { return batch ? batch->threads : 0; }

size_t jn_batch_singular(const jn_batch *batch) { return batch ? batch->singular : JN_ALL_STATES; }

jn_status jn__batch_begin(jn_batch *batch, size_t count, jn_work **work) {
  *work = NULL;
  if (!batch) return JN_ERR_NULL;
  if (count == 0) return JN_OK;
  if (!jn__count_fits(count, (size_t)batch->work->model->nq)) return JN_ERR_SIZE;
  batch->work->states.count = count;
  batch->work->singular = JN_NONE;
  batch->singular = JN_ALL_STATES;
  *work = batch->work;
  return JN_OK;
}

/* Numbers per state of the outputs that are wanted. */
static size_t output_numbers(const jn_run *run) {
  size_t numbers = 0;
  const jn_shape shape = jn__shapes[run->kernel];
  int end = shape.inputs + shape.outputs - (run->pivots > 0);
  for (int i = shape.inputs; i < end; i++) numbers += run->call.array[i] ? run->n[i] : 0;
  return numbers;
}

/* Kernels for which lanes lose when a state has more numbers than this to write: these compute little for each number,
 * and a group of states then writes more than the second cache holds, at several places at once. All others are faster
 * in lanes on every robot that was measured. The second number is for models with coupled coordinates, whose results
 * go through memory in lanes, and for registers of 16 bytes, which were not measured. How these were found:
 * docs/benchmarks.md, "When a batch is computed state by state"; `bench_all --batch --all` lists what is slower in a
 * batch than state by state. */
static const struct {
  int kernel;
  unsigned outputs; /* bits: if one of them is wanted */
  size_t most, otherwise;
} limits[] = {
    {JN_KERNEL_terms, 1u << JN_OUT_terms_jacobians | 1u << JN_OUT_terms_jacobian_rates, 6000,
     512},                                                                /* Jacobians of all frames */
    {JN_KERNEL_regressor, 1u << JN_OUT_regressor_Y, 7000, 400},           /* of torques */
    {JN_KERNEL_solve_columns, ~0u, 6000, 6000},                           /* derivatives by parameters */
    {JN_KERNEL_inverse_dynamics_second_derivatives, ~0u, 200000, 200000}, /* second derivatives */
};

/* Whether states are computed one by one, directly in the caller's memory. This depends on the model, the function
 * and what is wanted, never on data, threads or the number of states. */
static int one_by_one_is_faster(const jn_variant *variant, const jn_run *run) {
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
    if (run->kernel != limits[k].kernel) continue;
    const jn_tree_d *t = run->model->tree[JN_KIND_D];
    unsigned wanted = 0;
    const jn_shape shape = jn__shapes[run->kernel];
    for (int i = 0; i < shape.outputs; i++) wanted |= run->call.array[shape.inputs + i] ? 1u << i : 0;
    size_t most = t->coupled || variant->register_bytes < 32 ? limits[k].otherwise : limits[k].most;
    return wanted & limits[k].outputs && output_numbers(run) > most;
  }
  return 0;
}

/* How many of the last states, which do not fill a group of lanes, are faster one by one: a group of eight takes as
 * long as 2.4 to 3 single calls, and 4 to 5 of large matrices (M and d tau of 25 joints); one of four half of that. */
static size_t last_states(const jn_variant *variant, const jn_run *run) {
  enum { LARGE = 400 };
  size_t lanes = variant->lanes < 8 ? (size_t)variant->lanes : 8, rest = run->states.count % (size_t)variant->lanes;
  return rest <= lanes / (output_numbers(run) > LARGE ? 2 : 4) ? rest : 0;
}

/* States [first, end) with parameters of their own, one by one. */
static size_t run_own(const jn_variant *variant, const jn_run *run, jn_batch *batch, size_t thread, size_t first,
                      size_t end) {
  jn_run own = *run;
  size_t singular = end;
  for (size_t k = first; k < end; k++) {
    own.tree = jn__parameters_tree(&batch->own, thread, run->states.first + k);
    if (jn__run_each(variant, &own, &batch->thread_memory[thread], k, k + 1) == k && singular == end) singular = k;
  }
  return singular;
}

/* How the states of a call are computed. */
typedef struct batch_plan {
  const jn_variant *variant;
  const jn_run *run;
  jn_batch *batch;
  int each, own; /* one by one; with parameters of their own */
  size_t count;  /* states */
  jn_stop stop;  /* whom the caller asks */
} batch_plan;

/* States [first, end), with the memory of a thread. Returns the first that is singular, or `end`. */
static size_t run_whole(const batch_plan *plan, size_t thread, size_t first, size_t end) {
  if (plan->own) return run_own(plan->variant, plan->run, plan->batch, thread, first, end);
  return (plan->each ? jn__run_each : jn__run_staged)(plan->variant, plan->run, &plan->batch->thread_memory[thread],
                                                      first, end);
}

/* The same in pieces of whole groups of lanes, if somebody is to be asked in between whether to go on. */
static size_t run_states(const batch_plan *plan, size_t thread, size_t first, size_t end) {
  if (!plan->stop.asked) return run_whole(plan, thread, first, end);

  /* In pieces, asking in between whether to stop. */
  size_t piece = 16 * (size_t)plan->variant->lanes, singular = end;
  jn_stop before = jn__stop_get();
  jn__stop_put(plan->stop); /* this may be another thread than that of the caller */
  for (size_t at = first; at < end; at += piece) {
    if (atomic_load(&plan->batch->stopped) || jn__is_stopped()) {
      atomic_store(&plan->batch->stopped, 1);
      break;
    }
    size_t to = at + piece < end ? at + piece : end, found = run_whole(plan, thread, at, to);
    if (found < to && singular == end) singular = found;
  }
  jn__stop_put(before);
  return singular;
}

/* The states of one part, by the thread that calls. */
static jn_status run_part(const batch_plan *plan) {
  const jn_run *run = plan->run;
  if (!plan->each && jn__run_bytes(plan->variant, run) > plan->batch->staging_bytes) return JN_ERR_WORK;
  size_t found = run_states(plan, (size_t)run->states.thread, 0, run->states.count);
  run->work->lost = found;
  if (atomic_load(&plan->batch->stopped)) return JN_ERR_STOPPED;
  return found == run->states.count ? JN_OK : JN_ERR_SINGULAR;
}

/* All states in threads, each a range of whole groups of lanes. Returns the first that is singular, or `count`. */
static size_t run_parts(const batch_plan *plan) {
  size_t lanes = (size_t)plan->variant->lanes, groups = (plan->count + lanes - 1) / lanes,
         threads = (size_t)plan->batch->threads;
  size_t parts = groups < threads ? groups : threads, singular = plan->count;
  if (parts < 2)
    return plan->count ? run_states(plan, 0, 0, plan->count) : 0; /* a team of one thread takes 0.4 us to call */
#if JN_WITH_OPENMP
#pragma omp parallel for num_threads((int)parts) schedule(static, 1) reduction(min : singular)
#endif
  for (size_t k = 0; k < parts; k++) {
    size_t first = lanes * (groups * k / parts), end = lanes * (groups * (k + 1) / parts);
    if (end > plan->count) end = plan->count;
    size_t found = run_states(plan, k, first, end);
    if (found < end && found < singular) singular = found;
  }
  return singular;
}

/* Runs a call on states of a batch: decides how they are computed, then computes them in threads. */
jn_status jn__run_batch(const jn_variant *variant, const jn_run *given) {
  jn_batch *batch = given->states.batch;
  jn_run in_lanes;
  const jn_run *run = given;

  /* In lanes, or one by one where that is faster. */
  const jn_variant *one = jn__choose_variant(run->kind, 0);
  int direct = one->lanes == 1 && one->kind == run->kind;
  int each = direct && (variant->lanes == 1 || one_by_one_is_faster(variant, run));
  int own = run->states.own_parameters, part = run->states.is_part;

  /* States with parameters of their own: as an input of forward dynamics in lanes, otherwise one by one with their
   * own tree. */
  if (own) {
    if (run->states.first + run->states.count > batch->own.count) return JN_ERR_SIZE;
    if (run->kind != JN_KIND_D || one->lanes != 1 || one->kind != run->kind) return JN_ERR_UNSUPPORTED;
    if (variant->lanes > 1 && variant->kind == JN_KIND_D && run->kernel == JN_KERNEL_forward_dynamics) {
      in_lanes = *run;
      in_lanes.call.forward_dynamics.inertias = jn__parameters_inertias(&batch->own, run->states.first);
      run = &in_lanes;
      own = 0;
    } else
      each = 1;
  }

  /* The last states may be faster one by one than in lanes that are not full. */
  size_t last = direct && !each && !part && run == given ? last_states(variant, run) : 0;
  batch_plan plan = {each ? one : variant, run, batch, each, own, run->states.count - last, jn__stop_get()};
  if (part) return run_part(&plan);

  /* All threads; then the last states. */
  atomic_store(&batch->stopped, 0);
  jn_status status = reserve_memory(batch, each ? 0 : jn__run_bytes(variant, run));
  if (status != JN_OK) return status;
  size_t singular = run_parts(&plan);
  if (atomic_load(&batch->stopped)) return JN_ERR_STOPPED;
  if (singular == plan.count)
    singular =
        last ? jn__run_each(one, run, &batch->thread_memory[0], plan.count, run->states.count) : run->states.count;

  /* The first singular state, if any. */
  if (singular == run->states.count) return JN_OK;
  batch->singular = singular;
  return JN_ERR_SINGULAR;
}
