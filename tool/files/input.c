/* SPDX-License-Identifier: BSD-2-Clause */
#include "input.h"

#include <errno.h>
#include <jounce/base.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"
#include "../text/text.h"
#include "output.h"

size_t max_bytes_of(const char *command, const char *text) {
  static const char units[] = "KMG";
  if (!text) return JN_MAX_BYTES;
  char *end;
  errno = 0;
  unsigned long long number = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
  if (number > 0 && errno == 0) {
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (end[unit != NULL] == 0 && number <= SIZE_MAX >> shift) return (size_t)number << shift;
  }
  usage_error(command, "--max-bytes takes a number of bytes, optionally followed by K, M or G, not '%s'", text);
  return 0;
}

static void tell(const char *name, const char *text, const char *why) {
  say(stderr, "jounce: %s: %s%s\n", name, text, why);
}

void input_over_limit(const char *name, const char *what, size_t limit) {
  char *text = format_text("%s the limit of %zu bytes", what, limit);
  tell(name, text, "");
  say(stderr, "    if you trust the file, raise the limit: --max-bytes\n");
  free(text);
}

/* One byte more than the limit is enough to know; room is doubled, so that a small file takes little. */
static char *read_stream(FILE *stream, size_t limit, size_t *length) {
  size_t most = limit < SIZE_MAX - 1 ? limit + 1 : limit, room = most < 1 << 16 ? most : 1 << 16;
  char *text = allocate(room + 1);
  *length = 0;
  for (size_t got; (got = fread(text + *length, 1, room - *length, stream)) > 0;) {
    *length += got;
    if (*length > limit) break;
    if (*length < room) continue;
    room = room > most / 2 ? most : 2 * room;
    text = reallocate(text, room + 1);
  }
  text[*length] = 0;
  return text;
}

char *read_standard_input(size_t limit, size_t *length) {
  char *text = read_stream(stdin, limit, length);
  if (!ferror(stdin)) return text;
  free(text);
  return NULL;
}

char *read_input(const char *path, const char *name, size_t limit, size_t *length) {
  bool standard = strcmp(path, "-") == 0;
  FILE *stream = standard ? stdin : fopen(path, "rb");
  if (!stream) {
    tell(name, "cannot be opened: ", strerror(errno));
    return NULL;
  }
  char *text = read_opened(stream, name, limit, length);
  if (!standard) fclose(stream);
  return text;
}

char *read_opened(FILE *stream, const char *name, size_t limit, size_t *length) {
  output_note_input(stream);
  char *text = read_stream(stream, limit, length);
  int failed = ferror(stream) ? errno : 0;
  if (failed)
    tell(name, "cannot be read: ", strerror(failed));
  else if (*length > limit)
    input_over_limit(name, "is larger than", limit);
  else
    return text;
  free(text);
  return NULL;
}

bool input_fits(const char *name, size_t count, size_t bytes, const char *what, size_t limit) {
  if (count <= limit / bytes) return true;
  char *text = format_text("has %zu %s, which take %zu bytes each and more than", count, what, bytes);
  input_over_limit(name, text, limit);
  free(text);
  return false;
}
