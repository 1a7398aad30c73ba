/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, folding and evaluating nodes: see graph.h. */
#include "graph.h"

#include <math.h>
#include <string.h>

static uint32_t hash_node(const jn_node *n) {
  uint64_t bits, h;
  memcpy(&bits, &n->value, sizeof bits);

  h = bits * 0x9E3779B97F4A7C15u ^ (uint64_t)(uint32_t)n->a * 0xC2B2AE3D27D4EB4Fu;
  h ^= (uint64_t)(uint32_t)n->b * 0x165667B19E3779F9u ^ (uint64_t)n->operation * 0x27D4EB2F165667C5u;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return (uint32_t)(h >> 32);
}

static int is_same(const jn_node *x, const jn_node *y) {
  return x->operation == y->operation && x->a == y->a && x->b == y->b && memcmp(&x->value, &y->value, 8) == 0;
}

/* A table of twice the size, with all nodes in it. */
static int grow_table(jn_graph *g) {
  int size = g->table_size * 2;
  int32_t *table = jn__allocate(&g->allocator, (size_t)size * sizeof *table);
  if (!table) return 0;

  for (int i = 0; i < g->count; i++) {
    uint32_t at = hash_node(&g->node[i]) & (uint32_t)(size - 1);
    while (table[at]) at = (at + 1) & (uint32_t)(size - 1);
    table[at] = i + 1;
  }

  jn__release(&g->allocator, g->table);
  g->table = table;
  g->table_size = size;
  return 1;
}

enum { NODES_BETWEEN_STOPS = 1 << 12 };

/* The node as an expression: the one that exists, or a new one. */
static jn_expr find_or_make(jn_graph *g, jn_node n) {
  if (g->failed) return JN_ZERO;

  /* Look it up. */
  uint32_t mask = (uint32_t)(g->table_size - 1), at = hash_node(&n) & mask;
  for (; g->table[at]; at = (at + 1) & mask)
    if (is_same(&g->node[g->table[at] - 1], &n)) return 2 * (g->table[at] - 1);

  /* Make it. */
  jn_node *room = g->count < g->limit ? jn__grow(&g->allocator, g->node, g->count, &g->capacity, sizeof n) : NULL;
  if (room) g->node = room;
  if (!room) {
    g->failed = 1;
    return JN_ZERO;
  }
  g->node[g->count] = n;
  g->table[at] = ++g->count;

  /* At most half of the table is used. */
  if (2 * g->count > g->table_size && !grow_table(g)) g->failed = 1;

  /* Whether to go on is asked now and then. */
  if (g->count % NODES_BETWEEN_STOPS == 0 && jn__is_stopped()) g->failed = 1;
  return 2 * (g->count - 1);
}

int jn__graph_init(jn_graph *g, const jn_allocator *allocator, int limit) {
  *g = (jn_graph){.allocator = *allocator, .table_size = 4096, .limit = limit};
  g->table = jn__allocate(&g->allocator, (size_t)g->table_size * sizeof *g->table);
  if (!g->table) return 0;

  jn__constant(g, 0);
  jn__constant(g, 1);
  return !g->failed;
}

void jn__graph_free(jn_graph *g) {
  jn__release(&g->allocator, g->node);
  jn__release(&g->allocator, g->table);
  g->node = NULL;
  g->table = NULL;
}

int jn__is_constant(const jn_graph *g, jn_expr e, double *value) {
  const jn_node *n = &g->node[jn__node_of(e)];
  if (n->operation != JN_NODE_CONSTANT) return 0;

  *value = jn__is_negative(e) ? -n->value : n->value;
  return 1;
}

jn_expr jn__constant(jn_graph *g, double value) {
  if (value == 0) value = 0; /* no negative zero */
  jn_expr e = find_or_make(g, (jn_node){.operation = JN_NODE_CONSTANT, .value = fabs(value)});
  return value < 0 ? jn__negate(e) : e;
}

