/* SPDX-License-Identifier: BSD-2-Clause */
/* Native model files with faults: each is told once, with its place, its subject and a remedy, and none does harm. */
#include "native_help.h"

/* ---- faults ---- */

typedef struct fault {
  const char *text; /* of the file */
  const char *rule;
  const char *subject;
  const char *part; /* of the message */
  int line;
} fault;

#define BODY(rest) "{\"bodies\": [\n{\"name\": \"a\",\n " rest ", " INERTIA "}]}"
#define JOINT(rest) "{\"bodies\": [\n{\"name\": \"a\",\n \"joint\": {\"name\": \"j\",\n  " rest "},\n " INERTIA "}]}"
#define PLACED(rest) BODY("\"placement\": {\n" rest "}")
#define MASSES(rest) "{\"bodies\": [\n{\"name\": \"a\", \"inertia\":\n{" rest "}}]}"
#define FRAME(rest) "{\"bodies\": [{\"name\": \"a\", " INERTIA "}],\n\"frames\": [\n{\"name\": \"f\"," rest "}]}"
#define LOOP(rest)                                                                                                    \
  "{\"bodies\": [{\"name\": \"a\", " INERTIA "}],\n\"loops\": [\n{\"name\": \"c\",\n\"a\": {\"body\": \"a\"},\n" rest \
  "}]}"

#define COUPLING(rest) \
  "{\"bodies\": [{\"name\": \"a\", " INERTIA "}],\n\"loops\": [\n{\"name\": \"c\", \"type\": \"coupling\"" rest "}]}"

static void check_faults(const fault *faults, size_t count, jn_severity severity) {
  for (size_t i = 0; i < count; i++) {
    const fault *f = &faults[i];
    loaded l = load(f->text);
    int errors = jn_report_count_of(l.report, JN_ERROR);
    const jn_message *m = jn_report_message(l.report, 0);
    if (!m) fail_msg("no message for %s", f->text);
    if (strcmp(m->rule, f->rule) || strcmp(m->subject, f->subject) || m->line != f->line || !strstr(m->text, f->part) ||
        m->severity != severity || errors != (severity == JN_ERROR))
      fail_msg("%s\n%d errors; [%s] line %d, %s: %s (%s)", f->text, errors, m->rule, m->line, m->subject, m->text,
               m->remedy);
    assert_string_equal(m->file, "test.json");
    assert_true(m->line == 0 || m->column > 0);
    assert_int_equal(l.status == JN_OK, severity != JN_ERROR);
    unload(&l);
  }
}

static void faults_of_the_file_name_line_and_reason(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"bodies\": [\n{\"name\": \"a\",}]}", "json-syntax", "", "expected", 2},
      {"{\n\"bodies\": [] // none\n}", "json-syntax", "", "expected", 2},
      {"{\"name\": \"a\",\n\"name\": \"b\", \"bodies\": []}", "json-syntax", "", "duplicate", 2},
      {"{\"gravity\":\n[0, 0, 1e999]}", "json-syntax", "", "overflow", 2},
      {"{\"gravity\":\n[0, 0, NaN]}", "json-syntax", "", "invalid token", 2},
      {"{\"bodies\": []} {}", "json-syntax", "", "end of file expected", 1},
      {"{\"name\": \"a\\u0000b\", \"bodies\": []}", "json-syntax", "", "\\u0000", 1},
      {"{\"name\": \"\xff\", \"bodies\": []}", "json-syntax", "", "0xff", 1},
      {"[1, 2]", "wrong-type", "", "must be an object, but is an array of 2", 1},
      {"{\"bodies\":\n 5}", "wrong-type", "", "'bodies' must be an array", 1},
      {"{\"bodies\": [],\n\"frames\": {}}", "wrong-type", "", "'frames' must be an array of objects, but is an object",
       2},
      {"\n{\"name\": \"x\"}", "missing-key", "", "'bodies' is missing", 2},
      {"{\"bodies\": [],\n\"name\": 1}", "wrong-type", "", "'name' must be a string, but is a number", 2},
      {"{\"bodies\": [],\n \"gravity\": [0, 1]}", "wrong-type", "", "an array of 3 numbers, but it is an array of 2",
       2},
      {"{\"bodies\": [],\n \"gravity\": [0, 1, \"2\"]}", "wrong-type", "", "but entry 3 is a string", 2},
      {"{\"bodies\": [{\"name\": \"a\"}],\n\"joint_order\": \"a\"}", "wrong-type", "",
       "'joint_order' must be an array of names of joints, but is a string", 2},
      {"{\"bodies\": [{\"name\": \"a\"}],\n\"joint_order\": [\"a\", 1, null]}", "wrong-type", "", "entry 2 is a number",
       2},
      {"{\"bodies\": [{\"name\": \"a\"}],\n\"joint_order\": [\"b\"]}", "joint-order", "joint 'b'", "is not a joint", 0},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_ERROR);
}

