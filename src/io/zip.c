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

typedef struct member {
  uint32_t method, crc, packed, length, offset, name_length;
  const unsigned char *name;
} member;

static jn_status unpack(const jn_allocator *a, const member *m, const unsigned char *from, jn_zip_entry *e, char *why,
                        size_t size) {
  e->length = m->length;
  if (m->method == 0 && m->packed == m->length) {
    e->bytes = (unsigned char *)(uintptr_t)from;
  } else if (m->method == 8) {
#if JN_WITH_ZLIB
    e->bytes = jn__allocate(a, m->length);
    e->owned = 1;
    if (!e->bytes) return JN_ERR_MEMORY;
    if (!inflate_raw(from, m->packed, e->bytes, m->length))
      return snprintf(why, size, "'%s' in the archive cannot be unpacked", e->name), JN_ERR_SYNTAX;
#else
    (void)a;
    snprintf(why, size, "'%s' is compressed, and this build of jounce lacks zlib: write it with numpy.savez", e->name);
    return JN_ERR_UNSUPPORTED;
#endif
  } else {
    snprintf(why, size, "'%s' is packed by method %u; stored and deflated are known", e->name, (unsigned)m->method);
    return JN_ERR_UNSUPPORTED;
  }
  if (jn__crc32(e->bytes, e->length) == m->crc) return JN_OK;
  return snprintf(why, size, "'%s' in the archive is damaged: its checksum is wrong", e->name), JN_ERR_SYNTAX;
}

static jn_status add_entry(const jn_allocator *a, const unsigned char *bytes, size_t length, const member *m,
                           jn_zip *zip, char *why, size_t size) {
  jn_zip_entry *e = &zip->entries[zip->count];
  uint32_t n = m->name_length < sizeof e->name ? m->name_length : (uint32_t)sizeof e->name - 1;
  memcpy(e->name, m->name, n);
  e->name[n] = 0;
  char *ending = strstr(e->name, ".npy");
  if (ending) *ending = 0;
  zip->count++;
  if (m->offset > length || length - m->offset < LOCAL_BYTES) return snprintf(why, size, "is cut off"), JN_ERR_SYNTAX;
  const unsigned char *local = bytes + m->offset;
  size_t start = m->offset + LOCAL_BYTES + two(local + 26) + two(local + 28);
  if (memcmp(local, "PK\3\4", 4) != 0 || start > length || m->packed > length - start)
    return snprintf(why, size, "'%s' in the archive is cut off", e->name), JN_ERR_SYNTAX;
  return unpack(a, m, bytes + start, e, why, size);
}

jn_status jn__zip_read(const jn_allocator *a, const unsigned char *bytes, size_t length, jn_zip *zip, char *why,
                       size_t size) {
  memset(zip, 0, sizeof *zip);
  const unsigned char *end = find_end(bytes, length);
  if (!end) return snprintf(why, size, "is no complete ZIP archive"), JN_ERR_SYNTAX;
  size_t at = four(end + 16);
  for (uint32_t i = 0; i < two(end + 10) && i < JN_ZIP_ENTRIES; i++) {
    const unsigned char *p = bytes + at;
    if (at > length || length - at < ENTRY_BYTES || memcmp(p, "PK\1\2", 4) != 0)
      return snprintf(why, size, "has a broken directory"), JN_ERR_SYNTAX;
    member m = {two(p + 10), four(p + 16), four(p + 20), four(p + 24), four(p + 42), two(p + 28), p + ENTRY_BYTES};
    if (m.name_length > length - at - ENTRY_BYTES) return snprintf(why, size, "has a broken directory"), JN_ERR_SYNTAX;
    jn_status status = add_entry(a, bytes, length, &m, zip, why, size);
    if (status != JN_OK) return status;
    at += ENTRY_BYTES + two(p + 28) + two(p + 30) + two(p + 32);
  }
  return JN_OK;
}

void jn__zip_free(const jn_allocator *a, jn_zip *zip) {
  for (int i = 0; i < zip->count; i++)
    if (zip->entries[i].owned) jn__release(a, zip->entries[i].bytes);
  zip->count = 0;
}

const jn_zip_entry *jn__zip_find(const jn_zip *zip, const char *name) {
  for (int i = 0; i < zip->count; i++)
    if (strcmp(zip->entries[i].name, name) == 0) return &zip->entries[i];
  return NULL;
}
