/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of wrenches that act along a trajectory. */
#include "trajectory_files_help.h"

/* ---- Wrenches ---- */

static void wrenches_have_their_derivatives(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory *t = load_text(m, squares("t,a\n", "%g,%g", "\n", 12), 1);
  char path[64];
  snprintf(path, sizeof path, "/tmp/jounce_wrench_%ld.csv", (long)getpid());
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(squares("t,a_fz\n", "%g,%g", "\n", 12), f);
  fclose(f);
  jn_error e;
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.wrench_interpolation = JN_INTERPOLATE_SPLINE;
  o.wrench_axes = JN_IN_ALIGNED;
  check(jn_trajectory_wrench_axes(t) == JN_IN_BODY, "axes of the links, unless options say otherwise");
  jn_status status = jn_trajectory_load_wrenches(t, path, &o, &e);
  remove(path);
  check(status == JN_OK, "%s", e.text);
  assert_true(jn_trajectory_has_wrenches(t));
  check(jn_trajectory_wrench_rows(t) == 12 && jn_trajectory_wrench_order(t) == 4, "12 rows, degree 5");
  check(jn_trajectory_wrench_axes(t) == JN_IN_ALIGNED, "axes of the world, as the options say");
  double w[18];
  check_ok(jn_trajectory_wrenches(t, 1.5, 2, w));
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 6; i++) {
      double exact = i < 5 ? 0 : k == 0 ? 2.25 : k == 1 ? 3 : 2;
      check(fabs(w[6 * k + i] - exact) < 1e-10, "order %d, number %d: %g", k, i, w[6 * k + i]);
    }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Text as a wrench file for a trajectory of 12 samples; what the first error says, "" when there is none. */
static const char *wrench_fault_with(jn_trajectory *t, const char *text, jn_interpolation kind) {
  static jn_error e;
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.wrench_interpolation = kind;
  char path[64];
  snprintf(path, sizeof path, "/tmp/jounce_wrench_%ld.csv", (long)getpid());
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  jn_status status = jn_trajectory_load_wrenches(t, path, &o, &e);
  remove(path);
  return status == JN_OK ? "" : e.text;
}

static const char *wrench_fault(jn_trajectory *t, const char *text) {
  return wrench_fault_with(t, text, JN_INTERPOLATE_MONOTONE);
}

