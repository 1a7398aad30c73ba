/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `jounce` as a user meets it: help, mistakes, list, info, and the options of models. */
#include "command_help.h"

/* ---- Help and mistakes ---- */

static void no_arguments_give_usage_on_stderr_and_code_2(void **state) {
  (void)state;
  check_refusal("", 2, "Usage: jounce COMMAND");
}

static void help_names_every_command(void **state) {
  (void)state;
  outcome o = run("--help"), again = run("help");
  const char *const names[] = {"info", "check", "convert", "list", "help", "builtin:NAME"};
  for (int i = 0; i < 6; i++) check_has(o.out, names[i]);
  assert_string_equal(o.out, again.out);
  assert_string_equal(o.err, "");
  assert_int_equal(o.code, 0);
  done(&o);
  done(&again);
}

static void help_of_a_command_names_its_options(void **state) {
  (void)state;
  const char *const commands[] = {"info", "check", "convert"};
  const char *const options[] = {"--floating", "--mimic", "--strict", "--gravity", "--joint-order"};
  for (int i = 0; i < 3; i++) {
    char line[64];
    snprintf(line, sizeof line, "help %s", commands[i]);
    outcome o = run(line);
    snprintf(line, sizeof line, "%s --help", commands[i]);
    outcome again = run(line);
    for (int k = 0; k < 5; k++) check_has(o.out, options[k]);
    check_has(o.out, "--help=all");
    check_lacks(o.out, "treat warnings as errors");
    assert_string_equal(o.out, again.out);
    assert_int_equal(o.code, 0);
    assert_int_equal(again.code, 0);
    done(&o);
    done(&again);
  }
}

static void full_help_explains_shared_options_after_own_ones(void **state) {
  (void)state;
  const char *const commands[] = {"info", "torque", "eval", "simulate", "motor", "retime", "reach"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    char line[64];
    snprintf(line, sizeof line, "%s --help=all", commands[i]);
    outcome o = run(line);
    assert_int_equal(o.code, 0);
    check_has(o.out, "--mimic follow|ignore");
    check_has(o.out, "treat warnings as errors");

    const char *shared = strstr(o.out, "\nHow MODEL is read"), *own = strstr(o.out, "\nOptions:");
    assert_true(own && shared && own < shared);
    done(&o);
  }
}

static void version_is_that_of_the_library(void **state) {
  (void)state;
  outcome o = run("--version");
  check_has(o.out, jn_version());
  if (jn_variant_name())
    check_has(o.out, strstr(jn_variant_name(), "avx2") ? "instruction set: AVX2" : "instruction set: ");
  assert_int_equal(o.code, 0);
  done(&o);
}

static void near_words_are_suggested_and_far_ones_are_not(void **state) {
  (void)state;
  check_refusal("chekc builtin:panda", 2, "unknown command 'chekc'; did you mean check?");
  check_refusal("info --gravty 0,0,0 builtin:panda", 2, "unknown option --gravty; did you mean --gravity?");
  check_refusal("info --float builtin:panda", 2, "did you mean --floating?");
  check_refusal("--versoin", 2, "did you mean --version?");
  outcome o = run("frobnicate");
  check_lacks(o.err, "did you mean");
  assert_int_equal(o.code, 2);
  done(&o);
}

static void wrong_usage_is_reported_with_code_2(void **state) {
  (void)state;
  check_refusal("info", 2, "MODEL is missing");
  check_refusal("convert builtin:panda", 2, "OUT is missing");
  check_refusal("info a b", 2, "one argument too many: 'b'");
  check_refusal("info builtin:panda --gravity", 2, "--gravity needs a value: --gravity X,Y,Z");
  check_refusal("info builtin:panda --gravity --json", 2, "--gravity needs a value");
  check_refusal("info builtin:panda --gravity 1,2", 2, "three numbers");
  check_refusal("info builtin:panda --gravity=1,x,2", 2, "'x' is not a number");
  check_refusal("info builtin:panda --gravity=1,0x10,2", 2, "'0x10' is not a number");
  check_refusal("info builtin:panda --gravity=1,,2", 2, "'' is not a number");
  check_refusal("info builtin:panda --gravity=1,inf,2", 2, "'inf' is not a number");
  check_refusal("info builtin:panda --mimic perhaps", 2, "--mimic takes follow|ignore, not 'perhaps'");
  check_refusal("info builtin:panda --joint-order a,,b", 2, "a name is empty");
  check_refusal("info builtin:panda --json=yes", 2, "--json takes no value");
  check_refusal("convert builtin:panda -", 2, "--to urdf or --to json");
}

static void options_mean_the_same_in_every_place_and_form(void **state) {
  (void)state;
  need_robots();
  outcome a = run("info builtin:panda --json --gravity -1,2,0.5");
  outcome b = run("info --gravity=-1,2,0.5 --json -- builtin:panda");
  assert_int_equal(a.code, 0);
  assert_string_equal(a.out, b.out);
  check_has(a.out, "\"gravity\": [-1, 2, 0.5]");
  done(&a);
  done(&b);
}

