/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce retime, as a user runs it. */
#include "support/running.h"

/* Law: a motion that breaks limits becomes one that jounce torque finds within them; also from the file alone. */
static void a_motion_that_breaks_limits_is_cured(void **unused) {
  (void)unused;
  write_file("rates.json", "{\"panda_joint2\": {\"effort_rate\": 100}, \"panda_joint4\": {\"effort_rate\": 60}}");
  outcome o = run_fine("torque builtin:panda builtin:demo --limits rates.json", 1);
  check_has(o.out, "panda_joint2 effort rate: ");
  done(&o);
  o = run_fine("retime builtin:panda builtin:demo --uniform --limits rates.json --margin 5%", 0);
  check_has(o.out, "The largest uniform factor is 0.6439829");
  check_has(o.out, "All 42 limits hold.");
  done(&o);
  o = run_fine("retime builtin:panda builtin:demo --limits rates.json --margin 0.05 --out new.csv", 0);
  check_has(o.out, "5 s before, 5.6");
  check_has(o.out, "along the path");
  check_has(o.out, "panda_joint2  effort rate");
  check_has(o.out, "All 42 limits hold.");
  check_has(o.out, "Written: new.csv");
  done(&o);
  o = run_fine("torque builtin:panda new.csv --limits rates.json --bandwidth 200 --order 1", 0);
  check_has(o.out, "All 42 limits hold.");
  done(&o);
}

/* Law: when no speed helps, the exit status is 1 and the limit is named. */
static void what_no_speed_cures_is_named(void **unused) {
  (void)unused;
  write_file("weak.json", "{\"panda_joint2\": {\"effort\": 20}}");
  outcome o = run_fine("retime builtin:panda builtin:demo --limits weak.json --out never.csv", 1);
  check_has(o.out, "No speed keeps all limits: panda_joint2 effort is -50.89 N m at 0 s");
  check_has(o.out, "the limit is -20; the weight alone");
  done(&o);
  write_file("narrow.json", "{\"panda_joint2\": {\"upper\": 0.3}}");
  o = run_fine("retime builtin:panda builtin:demo --uniform --limits narrow.json", 1);
  check_has(o.out, "panda_joint2 position is 0.7175 rad");
  done(&o);
}

static void motors_count_when_they_are_given(void **unused) {
  (void)unused;
  write_file("arm.json",
             "{\"joints\": {\"joint1\": {\"stiffness\": 900, \"rotor_inertia\": 0.5, \"deflection\": 0.04}}}");
  write_file("move.json",
             "{\"duration\": 4, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.3, \"omega\": 2}}, "
             "\"joint2\": {\"cosine\": {\"amplitude\": 0.4, \"omega\": 3}}}}");
  outcome o = run_fine("retime builtin:planar_2r move.json --uniform --actuators arm.json", 0);
  check_has(o.out, "joint1 deflection at");
  done(&o);
}

static void mistakes_are_named(void **unused) {
  (void)unused;
  write_file("arm.json", "{\"joints\": {\"joint1\": {\"stiffness\": 900, \"damping\": 1}}}");
  write_file(
      "move.json",
      "{\"duration\": 4, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": {\"polynomial\": [0, 1]}}}");
  check_says("retime builtin:planar_2r move.json --actuators arm.json", 2, "--actuators needs --uniform");
  check_says("retime builtin:planar_2r move.json --actuators arm.json --uniform", 1, "linear springs without damping");
  check_says("retime builtin:planar_2r move.json --margin 200%", 2, "--margin takes a share");
  check_says("retime builtin:planar_2r move.json --intervals 2", 2, "--intervals takes");
  check_says("retime builtin:planar_2r move.json --out -", 2, "--out takes");
  check_says("retime builtin:four_bar move.json", 2, "has loops");
  write_file(
      "free.json",
      "{\"name\": \"free\", \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\", \"parent\": \"a\", \"joint\": {\"name\": "
      "\"j\", \"type\": \"continuous\", \"axis\": [0, 1, 0]}, \"inertia\": {\"parameters\": [1, 0, 0, 0, "
      "0.1, 0.1, 0.1, 0, 0, 0]}}]}");
  write_file("turn.json", "{\"duration\": 4, \"joints\": {\"j\": {\"cosine\": {\"amplitude\": 1, \"omega\": 2}}}}");
  check_says("retime free.json turn.json", 1, "has no limit of velocity");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motion_that_breaks_limits_is_cured),
      cmocka_unit_test(what_no_speed_cures_is_named),
      cmocka_unit_test(motors_count_when_they_are_given),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
