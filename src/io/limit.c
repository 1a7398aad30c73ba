/* SPDX-License-Identifier: BSD-2-Clause */
#include "limit.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../text/json_values.h"

size_t jn__limit(size_t max_bytes) { return max_bytes ? max_bytes : JN_MAX_BYTES; }

jn_status jn__over_limit(jn_log *log, const char *file, const char *subject, const char *what, size_t limit) {
  char size[48] = "";
  if (limit >= 1 << 20 && limit % (1 << 20) == 0) snprintf(size, sizeof size, " (%zu MiB)", limit >> 20);
  jn__log(log, JN_ERROR, JN_ERR_FILE, "file-size", (jn_place){file, 0, 0}, subject,
          "if you trust the file, raise the limit: max_bytes of the options, --max-bytes of the command",
          "%s the limit of %zu bytes%s", what, limit, size);
  return JN_ERR_FILE;
}

static void tell(jn_log *log, const char *path, jn_status status, const char *text, const char *why) {
  jn__log(log, JN_ERROR, status, status == JN_ERR_MEMORY ? "memory" : "file", (jn_place){path, 0, 0}, NULL, NULL,
          "%s%s", text, why);
}

/* A block of `room` bytes in place of `old`, which is released; NULL if out of memory. */
static char *enlarge(const jn_allocator *a, char *old, size_t used, size_t room) {
  char *bigger = jn__allocate(a, room);
  if (bigger && old) memcpy(bigger, old, used);
  jn__release(a, old);
  return bigger;
}

static char *read_stream(const jn_allocator *a, jn_log *log, FILE *f, const char *path, size_t limit, size_t *length) {
  size_t most = limit < SIZE_MAX ? limit + 1 : limit, room = 1 << 16, used = 0;
  if (room > most) room = most;
  char *text = enlarge(a, NULL, 0, room);
  while (text) {
    size_t n = fread(text + used, 1, room - used, f);
    used += n;
    if (n == 0 || used > limit) break;
    if (used < room) continue;
    room = room > most / 2 ? most : 2 * room;
    text = enlarge(a, text, used, room);
  }
  *length = used;
  if (text && used <= limit && !ferror(f)) return text;
  if (!text)
    tell(log, path, JN_ERR_MEMORY, jn_status_text(JN_ERR_MEMORY), "");
  else if (used > limit)
    jn__over_limit(log, path, NULL, "is larger than", limit);
  else
    tell(log, path, JN_ERR_FILE, "cannot be read: ", strerror(errno));
  jn__release(a, text);
  return NULL;
}

char *jn__read_file(const jn_allocator *a, jn_log *log, const char *path, size_t limit, size_t *length) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    tell(log, path, JN_ERR_FILE, "cannot be opened: ", strerror(errno));
    return NULL;
  }
  char *text = read_stream(a, log, f, path, limit, length);
  fclose(f);
  return text;
}

int jn__parts_fit(jn_log *log, const char *file, const jn_parts *p, size_t limit) {
  const struct {
    int count;
    size_t cost;
    const char *name;
  } parts[] = {{p->links, JN_LINK_COST, "links"},
               {p->moving, JN_MOVING_COST, "moving joints"},
               {p->frames, JN_FRAME_COST, "frames"},
               {p->loops, JN_LOOP_COST, "loops"}};
  size_t left = limit;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size_t count = (size_t)parts[i].count;
    if (count <= left / parts[i].cost) {
      left -= count * parts[i].cost;
      continue;
    }
    char what[96];
    snprintf(what, sizeof what, "has at least %zu %s, which take %zu bytes each and, with the rest, more than", count,
             parts[i].name, parts[i].cost);
    jn__over_limit(log, file, NULL, what, limit);
    return 0;
  }
  return 1;
}

int jn__json_fits(jn_log *log, const char *file, const char *text, size_t length, size_t limit) {
  size_t values = jn__json_value_count(text, length);
  if (values <= limit / JN_JSON_VALUE) return 1;
  char what[96];
  snprintf(what, sizeof what, "has %zu values, which take %d bytes each and more than", values, (int)JN_JSON_VALUE);
  jn__over_limit(log, file, NULL, what, limit);
  return 0;
}
