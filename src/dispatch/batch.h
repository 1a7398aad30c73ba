/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: the memory of their threads, and the work that says to the single functions how many states there are. */
#ifndef JN_DISPATCH_BATCH_H
#define JN_DISPATCH_BATCH_H

#include "dispatch.h"

/* The work for a call on `count` states; NULL when there is nothing to do or no batch: the status. */
jn_status jn__batch_begin(jn_batch *batch, size_t count, jn_work **work);

#endif
