/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce excite: the gradient of the information is the exact one; motions keep to the limits, start and end at rest,
 * and tell more than random ones. */
#include "support/running.h"

#include <jounce/identification.h>
#include <math.h>

#include "../tool/excite/excite.h"

static jn_model *robot(const char *source) {
  jn_model *m;
  jn_error error;
  if (jn_load(source, NULL, &m, &error) != JN_OK) fail_msg("%s", error.text);
  return m;
}

/* An arm on a slide. */
static jn_model *slider(void) {
  jn_builder *b;
  jn_model *m;
  static const jn_joint_type types[3] = {JN_PRISMATIC, JN_REVOLUTE, JN_REVOLUTE};
  static const char *const names[3] = {"slide", "upper", "fore"};
  assert_int_equal(jn_builder_create(NULL, &b), JN_OK);
  for (int i = 0; i < 3; i++) {
    jn_link link;
    jn_link_init(&link);
    link.name = names[i];
    link.parent = i ? names[i - 1] : NULL;
    link.joint.type = types[i];
    link.joint.axis[i % 2] = 0.8;
    link.joint.axis[2] = 0.6;
    link.placement[3] = 0.3;
    jn_inertia_pack(2 - 0.5 * i, (double[3]){0.1, 0.02, -0.05}, (double[6]){0.03, 0.04, 0.05, 0.001, 0, 0.002},
                    link.inertia);
    assert_int_equal(jn_builder_add_link(b, &link), JN_OK);
  }
  assert_int_equal(jn_builder_freeze(b, &m, NULL), JN_OK);
  jn_builder_destroy(b);
  return m;
}

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* Limits that the motion breaks here and there, so that all penalties are at work. */
static void set_up(excitation *x, jn_model *m, int points, excite_criterion criterion) {
  excitation_init(x, m, points ? 0 : 4, points, 6);
  x->criterion = criterion;
  assert_true(x->nb > 0);
  for (int i = 0; i < x->nv; i++) {
    x->limits.low[i] = -1;
    x->limits.high[i] = 0.8;
    x->limits.velocity[i] = 1;
    x->limits.acceleration[i] = 2;
    x->limits.jerk[i] = 4;
    x->limits.effort[i] = 10;
    x->limits.effort_rate[i] = 15;
    x->middle[i] = -0.1;
    x->half[i] = 0.9;
    x->speed[i] = 1.2;
    x->weight[i] = 0.01 * (i + 1);
  }
}

