/* SPDX-License-Identifier: BSD-2-Clause */
/* Edits of a model on the command line: options of every command, their faults, and `jounce check --repair`. */
#include "support/running.h"

#include <math.h>

static const char thin[] =
    "<robot name='arm'><link name='base'/>\n"
    "<link name='upper'><inertial><origin xyz='0.1 0 0.2'/><mass value='2'/>\n"
    "<inertia ixx='0.02' iyy='0.02' izz='0.05' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "<link name='fine'><inertial><mass value='1'/>\n"
    "<inertia ixx='0.02' iyy='0.02' izz='0.03' ixy='0.001' ixz='0' iyz='0'/></inertial></link>\n"
    "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/></joint>\n"
    "<joint name='elbow' type='continuous'><parent link='upper'/><child link='fine'/></joint></robot>\n";

static outcome run_in(const char *format, ...) {
  char line[2048];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  return run_with("", line);
}

static void expect(int code, const char *out, const char *err, const char *arguments) {
  outcome o = run_with("", arguments);
  if (o.code != code) fail_msg("jounce %s: status %d, not %d\n%s%s", arguments, o.code, code, o.out, o.err);
  if (out) check_has(o.out, out);
  if (err) check_has(o.err, err);
  done(&o);
}

/* The numbers behind "name": in JSON, as text. */
static void check_same(const char *arguments, const char *others) {
  outcome a = run_with("", arguments), b = run_with("", others);
  assert_int_equal(a.code, 0);
  const char *one = strstr(a.out, "\"results\""), *two = strstr(b.out, "\"results\"");
  assert_non_null(one);
  assert_non_null(two);
  assert_string_equal(one, two);
  done(&a);
  done(&b);
}

/* Every command that reads a model has the options. */
static void all_commands_have_the_options(void **state) {
  (void)state;
  static const char *const commands[] = {"info", "check", "convert", "eval", "base", "torque"};
  static const char *const options[] = {"--attach", "--lock NAME",    "--lock-all-but",
                                        "--root",   "--keep-subtree", "--lump"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    outcome o = run_in("%s --help=all", commands[i]);
    if (o.code == 0)
      for (size_t k = 0; k < sizeof options / sizeof *options; k++) check_has(o.out, options[k]);
    done(&o);
  }
}

static void locked_joints(void **state) {
  (void)state;
  expect(0, "nv = 5", NULL, "info builtin:panda --lock panda_joint1=0.5,panda_joint3");
  expect(0, "nv = 2", NULL, "info builtin:panda --lock-all-but panda_joint1,panda_joint7 --lock panda_joint4=-1");
  expect(0, "nv = 3", NULL, "info builtin:panda --lock 'panda_joint[4567]=-0.1'");
  expect(0, "nv = 31", NULL, "info builtin:humanoid --lock base=0:0:1:0:0:0:1");
  expect(0, NULL, "outside its limits", "info builtin:panda --lock panda_joint4=3");
  expect(1, NULL, "outside its limits", "info builtin:panda --lock panda_joint4=3 --strict");
  /* a configuration in an edited file is the one of the full robot with the coordinate held */
  outcome o = run_in("convert builtin:panda %s --lock panda_joint2=0.3", in_directory("locked.json"));
  assert_int_equal(o.code, 0);
  done(&o);
  char one[700], two[700];
  snprintf(one, sizeof one, "eval %s --want M,g", in_directory("locked.json"));
  snprintf(two, sizeof two, "eval builtin:panda --lock panda_joint2=0.3 --want M,g");
  check_same(one, two);
}

/* finger2 = 2 finger1 + 0.1: with finger2 at 0.5, finger1 is at 0.2. */
static void a_follower_that_is_locked_locks_its_leader(void **state) {
  (void)state;
  char line[900];
  write_file("fingers.urdf",
             "<robot name='hand'><link name='palm'/>\n"
             "<link name='one'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
             "iyz='0'/></inertial></link>\n"
             "<link name='two'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
             "iyz='0'/></inertial></link>\n"
             "<joint name='finger1' type='continuous'><parent link='palm'/><child link='one'/></joint>\n"
             "<joint name='finger2' type='continuous'><parent link='palm'/><child link='two'/>\n"
             "<mimic joint='finger1' multiplier='2' offset='0.1'/></joint></robot>\n");
  snprintf(line, sizeof line, "info %s --lock finger2=0.5", in_directory("fingers.urdf"));
  expect(0, "nv = 0", "it is held at 0.2", line);
  snprintf(line, sizeof line, "info %s --lock finger2=0.5,finger1=0.3", in_directory("fingers.urdf"));
  expect(2, NULL, "contradicts", line);
  snprintf(line, sizeof line, "info %s --lock finger1=0.3", in_directory("fingers.urdf"));
  expect(0, "nv = 0", "is held at 0.7", line);
  /* in URDF, the follower is fixed and follows nothing; angles have no negative zeros */
  outcome o = run_in("convert %s %s --lock finger1=-0.3", in_directory("fingers.urdf"), in_directory("held.urdf"));
  assert_int_equal(o.code, 0);
  done(&o);
  char *text = read_file("held.urdf");
  check_lacks(text, "mimic");
  check_lacks(text, "-0 ");
  check_lacks(text, "-0\"");
  check_has(text, "rpy=\"-0.3 0 0\"");
  free(text);
  snprintf(line, sizeof line, "info %s --lock-all-but finger2", in_directory("fingers.urdf"));
  expect(0, "nv = 1", NULL, line);
}

