/* SPDX-License-Identifier: BSD-2-Clause */
/* Velocities and their time derivatives from those of the tasks. The rule for what tasks leave free,
 *   least (v - u)^T W (v - u) / 2 with C v = y:   v = u + G^T lambda,   G = C W^-1,
 * is differentiated as it stands, with multipliers lambda that have derivatives, too:
 *   C v^(k) = y^(k) - sum_(j<k) binom C^(k-j) v^(j),   v^(k) = u^(k) + sum_j binom G^(k-j)^T lambda^(j).
 * W depends on q near limits (limits.c). Rows of C may depend on each other (loops in a plane), as long as y fits:
 * lambda is then one of many, and v the same for all. Where y does not fit, priorities decide (priorities.c). */
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "tasks.h"

/* A motion that is being found. */
typedef struct motion_solution {
  const unsigned char *held;
  const double *q;
  double *v_jet;
  double *u;   /* [n] */
  double size; /* what is large among the numbers that make up y and v of an order */
  int by_priorities;
} motion_solution;

static void hold(jn_tasks *t, const unsigned char *held, int order) {
  for (int i = 0; i < (order + 1) * t->m * t->nv && held; i++)
    if (held[i % t->nv]) t->C_jet[i] = 0;
}

/* G^(k) = sum binom C^(k-j) ease^(j), column by column. */
static void find_G(jn_tasks *t, int k) {
  int n = t->nv;
  double *G = t->G_jet + k * t->m * n;
  memset(G, 0, sizeof(double) * (size_t)t->m * (size_t)n);
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    const double *C = t->C_jet + (k - j) * t->m * n, *ease = t->ease_jet + j * n;
    for (int r = 0; r < t->m; r++)
      for (int i = 0; i < n; i++) G[r * n + i] += b * C[r * n + i] * ease[i];
  }
}

/* u^(k): towards the posture. */
static void find_drift(const jn_tasks *t, motion_solution *s, int k) {
  for (int i = 0; i < t->nv; i++) {
    int place = t->place[i];
    s->u[i] = 0;
    if (place < 0 || t->options.gain == 0 || (s->held && s->held[i])) continue;
    s->u[i] = -t->options.gain * (k == 0 ? s->q[place] - t->posture[place] : s->v_jet[(k - 1) * t->nv + i]);
    s->size = fmax(s->size, fabs(s->u[i]));
  }
}

/* y^(k) - sum_(j<k) binom C^(k-j) v^(j), [m], in place of y^(k). */
static void subtract_known(const jn_tasks *t, motion_solution *s, int k, double *y) {
  int n = t->nv;
  for (int j = 0; j < k; j++) {
    double b = jn__binomial(k, j);
    const double *C = t->C_jet + (k - j) * t->m * n, *v = s->v_jet + j * n;
    for (int r = 0; r < t->m; r++)
      for (int i = 0; i < n; i++) {
        double part = b * C[r * n + i] * v[i];
        y[r] -= part;
        s->size = fmax(s->size, fabs(part));
      }
  }
}

/* D = W^-1/2 C^T [n x m], decomposed. Coordinates next to a limit make directions weak that are not singular. */
static void factor_rows(jn_tasks *t) {
  double least = 1;
  for (int i = 0; i < t->nv; i++) {
    double root = sqrt(t->ease_jet[i]);
    least = fmin(least, root * sqrt(t->metric[i]));
    for (int r = 0; r < t->m; r++) t->big[i * t->m + r] = t->C_jet[r * t->nv + i] * root;
  }
  jn__cod(&t->cod, t->nv, t->m, t->big, t->options.weak * least);
}

/* v^(k) with y [m]. Multipliers of all orders are in t->x_jet. */
static void solve_order(jn_tasks *t, motion_solution *s, int k, const double *y, double *v) {
  int n = t->nv, m = t->m;
  double *lambda = t->x_jet + k * t->size;
  memcpy(v, s->u, sizeof(double) * (size_t)n);
  for (int j = 0; j < k; j++) {
    double b = jn__binomial(k, j);
    const double *G = t->G_jet + (k - j) * m * n, *x = t->x_jet + j * t->size;
    for (int r = 0; r < m; r++)
      for (int i = 0; i < n; i++) v[i] += b * G[r * n + i] * x[r];
  }
  for (int i = 0; i < n; i++) s->size = fmax(s->size, fabs(v[i]));
  for (int r = 0; r < m; r++) {
    double sum = y[r];
    for (int i = 0; i < n; i++) sum -= t->C_jet[r * n + i] * v[i];
    lambda[r] = sum;
  }
  jn__cod_solve_normal(&t->cod, lambda);
  for (int r = 0; r < m; r++)
    for (int i = 0; i < n; i++) v[i] += t->G_jet[r * n + i] * lambda[r];
}

