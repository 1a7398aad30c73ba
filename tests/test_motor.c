/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce motor, as a user runs it. */
#include "support/running.h"

#include <math.h>

#define SPRINGS                                                                                                 \
  "{\"joints\": {\"joint1\": {\"stiffness\": 8000, \"rotor_inertia\": 1.2}, \"joint2\": {\"stiffness\": 7100, " \
  "\"rotor_inertia\": 1.1e-4, \"rotor_side\": \"motor\", \"gear\": 100%s}}}"
#define MOTION                                                                                                \
  "{\"duration\": 1, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.15, \"omega\": 1.4, \"phase\": " \
  "-1.5707963267948966}}, \"joint2\": {\"cosine\": {\"amplitude\": 0.2, \"omega\": 1.8, \"phase\": "          \
  "-1.2374629934615632, \"offset\": -0.6}}}}"

static void write_files(const char *more) {
  char text[1024];
  snprintf(text, sizeof text, SPRINGS, more);
  write_file("springs.json", text);
  write_file("move.json", MOTION);
}

static double cell(const jn_table *t, const char *column, int row) {
  for (int c = 0; c < jn_table_columns(t); c++)
    if (strcmp(jn_table_name(t, c), column) == 0) return jn_table_values(t, c)[row];
  fail_msg("there is no column %s", column);
  return NAN;
}

/* Property: the file has the columns of docs/elastic.md, and in them the numbers of 40-digit arithmetic at t = 0. */
static void the_file_has_the_numbers_of_many_digits(void **unused) {
  (void)unused;
  static const struct {
    const char *column, *unit;
    double exact;
  } cells[] = {{"joint1.theta", "rad", 0.003474839119350885},
               {"joint2.theta_d1", "rad/s", 0.3403105097706855},
               {"joint1.theta_d2", "rad/s^2", -0.0005464596711449117},
               {"joint1.spring", "N m", 27.798712954807083},
               {"joint1.motor_tau", "N m", 27.798057203201708},
               {"joint2.motor_tau", "N m", 7.973253006471635},
               {"joint1.motor_tau_d1", "N m/s", -1.967864433705037},
               {"joint2.motor_tau_d1", "N m/s", -0.3178018581987586},
               {"joint2.power", "W", 7.973253006471635 * 0.3403105097706855}};
  write_files("");
  outcome o = run_fine("motor builtin:planar_2r move.json --actuators springs.json --rate 100 --out m.csv --check", 0);
  check_has(o.out, "101 samples from 0 to 1 s");
  check_has(o.out, "Written: m.csv");
  check_has(o.out, "fine");
  done(&o);
  char *text = read_file("m.csv");
  jn_table *t;
  jn_error error;
  if (jn_table_read(text, strlen(text), "m.csv", NULL, &t, &error) != JN_OK) fail_msg("%s", error.text);
  assert_int_equal(jn_table_rows(t), 101);
  assert_int_equal(jn_table_columns(t), 1 + 2 + 7 * 2);
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    double x = cell(t, cells[i].column, 0);
    if (!(fabs(x / cells[i].exact - 1) < 1e-12)) fail_msg("%s: %.17g", cells[i].column, x);
    for (int c = 0; c < jn_table_columns(t); c++)
      if (strcmp(jn_table_name(t, c), cells[i].column) == 0) assert_string_equal(jn_table_unit(t, c), cells[i].unit);
  }
  jn_table_destroy(t);
  free(text);
}

static void limits_of_motors_are_looked_at(void **unused) {
  (void)unused;
  write_files(", \"forcerange\": [-0.05, 0.05], \"deflection\": 0.1, \"torque_constant\": 0.1");
  outcome o = run_fine("motor builtin:planar_2r move.json --actuators springs.json", 1);
  check_has(o.out, "1 of 2 limits of the motors are broken");
  check_has(o.out, "joint2 motor torque: 7.973");
  check_has(o.out, "beyond the limit of 5");
  check_has(o.out, "|current| [A]");
  done(&o);
  char longer[] = MOTION;
  *strchr(longer, '1') = '3'; /* s, at 1 Hz: the fastest is between samples */
  write_files(", \"velocity\": 35");
  write_file("move.json", longer);
  o = run_fine("motor builtin:planar_2r move.json --actuators springs.json --rate 1", 1);
  check_has(o.out, "joint2 motor speed: -0.3599 rad/s at 1.5454 s, beyond the limit of -0.35 (between two samples)");
  done(&o);
  write_files(", \"forcerange\": [-10, 10]");
  o = run_fine("motor builtin:planar_2r move.json --actuators springs.json --modes --limits", 0);
  check_has(o.out, "All 1 limits of the motors hold.");
  check_has(o.out, "Modes of the springs [Hz]");
  check_has(o.out, "2 motions without resistance");
  done(&o);
}

