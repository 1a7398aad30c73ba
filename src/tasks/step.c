/* SPDX-License-Identifier: BSD-2-Clause */
/* One step x: for each level in turn, least |J x - e|^2 + mu |x|^2 of its rows, where J x of the levels before stays
 * what it is, within bounds lo <= x <= hi. A primal active-set method: x is always within the bounds; coordinates that
 * a level pushes against a bound stay there until their multiplier says that they would leave it by themselves. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tasks.h"

/* Weaker than this, relative to the strongest, rows of the levels before do not bind. */
static const double weak_row = 1e-8;

/* Householder reflections of the rows C [rows x n] of free coordinates, transposed, with exchange: C_F^T P = Q R. The
 * rank. */
static int reflect_rows(task_step *s, const double *C, int rows, int n, int free) {
  double *Q = s->Q, first = 0;
  int rank = 0;
  for (int r = 0; r < rows; r++) {
    s->pivot[r] = r;
    for (int i = 0; i < free; i++) Q[r * free + i] = C[r * n + s->place[i]];
  }
  for (; rank < free && rank < rows; rank++) {
    int best = rank;
    double most = -1;
    for (int r = rank; r < rows; r++) {
      double sum = 0;
      for (int i = rank; i < free; i++) sum += Q[r * free + i] * Q[r * free + i];
      if (sum > most) most = sum, best = r;
    }
    most = sqrt(most);
    if (rank == 0) first = most;
    if (!(most > weak_row * first) || most == 0) break;
    for (int i = 0; i < free && best != rank; i++) {
      double x = Q[rank * free + i];
      Q[rank * free + i] = Q[best * free + i];
      Q[best * free + i] = x;
    }
    int p = s->pivot[rank];
    s->pivot[rank] = s->pivot[best];
    s->pivot[best] = p;
    double *h = Q + rank * free, alpha = h[rank] > 0 ? -most : most;
    s->beta[rank] = 1 / (most * most - h[rank] * alpha); /* 2 / |u|^2, u = h - alpha e */
    h[rank] -= alpha;
    s->beta[free + rank] = alpha; /* diagonal of R */
    for (int r = rank + 1; r < rows; r++) {
      double dot = 0;
      for (int i = rank; i < free; i++) dot += h[i] * Q[r * free + i];
      for (int i = rank; i < free; i++) Q[r * free + i] -= s->beta[rank] * dot * h[i];
    }
  }
  return rank;
}

static void reflect(const task_step *s, int free, int k, double *x) {
  const double *h = s->Q + k * free;
  double dot = 0;
  for (int i = k; i < free; i++) dot += h[i] * x[i];
  for (int i = k; i < free; i++) x[i] -= s->beta[k] * dot * h[i];
}

/* Columns of the null space of these rows, each [free], in s->N. */
static void null_space(task_step *s, int free, int rank) {
  for (int c = rank; c < free; c++) {
    double *x = s->N + (c - rank) * free;
    memset(x, 0, sizeof(double) * (size_t)free);
    x[c] = 1;
    for (int k = rank - 1; k >= 0; k--) reflect(s, free, k, x);
  }
}

/* z with C_F^T z = -g_F as well as possible, g [free] in place: the multipliers of rows. */
static void row_multipliers(const task_step *s, int free, int rows, int rank, double *g, double *z) {
  for (int k = 0; k < rank; k++) reflect(s, free, k, g);
  memset(z, 0, sizeof(double) * (size_t)rows);
  for (int k = rank - 1; k >= 0; k--) {
    double x = -g[k];
    for (int j = k + 1; j < rank; j++) x -= s->Q[j * free + k] * z[s->pivot[j]];
    z[s->pivot[k]] = x / s->beta[free + k];
  }
}

/* r = e - J x of a level. */
static void residual(const jn_tasks *t, int first, int end, double *r) {
  int n = t->nv;
  for (int i = first; i < end; i++) {
    double sum = t->e[i];
    for (int k = 0; k < n; k++) sum -= t->J[i * n + k] * t->step.x[k];
    r[i - first] = sum;
  }
}

