/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops through the command: the built-in mechanisms, what `jounce info` says of loops, and `--loops FILE`. */
#include "eval_help.h"

#if JN_WITH_JSON

static json_t *parse_info(const char *words) {
  char line[256];
  json_error_t error;
  snprintf(line, sizeof line, "info --json %s", words);
  outcome o = run_here(line);
  if (o.code != 0) fail_msg("%s: code %d: %s", words, o.code, o.err);
  assert_string_equal(o.err, "");
  json_t *root = json_loads(o.out, 0, &error);
  if (!root) fail_msg("not JSON: %s in:\n%.2000s", error.text, o.out);
  done(&o);
  return root;
}

static void check_text(json_t *root, const char *path, const char *expected) {
  assert_string_equal(json_string_value(at(root, path)), expected);
}

/* words run with `code`, and say all of `parts` (up to a NULL) on stderr. */
static void check_says_all(const char *words, int code, const char *const *parts) {
  outcome o = run_here(words);
  for (; *parts; parts++) check_has(o.err, *parts);
  assert_int_equal(o.code, code);
  done(&o);
}

/* ---- Models ---- */

/* Bars on hinges about z; the loop file pins them together: a parallelogram, at q = 0 not stretched. */
static const char arm_urdf[] =
    "<robot name='arm'>\n"
    "  <link name='ground'/>\n"
    "  <link name='crank'><inertial><origin xyz='0.2 0 0'/><mass value='1'/><inertia ixx='1e-2' iyy='2e-2' izz='3e-2' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "  <link name='coupler'><inertial><origin xyz='0.5 0 0'/><mass value='1.3'/><inertia ixx='1e-2' iyy='2e-2' "
    "izz='3e-2' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "  <link name='rocker'><inertial><origin xyz='0.2 0 0'/><mass value='1.6'/><inertia ixx='1e-2' iyy='2e-2' "
    "izz='3e-2' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "  <joint name='drive' type='revolute'><parent link='ground'/><child link='crank'/><origin rpy='0 0 1'/><axis "
    "xyz='0 0 1'/>"
    "<limit lower='-3' upper='3' effort='20' velocity='9'/></joint>\n"
    "  <joint name='pin' type='revolute'><parent link='crank'/><child link='coupler'/><origin xyz='0.4 0 0' rpy='0 0 "
    "-1'/>"
    "<axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='0' velocity='9'/></joint>\n"
    "  <joint name='swing' type='revolute'><parent link='ground'/><child link='rocker'/><origin xyz='1 0 0' rpy='0 0 "
    "1'/>"
    "<axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='0' velocity='9'/></joint>\n"
    "</robot>\n";

static const char pin_json[] =
    "{\"comment\": \"closes the parallelogram\", \"loops\": [\n"
    "  {\"name\": \"closing\", \"type\": \"revolute\",\n"
    "   \"a\": {\"body\": \"coupler\", \"placement\": {\"position\": [1, 0, 0]}},\n"
    "   \"b\": {\"body\": \"rocker\", \"placement\": {\"position\": [0.4, 0, 0]}}}]}\n";

static int make_models(void **state) {
  if (make_robots(state) != 0) return -1;
  write_file("arm.urdf", arm_urdf);
  write_file("pin.json", pin_json);
  return 0;
}

static int remove_models(void **state) {
  static const char *const made[] = {"arm.urdf", "pin.json", "bad.json", "closed.json", "open.json"};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) unlink(in_directory(made[i]));
  return remove_directory(state);
}

/* ---- The built-in mechanisms ---- */

static const struct {
  const char *name;
  int loops, nv, rows, rank;
} mechanisms[] = {{"four_bar", 1, 3, 5, 2},
                  {"five_bar", 1, 4, 5, 2},
                  {"slider_crank", 1, 3, 5, 2},
                  {"stewart", 6, 24, 18, 18},
                  {"delta", 6, 21, 18, 18}};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

