/* SPDX-License-Identifier: BSD-2-Clause */
/* The builder and frozen models: order, structure, lumping, copies, misuse, memory. */
#include "model_help.h"

/* ---- structure ---- */

static void order_is_depth_first_with_children_as_added(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  /* added children first, and breadth first: parents may come later */
  add(&s, plain("c", "a", JN_REVOLUTE));
  add(&s, plain("b", "root", JN_REVOLUTE));
  add(&s, plain("a", "root", JN_REVOLUTE));
  add(&s, plain("root", NULL, JN_FIXED));
  add(&s, plain("d", "b", JN_PRISMATIC));
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  const char *expected[] = {"root", "b", "d", "a", "c"};
  for (int i = 0; i < 5; i++)
    check(strcmp(jn_link_name(s.m, i), expected[i]) == 0, "%d is %s", i, jn_link_name(s.m, i));
  check(jn_link_subtree_end(s.m, 1) == 3 && jn_link_subtree_end(s.m, 0) == 5, "subtrees are ranges");
  check(jn_link_parent(s.m, 4) == 3 && jn_link_parent(s.m, 0) == JN_WORLD, "parents");
  check(jn_joint_v(s.m, 1) == 0 && jn_joint_v(s.m, 2) == 1 && jn_joint_v(s.m, 4) == 3, "coordinates in that order");
  check(jn_link_index(s.m, "a") == 3 && jn_joint_index(s.m, "d") == 2, "index by name");
  check(jn_link_index(s.m, "none") == JN_NONE && jn_link_index(s.m, "world") == JN_WORLD, "unknown and world");
  check(jn_model_depth(s.m) == 2, "depth %d", jn_model_depth(s.m));
  check(jn_link_subtree_mass(s.m, 1) == 2 && jn_model_mass(s.m) == 4 && jn_model_fixed_mass(s.m) == 1, "masses");
  end(&s);
}

static void coordinates_follow_a_list_of_names(void **state) {
  (void)state;
  const char *const order[] = {"d", "a"};
  const char *const wrong[] = {"d", "d", "nobody", "root"};
  for (int bad = 0; bad < 2; bad++) {
    scene s;
    begin(&s);
    s.options.joint_order = bad ? wrong : order;
    s.options.joint_order_count = bad ? 4 : 2;
    s.options.floating = !bad;
    create(&s);
    add(&s, plain("root", NULL, JN_FIXED));
    add(&s, plain("b", "root", JN_SPHERICAL));
    add(&s, plain("d", "b", JN_PRISMATIC));
    add(&s, plain("a", "root", JN_REVOLUTE));
    if (bad) {
      expect(&s, JN_ERR_NAME, "joint-order", "'d'", "named twice");
      check(find(&s, "joint-order", 2), "all three faults are told");
    } else {
      check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
      int k;
      check(jn_coordinate_joint(s.m, 0, NULL) == 0, "the floating base stays first");
      check(jn_joint_v(s.m, jn_joint_index(s.m, "d")) == 6 && jn_joint_v(s.m, jn_joint_index(s.m, "a")) == 7, "d, a");
      check(jn_joint_v(s.m, 1) == 8 && jn_joint_q(s.m, 1) == 9, "the rest follows");
      check(jn_coordinate_joint(s.m, 9, &k) == 1 && k == 1, "owner of a coordinate");
      check(jn_coordinate_joint(s.m, 11, &k) == JN_NONE, "outside");
    }
    end(&s);
  }
}

static void structural_faults_are_all_reported(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  add(&s, plain("a", "b", JN_REVOLUTE)); /* a ring a -> b -> c -> a */
  add(&s, plain("b", "c", JN_REVOLUTE));
  add(&s, plain("c", "a", JN_REVOLUTE));
  add(&s, plain("d", "nowhere", JN_REVOLUTE));
  add(&s, plain("e", NULL, JN_REVOLUTE));
  add(&s, plain("e", NULL, JN_REVOLUTE));
  add(&s, plain(NULL, NULL, JN_FIXED));
  jn_link z = plain("z", "e", JN_REVOLUTE);
  z.joint.axis[2] = 0;
  add(&s, z);
  jn_link n = plain("n", "e", JN_REVOLUTE);
  n.inertia[0] = -2;
  n.placement[7] = NAN;
  add(&s, n);
  expect(&s, JN_ERR_MODEL, "cycle", "'a'", "a -> b -> c -> a");
  check(strstr(find(&s, "parent-unknown", 0)->text, "nowhere"), "unknown parent");
  check(strstr(find(&s, "name-duplicate", 0)->subject, "'e'"), "duplicate name");
  check(find(&s, "name-missing", 0), "missing name");
  check(strstr(find(&s, "joint-axis", 0)->text, "zero"), "zero axis");
  check(strstr(find(&s, "mass-negative", 0)->text, "-2"), "negative mass");
  check(strstr(find(&s, "placement", 0)->text, "not finite"), "NaN in a placement");
  check(s.error.status == JN_ERR_MODEL && *s.error.text, "the first error is in jn_error");
  end(&s);
}

