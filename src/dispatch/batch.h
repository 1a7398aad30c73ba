/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: the memory of their threads, and a work that tells the functions for one state how many states there are. */
#ifndef JN_DISPATCH_BATCH_H
#define JN_DISPATCH_BATCH_H

#include "dispatch.h"

/* Sets *work for a call on `count` states, or to NULL if there is nothing to do or an error; returns the status. */
jn_status jn__batch_begin(jn_batch *batch, size_t count, jn_work **work);
const jn_model *jn__batch_model(const jn_batch *batch);

/* For functions that run threads of their own. Room for kernels with that many numbers of a state in and out. */
jn_status jn__batch_reserve(jn_batch *batch, size_t numbers);
/* The states of part k of `parts` (0 < parts <= threads), whole groups of lanes: their number, *first the first. A part
 * is computed by one thread alone, in lanes even if it is one state, so that the number of parts does not change
 * results. */
size_t jn__batch_range(size_t count, size_t k, size_t parts, size_t *first);
/* Its work, for the functions for one state; it may be used while others use the other parts. */
jn_work jn__batch_part(const jn_batch *batch, size_t k, size_t first, size_t count);
/* Calls part(context, k) for k = 0 ... parts - 1, in the threads of the batch. */
void jn__batch_parallel(size_t parts, void (*part)(void *context, size_t k), void *context);
/* Before the parts: nobody has asked to stop yet. */
void jn__batch_start(jn_batch *batch);
void jn__batch_set_singular(jn_batch *batch, size_t state);

/* Can there be an array with so many numbers for each of `count` states? */
static inline int jn__count_fits(size_t count, size_t numbers) {
  return count <= PTRDIFF_MAX / sizeof(double) / (numbers > 0 ? numbers : 1);
}

#endif
