/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of jounce torque --plot and jounce plot, as a user asks for them. */
#include "support/running.h"

#include <math.h>

static void check_refusal(const char *words, int code, const char *part) {
  outcome o = run_fine(words, code);
  check_has(o.err, part);
  if (strstr(o.out, "Drawn")) fail_msg("%s: 'Drawn' after an error", words);
  done(&o);
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *p = text; (p = strstr(p, part)); p++) count++;
  return count;
}

static FILE *open_file(const char *name, const char *mode) {
  FILE *f = fopen(in_directory(name), mode);
  assert_non_null(f);
  return f;
}

/* ---- Times ---- */

static void check_offset(const char *picture) {
  char *svg = read_file(picture);
  check_has(svg, "t - 1700000000 [s]");
  check_lacks(svg, "1.7e+09");
  free(svg);
}

static void large_times_have_an_offset(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  FILE *f = open_file("stamps.csv", "w");
  fputs("t,shoulder,elbow\n", f);
  for (int i = 0; i <= 400; i++) {
    double t = 0.01 * i;
    fprintf(f, "%.3f,%.12g,%.12g\n", 1700000000.25 + t, 0.3 * sin(t), 0.2 * cos(t));
  }
  fclose(f);
  write_file("late.json",
             "{\"start\": 1700000000.25, \"duration\": 4, \"joints\": {\"shoulder\": {\"polynomial\": [0, 0.1]},"
             " \"elbow\": {\"polynomial\": [0, 0.2]}}}");
  outcome o = run_fine("torque builtin:double_pendulum late.json --plot p.svg", 0);
  check_has(o.out, "Drawn: p.svg");
  done(&o);
  check_offset("p.svg");
  o = run_fine("plot stamps.csv --out p.svg", 0);
  assert_string_equal(o.err, "");
  done(&o);
  check_offset("p.svg");
  o = run_fine("plot stamps.csv", 0);
  check_has(o.out, "t - 1700000000 [s]");
  done(&o);
  write_file("small.csv", "t,a\n10,1\n12,2\n14,1\n");
  o = run_fine("plot small.csv --out p.svg", 0);
  done(&o);
  char *svg = read_file("p.svg");
  check_lacks(svg, "t - ");
  free(svg);
}

/* ---- Failures ---- */

static void pictures_that_cannot_be_written_are_reported(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_file("a.csv", "t,a\n0,1\n1,2\n");
  check_refusal("torque builtin:panda builtin:demo --plot nowhere/p.svg", 1, "cannot write nowhere/p.svg");
  check_refusal("plot a.csv --out nowhere/p.pdf", 1, "cannot write nowhere/p.pdf");
  if (access("/dev/full", W_OK) != 0) return;
  static const char *const endings[] = {"svg", "png", "pdf"};
  for (int i = 0; i < 3; i++) {
    char link[32], words[96];
    snprintf(link, sizeof link, "full.%s", endings[i]);
    assert_int_equal(symlink("/dev/full", in_directory(link)), 0);
    snprintf(words, sizeof words, "torque builtin:panda builtin:demo --plot %s", link);
    check_refusal(words, 1, "No space left on device");
    assert_true(exists(link)); /* the device is not ours to remove */
  }
  check_refusal("plot a.csv >/dev/full", 1, "cannot write to standard output");
}

static void a_gnuplot_that_fails_leaves_no_file(void **state) {
  (void)state;
  write_file("gnuplot", "#!/bin/sh\ncat >/dev/null\nexit 3\n");
  char line[128], before[256];
  snprintf(line, sizeof line, "chmod +x '%s'", in_directory("gnuplot"));
  assert_int_equal(system(line), 0);
  snprintf(before, sizeof before, "cd '%s' && PATH=\"$PWD:$PATH\"", directory);
  outcome o = run_with(before, "torque builtin:panda builtin:demo --plot q.svg");
  check_has(o.err, "gnuplot could not draw q.svg");
  check_lacks(o.out, "Drawn");
  assert_int_equal(o.code, 1);
  assert_false(exists("q.svg"));
  done(&o);
  assert_int_equal(remove(in_directory("gnuplot")), 0);
}