static void an_empty_model_is_an_error(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  expect(&s, JN_ERR_MODEL, "empty", "", "no links");
  end(&s);
}

static void placements_must_be_rigid(void **state) {
  (void)state;
  for (int fault = 0; fault < 3; fault++) {
    scene s;
    begin(&s);
    create(&s);
    jn_link l = plain("a", NULL, JN_REVOLUTE);
    if (fault == 0) l.placement[0] = 1.001;
    if (fault == 1) l.placement[0] = -1;
    if (fault == 2) l.placement[12] = 1;
    add(&s, l);
    expect(&s, JN_ERR_MODEL, "placement", "'a'",
           fault == 0   ? "not orthonormal"
           : fault == 1 ? "reflection"
                        : "last row");
    end(&s);
  }
}

static void dependent_screws_of_one_joint_are_an_error(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    scene s;
    begin(&s);
    create(&s);
    jn_link l = plain("a", NULL, i == 0 ? JN_UNIVERSAL : i == 1 ? JN_GIMBAL : JN_GENERAL);
    memcpy(l.joint.axis2, l.joint.axis, sizeof l.joint.axis);
    l.joint.screw_count = 2;
    l.joint.screws[0][4] = l.joint.screws[1][4] = 1;
    add(&s, l);
    expect(&s, JN_ERR_MODEL, "joint-singular", "'a'", i == 1 ? "rank 2" : "rank 1");
    end(&s);
  }
}

static void faulty_screws_limits_and_armature_are_errors(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  jn_link l = plain("a", NULL, JN_GENERAL);
  add(&s, l); /* no screws */
  l = plain("b", "a", JN_GENERAL);
  l.joint.screw_count = 1; /* a zero screw */
  add(&s, l);
  l = plain("c", "a", JN_REVOLUTE);
  l.joint.dof[0].armature = -1;
  l.joint.dof[0].velocity = NAN;
  l.joint.dof[0].damping = INFINITY;
  add(&s, l);
  l = plain("d", "a", (jn_joint_type)77);
  add(&s, l);
  expect(&s, JN_ERR_MODEL, "screw-count", "'a'", "0 screws");
  check(strstr(find(&s, "joint-axis", 0)->text, "screw is zero"), "zero screw");
  check(find(&s, "armature", 0) && find(&s, "limit-nan", 0) && find(&s, "not-finite", 0), "armature, limit, damping");
  check(find(&s, "joint-type", 0), "unknown type");
  end(&s);
}

/* ---- inertia laws: warnings, and errors in strict mode ---- */

/* What is asked about a joint, coordinate or task that is not there is answered all the same: no output is left as it
 * was. */
static void outputs_of_questions_without_answer_are_written(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  add(&s, plain("a", NULL, JN_REVOLUTE));
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  int leader = 77, coordinate = 77;
  double ratio = 77, offset = 77;
  assert_int_equal(jn_joint_mimic(s.m, 0, &leader, &ratio, &offset), 0);
  check(leader == 0 && ratio == 1 && offset == 0, "a joint that follows no other one follows itself");
  leader = 77, ratio = 77, offset = 77;
  assert_int_equal(jn_joint_mimic(s.m, 99, &leader, &ratio, &offset), 0);
  check(leader == JN_NONE && ratio == 1 && offset == 0, "no such joint");
  assert_int_equal(jn_coordinate_joint(s.m, 99, &coordinate), JN_NONE);
  check(coordinate == JN_NONE, "no such coordinate");
  end(&s);
}

