/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing URDF: what is written reads back to the same model; what URDF cannot say is refused by name.
 * tests/test_urdf_edit.c is about editing a file. */
#include "counting.h"
#include "testing.h"

/* ---- Help ---- */

typedef struct written {
  char *text;
  size_t length;
  jn_report *report;
  jn_status status;
  jn_error error;
} written;

static written write_urdf(const jn_model *m) {
  written w = {0};
  jn_options o;
  jn_options_init(&o);
  w.report = o.report = jn_report_create(NULL);
  w.status = jn_save_text(m, JN_FORMAT_URDF, &o, &w.text, &w.length, &w.error);
  assert_true((w.status == JN_OK) == (w.text != NULL));
  return w;
}

static void drop(written *w) {
  jn_text_free(w->text, NULL);
  jn_report_destroy(w->report);
}

static int has_rule(const written *w, const char *rule) {
  for (int i = 0; i < jn_report_count(w->report); i++) {
    if (strcmp(jn_report_message(w->report, i)->rule, rule) == 0) return 1;
  }
  return 0;
}

static jn_model *read_text(const char *text, int floating) {
  jn_options o;
  jn_model *m;
  jn_error error;
  jn_options_init(&o);
  o.floating = floating;
  jn_status status = jn_load_text(text, strlen(text), JN_FORMAT_URDF, "again.urdf", &o, &m, &error);
  if (status != JN_OK) print_error("line %d: %s\n%s\n", error.line, error.text, text);
  assert_int_equal(status, JN_OK);
  return m;
}

static jn_builder *builder(void) {
  jn_builder *b;
  assert_int_equal(jn_builder_create(NULL, &b), JN_OK);
  return b;
}

static jn_model *freeze(jn_builder *b) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_builder_freeze(b, &m, &error);
  if (status != JN_OK) print_error("%s\n", error.text);
  assert_int_equal(status, JN_OK);
  jn_builder_destroy(b);
  return m;
}

static jn_link link_of(const char *name, const char *parent, jn_joint_type type) {
  jn_link l;
  jn_link_init(&l);
  l.name = name;
  l.parent = parent;
  l.joint.type = type;
  return l;
}

static void add(jn_builder *b, const jn_link *l) { assert_int_equal(jn_builder_add_link(b, l), JN_OK); }

static jn_model *one_joint(const jn_link *l) {
  jn_builder *b = builder();
  jn_link base = link_of("base", NULL, JN_FIXED);
  add(b, &base);
  add(b, l);
  return freeze(b);
}

/* R = Rz(c) Ry(b) Rx(a) and a position */
static void place(double T[16], double a, double b, double c, double x, double y, double z) {
  const double P[16] = {cos(c) * cos(b),
                        cos(c) * sin(b) * sin(a) - sin(c) * cos(a),
                        cos(c) * sin(b) * cos(a) + sin(c) * sin(a),
                        x,
                        sin(c) * cos(b),
                        sin(c) * sin(b) * sin(a) + cos(c) * cos(a),
                        sin(c) * sin(b) * cos(a) - cos(c) * sin(a),
                        y,
                        -sin(b),
                        cos(b) * sin(a),
                        cos(b) * cos(a),
                        z,
                        0,
                        0,
                        0,
                        1};
  memcpy(T, P, sizeof P);
}

static void assert_close(const double *a, const double *b, int n, double tolerance, const char *what) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  for (int i = 0; i < n; i++) {
    if (fabs(a[i] - b[i]) > tolerance * fmax(size, 1e-300)) fail_msg("%s[%d]: %.17g, %.17g", what, i, a[i], b[i]);
  }
}

static void assert_same_text(const char *a, const char *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a) assert_string_equal(a, b);
}

static void assert_same_joint(const jn_model *a, const jn_model *b, int i) {
  const jn_joint *x = jn_joint_description(a, i), *y = jn_joint_description(b, i);
  int nv = x->type == JN_FREE ? 6 : x->type == JN_PLANAR ? 3 : x->type == JN_FIXED ? 0 : 1;
  assert_int_equal(x->type, y->type);
  if (nv == 1 || nv == 3) assert_close(x->axis, y->axis, 3, 1e-15, "axis");
  assert_same_text(x->mimic, y->mimic);
  assert_true(x->mimic_ratio == y->mimic_ratio && x->mimic_offset == y->mimic_offset);
  for (int k = 0; k < nv; k++) assert_memory_equal(&x->dof[k], &y->dof[k], sizeof x->dof[k]);
}

