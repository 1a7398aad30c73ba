/* SPDX-License-Identifier: BSD-2-Clause */
/* Trajectory files, CSV and JSON: formats, units, names, and messages with row and column. */
#include "trajectory_files_help.h"

/* ---- A fault and where it is ---- */

typedef struct fault {
  const char *text;
  jn_status status;
  int line, column;
  const char *words; /* in the text of the first error */
} fault;

static void check_fault(const jn_model *m, const fault *f) {
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.order = 0;
  jn_trajectory *t;
  jn_error e;
  jn_status status = jn_trajectory_load_text(m, f->text, strlen(f->text), "motion.csv", &o, &t, &e);
  check(status == f->status && e.line == f->line && e.column == f->column && strstr(e.text, f->words) && !t,
        "'%.30s...': status %d, place %d:%d, text %s", f->text, (int)status, e.line, e.column, e.text);
  check(strcmp(e.file, "motion.csv") == 0, "file '%s'", e.file);
}

/* ---- CSV ---- */

static void commas(char *text) {
  for (; *text; text++)
    if (*text == '.') *text = ',';
}

/* The trajectory is the square of the time, scaled. */
static void check_squares(const jn_model *m, const char *text, double scale, const char *what) {
  jn_trajectory *t = load_text(m, text, 1);
  double q, v[3];
  check_ok(jn_trajectory_evaluate(t, 1.1, 1, &q, v));
  check(fabs(q - scale * 1.21) < 1e-12 && fabs(v[0] - scale * 2.2) < 1e-11, "%s: %g %g", what, q, v[0]);
  jn_trajectory_destroy(t);
}

static void csv_is_read_in_all_its_habits(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  char text[4096];
  check_squares(m, squares("t,a\n", "%g,%g", "\n", 12), 1, "plain");
  check_squares(m, squares("\xEF\xBB\xBFt,a\r\n", "%g,%g", "\r\n", 12), 1, "byte order mark, carriage returns");
  check_squares(m, squares("# made by hand\n\n \"t\" , \"a\"\n", " %g , %g ", "\n\n# more\n", 12), 1,
                "quotes, comments");
  check_squares(m, squares("t\ta\n", "%g\t%g", "\n", 12), 1, "tabs");
  check_squares(m, squares("# t,a\n", "%.17g,%.17e", "\n", 12), 1, "names in a comment");
  check_squares(m, squares("time [s];a [rad]\n", "%g;%g", "\n", 12), 1, "units");
  check_squares(m, squares("t,a [deg]\n", "%g,%g", "\n", 12), 3.14159265358979323846 / 180, "degrees");
  strcpy(text, squares("t;a\n", "%.6f;%.6f", "\n", 12));
  commas(text);
  check_squares(m, text, 1, "decimal commas");
  strcpy(text, squares("t,a\n", "%g,%g", "\n", 12));
  text[strlen(text) - 1] = 0;
  check_squares(m, text, 1, "no end of the last line");
  jn_model_destroy(m);
}

