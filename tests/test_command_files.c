/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce check and convert: exit codes, messages, and files that read back as the same model. */
#include "command_help.h"

/* ---- Models ---- */

/* The inertia of 'left' on line 3 is none of a rigid body: a warning. */
static const char warning_urdf[] =
    "<robot name='hand'>\n"
    "  <link name='palm'/>\n"
    "  <link name='left'><inertial><mass value='0.3'/><inertia ixx='1e-4' iyy='1e-4' izz='5e-4' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "  <joint name='open' type='prismatic'><parent link='palm'/><child link='left'/><axis xyz='0 1 0'/>"
    "<limit lower='0' upper='0.04' effort='20' velocity='0.2'/></joint>\n"
    "</robot>\n";

/* Two errors: a zero axis on line 4, an unknown parent on line 5. */
static const char error_urdf[] =
    "<robot name='bad'>\n"
    "  <link name='a'/><link name='b'/><link name='c'/>\n"
    "\n"
    "  <joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/></joint>\n"
    "  <joint name='k' type='fixed'><parent link='nowhere'/><child link='c'/></joint>\n"
    "</robot>\n";

/* ---- check ---- */

static void check_is_0_for_a_good_model(void **state) {
  (void)state;
  need_robots();
  outcome o = run("check builtin:panda"), json = run("check --json builtin:panda");
  assert_int_equal(o.code, 0);
  check_has(o.out, "builtin:panda: good: 0 errors, 0 warnings");
  check_lacks(o.out, "\033");
  assert_string_equal(o.err, "");
  assert_int_equal(json.code, 0);
  check_json(json.out);
  assert_memory_equal(at(json.out, "good"), "true", 4);
  done(&o);
  done(&json);
}

static void check_is_1_for_warnings_and_shows_their_place(void **state) {
  (void)state;
  need_urdf();
  char place[128];
  const char *path = write_file("warning.urdf", warning_urdf);
  outcome o = run(line_of("check", path, "")), json = run(line_of("check --json", path, ""));
  assert_int_equal(o.code, 1);
  snprintf(place, sizeof place, "%s:3:3: warning: link 'left': ", path);
  check_has(o.out, place);
  check_has(o.out, "[inertia-triangle]\n    ");
  check_has(o.out, "usable: 0 errors, 1 warning, 0 notes");
  assert_int_equal(json.code, 1);
  check_json(json.out);
  assert_int_equal((int)number_at(json.out, "messages.0.line"), 3);
  check_string_at(json.out, "messages.0.rule", "inertia-triangle");
  done(&o);
  done(&json);
}

static void warnings_are_errors_in_strict_mode_only(void **state) {
  (void)state;
  need_urdf();
  const char *path = write_file("warning.urdf", warning_urdf);
  outcome o = run(line_of("info", path, ""));
  assert_int_equal(o.code, 0);
  check_has(o.err, "jounce: 1 warning; see: jounce check ");
  check_has(o.err, path);
  done(&o);
  check_refusal(line_of("info --strict", path, ""), 1, "link 'left': ");
  o = run(line_of("check --strict", path, ""));
  assert_int_equal(o.code, 1);
  check_has(o.out, "not usable: 1 error");
  done(&o);
}

static void all_errors_are_reported_not_only_the_first(void **state) {
  (void)state;
  need_urdf();
  const char *path = write_file("bad.urdf", error_urdf);
  outcome o = run(line_of("info", path, "")), check = run(line_of("check", path, ""));
  assert_int_equal(o.code, 1);
  assert_string_equal(o.out, "");
  check_has(o.err, "bad.urdf:4:");
  check_has(o.err, "joint 'j': ");
  check_has(o.err, "bad.urdf:5:");
  check_has(o.err, "'nowhere'");
  assert_int_equal(check.code, 1);
  check_has(check.out, "not usable");
  done(&o);
  done(&check);
}

static void what_cannot_be_read_is_code_1(void **state) {
  (void)state;
  check_refusal("info /no/such/file.urdf", 1, "jounce: /no/such/file.urdf: ");
  check_refusal("info builtin:nobody", 1, "nobody");
  outcome o = run("check /no/such/file.urdf");
  assert_int_equal(o.code, 1);
  check_has(o.out, "/no/such/file.urdf: error: ");
  done(&o);
}

