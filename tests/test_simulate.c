/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce simulate, as a user runs it. */
#include "support/running.h"

#include <math.h>
#include <signal.h>
#include <time.h>

static double cell(const jn_table *t, const char *column, int row) {
  for (int c = 0; c < jn_table_columns(t); c++)
    if (strcmp(jn_table_name(t, c), column) == 0) return jn_table_values(t, c)[row];
  fail_msg("there is no column %s", column);
  return NAN;
}

static double last(const jn_table *t, const char *column) { return cell(t, column, jn_table_rows(t) - 1); }

#define PENDULUM                                                                                                   \
  "{\"name\": \"p\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\", "   \
  "\"axis\": [0, 1, 0], \"damping\": 0.5, \"limits\": {\"lower\": -1, \"upper\": 2, \"velocity\": 9, \"effort\": " \
  "9}}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, -0.5], \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}}]}"

/* Small swings of a damped pendulum: I q'' + d q' + m g c q = 0, I = 0.35, m g c = 4.905. */
static double small_swing(double q0, double t) {
  double I = 0.35, d = 0.5, k = 4.905, a = d / (2 * I), w = sqrt(k / I - a * a);
  return q0 * exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
}

static void a_pendulum_swings_as_its_equation_says(void **unused) {
  static const char *const methods[] = {"taylor", "dopri5", "rodas", "rk4"};
  static const char *const accuracy[] = {"--tolerance 1e-13", "--tolerance 1e-13", "--tolerance 1e-13", "--step 2e-3"};
  (void)unused;
  write_file("p.json", PENDULUM);
  write_file("s.json", "{\"q\": [1e-4]}");
  for (int i = 0; i < 4; i++) {
    char words[256];
    snprintf(words, sizeof words,
             "simulate p.json --initial s.json --duration 2 --losses --integrator %s %s --out p.csv", methods[i],
             accuracy[i]);
    outcome o = run_fine(words, 0);
    check_has(o.out, "Written: p.csv");
    check_has(o.out, methods[i]);
    jn_table *t = read_csv("p.csv");
    assert_int_equal(jn_table_rows(t), 1001);
    assert_string_equal(jn_table_name(t, 1), "hinge");
    assert_true(last(t, "t") == 2);
    for (int row = 0; row <= 1000; row += 50) { /* the sine is off by q^3 / 6 */
      double gap = fabs(cell(t, "hinge", row) - small_swing(1e-4, 0.002 * row));
      if (!(gap < 2e-12)) fail_msg("%s in row %d: off by %g", methods[i], row, gap);
    }
    jn_table_destroy(t);
    done(&o);
  }
}

static void a_simulated_motion_goes_back_into_torque(void **unused) {
  (void)unused;
  write_file("start.json", "{\"q\": [0.3, -0.5, 0.2, -2, 0.1, 1.5, 0.7]}");
  outcome o = run_fine("simulate builtin:panda --motion builtin:demo --duration 1 --every 0.002 --out m.csv", 0);
  check_has(o.out, "dopri5");
  done(&o);
  o = run_fine("torque builtin:panda m.csv --order 0 --out back.csv", 0);
  done(&o);
  jn_table *there = read_csv("m.csv"), *back = read_csv("back.csv");
  for (int row = 50; row < 450; row += 40)
    for (int c = 0; c < jn_table_columns(there); c++) {
      const char *name = jn_table_name(there, c);
      if (!strstr(name, ".tau")) continue;
      double gap = fabs(cell(there, name, row) - cell(back, name, row));
      if (!(gap < 1e-3)) fail_msg("%s in row %d: %g apart", name, row, gap);
    }
  jn_table_destroy(there);
  jn_table_destroy(back);
  /* ... and its torques make the motion again */
  o = run_fine("simulate builtin:panda --torque m.csv --initial start.json --duration 1 --summary --out again.csv", 0);
  check_has(o.out, "work of torques");
  check_has(o.out, "drift");
  done(&o);
}

