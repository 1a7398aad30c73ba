/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs in which a slower controller holds each value for several rows: they are recognised, and what else repeats
 * values is not taken for them. */
#include "trajectory_help.h"

enum { MOST = 6000 };
static double times[MOST], values[MOST];

/* What a log is made of: a motion, seen through a controller and a sensor. */
typedef struct logging {
  double rate, controller; /* [Hz] */
  double phase;            /* of the controller [s] */
  double jitter;           /* by which it writes late [s] */
  double noise, step;      /* of its sensor [rad] */
  int rows;
} logging;

static double motion_of(double t) { return 0.7 * sin(2.3 * t) + 0.2 * cos(5.1 * t + 1); }
static double acceleration_of(double t) { return -0.7 * 2.3 * 2.3 * sin(2.3 * t) - 0.2 * 5.1 * 5.1 * cos(5.1 * t + 1); }

static void write_log(const logging *g, uint64_t *s, double (*motion)(double)) {
  double held = NAN;
  for (int i = 0, tick = 0; i < g->rows; i++) {
    times[i] = i / g->rate;
    while (tick / g->controller - g->phase + g->jitter * fabs(uniform(s)) <= times[i] + 1e-9) {
      held = motion(tick / g->controller - g->phase) + g->noise * normal(s);
      if (g->step > 0) held = g->step * round(held / g->step);
      tick++;
    }
    values[i] = isnan(held) ? motion(0) : held;
  }
}

static jn_trajectory *fit_log(const jn_model *m, int rows, int *told) {
  jn_trajectory_options o;
  jn_trajectory *made;
  jn_trajectory_options_init(&o);
  o.order = 1;
  o.report = jn_report_create(NULL);
  check_ok(jn_trajectory_fit(m, rows, times, values, &o, &made, NULL));
  *told = 0;
  for (int i = 0; i < jn_report_count(o.report); i++)
    *told |= strcmp(jn_report_message(o.report, i)->rule, "column-held") == 0;
  jn_report_destroy(o.report);
  return made;
}

/* The largest error of the acceleration, the ends apart and included. */
static double acceleration_error(const jn_trajectory *t, double late, double cut) {
  double most = 0, jet[8], start = jn_trajectory_start(t) + cut, end = jn_trajectory_end(t) - cut;
  for (int i = 0; i <= 500; i++) {
    double time = start + (end - start) * i / 500;
    check_ok(jn_trajectory_evaluate(t, time, 1, jet, jet + 1));
    most = fmax(most, fabs(jet[2] - acceleration_of(time - late)));
  }
  return most;
}

/* A spline through the staircase itself has accelerations of thousands; the motion has 9 rad/s^2 at most. */
static void held_rows_are_left_out(void **state) {
  (void)state;
  uint64_t s = seed("held");
  static const logging logs[] = {{500, 100, 0, 0, 0, 0, 2500},          /* five rows each */
                                 {500, 100, 0.0037, 0, 0, 0, 2500},     /* the log begins between two ticks */
                                 {1000, 500, 0, 0, 0, 0, 3000},         /* two rows each */
                                 {500, 110, 0.002, 0, 0, 0, 2500},      /* 4.5 rows each: four or five */
                                 {1000, 63, 0.001, 0, 0, 0, 4000},      /* 15.9 rows each */
                                 {500, 100, 0, 0, 0, 1e-6, 2500},       /* decimals of a file */
                                 {1000, 100, 0, 0, 0, 0.0005, 5000},    /* an encoder, moving */
                                 {500, 100, 0.0012, 0, 1e-5, 0, 2500},  /* noise */
                                 {1000, 100, 0, 0.001, 1e-5, 0, 5000}}; /* a tick may come a row late */
  jn_model *m = make_hinge();

  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    const logging *g = &logs[i];
    int told;
    write_log(g, &s, motion_of);
    jn_trajectory *t = fit_log(m, g->rows, &told);
    double expected = g->rows / g->rate * g->controller;
    check(told, "log %zu: held rows were not seen", i);
    check(fabs(jn_trajectory_samples(t) - expected) <= 2, "log %zu: %d rows were kept, not %g", i,
          jn_trajectory_samples(t), expected);

    /* a value is seen when it is written, up to a row late; then what an error of the sensor does to a smooth fit */
    double late = 0.5 / g->rate * (g->rate / g->controller != floor(g->rate / g->controller));
    double sensor = g->noise + g->step + g->jitter, allowed = 0.3 + 3e3 * sensor;
    double error = acceleration_error(t, late, 0.3);
    check(error <= fmin(allowed, 4), "log %zu: accelerations are off by %g rad/s^2, allowed %g", i, error, allowed);
    jn_trajectory_destroy(t);
  }
  jn_model_destroy(m);
}

static double slow_motion(double t) { return 0.05 * t; }
static double at_times_at_rest(double t) { return t < 1 ? 0.2 : t < 2 ? 0.2 + 0.1 * pow(t - 1, 4) : 0.3; }
static double in_steps(double t) { return 0.1 * floor(3 * t + 0.3 * sin(40 * t)); }

/* Encoders that turn slowly, rests, and steps at irregular times repeat values, too. */
static void other_repeated_values_stay(void **state) {
  (void)state;
  uint64_t s = seed("not held");
  const struct {
    logging g;
    double (*motion)(double);
  } logs[] = {{{500, 500, 0, 0, 0, 0, 2500}, motion_of},
              {{500, 500, 0, 0, 1e-4, 0, 2500}, motion_of},
              {{500, 500, 0, 0, 0, 1e-6, 2500}, motion_of},
              {{500, 500, 0, 0, 0, 2 * 3.14159265358979 / 4096, 2500}, motion_of},
              {{500, 500, 0, 0, 0, 0.0005, 2500}, slow_motion}, /* a step every five rows */
              {{500, 500, 0, 0, 0, 0, 1500}, at_times_at_rest},
              {{500, 500, 0, 0, 0, 0, 2500}, in_steps}};
  jn_model *m = make_hinge();

  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    int told;
    write_log(&logs[i].g, &s, logs[i].motion);
    jn_trajectory *t = fit_log(m, logs[i].g.rows, &told);
    check(!told && jn_trajectory_samples(t) == logs[i].g.rows, "log %zu: taken for held rows, %d left", i,
          jn_trajectory_samples(t));
    jn_trajectory_destroy(t);
  }
  jn_model_destroy(m);
}

/* Rows at which a robot rests are kept, one for each tick. */
static void rests_of_held_logs_stay(void **state) {
  (void)state;
  uint64_t s = seed("rests");
  const logging g = {500, 100, 0, 0, 0, 0, 1500};
  int told;
  jn_model *m = make_hinge();
  write_log(&g, &s, at_times_at_rest);
  jn_trajectory *t = fit_log(m, g.rows, &told);
  assert_true(told);
  check(abs(jn_trajectory_samples(t) - 300) <= 2, "%d rows were kept", jn_trajectory_samples(t));
  double q[1], v[3];
  for (double time = 0; time < 0.9; time += 0.01) {
    check_ok(jn_trajectory_evaluate(t, time, 1, q, v));
    check(fabs(q[0] - 0.2) < 1e-6 && fabs(v[0]) < 1e-4, "at %g s: %g rad, %g rad/s", time, q[0], v[0]);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(held_rows_are_left_out),
                                     cmocka_unit_test(other_repeated_values_stay),
                                     cmocka_unit_test(rests_of_held_logs_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
