/* SPDX-License-Identifier: BSD-2-Clause */
/* The conditions of loops as polynomials of time: values, Jacobian, and the wrenches of multipliers, to any order. The
 * relative pose T_ab of two frames that move with twists V_a, V_b in their own axes has
 *   R' = R [w_b] - [w_a] R,     p' = R v_b - v_a - w_a x p
 * and a condition's power lambda phi' = W_a . V_a + W_b . V_b tells the wrenches:
 *   alpha . p       force R^T alpha on b; force -alpha, moment -p x alpha on a
 *   alpha . R beta  moment beta x R^T alpha on b; moment alpha x R beta on a */
#include <string.h>

#include "arrays.h"
#include "loops.h"

/* out += s R x, out += s R^T x; R row-major 3x3. */
static void add_turned(double s, const double *R, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] += s * dot3(R + 3 * i, x);
}
static void add_turned_back(double s, const double *R, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] += s * (R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2]);
}

/* Ad_{T^-1} V of a 4x4 pose. */
static void twist_into(const double *T, const double *V, double *out) {
  const double p[3] = {T[3], T[7], T[11]}, R[9] = {T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
  double u[3];
  cross3(p, V, u);
  for (int k = 0; k < 3; k++) u[k] = V[3 + k] - u[k];
  memset(out, 0, 6 * sizeof *out);
  add_turned_back(1, R, V, out);
  add_turned_back(1, R, u, out + 3);
}

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

/* R += R_j [w_b] - [w_a] R_j (R NULL: not), p += R_j v_b - w_a x p_j (v_a is up to the caller). Rows r of R [w] are r x
 * w, columns c of [w] R are w x c. */
static void add_relative(const double *Rj, const double *pj, const double *a, const double *b, double *R, double *p) {
  double x[3];
  for (int i = 0; i < 3 && R; i++) {
    const double column[3] = {Rj[i], Rj[3 + i], Rj[6 + i]};
    cross3(Rj + 3 * i, b, x);
    for (int e = 0; e < 3; e++) R[3 * i + e] += x[e];
    cross3(a, column, x);
    for (int e = 0; e < 3; e++) R[3 * e + i] -= x[e];
  }
  add_turned(1, Rj, b + 3, p);
  cross3(a, pj, x);
  for (int e = 0; e < 3; e++) p[e] -= x[e];
}

/* Taylor coefficient k of R (unless `last`, when nothing needs it) and p from those of the twists below k. */
static void relative_order(loop_pair *c, int k, int last) {
  double *R = c->R + 9 * k, *p = c->p + 3 * k;
  memset(R, 0, 9 * sizeof *R);
  memset(p, 0, 3 * sizeof *p);
  for (int j = 0; j < k; j++)
    add_relative(c->R + 9 * j, c->p + 3 * j, c->V_a + 6 * (k - 1 - j), c->V_b + 6 * (k - 1 - j), last ? NULL : R, p);
  for (int e = 0; e < 3; e++) p[e] -= c->V_a[6 * (k - 1) + 3 + e];
  for (int e = 0; e < 9; e++) R[e] /= k;
  for (int e = 0; e < 3; e++) p[e] /= k;
}

static void relative_pose(const double *T_a, const double *T_b, double *R, double *p) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = T_a[i] * T_b[j] + T_a[4 + i] * T_b[4 + j] + T_a[8 + i] * T_b[8 + j];
    p[i] = 0;
    for (int e = 0; e < 3; e++) p[i] += T_a[4 * e + i] * (T_b[4 * e + 3] - T_a[4 * e + 3]);
  }
}

void jn__closing_pose(const jn_loops *l, int link, const double *T, double *out) {
  if (link < 0) {
    memcpy(out, T, 16 * sizeof *out);
    return;
  }
  const double *P = l->poses + 16 * link;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) out[4 * i + j] = P[4 * i] * T[j] + P[4 * i + 1] * T[4 + j] + P[4 * i + 2] * T[8 + j];
    out[4 * i + 3] += P[4 * i + 3];
  }
}

void jn__loops_relative_poses(jn_loops *l) {
  for (int i = 0; i < l->count; i++)
    if (l->row[l->pair[i].first].terms > 0) relative_pose(l->pair[i].P_a, l->pair[i].P_b, l->pair[i].R, l->pair[i].p);
}

/* Taylor coefficient k of the twists of a pair's frames, from those of links, whose derivative has `factorial` in it.
 */
