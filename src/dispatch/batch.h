/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: the memory of their threads, and a work that tells the functions for one state how many states there are. */
#ifndef JN_DISPATCH_BATCH_H
#define JN_DISPATCH_BATCH_H

#include "dispatch.h"

/* Sets *work for a call on `count` states, or to NULL if there is nothing to do or an error; returns the status. */
jn_status jn__batch_begin(jn_batch *batch, size_t count, jn_work **work);
const jn_model *jn__batch_model(const jn_batch *batch);

#endif
