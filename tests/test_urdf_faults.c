/* SPDX-License-Identifier: BSD-2-Clause */
/* URDF files with mistakes: every error names place, subject and remedy; hostile files and lack of memory do no harm.
 */
#include "urdf_help.h"

/* ---- Help ---- */

static const jn_message *message_of(const loaded *l, const char *rule) {
  for (int i = 0; i < jn_report_count(l->report); i++) {
    const jn_message *m = jn_report_message(l->report, i);
    if (strcmp(m->rule, rule) == 0) return m;
  }
  return NULL;
}

static void print_messages(const loaded *l) {
  for (int i = 0; i < jn_report_count(l->report); i++) {
    const jn_message *m = jn_report_message(l->report, i);
    print_error("  %s %d:%d %s: %s; %s\n", m->rule, m->line, m->column, m->subject, m->text, m->remedy);
  }
}

/* What a file must be told: the first error, or a warning or note of a file that loads. `words` are in text or remedy,
 * separated by '|'. */
typedef struct expectation {
  const char *text;
  jn_status status;
  const char *rule;
  int line, column;
  const char *subject;
  const char *words;
} expectation;

static int has_words(const jn_message *m, const char *words) {
  char one[128];
  while (*words) {
    size_t n = strcspn(words, "|");
    assert_true(n < sizeof one);
    memcpy(one, words, n);
    one[n] = 0;
    if (!strstr(m->text, one) && !strstr(m->remedy, one)) return 0;
    words += n + (words[n] == '|');
  }
  return 1;
}

static void check_file(const expectation *e) {
  loaded l = load(e->text);
  const jn_message *m = message_of(&l, e->rule);
  int ok = l.status == e->status && m && m->line == e->line && m->column == e->column &&
           strcmp(m->file, "robot.urdf") == 0 && strcmp(m->subject, e->subject) == 0 && has_words(m, e->words);
  if (ok && e->status != JN_OK) {
    ok = m->severity == JN_ERROR && l.error.line == e->line && l.error.column == e->column &&
         strcmp(l.error.file, "robot.urdf") == 0 && strstr(l.error.text, m->text) != NULL;
  }
  if (!ok) {
    print_error("expected %s at %d:%d of %s, with \"%s\"; got status %d and\n", e->rule, e->line, e->column, e->subject,
                e->words, (int)l.status);
    print_messages(&l);
    fail();
  }
  drop(&l);
}

static void check_files(const expectation *e, size_t count) {
  for (size_t i = 0; i < count; i++) check_file(&e[i]);
}

#define CHECK_FILES(list) check_files(list, sizeof(list) / sizeof *(list))

/* ---- Faults ---- */

