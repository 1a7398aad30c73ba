/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading URDF files: what the elements mean, defaults, the tree. */
#include "urdf_help.h"

/* ---- Help ---- */

#define assert_near(a, b, tolerance) assert_near_((a), (b), (tolerance), __LINE__)

static void assert_near_(double a, double b, double tolerance, int line) {
  if (fabs(a - b) <= tolerance || a == b) return;
  print_error("line %d: %.17g is not %.17g to %g\n", line, a, b, tolerance);
  fail();
}

static void assert_all_near(const double *a, const double *b, int n, double tolerance) {
  for (int i = 0; i < n; i++) assert_near(a[i], b[i], tolerance);
}

/* ---- Reading ---- */

static void every_joint_type_of_urdf_is_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    jn_joint_type type;
    int nv;
  } cases[] = {{JOINT("fixed", ""), JN_FIXED, 0},           {JOINT("revolute", ""), JN_REVOLUTE, 1},
               {JOINT("continuous", ""), JN_CONTINUOUS, 1}, {JOINT("prismatic", ""), JN_PRISMATIC, 1},
               {JOINT("planar", ""), JN_PLANAR, 3},         {JOINT("floating", ""), JN_FREE, 6}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jn_model *m = good(cases[i].text);
    assert_int_equal(jn_joint_type_of(m, 1), cases[i].type);
    assert_int_equal(jn_model_nv(m), cases[i].nv);
    assert_string_equal(jn_joint_name(m, 1), "j");
    assert_int_equal(jn_link_parent(m, 1), 0);
    assert_int_equal(jn_joint_type_of(m, 0), JN_FIXED);
    assert_int_equal(jn_link_parent(m, 0), JN_WORLD);
    jn_model_destroy(m);
  }
}

static void defaults_are_those_of_urdf(void **state) {
  (void)state;
  static const double x[3] = {1, 0, 0}, identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  jn_model *m = good(JOINT("prismatic", "<limit effort='1' velocity='2'/>"));
  const jn_joint *j = jn_joint_description(m, 1);
  double T[16], p[10], none[10] = {0};
  jn_link_placement(m, 1, T);
  jn_link_inertia(m, 1, p);
  assert_memory_equal(j->axis, x, sizeof x);
  assert_memory_equal(T, identity, sizeof T);
  assert_memory_equal(p, none, sizeof p);
  assert_true(j->dof[0].lower == 0 && j->dof[0].upper == 0);
  assert_true(j->dof[0].effort == 1 && j->dof[0].velocity == 2 && isinf(j->dof[0].acceleration));
  assert_true(j->dof[0].damping == 0 && j->dof[0].friction == 0 && j->dof[0].armature == 0);
  assert_null(j->mimic);
  assert_string_equal(jn_model_name(m), "r");
  jn_model_destroy(m);
}

static void rpy_turns_about_x_then_y_then_z_of_the_parent(void **state) {
  (void)state;
  jn_model *m = good(JOINT("fixed", "<origin xyz='1 2 3' rpy='0.3 -0.7 1.1'/>"));
  double T[16], x = 0.3, y = -0.7, z = 1.1;
  const double expected[16] = {cos(z) * cos(y),
                               cos(z) * sin(y) * sin(x) - sin(z) * cos(x),
                               cos(z) * sin(y) * cos(x) + sin(z) * sin(x),
                               1,
                               sin(z) * cos(y),
                               sin(z) * sin(y) * sin(x) + cos(z) * cos(x),
                               sin(z) * sin(y) * cos(x) - cos(z) * sin(x),
                               2,
                               -sin(y),
                               cos(y) * sin(x),
                               cos(y) * cos(x),
                               3,
                               0,
                               0,
                               0,
                               1};
  jn_link_placement(m, 1, T);
  assert_all_near(T, expected, 16, 1e-15);
  jn_model_destroy(m);
  m = good(JOINT("fixed", "<origin rpy='1.5707963 0 0'/>")); /* as written, not rounded to a right angle */
  jn_link_placement(m, 1, T);
  assert_true(T[5] == cos(1.5707963) && T[5] > 1e-9);
  jn_model_destroy(m);
}

static void quaternions_of_urdf_1_1_are_read(void **state) {
  (void)state;
  jn_model *m = good(JOINT("fixed", "<origin quat_xyzw='0 0 2 2'/>"));
  static const double quarter[16] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  double T[16];
  jn_link_placement(m, 1, T);
  assert_all_near(T, quarter, 16, 1e-15);
  jn_model_destroy(m);
}

static void rotated_inertial_frames_are_turned_into_link_axes(void **state) {
  (void)state;
  jn_model *m =
      good(INERTIAL("<origin xyz='0.1 0.2 0.3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
                    "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/>"));
  double p[10], mass, com[3], tensor[6];
  const double expected_com[3] = {0.1, 0.2, 0.3};
  const double expected[6] = {2, 1, 2.5, -0.1, -0.3, 0.2}; /* x -> y, y -> -x */
  jn_link_inertia(m, 0, p);
  jn_inertia_unpack(p, &mass, com, tensor);
  assert_near(mass, 2, 0);
  assert_all_near(com, expected_com, 3, 1e-15);
  assert_all_near(tensor, expected, 6, 1e-15);
  jn_model_destroy(m);
}

