/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are written whole or not at all. The new file grows beside the old one, without a name where the system
 * can do that (Linux: O_TMPFILE), goes to the disk (fsync), and takes the place of the old one in one step (rename). At
 * any time, also after a kill or a full disk, the path has the old content or all of the new one; a file without a name
 * disappears with its process. Part of the library and of the command; needs the C library only and allocates nothing
 * of its own.
 *
 * Symbolic links stay: the file that they name is replaced. Mode and, where allowed, owner of the old file are kept;
 * its other hard links keep the old content. What is no regular file (a pipe, a device, /dev/stdout) cannot be
 * replaced, and is written to directly. */
#ifndef JN_IO_WHOLE_FILE_H
#define JN_IO_WHOLE_FILE_H

#include <stddef.h>
#include <stdio.h>

enum { JN_PATH = 4096 }; /* what Linux takes at most */

typedef struct jn_whole_file {
  FILE *stream;  /* to write to; NULL: closed */
  int replaces;  /* a regular file takes the place of `target` at the end; else written to directly */
  int exists;    /* there is an old file, with: */
  unsigned mode; /* permissions */
  unsigned owner, group;
  char target[JN_PATH]; /* where symbolic links lead */
  char name[JN_PATH];   /* of the file beside it; "": it has none */
} jn_whole_file;

/* 0, or an errno. With `named` the file gets a name beside the target even where it could do without (for tests). */
int jn__whole_open(jn_whole_file *w, const char *path, int named);
/* Closes, and puts the file in place. 0, or the errno of what failed first: then the old file is as it was. */
int jn__whole_commit(jn_whole_file *w);
/* Closes, and leaves the old file as it was. Does nothing after one of the two. */
void jn__whole_abandon(jn_whole_file *w);

/* A text from opening to its place. No signal of this thread comes between, unless `path` is a pipe or a device. */
int jn__whole_save(const char *path, const char *text, size_t length);

#endif
