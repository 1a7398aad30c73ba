/* SPDX-License-Identifier: BSD-2-Clause */
/* Every algorithm that is timed, as a call on one state and on all states at once. */
#ifndef JN_BENCH_ALGORITHMS_H
#define JN_BENCH_ALGORITHMS_H

#include "robots.h"

enum { SUBJECT_OUTPUTS = 6 };

/* What calls read and write: states of the robot, and jets of the order without gaps. */
typedef struct numbers {
  double *q, *v, *a, *tau, *v_jet, *tau_jet, *out[SUBJECT_OUTPUTS];
} numbers;
typedef struct float_numbers {
  float *q, *v, *a, *tau, *v_jet, *tau_jet, *out[SUBJECT_OUTPUTS];
} float_numbers;

/* A robot with the memory that an algorithm needs on it. */
typedef struct subject {
  const robot *r;
  jn_work *work;
  jn_batch *batch;
  int order;
  numbers numbers;
  float_numbers floats; /* the same in single precision; outputs share their memory */
  double *out[SUBJECT_OUTPUTS];
} subject;

typedef enum algorithm_size { SIZE_N, SIZE_N2, SIZE_FRAMES, SIZE_N3 } algorithm_size; /* of the largest output */

typedef struct algorithm {
  const char *name;
  int order; /* of time derivatives, -1: none */
  algorithm_size size;
  void (*run)(void *subject, int state);    /* on one state */
  void (*batch)(void *subject, int first);  /* on all STATES; first = 0 */
  void (*floats)(void *subject, int first); /* on all STATES, in single precision */
} algorithm;

int algorithm_count(void);
const algorithm *algorithm_at(int i);
/* Whether the outputs for so many states are of a sensible size. */
int algorithm_fits(const robot *r, const algorithm *a, int states);

subject subject_create(const robot *r, const algorithm *a, int states, int threads);
void subject_destroy(subject *s);

#endif
