/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a function is cut, and which values go from one piece to another: see split.h. */
#include "split.h"

#include <string.h>

/* alive[k]: values of statements 0 ... k that statements after k read. */
static void count_alive(const jn_graph *g, const jn_sequence *s, int32_t *position, int32_t *alive) {
  for (int k = 0; k < s->count; k++) position[s->node[k]] = k;

  /* Each value is read for the last time somewhere: from the back, so that the first reader seen is the last one. */
  int32_t *seen = position; /* becomes -1 - position once it was read */
  for (int k = s->count - 1; k >= 0; k--) {
    const jn_node *n = &g->node[s->node[k]];
    for (int o = 0; o < jn__operand_count(n); o++) {
      int at = jn__node_of(jn__resolve(g, o ? n->b : n->a));
      if (jn__operand_count(&g->node[at]) == 0 || seen[at] < 0) continue;
      alive[seen[at]]++;
      alive[k]--;
      seen[at] = -1 - seen[at];
    }
  }
  for (int k = 1; k < s->count; k++) alive[k] += alive[k - 1];
}

/* Cuts between half of the longest piece and all of it, where the fewest values are alive. */
static void cut(jn_code_pieces *p, const jn_sequence *s, const int32_t *alive, int longest) {
  p->first[p->count++] = 0;
  while (longest > 0 && s->count - p->first[p->count - 1] > longest) {
    int begin = p->first[p->count - 1], best = begin + longest - 1;
    for (int k = best; k >= begin + longest / 2; k--)
      if (alive[k] < alive[best]) best = k;
    p->first[p->count++] = best + 1;
  }
  p->first[p->count] = s->count;
}

/* The piece of each node and the last one that reads it. */
static void find_readers(jn_code_pieces *p, const jn_graph *g, const jn_sequence *s) {
  for (int k = 0; k < p->count; k++)
    for (int i = p->first[k]; i < p->first[k + 1]; i++) {
      const jn_node *n = &g->node[s->node[i]];
      p->piece[s->node[i]] = k;
      for (int o = 0; o < jn__operand_count(n); o++) p->last[jn__node_of(jn__resolve(g, o ? n->b : n->a))] = k;
    }
}

/* A place for each value that crosses. A piece reads all it needs before it writes, so the places of values that it is
 * the last to read are free for its own. `until` [slots]: the last reader of what is there. */
static void assign_slots(jn_code_pieces *p, const jn_sequence *s, int32_t *until) {
  for (int k = 0; k < p->count; k++) {
    int free_slot = 0;
    for (int i = p->first[k]; i < p->first[k + 1]; i++) {
      int node = s->node[i];
      if (p->last[node] <= k) continue;
      while (free_slot < p->slots && until[free_slot] > k) free_slot++;
      if (free_slot == p->slots) p->slots++;
      until[free_slot] = p->last[node];
      p->slot[node] = free_slot;
    }
  }
}

int jn__code_pieces_create(jn_code_pieces *p, const jn_graph *g, const jn_sequence *s, int longest) {
  size_t nodes = (size_t)g->count + 2;
  *p = (jn_code_pieces){.allocator = g->allocator};
  p->block = jn__allocate(&g->allocator, 6 * nodes * sizeof *p->block);
  if (!p->block) return 0;

  p->first = p->block;
  p->piece = p->block + nodes;
  p->last = p->block + 2 * nodes;
  p->slot = p->block + 3 * nodes;
  int32_t *position = p->block + 4 * nodes, *more = p->block + 5 * nodes;
  memset(p->piece, -1, 3 * nodes * sizeof *p->piece);

  count_alive(g, s, position, more);
  cut(p, s, more, longest);
  find_readers(p, g, s);
  memset(more, 0, nodes * sizeof *more);
  assign_slots(p, s, more);
  return 1;
}

void jn__code_pieces_free(jn_code_pieces *p) {
  jn__release(&p->allocator, p->block);
  p->block = NULL;
}
