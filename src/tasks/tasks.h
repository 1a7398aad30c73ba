/* SPDX-License-Identifier: BSD-2-Clause */
/* Task space, on the public functions of the tree and on the conditions of loops. Where to look:
 *   create.c      options, memory; which rows of which task count, and their order
 *   rows.c        errors and Jacobians of the tasks at one configuration
 *   curvature.c   second derivatives of the cost, where errors stay
 *   limits.c      position limits as bounds of a step
 *   step.c        one step: least squares by priorities within bounds (active sets)
 *   solve.c       the search: steps, damping, starts; what is reported
 *   batch.c       many searches, on threads, and where possible in lanes (lanes.c)
 *   jets.c        Jacobians of the tasks and their time derivatives
 *   course.c      tasks that leave part of a pose free, along a target that moves
 *   motion.c      velocities and their derivatives from those of the tasks
 *   priorities.c  the same when rows contradict each other
 *   follow.c      along a path
 *   operational.c inertia, bias and inverse in task space
 * Rows that count (weight above 0; two of a direction) are stacked by priority: first those of loops, then level by
 * level. */
#ifndef JN_TASKS_TASKS_H
#define JN_TASKS_TASKS_H

#include "jounce/tasks.h"

#include "../dense/dense.h"
#include "../loops/constraints.h"
#include "../series/series.h"

/* One task, and where its numbers are. */
typedef struct task_item {
  jn_task task;
  int target, numbers; /* of the target */
  int row, rows;       /* of rates */
  int first, count;    /* among the rows that count */
  int pick[6];         /* which of `rows` count; joints have all, whatever their number */
  int level;
  double across[2][3]; /* direction: two unit vectors across the axis */
  int uneven;          /* 1: weights of rotations or positions of a pose differ: errors need their exact derivatives */
  int partial;         /* 1: a row of a pose or orientation does not count: the frame need not be where its target is */
  int about;           /* the one axis of the frame about which it may turn; -1: none, or more than one */
  int turns;           /* rows of its rotation that count */
  double X[16], T_r[16]; /* pose in the reference, and of that in the world, at the last configuration */
  double error[6];       /* rotation vector and distance to the target there (pose, orientation) */
} task_item;

/* Room for a step (step.c). */
typedef struct task_step {
  double *H;       /* [n x n] of the normal equations */
  double *g, *d;   /* [n] gradient, direction */
  double *x;       /* [n] the step */
  double *lo, *hi; /* [n] its bounds */
  int *state;      /* [n] -1, 1: at a bound; 0: free */
  int *place;      /* [n] free coordinates */
  double *Q;       /* [n x m] reflections of the rows before, transposed, of free coordinates */
  double *beta;    /* [n + m] their factors; pivots */
  int *pivot;      /* [m] */
  double *N;       /* [n x n] null space, by columns */
  double *JN;      /* [m x n] */
  double *r;       /* [m] */
  double *z;       /* [m + 2 n] */
} task_step;

struct jn_tasks {
  const jn_model *model;
  jn_tasks_options options;
  jn_allocator allocator;
  void *block;
  jn_work *work;            /* of options.order + 1 */
  jn_loops *loops;          /* NULL: the model has none */
  jn_tasks **more;          /* [options.threads - 1] for batches */
  struct task_lanes *lanes; /* NULL: not for these tasks */
  int nq, nv, count, targets, rows;
  task_item *item;
  int levels;            /* priorities, and one for loops */
  int *level_row;        /* [levels + 1] first row that counts */
  int m;                 /* rows that count */
  int loop_rows;         /* the first of them */
  double *weight;        /* [m] */
  int *is_length;        /* [m] */
  double *lower, *upper; /* [nv] of coordinates */
  double *margin;        /* [nv] in which a limit slows them down (limits.c) */
  int *place;            /* [nv] of coordinates in q; -1: none, no limits */
  double *metric;        /* [nv] */
  double *posture;       /* [nq], with options.gain */
  /* at a configuration */
  double *e, *J; /* [m], [m x nv] errors and their derivatives by -q, weighted */
  double *e_trial;
  double *cost, *cost_trial, *predicted; /* [levels] */
  double gap;
  double grain;                                  /* relative decrease of a cost that is worth a step */
  double *B;                                     /* [nv x nv] of curvature.c, for the first level of tasks, */
  int bent;                                      /* 1: and it counts */
  double *q_trial, *q_best, *q_start, *q_target; /* [nq] */
  double *J6, *J6_r;                             /* [(order + 2) x 6 x nv] of a frame and its reference */
  task_step step;
  jn_decomposition cod; /* room for m + n by m + n, or more where priorities ask for it */
  double *big;          /* the matrix that it decomposes */
  /* of motions */
  int jet_rows;          /* all + loop_rows */
  double *J_jet;         /* [(order + 2) x rows x nv] of all rows */
  double *C_jet;         /* [(order + 2) x m x nv] of the rows that count, weighted */
  double *G_jet;         /* [(order + 2) x m x nv] C with columns over the metric, which limits change */
  double *ease_jet;      /* [(order + 2) x nv] one over the metric */
  double *side_jet;      /* [2 x (order + 2)] of one coordinate: what its two limits leave of it */
  double *y_jet;         /* [(order + 2) x rows] rates of the tasks, as course.c finds them */
  double *D_jet, *d_jet; /* [(order + 3) x 9, x 3] of course.c */
  double *v_jet;         /* [(order + 4) x nv] */
  double *R_jet, *p_jet; /* [(order + 3) x 9, x 3] */
  double *V_jet;         /* [(order + 2) x 6] */
  double *u_jet;         /* [(order + 2) x 4] of a distance */
  double *x_jet;         /* [(order + 2) x size] unknowns of the orders before: multipliers */
  double *right;         /* [size] */
  int size;              /* unknowns of priorities.c, at least m + nv */
  int equations;         /* of priorities.c */
  double *S;             /* [m x m] */
  int unique;            /* 1: the last motion left no choice, all coordinates were determined */
  int generic;           /* rank of J at ordinary configurations */
  /* operational */
  double *M_jet, *Y_jet, *Z_jet, *B_jet, *L_jet, *tau_jet;
  double *factor;
  /* follow */
  double *target, *rate_jet, *follow_jet;
};

