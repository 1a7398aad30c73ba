/* SPDX-License-Identifier: BSD-2-Clause */
/* M x - A^T mu = f, A x = g. With M = L^T D L as sparse as the tree (L unit lower triangular), B = D^-1/2 L^-T A^T:
 *   B^T B mu = g - B^T D^-1/2 L^-T f,       x = L^-1 D^-1/2 (D^-1/2 L^-T f + B mu)
 * B^T B is factorised by Cholesky while its pivots are far from rounding, else B is decomposed, which tells dependent
 * conditions from weak ones. Rows of B are zero but for the conditions of loops that their coordinate moves. */
#include <math.h>
#include <string.h>

#include "loops.h"

/* In place, below the diagonal L, on it D^-1/2. 0 when a pivot is lost to rounding. [Featherstone's elimination] */
static int factor_inertia(const jn_loops *l, double *H) {
  int n = l->nv;
  double *row = l->x, *diagonal = l->z;
  for (int k = 0; k < n; k++) diagonal[k] = H[k * (n + 1)];
  for (int k = n - 1; k >= 0; k--) {
    double pivot = H[k * (n + 1)], inverse = 1 / pivot;
    const int *before = l->before + l->first_before[k];
    int count = l->first_before[k + 1] - l->first_before[k];
    if (!(pivot > 1e-14 * diagonal[k])) return 0;
    for (int p = 0; p < count; p++) row[p] = H[k * n + before[p]];
    for (int p = 0; p < count; p++) {
      double a = row[p] * inverse, *to = H + before[p] * n;
      for (int e = p; e < count; e++) to[before[e]] -= a * row[e];
      H[k * n + before[p]] = a;
    }
    H[k * (n + 1)] = sqrt(inverse);
  }
  return 1;
}

/* x = D^-1/2 L^-T x. */
static void half_solve(const jn_loops *l, double *x) {
  int n = l->nv;
  for (int k = n - 1; k >= 0; k--) {
    const double *row = l->H + k * n;
    double own = x[k];
    for (int p = l->first_before[k]; p < l->first_before[k + 1]; p++) x[l->before[p]] -= row[l->before[p]] * own;
    x[k] = own * row[k];
  }
}

/* x = L^-1 D^-1/2 x. */
static void other_half(const jn_loops *l, double *x) {
  int n = l->nv;
  for (int k = 0; k < n; k++) {
    const double *row = l->H + k * n;
    double sum = x[k] * row[k];
    for (int p = l->first_before[k]; p < l->first_before[k + 1]; p++) sum -= row[l->before[p]] * x[l->before[p]];
    x[k] = sum;
  }
}

