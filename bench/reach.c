/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse kinematics: time and success, and those of KDL where it is built in (docs/tasks.md).
 *   bench_reach [--poses N] [--export FOLDER] MODEL FRAME [MODEL FRAME ...]
 * Random poses are those of random configurations within the limits; starts are random, too. An answer counts when the
 * pose is met to 1e-6 m and rad (ours: to 1e-12) and all limits are kept. Near starts are off by up to 0.02 rad in each
 * joint. --export writes the poses and starts for bench/reach.py. */
#define _POSIX_C_SOURCE 200809L
#include "reach.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robots.h"
#include "timing.h"

enum { NEAR_STATES = 200 };

typedef struct reach_case {
  jn_model *model;
  jn_work *work;
  jn_tasks *tasks;
  int frame, nq, nv, poses;
  double *T;            /* [poses x 16] */
  double *start, *near; /* [poses x nq] */
  double *q;            /* [nq] */
  int kdl[64], joints;  /* coordinates of KDL's chain */
} reach_case;

static void make_case(reach_case *c, const char *source, const char *frame, int poses) {
  jn_error error;
  uint64_t s = 7;
  if (jn_load(source, NULL, &c->model, &error) != JN_OK) {
    fprintf(stderr, "bench_reach: %s\n", error.text);
    exit(1);
  }
  c->frame = jn_frame_index(c->model, frame);
  c->nq = jn_model_nq(c->model);
  c->nv = jn_model_nv(c->model);
  c->poses = poses;
  if (c->frame < 0 || c->nq != c->nv || c->nv > 64) {
    fprintf(stderr, "bench_reach: %s: no frame '%s', or free joints\n", source, frame);
    exit(1);
  }
  CHECK(jn_work_create(c->model, &c->work));
  size_t n = (size_t)c->nq * sizeof(double), count = (size_t)poses;
  c->T = bench_memory(count * 16 * sizeof(double));
  c->start = bench_memory(count * n);
  c->near = bench_memory(count * n);
  c->q = bench_memory(n);
  for (int i = 0; i < poses; i++) {
    double *near = c->near + i * c->nq;
    CHECK(jn_random(c->model, &s, c->q));
    CHECK(jn_frame_pose(c->model, c->work, c->frame, c->q, c->T + 16 * i));
    CHECK(jn_random(c->model, &s, c->start + i * c->nq));
    for (int k = 0; k < c->nq; k++) near[k] = c->q[k] + 0.02 * bench_uniform(&s);
  }
}

static void free_case(reach_case *c) {
  jn_work_destroy(c->work);
  jn_model_destroy(c->model);
  free(c->T);
  free(c->start);
  free(c->near);
  free(c->q);
}

/* Is the pose met and are the limits kept? */
static int is_answer(const reach_case *c, int i, const double *q, int with_limits) {
  double X[16];
  CHECK(jn_frame_pose(c->model, c->work, c->frame, q, X));
  for (int k = 0; k < 12; k++)
    if (!(fabs(X[k] - c->T[16 * i + k]) < 1e-6)) return 0;
  for (int v = 0; v < c->nv && with_limits; v++) {
    const jn_dof *d = jn_coordinate_dof(c->model, v);
    if (!(q[v] >= d->lower - 1e-9 && q[v] <= d->upper + 1e-9)) return 0;
  }
  return 1;
}

typedef struct row {
  const char *name;
  double near_us, all_us, worst_us;
  int near_found, found, within;
} row;

static void print_row(const reach_case *c, const row *r) {
  double n = 0.01 * c->poses;
  printf("%-34s %9.2f %9.2f %9.2f %10.1f %9.2f %9.2f\n", r->name, r->near_us, r->near_found / n, r->all_us, r->worst_us,
         r->found / n, r->within / n);
}

/* Solves pose i in c->q, with the start there; 1: it says that it is found. */
typedef int solver(reach_case *c, void *own, int i);

static void run(reach_case *c, const char *name, solver *solve, void *own) {
  row r = {.name = name};
  double near = 0, all = 0;
  for (int i = 0; i < c->poses; i++) {
    memcpy(c->q, c->near + i * c->nq, (size_t)c->nq * sizeof(double));
    double from = now_ns();
    int found = solve(c, own, i);
    near += now_ns() - from;
    r.near_found += found && is_answer(c, i, c->q, 0);
    memcpy(c->q, c->start + i * c->nq, (size_t)c->nq * sizeof(double));
    from = now_ns();
    found = solve(c, own, i);
    double time = now_ns() - from;
    all += time;
    r.worst_us = fmax(r.worst_us, 1e-3 * time);
    r.found += found && is_answer(c, i, c->q, 0);
    r.within += found && is_answer(c, i, c->q, 1);
  }
  r.near_us = 1e-3 * near / c->poses;
  r.all_us = 1e-3 * all / c->poses;
  print_row(c, &r);
}

static int solve_ours(reach_case *c, void *own, int i) {
  return jn_tasks_solve(own, c->T + 16 * i, c->q, NULL, NULL) == JN_OK;
}

