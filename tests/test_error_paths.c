/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that name a file, with files that are missing or bad: the command says so and ends with 1 or 2. Built with
 * the address sanitizer, memory that is lost on such a way changes the exit code, and is reported. */
#include "support/running.h"

/* %s: the bad file. */
static const char *const lines[] = {
    "simulate builtin:double_pendulum --duration 0.1 --initial %s",
    "simulate builtin:double_pendulum --duration 0.1 --torque %s",
    "simulate builtin:double_pendulum --duration 0.1 --wrench %s",
    "simulate builtin:double_pendulum --duration 0.1 --motion %s",
    "reach builtin:double_pendulum --frame lower --position 0,0,0.5 --start %s",
    "reach builtin:double_pendulum --frame lower --path %s",
    "torque builtin:double_pendulum good.json --wrench %s",
    "torque builtin:double_pendulum good.json --limits=%s",
    "torque builtin:double_pendulum %s",
    "torque builtin:double_pendulum good.csv --motor-positions %s",
    "retime builtin:double_pendulum %s",
    "retime builtin:double_pendulum good.json --limits %s",
    "motor builtin:double_pendulum good.json --actuators %s",
    "identify builtin:double_pendulum %s",
    "identify builtin:double_pendulum good.csv --validate %s",
    "identify builtin:double_pendulum good.csv --coupling %s",
    "identify builtin:double_pendulum good.csv --motor-positions %s",
    "eval builtin:double_pendulum --want tau %s",
};

static int make_files(void **state) {
  if (make_directory(state) != 0) return -1;
  write_file("good.json",
             "{\"duration\": 2, \"joints\": {\"shoulder\": {\"cosine\": {\"amplitude\": 0.7, \"omega\": "
             "3}}, \"elbow\": {\"cosine\": {\"amplitude\": -0.5, \"omega\": 4}}}}");
  write_file("empty.txt", "");
  write_file("garbage.txt", "\x01 not a file of ours {[\n");
  write_file("names.json", "{\"q\": {\"nobody\": 1}, \"joints\": {\"nobody\": 1}, \"duration\": 1}");
  write_file("two.json", "[{\"q\": {\"shoulder\": 1}}, {\"q\": {\"nobody\": 2}}]");
  write_file("table.csv", "t,nobody\n0,1\n1,x\n");
  outcome o = run_here("torque builtin:double_pendulum good.json --rate 100 --out good.csv");
  int code = o.code;
  done(&o);
  return code;
}

static void bad_files_of_options_lose_no_memory(void **state) {
  (void)state;
  static const char *const files[] = {"missing.txt", "empty.txt", "garbage.txt", "names.json", "two.json", "table.csv"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
      char line[256];
      snprintf(line, sizeof line, lines[i], files[f]);
      outcome o = run_here(line);
      if (o.code != 1 && o.code != 2) fail_msg("jounce %s: status %d\n%s", line, o.code, o.err);
      if (strstr(o.err, "Sanitizer")) fail_msg("jounce %s:\n%s", line, o.err);
      assert_true(*o.err != 0);
      done(&o);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bad_files_of_options_lose_no_memory)};
  return cmocka_run_group_tests(tests, make_files, remove_directory);
}
