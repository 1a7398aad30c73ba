/* SPDX-License-Identifier: BSD-2-Clause */
/* Native model files: all that a file can say is read, faults are told with their place, and what is written reads back
 * to the same bits. Files and built-in robots: test_load.c. */
#include "jounce/jounce.h"
#include "testing.h"

/* ---- helpers ---- */

typedef struct loaded {
  jn_model *model;
  jn_report *report;
  jn_error error;
  jn_status status;
} loaded;

static loaded load_bytes(const char *text, size_t length) {
  loaded l = {.report = jn_report_create(NULL)};
  jn_options options;
  jn_options_init(&options);
  options.report = l.report;
  /* A copy of the exact size, so that a memory checker sees a step too far. */
  char *copy = malloc(length ? length : 1);
  memcpy(copy, text, length);
  l.status = jn_load_text(copy, length, JN_FORMAT_NATIVE, "test.json", &options, &l.model, &l.error);
  free(copy);
  assert_int_equal(l.status, l.error.status);
  assert_int_equal(l.status == JN_OK, l.model != NULL);
  return l;
}

static loaded load(const char *text) { return load_bytes(text, strlen(text)); }

static void unload(loaded *l) {
  jn_model_destroy(l->model);
  jn_report_destroy(l->report);
}

/* A model that must load without any message. */
static loaded load_clean(const char *text) {
  loaded l = load(text);
  if (jn_report_count(l.report) > 0) print_message("%s\n", jn_report_message(l.report, 0)->text);
  assert_int_equal(jn_report_count(l.report), 0);
  assert_int_equal(l.status, JN_OK);
  return l;
}

#define INERTIA "\"inertia\": {\"mass\": 1, \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}"
/* A file with one body that has this joint. */
#define WITH_JOINT(joint) "{\"bodies\": [{\"name\": \"a\", \"joint\": {" joint "}, " INERTIA "}]}"

/* ---- what a file can say ---- */

static const char everything[] =
    "{\"name\": \"all \\\"sorts\\\" \\u00e9\", \"comment\": [1, {}], \"gravity\": [0.5, -0.25, -9.75],\n"
    "\"bodies\": [\n"
    "{\"name\": \"base\", \"comment\": null, \"joint\": {\"name\": \"weld\", \"type\": \"fixed\"}, " INERTIA "},\n"
    "{\"name\": \"b1\", \"parent\": \"base\", \"placement\": {\"position\": [0.1, 0.2, 0.3], \"rpy\": [0.4, -0.5, 0.6]},\n"
    "  \"joint\": {\"name\": \"j1\", \"type\": \"revolute\", \"axis\": [0, 0.6, 0.8], \"point\": [0.1, 0, -0.1],\n"
    "    \"limits\": {\"lower\": -1, \"upper\": 2.5, \"velocity\": 3, \"acceleration\": 4, \"jerk\": 5, \"effort\": 6,\n"
    "    \"effort_rate\": 7}, \"armature\": 0.1, \"damping\": 0.2, \"friction\": 0.3},\n"
    "  \"inertia\": {\"mass\": 1.25, \"com\": [0.1, 0, 0.2], \"tensor\": [[0.02, 0, 0], [0, 0.03, 1e-3], [0, 1e-3, 0.04]]}},\n"
    "{\"name\": \"b2\", \"parent\": \"b1\", \"joint\": {\"type\": \"continuous\", \"axis\": [1, 0, 0]}, " INERTIA "},\n"
    "{\"name\": \"b3\", \"parent\": \"b2\", \"placement\": {\"position\": [0, 0, 1]}, \"joint\": {\"name\": \"slide\",\n"
    "  \"type\": \"prismatic\", \"mimic\": {\"joint\": \"j1\", \"ratio\": -0.5, \"offset\": 0.125}}, " INERTIA "},\n"
    "{\"name\": \"b4\", \"parent\": \"base\", \"joint\": {\"type\": \"helical\", \"pitch\": 0.01}, " INERTIA "},\n"
    "{\"name\": \"b5\", \"parent\": \"b4\", \"joint\": {\"type\": \"cylindrical\", \"axis\": [0, 1, 0],\n"
    "  \"limits\": {\"lower\": [-1, null], \"velocity\": 2, \"effort\": [3, 4]}, \"damping\": [0, 0.5]}, " INERTIA "},\n"
    "{\"name\": \"b6\", \"parent\": \"b5\", \"joint\": {\"type\": \"universal\", \"axis2\": [1, 0, 0]}, " INERTIA "},\n"
    "{\"name\": \"b7\", \"parent\": \"b6\", \"joint\": {\"type\": \"planar\", \"axis\": [0, 1, 0]}, " INERTIA "},\n"
    "{\"name\": \"b8\", \"parent\": \"base\", \"joint\": {\"type\": \"spherical\", \"point\": [0, 0, 0.5]}, " INERTIA "},\n"
    "{\"name\": \"b9\", \"parent\": \"b8\", \"joint\": {\"type\": \"gimbal\", \"axis\": [1, 0, 0], \"axis3\": [0, 0, 1]}, "
    INERTIA "},\n"
    "{\"name\": \"b10\", \"parent\": \"world\", \"placement\": {\"position\": [-0, 2, 3]},\n"
    "  \"joint\": {\"type\": \"floating\", \"armature\": [1, 2, 3, 4, 5, 6]}, " INERTIA "},\n"
    "{\"name\": \"b11\", \"parent\": \"b10\", \"joint\": {\"type\": \"screw\", \"screw\": [0, 0, 1, 0.1, 0.2, 0.3]}, " INERTIA
    "},\n"
    "{\"name\": \"b12\", \"parent\": \"b11\", \"joint\": {\"type\": \"general\", \"screws\": [[1, 0, 0, 0, 0, 0.1],\n"
    "  [0, 1, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0]], \"friction\": [0, 0, 1]}, \"inertia\":\n"
    "  {\"parameters\": [2, 0.2, 0.1, -0.3, 1, 1.1, 1.2, 0.01, 0.02, 0.03]}}],\n"
    "\"frames\": [{\"name\": \"tip\", \"body\": \"b3\", \"placement\": {\"quaternion\": [0.5, 0.5, -0.5, 0.5]}},\n"
    "  {\"name\": \"eye\", \"body\": \"b12\", \"placement\": {\"position\": [1, 2, 3],\n"
    "  \"rotation\": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}],\n"
    "\"loops\": [{\"name\": \"l1\", \"type\": \"weld\", \"a\": {\"body\": \"b3\"}, \"b\": {\"body\": \"b7\",\n"
    "  \"placement\": {\"matrix\": [[0, 0, 1, 0.5], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]}}},\n"
    "{\"name\": \"l2\", \"type\": \"universal\", \"a\": {\"body\": \"world\"}, \"b\": {\"body\": \"b9\"}, \"axis\": [0, 1, 0],\n"
    "  \"axis2\": [0, 0, 1]},\n"
    "{\"name\": \"l3\", \"type\": \"distance\", \"a\": {\"body\": \"b3\"}, \"b\": {\"body\": \"b9\"}, \"distance\": 0.75},\n"
    "{\"name\": \"l4\", \"type\": \"coordinates\", \"a\": {\"body\": \"b3\"}, \"b\": {\"body\": \"b2\"}, \"mask\": [\"z\", \"rx\"]}\n"
    "]}\n";

