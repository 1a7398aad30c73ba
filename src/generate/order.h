/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of statements of a function: which nodes it needs, how often each is used, and a sequence in which few
 * values are alive at a time. */
#ifndef JN_GENERATE_ORDER_H
#define JN_GENERATE_ORDER_H

#include "graph.h"

/* Operations that a function takes. */
typedef struct jn_operation_count {
  int multiplications, additions, divisions, sines, roots, negations;
} jn_operation_count;

typedef struct jn_sequence {
  jn_allocator allocator;
  int32_t *node; /* [count] the nodes in order, without constants, inputs and aliases */
  int32_t *uses; /* [nodes of the graph] how often a node is read, results included */
  int count;
  jn_operation_count operations;
} jn_sequence;

/* Orders what `results` [count] need; 0: out of memory. */
int jn__sequence_create(jn_sequence *s, const jn_graph *g, const jn_expr *results, int count);
void jn__sequence_free(jn_sequence *s);

/* Writes the same results as chains of sums (chains.c), in their place; 0: out of memory. */
int jn__chain_sums(jn_graph *g, jn_expr *results, int count);

/* How many operands it has. */
static inline int jn__operand_count(const jn_node *n) {
  if (n->operation < JN_NODE_ADD) return 0;
  return n->operation <= JN_NODE_DIVIDE ? 2 : 1;
}

/* The node itself, not one of its aliases. */
jn_expr jn__resolve(const jn_graph *g, jn_expr e);

#endif
