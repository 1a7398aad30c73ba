/* SPDX-License-Identifier: BSD-2-Clause */
/* Regressors by what they must reproduce, on random trees of every joint type with coupled coordinates; derivatives by
 * exact linearity in the parameters. */
#include "models.h"

#include "jounce/regressor.h"

enum { MODELS = 60, TOP = 4, V = 40, LINKS = 12, P = 10 * LINKS };

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nv, nlink, np;
  double q[60], v[(TOP + 2) * V], v_r[V], a_r[V], W[6 * LINKS], pi[P];
  const double *a;
} state;

static void begin(state *x, uint64_t *s, int i) {
  x->m = random_tree(s, 2 + i % (LINKS - 2));
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  x->np = jn_parameter_count(x->m);
  check_ok(jn_work_create_order(x->m, TOP, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, (TOP + 2) * x->nv, 1);
  fill(s, x->v_r, x->nv, 1);
  fill(s, x->a_r, x->nv, 1);
  fill(s, x->W, 6 * x->nlink, 2);
  x->a = x->v + x->nv;
  check_ok(jn_parameters(x->m, x->pi));
}

/* out [rows] = Y pi */
static void times(const double *Y, const double *pi, int rows, int np, double *out) {
  for (int r = 0; r < rows; r++) {
    out[r] = 0;
    for (int c = 0; c < np; c++) out[r] += Y[r * np + c] * pi[c];
  }
}

/* The armature that each coordinate sees: M of a robot without any mass. */
static void armature_of(const state *x, double *arm) {
  static double zero[P], M[V * V];
  jn_model *m;
  jn_work *w;
  check_ok(jn_model_with_parameters(x->m, zero, &m));
  check_ok(jn_work_create(m, &w));
  check_ok(jn_mass_matrix(m, w, x->q, M));
  for (int k = 0; k < x->nv; k++) arm[k] = M[k * (x->nv + 1)];
  jn_work_destroy(w);
  jn_model_destroy(m);
}

static void regressors_times_parameters(void **st) {
  (void)st;
  uint64_t s = seed("Y pi");
  static double Y[V * P], M[V * V], C[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    double out[V], expected[V], arm[V], g[V], F[6 * LINKS];
    begin(&x, &s, i);
    int n = x.nv;
    armature_of(&x, arm);
    check_ok(jn_regressor(x.m, x.w, x.q, x.v, x.a, Y));
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, expected));
    times(Y, x.pi, n, x.np, out);
    for (int k = 0; k < n; k++) out[k] += arm[k] * x.a[k];
    add_spring_forces(x.m, x.q, NULL, 0, out);
    check_close(out, expected, n, norm_or_1(expected, n), 1000, "tau = Y pi + armature a + springs");
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_coriolis_matrix(x.m, x.w, x.q, x.v, C));
    check_ok(jn_gravity_forces(x.m, x.w, x.q, g));
    check_ok(jn_slotine_li_regressor(x.m, x.w, x.q, x.v, x.v_r, x.a_r, Y));
    times(Y, x.pi, n, x.np, out);
    for (int r = 0; r < n; r++) {
      out[r] += arm[r] * x.a_r[r];
      expected[r] = g[r];
      for (int c = 0; c < n; c++) expected[r] += M[r * n + c] * x.a_r[c] + C[r * n + c] * x.v_r[c];
    }
    check_close(out, expected, n, norm_or_1(expected, n) + norm_or_1(C, n * n), 2000, "M a_r + C v_r + g = Y pi");
    check_ok(jn_gravity_regressor(x.m, x.w, x.q, Y));
    times(Y, x.pi, n, x.np, out);
    check_close(out, g, n, norm_or_1(g, n), 1000, "g = Y pi");
    check_ok(jn_energy_regressor(x.m, x.w, x.q, x.v, Y));
    check_ok(jn_energy(x.m, x.w, x.q, x.v, expected));
    times(Y, x.pi, 2, x.np, out);
    for (int k = 0; k < n; k++) out[0] += 0.5 * arm[k] * x.v[k] * x.v[k];
    out[1] += spring_energy(x.m, x.q);
    check_close(out, expected, 2, norm_or_1(expected, 2), 1000, "energies");
    check_ok(jn_momentum_regressor(x.m, x.w, x.q, x.v, Y));
    check_ok(jn_momentum(x.m, x.w, JN_ABOUT_ORIGIN, x.q, x.v, expected));
    times(Y, x.pi, 6, x.np, out);
    check_close(out, expected, 6, norm_or_1(expected, 6), 1000, "momentum");
    check_ok(jn_joint_wrenches(x.m, x.w, x.q, x.v, x.a, NULL, F));
    for (int l = 0; l < x.nlink; l++) {
      check_ok(jn_joint_wrench_regressor(x.m, x.w, l, x.q, x.v, x.a, Y));
      times(Y, x.pi, 6, x.np, out);
      check_close(out, F + 6 * l, 6, norm_or_1(F, 6 * x.nlink), 1000, "wrench through joint %d", l);
    }
    release(x.m, x.w);
  }
}

