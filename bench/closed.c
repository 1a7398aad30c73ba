/* SPDX-License-Identifier: BSD-2-Clause */
#include "closed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "robots.h"
#include "timing.h"

#define BUDGET 30e6 /* ns for each number */

enum { POINTS = 32, ORDER = 2, OUTS = 8 };

/* A mechanism at some of its configurations, moving. */
typedef struct mechanism {
  jn_model *model;
  jn_loops *loops;
  int nq, nv, m;
  double *start;                    /* [nq]: near which its configurations are; NULL: the neutral one */
  double *q, *v, *tau, *a, *lambda; /* [POINTS x ...]; tau with ORDER further rows of zeros for each point */
  double *out[OUTS];
} mechanism;

/* A robot without loops, to which some are added where it is in the configuration q: the neutral one or another. */
typedef struct closing {
  jn_model *robot;
  jn_builder *builder;
  jn_work *work;
  double *q;
} closing;

static closing open_robot(const char *name) {
  closing c;
  c.robot = robot_model(name);
  CHECK(jn_model_thaw(c.robot, NULL, &c.builder));
  CHECK(jn_work_create(c.robot, &c.work));
  c.q = bench_memory((size_t)jn_model_nq(c.robot) * sizeof *c.q);
  CHECK(jn_neutral(c.robot, c.q));
  return c;
}

static jn_model *close_robot(closing *c) {
  jn_model *m;
  CHECK(jn_builder_freeze(c->builder, &m, NULL));
  free(c->q);
  jn_work_destroy(c->work);
  jn_builder_destroy(c->builder);
  jn_model_destroy(c->robot);
  return m;
}

