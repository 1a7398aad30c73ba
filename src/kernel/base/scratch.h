/* SPDX-License-Identifier: BSD-2-Clause */
/* Scratch memory of a call. A kernel takes all that it needs before it computes anything; a call that only counts ends
 * there, so that the code that takes memory is the code that says how much. In such a call q is NULL and all other
 * arrays are wanted, but must not be touched. */
#ifndef JN_KERNEL_BASE_SCRATCH_H
#define JN_KERNEL_BASE_SCRATCH_H

#include "../../lie/number.h"
#include "call.h"

/* Takes blocks of reals from the scratch memory of a call. */
static inline real *take(real **at, size_t count) {
  real *block = *at;
  *at += count;
  return block;
}
#define TAKE(at, count, type) \
  ((type *)(void *)take(at, ((size_t)(count) * sizeof(type) + sizeof(real) - 1) / sizeof(real)))

/* The same for types that must not straddle cache lines: scratch memory begins at one. Takes up to 64 bytes more. */
#define TAKE_ALIGNED(at, count, type) \
  (*(at) = (real *)(((uintptr_t) * (at) + 63) & ~(uintptr_t)63), TAKE(at, count, type))

/* Integers, a real each. */
#define TAKE_INTS(at, count) ((int32_t *)(void *)take(at, (size_t)(count)))

/* Whether the call only counts: notes that scratch memory is taken up to `at`. */
static inline int counts(const jn_call *call, const real *at) {
  if (__builtin_expect(!call->counted, 1)) return 0;
  size_t bytes = (size_t)((const char *)at - (const char *)call->scratch);
  if (bytes > *call->counted) *call->counted = bytes;
  return 1;
}

/* The same for another kernel that a kernel calls, in scratch memory that begins later. */
static inline int counts_inner(const jn_call *c, const jn_call *inner, jn_kernel kernel) {
  if (__builtin_expect(!c->counted, 1)) return 0;
  size_t bytes = 0;
  jn_call call = *inner;
  call.counted = &bytes;
  kernel(&call);
  return counts(c, (const real *)(const void *)((const char *)inner->scratch + bytes));
}

#endif
