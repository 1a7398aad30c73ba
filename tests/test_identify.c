/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce identify: from simulated measurements to a robot file; units, currents, delays, saturation, missing torques,
 * several files; the file keeps all else, the report is harmless. */
#include "support/running.h"

#include <math.h>

/* %s: mass of the forearm, damping, friction, what is in comments */
static const char arm[] =
    "<?xml version='1.0'?>\n<!-- kept -->\n<robot name='arm &lt;script&gt;alert(1)&lt;/script&gt;'><link "
    "name='base'/>\n"
    "<link name='upper'><visual><geometry><box size='1 1 1'/></geometry></visual>\n"
    "<inertial><origin xyz='0.02 0 0.2'/><mass value='%s'/>\n"
    "<inertia ixx='0.05' iyy='0.05' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "<link name='fore'><inertial><origin xyz='0.15 0.02 0'/><mass value='%s'/>\n"
    "<inertia ixx='0.01' iyy='0.03' izz='0.03' ixy='0.001' ixz='0' iyz='0'/></inertial></link>\n"
    "<joint name='shoulder' type='continuous'><axis xyz='0 1 0'/><origin xyz='0 0 0.3'/>\n"
    "<parent link='base'/><child link='upper'/><dynamics damping='%s' friction='%s'/></joint>\n"
    "<joint name='elbow' type='continuous'><axis xyz='0 0.6 0.8'/><origin xyz='0 0 0.4'/>\n"
    "<parent link='upper'/><child link='fore'/><dynamics damping='%s' friction='%s'/></joint></robot>\n";

static void write_arm(const char *name, const char *upper, const char *fore, const char *damping,
                      const char *friction) {
  char text[4096];
  snprintf(text, sizeof text, arm, upper, fore, damping, friction, damping, friction);
  write_file(name, text);
}

static void write_motion(const char *name, double omega) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"duration\": 12, \"joints\": {\"shoulder\": {\"fourier\": {\"omega\": %g, \"cos\": [0.5, 0.3, 0.2, 0.1], "
      "\"sin\": [0.3, -0.4, 0.2, -0.1]}}, \"elbow\": {\"fourier\": {\"omega\": %g, \"cos\": [0.4, -0.5, 0.3, 0.1], "
      "\"sin\": [-0.6, 0.2, 0.1, 0.2]}}}}",
      omega, 0.9 * omega);
  write_file(name, text);
}

/* How a table of measurements is written. */
typedef struct writing {
  const char *position, *force;   /* units */
  double per_position, per_force; /* factors */
  int shift;                      /* rows by which torques are late */
  double clip;                    /* 0: none */
  int no_elbow;                   /* no torque of the elbow */
  int backwards;                  /* positions of the shoulder with the other sign */
  int turned[2];                  /* torques with the other sign */
  double late;                    /* the torque of the elbow at row 500; 0: as it is */
  double per_time;                /* 0: 1 */
  double noise;
  double elbow_noise;   /* more of it there */
  const char *shoulder; /* name of the column of its torque; NULL: shoulder.tau */
} writing;

static const writing usual = {.position = "rad", .force = "N m", .per_position = 1, .per_force = 1, .noise = 0.02};

static const double *column(const jn_table *t, const char *name) {
  for (int c = 0; c < jn_table_columns(t); c++)
    if (strcmp(jn_table_name(t, c), name) == 0) return jn_table_values(t, c);
  fail_msg("no column %s", name);
  return NULL;
}