static void faults_of_a_body_name_line_and_subject(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"bodies\": [\n7]}", "wrong-type", "bodies[0]", "'bodies[0]' must be an object, but is a number", 2},
      {"{\"bodies\": [{\"name\": \"a\"},\n{\"parent\": \"a\"}]}", "missing-key", "bodies[1]", "'name' is missing", 2},
      {"{\"bodies\": [{\"name\":\n \"a\"},\n{\"name\": true}]}", "wrong-type", "bodies[1]", "a string, but is 'true'",
       3},
      {BODY("\"parent\": 1"), "wrong-type", "body 'a'", "'parent' must be a string", 3},
      {BODY("\"joint\": \"revolute\""), "wrong-type", "body 'a'", "'joint' must be an object, but is a string", 3},
      {BODY("\"placement\": [1]"), "wrong-type", "body 'a'", "'placement' must be an object", 3},
      {PLACED("\"position\": [1, 2]"), "wrong-type", "body 'a'", "'placement.position' must be an array of 3", 4},
      {PLACED("\"position\": 1"), "wrong-type", "body 'a'", "but it is a number", 4},
      {PLACED("\"rpy\": [1, 2, null]"), "wrong-type", "body 'a'", "entry 3 is null", 4},
      {PLACED("\"quaternion\": [0, 0, 1, 1]"), "quaternion-length", "body 'a'", "has 1.41421", 4},
      {PLACED("\"rotation\": [[1, 0, 0], [0, 1], [0, 0, 1]]"), "wrong-type", "body 'a'", "row 2 is an array of 2", 4},
      {PLACED("\"matrix\": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]"), "wrong-type", "body 'a'",
       "4 rows of 4 numbers, but is an array of 3", 4},
      {PLACED("\"rpy\": [0, 0, 0], \"quaternion\": [0, 0, 0, 1]"), "placement-forms", "body 'a'", "at most one", 3},
      {PLACED("\"matrix\": [], \"position\": [0, 0, 0]"), "placement-forms", "body 'a'", "a matrix alone", 3},
      {PLACED("\"rotation\": [[1, 0, 0], [0, 2, 0], [0, 0, 1]]"), "placement", "joint 'a'", "not orthonormal", 2},
      {MASSES("\"mass\": \"1\""), "wrong-type", "body 'a'", "'inertia.mass' must be a number, but is a string", 3},
      {MASSES("\"com\": [0, 0, 0]"), "missing-key", "body 'a'", "'inertia.mass' is missing", 3},
      {MASSES("\"mass\": 1, \"com\": [0, 0]"), "wrong-type", "body 'a'", "'inertia.com' must be", 3},
      {MASSES("\"mass\": 1,\n\"tensor\": [[1, 2, 0], [3, 1, 0], [0, 0, 1]]"), "inertia-symmetry", "body 'a'",
       "xy is 2 and yx is 3", 4},
      {MASSES("\"mass\": 1,\n\"tensor\": [1, 1, 1]"), "wrong-type", "body 'a'", "row 1 is a number", 4},
      {MASSES("\"mass\": 1,\n\"tensor\": [1, 1, 1, 0, 0]"), "wrong-type", "body 'a'", "xx, yy, zz, xy, xz, yz, but is",
       4},
      {MASSES("\"mass\": 1, \"parameters\": []"), "inertia-forms", "body 'a'", "not both", 3},
      {MASSES("\"parameters\": [1]"), "wrong-type", "body 'a'", "10 numbers", 3},
      {"{\"bodies\": [\n{\"name\": \"a\", \"inertia\":\n 3}]}", "wrong-type", "body 'a'", "'inertia' must be an object",
       2},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_ERROR);
}

