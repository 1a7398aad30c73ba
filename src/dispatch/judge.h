/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a kernel that solves equations. Include after public.h. */
#ifndef JN_DISPATCH_JUDGE_H
#define JN_DISPATCH_JUDGE_H

#include "../model/model.h"
#include "public.h"

/* Runs r, whose last output is to be `n` pivots in memory of the work. of_body: pivots are counted over the bodies'
 * coordinates, not over the order of elimination. */
static inline jn_status solve_and_judge(jn_run *r, int n, int of_body) {
  if (!r->work) return JN_ERR_NULL;
  jn__run_output(r, r->outputs, r->work->pivots, (size_t)n);
  r->pivots = n;
  r->pivots_of_body = of_body;
  r->work->singular = JN_NONE;
  return jn__run(r);
}

#endif