static const jn_joint *joint_of(const loaded *l, const char *link) {
  const jn_joint *j = jn_joint_description(l->model, jn_link_index(l->model, link));
  assert_non_null(j);
  return j;
}

static void every_joint_type_is_read(void **state) {
  (void)state;
  static const struct {
    const char *link;
    jn_joint_type type;
  } expected[] = {{"base", JN_FIXED},      {"b1", JN_REVOLUTE},   {"b2", JN_CONTINUOUS}, {"b3", JN_PRISMATIC},
                  {"b4", JN_HELICAL},      {"b5", JN_CYLINDRICAL}, {"b6", JN_UNIVERSAL}, {"b7", JN_PLANAR},
                  {"b8", JN_SPHERICAL},    {"b9", JN_GIMBAL},     {"b10", JN_FREE},      {"b11", JN_GENERAL},
                  {"b12", JN_GENERAL}};
  loaded l = load_clean(everything);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_int_equal(joint_of(&l, expected[i].link)->type, expected[i].type);
  assert_int_equal(jn_link_count(l.model), 13);
  assert_int_equal(jn_model_nv(l.model), 1 + 1 + 0 + 1 + 2 + 2 + 3 + 3 + 3 + 6 + 1 + 3);
  assert_string_equal(jn_model_name(l.model), "all \"sorts\" \xc3\xa9");
  double g[3];
  jn_model_gravity(l.model, g);
  assert_true(g[0] == 0.5 && g[1] == -0.25 && g[2] == -9.75);
  unload(&l);
}

