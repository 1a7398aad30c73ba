/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions as a graph in which equal expressions are one node (hash-consing).
 *
 * A jn_expr is 2 * node + sign: minus signs live on the edges and cost nothing until a result is negative. Sums and
 * products have a normal form (the smaller node first, no sign on the first summand, none on factors), so that a - b
 * and
 * -(b - a), or a b and -a (-b), are the same node. Constants are folded when a node is made: 0, 1, -1, constants
 * of constants, x - x, (x + y) - y, c x + d x. Operands come before the nodes that use them.
 *
 * Nodes live in one growing block. If memory runs out, or the graph grows beyond its limit, `failed` is set, and every
 * further expression is zero: check it once at the end. */
#ifndef JN_GENERATE_GRAPH_H
#define JN_GENERATE_GRAPH_H

#include <stdint.h>

#include "../model/memory.h"
#include "../model/stop.h"

typedef int32_t jn_expr;

typedef enum jn_operation {
  JN_NODE_CONSTANT, /* value >= 0 */
  JN_NODE_INPUT,    /* number b of input array a */
  JN_NODE_ADD,      /* a + b, b may carry a sign */
  JN_NODE_MULTIPLY, /* a b */
  JN_NODE_DIVIDE,   /* a / b */
  JN_NODE_SINE,     /* sin a */
  JN_NODE_COSINE,   /* cos a */
  JN_NODE_SIGN,     /* sign a: -1, 0 or 1 */
  JN_NODE_ROOT,     /* square root of a */
  JN_NODE_ALIAS     /* a itself, but opaque to folding, so that its derivatives can be given */
} jn_operation;

typedef struct jn_node {
  double value;
  jn_expr a, b;
  int32_t operation;
} jn_node;

typedef struct jn_graph {
  jn_allocator allocator;
  jn_node *node;
  int count, capacity;
  int32_t *table; /* open addressing: node + 1, or 0 */
  int table_size; /* a power of two */
  int limit;      /* nodes at most */
  int failed;     /* out of memory, more than `limit` nodes, or stopped */
} jn_graph;

enum { JN_ZERO = 0, JN_ONE = 2 }; /* the expressions 0 and 1: nodes 0 and 1 of every graph */

int jn__graph_init(jn_graph *g, const jn_allocator *allocator, int limit); /* 0: out of memory */
void jn__graph_free(jn_graph *g);

static inline int jn__node_of(jn_expr e) { return e >> 1; }
static inline int jn__is_negative(jn_expr e) { return e & 1; }
static inline jn_expr jn__positive(jn_expr e) { return e & ~1; }
static inline jn_expr jn__negate(jn_expr e) { return e == JN_ZERO ? e : e ^ 1; }

jn_expr jn__constant(jn_graph *g, double value);
jn_expr jn__input(jn_graph *g, int array, int index);
jn_expr jn__add(jn_graph *g, jn_expr a, jn_expr b);
jn_expr jn__subtract(jn_graph *g, jn_expr a, jn_expr b);
jn_expr jn__multiply(jn_graph *g, jn_expr a, jn_expr b);
jn_expr jn__scale(jn_graph *g, double factor, jn_expr a);
jn_expr jn__divide(jn_graph *g, jn_expr a, jn_expr b);
/* sin, cos, sign, root or alias of a. */
jn_expr jn__apply(jn_graph *g, jn_operation operation, jn_expr a);

/* Is it a constant, and which? */
int jn__is_constant(const jn_graph *g, jn_expr e, double *value);

/* Values of nodes [0, count) from the input arrays, in double or rounding every operation to float. */
void jn__evaluate(const jn_graph *g, int count, const double *const *input, double *value);
void jn__evaluate_float(const jn_graph *g, int count, const double *const *input, float *value);
static inline double jn__value(const double *value, jn_expr e) {
  return jn__is_negative(e) ? -value[jn__node_of(e)] : value[jn__node_of(e)];
}

#endif
