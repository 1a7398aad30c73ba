/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing URDF into the text that a model was read from: what did not change stays to the byte, and the result says
 * what the model is. The property of all tests: with the text of robot A as the original, robot B is written as a text
 * that reads back as B, and that differs from A only where the robots do. */
#include "counting.h"
#include "testing.h"

/* ---- Help ---- */

typedef struct written {
  char *text;
  jn_report *report;
  jn_status status;
} written;

static jn_model *read_text(const char *text, const jn_options *o) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_load_text(text, strlen(text), JN_FORMAT_URDF, "a.urdf", o, &m, &error);
  if (status != JN_OK) print_error("line %d: %s\n%s\n", error.line, error.text, text);
  assert_int_equal(status, JN_OK);
  return m;
}

static written write_into(const jn_model *m, const char *original) {
  written w = {0};
  jn_options o;
  jn_options_init(&o);
  w.report = o.report = jn_report_create(NULL);
  o.original_text = original;
  o.original_length = strlen(original);
  w.status = jn_save_text(m, JN_FORMAT_URDF, &o, &w.text, NULL, NULL);
  assert_int_equal(w.status, JN_OK);
  return w;
}

static void drop(written *w) {
  jn_text_free(w->text, NULL);
  jn_report_destroy(w->report);
}

static const jn_message *find_rule(const written *w, const char *rule) {
  for (int i = 0; i < jn_report_count(w->report); i++)
    if (strcmp(jn_report_message(w->report, i)->rule, rule) == 0) return jn_report_message(w->report, i);
  return NULL;
}

static void check_near(const double *a, const double *b, int n, double tolerance, const char *what) {
  double size = 1e-300;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  for (int i = 0; i < n; i++)
    if (fabs(a[i] - b[i]) > tolerance * size) fail_msg("%s[%d]: %.17g, %.17g", what, i, a[i], b[i]);
}

static void check_same_model(const jn_model *a, const jn_model *b) {
  assert_int_equal(jn_link_count(a), jn_link_count(b));
  assert_int_equal(jn_loop_count(a), jn_loop_count(b));
  for (int i = 0; i < jn_link_count(a); i++) {
    int j = jn_link_index(b, jn_link_name(a, i)), p = jn_link_parent(a, i), q = jn_link_parent(b, j);
    double T[16], U[16], x[10], y[10];
    assert_true(j >= 0);
    assert_string_equal(jn_joint_name(a, i), jn_joint_name(b, j));
    assert_string_equal(p < 0 ? "world" : jn_link_name(a, p), q < 0 ? "world" : jn_link_name(b, q));
    jn_link_placement(a, i, T);
    jn_link_placement(b, j, U);
    check_near(T, U, 16, 1e-15, "placement");
    jn_link_inertia(a, i, x);
    jn_link_inertia(b, j, y);
    check_near(x, y, 1, 0, "mass");
    check_near(x + 1, y + 1, 3, 1e-14, "first moments");
    check_near(x + 4, y + 4, 6, 1e-14, "moments of inertia");
    const jn_joint *s = jn_joint_description(a, i), *t = jn_joint_description(b, j);
    assert_int_equal(s->type, t->type);
    if (s->type == JN_FIXED) continue;
    check_near(s->axis, t->axis, 3, 1e-15, "axis");
    assert_memory_equal(&s->dof[0], &t->dof[0], sizeof s->dof[0]);
    assert_string_equal(s->mimic ? s->mimic : "", t->mimic ? t->mimic : "");
    assert_true(s->mimic_ratio == t->mimic_ratio && s->mimic_offset == t->mimic_offset);
  }
}

/* Writes `now` with `was` as the original, and reads it back; `expected` NULL: any text. */
static void check_edit(const char *was, const char *now, const char *expected) {
  jn_model *m = read_text(now, NULL);
  written w = write_into(m, was);
  if (find_rule(&w, "urdf-rewritten")) fail_msg("%s", find_rule(&w, "urdf-rewritten")->text);
  if (expected) assert_string_equal(w.text, expected);
  jn_model *again = read_text(w.text, NULL);
  check_same_model(m, again);
  jn_model_destroy(again);
  jn_model_destroy(m);
  drop(&w);
}

/* ---- A robot with all that has to stay ---- */

