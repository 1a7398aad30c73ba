/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are written whole or not at all. The new file is written next to the old one, without a name if the system
 * can do that (Linux: O_TMPFILE), flushed to the disk (fsync), and then replaces the old one in one step (rename). At
 * any time, even after a kill or on a full disk, the path has either the old content or all of the new one; a file
 * without a name disappears with its process. This file is part of the library and of the command; it needs only the C
 * library and allocates no memory.
 *
 * Symbolic links are kept, and the file they point to is replaced. Mode and, where allowed, owner of the old file are
 * kept; its other hard links keep the old content. Anything but a regular file (a pipe, a device, /dev/stdout) cannot
 * be replaced and is written to directly. */
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

/* Where a file of this path would be written: the path with the symbolic links of its last part resolved, even if no
 * file is there yet. 0, or an errno. */
int jn__whole_target(const char *path, char target[JN_PATH]);

/* 0, or an errno. With `named` the file gets a name beside the target even where it could do without (for tests). */
int jn__whole_open(jn_whole_file *w, const char *path, int named);
/* Closes, and puts the file in place. 0, or the errno of what failed first: then the old file is as it was. */
int jn__whole_commit(jn_whole_file *w);
/* Closes, and leaves the old file as it was. Does nothing after one of the two. */
void jn__whole_abandon(jn_whole_file *w);

/* A text from opening to its place. No signal of this thread comes between, unless `path` is a pipe or a device. */
int jn__whole_save(const char *path, const char *text, size_t length);

#endif