static void regressor_jets_times_parameters(void **st) {
  (void)st;
  uint64_t s = seed("Y^(k) pi");
  static double Y[(TOP + 1) * V * P], tau[(TOP + 1) * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    double out[V], arm[V];
    begin(&x, &s, i);
    int n = x.nv;
    armature_of(&x, arm);
    check_ok(jn_regressor_jet(x.m, x.w, TOP, x.q, x.v, Y));
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, TOP, x.q, x.v, NULL, tau));
    for (int k = 0; k <= TOP; k++) {
      times(Y + k * n * x.np, x.pi, n, x.np, out);
      for (int c = 0; c < n; c++) out[c] += arm[c] * x.v[(k + 1) * n + c];
      add_spring_forces(x.m, x.q, x.v, k, out);
      check_close(out, tau + k * n, n, norm_or_1(tau + k * n, n), 4000, "tau^(%d) = Y^(%d) pi", k, k);
    }
    release(x.m, x.w);
  }
}

/* M, C, g are linear in each parameter, so their difference between two models is exact. */
static void tensors_by_exact_linearity(void **st) {
  (void)st;
  uint64_t s = seed("dM/dpi");
  static double dM[P * V * V], dC[P * V * V], dg[V * P], one[V * V], two[V * V], Y[V * P], x1[V], x2[V];
  for (int i = 0; i < MODELS / 2; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv, square = n * n;
    check_ok(jn_parameter_derivatives(x.m, x.w, x.q, x.v, dM, dC, dg));
    for (int p = 0; p < x.np; p += 3) {
      jn_model *m;
      jn_work *w;
      double pi[P], size = norm_or_1(dM, x.np * square) + norm_or_1(dC, x.np * square);
      memcpy(pi, x.pi, sizeof pi);
      pi[p] += 0.5;
      check_ok(jn_model_with_parameters(x.m, pi, &m));
      check_ok(jn_work_create(m, &w));
      check_ok(jn_mass_matrix(x.m, x.w, x.q, one));
      check_ok(jn_mass_matrix(m, w, x.q, two));
      for (int k = 0; k < square; k++) two[k] = (two[k] - one[k]) / 0.5;
      check_close(dM + p * square, two, square, size + norm_or_1(one, square), 4000, "dM by parameter %d", p);
      check_ok(jn_coriolis_matrix(x.m, x.w, x.q, x.v, one));
      check_ok(jn_coriolis_matrix(m, w, x.q, x.v, two));
      for (int k = 0; k < square; k++) two[k] = (two[k] - one[k]) / 0.5;
      check_close(dC + p * square, two, square, size + norm_or_1(one, square), 4000, "dC by parameter %d", p);
      check_ok(jn_gravity_forces(x.m, x.w, x.q, one));
      check_ok(jn_gravity_forces(m, w, x.q, two));
      for (int k = 0; k < n; k++) one[k] = (two[k] - one[k]) / 0.5, two[k] = dg[k * x.np + p];
      check_close(two, one, n, norm_or_1(dg, n * x.np) + 200, 4000, "dg by parameter %d", p);
      jn_work_destroy(w);
      jn_model_destroy(m);
    }
    check_ok(jn_inertia_regressor(x.m, x.w, x.q, x.v, x.v_r, x.a_r, Y)); /* the tensors times vectors */
    for (int p = 0; p < x.np; p++) {
      for (int r = 0; r < n; r++) {
        x1[r] = Y[r * x.np + p], x2[r] = 0;
        for (int c = 0; c < n; c++)
          x2[r] += dM[p * square + r * n + c] * x.a_r[c] + dC[p * square + r * n + c] * x.v_r[c];
      }
      check_close(x1, x2, n, norm_or_1(dC, x.np * square), 2000, "products with vectors, parameter %d", p);
    }
    release(x.m, x.w);
  }
}

