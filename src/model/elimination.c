/* SPDX-License-Identifier: BSD-2-Clause */
/* The elimination tree of the mass matrix with coupled coordinates.
 *
 * Two coordinates share an entry of M if they move bodies of one branch, from a leaf to the root; all coordinates of a
 * branch share entries with each other. Eliminating a coordinate, outermost first, joins all that it shares entries
 * with. For the tree of this elimination it is enough to join each coordinate of a branch to the next one that is
 * eliminated. [Gilbert, Li, Ng, Peyton 2001, as for the columns of a matrix in QR] */
#include "elimination.h"

#include <string.h>

typedef struct elimination {
  const jn_tree_d *t;
  int32_t *rank;     /* [nv] of a coordinate: its place by the first body that it moves */
  int32_t *at_rank;  /* [nv] the coordinate */
  int32_t *parent;   /* [nv] in the elimination tree, over ranks; -1: none */
  int32_t *ancestor; /* [nv] shortcut to a rank further inward */
  int32_t *leaf;     /* [nb + 1] leaves before body i */
  int32_t *last;     /* [leaves] the innermost rank so far of a branch; -1: none */
  int32_t *next;     /* [nv] where the next child of a rank goes */
} elimination;

/* Ranks by the first body that a coordinate moves, and the leaves before each body. */
static void rank_coordinates(const elimination *e) {
  int count = 0;
  for (int k = 0; k < e->t->nv; k++) e->rank[k] = -1;
  for (int i = 0; i < e->t->nb; i++) {
    const jn_body_d *body = &e->t->body[i];
    e->leaf[i + 1] = e->leaf[i] + (body->end == i + 1);
    for (int k = body->iv; k < body->iv + body->nv; k++) {
      if (e->rank[k] >= 0) continue;
      e->at_rank[count] = k;
      e->rank[k] = count++;
    }
  }
}

/* Rank j is on a branch whose innermost rank was `from`, which is further out: j becomes the parent of its root. */
static void join(const elimination *e, int from, int j) {
  while (from >= 0 && from != j) {
    int up = e->ancestor[from];
    e->ancestor[from] = j;
    if (up < 0) e->parent[from] = j;
    from = up;
  }
}

/* The parents of all ranks. Bodies by rank: [first[r], first[r + 1]) of `bodies` are those that rank r moves. */
static void build_parents(const elimination *e, int32_t *first, int32_t *bodies) {
  const jn_tree_d *tree = e->t;
  memset(first, 0, ((size_t)tree->nv + 2) * sizeof *first);
  for (int i = 0; i < tree->nb; i++)
    for (int k = 0; k < tree->body[i].nv; k++) first[e->rank[tree->body[i].iv + k] + 2]++;
  for (int r = 0; r < tree->nv; r++) first[r + 2] += first[r + 1];
  for (int i = 0; i < tree->nb; i++)
    for (int k = 0; k < tree->body[i].nv; k++) bodies[first[e->rank[tree->body[i].iv + k] + 1]++] = i;

  /* From the outermost rank inwards, along all branches that its bodies are on. */
  for (int r = 0; r < tree->nv; r++) e->parent[r] = e->ancestor[r] = -1;
  for (int l = 0; l < e->leaf[tree->nb]; l++) e->last[l] = -1;
  for (int r = tree->nv - 1; r >= 0; r--)
    for (int m = first[r]; m < first[r + 1]; m++)
      for (int l = e->leaf[bodies[m]]; l < e->leaf[tree->body[bodies[m]].end]; l++) {
        join(e, e->last[l], r);
        e->last[l] = r;
      }
}

/* Numbers the elimination tree depth first, so that the coordinates outward of one follow it without a gap. */
static void number_places(const elimination *e, int32_t *order, int32_t *lambda, int32_t *place) {
  const jn_tree_d *tree = e->t;
  int32_t *size = e->ancestor, *at = e->last, roots = 0; /* their own contents are no longer needed */

  /* Sizes of subtrees, then the place of each rank behind its parent, which has a lower rank. */
  for (int r = 0; r < tree->nv; r++) size[r] = 1;
  for (int r = tree->nv - 1; r >= 0; r--)
    if (e->parent[r] >= 0) size[e->parent[r]] += size[r];
  for (int r = 0; r < tree->nv; r++) {
    int32_t *from = e->parent[r] < 0 ? &roots : &e->next[e->parent[r]];
    at[r] = *from;
    *from += size[r];
    e->next[r] = at[r] + 1;
    order[at[r]] = e->at_rank[r];
    lambda[at[r]] = e->parent[r] < 0 ? -1 : at[e->parent[r]];
  }
  for (int i = 0; i < tree->nb; i++)
    for (int k = 0; k < tree->body[i].nv; k++) place[tree->body[i].id + k] = at[e->rank[tree->body[i].iv + k]];
}

/* The order of elimination, its tree and the place of each joint's coordinate. JN_OK or JN_ERR_MEMORY. */
jn_status jn__eliminate(const jn_allocator *allocator, const jn_tree_d *tree, int32_t *order, int32_t *lambda,
                        int32_t *place) {
  size_t nv = (size_t)tree->nv, nb = (size_t)tree->nb, nd = (size_t)tree->nd;
  int32_t *memory = jn__allocate(allocator, (6 * nv + 2 + 2 * (nb + 1) + nd + nv) * sizeof *memory), *at = memory;
  if (!memory) return JN_ERR_MEMORY;
  elimination e = {.t = tree};
  e.rank = at, at += nv;
  e.at_rank = at, at += nv;
  e.parent = at, at += nv;
  e.ancestor = at, at += nv;
  e.next = at, at += nv;
  e.leaf = at, at += nb + 1;
  e.last = at, at += nb > nv ? nb : nv;
  int32_t *first = at, *bodies = first + nv + 2;
  rank_coordinates(&e);
  build_parents(&e, first, bodies);
  number_places(&e, order, lambda, place);
  jn__release(allocator, memory);
  return JN_OK;
}
