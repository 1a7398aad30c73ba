/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce retime, as a user runs it. */
#include "support/running.h"

#include <math.h>

/* Property: a motion that breaks limits becomes one that jounce torque finds within them; also from the file alone. */
static void a_motion_that_breaks_limits_is_cured(void **unused) {
  (void)unused;
  write_file("rates.json", "{\"panda_joint2\": {\"effort_rate\": 100}, \"panda_joint4\": {\"effort_rate\": 60}}");
  outcome o = run_fine("torque builtin:panda builtin:demo --limits rates.json", 1);
  check_has(o.out, "panda_joint2 effort rate: ");
  done(&o);
  o = run_fine("retime builtin:panda builtin:demo --uniform --limits rates.json --margin 5% --rate 250", 0);
  check_has(o.out, "The largest uniform factor is 0.6439829");
  check_has(o.out, "All 42 limits hold.");
  done(&o);
  o = run_fine("retime builtin:panda builtin:demo --limits rates.json --margin 0.05 --rate 250 --out new.csv", 0);
  check_has(o.out, "5 s before, 5.");
  check_has(o.out, "along the path");
  check_has(o.out, "panda_joint2  effort rate");
  check_has(o.out, "All 42 limits hold.");
  check_has(o.out, "Written: new.csv");
  done(&o);
  o = run_fine("torque builtin:panda new.csv --limits rates.json --rate 5000", 0);
  check_has(o.out, "All 42 limits hold.");
  done(&o);
}

/* Property: what is written keeps its limits as others read it: at 20 times its rate, from CSV and NPZ, with steps that
 * are all of one length, and where only efforts are limited, so that their rates jump. */
static void the_rows_keep_the_limits(void **unused) {
  (void)unused;
  write_file("line.json", "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0}}");
  write_file("swing.json",
             "{\"duration\": 3, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.8, \"omega\": 3}}, "
             "\"joint2\": {\"cosine\": {\"amplitude\": 0.5, \"omega\": 5}}}}");
  static const char *const runs[][2] = {
      {"retime builtin:planar_2r line.json --out rows.csv", "torque builtin:planar_2r rows.csv --limits --rate 20000"},
      {"retime builtin:planar_2r line.json --rate 200 --out rows.npz",
       "torque builtin:planar_2r rows.npz --limits --rate 4000"},
      {"retime builtin:planar_2r swing.json --uniform --rate 333 --out rows.csv",
       "torque builtin:planar_2r rows.csv --limits --order 1 --rate 6660"},
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    outcome o = run_fine(runs[i][0], 0);
    check_has(o.out, "limits hold.");
    check_has(o.out, "Checked: a spline through the ");
    done(&o);
    o = run_fine(runs[i][1], 0);
    check_has(o.out, "limits hold.");
    assert_null(strstr(o.err, "warning"));
    done(&o);
  }
}

/* Property: when no speed helps, the exit status is 1 and the limit is named. */
static void what_no_speed_cures_is_named(void **unused) {
  (void)unused;
  write_file("weak.json", "{\"panda_joint2\": {\"effort\": 20}}");
  outcome o = run_fine("retime builtin:panda builtin:demo --limits weak.json --out never.csv", 1);
  check_has(o.out, "No speed keeps all limits: panda_joint2 effort is -43.21 N m at 2.025 s");
  check_has(o.out, "the limit is -20; so much is needed at rest already");
  done(&o);
  o = run_fine("retime builtin:panda builtin:demo --limits weak.json --rate 1e-9", 1);
  check_has(o.out, "so much is needed at rest already");
  done(&o);
  o = run_fine("retime builtin:panda builtin:demo --rate 1", 0); /* so slow that no limit is reached */
  check_lacks(o.out, "Limits that are reached");
  done(&o);
  write_file("narrow.json", "{\"panda_joint2\": {\"upper\": 0.3}}");
  o = run_fine("retime builtin:panda builtin:demo --uniform --limits narrow.json", 1);
  check_has(o.out, "panda_joint2 position is 0.7175 rad");
  done(&o);
}

