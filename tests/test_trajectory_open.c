/* SPDX-License-Identifier: BSD-2-Clause */
/* What samples leave open about a spline: random motions with noise, whose truth is known. */
#include "trajectory_help.h"

enum { MOST = 2000, TONES = 3, ORDER = 1, DERIVATIVES = ORDER + 3 };

typedef struct tones {
  double amplitude[TONES], omega[TONES], phase[TONES];
} tones;

static tones random_tones(uint64_t *s) {
  tones m;
  for (int i = 0; i < TONES; i++) {
    m.amplitude[i] = 0.5 * uniform(s);
    m.omega[i] = 4 + 3 * uniform(s);
    m.phase[i] = 3 * uniform(s);
  }
  return m;
}

/* Derivative k. */
static double truth_at(const tones *m, double t, int k) {
  double sum = 0;
  for (int i = 0; i < TONES; i++)
    sum += m->amplitude[i] * pow(m->omega[i], k) * cos(m->omega[i] * t + m->phase[i] + k * 1.5707963267948966);
  return sum;
}

typedef struct tally {
  int looked[2][DERIVATIVES], beyond[2][DERIVATIVES]; /* [inside, at the ends] */
  double spread[2][DERIVATIVES];                      /* sum of log(off / error) */
} tally;

/* Compares one fit with the truth at both ends and inside. */
static void compare(const jn_trajectory *t, const tones *m, tally *to) {
  double start = jn_trajectory_start(t), length = jn_trajectory_end(t) - start;
  static const double places[] = {0, 1, 0.002, 0.998, 0.01, 0.99, 0.3, 0.4, 0.5, 0.6, 0.7};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    double time = start + places[i] * length, jet[DERIVATIVES], off[DERIVATIVES];
    int end = places[i] < 0.1 || places[i] > 0.9;
    check_ok(jn_trajectory_evaluate(t, time, ORDER, jet, jet + 1));
    check_ok(jn_trajectory_uncertainty(t, time, ORDER, off));
    for (int k = 0; k < DERIVATIVES; k++) {
      double error = fabs(jet[k] - truth_at(m, time, k));
      to->looked[end][k]++;
      to->beyond[end][k] += error > off[k];
      to->spread[end][k] += log(off[k] / fmax(error, 1e-12));
    }
  }
}

/* The truth is within what is said to be open, at the ends as in the middle, and not because everything is said to be
 * open: errors are a fiftieth of it or more on average. */
static void the_truth_is_within_what_samples_leave_open(void **state) {
  (void)state;
  enum { LOGS = 150 };
  static double t[MOST], q[MOST];
  uint64_t s = seed("open");
  jn_model *model = make_hinge();
  tally all = {0};

  for (int log = 0; log < LOGS; log++) {
    tones m = random_tones(&s);
    int count = 200 + (int)(900 * (1 + uniform(&s)));
    double noise = pow(10, -4 + 1.5 * uniform(&s)), filtered = 0, keep = log % 3 == 2 ? 0.7 : 0;
    for (int i = 0; i < count; i++) {
      t[i] = 4.0 * i / (count - 1);
      filtered = keep * filtered + noise * normal(&s);
      q[i] = truth_at(&m, t[i], 0) + filtered;
    }
    jn_trajectory_options o;
    jn_trajectory *made;
    jn_trajectory_options_init(&o);
    o.order = ORDER;
    check_ok(jn_trajectory_fit(model, count, t, q, &o, &made, NULL));
    jn_fit fit;
    check_ok(jn_trajectory_fit_of(made, 0, &fit));
    if (!fit.interpolating) compare(made, &m, &all); /* else noise was taken for motion, and a warning said so */
    jn_trajectory_destroy(made);
  }

  for (int end = 0; end < 2; end++)
    for (int k = 0; k < DERIVATIVES; k++) {
      double share = (double)all.beyond[end][k] / all.looked[end][k];
      double ratio = exp(all.spread[end][k] / all.looked[end][k]);
      printf("# %s, derivative %d: %d of %d beyond, what is open is %.3g times the error on average\n",
             end ? "ends" : "inside", k, all.beyond[end][k], all.looked[end][k], ratio);
      check(share <= 0.005, "%s, derivative %d: %g %% of the errors are beyond what is open", end ? "ends" : "inside",
            k, 100 * share);
      check(ratio < 60, "derivative %d: %g times the error is said to be open", k, ratio);
    }
  jn_model_destroy(model);
}

