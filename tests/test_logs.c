/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw logs as controllers write them: 5 kHz, encoder steps, noisy torques, friction, a sensor that jumps, rows that do
 * not parse, angles that wrap, positions of motors. */
#include "support/running.h"

#include <math.h>

enum { JOINTS = 7, SEED = 11 };

static const double pi = 3.14159265358979323846;
static const double encoder_step = 1.2e-5, torque_noise = 0.02; /* [rad]; of the largest torque */

/* Drives of the Panda, which its model does not have: rotor [kg m^2], viscous [N m s/rad], Coulomb [N m]. */
static const double drives[JOINTS][3] = {{0.6, 4, 5},     {0.6, 4, 5},     {0.5, 3, 4},    {0.5, 3, 4},
                                         {0.2, 1.2, 1.5}, {0.2, 1.2, 1.5}, {0.1, 0.8, 0.9}};

/* What is wrong with a log. */
typedef struct fault {
  int joint;         /* whose positions jump; -1: none */
  double jump;       /* [rad] */
  int from, to;      /* rows */
  int average;       /* this many rows become one */
  double ripple;     /* amplitude of a torque ripple that no model has, of the largest torque */
  double ripple_low; /* [Hz] from here to twice that */
} fault;

static outcome fine(const char *arguments) {
  outcome o = run_here(arguments);
  if (o.code != 0) fail_msg("jounce %s: status %d\n%s%s", arguments, o.code, o.out, o.err);
  return o;
}

static const double *column(const jn_table *t, const char *format, int joint) {
  char name[64];
  snprintf(name, sizeof name, format, joint + 1);
  for (int c = 0; c < jn_table_columns(t); c++)
    if (strcmp(jn_table_name(t, c), name) == 0) return jn_table_values(t, c);
  fail_msg("no column %s", name);
  return NULL;
}

/* Nearly normal numbers of deviation one. */
static double normal(uint64_t *state) {
  double sum = -6;
  for (int k = 0; k < 12; k++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += (double)(*state >> 11) * 0x1p-53;
  }
  return sum;
}

/* The columns of one joint: measured positions and torques. */
static void measure(const jn_table *t, int joint, const fault *f, uint64_t *state, double *q, double *tau) {
  const double *x = column(t, "panda_joint%d", joint), *v = column(t, "panda_joint%d_d1", joint);
  const double *a = column(t, "panda_joint%d_d2", joint), *torque = column(t, "panda_joint%d.tau", joint);
  const double *time = column(t, "t", 0), *drive = drives[joint];
  double largest = 0, lines[8], phases[8];
  for (int k = 0; k < 8; k++) lines[k] = f->ripple_low * (1 + k / 8.0), phases[k] = 7.0 * k * k + joint;

  for (int r = 0; r < jn_table_rows(t); r++) {
    tau[r] = torque[r] + drive[0] * a[r] + drive[1] * v[r] + drive[2] * tanh(v[r] / 0.02);
    largest = fmax(largest, fabs(tau[r]));
    q[r] = x[r] + 0.3 * encoder_step * normal(state);
    if (joint == f->joint && r >= f->from && r < f->to) q[r] += f->jump;
    q[r] = encoder_step * round(q[r] / encoder_step);
  }
  for (int r = 0; r < jn_table_rows(t); r++) {
    tau[r] += torque_noise * largest * normal(state);
    for (int k = 0; k < 8 && f->ripple > 0; k++)
      tau[r] += 0.35 * f->ripple * largest * sin(2 * pi * lines[k] * time[r] + phases[k]);
  }
}

