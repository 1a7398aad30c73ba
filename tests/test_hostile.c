/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of files and of the command line is data: no interpreter runs it, no terminal acts on it, and it arrives as it
 * is written in pictures. */
#include "support/running.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Each would leave a file "ran..." behind if a shell or gnuplot ever read it as a program. */
static const char *const hostile[] = {
    "`touch ran1`",
    "$(touch ran2)",
    "a\"; system(\"touch ran3\"); \"",
    "a'; system('touch ran4'); '",
    "\\\"; system(\"touch ran5\") #",
    "\\140touch ran6\\140",
    "|touch ran7",
    "<touch ran8",
    "@system(\"touch ran9\")",
    "{/Symbol=30 a}_{b}^{c}@d&{e}",
    "%s%n%d%x",
    "a\\nb\\",
    "`touch ran10` | ; & < > ( ) ! # ~",
    "x' . system('touch ran11') . 'y",
    "\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA4\x96 ünï", /* é € robot */
    "<b>&amp;</b>]]><!--",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

/* What no terminal may see: ESC, CSI of 8 bits, BEL, DEL, backspace, C1 in UTF-8, an override of direction, a line
 * separator, bytes that are no UTF-8. */
static const char *const acting[] = {
    "\033[31mred",
    "\033]0;title\007",
    "\x9B"
    "31m",
    "a\010b",
    "a\177b",
    "\xC2\x9B"
    "2J",
    "\xE2\x80\xAE"
    "desrever",
    "\xE2\x80\xA8line",
    "\xFF\xFE\xC0\xAF",
    "\xE2\x81\xA6isolate",
    "\xF3\xA0\x81\x81tag",
};
enum { ACTING = sizeof acting / sizeof *acting };

/* ---- Running without a shell, so that only the command could start one ---- */

static outcome run_words(const char *const *words) {
  char line[sizeof directory + 64];
  outcome o;
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (chdir(directory) != 0 || !freopen("stdout", "w", stdout) || !freopen("stderr", "w", stderr) ||
        !freopen("/dev/null", "r", stdin))
      _exit(99);
    char *copy[32] = {NULL};
    for (int i = 0; words[i]; i++) copy[i] = strdup(words[i]);
    execv(JN_COMMAND, copy);
    _exit(98);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  char **const texts[] = {&o.out, &o.err};
  const char *const names[] = {"stdout", "stderr"};
  for (int i = 0; i < 2; i++) {
    snprintf(line, sizeof line, "%s/%s", directory, names[i]);
    FILE *f = fopen(line, "r");
    assert_non_null(f);
    *texts[i] = read_all(f);
    fclose(f);
  }
  return o;
}

#define RUN(...) run_words((const char *const[]){"jounce", __VA_ARGS__, NULL})

/* No command ran: nothing is called ran... */
static void check_nothing_ran(const char *what) {
  DIR *d = opendir(directory);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));)
    if (strncmp(e->d_name, "ran", 3) == 0) fail_msg("'%s' ran: there is a file %s", what, e->d_name);
  closedir(d);
}

/* Nothing that a terminal acts on, but line ends. */
static void check_inert(const char *text, const char *what) {
  for (const char *p = text; *p; p++) {
    unsigned char c = (unsigned char)*p;
    if ((c < 0x20 && c != '\n') || c == 0x7F) fail_msg("%s: byte 0x%02x in:\n%s", what, c, text);
    if (c == 0xC2 && (unsigned char)p[1] < 0xA0) fail_msg("%s: C1 in:\n%s", what, text);
    if (c == 0xE2 && ((unsigned char)p[1] == 0x80 && (unsigned char)p[2] >= 0xA8 && (unsigned char)p[2] <= 0xAE))
      fail_msg("%s: direction in:\n%s", what, text);
    if (strncmp(p, "\xE2\x81\xA6", 3) == 0 || strncmp(p, "\xF3\xA0", 2) == 0) fail_msg("%s: isolate or tag", what);
    if (c == 0xFF || c == 0xFE || c == 0xC0) fail_msg("%s: no UTF-8 in:\n%s", what, text);
    if (c == 0x9B && (p == text || !((unsigned char)p[-1] & 0x80))) fail_msg("%s: CSI in:\n%s", what, text);
  }
}