static void joint_numbers_are_read(void **state) {
  (void)state;
  loaded l = load_clean(everything);
  const jn_joint *j = joint_of(&l, "b1");
  assert_string_equal(j->name, "j1");
  assert_true(j->axis[0] == 0 && j->axis[1] == 0.6 && j->axis[2] == 0.8);
  assert_true(j->point[0] == 0.1 && j->point[1] == 0 && j->point[2] == -0.1);
  assert_true(joint_of(&l, "b4")->pitch == 0.01);
  assert_true(joint_of(&l, "b6")->axis[2] == 1 && joint_of(&l, "b6")->axis2[0] == 1);
  assert_true(joint_of(&l, "b9")->axis[0] == 1 && joint_of(&l, "b9")->axis2[1] == 1 && joint_of(&l, "b9")->axis3[2] == 1);
  j = joint_of(&l, "b11");
  assert_int_equal(j->screw_count, 1);
  assert_true(j->screws[0][2] == 1 && j->screws[0][3] == 0.1 && j->screws[0][5] == 0.3);
  j = joint_of(&l, "b12");
  assert_int_equal(j->screw_count, 3);
  assert_true(j->screws[0][5] == 0.1 && j->screws[1][1] == 1 && j->screws[2][3] == 2);
  unload(&l);
}

static void a_limit_is_one_number_or_one_per_coordinate(void **state) {
  (void)state;
  loaded l = load_clean(everything);
  const jn_dof *d = joint_of(&l, "b1")->dof;
  assert_true(d->lower == -1 && d->upper == 2.5 && d->velocity == 3 && d->acceleration == 4 && d->jerk == 5);
  assert_true(d->effort == 6 && d->effort_rate == 7 && d->armature == 0.1 && d->damping == 0.2 && d->friction == 0.3);
  d = joint_of(&l, "b5")->dof;
  assert_true(d[0].lower == -1 && d[1].lower == -INFINITY && d[0].upper == INFINITY && d[1].upper == INFINITY);
  assert_true(d[0].velocity == 2 && d[1].velocity == 2 && d[0].effort == 3 && d[1].effort == 4);
  assert_true(d[0].damping == 0 && d[1].damping == 0.5 && d[1].armature == 0);
  for (int k = 0; k < 6; k++) assert_true(joint_of(&l, "b10")->dof[k].armature == k + 1);
  unload(&l);
}

static void mimic_couples_joints(void **state) {
  (void)state;
  int leader;
  double ratio, offset;
  loaded l = load_clean(everything);
  assert_int_equal(jn_joint_mimic(l.model, jn_joint_index(l.model, "slide"), &leader, &ratio, &offset), 1);
  assert_int_equal(leader, jn_joint_index(l.model, "j1"));
  assert_true(ratio == -0.5 && offset == 0.125);
  unload(&l);
}

static void frames_and_loops_are_read(void **state) {
  (void)state;
  static const double tip[16] = {0, 1, 0, 0, 0, 0, -1, 0, -1, 0, 0, 0, 0, 0, 0, 1};
  double T[16];
  loaded l = load_clean(everything);
  assert_int_equal(jn_frame_count(l.model), 15);
  int frame = jn_frame_index(l.model, "tip");
  assert_int_equal(jn_frame_link(l.model, frame), jn_link_index(l.model, "b3"));
  assert_int_equal(jn_frame_placement(l.model, frame, T), JN_OK);
  for (int i = 0; i < 16; i++) assert_true(fabs(T[i] - tip[i]) < 1e-15);
  assert_int_equal(jn_loop_count(l.model), 4);
  const jn_loop *loop = jn_loop_description(l.model, 0);
  assert_int_equal(loop->type, JN_LOOP_WELD);
  assert_true(loop->placement_b[3] == 0.5 && loop->placement_b[2] == 1 && loop->placement_a[0] == 1);
  loop = jn_loop_description(l.model, 1);
  assert_int_equal(loop->type, JN_LOOP_UNIVERSAL);
  assert_string_equal(loop->link_a, "world");
  assert_true(loop->axis[1] == 1 && loop->axis2[2] == 1);
  assert_true(jn_loop_description(l.model, 2)->distance == 0.75);
  assert_int_equal(jn_loop_description(l.model, 3)->mask, 1 | 32);
  unload(&l);
}

static void every_loop_type_is_read(void **state) {
  (void)state;
  char text[1024];
  for (int t = 0; t < JN_LOOP_TYPES; t++) {
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"name\": \"a\", " INERTIA "}], \"loops\": [{\"name\": \"c\", \"type\": \"%s\","
             "\"a\": {\"body\": \"a\"}, \"b\": {\"body\": \"world\"}%s}]}",
             jn_loop_type_name((jn_loop_type)t),
             t == JN_LOOP_DISTANCE      ? ", \"distance\": 1"
             : t == JN_LOOP_COORDINATES ? ", \"mask\": [\"rx\", \"ry\", \"rz\", \"x\", \"y\", \"z\"]"
                                        : "");
    loaded l = load(text);
    assert_int_equal(l.status, JN_OK);
    assert_int_equal(jn_loop_description(l.model, 0)->type, t);
    unload(&l);
  }
}