static void a_robot_that_is_held_stays(void **unused) {
  static const char *const how[] = {"hold", "gravity"};
  (void)unused;
  write_file("start.json", "{\"q\": [0.3, -0.5, 0.2, -2, 0.1, 1.5, 0.7]}");
  for (int i = 0; i < 2; i++) {
    char words[256];
    snprintf(words, sizeof words, "simulate builtin:panda --torque %s --initial start.json --every 0.5 --out held.csv",
             how[i]);
    outcome o = run_fine(words, 0);
    jn_table *t = read_csv("held.csv");
    assert_int_equal(jn_table_rows(t), 3);
    assert_true(fabs(last(t, "panda_joint4") + 2) < 1e-9);
    jn_table_destroy(t);
    done(&o);
  }
}

static void torques_and_wrenches_come_from_files(void **unused) {
  (void)unused;
  write_file("p.json", PENDULUM);
  write_file("tau.csv", "t [s],hinge.tau [N m]\n0,0\n0.25,0.2\n0.5,-0.1\n1,0\n");
  write_file("half.csv", "t,hinge.tau\n0,0\n0.5,1\n");
  write_file("wrong.csv", "t,elbow.tau\n0,0\n1,1\n");
  write_file("unit.csv", "t,hinge.tau [lbf]\n0,0\n1,1\n");
  write_file("w.csv", "t,rod_my\n0,0\n0.25,0.2\n0.5,-0.1\n1,0\n");
  double end[3];
  static const char *const lines[] = {
      "simulate p.json --torque tau.csv --local-error 1e-12 --every 0.5 --out f.csv",
      "simulate p.json --wrench w.csv --wrench-interpolation linear --local-error 1e-12 --every 0.5 --out f.csv",
      "simulate p.json --torque tau.csv --local-error 1e-12 --integrator dopri5 --every 0.5 --out f.csv"};
  for (int i = 0; i < 3; i++) { /* a moment about the hinge is a torque of the hinge */
    outcome o = run_fine(lines[i], 0);
    jn_table *t = read_csv("f.csv");
    end[i] = last(t, "hinge");
    jn_table_destroy(t);
    done(&o);
  }
  assert_true(fabs(end[0]) > 1e-3);
  if (!(fabs(end[1] - end[0]) < 1e-11 && fabs(end[2] - end[0]) < 1e-11))
    fail_msg("%.15g %.15g %.15g", end[0], end[1], end[2]);
  check_says("simulate p.json --torque half.csv", 1, "goes from 0 to 0.5 s");
  check_says("simulate p.json --torque wrong.csv", 1, "column 'elbow.tau'");
  check_says("simulate p.json --torque unit.csv", 1, "the unit [lbf] is not known; this is a moment");
  check_says("simulate p.json --torque p.json", 1, "p.json");
}

/* Remedies name only what simulate has: no --columns, --rate or --missing; its --order and --tolerance are others. */
static void remedies_name_options_of_simulate(void **unused) {
  (void)unused;
  static const struct {
    const char *option, *text, *says;
  } files[] = {
      {"torque", "t,elbow\n0,0\n1,1\n", "no column of joint forces"},
      {"torque", "x,hinge.tau\n0,0\n1,1\n", "no column of times"},
      {"torque", "t,hinge.tau\n", "has a header but no rows"},
      {"torque", "t,hinge.tau [N m\n0,0\n1,1\n", "its bracket '[' is not closed"},
      {"torque", "t,hinge.tau\n0.5,0\n2,1\n", "subtract 0.5 s from its times"},
      {"torque", "t,hinge.tau\n0,0\n0.5,1\n", "--duration 0.5 or less"},
      {"motion", "t,hinge\n0,0\n1,1\n", "give more samples"},
      {"motion", "t,elbow\n0,0\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n", "has no column for 1 of 1"},
      {"motion", "t,hinge [deg\n0,0\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n", "its bracket '[' is not closed"},
      {"motion", "x,hinge\n0,0\n1,1\n", "no column of times"},
  };
  static const char *const absent[] = {"--columns", "--rate",      "--missing",
                                       "--order",   "--tolerance", "spline of degree 0"};
  write_file("p.json", PENDULUM);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char words[128];
    write_file("f.csv", files[i].text);
    snprintf(words, sizeof words, "simulate p.json --%s f.csv", files[i].option);
    outcome o = run_fine(words, 1);
    check_has(o.err, files[i].says);
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++) check_lacks(o.err, absent[k]);
    if (i == 4) check_lacks(o.err, "--duration");
    done(&o);
  }
}

