/* SPDX-License-Identifier: BSD-2-Clause */
/* Native model files: all that a file can say is read, and what is written reads back to the same bits. */
#include <locale.h>

#include "native_help.h"

/* A file with one body that has this joint. */
#define WITH_JOINT(joint) "{\"bodies\": [{\"name\": \"a\", \"joint\": {" joint "}, " INERTIA "}]}"

/* A model that must load without any message. */
static loaded load_clean(const char *text) {
  loaded l = load(text);
  if (jn_report_count(l.report) > 0) print_message("%s\n", jn_report_message(l.report, 0)->text);
  assert_int_equal(jn_report_count(l.report), 0);
  assert_int_equal(l.status, JN_OK);
  return l;
}

/* ---- what a file can say ---- */

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
  } expected[] = {{"base", JN_FIXED},   {"b1", JN_REVOLUTE},    {"b2", JN_CONTINUOUS}, {"b3", JN_PRISMATIC},
                  {"b4", JN_HELICAL},   {"b5", JN_CYLINDRICAL}, {"b6", JN_UNIVERSAL},  {"b7", JN_PLANAR},
                  {"b8", JN_SPHERICAL}, {"b9", JN_GIMBAL},      {"b10", JN_FREE},      {"b11", JN_GENERAL},
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
  assert_true(joint_of(&l, "b9")->axis[0] == 1 && joint_of(&l, "b9")->axis2[1] == 1 &&
              joint_of(&l, "b9")->axis3[2] == 1);
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

#define SIDES "\"a\": {\"body\": \"a\"}, \"b\": {\"body\": \"world\"}"

static void every_loop_type_is_read(void **state) {
  (void)state;
  char text[1024];
  for (int t = 0; t < JN_LOOP_TYPES; t++) {
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"name\": \"a\", \"joint\": {\"type\": \"revolute\"}, " INERTIA
             "}], \"loops\": [{\"name\": \"c\", \"type\": \"%s\","
             "%s}]}",
             jn_loop_type_name((jn_loop_type)t),
             t == JN_LOOP_DISTANCE      ? SIDES ", \"distance\": 1"
             : t == JN_LOOP_COORDINATES ? SIDES ", \"mask\": [\"rx\", \"ry\", \"rz\", \"x\", \"y\", \"z\"]"
             : t == JN_LOOP_COUPLING    ? "\"terms\": [{\"joint\": \"a\"}]"
                                        : SIDES);
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
      "{\"bodies\": [{\"name\": \"a\", \"placement\": {\"rotation\": [[0.6, -0.8, 0], [0.8000001, 0.6, 0], [0, 0, "
      "1]]}}]}");
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
      "{\"name\": \"b\", \"inertia\": {\"mass\": 2, \"com\": [0.5, -1, 0.25], \"tensor\": [3, 4, 5, 0.5, -0.25, "
      "0.125]}},"
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
  assert_int_equal(a->term_count, b->term_count);
  for (int i = 0; i < a->term_count; i++) {
    same_text(a->term[i].joint, b->term[i].joint);
    assert_int_equal(a->term[i].coordinate, b->term[i].coordinate);
    assert_memory_equal(&a->term[i].factor, &b->term[i].factor, sizeof(double));
  }
  assert_memory_equal(&a->offset, &b->offset, sizeof(double));
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

/* The joints of all coordinates, one letter each. */
static void order_is(const jn_model *m, const char *order) {
  assert_int_equal(jn_model_nv(m), strlen(order));
  for (int v = 0; v < jn_model_nv(m); v++)
    assert_int_equal(jn_joint_name(m, jn_coordinate_joint(m, v, NULL))[0], order[v]);
}

#define HINGE(name, parent) \
  "{\"name\": \"" name "\", \"parent\": \"" parent "\", \"joint\": {\"type\": \"revolute\"}, " INERTIA "}"
#define FOUR(more)                                                                   \
  "{\"bodies\": [{\"name\": \"a\", \"joint\": {\"type\": \"cylindrical\"}, " INERTIA \
  "}, " HINGE("b", "a") ", " HINGE("c", "b") ", " HINGE("d", "a") "]" more "}"

static void the_order_of_coordinates_reads_back_the_same(void **state) {
  (void)state;
  loaded l = load_clean(FOUR(""));
  char *text;
  order_is(l.model, "aabcd");
  assert_int_equal(jn_save_text(l.model, JN_FORMAT_NATIVE, NULL, &text, NULL, NULL), JN_OK);
  assert_null(strstr(text, "joint_order")); /* the tree says it */
  jn_text_free(text, NULL);
  unload(&l);
  l = load_clean(FOUR(", \"joint_order\": [\"d\", \"b\"]")); /* those not named follow */
  order_is(l.model, "dbaac");
  assert_int_equal(jn_save_text(l.model, JN_FORMAT_NATIVE, NULL, &text, NULL, NULL), JN_OK);
  assert_non_null(strstr(text, "\"joint_order\": [\"d\", \"b\", \"a\", \"c\"]"));
  jn_text_free(text, NULL);
  round_trip(l.model);
  unload(&l);
}

static void the_order_of_the_options_goes_before_that_of_the_file(void **state) {
  (void)state;
  static const char text[] = FOUR(", \"joint_order\": [\"d\", \"b\"]");
  static const char *const order[] = {"c"};
  jn_options options;
  jn_model *m;
  jn_options_init(&options);
  options.joint_order = order;
  options.joint_order_count = 1;
  assert_int_equal(jn_load_text(text, strlen(text), JN_FORMAT_NATIVE, NULL, &options, &m, NULL), JN_OK);
  order_is(m, "caabd");
  round_trip(m);
  jn_model_destroy(m);
}

/* Joint 'x' and the nameless joint of link 'x': by name, only the first can be ordered. */
static void an_order_that_names_cannot_express_is_a_warning(void **state) {
  (void)state;
  static const char text[] = "{\"bodies\": [" HINGE("x", "world") ", {\"name\": \"y\", \"parent\": \"x\", \"joint\": "
    "{\"name\": \"x\", \"type\": \"revolute\", \"axis\": [1, 0, 0]}, " INERTIA "}], \"joint_order\": [\"x\"]}";
  loaded l = load_clean(text);
  jn_options options;
  char *written;
  jn_options_init(&options);
  options.report = l.report;
  assert_int_equal(jn_coordinate_joint(l.model, 0, NULL), 1);
  assert_int_equal(jn_save_text(l.model, JN_FORMAT_NATIVE, &options, &written, NULL, NULL), JN_OK);
  assert_int_equal(jn_report_count(l.report), 1);
  assert_string_equal(jn_report_message(l.report, 0)->rule, "joint-order");
  jn_text_free(written, NULL);
  unload(&l);
}

static void axes_of_any_length_read_back_to_the_same_bits(void **state) {
  (void)state;
  char text[512];
  for (int i = 1; i <= 200; i++) {
    snprintf(text, sizeof text, WITH_JOINT("\"type\": \"revolute\", \"axis\": [%d, %.17g, %.17g]"), i, sin(i),
             3 * cos(i));
    loaded l = load_clean(text);
    round_trip(l.model);
    unload(&l);
  }
}

static void the_locale_does_not_matter(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
  const char *comma = NULL;
  loaded plain = load_clean(everything);
  for (int i = 0; i < 3 && !comma; i++) comma = setlocale(LC_NUMERIC, names[i]);
  if (!comma) print_message("no locale with a decimal comma: nothing is tested\n");
  loaded l = load_clean(everything);
  same_model(plain.model, l.model);
  round_trip(l.model);
  setlocale(LC_NUMERIC, "C");
  unload(&l);
  unload(&plain);
}

/* -0, denormal, largest, and a name with every kind of character that needs care. */
static void odd_numbers_and_names_read_back_to_the_same_bits(void **state) {
  (void)state;
  jn_builder *b;
  jn_model *m;
  jn_link link;
  jn_link_init(&link);
  link.name = "a \"b\" \\ / \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
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

static void a_name_that_terminals_act_on_is_refused(void **state) {
  (void)state;
  static const char *const names[] = {
      "\xff", "a\xc3", "a\nb", "a\x01", "a\x7f", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    jn_builder *b;
    jn_model *m;
    jn_link link;
    jn_error error;
    jn_link_init(&link);
    link.name = names[i];
    assert_int_equal(jn_builder_create(NULL, &b), JN_OK);
    assert_int_equal(jn_builder_add_link(b, &link), JN_OK);
    assert_int_equal(jn_builder_freeze(b, &m, &error), JN_ERR_MODEL);
    assert_null(m);
    assert_non_null(strstr(error.text, "UTF-8"));
    jn_builder_destroy(b);
  }
}

/* ---- memory ---- */

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

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
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
      cmocka_unit_test(the_order_of_coordinates_reads_back_the_same),
      cmocka_unit_test(the_order_of_the_options_goes_before_that_of_the_file),
      cmocka_unit_test(an_order_that_names_cannot_express_is_a_warning),
      cmocka_unit_test(axes_of_any_length_read_back_to_the_same_bits),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(odd_numbers_and_names_read_back_to_the_same_bits),
      cmocka_unit_test(a_name_that_terminals_act_on_is_refused),
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
  };
  return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
