/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of trajectory files under the names that programs and people give them: each file must give the same motion
 * as the one with plain names, say what it took for what, and refuse what is unclear. */
#include "testing.h"

enum { ROWS = 40 };

/* Two joints, elbow and shoulder; positions are their own functions of time, so that a mix-up shows. */
static double shoulder(double t) { return 0.5 * sin(2 * t); }
static double elbow(double t) { return 0.3 * cos(3 * t) - 1; }

static jn_model *robot_with(jn_joint_type elbow_type) {
  jn_model *m;
  jn_error error;
  jn_builder *b;
  check_ok(jn_builder_create(NULL, &b));
  const char *links[] = {"upper", "fore"}, *joints[] = {"shoulder", "elbow"};
  for (int i = 0; i < 2; i++) {
    jn_link l;
    jn_link_init(&l);
    l.name = links[i];
    l.parent = i ? links[0] : NULL;
    l.joint.type = i ? elbow_type : JN_REVOLUTE;
    l.joint.name = joints[i];
    l.inertia[0] = 1;
    l.inertia[4] = l.inertia[5] = l.inertia[6] = 1;
    check_ok(jn_builder_add_link(b, &l));
  }
  jn_status status = jn_builder_freeze(b, &m, &error);
  if (status != JN_OK) fail_msg("%s", error.text);
  jn_builder_destroy(b);
  return m;
}

static jn_model *robot(void) { return robot_with(JN_REVOLUTE); }

/* A table: the header, then rows in which %t %s %e %S %E stand for time, positions and velocities, %n for the number of
 * the row. */
static char *table(const char *header, const char *row, double start, double scale) {
  char *text = malloc(1 << 16), *p = text;
  assert_non_null(text);
  p += sprintf(p, "%s\n", header);
  for (int r = 0; r < ROWS; r++) {
    double t = 0.025 * r;
    for (const char *s = row; *s; s++) {
      if (*s != '%') {
        *p++ = *s;
        continue;
      }
      switch (*++s) {
        case 't':
          p += sprintf(p, "%.20g", (start + t) * scale);
          break;
        case 's':
          p += sprintf(p, "%.17g", shoulder(t));
          break;
        case 'e':
          p += sprintf(p, "%.17g", elbow(t));
          break;
        case 'S':
          p += sprintf(p, "%.17g", cos(2 * t));
          break;
        case 'E':
          p += sprintf(p, "%.17g", -0.9 * sin(3 * t));
          break;
        default:
          p += sprintf(p, "%d", r);
      }
    }
    *p++ = '\n';
  }
  *p = 0;
  return text;
}

typedef struct read_result {
  jn_trajectory *trajectory;
  jn_report *report;
  jn_status status;
  jn_error error;
} read_result;

static read_result read_columns(const jn_model *m, const char *text, const char *const *columns, int count) {
  read_result r = {0};
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.report = r.report = jn_report_create(NULL);
  o.smoothing = JN_SMOOTH_NONE;
  o.columns = columns;
  o.column_count = count;
  r.status = jn_trajectory_load_text(m, text, strlen(text), "x.csv", &o, &r.trajectory, &r.error);
  return r;
}

static void drop(read_result *r) {
  jn_trajectory_destroy(r->trajectory);
  jn_report_destroy(r->report);
}

static int count_rule(const read_result *r, const char *rule) {
  int n = 0;
  for (int i = 0; i < jn_report_count(r->report); i++) n += strcmp(jn_report_message(r->report, i)->rule, rule) == 0;
  return n;
}

/* The motion is the one above, counted from `start`; `notes` columns were renamed. */
static void check_motion(const char *header, const char *row, double start, double scale, const char *const *columns,
                         int count, int notes) {
  jn_model *m = robot();
  char *text = table(header, row, start, scale);
  read_result r = read_columns(m, text, columns, count);
  if (r.status != JN_OK) fail_msg("%s\n%s", r.error.text, header);
  for (double t = 0.1; t < 0.9; t += 0.1) {
    double q[2], at = start < 1e8 ? start + t : t; /* stamps of a clock: from the first one */
    check_ok(jn_trajectory_evaluate(r.trajectory, at, 0, q, NULL));
    check(fabs(q[0] - shoulder(t)) < 1e-5 && fabs(q[1] - elbow(t)) < 1e-5, "%s: q = %g, %g instead of %g, %g", header,
          q[0], q[1], shoulder(t), elbow(t));
  }
  if (count_rule(&r, "column-name") != notes)
    fail_msg("%s: %d notes instead of %d", header, count_rule(&r, "column-name"), notes);
  drop(&r);
  free(text);
  jn_model_destroy(m);
}

