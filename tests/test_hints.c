/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command says to a mistake: the right exit code, what was likely meant, and nothing that is not so. */
#include "support/running.h"

#include <stdbool.h>

static void check_run(const char *words, int code, const char *part) {
  outcome o = run_here(words);
  if (o.code != code) fail_msg("%s: code %d, not %d:\n%s%s", words, o.code, code, o.out, o.err);
  if (part && !strstr(o.err, part)) fail_msg("%s: '%s' is not in:\n%s", words, part, o.err);
  done(&o);
}

/* 2: wrong use of the command line, found before anything is read; 1: a file is bad or cannot be written. */
static void a_wrong_ending_is_wrong_use(void **state) {
  (void)state;
  check_run("torque builtin:panda builtin:demo --out x.xlsx", 2, ".csv or .npz");
  check_run("torque nowhere.urdf builtin:demo --out x.xlsx", 2, ".csv or .npz");
  check_run("torque builtin:panda builtin:demo --plot x.gif", 2, ".svg, .png or .pdf");
  check_run("convert builtin:panda out.xyz", 2, ".urdf, .xml or .json");
  check_run("convert nowhere.urdf out.xyz", 2, ".urdf, .xml or .json");
  check_run("convert builtin:panda out.xyz --to json", 0, NULL);
  check_run("torque builtin:panda builtin:demo --out nowhere/x.csv", 1, "cannot write nowhere/x.csv");
  check_run("convert builtin:panda nowhere/out.json", 1, "nowhere/out.json");
}

static void names_that_are_nearly_right_are_suggested(void **state) {
  (void)state;
  check_run("eval builtin:panda --want pose --link panda_lnk7 </dev/null", 2, "did you mean 'panda_link7'?");
  check_run("eval builtin:panda --want pose --link PANDA_LINK7 </dev/null", 2, "did you mean 'panda_link7'?");
  check_run("eval builtin:panda --want pose --link link7 </dev/null", 2, "did you mean 'panda_link7'?");
  check_run("eval builtin:panda --want pose --link nothing </dev/null", 2, "there are panda_link");
  check_run("torque builtin:panda builtin:demo --payload 1,0,0,0 --payload-frame panda_lnk7", 2,
            "did you mean 'panda_link7'?");
  check_run("torque builtin:panda builtin:demo --plot - --joints panda_jonit3", 2, "did you mean 'panda_joint3'?");
  check_run("torque builtin:panda builtin:demo --plot - --joints 'x*'", 2, "no moving joint matches 'x*'");
  check_run("info builtin:panda --joint-order panda_jiont2,panda_joint1", 1, "did you mean 'panda_joint2'?");
  write_file("m.json", "{\"duration\": 1, \"joints\": {\"motor\": {\"polynomial\": [0, 0.1]}}}");
  check_run("torque builtin:four_bar m.json --actuated motr", 2, "did you mean 'motor'?");
}

static void columns_of_wrenches_are_suggested(void **state) {
  (void)state;
  static const char *const columns[][2] = {
      {"panda_lnk7_fx", "did you mean 'panda_link7_fx'?"},        {"panda_link7_Fx", "did you mean 'panda_link7_fx'?"},
      {"panda_link7_tx", "did you mean 'panda_link7_mx'?"},       {"panda_link7", "the nearest link is 'panda_link7'"},
      {"panda_link7_force", "the nearest link is 'panda_link7'"}, {"zzz_fx", "columns are LINK_mx"}};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    char text[128];
    snprintf(text, sizeof text, "t,%s\n0,1\n", columns[i][0]);
    write_file("w.csv", text);
    check_run("torque builtin:panda builtin:demo --wrench w.csv", 1, columns[i][1]);
  }
}

static void swapped_arguments_are_reported(void **state) {
  (void)state;
  write_file("q.csv", "t,panda_joint1\n0,0\n1,1\n2,2\n");
  write_file("m.json", "{\"duration\": 1, \"joints\": {\"panda_joint1\": 0}}");
  check_run("convert builtin:panda r.urdf", 0, NULL);
  check_run("convert builtin:panda r.json", 0, NULL);
  static const char *const robots[] = {"r.urdf", "r.json", "builtin:panda"}, *const motions[] = {"q.csv", "m.json",
                                                                                                 "builtin:demo"};
  for (int r = 0; r < 3; r++) {
    for (int m = 0; m < 3; m++) {
      char words[80], hint[80];
      snprintf(words, sizeof words, "torque %s %s", motions[m], robots[r]);
      snprintf(hint, sizeof hint, "did you mean: jounce torque %s %s?", robots[r], motions[m]);
      check_run(words, 2, hint);
    }
  }
  check_run("torque r.urdf nowhere.csv", 1, "nowhere.csv");
  check_run("torque r.urdf r.json", 1, "r.json"); /* two robots are not swapped */
}

