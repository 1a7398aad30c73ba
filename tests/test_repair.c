/* SPDX-License-Identifier: BSD-2-Clause */
/* Repaired inertias: they are bodies, nothing nearer is one, and what was fine is untouched. */
#include "models.h"

enum { BODIES = 300, RIVALS = 200 };

static const double MARGIN = JN_REPAIR_MARGIN;

/* Second moments about the centre of mass. */
static void second_moments(const double p[10], double S[3][3]) {
  double m, c[3], I[6];
  jn_inertia_unpack(p, &m, c, I);
  double half = 0.5 * (I[0] + I[1] + I[2]);
  const double A[3][3] = {{half - I[0], -I[3], -I[4]}, {-I[3], half - I[1], -I[5]}, {-I[4], -I[5], half - I[2]}};
  memcpy(S, A, sizeof A);
}

static double apart(double A[3][3], double B[3][3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) sum += (A[i][k] - B[i][k]) * (A[i][k] - B[i][k]);
  return sqrt(sum);
}

/* R diag(s) R^T in the place of the second moments of a body. */
static void with_moments(const double T[16], const double s[3], double m, const double c[3], double p[10]) {
  double S[3][3] = {{0}}, I[6];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      for (int a = 0; a < 3; a++) S[i][k] += T[4 * i + a] * s[a] * T[4 * k + a];
  double trace = S[0][0] + S[1][1] + S[2][2];
  I[0] = trace - S[0][0], I[1] = trace - S[1][1], I[2] = trace - S[2][2];
  I[3] = -S[0][1], I[4] = -S[0][2], I[5] = -S[1][2];
  jn_inertia_pack(m, c, I, p);
}

/* A tensor that breaks a law: one or two of its second moments are negative. */
static void broken_body(uint64_t *s, double p[10], double T[16], double moments[3]) {
  double c[3], size = exp(4 * uniform(s));
  random_placement(s, T);
  fill(s, c, 3, 0.1);
  for (int k = 0; k < 3; k++) moments[k] = 0.02 * size * (1.05 + uniform(s));
  moments[0] = -0.02 * size * (1 + uniform(s)) - 1e-4 * size;
  if (uniform(s) > 0.5) moments[1] *= -1;
  with_moments(T, moments, size, c, p);
}

static void repaired_is_a_body_with_the_same_mass_and_centre(void **st) {
  (void)st;
  uint64_t s = seed("bodies");
  for (int i = 0; i < BODIES; i++) {
    double p[10], r[10], T[16], moments[3], change;
    broken_body(&s, p, T, moments);
    check(!jn_inertia_is_physical(p), "it breaks a law");
    check_ok(jn_inertia_repair(p, MARGIN, r, &change));
    check(jn_inertia_is_physical(r), "it is a body");
    check(memcmp(p, r, 4 * sizeof *p) == 0, "mass and centre of mass stay to the bit");
    double S[3][3], R[3][3], zero[3][3] = {{0}};
    second_moments(p, S);
    second_moments(r, R);
    check(fabs(change - apart(S, R) / apart(S, zero)) < 1e-9 * (1 + change), "change %g", change);
  }
}

/* Of all bodies that keep the margin none is nearer: not the closed form, which is known by construction, and not any
 * that is drawn at random, near or far. */
static void nothing_nearer_is_a_body(void **st) {
  (void)st;
  uint64_t s = seed("nearest");
  for (int i = 0; i < BODIES; i++) {
    double p[10], r[10], T[16], moments[3], c[3], m, positive = 0, expected[10];
    broken_body(&s, p, T, moments);
    check_ok(jn_inertia_repair(p, MARGIN, r, NULL));
    jn_inertia_unpack(p, &m, c, NULL);
    for (int k = 0; k < 3; k++) positive += fmax(moments[k], 0);
    double floor_of = MARGIN * positive, raised[3], S[3][3], R[3][3], X[3][3];
    for (int k = 0; k < 3; k++) raised[k] = fmax(moments[k], floor_of);
    with_moments(T, raised, m, c, expected);
    second_moments(p, S);
    second_moments(r, R);
    second_moments(expected, X);
    check(apart(R, X) <= 1e-12 * apart(S, X), "it is the projection");
    for (int k = 0; k < RIVALS; k++) {
      double U[16], rival[3], q[10], step = pow(10, -6 * (k % 10) / 9.0);
      memcpy(U, T, sizeof U);
      if (k % 2) random_placement(&s, U);
      for (int d = 0; d < 3; d++)
        rival[d] = fmax(floor_of, raised[d] * (1 + step * uniform(&s)) + floor_of * uniform(&s));
      with_moments(U, rival, m, c, q);
      second_moments(q, X);
      check(apart(S, X) >= apart(S, R) * (1 - 1e-12), "rival %d is nearer: %g < %g", k, apart(S, X), apart(S, R));
    }
  }
}

