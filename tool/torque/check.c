/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --check: the torques against those of the plain inverse dynamics, and every derivative against central
 * differences of the one below, so that by induction all are checked against the torques themselves.
 *
 * With steps h, h/2, h/4 the differences are D, D', D''; R = (4 D' - D) / 3 and R' = (4 D'' - D') / 3 have errors of
 * O(h^4) (Richardson), and R' is the better one. The exact derivative may be off from it by a few |R' - R|; by
 * rounding: that of the curve below, and of the time in its slope, divided by h; and where splines meet, which are not
 * smooth to all orders, by |D'' - D'|. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "torque.h"

enum { TIMES = 200, POINTS = 7 };
static const double places[POINTS] = {1, -1, 0.5, -0.5, 0.25, -0.25, 0};

typedef struct deviation {
  double off, allowed, size; /* the largest one, what it may be there, largest value of that order and joint */
  int v;
  bool failed;
} deviation;

typedef struct checking {
  motion *m;
  int order, nv;
  double start, end;
  double *peaks;    /* [(K+1) x nv] */
  double *kept;     /* [POINTS][(K+1) x nv]: at t + places[i] h */
  deviation *worst; /* [K+1] */
} checking;

static double time_of(const checking *c, int i) {
  /* not at the ends, and not in step with the samples */
  return c->start + (c->end - c->start) * (i + 0.5 + 0.3 * sin(1.7 * i)) / TIMES;
}

static jn_status find_peaks(checking *c) {
  size_t all = (size_t)(c->order + 1) * (size_t)c->nv;
  memset(c->peaks, 0, all * sizeof(double));
  for (int i = 0; i < TIMES; i++) {
    jn_status status = motion_at(c->m, time_of(c, i));
    if (status != JN_OK) return status;
    for (size_t j = 0; j < all; j++) c->peaks[j] = fmax(c->peaks[j], fabs(c->m->tau[j]));
  }
  return JN_OK;
}

/* A step in which the curve of order k - 1 changes by a small part of its size. */
static double step_of(const checking *c, int k) {
  double below = 0, above = 0;
  for (int v = 0; v < c->nv; v++) {
    below = fmax(below, c->peaks[(size_t)(k - 1) * (size_t)c->nv + (size_t)v]);
    above = fmax(above, c->peaks[(size_t)k * (size_t)c->nv + (size_t)v]);
  }
  double scale = above > 0 ? below / above : c->end - c->start;
  return fmin(scale, (c->end - c->start) / 4) * pow(jn_variant_epsilon(), 0.2);
}

static void keep(deviation *d, const deviation *now) {
  bool worse = !(now->off * d->size <= d->off * now->size);
  if (now->failed == d->failed ? worse : now->failed) *d = *now;
}

/* Largest value of a joint at an order, or a thousandth of that of all joints: so that a ratio to almost zero is not
 * reported. */
static double size_of(const checking *c, int order, int v) {
  const double *peaks = c->peaks + (size_t)order * (size_t)c->nv;
  double largest = 0;
  for (int i = 0; i < c->nv; i++) largest = fmax(largest, peaks[i]);
  return fmax(peaks[v], largest / 1000);
}

static void compare(checking *c, int order, int v, double off, double allowed) {
  deviation d = {off, allowed, size_of(c, order, v), v, !(off <= allowed)};
  keep(&c->worst[order], &d);
}

/* Order 0: by the function for torques alone. Models with loops have none that is simpler. */
static jn_status compare_torques(checking *c, double t) {
  motion *m = c->m;
  jn_status status = motion_at(m, t);
  if (status != JN_OK || m->loops) return status;
  double *tau = c->kept, *loss = c->kept + c->nv;
  status = jn_inverse_dynamics(m->model, m->work, m->q, m->v_jet, m->v_jet + c->nv, m->wrench_jet, tau);
  if (status == JN_OK && m->losses) status = jn_loss_forces(m->model, m->v_jet, loss);
  double size = 0;
  for (int v = 0; v < c->nv; v++) size = fmax(size, c->peaks[v]);
  for (int v = 0; v < c->nv && status == JN_OK; v++) {
    double off = fabs(tau[v] + (m->losses ? loss[v] : 0) - m->tau[v]);
    compare(c, 0, v, off, 1000 * jn_variant_epsilon() * size);
  }
  return status;
}