/* ---- Rows ---- */

static void rows_are_of_one_quantity_and_unit(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_file("mixed.csv",
             "t,base_x [m],base_qw [1],hip [rad],base_vx [m/s],hip_d1 [rad/s],base_vx.tau [N],hip.tau [N m],"
             "base_vx.tau_d1 [N/s],hip.tau_d1 [N m/s]\n"
             "0,1,2,3,4,5,6,7,8,9\n1,2,3,4,5,6,7,8,9,10\n");
  outcome o = run_fine("plot mixed.csv", 0);
  static const char *const titles[] = {"base_x position [m]",    "base_qw orientation [1]", "hip position [rad]",
                                       "base_vx velocity [m/s]", "hip velocity [rad/s]",    "base_vx torque τ [N]",
                                       "hip torque τ [N m]",     "base_vx dτ/dt [N/s]",     "hip dτ/dt [N m/s]"};
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) check_has(o.out, titles[i]);
  done(&o);
  o = run_fine("plot mixed.csv --out p.svg", 0);
  done(&o);
  char *svg = read_file("p.svg");
  assert_int_equal(count_of(svg, ">base_vx<"), 1);
  assert_int_equal(count_of(svg, ">hip<"), 1);
  free(svg);
}

/* ---- Files ---- */

static void files_are_read_as_trajectories_are(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_file("semi.csv", "\xEF\xBB\xBFt;\"a\";b\r\n0,0;0,5;1,5\r\n1,5;-0,5;2,5\r\n");
  write_file("dots.csv", "t,\"a\",b\n0.0,0.5,1.5\n1.5,-0.5,2.5\n");
  write_file("numpy.csv", "# t,a,b\n0.0,0.5,1.5\n1.5,-0.5,2.5\n");
  outcome dots = run_fine("plot dots.csv", 0), semi = run_fine("plot semi.csv", 0),
          numpy = run_fine("plot numpy.csv", 0);
  assert_string_equal(semi.out, dots.out);
  assert_string_equal(numpy.out, dots.out);
  done(&dots);
  done(&semi);
  done(&numpy);
  write_file("text.csv", "t,a,label\n0,1,walk\n1,2,run\n2,1,run\n");
  outcome o = run_fine("plot text.csv", 0);
  check_has(o.err, "text.csv:2: column 'label': 'walk' is not a number; the column is left out");
  assert_int_equal(count_of(o.err, "label"), 1);
  check_has(o.out, "*");
  done(&o);
  write_file("short.csv", "t,a,b\n0,1,2\n1,2\n");
  check_refusal("plot short.csv", 1, "short.csv:3: row 2 has 2 columns, but there are 3 names");
  write_file("nameless.csv", "0,1\n1,2\n");
  check_refusal("plot nameless.csv", 1, "nameless.csv:1: has no names");
  write_file("time.csv", "t,a\nnoon,1\n1,2\n");
  check_refusal("plot time.csv", 1, "the first column is the time");
  check_refusal("plot motion.npz", 2, "plot takes CSV");
  write_file("nothing.csv", "t,a\n0,nan\n1,\n");
  check_refusal("plot nothing.csv", 1, "there is no number");
}

/* A curve of three pieces has three beginnings in the picture. */
static void gaps_are_not_joined(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  FILE *gaps = open_file("gaps.csv", "w"), *whole = open_file("whole.csv", "w");
  fputs("t,a\n", gaps);
  fputs("t,a\n", whole);
  for (int i = 0; i < 60; i++) {
    double y = sin(0.1 * i);
    fprintf(whole, "%d,%.6f\n", i, y);
    if (i >= 20 && i < 30)
      fprintf(gaps, "%d,nan\n", i);
    else if (i == 40)
      fprintf(gaps, "%d,\n", i);
    else
      fprintf(gaps, "%d,%.6f\n", i, y);
  }
  fclose(gaps);
  fclose(whole);
  int moves[2];
  for (int k = 0; k < 2; k++) {
    outcome o = run_fine(k ? "plot gaps.csv --out p.svg" : "plot whole.csv --out p.svg", 0);
    done(&o);
    char *svg = read_file("p.svg");
    moves[k] = count_of(svg, "M");
    free(svg);
  }
  assert_int_equal(moves[1] - moves[0], 2);
}

