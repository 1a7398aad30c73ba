/* SPDX-License-Identifier: BSD-2-Clause */
/* Every algorithm that is timed, as a call on one state and on all states at once. */
#ifndef JN_BENCH_ALGORITHMS_H
#define JN_BENCH_ALGORITHMS_H

#include <stdio.h>
#include <stdlib.h>

#include "robots.h"

enum { SUBJECT_OUTPUTS = 8, SUBJECT_GIVEN = 3 };

/* What calls read and write: states of the robot, jets of the order without gaps, and what other algorithms computed
 * before (NULL: not needed). */
typedef struct numbers {
  double *q, *v, *a, *tau, *v_jet, *tau_jet, *given[SUBJECT_GIVEN], *out[SUBJECT_OUTPUTS];
} numbers;
typedef struct float_numbers {
  float *q, *v, *a, *tau, *v_jet, *tau_jet, *given[SUBJECT_GIVEN], *out[SUBJECT_OUTPUTS];
} float_numbers;

/* A robot with the memory that an algorithm needs on it. */
typedef struct subject {
  const robot *r;
  jn_work *work;
  jn_batch *batch;
  int order;
  size_t step; /* numbers between the outputs of states in calls on one state; 0: all in one place */
  size_t room; /* numbers that an output of one state has room for */
  numbers numbers;
  float_numbers floats; /* the same in single precision; outputs share their memory */
  double *out[SUBJECT_OUTPUTS];
} subject;

/* Of the largest output: as n numbers, n^2, those of all frames, of all pairs of links or of M for each parameter, n^3.
 */
typedef enum algorithm_size { SIZE_N, SIZE_N2, SIZE_FRAMES, SIZE_LINKS, SIZE_N3 } algorithm_size;

typedef struct algorithm {
  const char *name;
  int order; /* of time derivatives, -1: none */
  algorithm_size size;
  void (*run)(void *subject, int state);    /* on one state */
  void (*batch)(void *subject, int first);  /* on all STATES; first = 0 */
  void (*floats)(void *subject, int first); /* on all STATES, in single precision */
  size_t (*prepare)(subject *s);            /* makes `given`, so many numbers each; NULL: nothing to make */
} algorithm;

/* Arrays of state k, or of all states from state k = 0 on; names for what every call has. */
#define Q (x.q + (size_t)k * (size_t)r->nq)
#define V (x.v + (size_t)k * (size_t)r->nv)
#define A (x.a + (size_t)k * (size_t)r->nv)
#define TAU (x.tau + (size_t)k * (size_t)r->nv)
#define V_JET (x.v_jet + (size_t)k * (size_t)(s->order + 2) * (size_t)r->nv)
#define TAU_JET (x.tau_jet + (size_t)k * (size_t)(s->order + 1) * (size_t)r->nv)
#define OUT(i) (x.out[i] + (size_t)k * s->step)
#define GIVEN(i) (x.given[i] + (size_t)k * (size_t)r->nv * (size_t)r->nv)
#define DOUBLE_STRUCTS                                       \
  typedef jn_terms TERMS UNUSED;                             \
  typedef jn_gradient GRADIENT UNUSED;                       \
  typedef jn_hybrid_derivatives HYBRID UNUSED;               \
  typedef jn_direction DIRECTION UNUSED;                     \
  typedef jn_inverse_derivatives_along INVERSE_ALONG UNUSED; \
  typedef jn_forward_derivatives_along FORWARD_ALONG UNUSED; \
  typedef jn_forward_solution SOLUTION UNUSED;               \
  typedef jn_forward_second_derivatives FORWARD_SECOND UNUSED;
#define FLOAT_STRUCTS                                         \
  typedef jnf_terms TERMS UNUSED;                             \
  typedef jnf_gradient GRADIENT UNUSED;                       \
  typedef jnf_hybrid_derivatives HYBRID UNUSED;               \
  typedef jnf_direction DIRECTION UNUSED;                     \
  typedef jnf_inverse_derivatives_along INVERSE_ALONG UNUSED; \
  typedef jnf_forward_derivatives_along FORWARD_ALONG UNUSED; \
  typedef jnf_forward_solution SOLUTION UNUSED;               \
  typedef jnf_forward_second_derivatives FORWARD_SECOND UNUSED;
/* run_x(): jn_f(model, work, arguments); batch_x(): jn_f_batch(batch, STATES, arguments); float_x(): the same in single
 * precision. TERMS, GRADIENT, ... are the structs of the numbers at hand. */
#define ALGORITHM(name, function, ...)                            \
  static void run_##name(void *context, int k) {                  \
    subject *s = context;                                         \
    const robot *r = s->r;                                        \
    const numbers x = s->numbers;                                 \
    DOUBLE_STRUCTS                                                \
    CHECK(jn_##function(r->model, s->work, __VA_ARGS__));         \
  }                                                               \
  static void batch_##name(void *context, int k) {                \
    subject *s = context;                                         \
    const robot *r = s->r;                                        \
    const numbers x = s->numbers;                                 \
    DOUBLE_STRUCTS                                                \
    CHECK(jn_##function##_batch(s->batch, STATES, __VA_ARGS__));  \
  }                                                               \
  static void float_##name(void *context, int k) {                \
    subject *s = context;                                         \
    const robot *r = s->r;                                        \
    const float_numbers x = s->floats;                            \
    FLOAT_STRUCTS                                                 \
    CHECK(jnf_##function##_batch(s->batch, STATES, __VA_ARGS__)); \
  }
#define UNUSED __attribute__((unused))

#define ENTRY(text, order, size, name) \
  { text, order, size, run_##name, batch_##name, float_##name, NULL }

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