static void assert_same_model(const jn_model *a, const jn_model *b) {
  assert_string_equal(jn_model_name(a), jn_model_name(b));
  assert_int_equal(jn_link_count(a), jn_link_count(b));
  assert_int_equal(jn_model_nq(a), jn_model_nq(b));
  for (int i = 0; i < jn_link_count(a); i++) {
    double T[16], U[16], p[10], q[10];
    assert_string_equal(jn_link_name(a, i), jn_link_name(b, i));
    assert_string_equal(jn_joint_name(a, i), jn_joint_name(b, i));
    assert_int_equal(jn_link_parent(a, i), jn_link_parent(b, i));
    jn_link_placement(a, i, T);
    jn_link_placement(b, i, U);
    for (int k = 0; k < 16; k++) {
      if (fabs(T[k] - U[k]) > 1e-15) fail_msg("placement %d of link %d: %.17g, %.17g", k, i, T[k], U[k]);
      if (k % 4 == 3) assert_true(T[k] == U[k]);
    }
    jn_link_inertia(a, i, p);
    jn_link_inertia(b, i, q);
    assert_close(p, q, 1, 0, "mass");
    assert_close(p + 1, q + 1, 3, 1e-15, "first moments");
    assert_close(p + 4, q + 4, 6, 1e-15, "moments of inertia");
    assert_same_joint(a, b, i);
  }
}

static void assert_round_trip(const jn_model *m, int floating) {
  written w = write_urdf(m);
  if (w.status != JN_OK) print_error("%s\n", w.error.text);
  assert_int_equal(w.status, JN_OK);
  assert_int_equal(w.length, strlen(w.text));
  jn_model *again = read_text(w.text, floating);
  assert_same_model(m, again);
  jn_model_destroy(again);
  drop(&w);
}

/* ---- Round trips ---- */

static void give_inertia(jn_link *l, double mass) {
  const double com[3] = {0.1, -0.023, 1.0 / 3}, tensor[6] = {0.1, 0.12, 0.13, 0.01, -0.02, 0.003};
  jn_inertia_pack(mass, com, tensor, l->inertia);
}

static jn_builder *all_joints(void) {
  jn_builder *b = builder();
  jn_link l = link_of("base", NULL, JN_FIXED);
  give_inertia(&l, 4.0 / 3);
  add(b, &l);
  l = link_of("arm & <\"hand\"> \xc3\xa9", "base", JN_REVOLUTE);
  l.joint.name = "turn \"1\"";
  place(l.placement, 0.1, 0.2, 0.3, 1, 2, 1.0 / 3);
  give_inertia(&l, 2);
  l.joint.axis[0] = 1;
  l.joint.dof[0] = (jn_dof){-1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7, 0.88, 0.99, 0.11, 1.22, 0.33};
  add(b, &l);
  l = link_of("slide", "base", JN_PRISMATIC);
  l.joint.point[0] = 5; /* has no meaning for a translation */
  l.joint.dof[0].lower = -0.5;
  l.joint.dof[0].velocity = 1;
  add(b, &l);
  l = link_of("wheel", "slide", JN_CONTINUOUS);
  l.joint.point[2] = 3; /* on the axis */
  l.joint.mimic = "slide";
  l.joint.mimic_ratio = 1.0 / 7;
  l.joint.mimic_offset = -0.1;
  l.joint.dof[0].jerk = 9;
  add(b, &l);
  l = link_of("plate", "base", JN_PLANAR);
  for (int k = 0; k < 3; k++) l.joint.dof[k].damping = 0.25;
  give_inertia(&l, 1);
  add(b, &l);
  l = link_of("bird", "plate", JN_FREE);
  for (int k = 0; k < 6; k++) l.joint.dof[k].effort = 12;
  give_inertia(&l, 1);
  add(b, &l);
  l = link_of("hinge", "base", JN_REVOLUTE); /* without any limit */
  give_inertia(&l, 0.1);
  add(b, &l);
  return b;
}