static void rewrite(const char *from, const char *to, const writing *w) {
  char *text = read_file(from), *out = malloc(4000000);
  jn_table *t;
  uint64_t state = 5;
  size_t used = 0;
  assert_non_null(out);
  assert_int_equal(jn_table_read(text, strlen(text), from, NULL, &t, NULL), JN_OK);
  const double *time = column(t, "t"), *q[2] = {column(t, "shoulder"), column(t, "elbow")};
  const double *tau[2] = {column(t, "shoulder.tau"), column(t, "elbow.tau")};
  used += (size_t)sprintf(out, "t,shoulder [%s],elbow [%s],%s [%s]", w->position, w->position,
                          w->shoulder ? w->shoulder : "shoulder.tau", w->force);
  if (!w->no_elbow) used += (size_t)sprintf(out + used, ",elbow.tau [%s]", w->force);
  out[used++] = '\n';
  for (int r = w->shift; r < jn_table_rows(t); r++) {
    used += (size_t)sprintf(out + used, "%.12g,%.9g,%.9g", time[r] * (w->per_time != 0 ? w->per_time : 1),
                            (w->backwards ? -1 : 1) * q[0][r] * w->per_position, q[1][r] * w->per_position);
    for (int i = 0; i < (w->no_elbow ? 1 : 2); i++) {
      double sum = -6, x;
      for (int k = 0; k < 12; k++) { /* nearly normal */
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 11) * 0x1p-53;
      }
      x = tau[i][r - w->shift] + (w->noise + (i ? w->elbow_noise : 0)) * sum;
      if (w->turned[i]) x = -x;
      if (i == 1 && r == 500 && w->late != 0) x = w->late;
      if (w->clip > 0) x = fmin(fmax(x, -w->clip), w->clip);
      used += (size_t)sprintf(out + used, ",%.9g", x * w->per_force);
    }
    out[used++] = '\n';
  }
  out[used] = 0;
  write_file(to, out);
  jn_table_destroy(t);
  free(text);
  free(out);
}

static void prepare(const char *table, const char *motion) {
  char line[256];
  snprintf(line, sizeof line, "torque true.urdf %s --losses --rate 200 --out %s", motion, table);
  outcome o = run_here(line);
  if (o.code != 0) fail_msg("%s%s", o.out, o.err);
  done(&o);
}

static int make_files(void **state) {
  if (make_directory(state) != 0) return -1;
  write_arm("true.urdf", "3", "1.5", "0.4", "0.6");
  write_arm("wrong.urdf", "2.4", "2", "0", "0");
  write_motion("motion.json", 1.1);
  write_motion("other.json", 0.8);
  prepare("clean.csv", "motion.json");
  prepare("clean2.csv", "other.json");
  rewrite("clean.csv", "data.csv", &usual);
  rewrite("clean2.csv", "held.csv", &usual);
  return 0;
}

/* The percentage of the last line that has `words`. */
static double percentage(const char *out, const char *words) {
  const char *at = NULL;
  for (const char *p = out; (p = strstr(p, words)); p++) at = p;
  if (!at || !(at = strstr(at, ": "))) fail_msg("no '%s' in %s", words, out);
  return strtod(at + 2, NULL);
}

static outcome fine(const char *arguments) {
  outcome o = run_here(arguments);
  if (o.code != 0) fail_msg("jounce %s: status %d\n%s%s", arguments, o.code, o.out, o.err);
  return o;
}

static void good_data(void **state) {
  (void)state;
  outcome o = fine("identify wrong.urdf data.csv --validate held.csv --out new.urdf --report page.html");
  const char *last = strstr(o.out, "residual / torque on the validation file held.csv");
  assert_non_null(last);
  assert_null(strchr(strchr(last, '\n') + 1, '\n')); /* the last line */
  assert_true(percentage(o.out, "on the data") < 1);
  assert_true(percentage(o.out, "validation file") < 1);
  done(&o);
  /* the new robot moves as the true one does */
  o = fine("torque new.urdf other.json --losses --rate 50 --out again.csv");
  done(&o);
  o = fine("torque true.urdf other.json --losses --rate 50 --out truth.csv");
  done(&o);
  char *a = read_file("again.csv"), *b = read_file("truth.csv");
  jn_table *ta, *tb;
  assert_int_equal(jn_table_read(a, strlen(a), "a", NULL, &ta, NULL), JN_OK);
  assert_int_equal(jn_table_read(b, strlen(b), "b", NULL, &tb, NULL), JN_OK);
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "elbow.tau" : "shoulder.tau";
    double error = 0, size = 0;
    for (int r = 0; r < jn_table_rows(ta); r++) {
      error += pow(column(ta, name)[r] - column(tb, name)[r], 2);
      size += pow(column(tb, name)[r], 2);
    }
    if (error > 1e-4 * size) fail_msg("%s is off by %g %%", name, 100 * sqrt(error / size));
  }
  jn_table_destroy(ta);
  jn_table_destroy(tb);
  free(a);
  free(b);
}