/* Forward and hybrid dynamics: against one scalar at a time (another recursion). */
static void solved_dynamics_by_scalars(void **st) {
  (void)st;
  uint64_t s = seed("da/dpi");
  static double dpi[V * P], da[V * P], dtau[V * P], room[80 * LINKS], M[V * V], inverse[V * V];
  for (int i = 0; i < MODELS / 2; i++) {
    state x;
    unsigned char prescribed[V];
    double a[V], tau[V], out[V], one[V], two[V];
    begin(&x, &s, i);
    int n = x.nv;
    for (int k = 0; k < n; k++) prescribed[k] = uniform(&s) > 0;
    fill(&s, tau, n, 5);
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_mass_matrix_inverse(x.m, x.w, x.q, inverse));
    double lost = norm_or_1(M, n * n) * norm_or_1(inverse, n * n);
    check_ok(jn_forward_dynamics_parameter_derivatives(x.m, x.w, x.q, x.v, tau, x.W, a, dpi));
    check_ok(jn_hybrid_dynamics_parameter_derivatives(x.m, x.w, prescribed, x.q, x.v, x.a, tau, x.W, a, out, da, dtau));
    for (int p = 0; p < x.np; p++) {
      jn_scalar scalar = {JN_BY_INERTIA, p / 10, p % 10};
      jn_perturbation change;
      check_ok(jn_perturbation_of(x.m, x.w, &scalar, x.q, x.v, room, &change));
      check_ok(jn_forward_dynamics_sensitivity(x.m, x.w, x.q, x.v, tau, x.W, 1, &change, a, one));
      for (int r = 0; r < n; r++)
        check_close(&dpi[r * x.np + p], &one[r], 1, norm_or_1(dpi, n * x.np), 2000 * lost, "da/dpi, parameter %d", p);
      check_ok(
          jn_hybrid_dynamics_sensitivity(x.m, x.w, prescribed, x.q, x.v, x.a, tau, x.W, 1, &change, a, out, one, two));
      for (int r = 0; r < n; r++) {
        check_close(&da[r * x.np + p], &one[r], 1, norm_or_1(da, n * x.np), 2000 * lost, "hybrid, a, parameter %d", p);
        check_close(&dtau[r * x.np + p], &two[r], 1, norm_or_1(dtau, n * x.np), 2000 * lost,
                    "hybrid, tau, parameter %d", p);
      }
    }
    release(x.m, x.w);
  }
}

static void joint_columns(void **st) {
  (void)st;
  uint64_t s = seed("friction");
  static double Y[V * 4 * V];
  state x;
  begin(&x, &s, 5);
  int n = x.nv;
  x.v[0] = 0;
  check_ok(jn_joint_regressor(x.m, x.v, x.a, Y));
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 4 * n; c++) {
      double v = x.v[r], values[4] = {x.a[r], v, v > 0 ? 1 : v < 0 ? -1 : 0, 1};
      assert_true(Y[r * 4 * n + c] == (c % n == r ? values[c / n] : 0));
    }
  release(x.m, x.w);
}

/* Any ten numbers are the log-Cholesky coordinates of a body, and come back. */
static void log_cholesky_is_a_chart_of_physical_bodies(void **st) {
  (void)st;
  uint64_t s = seed("log-Cholesky");
  for (int i = 0; i < 1000; i++) {
    double x[10], p[10], back[10], box[10];
    fill(&s, x, 10, 1.5);
    check_ok(jn_inertia_from_log_cholesky(x, p));
    assert_true(jn_inertia_is_physical(p));
    check_ok(jn_inertia_to_log_cholesky(p, back));
    for (int k = 0; k < 10; k++) check(fabs(back[k] - x[k]) < 1e-9, "coordinate %d: %g, %g", k, x[k], back[k]);
    random_inertia(&s, box);
    assert_true(jn_inertia_is_physical(box));
    check_ok(jn_inertia_to_log_cholesky(box, x));
    check_ok(jn_inertia_from_log_cholesky(x, p));
    for (int k = 0; k < 10; k++) check(fabs(p[k] - box[k]) < 1e-13, "parameter %d: %g, %g", k, box[k], p[k]);
    box[4 + i % 3] += 10; /* breaks the triangle inequality */
    assert_false(jn_inertia_is_physical(box));
    check_status(jn_inertia_to_log_cholesky(box, x), JN_ERR_MODEL);
    random_inertia(&s, box);
    box[0] = -box[0];
    assert_false(jn_inertia_is_physical(box));
  }
}

static void misuse_is_refused(void **st) {
  (void)st;
  uint64_t s = seed("misuse");
  static double Y[V * P];
  state x;
  jn_model *m;
  begin(&x, &s, 3);
  assert_int_equal(jn_parameter_count(NULL), 0);
  check_status(jn_parameters(x.m, NULL), JN_ERR_NULL);
  check_status(jn_regressor(x.m, x.w, x.q, NULL, NULL, NULL), JN_ERR_NULL);
  check_status(jn_joint_wrench_regressor(x.m, x.w, x.nlink, x.q, NULL, NULL, Y), JN_ERR_INDEX);
  check_status(jn_regressor_jet(x.m, x.w, TOP + 1, x.q, x.v, Y), JN_ERR_WORK);
  check_status(jn_regressor_jet(x.m, x.w, -1, x.q, x.v, Y), JN_ERR_SIZE);
  x.pi[0] = NAN;
  check_status(jn_model_with_parameters(x.m, x.pi, &m), JN_ERR_MODEL);
  assert_null(m);
  release(x.m, x.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regressors_times_parameters),
      cmocka_unit_test(regressor_jets_times_parameters),
      cmocka_unit_test(tensors_by_exact_linearity),
      cmocka_unit_test(solved_dynamics_by_scalars),
      cmocka_unit_test(joint_columns),
      cmocka_unit_test(log_cholesky_is_a_chart_of_physical_bodies),
      cmocka_unit_test(misuse_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