/* A log of the exact motion and torques in `from`, with the faults. */
static void write_log(const char *from, const char *to, const fault *f) {
  char *text = read_file(from);
  uint64_t state = SEED;
  jn_table *t;
  assert_int_equal(jn_table_read(text, strlen(text), from, NULL, &t, NULL), JN_OK);
  size_t rows = (size_t)jn_table_rows(t), each = f->average ? (size_t)f->average : 1, used = 0;
  const double *time = column(t, "t", 0);
  double *all = malloc(2 * JOINTS * rows * sizeof *all);
  char *out = malloc(rows * 16 * 20 + 1000);
  assert_non_null(all);
  assert_non_null(out);
  for (int i = 0; i < JOINTS; i++)
    measure(t, i, f, &state, all + 2 * (size_t)i * rows, all + (2 * (size_t)i + 1) * rows);

  /* The header, then rows, or averages over some of them. */
  used += (size_t)sprintf(out, "t");
  for (int i = 1; i <= JOINTS; i++) used += (size_t)sprintf(out + used, ",panda_joint%d,panda_joint%d.tau", i, i);
  out[used++] = '\n';
  for (size_t r = 0; r + each <= rows; r += each) {
    used += (size_t)sprintf(out + used, "%.9g", 0.5 * (time[r] + time[r + each - 1]));
    for (size_t c = 0; c < 2 * JOINTS; c++) {
      double sum = 0;
      for (size_t k = 0; k < each; k++) sum += all[c * rows + r + k] / (double)each;
      used += (size_t)sprintf(out + used, ",%.9g", sum);
    }
    out[used++] = '\n';
  }
  out[used] = 0;

  write_file(to, out);
  jn_table_destroy(t);
  free(text);
  free(all);
  free(out);
}

/* Fourier series about the middle of the Panda's range. */
static void write_motion(const char *name, double omega, double duration) {
  static const double middle[JOINTS] = {0, 0, 0, -1.6, 0, 1.8, 0};
  char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, "{\"duration\": %g, \"joints\": {", duration);
  for (int i = 0; i < JOINTS; i++)
    used += (size_t)snprintf(
        text + used, sizeof text - used,
        "%s\"panda_joint%d\": {\"fourier\": {\"omega\": %g, \"offset\": %g, \"cos\": [%g, %g, %g], \"sin\": [%g, %g, "
        "%g]}}",
        i ? ", " : "", i + 1, omega, middle[i], 0.4 * cos(2.0 * i), 0.2 * cos(3.0 * i + 1), 0.1 * cos(5.0 * i),
        0.4 * sin(2.0 * i), 0.2 * sin(3.0 * i + 1), 0.1 * sin(5.0 * i));
  snprintf(text + used, sizeof text - used, "}}");
  write_file(name, text);
}

static int make_files(void **state) {
  if (make_directory(state) != 0) return -1;
  print_message("seed %d\n", SEED);
  write_motion("motion.json", 1.8, 5);
  write_motion("other.json", 1.5, 3);
  outcome o = fine("torque builtin:panda motion.json --rate 5000 --out exact.csv");
  done(&o);
  o = fine("torque builtin:panda other.json --rate 5000 --out other.csv");
  done(&o);
  write_log("other.csv", "held.csv", &(fault){.joint = -1, .average = 5});
  return 0;
}

static double number_after(const char *text, const char *words) {
  const char *at = strstr(text, words);
  if (!at) fail_msg("no '%s' in:\n%.3000s", words, text);
  return strtod(at + strlen(words), NULL);
}

/* The value after in a row "NAME   before   after" of a table. */
static double parameter(const char *text, const char *name) {
  const char *at = strstr(text, name);
  if (!at) fail_msg("no '%s' in:\n%.3000s", name, text);
  char *end;
  strtod(at + strlen(name), &end);
  return strtod(end, NULL);
}

/* Filter [Hz], residual on the file held back [%], and the largest relative error of the rotors. */
typedef struct found {
  double filter, held, rotors;
} quality;

static quality identify(const char *log, const char *more) {
  char line[256];
  snprintf(line, sizeof line, "identify builtin:panda %s --validate held.csv %s", log, more);
  outcome o = fine(line);
  quality f = {number_after(o.out, "filter           "), number_after(o.out, "validation file held.csv: "), 0};
  for (int i = 0; i < JOINTS; i++) {
    char name[64];
    snprintf(name, sizeof name, "panda_joint%d.rotor", i + 1);
    f.rotors = fmax(f.rotors, fabs(parameter(o.out, name) / drives[i][0] - 1));
  }
  print_message("%s %s: filter %.3g Hz, held back %.3g %%, rotors within %.2g\n", log, more, f.filter, f.held,
                f.rotors);
  done(&o);
  return f;
}