static void the_file_keeps_all_else(void **state) {
  (void)state;
  outcome o = fine("identify wrong.urdf data.csv --out kept.urdf");
  done(&o);
  char *text = read_file("kept.urdf");
  check_has(text, "<!-- kept -->");
  check_has(text, "<visual><geometry><box size='1 1 1'/></geometry></visual>");
  check_lacks(text, "damping='0'");
  free(text);
  o = fine("check --strict kept.urdf");
  done(&o);
  o = fine("identify wrong.urdf data.csv --out kept.json");
  done(&o);
  o = fine("check --strict kept.json");
  done(&o);
}

static void the_report_is_harmless(void **state) {
  (void)state;
  outcome o = fine("identify wrong.urdf data.csv --validate held.csv --report page.html");
  done(&o);
  char *page = read_file("page.html");
  check_lacks(page, "<script");
  check_has(page, "&lt;script&gt;");
  check_has(page, "held.csv");
  check_has(page, "<polyline");
  check_lacks(page, "http");
  check_lacks(page, "nan");
  free(page);
}

/* The same data in degrees, with names that say no units: without times, and with those of a clock in ms. */
static void write_bare(void) {
  char *text = read_file("data.csv"), *bare = malloc(4000000), *stamped = malloc(4000000);
  size_t n = 0, k = 0;
  jn_table *t;
  assert_true(bare && stamped);
  assert_int_equal(jn_table_read(text, strlen(text), "data.csv", NULL, &t, NULL), JN_OK);
  n += (size_t)sprintf(bare, "shoulder,elbow,shoulder.tau,elbow.tau\n");
  k += (size_t)sprintf(stamped, "clock,a,b,shoulder.tau,elbow.tau\n");
  for (int r = 0; r < jn_table_rows(t); r++) {
    char rest[200];
    double by = 180 / 3.14159265358979323846;
    snprintf(rest, sizeof rest, "%.9g,%.9g,%.9g,%.9g\n", by * column(t, "shoulder")[r], by * column(t, "elbow")[r],
             column(t, "shoulder.tau")[r], column(t, "elbow.tau")[r]);
    n += (size_t)sprintf(bare + n, "%s", rest);
    k += (size_t)sprintf(stamped + k, "%.6g,%s", 1000 * column(t, "t")[r], rest);
  }
  write_file("bare.csv", bare);
  write_file("stamped.csv", stamped);
  jn_table_destroy(t);
  free(text);
  free(bare);
  free(stamped);
}

/* Degrees and N mm; currents; columns under other names: the same result. */
static void units_are_understood(void **state) {
  (void)state;
  writing w = usual;
  write_bare();
  outcome o = fine("identify wrong.urdf data.csv");
  double expected = percentage(o.out, "on the data");
  done(&o);
  w.position = "deg", w.per_position = 180 / 3.14159265358979323846;
  w.force = "N mm", w.per_force = 1000;
  rewrite("clean.csv", "degrees.csv", &w);
  o = fine("identify wrong.urdf degrees.csv");
  if (fabs(percentage(o.out, "on the data") - expected) > 0.02) fail_msg("%s", o.out);
  done(&o);
  w = usual;
  w.force = "A", w.per_force = 1 / 2.5 / 50;
  w.shoulder = "motor_a";
  rewrite("clean.csv", "amperes.csv", &w);
  o = fine(
      "identify wrong.urdf amperes.csv --columns shoulder.tau=motor_a --torque-constant shoulder=2.5,elbow=2.5 "
      "--gear shoulder=50,elbow=50");
  if (fabs(percentage(o.out, "on the data") - expected) > 0.02) fail_msg("%s", o.out);
  done(&o);
  o = fine("identify wrong.urdf bare.csv --sample-rate 200 --degrees"); /* no units, no times */
  if (fabs(percentage(o.out, "on the data") - expected) > 0.02) fail_msg("%s", o.out);
  done(&o);
  o = fine("identify wrong.urdf stamped.csv --columns \"t=clock [ms],shoulder=a [deg],elbow=b [deg]\"");
  if (fabs(percentage(o.out, "on the data") - expected) > 0.02) fail_msg("%s", o.out);
  done(&o);
  check_refused(run_here("identify wrong.urdf bare.csv"), 1, "--sample-rate");
  o = run_here("identify wrong.urdf amperes.csv --columns shoulder.tau=motor_a");
  check_refused(o, 2, "--torque-constant shoulder=K");
}

