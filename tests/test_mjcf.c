/* SPDX-License-Identifier: BSD-2-Clause */
/* MJCF: how bodies, joints, classes, frames, couplings and actuators are understood. tests/oracle_mjcf.py compares all
 * of this with MuJoCo itself, where it is installed. */
#include "mjcf_help.h"

#include <sys/stat.h>
#include <unistd.h>
#include "jounce/dynamics.h"
#include "jounce/io.h"

#define PI 3.14159265358979323846

static const double zero[64];

/* ---- Recognition ---- */

static void files_are_recognised_by_their_content(void **state) {
  (void)state;
  static const char *const texts[] = {
      MJCF(WORLD("<body>" UNIT "</body>")),
      "<?xml version='1.0'?>\n<!-- a <robot> > --><!DOCTYPE mujoco>\n" MJCF(WORLD("<body>" UNIT "</body>")),
      "\xEF\xBB\xBF<mujocoinclude>" WORLD("<body>" UNIT "</body>") "</mujocoinclude>"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    jn_model *m = good(texts[i]);
    assert_int_equal(jn_link_count(m), 1);
    assert_string_equal(jn_link_name(m, 0), "body_1");
    jn_model_destroy(m);
  }
  jn_model *urdf = good("<!-- <mujoco> --><robot name='r'><mujoco/><link name='a'/></robot>");
  assert_string_equal(jn_link_name(urdf, 0), "a");
  jn_model_destroy(urdf);
  jn_model *named = good(MJCF(WORLD("<body name='b'>" UNIT "</body>")));
  assert_string_equal(jn_model_name(named), "m");
  char *text;
  jn_error error;
  assert_int_equal(jn_save_text(named, JN_FORMAT_MJCF, NULL, &text, NULL, &error), JN_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "not written"));
  jn_model_destroy(named);
}

/* ---- Joints ---- */

static void joints_have_the_types_and_units_of_the_file(void **state) {
  (void)state;
  jn_model *m =
      good(MJCF(WORLD("<body name='a'><joint name='h' range='-90 180' armature='.1' damping='.2' "
                      "frictionloss='.3' stiffness='.4' springref='45' axis='0 3 4'/>" UNIT
                      "<body name='b'><joint name='s' type='slide' range='-1 2' stiffness='5' springref='.5'/>" UNIT
                      "<body name='c'><joint name='k' type='ball' pos='1 2 3' damping='.7'/>" UNIT
                      "<body name='d'><joint name='u'/>" UNIT "</body></body></body></body>"
                      "<body name='e'><freejoint name='f'/>" UNIT "</body>")));
  static const jn_joint_type types[] = {JN_REVOLUTE, JN_PRISMATIC, JN_SPHERICAL, JN_CONTINUOUS, JN_FREE};
  static const char *const names[] = {"h", "s", "k", "u", "f"};
  assert_int_equal(jn_link_count(m), 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(jn_joint_type_of(m, i), types[i]);
    assert_string_equal(jn_joint_name(m, i), names[i]);
  }
  const jn_joint *h = jn_joint_description(m, 0), *k = jn_joint_description(m, 2);
  const jn_dof *s = &jn_joint_description(m, 1)->dof[0];
  const double dof[] = {h->dof[0].lower,   h->dof[0].upper,    h->dof[0].armature,
                        h->dof[0].damping, h->dof[0].friction, h->dof[0].stiffness,
                        h->dof[0].rest,    h->axis[1],         h->axis[2],
                        s->lower,          s->upper,           s->stiffness,
                        s->rest,           k->dof[2].damping,  k->point[2]};
  const double expected[] = {-PI / 2, PI, .1, .2, .3, .4, PI / 4, .6, .8, -1, 2, 5, .5, .7, 3};
  check_near(dof, expected, 15, 1e-15, "angles are degrees unless the compiler says radian");
  assert_true(isinf(jn_joint_description(m, 3)->dof[0].upper));
  jn_model_destroy(m);
  m = good(
      MJCF(RADIAN WORLD("<body name='a'><joint range='-1 2' springref='.5' ref='.25' stiffness='1'/>" UNIT "</body>")));
  const jn_dof *r = &jn_joint_description(m, 0)->dof[0];
  assert_true(r->lower == -1 && r->upper == 2 && r->rest == .5);
  assert_string_equal(jn_joint_name(m, 0), "a");
  jn_model_destroy(m);
}

