/* SPDX-License-Identifier: BSD-2-Clause */
/* What putting the end of a step back onto the conditions of loops does to its derivatives. A step of Gauss and Newton
 * has y = -A^+ phi at q, and velocities are corrected by y = -A^+ A v, the shortest. With mu = A^+T y,
 *   dy = A^+ (d(right side) - dA y) + (1 - A^+ A) dA^T mu.
 * The first step of Gauss and Newton is differentiated in full; later ones, whose y is as small as the square of the
 * first, by 1 - A^+ A. Columns of held coordinates are zero in the A that is inverted. */
#include <string.h>

#include "../loops/loops.h"
#include "variation.h"

static void clear(double *x, int count) { memset(x, 0, (size_t)count * sizeof *x); }

/* A and its inverse A^+ [nv x m] at q. */
static jn_status invert(jn_simulator *s, const double *q) {
  step_variation *x = s->variation;
  jn_loops *l = s->loops;
  int n = s->nv, m = l->structure.m;
  jn_status status = jn_loops_constraint(l, q, NULL, NULL, x->A, NULL);
  memcpy(l->state.A, x->A, (size_t)(m * n) * sizeof(double));
  jn__loops_scale_rows(&l->structure, n, l->state.A);
  for (int k = 0; k < m * n && s->has_given; k++)
    if (s->given[k % n]) l->state.A[k] = 0;
  if (status != JN_OK) return status;
  jn__cod(&l->factors.cod, m, n, l->state.A, l->structure.options.tolerance);
  for (int r = 0; r < m; r++) {
    clear(l->scratch.phi, m);
    l->scratch.phi[r] = 1 / l->structure.scale[r];
    jn__cod_solve(&l->factors.cod, l->scratch.phi, l->scratch.x);
    for (int i = 0; i < n; i++) x->inverse[i * m + r] = l->scratch.x[i];
  }
  return JN_OK;
}

/* out [nv x nv] += -A^+ d(A along)/dq + (1 - A^+ A) d(A^T mu)/dq, mu = A^+T y, with what invert() left. */
static jn_status add_turning(jn_simulator *s, const double *q, const double *along, const double *y, double *out) {
  step_variation *x = s->variation;
  jn_loops *l = s->loops;
  int n = s->nv, m = l->structure.m;
  jn_status status = jn__loops_change_of_A(l, q, along);
  if (status != JN_OK) return status;
  jn__add_product(n, m, n, -1, x->inverse, l->linear.g_q, out);
  clear(x->mu, m);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < m; r++) x->mu[r] += x->inverse[i * m + r] * y[i];
  status = jn__loops_change_of_forces(l, q, x->mu, x->change);
  for (int k = 0; k < n * n && s->has_given; k++)
    if (s->given[k / n]) x->change[k] = 0;
  for (int k = 0; k < n * n; k++) out[k] += x->change[k];
  double *pushed = l->linear.g_q; /* [m x nv], free again */
  clear(pushed, m * n);
  jn__add_product(m, n, n, 1, x->A, x->change, pushed);
  jn__add_product(n, m, n, -1, x->inverse, pushed, out);
  return status;
}

/* P [nv x nv] = 1 - A^+ A */
static void projector(const jn_simulator *s, double *P) {
  int n = s->nv;
  clear(P, n * n);
  for (int i = 0; i < n; i++) P[i * n + i] = 1;
  jn__add_product(n, s->loops->structure.m, n, -1, s->variation->inverse, s->variation->A, P);
}

/* D [nv x nv]: dq after the first step, by dq before it. */
static jn_status first_step(jn_simulator *s, const double *q, double *D, double *room) {
  int n = s->nv;
  double *y = s->variation->end.beta, *by_v = s->variation->E2;
  jn_status status = jn_difference(s->model, s->work, q, s->q, y);
  if (status == JN_OK) status = invert(s, q);
  if (status != JN_OK) return status;
  clear(room, n * n);
  jn__add_product(n, s->loops->structure.m, n, -1, s->variation->inverse, s->variation->A, room);
  status = add_turning(s, q, y, y, room);
  if (status == JN_OK) status = jn_integrate_derivatives(s->model, s->work, q, y, D, by_v);
  jn__add_product(n, n, n, 1, by_v, room, D);
  return status;
}

jn_status jn__projection(jn_simulator *s, const double *q, const double *v) {
  step_variation *x = s->variation;
  int n = s->nv, w = 2 * n;
  double *D = x->W, *P = D + n * n, *turn = P + n * n, *of_q = turn + n * n, *y = x->end.beta;
  jn_status status = first_step(s, q, D, P);
  if (status == JN_OK) status = invert(s, s->q);
  if (status != JN_OK) return status;
  projector(s, P);
  clear(of_q, n * n);
  jn__add_product(n, n, n, 1, P, D, of_q);
  for (int i = 0; i < n; i++) y[i] = s->v[i] - v[i];
  clear(turn, n * n);
  status = add_turning(s, s->q, s->v, y, turn);
  clear(D, n * n);
  jn__add_product(n, n, n, 1, turn, of_q, D);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      x->E[i * w + k] = of_q[i * n + k];
      x->E[i * w + n + k] = 0;
      x->E[(n + i) * w + k] = D[i * n + k];
      x->E[(n + i) * w + n + k] = P[i * n + k];
    }
  return status;
}

jn_status jn__vary_projection(jn_simulator *s, const double *q, const double *v) {
  step_variation *x = s->variation;
  int w = 2 * s->nv, N = x->inputs;
  double *before = x->weigh;
  jn_status status = jn__projection(s, q, v);
  memcpy(before, x->X, (size_t)(w * N) * sizeof *before);
  clear(x->X, w * N);
  jn__add_product(w, w, N, 1, x->E, before, x->X);
  return status;
}
