/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of known motions and how far a trajectory is from them. */
#ifndef JN_TESTS_TRAJECTORY_HELP_H
#define JN_TESTS_TRAJECTORY_HELP_H

#include "counting.h"
#include "motion_help.h"
#include "trajectory/fit.h"
#include "trajectory/trajectory.h"

enum { ROWS = 14 };

/* ---- Splines ---- */

/* Error of the derivative by Richardson's differences, relative to the largest value. */
static UNUSED double derivative_gap(const jn_trajectory *t, int nv, int order, double time, double h, int row) {
  double v[3][2][16 * ROWS], most = 0, size = 1e-3;
  for (int i = 0; i < 2; i++) {
    double step = h / (i + 1);
    check_ok(jn_trajectory_evaluate(t, time + step, order, NULL, v[0][i]));
    check_ok(jn_trajectory_evaluate(t, time - step, order, NULL, v[1][i]));
  }
  check_ok(jn_trajectory_evaluate(t, time, order, NULL, v[2][0]));
  for (int j = 0; j < nv; j++) {
    int at = row * nv + j;
    double wide = (v[0][0][at] - v[1][0][at]) / (2 * h), narrow = (v[0][1][at] - v[1][1][at]) / h;
    most = fmax(most, fabs((4 * narrow - wide) / 3 - v[2][0][at + nv]));
    size = fmax(size, fabs(v[2][0][at + nv]));
  }
  return most / size;
}

static UNUSED const char forms[] =
    "{\"duration\": 2, \"joints\": {"
    "\"a\": [{\"polynomial\": [0, 1, -0.5]}, {\"cosine\": {\"amplitude\": 1, \"omega\": 2}}, 0.3,"
    " {\"polynomial\": [0.1, 1]}, {\"cosine\": {\"amplitude\": 0.5, \"omega\": 1}}, {\"polynomial\": [0.2, 0, 0.3]},"
    " {\"polynomial\": [1, -0.4]}],"
    "\"b\": [0.1, {\"polynomial\": [0, 0.7]}, {\"cosine\": {\"amplitude\": 0.2, \"omega\": 3, \"phase\": 0.4}}, 1],"
    "\"c\": [{\"polynomial\": [1, 2]}, 0, {\"fourier\": {\"omega\": 1.5, \"offset\": 0.2, \"cos\": [0.3, 0.1], "
    "\"sin\": [0, "
    "-0.2]}}],"
    "\"d\": {\"minimum_snap\": {\"times\": [0, 0.7, 2], \"points\": [0, 1, 0.5], \"start\": [0.3], \"end\": [0, 1]}}}}";

#endif