/* The text as XML writes it, in `to`. */
static void escape(const char *text, char to[512]) {
  for (; *text; text++) {
    const char *as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : NULL; /* gnuplot leaves > */
    if (as)
      to = stpcpy(to, as);
    else
      *to++ = *text;
  }
  *to = 0;
}

static void check_svg(const char *name, const char *text) {
  char escaped[512];
  FILE *f = fopen(in_directory(name), "r");
  if (!f) fail_msg("there is no %s", name);
  char *svg = read_all(f);
  fclose(f);
  escape(text, escaped);
  if (!strstr(svg, escaped)) fail_msg("'%s' is not in the picture", escaped);
  free(svg);
}

static void check_exists(const char *name) {
  struct stat about;
  if (stat(in_directory(name), &about) != 0 || about.st_size < 100) fail_msg("there is no picture '%s'", name);
}

/* text as a cell of CSV, in quotes. */
static void quote(const char *text, char to[512]) {
  *to++ = '"';
  for (; *text; text++) {
    if (*text == '"') *to++ = '"';
    *to++ = *text;
  }
  strcpy(to, "\"");
}

static void write_table(const char *file, const char *time, const char *column, const char *unit) {
  char cell[3][512], tau[300];
  quote(time, cell[0]);
  quote(column, cell[1]);
  snprintf(tau, sizeof tau, "a.tau [%s]", unit);
  quote(tau, cell[2]);
  FILE *f = fopen(in_directory(file), "w");
  assert_non_null(f);
  fprintf(f, "%s,%s,%s\n0,1,2\n1,2,3\n2,1,5\n", cell[0], cell[1], cell[2]);
  assert_int_equal(fclose(f), 0);
}

static const char *const endings[] = {"svg", "png", "pdf"};

/* ---- Pictures ---- */

/* Draws, and nothing happens but that: gnuplot has nothing to complain about either. */
static void draw(const char *file, const char *out, const char *text) {
  outcome o = RUN("plot", "--out", out, "--", file);
  if (o.code != 0 || *o.err) fail_msg("'%s' to %s: code %d:\n%s", text, out, o.code, o.err);
  check_nothing_ran(text);
  check_inert(o.out, text);
  done(&o);
}

static void names_of_columns_are_drawn_and_not_run(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  for (int i = 0; i < HOSTILE; i++) { /* as name of the time, of a column, and as unit */
    char time[256];                   /* columns have different names */
    snprintf(time, sizeof time, "t %s", hostile[i]);
    write_table("h.csv", time, hostile[i], strchr(hostile[i], ']') ? "N m" : hostile[i]);
    draw("h.csv", "p.svg", hostile[i]);
    check_svg("p.svg", hostile[i]);
    draw("h.csv", "-", hostile[i]);
  }
}

/* All of them in one picture of each kind. */
static void all_terminals_draw_them(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  FILE *f = fopen(in_directory("all.csv"), "w");
  assert_non_null(f);
  fputs("t", f);
  for (int i = 0; i < HOSTILE; i++) {
    char cell[512];
    quote(hostile[i], cell);
    fprintf(f, ",%s", cell);
  }
  for (int r = 0; r < 3; r++) {
    fprintf(f, "\n%d", r);
    for (int i = 0; i < HOSTILE; i++) fprintf(f, ",%d", (r + 1) * (i + 3) % 7 + 1); /* none is zero, so all are drawn */
  }
  fputs("\n", f);
  assert_int_equal(fclose(f), 0);
  for (int e = 0; e < 3; e++) {
    char out[16];
    snprintf(out, sizeof out, "all.%s", endings[e]);
    draw("all.csv", out, "all");
    check_exists(out);
  }
  draw("all.csv", "-", "all");
}

static void names_of_files_are_names(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  write_file("m.json", "{\"duration\": 1, \"joints\": {\"shoulder\": {\"polynomial\": [0, 1]}, \"elbow\": 0}}");
  for (int i = 0; i < HOSTILE; i++) {
    if (strchr(hostile[i], '/')) continue; /* would be a folder */
    char in[300], out[300];
    snprintf(in, sizeof in, "%s.csv", hostile[i]);
    snprintf(out, sizeof out, "%s.svg", hostile[i]);
    write_table(in, "t", "b", "N m");
    draw(in, out, out);
    check_svg(out, in);
    snprintf(out, sizeof out, "%s.%s", hostile[i], endings[i % 3]);
    outcome o = RUN("torque", "builtin:double_pendulum", "m.json", "--order", "0", "--plot", out, "--out", in);
    if (o.code != 0 || *o.err) fail_msg("%s: code %d:\n%s", out, o.code, o.err);
    check_nothing_ran(out);
    check_inert(o.out, out);
    check_exists(out);
    check_exists(in);
    done(&o);
  }
}

