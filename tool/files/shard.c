/* SPDX-License-Identifier: BSD-2-Clause */
#include "shard.h"

#include <inttypes.h>
#include <jounce/io.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../options/options.h"
#include "../text/print.h"

int shard_parse(const char *command, const char *text, shard *s) {
  *s = (shard){0};
  if (!text) return OPTION_GO_ON;
  char *end = NULL, *slash = NULL;
  long index = strtol(text, &slash, 10), count = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
  if (slash == text || !end || end == slash + 1 || *end || count < 1 || count > 1000000 || index < 1 || index > count)
    return usage_error(command, "--shard %s: give I/N with 1 <= I <= N, such as 2/8 for the second of eight parts",
                       text);
  s->index = (int)index;
  s->count = (int)count;
  return OPTION_GO_ON;
}

void shard_divide(shard *s, long total) {
  s->total = total;
  s->first = (long)((double)total * (s->index - 1) / s->count);
  s->last = s->index == s->count ? total : (long)((double)total * s->index / s->count);
}

uint64_t fingerprint_begin(void) { return 0xcbf29ce484222325u; }

void fingerprint_add(uint64_t *f, const void *data, size_t bytes) {
  const unsigned char *p = data;
  for (size_t i = 0; i < bytes; i++) *f = (*f ^ p[i]) * 0x100000001b3u;
}

void fingerprint_text(uint64_t *f, const char *text) { fingerprint_add(f, text, strlen(text) + 1); }

void fingerprint_model(uint64_t *f, const jn_model *model) {
  char *text;
  size_t length;
  if (jn_save_text(model, JN_FORMAT_NATIVE, NULL, &text, &length, NULL) != JN_OK) return;
  fingerprint_add(f, text, length);
  jn_text_free(text, NULL);
}

bool shard_write(const shard *s, FILE *whole, long from, long to, FILE *out) {
  uint64_t sum = fingerprint_begin();
  char bytes[1 << 14];
  fprintf(out, "jounce-shard 1 %d %d %ld %ld %ld %016" PRIx64 "\n", s->index, s->count, s->first, s->last, s->total,
          s->fingerprint);
  if (fflush(whole) != 0 || fseek(whole, from, SEEK_SET) != 0) return false;
  for (long left = to - from; left > 0;) {
    size_t n = fread(bytes, 1, left < (long)sizeof bytes ? (size_t)left : sizeof bytes, whole);
    if (n == 0) return false;
    fingerprint_add(&sum, bytes, n);
    if (fwrite(bytes, 1, n, out) != n) return false;
    left -= (long)n;
  }
  fprintf(out, "\njounce-shard-end %ld %016" PRIx64 "\n", to - from, sum);
  return !ferror(out);
}
