/* SPDX-License-Identifier: BSD-2-Clause */
/* Time per call of the derivatives of inverse and forward dynamics on chains of revolute joints, against the number of
 * joints n and the order K, and beside it that of the recursion as kumar2021 prints it (tests/printed_recursion.h).
 *   bench_jets            tables and fits
 *   bench_jets N K CALLS  only CALLS calls of inverse dynamics of one chain, for instruction counters */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jounce/jounce.h"
#include "printed.h"
#include "timing.h"

enum { STATES = 64, TOP = 8, ROUNDS = 5 };
#define BUDGET 5e6 /* ns for each number in a table and round */
#define LONG 200e6 /* a pass over the states that takes so long is not repeated in further rounds */

static const int sizes[] = {7, 14, 25, 50, 100, 200};
enum { SIZES = sizeof sizes / sizeof *sizes };

#define CHECK(call)                                                            \
  do {                                                                         \
    jn_status status_ = (call);                                                \
    if (status_ != JN_OK) {                                                    \
      fprintf(stderr, "bench_jets: %s: %s\n", #call, jn_status_text(status_)); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static void *memory(size_t count, size_t size) {
  void *block = calloc(count, size);
  if (block) return block;
  fputs("bench_jets: no memory\n", stderr);
  exit(1);
}

typedef struct chain {
  jn_model *m;
  jn_work *w;
  int n, order;
  double *q, *v, *tau, *out; /* [STATES][n], [STATES][TOP + 2][n], [STATES][TOP + 1][n], [TOP + 2][n] */
  printed *p;
} chain;

/* Links of 0.3 m with random turns between their axes, and a body of about 1 kg each. */
static jn_model *make_chain(int n, uint64_t *s) {
  jn_builder *b;
  jn_model *m;
  char name[2][16];
  CHECK(jn_builder_create(NULL, &b));
  for (int i = 0; i < n; i++) {
    jn_link l;
    jn_link_init(&l);
    snprintf(name[i % 2], sizeof name[0], "link%d", i);
    l.name = name[i % 2];
    l.parent = i ? name[(i + 1) % 2] : NULL;
    double roll = 3 * bench_uniform(s), pitch = 3 * bench_uniform(s), sr = sin(roll), cr = cos(roll);
    double sp = sin(pitch), cp = cos(pitch);
    const double T[16] = {cp, sp * sr, sp * cr, 0.2 * bench_uniform(s), 0, cr, -sr, 0, -sp, cp * sr, cp * cr, 0.3, 0,
                          0,  0,       1};
    memcpy(l.placement, T, sizeof T);
    const double com[3] = {0.1 * bench_uniform(s), 0.1 * bench_uniform(s), 0.15};
    const double I[6] = {0.01, 0.012, 0.005, 0.0005, -0.0003, 0.0002};
    jn_inertia_pack(1 + 0.3 * bench_uniform(s), com, I, l.inertia);
    l.joint.type = JN_REVOLUTE;
    l.joint.dof[0].armature = 0.05;
    CHECK(jn_builder_add_link(b, &l));
  }
  CHECK(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* Random states; rates fall with n, so that twists of the last link stay of the size of those of short chains. */
static chain chain_create(int n) {
  uint64_t s = 20211101u + (uint64_t)n;
  chain c = {.m = make_chain(n, &s), .n = n, .order = TOP};
  size_t wide = (size_t)n;
  c.q = memory(STATES * wide, sizeof(double));
  c.v = memory(STATES * (TOP + 2) * wide, sizeof(double));
  c.tau = memory(STATES * (TOP + 1) * wide, sizeof(double));
  c.out = memory((TOP + 2) * wide, sizeof(double));
  CHECK(jn_work_create_order(c.m, TOP, &c.w));
  for (int k = 0; k < STATES * n; k++) c.q[k] = 3 * bench_uniform(&s);
  for (int k = 0; k < STATES * (TOP + 2) * n; k++) c.v[k] = bench_uniform(&s) / n;
  for (int k = 0; k < STATES; k++)
    CHECK(
        jn_inverse_dynamics_jet(c.m, c.w, TOP, c.q + k * n, c.v + k * (TOP + 2) * n, NULL, c.tau + k * (TOP + 1) * n));
  return c;
}

static void chain_destroy(chain *c) {
  free(c->q);
  free(c->v);
  free(c->tau);
  free(c->out);
  jn_work_destroy(c->w);
  jn_model_destroy(c->m);
}

static void call_inverse(void *context, int k) {
  chain *c = context;
  CHECK(jn_inverse_dynamics_jet(c->m, c->w, c->order, c->q + k * c->n, c->v + k * (TOP + 2) * c->n, NULL, c->out));
}

static void call_forward(void *context, int k) {
  chain *c = context;
  CHECK(jn_forward_dynamics_jet(c->m, c->w, c->order, c->q + k * c->n, c->v + k * (TOP + 2) * c->n,
                                c->tau + k * (TOP + 1) * c->n, NULL, c->out));
}

static void call_printed(void *context, int k) {
  chain *c = context;
  printed_forces(c->p, c->q + k * c->n, c->v + k * (TOP + 2) * c->n, c->out);
}

typedef enum method { INVERSE, FORWARD, PRINTED, METHODS } method;
static const char *const title[METHODS] = {"jn_inverse_dynamics_jet", "jn_forward_dynamics_jet", "printed recursion"};

static timing measure(chain *c, method what, int order) {
  static const timed_call call[METHODS] = {call_inverse, call_forward, call_printed};
  c->order = order;
  if (what == PRINTED) {
    if (!printed_runs_here()) return (timing){NAN, NAN, 0};
    c->p = printed_make(c->m, order);
    if (!c->p) exit(1);
  }
  timing t = time_calls(call[what], c, STATES, BUDGET);
  if (what == PRINTED) printed_free(c->p);
  return t;
}

/* Least squares of relative errors: sum (f . x / ns - 1)^2 over all n and K, by the normal equations of at most three
 * functions. Returns the largest relative error. */
static double fit(int count, const double f[][3], const double *ns, int points, double x[3]) {
  double N[3][4] = {{0}}, worst = 0;
  for (int i = 0; i < points; i++)
    for (int r = 0; r < count; r++) {
      for (int c = 0; c < count; c++) N[r][c] += f[i][r] * f[i][c] / (ns[i] * ns[i]);
      N[r][3] += f[i][r] / ns[i];
    }
  for (int r = 0; r < count; r++)
    for (int s = 0; s < count; s++) {
      double g = N[s][r] / N[r][r];
      for (int c = 0; c < 4 && s != r; c++) N[s][c] -= g * N[r][c];
    }
  for (int r = 0; r < count; r++) x[r] = N[r][3] / N[r][r];
  for (int i = 0; i < points; i++) {
    double model = 0;
    for (int r = 0; r < count; r++) model += x[r] * f[i][r];
    worst = fmax(worst, fabs(model / ns[i] - 1));
  }
  return worst;
}

/* Does n^power (a + b K + c K^2) describe the table? And n^power (K+1)(K+2) alone? */
static void report_fit(const double ns[SIZES][TOP + 1], int power) {
  double f[SIZES * (TOP + 1)][3], one[SIZES * (TOP + 1)][3], x[3];
  for (int i = 0; i < SIZES; i++)
    for (int K = 0; K <= TOP; K++) {
      double n = pow(sizes[i], power);
      double *to = f[i * (TOP + 1) + K];
      to[0] = n, to[1] = n * K, to[2] = n * K * K;
      one[i * (TOP + 1) + K][0] = n * (K + 1) * (K + 2);
    }
  double worst = fit(3, (const double(*)[3])f, &ns[0][0], SIZES * (TOP + 1), x);
  printf("fit: n^%d (%.3g %+.3g K %+.3g K^2) ns, off by at most %.0f %%", power, x[0], x[1], x[2], 100 * worst);
  worst = fit(1, (const double(*)[3])one, &ns[0][0], SIZES * (TOP + 1), x);
  printf("; %.3g n^%d (K+1)(K+2) ns alone, by %.0f %%\n", x[0], power, 100 * worst);
}

/* Rounds over the whole table: a disturbance of a second or two does not stay in it. */
static void table(chain *c, method what, double ns[SIZES][TOP + 1]) {
  double sum = 0;
  int cells = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < SIZES; i++)
      for (int K = 0; K <= TOP; K++) {
        if (round > 0 && ns[i][K] * STATES > LONG) continue;
        timing t = measure(&c[i], what, K);
        cells++;
        sum += t.median / t.least - 1;
        if (round == 0 || t.least < ns[i][K]) ns[i][K] = t.least;
      }
  printf("\n%s: microseconds per call, least of repeats over %d states\n      n", title[what], STATES);
  for (int K = 0; K <= TOP; K++) printf("      K=%d", K);
  printf("\n");
  for (int i = 0; i < SIZES; i++) {
    printf("%7d", sizes[i]);
    for (int K = 0; K <= TOP; K++) printf(" %8.2f", 1e-3 * ns[i][K]);
    printf("\n");
  }
  printf("medians are above the least by %.0f %% in the mean\n", 100 * sum / cells);
  fflush(stdout);
}

static void compare(double printed_ns[SIZES][TOP + 1], double ns[SIZES][TOP + 1]) {
  printf("\nprinted recursion / jn_inverse_dynamics_jet\n");
  for (int i = 0; i < SIZES; i++) {
    printf("%7d", sizes[i]);
    for (int K = 0; K <= TOP; K++) printf(" %8.2f", printed_ns[i][K] / ns[i][K]);
    printf("\n");
  }
}

static void memory_table(const chain *c) {
  printf("\nwork memory, kB (jn_work_size_order)\n");
  for (int i = 0; i < SIZES; i++) {
    printf("%7d", sizes[i]);
    for (int K = 0; K <= TOP; K++) printf(" %8.1f", 1e-3 * (double)jn_work_size_order(c[i].m, K));
    printf("\n");
  }
}

int main(int argc, char **argv) {
  if (argc == 4) {
    int n = atoi(argv[1]), calls = atoi(argv[3]);
    chain c = chain_create(n > 0 ? n : 1);
    c.order = atoi(argv[2]) <= TOP ? atoi(argv[2]) : TOP;
    double least = INFINITY, from = now_ns();
    for (int k = 0; k < calls; k++) {
      call_inverse(&c, k % STATES);
      if (k % STATES != STATES - 1) continue;
      double to = now_ns();
      least = fmin(least, (to - from) / STATES);
      from = to;
    }
    printf("n %d, K %d: %.0f ns per call, least of %d passes\n", c.n, c.order, least, calls / STATES);
    chain_destroy(&c);
    return 0;
  }
  static double ns[METHODS][SIZES][TOP + 1];
  chain c[SIZES];
  for (int i = 0; i < SIZES; i++) c[i] = chain_create(sizes[i]);
  printf("chains of n revolute joints, variant %s\n", jn_variant_name());
  for (int what = 0; what < METHODS; what++) {
    table(c, (method)what, ns[what]);
    if (what != FORWARD) report_fit((const double(*)[TOP + 1]) ns[what], what == PRINTED ? 2 : 1); /* that has O(n^3) */
  }
  compare(ns[PRINTED], ns[INVERSE]);
  memory_table(c);
  for (int i = 0; i < SIZES; i++) chain_destroy(&c[i]);
  return 0;
}
