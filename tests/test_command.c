/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `jounce` as a user meets it: exit codes, what goes to stdout and stderr, JSON that programs can read.
 * JN_COMMAND is the path of the binary. */
#include "support/running.h"

#include <stdbool.h>

static outcome run(const char *arguments) { return run_with("", arguments); }

static void check_refusal(const char *arguments, int code, const char *part) {
  check_refused(run(arguments), code, part);
}

/* "verb 'path' rest" */
static const char *line_of(const char *verb, const char *path, const char *rest) {
  static char line[512];
  snprintf(line, sizeof line, "%s '%s' %s", verb, path, rest);
  return line;
}

/* ---- A small JSON reader ---- */

static const char *skip_blank(const char *s) { return s + strspn(s, " \n\t\r"); }

/* Behind the string that starts at s; NULL when it is not one. */
static const char *skip_string(const char *s) {
  if (*s++ != '"') return NULL;
  for (; *s != '"'; s++) {
    if ((unsigned char)*s < 0x20) return NULL;
    if (*s != '\\') continue;
    s++;
    if (!*s || !strchr("\"\\/bfnrtu", *s)) return NULL;
    if (*s == 'u' && strspn(s + 1, "0123456789abcdefABCDEF") < 4) return NULL;
  }
  return s + 1;
}

static const char *skip_plain(const char *s) {
  static const char *const words[] = {"true", "false", "null"};
  for (int i = 0; i < 3; i++) {
    if (strncmp(s, words[i], strlen(words[i])) == 0) return s + strlen(words[i]);
  }
  char *end;
  if (*s != '-' && (*s < '0' || *s > '9')) return NULL; /* strtod() would take "inf" and " 1" */
  strtod(s, &end);
  return end == s ? NULL : end;
}

/* Behind the value that starts at s; NULL when it is not JSON. */
static const char *skip_value(const char *s) {
  if (*s == '"') return skip_string(s);
  if (*s != '{' && *s != '[') return skip_plain(s);
  char close = *s == '{' ? '}' : ']';
  s = skip_blank(s + 1);
  if (*s == close) return s + 1;
  for (;;) {
    if (close == '}') {
      if (!(s = skip_string(s))) return NULL;
      s = skip_blank(s);
      if (*s++ != ':') return NULL;
      s = skip_blank(s);
    }
    if (!(s = skip_value(s))) return NULL;
    s = skip_blank(s);
    if (*s == close) return s + 1;
    if (*s++ != ',') return NULL;
    s = skip_blank(s);
  }
}

static void check_json(const char *text) {
  const char *end = skip_value(skip_blank(text));
  if (!end || *skip_blank(end)) fail_msg("not JSON:\n%.2000s", text);
}

/* The value of a member of an object, or of element [index] of an array when key is NULL; NULL when there is none. */
static const char *member(const char *s, const char *key, int index) {
  bool object = *s == '{';
  for (s = skip_blank(s + 1); *s != '}' && *s != ']'; s = skip_blank(s)) {
    bool found = !key && index-- == 0;
    if (object) {
      const char *end = skip_string(s);
      found = key && strlen(key) == (size_t)(end - s - 2) && strncmp(s + 1, key, strlen(key)) == 0;
      s = skip_blank(skip_blank(end) + 1);
    }
    if (found) return s;
    s = skip_blank(skip_value(s));
    if (*s == ',') s++;
  }
  return NULL;
}

/* The value at a path such as "links.0.name". Fails the test when there is none. */
static const char *at(const char *text, const char *path) {
  const char *s = skip_blank(text);
  char word[64];
  for (const char *p = path; *p;) {
    size_t n = strcspn(p, ".");
    snprintf(word, sizeof word, "%.*s", (int)n, p);
    bool index = word[strspn(word, "0123456789")] == 0;
    s = index ? member(s, NULL, atoi(word)) : member(s, word, 0);
    if (!s) fail_msg("no %s in:\n%.2000s", path, text);
    p += n + (p[n] == '.');
  }
  return s;
}