/* ---- Limits and titles ---- */

static void limits_are_seen_without_colour(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  outcome o = run_fine("torque builtin:panda builtin:demo --limits --plot p.SVG", 1);
  done(&o);
  char *svg = read_file("p.SVG");
  check_has(svg, "rgb(176,  48,   0)"); /* the edge */
  free(svg);
  o = run_fine("torque builtin:panda builtin:demo --limits --plot -", 1);
  check_has(o.out, "panda_joint1 velocity [rad/s], 101.6 % !");
  check_has(o.out, "####");
  check_has(o.out, "!: broken");
  done(&o);
  o = run_fine("torque builtin:panda builtin:demo --plot -", 0);
  check_lacks(o.out, "!: broken");
  done(&o);
}

static void joints_without_motor_have_no_band(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_file("motor.json", "{\"duration\": 2, \"joints\": {\"motor\": {\"polynomial\": [0, 0.1]}}}");
  write_file("tight.csv", "joint,velocity\nmotor,0.11\n");
  outcome o = run_fine("torque builtin:four_bar motor.json --limits --plot p.svg", 0);
  done(&o);
  char *svg = read_file("p.svg");
  check_lacks(svg, "rgb(217, 217, 217)"); /* all other limits are far away */
  free(svg);
  o = run_fine("torque builtin:four_bar motor.json --limits=tight.csv --plot p.svg", 0);
  done(&o);
  svg = read_file("p.svg");
  check_has(svg, "rgb(217, 217, 217)");
  free(svg);
}

/* ---- Many joints ---- */

/* A motion of the joints of the humanoid, its base included. */
static void write_humanoid(void) {
  jn_model *m;
  assert_int_equal(jn_load("builtin:humanoid", NULL, &m, NULL), JN_OK);
  FILE *f = open_file("walk.json", "w");
  fputs("{\"duration\": 2, \"joints\": {\"base\": [0, 0, 1, 0, 0, 0, 1]", f);
  for (int i = 0; i < jn_link_count(m); i++)
    if (jn_joint_nv(m, i) == 1)
      fprintf(f, ", \"%s\": {\"cosine\": {\"amplitude\": 0.1, \"omega\": 3}}", jn_joint_name(m, i));
  fputs("}}", f);
  fclose(f);
  jn_model_destroy(m);
}

/* Every joint is on one page, each page has its number, and no page is higher than one can look at. */
static void many_joints_go_to_pages(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_humanoid();
  outcome o = run_fine("torque builtin:humanoid walk.json --limits --plot h.svg --limits", 1);
  check_has(o.out, "Drawn: h-1.svg\nDrawn: h-2.svg\nDrawn: h-3.svg\n");
  done(&o);
  assert_false(exists("h.svg"));
  int knees = 0, bases = 0;
  for (int i = 1; i <= 3; i++) {
    char name[32], title[32];
    int width, height;
    snprintf(name, sizeof name, "h-%d.svg", i);
    snprintf(title, sizeof title, "(page %d of 3)", i);
    char *svg = read_file(name);
    check_has(svg, title);
    knees += count_of(svg, ">left_knee<");
    bases += count_of(svg, ">base_wx<");
    const char *size = strstr(svg, "width=\"");
    assert_non_null(size);
    assert_int_equal(sscanf(size, "width=\"%d\" height=\"%d\"", &width, &height), 2);
    assert_in_range(height, 300, 1700);
    free(svg);
  }
  assert_int_equal(knees, 1);
  assert_int_equal(bases, 1);
  o = run_fine("torque builtin:humanoid walk.json --plot h.pdf", 0);
  check_has(o.out, "Drawn: h.pdf\n");
  done(&o);
}

