/* SPDX-License-Identifier: BSD-2-Clause */
/* URDF beyond the standard: loops by <constraint>, limits of URDF 1.2, motors in <transmission>, suggestions. */
#include "testing.h"

typedef struct loaded {
  jn_model *m;
  jn_report *report;
  jn_status status;
  jn_error error;
} loaded;

static loaded load_with(const char *text, int transmissions) {
  loaded l = {0};
  jn_options o;
  jn_options_init(&o);
  l.report = o.report = jn_report_create(NULL);
  o.transmissions = transmissions;
  l.status = jn_load_text(text, strlen(text), JN_FORMAT_URDF, "r.urdf", &o, &l.m, &l.error);
  return l;
}

static void drop(loaded *l) {
  jn_model_destroy(l->m);
  jn_report_destroy(l->report);
}

static const jn_message *find_rule(const loaded *l, const char *rule) {
  for (int i = 0; i < jn_report_count(l->report); i++)
    if (strcmp(jn_report_message(l->report, i)->rule, rule) == 0) return jn_report_message(l->report, i);
  return NULL;
}

static loaded good(const char *text, int transmissions) {
  loaded l = load_with(text, transmissions);
  if (l.status != JN_OK) fail_msg("%d: %s\n%s", l.error.line, l.error.text, text);
  return l;
}

/* Refused with this rule; text or remedy have these words. */
static void check_refused(const char *text, const char *rule, const char *words) {
  loaded l = load_with(text, 0);
  if (l.status == JN_OK) fail_msg("was read:\n%s", text);
  const jn_message *m = find_rule(&l, rule);
  if (!m) fail_msg("no message of rule %s, but: %s", rule, l.error.text);
  if (!strstr(m->text, words) && !strstr(m->remedy, words))
    fail_msg("'%s' is not in: %s; %s", words, m->text, m->remedy);
  drop(&l);
}

/* ---- Loops ---- */

#define LINK(name)    \
  "<link name='" name \
  "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
#define TREE \
  LINK("a") LINK("b") LINK("c") "<joint name='ab' type='continuous'><parent link='a'/><child link='b'/></joint>\n" \
                                "<joint name='ac' type='continuous'><parent link='a'/><child link='c'/></joint>\n"
#define ROBOT(rest) "<robot name='r'>\n" TREE rest "</robot>"
#define SIDES "<parent link='b'/><child link='c'/>"
#define CONSTRAINT(type, rest) ROBOT("<constraint name='loop' type='" type "'>" rest "</constraint>\n")

static void a_constraint_is_a_loop(void **state) {
  (void)state;
  loaded l = good(CONSTRAINT("revolute",
                             "<parent link='b'/><parent_origin xyz='1 2 3' rpy='0 0 1'/><parent_axis xyz='0 3 4'/>"
                             "<child link='c'/><child_origin xyz='4 5 6'/>"),
                  0);
  const jn_loop *loop = jn_loop_description(l.m, 0);
  assert_int_equal(jn_loop_count(l.m), 1);
  assert_string_equal(loop->name, "loop");
  assert_int_equal(loop->type, JN_LOOP_REVOLUTE);
  assert_string_equal(loop->link_a, "b");
  assert_string_equal(loop->link_b, "c");
  assert_true(loop->placement_a[3] == 1 && loop->placement_a[7] == 2 && loop->placement_a[11] == 3);
  assert_true(fabs(loop->placement_a[0] - cos(1)) < 1e-15 && fabs(loop->placement_a[4] - sin(1)) < 1e-15);
  assert_true(loop->placement_b[3] == 4 && loop->placement_b[7] == 5 && loop->placement_b[11] == 6);
  assert_true(fabs(loop->axis[1] - 0.6) < 1e-15 && fabs(loop->axis[2] - 0.8) < 1e-15);
  drop(&l);
}