jn_expr jn__input(jn_graph *g, int array, int index) {
  return find_or_make(g, (jn_node){.operation = JN_NODE_INPUT, .a = array, .b = index});
}

/* e = factor * rest: the constant in front of a product, 1 if there is none. */
static double split_factor(const jn_graph *g, jn_expr e, jn_expr *rest) {
  const jn_node *n = &g->node[jn__node_of(e)];
  double sign = jn__is_negative(e) ? -1 : 1, factor;
  *rest = jn__positive(e);
  if (n->operation != JN_NODE_MULTIPLY || !jn__is_constant(g, n->a, &factor)) return sign;

  *rest = n->b;
  return sign * factor;
}

/* If a = x + y, and b is -x or -y: the other one. */
static int cancel(const jn_graph *g, jn_expr a, jn_expr b, jn_expr *rest) {
  const jn_node *n = &g->node[jn__node_of(a)];
  if (n->operation != JN_NODE_ADD) return 0;

  jn_expr sign = a & 1, x = n->a ^ sign, y = n->b ^ sign;
  *rest = x == (b ^ 1) ? y : x;
  return x == (b ^ 1) || y == (b ^ 1);
}

/* Constants are nodes with small numbers more often than not, but not always: they come first in sums and products. */
static int is_before(const jn_graph *g, jn_expr a, jn_expr b) {
  int constant_a = g->node[jn__node_of(a)].operation == JN_NODE_CONSTANT;
  int constant_b = g->node[jn__node_of(b)].operation == JN_NODE_CONSTANT;
  return constant_a != constant_b ? constant_a : jn__node_of(a) < jn__node_of(b);
}

jn_expr jn__add(jn_graph *g, jn_expr a, jn_expr b) {
  if (a == JN_ZERO) return b;
  if (b == JN_ZERO) return a;
  if (a == (b ^ 1)) return JN_ZERO;
  if (!is_before(g, a, b)) {
    jn_expr swap = a;
    a = b;
    b = swap;
  }

  /* Constants: c + d, and c + (d + x). */
  double c, d;
  if (jn__is_constant(g, a, &c)) {
    if (jn__is_constant(g, b, &d)) return jn__constant(g, c + d);
    const jn_node *n = &g->node[jn__node_of(b)];
    if (n->operation == JN_NODE_ADD && jn__is_constant(g, n->a, &d)) {
      jn_expr x = n->b ^ (b & 1);
      return jn__add(g, jn__constant(g, c + (b & 1 ? -d : d)), x);
    }
  }

  /* Multiples of one expression: c x + d x; and (x + y) - y. */
  jn_expr x, y, rest;
  c = split_factor(g, a, &x);
  d = split_factor(g, b, &y);
  if (x == y) return jn__scale(g, c + d, x);
  if (cancel(g, a, b, &rest) || cancel(g, b, a, &rest)) return rest;

  /* Normal form: the first summand has no sign. */
  jn_expr sign = a & 1;
  return find_or_make(g, (jn_node){.operation = JN_NODE_ADD, .a = a ^ sign, .b = b ^ sign}) ^ sign;
}

jn_expr jn__subtract(jn_graph *g, jn_expr a, jn_expr b) { return jn__add(g, a, jn__negate(b)); }

jn_expr jn__multiply(jn_graph *g, jn_expr a, jn_expr b) {
  if (a == JN_ZERO || b == JN_ZERO) return JN_ZERO;
  jn_expr sign = (a ^ b) & 1;
  a = jn__positive(a);
  b = jn__positive(b);
  if (a == JN_ONE) return b ^ sign;
  if (b == JN_ONE) return a ^ sign;
  if (!is_before(g, a, b)) {
    jn_expr swap = a;
    a = b;
    b = swap;
  }

  /* Constants: c d, c (d x), and (c x) y = c (x y). */
  double c, d;
  if (jn__is_constant(g, a, &c) && jn__is_constant(g, b, &d)) return jn__constant(g, c * d) ^ sign;
  jn_expr x, y;
  c = split_factor(g, a, &x);
  d = split_factor(g, b, &y);
  if (jn__is_constant(g, a, &c) && d != 1) return jn__scale(g, c * d, y) ^ sign;

  return find_or_make(g, (jn_node){.operation = JN_NODE_MULTIPLY, .a = a, .b = b}) ^ sign;
}