/* The same filter and parameters from 5 kHz with a jump as from averages at 1 kHz without one. */
static void a_jump_does_not_choose_the_filter(void **state) {
  (void)state;
  write_log("exact.csv", "averaged.csv", &(fault){.joint = -1, .average = 5});
  write_log("exact.csv", "jump.csv", &(fault){.joint = 2, .jump = 4e-4, .from = 13000, .to = 1 << 30});
  write_log("exact.csv", "glitch.csv", &(fault){.joint = 4, .jump = 0.02, .from = 9000, .to = 9002});
  quality good = identify("averaged.csv", ""), jump = identify("jump.csv", ""), glitch = identify("glitch.csv", "");
  assert_true(good.rotors < 0.2);
  assert_true(jump.filter < 1.3 * good.filter && jump.filter > good.filter / 1.3);
  assert_true(glitch.filter < 1.3 * good.filter && glitch.filter > good.filter / 1.3);
  assert_true(jump.held < 1.1 * good.held);
  assert_true(glitch.held < 1.1 * good.held);
  assert_true(jump.rotors < good.rotors + 0.1);
  assert_true(glitch.rotors < good.rotors + 0.1);
}

/* A torque ripple that no model has, above the frequencies of the motion: a lower filter leaves it out. */
static void a_simpler_filter_that_validates_better_is_taken(void **state) {
  (void)state;
  write_motion("long.json", 1.8, 20);
  outcome o = fine("torque builtin:panda long.json --rate 250 --out long.csv");
  done(&o);
  write_log("long.csv", "ripple.csv", &(fault){.joint = -1, .ripple = 0.5, .ripple_low = 3.2});
  o = fine("identify builtin:panda ripple.csv --base-only");
  check_has(o.out, "validates better than");
  double chosen = number_after(o.out, "filter           "), first = number_after(o.out, "validates better than ");
  assert_true(chosen < 0.6 * first);
  done(&o);
}

/* Positions of the Panda at 2 kHz in which one column is spoiled, whichever that is and however much. */
static jn_trajectory *spoil(const jn_model *model, int joint, double jump, int length) {
  enum { ROWS = 4000 };
  double *t = malloc(ROWS * (1 + 2 * JOINTS) * sizeof *t), *q = t + ROWS, *forces = q + ROWS * JOINTS;
  uint64_t noise = SEED;
  jn_trajectory_options options;
  jn_trajectory *motion;
  jn_error error;
  assert_non_null(t);
  for (int r = 0; r < ROWS; r++) {
    t[r] = r / 2000.0;
    for (int i = 0; i < JOINTS; i++) {
      double x = 0.5 * sin((3 + 0.3 * i) * t[r] + i) + 0.1 * encoder_step * normal(&noise);
      if (i == joint && r >= 1700 && r < 1700 + length) x += jump;
      q[r * JOINTS + i] = encoder_step * round(x / encoder_step);
      forces[r * JOINTS + i] = 0;
    }
  }
  jn_trajectory_options_init(&options);
  options.order = 1;
  options.bandwidth = options.lowpass = 50;
  if (jn_trajectory_fit(model, ROWS, t, q, &options, &motion, &error) != JN_OK) fail_msg("%s", error.text);
  assert_int_equal(jn_trajectory_set_forces(motion, ROWS, t, forces), JN_OK);
  free(t);
  return motion;
}

