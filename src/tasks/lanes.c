/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of many searches, JN_WIDE of them side by side; compiled twice (../dense/wide.h). Of each: least |J x - e|^2 +
 * mu |x|^2 with lo <= x <= hi. Coordinates at a bound that the gradient pushes against it stay there; then those that
 * leave their bounds are put there, until none does (a projected Newton step: the search itself finds which of them
 * should leave a bound again). By J J^T = L D L^T, which takes no roots. */
#include <float.h>

#include "../dense/wide.h"
#include "lanes.h"

/* a where the bits are set, b elsewhere. */
static inline wide choose(wide_bits bits, wide a, wide b) {
  return (wide)(((wide_bits)a & bits) | ((wide_bits)b & ~bits));
}

static inline int any(wide_bits bits) {
  long long all_bits = 0;
  for (int k = 0; k < JN_WIDE; k++) all_bits |= bits[k];
  return all_bits != 0;
}

/* One group of slots. */
typedef struct lane_group {
  const task_lanes *l;
  int at; /* its first slot */
  wide r[LANE_ROWS];
  wide H[LANE_ROWS][LANE_ROWS];
  wide_bits fixed[LANE_COORDINATES];
} lane_group;

static inline wide at_J(const lane_group *g, int row, int i) {
  return load(g->l->J + (row * g->l->n + i) * TASK_SLOTS + g->at);
}
static inline double *at_x(const lane_group *g, int i) { return g->l->x + i * TASK_SLOTS + g->at; }

/* x = 0; what begins at a bound and should stay there. */
static void begin(lane_group *g) {
  for (int i = 0; i < g->l->n; i++) {
    wide slope = {0}, lo = load(g->l->lo + i * TASK_SLOTS + g->at), hi = load(g->l->hi + i * TASK_SLOTS + g->at);
    for (int r = 0; r < g->l->m; r++) slope += at_J(g, r, i) * load(g->l->e + r * TASK_SLOTS + g->at);
    g->fixed[i] = ((hi <= all(0)) & (slope > all(0))) | ((lo >= all(0)) & (slope < all(0)));
    store(at_x(g, i), all(0));
  }
}

/* r = e - J x of fixed coordinates, H = J J^T of the others, damped. */
static void sum_up(lane_group *g) {
  int m = g->l->m;
  wide trace = {0}, count = {0}, mu = load(g->l->mu + g->at);
  for (int a = 0; a < m; a++) {
    g->r[a] = load(g->l->e + a * TASK_SLOTS + g->at);
    for (int b = 0; b <= a; b++) g->H[a][b] = all(0);
  }
  for (int i = 0; i < g->l->n; i++) {
    wide x = load(at_x(g, i)), J[LANE_ROWS];
    wide_bits fixed = g->fixed[i];
    for (int a = 0; a < m; a++) {
      wide all_of_it = at_J(g, a, i);
      g->r[a] -= choose(fixed, all_of_it * x, all(0));
      J[a] = choose(fixed, all(0), all_of_it);
    }
    count += choose(fixed, all(0), all(1));
    for (int a = 0; a < m; a++)
      for (int b = 0; b <= a; b++) g->H[a][b] += J[a] * J[b];
  }
  for (int a = 0; a < m; a++) trace += g->H[a][a];
  /* with fewer free coordinates than rows, J J^T is singular */
  wide least = trace * choose(count < all(m), all(1e-9), all(1e-14)) + all(DBL_MIN);
  wide damping = choose(mu > least, mu, least);
  for (int a = 0; a < m; a++) g->H[a][a] += damping;
}

/* H y = r, y in place of r. */
static void solve(lane_group *g) {
  int m = g->l->m;
  wide inverse[LANE_ROWS];
  for (int k = 0; k < m; k++) {
    inverse[k] = all(1) / g->H[k][k];
    for (int a = k + 1; a < m; a++) {
      wide factor = g->H[a][k] * inverse[k];
      for (int b = k + 1; b <= a; b++) g->H[a][b] -= factor * g->H[b][k];
      g->r[a] -= factor * g->r[k];
    }
  }
  for (int k = m - 1; k >= 0; k--) {
    for (int a = k + 1; a < m; a++) g->r[k] -= g->H[a][k] * g->r[a];
    g->r[k] *= inverse[k];
  }
}

/* x of free coordinates; 1: one of them was put at its bound. */
static int move(lane_group *g) {
  wide_bits beyond = {0};
  for (int i = 0; i < g->l->n; i++) {
    wide x = {0}, lo = load(g->l->lo + i * TASK_SLOTS + g->at), hi = load(g->l->hi + i * TASK_SLOTS + g->at);
    for (int a = 0; a < g->l->m; a++) x += at_J(g, a, i) * g->r[a];
    wide_bits over = (x > hi) & ~g->fixed[i], under = (x < lo) & ~g->fixed[i];
    x = choose(over, hi, choose(under, lo, choose(g->fixed[i], load(at_x(g, i)), x)));
    store(at_x(g, i), x);
    g->fixed[i] |= over | under;
    beyond |= over | under;
  }
  return any(beyond);
}

static void predict(lane_group *g) {
  wide cost = {0};
  for (int a = 0; a < g->l->m; a++) {
    wide r = load(g->l->e + a * TASK_SLOTS + g->at);
    for (int i = 0; i < g->l->n; i++) r -= at_J(g, a, i) * load(at_x(g, i));
    cost += all(0.5) * r * r;
  }
  store(g->l->predicted + g->at, cost);
}

void CODE(lane_steps)(task_lanes *l) {
  for (int at = 0; at < TASK_SLOTS; at += JN_WIDE) {
    lane_group g = {.l = l, .at = at};
    begin(&g);
    for (int round = 0; round <= l->n; round++) {
      sum_up(&g);
      solve(&g);
      if (!move(&g)) break;
    }
    predict(&g);
  }
}