static void all_that_urdf_has_reads_back_the_same(void **state) {
  (void)state;
  jn_builder *b = all_joints();
  jn_builder_set_name(b, "all 'of' <it>");
  jn_model *m = freeze(b);
  assert_round_trip(m, 0);
  jn_model_destroy(m);
}

static void rotations_read_back_to_1e_15_also_at_gimbal_lock(void **state) {
  (void)state;
  const double right = 1.5707963267948966;
  const double pitches[] = {right, -right, right - 1e-9, 1e-8 - right, right - 1e-15, 0.3, 3, 0};
  for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++) {
    for (int k = 0; k < 12; k++) {
      jn_link l = link_of("l", "base", JN_FIXED);
      place(l.placement, 0.7 * k - 3, pitches[i], 2 - 0.45 * k, 0, 0, 0);
      jn_model *m = one_joint(&l);
      assert_round_trip(m, 0);
      jn_model_destroy(m);
    }
  }
  /* A permutation of the axes with exact zeros. */
  jn_link l = link_of("l", "base", JN_FIXED);
  static const double swap[16] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
  memcpy(l.placement, swap, sizeof swap);
  jn_model *m = one_joint(&l);
  assert_round_trip(m, 0);
  jn_model_destroy(m);
}

static void roots_that_are_not_plain_links_are_attached_to_a_marked_world_link(void **state) {
  (void)state;
  jn_builder *b = builder(); /* two roots, one of which moves, and a link called "world" */
  jn_link l = link_of("world", NULL, JN_REVOLUTE);
  give_inertia(&l, 1);
  add(b, &l);
  l = link_of("second", NULL, JN_FIXED);
  place(l.placement, 0.1, 0.2, 0.3, 1, 2, 3);
  add(b, &l);
  jn_model *m = freeze(b);
  written w = write_urdf(m);
  assert_non_null(strstr(w.text, "<link name=\"world_2\" world=\"true\"/>"));
  drop(&w);
  assert_round_trip(m, 0);
  jn_model_destroy(m);

  b = builder();
  l = link_of("body", NULL, JN_FREE);
  l.joint.name = "flight";
  give_inertia(&l, 1);
  add(b, &l);
  m = freeze(b);
  assert_round_trip(m, 0);
  assert_round_trip(m, 1);
  jn_model_destroy(m);
}

static void a_floating_base_is_written_as_plain_root(void **state) {
  (void)state;
  jn_model *m = read_text(
      "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
      1);
  written w = write_urdf(m);
  assert_int_equal(w.status, JN_OK);
  assert_null(strstr(w.text, "<joint"));
  assert_null(strstr(w.text, "world"));
  assert_true(has_rule(&w, "urdf-floating"));
  drop(&w);
  assert_round_trip(m, 1);
  jn_model_destroy(m);
}

static void named_frames_become_massless_links_and_lost_gravity_warns(void **state) {
  (void)state;
  jn_builder *b = all_joints();
  double T[16];
  const double moon[3] = {0, 0, -1.62};
  place(T, 0.1, 0, 0, 1, 2, 3);
  assert_int_equal(jn_builder_add_frame(b, "tool", "slide", T), JN_OK);
  assert_int_equal(jn_builder_set_gravity(b, moon), JN_OK);
  jn_model *m = freeze(b);
  written w = write_urdf(m);
  assert_int_equal(w.status, JN_OK);
  assert_true(has_rule(&w, "urdf-frames"));
  assert_true(has_rule(&w, "urdf-gravity"));
  jn_model *again = read_text(w.text, 0);
  int tool = jn_link_index(again, "tool"), slide = jn_link_index(again, "slide");
  assert_int_equal(jn_link_count(again), jn_link_count(m) + 1);
  assert_int_equal(jn_link_parent(again, tool), slide);
  assert_int_equal(jn_joint_type_of(again, tool), JN_FIXED);
  jn_model_destroy(again);
  jn_model_destroy(m);
  drop(&w);
}

