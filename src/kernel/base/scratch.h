/* SPDX-License-Identifier: BSD-2-Clause */
/* Scratch memory of a call. A kernel takes everything that it needs before it computes anything. A call that only
 * counts memory ends there, so that the code that takes memory also determines its size. In such a call q is NULL; all
 * other arrays are given, but must not be read or written. */
#ifndef JN_KERNEL_BASE_SCRATCH_H
#define JN_KERNEL_BASE_SCRATCH_H

#include "../../lie/number.h"
#include "call.h"

/* The next `count` reals of scratch memory. */
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

/* Whether the call only counts. Then notes that scratch memory is taken up to `at`. */
static inline int counts(const jn_call *call, const real *at) {
  if (__builtin_expect(!call->counted, 1)) return 0;
  size_t bytes = (size_t)((const char *)at - (const char *)call->scratch);
  if (bytes > *call->counted) *call->counted = bytes;
  return 1;
}

/* The same for a kernel that is called by a kernel, in scratch memory that begins later. */
static inline int counts_inner(const jn_call *c, const jn_call *inner, jn_kernel kernel) {
  if (__builtin_expect(!c->counted, 1)) return 0;
  size_t bytes = 0;
  jn_call call = *inner;
  call.counted = &bytes;
  kernel(&call);
  return counts(c, (const real *)(const void *)((const char *)inner->scratch + bytes));
}

#endif