#define HEAD                                                                 \
  "<?xml version=\"1.0\" ?>\r\n<!-- made by hand -->\r\n"                    \
  "<robot name='arm' xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\r\n"     \
  "\t<material name=\"grey\"><color rgba=\"0.5 .5 5e-1 1\"/></material>\r\n" \
  "\t<link   name = \"base\" />\r\n"
#define BODY(mass, com, ixx)                                                                                      \
  "\t<link name=\"arm\">\r\n\t\t<visual><geometry><mesh filename=\"package://a/b.stl\"/></geometry></visual>\r\n" \
  "\t\t<inertial>\r\n\t\t\t<origin rpy=\"0 0 0.50\"   xyz=\"" com                                                 \
  "\"/><!-- CAD -->\r\n"                                                                                          \
  "\t\t\t<mass value='" mass                                                                                      \
  "'/>\r\n"                                                                                                       \
  "\t\t\t<inertia ixx=\"" ixx                                                                                     \
  "\" iyy=\"2.0E-2\" izz=\"+0.0250\" ixy=\"1e-3\" ixz=\"0\" iyz=\"0.0\" />\r\n"                                   \
  "\t\t</inertial>\r\n\t</link>\r\n"
#define HINGE(type, rest)                                                                                           \
  "\t<joint name=\"hinge\" type=\"" type "\">\r\n\t\t<parent link=\"base\"/>\r\n\t\t<child link=\"arm\"/>\r\n" rest \
  "\t</joint>\r\n"
#define ORIGIN(xyz, rpy) "\t\t<origin xyz=\"" xyz "\" rpy=\"" rpy "\"/>\r\n"
#define AXIS "\t\t<axis xyz=\"0 0 2\"/>\r\n"
#define LIMIT(text) "\t\t<limit " text " />\r\n"
#define TAIL                                                                        \
  "\t<transmission name=\"t\"><joint name=\"hinge\"/></transmission>\r\n\t<gazebo " \
  "reference=\"arm\">\r\n\t\t<mu1>0.2</mu1>"                                        \
  "\r\n\t</gazebo>\r\n</robot>\r\n<!-- the end -->\r\n"
#define BOUNDS "lower=\"-1.50\" upper='1.5' effort=\"10.\" velocity=\"3\""
#define ARM(mass, com, ixx, rest) HEAD BODY(mass, com, ixx) HINGE("revolute", rest) TAIL
#define REST ORIGIN("0 0 .10", "0 0 0") AXIS LIMIT(BOUNDS)

static const char plain[] = ARM("1.50", "0.1 0 -0.20", "1.0e-2", REST);

static void an_unchanged_model_gives_the_same_bytes(void **state) {
  (void)state;
  check_edit(plain, plain, plain);
  for (int floating = 0; floating < 2; floating++) {
    jn_options o;
    jn_options_init(&o);
    o.floating = floating;
    jn_model *m = read_text(plain, &o);
    written w = write_into(m, plain);
    assert_string_equal(w.text, plain);
    assert_true((find_rule(&w, "urdf-floating") != NULL) == floating);
    jn_model_destroy(m);
    drop(&w);
  }
}

/* What the other writer makes is kept, too. */
static void a_file_of_our_own_is_kept(void **state) {
  (void)state;
  jn_model *m;
  char *text;
  for (int i = 0; i < jn_builtin_count(); i++) {
    char source[64];
    snprintf(source, sizeof source, "builtin:%s", jn_builtin_name(i));
    check_ok(jn_load(source, NULL, &m, NULL));
    if (jn_save_text(m, JN_FORMAT_URDF, NULL, &text, NULL, NULL) == JN_OK) {
      jn_model *again = read_text(text, NULL);
      written w = write_into(again, text);
      assert_string_equal(w.text, text);
      jn_model_destroy(again);
      jn_text_free(text, NULL);
      drop(&w);
    }
    jn_model_destroy(m);
  }
}

