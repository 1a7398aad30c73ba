/* SPDX-License-Identifier: BSD-2-Clause */
/* Trajectories: laws of splines, of rotations, of closed forms, and of the choice of smoothness. */
#include "counting.h"
#include "motion_help.h"
#include "trajectory/fit.h"
#include "trajectory/trajectory.h"

enum { ROWS = 14 };

/* ---- Splines ---- */

/* Samples at uneven times of a polynomial of the spline's own degree. */
static void splines_reproduce_polynomials_of_their_degree(void **state) {
  (void)state;
  enum { N = 60 };
  uint64_t s = seed("polynomials");
  jn_model *m = make_hinge();
  for (int order = 0; order <= 6; order++) {
    jn_trajectory_options o;
    jn_trajectory_options_init(&o);
    o.order = order;
    int degree = order + 3 + (order % 2);
    for (int kind = JN_SMOOTH_GCV; kind <= JN_SMOOTH_NONE; kind++) {
      double c[12], t[N], q[N];
      o.smoothing = (jn_smoothing)kind;
      o.tolerance = 1e-9;
      fill(&s, c, 12, 1);
      jn_curve truth = {.kind = JN_CURVE_POLYNOMIAL, .count = degree + 1, .numbers = c, .origin = 3.5};
      for (int i = 0; i < N; i++) {
        t[i] = 2.5 + 2 * (i + 0.4 * uniform(&s)) / (N - 1);
        jn__curve_jet(&truth, t[i], 1, &q[i]);
      }
      jn_trajectory *made;
      check_ok(jn_trajectory_fit(m, N, t, q, &o, &made, NULL));
      assert_int_equal(jn_trajectory_degree(made), degree);
      double jet[ROWS], exact[ROWS];
      for (int i = 0; i <= 40; i++) {
        double time = t[0] + (t[N - 1] - t[0]) * i / 40;
        check_ok(jn_trajectory_evaluate(made, time, order, jet, jet + 1));
        jn__curve_jet(&truth, time, order + 3, exact);
        /* rounding of the samples, amplified by the differences that make a derivative: knots may be 0.03 s apart */
        double unit = 1e-15, step = kind == JN_SMOOTH_NONE ? 0.01 : 0.1;
        for (int k = 0; k <= order + 2; k++, unit /= step)
          check(fabs(jet[k] - exact[k]) <= 300 * unit * (1 + fabs(exact[k])),
                "order %d, kind %d, t %g, derivative %d: %g, not %g", order, kind, time, k, jet[k], exact[k]);
      }
      jn_trajectory_destroy(made);
    }
  }
  jn_model_destroy(m);
}

/* Error of the derivative by Richardson's differences, relative to the largest value. */
static double derivative_gap(const jn_trajectory *t, int nv, int order, double time, double h, int row) {
  double v[3][2][16 * ROWS], most = 0, size = 1e-3;
  for (int i = 0; i < 2; i++) {
    double step = h / (i + 1);
    check_ok(jn_trajectory_evaluate(t, time + step, order, NULL, v[0][i]));
    check_ok(jn_trajectory_evaluate(t, time - step, order, NULL, v[1][i]));
  }
  check_ok(jn_trajectory_evaluate(t, time, order, NULL, v[2][0]));
  for (int j = 0; j < nv; j++) {
    int at = row * nv + j;
    double wide = (v[0][0][at] - v[1][0][at]) / (2 * h), narrow = (v[0][1][at] - v[1][1][at]) / h;
    most = fmax(most, fabs((4 * narrow - wide) / 3 - v[2][0][at + nv]));
    size = fmax(size, fabs(v[2][0][at + nv]));
  }
  return most / size;
}