/* At q = ref the body is where the file has it; from there it moves about the joint's own axis and anchor. */
static void ref_is_the_coordinate_of_the_pose_in_the_file(void **state) {
  (void)state;
  jn_model *m =
      good(MJCF(RADIAN WORLD("<body name='a' pos='1 2 3' euler='.3 .2 .1'><joint ref='.7' pos='.1 .2 .3' "
                             "axis='1 1 0'/>" UNIT "<body name='b' pos='0 0 1'><joint type='slide' ref='-.4' "
                             "axis='0 1 0'/>" UNIT "</body></body>")));
  jn_model *fixed =
      good(MJCF(RADIAN WORLD("<body name='a' pos='1 2 3' euler='.3 .2 .1'><body name='b' pos='0 0 1'/>"
                             "<body name='c' pos='0 .1 1'/></body>")));
  const double q[2] = {.7, -.4}, moved[2] = {.7, -.3};
  double T[16], F[16];
  pose_of(m, "b", q, T);
  pose_of(fixed, "b", zero, F);
  check_near(T, F, 16, 1e-15, "the pose at ref");
  pose_of(m, "b", moved, T);
  pose_of(fixed, "c", zero, F);
  check_near(T, F, 16, 1e-15, "a slide by 0.1");
  jn_model_destroy(fixed);
  jn_model_destroy(m);
}

/* Joints of one body act in their order, each in the body's own frame: as a chain of bodies at the same place. */
static void several_joints_of_a_body_are_a_chain(void **state) {
  (void)state;
  jn_model *one =
      good(MJCF(WORLD("<body name='a' pos='1 0 0' quat='1 2 3 4'><joint name='x' axis='1 0 0' pos='0 .1 0'/>"
                      "<joint name='y' type='slide' axis='0 1 0'/><joint axis='0 0 1' pos='.2 0 0'/>" UNIT "</body>")));
  jn_model *chain = good(MJCF("<compiler boundmass='0'/>" WORLD(
      "<body name='1' pos='1 0 0' quat='1 2 3 4'><joint axis='1 0 0' pos='0 .1 0'/><body name='2'><joint "
      "type='slide' axis='0 1 0'/><body name='a'><joint axis='0 0 1' pos='.2 0 0'/>" UNIT "</body></body></body>")));
  assert_int_equal(jn_link_count(one), 3);
  assert_string_equal(jn_link_name(one, 0), "a/x");
  assert_string_equal(jn_link_name(one, 2), "a");
  assert_string_equal(jn_joint_name(one, 2), "a_3");
  uint64_t s = seed("several joints");
  for (int i = 0; i < 20; i++) {
    double q[3], T[16], C[16];
    fill(&s, q, 3, 2);
    pose_of(one, "a", q, T);
    pose_of(chain, "a", q, C);
    check_close(T, C, 16, 1, 8, "a body with three joints");
  }
  jn_model_destroy(chain);
  jn_model_destroy(one);
}

/* The coordinates of a free joint are the pose in the world, wherever the file has the body. */
static void free_joints_begin_at_the_world(void **state) {
  (void)state;
  jn_model *m = good(MJCF(
      WORLD("<frame pos='5 6 7'><body name='a' pos='1 2 3' euler='10 20 30'><freejoint/>" UNIT "</body></frame>")));
  const double q[7] = {.1, .2, .3, 0, 0, 0, 1}, expected[16] = {1, 0, 0, .1, 0, 1, 0, .2, 0, 0, 1, .3, 0, 0, 0, 1};
  double T[16];
  pose_of(m, "a", q, T);
  check_near(T, expected, 16, 1e-15, "the pose of a free body");
  jn_model_destroy(m);
}

/* Armature along the world's axes: three slides and a ball, whose mass matrix is that of the free body, plus it. */
static void armature_of_a_free_joint_is_along_the_world(void **state) {
  (void)state;
  jn_model *m =
      good(MJCF(WORLD("<body name='a' pos='1 2 3'><joint name='f' type='free' armature='.5'/>" UNIT "</body>")));
  static const char *const names[] = {"f_x", "f_y", "f_z", "f"};
  const double q[7] = {.1, .2, .3, .5, .5, .5, .5}, at[3] = {.1, .2, .3};
  double T[16], M[36], expected[36] = {0};
  assert_int_equal(jn_model_nq(m), 7);
  for (int i = 0; i < 4; i++) assert_string_equal(jn_joint_name(m, i), names[i]);
  pose_of(m, "a", q, T);
  const double found[3] = {T[3], T[7], T[11]};
  check_near(found, at, 3, 1e-15, "the pose of the body");
  jn_work *work;
  check_ok(jn_work_create(m, &work));
  check_ok(jn_mass_matrix(m, work, q, M));
  for (int i = 0; i < 6; i++) expected[7 * i] = (i < 3 ? 1 : .1) + .5;
  check_close(M, expected, 36, 1, 8, "mass and armature");
  jn_work_destroy(work);
  jn_model_destroy(m);
}

