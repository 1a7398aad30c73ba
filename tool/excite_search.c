/* SPDX-License-Identifier: BSD-2-Clause */
/* The information of a motion about the base parameters, M = mean of Yb^T W Yb, and motions for which its determinant
 * is large. Its gradient is exact: in each joint angle, Y is a trigonometric polynomial of degree two (the inertia of
 * what a joint carries turns as R J R^T), so its derivative is a sum over four angles; in a slide it is a polynomial of
 * degree two, as it is in the velocities, and it is linear in the accelerations: differences are exact for these. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "excite.h"

enum { MEMORY = 8 };
static const double stiffness = 300; /* of the penalties, next to - log det */

/* ---- Information ---- */

static double sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

/* Yb [nb] of row i at sample r. */
static void base_row(const excitation *x, int r, int i, double *row) {
  size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
  int width = 10 * x->links;
  const double *Y = x->Y + at * (size_t)width;
  for (int b = 0; b < x->nb; b++) {
    int c = x->column[b] - width;
    if (c < 0)
      row[b] = Y[x->column[b]];
    else if (c % x->nv != i)
      row[b] = 0;
    else
      row[b] = c < x->nv ? x->v[at] : c < 2 * x->nv ? sign_of(x->v[at]) : 1;
  }
}

/* M = L L^T in place; log det M, -infinity if it is singular. */
static double factor(double *M, int n) {
  double sum = 0;
  size_t ld = (size_t)n;
  for (size_t i = 0; i < ld; i++) {
    for (size_t j = 0; j <= i; j++) {
      double s = M[i * ld + j];
      for (size_t k = 0; k < j; k++) s -= M[i * ld + k] * M[j * ld + k];
      if (i == j && !(s > 0)) return -INFINITY;
      M[i * ld + j] = i == j ? sqrt(s) : s / M[j * ld + j];
    }
    sum += 2 * log(M[i * ld + i]);
  }
  return sum;
}

/* x = M^-1 b by the factor. */
static void solve(const double *L, int n, const double *b, double *x) {
  size_t ld = (size_t)n;
  for (size_t i = 0; i < ld; i++) {
    double s = b[i];
    for (size_t k = 0; k < i; k++) s -= L[i * ld + k] * x[k];
    x[i] = s / L[i * ld + i];
  }
  for (size_t i = ld; i-- > 0;) {
    double s = x[i];
    for (size_t k = i + 1; k < ld; k++) s -= L[k * ld + i] * x[k];
    x[i] = s / L[i * ld + i];
  }
}

static double information(excitation *x) {
  size_t nb = (size_t)x->nb;
  double trace = 0;
  memset(x->M, 0, nb * nb * sizeof *x->M);
  for (int r = 0; r < x->samples; r++)
    for (int i = 0; i < x->nv; i++) {
      double *row = x->Yb + ((size_t)r * (size_t)x->nv + (size_t)i) * nb, weight = x->weight[i] / x->samples;
      base_row(x, r, i, row);
      for (size_t j = 0; j < nb; j++) {
        double by = weight * row[j];
        for (size_t k = 0; k <= j && by != 0; k++) x->M[j * nb + k] += by * row[k];
      }
    }
  for (size_t j = 0; j < nb; j++) trace = fmax(trace, x->M[j * nb + j]);
  for (size_t j = 0; j < nb; j++) x->M[j * nb + j] += 1e-13 * trace; /* a start may tell nothing of some */
  return factor(x->M, x->nb);
}

/* ---- Penalties ---- */

/* (share - 1)^2 beyond 1, and its derivative by the value. */
static double beyond(double value, double limit, double *slope) {
  double share = fabs(value) / limit;
  *slope = 0;
  if (!(share > 1)) return 0;
  *slope = 2 * (share - 1) * sign_of(value) / limit;
  return (share - 1) * (share - 1);
}