static void faults_of_locking(void **state) {
  (void)state;
  expect(2, NULL, "did you mean 'panda_joint1'?", "info builtin:panda --lock panda_jiont1=0");
  expect(2, NULL, "--floating adds the joint 'base' after all edits", "info builtin:panda --floating --lock base");
  write_file("welded.urdf",
             "<robot name='w'><link name='a'/><link name='b'/><joint name='weld' type='fixed'><parent link='a'/>"
             "<child link='b'/></joint></robot>");
  char line[900];
  snprintf(line, sizeof line, "info %s --lock weld", in_directory("welded.urdf"));
  expect(0, NULL, "joint 'weld': it is fixed already", line);
  snprintf(line, sizeof line, "info %s --lock weld=1", in_directory("welded.urdf"));
  expect(2, NULL, "joint 'weld' is fixed already and takes no value", line);
  expect(2, NULL, "is not a number", "info builtin:panda --lock panda_joint1=left");
  expect(2, NULL, "is not a number", "info builtin:panda --lock panda_joint1=");
  expect(2, NULL, "takes 1 number, not 2", "info builtin:panda --lock panda_joint1=0:1");
  expect(2, NULL, "a name is empty", "info builtin:panda --lock panda_joint1=0,,panda_joint2");
  expect(2, NULL, "no moving joint matches", "info builtin:panda --lock 'finger*=0'");
  expect(2, NULL, "contradicts", "info builtin:panda --lock panda_joint1=0,panda_joint1=1");
  expect(2, NULL, "both name joint", "info builtin:panda --lock panda_joint1 --lock-all-but panda_joint1");
  expect(2, NULL, "did you mean 'panda_joint1'?", "info builtin:panda --lock-all-but panda_jiont1");
  expect(1, NULL, "cannot be held at the quaternion 0", "info builtin:humanoid --lock base=0:0:0:0:0:0:0");
}

static void attached_robots(void **state) {
  (void)state;
  char line[900];
  write_file("thin.urdf", thin);
  snprintf(line, sizeof line, "info builtin:panda --attach %s,frame=panda_flange,prefix=t_,xyz=0:0:0.1,rpy=0:0:1",
           in_directory("thin.urdf"));
  expect(0, "t_shoulder", "jounce: 1 warning; see: jounce check", line);
  strcat(line, " --lenient --mimic ignore --floating --lock panda_joint1");
  expect(0, NULL, "thin.urdf --mimic ignore --lenient\n", line);
  snprintf(line, sizeof line,
           "info builtin:panda --attach builtin:panda,frame=world,prefix=b_ --attach "
           "builtin:panda,frame=b_panda_link7,prefix=c_");
  expect(0, "nv = 21", NULL, line);
  expect(1, NULL, "both robots have the names: link 'panda_link1'",
         "info builtin:panda --attach builtin:panda,frame=world");
  expect(2, NULL, "did you mean 'panda_flange'?", "info builtin:panda --attach builtin:planar_2r,frame=panda_flnge");
  expect(2, NULL, "the frame is missing", "info builtin:panda --attach builtin:planar_2r");
  expect(2, NULL, "three numbers", "info builtin:panda --attach builtin:planar_2r,frame=world,xyz=0:0");
  expect(2, NULL, "frame= is given twice", "info builtin:panda --attach builtin:planar_2r,frame=world,frame=world");
  expect(2, NULL, "xyz= is given twice",
         "info builtin:panda --attach builtin:planar_2r,frame=world,xyz=0:0:0,xyz=0:0:1");
  expect(2, NULL, "none of frame=", "info builtin:panda --attach builtin:planar_2r,frame=world,colour=red");
  expect(1, NULL, "nowhere.urdf", "info builtin:panda --attach nowhere.urdf,frame=world");
  expect(1, NULL, "floats relative to the frame",
         "info builtin:panda --attach builtin:humanoid,frame=world,prefix=h_ --strict");
  expect(0, NULL, "gravity is that of the first robot", "info builtin:panda --attach builtin:planar_2r,frame=world");
  outcome o = run_in("info builtin:panda --attach builtin:planar_2r,frame=world --gravity 0,0,-1.62");
  check_lacks(o.err, "gravity"); /* both have the one that is asked for */
  done(&o);
  snprintf(line, sizeof line, "convert builtin:panda %s --attach %s,frame=panda_flange", in_directory("thin.urdf"),
           in_directory("thin.urdf"));
  expect(2, NULL, "is a file of --attach", line);
}