static void closing_twists(const loop_pair *c, int k, const double *row, double factorial) {
  double *const to[2] = {c->V_a + 6 * k, c->V_b + 6 * k};
  for (int end = 0; end < 2; end++) {
    int link = end ? c->b : c->a;
    memset(to[end], 0, 6 * sizeof(double));
    if (link >= 0) twist_into(end ? c->T_b : c->T_a, row + 6 * link, to[end]);
    for (int e = 0; e < 6 && factorial > 1; e++) to[end][e] /= factorial;
  }
}

/* R, p of all pairs from l->poses and l->twists. */
static void relative_motion(jn_loops *l, int order) {
  for (int i = 0; i < l->count; i++) {
    loop_pair *c = &l->pair[i];
    double factorial = 1;
    if (l->row[c->first].terms == 0) continue; /* a coupling */
    jn__closing_pose(l, c->a, c->T_a, c->P_a);
    jn__closing_pose(l, c->b, c->T_b, c->P_b);
    for (int k = 0; k < order + 2; k++) {
      if (k > 1) factorial *= k;
      closing_twists(c, k, l->twists + 6 * l->nlink * k, factorial);
    }
    relative_pose(c->P_a, c->P_b, c->R, c->p);
    for (int k = 1; k < order + 3; k++) relative_order(c, k, k == order + 2 && !c->directions);
  }
}

jn_status jn__loops_motion(jn_loops *l, int order, const double *q, const double *v_jet) {
  jn_status status = jn__extra_motion(l, order, q, v_jet);
  l->is_jet = order > 0;
  if (status != JN_OK || l->couplings == l->count) return status;
  if (order <= 0) {
    status = jn__loops_sweep(l, q, v_jet, NULL, 0);
    if (status == JN_OK) l->code->pairs_move(l, q, v_jet, order < 0 ? NULL : v_jet + l->nv);
    return status;
  }
  status = jn_system_jet(l->model, l->work, order + 1, q, v_jet, NULL, NULL, l->twists, NULL);
  if (status == JN_OK) status = jn_frame_poses(l->model, l->work, q, l->poses);
  if (status == JN_OK) relative_motion(l, order);
  return status;
}

jn_status jn__loops_motion_and_forces(jn_loops *l, const double *q, const double *v_jet, const double *wrench) {
  jn_status status = jn__extra_motion(l, 0, q, v_jet);
  l->is_jet = 0;
  if (status == JN_OK) status = jn__loops_sweep(l, q, v_jet, wrench, 1);
  if (status == JN_OK) l->code->pairs_move(l, q, v_jet, v_jet + l->nv);
  return status;
}

static double term_order(const loop_pair *c, const loop_term *t, int k) {
  double x[3] = {0}, sum = 0;
  switch (t->kind) {
    case TERM_POINT:
      return t->factor * dot3(t->alpha, c->p + 3 * k);
    case TERM_DIRECTION:
      add_turned(t->factor, c->R + 9 * k, t->beta, x);
      return dot3(t->alpha, x);
    default:
      for (int j = 0; j <= k; j++) sum += dot3(c->p + 3 * j, c->p + 3 * (k - j));
      return sum / (2 * t->factor) - (k == 0 ? t->factor / 2 : 0);
  }
}

void jn__loops_value(const jn_loops *l, int k, double *phi) {
  double factorial = 1;
  for (int j = 2; j <= k; j++) factorial *= j;
  for (int i = 0; i < l->count; i++)
    for (int r = l->pair[i].first; r < l->pair[i].first + l->pair[i].rows; r++) {
      phi[r] = l->is_jet ? 0 : l->rates[k * l->m + r];
      for (int e = 0; e < l->row[r].terms && l->is_jet; e++)
        phi[r] += factorial * term_order(&l->pair[i], &l->row[r].term[e], k);
    }
  jn__extra_value(l, k, phi);
}

/* Taylor coefficient k of the wrenches of a unit multiplier on the closing frames, added to W_a, W_b [6]. */
static void add_unit_wrench(const loop_pair *c, const loop_term *t, int k, double *W_a, double *W_b) {
  const double *R = c->R + 9 * k, *p = c->p + 3 * k;
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
      for (int j = 0; j <= k; j++) add_turned_back(1 / t->factor, c->R + 9 * j, c->p + 3 * (k - j), W_b + 3);
      for (int e = 0; e < 3; e++) W_a[3 + e] -= p[e] / t->factor;
  }
}

static void unit_wrench(const jn_loops *l, const loop_pair *c, int r, int k, double *W_a, double *W_b) {
  memset(W_a, 0, 6 * sizeof *W_a);
  memset(W_b, 0, 6 * sizeof *W_b);
  for (int e = 0; e < l->row[r].terms; e++) add_unit_wrench(c, &l->row[r].term[e], k, W_a, W_b);
}

