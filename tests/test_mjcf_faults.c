/* SPDX-License-Identifier: BSD-2-Clause */
/* MJCF: what is refused and how that is reported, what is left out with the option lenient, what is ignored with a
 * warning, and that hostile files do no harm. */
#include "counting.h"
#include "mjcf_help.h"

#include <sys/stat.h>
#include <time.h>

/* The element in question is on line 4, in a body with an <inertial>. */
#define BODY(content)                                                                                                  \
  MJCF(                                                                                                                \
      "<worldbody>\n<body name='b'><joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>\n" content \
      "</body></worldbody>\n")
#define TWO                                                                                                          \
  "<worldbody><body name='b'><joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"        \
  "<body name='c'><joint name='k'/><joint name='l' type='slide'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 " \
  ".1'/>"                                                                                                            \
  "<site name='s'/></body></worldbody>\n"

typedef struct fault {
  const char *text;
  const char *rule;
  int line;
  const char *subject;
  const char *words; /* of text or remedy, separated by '|' */
} fault;

static int has_words(const jn_message *m, const char *words) {
  char one[128];
  while (*words) {
    size_t n = strcspn(words, "|");
    snprintf(one, sizeof one, "%.*s", (int)n, words);
    if (!strstr(m->text, one) && !strstr(m->remedy, one)) return 0;
    words += n + (words[n] == '|');
  }
  return 1;
}

static void check_message(const loaded *l, const fault *f, jn_severity severity) {
  const jn_message *m = message_of(l, f->rule);
  int good_message = m && m->severity == severity && m->line == f->line && strcmp(m->subject, f->subject) == 0 &&
                     strcmp(m->file, "robot.xml") == 0 && has_words(m, f->words);
  if (good_message) return;
  print_error("expected %s on line %d of %s with \"%s\"; got\n", f->rule, f->line, f->subject, f->words);
  print_messages(l->report);
  fail();
}

/* ---- What cannot be expressed ---- */