/* A label has two units where a band has both; the joints' own do not. */
static void labels_have_the_units_of_their_panels(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_humanoid();
  outcome o = run_fine("torque builtin:humanoid walk.json --order 1 --plot h.svg --joints 'base,left_*'", 0);
  done(&o);
  char *svg = read_file("h.svg");
  assert_int_equal(count_of(svg, "[N m, N]"), 1);
  assert_int_equal(count_of(svg, "[N m/s, N/s]"), 1);
  assert_true(count_of(svg, "[N m]") >= 1);
  assert_true(count_of(svg, ">left_knee<") == 1 && !strstr(svg, ">right_knee<") && !strstr(svg, ">neck_yaw<"));
  free(svg);
  o = run_fine("torque builtin:humanoid walk.json --order 1 --plot - --joints base", 0);
  check_has(o.out, "base_wx torque τ [N m]");
  check_has(o.out, "base_vx torque τ [N]");
  check_lacks(o.out, "[N m, N]");
  done(&o);
  o = run_fine("torque builtin:humanoid walk.json --order 0 --out h.csv", 0);
  done(&o);
  o = run_fine("plot h.csv --joints base,neck_yaw", 0);
  check_has(o.out, "base_wx torque τ [N m]");
  check_has(o.err, "zero at all times: base_x, base_y,"); /* the base rests */
  check_has(o.out, "neck_yaw torque τ [N m]");
  check_lacks(o.out, "left_knee");
  done(&o);
  check_refusal("plot h.csv --joints nekc_yaw", 2, "did you mean 'neck_yaw'?");
  check_refusal("torque builtin:humanoid walk.json --joints base", 2, "--joints is for --plot");
}

static void titles_fit(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_file("long.csv",
             "t,a_name_of_a_joint_that_is_longer_than_any_panel_is_wide [rad],"
             "a_name_of_a_joint_that_is_longer_than_any_panel_is_wide_d1 [rad/s],"
             "another_name_of_a_joint_that_is_longer_than_any_panel_is_wide [rad],"
             "another_name_of_a_joint_that_is_longer_than_any_panel_is_wide_d1 [rad/s]\n0,1,2,3,4\n1,2,3,4,5\n");
  outcome o = run_fine("plot long.csv", 0);
  check_has(o.out, "a_name_of_a_joint_that");
  check_has(o.out, ".. position [rad]");
  check_lacks(o.out, "panel_is_wide");
  done(&o);
}

/* ---- Comparison ---- */

static void write_pair(void) {
  write_file("one.csv", "t,hip [rad],hip_d1 [rad/s],knee [rad]\n0,1,2,3\n1,2,3,4\n2,1,5,3\n");
  write_file("two.csv", "t,hip [rad],hip_d1 [rad/s],ankle [rad]\n0,2,2,3\n0.5,4,3,4\n2,3,5,3\n");
}

