/* SPDX-License-Identifier: BSD-2-Clause */
/* Random states, and the same states moved by a complex step. */
#ifndef JN_TESTS_DERIVATIVES_HELP_H
#define JN_TESTS_DERIVATIVES_HELP_H

#include "complex_variant.h"
#include "models.h"

#include "jounce/derivatives.h"

enum { MODELS = 60, V = 40, LINKS = 12, WIDE = 6 * LINKS };

static UNUSED const double h = 1e-30;

typedef double _Complex complex_t;

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nq, nv, nlink, wide;
  double q[60], v[V], a[V], W[WIDE], unit[V];
  complex_t cq[60], cv[V], ca[V], cW[WIDE];
} state;

static UNUSED void begin(state *x, uint64_t *s, int i) {
  x->m = random_tree(s, 2 + i % (LINKS - 2));
  x->nq = jn_model_nq(x->m);
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  x->wide = 6 * x->nlink;
  check_ok(jn_work_create_order(x->m, 0, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, x->nv, 1);
  fill(s, x->a, x->nv, 1);
  fill(s, x->W, x->wide, 2);
  memset(x->unit, 0, sizeof x->unit);
}

enum { BY_Q, BY_V, BY_A, BY_W };

/* The state moved by i h in coordinate k of q, v, a or the wrenches. */
static UNUSED void move(state *x, int by, int k) {
  for (int i = 0; i < x->nv; i++) {
    x->unit[i] = by == BY_Q && i == k;
    x->cv[i] = CMPLX(x->v[i], by == BY_V && i == k ? h : 0);
    x->ca[i] = CMPLX(x->a[i], by == BY_A && i == k ? h : 0);
  }
  for (int i = 0; i < x->wide; i++) x->cW[i] = CMPLX(x->W[i], by == BY_W && i == k ? h : 0);
  complex_motion(x->m, x->q, x->unit, h, x->cq);
}

/* Column k of a rows x columns matrix against the imaginary part of y. */
static UNUSED void check_column(const double *D, int rows, int columns, int k, const complex_t *y, double size,
                                double ulps, const char *what) {
  for (int r = 0; r < rows; r++) {
    double expected = cimag(y[r]) / h;
    check_close(&D[r * columns + k], &expected, 1, size, ulps, "%s, row %d, column %d", what, r, k);
  }
}

/* ---- large trees ---- */

enum { LARGE_LINKS = 50, LARGE = 56 };

/* Link i hangs on link parent[i]; the first one on `base`, of the others every seventh slides. v backwards: the
 * coordinates are not in the order of the bodies. */
static UNUSED jn_model *shaped(uint64_t *s, int links, const int *parent, jn_joint_type base, int backwards) {
  static char name[LARGE_LINKS][16];
  const char *order[LARGE_LINKS];
  jn_builder *b;
  jn_model *m;
  jn_options options;
  jn_options_init(&options);
  for (int i = 0; i < links; i++) {
    snprintf(name[i], sizeof name[i], "l%d", i);
    order[links - 1 - i] = name[i];
  }
  if (backwards) options.joint_order = order, options.joint_order_count = links;
  check_ok(jn_builder_create(&options, &b));
  for (int i = 0; i < links; i++)
    add_random_link(b, s, name[i], i ? name[parent[i]] : NULL,
                    i == 0  ? base
                    : i % 7 ? JN_REVOLUTE
                            : JN_PRISMATIC,
                    NULL);
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

#endif
