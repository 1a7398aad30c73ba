/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of the equations of motion with loops. At fixed a and lambda let
 *   G = d (inverse dynamics of the tree - A^T lambda),     g = d (A a + dA v) = d phi''
 * by q, by v, or by the parameters; then M da - A^T dlambda = -G, A da = -g. The wrenches of the loops are fixed in the
 * bodies but for their change with the relative pose of the closing frames, which moves with R' = R [w_b] - [w_a] R. */
#include <math.h>
#include <string.h>

#include "loops.h"

enum { COLUMN_J, COLUMN_V_Q, COLUMN_A_Q, COLUMN_A_V };

/* Column c of six rows [6 x n] from a link's frame to the closing frame. */
static void into_frame(const double *T, int n, int c, const double *X, double *out) {
  double x[6], y[6];
  for (int e = 0; e < 6; e++) x[e] = X[e * n + c];
  jn__twist_into(T, x, y);
  for (int e = 0; e < 6; e++) out[e * n + c] = y[e];
}

/* J, and the derivatives of twist and acceleration, of a link in its own frame; kept for the next pair at this end. */
static jn_status link_columns(jn_loops *l, int end, int link, const double *q, const double *v, const double *a) {
  size_t block = 6 * (size_t)l->nv;
  double *out = l->raw + 4 * block * (size_t)end;
  if (l->raw_link[end] == link) return JN_OK;
  l->raw_link[end] = link;
  memset(out, 0, 4 * block * sizeof *out);
  if (link < 0) return JN_OK;
  jn_status status = jn_frame_jacobian(l->model, l->work, link, JN_IN_BODY, q, out);
  if (status == JN_OK)
    status = jn_frame_twist_derivatives(l->model, l->work, link, JN_IN_BODY, q, v, out + COLUMN_V_Q * block);
  if (status == JN_OK)
    status = jn_frame_acceleration_derivatives(l->model, l->work, link, JN_IN_BODY, q, v, a, out + COLUMN_A_Q * block,
                                               out + COLUMN_A_V * block);
  return status;
}

/* The same of a pair's closing frame: all columns of J, of the others those that matter. */
static jn_status frame_columns(jn_loops *l, const loop_pair *c, int end, const double *q, const double *v,
                               const double *a) {
  size_t block = 6 * (size_t)l->nv;
  const double *T = end ? c->T_b : c->T_a, *raw = l->raw + 4 * block * (size_t)end;
  double *out = l->column + 4 * block * (size_t)end;
  jn_status status = link_columns(l, end, end ? c->b : c->a, q, v, a);
  for (int i = 0; i < l->nv; i++) into_frame(T, l->nv, i, raw, out);
  for (size_t k = 1; k < 4; k++)
    for (int i = 0; i < c->moves; i++) into_frame(T, l->nv, c->move[i], raw + k * block, out + k * block);
  return status;
}

/* A change of the relative motion: of R, p (orders 0, 1, 2) and of the twists (orders 0, 1). */
typedef struct change {
  double R[3][9], p[3][3], V_a[2][6], V_b[2][6];
} change;

static void take(const double *columns, int which, int n, int c, double *out) {
  for (int e = 0; e < 6; e++) out[e] = columns[(which * 6 + e) * n + c];
}

/* by_q: the change of coordinate c of q, else of v. */
static void change_of(const loop_pair *pair, const double *columns, int n, int c, int by_q, change *d) {
  const double *a = columns, *b = columns + 24 * n;
  double eta_a[6], eta_b[6];
  memset(d, 0, sizeof *d);
  take(a, by_q ? COLUMN_V_Q : COLUMN_J, n, c, d->V_a[0]);
  take(b, by_q ? COLUMN_V_Q : COLUMN_J, n, c, d->V_b[0]);
  take(a, by_q ? COLUMN_A_Q : COLUMN_A_V, n, c, d->V_a[1]);
  take(b, by_q ? COLUMN_A_Q : COLUMN_A_V, n, c, d->V_b[1]);
  if (by_q) {
    take(a, COLUMN_J, n, c, eta_a);
    take(b, COLUMN_J, n, c, eta_b);
    jn__add_relative(pair->R, pair->p, eta_a, eta_b, d->R[0], d->p[0]);
    for (int e = 0; e < 3; e++) d->p[0][e] -= eta_a[3 + e];
  }
  for (int k = 1; k < 3; k++) {
    for (int j = 0; j < k; j++) {
      int i = k - 1 - j;
      jn__add_relative(d->R[j], d->p[j], pair->V_a + 6 * i, pair->V_b + 6 * i, d->R[k], d->p[k]);
      jn__add_relative(pair->R + 9 * j, pair->p + 3 * j, d->V_a[i], d->V_b[i], d->R[k], d->p[k]);
    }
    for (int e = 0; e < 3; e++) d->p[k][e] = (d->p[k][e] - d->V_a[k - 1][3 + e]) / k;
    for (int e = 0; e < 9; e++) d->R[k][e] /= k;
  }
}

