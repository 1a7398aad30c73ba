/* SPDX-License-Identifier: BSD-2-Clause */
/* Taylor coefficients: see taylor.h. */
#include "taylor.h"

#include <string.h>

/* Marks what node i needs, operands of marked nodes from the last to the first. */
static void mark_needed(jn_taylor *t, const jn_expr *results, int count) {
  for (int k = 0; k < count; k++) t->needed[jn__node_of(results[k])] = 1;
  for (int i = t->nodes - 1; i >= 0; i--) {
    const jn_node *n = &t->g->node[i];
    if (!t->needed[i] || n->operation < JN_NODE_ADD) continue;
    t->needed[jn__node_of(n->a)] = 1;
    if (n->operation <= JN_NODE_DIVIDE) t->needed[jn__node_of(n->b)] = 1;
  }

  /* Sine and cosine need each other. */
  for (int i = 0; i < t->nodes; i++) {
    const jn_node *n = &t->g->node[i];
    if (!t->needed[i] || (n->operation != JN_NODE_SINE && n->operation != JN_NODE_COSINE)) continue;
    t->needed[jn__node_of(jn__apply(t->g, JN_NODE_SINE, n->a))] = 1;
    t->needed[jn__node_of(jn__apply(t->g, JN_NODE_COSINE, n->a))] = 1;
  }
}

int jn__taylor_create(jn_taylor *t, jn_graph *g, const jn_expr *results, int count, int order) {
  /* Every sine has its cosine, before nodes are counted. */
  for (int i = 0, last = g->count; i < last; i++) {
    jn_node n = g->node[i];
    if (n.operation == JN_NODE_SINE) jn__apply(g, JN_NODE_COSINE, n.a);
    if (n.operation == JN_NODE_COSINE) jn__apply(g, JN_NODE_SINE, n.a);
  }

  *t = (jn_taylor){.g = g, .nodes = g->count, .order = order};
  size_t nodes = (size_t)t->nodes;
  t->coefficient = jn__allocate(&g->allocator, nodes * (size_t)(order + 1) * sizeof *t->coefficient);
  t->needed = jn__allocate(&g->allocator, nodes);
  if (!t->coefficient || !t->needed) {
    jn__taylor_free(t);
    return 0;
  }
  mark_needed(t, results, count);
  for (int i = 0; i < t->nodes; i++) t->coefficient[i] = 2 * i;
  return 1;
}

void jn__taylor_free(jn_taylor *t) {
  jn__release(&t->g->allocator, t->coefficient);
  jn__release(&t->g->allocator, t->needed);
  t->coefficient = NULL;
  t->needed = NULL;
}

void jn__taylor_give(jn_taylor *t, jn_expr node, int k, jn_expr value) {
  int i = jn__node_of(node);
  if (i >= t->nodes || t->g->node[i].operation == JN_NODE_CONSTANT) return; /* nothing depends on it */
  t->needed[i] |= 2;
  t->coefficient[(size_t)k * (size_t)t->nodes + (size_t)i] = value ^ (node & 1);
}

jn_expr jn__taylor_at(const jn_taylor *t, jn_expr e, int k) {
  jn_expr x = t->coefficient[(size_t)k * (size_t)t->nodes + (size_t)jn__node_of(e)];
  return x == JN_ZERO ? x : x ^ (e & 1);
}

/* sum of a_j b_{k-j} over j = first ... last */
static jn_expr convolve(const jn_taylor *t, jn_expr a, jn_expr b, int k, int first, int last) {
  jn_expr sum = JN_ZERO;
  for (int j = first; j <= last; j++)
    sum = jn__add(t->g, sum, jn__multiply(t->g, jn__taylor_at(t, a, j), jn__taylor_at(t, b, k - j)));
  return sum;
}

/* k s_k = sum of j x_j y_{k-j} over j = 1 ... k: for s = sin x and y = cos x. */
static jn_expr integrate_chain(const jn_taylor *t, jn_expr x, jn_expr y, int k) {
  jn_expr sum = JN_ZERO;
  for (int j = 1; j <= k; j++) {
    jn_expr product = jn__multiply(t->g, jn__taylor_at(t, x, j), jn__taylor_at(t, y, k - j));
    sum = jn__add(t->g, sum, jn__scale(t->g, (double)j / k, product));
  }
  return sum;
}

/* Coefficient 0: the operation itself on coefficients 0. */
static jn_expr repeat_operation(const jn_taylor *t, int i, const jn_node *n) {
  if (n->operation < JN_NODE_ADD) return 2 * i;
  jn_expr a = jn__taylor_at(t, n->a, 0), b = n->operation <= JN_NODE_DIVIDE ? jn__taylor_at(t, n->b, 0) : JN_ZERO;
  if (a == n->a && (n->operation > JN_NODE_DIVIDE || b == n->b)) return 2 * i;
  if (n->operation == JN_NODE_ADD) return jn__add(t->g, a, b);
  if (n->operation == JN_NODE_MULTIPLY) return jn__multiply(t->g, a, b);
  if (n->operation == JN_NODE_DIVIDE) return jn__divide(t->g, a, b);
  return jn__apply(t->g, (jn_operation)n->operation, a);
}

