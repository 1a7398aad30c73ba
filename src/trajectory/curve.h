/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of time, one number each, with derivatives of any order: polynomials, Fourier series, B-splines. */
#ifndef JN_TRAJECTORY_CURVE_H
#define JN_TRAJECTORY_CURVE_H

#include "jounce/trajectory.h"

enum { JN_REST_BEFORE = 1, JN_REST_BEHIND = 2 };

enum {
  JN_MAX_DEGREE = 15,
  JN_MAX_ROWS = JN_TRAJECTORY_MAX_ORDER + 3 /* of a jet: a value and K + 2 derivatives */
};

typedef enum jn_curve_kind {
  JN_CURVE_POLYNOMIAL, /* sum numbers[k] (t - origin)^k; the first kind: without numbers it is zero */
  JN_CURVE_FOURIER,    /* numbers[0] + sum a_k cos(k w s) + b_k sin(k w s), s = t - origin, numbers a_1 b_1 a_2 ... */
  JN_CURVE_SPLINE      /* sum numbers[j] N_j(t), B-splines over knots [count + degree + 1] */
} jn_curve_kind;

typedef struct jn_curve {
  jn_curve_kind kind;
  int count; /* of numbers */
  int degree;
  int rest; /* of splines: JN_REST_BEFORE the first knot its value is held, JN_REST_BEHIND the last that one */
  double origin;
  double frequency; /* w [rad/s] */
  const double *numbers;
  const double *knots;
} jn_curve;

/* out[k] = d^k f / dt^k for k = 0 ... rows - 1, rows <= JN_MAX_ROWS. */
void jn__curve_jet(const jn_curve *c, double t, int rows, double *out);

/* ---- B-splines: knots [count + degree + 1], not falling, the first and last degree + 1 of them equal ---- */

/* The interval of t: degree <= s < count with knots[s] <= t < knots[s + 1]; the first or last one when t is outside. */
int jn__spline_span(const double *knots, int degree, int count, double t);
/* The first knot of a spline after t; INFINITY: none. */
double jn__next_knot(const jn_curve *c, double t);
/* Values of the B-splines of degree 0 ... d that are not zero in the span: N[p][i] is that of degree p that begins at
 * knot span - p + i. (Cox and de Boor) */
void jn__spline_basis(const double *knots, int degree, int span, double t, double N[][JN_MAX_DEGREE + 1]);
/* row[i]: derivative of order k of the B-spline that begins at knot span - degree + i, 0 <= i <= degree. */
void jn__spline_row(const double *knots, int degree, int span, double t, int k, double row[JN_MAX_DEGREE + 1]);

#endif