/* The frame of link b that is `down` its z axis, closed to the one of link a (-1: world) that is there now. */
static void close_frames(closing *c, jn_loop_type type, int a, int b, double down) {
  double T[16], A[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, A_inverse[16];
  char name[32];
  jn_loop loop;
  jn_loop_init(&loop);
  snprintf(name, sizeof name, "loop %d %d", a, b);
  loop.name = name;
  loop.type = type;
  loop.link_a = a < 0 ? "world" : jn_link_name(c->robot, a);
  loop.link_b = jn_link_name(c->robot, b);
  loop.placement_b[11] = -down;
  CHECK(jn_frame_pose(c->robot, c->work, b, c->q, T));
  if (a >= 0) CHECK(jn_frame_pose(c->robot, c->work, a, c->q, A));
  for (int e = 0; e < 3; e++) T[4 * e + 3] -= down * T[4 * e + 2];
  CHECK(jn_se3_inverse(A, A_inverse));
  CHECK(jn_se3_multiply(A_inverse, T, loop.placement_a));
  CHECK(jn_builder_add_loop(c->builder, &loop));
}

/* KIND:ROBOT:LINK,LINK...: a robot, or a file, whose links are in `contact` with the ground at a point each, or two of
 * which are joined at a point (`join`) or held together (`weld`). Not in the neutral configuration, where legs are
 * often stretched, but in one that is drawn. NULL: not of this form. */
static jn_model *close_links(const char *text, double **start) {
  static const struct {
    const char *kind;
    jn_loop_type type;
  } kinds[] = {{"contact:", JN_LOOP_POINT_CONTACT}, {"join:", JN_LOOP_SPHERICAL}, {"weld:", JN_LOOP_WELD}};
  char source[1024], names[1024], *next = names;
  size_t k = 0, count = sizeof kinds / sizeof *kinds;
  while (k < count && strncmp(text, kinds[k].kind, strlen(kinds[k].kind)) != 0) k++;
  const char *after = k < count ? text + strlen(kinds[k].kind) : text, *colon = strrchr(after, ':');
  if (k == count || !colon) return NULL;
  snprintf(source, sizeof source, "%.*s", (int)(colon - after), after);
  snprintf(names, sizeof names, "%s", colon + 1);
  closing c = open_robot(source);
  uint64_t seed = 2012;
  double *step = bench_memory((size_t)jn_model_nv(c.robot) * sizeof *step), *q = *start = c.q;
  for (int i = 0; i < jn_model_nv(c.robot); i++) step[i] = 0.7 * bench_uniform(&seed);
  c.q = bench_memory((size_t)jn_model_nq(c.robot) * sizeof *q);
  CHECK(jn_integrate(c.robot, c.work, q, step, c.q));
  memcpy(q, c.q, (size_t)jn_model_nq(c.robot) * sizeof *q);
  free(step);
  int first = JN_WORLD;
  for (char *name = strtok_r(next, ",", &next); name; name = strtok_r(NULL, ",", &next)) {
    int link = jn_link_index(c.robot, name);
    if (link < 0) {
      fprintf(stderr, "bench: %s has no link '%s'\n", source, name);
      exit(2);
    }
    if (kinds[k].type == JN_LOOP_POINT_CONTACT || first >= 0) close_frames(&c, kinds[k].type, first, link, 0);
    if (kinds[k].type != JN_LOOP_POINT_CONTACT && first < 0) first = link;
  }
  return close_robot(&c);
}

static int is_foot(const jn_model *m, int link) {
  for (int j = 0; j < jn_link_count(m); j++)
    if (jn_link_parent(m, j) == link) return 0;
  return 1;
}

/* A quadruped that stands: a point of every last link of a leg sticks to the ground, level there. */
static jn_model *standing(void) {
  closing c = open_robot("quadruped");
  for (int i = 0; i < jn_link_count(c.robot); i++)
    if (is_foot(c.robot, i)) close_frames(&c, JN_LOOP_POINT_CONTACT, JN_WORLD, i, 0.2);
  return close_robot(&c);
}

/* One with a point of its first two feet in common. */
static jn_model *hobbled(void) {
  closing c = open_robot("quadruped");
  int feet[2], count = 0;
  for (int i = 0; i < jn_link_count(c.robot) && count < 2; i++)
    if (is_foot(c.robot, i)) feet[count++] = i;
  close_frames(&c, JN_LOOP_SPHERICAL, feet[0], feet[1], 0.2);
  return close_robot(&c);
}

/* A humanoid whose hands hold one thing. */
static jn_model *holding(void) {
  closing c = open_robot("humanoid44");
  close_frames(&c, JN_LOOP_WELD, jn_link_index(c.robot, "left_arm7"), jn_link_index(c.robot, "right_arm7"), 0.1);
  return close_robot(&c);
}

static const struct {
  const char *name;
  jn_model *(*make)(void); /* NULL: built in */
} mechanisms[] = {{"four_bar", NULL},
                  {"five_bar", NULL},
                  {"slider_crank", NULL},
                  {"stewart", NULL},
                  {"delta", NULL},
                  {"quadruped, four feet", standing},
                  {"quadruped, two feet", hobbled},
                  {"humanoid44, hands", holding}};

static jn_model *load(const char *name, double **start) {
  jn_model *m = close_links(name, start);
  char source[64];
  if (m) return m;
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
    if (strcmp(mechanisms[i].name, name) == 0 && mechanisms[i].make) return mechanisms[i].make();
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
  if (x->start) memcpy(neutral, x->start, nq * sizeof *neutral);
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
  mechanism x = {0};
  jn_loops_options o;
  x.model = load(name, &x.start);
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
  for (int i = 0; i < OUTS; i++) x.out[i] = bench_memory((ORDER + 2) * (nv + (size_t)x.m) * (nv + 8) * sizeof(double));
  move(&x);
  return x;
}

static void destroy(mechanism *x) {
  double *blocks[] = {x->start, x->q, x->v, x->a, x->tau, x->lambda};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  for (int i = 0; i < OUTS; i++) free(x->out[i]);
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
static void both(void *context, int k) {
  mechanism *x = context;
  const jn_loops_derivatives out = {.da_dq = x->out[0],
                                    .da_dv = x->out[1],
                                    .da_dgiven = x->out[2],
                                    .dlambda_dq = x->out[3],
                                    .dlambda_dv = x->out[4],
                                    .dlambda_dgiven = x->out[5]};
  CHECK(jn_loops_forward_dynamics_derivatives(x->loops, Q, V, TAU, NULL, JN_IN_BODY, x->out[6], x->out[7], &out));
}

static const struct {
  const char *name;
  timed_call run;
} list[] = {{"conditions, A, dA v", constraint},
            {"forward dynamics", forward},
            {"forward dynamics jet, order 2", forward_jet},
            {"d ddq / d(q, v, tau)", derivatives},
            {"both of these", both}};

static void print_header(void) {
  printf("closed loops, variant %s, %d states, ns for each state\n%-21s %3s %3s", jn_variant_name(), POINTS,
         "mechanism", "nv", "m");
  for (size_t a = 0; a < sizeof list / sizeof *list; a++) printf(" %30s", list[a].name);
  putchar('\n');
}

int closed_loops(const char *only) {
  int found = 0;
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
    if (only && strcmp(only, mechanisms[i].name) != 0) continue;
    if (!found++) print_header();
    mechanism x = create(mechanisms[i].name);
    printf("%-21s %3d %3d", mechanisms[i].name, x.nv, x.m);
    for (size_t a = 0; a < sizeof list / sizeof *list; a++)
      printf(" %30.0f", time_calls(list[a].run, &x, POINTS, BUDGET).least);
    putchar('\n');
    destroy(&x);
  }
  if (found) return 0;
  fprintf(stderr, "bench: no mechanism '%s'; there are", only);
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
    fprintf(stderr, "%s '%s'", i ? "," : "", mechanisms[i].name);
  fputc('\n', stderr);
  return 2;
}

int closed_loop_calls(const char *name, const char *algorithm, int count) {
  for (size_t a = 0; a < sizeof list / sizeof *list; a++) {
    if (strcmp(list[a].name, algorithm) != 0) continue;
    mechanism x = create(name);
    for (int k = 0; k < count; k++) list[a].run(&x, k % POINTS);
    destroy(&x);
    return 0;
  }
  fprintf(stderr, "bench: no algorithm '%s' of closed loops\n", algorithm);
  return 2;
}

/* ---- beside other libraries ---- */

int is_mechanism(const char *name) {
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
    if (strcmp(mechanisms[i].name, name) == 0) return 1;
  return strncmp(name, "contact:", 8) == 0 || strncmp(name, "join:", 5) == 0 || strncmp(name, "weld:", 5) == 0;
}

/* The largest difference of n numbers, relative to the largest number; NaN if one is. */
static double difference(const double *x, const double *y, int n) {
  double gap = 0, most = 1;
  for (int i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]);
    most = fmax(most, fabs(x[i]));
    gap = d > gap || d != d ? d : gap;
  }
  return gap / most;
}