/* The closing frame of the child is turned so that both axes are one: R axis = child_axis. */
static void the_axis_in_the_child_may_be_another(void **state) {
  (void)state;
  static const double axes[][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {1, 2, -3}, {-1, 1e-9, 0}};
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
      char text[4096];
      const double *p = axes[i], *c = axes[k];
      snprintf(text, sizeof text,
               CONSTRAINT("cylindrical", SIDES "<parent_axis xyz='%.17g %.17g %.17g'/><child_origin rpy='0.1 0.2 0.3'/>"
                                               "<child_axis xyz='%.17g %.17g %.17g'/>"),
               p[0], p[1], p[2], c[0], c[1], c[2]);
      loaded with = good(text, 0);
      loaded without = good(CONSTRAINT("cylindrical", SIDES "<child_origin rpy='0.1 0.2 0.3'/>"), 0);
      const jn_loop *loop = jn_loop_description(with.m, 0), *straight = jn_loop_description(without.m, 0);
      double size = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
      for (int r = 0; r < 3; r++) {
        double turned = 0, wanted = 0;
        for (int s = 0; s < 3; s++) {
          turned += loop->placement_b[4 * r + s] * loop->axis[s];
          wanted += straight->placement_b[4 * r + s] * c[s] / size;
        }
        check(fabs(turned - wanted) < 1e-14, "axes %zu, %zu: %g instead of %g", i, k, turned, wanted);
      }
      drop(&with);
      drop(&without);
    }
  }
}

static void all_kinds_and_the_names_of_joints_are_known(void **state) {
  (void)state;
  static const struct {
    const char *text;
    jn_loop_type type;
  } kinds[] = {
      {CONSTRAINT("fixed", SIDES), JN_LOOP_WELD},
      {CONSTRAINT("weld", SIDES), JN_LOOP_WELD},
      {CONSTRAINT("continuous", SIDES), JN_LOOP_REVOLUTE},
      {CONSTRAINT("ball", SIDES), JN_LOOP_SPHERICAL},
      {CONSTRAINT("spherical", SIDES "<parent_axis xyz='1 2 3'/><child_axis xyz='3 2 1'/>"), JN_LOOP_SPHERICAL},
      {CONSTRAINT("prismatic", SIDES "<parent_axis xyz='0 0 2'/><child_axis xyz='0 0 1'/>"), JN_LOOP_PRISMATIC},
      {CONSTRAINT("universal", SIDES "<parent_axis xyz='0 0 1'/><child_axis xyz='1 0 0'/>"), JN_LOOP_UNIVERSAL},
      {CONSTRAINT("distance", SIDES "<distance value='0.5'/>"), JN_LOOP_DISTANCE},
      {CONSTRAINT("coordinates", SIDES "<mask coordinates='rx z'/>"), JN_LOOP_COORDINATES},
      {CONSTRAINT("coupling", "<term joint='ab' factor='2'/><term joint='ac'/><offset value='3'/>"), JN_LOOP_COUPLING},
      {CONSTRAINT("point_contact", "<parent link='world'/><child link='c'/>"), JN_LOOP_POINT_CONTACT}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    loaded l = good(kinds[i].text, 0);
    const jn_loop *loop = jn_loop_description(l.m, 0);
    assert_int_equal(loop->type, kinds[i].type);
    if (loop->type == JN_LOOP_DISTANCE) assert_true(loop->distance == 0.5);
    if (loop->type == JN_LOOP_COORDINATES) assert_int_equal(loop->mask, 1 | 32);
    if (loop->type == JN_LOOP_COUPLING)
      assert_true(loop->term_count == 2 && loop->term[0].factor == 2 && loop->term[1].factor == 1 && loop->offset == 3);
    drop(&l);
  }
}

static void faulty_constraints_are_refused(void **state) {
  (void)state;
  check_refused(CONSTRAINT("revolut", SIDES), "urdf-constraint", "revolute");
  check_refused(ROBOT("<constraint type='weld'>" SIDES "</constraint>"), "urdf-attribute", "name");
  check_refused(CONSTRAINT("weld", "<parent link='b'/>"), "urdf-constraint", "<child");
  check_refused(CONSTRAINT("weld", "<parent link='bb'/><child link='c'/>"), "urdf-link", "did you mean 'b'?");
  check_refused(CONSTRAINT("distance", SIDES), "urdf-constraint", "<distance");
  check_refused(CONSTRAINT("coordinates", SIDES "<mask coordinates='rx up'/>"), "urdf-constraint", "\"up\"");
  check_refused(CONSTRAINT("universal", SIDES "<parent_axis xyz='0 0 1'/>"), "urdf-constraint", "<child_axis");
  check_refused(CONSTRAINT("prismatic", SIDES "<child_axis xyz='0 0 1'/>"), "urdf-constraint", "child_origin");
  check_refused(CONSTRAINT("revolute", SIDES "<parent_axis xyz='0 0 0'/>"), "urdf-axis", "<parent_axis>");
  check_refused(CONSTRAINT("coupling", ""), "urdf-constraint", "<term");
  check_refused(CONSTRAINT("coupling", "<term joint='ab' coordinate='-1'/>"), "urdf-constraint", "coordinate");
}