/* What a URDF file has beside its model does not come along with the robot: each file of --attach is told with its
 * own counts, and --strict refuses. */
static void text_of_attached_files_is_not_lost_silently(void **state) {
  (void)state;
  write_file("first.urdf",
             "<robot name='first'><link name='base'><visual><geometry><box size='1 1 1'/></geometry></visual></link>\n"
             "</robot>\n");
  write_file("tool.urdf",
             "<robot name='tool'><link name='palm'><visual><geometry><box size='1 1 1'/></geometry></visual>\n"
             "<visual><geometry><box size='2 1 1'/></geometry></visual></link><gazebo reference='palm'/></robot>\n");
  const char *attach = "--attach %s,frame=base,prefix=t_";
  const char *told = "tool.urdf': only the model is written, without 2 <visual>, 1 <gazebo>\n";
  char option[700], line[2100], first[600];
  snprintf(first, sizeof first, "%s", in_directory("first.urdf"));
  snprintf(option, sizeof option, attach, in_directory("tool.urdf"));
  snprintf(line, sizeof line, "convert %s %s %s", first, in_directory("both.urdf"), option);
  expect(0, NULL, told, line);
  expect(0, NULL, "both.urdf: warning: attached file", line);
  snprintf(line, sizeof line, "convert %s %s %s", first, in_directory("both.json"), option);
  expect(0, NULL, told, line);
  expect(0, NULL, "both.json: note: only the model is written, without 1 <visual>\n", line);
  snprintf(line, sizeof line, "convert --strict %s %s %s", first, in_directory("strict.urdf"), option);
  expect(1, NULL, told, line);
  assert_false(exists("strict.urdf"));
  snprintf(line, sizeof line, "check %s %s --repair %s", first, option, in_directory("repaired.urdf"));
  expect(0, NULL, told, line);
}

/* The humanoid that stands on its foot, from URDF and made here: the same potential energy. */
static void check_root_in_urdf(const char *path) {
  jn_model *humanoid, *model[2];
  jn_options options;
  double energy[2][2], q[64];
  const double gravity[3] = {0, 0, -9.81};
  jn_options_init(&options);
  options.floating = 1;
  options.gravity = gravity;
  assert_int_equal(jn_load(path, &options, &model[0], NULL), JN_OK);
  assert_int_equal(jn_load("builtin:humanoid", &options, &humanoid, NULL), JN_OK);
  assert_int_equal(jn_model_reroot(humanoid, "left_foot", NULL, NULL, &model[1], NULL), JN_OK);
  for (int i = 0; i < 2; i++) {
    jn_work *w;
    assert_int_equal(jn_work_create(model[i], &w), JN_OK);
    jn_neutral(model[i], q);
    q[jn_joint_q(model[i], jn_joint_index(model[i], "left_knee"))] = 0.7;
    assert_int_equal(jn_energy(model[i], w, q, NULL, energy[i]), JN_OK);
    jn_work_destroy(w);
    jn_model_destroy(model[i]);
  }
  jn_model_destroy(humanoid);
  assert_true(fabs(energy[0][1] - energy[1][1]) < 1e-9 * fabs(energy[1][1]));
}

static void parts_and_bases(void **state) {
  (void)state;
  expect(0, "nv = 4", NULL, "info builtin:humanoid --keep-subtree left_thigh");
  expect(2, NULL, "did you mean 'left_thigh'?", "info builtin:humanoid --keep-subtree left_tigh");
  expect(0, "left_foot                                       free        base", NULL,
         "info builtin:humanoid --root left_foot");
  expect(2, NULL, "'panda_flange' is a frame on link 'panda_link7'", "info builtin:panda --root panda_flange");
  expect(2, NULL, "--root is given twice, as 'left_foot' and 'torso'",
         "info builtin:humanoid --root left_foot --root torso");
  expect(2, NULL, "--keep-subtree is given twice", "info builtin:humanoid --keep-subtree torso --keep-subtree torso");
  expect(2, NULL, "did you mean 'left_foot'?", "info builtin:humanoid --root left_fot");
  expect(1, NULL, "hangs on the world by a revolute joint", "info builtin:panda --root panda_link3");
  expect(0, "nv = 12", NULL, "info builtin:panda --lock panda_joint1 --root panda_link3 --floating");
  expect(0, "panda_joint4", NULL, "info builtin:panda --lock panda_joint4=-1 --lump");
  char line[900];
  snprintf(line, sizeof line, "convert builtin:humanoid %s --root left_foot --gravity 0,0,-9.81",
           in_directory("foot.urdf"));
  expect(1, NULL, "passes through the origin", line);
  strcat(line, " --split");
  expect(0, NULL, "left_knee_axis", line);
  check_root_in_urdf(in_directory("foot.urdf"));
}

