/* SPDX-License-Identifier: BSD-2-Clause */
/* What freezing warns of: inertias that no body has, joints without effective inertia, suspicious limits and units. */
#include "model_help.h"

/* ---- inertia laws: warnings, and errors in strict mode ---- */

static void inertia_laws_are_warnings_and_errors_in_strict_mode(void **state) {
  (void)state;
  for (int strict = 0; strict < 2; strict++) {
    scene s;
    begin(&s);
    s.options.strict = strict;
    create(&s);
    jn_link l = plain("heavy", NULL, JN_REVOLUTE);
    jn_inertia_pack(2, (double[3]){0.3, 0, 0}, (double[6]){0.1, 0.2, 0.9, 0, 0, 0}, l.inertia);
    add(&s, l);
    l = plain("odd", "heavy", JN_REVOLUTE);
    jn_inertia_pack(2, (double[3]){0.3, 0, 0}, (double[6]){0.1, 0.1, 0.1, 0.15, 0, 0}, l.inertia);
    add(&s, l);
    expect(&s, strict ? JN_ERR_MODEL : JN_OK, "inertia-triangle", "'heavy'", "0.1, 0.2, 0.9");
    check(strstr(find(&s, "inertia-triangle", 0)->text, "0.9 > 0.1 + 0.2"), "says which inequality");
    check(strstr(find(&s, "inertia-positive", 0)->subject, "'odd'"), "not positive definite");
    check(strstr(find(&s, "inertia-positive", 0)->text, "-0.05"), "with the moments");
    check(find(&s, "inertia-positive", 0)->severity == (strict ? JN_ERROR : JN_WARNING), "severity");
    end(&s);
  }
}

static void inertia_at_the_border_of_the_law_is_accepted(void **state) {
  (void)state;
  /* rods and discs are flat: the largest moment is exactly the sum of the others; far from the origin it must not
   * matter */
  scene s;
  begin(&s);
  create(&s);
  jn_link l = plain("disc", NULL, JN_REVOLUTE);
  jn_inertia_pack(2, (double[3]){3, -4, 5}, (double[6]){1e-4, 1e-4, 2e-4, 0, 0, 0}, l.inertia);
  add(&s, l);
  l = plain("rod", "disc", JN_REVOLUTE);
  jn_inertia_pack(2, (double[3]){3, -4, 5}, (double[6]){0.25, 0.25, 0, 0, 0, 0}, l.inertia);
  add(&s, l);
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  check(!find(&s, "inertia-triangle", 0) && !find(&s, "inertia-positive", 0), "no warning");
  end(&s);
}

/* One link of 7778 kg among links of 10 kg; a heavy base with light arms is none of these. */
static void a_mass_that_stands_out_is_warned_of(void **state) {
  static const double masses[][3] = {{10, 7778, 8}, {10, 500, 12}, {90, 0.1, 0.2}};
  (void)state;
  for (int k = 0; k < 3; k++) {
    static const char *const names[] = {"one", "two", "three"};
    scene s;
    begin(&s);
    create(&s);
    for (int i = 0; i < 3; i++) {
      jn_link l = plain(names[i], i ? names[i - 1] : NULL, JN_REVOLUTE);
      jn_inertia_pack(masses[k][i], (double[3]){0.1, 0, 0}, (double[6]){1, 1, 1, 0, 0, 0}, l.inertia);
      add(&s, l);
    }
    check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
    const jn_message *m = find(&s, "mass-outlier", 0);
    check((m != NULL) == (k == 0), "masses %d", k);
    if (m) check(strstr(m->subject, "'two'") && strstr(m->text, "7778") && strstr(m->text, "10 kg"), "%s", m->text);
    end(&s);
  }
}

static void joints_that_move_nothing_are_warned_of(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  add(&s, plain("a", NULL, JN_REVOLUTE));
  jn_link l = plain("leaf", "a", JN_REVOLUTE);
  memset(l.inertia, 0, sizeof l.inertia);
  add(&s, l);
  l.name = "motor";
  l.joint.dof[0].armature = 0.1; /* a rotor is enough */
  add(&s, l);
  expect(&s, JN_OK, "massless-leaf", "'leaf'", "nothing that has mass");
  check(!find(&s, "massless-leaf", 1), "the joint with armature is fine");
  end(&s);
}

static void chains_that_repeat_a_motion_are_warned_of(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  jn_link l = plain("a", NULL, JN_PRISMATIC);
  add(&s, l);
  l = plain("b", "a", JN_PRISMATIC); /* massless, and then the same direction once more */
  memset(l.inertia, 0, sizeof l.inertia);
  add(&s, l);
  add(&s, plain("c", "b", JN_PRISMATIC));
  expect(&s, JN_OK, "joint-no-inertia", "'b'", "singular");
  check(!find(&s, "joint-no-inertia", 1), "only that one");
  end(&s);
}

