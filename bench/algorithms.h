/* SPDX-License-Identifier: BSD-2-Clause */
/* Every algorithm that is timed, as a call on one state. */
#ifndef JN_BENCH_ALGORITHMS_H
#define JN_BENCH_ALGORITHMS_H

#include "robots.h"

/* A robot with the memory that its algorithms need. */
typedef struct subject {
  const robot *r;
  jn_work *work;
  double *out[8]; /* each has room for the largest output that is timed */
  int order;
} subject;

typedef struct algorithm {
  const char *name;
  int order;     /* of time derivatives, -1: none */
  int small;     /* 1: outputs grow as nv^3 or 10 n nv: only for robots with at most 60 coordinates */
  void (*run)(void *subject, int state);
} algorithm;

int algorithm_count(void);
const algorithm *algorithm_at(int i);

subject subject_create(const robot *r);
void subject_destroy(subject *s);

#endif
