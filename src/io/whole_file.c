/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__)
#define _GNU_SOURCE /* O_TMPFILE */
#else
#define _XOPEN_SOURCE 700
#endif
#include "whole_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <process.h>
#include <windows.h>
#define getpid _getpid
#else
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

enum { NAMES_TRIED = 100 };

/* 0, or the errno of a failed write. If the stream already has an error, its cause is no longer known. The file is lost
 * anyway, so write once more to learn the cause. */
static int write_error(FILE *stream) {
  static const char more[4096];
  errno = 0;
  if (!ferror(stream)) return fflush(stream) == 0 ? 0 : errno ? errno : EIO;
  clearerr(stream);
  errno = 0;
  fwrite(more, 1, sizeof more, stream);
  fflush(stream);
  return errno ? errno : EIO;
}

/* The i-th name to try for a temporary file next to the target, short even if the target's name is long. 0 or
 * ENAMETOOLONG. A signal handler that removes the file may run at any time: it finds either no name or the complete
 * one. */
static int name_beside(jn_whole_file *w, int i) {
  char name[JN_PATH];
  const char *target = w->target, *slash = strrchr(target, '/');
#if defined(_WIN32)
  const char *back = strrchr(target, '\\');
  if (back && (!slash || back > slash)) slash = back;
#endif
  int folder = slash ? (int)(slash + 1 - target) : 0;
  int n = snprintf(name, sizeof name, "%.*s.jounce-%ld-%d.tmp", folder, target, (long)getpid(), i);
  if (n >= JN_PATH) return ENAMETOOLONG;
  w->name[0] = 0;
  atomic_signal_fence(memory_order_seq_cst);
  memcpy(w->name + 1, name + 1, (size_t)n);
  atomic_signal_fence(memory_order_seq_cst);
  w->name[0] = name[0];
  atomic_signal_fence(memory_order_seq_cst);
  return 0;
}

#if defined(_WIN32)

static int open_beside(jn_whole_file *w, int named) {
  int code = EEXIST;
  (void)named;
  for (int i = 0; code == EEXIST && i < NAMES_TRIED; i++) {
    code = name_beside(w, i);
    if (code) break;
    w->stream = fopen(w->name, "wbx");
    code = w->stream ? 0 : errno;
  }
  return code;
}

int jn__whole_open(jn_whole_file *w, const char *path, int named) {
  *w = (jn_whole_file){.replaces = 1};
  if (strlen(path) >= sizeof w->target) return ENAMETOOLONG;
  memcpy(w->target, path, strlen(path) + 1);
  int code = open_beside(w, named);
  if (code) w->name[0] = 0;
  return code;
}

int jn__whole_target(const char *path, char target[JN_PATH]) {
  if (strlen(path) >= JN_PATH) return ENAMETOOLONG;
  memcpy(target, path, strlen(path) + 1);
  return 0;
}

int jn__whole_commit(jn_whole_file *w) {
  int code = write_error(w->stream);
  if (fclose(w->stream) != 0 && !code) code = errno ? errno : EIO;
  w->stream = NULL;
  if (!code && !MoveFileExA(w->name, w->target, MOVEFILE_REPLACE_EXISTING)) code = EACCES;
  if (code) remove(w->name);
  w->name[0] = 0;
  return code;
}

typedef int signals;
static signals hold_signals(void) { return 0; }
static void release_signals(signals before) { (void)before; }
static int may_wait(const char *path) { return !path; }

#else

typedef sigset_t signals;

static signals hold_signals(void) {
  signals all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  return before;
}

static void release_signals(signals before) { pthread_sigmask(SIG_SETMASK, &before, NULL); }