static const char forms[] =
    "{\"duration\": 2, \"joints\": {"
    "\"a\": [{\"polynomial\": [0, 1, -0.5]}, {\"cosine\": {\"amplitude\": 1, \"omega\": 2}}, 0.3,"
    " {\"polynomial\": [0.1, 1]}, {\"cosine\": {\"amplitude\": 0.5, \"omega\": 1}}, {\"polynomial\": [0.2, 0, 0.3]},"
    " {\"polynomial\": [1, -0.4]}],"
    "\"b\": [0.1, {\"polynomial\": [0, 0.7]}, {\"cosine\": {\"amplitude\": 0.2, \"omega\": 3, \"phase\": 0.4}}, 1],"
    "\"c\": [{\"polynomial\": [1, 2]}, 0, {\"fourier\": {\"omega\": 1.5, \"offset\": 0.2, \"cos\": [0.3, 0.1], "
    "\"sin\": [0, "
    "-0.2]}}],"
    "\"d\": {\"minimum_snap\": {\"times\": [0, 0.7, 2], \"points\": [0, 1, 0.5], \"start\": [0.3], \"end\": [0, 1]}}}}";

#if JN_WITH_JSON
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
    check(fabs(better - v[k]) < 1e-9 + 2e3 * jn_row_epsilon(), "coordinate %d: %g, not %g", k, better, v[k]);
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
static void what_has_data_is_told(void **state) {
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

/* ---- Smoothness ---- */

static double truth_of(double t) { return sin(3 * t) + 0.3 * cos(7 * t); }

/* Root mean square distance from the truth of a spline with `count` B-splines. */
static double true_error(int n, const double *t, const double *q, int degree, int count) {
  static double knots[1024], x[1024], N[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1];
  const jn_allocator a = jn__allocator(NULL);
  jn_fit_batch b = {.allocator = &a, .degree = degree, .samples = n, .t = t, .channels = 1, .columns = 1, .data = &q};
  double squares, sum = 0;
  b.weights[0] = 1;
  jn__fit_knots(t, n, degree, count, knots);
  check_ok(jn__fit_solve(&b, count, knots, x, &squares));
  for (int i = 0; i < n; i++) {
    int span = jn__spline_span(knots, degree, count, t[i]);
    jn__spline_basis(knots, degree, span, t[i], N);
    double value = 0;
    for (int k = 0; k <= degree; k++) value += N[degree][k] * x[span - degree + k];
    sum += (value - truth_of(t[i])) * (value - truth_of(t[i]));
  }
  return sqrt(sum / n);
}

static void cross_validation_is_nearly_the_best_choice(void **state) {
  (void)state;
  enum { N = 600, TRIALS = 8 };
  uint64_t s = seed("noise");
  jn_model *m = make_hinge();
  static double t[N], q[N];
  for (int trial = 0; trial < TRIALS; trial++) {
    double noise = trial % 2 ? 1e-2 : 1e-5, best = INFINITY;
    for (int i = 0; i < N; i++) {
      t[i] = 4.0 * i / (N - 1);
      q[i] = truth_of(t[i]) + noise * normal(&s);
    }
    for (int count = 6; count <= 200; count++) best = fmin(best, true_error(N, t, q, 5, count));
    jn_trajectory *made;
    jn_fit fit;
    check_ok(jn_trajectory_fit(m, N, t, q, NULL, &made, NULL));
    check_ok(jn_trajectory_fit_of(made, 0, &fit));
    double own = true_error(N, t, q, 5, fit.parameters);
    check(own < 1.6 * best, "noise %g: %g with %d B-splines, at best %g", noise, own, fit.parameters, best);
    check(fabs(fit.rms / noise - 1) < 0.15, "the residual is the noise: %g, not %g", fit.rms, noise);
    jn_trajectory_destroy(made);
  }
  jn_model_destroy(m);
}

/* Noise that is alike from sample to sample, as behind a filter: plain cross-validation follows it with hundreds of
 * B-splines. */
static void correlated_noise_is_not_taken_for_motion(void **state) {
  (void)state;
  enum { N = 1000, TRIALS = 8 };
  uint64_t s = seed("correlated");
  jn_model *m = make_hinge();
  static double t[N], q[N];
  for (int trial = 0; trial < TRIALS; trial++) {
    double noise = 0, best = INFINITY, most = 0;
    for (int i = 0; i < N; i++) {
      noise = 0.9 * noise + 1e-3 * normal(&s);
      t[i] = 8.0 * i / (N - 1);
      q[i] = truth_of(t[i]) + noise;
    }
    for (int count = 6; count <= 600; count++) {
      double error = true_error(N, t, q, 5, count);
      best = fmin(best, error);
      most = fmax(most, count > 300 ? error : 0);
    }
    jn_trajectory *made;
    jn_fit fit;
    check_ok(jn_trajectory_fit(m, N, t, q, NULL, &made, NULL));
    check_ok(jn_trajectory_fit_of(made, 0, &fit));
    double own = true_error(N, t, q, 5, fit.parameters);
    check(fit.parameters < 120 && own < 1.6 * best, "%g with %d B-splines, at best %g, with many %g", own,
          fit.parameters, best, most);
    jn_trajectory_destroy(made);
  }
  jn_model_destroy(m);
}

static void a_tolerance_is_kept_with_few_parameters(void **state) {
  (void)state;
  enum { N = 400 };
  uint64_t s = seed("tolerance");
  jn_model *m = make_hinge();
  double t[N], q[N];
  int before = N + 1;
  for (int i = 0; i < N; i++) {
    t[i] = 4.0 * i / (N - 1);
    q[i] = truth_of(t[i]) + 1e-4 * normal(&s);
  }
  for (double tolerance = 1e-5; tolerance < 1; tolerance *= 10) {
    jn_trajectory_options o;
    jn_fit fit;
    jn_trajectory *made;
    jn_trajectory_options_init(&o);
    o.smoothing = JN_SMOOTH_TOLERANCE;
    o.tolerance = tolerance;
    check_ok(jn_trajectory_fit(m, N, t, q, &o, &made, NULL));
    check_ok(jn_trajectory_fit_of(made, 0, &fit));
    check(fit.rms <= tolerance, "%g is beyond %g", fit.rms, tolerance);
    check(fit.largest >= fit.rms, "largest");
    check(fit.parameters < before, "%d parameters for %g, %d for less", fit.parameters, tolerance, before);
    before = fit.parameters;
    jn_trajectory_destroy(made);
  }
  jn_model_destroy(m);
}

static void without_smoothing_every_sample_is_met(void **state) {
  (void)state;
  enum { N = 50 };
  uint64_t s = seed("interpolation");
  jn_model *m = make_hinge();
  double t[N], q[N], at;
  for (int i = 0; i < N; i++) {
    t[i] = (i + 0.3 * uniform(&s)) / 10;
    q[i] = uniform(&s);
  }
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.smoothing = JN_SMOOTH_NONE;
  jn_trajectory *made;
  jn_fit fit;
  check_ok(jn_trajectory_fit(m, N, t, q, &o, &made, NULL));
  check_ok(jn_trajectory_fit_of(made, 0, &fit));
  assert_true(fit.interpolating);
  for (int i = 0; i < N; i++) {
    check_ok(jn_trajectory_evaluate(made, t[i], 0, &at, NULL));
    check(fabs(at - q[i]) < 1e-11, "sample %d: %g, not %g", i, at, q[i]);
  }
  jn_trajectory_destroy(made);
  jn_model_destroy(m);
}

/* Another beginning and unit of time change nothing but the units of the derivatives. */
static void the_fit_does_not_depend_on_the_units(void **state) {
  (void)state;
  enum { N = 200 };
  uint64_t s = seed("units");
  jn_model *m = make_hinge();
  double t[2][N], q[2][N], jet[2][5];
  const double pace = 256, start = 1024, size = 8;
  for (int i = 0; i < N; i++) {
    t[0][i] = i / 64.0;
    t[1][i] = start + pace * t[0][i];
    q[0][i] = truth_of(t[0][i]) + 1e-3 * normal(&s);
    q[1][i] = size * q[0][i];
  }
  jn_trajectory *made[2];
  jn_fit fit[2];
  for (int k = 0; k < 2; k++) {
    check_ok(jn_trajectory_fit(m, N, t[k], q[k], NULL, &made[k], NULL));
    check_ok(jn_trajectory_fit_of(made[k], 0, &fit[k]));
  }
  assert_int_equal(fit[0].parameters, fit[1].parameters);
  for (int i = 0; i <= 20; i++) {
    double time = t[0][N - 1] * i / 20, unit = size;
    check_ok(jn_trajectory_evaluate(made[0], time, 2, jet[0], jet[0] + 1));
    check_ok(jn_trajectory_evaluate(made[1], start + pace * time, 2, jet[1], jet[1] + 1));
    for (int k = 0; k < 5; k++, unit /= pace)
      check(fabs(jet[0][k] * unit - jet[1][k]) <= 1e-9 * unit * (10 + fabs(jet[0][k])), "derivative %d: %g and %g", k,
            jet[0][k] * unit, jet[1][k]);
  }
  for (int k = 0; k < 2; k++) jn_trajectory_destroy(made[k]);
  jn_model_destroy(m);
}

/* Samples of the truth and of its rate with noise, with or without a column for the rate. */
static void write_samples(uint64_t *s, int count, char *with, char *without) {
  with += sprintf(with, "t,a,a_d1\n");
  without += sprintf(without, "t,a\n");
  for (int i = 0; i < count; i++) {
    double t = i / 100.0, q = truth_of(t) + 1e-3 * normal(s);
    double v = 3 * cos(3 * t) - 2.1 * sin(7 * t) + 1e-3 * normal(s);
    without += sprintf(without, "%.4f,%.9f\n", t, q);
    with += sprintf(with, "%.4f,%.9f,%.9f\n", t, q, v);
  }
}

/* Sum of squared errors of the acceleration. */
static double acceleration_error(const jn_model *m, const char *text, int count) {
  jn_trajectory *made = load_text(m, text, 1);
  double sum = 0, v[3];
  for (int i = 0; i < count; i++) {
    double t = i / 100.0, a = -9 * sin(3 * t) - 14.7 * cos(7 * t);
    check_ok(jn_trajectory_evaluate(made, t, 1, NULL, v));
    sum += (v[1] - a) * (v[1] - a);
  }
  jn_trajectory_destroy(made);
  return sum;
}

/* With measured velocities the accelerations are better: here the error is a third, over some trials. */
static void samples_of_derivatives_help(void **state) {
  (void)state;
  enum { N = 400, TRIALS = 12 };
  uint64_t s = seed("derivatives");
  jn_model *m = make_hinge();
  static char with[64 * N], without[64 * N];
  double with_sum = 0, without_sum = 0;
  for (int i = 0; i < TRIALS; i++) {
    write_samples(&s, N, with, without);
    with_sum += acceleration_error(m, with, N);
    without_sum += acceleration_error(m, without, N);
  }
  check(with_sum < without_sum / 9, "with velocities %g, without %g", sqrt(with_sum), sqrt(without_sum));
  jn_model_destroy(m);
}

/* A pendulum of one hinge swings freely: q'' = -sin q, by small steps of Runge and Kutta. */
static void swing(double *q, double *v, double time) {
  enum { STEPS = 100 };
  double h = time / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double a1 = -sin(*q), v2 = *v + h / 2 * a1, a2 = -sin(*q + h / 2 * *v), v3 = *v + h / 2 * a2;
    double a3 = -sin(*q + h / 2 * v2), v4 = *v + h * a3, a4 = -sin(*q + h * v3);
    *q += h / 6 * (*v + 2 * v2 + 2 * v3 + v4);
    *v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

/* Its samples from rest at q, with the derivatives whose orders are in `orders` ("", "1", "2", "12"); noise in the
 * samples and in those of derivatives. */
static void write_swing(uint64_t *s, double q, const char *orders, int count, double step, const double noise[2],
                        char *text) {
  double v = 0;
  text += sprintf(text, "t,a");
  for (const char *k = orders; *k; k++) text += sprintf(text, ",a_d%c", *k);
  for (int i = 0; i < count; i++) {
    text += sprintf(text, "\n%.17g,%.17g", i * step, q + noise[0] * normal(s));
    for (const char *k = orders; *k; k++)
      text += sprintf(text, ",%.17g", (*k == '1' ? v : -sin(q)) + noise[1] * normal(s));
    swing(&q, &v, step);
  }
}

/* Largest error of q'' + sin q = 0, at and between samples. */
static double swing_error(const jn_model *m, const char *text, double end) {
  jn_trajectory *made = load_text(m, text, 2);
  double largest = 0;
  for (int i = 0; i <= 1000; i++) {
    double q, v[4];
    check_ok(jn_trajectory_evaluate(made, i * end / 1000, 2, &q, v));
    largest = fmax(largest, fabs(v[1] + sin(q)));
  }
  jn_trajectory_destroy(made);
  return largest;
}

/* With exact samples, derivatives never make a fit worse than positions alone, be they exact or noisy, however few
 * samples there are. */
static void derivatives_of_exact_samples_never_harm(void **state) {
  (void)state;
  uint64_t s = seed("swings");
  jn_model *m = make_hinge();
  static const char *const orders[] = {"1", "2", "12"};
  static char text[100 * 400];
  for (double from = 1; from < 3.1; from += 0.7)
    for (int count = 10; count < 400; count *= 2)
      for (double step = 0.02; step < 1; step *= 2) {
        write_swing(&s, from, "", count, step, (double[]){0, 0}, text);
        double alone = swing_error(m, text, (count - 1) * step);
        for (int k = 0; k < 6; k++) {
          double noise = k < 3 || count < 80 ? 0 : 1e-2; /* a few samples do not tell noise from their errors */
          write_swing(&s, from, orders[k % 3], count, step, (double[]){0, noise}, text);
          double with = swing_error(m, text, (count - 1) * step);
          check(with < 1.1 * alone + 1e-9, "%d steps of %g s, derivatives %s, noise %g: %g, without %g", count, step,
                orders[k % 3], noise, with, alone);
        }
      }
  jn_model_destroy(m);
}

/* --tolerance 0 goes through all samples of the curve, whatever derivatives say, right or wrong. */
static void without_smoothing_positions_come_first(void **state) {
  (void)state;
  enum { N = 120 };
  uint64_t s = seed("positions first");
  jn_model *m = make_hinge();
  static const char *const orders[] = {"", "1", "2", "12"};
  static char text[200 * N];
  for (int trial = 0; trial < 12; trial++) {
    jn_trajectory_options o;
    jn_trajectory *made;
    jn_fit fit;
    jn_trajectory_options_init(&o);
    o.smoothing = JN_SMOOTH_NONE;
    o.order = trial % 4;
    double noise = trial < 4 ? 0 : trial < 8 ? 1e-4 : 1e-2;
    write_swing(&s, 2, orders[trial % 4], N, 0.05, (double[]){noise, 10 * noise}, text);
    check_ok(jn_trajectory_load_text(m, text, strlen(text), "test", &o, &made, NULL));
    check_ok(jn_trajectory_fit_of(made, 0, &fit));
    check(fit.largest < 1e-11 && fit.interpolating, "derivatives '%s': off by %g", orders[trial % 4], fit.largest);
    jn_trajectory_destroy(made);
  }
  jn_model_destroy(m);
}

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

static void lack_of_memory_is_told_and_nothing_leaks(void **state) {
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
    cmocka_unit_test(splines_reproduce_polynomials_of_their_degree),
#if JN_WITH_JSON
    cmocka_unit_test(every_row_of_the_jet_is_the_derivative_of_the_one_before),
    cmocka_unit_test(the_velocity_moves_the_configuration),
    cmocka_unit_test(closed_forms_are_what_they_say),
    cmocka_unit_test(what_has_data_is_told),
    cmocka_unit_test(minimum_jerk_and_snap_have_their_closed_forms),
    cmocka_unit_test(waypoints_are_held_where_they_rest),
    cmocka_unit_test(waypoint_curves_meet_their_points_smoothly),
#endif
    cmocka_unit_test(cross_validation_is_nearly_the_best_choice),
    cmocka_unit_test(correlated_noise_is_not_taken_for_motion),
    cmocka_unit_test(a_tolerance_is_kept_with_few_parameters),
    cmocka_unit_test(without_smoothing_every_sample_is_met),
    cmocka_unit_test(the_fit_does_not_depend_on_the_units),
    cmocka_unit_test(samples_of_derivatives_help),
    cmocka_unit_test(derivatives_of_exact_samples_never_harm),
    cmocka_unit_test(without_smoothing_positions_come_first),
    cmocka_unit_test(sampled_rotations_turn_as_they_should),
    cmocka_unit_test(lack_of_memory_is_told_and_nothing_leaks),
    cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