/* Property: damped springs follow their equation in time, so the elastic robot follows, too; loops as well as trees. */
static void the_check_holds_for_damped_springs_and_loops(void **unused) {
  (void)unused;
  write_files(", \"damping\": 20");
  outcome o = run_fine("motor builtin:planar_2r move.json --actuators springs.json --check", 0);
  check_has(o.out, "fine");
  done(&o);
  write_file("crank.json", "{\"joints\": {\"motor\": {\"stiffness\": 500, \"rotor_inertia\": 0.05}}}");
  write_file("turn.json", "{\"duration\": 2, \"joints\": {\"motor\": {\"polynomial\": [0, 1, 0.2]}}}");
  o = run_fine("motor builtin:four_bar turn.json --actuators crank.json --check --modes", 0);
  check_has(o.out, "motor.motor");
  check_has(o.out, "fine");
  done(&o);
}

/* Property: stiff springs are checked for a shorter time, and very stiff ones not at all, which is said: no check takes
 * forever. */
static void stiff_springs_are_checked_or_named(void **unused) {
  (void)unused;
  write_files("");
  write_file("stiff.json", "{\"joints\": {\"joint1\": {\"stiffness\": 1e11, \"rotor_inertia\": 0.5}}}");
  outcome o = run_fine("motor builtin:planar_2r move.json --actuators stiff.json --check", 0);
  check_has(o.out, "20 times for 0.00");
  check_has(o.out, "fine");
  done(&o);
  write_file("stiff.json", "{\"joints\": {\"joint1\": {\"stiffness\": 1e16, \"rotor_inertia\": 0.5}}}");
  check_says("motor builtin:planar_2r move.json --actuators stiff.json --check", 1, "too stiff to integrate");
  write_file("stiff.json", "{\"joints\": {\"joint1\": {\"stiffness\": 1e300, \"rotor_inertia\": 1e-300}}}");
  check_says("motor builtin:planar_2r move.json --actuators stiff.json --check", 1,
             "rates that overflow are too stiff");
  check_says("motor builtin:planar_2r move.json --actuators stiff.json --modes", 1, "a frequency overflows");
  write_file("stiff.json", "{\"joints\": {\"joint1\": {\"stiffness\": 1e-300, \"rotor_inertia\": 1e300}}}");
  check_says("motor builtin:planar_2r move.json --actuators stiff.json --check", 1,
             "the spring of joint 'joint1' is so soft");
  write_file("stiff.json", "{\"joints\": {\"joint1\": {\"stiffness\": 1, \"rotor_inertia\": 1e-12}}}");
  check_says("motor builtin:planar_2r move.json --actuators stiff.json --check", 1, "takes too many steps");
}

/* Property: one sample is no motion, whatever the springs; and a short motion is not taken for a stiff one. */
static void short_motions_are_not_called_stiff(void **unused) {
  (void)unused;
  write_files("");
  outcome o = run_fine("motor builtin:planar_2r move.json --actuators springs.json --rate 1e-5 --check", 1);
  check_has(o.out, "1 sample from 0 to 0 s");
  check_has(o.err, "one sample is no motion; use a higher --rate");
  check_lacks(o.err, "stiff");
  done(&o);
  o = run_fine("motor builtin:planar_2r move.json --actuators springs.json --range 0,1e-4 --check", 0);
  check_has(o.out, "fine");
  done(&o);
}

