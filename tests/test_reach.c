/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce reach, and torque --frame, as a user runs them. */
#include "support/running.h"

#include <math.h>

/* Poses of a motion of the flange: round an ellipse, turning. Angles or a quaternion, lengths in mm or m. */
static void write_path(const char *name, int with, double far) {
  static char text[100000];
  static const char *const heads[] = {"t,x,y,z", "t,x [mm],y [mm],z [mm],roll [deg],pitch [deg],yaw [deg]",
                                      "t,panda_flange_x,panda_flange_y,panda_flange_z,qx,qy,qz,qw"};
  int n = snprintf(text, sizeof text, "# a path\n%s\n", heads[with]);
  for (int i = 0; i <= 80; i++) {
    double t = 0.025 * i, a = 2 * M_PI * (t / 2 - sin(M_PI * t) / (2 * M_PI)), unit = with == 1 ? 1000 : 1;
    double rpy[3] = {M_PI, 0.2 * sin(a), 0.3 * sin(a)}, R[9], Q[4];
    jn_rpy_to_rotation(rpy, R);
    jn_rotation_to_quaternion(R, Q);
    n += snprintf(text + n, sizeof text - (size_t)n, "%.6f,%.12f,%.12f,%.12f", t, unit * (0.45 + far * cos(a)),
                  unit * 0.1 * sin(a), unit * 0.4);
    if (with == 1)
      n += snprintf(text + n, sizeof text - (size_t)n, ",%.12f,%.12f,%.12f", rpy[0] * 180 / M_PI, rpy[1] * 180 / M_PI,
                    rpy[2] * 180 / M_PI);
    if (with == 2) n += snprintf(text + n, sizeof text - (size_t)n, ",%.15f,%.15f,%.15f,%.15f", Q[0], Q[1], Q[2], Q[3]);
    n += snprintf(text + n, sizeof text - (size_t)n, "\n");
  }
  write_file(name, text);
}

static void a_pose_is_reached(void **unused) {
  (void)unused;
  outcome o = run_fine("reach builtin:panda --frame panda_flange --pose 0.4,0.1,0.5,1,0,0,0 --out q.json", 0);
  check_has(o.out, "reaches the target");
  check_has(o.out, "Written: q.json");
  done(&o);
  o = run_fine("eval builtin:panda --input q.json --want pose --link panda_flange", 0); /* what it writes, eval reads */
  static const double target[3] = {0.4, 0.1, 0.5};
  const char *at = strstr(o.out, "\"pose\"");
  for (int i = 0; i < 3 && at; i++) { /* the last number of each row is the position */
    at = strchr(at, ']');
    const char *last = at;
    while (last && *last != ' ') last--;
    if (!last || !(fabs(strtod(last, NULL) - target[i]) < 1e-12)) fail_msg("number %d of the position:\n%s", i, o.out);
    at = at ? at + 1 : NULL;
  }
  assert_non_null(at);
  done(&o);
  o = run_fine("reach builtin:panda --frame panda_flange --pose 0.4,0.1,0.5,3.141592653589793,0,0 --json", 0);
  check_has(o.out, "\"reached\": true");
  done(&o);
  o = run_fine("reach builtin:stewart --frame platform --pose 0.02,0,0.72,0,0,0,1", 0);
  check_has(o.out, "loops are closed");
  done(&o);
  o = run_fine("reach builtin:panda --frame panda_flange --position 1.5,0,0.4", 1);
  check_has(o.err, "cannot reach it");
  check_has(o.err, " m are missing");
  done(&o);
}