static void mechanisms_are_closed_at_zero_and_have_their_mobility(void **state) {
  (void)state;
  for (int i = 0; i < MECHANISMS; i++) {
    char source[64];
    snprintf(source, sizeof source, "builtin:%s", mechanisms[i].name);
    json_t *info = parse_info(source);
    assert_int_equal((int)json_array_size(at(info, "loops")), mechanisms[i].loops);
    assert_int_equal((int)number_at(info, "nv"), mechanisms[i].nv);
    assert_int_equal((int)number_at(info, "mobility.rows"), mechanisms[i].rows);
    assert_int_equal((int)number_at(info, "mobility.rank"), mechanisms[i].rank);
    assert_int_equal((int)number_at(info, "mobility.mobility"), mechanisms[i].nv - mechanisms[i].rank);
    check_text(info, "mobility.at", "neutral");
    assert_true(number_at(info, "mobility.open_by") < 4 * jn_variant_epsilon());
    json_decref(info);
  }
}

/* The motors alone move a mechanism: as many joints have an effort as there are degrees of freedom, and away from q = 0
 * they still determine the rest. */
static void motors_determine_the_motion_of_a_mechanism(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  for (int i = 0; i < MECHANISMS; i++) {
    char source[64];
    double q[32], v[64] = {0};
    unsigned char motors[32];
    int rank, moved = 0;
    jn_model *m;
    jn_loops *l;
    snprintf(source, sizeof source, "builtin:%s", mechanisms[i].name);
    assert_int_equal(jn_load(source, NULL, &m, NULL), JN_OK);
    assert_int_equal(jn_loops_create(m, NULL, &l), JN_OK);
    assert_int_equal(jn_neutral(m, q), JN_OK);
    for (int k = 0; k < jn_model_nv(m); k++) {
      int joint = jn_coordinate_joint(m, k, NULL);
      motors[k] = jn_coordinate_dof(m, k)->effort > 0;
      if (!motors[k]) continue;
      q[jn_joint_q(m, joint)] += 0.02 * ++moved;
      v[k] = 0.5 * moved;
    }
    assert_int_equal(moved, mechanisms[i].nv - mechanisms[i].rank);
    assert_int_equal(jn_loops_assemble(l, motors, 0, q, NULL), JN_OK);
    assert_int_equal(jn_loops_rank(l, q, &rank), JN_OK);
    assert_int_equal(rank, mechanisms[i].rank);
    assert_int_equal(jn_loops_complete_motion(l, 0, motors, q, v), JN_OK);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* Step by step through a turn, each assembled from the one before. */
static void cranks_turn_fully(void **state) {
  (void)state;
  static const char *const sources[] = {"builtin:four_bar", "builtin:slider_crank"};
  enum { STEPS = 90 };
  if (jn_variant_epsilon() > 1e-10) return;
  for (int i = 0; i < 2; i++) {
    double q[3] = {0};
    const unsigned char held[3] = {1, 0, 0};
    int rank;
    jn_model *m;
    jn_loops *l;
    assert_int_equal(jn_load(sources[i], NULL, &m, NULL), JN_OK);
    assert_int_equal(jn_loops_create(m, NULL, &l), JN_OK);
    const jn_dof *follower = jn_coordinate_dof(m, 2);
    for (int k = 1; k <= STEPS; k++) {
      q[0] = 2 * 3.14159265358979323846 * k / STEPS;
      assert_int_equal(jn_loops_assemble(l, held, 0, q, NULL), JN_OK);
      assert_int_equal(jn_loops_rank(l, q, &rank), JN_OK);
      assert_int_equal(rank, 2);
      assert_true(q[2] > follower->lower - 1e-9 && q[2] < follower->upper + 1e-9);
    }
    assert_true(fabs(q[2]) < 1e-9); /* back where it began */
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* ---- info ---- */

static void info_shows_loops_conditions_and_mobility(void **state) {
  (void)state;
  outcome o = run_here("info builtin:four_bar");
  check_has(o.out, "loop         type      between  and     conditions  redundant\n");
  check_has(o.out, "closing_pin  revolute  coupler  rocker           5          3\n");
  check_has(o.out, "loops          1 with 5 conditions, 2 of them independent at q = 0, where they are closed\n");
  check_has(o.out, "mobility       1\n");
  assert_int_equal(o.code, 0);
  done(&o);
  o = run_here("info builtin:panda");
  assert_null(strstr(o.out, "mobility"));
  done(&o);
  json_t *info = parse_info("builtin:panda");
  assert_true(json_is_null(at(info, "mobility")));
  json_decref(info);
  info = parse_info("builtin:delta");
  check_text(info, "loops.1.name", "right_ball1");
  assert_int_equal((int)number_at(info, "loops.1.conditions"), 3);
  assert_int_equal((int)json_array_size(at(info, "loops.1.redundant")), 0);
  json_decref(info);
  info = parse_info("builtin:four_bar"); /* out of the plane: position, two directions */
  double redundant[3];
  assert_int_equal(flatten(at(info, "loops.0.redundant"), redundant, 0, 3), 3);
  assert_true(redundant[0] == 2 && redundant[1] == 3 && redundant[2] == 4);
  assert_int_equal((int)number_at(info, "mobility.generic_rank"), 2);
  assert_true(json_is_false(at(info, "mobility.near_singular")));
  json_decref(info);
}

/* A parallelogram at q = 0, flat: it could fold either way there. */
static void info_reports_singular_configurations(void **state) {
  (void)state;
  static const char flat[] =
      "{\"name\": \"flat\", \"bodies\": ["
      "{\"name\": \"crank\", \"joint\": {\"type\": \"revolute\"}, \"inertia\": {\"mass\": 1, \"tensor\": [0.01, 0.01, "
      "0.01, "
      "0, 0, 0]}},"
      "{\"name\": \"coupler\", \"parent\": \"crank\", \"placement\": {\"position\": [0.4, 0, 0]}, \"joint\": "
      "{\"type\": "
      "\"revolute\"}, \"inertia\": {\"mass\": 1, \"tensor\": [0.01, 0.01, 0.01, 0, 0, 0]}},"
      "{\"name\": \"rocker\", \"placement\": {\"position\": [1, 0, 0]}, \"joint\": {\"type\": \"revolute\"}, "
      "\"inertia\":"
      " {\"mass\": 1, \"tensor\": [0.01, 0.01, 0.01, 0, 0, 0]}}],"
      "\"loops\": [{\"name\": \"pin\", \"type\": \"spherical\", \"a\": {\"body\": \"coupler\", \"placement\": "
      "{\"position\": [1, 0, 0]}}, \"b\": {\"body\": \"rocker\", \"placement\": {\"position\": [0.4, 0, 0]}}}]}";
  write_file("open.json", flat);
  outcome o = run_here("info open.json");
  check_has(o.out, "mobility       2 in this singular configuration, 1 next to it\n");
  done(&o);
  json_t *out = evaluate("open.json --want mobility", "[{}, {\"q\": [0.5, -0.5, 0.5]}]");
  assert_true(json_is_true(at(out, "results.0.mobility.near_singular")));
  assert_true(json_is_false(at(out, "results.1.mobility.near_singular")));
  json_decref(out);
  write_file("state.json", "[{\"q\": [0.5, -0.5, 0.5]}, {}, {\"q\": [1e-7, -1e-7, 1e-7]}]");
  o = run("open.json --want ddq --input state.json"); /* an answer, and a note */
  assert_int_equal(o.code, 0);
  check_has(o.err, "state 1: note: the loops are in a singular configuration: 1 of 2 conditions");
  check_has(o.err, "state 2: note: the loops are near a singular configuration: the weakest condition");
  assert_null(strstr(o.err, "state 0"));
  assert_null(strstr(o.out, "null"));
  done(&o);
  write_file("state.json", "{\"q\": [1e-3, -1e-3, 1e-3]}"); /* near enough for the higher orders to lose their digits */
  o = run("open.json --want ddq --input state.json");
  assert_int_equal(o.code, 0);
  assert_string_equal(o.err, "");
  done(&o);
  o = run("open.json --want ddq_jets --order 3 --input state.json");
  assert_int_equal(o.code, 0);
  check_has(o.err, "state 0: note: rounding: the weakest condition counts for ");
  check_has(o.err, "in the highest order\n");
  done(&o);
  for (int away = 0; away < 2; away++) { /* along a motion that begins there, and one that does not */
    char csv[4096] = "t,crank\n";
    for (int i = 0; i < 60; i++) {
      double t = 0.02 * i;
      size_t used = strlen(csv);
      snprintf(csv + used, sizeof csv - used, "%.17g,%.17g\n", t, (away ? 0.5 : 1e-3) + 0.3 * t * t);
    }
    write_file("motion.csv", csv);
    o = run_here("torque open.json motion.csv --order 2");
    assert_int_equal(o.code, 0);
    assert_true((strstr(o.err, "note: the loops are near a singular configuration at t = 0 s: errors of about") !=
                 NULL) == !away);
    done(&o);
  }
  unlink(in_directory("motion.csv"));
}

/* Contacts and couplings are read, shown, and written back. */
static void contacts_and_couplings_are_kept(void **state) {
  (void)state;
  static const char model[] =
      "{\"name\": \"geared\", \"bodies\": ["
      "{\"name\": \"one\", \"joint\": {\"type\": \"revolute\"}, \"inertia\": {\"mass\": 1, \"tensor\": [0.01, 0.01, "
      "0.01, 0, 0, "
      "0]}},"
      "{\"name\": \"two\", \"joint\": {\"type\": \"cylindrical\"}, \"inertia\": {\"mass\": 1, \"tensor\": [0.01, 0.01, "
      "0.01, 0, "
      "0, 0]}}],"
      "\"loops\": [{\"name\": \"gear\", \"type\": \"coupling\", \"terms\": [{\"joint\": \"one\", \"factor\": 2}, "
      "{\"joint\": \"two\", \"coordinate\": 1, \"factor\": -1}], \"offset\": 0.25},"
      "{\"name\": \"floor\", \"type\": \"sliding_point\", \"a\": {\"body\": \"world\"}, \"b\": {\"body\": \"two\"}}]}";
  write_file("open.json", model);
  outcome o = run_here("convert open.json closed.json");
  assert_int_equal(o.code, 0);
  done(&o);
  for (int i = 0; i < 2; i++) {
    const char *file = i ? "closed.json" : "open.json";
    json_t *info = parse_info(file);
    check_text(info, "loops.0.type", "coupling");
    check_text(info, "loops.0.terms.1.joint", "two");
    assert_int_equal((int)number_at(info, "loops.0.terms.1.coordinate"), 1);
    assert_true(number_at(info, "loops.0.terms.0.factor") == 2 && number_at(info, "loops.0.offset") == 0.25);
    check_text(info, "loops.1.type", "sliding_point");
    json_decref(info);
    char line[64];
    snprintf(line, sizeof line, "info %s", file);
    o = run_here(line);
    check_has(o.out, "gear   coupling       2 * one - two[1]  = 0.25");
    done(&o);
  }
  json_t *out = evaluate("open.json --assemble --want constraint,A,ddq,mobility", "{\"tau\": [1, 0, 0]}");
  check_numbers(out, "results.0.A", (const double[]){2, 0, -1, 0, 0, 1}, 6, 10);
  check_numbers(out, "results.0.q", (const double[]){0.125, 0, 0}, 3, 1000); /* the floor holds the second */
  check_numbers(out, "results.0.ddq", (const double[]){0, 0, 0}, 3, 1000);
  json_decref(out);
}

/* A pendulum tied to a point: within reach, out of reach. */
static void info_assembles_loops_that_are_open(void **state) {
  (void)state;
  static const char tied[] =
      "{\"name\": \"tied\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"type\": \"gimbal\"}, \"inertia\":"
      " {\"mass\": 1, \"com\": [0.5, 0, 0], \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}}], \"loops\": [{\"name\": \"tie\","
      " \"type\": \"distance\", \"distance\": %s, \"a\": {\"body\": \"world\", \"placement\": {\"position\": [0, 2, "
      "0]}},"
      " \"b\": {\"body\": \"rod\", \"placement\": {\"position\": [1, 0, 0]}}}]}";
  char text[sizeof tied + 8];
  snprintf(text, sizeof text, tied, "2");
  write_file("open.json", text);
  json_t *info = parse_info("open.json");
  check_text(info, "mobility.at", "assembled");
  assert_int_equal((int)number_at(info, "mobility.rank"), 1);
  assert_int_equal((int)number_at(info, "mobility.mobility"), 2);
  assert_true(fabs(number_at(info, "mobility.open_by")) > 0.01);
  json_decref(info);
  snprintf(text, sizeof text, tied, "9");
  write_file("open.json", text);
  info = parse_info("open.json");
  check_text(info, "mobility.at", "open");
  json_decref(info);
  outcome o = run_here("info open.json");
  check_has(o.out, "and cannot be closed from there\n");
  done(&o);
}

/* The rank of very many conditions takes minutes: info says that it is left out, and does the rest at once. */
static void info_leaves_out_the_rank_of_very_many_conditions(void **state) {
  (void)state;
  enum { BODIES = 120 };
  FILE *f = fopen(in_directory("many.json"), "w");
  assert_non_null(f);
  fputs("{\"bodies\": [", f);
  for (int i = 0; i < BODIES; i++)
    fprintf(f,
            "%s{\"name\": \"b%d\", \"joint\": {\"type\": \"free\"}, \"inertia\": {\"mass\": 1, \"tensor\": [0.01, "
            "0.01, 0.01, "
            "0, 0, 0]}}",
            i ? ", " : "", i);
  fputs("], \"loops\": [", f);
  for (int i = 1; i < BODIES; i++)
    fprintf(f, "%s{\"name\": \"l%d\", \"type\": \"weld\", \"a\": {\"body\": \"b%d\"}, \"b\": {\"body\": \"b%d\"}}",
            i > 1 ? ", " : "", i, i - 1, i);
  fputs("]}", f);
  assert_int_equal(fclose(f), 0);
  outcome o = run_here("info many.json");
  check_has(o.out, "119 with 714 conditions");
  check_has(o.out, "mobility       not computed for so many conditions");
  done(&o);
  json_t *info = parse_info("many.json");
  assert_true(json_is_null(json_object_get(info, "mobility")));
  json_decref(info);
}

/* ---- --loops ---- */

#if JN_WITH_URDF

static void a_loop_file_closes_a_urdf(void **state) {
  (void)state;
  json_t *info = parse_info("--loops pin.json arm.urdf");
  check_text(info, "loops.0.name", "closing");
  check_text(info, "loops.0.link_a", "coupler");
  assert_int_equal((int)number_at(info, "mobility.mobility"), 1);
  check_text(info, "mobility.at", "neutral");
  json_decref(info);
  outcome o = run_here("convert --loops pin.json arm.urdf closed.json"); /* and is kept in the native format */
  assert_int_equal(o.code, 0);
  done(&o);
  json_t *again = parse_info("closed.json");
  check_text(again, "loops.0.name", "closing");
  json_decref(again);
}

static void faults_of_a_loop_file_have_its_name_and_line(void **state) {
  (void)state;
  static const char *const unknown[] = {"bad.json:2:3: loop 'closing'", "end b is on 'rokcer', which is not a link",
                                        NULL};
  write_file("bad.json",
             "{\"loops\": [\n  {\"name\": \"closing\", \"type\": \"revolute\", \"a\": {\"body\": \"coupler\"},"
             " \"b\": {\"body\": \"rokcer\"}}]}");
  check_says_all("info --loops bad.json arm.urdf", 1, unknown);
  static const char *const type[] = {"bad.json:3:28: loop 'second'", "'revolut'", "revolute", NULL};
  write_file("bad.json",
             "{\"loops\": [\n  {\"name\": \"first\", \"type\": \"weld\", \"a\": {\"body\": \"coupler\"}, \"b\":"
             " {\"body\": \"rocker\"}},\n              {\"name\": \"second\", \"type\": \"revolut\"}]}");
  outcome o = run_here("info --loops bad.json arm.urdf");
  check_has(o.err, "bad.json:3:");
  for (int i = 1; type[i]; i++) check_has(o.err, type[i]);
  check_has(o.err, "'a' is missing");
  assert_int_equal(o.code, 1);
  done(&o);
  static const char *const syntax[] = {"bad.json:1:", NULL};
  write_file("bad.json", "{\"loops\": [,]}");
  check_says_all("info --loops bad.json arm.urdf", 1, syntax);
  static const char *const missing[] = {"bad.json:1:1: ", "'loops' is missing", NULL};
  write_file("bad.json", "{}");
  check_says_all("info --loops bad.json arm.urdf", 1, missing);
  static const char *const absent[] = {"nowhere.json: cannot be opened", NULL};
  check_says_all("info --loops nowhere.json arm.urdf", 1, absent);
  static const char *const twice[] = {"pin.json:2:3: loop 'closing'", "two loops have this name", NULL};
  o = run_here("convert --loops pin.json arm.urdf closed.json");
  done(&o);
  check_says_all("info --loops pin.json closed.json", 1, twice);
}

#endif

static void loops_can_be_ignored(void **state) {
  (void)state;
  json_t *info = parse_info("--loops ignore builtin:stewart");
  assert_int_equal((int)json_array_size(at(info, "loops")), 0);
  assert_true(json_is_null(at(info, "mobility")));
  assert_int_equal((int)number_at(info, "nv"), 24);
  json_decref(info);
}

/* A tree with a mechanism attached, and a motion of the tree alone: the joints without motion are named, and held where
 * they are on request, by motors. */
static void what_has_no_motion_is_named_and_held(void **state) {
  (void)state;
  write_file("arm.csv",
             "t,joint1,joint2\n0,0,0\n0.1,0.01,0.02\n0.2,0.04,0.08\n0.3,0.09,0.18\n0.4,0.16,0.32\n0.5,0.25,0.5\n"
             "0.6,0.36,0.72\n0.7,0.49,0.98\n0.8,0.64,1.28\n");
#define ARM "torque builtin:planar_2r arm.csv --attach builtin:five_bar,frame=tip,prefix=g_"
  outcome o = run_here(ARM);
  assert_int_equal(o.code, 1);
  check_has(o.err, "gives the motion of 2 coordinates, but 4 move independently");
  check_has(o.err, "'g_left_motor', 'g_right_motor'");
  check_has(o.err, "--missing neutral");
  done(&o);
  o = run_fine(ARM " --missing neutral --order 0 --out held.csv", 0);
  done(&o);
  jn_table *t = read_csv("held.csv");
  for (int c = 0; c < jn_table_columns(t); c++) {
    const char *name = jn_table_name(t, c);
    double last = jn_table_values(t, c)[jn_table_rows(t) - 1];
    if (strcmp(name, "g_left_motor") == 0) assert_true(last == 0);
    if (strcmp(name, "g_left_motor.tau") == 0) assert_true(fabs(last) > 1e-6);
    if (strcmp(name, "g_left_elbow.tau") == 0) assert_true(last == 0);
  }
  jn_table_destroy(t);
#undef ARM
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_has_no_motion_is_named_and_held),
    cmocka_unit_test(mechanisms_are_closed_at_zero_and_have_their_mobility),
    cmocka_unit_test(motors_determine_the_motion_of_a_mechanism),
    cmocka_unit_test(cranks_turn_fully),
    cmocka_unit_test(info_shows_loops_conditions_and_mobility),
    cmocka_unit_test(info_reports_singular_configurations),
    cmocka_unit_test(contacts_and_couplings_are_kept),
    cmocka_unit_test(info_assembles_loops_that_are_open),
    cmocka_unit_test(info_leaves_out_the_rank_of_very_many_conditions),
#if JN_WITH_URDF
    cmocka_unit_test(a_loop_file_closes_a_urdf),
    cmocka_unit_test(faults_of_a_loop_file_have_its_name_and_line),
#endif
    cmocka_unit_test(loops_can_be_ignored),
  };
  return cmocka_run_group_tests_name("loops_command", tests, make_models, remove_models);
}

#else
int main(void) { return 0; }
#endif