/* Units in the header: the same torques in N mm, at times in ms. */
static void units_of_torques(void **unused) {
  (void)unused;
  double end[2];
  write_file("p.json", PENDULUM);
  write_file("si.csv", "t,hinge.tau\n0,0\n0.25,0.2\n1,0\n");
  write_file("mm.csv", "t [ms],hinge.tau [N mm]\n0,0\n250,200\n1000,0\n");
  for (int i = 0; i < 2; i++) {
    outcome o =
        run_fine(i ? "simulate p.json --torque mm.csv --out f.csv" : "simulate p.json --torque si.csv --out f.csv", 0);
    jn_table *t = read_csv("f.csv");
    end[i] = last(t, "hinge");
    jn_table_destroy(t);
    done(&o);
  }
  if (!(fabs(end[1] - end[0]) < 1e-12)) fail_msg("%.15g in SI units, %.15g in N mm and ms", end[0], end[1]);
  write_file("one.csv", "t,hinge.tau\n0,0.1\n"); /* constant */
  outcome o = run_fine("simulate p.json --torque one.csv", 0);
  done(&o);
  write_file("amps.csv", "t,hinge.tau [A]\n0,0\n1,1\n");
  check_says("simulate p.json --torque amps.csv", 1, "is a current [A]");
  write_file("min.csv", "t [min],rod_my\n0,0\n1,0\n");
  o = run_fine("simulate p.json --wrench min.csv", 0);
  done(&o);
}

/* A finger with tiny inertia and strong losses: explicit methods say why they crawl, and rodas finds no singularity. */
static void stiff_losses_are_told(void **unused) {
  (void)unused;
  write_file("finger.urdf",
             "<robot name='finger'><link name='palm'/><link name='tip'><inertial><origin xyz='0.01 0 0.02'/>"
             "<mass value='0.03'/><inertia ixx='5e-6' iyy='5e-6' izz='2e-6' ixy='0' ixz='0' iyz='0'/></inertial></link>"
             "<joint name='knuckle' type='revolute'><axis xyz='0 1 0'/><parent link='palm'/><child link='tip'/>"
             "<limit lower='-9' upper='9' effort='9' velocity='9'/><dynamics damping='3' friction='0.01'/></joint>"
             "</robot>");
  outcome o = run_fine("simulate finger.urdf --losses --integrator dopri5 --duration 0.2", 0);
  check_has(o.err, "--integrator rodas needs far fewer");
  done(&o);
  o = run_fine("simulate finger.urdf --losses --integrator rodas --duration 5", 0);
  assert_string_equal(o.err, "");
  done(&o);
}

/* Every method warns where the falling delta robot passes its singular configuration. */
static void singular_loops_are_told(void **unused) {
  (void)unused;
  write_file(
      "light.urdf",
      "<robot name='x'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/>"
      "<child link='b'/><axis xyz='0 0 1'/><limit lower='0' upper='1' effort='1' velocity='1'/></joint></robot>");
  check_says("simulate light.urdf", 1, "joint 'j': the system is singular"); /* at the first sample already */
  static const char *const methods[] = {"taylor", "rk4 --step 2e-3", "rk4 --step 5e-4", "euler --step 1e-3"};
  for (int i = 0; i < 4; i++) {
    char words[128];
    snprintf(words, sizeof words, "simulate builtin:delta --duration 0.3 --integrator %s", methods[i]);
    outcome o = run_fine(words, 0);
    check_has(o.err, "singular configuration");
    check_has(o.err, "at t = 0.26");
    done(&o);
  }
  outcome o = run_fine("simulate builtin:five_bar --duration 1 --step 1e-3", 0);
  check_lacks(o.err, "singular");
  done(&o);
}