/* The same body in another frame and in other units is repaired to the same body. */
static void repair_does_not_depend_on_frame_and_units(void **st) {
  (void)st;
  uint64_t s = seed("frames");
  for (int i = 0; i < BODIES; i++) {
    double p[10], r[10], T[16], E[16], moments[3], c[3], m, turned[10], back[10], S[3][3], R[3][3], X[3][3] = {{0}};
    broken_body(&s, p, T, moments);
    random_placement(&s, E);
    jn_inertia_unpack(p, &m, c, NULL);
    check_ok(jn_inertia_repair(p, MARGIN, r, NULL));
    double TE[16] = {0}, at[3] = {0.3, -0.2, 0.1}, scaled[3];
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        for (int k = 0; k < 3; k++) TE[4 * a + b] += E[4 * a + k] * T[4 * k + b];
    for (int k = 0; k < 3; k++) scaled[k] = 1e6 * moments[k]; /* kg mm^2 */
    with_moments(TE, scaled, m, at, turned);
    check_ok(jn_inertia_repair(turned, MARGIN, back, NULL));
    second_moments(r, S);
    second_moments(back, R);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++) X[a][b] += E[4 * a + k] * S[k][l] * E[4 * b + l] * 1e6;
    check(apart(R, X) < 1e-9 * 1e6 * m, "%g", apart(R, X));
  }
}

static void what_is_fine_is_untouched(void **st) {
  (void)st;
  uint64_t s = seed("fine");
  for (int i = 0; i < BODIES; i++) {
    double p[10], r[10], change = 1;
    random_inertia(&s, p);
    check_ok(jn_inertia_repair(p, MARGIN, r, &change));
    check(memcmp(p, r, sizeof p) == 0 && change == 0, "a body is copied bit by bit");
  }
  const double none[10] = {0}, point[10] = {2, 0.2, 0, 0, 0, 0.02, 0.02, 0, 0, 0};
  double r[10];
  check_ok(jn_inertia_repair(none, MARGIN, r, NULL)); /* a link without inertia, and a point mass */
  check(memcmp(none, r, sizeof r) == 0, "no inertia");
  check_ok(jn_inertia_repair(point, MARGIN, r, NULL));
  check(memcmp(point, r, sizeof r) == 0, "a point mass");
}

static void what_has_no_nearest_body_is_refused(void **st) {
  (void)st;
  double r[10];
  const double massless[10] = {0, 0, 0, 0, 1, 1, 1, 0, 0, 0}, negative[10] = {-1, 0, 0, 0, 1, 1, 1, 0, 0, 0};
  const double inverted[10] = {1, 0, 0, 0, -1, -1, -1, 0, 0, 0}, nan[10] = {1, 0, 0, 0, NAN, 1, 1, 0, 0, 0};
  const double *all[] = {massless, negative, inverted, nan};
  for (int i = 0; i < 4; i++) {
    check_status(jn_inertia_repair(all[i], MARGIN, r, NULL), JN_ERR_MODEL);
    check(memcmp(all[i], r, sizeof r) == 0, "the copy");
  }
  check_status(jn_inertia_repair(massless, 0, r, NULL), JN_ERR_SIZE);
  check_status(jn_inertia_repair(massless, 0.4, r, NULL), JN_ERR_SIZE);
  check_status(jn_inertia_repair(NULL, MARGIN, r, NULL), JN_ERR_NULL);
  check_status(jn_inertia_repair(massless, MARGIN, NULL, NULL), JN_ERR_NULL);
}