/* ---- Limits of URDF 1.2 ---- */

#define VERSION(version, limit)                                                                    \
  "<robot name='r'" version ">\n" LINK("a")                                                        \
      LINK("b") "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit " limit \
                "/>"                                                                               \
                "</joint></robot>"

static jn_dof dof_of(const char *text, int notes) {
  loaded l = good(text, 0);
  jn_dof dof = *jn_coordinate_dof(l.m, 0);
  assert_true((find_rule(&l, "urdf-deceleration") != NULL) == notes);
  drop(&l);
  return dof;
}

static void bounds_may_be_missing_from_version_1_2_on(void **state) {
  (void)state;
  jn_dof dof = dof_of(VERSION(" version='1.2'", "lower='-1' effort='3' velocity='2'"), 0);
  assert_true(dof.lower == -1 && isinf(dof.upper) && dof.upper > 0);
  dof = dof_of(VERSION(" version='1.2'", "effort='3'"), 0);
  assert_true(isinf(dof.lower) && isinf(dof.upper) && isinf(dof.velocity) && dof.effort == 3);
  dof = dof_of(VERSION("", "lower='-1' effort='3' velocity='2'"), 0); /* 0 in older files */
  assert_true(dof.lower == -1 && dof.upper == 0);
  dof = dof_of(VERSION(" version='1.0'", "upper='1'"), 0);
  assert_true(dof.lower == 0 && dof.upper == 1);
}

static void the_smaller_of_acceleration_and_deceleration_counts(void **state) {
  (void)state;
  assert_true(dof_of(VERSION("", "acceleration='5' jerk='7'"), 0).acceleration == 5);
  assert_true(dof_of(VERSION("", "acceleration='5' deceleration='5'"), 0).acceleration == 5);
  assert_true(dof_of(VERSION("", "acceleration='5' deceleration='3'"), 1).acceleration == 3);
  assert_true(dof_of(VERSION("", "acceleration='3' deceleration='5'"), 1).acceleration == 3);
  assert_true(dof_of(VERSION("", "deceleration='4'"), 1).acceleration == 4);
}

/* ---- Motors ---- */

#define MOTOR(rest) ROBOT("<transmission name='t'>" rest "</transmission>\n")

static void motors_become_armature_when_asked_for(void **state) {
  (void)state;
  static const char *const forms[] = {
      MOTOR("<type>transmission_interface/SimpleTransmission</type><joint name='ab'>"
            "<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name='m'>"
            "<mechanicalReduction>50</mechanicalReduction><motorInertia> 2e-4 </motorInertia></actuator>"),
      MOTOR("<joint name='ab'/><actuator name='m'><motorInertia>2e-4</motorInertia></actuator>"
            "<mechanicalReduction>-50</mechanicalReduction><motorTorqueConstant>1</motorTorqueConstant>"),
      MOTOR("<joint name='ab'/><actuator name='m'><drake:gear_ratio value='50'/><drake:rotor_inertia value='2e-4'/>"
            "</actuator>"),
      ROBOT("<ros2_control name='c' type='system'><joint name='ab'><command_interface name='effort'/></joint>"
            "<transmission name='t'><plugin>transmission_interface/SimpleTransmission</plugin>"
            "<actuator name='m' role='actuator1'><motor_inertia>2e-4</motor_inertia></actuator>"
            "<joint name='ab' role='joint1'><mechanical_reduction>50</mechanical_reduction><offset>0.1</offset></joint>"
            "</transmission></ros2_control>\n")};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    loaded l = good(forms[i], 1);
    const jn_message *note = find_rule(&l, "urdf-transmission");
    assert_non_null(note);
    check(fabs(jn_coordinate_dof(l.m, 0)->armature - 0.5) < 1e-15, "form %zu: %s", i, note->text);
    assert_true(jn_coordinate_dof(l.m, 1)->armature == 0);
    assert_int_equal(note->severity, JN_NOTE);
    drop(&l);
    l = good(forms[i], 0); /* not asked for: they are skipped */
    assert_true(jn_coordinate_dof(l.m, 0)->armature == 0);
    assert_null(find_rule(&l, "urdf-transmission"));
    drop(&l);
  }
}

