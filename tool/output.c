/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef __linux__
#define _GNU_SOURCE /* O_TMPFILE */
#else
#define _XOPEN_SOURCE 700
#endif
#include "output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifndef _WIN32
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>
#endif

#include "print.h"

static output *opened; /* changed by one store at a time: a handler may look at any moment */

/* ---- Being ended ---- */

static void drop_all(void) {
  while (opened) {
    jn__whole_abandon(&opened->file);
    opened = opened->next;
  }
}

#ifndef _WIN32
static volatile sig_atomic_t child;

/* Only what a handler may call: kill, unlink, signal, raise. */
static void end_by(int number) {
  if (child > 0) kill((pid_t)child, SIGKILL);
  for (const output *o = opened; o; o = o->next)
    if (o->file.name[0]) unlink(o->file.name);
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU};
  static bool done;
  if (done) return;
  done = true;
  atexit(drop_all); /* out of memory */
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction act = {.sa_handler = end_by}, old;
    sigfillset(&act.sa_mask);
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(numbers[i], &act, NULL);
  }
}

void output_with_child(long process) {
  catch_signals();
  child = (sig_atomic_t)process;
}
#else
static void catch_signals(void) {
  static bool done;
  if (!done) atexit(drop_all);
  done = true;
}
void output_with_child(long process) { (void)process; }
#endif

/* ---- Files ---- */

static void forget(output *o) {
  for (output **at = &opened; *at; at = &(*at)->next) {
    if (*at != o) continue;
    *at = o->next;
    return;
  }
}

static void tell(const output *o, int code) { say(stderr, "jounce: cannot write %s: %s\n", o->path, strerror(code)); }

FILE *output_open(output *o, const char *path) {
  *o = (output){.path = path};
  if (strcmp(path, "-") == 0) return stdout;
  catch_signals();
  fflush(stdout); /* the path may be /dev/stdout */
  o->next = opened;
  opened = o; /* before it is there: a signal may come at any time */
  int code = jn__whole_open(&o->file, path, 0);
  if (!code) return o->file.stream;
  forget(o);
  tell(o, code);
  return NULL;
}

bool output_close(output *o, bool good) {
  if (!o->path) return false;
  if (strcmp(o->path, "-") == 0) return good && !ferror(stdout); /* main() closes it */
  if (!o->file.stream) return false;
  int code = 0;
  if (good)
    code = jn__whole_commit(&o->file);
  else
    jn__whole_abandon(&o->file);
  forget(o);
  if (code) tell(o, code);
  return good && !code;
}

FILE *open_temporary(void) {
#ifdef O_TMPFILE
  const char *folder = getenv("TMPDIR");
  int file = folder && *folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
  FILE *stream = file >= 0 ? fdopen(file, "w+b") : NULL;
  if (stream) return stream;
  if (file >= 0) close(file);
#endif
  return tmpfile();
}

bool is_same_file(const char *to, const char *from) {
  struct stat x, y;
  if (!to || !from || strcmp(to, "-") == 0 || stat(to, &x) != 0 || !S_ISREG(x.st_mode)) return false;
#ifndef _WIN32
  if (strcmp(from, "-") == 0) return fstat(STDIN_FILENO, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
#endif
  if (stat(from, &y) != 0) return false;
  return x.st_ino == 0 ? strcmp(to, from) == 0 : x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
