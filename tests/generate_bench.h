/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated functions, evaluated on their graph. */
#ifndef JN_TESTS_GENERATE_BENCH_H
#define JN_TESTS_GENERATE_BENCH_H

#include "generate/conditions.h"
#include "models.h"

typedef struct bench {
  jn_writing w;
  double *input[JN_ARRAYS];
  double *value;
  jn_status status; /* of jn__write_functions() */
} bench;

/* Everything that jn_generate() does before it writes text. */
static UNUSED void open_bench_of(bench *b, const jn_writing *w) {
  *b = (bench){.w = *w};
  const jn_generate_options *o = &w->options;
  check(jn__mechanism_create(&b->w.mechanism, w->model, 0, o->regroup), "no memory");
  check(jn__graph_init(&b->w.graph, &b->w.allocator, 1 << 24), "no memory");
  check(jn__symbols_create(&b->w.symbols, &b->w.graph, &b->w.mechanism, o->runtime, jn_frame_count(w->model) - 1, 0),
        "no memory");
  check_ok(jn__find_closed_states(&b->w));
  b->status = jn__write_functions(&b->w);
  for (int k = 0; k < JN_ARRAYS; k++) b->input[k] = calloc((size_t)jn__array_size(&b->w, k) + 1, sizeof(double));
  b->value = calloc((size_t)b->w.graph.count, sizeof(double));
}

static UNUSED void open_bench(bench *b, const jn_model *m, const char *want, const jn_generate_options *options) {
  jn_writing w = {.model = m, .allocator = m->allocator, .options = *options};
  w.options.want = want;
  open_bench_of(b, &w);
  check_ok(b->status);
}

static UNUSED void close_bench(bench *b) {
  for (int k = 0; k < b->w.functions; k++) {
    for (int i = 0; i < b->w.function[k].outs; i++) jn__release(&b->w.allocator, b->w.function[k].out[i].values);
    if (b->w.function[k].sequence.node) jn__sequence_free(&b->w.function[k].sequence);
  }
  jn__release(&b->w.allocator, b->w.function);
  jn__release(&b->w.allocator, b->w.closed);
  jn__symbols_free(&b->w.symbols);
  jn__graph_free(&b->w.graph);
  jn__mechanism_free(&b->w.mechanism);
  for (int k = 0; k < JN_ARRAYS; k++) free(b->input[k]);
  free(b->value);
}

/* Result number `out` of function number `k`, at the inputs. */
static UNUSED void results(bench *b, int k, int out, double *x) {
  jn__evaluate(&b->w.graph, b->w.graph.count, (const double *const *)b->input, b->value);
  const jn_written_array *r = &b->w.function[k].out[out];
  for (int i = 0; i < r->size; i++) x[i] = jn__value(b->value, r->values[i]);
}

#endif
