/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations and velocities that satisfy the conditions, and how independent the conditions are.
 *
 * Assembly: damped steps of Gauss and Newton. From the errors e(q) of closure.c and the Jacobian A,
 *   y = -A^+ e,   q <- q (+) s y     with s = 1, 1/2, 1/4, ... until the largest gap decreases.
 * Velocities: v <- v - A^+ A v, the nearest one that satisfies A v = 0. A^+ is the pseudoinverse of A with its rows
 * over their scales and without the columns of held coordinates: these do not move.
 *
 *   symbol     meaning                                               size     unit
 *   A          Jacobian of the conditions, in state->A               m x nv
 *   phi        errors of the rows, in scratch->phi                   m        m, rad
 *   gap        largest error of a loop                               1        m, rad
 *   y          step of the coordinates, tangent                      nv       rad, m */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../dense/vectors.h"
#include "jounce/configuration.h"
#include "loops.h"

jn_status jn_loops_constraint(jn_loops *l, const double *q, const double *v, double *phi, double *A, double *dAv) {
  if (!l || !q) return JN_ERR_NULL;
  memset(l->scratch.v, 0, sizeof(double) * 4 * (size_t)l->structure.nv);
  if (v) memcpy(l->scratch.v, v, sizeof(double) * (size_t)l->structure.nv);
  jn_status status = jn__loops_motion(&l->structure, &l->state, 0, q, l->scratch.v);
  if (status != JN_OK) return status;
  if (phi) jn__loops_value(&l->structure, &l->state, 0, phi);
  if (dAv) jn__loops_value(&l->structure, &l->state, 2, dAv); /* with zero acceleration */
  if (!A) return JN_OK;
  status = jn__loops_jacobian(&l->structure, &l->state, 0);
  if (status == JN_OK) memcpy(A, l->state.A, sizeof(double) * (size_t)l->structure.m * (size_t)l->structure.nv);
  return status;
}

typedef void decomposition(jn_decomposition *d, int rows, int n, const double *B, double tolerance);

static void hold_columns(const loop_structure *loops, loop_state *state, const unsigned char *held) {
  for (int k = 0; k < loops->m * loops->nv && held; k++)
    if (held[k % loops->nv]) state->A[k] = 0;
}

/* A at q, its rows over their scales, decomposed. */
static jn_status decompose(jn_loops *l, const double *q, decomposition *by) {
  jn_status status = jn_loops_constraint(l, q, NULL, NULL, l->state.A, NULL);
  jn__loops_scale_rows(&l->structure, l->structure.nv, l->state.A);
  if (status == JN_OK) by(&l->factors.cod, l->structure.m, l->structure.nv, l->state.A, l->structure.options.tolerance);
  return status;
}

jn_status jn_loops_rank(jn_loops *l, const double *q, int *rank) {
  if (!l || !q || !rank) return JN_ERR_NULL;
  jn_status status = decompose(l, q, jn__svd);
  *rank = l->factors.cod.rank;
  return status;
}

/* Rows of state->A in order, over their scales: what is left of each across those before, which scratch->B keeps
 * orthonormal. Twice, against rounding. */
static void find_redundant(const loop_structure *loops, const loop_state *state, loop_scratch *scratch,
                           unsigned char *redundant) {
  int n = loops->nv, kept = 0;
  double most = 0;
  for (int r = 0; r < loops->m; r++) most = fmax(most, length_of(state->A + r * n, n));
  for (int r = 0; r < loops->m; r++) {
    double *x = scratch->B + kept * n;
    memcpy(x, state->A + r * n, sizeof(double) * (size_t)n);
    for (int k = 0; k < 2 * kept; k++) {
      const double *e = scratch->B + k % kept * n;
      double along = 0;
      for (int i = 0; i < n; i++) along += e[i] * x[i];
      for (int i = 0; i < n; i++) x[i] -= along * e[i];
    }
    double left = length_of(x, n);
    redundant[r] = !(left > loops->options.tolerance * most);
    if (redundant[r]) continue;
    for (int i = 0; i < n; i++) x[i] /= left;
    kept++;
  }
}