/* Change of a condition's Taylor coefficient 2, times 2!: that of phi''. */
static double change_of_row(const loop_pair *c, const loop_row *row, const change *d) {
  double sum = 0;
  for (int e = 0; e < row->terms; e++) {
    const loop_term *t = &row->term[e];
    for (int i = 0; i < 3; i++) {
      if (t->kind == TERM_POINT) sum += t->factor * t->alpha[i] * d->p[2][i];
      for (int j = 0; j < 3; j++) {
        if (t->kind == TERM_DIRECTION) sum += t->factor * t->alpha[i] * d->R[2][3 * i + j] * t->beta[j];
        if (t->kind == TERM_DISTANCE) sum += c->p[3 * j + i] * d->p[2 - j][i] / t->factor;
      }
    }
  }
  return 2 * sum;
}

/* Pair i's part of g by q and v, and, unless lambda is NULL, of G by q. Coordinates that move both ends as one do not
 * change their relative motion. */
static void add_pair(jn_loops *l, int i, const double *lambda) {
  loop_pair *c = &l->pair[i];
  int n = l->nv;
  memset(l->g_q + c->first * n, 0, sizeof(double) * (size_t)(c->rows * n));
  memset(l->g_v + c->first * n, 0, sizeof(double) * (size_t)(c->rows * n));
  for (int m = 0; m < c->moves; m++)
    for (int by_q = 0; by_q < 2; by_q++) {
      int col = c->move[m];
      change d;
      change_of(c, l->column, n, col, by_q, &d);
      for (int r = c->first; r < c->first + c->rows; r++)
        (by_q ? l->g_q : l->g_v)[r * n + col] = change_of_row(c, &l->row[r], &d);
      if (!by_q || !lambda) continue;
      /* the wrenches' change: coefficient 1 along a curve that starts with this change */
      double R[18], p[6], W[2][6];
      memcpy(R, c->R, 9 * sizeof *R);
      memcpy(R + 9, d.R[0], 9 * sizeof *R);
      memcpy(p, c->p, 3 * sizeof *p);
      memcpy(p + 3, d.p[0], 3 * sizeof *p);
      loop_pair moved = *c;
      moved.R = R;
      moved.p = p;
      jn__loops_pair_wrench(l, &moved, 1, lambda, W);
      for (int row = 0; row < n; row++)
        for (int e = 0; e < 6; e++)
          l->G_q[row * n + col] -= l->column[e * n + row] * W[0][e] + l->column[(24 + e) * n + row] * W[1][e];
    }
}

/* g, and what the multipliers (NULL: none) add to G, at a motion that jn__loops_motion() has seen. */
static jn_status linearise_conditions(jn_loops *l, const double *q, const double *v, const double *a,
                                      const double *lambda) {
  jn_status status = jn__extra_linearise(l, q, v, a, lambda);
  l->raw_link[0] = l->raw_link[1] = JN_NONE;
  for (int i = 0; i < l->count && status == JN_OK; i++) {
    const loop_pair *c = &l->pair[i];
    if (l->row[c->first].terms == 0) continue; /* a coupling */
    status = frame_columns(l, c, 0, q, v, a);
    if (status == JN_OK) status = frame_columns(l, c, 1, q, v, a);
    if (status == JN_OK) add_pair(l, i, lambda);
  }
  return status;
}

static void see_motion(jn_loops *l, const double *v, const double *a) {
  size_t n = (size_t)l->nv;
  memset(l->v, 0, sizeof(double) * 4 * n);
  if (v) memcpy(l->v, v, sizeof(double) * n);
  memcpy(l->v + n, a, sizeof(double) * n);
}

/* G_q with wrenches held otherwise than in the body: those of the loops are in it already, in the body's frame. */
static jn_status change_hold(jn_loops *l, const double *q, const double *v, const double *a, const double *wrench,
                             jn_representation hold) {
  if (hold == JN_IN_BODY || !wrench) return JN_OK;
  for (int k = 0; k < 2; k++) {
    jn_status status = jn_inverse_dynamics_derivatives(l->model, l->work, q, v, a, wrench, k ? hold : JN_IN_BODY, l->H,
                                                       NULL, NULL, NULL);
    if (status != JN_OK) return status;
    for (int e = 0; e < l->nv * l->nv; e++) l->G_q[e] += k ? l->H[e] : -l->H[e];
  }
  return JN_OK;
}

jn_status jn__loops_linearise(jn_loops *l, const double *q, const double *v, const double *a, const double *lambda,
                              const double *wrench, jn_representation hold, double *dwrench) {
  if ((unsigned)hold > JN_IN_ALIGNED) return JN_ERR_INDEX;
  see_motion(l, v, a);
  jn_status status = jn__loops_motion(l, 0, q, l->v);
  if (status != JN_OK) return status;
  jn__loops_wrenches(l, 0, lambda, wrench, l->wrench);
  status =
      jn_inverse_dynamics_derivatives(l->model, l->work, q, v, a, l->wrench, JN_IN_BODY, l->G_q, l->G_v, l->M, dwrench);
  if (status == JN_OK) status = change_hold(l, q, v, a, wrench, hold);
  return status == JN_OK ? linearise_conditions(l, q, v, a, lambda) : status;
}