/* I = sum_k I_k a_k a_k^T with orthonormal axes a_k and ascending I_k. */
static void principal_axes_make_up_the_tensor(void **st) {
  (void)st;
  uint64_t s = seed("principal axes");
  for (int i = 0; i < BODIES; i++) {
    double p[10], T[16], moments[3], I[6], e[3], a[9], sum[6] = {0};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    broken_body(&s, p, T, moments);
    jn_inertia_unpack(p, NULL, NULL, I);
    jn_inertia_principal(p, e, a);
    check(e[0] <= e[1] && e[1] <= e[2], "ascending");
    for (int c = 0; c < 6; c++) {
      double dot = 0;
      for (int k = 0; k < 3; k++) {
        sum[c] += e[k] * a[3 * k + row[c]] * a[3 * k + column[c]];
        dot += a[3 * row[c] + k] * a[3 * column[c] + k];
      }
      check(fabs(dot - (row[c] == column[c])) < 1e-14, "orthonormal");
      check(fabs(sum[c] - I[c]) <= 1e-13 * (fabs(e[0]) + fabs(e[2]) + fabs(p[4]) + fabs(p[5]) + fabs(p[6])), "tensor");
    }
  }
}

/* Links that break a law are repaired, the report says which, the freeze has nothing to complain of any more. */
static void model_is_repaired_where_it_breaks_a_law(void **st) {
  (void)st;
  uint64_t s = seed("model");
  jn_builder *b;
  jn_model *m, *mended;
  jn_options options;
  jn_options_init(&options);
  check_ok(jn_builder_create(NULL, &b));
  static const char *const name[] = {"fine", "thin", "negative", "massless"};
  for (int i = 0; i < 4; i++) {
    add_random_link(b, &s, name[i], i ? name[i - 1] : NULL, JN_REVOLUTE, NULL);
    double p[10];
    const double tensor[2][6] = {{0.01, 0.01, 0.03, 0, 0, 0}, {-0.001, 0.02, 0.02, 0.001, 0, 0}};
    jn_inertia_pack(1, (const double[]){0.1, 0, 0.2}, tensor[i == 2], p);
    if (i == 1 || i == 2) check_ok(jn_builder_set_inertia(b, name[i], p));
    if (i == 3) check_ok(jn_builder_set_inertia(b, name[i], (const double[10]){0, 0, 0, 0, 1, 1, 1, 0, 0, 0}));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  options.report = jn_report_create(NULL);
  check_ok(jn_model_repair(m, MARGIN, &options, &mended, NULL));
  check(jn_report_count_rule(options.report, JN_NOTE, "inertia-repaired") == 2, "two are repaired");
  check(jn_report_count_rule(options.report, JN_WARNING, "inertia-hopeless") == 1, "one has no nearest body");
  check(jn_report_count_of(options.report, JN_WARNING) == 1, "nothing else is new");
  jn_report_destroy(options.report);
  options.report = jn_report_create(NULL); /* what is wrong with the repaired model */
  jn_builder *again;
  jn_model *same;
  check_ok(jn_model_thaw(mended, &options, &again));
  check_ok(jn_builder_freeze(again, &same, NULL));
  check(jn_report_count_rule(options.report, JN_WARNING, "inertia-massless") == 1, "what has no nearest body stays");
  check(jn_report_count_rule(options.report, JN_WARNING, "inertia-triangle") == 0 &&
            jn_report_count_rule(options.report, JN_WARNING, "inertia-positive") == 0,
        "the others break no law");
  jn_builder_destroy(again);
  jn_model_destroy(same);
  for (int i = 0; i < 4; i++) {
    double before[10], after[10];
    check_ok(jn_link_inertia(m, i, before));
    check_ok(jn_link_inertia(mended, i, after));
    check((memcmp(before, after, sizeof before) == 0) == (i == 0 || i == 3), "link %d", i);
  }
  jn_model *none;
  jn_error error;
  check_status(jn_model_repair(m, 1, NULL, &none, &error), JN_ERR_SIZE);
  check_status(jn_model_repair(NULL, MARGIN, NULL, &none, &error), JN_ERR_NULL);
  jn_report_destroy(options.report);
  jn_model_destroy(m);
  jn_model_destroy(mended);
  jn_builder_destroy(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repaired_is_a_body_with_the_same_mass_and_centre),
      cmocka_unit_test(nothing_nearer_is_a_body),
      cmocka_unit_test(repair_does_not_depend_on_frame_and_units),
      cmocka_unit_test(what_is_fine_is_untouched),
      cmocka_unit_test(what_has_no_nearest_body_is_refused),
      cmocka_unit_test(principal_axes_make_up_the_tensor),
      cmocka_unit_test(model_is_repaired_where_it_breaks_a_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