static void after_two_dashes_everything_is_an_argument(void **state) {
  (void)state;
  check_refusal("info -- --json", 1, "jounce: --json: ");
}

/* ---- list and info ---- */

static void list_names_every_builtin_robot(void **state) {
  (void)state;
  outcome o = run("list"), json = run("list --json");
  assert_int_equal(o.code, 0);
  check_has(o.out, "builtin:chain:N");
  check_json(json.out);
  for (int i = 0; i < jn_builtin_count(); i++) {
    char path[32];
    check_has(o.out, jn_builtin_name(i));
    snprintf(path, sizeof path, "%d.name", i);
    check_string_at(json.out, path, jn_builtin_name(i));
  }
  done(&o);
  done(&json);
}

static void info_shows_every_link_and_joint(void **state) {
  (void)state;
  need_robots();
  jn_model *model;
  assert_int_equal(jn_load("builtin:quadruped", NULL, &model, NULL), JN_OK);
  outcome o = run("info builtin:quadruped");
  assert_int_equal(o.code, 0);
  for (int i = 0; i < jn_link_count(model); i++) {
    check_has(o.out, jn_link_name(model, i));
    check_has(o.out, jn_joint_name(model, i));
  }
  char totals[64];
  snprintf(totals, sizeof totals, "nq = %d, nv = %d", jn_model_nq(model), jn_model_nv(model));
  check_has(o.out, totals);
  check_has(o.out, "0-5"); /* the coordinates of the free joint */
  check_lacks(o.out, " \n");
  jn_model_destroy(model);
  done(&o);
}

static void the_tree_follows_the_character_set_of_the_locale(void **state) {
  (void)state;
  need_robots();
  outcome utf8 = run_with("LC_ALL=C.UTF-8", "info builtin:double_pendulum");
  outcome ascii = run_with("LC_ALL=C", "info builtin:double_pendulum");
  outcome lang = run_with("LC_ALL= LC_CTYPE= LANG=de_DE.utf8", "info builtin:double_pendulum");
  check_has(utf8.out, "└─ ");
  check_has(ascii.out, "`- ");
  for (const char *s = ascii.out; *s; s++) assert_true((unsigned char)*s < 0x80);
  assert_string_equal(utf8.out, lang.out);
  done(&utf8);
  done(&ascii);
  done(&lang);
}

static void info_json_agrees_with_the_library_to_the_last_digit(void **state) {
  (void)state;
  need_robots();
  for (int i = 0; i < jn_builtin_count(); i++) {
    char line[96], path[64];
    double inertia[10];
    jn_model *model;
    snprintf(line, sizeof line, "builtin:%s", jn_builtin_name(i));
    assert_int_equal(jn_load(line, NULL, &model, NULL), JN_OK);
    outcome o = run(line_of("info --json", line, ""));
    assert_int_equal(o.code, 0);
    check_json(o.out);
    assert_int_equal((int)number_at(o.out, "nq"), jn_model_nq(model));
    assert_int_equal((int)number_at(o.out, "nv"), jn_model_nv(model));
    assert_true(number_at(o.out, "mass") == jn_model_mass(model));
    int last = jn_link_count(model) - 1;
    snprintf(path, sizeof path, "links.%d.name", last);
    check_string_at(o.out, path, jn_link_name(model, last));
    assert_int_equal(jn_link_inertia(model, last, inertia), JN_OK);
    for (int k = 0; k < 10; k++) {
      snprintf(path, sizeof path, "links.%d.inertia.%d", last, k);
      assert_true(number_at(o.out, path) == inertia[k]);
    }
    jn_model_destroy(model);
    done(&o);
  }
}

static void info_shows_limits_of_a_file(void **state) {
  (void)state;
  need_robots();
  write_file("limits.json", "{\"panda_joint2\": {\"velocity\": 0.125, \"jerk\": 7, \"upper\": null}}");
  outcome o = run_here("info --json builtin:panda --limits limits.json"), model = run("info --json builtin:panda");

  /* The file's, and the model's where it has none. */
  assert_true(number_at(o.out, "links.1.joint.limits.0.velocity") == 0.125);
  assert_true(number_at(o.out, "links.1.joint.limits.0.jerk") == 7);
  assert_memory_equal(at(o.out, "links.1.joint.limits.0.upper"), "null", 4);
  const char *const kept[] = {"links.1.joint.limits.0.lower", "links.0.joint.limits.0.velocity"};
  for (int i = 0; i < 2; i++) assert_true(number_at(o.out, kept[i]) == number_at(model.out, kept[i]));

  outcome table = run_here("info builtin:panda --limits limits.json");
  check_has(table.out, "0.125");
  done(&o);
  done(&model);
  done(&table);
}

static void info_json_says_null_where_there_is_no_limit(void **state) {
  (void)state;
  need_robots();
  outcome o = run("info --json builtin:chain:3");
  check_json(o.out);
  assert_int_equal((int)number_at(o.out, "nv"), 3);
  assert_memory_equal(at(o.out, "links.0.joint.limits.0.jerk"), "null", 4);
  assert_memory_equal(at(o.out, "links.0.joint.mimic"), "null", 4);
  assert_memory_equal(at(o.out, "links.0.parent"), "null", 4);
  done(&o);
}

