/* SPDX-License-Identifier: BSD-2-Clause */
/* Position limits: of coordinates, and through them of the joints that follow them. In a search they are bounds of each
 * step. In a motion, a bound that begins to hold would make velocities jump; there, a coordinate costs the more the
 * nearer it is to a limit: its metric W is over
 *   w = f + (1 - f) (1 - exp(-x / margin)) (1 - exp(-y / margin)),   x, y: distances to its limits, f = 1e-9,
 * so that it slows down, w like x itself, and stays within them, while all orders of the motion are derivatives of each
 * other. f lets those leave a limit that begin at it. */
#include <math.h>
#include <string.h>

#include "../model/limits.h"
#include "tasks.h"

void jn__tasks_find_limits(jn_tasks *t) {
  jn__find_position_limits(t->model, t->place, t->lower, t->upper);
  for (int v = 0; v < t->nv; v++) {
    if (t->options.ignore_limits) t->lower[v] = -INFINITY, t->upper[v] = INFINITY;
    t->margin[v] = fmin(t->options.margin, (t->upper[v] - t->lower[v]) / 20);
  }
}

void jn__tasks_clamp(const jn_tasks *t, double *q) {
  for (int v = 0; v < t->nv; v++) {
    if (t->place[v] < 0) continue;
    double *x = q + t->place[v];
    *x = limited(*x, t->lower[v], t->upper[v]);
  }
}

void jn__tasks_bounds(const jn_tasks *t, const double *q, double *lo, double *hi) {
  double longest = t->options.longest_step;
  for (int v = 0; v < t->nv; v++) {
    double x = t->place[v] < 0 ? 0 : q[t->place[v]];
    lo[v] = fmax(t->lower[v] - x, -longest);
    hi[v] = fmin(t->upper[v] - x, longest);
  }
}

int jn__tasks_active(const jn_tasks *t, const double *q, signed char *active) {
  int count = 0;
  for (int v = 0; v < t->nv; v++) {
    int at = 0;
    if (t->place[v] >= 0) at = (q[t->place[v]] >= t->upper[v]) - (q[t->place[v]] <= t->lower[v]);
    count += at != 0;
    if (active) active[v] = (signed char)at;
  }
  return count;
}

/* ---- in motions ---- */

/* 1 - exp(-x / margin) and its derivatives to `order`, where x' = -side v. */
static void side_jet(const jn_tasks *t, int i, int order, double x, double side, const double *v_jet, double *out) {
  double rate = side / t->margin[i];
  out[0] = exp(-x / t->margin[i]); /* first of the exponential alone */
  for (int k = 0; k < order; k++) {
    out[k + 1] = 0;
    for (int j = 0; j <= k; j++) out[k + 1] += jn__binomial(k, j) * out[j] * rate * v_jet[(k - j) * t->nv + i];
  }
  for (int k = 0; k <= order; k++) out[k] = (k == 0) - out[k];
}

void jn__tasks_ease(jn_tasks *t, int order, const double *q, const double *v_jet) {
  static const double least = 1e-9, far = 60;
  int n = t->nv;
  double *lower = t->side_jet, *upper = t->side_jet + order + 1;
  memset(t->ease_jet, 0, sizeof(double) * (size_t)(order + 1) * (size_t)n);
  for (int i = 0; i < n; i++) {
    double x = t->place[i] < 0 ? 0 : q[t->place[i]], from = x - t->lower[i], to = t->upper[i] - x;
    t->ease_jet[i] = 1 / t->metric[i];
    if (t->upper[i] == t->lower[i]) t->ease_jet[i] *= least; /* it cannot move */
    if (t->place[i] < 0 || t->margin[i] == 0 || !(fmin(from, to) < far * t->margin[i])) continue;
    side_jet(t, i, order, fmax(from, 0), -1, v_jet, lower);
    side_jet(t, i, order, fmax(to, 0), 1, v_jet, upper);
    for (int k = 0; k <= order; k++) {
      double sum = 0;
      for (int j = 0; j <= k; j++) sum += jn__binomial(k, j) * lower[j] * upper[k - j];
      t->ease_jet[k * n + i] = ((k == 0) * least + (1 - least) * sum) / t->metric[i];
    }
  }
}
