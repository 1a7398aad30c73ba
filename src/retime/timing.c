/* SPDX-License-Identifier: BSD-2-Clause */
/* The speed along the path, x(u) = u'^2, as a spline of degree 2 with equal intervals:
 *   u' = sqrt(x),   u'' = x_u / 2,   u''' = sqrt(x) x_uu / 2,   u'''' = x_u x_uu / 4,   t = integral of du / sqrt(x).
 * Acceleration is continuous, jerk jumps at the knots. */
#include <math.h>

#include "retime.h"

void jn__speed_basis(const jn_speed *x, int interval, double u, double out[3][3]) {
  /* On inner intervals (1 - z)^2 / 2, (1 + 2 z - 2 z^2) / 2, z^2 / 2; at the ends of the path knots are threefold. */
  double h = x->length / x->intervals, z = u / h - interval, one = 1 / h, two = 1 / (h * h);
  double left = interval == 0 ? 1 : 0.5, right = interval == x->intervals - 1 ? 1 : 0.5;
  double y = 1 - z;
  out[0][0] = left * y * y;
  out[0][2] = right * z * z;
  out[0][1] = 1 - out[0][0] - out[0][2];
  out[1][0] = -2 * left * y * one;
  out[1][2] = 2 * right * z * one;
  out[1][1] = -out[1][0] - out[1][2];
  out[2][0] = 2 * left * two;
  out[2][2] = 2 * right * two;
  out[2][1] = -out[2][0] - out[2][2];
}

/* x and two derivatives. */
static void square_at(const jn_speed *x, int interval, double u, double out[3]) {
  double basis[3][3];
  jn__speed_basis(x, interval, u, basis);
  for (int d = 0; d < 3; d++) {
    out[d] = 0;
    for (int k = 0; k < 3; k++) out[d] += basis[d][k] * x->b[interval + k];
  }
}

void jn__speed_at(const jn_speed *x, int interval, double u, jn_timing *out) {
  double y[3];
  square_at(x, interval, u, y);
  double root = sqrt(fmax(y[0], 0));
  *out = (jn_timing){{u, root, y[1] / 2, root * y[2] / 2, y[1] * y[2] / 4}};
}

/* Time from u0 to u1 within an interval: Gauss's rule of 8 points. */
static double time_between(const jn_speed *x, int interval, double u0, double u1) {
  static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  double middle = 0.5 * (u0 + u1), half = 0.5 * (u1 - u0), sum = 0, y[3];
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
  double h = x->length / x->intervals, first = h * low, last = first + h, y[3];
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
