/* SPDX-License-Identifier: BSD-2-Clause */
/* M x - A^T mu = f, A x = g. With M = L^T D L as sparse as the tree (L unit lower triangular), B = D^-1/2 L^-T A^T:
 *   B^T B mu = g - B^T D^-1/2 L^-T f,       x = L^-1 D^-1/2 (D^-1/2 L^-T f + B mu)
 * B^T B is factorised by Cholesky while its pivots are far from rounding, else B is decomposed, which tells dependent
 * conditions from weak ones. Rows of A, and so of B^T, are zero but for the coordinates of their loop. */
#include <math.h>
#include <string.h>

#include "loops.h"

/* In place, below the diagonal L, on it D^-1/2. 0 when a pivot is lost to rounding. [Featherstone's elimination] */
static int factor_inertia(const jn_loops *l, double *H) {
  int n = l->nv;
  const int *parent = l->parent;
  for (int k = 0; k < n; k++) l->z[k] = H[k * (n + 1)];
  for (int k = n - 1; k >= 0; k--) {
    double pivot = H[k * (n + 1)], *row = H + k * n;
    if (!(pivot > 1e-14 * l->z[k])) return 0;
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      double a = row[i] / pivot;
      for (int j = i; j >= 0; j = parent[j]) H[i * n + j] -= a * row[j];
      row[i] = a;
    }
    row[k] = 1 / sqrt(pivot);
  }
  return 1;
}

/* x = D^-1/2 L^-T x. */
static void half_solve(const jn_loops *l, double *x) {
  int n = l->nv;
  for (int k = n - 1; k >= 0; k--) {
    const double *row = l->H + k * n;
    if (x[k] == 0) continue;
    for (int i = l->parent[k]; i >= 0; i = l->parent[i]) x[i] -= row[i] * x[k];
    x[k] *= row[k];
  }
}

/* x = L^-1 D^-1/2 x. */
static void other_half(const jn_loops *l, double *x) {
  int n = l->nv;
  for (int k = 0; k < n; k++) {
    const double *row = l->H + k * n;
    x[k] *= row[k];
    for (int i = l->parent[k]; i >= 0; i = l->parent[i]) x[k] -= row[i] * x[i];
  }
}

/* Four sums, which a processor can work on at the same time. */
static double dot(const double *a, const double *b, int n) {
  double sum[4] = {0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int e = 0; e < 4; e++) sum[e] += a[k + e] * b[k + e];
  for (; k < n; k++) sum[k & 3] += a[k] * b[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* B^T from the rows of A. */
static void see_through_inertia(jn_loops *l, const unsigned char *prescribed) {
  int n = l->nv, m = l->m;
  for (int r = 0; r < m; r++) {
    double *b = l->B + r * n;
    memcpy(b, l->A + r * n, sizeof(double) * (size_t)n);
    for (int k = 0; k < n && prescribed; k++) b[k] = prescribed[k] ? 0 : b[k];
    half_solve(l, b);
  }
}

/* S = B^T B, over the coordinates that a loop has. */
static void multiply(jn_loops *l) {
  int n = l->nv, m = l->m;
  for (int i = 0; i < l->count; i++) {
    const loop_pair *c = &l->pair[i];
    for (int r = c->first; r < c->first + c->rows; r++)
      for (int s = 0; s <= r; s++) {
        const double *a = l->B + r * n, *b = l->B + s * n;
        double sum = 0;
        for (int k = 0; k < c->runs; k++) sum += dot(a + c->run[k].first, b + c->run[k].first, c->run[k].count);
        l->S[r * m + s] = sum;
      }
  }
  for (int r = l->first_user; r < m; r++)
    for (int s = 0; s <= r; s++) l->S[r * m + s] = dot(l->B + r * n, l->B + s * n, n);
}

/* S = C C^T in place, the diagonal inverted. 0 when conditions are weak beside each other: their answer would lose more
 * than five digits. */
static int factor_conditions(jn_loops *l) {
  int m = l->m;
  double *S = l->S, most = 0, least = INFINITY;
  if (l->generic >= 0 && l->generic < m) return 0; /* some are always dependent */
  multiply(l);
  for (int r = 0; r < m; r++) most = fmax(most, S[r * (m + 1)]);
  for (int j = 0; j < m; j++) {
    double pivot = S[j * (m + 1)] - dot(S + j * m, S + j * m, j);
    least = fmin(least, pivot);
    if (!(pivot > 1e-5 * most)) return 0;
    double inverse = S[j * (m + 1)] = 1 / sqrt(pivot);
    for (int i = j + 1; i < m; i++) S[i * m + j] = (S[i * m + j] - dot(S + i * m, S + j * m, j)) * inverse;
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
  for (int i = 0; i < m; i++) g[i] = (g[i] - dot(S + i * m, g, i)) * S[i * (m + 1)];
  for (int i = m - 1; i >= 0; i--) {
    g[i] *= S[i * (m + 1)];
    for (int k = 0; k < i; k++) g[k] -= S[i * m + k] * g[i];
  }
}

jn_loops_health jn__loops_health(const jn_loops *l, const jn_decomposition *d, int all) {
  jn_loops_health h = {d->rank, l->generic, d->weakest, d->dropped, 0};
  h.near_singular =
      d->weakest < l->options.near || d->dropped > l->options.tolerance / 100 || (all && d->rank < l->generic);
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
  jn__cod_transposed(&l->cod, n, l->m, l->B, l->options.tolerance);
  l->last = jn__loops_health(l, &l->cod, !prescribed);
  return JN_OK;
}

void jn__loops_solve(jn_loops *l, double *f, double *g) {
  int n = l->nv, m = l->m;
  half_solve(l, f);
  for (int r = 0; r < m; r++) g[r] -= dot(l->B + r * n, f, n);
  solve_conditions(l, g);
  for (int r = 0; r < m; r++)
    for (int i = 0; i < n; i++) f[i] += l->B[r * n + i] * g[r];
  other_half(l, f);
}

jn_status jn_loops_last_health(const jn_loops *l, jn_loops_health *health) {
  if (!l || !health) return JN_ERR_NULL;
  *health = l->last;
  return JN_OK;
}