/* The three ways to write a path give the same joints; their forward kinematics is the path. */
static void paths_become_motions(void **unused) {
  (void)unused;
  write_path("angles.csv", 1, 0.1);
  write_path("quaternions.csv", 2, 0.1);
  outcome o = run_fine("reach builtin:panda --frame panda_flange --path angles.csv --tolerance 0 --out a.csv", 0);
  check_has(o.out, "81 samples");
  done(&o);
  o = run_fine("reach builtin:panda --frame panda_flange --path quaternions.csv --tolerance 0 --order 4 --out b.csv",
               0);
  done(&o);
  jn_table *a = read_csv("a.csv"), *b = read_csv("b.csv");
  assert_int_equal(jn_table_columns(a), 1 + 4 * 7);
  assert_int_equal(jn_table_columns(b), 1 + 5 * 7);
  assert_int_equal(jn_table_rows(a), 81);
  jn_model *m;
  jn_work *w;
  assert_int_equal(jn_load("builtin:panda", NULL, &m, NULL), JN_OK);
  assert_int_equal(jn_work_create(m, &w), JN_OK);
  for (int row = 0; row < 81; row += 8) {
    double q[7], T[16], t = 0.025 * row, angle = 2 * M_PI * (t / 2 - sin(M_PI * t) / (2 * M_PI));
    for (int k = 0; k < 7; k++) {
      q[k] = jn_table_values(a, 1 + k)[row];
      if (!(fabs(q[k] - jn_table_values(b, 1 + k)[row]) < 1e-7)) fail_msg("row %d, joint %d", row, k);
    }
    assert_int_equal(jn_frame_pose(m, w, jn_frame_index(m, "panda_flange"), q, T), JN_OK);
    const double p[3] = {0.45 + 0.1 * cos(angle), 0.1 * sin(angle), 0.4};
    for (int k = 0; k < 3; k++)
      if (!(fabs(T[4 * k + 3] - p[k]) < 1e-10)) fail_msg("row %d: %g and %g", row, T[4 * k + 3], p[k]);
  }
  jn_work_destroy(w);
  jn_model_destroy(m);
  jn_table_destroy(a);
  jn_table_destroy(b);
}

/* Torques of a tool path are those of the joint motion that it becomes, and pass their own check. */
static void torques_of_a_path(void **unused) {
  (void)unused;
  write_path("p.csv", 2, 0.1);
  outcome o = run_fine("torque builtin:panda --frame panda_flange p.csv --tolerance 0 --check --out direct.csv", 0);
  check_has(o.out, "fine");
  check_lacks(o.out, "NOT");
  done(&o);
  o = run_fine("reach builtin:panda --frame panda_flange --path p.csv --tolerance 0 --out j.csv", 0);
  done(&o);
  o = run_fine("torque builtin:panda j.csv --out from_joints.csv", 0);
  done(&o);
  jn_table *a = read_csv("direct.csv"), *b = read_csv("from_joints.csv");
  for (int c = 0; c < jn_table_columns(a); c++) {
    const char *name = jn_table_name(a, c);
    if (!strstr(name, ".tau") || strstr(name, "_d2")) continue;
    double most = 1, gap = 0;
    for (int row = 4; row < 77; row++) {
      most = fmax(most, fabs(jn_table_values(a, c)[row]));
      gap = fmax(gap, fabs(jn_table_values(a, c)[row] - jn_table_values(b, c)[row]));
    }
    if (!(gap < (strstr(name, "_d1") ? 1e-2 : 1e-4) * most)) fail_msg("%s: apart by %g of %g", name, gap, most);
  }
  jn_table_destroy(a);
  jn_table_destroy(b);
}

/* The time until which it goes, the pose there, and the distance that is missing: a length, not a component. */
static void what_is_missing_is_named(void **unused) {
  (void)unused;
  write_path("far.csv", 0, -0.6);
  outcome o = run_fine("reach builtin:panda --frame panda_flange --path far.csv --out never.csv", 1);
  check_has(o.err, "until t = ");
  check_has(o.err, "there the path is at x,y,z = ");
  check_has(o.err, " m are missing");
  check_lacks(o.err, "rad are");
  assert_false(exists("never.csv"));
  done(&o);
  o = run_fine("reach builtin:double_pendulum --frame tip --position 3,4,0 --json", 1);
  const char *at = strstr(o.out, "\"distance\":");
  assert_non_null(at);
  double missing =
      strtod(at + strlen("\"distance\":"), NULL); /* the pendulum hangs below the origin: nearly |(3, 4)| */
  if (!(missing > 3.5 && missing < 5)) fail_msg("%g m", missing);
  done(&o);
}

/* What of a pose is free, a pull, and limits on the way: all are followed, and soon. */
static void hard_paths_are_followed(void **unused) {
  (void)unused;
  static const char *const options[] = {
      "--free rz", "--free rx,ry", "--free x,rz", "--pull 2", "--rate 500 --order 4 --tolerance 0", "--margin 0"};
  write_path("hard.csv", 2, 0.1);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    char line[200];
    snprintf(line, sizeof line, "reach builtin:panda --frame panda_flange --path hard.csv --out h.csv %s", options[i]);
    outcome o = run_fine(line, 0);
    check_has(o.out, "Written: h.csv");
    done(&o);
  }
  outcome o = run_fine("torque builtin:panda --frame panda_flange hard.csv --tolerance 0 --free rz --check", 0);
  check_lacks(o.out, "TOO FAR");
  done(&o);
}

/* A path of the five-bar's tip becomes a motion of all joints, which torque reads: torques of the motors, as from the
 * path itself. simulate writes such motions, too. */
