/* SPDX-License-Identifier: BSD-2-Clause */
#include "running.h"

char directory[] = "/tmp/jounce_test_XXXXXX";

int make_directory(void **state) {
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

int remove_directory(void **state) {
  (void)state;
  char line[sizeof directory + 16];
  snprintf(line, sizeof line, "rm -r '%s'", directory);
  return system(line);
}

const char *in_directory(const char *name) {
  static char path[4][sizeof directory + 512];
  static int turn;
  char *p = path[turn++ % 4];
  snprintf(p, sizeof path[0], "%s/%s", directory, name);
  return p;
}

const char *write_file(const char *name, const char *text) {
  const char *path = in_directory(name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
  return path;
}

char *read_all(FILE *f) {
  size_t room = 1 << 16, used = 0;
  char *text = malloc(room);
  assert_non_null(text);
  for (size_t n; (n = fread(text + used, 1, room - used - 1, f)) > 0;) {
    used += n;
    if (used + 1 < room) continue;
    text = realloc(text, room *= 2);
    assert_non_null(text);
  }
  text[used] = 0;
  return text;
}

static char *read_path(const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) fail_msg("there is no %s", path);
  char *text = read_all(f);
  fclose(f);
  return text;
}

char *read_file(const char *name) { return read_path(in_directory(name)); }

int exists(const char *name) { return access(in_directory(name), F_OK) == 0; }

outcome run_with(const char *before, const char *arguments) {
  const char *errors = in_directory("stderr");
  size_t size = strlen(before) + strlen(arguments) + strlen(JN_COMMAND) + strlen(errors) + 32;
  char *line = malloc(size);
  assert_non_null(line);
  snprintf(line, size, "%s '%s' %s 2>'%s'", before, JN_COMMAND, arguments, errors);
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  outcome o;
  o.out = read_all(pipe);
  int status = pclose(pipe);
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  o.err = read_path(errors); /* takes only one of the paths of in_directory() */
  free(line);
  return o;
}

outcome run_here(const char *arguments) {
  char before[sizeof directory + 16];
  snprintf(before, sizeof before, "cd '%s' &&", directory);
  return run_with(before, arguments);
}

outcome run_fine(const char *arguments, int code) {
  outcome o = run_here(arguments);
  if (o.code != code) fail_msg("%s: code %d, not %d:\n%s%s", arguments, o.code, code, o.out, o.err);
  return o;
}

void done(outcome *o) {
  free(o->out);
  free(o->err);
}

void check_has(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

void check_lacks(const char *text, const char *part) {
  if (strstr(text, part)) fail_msg("'%s' should not be in:\n%s", part, text);
}

void check_refused(outcome o, int code, const char *part) {
  check_has(o.err, part);
  assert_string_equal(o.out, "");
  assert_int_equal(o.code, code);
  done(&o);
}

void check_says(const char *arguments, int code, const char *part) {
  outcome o = run_fine(arguments, code);
  check_has(o.err, part);
  done(&o);
}

jn_table *read_csv(const char *name) {
  char *text = read_file(name);
  jn_table *t;
  jn_error error;
  if (jn_table_read(text, strlen(text), name, NULL, &t, &error) != JN_OK) fail_msg("%s: %s", name, error.text);
  free(text);
  return t;
}

int no_gnuplot(void) {
  if (system("gnuplot --version >/dev/null 2>&1") == 0) return 0;
  puts("# no gnuplot: pictures are not tested");
  return 1;
}
