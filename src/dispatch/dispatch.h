/* SPDX-License-Identifier: BSD-2-Clause */
/* From the caller's arrays to a variant's kernel and back. */
#ifndef JN_DISPATCH_DISPATCH_H
#define JN_DISPATCH_DISPATCH_H

#include "../kernel/base/call.h"
#include "../lie/number.h"
#include "../model/model.h"
#include "jounce/batch.h"
#include "jounce/configuration.h"

/* Rows in this build that this CPU can run; NULL beyond the last. Rows for tests only are there in test builds. */
const jn_variant *jn__variant(int i);
const jn_variant *jn__variant_by_name(const char *name);
/* The variant for one state (lanes = 0) or many (lanes = 1) of the caller's number type; NULL: JOUNCE_VARIANT is wrong.
 */
const jn_variant *jn__choose_variant(int kind, int many);
/* Forces a variant for everything from now on, as JOUNCE_VARIANT does; only in the library of bench/versions.c. */
void jn__use_variant(const char *name);

/* Which states a call computes. In every run it is explicit; the public functions for one state, which take a work
 * alone, get it from there (jn__run_init()), and functions of jounce/batch.h put it there (jn__batch_begin()). */
typedef struct jn_states {
  jn_batch *batch;    /* NULL: one state, whose arrays may go to the kernel directly */
  size_t count;       /* states of the call: 1 without a batch, also 1 for a batch of one state */
  size_t first;       /* index in the batch of the first of them */
  int own_parameters; /* states of the batch have parameters of their own (parameters.c) */
  int is_part;        /* the call is one thread's part of a batch (batch.h); it runs in that thread */
  int thread;         /* of a part: whose scratch memory it uses */
} jn_states;

/* A kernel on arrays of the caller. Dispatch sets the arguments of the kernel by name, call.x = (jn_x_arguments){...};
 * the description says how many numbers an array has for one state, and samples follow each other without gaps. */
typedef struct jn_run {
  int kernel;
  int kind;              /* type of the caller's numbers: JN_KIND_D, JN_KIND_F */
  const jn_model *model; /* NULL for kernels without a model */
  jn_work *work;
  jn_states states;   /* which states: one, or some of a batch */
  int pivots;         /* numbers in the last output, tested for singularity after each sample; 0: none */
  int pivots_of_body; /* they are counted over the bodies' coordinates, not over the order of elimination */
  unsigned spread;    /* bits of arrays that are rows of larger ones: their samples are `apart` numbers apart */
  size_t apart;
  const void *tree;        /* NULL: of the model */
  jn_call call;            /* the arguments; jn__run() sets the rest */
  size_t n[JN_MAX_ARRAYS]; /* numbers of each array; jn__run() sets them */
} jn_run;

/* The number of an array of a kernel. */
#define JN_ARRAY(kernel, name) (offsetof(jn_##kernel##_arguments, name) / sizeof(void *))

/* Numbers of arrays of each kernel, and bits of inputs that are the same for all samples. */
typedef struct jn_shape {
  unsigned char inputs, outputs, fixed;
} jn_shape;
extern const jn_shape jn__shapes[JN_KERNELS];

/* How many numbers the arrays of a kernel have for one sample. */
void jn__argument_sizes(int kernel, const jn_model *model, const jn_call *call, size_t n[JN_MAX_ARRAYS]);

/* Sets everything except the arguments. */
static inline void jn__run_init(jn_run *run, int kernel, int kind, const jn_model *model, jn_work *work);

/* JN_OK, JN_ERR_WORK (too small, or of another model), JN_ERR_VARIANT, JN_ERR_SINGULAR (a pivot is zero up to
 * rounding). An input that is NULL is NULL in the kernel, too. */
jn_status jn__run(jn_run *run);

/* Memory of one thread: of the kernels, of samples on their way into lanes, and of the pivots of one group of lanes. */
typedef struct jn_thread_memory {
  char *scratch, *staging, *pivots; /* 64-byte aligned */
} jn_thread_memory;