/* The trajectory is that of the same numbers in SI units; what is not known, or no unit of the joint, is no guess. */
static void units_are_understood_or_refused(void **state) {
  (void)state;
  static const struct {
    const char *unit;
    double scale;
  } angles[] = {{"rad", 1},       {"RAD", 1},      {"deg", 180},      {"DEG", 180},
                {"degrees", 180}, {"Degree", 180}, {"\xC2\xB0", 180}, {"mrad", 1000 * 3.14159265358979323846}};
  static const char *const bad[] = {"foo", "grad", "mm", "rpm", "deg/s", "rad^2", "s", "N m", "rad/"};
  jn_model *m = make_hinge();
  char head[64], words[96];
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    snprintf(head, sizeof head, "t,a [%s]\n", angles[i].unit);
    double scale = angles[i].scale == 1 ? 1 : 3.14159265358979323846 / angles[i].scale;
    check_squares(m, squares(head, "%g,%g", "\n", 12), scale, angles[i].unit);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(head, sizeof head, "t,a [%s]\n", bad[i]);
    snprintf(words, sizeof words, "column 'a': the unit [%s]", bad[i]);
    const fault f = {squares(head, "%g,%g", "\n", 12), JN_ERR_MODEL, 1, 2, words};
    check_fault(m, &f);
  }
  const fault time = {squares("t [rad],a\n", "%g,%g", "\n", 12), JN_ERR_MODEL, 1, 1, "does not fit a time"};
  check_fault(m, &time);
  const fault rate = {squares("t,a,a_d1 [deg]\n", "%g,%g,0", "\n", 12), JN_ERR_MODEL, 1, 3,
                      "does not fit derivative 1 of an angle"};
  check_fault(m, &rate);
  jn_trajectory *t = load_text(m, squares("t [min],a\n", "%g,%g", "\n", 12), 0);
  check(fabs(jn_trajectory_end(t) - 165) < 1e-12, "minutes: %g s", jn_trajectory_end(t));
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* The scale and the order of every way to write a unit, by hand. */
static void units_have_their_factors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    jn_unit unit;
  } cases[] = {{"deg/s", {JN_UNIT_ANGLE, 1, 0.017453292519943295}},
               {"rad/s\xC2\xB2", {JN_UNIT_ANGLE, 2, 1}},
               {"rad/s2", {JN_UNIT_ANGLE, 2, 1}},
               {"mm / s^3", {JN_UNIT_LENGTH, 3, 1e-3}},
               {"m/min", {JN_UNIT_LENGTH, 1, 1. / 60}},
               {"rpm", {JN_UNIT_ANGLE, 1, 0.10471975511965977}},
               {"kN", {JN_UNIT_FORCE, 0, 1e3}},
               {"mN", {JN_UNIT_FORCE, 0, 1e-3}},
               {"N m", {JN_UNIT_TORQUE, 0, 1}},
               {"N\xC2\xB7m", {JN_UNIT_TORQUE, 0, 1}},
               {"Nmm", {JN_UNIT_TORQUE, 0, 1e-3}},
               {"mNm", {JN_UNIT_TORQUE, 0, 1e-3}},
               {"ms", {JN_UNIT_TIME, 0, 1e-3}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jn_unit u = {0};
    check(jn__unit_read(cases[i].text, &u), "'%s' is not known", cases[i].text);
    check(u.kind == cases[i].unit.kind && u.order == cases[i].unit.order &&
              fabs(u.scale / cases[i].unit.scale - 1) < 1e-15,
          "'%s': kind %d, order %d, factor %.17g", cases[i].text, (int)u.kind, u.order, u.scale);
  }
}

static void coordinates_have_names(void **state) {
  (void)state;
  static const char *const q_names[] = {"a_x",  "a_y",  "a_z",  "a_qx", "a_qy", "a_qz",    "a_qw", "b_qx",
                                        "b_qy", "b_qz", "b_qw", "c_x",  "c_y",  "c_angle", "d"};
  static const char *const v_names[] = {"a_wx", "a_wy", "a_wz", "a_vx", "a_vy",    "a_vz", "b_wx",
                                        "b_wy", "b_wz", "c_x",  "c_y",  "c_angle", "d"};
  jn_model *m = make_mixed();
  char name[32];
  for (int i = 0; i < jn_model_nq(m); i++) {
    check_ok(jn_coordinate_name(m, i, name, sizeof name));
    assert_string_equal(name, q_names[i]);
  }
  for (int i = 0; i < jn_model_nv(m); i++) {
    check_ok(jn_velocity_name(m, i, name, sizeof name));
    assert_string_equal(name, v_names[i]);
  }
  check_status(jn_coordinate_name(m, 15, name, sizeof name), JN_ERR_INDEX);
  jn_model_destroy(m);
}