/* ---- Orientations, classes, frames ---- */

static void all_ways_to_write_an_orientation_agree(void **state) {
  (void)state;
  /* a turn by 120 degrees about (1, 1, 1): x to y, y to z, z to x; and the same Euler angles about fixed axes */
  static const double turn[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, fixed[9] = {0, -1, 0, 0, 0, -1, 1, 0, 0};
  static const struct {
    const char *way, *sequence;
    const double *expected;
  } cases[] = {{"quat='2 2 2 2'", "xyz", turn},
               {"axisangle='5 5 5 120'", "xyz", turn},
               {"xyaxes='0 2 0  0 3 1'", "xyz", turn},
               {"euler='90 90 0'", "xyz", turn},   /* Rx(90) Ry(90) */
               {"euler='90 0 90'", "ZYX", fixed}}; /* about z, then y, then x of the frame: Rx(90) Rz(90) */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    double T[16], R[9];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler eulerseq='%s'/><worldbody><body name='b'>%s<site name='s' %s/></body></worldbody></mujoco>",
        cases[i].sequence, UNIT, cases[i].way);
    jn_model *m = good(text);
    pose_of(m, "s", zero, T);
    for (int k = 0; k < 9; k++) R[k] = T[4 * (k / 3) + k % 3];
    check_near(R, cases[i].expected, 9, 1e-15, "%s", cases[i].way);
    jn_model_destroy(m);
  }
  jn_model *m =
      good(MJCF(WORLD("<body name='b'>" UNIT "<site name='s' zaxis='1 0 0'/><site name='t' fromto='1 0 0 0 0 0'/>"
                      "</body>")));
  double S[16], T[16];
  pose_of(m, "s", zero, S);
  pose_of(m, "t", zero, T);
  const double z[3] = {S[2], S[6], S[10]}, x[3] = {1, 0, 0};
  check_near(z, x, 3, 1e-15, "zaxis");
  assert_true(T[3] == .5 && fabs(T[2] - 1) < 1e-15);
  jn_model_destroy(m);
}

static double armature_of(const jn_model *m, const char *joint) {
  return jn_joint_description(m, jn_joint_index(m, joint))->dof[0].armature;
}

/* An attribute of the element goes before its class, the class before the classes around it; childclass gives the class
 * to all inside, up to the next one. */
static void classes_are_inherited_by_nesting_and_by_childclass(void **state) {
  (void)state;
  jn_model *m = good(
      MJCF("<default><joint armature='1' damping='2'/><default class='p'><joint armature='3'/><default class='q'>"
           "<joint damping='4'/></default></default></default>\n" WORLD(
               "<body name='a'><joint name='main'/>" UNIT "<body childclass='q'><joint name='inner'/>" UNIT
               "<body><joint name='deep'/>" UNIT "<body><joint name='own' armature='7'/>" UNIT
               "<body><joint name='named' class='main'/>" UNIT "<frame childclass='p'><body><joint name='framed'/>" UNIT
               "</body></frame></body></body></body></body></body>")));
  const char *const names[] = {"main", "inner", "deep", "own", "named", "framed"};
  const double armature[] = {1, 3, 3, 7, 1, 3}, damping[] = {2, 4, 4, 4, 2, 2};
  for (int i = 0; i < 6; i++) {
    check(armature_of(m, names[i]) == armature[i], "armature of '%s'", names[i]);
    check(jn_joint_description(m, jn_joint_index(m, names[i]))->dof[0].damping == damping[i], "damping of '%s'",
          names[i]);
  }
  jn_model_destroy(m);
}