/* Every unit that an error offers is taken, and is one that the page names. */
static void units_of_messages_are_those_of_the_page(void **state) {
  (void)state;
  static const char *const columns[] = {"shoulder", "shoulder_d1", "t", "upper_fx", "upper_mx"};
  static const char *const offered[] = {"rad, mrad, deg, rev", "rad/s, mrad/s, deg/s, rev/s, rpm",
                                        "s, ms, us, ns, min, h", "N, mN, kN, MN", "N m, N cm, N mm, kN m"};
  for (int i = 0; i < 5; i++) {
    bool wrench = i > 2;
    char text[512], list[128], here[160];
    for (int k = -1; k < 8; k++) { /* first with a unit that does not exist, then with all that are offered */
      char *unit = NULL, *rest = NULL;
      snprintf(list, sizeof list, "%s", offered[i]);
      unit = k < 0 ? "furlong" : strtok_r(list, ",", &rest);
      for (int n = 0; n < k && unit; n++) unit = strtok_r(NULL, ",", &rest);
      if (!unit) break;
      unit += *unit == ' ';
      snprintf(text, sizeof text,
               i == 2   ? "t [%s],shoulder,elbow\n"
               : wrench ? "t,%s [%s]\n"
                        : "t,elbow,%s [%s]%s\n",
               i == 2 ? unit : columns[i], unit, i == 1 ? ",shoulder" : "");
      for (int r = 0; r < 9; r++) {
        char row[64];
        snprintf(row, sizeof row, wrench ? "%d,0\n" : i == 1 ? "%d,0,0,0\n" : "%d,0,0\n", r);
        strcat(text, row);
      }
      write_file("u.csv", text);
      write_file("q.csv", "t,shoulder,elbow\n0,0,0\n1,0,0\n2,0,0\n3,0,0\n4,0,0\n5,0,0\n6,0,0\n7,0,0\n8,0,0\n");
      snprintf(here, sizeof here, "units here: %s", offered[i]);
      check_run(wrench ? "torque builtin:double_pendulum q.csv --order 0 --wrench u.csv"
                       : "torque builtin:double_pendulum u.csv --order 0",
                k < 0, k < 0 ? here : NULL);
    }
  }
}

/* A joint that turns over, or one without ends, is not taken for degrees; one that cannot, is. */
static void turning_over_is_not_degrees(void **state) {
  (void)state;
  static const char *const robot =
      "{\"name\": \"r\", \"bodies\": [{\"name\": \"b\", \"joint\": {\"name\": \"j\", \"type\": \"revolute\", \"axis\": "
      "[0, 1, 0]%s}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, -0.5], \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}}]}";
  static const char wide[] = ", \"limits\": {\"lower\": -6.3, \"upper\": 6.3, \"velocity\": 20, \"effort\": 30}",
                    unpaced[] = ", \"limits\": {\"lower\": -6.3, \"upper\": 6.3}",
                    narrow[] = ", \"limits\": {\"lower\": -2, \"upper\": 2, \"velocity\": 20, \"effort\": 30}";
  static const struct {
    const char *limits, *form;
    bool degrees;
  } cases[] = {
      {wide, "{\"polynomial\": [0, 10]}", false},                         /* 6 turns at 10 rad/s */
      {wide, "{\"cosine\": {\"amplitude\": 90, \"omega\": 3}}", true},    /* 270 rad/s */
      {"", "{\"polynomial\": [0, 10]}", false},                           /* without ends */
      {"", "{\"cosine\": {\"amplitude\": 90, \"omega\": 3.1416}}", true}, /* far to and fro */
      {unpaced, "{\"polynomial\": [0, 10]}", false},
      {narrow, "{\"cosine\": {\"amplitude\": 45, \"omega\": 0.3}}", true}, /* 13 rad/s would do, but it has ends */
      {narrow, "{\"cosine\": {\"amplitude\": 1.9, \"omega\": 3}}", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text, robot, cases[i].limits);
    write_file("r.json", text);
    snprintf(text, sizeof text, "{\"duration\": 4, \"joints\": {\"j\": %s}}", cases[i].form);
    write_file("m.json", text);
    outcome o = run_here("torque r.json m.json --out s.csv --order 0");
    if ((strstr(o.err, "likely degrees") != NULL) != cases[i].degrees) fail_msg("case %zu: %s", i, o.err);
    done(&o);
    /* the same as samples, without units */
    o = run_here("torque r.json m.json --out - --order 0");
    FILE *f = fopen(in_directory("s.csv"), "w");
    assert_non_null(f);
    fputs("t,j\n", f);
    for (char *line = strchr(o.out, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
      char *end = strchr(line, ',') + 1; /* t, j, j_d1, ... */
      fprintf(f, "%.*s\n", (int)(end - line + (int)strcspn(end, ",")), line);
    }
    fclose(f);
    done(&o);
    o = run_here("torque r.json s.csv --order 0");
    if ((strstr(o.err, "likely degrees") != NULL) != cases[i].degrees) fail_msg("samples of case %zu: %s", i, o.err);
    done(&o);
  }
}

/* In the library: a struct that was not set up says which function does that. */
static void options_that_were_not_set_up_are_reported(void **state) {
  (void)state;
  jn_options zero = {0};
  jn_model *model;
  jn_error error;
  assert_int_equal(jn_load("builtin:panda", &zero, &model, &error), JN_ERR_INIT);
  check_has(error.text, "jn_options_init()");
  assert_int_equal(jn_load("builtin:panda", NULL, &model, &error), JN_OK);
  assert_int_equal(jn_save(model, in_directory("x.json"), JN_FORMAT_AUTO, &zero, &error), JN_ERR_INIT);
  check_has(error.text, "jn_options_init()");
  jn_trajectory_options none = {0};
  jn_trajectory *trajectory;
  assert_int_equal(jn_trajectory_load(model, "builtin:demo", &none, &trajectory, &error), JN_ERR_INIT);
  check_has(error.text, "init function");
  jn_loops_options loops = {0};
  jn_loops *l;
  assert_int_equal(jn_loops_create(model, &loops, &l), JN_ERR_INIT);
  jn_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_ending_is_wrong_use),
      cmocka_unit_test(names_that_are_nearly_right_are_suggested),
      cmocka_unit_test(columns_of_wrenches_are_suggested),
      cmocka_unit_test(swapped_arguments_are_reported),
      cmocka_unit_test(units_of_messages_are_those_of_the_page),
      cmocka_unit_test(turning_over_is_not_degrees),
      cmocka_unit_test(options_that_were_not_set_up_are_reported),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