/* Energy from nowhere. */
static void long_steps_are_told(void **unused) {
  (void)unused;
  check_says("simulate builtin:panda --step 10", 0, "--step 0.1 or less"); /* of the one that was made, 1 s */
  check_says("simulate builtin:panda --taylor-order 1000", 2, "--taylor-order 1000: the order of Taylor series");
  check_says("simulate builtin:panda --torque builtin:demo", 2, "--motion builtin:demo");
  write_file("far.json", "{\"q\": [1e12]}");
  write_file("p.json", PENDULUM);
  check_says("simulate p.json --initial far.json --duration 0.1", 0,
             "starts at 1e+12, which numbers resolve to 0.0002");
  outcome o = run_fine("simulate builtin:panda --duration 2 --step 0.05", 1); /* overflows */
  check_has(o.err, "cannot be followed further with this --step");
  check_lacks(o.err, "tolerance");
  done(&o);
  o = run_fine("simulate builtin:panda --duration 0.5 --step 0.05", 0); /* before rounding decides where it goes */
  check_has(o.err, "energy balance is off by");
  check_has(o.err, "--step 0.005");
  done(&o);
  o = run_fine("simulate builtin:panda --duration 2 --step 1e-3", 0);
  check_has(o.err, "note: the neutral configuration is outside of position limits");
  check_lacks(o.err, "warning");
  done(&o);
  o = run_fine("simulate builtin:four_bar --duration 1", 0); /* it is at rest: rounding is no drift */
  assert_string_equal(o.err, "");
  done(&o);
}

static void limits_end_the_motion_or_throw_it_back(void **unused) {
  (void)unused;
  write_file("p.json", PENDULUM);
  write_file("s.json", "{\"q\": [1.9]}");
  outcome o = run_fine("simulate p.json --initial s.json --events --out e.csv", 1);
  check_has(o.err, "'hinge' reaches its lower limit -1 rad");
  jn_table *t = read_csv("e.csv");
  assert_true(fabs(last(t, "hinge") + 1) < 1e-12);
  jn_table_destroy(t);
  done(&o);
  o = run_fine("simulate p.json --initial s.json --events=bounce --restitution 0.5 --duration 3 --summary", 0);
  check_has(o.err, "'hinge' reaches its lower limit -1 rad");
  check_has(o.out, "taken by stops");
  done(&o);
}