static void mechanisms_are_read_again(void **unused) {
  (void)unused;
  char text[8000];
  int n = snprintf(text, sizeof text, "t,x,y,z\n");
  for (int i = 0; i <= 60; i++) {
    double s = i / 60.0, a = 2 * M_PI * s * s * s * (10 - 15 * s + 6 * s * s);
    n += snprintf(text + n, sizeof text - (size_t)n, "%.6f,%.12f,%.12f,0\n", 2 * s, 0.03 * cos(a), 0.4 + 0.03 * sin(a));
  }
  write_file("tip.csv", text);
  outcome o = run_fine("reach builtin:five_bar --frame tip --path tip.csv --tolerance 0 --out all.csv", 0);
  done(&o);
  o = run_fine("torque builtin:five_bar all.csv --out a.csv", 0);
  done(&o);
  o = run_fine("torque builtin:five_bar --frame tip tip.csv --tolerance 0 --check --out b.csv", 0);
  check_lacks(o.out, "TOO FAR");
  done(&o);
  jn_table *a = read_csv("a.csv"), *b = read_csv("b.csv");
  for (int c = 0; c < jn_table_columns(a); c++) {
    const char *name = jn_table_name(a, c);
    double most = 0;
    if (!strstr(name, ".tau") || strstr(name, "_d")) continue;
    for (int row = 0; row <= 60; row++) {
      double gap = fabs(jn_table_values(a, c)[row] - jn_table_values(b, c)[row]);
      most = fmax(most, fabs(jn_table_values(a, c)[row]));
      if (!(gap < 1e-4)) fail_msg("%s, row %d: apart by %g", name, row, gap);
    }
    if (strstr(name, "motor") ? !(most > 0.1) : most != 0) fail_msg("%s: %g", name, most); /* elbows have no motor */
  }
  jn_table_destroy(a);
  jn_table_destroy(b);
  o = run_fine("simulate builtin:five_bar --duration 0.2 --out moved.csv", 0);
  done(&o);
  o = run_fine("torque builtin:five_bar moved.csv", 0);
  done(&o);
}

static void mistakes_are_named(void **unused) {
  (void)unused;
  check_says("reach builtin:panda --pose 0,0,0,0,0,0,1", 2, "--frame");
  check_says("reach builtin:panda --frame panda_flange", 2, "give one of");
  check_says("reach builtin:panda --frame panda_flang --position 0,0,1", 2, "panda_flange");
  check_says("reach builtin:panda --frame panda_flange --pose 1,2,3", 2, "not 3 numbers");
  check_says("reach builtin:panda --frame panda_flange --pose 0,0,1,0,0,0,2", 2, "length 2");
  check_says("reach builtin:panda --frame panda_flange --position 0,0,1 --free rx", 2, "--free takes");
  check_says("reach builtin:panda --frame panda_flange --position 0,0,1 --free x,y,z", 2, "nothing");
  check_says("reach builtin:panda --frame panda_flange --position 0,0,1 --weights elbow=1", 2, "elbow");
  check_says("reach builtin:panda --frame panda_flange --position 0,0,1 --weights panda_joint1=-1", 2, "positive");
  check_says("reach builtin:panda --frame panda_flange --position 0,0,1 --rate 10", 2, "for --path");
  check_says("torque builtin:panda --free rz builtin:demo", 2, "for --frame");
  write_file("bad.csv", "t,x,y\n0,1,2\n");
  check_says("reach builtin:panda --frame panda_flange --path bad.csv", 1,
             "bad.csv:1: a path needs the columns x, y, z");
  write_file("bad.csv", "t,x,y,z,qx\n0,1,2,3,4\n");
  check_says("reach builtin:panda --frame panda_flange --path bad.csv", 1, "quaternion needs");
  write_file("bad.csv", "t,x,y,z,roll [turns],pitch,yaw\n0,1,2,3,4,5,6\n");
  check_says("reach builtin:panda --frame panda_flange --path bad.csv", 1, "rad or deg");
  write_file("bad.csv", "t,x,y,z\n0,1,2,3\n\n1,a,2,3\n");
  check_says("reach builtin:panda --frame panda_flange --path bad.csv", 1, "bad.csv:4");
  check_says("reach builtin:panda --frame panda_flange --path none.csv", 1, "none.csv");
  write_file("bad.csv", "t,x,y,z\n0,0.4,0,0.5\n1,0.5,0,0.5\n");
  check_says("reach builtin:panda --frame panda_flange --path bad.csv", 1, "has 2 rows; a path needs at least 6");
  check_says("reach builtin:panda --frame panda_flange --relative-to panda_flange --position 0,0,1", 2,
             "parts of one body");
  check_says("reach builtin:panda --frame panda_flange --relative-to panda_link7 --position 0,0,1", 2,
             "parts of one body");
  check_says("reach builtin:panda --frame panda_flange --position 1e300,0,0", 2, "--position: 1e+300 is no place");
  check_says("reach builtin:panda --frame panda_flange --position 0.3,0,0.5 --starts 1e9", 2,
             "--starts takes one whole number from 1 to 100000");
  check_says("torque builtin:panda builtin:demo --frame panda_flange", 1, "builtin:demo is a motion of joints");
  check_says("casadi builtin:panda --out x.so --step 1e10", 2, "positive and below 1e9");
  write_file("bad.csv",
             "t,x,y,z,qx,qy,qz,qw\n0,.4,0,.5,2,0,0,0\n1,.4,0,.5,2,0,0,0\n2,.4,0,.5,2,0,0,0\n3,.4,0,.5,2,0,0,0\n"
             "4,.4,0,.5,2,0,0,0\n5,.4,0,.5,2,0,0,0\n6,.4,0,.5,2,0,0,0\n");
  check_says("reach builtin:panda --frame panda_flange --path bad.csv", 1, "column 'qx'");
  write_path("poses.csv", 0, 0.1);
  check_says("torque builtin:panda poses.csv", 1, "--frame NAME");
  write_file("bad.csv",
             "t,x,y,z\n0,1,.2,0\n1,1,.2,.1\n2,1,.2,.2\n3,1,.2,.3\n4,1,.2,.4\n5,1,.2,.5\n6,1,.2,.6\n7,1,.2,.7\n");
  check_says("reach builtin:planar_2r --frame tip --path bad.csv", 1, "until t = 0 s"); /* out of its plane */
}

