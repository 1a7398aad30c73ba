/* SPDX-License-Identifier: BSD-2-Clause */
/* All commands and all their outputs: a disk that is full and a folder that is not there give a message, and nothing is
 * said to be written; no output is an input, or another output, of the same call. The options are taken from
 * --help=all, so that a new one cannot be forgotten. */
#include "support/running.h"

#include <sys/stat.h>

/* ---- The commands ---- */

/* A line that works, but for its output, which the tests put in the place of '@'. */
typedef struct output_case {
  const char *command, *option; /* "--out"; "OUT" for an argument */
  const char *ending;           /* that the file needs */
  const char *line;
  int draws; /* with gnuplot */
} output_case;

static const output_case cases[] = {
    {"torque", "--out", ".csv", "torque r.urdf m.csv --order 0 --out @", 0},
    {"torque", "--out", ".npz", "torque r.urdf m.csv --order 0 --out @", 0},
    {"torque", "--out", ".csv", "torque r.urdf m.csv --order 0 --shard 1/2 --out @", 0},
    {"torque", "--plot", ".svg", "torque r.urdf m.csv --order 0 --plot @", 1},
    {"torque", "--plot", ".pdf", "torque r.urdf m.csv --order 0 --plot @", 1},
    {"motor", "--out", ".csv", "motor r.urdf m.csv --actuators a.json --out @", 0},
    {"motor", "--plot", ".svg", "motor r.urdf m.csv --actuators a.json --plot @", 1},
    {"retime", "--out", ".csv", "retime r.urdf m.csv --limits l.json --uniform --out @", 0},
    {"retime", "--plot", ".svg", "retime r.urdf m.csv --limits l.json --uniform --plot @", 1},
    {"simulate", "--out", ".csv", "simulate r.urdf --duration 0.1 --out @", 0},
    {"simulate", "--plot", ".svg", "simulate r.urdf --duration 0.1 --plot @", 1},
    {"reach", "--out", ".json", "reach r.urdf --frame lower --position 0.24,0,-0.32 --out @", 0},
    {"excite", "--out", ".json", "excite r.urdf --limits l.json --steps 1 --starts 1 --duration 4 --out @", 0},
    {"excite", "--out", ".csv", "excite r.urdf --limits l.json --steps 1 --starts 1 --duration 4 --out @", 0},
    {"identify", "--out", ".json", "identify r.urdf d.csv --out @", 0},
    {"identify", "--report", ".html", "identify r.urdf d.csv --report @", 0},
    {"casadi", "--out", ".so", "casadi r.urdf --plugin plugin.so --out @", 0},
    {"plot", "--out", ".svg", "plot m.csv --out @", 1},
    {"view", "--out", ".html", "view r.urdf m.csv --page page.html --out @", 0},
    {"check", "--repair", ".urdf", "check r.urdf --repair @", 0},
    {"convert", "OUT", ".json", "convert r.urdf @", 0},
    {"gather", "OUT", ".csv", "gather @ part1 part2", 0},
    {"generate", "--out", ".folder", "generate r.urdf --want gravity_forces --out @", 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static const char robot[] =
    "<robot name='r'><link name='base'/><link name='upper'><inertial><origin xyz='0 0 -0.2'/><mass value='1'/><inertia "
    "ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.01'/></inertial></link><link name='lower'><inertial><origin "
    "xyz='0.1 0 -0.2'/><mass value='1'/><inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.01'/></inertial>"
    "</link><joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/><limit "
    "lower='-2' upper='2' velocity='4' effort='50'/></joint><joint name='elbow' type='revolute'><parent link='upper'/>"
    "<child link='lower'/><origin xyz='0 0 -0.4'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' velocity='4' "
    "effort='50'/></joint></robot>";

/* A motion in closed form as rows. */
static const char motion[] =
    "{\"duration\": 4, \"joints\": {\"shoulder\": {\"cosine\": {\"amplitude\": 0.5, \"omega\": 3}}, \"elbow\": "
    "{\"cosine\": {\"amplitude\": 0.7, \"omega\": 5}}}}";

static int make_files(void **state) {
  int status = make_directory(state);
  if (status) return status;
  write_file("r.urdf", robot);
  write_file("m.json", motion);
  write_file("a.json",
             "{\"joints\": {\"shoulder\": {\"stiffness\": 1000, \"rotor_inertia\": 0.1}, \"elbow\": {\"stiffness\": "
             "1000, \"rotor_inertia\": 0.1}}}");
  write_file("l.json",
             "{\"shoulder\": {\"velocity\": 4, \"acceleration\": 30, \"jerk\": 300, \"effort\": 50}, "
             "\"elbow\": {\"velocity\": 4, \"acceleration\": 30, \"jerk\": 300, \"effort\": 50}}");
  write_file("plugin.so", "\177ELF, but no more than the first letters");
  write_file("page.html", "<html><script id=\"given\" type=\"application/json\">null</script></html>\n");
  static const char *const lines[] = {"torque r.urdf m.json --order 0 --rate 100 --out m.csv",
                                      "torque r.urdf m.json --order 0 --rate 100 --out d.csv",
                                      "torque r.urdf m.json --rate 20 --shard 1/2 --out p.csv && mv p.csv part1",
                                      "torque r.urdf m.json --rate 20 --shard 2/2 --out p.csv && mv p.csv part2"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    outcome o = run_here(lines[i]);
    if (o.code != 0) fail_msg("%s: code %d:\n%s", lines[i], o.code, o.err);
    done(&o);
  }
  return 0;
}

/* The line of a case with this output. */
static void complete(const output_case *c, const char *output, char line[512]) {
  const char *at = strchr(c->line, '@');
  snprintf(line, 512, "%.*s%s%s", (int)(at - c->line), c->line, output, at + 1);
}

static void make_link(const char *target, const char *name) {
  unlink(in_directory(name));
  assert_int_equal(symlink(target, in_directory(name)), 0);
}

/* ---- Writing fails ---- */

/* Does a line such as "Written: x.csv" or "report: x.html" claim that the file is there? */
static int claims(const char *text, const char *output) {
  static const char *const words[] = {"Written", "written", "Drawn", "drawn", "report"};
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *end = strchr(line, '\n'), *name = strstr(line, output);
    if (!name || (end && name > end)) continue;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (strncmp(line, words[i], strlen(words[i])) == 0) return 1;
  }
  return 0;
}

/* Exit code 1, a message with the name, and no claim that it was written. */
static void check_failure(const output_case *c, const char *output) {
  char line[512];
  complete(c, output, line);
  outcome o = run_here(line);
  if (o.code != 1) fail_msg("%s: code %d:\n%s", line, o.code, o.err);
  if (!strstr(o.err, output)) fail_msg("%s: the message does not name %s:\n%s", line, output, o.err);
  if (claims(o.out, output) || claims(o.err, output)) fail_msg("%s: claims to have written it:\n%s", line, o.out);
  done(&o);
}

/* A file, or the folder of `jounce generate`. */
static void remove_output(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "%s/robot.c", name);
  unlink(in_directory(path));
  snprintf(path, sizeof path, "%s/robot.h", name);
  unlink(in_directory(path));
  if (unlink(in_directory(name)) != 0) assert_int_equal(rmdir(in_directory(name)), 0);
}