/* The derivative along a direction, against differences of order four. */
static void check_gradient(jn_model *m, int points, excite_criterion criterion) {
  excitation x;
  uint64_t s = 20211101;
  set_up(&x, m, points, criterion);
  int n = excitation_count(&x);
  double *z = calloc(4 * (size_t)n, sizeof *z), *g = z + n, *d = g + n, *at = d + n;
  assert_non_null(z);
  for (int trial = 0; trial < 3; trial++) {
    for (int k = 0; k < n; k++) z[k] = 0.6 * uniform(&s), d[k] = uniform(&s);
    excitation_project(&x, z);
    excitation_project(&x, d);
    excitation_value(&x, z, g);
    double exact = 0, difference = 0, h = 1e-6; /* small: signs of velocities must stay */
    static const double by[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, steps[4] = {-2, -1, 1, 2};
    for (int k = 0; k < n; k++) exact += g[k] * d[k];
    for (int p = 0; p < 4; p++) {
      for (int k = 0; k < n; k++) at[k] = z[k] + steps[p] * h * d[k];
      difference += by[p] * excitation_value(&x, at, NULL) / h;
    }
    if (fabs(exact - difference) > 2e-6 * (1 + fabs(exact))) fail_msg("%.12g, by differences %.12g", exact, difference);
  }
  free(z);
  excitation_free(&x);
  jn_model_destroy(m);
}

static void the_gradient_is_exact(void **state) {
  (void)state;
  for (int points = 0; points < 10; points += 9)
    for (int criterion = EXCITE_LOG_DET; criterion <= EXCITE_CONDITION; criterion++) {
      check_gradient(slider(), points, (excite_criterion)criterion);
      check_gradient(robot("builtin:panda"), points, (excite_criterion)criterion);
    }
}

/* Condition number of the base parameters along a motion file. */
static double condition_of(const jn_model *m, const char *file) {
  jn_trajectory *t;
  jn_identification *d;
  jn_error error;
  double q[7], jet[21], zero[7] = {0}, noise[7], condition;
  if (jn_trajectory_load(m, file, NULL, &t, &error) != JN_OK) fail_msg("%s", error.text);
  assert_int_equal(jn_identification_create(m, NULL, &d, NULL), JN_OK);
  for (int k = 0; k < 500; k++) {
    double time = jn_trajectory_start(t) + (jn_trajectory_end(t) - jn_trajectory_start(t)) * k / 500;
    assert_int_equal(jn_trajectory_evaluate(t, time, 0, q, jet), JN_OK);
    assert_int_equal(jn_identification_add(d, 1, q, jet, jet + 7, zero), JN_OK);
  }
  for (int i = 0; i < 7; i++) noise[i] = jn_coordinate_dof(m, i)->effort;
  assert_int_equal(jn_identification_foresee(d, noise, NULL, NULL, &condition), JN_OK);
  jn_identification_destroy(d);
  jn_trajectory_destroy(t);
  return condition;
}

static void motions_tell_much_within_limits(void **state) {
  (void)state;
  outcome o = run_here("excite builtin:panda --starts 2 --out motion.json --seed 3");
  if (o.code != 0) fail_msg("%s%s", o.out, o.err);
  check_has(o.out, "seed 3");
  done(&o);
  o = run_here("torque builtin:panda motion.json --limits --order 1"); /* 0: no limit is broken */
  if (o.code != 0) fail_msg("%s%s", o.out, o.err);
  done(&o);
  o = run_here("excite builtin:panda --starts 2 --steps 0 --out random.json --seed 3");
  assert_int_equal(o.code, 0);
  done(&o);
  jn_model *m = robot("builtin:panda");
  jn_trajectory *t;
  double q[7], jet[21];
  assert_int_equal(jn_trajectory_load(m, in_directory("motion.json"), NULL, &t, NULL), JN_OK);
  for (int end = 0; end < 2; end++) {
    double time = end ? jn_trajectory_end(t) : jn_trajectory_start(t);
    assert_int_equal(jn_trajectory_evaluate(t, time, 0, q, jet), JN_OK);
    for (int k = 0; k < 14; k++)
      if (fabs(jet[k]) > 1e-9) fail_msg("it does not rest at %g s: %g", time, jet[k]);
  }
  jn_trajectory_destroy(t);
  double found = condition_of(m, in_directory("motion.json")), random = condition_of(m, in_directory("random.json"));
  printf("# condition number %.3g, of a random motion %.3g\n", found, random);
  assert_true(found < 0.8 * random);
  jn_model_destroy(m);
}

/* Splines, the other criterion, limits of efforts and their rates from a file, and a range to keep out of. */
static void splines_criteria_and_rates(void **state) {
  (void)state;
  write_file("rates.csv", "joint,effort_rate\npanda_joint1,30\npanda_joint2,60\npanda_joint4,40\n");
  outcome o = run_here(
      "excite builtin:panda --spline 8 --criterion condition --starts 1 --steps 15 --limits rates.csv --keep-out "
      "panda_joint1=-0.5:0.2 --seed 7 --out spline.json");
  if (o.code != 0) fail_msg("%s%s", o.out, o.err);
  check_has(o.out, "69 base parameters");
  check_has(o.out, "condition number");
  check_has(o.out, "8 points");
  done(&o);
  o = run_here("torque builtin:panda spline.json --limits rates.csv --order 1");
  if (o.code != 0) fail_msg("%s%s", o.out, o.err);
  done(&o);
  o = run_here("identify builtin:panda spline.json --foresee auto"); /* of the same unknowns */
  check_has(o.out, "tells 69 of 69");
  done(&o);
  jn_model *m = robot("builtin:panda");
  jn_trajectory *t;
  double q[7], jet[21], least = INFINITY;
  assert_int_equal(jn_trajectory_load(m, in_directory("spline.json"), NULL, &t, NULL), JN_OK);
  double start = jn_trajectory_start(t), end = jn_trajectory_end(t);
  for (int k = 0; k <= 2000; k++) {
    assert_int_equal(jn_trajectory_evaluate(t, start + (end - start) * k / 2000, 0, q, jet), JN_OK);
    least = fmin(least, q[0]);
    for (int i = 0; i < 14 && (k == 0 || k == 2000); i++)
      if (fabs(jet[i]) > 1e-9) fail_msg("it does not rest: %g", jet[i]);
  }
  if (!(least >= 0.2)) fail_msg("joint 1 is at %g, which it is kept out of", least);
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
  o = run_here("excite builtin:panda --spline 8 --starts 1 --steps 0 --seed 7 --out again.csv --rate 50");
  assert_int_equal(o.code, 0);
  char *first = o.out;
  outcome twice = run_here("excite builtin:panda --spline 8 --starts 1 --steps 0 --seed 7 --out again.csv --rate 50");
  assert_string_equal(first, twice.out); /* the seed tells it all */
  done(&o);
  done(&twice);
}

static void ranges_and_files(void **state) {
  (void)state;
  outcome o =
      run_here("excite builtin:panda --starts 1 --steps 5 --keep-in panda_joint1=-0.2:0.3 --out m.csv --rate 50");
  assert_int_equal(o.code, 0);
  done(&o);
  char *text = read_file("m.csv");
  jn_table *t;
  assert_int_equal(jn_table_read(text, strlen(text), "m.csv", NULL, &t, NULL), JN_OK);
  for (int r = 0; r < jn_table_rows(t); r++) {
    double q = jn_table_values(t, 1)[r];
    if (!(q >= -0.2 && q <= 0.3)) fail_msg("joint 1 is at %g", q);
  }
  jn_table_destroy(t);
  free(text);
  check_refused(run_here("excite builtin:panda --keep-in panda_joint1=3"), 2, "LOW:HIGH");
  check_refused(run_here("excite builtin:panda --keep-in wrist=0:1"), 2, "wrist");
  check_refused(run_here("excite builtin:panda --harmonics 1"), 2, "--harmonics");
  check_refused(run_here("excite builtin:panda --keep-out panda_joint1=-9:9"), 2, "leaves nothing");
  check_refused(run_here("excite builtin:panda --harmonics 3 --spline 8"), 2, "one of them");
  check_refused(run_here("excite builtin:panda --limits none.csv"), 1, "none.csv");
  check_refused(run_here("excite builtin:panda --out m.txt"), 2, ".json or .csv");
  check_refused(run_here("excite builtin:humanoid"), 2, "hold it with --lock base");
  check_refused(run_here("excite builtin:four_bar"), 2, "--foresee auto");
  check_refused(run_here("excite builtin:delta"), 2, "has loops");
  check_refused(run_here("excite builtin:panda --coupling wrist.csv"), 2, "--foresee auto --coupling FILE");
}

/* Weak motors: a slower motion than asked for is said, and limits that do not exist are not listed. */
static void durations_and_shares_are_told(void **state) {
  (void)state;
  write_file("weak.csv", "joint,effort\nshoulder,12\nelbow,12\n");
  outcome o = run_here("excite builtin:double_pendulum --duration 1 --limits weak.csv --steps 0 --starts 1 --speed 5");
  assert_int_equal(o.code, 0);
  check_has(o.out, "s instead of 1 s, because the limits of effort");
  check_has(o.out, "effort 9");
  check_lacks(o.out, "jerk");
  check_lacks(o.out, "acceleration");
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_is_exact),         cmocka_unit_test(motions_tell_much_within_limits),
      cmocka_unit_test(splines_criteria_and_rates),    cmocka_unit_test(ranges_and_files),
      cmocka_unit_test(durations_and_shares_are_told),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
