/* SPDX-License-Identifier: BSD-2-Clause */
/* Mistakes in the input of jounce eval: messages name the state, the field, the row and the joint. */
#include "eval_help.h"

/* ---- Mistakes ---- */

static void check_mistake(const char *model, const char *states, const char *part) {
  char line[128];
  write_file("state.json", states);
  snprintf(line, sizeof line, "%s --want tau --input state.json", model);
  check_refusal(line, 1, part);
}

static void wrong_usage_is_reported_with_code_2(void **state) {
  (void)state;
  check_refusal("--want tau", 2, "MODEL is missing");
  check_refusal("planar.json", 2, "--want is missing");
  check_refusal("planar.json --want tau,xxxx", 2, "--want: 'xxxx' is unknown; there are tau, ddq, ");
  check_refusal("planar.json --want jdot", 2, "did you mean Jdot?");
  check_refusal("planar.json --want tau --frame up", 2, "--frame takes body|world|aligned");
  check_refusal("planar.json --want tau --order -1", 2, "--order takes one whole number");
  check_refusal("planar.json --want tau --order 1.5", 2, "--order takes one whole number");
  check_refusal("planar.json --want tau --order 1e9", 2, "--order takes at most ");
  check_refusal("planar.json --want J --link lowr </dev/null", 2, "no link or frame 'lowr'; did you mean 'lower'?");
  check_refusal("planar.json --want J --link world </dev/null", 2, "no link or frame 'world'");
}

static void files_without_states_are_reported_with_their_place(void **state) {
  (void)state;
  check_refusal("planar.json --want tau --input nowhere.json", 1, "jounce: nowhere.json: cannot be opened: ");
  check_refusal("planar.json --want tau --input .", 1, "jounce: .: cannot be read: ");
  check_mistake("planar.json", "{\"q\": [1,\n 2,, 3]}", "jounce: state.json:2:4: not JSON: ");
  check_mistake("planar.json", "{\"q\": [1, NaN]}", "state.json:1:");
  check_mistake("planar.json", "{\"q\": [1, 1e999]}", "state.json:1:");
  check_mistake("planar.json", "{\"v\": [1, 2], \"v\": [1, 2]}", "duplicate");
  check_mistake("planar.json", "", "state.json:1:0: not JSON: ");
  check_mistake("planar.json", "[1]", "state 0: is a number, not an object");
  check_mistake("planar.json", "{\"states\": []}", "state 0: unknown field 'states'");
}

static void mistakes_name_state_field_and_joint(void **state) {
  (void)state;
  check_mistake("planar.json", "[{}, {\"qq\": []}]", "state 1: unknown field 'qq'; there are q, base, v,");
  check_mistake("planar.json", "[{}, {\"wrenhc\": {}}]", "did you mean 'wrench'?");
  check_mistake("planar.json", "{\"v\": {\"elbwo\": 1}}",
                "jounce: state.json: state 0: v: joint 'elbwo': the model has no such joint; did you mean 'elbow'?");
  check_mistake("planar.json", "{\"a\": {\"elbow\": [1, 2]}}", "state 0: a: joint 'elbow': takes 1 number, not 2");
  check_mistake("planar.json", "{\"tau\": {\"elbow\": \"1\"}}", "tau: joint 'elbow': takes a number, not a string");
  check_mistake("planar.json", "{\"tau\": {\"elbow\": null}}", "tau: joint 'elbow': takes a number, not null");
  check_mistake("planar.json", "{\"q\": [1, 2, 3]}", "state 0: q: takes 2 numbers, not 3");
  check_mistake("planar.json", "{\"q\": [1, true]}", "state 0: q: element 1 (from 0) is true or false, not a number");
  check_mistake("planar.json", "{\"q\": 3}", "state 0: q: takes an object by joint names or an array of 2 numbers");
  check_mistake("planar.json", "{\"base\": {}}", "state 0: base: the model has no free joint on the world; --floating");
  check_mistake("planar.json", "{\"v\": {\"base\": [0, 0, 0, 0, 0, 0]}}",
                "v: joint 'base': the model has no such joint");
  check_mistake("planar.json", "{\"wrench\": {\"elbow\": [0, 0, 0, 0, 0, 0]}}",
                "wrench: link 'elbow': the model has no");
  check_mistake("planar.json", "{\"wrench\": {\"lowr\": [0]}}", "did you mean 'lower'?");
  check_mistake("planar.json", "{\"wrench\": {\"lower\": [0, 1]}}", "wrench: link 'lower': takes 6 numbers, not 2");
  check_mistake("planar.json", "{\"wrench\": [0, 1]}", "wrench: takes an object by link names, not an array");
  check_mistake("planar.json", "{\"prescribed\": [\"elbo\"]}", "prescribed: joint 'elbo': the model has no such joint");
  check_mistake("planar.json", "{\"prescribed\": \"elbow\"}", "prescribed: takes an array of joint names");
  check_mistake("planar.json", "{\"prescribed\": [1]}", "prescribed: element 0 (from 0) is a number");
}