static void all_forms_of_a_placement_agree(void **state) {
  (void)state;
  /* Rz(0.6) Ry(-0.5) Rx(0.4), computed with 30 digits */
  loaded l = load_clean(
      "{\"bodies\": ["
      "{\"name\": \"p0\", \"placement\": {\"position\": [1, 2, 3], \"rpy\": [0.4, -0.5, 0.6]}},"
      "{\"name\": \"p1\", \"placement\": {\"position\": [1, 2, 3], \"quaternion\":"
      " [0.25555124055537304, -0.17475706012472655, 0.32758189550196737, 0.8926609855519118]}},"
      "{\"name\": \"p2\", \"placement\": {\"position\": [1, 2, 3], \"rotation\": ["
      "[0.724300143351801534, -0.674157922396867059, -0.144569699488169632],"
      "[0.495520388354131722, 0.654767330379895929, -0.570735742522364489],"
      "[0.479425538604203, 0.341746746490327671, 0.808307066774345136]]}},"
      "{\"name\": \"p3\", \"placement\": {\"matrix\": ["
      "[0.724300143351801534, -0.674157922396867059, -0.144569699488169632, 1],"
      "[0.495520388354131722, 0.654767330379895929, -0.570735742522364489, 2],"
      "[0.479425538604203, 0.341746746490327671, 0.808307066774345136, 3], [0, 0, 0, 1]]}}]}");
  double T[4][16];
  for (int k = 0; k < 4; k++) assert_int_equal(jn_link_placement(l.model, k, T[k]), JN_OK);
  for (int k = 1; k < 4; k++)
    for (int i = 0; i < 16; i++) assert_true(fabs(T[k][i] - T[0][i]) < 3e-15);
  unload(&l);
}

static void a_rotation_matrix_stays_as_written(void **state) {
  (void)state;
  loaded l = load_clean(
      "{\"bodies\": [{\"name\": \"a\", \"placement\": {\"rotation\": [[0.6, -0.8, 0], [0.8000001, 0.6, 0], [0, 0, 1]]}}]}");
  double T[16];
  jn_link_placement(l.model, 0, T);
  assert_true(T[4] == 0.8000001 && T[1] == -0.8);
  unload(&l);
}

static void all_forms_of_an_inertia_agree(void **state) {
  (void)state;
  double p[3][10], expected[10];
  loaded l = load_clean(
      "{\"bodies\": [{\"name\": \"a\", \"inertia\": {\"mass\": 2, \"com\": [0.5, -1, 0.25], \"tensor\":"
      "  [[3, 0.5, -0.25], [0.5, 4, 0.125], [-0.25, 0.125, 5]]}},"
      "{\"name\": \"b\", \"inertia\": {\"mass\": 2, \"com\": [0.5, -1, 0.25], \"tensor\": [3, 4, 5, 0.5, -0.25, 0.125]}},"
      "{\"name\": \"c\", \"inertia\": {\"parameters\": [2, 1, -2, 0.5, 5.125, 4.625, 7.5, 1.5, -0.5, 0.625]}}]}");
  for (int k = 0; k < 3; k++) jn_link_inertia(l.model, k, p[k]);
  jn_inertia_pack(2, (const double[]){0.5, -1, 0.25}, (const double[]){3, 4, 5, 0.5, -0.25, 0.125}, expected);
  for (int k = 0; k < 3; k++) assert_memory_equal(p[k], expected, sizeof expected);
  unload(&l);
}

static void what_is_absent_has_its_default(void **state) {
  (void)state;
  loaded l = load_clean("{\"bodies\": [{\"name\": \"a\", \"joint\": null, \"inertia\": {\"mass\": 1}}]}");
  double g[3], p[10];
  jn_model_gravity(l.model, g);
  jn_link_inertia(l.model, 0, p);
  assert_true(g[0] == 0 && g[1] == 0 && g[2] == -9.81);
  assert_string_equal(jn_model_name(l.model), "robot");
  assert_int_equal(jn_link_parent(l.model, 0), JN_WORLD);
  assert_int_equal(jn_joint_type_of(l.model, 0), JN_FIXED);
  for (int i = 0; i < 10; i++) assert_true(p[i] == (i == 0));
  unload(&l);
}

/* ---- writing ---- */

static void same_text(const char *a, const char *b) {
  assert_int_equal(!a, !b);
  if (a) assert_string_equal(a, b);
}