/* A frame is a change of coordinates for all that is in it. */
static void frames_are_composed(void **state) {
  (void)state;
  jn_model *m = good(MJCF(WORLD(
      "<frame pos='1 0 0' euler='0 0 90'><frame pos='0 2 0'><body name='a' pos='.5 0 0'><frame pos='0 0 3' euler='90 0 "
      "0'>"
      "<joint name='j' pos='.1 .2 .3' axis='0 0 1'/><site name='s' pos='0 0 1'/><geom size='.1' pos='0 0 1'/></frame>"
      "</body></frame></frame>")));
  double T[16], inertia[10];
  pose_of(m, "a", zero, T);
  const double at[3] = {T[3], T[7], T[11]}, expected[3] = {-1, .5, 0};
  check_near(at, expected, 3, 1e-15, "a body in two frames");
  const jn_joint *j = jn_joint_description(m, 0);
  const double line[6] = {j->axis[0], j->axis[1], j->axis[2], j->point[0], j->point[1], j->point[2]};
  const double turned[6] = {0, -1, 0, .1, -.3, 3.2};
  check_near(line, turned, 6, 1e-15, "a joint in a frame");
  jn_frame_placement(m, jn_frame_index(m, "s"), T);
  const double site[3] = {T[3], T[7], T[11]}, there[3] = {0, -1, 3};
  check_near(site, there, 3, 1e-15, "a site in a frame");
  inertia_of(m, "a", inertia);
  const double centre[3] = {inertia[1] / inertia[0], inertia[2] / inertia[0], inertia[3] / inertia[0]};
  check_near(centre, there, 3, 1e-15, "a geom in a frame");
  jn_model_destroy(m);
}

/* ---- Names ---- */

static void names_that_collide_are_changed(void **state) {
  (void)state;
  jn_model *m = good(MJCF(WORLD("<body name='a'><joint name='b'/>" UNIT "<body name='b'>" UNIT
                                "<site name='a'/><body><joint/>" UNIT "</body></body></body>"
                                "<body name='body_3'><joint/><joint axis='1 0 0'/>" UNIT "</body>")));
  assert_true(jn_joint_index(m, "b") == 0);
  assert_true(jn_link_index(m, "b") == 1);
  assert_string_equal(jn_joint_name(m, 1), "b_fixed");
  assert_true(jn_frame_index(m, "a_site") >= jn_link_count(m));
  assert_true(jn_link_index(m, "body_3_") == 2);
  jn_model_destroy(m);
}

/* ---- Settings ---- */

static void the_compiler_changes_masses(void **state) {
  (void)state;
  double a[10], b[10];
  jn_model *m = good(MJCF("<compiler boundmass='2' boundinertia='.05'/>" WORLD(
      "<body name='a'><joint/><inertial pos='1 0 0' mass='1' diaginertia='.01 .1 .1'/></body>")));
  const double bounded[10] = {2, 2, 0, 0, .05, 2.1, 2.1, 0, 0, 0};
  inertia_of(m, "a", a);
  check_near(a, bounded, 10, 1e-15, "boundmass and boundinertia");
  jn_model_destroy(m);
  m = good(MJCF("<compiler balanceinertia='true'/>" WORLD(
      "<body name='a'><joint/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .4'/></body>")));
  const double balanced[10] = {1, 0, 0, 0, .2, .2, .2, 0, 0, 0};
  inertia_of(m, "a", a);
  check_near(a, balanced, 10, 1e-15, "balanceinertia");
  jn_model_destroy(m);
  m = good(MJCF(
      "<compiler settotalmass='6'/>" WORLD("<body name='a'><joint/>" UNIT "</body><body name='b'>"
                                           "<joint/><inertial pos='0 0 0' mass='2' diaginertia='.1 .1 .1'/></body>")));
  inertia_of(m, "a", a);
  inertia_of(m, "b", b);
  assert_true(fabs(a[0] - 2) < 1e-15 && fabs(b[0] - 4) < 1e-15 && fabs(a[4] - .2) < 1e-15);
  jn_model_destroy(m);
}

