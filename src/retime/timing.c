/* SPDX-License-Identifier: BSD-2-Clause */
/* The speed along the path, x(u) = u'^2, as a spline of degree 5 with equal intervals.
 *
 * On clamped knots 0 ... 0 h 2h ...:  u' = sqrt(x),  u'' = x_u / 2,  u''' = sqrt(x) x_uu / 2, ...,  t = integral of du
 * / sqrt(x). So u has five continuous derivatives in time: samples of the motion are smooth enough for others to
 * interpolate. */
#include <math.h>
#include <string.h>

#include "../series/series.h"
#include "retime.h"

/* Knot i of the clamped knots. */
static double knot(const jn_speed *speed, int i) {
  return fmin(fmax(i - JN_TIMING_DEGREE, 0), speed->intervals) * (speed->length / speed->intervals);
}

/* to += (a + b z) times the polynomial `from`. */
static void add_product(const double *from, double a, double b, double *to) {
  for (int p = 0; p < JN_BASIS; p++) {
    to[p] += a * from[p];
    if (p < JN_TIMING_DEGREE) to[p + 1] += b * from[p];
  }
}

/* By the recursion of Cox and de Boor, with each function as a polynomial in z = u - first, so that its derivatives
 * come along. */
void jn__speed_basis(const jn_speed *speed, int interval, double u, double out[JN_BASIS][JN_BASIS]) {
  double basis[JN_BASIS + 1][JN_BASIS] = {{0}}; /* [function][power] */
  int at = interval + JN_TIMING_DEGREE;
  double first = knot(speed, at), z = u - first;

  /* From degree to degree. */
  basis[JN_TIMING_DEGREE][0] = 1;
  for (int degree = 1; degree <= JN_TIMING_DEGREE; degree++)
    for (int k = JN_TIMING_DEGREE - degree; k < JN_BASIS; k++) {
      int j = at - JN_TIMING_DEGREE + k;
      double low = knot(speed, j), high = knot(speed, j + degree), next[JN_BASIS] = {0};
      if (high > low) add_product(basis[k], (first - low) / (high - low), 1 / (high - low), next);
      low = knot(speed, j + 1);
      high = knot(speed, j + 1 + degree);
      if (high > low) add_product(basis[k + 1], (high - first) / (high - low), -1 / (high - low), next);
      memcpy(basis[k], next, sizeof next);
    }

  /* Derivatives: each polynomial expanded about z. */
  for (int k = 0; k < JN_BASIS; k++) {
    double c[JN_BASIS];
    memcpy(c, basis[k], sizeof c);
    jn__series_shift(JN_BASIS, z, c);
    jn__jet_of_series(JN_BASIS, c, &out[0][k], JN_BASIS);
  }
}

void jn__speed_set(jn_speed *speed) {
  double h = speed->length / speed->intervals;
  for (int i = 0; i < speed->intervals; i++) {
    double basis[JN_BASIS][JN_BASIS], *piece = speed->pieces + i * JN_BASIS;
    jn__speed_basis(speed, i, h * i, basis);
    for (int d = 0; d < JN_BASIS; d++) {
      piece[d] = 0;
      for (int k = 0; k < JN_BASIS; k++) piece[d] += basis[d][k] * speed->b[i + k] / jn__factorial(d);
    }
  }
}

void jn__speed_at(const jn_speed *speed, int interval, double u, jn_timing *out) {
  memcpy(out->x, speed->pieces + interval * JN_BASIS, sizeof out->x);
  jn__series_shift(JN_BASIS, u - interval * (speed->length / speed->intervals), out->x);
  jn__jet_of_series(JN_BASIS, out->x, out->x, 1);
}

/* x(u). */
static double speed_squared_at(const jn_speed *speed, int interval, double u) {
  const double *c = speed->pieces + interval * JN_BASIS;
  double z = u - interval * (speed->length / speed->intervals), sum = c[JN_TIMING_DEGREE];
  for (int p = JN_TIMING_DEGREE - 1; p >= 0; p--) sum = sum * z + c[p];
  return sum;
}

/* Time from u0 to u1 within an interval, integral of du / sqrt(x): Gauss's rule of 8 points. */
static double time_between(const jn_speed *speed, int interval, double u0, double u1) {
  static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  double middle = 0.5 * (u0 + u1), half = 0.5 * (u1 - u0), sum = 0;
  for (int i = 0; i < 4; i++)
    for (int side = -1; side <= 1; side += 2)
      sum += weight[i] / sqrt(speed_squared_at(speed, interval, middle + side * half * node[i]));
  return half * sum;
}

double jn__speed_times(jn_speed *speed) {
  double h = speed->length / speed->intervals;
  jn__speed_set(speed);
  speed->times[0] = 0;
  for (int i = 0; i < speed->intervals; i++)
    speed->times[i + 1] = speed->times[i] + time_between(speed, i, h * i, h * (i + 1));
  return speed->times[speed->intervals];
}

double jn__speed_time(const jn_speed *speed, int interval, double u) {
  return speed->times[interval] + time_between(speed, interval, speed->length / speed->intervals * interval, u);
}

double jn__speed_place(const jn_speed *speed, double t, int *interval) {
  int low = 0, high = speed->intervals - 1;

  /* The interval, by bisection. */
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (speed->times[middle] <= t)
      low = middle;
    else
      high = middle - 1;
  }

  /* u in it, by Newton: time is smooth and grows. */
  double h = speed->length / speed->intervals, first = h * low, last = first + h;
  double u = first + h * (t - speed->times[low]) / (speed->times[low + 1] - speed->times[low]);
  *interval = low;
  for (int i = 0; i < 20; i++) {
    u = fmin(fmax(u, first), last);
    double off = speed->times[low] + time_between(speed, low, first, u) - t;
    u -= off * sqrt(speed_squared_at(speed, low, u));
    if (fabs(off) < 1e-15 * speed->times[speed->intervals]) break;
  }
  return fmin(fmax(u, first), last);
}