static void same_joint(const jn_joint *a, const jn_joint *b) {
  assert_int_equal(a->type, b->type);
  same_text(a->name, b->name);
  same_text(a->mimic, b->mimic);
  assert_memory_equal(a->axis, b->axis, sizeof a->axis);
  assert_memory_equal(a->axis2, b->axis2, sizeof a->axis2);
  assert_memory_equal(a->axis3, b->axis3, sizeof a->axis3);
  assert_memory_equal(a->point, b->point, sizeof a->point);
  assert_memory_equal(&a->pitch, &b->pitch, sizeof a->pitch);
  assert_int_equal(a->screw_count, b->screw_count);
  assert_memory_equal(a->screws, b->screws, sizeof a->screws);
  assert_memory_equal(&a->mimic_ratio, &b->mimic_ratio, sizeof(double));
  assert_memory_equal(&a->mimic_offset, &b->mimic_offset, sizeof(double));
  assert_memory_equal(a->dof, b->dof, sizeof a->dof);
}

static void same_loop(const jn_loop *a, const jn_loop *b) {
  assert_int_equal(a->type, b->type);
  same_text(a->name, b->name);
  same_text(a->link_a, b->link_a);
  same_text(a->link_b, b->link_b);
  assert_memory_equal(a->placement_a, b->placement_a, sizeof a->placement_a);
  assert_memory_equal(a->placement_b, b->placement_b, sizeof a->placement_b);
  assert_memory_equal(a->axis, b->axis, sizeof a->axis);
  assert_memory_equal(a->axis2, b->axis2, sizeof a->axis2);
  assert_memory_equal(&a->distance, &b->distance, sizeof(double));
  assert_int_equal(a->mask, b->mask);
}

/* Equal to the bit in all that the public functions tell. */
static void same_model(const jn_model *a, const jn_model *b) {
  double x[16], y[16];
  assert_string_equal(jn_model_name(a), jn_model_name(b));
  assert_int_equal(jn_model_nq(a), jn_model_nq(b));
  assert_int_equal(jn_model_nv(a), jn_model_nv(b));
  jn_model_gravity(a, x);
  jn_model_gravity(b, y);
  assert_memory_equal(x, y, 3 * sizeof *x);
  assert_int_equal(jn_link_count(a), jn_link_count(b));
  for (int i = 0; i < jn_link_count(a); i++) {
    assert_int_equal(jn_link_parent(a, i), jn_link_parent(b, i));
    jn_link_placement(a, i, x);
    jn_link_placement(b, i, y);
    assert_memory_equal(x, y, 16 * sizeof *x);
    jn_link_inertia(a, i, x);
    jn_link_inertia(b, i, y);
    assert_memory_equal(x, y, 10 * sizeof *x);
    same_joint(jn_joint_description(a, i), jn_joint_description(b, i));
    assert_int_equal(jn_joint_v(a, i), jn_joint_v(b, i));
  }
  assert_int_equal(jn_frame_count(a), jn_frame_count(b));
  for (int i = 0; i < jn_frame_count(a); i++) {
    assert_string_equal(jn_frame_name(a, i), jn_frame_name(b, i));
    assert_int_equal(jn_frame_link(a, i), jn_frame_link(b, i));
    jn_frame_placement(a, i, x);
    jn_frame_placement(b, i, y);
    assert_memory_equal(x, y, 16 * sizeof *x);
  }
  assert_int_equal(jn_loop_count(a), jn_loop_count(b));
  for (int i = 0; i < jn_loop_count(a); i++) same_loop(jn_loop_description(a, i), jn_loop_description(b, i));
}

/* Writes, reads, and compares; writing again must give the same text. */
static void round_trip(const jn_model *m) {
  char *text, *again;
  size_t length, length_again;
  assert_int_equal(jn_save_text(m, JN_FORMAT_NATIVE, NULL, &text, &length, NULL), JN_OK);
  assert_int_equal(strlen(text), length);
  loaded l = load(text);
  if (l.status != JN_OK) print_message("%s\n%s\n", l.error.text, text);
  assert_int_equal(l.status, JN_OK);
  for (int i = 0; i < jn_report_count(l.report); i++)
    assert_string_not_equal(jn_report_message(l.report, i)->rule, "unused-key");
  same_model(m, l.model);
  assert_int_equal(jn_save_text(l.model, JN_FORMAT_NATIVE, NULL, &again, &length_again, NULL), JN_OK);
  assert_string_equal(text, again);
  jn_text_free(text, NULL);
  jn_text_free(again, NULL);
  unload(&l);
}

static void a_written_model_reads_back_to_the_same_bits(void **state) {
  (void)state;
  loaded l = load_clean(everything);
  round_trip(l.model);
  unload(&l);
}