/* text as a string of JSON. */
static void json_string(const char *text, char to[512]) {
  *to++ = '"';
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') *to++ = '\\';
    if (c < 0x20)
      to += sprintf(to, "\\u%04x", c);
    else
      *to++ = *text;
  }
  strcpy(to, "\"");
}

/* A pendulum with this name for the robot, its link and its joint, and its motion. */
static void write_robot(const char *text) {
  char name[512], all[4096];
  json_string(text, name);
  snprintf(all, sizeof all,
           "{\"name\": %s, \"bodies\": [{\"name\": %s, \"joint\": {\"name\": %s, \"type\": \"revolute\", \"axis\": "
           "[0, 1, 0], \"limits\": {\"lower\": -1, \"upper\": 1, \"velocity\": 2, \"effort\": 4}}, \"inertia\": "
           "{\"mass\": 1, \"com\": [0, 0, -0.5], \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}}]}",
           name, name, name);
  write_file("r.json", all);
  snprintf(all, sizeof all, "{\"duration\": 2, \"joints\": {%s: {\"cosine\": {\"amplitude\": 0.5, \"omega\": 2}}}}",
           name);
  write_file("m.json", all);
}

static void names_of_robots_are_drawn_and_not_run(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  for (int i = 0; i < HOSTILE; i++) {
    write_robot(hostile[i]);
    const char *more = i % 3 == 0 ? "q.png" : i % 3 == 1 ? "q.pdf" : "-";
    for (int k = 0; k < 2; k++) {
      outcome o = RUN("torque", "r.json", "m.json", "--limits", "--plot", k ? more : "q.svg", "--out", "q.csv");
      if (o.code == 2 || *o.err) fail_msg("'%s': code %d:\n%s", hostile[i], o.code, o.err);
      check_nothing_ran(hostile[i]);
      check_inert(o.out, hostile[i]);
      done(&o);
    }
    check_svg("q.svg", hostile[i]);
    draw("q.csv", "-", hostile[i]); /* what was written is drawn again */
  }
}

/* ---- gnuplot's own files and variables ---- */

static void no_startup_file_runs(void **state) {
  (void)state;
  if (no_gnuplot()) return;
  char line[256];
  static const char script[] = "system('touch ran12')\n";
  write_file(".gnuplot", script);
  write_file("gnuplotrc", script);
  snprintf(line, sizeof line, "mkdir -p '%s/gnuplot'", directory);
  assert_int_equal(system(line), 0);
  write_file("gnuplot/gnuplotrc", script);
  write_table("s.csv", "t", "b", "N m");
  setenv("HOME", directory, 1);
  setenv("XDG_CONFIG_HOME", directory, 1);
  setenv("GNUPLOT_LIB", directory, 1);
  setenv("GNUPLOT_DRIVER_DIR", directory, 1);
  setenv("GNUTERM", "dumb; system('touch ran13')", 1);
  outcome o = RUN("plot", "s.csv", "--out", "p.svg");
  assert_int_equal(o.code, 0);
  check_nothing_ran("a start-up file");
  done(&o);
}

/* ---- Terminals ---- */

static void check_quiet(outcome o, const char *what) {
  check_inert(o.out, what);
  check_inert(o.err, what);
  done(&o);
}