static void loops_are_simulated(void **unused) {
  (void)unused;
  outcome o = run_fine("simulate builtin:slider_crank --duration 0.5 --out loop.csv", 0);
  done(&o);
  jn_table *t = read_csv("loop.csv");
  jn_model *m;
  jn_loops *loops;
  double q[8], gap[4];
  assert_int_equal(jn_load("builtin:slider_crank", NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_loops_create(m, NULL, &loops), JN_OK);
  for (int row = 0; row < jn_table_rows(t); row += 10) {
    for (int i = 0; i < jn_model_nq(m); i++) q[i] = jn_table_values(t, 1 + i)[row];
    assert_int_equal(jn_loops_gaps(loops, q, gap), JN_OK);
    if (!(gap[0] < 2e-12)) fail_msg("row %d: open by %g", row, gap[0]);
  }
  jn_loops_destroy(loops);
  jn_model_destroy(m);
  jn_table_destroy(t);
  o = run_fine("simulate builtin:slider_crank --events=bounce --duration 0.2 --summary", 0);
  done(&o);
}

/* Computed torque as a series: Taylor and Dormand-Prince end at the same place, with springs and losses too. */
static void taylor_follows_a_motion(void **unused) {
  static const char *const methods[] = {"taylor", "dopri5"};
  double end[2][2];
  (void)unused;
  write_file("p.json", PENDULUM);
  for (int i = 0; i < 2; i++) {
    char line[256];
    snprintf(line, sizeof line,
             "simulate builtin:panda --motion builtin:demo --duration 0.5 --losses --gains 40,3 --local-error 1e-12 "
             "--integrator %s --out follow.csv",
             methods[i]);
    outcome o = run_fine(line, 0);
    done(&o);
    jn_table *t = read_csv("follow.csv");
    end[i][0] = last(t, "panda_joint2");
    end[i][1] = last(t, "panda_joint4_d1");
    jn_table_destroy(t);
  }
  if (!(fabs(end[0][0] - end[1][0]) < 1e-11 && fabs(end[0][1] - end[1][1]) < 1e-10))
    fail_msg("%.15g %.15g, %.15g %.15g", end[0][0], end[1][0], end[0][1], end[1][1]);
}

static void npz_and_stdout_are_written(void **unused) {
  (void)unused;
  write_file("p.json", PENDULUM);
  outcome o = run_fine("simulate p.json --out p.npz", 0);
  done(&o);
  o = run_fine("torque p.json p.npz --order 0", 0);
  done(&o);
  o = run_fine("simulate p.json --every 0.25 --out -", 0);
  check_has(o.out, "t,hinge [rad],hinge_d1 [rad/s],hinge_d2 [rad/s^2],hinge.tau [N m]\n0,");
  done(&o);
}

/* Ctrl-C: the file is whole, and ends where the simulation did. */
static void an_interrupted_simulation_leaves_a_whole_file(void **unused) {
  (void)unused;
  write_file("swing.json", "{\"q\": [2, 1]}");
  const char *path = in_directory("cut.csv"), *start = in_directory("swing.json");
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    freopen(in_directory("cut.err"), "w", stderr);
    freopen("/dev/null", "w", stdout);
    execl(JN_COMMAND, "jounce", "simulate", "builtin:double_pendulum", "--initial", start, "--duration", "1e6",
          "--every", "1", "--out", path, (char *)NULL);
    _exit(127);
  }
  nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
  kill(child, SIGINT);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
  jn_table *t = read_csv("cut.csv");
  assert_true(jn_table_rows(t) > 1 && last(t, "t") < 1e6);
  jn_table_destroy(t);
  char *text = read_file("cut.err");
  check_has(text, "interrupted at t = ");
  free(text);
}

/* What a start means that is not as one may think. */
static void surprising_starts_are_said(void **unused) {
  (void)unused;
  write_file("tau.json", "{\"q\": [1, 1], \"tau\": [5, 5]}");
  write_file("outside.json", "{}");
  check_says("simulate builtin:panda --events=bounce --initial outside.json --duration 0.01", 0,
             "outside of position limits, which are no events then: 'panda_joint4' at 0 (limits");
  check_says("simulate builtin:quadruped --torque hold --duration 0.01", 0, "free joint 'base', which has no motor");
  check_says("simulate builtin:double_pendulum --initial tau.json --duration 0.01", 0, "tau is not used");
}

