/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums as chains: ((c + a1 b1) + a2 b2) + ..., in which every product is added by one fused instruction.
 *
 * The recursions write sums of sums: (a b + c d) + (e f + g h) takes two products, two fused ones and a sum; as a chain
 * it takes one product and three fused ones. A sum that is used once, by another sum, is therefore dissolved into
 * its terms. Terms that are no products come first, because a chain has to begin with something; among equals, the
 * order is that in which the recursions wrote them. (On a Cortex-M4F an order by depth takes more instructions.) */
#include <stdlib.h>

#include "order.h"

typedef struct chains {
  jn_graph *g;
  int nodes;        /* of the graph as it was */
  int32_t *uses;    /* [nodes] how often a node is read */
  int32_t *in_sums; /* [nodes] how often by a sum */
  jn_expr *now;     /* [nodes] the expression that takes its place */
  struct term *term;
} chains;

typedef struct term {
  jn_expr e;      /* with its sign, as it is now */
  int is_product; /* that nothing but sums read */
  int node;       /* as it was */
} term;

static int compare_terms(const void *x, const void *y) {
  const term *a = x, *b = y;
  if (a->is_product != b->is_product) return a->is_product - b->is_product;
  return a->node - b->node;
}

/* How often each node is read, from the results inwards. */
static void count_uses(chains *c, const jn_expr *results, int count) {
  const jn_graph *g = c->g;
  for (int k = 0; k < count; k++) c->uses[jn__node_of(jn__resolve(g, results[k]))]++;

  for (int i = c->nodes - 1; i >= 0; i--) {
    const jn_node *n = &g->node[i];
    int operands = jn__operand_count(n);
    if (!c->uses[i] || n->operation == JN_NODE_ALIAS) continue;
    for (int o = 0; o < operands; o++) {
      int at = jn__node_of(jn__resolve(g, o ? n->b : n->a));
      c->uses[at]++;
      c->in_sums[at] += n->operation == JN_NODE_ADD;
    }
  }
}

/* A sum that another sum dissolves. */
static int is_dissolved(const chains *c, int i) {
  return c->g->node[i].operation == JN_NODE_ADD && c->uses[i] == 1 && c->in_sums[i] == 1;
}

static jn_expr now(const chains *c, jn_expr e) {
  jn_expr x = jn__resolve(c->g, e), y = c->now[jn__node_of(x)];
  return y == JN_ZERO ? y : y ^ (x & 1);
}

/* The terms of sum i, in any order; their number. The list is its own stack: sums in it are replaced by their terms. */
static int collect_terms(const chains *c, int i) {
  const jn_graph *g = c->g;
  int count = 0;
  c->term[count++].e = 2 * i;
  for (int k = 0; k < count; k++) {
    jn_expr e = c->term[k].e;
    int at = jn__node_of(e);
    while (at == i || is_dissolved(c, at)) {
      jn_expr a = jn__resolve(g, g->node[at].a) ^ (e & 1), b = jn__resolve(g, g->node[at].b) ^ (e & 1);
      c->term[count++].e = b;
      e = a;
      at = jn__node_of(e);
    }
    const jn_node *n = &g->node[at];
    c->term[k] = (term){.e = now(c, e), .node = at};
    c->term[k].is_product = n->operation == JN_NODE_MULTIPLY && c->uses[at] == c->in_sums[at];
  }
  return count;
}

static void chain_sum(chains *c, int i) {
  int count = collect_terms(c, i);
  qsort(c->term, (size_t)count, sizeof *c->term, compare_terms);

  jn_expr sum = c->term[0].e;
  for (int k = 1; k < count; k++) sum = jn__add(c->g, sum, c->term[k].e);
  c->now[i] = sum;
}

/* The node with what its operands have become. */
static void renew(chains *c, int i) {
  jn_node n = c->g->node[i]; /* a copy: nodes may move */
  int operands = jn__operand_count(&n);
  c->now[i] = 2 * i;
  if (operands == 0) return;

  jn_expr a = now(c, n.a), b = operands > 1 ? now(c, n.b) : JN_ZERO;
  if (n.operation == JN_NODE_MULTIPLY)
    c->now[i] = jn__multiply(c->g, a, b);
  else if (n.operation == JN_NODE_DIVIDE)
    c->now[i] = jn__divide(c->g, a, b);
  else
    c->now[i] = jn__apply(c->g, (jn_operation)n.operation, a);
}

int jn__chain_sums(jn_graph *g, jn_expr *results, int count) {
  size_t nodes = (size_t)g->count + 1;
  chains c = {.g = g, .nodes = g->count};
  int32_t *block = jn__allocate(&g->allocator, 3 * nodes * sizeof *block);
  c.term = jn__allocate(&g->allocator, nodes * sizeof *c.term);
  int good = block && c.term;

  if (good) {
    c.uses = block;
    c.in_sums = block + nodes;
    c.now = block + 2 * nodes;
    count_uses(&c, results, count);
    for (int i = 0; i < c.nodes; i++) {
      if (!c.uses[i] || g->node[i].operation == JN_NODE_ALIAS || is_dissolved(&c, i)) continue;
      if (g->node[i].operation == JN_NODE_ADD)
        chain_sum(&c, i);
      else
        renew(&c, i);
    }
    for (int k = 0; k < count; k++) results[k] = now(&c, results[k]);
  }
  jn__release(&g->allocator, block);
  jn__release(&g->allocator, c.term);
  return good && !g->failed;
}