jn_expr jn__scale(jn_graph *g, double factor, jn_expr a) { return jn__multiply(g, jn__constant(g, factor), a); }

jn_expr jn__divide(jn_graph *g, jn_expr a, jn_expr b) {
  double c;
  if (a == JN_ZERO) return JN_ZERO;
  if (jn__is_constant(g, b, &c)) return jn__scale(g, 1 / c, a);

  jn_expr sign = (a ^ b) & 1;
  return find_or_make(g, (jn_node){.operation = JN_NODE_DIVIDE, .a = jn__positive(a), .b = jn__positive(b)}) ^ sign;
}

jn_expr jn__apply(jn_graph *g, jn_operation operation, jn_expr a) {
  double c;

  /* sin and sign are odd, cos is even. */
  jn_expr sign = operation == JN_NODE_SINE || operation == JN_NODE_SIGN ? a & 1 : 0;
  if (sign || operation == JN_NODE_COSINE) a = jn__positive(a);

  if (jn__is_constant(g, a, &c)) {
    if (operation == JN_NODE_SINE) return jn__constant(g, sin(c)) ^ sign;
    if (operation == JN_NODE_COSINE) return jn__constant(g, cos(c));
    if (operation == JN_NODE_SIGN) return c == 0 ? JN_ZERO : JN_ONE ^ sign;
    if (operation == JN_NODE_ROOT) return jn__constant(g, sqrt(c));
    return a;
  }
  return find_or_make(g, (jn_node){.operation = (int32_t)operation, .a = a}) ^ sign;
}

/* One function for each number type: `x` and `y` are the operands. */
#define EVALUATE(name, number, sine, cosine, root)                                        \
  void name(const jn_graph *g, int count, const double *const *input, number *value) {    \
    for (int i = 0; i < count; i++) {                                                     \
      const jn_node *n = &g->node[i];                                                     \
      number x = 0, y = 0;                                                                \
      if (n->operation >= JN_NODE_ADD) {                                                  \
        x = jn__is_negative(n->a) ? -value[jn__node_of(n->a)] : value[jn__node_of(n->a)]; \
        y = jn__is_negative(n->b) ? -value[jn__node_of(n->b)] : value[jn__node_of(n->b)]; \
      }                                                                                   \
      switch (n->operation) {                                                             \
        case JN_NODE_CONSTANT:                                                            \
          value[i] = (number)n->value;                                                    \
          break;                                                                          \
        case JN_NODE_INPUT:                                                               \
          value[i] = input[n->a] ? (number)input[n->a][n->b] : 0;                         \
          break;                                                                          \
        case JN_NODE_ADD:                                                                 \
          value[i] = x + y;                                                               \
          break;                                                                          \
        case JN_NODE_MULTIPLY:                                                            \
          value[i] = x * y;                                                               \
          break;                                                                          \
        case JN_NODE_DIVIDE:                                                              \
          value[i] = x / y;                                                               \
          break;                                                                          \
        case JN_NODE_SINE:                                                                \
          value[i] = sine(x);                                                             \
          break;                                                                          \
        case JN_NODE_COSINE:                                                              \
          value[i] = cosine(x);                                                           \
          break;                                                                          \
        case JN_NODE_SIGN:                                                                \
          value[i] = (number)((x > 0) - (x < 0));                                         \
          break;                                                                          \
        case JN_NODE_ROOT:                                                                \
          value[i] = root(x);                                                             \
          break;                                                                          \
        default:                                                                          \
          value[i] = x;                                                                   \
          break;                                                                          \
      }                                                                                   \
    }                                                                                     \
  }
EVALUATE(jn__evaluate, double, sin, cos, sqrt)
EVALUATE(jn__evaluate_float, float, sinf, cosf, sqrtf)
