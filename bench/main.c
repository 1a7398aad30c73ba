/* SPDX-License-Identifier: BSD-2-Clause */
/* Times every algorithm on fixed robots over varying states, one thread. See docs/benchmarks.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"
#include "timing.h"

#define BUDGET 20e6

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : NULL, *what = argc > 2 ? argv[2] : NULL;
  for (int i = 0; i < robot_count(); i++) {
    if (only && strcmp(only, robot_name(i)) != 0) continue;
    robot r = robot_create(robot_name(i));
    subject s = subject_create(&r);
    for (int k = 0; k < algorithm_count(); k++) {
      const algorithm *a = algorithm_at(k);
      if (a->small && r.nv > 60) continue;
      if (what && !strstr(a->name, what)) continue;
      s.order = a->order;
      timing t = time_calls(a->run, &s, STATES, BUDGET);
      printf("%-12s %-30s %2d %10.0f %10.0f\n", r.name, a->name, a->order, t.least, t.median);
    }
    subject_destroy(&s);
    robot_destroy(&r);
  }
  return 0;
}