static void only_the_number_that_changed_changes(void **state) {
  (void)state;
  check_edit(plain, ARM("2.25", "0.1 0 -0.20", "1.0e-2", REST), ARM("2.25", "0.1 0 -0.20", "1.0e-2", REST));
  check_edit(plain, ARM("1.50", "0.1 0.25 -0.20", "1.0e-2", REST), ARM("1.50", "0.1 0.25 -0.20", "1.0e-2", REST));
  check_edit(plain, ARM("1.50", "0.1 0 -0.20", "0.0125", REST), NULL);
#define WITH(rest) ARM("1.50", "0.1 0 -0.20", "1.0e-2", rest)
#define SAME(rest) check_edit(plain, WITH(rest), WITH(rest))
  SAME(ORIGIN("0 0 0.25", "0 0 0") AXIS LIMIT(BOUNDS));
  SAME(ORIGIN("0 0 .10", "0 0 0.5") AXIS LIMIT(BOUNDS));
  SAME(ORIGIN("0 0 .10", "0 0 0") "\t\t<axis xyz=\"0 1 0\"/>\r\n" LIMIT(BOUNDS));
  SAME(ORIGIN("0 0 .10", "0 0 0") AXIS LIMIT("lower=\"-2\" upper='1.5' effort=\"10.\" velocity=\"3\""));
  SAME(ORIGIN("0 0 .10", "0 0 0") AXIS LIMIT("lower=\"-1.50\" upper='1e300' effort=\"10.\" velocity=\"3\""));
  SAME(ORIGIN("0 0 .10", "0 0 0") AXIS LIMIT("lower=\"-1.50\" upper='1.5' effort=\"10.\" velocity=\"3\" jerk=\"50\""));
  SAME(REST "\t\t<dynamics damping=\"0.5\"/>\r\n");
  SAME(REST "\t\t<dynamics friction=\"2\" armature=\"0.0625\"/>\r\n");
#undef SAME
}

/* To and fro between robots that have and lack an element. */
static void elements_come_and_go(void **state) {
  (void)state;
  static const char *const robots[] = {
      plain,
      WITH(REST "\t\t<dynamics damping=\"0.5\"/>\r\n"),
      WITH(""),
      WITH(AXIS),
      WITH(LIMIT("lower=\"-1\" upper=\"1\" effort=\"5\" velocity=\"1\" acceleration=\"7\" deceleration=\"4\"")),
      WITH(LIMIT("effort=\"5\" velocity=\"1\"")),
      HEAD HINGE("continuous", ORIGIN("1 2 3", "0.1 0.2 0.3")) "\t<link name='arm'/>\r\n" TAIL,
      HEAD HINGE("fixed", "\t\t<origin quat_xyzw=\"0 0 0.6 0.8\"/>\r\n" AXIS) BODY("1", "1 2 3", "1") TAIL,
      HEAD HINGE("prismatic", REST) BODY("3", "0 0 0", "0.04") TAIL,
      HEAD HINGE("revolute", REST) "<link name='arm'><inertial><mass value='1'/></inertial></link>" TAIL,
      "<robot name='arm'><link name='base'/><joint name='hinge' type='prismatic'><parent link='base'/>"
      "<child link='arm'/></joint><link name='arm'/></robot>",
      HEAD BODY("1.50", "0.1 0 -0.20", "1.0e-2") "<link name='hand'/>" HINGE("revolute", REST)
          "<joint name='wrist' type='continuous'><origin xyz='1 0 0'/><parent link='arm'/><child link='hand'/>"
          "<mimic joint='hinge' multiplier='-2'/></joint>" TAIL,
      HEAD BODY("1.50", "0.1 0 -0.20", "1.0e-2") "<link name='hand'/>" HINGE("revolute", REST)
          "<joint name='wrist' type='continuous'><origin xyz='1 0 0'/><parent link='base'/><child link='hand'/>"
          "</joint><constraint name='c' type='spherical'><parent link='arm'/><child link='hand'/>"
          "<child_origin xyz='1 2 3'/></constraint>" TAIL,
      HEAD BODY("1.50", "0.1 0 -0.20", "1.0e-2") "<link name='hand'/>" HINGE("revolute", REST)
          "<joint name='wrist' type='continuous'><origin xyz='1 0 0'/><parent link='base'/><child link='hand'/>"
          "</joint><constraint name='c' type='point_on_axis'><parent link='arm'/><parent_axis xyz='0 0 3'/>"
          "<child link='world'/></constraint>" TAIL,
  };
  enum { COUNT = sizeof robots / sizeof *robots };
  for (int a = 0; a < COUNT; a++) {
    for (int b = 0; b < COUNT; b++) check_edit(robots[a], robots[b], a == b ? robots[a] : NULL);
  }
}