static void check_refused(const char *header, const char *row, const char *const *columns, int count,
                          const char *words) {
  jn_model *m = robot();
  char *text = table(header, row, 0, 1);
  read_result r = read_columns(m, text, columns, count);
  if (r.status == JN_OK) fail_msg("was read: %s", header);
  if (!strstr(r.error.text, words)) fail_msg("'%s' is not in: %s", words, r.error.text);
  drop(&r);
  free(text);
  jn_model_destroy(m);
}

/* ---- As programs write them ---- */

static void exports_are_understood(void **state) {
  (void)state;
  static const struct {
    const char *header, *row;
    int notes;
  } files[] = {
      {"t,shoulder,elbow", "%t,%s,%e", 0},
      {"elbow,time,shoulder", "%e,%t,%s", 0},
      /* PlotJuggler */
      {"__time,/joint_states/elbow/position,/joint_states/elbow/velocity,/joint_states/shoulder/position",
       "%t,%e,%E,%s", 4},
      {"__time,/arm/joint_states/shoulder/position,/arm/joint_states/elbow/position,/arm/joint_states/elbow/effort",
       "%t,%s,%e,7", 3},
      {"__time,/joint_states/header/stamp,/joint_states/elbow/position,/joint_states/shoulder/position,note",
       "%t,1,%e,%s,hello", 3},
      /* with names beside arrays */
      {"__time,/joint_states/name[0],/joint_states/name[1],/joint_states/position[0],/joint_states/position[1]",
       "%t,elbow,shoulder,%e,%s", 3},
      {"%time,field.header.seq,field.name0,field.name1,field.position0,field.position1,field.velocity0,field.velocity1,"
       "field.effort0",
       "%t,%n,elbow,shoulder,%e,%s,%E,%S,0", 5},
      {"t,name_0,name_1,name_2,position_0,position_1,position_2", "%t,elbow,finger,shoulder,%e,9,%s", 2},
      /* other orders of the words */
      {"t,joint_states.elbow.position,joint_states.shoulder.position", "%t,%e,%s", 2},
      {"t,/joint_states/position/elbow,/joint_states/position/shoulder", "%t,%e,%s", 2},
      {"t,elbow_position,shoulder_position,elbow_velocity", "%t,%e,%s,%E", 3},
      {"t,pos_elbow,pos_shoulder,vel_elbow,tau_elbow", "%t,%e,%s,%E,3", 3},
      /* a controller's state */
      {"t,/c/desired/elbow/position,/c/desired/shoulder/position,/c/actual/elbow/position,/c/actual/shoulder/position",
       "%t,1,2,%e,%s", 2},
      /* numbers */
      {"t,q0,q1", "%t,%s,%e", 2},
      {"t,q_0,q_1,dq_0,dq_1", "%t,%s,%e,%S,%E", 4},
      {"t,joint1,joint2", "%t,%s,%e", 2},
      {"t,q[0],q[1],qd[0],qd[1]", "%t,%s,%e,%S,%E", 4},
      {"t,J2,J1,joint1_torque", "%t,%e,%s,5", 2},
      {"t,joint_1_pos,joint_2_pos,joint_1_vel,joint_2_vel", "%t,%s,%e,%S,%E", 4},
      /* units go on */
      {"t [s],elbow_position [rad],shoulder_position [rad]", "%t,%e,%s", 2}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    check_motion(files[i].header, files[i].row, 0, 1, NULL, 0, files[i].notes);
}

static void clocks_are_understood(void **state) {
  (void)state;
  check_motion("__time,elbow,shoulder", "%t,%e,%s", 1000, 1, NULL, 0, 1);
  check_motion("%time,elbow,shoulder", "%t,%e,%s", 1e9, 1e9, NULL, 0, 1);
  check_motion("timestamp,elbow,shoulder", "%t,%e,%s", 1e9, 1e9, NULL, 0, 0);
  check_motion("t,elbow,shoulder", "%t,%e,%s", 1e9, 1e6, NULL, 0, 0);
  check_motion("t,elbow,shoulder", "%t,%e,%s", 1e9, 1e3, NULL, 0, 0);
  check_motion("/joint_states/header/stamp,elbow,shoulder", "%t,%e,%s", 5, 1, NULL, 0, 1);
}

/* header.stamp.sec and header.stamp.nanosec */
static void seconds_and_nanoseconds_are_joined(void **state) {
  (void)state;
  jn_model *m = robot();
  char *text = malloc(1 << 16), *p = text;
  p += sprintf(p, "header.stamp.sec,header.stamp.nanosec,header.frame_id,elbow,shoulder\n");
  for (int r = 0; r < ROWS; r++)
    p += sprintf(p, "%d,%ld,\"base, link\",%.17g,%.17g\n", 7 + r / 25, (r % 25) * 40000000L, elbow(0.04 * r),
                 shoulder(0.04 * r));
  read_result read = read_columns(m, text, NULL, 0);
  if (read.status != JN_OK) fail_msg("%s", read.error.text);
  double q[2];
  check_ok(jn_trajectory_evaluate(read.trajectory, 7.5, 0, q, NULL));
  check(fabs(q[0] - shoulder(0.5)) < 1e-5 && fabs(q[1] - elbow(0.5)) < 1e-5, "q = %g, %g", q[0], q[1]);
  drop(&read);
  free(text);
  jn_model_destroy(m);
}

/* ---- Stamps since 1970 ---- */

/* Nanoseconds since the first row: steps that are not quite even, as those of a clock. */
static long long passed(int r) { return 25000000LL * r + 7919LL * r * r % 100000; }

/* Rows of the motion with stamps from `seconds` and `rest` [ns] on, in some format. */
static char *stamped(const char *format, long long seconds, long long rest) {
  char *text = malloc(1 << 16), *p = text;
  assert_non_null(text);
  static const char *const headers[] = {"t,", "%time,", "header.stamp.sec,header.stamp.nanosec,", "t [us],", "t;"};
  int kind = *format == 'n' ? 1 : *format == 'p' ? 2 : *format == 'u' ? 3 : *format == 'c' ? 4 : 0;
  char separator = kind == 4 ? ';' : ',';
  p += sprintf(p, "# as a clock writes it\r\n%selbow%cshoulder\r\n", headers[kind], separator);
  for (int r = 0; r < ROWS; r++) {
    long long n = rest + passed(r), s = seconds + n / 1000000000, all = 1000000000 * seconds + n;
    n %= 1000000000;
    switch (*format) {
      case 'n':
        p += sprintf(p, "%lld", all);
        break;
      case 'p':
        p += sprintf(p, "%lld,%lld", s, n);
        break;
      case 'u':
        p += sprintf(p, "\"%lld.%03lld\"", all / 1000, all % 1000);
        break;
      case 'c':
        p += sprintf(p, "%lld,%09lld", s, n);
        break;
      case 'e':
        p += sprintf(p, "%lld.%09lld%09llde+09", s / 1000000000, s % 1000000000, n);
        break;
      case 'd': /* a double, printed */
        p += sprintf(p, "%.17g", (double)s + 1e-9 * (double)n);
        break;
      default:
        p += sprintf(p, "%lld.%09lld", s, n);
    }
    double t = 1e-9 * (double)passed(r);
    p += sprintf(p, "%c%.17g%c%.17g\r\n", separator, elbow(t), separator, shoulder(t));
  }
  return text;
}

/* Positions and derivatives to the fourth, which torques and their rates of second order are made of, may not depend on
 * when the motion begins. */
static void check_same_motion(const jn_model *m, const jn_trajectory *plain, const char *format) {
  char *text = stamped(format, 1700000000, 123456789);
  read_result r = read_columns(m, text, NULL, 0);
  check(r.status == JN_OK, "%s: %s", format, r.error.text);
  check(count_rule(&r, "column-clock") == 1 && count_rule(&r, "time-resolution") == 0, "%s: %d, %d messages", format,
        count_rule(&r, "column-clock"), count_rule(&r, "time-resolution"));
  check(jn_trajectory_start(r.trajectory) == 0, "%s: starts at %g", format, jn_trajectory_start(r.trajectory));
  for (int i = 0; i < ROWS; i++) {
    double t = jn_trajectory_time(plain, i), q[2], p[2], v[8], w[8];
    check(jn_trajectory_time(r.trajectory, i) == t, "%s: row %d is at %.17g", format, i, t);
    check_ok(jn_trajectory_evaluate(plain, t, 2, q, v));
    check_ok(jn_trajectory_evaluate(r.trajectory, t, 2, p, w));
    for (int k = 0; k < 2; k++) check(fabs(q[k] - p[k]) < 1e-14, "%s: q %g, %g", format, q[k], p[k]);
    for (int k = 0; k < 8; k++)
      check(fabs(v[k] - w[k]) <= 1e-6 * (1 + fabs(v[k])), "%s, row %d, derivative %d: %.15g instead of %.15g", format,
            i, k / 2 + 1, w[k], v[k]);
  }
  drop(&r);
  free(text);
}

static void stamps_since_1970_lose_nothing(void **state) {
  (void)state;
  static const char *const formats[] = {"seconds", "nanoseconds", "pairs", "us", "comma", "exponent"};
  jn_model *m = robot();
  char *text = stamped("seconds", 0, 0);
  read_result plain = read_columns(m, text, NULL, 0);
  check(plain.status == JN_OK && count_rule(&plain, "column-clock") == 0, "%s", plain.error.text);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) check_same_motion(m, plain.trajectory, formats[i]);
  drop(&plain);
  free(text);
  jn_model_destroy(m);
}