static const fault refusals[] = {
    {MJCF("<option density='1.2'/>\n" TWO), "mjcf-refused", 2, "element <option>", "fluid|set density"},
    {MJCF("<option viscosity='1'/>\n" TWO), "mjcf-refused", 2, "element <option>", "fluid|--lenient"},
    {MJCF("<extension><plugin plugin='x'/></extension>\n" TWO), "mjcf-refused", 2, "element <extension>", "plugins"},
    {BODY("<body name='c' gravcomp='1'>" UNIT "</body>"), "mjcf-refused", 4, "<body> 'c'", "gravcomp|controller"},
    {BODY("<frame name='f' scale='2'/>"), "mjcf-refused", 4, "<frame> 'f'", "scales|load and save"},
    {BODY("<frame name='f' massscale='3' scaling='geometry'/>"), "mjcf-refused", 4, "<frame> 'f'", "massscale"},
    {BODY("<composite prefix='c'/>"), "mjcf-refused", 4, "element <composite>", "composite"},
    {BODY("<flexcomp name='f'/>"), "mjcf-refused", 4, "<flexcomp> 'f'", "deformable"},
    {BODY("<replicate count='3'><body name='x'/></replicate>"), "mjcf-refused", 4, "element <replicate>", "copies"},
    {BODY("<attach model='x' prefix='y'/>"), "mjcf-refused", 4, "element <attach>", "attached"},
    {BODY("<plugin plugin='x'/>"), "mjcf-refused", 4, "element <plugin>", "plugins"},
    {BODY("<body>" UNIT "<joint name='z' type='ball' stiffness='1'/></body>"), "mjcf-refused", 5, "<joint> 'z'",
     "spring|ball"},
    {BODY("<body>" UNIT "<joint name='z' springdamper='.1 1'/></body>"), "mjcf-refused", 5, "<joint> 'z'",
     "springdamper"},
    {BODY("<body>" UNIT "<joint name='z' stiffness='1 2'/></body>"), "mjcf-refused", 5, "<joint> 'z'",
     "not linear|stiffness"},
    {BODY("<body>" UNIT "<joint name='z' damping='1 2'/></body>"), "mjcf-refused", 5, "<joint> 'z'",
     "not linear|damping"},
    {BODY("<body>" UNIT "<joint name='z' stiffness='1' springyield='2'/></body>"), "mjcf-refused", 5, "<joint> 'z'",
     "yields"},
    {MJCF(TWO "<deformable><flex name='f'/></deformable>"), "mjcf-refused", 3, "<flex> 'f'", "deformable"},
    {MJCF(TWO "<tendon><spatial name='t' stiffness='1'><site site='s'/></spatial></tendon>"), "mjcf-refused", 3,
     "<spatial> 't'", "stiffness|spatial"},
    {MJCF(TWO "<tendon><spatial name='t' range='0 1'/></tendon>"), "mjcf-refused", 3, "<spatial> 't'", "range"},
    {MJCF(TWO "<tendon><fixed name='t' damping='1'><joint joint='j'/></fixed></tendon>"), "mjcf-refused", 3,
     "<fixed> 't'", "damping|fixed"},
    {MJCF(TWO "<tendon><spatial name='t'/></tendon><actuator><motor tendon='t'/></actuator>"), "mjcf-refused", 3,
     "element <motor>", "spatial tendon 't'"},
    {MJCF(TWO "<tendon><spatial name='t'/></tendon><equality><tendon tendon1='t'/></equality>"), "mjcf-refused", 3,
     "element <tendon>", "spatial tendon 't'"},
    {MJCF(TWO "<equality><joint joint1='j' joint2='k' polycoef='0 1 2'/></equality>"), "mjcf-refused", 3,
     "element <joint>", "not linear|polycoef"},
    {MJCF(TWO "<equality><flex flex='f'/></equality>"), "mjcf-refused", 3, "element <flex>", "deformable"},
    {MJCF(TWO "<actuator><muscle name='m' joint='j'/></actuator>"), "mjcf-refused", 3, "<muscle> 'm'", "muscles"},
    {MJCF(TWO "<actuator><general name='m' joint='j' gaintype='muscle'/></actuator>"), "mjcf-refused", 3,
     "<general> 'm'", "muscles"},
    {MJCF(TWO "<actuator><plugin joint='j' plugin='p'/></actuator>"), "mjcf-refused", 3, "element <plugin>", "plugins"},
    {MJCF(TWO "<worldbody><body><joint/><geom type='sdf'/></body></worldbody>"), "mjcf-refused", 3, "element <geom>",
     "sdf|<inertial>"},
};

/* Each is an error with its place, and with the option lenient a warning of a model that loads. */
static void what_cannot_be_expressed_is_refused_or_left_out(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    fault f = refusals[i];
    loaded l = load_as(f.text, "robot.xml", NULL);
    check_message(&l, &f, JN_ERROR);
    assert_int_equal(l.status, JN_ERR_UNSUPPORTED);
    assert_int_equal(l.error.line, f.line);
    drop(&l);
    jn_options options;
    jn_options_init(&options);
    options.lenient = 1;
    l = load_as(f.text, "robot.xml", &options);
    f.rule = "mjcf-left-out";
    f.words = "left out";
    check_message(&l, &f, JN_WARNING);
    if (l.status != JN_OK) print_messages(l.report);
    assert_int_equal(l.status, JN_OK);
    drop(&l);
  }
}

/* ---- What is wrong ---- */

