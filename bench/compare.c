/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void peers_create(const robot *r, peer *peers[PEERS]) {
  for (int k = 0; k < PEERS; k++) peers[k] = NULL;
  (void)r;
#if JN_BENCH_MUJOCO
  peers[PEER_MUJOCO] = peer_mujoco(r);
#endif
#if JN_BENCH_KDL
  peers[PEER_KDL] = peer_kdl(r);
#endif
#if JN_BENCH_PINOCCHIO
  peers[PEER_PINOCCHIO] = peer_pinocchio(r);
#endif
}

void peers_destroy(peer *peers[PEERS]) {
  for (int k = 0; k < PEERS; k++)
    if (peers[k]) peers[k]->destroy(peers[k]);
}

peer_task peer_next_task(const peer *p, const algorithm *a, peer_task task, const char **how) {
  static const struct {
    const char *name, *how;
    int order;
  } tasks[PEER_TASKS] = {
#define PEER_TASK(code, name, order, how) {name, how, order},
      PEER_LIST(PEER_TASK)};
  for (int t = (int)task; p && t < PEER_TASKS; t++) {
    if (!p->has[t] || strcmp(tasks[t].name, a->name) != 0 || tasks[t].order != a->order) continue;
    if (how) *how = tasks[t].how;
    return (peer_task)t;
  }
  return PEER_TASKS;
}

/* ---- answers ---- */

/* out [n x columns] times x. */
static void times_vector(double *out, int n, int columns, const double *x) {
  double *y = bench_memory((size_t)n * sizeof *y);
  for (int r = 0; r < n; r++)
    for (int c = 0; c < columns; c++) y[r] += out[r * columns + c] * x[c];
  memcpy(out, y, (size_t)n * sizeof *y);
  free(y);
}

/* T [n x n x n]: entries [h][i][k] and [k][i][h] become their sum. */
static void both_orders(double *T, int n) {
  for (int h = 0; h < n; h++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k <= h; k++) {
        double *a = &T[(h * n + i) * n + k], *b = &T[(k * n + i) * n + h];
        *a = *b = *a + *b;
      }
}

/* Our answer in the form that is compared: matrices that are not unique, or of other parameters, times a vector; second
 * derivatives by q without their order. */
static void reduce(const subject *s, peer_task task, int state, double *out) {
  int n = s->r->nv;
  if (task == PEER_CORIOLIS) times_vector(out, n, n, s->r->v + state * n);
  if (task == PEER_D2_INVERSE) both_orders(out, n);
  if (task != PEER_REGRESSOR) return;
  double *x = bench_memory((size_t)s->r->parameters * sizeof *x);
  CHECK(jn_parameters(s->r->model, x));
  times_vector(out, n, s->r->parameters, x);
  free(x);
}

double peer_disagreement(subject *s, const algorithm *a, peer *p, peer_task task) {
  double worst = -1;
  for (int k = 0; k < STATES; k++) {
    size_t count[PEER_OUTPUTS] = {0};
    a->run(s, k);
    reduce(s, task, k, s->out[0]);
    p->run(p, task, k);
    p->answer(p, task, k, count);
    for (int o = 0; o < PEER_OUTPUTS; o++) {
      double most = 1, gap = 0;
      for (size_t i = 0; i < count[o]; i++) {
        double difference = fabs(s->out[o][i] - p->out[o][i]);
        most = fmax(most, fabs(s->out[o][i]));
        gap = difference > gap || difference != difference ? difference : gap; /* NaN stays */
      }
      if (count[o]) worst = !(gap / most < worst) ? gap / most : worst;
    }
  }
  if (!(worst < 1e-9)) {
    fprintf(stderr, "bench: %s and jounce disagree on the %s of %s: %.1e\n", p->library, a->name, s->r->name, worst);
    exit(1);
  }
  return worst;
}

/* ---- times ---- */

typedef struct peer_call {
  peer *p;
  peer_task task;
} peer_call;

static void run_peer(void *context, int state) {
  peer_call *c = context;
  c->p->run(c->p, c->task, state);
}

timing peer_time(peer *p, peer_task task, double budget_ns) {
  peer_call c = {p, task};
  return time_calls(run_peer, &c, STATES, budget_ns);
}
