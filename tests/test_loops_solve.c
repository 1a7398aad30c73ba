/* SPDX-License-Identifier: BSD-2-Clause */
/* What makes loops fast, against slow twins: the orthogonal decomposition against singular values, A from screws
 * against differences of phi, and the sparse solution against plain elimination, on random trees of all joints and
 * mimics. */
#include "linkage.h"
#include "models.h"

#include "dense/dense.h"

enum { MOST = 24, MODELS = 40, V = 64, ROWS = 24, WIDE = 240 };

/* ---- decompositions ---- */

typedef struct room {
  double U[MOST * MOST], V[MOST * MOST], s[MOST], y[MOST];
  int pivot[MOST];
} room;

static jn_decomposition in(room *r) {
  return (jn_decomposition){.U = r->U, .V = r->V, .s = r->s, .y = r->y, .pivot = r->pivot};
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Products of random factors of a rank: both find it, and the same shortest solutions. */
static void reflections_solve_as_singular_values_do(void **state) {
  (void)state;
  uint64_t s = seed("decompositions");
  static room r1, r2;
  for (int i = 0; i < 300; i++) {
    int rows = 1 + (int)(11.9 * (1 + uniform(&s))), n = 1 + (int)(11.9 * (1 + uniform(&s))),
        least = rows < n ? rows : n, rank = (int)(0.5 * (1 + uniform(&s)) * (least + 0.99));
    double L[MOST * MOST], R[MOST * MOST], B[MOST * MOST], b[MOST], x[2][MOST];
    fill(&s, L, rows * rank, 1);
    fill(&s, R, rank * n, 1);
    fill(&s, b, MOST, 1);
    for (int e = 0; e < rows * n; e++) {
      B[e] = 0;
      for (int k = 0; k < rank; k++) B[e] += L[e / n * rank + k] * R[k * n + e % n];
    }
    jn_decomposition svd = in(&r1), cod = in(&r2);
    jn__svd(&svd, rows, n, B, 1e-9);
    jn__cod(&cod, rows, n, B, 1e-9);
    check(svd.rank == rank && cod.rank == rank, "%d x %d of rank %d: svd %d, cod %d", rows, n, rank, svd.rank,
          cod.rank);
    check(cod.dropped < 1e-12 && svd.dropped < 1e-12, "dropped %g, %g", cod.dropped, svd.dropped);
    /* pivots estimate the weakest direction within the factor that theory allows and practice does not see */
    check(rank == 0 || (cod.weakest >= svd.weakest / 100 && cod.weakest <= 100 * svd.weakest), "weakest %g, %g",
          cod.weakest, svd.weakest);
    double condition = 1 / (svd.weakest * svd.weakest);
    jn__svd_solve(&svd, b, x[0]);
    jn__cod_solve(&cod, b, x[1]);
    for (int k = 0; k < n; k++)
      check(fabs(x[0][k] - x[1][k]) < 1e-13 * condition * (1 + largest(x[0], n)), "solution %g, %g", x[0][k], x[1][k]);
    memcpy(x[0], b, sizeof b);
    memcpy(x[1], b, sizeof b);
    jn__svd_solve_normal(&svd, x[0]);
    jn__cod_solve_normal(&cod, x[1]);
    for (int k = 0; k < n; k++)
      check(fabs(x[0][k] - x[1][k]) < 1e-12 * condition * (1 + largest(x[0], n)), "normal %g, %g", x[0][k], x[1][k]);
  }
}

/* ---- trees of all joints ---- */

/* A random tree (every third with mimics) and loops of several kinds between its links. */
static jn_model *random_loops(uint64_t *s) {
  static const jn_loop_type types[] = {JN_LOOP_REVOLUTE,      JN_LOOP_POINT_CONTACT, JN_LOOP_DISTANCE, JN_LOOP_WELD,
                                       JN_LOOP_SLIDING_POINT, JN_LOOP_UNIVERSAL,     JN_LOOP_PRISMATIC};
  jn_model *tree = random_tree(s, 12), *m;
  jn_builder *b;
  check_ok(jn_model_thaw(tree, NULL, &b));
  for (int i = 0; i < 2; i++) {
    int links = jn_link_count(tree), one = (int)(0.4999 * (1 + uniform(s)) * links),
        other = (one + 1 + (int)(0.4999 * (1 + uniform(s)) * (links - 2))) % links;
    jn_loop g;
    jn_loop_init(&g);
    g.name = i ? "second" : "first";
    g.type = types[(int)(0.4999 * (1 + uniform(s)) * 7)];
    g.link_a = i ? jn_link_name(tree, one) : "world";
    g.link_b = jn_link_name(tree, other);
    random_placement(s, g.placement_a);
    random_placement(s, g.placement_b);
    fill(s, g.axis, 3, 1);
    fill(s, g.axis2, 3, 1);
    g.distance = 0.7;
    check_ok(jn_builder_add_loop(b, &g));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  jn_model_destroy(tree);
  return m;
}

static void rows_are_derivatives_of_the_conditions(void **state) {
  (void)state;
  uint64_t s = seed("rows of A");
  if (jn_variant_epsilon() > 1e-10) return;
  for (int i = 0; i < MODELS; i++) {
    jn_model *m = random_loops(&s);
    jn_loops *l;
    jn_work *w;
    static double A[ROWS * V];
    double q[2 * V], moved[2 * V], phi[2][ROWS], step[V];
    const double h = 1e-5;
    check_ok(jn_loops_create(m, NULL, &l));
    check_ok(jn_work_create(m, &w));
    int n = jn_model_nv(m), rows = jn_loops_rows(l);
    check_ok(jn_random(m, &s, q));
    check_ok(jn_loops_constraint(l, q, NULL, NULL, A, NULL));
    for (int k = 0; k < n; k++) {
      for (int e = 0; e < 2; e++) {
        memset(step, 0, sizeof step);
        step[k] = e ? h : -h;
        check_ok(jn_integrate(m, w, q, step, moved));
        check_ok(jn_loops_constraint(l, moved, NULL, phi[e], NULL, NULL));
      }
      for (int r = 0; r < rows; r++) {
        double slope = (phi[1][r] - phi[0][r]) / (2 * h);
        check(fabs(slope - A[r * n + k]) < 1e-8 * (1 + largest(A, rows * n)), "model %d, row %d by q_%d (%s): %g, %g",
              i, r, k, jn_joint_type_name(jn_joint_type_of(m, jn_coordinate_joint(m, k, NULL))), A[r * n + k], slope);
      }
    }
    jn_work_destroy(w);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* Gauss with exchange of rows; 0 when singular. b becomes x. */
static int eliminate(int n, double *M, double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) p = fabs(M[i * n + k]) > fabs(M[p * n + k]) ? i : p;
    if (fabs(M[p * n + k]) < 1e-9) return 0;
    for (int j = 0; j <= n; j++) {
      double *x = j < n ? &M[k * n + j] : &b[k], *y = j < n ? &M[p * n + j] : &b[p], t = *x;
      *x = *y, *y = t;
    }
    for (int i = k + 1; i < n; i++) {
      double f = M[i * n + k] / M[k * n + k];
      for (int j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= M[k * n + j] * b[j];
    b[k] /= M[k * n + k];
  }
  return 1;
}

/* [M -A^T; A 0] (a, lambda) = (tau - bias, -dA v), where A has full rank. */
static void sparse_factors_solve_the_whole_system(void **state) {
  (void)state;
  uint64_t s = seed("whole systems");
  if (jn_variant_epsilon() > 1e-10) return;
  int solved = 0;
  for (int i = 0; i < MODELS; i++) {
    jn_model *m = random_loops(&s);
    jn_loops *l;
    jn_work *w;
    static double A[ROWS * V], M[V * V], S[(V + ROWS) * (V + ROWS)];
    double q[2 * V], v[V], tau[V], bias[V], dAv[ROWS], x[V + ROWS], jet[2 * V], lambda[ROWS];
    check_ok(jn_loops_create(m, NULL, &l));
    check_ok(jn_work_create(m, &w));
    int n = jn_model_nv(m), rows = jn_loops_rows(l), all = n + rows;
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1);
    fill(&s, tau, n, 3);
    check_ok(jn_loops_constraint(l, q, v, NULL, A, dAv));
    check_ok(jn_mass_matrix(m, w, q, M));
    check_ok(jn_bias_forces(m, w, q, v, bias));
    memset(S, 0, sizeof S);
    for (int r = 0; r < n; r++) {
      x[r] = tau[r] - bias[r];
      for (int c = 0; c < n; c++) S[r * all + c] = M[r * n + c];
      for (int k = 0; k < rows; k++) S[r * all + n + k] = -A[k * n + r], S[(n + k) * all + r] = A[k * n + r];
    }
    for (int k = 0; k < rows; k++) x[n + k] = -dAv[k];
    jn_loops_health h;
    check_ok(jn_loops_health_at(l, q, &h, NULL));
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, lambda));
    if (h.rank == rows && h.weakest > 1e-3 && eliminate(all, S, x)) {
      solved++;
      for (int r = 0; r < n; r++)
        check(fabs(jet[n + r] - x[r]) < 1e-8 * (1 + largest(x, n)), "model %d, a_%d: %g, %g", i, r, jet[n + r], x[r]);
      for (int k = 0; k < rows; k++)
        check(fabs(lambda[k] - x[n + k]) < 1e-8 * (1 + largest(x + n, rows)), "model %d, lambda_%d: %g, %g", i, k,
              lambda[k], x[n + k]);
    }
    jn_work_destroy(w);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
  check(solved > MODELS / 2, "only %d systems could be compared", solved);
}

/* Columns of da and dlambda by q or by v from central differences, wherever conditions are independent (then any change
 * is allowed). */
static void differences(jn_loops *l, const jn_model *m, jn_work *w, int by_v, int k, const double *q, const double *v,
                        const double *tau, double *da, double *dlambda) {
  const double e = 1e-5;
  int n = jn_model_nv(m), rows = jn_loops_rows(l);
  double moved[2 * V], faster[V], step[V], side[2][2 * V], multiplier[2][ROWS];
  for (int b = 0; b < 2; b++) {
    memset(step, 0, sizeof step);
    memcpy(faster, v, sizeof(double) * (size_t)n);
    *(by_v ? &faster[k] : &step[k]) += b ? e : -e;
    check_ok(jn_integrate(m, w, q, step, moved));
    check_ok(jn_loops_forward_dynamics_jet(l, 0, moved, faster, tau, NULL, side[b], multiplier[b]));
  }
  for (int r = 0; r < n; r++) da[r] = (side[1][n + r] - side[0][n + r]) / (2 * e);
  for (int r = 0; r < rows; r++) dlambda[r] = (multiplier[1][r] - multiplier[0][r]) / (2 * e);
}

static void derivatives_hold_for_all_joints(void **state) {
  (void)state;
  uint64_t s = seed("derivatives of all joints");
  if (jn_variant_epsilon() > 1e-10) return;
  int compared = 0;
  for (int i = 0; i < MODELS; i++) {
    jn_model *m = random_loops(&s);
    jn_loops *l;
    jn_work *w;
    static double D[2][V * V], L[2][ROWS * V];
    double q[2 * V], v[V], tau[V], jet[2 * V], lambda[ROWS], da[V], dlambda[ROWS];
    jn_loops_health h;
    check_ok(jn_loops_create(m, NULL, &l));
    check_ok(jn_work_create(m, &w));
    int n = jn_model_nv(m), rows = jn_loops_rows(l);
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1);
    fill(&s, tau, n, 3);
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, lambda));
    check_ok(jn_loops_health_at(l, q, &h, NULL));
    const jn_loops_derivatives d = {.da_dq = D[0], .dlambda_dq = L[0], .da_dv = D[1], .dlambda_dv = L[1]};
    check_ok(jn_loops_dynamics_derivatives(l, NULL, q, v, jet + n, lambda, NULL, JN_IN_BODY, &d));
    for (int k = 0; k < 2 * n && h.rank == rows && h.weakest > 0.02; k++, compared++) {
      int x = k / n, c = k % n;
      differences(l, m, w, x, c, q, v, tau, da, dlambda);
      for (int r = 0; r < n; r++)
        check(fabs(da[r] - D[x][r * n + c]) < 1e-5 * (1 + largest(D[x], n * n)), "model %d, a_%d by %s_%d", i, r,
              x ? "v" : "q", c);
      for (int r = 0; r < rows; r++)
        check(fabs(dlambda[r] - L[x][r * n + c]) < 1e-5 * (1 + largest(L[x], rows * n)), "model %d, lambda_%d by %s_%d",
              i, r, x ? "v" : "q", c);
    }
    jn_work_destroy(w);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
  check(compared > 200, "only %d columns could be compared", compared);
}

