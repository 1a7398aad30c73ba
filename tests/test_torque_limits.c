/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --check and --limits: agreement with differentiation, verdicts on limits, what samples can tell. */
#include "torque_help.h"

/* ---- Check, limits ---- */

static void the_check_agrees(void **state) {
  (void)state;
  outcome o = run_fine("torque builtin:panda builtin:demo --order 4 --check", 0);
  check_has(o.out, "differences of order 3");
  assert_null(strstr(o.out, "TOO FAR OFF"));
  done(&o);
  write_file("m.json", "{\"duration\": 1, \"joints\": {\"motor\": {\"polynomial\": [0, 2, 1]}}}");
  o = run_fine("torque builtin:four_bar m.json --order 3 --check", 0); /* the loop moves the other joints */
  check_has(o.out, "crank_pin");
  assert_null(strstr(o.out, "TOO FAR OFF"));
  done(&o);
}

/* Of the four-bar linkage only the motor works: its power is the rate of the energy, with all joints as the loop moves
 * them. */
static void the_motor_of_a_loop_does_all_the_work(void **state) {
  (void)state;
  write_file("m.json", "{\"duration\": 3, \"joints\": {\"motor\": {\"polynomial\": [0.4, 2, 1]}}}");
  outcome o = run_fine("torque builtin:four_bar m.json --order 1 --rate 20 --out r.csv", 0);
  done(&o);
  jn_model *m;
  jn_work *w;
  jn_table t;
  assert_int_equal(jn_load("builtin:four_bar", NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_work_create_order(m, 1, &w), JN_OK);
  read_result("r.csv", &t);
  static const char *const names[] = {"motor", "crank_pin", "rocker_pin"};
  for (int r = 0; r < t.rows; r++) {
    double q[3], v[9], energy[4], effort = jn__table_column(&t, jn__table_find(&t, "motor.tau"))[r];
    for (int j = 0; j < 3; j++) {
      int at = jn__table_find(&t, names[j]);
      assert_true(at > 0);
      q[j] = jn__table_column(&t, at)[r];
      for (int k = 0; k < 3; k++) v[3 * k + j] = jn__table_column(&t, at + 3 * (k + 1))[r]; /* _d1, _d2, _d3 follow */
    }
    assert_int_equal(jn_energy_jet(m, w, 1, q, v, energy), JN_OK);
    double power = energy[2] + energy[3];
    if (fabs(effort * v[0] - power) > 1e-9 * (1 + fabs(power)))
      fail_msg("row %d: %g W, not %g W", r, effort * v[0], power);
  }
  jn__table_free(&t);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* A cubic spline has a jerk that jumps, and so do torque rates. */
static void curves_that_are_not_smooth_enough_are_reported(void **state) {
  (void)state;
  write_file(
      "one.json",
      "{\"name\": \"one\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\","
      " \"axis\": [0, 1, 0]}, \"inertia\": {\"mass\": 2, \"com\": [0, 0, -0.5], \"tensor\": [1, 1, 1, 0, 0, 0]}}]}");
  write_file("m.json", "{\"times\": [0, 0.5, 1], \"joints\": {\"hinge\": {\"minimum_acceleration\": [0, 1, 0]}}}");
  outcome o = run_fine("torque one.json m.json --order 1", 0);
  check_has(o.err, "continuous derivatives up to order 2; torques of order 1 need order 3");
  done(&o);
  o = run_fine("torque one.json m.json --order 0", 0);
  assert_string_equal(o.err, "");
  done(&o);
}

static void limits_decide_the_exit_status(void **state) {
  (void)state;
  outcome o = run_fine("torque builtin:panda builtin:demo --limits", 1);
  check_has(o.out, "2 of 42 limits are broken");
  check_has(o.out, "panda_joint1 velocity: 2.21 rad/s at 0.92 s, beyond the limit of 2.175 by 0.035");
  check_has(o.out, "! 102% @ 0.51");
  done(&o);
  write_file("l.json", "{\"panda_joint1\": {\"velocity\": 2.3}, \"panda_joint2\": {\"velocity\": null}}");
  o = run_fine("torque builtin:panda builtin:demo --limits l.json", 0);
  check_has(o.out, "All 41 limits hold.");
  done(&o);
  write_file("l.csv", "joint,velocity,effort_rate\npanda_joint1,2.3,\npanda_joint2,2.3,200\n");
  o = run_fine("torque builtin:panda builtin:demo --limits=l.csv", 1);
  check_has(o.out, "1 of 42 limits are broken");
  check_has(o.out, "panda_joint2 effort rate: 227.4 N m/s at 4.835 s, beyond the limit of 200 by 27.4");
  done(&o);
  o = run_fine("torque --limits builtin:panda builtin:demo --order 0", 1); /* jerk is looked at all the same */
  check_has(o.out, "0.56% @ 0.51");
  done(&o);
  write_file("bad.json", "{\"panda_joint1\": {\"speed\": 2.3}}");
  check_refusal("torque builtin:panda builtin:demo --limits bad.json", 1, "'speed' is not a known limit");
  write_file("bad.csv", "joint,velocity\npanda_jont1,2\n");
  check_refusal("torque builtin:panda builtin:demo --limits bad.csv", 1,
                "bad.csv:2: joint 'panda_jont1' is not a moving joint");
  check_refusal("torque builtin:panda builtin:demo --limits nowhere.csv", 1, "nowhere.csv: cannot be opened");
}

/* CSV by the rules of trajectories; every fault is told. */
static void limits_files_are_read_as_trajectories_are(void **state) {
  (void)state;
  static const char *const good[] = {
      "joint;velocity;jerk\npanda_joint1;2,3;\npanda_joint2;2,3;1e4\n",
      "\xEF\xBB\xBFjoint\tvelocity\tjerk\r\n\"panda_joint1\"\t2.3\t\r\npanda_joint2\t2.3\t1e4\r\n",
      "# made by hand\n\njoint, velocity\npanda_joint1, 2.3\npanda_joint2, 2.3,\n",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    write_file("l.csv", good[i]);
    outcome o = run_fine("torque builtin:panda builtin:demo --limits=l.csv", 0);
    check_has(o.out, "All 42 limits hold.");
    done(&o);
  }
  static const struct {
    const char *text, *part;
  } bad[] = {
      {"", "l.csv: is empty"},
      {"# nothing\n\n", "l.csv: is empty"},
      {"joint\npanda_joint1\n", "l.csv:1: has no column of limits"},
      {"joint,velocity,velocity\npanda_joint1,1,2\n", "l.csv:1: column 'velocity': appears twice"},
      {"joint,velocity\npanda_joint1,1\npanda_joint1,2\n", "l.csv:3: joint 'panda_joint1' appears twice"},
      {"joint,velocity,jerk\npanda_joint1,1\n", "l.csv:2: row 1 has 2 columns, but there are 3 names"},
      {"joint,velocity\npanda_joint1,0,5\n", "l.csv:2: row 1 has 3 columns, but there are 2 names"},
      {"joint,lower,upper\npanda_joint1,1,-1\n", "joint 'panda_joint1': lower 1 is above upper -1"},
      {"joint,lower\npanda_joint1,5\n", "joint 'panda_joint1': lower 5 is above upper 2.8973"},
      {"joint,velocity\npanda_joint1,2.3.4\n", "l.csv:2: '2.3.4' is not a number (column 'velocity')"},
      {"joint,velocity [deg/s]\npanda_joint1,2\n", "in SI units"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_file("l.csv", bad[i].text);
    check_refusal("torque builtin:panda builtin:demo --limits=l.csv", 1, bad[i].part);
  }
  write_file("l.json", "{\"panda_joint1\": {\"velocity\": 2.3}, \"panda_joint1\": {}}");
  check_refusal("torque builtin:panda builtin:demo --limits=l.json", 1, "duplicate");
}

/* A robot of the user's own with joints by the names of a built-in one has the limits of that. */
static void limits_of_built_in_robots_can_be_used(void **state) {
  (void)state;
  write_file(
      "own.json",
      "{\"name\": \"own\", \"bodies\": [{\"name\": \"arm\", \"joint\": {\"name\": \"panda_joint1\", \"type\": "
      "\"revolute\", \"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"tensor\": [1, 1, 1, 0, "
      "0, 0]}}]}");
  write_file("m.json", "{\"duration\": 1, \"joints\": {\"panda_joint1\": {\"polynomial\": [0, 2.2]}}}");
  outcome o = run_fine("torque own.json m.json --limits=builtin:panda", 1);
  check_has(o.out, "1 of 6 limits are broken");
  check_has(o.out, "panda_joint1 velocity: 2.2 rad/s at 0 s, beyond the limit of 2.175");
  done(&o);
  check_refusal("torque own.json m.json --limits=builtin:four_bar", 1, "has no moving joint by the name");
  check_refusal("torque own.json m.json --limits=builtin:pandas", 1, "builtin:pandas: ");
}

/* ---- Limits and what samples can tell ---- */

/* 1000 samples at 200 Hz of slow sin(2 t) + fast cos(2 pi 200 / ratio t + phase) + noise, the same every time. */
static void write_tone(double slow, double fast, double ratio, double phase, double noise) {
  FILE *f = fopen(in_directory("tone.csv"), "w");
  assert_non_null(f);
  fputs("t,hinge\n", f);
  uint64_t s = 1;
  for (int i = 0; i < 1000; i++) {
    double sum = 0;
    for (int k = 0; k < 12; k++) { /* normal, near enough */
      s = s * 6364136223846793005u + 1442695040888963407u;
      sum += (double)(s >> 11) * 0x1p-53 - 0.5;
    }
    double turn = 2 * 3.14159265358979323846 * i / ratio + phase;
    fprintf(f, "%.17g,%.17g\n", i / 200.0, slow * sin(i / 100.0) + fast * cos(turn) + noise * sum);
  }
  assert_int_equal(fclose(f), 0);
}

/* Five samples a period were taken for noise, smoothed away, and all limits held. */
static void fast_motion_is_not_smoothed_away(void **state) {
  (void)state;
  write_file("rod.json", rod);
  write_file("l.csv", "joint,effort\nhinge,30\n");
  for (int i = 0; i < 8; i++) {
    write_tone(0, 0.4, 4.5 + 0.3 * i, 0.7, 0);
    outcome o = run_fine("torque rod.json tone.csv --limits=l.csv", 1);
    check_has(o.out, "1000 (all)");
    check_has(o.out, "1 of 1 limits are broken");
    done(&o);
  }
  /* whoever asks for it gets it smooth, but no verdict */
  outcome o = run_fine("torque rod.json tone.csv --limits=l.csv --tolerance 0.5", 3);
  check_has(o.err, "more than noise: an oscillation of about");
  check_has(o.out, "Cannot tell whether 1 of 1 limits hold:\n  hinge effort: ");
  check_has(o.out, "hinge may oscillate by 0.");
  done(&o);
}

/* Noise may hide what breaks a limit; who knows more can say so. */
static void limits_that_samples_cannot_decide(void **state) {
  (void)state;
  write_file("rod.json", rod);
  write_tone(0.5, 0, 5, 0, 1e-4);
  write_file("l.csv", "joint,velocity,acceleration,effort\nhinge,2,5,10\n");
  outcome o = run_fine("torque rod.json tone.csv --limits=l.csv", 3);
  check_has(o.out, "Cannot tell whether 2 of 3 limits hold:\n  hinge acceleration: ");
  check_has(o.out, "? ");
  check_has(o.out, "at 100 Hz without the samples telling it from noise");
  check_has(o.out, "--bandwidth HZ");
  assert_null(strstr(o.out, "limits hold."));
  done(&o);
  o = run_fine("torque rod.json tone.csv --limits=l.csv --bandwidth 20", 0);
  check_has(o.out, "All 3 limits hold.");
  done(&o);
  o = run_fine("torque rod.json tone.csv --limits=l.csv --tolerance 1.1e-4", 0);
  check_has(o.out, "All 3 limits hold.");
  done(&o);
  write_file("l.csv", "joint,velocity,acceleration\nhinge,2,1\n"); /* broken is broken */
  o = run_fine("torque rod.json tone.csv --limits=l.csv", 1);
  check_has(o.out, "1 of 2 limits are broken");
  done(&o);
  check_refusal("torque rod.json tone.csv --bandwidth 0", 2, "--bandwidth takes one positive number");
}

/* Eight samples a period, none of them where the velocity is largest: it is 8 % more between them. */
static void peaks_between_samples_count(void **state) {
  (void)state;
  write_file("rod.json", rod);
  write_tone(0, 0.1, 8, -3.14159265358979323846 / 8, 0);
  write_file("l.csv", "joint,velocity\nhinge,15.2\n"); /* 15.71 is the largest, 14.51 at the samples */
  outcome o = run_fine("torque rod.json tone.csv --range 1,3 --limits=l.csv", 1);
  check_has(o.out, "beyond the limit of");
  check_has(o.out, "(between two samples)");
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_check_agrees),
      cmocka_unit_test(the_motor_of_a_loop_does_all_the_work),
      cmocka_unit_test(curves_that_are_not_smooth_enough_are_reported),
      cmocka_unit_test(limits_decide_the_exit_status),
      cmocka_unit_test(limits_files_are_read_as_trajectories_are),
      cmocka_unit_test(limits_of_built_in_robots_can_be_used),
      cmocka_unit_test(fast_motion_is_not_smoothed_away),
      cmocka_unit_test(limits_that_samples_cannot_decide),
      cmocka_unit_test(peaks_between_samples_count),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