static void no_single_column_decides_on_the_cutoff(void **state) {
  (void)state;
  jn_model *model;
  jn_identification *d;
  assert_int_equal(jn_load("builtin:panda", NULL, &model, NULL), JN_OK);
  assert_int_equal(jn_identification_create(model, NULL, &d, NULL), JN_OK);
  jn_trajectory *good = spoil(model, -1, 0, 0);
  double usual = jn_identification_cutoff(d, good), jump = 1e-4;
  jn_trajectory_destroy(good);
  assert_true(usual > 3 && usual < 10); /* eight times 0.48 ... 0.76 Hz */

  for (int joint = 0; joint < JOINTS; joint++, jump *= 3) {
    static const int lengths[] = {1, 20, 1 << 20}; /* rows: a spike, a burst, a jump that stays */
    for (int k = 0; k < 3; k++) {
      jn_trajectory *motion = spoil(model, joint, jump, lengths[k]);
      double cutoff = jn_identification_cutoff(d, motion);
      if (!(cutoff < 2 * usual))
        fail_msg("joint %d, jump %g for %d rows: %g Hz, usual %g Hz", joint, jump, lengths[k], cutoff, usual);
      jn_trajectory_destroy(motion);
    }
  }
  jn_identification_destroy(d);
  jn_model_destroy(model);
}

/* ---- Rows, angles and motors of logs, for a small robot ---- */

static const char swing[] =
    "{\"duration\": 4, \"joints\": {\"shoulder\": {\"fourier\": {\"omega\": 2, \"sin\": [4, 0.3]}}, \"elbow\": "
    "{\"fourier\": {\"omega\": 2.5, \"cos\": [0.8, 0.4]}}}}";

static const char arm[] =
    "<robot name='arm'><link name='base'/>"
    "<link name='upper'><inertial><origin xyz='0 0 0.2'/><mass value='2'/><inertia ixx='0.05' iyy='0.05' izz='0.02' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='fore'><inertial><origin xyz='0 0 0.15'/><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.005' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='shoulder' type='revolute'><axis xyz='0 1 0'/><limit lower='-9' upper='9' velocity='99' effort='99'/>"
    "<parent link='base'/><child link='upper'/></joint>"
    "<joint name='elbow' type='revolute'><axis xyz='0 1 0'/><origin xyz='0 0 0.4'/><limit lower='-3' upper='3' "
    "velocity='99' effort='99'/><parent link='upper'/><child link='fore'/></joint></robot>";

/* The log of the swing; how each row is written. */
typedef void row_writer(int row, double t, const double q[2], const double tau[2], char *line);

static void write_rows(const char *name, const char *header, row_writer *writer) {
  jn_table *t = read_csv("swing.csv");
  size_t rows = (size_t)jn_table_rows(t), used;
  char *out = malloc(rows * 200 + 200);
  assert_non_null(out);
  used = (size_t)sprintf(out, "%s\n", header);
  const char *const names[] = {"t", "shoulder", "elbow", "shoulder.tau", "elbow.tau"};
  const double *x[5];
  for (int k = 0; k < 5; k++)
    for (int c = 0; c < jn_table_columns(t); c++)
      if (strcmp(jn_table_name(t, c), names[k]) == 0) x[k] = jn_table_values(t, c);
  for (size_t r = 0; r < rows; r++) {
    double q[2] = {x[1][r], x[2][r]}, tau[2] = {x[3][r], x[4][r]};
    writer((int)r, x[0][r], q, tau, out + used);
    used += strlen(out + used);
  }
  write_file(name, out);
  jn_table_destroy(t);
  free(out);
}

static void plain(int row, double t, const double q[2], const double tau[2], char *line) {
  (void)row;
  sprintf(line, "%.12g,%.12g,%.12g,%.12g,%.12g\n", t, q[0], q[1], tau[0], tau[1]);
}

static void broken(int row, double t, const double q[2], const double tau[2], char *line) {
  plain(row, t, q, tau, line);
  if (row == 100) sprintf(line, "%.12g,nan,%.12g,%.12g,%.12g\n", t, q[1], tau[0], tau[1]);
  if (row == 200) sprintf(line, "%.12g,%.12g\n", t, q[0]);
  if (row == 300) sprintf(line, "%.12g,%.12g,lost,%.12g,%.12g\n", t, q[0], tau[0], tau[1]);
  if (row == 400) sprintf(line, "%.12g,%.12g,%.12g,,%.12g\n", t, q[0], q[1], tau[1]);
}