/* "base" is the free joint on the world; a continuous joint that jumps by a turn goes on turning. */
static void base_and_turns_are_understood(void **state) {
  (void)state;
  const jn_joint_type types[] = {JN_FREE, JN_CONTINUOUS};
  jn_model *m = make_chain(types, 2);
  char text[8192];
  size_t used = (size_t)sprintf(text, "t,base_x,base_y,base_z,base_qx,base_qy,base_qz,base_qw,b\n");
  for (int i = 0; i < 60; i++) {
    double t = 0.1 * i, angle = 2 * t;
    used += (size_t)sprintf(text + used, "%.3f,%.3f,0,1,0,0,0,1,%.15g\n", t, t, atan2(sin(angle), cos(angle)));
  }
  jn_trajectory *t = load_text(m, text, 1);
  double q[8], v[21];
  check_ok(jn_trajectory_evaluate(t, 4.5, 1, q, v));
  check(fabs(q[0] - 4.5) < 1e-12 && fabs(v[3] - 1) < 1e-11, "base: %g %g", q[0], v[3]);
  check(fabs(q[7] - 9) < 1e-11 && fabs(v[6] - 2) < 1e-10, "turns: %g %g", q[7], v[6]);
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* ---- Faults ---- */

static void faults_name_row_and_column(void **state) {
  (void)state;
  static const fault faults[] = {
      {"", JN_ERR_SYNTAX, 0, 0, "is empty"},
      {"0,1\n1,2\n", JN_ERR_SYNTAX, 1, 0, "has no names"},
      {"t a\n0 1\n1 2\n", JN_ERR_SYNTAX, 1, 0, "has blanks between the columns"},
      {"t,a\r0,1\r1,2\r", JN_ERR_SYNTAX, 0, 0, "has lines that end in CR alone"},
      {"\xFF\xFEt", JN_ERR_SYNTAX, 0, 0, "is text in UTF-16"},
      {"<?xml version='1.0'?><robot name='r'/>", JN_ERR_SYNTAX, 0, 0, "is XML, perhaps a robot"},
      {"t,a\n0,1\n", JN_ERR_MODEL, 0, 0, "has 1 row; a spline of degree 3 needs at least 4"},
      {"t,a\n0,1\n1,x\n", JN_ERR_SYNTAX, 3, 2, "column 'a': row 2: 'x' is not a finite number"},
      {"t,a\n0,1\n1,nan\n", JN_ERR_SYNTAX, 3, 2, "'nan' is not a finite number"},
      {"t,a\n0,1\n1,1e999\n", JN_ERR_SYNTAX, 3, 2, "not a finite number"},
      {"t,a\n0,1\n\n,2\n", JN_ERR_SYNTAX, 4, 1, "column 't': row 2 has no value"},
      {"t,a\n0,1\n1\n", JN_ERR_SYNTAX, 3, 0, "row 2 has 1 columns, but there are 2 names"},
      {"t,a\n0,1,2\n", JN_ERR_SYNTAX, 2, 0, "row 1 has 3 columns"},
      {"t,a,a\n0,1,2\n", JN_ERR_SYNTAX, 1, 3, "column 'a': appears twice"},
      {"t,,a\n0,1,2\n", JN_ERR_SYNTAX, 1, 2, "has no name"},
      {"s,a\n0,1\n1,1\n2,1\n3,1\n", JN_ERR_NAME, 1, 1, "has no column of times"},
      {"t,a\n0,1\n1,1\n2,1\n", JN_ERR_MODEL, 0, 0, "has 3 rows; a spline of degree 3 needs at least 4"},
      {"t,a\n0,1\n1,1\n1,2\n3,1\n", JN_ERR_MODEL, 4, 1, "row 3: t = 1 s is the same as in the row before"},
      {"t,a\n0,1\n2,1\n1,2\n3,1\n", JN_ERR_MODEL, 4, 1, "row 3: t = 1 s, but 2 s in the row before"},
      {"t,A\n0,1\n2,1\n3,2\n4,1\n", JN_ERR_NAME, 1, 1, "has no column for 1 of 1 coordinates: a"},
  };
  jn_model *m = make_hinge();
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) check_fault(m, &faults[i]);
  jn_model_destroy(m);
}

static void quaternions_must_have_unit_length(void **state) {
  (void)state;
  const jn_joint_type types[] = {JN_SPHERICAL};
  jn_model *m = make_chain(types, 1);
  const fault f = {"t,a_qx,a_qy,a_qz,a_qw\n0,0,0,0,1\n1,0,0,0,1\n2,0,0,0,1.2\n3,0,0,0,1\n", JN_ERR_MODEL, 4, 2,
                   "row 3: the quaternion has length 1.2"};
  check_fault(m, &f);
  const fault part = {"t,a_qx,a_qy,a_qz\n0,0,0,0\n1,0,0,0\n2,0,0,0\n3,0,0,0\n", JN_ERR_NAME, 1, 1, "a_qw"};
  check_fault(m, &part);
  jn_model_destroy(m);
}

/* The one message of a severity and rule. */
static const jn_message *find_message(const jn_report *r, const char *rule) {
  for (int i = 0; i < jn_report_count(r); i++)
    if (strcmp(jn_report_message(r, i)->rule, rule) == 0) return jn_report_message(r, i);
  return NULL;
}

static void check_warning(const jn_model *m, const char *text, const char *rule, int line, int column,
                          const char *words) {
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.order = *text == '{'; /* few samples are enough for order 0 */
  o.report = jn_report_create(NULL);
  jn_trajectory *t;
  check_ok(jn_trajectory_load_text(m, text, strlen(text), "motion.csv", &o, &t, NULL));
  const jn_message *found = find_message(o.report, rule);
  check(found && found->line == line && found->column == column && strstr(found->text, words), "%s: %d:%d: %s", rule,
        found ? found->line : 0, found ? found->column : 0, found ? found->text : "not told");
  jn_trajectory_destroy(t);
  o.strict = 1;
  jn_status status = jn_trajectory_load_text(m, text, strlen(text), "motion.csv", &o, &t, NULL);
  check(status != JN_OK || found->severity == JN_NOTE, "a warning is an error when strict");
  jn_trajectory_destroy(t);
  jn_report_destroy(o.report);
}

