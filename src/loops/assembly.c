/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions at a state, and configurations and velocities that keep them. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "jounce/configuration.h"
#include "loops.h"

static double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fabs(x[k]) > most || isnan(x[k]) ? fabs(x[k]) : most;
  return most;
}

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

/* A at q with the columns of held coordinates zero, decomposed; phi at q in l->phi. */
static jn_status decompose(jn_loops *l, const unsigned char *held, const double *q, decomposition *by) {
  jn_status status = jn_loops_constraint(l, q, NULL, l->phi, l->A, NULL);
  for (int k = 0; k < l->m * l->nv && held; k++)
    if (held[k % l->nv]) l->A[k] = 0;
  if (status == JN_OK) by(&l->cod, l->m, l->nv, l->A, l->options.tolerance);
  return status;
}

jn_status jn_loops_rank(jn_loops *l, const double *q, int *rank) {
  if (!l || !q || !rank) return JN_ERR_NULL;
  jn_status status = decompose(l, NULL, q, jn__svd);
  *rank = l->cod.rank;
  return status;
}

/* Rows in order: what is left of each across those before, which l->B keeps orthonormal. Twice, against rounding. */
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
  jn_status status = decompose(l, NULL, q, jn__svd);
  if (status != JN_OK) return status;
  *health = jn__loops_health(l, &l->cod, 1);
  if (redundant) find_redundant(l, redundant);
  return JN_OK;
}

/* Sines cannot tell a rotation from its opposite: the axes must point the same way. */
static int is_upright(jn_loops *l) {
  jn__loops_relative_poses(l);
  for (int i = 0; i < l->count; i++) {
    const double *R = l->pair[i].R, *e = l->pair[i].axis;
    double along = 0;
    for (int k = 0; k < 9; k++) along += e[k / 3] * R[k] * e[k % 3];
    if (l->pair[i].upright == 1 && along < 0) return 0;
    if (l->pair[i].upright == 2 && R[0] + R[4] + R[8] < 1) return 0;
  }
  return 1;
}

jn_status jn_loops_assemble(jn_loops *l, const unsigned char *held, double accuracy, double *q, double *residual) {
  if (!l || !q) return JN_ERR_NULL;
  double goal = accuracy > 0 ? accuracy : 1e-12, error = INFINITY;
  jn_status status = JN_OK;
  for (int step = 0; step < 100; step++) {
    status = decompose(l, held, q, jn__cod);
    if (status != JN_OK) return status;
    error = largest(l->phi, l->m);
    if (residual) *residual = error;
    if (error <= goal) return is_upright(l) ? JN_OK : JN_ERR_LOOP;
    for (int k = 0; k < l->m; k++) l->x[k] = -l->phi[k];
    jn__cod_solve(&l->cod, l->x, l->y);
    double before = error, scale = fmin(1, 0.5 / fmax(largest(l->y, l->nv), 1e-300)), after = INFINITY;
    for (int k = 0; k < 12; k++, scale *= 0.5) { /* shorter until it helps */
      for (int i = 0; i < l->nv; i++) l->x[i] = scale * l->y[i];
      status = jn_integrate(l->model, l->work, q, l->x, l->moved);
      if (status == JN_OK) status = jn_loops_constraint(l, l->moved, NULL, l->phi, NULL, NULL);
      if (status != JN_OK) return status;
      after = largest(l->phi, l->m);
      if (after < before) break;
    }
    if (!(after < before)) return before <= 100 * goal ? JN_OK : JN_ERR_LOOP; /* rounding, or a dead end */
    memcpy(q, l->moved, sizeof(double) * (size_t)l->nq);
  }
  return JN_ERR_LOOP;
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
    if (status == JN_OK && decompose(l, NULL, l->start, jn__cod) == JN_OK && l->cod.rank > l->generic)
      l->generic = l->cod.rank;
  }
}

jn_status jn_loops_project(jn_loops *l, const unsigned char *held, const double *q, double *v) {
  if (!l || !q || !v) return JN_ERR_NULL;
  jn_status status = jn_loops_constraint(l, q, NULL, NULL, l->A, NULL);
  if (status != JN_OK) return status;
  for (int r = 0; r < l->m; r++) {
    l->phi[r] = 0;
    for (int k = 0; k < l->nv; k++) l->phi[r] -= l->A[r * l->nv + k] * v[k];
  }
  double size = largest(l->phi, l->m);
  for (int k = 0; k < l->m * l->nv && held; k++)
    if (held[k % l->nv]) l->A[k] = 0;
  jn__cod(&l->cod, l->m, l->nv, l->A, l->options.tolerance);
  jn__cod_solve(&l->cod, l->phi, l->x);
  for (int r = 0; r < l->m; r++)
    for (int k = 0; k < l->nv; k++) l->phi[r] -= l->A[r * l->nv + k] * l->x[k];
  for (int k = 0; k < l->nv; k++) v[k] += l->x[k];
  return largest(l->phi, l->m) <= 1e-9 * (1 + size) ? JN_OK : JN_ERR_LOOP;
}
