/* SPDX-License-Identifier: BSD-2-Clause */
/* Splines through samples: exactness, the choice of smoothness, samples of derivatives. */
#include "trajectory_help.h"

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

/* The derivative of the splines' own degree is constant between knots, and jumps at nearly all of them. */
static void knots_are_where_the_last_derivative_jumps(void **state) {
  enum { N = 40 };
  uint64_t s = seed("knots");
  jn_model *m = make_hinge();
  jn_trajectory *made;
  double t[N], q[N], jet[32];
  int knots = 0, jumps = 0;
  (void)state;
  for (int i = 0; i < N; i++) {
    t[i] = 0.1 * i;
    q[i] = sin(3 * t[i]) + 0.01 * uniform(&s);
  }
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.smoothing = JN_SMOOTH_NONE;
  check_ok(jn_trajectory_fit(m, N, t, q, &o, &made, NULL));
  int degree = jn_trajectory_degree(made);
  double last = NAN;
  for (double at = jn_trajectory_start(made), next; (next = jn_trajectory_next_knot(made, at)) < INFINITY; at = next) {
    double value[3];
    for (int k = 0; k < 3; k++) { /* derivative `degree` of q is row degree - 1 of v */
      check_ok(jn_trajectory_evaluate(made, at + (next - at) * (0.1 + 0.4 * k), degree - 2, NULL, jet));
      value[k] = jet[degree - 1];
    }
    double size = fmax(1, fabs(value[0]));
    check(fabs(value[1] - value[0]) < 1e-6 * size && fabs(value[2] - value[0]) < 1e-6 * size,
          "between %g and %g: %g %g %g", at, next, value[0], value[1], value[2]);
    jumps += fabs(value[0] - last) > 1e-3 * size;
    knots++;
    last = value[0];
  }
  check(knots > 10 && jumps > knots / 2, "%d knots, %d jumps", knots, jumps);
  check(isnan(jn_trajectory_next_knot(NULL, 0)), "no trajectory has no knots");
  jn_trajectory_destroy(made);
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

/* Columns of a joint at rest may hold rounding of very different sizes; the fit stays as small as they are. */
static void a_joint_at_rest_may_have_noise_of_any_size(void **state) {
  static const double sizes[] = {1e-3, 1e-16, 1e-30, 1e-300, 0};
  enum { SIZES = sizeof sizes / sizeof *sizes, N = 60 };
  uint64_t s = seed("rest");
  jn_model *m = make_hinge();
  (void)state;
  for (int trial = 0; trial < SIZES * SIZES * SIZES; trial++) {
    double q = sizes[trial % SIZES], v = sizes[trial / SIZES % SIZES], a = sizes[trial / SIZES / SIZES];
    char text[100 * N], *end = text + sprintf(text, "t,a,a_d1,a_d2\n");
    for (int i = 0; i < N; i++)
      end += sprintf(end, "%.2f,%.17g,%.17g,%.17g\n", i / 20.0, q * normal(&s), v * normal(&s), a * normal(&s));
    jn_trajectory *made = load_text(m, text, 2);
    for (int i = 0; i < N; i++) {
      double at, jet[3];
      check_ok(jn_trajectory_evaluate(made, i / 20.0, 0, &at, jet));
      check(fabs(at) <= 5 * (q + 3 * v + 9 * a), "noise of %g, %g and %g gives %g", q, v, a, at);
    }
    jn_trajectory_destroy(made);
  }
  jn_model_destroy(m);
}

int main(void) {
  (void)forms;
  (void)derivative_gap;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splines_reproduce_polynomials_of_their_degree),
      cmocka_unit_test(cross_validation_is_nearly_the_best_choice),
      cmocka_unit_test(correlated_noise_is_not_taken_for_motion),
      cmocka_unit_test(a_tolerance_is_kept_with_few_parameters),
      cmocka_unit_test(without_smoothing_every_sample_is_met),
      cmocka_unit_test(the_fit_does_not_depend_on_the_units),
      cmocka_unit_test(knots_are_where_the_last_derivative_jumps),
      cmocka_unit_test(samples_of_derivatives_help),
      cmocka_unit_test(derivatives_of_exact_samples_never_harm),
      cmocka_unit_test(without_smoothing_positions_come_first),
      cmocka_unit_test(a_joint_at_rest_may_have_noise_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