static void mimic_faults_name_both_joints(void **state) {
  (void)state;
  const char *target[] = {"nobody", "a", "ball"};
  const char *text[] = {"not a joint", "in turn", "one coordinate"};
  for (int i = 0; i < 3; i++) {
    scene s;
    begin(&s);
    create(&s);
    jn_link l = plain("a", NULL, JN_REVOLUTE);
    l.joint.mimic = target[i];
    add(&s, l);
    add(&s, plain("ball", "a", JN_SPHERICAL));
    expect(&s, JN_ERR_MODEL, "mimic", "'a'", text[i]);
    check(strstr(find(&s, "mimic", 0)->text, target[i]), "names the leader");
    end(&s);
    begin(&s);
    s.options.ignore_mimic = 1;
    create(&s);
    add(&s, l);
    check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
    check(jn_model_nv(s.m) == 1 && !jn_model_is_coupled(s.m), "ignored mimics are independent");
    end(&s);
  }
  scene s; /* in a circle, the joint that is named is the one that it mimics */
  begin(&s);
  create(&s);
  jn_link a = plain("a", NULL, JN_REVOLUTE), b = plain("b", "a", JN_REVOLUTE);
  a.joint.mimic = "b";
  b.joint.mimic = "a";
  add(&s, a);
  add(&s, b);
  expect(&s, JN_ERR_MODEL, "mimic", "'a'", "it mimics 'b', which in turn mimics this joint");
  end(&s);
}

static void loops_and_frames_are_checked_and_kept(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  add(&s, plain("a", NULL, JN_REVOLUTE));
  add(&s, plain("b", "a", JN_REVOLUTE));
  double T[16] = {1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1}, out[16];
  check_ok(jn_builder_add_frame(s.b, "tool", "b", T));
  jn_loop loop;
  jn_loop_init(&loop);
  loop.name = "closing";
  loop.type = JN_LOOP_REVOLUTE;
  loop.link_a = "b";
  loop.link_b = "world";
  check_ok(jn_builder_add_loop(s.b, &loop));
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  int f = jn_frame_index(s.m, "tool");
  check(f == 2 && jn_frame_count(s.m) == 3 && jn_frame_link(s.m, f) == 1, "named frames come after the links");
  check_ok(jn_frame_placement(s.m, f, out));
  check(memcmp(T, out, sizeof T) == 0, "placement");
  check(jn_frame_index(s.m, "a") == 0 && jn_frame_link(s.m, 0) == 0, "links are frames");
  const jn_loop *kept = jn_loop_description(s.m, jn_loop_index(s.m, "closing"));
  check(kept && kept->type == JN_LOOP_REVOLUTE && strcmp(kept->link_b, "world") == 0, "loop");
  jn_model_destroy(s.m);
  s.m = NULL;
  loop.link_b = "b";
  check_ok(jn_builder_add_loop(s.b, &loop));
  check_ok(jn_builder_add_frame(s.b, "a", "nowhere", T));
  expect(&s, JN_ERR_MODEL, "loop", "'closing'", "both ends are on 'b'");
  check(find(&s, "name-duplicate", 1) && find(&s, "link-unknown", 0), "a frame with a link's name, on no link");
  end(&s);
}

static void floating_gives_the_root_a_free_joint_named_base(void **state) {
  (void)state;
  scene s;
  begin(&s);
  s.options.floating = 1;
  create(&s);
  add(&s, plain("trunk", NULL, JN_FIXED));
  jn_link l = plain("arm", "trunk", JN_REVOLUTE);
  l.joint.name = "base";
  add(&s, l);
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  check(jn_joint_type_of(s.m, 0) == JN_FREE && jn_model_nv(s.m) == 7, "free root");
  check(strcmp(jn_joint_name(s.m, 0), "base_") == 0, "named base_ because base is taken: %s", jn_joint_name(s.m, 0));
  end(&s);
  begin(&s);
  s.options.floating = 1;
  create(&s);
  add(&s, plain("arm", NULL, JN_REVOLUTE));
  expect(&s, JN_ERR_MODEL, "floating", "'arm'", "revolute");
  end(&s);
}

/* ---- lumping ---- */

static void fixed_links_are_lumped_and_stay_addressable(void **state) {
  (void)state;
  uint64_t seed_ = seed("lumping");
  scene s;
  begin(&s);
  create(&s);
  jn_link a = plain("a", NULL, JN_REVOLUTE), b = plain("b", "a", JN_FIXED), world = plain("w", NULL, JN_FIXED);
  random_placement(&seed_, b.placement);
  random_inertia(&seed_, a.inertia);
  random_inertia(&seed_, b.inertia);
  a.joint.axis[0] = 0.3;
  a.joint.point[1] = 0.2;
  add(&s, a);
  add(&s, b);
  add(&s, world);
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  const jn_tree_d *t = s.m->tree[JN_KIND_D];
  check(t->nb == 1 && jn_link_is_fixed(s.m, 2) && !jn_link_is_fixed(s.m, 1), "one body");
  /* the lumped inertia, brought to the frame of a, is a's plus b's moved by its placement */
  double sum[10], own[10], L[16] = {0};
  const jn_frame_d *f = &t->frame[0];
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) L[4 * r + c] = f->R[3 * r + c];
    L[4 * r + 3] = f->p[r];
  }
  L[15] = 1;
  double inverse[16], lumped[10];
  check_ok(jn_se3_inverse(L, inverse));
  check_ok(jn_inertia_transform(inverse, t->body[0].inertia, lumped));
  check_ok(jn_inertia_transform(b.placement, b.inertia, sum));
  for (int k = 0; k < 10; k++) sum[k] += a.inertia[k];
  check_close(lumped, sum, 10, 1, 32, "lumped inertia");
  check_ok(jn_link_inertia(s.m, 1, own));
  check(memcmp(own, b.inertia, sizeof own) == 0, "b's own ten parameters are kept");
  check(jn_model_fixed_mass(s.m) == 1, "mass fixed to the world is apart");
  end(&s);
}

