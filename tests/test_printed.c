/* SPDX-License-Identifier: BSD-2-Clause */
/* Three ways to the derivatives of the forces, which share nothing but single joints: the recursion as kumar2021 prints
 * it (eqs. 14-20, printed_recursion.h), the polynomial recursion, and the closed form (eq. 38). */
#include "models.h"
#include "printed_recursion.h"

enum { MODELS = 120, TOP = 6, MOST_LINKS = 16 };

typedef enum shape { CHAIN, TREE, SHAPES } shape;

/* Joints drawn from revolute, prismatic and helical ones, and (in trees) fixed ones. */
static jn_model *random_robot(uint64_t *s, shape form, int links, double armature) {
  static const jn_joint_type type[] = {JN_REVOLUTE, JN_HELICAL, JN_PRISMATIC, JN_CONTINUOUS, JN_FIXED};
  jn_builder *b;
  jn_model *m;
  double g[3];
  char name[MOST_LINKS][16];
  check_ok(jn_builder_create(NULL, &b));
  fill(s, g, 3, 10);
  check_ok(jn_builder_set_gravity(b, g));
  for (int i = 0; i < links; i++) {
    jn_link l;
    jn_link_init(&l);
    snprintf(name[i], sizeof name[i], "link%d", i);
    int parent = form == CHAIN ? i - 1 : (int)(0.4999 * (1 + uniform(s)) * i);
    l.name = name[i];
    l.parent = i ? name[parent] : NULL;
    random_placement(s, l.placement);
    random_inertia(s, l.inertia);
    random_joint(s, type[(int)((form == CHAIN ? 2.0 : 2.5) * (1 + 0.9999 * uniform(s)))], &l.joint);
    l.joint.dof[0].armature = armature * (1 + uniform(s));
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* tau^(k) by eq. 38; returns the size of its largest summand. */
static double closed_form(int n, int k, const double *v, const double *M, const double *C, const double *g,
                          double *tau) {
  double binom = 1, size = norm(g + k * n, n);
  for (int r = 0; r < n; r++) tau[r] = g[k * n + r];
  for (int j = 0; j <= k; j++) {
    const double *Mj = M + (k - j) * n * n, *Cj = C + (k - j) * n * n;
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) tau[r] += binom * (Mj[r * n + c] * v[(j + 1) * n + c] + Cj[r * n + c] * v[j * n + c]);
    size = fmax(size, binom * fmax(norm(Mj, n * n), norm(Cj, n * n)));
    binom = binom * (k - j) / (j + 1);
  }
  return size;
}

typedef struct robot {
  jn_model *m;
  jn_work *w;
  int n, links;
  double q[MOST_LINKS], v[(TOP + 2) * MOST_LINKS], W[(TOP + 1) * MOST_LINKS * 6];
} robot;

static void begin(robot *x, uint64_t *s, int i) {
  do { /* a tree may by chance be all fixed joints */
    int links = 1 + i % MOST_LINKS;
    x->m = random_robot(s, (shape)(i % SHAPES), links, i % 3 ? 0.05 : 0);
    x->n = jn_model_nv(x->m);
    x->links = jn_link_count(x->m);
    if (x->n == 0) jn_model_destroy(x->m);
  } while (x->n == 0);
  check_ok(jn_work_create_order(x->m, TOP, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, (TOP + 2) * x->n, 1);
  fill(s, x->W, (TOP + 1) * x->links * 6, 2);
}

static void end(robot *x) {
  jn_work_destroy(x->w);
  jn_model_destroy(x->m);
}

static void printed_recursion_is_the_library(void **st) {
  (void)st;
  uint64_t s = seed("printed = polynomial");
  static double tau[(TOP + 1) * MOST_LINKS], expected[(TOP + 1) * MOST_LINKS];
  for (int i = 0; i < MODELS; i++) {
    robot x;
    begin(&x, &s, i);
    for (int order = 0; order <= TOP; order++) { /* also: a lower order is a prefix */
      const double *W = i % 4 < 2 ? NULL : x.W;
      printed *P = printed_create(x.m, order);
      assert_non_null(P);
      printed_run(P, x.q, x.v, W, expected);
      check_ok(jn_inverse_dynamics_jet(x.m, x.w, order, x.q, x.v, W, tau));
      for (int k = 0; k <= order; k++)
        check_close(tau + k * x.n, expected + k * x.n, x.n, 50, 4000, "order %d of %d, robot %d", k, order, i);
      printed_destroy(P);
    }
    end(&x);
  }
}

static void printed_recursion_is_the_closed_form(void **st) {
  (void)st;
  uint64_t s = seed("printed = closed form");
  enum { V = MOST_LINKS };
  static double M[(TOP + 1) * V * V], C[(TOP + 1) * V * V], g[(TOP + 1) * V], tau[(TOP + 1) * V], closed[V];
  for (int i = 0; i < MODELS; i++) {
    robot x;
    begin(&x, &s, i);
    printed *P = printed_create(x.m, TOP);
    assert_non_null(P);
    check_ok(jn_mass_matrix_jet(x.m, x.w, TOP, x.q, x.v, M));
    check_ok(jn_coriolis_matrix_jet(x.m, x.w, TOP, x.q, x.v, C));
    check_ok(jn_gravity_forces_jet(x.m, x.w, TOP, x.q, x.v, g));
    printed_run(P, x.q, x.v, NULL, tau);
    for (int k = 0; k <= TOP; k++) {
      double size = closed_form(x.n, k, x.v, M, C, g, closed);
      check_close(tau + k * x.n, closed, x.n, fmax(50, size), 4000, "order %d, robot %d", k, i);
    }
    printed_destroy(P);
    end(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printed_recursion_is_the_library),
      cmocka_unit_test(printed_recursion_is_the_closed_form),
  };
  return cmocka_run_group_tests_name("printed", tests, NULL, NULL);
}