/* Coefficient k > 0 of node i. `self` is the node as an expression. */
static jn_expr next_coefficient(const jn_taylor *t, int i, const jn_node *n, int k) {
  jn_graph *g = t->g;
  jn_expr self = 2 * i;
  switch (n->operation) {
    case JN_NODE_ADD:
      return jn__add(g, jn__taylor_at(t, n->a, k), jn__taylor_at(t, n->b, k));
    case JN_NODE_MULTIPLY: {
      if (n->a != n->b) return convolve(t, n->a, n->b, k, 0, k);
      /* a square: pairs of equal products */
      jn_expr pairs = jn__scale(g, 2, convolve(t, n->a, n->a, k, 0, (k - 1) / 2));
      return k % 2 ? pairs : jn__add(g, pairs, convolve(t, n->a, n->a, k, k / 2, k / 2));
    }
    case JN_NODE_DIVIDE: { /* b c = a */
      jn_expr rest = jn__subtract(g, jn__taylor_at(t, n->a, k), convolve(t, n->b, self, k, 1, k));
      return n->a == JN_ONE ? jn__multiply(g, rest, jn__taylor_at(t, self, 0))
                            : jn__divide(g, rest, jn__taylor_at(t, n->b, 0));
    }
    case JN_NODE_ROOT: { /* c c = a */
      jn_expr rest = jn__subtract(g, jn__taylor_at(t, n->a, k), convolve(t, self, self, k, 1, k - 1));
      return jn__divide(g, jn__scale(g, 0.5, rest), jn__taylor_at(t, self, 0));
    }
    case JN_NODE_SINE:
      return integrate_chain(t, n->a, jn__apply(g, JN_NODE_COSINE, n->a), k);
    case JN_NODE_COSINE:
      return jn__negate(integrate_chain(t, n->a, jn__apply(g, JN_NODE_SINE, n->a), k));
    case JN_NODE_ALIAS:
      return jn__taylor_at(t, n->a, k);
    default:
      return JN_ZERO; /* constants, inputs that do not move, signs */
  }
}

void jn__taylor_step(jn_taylor *t, int k) {
  for (int i = 0; i < t->nodes; i++) {
    if (t->needed[i] != 1) continue;
    jn_node n = t->g->node[i]; /* a copy: the nodes may move */
    jn_expr value = k ? next_coefficient(t, i, &n, k) : repeat_operation(t, i, &n);
    t->coefficient[(size_t)k * (size_t)t->nodes + (size_t)i] = value;
  }
}

/* ---- the configuration along a motion ---- */

/* Coefficient k of a rotation: k R_k = sum of R_j [w_{k-1-j}], row by row; and of a position: k p_k = sum R_j v. */
static void move_group(jn_taylor *t, const jn_symbols *s, int i, const jn_expr *v, int k) {
  const jn_part *part = &s->m->part[i];
  const jn_joint_symbols *joint = &s->joint[i];
  jn_graph *g = t->g;
  int nv = s->m->tree->nv;
  const jn_expr3 row[3] = {joint->rotation.x, joint->rotation.y, joint->rotation.z};
  const jn_expr position[3] = {joint->position.x, joint->position.y, joint->position.z};

  for (int r = 0; r < 3; r++) {
    jn_expr3 turned = jn__zero3();
    jn_expr moved = JN_ZERO;
    for (int j = 0; j < k; j++) {
      const jn_expr *w = v + (k - 1 - j) * nv + part->iv;
      jn_expr3 R = {jn__taylor_at(t, row[r].x, j), jn__taylor_at(t, row[r].y, j), jn__taylor_at(t, row[r].z, j)};
      turned = jn__add3(g, turned, jn__cross(g, R, (jn_expr3){w[0], w[1], w[2]}));
      if (part->kind == JN_BODY_FREE) moved = jn__add(g, moved, jn__dot3(g, R, (jn_expr3){w[3], w[4], w[5]}));
    }
    jn__taylor_give(t, row[r].x, k, jn__scale(g, 1.0 / k, turned.x));
    jn__taylor_give(t, row[r].y, k, jn__scale(g, 1.0 / k, turned.y));
    jn__taylor_give(t, row[r].z, k, jn__scale(g, 1.0 / k, turned.z));
    if (part->kind == JN_BODY_FREE) jn__taylor_give(t, position[r], k, jn__scale(g, 1.0 / k, moved));
  }
}

void jn__taylor_move(jn_taylor *t, const jn_symbols *s, const jn_expr *v, int k) {
  int nv = s->m->tree->nv;
  for (int i = 0; i < s->m->count; i++) {
    const jn_part *part = &s->m->part[i];
    if (part->nv > 1) {
      if (k == 0) continue;
      move_group(t, s, i, v, k);
      continue;
    }
    jn_expr q = jn__input(t->g, JN_ARRAY_Q, part->iq);
    if (k > 0) jn__taylor_give(t, q, k, jn__scale(t->g, 1.0 / k, v[(k - 1) * nv + part->iv]));
    if (!s->given_sines || k == 0) continue;

    /* Given sines move with the coordinate, whether results need its node or not. */
    jn_expr sine = jn__input(t->g, JN_ARRAY_SINE, part->iq), cosine = jn__input(t->g, JN_ARRAY_COSINE, part->iq);
    jn_expr s_k = JN_ZERO, c_k = JN_ZERO;
    if (jn__node_of(sine) >= t->nodes || jn__node_of(cosine) >= t->nodes) continue;
    for (int j = 1; j <= k; j++) {
      jn_expr rate = jn__scale(t->g, 1.0 / k, v[(j - 1) * nv + part->iv]); /* j q_j / k = v_{j-1} / k */
      s_k = jn__add(t->g, s_k, jn__multiply(t->g, rate, jn__taylor_at(t, cosine, k - j)));
      c_k = jn__subtract(t->g, c_k, jn__multiply(t->g, rate, jn__taylor_at(t, sine, k - j)));
    }
    jn__taylor_give(t, sine, k, s_k);
    jn__taylor_give(t, cosine, k, c_k);
  }
}