/* How much of y is not done, of rows before `end`, relative to what is large. */
static double missed(const jn_tasks *t, const motion_solution *s, const double *y, const double *v, int end) {
  double most = 0, size = fmax(s->size, largest(y, t->m));
  for (int i = 0; i < t->nv; i++) size = fmax(size, fabs(v[i]));
  for (int r = 0; r < end; r++) {
    double sum = y[r];
    for (int i = 0; i < t->nv; i++) sum -= t->C_jet[r * t->nv + i] * v[i];
    most = fmax(most, fabs(sum));
  }
  return size > 0 ? most / size : 0;
}

static int rows_needed(const jn_tasks *t) {
  int needed = (t->loop_rows > 0) + 1;
  return t->level_row[needed < t->levels ? needed : t->levels];
}

/* Order k; 0: the tasks of the first priority are not done. */
static int find_order(jn_tasks *t, motion_solution *s, int k) {
  double *y = t->right, *v = s->v_jet + k * t->nv, tolerance = fmax(1e-8, 1e4 * jn_variant_epsilon());
  jn__tasks_counting_rate(t, t->y_jet + k * t->rows, y);
  s->size = largest(y, t->m);
  subtract_known(t, s, k, y);
  find_drift(t, s, k);
  if (!s->by_priorities) {
    solve_order(t, s, k, y, v);
    if (missed(t, s, y, v, t->m) <= tolerance) return 1;
    if (k > 0) return 0;
    s->by_priorities = 1;
    jn__tasks_priorities_factor(t);
  }
  int fits = jn__tasks_priorities_order(t, k, y, s->u, v);
  return fits && missed(t, s, y, v, rows_needed(t)) <= tolerance;
}

/* t->generic, from a few configurations that close the loops. */
void jn__tasks_find_generic(jn_tasks *t) {
  enum { TRIES = 4 };
  const task_course still = {.rate_jet = t->rate_jet};
  uint64_t seed = 20;
  memset(t->rate_jet, 0, sizeof(double) * (size_t)t->rows);
  for (int i = 0; i < TRIES; i++) {
    jn_reach reach;
    jn_status status = i == 0 ? jn_neutral(t->model, t->q_trial) : jn_random(t->model, &seed, t->q_trial);
    if (status == JN_OK && t->loops) status = jn_loops_assemble(t->loops, NULL, 0, t->q_trial, NULL);
    if (status == JN_OK) status = jn__tasks_counting_jet(t, 0, t->q_trial, NULL, &still);
    if (status != JN_OK) continue;
    memcpy(t->J, t->C_jet, sizeof(double) * (size_t)t->m * (size_t)t->nv);
    jn__tasks_rank(t, &reach);
    if (reach.rank > t->generic) t->generic = reach.rank;
  }
}

static void describe_motion(jn_tasks *t, int good, jn_reach *reach) {
  if (!reach) return;
  memset(reach, 0, sizeof *reach);
  reach->outcome = good ? JN_REACHED : JN_REACH_SINGULAR;
  reach->worst = JN_NONE;
  memcpy(t->J, t->C_jet, sizeof(double) * (size_t)t->m * (size_t)t->nv);
  jn__tasks_rank(t, reach);
}

/* t->G_jet of order k. Where tasks determine all coordinates, the metric does not matter, and is left alone. */
static void find_metric(jn_tasks *t, int k, const double *q, const double *v_jet) {
  int n = t->nv;
  if (k == 0) t->unique = 0;
  if (k == 0 && t->m >= n) {
    for (int i = 0; i < t->m * n; i++) t->big[(i % n) * t->m + i / n] = t->C_jet[i];
    jn__cod(&t->cod, n, t->m, t->big, t->options.weak);
    t->unique = t->cod.rank == n;
  }
  if (t->unique) {
    memset(t->ease_jet, 0, sizeof(double) * (size_t)(k + 1) * (size_t)n);
    for (int i = 0; i < n; i++) t->ease_jet[i] = 1 / t->metric[i];
  } else {
    jn__tasks_ease(t, k, q, v_jet);
  }
  find_G(t, k);
}

jn_status jn_tasks_motion_jet(jn_tasks *t, int order, const double *q, const double *target, const unsigned char *held,
                              const double *rate_jet, double *v_jet, jn_reach *reach) {
  if (!t || !q || !rate_jet || !v_jet) return JN_ERR_NULL;
  if (order < 0 || order > t->options.order + 1) return order < 0 ? JN_ERR_SIZE : JN_ERR_WORK;
  motion_solution s = {.held = held, .q = q, .v_jet = v_jet, .u = t->step.g};
  const task_course course = {.target = target, .rate_jet = rate_jet};
  int good = 1;
  for (int k = 0; k <= order; k++) {
    jn_status status = jn__tasks_counting_jet(t, k, q, v_jet, &course);
    if (status != JN_OK) return status;
    hold(t, held, k);
    find_metric(t, k, q, v_jet);
    if (k == 0) factor_rows(t);
    if (!find_order(t, &s, k)) good = 0;
  }
  describe_motion(t, good, reach);
  return good ? JN_OK : JN_ERR_REACH;
}
