/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays in one block of memory: the code that places them runs twice, first only to count bytes. */
#ifndef JN_MODEL_SHELF_H
#define JN_MODEL_SHELF_H

#include <stddef.h>

typedef struct jn_shelf {
  char *base; /* NULL: only count */
  size_t used;
} jn_shelf;

static inline void *place(jn_shelf *s, size_t count, size_t size) {
  size_t at = s->used;
  s->used += (count * size + 63) & ~(size_t)63;
  return s->base ? s->base + at : NULL;
}

/* [a x b x c] doubles; none if one of them is not positive. */
static inline double *reals(jn_shelf *s, int a, int b, int c) {
  return place(s, (size_t)(a > 0 ? a : 0) * (size_t)(b > 0 ? b : 0) * (size_t)(c > 0 ? c : 0), sizeof(double));
}

#endif