static void doubts_are_told(void **state) {
  (void)state;
  writing w = usual;
  w.shift = 4;
  rewrite("clean.csv", "late.csv", &w);
  outcome o = fine("identify wrong.urdf late.csv");
  check_has(o.err, "later than the positions");
  const char *option = strstr(o.err, "--delay ");
  assert_non_null(option);
  double delay = strtod(option + 8, NULL);
  if (fabs(delay - 0.02) > 0.001) fail_msg("the delay is %g, not 0.02", delay);
  double late = percentage(o.out, "on the data");
  done(&o);
  o = fine("identify wrong.urdf late.csv --delay 0.02");
  assert_true(percentage(o.out, "on the data") < 0.5 * late);
  check_lacks(o.err, "later");
  done(&o);
  o = fine("identify wrong.urdf clean.csv --delay 0.5"); /* the truth, 0, is beyond the search */
  check_has(o.err, "or less fits the torques better than 0.5 s");
  done(&o);
  o = fine("identify wrong.urdf clean.csv --delay 0.02");
  if (!strstr(o.err, "fit best without a delay")) {
    option = strstr(o.err, "--delay ");
    if (!option || fabs(strtod(option + 8, NULL)) > 0.001) fail_msg("no delay of 0: %s", o.err);
  }
  done(&o);
  w.shift = 2;
  w.elbow_noise = 8; /* a joint that tells nothing hides no delay of the others */
  rewrite("clean.csv", "hidden.csv", &w);
  o = fine("identify wrong.urdf hidden.csv");
  option = strstr(o.err, "--delay ");
  if (!option || fabs(strtod(option + 8, NULL) - 0.01) > 0.001) fail_msg("no delay of 0.01: %s", o.err);
  done(&o);
  w = usual;
  w.clip = 12;
  rewrite("clean.csv", "clipped.csv", &w);
  o = fine("identify wrong.urdf clipped.csv");
  check_has(o.err, "saturated");
  assert_true(percentage(o.out, "on the data") < 1);
  done(&o);
  w = usual;
  w.no_elbow = 1;
  rewrite("clean.csv", "one.csv", &w);
  o = fine("identify wrong.urdf one.csv");
  check_has(o.err, "'elbow' has no torques");
  done(&o);
}

/* Units, other times, nothing at all, and too little. */
static void senseless_data_are_told(void **state) {
  (void)state;
  writing w = usual;
  outcome o;
  w.per_force = 0.01;
  rewrite("clean.csv", "small.csv", &w);
  o = fine("identify wrong.urdf small.csv");
  check_has(o.err, "--gear");
  done(&o);
  w.per_force = 1000; /* N mm, which the name does not say */
  rewrite("clean.csv", "large.csv", &w);
  o = fine("identify wrong.urdf large.csv");
  check_has(o.err, "such as N mm");
  done(&o);
  w = usual;
  w.shift = 300; /* the torques of another time */
  rewrite("clean.csv", "other.csv", &w);
  o = fine("identify wrong.urdf other.csv --out other.urdf");
  check_has(o.err, "signs");
  done(&o);
  o = fine("check --strict other.urdf"); /* whatever the data say, a robot that can be */
  done(&o);
  w = usual;
  w.per_force = 0;
  rewrite("clean.csv", "nothing.csv", &w);
  o = fine("identify wrong.urdf nothing.csv");
  check_has(o.err, "all torques are zero");
  done(&o);
  o = fine("identify wrong.urdf data.csv --cutoff 0.5");
  check_has(o.err, "rows for");
  done(&o);
  o = fine("identify wrong.urdf data.csv");
  check_lacks(o.err, "units");
  check_lacks(o.err, "rows for");
  done(&o);
}

