/* SPDX-License-Identifier: BSD-2-Clause */
/* Roots of polynomials of degree 5 between two numbers: between the roots of its derivative a polynomial is monotone,
 * so bisection finds each. */
#include <math.h>
#include <string.h>

#include "retime.h"

double jn__polynomial_value(const double c[JN_RETIME_TERMS], double x) {
  double sum = 0;
  for (int k = JN_RETIME_DEGREE; k >= 0; k--) sum = sum * x + c[k];
  return sum;
}

/* The root in a bracket with a change of sign. */
static double bisect(const double *c, double low, double high) {
  double sign = jn__polynomial_value(c, low);
  for (int i = 0; i < 200; i++) {
    double x = 0.5 * (low + high), y = jn__polynomial_value(c, x);
    if (x <= low || x >= high) break;
    if ((y > 0) == (sign > 0))
      low = x;
    else
      high = x;
  }
  return low; /* on the side of `low`, which callers rely on */
}

/* All real roots between 0 and `end`, increasing; at most 5. */
static int find_roots(const double c[JN_RETIME_TERMS], double end, double roots[JN_RETIME_TERMS]) {
  int degree = JN_RETIME_DEGREE, count = 0;
  while (degree > 0 && c[degree] == 0) degree--;
  if (degree == 0) return 0;

  /* Roots of the derivative: between them the polynomial is monotone. */
  double slope[JN_RETIME_TERMS] = {0}, extrema[JN_RETIME_TERMS + 2] = {0};
  for (int k = 1; k <= degree; k++) slope[k - 1] = k * c[k];
  int n = find_roots(slope, end, extrema + 1) + 1;
  extrema[0] = 0;
  extrema[n] = end;

  /* At most one root in each piece. */
  for (int i = 0; i < n; i++) {
    double a = jn__polynomial_value(c, extrema[i]), b = jn__polynomial_value(c, extrema[i + 1]);
    if ((a > 0) != (b > 0) && count < JN_RETIME_DEGREE) roots[count++] = bisect(c, extrema[i], extrema[i + 1]);
  }
  return count;
}

double jn__polynomial_within(const double c[JN_RETIME_TERMS], double lower, double upper, double from) {
  double x = from, end = from;
  for (int round = 0; round < 16 && x > 0; round++) {
    double y = jn__polynomial_value(c, x), limit = y > upper ? upper : lower;
    if (y >= lower && y <= upper) return x;

    /* The next place below where the broken limit is met. */
    double shifted[JN_RETIME_TERMS], roots[JN_RETIME_TERMS];
    memcpy(shifted, c, sizeof shifted);
    shifted[0] -= limit;
    int n = find_roots(shifted, end, roots);
    x = 0;
    for (int i = 0; i < n; i++)
      if (roots[i] < end) x = fmax(x, roots[i]);

    /* Just inside: the root itself may be rounded to the wrong side. */
    for (int i = 0; i < 60 && x > 0; i++) {
      y = jn__polynomial_value(c, x);
      if (limit == upper ? y <= upper : y >= lower) break;
      x = x * (1 - ldexp(1, i - 52));
    }
    end = x;
  }
  return 0;
}