static void good_lines_work(void **state) {
  (void)state;
  for (int i = 0; i < CASES; i++) {
    char line[512], name[32];
    if (cases[i].draws && no_gnuplot()) continue;
    snprintf(name, sizeof name, "good%s", cases[i].ending);
    complete(&cases[i], name, line);
    outcome o = run_here(line);
    if (o.code != 0) fail_msg("%s: code %d:\n%s", line, o.code, o.err);
    assert_true(exists(name));
    done(&o);
    remove_output(name);
  }
}

static void a_full_disk_is_told(void **state) {
  (void)state;
  if (access("/dev/full", W_OK) != 0) return;
  for (int i = 0; i < CASES; i++) {
    char name[32];
    if (cases[i].draws && no_gnuplot()) continue;
    snprintf(name, sizeof name, "full%s", cases[i].ending);
    make_link("/dev/full", name);
    check_failure(&cases[i], name);
  }
}

static void a_missing_folder_is_told(void **state) {
  (void)state;
  for (int i = 0; i < CASES; i++) {
    char name[32];
    if (cases[i].draws && no_gnuplot()) continue;
    snprintf(name, sizeof name, "nowhere/x%s", cases[i].ending);
    check_failure(&cases[i], name);
    snprintf(name, sizeof name, "r.urdf/x%s", cases[i].ending);
    check_failure(&cases[i], name);
  }
}