static void unclear_transmissions_are_left_out_aloud(void **state) {
  (void)state;
#define INERTIA "<actuator name='m'><motorInertia>1</motorInertia></actuator>"
  static const struct {
    const char *text, *words;
    jn_severity severity;
  } cases[] = {
      {MOTOR("<joint name='ab'/><actuator name='m'><mechanicalReduction>50</mechanicalReduction></actuator>"),
       "only a reduction", JN_NOTE},
      {MOTOR("<joint name='ab'/><joint name='ac'/>" INERTIA), "several joints", JN_WARNING},
      {MOTOR(INERTIA), "no joint", JN_WARNING},
      {MOTOR("<joint/>" INERTIA), "no joint", JN_WARNING},
      {MOTOR("<joint name='abb'/>" INERTIA), "'abb' is not in the file", JN_WARNING},
      {MOTOR(
           "<joint name='ab'/><mechanicalReduction>2</mechanicalReduction>"
           "<actuator name='m'><mechanicalReduction>3</mechanicalReduction><motorInertia>1</motorInertia></actuator>"),
       "different reductions", JN_WARNING}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    loaded l = good(cases[i].text, 1);
    const jn_message *m = find_rule(&l, "urdf-transmission");
    assert_non_null(m);
    if (!strstr(m->text, cases[i].words)) fail_msg("'%s' is not in: %s", cases[i].words, m->text);
    assert_int_equal(m->severity, cases[i].severity);
    assert_true(jn_coordinate_dof(l.m, 0)->armature == 0);
    drop(&l);
  }
  loaded l = load_with(MOTOR("<joint name='ab'/><actuator name='m'><motorInertia>much</motorInertia></actuator>"), 1);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  drop(&l);
}

/* The joint's own armature goes first, so that a file that was written after reading the motors is not counted twice.
 */
static void armature_of_the_joint_goes_first(void **state) {
  (void)state;
  static const char text[] =
      "<robot name='r'>\n" LINK("a") LINK("b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
      "</joint><transmission name='t'><joint name='j'/>" INERTIA
      "<mechanicalReduction>3</mechanicalReduction></transmission></robot>";
  loaded l = good(text, 1);
  jn_options o;
  char *again;
  assert_true(jn_coordinate_dof(l.m, 0)->armature == 9);
  jn_options_init(&o);
  o.original_text = text;
  o.original_length = sizeof text - 1;
  check_ok(jn_save_text(l.m, JN_FORMAT_URDF, &o, &again, NULL, NULL));
  assert_non_null(strstr(again, "armature=\"9\""));
  for (int asked = 0; asked < 2; asked++) {
    loaded second = good(again, asked);
    assert_true(jn_coordinate_dof(second.m, 0)->armature == 9);
    drop(&second);
  }
  jn_text_free(again, NULL);
  drop(&l);
}

/* ---- Names that do not exist ---- */

static void missing_names_get_suggestions(void **state) {
  (void)state;
#define PAIR(rest) \
  "<robot name='r'>" LINK("base") LINK("upper_arm") LINK("fore_arm")                                                   \
      "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper_arm'/></joint>"               \
      "<joint name='elbow' type='continuous'>" rest "</joint></robot>"
  check_refused(PAIR("<parent link='uper_arm'/><child link='fore_arm'/>"), "urdf-link", "did you mean 'upper_arm'?");
  check_refused(PAIR("<parent link='upper_arm'/><child link='fore-arm'/>"), "urdf-link", "did you mean 'fore_arm'?");
#define MIMIC(name) PAIR("<parent link='upper_arm'/><child link='fore_arm'/><mimic joint='" name "'/>")
  check_refused(MIMIC("shoulderr"), "mimic", "did you mean 'shoulder'?");
  check_refused(MIMIC("shoulderr"), "mimic", "--mimic ignore");
  check_refused(MIMIC("quite_another"), "mimic", "--mimic ignore");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constraint_is_a_loop),
      cmocka_unit_test(the_axis_in_the_child_may_be_another),
      cmocka_unit_test(all_kinds_and_the_names_of_joints_are_known),
      cmocka_unit_test(faulty_constraints_are_refused),
      cmocka_unit_test(bounds_may_be_missing_from_version_1_2_on),
      cmocka_unit_test(the_smaller_of_acceleration_and_deceleration_counts),
      cmocka_unit_test(motors_become_armature_when_asked_for),
      cmocka_unit_test(unclear_transmissions_are_left_out_aloud),
      cmocka_unit_test(armature_of_the_joint_goes_first),
      cmocka_unit_test(missing_names_get_suggestions),
  };
  return cmocka_run_group_tests_name("urdf_extensions", tests, NULL, NULL);
}
