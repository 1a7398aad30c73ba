/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that one command writes are read by the others without a warning, and no column is both ignored and used. */
#include "support/running.h"

static outcome fine(const char *arguments) {
  outcome o = run_here(arguments);
  if (o.code != 0) fail_msg("jounce %s: status %d\n%s%s", arguments, o.code, o.out, o.err);
  return o;
}

static int make_files(void **state) {
  if (make_directory(state) != 0) return -1;
  write_file(
      "swing.json",
      "{\"duration\": 2, \"joints\": {\"shoulder\": {\"cosine\": {\"amplitude\": 0.7, \"omega\": 3}}, \"elbow\": "
      "{\"cosine\": {\"amplitude\": -0.5, \"omega\": 4}}}}");
  const char *const writers[] = {"torque builtin:double_pendulum swing.json --rate 200 --out torque.csv",
                                 "torque builtin:double_pendulum swing.json --rate 200 --out torque.npz",
                                 "simulate builtin:double_pendulum --duration 2 --out fall.csv",
                                 "simulate builtin:double_pendulum --motion swing.json --duration 2 --out follow.csv"};
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    outcome o = fine(writers[i]);
    done(&o);
  }
  return 0;
}

static void own_files_are_read_without_warnings(void **state) {
  (void)state;
  const char *const files[] = {"torque.csv", "torque.npz", "fall.csv", "follow.csv"};
  const char *const readers[] = {"torque", "torque --order 3", "identify --foresee auto", "identify --foresee 0.1"};
  for (size_t f = 0; f < sizeof files / sizeof *files; f++)
    for (size_t r = 0; r < sizeof readers / sizeof *readers; r++) {
      char line[256], verb[64];
      size_t n = strcspn(readers[r], " ");
      snprintf(verb, sizeof verb, "%.*s", (int)n, readers[r]);
      snprintf(line, sizeof line, "%s builtin:double_pendulum %s%s", verb, files[f], readers[r] + n);
      outcome o = fine(line);
      if (strstr(o.err, "warning")) fail_msg("jounce %s warns:\n%s", line, o.err);
      done(&o);
    }
}

static void no_column_is_ignored_and_used(void **state) {
  (void)state;
  jn_table *t = read_csv("torque.csv");
  char *out = malloc((size_t)jn_table_rows(t) * 100 + 100), *p = out;
  const double *x[5] = {0};
  const char *const names[] = {"t", "shoulder", "elbow", "shoulder.tau", "elbow.tau"};
  assert_non_null(out);
  for (int k = 0; k < 5; k++)
    for (int c = 0; c < jn_table_columns(t); c++)
      if (strcmp(jn_table_name(t, c), names[k]) == 0) x[k] = jn_table_values(t, c);
  p += sprintf(p, "t,shoulder,elbow,drive_a,drive_b,lamp\n");
  for (int r = 0; r < jn_table_rows(t); r++)
    p += sprintf(p, "%.9g,%.12g,%.12g,%.9g,%.9g,1\n", x[0][r], x[1][r], x[2][r], x[3][r], x[4][r]);
  write_file("drives.csv", out);
  free(out);
  jn_table_destroy(t);

  outcome o =
      fine("identify builtin:double_pendulum drives.csv --columns shoulder.tau=drive_a,elbow.tau=#5 --base-only");
  check_lacks(o.err, "'drive_a': is ignored");
  check_lacks(o.err, "'drive_b': is ignored");
  check_has(o.err, "column 'drive_a': is used as 'shoulder.tau'");
  check_has(o.err, "column 'lamp': is ignored");
  check_has(o.err, "--columns NAME=COLUMN");
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_files_are_read_without_warnings),
      cmocka_unit_test(no_column_is_ignored_and_used),
  };
  return cmocka_run_group_tests(tests, make_files, remove_directory);
}