/* JN [m x k]: the level's rows, in the directions that are left. */
static void project_rows(jn_tasks *t, int first, int m, int free, int rank) {
  task_step *s = &t->step;
  int n = t->nv, k = free - rank;
  for (int i = 0; i < m; i++) {
    const double *J = t->J + (first + i) * n;
    double *to = s->JN + i * k;
    if (rank == 0) /* all free coordinates: no basis is needed */
      for (int c = 0; c < k; c++) to[c] = J[s->place[c]];
    else
      for (int c = 0; c < k; c++) {
        double sum = 0;
        for (int j = 0; j < free; j++) sum += J[s->place[j]] * s->N[c * free + j];
        to[c] = sum;
      }
  }
}

/* H [k x k] += N^T B N, rhs [k] -= N^T B (x - N now): the curvature in the directions that are left. */
static void add_curvature(jn_tasks *t, int free, int rank, const double *now, double *rhs) {
  task_step *s = &t->step;
  int n = t->nv, k = free - rank;
  double *out = s->z, *column = s->z + n; /* [n] x outside of them; B times a column of N */
  memcpy(out, s->x, sizeof(double) * (size_t)n);
  for (int c = 0; c < k; c++)
    for (int j = 0; j < free; j++) out[s->place[j]] -= now[c] * (rank == 0 ? c == j : s->N[c * free + j]);
  for (int c = 0; c < k; c++) {
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < free; j++) sum += t->B[i * n + s->place[j]] * (rank == 0 ? c == j : s->N[c * free + j]);
      column[i] = sum;
    }
    for (int i = 0; i < n; i++) rhs[c] -= column[i] * out[i];
    for (int e = 0; e <= c; e++)
      for (int j = 0; j < free; j++) s->H[c * k + e] += column[s->place[j]] * (rank == 0 ? e == j : s->N[e * free + j]);
  }
}

/* y [k] with least |JN y - r|^2 + mu |y|^2: by the smaller of two systems, JN JN^T or JN^T JN. The first keeps y free
 * of directions that JN does not see, which rounding would fill in the second. With `bent`, by the second, and with the
 * curvature, if that leaves it positive definite: 0 if not. */
static int damped_solution(jn_tasks *t, int m, int free, int rank, double mu, int bent, const double *now, double *r,
                           double *y) {
  task_step *s = &t->step;
  const double *JN = s->JN;
  int k = free - rank, by_rows = m <= k && !bent, size = by_rows ? m : k;
  double trace = 0;
  for (int a = 0; a < size; a++) {
    double *H = s->H + a * size;
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      if (by_rows)
        for (int c = 0; c < k; c++) sum += JN[a * k + c] * JN[b * k + c];
      else
        for (int i = 0; i < m; i++) sum += JN[i * k + a] * JN[i * k + b];
      H[b] = sum;
    }
    trace += H[a];
  }
  for (int c = 0; c < k; c++) y[c] = 0;
  for (int i = 0; i < m && !by_rows; i++)
    for (int c = 0; c < k; c++) y[c] += JN[i * k + c] * r[i];
  if (bent) add_curvature(t, free, rank, now, y);
  double floor = fmax(mu, (bent ? 1e-10 : 1e-14) * trace + DBL_MIN);
  for (int a = 0; a < size; a++) s->H[a * size + a] += floor;
  if (!cholesky(s->H, size)) return 0;
  cholesky_solve(s->H, size, by_rows ? r : y);
  for (int i = 0; i < m && by_rows; i++)
    for (int c = 0; c < k; c++) y[c] += JN[i * k + c] * r[i];
  return 1;
}