/* Penalties at all samples, added to the gradients by q, v, a; those of the efforts to G. */
static double penalties(excitation *x) {
  const excite_limits *l = &x->limits;
  size_t width = 10 * (size_t)x->links;
  double sum = 0, by = stiffness / x->samples, slope;
  for (int r = 0; r < x->samples; r++)
    for (int i = 0; i < x->nv; i++) {
      size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
      double half = 0.5 * (l->high[i] - l->low[i]), tau = 0;
      const double *Y = x->Y + at * width;
      sum += by * beyond(x->q[at] - 0.5 * (l->high[i] + l->low[i]), half, &slope);
      x->dq[at] += by * slope;
      sum += by * beyond(x->v[at], l->velocity[i], &slope);
      x->dv[at] += by * slope;
      sum += by * beyond(x->a[at], l->acceleration[i], &slope);
      x->da[at] += by * slope;
      for (size_t c = 0; c < width; c++) tau += Y[c] * x->pi[c];
      sum += by * beyond(tau, l->effort[i], &slope);
      for (size_t c = 0; c < width && slope != 0; c++) x->G[at * width + c] += by * slope * x->pi[c];
    }
  return sum;
}

/* ---- Gradient ---- */

/* G = d value / dY, from - log det: - 2 w Yb M^-1 / samples, in the columns of the base parameters. */
static void gradient_by_Y(excitation *x) {
  size_t width = 10 * (size_t)x->links, nb = (size_t)x->nb;
  memset(x->G, 0, (size_t)x->samples * (size_t)x->nv * width * sizeof *x->G);
  for (int r = 0; r < x->samples; r++)
    for (int i = 0; i < x->nv; i++) {
      size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
      double *s = x->solved + at * nb, by = -2 * x->weight[i] / x->samples;
      solve(x->M, x->nb, x->Yb + at * nb, s);
      for (int b = 0; b < x->nb; b++) {
        if (x->column[b] < 10 * x->links) x->G[at * width + (size_t)x->column[b]] += by * s[b];
        if (x->column[b] == 10 * x->links + i) x->dv[at] += by * s[b]; /* the column of viscous friction is v itself */
      }
    }
}

/* Adds `by` times sum G Y2 of each sample to out, at coordinate j. */
static void contract(const excitation *x, double by, int j, double *out) {
  size_t row = (size_t)x->nv * 10 * (size_t)x->links;
  for (size_t r = 0; r < (size_t)x->samples; r++) {
    const double *G = x->G + r * row, *Y = x->Y2 + r * row;
    double sum = 0;
    for (size_t k = 0; k < row; k++) sum += G[k] * Y[k];
    out[r * (size_t)x->nv + (size_t)j] += by * sum;
  }
}

/* Y2 with one coordinate of one argument (of q, v, a) moved by h in all samples. */
static void shifted_regressor(excitation *x, double *argument, int j, double h) {
  size_t count = (size_t)x->samples, nv = (size_t)x->nv;
  memcpy(x->shifted, argument, count * nv * sizeof *argument);
  for (size_t r = 0; r < count; r++) x->shifted[r * nv + (size_t)j] += h;
  const double *q = argument == x->q ? x->shifted : x->q, *v = argument == x->v ? x->shifted : x->v,
               *a = argument == x->a ? x->shifted : x->a;
  jn_regressor_batch(x->batch, count, q, v, a, x->Y2);
}

static bool is_slide(const jn_model *model, int j) {
  return jn_joint_type_of(model, jn_coordinate_joint(model, j, NULL)) == JN_PRISMATIC;
}

static void gradient_by_motion(excitation *x) {
  const double quarter = 3.14159265358979323846 / 4;
  for (int j = 0; j < x->nv; j++) {
    if (is_slide(x->model, j)) {
      for (int side = -1; side <= 1; side += 2) {
        shifted_regressor(x, x->q, j, side * 0.1);
        contract(x, side / 0.2, j, x->dq);
      }
    } else { /* f'(0) = sum over m of (-1)^m f((2m + 1) pi/4) / (8 sin^2((2m + 1) pi/8)), exact to degree two */
      for (int m = 0; m < 4; m++) {
        double s = sin((2 * m + 1) * quarter / 2);
        shifted_regressor(x, x->q, j, (2 * m + 1) * quarter);
        contract(x, (m % 2 ? -1 : 1) / (8 * s * s), j, x->dq);
      }
    }
    for (int side = -1; side <= 1; side += 2) {
      shifted_regressor(x, x->v, j, side);
      contract(x, 0.5 * side, j, x->dv);
      shifted_regressor(x, x->a, j, side);
      contract(x, 0.5 * side, j, x->da);
    }
  }
}

