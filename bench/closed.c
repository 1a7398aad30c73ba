/* SPDX-License-Identifier: BSD-2-Clause */
#include "closed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robots.h"
#include "timing.h"

#define BUDGET 30e6 /* ns for each number */

enum { POINTS = 32, ORDER = 2 };

/* A mechanism at some of its configurations, moving. */
typedef struct mechanism {
  jn_model *model;
  jn_loops *loops;
  int nq, nv, m;
  double *q, *v, *tau, *a, *lambda; /* [POINTS x ...]; tau with ORDER further rows of zeros for each point */
  double *out[4];
} mechanism;

/* A quadruped that stands: a point of every last link of a leg sticks to the ground. */
static jn_model *standing(void) {
  jn_model *free_one, *m;
  jn_builder *b;
  jn_work *w;
  CHECK(jn_load("builtin:quadruped", NULL, &free_one, NULL));
  CHECK(jn_model_thaw(free_one, NULL, &b));
  CHECK(jn_work_create(free_one, &w));
  double *q = bench_memory((size_t)jn_model_nq(free_one) * sizeof *q), T[16];
  CHECK(jn_neutral(free_one, q));
  for (int i = 0; i < jn_link_count(free_one); i++) {
    int last = 1;
    for (int j = 0; j < jn_link_count(free_one); j++) last &= jn_link_parent(free_one, j) != i;
    if (!last) continue;
    jn_loop foot;
    char name[32];
    jn_loop_init(&foot);
    snprintf(name, sizeof name, "foot %d", i);
    foot.name = name;
    foot.type = JN_LOOP_POINT_CONTACT;
    foot.link_a = "world";
    foot.link_b = jn_link_name(free_one, i);
    CHECK(jn_frame_pose(free_one, w, i, q, T));
    foot.placement_b[11] = -0.2;
    for (int e = 0; e < 3; e++) foot.placement_a[4 * e + 3] = T[4 * e + 3] - 0.2 * T[4 * e + 2];
    CHECK(jn_builder_add_loop(b, &foot));
  }
  CHECK(jn_builder_freeze(b, &m, NULL));
  free(q);
  jn_work_destroy(w);
  jn_builder_destroy(b);
  jn_model_destroy(free_one);
  return m;
}

static jn_model *load(const char *name) {
  jn_model *m;
  char source[64];
  if (strcmp(name, "quadruped, four feet") == 0) return standing();
  snprintf(source, sizeof source, "builtin:%s", name);
  CHECK(jn_load(source, NULL, &m, NULL));
  return m;
}

/* Near its neutral configuration, put together, with velocities and accelerations that keep it so. */
static void move(mechanism *x) {
  uint64_t seed = 2012;
  jn_work *w;
  size_t nq = (size_t)x->nq, nv = (size_t)x->nv, m = (size_t)x->m;
  double *neutral = bench_memory(nq * sizeof(double)), *step = bench_memory(nv * sizeof(double)), *jet = x->out[0];
  CHECK(jn_work_create(x->model, &w));
  CHECK(jn_neutral(x->model, neutral));
  CHECK(jn_loops_assemble(x->loops, NULL, 0, neutral, NULL));
  for (size_t k = 0; k < POINTS; k++) {
    double *q = x->q + k * nq, *v = x->v + k * nv, *tau = x->tau + k * (ORDER + 1) * nv;
    for (size_t i = 0; i < nv; i++) step[i] = 0.05 * bench_uniform(&seed);
    CHECK(jn_integrate(x->model, w, neutral, step, q));
    CHECK(jn_loops_assemble(x->loops, NULL, 0, q, NULL));
    for (size_t i = 0; i < nv; i++) v[i] = bench_uniform(&seed), tau[i] = bench_uniform(&seed);
    CHECK(jn_loops_project(x->loops, NULL, q, v));
    CHECK(jn_loops_forward_dynamics_jet(x->loops, 0, q, v, tau, NULL, jet, x->lambda + k * m));
    memcpy(x->a + k * nv, jet + nv, nv * sizeof(double));
  }
  free(neutral);
  free(step);
  jn_work_destroy(w);
}

static mechanism create(const char *name) {
  mechanism x = {.model = load(name)};
  jn_loops_options o;
  jn_loops_options_init(&o);
  o.order = ORDER;
  CHECK(jn_loops_create(x.model, &o, &x.loops));
  x.nq = jn_model_nq(x.model);
  x.nv = jn_model_nv(x.model);
  x.m = jn_loops_rows(x.loops);
  size_t nv = (size_t)x.nv, all = POINTS * sizeof(double);
  x.q = bench_memory(all * (size_t)x.nq);
  x.v = bench_memory(all * nv);
  x.a = bench_memory(all * nv);
  x.tau = bench_memory(all * nv * (ORDER + 1));
  x.lambda = bench_memory(all * (size_t)x.m);
  for (int i = 0; i < 4; i++) x.out[i] = bench_memory((ORDER + 2) * (nv + (size_t)x.m) * (nv + 8) * sizeof(double));
  move(&x);
  return x;
}

static void destroy(mechanism *x) {
  double *blocks[] = {x->q, x->v, x->a, x->tau, x->lambda, x->out[0], x->out[1], x->out[2], x->out[3]};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  jn_loops_destroy(x->loops);
  jn_model_destroy(x->model);
}

#define Q (x->q + k * x->nq)
#define V (x->v + k * x->nv)
#define TAU (x->tau + k * (ORDER + 1) * x->nv)
static void constraint(void *context, int k) {
  mechanism *x = context;
  CHECK(jn_loops_constraint(x->loops, Q, V, x->out[0], x->out[1], x->out[2]));
}
static void forward(void *context, int k) {
  mechanism *x = context;
  CHECK(jn_loops_forward_dynamics_jet(x->loops, 0, Q, V, TAU, NULL, x->out[0], x->out[1]));
}
static void forward_jet(void *context, int k) {
  mechanism *x = context;
  CHECK(jn_loops_forward_dynamics_jet(x->loops, ORDER, Q, V, TAU, NULL, x->out[0], x->out[1]));
}
static void derivatives(void *context, int k) {
  mechanism *x = context;
  const jn_loops_derivatives out = {.da_dq = x->out[0], .da_dv = x->out[1], .da_dgiven = x->out[2]};
  CHECK(jn_loops_dynamics_derivatives(x->loops, NULL, Q, V, x->a + k * x->nv, x->lambda + k * x->m, NULL, JN_IN_BODY,
                                      &out));
}

void closed_loops(void) {
  static const char *const names[] = {"four_bar", "five_bar", "slider_crank",
                                      "stewart",  "delta",    "quadruped, four feet"};
  static const struct {
    const char *name;
    timed_call run;
  } list[] = {{"conditions, A, dA v", constraint},
              {"forward dynamics", forward},
              {"forward dynamics jet, order 2", forward_jet},
              {"d ddq / d(q, v, tau)", derivatives}};
  printf("closed loops, row %s, %d states, ns for each state\n%-21s %3s %3s", jn_row_name(), POINTS, "mechanism", "nv",
         "m");
  for (size_t a = 0; a < sizeof list / sizeof *list; a++) printf(" %30s", list[a].name);
  putchar('\n');
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    mechanism x = create(names[i]);
    printf("%-21s %3d %3d", names[i], x.nv, x.m);
    for (size_t a = 0; a < sizeof list / sizeof *list; a++)
      printf(" %30.0f", time_calls(list[a].run, &x, POINTS, BUDGET).least);
    putchar('\n');
    destroy(&x);
  }
}