/* What was rounded to a double before it was written cannot be restored. */
static void rounded_stamps_are_told(void **state) {
  (void)state;
  jn_model *m = robot();
  char *text = stamped("doubles", 1700000000, 123456789);
  read_result r = read_columns(m, text, NULL, 0);
  check(r.status == JN_OK && count_rule(&r, "time-resolution") == 1, "%d warnings", count_rule(&r, "time-resolution"));
  drop(&r);
  free(text);
  jn_model_destroy(m);
}

/* Tables of several topics have rows for each of them. */
static void rows_of_other_topics_are_left_out(void **state) {
  (void)state;
  check_motion("__time,/imu/x,/joint_states/elbow/position,/joint_states/shoulder/position",
               "%t,1,,\n%t,,%e,%s\n%t,2,,", 0, 1, NULL, 0, 3);
  check_refused("__time,/imu/x,/joint_states/elbow/position,/joint_states/shoulder/position", "%t,1,%e,", NULL, 0,
                "no value");
}

/* ---- The user's own mapping ---- */

static void columns_can_be_mapped(void **state) {
  (void)state;
  static const char *const names[] = {"elbow=A2", "shoulder=A1"}, *const numbers[] = {"shoulder=#2", "elbow=#3"},
                           *const all[] = {"t=clock", "elbow=my elbow", "shoulder=#3", "elbow_d1=rate"},
                           *const over[] = {"elbow=better"};
  check_motion("t,A1,A2,mode", "%t,%s,%e,idle", 0, 1, names, 2, 2);
  check_motion("t,a,b", "%t,%s,%e", 0, 1, numbers, 2, 2);
  check_motion("clock,my elbow,x,rate", "%t,%e,%s,%E", 0, 1, all, 4, 4);
  check_motion("t,elbow,shoulder,better", "%t,77,%s,%e", 0, 1, over, 1, 1); /* goes before the plain name */
}

