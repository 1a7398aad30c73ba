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

#include "../command.h"
#include "../options/options.h"
#include "../text/print.h"

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

/* ---- One rule: no output is an input, or another output, of the same call ---- */

/* Regular files by what the system knows them by, whatever their names. */
typedef struct file_list {
  struct stat *files;
  int count;
} file_list;

static file_list files_read, files_written;

static void forget_files(file_list *list) {
  free(list->files);
  *list = (file_list){0};
}

static bool is_listed(const file_list *list, const struct stat *file) {
  for (int i = 0; i < list->count; i++)
    if (file->st_ino != 0 && list->files[i].st_dev == file->st_dev && list->files[i].st_ino == file->st_ino)
      return true;
  return false;
}

static void list_file(file_list *list, const struct stat *file) {
  if (!S_ISREG(file->st_mode) || is_listed(list, file)) return;
  list->files = reallocate(list->files, ((size_t)list->count + 1) * sizeof *list->files);
  list->files[list->count++] = *file;
}

void output_note_input(FILE *stream) {
  struct stat about;
  if (fstat(fileno(stream), &about) == 0) list_file(&files_read, &about);
}

/* May the file take its place? False after telling why not. */
static bool may_replace(const output *o) {
  struct stat old;
  if (!o->file.replaces || stat(o->file.target, &old) != 0) return true;

  const char *why = is_listed(&files_read, &old)      ? "is also read; give another name for what is written"
                    : is_listed(&files_written, &old) ? "has been written already; give each result its own file"
                                                      : NULL;
  if (why) say(stderr, "jounce: cannot write %s: the file %s\n", o->path, why);
  return !why;
}

/* Do both paths stand for one place where no file is yet? */
static bool is_same_place(const char *a, const char *b) {
  char place[2][JN_PATH];
  if (jn__whole_target(a, place[0]) != 0 || jn__whole_target(b, place[1]) != 0) return false;
  if (strcmp(place[0], place[1]) == 0) return true;
#ifdef _WIN32
  return false;
#else
  struct stat folder[2];
  const char *name[2];

  /* the same last part, in the same folder */
  for (int i = 0; i < 2; i++) {
    char *slash = strrchr(place[i], '/');
    name[i] = slash ? slash + 1 : place[i];
    char *path = slash ? copy_text(place[i], (size_t)(slash + 1 - place[i])) : copy_text(".", 1);
    bool exists = stat(path, &folder[i]) == 0;
    free(path);
    if (!exists) return false;
  }
  return strcmp(name[0], name[1]) == 0 && folder[0].st_dev == folder[1].st_dev && folder[0].st_ino == folder[1].st_ino;
#endif
}

static bool is_output_twice(const char *a, const char *b) {
  struct stat about;
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
  if (stat(a, &about) == 0 || stat(b, &about) == 0) return is_same_file(a, b);
  return is_same_place(a, b);
}

/* Is `to` the file of this value, or of its part before a comma ("FILE,frame=hand" of --attach)? */
static bool is_read_as(const char *to, const char *value) {
  if (is_same_file(to, value)) return true;
  for (const char *comma = value; (comma = strchr(comma, ',')); comma++) {
    char *file = copy_text(value, (size_t)(comma - value));
    bool same = is_same_file(to, file);
    free(file);
    if (same) return true;
  }
  return false;
}

void output_begin_call(void) {
  forget_files(&files_read);
  forget_files(&files_written);
}

/* Notes the file that a value names, if there is one; "-" is standard input. */
static void note_path(const char *path) {
  struct stat about;
  bool exists = strcmp(path, "-") == 0 ? fstat(fileno(stdin), &about) == 0 : stat(path, &about) == 0;
  if (exists) list_file(&files_read, &about);
}

/* The same for what is before a comma, as is_read_as() compares. */
static void note_value(const char *value) {
  note_path(value);
  for (const char *comma = value; (comma = strchr(comma, ',')); comma++) {
    char *file = copy_text(value, (size_t)(comma - value));
    note_path(file);
    free(file);
  }
}

int output_check(const char *command, const named_path *paths, int count) {
  for (int i = 0; i < count; i++) {
    const named_path *to = &paths[i];
    if (!to->is_output) continue;
    for (int k = 0; k < count; k++) {
      const named_path *other = &paths[k];
      if (!other->is_output && is_read_as(to->path, other->path))
        return usage_error(command, "%s %s would write over the file that %s is read from; give another name", to->name,
                           to->path, other->name);
      if (other->is_output && k > i && is_output_twice(to->path, other->path))
        return usage_error(command, "%s and %s name the same file, %s; give each its own", to->name, other->name,
                           other->path);
    }
  }

  /* names of further outputs are known later: files of a folder, pictures of several pages */
  for (int i = 0; i < count; i++)
    if (!paths[i].is_output) note_value(paths[i].path);
  return OPTION_GO_ON;
}

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
  if (!code && may_replace(o)) return o->file.stream;

  jn__whole_abandon(&o->file);
  forget(o);
  if (code) tell(o, code);
  return NULL;
}

/* Remembers what was just written. */
static void list_written(const output *o) {
  struct stat about;
  if (o->file.replaces && stat(o->file.target, &about) == 0) list_file(&files_written, &about);
}

bool output_close(output *o, bool good) {
  if (!o->path) return false;
  if (strcmp(o->path, "-") == 0) return good && !ferror(stdout); /* main() closes it */
  if (!o->file.stream) return false;

  /* not good because writing failed, as on a full disk: committing fails as well, and says why */
  bool write_failed = ferror(o->file.stream);
  int code = 0;
  good = good && may_replace(o);
  if (good || write_failed)
    code = jn__whole_commit(&o->file);
  else
    jn__whole_abandon(&o->file);

  forget(o);
  if (code)
    tell(o, code);
  else if (good)
    list_written(o);
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