/* The direction d [free coordinates] from x to the minimum of the level. */
static void level_direction(jn_tasks *t, int first, int end, int free, int rank, double mu, int bent) {
  task_step *s = &t->step;
  int m = end - first, k = free - rank;
  double *now = s->g, *y = s->beta + 2 * t->nv + t->m; /* [k] where x is in these directions, and where it should be */
  project_rows(t, first, m, free, rank);
  for (int c = 0; c < k; c++) {
    double sum = rank == 0 ? s->x[s->place[c]] : 0;
    for (int j = 0; j < free && rank > 0; j++) sum += s->N[c * free + j] * s->x[s->place[j]];
    now[c] = sum;
  }
  for (int i = 0; i < m; i++)
    for (int c = 0; c < k; c++) s->r[i] += s->JN[i * k + c] * now[c];
  int good = damped_solution(t, m, free, rank, mu, bent, now, s->r, y);
  if (!good && bent) { /* not near a minimum yet */
    t->bent = 0;
    good = damped_solution(t, m, free, rank, mu, 0, now, s->r, y);
  }
  if (!good) memcpy(y, now, sizeof(double) * (size_t)k);
  for (int c = 0; c < k; c++) y[c] -= now[c];
  for (int j = 0; j < free; j++) {
    double sum = rank == 0 ? y[j] : 0;
    for (int c = 0; c < k && rank > 0; c++) sum += s->N[c * free + j] * y[c];
    s->d[j] = sum;
  }
}

/* Moves along d as far as the bounds allow; 1: a coordinate came to its bound. */
static int move(jn_tasks *t, int free) {
  task_step *s = &t->step;
  double part = 1;
  int stopped = -1;
  for (int j = 0; j < free; j++) {
    int i = s->place[j];
    double room = s->d[j] > 0 ? s->hi[i] - s->x[i] : s->lo[i] - s->x[i];
    if (s->d[j] == 0 || !(fabs(s->d[j]) * part > fabs(room))) continue;
    part = room / s->d[j];
    stopped = i;
  }
  for (int j = 0; j < free; j++) {
    int i = s->place[j];
    s->x[i] = fmin(fmax(s->x[i] + part * s->d[j], s->lo[i]), s->hi[i]);
    if (i == stopped) s->state[i] = s->d[j] > 0 ? 1 : -1;
  }
  if (stopped >= 0) s->x[stopped] = s->state[stopped] > 0 ? s->hi[stopped] : s->lo[stopped];
  return stopped >= 0;
}

/* Releases the coordinate at a bound that gains most from leaving it; 0: none does. */
static int release(jn_tasks *t, int first, int end, int free, int rank, double mu, int bent) {
  task_step *s = &t->step;
  int n = t->nv, best = -1, before = first;
  double most = 0, scale = 0;
  residual(t, first, end, s->r);
  for (int j = 0; j < n; j++) {
    double sum = mu * s->x[j];
    for (int i = first; i < end; i++) sum -= t->J[i * n + j] * s->r[i - first];
    for (int i = 0; i < n && bent; i++) sum += t->B[j * n + i] * s->x[i];
    s->g[j] = sum;
    scale = fmax(scale, fabs(sum));
  }
  for (int i = 0; i < before; i++) s->z[i] = 0;
  if (before > 0) {
    for (int j = 0; j < free; j++) s->d[j] = s->g[s->place[j]];
    row_multipliers(s, free, before, rank, s->d, s->z);
  }
  for (int j = 0; j < n; j++) {
    if (s->state[j] == 0 || s->lo[j] == s->hi[j]) continue;
    double g = s->g[j];
    for (int i = 0; i < before; i++) g += t->J[i * n + j] * s->z[i];
    double gain = s->state[j] * g; /* positive: the cost falls inwards */
    if (gain > most + 1e-12 * scale) most = gain, best = j;
  }
  if (best < 0) return 0;
  s->state[best] = 0;
  return 1;
}

static int find_free(jn_tasks *t) {
  int free = 0;
  for (int i = 0; i < t->nv; i++)
    if (t->step.state[i] == 0) t->step.place[free++] = i;
  return free;
}

