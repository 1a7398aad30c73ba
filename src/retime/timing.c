/* SPDX-License-Identifier: BSD-2-Clause */
/* s(t) as a cubic spline with equal intervals: B-splines on clamped knots 0 0 0 0 1/N 2/N ... 1 1 1 1. */
#include <math.h>
#include <string.h>

#include "retime.h"

static double knot(int intervals, int i) { return fmin(fmax(i - JN_SPLINE_DEGREE, 0), intervals) / intervals; }

/* Cox and de Boor, each basis function as a polynomial in u - u_i, so that derivatives come along. */
void jn__timing_basis(int intervals, int interval, double u, double out[4][4]) {
  double basis[4][4] = {{0}}; /* [function][power of x = u - first] */
  int at = interval + JN_SPLINE_DEGREE;
  double first = knot(intervals, at), x = u - first;
  basis[3][0] = 1;
  for (int degree = 1; degree <= JN_SPLINE_DEGREE; degree++)
    for (int k = 3 - degree; k < 4; k++) { /* functions that live on this interval, from left to right */
      int j = at - 3 + k;
      double low = knot(intervals, j), high = knot(intervals, j + degree), next[4] = {0};
      if (high > low) /* (u - low) / (high - low) times the one before */
        for (int p = 0; p < 4; p++) {
          next[p] += (first - low) / (high - low) * basis[k][p];
          if (p < 3) next[p + 1] += basis[k][p] / (high - low);
        }
      low = knot(intervals, j + 1);
      high = knot(intervals, j + 1 + degree);
      if (high > low && k < 3)
        for (int p = 0; p < 4; p++) {
          next[p] += (high - first) / (high - low) * basis[k + 1][p];
          if (p < 3) next[p + 1] -= basis[k + 1][p] / (high - low);
        }
      memcpy(basis[k], next, sizeof next);
    }
  for (int k = 0; k < 4; k++) {
    const double *c = basis[k];
    out[0][k] = c[0] + x * (c[1] + x * (c[2] + x * c[3]));
    out[1][k] = c[1] + x * (2 * c[2] + 3 * x * c[3]);
    out[2][k] = 2 * c[2] + 6 * x * c[3];
    out[3][k] = 6 * c[3];
  }
}

void jn__timing_at(const jn_time_spline *x, int interval, double u, jn_timing *out) {
  double basis[4][4], scale = 1;
  jn__timing_basis(x->intervals, interval, u, basis);
  for (int d = 0; d < 4; d++, scale /= x->duration) {
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += basis[d][k] * x->b[interval + k];
    out->s[d] = sum * scale;
  }
}
