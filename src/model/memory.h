/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory from the caller's allocator, and growing text. */
#ifndef JN_MODEL_MEMORY_H
#define JN_MODEL_MEMORY_H

#include "jounce/base.h"

/* The allocator of the options, or malloc and free. */
jn_allocator jn__allocator(const jn_allocator *given);
void *jn__allocate(const jn_allocator *allocator, size_t bytes); /* zeroed; NULL if out of memory */
void jn__release(const jn_allocator *allocator, void *block);
char *jn__copy_text(const jn_allocator *allocator, const char *text); /* NULL stays NULL */

/* Room for one more element of `bytes` each: returns the block to use (perhaps a new one) or NULL. */
void *jn__grow(const jn_allocator *allocator, void *block, int count, int *capacity, size_t bytes);

/* Growing text; when memory runs out, `failed` is set and further additions do nothing. Always ends in 0. */
typedef struct jn_text {
  jn_allocator allocator;
  char *data;
  size_t length;
  size_t capacity;
  int failed;
} jn_text;

void jn__text_init(jn_text *text, const jn_allocator *allocator);
void jn__text_add(jn_text *text, const char *s);
void jn__text_format(jn_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest decimal form of x that reads back as the same double, with a decimal point in every locale. */
void jn__text_number(jn_text *text, double x);
void jn__number(double x, char out[32]);
/* Reads a decimal number with a decimal point in every locale; *end as in strtod. Hexadecimal numbers are not accepted.
 */
double jn__read_number(const char *s, char **end);

#endif