static void wrong_mappings_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *mapping, *words;
  } cases[] = {{"elbow", "NAME=COLUMN"},
               {"=a", "NAME=COLUMN"},
               {"elbow=", "NAME=COLUMN"},
               {"elbwo=a", "did you mean 'elbow'?"},
               {"elbow=shuolder", "did you mean 'shoulder'?"},
               {"elbow=#9", "#3"},
               {"elbow=#0", "#3"},
               {"elbow=#x", "#3"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_refused("t,a,shoulder", "%t,%e,%s", &cases[i].mapping, 1, cases[i].words);
  static const char *const twice[] = {"elbow=a", "elbow=b"}, *const shared[] = {"elbow=a", "shoulder=a"};
  check_refused("t,a,b", "%t,%e,%s", twice, 2, "twice");
  check_refused("t,a,b", "%t,%e,%s", shared, 2, "twice");
  static const char *const times[] = {"t=#1", "t=#2"}, *const both[] = {"t=#1", "elbow=#1"};
  check_refused("t,elbow,shoulder", "%t,%e,%s", times, 2, "twice");
  check_refused("t,elbow,shoulder", "%t,%e,%s", both, 2, "twice");
}

/* A column whose place another one takes is named; it is no column of efforts. */
static void a_replaced_column_is_named(void **state) {
  (void)state;
  static const char *const over[] = {"elbow=better"};
  jn_model *m = robot();
  char *text = table("t,elbow,shoulder,better", "%t,77,%s,%e", 0, 1);
  read_result r = read_columns(m, text, over, 1);
  check(r.status == JN_OK, "%s", r.error.text);
  check(count_rule(&r, "column-replaced") == 1 && count_rule(&r, "column-unused") == 0, "%d, %d notes",
        count_rule(&r, "column-replaced"), count_rule(&r, "column-unused"));
  drop(&r);
  free(text);
  jn_model_destroy(m);
}

/* A column of a joint that is locked, or of its derivatives, is no spelling mistake. */
static void columns_of_fixed_joints_are_named(void **state) {
  (void)state;
  jn_model *m = robot_with(JN_FIXED);
  char *text = table("t,elbow,shoulder,elbow_d1", "%t,%e,%s,%E", 0, 1);
  read_result r = read_columns(m, text, NULL, 0);
  check(r.status == JN_OK, "%s", r.error.text);
  check(count_rule(&r, "column-fixed") == 2 && count_rule(&r, "unknown-joint") == 0, "%d, %d messages",
        count_rule(&r, "column-fixed"), count_rule(&r, "unknown-joint"));
  drop(&r);
  free(text);
  jn_model_destroy(m);
}

/* ---- What is unclear ---- */

static void what_could_mean_two_things_is_refused(void **state) {
  (void)state;
  check_refused("t,/a/elbow/position,/b/elbow/position,/a/shoulder/position", "%t,%e,%e,%s", NULL, 0,
                "--columns elbow=COLUMN");
  check_refused("t,q0,q1,q2", "%t,%s,%e,1", NULL, 0, "the model has 2 coordinates");
  check_refused("t,q0", "%t,%s", NULL, 0, "the model has 2 coordinates");
  check_refused("t,q2,q3", "%t,%s,%e", NULL, 0, "from 2 to 3");
  check_refused("t,q0,joint1", "%t,%s,%e", NULL, 0, "not all column names begin alike");
  check_refused("t,/joint_states/position[0],/joint_states/position[1]", "%t,%s,%e", NULL, 0, "no column for 2 of 2");
  check_refused("elbow,shoulder", "%e,%s", NULL, 0, "--columns t=COLUMN");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exports_are_understood),
      cmocka_unit_test(clocks_are_understood),
      cmocka_unit_test(seconds_and_nanoseconds_are_joined),
      cmocka_unit_test(stamps_since_1970_lose_nothing),
      cmocka_unit_test(rounded_stamps_are_told),
      cmocka_unit_test(rows_of_other_topics_are_left_out),
      cmocka_unit_test(columns_can_be_mapped),
      cmocka_unit_test(wrong_mappings_are_refused),
      cmocka_unit_test(a_replaced_column_is_named),
      cmocka_unit_test(columns_of_fixed_joints_are_named),
      cmocka_unit_test(what_could_mean_two_things_is_refused),
  };
  return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
