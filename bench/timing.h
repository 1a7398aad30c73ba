/* SPDX-License-Identifier: BSD-2-Clause */
/* Time per call, over states that vary from call to call, as the least and the median of repeats. The least is what the
 * code takes when nothing disturbs it; the median says how much was disturbed. */
#ifndef JN_BENCH_TIMING_H
#define JN_BENCH_TIMING_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct timing {
  double least, median; /* ns for each call */
  int repeats;
} timing;

/* One call, on state number `state`. */
typedef void (*timed_call)(void *context, int state);

/* Time of this thread: other programs on the machine do not count, but for the caches and cores they share. */
static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static inline int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Repeats passes over all states for `budget_ns`, but at least 2 and at most 500 times, after one to warm up. */
static inline timing time_calls(timed_call call, void *context, int states, double budget_ns) {
  enum { LEAST = 2, MOST = 500 };
  double sample[MOST], begin = now_ns();
  timing t = {0};
  for (int s = 0; s < states; s++) call(context, s);
  while (t.repeats < LEAST || (t.repeats < MOST && now_ns() - begin < budget_ns)) {
    double from = now_ns();
    for (int s = 0; s < states; s++) call(context, s);
    sample[t.repeats++] = (now_ns() - from) / states;
  }
  qsort(sample, (size_t)t.repeats, sizeof *sample, by_size);
  t.least = sample[0];
  t.median = sample[t.repeats / 2];
  return t;
}

/* splitmix64 in [-1, 1) */
static inline double bench_uniform(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

#endif
