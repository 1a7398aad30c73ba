/* SPDX-License-Identifier: BSD-2-Clause */
/* Many searches at once: SLOTS of them, each with its own target, step together. Kinematics is that of batches, in the
 * lanes of the widest row; the steps are computed in lanes, too (lanes.c). batch.c gives each slot its next start, or
 * the next target, as soon as its search has ended, so that none waits for another. */
#ifndef JN_TASKS_LANES_H
#define JN_TASKS_LANES_H

#include "jounce/batch.h"
#include "tasks.h"

enum { TASK_SLOTS = 32, LANE_ROWS = 6, LANE_COORDINATES = 64 };

/* One search of a slot. */
typedef struct task_slot {
  size_t target;
  int busy, fresh; /* 1: it has a target; its configuration is a start, not a step */
  int made;        /* starts before this one */
  int here, all;   /* iterations from this start, and from all */
  int any;         /* there is a best one */
  double factor, cost, before, best_cost;
  uint64_t seed;
} task_slot;

/* Numbers of all slots side by side: [... x TASK_SLOTS]. */
struct task_lanes {
  int n, m;
  double *J;           /* [m x n] weighted */
  double *e;           /* [m] */
  double *mu;          /* [1] damping */
  double *lo, *hi, *x; /* [n] bounds, step */
  double *predicted;   /* [1] cost that the linear model expects */
  /* One slot after the other, as batches have it: */
  double *q, *trial, *best; /* [TASK_SLOTS x n] */
  double *T, *J6;           /* [TASK_SLOTS x 16, x 6 n] */
  double *error;            /* [TASK_SLOTS x 6] weighted errors at q */
  jn_batch *batch;
  task_slot slot[TASK_SLOTS];
  void (*steps)(struct task_lanes *l);
};
typedef struct task_lanes task_lanes;

/* lanes.c. x and predicted of all slots. */
void jn__lane_steps_any(task_lanes *l);
void jn__lane_steps_avx2(task_lanes *l);

/* batch.c. Can tasks be solved in lanes? One pose or position in the world, of a model whose coordinates are numbers.
 */
int jn__tasks_fit_lanes(const jn_tasks *t);

#endif
