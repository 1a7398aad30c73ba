/* SPDX-License-Identifier: BSD-2-Clause */
/* Base parameters and trajectories: once a model. */
#include "newton.h"

#include "jounce/base_parameters.h"
#include "jounce/trajectory.h"

/* Y pi = Y_b (B pi) at a state that was not among those that B comes from. */
static void base_parameters(const sample *s, take to, void *context) {
  static const char *const names[] = {"jn_base_create", "jn_base_regressor", "jn_base_parameters", "jn_base_count",
                                      "jn_base_parameter_count"};
  jn_base *base;
  jn_status status = s->d.nv > 8 ? JN_ERR_UNSUPPORTED : jn_base_create(s->m, NULL, &base);
  if (status == JN_ERR_UNSUPPORTED || jn_variant_epsilon() > 1e-10) return;
  check_ok(status);
  jn_work *w;
  int n = s->d.nv, all = jn_base_parameter_count(base), few = jn_base_count(base);
  double *Y = calloc((size_t)(n * all), sizeof *Y), *Yb = calloc((size_t)(n * few) + 1, sizeof *Yb);
  double *beta = calloc((size_t)few + 1, sizeof *beta), worst = 0, size = 0;
  check_ok(jn_work_create(s->m, &w));
  check_ok(jn_regressor(s->m, w, s->in[IN_q], s->in[IN_v], s->in[IN_a], Y));
  check_ok(jn_base_regressor(base, n, Y, Yb));
  check_ok(jn_base_parameters(base, s->pi, beta));
  for (int k = 0; k < n * all; k++) size = fmax(size, fabs(Y[k]));
  for (int r = 0; r < n; r++) {
    number e = 0;
    for (int c = 0; c < all; c++) e += (number)Y[r * all + c] * s->pi[c];
    for (int c = 0; c < few; c++) e -= (number)Yb[r * few + c] * beta[c];
    worst = fmax(worst, (double)fabsl(e) / (size * all * jn_variant_epsilon()));
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) to(context, names[i], "Y pi = Y_b (B pi)", worst);
  free(Y), free(Yb), free(beta);
  jn_work_destroy(w);
  jn_base_destroy(base);
}

/* Splines of degree K + 5 or more through samples of a cubic are the cubic, with all its derivatives. */
static void trajectories(const sample *s, take to, void *context) {
  enum { SAMPLES = 24, K = 1 };
  static const char *const names[] = {"jn_trajectory_fit", "jn_trajectory_evaluate"};
  const int nq = s->d.nq;
  if (nq != s->d.nv) return; /* quaternions: tests/test_trajectory.c */
  double t[SAMPLES], *q = calloc((size_t)(SAMPLES * nq), sizeof *q), *c = calloc((size_t)(4 * nq), sizeof *c);
  double *at = calloc((size_t)nq, sizeof *at), *jet = calloc((size_t)((K + 2) * nq), sizeof *jet), worst = 0;
  uint64_t random = (uint64_t)s->index;
  jn_trajectory *curve;
  jn_trajectory_options options;
  jn_error error;
  jn_trajectory_options_init(&options);
  options.order = K;
  options.smoothing = JN_SMOOTH_NONE;
  fill(&random, c, 4 * nq, 1);
  for (int i = 0; i < SAMPLES; i++) {
    t[i] = i / 8.0;
    for (int k = 0; k < nq; k++)
      q[i * nq + k] = c[4 * k] + t[i] * (c[4 * k + 1] + t[i] * (c[4 * k + 2] + t[i] * c[4 * k + 3]));
  }
  jn_status status = jn_trajectory_fit(s->m, SAMPLES, t, q, &options, &curve, &error);
  check(status == JN_OK, "%s", error.text);
  double when = 1.5 + 1.2 * uniform(&random);
  check_ok(jn_trajectory_evaluate(curve, when, K, at, jet));
  for (int k = 0; k < nq; k++) {
    const number x = when;
    const number e[4] = {c[4 * k] + x * (c[4 * k + 1] + x * (c[4 * k + 2] + x * c[4 * k + 3])),
                         c[4 * k + 1] + x * (2 * c[4 * k + 2] + x * 3 * c[4 * k + 3]),
                         2 * c[4 * k + 2] + 6 * x * c[4 * k + 3], 6 * c[4 * k + 3]};
    const double got[4] = {at[k], jet[k], jet[nq + k], jet[2 * nq + k]};
    double unit = 50 * 2.2e-16; /* values up to 50; a derivative of order r of samples 1/8 s apart: times 16^r */
    for (int r = 0; r < 4; r++, unit *= 16) worst = fmax(worst, (double)fabsl(got[r] - e[r]) / unit);
  }
  for (size_t i = 0; i < 2; i++) to(context, names[i], "a cubic comes back with all its derivatives", worst);
  jn_trajectory_destroy(curve);
  free(q), free(c), free(at), free(jet);
}

void run_others(const sample *s, take to, void *context) {
  base_parameters(s, to, context);
  trajectories(s, to, context);
}