static void every_built_in_robot_reads_back_to_the_same_bits(void **state) {
  (void)state;
  char source[64];
  assert_true(jn_builtin_count() > 0);
  for (int i = 0; i <= jn_builtin_count(); i++) {
    jn_model *m;
    snprintf(source, sizeof source, "builtin:%s", i < jn_builtin_count() ? jn_builtin_name(i) : "chain:25");
    assert_int_equal(jn_load(source, NULL, &m, NULL), JN_OK);
    round_trip(m);
    jn_model_destroy(m);
  }
}

static void axes_of_any_length_read_back_to_the_same_bits(void **state) {
  (void)state;
  char text[512];
  for (int i = 1; i <= 200; i++) {
    snprintf(text, sizeof text, WITH_JOINT("\"type\": \"revolute\", \"axis\": [%d, %.17g, %.17g]"), i, sin(i), 3 * cos(i));
    loaded l = load_clean(text);
    round_trip(l.model);
    unload(&l);
  }
}

/* -0, denormal, largest, and a name with every kind of character that needs care. */
static void odd_numbers_and_names_read_back_to_the_same_bits(void **state) {
  (void)state;
  jn_builder *b;
  jn_model *m;
  jn_link link;
  jn_link_init(&link);
  link.name = "a \"b\" \\ / \n \t \x01 \x7f \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  link.placement[3] = -0.0;
  link.placement[7] = 5e-324;
  link.placement[11] = 0.1 + 0.2;
  link.joint.type = JN_PRISMATIC;
  link.joint.dof[0].upper = 1.7976931348623157e308;
  jn_inertia_pack(1.0 / 3, (const double[]){1e-5, 2e-7, 0}, (const double[]){0.1, 0.1, 0.1, 0, 0, 0}, link.inertia);
  assert_int_equal(jn_builder_create(NULL, &b), JN_OK);
  assert_int_equal(jn_builder_add_link(b, &link), JN_OK);
  assert_int_equal(jn_builder_freeze(b, &m, NULL), JN_OK);
  round_trip(m);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

static void a_name_that_is_not_utf8_is_refused(void **state) {
  (void)state;
  static const char *const names[] = {"\xff", "a\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    jn_builder *b;
    jn_model *m;
    jn_link link;
    jn_error error;
    char *text;
    jn_link_init(&link);
    link.name = names[i];
    assert_int_equal(jn_builder_create(NULL, &b), JN_OK);
    assert_int_equal(jn_builder_add_link(b, &link), JN_OK);
    assert_int_equal(jn_builder_freeze(b, &m, NULL), JN_OK);
    assert_int_equal(jn_save_text(m, JN_FORMAT_NATIVE, NULL, &text, NULL, &error), JN_ERR_UNSUPPORTED);
    assert_null(text);
    assert_non_null(strstr(error.text, "UTF-8"));
    jn_model_destroy(m);
    jn_builder_destroy(b);
  }
}

/* ---- faults ---- */

typedef struct fault {
  const char *text;    /* of the file */
  const char *rule;
  const char *subject;
  const char *part;    /* of the message */
  int line;
} fault;

#define BODY(rest) "{\"bodies\": [\n{\"name\": \"a\",\n " rest ", " INERTIA "}]}"
#define JOINT(rest) "{\"bodies\": [\n{\"name\": \"a\",\n \"joint\": {\"name\": \"j\",\n  " rest "},\n " INERTIA "}]}"
#define PLACED(rest) BODY("\"placement\": {\n" rest "}")
#define MASSES(rest) "{\"bodies\": [\n{\"name\": \"a\", \"inertia\":\n{" rest "}}]}"
#define FRAME(rest) "{\"bodies\": [{\"name\": \"a\", " INERTIA "}],\n\"frames\": [\n{\"name\": \"f\"," rest "}]}"
#define LOOP(rest) \
  "{\"bodies\": [{\"name\": \"a\", " INERTIA "}],\n\"loops\": [\n{\"name\": \"c\",\n\"a\": {\"body\": \"a\"},\n" rest "}]}"

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
      {"{\"bodies\": [],\n\"frames\": {}}", "wrong-type", "", "'frames' must be an array of objects, but is an object", 2},
      {"\n{\"name\": \"x\"}", "missing-key", "", "'bodies' is missing", 2},
      {"{\"bodies\": [],\n\"name\": 1}", "wrong-type", "", "'name' must be a string, but is a number", 2},
      {"{\"bodies\": [],\n \"gravity\": [0, 1]}", "wrong-type", "", "an array of 3 numbers, but it is an array of 2", 2},
      {"{\"bodies\": [],\n \"gravity\": [0, 1, \"2\"]}", "wrong-type", "", "but entry 3 is a string", 2},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_ERROR);
}