/* rows.c. Error of a pose, orientation, position, direction or distance at the pose s->X. */
jn_status jn__tasks_pose_error(task_item *s, const double *target, double *e);
/* Errors e [m] of the rows that count, weighted, at q; poses stay in the items, the gap of loops in t->gap. */
jn_status jn__tasks_errors(jn_tasks *t, const double *q, const double *target, double *e);
/* Then: t->J. */
jn_status jn__tasks_gradient(jn_tasks *t, const double *q);
/* J of all rows [rows x nv] at q, unweighted. */
jn_status jn__tasks_jacobian(jn_tasks *t, const double *q, double *J);
/* The pose X of a frame in its reference, and the reference's own T_r. */
jn_status jn__tasks_pose(jn_tasks *t, const task_item *s, const double *q, double *X, double *T_r);

/* curvature.c. t->B and t->bent at q, from the errors and poses that are there. */
jn_status jn__tasks_find_curvature(jn_tasks *t, const double *q);

/* limits.c */
void jn__tasks_find_limits(jn_tasks *t);
/* q within its limits. */
void jn__tasks_clamp(const jn_tasks *t, double *q);
/* Bounds of a step from q, none longer than options.longest_step. */
void jn__tasks_bounds(const jn_tasks *t, const double *q, double *lo, double *hi);
/* Coordinates at a limit, active (may be NULL) as in jn_tasks_solve(); their number. */
int jn__tasks_active(const jn_tasks *t, const double *q, signed char *active);
/* t->ease_jet to `order`, along v_jet [order x nv]: one over the metric, less near limits. */
void jn__tasks_ease(jn_tasks *t, int order, const double *q, const double *v_jet);

/* step.c. t->step.x from t->e and t->J within its bounds, with the damping factor times the cost of each level:
 * t->predicted are the costs that the linear model expects. */
void jn__tasks_step(jn_tasks *t, double factor);

/* solve.c. jn_tasks_solve() with this seed of random starts. */
jn_status jn__tasks_solve_from(jn_tasks *t, const double *target, uint64_t seed, double *q, signed char *active,
                               jn_reach *reach);
/* jn_tasks_solve() from this start alone. */
jn_status jn__tasks_solve_once(jn_tasks *t, const double *target, double *q, signed char *active, jn_reach *reach);

/* What tasks should follow: their target and its rates. Target NULL: the tasks are at their targets. */
typedef struct task_course {
  const double *target, *rate_jet;
} task_course;

/* jets.c. J_jet [(order + 1) x rows x nv] of all rows. v_jet [order x nv] is read. */
jn_status jn__tasks_jacobian_jet(jn_tasks *t, int order, const double *q, const double *v_jet, double *J_jet);
/* C_jet of the rows that count, from J_jet and from the loops; t->y_jet: the rates that they should have. */
jn_status jn__tasks_counting_jet(jn_tasks *t, int order, const double *q, const double *v_jet,
                                 const task_course *course);
/* rate [m] of order k of the rows that count, from rate [rows]. */
void jn__tasks_counting_rate(const jn_tasks *t, const double *rate, double *out);

/* motion.c. t->generic. */
void jn__tasks_find_generic(jn_tasks *t);

/* course.c. Rows of a partial task in J_jet, and in t->y_jet, so that they keep to the moving target to all orders. */
jn_status jn__tasks_keep_course(jn_tasks *t, task_item *s, int order, const double *q, const double *v_jet,
                                const task_course *course, double *J_jet);

/* priorities.c. Room that it needs; the system of all levels from t->C_jet and t->G_jet of order 0, decomposed; and v
 * [n] of order k from y [m] (what tasks ask of v^(k)) and u [n] (where it is drawn to). 0: no v fits, as ranks change
 * here. */
void jn__tasks_priorities_size(const jn_tasks *t, int *unknowns, int *equations);
void jn__tasks_priorities_factor(jn_tasks *t);
int jn__tasks_priorities_order(jn_tasks *t, int k, const double *y, const double *u, double *v);

/* step.c. Rank, weakest and manipulability of t->J. */
void jn__tasks_rank(jn_tasks *t, jn_reach *reach);

/* a[i] (lower triangle, row-major n x n, stride) becomes its Cholesky factor; 0: it is not positive definite. */
static inline int cholesky(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = a[i * n + j];
      for (int k = 0; k < j; k++) s -= a[i * n + k] * a[j * n + k];
      if (i > j) {
        a[i * n + j] = s * a[j * n + j]; /* the diagonal has inverses */
      } else {
        if (!(s > 0)) return 0;
        a[i * n + i] = 1 / __builtin_sqrt(s);
      }
    }
  return 1;
}

static inline void cholesky_solve(const double *a, int n, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= a[i * n + k] * x[k];
    x[i] *= a[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= a[k * n + i] * x[k];
    x[i] *= a[i * n + i];
  }
}

#endif