static void wrong_lines_are_refused(void **unused) {
  (void)unused;
  write_file("p.json", PENDULUM);
  write_file("two.json", "[{\"q\": [0]}, {\"q\": [1]}]");
  check_says("simulate", 2, "MODEL is missing");
  check_says("simulate p.json --integrator heun", 2, "taylor|dopri5");
  check_says("simulate p.json --duration -1", 2, "--duration takes one positive number");
  check_says("simulate p.json --integrator rk4 --local-error 1e-6", 2, "--step");
  check_says("simulate p.json --integrator taylor --step 0.1", 2, "--local-error");
  check_says("simulate p.json --local-error 5", 2, "--local-error must be from");
  check_says("simulate p.json --taylor-order 99", 2, "--taylor-order 99: the order of Taylor series is from 2 to 60");
  check_says("simulate p.json --gains 1,2", 2, "--gains is for");
  check_says("simulate p.json --torque hold --gains 1", 2, "--gains takes two numbers");
  check_says("simulate builtin:quadruped --motion builtin:demo", 2, "free joint");
  check_says("simulate builtin:panda --motion builtin:demo --taylor-order 40", 2, "--taylor-order at most 31");
  check_says("simulate p.json --restitution 0.5", 2, "--events=bounce");
  check_says("simulate p.json --events=jump", 2, "not 'jump'");
  check_says("simulate p.json --out p.txt", 2, ".csv or .npz");
  check_says("simulate p.json --initial two.json", 1, "one state, not 2");
  check_says("simulate p.json --initial none.json", 1, "none.json");
  check_says("simulate p.json --every 1e-9", 2, "too many");
  check_says("simulate builtin:panda --motion builtin:demo --every 1e-7", 2, "too many"); /* of its duration */
  check_says("simulate p.json --step 1e-300", 2, "1e+300 steps, more than 1e+09: take a longer --step");
  check_says("simulate p.json --duration 1e7 --integrator euler --step 1e-3", 2, "1e+10 steps");
  check_says("simulate p.json --duration 1e300", 2, "must be from 1e-300 to 1e+09 s");
  check_says("simulate p.json --duration 1e-320 --integrator rk4", 2, "must be from 1e-300 to 1e+09 s");
  write_file("late.csv", "t,joint1.tau\n5,5\n");
  check_says("simulate builtin:planar_2r --torque late.csv", 1, "goes from 5 to 5 s");
  write_file("short.csv", "t,joint1,joint2\n0,0,0\n0.1,0,0\n0.2,0,0\n0.3,0,0\n0.4,0,0\n0.5,0,0\n0.6,0,0\n");
  check_says("simulate builtin:planar_2r --motion short.csv --duration 1", 1, "ends at 0.6 s, before --duration 1 s");
}

/* The delta robot, let go, passes a flat configuration. */
static void a_singular_configuration_on_the_way_is_said(void **state) {
  (void)state;
  check_says("simulate builtin:delta --duration 0.3", 0, "at t = 0.266779 s the motion nearly meets a singular");
}

/* The number behind "tracking error: at most". */
static double tracking_error(const outcome *o) {
  static const char words[] = "tracking error: at most ";
  const char *at = strstr(o->out, words);
  if (!at) fail_msg("no tracking error in:\n%s", o->out);
  return strtod(at + strlen(words), NULL);
}

/* Damping, friction and springs are part of computed torque, by value and as a series. */
static void losses_are_part_of_computed_torque(void **unused) {
  static const char *const methods[] = {"dopri5", "taylor --order 12", "rodas"};
  char rough[1024], line[256];
  (void)unused;
  snprintf(rough, sizeof rough, "%s", PENDULUM);
  char *at = strstr(rough, "\"damping\": 0.5");
  memcpy(at, "\"friction\":0.2", strlen("\"damping\": 0.5")); /* as long */
  write_file("damped.json", PENDULUM);
  write_file("rough.json", rough);
  FILE *f = fopen(in_directory("swing.csv"), "w");
  fputs("t,hinge\n", f);
  for (int i = 0; i <= 120; i++) fprintf(f, "%.17g,%.17g\n", 0.01 * i, 0.5 * cos(5 * 0.01 * i));
  fclose(f);
  for (int model = 0; model < 2; model++)
    for (int i = 0; i < 3; i++) {
      snprintf(line, sizeof line, "simulate %s --motion swing.csv --losses --local-error 1e-9 --integrator %s",
               model ? "rough.json" : "damped.json", methods[i]);
      outcome o = run_fine(line, 0);
      double error = tracking_error(&o);
      if (!(error < 1e-6)) fail_msg("%s: %g", line, error);
      done(&o);
    }
}