/* Columns of one name share a panel; the legend names the files, and what only one file has is said. */
static void files_are_drawn_over_each_other(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_pair();
  outcome o = run_fine("plot one.csv two.csv --out p.svg", 0);
  check_has(o.err, "one.csv has no numbers for 1 column of the other file: 'ankle [rad]'\n");
  check_has(o.err, "two.csv has no numbers for 1 column of the other file: 'knee [rad]'\n");
  done(&o);
  char *svg = read_file("p.svg");
  static const char *const once[] = {">hip<", ">knee<", ">ankle<", ">one.csv<", ">two.csv<"};
  for (size_t i = 0; i < sizeof once / sizeof *once; i++) assert_int_equal(count_of(svg, once[i]), 1);

  // Two panels have both curves, two have one, and the legend has each: dashed for the second file only.
  assert_int_equal(count_of(svg, "stroke-dasharray"), 2 + 1 + 1);
  free(svg);

  // The text has a character for each file.
  o = run_fine("plot one.csv two.csv --pattern hip_d1", 0);
  check_has(o.out, "*: one.csv\n#: two.csv\n");
  assert_int_equal(count_of(o.out, "hip velocity [rad/s]"), 1);
  assert_string_equal(o.err, "");
  done(&o);

  // Files without names of joints are compared column by column.
  write_file("x.csv", "t,a,b\n0,1,2\n1,2,3\n");
  write_file("y.csv", "time,b,a\n5,1,2\n6,2,3\n");
  o = run_fine("plot x.csv y.csv", 0);
  check_has(o.err, "y.csv: the first column is 'time', but 't' in x.csv; both are drawn as the same quantity\n");
  check_has(o.err, "x.csv and y.csv have no time in common\n");
  check_lacks(o.err, "no numbers");
  done(&o);
}

static void comparisons_have_their_rules(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_pair();
  check_refusal("plot - -", 2, "only one FILE can be standard input");
  check_refusal("plot one.csv motion.npz", 2, "motion.npz: plot takes CSV");
  check_refusal("plot one.csv nowhere.csv", 1, "nowhere.csv");
  check_refusal("plot one.csv one.csv one.csv one.csv one.csv one.csv one.csv", 2, "one argument too many");
  write_file("one.svg", "t,a\n0,1\n1,2\n");
  check_refusal("plot two.csv one.svg --out one.svg", 2, "one.svg");
}

/* Names of files are data for gnuplot and for the picture. */
static void names_of_files_are_data(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  static const char name[] = "\"; system 'touch made'; `touch made` <b>.csv";
  write_file(name, "t,a\n0,1\n1,2\n");
  write_file("x.csv", "t,a\n0,3\n1,2\n");
  outcome o = run_fine("plot x.csv *touch*.csv --out p.svg", 0);
  done(&o);
  assert_false(exists("made"));
  char *svg = read_file("p.svg");
  check_has(svg, "touch made");
  check_lacks(svg, "<b>");
  free(svg);
}

/* ---- Size ---- */

static void check_size(const char *words, const char *file, int width, int height) {
  outcome o = run_fine(words, 0);
  done(&o);
  char *svg = read_file(file), text[64];
  snprintf(text, sizeof text, "width=\"%d\" height=\"%d\"", width, height);
  check_has(svg, text);
  free(svg);
}

static void pictures_have_the_size_asked_for(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_pair();
  check_size("plot one.csv --size 640x480 --out p.svg", "p.svg", 640, 480);
  check_size("plot one.csv two.csv --size 640x480px --out p.svg", "p.svg", 640, 480);
  check_size("plot one.csv --size 25.4x12.7cm --out p.svg", "p.svg", 960, 480);
  check_size(
      "torque builtin:panda builtin:demo --joints panda_joint4 --order 0 --plot p.svg "
      "--size 1000x700",
      "p.svg", 1000, 700);
  check_size("simulate builtin:double_pendulum --duration 0.1 --plot p.svg --size 800x600", "p.svg", 800, 600);

  // The size in the header of a PNG.
  outcome o = run_fine("plot one.csv --size 640x480 --out p.png", 0);
  done(&o);
  unsigned char head[24];
  FILE *f = open_file("p.png", "rb");
  assert_int_equal(fread(head, 1, sizeof head, f), sizeof head);
  fclose(f);
  assert_int_equal(head[18] * 256 + head[19], 640);
  assert_int_equal(head[22] * 256 + head[23], 480);
}