/* Exact samples, many for each period: hardly anything is open. Few of them, or noise that is followed: much, at the
 * ends. */
static void splines_through_all_samples_are_open_at_their_ends_only(void **state) {
  (void)state;
  static double t[MOST], q[MOST];
  uint64_t s = seed("exact");
  jn_model *model = make_hinge();
  int looked = 0, beyond = 0;
  for (int trial = 0; trial < 200; trial++) {
    tones m = random_tones(&s);
    int count = trial % 2 ? 60 : 1000;
    double noise = trial % 4 == 3 ? 1e-3 : 0;
    for (int i = 0; i < count; i++) {
      t[i] = 4.0 * i / (count - 1);
      q[i] = truth_at(&m, t[i], 0) + noise * uniform(&s);
    }
    jn_trajectory_options o;
    jn_trajectory *made;
    double off[DERIVATIVES], jet[DERIVATIVES];
    jn_trajectory_options_init(&o);
    o.order = ORDER;
    o.smoothing = JN_SMOOTH_NONE;
    check_ok(jn_trajectory_fit(model, count, t, q, &o, &made, NULL));

    check_ok(jn_trajectory_uncertainty(made, 2, ORDER, off));
    for (int k = 0; k < DERIVATIVES; k++) check(off[k] == 0, "derivative %d is open by %g in the middle", k, off[k]);

    for (int end = 0; end < 2; end++) {
      double time = end ? 4 : 0;
      check_ok(jn_trajectory_evaluate(made, time, ORDER, jet, jet + 1));
      check_ok(jn_trajectory_uncertainty(made, time, ORDER, off));
      for (int k = 1; k < DERIVATIVES; k++) {
        double error = fabs(jet[k] - truth_at(&m, time, k)), scale = 0;
        for (int i = 0; i < TONES; i++) scale += fabs(m.amplitude[i]) * pow(m.omega[i], k);
        looked++;
        beyond += error > off[k] + 1e-9 * scale * pow(count, k);
        if (count == 1000) check(off[k] < 1e-3 * scale, "derivative %d of exact samples is open by %g", k, off[k]);
      }
    }
    jn_trajectory_destroy(made);
  }
  printf("# %d of %d errors are beyond what is open\n", beyond, looked);
  check(beyond <= 0.02 * looked, "%d of %d errors are beyond what is open", beyond, looked);
  jn_model_destroy(model);
}

static void closed_forms_leave_nothing_open(void **state) {
  (void)state;
  jn_model *model = make_hinge();
  jn_trajectory *made;
  char name[JN_COORDINATE_NAME], text[512];
  double off[DERIVATIVES] = {1, 1, 1, 1};
  check_ok(jn_coordinate_name(model, 0, name, sizeof name));
  snprintf(text, sizeof text, "{\"duration\": 2, \"joints\": {\"%s\": {\"polynomial\": [0, 1, -0.5]}}}", name);
  check_ok(jn_trajectory_load_text(model, text, strlen(text), "form", NULL, &made, NULL));
  check_ok(jn_trajectory_uncertainty(made, 0, ORDER, off));
  for (int k = 0; k < DERIVATIVES; k++) assert_true(off[k] == 0);
  assert_int_equal(jn_trajectory_uncertainty(made, 0, -1, off), JN_ERR_SIZE);
  assert_int_equal(jn_trajectory_uncertainty(NULL, 0, 0, off), JN_ERR_NULL);
  jn_trajectory_destroy(made);
  jn_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_truth_is_within_what_samples_leave_open),
                                     cmocka_unit_test(splines_through_all_samples_are_open_at_their_ends_only),
                                     cmocka_unit_test(closed_forms_leave_nothing_open)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