/* Mistakes in fields with rows, for names with derivatives. */
static void check_jet_mistake(const char *options, const char *states, const char *part) {
  char line[128];
  write_file("state.json", states);
  snprintf(line, sizeof line, "planar.json --input state.json %s", options);
  check_refusal(line, 1, part);
}

static void missing_rows_are_reported_with_their_number(void **state) {
  (void)state;
  const char *two = "[{}, {\"v_jets\": [[1, 2], [3, 4]]}]";
  check_jet_mistake("--want tau_jets --order 2", two, "state 1: v_jets: tau_jets of order 2 needs 4 rows, not 2");
  check_jet_mistake("--want all", two, "state 1: v_jets: tau_jets of order 1 needs 3 rows, not 2");
  check_jet_mistake("--want ddq_jets", "{\"v_jets\": []}", "v_jets: ddq_jets of order 1 needs 1 row, not 0");
  check_jet_mistake("--want ddq_jets", "{\"tau_jets\": [[1, 2]]}", "tau_jets: ddq_jets of order 1 needs 2 rows, not 1");
  check_jet_mistake("--want hybrid_jets", "{\"tau_jets\": [[1, 2]]}", "tau_jets: hybrid_jets of order 1 needs 2 rows");
  check_jet_mistake("--want hybrid_jets", "{\"prescribed\": [\"elbow\"], \"v_jets\": [[1, 2], [3, 4]]}",
                    "v_jets: hybrid_jets of order 1 needs 3 rows, not 2");
  /* What is not needed may be missing. */
  json_decref(evaluate("planar.json --want tau_jets --order 0", two));
  json_decref(evaluate("planar.json --want tau,ddq_jets,hybrid_jets --order 5", two));
  json_decref(evaluate("planar.json --want hybrid_jets",
                       "{\"prescribed\": [\"elbow\", \"shoulder\"], \"v_jets\": [[1, 2], [3, 4], [5, 6]],"
                       " \"tau_jets\": []}"));
}

static void mistakes_in_rows_name_the_row_and_the_joint(void **state) {
  (void)state;
  check_jet_mistake("--want tau_jets", "{\"v_jets\": [[1, 2], [3], [5, 6]]}",
                    "jounce: state.json: state 0: v_jets: row 1 (from 0): takes 2 numbers, not 1");
  check_jet_mistake("--want tau_jets", "{\"v_jets\": [{}, {}, {\"elbwo\": 1}]}",
                    "v_jets: row 2 (from 0): joint 'elbwo': the model has no such joint; did you mean 'elbow'?");
  check_jet_mistake("--want tau", "{\"v_jets\": [[], [], {}, {\"elbow\": \"1\"}]}",
                    "v_jets: row 3 (from 0): joint 'elbow': takes a number, not a string");
  check_jet_mistake("--want ddq_jets", "{\"tau_jets\": [1, 2]}",
                    "tau_jets: row 0 (from 0): takes an object by joint names or an array of 2 numbers, not a number");
  check_jet_mistake("--want tau_jets", "{\"wrench_jets\": [{}, {\"lower\": [1]}]}",
                    "wrench_jets: row 1 (from 0): link 'lower': takes 6 numbers, not 1");
  check_jet_mistake("--want tau_jets", "{\"wrench_jets\": [[1]]}",
                    "wrench_jets: row 0 (from 0): takes an object by link names, not an array");
  check_jet_mistake("--want tau_jets", "{\"v_jets\": {\"elbow\": [1, 2, 3]}}",
                    "v_jets: takes an array of rows, not an object");
  check_jet_mistake("--want tau_jets", "{\"v\": [1, 2], \"v_jets\": [[1, 3], [1, 1], [1, 1]]}",
                    "v_jets: row 0 (from 0): differs from v, which is given as well");
  check_jet_mistake("--want tau_jets", "{\"a\": [1, 2], \"v_jets\": [[1, 3], [1, 1], [1, 1]]}",
                    "v_jets: row 1 (from 0): differs from a, which is given as well");
  check_jet_mistake("--want tau", "{\"tau\": {\"elbow\": 1}, \"tau_jets\": [[1, 1]]}",
                    "tau_jets: row 0 (from 0): differs from tau, which");
  check_jet_mistake("--want tau", "{\"wrench\": {\"lower\": [0, 0, 0, 0, 0, 1]}, \"wrench_jets\": [{}]}",
                    "wrench_jets: row 0 (from 0): differs from wrench, which");
}

