/* SPDX-License-Identifier: BSD-2-Clause */
/* A function in pieces (--split-functions): each becomes a C function of its own, because the time that compilers take
 * grows faster than the length of a function.
 *
 * The order of statements stays as it is. A piece ends where the fewest values are alive, which is between bodies of
 * the robot; what later pieces read goes through an array w. A place in w is used again once no later piece reads its
 * value. */
#ifndef JN_GENERATE_SPLIT_H
#define JN_GENERATE_SPLIT_H

#include "order.h"

typedef struct jn_code_pieces {
  jn_allocator allocator;
  int32_t *block;
  int32_t *first; /* [count + 1] the first statement of each piece */
  int32_t *piece; /* [nodes] that computes the node; -1: none */
  int32_t *last;  /* [nodes] the last piece that reads it; -1: none */
  int32_t *slot;  /* [nodes] its place in w; -1: no later piece reads it */
  int count, slots;
} jn_code_pieces;

/* Pieces of at most `longest` statements, 0: one piece. Returns 0 if memory runs out. */
int jn__code_pieces_create(jn_code_pieces *p, const jn_graph *g, const jn_sequence *s, int longest);
void jn__code_pieces_free(jn_code_pieces *p);

#endif
