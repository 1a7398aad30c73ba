/* SPDX-License-Identifier: BSD-2-Clause */
/* Files are written whole or not at all: after a signal, a kill, a full disk or an error the old file is there, or all
 * of the new one, and nothing beside it. */
#include "support/running.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "io/whole_file.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif

static const char old_text[] = "the old file\n";

static void check_text(const char *name, const char *text) {
  char *found = read_file(name);
  if (strcmp(found, text) != 0) fail_msg("%s has:\n%.200s", name, found);
  free(found);
}

/* Files of the folder, hidden ones too. */
static int count_files(const char *folder) {
  DIR *d = opendir(folder);
  int count = 0;
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  closedir(d);
  return count;
}

static void run_to(const char *words, int code, const char *part) {
  outcome o = run_here(words);
  if (o.code != code) fail_msg("%s: code %d, not %d:\n%s%s", words, o.code, code, o.out, o.err);
  if (part) check_has(o.err, part);
  done(&o);
}

/* ---- The mechanism ---- */

static void begin(jn_whole_file *w, const char *name, int named, const char *text) {
  assert_int_equal(jn__whole_open(w, in_directory(name), named), 0);
  assert_true(fputs(text, w->stream) >= 0);
}

/* With a name beside the target and without: until the end the old file is there, then the new one. */
static void a_file_is_replaced_in_one_step(void **state) {
  (void)state;
  jn_whole_file w;
  for (int named = 0; named < 2; named++) {
    for (int is_new = 0; is_new < 2; is_new++) {
      unlink(in_directory("f"));
      if (!is_new) write_file("f", old_text);
      if (!is_new) assert_int_equal(chmod(in_directory("f"), 0640), 0);
      int files = count_files(directory);
      begin(&w, "f", named, "half");
      fflush(w.stream);
      if (is_new) assert_false(exists("f"));
      if (!is_new) check_text("f", old_text);
      assert_int_equal(count_files(directory), files + named);
      jn__whole_abandon(&w);
      jn__whole_abandon(&w); /* no effect */
      assert_int_equal(count_files(directory), files);
      if (!is_new) check_text("f", old_text);
      begin(&w, "f", named, "new\n");
      assert_int_equal(jn__whole_commit(&w), 0);
      check_text("f", "new\n");
      assert_int_equal(count_files(directory), files + is_new);
      struct stat about;
      assert_int_equal(stat(in_directory("f"), &about), 0);
      if (!is_new) assert_int_equal(about.st_mode & 0777, 0640);
    }
  }
  unlink(in_directory("f"));
}

/* A file that appears meanwhile is replaced, too. */
static void a_file_that_appears_meanwhile_is_replaced(void **state) {
  (void)state;
  jn_whole_file w;
  for (int named = 0; named < 2; named++) {
    begin(&w, "g", named, "mine");
    write_file("g", "yours");
    assert_int_equal(jn__whole_commit(&w), 0);
    check_text("g", "mine");
    assert_int_equal(unlink(in_directory("g")), 0);
  }
}

