/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that counts, and fails at a chosen call: jn_allocator a = {count_allocate, count_release, &counter}. */
#ifndef JN_TESTS_COUNTING_H
#define JN_TESTS_COUNTING_H

#include "testing.h"

typedef struct counter {
  int calls;
  int fail_at; /* the call that fails, from 1; 0: none */
  int live;    /* blocks not yet released */
} counter;

static UNUSED void *count_allocate(size_t bytes, void *context) {
  counter *c = context;
  if (++c->calls == c->fail_at) return NULL;
  void *block = malloc(bytes);
  c->live += block != NULL;
  return block;
}

static UNUSED void count_release(void *block, void *context) {
  counter *c = context;
  c->live -= block != NULL;
  free(block);
}

#endif