/* What is not part of the model is there after every edit. */
static void what_the_model_does_not_know_stays(void **state) {
  (void)state;
  static const char *const parts[] = {"<!-- made by hand -->",
                                      "<color rgba=\"0.5 .5 5e-1 1\"/>",
                                      "<visual><geometry><mesh filename=\"package://a/b.stl\"/></geometry></visual>",
                                      "<!-- CAD -->",
                                      "<transmission name=\"t\"><joint name=\"hinge\"/></transmission>",
                                      "<mu1>0.2</mu1>",
                                      "<!-- the end -->\r\n"};
  jn_model *m = read_text(ARM("3", "1 2 3", "5", ORIGIN("3 2 1", "1 2 3") LIMIT("lower=\"-1\" upper=\"2\"")), NULL);
  written w = write_into(m, plain);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(w.text, parts[i])) fail_msg("'%s' is not in:\n%s", parts[i], w.text);
  for (const char *p = w.text; (p = strchr(p, '\n')); p++) assert_true(p[-1] == '\r');
  jn_model_destroy(m);
  drop(&w);
}

static void changed_parameters_go_into_rotated_inertials(void **state) {
  (void)state;
  uint64_t s = seed("inertials");
  for (int k = 0; k < 200; k++) {
    jn_model *m = read_text(plain, NULL), *changed;
    double x[10], p[10];
    fill(&s, x, 10, 1);
    check_ok(jn_inertia_from_log_cholesky(x, p));
    check_ok(jn_model_with_inertia(m, 1, p, &changed));
    written w = write_into(changed, plain);
    assert_null(find_rule(&w, "urdf-rewritten"));
    jn_model *again = read_text(w.text, NULL);
    check_same_model(changed, again);
    jn_model_destroy(again);
    jn_model_destroy(changed);
    jn_model_destroy(m);
    drop(&w);
  }
}

/* ---- What a text cannot follow ---- */

static void a_text_that_cannot_follow_is_said_with_what_is_lost(void **state) {
  (void)state;
  static const char *const others[] = {
      "<robot name='arm'><link name='arm'/><link name='base'/><joint name='hinge' type='fixed'><parent link='arm'/>"
      "<child link='base'/></joint></robot>",
      "<robot name='arm'><link name='w' world='true'/><link name='base'/><joint name='hinge' type='floating'>"
      "<parent link='w'/><child link='base'/><limit effort='3'/></joint></robot>"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    jn_model *m = read_text(others[i], NULL);
    written w = write_into(m, plain);
    const jn_message *message = find_rule(&w, "urdf-rewritten");
    assert_non_null(message);
    static const char *const words[] = {"root link",        "1 <material>", "1 <visual>",
                                        "1 <transmission>", "1 <gazebo>",   "3 comments"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
      if (!strstr(message->text, words[k])) fail_msg("'%s' is not in: %s", words[k], message->text);
    jn_model *again = read_text(w.text, NULL);
    check_same_model(m, again);
    jn_model_destroy(again);
    jn_model_destroy(m);
    drop(&w);
  }
}

/* Its bytes are not those of the text that would be put in. */
static void utf_16_is_not_edited(void **state) {
  (void)state;
  static const char text[] = "<robot name='arm'><!-- wide --><link name='base'/></robot>";
  char wide[2 * sizeof text + 2] = "\xFF\xFE", *result;
  for (size_t i = 0; i < sizeof text - 1; i++) wide[2 + 2 * i] = text[i], wide[3 + 2 * i] = 0;
  jn_options o;
  jn_options_init(&o);
  o.report = jn_report_create(NULL);
  o.original_text = wide;
  o.original_length = 2 * sizeof text;
  jn_model *m = read_text(text, NULL);
  check_ok(jn_save_text(m, JN_FORMAT_URDF, &o, &result, NULL, NULL));
  const written w = {.report = o.report};
  const jn_message *message = find_rule(&w, "urdf-rewritten");
  assert_non_null(message);
  assert_non_null(strstr(message->text, "1 comment"));
  jn_model *again = read_text(result, NULL);
  check_same_model(m, again);
  jn_model_destroy(again);
  jn_model_destroy(m);
  jn_text_free(result, NULL);
  jn_report_destroy(o.report);
}

static void removed_links_are_told(void **state) {
  (void)state;
  jn_model *m = read_text("<robot name='arm'><link name='base'/></robot>", NULL);
  written w = write_into(m, plain);
  assert_non_null(find_rule(&w, "urdf-removed"));
  assert_null(strstr(w.text, "visual"));
  assert_non_null(strstr(w.text, "<mu1>0.2</mu1>"));
  jn_model_destroy(m);
  drop(&w);
}

/* Other files cannot be the original: they are as if there were none. */
static void an_original_in_another_format_is_none(void **state) {
  (void)state;
  static const char *const others[] = {"", "{}", "<mujoco/>", "<", "no file of any kind"};
  jn_model *m = read_text(plain, NULL);
  char *fresh;
  check_ok(jn_save_text(m, JN_FORMAT_URDF, NULL, &fresh, NULL, NULL));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    written w = write_into(m, others[i]);
    assert_string_equal(w.text, fresh);
    drop(&w);
  }
  jn_text_free(fresh, NULL);
  jn_model_destroy(m);
}