static void links_stay(void **state) {
  (void)state;
  jn_whole_file w;
  struct stat about;
  write_file("target", old_text);
  assert_int_equal(symlink("target", in_directory("link")), 0);
  assert_int_equal(symlink("link", in_directory("link2")), 0);
  assert_int_equal(symlink("nothing_yet", in_directory("dangling")), 0);
  begin(&w, "link2", 0, "through two links");
  assert_int_equal(jn__whole_commit(&w), 0);
  assert_int_equal(lstat(in_directory("link2"), &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  check_text("target", "through two links");
  begin(&w, "dangling", 0, "now there");
  assert_int_equal(jn__whole_commit(&w), 0);
  check_text("nothing_yet", "now there");
  assert_int_equal(symlink("round", in_directory("round")), 0);
  assert_int_equal(jn__whole_open(&w, in_directory("round"), 0), ELOOP);
}

static void errors_are_those_of_the_system(void **state) {
  (void)state;
  jn_whole_file w;
  assert_int_equal(jn__whole_open(&w, in_directory("no/such"), 0), ENOENT);
  assert_int_equal(jn__whole_open(&w, directory, 0), EISDIR);
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(jn__whole_open(&w, "/dev/full", 0), 0);
    fputs("x", w.stream);
    assert_int_equal(jn__whole_commit(&w), ENOSPC);
    assert_int_equal(jn__whole_open(&w, "/dev/full", 0), 0);
    for (int i = 0; i < 100000; i++) fputs("0123456789", w.stream); /* the error came long before */
    assert_int_equal(jn__whole_commit(&w), ENOSPC);
  }
  char *longest = malloc(JN_PATH + 1);
  memset(longest, 'a', JN_PATH);
  longest[JN_PATH] = 0;
  assert_int_equal(jn__whole_open(&w, longest, 0), ENAMETOOLONG);
  longest[250] = 0; /* of one name: the file beside it must fit, too */
  write_file(longest, old_text);
  for (int named = 0; named < 2; named++) {
    begin(&w, longest, named, "new");
    assert_int_equal(jn__whole_commit(&w), 0);
    check_text(longest, "new");
  }
  free(longest);
}

/* The size of files is limited as a disk is: the old file stays, with an error and nothing beside it. */
static void a_full_disk_leaves_the_old_file(void **state) {
  (void)state;
  static const char *const words[] = {
      "torque builtin:panda builtin:demo --out o.csv",
      "torque builtin:panda builtin:demo --out o.npz",
      "torque builtin:panda builtin:demo --plot o.svg",
      "torque builtin:panda builtin:demo --plot o.png",
      "torque builtin:panda builtin:demo --plot o.pdf",
      "convert builtin:panda o.urdf",
      "convert builtin:panda o.json",
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *file = strstr(words[i], " o.") + 1;
    if (strstr(words[i], "--plot") && system("gnuplot --version >/dev/null 2>&1") != 0) continue;
    for (int is_new = 0; is_new < 2; is_new++) {
      unlink(in_directory(file));
      if (!is_new) write_file(file, old_text);
      write_file("stderr", "");
      int files = count_files(directory);
      char before[160];
      snprintf(before, sizeof before, "cd '%s' && ulimit -f 2 &&", directory); /* 1 or 2 kB */
      outcome o = run_with(before, words[i]);
      if (o.code != 1) fail_msg("%s: code %d:\n%s", words[i], o.code, o.err);
      if (!*o.err) fail_msg("%s: no message", words[i]);
      done(&o);
      if (is_new) assert_false(exists(file));
      if (!is_new) check_text(file, old_text);
      assert_int_equal(count_files(directory), files);
    }
    unlink(in_directory(file));
  }
}

/* ---- Signals ---- */

static void pause_for(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

/* A program and its words in a folder of its own, ended by a signal after a while; the folder then has the old file
 * only, or the new one if it was faster. True: it was ended by the signal. */
static bool end_by(const char *program, const char *const *words, int number, double after, const char *file) {
  char folder[sizeof directory + 16], path[64];
  snprintf(folder, sizeof folder, "%s/ended", directory);
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "ended/%s", file);
  write_file(path, old_text);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char *copy[32] = {NULL};
    for (int i = 0; words[i]; i++) copy[i] = strdup(words[i]);
    if (chdir(folder) != 0 || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(99);
    execvp(program, copy);
    _exit(98);
  }
  pause_for(after);
  kill(child, number);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  bool ended = WIFSIGNALED(status) && WTERMSIG(status) == number;
  if (!ended && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) fail_msg("%s: status %d", words[1], status);
  assert_int_equal(count_files(folder), 1);
  char *text = read_file(path);
  if (ended)
    assert_string_equal(text, old_text);
  else
    assert_string_not_equal(text, old_text);
  free(text);
  assert_int_equal(unlink(in_directory(path)), 0);
  return ended;
}

static const double waits[] = {0.02, 0.1, 0.3, 0.7};

static void signals_leave_the_old_file(void **state) {
  (void)state;
  static const char *const csv[] = {"jounce", "torque", "builtin:panda", "builtin:demo", "--rate", "100000", "--out",
                                    "o.csv",  NULL};
  static const char *const svg[] = {"jounce", "torque", "builtin:panda", "builtin:demo", "--rate", "20000", "--plot",
                                    "o.svg",  NULL};
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
  int ended = 0;
  bool gnuplot = system("gnuplot --version >/dev/null 2>&1") == 0;
  for (int n = 0; n < 4; n++) {
    for (int w = 0; w < 4; w++) {
      ended += end_by(JN_COMMAND, csv, numbers[n], waits[w], "o.csv");
      if (gnuplot) ended += end_by(JN_COMMAND, svg, numbers[n], waits[w], "o.svg");
    }
  }
  printf("# %d of 32 runs were ended by the signal\n", ended);
  assert_true(ended > 4);
  assert_int_equal(rmdir(in_directory("ended")), 0);
}

/* Without /proc a file cannot do without a name: the command then removes it itself, unless it is killed. */
static void signals_remove_the_file_beside(void **state) {
  (void)state;
#ifdef SANITIZED
  puts("# a sanitizer needs /proc: not tested");
  return;
#endif
  if (system("unshare -m sh -c 'mount -t tmpfs none /proc' >/dev/null 2>&1") != 0) {
    puts("# only root can hide /proc: not tested");
    return;
  }
  static const char *const csv[] = {"unshare",
                                    "-m",
                                    "sh",
                                    "-c",
                                    "mount -t tmpfs none /proc && exec '" JN_COMMAND
                                    "' torque builtin:panda builtin:demo --rate 100000 --out o.csv",
                                    NULL};
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  int ended = 0;
  for (int n = 0; n < 3; n++)
    for (int w = 1; w < 4; w++) ended += end_by("unshare", csv, numbers[n], waits[w], "o.csv");
  printf("# %d of 9 runs were ended by the signal\n", ended);
  assert_true(ended > 2);
  assert_int_equal(rmdir(in_directory("ended")), 0);
}

/* ---- What is no file ---- */

static void pipes_and_devices_are_written_to(void **state) {
  (void)state;
  assert_int_equal(symlink("/dev/null", in_directory("null.csv")), 0);
  outcome o = run_here("torque builtin:panda builtin:demo --order 0 --out null.csv");
  assert_int_equal(o.code, 0);
  done(&o);
  struct stat about;
  assert_int_equal(stat("/dev/null", &about), 0);
  assert_true(S_ISCHR(about.st_mode));
  assert_int_equal(symlink("/dev/stdout", in_directory("standard.json")), 0);
  o = run_here("convert builtin:panda standard.json");
  assert_int_equal(o.code, 0);
  check_has(o.out, "panda_joint1");
  done(&o);
  /* in the middle of a file that others write to */
  char line[512];
  snprintf(line, sizeof line,
           "cd '%s' && (echo first; '%s' convert builtin:panda /dev/stdout --to json; echo last) >log 2>&1", directory,
           JN_COMMAND);
  assert_int_equal(system(line), 0);
  char *text = read_file("log");
  assert_int_equal(strncmp(text, "first\n{", 7), 0);
  check_has(text, "}\nlast\n");
  free(text);
  assert_int_equal(mkfifo(in_directory("pipe.csv"), 0600), 0);
  snprintf(line, sizeof line,
           "cd '%s' && (cat pipe.csv >got & '%s' torque builtin:panda builtin:demo --out pipe.csv >log; wait)",
           directory, JN_COMMAND);
  assert_int_equal(system(line), 0);
  text = read_file("got");
  assert_int_equal(strncmp(text, "t,panda_joint1", 14), 0);
  free(text);
  assert_int_equal(stat(in_directory("pipe.csv"), &about), 0);
  assert_true(S_ISFIFO(about.st_mode));
}

/* ---- Over what is read ---- */

/* What MJCF files have beside the model, included files too, is listed once. */
static void convert_lists_what_of_mjcf_is_lost(void **state) {
  (void)state;
  static const char list[] =
      "does not hold 1 <default>, 1 simulation setting, 3 <geom>, 1 <mesh>, 1 <texture>, 1 <light>, 2 actuators, "
      "3 sensors, 1 keyframe, 1 <visual>, 2 comments";
  write_file("arm.xml",
             "<mujoco><!-- a --><default><geom mass='1'/><joint damping='1'/></default><option gravity='0 0 0' "
             "timestep='1'/><worldbody><geom type='plane' size='1 1 1'/><body><joint name='j'/><geom size='1'/><frame>"
             "<geom size='1'/></frame><site name='s'/></body></worldbody><include file='rest.xml'/></mujoco>");
  write_file(
      "rest.xml",
      "<mujoco><asset><mesh name='m' file='m.stl'/><texture/></asset><worldbody><light/></worldbody><actuator>"
      "<motor joint='j'/><position joint='j'/></actuator><sensor><jointpos joint='j'/><jointvel joint='j'/>"
      "<gyro site='s'/></sensor><keyframe><key qpos='0'/></keyframe><visual><global/></visual><!-- b --></mujoco>");
  static const char *const words[] = {"convert arm.xml arm.json", "convert arm.xml arm.urdf", "convert arm.xml out.xml",
                                      "convert arm.xml arm.urdf --fresh", "convert - arm.json <arm.xml"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) run_to(words[i], 0, list);
  run_to(words[2], 0, "the new file is URDF, not MJCF");
  outcome o = run_here(words[1]);
  assert_null(strstr(o.err, "not MJCF"));
  done(&o);
}

static void convert_does_not_write_over_its_input(void **state) {
  (void)state;
  run_to("convert builtin:panda a.urdf", 0, NULL);
  char *before = read_file("a.urdf");
  assert_int_equal(symlink("a.urdf", in_directory("b.urdf")), 0);
  assert_int_equal(link(in_directory("a.urdf"), in_directory("c.urdf")), 0);
  static const char *const words[] = {
      "convert a.urdf a.urdf", "convert a.urdf ./a.urdf",  "convert a.urdf b.urdf",          "convert b.urdf a.urdf",
      "convert a.urdf c.urdf", "convert - a.urdf <a.urdf", "convert a.urdf a.urdf --to json"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    run_to(words[i], 2, "--in-place");
    check_text("a.urdf", before);
  }
  run_to("convert a.urdf --in-place", 0, NULL); /* nothing changed: the same bytes */
  check_text("a.urdf", before);
  run_to("convert a.urdf a.urdf --in-place", 0, NULL);
  check_text("a.urdf", before);
  run_to("convert a.urdf z.urdf --in-place", 2, "do not give OUT");
  run_to("convert builtin:panda --in-place", 2, "is not a file");
  run_to("convert a.urdf --in-place --to json", 2, "--to");
  write_file("b.xml", "<!-- <robot> -->\n<mujoco/>");
  run_to("convert b.xml --in-place", 2, "b.xml is MJCF, which is read but not written");
  run_to("convert b.xml b.xml", 2, ".urdf or .json");
  write_file("c.xml", "{}");
  run_to("convert c.xml --in-place", 2, "extension");
  run_to("convert a.urdf a.urdf --force", 0, NULL);
  run_to("convert a.urdf d.urdf", 0, NULL);
  char *after = read_file("a.urdf");
  check_has(after, "panda_joint7");
  free(after);
  free(before);
}

/* ---- Nothing before all is known ---- */

/* eval asks for all memory before its first byte. The limits close in on the least memory that suffices, where it
 * would run out last. */
static void eval_writes_all_or_nothing(void **state) {
  (void)state;
#ifdef SANITIZED
  puts("# a sanitizer needs more memory than a limit allows: not tested");
#else
  char before[160];
  int too_little = 20, enough = 2000; /* MB */
  while (enough - too_little > 1) {
    int megabytes = (too_little + enough) / 2;
    snprintf(before, sizeof before, "cd '%s' && ulimit -v %d &&", directory, 1024 * megabytes);
    outcome o = run_with(before, "eval builtin:chain:150 --want M,C,M_jets --order 12 </dev/null");
    size_t bytes = strlen(o.out);
    if (o.code == 0) {
      assert_int_equal(o.out[bytes - 2], '}');
      enough = megabytes;
    } else {
      if (bytes > 0) fail_msg("%d MB: code %d, but %zu bytes were written\n%s", megabytes, o.code, bytes, o.err);
      too_little = megabytes;
    }
    done(&o);
  }
  printf("# %d MB are enough\n", enough);
  assert_true(enough < 2000);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_replaced_in_one_step),
      cmocka_unit_test(a_file_that_appears_meanwhile_is_replaced),
      cmocka_unit_test(links_stay),
      cmocka_unit_test(errors_are_those_of_the_system),
      cmocka_unit_test(a_full_disk_leaves_the_old_file),
      cmocka_unit_test(signals_leave_the_old_file),
      cmocka_unit_test(signals_remove_the_file_beside),
      cmocka_unit_test(pipes_and_devices_are_written_to),
      cmocka_unit_test(convert_does_not_write_over_its_input),
      cmocka_unit_test(convert_lists_what_of_mjcf_is_lost),
      cmocka_unit_test(eval_writes_all_or_nothing),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