/* Property: the torques of closed loops and of wrenches keep their limits, too; the rows say so when read back. */
static void loops_and_wrenches_count(void **unused) {
  (void)unused;
  write_file("crank.json", "{\"duration\": 2, \"joints\": {\"motor\": {\"polynomial\": [0.2, 1.0, 0.3]}}}");
  outcome o = run_fine("retime builtin:four_bar crank.json --intervals 60 --out crank.csv", 0);
  check_has(o.out, "motor  effort");
  check_has(o.out, "All 9 limits hold.");
  done(&o);
  o = run_fine("torque builtin:four_bar crank.csv --limits --order 1 --actuated motor --rate 20000", 0);
  check_has(o.out, "All 9 limits hold.");
  done(&o);
  write_file("lift.json", "{\"duration\": 2, \"joints\": {\"joint1\": {\"polynomial\": [0, 0.5]}, \"joint2\": 0}}");
  write_file("push.csv", "t,link2_fy [N]\n0,-15\n2,-15\n");
  o = run_fine("retime builtin:planar_2r lift.json --uniform", 0);
  check_has(o.out, "The largest uniform factor is 20: joint1 velocity");
  done(&o);
  write_file("hang.csv", "t,link2_fy [N]\n0,-80\n2,-80\n");
  o = run_fine("retime builtin:planar_2r lift.json --wrench push.csv --intervals 60", 0);
  check_has(o.out, "All 6 limits hold.");
  done(&o);
  o = run_fine("retime builtin:planar_2r lift.json --wrench hang.csv",
               1); /* 80 N at 1 m, and the weight of 29.4 N m: beyond 100 */
  check_has(o.out, "No speed keeps all limits: joint1 effort is 109.4 N m at 0 s");
  done(&o);
}

/* Property: without limits there is no factor, and that is said. */
static void nothing_may_limit_a_motion(void **unused) {
  (void)unused;
  write_file(
      "none.json",
      "{\"joint1\": {\"effort\": null, \"velocity\": null}, \"joint2\": {\"effort\": null, \"velocity\": null}}");
  write_file("line.json", "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0}}");
  check_says("retime builtin:planar_2r line.json --limits none.json", 1, "nothing limits this motion");
  check_says("retime builtin:planar_2r line.json --uniform --limits none.json", 1, "nothing limits this motion");
  check_says("retime builtin:planar_2r line.json --rate 1e9", 1, "too many rows");
}

/* The duration that is told. */
static double duration_of(const char *out) {
  const char *at = strstr(out, "s before, ");
  assert_non_null(at);
  return strtod(at + 10, NULL);
}

/* Property: a path with times and limits in another unit of time, c^-k of limits of derivative k, takes c times as
 * long; and it takes no more rows, which would take minutes to check. */