static void native_files_say_what_they_do_not_hold(void **state) {
  (void)state;
  static const char bomb[] =
      "<!DOCTYPE robot [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<robot name='r'><x y='&b;'/></robot>";
  jn_options o;
  char *text;
  jn_options_init(&o);
  o.report = jn_report_create(NULL);
  o.original_text = plain;
  o.original_length = sizeof plain - 1;
  jn_model *m = read_text(plain, NULL);
  jn_status status = jn_save_text(m, JN_FORMAT_NATIVE, &o, &text, NULL, NULL);
  if (status == JN_OK) {
    const written w = {.report = o.report};
    const jn_message *message = find_rule(&w, "left-behind");
    assert_non_null(message);
    assert_non_null(strstr(message->text, "1 <visual>"));
  } else {
    assert_int_equal(status, JN_ERR_UNSUPPORTED); /* a build without jansson */
  }
  jn_text_free(text, NULL);
  o.original_text = bomb; /* is not looked into */
  o.original_length = sizeof bomb - 1;
  assert_int_equal(jn_save_text(m, JN_FORMAT_NATIVE, &o, &text, NULL, NULL), status);
  assert_int_equal(jn_report_count_rule(o.report, JN_NOTE, "left-behind"), status == JN_OK);
  jn_text_free(text, NULL);
  jn_model_destroy(m);
  jn_report_destroy(o.report);
}

/* ---- Memory ---- */

static void lack_of_memory_at_any_allocation_is_a_clean_error(void **state) {
  (void)state;
  jn_model *m = read_text(ARM("3", "1 2 3", "5", ORIGIN("3 2 1", "1 2 3") LIMIT("lower=\"-1\" upper=\"2\"")), NULL);
  int done = 0;
  for (int n = 1; !done; n++) {
    counter c = {0, n, 0};
    jn_allocator a = {count_allocate, count_release, &c};
    jn_options o;
    char *text;
    jn_options_init(&o);
    o.allocator = &a;
    o.original_text = plain;
    o.original_length = sizeof plain - 1;
    jn_status status = jn_save_text(m, JN_FORMAT_URDF, &o, &text, NULL, NULL);
    done = c.calls < n;
    assert_int_equal(status, done ? JN_OK : JN_ERR_MEMORY);
    assert_true((text != NULL) == done);
    jn_text_free(text, &o);
    assert_int_equal(c.live, 0);
  }
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unchanged_model_gives_the_same_bytes),
      cmocka_unit_test(a_file_of_our_own_is_kept),
      cmocka_unit_test(only_the_number_that_changed_changes),
      cmocka_unit_test(elements_come_and_go),
      cmocka_unit_test(what_the_model_does_not_know_stays),
      cmocka_unit_test(changed_parameters_go_into_rotated_inertials),
      cmocka_unit_test(a_text_that_cannot_follow_is_said_with_what_is_lost),
      cmocka_unit_test(utf_16_is_not_edited),
      cmocka_unit_test(removed_links_are_told),
      cmocka_unit_test(an_original_in_another_format_is_none),
      cmocka_unit_test(native_files_say_what_they_do_not_hold),
      cmocka_unit_test(lack_of_memory_at_any_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests_name("urdf_edit", tests, NULL, NULL);
}