static void the_compiler_chooses_the_source_of_inertia(void **state) {
  (void)state;
#define BODY "<body name='a'><joint/>" UNIT "<geom size='1' mass='3'/><geom size='1' mass='4' group='4'/></body>"
  static const struct {
    const char *text;
    double mass;
  } cases[] = {{MJCF(WORLD(BODY)), 1},
               {MJCF("<compiler inertiafromgeom='true'/>" WORLD(BODY)), 7},
               {MJCF("<compiler inertiafromgeom='true' inertiagrouprange='0 3'/>" WORLD(BODY)), 3},
               {MJCF("<compiler inertiafromgeom='true' inertiagrouprange='5 5'/>" WORLD(BODY)), 1},
               {MJCF("<compiler inertiafromgeom='false'/>" WORLD(BODY)), 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double inertia[10];
    jn_model *m = good(cases[i].text);
    inertia_of(m, "a", inertia);
    check(fabs(inertia[0] - cases[i].mass) < 1e-15, "case %d: mass %g", (int)i, inertia[0]);
    jn_model_destroy(m);
  }
}

static void options_give_gravity_and_switch_parts_off(void **state) {
  (void)state;
  double g[3];
  jn_model *m = good(MJCF("<option gravity='1 2 3'/>" WORLD("<body><joint/>" UNIT "</body>")));
  jn_model_gravity(m, g);
  assert_true(g[0] == 1 && g[1] == 2 && g[2] == 3);
  jn_model_destroy(m);
  m = good(
      MJCF("<option><flag gravity='disable' spring='disable' damper='disable' frictionloss='disable' "
           "limit='disable' equality='disable'/></option>" WORLD(
               "<body><joint name='a' stiffness='1' damping='1' frictionloss='1' range='0 1'/>" UNIT
               "<body><joint name='b'/>" UNIT "</body></body>") "<equality><joint joint1='a' joint2='b'/></equality>"));
  jn_model_gravity(m, g);
  const jn_dof *d = &jn_joint_description(m, 0)->dof[0];
  assert_true(g[2] == 0 && d->stiffness == 0 && d->damping == 0 && d->friction == 0 && isinf(d->upper));
  assert_int_equal(jn_model_nv(m), 2);
  jn_model_destroy(m);
}

/* ---- Couplings and loops ---- */

#define FOUR                                                                         \
  WORLD("<body name='A'><joint name='a' ref='.1'/><site name='o'/>" UNIT             \
        "</body><body name='B' pos='1 0 0'><joint name='b' "                         \
        "ref='.2'/>" UNIT "</body><body name='C' pos='0 2 0'><joint name='c'/>" UNIT \
        "</body><body name='D'><joint name='d' type='slide'/>" UNIT "<site name='p' pos='0 0 1'/></body>")

static void linear_couplings_of_joints_become_followers(void **state) {
  (void)state;
  jn_model *m = good(MJCF(RADIAN FOUR "<equality><joint joint1='b' joint2='a' polycoef='.5 2 0 0 0'/>"
                                      "<joint joint1='c' joint2='b'/>"
                                      "<joint name='again' joint1='b' joint2='d' polycoef='0 3'/>"
                                      "<joint name='held' joint1='d' polycoef='.3'/></equality>"));
  int leader;
  double ratio, offset;
  assert_true(jn_joint_mimic(m, jn_joint_index(m, "b"), &leader, &ratio, &offset));
  const double found[2] = {ratio, offset}, expected[2] = {2, .2 + .5 - 2 * .1};
  check_near(found, expected, 2, 1e-15, "y - y0 = a0 + a1 (x - x0)");
  assert_int_equal(leader, jn_joint_index(m, "a"));
  assert_true(jn_joint_mimic(m, jn_joint_index(m, "c"), NULL, NULL, NULL));
  assert_int_equal(jn_loop_count(m), 2);
  /* b follows a already: 2 a + 0.5 - 3 d = 0.2, in the joints that are left */
  const jn_loop *again = jn_loop_description(m, jn_loop_index(m, "again"));
  assert_int_equal(again->type, JN_LOOP_COUPLING);
  assert_int_equal(again->term_count, 2);
  assert_string_equal(again->term[0].joint, "a");
  const double terms[3] = {again->term[0].factor, again->term[1].factor, again->offset}, linear[3] = {2, -3, .2 - .5};
  check_near(terms, linear, 3, 1e-15, "a second condition on a follower");
  const jn_loop *held = jn_loop_description(m, jn_loop_index(m, "held"));
  assert_true(held->term_count == 1 && held->offset == .3);
  jn_model_destroy(m);
}

static void fixed_tendons_become_couplings(void **state) {
  (void)state;
  jn_model *m =
      good(MJCF(RADIAN FOUR "<tendon><fixed name='t'><joint joint='a' coef='2'/><joint joint='c' coef='-1'/></fixed>"
                            "<fixed name='u'><joint joint='b' coef='3'/></fixed></tendon>"
                            "<equality><tendon name='e' tendon1='t' tendon2='u' polycoef='.25 .5'/></equality>"));
  const jn_loop *e = jn_loop_description(m, 0);
  assert_int_equal(e->term_count, 3);
  /* 2 (a - .1) - c = .25 + .5 * 3 (b - .2) */
  const double found[4] = {e->term[0].factor, e->term[1].factor, e->term[2].factor, e->offset};
  const double expected[4] = {2, -1, -1.5, .25 + .2 - .3};
  check_near(found, expected, 4, 1e-15, "y - y0 = a0 + a1 (x - x0) of tendons");
  jn_model_destroy(m);
}

static void point_of(const double T[16], double p[3]) {
  for (int i = 0; i < 3; i++) p[i] = T[4 * i + 3];
}

static void connect_and_weld_become_loops(void **state) {
  (void)state;
  jn_model *m = good(MJCF(RADIAN FOUR "<equality><connect name='c1' body1='A' body2='B' anchor='.5 0 0'/>"
                                      "<connect name='c2' body1='A' anchor='.5 0 0'/>"
                                      "<weld name='w1' body1='A' body2='C'/>"
                                      "<weld name='w2' body1='A' body2='C' anchor='0 0 1' relpose='1 2 3 0 1 0 0'/>"
                                      "<weld name='off' body1='A' body2='C' active='false'/>"
                                      "<connect name='s' site1='o' site2='p'/></equality>"));
  static const char *const names[] = {"c1", "c1", "c2", "w1", "w2", "w2", "s"};
  static const int side_b[] = {0, 1, 1, 0, 0, 1, 1};
  const double expected[][3] = {{.5, 0, 0}, {-.5, 0, 0}, {.5, 0, 0}, {0, 2, 0}, {1, 2, 3}, {0, 0, 1}, {0, 0, 1}};
  for (int i = 0; i < 7; i++) {
    double p[3];
    const jn_loop *l = jn_loop_description(m, jn_loop_index(m, names[i]));
    assert_non_null(l);
    assert_int_equal(l->type, names[i][0] == 'w' ? JN_LOOP_WELD : JN_LOOP_SPHERICAL);
    point_of(side_b[i] ? l->placement_b : l->placement_a, p);
    check_near(p, expected[i], 3, 1e-15, "%s, side %d", names[i], side_b[i]);
  }
  assert_string_equal(jn_loop_description(m, jn_loop_index(m, "c2"))->link_b, "world");
  assert_int_equal(jn_loop_index(m, "off"), JN_NONE);
  const jn_loop *w = jn_loop_description(m, jn_loop_index(m, "w2"));
  assert_true(w->placement_a[0] == 1 && w->placement_a[5] == -1 && w->placement_a[10] == -1);
  jn_model_destroy(m);
}

/* ---- Actuators ---- */

static void actuators_limit_efforts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double effort;
  } cases[] = {{"<motor joint='a' ctrlrange='-2 2' gear='10'/>", 20},
               {"<motor joint='a' ctrlrange='-2 2' forcerange='-1 1' gear='-10'/>", 10},
               {"<motor joint='a' ctrlrange='-2 2' ctrllimited='false'/>", INFINITY},
               {"<position joint='a' kp='100' ctrlrange='-2 2'/>", INFINITY},
               {"<position joint='a' kp='100' forcerange='-3 5'/>", 5},
               {"<general joint='a' gainprm='7' ctrlrange='-1 1'/>", 7},
               {"<general joint='a' gainprm='7' biastype='affine' biasprm='0 -7' ctrlrange='-1 1'/>", INFINITY},
               {"<motor joint='a' ctrlrange='-2 2'/><motor joint='a' ctrlrange='-3 3'/>", 5},
               {"<motor class='k' joint='a'/>", 24},
               {"<motor joint='b' ctrlrange='-100 100'/>", 6},
               {"<motor tendon='t' ctrlrange='-4 4'/>", 2},
               {"<velocity site='p' forcerange='-1 1'/>", INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><default><default class='k'><motor ctrlrange='-8 8' gear='3'/></default></default><worldbody>"
             "<body><joint name='a'/>%s<site name='p'/></body><body><joint name='b' actuatorfrcrange='-6 6'/>%s</body>"
             "</worldbody><tendon><fixed name='t'><joint joint='a' coef='-.5'/></fixed></tendon><actuator>%s</actuator>"
             "</mujoco>",
             UNIT, UNIT, cases[i].text);
    jn_model *m = good(text);
    int b = strstr(cases[i].text, "'b'") != NULL;
    double effort = jn_joint_description(m, b)->dof[0].effort;
    check(effort == cases[i].effort, "%s gives %g", cases[i].text, effort);
    jn_model_destroy(m);
  }
  jn_model *m = good(MJCF(
      WORLD("<body><joint name='a' armature='1'/>" UNIT "</body>") "<actuator><motor joint='a' "
                                                                   "gear='3' armature='2' damping='5'/></actuator>"));
  const jn_dof *d = &jn_joint_description(m, 0)->dof[0];
  assert_true(d->armature == 1 + 9 * 2 && d->damping == 9 * 5);
  jn_model_destroy(m);
}