/* Runs samples [first, end) by staging. Returns the first sample that is singular, or `end`. */
size_t jn__run_staged(const jn_variant *variant, const jn_run *run, const jn_thread_memory *memory, size_t first,
                      size_t end);
/* The same one by one without staging, in a variant of the caller's own number type without lanes. */
size_t jn__run_each(const jn_variant *variant, const jn_run *run, const jn_thread_memory *memory, size_t first,
                    size_t end);
size_t jn__run_bytes(const jn_variant *variant, const jn_run *run); /* size of the staging memory */
/* Runs a call whose states belong to a batch: in its threads, or, if they are a part, in the present one. */
jn_status jn__run_batch(const jn_variant *variant, const jn_run *run);
/* The joint whose pivot is zero up to rounding, or JN_NONE. */
int jn__judge(const jn_run *run, double epsilon, const void *pivots);

/* Orders from ... end - 1 of jn_hybrid_dynamics_jet() (prescribed NULL: of forward dynamics) of order `order`. Order 0
 * comes first; then, with the same work, which nothing else uses in between, and the same q and wrench_jet, the next
 * ones. Of tau_jet only rows from ... end - 1 are read, so that they may depend on the rows 0 ... from of v_out, which
 * is complete up to row `end`; rows beyond are zero or prescribed. The order of the work is not checked. */
jn_status jn__hybrid_jet_orders(const jn_model *model, jn_work *work, int order, int from, int end,
                                const unsigned char *prescribed, const double *q, const double *v_jet,
                                const double *tau_jet, const double *wrench_jet, double *v_out, double *tau_out);

/* Sizes in work memory of the staging memory for samples in lanes, and of the kernels' scratch memory. */
size_t jn__staging_bytes(const jn_model *model, int order);
/* order: of jets, -1 for none; many: include the variants for many states. */
size_t jn__scratch_bytes(const jn_model *model, int order, int many);
/* The largest real of the variants that single states use. */
size_t jn__real_bytes(void);

/* A pivot below this limit, relative to the inertia that the coordinate moves, counts as zero. In double the limit
 * allows for the rounding errors of long chains; float does not have enough digits for that. */
static inline double jn__pivot_limit(double epsilon) { return (epsilon < 1e-10 ? 1000 : 4) * epsilon; }

struct jn_work {
  const jn_model *model;
  jn_allocator allocator; /* of block */
  void *block;            /* to release; NULL when the caller gave the memory */
  char *staging;          /* 64-byte aligned */
  size_t staging_bytes;
  size_t real_bytes; /* of the reals that scratch memory is made for */
  char *scratch;     /* 64-byte aligned */
  char *pivots;      /* doubles: one for each joint coordinate */
  char *spare;       /* 3 nv doubles for public functions that call kernels one after another */
  int order;         /* of jets, -1: none */
  int singular;      /* joint without effective inertia found by the last call that solved, JN_NONE */
  jn_states states;  /* of the present call; a work of the user's own always has one state and no batch */
  size_t lost;       /* of a part: its first singular state, or the number of its states */
};

/* Sets everything except the arguments. */
static inline void jn__call_init(jn_call *c, const jn_variant *variant, const jn_model *model, void *scratch) {
  c->tree = model ? model->tree[variant->kind] : NULL;
  c->scratch = scratch;
  c->direct = NULL;
  c->counted = NULL;
}

/* The variant that one state can be passed to directly, or NULL if the arrays or the work need jn__run(). */
static inline const jn_variant *jn__direct_variant(int kind, const jn_model *model, const jn_work *work) {
  const jn_variant *variant = jn__choose_variant(kind, 0);
  if (!variant || variant->lanes != 1 || variant->kind != kind) return NULL;
  return work->model == model && !work->states.batch && work->real_bytes >= variant->real_bytes ? variant : NULL;
}

static inline void jn__run_init(jn_run *run, int kernel, int kind, const jn_model *model, jn_work *work) {
  run->kernel = kernel;
  run->kind = kind;
  run->model = model;
  run->work = work;
  run->states = work ? work->states : (jn_states){.count = 1};
  run->tree = NULL;
  run->pivots = run->pivots_of_body = 0;
  run->spread = 0;
}

#endif
