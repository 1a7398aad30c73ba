/* SPDX-License-Identifier: BSD-2-Clause */
/* Coupled coordinates (mimic): with G the matrix of ratios from the coordinates to those of the same tree without
 * coupling, everything follows from that tree by projection, computed densely here: M = G^T M' G, tau = G^T tau', ...
 * Followers are on the branch of their leader, on others, before it and after it, several of one coordinate, with
 * spherical and free joints in between. */
#include "dynamics_help.h"

enum { LINKS = 14, TREES = 120 };

typedef struct plan {
  jn_joint_type type[LINKS];
  int parent[LINKS], leader[LINKS]; /* -1: none */
} plan;

static int moves_by_one(jn_joint_type type) {
  return type == JN_REVOLUTE || type == JN_CONTINUOUS || type == JN_PRISMATIC || type == JN_HELICAL;
}

static int random_index(uint64_t *s, int n) { return (int)(0.4999 * (1 + uniform(s)) * n); }

/* i % 4: anything; one chain; limbs from a free base; two limbs from the world, where each joint of the second follows
 * one of the first. */
static plan random_plan(uint64_t *s, int i) {
  static const jn_joint_type types[] = {JN_REVOLUTE, JN_PRISMATIC, JN_REVOLUTE, JN_HELICAL,  JN_CONTINUOUS,
                                        JN_REVOLUTE, JN_UNIVERSAL, JN_REVOLUTE, JN_SPHERICAL};
  plan p;
  for (int k = 0; k < LINKS; k++) {
    p.type[k] = types[random_index(s, i % 4 == 3 ? 6 : 9)];
    p.parent[k] = i % 4 == 0 ? random_index(s, k + 1) - 1 : i % 4 == 3 ? (k % (LINKS / 2) ? k - 1 : -1) : k - 1;
    if (i % 4 == 2 && k % 4 == 1) p.parent[k] = 0;
    p.leader[k] = -1;
  }
  if (i % 4 == 2) p.type[0] = JN_FREE;
  for (int k = 0; k < LINKS; k++) {
    int l = i % 4 == 3 ? (k < LINKS / 2 ? k : k - LINKS / 2) : random_index(s, LINKS);
    int wanted = i % 4 == 3 || uniform(s) > 0.1;
    if (l == k || !wanted || !moves_by_one(p.type[k]) || !moves_by_one(p.type[l]) || p.leader[l] >= 0) continue;
    int led = 0;
    for (int j = 0; j < LINKS; j++) led |= p.leader[j] == k;
    if (!led) p.leader[k] = l;
  }
  return p;
}

static jn_model *build(const plan *p, uint64_t s, int coupled) {
  jn_builder *b;
  jn_model *m;
  jn_error error;
  check_ok(jn_builder_create(NULL, &b));
  for (int k = 0; k < LINKS; k++) {
    char name[32], parent[32], leader[32];
    jn_link l;
    jn_link_init(&l);
    snprintf(name, sizeof name, "link%d", k);
    snprintf(parent, sizeof parent, "link%d", p->parent[k]);
    snprintf(leader, sizeof leader, "link%d", p->leader[k]);
    l.name = name;
    l.parent = p->parent[k] < 0 ? NULL : parent;
    random_placement(&s, l.placement);
    random_inertia(&s, l.inertia);
    random_joint(&s, p->type[k], &l.joint);
    double ratio = uniform(&s), offset = uniform(&s);
    if (coupled && p->leader[k] >= 0) {
      l.joint.mimic = leader;
      l.joint.mimic_ratio = ratio < 0 ? ratio - 0.5 : ratio + 0.5;
      l.joint.mimic_offset = offset;
    }
    check_ok(jn_builder_add_link(b, &l));
  }
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

/* The tree x with coupled coordinates and the tree y without, in the same state; G [nv of y x nv of x]. */
typedef struct twins {
  state x, y;
  double G[MOST_V * MOST_V];
} twins;

static void begin_twins(twins *o, uint64_t *s, int i) {
  plan p = random_plan(s, i);
  uint64_t own = *s;
  uniform(s);
  o->x.m = build(&p, own, 1);
  o->y.m = build(&p, own, 0);
  randomize(&o->x, s);
  randomize(&o->y, s);
  memset(o->G, 0, sizeof o->G);
  for (int l = 0; l < o->x.nlink; l++) {
    int leader = l, q = jn_joint_q(o->y.m, l), v = jn_joint_v(o->y.m, l), nv = jn_joint_nv(o->y.m, l);
    double ratio = 1, offset = 0;
    int follows = jn_joint_mimic(o->x.m, l, &leader, &ratio, &offset);
    if (!follows) leader = l;
    for (int c = 0; c < jn_joint_nq(o->y.m, l); c++)
      o->y.q[q + c] = (follows ? ratio : 1) * o->x.q[jn_joint_q(o->x.m, leader) + c] + (follows ? offset : 0);
    for (int c = 0; c < nv; c++) o->G[(v + c) * o->x.nv + jn_joint_v(o->x.m, leader) + c] = follows ? ratio : 1;
  }
  for (int r = 0; r < o->y.nv; r++) {
    o->y.v[r] = o->y.a[r] = 0;
    for (int c = 0; c < o->x.nv; c++) {
      o->y.v[r] += o->G[r * o->x.nv + c] * o->x.v[c];
      o->y.a[r] += o->G[r * o->x.nv + c] * o->x.a[c];
    }
  }
}

static void end_twins(twins *o) {
  release(o->x.m, o->x.w);
  release(o->y.m, o->y.w);
}

/* G^T X G */
static void projected(const twins *o, const double *X, double *out) {
  int n = o->x.nv, nd = o->y.nv;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int r = 0; r < nd; r++)
        for (int c = 0; c < nd; c++) sum += o->G[r * n + i] * X[r * nd + c] * o->G[c * n + j];
      out[i * n + j] = sum;
    }
}