/* ---- copies ---- */

static void copies_change_one_thing_only(void **state) {
  (void)state;
  uint64_t seed_ = seed("copies");
  jn_model *m = random_tree(&seed_, 12), *copy;
  double P[10], before[10], after[10], g[3];
  random_inertia(&seed_, P);
  check_ok(jn_model_with_payload(m, 5, P, &copy));
  check_ok(jn_link_inertia(m, 5, before));
  check_ok(jn_link_inertia(copy, 5, after));
  for (int k = 0; k < 10; k++) check(after[k] == before[k] + P[k], "payload adds");
  check_ok(jn_link_inertia(copy, 4, after));
  check_ok(jn_link_inertia(m, 4, before));
  check(memcmp(before, after, sizeof before) == 0, "other links as before");
  const jn_tree_d *t = m->tree[0], *u = copy->tree[0];
  for (int i = 0; i < t->nb; i++)
    check(memcmp(t->body[i].R, u->body[i].R, sizeof t->body[i].R) == 0 && t->body[i].iv == u->body[i].iv, "geometry");
  jn_model_destroy(copy);
  check_ok(jn_model_with_inertia(m, 5, P, &copy));
  check_ok(jn_link_inertia(copy, 5, after));
  check(memcmp(after, P, sizeof P) == 0, "inertia replaced");
  jn_model_destroy(copy);
  check_ok(jn_model_with_gravity(m, (double[3]){1, 2, 3}, &copy));
  jn_model_gravity(copy, g);
  check(g[0] == 1 && g[2] == 3 && ((const jn_tree_d *)copy->tree[0])->gravity[1] == 2, "gravity");
  jn_model_destroy(copy);
  P[0] = -1;
  check_status(jn_model_with_inertia(m, 5, P, &copy), JN_ERR_MODEL);
  check_status(jn_model_with_inertia(m, 99, P, &copy), JN_ERR_INDEX);
  check(copy == NULL, "no model on error");
  jn_model_destroy(m);
}

static void a_copy_keeps_the_order_of_coordinates(void **state) {
  (void)state;
  scene s;
  begin(&s);
  const char *const order[] = {"c", "a", "b"};
  s.options.joint_order = order;
  s.options.joint_order_count = 3;
  create(&s);
  add(&s, plain("a", NULL, JN_REVOLUTE));
  add(&s, plain("b", "a", JN_REVOLUTE));
  add(&s, plain("c", "b", JN_REVOLUTE));
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  jn_model *copy;
  check_ok(jn_model_with_gravity(s.m, (double[3]){0, 0, -1}, &copy));
  for (int i = 0; i < 3; i++) check(jn_joint_v(copy, i) == jn_joint_v(s.m, i), "joint %d", i);
  check(jn_joint_v(copy, 2) == 0, "c first");
  jn_model_destroy(copy);
  end(&s);
}

/* ---- misuse and memory ---- */

static void misuse_gives_a_status_not_a_crash(void **state) {
  (void)state;
  jn_builder *b;
  jn_model *m;
  jn_link l = {0};
  jn_options o = {0};
  check_status(jn_builder_create(NULL, NULL), JN_ERR_NULL);
  check_status(jn_builder_create(&o, &b), JN_ERR_INIT);
  check_ok(jn_builder_create(NULL, &b));
  check_status(jn_builder_add_link(b, &l), JN_ERR_INIT);
  check_status(jn_builder_add_link(b, NULL), JN_ERR_NULL);
  check_status(jn_builder_set_inertia(b, "nobody", (double[10]){0}), JN_ERR_NAME);
  check_status(jn_builder_freeze(b, NULL, NULL), JN_ERR_NULL);
  check_status(jn_builder_freeze(b, &m, NULL), JN_ERR_MODEL);
  jn_builder_destroy(b);
  jn_builder_destroy(NULL);
  jn_model_destroy(NULL);
  jn_report_destroy(NULL);
  check(jn_link_name(NULL, 0) == NULL && jn_model_nv(NULL) == 0 && jn_link_index(NULL, "x") == JN_NONE, "NULL model");
  check(strcmp(jn_version(), JN_PROJECT_VERSION) == 0, "headers and build agree on the version");
  check(strcmp(jn_status_text((jn_status)99), "unknown status") == 0, "unknown status");
}