jn_status jn__loops_change_of_A(jn_loops *l, const double *q, const double *y) {
  see_motion(l, NULL, y);
  jn_status status = jn__loops_motion(l, 0, q, l->v);
  return status == JN_OK ? linearise_conditions(l, q, l->zeros, y, NULL) : status;
}

static int is_given(const unsigned char *which, int i) { return which && which[i]; }

/* Columns [first, first + wide) of da, dtau, dlambda from those of -G [nv x columns] and -g (NULL: zero), with
 * prescribed accelerations. */
static void solve_some(jn_loops *l, const unsigned char *prescribed, int columns, int first, int wide, const double *G,
                       const double *g, double *da, double *dtau, double *dlambda) {
  int n = l->nv, m = l->m;
  double *x = l->many, *y = l->many + n * wide;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < wide; c++) x[i * wide + c] = is_given(prescribed, i) ? 0 : -G[i * columns + first + c];
  for (int r = 0; r < m; r++)
    for (int c = 0; c < wide; c++) y[r * wide + c] = g ? -g[r * columns + first + c] : 0;
  jn__loops_solve_many(l, wide, x, y);
  for (int i = 0; i < n && da; i++) memcpy(da + i * columns + first, x + i * wide, sizeof *x * (size_t)wide);
  for (int r = 0; r < m && dlambda; r++) memcpy(dlambda + r * columns + first, y + r * wide, sizeof *y * (size_t)wide);
  for (int i = 0; i < n && dtau; i++) {
    double *to = dtau + i * columns + first;
    for (int c = 0; c < wide; c++) to[c] = is_given(prescribed, i) ? G[i * columns + first + c] : 0;
    for (int k = 0; k < n && is_given(prescribed, i); k++)
      for (int c = 0; c < wide; c++) to[c] += l->M[i * n + k] * x[k * wide + c];
    for (int r = 0; r < m && is_given(prescribed, i); r++)
      for (int c = 0; c < wide; c++) to[c] -= l->A[r * n + i] * y[r * wide + c];
  }
}

static void solve_columns(jn_loops *l, const unsigned char *prescribed, int columns, const double *G, const double *g,
                          double *da, double *dtau, double *dlambda) {
  for (int c = 0; c < columns && (da || dtau || dlambda); c += MANY_COLUMNS) {
    int wide = columns - c < MANY_COLUMNS ? columns - c : MANY_COLUMNS;
    solve_some(l, prescribed, columns, c, wide, G, g, da, dtau, dlambda);
  }
}

/* By what is given: a_c of a prescribed coordinate (G = M's column, g = A's), or tau_c (G = -e_c). */
static void given_columns(jn_loops *l, const unsigned char *prescribed, const jn_loops_derivatives *out) {
  int n = l->nv, m = l->m;
  double *G = l->G_q, *g = l->g_q; /* have been used */
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < n; i++) G[i * n + c] = is_given(prescribed, c) ? l->M[i * n + c] : i == c ? -1 : 0;
    for (int r = 0; r < m; r++) g[r * n + c] = is_given(prescribed, c) ? l->A[r * n + c] : 0;
  }
  solve_columns(l, prescribed, n, G, g, out->da_dgiven, out->dtau_dgiven, out->dlambda_dgiven);
  for (int c = 0; c < n; c++) {
    double *own = is_given(prescribed, c) ? out->da_dgiven : out->dtau_dgiven;
    if (own) own[c * (n + 1)] = 1;
  }
}

jn_status jn_loops_dynamics_derivatives(jn_loops *l, const unsigned char *prescribed, const double *q, const double *v,
                                        const double *a, const double *lambda, const double *wrench,
                                        jn_representation hold, const jn_loops_derivatives *out) {
  if (!l || !q || !v || !a || (l->m > 0 && !lambda) || !out) return JN_ERR_NULL;
  int n = l->nv, by_wrench = out->da_dwrench || out->dtau_dwrench || out->dlambda_dwrench;
  jn_status status = jn__loops_linearise(l, q, v, a, lambda, wrench, hold, by_wrench ? l->wide : NULL);
  if (status != JN_OK) return status;
  memcpy(l->H, l->M, sizeof(double) * (size_t)n * (size_t)n);
  status = jn__loops_factor(l, prescribed, q);
  if (status != JN_OK) return status;
  solve_columns(l, prescribed, n, l->G_q, l->g_q, out->da_dq, out->dtau_dq, out->dlambda_dq);
  solve_columns(l, prescribed, n, l->G_v, l->g_v, out->da_dv, out->dtau_dv, out->dlambda_dv);
  given_columns(l, prescribed, out);
  solve_columns(l, prescribed, by_wrench ? 6 * l->nlink : 0, l->wide, NULL, out->da_dwrench, out->dtau_dwrench,
                out->dlambda_dwrench);
  if (!out->da_dpi && !out->dtau_dpi && !out->dlambda_dpi) return JN_OK;
  status = jn_regressor(l->model, l->work, q, v, a, l->wide);
  if (status == JN_OK)
    solve_columns(l, prescribed, 10 * l->nlink, l->wide, NULL, out->da_dpi, out->dtau_dpi, out->dlambda_dpi);
  return status;
}