static void faults_of_a_joint_name_line_and_subject(void **state) {
  (void)state;
  static const fault faults[] = {
      {JOINT("\"axis\": [0, 0, 1]"), "missing-key", "joint 'j'", "'joint.type' is missing", 3},
      {JOINT("\"type\": 3"), "wrong-type", "joint 'j'", "'joint.type' must be a string", 4},
      {JOINT("\"type\": \"hinge\""), "unknown-type", "joint 'j'", "is 'hinge', which is not a known type", 4},
      {JOINT("\"type\": \"revolute\",\n \"axis\": [1]"), "wrong-type", "joint 'j'", "'joint.axis' must be", 5},
      {JOINT("\"type\": \"universal\", \"axis\": [0, 1, 0],\n \"axis2\": 1"), "wrong-type", "joint 'j'",
       "'joint.axis2' must be", 5},
      {JOINT("\"type\": \"revolute\",\n \"point\": {}"), "wrong-type", "joint 'j'", "'joint.point' must be", 5},
      {JOINT("\"type\": \"helical\""), "missing-key", "joint 'j'", "'joint.pitch' is missing", 3},
      {JOINT("\"type\": \"helical\", \"pitch\": []"), "wrong-type", "joint 'j'", "a number, but is an array of 0", 4},
      {JOINT("\"type\": \"general\""), "missing-key", "joint 'j'", "'joint.screws' is missing", 3},
      {JOINT("\"type\": \"screw\""), "missing-key", "joint 'j'", "'joint.screw' is missing", 3},
      {JOINT("\"type\": \"screw\", \"screw\": [1, 0, 0]"), "wrong-type", "joint 'j'", "6 numbers, but it is", 4},
      {JOINT("\"type\": \"screw\", \"screw\": [1, 0, 0, 0, 0, 0],\n\"screws\": []"), "screw-forms", "joint 'j'",
       "belongs to type 'general'", 5},
      {JOINT("\"type\": \"general\", \"screws\": []"), "wrong-type", "joint 'j'", "1 to 6 screws", 4},
      {JOINT("\"type\": \"general\", \"screws\": [[1, 0, 0, 0, 0, 0], [1]]"), "wrong-type", "joint 'j'",
       "row 2 is an array of 1", 4},
      {JOINT("\"type\": \"revolute\",\n\"limits\": 5"), "wrong-type", "joint 'j'", "'joint.limits' must be an object",
       5},
      {JOINT("\"type\": \"revolute\",\n\"limits\": {\n\"lower\": [1, 2]}"), "wrong-type", "joint 'j'",
       "'joint.limits.lower' must be a number, or an array of 1 (one per coordinate), but is an array of 2", 6},
      {JOINT("\"type\": \"planar\",\n\"limits\": {\n\"effort\": [1, 2, \"x\"]}"), "wrong-type", "joint 'j'",
       "entry 3 is a string", 6},
      {JOINT("\"type\": \"revolute\",\n\"damping\": true"), "wrong-type", "joint 'j'", "'joint.damping'", 5},
      {JOINT("\"type\": \"revolute\",\n\"mimic\": {\"ratio\": 2}"), "missing-key", "joint 'j'",
       "'joint.mimic.joint' is missing", 5},
      {JOINT("\"type\": \"revolute\", \"name\": 4"), "json-syntax", "", "duplicate", 4},
      {"{\"bodies\": [{\"name\": \"a\", \"joint\": {\"type\": \"revolute\",\n\"name\": 4}, " INERTIA "}]}",
       "wrong-type", "body 'a'", "'joint.name' must be a string", 2},
      {JOINT("\"type\": \"revolute\", \"axis\": [0, 0, 0]"), "joint-axis", "joint 'j'", "zero", 3},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_ERROR);
}

