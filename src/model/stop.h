/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the caller of a long computation wants it to end; see jn_set_stop(). Asked by loops that may take long, never
 * by kernels. */
#ifndef JN_MODEL_STOP_H
#define JN_MODEL_STOP_H

#include "jounce/base.h"

/* What one thread asks; threads that compute for it get a copy. */
typedef struct jn_stop {
  jn_stop_function *asked; /* NULL: nobody is asked */
  void *context;
} jn_stop;

/* Nonzero: end the call with JN_ERR_STOPPED. Once it was, it stays so until jn_set_stop() is called. */
int jn__is_stopped(void);

/* For functions that run threads: what the calling thread asks, for jn__stop_put() in the others. */
jn_stop jn__stop_get(void);
void jn__stop_put(jn_stop stop);

#endif