static void check_projection(const twins *o, const double *X, const double *whole, const char *what) {
  int n = o->x.nv;
  double expected[MOST_V * MOST_V];
  projected(o, whole, expected);
  check_close(X, expected, n * n, norm_or_1(expected, n * n), 500, "%s = G^T %s' G", what, what);
}

static void matrices_are_projections(void **st) {
  (void)st;
  uint64_t s = seed("projection");
  for (int i = 0; i < TREES; i++) {
    twins o;
    begin_twins(&o, &s, i);
    state *x = &o.x, *y = &o.y;
    double A[3][MOST_V * MOST_V], B[3][MOST_V * MOST_V];
    check_ok(jn_mass_matrix(x->m, x->w, x->q, A[0]));
    check_ok(jn_mass_matrix(y->m, y->w, y->q, B[0]));
    check_projection(&o, A[0], B[0], "M");
    check_ok(jn_inverse_dynamics_derivatives(x->m, x->w, x->q, x->v, x->a, NULL, JN_IN_BODY, A[0], A[1], A[2], NULL));
    check_ok(jn_inverse_dynamics_derivatives(y->m, y->w, y->q, y->v, y->a, NULL, JN_IN_BODY, B[0], B[1], B[2], NULL));
    check_projection(&o, A[0], B[0], "dtau/dq");
    check_projection(&o, A[1], B[1], "dtau/dv");
    check_projection(&o, A[2], B[2], "dtau/da");
    end_twins(&o);
  }
}

/* C <- A B, all [n x n] */
static void product(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i * n + j] = 0;
      for (int k = 0; k < n; k++) C[i * n + j] += A[i * n + k] * B[k * n + j];
    }
}

static void solutions_solve_the_equations(void **st) {
  (void)st;
  uint64_t s = seed("solutions");
  for (int i = 0; i < TREES; i++) {
    twins o;
    begin_twins(&o, &s, i);
    state *x = &o.x;
    int n = x->nv;
    double M[MOST_V * MOST_V], inverse[MOST_V * MOST_V], factor[MOST_V * MOST_V], one[MOST_V * MOST_V];
    double D[4][MOST_V * MOST_V], tau[MOST_V], a[MOST_V], th[MOST_V], b[MOST_V];
    unsigned char given[MOST_V];
    check_ok(jn_mass_matrix(x->m, x->w, x->q, M));
    check_ok(jn_mass_matrix_inverse(x->m, x->w, x->q, inverse));
    double k = condition(M, inverse, n), size = norm(x->a, n);
    product(n, M, inverse, one);
    for (int c = 0; c < n; c++) one[c * (n + 1)] -= 1;
    memset(D[0], 0, sizeof D[0]);
    check_close(one, D[0], n * n, 1, 200 * k * n, "M M^-1 = 1");
    check_ok(jn_inverse_dynamics(x->m, x->w, x->q, x->v, x->a, x->W, tau));
    double loss = 200 * k * (1 + norm(tau, n) / 10);
    check_ok(jn_forward_dynamics(x->m, x->w, x->q, x->v, tau, x->W, a));
    check_close(a, x->a, n, size, loss, "FD(ID(a)) = a, tree %d, condition %g", i, k);
    for (int c = 0; c < n; c++) given[c] = uniform(&s) > 0;
    check_ok(jn_hybrid_dynamics(x->m, x->w, given, x->q, x->v, x->a, tau, x->W, a, th));
    check_close(a, x->a, n, size, loss, "hybrid: accelerations, tree %d", i);
    check_close(th, tau, n, norm(tau, n), loss, "hybrid: forces, tree %d", i);
    check_ok(jn_mass_factor(x->m, x->w, x->q, factor));
    for (int r = 0; r < n; r++) {
      b[r] = 0;
      for (int c = 0; c < n; c++) b[r] += M[r * n + c] * x->a[c];
    }
    check_ok(jn_mass_solve(x->m, x->w, factor, b, a));
    check_close(a, x->a, n, size, 200 * k, "M x = b by factors");
    check_ok(
        jn_forward_dynamics_derivatives(x->m, x->w, x->q, x->v, tau, NULL, JN_IN_BODY, a, D[0], D[1], inverse, NULL));
    check_ok(jn_inverse_dynamics_derivatives(x->m, x->w, x->q, x->v, a, NULL, JN_IN_BODY, D[2], D[3], NULL, NULL));
    for (int e = 0; e < 2; e++) {
      double solved[MOST_V * MOST_V], minus[MOST_V * MOST_V];
      product(n, inverse, D[2 + e], solved);
      for (int c = 0; c < n * n; c++) minus[c] = -solved[c];
      check_close(D[e], minus, n * n, norm_or_1(minus, n * n), 2000 * k, "da/d%s = -M^-1 dtau/d%s", e ? "v" : "q",
                  e ? "v" : "q");
    }
    end_twins(&o);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_are_projections),
      cmocka_unit_test(solutions_solve_the_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
