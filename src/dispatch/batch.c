/* SPDX-License-Identifier: BSD-2-Clause */
/* Many states: each thread takes a range of states and computes it in the lanes of the widest variant (run.c), or state
 * by state where that is faster. */
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
  size_t room_bytes; /* staging memory of each thread */
  size_t singular;   /* first singular state of the last call that solved */
  void *memory;      /* the block of all threads, to release */
  jn_room *room;     /* [threads] */
  jn_parameters_of_states own;
  atomic_int stopped; /* on request of the caller, in any thread of the last call */
};

static size_t up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static size_t scratch_bytes(const jn_batch *b) { return jn__scratch_bytes(b->work->model, b->work->order, 1); }

static size_t pivot_bytes(const jn_batch *b) {
  const jn_tree_d *t = b->work->model->tree[JN_KIND_D];
  return up((size_t)(t->nd > t->nv ? t->nd : t->nv) * (b->real_bytes > 16 ? b->real_bytes * 2 : 32));
}

/* Memory of the threads, with `staging` bytes each. */
static jn_status make_room(jn_batch *b, size_t staging) {
  const jn_allocator *a = &b->work->model->allocator;
  size_t own = up(staging), threads = (size_t)b->threads;
  if (b->memory && own <= b->room_bytes) return JN_OK; /* nearly always; counting the scratch memory takes 3 us */
  size_t each = scratch_bytes(b) + pivot_bytes(b) + own;
  char *memory = a->allocate(threads * each + 64, a->context);
  if (!memory) return JN_ERR_MEMORY;
  if (b->memory) jn__release(a, b->memory);
  b->memory = memory;
  b->room_bytes = own;
  memory += (64 - (uintptr_t)memory % 64) % 64;
  for (size_t i = 0; i < threads; i++, memory += each)
    b->room[i] =
        (jn_room){.pivots = memory, .staging = memory + pivot_bytes(b), .scratch = memory + pivot_bytes(b) + own};
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
  jn_batch *b = jn__allocate(&model->allocator, up(sizeof *b) + (size_t)count * sizeof *b->room);
  if (!b) return JN_ERR_MEMORY;
  b->allocator = model->allocator;
  b->threads = count;
  b->real_bytes = d->real_bytes > f->real_bytes ? d->real_bytes : f->real_bytes;
  b->singular = JN_ALL_STATES;
  b->room = (jn_room *)(void *)((char *)b + up(sizeof *b));
  jn_status status = order < 0 ? jn_work_create(model, &b->work) : jn_work_create_order(model, order, &b->work);
  if (status == JN_OK) {
    b->work->batch = b;
    status = make_room(b, jn__staging_bytes(model, order));
  }
  if (status == JN_OK)
    *batch = b;
  else
    jn_batch_destroy(b);
  return status;
}

void jn_batch_destroy(jn_batch *b) {
  if (!b) return;
  jn_allocator a = b->allocator;
  if (b->memory) jn__release(&a, b->memory);
  if (b->own.block) jn__release(&a, b->own.block);
  jn_work_destroy(b->work);
  jn__release(&a, b);
}

jn_status jn_batch_set_parameters(jn_batch *b, size_t count, const double *pi) {
  if (!b) return JN_ERR_NULL;
  b->work->special = 0;
  if (b->own.block) jn__release(&b->allocator, b->own.block);
  b->own = (jn_parameters_of_states){0};
  if (!pi) return JN_OK;
  if (!jn__count_fits(count, 10 * (size_t)b->work->model->nlink)) return JN_ERR_SIZE;
  jn_status status = jn__parameters_make(b->work->model, &b->allocator, (size_t)b->threads, count, pi, &b->own);
  b->work->special = status == JN_OK ? JN_WORK_PARAMETERS : 0;
  return status;
}

const jn_model *jn__batch_model(const jn_batch *b) { return b->work->model; }

jn_status jn__batch_reserve(jn_batch *b, size_t numbers) { return make_room(b, numbers * b->real_bytes); }

size_t jn__batch_range(size_t count, size_t k, size_t parts, size_t *first) {
  const jn_variant *variant = jn__choose_variant(JN_KIND_D, 1);
  size_t lanes = variant ? (size_t)variant->lanes : 1, groups = (count + lanes - 1) / lanes;
  size_t end = lanes * (groups * (k + 1) / parts);
  *first = lanes * (groups * k / parts);
  return (end > count ? count : end) - *first;
}

