/* SPDX-License-Identifier: BSD-2-Clause */
/* Running the command `jounce` (JN_COMMAND is the path of the binary) and looking at what it says. Include it first. */
#ifndef JN_TESTS_RUNNING_H
#define JN_TESTS_RUNNING_H

#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jounce/jounce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

static char directory[] = "/tmp/jounce_test_XXXXXX";

typedef struct outcome {
  int code;
  char *out; /* stdout */
  char *err; /* stderr */
} outcome;

static UNUSED char *read_all(FILE *f) {
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

static UNUSED const char *in_directory(const char *name) {
  static char path[4][sizeof directory + 512];
  static int turn;
  char *p = path[turn++ % 4];
  snprintf(p, sizeof path[0], "%s/%s", directory, name);
  return p;
}

/* `before` goes in front of the command (variables, a pipe), `arguments` behind it, both in the shell's words. */
static UNUSED outcome run_with(const char *before, const char *arguments) {
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
  FILE *f = fopen(errors, "r");
  assert_non_null(f);
  o.err = read_all(f);
  fclose(f);
  free(line);
  return o;
}

static UNUSED void done(outcome *o) {
  free(o->out);
  free(o->err);
}

static UNUSED void check_has(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

static UNUSED int make_directory(void **state) {
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

#endif