static void faults_of_frames_and_loops_name_line_and_subject(void **state) {
  (void)state;
  static const fault faults[] = {
      {FRAME("\"placement\": {}"), "missing-key", "frame 'f'", "'body' is missing", 3},
      {FRAME("\n\"body\": 1"), "wrong-type", "frame 'f'", "'body' must be a string", 4},
      {FRAME("\n\"body\": \"a\",\n\"placement\": 3"), "wrong-type", "frame 'f'", "'placement' must be an object", 5},
      {FRAME("\"body\": \"nowhere\""), "link-unknown", "frame 'f'", "'nowhere'", 3},
      {LOOP("\"b\": {\"body\": \"world\"}"), "missing-key", "loop 'c'", "'type' is missing", 3},
      {LOOP("\"type\": \"sphere\", \"b\": {\"body\": \"world\"}"), "unknown-type", "loop 'c'", "'sphere'", 5},
      {LOOP("\"type\": \"weld\""), "missing-key", "loop 'c'", "'b' is missing", 3},
      {LOOP("\"type\": \"weld\", \"b\":\n{}"), "missing-key", "loop 'c'", "'b.body' is missing", 6},
      {LOOP("\"type\": \"weld\",\n\"b\": \"world\""), "wrong-type", "loop 'c'", "'b' must be an object", 6},
      {LOOP("\"type\": \"distance\", \"b\": {\"body\": \"world\"}"), "missing-key", "loop 'c'", "'distance' is missing",
       3},
      {LOOP("\"type\": \"coordinates\", \"b\": {\"body\": \"world\"}"), "missing-key", "loop 'c'", "'mask' is missing",
       3},
      {LOOP("\"type\": \"coordinates\", \"b\": {\"body\": \"world\"},\n\"mask\": [\"x\", \"q\"]"), "unknown-value",
       "loop 'c'", "has entry 2", 6},
      {LOOP("\"type\": \"coordinates\", \"b\": {\"body\": \"world\"},\n\"mask\": [\"x\", \"rz\", \"x\"]"),
       "duplicate-value", "loop 'c'", "has 'x' twice", 6},
      {LOOP("\"type\": \"coordinates\", \"b\": {\"body\": \"world\"},\n\"mask\": \"x\""), "wrong-type", "loop 'c'",
       "an array of names", 6},
      {LOOP("\"type\": \"revolute\", \"b\": {\"body\": \"world\"},\n\"axis\": [1, 0]"), "wrong-type", "loop 'c'",
       "'axis'", 6},
      {COUPLING(""), "missing-key", "loop 'c'", "'terms' is missing", 3},
      {COUPLING(",\n\"terms\": {}"), "wrong-type", "loop 'c'", "'terms' must be an array", 4},
      {COUPLING(",\n\"terms\": [{\"joint\": \"a\", \"factor\": \"x\"}]"), "wrong-type", "loop 'c'", "has entry 1", 4},
      {COUPLING(",\n\"terms\": [{\"joint\": \"a\", \"coordinate\": 0.5}]"), "wrong-type", "loop 'c'", "has entry 1", 4},
      {COUPLING(", \"terms\": [{\"joint\": \"a\"}]"), "loop", "loop 'c'", "term 1 names 'a', which is fixed", 3},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_ERROR);
}