/* The order of edits is that of the page, whatever their order on the command line. */
static void edits_have_one_order(void **state) {
  (void)state;
  check_same("eval builtin:humanoid --keep-subtree torso --lock waist_yaw=0.4,left_elbow=0.2 --lump --want M,g",
             "eval builtin:humanoid --lump --lock left_elbow=0.2 --keep-subtree torso --lock waist_yaw=0.4 --want M,g");
}

static void repaired_files(void **state) {
  (void)state;
  write_file("thin.urdf", thin);
  static const char *const names[] = {"mended.urdf", "mended.json"};
  for (int i = 0; i < 2; i++) {
    outcome o = run_in("check %s --repair %s", in_directory("thin.urdf"), in_directory(names[i]));
    assert_int_equal(o.code, 0);
    check_has(o.out, "1 of 3 links repaired");
    check_has(o.out, "triangle");
    check_has(o.out, "good: 0 errors, 0 warnings");
    done(&o);
    o = run_in("check --strict %s", in_directory(names[i]));
    assert_int_equal(o.code, 0);
    done(&o);
    jn_model *before, *after;
    assert_int_equal(jn_load(in_directory("thin.urdf"), NULL, &before, NULL), JN_OK);
    assert_int_equal(jn_load(in_directory(names[i]), NULL, &after, NULL), JN_OK);
    double a[10], b[10];
    int fine = jn_link_index(before, "fine"), upper = jn_link_index(before, "upper");
    jn_link_inertia(before, fine, a);
    jn_link_inertia(after, jn_link_index(after, "fine"), b);
    assert_memory_equal(a, b, sizeof a);
    jn_link_inertia(before, upper, a);
    jn_link_inertia(after, jn_link_index(after, "upper"), b);
    assert_memory_equal(a, b, 4 * sizeof *a);
    assert_true(jn_inertia_is_physical(b));
    jn_model_destroy(before);
    jn_model_destroy(after);
  }
}

static void repair_as_json(void **state) {
  (void)state;
  write_file("thin.urdf", thin);
  outcome o = run_in("check --json %s --repair %s", in_directory("thin.urdf"), in_directory("j.json"));
  assert_int_equal(o.code, 0);
  check_has(o.out, "\"link\": \"upper\"");
  check_has(o.out, "\"law\": \"triangle\"");
  check_has(o.out, "\"written\"");
  done(&o);
}

static void faults_of_repair(void **state) {
  (void)state;
  char line[900];
  write_file("thin.urdf", thin);
  const char *path = in_directory("thin.urdf");
  snprintf(line, sizeof line, "check %s --repair %s", path, path);
  expect(2, NULL, "would write over the file that MODEL is read from", line);
  snprintf(line, sizeof line, "check %s --repair out.txt", path);
  expect(2, NULL, "must end in .urdf", line);
  snprintf(line, sizeof line, "check %s --repair /nonexistent/out.urdf", path);
  expect(1, NULL, "/nonexistent/out.urdf", line);
  /* what has no nearest body is said, and the file is still not good */
  write_file("massless.urdf",
             "<robot name='m'><link name='a'/><link name='b'><inertial><mass value='0'/>"
             "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
             "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>");
  snprintf(line, sizeof line, "check %s --repair %s", in_directory("massless.urdf"), in_directory("m.urdf"));
  expect(1, "not repaired: link 'b': there is no nearest body: it has no mass", NULL, line);
  write_file("broken.urdf", "<robot name='m'>");
  snprintf(line, sizeof line, "check %s --repair %s", in_directory("broken.urdf"), in_directory("n.urdf"));
  expect(1, "not usable", NULL, line);
  assert_false(exists("n.urdf"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_commands_have_the_options),
      cmocka_unit_test(locked_joints),
      cmocka_unit_test(a_follower_that_is_locked_locks_its_leader),
      cmocka_unit_test(faults_of_locking),
      cmocka_unit_test(attached_robots),
      cmocka_unit_test(text_of_attached_files_is_not_lost_silently),
      cmocka_unit_test(parts_and_bases),
      cmocka_unit_test(edits_have_one_order),
      cmocka_unit_test(repaired_files),
      cmocka_unit_test(repair_as_json),
      cmocka_unit_test(faults_of_repair),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