static void a_lost_order_of_coordinates_warns(void **state) {
  (void)state;
  static const char *const order[] = {"k", "j"};
  for (int count = 0; count <= 2; count += 2) {
    jn_options o;
    jn_builder *b;
    jn_options_init(&o);
    o.joint_order = order;
    o.joint_order_count = count;
    assert_int_equal(jn_builder_create(&o, &b), JN_OK);
    jn_link base = link_of("base", NULL, JN_FIXED), j = link_of("j", "base", JN_PRISMATIC);
    jn_link k = link_of("k", "j", JN_PLANAR);
    add(b, &base);
    add(b, &j);
    add(b, &k);
    jn_model *m = freeze(b);
    written w = write_urdf(m);
    assert_int_equal(w.status, JN_OK);
    assert_int_equal(has_rule(&w, "joint-order"), count > 0);
    drop(&w);
    jn_model_destroy(m);
  }
}

static void a_general_joint_with_one_plain_screw_becomes_revolute_or_prismatic(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    jn_link l = link_of("l", "base", JN_GENERAL);
    l.joint.screw_count = 1;
    l.joint.screws[0][3 * k] = 0.6;
    l.joint.screws[0][3 * k + 1] = 0.8;
    jn_model *m = one_joint(&l);
    written w = write_urdf(m);
    assert_int_equal(w.status, JN_OK);
    jn_model *again = read_text(w.text, 0);
    assert_int_equal(jn_joint_type_of(again, 1), k ? JN_PRISMATIC : JN_REVOLUTE);
    assert_close(l.joint.screws[0] + 3 * k, jn_joint_description(again, 1)->axis, 3, 1e-15, "axis");
    jn_model_destroy(again);
    jn_model_destroy(m);
    drop(&w);
  }
}

/* ---- Refusals ---- */

static void assert_refused(jn_model *m, const char *words) {
  written w = write_urdf(m);
  assert_int_equal(w.status, JN_ERR_UNSUPPORTED);
  if (!strstr(w.error.text, words)) fail_msg("\"%s\" does not say \"%s\"", w.error.text, words);
  assert_non_null(strstr(w.error.text, "native"));
  drop(&w);
  jn_model_destroy(m);
}

static void joints_that_urdf_lacks_are_refused_by_name(void **state) {
  (void)state;
  static const jn_joint_type types[] = {JN_HELICAL, JN_CYLINDRICAL, JN_UNIVERSAL, JN_SPHERICAL, JN_GIMBAL};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    jn_link l = link_of("l", "base", types[i]);
    l.joint.name = "odd";
    l.joint.pitch = 0.1;
    give_inertia(&l, 1);
    assert_refused(one_joint(&l), "joint 'odd'");
  }
  jn_link l = link_of("l", "base", JN_GENERAL); /* a screw with pitch */
  l.joint.screw_count = 1;
  l.joint.screws[0][2] = l.joint.screws[0][5] = 1;
  assert_refused(one_joint(&l), "general");
  l = link_of("l", "base", JN_REVOLUTE);
  l.joint.point[0] = 1e-3;
  assert_refused(one_joint(&l), "origin");
  l = link_of("l", "base", JN_PLANAR);
  l.joint.dof[1].damping = 1;
  assert_refused(one_joint(&l), "all coordinates");
  l = link_of("$(bell)", "base", JN_FIXED);
  assert_refused(one_joint(&l), "xacro");
  l = link_of("a\xef\xbf\xbe", "base", JN_FIXED); /* U+FFFE */
  assert_refused(one_joint(&l), "XML");
}

/* ---- Loops ---- */

static jn_loop loop_of(const char *name, jn_loop_type type, const char *a, const char *b) {
  jn_loop l;
  jn_loop_init(&l);
  l.name = name;
  l.type = type;
  l.link_a = a;
  l.link_b = b;
  place(l.placement_a, 0.1, -0.2, 0.3, 1, 2, 3);
  place(l.placement_b, -0.4, 0.5, 0.6, -1, 0.5, 0.25);
  return l;
}