/* ---- Included files ---- */

static void included_files_stand_in_the_place_of_the_element(void **state) {
  (void)state;
  write_text("part.xml", "<mujocoinclude><body name='in'><joint name='j'/>" UNIT
                         "<include file='leaf.xml'/></body></mujocoinclude>");
  write_text("leaf.xml", "<mujoco><site name='s' pos='1 2 3'/></mujoco>");
  write_text("settings.xml", "<mujoco>" RADIAN "<default><joint armature='5'/></default></mujoco>");
  const char *path = write_text(
      "main.xml",
      MJCF(WORLD("<body name='out'>" UNIT "<include file='part.xml'/></body>") "<include file='settings.xml'/>"));
  jn_model *m;
  jn_error error;
  check_ok(jn_load(path, NULL, &m, &error));
  assert_int_equal(jn_link_parent(m, jn_link_index(m, "in")), jn_link_index(m, "out"));
  assert_true(armature_of(m, "j") == 5);
  assert_string_equal(jn_link_name(m, jn_frame_link(m, jn_frame_index(m, "s"))), "in");
  jn_model_destroy(m);
}

/* As MuJoCo does: in the folder of the model's own file first, then in that of the file that includes. */
static void nested_includes_are_found_as_mujoco_finds_them(void **state) {
  static const char part[] = "<mujoco>" WORLD("<body name='%s'>" UNIT "</body>") "</mujoco>";
  char text[512];
  jn_model *m;
  jn_error error;
  (void)state;
  assert_int_equal(mkdir(path_of("sub"), 0700), 0);
  write_text("sub/part.xml", "<mujoco><include file='leaf.xml'/></mujoco>");
  snprintf(text, sizeof text, part, "near");
  write_text("sub/leaf.xml", text);
  remove(path_of("leaf.xml"));
  const char *path = write_text("main.xml", MJCF("<include file='sub/part.xml'/>"));

  check_ok(jn_load(path, NULL, &m, &error));
  assert_true(jn_link_index(m, "near") >= 0);
  jn_model_destroy(m);

  snprintf(text, sizeof text, part, "top");
  write_text("leaf.xml", text);
  path = path_of("main.xml");
  check_ok(jn_load(path, NULL, &m, &error));
  assert_true(jn_link_index(m, "top") >= 0);
  jn_model_destroy(m);
  remove(path_of("sub/part.xml"));
  remove(path_of("sub/leaf.xml"));
  remove(path_of("leaf.xml"));
  rmdir(path_of("sub"));
}