/* Everything that allocates, once; JN_OK or the first status that is not. */
static jn_status build_everything(const jn_allocator *a) {
  jn_report *report = jn_report_create(a);
  if (!report) return JN_ERR_MEMORY;
  const char *const order[] = {"b"};
  jn_options o;
  jn_options_init(&o);
  o.allocator = a;
  o.report = report;
  o.joint_order = order;
  o.joint_order_count = 1;
  jn_builder *b = NULL;
  jn_model *m = NULL, *copy = NULL;
  jn_work *w = NULL;
  jn_status status = jn_builder_create(&o, &b);
  jn_link l = plain("a", NULL, JN_REVOLUTE);
  jn_inertia_pack(2, (double[3]){0.3, 0, 0}, (double[6]){0.1, 0.2, 0.9, 0, 0, 0}, l.inertia); /* makes a message */
  if (status == JN_OK) status = jn_builder_add_link(b, &l);
  l = plain("b", "a", JN_GENERAL);
  l.joint.name = "b";
  l.joint.screw_count = 2;
  l.joint.screws[0][0] = l.joint.screws[1][1] = 1;
  if (status == JN_OK) status = jn_builder_add_link(b, &l);
  if (status == JN_OK) status = jn_builder_add_frame(b, "f", "a", l.placement);
  jn_loop g;
  jn_loop_init(&g);
  g.name = "loop";
  g.link_a = "b";
  g.link_b = "world";
  if (status == JN_OK) status = jn_builder_add_loop(b, &g);
  if (status == JN_OK) status = jn_builder_set_name(b, "robot of the test");
  if (status == JN_OK) status = jn_builder_freeze(b, &m, NULL);
  if (status == JN_OK) status = jn_model_with_gravity(m, l.placement, &copy);
  if (status == JN_OK) status = jn_work_create(m, &w);
  jn_work_destroy(w);
  jn_model_destroy(m);
  jn_model_destroy(copy);
  jn_builder_destroy(b);
  jn_report_destroy(report);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int n = 1;; n++) {
    counter c = {.fail_at = n};
    jn_allocator a = {count_allocate, count_release, &c};
    jn_status status = build_everything(&a);
    check(c.live == 0, "%d blocks leak when allocation %d fails", c.live, n);
    if (c.calls < n) { /* none failed */
      check(status == JN_OK && n > 20, "status %d after %d allocations", (int)status, n);
      printf("# %d allocations\n", n - 1);
      break;
    }
    check(status == JN_ERR_MEMORY, "allocation %d fails: %s", n, jn_status_text(status));
  }
}

static void long_chains_do_not_exhaust_the_stack(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  char name[2][16];
  enum { LONG = 50000 };
  for (int i = 0; i < LONG; i++) {
    snprintf(name[i % 2], 16, "l%d", i);
    add(&s, plain(name[i % 2], i ? name[(i + 1) % 2] : NULL, i % 7 ? JN_REVOLUTE : JN_FIXED));
  }
  jn_status status = jn_builder_freeze(s.b, &s.m, &s.error);
  check(status == JN_OK, "%s", s.error.text);
  check(jn_model_depth(s.m) == jn_model_nv(s.m), "depth");
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_is_depth_first_with_children_as_added),
      cmocka_unit_test(coordinates_follow_a_list_of_names),
      cmocka_unit_test(structural_faults_are_all_reported),
      cmocka_unit_test(an_empty_model_is_an_error),
      cmocka_unit_test(placements_must_be_rigid),
      cmocka_unit_test(dependent_screws_of_one_joint_are_an_error),
      cmocka_unit_test(faulty_screws_limits_and_armature_are_errors),
      cmocka_unit_test(outputs_of_questions_without_answer_are_written),
      cmocka_unit_test(mimic_faults_name_both_joints),
      cmocka_unit_test(loops_and_frames_are_checked_and_kept),
      cmocka_unit_test(floating_gives_the_root_a_free_joint_named_base),
      cmocka_unit_test(fixed_links_are_lumped_and_stay_addressable),
      cmocka_unit_test(copies_change_one_thing_only),
      cmocka_unit_test(a_copy_keeps_the_order_of_coordinates),
      cmocka_unit_test(misuse_gives_a_status_not_a_crash),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(long_chains_do_not_exhaust_the_stack),
  };
  return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