static const fault wrongs[] = {
    {MJCF(""), "mjcf-empty", 0, "", "no bodies"},
    {MJCF("<compiler angle='degrees'/>" TWO), "mjcf-word", 2, "element <compiler>", "angle|degree radian"},
    {MJCF("<compiler eulerseq='xy'/>" TWO), "mjcf-word", 2, "element <compiler>", "eulerseq"},
    {MJCF("<compiler coordinate='global'/>" TWO), "mjcf-refused", 2, "element <compiler>", "global|2.3.3"},
    {MJCF("<option gravity='0 0'/>" TWO), "mjcf-number", 2, "element <option>",
     "gravity|2 instead of 3|give 3 numbers"},
    {MJCF("<option gravity='0 0 x'/>" TWO), "mjcf-number", 2, "element <option>", "not a number"},
    {MJCF("<option gravity='0 0 1 2'/>" TWO), "mjcf-number", 2, "element <option>", "too many"},
    {MJCF("<option gravity='0 0 1e999'/>" TWO), "mjcf-number", 2, "element <option>", "not finite"},
    {MJCF("<default class='x'/>" TWO), "mjcf-class", 2, "element <default>", "main"},
    {MJCF("<default><default/></default>" TWO), "mjcf-class", 2, "element <default>", "needs a name"},
    {MJCF("<default><default class='a'/><default class='a'/></default>" TWO), "mjcf-class", 2, "element <default>",
     "another"},
    {BODY("<joint class='nix'/>"), "mjcf-name", 4, "element <joint>",
     "default class 'nix'|part that another file includes"},
    {BODY("<joint name='j'/>"), "mjcf-name", 4, "<joint> 'j'", "another joint"},
    {BODY("<body name='b'/>"), "mjcf-name", 4, "<body> 'b'", "another body"},
    {BODY("<joint type='screw'/>"), "mjcf-word", 4, "element <joint>", "screw|hinge slide ball free"},
    {BODY("<joint axis='0 0 0'/>"), "mjcf-axis", 4, "element <joint>", "direction"},
    {BODY("<freejoint/>"), "mjcf-joint", 4, "element <freejoint>", "only joint"},
    {BODY("<body><freejoint/>" UNIT "</body>"), "mjcf-joint", 4, "element <freejoint>", "world itself"},
    {BODY("<body><joint/>" UNIT "</body><joint name='late'/>"), "mjcf-joint", 5, "<joint> 'late'", "before the bodies"},
    {MJCF("<worldbody><joint name='w'/></worldbody>" TWO), "mjcf-joint", 2, "<joint> 'w'", "world cannot"},
    {MJCF("<compiler autolimits='false'/>\n<worldbody><body><joint name='j' range='0 1'/>" UNIT "</body></worldbody>"),
     "mjcf-range", 3, "<joint> 'j'", "autolimits|limited"},
    {BODY("<site name='s' quat='0 0 0 0'/>"), "mjcf-orientation", 4, "<site> 's'", "not describe a rotation|w x y z"},
    {BODY("<site name='s' euler='0 0 0' quat='1 0 0 0'/>"), "mjcf-orientation", 4, "<site> 's'", "several"},
    {BODY("<site name='s' xyaxes='1 0 0 2 0 0'/>"), "mjcf-orientation", 4, "<site> 's'", "parallel"},
    {BODY("<inertial pos='0 0 0' mass='1'/>"), "mjcf-twice", 4, "element <inertial>", "line 3"},
    {BODY("<body><joint/><inertial pos='0 0 0' diaginertia='.1 .1 .1'/></body>"), "mjcf-inertial", 4,
     "element <inertial>", "mass"},
    {BODY("<body><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/></body>"),
     "mjcf-inertial", 4, "element <inertial>", "both|quat"},
    {BODY("<body><joint/><inertial pos='0 0 0' mass='-1' diaginertia='.1 .1 .1'/></body>"), "mjcf-negative", 4,
     "element <inertial>", "mass is negative: -1|boundmass"},
    {BODY("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='.1 -.2 .1'/></body>"), "mjcf-negative", 4,
     "element <inertial>", "diaginertia|negative moment: -0.2|boundinertia"},
    {MJCF("<compiler boundinertia='1'/><worldbody><body><joint/>\n<inertial pos='0 0 0' mass='1' "
          "fullinertia='1 1 1 0 0 2'/></body></worldbody>"),
     "mjcf-negative", 3, "element <inertial>", "fullinertia|negative principal moment: -1|xx yy zz"},
    {BODY("<body><joint/><geom name='g' size='.1' mass='-2'/></body>"), "mjcf-negative", 4, "<geom> 'g'",
     "mass of this geom is negative: -2"},
    {BODY("<body><joint/><geom size='.1' density='-3'/></body>"), "mjcf-negative", 4, "element <geom>",
     "density of this geom is negative: -3"},
    {BODY("<body><joint/><geom type='box' size='1 1'/></body>"), "mjcf-geom", 4, "element <geom>", "size 3"},
    {BODY("<body><joint/><geom type='capsule' size='1' fromto='1 1 1 1 1 1'/></body>"), "mjcf-fromto", 4,
     "element <geom>", "same"},
    {BODY("<body><joint/><geom type='mesh'/></body>"), "mjcf-geom", 4, "element <geom>", "no attribute 'mesh'"},
    {BODY("<body><joint/><geom type='mesh' mesh='nix'/></body>"), "mjcf-name", 4, "element <geom>", "mesh 'nix'"},
    {MJCF(TWO "<equality><joint joint1='jj' joint2='k'/></equality>"), "mjcf-name", 3, "element <joint>",
     "joint 'jj'|did you mean 'j'"},
    {MJCF(TWO "<equality><joint joint2='k'/></equality>"), "mjcf-equality", 3, "element <joint>", "joint1"},
    {MJCF(TWO "<equality><connect body1='b' body2='c'/></equality>"), "mjcf-equality", 3, "element <connect>",
     "anchor"},
    {MJCF(TWO "<equality><weld body2='c'/></equality>"), "mjcf-equality", 3, "element <weld>", "body1"},
    {MJCF(TWO "<equality><weld site1='s'/></equality>"), "mjcf-equality", 3, "element <weld>", "only one"},
    {MJCF(TWO "<actuator><motor joint='nix'/></actuator>"), "mjcf-name", 3, "element <motor>", "joint 'nix'|misspelt"},
    {MJCF(TWO "<tendon><fixed name='t'><joint joint='nix'/></fixed></tendon>"), "mjcf-name", 3, "element <joint>",
     "joint 'nix'"},
};