jn_status jn_loops_health_at(jn_loops *l, const double *q, jn_loops_health *health, unsigned char *redundant) {
  if (!l || !q || !health) return JN_ERR_NULL;
  jn_status status = decompose(l, q, jn__svd);
  if (status != JN_OK) return status;
  *health = jn__loops_health(&l->structure, &l->factors.cod, 1);
  if (redundant) find_redundant(&l->structure, &l->state, &l->scratch, redundant);
  return JN_OK;
}

/* The largest gap of all loops at q; errors of rows in scratch->phi (closure.c). */
static jn_status find_gap(const loop_structure *loops, loop_state *state, loop_scratch *scratch, const double *q,
                          double *gap) {
  jn_status status = jn__loops_motion(loops, state, 0, q, loops->zeros);
  if (status != JN_OK) return status;
  jn__loops_closure(loops, state, scratch->phi);
  *gap = 0;
  for (int i = 0; i < loops->count + loops->options.user_count; i++) {
    double own = jn__loops_gap(loops, i, scratch->phi);
    *gap = own > *gap || isnan(own) ? own : *gap;
  }
  return JN_OK;
}

/* Opposite directions can be aligned by a rotation about any axis across them. The one that the mechanism can follow
 * more easily is chosen: `any` of closure.c was t1, and becomes t2. */
static void choose_alignment(const loop_structure *loops, loop_state *state, loop_scratch *scratch) {
  int n = loops->nv;
  for (int r = 0; r + 1 < loops->first_user; r++) {
    if (loops->row[r].closure != CLOSE_ALIGN || !(hypot(scratch->phi[r], scratch->phi[r + 1]) >= JN_OPPOSITE)) continue;
    if (length_of(state->A + r * n, n) >= length_of(state->A + (r + 1) * n, n)) continue;
    scratch->phi[r + 1] = scratch->phi[r];
    scratch->phi[r] = 0;
    for (int i = 0; i < 2 * n; i++) state->A[r * n + i] *= -1;
  }
}

void jn__loops_row_errors(const loop_structure *loops, const double *closure, double *error) {
  for (int r = 0; r < loops->m; r++) {
    /* Closures of couplings and of the user's conditions are over their scales already. */
    int is_scaled = r >= loops->first_user || loops->row[r].terms == 0;
    error[r] = -closure[r] / (is_scaled ? 1 : loops->scale[r]);
  }
}

jn_status jn__loops_closing_rows(jn_loops *l, const unsigned char *held) {
  jn_status status = jn__loops_jacobian(&l->structure, &l->state, 0);
  if (status != JN_OK) return status;
  hold_columns(&l->structure, &l->state, held);
  choose_alignment(&l->structure, &l->state, &l->scratch);
  jn__loops_row_errors(&l->structure, l->scratch.phi, l->scratch.x);
  jn__loops_scale_rows(&l->structure, l->structure.nv, l->state.A);
  return JN_OK;
}

jn_status jn__loops_find_gap(jn_loops *l, const double *q, double *gap) {
  return find_gap(&l->structure, &l->state, &l->scratch, q, gap);
}

/* The step y of Gauss and Newton, from the errors that find_gap() left. */
static jn_status find_step(jn_loops *l, const unsigned char *held, double *y) {
  jn_status status = jn__loops_closing_rows(l, held);
  if (status != JN_OK) return status;
  jn__cod(&l->factors.cod, l->structure.m, l->structure.nv, l->state.A, l->structure.options.tolerance);
  jn__cod_solve(&l->factors.cod, l->scratch.x, y);
  return JN_OK;
}

