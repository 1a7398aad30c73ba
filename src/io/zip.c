/* SPDX-License-Identifier: BSD-2-Clause */
/* ZIP archives as NumPy writes them (NPZ): files stored or deflated (zlib), found by the directory at the end. */
#include <stdio.h>
#include <string.h>

#include "table.h"
#if JN_WITH_ZLIB
#include <limits.h>
#include <zlib.h>
#endif

enum { END_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30, MAX_COMMENT = 65535 };

uint32_t jn__crc32(const unsigned char *bytes, size_t length) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < length; i++) crc = table[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
  return crc ^ 0xFFFFFFFFu;
}

static uint32_t two(const unsigned char *p) { return (uint32_t)(p[0] | p[1] << 8); }
static uint32_t four(const unsigned char *p) { return two(p) | two(p + 2) << 16; }

/* The record at the end of an archive, behind which there may be a comment. */
static const unsigned char *find_end(const unsigned char *bytes, size_t length) {
  if (length < END_BYTES) return NULL;
  const unsigned char *p = bytes + length - END_BYTES;
  for (int i = 0; i <= MAX_COMMENT && p >= bytes; i++, p--)
    if (memcmp(p, "PK\5\6", 4) == 0) return p;
  return NULL;
}

#if JN_WITH_ZLIB
static int inflate_raw(const unsigned char *from, size_t packed, unsigned char *to, size_t length) {
  z_stream z = {
      .next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)packed, .next_out = to, .avail_out = (uInt)length};
  if (packed > UINT_MAX || length > UINT_MAX || inflateInit2(&z, -MAX_WBITS) != Z_OK) return 0;
  int result = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  return result == Z_STREAM_END && z.total_out == length;
}
#endif

/* Deflate makes at most 1032 bytes from one: what claims to be more is not worth the memory. */
enum { MOST_RATIO = 1032 };

typedef struct member {
  uint32_t method, crc, packed, length, offset, name_length;
  const unsigned char *name;
} member;

/* The name as far as it fits into a message. */
static int shown(const member *m) { return m->name_length < 60 ? (int)m->name_length : 60; }
#define SHOWN(m) shown(m), (const char *)(m)->name

static jn_status unpack(const jn_zip *zip, const member *m, const unsigned char *from, jn_zip_entry *e, char *why,
                        size_t size) {
  if (m->method == 0 && m->packed == m->length) {
    e->bytes = from;
  } else if (m->method == 8) {
#if JN_WITH_ZLIB
    if (m->length > (uint64_t)MOST_RATIO * m->packed)
      return snprintf(why, size, "'%.*s' in the archive claims a size that it cannot have", SHOWN(m)), JN_ERR_SYNTAX;
    unsigned char *to = e->owned = jn__allocate(&zip->allocator, m->length);
    if (!to) return JN_ERR_MEMORY;
    if (!inflate_raw(from, m->packed, to, m->length))
      return snprintf(why, size, "'%.*s' in the archive cannot be unpacked", SHOWN(m)), JN_ERR_SYNTAX;
    e->bytes = to;
#else
    (void)zip;
    snprintf(why, size, "'%.*s' is compressed, and this build of jounce lacks zlib: write it with numpy.savez",
             SHOWN(m));
    return JN_ERR_UNSUPPORTED;
#endif
  } else {
    snprintf(why, size, "'%.*s' is compressed by method %u; only stored and deflated entries can be read", SHOWN(m),
             (unsigned)m->method);
    return JN_ERR_UNSUPPORTED;
  }
  if (jn__crc32(e->bytes, e->length) == m->crc) return JN_OK;
  return snprintf(why, size, "'%.*s' in the archive is damaged: its checksum is wrong", SHOWN(m)), JN_ERR_SYNTAX;
}

static jn_status get_member(jn_zip *zip, const member *m, jn_zip_entry *e, char *why, size_t size) {
  size_t length = zip->length;
  if (m->offset > length || length - m->offset < LOCAL_BYTES) return snprintf(why, size, "is cut off"), JN_ERR_SYNTAX;
  const unsigned char *local = zip->bytes + m->offset;
  size_t start = m->offset + LOCAL_BYTES + two(local + 26) + two(local + 28);
  if (memcmp(local, "PK\3\4", 4) != 0 || start > length || m->packed > length - start)
    return snprintf(why, size, "'%.*s' in the archive is cut off", SHOWN(m)), JN_ERR_SYNTAX;
  if (m->length > zip->limit) return JN_ERR_FILE;
  zip->limit -= m->length;
  e->length = m->length;
  return unpack(zip, m, zip->bytes + start, e, why, size);
}

jn_status jn__zip_open(jn_zip *zip, const jn_allocator *a, const unsigned char *bytes, size_t length, size_t limit,
                       char *why, size_t size) {
  *zip = (jn_zip){.allocator = *a, .bytes = bytes, .length = length, .limit = limit};
  const unsigned char *end = find_end(bytes, length);
  if (!end) return snprintf(why, size, "is not a complete ZIP archive"), JN_ERR_SYNTAX;
  zip->directory = four(end + 16);
  zip->count = (int)two(end + 10);
  return JN_OK;
}

/* The entry of the directory at *at, which moves behind it; 0 when it is broken. */
static int next_member(const jn_zip *zip, size_t *at, member *m) {
  const unsigned char *p = zip->bytes + *at;
  if (*at > zip->length || zip->length - *at < ENTRY_BYTES || memcmp(p, "PK\1\2", 4) != 0) return 0;
  *m = (member){two(p + 10), four(p + 16), four(p + 20), four(p + 24), four(p + 42), two(p + 28), p + ENTRY_BYTES};
  if (m->name_length > zip->length - *at - ENTRY_BYTES) return 0;
  *at += ENTRY_BYTES + m->name_length + two(p + 30) + two(p + 32);
  return 1;
}

int jn__zip_next(const jn_zip *zip, jn_zip_walk *walk, const char **name, size_t *length) {
  member m;
  if (walk->index == 0) walk->at = zip->directory;
  if (walk->index == zip->count) return 0;
  if (!next_member(zip, &walk->at, &m)) return -1;

  walk->index++;
  *name = (const char *)m.name;
  *length = m.name_length;
  return 1;
}

static int has_name(const member *m, const char *name) {
  size_t n = strlen(name);
  return m->name_length == n + 4 && memcmp(m->name, name, n) == 0 && memcmp(m->name + n, ".npy", 4) == 0;
}

jn_status jn__zip_get(jn_zip *zip, const char *name, jn_zip_entry *e, char *why, size_t size) {
  *e = (jn_zip_entry){0};
  *why = 0;
  size_t at = zip->directory;
  member m, found = {0};
  for (int i = 0; i < zip->count; i++) {
    if (!next_member(zip, &at, &m)) return snprintf(why, size, "has a broken directory"), JN_ERR_SYNTAX;
    if (!has_name(&m, name)) continue;
    if (found.name) return snprintf(why, size, "has two files '%s.npy'", name), JN_ERR_SYNTAX;
    found = m;
  }
  return found.name ? get_member(zip, &found, e, why, size) : JN_OK;
}

void jn__zip_release(const jn_zip *zip, jn_zip_entry *e) {
  jn__release(&zip->allocator, e->owned);
  *e = (jn_zip_entry){0};
}
