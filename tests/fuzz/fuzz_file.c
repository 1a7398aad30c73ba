/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <unistd.h>

#include "fuzz.h"

enum { FILES = 4, ROOM = 256, WORDS = 32 };
static char directory[ROOM], paths[FILES][ROOM + 16], program[ROOM + 32], named[ROOM + 32];

static void clean(void) {
  for (int i = 0; i < FILES; i++) remove(paths[i]);
  if (*program) remove(program);
  if (*named) remove(named);
  rmdir(directory);
}

/* Commands read from nowhere and print to nowhere; what a sanitizer says goes to stderr. */
static void begin(void) {
  const char *base = getenv("TMPDIR");
  if (!base || !*base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"; /* memory is faster than a disk */
  snprintf(directory, sizeof directory, "%s/jounce_fuzz_XXXXXX", base);
  if (!mkdtemp(directory)) stop("a directory for files", directory);
  for (int i = 0; i < FILES; i++) snprintf(paths[i], sizeof paths[i], "%s/%d", directory, i);
  atexit(clean);
  if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout)) stop("/dev/null is there", "");
}

const char *fuzz_file(int number, const void *data, size_t size) {
  if (!*directory) begin();
  FILE *f = fopen(paths[number], "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) stop("files can be written", paths[number]);
  return paths[number];
}

const char *fuzz_file_ending(const void *data, size_t size, const char *ending) {
  const char *path = fuzz_file(0, data, size);
  if (*named) return named;
  snprintf(named, sizeof named, "%s%s", path, ending);
  if (symlink(path, named) != 0) stop("links", named);
  return named;
}

void fuzz_no_program(const char *name) {
  if (*program) return;
  if (!*directory) begin();
  snprintf(program, sizeof program, "%s/%s", directory, name);
  if (symlink(access("/bin/true", X_OK) == 0 ? "/bin/true" : "/usr/bin/true", program) != 0) stop("links", program);
  setenv("PATH", directory, 1);
  signal(SIGPIPE, SIG_IGN); /* it does not read what it is given */
}

int fuzz_run(int (*command)(int argc, char **argv), const char *const *words) {
  char *copies[WORDS + 1];
  int count = 0;
  for (; words[count]; count++) copies[count] = strdup(words[count]);
  copies[count] = NULL;
  int code = command(count, copies);
  if (code < 0 || code > 2) stop("exit codes are 0, 1 and 2", words[0]);
  for (int i = 0; i < count; i++) free(copies[i]);
  return code;
}