static void suspicious_samples_are_reported(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  check_warning(m, "t,a\n0,0\n1,0\n2,1\n3,1\n4,0\n14,0\n15,1\n", "gap", 7, 1,
                "before row 6, is 10 s where 1 s are usual");
  check_warning(m, "t,a\n0,0\n1,30\n2,90\n3,45\n4,0\n", "degrees", 4, 2, "row 3 has 90, likely degrees");
  check_warning(m, "t,a,a_d1\n0,0,57\n1,1,57\n2,2,57.3\n3,3,57.6\n4,4,57\n", "degrees", 1, 3, "is 57.3 times the rate");
  check_warning(m, "t,a,aa\n0,0,0\n1,0,0\n2,1,0\n3,1,0\n", "unknown-joint", 1, 3, "is ignored");
  jn_model_destroy(m);
}

enum { MOVE = 4000 };

typedef double move(double t, uint64_t *s);

static double still(double t, uint64_t *s) { return 0.3 + 0 * t + 1e-4 * normal(s); }

static double noisy(double t, uint64_t *s) { return 0.5 * sin(t) + 1e-4 * normal(s); }

static double step(double t, uint64_t *s) { return (t < 2 ? 0 : 0.5) + 1e-5 * normal(s); }

static double shaking(double t, uint64_t *s) {
  return 0.5 * sin(t) + 5e-4 * sin(2 * 3.14159265358979323846 * 40 * t) + 1e-5 * normal(s);
}

static double encoder(double t, uint64_t *s) {
  (void)s;
  return 1e-4 * round(0.5 * sin(t) / 1e-4);
}

static double resting_encoder(double t, uint64_t *s) {
  (void)t;
  return 1e-4 * round(3000.45 + 0.03 * normal(s));
}

static double filtered(double t, uint64_t *s) {
  static double x;
  x = 0.9 * x + 1e-4 * normal(s);
  return 0.5 * sin(t) + x;
}

static double wrapped(double t, uint64_t *s) {
  (void)s;
  return atan2(sin(2 * t), cos(2 * t));
}

/* What an automatic fit of a motion at 1 kHz warns of: the rule, "" when all is well. */
static const char *warning_of(const jn_model *m, move *f, char *words) {
  static double t[MOVE], q[MOVE];
  static char rule[32];
  uint64_t s = 7;
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.report = jn_report_create(NULL);
  for (int i = 0; i < MOVE; i++) t[i] = 1e-3 * i, q[i] = f(1e-3 * i, &s);
  jn_trajectory *made;
  check_ok(jn_trajectory_fit(m, MOVE, t, q, &o, &made, NULL));
  jn_trajectory_destroy(made);
  *rule = *words = 0;
  for (int i = 0; i < jn_report_count(o.report); i++) {
    const jn_message *w = jn_report_message(o.report, i);
    if (*rule) continue;
    snprintf(rule, sizeof rule, "%s", w->rule);
    snprintf(words, 512, "%s", w->text);
  }
  jn_report_destroy(o.report);
  return rule;
}

/* A fit that is no good says so; one that leaves noise, of whatever kind, does not. */
static void residuals_that_are_more_than_noise_are_reported(void **state) {
  (void)state;
  static const struct {
    move *f;
    const char *rule, *words;
  } cases[] = {{still, "", ""},
               {noisy, "", ""},
               {encoder, "", ""},
               {resting_encoder, "", ""},
               {filtered, "", ""},
               {step, "fit", "a jump near row 2001; the spline goes through all samples"},
               {shaking, "", ""}, /* it is followed */
               {wrapped, "wrapped", "jumps by a full turn before row 1572"}};
  jn_model *m = make_hinge();
  char words[512];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *rule = warning_of(m, cases[i].f, words);
    check(strcmp(rule, cases[i].rule) == 0 && strstr(words, cases[i].words), "case %zu: '%s': %s", i, rule, words);
  }
  jn_model_destroy(m);
}

