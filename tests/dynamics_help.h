/* SPDX-License-Identifier: BSD-2-Clause */
/* Random trees at random states, for the tests of dynamics. */
#ifndef JN_TESTS_DYNAMICS_HELP_H
#define JN_TESTS_DYNAMICS_HELP_H

#include "complex_variant.h"
#include "reference.h"

enum { MODELS = 200 };

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nq, nv, nlink;
  double q[80], v[MOST_V], a[MOST_V], tau[MOST_V], W[MOST_LINKS * 6];
} state;

static UNUSED void randomize(state *x, uint64_t *s) {
  x->nq = jn_model_nq(x->m);
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  check_ok(jn_work_create(x->m, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, x->nv, 1);
  fill(s, x->a, x->nv, 2);
  fill(s, x->tau, x->nv, 5);
  fill(s, x->W, 6 * x->nlink, 3);
}

static UNUSED void begin(state *x, uint64_t *s, int i) {
  x->m = random_tree(s, 3 + i % 13);
  randomize(x, s);
}

/* How much forward dynamics may lose: the condition of M scaled to unit diagonal. */
static UNUSED double condition(const double *M, const double *inverse, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double scale = sqrt(M[i * n + i] * M[j * n + j]);
      a = fmax(a, fabs(M[i * n + j]) / scale);
      b = fmax(b, fabs(inverse[i * n + j]) * scale);
    }
  return a * b * n;
}

#endif