/* A column with the wrong sign, or all of them: the joint is named, and no delay is blamed. */
static void wrong_signs_are_told(void **state) {
  (void)state;
  const char *const names[] = {"'shoulder' look reversed", "'elbow' look reversed"};
  for (int turned = 0; turned < 4; turned++) {
    writing w = usual;
    w.turned[0] = turned & 1, w.turned[1] = turned >> 1;
    rewrite("clean.csv", "turned.csv", &w);
    outcome o = fine("identify wrong.urdf turned.csv");
    for (int i = 0; i < 2; i++) {
      if (w.turned[i])
        check_has(o.err, names[i]);
      else
        check_lacks(o.err, names[i]);
    }
    if (turned) { /* what wrong signs also look like */
      check_has(o.err, "once the signs are right");
      check_lacks(o.err, "--delay");
      check_lacks(o.err, "have no effect");
      check_lacks(o.err, "did not converge");
    } else {
      check_lacks(o.err, "once the signs are right");
    }
    done(&o);
  }
  writing w = usual;
  w.backwards = 1; /* positions with the wrong sign: torques alone do not tell which of both it is */
  rewrite("clean.csv", "backwards.csv", &w);
  outcome o = fine("identify wrong.urdf turned.csv --gear shoulder=-1,elbow=1.01");
  check_has(o.err, "'elbow' look reversed");
  check_has(o.err, "the other sign of its --gear");
  done(&o);
  o = fine("identify wrong.urdf backwards.csv");
  check_has(o.err, "the torques or the positions of 'shoulder' look reversed");
  check_lacks(o.err, "'elbow' look reversed");
  done(&o);
  o = fine("identify wrong.urdf turned.csv --gear shoulder=-1,elbow=-1");
  check_lacks(o.err, "reversed");
  assert_true(percentage(o.out, "on the data") < 1);
  done(&o);
}

/* Values that stand for missing ones, and times in ms: both with their place. */
static void broken_columns_are_told(void **state) {
  (void)state;
  writing w = usual;
  w.late = 1e300;
  rewrite("clean.csv", "broken.csv", &w);
  outcome o = run_here("identify wrong.urdf broken.csv");
  check_has(o.err, "broken.csv:502:5: column 'elbow.tau'");
  check_refused(o, 1, "row 501 has 1e+300");
  w = usual;
  w.per_time = 1000;
  rewrite("clean.csv", "milli.csv", &w);
  o = fine("identify wrong.urdf milli.csv");
  check_has(o.err, "milli.csv:1:1: warning: column 't'");
  check_has(o.err, "milliseconds?");
  done(&o);
  w = usual;
  w.shoulder = "sholder.tau";
  rewrite("clean.csv", "misspelt.csv", &w);
  o = fine("identify wrong.urdf misspelt.csv --links base"); /* of which no torque is expected */
  check_has(o.err, "did you mean 'shoulder.tau'?");
  check_lacks(o.err, "times as large");
  done(&o);
  o = fine("identify wrong.urdf data.csv --friction-speed 1e9");
  check_has(o.err, "cannot be told from viscous friction");
  done(&o);
  o = fine("identify wrong.urdf data.csv --bandwidth 0.01");
  check_has(o.err, "faster than the bandwidth of 0.01 Hz");
  done(&o);
  o = fine("identify wrong.urdf data.csv");
  check_lacks(o.err, "milliseconds");
  check_lacks(o.err, "bandwidth");
  done(&o);
}

