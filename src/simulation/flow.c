/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of a Taylor step by the variational equations along it, for loops and for forces that depend on the
 * state: dq' = dv - ad_v dq,   dv' = a_q dq + a_v dv + a_tau dtau + a_pi dpi They are linear, and solved by Gauss
 * collocation in the continuous output of the step. There are as many nodes as the order of the series needs, so that
 * the error is that of the series. With rates r_j at the nodes c_j, X(c_i) = X(0) + h sum_j a_ij r_j,   r_i = rate of
 * X(c_i) is iterated until the rates do not change any more.
 *
 *   symbol    meaning                                                      size
 *   X         derivatives of (q, v) by all inputs                          2 nv x inputs
 *   a, b, c   coefficients of collocation, weights and nodes on [0, 1]     nodes^2, nodes, nodes
 *   keep      a_q, a_v, a_tau and v at a node                              3 nv^2 + nv */
#include <float.h>
#include <math.h>
#include <string.h>

#include "jounce/lie.h"
#include "variation.h"

enum { MOST_NODES = 16, MOST_ROUNDS = 100 };

size_t jn__flow_nodes(int order) {
  int nodes = order / 2 + 2;
  return (size_t)(nodes > MOST_NODES ? MOST_NODES : nodes);
}

/* P_n(x), and its derivative. */
static double legendre(int n, double x, double *slope) {
  double before = 1, now = x;
  for (int k = 1; k < n; k++) {
    double next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  *slope = n * (x * now - before) / (x * x - 1);
  return now;
}

/* Nodes c and weights b of Gauss on [0, 1]. */
static void gauss(int n, double *c, double *b) {
  for (int i = 0; i < n; i++) {
    double x = -cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int k = 0; k < 10; k++) x -= legendre(n, x, &slope) / slope;
    legendre(n, x, &slope);
    c[i] = (1 + x) / 2;
    b[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

/* a [n x n]: the integral from 0 to c_i of the polynomial that is one at node j and zero at the others. */
static void collocation(int n, const double *c, const double *b, double *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * n + j] = 0;
      for (int k = 0; k < n; k++) { /* at c_i c_k, exact for polynomials */
        double x = c[i] * c[k], value = 1;
        for (int l = 0; l < n; l++)
          if (l != j) value *= (x - c[l]) / (c[j] - c[l]);
        a[i * n + j] += c[i] * b[k] * value;
      }
    }
}

/* The derivatives of the acceleration at node j, kept in `keep` with the velocity there. */
static jn_status linearise(jn_simulator *s, double theta, double *keep, double *by_pi) {
  int n = s->nv;
  size_t square = (size_t)n * (size_t)n;
  double *q = s->variation->end.q, *v = s->variation->end.v, *a = s->variation->end.a;
  jn__simulation_dense(s, theta, q, v);
  jn_status status = jn__simulation_jacobians(s, s->t0 + theta, q, v, a);
  memcpy(keep, s->dq, square * sizeof *keep);
  memcpy(keep + square, s->dv, square * sizeof *keep);
  memcpy(keep + 2 * square, s->dtau, square * sizeof *keep);
  memcpy(keep + 3 * square, v, (size_t)n * sizeof *keep);
  if (status == JN_OK && by_pi) status = jn__vary_parameters(s, q, v, a, s->dtau, by_pi);
  return status;
}

/* rate [2 nv x N] of the changes X [2 nv x N]. */
static void change_rate(const jn_simulator *s, const double *keep, const double *by_pi, const double *X, double *rate) {
  int n = s->nv, N = s->variation->inputs, np = s->variation->parameters;
  const double *dq = keep, *dv = keep + n * n, *dtau = keep + 2 * n * n, *v = keep + 3 * n * n;
  memcpy(rate, X + n * N, (size_t)(n * N) * sizeof *rate);
  memset(rate + n * N, 0, (size_t)(n * N) * sizeof *rate);
  for (int g = 0; g < s->groups; g++) {
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    double V[6] = {0}, ad[36];
    memcpy(V, v + iv, (size_t)m * sizeof *V);
    jn_bracket_matrix(V, ad);
    for (int i = 0; i < m; i++)
      for (int k = 0; k < m; k++)
        for (int c = 0; c < N; c++) rate[(iv + i) * N + c] -= ad[6 * i + k] * X[(iv + k) * N + c];
  }
  jn__add_product(n, n, N, 1, dq, X, rate + n * N);
  jn__add_product(n, n, N, 1, dv, X + n * N, rate + n * N);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) rate[(n + i) * N + 2 * n + k] += dtau[i * n + k];
    for (int k = 0; k < np; k++) rate[(n + i) * N + 3 * n + k] += by_pi[i * np + k];
  }
}

/* X = start + h sum_j weight_j rate_j */
static void at_node(const jn_simulator *s, int nodes, const double *weight, const double *rates, double *X) {
  int n = s->nv, N = s->variation->inputs;
  size_t size = 2 * (size_t)n * (size_t)N;
  memset(X, 0, size * sizeof *X);
  for (int i = 0; i < 2 * n; i++) X[i * N + i] = 1;
  for (int j = 0; j < nodes; j++)
    for (size_t k = 0; k < size; k++) X[k] += s->step * weight[j] * rates[(size_t)j * size + k];
}

jn_status jn__vary_flow(jn_simulator *s) {
  step_variation *x = s->variation;
  int n = s->nv, nodes = (int)jn__flow_nodes(s->order), np = x->parameters;
  size_t size = 2 * (size_t)n * (size_t)x->inputs, kept = 3 * (size_t)(n * n) + (size_t)n;
  double c[MOST_NODES], b[MOST_NODES], a[MOST_NODES * MOST_NODES], *rates = x->node,
                                                                   *keep = rates + (size_t)nodes * size;
  double *by_pi = keep + (size_t)nodes * kept, *rate = x->weigh, moved = INFINITY, most = 0;
  jn_status status = JN_OK;

  /* Nodes, and the derivatives of the acceleration there. */
  gauss(nodes, c, b);
  collocation(nodes, c, b, a);
  memset(rates, 0, (size_t)nodes * size * sizeof *rates);
  for (int j = 0; j < nodes && status == JN_OK; j++)
    status = linearise(s, c[j] * s->step, keep + (size_t)j * kept, np ? by_pi + (size_t)(j * n * np) : NULL);

  /* Rates at all nodes, again and again. */
  for (int round = 0; round < MOST_ROUNDS && status == JN_OK && moved > 4 * DBL_EPSILON * most; round++) {
    moved = most = 0;
    for (int j = 0; j < nodes; j++) {
      at_node(s, nodes, a + j * nodes, rates, x->X);
      change_rate(s, keep + (size_t)j * kept, by_pi + (size_t)(j * n * np), x->X, rate);
      for (size_t k = 0; k < size; k++) {
        double *to = rates + (size_t)j * size + k;
        moved = fmax(moved, fabs(rate[k] - *to));
        most = fmax(most, fabs(rate[k]));
        *to = rate[k];
      }
    }
  }

  /* The end of the step, and the projection on the loops. */
  at_node(s, nodes, b, rates, x->X);
  if (status == JN_OK && !(moved <= 1e-12 * most)) return JN_ERR_STEP; /* too stiff for these sums */
  if (status != JN_OK || !s->loops) return status;
  jn__simulation_dense(s, s->step, x->end.q, x->end.v);
  return jn__vary_projection(s, x->end.q, x->end.v);
}