static void faults_of_a_body_name_line_and_subject(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"bodies\": [\n7]}", "wrong-type", "bodies[0]", "'bodies[0]' must be an object, but is a number", 2},
      {"{\"bodies\": [{\"name\": \"a\"},\n{\"parent\": \"a\"}]}", "missing-key", "bodies[1]", "'name' is missing", 2},
      {"{\"bodies\": [{\"name\":\n \"a\"},\n{\"name\": true}]}", "wrong-type", "bodies[1]", "a string, but is 'true'", 3},
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
      {MASSES("\"mass\": 1,\n\"tensor\": [1, 1, 1, 0, 0]"), "wrong-type", "body 'a'", "xx, yy, zz, xy, xz, yz, but is", 4},
      {MASSES("\"mass\": 1, \"parameters\": []"), "inertia-forms", "body 'a'", "not both", 2},
      {MASSES("\"parameters\": [1]"), "wrong-type", "body 'a'", "10 numbers", 3},
      {"{\"bodies\": [\n{\"name\": \"a\", \"inertia\":\n 3}]}", "wrong-type", "body 'a'", "'inertia' must be an object", 2},
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
      {JOINT("\"type\": \"revolute\",\n\"limits\": 5"), "wrong-type", "joint 'j'", "'joint.limits' must be an object", 5},
      {JOINT("\"type\": \"revolute\",\n\"limits\": {\n\"lower\": [1, 2]}"), "wrong-type", "joint 'j'",
       "'joint.limits.lower' must be a number, or an array of 1 (one per coordinate), but is an array of 2", 6},
      {JOINT("\"type\": \"planar\",\n\"limits\": {\n\"effort\": [1, 2, \"x\"]}"), "wrong-type", "joint 'j'",
       "entry 3 is a string", 6},
      {JOINT("\"type\": \"revolute\",\n\"damping\": true"), "wrong-type", "joint 'j'", "'joint.damping'", 5},
      {JOINT("\"type\": \"revolute\",\n\"mimic\": {\"ratio\": 2}"), "missing-key", "joint 'j'",
       "'joint.mimic.joint' is missing", 5},
      {JOINT("\"type\": \"revolute\", \"name\": 4"), "json-syntax", "", "duplicate", 4},
      {"{\"bodies\": [{\"name\": \"a\", \"joint\": {\"type\": \"revolute\",\n\"name\": 4}, " INERTIA "}]}", "wrong-type",
       "body 'a'", "'joint.name' must be a string", 2},
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
      {LOOP("\"type\": \"distance\", \"b\": {\"body\": \"world\"}"), "missing-key", "loop 'c'", "'distance' is missing", 3},
      {LOOP("\"type\": \"coordinates\", \"b\": {\"body\": \"world\"}"), "missing-key", "loop 'c'", "'mask' is missing", 3},
      {LOOP("\"type\": \"coordinates\", \"b\": {\"body\": \"world\"},\n\"mask\": [\"x\", \"q\"]"), "unknown-value",
       "loop 'c'", "has entry 2", 6},
      {LOOP("\"type\": \"coordinates\", \"b\": {\"body\": \"world\"},\n\"mask\": \"x\""), "wrong-type", "loop 'c'",
       "an array of names", 6},
      {LOOP("\"type\": \"revolute\", \"b\": {\"body\": \"world\"},\n\"axis\": [1, 0]"), "wrong-type", "loop 'c'", "'axis'",
       6},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_ERROR);
}

static void unknown_and_unused_keys_are_warnings(void **state) {
  (void)state;
  static const fault faults[] = {
      {"{\"bodies\": [{\"name\": \"a\"}],\n\"version\": 2}", "unknown-key", "", "'version' is not a known key", 2},
      {BODY("\"parnet\": \"b\""), "unknown-key", "body 'a'", "'parnet' is not a known key", 3},
      {JOINT("\"type\": \"revolute\",\n\"axes\": 1"), "unknown-key", "joint 'j'", "'joint.axes'", 5},
      {JOINT("\"type\": \"revolute\", \"limits\":\n {\"min\": 1}"), "unknown-key", "joint 'j'", "'joint.limits.min'", 5},
      {JOINT("\"type\": \"revolute\",\n\"pitch\": 1"), "unused-key", "joint 'j'", "no meaning for type 'revolute'", 5},
      {JOINT("\"type\": \"fixed\",\n\"limits\": {}"), "unused-key", "joint 'j'", "no meaning for type 'fixed'", 5},
      {JOINT("\"type\": \"spherical\",\n\"axis\": [1, 0, 0]"), "unused-key", "joint 'j'", "type 'spherical'", 5},
      {LOOP("\"type\": \"weld\", \"b\": {\"body\": \"world\"},\n\"distance\": 1"), "unused-key", "loop 'c'", "'distance'", 6},
  };
  check_faults(faults, sizeof faults / sizeof *faults, JN_WARNING);
}

