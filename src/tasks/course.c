/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses and orientations of which some rows do not count. The frame is then somewhere else than its target, by D = R^T
 * R_t and d = R^T (p_t - p), and rates of the target mean other rates of the frame. With twists (w, u) of the frame and
 * (w_t, u_t) of the target, each in its own axes,
 *   D' = D [w_t] - [w] D,   d' = D u_t - u - w x d,
 * and a motion keeps to the target when the rows that count stay zero:
 *   of d                        (u - d x w)_r = (D u_t)_r
 *   of a rotation about axis a  w_r = (D w_t)_r for the other two, as D a = a
 *   of one row of a rotation    (G w)_r = (G^T w_t)_r with G = (tr D - D) / 2, the derivative of (D - D^T) / 2
 * All time derivatives by the rule of Leibniz: those of D and d need twists of lower orders only. */
#include <string.h>

#include "../dense/vectors.h"
#include "tasks.h"

/* Derivatives of D, of w_t and u_t: where the rows of a partial task are. */
typedef struct course_view {
  jn_tasks *t;
  const task_item *s;
  const double *rate_jet; /* of the target, first row of the task */
  double *J_jet;          /* first row of the task */
} course_view;

static const double *target_twist(const course_view *c, int k) { return c->rate_jet + k * c->t->rows; }
static double *rows_of(const course_view *c, int k) { return c->J_jet + k * c->t->rows * c->t->nv; }

/* V [6] of order k: the frame's twist, from rows that are not changed yet. */
static void frame_twist(const course_view *c, const double *v_jet, int k, double *V) {
  int n = c->t->nv;
  memset(V, 0, 6 * sizeof *V);
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    const double *J = rows_of(c, j), *v = v_jet + (k - j) * n;
    for (int r = 0; r < c->s->rows; r++)
      for (int i = 0; i < n; i++) V[r] += b * J[r * n + i] * v[i];
  }
}

/* D and d of order k + 1. */
static void next_gap(const course_view *c, int k) {
  jn_tasks *t = c->t;
  double *D = t->D_jet + 9 * (k + 1), *d = t->d_jet + 3 * (k + 1), x[3];
  memset(D, 0, 9 * sizeof *D);
  memset(d, 0, 3 * sizeof *d);
  for (int j = 0; j <= k; j++) {
    double b = jn__binomial(k, j);
    const double *from = t->D_jet + 9 * j, *w = t->V_jet + 6 * (k - j), *w_t = target_twist(c, k - j);
    for (int i = 0; i < 3; i++) {
      cross3(from + 3 * i, w_t, x); /* row i of D [w_t] */
      const double column[3] = {from[i], from[3 + i], from[6 + i]};
      double turned[3];
      cross3(w, column, turned); /* column i of [w] D */
      for (int e = 0; e < 3; e++) D[3 * i + e] += b * x[e];
      for (int e = 0; e < 3; e++) D[3 * e + i] -= b * turned[e];
    }
    if (c->s->rows < 6) continue;
    cross3(w, t->d_jet + 3 * j, x);
    for (int i = 0; i < 3; i++) d[i] += b * (dot3(from + 3 * i, w_t + 3) - x[i]);
  }
  for (int i = 0; i < 3 && c->s->rows == 6; i++) d[i] -= t->V_jet[6 * k + 3 + i];
}

/* Row r of G of order k, or of its transpose. */
static void turning_row(const jn_tasks *t, int k, int r, int transposed, double *g) {
  const double *D = t->D_jet + 9 * k;
  for (int e = 0; e < 3; e++) g[e] = -(transposed ? D[3 * e + r] : D[3 * r + e]) / 2;
  g[r] += (D[0] + D[4] + D[8]) / 2;
}

/* Rates of the rows, of order k. */
static void find_rates(const course_view *c, int k, double *y) {
  const task_item *s = c->s;
  const jn_tasks *t = c->t;
  memcpy(y, target_twist(c, k), sizeof(double) * (size_t)s->rows);
  for (int r = s->turns == 3 ? 3 : 0; r < s->rows; r++) {
    y[r] = 0;
    for (int j = 0; j <= k; j++) {
      double row[3];
      const double *x = target_twist(c, k - j) + (r < 3 ? 0 : 3);
      if (r < 3 && s->turns == 1)
        turning_row(t, j, r, 1, row);
      else
        memcpy(row, t->D_jet + 9 * j + 3 * (r % 3), sizeof row);
      y[r] += jn__binomial(k, j) * dot3(row, x);
    }
  }
}

/* Rows of order k; those of orders below are not changed yet. */
static void change_rows(const course_view *c, int k) {
  const task_item *s = c->s;
  int n = c->t->nv;
  double *to = rows_of(c, k);
  for (int e = 0; e < n; e++) {
    double turned[3] = {0}, moved[3] = {0};
    for (int j = 0; j <= k; j++) {
      double b = jn__binomial(k, j), x[3], g[3];
      const double *J = rows_of(c, k - j), w[3] = {J[e], J[n + e], J[2 * n + e]};
      cross3(c->t->d_jet + 3 * j, w, x);
      for (int r = 0; r < 3; r++) {
        moved[r] -= b * x[r];
        if (s->turns == 1) turning_row(c->t, j, r, 0, g);
        if (s->turns == 1) turned[r] += b * dot3(g, w);
      }
    }
    for (int r = 0; r < 3 && s->rows == 6; r++) to[(3 + r) * n + e] += moved[r];
    for (int r = 0; r < 3 && s->turns == 1; r++) to[r * n + e] = turned[r];
  }
}

jn_status jn__tasks_keep_course(jn_tasks *t, task_item *s, int order, const double *q, const double *v_jet,
                                const task_course *course, double *J_jet) {
  course_view c = {.t = t, .s = s, .rate_jet = course->rate_jet + s->row, .J_jet = J_jet + s->row * t->nv};
  const double *target = course->target + s->target;
  int stride = s->rows == 6 ? 4 : 3;
  jn_status status = jn__tasks_pose(t, s, q, s->X, s->T_r);
  if (status != JN_OK) return status;
  const double *X = s->X;
  double away[3] = {0};
  for (int i = 0; i < 3 && s->rows == 6; i++) away[i] = target[4 * i + 3] - X[4 * i + 3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      t->D_jet[3 * i + j] = X[i] * target[j] + X[4 + i] * target[stride + j] + X[8 + i] * target[2 * stride + j];
    t->d_jet[i] = X[i] * away[0] + X[4 + i] * away[1] + X[8 + i] * away[2];
  }
  for (int k = 0; k < order; k++) {
    frame_twist(&c, v_jet, k, t->V_jet + 6 * k);
    next_gap(&c, k);
  }
  for (int k = 0; k <= order; k++) find_rates(&c, k, t->y_jet + k * t->rows + s->row);
  for (int k = order; k >= 0; k--) change_rows(&c, k);
  return JN_OK;
}
