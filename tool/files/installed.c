/* SPDX-License-Identifier: BSD-2-Clause */
#include "installed.h"

#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <unistd.h>
#endif

const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool is_readable(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f) fclose(f);
  return f != NULL;
}

bool installed_file(const char *place, char path[PATH_BYTES]) {
  size_t folder = 0;
#ifdef __linux__
  if (place[0] != '/') {
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    folder = (size_t)(last_part(path) - path);
  }
#else
  if (place[0] != '/') return false;
#endif
  size_t room = PATH_BYTES - folder;
  return (size_t)snprintf(path + folder, room, "%s", place) < room && is_readable(path);
}
