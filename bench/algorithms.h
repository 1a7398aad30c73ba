/* SPDX-License-Identifier: BSD-2-Clause */
/* Every algorithm that is timed, as a call on one state and on all states at once. */
#ifndef JN_BENCH_ALGORITHMS_H
#define JN_BENCH_ALGORITHMS_H

#include <stdio.h>
#include <stdlib.h>

#include "robots.h"

enum { SUBJECT_OUTPUTS = 8, SUBJECT_GIVEN = 3 };

/* A robot with the memory that an algorithm needs on it. */
typedef struct subject {
  const robot *r;
  jn_work *work;
  jn_batch *batch;
  int order;
  double *v_jet, *tau_jet; /* of the order, without gaps */
  double *out[SUBJECT_OUTPUTS];
  double *given[SUBJECT_GIVEN]; /* what other algorithms computed, [STATES x nv x nv]; NULL: not needed */
} subject;

/* Of the largest output: as n numbers, n^2, those of all frames, of all pairs of links or of M for each parameter, n^3.
 */
typedef enum algorithm_size { SIZE_N, SIZE_N2, SIZE_FRAMES, SIZE_LINKS, SIZE_N3 } algorithm_size;

typedef struct algorithm {
  const char *name;
  int order; /* of time derivatives, -1: none */
  algorithm_size size;
  void (*run)(void *subject, int state);   /* on one state */
  void (*batch)(void *subject, int first); /* on all STATES; first = 0 */
  void (*prepare)(subject *s);             /* makes `given`; NULL: nothing to make */
} algorithm;

/* Arrays of state k, or of all states from state k = 0 on; names for what every call has. */
#define Q (r->q + (size_t)k * (size_t)r->nq)
#define V (r->v + (size_t)k * (size_t)r->nv)
#define A (r->a + (size_t)k * (size_t)r->nv)
#define TAU (r->tau + (size_t)k * (size_t)r->nv)
#define V_JET (s->v_jet + (size_t)k * (size_t)(s->order + 2) * (size_t)r->nv)
#define TAU_JET (s->tau_jet + (size_t)k * (size_t)(s->order + 1) * (size_t)r->nv)
#define OUT(i) (s->out[i])
#define GIVEN(i) (s->given[i] + (size_t)k * (size_t)r->nv * (size_t)r->nv)
/* run_x(): jn_f(model, work, arguments); batch_x(): jn_f_batch(batch, STATES, arguments). */
#define ALGORITHM(name, function, ...)                      \
  static void run_##name(void *context, int k) {            \
    subject *s = context;                                   \
    const robot *r = s->r;                                  \
    CHECK(function(r->model, s->work, __VA_ARGS__));        \
  }                                                         \
  static void batch_##name(void *context, int k) {          \
    subject *s = context;                                   \
    const robot *r = s->r;                                  \
    CHECK(function##_batch(s->batch, STATES, __VA_ARGS__)); \
  }

#define ENTRY(text, order, size, name) \
  { text, order, size, run_##name, batch_##name, NULL }

/* Those of docs/benchmarks.md, or really all (algorithms_more.c). */
int algorithm_count(int all);
const algorithm *algorithm_at(int i);
int more_count(void);
const algorithm *more_at(int i);
/* Whether the outputs for so many states are of a sensible size. */
int algorithm_fits(const robot *r, const algorithm *a, int states);

subject subject_create(const robot *r, const algorithm *a, int states, int threads);
void subject_destroy(subject *s);

#endif