static void wrong_files_get_an_error_with_its_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
    loaded l = load_as(wrongs[i].text, "robot.xml", NULL);
    check_message(&l, &wrongs[i], JN_ERROR);
    assert_int_not_equal(l.status, JN_OK);
    drop(&l);
  }
}

/* MuJoCo loads these, too: a bound raises what is negative, and geoms that make no inertia may have any mass. */
static void negative_masses_that_have_no_effect_are_read(void **state) {
  (void)state;
  double inertia[10];
  jn_model *m =
      good(MJCF("<compiler boundmass='.5' boundinertia='.2'/>\n<worldbody><body name='b'><joint/><geom size='1' "
                "mass='-1'/><inertial pos='0 0 0' mass='-1' diaginertia='.3 -.1 .3'/></body></worldbody>\n"));
  inertia_of(m, "b", inertia);
  assert_true(inertia[0] == .5);
  jn_model_destroy(m);
  jn_model_destroy(good(BODY("<body><joint/><geom size='1' mass='1' density='-1'/></body>")));
  loaded l =
      load_as(MJCF(TWO "<worldbody><body><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body></worldbody>"),
              "robot.xml", NULL);
  const fault f = {NULL, "mjcf-negative", 3, "element <inertial>", "taken as 0"};
  check_message(&l, &f, JN_WARNING);
  assert_int_equal(l.status, JN_OK);
  drop(&l);
}