/* Each option that leaves no rows names its own rule. */
static void options_without_rows(void **state) {
  (void)state;
  check_refused(run_here("identify wrong.urdf data.csv --cutoff 1e9"), 2, "half of the sampling rate of 200 Hz");
  check_refused(run_here("identify wrong.urdf data.csv --cutoff 0.01"), 2, "needs 300 s of data");
  check_refused(run_here("identify wrong.urdf data.csv --delay 100"), 2, "the data last 12 s");
  check_refused(run_here("identify wrong.urdf data.csv --outliers 0.0001"), 2, "--outliers 0.0001 leaves no rows");
  check_refused(run_here("identify wrong.urdf data.csv --gear elbow=1e300"), 2, "no drive has such a factor");
  outcome o = fine("identify wrong.urdf data.csv --prior 1e-30");
  check_has(o.err, "--prior 1e-30 is so small");
  done(&o);
}

/* Spikes are left out, and files are added to each other. */
static void several_files_and_outliers(void **state) {
  (void)state;
  char *text = read_file("data.csv"), *spiked = malloc(strlen(text) + 64), *line = text;
  assert_non_null(spiked);
  for (int r = 0; r < 1000; r++) line = strchr(line, '\n') + 1;
  size_t length = strcspn(line, "\n"), at = (size_t)(line - text) + length;
  while (text[at] != ',') at--; /* before the last number of the line */
  snprintf(spiked, strlen(text) + 64, "%.*s,900%s", (int)at, text, line + length);
  write_file("spiked.csv", spiked);
  outcome o = fine("identify wrong.urdf spiked.csv held.csv");
  check_has(o.out, "outliers");
  check_has(o.out, "from 2 files");
  assert_true(percentage(o.out, "on the data") < 1);
  done(&o);
  o = fine("identify wrong.urdf spiked.csv --outliers 0");
  assert_true(percentage(o.out, "on the data") > 3);
  done(&o);
  free(text);
  free(spiked);
}

static void base_parameters_alone(void **state) {
  (void)state;
  outcome o = fine("identify wrong.urdf data.csv --base-only --without rotor");
  check_has(o.out, "shoulder.viscous");
  check_has(o.out, "essential");
  check_lacks(o.out, "rotor");
  done(&o);
}

/* A payload: only the forearm, with the friction that is known. */
static void payload(void **state) {
  (void)state;
  write_arm("loaded.urdf", "3", "2.5", "0.4", "0.6");
  outcome o = fine("torque loaded.urdf motion.json --losses --rate 200 --out loaded.csv");
  done(&o);
  o = fine("identify true.urdf loaded.csv --links fore --without rotor,friction,offset --out found.urdf");
  assert_true(percentage(o.out, "on the data") < 0.1);
  done(&o);
  char *text = read_file("found.urdf");
  check_has(text, "<mass value='3'/>"); /* of the upper arm: untouched */
  free(text);
}

static void a_coupling(void **state) {
  (void)state;
  write_file("coupling.csv", "motor,shoulder,elbow\na,1,0\nb,1,1\n");
  outcome o = fine("identify wrong.urdf data.csv --coupling coupling.csv --out coupled.urdf");
  check_has(o.out, "a.viscous"); /* the names of the rows */
  check_has(o.out, "b.viscous");
  check_has(o.err, "no place in a robot file");
  done(&o);
  write_file("bad.csv", "motor,shoulder,wrist\na,1,0\n");
  check_refused(run_here("identify wrong.urdf data.csv --coupling bad.csv"), 2, "'wrist'");
}

/* A linkage with one motor: only its angle and torque are measured, the other joints follow. */
static void closed_loops(void **state) {
  (void)state;
  write_file("crank.json",
             "{\"duration\": 10, \"joints\": {\"motor\": {\"fourier\": {\"omega\": 1.3, \"cos\": [0.5, 0.3, -0.2], "
             "\"sin\": [0.4, 0.2, 0.3]}}}}");
  outcome o = fine("torque builtin:four_bar crank.json --order 0 --rate 100 --out crank.csv");
  done(&o);
  o = fine("identify builtin:four_bar crank.csv --report crank.html --out crank_new.json");
  assert_true(percentage(o.out, "on the data") < 0.05); /* that model made the data */
  const char *before = strstr(o.out, "(before");
  assert_non_null(before);
  assert_true(strtod(before + 7, NULL) < 0.05);
  check_has(o.out, "crank_pin.viscous");
  check_lacks(o.out, "crank_pin.rotor"); /* it has no motor */
  done(&o);
  o = fine("check --strict crank_new.json");
  done(&o);
  char *page = read_file("crank.html");
  check_has(page, "<polyline");
  free(page);
  o = fine("identify builtin:four_bar crank.json --foresee auto");
  check_has(o.out, "this motion tells");
  done(&o);
  write_file("blind.csv", "t,crank_pin,motor.tau\n0,0,1\n1,0,2\n2,0,3\n3,0,4\n4,1,2\n5,2,1\n6,1,0\n7,0,1\n8,0,0\n");
  o = run_here("identify builtin:four_bar blind.csv"); /* the motor's own angle is missing */
  check_refused(o, 1, "positions of the joints with motors");
}

