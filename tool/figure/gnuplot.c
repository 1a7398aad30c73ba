/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#include <process.h>
#else
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "../files/output.h"
#include "../text/print.h"

void gnuplot_text(FILE *script, const char *text) {
  char *shown = printable_text(text, 1);
  fputc('"', script);
  for (const char *p = shown; *p; p++) fprintf(script, "\\%03o", (unsigned)(unsigned char)*p);
  fputc('"', script);
  free(shown);
}

#ifdef _WIN32

bool gnuplot_exists(void) { return true; }

static int run(FILE *script, FILE *to) {
  int in = _dup(0), out = _dup(1), code = -1;
  if (in >= 0 && out >= 0 && _dup2(_fileno(script), 0) == 0 && _dup2(_fileno(to), 1) == 0)
    code = (int)_spawnlp(_P_WAIT, "gnuplot", "gnuplot", "-d", NULL);
  _dup2(in, 0);
  _dup2(out, 1);
  _close(in);
  _close(out);
  return code;
}

#else

extern char **environ;

/* The file to run, a new string; NULL when there is none. */
static char *find_gnuplot(void) {
  const char *path = getenv("PATH");
  for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    char *full = format_text("%.*s/gnuplot", (int)n, p);
    if (n > 0 && access(full, X_OK) == 0) return full; /* an empty entry, the folder we are in, is not meant */
    free(full);
    p += n + (p[n] == ':');
  }
  return NULL;
}

bool gnuplot_exists(void) {
  char *file = find_gnuplot();
  free(file);
  return file != NULL;
}

/* Variables by which gnuplot would load scripts, programs or other settings, and the locale, which is ours: without
 * UTF-8 it warns that it cannot write a degree sign. */
static bool is_dropped(const char *variable) {
  static const char *const prefixes[] = {"GNUPLOT", "GNUTERM=", "GNUHELP=", "FIT_", "PAGER=", "LC_ALL="};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

static char **make_environment(void) {
  static char locale[] = "LC_ALL=C.UTF-8";
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char **list = allocate((count + 2) * sizeof *list);
  for (size_t i = 0; i < count; i++)
    if (!is_dropped(environ[i])) list[kept++] = environ[i];
  list[kept++] = locale;
  list[kept] = NULL;
  return list;
}

/* Its exit status; -1 with errno set when it did not run. */
static int run(FILE *script, FILE *to) {
  char *file = find_gnuplot(), name[] = "gnuplot", plain[] = "-d", *words[] = {name, plain, NULL};
  char **environment = make_environment();
  posix_spawn_file_actions_t streams;
  pid_t process = 0;
  int status = -1, code = file ? posix_spawn_file_actions_init(&streams) : ENOENT;
  if (!code) {
    posix_spawn_file_actions_adddup2(&streams, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&streams, fileno(to), STDOUT_FILENO);
    code = posix_spawn(&process, file, &streams, NULL, words, environment);
    posix_spawn_file_actions_destroy(&streams);
  }
  if (!code) {
    output_with_child((long)process);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    output_with_child(0);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  free(environment);
  free(file);
  errno = code;
  return status;
}

#endif

bool gnuplot_run(FILE *script, FILE *to) {
  errno = 0;
  if (ferror(script) || fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0) {
    say(stderr, "jounce: cannot write a temporary file: %s\n", strerror(errno ? errno : EIO));
    return false;
  }
  fflush(to);
  int status = run(script, to);
  if (status < 0) say(stderr, "jounce: cannot run gnuplot: %s\n", strerror(errno));
  return status == 0;
}