/* Adds W^T J to orders of the rows of pair i: one end of it, J its link's Jacobian and derivatives. */
static void add_rows(jn_loops *l, int i, int order, int end_b) {
  loop_pair *c = &l->pair[i];
  int n = l->nv;
  for (int k = 0; k <= order; k++)
    for (int r = c->first; r < c->first + c->rows; r++) {
      double binom = 1, factorial = 1;
      for (int j = 0; j <= k; j++) { /* W^(j) J^(k-j) */
        double W[2][6], in_link[6] = {0};
        if (j > 0) factorial *= j, binom = binom * (k - j + 1) / j;
        unit_wrench(l, c, r, j, W[0], W[1]);
        add_wrench_from(end_b ? c->T_b : c->T_a, factorial * binom, W[end_b], in_link);
        const double *J = l->J + (k - j) * 6 * n;
        double *A = l->A + (k * l->m + r) * n;
        for (int e = 0; e < 6; e++)
          for (int col = 0; col < n; col++) A[col] += in_link[e] * J[e * n + col];
      }
    }
}

jn_status jn__loops_jacobian(jn_loops *l, int order, const double *q, const double *v_jet) {
  memset(l->A, 0, sizeof(double) * (size_t)(order + 1) * (size_t)l->m * (size_t)l->nv);
  jn_status status = JN_OK;
  if (order == 0) l->code->pairs_jacobian(l);
  for (int i = 0; i < l->count && order > 0; i++)
    for (int end = 0; end < 2; end++) {
      int link = end ? l->pair[i].b : l->pair[i].a;
      if (link < 0) continue;
      status = jn_frame_jacobian_jet(l->model, l->work, order, link, q, v_jet, l->J);
      if (status != JN_OK) return status;
      add_rows(l, i, order, end);
    }
  jn__extra_jacobian(l, order);
  return status;
}

/* Of order 0: a pair's wrench F on b about the origin of its closing frame, in the world's axes, and -F on a. */
static void add_link_wrenches(const jn_loops *l, const loop_pair *c, const double *lambda, double *out) {
  double F[6] = {0};
  for (int r = c->first; r < c->first + c->rows; r++)
    for (int e = 0; e < 6; e++) F[e] += lambda[r] * l->W[6 * r + e];
  for (int end = 0; end < 2; end++) {
    int link = end ? c->b : c->a;
    if (link < 0) continue;
    const double *T = l->poses + 16 * link, sign = end ? 1 : -1;
    const double R[9] = {T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
    const double arm[3] = {c->P_b[3] - T[3], c->P_b[7] - T[7], c->P_b[11] - T[11]};
    double moment[3];
    cross3(arm, F + 3, moment);
    for (int e = 0; e < 3; e++) moment[e] += F[e];
    add_turned_back(sign, R, moment, out + 6 * link);
    add_turned_back(sign, R, F + 3, out + 6 * link + 3);
  }
}

void jn__loops_wrenches(const jn_loops *l, int order, const double *lambda, const double *given, double *out) {
  size_t row = 6 * (size_t)l->nlink;
  double factorial = 1;
  for (int k = 0; k <= order; k++) {
    double *to = out + (size_t)k * row;
    if (k > 1) factorial *= k;
    if (given)
      memcpy(to, given + (size_t)k * row, row * sizeof *to);
    else
      memset(to, 0, row * sizeof *to);
    for (int i = 0; i < l->count && !l->is_jet; i++)
      if (l->row[l->pair[i].first].terms > 0) add_link_wrenches(l, &l->pair[i], lambda, to);
    for (int i = 0; i < l->count && l->is_jet; i++)
      for (int r = l->pair[i].first; r < l->pair[i].first + l->pair[i].rows; r++)
        for (int j = 0; j <= k; j++) {
          double W_a[6], W_b[6], s = factorial * lambda[(k - j) * l->m + r];
          if (s == 0) continue;
          unit_wrench(l, &l->pair[i], r, j, W_a, W_b);
          if (l->pair[i].a >= 0) add_wrench_from(l->pair[i].T_a, s, W_a, to + 6 * l->pair[i].a);
          if (l->pair[i].b >= 0) add_wrench_from(l->pair[i].T_b, s, W_b, to + 6 * l->pair[i].b);
        }
  }
}

void jn__loops_pair_wrench(const jn_loops *l, const loop_pair *c, int k, const double *lambda, double W[2][6]) {
  memset(W, 0, 12 * sizeof(double));
  for (int r = c->first; r < c->first + c->rows; r++) {
    double W_a[6], W_b[6];
    unit_wrench(l, c, r, k, W_a, W_b);
    for (int e = 0; e < 6; e++) {
      W[0][e] += lambda[r] * W_a[e];
      W[1][e] += lambda[r] * W_b[e];
    }
  }
}
