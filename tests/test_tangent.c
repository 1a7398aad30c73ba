/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of q (+) v and q1 (-) q0: against each other, and against differences. */
#include "models.h"

enum { MOST = 60 };

typedef struct matrices {
  double by_q[MOST * MOST], by_v[MOST * MOST], by_q0[MOST * MOST], by_q1[MOST * MOST];
} matrices;

static void multiply(const double *A, const double *B, int n, double *C) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      C[i * n + k] = 0;
      for (int j = 0; j < n; j++) C[i * n + k] += A[i * n + j] * B[j * n + k];
    }
}

/* With q1 = q (+) v: d(q1 (-) q)/dq1 is the inverse of dq1/dv, and the chain through q (+) v (-) q by q is zero. */
static void the_difference_undoes_the_step(void **unused) {
  (void)unused;
  uint64_t s = seed("tangent");
  static matrices x;
  static double product[MOST * MOST], other[MOST * MOST], one[MOST * MOST];
  for (int round = 0; round < 8; round++) {
    jn_model *m = random_tree(&s, 4 + round);
    jn_work *w;
    double q[MOST], v[MOST], q1[MOST];
    int n = jn_model_nv(m);
    check(n <= MOST, "%d coordinates", n);
    check_ok(jn_work_create(m, &w));
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1.2);
    check_ok(jn_integrate(m, w, q, v, q1));
    check_ok(jn_integrate_derivatives(m, w, q, v, x.by_q, x.by_v));
    check_ok(jn_difference_derivatives(m, w, q, q1, x.by_q0, x.by_q1));
    for (int k = 0; k < n * n; k++) one[k] = k % (n + 1) == 0;
    multiply(x.by_q1, x.by_v, n, product);
    check_close(product, one, n * n, 1, 300, "d(q1 - q)/dq1 and dq1/dv are inverse to each other");
    multiply(x.by_q1, x.by_q, n, product);
    for (int k = 0; k < n * n; k++) other[k] = -x.by_q0[k];
    check_close(product, other, n * n, 1, 300, "moving q alone does not change the way from q to q (+) v");
    check_ok(jn_integrate_derivatives(m, w, q, v, NULL, product));
    check_close(product, x.by_v, n * n, 1, 0, "an output alone");
    check_status(jn_integrate_derivatives(m, w, NULL, v, NULL, product), JN_ERR_NULL);
    check_status(jn_difference_derivatives(m, w, q, NULL, NULL, product), JN_ERR_NULL);
    release(m, w);
  }
}

/* Central differences of q (+) v. */
static void differences_agree(void **unused) {
  (void)unused;
  uint64_t s = seed("differences");
  static matrices x;
  double h = cbrt(jn_variant_epsilon()), worst = 0;
  jn_model *m = random_tree(&s, 12);
  jn_work *w;
  double q[MOST], v[MOST], e[MOST] = {0}, moved[MOST], up[MOST], down[MOST], d[MOST];
  int n = jn_model_nv(m);
  check_ok(jn_work_create(m, &w));
  check_ok(jn_random(m, &s, q));
  fill(&s, v, n, 1);
  check_ok(jn_integrate_derivatives(m, w, q, v, x.by_q, x.by_v));
  for (int by_q = 0; by_q < 2; by_q++)
    for (int k = 0; k < n; k++) {
      for (int side = 0; side < 2; side++) {
        double step[MOST];
        memcpy(step, v, sizeof step);
        e[k] = side ? h : -h;
        check_ok(jn_integrate(m, w, q, e, moved));
        if (!by_q) step[k] += e[k];
        check_ok(jn_integrate(m, w, by_q ? moved : q, step, side ? up : down));
        e[k] = 0;
      }
      check_ok(jn_difference(m, w, down, up, d));
      for (int i = 0; i < n; i++) worst = fmax(worst, fabs(d[i] / (2 * h) - (by_q ? x.by_q : x.by_v)[i * n + k]));
    }
  check(worst < 30 * h * h, "differences are off by %g", worst);
  release(m, w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_difference_undoes_the_step),
      cmocka_unit_test(differences_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
