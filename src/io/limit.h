/* SPDX-License-Identifier: BSD-2-Clause */
/* The size limit of all readers (JN_MAX_BYTES in jounce/base.h): reads a file up to the limit, and reports a file that
 * exceeds it. docs/limits.md has the whole rule. */
#ifndef JN_IO_LIMIT_H
#define JN_IO_LIMIT_H

#include "../model/log.h"
#include "../model/memory.h"

/* What `max_bytes` of any options means: 0 is the default. */
size_t jn__limit(size_t max_bytes);

/* Reports that `file` exceeds the limit; `what` says how, e.g. "is larger than". Returns JN_ERR_FILE. */
jn_status jn__over_limit(jn_log *log, const char *file, const char *subject, const char *what, size_t limit);

/* All bytes of a file, to be released by the caller; NULL after reporting an error. Reads to the end without asking for
 * the size, so that pipes work, and never more than one byte past the limit. */
char *jn__read_file(const jn_allocator *a, jn_log *log, const char *path, size_t limit, size_t *length);

/* What parts of a model count for: about what they take in the builder. The model and its checks take as much again,
 * so that a link needs about three times as much in all. */
enum { JN_LINK_COST = 1024, JN_MOVING_COST = 1024, JN_LOOP_COST = 1024, JN_FRAME_COST = 256 };

typedef struct jn_parts {
  int links;
  int moving; /* those of them whose joint is not fixed: kernels need memory for them */
  int frames, loops;
} jn_parts;

/* Do so many parts stay below the limit? 0 after reporting that they do not. */
int jn__parts_fit(jn_log *log, const char *file, const jn_parts *parts, size_t limit);

/* Does JSON text, parsed into values (text/json_values.h), stay below the limit? 0 after reporting that it does not. */
int jn__json_fits(jn_log *log, const char *file, const char *text, size_t length, size_t limit);

#endif