/* All derivatives of forward dynamics, of one of two ways; a and lambda of it. */
typedef struct derivatives {
  double a[2 * V], lambda[ROWS], da[5][WIDE * V], dlambda[5][WIDE * ROWS];
} derivatives;

static jn_loops_derivatives list_of(derivatives *x) {
  return (jn_loops_derivatives){.da_dq = x->da[0],
                                .da_dv = x->da[1],
                                .da_dgiven = x->da[2],
                                .da_dwrench = x->da[3],
                                .da_dpi = x->da[4],
                                .dlambda_dq = x->dlambda[0],
                                .dlambda_dv = x->dlambda[1],
                                .dlambda_dgiven = x->dlambda[2],
                                .dlambda_dwrench = x->dlambda[3],
                                .dlambda_dpi = x->dlambda[4]};
}

static void compare(int model, const char *what, int n, const double *x, const double *y) {
  for (int i = 0; i < n; i++)
    check(fabs(x[i] - y[i]) <= 1e-9 * (1 + largest(y, n)), "model %d, %s, number %d: %g, %g", model, what, i, x[i],
          y[i]);
}

/* Forward dynamics and its derivatives in one call and in two, under wrenches held in the world's axes. */
static void together_as_one_after_the_other(void **state) {
  (void)state;
  uint64_t s = seed("dynamics with derivatives");
  if (jn_variant_epsilon() > 1e-10) return;
  static derivatives one, two;
  for (int i = 0; i < MODELS; i++) {
    jn_model *m = random_loops(&s);
    jn_loops *l;
    double q[2 * V], v[V], tau[V], wrench[WIDE];
    check_ok(jn_loops_create(m, NULL, &l));
    int n = jn_model_nv(m), rows = jn_loops_rows(l), links = jn_link_count(m);
    const int wide[5] = {n, n, n, 6 * links, 10 * links};
    check(wide[4] <= WIDE, "%d links", links);
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1);
    fill(&s, tau, n, 3);
    fill(&s, wrench, 6 * links, 1);
    const jn_loops_derivatives d1 = list_of(&one), d2 = list_of(&two);
    check_ok(jn_loops_forward_dynamics_derivatives(l, q, v, tau, wrench, JN_IN_ALIGNED, one.a + n, one.lambda, &d1));
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, wrench, two.a, two.lambda));
    check_ok(jn_loops_dynamics_derivatives(l, NULL, q, v, two.a + n, two.lambda, wrench, JN_IN_ALIGNED, &d2));
    compare(i, "a", n, one.a + n, two.a + n);
    compare(i, "lambda", rows, one.lambda, two.lambda);
    for (int k = 0; k < 5; k++) {
      compare(i, "da", n * wide[k], one.da[k], two.da[k]);
      compare(i, "dlambda", rows * wide[k], one.dlambda[k], two.dlambda[k]);
    }
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* After states that are no numbers the answers are those of before, to the last bit. */
static void nothing_is_left_of_a_bad_state(void **state) {
  (void)state;
  uint64_t s = seed("bad states");
  static derivatives one, two, bad;
  for (int i = 0; i < MODELS; i++) {
    jn_model *m = random_loops(&s);
    jn_loops *l;
    double q[2 * V], v[V], tau[V], nowhere[2 * V];
    check_ok(jn_loops_create(m, NULL, &l));
    int n = jn_model_nv(m);
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1);
    fill(&s, tau, n, 3);
    for (int k = 0; k < 2 * V; k++) nowhere[k] = NAN;
    const jn_loops_derivatives d1 = list_of(&one), d2 = list_of(&two), d3 = list_of(&bad);
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    check_ok(jn_loops_forward_dynamics_derivatives(l, q, v, tau, NULL, JN_IN_BODY, one.a, one.lambda, &d1));
    jn_loops_forward_dynamics_derivatives(l, q, nowhere, tau, NULL, JN_IN_BODY, bad.a, bad.lambda, &d3);
    jn_loops_forward_dynamics_derivatives(l, nowhere, v, tau, NULL, JN_IN_BODY, bad.a, bad.lambda, &d3);
    check_ok(jn_loops_forward_dynamics_derivatives(l, q, v, tau, NULL, JN_IN_BODY, two.a, two.lambda, &d2));
    check(memcmp(&one, &two, sizeof one) == 0, "model %d remembers", i);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* phi'' = -2 b phi' - b^2 phi where loops are open and opening. */
static void violations_are_pulled_back(void **state) {
  (void)state;
  uint64_t s = seed("Baumgarte");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = linkage(4, (const double[]){0.5, 0.7, 0.7, 0.5}, 0.6);
  jn_loops *l;
  jn_loops_options options;
  jn_loops_options_init(&options);
  options.baumgarte = 7;
  check_ok(jn_loops_create(m, &options, &l));
  for (int i = 0; i < 20; i++) {
    double q[4], v[4], tau[4], jet[8], phi[5], A[20], dAv[5];
    fill(&s, q, 4, 2);
    fill(&s, v, 4, 2);
    fill(&s, tau, 4, 2);
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, NULL));
    check_ok(jn_loops_constraint(l, q, v, phi, A, dAv));
    for (int r = 0; r < 2; r++) { /* those in the plane */
      double sum = dAv[r] + 49 * phi[r];
      for (int k = 0; k < 4; k++) sum += A[r * 4 + k] * (jet[4 + k] + 14 * v[k]);
      check(fabs(sum) < 1e-9 * (1 + largest(jet, 8)), "row %d: %g is left", r, sum);
    }
  }
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reflections_solve_as_singular_values_do),
      cmocka_unit_test(rows_are_derivatives_of_the_conditions),
      cmocka_unit_test(sparse_factors_solve_the_whole_system),
      cmocka_unit_test(derivatives_hold_for_all_joints),
      cmocka_unit_test(together_as_one_after_the_other),
      cmocka_unit_test(nothing_is_left_of_a_bad_state),
      cmocka_unit_test(violations_are_pulled_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