static void the_unit_of_time_plays_no_part(void **unused) {
  (void)unused;
  double first = 0;
  static const double units[] = {1, 100, 1e4};
  for (int i = 0; i < 3; i++) {
    double c = units[i];
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"joint1\": {\"velocity\": %.9g, \"acceleration\": %.9g, \"jerk\": %.9g}, \"joint2\": {\"velocity\": %.9g, "
        "\"acceleration\": %.9g, \"jerk\": %.9g}}",
        1 / c, 2 / c / c, 20 / c / c / c, 1.5 / c, 3 / c / c, 30 / c / c / c);
    write_file("slow.json", text);
    snprintf(
        text, sizeof text,
        "{\"duration\": %.9g, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 1, \"omega\": %.9g}}, \"joint2\": "
        "{\"cosine\": {\"amplitude\": 0.5, \"omega\": %.9g}}}}",
        2 * c, 1 / c, 2 / c);
    write_file("slow_motion.json", text);
    snprintf(text, sizeof text,
             "retime builtin:planar_2r slow_motion.json --gravity 0,0,0 --limits slow.json --rate %.9g", 500 / c);
    outcome o = run_fine(text, 0);
    double now = duration_of(o.out) / c;
    if (i == 0) first = now;
    if (!(fabs(now / first - 1) < 1e-6)) fail_msg("times %g: %.9g, not %.9g", c, now, first);
    done(&o);
  }
  /* not at rest, in whatever unit */
  outcome o =
      run_fine("retime builtin:planar_2r slow_motion.json --gravity 0,0,0 --limits slow.json --end-speed 0.1", 0);
  check_has(o.out, "Rows are 0.5 in a second, because the motion is so long");
  check_lacks(o.err, "at rest");
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
  check_lacks(o.out, "slower than that factor");
  done(&o);
  o = run_fine("retime builtin:planar_2r move.json --uniform --actuators arm.json --rate 11", 0);
  check_has(o.out, "slower than that factor"); /* a whole number of rows, and the curve through them */
  done(&o);
}

static void mistakes_are_named(void **unused) {
  (void)unused;
  write_file("arm.json", "{\"joints\": {\"joint1\": {\"stiffness\": 900, \"damping\": 1}}}");
  write_file(
      "move.json",
      "{\"duration\": 4, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": {\"polynomial\": [0, 1]}}}");
  check_says("retime builtin:planar_2r move.json --actuators arm.json --uniform", 1, "springs without damping");
  check_says("retime builtin:planar_2r move.json --margin 200%", 2, "--margin takes a share");
  check_says("retime builtin:planar_2r move.json --margin 1", 2, "from 0 to below 1");
  write_file("nested.json", "{\"joints\": {\"joint1\": {\"velocity\": 1}}}");
  check_says("retime builtin:planar_2r move.json --limits nested.json", 1,
             "joints are named without \"joints\" around them: {\"joint1\": ");
  check_says("retime builtin:planar_2r move.json --intervals 2", 2, "--intervals takes");
  check_says("retime builtin:planar_2r move.json --out -", 2, "--out takes");
  check_says("retime builtin:planar_2r move.json --start-speed -1", 2, "--start-speed takes");
  check_says("retime builtin:planar_2r move.json --uniform --end-speed 1", 2, "not for --uniform");
  check_says("retime builtin:planar_2r move.json --waypoints", 1, "is JSON, but waypoints are CSV");
  write_file("rest.json",
             "{\"duration\": 4, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.3, \"omega\": 2}}, "
             "\"joint2\": 0}}");
  check_says("retime builtin:planar_2r rest.json --rate 1", 1, "too few for a motion");
  check_says("retime builtin:planar_2r rest.json --rate 1e-9", 1, "are 1 row, too few for a motion");
  check_says("retime builtin:planar_2r rest.json --rate 1e-320", 1, "are 1 row, too few for a motion");
  check_says("retime builtin:planar_2r rest.json --start-speed 1", 1, "is at rest at its start");
  write_file("far.csv", "joint1,joint2\n0,0\n1,1e300\n0,0\n");
  check_says("retime builtin:planar_2r far.csv --waypoints", 1,
             "far.csv:3:2: column 'joint2': waypoint 2 is at 1e+300");
  write_file("few.csv", "t,joint1,joint2\n0,0,0\n1,1,1\n");
  check_says("retime builtin:planar_2r few.csv", 1, "has 2 rows; a spline of degree 5 needs at least 6");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motion_that_breaks_limits_is_cured),
      cmocka_unit_test(the_rows_keep_the_limits),
      cmocka_unit_test(what_no_speed_cures_is_named),
      cmocka_unit_test(nothing_may_limit_a_motion),
      cmocka_unit_test(loops_and_wrenches_count),
      cmocka_unit_test(the_unit_of_time_plays_no_part),
      cmocka_unit_test(motors_count_when_they_are_given),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