/* The same part of the weight of all bodies is less gravity. */
static void gravcomp_of_all_bodies_is_less_gravity(void **state) {
  double gravity[3];
  (void)state;
  jn_model *m =
      good(MJCF("<option gravity='1 2 -8'/>" WORLD("<body gravcomp='.25'><joint/>" UNIT "<body gravcomp='.25'>" UNIT
                                                   "</body></body><body name='fixed'>" UNIT "</body>")));
  jn_model_gravity(m, gravity);
  assert_true(gravity[0] == 0.75 && gravity[1] == 1.5 && gravity[2] == -6);
  jn_model_destroy(m);
}

/* ---- Keyframes ---- */

/* MuJoCo 4.0.0 has the centre of mass and the energies of these states. */
static void keyframes_are_states(void **state) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><worldbody><body name='base' pos='1 2 3' quat='1 1 0 0'><freejoint "
      "name='root'/><geom size='.1'/><body name='a' pos='.3 0 0'><joint name='b' type='ball'/><geom size='.1' "
      "pos='.2 .1 0'/><body name='c' pos='0 .5 0'><joint name='s' type='slide' ref='.1' axis='1 1 0'/><joint name='h' "
      "ref='.3' axis='0 1 0'/><geom type='box' size='.1 .2 .3' pos='0 0 .1'/></body></body></body></worldbody>"
      "<keyframe><key name='home' qpos='1 2 3 .5 .5 -.5 .5 .1 .2 .3 .9 .4 -.5' qvel='1 2 3 4 5 6 7 8 9 10 11'/>"
      "<key qvel='1 2 3 4 5 6 7 8 9 10 11'/><key name='short' qpos='1 2'/></keyframe></mujoco>";
  static const double energies[2][2] = {{3440.77044337, 1739.34530708}, {3983.46303141, 1898.74139464}};
  const char *path = write_text("keys.xml", text);
  char name[JN_KEYFRAME_NAME];
  double q[13], v[11], energy[2];
  jn_model *m;
  jn_work *work;
  jn_error error;
  int count;
  (void)state;
  check_ok(jn_load(path, NULL, &m, &error));
  check_ok(jn_work_create(m, &work));
  check_ok(jn_keyframe_count(path, NULL, &count, &error));
  assert_int_equal(count, 3);

  for (int i = 0; i < 2; i++) {
    check_ok(jn_load_keyframe(m, path, i, NULL, name, q, v, &error));
    assert_string_equal(name, i == 0 ? "home" : "");
    check_ok(jn_energy(m, work, q, v, energy));
    for (int k = 0; k < 2; k++)
      if (!(fabs(energy[k] - energies[i][k]) < fmax(1e-8, 1e4 * jn_variant_epsilon())))
        fail_msg("%d: %.12g, not %.12g", i, energy[k], energies[i][k]);
  }

  assert_int_equal(jn_load_keyframe(m, path, 2, NULL, name, q, v, &error), JN_ERR_SYNTAX);
  assert_non_null(strstr(error.text, "'qpos' has 2 numbers"));
  assert_int_equal(jn_load_keyframe(m, path, 3, NULL, name, q, v, &error), JN_ERR_INDEX);
  assert_int_equal(jn_load_keyframe(m, path, 0, NULL, name, NULL, v, &error), JN_ERR_NULL);
  assert_int_equal(jn_keyframe_count(NULL, NULL, &count, &error), JN_ERR_NULL);
  jn_work_destroy(work);
  jn_model_destroy(m);
}

