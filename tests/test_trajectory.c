/* SPDX-License-Identifier: BSD-2-Clause */
/* Trajectories: closed forms, waypoints, rotations, and how derivatives belong together. */
#include "trajectory_help.h"

#if JN_WITH_JSON

/* ---- Splines ---- */

static void every_row_of_the_jet_is_the_derivative_of_the_one_before(void **state) {
  (void)state;
  enum { ORDER = 6 };
  jn_model *m = make_mixed();
  jn_trajectory *t = load_text(m, forms, ORDER);
  int nv = jn_model_nv(m);
  for (int row = 0; row <= ORDER; row++) {
    double gap = derivative_gap(t, nv, ORDER, 0.45, 1e-3, row);
    check(gap < 1e-8, "row %d: %g", row + 1, gap);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* The first row: q(t + h) (-) q(t - h) is 2 h v + O(h^3), on the group. */
static void the_velocity_moves_the_configuration(void **state) {
  (void)state;
  jn_model *m = make_mixed();
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  jn_trajectory *t = load_text(m, forms, 1);
  double before[32], after[32], v[64], d[2][32], q[32], unit[32];
  int nv = jn_model_nv(m), nq = jn_model_nq(m);
  for (int i = 0; i < 2; i++) {
    double h = 2e-3 / (i + 1);
    check_ok(jn_trajectory_evaluate(t, 1.1 - h, 0, before, NULL));
    check_ok(jn_trajectory_evaluate(t, 1.1 + h, 0, after, NULL));
    check_ok(jn_difference(m, w, before, after, d[i]));
    for (int k = 0; k < nv; k++) d[i][k] /= 2 * h;
  }
  check_ok(jn_trajectory_evaluate(t, 1.1, 0, q, v));
  for (int k = 0; k < nv; k++) {
    double better = (4 * d[1][k] - d[0][k]) / 3;
    check(fabs(better - v[k]) < 1e-9 + 2e3 * jn_variant_epsilon(), "coordinate %d: %g, not %g", k, better, v[k]);
  }
  check_ok(jn_normalize(m, w, q, unit));
  check_close(q, unit, nq, 1, 4, "quaternions are unit");
  jn_trajectory_destroy(t);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

static void closed_forms_are_what_they_say(void **state) {
  (void)state;
  jn_model *m = make_mixed();
  jn_trajectory *t = load_text(m, forms, 1);
  double q[32], v[64];
  int nv = jn_model_nv(m), cosine = jn_joint_q(m, jn_joint_index(m, "a")) + 1,
      c = jn_joint_q(m, jn_joint_index(m, "c"));
  check_ok(jn_trajectory_evaluate(t, 1.3, 1, q, v));
  double fourier = 0.2 + 0.3 * cos(1.95) + 0.1 * cos(3.9) - 0.2 * sin(3.9);
  check(fabs(q[cosine] - cos(2.6)) < 1e-15, "cosine");
  check(fabs(q[c] - 3.6) < 1e-15, "polynomial");
  check(fabs(q[c + 2] - fourier) < 1e-15, "fourier: %g, not %g", q[c + 2], fourier);
  int at = jn_joint_v(m, jn_joint_index(m, "c")) + 2;
  double slope = -0.3 * 1.5 * sin(1.95) - 0.1 * 3 * sin(3.9) - 0.2 * 3 * cos(3.9);
  check(fabs(v[at] - slope) < 1e-14, "its derivative: %g, not %g", v[at], slope);
  check(nv > at && jn_trajectory_samples(t) == 0 && jn_trajectory_end(t) == 2, "range");
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* One coordinate of a file, the others held: told apart. */
static void joints_with_data_are_listed(void **state) {
  (void)state;
  jn_model *m = make_mixed();
  jn_trajectory *t;
  jn_trajectory_options options;
  char name[64], text[128];
  int given = jn_joint_q(m, jn_joint_index(m, "c"));
  jn_trajectory_options_init(&options);
  options.missing_neutral = 1;
  check_ok(jn_coordinate_name(m, given, name, sizeof name));
  snprintf(text, sizeof text, "t,%s\n0,0\n1,0.5\n2,0.5\n3,0\n4,1\n5,1\n6,0\n7,0\n", name);
  jn_status status = jn_trajectory_load_text(m, text, strlen(text), "one.csv", &options, &t, NULL);
  if (status == JN_ERR_NAME) { /* all coordinates of a joint are wanted, or none */
    jn_model_destroy(m);
    skip();
  }
  check_ok(status);
  for (int i = -1; i <= jn_model_nq(m); i++) assert_int_equal(jn_trajectory_given(t, i), i == given);
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* From rest to rest: the well-known polynomials of s = t / T. */
static void minimum_jerk_and_snap_have_their_closed_forms(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory *jerk = load_text(m, "{\"times\": [1, 3], \"joints\": {\"a\": {\"minimum_jerk\": [0.5, 2.5]}}}", 1);
  jn_trajectory *snap = load_text(m, "{\"times\": [1, 3], \"joints\": {\"a\": {\"minimum_snap\": [0.5, 2.5]}}}", 1);
  check(jn_trajectory_start(jerk) == 1 && jn_trajectory_end(jerk) == 3, "the range is that of the points");
  for (int i = 0; i <= 20; i++) {
    double s = i / 20.0, q, v[3];
    check_ok(jn_trajectory_evaluate(jerk, 1 + 2 * s, 1, &q, v));
    /* both sides round: terms of up to 62 and 418 in all */
    check(fabs(q - (0.5 + 2 * s * s * s * (10 + s * (-15 + 6 * s)))) < 62 * 2.3e-16, "minimum jerk at %g", s);
    check(fabs(v[0] - 30 * s * s * (1 - s) * (1 - s)) < 1e-13, "its velocity at %g: %g", s, v[0]);
    check_ok(jn_trajectory_evaluate(snap, 1 + 2 * s, 1, &q, v));
    check(fabs(q - (0.5 + 2 * s * s * s * s * (35 + s * (-84 + s * (70 - 20 * s))))) < 418 * 2.3e-16,
          "minimum snap at %g", s);
  }
  jn_trajectory_destroy(jerk);
  jn_trajectory_destroy(snap);
  jn_model_destroy(m);
}

/* Through points: they are met, the ends have their derivatives, and all derivatives to order 2 m - 2 are continuous,
 * which together determine the minimiser. */
/* Where the points of a joint do not cover the time, it stands at its first or last point. */
static void waypoints_are_held_where_they_rest(void **state) {
  (void)state;
  const jn_joint_type types[] = {JN_REVOLUTE, JN_REVOLUTE};
  jn_model *m = make_chain(types, 2);
  jn_trajectory *t =
      load_text(m,
                "{\"joints\": {\"a\": {\"minimum_jerk\": {\"points\": [0.25, 1], \"times\": [1, 2]}},"
                " \"b\": {\"minimum_snap\": {\"points\": [0, 0.5], \"times\": [0, 4], \"start\": [1], \"end\": [1]}}}}",
                0);
  check(jn_trajectory_start(t) == 0 && jn_trajectory_end(t) == 4, "range");
  for (int i = 0; i <= 40; i++) {
    double time = 0.1 * i, q[2], v[4];
    check_ok(jn_trajectory_evaluate(t, time, 0, q, v));
    check(q[0] >= 0.25 - 1e-14 && q[0] <= 1 + 1e-14, "t %g: %g", time, q[0]);
    if (time < 0.95) check(q[0] == 0.25 && v[0] == 0 && v[2] == 0, "before: t %g: %g", time, q[0]);
    if (time > 2.05) check(q[0] == 1 && v[0] == 0 && v[2] == 0, "behind: t %g: %g", time, q[0]);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

static void waypoint_curves_meet_their_points_smoothly(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory *t =
      load_text(m,
                "{\"joints\": {\"a\": {\"minimum_jerk\": {\"times\": [0, 0.5, 1.7, 2], \"points\": [1, -1, 0.5, 0],"
                " \"start\": [0.3, -2], \"end\": [1]}}}}",
                2);
  const double times[] = {0, 0.5, 1.7, 2}, points[] = {1, -1, 0.5, 0};
  double q, v[4], left[4], right[4];
  for (int i = 0; i < 4; i++) {
    check_ok(jn_trajectory_evaluate(t, times[i], 2, &q, v));
    check(fabs(q - points[i]) < 1e-14, "point %d: %g", i, q);
    check_ok(jn_trajectory_evaluate(t, times[i] - 1e-10, 2, NULL, left));
    check_ok(jn_trajectory_evaluate(t, times[i] + 1e-10, 2, NULL, right));
    for (int k = 0; k < 4 && i > 0 && i < 3; k++)
      check(fabs(left[k] - right[k]) < 1e-6 * (1 + fabs(v[k])), "derivative %d jumps at point %d by %g", k + 1, i,
            left[k] - right[k]);
    if (i == 0) check(fabs(v[0] - 0.3) < 1e-12 && fabs(v[1] + 2) < 1e-11, "start: %g %g", v[0], v[1]);
    if (i == 3) check(fabs(v[0] - 1) < 1e-12 && fabs(v[1]) < 1e-11, "end: %g %g", v[0], v[1]);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

#endif

/* ---- Rotations from samples ---- */

/* A body that turns at a constant rate about a fixed axis: its velocity is known, whatever signs the quaternions have.
 */
static void sampled_rotations_turn_as_they_should(void **state) {
  (void)state;
  enum { N = 300, NQ = 7 };
  uint64_t s = seed("rotations");
  const jn_joint_type types[] = {JN_FREE};
  jn_model *m = make_chain(types, 1);
  static double t[N], q[N * NQ];
  for (int i = 0; i < N; i++) {
    double angle = 5 * (t[i] = i * 0.01), sign = uniform(&s) > 0 ? 1 : -1, *x = q + NQ * i;
    x[0] = cos(t[i]), x[1] = sin(t[i]), x[2] = t[i];
    x[3] = sign * 0.6 * sin(angle / 2), x[4] = 0, x[5] = sign * 0.8 * sin(angle / 2), x[6] = sign * cos(angle / 2);
  }
  jn_trajectory *made;
  check_ok(jn_trajectory_fit(m, N, t, q, NULL, &made, NULL));
  for (int i = 0; i <= 30; i++) {
    double time = 2.99 * i / 30, v[24], p[3] = {-sin(time), cos(time), 1}, x[7];
    check_ok(jn_trajectory_evaluate(made, time, 2, x, v));
    const double omega[3] = {3, 0, 4};
    double dot = 0, speed = 0, cross = 0;
    for (int k = 0; k < 3; k++) {
      check(fabs(v[k] - omega[k]) < 1e-7, "angular velocity %d at %g: %.12g", k, time, v[k]);
      check(fabs(v[6 + k]) < 1e-4 && fabs(v[12 + k]) < 1e-2, "it is constant: %g %g", v[6 + k], v[12 + k]);
      speed += v[3 + k] * v[3 + k];
    }
    dot = 0.6 * v[3] + 0.8 * v[5]; /* along the axis, which the body and the world share */
    cross = 0.6 * p[0] + 0.8 * p[2];
    check(fabs(speed - 2) < 1e-9, "speed of the origin at %g: %g", time, speed);
    check(fabs(dot - cross) < 1e-9, "its part along the axis: %g, not %g", dot, cross);
  }
  jn_trajectory_destroy(made);
  jn_model_destroy(m);
}

/* ---- Memory ---- */

static void lack_of_memory_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  enum { N = 30 };
  jn_model *m = make_hinge();
  double t[N], q[N];
  for (int i = 0; i < N; i++) t[i] = i, q[i] = i % 5;
  int calls = 0;
  for (int fail = 0; fail <= calls; fail++) {
    counter c = {.fail_at = fail};
    jn_allocator a = {count_allocate, count_release, &c};
    jn_trajectory_options o;
    jn_trajectory_options_init(&o);
    o.allocator = &a;
    jn_trajectory *made;
    jn_error error;
    jn_status status = jn_trajectory_fit(m, N, t, q, &o, &made, &error);
    if (fail == 0) calls = c.calls;
    check(status == (fail ? JN_ERR_MEMORY : JN_OK) || (fail && made), "call %d of %d: %s", fail, calls,
          jn_status_text(status));
    jn_trajectory_destroy(made);
    check(c.live == 0, "call %d: %d blocks left", fail, c.live);
  }
  check(calls > 5, "%d calls", calls);
  jn_model_destroy(m);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory *t;
  jn_trajectory_options o;
  double x[40], q;
  for (int i = 0; i < 40; i++) x[i] = i;
  jn_trajectory_options_init(&o);
  check_status(jn_trajectory_fit(NULL, 40, x, x, NULL, &t, NULL), JN_ERR_NULL);
  check_status(jn_trajectory_load(m, "builtin:nothing", NULL, &t, NULL), JN_ERR_NAME);
  check_status(jn_trajectory_load(m, "/nowhere/at/all.csv", NULL, &t, NULL), JN_ERR_FILE);
  o.order = 11;
  check_status(jn_trajectory_fit(m, 40, x, x, &o, &t, NULL), JN_ERR_SIZE);
  o.order = -1;
  check_status(jn_trajectory_fit(m, 40, x, x, &o, &t, NULL), JN_ERR_SIZE);
  o.order = 2;
  check_status(jn_trajectory_fit(m, 5, x, x, &o, &t, NULL), JN_ERR_MODEL);
  check_ok(jn_trajectory_fit(m, 40, x, x, &o, &t, NULL));
  check_status(jn_trajectory_evaluate(t, 0, 31, &q, NULL), JN_ERR_SIZE);
  check_status(jn_trajectory_evaluate(NULL, 0, 0, &q, NULL), JN_ERR_NULL);
  check(jn_trajectory_time(t, 39) == 39 && isnan(jn_trajectory_time(t, 40)), "times");
  jn_fit fit;
  check_status(jn_trajectory_fit_of(t, 1, &fit), JN_ERR_INDEX);
  jn_trajectory_destroy(t);
  x[7] = NAN;
  check_status(jn_trajectory_fit(m, 40, x, x, &o, &t, NULL), JN_ERR_MODEL);
  jn_model_destroy(m);
}

int main(void) {
  (void)forms;
  (void)derivative_gap;
  const struct CMUnitTest tests[] = {
#if JN_WITH_JSON
    cmocka_unit_test(every_row_of_the_jet_is_the_derivative_of_the_one_before),
    cmocka_unit_test(the_velocity_moves_the_configuration),
    cmocka_unit_test(closed_forms_are_what_they_say),
    cmocka_unit_test(joints_with_data_are_listed),
    cmocka_unit_test(minimum_jerk_and_snap_have_their_closed_forms),
    cmocka_unit_test(waypoints_are_held_where_they_rest),
    cmocka_unit_test(waypoint_curves_meet_their_points_smoothly),
#endif
    cmocka_unit_test(sampled_rotations_turn_as_they_should),
    cmocka_unit_test(lack_of_memory_is_reported_and_nothing_leaks),
    cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
