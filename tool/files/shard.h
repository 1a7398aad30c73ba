/* SPDX-License-Identifier: BSD-2-Clause */
/* --shard I/N: one of N parts of a result, for machines that work on the same input without knowing of each other;
 * `jounce gather` puts them together. The parts of a result are its bytes cut into N pieces, so what is gathered is, to
 * the last byte, what one process would have written. The file of a part is
 *   jounce-shard 1 I N FIRST LAST TOTAL FINGERPRINT     rows FIRST ... LAST - 1 of TOTAL
 *   its bytes
 *   jounce-shard-end BYTES CHECKSUM
 * FINGERPRINT is made of all that the result depends on, so that parts of different runs are told apart. */
#ifndef JN_TOOL_FILES_SHARD_H
#define JN_TOOL_FILES_SHARD_H

#include <jounce/model.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct shard {
  int index, count; /* 1 ... count; count 0: no shards */
  long first, last, total;
  uint64_t fingerprint;
} shard;

/* Reads I/N; text NULL: none. OPTION_GO_ON, or an exit code after reporting. */
int shard_parse(const char *command, const char *text, shard *s);
/* Which rows of `total` are its own. */
void shard_divide(shard *s, long total);

/* What a result depends on goes into a fingerprint: FNV-1a, 64 bits. */
uint64_t fingerprint_begin(void);
void fingerprint_add(uint64_t *f, const void *data, size_t bytes);
void fingerprint_text(uint64_t *f, const char *text);
void fingerprint_model(uint64_t *f, const jn_model *model);

/* Writes the part to `out`: bytes from ... to of the stream `whole`. False: it could not be read or written. */
bool shard_write(const shard *s, FILE *whole, long from, long to, FILE *out);

#endif