static double number_at(const char *text, const char *path) { return strtod(at(text, path), NULL); }

static void check_string_at(const char *text, const char *path, const char *expected) {
  const char *s = at(text, path);
  char quoted[128];
  snprintf(quoted, sizeof quoted, "\"%s\"", expected);
  if (strncmp(s, quoted, strlen(quoted)) != 0) fail_msg("%s should be %s: %.60s", path, quoted, s);
}

/* ---- Models ---- */

static const char good_urdf[] =
    "<robot name='hand'>\n"
    "  <link name='palm'/>\n"
    "  <link name='left'><inertial><mass value='0.3'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "  <link name='right'><inertial><mass value='0.3'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "  <joint name='open' type='prismatic'><parent link='palm'/><child link='left'/><axis xyz='0 1 0'/>"
    "<limit lower='0' upper='0.04' effort='20' velocity='0.2'/></joint>\n"
    "  <joint name='copy' type='prismatic'><parent link='palm'/><child link='right'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='20' velocity='0.2'/><mimic joint='open' multiplier='-2' "
    "offset='0.5'/></joint>\n"
    "</robot>\n";

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

static void need_robots(void) {
  if (jn_builtin_count() == 0) skip(); /* a build without jansson */
}

static void need_urdf(void) {
  jn_model *model = NULL;
  jn_status status = jn_load_text(good_urdf, strlen(good_urdf), JN_FORMAT_URDF, "good", NULL, &model, NULL);
  jn_model_destroy(model);
  if (status == JN_ERR_UNSUPPORTED) skip(); /* a build without expat */
  assert_int_equal(status, JN_OK);
}

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
  const char *const options[] = {"--floating", "--mimic follow|ignore", "--strict", "--gravity", "--joint-order"};
  for (int i = 0; i < 3; i++) {
    char line[64];
    snprintf(line, sizeof line, "help %s", commands[i]);
    outcome o = run(line);
    snprintf(line, sizeof line, "%s --help", commands[i]);
    outcome again = run(line);
    for (int k = 0; k < 5; k++) check_has(o.out, options[k]);
    assert_string_equal(o.out, again.out);
    assert_int_equal(o.code, 0);
    assert_int_equal(again.code, 0);
    done(&o);
    done(&again);
  }
}

static void version_is_that_of_the_library(void **state) {
  (void)state;
  outcome o = run("--version");
  check_has(o.out, jn_version());
  if (jn_row_name()) check_has(o.out, strstr(jn_row_name(), "avx2") ? "instruction set: AVX2" : "instruction set: ");
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

static void wrong_use_is_told_with_code_2(void **state) {
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

static void check_is_1_for_warnings_and_tells_their_place(void **state) {
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

static void all_errors_are_told_not_only_the_first(void **state) {
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
      cmocka_unit_test(no_arguments_give_usage_on_stderr_and_code_2),
      cmocka_unit_test(help_names_every_command),
      cmocka_unit_test(help_of_a_command_names_its_options),
      cmocka_unit_test(version_is_that_of_the_library),
      cmocka_unit_test(near_words_are_suggested_and_far_ones_are_not),
      cmocka_unit_test(wrong_use_is_told_with_code_2),
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
      cmocka_unit_test(check_is_0_for_a_good_model),
      cmocka_unit_test(check_is_1_for_warnings_and_tells_their_place),
      cmocka_unit_test(warnings_are_errors_in_strict_mode_only),
      cmocka_unit_test(all_errors_are_told_not_only_the_first),
      cmocka_unit_test(what_cannot_be_read_is_code_1),
      cmocka_unit_test(output_that_does_not_arrive_is_code_1),
      cmocka_unit_test(native_files_keep_all_of_a_model),
      cmocka_unit_test(urdf_written_to_standard_output_reads_back),
      cmocka_unit_test(what_the_format_loses_is_a_warning_on_stderr),
      cmocka_unit_test(what_cannot_be_written_is_code_1_and_a_wrong_name_code_2),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