/* What has nothing to do with dynamics is skipped without a word. */
static void the_rest_of_a_file_is_skipped_silently(void **state) {
  (void)state;
  loaded l = load_as(
      MJCF("<compiler meshdir='nowhere'/><size memory='1M'/><visual><map znear='1'/></visual><statistic extent='1'/>"
           "<custom><numeric name='n' data='1'/></custom><asset><texture file='t.png'/><material name='m'/>"
           "<mesh file='missing.stl'/></asset>" WORLD(
               "<light pos='0 0 1'/><camera name='c'/><geom type='plane' size='1 1 1'/><body name='b'><joint/>" UNIT
               "<geom type='mesh' mesh='missing'/></body>") "<contact><exclude body1='b' body2='b'/></contact>"
                                                            "<sensor><gyro site='x'/></sensor><keyframe><key "
                                                            "qpos='1'/></keyframe>"),
      "robot.xml", NULL);
  if (jn_report_count(l.report)) print_messages(l.report);
  assert_int_equal(l.status, JN_OK);
  assert_int_equal(jn_report_count(l.report), 0);
  drop(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_recognised_by_their_content),
      cmocka_unit_test(joints_have_the_types_and_units_of_the_file),
      cmocka_unit_test(ref_is_the_coordinate_of_the_pose_in_the_file),
      cmocka_unit_test(several_joints_of_a_body_are_a_chain),
      cmocka_unit_test(free_joints_begin_at_the_world),
      cmocka_unit_test(armature_of_a_free_joint_is_along_the_world),
      cmocka_unit_test(all_ways_to_write_an_orientation_agree),
      cmocka_unit_test(classes_are_inherited_by_nesting_and_by_childclass),
      cmocka_unit_test(frames_are_composed),
      cmocka_unit_test(names_that_collide_are_changed),
      cmocka_unit_test(the_compiler_changes_masses),
      cmocka_unit_test(the_compiler_chooses_the_source_of_inertia),
      cmocka_unit_test(options_give_gravity_and_switch_parts_off),
      cmocka_unit_test(linear_couplings_of_joints_become_followers),
      cmocka_unit_test(fixed_tendons_become_couplings),
      cmocka_unit_test(connect_and_weld_become_loops),
      cmocka_unit_test(actuators_limit_efforts),
      cmocka_unit_test(included_files_stand_in_the_place_of_the_element),
      cmocka_unit_test(nested_includes_are_found_as_mujoco_finds_them),
      cmocka_unit_test(gravcomp_of_all_bodies_is_less_gravity),
      cmocka_unit_test(keyframes_are_states),
      cmocka_unit_test(the_rest_of_a_file_is_skipped_silently),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
