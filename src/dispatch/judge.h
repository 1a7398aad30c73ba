/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a kernel that solves equations and checks whether they are singular. Include after public.h. */
#ifndef JN_DISPATCH_JUDGE_H
#define JN_DISPATCH_JUDGE_H

#include "../model/model.h"
#include "public.h"

/* Runs r, whose last output are `n` pivots, in work memory. of_body: pivots are in the order of the bodies'
 * coordinates, not in the order of elimination. */
static inline jn_status solve_and_judge(jn_run *run, int n, int of_body) {
  if (!run->work) return JN_ERR_NULL;
  run->call.array[jn__shapes[run->kernel].inputs + jn__shapes[run->kernel].outputs - 1] = run->work->pivots;
  run->pivots = n;
  run->pivots_of_body = of_body;
  run->work->singular = JN_NONE;
  return jn__run(run);
}

#endif