/* y += a x, two at a time: rows are short, and a compiler's own loop of vectors costs more to enter than they take. */
static inline void add(int n, double a, const double *restrict x, double *restrict y) {
  for (; n >= 2; n -= 2, x += 2, y += 2) {
    double first = y[0] + a * x[0], second = y[1] + a * x[1];
    y[0] = first;
    y[1] = second;
  }
  if (n) y[0] += a * x[0];
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* B = D^-1/2 L^-T A^T. Row k of B is zero outside the conditions that l->touch[k] has. */
static void see_through_inertia(jn_loops *l, const unsigned char *prescribed) {
  int n = l->nv, m = l->m;
  memset(l->B, 0, sizeof(double) * (size_t)n * (size_t)m);
  for (int k = 0; k < n; k++)
    for (int r = l->touch[k].first; r < l->touch[k].first + l->touch[k].count; r++)
      l->B[k * m + r] = prescribed && prescribed[k] ? 0 : l->A[r * n + k];
  for (int k = n - 1; k >= 0; k--) {
    const double *row = l->H + k * n;
    int first = l->touch[k].first, count = l->touch[k].count;
    double *b = l->B + k * m + first;
    for (int p = l->first_before[k]; p < l->first_before[k + 1]; p++)
      add(count, -row[l->before[p]], b, l->B + l->before[p] * m + first);
    for (int r = 0; r < count; r++) b[r] *= row[k];
  }
}

/* S = B^T B, above the diagonal. */
static void multiply(jn_loops *l) {
  int m = l->m;
  memset(l->S, 0, sizeof(double) * (size_t)m * (size_t)m);
  for (int k = 0; k < l->nv; k++) {
    int end = l->touch[k].first + l->touch[k].count;
    const double *b = l->B + k * m;
    for (int r = l->touch[k].first; r < end; r++) add(end - r, b[r], b + r, l->S + r * m + r);
  }
}

/* S = C^T C in place above the diagonal, which is inverted. 0 when conditions are weak beside each other: their answer
 * would lose more than five digits. */
static int factor_conditions(jn_loops *l) {
  int m = l->m;
  double *S = l->S, most = 0, least = INFINITY;
  if (l->generic >= 0 && l->generic < m) return 0; /* some are always dependent */
  multiply(l);
  for (int r = 0; r < m; r++) most = fmax(most, S[r * (m + 1)]);
  for (int j = 0; j < m; j++) {
    double *row = S + j * m, pivot = row[j];
    least = fmin(least, pivot);
    if (!(pivot > 1e-5 * most)) return 0;
    double inverse = 1 / sqrt(pivot);
    row[j] = inverse;
    for (int i = j + 1; i < m; i++) row[i] *= inverse;
    for (int i = j + 1; i < m; i++)
      if (row[i] != 0) add(m - i, -row[i], row + i, S + i * m + i);
  }
  l->last = (jn_loops_health){.rank = m, .generic = l->generic, .weakest = m > 0 ? sqrt(least / most) : 1};
  return 1;
}

/* mu with B^T B mu = g, in place. */
static void solve_conditions(jn_loops *l, double *g) {
  int m = l->m;
  const double *S = l->S;
  if (!l->by_products) {
    jn__cod_solve_normal(&l->cod, g);
    return;
  }
  for (int i = 0; i < m; i++) {
    g[i] *= S[i * (m + 1)];
    add(m - i - 1, -g[i], S + i * m + i + 1, g + i + 1);
  }
  for (int i = m - 1; i >= 0; i--) g[i] = (g[i] - dot(S + i * m + i + 1, g + i + 1, m - i - 1)) * S[i * (m + 1)];
}

jn_loops_health jn__loops_health(const jn_loops *l, const jn_decomposition *d, int all) {
  jn_loops_health h = {d->rank, l->generic, d->weakest, d->dropped, 0};
  h.near_singular =
      d->weakest < l->options.weak || d->dropped > l->options.tolerance / 100 || (all && d->rank < l->generic);
  return h;
}

jn_status jn__loops_factor(jn_loops *l, const unsigned char *prescribed, const double *q) {
  int n = l->nv;
  jn_status status = jn__loops_jacobian(l, 0, q, l->v);
  if (status != JN_OK) return status;
  for (int i = 0; i < n && prescribed; i++)
    for (int j = 0; j < n; j++)
      if (prescribed[i] || prescribed[j]) l->H[i * n + j] = i == j;
  if (!factor_inertia(l, l->H)) return JN_ERR_SINGULAR;
  see_through_inertia(l, prescribed);
  l->by_products = factor_conditions(l);
  if (l->by_products) return JN_OK;
  jn__cod(&l->cod, n, l->m, l->B, l->options.tolerance);
  l->last = jn__loops_health(l, &l->cod, !prescribed);
  return JN_OK;
}

void jn__loops_solve(jn_loops *l, double *f, double *g) {
  int n = l->nv, m = l->m;
  half_solve(l, f);
  for (int k = 0; k < n; k++) add(l->touch[k].count, -f[k], l->B + k * m + l->touch[k].first, g + l->touch[k].first);
  solve_conditions(l, g);
  for (int k = 0; k < n; k++) f[k] += dot(l->B + k * m + l->touch[k].first, g + l->touch[k].first, l->touch[k].count);
  other_half(l, f);
}

static void scale(int n, double a, double *x) {
  for (int k = 0; k < n; k++) x[k] *= a;
}

/* solve_conditions() of `wide` columns. */
static void solve_conditions_many(jn_loops *l, int wide, double *g) {
  int m = l->m;
  const double *S = l->S;
  for (int c = 0; c < wide && !l->by_products; c++) {
    for (int r = 0; r < m; r++) l->z[r] = g[r * wide + c];
    jn__cod_solve_normal(&l->cod, l->z);
    for (int r = 0; r < m; r++) g[r * wide + c] = l->z[r];
  }
  for (int i = 0; i < m && l->by_products; i++) {
    scale(wide, S[i * (m + 1)], g + i * wide);
    for (int j = i + 1; j < m; j++)
      if (S[i * m + j] != 0) add(wide, -S[i * m + j], g + i * wide, g + j * wide);
  }
  for (int i = m - 1; i >= 0 && l->by_products; i--) {
    for (int j = i + 1; j < m; j++)
      if (S[i * m + j] != 0) add(wide, -S[i * m + j], g + j * wide, g + i * wide);
    scale(wide, S[i * (m + 1)], g + i * wide);
  }
}

void jn__loops_solve_many(jn_loops *l, int wide, double *f, double *g) {
  int n = l->nv, m = l->m;
  for (int k = n - 1; k >= 0; k--) { /* half_solve() */
    const double *row = l->H + k * n;
    for (int p = l->first_before[k]; p < l->first_before[k + 1]; p++)
      add(wide, -row[l->before[p]], f + k * wide, f + l->before[p] * wide);
    scale(wide, row[k], f + k * wide);
  }
  for (int k = 0; k < n; k++)
    for (int r = l->touch[k].first; r < l->touch[k].first + l->touch[k].count; r++)
      add(wide, -l->B[k * m + r], f + k * wide, g + r * wide);
  solve_conditions_many(l, wide, g);
  for (int k = 0; k < n; k++)
    for (int r = l->touch[k].first; r < l->touch[k].first + l->touch[k].count; r++)
      add(wide, l->B[k * m + r], g + r * wide, f + k * wide);
  for (int k = 0; k < n; k++) { /* other_half() */
    const double *row = l->H + k * n;
    scale(wide, row[k], f + k * wide);
    for (int p = l->first_before[k]; p < l->first_before[k + 1]; p++)
      add(wide, -row[l->before[p]], f + l->before[p] * wide, f + k * wide);
  }
}

jn_status jn_loops_last_health(const jn_loops *l, jn_loops_health *health) {
  if (!l || !health) return JN_ERR_NULL;
  *health = l->last;
  return JN_OK;
}
