/* SPDX-License-Identifier: BSD-2-Clause */
/* A map of the workspace: which points of the plane y = 0 the flange of a Panda reaches while it points straight down,
 * and how well it can move there. Thousands of targets are solved at once, on all cores; results do not depend on how
 * many there are.   workspace [MAP.csv] */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 7, COLUMNS = 51, ROWS = 71, COUNT = COLUMNS * ROWS };

static double x_of(int i) { return 0.02 * (i % COLUMNS); }
static double z_of(int i) { return -0.3 + 0.02 * (double)(i / COLUMNS); }

int main(int argc, char **argv) {
  jn_model *panda;
  jn_error error;
  if (jn_load("builtin:panda", NULL, &panda, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  jn_task task;
  jn_tasks_options options;
  jn_tasks *tasks;
  jn_task_init(&task);
  jn_tasks_options_init(&options);
  task.frame = jn_frame_index(panda, "panda_flange");
  options.starts = 30; /* one would do for most; this misses hardly any */
  options.threads = 0; /* all cores */
  if (jn_tasks_create(panda, &task, 1, &options, &tasks) != JN_OK) return 1;
  double *T = malloc(COUNT * 16 * sizeof *T), *q = malloc(COUNT * N * sizeof *q), worst = 0;
  jn_reach *reach = malloc(COUNT * sizeof *reach);
  if (!T || !q || !reach) return 1;
  for (int i = 0; i < COUNT; i++) {
    const double down[16] = {1, 0, 0, x_of(i), 0, -1, 0, 0, 0, 0, -1, z_of(i), 0, 0, 0, 1};
    const double start[N] = {0, 0, 0, -1.5, 0, 1.9, 0};
    for (int k = 0; k < 16; k++) T[16 * i + k] = down[k];
    for (int k = 0; k < N; k++) q[N * i + k] = start[k];
  }
  jn_status status = jn_tasks_solve_batch(tasks, COUNT, T, q, reach);
  if (status != JN_OK && status != JN_ERR_REACH) return 1;
  FILE *map = argc > 1 ? fopen(argv[1], "w") : NULL;
  if (map) fputs("x,z,manipulability\n", map);
  int found = 0;
  for (int i = 0; i < COUNT; i++) {
    double e[6];
    int good = reach[i].outcome == JN_REACHED;
    found += good;
    if (good && jn_tasks_error(tasks, q + N * i, T + 16 * i, e) == JN_OK)
      for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(e[k]));
    if (map) fprintf(map, "%.2f,%.2f,%.5f\n", x_of(i), z_of(i), good ? reach[i].manipulability : NAN);
  }
  if (map) fclose(map);
  for (int row = ROWS - 1; row >= 0; row -= 5) { /* a coarse picture */
    for (int column = 0; column < COLUMNS; column++) {
      const jn_reach *r = &reach[row * COLUMNS + column];
      putchar(r->outcome != JN_REACHED ? '.' : r->manipulability < 0.03 ? '-' : r->manipulability < 0.07 ? '+' : '#');
    }
    putchar('\n');
  }
  printf("%d of %d poses are reached, all to %.0e\n", found, COUNT, worst);
  free(T);
  free(q);
  free(reach);
  jn_tasks_destroy(tasks);
  jn_model_destroy(panda);
  return worst <= 1e-12 && found > 1000 && found < COUNT ? 0 : 1;
}