static void unknown_and_unused_keys_are_warnings(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"bodies\": [{\"name\": \"a\"}],\n\"version\": 2}", "unknown-key", "", "'version' is not a known key", 2},
      {BODY("\"parnet\": \"b\""), "unknown-key", "body 'a'", "'parnet' is not a known key", 3},
      {JOINT("\"type\": \"revolute\",\n\"axes\": 1"), "unknown-key", "joint 'j'", "'joint.axes'", 5},
      {JOINT("\"type\": \"revolute\", \"limits\":\n {\"min\": 1}"), "unknown-key", "joint 'j'", "'joint.limits.min'",
       5},
      {JOINT("\"type\": \"revolute\",\n\"pitch\": 1"), "unused-key", "joint 'j'", "no meaning for type 'revolute'", 5},
      {JOINT("\"type\": \"fixed\",\n\"limits\": {}"), "unused-key", "joint 'j'", "no meaning for type 'fixed'", 5},
      {JOINT("\"type\": \"spherical\",\n\"axis\": [1, 0, 0]"), "unused-key", "joint 'j'", "type 'spherical'", 5},
      {LOOP("\"type\": \"weld\", \"b\": {\"body\": \"world\"},\n\"distance\": 1"), "unused-key", "loop 'c'",
       "'distance'", 6},
      {LOOP("\"type\": \"point_contact\", \"b\": {\"body\": \"world\"},\n\"terms\": []"), "unused-key", "loop 'c'",
       "'terms'", 6},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_WARNING);
}

static void an_unknown_key_suggests_the_nearest_one(void **state) {
  (void)state;
  loaded l = load(BODY("\"parnet\": \"b\""));
  assert_non_null(strstr(jn_report_message(l.report, 0)->remedy, "did you mean 'parent'?"));
  unload(&l);
  l = load(BODY("\"colour\": \"red\""));
  assert_string_equal(jn_report_message(l.report, 0)->remedy, "known are: name, parent, placement, joint, inertia");
  unload(&l);
}

static void a_warning_is_an_error_in_strict_mode(void **state) {
  (void)state;
  static const char text[] = BODY("\"parnet\": \"b\"");
  jn_options options;
  jn_model *m;
  jn_error error;
  jn_options_init(&options);
  options.strict = 1;
  assert_int_equal(jn_load_text(text, strlen(text), JN_FORMAT_AUTO, "x.json", &options, &m, &error), JN_ERR_MODEL);
  assert_null(m);
  assert_int_equal(error.line, 3);
  assert_string_equal(error.file, "x.json");
}

static void all_faults_are_reported_each_once_and_in_order(void **state) {
  (void)state;
  static const int lines[] = {1, 3, 4, 6, 7, 9, 10};
  loaded l = load(
      "{\"gravity\": 9.81, \"bodies\": [\n"
      "{\"name\": \"a\", \"joint\": {\n"
      "  \"type\": \"revolt\", \"limits\": {\"lower\": [1, 2]}},\n"
      "  \"inertia\": {\"mass\": \"heavy\"}},\n"
      "{\"name\": \"b\", \"parent\": \"a\", \"joint\": {\"type\": \"revolute\",\n"
      "  \"axis\": \"z\",\n"
      "  \"mimic\": {}}, \"inertia\": {\"mass\": 1, \"tensor\": [1, 1, 1, 0, 0, 0]}}],\n"
      "\"frames\": [\n"
      "{\"name\": \"f\"},\n"
      "{\"name\": \"g\", \"body\": \"c\"}]}");
  /* the inertia of a body is read before its joint */
  assert_int_equal(l.status, JN_ERR_MODEL);
  assert_int_equal(jn_report_count_of(l.report, JN_ERROR), 7);
  int found[7];
  for (int i = 0; i < 7; i++) found[i] = jn_report_message(l.report, i)->line;
  for (int i = 0; i < 7; i++) {
    int seen = 0;
    for (int k = 0; k < 7; k++) seen += found[k] == lines[i];
    assert_int_equal(seen, 1);
  }
  assert_int_equal(l.error.line, 1);
  unload(&l);
}