static void wrapped(int row, double t, const double q[2], const double tau[2], char *line) {
  const double turned[2] = {q[0] - 2 * pi * floor((q[0] + pi) / (2 * pi)), q[1]};
  plain(row, t, turned, tau, line);
}

/* theta = G q + zero with G = (50, 0; 20, -30), tau_joint = G^T tau_motor. */
static void of_motors(int row, double t, const double q[2], const double tau[2], char *line) {
  const double theta[2] = {50 * q[0] + 7, 20 * q[0] - 30 * q[1]};
  const double motors[2] = {(tau[0] + 20 * tau[1] / 30) / 50, -tau[1] / 30};
  plain(row, t, theta, motors, line);
}

static void make_swing(void) {
  if (exists("swing.csv")) return;
  write_file("arm.urdf", arm);
  write_file("swing.json", swing);
  outcome o = fine("torque arm.urdf swing.json --rate 250 --out swing.csv");
  done(&o);
  write_rows("plain.csv", "t,shoulder,elbow,shoulder.tau,elbow.tau", plain);
  write_rows("broken.csv", "t,shoulder,elbow,shoulder.tau,elbow.tau", broken);
  write_rows("wrapped.csv", "t,shoulder,elbow,shoulder.tau,elbow.tau", wrapped);
  write_rows("motors.csv", "t,m1,m2,m1.tau,m2.tau", of_motors);
  write_rows("slots.csv", "t,shoulder [rad],elbow [rad],shoulder.tau,elbow.tau", of_motors);
  write_file("motors.table", "motor,shoulder,elbow,zero\nm1,50,0,7\nm2,20,-30,0\n");
  write_file("singular.table", "motor,shoulder,elbow\nm1,1,1\nm2,2,2\n");
}

/* The largest difference of torques that jounce torque computes from two logs; `skipped` rows are not there. */
static void check_same_torques(const char *log, const char *options, double tolerance) {
  char line[256];
  jn_table *wanted = read_csv("swing.csv");
  snprintf(line, sizeof line, "torque arm.urdf %s %s --out again.csv", log, options);
  outcome o = fine(line);
  done(&o);
  jn_table *found = read_csv("again.csv");
  for (int r = 0, w = 0; r < jn_table_rows(found); r++, w++) {
    while (fabs(jn_table_values(wanted, 0)[w] - jn_table_values(found, 0)[r]) > 1e-9) w++;
    for (int c = 0; c < jn_table_columns(found); c++) {
      double x = jn_table_values(found, c)[r], y = jn_table_values(wanted, c)[w];
      if (strstr(jn_table_name(found, c), ".tau_d") || strstr(jn_table_name(found, c), "_d")) continue;
      if (!(fabs(x - y) < tolerance))
        fail_msg("%s: column %s, row %d: %g, not %g", line, jn_table_name(found, c), r, x, y);
    }
  }
  jn_table_destroy(wanted);
  jn_table_destroy(found);
}

static void bad_rows_are_skipped_counted_and_named(void **state) {
  (void)state;
  make_swing();
  check_refused(run_here("torque arm.urdf broken.csv"), 1, "--skip-bad");
  outcome o = fine("torque arm.urdf broken.csv --skip-bad");
  check_has(o.err, "4 of 1001 rows are left out: lines 102, 202, 302, 402");
  check_has(o.err, "first: column 'shoulder' has no finite number");
  done(&o);
  check_same_torques("broken.csv", "--skip-bad", 1e-3);
  o = fine("identify arm.urdf broken.csv --skip-bad --base-only");
  check_has(o.err, "4 of 1001 rows are left out");
  done(&o);
  check_says("torque arm.urdf broken.csv --skip-bad --strict", 1, "4 of 1001 rows are left out");
}

static void full_turns_are_unwrapped_on_request(void **state) {
  (void)state;
  make_swing();
  outcome o = run_here("torque arm.urdf wrapped.csv");
  check_has(o.err, "jumps by a full turn");
  check_has(o.err, "--unwrap");
  done(&o);
  o = fine("torque arm.urdf wrapped.csv --unwrap");
  check_has(o.err, "the angle is unwrapped");
  done(&o);
  check_same_torques("wrapped.csv", "--unwrap", 1e-6);
}