/* A trajectory and its wrenches by the same clock, in different units; a wrench file may also count from its start. */
static void wrenches_follow_the_clock(void **state) {
  (void)state;
  char text[1024], *p = text;
  p += sprintf(p, "t,a\n");
  for (int i = 0; i < 12; i++) p += sprintf(p, "17000000%02d.123456789,%g\n", i, 0.01 * i * i);
  jn_model *m = make_hinge();
  jn_trajectory *t = load_text(m, text, 1);
  static const char *const files[] = {"t,a_fz\n1700000000123456789,1\n1700000011123456789,23\n",
                                      "stamp.sec,stamp.nanosec,a_fz\n1700000000,123456789,1\n1700000011,123456789,23\n",
                                      "t,a_fz\n0,1\n11,23\n"};
  for (int i = 0; i < 3; i++) {
    double w[18];
    assert_string_equal(wrench_fault(t, files[i]), "");
    check_ok(jn_trajectory_wrenches(t, 1, 1, w));
    check(fabs(w[5] - 3) < 1e-13 && fabs(w[11] - 2) < 1e-13, "file %d: %g, %g", i, w[5], w[11]);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* One row holds; two make a line; a few make a polynomial when splines are asked for; a name without its ending is told
 * with the link that it has. */
static void few_rows_of_wrenches_are_enough(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory *t = load_text(m, squares("t,a\n", "%g,%g", "\n", 12), 1);
  double w[18];
  assert_string_equal(wrench_fault(t, "t,a_fz,a_mx\n0,5,-2\n"), "");
  for (int i = 0; i < 3; i++) {
    check_ok(jn_trajectory_wrenches(t, 0.9 * i, 2, w));
    check(w[5] == 5 && w[0] == -2 && w[11] == 0 && w[17] == 0, "held: %g %g", w[5], w[11]);
  }
  assert_string_equal(wrench_fault(t, "t,a_fz\n0,1\n5,11\n"), "");
  check_ok(jn_trajectory_wrenches(t, 1, 2, w));
  check(fabs(w[5] - 3) < 1e-14 && fabs(w[11] - 2) < 1e-14 && fabs(w[17]) < 1e-14, "line: %g %g %g", w[5], w[11], w[17]);
  assert_string_equal(wrench_fault_with(t, "t,a_fz\n0,0\n2,4\n4,16\n", JN_INTERPOLATE_SPLINE), "");
  check_ok(jn_trajectory_wrenches(t, 1, 2, w));
  check(fabs(w[5] - 1) < 1e-13 && fabs(w[11] - 2) < 1e-13 && fabs(w[17] - 2) < 1e-13, "parabola: %g %g", w[5], w[11]);
  assert_non_null(strstr(wrench_fault(t, "t,a_fz\n0,1\n1,11\n"), "goes from 0 to 1 s"));
  assert_non_null(strstr(wrench_fault(t, "t,aa\n0,1\n5,11\n"), "the nearest link is 'a'"));
  assert_non_null(strstr(wrench_fault(t, "t,a\n0,1\n5,11\n"), "has no column of wrenches"));
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Rows at random times, some of them equal, as a file; at least from 0 to 5 s. */
static int make_rows(uint64_t *s, double *t, double *x, char *text) {
  int count = 2 + (int)(5 * (uniform(s) + 1));
  text += sprintf(text, "t,a_fz\n");
  for (int i = 0; i < count; i++) {
    t[i] = i ? t[i - 1] + 0.02 + (1 + uniform(s)) * 5 / (count - 1) : 0;
    if (i == count - 1) t[i] = fmax(t[i], 5);
    x[i] = i && uniform(s) < -0.5 ? x[i - 1] : 100 * uniform(s);
    text += sprintf(text, "%.17g,%.17g\n", t[i], x[i]);
  }
  return count;
}

/* What lies between two rows lies between their values; at the rows it is theirs; the derivative is that of the values;
 * the derivatives that are said to be continuous are. */
static void interpolated_wrenches_do_not_overshoot(void **state) {
  (void)state;
  enum { TRIALS = 200, PARTS = 40 };
  uint64_t s = seed("wrenches");
  jn_model *m = make_hinge();
  jn_trajectory *trajectory = load_text(m, squares("t,a\n", "%g,%g", "\n", 12), 1);
  static char text[4096];
  double t[16], x[16], w[12], before[12], behind[12];
  for (int trial = 0; trial < TRIALS; trial++) {
    jn_interpolation kind = (jn_interpolation)(trial % 3);
    int count = make_rows(&s, t, x, text);
    assert_string_equal(wrench_fault_with(trajectory, text, kind), "");
    check(jn_trajectory_wrench_order(trajectory) == (int)kind - 1, "continuous to order %d", (int)kind - 1);
    for (int i = 0; i + 1 < count; i++) {
      double low = fmin(x[i], x[i + 1]), high = fmax(x[i], x[i + 1]), h = (t[i + 1] - t[i]) / PARTS;
      for (int k = 0; k < PARTS; k++) {
        check_ok(jn_trajectory_wrenches(trajectory, t[i] + k * h, 1, w));
        check(w[5] >= low - 1e-11 && w[5] <= high + 1e-11, "%g is not from %g to %g", w[5], low, high);
        check(k > 0 || fabs(w[5] - x[i]) < 1e-11, "row %d: %g, not %g", i, w[5], x[i]);
        check_ok(jn_trajectory_wrenches(trajectory, t[i] + (k + 0.5 - 1e-4) * h, 1, before));
        check_ok(jn_trajectory_wrenches(trajectory, t[i] + (k + 0.5 + 1e-4) * h, 1, behind));
        check_ok(jn_trajectory_wrenches(trajectory, t[i] + (k + 0.5) * h, 1, w));
        double slope = (behind[5] - before[5]) / (2e-4 * h);
        check(fabs(slope - w[11]) < 1e-5 * (1 + 100 / h), "slope %g, not %g", w[11], slope);
      }
      check_ok(jn_trajectory_wrenches(trajectory, t[i + 1] - 1e-9, 1, before));
      check_ok(jn_trajectory_wrenches(trajectory, t[i + 1], 1, behind));
      for (int k = 0; k < (int)kind; k++)
        check(fabs(before[6 * k + 5] - behind[6 * k + 5]) < 1e-2, "derivative %d jumps at row %d from %g to %g", k,
              i + 1, before[6 * k + 5], behind[6 * k + 5]);
    }
  }
  jn_trajectory_destroy(trajectory);
  jn_model_destroy(m);
}

static void wrenches_have_units(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory *t = load_text(m, squares("t,a\n", "%g,%g", "\n", 12), 1);
  double w[6];
  assert_string_equal(wrench_fault(t, squares("t,a_fz [kN]\n", "%g,%g", "\n", 12)), "");
  check_ok(jn_trajectory_wrenches(t, 1.5, 0, w));
  check(fabs(w[5] - 2250) < 1e-9, "kilonewton: %g", w[5]);
  assert_non_null(strstr(wrench_fault(t, squares("t,a_fz [deg]\n", "%g,%g", "\n", 12)), "does not fit a force"));
  assert_non_null(strstr(wrench_fault(t, squares("t,a_mz [N]\n", "%g,%g", "\n", 12)), "does not fit a moment"));
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrenches_have_their_derivatives),
      cmocka_unit_test(wrenches_have_units),
      cmocka_unit_test(wrenches_follow_the_clock),
      cmocka_unit_test(few_rows_of_wrenches_are_enough),
      cmocka_unit_test(interpolated_wrenches_do_not_overshoot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