double excitation_value(excitation *x, const double *z, double *gradient) {
  size_t nv = (size_t)x->nv, states = (size_t)x->samples * nv;
  for (int r = 0; r < x->samples; r++) {
    size_t at = (size_t)r * nv;
    excitation_at(x, z, excitation_time(x, r), x->q + at, x->v + at, x->a + at);
  }
  if (jn_regressor_batch(x->batch, (size_t)x->samples, x->q, x->v, x->a, x->Y) != JN_OK) return INFINITY;
  double value = -information(x);
  memset(x->dq, 0, states * sizeof *x->dq);
  memset(x->dv, 0, states * sizeof *x->dv);
  memset(x->da, 0, states * sizeof *x->da);
  if (gradient && isfinite(value)) gradient_by_Y(x);
  value += penalties(x);
  if (gradient && isfinite(value)) {
    gradient_by_motion(x);
    excitation_pull_back(x, gradient);
    excitation_project(x, gradient);
  }
  return value;
}

/* ---- Search: limited-memory BFGS ---- */

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

typedef struct history {
  int n, count;
  double *s, *y; /* [MEMORY x n] changes of z and of the gradient; the latest is at (count - 1) mod MEMORY */
  double rho[MEMORY];
} history;

/* d = - H g, by the two loops of Nocedal. */
static void direction(const history *h, const double *g, double *d) {
  double alpha[MEMORY];
  int have = h->count < MEMORY ? h->count : MEMORY;
  memcpy(d, g, (size_t)h->n * sizeof *d);
  for (int k = 0; k < have; k++) {
    int at = (h->count - 1 - k) % MEMORY;
    const double *s = h->s + at * h->n, *y = h->y + at * h->n;
    alpha[at] = h->rho[at] * dot(s, d, h->n);
    for (int i = 0; i < h->n; i++) d[i] -= alpha[at] * y[i];
  }
  if (have > 0) {
    int at = (h->count - 1) % MEMORY;
    const double *s = h->s + at * h->n, *y = h->y + at * h->n;
    double by = dot(s, y, h->n) / dot(y, y, h->n);
    for (int i = 0; i < h->n; i++) d[i] *= by;
  }
  for (int k = have - 1; k >= 0; k--) {
    int at = (h->count - 1 - k) % MEMORY;
    const double *s = h->s + at * h->n, *y = h->y + at * h->n;
    double beta = h->rho[at] * dot(y, d, h->n);
    for (int i = 0; i < h->n; i++) d[i] += (alpha[at] - beta) * s[i];
  }
  for (int i = 0; i < h->n; i++) d[i] = -d[i];
}

static void remember(history *h, const double *z, const double *g, const double *z1, const double *g1) {
  int at = h->count % MEMORY;
  double *s = h->s + at * h->n, *y = h->y + at * h->n;
  for (int i = 0; i < h->n; i++) s[i] = z1[i] - z[i], y[i] = g1[i] - g[i];
  double sy = dot(s, y, h->n);
  if (!(sy > 1e-12 * sqrt(dot(s, s, h->n) * dot(y, y, h->n)))) return;
  h->rho[at] = 1 / sy;
  h->count++;
}

double excitation_improve(excitation *x, double *z, int steps, void (*progress)(double part)) {
  int n = excitation_count(x);
  size_t bytes = (size_t)n * sizeof(double);
  history h = {.n = n, .s = allocate(MEMORY * bytes), .y = allocate(MEMORY * bytes)};
  double *g = allocate(4 * bytes), *g1 = g + n, *z1 = g1 + n, *d = z1 + n;
  excitation_project(x, z);
  double value = excitation_value(x, z, g);
  for (int k = 0; k < steps && isfinite(value); k++) {
    if (progress) progress((double)k / steps);
    direction(&h, g, d);
    double slope = dot(g, d, n), by = h.count ? 1 : fmin(1, 0.1 / sqrt(dot(g, g, n)));
    if (!(slope < 0)) break;
    double now = INFINITY;
    for (int tries = 0; tries < 20; tries++, by *= 0.4) {
      for (int i = 0; i < n; i++) z1[i] = z[i] + by * d[i];
      now = excitation_value(x, z1, NULL);
      if (now <= value + 1e-4 * by * slope) break;
    }
    if (!(now < value)) break;
    excitation_value(x, z1, g1);
    remember(&h, z, g, z1, g1);
    bool done = value - now < 1e-6 * (1 + fabs(value));
    memcpy(z, z1, bytes);
    memcpy(g, g1, bytes);
    value = now;
    if (done) break;
  }
  free(g);
  free(h.s);
  free(h.y);
  return value;
}