/* ---- Outputs that are inputs ---- */

static const char precious[] = "what must not be lost";

static void check_overwriting_is_refused(const char *line) {
  outcome o = run_here(line);
  char *text = read_file("precious");
  if (strcmp(text, precious) != 0) fail_msg("%s: the input is lost", line);
  if (o.code != 2) fail_msg("%s: code %d:\n%s", line, o.code, o.err);
  free(text);
  done(&o);
}

/* Calls visit() with the name of each option of a command that may take a file: "FILE", "[FILE]", "STATE.json", ... */
static void visit_file_options(const char *command, void (*visit)(const char *name, const char *value, void *data),
                               void *data) {
  char arguments[64];
  snprintf(arguments, sizeof arguments, "%s --help=all", command);
  outcome o = run_fine(arguments, 0);
  for (char *line = strtok(o.out, "\n"); line; line = strtok(NULL, "\n")) {
    char name[64], value[128] = "";
    if (sscanf(line, "  --%63[a-z-] %127s", name, value) < 2) continue;
    if (strstr(value, "FILE") || strstr(value, ".json") || strstr(value, "TRAJECTORY") || strcmp(value, "FOLDER") == 0)
      visit(name, value, data);
  }
  done(&o);
}

typedef struct visited {
  const output_case *c;
  int inputs, outputs;
} visited;

/* The option with a file that the output would write over, or with the output itself. */
static void try_option(const char *name, const char *value, void *data) {
  visited *v = data;
  char line[512], output[32], option[96];
  (void)value;
  snprintf(option, sizeof option, "--%s", name);
  if (strcmp(option, v->c->option) == 0) {
    v->outputs++;
    return;
  }
  snprintf(output, sizeof output, "link%s", v->c->ending);
  make_link("precious", output);
  complete(v->c, output, line);
  snprintf(line + strlen(line), sizeof line - strlen(line), " --%s=precious", name);
  check_overwriting_is_refused(line);
  v->inputs++;
}

static void no_output_is_the_file_of_an_option(void **state) {
  (void)state;
  write_file("precious", precious);
  for (int i = 0; i < CASES; i++) {
    visited v = {.c = &cases[i]};
    visit_file_options(cases[i].command, try_option, &v);
    printf("# %s %s: %d options with other files\n", cases[i].command, cases[i].option, v.inputs);
    if (cases[i].option[0] == '-') assert_int_equal(v.outputs, 1);
  }
}

/* The same for arguments, each in turn. */
static void no_output_is_an_argument(void **state) {
  (void)state;
  static const char *const arguments[] = {" r.urdf", " m.csv", " d.csv", " part1", " part2"};
  write_file("precious", precious);
  for (int i = 0; i < CASES; i++) {
    for (size_t k = 0; k < sizeof arguments / sizeof *arguments; k++) {
      char line[512], output[32], changed[512];
      snprintf(output, sizeof output, "./link%s", cases[i].ending);
      make_link("precious", output + 2);
      complete(&cases[i], output, line);
      char *at = strstr(line, arguments[k]);
      if (!at) continue;
      snprintf(changed, sizeof changed, "%.*s precious%s", (int)(at - line), line, at + strlen(arguments[k]));
      check_overwriting_is_refused(changed);
    }
  }
  check_overwriting_is_refused("convert builtin:panda precious --to json --attach precious,frame=panda_link8");
}

/* Files that no option names: the page that the environment names, and meshes of the robot. */
static void files_read_on_the_way_are_kept(void **state) {
  (void)state;
  char *page = read_file("page.html");
  char before[sizeof directory + 64];
  snprintf(before, sizeof before, "cd '%s' && JOUNCE_PAGE=page.html", directory);
  outcome o = run_with(before, "view r.urdf --out page.html");
  check_refused(o, 1, "also read");
  char *after = read_file("page.html");
  assert_string_equal(page, after);
  free(after);
  free(page);
}

/* ---- Two outputs ---- */

