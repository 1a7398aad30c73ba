/* SPDX-License-Identifier: BSD-2-Clause */
/* The conditions of loops as polynomials of time: values, Jacobian, and the wrenches of multipliers, to any order, from
 * the relative poses of state.c.
 *
 * The power of a multiplier, lambda phi' = W_a . V_a + W_b . V_b, determines the wrenches on both closing frames:
 *   condition       wrench on b                wrench on a
 *   alpha . p       force R^T alpha            force -alpha, moment -p x alpha
 *   alpha . R beta  moment beta x R^T alpha    moment alpha x R beta
 * Rows of A are the wrenches of a unit multiplier times the Jacobians of the links, W^T J, and their derivatives by the
 * rule of Leibniz.
 *
 *   symbol      meaning                                                        size   frame
 *   R, p        pose of the closing frame of b in that of a, as series         9, 3   a
 *   W_a, W_b    wrench of a unit multiplier, (moment, force), as series        6      closing frame of a, of b
 *   J           Jacobian of a link, (angular, linear), and its derivatives     6 x nv link
 *   lambda      multipliers, as series                                         m */
#include <string.h>

#include "../dense/vectors.h"
#include "../series/series.h"
#include "loops.h"

/* out += Ad*_{T^-1} W: from the closing frame at T to the link. */
static void add_wrench_from(const double *T, double s, const double *W, double *out) {
  const double p[3] = {T[3], T[7], T[11]}, R[9] = {T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
  double f[3] = {0}, m[3];
  add_turned(s, R, W + 3, f);
  cross3(p, f, m);
  add_turned(s, R, W, out);
  for (int k = 0; k < 3; k++) {
    out[k] += m[k];
    out[3 + k] += f[k];
  }
}

/* Taylor coefficient k of one term of a condition. */
static double term_order(const loop_ends *at, const loop_term *t, int k) {
  double x[3] = {0}, sum = 0;
  switch (t->kind) {
    case TERM_POINT:
      return t->factor * dot3(t->alpha, at->p + 3 * k);
    case TERM_DIRECTION:
      add_turned(t->factor, at->R + 9 * k, t->beta, x);
      return dot3(t->alpha, x);
    default:
      for (int j = 0; j <= k; j++) sum += dot3(at->p + 3 * j, at->p + 3 * (k - j));
      return sum / (2 * t->factor) - (k == 0 ? t->factor / 2 : 0);
  }
}

void jn__loops_value(const loop_structure *loops, const loop_state *state, int k, double *phi) {
  double factorial = jn__factorial(k);
  for (int i = 0; i < loops->count; i++)
    for (int r = loops->pair[i].first; r < loops->pair[i].first + loops->pair[i].rows; r++) {
      phi[r] = state->order > 0 ? 0 : state->rates[k * loops->m + r];
      for (int e = 0; e < loops->row[r].terms && state->order > 0; e++)
        phi[r] += factorial * term_order(&state->ends[i], &loops->row[r].term[e], k);
    }
  jn__extra_value(loops, state, k, phi);
}

/* Taylor coefficient k of the wrenches of a unit multiplier on the closing frames, added to W_a, W_b [6]. */
static void add_unit_wrench(const loop_ends *at, const loop_term *t, int k, double *W_a, double *W_b) {
  const double *R = at->R + 9 * k, *p = at->p + 3 * k;
  double x[3] = {0}, y[3] = {0}, moment[3];
  switch (t->kind) {
    case TERM_POINT:
      add_turned_back(t->factor, R, t->alpha, W_b + 3);
      cross3(p, t->alpha, moment);
      for (int e = 0; e < 3; e++) W_a[e] -= t->factor * moment[e];
      for (int e = 0; e < 3 && k == 0; e++) W_a[3 + e] -= t->factor * t->alpha[e];
      break;
    case TERM_DIRECTION:
      add_turned_back(t->factor, R, t->alpha, x);
      cross3(t->beta, x, moment);
      for (int e = 0; e < 3; e++) W_b[e] += moment[e];
      add_turned(t->factor, R, t->beta, y);
      cross3(t->alpha, y, moment);
      for (int e = 0; e < 3; e++) W_a[e] += moment[e];
      break;
    default: /* alpha = p / d, whose moment about a's origin is zero */
      for (int j = 0; j <= k; j++) add_turned_back(1 / t->factor, at->R + 9 * j, at->p + 3 * (k - j), W_b + 3);
      for (int e = 0; e < 3; e++) W_a[3 + e] -= p[e] / t->factor;
  }
}

static void unit_wrench(const loop_structure *loops, const loop_ends *at, int r, int k, double *W_a, double *W_b) {
  memset(W_a, 0, 6 * sizeof *W_a);
  memset(W_b, 0, 6 * sizeof *W_b);
  for (int e = 0; e < loops->row[r].terms; e++) add_unit_wrench(at, &loops->row[r].term[e], k, W_a, W_b);
}

/* Adds derivatives 0 ... order of W^T J to the rows of pair i, for one end of it. J is the Jacobian of that link. */
static void add_rows(const loop_structure *loops, loop_state *state, int i, int order, int end_b) {
  const loop_pair *c = &loops->pair[i];
  int n = loops->nv;
  for (int k = 0; k <= order; k++)
    for (int r = c->first; r < c->first + c->rows; r++) {
      for (int j = 0; j <= k; j++) { /* W^(j) J^(k-j) */
        double W[2][6], in_link[6] = {0};
        unit_wrench(loops, &state->ends[i], r, j, W[0], W[1]);
        add_wrench_from(end_b ? c->T_b : c->T_a, jn__factorial(j) * jn__binomial(k, j), W[end_b], in_link);
        const double *J = state->J + (k - j) * 6 * n;
        double *A = state->A + (k * loops->m + r) * n;
        for (int e = 0; e < 6; e++)
          for (int col = 0; col < n; col++) A[col] += in_link[e] * J[e * n + col];
      }
    }
}

jn_status jn__loops_jacobian(const loop_structure *loops, loop_state *state, int order) {
  memset(state->A, 0, sizeof(double) * (size_t)(order + 1) * (size_t)loops->m * (size_t)loops->nv);
  jn_status status = JN_OK;
  if (order == 0) loops->code->pairs_jacobian(loops, state);
  for (int i = 0; i < loops->count && order > 0; i++)
    for (int end = 0; end < 2; end++) {
      int link = end ? loops->pair[i].b : loops->pair[i].a;
      if (link < 0) continue;
      status = jn_frame_jacobian_jet(loops->model, loops->work, order, link, state->q, state->v_jet, state->J);
      if (status != JN_OK) return status;
      add_rows(loops, state, i, order, end);
    }
  jn__extra_jacobian(loops, state, order);
  return status;
}

/* At order 0: adds the wrenches of a pair to those of its links. F acts on b, -F on a; F = sum lambda_r W_r is about
 * the origin of b's closing frame, in the axes of the world. */
static void add_link_wrenches(const loop_state *state, const loop_pair *c, const loop_ends *at, const double *lambda,
                              double *out) {
  /* F = sum lambda_r W_r */
  double F[6] = {0};
  for (int r = c->first; r < c->first + c->rows; r++)
    for (int e = 0; e < 6; e++) F[e] += lambda[r] * state->W[6 * r + e];

  /* Moved to the origin of each link and turned into its axes. */
  for (int end = 0; end < 2; end++) {
    int link = end ? c->b : c->a;
    if (link < 0) continue;
    const double *T = state->poses + 16 * link, sign = end ? 1 : -1;
    const double R[9] = {T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
    const double arm[3] = {at->P_b[3] - T[3], at->P_b[7] - T[7], at->P_b[11] - T[11]};
    double moment[3];
    cross3(arm, F + 3, moment);
    for (int e = 0; e < 3; e++) moment[e] += F[e];
    add_turned_back(sign, R, moment, out + 6 * link);
    add_turned_back(sign, R, F + 3, out + 6 * link + 3);
  }
}

void jn__loops_wrenches(const loop_structure *loops, const loop_state *state, int order, const double *lambda,
                        const double *given, double *out) {
  size_t row = 6 * (size_t)loops->nlink;
  for (int k = 0; k <= order; k++) {
    double *to = out + (size_t)k * row, factorial = jn__factorial(k);
    if (given)
      memcpy(to, given + (size_t)k * row, row * sizeof *to);
    else
      memset(to, 0, row * sizeof *to);

    /* Order 0 alone: from the wrenches of conditions_screws.c. */
    for (int i = 0; i < loops->count && state->order <= 0; i++)
      if (loops->row[loops->pair[i].first].terms > 0)
        add_link_wrenches(state, &loops->pair[i], &state->ends[i], lambda, to);

    /* Jets: order k is k! sum_j W_j lambda_(k-j), from each closing frame into its link. */
    for (int i = 0; i < loops->count && state->order > 0; i++)
      for (int r = loops->pair[i].first; r < loops->pair[i].first + loops->pair[i].rows; r++)
        for (int j = 0; j <= k; j++) {
          double W_a[6], W_b[6], s = factorial * lambda[(k - j) * loops->m + r];
          if (s == 0) continue;
          unit_wrench(loops, &state->ends[i], r, j, W_a, W_b);
          if (loops->pair[i].a >= 0) add_wrench_from(loops->pair[i].T_a, s, W_a, to + 6 * loops->pair[i].a);
          if (loops->pair[i].b >= 0) add_wrench_from(loops->pair[i].T_b, s, W_b, to + 6 * loops->pair[i].b);
        }
  }
}

void jn__loops_pair_wrench(const loop_structure *loops, const loop_state *state, int i, int k, const double *lambda,
                           double W[2][6]) {
  const loop_pair *c = &loops->pair[i];
  memset(W, 0, 12 * sizeof(double));
  for (int r = c->first; r < c->first + c->rows; r++) {
    double W_a[6], W_b[6];
    unit_wrench(loops, &state->ends[i], r, k, W_a, W_b);
    for (int e = 0; e < 6; e++) {
      W[0][e] += lambda[r] * W_a[e];
      W[1][e] += lambda[r] * W_b[e];
    }
  }
}