static void run_ours(reach_case *c, const char *name, int starts) {
  jn_task task;
  jn_tasks_options o;
  jn_tasks *t;
  jn_task_init(&task);
  jn_tasks_options_init(&o);
  task.frame = c->frame;
  o.starts = starts;
  CHECK(jn_tasks_create(c->model, &task, 1, &o, &t));
  run(c, name, solve_ours, t);
  jn_tasks_destroy(t);
}

/* All poses in one call: in lanes, on one thread. */
static void run_batch(reach_case *c, int starts) {
  jn_task task;
  jn_tasks_options o;
  jn_tasks *t;
  row r = {.name = "jounce, batch, up to 100 starts"};
  size_t bytes = (size_t)c->poses * (size_t)c->nq * sizeof(double);
  double *q = bench_memory(bytes);
  jn_task_init(&task);
  jn_tasks_options_init(&o);
  task.frame = c->frame;
  o.starts = starts;
  CHECK(jn_tasks_create(c->model, &task, 1, &o, &t));
  for (int near = 1; near >= 0; near--) {
    memcpy(q, near ? c->near : c->start, bytes);
    double from = now_ns();
    jn_tasks_solve_batch(t, (size_t)c->poses, c->T, q, NULL);
    double us = 1e-3 * (now_ns() - from) / c->poses;
    *(near ? &r.near_us : &r.all_us) = us;
    for (int i = 0; i < c->poses; i++) {
      *(near ? &r.near_found : &r.found) += is_answer(c, i, q + i * c->nq, 0);
      r.within += !near && is_answer(c, i, q + i * c->nq, 1);
    }
  }
  print_row(c, &r);
  jn_tasks_destroy(t);
  free(q);
}

#if JN_BENCH_KDL
typedef struct kdl_solver {
  kdl_chain *chain;
  kdl_method method;
} kdl_solver;

static int solve_kdl(reach_case *c, void *own, int i) {
  kdl_solver *k = own;
  double q[64];
  for (int e = 0; e < c->joints; e++) q[e] = c->q[c->kdl[e]];
  int found = kdl_chain_solve(k->chain, k->method, c->T + 16 * i, q);
  for (int e = 0; e < c->joints; e++) c->q[c->kdl[e]] = q[e];
  return found;
}

static void run_kdl(reach_case *c) {
  static const char *const names[] = {"KDL LMA, one start", "KDL NR_JL, one start"};
  kdl_solver k = {.chain = kdl_chain_create(c->model, c->frame, c->kdl, &c->joints)};
  for (int method = 0; method < KDL_METHODS && k.chain; method++) {
    k.method = (kdl_method)method;
    run(c, names[method], solve_kdl, &k);
  }
  kdl_chain_destroy(k.chain);
}
#endif

/* The robot, its poses and starts, for solvers in other languages. */
static void export_case(const reach_case *c, const char *folder, const char *frame, int number) {
  char path[600];
  snprintf(path, sizeof path, "%s/robot%d.urdf", folder, number);
  jn_options options;
  jn_error error;
  jn_options_init(&options);
  if (jn_save(c->model, path, JN_FORMAT_URDF, &options, &error) != JN_OK) {
    fprintf(stderr, "bench_reach: %s\n", error.text);
    return;
  }
  snprintf(path, sizeof path, "%s/robot%d.txt", folder, number);
  FILE *f = fopen(path, "w");
  if (!f) return;
  fprintf(f, "%s %s\n", jn_model_name(c->model), frame);
  for (int v = 0; v < c->nv; v++) fprintf(f, "%s ", jn_joint_name(c->model, jn_coordinate_joint(c->model, v, NULL)));
  fputc('\n', f);
  for (int i = 0; i < c->poses; i++) {
    for (int k = 0; k < 12; k++) fprintf(f, "%.17g ", c->T[16 * i + k]);
    for (int k = 0; k < c->nq; k++) fprintf(f, "%.17g ", c->near[i * c->nq + k]);
    for (int k = 0; k < c->nq; k++) fprintf(f, "%.17g ", c->start[i * c->nq + k]);
    fputc('\n', f);
  }
  fclose(f);
}

int main(int argc, char **argv) {
  int poses = 1000, at = 1, number = 0;
  const char *folder = NULL;
  for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
    if (strcmp(argv[at], "--poses") == 0) poses = atoi(argv[at + 1]);
    if (strcmp(argv[at], "--export") == 0) folder = argv[at + 1];
  }
  static char *defaults[] = {"builtin:panda", "panda_flange", "builtin:kuka_iiwa", "flange"};
  char **robots = at < argc ? argv + at : defaults;
  int count = at < argc ? argc - at : 4;
  for (int i = 0; i + 1 < count; i += 2) {
    reach_case c = {0};
    make_case(&c, robots[i], robots[i + 1], poses > 0 ? poses : 1000);
    printf("%s %s: %d poses\n%-34s %9s %9s %9s %10s %9s %9s\n", jn_model_name(c.model), robots[i + 1], c.poses, "",
           "near us", "found %", "random us", "longest us", "found %", "in limits");
    run_ours(&c, "jounce, one start", 1);
    run_ours(&c, "jounce, up to 100 starts", 100);
    run_batch(&c, 100);
#if JN_BENCH_KDL
    run_kdl(&c);
#endif
    if (folder) export_case(&c, folder, robots[i + 1], number++);
    free_case(&c);
    putchar('\n');
  }
  return 0;
}