static void limits_and_dynamics_with_our_own_attributes_are_read(void **state) {
  (void)state;
  jn_model *m = good(
      JOINT("revolute",
            "<axis xyz='0 3 4'/><limit lower=' -1.5' upper='2.5\t' effort='3' velocity='4' acceleration='5' jerk='6' "
            "effort_rate='7'/><dynamics damping='0.1' friction='0.2' armature='0.3'/>"));
  const jn_joint *j = jn_joint_description(m, 1);
  const jn_dof *d = &j->dof[0];
  assert_true(d->lower == -1.5 && d->upper == 2.5 && d->effort == 3 && d->velocity == 4 && d->acceleration == 5);
  assert_true(d->jerk == 6 && d->effort_rate == 7 && d->damping == 0.1 && d->friction == 0.2 && d->armature == 0.3);
  assert_near(j->axis[1], 0.6, 1e-16);
  assert_near(j->axis[2], 0.8, 1e-16);
  jn_model_destroy(m);
}

static void continuous_joints_ignore_lower_and_upper(void **state) {
  (void)state;
  jn_model *m = good(JOINT("continuous", "<limit lower='-1' upper='1' effort='3' velocity='4'/>"));
  const jn_dof *d = &jn_joint_description(m, 1)->dof[0];
  assert_true(d->lower == -INFINITY && d->upper == INFINITY && d->effort == 3);
  jn_model_destroy(m);
}

static void limits_without_bound_may_be_inf_or_1e300(void **state) {
  (void)state;
  jn_model *m = good(JOINT("revolute", "<limit lower='-inf' upper='1e300' effort='inf' velocity='1e300'/>"));
  const jn_dof *d = &jn_joint_description(m, 1)->dof[0];
  assert_true(d->lower == -INFINITY && d->upper == INFINITY && d->effort == INFINITY && d->velocity == INFINITY);
  jn_model_destroy(m);
}

static void every_coordinate_of_planar_and_floating_joints_has_the_limits(void **state) {
  (void)state;
  static const char *const texts[2] = {JOINT("planar", "<limit effort='3' velocity='4'/><dynamics damping='5'/>"),
                                       JOINT("floating", "<limit effort='3' velocity='4'/><dynamics damping='5'/>")};
  for (int i = 0; i < 2; i++) {
    jn_model *m = good(texts[i]);
    assert_int_equal(jn_model_nv(m), i ? 6 : 3);
    for (int k = 0; k < jn_model_nv(m); k++) {
      const jn_dof *d = jn_coordinate_dof(m, k);
      assert_true(d->effort == 3 && d->velocity == 4 && d->damping == 5 && d->lower == -INFINITY);
    }
    jn_model_destroy(m);
  }
}

static const char mimic_text[] =
    ROBOT(AB
          "<link name='c'/>\n<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>\n"
          "<joint name='k' type='continuous'><parent link='a'/><child link='c'/>"
          "<mimic joint='j' multiplier='-2' offset='0.5'/></joint>\n");

static void mimic_couples_joints_unless_it_is_ignored(void **state) {
  (void)state;
  jn_model *m = good(mimic_text);
  int leader;
  double ratio, offset;
  assert_int_equal(jn_model_nv(m), 1);
  assert_true(jn_joint_mimic(m, jn_joint_index(m, "k"), &leader, &ratio, &offset));
  assert_int_equal(leader, jn_joint_index(m, "j"));
  assert_true(ratio == -2 && offset == 0.5);
  jn_model_destroy(m);
  jn_options o;
  jn_options_init(&o);
  o.ignore_mimic = 1;
  loaded l = load_with(mimic_text, &o);
  assert_int_equal(jn_model_nv(l.model), 2);
  drop(&l);
}

static void unknown_elements_are_skipped_with_their_content(void **state) {
  (void)state;
  jn_model *m =
      good(ROBOT("<material name='m'><color rgba='1 1 1 x'/></material>\n"
                 "<transmission name='t'><joint name='j'/><link name='zz'/></transmission>\n"
                 "<gazebo><link name='g'/><joint name='j' type='ball'><mass value='heavy'/></joint></gazebo>\n"
                 "<link name='a'><visual><origin xyz='x'/><inertial><mass value='9'/></inertial></visual>"
                 "<inertial><foo><mass value='7'/></foo>" UNIT
                 "</inertial><contact><mass/></contact></link>\n<link name='b'/>\n"
                 "<joint name='j' type='continuous'><safety_controller k='${'/><calibration rising='nan'/>"
                 "<parent link='a'><child link='zz'/></parent><child "
                 "link='b'/></joint>\n<sensor><deep><deeper/></deep></sensor>\n"));
  assert_int_equal(jn_link_count(m), 2);
  assert_int_equal(jn_model_nv(m), 1);
  assert_near(jn_model_fixed_mass(m), 1, 0);
  jn_model_destroy(m);
}