/* Parallel robots follow, too, with motors alone; without gains they need the exact torque. */
static void parallel_robots_follow_a_motion(void **unused) {
  static const struct {
    const char *robot, *joints[6], *passive;
    double size;
  } robots[] = {{"delta", {"motor1", "motor2", "motor3"}, "left_elbow1_1.tau", 0.2},
                {"stewart", {"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"}, "base_joint1_1.tau", 0.01}};
  char line[256];
  (void)unused;
  for (int r = 0; r < 2; r++) {
    FILE *f = fopen(in_directory("parallel.csv"), "w");
    fputs("t", f);
    for (int k = 0; k < 6 && robots[r].joints[k]; k++) fprintf(f, ",%s", robots[r].joints[k]);
    for (int i = 0; i <= 30; i++) {
      fprintf(f, "\n%.17g", 0.01 * i);
      for (int k = 0; k < 6 && robots[r].joints[k]; k++)
        fprintf(f, ",%.17g", robots[r].size * (1 - cos((4 + k) * 0.01 * i)));
    }
    fclose(f);
    snprintf(line, sizeof line, "simulate builtin:%s --motion parallel.csv --gains 0,0 --local-error 1e-9 --out m.csv",
             robots[r].robot);
    outcome o = run_fine(line, 0);
    double error = tracking_error(&o);
    if (!(error < 1e-6)) fail_msg("%s: %g", line, error);
    done(&o);
    jn_table *t = read_csv("m.csv");
    assert_true(last(t, robots[r].passive) == 0);
    jn_table_destroy(t);
  }
  check_says("simulate builtin:panda --motion builtin:demo --actuated panda_joint1", 2, "--actuated is for --motion");
}

/* Rates of 1e5 1/s from friction of a small finger: the command changes to rodas by itself, keeps the energy balance
 * and the samples, and stays with a method that was asked for. */
static void stiff_friction_changes_the_method(void **unused) {
  (void)unused;
  write_file(
      "finger.json",
      "{\"name\": \"f\", \"bodies\": [{\"name\": \"tip\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\", "
      "\"axis\": [0, 1, 0], \"friction\": 0.05, \"limits\": {\"lower\": -3, \"upper\": 3, \"velocity\": 9, \"effort\": "
      "9}}, \"inertia\": {\"mass\": 0.05, \"com\": [0, 0, -0.02], \"tensor\": [5e-6, 5e-6, 5e-6, 0, 0, 0]}}]}");
  write_file("moving.json", "{\"q\": [1], \"v\": [3]}");
  outcome o = run_fine("simulate finger.json --initial moving.json --losses --duration 1 --summary --out stiff.csv", 0);
  check_has(o.err, "going on with rodas");
  check_has(o.out, "by taylor, then rodas");
  check_lacks(o.err, "energy balance");
  done(&o);
  jn_table *t = read_csv("stiff.csv");
  assert_int_equal(jn_table_rows(t), 1001);
  double end = last(t, "hinge");
  jn_table_destroy(t);

  o = run_fine("simulate finger.json --initial moving.json --losses --duration 1 --integrator rodas --out rodas.csv",
               0);
  assert_string_equal(o.err, "");
  done(&o);
  t = read_csv("rodas.csv");
  if (!(fabs(last(t, "hinge") - end) < 1e-7)) fail_msg("%.12g, not %.12g", end, last(t, "hinge"));
  jn_table_destroy(t);

  o = run_fine("simulate finger.json --initial moving.json --losses --duration 0.3 --integrator taylor", 0);
  check_has(o.err, "--integrator rodas needs far fewer");
  check_lacks(o.out, "rodas");
  done(&o);
}

