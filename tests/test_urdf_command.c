/* SPDX-License-Identifier: BSD-2-Clause */
/* URDF files and exported tables through the command: what stays, what changes, and what is said about it. */
#include "support/running.h"

#include <sys/stat.h>

static const char robot[] =
    "<?xml version=\"1.0\"?>\n"
    "<!-- a comment -->\n"
    "<robot name=\"arm\">\n"
    "  <link name=\"base\"><visual><geometry><mesh filename=\"meshes/base.stl\"/></geometry></visual></link>\n"
    "  <link name=\"upper\">\n"
    "    <visual><geometry><mesh filename=\"package://arm/upper.stl\"/></geometry></visual>\n"
    "    <inertial><mass value=\"1.50\"/><inertia ixx=\"0.10\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial>\n"
    "  </link>\n"
    "  <joint name=\"shoulder\" type=\"continuous\">\n"
    "    <parent link=\"base\"/><child link=\"upper\"/>\n"
    "    <origin xyz=\"0 0 0.50\" rpy=\"0 0 0\"/><axis xyz=\"0 0 1\"/>\n"
    "  </joint>\n"
    "  <transmission name=\"drive\"><joint name=\"shoulder\"/><actuator name=\"m\">\n"
    "    <mechanicalReduction>10</mechanicalReduction><motorInertia>0.01</motorInertia></actuator></transmission>\n"
    "</robot>\n";

/* The text of a file is `robot` with one piece replaced by another. */
static void check_file(const char *name, const char *from, const char *to) {
  char *text = read_file(name), expected[4096];
  const char *at = from ? strstr(robot, from) : robot;
  assert_non_null(at);
  size_t before = (size_t)(at - robot), skip = from ? strlen(from) : 0;
  snprintf(expected, sizeof expected, "%.*s%s%s", (int)before, robot, to ? to : "", at + skip);
  assert_string_equal(text, expected);
  free(text);
}

static void run_quiet(const char *words, const char *said) {
  outcome o = run_fine(words, 0);
  if (said)
    check_has(o.err, said);
  else
    assert_string_equal(o.err, "");
  done(&o);
}

static void only_what_an_option_changes_changes(void **state) {
  (void)state;
  write_file("arm.urdf", robot);
  run_quiet("convert arm.urdf same.urdf", NULL);
  check_file("same.urdf", NULL, NULL);
  run_quiet("convert arm.urdf - --to urdf >out.urdf", "meshes/base.stl");
  check_file("out.urdf", NULL, NULL);
  run_quiet("convert - in.urdf <arm.urdf", "meshes/base.stl");
  check_file("in.urdf", NULL, NULL);
  run_quiet("convert arm.urdf locked.urdf --lock shoulder", NULL);
  check_file("locked.urdf", "type=\"continuous\"", "type=\"fixed\"");
  run_quiet("convert arm.urdf motors.urdf --transmissions", NULL);
  check_file("motors.urdf", "<axis xyz=\"0 0 1\"/>\n", "<axis xyz=\"0 0 1\"/>\n    <dynamics armature=\"1\"/>\n");
  run_quiet("convert arm.urdf --in-place --transmissions", NULL);
  check_file("arm.urdf", "<axis xyz=\"0 0 1\"/>\n", "<axis xyz=\"0 0 1\"/>\n    <dynamics armature=\"1\"/>\n");
}

static void what_is_left_behind_is_listed(void **state) {
  (void)state;
  write_file("arm.urdf", robot);
  run_quiet("convert arm.urdf arm.json",
            "note: only the model is written, without 2 <visual>, 1 <transmission>, 1 comment");
  run_quiet("convert arm.urdf free.urdf --floating", "read the file with --floating (options.floating = 1)");
  run_quiet("convert arm.urdf moon.urdf --gravity 0,0,-1.62", "give --gravity (options.gravity) when reading");
  run_quiet("convert arm.urdf fresh.urdf --fresh", NULL);
  char *text = read_file("fresh.urdf");
  check_lacks(text, "visual");
  free(text);
}

static void meshes_are_found_from_another_folder(void **state) {
  (void)state;
  write_file("arm.urdf", robot);
  assert_int_equal(mkdir(in_directory("out"), 0700), 0);
  assert_int_equal(mkdir(in_directory("out/deep"), 0700), 0);
  run_quiet("convert arm.urdf out/deep/arm.urdf", "(1) now begin with ../../");
  check_file("out/deep/arm.urdf", "meshes/base.stl", "../../meshes/base.stl");
}

/* The columns of an export, and which of them were used, on stderr. */
static void exported_columns_are_reported(void **state) {
  (void)state;
  char table[4096] = "__time,/joint_states/shoulder/position,/joint_states/shoulder/effort,frame\n";
  for (int i = 0; i < 20; i++) {
    size_t used = strlen(table);
    snprintf(table + used, sizeof table - used, "%.3f,%.4f,0,base\n", 0.1 * i, 0.001 * i * i);
  }
  write_file("arm.urdf", robot);
  write_file("log.csv", table);
  outcome o = run_fine("torque arm.urdf log.csv", 0);
  check_has(o.err, "note: column '__time': is used as 't'");
  check_has(o.err, "note: column '/joint_states/shoulder/position': is used as 'shoulder'");
  check_has(o.err, "1 column of efforts, set points and the like is not part of the motion");
  done(&o);
  o = run_fine("torque arm.urdf log.csv --columns t=#1,shoulder=#2", 0);
  done(&o);
  check_refused(run_here("torque arm.urdf log.csv --columns sholder=#2"), 1, "did you mean 'shoulder'?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_what_an_option_changes_changes),
      cmocka_unit_test(what_is_left_behind_is_listed),
      cmocka_unit_test(meshes_are_found_from_another_folder),
      cmocka_unit_test(exported_columns_are_reported),
  };
  return cmocka_run_group_tests_name("urdf_command", tests, make_directory, remove_directory);
}