/* ---- Output ---- */

static void output_that_does_not_arrive_is_code_1(void **state) {
  (void)state;
  if (access("/dev/full", W_OK) == 0) check_refusal("--help >/dev/full", 1, "cannot write to standard output");
  outcome o = run("list >&-");
  assert_int_equal(o.code, 1);
  check_has(o.err, "cannot write to standard output");
  done(&o);
}

/* What info --json says from "nq" on: without the name of the source. */
static void check_same_model(const char *a, const char *b) {
  assert_string_equal(strstr(a, "\"nq\""), strstr(b, "\"nq\""));
}

static void native_files_keep_all_of_a_model(void **state) {
  (void)state;
  need_robots();
  const char *const robots[] = {"builtin:panda", "builtin:humanoid", "builtin:chain:4"};
  for (int i = 0; i < 3; i++) {
    const char *path = in_directory("copy.json");
    char line[256];
    snprintf(line, sizeof line, "convert %s '%s'", robots[i], path);
    outcome o = run(line);
    assert_int_equal(o.code, 0);
    done(&o);
    outcome a = run(line_of("info --json", robots[i], "")), b = run(line_of("info --json", path, ""));
    assert_int_equal(b.code, 0);
    check_same_model(a.out, b.out);
    done(&a);
    done(&b);
  }
}

static void urdf_written_to_standard_output_reads_back(void **state) {
  (void)state;
  need_robots();
  need_urdf();
  outcome o = run("convert --to urdf builtin:double_pendulum -");
  assert_int_equal(o.code, 0);
  check_has(o.out, "<robot name=\"double_pendulum\">");
  outcome back = run(line_of("info --json", write_file("copy.urdf", o.out), ""));
  assert_int_equal(back.code, 0);
  assert_int_equal((int)number_at(back.out, "nv"), 2);
  assert_true(number_at(back.out, "mass") > 1.999 && number_at(back.out, "mass") < 2.001);
  done(&o);
  done(&back);
}

static void what_the_format_loses_is_a_warning_on_stderr(void **state) {
  (void)state;
  need_robots();
  need_urdf();
  outcome o = run("convert --to urdf --gravity 0,0,-1.62 builtin:double_pendulum -");
  assert_int_equal(o.code, 0);
  check_has(o.err, "jounce: <stdout>: warning: ");
  check_has(o.err, "-1.62");
  done(&o);
}

static void what_cannot_be_written_is_code_1_and_a_wrong_name_code_2(void **state) {
  (void)state;
  need_robots();
  check_refusal("convert builtin:panda /no/such/directory/x.json", 1, "jounce: /no/such/directory/x.json: ");
  check_refusal(line_of("convert builtin:panda", in_directory("x.foo"), ""), 2, ".json");
  assert_int_not_equal(access(in_directory("x.foo"), F_OK), 0);
}

/* ---- Main ---- */

static void a_hint_can_be_pasted_whatever_the_name_of_the_file(void **state) {
  (void)state;
  need_urdf();
  const char *path = in_directory("it's $(x).urdf");
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("<robot><link name='a'/></robot>", f);
  fclose(f);
  char line[256];
  snprintf(line, sizeof line, "info \"%s/it's \\$(x).urdf\"", directory);
  outcome o = run(line);
  assert_int_equal(o.code, 0);
  assert_non_null(strstr(o.err, "/it'\\''s $(x).urdf'"));
  done(&o);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hint_can_be_pasted_whatever_the_name_of_the_file),
      cmocka_unit_test(check_is_0_for_a_good_model),
      cmocka_unit_test(check_is_1_for_warnings_and_shows_their_place),
      cmocka_unit_test(warnings_are_errors_in_strict_mode_only),
      cmocka_unit_test(all_errors_are_reported_not_only_the_first),
      cmocka_unit_test(what_cannot_be_read_is_code_1),
      cmocka_unit_test(output_that_does_not_arrive_is_code_1),
      cmocka_unit_test(native_files_keep_all_of_a_model),
      cmocka_unit_test(urdf_written_to_standard_output_reads_back),
      cmocka_unit_test(what_the_format_loses_is_a_warning_on_stderr),
      cmocka_unit_test(what_cannot_be_written_is_code_1_and_a_wrong_name_code_2),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