static void nothing_that_is_printed_acts_on_the_terminal(void **state) {
  (void)state;
  for (int i = 0; i < ACTING; i++) {
    const char *t = acting[i];
    write_robot(t);
    static const char *const commands[] = {"info", "check", "base"};
    for (int k = 0; k < 3; k++) {
      check_quiet(RUN(commands[k], "r.json"), t);
      check_quiet(RUN(commands[k], "r.json", "--json"), t);
      check_quiet(RUN(commands[k], t), t);
      check_quiet(RUN(commands[k], "builtin:panda", t), t);
    }
    check_quiet(RUN("eval", "r.json", "--want", "tau,pose"), t);
    check_quiet(RUN("eval", "r.json", "--want", t), t);
    check_quiet(RUN("eval", "builtin:panda", "--want", "tau", "--link", t), t);
    check_quiet(RUN("eval", "builtin:panda", "--want", "tau", "--joint-order", t), t);
    check_quiet(RUN("eval", "builtin:panda", "--want", "tau", "--input", t), t);
    check_quiet(RUN("torque", "r.json", "m.json", "--limits", "--check"), t);
    check_quiet(RUN("torque", "r.json", t), t);
    check_quiet(RUN("torque", t, t), t);
    check_quiet(RUN("torque", "builtin:panda", "builtin:demo", "--out", t), t);
    check_quiet(RUN("torque", "builtin:panda", "builtin:demo", "--plot", t), t);
    check_quiet(RUN("torque", "builtin:panda", "builtin:demo", "--plot", "-", "--joints", t), t);
    check_quiet(RUN("torque", "builtin:panda", "builtin:demo", "--wrench", t), t);
    check_quiet(RUN("torque", "builtin:panda", "builtin:demo", "--limits", t), t);
    check_quiet(RUN("convert", "r.json", "-", "--to", "json"), t);
    check_quiet(RUN("convert", "r.json", "-", "--to", "urdf"), t);
    check_quiet(RUN("convert", "r.json", t), t);
    check_quiet(RUN("plot", t), t);
    check_quiet(RUN("plot", "--columns", t, "t.csv"), t);
    check_quiet(RUN(t), t);
    check_quiet(RUN("help", t), t);
    char option[64];
    snprintf(option, sizeof option, "--%s", t);
    check_quiet(RUN("info", option), t);
    write_table("t.csv", "t", t, t);
    check_quiet(RUN("plot", "t.csv"), t);
    check_quiet(RUN("torque", "builtin:panda", "t.csv"), t);
    check_quiet(RUN("torque", "builtin:panda", "builtin:demo", "--wrench", "t.csv"), t);
    check_quiet(RUN("torque", "builtin:panda", "builtin:demo", "--limits=t.csv"), t);
  }
}

/* A name that does not act on a terminal is written as it is: é stays é. */
static void other_names_stay(void **state) {
  (void)state;
  write_robot("\xC3\xA9t\xC3\xA9 \xE2\x82\xAC");
  outcome o = RUN("info", "r.json");
  check_has(o.out, "\xC3\xA9t\xC3\xA9 \xE2\x82\xAC");
  done(&o);
}

/* A name that a terminal acts on is refused, whoever reads the model, with the byte where it begins. */
static void acting_names_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < ACTING; i++) {
    write_robot(acting[i]);
    outcome o = RUN("check", "r.json");
    if (o.code == 0) fail_msg("name %d is accepted", i);
    check_inert(o.out, acting[i]);
    done(&o);
    o = RUN("torque", "r.json", "m.json", "--out", "-");
    if (o.code == 0 || *o.out) fail_msg("name %d is written to standard output", i);
    done(&o);
  }
  write_robot("a\033b");
  outcome o = RUN("check", "r.json");
  check_has(o.out, "byte 2 of its name");
  done(&o);
}

/* ---- Names that come back ---- */

/* The largest difference of two tables of one shape, column by column and whatever the names. */
static double difference(const char *one, const char *two) {
  jn_table *a = read_csv(one), *b = read_csv(two);
  assert_int_equal(jn_table_columns(a), jn_table_columns(b));
  assert_int_equal(jn_table_rows(a), jn_table_rows(b));
  double most = 0;
  for (int c = 0; c < jn_table_columns(a); c++)
    for (int r = 0; r < jn_table_rows(a); r++)
      most = fmax(most, fabs(jn_table_values(a, c)[r] - jn_table_values(b, c)[r]));
  jn_table_destroy(a);
  jn_table_destroy(b);
  return most;
}