#define LIMITED_BAR(name, parent, place, joint, half, low, high)                                        \
  "{\"name\": \"" name "\", " parent "\"placement\": {\"position\": [" place                            \
  ", 0, 0]}, \"joint\": {\"name\": \"" joint "\", \"type\": \"revolute\", \"limits\": {\"lower\": " low \
  ", \"upper\": " high ", \"velocity\": 9, \"effort\": 9}}, \"inertia\": {\"mass\": 1, \"com\": [" half \
  ", 0, 0], \"tensor\": [0.01, 0.025, 0.03, 0, 0, 0]}}"
#define PARALLELOGRAM(low, high) \
  "{\"name\": \"bars\", \"bodies\": [" LIMITED_BAR("crank", "", "0", "drive", "0.2", low, high) ", " LIMITED_BAR(      \
      "coupler", "\"parent\": \"crank\", ", "0.4", "pin", "0.5", "-3", "3") ", " LIMITED_BAR(                         \
      "rocker", "", "1", "swing", "0.2", "0.6", "0.7") "], \"loops\": [{\"name\": \"closing\", \"type\": \"revolute\","    \
  " \"a\": {\"body\": \"coupler\", \"placement\": {\"position\": [1, 0, 0]}},"                                        \
  " \"b\": {\"body\": \"rocker\", \"placement\": {\"position\": [0.4, 0, 0]}}}]}"

/* A mechanism starts inside its limits, also when the neutral configuration is closed; where that cannot be, joints are
 * named. A start that is given stays. */
static void starts_are_inside_limits_or_told(void **unused) {
  (void)unused;
  write_file("bars.json", PARALLELOGRAM("0.5", "1"));
  write_file("never.json", PARALLELOGRAM("0", "0.01"));
  write_file("given.json", "{\"q\": [0.1, -0.1, 0.1]}");

  outcome o = run_fine("simulate bars.json --duration 0.01 --out bars.csv", 0);
  check_lacks(o.err, "outside");
  done(&o);
  jn_table *t = read_csv("bars.csv");
  assert_true(cell(t, "drive", 0) >= 0.5 && cell(t, "drive", 0) <= 1);
  assert_true(cell(t, "swing", 0) >= 0.6 && cell(t, "swing", 0) <= 0.7);
  jn_table_destroy(t);

  check_says("simulate never.json --duration 0.01", 0, "(limits 0.6 ... 0.7); no state inside them");
  check_says("simulate bars.json --duration 0.01 --initial given.json", 0,
             "outside of position limits: 'drive' at 0.1");
  check_says("eval never.json --assemble --input given.json --want ddq", 0,
             "outside of position limits: 'drive' at 0.1");
  check_says("simulate builtin:panda --duration 0.01", 0, "'panda_joint4' at 0 (limits");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_are_part_of_computed_torque),
      cmocka_unit_test(stiff_friction_changes_the_method),
      cmocka_unit_test(parallel_robots_follow_a_motion),
      cmocka_unit_test(starts_are_inside_limits_or_told),
      cmocka_unit_test(a_pendulum_swings_as_its_equation_says),
      cmocka_unit_test(a_simulated_motion_goes_back_into_torque),
      cmocka_unit_test(taylor_follows_a_motion),
      cmocka_unit_test(a_robot_that_is_held_stays),
      cmocka_unit_test(torques_and_wrenches_come_from_files),
      cmocka_unit_test(remedies_name_options_of_simulate),
      cmocka_unit_test(units_of_torques),
      cmocka_unit_test(stiff_losses_are_told),
      cmocka_unit_test(singular_loops_are_told),
      cmocka_unit_test(long_steps_are_told),
      cmocka_unit_test(limits_end_the_motion_or_throw_it_back),
      cmocka_unit_test(loops_are_simulated),
      cmocka_unit_test(npz_and_stdout_are_written),
      cmocka_unit_test(an_interrupted_simulation_leaves_a_whole_file),
      cmocka_unit_test(surprising_starts_are_said),
      cmocka_unit_test(wrong_lines_are_refused),
      cmocka_unit_test(a_singular_configuration_on_the_way_is_said),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
