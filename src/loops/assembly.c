/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions at a state, and configurations and velocities that keep them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "arrays.h"
#include "jounce/configuration.h"
#include "loops.h"

static double norm2(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

jn_status jn_loops_constraint(jn_loops *l, const double *q, const double *v, double *phi, double *A, double *dAv) {
  if (!l || !q || (dAv && !v)) return JN_ERR_NULL;
  memset(l->v, 0, sizeof(double) * 4 * (size_t)l->nv);
  if (v) memcpy(l->v, v, sizeof(double) * (size_t)l->nv);
  jn_status status = jn__loops_motion(l, 0, q, l->v);
  if (status != JN_OK) return status;
  if (phi) jn__loops_value(l, 0, phi);
  if (dAv) jn__loops_value(l, 2, dAv); /* with zero acceleration */
  if (!A) return JN_OK;
  status = jn__loops_jacobian(l, 0, q, l->v);
  if (status == JN_OK) memcpy(A, l->A, sizeof(double) * (size_t)l->m * (size_t)l->nv);
  return status;
}

typedef void decomposition(jn_decomposition *d, int rows, int n, const double *B, double tolerance);

static void hold_columns(jn_loops *l, const unsigned char *held) {
  for (int k = 0; k < l->m * l->nv && held; k++)
    if (held[k % l->nv]) l->A[k] = 0;
}

/* A at q, its rows over their scales, decomposed. */
static jn_status decompose(jn_loops *l, const double *q, decomposition *by) {
  jn_status status = jn_loops_constraint(l, q, NULL, NULL, l->A, NULL);
  jn__loops_scale_rows(l, l->nv, l->A);
  if (status == JN_OK) by(&l->cod, l->m, l->nv, l->A, l->options.tolerance);
  return status;
}

jn_status jn_loops_rank(jn_loops *l, const double *q, int *rank) {
  if (!l || !q || !rank) return JN_ERR_NULL;
  jn_status status = decompose(l, q, jn__svd);
  *rank = l->cod.rank;
  return status;
}

/* Rows of l->A in order, over their scales: what is left of each across those before, which l->B keeps orthonormal.
 * Twice, against rounding. */
static void find_redundant(jn_loops *l, unsigned char *redundant) {
  int n = l->nv, kept = 0;
  double most = 0;
  for (int r = 0; r < l->m; r++) most = fmax(most, norm2(l->A + r * n, n));
  for (int r = 0; r < l->m; r++) {
    double *x = l->B + kept * n;
    memcpy(x, l->A + r * n, sizeof(double) * (size_t)n);
    for (int k = 0; k < 2 * kept; k++) {
      const double *e = l->B + k % kept * n;
      double along = 0;
      for (int i = 0; i < n; i++) along += e[i] * x[i];
      for (int i = 0; i < n; i++) x[i] -= along * e[i];
    }
    double left = norm2(x, n);
    redundant[r] = !(left > l->options.tolerance * most);
    if (redundant[r]) continue;
    for (int i = 0; i < n; i++) x[i] /= left;
    kept++;
  }
}

jn_status jn_loops_health_at(jn_loops *l, const double *q, jn_loops_health *health, unsigned char *redundant) {
  if (!l || !q || !health) return JN_ERR_NULL;
  jn_status status = decompose(l, q, jn__svd);
  if (status != JN_OK) return status;
  *health = jn__loops_health(l, &l->cod, 1);
  if (redundant) find_redundant(l, redundant);
  return JN_OK;
}

/* The largest gap of all loops at q; errors of rows in l->phi (closure.c). */
static jn_status find_gap(jn_loops *l, const double *q, double *gap) {
  jn_status status = jn__loops_motion(l, 0, q, l->zeros);
  if (status != JN_OK) return status;
  jn__loops_closure(l, q, l->phi);
  *gap = 0;
  for (int i = 0; i < l->count + l->options.user_count; i++) {
    double own = jn__loops_gap(l, i, l->phi);
    *gap = own > *gap || isnan(own) ? own : *gap;
  }
  return JN_OK;
}

/* Directions that are opposite are turned back the way that the mechanism can move more easily: `any` of closure.c was
 * t1, and becomes t2. */
static void choose_way_back(jn_loops *l) {
  int n = l->nv;
  for (int r = 0; r + 1 < l->first_user; r++) {
    if (l->row[r].closure != CLOSE_ALIGN || !(hypot(l->phi[r], l->phi[r + 1]) >= JN_OPPOSITE)) continue;
    if (norm2(l->A + r * n, n) >= norm2(l->A + (r + 1) * n, n)) continue;
    l->phi[r + 1] = l->phi[r];
    l->phi[r] = 0;
    for (int i = 0; i < 2 * n; i++) l->A[r * n + i] *= -1;
  }
}

/* The step y of Gauss and Newton, from the errors that find_gap() left. */
static jn_status find_step(jn_loops *l, const unsigned char *held, const double *q, double *y) {
  jn_status status = jn__loops_jacobian(l, 0, q, l->zeros);
  if (status != JN_OK) return status;
  hold_columns(l, held);
  choose_way_back(l);
  for (int r = 0; r < l->m; r++) /* errors of couplings and the user's conditions are over their scales already */
    l->x[r] = -l->phi[r] / (r < l->first_user && l->row[r].terms > 0 ? l->scale[r] : 1);
  jn__loops_scale_rows(l, l->nv, l->A);
  jn__cod(&l->cod, l->m, l->nv, l->A, l->options.tolerance);
  jn__cod_solve(&l->cod, l->x, y);
  return JN_OK;
}

jn_status jn_loops_assemble(jn_loops *l, const unsigned char *held, double accuracy, double *q, double *residual) {
  if (!l || !q) return JN_ERR_NULL;
  double goal = accuracy > 0 ? accuracy : fmax(1e-12, 10 * jn_row_epsilon()), error = INFINITY, after = INFINITY;
  jn_status status = find_gap(l, q, &error);
  for (int step = 0; step < 100 && status == JN_OK; step++, error = after) {
    if (residual) *residual = error;
    if (error <= goal) return JN_OK;
    status = find_step(l, held, q, l->y);
    double scale = fmin(1, 0.5 / fmax(largest_or_nan(l->y, l->nv), 1e-300));
    for (int k = 0; k < 12 && status == JN_OK; k++, scale *= 0.5) { /* shorter until it helps */
      for (int i = 0; i < l->nv; i++) l->x[i] = scale * l->y[i];
      status = jn_integrate(l->model, l->work, q, l->x, l->moved);
      if (status == JN_OK) status = find_gap(l, l->moved, &after);
      if (after < error) break;
    }
    if (status == JN_OK && !(after < error))
      return error <= 100 * goal ? JN_OK : JN_ERR_LOOP; /* rounding, a dead end */
    if (status == JN_OK) memcpy(q, l->moved, sizeof(double) * (size_t)l->nq);
  }
  if (status == JN_OK && residual) *residual = error;
  return status == JN_OK ? JN_ERR_LOOP : status;
}

/* The largest rank at a few closed configurations next to q = 0, which may be singular itself. */
void jn__loops_find_generic(jn_loops *l) {
  uint32_t random = 1;
  l->generic = -1;
  for (int attempt = 0; attempt < 4; attempt++) {
    jn_neutral(l->model, l->start);
    for (int i = 0; i < l->nv; i++) { /* within 0.2, and 0 at last */
      random = random * 1664525u + 1013904223u;
      l->x[i] = attempt == 3 ? 0 : 0.2 * ((random >> 8) / 8388608.0 - 1);
    }
    jn_status status = jn_integrate(l->model, l->work, l->start, l->x, l->moved);
    if (status != JN_OK) return;
    memcpy(l->start, l->moved, sizeof(double) * (size_t)l->nq);
    status = jn_loops_assemble(l, NULL, fmax(1e-10, 10 * jn_row_epsilon()), l->start, NULL);
    if (status == JN_OK && decompose(l, l->start, jn__cod) == JN_OK && l->cod.rank > l->generic)
      l->generic = l->cod.rank;
  }
}

jn_status jn_loops_project(jn_loops *l, const unsigned char *held, const double *q, double *v) {
  if (!l || !q || !v) return JN_ERR_NULL;
  jn_status status = jn_loops_constraint(l, q, NULL, NULL, l->A, NULL);
  if (status != JN_OK) return status;
  jn__loops_scale_rows(l, l->nv, l->A);
  for (int r = 0; r < l->m; r++) {
    l->phi[r] = 0;
    for (int k = 0; k < l->nv; k++) l->phi[r] -= l->A[r * l->nv + k] * v[k];
  }
  double size = largest_or_nan(l->phi, l->m);
  hold_columns(l, held);
  jn__cod(&l->cod, l->m, l->nv, l->A, l->options.tolerance);
  jn__cod_solve(&l->cod, l->phi, l->x);
  for (int r = 0; r < l->m; r++)
    for (int k = 0; k < l->nv; k++) l->phi[r] -= l->A[r * l->nv + k] * l->x[k];
  for (int k = 0; k < l->nv; k++) v[k] += l->x[k];
  return largest_or_nan(l->phi, l->m) <= 1e-9 * (1 + size) ? JN_OK : JN_ERR_LOOP;
}