/* Of accelerations and their derivatives by tau, over all configurations; and of their rate along the motion, which is
 * da_dq v + da_dv a of both. Ours must be what the time derivative of the accelerations is. */
static void compare_loops(mechanism *x, loop_peer *p, loop_times *t) {
  int n = x->nv;
  double *rate = bench_memory((size_t)n * (size_t)(n + 7) * sizeof *rate), *jet = rate + n, *theirs = jet + 4 * n;
  t->gap = t->rate_gap = 0;
  for (int k = 0; k < POINTS; k++) {
    const double *v = x->v + k * n, *a = x->out[6];
    both(x, k);
    for (int i = 0; i < n; i++) {
      rate[i] = 0;
      for (int j = 0; j < n; j++) rate[i] += x->out[0][i * n + j] * v[j] + x->out[1][i * n + j] * a[j];
    }
    CHECK(
        jn_loops_forward_dynamics_jet(x->loops, 1, x->q + k * x->nq, v, x->tau + k * (ORDER + 1) * n, NULL, jet, NULL));
    double own = difference(jet + 2 * n, rate, n);
    if (!(own < 1e-6)) {
      fprintf(stderr, "bench: derivatives of closed loops are not those of the motion: %.1e\n", own);
      exit(1);
    }
    p->run(p, 1, k);
    p->answer(p, 1, k, theirs, theirs + n, theirs + 2 * n);
    const double gaps[3] = {difference(a, theirs, n), difference(x->out[2], theirs + 2 * n, n * n),
                            difference(rate, theirs + n, n)};
    for (int e = 0; e < 2; e++) t->gap = gaps[e] < t->gap ? t->gap : gaps[e];
    t->rate_gap = gaps[2] < t->rate_gap ? t->rate_gap : gaps[2];
  }
  free(rate);
}

typedef struct loop_call {
  loop_peer *p;
  int derivatives;
} loop_call;

static void run_loop_peer(void *context, int k) {
  loop_call *c = context;
  c->p->run(c->p, c->derivatives, k);
}

loop_times closed_loop_times(const char *name, int rounds) {
  static const timed_call own[2] = {forward, both};
  mechanism x = create(name);
  loop_times t = {
      .nv = x.nv, .conditions = x.m, .own = {INFINITY, INFINITY}, .peer = {NAN, NAN}, .gap = NAN, .rate_gap = NAN};
  loop_peer *p = NULL;
#if JN_BENCH_PINOCCHIO
  const loop_states states = {x.q, x.v, x.tau, POINTS, (ORDER + 1) * x.nv};
  p = loop_peer_pinocchio(x.model, &states);
#endif
  if (p) compare_loops(&x, p, &t);
  for (int k = 0; k < rounds; k++)
    for (int e = 0; e < 2; e++) {
      loop_call c = {p, e};
      t.own[e] = fmin(t.own[e], time_calls(own[e], &x, POINTS, BUDGET).least);
      if (p) t.peer[e] = fmin(t.peer[e], time_calls(run_loop_peer, &c, POINTS, BUDGET).least);
    }
  if (p) p->destroy(p);
  destroy(&x);
  return t;
}