static void an_unknown_key_suggests_the_nearest_one(void **state) {
  (void)state;
  loaded l = load(BODY("\"parnet\": \"b\""));
  assert_non_null(strstr(jn_report_message(l.report, 0)->remedy, "perhaps 'parent' is meant"));
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

static void all_faults_are_told_each_once_and_in_order(void **state) {
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
  loaded l = load("{\"comment\": \"} ] \\\" \\\\\",\r\n\t\"bodies\": [{\"name\": \"a\", \"x\": [[{\"y\": \"]\"}]]},\n"
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

static void the_freezer_knows_the_lines(void **state) {
  (void)state;
  loaded l = load("{\"bodies\": [\n{\"name\": \"a\"},\n{\"name\": \"b\",\n \"parent\": \"c\",\n \"joint\": {\"name\": \"j\", "
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
    if (l.model) round_trip(l.model);
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

/* Fails at one allocation, and counts what is not released. */
typedef struct meter {
  int until_failure;
  int live;
} meter;

static void *meter_allocate(size_t bytes, void *context) {
  meter *m = context;
  if (m->until_failure-- == 0) return NULL;
  m->live++;
  return malloc(bytes);
}

static void meter_release(void *block, void *context) {
  meter *m = context;
  if (block) m->live--;
  free(block);
}

static void every_failed_allocation_is_told_and_leaks_nothing(void **state) {
  (void)state;
  jn_status status = JN_ERR_MEMORY;
  int failures = 0;
  for (; status == JN_ERR_MEMORY; failures++) {
    meter count = {failures, 0};
    jn_allocator allocator = {meter_allocate, meter_release, &count};
    jn_options options;
    jn_options_init(&options);
    options.allocator = &allocator;
    jn_model *m;
    jn_error error;
    char *text = NULL;
    status = jn_load_text(everything, strlen(everything), JN_FORMAT_AUTO, "x", &options, &m, &error);
    assert_int_equal(status, error.status);
    assert_int_equal(status == JN_OK, m != NULL);
    if (status == JN_OK) status = jn_save_text(m, JN_FORMAT_NATIVE, &options, &text, NULL, &error);
    jn_model_destroy(m);
    jn_text_free(text, &options);
    assert_int_equal(count.live, 0);
  }
  assert_int_equal(status, JN_OK);
  assert_true(failures > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_joint_type_is_read),
      cmocka_unit_test(joint_numbers_are_read),
      cmocka_unit_test(a_limit_is_one_number_or_one_per_coordinate),
      cmocka_unit_test(mimic_couples_joints),
      cmocka_unit_test(frames_and_loops_are_read),
      cmocka_unit_test(every_loop_type_is_read),
      cmocka_unit_test(all_forms_of_a_placement_agree),
      cmocka_unit_test(a_rotation_matrix_stays_as_written),
      cmocka_unit_test(all_forms_of_an_inertia_agree),
      cmocka_unit_test(what_is_absent_has_its_default),
      cmocka_unit_test(a_written_model_reads_back_to_the_same_bits),
      cmocka_unit_test(every_built_in_robot_reads_back_to_the_same_bits),
      cmocka_unit_test(axes_of_any_length_read_back_to_the_same_bits),
      cmocka_unit_test(odd_numbers_and_names_read_back_to_the_same_bits),
      cmocka_unit_test(a_name_that_is_not_utf8_is_refused),
      cmocka_unit_test(faults_of_the_file_name_line_and_reason),
      cmocka_unit_test(faults_of_a_body_name_line_and_subject),
      cmocka_unit_test(faults_of_a_joint_name_line_and_subject),
      cmocka_unit_test(faults_of_frames_and_loops_name_line_and_subject),
      cmocka_unit_test(unknown_and_unused_keys_are_warnings),
      cmocka_unit_test(an_unknown_key_suggests_the_nearest_one),
      cmocka_unit_test(a_warning_is_an_error_in_strict_mode),
      cmocka_unit_test(all_faults_are_told_each_once_and_in_order),
      cmocka_unit_test(places_count_lines_and_characters),
      cmocka_unit_test(the_freezer_knows_the_lines),
      cmocka_unit_test(a_flood_of_faults_is_cut),
      cmocka_unit_test(long_names_do_not_overflow_messages),
      cmocka_unit_test(a_file_cut_anywhere_is_a_syntax_error),
      cmocka_unit_test(a_file_with_any_byte_changed_never_crashes),
      cmocka_unit_test(deep_nesting_is_a_syntax_error),
      cmocka_unit_test(every_failed_allocation_is_told_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