/* A continuous joint that would be far too fast in radians. */
static void continuous_joints_in_degrees_are_reported(void **state) {
  (void)state;
  jn_builder *b;
  jn_model *m;
  jn_link link;
  check_ok(jn_builder_create(NULL, &b));
  jn_link_init(&link);
  const double com[3] = {0}, tensor[6] = {1, 1, 1, 0, 0, 0};
  link.name = "a";
  link.joint.type = JN_CONTINUOUS;
  link.joint.dof[0].velocity = 2;
  jn_inertia_pack(1, com, tensor, link.inertia);
  check_ok(jn_builder_add_link(b, &link));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  check_warning(m, "t,a\n0,0\n1,3\n2,43\n3,83\n4,123\n", "degrees", 4, 2,
                "moves at 40 rad/s before row 3 where the limit is 2 rad/s");
  jn_model_destroy(m);
}

#if JN_WITH_JSON

/* ---- JSON ---- */

static void faults_of_closed_forms_name_the_place(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"duration\": 1, \"joints\": {\"b\": 1}}", JN_ERR_NAME, 1, 28, "is not a joint"},
      {"{\"duration\": 1,\n \"joints\": {}}", JN_ERR_NAME, 2, 2, "has nothing for 'a'"},
      {"{\"joints\": {\"a\": 1}}", JN_ERR_SYNTAX, 1, 1, "'duration' [s] is missing"},
      {"{\"duration\": -1, \"joints\": {\"a\": 1}}", JN_ERR_SYNTAX, 1, 2, "must be positive"},
      {"{\"duration\": 1, \"joints\": {\"a\": {\"cosin\": 1}}}", JN_ERR_SYNTAX, 1, 28, "did you mean 'cosine'?"},
      {"{\"duration\": 1, \"joints\": {\"a\": {\"cosine\": {\"amplitude\": 1}}}}", JN_ERR_SYNTAX, 1, 28,
       "'omega' is missing"},
      {"{\"duration\": 1, \"joints\": {\"a\": {\"polynomial\": [1, \"x\"]}}}", JN_ERR_SYNTAX, 1, 28,
       "[1] is not a number"},
      {"{\"times\": [0, 1, 1], \"joints\": {\"a\": {\"minimum_jerk\": [1, 2, 3]}}}", JN_ERR_SYNTAX, 1, 33,
       "must increase"},
      {"{\"times\": [0, 1], \"joints\": {\"a\": {\"minimum_jerk\": [1, 2, 3]}}}", JN_ERR_SYNTAX, 1, 30,
       "3 points but 2 times"},
      {"{\"duration\": 5, \"joints\": {\"a\": {\"minimum_jerk\": {\"points\": [0, 1], \"times\": [1, 2], \"end\": "
       "[1]}}}}",
       JN_ERR_SYNTAX, 1, 28,
       "joint 'a': has points from 1 to 2 s and is not at rest there, but the trajectory goes from 0 to 5 s"},
      {"{\"duration\": 1, \"joints\": {\"a\": [1, 2]}}", JN_ERR_SYNTAX, 1, 28, "has 1 coordinates"},
      {"{\"duration\": 1, \"joints\": {\"a\" 1}}", JN_ERR_SYNTAX, 1, 32, "is not JSON"},
  };
  jn_model *m = make_hinge();
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) check_fault(m, &faults[i]);
  check_warning(m, "{\"times\": [0, 1, 2], \"joints\": {\"a\": {\"minimum_acceleration\": [1, 2, 3]}}}", "not-smooth",
                1, 33, "continuous derivatives up to order 2");
  check_warning(
      m, "{\"duration\": 3, \"joints\": {\"a\": {\"cosine\": {\"amplitude\": 90, \"omega\": 6.283185307179586}}}}",
      "degrees", 1, 28, "is 90 at 0 s, likely degrees");
  check_warning(m,
                "{\"duration\": 3, \"joints\": {\"a\": {\"minimum_jerk\": {\"points\": [1, 2], \"times\": [0, 2]}}}}",
                "not-smooth", 1, 28, "is at rest from 2 s; derivatives above order 2 jump there");
  jn_model_destroy(m);
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(csv_is_read_in_all_its_habits),
    cmocka_unit_test(units_are_understood_or_refused),
    cmocka_unit_test(units_have_their_factors),
    cmocka_unit_test(coordinates_have_names),
    cmocka_unit_test(base_and_turns_are_understood),
    cmocka_unit_test(faults_name_row_and_column),
    cmocka_unit_test(quaternions_must_have_unit_length),
    cmocka_unit_test(suspicious_samples_are_reported),
    cmocka_unit_test(continuous_joints_in_degrees_are_reported),
    cmocka_unit_test(residuals_that_are_more_than_noise_are_reported),
#if JN_WITH_JSON
    cmocka_unit_test(faults_of_closed_forms_name_the_place),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