/* Coupled joints elsewhere in the robot do not hide a singular chain. */
static void singular_chains_are_found_beside_coupled_joints(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  add(&s, plain("a", NULL, JN_PRISMATIC));
  jn_link l = plain("b", "a", JN_PRISMATIC);
  memset(l.inertia, 0, sizeof l.inertia);
  add(&s, l);
  add(&s, plain("c", "b", JN_PRISMATIC));
  l = plain("d", "a", JN_REVOLUTE);
  add(&s, l);
  l = plain("e", "a", JN_REVOLUTE);
  l.joint.mimic = "d";
  add(&s, l);
  expect(&s, JN_OK, "joint-no-inertia", "", "singular");
  end(&s);
}

static void a_joint_named_like_the_root_link_is_found(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  add(&s, plain("base", NULL, JN_FIXED)); /* its joint has no name and takes the link's */
  jn_link l = plain("arm", "base", JN_REVOLUTE);
  l.joint.name = "base";
  add(&s, l);
  l = plain("hand", "arm", JN_REVOLUTE);
  l.joint.mimic = "base";
  add(&s, l);
  check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
  check(jn_joint_index(s.m, "base") == 1 && jn_model_nv(s.m) == 1, "the joint that has the name");
  jn_model *copy;
  check_ok(jn_model_with_gravity(s.m, (double[3]){0, 0, -1}, &copy));
  check(jn_model_nv(copy) == 1, "copied");
  jn_model_destroy(copy);
  end(&s);
}

static void inertia_laws_are_reported_together_with_other_faults(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  jn_link l = plain("heavy", NULL, JN_REVOLUTE);
  jn_inertia_pack(2, (double[3]){0.3, 0, 0}, (double[6]){0.1, 0.2, 0.9, 0, 0, 0}, l.inertia);
  add(&s, l);
  add(&s, plain("lost", "nowhere", JN_REVOLUTE));
  expect(&s, JN_ERR_MODEL, "inertia-triangle", "'heavy'", "triangle");
  check(find(&s, "parent-unknown", 0), "both");
  end(&s);
}

static void healthy_random_models_are_not_called_singular(void **state) {
  (void)state;
  uint64_t seed_ = seed("singular");
  for (int i = 0; i < 100; i++) {
    scene s;
    begin(&s);
    jn_model *m = random_tree(&seed_, 14);
    check_ok(jn_model_thaw(m, &s.options, &s.b));
    check_ok(jn_builder_freeze(s.b, &s.m, &s.error));
    check(!find(&s, "joint-no-inertia", 0), "%s", find(&s, "joint-no-inertia", 0)->subject);
    jn_model_destroy(m);
    end(&s);
  }
}

static void limits_and_units_that_look_wrong_are_warned_of(void **state) {
  (void)state;
  scene s;
  begin(&s);
  create(&s);
  jn_link l = plain("zero", NULL, JN_REVOLUTE);
  l.joint.dof[0].lower = l.joint.dof[0].upper = 0;
  l.joint.dof[0].effort = 0;
  add(&s, l);
  l = plain("degrees", "zero", JN_REVOLUTE);
  l.joint.dof[0].lower = -170;
  l.joint.dof[0].upper = 170;
  add(&s, l);
  l = plain("millimetres", "zero", JN_FIXED);
  l.placement[3] = 340;
  add(&s, l);
  l = plain("gmm2", "zero", JN_REVOLUTE);
  jn_inertia_pack(1, (double[3]){0, 0, 0}, (double[6]){1e7, 1e7, 1e7, 0, 0, 0}, l.inertia);
  add(&s, l);
  expect(&s, JN_OK, "limit-empty", "'zero'", "no room");
  check(strstr(find(&s, "limit-zero", 0)->text, "effort"), "effort 0");
  check(strstr(find(&s, "unit-angle", 0)->subject, "'degrees'"), "degrees");
  check(strstr(find(&s, "unit-length", 0)->subject, "'millimetres'"), "millimetres");
  check(strstr(find(&s, "unit-inertia", 0)->subject, "'gmm2'"), "g mm^2");
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inertia_laws_are_warnings_and_errors_in_strict_mode),
      cmocka_unit_test(inertia_at_the_border_of_the_law_is_accepted),
      cmocka_unit_test(a_mass_that_stands_out_is_warned_of),
      cmocka_unit_test(joints_that_move_nothing_are_warned_of),
      cmocka_unit_test(chains_that_repeat_a_motion_are_warned_of),
      cmocka_unit_test(singular_chains_are_found_beside_coupled_joints),
      cmocka_unit_test(a_joint_named_like_the_root_link_is_found),
      cmocka_unit_test(inertia_laws_are_reported_together_with_other_faults),
      cmocka_unit_test(healthy_random_models_are_not_called_singular),
      cmocka_unit_test(limits_and_units_that_look_wrong_are_warned_of),
  };
  return cmocka_run_group_tests_name("model_warnings", tests, NULL, NULL);
}