static void positions_of_motors_become_those_of_joints(void **state) {
  (void)state;
  make_swing();
  check_same_torques("motors.csv", "--motor-positions motors.table", 1e-6);
  check_same_torques("slots.csv", "--motor-positions motors.table", 1e-6);
  outcome o = fine("identify arm.urdf plain.csv --base-only");
  double wanted = number_after(o.out, "residual / torque on the data: ");
  done(&o);
  o = fine(
      "identify arm.urdf motors.csv --motor-positions motors.table --coupling motors.table --motor-torques "
      "--base-only");
  double found = number_after(o.out, "residual / torque on the data: ");
  assert_true(wanted < 0.1 && found < 0.1);
  done(&o);
  check_says("torque arm.urdf motors.csv --motor-positions singular.table", 1, "no inverse");
  write_file("half.csv", "t,m1\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,8\n7,9\n");
  check_says("torque arm.urdf half.csv --missing neutral --motor-positions motors.table", 1,
             "motor 'm2': has no column");
  write_file("three.table", "motor,shoulder,elbow\na,1,0\nb,0,1\nc,1,1\n");
  check_says("torque arm.urdf motors.csv --motor-positions three.table", 2, "as many motors as joints");
}

/* What is faster than the low-pass goes, what is slower stays, and both are told. */
static void a_lowpass_takes_fast_parts_away(void **state) {
  (void)state;
  write_file("hum.json",
             "{\"duration\": 4, \"joints\": {\"shoulder\": {\"fourier\": {\"omega\": 2, \"sin\": [1]}}, "
             "\"elbow\": {\"fourier\": {\"omega\": 2, \"cos\": [0.8]}}}}");
  make_swing();
  outcome o = fine("torque arm.urdf hum.json --rate 500 --out hum.csv");
  done(&o);
  jn_table *t = read_csv("hum.csv");
  char *out = malloc(200000);
  assert_non_null(out);
  size_t used = (size_t)sprintf(out, "t,shoulder,elbow\n");
  for (int r = 0; r < jn_table_rows(t); r++) { /* 1e-3 rad of 60 Hz, and the motion */
    double time = jn_table_values(t, 0)[r];
    used += (size_t)sprintf(out + used, "%.9g,%.12g,%.12g\n", time, sin(2 * time) + 1e-3 * sin(2 * pi * 60 * time),
                            0.8 * cos(2 * time));
  }
  write_file("humming.csv", out);
  free(out);
  jn_table_destroy(t);
  o = fine("torque arm.urdf humming.csv --lowpass 15 --range 0.5,3.5 --out quiet.csv");
  check_has(o.err, "the low-pass of 15 Hz smooths 1 column, most of 'shoulder': up to 0.001");
  done(&o);
  t = read_csv("quiet.csv");
  for (int r = 0; r < jn_table_rows(t); r++) {
    double time = jn_table_values(t, 0)[r];
    assert_true(fabs(jn_table_values(t, 1)[r] - sin(2 * time)) < 5e-5);
  }
  jn_table_destroy(t);
  o = fine("torque arm.urdf humming.csv --lowpass 0.01");
  check_has(o.err, "a higher --lowpass keeps it");
  done(&o);
  check_says("torque arm.urdf humming.csv --lowpass -1", 2, "--lowpass takes one positive number");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_jump_does_not_choose_the_filter),
      cmocka_unit_test(a_simpler_filter_that_validates_better_is_taken),
      cmocka_unit_test(no_single_column_decides_on_the_cutoff),
      cmocka_unit_test(bad_rows_are_skipped_counted_and_named),
      cmocka_unit_test(full_turns_are_unwrapped_on_request),
      cmocka_unit_test(positions_of_motors_become_those_of_joints),
      cmocka_unit_test(a_lowpass_takes_fast_parts_away),
  };
  return cmocka_run_group_tests(tests, make_files, remove_directory);
}
