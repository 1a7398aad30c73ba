/* SPDX-License-Identifier: BSD-2-Clause */
/* Depth first from the results; of two operands, the one that needs more registers comes first (Sethi and Ullman 1970,
 * which is optimal for trees; for graphs it is a good guess). */
#include "order.h"

#include <string.h>

jn_expr jn__resolve(const jn_graph *g, jn_expr e) {
  while (g->node[jn__node_of(e)].operation == JN_NODE_ALIAS) e = g->node[jn__node_of(e)].a ^ (e & 1);
  return e;
}

/* Registers that the node alone would need, at most 255. */
static void estimate_registers(const jn_graph *g, unsigned char *need) {
  for (int i = 0; i < g->count; i++) {
    const jn_node *n = &g->node[i];
    int operands = jn__operand_count(n);
    int a = operands > 0 ? need[jn__node_of(n->a)] : 0, b = operands > 1 ? need[jn__node_of(n->b)] : 0;
    int more = a == b ? a + 1 : a > b ? a : b;
    need[i] = (unsigned char)(operands == 0 ? 1 : operands == 1 ? a : more > 255 ? 255 : more);
  }
}

static void count_operation(const jn_node *n, jn_operation_count *c) {
  c->additions += n->operation == JN_NODE_ADD;
  c->multiplications += n->operation == JN_NODE_MULTIPLY;
  c->divisions += n->operation == JN_NODE_DIVIDE;
  c->sines += n->operation == JN_NODE_SINE || n->operation == JN_NODE_COSINE;
  c->roots += n->operation == JN_NODE_ROOT;
}

/* Visits what node `root` needs, operands first, with a stack of its own: graphs can be deep. */
static void visit(jn_sequence *s, const jn_graph *g, const unsigned char *need, int32_t *stack, unsigned char *state,
                  int root) {
  int depth = 0;
  stack[depth++] = root;
  while (depth > 0) {
    int i = stack[depth - 1];
    const jn_node *n = &g->node[i];
    int operands = jn__operand_count(n);

    /* First time: its operands go on the stack, the one with the larger need last, so that it is visited first. */
    if (state[i] == 0 && operands > 0) {
      state[i] = 1;
      int a = jn__node_of(n->a), b = operands > 1 ? jn__node_of(n->b) : a;
      int first = need[a] >= need[b] ? a : b, second = first == a ? b : a;
      if (state[second] == 0) stack[depth++] = second;
      if (state[first] == 0 && first != second) stack[depth++] = first;
      continue;
    }

    /* Second time: all it needs is there. */
    depth--;
    if (state[i] == 2) continue;
    state[i] = 2;
    count_operation(n, &s->operations);
    if (operands > 0 && n->operation != JN_NODE_ALIAS) s->node[s->count++] = i;
    if (n->operation == JN_NODE_ALIAS) continue;
    if (operands > 0) s->uses[jn__node_of(jn__resolve(g, n->a))]++;
    if (operands > 1) s->uses[jn__node_of(jn__resolve(g, n->b))]++;
  }
}

/* Values beyond the registers of a small processor that wait in memory, summed over all statements. */
static double waiting_values(const jn_sequence *s, const jn_graph *g, int32_t *left) {
  enum { REGISTERS = 24 };
  double sum = 0;
  int alive = 0;
  memcpy(left, s->uses, (size_t)g->count * sizeof *left);
  for (int k = 0; k < s->count; k++) {
    const jn_node *n = &g->node[s->node[k]];
    int operands = jn__operand_count(n);
    for (int o = 0; o < operands; o++) {
      int i = jn__node_of(jn__resolve(g, o ? n->b : n->a));
      if (--left[i] == 0 && jn__operand_count(&g->node[i]) > 0) alive--;
    }
    alive++;
    if (alive > REGISTERS) sum += alive - REGISTERS;
  }
  return sum;
}

static int order_results(jn_sequence *s, const jn_graph *g, const jn_expr *results, int count, int backwards,
                         double *waiting) {
  *s = (jn_sequence){.allocator = g->allocator};
  size_t nodes = (size_t)g->count + 1;
  s->node = jn__allocate(&g->allocator, nodes * sizeof *s->node);
  s->uses = jn__allocate(&g->allocator, nodes * sizeof *s->uses);
  int32_t *stack = jn__allocate(&g->allocator, 2 * nodes * sizeof *stack);
  unsigned char *bytes = jn__allocate(&g->allocator, 2 * nodes);
  int good = s->node && s->uses && stack && bytes;

  if (good) {
    estimate_registers(g, bytes);
    for (int k = 0; k < count; k++) {
      jn_expr e = results[backwards ? count - 1 - k : k];
      visit(s, g, bytes, stack, bytes + nodes, jn__node_of(e));
      s->uses[jn__node_of(jn__resolve(g, e))]++;
      s->operations.negations += jn__is_negative(jn__resolve(g, e));
    }
    *waiting = waiting_values(s, g, stack);
  }

  jn__release(&g->allocator, stack);
  jn__release(&g->allocator, bytes);
  if (!good) jn__sequence_free(s);
  return good;
}

/* From the first result or from the last one, whichever keeps fewer values waiting: time derivatives are best computed
 * together with what they are derivatives of. */
int jn__sequence_create(jn_sequence *s, const jn_graph *g, const jn_expr *results, int count) {
  jn_sequence other;
  double waiting, waiting_other;
  if (!order_results(s, g, results, count, 0, &waiting)) return 0;
  if (!order_results(&other, g, results, count, 1, &waiting_other)) return jn__sequence_free(s), 0;

  if (waiting_other < waiting) {
    jn_sequence swap = *s;
    *s = other;
    other = swap;
  }
  jn__sequence_free(&other);
  return 1;
}

void jn__sequence_free(jn_sequence *s) {
  jn__release(&s->allocator, s->node);
  jn__release(&s->allocator, s->uses);
  s->node = s->uses = NULL;
}
