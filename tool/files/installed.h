/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are installed with the command. */
#ifndef JN_TOOL_FILES_INSTALLED_H
#define JN_TOOL_FILES_INSTALLED_H

#include <stdbool.h>

enum { PATH_BYTES = 4096 };

/* What comes behind the last slash. */
const char *last_part(const char *path);
bool is_readable(const char *path);
/* A file that belongs to this command: `place` is the way to it from the folder of the command, so that it is found
 * under any prefix (a build tree has a link there), or an absolute path. False: it is not there, or this system does
 * not say where the command is. */
bool installed_file(const char *place, char path[PATH_BYTES]);

#endif
