/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --limits on logs whose truth is known: what a fit cannot know, at the ends of a log above all, neither
 * breaks a limit nor keeps one. */
#include "testing.h"
#include "torque_help.h"

enum { ROWS = 1000, TONES = 2 };
static const double log_rate = 250;

typedef struct swing {
  double amplitude[TONES], omega[TONES], phase[TONES];
} swing;

static double swing_at(const swing *s, double t, int k) {
  double sum = 0;
  for (int i = 0; i < TONES; i++)
    sum += s->amplitude[i] * pow(s->omega[i], k) * cos(s->omega[i] * t + s->phase[i] + k * 1.5707963267948966);
  return sum;
}

static double largest(const swing *s, int k) {
  double most = 0;
  for (int i = 0; i <= 20 * ROWS; i++) most = fmax(most, fabs(swing_at(s, i / (20 * log_rate), k)));
  return most;
}

static swing random_swing(uint64_t *state) {
  swing s;
  for (int i = 0; i < TONES; i++) {
    s.amplitude[i] = 0.2 + 0.3 * fabs(uniform(state));
    s.omega[i] = 3 + 2 * uniform(state);
    s.phase[i] = 3 * uniform(state);
  }
  return s;
}

/* hold: rows for which a controller holds a value. */
static void write_log(const swing *s, uint64_t *state, double noise, int hold) {
  FILE *f = fopen(in_directory("log.csv"), "w");
  double value = 0;
  assert_non_null(f);
  fputs("t,hinge\n", f);
  for (int i = 0; i < ROWS; i++) {
    double sum = -6;
    for (int k = 0; k < 12; k++) sum += 0.5 + 0.5 * uniform(state); /* nearly normal */
    if (i % hold == 0) value = swing_at(s, i / log_rate, 0) + noise * sum;
    fprintf(f, "%.6f,%.12f\n", i / log_rate, value);
  }
  fclose(f);
}

/* Limits of velocity, acceleration and jerk: shares of the largest ones. */
static void write_limits(const swing *s, double share) {
  char text[256];
  snprintf(text, sizeof text, "joint,velocity,acceleration,jerk\nhinge,%.9g,%.9g,%.9g\n", share * largest(s, 1),
           share * largest(s, 2), share * largest(s, 3));
  write_file("limits.csv", text);
}

/* Limits a little above the truth are never broken, those a little below it never kept. */
static void noise_at_the_ends_neither_breaks_nor_keeps_limits(void **state) {
  (void)state;
  enum { LOGS = 8 };
  uint64_t s = seed("ends");
  int unsure = 0;
  write_file("rod.json", rod);

  for (int log = 0; log < LOGS; log++) {
    swing m = random_swing(&s);
    write_log(&m, &s, log % 2 ? 1e-3 : 1e-5, 1);
    write_limits(&m, 1.01);
    outcome o = run_here("torque rod.json log.csv --limits=limits.csv --bandwidth 5 --order 1");
    if (o.code == 1) fail_msg("log %d: limits above the truth are broken:\n%s%s", log, o.out, o.err);
    unsure += o.code == 3;
    done(&o);

    write_limits(&m, 0.97);
    o = run_here("torque rod.json log.csv --limits=limits.csv --bandwidth 5 --order 1");
    if (o.code == 0) fail_msg("log %d: limits below the truth hold:\n%s%s", log, o.out, o.err);
    done(&o);

    write_limits(&m, 0.5);
    o = run_here("torque rod.json log.csv --limits=limits.csv --bandwidth 5 --order 1");
    if (o.code != 1) fail_msg("log %d: limits of half the truth are not broken:\n%s%s", log, o.out, o.err);
    done(&o);
  }
  print_message("# %d of %d logs: cannot tell\n", unsure, LOGS);
}

/* The middle of a log is known far better than its ends. */
static void without_its_ends_a_log_can_be_judged(void **state) {
  (void)state;
  uint64_t s = seed("range");
  swing m = {{0.4, 0}, {4, 1}, {0.3, 0}};
  write_file("rod.json", rod);
  write_log(&m, &s, 3e-4, 1);
  write_limits(&m, 1.2);
  outcome o = run_here("torque rod.json log.csv --limits=limits.csv --bandwidth 5 --order 1");
  assert_int_equal(o.code, 3);
  check_has(o.out, "the samples fix it only to within");
  check_has(o.out, "--range START,END");
  done(&o);
  o = run_fine("torque rod.json log.csv --limits=limits.csv --bandwidth 5 --order 1 --range 0.4,3.6", 0);
  check_has(o.out, "limits hold");
  done(&o);
}

/* A controller that is five times slower than the log: limits of twice the truth hold, those of half of it do not. */
static void rows_that_a_controller_holds_are_no_steps(void **state) {
  (void)state;
  uint64_t s = seed("held");
  write_file("rod.json", rod);
  for (int log = 0; log < 6; log++) {
    swing m = random_swing(&s);
    write_log(&m, &s, 0, log % 2 ? 5 : 4);
    write_limits(&m, 2);
    outcome o = run_fine("torque rod.json log.csv --limits=limits.csv --order 1", 0);
    check_has(o.err, "each value is held for");
    check_has(o.err, log % 2 ? "a controller of about 50 Hz" : "a controller of about 62.5 Hz");
    done(&o);
    write_limits(&m, 0.5);
    o = run_here("torque rod.json log.csv --limits=limits.csv --order 1");
    assert_int_equal(o.code, 1);
    done(&o);
  }

  /* who asks for all rows gets them, and is told */
  outcome o = run_here("torque rod.json log.csv --limits=limits.csv --order 1 --tolerance 0");
  check_has(o.err, "which are no motion");
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(noise_at_the_ends_neither_breaks_nor_keeps_limits),
                                     cmocka_unit_test(without_its_ends_a_log_can_be_judged),
                                     cmocka_unit_test(rows_that_a_controller_holds_are_no_steps)};
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
