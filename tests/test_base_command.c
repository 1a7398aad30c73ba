/* SPDX-License-Identifier: BSD-2-Clause */
/* `jounce base` as a user meets it. JN_COMMAND is the path of the binary, JN_WITH_IDENT says whether it has LAPACKE. */
#include "support/running.h"

#include "jounce/base_parameters.h"

static outcome run(const char *arguments) { return run_with("", arguments); }

static void check_refusal(const char *arguments, int code, const char *part) {
  check_refused(run(arguments), code, part);
}

static void need(void) {
  if (!JN_WITH_IDENT || jn_builtin_count() == 0) skip(); /* a build without LAPACKE or jansson */
}

static void wrong_usage_is_reported_with_code_2(void **state) {
  (void)state;
  check_refusal("base", 2, "MODEL is missing");
  check_refusal("base builtin:panda --method lu", 2, "--method takes auto|structure|qr|svd, not 'lu'");
  check_refusal("base builtin:panda --threshold 1.5", 2, "--threshold takes one number between 0 and 1");
  check_refusal("base builtin:panda --threshold 0", 2, "--threshold takes one number between 0 and 1");
  check_refusal("base builtin:panda --threshold 1e-3,1e-4", 2, "--threshold takes one number");
  check_refusal("base builtin:panda --seed 1.5", 2, "--seed takes one whole number");
  check_refusal("base builtin:panda --seed=-1", 2, "--seed takes one whole number");
  check_refusal("base no_such_file.urdf", 1, "no_such_file.urdf");
}

static void a_build_without_lapacke_says_so(void **state) {
  (void)state;
  jn_model *m;
  jn_base *b;
  if (JN_WITH_IDENT) skip();
  assert_int_equal(jn_load("builtin:chain:2", NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_base_create(m, NULL, &b), JN_ERR_UNSUPPORTED);
  assert_null(b);
  jn_model_destroy(m);
  check_refusal("base builtin:chain:2", 1, "JOUNCE_IDENT=ON");
}

static void help_names_the_options(void **state) {
  (void)state;
  outcome o = run("help base"), all = run("help");
  static const char *const parts[] = {"--method auto|structure|qr|svd", "--threshold T", "--seed N", "--json",
                                      "--floating"};
  for (int i = 0; i < 5; i++) check_has(o.out, parts[i]);
  check_has(all.out, "base parameters");
  assert_int_equal(o.code, 0);
  done(&o);
  done(&all);
}

/* Loops are said to be left open, and what is almost zero is told: here gravity, all but along the axis. */
static void doubts_are_reported(void **state) {
  (void)state;
  need();
  outcome o = run("base builtin:four_bar"),
          near = run("base builtin:planar_2r --threshold 1e-5 --gravity 1e-4,0,-9.81");
  check_has(o.out, "loops            1, which are left open here\n");
  check_has(near.err, "the counts differ (structure ");
  assert_int_equal(near.code, 0);
  done(&o);
  done(&near);
}

/* Combinations that can be written down by hand: a planar arm with links of 1 m. */
static void planar_arm(void **state) {
  (void)state;
  need();
  outcome o = run("base builtin:planar_2r");
  assert_int_equal(o.code, 0);
  assert_string_equal(o.err, "");
  static const char *const parts[] = {"   1  link1.hx + link2.m\n",
                                      "   2  link1.hy\n",
                                      "   3  link1.Jzz + link2.m\n",
                                      "   6  link2.Jzz\n",
                                      "  link1: m hz Jxx Jyy Jxy Jxz Jyz\n",
                                      "  link2: hz Jxx Jyy Jxy Jxz Jyz\n",
                                      "parameters       20, 13 of them without effect\n",
                                      "base parameters  6: 4 parameters alone, 2 combinations of others\n",
                                      "counted          6 by structure, 6 by QR, 6 by SVD\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) check_has(o.out, parts[i]);
  done(&o);
}

static void panda_has_43_in_lines_that_fit(void **state) {
  (void)state;
  need();
  outcome o = run("base builtin:panda"), free_base = run("base builtin:quadruped --gravity 0,0,0");
  check_has(o.out, "\n  43  panda_link7.Jyz\n");
  check_has(o.out, "   9  panda_link3.hx + 0.0825 panda_link4.m + 0.0825 panda_link5.m");
  check_has(o.out, "panda_link7.Jxx - panda_link7.Jyy\n");
  check_has(free_base.out, " by structure");
  for (const char *line = o.out; *line; line += strcspn(line, "\n") + 1) assert_true(strcspn(line, "\n") <= 100);
  done(&o);
  done(&free_base);
}

/* The text is the same by every method and with every seed but for the last lines, which have the rounding. */
static void methods_and_seeds_agree(void **state) {
  (void)state;
  need();
  outcome first = run("base builtin:kuka_iiwa");
  static const char *const others[] = {"--method qr", "--method svd", "--method structure", "--seed 7 --method=qr"};
  size_t same = (size_t)(strstr(first.out, "singular values") - first.out);
  for (int i = 0; i < 4; i++) {
    char line[64];
    snprintf(line, sizeof line, "base builtin:kuka_iiwa %s", others[i]);
    outcome o = run(line);
    assert_int_equal(o.code, 0);
    if (strncmp(o.out, first.out, same) != 0) fail_msg("%s differs:\n%s", others[i], o.out);
    done(&o);
  }
  done(&first);
}

/* The JSON has B to the last digit, and the value of each base parameter. */
static void json_agrees_with_the_library(void **state) {
  (void)state;
  need();
  jn_model *m;
  jn_base *b;
  assert_int_equal(jn_load("builtin:planar_2r", NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_base_create(m, NULL, &b), JN_OK);
  outcome o = run("base --json builtin:planar_2r");
  assert_int_equal(o.code, 0);
  check_has(o.out, "\"base_parameters\": 6,");
  check_has(o.out, "\"structure\": {\"count\": 6}");
  check_has(o.out, "\"no_effect\": [\n    \"link1.m\",");
  double pi[20], x[20];
  assert_int_equal(jn_parameters(m, pi), JN_OK);
  assert_int_equal(jn_base_parameters(b, pi, x), JN_OK);
  const char *at = strstr(o.out, "\"combinations\"");
  assert_non_null(at);
  for (int i = 0; i < jn_base_count(b); i++) {
    at = strstr(at, "\"column\": ");
    assert_non_null(at);
    assert_int_equal(strtol(at + 10, NULL, 10), jn_base_column(b, i));
    at = strstr(at, "\"value\": ");
    assert_non_null(at);
    assert_true(strtod(at + 9, NULL) == x[i]);
    for (int c = 0; c < 20; c++) {
      double coefficient = jn_base_matrix(b)[20 * i + c];
      if (coefficient == 0) continue;
      at = strstr(at, "\"coefficient\": ");
      assert_non_null(at);
      at += 15;
      assert_true(strtod(at, NULL) == coefficient);
    }
  }
  jn_base_destroy(b);
  jn_model_destroy(m);
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_usage_is_reported_with_code_2),
      cmocka_unit_test(a_build_without_lapacke_says_so),
      cmocka_unit_test(help_names_the_options),
      cmocka_unit_test(doubts_are_reported),
      cmocka_unit_test(planar_arm),
      cmocka_unit_test(panda_has_43_in_lines_that_fit),
      cmocka_unit_test(methods_and_seeds_agree),
      cmocka_unit_test(json_agrees_with_the_library),
  };
  return cmocka_run_group_tests_name("base_command", tests, make_directory, remove_directory);
}