static void links_follow_the_document_order_of_the_joints_depth_first(void **state) {
  (void)state;
  jn_model *m =
      good(ROBOT("<link name='a1'/><link name='z'/><link name='b2'/><link name='root'/><link name='c'/>"
                 "<link name='y'/>\n" FIXED("1", "z", "c") FIXED("2", "root", "z") FIXED("3", "root", "a1")
                     FIXED("4", "z", "b2") FIXED("5", "a1", "y")));
  static const char *const order[] = {"root", "z", "c", "b2", "a1", "y"};
  assert_int_equal(jn_link_count(m), 6);
  for (int i = 0; i < 6; i++) assert_string_equal(jn_link_name(m, i), order[i]);
  jn_model_destroy(m);
}

static void floating_frees_the_root_link(void **state) {
  (void)state;
  jn_options o;
  jn_options_init(&o);
  o.floating = 1;
  loaded l = load_with(INERTIAL(UNIT), &o);
  assert_int_equal(jn_joint_type_of(l.model, 0), JN_FREE);
  assert_string_equal(jn_joint_name(l.model, 0), "base");
  drop(&l);
}

static void a_root_called_world_is_a_link_unless_it_is_marked(void **state) {
  (void)state;
#define ON_WORLD(mark)                                                                 \
  ROBOT("<link name='world'" mark                                                      \
        "/><link name='b'/>\n<joint name='j' type='continuous'><parent link='world'/>" \
        "<child link='b'/></joint>\n")
  jn_model *m = good(ON_WORLD(""));
  assert_int_equal(jn_link_count(m), 2);
  assert_string_equal(jn_link_name(m, 0), "world");
  assert_int_equal(jn_link_parent(m, 1), 0);
  jn_model_destroy(m);
  m = good(ON_WORLD(" world='true'"));
  assert_int_equal(jn_link_count(m), 1);
  assert_int_equal(jn_link_parent(m, 0), JN_WORLD);
  assert_int_equal(jn_joint_type_of(m, 0), JN_CONTINUOUS);
  jn_model_destroy(m);
}

static void numbers_do_not_depend_on_the_locale(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
  const char *set = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++) set = setlocale(LC_ALL, names[i]);
  if (!set || strcmp(localeconv()->decimal_point, ",") != 0) {
    setlocale(LC_ALL, "C");
    skip();
  }
  loaded comma = load(INERTIAL("<mass value='2,5'/>")), point = load(INERTIAL("<mass value='2.5'/>"));
  char *text = NULL;
  jn_status status = point.model ? jn_save_text(point.model, JN_FORMAT_URDF, NULL, &text, NULL, NULL) : JN_ERR_NULL;
  setlocale(LC_ALL, "C");
  assert_int_equal(comma.status, JN_ERR_SYNTAX);
  assert_int_equal(point.status, JN_OK);
  assert_near(jn_model_fixed_mass(point.model), 2.5, 0);
  assert_int_equal(status, JN_OK);
  assert_non_null(strstr(text, "value=\"2.5\""));
  jn_text_free(text, NULL);
  drop(&comma);
  drop(&point);
}

static void utf_16_with_a_byte_order_mark_is_read(void **state) {
  (void)state;
  const char *text = "<robot name='r'><link name='a'/></robot>";
  char wide[200] = "\xff\xfe";
  size_t n = strlen(text);
  for (size_t i = 0; i < n; i++) wide[2 + 2 * i] = text[i];
  loaded l = load_bytes(wide, 2 + 2 * n, NULL);
  assert_int_equal(l.status, JN_OK);
  assert_string_equal(jn_link_name(l.model, 0), "a");
  drop(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_joint_type_of_urdf_is_read),
      cmocka_unit_test(defaults_are_those_of_urdf),
      cmocka_unit_test(rpy_turns_about_x_then_y_then_z_of_the_parent),
      cmocka_unit_test(quaternions_of_urdf_1_1_are_read),
      cmocka_unit_test(rotated_inertial_frames_are_turned_into_link_axes),
      cmocka_unit_test(limits_and_dynamics_with_our_own_attributes_are_read),
      cmocka_unit_test(continuous_joints_ignore_lower_and_upper),
      cmocka_unit_test(limits_without_bound_may_be_inf_or_1e300),
      cmocka_unit_test(every_coordinate_of_planar_and_floating_joints_has_the_limits),
      cmocka_unit_test(mimic_couples_joints_unless_it_is_ignored),
      cmocka_unit_test(unknown_elements_are_skipped_with_their_content),
      cmocka_unit_test(links_follow_the_document_order_of_the_joints_depth_first),
      cmocka_unit_test(floating_frees_the_root_link),
      cmocka_unit_test(a_root_called_world_is_a_link_unless_it_is_marked),
      cmocka_unit_test(numbers_do_not_depend_on_the_locale),
      cmocka_unit_test(utf_16_with_a_byte_order_mark_is_read),
  };
  return cmocka_run_group_tests_name("urdf", tests, NULL, NULL);
}