/* A pipe without a reader, which only a signal ends? */
static int may_wait(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

/* ---- Where to ---- */

/* The descriptor that a path of /proc/self/fd or /dev/fd stands for; -1 for others. */
static int descriptor_of(const char *path) {
  static const char *const folders[] = {"/proc/self/fd/", "/dev/fd/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    size_t n = strlen(folders[i]);
    if (strncmp(path, folders[i], n) != 0) continue;
    size_t digits = strspn(path + n, "0123456789");
    if (digits > 0 && digits < 6 && path[n + digits] == 0) return atoi(path + n);
  }
  return -1;
}

/* Resolves symbolic links into `target`, even if the file does not exist yet. 0 or an errno: ELOOP after as many links
 * as the system follows. *descriptor: of a file that is already open, such as /dev/stdout; otherwise -1. */
static int follow_links(const char *path, char target[JN_PATH], int *descriptor) {
  enum { MAX_LINKS = 40 };
  if (strlen(path) >= JN_PATH) return ENAMETOOLONG;
  memcpy(target, path, strlen(path) + 1);
  for (int i = 0; i <= MAX_LINKS; i++) {
    char next[JN_PATH];
    *descriptor = descriptor_of(target);
    ssize_t n = *descriptor < 0 ? readlink(target, next, sizeof next) : -1;
    if (n < 0) return 0; /* no link */
    const char *slash = strrchr(target, '/');
    size_t stem = n > 0 && next[0] != '/' && slash ? (size_t)(slash + 1 - target) : 0; /* relative to its place */
    if (stem + (size_t)n >= JN_PATH) return ENAMETOOLONG;
    memcpy(target + stem, next, (size_t)n);
    target[stem + (size_t)n] = 0;
  }
  return ELOOP;
}

int jn__whole_target(const char *path, char target[JN_PATH]) { return follow_links(path, target, &(int){-1}); }

/* ---- Opening ---- */

static int take_descriptor(jn_whole_file *w, int descriptor) {
  if (descriptor < 0) return errno;
  w->stream = fdopen(descriptor, "wb");
  if (w->stream) return 0;
  int code = errno;
  close(descriptor);
  return code;
}

/* A file of the target's folder that has no name yet; -1 where there are none. Its name comes through /proc. */
static int open_nameless(const jn_whole_file *w, mode_t mode) {
#if defined(O_TMPFILE)
  char folder[JN_PATH];
  const char *slash = strrchr(w->target, '/');
  size_t n = slash == w->target ? 1 : slash ? (size_t)(slash - w->target) : 0;
  memcpy(folder, w->target, n);
  folder[n] = 0;
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return open(n ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
#else
  (void)w;
  (void)mode;
  return -1;
#endif
}

static int open_named(jn_whole_file *w, mode_t mode) {
  int code = EEXIST, descriptor = -1;
  for (int i = 0; code == EEXIST && i < NAMES_TRIED; i++) {
    code = name_beside(w, i);
    if (code) break;
    descriptor = open(w->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    code = descriptor < 0 ? errno : 0;
  }
  if (code) w->name[0] = 0;
  if (code) return code;
  code = take_descriptor(w, descriptor);
  if (code) unlink(w->name), w->name[0] = 0;
  return code;
}

int jn__whole_open(jn_whole_file *w, const char *path, int named) {
  struct stat old;
  int descriptor = -1;
  memset(w, 0, sizeof *w);
  int code = follow_links(path, w->target, &descriptor);
  if (code) return code;
  if (descriptor >= 0) return take_descriptor(w, dup(descriptor));
  w->exists = stat(w->target, &old) == 0;
  if (!w->exists && errno != ENOENT) return errno;
  if (w->exists && !S_ISREG(old.st_mode)) return take_descriptor(w, open(w->target, O_WRONLY | O_TRUNC | O_CLOEXEC));
  w->replaces = 1;
  if (w->exists) {
    w->mode = old.st_mode & 0777;
    w->owner = old.st_uid;
    w->group = old.st_gid;
    if (access(w->target, W_OK) != 0) return errno; /* a file that says it is not to be written */
  }
  mode_t mode = w->exists ? (mode_t)w->mode : 0666; /* nobody sees more of the new file than of the old one */
  descriptor = named ? -1 : open_nameless(w, mode);
  return descriptor >= 0 ? take_descriptor(w, descriptor) : open_named(w, mode);
}

/* ---- Closing ---- */

/* All to the disk, with the permissions of the old file. */
static int settle(jn_whole_file *w) {
  int file = fileno(w->stream);
  if (w->exists && (w->owner != geteuid() || w->group != getegid()) && fchown(file, w->owner, w->group) != 0)
    errno = 0; /* only some may give files away: the new one is ours */
  if (w->exists && fchmod(file, (mode_t)w->mode) != 0) return errno;
  if (fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP) return errno; /* those: not a disk */
  return 0;
}

static int link_as(const jn_whole_file *w, const char *name) {
  char here[48];
  snprintf(here, sizeof here, "/proc/self/fd/%d", fileno(w->stream));
  return linkat(AT_FDCWD, here, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* A name for a file without one: the target's own if nothing is there, else one beside it. */
static int give_name(jn_whole_file *w) {
  int code = w->exists ? EEXIST : link_as(w, w->target);
  if (code != EEXIST) return code;
  for (int i = 0; code == EEXIST && i < NAMES_TRIED; i++) {
    code = name_beside(w, i);
    if (!code) code = link_as(w, w->name);
  }
  if (code) w->name[0] = 0;
  return code;
}

/* The new name of the file goes to the disk, too; some file systems cannot do that. */
static void settle_folder(const jn_whole_file *w) {
  char folder[JN_PATH];
  const char *slash = strrchr(w->target, '/');
  size_t n = slash ? (size_t)(slash + 1 - w->target) : 0;
  memcpy(folder, w->target, n);
  folder[n] = 0;
  int descriptor = open(n ? folder : ".", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

int jn__whole_commit(jn_whole_file *w) {
  int code = write_error(w->stream);
  if (!code && w->replaces) code = settle(w);
  signals before = hold_signals(); /* the few steps in which a signal could leave the file beside its place */
  if (w->replaces && !code && !w->name[0]) code = give_name(w);
  errno = 0;
  if (fclose(w->stream) != 0 && !code) code = errno ? errno : EIO;
  w->stream = NULL;
  if (w->name[0]) {
    if (!code && rename(w->name, w->target) != 0) code = errno;
    if (code) unlink(w->name);
    w->name[0] = 0;
  }
  release_signals(before);
  if (w->replaces && !code) settle_folder(w);
  return code;
}

#endif

void jn__whole_abandon(jn_whole_file *w) {
  if (!w->stream) return;
  fclose(w->stream);
  w->stream = NULL;
  if (w->name[0]) remove(w->name);
  w->name[0] = 0;
}

static int save(const char *path, const char *text, size_t length) {
  jn_whole_file w;
  int code = jn__whole_open(&w, path, 0);
  if (code) return code;
  fwrite(text, 1, length, w.stream); /* an error stays with the stream until commit */
  return jn__whole_commit(&w);
}

int jn__whole_save(const char *path, const char *text, size_t length) {
  if (may_wait(path)) return save(path, text, length);
  signals before = hold_signals();
  int code = save(path, text, length);
  release_signals(before);
  return code;
}