jn_status jn_loops_assemble(jn_loops *l, const unsigned char *held, double accuracy, double *q, double *residual) {
  if (!l || !q) return JN_ERR_NULL;
  double goal = accuracy > 0 ? accuracy : fmax(1e-12, 10 * jn_variant_epsilon()), error = INFINITY, after = INFINITY;

  jn_status status = find_gap(&l->structure, &l->state, &l->scratch, q, &error);
  for (int step = 0; step < 100 && status == JN_OK; step++, error = after) {
    if (residual) *residual = error;
    if (error <= goal) return JN_OK;

    /* The step, at most 0.5 rad or m long. */
    status = find_step(l, held, l->scratch.y);
    double scale = fmin(1, 0.5 / fmax(largest_or_nan(l->scratch.y, l->structure.nv), 1e-300));

    /* Half as long until it helps. */
    for (int k = 0; k < 12 && status == JN_OK; k++, scale *= 0.5) {
      for (int i = 0; i < l->structure.nv; i++) l->scratch.x[i] = scale * l->scratch.y[i];
      status = jn_integrate(l->structure.model, l->structure.work, q, l->scratch.x, l->scratch.moved);
      if (status == JN_OK) status = find_gap(&l->structure, &l->state, &l->scratch, l->scratch.moved, &after);
      if (after < error) break;
    }
    if (status == JN_OK && !(after < error))
      return error <= 100 * goal ? JN_OK : JN_ERR_LOOP; /* rounding, a dead end */
    if (status == JN_OK) memcpy(q, l->scratch.moved, sizeof(double) * (size_t)l->structure.nq);
  }
  if (status == JN_OK && residual) *residual = error;
  return status == JN_OK ? JN_ERR_LOOP : status;
}

/* The largest rank at a few closed configurations next to q = 0, which may be singular itself. */
void jn__loops_find_generic(jn_loops *l) {
  uint32_t random = 1;
  l->structure.generic = -1;
  for (int attempt = 0; attempt < 4; attempt++) {
    jn_neutral(l->structure.model, l->scratch.start);
    for (int i = 0; i < l->structure.nv; i++) { /* within 0.2, and 0 at last */
      random = random * 1664525u + 1013904223u;
      l->scratch.x[i] = attempt == 3 ? 0 : 0.2 * ((random >> 8) / 8388608.0 - 1);
    }
    jn_status status =
        jn_integrate(l->structure.model, l->structure.work, l->scratch.start, l->scratch.x, l->scratch.moved);
    if (status != JN_OK) return;
    memcpy(l->scratch.start, l->scratch.moved, sizeof(double) * (size_t)l->structure.nq);
    status = jn_loops_assemble(l, NULL, fmax(1e-10, 10 * jn_variant_epsilon()), l->scratch.start, NULL);
    if (status == JN_OK && decompose(l, l->scratch.start, jn__cod) == JN_OK &&
        l->factors.cod.rank > l->structure.generic)
      l->structure.generic = l->factors.cod.rank;
  }
}

jn_status jn_loops_project(jn_loops *l, const unsigned char *held, const double *q, double *v) {
  if (!l || !q || !v) return JN_ERR_NULL;

  /* The right side -A v, with rows over their scales. */
  jn_status status = jn_loops_constraint(l, q, NULL, NULL, l->state.A, NULL);
  if (status != JN_OK) return status;
  jn__loops_scale_rows(&l->structure, l->structure.nv, l->state.A);
  for (int r = 0; r < l->structure.m; r++) {
    l->scratch.phi[r] = 0;
    for (int k = 0; k < l->structure.nv; k++) l->scratch.phi[r] -= l->state.A[r * l->structure.nv + k] * v[k];
  }
  double size = largest_or_nan(l->scratch.phi, l->structure.m);

  /* The shortest correction x of the coordinates that are not held. */
  hold_columns(&l->structure, &l->state, held);
  jn__cod(&l->factors.cod, l->structure.m, l->structure.nv, l->state.A, l->structure.options.tolerance);
  jn__cod_solve(&l->factors.cod, l->scratch.phi, l->scratch.x);

  /* It must satisfy all conditions, or held coordinates contradict the loops. */
  for (int r = 0; r < l->structure.m; r++)
    for (int k = 0; k < l->structure.nv; k++)
      l->scratch.phi[r] -= l->state.A[r * l->structure.nv + k] * l->scratch.x[k];
  for (int k = 0; k < l->structure.nv; k++) v[k] += l->scratch.x[k];
  return largest_or_nan(l->scratch.phi, l->structure.m) <= 1e-9 * (1 + size) ? JN_OK : JN_ERR_LOOP;
}