static void every_kind_of_loop_reads_back_the_same(void **state) {
  (void)state;
  for (int t = 0; t < JN_LOOP_TYPES; t++) {
    jn_builder *b = all_joints();
    jn_loop l = loop_of("a < b", (jn_loop_type)t, "slide", t % 2 ? "bird" : "world");
    l.axis[0] = 0.6, l.axis[1] = 0, l.axis[2] = 0.8;
    if (t == JN_LOOP_DISTANCE) l.distance = 0.7;
    if (t == JN_LOOP_COORDINATES) l.mask = 1 | 16;
    if (t == JN_LOOP_COUPLING) {
      l.link_a = l.link_b = NULL;
      l.term_count = 2;
      l.term[0] = (jn_coupling){"slide", 0, 1.5};
      l.term[1] = (jn_coupling){"turn \"1\"", 0, -1};
      l.offset = 0.125;
    }
    assert_int_equal(jn_builder_add_loop(b, &l), JN_OK);
    jn_model *m = freeze(b);
    written w = write_urdf(m);
    assert_int_equal(w.status, JN_OK);
    jn_model *again = read_text(w.text, 0);
    assert_same_model(m, again);
    const jn_loop *x = jn_loop_description(m, 0), *y = jn_loop_description(again, 0);
    assert_int_equal(jn_loop_count(again), 1);
    assert_true(x->type == y->type && x->mask == y->mask && x->term_count == y->term_count);
    assert_string_equal(x->name, y->name);
    assert_true(x->distance == y->distance && x->offset == y->offset);
    if (t != JN_LOOP_COUPLING) {
      assert_close(x->placement_a, y->placement_a, 16, 1e-15, "placement_a");
      assert_close(x->placement_b, y->placement_b, 16, 1e-15, "placement_b");
      assert_string_equal(x->link_b ? x->link_b : "world", y->link_b ? y->link_b : "world");
    }
    if (t == JN_LOOP_REVOLUTE || t == JN_LOOP_UNIVERSAL) assert_close(x->axis, y->axis, 3, 1e-15, "axis");
    if (t == JN_LOOP_UNIVERSAL) assert_close(x->axis2, y->axis2, 3, 1e-15, "axis2");
    for (int k = 0; k < x->term_count; k++) {
      assert_string_equal(x->term[k].joint, y->term[k].joint);
      assert_true(x->term[k].factor == y->term[k].factor);
    }
    jn_model_destroy(again);
    jn_model_destroy(m);
    drop(&w);
  }
}

/* ---- Memory ---- */

static void lack_of_memory_at_any_allocation_is_a_clean_error(void **state) {
  (void)state;
  double T[16];
  jn_builder *b = all_joints();
  place(T, 0, 0, 0, 1, 2, 3);
  jn_builder_add_frame(b, "tool", "world", T);
  jn_model *m = freeze(b);
  int done = 0;
  for (int n = 1; !done; n++) {
    counter c = {0, n, 0};
    jn_allocator a = {count_allocate, count_release, &c};
    jn_options o;
    char *text;
    jn_options_init(&o);
    o.allocator = &a;
    jn_status status = jn_save_text(m, JN_FORMAT_URDF, &o, &text, NULL, NULL);
    done = c.calls < n;
    assert_int_equal(status, done ? JN_OK : JN_ERR_MEMORY);
    assert_true((text != NULL) == done);
    jn_text_free(text, &o);
    assert_int_equal(c.live, 0);
  }
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_urdf_has_reads_back_the_same),
      cmocka_unit_test(rotations_read_back_to_1e_15_also_at_gimbal_lock),
      cmocka_unit_test(roots_that_are_not_plain_links_are_attached_to_a_marked_world_link),
      cmocka_unit_test(a_floating_base_is_written_as_plain_root),
      cmocka_unit_test(named_frames_become_massless_links_and_lost_gravity_warns),
      cmocka_unit_test(a_lost_order_of_coordinates_warns),
      cmocka_unit_test(a_general_joint_with_one_plain_screw_becomes_revolute_or_prismatic),
      cmocka_unit_test(joints_that_urdf_lacks_are_refused_by_name),
      cmocka_unit_test(every_kind_of_loop_reads_back_the_same),
      cmocka_unit_test(lack_of_memory_at_any_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests_name("urdf_write", tests, NULL, NULL);
}
