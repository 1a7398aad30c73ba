/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths of tasks with known derivatives, motions that follow them, and differences along these. */
#ifndef JN_TESTS_TASKS_PATHS_H
#define JN_TESTS_TASKS_PATHS_H

#include "tasks_help.h"

/* ---- differences ---- */

/* A vector as a function of time. */
typedef void curve_function(void *context, double t, double *x);

/* dx/dt at 0 by central differences at h, h/2, h/4, extrapolated; error of order h^6. */
static UNUSED void differentiate(curve_function *f, void *context, int n, double h, double *out) {
  enum { MOST = 1200 };
  static double a[MOST], b[MOST];
  static double d[3][MOST];
  check(n <= MOST, "room");
  for (int level = 0; level < 3; level++, h /= 2) {
    f(context, h, a);
    f(context, -h, b);
    for (int i = 0; i < n; i++) d[level][i] = (a[i] - b[i]) / (2 * h);
  }
  for (int i = 0; i < n; i++) {
    double x = (4 * d[1][i] - d[0][i]) / 3, y = (4 * d[2][i] - d[1][i]) / 3;
    out[i] = (16 * y - x) / 15;
  }
}

/* ---- motions along a path ---- */

/* Tasks that move: targets from a helper robot's frame would do; here positions on ellipses, and rotations about a
 * fixed axis, all with known derivatives. */
typedef struct tool_path {
  double T0[16], axis[3], turn; /* pose at t = 0; angle turn sin(t) about the axis, in the frame */
  double size[3], rate[3];      /* position: T0 + size (sin(rate t)) */
  int pose;                     /* 1: pose, 0: position */
} tool_path;

static UNUSED jn_status path_at(void *context, double t, int order, double *target, double *rate_jet) {
  const tool_path *p = context;
  double w[3], R[9], position[3];
  for (int i = 0; i < 3; i++) {
    position[i] = p->T0[4 * i + 3] + p->size[i] * sin(p->rate[i] * t);
    w[i] = p->axis[i] * p->turn * sin(t);
  }
  jn_so3_exp(w, R);
  double T[16] = {0, 0, 0, position[0], 0, 0, 0, position[1], 0, 0, 0, position[2], 0, 0, 0, 1};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int c = 0; c < 3; c++) T[4 * i + j] += p->T0[4 * i + c] * R[3 * c + j];
  if (p->pose)
    memcpy(target, T, sizeof T);
  else
    memcpy(target, position, sizeof position);
  if (!rate_jet) return JN_OK;
  int rows = p->pose ? 6 : 3;
  double world[ORDERS][3], u[ORDERS][3];
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < 3; i++)
      world[k][i] = p->size[i] * pow(p->rate[i], k + 1) * sin(p->rate[i] * t + (k + 1) * M_PI / 2);
  for (int k = 0; k <= order; k++) {
    if (!p->pose) {
      memcpy(rate_jet + k * rows, world[k], sizeof world[k]);
      continue;
    }
    for (int i = 0; i < 3; i++) rate_jet[k * 6 + i] = p->axis[i] * p->turn * sin(t + (k + 1) * M_PI / 2);
    /* u = R^T p': u' = R^T p'' - w x u, and so on by Leibniz: u^(k) = d^(k-1)/dt of it. With (R^T x)' = R^T x' - w x
     * R^T x, keep the derivatives of y_j = R^T p^(j+1) in a table. */
    u[k][0] = 0;
  }
  if (!p->pose) return JN_OK;
  static double table[ORDERS][ORDERS][3]; /* [j][k]: derivative k of R^T p^(j+1) */
  for (int k = 0; k <= order; k++)
    for (int j = 0; j <= order - k; j++)
      for (int i = 0; i < 3; i++) {
        if (k == 0) {
          table[j][0][i] = 0;
          for (int c = 0; c < 3; c++) table[j][0][i] += T[4 * c + i] * world[j][c];
          continue;
        }
        double sum = table[j + 1][k - 1][i], binom = 1;
        for (int l = 0; l < k; l++) { /* minus the derivative k - 1 of w x y */
          const double *w_l = rate_jet + l * 6, *y = table[j][k - 1 - l];
          sum -= binom * (w_l[(i + 1) % 3] * y[(i + 2) % 3] - w_l[(i + 2) % 3] * y[(i + 1) % 3]);
          binom = binom * (k - 1 - l) / (l + 1);
        }
        table[j][k][i] = sum;
      }
  for (int k = 0; k <= order; k++) memcpy(rate_jet + k * 6 + 3, table[0][k], sizeof table[0][k]);
  (void)u;
  return JN_OK;
}

typedef struct followed {
  jn_tasks *tasks;
  tool_path path;
  int order, nv, nq;
  int partial; /* 1: the frame need not be at its target */
  double step; /* of differences; 0: 0.04 */
  double q[NQ];
} followed;

static UNUSED void jets_along(void *context, double t, double *x) {
  followed *f = context;
  double q[NQ], target[16], rate_jet[ORDERS * 6], time;
  const jn_tasks_path path = {.context = &f->path, .at = path_at};
  jn_reach reach;
  memcpy(q, f->q, sizeof q);
  check_ok(jn_tasks_follow(f->tasks, &path, 0, t, 1e-12, q, &time, NULL, &reach));
  check(time == t && reach.outcome == JN_REACHED, "all the way");
  check_ok(path_at(&f->path, t, f->order, target, rate_jet));
  check_ok(jn_tasks_motion_jet(f->tasks, f->order, q, target, NULL, rate_jet, x, NULL));
  memcpy(x + (f->order + 1) * f->nv, q, sizeof(double) * (size_t)f->nq);
}

static UNUSED void check_motion(followed *f, const char *what) {
  double x[ORDERS * NV + NQ], slopes[ORDERS * NV + NQ], rates[ORDERS * ROWS], asked[ORDERS * ROWS], target[16];
  int rows = jn_tasks_rows(f->tasks), n = f->nv;
  jets_along(f, 0, x);
  check_ok(path_at(&f->path, 0, f->order, target, asked));
  check_ok(jn_tasks_rate_jet(f->tasks, f->order, f->q, x, rates));
  check(f->partial || distance(rates, asked,
                               (f->order + 1) * 6 < (f->order + 1) * rows ? (f->order + 1) * 6 : (f->order + 1) * rows,
                               1) < 1e-10,
        "%s: tasks are done to all orders", what);
  differentiate(jets_along, f, (f->order + 1) * n + f->nq, f->step > 0 ? f->step : 0.04, slopes);
  for (int k = 0; k < f->order; k++) {
    double gap = distance(x + (k + 1) * n, slopes + k * n, n, 1);
    check(gap < 1e-6, "%s: row %d is not the derivative of the one before: %g", what, k + 1, gap);
  }
}

static UNUSED void begin_path(followed *f, jn_model *m, jn_tasks *t, uint64_t *s, int pose) {
  double T[16];
  f->tasks = t;
  f->order = 3;
  f->nv = jn_model_nv(m);
  f->nq = jn_model_nq(m);
  f->path = (tool_path){.axis = {0.6, 0, 0.8}, .turn = pose ? 0.3 : 0, .pose = pose};
  fill(s, f->path.size, 3, 0.1);
  for (int i = 0; i < 3; i++) f->path.rate[i] = 1 + 0.5 * uniform(s);
  (void)T;
}

#endif
