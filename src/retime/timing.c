/* SPDX-License-Identifier: BSD-2-Clause */
/* The speed along the path, x(u) = u'^2, as a cubic spline with equal intervals, on clamped knots 0 0 0 0 h 2h ...:
 *   u' = sqrt(x),   u'' = x_u / 2,   u''' = sqrt(x) x_uu / 2,   u'''' = x_u x_uu / 4 + x x_uuu / 2,
 *   t = integral of du / sqrt(x).
 * So acceleration and jerk are continuous. */
#include <math.h>
#include <string.h>

#include "retime.h"

static double knot(const jn_speed *x, int i) {
  return fmin(fmax(i - JN_TIMING_DEGREE, 0), x->intervals) * (x->length / x->intervals);
}

/* Cox and de Boor, each function as a polynomial in u - first, so that derivatives come along. */
void jn__speed_basis(const jn_speed *x, int interval, double u, double out[JN_BASIS][JN_BASIS]) {
  double basis[JN_BASIS][JN_BASIS] = {{0}}; /* [function][power] */
  int at = interval + JN_TIMING_DEGREE;
  double first = knot(x, at), z = u - first;
  basis[3][0] = 1;
  for (int degree = 1; degree <= JN_TIMING_DEGREE; degree++)
    for (int k = 3 - degree; k < JN_BASIS; k++) {
      int j = at - 3 + k;
      double low = knot(x, j), high = knot(x, j + degree), next[JN_BASIS] = {0};
      for (int p = 0; p < JN_BASIS && high > low; p++) { /* (u - low) / (high - low) times the one before */
        next[p] += (first - low) / (high - low) * basis[k][p];
        if (p < 3) next[p + 1] += basis[k][p] / (high - low);
      }
      low = knot(x, j + 1);
      high = knot(x, j + 1 + degree);
      for (int p = 0; p < JN_BASIS && high > low && k < 3; p++) { /* (high - u) / (high - low) times the next */
        next[p] += (high - first) / (high - low) * basis[k + 1][p];
        if (p < 3) next[p + 1] -= basis[k + 1][p] / (high - low);
      }
      memcpy(basis[k], next, sizeof next);
    }
  for (int k = 0; k < JN_BASIS; k++) {
    const double *c = basis[k];
    out[0][k] = c[0] + z * (c[1] + z * (c[2] + z * c[3]));
    out[1][k] = c[1] + z * (2 * c[2] + 3 * z * c[3]);
    out[2][k] = 2 * c[2] + 6 * z * c[3];
    out[3][k] = 6 * c[3];
  }
}

/* x and three derivatives. */
static void square_at(const jn_speed *x, int interval, double u, double out[JN_BASIS]) {
  double basis[JN_BASIS][JN_BASIS];
  jn__speed_basis(x, interval, u, basis);
  for (int d = 0; d < JN_BASIS; d++) {
    out[d] = 0;
    for (int k = 0; k < JN_BASIS; k++) out[d] += basis[d][k] * x->b[interval + k];
  }
}

void jn__speed_at(const jn_speed *x, int interval, double u, jn_timing *out) {
  double y[JN_BASIS];
  square_at(x, interval, u, y);
  double root = sqrt(fmax(y[0], 0));
  *out = (jn_timing){{u, root, y[1] / 2, root * y[2] / 2, y[1] * y[2] / 4 + y[0] * y[3] / 2}};
}

/* Time from u0 to u1 within an interval: Gauss's rule of 8 points. */
static double time_between(const jn_speed *x, int interval, double u0, double u1) {
  static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  double middle = 0.5 * (u0 + u1), half = 0.5 * (u1 - u0), sum = 0, y[JN_BASIS];
  for (int i = 0; i < 4; i++)
    for (int side = -1; side <= 1; side += 2) {
      square_at(x, interval, middle + side * half * node[i], y);
      sum += weight[i] / sqrt(y[0]);
    }
  return half * sum;
}

double jn__speed_times(jn_speed *x) {
  double h = x->length / x->intervals;
  x->times[0] = 0;
  for (int i = 0; i < x->intervals; i++) x->times[i + 1] = x->times[i] + time_between(x, i, h * i, h * (i + 1));
  return x->times[x->intervals];
}

double jn__speed_place(const jn_speed *x, double t, int *interval) {
  int low = 0, high = x->intervals - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (x->times[middle] <= t)
      low = middle;
    else
      high = middle - 1;
  }
  double h = x->length / x->intervals, first = h * low, last = first + h, y[JN_BASIS];
  double u = first + h * (t - x->times[low]) / (x->times[low + 1] - x->times[low]);
  *interval = low;
  for (int i = 0; i < 20; i++) { /* Newton; time is smooth and grows */
    u = fmin(fmax(u, first), last);
    double off = x->times[low] + time_between(x, low, first, u) - t;
    square_at(x, low, u, y);
    u -= off * sqrt(y[0]);
    if (fabs(off) < 1e-15 * x->times[x->intervals]) break;
  }
  return fmin(fmax(u, first), last);
}
