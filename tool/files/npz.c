/* SPDX-License-Identifier: BSD-2-Clause */
#include "npz.h"

#include <stdlib.h>
#include <string.h>

#include "../text/print.h"

/* ---- Bytes ---- */

static uint32_t crc_of(uint32_t crc, const unsigned char *bytes, size_t length) {
  static uint32_t crcs[256];
  if (!crcs[1]) {
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t c = i;
      for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
      crcs[i] = c;
    }
  }
  crc = ~crc;
  for (size_t i = 0; i < length; i++) crc = crcs[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
  return ~crc;
}

static unsigned char *put2(unsigned char *p, uint32_t x) {
  p[0] = (unsigned char)x;
  p[1] = (unsigned char)(x >> 8);
  return p + 2;
}

static unsigned char *put4(unsigned char *p, uint32_t x) { return put2(put2(p, x & 0xFFFF), x >> 16); }

static void write_bytes(npz_writer *w, const void *bytes, size_t length) {
  fwrite(bytes, 1, length, w->file);
  w->at += length;
}

/* Numbers in the order of bytes that files have, whatever the machine's. */
static void to_little(const double *x, size_t count, unsigned char *out) {
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    for (int b = 0; b < 8; b++) *out++ = (unsigned char)(bits >> 8 * b);
  }
}

/* ---- ZIP ---- */

enum { VERSION = 20, DATE = 0x21 /* 1 January 1980 */ };

static unsigned char *put_common(unsigned char *p, const npz_entry *e) {
  p = put2(put2(p, VERSION), 0);       /* flags */
  p = put2(put2(put2(p, 0), 0), DATE); /* stored; time, date */
  p = put4(put4(put4(p, e->crc), e->length), e->length);
  return put2(put2(p, (uint32_t)strlen(e->name)), 0); /* no extra field */
}

/* One file of the archive: the header of the array, then its bytes. */
static void add_file(npz_writer *w, const char *name, const char *header, size_t header_length, const void *data,
                     size_t length) {
  unsigned char local[64], *p = local;
  uint64_t size = header_length + length;
  w->failed |= w->count == NPZ_ARRAYS || size + w->at > 0xFFFF0000u;
  if (w->failed) return;
  npz_entry *e = &w->entries[w->count++];
  snprintf(e->name, sizeof e->name, "%s.npy", name);
  e->offset = (uint32_t)w->at;
  e->length = (uint32_t)size;
  e->crc = crc_of(crc_of(0, (const unsigned char *)header, header_length), data, length);
  memcpy(p, "PK\3\4", 4);
  p = put_common(p + 4, e);
  write_bytes(w, local, (size_t)(p - local));
  write_bytes(w, e->name, strlen(e->name));
  write_bytes(w, header, header_length);
  write_bytes(w, data, length);
}

void npz_begin(npz_writer *w, FILE *file) { *w = (npz_writer){.file = file}; }

bool npz_end(npz_writer *w) {
  uint32_t start = (uint32_t)w->at;
  unsigned char record[64], *p;
  for (int i = 0; i < w->count && !w->failed; i++) {
    const npz_entry *e = &w->entries[i];
    memcpy(record, "PK\1\2", 4);
    p = put_common(put2(record + 4, VERSION), e);
    p = put4(put2(put2(put2(p, 0), 0), 0), 0); /* comment, disk, attributes */
    p = put4(p, e->offset);
    write_bytes(w, record, (size_t)(p - record));
    write_bytes(w, e->name, strlen(e->name));
  }
  memcpy(record, "PK\5\6", 4);
  p = put2(put2(record + 4, 0), 0);
  p = put2(put2(p, (uint32_t)w->count), (uint32_t)w->count);
  p = put2(put4(put4(p, (uint32_t)w->at - start), start), 0);
  write_bytes(w, record, (size_t)(p - record));
  return !w->failed && !ferror(w->file);
}

/* ---- NPY ---- */

enum { HEADER = 256 };

/* Version 1, padded so that the numbers begin at a multiple of 64. */
static size_t make_header(char header[HEADER], const char *type, const char *shape) {
  int used =
      snprintf(header + 10, HEADER - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
  size_t length = (10 + (size_t)used + 1 + 63) / 64 * 64;
  memset(header + 10 + used, ' ', length - 10 - (size_t)used);
  header[length - 1] = '\n';
  memcpy(header, "\x93NUMPY\1\0", 8);
  put2((unsigned char *)header + 8, (uint32_t)(length - 10));
  return length;
}

void npz_numbers(npz_writer *w, const char *name, const char *shape, const double *numbers, size_t count) {
  char header[HEADER];
  unsigned char *bytes = allocate(8 * count);
  to_little(numbers, count, bytes);
  add_file(w, name, header, make_header(header, "<f8", shape), bytes, 8 * count);
  free(bytes);
}

/* The next character of UTF-8 text that is known to be good, else its byte. */
static uint32_t next_character(const unsigned char **p) {
  uint32_t c = *(*p)++;
  int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
  if (more) c &= 0x3Fu >> more;
  for (; more > 0 && (**p & 0xC0) == 0x80; more--) c = c << 6 | (*(*p)++ & 0x3F);
  return c;
}

void npz_texts(npz_writer *w, const char *name, char **texts, int count) {
  char header[HEADER], type[24], shape[24];
  int longest = 1;
  for (int i = 0; i < count; i++)
    if (text_width(texts[i]) > longest) longest = text_width(texts[i]);
  size_t item = 4 * (size_t)longest;
  unsigned char *bytes = allocate(item * (size_t)count);
  memset(bytes, 0, item * (size_t)count);
  for (int i = 0; i < count; i++) {
    unsigned char *to = bytes + (size_t)i * item;
    for (const unsigned char *p = (const unsigned char *)texts[i]; *p;) to = put4(to, next_character(&p));
  }
  snprintf(type, sizeof type, "<U%d", longest);
  snprintf(shape, sizeof shape, "%d,", count);
  add_file(w, name, header, make_header(header, type, shape), bytes, item * (size_t)count);
  free(bytes);
}