/* The difference of the curve x[i] at the places, and how far it may be off. */
static double difference(const double x[POINTS], double h, bool smooth, double *error) {
  double wide = (x[0] - x[1]) / (2 * h), middle = (x[2] - x[3]) / h, narrow = 2 * (x[4] - x[5]) / h;
  double coarse = (4 * middle - wide) / 3, fine = (4 * narrow - middle) / 3;
  *error = 4 * fabs(fine - coarse) + (smooth ? 0 : fabs(narrow - middle));
  return fine;
}

static jn_status compare_order(checking *c, double t, int k) {
  size_t nv = (size_t)c->nv, all = (size_t)(c->m->order + 1) * nv;
  double h = step_of(c, k), latest = fmax(fabs(c->start), fabs(c->end)), size = 0;
  bool smooth = jn_trajectory_samples(c->m->trajectory) == 0 && !c->m->wrench_jet;
  for (int i = 0; i < POINTS; i++) {
    jn_status status = motion_at(c->m, t + places[i] * h);
    if (status != JN_OK) return status;
    memcpy(c->kept + (size_t)i * all, c->m->tau, all * sizeof(double));
  }
  for (size_t v = 0; v < nv; v++) size = fmax(size, c->peaks[(size_t)(k - 1) * nv + v]);
  for (size_t v = 0; v < nv; v++) {
    size_t below = (size_t)(k - 1) * nv + v, at = (size_t)k * nv + v;
    double x[POINTS], error;
    for (size_t i = 0; i < POINTS; i++) x[i] = c->kept[i * all + below];
    double off = fabs(difference(x, h, smooth, &error) - c->kept[(POINTS - 1) * all + at]);
    double rounding = 64 * jn_variant_epsilon() * (size + latest * c->peaks[at]) / h;
    compare(c, k, (int)v, off, error + rounding);
  }
  return JN_OK;
}

static int print_check(const checking *c) {
  static const table_column columns[] = {{"order", ALIGN_LEFT},    {"against", ALIGN_LEFT}, {"joint", ALIGN_LEFT},
                                         {"largest", ALIGN_POINT}, {"off by", ALIGN_LEFT},  {"relative", ALIGN_LEFT},
                                         {"allowed", ALIGN_LEFT},  {"", ALIGN_LEFT}};
  table t;
  char name[JN_COORDINATE_NAME];
  int failures = 0;
  table_init(&t, columns, 8);
  for (int k = c->m->loops ? 1 : 0; k <= c->order; k++) {
    const deviation *d = &c->worst[k];
    jn_velocity_name(c->m->model, d->v, name, sizeof name);
    table_cellf(&t, "%d", k);
    table_cellf(&t, k == 0 ? "plain inverse dynamics" : "differences of order %d", k - 1);
    table_cell(&t, name);
    table_number(&t, c->peaks[(size_t)k * (size_t)c->nv + (size_t)d->v]);
    table_cellf(&t, "%.1e", fmax(d->off, 0)); /* all zero: nothing was off */
    table_cellf(&t, "%.1e", d->size > 0 ? fmax(d->off, 0) / d->size : 0);
    table_cellf(&t, "%.1e", d->allowed);
    table_cell(&t, d->failed ? "TOO FAR OFF" : "fine");
    failures += d->failed;
  }
  printf("\nCheck at %d times: largest deviation of any joint; allowed is the error of numerical differentiation\n",
         TIMES);
  table_print(&t, stdout);
  return failures;
}

int check_derivatives(motion *m, int order, double start, double end) {
  checking c = {.m = m, .order = m->order, .nv = m->nv, .start = start, .end = end};
  size_t all = (size_t)(m->order + 1) * (size_t)m->nv;
  c.peaks = allocate((1 + POINTS) * all * sizeof(double) + 2 * (size_t)m->nv * sizeof(double));
  c.kept = c.peaks + all;
  c.worst = allocate((size_t)(m->order + 1) * sizeof *c.worst);
  for (int k = 0; k <= m->order; k++) c.worst[k] = (deviation){.off = -1, .size = 1};
  jn_status status = find_peaks(&c);
  for (int i = 0; i < TIMES && status == JN_OK; i++) {
    status = compare_torques(&c, time_of(&c, i));
    for (int k = 1; k <= order && status == JN_OK; k++) status = compare_order(&c, time_of(&c, i), k);
  }
  c.order = order;
  int result = OPTION_GO_ON;
  if (status != JN_OK) {
    motion_tell(m, status);
    result = EXIT_BAD;
  } else if (print_check(&c) > 0) {
    result = EXIT_BAD;
  }
  free(c.peaks);
  free(c.worst);
  return result;
}