static void very_long_chains_are_listed_with_numbers(void **state) {
  (void)state;
  need_robots();
  outcome o = run("info builtin:chain:300");
  assert_int_equal(o.code, 0);
  check_has(o.out, "  300  ");
  assert_true(strlen(o.out) < 300 * 200);
  done(&o);
}

/* ---- Options of models ---- */

static void mimic_follow_couples_and_ignore_frees(void **state) {
  (void)state;
  need_urdf();
  const char *path = write_file("hand.urdf", good_urdf);
  outcome follow = run(line_of("info --json", path, "")), ignore = run(line_of("info --json", path, "--mimic ignore"));
  outcome text = run(line_of("info", path, "--mimic=follow"));
  assert_int_equal((int)number_at(follow.out, "nv"), 1);
  assert_int_equal((int)number_at(ignore.out, "nv"), 2);
  check_string_at(follow.out, "links.2.joint.mimic.joint", "open");
  assert_true(number_at(follow.out, "links.2.joint.mimic.ratio") == -2);
  assert_memory_equal(at(ignore.out, "links.2.joint.mimic"), "null", 4);
  check_has(text.out, "-2 * open + 0.5");
  check_has(text.out, "(0)");
  done(&follow);
  done(&ignore);
  done(&text);
}

static void floating_gives_the_root_a_free_joint(void **state) {
  (void)state;
  need_urdf();
  const char *path = write_file("hand.urdf", good_urdf);
  outcome fixed = run(line_of("info --json", path, "")), floating = run(line_of("info --json --floating", path, ""));
  assert_int_equal((int)number_at(floating.out, "nq"), (int)number_at(fixed.out, "nq") + 7);
  assert_int_equal((int)number_at(floating.out, "nv"), (int)number_at(fixed.out, "nv") + 6);
  check_string_at(floating.out, "links.0.joint.type", "free");
  check_string_at(floating.out, "joints.0.name", "base");
  done(&fixed);
  done(&floating);
}

static void joint_order_moves_coordinates(void **state) {
  (void)state;
  need_robots();
  outcome o = run("info --json --joint-order panda_joint7,panda_joint2 builtin:panda");
  assert_int_equal(o.code, 0);
  check_string_at(o.out, "joints.0.name", "panda_joint7");
  check_string_at(o.out, "joints.1.name", "panda_joint2");
  check_string_at(o.out, "joints.2.name", "panda_joint1");
  done(&o);
  check_refusal("info --joint-order nobody builtin:panda", 1, "nobody");
}

static void a_model_can_come_from_standard_input(void **state) {
  (void)state;
  need_urdf();
  char before[128];
  snprintf(before, sizeof before, "cat '%s' |", write_file("hand.urdf", good_urdf));
  outcome o = run_with(before, "info --json -");
  assert_int_equal(o.code, 0);
  check_string_at(o.out, "name", "hand");
  done(&o);
  o = run_with("echo nonsense |", "info -");
  assert_int_equal(o.code, 1);
  check_has(o.err, "jounce: <stdin>:1");
  done(&o);
}

static void control_characters_do_not_reach_the_terminal(void **state) {
  (void)state;
  outcome o = run("info \"$(printf 'no\\033[31mfile')\"");
  assert_int_equal(o.code, 1);
  check_has(o.err, "no?[31mfile");
  check_lacks(o.err, "\033");
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_arguments_give_usage_on_stderr_and_code_2),
      cmocka_unit_test(help_names_every_command),
      cmocka_unit_test(help_of_a_command_names_its_options),
      cmocka_unit_test(full_help_explains_shared_options_after_own_ones),
      cmocka_unit_test(info_shows_limits_of_a_file),
      cmocka_unit_test(version_is_that_of_the_library),
      cmocka_unit_test(near_words_are_suggested_and_far_ones_are_not),
      cmocka_unit_test(wrong_usage_is_reported_with_code_2),
      cmocka_unit_test(options_mean_the_same_in_every_place_and_form),
      cmocka_unit_test(after_two_dashes_everything_is_an_argument),
      cmocka_unit_test(list_names_every_builtin_robot),
      cmocka_unit_test(info_shows_every_link_and_joint),
      cmocka_unit_test(the_tree_follows_the_character_set_of_the_locale),
      cmocka_unit_test(info_json_agrees_with_the_library_to_the_last_digit),
      cmocka_unit_test(info_json_says_null_where_there_is_no_limit),
      cmocka_unit_test(very_long_chains_are_listed_with_numbers),
      cmocka_unit_test(mimic_follow_couples_and_ignore_frees),
      cmocka_unit_test(floating_gives_the_root_a_free_joint),
      cmocka_unit_test(joint_order_moves_coordinates),
      cmocka_unit_test(a_model_can_come_from_standard_input),
      cmocka_unit_test(control_characters_do_not_reach_the_terminal),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