/* Two pendulums, of which the first joint has this name, and their motion. */
static void write_pair(const char *text) {
  char name[512], all[4096];
  json_string(text, name);
  static const char body[] =
      "\"type\": \"revolute\", \"axis\": [0, 1, 0], \"limits\": {\"lower\": -2, \"upper\": 2, \"velocity\": 9, "
      "\"effort\": 90}}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, -0.5], \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}}";
  snprintf(all, sizeof all,
           "{\"name\": \"r\", \"bodies\": [{\"name\": \"l0\", \"joint\": {\"name\": %s, %s, {\"name\": \"l1\", "
           "\"parent\": \"l0\", \"joint\": {\"name\": \"a\", %s]}",
           name, body, body);
  write_file("pair.json", all);
  snprintf(all, sizeof all,
           "{\"duration\": 2, \"joints\": {%s: {\"cosine\": {\"amplitude\": 0.5, \"omega\": 2}}, \"a\": {\"cosine\": "
           "{\"amplitude\": 0.25, \"omega\": 3}}}}",
           name);
  write_file("pair_motion.json", all);
}

/* Each name goes through every writer: what was written is read again and means the same, or it was refused. */
static void names_come_back_or_are_refused(void **state) {
  (void)state;
  static const char *const more[] = {
      "t",       "time",   "T",    "a_d1",  "a_d2",     "x_d1",     "x [deg]",    "[x]",  "x]",  "x[",  "x[3]",
      "a [b] c", "$(x)",   "${x}", "a.tau", "a.tau_d1", "a,b",      "a;b",        "a\"b", "a'b", "#a",  "a b",
      " lead",   "trail ", "1",    "1.5",   "nan",      "position", "a/position", "q1",   "=x",  "a=b", "*",
      "world",   "base",   "<x>",  "&amp;", "joint[1]", "-",        "--out",      "a\\b", "%s"};
  enum { MORE = sizeof more / sizeof *more };
  static const char *const tables[] = {"o.csv", "o.npz"};
  int refused = 0, came_back = 0;
  for (int i = 0; i < MORE + HOSTILE; i++) {
    const char *name = i < MORE ? more[i] : hostile[i - MORE];
    write_pair(name);
    outcome o = RUN("torque", "pair.json", "pair_motion.json", "--order", "0", "--rate", "100", "--out", "-");
    bool to_stdout = o.code == 0;
    write_file("truth.csv", o.out);
    done(&o);
    for (int k = 0; k < 2; k++) {
      o = RUN("torque", "pair.json", "pair_motion.json", "--order", "0", "--rate", "100", "--out", tables[k]);
      if (k == 0) assert_int_equal(o.code == 0, to_stdout);
      if (o.code != 0 && !strstr(o.err, "could not be read again")) fail_msg("'%s': %s", name, o.err);
      refused += o.code != 0;
      bool written = o.code == 0;
      done(&o);
      outcome warned = RUN("check", "pair.json");
      if (!written && !strstr(warned.out, "name-table") && !strstr(warned.out, "a table"))
        fail_msg("'%s': check does not warn:\n%s", name, warned.out);
      done(&warned);
      if (!written) continue;
      o = RUN("torque", "pair.json", tables[k], "--order", "0", "--rate", "100", "--tolerance", "0", "--out",
              "again.csv");
      if (o.code != 0) fail_msg("'%s' in %s is not read again:\n%s", name, tables[k], o.err);
      done(&o);
      came_back++;
      if (to_stdout && difference("truth.csv", "again.csv") > 1e-3)
        fail_msg("'%s' in %s: another motion", name, tables[k]);
    }
    static const char *const models[] = {"c.urdf", "c.json"};
    for (int k = 0; k < 2; k++) {
      o = RUN("convert", "pair.json", models[k]);
      bool written = o.code == 0;
      refused += !written;
      done(&o);
      if (!written) continue;
      o = RUN("torque", models[k], "pair_motion.json", "--order", "0");
      if (o.code != 0) fail_msg("'%s' is lost in %s:\n%s", name, models[k], o.err);
      done(&o);
      came_back++;
    }
  }
  printf("# %d files were read again, %d were refused\n", came_back, refused);
  assert_true(came_back > 3 * refused && refused > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_columns_are_drawn_and_not_run),
      cmocka_unit_test(all_terminals_draw_them),
      cmocka_unit_test(names_of_files_are_names),
      cmocka_unit_test(names_of_robots_are_drawn_and_not_run),
      cmocka_unit_test(nothing_that_is_printed_acts_on_the_terminal),
      cmocka_unit_test(other_names_stay),
      cmocka_unit_test(acting_names_are_refused),
      cmocka_unit_test(names_come_back_or_are_refused),
      cmocka_unit_test(no_startup_file_runs), /* the last: it changes the environment */
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