static void sizes_have_their_rules(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_pair();
  static const char *const bad[] = {"640",      "x",    "640x",    "640x480mm", "-640x480", "640x480x2", "nanxnan",
                                    "1e3x1000", "0x10", "640,480", "6.4.0x480", "infx480",  "640 x 480"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char words[96];
    snprintf(words, sizeof words, "plot one.csv '--size=%s' --out p.svg", bad[i]);
    check_refusal(words, 2, "takes WIDTHxHEIGHT in pixels or centimetres");
  }
  check_refusal("plot one.csv --size 100x900 --out p.svg", 2, "must be from 300x200 to 8000x8000 pixels");
  check_refusal("plot one.csv --size 900x90000 --out p.svg", 2, "must be from 300x200 to 8000x8000 pixels");
  check_refusal("plot one.csv --size 900x900", 2, "--size is for pictures");
  check_refusal("torque builtin:panda builtin:demo --size 900x900", 2, "--size is for --plot");
  outcome o = run_fine("torque builtin:panda builtin:demo --order 9 --out many.csv", 0);
  done(&o);
  check_refusal("plot many.csv --out many.svg --size 900x400", 1, "rows of panels need a height of at least");
  assert_false(exists("many.svg"));
}

/* ---- Nothing to see ---- */

static void zero_panels_are_left_out(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_file("motor.json", "{\"duration\": 2, \"joints\": {\"motor\": {\"polynomial\": [0, 0.1]}}}");
  outcome o = run_fine("torque builtin:four_bar motor.json --order 1 --plot p.svg --out bar.csv", 0);
  check_has(o.err, "not drawn, zero at all times: crank_pin, rocker_pin\n");
  done(&o);
  char *svg = read_file("p.svg");
  assert_true(count_of(svg, ">motor<") == 1 && !strstr(svg, ">crank_pin<"));
  free(svg);

  // The passive joints move: their positions stay.
  o = run_fine("plot bar.csv --pattern '*pin*'", 0);
  check_has(o.err, "zero at all times: crank_pin torque τ, crank_pin dτ/dt, rocker_pin torque τ, rocker_pin dτ/dt\n");
  check_has(o.out, "crank_pin position [rad]");
  check_lacks(o.out, "torque");
  done(&o);

  // If all are zero, they are drawn; so is zero beyond a limit, and zero against another file.
  write_file("zero.csv", "t,a\n0,0\n1,0\n");
  write_file("other.csv", "t,a\n0,0\n1,2\n");
  o = run_fine("plot zero.csv", 0);
  check_has(o.out, "***");
  assert_string_equal(o.err, "");
  done(&o);
  o = run_fine("plot zero.csv other.csv", 0);
  assert_string_equal(o.err, "");
  done(&o);
  write_file("rest.json", "{\"duration\": 2, \"joints\": {\"shoulder\": 0, \"elbow\": 0.5}}");
  write_file("above.csv", "joint,lower,upper\nshoulder,0.1,1\n");
  o = run_fine("torque builtin:double_pendulum rest.json --limits=above.csv --order 0 --plot -", 1);
  check_has(o.out, "shoulder position [rad]");
  check_has(o.err, "shoulder velocity");
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_times_have_an_offset),
      cmocka_unit_test(pictures_that_cannot_be_written_are_reported),
      cmocka_unit_test(a_gnuplot_that_fails_leaves_no_file),
      cmocka_unit_test(rows_are_of_one_quantity_and_unit),
      cmocka_unit_test(files_are_read_as_trajectories_are),
      cmocka_unit_test(gaps_are_not_joined),
      cmocka_unit_test(limits_are_seen_without_colour),
      cmocka_unit_test(joints_without_motor_have_no_band),
      cmocka_unit_test(many_joints_go_to_pages),
      cmocka_unit_test(labels_have_the_units_of_their_panels),
      cmocka_unit_test(titles_fit),
      cmocka_unit_test(files_are_drawn_over_each_other),
      cmocka_unit_test(comparisons_have_their_rules),
      cmocka_unit_test(names_of_files_are_data),
      cmocka_unit_test(pictures_have_the_size_asked_for),
      cmocka_unit_test(sizes_have_their_rules),
      cmocka_unit_test(zero_panels_are_left_out),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
