/* SPDX-License-Identifier: BSD-2-Clause */
/* What all tests share: cmocka, a seeded generator, and comparisons in units of the variant's rounding.
 *
 * Tests run once for each kernel variant (JOUNCE_VARIANT), so tolerances are multiples of jn_variant_epsilon(). Random
 * tests start from seed(), which prints what it gives; JOUNCE_SEED=n repeats a run. */
#ifndef JN_TESTS_TESTING_H
#define JN_TESTS_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jounce/jounce.h"

#define UNUSED __attribute__((unused))

static UNUSED uint64_t seed(const char *what) {
  const char *given = getenv("JOUNCE_SEED");
  uint64_t s = given ? strtoull(given, NULL, 10) : 20211101u;
  printf("# %s: seed %llu\n", what, (unsigned long long)s);
  return s;
}

/* splitmix64 in [-1, 1) */
static UNUSED double uniform(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

static UNUSED void fill(uint64_t *state, double *x, int n, double size) {
  for (int i = 0; i < n; i++) x[i] = size * uniform(state);
}

/* A condition with words: names the property that broke. */
#define check(condition, ...)                                       \
  do {                                                              \
    if (!(condition)) {                                             \
      print_error("%s:%d: %s\n  ", __FILE__, __LINE__, #condition); \
      print_error(__VA_ARGS__);                                     \
      print_error("\n");                                            \
      fail();                                                       \
    }                                                               \
  } while (0)

#define check_status(call, expected)                                                              \
  do {                                                                                            \
    jn_status status_ = (call);                                                                   \
    check(status_ == (expected), "%s gave %d: %s", #call, (int)status_, jn_status_text(status_)); \
  } while (0)
#define check_ok(call) check_status(call, JN_OK)

/* |a - b| <= ulps * epsilon(variant) * max(size, |a|, |b| over the arrays): relative to the size of the answer. */
static UNUSED double distance(const double *a, const double *b, int n, double size) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    most = fmax(most, isnan(a[i]) || isnan(b[i]) ? INFINITY : fabs(a[i] - b[i]));
  }
  return size > 0 ? most / size : most;
}

#define check_close(a, b, n, size, ulps, ...)                                                                  \
  do {                                                                                                         \
    double gap_ = distance(a, b, n, size) / jn_variant_epsilon();                                              \
    if (!(gap_ <= (ulps))) {                                                                                   \
      print_error("%s:%d: apart by %.3g roundings, allowed %.3g: ", __FILE__, __LINE__, gap_, (double)(ulps)); \
      print_error(__VA_ARGS__);                                                                                \
      print_error("\n");                                                                                       \
      fail();                                                                                                  \
    }                                                                                                          \
  } while (0)

#endif
