/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of the projection of a state on the conditions of loops, phi(q) = 0 and A v = 0.
 *
 * A step of Gauss and Newton moves q by y = -A^+ phi; velocities are corrected by y = -A^+ A v. Both are the shortest
 * corrections. With mu = A^+T y, a change of q changes them by
 *   dy = A^+ (d(right side) - dA y) + (1 - A^+ A) dA^T mu.
 * The first step of Gauss and Newton is differentiated in full. Later ones are as small as the square of the first:
 * their derivative is 1 - A^+ A.
 *
 *   symbol      meaning                                                          size
 *   A, A^+      Jacobian of the conditions, and its pseudoinverse without        m x nv, nv x m
 *               the columns of given coordinates
 *   P           1 - A^+ A: projects velocities on those that keep the loops      nv x nv
 *   y, mu       a correction and its multipliers                                 nv, m
 *   E           derivative of the projected (q, v) by (q, v) before              2 nv x 2 nv
 *
 * Changes of q are tangent vectors: q (+) dq. */
#include <string.h>

#include "../loops/constraints.h"
#include "variation.h"

static void clear(double *x, int count) { memset(x, 0, (size_t)count * sizeof *x); }

/* A and A^+ at q, into the variation. */
static jn_status invert(jn_simulator *s, const double *q) {
  const unsigned char *given = s->has_given ? s->given : NULL;
  return jn__loops_pseudoinverse(s->loops, q, given, s->variation->A, s->variation->inverse);
}

/* out [nv x nv] += -A^+ d(A along)/dq + (1 - A^+ A) d(A^T mu)/dq with mu = A^+T y; A and A^+ are those of invert(). */
static jn_status add_change_of_A(jn_simulator *s, const double *q, const double *along, const double *y, double *out) {
  step_variation *x = s->variation;
  int n = s->nv, m = jn_loops_rows(s->loops);

  /* -A^+ d(A along)/dq */
  jn_status status = jn__loops_change_of_A(s->loops, q, along, x->rows);
  if (status != JN_OK) return status;
  jn__add_product(n, m, n, -1, x->inverse, x->rows, out);

  /* mu = A^+T y */
  clear(x->mu, m);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < m; r++) x->mu[r] += x->inverse[i * m + r] * y[i];

  /* d(A^T mu)/dq; forces do not move given coordinates. */
  status = jn__loops_change_of_forces(s->loops, q, x->mu, x->change);
  for (int k = 0; k < n * n && s->has_given; k++)
    if (s->given[k / n]) x->change[k] = 0;

  /* (1 - A^+ A) times it */
  for (int k = 0; k < n * n; k++) out[k] += x->change[k];
  clear(x->rows, m * n);
  jn__add_product(m, n, n, 1, x->A, x->change, x->rows);
  jn__add_product(n, m, n, -1, x->inverse, x->rows, out);
  return status;
}

/* X [nv x nv] -= A^+ A */
static void subtract_range(const jn_simulator *s, double *X) {
  jn__add_product(s->nv, jn_loops_rows(s->loops), s->nv, -1, s->variation->inverse, s->variation->A, X);
}

/* P [nv x nv] = 1 - A^+ A */
static void find_projector(const jn_simulator *s, double *P) {
  int n = s->nv;
  clear(P, n * n);
  for (int i = 0; i < n; i++) P[i * n + i] = 1;
  subtract_range(s, P);
}

/* D [nv x nv]: dq after the first step of Gauss and Newton, by dq before it. dy: [nv x nv] scratch. */
static jn_status first_step(jn_simulator *s, const double *q, double *D, double *dy) {
  int n = s->nv;
  double *y = s->variation->end.beta, *by_y = s->variation->E2;

  /* The correction y = q_after (-) q. */
  jn_status status = jn_difference(s->model, s->work, q, s->q, y);
  if (status == JN_OK) status = invert(s, q);
  if (status != JN_OK) return status;

  /* dy/dq: d phi = A dq, and A itself changes. */
  clear(dy, n * n);
  subtract_range(s, dy);
  status = add_change_of_A(s, q, y, y, dy);

  /* q (+) y changes with both. */
  if (status == JN_OK) status = jn_integrate_derivatives(s->model, s->work, q, y, D, by_y);
  jn__add_product(n, n, n, 1, by_y, dy, D);
  return status;
}

jn_status jn__projection(jn_simulator *s, const double *q, const double *v) {
  step_variation *x = s->variation;
  int n = s->nv, w = 2 * n;
  double *D = x->W, *P = D + n * n, *v_by_q = P + n * n, *q_by_q = v_by_q + n * n, *y = x->end.beta;

  /* Positions: the first step, then P of the last one. */
  jn_status status = first_step(s, q, D, P);
  if (status == JN_OK) status = invert(s, s->q);
  if (status != JN_OK) return status;
  find_projector(s, P);
  clear(q_by_q, n * n);
  jn__add_product(n, n, n, 1, P, D, q_by_q);

  /* Velocities: P of those before; A depends on the positions after. */
  for (int i = 0; i < n; i++) y[i] = s->v[i] - v[i];
  clear(v_by_q, n * n);
  status = add_change_of_A(s, s->q, s->v, y, v_by_q);
  clear(D, n * n);
  jn__add_product(n, n, n, 1, v_by_q, q_by_q, D);

  /* E in blocks: (q, v) after by (q, v) before. */
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      x->E[i * w + k] = q_by_q[i * n + k];
      x->E[i * w + n + k] = 0;
      x->E[(n + i) * w + k] = D[i * n + k];
      x->E[(n + i) * w + n + k] = P[i * n + k];
    }
  return status;
}

jn_status jn__vary_projection(jn_simulator *s, const double *q, const double *v) {
  step_variation *x = s->variation;
  int w = 2 * s->nv, inputs = x->inputs;
  double *before = x->weigh;
  jn_status status = jn__projection(s, q, v);
  memcpy(before, x->X, (size_t)(w * inputs) * sizeof *before);
  clear(x->X, w * inputs);
  jn__add_product(w, w, inputs, 1, x->E, before, x->X);
  return status;
}