/* No spring, a spring so weak that its motor winds up, and a limit that allows nothing. */
static void odd_actuators_are_told(void **unused) {
  (void)unused;
  write_files("");
  write_file("rigid.json",
             "{\"joints\": {\"joint1\": {\"rotor_inertia\": 0.5}, \"joint2\": {\"rotor_inertia\": 0.2}}}");
  outcome o = run_fine("motor builtin:planar_2r move.json --actuators rigid.json --modes", 0);
  check_has(o.out, "and 2 motions without resistance");
  check_has(o.out, "no joint has a spring");
  done(&o);
  write_file("soft.json",
             "{\"joints\": {\"joint1\": {\"rotor_inertia\": 0.5, \"stiffness\": 1e-6}, \"joint2\": {\"rotor_inertia\": "
             "0.2, \"stiffness\": 1e6}}}");
  o = run_fine("motor builtin:planar_2r move.json --actuators soft.json --check --modes", 0);
  check_lacks(o.out, "TOO FAR");
  check_has(o.out, "and 2 motions without resistance"); /* the weak spring is none of them */
  done(&o);
  write_file("zero.json",
             "{\"joints\": {\"joint1\": {\"rotor_inertia\": 0.5, \"stiffness\": 1000, \"deflection\": 0}}}");
  o = run_fine("motor builtin:planar_2r move.json --actuators zero.json", 1);
  check_has(o.out, "! beyond @ ");
  check_lacks(o.out, "inf");
  done(&o);
}

static void mistakes_are_named(void **unused) {
  (void)unused;
  write_files("");
  check_says("motor builtin:planar_2r move.json", 2, "--actuators FILE is missing");
  check_says("motor builtin:planar_2r move.json --actuators none.json", 1, "none.json");
  check_says("motor builtin:planar_2r move.json --actuators springs.json --out springs.csv --rate -1", 2, "--rate");
  check_says("motor builtin:planar_2r move.json --actuators springs.json --check --losses", 2, "--losses");
  write_file("bad.json", "{\"joints\": {\n  \"joint1\": {\"stiffness\": 0}}}");
  check_says("motor builtin:planar_2r move.json --actuators bad.json", 1,
             "bad.json:2:14: joint 'joint1': 'stiffness' must be positive, not 0");
  write_file("weak.json", "{\"joints\": {\"joint1\": {\"stiffness\": {\"polynomial\": [0, 10, 0, -100]}}}}");
  check_says("motor builtin:planar_2r move.json --actuators weak.json", 1,
             "the spring of joint 'joint1' cannot make the torque of 27.79");
  write_file("empty.json", "{\"joints\": {\"joint1\": {\"stiffness\": {\"polynomial\": []}}}}");
  check_says("motor builtin:planar_2r move.json --actuators empty.json", 1, "'polynomial' needs at least two numbers");
  write_file("both.json",
             "{\"joints\": {\"joint1\": {\"stiffness\": {\"polynomial\": [0, 1], \"times\": [0, 1, 2]}}}}");
  check_says("motor builtin:planar_2r move.json --actuators both.json", 1, "'stiffness' mixes several of the forms");
  write_file("light.json", "{\"joints\": {\"joint1\": {\"stiffness\": 1000}}}");
  check_says("motor builtin:planar_2r move.json --actuators light.json --modes", 1,
             "joint 'joint1' has a spring but no rotor_inertia");
}

/* With D / K as long as the motion is fast, the slow solution is no start: deflections came out a thousand times too
 * large. */
static void strong_damping_starts_at_rest(void **state) {
  static const char *const damping[] = {"350", "700", "7000", "1e6"};
  (void)state;
  write_file("swing.json",
             "{\"duration\": 1, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.3, \"omega\": 40}}, "
             "\"joint2\": {\"polynomial\": [0]}}}");
  for (size_t i = 0; i < sizeof damping / sizeof *damping; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "{\"joints\": {\"joint1\": {\"stiffness\": 14000, \"rotor_inertia\": 0.6, \"damping\": %s, "
             "\"deflection\": 0.3}}}",
             damping[i]);
    write_file("damped.json", text);
    outcome o = run_fine("motor builtin:planar_2r swing.json --actuators damped.json --rate 2000", 0);
    check_has(o.out, "limits of the motors hold");
    done(&o);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_file_has_the_numbers_of_many_digits),
      cmocka_unit_test(limits_of_motors_are_looked_at),
      cmocka_unit_test(the_check_holds_for_damped_springs_and_loops),
      cmocka_unit_test(stiff_springs_are_checked_or_named),
      cmocka_unit_test(short_motions_are_not_called_stiff),
      cmocka_unit_test(odd_actuators_are_told),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(strong_damping_starts_at_rest),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
