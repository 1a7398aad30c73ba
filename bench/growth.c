/* SPDX-License-Identifier: BSD-2-Clause */
#include "growth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms.h"
#include "timing.h"

#define BUDGET 10e6 /* ns for each number */

static const int sizes[] = {7, 14, 25, 50, 100, 200};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The least time of a call [ns]; slow ones on fewer states. NAN: its outputs would be too large. */
static double least(const robot *r, const algorithm *a) {
  if (!algorithm_fits(r, a, 1)) return NAN;
  subject s = subject_create(r, a, 1, 1);
  a->run(&s, 0);
  double from = now_ns();
  a->run(&s, 1);
  double fit = BUDGET / (now_ns() - from + 1);
  timing t = time_calls(a->run, &s, fit < 1 ? 1 : fit < STATES ? (int)fit : STATES, BUDGET);
  subject_destroy(&s);
  return t.least;
}

/* The exponent p of n^p between two sizes. */
static double exponent(double t0, double t1, int n0, int n1) { return log(t1 / t0) / log((double)n1 / n0); }

static void print_us(double ns, int width) {
  if (isnan(ns))
    printf(" %*s", width, "-");
  else
    printf(ns < 1e5 ? " %*.3g" : " %*.0f", width, 1e-3 * ns);
}

static void print_growth(const algorithm *a, const double ns[SIZES]) {
  char order[16] = "";
  int last = SIZES - 1;
  if (a->order >= 0) snprintf(order, sizeof order, "%d", a->order);
  printf("%-29s %2s", a->name, order);
  for (int i = 0; i < SIZES; i++) print_us(ns[i], 9);
  printf("  ");
  for (int i = 1; i < SIZES; i++) {
    if (isnan(ns[i])) last = last < i ? last : i - 1;
    printf(isnan(ns[i]) ? "     -" : " %5.2f", exponent(ns[i - 1], ns[i], sizes[i - 1], sizes[i]));
  }
  printf("   %5.2f\n", exponent(ns[0], ns[last], sizes[0], sizes[last]));
}

static void with_joints(robot *r) {
  printf("microseconds of a call over the joints n, and exponents p of n^p between successive n and over all\n");
  printf("%-29s %2s", "algorithm", "K");
  for (int i = 0; i < SIZES; i++) printf(" %9d", sizes[i]);
  printf("  ");
  for (int i = 1; i < SIZES; i++) printf(" %5d", sizes[i]);
  printf("     all\n");
  for (int k = 0; k < algorithm_count(0); k++) {
    double ns[SIZES];
    for (int i = 0; i < SIZES; i++) ns[i] = least(&r[i], algorithm_at(k));
    print_growth(algorithm_at(k), ns);
  }
}

/* Algorithms over the order, each name once. */
static void with_order(const robot *r) {
  printf("\nmicroseconds of a call over the order K, chain of %d\n%-29s", r->nv, "algorithm");
  for (int K = 0; K <= TOP; K++) printf(" %8d", K);
  printf("\n");
  for (int k = 0; k < algorithm_count(0); k++) {
    algorithm a = *algorithm_at(k);
    if (a.order < 0 || (k > 0 && strcmp(algorithm_at(k - 1)->name, a.name) == 0)) continue;
    printf("%-29s", a.name);
    for (a.order = 0; a.order <= TOP; a.order++) print_us(least(r, &a), 8);
    printf("\n");
  }
}

void growth(void) {
  robot r[SIZES];
  for (int i = 0; i < SIZES; i++) r[i] = robot_chain(sizes[i]);
  printf("chains of n revolute joints, variant %s\n\n", jn_variant_name());
  with_joints(r);
  with_order(&r[0]);
  with_order(&r[3]);
  for (int i = 0; i < SIZES; i++) robot_destroy(&r[i]);
}