static void places_count_lines_and_characters(void **state) {
  (void)state;
  loaded l = load(
      "{\"comment\": \"} ] \\\" \\\\\",\r\n\t\"bodies\": [{\"name\": \"a\", \"x\": [[{\"y\": \"]\"}]]},\n"
      "  {\"name\": \"\xc3\xa9\xc3\xa9\", \"parent\": 0}]}");
  const jn_message *m = jn_report_message(l.report, 0);
  assert_string_equal(m->rule, "unknown-key");
  assert_int_equal(m->line, 2);
  assert_int_equal(m->column, 27);
  m = jn_report_message(l.report, 1);
  assert_string_equal(m->subject, "body '\xc3\xa9\xc3\xa9'");
  assert_int_equal(m->line, 3);
  assert_int_equal(m->column, 18);
  unload(&l);
}

static void columns_of_many_bodies_on_one_line_are_found_in_one_walk(void **state) {
  (void)state;
  enum { N = 20000 };
  char *text = malloc(64 * N);
  size_t used = (size_t)sprintf(text, "{\"bodies\": [{\"name\": \"\xc3\xa9\"}");
  for (int i = 1; i < N; i++) used += (size_t)sprintf(text + used, ", {\"name\": \"b%d\"}", i);
  size_t place = used + 2; /* one byte more than characters, columns count from 1 */
  sprintf(text + used, ", {\"parent\": \"b1\"}]}");
  loaded l = load(text); /* takes seconds when every column is counted from the start of the line */
  assert_int_equal(l.status, JN_ERR_MODEL);
  assert_int_equal(jn_report_count(l.report), 1);
  assert_int_equal(l.error.line, 1);
  assert_int_equal(l.error.column, place);
  unload(&l);
  strcpy(text + used, "]}");
  l = load(text);
  assert_int_equal(l.status, JN_OK);
  assert_int_equal(jn_link_count(l.model), N);
  unload(&l);
  free(text);
}

static void the_freezer_knows_the_lines(void **state) {
  (void)state;
  loaded l = load(
      "{\"bodies\": [\n{\"name\": \"a\"},\n{\"name\": \"b\",\n \"parent\": \"c\",\n \"joint\": {\"name\": \"j\", "
      "\"type\": \"revolute\"}}]}");
  const jn_message *m = jn_report_message(l.report, 0);
  assert_string_equal(m->rule, "parent-unknown");
  assert_int_equal(m->line, 5);
  unload(&l);
}

static void a_flood_of_faults_is_cut(void **state) {
  (void)state;
  enum { N = 5000 };
  char *text = malloc(8 * N);
  strcpy(text, "{\"bodies\": [0");
  size_t used = strlen(text);
  for (int i = 1; i < N; i++) used += (size_t)sprintf(text + used, ",\n0");
  strcpy(text + used, "]}");
  loaded l = load(text);
  assert_int_equal(l.status, JN_ERR_MODEL);
  assert_int_equal(jn_report_count_of(l.report, JN_ERROR), 1000);
  const jn_message *last = jn_report_message(l.report, jn_report_count(l.report) - 1);
  assert_string_equal(last->rule, "too-many-errors");
  unload(&l);
  used = (size_t)sprintf(text, "{\"bodies\": [{\"name\": \"a\", \"parent\": \"last\"}");
  for (int i = 1; i < N; i++) used += (size_t)sprintf(text + used, ",\n0");
  strcpy(text + used, ", {\"name\": \"last\"}]}");
  l = load(text); /* the body 'last' was not read, which is no fault of the first one */
  assert_int_equal(jn_report_count_of(l.report, JN_ERROR), 1000);
  unload(&l);
  strcpy(text, "{\"bodies\": [{\"name\": \"a\"}]");
  used = strlen(text);
  for (int i = 0; i < 400; i++) used += (size_t)sprintf(text + used, ",\"k%d\": 0", i);
  strcpy(text + used, "}");
  l = load(text);
  assert_int_equal(jn_report_count_of(l.report, JN_WARNING), 17);
  assert_non_null(strstr(jn_report_message(l.report, 16)->text, "384 more"));
  unload(&l);
  free(text);
}