static void two_outputs_are_two_files(void **state) {
  (void)state;
  static const char *const lines[] = {"torque r.urdf m.csv --out %s.csv --plot %s.svg",
                                      "motor r.urdf m.csv --actuators a.json --out %s.csv --plot %s.svg",
                                      "retime r.urdf m.csv --limits l.json --out %s.csv --plot %s.svg",
                                      "simulate r.urdf --duration 0.1 --out %s.csv --plot %s.svg",
                                      "identify r.urdf d.csv --out %s.json --report %s.html"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    for (int is_there = 0; is_there < 2; is_there++) {
      char line[512], first[32], second[32];
      int is_model = strstr(lines[i], ".json --report") != NULL;
      snprintf(line, sizeof line, lines[i], "one", "two");
      snprintf(first, sizeof first, "one%s", is_model ? ".json" : ".csv");
      snprintf(second, sizeof second, "two%s", is_model ? ".html" : ".svg");
      unlink(in_directory(first));
      make_link(first, second);
      if (is_there) write_file(first, precious);
      check_says(line, 2, "name the same file");
      assert_int_equal(exists(first), is_there);
      unlink(in_directory(first));
      unlink(in_directory(second));
    }
  }
  check_says("identify r.urdf d.csv --out x.json --report x.json", 2, "--out and --report name the same file");
  check_says("identify r.urdf d.csv --out x.json --report ./x.json", 2, "--out and --report name the same file");
}

/* ---- Files of a folder ---- */

static const char old_text[] = "an old file";

/* Fails with this code and message, and leaves the file as it was. */
static void check_kept(const char *line, int code, const char *message, const char *name, const char *content) {
  check_says(line, code, message);
  char *text = read_file(name);
  if (strcmp(text, content) != 0) fail_msg("%s: %s was changed", line, name);
  free(text);
}

/* The code is not compiled with an old header, nor the robot lost: all files of the folder are written, or none. */
static void files_of_a_folder_are_one_set(void **state) {
  (void)state;
  static const char line[] = "generate r.urdf --want gravity_forces --out set";
  assert_int_equal(mkdir(in_directory("set"), 0777), 0);

  /* the second file is a folder, or on a full disk: the first one stays as it was */
  static const char *const names[] = {"set/robot.c", "set/robot.h"};
  for (int i = 0; i < 2; i++) {
    write_file(names[!i], old_text);
    assert_int_equal(mkdir(in_directory(names[i]), 0777), 0);
    check_kept(line, 1, names[i], names[!i], old_text);
    assert_int_equal(rmdir(in_directory(names[i])), 0);
    if (access("/dev/full", W_OK) == 0) {
      make_link("/dev/full", names[i]);
      check_kept(line, 1, names[i], names[!i], old_text);
    }
    unlink(in_directory(names[i]));
    unlink(in_directory(names[!i]));
  }

  /* no file of the folder is an input: not the argument, standard input or the file of an option */
  write_file("set/robot.h", old_text);
  write_file("set/robot.c", robot);
  check_kept("generate set/robot.c --want gravity_forces --out set", 1, "also read", "set/robot.h", old_text);
  check_kept("generate set/robot.c --want gravity_forces --out set", 1, "also read", "set/robot.c", robot);
  check_kept("generate - --want gravity_forces --out set <set/robot.c", 1, "also read", "set/robot.c", robot);
  check_kept("generate r.urdf --attach set/robot.c,frame=lower,prefix=more_ --want gravity_forces --out set", 1,
             "also read", "set/robot.c", robot);

  /* old files of the set are replaced */
  outcome o = run_here(line);
  assert_int_equal(o.code, 0);
  done(&o);
  remove_output("set");

  /* a folder that was made for nothing is removed; what is no folder is named with the remedy */
  check_says("generate r.urdf --want gravity_forces --out ''", 2, "needs a value");
  check_says("generate r.urdf --want gravity_forces --out -", 2, "takes a folder");
  check_says("generate r.urdf --want gravity_forces --out nowhere/set", 1, "make that one first");
  check_says("generate r.urdf --want gravity_forces --out m.csv", 1, "not a folder");
  check_says("generate r.urdf --want nothing --out set", 2, "nothing");
  assert_false(exists("set"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_lines_work),           cmocka_unit_test(a_full_disk_is_told),
      cmocka_unit_test(a_missing_folder_is_told),  cmocka_unit_test(no_output_is_the_file_of_an_option),
      cmocka_unit_test(no_output_is_an_argument),  cmocka_unit_test(files_read_on_the_way_are_kept),
      cmocka_unit_test(two_outputs_are_two_files), cmocka_unit_test(files_of_a_folder_are_one_set),
  };
  return cmocka_run_group_tests(tests, make_files, remove_directory);
}