static void solve_level(jn_tasks *t, int level, double mu) {
  task_step *s = &t->step;
  int first = t->level_row[level], end = t->level_row[level + 1], changes = 3 * t->nv + 6;
  for (; changes > 0; changes--) {
    int free = find_free(t), rank = 0, bent = t->bent && level == (t->loop_rows > 0);
    if (first > 0) rank = reflect_rows(s, t->J, first, t->nv, free);
    if (rank > 0) null_space(s, free, rank);
    residual(t, first, end, s->r);
    int stopped = 0;
    if (free > rank) {
      level_direction(t, first, end, free, rank, mu, bent);
      stopped = move(t, free);
    }
    if (stopped) continue;
    if (free == t->nv || !release(t, first, end, free, rank, mu, bent)) return;
  }
}

/* x^T B x / 2 */
static double bending_cost(const jn_tasks *t) {
  double sum = 0;
  for (int i = 0; i < t->nv; i++)
    for (int j = 0; j < t->nv; j++) sum += 0.5 * t->step.x[i] * t->B[i * t->nv + j] * t->step.x[j];
  return sum;
}

void jn__tasks_step(jn_tasks *t, double factor) {
  task_step *s = &t->step;
  for (int i = 0; i < t->nv; i++) {
    s->x[i] = 0;
    s->state[i] = s->hi[i] <= 0 ? 1 : s->lo[i] >= 0 ? -1 : 0;
  }
  for (int level = 0; level < t->levels; level++) solve_level(t, level, factor * t->cost[level]);
  for (int level = 0; level < t->levels; level++) {
    int first = t->level_row[level], rows = t->level_row[level + 1] - first;
    residual(t, first, first + rows, s->r);
    t->predicted[level] = 0;
    for (int i = 0; i < rows; i++) t->predicted[level] += 0.5 * s->r[i] * s->r[i];
    if (t->bent && level == (t->loop_rows > 0)) t->predicted[level] += bending_cost(t);
  }
}

void jn__tasks_rank(jn_tasks *t, jn_reach *reach) {
  task_step *s = &t->step;
  int n = t->nv, m = t->m - t->loop_rows, k = n, rank = 0;
  const double *J = t->J + t->loop_rows * n;
  for (int i = 0; i < n; i++) s->place[i] = i;
  if (t->loop_rows > 0) {
    rank = reflect_rows(s, t->J, t->loop_rows, n, n);
    null_space(s, n, rank);
    k = n - rank;
  }
  for (int i = 0; i < m; i++)
    for (int c = 0; c < k; c++) {
      double sum = rank == 0 ? J[i * n + c] : 0;
      for (int j = 0; j < n && rank > 0; j++) sum += J[i * n + j] * s->N[c * n + j];
      s->JN[i * k + c] = sum / t->weight[t->loop_rows + i];
    }
  reach->rank = 0;
  reach->weakest = reach->manipulability = 0;
  if (m == 0 || k == 0) return;
  jn__cod(&t->cod, m, k, s->JN, t->options.weak);
  reach->rank = t->cod.rank;
  int most = t->generic > reach->rank ? t->generic : reach->rank; /* of rows that can be moved independently */
  reach->weakest = t->cod.rank < most ? t->cod.dropped : t->cod.weakest;
  if (reach->rank < most) return;
  if (reach->rank < m) { /* they never can be all */
    reach->manipulability = 1;
    jn__svd(&t->cod, m, k, s->JN, t->options.weak);
    for (int c = 0; c < k; c++)
      if (t->cod.s[c] > 0) reach->manipulability *= t->cod.s[c];
    return;
  }
  for (int a = 0; a < m; a++)
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int c = 0; c < k; c++) sum += s->JN[a * k + c] * s->JN[b * k + c];
      t->S[a * m + b] = sum;
    }
  if (!cholesky(t->S, m)) return;
  reach->manipulability = 1;
  for (int a = 0; a < m; a++) reach->manipulability /= t->S[a * m + a];
}