static void what_is_not_known_is_a_warning(void **state) {
  (void)state;
  static const fault cases[] = {
      {MJCF("<kompiler/>\n" TWO), "mjcf-element", 2, "element <kompiler>", "inside <mujoco>|misspelt"},
      {BODY("<gem size='1'/>"), "mjcf-element", 4, "element <gem>", "inside <body>"},
      {BODY("<site name='s' posi='1'/>"), "mjcf-attribute", 4, "<site> 's'", "posi"},
      {BODY("<body><joint name='z' range='2 1'/>" UNIT "</body>"), "mjcf-range", 4, "<joint> 'z'",
       "no room|lower end first"},
      {MJCF(TWO "<tendon><fixed name='t' range='0 1'><joint joint='j'/></fixed></tendon>"), "mjcf-left-out", 3,
       "<fixed> 't'", "range"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    loaded l = load_as(cases[i].text, "robot.xml", NULL);
    check_message(&l, &cases[i], JN_WARNING);
    assert_int_equal(l.status, JN_OK);
    drop(&l);
    jn_options options;
    jn_options_init(&options);
    options.strict = 1;
    l = load_as(cases[i].text, "robot.xml", &options);
    assert_int_not_equal(l.status, JN_OK);
    drop(&l);
  }
}

/* ---- Files beside the model ---- */

static void load_file_fails(const char *path, const char *words, const char *file, int line) {
  loaded l = {.report = jn_report_create(NULL)};
  jn_options options;
  jn_options_init(&options);
  options.report = l.report;
  l.status = jn_load(path, &options, &l.model, &l.error);
  int found = 0;
  for (int i = 0; i < jn_report_count(l.report); i++) {
    const jn_message *m = jn_report_message(l.report, i);
    found |= m->severity == JN_ERROR && has_words(m, words) && m->line == line && strstr(m->file, file);
  }
  if (l.status == JN_OK || !found) print_messages(l.report);
  assert_int_not_equal(l.status, JN_OK);
  check(found, "expected \"%s\" in %s on line %d", words, file, line);
  drop(&l);
}

static void faults_of_included_files_name_them(void **state) {
  (void)state;
  const char *path = write_text("main.xml", MJCF("<include file='part.xml'/>\n" TWO));
  load_file_fails(path, "cannot be included|folder of the model's own file", "main.xml", 2);
  write_text("part.xml", "<mujoco>\n<option gravity='x'/>\n</mujoco>");
  load_file_fails(path, "not a number", "part.xml", 2);
  write_text("part.xml", "<mujoco>\n<option>\n</mujoco>");
  load_file_fails(path, "not well-formed", "part.xml", 3);
  write_text("part.xml", "<robot/>");
  load_file_fails(path, "not an MJCF file", "part.xml", 1);
  write_text("part.xml", "<mujoco>\n<include file='main.xml'/></mujoco>");
  load_file_fails(path, "included in itself", "part.xml", 2);
  write_text("part.xml", "<mujoco>\n<include file='/dev/zero'/></mujoco>");
  load_file_fails(path, "cannot be included", "part.xml", 2);
  write_text("part.xml", "<mujoco><include/></mujoco>");
  load_file_fails(path, "no attribute 'file'", "part.xml", 1);
}

static void deep_includes_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    char name[32], text[160];
    snprintf(name, sizeof name, "y%d.xml", i);
    snprintf(text, sizeof text, "<mujoco><include file='y%d.xml'/></mujoco>", i + 1);
    write_text(name, text);
  }
  load_file_fails(path_of("y0.xml"), "deeper than 16", "y16.xml", 1);
}

/* a includes b twice, b includes c twice, ...: doubled at each step, without any content. */
static void a_bomb_of_included_files_is_bounded(void **state) {
  (void)state;
  for (int i = 0; i < 15; i++) {
    char name[32], text[160];
    snprintf(name, sizeof name, "x%d.xml", i);
    snprintf(text, sizeof text, "<mujoco><include file='x%d.xml'/><include file='x%d.xml'/></mujoco>", i + 1, i + 1);
    write_text(name, text);
  }
  write_text("x15.xml", "<mujoco/>");
  load_file_fails(path_of("x0.xml"), "more than 1000", ".xml", 1);
}