static void syntax_errors_name_place_subject_and_remedy(void **state) {
  (void)state;
  static const expectation list[] = {
      {"", JN_ERR_SYNTAX, "urdf-xml", 1, 1, "", "empty"},
      {"<robot name='r'>\n<link name='a'>\n</robot>", JN_ERR_SYNTAX, "urdf-xml", 3, 3, "link 'a'", "mismatched|closed"},
      {"<robot name='r'>\n<link name='a'/>\n", JN_ERR_SYNTAX, "urdf-xml", 3, 1, "element <robot>", "whole"},
      {"<robot name='r'>\n  &nbsp;</robot>", JN_ERR_SYNTAX, "urdf-xml", 2, 3, "element <robot>", "entity|&amp;"},
      {"<robot name='\xff'/>", JN_ERR_SYNTAX, "urdf-xml", 1, 14, "", "UTF-8"},
      {"<mujoco/>", JN_ERR_SYNTAX, "urdf-root", 1, 1, "element <mujoco>", "MJCF"},
      {"<sdf version='1.6'/>", JN_ERR_SYNTAX, "urdf-root", 1, 1, "element <sdf>", "SDFormat"},
      {"\n <html/>", JN_ERR_SYNTAX, "urdf-root", 2, 2, "element <html>", "<robot>"},
      {ROBOT("<link/>\n"), JN_ERR_SYNTAX, "urdf-attribute", 2, 1, "element <link>", "no attribute 'name'"},
      {ROBOT("<link name=''/>\n"), JN_ERR_SYNTAX, "urdf-attribute", 2, 1, "element <link>", "empty"},
      {INERTIAL("<mass/>"), JN_ERR_SYNTAX, "urdf-attribute", 3, 11, "link 'a'", "<mass> has no attribute 'value'"},
      {INERTIAL("<mass value='1'/><inertia ixx='1' iyy='1'/>"), JN_ERR_SYNTAX, "urdf-attribute", 3, 28, "link 'a'",
       "<inertia> has no attribute 'izz'"},
      {INERTIAL("<mass value='1kg'/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "'value' of <mass>|1kg"},
      {INERTIAL("<mass value=''/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "is empty"},
      {INERTIAL("<mass value='0x10'/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "not a number|0x10"},
      {INERTIAL("<mass value=' -0X1p3'/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "not a number"},
      {INERTIAL("<mass value='1 2'/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "too many"},
      {INERTIAL("<mass value='nan'/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "not finite"},
      {INERTIAL("<mass value='1e999'/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "not finite"},
      {INERTIAL("<mass value='inf'/>"), JN_ERR_SYNTAX, "urdf-number", 3, 11, "link 'a'", "not finite"},
      {JOINT("fixed", "\n  <origin xyz='1 2'/>"), JN_ERR_SYNTAX, "urdf-number", 6, 3, "joint 'j'", "too few|three"},
      {JOINT("fixed", "\n<origin rpy='1,2,3'/>"), JN_ERR_SYNTAX, "urdf-number", 6, 1, "joint 'j'", "blanks"},
      {JOINT("revolute", "\n<limit lower='nan'/>"), JN_ERR_SYNTAX, "urdf-number", 6, 1, "joint 'j'", "'lower'"},
      {JOINT("revolute", "\n<axis/>"), JN_ERR_SYNTAX, "urdf-attribute", 6, 1, "joint 'j'", "'xyz'"},
      {JOINT("continuous", "\n<mimic/>"), JN_ERR_SYNTAX, "urdf-attribute", 6, 1, "joint 'j'", "'joint'"},
      {JOINT("revolut", ""), JN_ERR_SYNTAX, "urdf-joint-type", 4, 1, "joint 'j'", "revolut|planar|mean revolute"},
      {JOINT("ball", ""), JN_ERR_SYNTAX, "urdf-joint-type", 4, 1, "joint 'j'", "ball|floating and planar"},
      {ROBOT(AB "<joint name='j'>\n<parent link='a'/><child link='b'/></joint>\n"), JN_ERR_SYNTAX, "urdf-attribute", 4,
       1, "joint 'j'", "'type'"},
      {ROBOT(AB "<joint name='j' type='fixed'>\n<parent link='a'/></joint>\n"), JN_ERR_SYNTAX, "urdf-element", 4, 1,
       "joint 'j'", "<child link"},
      {ROBOT(AB "<joint name='j' type='fixed'>\n<parent/><child link='b'/></joint>\n"), JN_ERR_SYNTAX, "urdf-attribute",
       5, 1, "joint 'j'", "<parent> has no attribute 'link'"},
  };
  CHECK_FILES(list);
}

static void errors_of_meaning_name_place_subject_and_remedy(void **state) {
  (void)state;
  static const expectation list[] = {
      {"<robot name='r'/>", JN_ERR_MODEL, "urdf-empty", 0, 0, "", "no links|<link"},
      {ROBOT("<link name='a'/>\n<link name='a'/>\n"), JN_ERR_MODEL, "urdf-name", 3, 1, "link 'a'", "line 2|rename"},
      {ROBOT(AB "<link name='c'/>\n" FIXED("j", "a", "b") FIXED("j", "a", "c")), JN_ERR_MODEL, "urdf-name", 6, 1,
       "joint 'j'", "line 5|rename"},
      {ROBOT("<link name='base_link'/>\n<link name='arm'/>\n" FIXED("j", "base_lnik", "arm")), JN_ERR_MODEL,
       "urdf-link", 4, 30, "joint 'j'", "parent link 'base_lnik'|mean 'base_link'"},
      {ROBOT("<link name='base_link'/>\n" FIXED("j", "base_link", "hand")), JN_ERR_MODEL, "urdf-link", 3, 56,
       "joint 'j'", "child link 'hand'|add the link"},
      {ROBOT(AB FIXED("j", "a", "b") FIXED("k", "a", "b")), JN_ERR_MODEL, "urdf-child", 5, 1, "joint 'k'",
       "'b'|joint 'j' on line 4|<constraint>"},
      {ROBOT(AB FIXED("j", "a", "b") FIXED("k", "b", "a")), JN_ERR_MODEL, "urdf-cycle", 2, 1, "link 'a'",
       "2 links|'a' on 'b' on 'a'"},
      {ROBOT(AB FIXED("j", "b", "b")), JN_ERR_MODEL, "urdf-cycle", 3, 1, "link 'b'", "1 link hangs|'b' on 'b'"},
      {ROBOT(AB "<link name='c'/>\n" FIXED("j", "a", "b")), JN_ERR_MODEL, "urdf-roots", 4, 1, "link 'c'",
       "2 links|'a', 'c'|joint"},
      {JOINT("prismatic", "\n<axis xyz='0 0 0'/>"), JN_ERR_MODEL, "urdf-axis", 6, 1, "joint 'j'", "direction|0 0 1"},
      {JOINT("prismatic", "\n<axis xyz='1e200 0 0'/>"), JN_ERR_MODEL, "urdf-axis", 6, 1, "joint 'j'", "direction"},
      {JOINT("fixed", "\n<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>"), JN_ERR_MODEL, "urdf-origin", 6, 1, "joint 'j'",
       "both"},
      {JOINT("fixed", "\n<origin quat_xyzw='0 0 0 0'/>"), JN_ERR_MODEL, "urdf-origin", 6, 1, "joint 'j'", "rotation"},
  };
  CHECK_FILES(list);
}

static void suspicious_things_load_with_a_warning(void **state) {
  (void)state;
  static const expectation list[] = {
      {"<robot><link name='a'/></robot>", JN_OK, "urdf-attribute", 1, 1, "element <robot>", "no name"},
      {INERTIAL("<inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/>"), JN_OK, "urdf-mass", 3, 1, "link 'a'",
       "no <mass>|0 kg"},
      {INERTIAL("<mass value='1'/>"), JN_OK, "urdf-inertia", 3, 1, "link 'a'", "point mass"},
      {INERTIAL("<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixz='0' iyz='0'/>"), JN_OK, "urdf-attribute", 3, 28,
       "link 'a'", "'ixy'|taken as 0"},
      {JOINT("revolute", ""), JN_OK, "urdf-limit", 4, 1, "joint 'j'", "has no limits|continuous"},
      {ROBOT("<link name='a'>\n<inertial>" UNIT "</inertial>\n<inertial/></link>"), JN_OK, "urdf-twice", 4, 1,
       "link 'a'", "second <inertial>|line 3"},
      {JOINT("fixed", "<origin xyz='1 0 0'/>\n<origin xyz='2 0 0'/>"), JN_OK, "urdf-twice", 6, 1, "joint 'j'",
       "second <origin>|line 5"},
      {"<!DOCTYPE robot SYSTEM 'urdf.dtd'>\n<robot name='r'><link name='a'/></robot>", JN_OK, "urdf-doctype", 1, 34, "",
       "not read"},
      {JOINT("revolute", "<limit lower='-1' uper='1' effort='1' velocity='1'/>"), JN_OK, "urdf-unknown", 5, 36,
       "joint 'j'", "'uper'|did you mean 'upper'?"},
      {JOINT("continuous", "<limits effort='1'/>"), JN_OK, "urdf-unknown", 5, 36, "joint 'j'",
       "<limits>|did you mean <limit>?"},
      {JOINT("continuous", "<dynamics mu_coulomb='1'/>"), JN_OK, "urdf-unknown", 5, 36, "joint 'j'",
       "'mu_coulomb' of <dynamics>|ignored everywhere"},
      {ROBOT("<link name='a'>\n<inertal>" UNIT "</inertal></link>"), JN_OK, "urdf-unknown", 3, 1, "link 'a'",
       "<inertal>|did you mean <inertial>?"},
  };
  CHECK_FILES(list);
  jn_options o;
  jn_options_init(&o);
  o.strict = 1;
  loaded l = load_with(JOINT("revolute", ""), &o);
  assert_int_equal(l.status, JN_ERR_MODEL);
  drop(&l);
}

static void all_faults_are_reported_at_once_but_not_without_end(void **state) {
  (void)state;
  loaded l =
      load(ROBOT("<link name='a'><inertial><mass value='x'/></inertial></link>\n<link name='b'/>\n"
                 "<joint name='j' type='hinge'><parent link='q'/><child link='b'/></joint>\n"));
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  assert_int_equal(l.error.line, 2);
  assert_non_null(message_of(&l, "urdf-number"));
  assert_non_null(message_of(&l, "urdf-joint-type"));
  assert_non_null(message_of(&l, "urdf-link"));
  drop(&l);
  enum { COUNT = 5000 };
  char *text = malloc(20 * COUNT + 100), *at = text;
  at += sprintf(at, "<robot name='r'>");
  for (int i = 0; i < COUNT; i++) at += sprintf(at, "<link name='a'/>\n");
  sprintf(at, "</robot>");
  l = load(text);
  assert_int_equal(l.status, JN_ERR_MODEL);
  assert_true(jn_report_count(l.report) > JN_REPORT_SAME && jn_report_count(l.report) < 2 * JN_REPORT_SAME);
  assert_true(jn_report_count_of(l.report, JN_ERROR) > 50 && jn_report_count_of(l.report, JN_ERROR) < 150);
  assert_non_null(message_of(&l, "urdf-many"));
  drop(&l);
  free(text);
}

static void one_wrong_value_gives_one_message(void **state) {
  (void)state;
  static const char *const texts[] = {
      INERTIAL("<mass value='1,5'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"),
      INERTIAL("<mass value='1'/><inertia ixx='1' iyy='one' izz='1' ixy='0' ixz='0' iyz='0'/>"),
      INERTIAL("<mass/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"),
      JOINT("revolute", "<limit lower='low' upper='-1' effort='1' velocity='1'/>"),
      JOINT("revolute", "<limit lower='1' upper='high' effort='1' velocity='1'/>"),
      JOINT("continuous", "<origin rpy='0 0 north'/><axis xyz='0 0 1'/>"),
      JOINT("continuous", "<mimic/>"),
      JOINT("hinge",
            "<axis xyz='0 0 0'/><limit lower='-1' upper='1'/></joint><link name='c'/>\n"
            "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j'/>"),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    loaded l = load(texts[i]);
    if (jn_report_count(l.report) != 1 || l.status != JN_ERR_SYNTAX) {
      print_messages(&l);
      fail();
    }
    drop(&l);
  }
}

static void wrong_values_hide_no_faults_of_meaning(void **state) {
  (void)state;
  loaded l =
      load(ROBOT("<link name='a'><inertial><mass value='1,5'/></inertial></link>\n"
                 "<link name='b'><inertial><mass value='-1'/></inertial></link>\n"
                 "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><mimic joint='q'/></joint>\n"));
  assert_int_equal(l.status, JN_ERR_SYNTAX); /* that of the first */
  assert_int_equal(l.error.line, 2);
  assert_int_equal(jn_report_count_of(l.report, JN_ERROR), 3);
  assert_int_equal(message_of(&l, "mass-negative")->line, 3);
  assert_int_equal(message_of(&l, "mimic")->line, 4);
  drop(&l);
}

static void links_with_a_shape_but_no_inertial_are_noted(void **state) {
  (void)state;
#define SEEN(name, what) "<link name='" name "'>" what "</link>\n"
  static const expectation list[] = {
      {ROBOT(SEEN("a", "<visual/>")), JN_OK, "no-inertial", 2, 1, "link 'a'", "massless|add <inertial>"},
      {ROBOT(SEEN("a", "<inertial/><visual/>") SEEN("b", "<collision/><collision/>") FIXED("j", "a", "b")), JN_OK,
       "no-inertial", 3, 1, "link 'b'", "massless|add <inertial>"},
  };
  CHECK_FILES(list);
  jn_options o;
  jn_options_init(&o);
  o.floating = 1; /* what moves has the freezer's message */
  loaded l = load_with(ROBOT(SEEN("a", "<visual/>") "<link name='b'/><joint name='j' type='planar'><parent link='a'/>"
                                                    "<child link='b'/></joint>\n"),
                       &o);
  assert_null(message_of(&l, "no-inertial"));
  assert_non_null(message_of(&l, "massless-leaf"));
  drop(&l);
}

static void xacro_sources_are_recognised_and_explained(void **state) {
  (void)state;
  static const expectation list[] = {
      {ROBOT("<xacro:include filename='x'/>\n"), JN_ERR_SYNTAX, "urdf-xacro", 2, 1, "element <robot>",
       "<xacro:include>|xacro FILE"},
      {ROBOT("<link name='a'/><xacro:macro name='m'/>\n"), JN_ERR_SYNTAX, "urdf-xacro", 2, 17, "element <robot>",
       "<xacro:macro>|xacro FILE"},
      {ROBOT("<xacro:if value='1'><link name='a'/></xacro:if>\n"), JN_ERR_SYNTAX, "urdf-xacro", 2, 1, "element <robot>",
       "<xacro:if>"},
      {ROBOT("<xacro:unless value='1'/>\n"), JN_ERR_SYNTAX, "urdf-xacro", 2, 1, "element <robot>", "<xacro:unless>"},
      {INERTIAL("<mass value='${m}'/>"), JN_ERR_SYNTAX, "urdf-xacro", 3, 11, "link 'a'", "${m}|xacro FILE"},
      {ROBOT("<link name='$(arg prefix)a'/>\n"), JN_ERR_SYNTAX, "urdf-xacro", 2, 1, "element <link>", "$(arg prefix)"},
      {"<robot name='${n}'/>", JN_ERR_SYNTAX, "urdf-xacro", 1, 1, "element <robot>", "${n}"},
      {ROBOT("<link name='a'>\n<xacro:box_inertia m='1'/></link>\n"), JN_ERR_SYNTAX, "urdf-xacro", 3, 1, "link 'a'",
       "<xacro:box_inertia>"},
      {ROBOT("<xacro:property name='p' value='1'/>\n<xacro:arm/>\n"), JN_ERR_SYNTAX, "urdf-xacro", 2, 1, "",
       "no links|xacro FILE"},
      {ROBOT("<xacro:arm/>\n<link name='b'/>\n" FIXED("j", "shoulder", "b")), JN_ERR_MODEL, "urdf-link", 4, 30,
       "joint 'j'", "macro calls|xacro FILE"},
  };
  CHECK_FILES(list);
}

static void leftovers_of_xacro_in_a_whole_file_only_warn(void **state) {
  (void)state;
  static const expectation list[] = {
      {ROBOT("<xacro:property name='p' value='${1+1}'/>\n" AB FIXED("j", "a", "b") "<xacro:gripper_transmission/>\n"),
       JN_OK, "urdf-xacro", 2, 1, "", "2 unexpanded|<xacro:property>"},
  };
  CHECK_FILES(list);
  loaded l = load(
      "<robot name='r' xmlns:xacro='http://x'><link name='a'><visual><xacro:if/></visual></link>"
      "<gazebo><foo bar='${x}'/></gazebo></robot>");
  assert_int_equal(l.status, JN_OK);
  assert_int_equal(jn_report_count_of(l.report, JN_WARNING), 0);
  drop(&l);
}

/* ---- Hostile input ---- */

static void entities_are_refused(void **state) {
  (void)state;
  static const expectation list[] = {
      {"<!DOCTYPE robot [\n<!ENTITY a 'aaaaaaaaaa'>\n<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>\n"
       "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>]>\n<robot name='&c;'><link name='a'/></robot>",
       JN_ERR_SYNTAX, "urdf-doctype", 1, 17, "", "entities|remove"},
      {"<!DOCTYPE robot [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'/>", JN_ERR_SYNTAX, "urdf-doctype",
       1, 17, "", "refused"},
  };
  CHECK_FILES(list);
}

/* text + count times item + text */
static char *repeated(const char *before, const char *item, int count, const char *after) {
  size_t n = strlen(item);
  char *text = malloc(strlen(before) + (size_t)count * n + strlen(after) + 1), *at = text;
  assert_non_null(text);
  at += sprintf(at, "%s", before);
  for (int i = 0; i < count; i++, at += n) memcpy(at, item, n);
  sprintf(at, "%s", after);
  return text;
}

static void deep_nesting_and_many_attributes_are_refused(void **state) {
  (void)state;
  char *text = repeated("<robot name='r'>", "<x>", 1000000, "");
  loaded l = load(text);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  assert_non_null(strstr(l.error.text, "nested deeper than 256"));
  drop(&l);
  free(text);
  enum { COUNT = 10000 };
  char *at = text = malloc(COUNT * 16 + 100);
  at += sprintf(at, "<robot name='r'><link name='a'/><joint");
  for (int i = 0; i < COUNT; i++) at += sprintf(at, " a%d=''", i);
  sprintf(at, "/></robot>");
  l = load(text);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  assert_non_null(strstr(l.error.text, "more than 256 attributes"));
  drop(&l);
  free(text);
}

static void a_chain_of_100000_links_loads_quickly(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  char *text = malloc((size_t)COUNT * 150), *at = text;
  assert_non_null(text);
  at += sprintf(at, "<robot name='long'>\n<link name='l0'/>\n");
  for (int i = 1; i < COUNT; i++) {
    at +=
        sprintf(at, "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>",
                i, i, i - 1, i);
  }
  sprintf(at, "</robot>");
  clock_t start = clock();
  loaded l = load(text);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_int_equal(l.status, JN_OK);
  assert_int_equal(jn_link_count(l.model), COUNT);
  assert_string_equal(jn_link_name(l.model, COUNT - 1), "l99999");
  if (seconds > 20) fail_msg("took %g s", seconds); /* tenths of a second in fact; a quadratic search takes minutes */
  drop(&l);
  free(text);
}

static const char sample[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n<!-- sample -->\n<robot name='s &amp; s'>\n"
    "  <link name='base'/>\n  <link name='arm'><inertial><origin xyz='0 0 0.1' rpy='0.1 0 0'/><mass value='1.5'/>"
    "<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial><visual><box size='1 1 1'/></visual>"
    "</link>\n  <link name='tip'/>\n<joint name='j' type='revolute'><parent link='base'/><child link='arm'/>"
    "<origin xyz='0 0 1'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='10' velocity='2'/>"
    "<dynamics damping='0.1'/></joint>\n<joint name='k' type='prismatic'><parent link='arm'/><child link='tip'/>"
    "<limit lower='0' upper='0.1' effort='1' velocity='1'/><mimic joint='j' multiplier='0.1'/></joint>\n</robot>";

static void every_truncated_file_is_a_syntax_error(void **state) {
  (void)state;
  size_t length = sizeof sample - 1;
  jn_model *m = good(sample);
  assert_string_equal(jn_model_name(m), "s & s");
  jn_model_destroy(m);
  for (size_t n = 0; n < length; n++) {
    char *exact = malloc(n ? n : 1); /* no byte more, so that reading past the end is found */
    assert_non_null(exact);
    memcpy(exact, sample, n);
    loaded l = load_bytes(exact, n, NULL);
    if (l.status != JN_ERR_SYNTAX) fail_msg("%zu bytes: status %d", n, (int)l.status);
    drop(&l);
    free(exact);
  }
}

static void noise_and_zero_bytes_are_refused(void **state) {
  (void)state;
  uint64_t random = seed("noise");
  for (int i = 0; i < 2000; i++) {
    char noise[200];
    size_t n = 100 + (size_t)(99 * uniform(&random));
    for (size_t k = 0; k < n; k++) noise[k] = (char)(int)(128 * uniform(&random));
    loaded l = load_bytes(noise, n, NULL);
    assert_int_equal(l.status, JN_ERR_SYNTAX);
    drop(&l);
  }
  loaded l = load_bytes("<robot name='r'>\0<link name='a'/></robot>", 41, NULL);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  assert_non_null(strstr(l.error.text, "not a text file"));
  drop(&l);
}

/* ---- Memory ---- */

static void lack_of_memory_at_any_allocation_is_a_clean_error(void **state) {
  (void)state;
  int done = 0;
  for (int n = 1; !done; n++) {
    counter c = {0, n, 0};
    jn_allocator a = {count_allocate, count_release, &c};
    jn_options o;
    jn_model *m = NULL;
    jn_error error;
    jn_options_init(&o);
    o.allocator = &a;
    jn_status status = jn_load_text(sample, sizeof sample - 1, JN_FORMAT_URDF, "s.urdf", &o, &m, &error);
    done = c.calls < n; /* the failing call was never reached */
    assert_int_equal(status, done ? JN_OK : JN_ERR_MEMORY);
    if (!done) {
      assert_null(m);
      assert_int_equal(error.status, JN_ERR_MEMORY);
      assert_true(error.text[0] != 0);
    }
    jn_model_destroy(m);
    assert_int_equal(c.live, 0);
    assert_true(n < 10000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(syntax_errors_name_place_subject_and_remedy),
      cmocka_unit_test(errors_of_meaning_name_place_subject_and_remedy),
      cmocka_unit_test(suspicious_things_load_with_a_warning),
      cmocka_unit_test(all_faults_are_reported_at_once_but_not_without_end),
      cmocka_unit_test(one_wrong_value_gives_one_message),
      cmocka_unit_test(wrong_values_hide_no_faults_of_meaning),
      cmocka_unit_test(links_with_a_shape_but_no_inertial_are_noted),
      cmocka_unit_test(xacro_sources_are_recognised_and_explained),
      cmocka_unit_test(leftovers_of_xacro_in_a_whole_file_only_warn),
      cmocka_unit_test(entities_are_refused),
      cmocka_unit_test(deep_nesting_and_many_attributes_are_refused),
      cmocka_unit_test(a_chain_of_100000_links_loads_quickly),
      cmocka_unit_test(every_truncated_file_is_a_syntax_error),
      cmocka_unit_test(noise_and_zero_bytes_are_refused),
      cmocka_unit_test(lack_of_memory_at_any_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests_name("urdf_faults", tests, NULL, NULL);
}