/* A sensor under the base, and no torques: the rows of a table with the wrench of the true arm. */
static void a_wrench_without_torques(void **state) {
  (void)state;
  char *text = read_file("clean.csv"), *out = malloc(4000000);
  size_t used = 0;
  jn_table *t;
  jn_model *m;
  jn_work *w;
  jn_error error;
  assert_non_null(out);
  if (jn_load(in_directory("true.urdf"), NULL, &m, &error) != JN_OK) fail_msg("%s", error.text);
  assert_int_equal(jn_work_create(m, &w), JN_OK);
  assert_int_equal(jn_table_read(text, strlen(text), "clean.csv", NULL, &t, NULL), JN_OK);
  int link = jn_link_index(m, "upper");
  used += (size_t)sprintf(out, "t,shoulder,elbow,upper_mx,upper_my,upper_mz,upper_fx,upper_fy,upper_fz\n");
  for (int r = 0; r < jn_table_rows(t); r++) {
    double q[2], v[2], a[2], F[8][6];
    for (int i = 0; i < 2; i++) {
      q[i] = column(t, i ? "elbow" : "shoulder")[r];
      v[i] = column(t, i ? "elbow_d1" : "shoulder_d1")[r];
      a[i] = column(t, i ? "elbow_d2" : "shoulder_d2")[r];
    }
    assert_int_equal(jn_joint_wrenches(m, w, q, v, a, NULL, F[0]), JN_OK);
    used += (size_t)sprintf(out + used, "%.9g,%.12g,%.12g", column(t, "t")[r], q[0], q[1]);
    for (int k = 0; k < 6; k++) used += (size_t)sprintf(out + used, ",%.12g", F[link][k]);
    out[used++] = '\n';
  }
  out[used] = 0;
  write_file("sensor.csv", out);
  outcome o = fine("identify wrong.urdf sensor.csv --wrench-sensor upper --validate sensor.csv --report sensor.html");
  assert_true(percentage(o.out, "on the data") < 0.5);
  check_has(o.out, "upper_fz");
  check_lacks(o.err, "upper_fz"); /* a column that is known */
  done(&o);
  o = fine("identify wrong.urdf data.csv --scales --links upper"); /* the forearm is known (and wrong) */
  check_has(o.out, "shoulder.scale");
  done(&o);
  jn_table_destroy(t);
  jn_work_destroy(w);
  jn_model_destroy(m);
  free(text);
  free(out);
}