static void long_names_do_not_overflow_messages(void **state) {
  (void)state;
  enum { N = 5000 };
  char *text = malloc(4 * N);
  char *name = malloc(N + 1);
  for (int i = 0; i < N; i += 2) memcpy(name + i, "\xc3\xa9", 2);
  name[N] = 0;
  sprintf(text, "{\"bodies\": [{\"name\": \"%s\", \"parent\": 1, \"%s\": 2}]}", name, name);
  loaded l = load(text);
  const jn_message *m = jn_report_message(l.report, 0);
  assert_int_equal(strlen(m->subject), strlen("body ''") + 60);
  assert_int_equal(l.status, JN_ERR_MODEL);
  unload(&l);
  free(name);
  free(text);
}

/* ---- nothing crashes ---- */

static void a_file_cut_anywhere_is_a_syntax_error(void **state) {
  (void)state;
  size_t whole = strlen(everything) - 1; /* the newline */
  for (size_t i = 0; i < whole; i++) {
    loaded l = load_bytes(everything, i);
    assert_int_equal(l.status, JN_ERR_SYNTAX);
    unload(&l);
  }
}

static void a_file_with_any_byte_changed_never_crashes(void **state) {
  (void)state;
  static const char bytes[] = "\"{[]},:0-e\\nt\x80\n";
  char *text = malloc(sizeof everything);
  memcpy(text, everything, sizeof everything);
  for (size_t i = 0; i + 1 < sizeof everything; i++) {
    text[i] = bytes[i % (sizeof bytes - 1)];
    loaded l = load(text);
    if (l.model) {
      char *written;
      assert_int_equal(jn_save_text(l.model, JN_FORMAT_NATIVE, NULL, &written, NULL, NULL), JN_OK);
      loaded again = load(written);
      assert_int_equal(again.status, JN_OK);
      unload(&again);
      jn_text_free(written, NULL);
    }
    unload(&l);
    text[i] = everything[i];
  }
  free(text);
}

static void deep_nesting_is_a_syntax_error(void **state) {
  (void)state;
  enum { DEPTH = 100000 };
  char *text = malloc(DEPTH + 32);
  size_t used = (size_t)sprintf(text, "{\"comment\": ");
  memset(text + used, '[', DEPTH);
  loaded l = load_bytes(text, used + DEPTH);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  unload(&l);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faults_of_the_file_name_line_and_reason),
      cmocka_unit_test(faults_of_a_body_name_line_and_subject),
      cmocka_unit_test(faults_of_a_joint_name_line_and_subject),
      cmocka_unit_test(faults_of_frames_and_loops_name_line_and_subject),
      cmocka_unit_test(unknown_and_unused_keys_are_warnings),
      cmocka_unit_test(an_unknown_key_suggests_the_nearest_one),
      cmocka_unit_test(a_warning_is_an_error_in_strict_mode),
      cmocka_unit_test(all_faults_are_reported_each_once_and_in_order),
      cmocka_unit_test(places_count_lines_and_characters),
      cmocka_unit_test(columns_of_many_bodies_on_one_line_are_found_in_one_walk),
      cmocka_unit_test(the_freezer_knows_the_lines),
      cmocka_unit_test(a_flood_of_faults_is_cut),
      cmocka_unit_test(long_names_do_not_overflow_messages),
      cmocka_unit_test(a_file_cut_anywhere_is_a_syntax_error),
      cmocka_unit_test(a_file_with_any_byte_changed_never_crashes),
      cmocka_unit_test(deep_nesting_is_a_syntax_error),
  };
  return cmocka_run_group_tests_name("native_faults", tests, NULL, NULL);
}