jn_work jn__batch_part(const jn_batch *b, size_t k, size_t first, size_t count) {
  jn_work part = *b->work;
  part.special |= JN_WORK_PART;
  part.first = first;
  part.states = count;
  part.thread = (int)k;
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

void jn__batch_start(jn_batch *b) { atomic_store(&b->stopped, 0); }

void jn__batch_set_singular(jn_batch *b, size_t state) { b->singular = state; }

int jn_batch_threads(const jn_batch *b) { return b ? b->threads : 0; }

size_t jn_batch_singular(const jn_batch *b) { return b ? b->singular : JN_ALL_STATES; }

jn_status jn__batch_begin(jn_batch *b, size_t count, jn_work **work) {
  *work = NULL;
  if (!b) return JN_ERR_NULL;
  if (count == 0) return JN_OK;
  if (!jn__count_fits(count, (size_t)b->work->model->nq)) return JN_ERR_SIZE;
  b->work->states = count;
  b->work->singular = JN_NONE;
  b->singular = JN_ALL_STATES;
  *work = b->work;
  return JN_OK;
}

/* Numbers per state of the outputs that are wanted. */
static size_t output_numbers(const jn_run *r) {
  size_t numbers = 0;
  const jn_shape shape = jn__shapes[r->kernel];
  int end = shape.inputs + shape.outputs - (r->pivots > 0);
  for (int i = shape.inputs; i < end; i++) numbers += r->call.array[i] ? r->n[i] : 0;
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

/* Whether states are computed one by one, straight into the caller's memory. This depends on the model, the function
 * and what is wanted, never on data, threads or the number of states. */
static int one_by_one_is_faster(const jn_variant *variant, const jn_run *r) {
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
    if (r->kernel != limits[k].kernel) continue;
    const jn_tree_d *t = r->model->tree[JN_KIND_D];
    unsigned wanted = 0;
    const jn_shape shape = jn__shapes[r->kernel];
    for (int i = 0; i < shape.outputs; i++) wanted |= r->call.array[shape.inputs + i] ? 1u << i : 0;
    size_t most = t->coupled || variant->register_bytes < 32 ? limits[k].otherwise : limits[k].most;
    return wanted & limits[k].outputs && output_numbers(r) > most;
  }
  return 0;
}

/* How many of the last states, which do not fill a group of lanes, are faster one by one: a group of eight takes as
 * long as 2.4 to 3 single calls, and 4 to 5 of large matrices (M and d tau of 25 joints); one of four half of that. */
static size_t last_states(const jn_variant *variant, const jn_run *r) {
  enum { LARGE = 400 };
  size_t lanes = variant->lanes < 8 ? (size_t)variant->lanes : 8, rest = r->count % (size_t)variant->lanes;
  return rest <= lanes / (output_numbers(r) > LARGE ? 2 : 4) ? rest : 0;
}

/* States [first, end) with parameters of their own, one by one. */
static size_t run_own(const jn_variant *variant, const jn_run *r, jn_batch *b, size_t thread, size_t first,
                      size_t end) {
  jn_run own = *r;
  size_t singular = end;
  for (size_t k = first; k < end; k++) {
    own.tree = jn__parameters_tree(&b->own, thread, r->work->first + k);
    if (jn__run_each(variant, &own, &b->room[thread], k, k + 1) == k && singular == end) singular = k;
  }
  return singular;
}

/* How the states of a call are computed. */
typedef struct batch_plan {
  const jn_variant *variant;
  const jn_run *r;
  jn_batch *b;
  int each, own; /* one by one; with parameters of their own */
  size_t count;  /* states */
  jn_stop stop;  /* whom the caller asks */
} batch_plan;

/* States [first, end), with the memory of a thread. Returns the first that is singular, or `end`. */
static size_t run_whole(const batch_plan *p, size_t thread, size_t first, size_t end) {
  if (p->own) return run_own(p->variant, p->r, p->b, thread, first, end);
  return (p->each ? jn__run_each : jn__run_staged)(p->variant, p->r, &p->b->room[thread], first, end);
}

/* The same in pieces of whole groups of lanes, if somebody is to be asked in between whether to go on. */
static size_t run_states(const batch_plan *p, size_t thread, size_t first, size_t end) {
  if (!p->stop.asked) return run_whole(p, thread, first, end);
  size_t piece = 16 * (size_t)p->variant->lanes, singular = end;
  jn_stop before = jn__stop_get();
  jn__stop_put(p->stop); /* this may be another thread than that of the caller */
  for (size_t at = first; at < end; at += piece) {
    if (atomic_load(&p->b->stopped) || jn__is_stopped()) {
      atomic_store(&p->b->stopped, 1);
      break;
    }
    size_t to = at + piece < end ? at + piece : end, found = run_whole(p, thread, at, to);
    if (found < to && singular == end) singular = found;
  }
  jn__stop_put(before);
  return singular;
}

/* The states of one part, by the thread that calls. */
static jn_status run_part(const batch_plan *p) {
  const jn_run *r = p->r;
  if (!p->each && jn__run_bytes(p->variant, r) > p->b->room_bytes) return JN_ERR_WORK;
  size_t found = run_states(p, (size_t)r->work->thread, 0, r->count);
  r->work->lost = found;
  if (atomic_load(&p->b->stopped)) return JN_ERR_STOPPED;
  return found == r->count ? JN_OK : JN_ERR_SINGULAR;
}

/* All states in threads, each a range of whole groups of lanes. Returns the first that is singular, or `count`. */
static size_t run_parts(const batch_plan *p) {
  size_t lanes = (size_t)p->variant->lanes, groups = (p->count + lanes - 1) / lanes, threads = (size_t)p->b->threads;
  size_t parts = groups < threads ? groups : threads, singular = p->count;
  if (parts < 2) return p->count ? run_states(p, 0, 0, p->count) : 0; /* a team of one thread takes 0.4 us to call */
#if JN_WITH_OPENMP
#pragma omp parallel for num_threads((int)parts) schedule(static, 1) reduction(min : singular)
#endif
  for (size_t k = 0; k < parts; k++) {
    size_t first = lanes * (groups * k / parts), end = lanes * (groups * (k + 1) / parts);
    if (end > p->count) end = p->count;
    size_t found = run_states(p, k, first, end);
    if (found < end && found < singular) singular = found;
  }
  return singular;
}

jn_status jn__run_batch(const jn_variant *variant, const jn_run *given) {
  jn_batch *b = given->work->batch;
  jn_run in_lanes;
  const jn_run *r = given;
  const jn_variant *one = jn__choose_variant(r->kind, 0);
  int direct = one->lanes == 1 && one->kind == r->kind;
  int each = direct && (variant->lanes == 1 || one_by_one_is_faster(variant, r));
  int own = r->work->special & JN_WORK_PARAMETERS, part = r->work->special & JN_WORK_PART;
  if (own) {
    if (r->work->first + r->count > b->own.count) return JN_ERR_SIZE;
    if (r->kind != JN_KIND_D || one->lanes != 1 || one->kind != r->kind) return JN_ERR_UNSUPPORTED;
    if (variant->lanes > 1 && variant->kind == JN_KIND_D &&
        r->kernel == JN_KERNEL_forward_dynamics) { /* which takes them as an input */
      in_lanes = *r;
      in_lanes.call.forward_dynamics.inertias = jn__parameters_inertias(&b->own, r->work->first);
      r = &in_lanes;
      own = 0;
    } else
      each = 1;
  }
  size_t last = direct && !each && !part && r == given ? last_states(variant, r) : 0;
  batch_plan p = {each ? one : variant, r, b, each, own, r->count - last, jn__stop_get()};
  if (part) return run_part(&p);
  atomic_store(&b->stopped, 0);
  jn_status status = make_room(b, each ? 0 : jn__run_bytes(variant, r));
  if (status != JN_OK) return status;
  size_t singular = run_parts(&p);
  if (atomic_load(&b->stopped)) return JN_ERR_STOPPED;
  if (singular == p.count) singular = last ? jn__run_each(one, r, &b->room[0], p.count, r->count) : r->count;
  if (singular == r->count) return JN_OK;
  b->singular = singular;
  return JN_ERR_SINGULAR;
}