/* Before there are torques. */
static void foreseeing(void **state) {
  (void)state;
  outcome o = fine("identify wrong.urdf motion.json --foresee auto");
  check_has(o.out, "this motion tells 1");
  check_has(o.out, "shoulder.viscous");
  check_lacks(o.out, "not told");
  done(&o);
  write_file(
      "still.json",
      "{\"duration\": 5, \"joints\": {\"shoulder\": {\"cosine\": {\"amplitude\": 1, \"omega\": 2}}, \"elbow\": 0.3}}");
  o = fine("identify wrong.urdf still.json --foresee 0.1");
  const char *row = strstr(o.out, "elbow.viscous");
  assert_non_null(row);
  char line[200];
  snprintf(line, sizeof line, "%.*s", (int)strcspn(row, "\n"), row);
  check_has(line, "not told");
  check_has(line + strlen("elbow.viscous"), "elbow"); /* should move more */
  done(&o);
  check_refused(run_here("identify wrong.urdf motion.json --foresee much"), 2, "--foresee");

  /* A parameter whose value is zero, here the first moment along x of a rod along z, is well determined if it hardly
   * changes the torques. */
  write_file("swing.json",
             "{\"duration\": 20, \"joints\": {\"shoulder\": {\"cosine\": {\"amplitude\": 1, \"omega\": 2}}, "
             "\"elbow\": {\"cosine\": {\"amplitude\": 1.2, \"omega\": 3.1}}}}");
  o = fine("identify builtin:double_pendulum swing.json --foresee auto");
  row = strstr(o.out, "lower.hx");
  assert_non_null(row);
  snprintf(line, sizeof line, "%.*s", (int)strcspn(row, "\n"), row);
  check_lacks(line, "hardly");
  done(&o);
}

static void wrong_use(void **state) {
  (void)state;
  check_refused(run_here("identify wrong.urdf"), 2, "DATA");
  check_refused(run_here("identify wrong.urdf data.csv --out data.txt"), 2, "must end in");
  check_refused(run_here("identify wrong.urdf data.csv --out wrong.urdf"), 2, "is read");
  check_refused(run_here("identify wrong.urdf data.csv --base-only --out x.urdf"), 2, "--base-only");
  check_refused(run_here("identify wrong.urdf data.csv --without mass"), 2, "'mass'");
  check_refused(run_here("identify wrong.urdf data.csv --prior 0"), 2, "positive");
  check_refused(run_here("identify wrong.urdf data.csv --gear wrist=3"), 2, "wrist");
  check_refused(run_here("identify wrong.urdf data.csv --actuated elbow"), 2, "loops");
  check_refused(run_here("identify wrong.urdf data.csv --wrench-sensor wrist"), 2, "no such link");
  check_refused(run_here("identify wrong.urdf data.csv --wrench-sensor base --contacts"), 2, "--contacts");
  check_refused(run_here("identify wrong.urdf data.csv --wrench-sensor base"), 1, "no column of wrenches");
  check_refused(run_here("identify wrong.urdf data.csv --scales"), 1, "next to something that is known");
  outcome o = run_here("identify wrong.urdf none.csv");
  assert_int_equal(o.code, 1);
  check_has(o.err, "none.csv");
  done(&o);
  write_file("no_torque.csv", "t,shoulder,elbow\n0,0,0\n1,1,1\n2,0,1\n3,1,0\n4,2,1\n5,1,1\n6,0,0\n7,1,2\n");
  o = run_here("identify wrong.urdf no_torque.csv");
  assert_int_equal(o.code, 1);
  check_has(o.err, "no column of joint forces");
  done(&o);
  write_file("open.csv", "t,shoulder,elbow,elbow.tau [N m\n0,0,0,0\n1,1,1,0\n2,0,1,0\n3,1,0,0\n4,2,1,0\n5,1,1,0\n");
  o = run_here("identify wrong.urdf open.csv");
  assert_int_equal(o.code, 1);
  check_has(o.err, "column 'elbow.tau [N m': its bracket '[' is not closed");
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_data),
      cmocka_unit_test(the_file_keeps_all_else),
      cmocka_unit_test(the_report_is_harmless),
      cmocka_unit_test(units_are_understood),
      cmocka_unit_test(doubts_are_told),
      cmocka_unit_test(senseless_data_are_told),
      cmocka_unit_test(wrong_signs_are_told),
      cmocka_unit_test(broken_columns_are_told),
      cmocka_unit_test(options_without_rows),
      cmocka_unit_test(several_files_and_outliers),
      cmocka_unit_test(base_parameters_alone),
      cmocka_unit_test(payload),
      cmocka_unit_test(a_coupling),
      cmocka_unit_test(closed_loops),
      cmocka_unit_test(a_wrench_without_torques),
      cmocka_unit_test(foreseeing),
      cmocka_unit_test(wrong_use),
  };
  return cmocka_run_group_tests(tests, make_files, remove_directory);
}