/* Elbow up and elbow down; whole turns are no others. Limits that a solution breaks are named. */
static void all_solutions_are_listed(void **unused) {
  (void)unused;
  outcome o = run_fine("reach builtin:planar_2r --frame tip --position 1,0.5,0 --free z --all --out both.json", 0);
  check_has(o.out, "reaches the target in 2 ways");
  check_has(o.out, "1: all position limits hold");
  done(&o);
  o = run_fine("eval builtin:planar_2r --input both.json --want pose --link tip", 0); /* a list of states */
  done(&o);
  o = run_fine("reach builtin:planar_2r --frame tip --position 1,0.5,0 --free z", 0);
  check_has(o.out, "--start chooses another one, --all lists them");
  done(&o);
  o = run_fine("reach builtin:panda --frame panda_flange --pose 0.4,0.1,0.5,1,0,0,0 --all", 0);
  check_has(o.out, "1: all position limits hold");
  check_has(o.out, "infinitely many solutions");
  done(&o);
  o = run_fine("reach builtin:panda --frame panda_flange --pose 0.4,0.1,0.5,1,0,0,0 --all --json", 0);
  check_lacks(o.out, "\"limits_hold\": false"); /* of more than 64, those inside are kept */
  done(&o);
  o = run_fine(
      "reach builtin:panda --frame panda_flange --pose 0.4,0.1,0.5,1,0,0,0 --all --json --position-limits ignore", 0);
  check_has(o.out, "\"limits_hold\": false");
  check_has(o.out, "\"limits_hold\": true");
  done(&o);
  check_says("reach builtin:panda --frame panda_flange --pose 0.4,0.1,0.5,1,0,0,0 --all", 0,
             "at most 64 solutions are kept; ");
  o = run_fine("reach builtin:planar_2r --frame tip --position 1,0.5,0 --free z --all --starts 20", 0);
  check_has(o.out, "that 20 starts found");
  check_lacks(o.err, "at most 64");
  done(&o);
  check_says("reach builtin:planar_2r --frame tip --position 1,0,0 --all --starts 0", 2, "--starts takes one whole");
  check_says("reach builtin:planar_2r --frame tip --position 5,0,0 --all", 1, "cannot reach it from any of 300 starts");
  check_says("reach builtin:panda --frame panda_flange --path x.csv --all", 2, "--all is for --pose");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_solutions_are_listed),  cmocka_unit_test(a_pose_is_reached),
      cmocka_unit_test(paths_become_motions),      cmocka_unit_test(torques_of_a_path),
      cmocka_unit_test(what_is_missing_is_named),  cmocka_unit_test(hard_paths_are_followed),
      cmocka_unit_test(mechanisms_are_read_again), cmocka_unit_test(mistakes_are_named)};
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