static void faults_of_meshes_name_them(void **state) {
  (void)state;
  static const struct {
    const char *name, *content, *words;
  } cases[] = {{"m.stl", NULL, "cannot be opened|put the file there|meshdir"},
               {"m.stl", "solid x\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop", "no triangle|line 6"},
               {"m.stl", "solid x\nvertex 0 0 a", "not a number|line 2"},
               {"m.stl", "something else", "not an STL file"},
               {"m.stl", "solid x\nendsolid", "no triangles"},
               {"m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "does not exist|line 4"},
               {"m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "no positive volume"},
               {"m.obj", "v 0 0 0\nf 1\n", "fewer than three"},
               {"m.obj", "v 0 0\n", "not a number"},
               {"m.msh", "x", "not read: convert it"},
               {"m.obj", "", "no triangles"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    if (cases[i].content) write_text(cases[i].name, cases[i].content);
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' file='%s'/></asset>\n<worldbody><body><joint/>\n<geom type='mesh' "
             "mesh='m'/></body>"
             "</worldbody></mujoco>",
             cases[i].name);
    load_file_fails(write_text("robot.xml", text), cases[i].words, "robot.xml", 3);
  }
}

static void a_folder_is_not_a_mesh(void **state) {
  (void)state;
  assert_int_equal(mkdir(path_of("f.stl"), 0700), 0);
  load_file_fails(write_text("robot.xml",
                             "<mujoco><asset><mesh name='m' file='f.stl'/></asset><worldbody><body><joint/>"
                             "\n<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"),
                  "is a directory", "robot.xml", 2);
}

/* One small file can name a large one many times. */
static void the_limit_counts_all_files_together(void **state) {
  (void)state;
  char text[1024], mesh[4096];
  int n = snprintf(mesh, sizeof mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  memset(mesh + n, '\n', sizeof mesh - (size_t)n);
  write_bytes("big.obj", mesh, sizeof mesh);
  snprintf(
      text, sizeof text,
      "<mujoco><asset><mesh name='m' file='big.obj'/><mesh name='n' file='big.obj'/><mesh name='o' file='big.obj'/>"
      "</asset><worldbody><body><joint/><geom type='mesh' mesh='m'/><geom type='mesh' mesh='n'/>\n"
      "<geom name='third' type='mesh' mesh='o'/></body></worldbody></mujoco>");
  const char *path = write_text("robot.xml", text);
  size_t sum = strlen(text) + 3 * sizeof mesh;
  for (int over = 0; over < 2; over++) {
    jn_options options;
    jn_options_init(&options);
    options.max_bytes = sum - (size_t)over;
    loaded l = load_as(text, path, &options);
    assert_int_equal(l.status, over ? JN_ERR_FILE : JN_OK);
    const jn_message *m = message_of(&l, "mjcf-mesh");
    assert_true((m != NULL) == over);
    if (m) assert_true(has_words(m, "all files of this model together|--max-bytes|big.obj") && m->line == 2);
    drop(&l);
  }
}

/* A mesh on a body that does not move has no part in the dynamics. */
static void a_missing_mesh_of_a_fixed_body_is_a_warning(void **state) {
  (void)state;
  loaded l = load_as(MJCF("<asset><mesh name='m' file='none.stl'/></asset>\n" TWO
                          "<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>"),
                     "robot.xml", NULL);
  assert_int_equal(l.status, JN_OK);
  const fault f = {NULL, "mjcf-mesh", 4, "element <geom>", "cannot be opened"};
  check_message(&l, &f, JN_WARNING);
  drop(&l);
}

/* ---- Hostile files ---- */

static void hostile_text_is_refused(void **state) {
  (void)state;
  loaded l =
      load_as("<!DOCTYPE mujoco [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><mujoco model='&b;'/>", "robot.xml", NULL);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  assert_non_null(strstr(l.error.text, "entities"));
  drop(&l);
  size_t n = 0, room = 200000;
  char *text = malloc(room);
  assert_non_null(text);
  n += (size_t)snprintf(text, room, "<mujoco><worldbody>");
  for (int i = 0; i < 5000; i++) n += (size_t)snprintf(text + n, room - n, "<body><joint/>");
  l = load_as(text, "robot.xml", NULL);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  assert_non_null(strstr(l.error.text, "deeper than 1000"));
  drop(&l);
  n = (size_t)snprintf(text, room, "<mujoco><worldbody><body ");
  for (int i = 0; i < 300; i++) n += (size_t)snprintf(text + n, room - n, "a%d='' ", i);
  snprintf(text + n, room - n, "/></worldbody></mujoco>");
  l = load_as(text, "robot.xml", NULL);
  assert_int_equal(l.status, JN_ERR_SYNTAX);
  drop(&l);
  free(text);
  static const char zeros[] = "<mujoco>\0</mujoco>";
  jn_model *m;
  jn_error error;
  check_status(jn_load_text(zeros, sizeof zeros - 1, JN_FORMAT_MJCF, NULL, NULL, &m, &error), JN_ERR_SYNTAX);
  check_status(jn_load_text("", 0, JN_FORMAT_MJCF, NULL, NULL, &m, &error), JN_ERR_SYNTAX);
}

static void utf_16_is_recognised(void **state) {
  (void)state;
  static const char text[] =
      "<?xml version='1.0'?>\n<mujoco model='wide'><worldbody><body><joint/>" UNIT "</body></worldbody></mujoco>";
  char wide[2 * sizeof text] = {0};
  for (int big = 0; big < 2; big++) {
    jn_model *m;
    memset(wide, 0, sizeof wide);
    memcpy(wide, big ? "\xFE\xFF" : "\xFF\xFE", 2);
    for (size_t i = 0; i + 1 < sizeof text; i++) wide[2 + 2 * i + (size_t)big] = text[i];
    check_status(jn_load_text(wide, sizeof wide, JN_FORMAT_AUTO, NULL, NULL, &m, NULL), JN_OK);
    assert_string_equal(jn_model_name(m), "wide");
    jn_model_destroy(m);
  }
}

/* As deep as is allowed. */
static void long_chains_load(void **state) {
  (void)state;
  enum { LINKS = 990 };
  size_t n = 0, room = 300000;
  char *text = malloc(room);
  assert_non_null(text);
  n += (size_t)snprintf(text, room, "<mujoco><worldbody>");
  for (int i = 0; i < LINKS; i++)
    n += (size_t)snprintf(text + n, room - n, "<body pos='0 0 1'><joint axis='0 1 0'/><geom size='.1'/>");
  for (int i = 0; i < LINKS; i++) n += (size_t)snprintf(text + n, room - n, "</body>");
  snprintf(text + n, room - n, "</worldbody></mujoco>");
  jn_model *m = good(text);
  assert_int_equal(jn_model_nv(m), LINKS);
  jn_model_destroy(m);
  free(text);
}

static void the_limit_counts_the_tree_in_memory(void **state) {
  (void)state;
  jn_options options;
  jn_options_init(&options);
  options.max_bytes = 1000;
  loaded l = load_as(MJCF(TWO TWO), "robot.xml", &options);
  assert_int_equal(l.status, JN_ERR_FILE);
  assert_non_null(strstr(l.error.text, "limit of 1000 bytes"));
  drop(&l);
}

static const char sample[] = MJCF(
    "<compiler angle='radian' eulerseq='ZYX'/><option gravity='0 0 -1'/><default><joint armature='1'/><default "
    "class='a'><geom density='5'/></default></default><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 "
    "1'/></asset>\n"
    "<worldbody><frame pos='1 0 0'><body name='b' childclass='a'><joint name='j'/><joint name='k' type='slide' "
    "ref='.1'/>"
    "<geom size='.1'/><geom type='mesh' mesh='m'/><site name='s'/><body name='c'><joint type='ball'/><inertial pos='0 "
    "0 0' "
    "mass='1' fullinertia='1 1 1 0 0 0'/></body></body></frame></worldbody>\n<tendon><fixed name='t'><joint joint='j' "
    "coef='2'/></fixed></tendon><equality><joint joint1='j' joint2='k'/><tendon tendon1='t'/><connect body1='b' "
    "body2='c' anchor='0 0 0'/></equality><actuator><motor joint='j' ctrlrange='-1 1'/></actuator>\n");

static void truncated_and_changed_files_do_no_harm(void **state) {
  (void)state;
  uint64_t s = seed("changed files");
  char text[sizeof sample];
  jn_model *m;
  jn_model_destroy(good(sample));
  for (size_t n = 0; n < sizeof sample; n++) {
    check(jn_load_text(sample, n, JN_FORMAT_MJCF, "robot.xml", NULL, &m, NULL) == JN_OK ? n + 2 >= sizeof sample : !m,
          "the first %d bytes", (int)n);
    jn_model_destroy(m);
  }
  for (int i = 0; i < 3000; i++) {
    memcpy(text, sample, sizeof sample);
    for (int k = 0; k < 3; k++) {
      size_t at = (size_t)((uniform(&s) + 1) / 2 * (sizeof sample - 2));
      text[at] =
          (char)(uniform(&s) < 0 ? sample[(size_t)((uniform(&s) + 1) / 2 * (sizeof sample - 2))] : 127 * uniform(&s));
    }
    jn_load_text(text, sizeof sample - 1, JN_FORMAT_MJCF, "robot.xml", NULL, &m, NULL);
    jn_model_destroy(m);
  }
}

static void lack_of_memory_at_any_allocation_is_a_clean_error(void **state) {
  (void)state;
  counter count = {0};
  jn_allocator allocator = {count_allocate, count_release, &count};
  jn_options options;
  jn_options_init(&options);
  options.allocator = &allocator;
  jn_model *m;
  check_ok(jn_load_text(sample, sizeof sample - 1, JN_FORMAT_MJCF, "robot.xml", &options, &m, NULL));
  int calls = count.calls;
  jn_model_destroy(m);
  assert_int_equal(count.live, 0);
  for (int i = 1; i <= calls; i++) {
    count = (counter){.fail_at = i};
    jn_status status = jn_load_text(sample, sizeof sample - 1, JN_FORMAT_MJCF, "robot.xml", &options, &m, NULL);
    check(status != JN_OK && !m, "allocation %d of %d fails", i, calls);
    assert_int_equal(count.live, 0);
  }
}

/* Time grows with the length, not with its square. */
static void many_bodies_and_names_take_little_time(void **state) {
  (void)state;
  enum { BODIES = 20000 };
  size_t n = 0, room = BODIES * 200;
  char *text = malloc(room);
  assert_non_null(text);
  n += (size_t)snprintf(text, room, "<mujoco><default>");
  for (int i = 0; i < 1000; i++) n += (size_t)snprintf(text + n, room - n, "<default class='c%d'/>", i);
  n += (size_t)snprintf(text + n, room - n, "</default><worldbody>");
  for (int i = 0; i < BODIES; i++)
    n += (size_t)snprintf(
        text + n, room - n,
        "<body name='b%d' childclass='c%d'><joint name='j%d'/><geom size='.01'/><site name='s%d'/></body>", i, i % 1000,
        i, i);
  snprintf(text + n, room - n, "</worldbody></mujoco>");
  clock_t begin = clock();
  jn_model *m = good(text);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  assert_int_equal(jn_model_nv(m), BODIES);
  check(seconds < 20, "%g s for %d bodies", seconds, BODIES);
  jn_model_destroy(m);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_expressed_is_refused_or_left_out),
      cmocka_unit_test(wrong_files_get_an_error_with_its_place),
      cmocka_unit_test(negative_masses_that_have_no_effect_are_read),
      cmocka_unit_test(what_is_not_known_is_a_warning),
      cmocka_unit_test(faults_of_included_files_name_them),
      cmocka_unit_test(deep_includes_are_refused),
      cmocka_unit_test(a_bomb_of_included_files_is_bounded),
      cmocka_unit_test(faults_of_meshes_name_them),
      cmocka_unit_test(a_folder_is_not_a_mesh),
      cmocka_unit_test(the_limit_counts_all_files_together),
      cmocka_unit_test(a_missing_mesh_of_a_fixed_body_is_a_warning),
      cmocka_unit_test(hostile_text_is_refused),
      cmocka_unit_test(utf_16_is_recognised),
      cmocka_unit_test(long_chains_load),
      cmocka_unit_test(the_limit_counts_the_tree_in_memory),
      cmocka_unit_test(truncated_and_changed_files_do_no_harm),
      cmocka_unit_test(lack_of_memory_at_any_allocation_is_a_clean_error),
      cmocka_unit_test(many_bodies_and_names_take_little_time),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