static void mistakes_with_bases_quaternions_and_followers_are_reported(void **state) {
  (void)state;
  check_mistake("mixed.json", "{\"q\": {\"follow\": 1}}",
                "q: joint 'follow': has no coordinate of its own, because it mimics "
                "joint 'slide'");
  check_mistake("mixed.json", "{\"prescribed\": [\"follow\"]}", "prescribed: joint 'follow': has no coordinate");
  check_mistake("mixed.json", "{\"v\": {\"camera\": 1}}", "v: joint 'camera': is fixed and has no coordinate");
  check_mistake("mixed.json", "{\"q\": {\"neck\": 1}}", "q: joint 'neck': takes an array of 4 numbers, not a number");
  check_mistake("mixed.json", "{\"q\": {\"neck\": [0, 0, 0, 2]}}", "q: joint 'neck': the length of the quaternion");
  check_mistake("mixed.json", "{\"base\": {\"orientation\": [0, 0, 0, 1.1]}}",
                "base.orientation: the length of the quaternion (x, y, z, w) is 1.1, not 1");
  check_mistake("mixed.json", "{\"base\": {\"position\": [0, 0]}}", "base.position: takes 3 numbers, not 2");
  check_mistake("mixed.json", "{\"base\": {\"pose\": []}}", "base: unknown field 'pose'");
  check_mistake("mixed.json", "{\"base\": [0]}", "base: takes {\"position\"");
  check_mistake("mixed.json", "{\"base\": {}, \"q\": [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]}",
                "base: the array q has the pose of the base already");
  check_mistake("mixed.json", "{\"base\": {}, \"q\": {\"base\": [0, 0, 0, 0, 0, 0, 1]}}",
                "base: q has the pose of joint");
  check_mistake("mixed.json", "{\"v\": {\"base\": [0, 0, 0, 0, 0, 0], \"root\": [0, 0, 0, 0, 0, 0]}}",
                "v: joint 'base': is the joint 'root', which is given as well");
  /* Near enough is normalised. */
  json_t *o = evaluate("mixed.json --want pose --link trunk", "{\"base\": {\"orientation\": [0, 0, 1.0005, 0]}}");
  check_numbers(o, "results.0.pose", (double[]){-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 16, 8);
  json_decref(o);
}

static void all_mistakes_are_reported_up_to_a_number(void **state) {
  (void)state;
  char text[1024] = "[", *end = text + 1;
  for (int i = 0; i < 30; i++) end += sprintf(end, "%s{\"z%d\": 0}", i ? ", " : "", i);
  strcpy(end, "]");
  check_mistake("planar.json", text, "state 7: unknown field 'z7'");
  check_mistake("planar.json", text, "and 10 mistakes more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_usage_is_reported_with_code_2),
      cmocka_unit_test(files_without_states_are_reported_with_their_place),
      cmocka_unit_test(mistakes_name_state_field_and_joint),
      cmocka_unit_test(missing_rows_are_reported_with_their_number),
      cmocka_unit_test(mistakes_in_rows_name_the_row_and_the_joint),
      cmocka_unit_test(mistakes_with_bases_quaternions_and_followers_are_reported),
      cmocka_unit_test(all_mistakes_are_reported_up_to_a_number),
  };
  return cmocka_run_group_tests(tests, make_robots, remove_directory);
}
